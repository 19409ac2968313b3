// SPDX-License-Identifier: MIT
/* PRIME and GEM names: another file of the same device gets the same buffer, if that is allowed. */
#include "tests/userspace/kselftest/queue.h"

static void test_export_import(int fd, int other, const char *name, uint32_t region)
{
	struct drm_sovgpu_bo_info info = {0};
	uint32_t handle, again = 0;

	bo_create(fd, region, MIB, MAPPABLE, &handle);
	int file = prime_export(fd, handle);

	ok(file >= 0 && !prime_import(other, file, &again),
	   "%s: a buffer is exported and imported by another file", name);
	close(file);
	info.handle = again;
	ok(!gpu_ioctl(other, DRM_IOCTL_SOVGPU_BO_INFO, &info) && info.region == region &&
		   info.size == MIB,
	   "%s: an imported buffer reports its region and size", name);
	uint8_t *here = bo_map(fd, handle, MIB), *there = bo_map(other, again, MIB);

	if (!ok(here != MAP_FAILED && there != MAP_FAILED,
		"%s: exporter and importer map the buffer", name))
		return;
	memset(here, 0x3c, MIB);
	ok(there[MIB - 1] == 0x3c, "%s: the importer sees what the exporter writes", name);
	ok(!bo_close(fd, handle) && there[0] == 0x3c,
	   "%s: the import outlives the exporter's handle", name);
	munmap(here, MIB);
	munmap(there, MIB);
	bo_close(other, again);
}

static void test_not_exportable(int fd)
{
	struct drm_sovgpu_bo_create c = {.size = MIB, .region = USER};
	struct drm_sovgpu_bo_create own = {.size = MIB, .region = VRAM};
	uint32_t a, b;

	c.user_address = (uintptr_t)mmap(NULL, MIB, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c) && prime_export(fd, c.handle) == -EPERM,
	   "exporting user memory is EPERM");
	vm_create(fd, &a);
	vm_create(fd, &b);
	own.exclusive_vm = a;
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &own),
	   "a VRAM buffer exclusive to an address space is created");
	ok(prime_export(fd, own.handle) == -EPERM, "exporting an exclusive buffer is EPERM");
	ok(!vm_map(fd, a, own.handle, 0, GIB, MIB),
	   "an exclusive buffer is mapped into its address space");
	ok(vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM,
	   "mapping an exclusive buffer into another address space is EPERM");
	ok(!vm_destroy(fd, a) && vm_map(fd, b, own.handle, 0, GIB, MIB) == -EPERM,
	   "an exclusive buffer stays EPERM elsewhere after its address space is destroyed");
}

/* An exclusive buffer remembers its address space, but does not keep it alive. */
static void test_exclusive_vm_not_kept(int fd)
{
	struct drm_sovgpu_bo_create own = {.size = MIB, .region = SYSTEM};
	uint64_t before = free_vram_bytes(fd);
	bool mapped = true;

	vm_create(fd, &own.exclusive_vm);
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &own),
	   "a system memory buffer exclusive to an address space is created");
	for (uint64_t i = 1; i <= 64; i++)
		mapped =
			mapped && !vm_map(fd, own.exclusive_vm, own.handle, 0, i * 1024 * GIB, MIB);
	ok(mapped && free_vram_bytes(fd) < before,
	   "mapping an exclusive buffer allocates page tables in VRAM");
	ok(!vm_destroy(fd, own.exclusive_vm) && free_vram_bytes(fd) == before,
	   "VM_DESTROY frees the page tables although an exclusive buffer still exists");
	bo_close(fd, own.handle);
}

/* On the primary node, a buffer can have a GEM name by which any file can open it. */
static void test_gem_names(void)
{
	struct drm_sovgpu_bo_create exclusive = {.size = MIB, .region = SYSTEM},
				    public_bo = exclusive;
	int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC),
	    other = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
	struct drm_gem_flink name = {0};
	struct drm_gem_open wanted = {0};

	if (!ok(fd >= 0 && other >= 0 && !vm_create(fd, &exclusive.exclusive_vm) &&
			!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &exclusive) &&
			!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_BO_CREATE, &public_bo),
		"two buffers are created on the primary node, one of them exclusive"))
		return;
	name.handle = public_bo.handle;
	ok(!gpu_ioctl(fd, DRM_IOCTL_GEM_FLINK, &name), "a buffer gets a GEM name");
	wanted.name = name.name;
	ok(!gpu_ioctl(other, DRM_IOCTL_GEM_OPEN, &wanted) && wanted.size == MIB,
	   "another file opens a buffer by its GEM name");
	name.handle = exclusive.handle;
	ok(!gpu_ioctl(fd, DRM_IOCTL_GEM_FLINK, &name), "an exclusive buffer gets a GEM name");
	wanted.name = name.name;
	ok(gpu_ioctl(other, DRM_IOCTL_GEM_OPEN, &wanted) == -EPERM &&
		   gpu_ioctl(fd, DRM_IOCTL_GEM_OPEN, &wanted) == -EPERM,
	   "opening an exclusive buffer by its GEM name is EPERM");
	ok(fdinfo_value(other, "sovgpu-buffers") == 1,
	   "a refused GEM_OPEN is not counted in fdinfo");
	close(other);
	close(fd);
}

int main(void)
{
	int fd = open_device(), other = open_device();

	if (!ok(fd >= 0 && other >= 0, "the render node opens twice"))
		return tap_done();
	uint64_t before = free_vram_bytes(fd);

	test_export_import(fd, other, "VRAM", VRAM);
	test_export_import(fd, other, "system memory", SYSTEM);
	test_not_exportable(fd);
	test_exclusive_vm_not_kept(fd);
	test_gem_names();
	close(fd);
	ok(free_vram_bytes(other) == before, "all VRAM is free after the file is closed");
	close(other);
	return tap_done();
}
