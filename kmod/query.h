/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The DEV_QUERY ioctl. */
#ifndef SOV_QUERY_H
#define SOV_QUERY_H

struct drm_device;
struct drm_file;

int sov_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
