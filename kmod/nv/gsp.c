// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Start and stop of the GSP: allocates the memory that it uses while it runs, boots it, queries its
 * static information, and unloads it. The GSP must not keep running after nv_gsp_stop(), because
 * its memory then returns to the system.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "hw/nv/pci.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/dump.h"
#include "kmod/nv/gsp.h"
#include "kmod/nv/log.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rpc.h"

#define RPC_LIMIT_MS    5000
#define UNLOAD_LIMIT_US (4 * USEC_PER_SEC)

static void nv_gsp_free_memory(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;

	kfree(gsp->info);
	gsp->info = NULL;
	nv_buffer_free(nv, &gsp->arguments);
	nv_log_free(nv);
	nv_rpc_fini(nv);
	nv_buffer_free(nv, &gsp->flush);
}

static void nv_gsp_fill_arguments(struct nv_gsp *gsp)
{
	struct nv_gsp_arguments *a = gsp->arguments.cpu;

	a->shared = gsp->shared.bus;
	a->shared_pages = gsp->shared.bytes / NV_GSP_PAGE;
	a->command_offset = (void *)gsp->command - gsp->shared.cpu;
	a->status_offset = (void *)gsp->status - gsp->shared.cpu;
	a->dmem_stack = 1;
}

/* On failure the caller frees what was allocated: nv_gsp_free_memory(). */
static int nv_gsp_alloc_memory(struct nv_device *nv)
{
	struct nv_gsp *gsp = &nv->gsp;
	int ret;

	gsp->info = kzalloc(sizeof(*gsp->info), GFP_KERNEL);
	if (!gsp->info)
		return -ENOMEM;
	ret = nv_buffer_alloc(nv, NULL, &gsp->flush, NV_GSP_PAGE);
	if (ret)
		return ret;
	ret = nv_rpc_init(nv);
	if (ret)
		return ret;
	ret = nv_log_alloc(nv);
	if (ret)
		return ret;
	ret = nv_buffer_alloc(nv, NULL, &gsp->arguments, sizeof(struct nv_gsp_arguments));
	if (ret)
		return ret;
	nv_gsp_fill_arguments(gsp);
	return 0;
}

static int nv_gsp_send_system_info(struct nv_device *nv)
{
	struct pci_dev *pdev = sov_pci(&nv->base);
	struct nv_gsp_system_info info = {
		.bar0 = pci_resource_start(pdev, NV_PCI_BAR_REGISTERS),
		.bar1 = pci_resource_start(pdev, NV_PCI_BAR_VRAM),
		.bar2 = pci_resource_start(pdev, NV_PCI_BAR_INSTANCE),
		.bus_device_function = pci_dev_id(pdev),
		.max_user_va = TASK_SIZE,
		.config_mirror = nv->chip->config_mirror,
		.config_mirror_bytes = NV_GSP_CONFIG_MIRROR_BYTES,
		.pci_device = (u32)pdev->device << 16 | pdev->vendor,
		.pci_subsystem = (u32)pdev->subsystem_device << 16 | pdev->subsystem_vendor,
		.pci_revision = pdev->revision,
		.host_page_bytes = PAGE_SIZE,
	};

	return nv_rpc_send(nv, NV_GSP_SET_SYSTEM_INFO, &info, sizeof(info));
}

/*
 * The settings that nouveau and nova send: reset through the bus, save the PCIe configuration, and
 * boot although the firmware's list of products lacks this one.
 */
static int nv_gsp_send_registry(struct nv_device *nv)
{
	static const char names[][32] = { "RMSecBusResetEnable", "RMForcePcieConfigSave",
					  "RMDevidCheckIgnore" };
	struct {
		struct nv_gsp_registry table;
		struct nv_gsp_registry_entry entries[ARRAY_SIZE(names)];
		char names[ARRAY_SIZE(names)][32];
	} r = { .table = { sizeof(r), ARRAY_SIZE(names) } };
	int i;

	memcpy(r.names, names, sizeof(names));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		r.entries[i] = (struct nv_gsp_registry_entry){
			.name_offset = r.names[i] - (char *)&r,
			.type = NV_GSP_REGISTRY_DWORD,
			.data = 1,
			.bytes = sizeof(u32),
		};
	return nv_rpc_send(nv, NV_GSP_SET_REGISTRY, &r, sizeof(r));
}

/*
 * Chooses the largest region of video memory that the GSP neither reserves nor protects. The other
 * regions may reach beyond the usable size.
 */
static int nv_gsp_find_vram(struct nv_device *nv)
{
	const struct nv_gsp_static_info *info = nv->gsp.info;
	struct sov_vram *vram = &nv->base.vram;
	u64 start = 0, end = 0;
	u32 i;

	if (info->fb_regions > NV_GSP_FB_REGIONS) {
		drm_err(&nv->base.drm, "GSP: invalid number of memory regions: %u\n",
			info->fb_regions);
		return -EIO;
	}
	for (i = 0; i < info->fb_regions; i++) {
		const struct nv_gsp_fb_region *r = &info->fb[i];
		u64 from = ALIGN(r->base, SZ_2M), to = ALIGN_DOWN(r->limit + 1, SZ_2M);

		if (r->reserved || r->is_protected)
			continue;
		if (r->limit < r->base || r->limit >= nv->vram_bytes) {
			drm_err(&nv->base.drm, "GSP: invalid memory region 0x%llx-0x%llx\n",
				r->base, r->limit);
			return -EIO;
		}
		if (to <= from || to - from <= end - start)
			continue;
		start = from;
		end = to;
	}
	if (!end) {
		drm_err(&nv->base.drm, "GSP: no usable video memory\n");
		return -ENOSPC;
	}
	/* After resume the region must be the one that the VRAM allocator already uses. */
	if (vram->end && (vram->start != start || vram->end != end)) {
		drm_err(&nv->base.drm,
			"GSP: usable memory changed from 0x%llx-0x%llx to 0x%llx-0x%llx\n",
			vram->start, vram->end, start, end);
		return -EIO;
	}
	vram->start = start;
	vram->end = end;
	return 0;
}

static int nv_gsp_boot_and_query(struct nv_device *nv)
{
	int ret = nv_gsp_alloc_memory(nv);

	if (ret)
		return ret;
	nv_wr32(nv, NV_PFB_FLUSH_SYSMEM_ADDR_HI, upper_32_bits(nv->gsp.flush.bus >> 8));
	nv_wr32(nv, NV_PFB_FLUSH_SYSMEM_ADDR_LO, lower_32_bits(nv->gsp.flush.bus >> 8));
	ret = nv_gsp_send_system_info(nv);
	if (ret)
		return ret;
	ret = nv_gsp_send_registry(nv);
	if (ret)
		return ret;
	ret = nv->chip->boot(nv);
	if (ret)
		return ret;
	nv->gsp.running = true;
	nv_log_step(nv, "static info");
	ret = nv_rpc_call(nv, NV_GSP_GET_STATIC_INFO, nv->gsp.info, sizeof(*nv->gsp.info), NULL, 0,
			  RPC_LIMIT_MS);
	return ret ? ret : nv_gsp_find_vram(nv);
}

/**
 * nv_gsp_start() - boot the GSP and query its static information
 * @nv: The device, with bus mastering enabled.
 *
 * Return: 0, or a negative errno after a log message, with everything undone.
 */
int nv_gsp_start(struct nv_device *nv)
{
	int ret;

	nv_log_step(nv, "firmware files");
	nv->gsp.loaded = false;
	nv->gsp.dumped = false;
	if (nv_rd32(nv, NV_PFB_WPR2_ADDR_HI)) {
		if (nv_regs_lost(nv))
			return -EIO;
		drm_err(&nv->base.drm,
			"another driver left its firmware running; reset the device first\n");
		return -EBUSY;
	}
	ret = nv_gsp_boot_and_query(nv);
	if (ret) {
		nv_dump_failed_start(nv, ret);
		nv_gsp_stop(nv);
	}
	return ret;
}

static void nv_gsp_unload(struct nv_device *nv)
{
	struct nv_gsp_unloading request = {};
	struct drm_device *drm = &nv->base.drm;
	u32 value;

	if (nv_rpc_call(nv, NV_GSP_UNLOADING_GUEST_DRIVER, &request, sizeof(request), NULL, 0,
			RPC_LIMIT_MS))
		return;
	if (read_poll_timeout(nv_rd32, value, value & NV_PGSP_MAILBOX0_UNLOADED, 1000,
			      UNLOAD_LIMIT_US, false, nv, NV_PGSP_MAILBOX0))
		drm_err(drm, "GSP unload timed out, mailbox 0x%08x\n", value);
	if (read_poll_timeout(nv_rd32, value, value & NV_PGSP_RISCV_CPUCTL_HALTED, 1000,
			      UNLOAD_LIMIT_US, false, nv, NV_PGSP_RISCV_CPUCTL))
		drm_err(drm, "GSP halt timed out, CPUCTL 0x%08x\n", value);
}

/**
 * nv_gsp_stop() - unload the GSP and free its memory
 * @nv: The device; the GSP may never have started.
 *
 * The function clears bus mastering before it frees memory, whether or not the GSP has unloaded.
 */
void nv_gsp_stop(struct nv_device *nv)
{
	if (nv->gsp.running)
		nv_gsp_unload(nv);
	mutex_lock(&nv->gsp.lock); /* address spaces may outlive the GSP and still send RPCs */
	nv->gsp.running = false;
	mutex_unlock(&nv->gsp.lock);
	pci_clear_master(sov_pci(&nv->base));
	flush_work(&nv->gsp.dump_work); /* it reads the logs */
	nv_gsp_free_memory(nv);
}
