/* SPDX-License-Identifier: MIT */
/*
 * Programs of calls, drawn and kept by what they reach. A program is a string of bytes: the first says how many threads run
 * its parts at once, the others choose calls, arguments and what is spoiled of them (calls.h), on two files and whatever these
 * have by then; any string is a program, so mutations need no care. One that reaches something new is kept: code of the driver
 * where the module was built to tell (tests/cover), and in any case calls and errors in an order not seen before.
 *
 * The judges are the kernel's. Here it is only asked that every call comes back, that a process beside all of it can still work, and
 * that nothing is left when a program's files are closed.
 *   usage: fuzz [SECONDS [SEED]]     without: the corpus, and a few mutations of it. What was kept is printed.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/userspace/kselftest/ioctl_members.h"
#include "tests/userspace/kselftest/user_queue.h"

#define CORPUS  "/test/corpus"
#define COVER   "/sys/kernel/debug/sovgpu_cover"
#define REACH   65536
#define LONGEST 256
#define KEPT    2048
#define SLOTS   6
#define FILES   2
#define THREADS 3
#define BRIEF   60 /* mutations in a run without a time */

struct program {
	uint32_t size;
	uint8_t bytes[LONGEST];
};

/* A file and what it has; numbers are kept when things are gone, so that they are used again. */
struct file {
	int fd;
	uint32_t next[OBJECTS], names[OBJECTS][SLOTS];
	uint8_t *memory; /* of its first buffer */
};

static struct file files[FILES];
static struct names spoils;
static uint8_t *scratch; /* the page before spoils.hole */
static uint8_t reached[REACH], *cover;
static struct program corpus[KEPT];
static uint32_t corpus_count;
static uint64_t random_state, calls_made, programs_run;
static unsigned done_calls[64], all_calls[64];
static volatile sig_atomic_t signalled;
static void *left_mapped[64]; /* until its program ends */
static uint32_t left_count;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % n;
}

/* One thread's part of a program. */
struct reader {
	const uint8_t *at, *end;
	uint32_t last;  /* what it did before, and what came of it */
	uint8_t *fresh; /* orders of calls that it has seen */
};

static uint8_t next(struct reader *r)
{
	return r->at < r->end ? *r->at++ : 0;
}

static uint64_t next_word(struct reader *r)
{
	uint64_t word = 0;

	for (int i = next(r) % 9; i; i--)
		word = word << 8 | next(r);
	return word;
}

static uint32_t name(struct reader *r, struct file *f, enum object kind)
{
	uint32_t known = f->next[kind] < SLOTS ? f->next[kind] : SLOTS;

	return f->names[kind][next(r) % (known ? known : 1)];
}

static void learn(struct file *f, enum object kind, uint32_t number)
{
	if (number)
		f->names[kind][f->next[kind]++ % SLOTS] = number;
}

/* Arguments that may succeed. Arrays lie in one page, before one that nobody may touch. */

static void make_dev_query(struct reader *r, struct file *f, void *argument)
{
	(void)f;
	*(struct drm_sovgpu_dev_query *)argument = (struct drm_sovgpu_dev_query){
		.type = next(r) % 5, .size = next(r), .pointer = (uintptr_t)scratch};
}
static void make_bo_create(struct reader *r, struct file *f, void *argument)
{
	static const uint32_t regions[] = {VRAM, SYSTEM, VRAM, USER};
	uint32_t region = regions[next(r) % 4], which = next(r);

	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){
		.size = region == USER ? page_bytes : VRAM_PAGE * (1 + which % 40),
		.region = region,
		.flags = region == USER ? 0 : which >> 6,
		.user_address = region == USER ? (uintptr_t)scratch : 0,
		.exclusive_vm = which % 16 == 15 ? name(r, f, OBJECT_VM) : 0};
}
static void make_bo_mmap_offset(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_bo_mmap_offset *)argument)->handle = name(r, f, OBJECT_BUFFER);
}
static void make_bo_info(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_bo_info *)argument)->handle = name(r, f, OBJECT_BUFFER);
}
static void make_nothing(struct reader *r, struct file *f, void *argument)
{
	(void)r;
	(void)f;
	(void)argument;
}
static void make_vm_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_vm_destroy *)argument)->id = name(r, f, OBJECT_VM);
}
/* Each thread has a part of the page for its arrays: by the address of its reader's string. */
static uint8_t *arrays(const struct reader *r)
{
	return scratch + (uintptr_t)r->at % 3 * (page_bytes / 4);
}
static uint32_t make_syncs(struct reader *r, struct file *f, uint8_t *to)
{
	struct drm_sovgpu_sync *syncs = (struct drm_sovgpu_sync *)to;
	uint32_t count = next(r) % 4;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t flags = next(r) % 4;

		syncs[i] = (struct drm_sovgpu_sync){flags, name(r, f, OBJECT_SYNCOBJ),
						    flags & DRM_SOVGPU_SYNC_TIMELINE ? next(r) : 0};
	}
	return count;
}
static void make_vm_bind(struct reader *r, struct file *f, void *argument)
{
	uint8_t *space = arrays(r);
	struct drm_sovgpu_vm_bind_op *ops = (struct drm_sovgpu_vm_bind_op *)space;
	uint32_t count = 1 + next(r) % 4;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t how = next(r), where = next(r);
		bool unmap = how % 4 == 3;

		ops[i] = (struct drm_sovgpu_vm_bind_op){
			.type = unmap,
			.flags = unmap ? 0 : how >> 5,
			.handle = unmap ? 0 : name(r, f, OBJECT_BUFFER),
			.offset = unmap ? 0 : (how >> 2 & 3) * VRAM_PAGE,
			.va = BUFFER_VA + (where % 8) * (where & 8 ? GIB : 3 * VRAM_PAGE),
			.size = (1 + (where >> 4)) * VRAM_PAGE};
	}
	*(struct drm_sovgpu_vm_bind *)argument = (struct drm_sovgpu_vm_bind){
		.vm_id = name(r, f, OBJECT_VM),
		.ops = {sizeof(*ops), count, (uintptr_t)ops},
		.syncs = {sizeof(struct drm_sovgpu_sync), make_syncs(r, f, space + 512),
			  (uintptr_t)space + 512}};
}
static void make_vm_state(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_vm_state *)argument)->vm_id = name(r, f, OBJECT_VM);
}
static void make_group_create(struct reader *r, struct file *f, void *argument)
{
	*(struct drm_sovgpu_group_create *)argument =
		(struct drm_sovgpu_group_create){.vm_id = name(r, f, OBJECT_VM),
						 .priority = next(r) % 2,
						 .time_slice_us = next(r) * 16};
}
static void make_group_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_group_destroy *)argument)->id = name(r, f, OBJECT_GROUP);
}
static void make_queue_create(struct reader *r, struct file *f, void *argument)
{
	uint32_t how = next(r);

	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = name(r, f, OBJECT_GROUP),
						 .queue_class = how & 1,
						 .mode = how >> 1 & 1,
						 .ring_va = how & 2 ? BUFFER_VA + 32 * KIB : 0,
						 .ring_entries = 4u << (how >> 2 & 7),
						 .time_limit_ms = how & 2 ? 0 : 20 + how};
}
static void make_queue_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_queue_destroy *)argument)->id = name(r, f, OBJECT_QUEUE);
}
/* A stream is one of a few that do something, or bytes of the program. */
static struct drm_sovgpu_job make_stream(struct reader *r, struct file *f)
{
	uint32_t how = next(r), offset = (how >> 4) * 1024;
	struct machine m = {.memory = f->memory};
	struct stream s = at(&m, offset);

	if (how % 8 == 0)
		add_release(&s, BUFFER_VA + 24 * KIB + 8 * next(r), how);
	else if (how % 8 == 1)
		add_copy(&s, BUFFER_VA + 16 * KIB, BUFFER_VA + 20 * KIB, 16u * next(r));
	else if (how % 8 == 2)
		add_acquire(&s, BUFFER_VA + 24 * KIB + 8 * next(r), 1);
	else if (how % 8 == 3)
		add_copy(&s, next_word(r), BUFFER_VA, 64);
	else if (how % 8 == 4)
		for (int i = next(r) % 8; i; i--)
			data(&s, (uint32_t)next_word(r));
	if (!s.count)
		method(&s, 0, NV_HOST_WFI, 0);
	return (struct drm_sovgpu_job){.va = how % 8 == 7 ? 3 * GIB : BUFFER_VA + offset,
				       .size = 4 * s.count};
}
static void make_queue_submit(struct reader *r, struct file *f, void *argument)
{
	uint8_t *space = arrays(r);
	struct drm_sovgpu_job *jobs = (struct drm_sovgpu_job *)space;
	uint32_t count = 1 + next(r) % 3;

	for (uint32_t i = 0; i < count; i++)
		jobs[i] = make_stream(r, f);
	*(struct drm_sovgpu_queue_submit *)argument = (struct drm_sovgpu_queue_submit){
		.queue_id = name(r, f, OBJECT_QUEUE),
		.jobs = {sizeof(*jobs), count, (uintptr_t)jobs},
		.syncs = {sizeof(struct drm_sovgpu_sync), make_syncs(r, f, space + 512),
			  (uintptr_t)space + 512}};
}
static void make_queue_state(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_queue_state *)argument)->queue_id = name(r, f, OBJECT_QUEUE);
}
static int64_t soon(struct reader *r)
{
	return (int64_t)(now_ns() + next(r) * UINT64_C(20000));
}
static void make_fence_wait(struct reader *r, struct file *f, void *argument)
{
	*(struct drm_sovgpu_fence_wait *)argument =
		(struct drm_sovgpu_fence_wait){.handle = name(r, f, OBJECT_BUFFER),
					       .op = next(r) % 2,
					       .offset = 24 * KIB + 8 * next(r),
					       .value = next(r),
					       .mask = 0xff,
					       .deadline_ns = soon(r)};
}
static void make_interrupt_wait(struct reader *r, struct file *f, void *argument)
{
	(void)f;
	*(struct drm_sovgpu_interrupt_wait *)argument =
		(struct drm_sovgpu_interrupt_wait){.count = next(r), .deadline_ns = soon(r)};
}

/* What a call leaves in its argument, by its offset there. */
#define GIVES(type, member, kind) offsetof(struct drm_sovgpu_##type, member), kind
#define GIVES_NOTHING             0, OBJECTS

static const struct described {
	unsigned long request;
	void (*make)(struct reader *r, struct file *f, void *argument);
	const struct member *members;
	uint32_t count;
	size_t gives;
	enum object kind;
} calls[] = {
#define DESCRIBED(NAME, list, make, ...) \
	{ \
		DRM_IOCTL_SOVGPU_##NAME, make, list##_members, COUNT(list##_members), __VA_ARGS__ \
	}
	DESCRIBED(DEV_QUERY, dev_query, make_dev_query, GIVES_NOTHING),
	DESCRIBED(BO_CREATE, bo_create, make_bo_create, GIVES(bo_create, handle, OBJECT_BUFFER)),
	DESCRIBED(BO_CREATE, user_bo_create, make_bo_create,
		  GIVES(bo_create, handle, OBJECT_BUFFER)),
	DESCRIBED(BO_MMAP_OFFSET, bo_mmap_offset, make_bo_mmap_offset, GIVES_NOTHING),
	DESCRIBED(BO_INFO, bo_info, make_bo_info, GIVES_NOTHING),
	DESCRIBED(VM_CREATE, vm_create, make_nothing, GIVES(vm_create, id, OBJECT_VM)),
	DESCRIBED(VM_DESTROY, vm_destroy, make_vm_destroy, GIVES_NOTHING),
	DESCRIBED(VM_BIND, vm_bind, make_vm_bind, GIVES_NOTHING),
	DESCRIBED(VM_STATE, vm_state, make_vm_state, GIVES_NOTHING),
	DESCRIBED(GROUP_CREATE, group_create, make_group_create,
		  GIVES(group_create, id, OBJECT_GROUP)),
	DESCRIBED(GROUP_DESTROY, group_destroy, make_group_destroy, GIVES_NOTHING),
	DESCRIBED(QUEUE_CREATE, queue_create, make_queue_create,
		  GIVES(queue_create, id, OBJECT_QUEUE)),
	DESCRIBED(QUEUE_CREATE, user_queue_create, make_queue_create,
		  GIVES(queue_create, id, OBJECT_QUEUE)),
	DESCRIBED(QUEUE_DESTROY, queue_destroy, make_queue_destroy, GIVES_NOTHING),
	DESCRIBED(QUEUE_SUBMIT, queue_submit, make_queue_submit, GIVES_NOTHING),
	DESCRIBED(QUEUE_SUBMIT, queue_submit, make_queue_submit, GIVES_NOTHING),
	DESCRIBED(QUEUE_STATE, queue_state, make_queue_state, GIVES_NOTHING),
	DESCRIBED(FENCE_WAIT, fence_wait, make_fence_wait, GIVES_NOTHING),
	DESCRIBED(INTERRUPT_WAIT, interrupt_wait, make_interrupt_wait, GIVES_NOTHING),
};

/* One member of the argument becomes what it must not be, or anything. Nobody waits without end. */
static void spoil(struct reader *r, const struct described *d, uint8_t *argument)
{
	const struct member *m = &d->members[next(r) % d->count];
	struct trial t[MOST_TRYS];
	uint64_t value = 0;
	size_t n;

	memcpy(&value, argument + m->offset, m->size);
	n = trials(m, value, &spoils, t);
	value = next(r) & 1 && n ? t[next(r) % n].value : next_word(r);
	if (strstr(m->name, "deadline"))
		value %= UINT64_C(1) << 40;
	memcpy(argument + m->offset, &value, m->size);
}

static int run_call(struct reader *r, struct file *f, const struct described *d)
{
	uint8_t argument[256] = {0};
	uint32_t spoiled = next(r), given;

	d->make(r, f, argument);
	for (uint32_t i = spoiled < 192 ? 0 : 1 + spoiled % 2; i; i--)
		spoil(r, d, argument);
	int status = call(f->fd, d->request, argument);

	if (!status && d->kind != OBJECTS) {
		memcpy(&given, argument + d->gives, sizeof(given));
		learn(f, d->kind, given);
	}
	return status;
}

/* What is no call of ours. */

static int close_buffer(struct reader *r, struct file *f)
{
	uint32_t which = next(r) % SLOTS;

	/* The first is where streams are. */
	return which ? forget(f->fd, f->names[OBJECT_BUFFER][which]) : 0;
}
static int touch_buffer(struct reader *r, struct file *f)
{
	uint32_t which = next(r);
	volatile uint8_t *p = map(f->fd, name(r, f, OBJECT_BUFFER), VRAM_PAGE);

	if ((void *)p == MAP_FAILED)
		return -errno;
	p[which * 250] = (uint8_t)which;
	uint32_t at = which & 1 ? UINT32_MAX : __atomic_fetch_add(&left_count, 1, __ATOMIC_RELAXED);

	if (at < COUNT(left_mapped))
		left_mapped[at] = (void *)p;
	else
		munmap((void *)p, VRAM_PAGE);
	return 0;
}
static int share_buffer(struct reader *r, struct file *f)
{
	struct file *to = &files[next(r) % FILES];

	to = to->fd < 0 ? f : to;

	int file = prime_export(f->fd, name(r, f, OBJECT_BUFFER));
	uint32_t handle;

	if (file < 0)
		return file;
	int status = prime_import(to->fd, file, &handle);

	close(file);
	learn(to, OBJECT_BUFFER, handle);
	return status;
}
static int make_syncobj(struct reader *r, struct file *f)
{
	struct drm_syncobj_create c = {.flags = next(r) % 2};
	int status = call(f->fd, DRM_IOCTL_SYNCOBJ_CREATE, &c);

	learn(f, OBJECT_SYNCOBJ, status ? 0 : c.handle);
	return status;
}
static int close_syncobj(struct reader *r, struct file *f)
{
	struct drm_syncobj_destroy d = {.handle = name(r, f, OBJECT_SYNCOBJ)};

	return call(f->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
}
static int change_syncobj(struct reader *r, struct file *f)
{
	uint32_t handle = name(r, f, OBJECT_SYNCOBJ);
	uint64_t point = next(r);
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
	struct drm_syncobj_array b = {.handles = (uintptr_t)&handle, .count_handles = 1};

	return point & 1 ? call(f->fd, DRM_IOCTL_SYNCOBJ_RESET, &b)
			 : call(f->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}
/* A queue of its own, with whatever the program writes to ring and ends; its pages stay mapped or not. */
static int use_ring(struct reader *r, struct file *f)
{
	struct user u = {
		.m = {.fd = f->fd, .memory = f->memory, .group = name(r, f, OBJECT_GROUP)}};
	uint32_t how = next(r);

	u.c = (struct drm_sovgpu_queue_create){.group_id = u.m.group,
					       .queue_class = how & 1,
					       .mode = DRM_SOVGPU_QUEUE_USER,
					       .ring_va = BUFFER_VA + 32 * KIB,
					       .ring_entries = ENTRIES};
	int status = call(f->fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &u.c);

	if (status)
		return status;
	learn(f, OBJECT_QUEUE, u.c.id);
	u.page = map_at(f->fd, u.c.pointers_offset);
	uint8_t *bell = map_at(f->fd, u.c.doorbell_offset);
	struct drm_sovgpu_job job = make_stream(r, f);

	if (u.page == MAP_FAILED || bell == MAP_FAILED)
		return -errno;
	*(volatile uint64_t *)(f->memory + 32 * KIB) =
		how & 2 ? next_word(r) : nv_gp_entry_pack(job.va, job.size / 4);
	u.ends_put = (volatile uint32_t *)(u.page + u.c.put_offset);
	u.bell = (volatile uint32_t *)(bell + u.c.doorbell_offset % page_bytes);
	ring_until(&u, how & 4 ? next(r) : 1);
	if (how & 8)
		queue_destroy(f->fd, u.c.id);
	munmap(bell, page_bytes);
	munmap(u.page, page_bytes);
	return 0;
}
static int reopen(struct reader *r, struct file *f);

static int (*const others[])(struct reader *r, struct file *f) = {
	close_buffer,  touch_buffer,   share_buffer, make_syncobj,
	close_syncobj, change_syncobj, use_ring,     reopen,
};

/* A file begins with what most calls want: so a short program reaches far. */
static bool open_file(struct file *f)
{
	uint32_t handle, id;

	memset(f, 0, sizeof(*f));
	f->fd = open_device();
	if (f->fd < 0 || create(f->fd, SYSTEM, VRAM_PAGE, MAPPABLE, &handle) ||
	    vm_create(f->fd, &id) || vm_map(f->fd, id, handle, 0, BUFFER_VA, VRAM_PAGE))
		return false;
	learn(f, OBJECT_BUFFER, handle);
	learn(f, OBJECT_VM, id);
	group_create(f->fd, id, &id);
	learn(f, OBJECT_GROUP, id);
	queue_create(f->fd, id, COPY, 8, 60, &id);
	learn(f, OBJECT_QUEUE, id);
	learn(f, OBJECT_SYNCOBJ, syncobj(f->fd));
	f->memory = map(f->fd, handle, VRAM_PAGE);
	return f->memory != MAP_FAILED;
}

static bool alone; /* the program has one thread */

/* Only there: others write to what is mapped. */
static int reopen(struct reader *r, struct file *f)
{
	(void)r;
	if (!alone)
		return 0;
	munmap(f->memory, VRAM_PAGE);
	close(f->fd);
	return open_file(f) ? 0 : -EIO;
}

static void *run_part(void *argument)
{
	struct reader *r = argument;

	while (r->at < r->end) {
		uint32_t what = next(r), which = what % (COUNT(calls) + COUNT(others));
		struct file *f = &files[what >= 224];

		if (f->fd < 0 && !open_file(f))
			return NULL;
		int status = which < COUNT(calls) ? run_call(r, f, &calls[which])
						  : others[which - COUNT(calls)](r, f);
		uint32_t now = (which * 64 + (uint32_t)-status % 64) & 0xfff;

		__atomic_fetch_add(&calls_made, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&all_calls[which], 1, __ATOMIC_RELAXED);
		if (!status)
			__atomic_fetch_add(&done_calls[which], 1, __ATOMIC_RELAXED);
		r->fresh[(now * 31 + r->last * 7919) % REACH] = 1;
		r->last = now;
	}
	return NULL;
}

static void on_alarm(int number)
{
	(void)number;
	signalled++;
}

/* What it reaches is in `fresh`, which is zeros before. */
static bool run(const struct program *p, uint8_t *fresh)
{
	uint32_t threads = p->size ? 1 + p->bytes[0] % 8 / 5 * (1 + p->bytes[0] / 8 % 2) : 1;
	struct reader readers[THREADS];
	pthread_t ids[THREADS];
	bool good = open_file(&files[0]);

	/* The second is opened where one names it, which costs: most programs do not. */
	alone = threads == 1;
	files[1] = (struct file){.fd = -1};
	if (!alone)
		good = open_file(&files[1]) && good;
	if (cover)
		memset(cover, 0, REACH);
	for (uint32_t i = 0; i < threads && good; i++) {
		uint32_t part = p->size / threads;

		readers[i] = (struct reader){.at = p->bytes + i * part + !i,
					     .end = p->bytes + (i + 1) * part,
					     .fresh = fresh};
		if (i + 1 == threads)
			run_part(&readers[i]);
		else
			pthread_create(&ids[i], NULL, run_part, &readers[i]);
	}
	for (uint32_t i = 0; i + 1 < threads && good; i++)
		pthread_join(ids[i], NULL);
	for (uint32_t i = 0; i < left_count && i < COUNT(left_mapped); i++)
		munmap(left_mapped[i], VRAM_PAGE);
	left_count = 0;
	for (uint32_t i = 0; i < FILES; i++) {
		if (files[i].memory && files[i].memory != MAP_FAILED)
			munmap(files[i].memory, VRAM_PAGE);
		if (files[i].fd >= 0)
			close(files[i].fd);
	}
	programs_run++;
	return good;
}

static void show(const char *what, const struct program *p)
{
	printf("# %s ", what);
	for (uint32_t i = 0; i < p->size; i++)
		printf("%02x", p->bytes[i]);
	printf("\n");
	fflush(stdout);
}

static int tainted(void)
{
	FILE *f = fopen("/proc/sys/kernel/tainted", "r");
	int value = 0;

	if (f && fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

/* How much that is new; all of it is known afterwards. With a cover the driver's code counts alone. */
static uint32_t judge(const struct program *p, bool *good)
{
	static uint8_t fresh[REACH];
	static int taint = -1;
	uint32_t found = 0;

	memset(fresh, 0, sizeof(fresh));
	if (!run(p, fresh)) {
		*good = false;
		show("cannot begin after", p);
	}
	const uint8_t *what = cover ? cover : fresh;

	for (uint32_t i = 0; i < REACH; i++)
		if (what[i] && !reached[i]) {
			reached[i] = 1;
			found++;
		}
	if (taint != tainted()) {
		if (taint >= 0) {
			show("the kernel complains after", p);
			*good = false;
		}
		taint = tainted();
	}
	return found;
}

static void mutate(struct program *p)
{
	for (uint32_t i = 1 + random_below(6); i; i--) {
		uint32_t at = p->size ? random_below(p->size) : 0, n = 1 + random_below(8);

		switch (random_below(6)) {
		case 0:
			p->bytes[at] ^= (uint8_t)(1u << random_below(8));
			break;
		case 1:
			p->bytes[at] = (uint8_t)random_below(256);
			break;
		case 2: /* a few bytes more */
			if (p->size + n > LONGEST)
				break;
			memmove(p->bytes + at + n, p->bytes + at, p->size - at);
			for (uint32_t k = 0; k < n; k++)
				p->bytes[at + k] = (uint8_t)random_below(256);
			p->size += n;
			break;
		case 3: /* a few less */
			if (p->size < at + n + 2)
				break;
			memmove(p->bytes + at, p->bytes + at + n, p->size - at - n);
			p->size -= n;
			break;
		case 4: /* the end of another */
			if (corpus_count) {
				const struct program *o = &corpus[random_below(corpus_count)];
				uint32_t from = o->size ? random_below(o->size) : 0,
					 most = LONGEST - at;
				uint32_t take = o->size - from < most ? o->size - from : most;

				memcpy(p->bytes + at, o->bytes + from, take);
				p->size = at + take > p->size ? at + take : p->size;
			}
			break;
		default:
			p->bytes[0] = (uint8_t)random_below(256);
		}
		if (!p->size)
			p->size = 1;
	}
}

static void keep(const struct program *p)
{
	if (corpus_count < KEPT)
		corpus[corpus_count++] = *p;
}

static uint32_t load(void)
{
	DIR *d = opendir(CORPUS);
	struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		struct program p;

		snprintf(path, sizeof(path), CORPUS "/%s", e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");

		if (!f)
			continue;
		p.size = (uint32_t)fread(p.bytes, 1, sizeof(p.bytes), f);
		fclose(f);
		keep(&p);
	}
	if (d)
		closedir(d);
	return corpus_count;
}

static void prepare(uint64_t seed)
{
	struct sigaction a = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 300000}, {0, 300000}};
	int file = open(COVER, O_RDWR);

	random_state = seed;
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	scratch = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	mprotect(scratch + page_bytes, page_bytes, PROT_NONE);
	spoils.hole = scratch + page_bytes;
	for (uint32_t i = 0; i < OBJECTS; i++)
		spoils.foreign[i] = spoils.closed[i] = NO_HANDLE;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL); /* who waits is woken */
	if (file >= 0) {
		cover = mmap(NULL, REACH, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		if (cover == MAP_FAILED)
			cover = NULL;
		close(file);
	}
}

/* A file that has nothing to do with them. */
static bool beside_works(struct machine *m)
{
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + MIB);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	struct stream s = at(m, 0);
	int status;

	*flag = 0;
	add_release(&s, BUFFER_VA + MIB, 9);
	struct drm_sovgpu_job job = job_of(m, &s);

	do
		status = submit(m->fd, m->queue, &job, 1, &sync, 1);
	while (status == -EINTR);
	do
		status = status ? status : wait_for(m->fd, sync.handle, 0, 60);
	while (status == -EINTR);
	call(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return !status && *flag == 9;
}

static uint32_t count_reached(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < REACH; i++)
		n += reached[i];
	return n;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 0) : 0,
		 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct machine beside;
	bool good = true, works = true;

	if (!machine_open(&beside, COPY))
		return tap_done();
	uint64_t before = free_vram(beside.fd);

	prepare(seed);
	uint32_t files_there = load(), of_corpus;

	for (uint32_t i = 0; i < files_there; i++)
		judge(&corpus[i], &good);
	ok(good && beside_works(&beside), "%u programs of the corpus run", files_there);
	of_corpus = count_reached();
	uint64_t end = now_ns() + seconds * SECOND_NS, told = 0;

	for (uint64_t i = 0; seconds ? now_ns() < end : i < BRIEF; i++) {
		struct program p = {.size = 24};

		if (corpus_count && random_below(20))
			p = corpus[random_below(4) ? random_below(corpus_count) : corpus_count - 1];
		else
			for (uint32_t k = 0; k < p.size; k++)
				p.bytes[k] = (uint8_t)random_below(256);
		mutate(&p);
		if (judge(&p, &good))
			keep(&p);
		if (i % 64 == 0)
			works = beside_works(&beside) && works;
		if (now_ns() > told + 30 * SECOND_NS && seconds) {
			told = now_ns();
			diag("%llu programs, %llu calls, %u kept, %u reached",
			     (unsigned long long)programs_run, (unsigned long long)calls_made,
			     corpus_count, count_reached());
		}
	}
	ok(good, "all programs begin, and the kernel does not complain");
	ok(works && beside_works(&beside), "a file beside them works all the while");
	for (int i = 0; i < 600 && free_vram(beside.fd) != before; i++)
		usleep(50000);
	ok(free_vram(beside.fd) == before, "nothing is left of them");
	diag("%llu programs, %llu calls; reached by the corpus %u, by all %u, %s",
	     (unsigned long long)programs_run, (unsigned long long)calls_made, of_corpus,
	     count_reached(), cover ? "of the driver's code" : "orders of calls");
	for (size_t i = 0; i < COUNT(calls) + COUNT(others); i++)
		diag("%zu: %u of %u calls succeed", i, done_calls[i], all_calls[i]);
	for (uint32_t i = files_there; seconds && i < corpus_count; i++)
		show("kept:", &corpus[i]);
	machine_close(&beside);
	return tap_done();
}
