/* SPDX-License-Identifier: MIT */
/*
 * Ten groups that never end share an engine with one that does its work, on a card where groups take turns (sovgpu-model
 * --runlist-mode). The limit of a job is time of the engine: who waits for its turn because of others is not ended for it.
 *   _fair sliced: turns end after a time slice      _fair held: a turn ends when its work does, or is ended
 */
#include <sched.h>

#include "tests/userspace/kselftest/queue.h"

enum {
	SPINNERS = 10,
	STREAM = 0x1000,
	NEVER = 0x3ff000,
	FROM = 0x100000,
	TO = 0x200000,
	MAX_COPIES = 4096
};

struct spinner {
	uint32_t group, queue, done;
};

static uint32_t endless_job(struct machine *m, uint32_t group, uint32_t limit_ms, struct spinner *s)
{
	struct stream stream = at(m, 0);

	*s = (struct spinner){.group = group};
	add_acquire(&stream, BUFFER_VA + NEVER, 1);
	struct drm_sovgpu_job job = job_of(m, &stream);
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};

	s->done = done.handle;
	return (group || !group_create(m->fd, m->vm, &s->group)) &&
	       !queue_create(m->fd, s->group, COPY, 4, limit_ms, &s->queue) &&
	       !submit(m->fd, s->queue, &job, 1, &done, 1);
}

static bool spin(struct machine *m, struct spinner *spinners, uint32_t limit_ms)
{
	uint32_t started = 0;

	while (started < SPINNERS && endless_job(m, 0, limit_ms, &spinners[started]))
		started++;
	return ok(started == SPINNERS, "ten groups have work that does not end");
}

/* So many copies, one after the other; ns, or 0 when it does not end well. */
static uint64_t work(struct machine *m, uint32_t queue, uint32_t copies)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct stream s = at(m, STREAM);

	for (uint32_t i = 0; i < copies; i++)
		add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, MIB);
	struct drm_sovgpu_job job = job_of(m, &s);
	uint64_t start = now_ns();

	if (submit(m->fd, queue, &job, 1, &done, 1) || wait_for(m->fd, done.handle, 0, 120) ||
	    queue_state(m->fd, queue).state != DRM_SOVGPU_QUEUE_STATE_USABLE)
		return 0;
	return now_ns() - start;
}

static uint32_t spinning(struct machine *m, const struct spinner *spinners, uint32_t state)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SPINNERS; i++)
		count += queue_state(m->fd, spinners[i].queue).state == state;
	return count;
}

static void sliced(struct machine *m)
{
	struct timespec pause = {.tv_nsec = 300000000};
	struct spinner spinners[SPINNERS], late;
	uint32_t copies = 128, group, queue;
	uint64_t alone = 0;

	while (copies < MAX_COPIES && alone < SECOND_NS / 10) {
		copies *= 2;
		alone = work(m, m->queue, copies);
	}
	ok(alone > 0, "work that ends is measured");
	if (!spin(m, spinners, 10000))
		return;
	nanosleep(&pause, NULL); /* all have had a turn */
	uint64_t first = work(m, m->queue, copies);
	/* A third of that is less than it takes, and more than its part, which is an eleventh. */
	uint32_t limit_ms = (uint32_t)(first / 3000000);

	if (!ok(first > 0, "beside them it comes to its end") ||
	    !ok(!group_create(m->fd, m->vm, &group) &&
			!queue_create(m->fd, group, COPY, 4, limit_ms, &queue),
		"another group has a limit of a third of that"))
		return;
	uint64_t second = work(m, queue, copies);

	ok(second > 0, "the same work comes to its end there");
	ok(second > limit_ms * 1000000ull, "though that takes longer than its limit");
	diag("%u copies: alone %llu ms, shared %llu ms and %llu ms, limit %u ms", copies,
	     (unsigned long long)alone / 1000000, (unsigned long long)first / 1000000,
	     (unsigned long long)second / 1000000, limit_ms);
	uint64_t start = now_ns();

	ok(endless_job(m, 0, 100, &late) && !wait_for(m->fd, late.done, 0, 60) &&
		   queue_state(m->fd, late.queue).state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
	   "one that does not end is ended");
	uint64_t took = now_ns() - start;

	ok(took > 5 * 100 * 1000000ull, "after its share of the engine's time, and not before");
	ok(took < (16 * 100 + 5000) * 1000000ull, "and not later than sixteen times its limit");
	diag("a limit of 100 ms was over after %llu ms", (unsigned long long)took / 1000000);
	ok(spinning(m, spinners, DRM_SOVGPU_QUEUE_STATE_USABLE) == SPINNERS,
	   "others still have time");
}

static void held(struct machine *m)
{
	struct spinner spinners[SPINNERS];
	uint32_t group, queue;

	if (!spin(m, spinners, 200) ||
	    !ok(!group_create(m->fd, m->vm, &group) &&
			!queue_create(m->fd, group, COPY, 4, 1000, &queue),
		"and one waits behind them"))
		return;
	uint64_t took = work(m, queue, 16);

	ok(took > 0, "its work is done");
	ok(took > SECOND_NS, "though it waited longer than its limit");
	ok(spinning(m, spinners, DRM_SOVGPU_QUEUE_STATE_TIMED_OUT) == SPINNERS,
	   "those before it were ended, one after the other");
	diag("%llu ms", (unsigned long long)took / 1000000);
}

int main(int argc, char **argv)
{
	struct machine m;

	if (argc != 2 || !machine_open(&m, COPY))
		return tap_done();
	if (!strcmp(argv[1], "held"))
		held(&m);
	else
		sliced(&m);
	machine_close(&m);
	return tap_done();
}
