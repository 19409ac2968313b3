/* SPDX-License-Identifier: MIT */
/* GROUP_DESTROY: the queues of a group stop with it, and what waits for their jobs hears of it. */
#include "tests/userspace/kselftest/queue.h"

/* A job that waits for a value which nobody writes. */
static void running(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct stream s = at(m, 0);

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	ok(!submit(m->fd, m->queue, &job, 1, &done, 1), "a job is under way that does not end");
	ok(!group_destroy(m->fd, m->group), "its group is destroyed");
	ok(!wait_for(m->fd, done.handle, 0, 20), "who waits for the job waits no more");
	ok(queue_state(m->fd, m->queue).state == DRM_SOVGPU_QUEUE_STATE_INNOCENT,
	   "the queue is stopped, innocent");
	ok(submit(m->fd, m->queue, &job, 1, NULL, 0) == -ECANCELED, "it takes no job: ECANCELED");
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(group_destroy, id, 0, -ENOENT, "no group"),
		SPOIL(group_destroy, id, 63, -ENOENT, "a group that is none"),
		SPOIL(group_destroy, id, UINT32_MAX, -ENOENT, "the largest number"),
		SPOIL(group_destroy, pad, 1, -EINVAL, "a pad"),
	};
	int other = open_device();
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_group_destroy good = {.id = m.group};
	uint32_t queue;

	refuses(m.fd, "GROUP_DESTROY", DRM_IOCTL_SOVGPU_GROUP_DESTROY, &good, rows, COUNT(rows));
	ok(group_destroy(other, m.group) == -ENOENT, "another file's group is ENOENT");
	running(&m);
	ok(group_destroy(m.fd, m.group) == -ENOENT, "what is destroyed is gone");
	ok(queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &queue) == -ENOENT,
	   "no queue comes into it");
	ok(!queue_destroy(m.fd, m.queue), "its queue can still be given up");
	machine_close(&m);
	return tap_done();
}
