// SPDX-License-Identifier: MIT
/*
 * QUEUE_CREATE of user queues: work runs without a system call, errors are contained in the group,
 * and no other file can map the queue's pages.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

enum { FLAG = 0x80000, FROM = 0x100000, TO = 0x200000, BYTES = 0x10000, STREAM = 0x1000 };

static int wait_for_flag(struct user_queue *u, uint64_t value, unsigned seconds)
{
	struct drm_sovgpu_fence_wait w = {.handle = u->m.buffer,
					  .op = DRM_SOVGPU_FENCE_AT_LEAST,
					  .offset = FLAG,
					  .value = value,
					  .mask = UINT64_MAX,
					  .deadline_ns = (int64_t)(now_ns() + seconds * SECOND_NS)};

	return gpu_ioctl(u->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void test_ring_rounds(struct user_queue *u, const char *name)
{
	bool good = true;

	for (uint32_t i = 0; i < 3 * RING_ENTRIES && good; i++) {
		struct stream s = stream_at(&u->m, i % RING_ENTRIES * STREAM);

		memset(u->m.memory + FROM, (int)i + 1, BYTES);
		stream_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
		stream_release(&s, BUFFER_VA + FLAG, i + 1);
		struct drm_sovgpu_job job = stream_job(&u->m, &s);

		ring_push(u, &job);
		good = !wait_for_flag(u, i + 1, 20) &&
		       !memcmp(u->m.memory + TO, u->m.memory + FROM, BYTES);
	}
	ok(good, "%s: jobs for three rounds of the ring run without a system call", name);
	ok(*u->userd_get == *u->userd_put, "%s: GET reaches PUT", name);
	ok(queue_state(u->m.fd, u->id).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "%s: the user queue is usable after its jobs", name);
}

static void test_invalid_arguments(struct user_queue *u)
{
	struct drm_sovgpu_queue_create good = {.group_id = u->m.group,
					       .queue_class = COMPUTE,
					       .mode = DRM_SOVGPU_QUEUE_USER,
					       .ring_va = BUFFER_VA + RING_OFFSET,
					       .ring_entries = RING_ENTRIES};
	static const struct bad_member rows[] = {
		BAD_MEMBER(queue_create, time_limit_ms, 1, -EINVAL,
			   "a time limit for a user queue"),
		BAD_MEMBER(queue_create, ring_va, 0, -EINVAL, "a ring at address 0"),
		BAD_MEMBER(queue_create, ring_va, BUFFER_VA + RING_OFFSET + 4, -EINVAL,
			   "a ring at an unaligned address"),
		BAD_MEMBER(queue_create, ring_va, 2 * MIB, -EINVAL,
			   "a ring in the driver's address range"),
		BAD_MEMBER(queue_create, ring_va, (UINT64_C(1) << 40) - 8, -EINVAL,
			   "a ring that crosses the end of the address range"),
		BAD_MEMBER(queue_create, ring_va, UINT64_MAX & ~UINT64_C(7), -EINVAL,
			   "a ring at the last address"),
		BAD_MEMBER(queue_create, ring_va, 3 * GIB, -EFAULT,
			   "a ring at an unmapped address"),
		BAD_MEMBER(queue_create, ring_va, BUFFER_VA + BUFFER_BYTES - 8, -EFAULT,
			   "a ring that is partly unmapped"),
		BAD_MEMBER(queue_create, ring_entries, 0, -EINVAL, "a user queue with 0 entries"),
		BAD_MEMBER(queue_create, ring_entries, 12, -EINVAL, "a user queue with 12 entries"),
		BAD_MEMBER(queue_create, doorbell_value, 1, -EINVAL,
			   "a nonzero output doorbell token"),
	};
	struct drm_sovgpu_job job = {.va = BUFFER_VA, .size = 4};
	int other = open_device();

	expect_refused(u->m.fd, "QUEUE_CREATE", DRM_IOCTL_SOVGPU_QUEUE_CREATE, &good, rows,
		       COUNT(rows));
	ok(queue_submit(u->m.fd, u->id, &job, 1, NULL, 0) == -EINVAL,
	   "QUEUE_SUBMIT to a user queue is EINVAL");
	ok(map_driver_page(other, u->c.pointers_offset) == MAP_FAILED && errno == EACCES &&
		   map_driver_page(other, u->c.doorbell_offset) == MAP_FAILED && errno == EACCES,
	   "mapping a user queue's pages through another file is EACCES");
	ok(mmap(NULL, 2 * page_bytes, PROT_READ, MAP_SHARED, u->m.fd,
		(off_t)(u->c.doorbell_offset & ~(page_bytes - 1))) == MAP_FAILED &&
		   errno == EINVAL,
	   "mapping more than the doorbell page is EINVAL");
	close(other);
}

static void test_broken_ring(uint32_t put, uint64_t entry, const char *what)
{
	struct user_queue u, other;

	if (!user_queue_open(&u, COPY) || !user_queue_open(&other, COPY))
		return;
	*(volatile uint64_t *)(u.m.memory + RING_OFFSET) = entry;
	ring_set_put(&u, put);
	ok(wait_for_error_state(&u, u.id) == DRM_SOVGPU_QUEUE_STATE_FAULTED &&
		   queue_state(u.m.fd, u.id).fault_code,
	   "%s: the user queue is in state faulted", what);
	ok(wait_for_error_state(&u, u.m.queue) == DRM_SOVGPU_QUEUE_STATE_INNOCENT,
	   "%s: the group's kernel queue is in state innocent", what);
	test_ring_rounds(&other, "a user queue of another file");
	user_queue_close(&u);
	user_queue_close(&other);
}

static sigjmp_buf back;

static void on_bus_error(int number)
{
	siglongjmp(back, number);
}

/* Existing mappings outlive the queue; new ones are refused. */
static void test_after_destroy(struct user_queue *u)
{
	ok(!queue_destroy(u->m.fd, u->id), "a user queue is destroyed");
	ok(map_driver_page(u->m.fd, u->c.pointers_offset) == MAP_FAILED &&
		   map_driver_page(u->m.fd, u->c.doorbell_offset) == MAP_FAILED,
	   "the pages of a destroyed user queue cannot be mapped");
	bool still_mapped = !sigsetjmp(back, 1);

	if (still_mapped) {
		*u->userd_put = 5;
		*u->doorbell = u->c.doorbell_value;
		still_mapped = *u->userd_put == 5;
	}
	ok(still_mapped,
	   "existing mappings of a destroyed user queue stay, and its doorbell is harmless");
}

/* A process is killed with work in flight; the kernel stops its group when it closes the file. */
static void test_killed_process(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		struct user_queue u;

		/* the child's results must not count in the plan */
		if (!freopen("/dev/null", "w", stdout) || !user_queue_open(&u, COMPUTE))
			_exit(1);
		struct stream s = stream_at(&u.m, 0);

		stream_acquire(&s, BUFFER_VA + FLAG, 1);
		struct drm_sovgpu_job job = stream_job(&u.m, &s);

		ring_push(&u, &job);
		raise(SIGKILL);
	}
	waitpid(child, &status, 0);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
	   "a process is killed while its user queue waits for a semaphore");
}

int main(void)
{
	struct user_queue u;
	int fd = open_device();
	uint64_t before = free_vram_bytes(fd);

	signal(SIGBUS, on_bus_error);
	if (!user_queue_open(&u, COPY))
		return tap_done();
	test_ring_rounds(&u, "copy queue");
	user_queue_close(&u);
	if (!user_queue_open(&u, COMPUTE))
		return tap_done();
	test_ring_rounds(&u, "compute queue");
	test_invalid_arguments(&u);
	test_after_destroy(&u);
	user_queue_close(&u);
	test_broken_ring(RING_ENTRIES, 0, "PUT beyond the ring");
	test_broken_ring(1, nv_gp_entry_pack(3 * GIB, 4),
			 "a ring entry that points to unmapped memory");
	test_broken_ring(1, UINT64_C(7) << 32, "a ring entry with an undefined opcode");
	fflush(stdout);
	test_killed_process();
	ok(free_vram_bytes(fd) == before, "all VRAM is free after the user queues are closed");
	close(fd);
	return tap_done();
}
