/* SPDX-License-Identifier: MIT */
/*
 * Every call, every member, every way to spoil it. A member has a kind, and a kind is a list of values that nobody may
 * pass there with the one errno that each must give: bits that have no meaning, numbers of nothing, of another file's
 * and of what is gone, pointers to nowhere, counts and strides of no array. The rest of the argument stays as it is in
 * a call that succeeds, which is tried before and after. A call that fails leaves its argument as it was, and in the
 * end the file has nothing that it did not have.
 */
#include "tests/userspace/kselftest/queue.h"

#define VA        (8 * GIB)
#define MOST_TRYS 64
#define KERNEL    UINT64_C(0xffff800000001000)

/* Objects of ours, of another file under a number that we do not have, and one that was given up. */
enum object { OBJECT_BUFFER, OBJECT_VM, OBJECT_GROUP, OBJECT_QUEUE, OBJECT_SYNCOBJ, OBJECTS };

static struct world {
	struct machine m;
	int other;
	uint32_t foreign[OBJECTS], closed[OBJECTS];
	uint32_t syncobj;
	uint8_t *hole; /* a page that nobody may touch, behind one that is there */
	uint64_t page;
	struct drm_sovgpu_vm_bind_op op;
	struct drm_sovgpu_job job;
	struct drm_sovgpu_sync sync;
} w;

enum kind {
	ZERO,    /* pads, results, words without a meaning */
	FLAGS,   /* `detail`: bits that mean something */
	BELOW,   /* `detail`: the first that means nothing */
	NAME,    /* `detail`: of an enum object */
	POINTER, /* the kernel reads or writes there */
	COUNT_OF, /* `detail`: most elements; none is EINVAL, too */
	STRIDE,  /* `detail`: bytes of an element */
	EVEN,    /* `detail`: what it is a multiple of */
	VALUE,   /* `detail` and what comes of it, as the row says */
};

struct member {
	const char *name;
	size_t offset, size;
	enum kind kind;
	uint64_t detail;
	int want;
};
#define MEMBER(type, member, ...) \
	{.name = #type "." #member, .offset = offsetof(struct drm_sovgpu_##type, member), \
	 .size = sizeof(((struct drm_sovgpu_##type *)0)->member), .kind = __VA_ARGS__}

struct trial {
	uint64_t value;
	int want;
};

static size_t add(struct trial *t, size_t n, uint64_t value, int want)
{
	t[n] = (struct trial){value, want};
	return n + 1;
}

/* What must not be passed for a member that is `now` in a good call. */
static size_t trials(const struct member *m, uint64_t now, struct trial *t)
{
	uint64_t all = m->size == 8 ? UINT64_MAX : UINT32_MAX;
	size_t n = 0;

	switch (m->kind) {
	case ZERO:
		n = add(t, n, 1, -EINVAL);
		n = add(t, n, all ^ all >> 1, -EINVAL);
		return add(t, n, all, -EINVAL);
	case FLAGS:
		for (uint32_t bit = 0; bit < 8 * m->size; bit++)
			if (!(m->detail >> bit & 1))
				n = add(t, n, now | UINT64_C(1) << bit, -EINVAL);
		return add(t, n, all, -EINVAL);
	case BELOW:
		n = add(t, n, m->detail, -EINVAL);
		n = add(t, n, m->detail + 1, -EINVAL);
		n = add(t, n, all ^ all >> 1, -EINVAL);
		return add(t, n, all, -EINVAL);
	case NAME:
		n = add(t, n, 0, -ENOENT);
		n = add(t, n, NO_HANDLE, -ENOENT);
		n = add(t, n, INT32_MAX, -ENOENT);
		n = add(t, n, all, -ENOENT);
		n = add(t, n, w.foreign[m->detail], -ENOENT);
		return add(t, n, w.closed[m->detail], -ENOENT);
	case POINTER:
		n = add(t, n, 8, -EFAULT);
		n = add(t, n, (uintptr_t)w.hole, -EFAULT);
		n = add(t, n, (uintptr_t)w.hole - 8, -EFAULT);
		n = add(t, n, KERNEL, -EFAULT);
		n = add(t, n, UINT64_C(1) << 63, -EFAULT);
		return add(t, n, UINT64_MAX - 7, -EFAULT);
	case COUNT_OF:
		n = add(t, n, 0, -EINVAL);
		n = add(t, n, m->detail + 1, -EINVAL);
		n = add(t, n, UINT32_C(1) << 31, -EINVAL);
		return add(t, n, all, -EINVAL);
	case STRIDE:
		n = add(t, n, 0, -EINVAL);
		n = add(t, n, m->detail - 8, -EINVAL);
		n = add(t, n, m->detail + 1, -EINVAL);
		n = add(t, n, m->detail + 4, -EINVAL);
		n = add(t, n, 4104, -EINVAL);
		n = add(t, n, all - 7, -EINVAL);
		return add(t, n, all, -EINVAL);
	case EVEN:
		n = add(t, n, now + 1, -EINVAL);
		n = add(t, n, now + m->detail / 2, -EINVAL);
		return add(t, n, now + m->detail - 1, -EINVAL);
	case VALUE:
		return add(t, n, m->detail, m->want);
	}
	return 0;
}

static const struct member dev_query[] = {
	MEMBER(dev_query, type, BELOW, DRM_SOVGPU_DEV_QUERY_TIME + 1),
	MEMBER(dev_query, pointer, POINTER),
};
static const struct member bo_create[] = {
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
static const struct member user_bo_create[] = {
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
static const struct member bo_mmap_offset[] = {
	MEMBER(bo_mmap_offset, handle, NAME, OBJECT_BUFFER),
	MEMBER(bo_mmap_offset, pad, ZERO),
	MEMBER(bo_mmap_offset, offset, ZERO),
};
static const struct member bo_info[] = {
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
static const struct member vm_bind_op[] = {
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
static const struct member vm_state[] = {
	MEMBER(vm_state, vm_id, NAME, OBJECT_VM),
	MEMBER(vm_state, state, ZERO),
	MEMBER(vm_state, mapped, ZERO),
	MEMBER(vm_state, fault_address, ZERO),
	MEMBER(vm_state, fault_count, ZERO),
	MEMBER(vm_state, pad, ZERO),
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
static const struct member user_queue_create[] = {
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
static const struct member queue_submit[] = {
	MEMBER(queue_submit, queue_id, NAME, OBJECT_QUEUE),
	MEMBER(queue_submit, flags, FLAGS, 0),
	MEMBER(queue_submit, jobs.count, COUNT_OF, 16),
	MEMBER(queue_submit, jobs.stride, STRIDE, sizeof(struct drm_sovgpu_job)),
	MEMBER(queue_submit, jobs.array, POINTER),
	MEMBER(queue_submit, syncs.count, BELOW, 65),
	MEMBER(queue_submit, syncs.stride, STRIDE, sizeof(struct drm_sovgpu_sync)),
	MEMBER(queue_submit, syncs.array, POINTER),
};
static const struct member job[] = {
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
static const struct member fence_wait[] = {
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

static const struct member interrupt_wait[] = {
	MEMBER(interrupt_wait, pad, ZERO),
	MEMBER(interrupt_wait, deadline_ns, VALUE, UINT64_MAX, 0), /* what has come needs no time */
};

/* Good arguments; `done` takes away what a call has made. */
static void make_query(void *argument)
{
	static struct drm_sovgpu_device_info info;

	*(struct drm_sovgpu_dev_query *)argument =
		(struct drm_sovgpu_dev_query){.size = sizeof(info), .pointer = (uintptr_t)&info};
}
static void make_buffer(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){.size = VRAM_PAGE, .region = VRAM};
}
static void make_user_buffer(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){
		.size = w.page, .region = USER, .user_address = (uintptr_t)w.hole - w.page};
}
static void forget_buffer(const void *argument)
{
	forget(w.m.fd, ((const struct drm_sovgpu_bo_create *)argument)->handle);
}
static void make_offset(void *argument)
{
	*(struct drm_sovgpu_bo_mmap_offset *)argument = (struct drm_sovgpu_bo_mmap_offset){.handle = w.m.buffer};
}
static void make_info(void *argument)
{
	*(struct drm_sovgpu_bo_info *)argument = (struct drm_sovgpu_bo_info){.handle = w.m.buffer};
}
static void forget_vm(const void *argument)
{
	vm_destroy(w.m.fd, ((const struct drm_sovgpu_vm_create *)argument)->id);
}
static void make_vm_destroy(void *argument)
{
	vm_create(w.m.fd, &((struct drm_sovgpu_vm_destroy *)argument)->id);
}
static void make_bind(void *argument)
{
	w.op = (struct drm_sovgpu_vm_bind_op){.handle = w.m.buffer, .va = VA, .size = BUFFER_BYTES};
	w.sync = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, w.syncobj, 0};
	*(struct drm_sovgpu_vm_bind *)argument =
		(struct drm_sovgpu_vm_bind){.vm_id = w.m.vm, .ops = {sizeof(w.op), 1, (uintptr_t)&w.op},
					    .syncs = {sizeof(w.sync), 1, (uintptr_t)&w.sync}};
}
/* Afterwards the syncobj has no fence again, so that to wait for it stays an error. */
static void forget_sync(const void *argument)
{
	struct drm_syncobj_array a = {.handles = (uintptr_t)&w.syncobj, .count_handles = 1};

	(void)argument;
	wait_for(w.m.fd, w.syncobj, 0, 60);
	call(w.m.fd, DRM_IOCTL_SYNCOBJ_RESET, &a);
}
static void forget_bind(const void *argument)
{
	forget_sync(argument);
	vm_unmap(w.m.fd, w.m.vm, VA, BUFFER_BYTES);
}
static void make_vm_state(void *argument)
{
	*(struct drm_sovgpu_vm_state *)argument = (struct drm_sovgpu_vm_state){.vm_id = w.m.vm};
}
static void make_group(void *argument)
{
	*(struct drm_sovgpu_group_create *)argument = (struct drm_sovgpu_group_create){.vm_id = w.m.vm};
}
static void forget_group(const void *argument)
{
	group_destroy(w.m.fd, ((const struct drm_sovgpu_group_create *)argument)->id);
}
static void make_group_destroy(void *argument)
{
	group_create(w.m.fd, w.m.vm, &((struct drm_sovgpu_group_destroy *)argument)->id);
}
static void make_queue(void *argument)
{
	*(struct drm_sovgpu_queue_create *)argument = (struct drm_sovgpu_queue_create){
		.group_id = w.m.group, .queue_class = COPY, .ring_entries = 16, .time_limit_ms = LIMIT_MS};
}
static void make_user_queue(void *argument)
{
	*(struct drm_sovgpu_queue_create *)argument = (struct drm_sovgpu_queue_create){
		.group_id = w.m.group, .queue_class = COPY, .mode = DRM_SOVGPU_QUEUE_USER,
		.ring_va = BUFFER_VA + 3 * MIB, .ring_entries = 64};
}
static void forget_queue(const void *argument)
{
	queue_destroy(w.m.fd, ((const struct drm_sovgpu_queue_create *)argument)->id);
}
static void make_queue_destroy(void *argument)
{
	queue_create(w.m.fd, w.m.group, COPY, 16, LIMIT_MS, &((struct drm_sovgpu_queue_destroy *)argument)->id);
}
static void make_submit(void *argument)
{
	struct stream s = at(&w.m, 0);

	add_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, 64);
	w.job = job_of(&w.m, &s);
	w.sync = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, w.syncobj, 0};
	*(struct drm_sovgpu_queue_submit *)argument =
		(struct drm_sovgpu_queue_submit){.queue_id = w.m.queue, .jobs = {sizeof(w.job), 1, (uintptr_t)&w.job},
						 .syncs = {sizeof(w.sync), 1, (uintptr_t)&w.sync}};
}
static void make_queue_state(void *argument)
{
	*(struct drm_sovgpu_queue_state *)argument = (struct drm_sovgpu_queue_state){.queue_id = w.m.queue};
}
static void make_wait(void *argument)
{
	*(struct drm_sovgpu_fence_wait *)argument =
		(struct drm_sovgpu_fence_wait){.handle = w.m.buffer, .offset = 3 * MIB, .mask = 1};
}

/* A count that nobody has seen: interrupts have come, the call returns at once. */
static void make_interrupt_wait(void *argument)
{
	*(struct drm_sovgpu_interrupt_wait *)argument =
		(struct drm_sovgpu_interrupt_wait){.count = UINT32_C(0x12345678)};
}

static const struct abused {
	const char *name;
	unsigned long request;
	void (*make)(void *argument);
	void (*done)(const void *argument);
	const struct member *members;
	size_t count;
	void *element; /* of an array whose members are spoiled instead; NULL: the argument's are */
} calls[] = {
#define CALL(NAME, make, done, list, element) {#NAME, DRM_IOCTL_SOVGPU_##NAME, make, done, list, COUNT(list), element}
	CALL(DEV_QUERY, make_query, NULL, dev_query, NULL),
	CALL(BO_CREATE, make_buffer, forget_buffer, bo_create, NULL),
	CALL(BO_CREATE, make_user_buffer, forget_buffer, user_bo_create, NULL),
	CALL(BO_MMAP_OFFSET, make_offset, NULL, bo_mmap_offset, NULL),
	CALL(BO_INFO, make_info, NULL, bo_info, NULL),
	CALL(VM_CREATE, NULL, forget_vm, vm_create_members, NULL),
	CALL(VM_DESTROY, make_vm_destroy, NULL, vm_destroy_members, NULL),
	CALL(VM_BIND, make_bind, forget_bind, vm_bind_members, NULL),
	CALL(VM_BIND, make_bind, forget_bind, vm_bind_op, &w.op),
	CALL(VM_BIND, make_bind, forget_bind, sync_members, &w.sync),
	CALL(VM_STATE, make_vm_state, NULL, vm_state, NULL),
	CALL(GROUP_CREATE, make_group, forget_group, group_create_members, NULL),
	CALL(GROUP_DESTROY, make_group_destroy, NULL, group_destroy_members, NULL),
	CALL(QUEUE_CREATE, make_queue, forget_queue, queue_create_members, NULL),
	CALL(QUEUE_CREATE, make_user_queue, forget_queue, user_queue_create, NULL),
	CALL(QUEUE_DESTROY, make_queue_destroy, NULL, queue_destroy_members, NULL),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, queue_submit, NULL),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, job, &w.job),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, sync_members, &w.sync),
	CALL(QUEUE_STATE, make_queue_state, NULL, queue_state_members, NULL),
	CALL(FENCE_WAIT, make_wait, NULL, fence_wait, NULL),
	CALL(INTERRUPT_WAIT, make_interrupt_wait, NULL, interrupt_wait, NULL),
};

static unsigned cases;

/* One value of one member; true: what was promised came of it. */
static bool attempt(const struct abused *a, uint8_t *argument, const struct member *m, const struct trial *t)
{
	uint8_t *place = a->element ? a->element : argument, before[256], kept[8];
	size_t bytes = _IOC_SIZE(a->request);

	memcpy(kept, place + m->offset, m->size);
	memcpy(place + m->offset, &t->value, m->size);
	memcpy(before, argument, bytes);
	int got = call(w.m.fd, a->request, argument);
	bool good = got == t->want && (!got ? true : !memcmp(argument, before, bytes));

	cases++;
	if (!good)
		diag("%s, %s = 0x%llx: %d (%s), not %d; the argument is %s", a->name, m->name,
		     (unsigned long long)t->value, got, strerror(-got), t->want,
		     memcmp(argument, before, bytes) ? "changed" : "as it was");
	memcpy(argument, before, bytes);
	memcpy(place + m->offset, kept, m->size);
	return good;
}

static bool succeeds(const struct abused *a)
{
	uint8_t argument[256] = {0};

	if (a->make)
		a->make(argument);
	if (call(w.m.fd, a->request, argument))
		return false;
	if (a->done)
		a->done(argument);
	return true;
}

static void abuse(const struct abused *a)
{
	uint8_t argument[256] = {0};
	struct trial t[MOST_TRYS + 8];
	bool before = succeeds(a);

	if (a->make)
		a->make(argument);
	for (size_t i = 0; i < a->count; i++) {
		const struct member *m = &a->members[i];
		uint64_t now = 0;
		bool good = true;

		memcpy(&now, (a->element ? (uint8_t *)a->element : argument) + m->offset, m->size);
		for (size_t n = trials(m, now, t), j = 0; j < n; j++)
			good = attempt(a, argument, m, &t[j]) && good;
		ok(good, "%s: %s cannot be abused", a->name, m->name);
	}
	/* What the argument named for a call that destroys is still there: the call itself takes it away. */
	if (a->make && !a->done)
		call(w.m.fd, a->request, argument);
	ok(before && succeeds(a), "%s is done before and after", a->name);
}

/* The argument itself is nowhere, or cannot be written. */
static void misplaced(const struct abused *a)
{
	uint8_t argument[256] = {0}, *edge = w.hole - 8;
	void *nowhere[] = {NULL, (void *)8, w.hole, edge, (void *)(uintptr_t)KERNEL, (void *)(UINTPTR_MAX - 7)};
	bool good = true;

	if (a->make)
		a->make(argument);
	for (size_t i = 0; i < COUNT(nowhere); i++, cases++) {
		if (nowhere[i] == edge && _IOC_SIZE(a->request) <= 8)
			continue;
		good = call(w.m.fd, a->request, nowhere[i]) == -EFAULT && good;
	}
	ok(good, "%s: an argument that is not there is EFAULT", a->name);
	if (!a->done && a->make)
		call(w.m.fd, a->request, argument);
}

/* Numbers of another file and of what is gone, all beyond those that we have. */
static void make_world(void)
{
	int fd = w.m.fd;

	w.page = (uint64_t)sysconf(_SC_PAGESIZE);
	w.hole = mmap(NULL, 2 * w.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(w.hole + w.page, w.page, PROT_NONE);
	w.hole += w.page;
	w.other = open_device();
	w.syncobj = syncobj(fd);
	for (int i = 0; i < 9; i++) {
		create(w.other, SYSTEM, 65536, 0, &w.foreign[OBJECT_BUFFER]);
		vm_create(w.other, &w.foreign[OBJECT_VM]);
		group_create(w.other, w.foreign[OBJECT_VM], &w.foreign[OBJECT_GROUP]);
		queue_create(w.other, w.foreign[OBJECT_GROUP], COPY, 16, LIMIT_MS, &w.foreign[OBJECT_QUEUE]);
		w.foreign[OBJECT_SYNCOBJ] = syncobj(w.other);
	}
	/* The second of two: the first one's number is what a later object gets. */
	uint32_t first[OBJECTS];

	create(fd, SYSTEM, 65536, 0, &first[OBJECT_BUFFER]);
	vm_create(fd, &first[OBJECT_VM]);
	group_create(fd, w.m.vm, &first[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &first[OBJECT_QUEUE]);
	create(fd, SYSTEM, 65536, 0, &w.closed[OBJECT_BUFFER]);
	vm_create(fd, &w.closed[OBJECT_VM]);
	group_create(fd, w.m.vm, &w.closed[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &w.closed[OBJECT_QUEUE]);
	w.closed[OBJECT_SYNCOBJ] = syncobj(fd);
	queue_destroy(fd, w.closed[OBJECT_QUEUE]);
	group_destroy(fd, w.closed[OBJECT_GROUP]);
	vm_destroy(fd, w.closed[OBJECT_VM]);
	forget(fd, w.closed[OBJECT_BUFFER]);
	struct drm_syncobj_destroy d = {.handle = w.closed[OBJECT_SYNCOBJ]};

	call(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	queue_destroy(fd, first[OBJECT_QUEUE]);
	group_destroy(fd, first[OBJECT_GROUP]);
	vm_destroy(fd, first[OBJECT_VM]);
	forget(fd, first[OBJECT_BUFFER]);
}

int main(void)
{
	if (!machine_open(&w.m, COPY))
		return tap_done();
	make_world();
	for (size_t i = 0; i < COUNT(calls); i++) /* page tables, once made, stay */
		succeeds(&calls[i]);
	uint64_t before = free_vram(w.m.fd), mapped = vm_mapped(w.m.fd, w.m.vm);

	for (size_t i = 0; i < COUNT(calls); i++) {
		abuse(&calls[i]);
		if (!calls[i].element)
			misplaced(&calls[i]);
	}
	ok(free_vram(w.m.fd) == before && vm_mapped(w.m.fd, w.m.vm) == mapped, "all of it has taken nothing");
	diag("%u cases", cases);
	close(w.other);
	machine_close(&w.m);
	return tap_done();
}
