// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Initialisation of an NVIDIA GPU: maps BAR 0, identifies the chip by BOOT_42, waits for the chip's
 * own firmware, sizes video memory and starts the GSP. Implements struct sov_vendor.
 */
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>

#include "hw/nv/host.h"
#include "hw/nv/pci.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/clear.h"
#include "kmod/nv/context.h"
#include "kmod/nv/dump.h"
#include "kmod/nv/engine.h"
#include "kmod/nv/event.h"
#include "kmod/nv/gsp.h"
#include "kmod/nv/intr.h"
#include "kmod/nv/log.h"
#include "kmod/nv/queue.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rpc.h"
#include "kmod/nv/vm.h"

#define BIND_LIMIT_US (2 * USEC_PER_SEC)

static int nv_device_identify(struct nv_device *nv)
{
	struct drm_device *drm = &nv->base.drm;
	u32 boot_0 = nv_rd32(nv, NV_PMC_BOOT_0);
	u32 boot_42 = nv_rd32(nv, NV_PMC_BOOT_42);
	bool virtual = NV_PMC_BOOT_1_VGPU(nv_rd32(nv, NV_PMC_BOOT_1));

	if (nv_regs_lost(nv))
		return -EIO;
	if (virtual) {
		drm_err(drm, "virtual GPUs are not supported\n");
		return -ENODEV;
	}
	nv->chip = nv_chip_find(NV_PMC_BOOT_42_CHIP(boot_42));
	if (!nv->chip) {
		drm_err(drm, "chip 0x%03x is not supported (BOOT_0 0x%08x, BOOT_42 0x%08x)\n",
			NV_PMC_BOOT_42_CHIP(boot_42), boot_0, boot_42);
		return -ENODEV;
	}
	return 0;
}

static void nv_device_fill_info(struct nv_device *nv)
{
	struct drm_sovgpu_device_info *info = &nv->base.info;
	struct pci_dev *pdev = sov_pci(&nv->base);

	info->vendor = pdev->vendor;
	info->device = pdev->device;
	info->subsystem = (u32)pdev->subsystem_device << 16 | pdev->subsystem_vendor;
	info->revision = pdev->revision;
	info->chip = nv->chip->number;
	info->isa = nv->chip->isa;
	strscpy((char *)info->name, nv->chip->name, sizeof(info->name));
	nv->base.vm_info = (struct drm_sovgpu_vm_info){
		.va_start = NV_VM_KERNEL_END,
		.va_end = BIT_ULL(49),
		.page_sizes = SZ_4K | SZ_64K | SZ_2M,
		/* A PTE has no bit that forbids execution. */
		.map_flags = DRM_SOVGPU_VM_MAP_READONLY | DRM_SOVGPU_VM_MAP_UNCACHED,
	};
	nv->base.queue_info = (struct drm_sovgpu_queue_info){
		.classes = BIT(DRM_SOVGPU_QUEUE_COMPUTE) | BIT(DRM_SOVGPU_QUEUE_COPY),
		.modes = BIT(DRM_SOVGPU_QUEUE_KERNEL),
		.ring_entries_min = 2,
		.ring_entries_max = 1024,
		.time_limit_ms_max = 10000, /* bounds how long a fence can stay unsignaled */
		.job_size_max = NV_GP_MAX_WORDS * 4,
		.job_va_end = BIT_ULL(NV_GP_ADDRESS_BITS),
		.time_slice_us_max = 10000, /* ten other groups delay a group by 0.1 s */
	};
	/* The doorbell's page must not expose registers beyond the block made for user space. */
	if (PAGE_SIZE <= NV_VF_USER_BYTES)
		nv->base.queue_info.modes |= BIT(DRM_SOVGPU_QUEUE_USER);
	nv->base.doorbell = pci_resource_start(pdev, NV_PCI_BAR_REGISTERS) + NV_VF_DOORBELL;
	nv->vram_bytes = (u64)nv_rd32(nv, NV_USABLE_FB_SIZE_MB) << 20;
}

static int nv_device_map_vram(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	int ret;

	if (pci_resource_len(pdev, NV_PCI_BAR_VRAM) < nv->vram_bytes) {
		drm_err(&nv->base.drm,
			"BAR 2 has %llu MiB, VRAM %llu MiB: enable resizable BARs in the BIOS\n",
			pci_resource_len(pdev, NV_PCI_BAR_VRAM) >> 20, nv->vram_bytes >> 20);
		return -ENOSPC;
	}
	nv->base.vram.window = pci_resource_start(pdev, NV_PCI_BAR_VRAM);
	/*
	 * On x86 the memory type of this reservation overrides the one that a process's mapping
	 * requests; without the reservation the mapping would be uncached.
	 */
	ret = devm_arch_io_reserve_memtype_wc(&pdev->dev, nv->base.vram.window,
					      pci_resource_len(pdev, NV_PCI_BAR_VRAM));
	if (ret)
		drm_err(&nv->base.drm, "BAR 2 is already mapped with another memory type\n");
	return ret;
}

/* Address spaces return ids and may outlive the device, so the allocators live until release. */
static void nv_device_release(struct drm_device *drm, void *data)
{
	struct nv_device *nv = to_nv(to_sov_device(drm));

	xa_destroy(&nv->channels);
	ida_destroy(&nv->channel_ids);
	ida_destroy(&nv->tsgs);
	ida_destroy(&nv->clients);
}

static int nv_device_init(struct nv_device *nv)
{
	int ret;

	ida_init(&nv->clients);
	ida_init(&nv->tsgs);
	ida_init(&nv->channel_ids);
	xa_init_flags(&nv->channels, XA_FLAGS_LOCK_IRQ);
	INIT_WORK(&nv->gsp.event_work, nv_rpc_event_work);
	INIT_WORK(&nv->gsp.dump_work, nv_dump_work);
	nv->gsp.handle_event = nv_event_handle;
	ret = drmm_add_action_or_reset(&nv->base.drm, nv_device_release, NULL);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&nv->base.drm, &nv->flush_lock);
	if (ret)
		return ret;
	ret = drmm_mutex_init(&nv->base.drm, &nv->gsp.lock);
	if (ret)
		return ret;
	return drmm_mutex_init(&nv->base.drm, &nv->halt_lock);
}

static void nv_device_stop(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);

	nv_intr_stop(nv);
	nv_clear_stop(nv);
	nv_context_stop(nv);
	nv_gsp_stop(nv);
}

/*
 * The GSP puts its own page tables between BAR1 and video memory; this removes them. Nothing may
 * access BAR1 before the change has ended.
 */
static int nv_device_set_physical_mode(struct nv_device *nv)
{
	u32 value;
	int ret;

	nv_wr32(nv, NV_VF_BAR1_BLOCK, 0);
	nv_wr32(nv, NV_VF_BAR1_BLOCK_HIGH, 0);
	ret = read_poll_timeout(
		nv_rd32, value,
		!(value & (NV_VF_BAR1_BLOCK_PENDING | NV_VF_BAR1_BLOCK_OUTSTANDING)) ||
			nv_regs_lost(nv),
		10, BIND_LIMIT_US, false, nv, NV_VF_BAR1_BLOCK);
	if (READ_ONCE(nv->lost))
		return -EIO;
	if (ret)
		drm_err(&nv->base.drm, "BAR 2: change of mode timed out, status 0x%08x\n", value);
	return ret;
}

/* Brings a device whose GSP runs to the point where it accepts work. */
static int nv_device_setup(struct nv_device *nv)
{
	int ret;

	nv_log_step(nv, "BAR mode");
	ret = nv_device_set_physical_mode(nv);
	if (ret)
		goto err_stop;
	ret = sov_vram_init(&nv->base);
	if (ret)
		goto err_stop;
	nv_log_step(nv, "engines");
	ret = nv_engine_start(nv);
	if (ret)
		goto err_stop;
	nv_log_step(nv, "golden context");
	ret = nv_context_start(nv);
	if (ret)
		goto err_stop;
	nv_log_step(nv, "clearing");
	ret = nv_clear_start(nv);
	if (ret)
		goto err_stop;
	nv_log_step(nv, "interrupts");
	ret = nv_intr_start(nv);
	if (ret)
		goto err_stop;
	nv_log_step(nv, "running");
	return 0;

err_stop:
	nv_dump_failed_start(nv, ret);
	nv_device_stop(&nv->base);
	return ret;
}

/* Starts a chip that has just been reset. */
static int nv_device_resume(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);
	int ret = nv->chip->wait_boot(nv);

	if (ret)
		return ret;
	pci_set_master(sov_pci(sov));
	ret = nv_gsp_start(nv);
	return ret ? ret : nv_device_setup(nv);
}

static int nv_device_start(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);
	struct pci_dev *pdev = sov_pci(sov);
	int ret;

	ret = nv_device_init(nv);
	if (ret)
		return ret;
	nv->regs = pcim_iomap(pdev, NV_PCI_BAR_REGISTERS, 0);
	if (!nv->regs) {
		drm_err(&sov->drm, "failed to map BAR 0\n");
		return -ENOMEM;
	}
	ret = nv_device_identify(nv);
	if (ret)
		return ret;
	ret = sov_claim_aperture(sov);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(NV_DMA_BITS));
	if (ret) {
		drm_err(&sov->drm, "failed to set %d-bit DMA mask\n", NV_DMA_BITS);
		return ret;
	}
	dma_set_max_seg_size(&pdev->dev, UINT_MAX); /* page tables map segments of any size */
	ret = nv->chip->wait_boot(nv);
	if (ret)
		return ret;
	nv_device_fill_info(nv);
	if (nv_regs_lost(nv))
		return -EIO;
	drm_info(&sov->drm, "%s (BOOT_0 0x%08x, BOOT_42 0x%08x), %llu MiB VRAM\n", nv->chip->name,
		 nv_rd32(nv, NV_PMC_BOOT_0), nv_rd32(nv, NV_PMC_BOOT_42), nv->vram_bytes >> 20);
	ret = nv_device_map_vram(nv);
	if (ret)
		return ret;
	ret = nv_device_resume(sov);
	if (ret)
		return ret;
	strscpy((char *)sov->info.firmware, NV_GSP_VERSION, sizeof(sov->info.firmware));
	drm_info(&sov->drm, "%s, %u SMs, %llu MiB usable, GSP firmware %s\n", nv->chip->name,
		 sov->info.units, (sov->vram.end - sov->vram.start) >> 20, NV_GSP_VERSION);
	return 0;
}

static u64 nv_device_time(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);
	u32 high, low, again;

	/* The high word may change while the low word is read. */
	do {
		high = nv_rd32(nv, NV_PTIMER_TIME_1);
		low = nv_rd32(nv, NV_PTIMER_TIME_0);
		again = nv_rd32(nv, NV_PTIMER_TIME_1);
	} while (high != again);
	return (u64)high << 32 | low;
}

static bool nv_device_lost(struct sov_device *sov)
{
	return nv_regs_lost(to_nv(sov));
}

const struct sov_vendor sov_nv = {
	.name = "NVIDIA",
	.device_bytes = sizeof(struct nv_device),
	.start = nv_device_start,
	.resume = nv_device_resume,
	.stop = nv_device_stop,
	.time = nv_device_time,
	.lost = nv_device_lost,
	.exit = nv_log_exit,
	.vram_clear = nv_clear_vram,
	.vm_bytes = sizeof(struct nv_vm),
	.vm_init = nv_vm_init,
	.vm_stop = nv_vm_stop,
	.vm_fini = nv_vm_fini,
	.vm_map = nv_vm_map,
	.vm_split = nv_vm_split,
	.vm_unmap = nv_vm_unmap,
	.vm_flush = nv_vm_flush,
	.group_bytes = sizeof(struct nv_group),
	.ring_entry_bytes = NV_GP_ENTRY_BYTES,
	.queue_bytes = sizeof(struct nv_queue),
	.queue_init = nv_queue_init,
	.queue_stop = nv_queue_stop,
	.queue_fini = nv_queue_fini,
	.queue_push = nv_queue_push,
	.queue_completed_seqno = nv_queue_completed_seqno,
	.queue_started_seqno = nv_queue_started_seqno,
	.queue_consumed_seqno = nv_queue_consumed_seqno,
};
