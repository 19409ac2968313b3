/* SPDX-License-Identifier: MIT */
/* VM_CREATE: address spaces, empty at first, up to 64 of them. */
#include "tests/userspace/kselftest/device.h"

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(vm_create, flags, 1, -EINVAL, "a flag"),
		SPOIL(vm_create, flags, UINT32_C(1) << 31, -EINVAL, "the last flag"),
		SPOIL(vm_create, id, 1, -EINVAL, "a number to begin with"),
	};
	const struct drm_sovgpu_vm_create good = {0};
	uint32_t ids[64], last = 0;
	int fd = open_device(), made = 0;

	if (!ok(fd >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram(fd);

	while (made < 64 && !vm_create(fd, &ids[made]) && ids[made] && !vm_mapped(fd, ids[made]))
		made++;
	ok(made == 64, "a file has 64 address spaces, usable and empty");
	ok(vm_create(fd, &last) == -ENOSPC, "and no more: ENOSPC");
	ok(free_vram(fd) < before, "they take memory");
	while (made)
		vm_destroy(fd, ids[--made]);
	ok(free_vram(fd) == before, "which is free again when they are gone");
	refuses(fd, "VM_CREATE", DRM_IOCTL_SOVGPU_VM_CREATE, &good, rows, COUNT(rows));
	ok(free_vram(fd) == before, "what was refused takes none");
	int other = open_device();

	ok(!vm_create(other, &last) && !vm_create(other, &last), "another file has its own");
	close(other);
	ok(free_vram(fd) == before, "which go with it");
	return tap_done();
}
