/* SPDX-License-Identifier: MIT */
/* BO_INFO: a buffer of any kind says what it was made as. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(bo_info, handle, 0, -ENOENT, "no handle"),
		SPOIL(bo_info, handle, NO_HANDLE, -ENOENT, "a handle that is none"),
		SPOIL(bo_info, handle, UINT32_MAX, -ENOENT, "the largest handle"),
		SPOIL(bo_info, region, VRAM, -EINVAL, "a region to begin with"),
		SPOIL(bo_info, size, 1, -EINVAL, "a size to begin with"),
		SPOIL(bo_info, flags, 1, -EINVAL, "flags to begin with"),
		SPOIL(bo_info, pad, 1, -EINVAL, "a pad"),
	};
	void *own = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct drm_sovgpu_bo_create kinds[] = {
		{.region = VRAM, .size = VRAM_PAGE},
		{.region = VRAM, .size = 3 * MIB, .flags = MAPPABLE},
		{.region = SYSTEM, .size = 3 * VRAM_PAGE, .flags = MAPPABLE | UNCACHED},
		{.region = USER, .size = MIB, .user_address = (uintptr_t)own},
	};
	int fd = open_device(), other = open_device();
	struct drm_sovgpu_bo_info info = {0};

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct drm_sovgpu_bo_create c = kinds[i];

		call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);
		info = (struct drm_sovgpu_bo_info){.handle = c.handle};
		ok(!call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == c.region &&
			   info.size == c.size && info.flags == c.flags && !info.pad,
		   "a buffer in region %u says what it is", c.region);
	}
	info = (struct drm_sovgpu_bo_info){.handle = info.handle};
	refuses(fd, "BO_INFO", DRM_IOCTL_SOVGPU_BO_INFO, &info, rows, COUNT(rows));
	ok(call(other, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -ENOENT,
	   "another file's handle is ENOENT");
	forget(fd, info.handle);
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -ENOENT,
	   "a handle that was given up is ENOENT");
	return tap_done();
}
