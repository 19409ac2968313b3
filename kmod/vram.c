// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The VRAM allocator, a best-fit allocator on drm_mm. It exists as long as the DRM device, because
 * BOs may be freed long after the PCI device is removed. On a wedged device work may still execute,
 * so blocks that are freed then go into quarantine instead of being allocated again.
 *
 * drm_buddy is not usable: if the allocation of its own metadata fails, it corrupts its lists (in
 * 6.12 it frees a block that it could not split although the block is free). drm_mm stores its
 * metadata in the nodes that the caller provides.
 */
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <linux/io.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/trace.h"
#include "kmod/vram.h"

/* The caller holds the lock or has exclusive access. */
static void sov_vram_free_blocks(struct sov_vram *v, struct list_head *blocks)
{
	struct sov_vram_block *b, *next;

	list_for_each_entry_safe(b, next, blocks, link) {
		list_del(&b->link);
		v->free_bytes += b->node.size;
		drm_mm_remove_node(&b->node);
		kfree(b);
	}
}

static void sov_vram_fini(struct drm_device *drm, void *data)
{
	struct sov_vram *v = &to_sov_device(drm)->vram;

	sov_vram_free_blocks(v, &v->quarantined);
	drm_mm_takedown(&v->mm);
}

/**
 * sov_vram_init() - initialise the allocator
 * @sov: The device; &sov_vendor.start has set the bounds of &sov_device.vram. After a suspend the
 *	allocator exists already, and the bounds are the same.
 *
 * Return: 0 or a negative errno.
 */
int sov_vram_init(struct sov_device *sov)
{
	struct sov_vram *v = &sov->vram;
	int ret;

	if (drm_mm_initialized(&v->mm))
		return 0;
	ret = drmm_mutex_init(&sov->drm, &v->lock);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&v->quarantined);
	v->free_bytes = v->end - v->start;
	drm_mm_init(&v->mm, v->start, v->free_bytes);
	sov->memory.vram_bytes = v->free_bytes;
	sov->memory.vram_mappable = v->free_bytes;
	sov->memory.vram_page = SOV_VRAM_PAGE_SIZE;
	return drmm_add_action_or_reset(&sov->drm, sov_vram_fini, NULL);
}

/* Clears VRAM through the PCI window. */
static int sov_vram_clear_by_cpu(struct sov_device *sov, u64 address, u64 size)
{
	void __iomem *p = ioremap_wc(sov->vram.window + address, size);

	if (!p)
		return -ENOMEM;
	memset_io(p, 0, size);
	iounmap(p);
	atomic64_add(size, &sov->vram.cleared_by_cpu);
	return 0;
}

/* Clears a part of a range by an engine or by the CPU. Returns its size or a negative errno. */
static s64 sov_vram_clear_part(struct sov_device *sov, u64 address, u64 size)
{
	int ret = -EOPNOTSUPP;
	bool engine;
	u64 part;

	part = min_t(u64, size, SOV_VRAM_CLEAR_MAX);
	if (part >= SOV_VRAM_CLEAR_MIN)
		ret = sov->vendor->vram_clear(sov, address, part);
	if (!ret)
		atomic64_add(part, &sov->vram.cleared_by_engine);
	engine = ret != -EOPNOTSUPP;
	if (!engine) {
		part = min_t(u64, size, SZ_2M);
		ret = sov_vram_clear_by_cpu(sov, address, part);
	}
	if (ret)
		return ret;
	trace_sov_vram_clear(sov->drm.dev, address, part, engine);
	return part;
}

/* Clears VRAM in steps that allow rescheduling and removal. */
static int sov_vram_clear(struct sov_device *sov, u64 address, u64 size)
{
	u64 done;
	s64 part;

	for (done = 0; done < size; done += part) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (done && drm_dev_is_unplugged(&sov->drm)) /* unplug waits for this call */
			return -ENODEV;
		part = sov_vram_clear_part(sov, address + done, size - done);
		if (part < 0)
			return part;
		cond_resched();
	}
	return 0;
}

static int sov_vram_show_clearing(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct sov_vram *v = &to_sov_device(entry->dev)->vram;

	seq_printf(m, "engine\t%llu\ncpu\t%llu\n", (u64)atomic64_read(&v->cleared_by_engine),
		   (u64)atomic64_read(&v->cleared_by_cpu));
	return 0;
}

/**
 * sov_vram_debugfs_init() - add the debugfs file "clearing": bytes cleared by an engine, by the CPU
 * @drm: The device, not registered yet.
 */
void sov_vram_debugfs_init(struct drm_device *drm)
{
	drm_debugfs_add_file(drm, "clearing", sov_vram_show_clearing, NULL);
}

/*
 * Allocates one block, if possible at an address that allows large pages. Returns -ENOSPC if there
 * is no hole of that size.
 */
static int sov_vram_alloc_block(struct sov_vram *v, u64 size, u64 align, struct list_head *blocks)
{
	struct sov_vram_block *b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	u64 natural = size < SZ_2M ? roundup_pow_of_two(size) : SZ_2M;
	int ret;

	if (!b)
		return -ENOMEM;
	ret = drm_mm_insert_node_generic(&v->mm, &b->node, size, max(natural, align), 0,
					 DRM_MM_INSERT_BEST);
	if (ret == -ENOSPC && natural > align)
		ret = drm_mm_insert_node_generic(&v->mm, &b->node, size, align, 0,
						 DRM_MM_INSERT_BEST);
	if (ret) {
		kfree(b);
		return ret;
	}
	v->free_bytes -= size;
	list_add_tail(&b->link, blocks);
	return 0;
}

/* Halves the block size until a block fits. On failure @blocks holds the blocks so far. */
static int sov_vram_alloc_blocks(struct sov_vram *v, u64 size, u64 align, bool contiguous,
				 struct list_head *blocks)
{
	u64 part = size;
	int ret;

	if (size > v->free_bytes)
		return -ENOSPC;
	while (size) {
		part = min(part, size);
		ret = sov_vram_alloc_block(v, part, align, blocks);
		if (!ret)
			size -= part;
		else if (ret == -ENOSPC && !contiguous && part > align)
			part = ALIGN(part / 2, align);
		else
			return ret;
	}
	return 0;
}

/**
 * sov_vram_alloc() - allocate zeroed VRAM
 * @sov: The device. The caller has entered it.
 * @size: Bytes, a multiple of @align.
 * @align: Alignment of every block: a power of two, at least SOV_VRAM_MIN_BLOCK.
 * @contiguous: Allocate a single block.
 * @blocks: An empty list that gets the blocks in order.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -ENODEV if the device is being removed, -EIO if it is
 * wedged.
 */
int sov_vram_alloc(struct sov_device *sov, u64 size, u64 align, bool contiguous,
		   struct list_head *blocks)
{
	struct sov_vram *v = &sov->vram;
	struct sov_vram_block *b;
	int ret;

	mutex_lock(&v->lock);
	ret = READ_ONCE(sov->wedged) ? -EIO
				     : sov_vram_alloc_blocks(v, size, align, contiguous, blocks);
	if (ret)
		sov_vram_free_blocks(v, blocks); /* unused, so no quarantine */
	mutex_unlock(&v->lock);
	if (ret)
		return ret;
	list_for_each_entry(b, blocks, link) {
		ret = sov_vram_clear(sov, b->node.start, b->node.size);
		if (ret) {
			sov_vram_free(sov, blocks);
			return ret;
		}
	}
	return 0;
}

/**
 * sov_vram_free() - free the blocks of an allocation
 * @sov: The device, which may be unplugged.
 * @blocks: The blocks; empty afterwards.
 */
void sov_vram_free(struct sov_device *sov, struct list_head *blocks)
{
	struct sov_vram *v = &sov->vram;

	mutex_lock(&v->lock);
	if (READ_ONCE(sov->wedged))
		list_splice_tail_init(blocks, &v->quarantined);
	else
		sov_vram_free_blocks(v, blocks);
	mutex_unlock(&v->lock);
}

/**
 * sov_vram_free_bytes() - get the amount of free VRAM
 * @sov: The device.
 *
 * Return: Free bytes, which need not be contiguous.
 */
u64 sov_vram_free_bytes(struct sov_device *sov)
{
	u64 bytes;

	mutex_lock(&sov->vram.lock);
	bytes = sov->vram.free_bytes;
	mutex_unlock(&sov->vram.lock);
	return bytes;
}

/**
 * sov_vram_address() - translate an offset in an allocation to a VRAM address
 * @blocks: The blocks of the allocation.
 * @offset: Offset in the allocation.
 *
 * Return: The VRAM address. &sov_vram.window plus this address is the bus address.
 */
u64 sov_vram_address(struct list_head *blocks, u64 offset)
{
	struct sov_vram_block *b;

	list_for_each_entry(b, blocks, link) {
		if (offset < b->node.size)
			return b->node.start + offset;
		offset -= b->node.size;
	}
	return 0;
}
