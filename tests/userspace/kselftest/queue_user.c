/* SPDX-License-Identifier: MIT */
/*
 * QUEUE_CREATE for a queue that the process writes itself: its work runs without a call, what it writes
 * can hurt its own group alone, and nobody else can map what is its own.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

enum { FLAG = 0x80000, FROM = 0x100000, TO = 0x200000, BYTES = 0x10000, STREAM = 0x1000 };

static int wait_memory(struct user *u, uint64_t value, unsigned seconds)
{
	struct drm_sovgpu_fence_wait w = {.handle = u->m.buffer,
					  .op = DRM_SOVGPU_FENCE_AT_LEAST,
					  .offset = FLAG,
					  .value = value,
					  .mask = UINT64_MAX,
					  .deadline_ns = (int64_t)(now_ns() + seconds * SECOND_NS)};

	return call(u->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void runs(struct user *u, const char *name)
{
	bool good = true;

	for (uint32_t i = 0; i < 3 * ENTRIES && good; i++) {
		struct stream s = at(&u->m, i % ENTRIES * STREAM);

		memset(u->m.memory + FROM, (int)i + 1, BYTES);
		add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
		add_release(&s, BUFFER_VA + FLAG, i + 1);
		struct drm_sovgpu_job job = job_of(&u->m, &s);

		push(u, &job);
		good = !wait_memory(u, i + 1, 20) &&
		       !memcmp(u->m.memory + TO, u->m.memory + FROM, BYTES);
	}
	ok(good, "%s: three rounds of its ring run, each without a call", name);
	ok(*u->ends_get == *u->ends_put, "%s: the device says that it has read all of it", name);
	ok(queue_state(u->m.fd, u->id).state == DRM_SOVGPU_QUEUE_STATE_USABLE, "%s: it is well",
	   name);
}

static void refused(struct user *u)
{
	struct drm_sovgpu_queue_create good = {.group_id = u->m.group,
					       .queue_class = COMPUTE,
					       .mode = DRM_SOVGPU_QUEUE_USER,
					       .ring_va = BUFFER_VA + RING,
					       .ring_entries = ENTRIES};
	static const struct spoiled rows[] = {
		SPOIL(queue_create, time_limit_ms, 1, -EINVAL, "a time limit for a user queue"),
		SPOIL(queue_create, ring_va, 0, -EINVAL, "a ring at 0"),
		SPOIL(queue_create, ring_va, BUFFER_VA + RING + 4, -EINVAL,
		      "a ring at an odd address"),
		SPOIL(queue_create, ring_va, 2 * MIB, -EINVAL, "a ring in the driver's part"),
		SPOIL(queue_create, ring_va, (UINT64_C(1) << 40) - 8, -EINVAL,
		      "a ring that runs over the end"),
		SPOIL(queue_create, ring_va, UINT64_MAX & ~UINT64_C(7), -EINVAL,
		      "a ring at the last address"),
		SPOIL(queue_create, ring_va, 3 * GIB, -EFAULT, "a ring where nothing is mapped"),
		SPOIL(queue_create, ring_va, BUFFER_VA + BUFFER_BYTES - 8, -EFAULT,
		      "a ring of which a part is mapped"),
		SPOIL(queue_create, ring_entries, 0, -EINVAL, "a user queue without entries"),
		SPOIL(queue_create, ring_entries, 12, -EINVAL, "a user queue of 12 entries"),
		SPOIL(queue_create, doorbell_value, 1, -EINVAL, "a token to begin with"),
	};
	struct drm_sovgpu_job job = {.va = BUFFER_VA, .size = 4};
	int other = open_device();

	refuses(u->m.fd, "QUEUE_CREATE", DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good, rows, COUNT(rows));
	ok(submit(u->m.fd, u->id, &job, 1, NULL, 0) == -EINVAL, "QUEUE_SUBMIT refuses it");
	ok(map_at(other, u->c.pointers_offset) == MAP_FAILED && errno == EACCES &&
		   map_at(other, u->c.doorbell_offset) == MAP_FAILED && errno == EACCES,
	   "another file cannot map its pages");
	ok(mmap(NULL, 2 * page_bytes, PROT_READ, MAP_SHARED, u->m.fd,
		(off_t)(u->c.doorbell_offset & ~(page_bytes - 1))) == MAP_FAILED &&
		   errno == EINVAL,
	   "one page of registers is all there is");
	close(other);
}

static void broken(uint32_t put, uint64_t entry, const char *what)
{
	struct user u, other;

	if (!user_open(&u, COPY) || !user_open(&other, COPY))
		return;
	*(volatile uint64_t *)(u.m.memory + RING) = entry;
	ring_until(&u, put);
	ok(state_after(&u, u.id) == DRM_SOVGPU_QUEUE_STATE_FAULTED &&
		   queue_state(u.m.fd, u.id).fault_code,
	   "%s: its group is stopped", what);
	ok(state_after(&u, u.m.queue) == DRM_SOVGPU_QUEUE_STATE_INNOCENT, "%s: all of it", what);
	runs(&other, "another's queue");
	user_close(&u);
	user_close(&other);
}

static sigjmp_buf back;

static void on_bus_error(int number)
{
	siglongjmp(back, number);
}

/* What is mapped stays, whatever becomes of the queue; what is not cannot be mapped any more. */
static void afterwards(struct user *u)
{
	ok(!queue_destroy(u->m.fd, u->id), "it is destroyed");
	ok(map_at(u->m.fd, u->c.pointers_offset) == MAP_FAILED &&
		   map_at(u->m.fd, u->c.doorbell_offset) == MAP_FAILED,
	   "its pages cannot be mapped any more");
	bool stays = !sigsetjmp(back, 1);

	if (stays) {
		*u->ends_put = 5;
		*u->bell = u->c.doorbell_value;
		stays = *u->ends_put == 5;
	}
	ok(stays, "what was mapped is still there, and ringing for it does no harm");
}

/* Killed with work in flight: the group ends with its file. */
static void killed(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct user u;

		/* What it promises is not in the plan. */
		if (!freopen("/dev/null", "w", stdout) || !user_open(&u, COMPUTE))
			_exit(1);
		struct stream s = at(&u.m, 0);

		add_acquire(&s, BUFFER_VA + FLAG, 1);
		struct drm_sovgpu_job job = job_of(&u.m, &s);

		push(&u, &job);
		raise(SIGKILL);
	}
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	   "a process dies while its queue waits");
}

int main(void)
{
	struct user u;
	int fd = open_device();
	uint64_t before = free_vram(fd);

	signal(SIGBUS, on_bus_error);
	if (!user_open(&u, COPY))
		return tap_done();
	runs(&u, "copy queue");
	user_close(&u);
	if (!user_open(&u, COMPUTE))
		return tap_done();
	runs(&u, "compute queue");
	refused(&u);
	afterwards(&u);
	user_close(&u);
	broken(ENTRIES, 0, "an end beyond the ring");
	broken(1, nv_gp_entry_pack(3 * GIB, 4), "a stream that is not mapped");
	broken(1, UINT64_C(7) << 32, "an entry that is none");
	fflush(stdout);
	killed();
	ok(free_vram(fd) == before, "all memory is free again");
	close(fd);
	return tap_done();
}
