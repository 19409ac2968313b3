/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffers: memory of one of three kinds behind a GEM handle. */
#ifndef SOV_BO_H
#define SOV_BO_H

#include <drm/drm_gem.h>

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
};

static inline struct sov_bo *to_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sov_bo, base);
}

int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
