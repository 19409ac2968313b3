/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffers: memory of one of four kinds behind a GEM handle. */
#ifndef SOV_BO_H
#define SOV_BO_H

#include <drm/drm_gem.h>
#include <linux/dma-buf.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>

#include "kmod/limits.h"

struct drm_sovgpu_bo_create;
struct sov_bo_kind;
struct sov_device;
struct sov_vm;

/**
 * struct sov_bo - a buffer
 */
struct sov_bo {
	/** @base: what DRM knows of it */
	struct drm_gem_object base;

	/** @kind: how its memory is handled */
	const struct sov_bo_kind *kind;

	/** @region: one of enum drm_sovgpu_region */
	u32 region;

	/** @flags: of enum drm_sovgpu_bo_flags */
	u32 flags;

	/** @pieces: VRAM: its pieces */
	struct list_head pieces;

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

	/** @imported: another device's memory: as our device sees it, until that goes */
	struct sg_table *imported;

	/** @import_file: likewise: its file, with a reference; NULL: it is ours */
	struct dma_buf *import_file;

	/** @import_link: likewise: in the device's list, which its lock protects with @imported */
	struct list_head import_link;

	/** @account: whose memory it is, with a reference; or NULL */
	struct sov_account *account;

	/** @exclusive: the only address space it may be bound in, with a reference; or NULL */
	struct sov_vm *exclusive;
};

/**
 * struct sov_bo_kind - what memory of one kind does in its own way
 */
struct sov_bo_kind {
	/** @align: of offsets and sizes */
	u64 align;

	/** @limit: what its bytes count against */
	enum sov_limit limit;

	/** @registers: it is no memory: accesses are neither cached nor combined */
	bool registers;

	/** @init: tell DRM; the object has no memory yet */
	int (*init)(struct drm_device *drm, struct sov_bo *bo, u64 size);

	/** @fill: get memory */
	int (*fill)(struct sov_bo *bo, u64 user_address);

	/** @empty: give it back; also when @fill has failed */
	void (*empty)(struct sov_bo *bo);

	/** @pfn: the page behind an offset, or NULL when nobody maps it */
	unsigned long (*pfn)(struct sov_bo *bo, u64 offset);
};

/**
 * struct sov_word - eight bytes of a buffer, as the processor sees them
 */
struct sov_word {
	const u64 *memory;
	const void __iomem *window;
};

static inline struct sov_bo *to_sov_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sov_bo, base);
}

typedef int (*sov_bo_visitor)(void *data, u64 address, u64 bytes, bool system);

/* bo.c */
struct sov_bo *sov_bo_create(struct drm_device *drm, const struct drm_sovgpu_bo_create *c,
			     struct sov_account *account);
struct sov_bo *sov_bo_make(struct drm_device *drm, const struct sov_bo_kind *kind, u64 size);
int sov_bo_dma_get(struct sov_bo *bo);
void sov_bo_dma_put(struct sov_bo *bo);
int sov_bo_walk(struct sov_bo *bo, u64 offset, u64 size, sov_bo_visitor fn, void *data);
int sov_bo_word(struct sov_bo *bo, u64 offset, struct sov_word *word);
u64 sov_word_read(const struct sov_word *word);
void sov_word_put(struct sov_word *word);

int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* prime.c */
bool sov_bo_kept(struct sov_bo *bo);
struct dma_buf *sov_bo_export(struct drm_gem_object *obj, int flags);
struct drm_gem_object *sov_bo_import_pages(struct drm_device *drm,
					   struct dma_buf_attachment *attachment,
					   struct sg_table *sgt);
struct drm_gem_object *sov_bo_import(struct drm_device *drm, struct dma_buf *file);
void sov_imports_unmap(struct sov_device *sov);
int sov_bo_pin(struct drm_gem_object *obj);
struct sg_table *sov_bo_get_sg_table(struct drm_gem_object *obj);

#endif
