/* SPDX-License-Identifier: MIT */
/*
 * The driver's ioctls as data: every member of every argument struct and the values that the driver
 * must reject there. A member has a kind; the kind determines a list of invalid values, each with
 * the one errno that it must return: undefined flag bits, handles that are unallocated, closed or
 * belong to another file, pointers to unmapped memory, counts and strides of no valid array.
 */
#ifndef TESTS_KSELFTEST_CALLS_H
#define TESTS_KSELFTEST_CALLS_H

#include "tests/userspace/kselftest/queue.h"

#define MAX_TRIALS     72
#define KERNEL_ADDRESS UINT64_C(0xffff800000001000)

/* Kinds of object that have handles or IDs. */
enum object { OBJECT_BUFFER, OBJECT_VM, OBJECT_GROUP, OBJECT_QUEUE, OBJECT_SYNCOBJ, OBJECTS };

/* Values that are invalid because of the objects that exist now. */
struct bad_handles {
	uint32_t foreign[OBJECTS]; /* valid in another file only */
	uint32_t closed[OBJECTS];  /* closed handles */
	uint8_t *hole;             /* a PROT_NONE page that follows a mapped page */
};

enum kind {
	MUST_BE_ZERO, /* pads, output members, unused words */
	FLAGS,        /* `detail`: mask of the defined bits */
	BELOW,        /* `detail`: the first invalid value */
	HANDLE,       /* `detail`: an enum object */
	POINTER,      /* a user pointer that the kernel reads or writes */
	ARRAY_COUNT,  /* `detail`: maximum element count; 0 is EINVAL as well */
	STRIDE,       /* `detail`: element size in bytes */
	ALIGNED,      /* `detail`: required alignment */
	VALUE,        /* `detail` itself, which must return `want` */
};

struct member {
	const char *name;
	size_t offset, size;
	enum kind kind;
	uint64_t detail;
	int want;
};
#define MEMBER(type, member, ...) \
	{.name = #type "." #member, \
	 .offset = offsetof(struct drm_sovgpu_##type, member), \
	 .size = sizeof(((struct drm_sovgpu_##type *)0)->member), \
	 .kind = __VA_ARGS__}

struct trial {
	uint64_t value;
	int want;
};

static inline size_t trial_add(struct trial *t, size_t n, uint64_t value, int want)
{
	t[n] = (struct trial){value, want};
	return n + 1;
}

/*
 * Lists the invalid values of a member whose value in a valid call is `now`; returns their number.
 */
static inline size_t member_trials(const struct member *m, uint64_t now,
				   const struct bad_handles *handles, struct trial *t)
{
	uint64_t all = m->size == 8 ? UINT64_MAX : UINT32_MAX;
	size_t n = 0;

	switch (m->kind) {
	case MUST_BE_ZERO:
		n = trial_add(t, n, 1, -EINVAL);
		n = trial_add(t, n, all ^ all >> 1, -EINVAL);
		return trial_add(t, n, all, -EINVAL);
	case FLAGS:
		for (uint32_t bit = 0; bit < 8 * m->size; bit++)
			if (!(m->detail >> bit & 1))
				n = trial_add(t, n, now | UINT64_C(1) << bit, -EINVAL);
		return trial_add(t, n, all, -EINVAL);
	case BELOW:
		n = trial_add(t, n, m->detail, -EINVAL);
		n = trial_add(t, n, m->detail + 1, -EINVAL);
		n = trial_add(t, n, all ^ all >> 1, -EINVAL);
		return trial_add(t, n, all, -EINVAL);
	case HANDLE:
		n = trial_add(t, n, 0, -ENOENT);
		n = trial_add(t, n, NO_HANDLE, -ENOENT);
		n = trial_add(t, n, INT32_MAX, -ENOENT);
		n = trial_add(t, n, all, -ENOENT);
		n = trial_add(t, n, handles->foreign[m->detail], -ENOENT);
		return trial_add(t, n, handles->closed[m->detail], -ENOENT);
	case POINTER:
		n = trial_add(t, n, 8, -EFAULT);
		n = trial_add(t, n, (uintptr_t)handles->hole, -EFAULT);
		n = trial_add(t, n, (uintptr_t)handles->hole - 8, -EFAULT);
		n = trial_add(t, n, KERNEL_ADDRESS, -EFAULT);
		n = trial_add(t, n, UINT64_C(1) << 63, -EFAULT);
		return trial_add(t, n, UINT64_MAX - 7, -EFAULT);
	case ARRAY_COUNT:
		n = trial_add(t, n, 0, -EINVAL);
		n = trial_add(t, n, m->detail + 1, -EINVAL);
		n = trial_add(t, n, UINT32_C(1) << 31, -EINVAL);
		return trial_add(t, n, all, -EINVAL);
	case STRIDE:
		n = trial_add(t, n, 0, -EINVAL);
		n = trial_add(t, n, m->detail - 8, -EINVAL);
		n = trial_add(t, n, m->detail + 1, -EINVAL);
		n = trial_add(t, n, m->detail + 4, -EINVAL);
		n = trial_add(t, n, 4104, -EINVAL);
		n = trial_add(t, n, all - 7, -EINVAL);
		return trial_add(t, n, all, -EINVAL);
	case ALIGNED:
		n = trial_add(t, n, now + 1, -EINVAL);
		n = trial_add(t, n, now + m->detail / 2, -EINVAL);
		return trial_add(t, n, now + m->detail - 1, -EINVAL);
	case VALUE:
		return trial_add(t, n, m->detail, m->want);
	}
	return 0;
}

static const struct member dev_query_members[] = {
	MEMBER(dev_query, type, BELOW, DRM_SOVGPU_DEV_QUERY_TIME + 1),
	MEMBER(dev_query, pointer, POINTER),
};
static const struct member bo_create_members[] = {
	MEMBER(bo_create, size, VALUE, 0, -EINVAL),
	MEMBER(bo_create, size, ALIGNED, VRAM_PAGE),
	MEMBER(bo_create, size, VALUE, (UINT64_C(1) << 46) + VRAM_PAGE, -EINVAL),
	MEMBER(bo_create, size, VALUE, UINT64_C(1) << 46, -ENOSPC),
	MEMBER(bo_create, size, VALUE, UINT64_C(1) << 63, -EINVAL),
	MEMBER(bo_create, size, VALUE, UINT64_MAX, -EINVAL),
	MEMBER(bo_create, region, VALUE, 0, -EINVAL),
	MEMBER(bo_create, region, VALUE, VRAM | SYSTEM, -EINVAL),
	MEMBER(bo_create, region, VALUE, USER, -EINVAL),
	MEMBER(bo_create, region, VALUE, 8, -EINVAL),
	MEMBER(bo_create, region, VALUE, UINT32_MAX, -EINVAL),
	MEMBER(bo_create, flags, FLAGS, MAPPABLE | UNCACHED),
	MEMBER(bo_create, user_address, MUST_BE_ZERO),
	MEMBER(bo_create, user_address, VALUE, 4096, -EINVAL),
	MEMBER(bo_create, exclusive_vm, VALUE, NO_HANDLE, -ENOENT),
	MEMBER(bo_create, exclusive_vm, VALUE, UINT32_MAX, -ENOENT),
	MEMBER(bo_create, handle, MUST_BE_ZERO),
};
static const struct member user_bo_create_members[] = {
	MEMBER(bo_create, size, VALUE, 0, -EINVAL),
	MEMBER(bo_create, size, ALIGNED, 4096),
	MEMBER(bo_create, size, VALUE, UINT64_C(1) << 46, -ENOMEM),
	MEMBER(bo_create, flags, MUST_BE_ZERO),
	MEMBER(bo_create, user_address, VALUE, 0, -EINVAL),
	MEMBER(bo_create, user_address, ALIGNED, 4096),
	MEMBER(bo_create, user_address, VALUE, UINT64_C(1) << 16, -EFAULT),
	MEMBER(bo_create, user_address, VALUE, KERNEL_ADDRESS & ~UINT64_C(0xffff), -EFAULT),
	MEMBER(bo_create, user_address, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EFAULT),
};
static const struct member bo_mmap_offset_members[] = {
	MEMBER(bo_mmap_offset, handle, HANDLE, OBJECT_BUFFER),
	MEMBER(bo_mmap_offset, pad, MUST_BE_ZERO),
	MEMBER(bo_mmap_offset, offset, MUST_BE_ZERO),
};
static const struct member bo_info_members[] = {
	MEMBER(bo_info, handle, HANDLE, OBJECT_BUFFER),
	MEMBER(bo_info, region, MUST_BE_ZERO),
	MEMBER(bo_info, size, MUST_BE_ZERO),
	MEMBER(bo_info, flags, MUST_BE_ZERO),
	MEMBER(bo_info, pad, MUST_BE_ZERO),
};
static const struct member vm_create_members[] = {
	MEMBER(vm_create, flags, FLAGS, 0),
	MEMBER(vm_create, id, MUST_BE_ZERO),
};
static const struct member vm_destroy_members[] = {
	MEMBER(vm_destroy, id, HANDLE, OBJECT_VM),
	MEMBER(vm_destroy, pad, MUST_BE_ZERO),
};
static const struct member vm_bind_members[] = {
	MEMBER(vm_bind, vm_id, HANDLE, OBJECT_VM),
	MEMBER(vm_bind, flags, FLAGS, 0),
	MEMBER(vm_bind, ops.count, ARRAY_COUNT, 1024),
	MEMBER(vm_bind, ops.stride, STRIDE, sizeof(struct drm_sovgpu_vm_bind_op)),
	MEMBER(vm_bind, ops.array, POINTER),
	MEMBER(vm_bind, syncs.count, BELOW, 65),
	MEMBER(vm_bind, syncs.stride, STRIDE, sizeof(struct drm_sovgpu_sync)),
	MEMBER(vm_bind, syncs.array, POINTER),
	MEMBER(vm_bind, done, MUST_BE_ZERO),
	MEMBER(vm_bind, pad, MUST_BE_ZERO),
};
static const struct member vm_bind_op_members[] = {
	MEMBER(vm_bind_op, type, BELOW, 2),
	MEMBER(vm_bind_op, flags, FLAGS, 7),
	MEMBER(vm_bind_op, flags, VALUE, DRM_SOVGPU_VM_MAP_NOEXEC, -EOPNOTSUPP),
	MEMBER(vm_bind_op, handle, HANDLE, OBJECT_BUFFER),
	MEMBER(vm_bind_op, pad, MUST_BE_ZERO),
	MEMBER(vm_bind_op, offset, ALIGNED, 4096),
	MEMBER(vm_bind_op, offset, VALUE, BUFFER_BYTES, -EINVAL),
	MEMBER(vm_bind_op, offset, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
	MEMBER(vm_bind_op, va, ALIGNED, 4096),
	MEMBER(vm_bind_op, va, VALUE, 0, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, GIB - 65536, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, UINT64_C(1) << 49, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, (UINT64_C(1) << 49) - 65536, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
	MEMBER(vm_bind_op, size, VALUE, 0, -EINVAL),
	MEMBER(vm_bind_op, size, ALIGNED, 4096),
	MEMBER(vm_bind_op, size, VALUE, BUFFER_BYTES + 65536, -EINVAL),
	MEMBER(vm_bind_op, size, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
};
static const struct member vm_state_members[] = {
	MEMBER(vm_state, vm_id, HANDLE, OBJECT_VM),  MEMBER(vm_state, state, MUST_BE_ZERO),
	MEMBER(vm_state, mapped, MUST_BE_ZERO),      MEMBER(vm_state, fault_address, MUST_BE_ZERO),
	MEMBER(vm_state, fault_count, MUST_BE_ZERO), MEMBER(vm_state, pad, MUST_BE_ZERO),
};
static const struct member group_create_members[] = {
	MEMBER(group_create, vm_id, HANDLE, OBJECT_VM),
	MEMBER(group_create, flags, FLAGS, 0),
	MEMBER(group_create, priority, BELOW, 2),
	MEMBER(group_create, time_slice_us, BELOW, 1000001),
	MEMBER(group_create, id, MUST_BE_ZERO),
	MEMBER(group_create, pad, MUST_BE_ZERO),
};
static const struct member group_destroy_members[] = {
	MEMBER(group_destroy, id, HANDLE, OBJECT_GROUP),
	MEMBER(group_destroy, pad, MUST_BE_ZERO),
};
static const struct member queue_create_members[] = {
	MEMBER(queue_create, group_id, HANDLE, OBJECT_GROUP),
	MEMBER(queue_create, queue_class, BELOW, 2),
	MEMBER(queue_create, mode, BELOW, 2),
	MEMBER(queue_create, flags, FLAGS, 0),
	MEMBER(queue_create, ring_va, MUST_BE_ZERO),
	MEMBER(queue_create, ring_va, VALUE, BUFFER_VA, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 1, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 17, -EINVAL),
	MEMBER(queue_create, ring_entries, BELOW, UINT32_C(1) << 30),
	MEMBER(queue_create, time_limit_ms, VALUE, 0, -EINVAL),
	MEMBER(queue_create, time_limit_ms, BELOW, 10001),
	MEMBER(queue_create, id, MUST_BE_ZERO),
	MEMBER(queue_create, doorbell_value, MUST_BE_ZERO),
	MEMBER(queue_create, doorbell_offset, MUST_BE_ZERO),
	MEMBER(queue_create, pointers_offset, MUST_BE_ZERO),
	MEMBER(queue_create, put_offset, MUST_BE_ZERO),
	MEMBER(queue_create, get_offset, MUST_BE_ZERO),
};
static const struct member user_queue_create_members[] = {
	MEMBER(queue_create, group_id, HANDLE, OBJECT_GROUP),
	MEMBER(queue_create, flags, FLAGS, 0),
	MEMBER(queue_create, ring_va, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_va, ALIGNED, 8),
	MEMBER(queue_create, ring_va, VALUE, 3 * GIB, -EFAULT), /* nothing is mapped there */
	MEMBER(queue_create, ring_va, VALUE, UINT64_C(1) << 40, -EINVAL),
	MEMBER(queue_create, ring_va, VALUE, UINT64_MAX & ~UINT64_C(0xfff), -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 17, -EINVAL),
	MEMBER(queue_create, ring_entries, BELOW, UINT32_C(1) << 30),
	MEMBER(queue_create, time_limit_ms, MUST_BE_ZERO),
	MEMBER(queue_create, id, MUST_BE_ZERO),
	MEMBER(queue_create, doorbell_value, MUST_BE_ZERO),
	MEMBER(queue_create, doorbell_offset, MUST_BE_ZERO),
	MEMBER(queue_create, pointers_offset, MUST_BE_ZERO),
	MEMBER(queue_create, put_offset, MUST_BE_ZERO),
	MEMBER(queue_create, get_offset, MUST_BE_ZERO),
};
static const struct member queue_destroy_members[] = {
	MEMBER(queue_destroy, id, HANDLE, OBJECT_QUEUE),
	MEMBER(queue_destroy, pad, MUST_BE_ZERO),
};
static const struct member queue_submit_members[] = {
	MEMBER(queue_submit, queue_id, HANDLE, OBJECT_QUEUE),
	MEMBER(queue_submit, flags, FLAGS, 0),
	MEMBER(queue_submit, jobs.count, ARRAY_COUNT, 16),
	MEMBER(queue_submit, jobs.stride, STRIDE, sizeof(struct drm_sovgpu_job)),
	MEMBER(queue_submit, jobs.array, POINTER),
	MEMBER(queue_submit, syncs.count, BELOW, 65),
	MEMBER(queue_submit, syncs.stride, STRIDE, sizeof(struct drm_sovgpu_sync)),
	MEMBER(queue_submit, syncs.array, POINTER),
};
static const struct member job_members[] = {
	MEMBER(job, va, ALIGNED, 4),
	MEMBER(job, va, VALUE, (UINT64_C(1) << 40) - 4, -EINVAL),
	MEMBER(job, va, VALUE, UINT64_C(1) << 40, -EINVAL),
	MEMBER(job, va, VALUE, UINT64_MAX - 3, -EINVAL),
	MEMBER(job, size, VALUE, 0, -EINVAL),
	MEMBER(job, size, ALIGNED, 4),
	MEMBER(job, size, VALUE, UINT32_C(4) << 21, -EINVAL),
	MEMBER(job, size, VALUE, UINT32_MAX & ~UINT32_C(3), -EINVAL),
	MEMBER(job, pad, MUST_BE_ZERO),
};
static const struct member sync_members[] = {
	MEMBER(sync, flags, FLAGS, 3),
	MEMBER(sync, flags, VALUE, DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, -EINVAL),
	MEMBER(sync, flags, VALUE, 0, -EINVAL), /* the syncobj has no fence */
	MEMBER(sync, handle, HANDLE, OBJECT_SYNCOBJ),
	MEMBER(sync, point, MUST_BE_ZERO),
};
static const struct member queue_state_members[] = {
	MEMBER(queue_state, queue_id, HANDLE, OBJECT_QUEUE),
	MEMBER(queue_state, state, MUST_BE_ZERO),
	MEMBER(queue_state, fault_code, MUST_BE_ZERO),
	MEMBER(queue_state, fault_unit, MUST_BE_ZERO),
	MEMBER(queue_state, fault_kind, MUST_BE_ZERO),
	MEMBER(queue_state, pad, MUST_BE_ZERO),
	MEMBER(queue_state, fault_address, MUST_BE_ZERO),
};
static const struct member fence_wait_members[] = {
	MEMBER(fence_wait, handle, HANDLE, OBJECT_BUFFER),
	MEMBER(fence_wait, op, BELOW, 2),
	MEMBER(fence_wait, offset, ALIGNED, 8),
	MEMBER(fence_wait, offset, VALUE, BUFFER_BYTES, -EINVAL),
	MEMBER(fence_wait, offset, VALUE, UINT64_MAX - 7, -EINVAL),
	MEMBER(fence_wait, value, VALUE, 2, -EINVAL), /* the mask has one bit */
	MEMBER(fence_wait, value, VALUE, 1, -ETIME),
	MEMBER(fence_wait, mask, VALUE, UINT64_MAX, 0),
	MEMBER(fence_wait, deadline_ns, VALUE, UINT64_MAX, 0), /* the condition already holds */
};

static const struct member interrupt_wait_members[] = {
	MEMBER(interrupt_wait, pad, MUST_BE_ZERO),
	MEMBER(interrupt_wait, deadline_ns, VALUE, UINT64_MAX,
	       0), /* an interrupt has already arrived */
};

#endif
