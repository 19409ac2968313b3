/* SPDX-License-Identifier: MIT */
/* FENCE_WAIT: sleeps until memory has a value, by the device's hand or a process's, or until a deadline. */
#include <pthread.h>

#include "tests/userspace/kselftest/queue.h"

#define OFFSET MIB

static struct drm_sovgpu_fence_wait for_value(const struct machine *m, uint64_t value,
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

static int wait_value(struct machine *m, struct drm_sovgpu_fence_wait w)
{
	return call(m->fd, DRM_IOCTL_SOVGPU_FENCE_WAIT, &w);
}

static void comparisons(struct machine *m)
{
	volatile uint64_t *word = (volatile uint64_t *)(m->memory + OFFSET);
	struct drm_sovgpu_fence_wait w = for_value(m, 0x10, 20);

	*word = 0xff00000000000010;
	ok(!wait_value(m, w), "at least: a larger value is there");
	w.mask = 0xff;
	ok(!wait_value(m, w), "at least: the same under a mask");
	w.value = 0x11;
	ok(wait_value(m, w) == -ETIME, "at least: a smaller one is not");
	w = for_value(m, 0x10, 20);
	w.op = DRM_SOVGPU_FENCE_EQUAL;
	ok(wait_value(m, w) == -ETIME, "equal: other bits count");
	w.mask = 0xffff;
	w.deadline_ns = 1;
	ok(!wait_value(m, w),
	   "equal: unless they are masked, and a value that is there needs no time");
	w.value = 0x11;
	ok(wait_value(m, w) == -ETIME, "a deadline that is over is ETIME");
	w.deadline_ns = INT64_MIN;
	ok(wait_value(m, w) == -ETIME, "so is the earliest");
}

static void by_the_device(struct machine *m)
{
	struct stream s = at(m, 0);

	*(volatile uint64_t *)(m->memory + OFFSET) = 0;
	add_release(&s, BUFFER_VA + OFFSET, 77);
	struct drm_sovgpu_job job = job_of(m, &s);

	ok(!submit(m->fd, m->queue, &job, 1, NULL, 0) && !wait_value(m, for_value(m, 77, 20000)),
	   "the device writes a value that is waited for");
}

static void *write_later(void *argument)
{
	struct timespec pause = {.tv_nsec = 30000000};

	nanosleep(&pause, NULL);
	*(volatile uint64_t *)argument = 99;
	return NULL;
}

static void by_a_process(struct machine *m)
{
	pthread_t thread;

	*(volatile uint64_t *)(m->memory + OFFSET) = 0;
	pthread_create(&thread, NULL, write_later, m->memory + OFFSET);
	ok(!wait_value(m, for_value(m, 99, 20000)), "a thread writes a value that is waited for");
	pthread_join(thread, NULL);
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(fence_wait, handle, 0, -ENOENT, "no buffer"),
		SPOIL(fence_wait, handle, NO_HANDLE, -ENOENT, "a buffer that is none"),
		SPOIL(fence_wait, op, 2, -EINVAL, "an unknown comparison"),
		SPOIL(fence_wait, op, UINT32_MAX, -EINVAL, "the last comparison"),
		SPOIL(fence_wait, offset, 4, -EINVAL, "an odd offset"),
		SPOIL(fence_wait, offset, BUFFER_BYTES, -EINVAL, "an offset beyond the buffer"),
		SPOIL(fence_wait, offset, UINT64_MAX - 7, -EINVAL, "the largest offset"),
		SPOIL(fence_wait, mask, 0xf, -EINVAL, "a value outside of its mask"),
	};
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	const struct drm_sovgpu_fence_wait good = for_value(&m, 0x10, 20);

	comparisons(&m);
	by_the_device(&m);
	by_a_process(&m);
	refuses(m.fd, "FENCE_WAIT", DRM_IOCTL_SOVGPU_FENCE_WAIT, &good, rows, COUNT(rows));
	machine_close(&m);
	return tap_done();
}
