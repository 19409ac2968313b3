// SPDX-License-Identifier: MIT
/*
 * Memory allocation failures. The kernel's fault injection makes the N-th allocation of this thread
 * fail (/proc/thread-self/fail-nth), for N = 1, 2, ... until a call needs fewer than N allocations.
 * A call whose allocation failed returns ENOMEM or succeeds without it; calls that destroy
 * something must succeed. The same call must then succeed, and after its objects are destroyed,
 * VRAM, pinned memory and the file's accounting must be exactly what they were. kmemleak finds
 * kernel memory that was lost (tests/vm/guest/init).
 *   usage: _inject calls STEP [NAME]
 *              every STEP-th allocation of each call, or of those whose name contains NAME
 *          _inject bind CARD STEP [FIRST]
 *              binding the driver to a card (PCI address), from allocation FIRST
 */
#include <linux/udmabuf.h>
#include <poll.h>
#include <sys/klog.h>
#include <sys/syscall.h>

#include "tests/userspace/kselftest/queue.h"

#define MAX_ALLOCATIONS 100000    /* a call with more allocations is in an endless loop */
#define MAP_VA          (2 * GIB) /* where rows map buffers */
#define LARGE_PAGE      (2 * MIB)
#define RING_OFFSET     (3 * MIB)
#define SMALL_BYTES     (16 * 4096)
#define JOBS            4
#define PROGRESS        100

/* Objects that the rows use, and what they leave for undo. */
struct state {
	struct fixture m;
	int file; /* descriptor returned by the call */
	uint32_t id, other, vram, system_memory, own, sync[2];
	uint64_t point;
	uint8_t *at; /* CPU mapping */
	void *user;  /* user memory */
};

static int nth;     /* /proc/thread-self/fail-nth */
static int watcher; /* second file, used to query free VRAM */

static void set_fail_nth(unsigned n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, (size_t)length, 0) != length)
		exit(2);
}

/* Whether an allocation failed since set_fail_nth(); disables the injection. */
static bool injection_happened(void)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		exit(2);
	set_fail_nth(0);
	return atoi(text) == 0;
}

static bool enable_injection(void)
{
	static const struct {
		const char *file, *value;
	} rows[] = {
		/*
		 * Include sleeping allocations of any order; no log lines, as there will be
		 * thousands.
		 */
		{"failslab/ignore-gfp-wait", "N"},
		{"fail_page_alloc/ignore-gfp-wait", "N"},
		{"fail_page_alloc/ignore-gfp-highmem", "N"},
		{"fail_page_alloc/min-order", "0"},
		{"failslab/verbose", "0"},
		{"fail_page_alloc/verbose", "0"},
	};
	bool good = true;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/kernel/debug/%s", rows[i].file);
		int file = open(path, O_WRONLY | O_CLOEXEC);

		good = good && file >= 0 && write(file, rows[i].value, 1) == 1;
		close(file);
	}
	nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	return good && nth >= 0;
}

/* Pinned memory of this process in KiB. */
static long pinned_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmLck: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

/* Buffers. */

static void no_op(struct state *w)
{
	(void)w;
}
static void undo_bo(struct state *w)
{
	if (w->id)
		bo_close(w->m.fd, w->id);
}
static int open_file(struct state *w)
{
	w->file = open_device();
	return w->file < 0 ? -errno : 0;
}
static void close_file(struct state *w)
{
	if (w->file >= 0)
		close(w->file);
	w->file = -1;
}
static int query_all(struct state *w)
{
	uint64_t answer[64];
	int status = 0;

	for (uint32_t type = 0; !status && type <= DRM_SOVGPU_DEV_QUERY_TIME; type++)
		status = dev_query(w->m.fd, type, sizeof(answer), answer, NULL);
	return status;
}
static int create_vram(struct state *w)
{
	return bo_create(w->m.fd, VRAM, 3 * VRAM_PAGE, MAPPABLE, &w->id);
}
static int create_system(struct state *w)
{
	return bo_create(w->m.fd, SYSTEM, SMALL_BYTES, MAPPABLE, &w->id);
}
static void prepare_user_memory(struct state *w)
{
	w->user =
		mmap(NULL, SMALL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static int create_user_bo(struct state *w)
{
	struct drm_sovgpu_bo_create c = {
		.region = USER, .size = SMALL_BYTES, .user_address = (uintptr_t)w->user};
	int status = gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);

	w->id = status ? 0 : c.handle;
	return status;
}
static void undo_user_bo(struct state *w)
{
	undo_bo(w);
	munmap(w->user, SMALL_BYTES);
}
static void prepare_vram(struct state *w)
{
	create_vram(w);
}
static int close_vram(struct state *w)
{
	int status = bo_close(w->m.fd, w->id);

	w->id = status ? w->id : 0;
	return status;
}
static int query_bo(struct state *w)
{
	struct drm_sovgpu_bo_mmap_offset o = {.handle = w->vram};
	struct drm_sovgpu_bo_info i = {.handle = w->vram};
	int status = gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &o);

	return status ? status : gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_BO_INFO, &i);
}
static int map_bo(struct state *w)
{
	w->at = bo_map(w->m.fd, w->vram, LARGE_PAGE);
	return w->at == MAP_FAILED ? -errno : 0;
}
static void unmap_bo(struct state *w)
{
	if (w->at != MAP_FAILED)
		munmap(w->at, LARGE_PAGE);
}
static void prepare_mapping(struct state *w)
{
	map_bo(w);
}
static int touch_mapping(struct state *w)
{
	for (uint64_t i = 0; i < LARGE_PAGE; i += MIB / 2)
		((volatile uint8_t *)w->at)[i] = 1;
	return 0;
}
static int export_bo(struct state *w)
{
	w->file = prime_export(w->m.fd, w->vram);
	return w->file < 0 ? w->file : 0;
}
static void prepare_export(struct state *w)
{
	export_bo(w);
}
/* The importing file has no handle of the buffer yet. */
static int import_bo(struct state *w)
{
	return prime_import(watcher, w->file, &w->id);
}
static void undo_import(struct state *w)
{
	if (w->id)
		bo_close(watcher, w->id);
	close_file(w);
}
/* Another driver's memory, which must be DMA-mapped for the card. */
static void prepare_udmabuf(struct state *w)
{
	int memory = (int)syscall(SYS_memfd_create, "foreign", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	struct udmabuf_create c = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = SMALL_BYTES};

	if (ftruncate(memory, SMALL_BYTES) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		exit(2);
	w->file = ioctl(device, UDMABUF_CREATE, &c);
	close(device);
	close(memory);
}

/* Address spaces. */

static int create_vm(struct state *w)
{
	return vm_create(w->m.fd, &w->id);
}
static void prepare_vm(struct state *w)
{
	create_vm(w);
}
static int destroy_vm(struct state *w)
{
	int status = w->id ? vm_destroy(w->m.fd, w->id) : 0;

	w->id = 0;
	return status;
}
static void undo_vm(struct state *w)
{
	destroy_vm(w);
}
static void prepare_full_vm(struct state *w)
{
	create_vm(w);
	vm_map(w->m.fd, w->id, w->vram, 0, MAP_VA, LARGE_PAGE);
	vm_map(w->m.fd, w->id, w->system_memory, 0, MAP_VA + GIB, SMALL_BYTES);
}
static int bind_vram(struct state *w)
{
	return vm_map(w->m.fd, w->id, w->vram, 0, MAP_VA, LARGE_PAGE);
}
static int bind_system(struct state *w)
{
	return vm_map(w->m.fd, w->id, w->system_memory, 0, MAP_VA + GIB, SMALL_BYTES);
}
static int bind_own(struct state *w)
{
	return vm_map(w->m.fd, w->id, w->own, 0, MAP_VA + GIB, SMALL_BYTES);
}
/* Maps into the middle of a large page, which splits into three ranges and small pages. */
static int bind_over(struct state *w)
{
	return vm_map(w->m.fd, w->id, w->system_memory, 0, MAP_VA + MIB, SMALL_BYTES);
}
static int unbind_middle(struct state *w)
{
	return vm_unmap(w->m.fd, w->id, MAP_VA + MIB, VRAM_PAGE);
}
static int unbind_all(struct state *w)
{
	return vm_unmap(w->m.fd, w->id, MAP_VA, 2 * GIB);
}
static int bind_many(struct state *w)
{
	struct drm_sovgpu_vm_bind_op ops[4];
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE,
				       w->sync[0], ++w->point};

	for (size_t i = 0; i < COUNT(ops); i++)
		ops[i] = (struct drm_sovgpu_vm_bind_op){
			.handle = w->system_memory, .va = MAP_VA + i * MIB, .size = SMALL_BYTES};
	struct drm_sovgpu_vm_bind b = {.vm_id = w->id,
				       .ops = {sizeof(*ops), COUNT(ops), (uintptr_t)ops},
				       .syncs = {sizeof(sync), 1, (uintptr_t)&sync}};

	return gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b);
}

/* Groups and queues. */

static int create_group(struct state *w)
{
	return group_create(w->m.fd, w->m.vm, &w->id);
}
static void undo_group(struct state *w)
{
	if (w->id)
		group_destroy(w->m.fd, w->id);
	w->id = 0;
}
static void prepare_group(struct state *w)
{
	group_create(w->m.fd, w->m.vm, &w->m.group);
}
/* Queue IDs persist until they are destroyed; the group frees what a failed queue left in it. */
static void undo_queues(struct state *w)
{
	queue_destroy(w->m.fd, w->id);
	queue_destroy(w->m.fd, w->other);
	group_destroy(w->m.fd, w->m.group);
}
static int create_compute_queue(struct state *w)
{
	return queue_create(w->m.fd, w->m.group, COMPUTE, 16, LIMIT_MS, &w->id);
}
static int create_copy_queue(struct state *w)
{
	return queue_create(w->m.fd, w->m.group, COPY, 16, LIMIT_MS, &w->id);
}
static int create_user_queue(struct state *w)
{
	struct drm_sovgpu_queue_create c = {.group_id = w->m.group,
					    .queue_class = COPY,
					    .mode = DRM_SOVGPU_QUEUE_USER,
					    .ring_va = BUFFER_VA + RING_OFFSET,
					    .ring_entries = 16};
	int status = gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &c);

	w->id = status ? 0 : c.id;
	return status;
}
static void prepare_queues(struct state *w)
{
	prepare_group(w);
	create_compute_queue(w);
	w->other = w->id;
	create_copy_queue(w);
}
static int destroy_queue(struct state *w)
{
	return queue_destroy(w->m.fd, w->id);
}
static int destroy_group(struct state *w)
{
	return group_destroy(w->m.fd, w->m.group);
}
static int submit_jobs(struct state *w)
{
	struct drm_sovgpu_sync syncs[] = {
		{DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, w->sync[0], ++w->point},
		{DRM_SOVGPU_SYNC_SIGNAL, w->sync[1], 0}};
	struct drm_sovgpu_job jobs[JOBS];

	for (uint32_t i = 0; i < JOBS; i++) {
		struct stream s = stream_at(&w->m, i * 4096);

		stream_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, 4096);
		jobs[i] = stream_job(&w->m, &s);
	}
	return queue_submit(w->m.fd, w->m.queue, jobs, JOBS, syncs, COUNT(syncs));
}
/* Accepted jobs complete, and the queue stays usable. */
static void wait_jobs(struct state *w)
{
	if (syncobj_wait(w->m.fd, w->sync[1], 0, 20) || queue_state(w->m.fd, w->m.queue).state)
		diag("accepted jobs do not complete");
}
static int query_queue(struct state *w)
{
	struct drm_sovgpu_queue_state q = {.queue_id = w->m.queue};
	struct drm_sovgpu_vm_state v = {.vm_id = w->m.vm};
	int status = gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &q);

	return status ? status : gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_VM_STATE, &v);
}
/* A condition that already holds; the driver must map VRAM to read the word. */
static int wait_value(struct state *w)
{
	struct drm_sovgpu_fence_wait f = {
		.handle = w->vram, .op = DRM_SOVGPU_FENCE_AT_LEAST, .mask = UINT64_MAX};

	return gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &f);
}
static int wait_interrupt(struct state *w)
{
	struct drm_sovgpu_interrupt_wait i = {.count = UINT32_MAX};

	return gpu_ioctl(w->m.fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &i);
}

/* A file with objects of every kind and a running job. */
static void prepare_busy_file(struct state *w)
{
	struct fixture m = {.fd = open_device()};
	uint32_t id;

	bo_create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer);
	m.memory = bo_map(m.fd, m.buffer, BUFFER_BYTES);
	vm_create(m.fd, &m.vm);
	vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES);
	bo_create(m.fd, VRAM, VRAM_PAGE, 0, &id);
	vm_map(m.fd, m.vm, id, 0, MAP_VA, VRAM_PAGE);
	group_create(m.fd, m.vm, &m.group);
	queue_create(m.fd, m.group, COMPUTE, 16, LIMIT_MS, &id);
	queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &m.queue);
	struct stream s = stream_at(&m, 0);

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	queue_submit(m.fd, m.queue, &job, 1, NULL, 0);
	munmap(m.memory, BUFFER_BYTES);
	w->file = m.fd;
}
static int close_busy_file(struct state *w)
{
	int fd = w->file;

	w->file = -1;
	return fd < 0 || !close(fd) ? 0 : -errno;
}

/* What to prepare before each attempt, the call, and how to undo it whether it succeeded or not. */
static const struct row {
	const char *name;
	void (*prepare)(struct state *w);
	int (*call)(struct state *w);
	void (*undo)(struct state *w);
	bool must_succeed; /* ENOMEM is not allowed */
} rows[] = {
	{"open", no_op, open_file, close_file, false},
	{"DEV_QUERY", no_op, query_all, no_op, true},
	{"BO_CREATE of VRAM", no_op, create_vram, undo_bo, false},
	{"BO_CREATE of system memory", no_op, create_system, undo_bo, false},
	{"BO_CREATE of user memory", prepare_user_memory, create_user_bo, undo_user_bo, false},
	{"BO_INFO, BO_MMAP_OFFSET", no_op, query_bo, no_op, true},
	{"mmap", no_op, map_bo, unmap_bo, false},
	{"page faults of a mapping", prepare_mapping, touch_mapping, unmap_bo, true},
	{"GEM_CLOSE", prepare_vram, close_vram, undo_bo, true},
	{"PRIME_HANDLE_TO_FD", no_op, export_bo, close_file, false},
	{"PRIME_FD_TO_HANDLE", prepare_export, import_bo, undo_import, false},
	{"PRIME_FD_TO_HANDLE of another driver's memory", prepare_udmabuf, import_bo, undo_import,
	 false},
	{"VM_CREATE", no_op, create_vm, undo_vm, false},
	{"VM_BIND of VRAM", prepare_vm, bind_vram, undo_vm, false},
	{"VM_BIND of system memory", prepare_vm, bind_system, undo_vm, false},
	{"VM_BIND of user memory", prepare_vm, bind_own, undo_vm, false},
	{"VM_BIND over part of a large page", prepare_full_vm, bind_over, undo_vm, false},
	{"VM_BIND, unmap part of a large page", prepare_full_vm, unbind_middle, undo_vm, false},
	{"VM_BIND, unmap everything", prepare_full_vm, unbind_all, undo_vm, false},
	{"VM_BIND of four operations with a timeline fence", prepare_vm, bind_many, undo_vm, false},
	{"VM_DESTROY", prepare_full_vm, destroy_vm, no_op, true},
	{"GROUP_CREATE", no_op, create_group, undo_group, false},
	{"QUEUE_CREATE of a compute queue", prepare_group, create_compute_queue, undo_queues,
	 false},
	{"QUEUE_CREATE of a copy queue", prepare_group, create_copy_queue, undo_queues, false},
	{"QUEUE_CREATE of a user queue", prepare_group, create_user_queue, undo_queues, false},
	{"QUEUE_SUBMIT", no_op, submit_jobs, wait_jobs, false},
	{"QUEUE_STATE, VM_STATE", no_op, query_queue, no_op, true},
	{"FENCE_WAIT", no_op, wait_value, no_op, false},
	{"INTERRUPT_WAIT", no_op, wait_interrupt, no_op, true},
	{"QUEUE_DESTROY", prepare_queues, destroy_queue, undo_queues, true},
	{"GROUP_DESTROY", prepare_queues, destroy_group, undo_queues, true},
	{"close of a file with work in flight", prepare_busy_file, close_busy_file, no_op, true},
};

/*
 * What must be restored after each attempt: the card's VRAM, pinned memory, the file's accounting.
 */
static const char *const accounts[] = {"sovgpu-vram",  "sovgpu-system",   "sovgpu-buffers",
				       "sovgpu-vms",   "sovgpu-mappings", "sovgpu-groups",
				       "sovgpu-queues"};

struct accounting {
	uint64_t vram;
	long pinned_kib;
	long long accounts[COUNT(accounts)];
};

static struct accounting read_accounting(int fd)
{
	struct accounting b = {free_vram_bytes(watcher), pinned_kib(), {0}};

	for (size_t i = 0; i < COUNT(accounts); i++)
		b.accounts[i] = fdinfo_value(fd, accounts[i]);
	return b;
}

/* Work queues free some objects with a delay. */
static bool accounting_restored(const struct state *w, const struct accounting *before)
{
	struct accounting now = read_accounting(w->m.fd);

	for (int i = 0; i < 400 && memcmp(&now, before, sizeof(now)); i++) {
		poll(NULL, 0, 25);
		now = read_accounting(w->m.fd);
	}
	if (!memcmp(&now, before, sizeof(now)))
		return true;
	diag("%lld bytes of VRAM and %ld KiB of pinned memory are missing",
	     (long long)(before->vram - now.vram), now.pinned_kib - before->pinned_kib);
	for (size_t i = 0; i < COUNT(accounts); i++)
		if (now.accounts[i] != before->accounts[i])
			diag("%s: %lld, was %lld", accounts[i], now.accounts[i],
			     before->accounts[i]);
	return false;
}

/* Number of attempts by outcome. */
struct tally {
	unsigned refused, absorbed;
};

/* One attempt; returns whether its outcome is allowed. *hit: an allocation failed. */
static bool try_row(const struct row *r, struct state *w, unsigned n, bool *hit, struct tally *t)
{
	struct accounting before = read_accounting(w->m.fd);

	w->id = w->other = 0;
	w->file = -1;
	w->at = MAP_FAILED;
	r->prepare(w);
	set_fail_nth(n);
	int status = r->call(w);

	*hit = injection_happened();
	bool good = !status || (*hit && !r->must_succeed && status == -ENOMEM);

	if (!good)
		diag("%s, allocation %u: %d (%s)", r->name, n, status, strerror(-status));
	if (status) {
		t->refused++;
		int again = r->call(w);

		if (again)
			diag("%s, after allocation %u failed: %d (%s)", r->name, n, again,
			     strerror(-again));
		good = good && !again;
	} else {
		t->absorbed += *hit;
	}
	r->undo(w);
	if (!accounting_restored(w, &before)) {
		diag("%s, after allocation %u failed", r->name, n);
		good = false;
	}
	return good;
}

static bool state_open(struct state *w)
{
	*w = (struct state){.file = -1};
	if (!fixture_open(&w->m, COPY))
		return false;
	prepare_user_memory(w);
	memset(w->user, 1, SMALL_BYTES);
	bool good = !create_user_bo(w);

	w->own = w->id;
	w->sync[0] = syncobj_create(w->m.fd);
	w->sync[1] = syncobj_create(w->m.fd);
	return ok(good && !bo_create(w->m.fd, VRAM, LARGE_PAGE, MAPPABLE, &w->vram) &&
			  !bo_create(w->m.fd, SYSTEM, SMALL_BYTES, MAPPABLE, &w->system_memory),
		  "buffers of each region are created");
}

static void inject_calls(unsigned step, const char *name_part)
{
	struct state w;
	unsigned sum = 0;

	watcher = open_device();
	if (!state_open(&w))
		return;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tally t = {0};
		bool good = true, hit = true;
		unsigned n = 1;

		if (!strstr(rows[i].name, name_part))
			continue;
		/* A first run fills the kernel's caches. */
		try_row(&rows[i], &w, 0, &hit, &t);
		t = (struct tally){0};
		hit = true;
		for (; hit && good && n < MAX_ALLOCATIONS; n += step)
			good = try_row(&rows[i], &w, n, &hit, &t);
		sum += t.refused + t.absorbed;
		ok(good && !hit,
		   "%s: %s when any one allocation fails, and all memory is accounted for",
		   rows[i].name, rows[i].must_succeed ? "it succeeds" : "ENOMEM or success");
		diag("%u allocations failed: ENOMEM %u times, success %u times",
		     t.refused + t.absorbed, t.refused, t.absorbed);
	}
	diag("count %u allocations failed in %zu rows of calls", sum, COUNT(rows));
}

static int write_address(int file, const char *card)
{
	return pwrite(file, card, strlen(card), 0) < 0 ? -errno : 0;
}

/* The driver binds, the card works, and the driver unbinds. */
static bool bind_and_unbind(int to_bind, int to_unbind, const char *card, unsigned n)
{
	int status = to_bind < 0 ? 0 : write_address(to_bind, card);

	watcher = open_device();
	bool good = !status && watcher >= 0 && free_vram_bytes(watcher);

	close(watcher);
	if (!good)
		diag("allocation %u: %d (%s)", n, status, strerror(-status));
	return !write_address(to_unbind, card) && good;
}

/*
 * The kernel's MSI code returns ENOSPC or ENODEV for any failure; the driver logs that the cause
 * was MSI.
 */
static bool is_out_of_memory(int status)
{
	char log[512] = "";

	klogctl(3, log, sizeof(log) - 1); /* reads the end of the log */
	return status == -ENOMEM || status == -ENOSPC ||
	       (status == -ENODEV && strstr(log, "failed to allocate MSI: -19"));
}

static void inject_bind(const char *card, unsigned step, unsigned first)
{
	int to_bind = open("/sys/bus/pci/drivers/sovgpu/bind", O_WRONLY | O_CLOEXEC);
	int to_unbind = open("/sys/bus/pci/drivers/sovgpu/unbind", O_WRONLY | O_CLOEXEC);
	unsigned refused = 0, absorbed = 0, n = first;
	bool good = true, hit = true;

	for (; hit && good && n < MAX_ALLOCATIONS; n += step) {
		set_fail_nth(n);
		int status = write_address(to_bind, card);

		hit = injection_happened();
		if (hit && is_out_of_memory(status)) {
			refused++;
			good = bind_and_unbind(to_bind, to_unbind, card, n);
		} else {
			absorbed += hit;
			good = !status && bind_and_unbind(-1, to_unbind, card, n);
			if (status)
				diag("allocation %u: %d (%s)", n, status, strerror(-status));
		}
		if (n % PROGRESS == 0)
			diag("%u allocations so far", n);
	}
	good = good && bind_and_unbind(to_bind, to_unbind, card, n);
	ok(good && !hit,
	   "binding: ENOMEM or success when any one allocation fails, and success the next time");
	diag("count %u allocations failed while binding: ENOMEM %u times, success %u times",
	     refused + absorbed, refused, absorbed);
}

int main(int argc, char **argv)
{
	if (!ok(enable_injection(), "the kernel supports fault injection for allocations"))
		return tap_done();
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "calls"))
		inject_calls((unsigned)atoi(argv[2]), argc == 4 ? argv[3] : "");
	else if ((argc == 4 || argc == 5) && !strcmp(argv[1], "bind"))
		inject_bind(argv[2], (unsigned)atoi(argv[3]),
			    argc == 5 ? (unsigned)atoi(argv[4]) : 1);
	else
		ok(false, "usage: _inject calls STEP [NAME] | bind CARD STEP [FIRST]");
	return tap_done();
}
