/* SPDX-License-Identifier: MIT */
/*
 * Work that hangs, on a card that needs a second to stop it (sovgpu-model --stop): eight groups of a file end in about
 * the time of one, when the file is closed and when their time is over. Closing a file takes its own time, which depends on
 * the machine, so that of one without work is what it is compared with.
 */
#include "tests/userspace/kselftest/queue.h"

enum { GROUPS = 8, STOP_MS = 1000 };

/* Eight groups with a job that does not end; without fences there is no job. */
static bool hang(struct machine *m, uint32_t limit_ms, uint32_t *fences)
{
	struct stream s = at(m, 0);
	uint32_t made = 0;

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	for (bool good = true; good && made < GROUPS; made += good) {
		struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
		uint32_t group, queue;

		good = !group_create(m->fd, m->vm, &group) &&
		       !queue_create(m->fd, group, COPY, 4, limit_ms, &queue);
		if (good && fences) {
			fences[made] = done.handle;
			good = !submit(m->fd, queue, &job, 1, &done, 1);
		}
	}
	return ok(made == GROUPS, "there are eight groups%s",
		  fences ? ", which have work that does not end" : "");
}

static uint64_t close_ms(struct machine *m)
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
	struct machine m;

	if (!machine_open(&m, COPY) || !hang(&m, 10000, NULL))
		return tap_done();
	uint64_t idle = close_ms(&m);

	ok(idle < GROUPS * STOP_MS, "closing their file is quick when they have no work");
	if (!machine_open(&m, COPY) || !hang(&m, 10000, fences))
		return tap_done();
	uint64_t took = close_ms(&m);

	ok(took >= STOP_MS, "closing their file takes as long as it takes to stop one");
	ok(took < 2 * idle + 3 * STOP_MS, "and not as long as to stop each");
	diag("%llu ms, %llu ms without work", (unsigned long long)took, (unsigned long long)idle);
	/* Side by side they use up their time together: eight times 50 ms. */
	if (!machine_open(&m, COPY) || !hang(&m, 50, fences))
		return tap_done();
	bool good = true;

	uint64_t start = now_ns();

	for (uint32_t i = 0; i < GROUPS; i++)
		good = good && !wait_for(m.fd, fences[i], 0, 60);
	took = (now_ns() - start) / 1000000;
	ok(good, "their time is over, and all are ended");
	ok(took < 5 * STOP_MS, "also together");
	diag("%llu ms", (unsigned long long)took);
	machine_close(&m);
	return tap_done();
}
