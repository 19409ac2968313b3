/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffers: memory of one of three kinds behind a GEM handle. */
#ifndef SOV_BO_H
#define SOV_BO_H

#include <drm/drm_gem.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>

/**
 * struct sov_bo - a buffer
 */
struct sov_bo {
	/** @base: what DRM knows of it */
	struct drm_gem_object base;

	/** @region: one of enum drm_sovgpu_region */
	u32 region;

	/** @flags: of enum drm_sovgpu_bo_flags */
	u32 flags;

	/** @blocks: VRAM: its pieces */
	struct list_head blocks;

	/** @pages: system and user memory: its pages, pinned as long as it lives */
	struct page **pages;

	/** @mm: user memory: whose limit it counts against */
	struct mm_struct *mm;

	/** @lock: protects @sgt and @dma_users */
	struct mutex lock;

	/** @sgt: system and user memory: as the device sees it, while @dma_users is not 0 */
	struct sg_table sgt;

	/** @dma_users: how many need @sgt */
	u32 dma_users;
};

static inline struct sov_bo *to_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sov_bo, base);
}

typedef int (*sov_bo_visitor)(void *data, u64 address, u64 bytes, bool system);

u64 sov_bo_align(struct sov_bo *bo);
int sov_bo_dma_get(struct sov_bo *bo);
void sov_bo_dma_put(struct sov_bo *bo);
int sov_bo_walk(struct sov_bo *bo, u64 offset, u64 size, sov_bo_visitor fn, void *data);

int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
