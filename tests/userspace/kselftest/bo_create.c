// SPDX-License-Identifier: MIT
/*
 * BO_CREATE: VRAM, system memory and user memory are zeroed, usable and freed; invalid arguments.
 */
#include <sys/resource.h>

#include "tests/userspace/kselftest/device.h"

static int fd;

static bool all_words_equal(const uint64_t *words, uint64_t bytes, uint64_t value)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (words[i] != value)
			return false;
	return true;
}

static void test_region(const char *name, uint32_t region, uint32_t flags)
{
	const uint64_t size = 4 * MIB;
	uint32_t handle;
	uint64_t *p;

	ok(!bo_create(fd, region, size, flags, &handle) && handle, "%s: a buffer is created", name);
	p = bo_map(fd, handle, size);
	if (!ok(p != MAP_FAILED, "%s: a buffer is mapped", name))
		return;
	ok(all_words_equal(p, size, 0), "%s: a new buffer is zero", name);
	for (uint64_t i = 0; i < size / 8; i++)
		p[i] = i * 0x9e3779b97f4a7c15;
	bool kept = true;

	for (uint64_t i = 0; i < size / 8; i++)
		kept = kept && p[i] == i * 0x9e3779b97f4a7c15;
	ok(kept, "%s: a buffer keeps the data written to it", name);
	munmap(p, size);
	ok(!bo_close(fd, handle), "%s: a buffer is closed", name);
}

/*
 * VRAM is cleared between owners. The allocator returns the same pages in the second round, because
 * the first round took all free blocks of that size class in a row.
 */
static void test_vram_cleared(void)
{
	uint32_t handles[8];
	bool clean = true;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++) {
			bo_create(fd, VRAM, MIB, MAPPABLE, &handles[i]);
			uint64_t *p = bo_map(fd, handles[i], MIB);

			if (p == MAP_FAILED)
				clean = false;
			else {
				clean = clean && all_words_equal(p, MIB, 0);
				memset(p, 0xa5, MIB);
				munmap(p, MIB);
			}
		}
		for (int i = 0; i < 8; i++)
			bo_close(fd, handles[i]);
	}
	ok(clean, "VRAM: a new buffer shows no data of an earlier owner");
}

static void test_vram_accounting(void)
{
	uint64_t before = free_vram_bytes(fd);
	uint32_t a, b;

	ok(!bo_create(fd, VRAM, 16 * MIB, 0, &a) && free_vram_bytes(fd) == before - 16 * MIB,
	   "VRAM: creating a buffer reduces the free VRAM by its size");
	ok(bo_create(fd, VRAM, before / VRAM_PAGE * VRAM_PAGE, 0, &b) == -ENOSPC,
	   "VRAM: creating more than the free VRAM is ENOSPC");
	bo_close(fd, a);
	ok(free_vram_bytes(fd) == before, "VRAM: closing a buffer restores the free VRAM");
	ok(bo_close(fd, a) == -EINVAL, "closing a handle a second time is EINVAL");
}

static void test_user_memory(void)
{
	const uint64_t size = 256 << 10;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {
		.size = size, .region = USER, .user_address = (uintptr_t)p};
	struct drm_sovgpu_bo_create bad;
	struct rlimit old, small = {.rlim_cur = 65536, .rlim_max = RLIM_INFINITY};

	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c),
	   "user memory: a buffer is created from the caller's memory");
	ok(!bo_close(fd, c.handle), "user memory: a buffer is closed");
	munmap(p + size / 2, size / 2);
	bad = (struct drm_sovgpu_bo_create){
		.size = size, .region = USER, .user_address = (uintptr_t)p};
	ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -EFAULT,
	   "user memory: a range with an unmapped hole is EFAULT");
	static const struct bad_member rows[] = {
		BAD_MEMBER(bo_create, user_address, 0, -EINVAL, "user memory at address 0"),
		BAD_MEMBER(bo_create, user_address, 1, -EINVAL,
			   "user memory at an unaligned address"),
		BAD_MEMBER(bo_create, user_address, GIB + 2048, -EINVAL,
			   "user memory that starts inside a page"),
		BAD_MEMBER(bo_create, user_address, MIB, -EFAULT,
			   "user memory at an unmapped address"),
		BAD_MEMBER(bo_create, user_address, UINT64_MAX & ~(MIB - 1), -EFAULT,
			   "user memory at a kernel address"),
		BAD_MEMBER(bo_create, flags, MAPPABLE, -EINVAL, "mappable user memory"),
		BAD_MEMBER(bo_create, size, UINT64_C(1) << 46, -ENOMEM,
			   "more user memory than the system has"),
	};

	bad.size = size / 2;
	expect_refused(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &bad, rows, COUNT(rows));
	getrlimit(RLIMIT_MEMLOCK, &old);
	setrlimit(RLIMIT_MEMLOCK, &small);
	/* RLIMIT_MEMLOCK does not bind root. */
	if (!seteuid(65534)) {
		ok(gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -ENOMEM,
		   "user memory: pinning more than RLIMIT_MEMLOCK is ENOMEM");
		if (seteuid(0))
			diag("cannot become root again");
	}
	setrlimit(RLIMIT_MEMLOCK, &old);
	munmap(p, size / 2);
}

static void test_invalid_arguments(void)
{
	const struct drm_sovgpu_bo_create good = {.size = VRAM_PAGE, .region = VRAM};
	const struct drm_sovgpu_bo_create system = {.size = MIB, .region = SYSTEM};
	static const struct bad_member rows[] = {
		BAD_MEMBER(bo_create, size, 0, -EINVAL, "size 0"),
		BAD_MEMBER(bo_create, size, 1, -EINVAL, "a size of one byte"),
		BAD_MEMBER(bo_create, size, VRAM_PAGE / 2, -EINVAL,
			   "VRAM smaller than a VRAM page"),
		BAD_MEMBER(bo_create, size, VRAM_PAGE + 4096, -EINVAL,
			   "a VRAM size that is not a multiple of 64 KiB"),
		BAD_MEMBER(bo_create, size, UINT64_MAX & ~0xffffull, -EINVAL,
			   "the largest aligned size"),
		BAD_MEMBER(bo_create, size, (UINT64_C(1) << 46) + VRAM_PAGE, -EINVAL,
			   "a size above the maximum of any card"),
		BAD_MEMBER(bo_create, size, UINT64_C(1) << 46, -ENOSPC,
			   "a size above the card's VRAM"),
		BAD_MEMBER(bo_create, region, 0, -EINVAL, "region 0"),
		BAD_MEMBER(bo_create, region, VRAM | SYSTEM, -EINVAL, "two regions"),
		BAD_MEMBER(bo_create, region, 8, -EINVAL, "an unknown region"),
		BAD_MEMBER(bo_create, region, UINT32_C(1) << 31, -EINVAL, "region bit 31"),
		BAD_MEMBER(bo_create, flags, 4, -EINVAL, "the first undefined flag"),
		BAD_MEMBER(bo_create, flags, UINT32_C(1) << 31, -EINVAL, "flag bit 31"),
		BAD_MEMBER(bo_create, user_address, 65536, -EINVAL, "a user address for VRAM"),
		BAD_MEMBER(bo_create, handle, 1, -EINVAL, "a nonzero output handle"),
		BAD_MEMBER(bo_create, exclusive_vm, 77, -ENOENT,
			   "an exclusive VM that does not exist"),
	};
	static const struct bad_member system_rows[] = {
		BAD_MEMBER(bo_create, size, 4097, -EINVAL,
			   "a system memory size that is not a multiple of the page size"),
		BAD_MEMBER(bo_create, size, UINT64_MAX, -EINVAL, "the size 2^64 - 1"),
	};

	expect_refused(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &good, rows, COUNT(rows));
	expect_refused(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &system, system_rows,
		       COUNT(system_rows));
}

static void test_close_frees(void)
{
	uint64_t before = free_vram_bytes(fd);
	int other = open_device();
	uint32_t handle;

	for (int i = 0; i < 20; i++)
		bo_create(other, VRAM, MIB, 0, &handle);
	ok(free_vram_bytes(fd) == before - 20 * MIB,
	   "twenty buffers of another file reduce the free VRAM");
	close(other);
	ok(free_vram_bytes(fd) == before, "closing a file frees its buffers");
}

int main(void)
{
	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	test_region("VRAM", VRAM, MAPPABLE);
	test_region("system memory", SYSTEM, MAPPABLE);
	test_region("uncached system memory", SYSTEM, MAPPABLE | UNCACHED);
	test_vram_cleared();
	test_vram_accounting();
	test_user_memory();
	test_invalid_arguments();
	test_close_frees();
	return tap_done();
}
