/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Buffer objects: GEM objects backed by one of several memory types. */
#ifndef SOV_BO_H
#define SOV_BO_H

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <linux/dma-buf.h>
#include <linux/mutex.h>
#include <linux/scatterlist.h>

#include "kmod/limits.h"

struct drm_sovgpu_bo_create;
struct sov_bo_type;

/**
 * struct sov_bo - a buffer object
 */
struct sov_bo {
	/** @base: The GEM object. */
	struct drm_gem_object base;

	/** @type: Operations of the memory type. */
	const struct sov_bo_type *type;

	/** @region: One value of &enum drm_sovgpu_region. */
	u32 region;

	/** @flags: Flags of &enum drm_sovgpu_bo_flags. */
	u32 flags;

	/** @blocks: VRAM: list of &struct sov_vram_block. */
	struct list_head blocks;

	/** @pages: System memory and userptr: the pages, pinned for the lifetime of the BO. */
	struct page **pages;

	/** @mm: Userptr: the address space whose RLIMIT_MEMLOCK the pages count against. */
	struct mm_struct *mm;

	/** @lock: Protects @sgt and @dma_users. */
	struct mutex lock;

	/** @sgt: System memory and userptr: the DMA mapping while @dma_users is not 0. */
	struct sg_table sgt;

	/** @dma_users: Number of users of @sgt. */
	u32 dma_users;

	/** @imported: Imported BO: the DMA mapping, or NULL after the unplug. */
	struct sg_table *imported;

	/**
	 * @import_buf: Imported BO: the dma-buf with a reference; NULL for the driver's own BOs.
	 */
	struct dma_buf *import_buf;

	/**
	 * @import_link: Imported BO: entry in &sov_device.imports, whose lock also protects
	 * @imported.
	 */
	struct list_head import_link;

	/** @account: The account that is charged, with a reference; or NULL. */
	struct sov_account *account;

	/**
	 * @exclusive_vm: The only VM that may map the BO, with a reference; NULL allows all VMs.
	 */
	struct drm_gpuvm *exclusive_vm;
};

/**
 * struct sov_bo_type - operations of a memory type
 */
struct sov_bo_type {
	/** @align: Alignment of offsets and sizes. */
	u64 align;

	/** @limit: The limit that the size counts against. */
	enum sov_limit limit;

	/** @registers: Device registers, which must be mapped uncached. */
	bool registers;

	/** @init: Initialise the GEM object. The BO has no memory yet. */
	int (*init)(struct drm_device *drm, struct sov_bo *bo, u64 size);

	/** @populate: Allocate or pin the memory. */
	int (*populate)(struct sov_bo *bo, u64 user_address);

	/** @release: Free the memory. Also called if @populate has failed. */
	void (*release)(struct sov_bo *bo);

	/** @pfn: The page frame at an offset; NULL if the CPU cannot map the BO. */
	unsigned long (*pfn)(struct sov_bo *bo, u64 offset);
};

/**
 * struct sov_bo_word - a CPU mapping of eight bytes of a BO
 */
struct sov_bo_word {
	/** @memory: The address if the BO is in system memory, otherwise NULL. */
	const u64 *memory;

	/** @window: The address in the VRAM window if the BO is in VRAM. */
	const void __iomem *window;
};

static inline struct sov_bo *to_sov_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct sov_bo, base);
}

typedef int (*sov_bo_segment_fn)(void *data, u64 address, u64 bytes, bool system);

struct sov_bo *sov_bo_alloc(struct drm_device *drm, const struct sov_bo_type *type, u64 size);
struct sov_bo *sov_bo_create(struct drm_device *drm, const struct drm_sovgpu_bo_create *c,
			     struct sov_account *account);
u64 sov_bo_region_align(u32 region);
int sov_bo_dma_get(struct sov_bo *bo);
void sov_bo_dma_put(struct sov_bo *bo);
int sov_bo_walk_segments(struct sov_bo *bo, u64 offset, u64 size, sov_bo_segment_fn fn, void *data);
int sov_bo_word_map(struct sov_bo *bo, u64 offset, struct sov_bo_word *word);
u64 sov_bo_word_read(const struct sov_bo_word *word);
void sov_bo_word_unmap(struct sov_bo_word *word);

#endif
