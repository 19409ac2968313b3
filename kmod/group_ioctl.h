/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Ioctls that create and destroy queue groups. */
#ifndef SOV_GROUP_IOCTL_H
#define SOV_GROUP_IOCTL_H

struct drm_device;
struct drm_file;
struct sov_file;

void sov_groups_fini(struct sov_file *file);

int sov_group_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_group_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
