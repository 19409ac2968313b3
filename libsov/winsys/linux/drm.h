/* SPDX-License-Identifier: MIT */
/*
 * What libsov uses of the Linux kernel's interface to graphics devices, for systems whose C library
 * comes without it (Debian 12). uapi/sovgpu_drm.h includes its neighbour "drm.h" by that name, and
 * inside libsov this is it.
 *
 * Numbers and members: Linux, include/uapi/drm/drm.h.
 */
#ifndef SOV_LINUX_DRM_H
#define SOV_LINUX_DRM_H

#include <assert.h>
#include <linux/types.h>
#include <stddef.h>
#include <sys/ioctl.h>

#define DRM_IOCTL_BASE         'd'
#define DRM_IOW(number, type)  _IOW(DRM_IOCTL_BASE, number, type)
#define DRM_IOWR(number, type) _IOWR(DRM_IOCTL_BASE, number, type)
#define DRM_COMMAND_BASE       0x40 /* where a driver's own numbers begin */

struct drm_version {
	int version_major, version_minor, version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
static_assert(sizeof(struct drm_version) == 16 + 6 * sizeof(size_t), "as Linux has it");

struct drm_gem_close {
	__u32 handle, pad;
};

struct drm_syncobj_create {
	__u32 handle, flags;
};

struct drm_syncobj_destroy {
	__u32 handle, pad;
};

struct drm_syncobj_timeline_wait {
	__u64 handles, points; /* arrays */
	__s64 timeout_nsec;    /* CLOCK_MONOTONIC */
	__u32 count_handles, flags;
	__u32 first_signaled, pad;
};
static_assert(sizeof(struct drm_syncobj_timeline_wait) == 40, "as Linux had it at first");

struct drm_syncobj_timeline_array {
	__u64 handles, points;
	__u32 count_handles, flags;
};

#define DRM_IOCTL_VERSION               DRM_IOWR(0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE             DRM_IOW(0x09, struct drm_gem_close)
#define DRM_IOCTL_SYNCOBJ_CREATE        DRM_IOWR(0xbf, struct drm_syncobj_create)
#define DRM_IOCTL_SYNCOBJ_DESTROY       DRM_IOWR(0xc0, struct drm_syncobj_destroy)
#define DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT DRM_IOWR(0xca, struct drm_syncobj_timeline_wait)
#define DRM_IOCTL_SYNCOBJ_QUERY         DRM_IOWR(0xcb, struct drm_syncobj_timeline_array)

#endif
