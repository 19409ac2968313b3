/* SPDX-License-Identifier: MIT */
/* BO_CREATE, BO_MMAP_OFFSET, BO_INFO: memory of three kinds, zero at first, and what is refused. */
#include <sys/resource.h>

#include "tests/vm/guest/device.h"

#define MIB ((uint64_t)1 << 20)
enum {
	VRAM = DRM_SOVGPU_REGION_VRAM,
	SYSTEM = DRM_SOVGPU_REGION_SYSTEM,
	USER = DRM_SOVGPU_REGION_USER,
	MAPPABLE = DRM_SOVGPU_BO_MAPPABLE,
	UNCACHED = DRM_SOVGPU_BO_UNCACHED,
};

static int fd;

static uint64_t free_vram(void)
{
	struct drm_sovgpu_memory_info m = {0};

	query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL);
	return m.vram_free;
}

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
	struct drm_sovgpu_bo_info info = {0};
	uint32_t handle;
	uint64_t *p;

	ok(!create(fd, region, size, flags, &handle), "%s: a buffer can be made", name);
	info.handle = handle;
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == region && info.size == size &&
	   info.flags == flags, "%s: it says what it is", name);
	p = map(fd, handle, size);
	if (!ok(p != MAP_FAILED, "%s: it can be mapped", name))
		return;
	ok(all(p, size, 0), "%s: it is zero", name);
	for (uint64_t i = 0; i < size / 8; i++)
		p[i] = i * 0x9e3779b97f4a7c15;
	uint64_t *q = map(fd, handle, size);

	ok(q != MAP_FAILED && !memcmp(p, q, size), "%s: a second mapping shows what was written", name);
	munmap(q, size);
	ok(!forget(fd, handle), "%s: the handle is given up", name);
	ok(p[1] == 0x9e3779b97f4a7c15, "%s: a mapping outlives its handle", name);
	munmap(p, size);
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
	uint64_t before = free_vram();
	uint32_t a, b;

	ok(!create(fd, VRAM, 16 * MIB, 0, &a) && free_vram() == before - 16 * MIB, "VRAM: what is taken is missing");
	ok(create(fd, VRAM, before, 0, &b) == -ENOSPC, "VRAM: more than there is is ENOSPC");
	ok(map(fd, a, MIB) == MAP_FAILED && errno == EACCES, "a buffer that was not to be mapped is EACCES");
	forget(fd, a);
	ok(free_vram() == before, "VRAM: what is given back is there again");
	ok(forget(fd, a) == -EINVAL, "twice it cannot be given back");
}

static void user_memory(void)
{
	const uint64_t size = 256 << 10;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_sovgpu_bo_create c = {.size = size, .region = USER, .user_address = (uintptr_t)p};
	struct drm_sovgpu_bo_create bad;
	struct rlimit old, small = {.rlim_cur = 65536, .rlim_max = RLIM_INFINITY};

	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c), "user memory: the caller's own can be a buffer");
	struct drm_sovgpu_bo_info info = {.handle = c.handle};

	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == USER && info.size == size,
	   "user memory: it says what it is");
	ok(!forget(fd, c.handle), "user memory: it is given up");
	munmap(p + size / 2, size / 2);
	bad = (struct drm_sovgpu_bo_create){.size = size, .region = USER, .user_address = (uintptr_t)p};
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -EFAULT, "user memory: a hole in it is EFAULT");
	bad.user_address++;
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -EINVAL, "user memory: an odd address is EINVAL");
	bad.user_address = 0;
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &bad) == -EINVAL, "user memory: no address is EINVAL");
	bad = (struct drm_sovgpu_bo_create){.size = size / 2, .region = USER, .user_address = (uintptr_t)p};
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
	static const struct {
		const char *what;
		struct drm_sovgpu_bo_create c;
		int want;
	} rows[] = {
		{"no size", {.region = SYSTEM}, -EINVAL},
		{"an odd size", {.size = 4097, .region = SYSTEM}, -EINVAL},
		{"VRAM smaller than its page", {.size = 4096, .region = VRAM}, -EINVAL},
		{"the largest size", {.size = UINT64_MAX, .region = SYSTEM}, -EINVAL},
		{"the largest even size", {.size = UINT64_MAX & ~0xffffull, .region = VRAM}, -EINVAL},
		{"no region", {.size = 65536}, -EINVAL},
		{"two regions", {.size = 65536, .region = VRAM | SYSTEM}, -EINVAL},
		{"an unknown region", {.size = 65536, .region = 8}, -EINVAL},
		{"the last region bit", {.size = 65536, .region = 1u << 31}, -EINVAL},
		{"an unknown flag", {.size = 65536, .region = VRAM, .flags = 1u << 31}, -EINVAL},
		{"an address without need", {.size = 65536, .region = VRAM, .user_address = 4096}, -EINVAL},
		{"a handle to begin with", {.size = 65536, .region = VRAM, .handle = 1}, -EINVAL},
		{"an address space that is not there", {.size = 65536, .region = VRAM, .exclusive_vm = 77}, -ENOENT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct drm_sovgpu_bo_create c = rows[i].c;
		int got = call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);

		if (!ok(got == rows[i].want, "BO_CREATE refuses %s", rows[i].what))
			diag("got %d, want %d", got, rows[i].want);
	}
	struct drm_sovgpu_bo_mmap_offset m = {.handle = 12345};
	struct drm_sovgpu_bo_info info = {.handle = 12345};

	ok(call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m) == -ENOENT &&
	   call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -ENOENT, "a handle that is none is ENOENT");
	m = (struct drm_sovgpu_bo_mmap_offset){.pad = 1};
	info = (struct drm_sovgpu_bo_info){.pad = 1};
	ok(call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m) == -EINVAL &&
	   call(fd, DRM_IOCTL_SOVGPU_BO_INFO, &info) == -EINVAL, "a pad that is not zero is EINVAL");
}

static void private_mapping(void)
{
	uint32_t handle;
	struct drm_sovgpu_bo_mmap_offset m = {0};

	create(fd, SYSTEM, 65536, MAPPABLE, &handle);
	m.handle = handle;
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m) &&
	   mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)m.offset) == MAP_FAILED &&
	   errno == EINVAL, "a private mapping is EINVAL");
	int other = open(RENDER_NODE, O_RDWR | O_CLOEXEC);

	ok(mmap(NULL, 65536, PROT_READ, MAP_SHARED, other, (off_t)m.offset) == MAP_FAILED && errno == EACCES,
	   "another process's offset is EACCES");
	close(other);
	forget(fd, handle);
}

static void closing(void)
{
	uint64_t before = free_vram();
	int other = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	uint32_t handle;

	for (int i = 0; i < 20; i++)
		create(other, VRAM, MIB, 0, &handle);
	ok(free_vram() == before - 20 * MIB, "twenty buffers are taken through another file");
	close(other);
	ok(free_vram() == before, "which are freed when it closes");
}

int main(void)
{
	fd = open(RENDER_NODE, O_RDWR | O_CLOEXEC);
	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	use("VRAM", VRAM, MAPPABLE);
	use("system memory", SYSTEM, MAPPABLE);
	use("uncached system memory", SYSTEM, MAPPABLE | UNCACHED);
	canary();
	limits();
	user_memory();
	refusals();
	private_mapping();
	closing();
	return tap_done();
}
