// SPDX-License-Identifier: MIT
/* BO_MMAP_OFFSET: mappings of a buffer are coherent and outlive its handle; access control. */
#include "tests/userspace/kselftest/device.h"

static int fd;

static void test_mappings(const char *name, uint32_t region, uint32_t flags)
{
	const uint64_t size = MIB;
	uint32_t handle;
	uint64_t *p, *q;

	bo_create(fd, region, size, flags, &handle);
	p = bo_map(fd, handle, size);
	q = bo_map(fd, handle, size);
	if (!ok(p != MAP_FAILED && q != MAP_FAILED && p != q, "%s: a buffer is mapped twice", name))
		return;
	for (uint64_t i = 0; i < size / 8; i++)
		p[i] = ~i;
	ok(!memcmp(p, q, size), "%s: two mappings of a buffer show the same data", name);
	munmap(q, size);
	ok(!bo_close(fd, handle), "%s: the handle of a mapped buffer is closed", name);
	p[7] = 77;
	ok(p[7] == 77 && p[size / 8 - 1] == ~(size / 8 - 1),
	   "%s: a mapping outlives its buffer's handle", name);
	munmap(p, size);
}

static void test_offsets(void)
{
	struct drm_sovgpu_bo_mmap_offset m = {0}, n = {0};
	int other = open_device();

	bo_create(fd, SYSTEM, VRAM_PAGE, MAPPABLE, &m.handle);
	n.handle = m.handle;
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m) &&
		   !gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &n) && m.offset == n.offset,
	   "BO_MMAP_OFFSET returns the same offset for a buffer each time");
	off_t offset = (off_t)m.offset;

	ok(mmap(NULL, VRAM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "a private mapping of a buffer is EINVAL");
	ok(mmap(NULL, 2 * VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "a mapping larger than the buffer is EINVAL");
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset + (off_t)GIB) == MAP_FAILED &&
		   errno == EINVAL,
	   "mmap at an unallocated offset is EINVAL");
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, other, offset) == MAP_FAILED &&
		   errno == EACCES,
	   "mmap at another file's offset is EACCES");
	close(other);
	bo_close(fd, m.handle);
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "mmap at the offset of a closed buffer is EINVAL");
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(bo_mmap_offset, handle, 0, -ENOENT, "handle 0"),
		BAD_MEMBER(bo_mmap_offset, handle, NO_HANDLE, -ENOENT, "an unallocated handle"),
		BAD_MEMBER(bo_mmap_offset, handle, UINT32_MAX, -ENOENT, "handle 0xffffffff"),
		BAD_MEMBER(bo_mmap_offset, pad, 1, -EINVAL, "a nonzero pad"),
		BAD_MEMBER(bo_mmap_offset, offset, 4096, -EINVAL, "a nonzero output offset"),
	};
	static const struct bad_member hidden[] = {
		BAD_MEMBER(bo_mmap_offset, pad, 0, -EACCES,
			   "a buffer that was created without MAPPABLE"),
	};
	struct drm_sovgpu_bo_mmap_offset m = {0};

	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	test_mappings("VRAM", VRAM, MAPPABLE);
	test_mappings("system memory", SYSTEM, MAPPABLE);
	test_mappings("uncached system memory", SYSTEM, MAPPABLE | UNCACHED);
	test_offsets();
	bo_create(fd, VRAM, VRAM_PAGE, MAPPABLE, &m.handle);
	expect_refused(fd, "BO_MMAP_OFFSET", DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m, rows,
		       COUNT(rows));
	bo_close(fd, m.handle);
	bo_create(fd, VRAM, VRAM_PAGE, 0, &m.handle);
	expect_refused(fd, "BO_MMAP_OFFSET", DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m, hidden,
		       COUNT(hidden));
	return tap_done();
}
