/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The QUEUE_SUBMIT ioctl. */
#ifndef SOV_SUBMIT_H
#define SOV_SUBMIT_H

struct drm_device;
struct drm_file;

int sov_queue_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
