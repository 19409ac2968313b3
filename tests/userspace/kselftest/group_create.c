/* SPDX-License-Identifier: MIT */
/* GROUP_CREATE: groups in an address space, which they keep, up to 64 of them. */
#include "tests/userspace/kselftest/queue.h"

static void many(int fd, uint32_t vm)
{
	uint32_t ids[64], last = 0;
	int made = 0;

	while (made < 64 && !group_create(fd, vm, &ids[made]) && ids[made])
		made++;
	ok(made == 64, "a file has 64 groups");
	ok(group_create(fd, vm, &last) == -ENOSPC, "and no more: ENOSPC");
	while (made)
		group_destroy(fd, ids[--made]);
	ok(!group_create(fd, vm, &last) && !group_destroy(fd, last),
	   "there is room again when they are gone");
}

/* What a group may be besides the usual. */
static void kinds(int fd, uint32_t vm)
{
	struct drm_sovgpu_group_create low = {.vm_id = vm, .priority = 1};
	struct drm_sovgpu_group_create slice = {.vm_id = vm, .time_slice_us = 10000};

	ok(!call(fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &low) && !group_destroy(fd, low.id),
	   "a group of low priority");
	ok(!call(fd, DRM_IOCTL_SOVGPU_GROUP_CREATE, &slice) && !group_destroy(fd, slice.id),
	   "a group whose turn is as long as it may be, 10 ms");
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(group_create, vm_id, 0, -ENOENT, "no address space"),
		SPOIL(group_create, vm_id, 63, -ENOENT, "an address space that is none"),
		SPOIL(group_create, vm_id, UINT32_MAX, -ENOENT, "the largest number"),
		SPOIL(group_create, flags, 1, -EINVAL, "a flag"),
		SPOIL(group_create, priority, 2, -EINVAL, "a priority that does not exist"),
		SPOIL(group_create, priority, UINT32_MAX, -EINVAL, "the largest priority"),
		SPOIL(group_create, time_slice_us, 10001, -EINVAL, "a turn of more than 10 ms"),
		SPOIL(group_create, time_slice_us, UINT32_MAX, -EINVAL, "the longest turn"),
		SPOIL(group_create, id, 1, -EINVAL, "a number to begin with"),
		SPOIL(group_create, pad, 1, -EINVAL, "a pad"),
	};
	struct drm_sovgpu_group_create good = {0};
	int fd = open_device(), other = open_device();
	uint32_t id;

	if (!ok(fd >= 0 && other >= 0, "the render node opens"))
		return tap_done();
	uint64_t before = free_vram(fd);

	vm_create(fd, &good.vm_id);
	ok(!group_create(fd, good.vm_id, &id) && id && !group_destroy(fd, id),
	   "a group is made and destroyed");
	ok(group_create(other, good.vm_id, &id) == -ENOENT,
	   "another file's address space is ENOENT");
	refuses(fd, "GROUP_CREATE", DRM_IOCTL_SOVGPU_GROUP_CREATE, &good, rows, COUNT(rows));
	kinds(fd, good.vm_id);
	many(fd, good.vm_id);
	ok(!group_create(fd, good.vm_id, &id) && !vm_destroy(fd, good.vm_id),
	   "an address space goes before its group");
	ok(!group_destroy(fd, id), "then the group goes");
	ok(free_vram(fd) == before, "all memory is free again");
	return tap_done();
}
