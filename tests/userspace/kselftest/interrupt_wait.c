// SPDX-License-Identifier: MIT
/*
 * INTERRUPT_WAIT: sleeps until a command stream of any file raises an interrupt, or until the
 * deadline.
 */
#include "tests/userspace/kselftest/queue.h"

static int wait_interrupt(int fd, uint32_t *count, unsigned seconds)
{
	struct drm_sovgpu_interrupt_wait w = {
		.count = *count, .deadline_ns = (int64_t)(now_ns() + seconds * SECOND_NS)};
	int status = gpu_ioctl(fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &w);

	*count = w.count;
	return status;
}

int main(void)
{
	static const struct bad_member rows[] = {
		BAD_MEMBER(interrupt_wait, pad, 1, -EINVAL, "a nonzero pad"),
		BAD_MEMBER(interrupt_wait, deadline_ns, 0, -ETIME, "a deadline in the past"),
		BAD_MEMBER(interrupt_wait, deadline_ns, UINT64_C(1) << 63, -ETIME,
			   "a negative deadline"),
	};
	struct drm_sovgpu_interrupt_wait good = {0};
	uint32_t count = 0, before;
	struct fixture m;

	if (!fixture_open(&m, COPY))
		return tap_done();
	int other = open_device();
	struct stream s = stream_at(&m, 0);

	stream_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(&m, &s);

	for (int i = 0; i < 100 && !wait_interrupt(m.fd, &count, 0); i++)
		; /* consume earlier interrupts */
	before = count;
	ok(wait_interrupt(m.fd, &count, 0) == -ETIME && count == before,
	   "INTERRUPT_WAIT without an interrupt is ETIME at its deadline");
	good.count = count;
	expect_refused(m.fd, "INTERRUPT_WAIT", DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &good, rows,
		       COUNT(rows));
	ok(!queue_submit(m.fd, m.queue, &job, 1, NULL, 0),
	   "a job that raises an interrupt is submitted");
	ok(!wait_interrupt(other, &count, 20) && count != before,
	   "an interrupt ends INTERRUPT_WAIT of another file");
	good.count = before;
	good.deadline_ns = INT64_MAX;
	ok(!gpu_ioctl(m.fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &good) && good.count != before,
	   "INTERRUPT_WAIT with an outdated count returns immediately");
	close(other);
	fixture_close(&m);
	return tap_done();
}
