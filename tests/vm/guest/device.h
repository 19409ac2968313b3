/* SPDX-License-Identifier: MIT */
/* What the guest's test programs share: the device, and calls that return 0 or a negative errno. */
#ifndef TESTS_VM_GUEST_DEVICE_H
#define TESTS_VM_GUEST_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"
#include "uapi/sovgpu_drm.h"

#define RENDER_NODE "/dev/dri/renderD128"

static inline int call(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

static inline int query(int fd, uint32_t type, uint32_t size, const void *to, uint32_t *known)
{
	struct drm_sovgpu_dev_query q = {.type = type, .size = size, .pointer = (uintptr_t)to};
	int status = call(fd, DRM_IOCTL_SOVGPU_DEV_QUERY, &q);

	if (known)
		*known = q.size;
	return status;
}

/* A buffer; *handle is 0 when it fails. */
static inline int create(int fd, uint32_t region, uint64_t size, uint32_t flags, uint32_t *handle)
{
	struct drm_sovgpu_bo_create c = {.size = size, .region = region, .flags = flags};
	int status = call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);

	*handle = status ? 0 : c.handle;
	return status;
}

static inline int forget(int fd, uint32_t handle)
{
	struct drm_gem_close c = {.handle = handle};

	return call(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

static inline void *map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_sovgpu_bo_mmap_offset m = {.handle = handle};

	if (call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.offset);
}

#endif
