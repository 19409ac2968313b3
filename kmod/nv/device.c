// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An NVIDIA GPU from its PCI function to a chip that is up: registers mapped, chip known by
 * BOOT_42, its own firmware awake, size of its memory known, GSP running.
 */
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>

#include "kmod/nv/nv.h"

/* Until the chip's own firmware has run, which it does by itself from power-on. */
#define NV_FSP_BOOT_US (4 * USEC_PER_SEC)

static const struct nv_chip nv_chips[] = {
	{ .number = NV_CHIP_GH100, .name = "gh100", .isa = 90 },
};

static const struct nv_chip *nv_chip_find(u32 number)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(nv_chips); i++)
		if (nv_chips[i].number == number)
			return &nv_chips[i];
	return NULL;
}

static int nv_identify(struct nv_device *nv)
{
	struct drm_device *drm = &nv->base.drm;
	u32 boot_0 = nv_rd32(nv, NV_PMC_BOOT_0);
	u32 boot_42 = nv_rd32(nv, NV_PMC_BOOT_42);

	if (boot_0 == ~0u) {
		drm_err(drm, "registers read all ones: the device does not answer\n");
		return -EIO;
	}
	if (NV_PMC_BOOT_1_VGPU(nv_rd32(nv, NV_PMC_BOOT_1))) {
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

static int nv_wait_for_fsp(struct nv_device *nv)
{
	u32 status;
	int ret;

	ret = read_poll_timeout(nv_rd32, status, status == NV_THERM_FSP_BOOT_COMPLETE, 1000,
				NV_FSP_BOOT_US, false, nv, NV_THERM_I2CS_SCRATCH);
	if (ret)
		drm_err(&nv->base.drm, "the chip's own firmware did not come up: status 0x%08x\n",
			status);
	return ret;
}

static void nv_describe(struct nv_device *nv)
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
		.va_start = SZ_2M, /* so that address 0 and its neighbours always fault */
		.va_end = BIT_ULL(49),
		.page_sizes = SZ_4K | SZ_64K | SZ_2M,
	};
	nv->vram_bytes = (u64)nv_rd32(nv, NV_USABLE_FB_SIZE_MB) << 20;
}

static int nv_open_window(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);

	if (pci_resource_len(pdev, NV_PCI_BAR_VRAM) < nv->vram_bytes) {
		drm_err(&nv->base.drm,
			"BAR 2 has %llu MiB, memory %llu: turn resizable BARs on in the BIOS\n",
			pci_resource_len(pdev, NV_PCI_BAR_VRAM) >> 20, nv->vram_bytes >> 20);
		return -ENOSPC;
	}
	nv->base.vram.window = pci_resource_start(pdev, NV_PCI_BAR_VRAM);
	return 0;
}

static int nv_start(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);
	struct pci_dev *pdev = sov_pci(sov);
	int ret;

	ret = drmm_mutex_init(&sov->drm, &nv->flush_lock);
	if (ret)
		return ret;
	nv->regs = pcim_iomap(pdev, NV_PCI_BAR_REGISTERS, 0);
	if (!nv->regs) {
		drm_err(&sov->drm, "BAR 0 cannot be mapped\n");
		return -ENOMEM;
	}
	ret = nv_identify(nv);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(NV_DMA_BITS));
	if (ret) {
		drm_err(&sov->drm, "no DMA with %d address bits\n", NV_DMA_BITS);
		return ret;
	}
	dma_set_max_seg_size(&pdev->dev, UINT_MAX); /* page tables take a piece of any size */
	ret = nv_wait_for_fsp(nv);
	if (ret)
		return ret;
	nv_describe(nv);
	ret = nv_open_window(nv);
	if (ret)
		return ret;
	pci_set_master(pdev);
	ret = nv_gsp_start(nv);
	if (ret)
		return ret;
	/* The GSP puts page tables of its own between the window and memory; take them out. */
	nv_wr32(nv, NV_VF_BAR1_BLOCK, 0);
	strscpy((char *)sov->info.firmware, NV_GSP_VERSION, sizeof(sov->info.firmware));
	drm_info(&sov->drm, "%s, %llu MiB for use, GSP firmware %s\n", nv->chip->name,
		 (sov->vram.end - sov->vram.start) >> 20, NV_GSP_VERSION);
	return 0;
}

static void nv_stop(struct sov_device *sov)
{
	nv_gsp_stop(to_nv(sov));
}

static u64 nv_time(struct sov_device *sov)
{
	struct nv_device *nv = to_nv(sov);
	u32 high, low, again;

	/* The high word may change while the low one is read. */
	do {
		high = nv_rd32(nv, NV_PTIMER_TIME_1);
		low = nv_rd32(nv, NV_PTIMER_TIME_0);
		again = nv_rd32(nv, NV_PTIMER_TIME_1);
	} while (high != again);
	return (u64)high << 32 | low;
}

const struct sov_vendor sov_nv = {
	.name = "NVIDIA",
	.device_bytes = sizeof(struct nv_device),
	.start = nv_start,
	.stop = nv_stop,
	.time = nv_time,
	.vm_bytes = sizeof(struct nv_vm),
	.vm_init = nv_vm_init,
	.vm_fini = nv_vm_fini,
	.vm_map = nv_vm_map,
	.vm_split = nv_vm_split,
	.vm_unmap = nv_vm_unmap,
	.vm_flush = nv_vm_flush,
};
