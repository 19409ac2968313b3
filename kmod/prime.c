// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Buffers that are passed on. A file of the same device gets the same buffer back, whatever it is.
 * Another device gets system memory alone: video memory it could only reach through a window that
 * is ours, and a process's own memory is not the kernel's to give away. What comes from another
 * device is a buffer whose pages are the other's.
 */
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "kmod/bo.h"
#include "kmod/device.h"

/**
 * sov_bo_kept() - is a buffer for the file alone that has made it?
 * @bo: the buffer
 *
 * Return: whether it is: memory of a process, or of one address space.
 */
bool sov_bo_kept(struct sov_bo *bo)
{
	return bo->exclusive || bo->region == DRM_SOVGPU_REGION_USER;
}

/**
 * sov_bo_export() - make a dma-buf of a buffer
 * @obj: the buffer
 * @flags: of the new file
 *
 * Return: the dma-buf; EPERM for memory of a process or of one address space; ENODEV for that of
 * another device, which had to be given back.
 */
struct dma_buf *sov_bo_export(struct drm_gem_object *obj, int flags)
{
	if (sov_bo_kept(to_sov_bo(obj)))
		return ERR_PTR(-EPERM);
	/* Others' memory is passed on by its own file, while we have it. */
	if (to_sov_bo(obj)->import_file)
		return ERR_PTR(-ENODEV);
	return drm_gem_prime_export(obj, flags);
}

/**
 * sov_bo_pin() - another device wants to use a buffer
 * @obj: the buffer
 *
 * Return: 0, because nothing ever moves; EOPNOTSUPP for video memory.
 */
int sov_bo_pin(struct drm_gem_object *obj)
{
	return to_sov_bo(obj)->pages ? 0 : -EOPNOTSUPP;
}

/**
 * sov_bo_get_sg_table() - the pages of a buffer, for another device
 * @obj: the buffer, pinned
 *
 * Return: the pages, or a negative errno.
 */
struct sg_table *sov_bo_get_sg_table(struct drm_gem_object *obj)
{
	struct sov_bo *bo = to_sov_bo(obj);

	if (!bo->pages || obj->size >> PAGE_SHIFT > UINT_MAX)
		return ERR_PTR(-EOPNOTSUPP);
	return drm_prime_pages_to_sg(obj->dev, bo->pages, obj->size >> PAGE_SHIFT);
}

static int import_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

/*
 * With the device's lock held; doing it twice does nothing. Some drivers (udmabuf is one) keep what
 * they have mapped until nobody is attached.
 */
static void detach(struct sov_bo *bo)
{
	struct dma_buf_attachment *attachment = bo->base.import_attach;

	if (!bo->imported)
		return;
	dma_buf_unmap_attachment_unlocked(attachment, bo->imported, DMA_BIDIRECTIONAL);
	bo->imported = NULL;
	bo->base.import_attach = NULL;
	dma_buf_detach(bo->import_file, attachment);
}

static void import_empty(struct sov_bo *bo)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);

	mutex_lock(&sov->imports_lock);
	list_del(&bo->import_link);
	detach(bo);
	mutex_unlock(&sov->imports_lock);
	dma_buf_put(bo->import_file);
}

/**
 * sov_imports_unmap() - other devices' memory is not mapped for ours any more, because that goes
 * @sov: the device, unplugged: nobody maps such a buffer, and no new ones come
 */
void sov_imports_unmap(struct sov_device *sov)
{
	struct sov_bo *bo;

	/* Who exports such a buffer looks for its attachment. */
	mutex_lock(&sov->drm.object_name_lock);
	mutex_lock(&sov->imports_lock);
	list_for_each_entry(bo, &sov->imports, import_link)
		detach(bo);
	mutex_unlock(&sov->imports_lock);
	mutex_unlock(&sov->drm.object_name_lock);
}

static const struct sov_bo_kind imported = {
	.align = PAGE_SIZE,
	.limit = SOV_LIMITS,
	.init = import_init,
	.empty = import_empty,
};

/* Another driver made the list: its pieces must be pages, and all of the buffer. */
static bool whole_pages(struct sg_table *sgt, u64 size)
{
	struct scatterlist *sg;
	u64 sum = 0;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (!PAGE_ALIGNED(sg_dma_address(sg)) || !PAGE_ALIGNED(sg_dma_len(sg)))
			return false;
		sum += sg_dma_len(sg);
	}
	return sum == size;
}

/**
 * sov_bo_import_pages() - make a buffer of another device's memory
 * @drm: our device
 * @attachment: to the dma-buf
 * @sgt: its pages, as our device sees them; ours from here on
 *
 * Return: the buffer, or a negative errno.
 */
struct drm_gem_object *sov_bo_import_pages(struct drm_device *drm,
					   struct dma_buf_attachment *attachment,
					   struct sg_table *sgt)
{
	struct sov_device *sov = to_sov_device(drm);
	u64 size = attachment->dmabuf->size;
	struct sov_bo *bo;

	if (!PAGE_ALIGNED(size) || !whole_pages(sgt, size))
		return ERR_PTR(-EINVAL);
	bo = sov_bo_make(drm, &imported, size);
	if (IS_ERR(bo))
		return ERR_CAST(bo);
	bo->region = DRM_SOVGPU_REGION_SYSTEM;
	bo->imported = sgt;
	bo->import_file = attachment->dmabuf;
	mutex_lock(&sov->imports_lock);
	list_add(&bo->import_link, &sov->imports);
	mutex_unlock(&sov->imports_lock);
	return &bo->base;
}

/**
 * sov_bo_import() - make a buffer of a dma-buf, or find ours that it is
 * @drm: our device
 * @file: the dma-buf
 *
 * Another device's pages are mapped for ours here, so ours must be there.
 *
 * Return: the buffer; ENODEV; EIO; or a negative errno.
 */
struct drm_gem_object *sov_bo_import(struct drm_device *drm, struct dma_buf *file)
{
	struct drm_gem_object *obj;
	int ret, idx;

	ret = sov_enter(to_sov_device(drm), &idx);
	if (ret)
		return ERR_PTR(ret);
	obj = drm_gem_prime_import(drm, file);
	drm_dev_exit(idx);
	return obj;
}
