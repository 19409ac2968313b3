/* SPDX-License-Identifier: MIT */
/*
 * Ways in which a process can part from its work: killed while the device runs, waits or is being asked; forked, with
 * the file in both; with a second descriptor, or one that another process took over. Whoever is left goes on, and
 * when nobody is, every byte is free again. Signals interrupt each wait, which begins anew or says EINTR.
 */
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/queue.h"

#define FLAG (2 * MIB)

static int kills = 30; /* or, if they are all that is wanted, as often as said */
static uint64_t before;
static int watcher; /* a file that does nothing but ask how much memory is free */

/* Memory comes back when the last work of the file has ended; that takes a moment, not a minute. */
static bool all_free(void)
{
	for (int i = 0; i < 600; i++) {
		if (free_vram(watcher) == before)
			return true;
		poll(NULL, 0, 50);
	}
	diag("%lld bytes are missing", (long long)(before - free_vram(watcher)));
	return false;
}

/* Work that goes on until the flag in its buffer is 1. */
static int gated(struct machine *m, uint32_t done)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, done, 0};
	struct stream s = at(m, 0);

	add_acquire(&s, BUFFER_VA + FLAG, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, &sync, done ? 1 : 0);
}

static int wait_on_memory(struct machine *m, uint32_t milliseconds)
{
	struct drm_sovgpu_fence_wait w = {.handle = m->buffer,
					  .offset = FLAG,
					  .value = 1,
					  .mask = 1,
					  .deadline_ns =
						  (int64_t)(now_ns() + milliseconds * 1000000ull)};

	return call(m->fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

/* What a process may be doing when it is killed; none of it ends by itself within the test. */
static void runs(struct machine *m)
{
	gated(m, 0);
	pause();
}
static void waits_for_memory(struct machine *m)
{
	gated(m, 0);
	wait_on_memory(m, 60000);
}
static void waits_for_a_fence(struct machine *m)
{
	uint32_t done = syncobj(m->fd);

	gated(m, done);
	wait_for(m->fd, done, 0, 60);
}
static void waits_for_room(struct machine *m)
{
	for (;;)
		gated(m, 0);
}
static void makes_things(struct machine *m)
{
	uint32_t id;

	for (;;) {
		create(m->fd, VRAM, 4 * MIB, 0, &id);
		vm_map(m->fd, m->vm, id, 0, 4 * GIB, 4 * MIB);
		forget(m->fd, id);
		queue_create(m->fd, m->group, COMPUTE, 16, LIMIT_MS, &id);
		queue_destroy(m->fd, id);
	}
}
static void waits_for_another_queue(struct machine *m)
{
	struct drm_sovgpu_sync syncs[] = {{0, syncobj(m->fd), 0}};
	struct stream s = at(m, MIB);
	uint32_t other;

	gated(m, syncs[0].handle);
	add_release(&s, BUFFER_VA + 3 * MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	queue_create(m->fd, m->group, COMPUTE, 16, LIMIT_MS, &other);
	submit(m->fd, other, &job, 1, syncs, 1);
	pause();
}

static const struct {
	const char *name;
	void (*live)(struct machine *m);
} lives[] = {
	{"its work runs", runs},
	{"it waits for memory", waits_for_memory},
	{"it waits for a fence", waits_for_a_fence},
	{"it waits for room in a queue", waits_for_room},
	{"it makes things", makes_things},
	{"its queues wait for each other", waits_for_another_queue},
};

static void killed(void)
{
	unsigned times[COUNT(lives)] = {0}, died = 0;
	int ready[2];

	for (int i = 0; i < kills; i++) {
		size_t which = (size_t)i % COUNT(lives);
		struct machine m;
		int status;
		char c;

		if (pipe(ready))
			break;
		pid_t child = fork();

		if (!child) {
			if (machine_make(&m, COPY, 4, 10000) && write(ready[1], "x", 1) == 1)
				lives[which].live(&m);
			_exit(1);
		}
		close(ready[1]);
		bool began = read(ready[0], &c, 1) == 1;

		close(ready[0]);
		poll(NULL, 0, i % 7 * 3);
		kill(child, SIGKILL);
		if (waitpid(child, &status, 0) == child && began && WIFSIGNALED(status)) {
			died++;
			times[which]++;
		}
	}
	ok(died == (unsigned)kills, "%d processes are killed", kills);
	for (size_t i = 0; i < COUNT(lives); i++)
		diag("%u times while %s", times[i], lives[i].name);
	ok(all_free(), "not a byte is missing");
}

/* Parent and child have the same file; what either does the other sees. */
static void forked(void)
{
	struct machine m;
	int status;

	if (!ok(machine_make(&m, COPY, 4, 10000), "there is a file with a queue"))
		return;
	uint32_t done = syncobj(m.fd);

	ok(!gated(&m, done), "it has work under way");
	pid_t child = fork();

	if (!child) {
		/* The child ends the work: by a copy of the file, and without mappings of its own. */
		volatile uint64_t *flag = map(m.fd, m.buffer, BUFFER_BYTES);

		if (flag == MAP_FAILED)
			_exit(2);
		flag[FLAG / 8] = 1;
		_exit(wait_for(m.fd, done, 0, 60) ? 3 : 0);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "a child uses what its parent has made");
	ok(!wait_for(m.fd, done, 0, 60) &&
		   queue_state(m.fd, m.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "its end does no harm to the parent");
	/* The parent goes first: the child's file lives on. */
	*(volatile uint64_t *)(m.memory + FLAG) = 0;
	gated(&m, done);
	int second = dup(m.fd), taken[2], gone[2];
	char byte;

	close(m.fd);
	m.fd = second;
	ok(queue_state(m.fd, m.queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "a second descriptor keeps the file");
	if (pipe(taken) || pipe(gone))
		return;
	child = fork();
	if (!child) {
		/* It drops what it has inherited, and takes the file as any other process would. */
		int parent = (int)syscall(SYS_pidfd_open, getppid(), 0), number = m.fd;

		close(m.fd);
		munmap(m.memory, BUFFER_BYTES);
		int fd = (int)syscall(SYS_pidfd_getfd, parent, number, 0);

		close(gone[1]);
		if (fd < 0 || write(taken[1], "x", 1) != 1 || read(gone[0], &byte, 1))
			_exit(2);
		volatile uint64_t *flag = map(fd, m.buffer, BUFFER_BYTES);

		if (flag == MAP_FAILED)
			_exit(3);
		flag[FLAG / 8] = 1;
		_exit(wait_for(fd, done, 0, 60) ? 4 : 0);
	}
	close(taken[1]);
	ok(read(taken[0], &byte, 1) == 1, "another process takes the file over");
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	close(taken[0]);
	close(gone[0]);
	close(gone[1]); /* now it is the only one that has it */
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "who has it now ends the work");
	ok(all_free(), "and takes everything with it");
}

static volatile sig_atomic_t signals;

static void count(int number)
{
	(void)number;
	signals++;
}

/* A storm of signals during a wait; `flags` say whether calls begin anew. */
static void storm(bool on, int flags)
{
	struct sigaction a = {.sa_handler = count, .sa_flags = flags};
	struct itimerval every = {{0, on ? 3000 : 0}, {0, on ? 3000 : 0}};

	signals = 0;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void interrupted(void)
{
	uint32_t one;
	struct machine m;

	if (!ok(machine_make(&m, COPY, 4, 10000), "there is a file with a queue"))
		return;
	one = syncobj(m.fd);
	for (int i = 0; i < 4; i++) /* as many as there is room for */
		gated(&m, one);
	storm(true, 0);
	ok(wait_on_memory(&m, 20000) == -EINTR && signals, "FENCE_WAIT is interrupted");
	ok(gated(&m, 0) == -EINTR, "QUEUE_SUBMIT is interrupted when it waits for room");
	storm(true, SA_RESTART);
	ok(wait_on_memory(&m, 100) == -ETIME && signals > 1,
	   "FENCE_WAIT begins anew after signals, and keeps its deadline");
	storm(false, 0);
	pid_t child = fork();

	if (!child) {
		poll(NULL, 0, 100);
		*(volatile uint64_t *)((uint8_t *)map(m.fd, m.buffer, BUFFER_BYTES) + FLAG) = 1;
		_exit(0);
	}
	storm(true, SA_RESTART);
	int status = gated(&m, 0);

	ok(!status && signals > 1, "QUEUE_SUBMIT begins anew after signals, and takes the job");
	storm(false, 0);
	waitpid(child, NULL, 0);
	ok(!wait_for(m.fd, one, 0, 60), "all of that has ended nothing early");
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	ok(all_free(), "and everything is free");
}

int main(int argc, char **argv)
{
	struct machine m;

	if (argc > 1)
		kills = atoi(argv[1]);
	watcher = open_device();
	if (!ok(watcher >= 0 && machine_make(&m, COPY, 4, 10000), "the render node opens"))
		return tap_done();
	munmap(m.memory, BUFFER_BYTES);
	close(m.fd);
	before = free_vram(watcher);
	killed();
	if (argc > 1)
		return tap_done();
	forked();
	interrupted();
	return tap_done();
}
