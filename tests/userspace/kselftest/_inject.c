/* SPDX-License-Identifier: MIT */
/*
 * Memory that is not to be had. The kernel's fault injection makes the N-th allocation of this thread fail
 * (/proc/thread-self/fail-nth), for N = 1, 2, ... until a call needs fewer than N. A call that could not have its memory
 * is ENOMEM, or did without it; what destroys something has no excuse. Then the same call succeeds, and when what it
 * made is gone again, not a byte of video memory or of pinned memory is missing, and the file's account is what it was.
 * What the kernel lost of its own is kmemleak's to find (tests/vm/guest/init).
 *   usage: _inject calls STEP [WORDS]   each call, or those with these words in their name; every STEP-th allocation
 *          _inject bind CARD STEP [FIRST]   binding the driver to a card, a PCI address; from the FIRST allocation on
 */
#include <linux/udmabuf.h>
#include <poll.h>
#include <sys/klog.h>
#include <sys/syscall.h>

#include "tests/userspace/kselftest/queue.h"

#define MOST      100000    /* a call that needs more memory than that is lost in a loop */
#define AREA      (2 * GIB) /* where rows map something */
#define LARGE     (2 * MIB) /* a large page */
#define RING      (3 * MIB)
#define OWN_BYTES (16 * 4096)
#define JOBS      4
#define PROGRESS  100

/* What rows find and what they leave for their undoing. */
struct world {
	struct machine m;
	int file; /* descriptor that a call gave */
	uint32_t id, other, vram, system_memory, own, sync[2];
	uint64_t point;
	uint8_t *at; /* mapped */
	void *user;  /* memory of this process */
};

static int nth;     /* /proc/thread-self/fail-nth */
static int watcher; /* a file that asks how much memory is free */

static void fail(unsigned n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, (size_t)length, 0) != length)
		exit(2);
}

/* Whether an allocation was made to fail since fail(); no more will. */
static bool failed(void)
{
	char text[16] = "";

	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		exit(2);
	fail(0);
	return atoi(text) == 0;
}

static bool allow(void)
{
	static const struct {
		const char *file, *value;
	} rows[] = {
		/* Also those that may sleep, of any size; and say nothing, because there will be thousands. */
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

/* KiB of this process's memory that are pinned. */
static long pinned(void)
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

static void nothing(struct world *w)
{
	(void)w;
}
static void drop(struct world *w)
{
	if (w->id)
		forget(w->m.fd, w->id);
}
static int open_file(struct world *w)
{
	w->file = open_device();
	return w->file < 0 ? -errno : 0;
}
static void close_file(struct world *w)
{
	if (w->file >= 0)
		close(w->file);
	w->file = -1;
}
static int ask(struct world *w)
{
	uint64_t answer[64];
	int status = 0;

	for (uint32_t type = 0; !status && type <= DRM_SOVGPU_DEV_QUERY_TIME; type++)
		status = query(w->m.fd, type, sizeof(answer), answer, NULL);
	return status;
}
static int make_vram(struct world *w)
{
	return create(w->m.fd, VRAM, 3 * VRAM_PAGE, MAPPABLE, &w->id);
}
static int make_system(struct world *w)
{
	return create(w->m.fd, SYSTEM, OWN_BYTES, MAPPABLE, &w->id);
}
static void fresh_memory(struct world *w)
{
	w->user = mmap(NULL, OWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static int make_own(struct world *w)
{
	struct drm_sovgpu_bo_create c = {
		.region = USER, .size = OWN_BYTES, .user_address = (uintptr_t)w->user};
	int status = call(w->m.fd, DRM_IOCTL_SOVGPU_BO_CREATE, &c);

	w->id = status ? 0 : c.handle;
	return status;
}
static void drop_own(struct world *w)
{
	drop(w);
	munmap(w->user, OWN_BYTES);
}
static void have_vram(struct world *w)
{
	make_vram(w);
}
static int drop_vram(struct world *w)
{
	int status = forget(w->m.fd, w->id);

	w->id = status ? w->id : 0;
	return status;
}
static int look_at_buffer(struct world *w)
{
	struct drm_sovgpu_bo_mmap_offset o = {.handle = w->vram};
	struct drm_sovgpu_bo_info i = {.handle = w->vram};
	int status = call(w->m.fd, DRM_IOCTL_SOVGPU_BO_MMAP_OFFSET, &o);

	return status ? status : call(w->m.fd, DRM_IOCTL_SOVGPU_BO_INFO, &i);
}
static int map_it(struct world *w)
{
	w->at = map(w->m.fd, w->vram, LARGE);
	return w->at == MAP_FAILED ? -errno : 0;
}
static void unmap_it(struct world *w)
{
	if (w->at != MAP_FAILED)
		munmap(w->at, LARGE);
}
static void mapped(struct world *w)
{
	map_it(w);
}
static int touch(struct world *w)
{
	for (uint64_t i = 0; i < LARGE; i += MIB / 2)
		((volatile uint8_t *)w->at)[i] = 1;
	return 0;
}
static int pass_on(struct world *w)
{
	w->file = prime_export(w->m.fd, w->vram);
	return w->file < 0 ? w->file : 0;
}
static void passed_on(struct world *w)
{
	pass_on(w);
}
/* The second file has no handle of it yet. */
static int take_over(struct world *w)
{
	return prime_import(watcher, w->file, &w->id);
}
static void took_over(struct world *w)
{
	if (w->id)
		forget(watcher, w->id);
	close_file(w);
}
/* Memory of another driver, which must be mapped for us. */
static void have_foreign(struct world *w)
{
	int memory = (int)syscall(SYS_memfd_create, "foreign", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	struct udmabuf_create c = {
		.memfd = (uint32_t)memory, .flags = UDMABUF_FLAGS_CLOEXEC, .size = OWN_BYTES};

	if (ftruncate(memory, OWN_BYTES) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		exit(2);
	w->file = ioctl(device, UDMABUF_CREATE, &c);
	close(device);
	close(memory);
}

/* Address spaces. */

static int make_vm(struct world *w)
{
	return vm_create(w->m.fd, &w->id);
}
static void have_vm(struct world *w)
{
	make_vm(w);
}
static int destroy_vm(struct world *w)
{
	int status = w->id ? vm_destroy(w->m.fd, w->id) : 0;

	w->id = 0;
	return status;
}
static void drop_vm(struct world *w)
{
	destroy_vm(w);
}
static void have_full_vm(struct world *w)
{
	make_vm(w);
	vm_map(w->m.fd, w->id, w->vram, 0, AREA, LARGE);
	vm_map(w->m.fd, w->id, w->system_memory, 0, AREA + GIB, OWN_BYTES);
}
static int bind_vram(struct world *w)
{
	return vm_map(w->m.fd, w->id, w->vram, 0, AREA, LARGE);
}
static int bind_system(struct world *w)
{
	return vm_map(w->m.fd, w->id, w->system_memory, 0, AREA + GIB, OWN_BYTES);
}
static int bind_own(struct world *w)
{
	return vm_map(w->m.fd, w->id, w->own, 0, AREA + GIB, OWN_BYTES);
}
/* Into the middle of a large page, which falls into three ranges and into small pages. */
static int bind_over(struct world *w)
{
	return vm_map(w->m.fd, w->id, w->system_memory, 0, AREA + MIB, OWN_BYTES);
}
static int unbind_middle(struct world *w)
{
	return vm_unmap(w->m.fd, w->id, AREA + MIB, VRAM_PAGE);
}
static int unbind_all(struct world *w)
{
	return vm_unmap(w->m.fd, w->id, AREA, 2 * GIB);
}
static int bind_many(struct world *w)
{
	struct drm_sovgpu_vm_bind_op ops[4];
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE,
				       w->sync[0], ++w->point};

	for (size_t i = 0; i < COUNT(ops); i++)
		ops[i] = (struct drm_sovgpu_vm_bind_op){
			.handle = w->system_memory, .va = AREA + i * MIB, .size = OWN_BYTES};
	struct drm_sovgpu_vm_bind b = {.vm_id = w->id,
				       .ops = {sizeof(*ops), COUNT(ops), (uintptr_t)ops},
				       .syncs = {sizeof(sync), 1, (uintptr_t)&sync}};

	return call(w->m.fd, DRM_IOCTL_SOVGPU_VM_BIND, &b);
}

/* Groups and queues. */

static int make_group(struct world *w)
{
	return group_create(w->m.fd, w->m.vm, &w->id);
}
static void drop_group(struct world *w)
{
	if (w->id)
		group_destroy(w->m.fd, w->id);
	w->id = 0;
}
static void have_group(struct world *w)
{
	group_create(w->m.fd, w->m.vm, &w->m.group);
}
/* What a failed queue has left to its group goes with that. Numbers of queues stay until they are destroyed. */
static void drop_queues(struct world *w)
{
	queue_destroy(w->m.fd, w->id);
	queue_destroy(w->m.fd, w->other);
	group_destroy(w->m.fd, w->m.group);
}
static int make_compute(struct world *w)
{
	return queue_create(w->m.fd, w->m.group, COMPUTE, 16, LIMIT_MS, &w->id);
}
static int make_copy(struct world *w)
{
	return queue_create(w->m.fd, w->m.group, COPY, 16, LIMIT_MS, &w->id);
}
static int make_user(struct world *w)
{
	struct drm_sovgpu_queue_create c = {.group_id = w->m.group,
					    .queue_class = COPY,
					    .mode = DRM_SOVGPU_QUEUE_USER,
					    .ring_va = BUFFER_VA + RING,
					    .ring_entries = 16};
	int status = call(w->m.fd, DRM_IOCTL_SOVGPU_QUEUE_CREATE, &c);

	w->id = status ? 0 : c.id;
	return status;
}
static void have_queues(struct world *w)
{
	have_group(w);
	make_compute(w);
	w->other = w->id;
	make_copy(w);
}
static int destroy_queue(struct world *w)
{
	return queue_destroy(w->m.fd, w->id);
}
static int destroy_group(struct world *w)
{
	return group_destroy(w->m.fd, w->m.group);
}
static int run_jobs(struct world *w)
{
	struct drm_sovgpu_sync syncs[] = {
		{DRM_SOVGPU_SYNC_SIGNAL | DRM_SOVGPU_SYNC_TIMELINE, w->sync[0], ++w->point},
		{DRM_SOVGPU_SYNC_SIGNAL, w->sync[1], 0}};
	struct drm_sovgpu_job jobs[JOBS];

	for (uint32_t i = 0; i < JOBS; i++) {
		struct stream s = at(&w->m, i * 4096);

		add_copy(&s, BUFFER_VA + MIB, BUFFER_VA + 2 * MIB, 4096);
		jobs[i] = job_of(&w->m, &s);
	}
	return submit(w->m.fd, w->m.queue, jobs, JOBS, syncs, COUNT(syncs));
}
/* Those that were taken end, and nothing is wrong with the queue. */
static void jobs_end(struct world *w)
{
	if (wait_for(w->m.fd, w->sync[1], 0, 20) || queue_state(w->m.fd, w->m.queue).state)
		diag("jobs that were taken do not end");
}
static int look_at_queue(struct world *w)
{
	struct drm_sovgpu_queue_state q = {.queue_id = w->m.queue};
	struct drm_sovgpu_vm_state v = {.vm_id = w->m.vm};
	int status = call(w->m.fd, DRM_IOCTL_SOVGPU_QUEUE_STATE, &q);

	return status ? status : call(w->m.fd, DRM_IOCTL_SOVGPU_VM_STATE, &v);
}
/* A value that is there: one in video memory must be mapped to be seen. */
static int wait_value(struct world *w)
{
	struct drm_sovgpu_fence_wait f = {
		.handle = w->vram, .op = DRM_SOVGPU_FENCE_AT_LEAST, .mask = UINT64_MAX};

	return call(w->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &f);
}
static int wait_interrupt(struct world *w)
{
	struct drm_sovgpu_interrupt_wait i = {.count = UINT32_MAX};

	return call(w->m.fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &i);
}

/* A file with all there can be in it, and work that runs. */
static void have_all(struct world *w)
{
	struct machine m = {.fd = open_device()};
	uint32_t id;

	create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer);
	m.memory = map(m.fd, m.buffer, BUFFER_BYTES);
	vm_create(m.fd, &m.vm);
	vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES);
	create(m.fd, VRAM, VRAM_PAGE, 0, &id);
	vm_map(m.fd, m.vm, id, 0, AREA, VRAM_PAGE);
	group_create(m.fd, m.vm, &m.group);
	queue_create(m.fd, m.group, COMPUTE, 16, LIMIT_MS, &id);
	queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &m.queue);
	struct stream s = at(&m, 0);

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(&m, &s);

	submit(m.fd, m.queue, &job, 1, NULL, 0);
	munmap(m.memory, BUFFER_BYTES);
	w->file = m.fd;
}
static int close_all(struct world *w)
{
	int fd = w->file;

	w->file = -1;
	return fd < 0 || !close(fd) ? 0 : -errno;
}

/* Before each try, the call, and what undoes it, whether it was done or not. */
static const struct row {
	const char *name;
	void (*prepare)(struct world *w);
	int (*call)(struct world *w);
	void (*undo)(struct world *w);
	bool surely; /* it cannot be ENOMEM */
} rows[] = {
	{"open", nothing, open_file, close_file, false},
	{"DEV_QUERY", nothing, ask, nothing, true},
	{"BO_CREATE of VRAM", nothing, make_vram, drop, false},
	{"BO_CREATE of system memory", nothing, make_system, drop, false},
	{"BO_CREATE of the process's memory", fresh_memory, make_own, drop_own, false},
	{"BO_INFO, BO_MMAP_OFFSET", nothing, look_at_buffer, nothing, true},
	{"mmap", nothing, map_it, unmap_it, false},
	{"a first look at what is mapped", mapped, touch, unmap_it, true},
	{"GEM_CLOSE", have_vram, drop_vram, drop, true},
	{"PRIME_HANDLE_TO_FD", nothing, pass_on, close_file, false},
	{"PRIME_FD_TO_HANDLE", passed_on, take_over, took_over, false},
	{"PRIME_FD_TO_HANDLE of another driver's memory", have_foreign, take_over, took_over,
	 false},
	{"VM_CREATE", nothing, make_vm, drop_vm, false},
	{"VM_BIND of VRAM", have_vm, bind_vram, drop_vm, false},
	{"VM_BIND of system memory", have_vm, bind_system, drop_vm, false},
	{"VM_BIND of the process's memory", have_vm, bind_own, drop_vm, false},
	{"VM_BIND over a part of a large page", have_full_vm, bind_over, drop_vm, false},
	{"VM_BIND, unmap a part of a large page", have_full_vm, unbind_middle, drop_vm, false},
	{"VM_BIND, unmap everything", have_full_vm, unbind_all, drop_vm, false},
	{"VM_BIND of four steps with a timeline", have_vm, bind_many, drop_vm, false},
	{"VM_DESTROY", have_full_vm, destroy_vm, nothing, true},
	{"GROUP_CREATE", nothing, make_group, drop_group, false},
	{"QUEUE_CREATE for computing", have_group, make_compute, drop_queues, false},
	{"QUEUE_CREATE for copies", have_group, make_copy, drop_queues, false},
	{"QUEUE_CREATE of the process's own", have_group, make_user, drop_queues, false},
	{"QUEUE_SUBMIT", nothing, run_jobs, jobs_end, false},
	{"QUEUE_STATE, VM_STATE", nothing, look_at_queue, nothing, true},
	{"FENCE_WAIT", nothing, wait_value, nothing, false},
	{"INTERRUPT_WAIT", nothing, wait_interrupt, nothing, true},
	{"QUEUE_DESTROY", have_queues, destroy_queue, drop_queues, true},
	{"GROUP_DESTROY", have_queues, destroy_group, drop_queues, true},
	{"close of a file with work in flight", have_all, close_all, nothing, true},
};

/* What can be missing afterwards: of the card, of the process, and on the account of its file. */
static const char *const accounts[] = {"sovgpu-vram",  "sovgpu-system",   "sovgpu-buffers",
				       "sovgpu-vms",   "sovgpu-mappings", "sovgpu-groups",
				       "sovgpu-queues"};

struct books {
	uint64_t vram;
	long pinned;
	long long accounts[COUNT(accounts)];
};

static struct books books_of(int fd)
{
	struct books b = {free_vram(watcher), pinned(), {0}};

	for (size_t i = 0; i < COUNT(accounts); i++)
		b.accounts[i] = value_of(fd, accounts[i]);
	return b;
}

/* What is freed by a work queue is free soon. */
static bool settled(const struct world *w, const struct books *before)
{
	struct books now = books_of(w->m.fd);

	for (int i = 0; i < 400 && memcmp(&now, before, sizeof(now)); i++) {
		poll(NULL, 0, 25);
		now = books_of(w->m.fd);
	}
	if (!memcmp(&now, before, sizeof(now)))
		return true;
	diag("%lld bytes of VRAM and %ld KiB of pinned memory are missing",
	     (long long)(before->vram - now.vram), now.pinned - before->pinned);
	for (size_t i = 0; i < COUNT(accounts); i++)
		if (now.accounts[i] != before->accounts[i])
			diag("%s: %lld, it was %lld", accounts[i], now.accounts[i],
			     before->accounts[i]);
	return false;
}

/* How often each thing came of it. */
struct tally {
	unsigned refused, absorbed;
};

/* One try: is it as it may be? *hit: an allocation failed. */
static bool try_row(const struct row *r, struct world *w, unsigned n, bool *hit, struct tally *t)
{
	struct books before = books_of(w->m.fd);

	w->id = w->other = 0;
	w->file = -1;
	w->at = MAP_FAILED;
	r->prepare(w);
	fail(n);
	int status = r->call(w);

	*hit = failed();
	bool good = !status || (*hit && !r->surely && status == -ENOMEM);

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
	if (!settled(w, &before)) {
		diag("%s, after allocation %u failed", r->name, n);
		good = false;
	}
	return good;
}

static bool world_open(struct world *w)
{
	*w = (struct world){.file = -1};
	if (!machine_open(&w->m, COPY))
		return false;
	fresh_memory(w);
	memset(w->user, 1, OWN_BYTES);
	bool good = !make_own(w);

	w->own = w->id;
	w->sync[0] = syncobj(w->m.fd);
	w->sync[1] = syncobj(w->m.fd);
	return ok(good && !create(w->m.fd, VRAM, LARGE, MAPPABLE, &w->vram) &&
			  !create(w->m.fd, SYSTEM, OWN_BYTES, MAPPABLE, &w->system_memory),
		  "there are buffers of each kind");
}

static void calls(unsigned step, const char *words)
{
	struct world w;
	unsigned sum = 0;

	watcher = open_device();
	if (!world_open(&w))
		return;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tally t = {0};
		bool good = true, hit = true;
		unsigned n = 1;

		if (!strstr(rows[i].name, words))
			continue;
		/* The first time fills what the kernel keeps for later. */
		try_row(&rows[i], &w, 0, &hit, &t);
		t = (struct tally){0};
		hit = true;
		for (; hit && good && n < MOST; n += step)
			good = try_row(&rows[i], &w, n, &hit, &t);
		sum += t.refused + t.absorbed;
		ok(good && !hit, "%s: %s, whatever allocation fails, and all is accounted for",
		   rows[i].name, rows[i].surely ? "it is done" : "ENOMEM or done");
		diag("%u allocations failed: %u times ENOMEM, %u times it did without",
		     t.refused + t.absorbed, t.refused, t.absorbed);
	}
	diag("count %u allocations failed in %zu rows of calls", sum, COUNT(rows));
}

static int tell(int file, const char *card)
{
	return pwrite(file, card, strlen(card), 0) < 0 ? -errno : 0;
}

/* It binds and works, and is unbound again. */
static bool bind_well(int to_bind, int to_unbind, const char *card, unsigned n)
{
	int status = to_bind < 0 ? 0 : tell(to_bind, card);

	watcher = open_device();
	bool good = !status && watcher >= 0 && free_vram(watcher);

	close(watcher);
	if (!good)
		diag("allocation %u: %d (%s)", n, status, strerror(-status));
	return !tell(to_unbind, card) && good;
}

/* The kernel's code for MSI has ENOSPC or ENODEV for whatever it lacks; the driver says that it was that. */
static bool lacks_memory(int status)
{
	char said[512] = "";

	klogctl(3, said, sizeof(said) - 1); /* the end of the log */
	return status == -ENOMEM || status == -ENOSPC ||
	       (status == -ENODEV && strstr(said, "failed to allocate MSI: -19"));
}

static void bind(const char *card, unsigned step, unsigned first)
{
	int to_bind = open("/sys/bus/pci/drivers/sovgpu/bind", O_WRONLY | O_CLOEXEC);
	int to_unbind = open("/sys/bus/pci/drivers/sovgpu/unbind", O_WRONLY | O_CLOEXEC);
	unsigned refused = 0, absorbed = 0, n = first;
	bool good = true, hit = true;

	for (; hit && good && n < MOST; n += step) {
		fail(n);
		int status = tell(to_bind, card);

		hit = failed();
		if (hit && lacks_memory(status)) {
			refused++;
			good = bind_well(to_bind, to_unbind, card, n);
		} else {
			absorbed += hit;
			good = !status && bind_well(-1, to_unbind, card, n);
			if (status)
				diag("allocation %u: %d (%s)", n, status, strerror(-status));
		}
		if (n % PROGRESS == 0)
			diag("%u allocations so far", n);
	}
	good = good && bind_well(to_bind, to_unbind, card, n);
	ok(good && !hit,
	   "binding: ENOMEM or done, whatever allocation fails, and done the next time");
	diag("count %u allocations failed while binding: %u times ENOMEM, %u times it did without",
	     refused + absorbed, refused, absorbed);
}

int main(int argc, char **argv)
{
	if (!ok(allow(), "the kernel can make allocations fail"))
		return tap_done();
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "calls"))
		calls((unsigned)atoi(argv[2]), argc == 4 ? argv[3] : "");
	else if ((argc == 4 || argc == 5) && !strcmp(argv[1], "bind"))
		bind(argv[2], (unsigned)atoi(argv[3]), argc == 5 ? (unsigned)atoi(argv[4]) : 1);
	else
		ok(false, "usage: _inject calls STEP [WORDS] | bind CARD STEP [FIRST]");
	return tap_done();
}
