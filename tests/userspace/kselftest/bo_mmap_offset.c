/* SPDX-License-Identifier: MIT */
/* BO_MMAP_OFFSET: mappings of a buffer show the same memory and outlive its handle; who may map what. */
#include "tests/userspace/kselftest/device.h"

static int fd;

static void mappings(const char *name, uint32_t region, uint32_t flags)
{
	const uint64_t size = MIB;
	uint32_t handle;
	uint64_t *p, *q;

	create(fd, region, size, flags, &handle);
	p = map(fd, handle, size);
	q = map(fd, handle, size);
	if (!ok(p != MAP_FAILED && q != MAP_FAILED && p != q, "%s: a buffer is mapped twice", name))
		return;
	for (uint64_t i = 0; i < size / 8; i++)
		p[i] = ~i;
	ok(!memcmp(p, q, size), "%s: both show what was written to one", name);
	munmap(q, size);
	ok(!forget(fd, handle), "%s: the handle is given up", name);
	p[7] = 77;
	ok(p[7] == 77 && p[size / 8 - 1] == ~(size / 8 - 1), "%s: a mapping outlives its handle",
	   name);
	munmap(p, size);
}

static void offsets(void)
{
	struct drm_sovgpu_bo_mmap_offset m = {0}, n = {0};
	int other = open_device();

	create(fd, SYSTEM, VRAM_PAGE, MAPPABLE, &m.handle);
	n.handle = m.handle;
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m) &&
		   !call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &n) && m.offset == n.offset,
	   "a buffer has one offset");
	off_t offset = (off_t)m.offset;

	ok(mmap(NULL, VRAM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "a private mapping is EINVAL");
	ok(mmap(NULL, 2 * VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "a mapping of more than the buffer is EINVAL");
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset + (off_t)GIB) == MAP_FAILED &&
		   errno == EINVAL,
	   "an offset that is nobody's is EINVAL");
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, other, offset) == MAP_FAILED &&
		   errno == EACCES,
	   "another file's offset is EACCES");
	close(other);
	forget(fd, m.handle);
	ok(mmap(NULL, VRAM_PAGE, PROT_READ, MAP_SHARED, fd, offset) == MAP_FAILED &&
		   errno == EINVAL,
	   "the offset goes with the buffer");
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(bo_mmap_offset, handle, 0, -ENOENT, "no handle"),
		SPOIL(bo_mmap_offset, handle, NO_HANDLE, -ENOENT, "a handle that is none"),
		SPOIL(bo_mmap_offset, handle, UINT32_MAX, -ENOENT, "the largest handle"),
		SPOIL(bo_mmap_offset, pad, 1, -EINVAL, "a pad"),
		SPOIL(bo_mmap_offset, offset, 4096, -EINVAL, "an offset to begin with"),
	};
	static const struct spoiled hidden[] = {
		SPOIL(bo_mmap_offset, pad, 0, -EACCES, "a buffer that was not to be mapped"),
	};
	struct drm_sovgpu_bo_mmap_offset m = {0};

	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	mappings("VRAM", VRAM, MAPPABLE);
	mappings("system memory", SYSTEM, MAPPABLE);
	mappings("uncached system memory", SYSTEM, MAPPABLE | UNCACHED);
	offsets();
	create(fd, VRAM, VRAM_PAGE, MAPPABLE, &m.handle);
	refuses(fd, "BO_MMAP_OFFSET", DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m, rows, COUNT(rows));
	forget(fd, m.handle);
	create(fd, VRAM, VRAM_PAGE, 0, &m.handle);
	refuses(fd, "BO_MMAP_OFFSET", DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m, hidden, COUNT(hidden));
	return tap_done();
}
