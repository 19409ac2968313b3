/* SPDX-License-Identifier: MIT */
/* Buffers that are passed on: another file of the same device gets the same buffer, if it may. */
#include "tests/userspace/kselftest/queue.h"

static void passed_on(int fd, int other, const char *name, uint32_t region)
{
	struct drm_sovgpu_bo_info info = {0};
	uint32_t handle, again = 0;

	create(fd, region, MIB, MAPPABLE, &handle);
	int file = prime_export(fd, handle);

	ok(file >= 0 && !prime_import(other, file, &again), "%s: goes to another file", name);
	close(file);
	info.handle = again;
	ok(!call(other, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == region &&
		   info.size == MIB,
	   "%s: is what it was", name);
	uint8_t *here = map(fd, handle, MIB), *there = map(other, again, MIB);

	if (!ok(here != MAP_FAILED && there != MAP_FAILED, "%s: both map it", name))
		return;
	memset(here, 0x3c, MIB);
	ok(there[MIB - 1] == 0x3c, "%s: what one writes the other sees", name);
	ok(!forget(fd, handle) && there[0] == 0x3c, "%s: the first may go", name);
	munmap(here, MIB);
	munmap(there, MIB);
	forget(other, again);
}

static void kept(int fd)
{
	struct drm_sovgpu_bo_create c = {.size = MIB, .region = USER};
	struct drm_sovgpu_bo_create own = {.size = MIB, .region = VRAM};
	uint32_t a, b;

	c.user_address = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c) && prime_export(fd, c.handle) == -EPERM,
	   "memory of a process is not passed on: EPERM");
	vm_create(fd, &a);
	vm_create(fd, &b);
	own.exclusive_vm = a;
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &own),
	   "a buffer for one address space can be made");
	ok(prime_export(fd, own.handle) == -EPERM, "it is not passed on: EPERM");
	ok(!vm_map(fd, a, own.handle, 0, GIB, MIB), "it can be mapped there");
	ok(vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM, "and nowhere else: EPERM");
	ok(!vm_destroy(fd, a) && vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM,
	   "also when that is gone");
}

/* A buffer that was for one address space knows which, and keeps nothing else of it. */
static void remembered(int fd)
{
	struct drm_sovgpu_bo_create own = {.size = MIB, .region = SYSTEM};
	uint64_t before = free_vram(fd);
	bool mapped = true;

	vm_create(fd, &own.exclusive_vm);
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &own),
	   "system memory for one address space can be made");
	for (uint64_t i = 1; i <= 64; i++)
		mapped =
			mapped && !vm_map(fd, own.exclusive_vm, own.handle, 0, i * 1024 * GIB, MIB);
	ok(mapped && free_vram(fd) < before, "which has tables in video memory");
	ok(!vm_destroy(fd, own.exclusive_vm) && free_vram(fd) == before,
	   "an address space that is gone has none, though the buffer is there");
	forget(fd, own.handle);
}

/* On the node for everybody a buffer can have a name, and who knows the name has the buffer. */
static void named(void)
{
	struct drm_sovgpu_bo_create kept = {.size = MIB, .region = SYSTEM}, shown = kept;
	int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC),
	    other = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	struct drm_gem_flink name = {0};
	struct drm_gem_open wanted = {0};

	if (!ok(fd >= 0 && other >= 0 && !vm_create(fd, &kept.exclusive_vm) &&
			!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &kept) &&
			!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &shown),
		"there are two buffers, one of them for one address space"))
		return;
	name.handle = shown.handle;
	ok(!call(fd, DRM_IOCTL_GEM_FLINK, &name), "one gets a name");
	wanted.name = name.name;
	ok(!call(other, DRM_IOCTL_GEM_OPEN, &wanted) && wanted.size == MIB,
	   "another file finds it by that");
	name.handle = kept.handle;
	ok(!call(fd, DRM_IOCTL_GEM_FLINK, &name), "the one for one address space gets a name, too");
	wanted.name = name.name;
	ok(call(other, DRM_IOCTL_GEM_OPEN, &wanted) == -EPERM &&
		   call(fd, DRM_IOCTL_GEM_OPEN, &wanted) == -EPERM,
	   "nobody finds it by that: EPERM");
	ok(value_of(other, "sovgpu-buffers") == 1, "what was refused is not counted");
	close(other);
	close(fd);
}

int main(void)
{
	int fd = open_device(), other = open_device();

	if (!ok(fd >= 0 && other >= 0, "the render node opens twice"))
		return tap_done();
	uint64_t before = free_vram(fd);

	passed_on(fd, other, "VRAM", VRAM);
	passed_on(fd, other, "system memory", SYSTEM);
	kept(fd);
	remembered(fd);
	named();
	close(fd);
	ok(free_vram(other) == before, "nothing of it is left");
	close(other);
	return tap_done();
}
