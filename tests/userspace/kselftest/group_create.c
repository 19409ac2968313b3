// SPDX-License-Identifier: MIT
/* GROUP_CREATE: up to 64 groups per file, each of which holds a reference to its address space. */
#include "tests/userspace/kselftest/queue.h"

static void test_group_limit(int fd, uint32_t vm)
{
	uint32_t ids[64], last = 0;
	int made = 0;

	while (made < 64 && !group_create(fd, vm, &ids[made]) && ids[made])
		made++;
	ok(made == 64, "a file can have 64 groups");
	ok(group_create(fd, vm, &last) == -ENOSPC, "the 65th group of a file is ENOSPC");
	while (made)
		group_destroy(fd, ids[--made]);
	ok(!group_create(fd, vm, &last) && !group_destroy(fd, last),
	   "a group can be created after others are destroyed");
}

static void test_priority_and_slice(int fd, uint32_t vm)
{
	struct drm_sovgpu_group_create low = {.vm_id = vm, .priority = 1};
	struct drm_sovgpu_group_create slice = {.vm_id = vm, .time_slice_us = 10000};

	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &low) && !group_destroy(fd, low.id),
	   "a group of low priority is created");
	ok(!gpu_ioctl(fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &slice) && !group_destroy(fd, slice.id),
	   "a group with the longest time slice, 10 ms, is created");
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(group_create, vm_id, 0, -ENOENT, "VM ID 0"),
		BAD_MEMBER(group_create, vm_id, 63, -ENOENT, "an unallocated VM ID"),
		BAD_MEMBER(group_create, vm_id, UINT32_MAX, -ENOENT, "ID 0xffffffff"),
		BAD_MEMBER(group_create, flags, 1, -EINVAL, "an unknown flag"),
		BAD_MEMBER(group_create, priority, 2, -EINVAL, "an undefined priority"),
		BAD_MEMBER(group_create, priority, UINT32_MAX, -EINVAL, "priority 0xffffffff"),
		BAD_MEMBER(group_create, time_slice_us, 10001, -EINVAL, "a time slice above 10 ms"),
		BAD_MEMBER(group_create, time_slice_us, UINT32_MAX, -EINVAL,
			   "a time slice of 0xffffffff us"),
		BAD_MEMBER(group_create, id, 1, -EINVAL, "a nonzero output ID"),
		BAD_MEMBER(group_create, pad, 1, -EINVAL, "a nonzero pad"),
	};
	struct drm_sovgpu_group_create good = {0};
	int fd = open_device(), other = open_device();
	uint32_t id;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram_bytes(fd);

	vm_create(fd, &good.vm_id);
	ok(!group_create(fd, good.vm_id, &id) && id && !group_destroy(fd, id),
	   "a group is created and destroyed");
	ok(group_create(other, good.vm_id, &id) == -ENOENT,
	   "GROUP_CREATE in another file's address space is ENOENT");
	expect_refused(fd, "GROUP_CREATE", DRM_IOCTL_SOVGPU_GROUP_CREATE, &good, rows, COUNT(rows));
	test_priority_and_slice(fd, good.vm_id);
	test_group_limit(fd, good.vm_id);
	ok(!group_create(fd, good.vm_id, &id) && !vm_destroy(fd, good.vm_id),
	   "an address space is destroyed before its group");
	ok(!group_destroy(fd, id), "a group is destroyed after its address space");
	ok(free_vram_bytes(fd) == before, "all VRAM is free after the groups are destroyed");
	return tap_done();
}
