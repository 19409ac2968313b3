// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Clearing of video memory by a copy engine: at the memory's speed, where the CPU has that of PCI.
 * The driver has a channel of its own for that, in an address space of its own, the only channel
 * that may write by physical address. It has a copy engine that no other queue uses, so that work
 * of processes cannot delay an allocation. Until the channel runs, and on a device whose firmware
 * does not grant it, the CPU clears memory through the PCI window.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>
#include <linux/slab.h>

#include "hw/nv/host.h"
#include "kmod/nv/channel.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/clear.h"
#include "kmod/nv/clear_stream.h"
#include "kmod/nv/memory.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/rpc.h"
#include "kmod/nv/vm.h"

#define RING_ENTRIES  32
#define LIMIT_MS      10000 /* for 64 MiB, which take an H200 less than a millisecond */
#define LOST_CHECK_MS 50    /* interval between checks whether the device is still on the bus */
#define POLL_US       10

/* The driver's channel and the page that it reads. */
struct nv_clear {
	struct mutex lock; /* one clear at a time */
	struct nv_vm vm;
	struct nv_buffer method_buffer, page;
	struct drm_mm_node node; /* of @page */
	struct nv_channel channel;
	u32 put;
	u64 seqno;
};

/* Layout of the page. */
struct nv_clear_page {
	u64 ring[RING_ENTRIES];
	u32 stream[NV_CLEAR_STREAM_WORDS];
	u64 semaphore __aligned(16);
};

static_assert(sizeof(struct nv_clear_page) <= SZ_4K);

static int nv_clear_alloc_page(struct nv_clear *c, struct nv_device *nv)
{
	const struct nv_mmu_format *format = c->vm.mmu.format;
	int ret;

	ret = nv_buffer_alloc(nv, NULL, &c->method_buffer, nv->method_bytes);
	if (ret)
		return ret;
	ret = nv_buffer_alloc(nv, NULL, &c->page, SZ_4K);
	if (ret)
		return ret;
	return nv_vm_map_kernel(&c->vm, &c->node, c->page.bus, SZ_4K, SZ_4K,
				format->page | format->system | format->uncached);
}

static int nv_clear_schedule(struct nv_clear *c, const struct nv_engine *engine)
{
	struct rm_copy_parameters copy = { .version = 1, .engine = engine->type };
	struct rm_bind bind = { .engine = engine->type };
	struct rm_schedule schedule = { .enable = 1 };
	u32 channel = NV_RM_CHANNEL(c->channel.id);
	int ret;

	ret = nv_channel_alloc_object(&c->channel, c->vm.nv->chip->copy, &copy, sizeof(copy));
	if (ret)
		return ret;
	ret = nv_rm_control(&c->vm.client, channel, RM_CONTROL_BIND, &bind, sizeof(bind));
	if (ret)
		return ret;
	return nv_rm_control(&c->vm.client, channel, RM_CONTROL_SCHEDULE_CHANNEL, &schedule,
			     RM_SCHEDULE_BYTES_570);
}

static int nv_clear_init_channel(struct nv_clear *c, struct nv_device *nv)
{
	struct nv_channel_params params = {
		.vm = &c->vm,
		.parent = NV_RM_DEVICE,
		.engine = nv->clear_engine,
		.entries = RING_ENTRIES,
		.method_buffer = &c->method_buffer,
		.privileged = true,
		.physical_copies = true,
	};
	int ret;

	ret = nv_clear_alloc_page(c, nv);
	if (ret)
		return ret;
	params.ring_va = c->node.start + offsetof(struct nv_clear_page, ring);
	ret = nv_channel_init(&c->channel, &params);
	if (ret)
		return ret;
	ret = nv_channel_start(&c->channel, &params);
	if (ret)
		return ret;
	return nv_clear_schedule(c, &nv->clear_engine);
}

static void nv_clear_free(struct nv_clear *c)
{
	mutex_destroy(&c->vm.base.lock);
	mutex_destroy(&c->lock);
	kfree(c);
}

/* Frees everything below the address space; any of it may be missing. */
static void nv_clear_fini_channel(struct nv_clear *c, struct nv_device *nv)
{
	nv_channel_stop(&c->channel);
	nv_channel_fini(&c->channel);
	nv_vm_unmap_kernel(&c->vm, &c->node);
	nv_buffer_free(nv, &c->page);
	nv_buffer_free(nv, &c->method_buffer);
	nv_vm_fini(&c->vm.base);
}

static int nv_clear_create(struct nv_device *nv)
{
	struct nv_clear *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int ret;

	if (!c)
		return -ENOMEM;
	mutex_init(&c->lock);
	mutex_init(&c->vm.base.lock);
	ret = nv_vm_init(&nv->base, &c->vm.base);
	if (ret)
		goto err_free;
	ret = nv_clear_init_channel(c, nv);
	if (ret)
		goto err_fini_channel;
	nv->clear = c;
	return 0;

err_fini_channel:
	nv_clear_fini_channel(c, nv);
err_free:
	nv_clear_free(c);
	return ret;
}

/**
 * nv_clear_start() - let a copy engine clear memory from now on
 * @nv: The device, with engines and video memory initialised.
 *
 * Return: 0, also if the CPU must go on clearing memory; -EIO if the device failed.
 */
int nv_clear_start(struct nv_device *nv)
{
	int ret;

	if (!nv->clear_engine.type) {
		drm_info(&nv->base.drm, "no copy engine is left to clear VRAM; the CPU does\n");
		return 0;
	}
	ret = nv_clear_create(nv);
	if (!ret)
		return 0;
	if (READ_ONCE(nv->base.wedged) || nv_regs_lost(nv))
		return -EIO;
	drm_warn(&nv->base.drm, "no channel to clear VRAM; the CPU does: %pe\n", ERR_PTR(ret));
	return 0;
}

/**
 * nv_clear_stop() - free the channel that clears memory
 * @nv: The device, without users; nv_clear_start() may have failed or never run.
 */
void nv_clear_stop(struct nv_device *nv)
{
	struct nv_clear *c = nv->clear;

	if (!c)
		return;
	nv->clear = NULL;
	nv_clear_fini_channel(c, nv);
	nv_clear_free(c);
}

static int nv_clear_wait(struct nv_clear *c, const u64 *semaphore)
{
	struct nv_device *nv = c->vm.nv;
	unsigned int waited_ms = 0;
	int ret;
	u64 v;

	do {
		ret = read_poll_timeout(READ_ONCE, v, v == c->seqno, POLL_US,
					LOST_CHECK_MS * USEC_PER_MSEC, false, *semaphore);
		if (!ret)
			return 0;
		if (nv_regs_lost(nv) || READ_ONCE(nv->base.wedged))
			return -EIO;
		waited_ms += LOST_CHECK_MS;
	} while (waited_ms < LIMIT_MS);
	drm_err(&nv->base.drm, "clearing VRAM timed out\n");
	return -EIO;
}

/**
 * nv_clear_vram() - clear video memory
 * @sov: The device.
 * @address: Address in video memory, a multiple of 4 KiB.
 * @bytes: Size, a multiple of 4 KiB, at most SOV_VRAM_CLEAR_MAX.
 *
 * Return: 0; -EOPNOTSUPP if the CPU must do it; -EIO if the device is wedged, also if the engine
 * does not finish, because it may still write later.
 */
int nv_clear_vram(struct sov_device *sov, u64 address, u64 bytes)
{
	struct nv_device *nv = to_nv(sov);
	struct nv_clear *c = nv->clear;
	struct nv_clear_page *page;
	u64 va;
	u32 words;
	int ret = -EIO;

	if (!c)
		return -EOPNOTSUPP;
	page = c->page.cpu;
	va = c->node.start;
	mutex_lock(&c->lock);
	if (READ_ONCE(sov->wedged))
		goto out_unlock;
	words = nv_clear_stream_write(page->stream, nv->chip->copy, address, bytes,
				      va + offsetof(struct nv_clear_page, semaphore), ++c->seqno);
	page->ring[c->put] = nv_gp_entry_pack(va + offsetof(struct nv_clear_page, stream), words);
	c->put = (c->put + 1) % RING_ENTRIES;
	nv_channel_kick(&c->channel, c->put);
	ret = nv_clear_wait(c, &page->semaphore);
	if (ret)
		nv_rpc_wedge(nv);
out_unlock:
	mutex_unlock(&c->lock);
	return ret;
}
