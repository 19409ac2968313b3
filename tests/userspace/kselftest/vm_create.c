// SPDX-License-Identifier: MIT
/* VM_CREATE: up to 64 address spaces per file, initially empty. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(vm_create, flags, 1, -EINVAL, "an unknown flag"),
		BAD_MEMBER(vm_create, flags, UINT32_C(1) << 31, -EINVAL, "flag bit 31"),
		BAD_MEMBER(vm_create, id, 1, -EINVAL, "a nonzero output ID"),
	};
	const struct drm_sovgpu_vm_create good = {0};
	uint32_t ids[64], last = 0;
	int fd = open_device(), made = 0;

	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram_bytes(fd);

	while (made < 64 && !vm_create(fd, &ids[made]) && ids[made] && !vm_mapped(fd, ids[made]))
		made++;
	ok(made == 64, "a file can have 64 address spaces, usable and empty");
	ok(vm_create(fd, &last) == -ENOSPC, "the 65th address space of a file is ENOSPC");
	ok(free_vram_bytes(fd) < before, "address spaces take VRAM");
	while (made)
		vm_destroy(fd, ids[--made]);
	ok(free_vram_bytes(fd) == before, "destroying the address spaces frees their VRAM");
	expect_refused(fd, "VM_CREATE", DRM_IOCTL_SOVGPU_VM_CREATE, &good, rows, COUNT(rows));
	ok(free_vram_bytes(fd) == before, "a refused VM_CREATE takes no VRAM");
	int other = open_device();

	ok(!vm_create(other, &last) && !vm_create(other, &last),
	   "another file can create address spaces");
	close(other);
	ok(free_vram_bytes(fd) == before, "closing a file frees its address spaces");
	return tap_done();
}
