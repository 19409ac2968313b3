// SPDX-License-Identifier: MIT
/* VM_DESTROY: releases mapped buffers and the ID. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(vm_destroy, id, 0, -ENOENT, "VM ID 0"),
		BAD_MEMBER(vm_destroy, id, 63, -ENOENT, "an unallocated VM ID"),
		BAD_MEMBER(vm_destroy, id, UINT32_MAX, -ENOENT, "ID 0xffffffff"),
		BAD_MEMBER(vm_destroy, pad, 1, -EINVAL, "a nonzero pad"),
	};
	struct drm_sovgpu_vm_destroy good = {0};
	int fd = open_device(), other = open_device();
	uint32_t handle;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram_bytes(fd);

	vm_create(fd, &good.id);
	bo_create(fd, VRAM, 2 * MIB, 0, &handle);
	ok(!vm_map(fd, good.id, handle, 0, GIB, 2 * MIB),
	   "a buffer is mapped into an address space");
	bo_close(fd, handle);
	expect_refused(fd, "VM_DESTROY", DRM_IOCTL_SOVGPU_VM_DESTROY, &good, rows, COUNT(rows));
	ok(vm_destroy(other, good.id) == -ENOENT,
	   "VM_DESTROY of another file's address space is ENOENT");
	ok(vm_mapped(fd, good.id) == 2 * MIB,
	   "a refused VM_DESTROY leaves the address space unchanged");
	ok(!vm_destroy(fd, good.id), "an address space is destroyed");
	ok(free_vram_bytes(fd) == before, "VM_DESTROY frees the page tables and the mapped buffer");
	ok(vm_destroy(fd, good.id) == -ENOENT && vm_mapped(fd, good.id) == UINT64_MAX,
	   "calls on a destroyed address space are ENOENT");
	return tap_done();
}
