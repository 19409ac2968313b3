// SPDX-License-Identifier: MIT
/*
 * Coverage-guided fuzzer of the ioctls. A program is a byte string: the first byte sets how many
 * threads run its parts concurrently, the others choose calls, arguments and invalid values
 * (ioctl_members.h), on two files. Any byte string is a valid program, so mutations need no care.
 * Programs with new coverage are kept: of driver code if the module was built to report it
 * (tests/kunit/coverage), otherwise of call and error sequences.
 *
 * The kernel's own checkers find the bugs; the fuzzer checks that every call returns, that an
 * unrelated file keeps working, and that nothing is left when the files are closed.
 *   usage: fuzz [SECONDS [SEED]]     without arguments: the corpus and a few mutations
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/userspace/kselftest/ioctl_members.h"
#include "tests/userspace/kselftest/user_queue.h"

#define CORPUS_FOLDER       "/test/corpus"
#define COVERAGE_FILE       "/sys/kernel/debug/sovgpu_cover"
#define COVERAGE_BYTES      65536
#define MAX_PROGRAM_BYTES   256
#define MAX_CORPUS          2048
#define SLOTS               6
#define FILES               2
#define THREADS             3
#define SHORT_RUN_MUTATIONS 60 /* mutations in a run without a time limit */

struct program {
	uint32_t size;
	uint8_t bytes[MAX_PROGRAM_BYTES];
};

/*
 * An open file and its objects; numbers are kept after objects are destroyed, so that they are used
 * again.
 */
struct file {
	int fd;
	uint32_t next_slot[OBJECTS], names[OBJECTS][SLOTS];
	uint8_t *memory; /* CPU mapping of its first buffer */
};

static struct file files[FILES];
static struct bad_handles bad;
static uint8_t *scratch; /* the page before bad.hole */
static uint8_t reached[COVERAGE_BYTES], *driver_coverage;
static struct program corpus[MAX_CORPUS];
static uint32_t corpus_count;
static uint64_t random_state, calls_made, programs_run;
static unsigned done_calls[64], all_calls[64];
static volatile sig_atomic_t signalled;
static void *left_mapped[64]; /* mappings kept until the program ends */
static uint32_t left_count;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % n;
}

/* The part of a program that one thread executes. */
struct reader {
	const uint8_t *at, *end;
	uint32_t last;  /* hash of the previous call and its result */
	uint8_t *fresh; /* coverage of call sequences */
};

static uint8_t next_byte(struct reader *r)
{
	return r->at < r->end ? *r->at++ : 0;
}

static uint64_t next_word(struct reader *r)
{
	uint64_t word = 0;

	for (int i = next_byte(r) % 9; i; i--)
		word = word << 8 | next_byte(r);
	return word;
}

static uint32_t pick_handle(struct reader *r, struct file *f, enum object kind)
{
	uint32_t known = f->next_slot[kind] < SLOTS ? f->next_slot[kind] : SLOTS;

	return f->names[kind][next_byte(r) % (known ? known : 1)];
}

static void add_handle(struct file *f, enum object kind, uint32_t number)
{
	if (number)
		f->names[kind][f->next_slot[kind]++ % SLOTS] = number;
}

/* Arguments that may be valid. Arrays lie in the page before a PROT_NONE page. */

static void fill_dev_query(struct reader *r, struct file *f, void *argument)
{
	(void)f;
	*(struct drm_sovgpu_dev_query *)argument = (struct drm_sovgpu_dev_query){
		.type = next_byte(r) % 5, .size = next_byte(r), .pointer = (uintptr_t)scratch};
}
static void fill_bo_create(struct reader *r, struct file *f, void *argument)
{
	static const uint32_t regions[] = {VRAM, SYSTEM, VRAM, USER};
	uint32_t region = regions[next_byte(r) % 4], which = next_byte(r);

	*(struct drm_sovgpu_bo_create *)argument = (struct drm_sovgpu_bo_create){
		.size = region == USER ? page_bytes : VRAM_PAGE * (1 + which % 40),
		.region = region,
		.flags = region == USER ? 0 : which >> 6,
		.user_address = region == USER ? (uintptr_t)scratch : 0,
		.exclusive_vm = which % 16 == 15 ? pick_handle(r, f, OBJECT_VM) : 0};
}
static void fill_bo_mmap_offset(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_bo_mmap_offset *)argument)->handle = pick_handle(r, f, OBJECT_BUFFER);
}
static void fill_bo_info(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_bo_info *)argument)->handle = pick_handle(r, f, OBJECT_BUFFER);
}
static void fill_nothing(struct reader *r, struct file *f, void *argument)
{
	(void)r;
	(void)f;
	(void)argument;
}
static void fill_vm_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_vm_destroy *)argument)->id = pick_handle(r, f, OBJECT_VM);
}
/* Spreads threads over parts of the page, by the address of their program bytes. */
static uint8_t *array_space(const struct reader *r)
{
	return scratch + (uintptr_t)r->at % 3 * (page_bytes / 4);
}
static uint32_t fill_syncs(struct reader *r, struct file *f, uint8_t *to)
{
	struct drm_sovgpu_sync *syncs = (struct drm_sovgpu_sync *)to;
	uint32_t count = next_byte(r) % 4;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t flags = next_byte(r) % 4;

		syncs[i] = (struct drm_sovgpu_sync){flags, pick_handle(r, f, OBJECT_SYNCOBJ),
						    flags & DRM_SOVGPU_SYNC_TIMELINE ? next_byte(r)
										     : 0};
	}
	return count;
}
static void fill_vm_bind(struct reader *r, struct file *f, void *argument)
{
	uint8_t *space = array_space(r);
	struct drm_sovgpu_vm_bind_op *ops = (struct drm_sovgpu_vm_bind_op *)space;
	uint32_t count = 1 + next_byte(r) % 4;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t how = next_byte(r), where = next_byte(r);
		bool unmap = how % 4 == 3;

		ops[i] = (struct drm_sovgpu_vm_bind_op){
			.type = unmap,
			.flags = unmap ? 0 : how >> 5,
			.handle = unmap ? 0 : pick_handle(r, f, OBJECT_BUFFER),
			.offset = unmap ? 0 : (how >> 2 & 3) * VRAM_PAGE,
			.va = BUFFER_VA + (where % 8) * (where & 8 ? GIB : 3 * VRAM_PAGE),
			.size = (1 + (where >> 4)) * VRAM_PAGE};
	}
	*(struct drm_sovgpu_vm_bind *)argument = (struct drm_sovgpu_vm_bind){
		.vm_id = pick_handle(r, f, OBJECT_VM),
		.ops = {sizeof(*ops), count, (uintptr_t)ops},
		.syncs = {sizeof(struct drm_sovgpu_sync), fill_syncs(r, f, space + 512),
			  (uintptr_t)space + 512}};
}
static void fill_vm_state(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_vm_state *)argument)->vm_id = pick_handle(r, f, OBJECT_VM);
}
static void fill_group_create(struct reader *r, struct file *f, void *argument)
{
	*(struct drm_sovgpu_group_create *)argument =
		(struct drm_sovgpu_group_create){.vm_id = pick_handle(r, f, OBJECT_VM),
						 .priority = next_byte(r) % 2,
						 .time_slice_us = next_byte(r) * 16};
}
static void fill_group_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_group_destroy *)argument)->id = pick_handle(r, f, OBJECT_GROUP);
}
static void fill_queue_create(struct reader *r, struct file *f, void *argument)
{
	uint32_t how = next_byte(r);

	*(struct drm_sovgpu_queue_create *)argument =
		(struct drm_sovgpu_queue_create){.group_id = pick_handle(r, f, OBJECT_GROUP),
						 .queue_class = how & 1,
						 .mode = how >> 1 & 1,
						 .ring_va = how & 2 ? BUFFER_VA + 32 * KIB : 0,
						 .ring_entries = 4u << (how >> 2 & 7),
						 .time_limit_ms = how & 2 ? 0 : 20 + how};
}
static void fill_queue_destroy(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_queue_destroy *)argument)->id = pick_handle(r, f, OBJECT_QUEUE);
}
/* Writes one of a few meaningful streams, or bytes of the program. */
static struct drm_sovgpu_job write_stream(struct reader *r, struct file *f)
{
	uint32_t how = next_byte(r), offset = (how >> 4) * 1024;
	struct fixture m = {.memory = f->memory};
	struct stream s = stream_at(&m, offset);

	if (how % 8 == 0)
		stream_release(&s, BUFFER_VA + 24 * KIB + 8 * next_byte(r), how);
	else if (how % 8 == 1)
		stream_copy(&s, BUFFER_VA + 16 * KIB, BUFFER_VA + 20 * KIB, 16u * next_byte(r));
	else if (how % 8 == 2)
		stream_acquire(&s, BUFFER_VA + 24 * KIB + 8 * next_byte(r), 1);
	else if (how % 8 == 3)
		stream_copy(&s, next_word(r), BUFFER_VA, 64);
	else if (how % 8 == 4)
		for (int i = next_byte(r) % 8; i; i--)
			stream_data(&s, (uint32_t)next_word(r));
	if (!s.count)
		stream_method(&s, 0, NV_HOST_WFI, 0);
	return (struct drm_sovgpu_job){.va = how % 8 == 7 ? 3 * GIB : BUFFER_VA + offset,
				       .size = 4 * s.count};
}
static void fill_queue_submit(struct reader *r, struct file *f, void *argument)
{
	uint8_t *space = array_space(r);
	struct drm_sovgpu_job *jobs = (struct drm_sovgpu_job *)space;
	uint32_t count = 1 + next_byte(r) % 3;

	for (uint32_t i = 0; i < count; i++)
		jobs[i] = write_stream(r, f);
	*(struct drm_sovgpu_queue_submit *)argument = (struct drm_sovgpu_queue_submit){
		.queue_id = pick_handle(r, f, OBJECT_QUEUE),
		.jobs = {sizeof(*jobs), count, (uintptr_t)jobs},
		.syncs = {sizeof(struct drm_sovgpu_sync), fill_syncs(r, f, space + 512),
			  (uintptr_t)space + 512}};
}
static void fill_queue_state(struct reader *r, struct file *f, void *argument)
{
	((struct drm_sovgpu_queue_state *)argument)->queue_id = pick_handle(r, f, OBJECT_QUEUE);
}
static int64_t near_deadline(struct reader *r)
{
	return (int64_t)(now_ns() + next_byte(r) * UINT64_C(20000));
}
static void fill_fence_wait(struct reader *r, struct file *f, void *argument)
{
	*(struct drm_sovgpu_fence_wait *)argument =
		(struct drm_sovgpu_fence_wait){.handle = pick_handle(r, f, OBJECT_BUFFER),
					       .op = next_byte(r) % 2,
					       .offset = 24 * KIB + 8 * next_byte(r),
					       .value = next_byte(r),
					       .mask = 0xff,
					       .deadline_ns = near_deadline(r)};
}
static void fill_interrupt_wait(struct reader *r, struct file *f, void *argument)
{
	(void)f;
	*(struct drm_sovgpu_interrupt_wait *)argument = (struct drm_sovgpu_interrupt_wait){
		.count = next_byte(r), .deadline_ns = near_deadline(r)};
}

/* Offset and kind of the handle that an ioctl returns. */
#define RETURNS(type, member, kind) offsetof(struct drm_sovgpu_##type, member), kind
#define RETURNS_NOTHING             0, OBJECTS

static const struct ioctl_case {
	unsigned long request;
	void (*fill)(struct reader *r, struct file *f, void *argument);
	const struct member *members;
	uint32_t count;
	size_t returned_offset;
	enum object kind;
} calls[] = {
#define IOCTL_CASE(NAME, list, fill, ...) \
	{DRM_IOCTL_SOVGPU_##NAME, fill, list##_members, COUNT(list##_members), __VA_ARGS__}
	IOCTL_CASE(DEV_QUERY, dev_query, fill_dev_query, RETURNS_NOTHING),
	IOCTL_CASE(BO_CREATE, bo_create, fill_bo_create, RETURNS(bo_create, handle, OBJECT_BUFFER)),
	IOCTL_CASE(BO_CREATE, user_bo_create, fill_bo_create,
		   RETURNS(bo_create, handle, OBJECT_BUFFER)),
	IOCTL_CASE(BO_MMAP_OFFSET, bo_mmap_offset, fill_bo_mmap_offset, RETURNS_NOTHING),
	IOCTL_CASE(BO_INFO, bo_info, fill_bo_info, RETURNS_NOTHING),
	IOCTL_CASE(VM_CREATE, vm_create, fill_nothing, RETURNS(vm_create, id, OBJECT_VM)),
	IOCTL_CASE(VM_DESTROY, vm_destroy, fill_vm_destroy, RETURNS_NOTHING),
	IOCTL_CASE(VM_BIND, vm_bind, fill_vm_bind, RETURNS_NOTHING),
	IOCTL_CASE(VM_STATE, vm_state, fill_vm_state, RETURNS_NOTHING),
	IOCTL_CASE(GROUP_CREATE, group_create, fill_group_create,
		   RETURNS(group_create, id, OBJECT_GROUP)),
	IOCTL_CASE(GROUP_DESTROY, group_destroy, fill_group_destroy, RETURNS_NOTHING),
	IOCTL_CASE(QUEUE_CREATE, queue_create, fill_queue_create,
		   RETURNS(queue_create, id, OBJECT_QUEUE)),
	IOCTL_CASE(QUEUE_CREATE, user_queue_create, fill_queue_create,
		   RETURNS(queue_create, id, OBJECT_QUEUE)),
	IOCTL_CASE(QUEUE_DESTROY, queue_destroy, fill_queue_destroy, RETURNS_NOTHING),
	IOCTL_CASE(QUEUE_SUBMIT, queue_submit, fill_queue_submit, RETURNS_NOTHING),
	IOCTL_CASE(QUEUE_SUBMIT, queue_submit, fill_queue_submit, RETURNS_NOTHING),
	IOCTL_CASE(QUEUE_STATE, queue_state, fill_queue_state, RETURNS_NOTHING),
	IOCTL_CASE(FENCE_WAIT, fence_wait, fill_fence_wait, RETURNS_NOTHING),
	IOCTL_CASE(INTERRUPT_WAIT, interrupt_wait, fill_interrupt_wait, RETURNS_NOTHING),
};

/*
 * Sets one member to an invalid or arbitrary value. Deadlines stay bounded, so that no call waits
 * forever.
 */
static void corrupt_member(struct reader *r, const struct ioctl_case *d, uint8_t *argument)
{
	const struct member *m = &d->members[next_byte(r) % d->count];
	struct trial t[MAX_TRIALS];
	uint64_t value = 0;
	size_t n;

	memcpy(&value, argument + m->offset, m->size);
	n = member_trials(m, value, &bad, t);
	value = next_byte(r) & 1 && n ? t[next_byte(r) % n].value : next_word(r);
	if (strstr(m->name, "deadline"))
		value %= UINT64_C(1) << 40;
	memcpy(argument + m->offset, &value, m->size);
}

static int run_call(struct reader *r, struct file *f, const struct ioctl_case *d)
{
	uint8_t argument[256] = {0};
	uint32_t corruption = next_byte(r), given;

	d->fill(r, f, argument);
	for (uint32_t i = corruption < 192 ? 0 : 1 + corruption % 2; i; i--)
		corrupt_member(r, d, argument);
	int status = gpu_ioctl(f->fd, d->request, argument);

	if (!status && d->kind != OBJECTS) {
		memcpy(&given, argument + d->returned_offset, sizeof(given));
		add_handle(f, d->kind, given);
	}
	return status;
}

/* Operations other than the driver's ioctls. */

static int close_buffer(struct reader *r, struct file *f)
{
	uint32_t which = next_byte(r) % SLOTS;

	/* Slot 0 holds the streams. */
	return which ? bo_close(f->fd, f->names[OBJECT_BUFFER][which]) : 0;
}
static int touch_buffer(struct reader *r, struct file *f)
{
	uint32_t which = next_byte(r);
	volatile uint8_t *p = bo_map(f->fd, pick_handle(r, f, OBJECT_BUFFER), VRAM_PAGE);

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
	struct file *to = &files[next_byte(r) % FILES];

	to = to->fd < 0 ? f : to;

	int file = prime_export(f->fd, pick_handle(r, f, OBJECT_BUFFER));
	uint32_t handle;

	if (file < 0)
		return file;
	int status = prime_import(to->fd, file, &handle);

	close(file);
	add_handle(to, OBJECT_BUFFER, handle);
	return status;
}
static int create_syncobj(struct reader *r, struct file *f)
{
	struct drm_syncobj_create c = {.flags = next_byte(r) % 2};
	int status = gpu_ioctl(f->fd, DRM_IOCTL_SYNCOBJ_CREATE, &c);

	add_handle(f, OBJECT_SYNCOBJ, status ? 0 : c.handle);
	return status;
}
static int destroy_syncobj(struct reader *r, struct file *f)
{
	struct drm_syncobj_destroy d = {.handle = pick_handle(r, f, OBJECT_SYNCOBJ)};

	return gpu_ioctl(f->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
}
static int change_syncobj(struct reader *r, struct file *f)
{
	uint32_t handle = pick_handle(r, f, OBJECT_SYNCOBJ);
	uint64_t point = next_byte(r);
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1};
	struct drm_syncobj_array b = {.handles = (uintptr_t)&handle, .count_handles = 1};

	return point & 1 ? gpu_ioctl(f->fd, DRM_IOCTL_SYNCOBJ_RESET, &b)
			 : gpu_ioctl(f->fd, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &a);
}
/* Creates a user queue and writes arbitrary values to its ring and PUT. */
static int use_user_queue(struct reader *r, struct file *f)
{
	struct user_queue u = {
		.m = {.fd = f->fd, .memory = f->memory, .group = pick_handle(r, f, OBJECT_GROUP)}};
	uint32_t how = next_byte(r);

	u.c = (struct drm_sovgpu_queue_create){.group_id = u.m.group,
					       .queue_class = how & 1,
					       .mode = DRM_SOVGPU_QUEUE_USER,
					       .ring_va = BUFFER_VA + 32 * KIB,
					       .ring_entries = RING_ENTRIES};
	int status = gpu_ioctl(f->fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &u.c);

	if (status)
		return status;
	add_handle(f, OBJECT_QUEUE, u.c.id);
	u.userd = map_driver_page(f->fd, u.c.pointers_offset);
	uint8_t *doorbell = map_driver_page(f->fd, u.c.doorbell_offset);
	struct drm_sovgpu_job job = write_stream(r, f);

	if (u.userd == MAP_FAILED || doorbell == MAP_FAILED)
		return -errno;
	*(volatile uint64_t *)(f->memory + 32 * KIB) =
		how & 2 ? next_word(r) : nv_gp_entry_pack(job.va, job.size / 4);
	u.userd_put = (volatile uint32_t *)(u.userd + u.c.put_offset);
	u.doorbell = (volatile uint32_t *)(doorbell + u.c.doorbell_offset % page_bytes);
	ring_set_put(&u, how & 4 ? next_byte(r) : 1);
	if (how & 8)
		queue_destroy(f->fd, u.c.id);
	munmap(doorbell, page_bytes);
	munmap(u.userd, page_bytes);
	return 0;
}
static int reopen(struct reader *r, struct file *f);

static int (*const other_operations[])(struct reader *r, struct file *f) = {
	close_buffer,    touch_buffer,   share_buffer,   create_syncobj,
	destroy_syncobj, change_syncobj, use_user_queue, reopen,
};

/* A new file gets the objects that most calls need, so that short programs reach far. */
static bool open_file(struct file *f)
{
	uint32_t handle, id;

	memset(f, 0, sizeof(*f));
	f->fd = open_device();
	if (f->fd < 0 || bo_create(f->fd, SYSTEM, VRAM_PAGE, MAPPABLE, &handle) ||
	    vm_create(f->fd, &id) || vm_map(f->fd, id, handle, 0, BUFFER_VA, VRAM_PAGE))
		return false;
	add_handle(f, OBJECT_BUFFER, handle);
	add_handle(f, OBJECT_VM, id);
	group_create(f->fd, id, &id);
	add_handle(f, OBJECT_GROUP, id);
	queue_create(f->fd, id, COPY, 8, 60, &id);
	add_handle(f, OBJECT_QUEUE, id);
	add_handle(f, OBJECT_SYNCOBJ, syncobj_create(f->fd));
	f->memory = bo_map(f->fd, handle, VRAM_PAGE);
	return f->memory != MAP_FAILED;
}

static bool single_threaded; /* the program has a single thread */

/* Only with a single thread: other threads write to the mappings. */
static int reopen(struct reader *r, struct file *f)
{
	(void)r;
	if (!single_threaded)
		return 0;
	munmap(f->memory, VRAM_PAGE);
	close(f->fd);
	return open_file(f) ? 0 : -EIO;
}

static void *run_part(void *argument)
{
	struct reader *r = argument;

	while (r->at < r->end) {
		uint32_t what = next_byte(r),
			 which = what % (COUNT(calls) + COUNT(other_operations));
		struct file *f = &files[what >= 224];

		if (f->fd < 0 && !open_file(f))
			return NULL;
		int status = which < COUNT(calls) ? run_call(r, f, &calls[which])
						  : other_operations[which - COUNT(calls)](r, f);
		uint32_t now = (which * 64 + (uint32_t)-status % 64) & 0xfff;

		__atomic_fetch_add(&calls_made, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&all_calls[which], 1, __ATOMIC_RELAXED);
		if (!status)
			__atomic_fetch_add(&done_calls[which], 1, __ATOMIC_RELAXED);
		r->fresh[(now * 31 + r->last * 7919) % COVERAGE_BYTES] = 1;
		r->last = now;
	}
	return NULL;
}

static void on_alarm(int number)
{
	(void)number;
	signalled++;
}

/* Runs a program; `fresh` must be zero and gets its coverage. */
static bool run_program(const struct program *p, uint8_t *fresh)
{
	uint32_t threads = p->size ? 1 + p->bytes[0] % 8 / 5 * (1 + p->bytes[0] / 8 % 2) : 1;
	struct reader readers[THREADS];
	pthread_t ids[THREADS];
	bool good = open_file(&files[0]);

	/* Programs with one thread open the second file on first use, as most do not need it. */
	single_threaded = threads == 1;
	files[1] = (struct file){.fd = -1};
	if (!single_threaded)
		good = open_file(&files[1]) && good;
	if (driver_coverage)
		memset(driver_coverage, 0, COVERAGE_BYTES);
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

static void print_program(const char *what, const struct program *p)
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

/*
 * Runs a program, merges its coverage and returns the number of new entries. With driver coverage,
 * only that counts.
 */
static uint32_t run_and_merge_coverage(const struct program *p, bool *good)
{
	static uint8_t fresh[COVERAGE_BYTES];
	static int taint = -1;
	uint32_t new_count = 0;

	memset(fresh, 0, sizeof(fresh));
	if (!run_program(p, fresh)) {
		*good = false;
		print_program("cannot open its files:", p);
	}
	const uint8_t *what = driver_coverage ? driver_coverage : fresh;

	for (uint32_t i = 0; i < COVERAGE_BYTES; i++)
		if (what[i] && !reached[i]) {
			reached[i] = 1;
			new_count++;
		}
	if (taint != tainted()) {
		if (taint >= 0) {
			print_program("the kernel is tainted after", p);
			*good = false;
		}
		taint = tainted();
	}
	return new_count;
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
		case 2: /* insert bytes */
			if (p->size + n > MAX_PROGRAM_BYTES)
				break;
			memmove(p->bytes + at + n, p->bytes + at, p->size - at);
			for (uint32_t k = 0; k < n; k++)
				p->bytes[at + k] = (uint8_t)random_below(256);
			p->size += n;
			break;
		case 3: /* delete bytes */
			if (p->size < at + n + 2)
				break;
			memmove(p->bytes + at, p->bytes + at + n, p->size - at - n);
			p->size -= n;
			break;
		case 4: /* splice the end of another program */
			if (corpus_count) {
				const struct program *o = &corpus[random_below(corpus_count)];
				uint32_t from = o->size ? random_below(o->size) : 0,
					 max = MAX_PROGRAM_BYTES - at;
				uint32_t length = o->size - from < max ? o->size - from : max;

				memcpy(p->bytes + at, o->bytes + from, length);
				p->size = at + length > p->size ? at + length : p->size;
			}
			break;
		default:
			p->bytes[0] = (uint8_t)random_below(256);
		}
		if (!p->size)
			p->size = 1;
	}
}

static void add_to_corpus(const struct program *p)
{
	if (corpus_count < MAX_CORPUS)
		corpus[corpus_count++] = *p;
}

static uint32_t load_corpus(void)
{
	DIR *d = opendir(CORPUS_FOLDER);
	struct dirent *e;
	char path[512];

	while (d && (e = readdir(d))) {
		struct program p;

		snprintf(path, sizeof(path), CORPUS_FOLDER "/%s", e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");

		if (!f)
			continue;
		p.size = (uint32_t)fread(p.bytes, 1, sizeof(p.bytes), f);
		fclose(f);
		add_to_corpus(&p);
	}
	if (d)
		closedir(d);
	return corpus_count;
}

static void setup(uint64_t seed)
{
	struct sigaction a = {.sa_handler = on_alarm};
	struct itimerval often = {{0, 300000}, {0, 300000}};
	int file = open(COVERAGE_FILE, O_RDWR);

	random_state = seed;
	page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	scratch = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	mprotect(scratch + page_bytes, page_bytes, PROT_NONE);
	bad.hole = scratch + page_bytes;
	for (uint32_t i = 0; i < OBJECTS; i++)
		bad.foreign[i] = bad.closed[i] = NO_HANDLE;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL); /* interrupts waiting calls */
	if (file >= 0) {
		driver_coverage =
			mmap(NULL, COVERAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		if (driver_coverage == MAP_FAILED)
			driver_coverage = NULL;
		close(file);
	}
}

/* A file that no program uses still works. */
static bool bystander_works(struct fixture *m)
{
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + MIB);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	struct stream s = stream_at(m, 0);
	int status;

	*flag = 0;
	stream_release(&s, BUFFER_VA + MIB, 9);
	struct drm_sovgpu_job job = stream_job(m, &s);

	do
		status = queue_submit(m->fd, m->queue, &job, 1, &sync, 1);
	while (status == -EINTR);
	do
		status = status ? status : syncobj_wait(m->fd, sync.handle, 0, 60);
	while (status == -EINTR);
	gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return !status && *flag == 9;
}

static uint32_t count_reached(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < COVERAGE_BYTES; i++)
		n += reached[i];
	return n;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 0) : 0,
		 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct fixture bystander;
	bool good = true, works = true;

	if (!fixture_open(&bystander, COPY))
		return tap_done();
	uint64_t before = free_vram_bytes(bystander.fd);

	setup(seed);
	uint32_t corpus_files = load_corpus(), corpus_coverage;

	for (uint32_t i = 0; i < corpus_files; i++)
		run_and_merge_coverage(&corpus[i], &good);
	ok(good && bystander_works(&bystander),
	   "%u programs of the corpus run, and an unrelated file keeps working", corpus_files);
	corpus_coverage = count_reached();
	uint64_t end = now_ns() + seconds * SECOND_NS, reported = 0;

	for (uint64_t i = 0; seconds ? now_ns() < end : i < SHORT_RUN_MUTATIONS; i++) {
		struct program p = {.size = 24};

		if (corpus_count && random_below(20))
			p = corpus[random_below(4) ? random_below(corpus_count) : corpus_count - 1];
		else
			for (uint32_t k = 0; k < p.size; k++)
				p.bytes[k] = (uint8_t)random_below(256);
		mutate(&p);
		if (run_and_merge_coverage(&p, &good))
			add_to_corpus(&p);
		if (i % 64 == 0)
			works = bystander_works(&bystander) && works;
		if (now_ns() > reported + 30 * SECOND_NS && seconds) {
			reported = now_ns();
			diag("%llu programs, %llu calls, %u kept, %u coverage entries",
			     (unsigned long long)programs_run, (unsigned long long)calls_made,
			     corpus_count, count_reached());
		}
	}
	ok(good, "every fuzzed program opens its files, and the kernel is not tainted");
	ok(works && bystander_works(&bystander), "an unrelated file keeps working during fuzzing");
	for (int i = 0; i < 600 && free_vram_bytes(bystander.fd) != before; i++)
		usleep(50000);
	ok(free_vram_bytes(bystander.fd) == before,
	   "all VRAM is free after the fuzzed files are closed");
	diag("%llu programs, %llu calls; coverage of the corpus %u, of all %u, %s",
	     (unsigned long long)programs_run, (unsigned long long)calls_made, corpus_coverage,
	     count_reached(), driver_coverage ? "of the driver's code" : "call sequences");
	for (size_t i = 0; i < COUNT(calls) + COUNT(other_operations); i++)
		diag("%zu: %u of %u calls succeed", i, done_calls[i], all_calls[i]);
	for (uint32_t i = corpus_files; seconds && i < corpus_count; i++)
		print_program("kept:", &corpus[i]);
	fixture_close(&bystander);
	return tap_done();
}
