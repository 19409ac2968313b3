/* SPDX-License-Identifier: MIT */
/* QUEUE_DESTROY: a queue stops in the middle of its work, and others of its group go on. */
#include "tests/userspace/kselftest/queue.h"

static void one_of_two(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_sovgpu_sync other_done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct stream hangs = at(m, 0), works = at(m, 4096);
	uint32_t other;

	add_acquire(&hangs, BUFFER_VA + MIB, 1);
	add_release(&works, BUFFER_VA + MIB + 64, 7);
	struct drm_sovgpu_job job = job_of(m, &hangs), other_job = job_of(m, &works);

	ok(!queue_create(m->fd, m->group, COPY, 16, LIMIT_MS, &other),
	   "a second queue is in the group");
	ok(!submit(m->fd, m->queue, &job, 1, &done, 1), "the first has a job that does not end");
	ok(!queue_destroy(m->fd, m->queue), "it is destroyed");
	ok(!wait_for(m->fd, done.handle, 0, 20), "who waits for its job waits no more");
	ok(!submit(m->fd, other, &other_job, 1, &other_done, 1) &&
		   !wait_for(m->fd, other_done.handle, 0, 20) &&
		   *(volatile uint64_t *)(m->memory + MIB + 64) == 7,
	   "the second works");
	ok(queue_state(m->fd, other).state == DRM_SOVGPU_QUEUE_STATE_USABLE, "and is well");
	ok(submit(m->fd, m->queue, &job, 1, NULL, 0) == -ENOENT, "the first is gone");
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(queue_destroy, id, 0, -ENOENT, "no queue"),
		SPOIL(queue_destroy, id, 255, -ENOENT, "a queue that is none"),
		SPOIL(queue_destroy, id, UINT32_MAX, -ENOENT, "the largest number"),
		SPOIL(queue_destroy, pad, 1, -EINVAL, "a pad"),
	};
	int other = open_device();
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_queue_destroy good = {.id = m.queue};

	refuses(m.fd, "QUEUE_DESTROY", DRM_IOCTL_SOVGPU_QUEUE_DESTROY, &good, rows, COUNT(rows));
	ok(queue_destroy(other, m.queue) == -ENOENT, "another file's queue is ENOENT");
	one_of_two(&m);
	machine_close(&m);
	return tap_done();
}
