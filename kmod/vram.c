// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Video memory, see vram.h. The allocator lives as long as the DRM device, because buffers may be
 * freed long after the card is gone; memory itself is touched only while it is there. Once a card
 * was given up something may still run on it, so that what is freed then is handed out to nobody.
 *
 * The kernel's buddy allocator would do it, but for one thing: where it finds no memory for its own
 * books it spoils them (in 6.12, what it could not split is freed while it is free). drm_mm keeps
 * its books in what it is given.
 */
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/device.h"

/* Gives pieces back, with the lock held or where nobody else is. */
static void give_back(struct sov_vram *v, struct list_head *pieces)
{
	struct sov_piece *p, *next;

	list_for_each_entry_safe(p, next, pieces, link) {
		list_del(&p->link);
		v->available += p->node.size;
		drm_mm_remove_node(&p->node);
		kfree(p);
	}
}

static void sov_vram_fini(struct drm_device *drm, void *data)
{
	struct sov_vram *v = &to_sov_device(drm)->vram;

	give_back(v, &v->lost);
	drm_mm_takedown(&v->taken);
}

/**
 * sov_vram_init() - take over the video memory that the vendor's start has found
 * @sov: the device; one that has slept has its allocator, and the same memory
 *
 * Return: 0 or a negative errno.
 */
int sov_vram_init(struct sov_device *sov)
{
	struct sov_vram *v = &sov->vram;
	int ret;

	if (drm_mm_initialized(&v->taken))
		return 0;
	ret = drmm_mutex_init(&sov->drm, &v->lock);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&v->lost);
	v->available = v->end - v->start;
	drm_mm_init(&v->taken, v->start, v->available);
	sov->memory.vram_bytes = v->available;
	sov->memory.vram_mappable = v->available;
	sov->memory.vram_page = SOV_VRAM_PAGE_SIZE;
	return drmm_add_action_or_reset(&sov->drm, sov_vram_fini, NULL);
}

/* Through the window, in steps after which somebody else may run. */
static int clear(struct sov_device *sov, u64 address, u64 size)
{
	resource_size_t at = sov->vram.window + address;
	u64 done, step;

	for (done = 0; done < size; done += step) {
		void __iomem *p;

		if (fatal_signal_pending(current))
			return -EINTR;
		if (done && drm_dev_is_unplugged(&sov->drm)) /* removal waits for us */
			return -ENODEV;
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

/*
 * A piece where page tables can have large pages for it, if there is one; ENOSPC: there is none at
 * all.
 */
static int take(struct sov_vram *v, u64 size, u64 align, struct list_head *pieces)
{
	struct sov_piece *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	u64 natural = size < SZ_2M ? roundup_pow_of_two(size) : SZ_2M;
	int ret;

	if (!p)
		return -ENOMEM;
	ret = drm_mm_insert_node_generic(&v->taken, &p->node, size, max(natural, align), 0,
					 DRM_MM_INSERT_BEST);
	if (ret == -ENOSPC && natural > align)
		ret = drm_mm_insert_node_generic(&v->taken, &p->node, size, align, 0,
						 DRM_MM_INSERT_BEST);
	if (ret) {
		kfree(p);
		return ret;
	}
	v->available -= size;
	list_add_tail(&p->link, pieces);
	return 0;
}

/* All in one piece, or in as few as it takes; what it got is in the list also when it fails. */
static int take_all(struct sov_vram *v, u64 size, u64 align, bool one_piece,
		    struct list_head *pieces)
{
	u64 part = size;
	int ret;

	if (size > v->available)
		return -ENOSPC;
	while (size) {
		part = min(part, size);
		ret = take(v, part, align, pieces);
		if (!ret)
			size -= part;
		else if (ret == -ENOSPC && !one_piece && part > align)
			part = ALIGN(part / 2, align);
		else
			return ret;
	}
	return 0;
}

/**
 * sov_vram_alloc() - zeroed video memory
 * @sov: the device, which must be there
 * @size: a multiple of @align
 * @align: of every piece, a power of two, at least SOV_VRAM_MIN_BLOCK
 * @one_piece: there may be no more than one
 * @pieces: an empty list, to which the pieces are added in order
 *
 * Return: 0; ENOSPC; ENOMEM; EINTR; ENODEV when the device goes; EIO when it was given up.
 */
int sov_vram_alloc(struct sov_device *sov, u64 size, u64 align, bool one_piece,
		   struct list_head *pieces)
{
	struct sov_vram *v = &sov->vram;
	struct sov_piece *p;
	int ret;

	mutex_lock(&v->lock);
	ret = READ_ONCE(sov->wedged) ? -EIO : take_all(v, size, align, one_piece, pieces);
	if (ret)
		give_back(v, pieces); /* nobody has seen them */
	mutex_unlock(&v->lock);
	if (ret)
		return ret;
	list_for_each_entry(p, pieces, link) {
		ret = clear(sov, p->node.start, p->node.size);
		if (ret) {
			sov_vram_free(sov, pieces);
			return ret;
		}
	}
	return 0;
}

/**
 * sov_vram_free() - give pieces back
 * @sov: the device; the card may be gone
 * @pieces: the pieces; empty afterwards
 */
void sov_vram_free(struct sov_device *sov, struct list_head *pieces)
{
	struct sov_vram *v = &sov->vram;

	mutex_lock(&v->lock);
	if (READ_ONCE(sov->wedged))
		list_splice_tail_init(pieces, &v->lost);
	else
		give_back(v, pieces);
	mutex_unlock(&v->lock);
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
	bytes = sov->vram.available;
	mutex_unlock(&sov->vram.lock);
	return bytes;
}

/**
 * sov_vram_address() - where a byte lies in video memory
 * @pieces: of an allocation
 * @offset: in the allocation, inside it
 *
 * Return: its address; plus the window's it is where the processor sees it.
 */
u64 sov_vram_address(struct list_head *pieces, u64 offset)
{
	struct sov_piece *p;

	list_for_each_entry(p, pieces, link) {
		if (offset < p->node.size)
			return p->node.start + offset;
		offset -= p->node.size;
	}
	return 0;
}
