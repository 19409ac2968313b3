/* SPDX-License-Identifier: MIT */
/*
 * A bystander process that must not notice an attack by the test process. It keeps a known pattern
 * in system memory and VRAM, and has one submission pending on a kernel queue and one on a user
 * queue; both wait for semaphores of its own. On request it checks that both submissions are still
 * pending, releases them, compares every byte, and submits again.
 */
#ifndef TESTS_KSELFTEST_VICTIM_H
#define TESTS_KSELFTEST_VICTIM_H

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

#define VICTIM_VA    (24 * GIB) /* system memory; VRAM follows */
#define VICTIM_BYTES (256 * KIB)

/* Offsets in its buffer: semaphores, command streams, copy destinations. */
enum { VICTIM_GATES = 0x80000, VICTIM_STREAMS = 0x100000, VICTIM_COPIES = 0x200000 };

enum victim_queue { VICTIM_KERNEL_QUEUE, VICTIM_USER_QUEUE, VICTIM_QUEUES };

/* Complaints, one bit each. */
enum {
	VICTIM_EARLY = 1,    /* work completed before it was released */
	VICTIM_LATE = 2,     /* released work did not complete */
	VICTIM_WRONG = 4,    /* work had a wrong result */
	VICTIM_CHANGED = 8,  /* the memory pattern changed */
	VICTIM_STOPPED = 16, /* a queue is in an error state */
};

struct victim {
	pid_t process;
	int request, report;
};

struct victim_state {
	struct user_queue u;
	uint8_t *bytes[2]; /* system memory, VRAM */
	uint32_t done, round;
};

static inline uint8_t victim_byte(uint64_t at)
{
	return (uint8_t)(0xa5 ^ at * 31 ^ at >> 8);
}

static inline bool victim_setup(struct victim_state *v)
{
	if (!fixture_create(&v->u.m, COPY, 16, 10000) || !user_queue_attach(&v->u, COMPUTE))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t handle;

		bo_create(v->u.m.fd, i ? VRAM : SYSTEM, VICTIM_BYTES, MAPPABLE, &handle);
		v->bytes[i] = bo_map(v->u.m.fd, handle, VICTIM_BYTES);
		if (v->bytes[i] == MAP_FAILED || vm_map(v->u.m.fd, v->u.m.vm, handle, 0,
							VICTIM_VA + i * VICTIM_BYTES, VICTIM_BYTES))
			return false;
		for (uint64_t k = 0; k < VICTIM_BYTES; k++)
			v->bytes[i][k] = victim_byte(k);
	}
	v->done = syncobj_create(v->u.m.fd);
	return v->done;
}

static inline volatile uint64_t *victim_gate(struct victim_state *v, uint32_t queue)
{
	return (volatile uint64_t *)(v->u.m.memory + VICTIM_GATES + 64 * queue);
}

/* Both queues wait for their semaphore, copy half of either memory, and release a second word. */
static inline bool victim_submit(struct victim_state *v)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, v->done, 0};
	bool good = true;

	v->round++;
	memset(v->u.m.memory + VICTIM_COPIES, 0, VICTIM_QUEUES * VICTIM_BYTES);
	for (uint32_t queue = 0; queue < VICTIM_QUEUES; queue++) {
		struct stream s = stream_at(&v->u.m, VICTIM_STREAMS + 0x10000 * queue);
		uint64_t to = BUFFER_VA + VICTIM_COPIES + queue * VICTIM_BYTES,
			 half = VICTIM_BYTES / 2;

		victim_gate(v, queue)[0] = victim_gate(v, queue)[1] = 0;
		stream_acquire(&s, BUFFER_VA + VICTIM_GATES + 64 * queue, 1);
		stream_copy(&s, to, VICTIM_VA, (uint32_t)half);
		stream_copy(&s, to + half, VICTIM_VA + VICTIM_BYTES + half, (uint32_t)half);
		stream_release(&s, BUFFER_VA + VICTIM_GATES + 64 * queue + 8, v->round);
		struct drm_sovgpu_job job = stream_job(&v->u.m, &s);

		if (queue == VICTIM_USER_QUEUE)
			ring_push(&v->u, &job);
		else
			good = !queue_submit(v->u.m.fd, v->u.m.queue, &job, 1, &sync, 1);
	}
	return good;
}

static inline uint32_t victim_check(struct victim_state *v)
{
	uint32_t complaints = 0;

	if (syncobj_wait(v->u.m.fd, v->done, 0, 0) != -ETIME)
		complaints |= VICTIM_EARLY;
	for (uint32_t queue = 0; queue < VICTIM_QUEUES; queue++) {
		struct drm_sovgpu_fence_wait w = {.handle = v->u.m.buffer,
						  .offset = VICTIM_GATES + 64 * queue + 8,
						  .value = v->round,
						  .mask = UINT64_MAX,
						  .deadline_ns =
							  (int64_t)(now_ns() + 20 * SECOND_NS)};
		const uint8_t *copy = v->u.m.memory + VICTIM_COPIES + queue * VICTIM_BYTES;

		if (victim_gate(v, queue)[1])
			complaints |= VICTIM_EARLY;
		victim_gate(v, queue)[0] = 1;
		if (gpu_ioctl(v->u.m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w))
			complaints |= VICTIM_LATE;
		for (uint64_t k = 0; k < VICTIM_BYTES; k++)
			if (copy[k] != victim_byte(k))
				complaints |= VICTIM_WRONG;
	}
	if (syncobj_wait(v->u.m.fd, v->done, 0, 20))
		complaints |= VICTIM_LATE;
	for (uint64_t k = 0; k < VICTIM_BYTES; k++)
		if (v->bytes[0][k] != victim_byte(k) || v->bytes[1][k] != victim_byte(k))
			complaints |= VICTIM_CHANGED;
	if (queue_state(v->u.m.fd, v->u.m.queue).state || queue_state(v->u.m.fd, v->u.id).state)
		complaints |= VICTIM_STOPPED;
	return complaints;
}

static inline void victim_main(int requests, int reports)
{
	struct victim_state v = {0};
	uint32_t complaints = victim_setup(&v) && victim_submit(&v) ? 0 : UINT32_MAX;
	char c;

	do {
		if (write(reports, &complaints, sizeof(complaints)) != sizeof(complaints))
			_exit(1);
		if (read(requests, &c, 1) != 1)
			_exit(0);
		complaints = victim_check(&v);
		if (!victim_submit(&v))
			complaints |= VICTIM_STOPPED;
	} while (1);
}

/* Returns the complaint bits; UINT32_MAX if the process does not answer. */
static inline uint32_t victim_read_report(struct victim *v)
{
	struct pollfd p = {.fd = v->report, .events = POLLIN};
	uint32_t complaints;

	return poll(&p, 1, 60000) == 1 && read(v->report, &complaints, sizeof(complaints)) ==
						  sizeof(complaints)
		       ? complaints
		       : UINT32_MAX;
}

static inline uint32_t victim_request_report(struct victim *v)
{
	return write(v->request, "?", 1) == 1 ? victim_read_report(v) : UINT32_MAX;
}

static inline bool expect_victim_unaffected(struct victim *v, const char *while_what)
{
	uint32_t complaints = victim_request_report(v);

	if (!ok(!complaints, "another process is unaffected: %s", while_what))
		diag("complaint bits: %#x", complaints);
	return !complaints;
}

/* Call before opening anything, so that the child inherits no descriptors. */
static inline bool victim_start(struct victim *v)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return false;
	v->process = fork();
	if (!v->process) {
		close(to[1]);
		close(from[0]);
		victim_main(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	v->request = to[1];
	v->report = from[0];
	return ok(!victim_read_report(v), "a bystander process has memory and pending work");
}

static inline void victim_end(struct victim *v)
{
	close(v->request);
	waitpid(v->process, NULL, 0);
	close(v->report);
}

#endif
