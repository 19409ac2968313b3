// SPDX-License-Identifier: MIT
/*
 * Table-driven negative test: every member of every ioctl gets every invalid value of its kind
 * (ioctl_members.h), one at a time, while the rest of the argument stays valid. The valid call must
 * succeed before and after; a failed call must leave its argument unchanged; and in the end the
 * file must hold no more objects than before.
 */
#include "tests/userspace/kselftest/ioctl_members.h"

#define VA (8 * GIB)

static struct state {
	struct fixture m;
	int other;
	struct bad_handles bad;
	uint32_t syncobj;
	uint64_t page;
	struct drm_sovgpu_vm_bind_op op;
	struct drm_sovgpu_job job;
	struct drm_sovgpu_sync sync;
} w;

/* Builders of valid arguments; `undo` destroys what a successful call created. */
static void fill_dev_query(void *argument)
{
	static struct drm_sovgpu_device_info info;

	*(struct drm_sovgpu_dev_query *)argument =
		(struct drm_sovgpu_dev_query){.size = sizeof(info), .pointer = (uintptr_t)&info};
}
static void fill_bo_create(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument =
		(struct drm_sovgpu_bo_create){.size = VRAM_PAGE, .region = VRAM};
}
static void fill_user_bo_create(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){
		.size = w.page, .region = USER, .user_address = (uintptr_t)w.bad.hole - w.page};
}
static void undo_bo_create(const void *argument)
{
	bo_close(w.m.fd, ((const struct drm_sovgpu_bo_create *)argument)->handle);
}
static void fill_bo_mmap_offset(void *argument)
{
	*(struct drm_sovgpu_bo_mmap_offset *)argument =
		(struct drm_sovgpu_bo_mmap_offset){.handle = w.m.buffer};
}
static void fill_bo_info(void *argument)
{
	*(struct drm_sovgpu_bo_info *)argument = (struct drm_sovgpu_bo_info){.handle = w.m.buffer};
}
static void undo_vm_create(const void *argument)
{
	vm_destroy(w.m.fd, ((const struct drm_sovgpu_vm_create *)argument)->id);
}
static void fill_vm_destroy(void *argument)
{
	vm_create(w.m.fd, &((struct drm_sovgpu_vm_destroy *)argument)->id);
}
static void fill_vm_bind(void *argument)
{
	w.op = (struct drm_sovgpu_vm_bind_op){.handle = w.m.buffer, .va = VA, .size = BUFFER_BYTES};
	w.sync = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, w.syncobj, 0};
	*(struct drm_sovgpu_vm_bind *)argument =
		(struct drm_sovgpu_vm_bind){.vm_id = w.m.vm,
					    .ops = {sizeof(w.op), 1, (uintptr_t)&w.op},
					    .syncs = {sizeof(w.sync), 1, (uintptr_t)&w.sync}};
}
/* Removes the fence again, so that waiting for the syncobj stays an error. */
static void undo_sync(const void *argument)
{
	struct drm_syncobj_array a = {.handles = (uintptr_t)&w.syncobj, .count_handles = 1};

	(void)argument;
	syncobj_wait(w.m.fd, w.syncobj, 0, 60);
	gpu_ioctl(w.m.fd, DRM_IOCTL_SYNCOBJ_RESET, &a);
}
static void undo_vm_bind(const void *argument)
{
	undo_sync(argument);
	vm_unmap(w.m.fd, w.m.vm, VA, BUFFER_BYTES);
}
static void fill_vm_state(void *argument)
{
	*(struct drm_sovgpu_vm_state *)argument = (struct drm_sovgpu_vm_state){.vm_id = w.m.vm};
}
static void fill_group_create(void *argument)
{
	*(struct drm_sovgpu_group_create *)argument =
		(struct drm_sovgpu_group_create){.vm_id = w.m.vm};
}
static void undo_group_create(const void *argument)
{
	group_destroy(w.m.fd, ((const struct drm_sovgpu_group_create *)argument)->id);
}
static void fill_group_destroy(void *argument)
{
	group_create(w.m.fd, w.m.vm, &((struct drm_sovgpu_group_destroy *)argument)->id);
}
static void fill_queue_create(void *argument)
{
	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = w.m.group,
						 .queue_class = COPY,
						 .ring_entries = 16,
						 .time_limit_ms = LIMIT_MS};
}
static void fill_user_queue_create(void *argument)
{
	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = w.m.group,
						 .queue_class = COPY,
						 .mode = DRM_SOVGPU_QUEUE_USER,
						 .ring_va = BUFFER_VA + 3 * MIB,
						 .ring_entries = 64};
}
static void undo_queue_create(const void *argument)
{
	queue_destroy(w.m.fd, ((const struct drm_sovgpu_queue_create *)argument)->id);
}
static void fill_queue_destroy(void *argument)
{
	queue_create(w.m.fd, w.m.group, COPY, 16, LIMIT_MS,
		     &((struct drm_sovgpu_queue_destroy *)argument)->id);
}
static void fill_queue_submit(void *argument)
{
	struct stream s = stream_at(&w.m, 0);

	stream_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, 64);
	w.job = stream_job(&w.m, &s);
	w.sync = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, w.syncobj, 0};
	*(struct drm_sovgpu_queue_submit *)argument =
		(struct drm_sovgpu_queue_submit){.queue_id = w.m.queue,
						 .jobs = {sizeof(w.job), 1, (uintptr_t)&w.job},
						 .syncs = {sizeof(w.sync), 1, (uintptr_t)&w.sync}};
}
static void fill_queue_state(void *argument)
{
	*(struct drm_sovgpu_queue_state *)argument =
		(struct drm_sovgpu_queue_state){.queue_id = w.m.queue};
}
static void fill_fence_wait(void *argument)
{
	*(struct drm_sovgpu_fence_wait *)argument =
		(struct drm_sovgpu_fence_wait){.handle = w.m.buffer, .offset = 3 * MIB, .mask = 1};
}

/* An outdated count: interrupts have occurred since, so the call returns immediately. */
static void fill_interrupt_wait(void *argument)
{
	*(struct drm_sovgpu_interrupt_wait *)argument =
		(struct drm_sovgpu_interrupt_wait){.count = UINT32_C(0x12345678)};
}

static const struct tested_ioctl {
	const char *name;
	unsigned long request;
	void (*fill)(void *argument);
	void (*undo)(const void *argument);
	const struct member *members;
	size_t count;
	void *element; /* array element whose members are tested; NULL: the argument itself */
} calls[] = {
#define CALL(NAME, fill, undo, list, element) \
	{#NAME, DRM_IOCTL_SOVGPU_##NAME, fill, undo, list, COUNT(list), element}
	CALL(DEV_QUERY, fill_dev_query, NULL, dev_query_members, NULL),
	CALL(BO_CREATE, fill_bo_create, undo_bo_create, bo_create_members, NULL),
	CALL(BO_CREATE, fill_user_bo_create, undo_bo_create, user_bo_create_members, NULL),
	CALL(BO_MMAP_OFFSET, fill_bo_mmap_offset, NULL, bo_mmap_offset_members, NULL),
	CALL(BO_INFO, fill_bo_info, NULL, bo_info_members, NULL),
	CALL(VM_CREATE, NULL, undo_vm_create, vm_create_members, NULL),
	CALL(VM_DESTROY, fill_vm_destroy, NULL, vm_destroy_members, NULL),
	CALL(VM_BIND, fill_vm_bind, undo_vm_bind, vm_bind_members, NULL),
	CALL(VM_BIND, fill_vm_bind, undo_vm_bind, vm_bind_op_members, &w.op),
	CALL(VM_BIND, fill_vm_bind, undo_vm_bind, sync_members, &w.sync),
	CALL(VM_STATE, fill_vm_state, NULL, vm_state_members, NULL),
	CALL(GROUP_CREATE, fill_group_create, undo_group_create, group_create_members, NULL),
	CALL(GROUP_DESTROY, fill_group_destroy, NULL, group_destroy_members, NULL),
	CALL(QUEUE_CREATE, fill_queue_create, undo_queue_create, queue_create_members, NULL),
	CALL(QUEUE_CREATE, fill_user_queue_create, undo_queue_create, user_queue_create_members,
	     NULL),
	CALL(QUEUE_DESTROY, fill_queue_destroy, NULL, queue_destroy_members, NULL),
	CALL(QUEUE_SUBMIT, fill_queue_submit, undo_sync, queue_submit_members, NULL),
	CALL(QUEUE_SUBMIT, fill_queue_submit, undo_sync, job_members, &w.job),
	CALL(QUEUE_SUBMIT, fill_queue_submit, undo_sync, sync_members, &w.sync),
	CALL(QUEUE_STATE, fill_queue_state, NULL, queue_state_members, NULL),
	CALL(FENCE_WAIT, fill_fence_wait, NULL, fence_wait_members, NULL),
	CALL(INTERRUPT_WAIT, fill_interrupt_wait, NULL, interrupt_wait_members, NULL),
};

static unsigned cases;

/* Tries one value of one member; returns whether the expected errno came back. */
static bool try_value(const struct tested_ioctl *a, uint8_t *argument, const struct member *m,
		      const struct trial *t)
{
	uint8_t *target = a->element ? a->element : argument, before[256], kept[8];
	size_t bytes = _IOC_SIZE(a->request);

	memcpy(kept, target + m->offset, m->size);
	memcpy(target + m->offset, &t->value, m->size);
	memcpy(before, argument, bytes);
	int got = gpu_ioctl(w.m.fd, a->request, argument);
	bool good = got == t->want && (!got ? true : !memcmp(argument, before, bytes));

	cases++;
	if (!good)
		diag("%s, %s = 0x%llx: got %d (%s), want %d; the argument is %s", a->name, m->name,
		     (unsigned long long)t->value, got, strerror(-got), t->want,
		     memcmp(argument, before, bytes) ? "modified" : "unchanged");
	memcpy(argument, before, bytes);
	memcpy(target + m->offset, kept, m->size);
	return good;
}

static bool valid_call_succeeds(const struct tested_ioctl *a)
{
	uint8_t argument[256] = {0};

	if (a->fill)
		a->fill(argument);
	if (gpu_ioctl(w.m.fd, a->request, argument))
		return false;
	if (a->undo)
		a->undo(argument);
	return true;
}

static void test_members(const struct tested_ioctl *a)
{
	uint8_t argument[256] = {0};
	struct trial t[MAX_TRIALS];
	bool before = valid_call_succeeds(a);

	if (a->fill)
		a->fill(argument);
	for (size_t i = 0; i < a->count; i++) {
		const struct member *m = &a->members[i];
		uint64_t now = 0;
		bool good = true;

		memcpy(&now, (a->element ? (uint8_t *)a->element : argument) + m->offset, m->size);
		for (size_t n = member_trials(m, now, &w.bad, t), j = 0; j < n; j++)
			good = try_value(a, argument, m, &t[j]) && good;
		ok(good, "%s: every invalid value of %s is refused", a->name, m->name);
	}
	/* A destroying ioctl was never successful, so the object still exists: destroy it now. */
	if (a->fill && !a->undo)
		gpu_ioctl(w.m.fd, a->request, argument);
	ok(before && valid_call_succeeds(a),
	   "%s with valid arguments succeeds before and after the invalid ones", a->name);
}

/* The argument pointer itself is invalid, or the argument is partly unmapped. */
static void test_argument_pointer(const struct tested_ioctl *a)
{
	uint8_t argument[256] = {0}, *edge = w.bad.hole - 8;
	void *bad_pointers[] = {NULL,
				(void *)8,
				w.bad.hole,
				edge,
				(void *)(uintptr_t)KERNEL_ADDRESS,
				(void *)(UINTPTR_MAX - 7)};
	bool good = true;

	if (a->fill)
		a->fill(argument);
	for (size_t i = 0; i < COUNT(bad_pointers); i++, cases++) {
		if (bad_pointers[i] == edge && _IOC_SIZE(a->request) <= 8)
			continue;
		good = gpu_ioctl(w.m.fd, a->request, bad_pointers[i]) == -EFAULT && good;
	}
	ok(good, "%s: an invalid argument pointer is EFAULT", a->name);
	if (!a->undo && a->fill)
		gpu_ioctl(w.m.fd, a->request, argument);
}

/* Creates foreign and closed handles whose numbers are above those of the test's own objects. */
static void setup(void)
{
	int fd = w.m.fd;

	w.page = (uint64_t)sysconf(_SC_PAGESIZE);
	w.bad.hole =
		mmap(NULL, 2 * w.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(w.bad.hole + w.page, w.page, PROT_NONE);
	w.bad.hole += w.page;
	w.other = open_device();
	w.syncobj = syncobj_create(fd);
	for (int i = 0; i < 9; i++) {
		bo_create(w.other, SYSTEM, 65536, 0, &w.bad.foreign[OBJECT_BUFFER]);
		vm_create(w.other, &w.bad.foreign[OBJECT_VM]);
		group_create(w.other, w.bad.foreign[OBJECT_VM], &w.bad.foreign[OBJECT_GROUP]);
		queue_create(w.other, w.bad.foreign[OBJECT_GROUP], COPY, 16, LIMIT_MS,
			     &w.bad.foreign[OBJECT_QUEUE]);
		w.bad.foreign[OBJECT_SYNCOBJ] = syncobj_create(w.other);
	}
	/* Closes the second of two objects: a later object reuses the first one's number. */
	uint32_t first[OBJECTS];

	bo_create(fd, SYSTEM, 65536, 0, &first[OBJECT_BUFFER]);
	vm_create(fd, &first[OBJECT_VM]);
	group_create(fd, w.m.vm, &first[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &first[OBJECT_QUEUE]);
	bo_create(fd, SYSTEM, 65536, 0, &w.bad.closed[OBJECT_BUFFER]);
	vm_create(fd, &w.bad.closed[OBJECT_VM]);
	group_create(fd, w.m.vm, &w.bad.closed[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &w.bad.closed[OBJECT_QUEUE]);
	w.bad.closed[OBJECT_SYNCOBJ] = syncobj_create(fd);
	queue_destroy(fd, w.bad.closed[OBJECT_QUEUE]);
	group_destroy(fd, w.bad.closed[OBJECT_GROUP]);
	vm_destroy(fd, w.bad.closed[OBJECT_VM]);
	bo_close(fd, w.bad.closed[OBJECT_BUFFER]);
	struct drm_syncobj_destroy d = {.handle = w.bad.closed[OBJECT_SYNCOBJ]};

	gpu_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	queue_destroy(fd, first[OBJECT_QUEUE]);
	group_destroy(fd, first[OBJECT_GROUP]);
	vm_destroy(fd, first[OBJECT_VM]);
	bo_close(fd, first[OBJECT_BUFFER]);
}

int main(void)
{
	if (!fixture_open(&w.m, COPY))
		return tap_done();
	setup();
	for (size_t i = 0; i < COUNT(calls); i++) /* allocates page tables, which stay */
		valid_call_succeeds(&calls[i]);
	uint64_t before = free_vram_bytes(w.m.fd), mapped = vm_mapped(w.m.fd, w.m.vm);

	for (size_t i = 0; i < COUNT(calls); i++) {
		test_members(&calls[i]);
		if (!calls[i].element)
			test_argument_pointer(&calls[i]);
	}
	ok(free_vram_bytes(w.m.fd) == before && vm_mapped(w.m.fd, w.m.vm) == mapped,
	   "invalid calls leave no VRAM allocated and no memory mapped");
	diag("%u cases", cases);
	close(w.other);
	fixture_close(&w.m);
	return tap_done();
}
