// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Buffers. Each kind of memory is a row of functions: how to get it, how to give it back, and the
 * page behind an offset. Whatever the kind, a buffer's memory is there from the moment it has a
 * handle until nobody refers to it, and it is zero at first (or the caller's own).
 */
#include <drm/drm_drv.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/file.h"

/* Larger than any card, small enough for sums. */
#define SOV_BO_MAX_SIZE BIT_ULL(46)

static int private_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

static int vram_fill(struct sov_bo *bo, u64 user_address)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);
	int ret, idx;

	ret = sov_enter(sov, &idx);
	if (ret)
		return ret;
	ret = sov_vram_alloc(sov, bo->base.size, SOV_VRAM_PAGE_SIZE, false, &bo->pieces);
	drm_dev_exit(idx);
	return ret;
}

static void vram_empty(struct sov_bo *bo)
{
	if (!list_empty(&bo->pieces))
		sov_vram_free(to_sov_device(bo->base.dev), &bo->pieces);
}

static unsigned long vram_pfn(struct sov_bo *bo, u64 offset)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);

	return PHYS_PFN(sov->vram.window + sov_vram_address(&bo->pieces, offset));
}

static int system_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	int ret = drm_gem_object_init(drm, &bo->base, size);

	/* ENOSPC is shmem's word for an inode that it did not get. */
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	/* Memory that is not there is ENOMEM, and no reason to kill another process. */
	mapping_set_gfp_mask(bo->base.filp->f_mapping,
			     GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	return 0;
}

static int system_fill(struct sov_bo *bo, u64 user_address)
{
	struct page **pages = drm_gem_get_pages(&bo->base);

	if (IS_ERR(pages))
		return PTR_ERR(pages);
	bo->pages = pages;
	return 0;
}

static void system_empty(struct sov_bo *bo)
{
	if (bo->pages)
		drm_gem_put_pages(&bo->base, bo->pages, true, true);
}

static unsigned long page_pfn(struct sov_bo *bo, u64 offset)
{
	return page_to_pfn(bo->pages[offset >> PAGE_SHIFT]);
}

static int user_fill(struct sov_bo *bo, u64 user_address)
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
		goto free_pages;
	/* It may stop early; why it does is said when it is asked for the rest. */
	while (done < count) {
		ret = pin_user_pages_fast(user_address + (done << PAGE_SHIFT), count - done,
					  FOLL_WRITE | FOLL_LONGTERM, pages + done);
		if (ret <= 0) {
			unpin_user_pages(pages, done);
			ret = ret ? ret : -EFAULT;
			goto unaccount;
		}
		done += ret;
	}
	mmgrab(mm);
	bo->mm = mm;
	bo->pages = pages;
	return 0;

unaccount:
	account_locked_vm(mm, count, false);
free_pages:
	kvfree(pages);
	return ret;
}

static void user_empty(struct sov_bo *bo)
{
	u64 count = bo->base.size >> PAGE_SHIFT;

	if (!bo->pages)
		return;
	unpin_user_pages_dirty_lock(bo->pages, count, true);
	account_locked_vm(bo->mm, count, false);
	mmdrop(bo->mm);
	kvfree(bo->pages);
}

/* By the bit of its region. */
static const struct sov_bo_kind kinds[] = {
	{ SOV_VRAM_PAGE_SIZE, SOV_LIMIT_VRAM, false, private_init, vram_fill, vram_empty, vram_pfn },
	{ PAGE_SIZE, SOV_LIMIT_SYSTEM, false, system_init, system_fill, system_empty, page_pfn },
	{ PAGE_SIZE, SOV_LIMITS, false, private_init, user_fill, user_empty, page_pfn },
};

static const struct sov_bo_kind *kind_of(u32 region)
{
	return &kinds[__ffs(region)];
}

/**
 * sov_bo_dma_get() - make the device reach a buffer
 * @bo: the buffer
 *
 * Memory of the machine is mapped for DMA the first time and unmapped with the last
 * sov_bo_dma_put(); only the first time can fail. The device must be there.
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
	if (!bo->dma_users) {
		ret = sg_alloc_table_from_pages(&bo->sgt, bo->pages, count, 0, bo->base.size,
						GFP_KERNEL_ACCOUNT);
		if (!ret) {
			ret = dma_map_sgtable(bo->base.dev->dev, &bo->sgt, DMA_BIDIRECTIONAL, 0);
			if (ret)
				sg_free_table(&bo->sgt);
		}
	}
	if (!ret)
		bo->dma_users++;
	mutex_unlock(&bo->lock);
	return ret;
}

/**
 * sov_bo_dma_put() - undo one sov_bo_dma_get()
 * @bo: the buffer
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

/* The part of a piece that lies in the range; the range loses it. */
static int visit(u64 address, u64 bytes, u64 *offset, u64 *size, bool system, sov_bo_visitor fn,
		 void *data)
{
	u64 skip = min(*offset, bytes), part = min(bytes - skip, *size);

	*offset -= skip;
	*size -= part;
	return part ? fn(data, address + skip, part, system) : 0;
}

/**
 * sov_bo_walk() - visit the pieces of a part of a buffer, as the device sees them
 * @bo: the buffer, after sov_bo_dma_get()
 * @offset: of the part
 * @size: of the part
 * @fn: called with each piece in order, until it does not return 0
 * @data: its first argument
 *
 * Return: what @fn returned last.
 */
int sov_bo_walk(struct sov_bo *bo, u64 offset, u64 size, sov_bo_visitor fn, void *data)
{
	struct sg_table *sgt = bo->imported ? bo->imported : &bo->sgt;
	struct scatterlist *sg;
	struct sov_piece *p;
	int i, ret = 0;

	if (bo->pages || bo->imported) {
		for_each_sgtable_dma_sg(sgt, sg, i) {
			ret = visit(sg_dma_address(sg), sg_dma_len(sg), &offset, &size, true, fn,
				    data);
			if (ret || !size)
				return ret;
		}
	}
	list_for_each_entry(p, &bo->pieces, link) {
		ret = visit(p->node.start, p->node.size, &offset, &size, false, fn, data);
		if (ret || !size)
			return ret;
	}
	return ret;
}

/**
 * sov_bo_word() - let the processor see eight bytes of a buffer
 * @bo: the buffer; the caller keeps it as long as the word
 * @offset: of the word, a multiple of 8
 * @word: to be filled
 *
 * Return: 0; EINVAL for a buffer that no process sees; ENOMEM.
 */
int sov_bo_word(struct sov_bo *bo, u64 offset, struct sov_word *word)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);
	u64 in_page = offset_in_page(offset);

	*word = (struct sov_word){};
	if (offset > bo->base.size - sizeof(u64))
		return -EINVAL;
	if (bo->pages && (bo->mm || bo->flags & DRM_SOVGPU_BO_MAPPABLE)) {
		word->memory = page_address(bo->pages[offset >> PAGE_SHIFT]) + in_page;
		return 0;
	}
	if (bo->region != DRM_SOVGPU_REGION_VRAM || !(bo->flags & DRM_SOVGPU_BO_MAPPABLE))
		return -EINVAL;
	word->window =
		ioremap_wc(sov->vram.window + sov_vram_address(&bo->pieces, offset), sizeof(u64));
	return word->window ? 0 : -ENOMEM;
}

/**
 * sov_word_read() - what is there now
 * @word: the word; the device must be there
 *
 * Return: its value.
 */
u64 sov_word_read(const struct sov_word *word)
{
	return word->memory ? READ_ONCE(*word->memory) : readq(word->window);
}

/**
 * sov_word_put() - let it go
 * @word: the word
 */
void sov_word_put(struct sov_word *word)
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
	ret = vmf_insert_pfn(vmf->vma, vmf->address, bo->kind->pfn(bo, page << PAGE_SHIFT));
	drm_dev_exit(idx);
	return ret;
}

static const struct vm_operations_struct sov_bo_vm_ops = {
	.fault = sov_bo_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/*
 * Memory of the machine is mapped as the kernel maps it, also when DRM_SOVGPU_BO_UNCACHED asks for
 * less: zeros that are still in a cache would not be seen past it, but what the page held before.
 */
static int sov_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct sov_bo *bo = to_sov_bo(obj);

	if (!(bo->flags & DRM_SOVGPU_BO_MAPPABLE))
		return -EACCES;
	if (!(vma->vm_flags & VM_SHARED)) /* a private copy of it would have no meaning */
		return -EINVAL;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	if (bo->kind->registers)
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	else if (bo->region == DRM_SOVGPU_REGION_VRAM)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	return 0;
}

static void sov_bo_free(struct drm_gem_object *obj)
{
	struct sov_bo *bo = to_sov_bo(obj);

	bo->kind->empty(bo);
	if (bo->account) {
		sov_account_uncharge(bo->account, bo->kind->limit, obj->size);
		sov_account_put(bo->account);
	}
	drm_gem_object_release(obj);
	if (bo->exclusive)
		drm_gpuvm_put(&bo->exclusive->base);
	mutex_destroy(&bo->lock);
	kfree(bo);
}

/* A file gets a handle, by whatever way, also by a name: for GEM_FLINK nobody is asked. */
static int sov_bo_open(struct drm_gem_object *obj, struct drm_file *file)
{
	if (sov_bo_kept(to_sov_bo(obj)) && READ_ONCE(obj->handle_count) > 1)
		return -EPERM;
	return sov_account_charge(to_sov_file(file)->account, SOV_LIMIT_BUFFERS, 1);
}

static void sov_bo_close(struct drm_gem_object *obj, struct drm_file *file)
{
	sov_account_uncharge(to_sov_file(file)->account, SOV_LIMIT_BUFFERS, 1);
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
 * sov_bo_make() - a buffer without memory
 * @drm: the device
 * @kind: how its memory will be handled
 * @size: bytes
 *
 * Return: the buffer, to be filled or put; or a negative errno.
 */
struct sov_bo *sov_bo_make(struct drm_device *drm, const struct sov_bo_kind *kind, u64 size)
{
	struct sov_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->kind = kind;
	bo->base.funcs = &sov_bo_funcs;
	INIT_LIST_HEAD(&bo->pieces);
	mutex_init(&bo->lock);
	ret = kind->init(drm, bo, size);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	return bo;
}

/* A list of the pages must fit into memory, too. */
static bool machine_has(u64 size)
{
	return size >> PAGE_SHIFT <= min_t(u64, totalram_pages(), INT_MAX / sizeof(struct page *));
}

/**
 * sov_bo_create() - a buffer with memory
 * @drm: the device
 * @c: what BO_CREATE was asked for, valid
 * @account: whose memory it is
 *
 * Return: the buffer, which has no handle yet; or a negative errno.
 */
struct sov_bo *sov_bo_create(struct drm_device *drm, const struct drm_sovgpu_bo_create *c,
			     struct sov_account *account)
{
	struct sov_bo *bo;
	int ret;

	if (c->region != DRM_SOVGPU_REGION_VRAM && !machine_has(c->size))
		return ERR_PTR(-ENOMEM);
	bo = sov_bo_make(drm, kind_of(c->region), c->size);
	if (IS_ERR(bo))
		return bo;
	bo->region = c->region;
	bo->flags = c->flags;
	ret = sov_account_charge(account, bo->kind->limit, c->size);
	if (!ret) {
		bo->account = sov_account_get(account);
		ret = bo->kind->fill(bo, c->user_address);
	}
	if (!ret && c->flags & DRM_SOVGPU_BO_MAPPABLE)
		ret = drm_gem_create_mmap_offset(&bo->base);
	if (ret) {
		drm_gem_object_put(&bo->base);
		return ERR_PTR(ret);
	}
	return bo;
}

/* One region, known flags, a size that the region can have. */
static bool valid(const struct drm_sovgpu_bo_create *c)
{
	const u32 regions =
		DRM_SOVGPU_REGION_VRAM | DRM_SOVGPU_REGION_SYSTEM | DRM_SOVGPU_REGION_USER;
	const u32 flags = DRM_SOVGPU_BO_MAPPABLE | DRM_SOVGPU_BO_UNCACHED;

	if (hweight32(c->region) != 1 || c->region & ~regions || c->flags & ~flags)
		return false;
	if (!c->size || c->size > SOV_BO_MAX_SIZE || c->size % kind_of(c->region)->align)
		return false;
	/* The caller has the memory already; a second mapping of it is not offered. */
	if (c->region == DRM_SOVGPU_REGION_USER)
		return !c->flags;
	return !c->user_address;
}

/**
 * sov_bo_create_ioctl() - allocate memory, or take the caller's own
 * @drm: the device
 * @data: &struct drm_sovgpu_bo_create
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOSPC when VRAM is full, or the file has its part of it, or too many handles;
 * ENOMEM also when the file has its part of system memory, or more is pinned than RLIMIT_MEMLOCK;
 * EFAULT for user memory that is not there; ENOENT for an unknown address space; ENODEV; EIO.
 */
int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_create *c = data;
	struct sov_vm *vm = NULL;
	struct sov_bo *bo;
	int ret, idx;

	if (!valid(c) || c->handle)
		return -EINVAL;
	if (c->exclusive_vm) {
		vm = sov_vm_find(to_sov_file(file), c->exclusive_vm);
		if (!vm)
			return -ENOENT;
	}
	ret = sov_enter(to_sov_device(drm), &idx);
	bo = ERR_PTR(ret);
	if (!ret) {
		drm_dev_exit(idx); /* a process's pages come when it likes; removal cannot wait */
		bo = sov_bo_create(drm, c, to_sov_file(file)->account);
	}
	if (vm) {
		if (!IS_ERR(bo)) {
			drm_gpuvm_get(&vm->base); /* the structure, not what it maps */
			bo->exclusive = vm;
		}
		sov_vm_put(vm);
	}
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	/* From here on another thread may guess the handle and close it. */
	ret = drm_gem_handle_create(file, &bo->base, &c->handle);
	drm_gem_object_put(&bo->base);
	return ret;
}

/**
 * sov_bo_mmap_offset_ioctl() - the offset at which to mmap a buffer
 * @drm: the device
 * @data: &struct drm_sovgpu_bo_mmap_offset
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT; EACCES for a buffer that was not made to be mapped.
 */
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_mmap_offset *m = data;
	struct drm_gem_object *obj;
	int ret = 0;

	if (m->pad || m->offset)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, m->handle);
	if (!obj)
		return -ENOENT;
	if (to_sov_bo(obj)->flags & DRM_SOVGPU_BO_MAPPABLE)
		m->offset = drm_vma_node_offset_addr(&obj->vma_node);
	else
		ret = -EACCES;
	drm_gem_object_put(obj);
	return ret;
}

/**
 * sov_bo_info_ioctl() - what a buffer is
 * @drm: the device
 * @data: &struct drm_sovgpu_bo_info
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
 */
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_info *i = data;
	struct drm_gem_object *obj;

	if (i->region || i->size || i->flags || i->pad)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, i->handle);
	if (!obj)
		return -ENOENT;
	i->region = to_sov_bo(obj)->region;
	i->size = obj->size;
	i->flags = to_sov_bo(obj)->flags;
	drm_gem_object_put(obj);
	return 0;
}
