// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Video memory, see vram.h. The allocator lives as long as the DRM device, because buffers may be
 * freed long after the card is gone; memory itself is touched only while it is there. Once a card
 * was given up something may still run on it, so that what is freed then is handed out to nobody.
 */
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/io.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include "kmod/device.h"

static void sov_vram_fini(struct drm_device *drm, void *data)
{
	struct sov_vram *v = &to_sov(drm)->vram;

	gpu_buddy_free_list(&v->buddy, &v->lost, 0);
	gpu_buddy_fini(&v->buddy);
}

/**
 * sov_vram_init() - take over the video memory that the vendor's start has found
 * @sov: the device
 *
 * Return: 0 or a negative errno.
 */
int sov_vram_init(struct sov_device *sov)
{
	struct sov_vram *v = &sov->vram;
	int ret;

	ret = drmm_mutex_init(&sov->drm, &v->lock);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&v->lost);
	ret = gpu_buddy_init(&v->buddy, v->end - v->start, SOV_VRAM_CHUNK);
	if (ret)
		return ret;
	sov->memory.vram_bytes = v->end - v->start;
	sov->memory.vram_mappable = sov->memory.vram_bytes;
	sov->memory.vram_page = SOV_VRAM_PAGE;
	return drmm_add_action_or_reset(&sov->drm, sov_vram_fini, NULL);
}

/* Through the window, in steps after which somebody else may run. */
static int clear(struct sov_device *sov, u64 offset, u64 size)
{
	resource_size_t at = sov->vram.window + sov->vram.start + offset;
	u64 done, step;

	for (done = 0; done < size; done += step) {
		void __iomem *p;

		if (fatal_signal_pending(current))
			return -EINTR;
		step = min_t(u64, size - done, SZ_2M);
		p = ioremap_wc(at + done, step);
		if (!p)
			return -ENOMEM;
		memset_io(p, 0, step);
		iounmap(p);
		cond_resched();
	}
	return 0;
}

/**
 * sov_vram_alloc() - zeroed video memory
 * @sov: the device, which must be there
 * @size: a multiple of @align
 * @align: of every piece, a power of two, at least SOV_VRAM_CHUNK
 * @one_piece: the pieces follow each other in memory
 * @blocks: an empty list, to which the pieces are added in order
 *
 * Return: 0; ENOSPC; ENOMEM; EINTR; EIO when the device was given up.
 */
int sov_vram_alloc(struct sov_device *sov, u64 size, u64 align, bool one_piece,
		   struct list_head *blocks)
{
	struct sov_vram *v = &sov->vram;
	struct gpu_buddy_block *b;
	int ret;

	if (size > v->end - v->start)
		return -ENOSPC;
	mutex_lock(&v->lock);
	ret = -EIO;
	if (!READ_ONCE(sov->wedged))
		ret = gpu_buddy_alloc_blocks(&v->buddy, 0, v->end - v->start, size, align, blocks,
					     one_piece ? GPU_BUDDY_CONTIGUOUS_ALLOCATION : 0);
	mutex_unlock(&v->lock);
	if (ret)
		return ret;
	list_for_each_entry(b, blocks, link) {
		ret = clear(sov, gpu_buddy_block_offset(b), gpu_buddy_block_size(&v->buddy, b));
		if (ret) {
			sov_vram_free(sov, blocks);
			return ret;
		}
	}
	return 0;
}

/**
 * sov_vram_free() - give pieces back
 * @sov: the device; the card may be gone
 * @blocks: the pieces; empty afterwards
 */
void sov_vram_free(struct sov_device *sov, struct list_head *blocks)
{
	mutex_lock(&sov->vram.lock);
	if (READ_ONCE(sov->wedged))
		list_splice_tail_init(blocks, &sov->vram.lost);
	else
		gpu_buddy_free_list(&sov->vram.buddy, blocks, 0);
	mutex_unlock(&sov->vram.lock);
}

/**
 * sov_vram_available() - bytes that are free
 * @sov: the device
 *
 * Return: bytes, which need not be in one piece.
 */
u64 sov_vram_available(struct sov_device *sov)
{
	u64 bytes;

	mutex_lock(&sov->vram.lock);
	bytes = sov->vram.buddy.avail;
	mutex_unlock(&sov->vram.lock);
	return bytes;
}

/**
 * sov_vram_address() - where a byte lies in video memory
 * @sov: the device
 * @blocks: pieces of an allocation
 * @offset: in the allocation, inside it
 *
 * Return: its address; plus the window's it is where the processor sees it.
 */
u64 sov_vram_address(struct sov_device *sov, struct list_head *blocks, u64 offset)
{
	struct sov_vram *v = &sov->vram;
	struct gpu_buddy_block *b;

	list_for_each_entry(b, blocks, link) {
		u64 size = gpu_buddy_block_size(&v->buddy, b);

		if (offset < size)
			return v->start + gpu_buddy_block_offset(b) + offset;
		offset -= size;
	}
	return 0;
}
