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
	ok(!call(other, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == region && info.size == MIB, "%s: is what it was", name);
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

	c.user_address = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c) && prime_export(fd, c.handle) == -EPERM, "memory of a process is not passed on: EPERM");
	vm_create(fd, &a);
	vm_create(fd, &b);
	own.exclusive_vm = a;
	ok(!call(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &own), "a buffer for one address space can be made");
	ok(prime_export(fd, own.handle) == -EPERM, "it is not passed on: EPERM");
	ok(!vm_map(fd, a, own.handle, 0, GIB, MIB), "it can be mapped there");
	ok(vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM, "and nowhere else: EPERM");
	ok(!vm_destroy(fd, a) && vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM, "also when that is gone");
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
	close(fd);
	ok(free_vram(other) == before, "nothing of it is left");
	close(other);
	return tap_done();
}
