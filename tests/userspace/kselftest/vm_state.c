/* SPDX-License-Identifier: MIT */
/* VM_STATE: is an address space usable, and how much is mapped. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(vm_state, vm_id, 0, -ENOENT, "no address space"),
		SPOIL(vm_state, vm_id, 63, -ENOENT, "an address space that is none"),
		SPOIL(vm_state, state, 1, -EINVAL, "a state to begin with"),
		SPOIL(vm_state, mapped, 1, -EINVAL, "an amount to begin with"),
		SPOIL(vm_state, fault_address, 1, -EINVAL, "a fault's address to begin with"),
		SPOIL(vm_state, fault_count, 1, -EINVAL, "a count to begin with"),
		SPOIL(vm_state, pad, 1, -EINVAL, "a pad"),
	};
	int fd = open_device(), other = open_device();
	struct drm_sovgpu_vm_state s = {0};
	uint32_t handle;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	vm_create(fd, &s.vm_id);
	const struct drm_sovgpu_vm_state good = s;

	ok(!call(fd, DRM_IOCTL_SOVGPU_VM_STATE, &s) && s.state == DRM_SOVGPU_VM_STATE_USABLE &&
		   !s.mapped && !s.fault_count && !s.fault_address,
	   "a new address space is usable, empty, and had no fault");
	create(fd, SYSTEM, 5 * MIB, 0, &handle);
	vm_map(fd, good.vm_id, handle, 0, GIB, 5 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 5 * MIB, "what is mapped is counted");
	vm_unmap(fd, good.vm_id, GIB + MIB, 2 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 3 * MIB, "what is unmapped is not");
	vm_map(fd, good.vm_id, handle, 0, GIB, 5 * MIB);
	ok(vm_mapped(fd, good.vm_id) == 5 * MIB, "what is mapped over counts once");
	refuses(fd, "VM_STATE", DRM_IOCTL_SOVGPU_VM_STATE, &good, rows, COUNT(rows));
	s = good;
	ok(call(other, DRM_IOCTL_SOVGPU_VM_STATE, &s) == -ENOENT,
	   "another file's address space is ENOENT");
	return tap_done();
}
