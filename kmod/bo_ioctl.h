/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Ioctls that create and describe BOs. */
#ifndef SOV_BO_IOCTL_H
#define SOV_BO_IOCTL_H

struct drm_device;
struct drm_file;

int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
