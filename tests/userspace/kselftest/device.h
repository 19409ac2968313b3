/* SPDX-License-Identifier: MIT */
/*
 * Helpers shared by the tests of the kernel driver's ioctls. Each ioctl has a test program, which
 * runs in a virtual machine with a modelled card (tests/vm). Helpers return 0 or a negative errno.
 * Invalid arguments are tables: each row puts one bad value into one member of a valid argument and
 * names the one errno that the ioctl must return.
 */
#ifndef TESTS_KSELFTEST_DEVICE_H
#define TESTS_KSELFTEST_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"
#include "uapi/sovgpu_drm.h"

#define RENDER_NODE "/dev/dri/renderD128"
#define KIB         ((uint64_t)1 << 10)
#define MIB         ((uint64_t)1 << 20)
#define GIB         ((uint64_t)1 << 30)
#define VRAM_PAGE   (64 * KIB)
#define NO_HANDLE   12345 /* never allocated */
#define COUNT(a)    (sizeof(a) / sizeof(*(a)))

enum {
	VRAM = DRM_SOVGPU_REGION_VRAM,
	SYSTEM = DRM_SOVGPU_REGION_SYSTEM,
	USER = DRM_SOVGPU_REGION_USER,
	MAPPABLE = DRM_SOVGPU_BO_MAPPABLE,
	UNCACHED = DRM_SOVGPU_BO_UNCACHED,
};

/* Opens $RENDER_NODE, by default the first card's. */
static inline int open_device(void)
{
	const char *node = getenv("RENDER_NODE");

	return open(node ? node : RENDER_NODE, O_RDWR | O_CLOEXEC);
}

static inline int gpu_ioctl(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) ? -errno : 0;
}

/* An invalid value for one member of an argument struct. */
struct bad_member {
	const char *what;
	size_t offset, size;
	uint64_t value;
	int want;
};
#define BAD_MEMBER(type, member, number, errno_wanted, what) \
	{what, offsetof(struct drm_sovgpu_##type, member), \
	 sizeof(((struct drm_sovgpu_##type *)0)->member), number, errno_wanted}

/*
 * Tries each row: writes the bad value into `target`, which is the argument itself or an element of
 * an array that the argument points to. A failed ioctl must also leave its argument unchanged.
 */
static inline void expect_refused_in(int fd, const char *name, unsigned long request,
				     void *argument, void *target, const struct bad_member *rows,
				     size_t count)
{
	size_t bytes = _IOC_SIZE(request);
	uint8_t before[256], kept[8];

	for (size_t i = 0; i < count; i++) {
		uint8_t *member = (uint8_t *)target + rows[i].offset;

		memcpy(kept, member, rows[i].size);
		memcpy(member, &rows[i].value, rows[i].size);
		memcpy(before, argument, bytes);
		int got = gpu_ioctl(fd, request, argument);
		bool same = !memcmp(argument, before, bytes);

		if (!ok(got == rows[i].want && same, "%s refuses %s", name, rows[i].what))
			diag("got %d (%s), want %d%s", got, strerror(-got), rows[i].want,
			     same ? "" : "; the argument was modified");
		memcpy(argument, before, bytes);
		memcpy(member, kept, rows[i].size);
	}
}

static inline void expect_refused(int fd, const char *name, unsigned long request, const void *good,
				  const struct bad_member *rows, size_t count)
{
	uint8_t argument[256];

	memcpy(argument, good, _IOC_SIZE(request));
	expect_refused_in(fd, name, request, argument, argument, rows, count);
	ok(gpu_ioctl(fd, request, (void *)8) == -EFAULT && gpu_ioctl(fd, request, NULL) == -EFAULT,
	   "%s refuses an argument pointer to unmapped memory", name);
}

static inline int dev_query(int fd, uint32_t type, uint32_t size, const void *to, uint32_t *known)
{
	struct drm_sovgpu_dev_query q = {.type = type, .size = size, .pointer = (uintptr_t)to};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_DEV_QUERY, &q);

	if (known)
		*known = q.size;
	return status;
}

static inline uint64_t free_vram_bytes(int fd)
{
	struct drm_sovgpu_memory_info m = {0};

	dev_query(fd, DRM_SOVGPU_DEV_QUERY_MEMORY, sizeof(m), &m, NULL);
	return m.vram_free;
}

/* Value of a key in the file's fdinfo, in the unit printed there; -1 if the key is missing. */
static inline long long fdinfo_value(int fd, const char *key)
{
	char path[64], line[256];
	long long value = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			value = strtoll(line + strlen(key) + 1, NULL, 10);
	if (f)
		fclose(f);
	return value;
}

/* Creates a buffer; *handle is 0 on failure. */
static inline int bo_create(int fd, uint32_t region, uint64_t size, uint32_t flags,
			    uint32_t *handle)
{
	struct drm_sovgpu_bo_create c = {.size = size, .region = region, .flags = flags};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);

	*handle = status ? 0 : c.handle;
	return status;
}

static inline int bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close c = {.handle = handle};

	return gpu_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &c);
}

static inline void *bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_sovgpu_bo_mmap_offset m = {.handle = handle};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &m);

	if (status) {
		errno = -status;
		return MAP_FAILED;
	}
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.offset);
}

/* Exports a buffer as a dma-buf file descriptor; returns a negative errno on failure. */
static inline int prime_export(int fd, uint32_t handle)
{
	struct drm_prime_handle p = {.handle = handle, .flags = O_CLOEXEC | O_RDWR};
	int status = gpu_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);

	return status ? status : p.fd;
}

static inline int prime_import(int fd, int file, uint32_t *handle)
{
	struct drm_prime_handle p = {.fd = file};
	int status = gpu_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);

	*handle = status ? 0 : p.handle;
	return status;
}

/* Creates an address space; *id is 0 on failure. */
static inline int vm_create(int fd, uint32_t *id)
{
	struct drm_sovgpu_vm_create c = {0};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_CREATE, &c);

	*id = status ? 0 : c.id;
	return status;
}

static inline int vm_destroy(int fd, uint32_t id)
{
	struct drm_sovgpu_vm_destroy d = {.id = id};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_DESTROY, &d);
}

static inline int vm_bind(int fd, uint32_t vm, struct drm_sovgpu_vm_bind_op *ops, uint32_t count,
			  uint32_t *done)
{
	struct drm_sovgpu_vm_bind b = {.vm_id = vm, .ops = {sizeof(*ops), count, (uintptr_t)ops}};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_BIND, &b);

	if (done)
		*done = b.done;
	return status;
}

static inline int vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t va,
			 uint64_t size)
{
	struct drm_sovgpu_vm_bind_op op = {
		.handle = handle, .offset = offset, .va = va, .size = size};

	return vm_bind(fd, vm, &op, 1, NULL);
}

static inline int vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size)
{
	struct drm_sovgpu_vm_bind_op op = {
		.type = DRM_SOVGPU_VM_BIND_OP_UNMAP, .va = va, .size = size};

	return vm_bind(fd, vm, &op, 1, NULL);
}

/* Mapped bytes; UINT64_MAX if the address space is unusable. */
static inline uint64_t vm_mapped(int fd, uint32_t vm)
{
	struct drm_sovgpu_vm_state s = {.vm_id = vm};

	return gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_STATE, &s) || s.state ? UINT64_MAX : s.mapped;
}

#endif
