// SPDX-License-Identifier: MIT
/*
 * Process exit with work in flight: processes are killed while the device runs, while they wait, or
 * inside a call; forked, with the file in both; with a second descriptor, or one that another
 * process took with pidfd_getfd. Remaining users continue, and when none remain, every byte is free
 * again. Signals interrupt every wait, which restarts or returns EINTR.
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/queue.h"

#define FLAG (2 * MIB)

static int kills = 30; /* or argv[1]; then only kills are tested */
static uint64_t free_before;
static int watcher; /* second file, used to query free VRAM */

/* Waits up to 30 s: memory is freed when the file's last work has ended. */
static bool all_vram_freed(void)
{
	for (int i = 0; i < 600; i++) {
		if (free_vram_bytes(watcher) == free_before)
			return true;
		poll(NULL, 0, 50);
	}
	diag("%lld bytes are missing", (long long)(free_before - free_vram_bytes(watcher)));
	return false;
}

/* A job that runs until the flag in the buffer is 1. */
static int submit_gated_job(struct fixture *m, uint32_t done)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, done, 0};
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + FLAG, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, &sync, done ? 1 : 0);
}

static int fence_wait(struct fixture *m, uint32_t milliseconds)
{
	struct drm_sovgpu_fence_wait w = {.handle = m->buffer,
					  .offset = FLAG,
					  .value = 1,
					  .mask = 1,
					  .deadline_ns =
						  (int64_t)(now_ns() + milliseconds * 1000000ull)};

	return gpu_ioctl(m->fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

/* Activities during which a process is killed; none of them ends during the test. */
static void do_run(struct fixture *m)
{
	submit_gated_job(m, 0);
	pause();
}
static void do_wait_for_memory(struct fixture *m)
{
	submit_gated_job(m, 0);
	fence_wait(m, 60000);
}
static void do_wait_for_fence(struct fixture *m)
{
	uint32_t done = syncobj_create(m->fd);

	submit_gated_job(m, done);
	syncobj_wait(m->fd, done, 0, 60);
}
static void do_wait_for_ring_space(struct fixture *m)
{
	for (;;)
		submit_gated_job(m, 0);
}
static void do_create_objects(struct fixture *m)
{
	uint32_t id;

	for (;;) {
		bo_create(m->fd, VRAM, 4 * MIB, 0, &id);
		vm_map(m->fd, m->vm, id, 0, 4 * GIB, 4 * MIB);
		bo_close(m->fd, id);
		queue_create(m->fd, m->group, COMPUTE, 16, LIMIT_MS, &id);
		queue_destroy(m->fd, id);
	}
}
static void do_wait_for_other_queue(struct fixture *m)
{
	struct drm_sovgpu_sync syncs[] = {{0, syncobj_create(m->fd), 0}};
	struct stream s = stream_at(m, MIB);
	uint32_t other;

	submit_gated_job(m, syncs[0].handle);
	stream_release(&s, BUFFER_VA + 3 * MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	queue_create(m->fd, m->group, COMPUTE, 16, LIMIT_MS, &other);
	queue_submit(m->fd, other, &job, 1, syncs, 1);
	pause();
}

static const struct {
	const char *name;
	void (*run)(struct fixture *m);
} activities[] = {
	{"its job runs", do_run},
	{"it waits for a memory word", do_wait_for_memory},
	{"it waits for a fence", do_wait_for_fence},
	{"it waits for free ring entries", do_wait_for_ring_space},
	{"it creates and destroys objects", do_create_objects},
	{"its queues wait for each other", do_wait_for_other_queue},
};

static void test_killed(void)
{
	unsigned times[COUNT(activities)] = {0}, died = 0;
	int ready[2];

	for (int i = 0; i < kills; i++) {
		size_t which = (size_t)i % COUNT(activities);
		struct fixture m;
		int status;
		char c;

		if (pipe(ready))
			break;
		pid_t child = fork();

		if (!child) {
			if (fixture_create(&m, COPY, 4, 10000) && write(ready[1], "x", 1) == 1)
				activities[which].run(&m);
			_exit(1);
		}
		close(ready[1]);
		bool started = read(ready[0], &c, 1) == 1;

		close(ready[0]);
		poll(NULL, 0, i % 7 * 3);
		kill(child, SIGKILL);
		if (waitpid(child, &status, 0) == child && started && WIFSIGNALED(status)) {
			died++;
			times[which]++;
		}
	}
	ok(died == (unsigned)kills, "%d processes are killed with work in flight", kills);
	for (size_t i = 0; i < COUNT(activities); i++)
		diag("%u times while %s", times[i], activities[i].name);
	ok(all_vram_freed(), "all VRAM is free after the killed processes");
}

/* Parent and child share one file. */
static void test_forked(void)
{
	struct fixture m;
	int status;

	if (!ok(fixture_create(&m, COPY, 4, 10000), "a file with a queue is set up"))
		return;
	uint32_t done = syncobj_create(m.fd);

	ok(!submit_gated_job(&m, done), "a gated job is submitted");
	pid_t child = fork();

	if (!child) {
		/*
		 * The child releases the job through the inherited file and a mapping of its own.
		 */
		volatile uint64_t *flag = bo_map(m.fd, m.buffer, BUFFER_BYTES);

		if (flag == MAP_FAILED)
			_exit(2);
		flag[FLAG / 8] = 1;
		_exit(syncobj_wait(m.fd, done, 0, 60) ? 3 : 0);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "a forked child maps the buffer, releases the job and waits for its fence");
	ok(!syncobj_wait(m.fd, done, 0, 60) &&
		   queue_state(m.fd, m.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "the exit of a forked child does not affect the parent's queue");
	/* The parent closes the file first; the child's descriptor keeps it open. */
	*(volatile uint64_t *)(m.memory + FLAG) = 0;
	submit_gated_job(&m, done);
	int second = dup(m.fd), received[2], parent_exited[2];
	char byte;

	close(m.fd);
	m.fd = second;
	ok(queue_state(m.fd, m.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "a duplicated descriptor keeps the file open");
	if (pipe(received) || pipe(parent_exited))
		return;
	child = fork();
	if (!child) {
		/* Drops the inherited file and takes it again as an unrelated process would. */
		int parent = (int)syscall(SYS_pidfd_open, getppid(), 0), number = m.fd;

		close(m.fd);
		munmap(m.memory, BUFFER_BYTES);
		int fd = (int)syscall(SYS_pidfd_getfd, parent, number, 0);

		close(parent_exited[1]);
		if (fd < 0 || write(received[1], "x", 1) != 1 || read(parent_exited[0], &byte, 1))
			_exit(2);
		volatile uint64_t *flag = bo_map(fd, m.buffer, BUFFER_BYTES);

		if (flag == MAP_FAILED)
			_exit(3);
		flag[FLAG / 8] = 1;
		_exit(syncobj_wait(fd, done, 0, 60) ? 4 : 0);
	}
	close(received[1]);
	ok(read(received[0], &byte, 1) == 1, "another process gets the file with pidfd_getfd");
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	close(received[0]);
	close(parent_exited[0]);
	close(parent_exited[1]); /* the child is now the only user */
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "the remaining process releases the job and waits for its fence");
	ok(all_vram_freed(), "all VRAM is free after the last process exits");
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* Sends a signal every 3 ms; `flags` says whether calls restart. */
static void signal_timer(bool on, int flags)
{
	struct sigaction a = {.sa_handler = count_signal, .sa_flags = flags};
	struct itimerval every = {{0, on ? 3000 : 0}, {0, on ? 3000 : 0}};

	signals = 0;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void test_signals(void)
{
	uint32_t one;
	struct fixture m;

	if (!ok(fixture_create(&m, COPY, 4, 10000), "a file with a queue is set up"))
		return;
	one = syncobj_create(m.fd);
	for (int i = 0; i < 4; i++) /* fills the ring */
		submit_gated_job(&m, one);
	signal_timer(true, 0);
	ok(fence_wait(&m, 20000) == -EINTR && signals, "a signal interrupts FENCE_WAIT: EINTR");
	ok(submit_gated_job(&m, 0) == -EINTR,
	   "a signal interrupts QUEUE_SUBMIT on a full ring: EINTR");
	signal_timer(true, SA_RESTART);
	ok(fence_wait(&m, 100) == -ETIME && signals > 1,
	   "FENCE_WAIT restarts after signals and keeps its deadline");
	signal_timer(false, 0);
	pid_t child = fork();

	if (!child) {
		poll(NULL, 0, 100);
		*(volatile uint64_t *)((uint8_t *)bo_map(m.fd, m.buffer, BUFFER_BYTES) + FLAG) = 1;
		_exit(0);
	}
	signal_timer(true, SA_RESTART);
	int status = submit_gated_job(&m, 0);

	ok(!status && signals > 1, "QUEUE_SUBMIT restarts after signals and submits the job");
	signal_timer(false, 0);
	waitpid(child, NULL, 0);
	ok(!syncobj_wait(m.fd, one, 0, 60), "signals do not end pending jobs");
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	ok(all_vram_freed(), "all VRAM is free after interrupted calls");
}

int main(int argc, char **argv)
{
	struct fixture m;

	if (argc > 1)
		kills = atoi(argv[1]);
	watcher = open_device();
	if (!ok(watcher >= 0 && fixture_create(&m, COPY, 4, 10000), "the render node opens"))
		return tap_done();
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	free_before = free_vram_bytes(watcher);
	test_killed();
	if (argc > 1)
		return tap_done();
	test_forked();
	test_signals();
	return tap_done();
}
