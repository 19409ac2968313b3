// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Buffer objects. &struct sov_bo_type describes how each memory type is allocated, freed and
 * mapped. A BO has its memory from the moment it gets a handle until its last reference is dropped,
 * and the memory is zeroed unless it belongs to the caller (userptr).
 *
 * PRIME export: another file of the same device gets the same GEM object. Another device can import
 * system memory only. It could reach VRAM only through this device's PCI window, and the kernel
 * must not pass on userptr memory.
 */
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/vram.h"

static int sov_bo_private_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

static int sov_bo_vram_populate(struct sov_bo *bo, u64 user_address)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);
	int ret, idx;

	ret = sov_dev_enter(sov, &idx);
	if (ret)
		return ret;
	ret = sov_vram_alloc(sov, bo->base.size, SOV_VRAM_PAGE_SIZE, false, &bo->blocks);
	drm_dev_exit(idx);
	return ret;
}

static void sov_bo_vram_release(struct sov_bo *bo)
{
	if (!list_empty(&bo->blocks))
		sov_vram_free(to_sov_device(bo->base.dev), &bo->blocks);
}

static unsigned long sov_bo_vram_pfn(struct sov_bo *bo, u64 offset)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);

	return PHYS_PFN(sov->vram.window + sov_vram_address(&bo->blocks, offset));
}

static int sov_bo_system_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	int ret = drm_gem_object_init(drm, &bo->base, size);

	/* shmem returns ENOSPC if it cannot allocate an inode. */
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	/* Return ENOMEM instead of invoking the OOM killer. */
	mapping_set_gfp_mask(bo->base.filp->f_mapping,
			     GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	return 0;
}

static int sov_bo_system_populate(struct sov_bo *bo, u64 user_address)
{
	struct page **pages = drm_gem_get_pages(&bo->base);

	if (IS_ERR(pages))
		return PTR_ERR(pages);
	bo->pages = pages;
	return 0;
}

static void sov_bo_system_release(struct sov_bo *bo)
{
	if (bo->pages)
		drm_gem_put_pages(&bo->base, bo->pages, true, true);
}

static unsigned long sov_bo_page_pfn(struct sov_bo *bo, u64 offset)
{
	return page_to_pfn(bo->pages[offset >> PAGE_SHIFT]);
}

static int sov_bo_userptr_populate(struct sov_bo *bo, u64 user_address)
{
	u64 count = bo->base.size >> PAGE_SHIFT;
	struct mm_struct *mm = current->mm;
	struct page **pages;
	u64 done = 0;
	int ret;

	if (!user_address || !PAGE_ALIGNED(user_address))
		return -EINVAL;
	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL_ACCOUNT);
	if (!pages)
		return -ENOMEM;
	ret = account_locked_vm(mm, count, true);
	if (ret)
		goto err_free_pages;
	/* A short count hides the error; the next call for the rest returns it. */
	while (done < count) {
		ret = pin_user_pages_fast(user_address + (done << PAGE_SHIFT), count - done,
					  FOLL_WRITE | FOLL_LONGTERM, pages + done);
		if (ret <= 0) {
			ret = ret ? ret : -EFAULT;
			goto err_unpin;
		}
		done += ret;
	}
	mmgrab(mm);
	bo->mm = mm;
	bo->pages = pages;
	return 0;

err_unpin:
	unpin_user_pages(pages, done);
	account_locked_vm(mm, count, false);
err_free_pages:
	kvfree(pages);
	return ret;
}

static void sov_bo_userptr_release(struct sov_bo *bo)
{
	u64 count = bo->base.size >> PAGE_SHIFT;

	if (!bo->pages)
		return;
	unpin_user_pages_dirty_lock(bo->pages, count, true);
	account_locked_vm(bo->mm, count, false);
	mmdrop(bo->mm);
	kvfree(bo->pages);
}

/* Indexed by the bit number of enum drm_sovgpu_region. */
static const struct sov_bo_type sov_bo_types[] = {
	{
		.align = SOV_VRAM_PAGE_SIZE,
		.limit = SOV_LIMIT_VRAM,
		.init = sov_bo_private_init,
		.populate = sov_bo_vram_populate,
		.release = sov_bo_vram_release,
		.pfn = sov_bo_vram_pfn,
	},
	{
		.align = PAGE_SIZE,
		.limit = SOV_LIMIT_SYSTEM,
		.init = sov_bo_system_init,
		.populate = sov_bo_system_populate,
		.release = sov_bo_system_release,
		.pfn = sov_bo_page_pfn,
	},
	{
		.align = PAGE_SIZE,
		.limit = SOV_LIMIT_NONE,
		.init = sov_bo_private_init,
		.populate = sov_bo_userptr_populate,
		.release = sov_bo_userptr_release,
		.pfn = sov_bo_page_pfn,
	},
};

static const struct sov_bo_type *sov_bo_type_of(u32 region)
{
	return &sov_bo_types[__ffs(region)];
}

/**
 * sov_bo_region_align() - get the allocation granularity of a region
 * @region: One value of &enum drm_sovgpu_region.
 *
 * Return: Alignment of sizes and offsets in bytes.
 */
u64 sov_bo_region_align(u32 region)
{
	return sov_bo_type_of(region)->align;
}

static int sov_bo_dma_map(struct sov_bo *bo, unsigned int count)
{
	int ret;

	ret = sg_alloc_table_from_pages(&bo->sgt, bo->pages, count, 0, bo->base.size,
					GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	ret = dma_map_sgtable(bo->base.dev->dev, &bo->sgt, DMA_BIDIRECTIONAL, 0);
	if (ret)
		sg_free_table(&bo->sgt);
	return ret;
}

/**
 * sov_bo_dma_get() - make a BO accessible to the device
 * @bo: The BO.
 *
 * The first call maps system memory for DMA, and the last sov_bo_dma_put() unmaps it; only the
 * first call can fail. The caller has entered the device.
 *
 * Return: 0 or a negative errno.
 */
int sov_bo_dma_get(struct sov_bo *bo)
{
	u64 count = bo->base.size >> PAGE_SHIFT;
	int ret = 0;

	if (!bo->pages)
		return 0;
	if (count > UINT_MAX)
		return -EINVAL;
	mutex_lock(&bo->lock);
	if (!bo->dma_users)
		ret = sov_bo_dma_map(bo, count);
	if (!ret)
		bo->dma_users++;
	mutex_unlock(&bo->lock);
	return ret;
}

/**
 * sov_bo_dma_put() - undo one sov_bo_dma_get()
 * @bo: The BO.
 */
void sov_bo_dma_put(struct sov_bo *bo)
{
	if (!bo->pages)
		return;
	mutex_lock(&bo->lock);
	if (!--bo->dma_users) {
		dma_unmap_sgtable(bo->base.dev->dev, &bo->sgt, DMA_BIDIRECTIONAL, 0);
		sg_free_table(&bo->sgt);
	}
	mutex_unlock(&bo->lock);
}

/* Calls @fn for the part of a segment inside the range, and removes that part from the range. */
static int sov_bo_clip_segment(u64 address, u64 bytes, u64 *offset, u64 *size, bool system,
			       sov_bo_segment_fn fn, void *data)
{
	u64 skip = min(*offset, bytes), part = min(bytes - skip, *size);

	*offset -= skip;
	*size -= part;
	return part ? fn(data, address + skip, part, system) : 0;
}

/**
 * sov_bo_walk_segments() - iterate over the contiguous segments of a range of a BO
 * @bo: The BO, after sov_bo_dma_get().
 * @offset: Offset of the range.
 * @size: Size of the range.
 * @fn: Called with the bus or VRAM address of each segment, in order, until it returns non-zero.
 * @data: First argument of @fn.
 *
 * Return: The last return value of @fn.
 */
int sov_bo_walk_segments(struct sov_bo *bo, u64 offset, u64 size, sov_bo_segment_fn fn, void *data)
{
	struct sg_table *sgt = bo->imported ? bo->imported : &bo->sgt;
	struct sov_vram_block *b;
	struct scatterlist *sg;
	int i, ret = 0;

	if (bo->pages || bo->imported) {
		for_each_sgtable_dma_sg(sgt, sg, i) {
			ret = sov_bo_clip_segment(sg_dma_address(sg), sg_dma_len(sg), &offset,
						  &size, true, fn, data);
			if (ret || !size)
				return ret;
		}
	}
	list_for_each_entry(b, &bo->blocks, link) {
		ret = sov_bo_clip_segment(b->node.start, b->node.size, &offset, &size, false, fn,
					  data);
		if (ret || !size)
			return ret;
	}
	return ret;
}

/**
 * sov_bo_word_map() - map eight bytes of a BO for the CPU
 * @bo: The BO. The caller holds a reference until sov_bo_word_unmap().
 * @offset: Offset of the word, a multiple of 8.
 * @word: The mapping.
 *
 * Return: 0, -EINVAL if processes cannot map the BO, -ENOMEM.
 */
int sov_bo_word_map(struct sov_bo *bo, u64 offset, struct sov_bo_word *word)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);
	u64 in_page = offset_in_page(offset);

	*word = (struct sov_bo_word){};
	if (offset > bo->base.size - sizeof(u64))
		return -EINVAL;
	if (bo->pages && (bo->mm || bo->flags & DRM_SOVGPU_BO_MAPPABLE)) {
		word->memory = page_address(bo->pages[offset >> PAGE_SHIFT]) + in_page;
		return 0;
	}
	if (bo->region != DRM_SOVGPU_REGION_VRAM || !(bo->flags & DRM_SOVGPU_BO_MAPPABLE))
		return -EINVAL;
	word->window =
		ioremap_wc(sov->vram.window + sov_vram_address(&bo->blocks, offset), sizeof(u64));
	return word->window ? 0 : -ENOMEM;
}

/**
 * sov_bo_word_read() - read a mapped word
 * @word: The mapping. The caller has entered the device.
 *
 * Return: The value in memory.
 */
u64 sov_bo_word_read(const struct sov_bo_word *word)
{
	return word->memory ? READ_ONCE(*word->memory) : readq(word->window);
}

/**
 * sov_bo_word_unmap() - undo sov_bo_word_map()
 * @word: The mapping.
 */
void sov_bo_word_unmap(struct sov_bo_word *word)
{
	if (word->window)
		iounmap((void __iomem *)word->window);
}

static vm_fault_t sov_bo_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	u64 page = vmf->pgoff - drm_vma_node_start(&obj->vma_node);
	struct sov_bo *bo = to_sov_bo(obj);
	vm_fault_t ret;
	int idx;

	if (page >= obj->size >> PAGE_SHIFT || !drm_dev_enter(obj->dev, &idx))
		return VM_FAULT_SIGBUS;
	ret = vmf_insert_pfn(vmf->vma, vmf->address, bo->type->pfn(bo, page << PAGE_SHIFT));
	drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct sov_bo_vm_ops = {
	.fault = sov_bo_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/*
 * System memory is mapped cached, even with DRM_SOVGPU_BO_UNCACHED. The kernel has zeroed it
 * through the cache, so an uncached mapping could expose the previous contents of the page.
 */
static int sov_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct sov_bo *bo = to_sov_bo(obj);

	if (!(bo->flags & DRM_SOVGPU_BO_MAPPABLE))
		return -EACCES;
	if (!(vma->vm_flags & VM_SHARED)) /* copy-on-write is not supported */
		return -EINVAL;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	if (bo->type->registers)
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	else if (bo->region == DRM_SOVGPU_REGION_VRAM)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	return 0;
}

static void sov_bo_free(struct drm_gem_object *obj)
{
	struct sov_bo *bo = to_sov_bo(obj);

	bo->type->release(bo);
	if (bo->account) {
		sov_account_uncharge(bo->account, bo->type->limit, obj->size);
		sov_account_put(bo->account);
	}
	drm_gem_object_release(obj);
	if (bo->exclusive_vm)
		drm_gpuvm_put(bo->exclusive_vm);
	mutex_destroy(&bo->lock);
	kfree(bo);
}

/* Userptr BOs and BOs with an exclusive VM belong to the file that created them. */
static bool sov_bo_is_private(struct sov_bo *bo)
{
	return bo->exclusive_vm || bo->region == DRM_SOVGPU_REGION_USER;
}

/* Called for every new handle, including those by GEM_FLINK name, which has no other hook. */
static int sov_bo_open(struct drm_gem_object *obj, struct drm_file *file)
{
	if (sov_bo_is_private(to_sov_bo(obj)) && READ_ONCE(obj->handle_count) > 1)
		return -EPERM;
	return sov_account_charge(to_sov_file(file)->account, SOV_LIMIT_BUFFERS, 1);
}

static void sov_bo_close(struct drm_gem_object *obj, struct drm_file *file)
{
	sov_account_uncharge(to_sov_file(file)->account, SOV_LIMIT_BUFFERS, 1);
}

static struct dma_buf *sov_bo_export(struct drm_gem_object *obj, int flags)
{
	if (sov_bo_is_private(to_sov_bo(obj)))
		return ERR_PTR(-EPERM);
	/* DRM re-exports an imported BO itself while the BO is attached. */
	if (to_sov_bo(obj)->import_buf)
		return ERR_PTR(-ENODEV);
	return drm_gem_prime_export(obj, flags);
}

/* System memory is always pinned. Other devices cannot use VRAM. */
static int sov_bo_pin(struct drm_gem_object *obj)
{
	return to_sov_bo(obj)->pages ? 0 : -EOPNOTSUPP;
}

static struct sg_table *sov_bo_get_sg_table(struct drm_gem_object *obj)
{
	struct sov_bo *bo = to_sov_bo(obj);

	if (!bo->pages || obj->size >> PAGE_SHIFT > UINT_MAX)
		return ERR_PTR(-EOPNOTSUPP);
	return drm_prime_pages_to_sg(obj->dev, bo->pages, obj->size >> PAGE_SHIFT);
}

static const struct drm_gem_object_funcs sov_bo_funcs = {
	.open = sov_bo_open,
	.close = sov_bo_close,
	.free = sov_bo_free,
	.export = sov_bo_export,
	.pin = sov_bo_pin,
	.get_sg_table = sov_bo_get_sg_table,
	.mmap = sov_bo_mmap,
	.vm_ops = &sov_bo_vm_ops,
};

/**
 * sov_bo_alloc() - allocate a BO without memory
 * @drm: The device.
 * @type: The memory type.
 * @size: Size in bytes.
 *
 * Return: The BO or an ERR_PTR.
 */
struct sov_bo *sov_bo_alloc(struct drm_device *drm, const struct sov_bo_type *type, u64 size)
{
	struct sov_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->type = type;
	bo->base.funcs = &sov_bo_funcs;
	INIT_LIST_HEAD(&bo->blocks);
	mutex_init(&bo->lock);
	ret = type->init(drm, bo, size);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	return bo;
}

/* The array of page pointers must be allocatable, too. */
static bool sov_bo_fits_system_memory(u64 size)
{
	return size >> PAGE_SHIFT <= min_t(u64, totalram_pages(), INT_MAX / sizeof(struct page *));
}

/**
 * sov_bo_create() - create a BO with memory
 * @drm: The device.
 * @c: Valid arguments of BO_CREATE.
 * @account: The account to charge.
 *
 * Return: The BO, which has no handle yet, or an ERR_PTR.
 */
struct sov_bo *sov_bo_create(struct drm_device *drm, const struct drm_sovgpu_bo_create *c,
			     struct sov_account *account)
{
	struct sov_bo *bo;
	int ret;

	if (c->region != DRM_SOVGPU_REGION_VRAM && !sov_bo_fits_system_memory(c->size))
		return ERR_PTR(-ENOMEM);
	bo = sov_bo_alloc(drm, sov_bo_type_of(c->region), c->size);
	if (IS_ERR(bo))
		return bo;
	bo->region = c->region;
	bo->flags = c->flags;
	ret = sov_account_charge(account, bo->type->limit, c->size);
	if (ret)
		goto err_put_bo;
	bo->account = sov_account_get(account);
	ret = bo->type->populate(bo, c->user_address);
	if (ret)
		goto err_put_bo;
	if (c->flags & DRM_SOVGPU_BO_MAPPABLE) {
		ret = drm_gem_create_mmap_offset(&bo->base);
		if (ret)
			goto err_put_bo;
	}
	return bo;

err_put_bo:
	drm_gem_object_put(&bo->base);
	return ERR_PTR(ret);
}
