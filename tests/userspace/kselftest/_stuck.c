/* SPDX-License-Identifier: MIT */
/*
 * Work that hangs, on a card that needs a second to stop it (sovgpu-model --stop): eight groups of a file end in about
 * the time of one, when the file is closed and when their time is over.
 */
#include "tests/userspace/kselftest/queue.h"

enum { GROUPS = 8, STOP_MS = 1000 };

static bool hang(struct machine *m, uint32_t limit_ms, uint32_t *fences)
{
	struct stream s = at(m, 0);
	uint32_t made = 0;

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	for (bool good = true; good && made < GROUPS; made += good) {
		struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
		uint32_t group, queue;

		fences[made] = done.handle;
		good = !group_create(m->fd, m->vm, &group) &&
		       !queue_create(m->fd, group, COPY, 4, limit_ms, &queue) && !submit(m->fd, queue, &job, 1, &done, 1);
	}
	return ok(made == GROUPS, "eight groups have work that does not end");
}

int main(void)
{
	struct timespec pause = {.tv_nsec = 100000000};
	uint32_t fences[GROUPS];
	struct machine m;

	if (!machine_open(&m, COPY) || !hang(&m, 10000, fences))
		return tap_done();
	nanosleep(&pause, NULL);
	munmap(m.memory, BUFFER_BYTES);
	uint64_t start = now_ns();

	close(m.fd);
	uint64_t took = (now_ns() - start) / 1000000;

	ok(took >= STOP_MS, "closing their file takes as long as it takes to stop one");
	ok(took < 4 * STOP_MS, "and not as long as to stop each");
	diag("%llu ms", (unsigned long long)took);
	/* Side by side they use up their time together: eight times 50 ms. */
	if (!machine_open(&m, COPY) || !hang(&m, 50, fences))
		return tap_done();
	bool good = true;

	start = now_ns();
	for (uint32_t i = 0; i < GROUPS; i++)
		good = good && !wait_for(m.fd, fences[i], 0, 60);
	took = (now_ns() - start) / 1000000;
	ok(good, "their time is over, and all are ended");
	ok(took < 5 * STOP_MS, "also together");
	diag("%llu ms", (unsigned long long)took);
	machine_close(&m);
	return tap_done();
}
