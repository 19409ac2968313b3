// SPDX-License-Identifier: MIT
/* VM_STATE: whether an address space is usable, how much is mapped, and its last fault. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(vm_state, vm_id, 0, -ENOENT, "VM ID 0"),
		BAD_MEMBER(vm_state, vm_id, 63, -ENOENT, "an unallocated VM ID"),
		BAD_MEMBER(vm_state, state, 1, -EINVAL, "a nonzero output state"),
		BAD_MEMBER(vm_state, mapped, 1, -EINVAL, "a nonzero output size"),
		BAD_MEMBER(vm_state, fault_address, 1, -EINVAL, "a nonzero output fault address"),
		BAD_MEMBER(vm_state, fault_count, 1, -EINVAL, "a nonzero output fault count"),
		BAD_MEMBER(vm_state, pad, 1, -EINVAL, "a nonzero pad"),
	};
	int fd = open_device(), other = open_device();
	struct drm_sovgpu_vm_state s = {0};
	uint32_t handle;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	vm_create(fd, &s.vm_id);
	const struct drm_sovgpu_vm_state good = s;

	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_VM_STATE, &s) && s.state == DRM_SOVGPU_VM_STATE_USABLE &&
		   !s.mapped && !s.fault_count && !s.fault_address,
	   "a new address space is usable, empty and without faults");
	bo_create(fd, SYSTEM, 5 * MIB, 0, &handle);
	vm_map(fd, good.vm_id, handle, 0, GIB, 5 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 5 * MIB, "VM_STATE counts mapped bytes");
	vm_unmap(fd, good.vm_id, GIB + MIB, 2 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 3 * MIB, "VM_STATE does not count unmapped bytes");
	vm_map(fd, good.vm_id, handle, 0, GIB, 5 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 5 * MIB, "VM_STATE counts overlapping mappings once");
	expect_refused(fd, "VM_STATE", DRM_IOCTL_SOVGPU_VM_STATE, &good, rows, COUNT(rows));
	s = good;
	ok(gpu_ioctl(other, DRM_IOCTL_SOVGPU_VM_STATE, &s) == -ENOENT,
	   "VM_STATE of another file's address space is ENOENT");
	return tap_done();
}
