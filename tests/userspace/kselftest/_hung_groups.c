// SPDX-License-Identifier: MIT
/*
 * Hung work on a card that needs a second to stop a group (sovgpu-model --stop): eight hung groups
 * of a file must stop in about the time of one, both when the file is closed and when they time
 * out. Closing a file takes machine-dependent time, so the test compares with the close of a file
 * without work.
 */
#include "tests/userspace/kselftest/queue.h"

enum { GROUPS = 8, STOP_MS = 1000 };

/* Creates eight groups, each with an endless job if `fences` is given. */
static bool create_groups(struct fixture *m, uint32_t limit_ms, uint32_t *fences)
{
	struct stream s = stream_at(m, 0);
	uint32_t made = 0;

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	for (bool good = true; good && made < GROUPS; made += good) {
		struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
		uint32_t group, queue;

		good = !group_create(m->fd, m->vm, &group) &&
		       !queue_create(m->fd, group, COPY, 4, limit_ms, &queue);
		if (good && fences) {
			fences[made] = done.handle;
			good = !queue_submit(m->fd, queue, &job, 1, &done, 1);
		}
	}
	return ok(made == GROUPS, "eight groups are created%s",
		  fences ? ", each with an endless job" : "");
}

static uint64_t timed_close_ms(struct fixture *m)
{
	struct timespec pause = {.tv_nsec = 100000000};

	nanosleep(&pause, NULL);
	munmap(m->memory, BUFFER_BYTES);
	uint64_t start = now_ns();

	close(m->fd);
	return (now_ns() - start) / 1000000;
}

int main(void)
{
	uint32_t fences[GROUPS];
	struct fixture m;

	if (!fixture_open(&m, COPY) || !create_groups(&m, 10000, NULL))
		return tap_done();
	uint64_t idle = timed_close_ms(&m);

	ok(idle < GROUPS * STOP_MS, "closing a file with eight idle groups is quick");
	if (!fixture_open(&m, COPY) || !create_groups(&m, 10000, fences))
		return tap_done();
	uint64_t took = timed_close_ms(&m);

	ok(took >= STOP_MS,
	   "closing a file with eight hung groups takes at least the time to stop one");
	ok(took < 2 * idle + 3 * STOP_MS,
	   "eight hung groups are stopped concurrently when their file is closed");
	diag("%llu ms, %llu ms without work", (unsigned long long)took, (unsigned long long)idle);
	/* They share the engine, so they reach their limits together, after eight times 50 ms. */
	if (!fixture_open(&m, COPY) || !create_groups(&m, 50, fences))
		return tap_done();
	bool good = true;

	uint64_t start = now_ns();

	for (uint32_t i = 0; i < GROUPS; i++)
		good = good && !syncobj_wait(m.fd, fences[i], 0, 60);
	took = (now_ns() - start) / 1000000;
	ok(good, "all eight hung groups time out");
	ok(took < 5 * STOP_MS, "eight hung groups are stopped concurrently when they time out");
	diag("%llu ms", (unsigned long long)took);
	fixture_close(&m);
	return tap_done();
}
