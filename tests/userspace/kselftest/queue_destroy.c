// SPDX-License-Identifier: MIT
/* QUEUE_DESTROY: stops a queue in the middle of a job; other queues of its group continue. */
#include "tests/userspace/kselftest/queue.h"

static void test_destroy_one_of_two(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_sovgpu_sync other_done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct stream hangs = stream_at(m, 0), works = stream_at(m, 4096);
	uint32_t other;

	stream_acquire(&hangs, BUFFER_VA + MIB, 1);
	stream_release(&works, BUFFER_VA + MIB + 64, 7);
	struct drm_sovgpu_job job = stream_job(m, &hangs), other_job = stream_job(m, &works);

	ok(!queue_create(m->fd, m->group, COPY, 16, LIMIT_MS, &other),
	   "a second queue is created in the group");
	ok(!queue_submit(m->fd, m->queue, &job, 1, &done, 1),
	   "an endless job is submitted to the first queue");
	ok(!queue_destroy(m->fd, m->queue), "a queue with a running job is destroyed");
	ok(!syncobj_wait(m->fd, done.handle, 0, 20),
	   "QUEUE_DESTROY signals the fence of the running job");
	ok(!queue_submit(m->fd, other, &other_job, 1, &other_done, 1) &&
		   !syncobj_wait(m->fd, other_done.handle, 0, 20) &&
		   *(volatile uint64_t *)(m->memory + MIB + 64) == 7,
	   "a job on the group's other queue completes after QUEUE_DESTROY");
	ok(queue_state(m->fd, other).state == DRM_SOVGPU_QUEUE_STATE_USABLE,
	   "the group's other queue is usable after QUEUE_DESTROY");
	ok(queue_submit(m->fd, m->queue, &job, 1, NULL, 0) == -ENOENT,
	   "QUEUE_SUBMIT to a destroyed queue is ENOENT");
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(queue_destroy, id, 0, -ENOENT, "queue ID 0"),
		BAD_MEMBER(queue_destroy, id, 255, -ENOENT, "an unallocated queue ID"),
		BAD_MEMBER(queue_destroy, id, UINT32_MAX, -ENOENT, "ID 0xffffffff"),
		BAD_MEMBER(queue_destroy, pad, 1, -EINVAL, "a nonzero pad"),
	};
	int other = open_device();
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_queue_destroy good = {.id = m.queue};

	expect_refused(m.fd, "QUEUE_DESTROY", DRM_IOCTL_SOVGPU_QUEUE_DESTROY, &good, rows,
		       COUNT(rows));
	ok(queue_destroy(other, m.queue) == -ENOENT,
	   "QUEUE_DESTROY of another file's queue is ENOENT");
	test_destroy_one_of_two(&m);
	fixture_close(&m);
	return tap_done();
}
