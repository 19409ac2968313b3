/* SPDX-License-Identifier: MIT */
/*
 * The driver's calls as data: every member of every argument, what it holds, and what nobody may pass there. A member has
 * a kind, and a kind is a list of such values with the one errno that each must give: bits that have no meaning, numbers of
 * nothing, of another file's and of what is gone, pointers to nowhere, counts and strides of no array.
 */
#ifndef TESTS_KSELFTEST_CALLS_H
#define TESTS_KSELFTEST_CALLS_H

#include "tests/userspace/kselftest/queue.h"

#define MOST_TRYS 72
#define KERNEL    UINT64_C(0xffff800000001000)

/* Objects of ours, of another file under a number that we do not have, and one that was given up. */
enum object { OBJECT_BUFFER, OBJECT_VM, OBJECT_GROUP, OBJECT_QUEUE, OBJECT_SYNCOBJ, OBJECTS };

/* What must not be passed because of what there is. */
struct names {
	uint32_t foreign[OBJECTS], closed[OBJECTS];
	uint8_t *hole; /* a page that nobody may touch, behind one that is there */
};

enum kind {
	ZERO,     /* pads, results, words without a meaning */
	FLAGS,    /* `detail`: bits that mean something */
	BELOW,    /* `detail`: the first that means nothing */
	NAME,     /* `detail`: of an enum object */
	POINTER,  /* the kernel reads or writes there */
	COUNT_OF, /* `detail`: most elements; none is EINVAL, too */
	STRIDE,   /* `detail`: bytes of an element */
	EVEN,     /* `detail`: what it is a multiple of */
	VALUE,    /* `detail` and what comes of it, as the row says */
};

struct member {
	const char *name;
	size_t offset, size;
	enum kind kind;
	uint64_t detail;
	int want;
};
#define MEMBER(type, member, ...) \
	{ \
		.name = #type "." #member, .offset = offsetof(struct drm_sovgpu_##type, member), \
		.size = sizeof(((struct drm_sovgpu_##type *)0)->member), .kind = __VA_ARGS__ \
	}

struct trial {
	uint64_t value;
	int want;
};

static inline size_t trial_add(struct trial *t, size_t n, uint64_t value, int want)
{
	t[n] = (struct trial){value, want};
	return n + 1;
}

/* What must not be passed for a member that is `now` in a good call. */
static inline size_t trials(const struct member *m, uint64_t now, const struct names *names,
			    struct trial *t)
{
	uint64_t all = m->size == 8 ? UINT64_MAX : UINT32_MAX;
	size_t n = 0;

	switch (m->kind) {
	case ZERO:
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
	case NAME:
		n = trial_add(t, n, 0, -ENOENT);
		n = trial_add(t, n, NO_HANDLE, -ENOENT);
		n = trial_add(t, n, INT32_MAX, -ENOENT);
		n = trial_add(t, n, all, -ENOENT);
		n = trial_add(t, n, names->foreign[m->detail], -ENOENT);
		return trial_add(t, n, names->closed[m->detail], -ENOENT);
	case POINTER:
		n = trial_add(t, n, 8, -EFAULT);
		n = trial_add(t, n, (uintptr_t)names->hole, -EFAULT);
		n = trial_add(t, n, (uintptr_t)names->hole - 8, -EFAULT);
		n = trial_add(t, n, KERNEL, -EFAULT);
		n = trial_add(t, n, UINT64_C(1) << 63, -EFAULT);
		return trial_add(t, n, UINT64_MAX - 7, -EFAULT);
	case COUNT_OF:
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
	case EVEN:
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
	MEMBER(bo_create, size, EVEN, VRAM_PAGE),
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
	MEMBER(bo_create, user_address, ZERO),
	MEMBER(bo_create, user_address, VALUE, 4096, -EINVAL),
	MEMBER(bo_create, exclusive_vm, VALUE, NO_HANDLE, -ENOENT),
	MEMBER(bo_create, exclusive_vm, VALUE, UINT32_MAX, -ENOENT),
	MEMBER(bo_create, handle, ZERO),
};
static const struct member user_bo_create_members[] = {
	MEMBER(bo_create, size, VALUE, 0, -EINVAL),
	MEMBER(bo_create, size, EVEN, 4096),
	MEMBER(bo_create, size, VALUE, UINT64_C(1) << 46, -ENOMEM),
	MEMBER(bo_create, flags, ZERO),
	MEMBER(bo_create, user_address, VALUE, 0, -EINVAL),
	MEMBER(bo_create, user_address, EVEN, 4096),
	MEMBER(bo_create, user_address, VALUE, UINT64_C(1) << 16, -EFAULT),
	MEMBER(bo_create, user_address, VALUE, KERNEL & ~UINT64_C(0xffff), -EFAULT),
	MEMBER(bo_create, user_address, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EFAULT),
};
static const struct member bo_mmap_offset_members[] = {
	MEMBER(bo_mmap_offset, handle, NAME, OBJECT_BUFFER),
	MEMBER(bo_mmap_offset, pad, ZERO),
	MEMBER(bo_mmap_offset, offset, ZERO),
};
static const struct member bo_info_members[] = {
	MEMBER(bo_info, handle, NAME, OBJECT_BUFFER),
	MEMBER(bo_info, region, ZERO),
	MEMBER(bo_info, size, ZERO),
	MEMBER(bo_info, flags, ZERO),
	MEMBER(bo_info, pad, ZERO),
};
static const struct member vm_create_members[] = {
	MEMBER(vm_create, flags, FLAGS, 0),
	MEMBER(vm_create, id, ZERO),
};
static const struct member vm_destroy_members[] = {
	MEMBER(vm_destroy, id, NAME, OBJECT_VM),
	MEMBER(vm_destroy, pad, ZERO),
};
static const struct member vm_bind_members[] = {
	MEMBER(vm_bind, vm_id, NAME, OBJECT_VM),
	MEMBER(vm_bind, flags, FLAGS, 0),
	MEMBER(vm_bind, ops.count, COUNT_OF, 1024),
	MEMBER(vm_bind, ops.stride, STRIDE, sizeof(struct drm_sovgpu_vm_bind_op)),
	MEMBER(vm_bind, ops.array, POINTER),
	MEMBER(vm_bind, syncs.count, BELOW, 65),
	MEMBER(vm_bind, syncs.stride, STRIDE, sizeof(struct drm_sovgpu_sync)),
	MEMBER(vm_bind, syncs.array, POINTER),
	MEMBER(vm_bind, done, ZERO),
	MEMBER(vm_bind, pad, ZERO),
};
static const struct member vm_bind_op_members[] = {
	MEMBER(vm_bind_op, type, BELOW, 2),
	MEMBER(vm_bind_op, flags, FLAGS, 7),
	MEMBER(vm_bind_op, handle, NAME, OBJECT_BUFFER),
	MEMBER(vm_bind_op, pad, ZERO),
	MEMBER(vm_bind_op, offset, EVEN, 4096),
	MEMBER(vm_bind_op, offset, VALUE, BUFFER_BYTES, -EINVAL),
	MEMBER(vm_bind_op, offset, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
	MEMBER(vm_bind_op, va, EVEN, 4096),
	MEMBER(vm_bind_op, va, VALUE, 0, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, GIB - 65536, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, UINT64_C(1) << 49, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, (UINT64_C(1) << 49) - 65536, -EINVAL),
	MEMBER(vm_bind_op, va, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
	MEMBER(vm_bind_op, size, VALUE, 0, -EINVAL),
	MEMBER(vm_bind_op, size, EVEN, 4096),
	MEMBER(vm_bind_op, size, VALUE, BUFFER_BYTES + 65536, -EINVAL),
	MEMBER(vm_bind_op, size, VALUE, UINT64_MAX & ~UINT64_C(0xffff), -EINVAL),
};
static const struct member vm_state_members[] = {
	MEMBER(vm_state, vm_id, NAME, OBJECT_VM), MEMBER(vm_state, state, ZERO),
	MEMBER(vm_state, mapped, ZERO),           MEMBER(vm_state, fault_address, ZERO),
	MEMBER(vm_state, fault_count, ZERO),      MEMBER(vm_state, pad, ZERO),
};
static const struct member group_create_members[] = {
	MEMBER(group_create, vm_id, NAME, OBJECT_VM),
	MEMBER(group_create, flags, FLAGS, 0),
	MEMBER(group_create, priority, BELOW, 2),
	MEMBER(group_create, time_slice_us, BELOW, 1000001),
	MEMBER(group_create, id, ZERO),
	MEMBER(group_create, pad, ZERO),
};
static const struct member group_destroy_members[] = {
	MEMBER(group_destroy, id, NAME, OBJECT_GROUP),
	MEMBER(group_destroy, pad, ZERO),
};
static const struct member queue_create_members[] = {
	MEMBER(queue_create, group_id, NAME, OBJECT_GROUP),
	MEMBER(queue_create, queue_class, BELOW, 2),
	MEMBER(queue_create, mode, BELOW, 2),
	MEMBER(queue_create, flags, FLAGS, 0),
	MEMBER(queue_create, ring_va, ZERO),
	MEMBER(queue_create, ring_va, VALUE, BUFFER_VA, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 1, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 17, -EINVAL),
	MEMBER(queue_create, ring_entries, BELOW, UINT32_C(1) << 30),
	MEMBER(queue_create, time_limit_ms, VALUE, 0, -EINVAL),
	MEMBER(queue_create, time_limit_ms, BELOW, 10001),
	MEMBER(queue_create, id, ZERO),
	MEMBER(queue_create, doorbell_value, ZERO),
	MEMBER(queue_create, doorbell_offset, ZERO),
	MEMBER(queue_create, pointers_offset, ZERO),
	MEMBER(queue_create, put_offset, ZERO),
	MEMBER(queue_create, get_offset, ZERO),
};
static const struct member user_queue_create_members[] = {
	MEMBER(queue_create, group_id, NAME, OBJECT_GROUP),
	MEMBER(queue_create, flags, FLAGS, 0),
	MEMBER(queue_create, ring_va, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_va, EVEN, 8),
	MEMBER(queue_create, ring_va, VALUE, 3 * GIB, -EFAULT), /* nothing is mapped there */
	MEMBER(queue_create, ring_va, VALUE, UINT64_C(1) << 40, -EINVAL),
	MEMBER(queue_create, ring_va, VALUE, UINT64_MAX & ~UINT64_C(0xfff), -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 0, -EINVAL),
	MEMBER(queue_create, ring_entries, VALUE, 17, -EINVAL),
	MEMBER(queue_create, ring_entries, BELOW, UINT32_C(1) << 30),
	MEMBER(queue_create, time_limit_ms, ZERO),
	MEMBER(queue_create, id, ZERO),
	MEMBER(queue_create, doorbell_value, ZERO),
	MEMBER(queue_create, doorbell_offset, ZERO),
	MEMBER(queue_create, pointers_offset, ZERO),
	MEMBER(queue_create, put_offset, ZERO),
	MEMBER(queue_create, get_offset, ZERO),
};
static const struct member queue_destroy_members[] = {
	MEMBER(queue_destroy, id, NAME, OBJECT_QUEUE),
	MEMBER(queue_destroy, pad, ZERO),
};
static const struct member queue_submit_members[] = {
	MEMBER(queue_submit, queue_id, NAME, OBJECT_QUEUE),
	MEMBER(queue_submit, flags, FLAGS, 0),
	MEMBER(queue_submit, jobs.count, COUNT_OF, 16),
	MEMBER(queue_submit, jobs.stride, STRIDE, sizeof(struct drm_sovgpu_job)),
	MEMBER(queue_submit, jobs.array, POINTER),
	MEMBER(queue_submit, syncs.count, BELOW, 65),
	MEMBER(queue_submit, syncs.stride, STRIDE, sizeof(struct drm_sovgpu_sync)),
	MEMBER(queue_submit, syncs.array, POINTER),
};
static const struct member job_members[] = {
	MEMBER(job, va, EVEN, 4),
	MEMBER(job, va, VALUE, (UINT64_C(1) << 40) - 4, -EINVAL),
	MEMBER(job, va, VALUE, UINT64_C(1) << 40, -EINVAL),
	MEMBER(job, va, VALUE, UINT64_MAX - 3, -EINVAL),
	MEMBER(job, size, VALUE, 0, -EINVAL),
	MEMBER(job, size, EVEN, 4),
	MEMBER(job, size, VALUE, UINT32_C(4) << 21, -EINVAL),
	MEMBER(job, size, VALUE, UINT32_MAX & ~UINT32_C(3), -EINVAL),
	MEMBER(job, pad, ZERO),
};
static const struct member sync_members[] = {
	MEMBER(sync, flags, FLAGS, 3),
	MEMBER(sync, flags, VALUE, DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, -EINVAL),
	MEMBER(sync, flags, VALUE, 0, -EINVAL), /* nobody will signal it */
	MEMBER(sync, handle, NAME, OBJECT_SYNCOBJ),
	MEMBER(sync, point, ZERO),
};
static const struct member queue_state_members[] = {
	MEMBER(queue_state, queue_id, NAME, OBJECT_QUEUE),
	MEMBER(queue_state, state, ZERO),
	MEMBER(queue_state, fault_code, ZERO),
	MEMBER(queue_state, fault_unit, ZERO),
	MEMBER(queue_state, fault_kind, ZERO),
	MEMBER(queue_state, pad, ZERO),
	MEMBER(queue_state, fault_address, ZERO),
};
static const struct member fence_wait_members[] = {
	MEMBER(fence_wait, handle, NAME, OBJECT_BUFFER),
	MEMBER(fence_wait, op, BELOW, 2),
	MEMBER(fence_wait, offset, EVEN, 8),
	MEMBER(fence_wait, offset, VALUE, BUFFER_BYTES, -EINVAL),
	MEMBER(fence_wait, offset, VALUE, UINT64_MAX - 7, -EINVAL),
	MEMBER(fence_wait, value, VALUE, 2, -EINVAL), /* the mask has one bit */
	MEMBER(fence_wait, value, VALUE, 1, -ETIME),
	MEMBER(fence_wait, mask, VALUE, UINT64_MAX, 0),
	MEMBER(fence_wait, deadline_ns, VALUE, UINT64_MAX, 0), /* what is there needs no time */
};

static const struct member interrupt_wait_members[] = {
	MEMBER(interrupt_wait, pad, ZERO),
	MEMBER(interrupt_wait, deadline_ns, VALUE, UINT64_MAX, 0), /* what has come needs no time */
};

#endif
