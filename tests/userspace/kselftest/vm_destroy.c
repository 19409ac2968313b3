/* SPDX-License-Identifier: MIT */
/* VM_DESTROY: what an address space mapped is let go, and its number is nobody's. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(vm_destroy, id, 0, -ENOENT, "no address space"),
		SPOIL(vm_destroy, id, 63, -ENOENT, "an address space that is none"),
		SPOIL(vm_destroy, id, UINT32_MAX, -ENOENT, "the largest number"),
		SPOIL(vm_destroy, pad, 1, -EINVAL, "a pad"),
	};
	struct drm_sovgpu_vm_destroy good = {0};
	int fd = open_device(), other = open_device();
	uint32_t handle;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram(fd);

	vm_create(fd, &good.id);
	create(fd, VRAM, 2 * MIB, 0, &handle);
	ok(!vm_map(fd, good.id, handle, 0, GIB, 2 * MIB), "a buffer is mapped");
	forget(fd, handle);
	refuses(fd, "VM_DESTROY", DRM_IOCTL_SOVGPU_VM_DESTROY, &good, rows, COUNT(rows));
	ok(vm_destroy(other, good.id) == -ENOENT, "another file's address space is ENOENT");
	ok(vm_mapped(fd, good.id) == 2 * MIB, "all that left it as it was");
	ok(!vm_destroy(fd, good.id), "an address space is destroyed");
	ok(free_vram(fd) == before, "its tables and the buffer that it kept are free");
	ok(vm_destroy(fd, good.id) == -ENOENT && vm_mapped(fd, good.id) == UINT64_MAX,
	   "what is destroyed is gone");
	return tap_done();
}
