// SPDX-License-Identifier: MIT
/*
 * FENCE_WAIT: sleeps until a memory word satisfies a comparison, written by the device or by a
 * process, or until the deadline.
 */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define OFFSET MIB

static struct drm_sovgpu_fence_wait for_value(const struct fixture *m, uint64_t value,
					      unsigned milliseconds)
{
	return (struct drm_sovgpu_fence_wait){
		.handle = m->buffer,
		.op = DRM_SOVGPU_FENCE_AT_LEAST,
		.offset = OFFSET,
		.value = value,
		.mask = UINT64_MAX,
		.deadline_ns = (int64_t)(now_ns() + milliseconds * 1000000ull)};
}

static int wait_value(struct fixture *m, struct drm_sovgpu_fence_wait w)
{
	return gpu_ioctl(m->fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void test_comparisons(struct fixture *m)
{
	volatile uint64_t *word = (volatile uint64_t *)(m->memory + OFFSET);
	struct drm_sovgpu_fence_wait w = for_value(m, 0x10, 20);

	*word = 0xff00000000000010;
	ok(!wait_value(m, w), "FENCE_WAIT at-least: a larger value satisfies the wait");
	w.mask = 0xff;
	ok(!wait_value(m, w), "FENCE_WAIT at-least: an equal masked value satisfies the wait");
	w.value = 0x11;
	ok(wait_value(m, w) == -ETIME, "FENCE_WAIT at-least: a smaller masked value is ETIME");
	w = for_value(m, 0x10, 20);
	w.op = DRM_SOVGPU_FENCE_EQUAL;
	ok(wait_value(m, w) == -ETIME, "FENCE_WAIT equal: a difference in other bits is ETIME");
	w.mask = 0xffff;
	w.deadline_ns = 1;
	ok(!wait_value(m, w), "FENCE_WAIT equal: masked bits are ignored, and a satisfied wait "
			      "succeeds after its deadline");
	w.value = 0x11;
	ok(wait_value(m, w) == -ETIME, "FENCE_WAIT with a deadline in the past is ETIME");
	w.deadline_ns = INT64_MIN;
	ok(wait_value(m, w) == -ETIME, "FENCE_WAIT with deadline INT64_MIN is ETIME");
}

static void test_device_write(struct fixture *m)
{
	struct stream s = stream_at(m, 0);

	*(volatile uint64_t *)(m->memory + OFFSET) = 0;
	stream_release(&s, BUFFER_VA + OFFSET, 77);
	struct drm_sovgpu_job job = stream_job(m, &s);

	ok(!queue_submit(m->fd, m->queue, &job, 1, NULL, 0) &&
		   !wait_value(m, for_value(m, 77, 20000)),
	   "a semaphore release by the device ends FENCE_WAIT");
}

static void *write_later(void *argument)
{
	struct timespec pause = {.tv_nsec = 30000000};

	nanosleep(&pause, NULL);
	*(volatile uint64_t *)argument = 99;
	return NULL;
}

static void test_process_write(struct fixture *m)
{
	pthread_t thread;

	*(volatile uint64_t *)(m->memory + OFFSET) = 0;
	pthread_create(&thread, NULL, write_later, m->memory + OFFSET);
	ok(!wait_value(m, for_value(m, 99, 20000)), "a store by another thread ends FENCE_WAIT");
	pthread_join(thread, NULL);
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(fence_wait, handle, 0, -ENOENT, "buffer handle 0"),
		BAD_MEMBER(fence_wait, handle, NO_HANDLE, -ENOENT, "an unallocated buffer handle"),
		BAD_MEMBER(fence_wait, op, 2, -EINVAL, "an undefined comparison"),
		BAD_MEMBER(fence_wait, op, UINT32_MAX, -EINVAL, "comparison 0xffffffff"),
		BAD_MEMBER(fence_wait, offset, 4, -EINVAL, "an unaligned offset"),
		BAD_MEMBER(fence_wait, offset, BUFFER_BYTES, -EINVAL,
			   "an offset beyond the end of the buffer"),
		BAD_MEMBER(fence_wait, offset, UINT64_MAX - 7, -EINVAL, "an offset near 2^64"),
		BAD_MEMBER(fence_wait, mask, 0xf, -EINVAL, "a value with bits outside its mask"),
	};
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_fence_wait good = for_value(&m, 0x10, 20);

	test_comparisons(&m);
	test_device_write(&m);
	test_process_write(&m);
	expect_refused(m.fd, "FENCE_WAIT", DRM_IOCTL_SOVGPU_FENCE_WAIT, &good, rows, COUNT(rows));
	fixture_close(&m);
	return tap_done();
}
