// SPDX-License-Identifier: MIT
/* BO_INFO: returns what a buffer was created with. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(bo_info, handle, 0, -ENOENT, "handle 0"),
		BAD_MEMBER(bo_info, handle, NO_HANDLE, -ENOENT, "an unallocated handle"),
		BAD_MEMBER(bo_info, handle, UINT32_MAX, -ENOENT, "handle 0xffffffff"),
		BAD_MEMBER(bo_info, region, VRAM, -EINVAL, "a nonzero output region"),
		BAD_MEMBER(bo_info, size, 1, -EINVAL, "a nonzero output size"),
		BAD_MEMBER(bo_info, flags, 1, -EINVAL, "nonzero output flags"),
		BAD_MEMBER(bo_info, pad, 1, -EINVAL, "a nonzero pad"),
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

		gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);
		info = (struct drm_sovgpu_bo_info){.handle = c.handle};
		ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == c.region &&
			   info.size == c.size && info.flags == c.flags && !info.pad,
		   "BO_INFO returns the region, size and flags of a buffer in region %u", c.region);
	}
	info = (struct drm_sovgpu_bo_info){.handle = info.handle};
	expect_refused(fd, "BO_INFO", DRM_IOCTL_SOVGPU_BO_INFO, &info, rows, COUNT(rows));
	ok(gpu_ioctl(other, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -ENOENT,
	   "BO_INFO of another file's handle is ENOENT");
	bo_close(fd, info.handle);
	ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -ENOENT,
	   "BO_INFO of a closed handle is ENOENT");
	return tap_done();
}
