/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Ioctls that create, destroy and query queues. */
#ifndef SOV_QUEUE_IOCTL_H
#define SOV_QUEUE_IOCTL_H

struct drm_device;
struct drm_file;
struct sov_file;

void sov_queues_fini(struct sov_file *file);

int sov_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
