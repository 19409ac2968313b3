// SPDX-License-Identifier: MIT
/* GROUP_DESTROY: stops the queues of a group and signals the fences of their jobs. */
#include "tests/userspace/kselftest/queue.h"

/* Destroys a group while a job waits for a value that is never written. */
static void test_destroy_with_running_job(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	ok(!queue_submit(m->fd, m->queue, &job, 1, &done, 1), "an endless job is submitted");
	ok(!group_destroy(m->fd, m->group), "a group with a running job is destroyed");
	ok(!syncobj_wait(m->fd, done.handle, 0, 20),
	   "GROUP_DESTROY signals the fence of the running job");
	ok(queue_state(m->fd, m->queue).state == DRM_SOVGPU_QUEUE_STATE_INNOCENT,
	   "a queue of a destroyed group is in state innocent");
	ok(queue_submit(m->fd, m->queue, &job, 1, NULL, 0) == -ECANCELED,
	   "QUEUE_SUBMIT to a queue of a destroyed group is ECANCELED");
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(group_destroy, id, 0, -ENOENT, "group ID 0"),
		BAD_MEMBER(group_destroy, id, 63, -ENOENT, "an unallocated group ID"),
		BAD_MEMBER(group_destroy, id, UINT32_MAX, -ENOENT, "ID 0xffffffff"),
		BAD_MEMBER(group_destroy, pad, 1, -EINVAL, "a nonzero pad"),
	};
	int other = open_device();
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_group_destroy good = {.id = m.group};
	uint32_t queue;

	expect_refused(m.fd, "GROUP_DESTROY", DRM_IOCTL_SOVGPU_GROUP_DESTROY, &good, rows,
		       COUNT(rows));
	ok(group_destroy(other, m.group) == -ENOENT,
	   "GROUP_DESTROY of another file's group is ENOENT");
	test_destroy_with_running_job(&m);
	ok(group_destroy(m.fd, m.group) == -ENOENT, "GROUP_DESTROY of a destroyed group is ENOENT");
	ok(queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &queue) == -ENOENT,
	   "QUEUE_CREATE in a destroyed group is ENOENT");
	ok(!queue_destroy(m.fd, m.queue), "a queue is destroyed after its group");
	fixture_close(&m);
	return tap_done();
}
