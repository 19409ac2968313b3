// SPDX-License-Identifier: MIT
/*
 * Ten groups with endless work share an engine with one group whose work completes, on a card that
 * time-slices its groups. A job's time limit counts engine time, so a job that waits because of
 * other groups must not time out.
 *   _time_slices sliced: a time slice ends after its length
 *   _time_slices held: a group keeps the engine until its work completes or is stopped
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

static uint32_t submit_endless_job(struct fixture *m, uint32_t group, uint32_t limit_ms,
				   struct spinner *s)
{
	struct stream stream = stream_at(m, 0);

	*s = (struct spinner){.group = group};
	stream_acquire(&stream, BUFFER_VA + NEVER, 1);
	struct drm_sovgpu_job job = stream_job(m, &stream);
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};

	s->done = done.handle;
	return (group || !group_create(m->fd, m->vm, &s->group)) &&
	       !queue_create(m->fd, s->group, COPY, 4, limit_ms, &s->queue) &&
	       !queue_submit(m->fd, s->queue, &job, 1, &done, 1);
}

static bool start_spinners(struct fixture *m, struct spinner *spinners, uint32_t limit_ms)
{
	uint32_t started = 0;

	while (started < SPINNERS && submit_endless_job(m, 0, limit_ms, &spinners[started]))
		started++;
	return ok(started == SPINNERS, "ten groups have endless work submitted");
}

/* Runs a number of copies in one job; returns the time in ns, or 0 on failure. */
static uint64_t run_copies(struct fixture *m, uint32_t queue, uint32_t copies)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct stream s = stream_at(m, STREAM);

	for (uint32_t i = 0; i < copies; i++)
		stream_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, MIB);
	struct drm_sovgpu_job job = stream_job(m, &s);
	uint64_t start = now_ns();

	if (queue_submit(m->fd, queue, &job, 1, &done, 1) ||
	    syncobj_wait(m->fd, done.handle, 0, 120) ||
	    queue_state(m->fd, queue).state != DRM_SOVGPU_QUEUE_STATE_USABLE)
		return 0;
	return now_ns() - start;
}

static uint32_t count_spinners_in_state(struct fixture *m, const struct spinner *spinners,
					uint32_t state)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SPINNERS; i++)
		count += queue_state(m->fd, spinners[i].queue).state == state;
	return count;
}

static void test_sliced(struct fixture *m)
{
	struct timespec pause = {.tv_nsec = 300000000};
	struct spinner spinners[SPINNERS], late;
	uint32_t copies = 128, group, queue;
	uint64_t alone = 0;

	while (copies < MAX_COPIES && alone < SECOND_NS / 10) {
		copies *= 2;
		alone = run_copies(m, m->queue, copies);
	}
	ok(alone > 0, "the duration of the copy job alone is measured");
	if (!start_spinners(m, spinners, 10000))
		return;
	nanosleep(&pause, NULL); /* every group has had a time slice */
	uint64_t first = run_copies(m, m->queue, copies);
	/*
	 * A third of that time is shorter than the job takes, and longer than its share of the
	 * engine, one eleventh.
	 */
	uint32_t limit_ms = (uint32_t)(first / 3000000);

	if (!ok(first > 0, "the copy job completes while ten groups compete for the engine") ||
	    !ok(!group_create(m->fd, m->vm, &group) &&
			!queue_create(m->fd, group, COPY, 4, limit_ms, &queue),
		"a group is created whose time limit is a third of that duration"))
		return;
	uint64_t second = run_copies(m, queue, copies);

	ok(second > 0,
	   "a job whose wall time exceeds its limit completes while its engine time does not");
	ok(second > limit_ms * 1000000ull, "that job's wall time exceeded its time limit");
	diag("%u copies: alone %llu ms, shared %llu ms and %llu ms, limit %u ms", copies,
	     (unsigned long long)alone / 1000000, (unsigned long long)first / 1000000,
	     (unsigned long long)second / 1000000, limit_ms);
	uint64_t start = now_ns();

	ok(submit_endless_job(m, 0, 100, &late) && !syncobj_wait(m->fd, late.done, 0, 60) &&
		   queue_state(m->fd, late.queue).state == DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
	   "an endless job on a shared engine is timed out");
	uint64_t took = now_ns() - start;

	ok(took > 5 * 100 * 1000000ull,
	   "the endless job was not timed out before it had used its engine time");
	ok(took < (16 * 100 + 5000) * 1000000ull,
	   "the endless job was timed out within sixteen times its limit");
	diag("the limit of 100 ms expired after %llu ms", (unsigned long long)took / 1000000);
	ok(count_spinners_in_state(m, spinners, DRM_SOVGPU_QUEUE_STATE_USABLE) == SPINNERS,
	   "the competing groups are still usable");
}

static void test_held(struct fixture *m)
{
	struct spinner spinners[SPINNERS];
	uint32_t group, queue;

	if (!start_spinners(m, spinners, 200) ||
	    !ok(!group_create(m->fd, m->vm, &group) &&
			!queue_create(m->fd, group, COPY, 4, 1000, &queue),
		"another group waits for an engine that others hold"))
		return;
	uint64_t took = run_copies(m, queue, 16);

	ok(took > 0, "the waiting group's job completes");
	ok(took > SECOND_NS,
	   "a job that waited longer than its limit for the engine is not timed out");
	ok(count_spinners_in_state(m, spinners, DRM_SOVGPU_QUEUE_STATE_TIMED_OUT) == SPINNERS,
	   "the groups that held the engine were timed out one by one");
	diag("%llu ms", (unsigned long long)took / 1000000);
}

int main(int argc, char **argv)
{
	struct fixture m;

	if (argc != 2 || !fixture_open(&m, COPY))
		return tap_done();
	if (!strcmp(argv[1], "held"))
		test_held(&m);
	else
		test_sliced(&m);
	fixture_close(&m);
	return tap_done();
}
