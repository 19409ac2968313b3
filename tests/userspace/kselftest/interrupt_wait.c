/* SPDX-License-Identifier: MIT */
/* INTERRUPT_WAIT: sleeps until a command stream interrupts, whoever's it is, and not beyond its deadline. */
#include "tests/userspace/kselftest/queue.h"

static int wait_interrupt(int fd, uint32_t *count, unsigned seconds)
{
	struct drm_sovgpu_interrupt_wait w = {
		.count = *count, .deadline_ns = (int64_t)(now_ns() + seconds * SECOND_NS)};
	int status = call(fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &w);

	*count = w.count;
	return status;
}

int main(void)
{
	static const struct spoiled rows[] = {
		SPOIL(interrupt_wait, pad, 1, -EINVAL, "a pad"),
		SPOIL(interrupt_wait, deadline_ns, 0, -ETIME, "a deadline long ago"),
		SPOIL(interrupt_wait, deadline_ns, UINT64_C(1) << 63, -ETIME,
		      "one before the beginning"),
	};
	struct drm_sovgpu_interrupt_wait good = {0};
	uint32_t count = 0, before;
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	int other = open_device();
	struct stream s = at(&m, 0);

	add_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(&m, &s);

	for (int i = 0; i < 100 && !wait_interrupt(m.fd, &count, 0); i++)
		; /* what came before */
	before = count;
	ok(wait_interrupt(m.fd, &count, 0) == -ETIME && count == before,
	   "without an interrupt it is ETIME at the deadline");
	good.count = count;
	refuses(m.fd, "INTERRUPT_WAIT", DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &good, rows, COUNT(rows));
	ok(!submit(m.fd, m.queue, &job, 1, NULL, 0), "a job with an interrupt");
	ok(!wait_interrupt(other, &count, 20) && count != before,
	   "a call of any file returns with it");
	good.count = before;
	good.deadline_ns = INT64_MAX;
	ok(!call(m.fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &good) && good.count != before,
	   "who has not seen it returns at once, however late its deadline");
	close(other);
	machine_close(&m);
	return tap_done();
}
