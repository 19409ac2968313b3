/* SPDX-License-Identifier: MIT */
/*
 * Every call, every member, every way to spoil it (calls.h). The rest of the argument stays as it is in a call that
 * succeeds, which is tried before and after. A call that fails leaves its argument as it was, and in the end the file has
 * nothing that it did not have.
 */
#include "tests/userspace/kselftest/ioctl_members.h"

#define VA (8 * GIB)

static struct world {
	struct machine m;
	int other;
	struct names n;
	uint32_t syncobj;
	uint64_t page;
	struct drm_sovgpu_vm_bind_op op;
	struct drm_sovgpu_job job;
	struct drm_sovgpu_sync sync;
} w;

/* Good arguments; `done` takes away what a call has made. */
static void make_query(void *argument)
{
	static struct drm_sovgpu_device_info info;

	*(struct drm_sovgpu_dev_query *)argument =
		(struct drm_sovgpu_dev_query){.size = sizeof(info), .pointer = (uintptr_t)&info};
}
static void make_buffer(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument =
		(struct drm_sovgpu_bo_create){.size = VRAM_PAGE, .region = VRAM};
}
static void make_user_buffer(void *argument)
{
	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){
		.size = w.page, .region = USER, .user_address = (uintptr_t)w.n.hole - w.page};
}
static void forget_buffer(const void *argument)
{
	forget(w.m.fd, ((const struct drm_sovgpu_bo_create *)argument)->handle);
}
static void make_offset(void *argument)
{
	*(struct drm_sovgpu_bo_mmap_offset *)argument =
		(struct drm_sovgpu_bo_mmap_offset){.handle = w.m.buffer};
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
		(struct drm_sovgpu_vm_bind){.vm_id = w.m.vm,
					    .ops = {sizeof(w.op), 1, (uintptr_t)&w.op},
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
	*(struct drm_sovgpu_group_create *)argument =
		(struct drm_sovgpu_group_create){.vm_id = w.m.vm};
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
	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = w.m.group,
						 .queue_class = COPY,
						 .ring_entries = 16,
						 .time_limit_ms = LIMIT_MS};
}
static void make_user_queue(void *argument)
{
	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = w.m.group,
						 .queue_class = COPY,
						 .mode = DRM_SOVGPU_QUEUE_USER,
						 .ring_va = BUFFER_VA + 3 * MIB,
						 .ring_entries = 64};
}
static void forget_queue(const void *argument)
{
	queue_destroy(w.m.fd, ((const struct drm_sovgpu_queue_create *)argument)->id);
}
static void make_queue_destroy(void *argument)
{
	queue_create(w.m.fd, w.m.group, COPY, 16, LIMIT_MS,
		     &((struct drm_sovgpu_queue_destroy *)argument)->id);
}
static void make_submit(void *argument)
{
	struct stream s = at(&w.m, 0);

	add_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, 64);
	w.job = job_of(&w.m, &s);
	w.sync = (struct drm_sovgpu_sync){DRM_SOVGPU_SYNC_SIGNAL, w.syncobj, 0};
	*(struct drm_sovgpu_queue_submit *)argument =
		(struct drm_sovgpu_queue_submit){.queue_id = w.m.queue,
						 .jobs = {sizeof(w.job), 1, (uintptr_t)&w.job},
						 .syncs = {sizeof(w.sync), 1, (uintptr_t)&w.sync}};
}
static void make_queue_state(void *argument)
{
	*(struct drm_sovgpu_queue_state *)argument =
		(struct drm_sovgpu_queue_state){.queue_id = w.m.queue};
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
#define CALL(NAME, make, done, list, element) \
	{ \
#NAME, DRM_IOCTL_SOVGPU_##NAME, make, done, list, COUNT(list), element \
	}
	CALL(DEV_QUERY, make_query, NULL, dev_query_members, NULL),
	CALL(BO_CREATE, make_buffer, forget_buffer, bo_create_members, NULL),
	CALL(BO_CREATE, make_user_buffer, forget_buffer, user_bo_create_members, NULL),
	CALL(BO_MMAP_OFFSET, make_offset, NULL, bo_mmap_offset_members, NULL),
	CALL(BO_INFO, make_info, NULL, bo_info_members, NULL),
	CALL(VM_CREATE, NULL, forget_vm, vm_create_members, NULL),
	CALL(VM_DESTROY, make_vm_destroy, NULL, vm_destroy_members, NULL),
	CALL(VM_BIND, make_bind, forget_bind, vm_bind_members, NULL),
	CALL(VM_BIND, make_bind, forget_bind, vm_bind_op_members, &w.op),
	CALL(VM_BIND, make_bind, forget_bind, sync_members, &w.sync),
	CALL(VM_STATE, make_vm_state, NULL, vm_state_members, NULL),
	CALL(GROUP_CREATE, make_group, forget_group, group_create_members, NULL),
	CALL(GROUP_DESTROY, make_group_destroy, NULL, group_destroy_members, NULL),
	CALL(QUEUE_CREATE, make_queue, forget_queue, queue_create_members, NULL),
	CALL(QUEUE_CREATE, make_user_queue, forget_queue, user_queue_create_members, NULL),
	CALL(QUEUE_DESTROY, make_queue_destroy, NULL, queue_destroy_members, NULL),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, queue_submit_members, NULL),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, job_members, &w.job),
	CALL(QUEUE_SUBMIT, make_submit, forget_sync, sync_members, &w.sync),
	CALL(QUEUE_STATE, make_queue_state, NULL, queue_state_members, NULL),
	CALL(FENCE_WAIT, make_wait, NULL, fence_wait_members, NULL),
	CALL(INTERRUPT_WAIT, make_interrupt_wait, NULL, interrupt_wait_members, NULL),
};

static unsigned cases;

/* One value of one member; true: what was promised came of it. */
static bool attempt(const struct abused *a, uint8_t *argument, const struct member *m,
		    const struct trial *t)
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
	struct trial t[MOST_TRYS];
	bool before = succeeds(a);

	if (a->make)
		a->make(argument);
	for (size_t i = 0; i < a->count; i++) {
		const struct member *m = &a->members[i];
		uint64_t now = 0;
		bool good = true;

		memcpy(&now, (a->element ? (uint8_t *)a->element : argument) + m->offset, m->size);
		for (size_t n = trials(m, now, &w.n, t), j = 0; j < n; j++)
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
	uint8_t argument[256] = {0}, *edge = w.n.hole - 8;
	void *nowhere[] = {NULL,
			   (void *)8,
			   w.n.hole,
			   edge,
			   (void *)(uintptr_t)KERNEL,
			   (void *)(UINTPTR_MAX - 7)};
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
	w.n.hole =
		mmap(NULL, 2 * w.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(w.n.hole + w.page, w.page, PROT_NONE);
	w.n.hole += w.page;
	w.other = open_device();
	w.syncobj = syncobj(fd);
	for (int i = 0; i < 9; i++) {
		create(w.other, SYSTEM, 65536, 0, &w.n.foreign[OBJECT_BUFFER]);
		vm_create(w.other, &w.n.foreign[OBJECT_VM]);
		group_create(w.other, w.n.foreign[OBJECT_VM], &w.n.foreign[OBJECT_GROUP]);
		queue_create(w.other, w.n.foreign[OBJECT_GROUP], COPY, 16, LIMIT_MS,
			     &w.n.foreign[OBJECT_QUEUE]);
		w.n.foreign[OBJECT_SYNCOBJ] = syncobj(w.other);
	}
	/* The second of two: the first one's number is what a later object gets. */
	uint32_t first[OBJECTS];

	create(fd, SYSTEM, 65536, 0, &first[OBJECT_BUFFER]);
	vm_create(fd, &first[OBJECT_VM]);
	group_create(fd, w.m.vm, &first[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &first[OBJECT_QUEUE]);
	create(fd, SYSTEM, 65536, 0, &w.n.closed[OBJECT_BUFFER]);
	vm_create(fd, &w.n.closed[OBJECT_VM]);
	group_create(fd, w.m.vm, &w.n.closed[OBJECT_GROUP]);
	queue_create(fd, w.m.group, COPY, 16, LIMIT_MS, &w.n.closed[OBJECT_QUEUE]);
	w.n.closed[OBJECT_SYNCOBJ] = syncobj(fd);
	queue_destroy(fd, w.n.closed[OBJECT_QUEUE]);
	group_destroy(fd, w.n.closed[OBJECT_GROUP]);
	vm_destroy(fd, w.n.closed[OBJECT_VM]);
	forget(fd, w.n.closed[OBJECT_BUFFER]);
	struct drm_syncobj_destroy d = {.handle = w.n.closed[OBJECT_SYNCOBJ]};

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
	ok(free_vram(w.m.fd) == before && vm_mapped(w.m.fd, w.m.vm) == mapped,
	   "all of it has taken nothing");
	diag("%u cases", cases);
	close(w.other);
	machine_close(&w.m);
	return tap_done();
}
