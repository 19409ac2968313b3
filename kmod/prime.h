/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* PRIME import of other devices' buffers. */
#ifndef SOV_PRIME_H
#define SOV_PRIME_H

struct dma_buf;
struct dma_buf_attachment;
struct drm_device;
struct drm_gem_object;
struct sg_table;
struct sov_device;

struct drm_gem_object *sov_prime_import_sg_table(struct drm_device *drm,
						 struct dma_buf_attachment *attachment,
						 struct sg_table *sgt);
struct drm_gem_object *sov_prime_import(struct drm_device *drm, struct dma_buf *buf);
void sov_prime_unmap_imports(struct sov_device *sov);

#endif
