/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Open files; device.h defines struct sov_file. */
#ifndef SOV_FILE_H
#define SOV_FILE_H

struct drm_device;
struct drm_file;
struct drm_printer;

int sov_file_open(struct drm_device *drm, struct drm_file *file);
void sov_file_close(struct drm_device *drm, struct drm_file *file);
void sov_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);
void sov_file_debugfs_init(struct drm_device *drm);

#endif
