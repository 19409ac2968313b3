/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Video memory: which pieces of the part that is ours are taken, and the window through which the
 * processor sees it. What is allocated stays where it is and is zero.
 */
#ifndef SOV_VRAM_H
#define SOV_VRAM_H

#include <drm/drm_mm.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>

struct sov_device;

/* Smallest piece that users get. Page tables of every supported chip have pages of this size. */
#define SOV_VRAM_PAGE_SIZE SZ_64K

/* Smallest piece at all: a page table. */
#define SOV_VRAM_MIN_BLOCK SZ_4K

/**
 * struct sov_piece - memory that an allocation has in one piece
 */
struct sov_piece {
	/** @link: in the allocation's list */
	struct list_head link;

	/** @node: its address and size */
	struct drm_mm_node node;
};

/**
 * struct sov_vram - video memory of a device
 */
struct sov_vram {
	/** @start: first byte that is ours, set by the vendor's start */
	u64 start;

	/** @end: first byte beyond */
	u64 end;

	/** @window: bus address at which the processor sees byte 0; set by the vendor's start */
	resource_size_t window;

	/** @lock: protects what follows */
	struct mutex lock;

	/** @lost: pieces that were given back after the device was given up */
	struct list_head lost;

	/** @taken: by address */
	struct drm_mm taken;

	/** @available: bytes that are not */
	u64 available;
};

int sov_vram_init(struct sov_device *sov);
int sov_vram_alloc(struct sov_device *sov, u64 size, u64 align, bool one_piece,
		   struct list_head *pieces);
void sov_vram_free(struct sov_device *sov, struct list_head *pieces);
u64 sov_vram_available(struct sov_device *sov);
u64 sov_vram_address(struct list_head *pieces, u64 offset);

#endif
