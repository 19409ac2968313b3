// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PRIME import. A dma-buf of this device yields the BO itself; a dma-buf of another device becomes
 * a BO whose pages belong to the exporter. bo.c implements the export.
 */
#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/prime.h"

static int sov_prime_init(struct drm_device *drm, struct sov_bo *bo, u64 size)
{
	drm_gem_private_object_init(drm, &bo->base, size);
	return 0;
}

/*
 * Unmaps and detaches a BO; idempotent. The caller holds the imports lock. Some exporters, udmabuf
 * for one, keep the mapping until the last detach.
 */
static void sov_prime_detach(struct sov_bo *bo)
{
	struct dma_buf_attachment *attachment = bo->base.import_attach;

	if (!bo->imported)
		return;
	dma_buf_unmap_attachment_unlocked(attachment, bo->imported, DMA_BIDIRECTIONAL);
	bo->imported = NULL;
	bo->base.import_attach = NULL;
	dma_buf_detach(bo->import_buf, attachment);
}

static void sov_prime_release(struct sov_bo *bo)
{
	struct sov_device *sov = to_sov_device(bo->base.dev);

	mutex_lock(&sov->imports_lock);
	list_del(&bo->import_link);
	sov_prime_detach(bo);
	mutex_unlock(&sov->imports_lock);
	dma_buf_put(bo->import_buf);
}

/**
 * sov_prime_unmap_imports() - unmap all imported BOs because the device is removed
 * @sov: The device, unplugged: no VM maps an imported BO, and no new BO is imported.
 */
void sov_prime_unmap_imports(struct sov_device *sov)
{
	struct sov_bo *bo;

	/* A re-export of an imported BO reads its attachment under object_name_lock. */
	mutex_lock(&sov->drm.object_name_lock);
	mutex_lock(&sov->imports_lock);
	list_for_each_entry(bo, &sov->imports, import_link)
		sov_prime_detach(bo);
	mutex_unlock(&sov->imports_lock);
	mutex_unlock(&sov->drm.object_name_lock);
}

static const struct sov_bo_type sov_prime_type = {
	.align = PAGE_SIZE,
	.limit = SOV_LIMIT_NONE,
	.init = sov_prime_init,
	.release = sov_prime_release,
};

/* Another driver created the table: its segments must be whole pages and cover the buffer. */
static bool sov_prime_sg_table_is_valid(struct sg_table *sgt, u64 size)
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
 * sov_prime_import_sg_table() - create a BO for another device's memory
 * @drm: The importing device.
 * @attachment: Attachment to the dma-buf.
 * @sgt: The DMA mapping, which the BO owns on success.
 *
 * Return: The GEM object or an ERR_PTR.
 */
struct drm_gem_object *sov_prime_import_sg_table(struct drm_device *drm,
						 struct dma_buf_attachment *attachment,
						 struct sg_table *sgt)
{
	struct sov_device *sov = to_sov_device(drm);
	u64 size = attachment->dmabuf->size;
	struct sov_bo *bo;

	if (!PAGE_ALIGNED(size) || !sov_prime_sg_table_is_valid(sgt, size))
		return ERR_PTR(-EINVAL);
	bo = sov_bo_alloc(drm, &sov_prime_type, size);
	if (IS_ERR(bo))
		return ERR_CAST(bo);
	bo->region = DRM_SOVGPU_REGION_SYSTEM;
	bo->imported = sgt;
	bo->import_buf = attachment->dmabuf;
	mutex_lock(&sov->imports_lock);
	list_add(&bo->import_link, &sov->imports);
	mutex_unlock(&sov->imports_lock);
	return &bo->base;
}

/**
 * sov_prime_import() - import a dma-buf, or find this device's BO that it was exported from
 * @drm: The importing device.
 * @buf: The dma-buf.
 *
 * The import maps the exporter's pages for DMA, so it excludes unplugging the device.
 *
 * Return: The GEM object, or an ERR_PTR: -ENODEV, -EIO or the exporter's errno.
 */
struct drm_gem_object *sov_prime_import(struct drm_device *drm, struct dma_buf *buf)
{
	struct drm_gem_object *obj;
	int ret, idx;

	ret = sov_dev_enter(to_sov_device(drm), &idx);
	if (ret)
		return ERR_PTR(ret);
	obj = drm_gem_prime_import(drm, buf);
	drm_dev_exit(idx);
	return obj;
}
