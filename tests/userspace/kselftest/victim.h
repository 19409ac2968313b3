/* SPDX-License-Identifier: MIT */
/*
 * A second process, which has nothing to do with what the first one tries. It has bytes that nobody else knows in system and
 * in video memory, and work of both kinds of queues under way that waits for a word of its own. Asked how it is, it
 * looks whether the work is still waiting, lets it run, compares every byte, and begins anew.
 */
#ifndef TESTS_KSELFTEST_VICTIM_H
#define TESTS_KSELFTEST_VICTIM_H

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/userspace/kselftest/user_queue.h"

#define VICTIM_VA    (24 * GIB) /* its system memory; video memory follows */
#define VICTIM_BYTES (256 * KIB)

/* In its buffer: the words that its work waits for, streams, where work copies to. */
enum { VICTIM_GATES = 0x80000, VICTIM_STREAMS = 0x100000, VICTIM_COPIES = 0x200000 };

enum victim_works { VICTIM_BY_CALLS, VICTIM_BY_ITSELF, VICTIM_WORKS };

/* What it can complain of, one bit each. */
enum {
	VICTIM_EARLY = 1,    /* work began before it was let */
	VICTIM_LATE = 2,     /* or did not end when it was */
	VICTIM_WRONG = 4,    /* or had a wrong result */
	VICTIM_CHANGED = 8,  /* bytes are others than were written */
	VICTIM_STOPPED = 16, /* a queue is not well */
};

struct victim {
	pid_t process;
	int ask, hear;
};

struct victim_side {
	struct user u;
	uint8_t *bytes[2]; /* system and video memory */
	uint32_t done, round;
};

static inline uint8_t victim_byte(uint64_t at)
{
	return (uint8_t)(0xa5 ^ at * 31 ^ at >> 8);
}

static inline bool victim_make(struct victim_side *v)
{
	if (!machine_make(&v->u.m, COPY, 16, 10000) || !user_attach(&v->u, COMPUTE))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t handle;

		create(v->u.m.fd, i ? VRAM : SYSTEM, VICTIM_BYTES, MAPPABLE, &handle);
		v->bytes[i] = map(v->u.m.fd, handle, VICTIM_BYTES);
		if (v->bytes[i] == MAP_FAILED || vm_map(v->u.m.fd, v->u.m.vm, handle, 0,
							VICTIM_VA + i * VICTIM_BYTES, VICTIM_BYTES))
			return false;
		for (uint64_t k = 0; k < VICTIM_BYTES; k++)
			v->bytes[i][k] = victim_byte(k);
	}
	v->done = syncobj(v->u.m.fd);
	return v->done;
}

static inline volatile uint64_t *victim_gate(struct victim_side *v, uint32_t way)
{
	return (volatile uint64_t *)(v->u.m.memory + VICTIM_GATES + 64 * way);
}

/* Both queues copy half of either memory, when they are let, and say that they have done it. */
static inline bool victim_begin(struct victim_side *v)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, v->done, 0};
	bool good = true;

	v->round++;
	memset(v->u.m.memory + VICTIM_COPIES, 0, VICTIM_WORKS * VICTIM_BYTES);
	for (uint32_t way = 0; way < VICTIM_WORKS; way++) {
		struct stream s = at(&v->u.m, VICTIM_STREAMS + 0x10000 * way);
		uint64_t to = BUFFER_VA + VICTIM_COPIES + way * VICTIM_BYTES,
			 half = VICTIM_BYTES / 2;

		victim_gate(v, way)[0] = victim_gate(v, way)[1] = 0;
		add_acquire(&s, BUFFER_VA + VICTIM_GATES + 64 * way, 1);
		add_copy(&s, to, VICTIM_VA, (uint32_t)half);
		add_copy(&s, to + half, VICTIM_VA + VICTIM_BYTES + half, (uint32_t)half);
		add_release(&s, BUFFER_VA + VICTIM_GATES + 64 * way + 8, v->round);
		struct drm_sovgpu_job job = job_of(&v->u.m, &s);

		if (way == VICTIM_BY_ITSELF)
			push(&v->u, &job);
		else
			good = !submit(v->u.m.fd, v->u.m.queue, &job, 1, &sync, 1);
	}
	return good;
}

static inline uint32_t victim_look(struct victim_side *v)
{
	uint32_t complaints = 0;

	if (wait_for(v->u.m.fd, v->done, 0, 0) != -ETIME)
		complaints |= VICTIM_EARLY;
	for (uint32_t way = 0; way < VICTIM_WORKS; way++) {
		struct drm_sovgpu_fence_wait w = {.handle = v->u.m.buffer,
						  .offset = VICTIM_GATES + 64 * way + 8,
						  .value = v->round,
						  .mask = UINT64_MAX,
						  .deadline_ns =
							  (int64_t)(now_ns() + 20 * SECOND_NS)};
		const uint8_t *copy = v->u.m.memory + VICTIM_COPIES + way * VICTIM_BYTES;

		if (victim_gate(v, way)[1])
			complaints |= VICTIM_EARLY;
		victim_gate(v, way)[0] = 1;
		if (call(v->u.m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w))
			complaints |= VICTIM_LATE;
		for (uint64_t k = 0; k < VICTIM_BYTES; k++)
			if (copy[k] != victim_byte(k))
				complaints |= VICTIM_WRONG;
	}
	if (wait_for(v->u.m.fd, v->done, 0, 20))
		complaints |= VICTIM_LATE;
	for (uint64_t k = 0; k < VICTIM_BYTES; k++)
		if (v->bytes[0][k] != victim_byte(k) || v->bytes[1][k] != victim_byte(k))
			complaints |= VICTIM_CHANGED;
	if (queue_state(v->u.m.fd, v->u.m.queue).state || queue_state(v->u.m.fd, v->u.id).state)
		complaints |= VICTIM_STOPPED;
	return complaints;
}

static inline void victim_live(int asked, int tell)
{
	struct victim_side v = {0};
	uint32_t complaints = victim_make(&v) && victim_begin(&v) ? 0 : UINT32_MAX;
	char c;

	do {
		if (write(tell, &complaints, sizeof(complaints)) != sizeof(complaints))
			_exit(1);
		if (read(asked, &c, 1) != 1)
			_exit(0);
		complaints = victim_look(&v);
		if (!victim_begin(&v))
			complaints |= VICTIM_STOPPED;
	} while (1);
}

/* What it complains of; UINT32_MAX: it does not answer. */
static inline uint32_t victim_says(struct victim *v)
{
	struct pollfd p = {.fd = v->hear, .events = POLLIN};
	uint32_t complaints;

	return poll(&p, 1, 60000) == 1 &&
			       read(v->hear, &complaints, sizeof(complaints)) == sizeof(complaints)
		       ? complaints
		       : UINT32_MAX;
}

static inline uint32_t victim_ask(struct victim *v)
{
	return write(v->ask, "?", 1) == 1 ? victim_says(v) : UINT32_MAX;
}

static inline bool victim_well(struct victim *v, const char *while_what)
{
	uint32_t complaints = victim_ask(v);

	if (!ok(!complaints, "another process does not notice: %s", while_what))
		diag("it complains: %#x", complaints);
	return !complaints;
}

/* Before anything else is open: it inherits nothing. */
static inline bool victim_start(struct victim *v)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return false;
	v->process = fork();
	if (!v->process) {
		close(to[1]);
		close(from[0]);
		victim_live(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	v->ask = to[1];
	v->hear = from[0];
	return ok(!victim_says(v), "another process has memory and work of its own");
}

static inline void victim_end(struct victim *v)
{
	close(v->ask);
	waitpid(v->process, NULL, 0);
	close(v->hear);
}

#endif
