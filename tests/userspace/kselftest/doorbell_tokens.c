// SPDX-License-Identifier: MIT
/*
 * Doorbell tokens: all processes share one doorbell register, and its value has few bits, a runlist
 * and a channel. A process that rings with every possible token must not start, end or change the
 * work of others. The test's ring has entries beyond PUT that would be noticed if the device ever
 * fetched them; its jobs and those of a bystander process must stay correct.
 */
#include "hw/nv/gsp_rm.h"
#include "tests/userspace/kselftest/victim.h"

#define RUNLISTS 16 /* a GH100 uses 13 */

enum { TRAP_WORD = 0x80000, STREAMS = 0x100000, TRAP_STREAM = 0x1f0000, JOBS = 40 };

static void ring_all_tokens(struct user_queue *u)
{
	for (uint32_t runlist = 0; runlist < RUNLISTS; runlist++)
		for (uint32_t channel = 0; channel < RM_CHANNELS; channel++)
			*u->doorbell = NV_DOORBELL(runlist, channel);
	for (uint32_t bit = 0; bit < 32; bit++) /* and values that are no token */
		*u->doorbell = UINT32_C(1) << bit | u->c.doorbell_value;
	*u->doorbell = UINT32_MAX;
}

/* Rings until it is killed; writes a byte after each pass over all tokens. */
static void ring_until_killed(int report)
{
	struct user_queue u = {0};

	if (!fixture_create(&u.m, COPY, 16, LIMIT_MS) || !user_queue_attach(&u, COPY))
		_exit(1);
	for (;;) {
		ring_all_tokens(&u);
		if (write(report, "x", 1) != 1)
			_exit(1);
	}
}

/* Every ring entry points to a stream that writes a word which must stay 0. */
static void fill_ring_with_traps(struct user_queue *u)
{
	volatile uint64_t *ring = (volatile uint64_t *)(u->m.memory + RING_OFFSET);
	struct stream s = stream_at(&u->m, TRAP_STREAM);

	stream_release(&s, BUFFER_VA + TRAP_WORD, 1);
	struct drm_sovgpu_job job = stream_job(&u->m, &s);

	for (uint32_t i = 0; i < RING_ENTRIES; i++)
		ring[i] = nv_gp_entry_pack(job.va, job.size / 4);
}

static int wait_for_seqno(struct user_queue *u, uint64_t value)
{
	struct drm_sovgpu_fence_wait w = {.handle = u->m.buffer,
					  .offset = TRAP_WORD + 64,
					  .value = value,
					  .mask = UINT64_MAX,
					  .deadline_ns = (int64_t)(now_ns() + 30 * SECOND_NS)};

	return gpu_ioctl(u->m.fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void run_jobs(struct user_queue *u, struct victim *v)
{
	volatile uint64_t *trap_word = (volatile uint64_t *)(u->m.memory + TRAP_WORD);
	uint32_t good = 0;

	for (uint32_t i = 1; i <= JOBS && good == i - 1; i++) {
		struct stream s = stream_at(&u->m, STREAMS);

		fill_ring_with_traps(u); /* also the entry that was consumed */
		stream_release(&s, BUFFER_VA + TRAP_WORD + 64, i);
		struct drm_sovgpu_job job = stream_job(&u->m, &s);

		ring_push(u, &job);
		good += !wait_for_seqno(u, i) && !*trap_word;
	}
	ok(good == JOBS, "%u jobs complete correctly while another process rings every token",
	   JOBS);
	ok(!*trap_word, "the device fetches no ring entry beyond PUT");
	ok(!queue_state(u->m.fd, u->id).state,
	   "the user queue is usable while another process rings every token");
	expect_victim_unaffected(v, "its pending work while every token is rung");
}

int main(void)
{
	struct victim v;
	struct user_queue u;
	int progress[2];
	char c;

	if (!victim_start(&v) || pipe(progress))
		return tap_done();
	pid_t child = fork();

	if (!child)
		ring_until_killed(progress[1]);
	close(progress[1]);
	if (!user_queue_open(&u, COMPUTE))
		return tap_done();
	fill_ring_with_traps(&u);
	volatile uint64_t *trap_word = (volatile uint64_t *)(u.m.memory + TRAP_WORD);

	ok(read(progress[0], &c, 1) == 1 && read(progress[0], &c, 1) == 1,
	   "a process rings the doorbell with all %u tokens", RUNLISTS * RM_CHANNELS + 33);
	ok(!*trap_word && !*u.userd_get, "the device fetches nothing from an empty ring");
	run_jobs(&u, &v);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	run_jobs(&u, &v);
	user_queue_close(&u);
	victim_end(&v);
	return tap_done();
}
