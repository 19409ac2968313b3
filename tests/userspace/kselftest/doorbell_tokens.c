/* SPDX-License-Identifier: MIT */
/*
 * The doorbell is one register for everybody, and what is written there is a number of few bits: a runlist and a channel.
 * A process that rings with every number there is makes nobody's work begin, end or change. Another's ring has entries
 * behind its end that would be noticed if the device ever read them; work of both kinds goes on and is right.
 */
#include "hw/nv/gsp_rm.h"
#include "tests/userspace/kselftest/victim.h"

#define RUNLISTS 16 /* a GH100 has 13 that anything hangs on */

enum { ALARM = 0x80000, STREAMS = 0x100000, TRAP = 0x1f0000, WORKS = 40 };

static void ring_all(struct user *u)
{
	for (uint32_t runlist = 0; runlist < RUNLISTS; runlist++)
		for (uint32_t channel = 0; channel < RM_CHANNELS; channel++)
			*u->bell = NV_DOORBELL(runlist, channel);
	for (uint32_t bit = 0; bit < 32; bit++) /* and what is no number of anything */
		*u->bell = UINT32_C(1) << bit | u->c.doorbell_value;
	*u->bell = UINT32_MAX;
}

/* Rings until it is killed; says when it has been through once. */
static void ringer(int tell)
{
	struct user u = {0};

	if (!machine_make(&u.m, COPY, 16, LIMIT_MS) || !user_attach(&u, COPY))
		_exit(1);
	for (;;) {
		ring_all(&u);
		if (write(tell, "x", 1) != 1)
			_exit(1);
	}
}

/* All entries lead to a stream that writes a word which must stay 0. */
static void set_traps(struct user *u)
{
	volatile uint64_t *ring = (volatile uint64_t *)(u->m.memory + RING);
	struct stream s = at(&u->m, TRAP);

	add_release(&s, BUFFER_VA + ALARM, 1);
	struct drm_sovgpu_job job = job_of(&u->m, &s);

	for (uint32_t i = 0; i < ENTRIES; i++)
		ring[i] = nv_gp_entry_pack(job.va, job.size / 4);
}

static int wait_memory(struct user *u, uint64_t value)
{
	struct drm_sovgpu_fence_wait w = {.handle = u->m.buffer,
					  .offset = ALARM + 64,
					  .value = value,
					  .mask = UINT64_MAX,
					  .deadline_ns = (int64_t)(now_ns() + 30 * SECOND_NS)};

	return call(u->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void works(struct user *u, struct victim *v)
{
	volatile uint64_t *alarmed = (volatile uint64_t *)(u->m.memory + ALARM);
	uint32_t good = 0;

	for (uint32_t i = 1; i <= WORKS && good == i - 1; i++) {
		struct stream s = at(&u->m, STREAMS);

		set_traps(u); /* the entry that was used, too */
		add_release(&s, BUFFER_VA + ALARM + 64, i);
		struct drm_sovgpu_job job = job_of(&u->m, &s);

		push(u, &job);
		good += !wait_memory(u, i) && !*alarmed;
	}
	ok(good == WORKS, "%u works run right while another rings", WORKS);
	ok(!*alarmed, "and nothing that was not yet given out");
	ok(!queue_state(u->m.fd, u->id).state, "their queue is well");
	victim_well(v, "with work that waits");
}

int main(void)
{
	struct victim v;
	struct user u;
	int told[2];
	char c;

	if (!victim_start(&v) || pipe(told))
		return tap_done();
	pid_t child = fork();

	if (!child)
		ringer(told[1]);
	close(told[1]);
	if (!user_open(&u, COMPUTE))
		return tap_done();
	set_traps(&u);
	volatile uint64_t *alarmed = (volatile uint64_t *)(u.m.memory + ALARM);

	ok(read(told[0], &c, 1) == 1 && read(told[0], &c, 1) == 1,
	   "a process rings with every number: %u of them", RUNLISTS * RM_CHANNELS + 33);
	ok(!*alarmed && !*u.ends_get, "an empty ring stays unread");
	works(&u, &v);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	works(&u, &v);
	user_close(&u);
	victim_end(&v);
	return tap_done();
}
