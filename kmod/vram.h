/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The VRAM allocator. Allocations are zeroed and never move. */
#ifndef SOV_VRAM_H
#define SOV_VRAM_H

#include <drm/drm_mm.h>
#include <linux/list.h>
#include <linux/sizes.h>

struct drm_device;
struct sov_device;

/* Granularity of BOs. The page tables of every supported chip have pages of this size. */
#define SOV_VRAM_PAGE_SIZE SZ_64K

/* Smallest block: one page table. */
#define SOV_VRAM_MIN_BLOCK SZ_4K

/* Smallest part that an engine clears: the CPU ends a smaller one before an engine would begin. */
#define SOV_VRAM_CLEAR_MIN SZ_64K

/* Largest part that an engine clears in one step; signals are checked between steps. */
#define SOV_VRAM_CLEAR_MAX SZ_64M

/**
 * struct sov_vram_block - one contiguous block of an allocation
 */
struct sov_vram_block {
	/** @link: Entry in the allocation's list of blocks. */
	struct list_head link;

	/** @node: Address and size. */
	struct drm_mm_node node;
};

int sov_vram_init(struct sov_device *sov);
int sov_vram_alloc(struct sov_device *sov, u64 size, u64 align, bool contiguous,
		   struct list_head *blocks);
void sov_vram_free(struct sov_device *sov, struct list_head *blocks);
void sov_vram_debugfs_init(struct drm_device *drm);
u64 sov_vram_free_bytes(struct sov_device *sov);
u64 sov_vram_address(struct list_head *blocks, u64 offset);

#endif
