/* SPDX-License-Identifier: MIT */
/* BO_CREATE: memory of three kinds, zero at first, gone when it is given back, and what is refused. */
#include <sys/resource.h>

#include "tests/userspace/kselftest/device.h"

static int fd;

static bool all(const uint64_t *words, uint64_t bytes, uint64_t value)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (words[i] != value)
			return false;
	return true;
}

static void use(const char *name, uint32_t region, uint32_t flags)
{
	const uint64_t size = 4 * MIB;
	uint32_t handle;
	uint64_t *p;

	ok(!create(fd, region, size, flags, &handle) && handle, "%s: a buffer can be made", name);
	p = map(fd, handle, size);
	if (!ok(p != MAP_FAILED, "%s: it can be mapped", name))
		return;
	ok(all(p, size, 0), "%s: it is zero", name);
	for (uint64_t i = 0; i < size / 8; i++)
		p[i] = i * 0x9e3779b97f4a7c15;
	bool kept = true;

	for (uint64_t i = 0; i < size / 8; i++)
		kept = kept && p[i] == i * 0x9e3779b97f4a7c15;
	ok(kept, "%s: it keeps what is written", name);
	munmap(p, size);
	ok(!forget(fd, handle), "%s: it is given back", name);
}

/* What one owner leaves in video memory the next must not see. The allocator gives the same place
 * again, which the test makes sure of by taking all there is of that size class in a row. */
static void canary(void)
{
	uint32_t handles[8];
	bool clean = true;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 8; i++) {
			create(fd, VRAM, MIB, MAPPABLE, &handles[i]);
			uint64_t *p = map(fd, handles[i], MIB);

			if (p == MAP_FAILED)
				clean = false;
			else {
				clean = clean && all(p, MIB, 0);
				memset(p, 0xa5, MIB);
				munmap(p, MIB);
			}
		}
		for (int i = 0; i < 8; i++)
			forget(fd, handles[i]);
	}
	ok(clean, "VRAM: nothing of an earlier owner is seen");
}

static void limits(void)
{
	uint64_t before = free_vram(fd);
	uint32_t a, b;

	ok(!create(fd, VRAM, 16 * MIB, 0, &a) && free_vram(fd) == before - 16 * MIB,
	   "VRAM: what is taken is missing");
	ok(create(fd, VRAM, before / VRAM_PAGE * VRAM_PAGE, 0, &b) == -ENOSPC,
	   "VRAM: more than there is is ENOSPC");
	forget(fd, a);
	ok(free_vram(fd) == before, "VRAM: what is given back is there again");
	ok(forget(fd, a) == -EINVAL, "twice it cannot be given back");
}

static void user_memory(void)
{
	const uint64_t size = 256 << 10;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {
		.size = size, .region = USER, .user_address = (uintptr_t)p};
	struct drm_sovgpu_bo_create bad;
	struct rlimit old, small = {.rlim_cur = 65536, .rlim_max = RLIM_INFINITY};

	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c),
	   "user memory: the caller's own can be a buffer");
	ok(!forget(fd, c.handle), "user memory: it is given up");
	munmap(p + size / 2, size / 2);
	bad = (struct drm_sovgpu_bo_create){
		.size = size, .region = USER, .user_address = (uintptr_t)p};
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -EFAULT,
	   "user memory: a hole in it is EFAULT");
	static const struct spoiled rows[] = {
		SPOIL(bo_create, user_address, 0, -EINVAL, "user memory without an address"),
		SPOIL(bo_create, user_address, 1, -EINVAL, "user memory at an odd address"),
		SPOIL(bo_create, user_address, GIB + 2048, -EINVAL,
		      "user memory in the middle of a page"),
		SPOIL(bo_create, user_address, MIB, -EFAULT, "user memory where nothing is"),
		SPOIL(bo_create, user_address, UINT64_MAX & ~(MIB - 1), -EFAULT,
		      "user memory of the kernel"),
		SPOIL(bo_create, flags, MAPPABLE, -EINVAL,
		      "user memory to be mapped a second time"),
		SPOIL(bo_create, size, UINT64_C(1) << 46, -ENOMEM,
		      "more user memory than the machine has"),
	};

	bad.size = size / 2;
	refuses(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &bad, rows, COUNT(rows));
	getrlimit(RLIMIT_MEMLOCK, &old);
	setrlimit(RLIMIT_MEMLOCK, &small);
	/* Root may lock what it likes; an ordinary user is held to the limit. */
	if (!seteuid(65534)) {
		ok(call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -ENOMEM,
		   "user memory: more than RLIMIT_MEMLOCK is ENOMEM");
		if (seteuid(0))
			diag("cannot become root again");
	}
	setrlimit(RLIMIT_MEMLOCK, &old);
	munmap(p, size / 2);
}

static void refusals(void)
{
	const struct drm_sovgpu_bo_create good = {.size = VRAM_PAGE, .region = VRAM};
	const struct drm_sovgpu_bo_create system = {.size = MIB, .region = SYSTEM};
	static const struct spoiled rows[] = {
		SPOIL(bo_create, size, 0, -EINVAL, "no size"),
		SPOIL(bo_create, size, 1, -EINVAL, "one byte"),
		SPOIL(bo_create, size, VRAM_PAGE / 2, -EINVAL, "VRAM smaller than its page"),
		SPOIL(bo_create, size, VRAM_PAGE + 4096, -EINVAL, "VRAM of an odd size"),
		SPOIL(bo_create, size, UINT64_MAX & ~0xffffull, -EINVAL, "the largest even size"),
		SPOIL(bo_create, size, (UINT64_C(1) << 46) + VRAM_PAGE, -EINVAL,
		      "more than any card has"),
		SPOIL(bo_create, size, UINT64_C(1) << 46, -ENOSPC, "more than this card has"),
		SPOIL(bo_create, region, 0, -EINVAL, "no region"),
		SPOIL(bo_create, region, VRAM | SYSTEM, -EINVAL, "two regions"),
		SPOIL(bo_create, region, 8, -EINVAL, "an unknown region"),
		SPOIL(bo_create, region, UINT32_C(1) << 31, -EINVAL, "the last region bit"),
		SPOIL(bo_create, flags, 4, -EINVAL, "the first unknown flag"),
		SPOIL(bo_create, flags, UINT32_C(1) << 31, -EINVAL, "the last flag"),
		SPOIL(bo_create, user_address, 65536, -EINVAL, "an address without need"),
		SPOIL(bo_create, handle, 1, -EINVAL, "a handle to begin with"),
		SPOIL(bo_create, exclusive_vm, 77, -ENOENT, "an address space that is not there"),
	};
	static const struct spoiled system_rows[] = {
		SPOIL(bo_create, size, 4097, -EINVAL, "system memory of an odd size"),
		SPOIL(bo_create, size, UINT64_MAX, -EINVAL, "the largest size"),
	};

	refuses(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &good, rows, COUNT(rows));
	refuses(fd, "BO_CREATE", DRM_IOCTL_SOVGPU_BO_CREATE, &system, system_rows,
		COUNT(system_rows));
}

static void closing(void)
{
	uint64_t before = free_vram(fd);
	int other = open_device();
	uint32_t handle;

	for (int i = 0; i < 20; i++)
		create(other, VRAM, MIB, 0, &handle);
	ok(free_vram(fd) == before - 20 * MIB, "twenty buffers are taken through another file");
	close(other);
	ok(free_vram(fd) == before, "which are freed when it closes");
}

int main(void)
{
	fd = open_device();
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	use("VRAM", VRAM, MAPPABLE);
	use("system memory", SYSTEM, MAPPABLE);
	use("uncached system memory", SYSTEM, MAPPABLE | UNCACHED);
	canary();
	limits();
	user_memory();
	refusals();
	closing();
	return tap_done();
}
