// SPDX-License-Identifier: MIT
/*
 * A card whose firmware does not free a channel is wedged and, with recover=1, reset without an
 * administrator: the old file gets ENODEV, and a new one works.
 */
#include <time.h>

#include "tests/userspace/kselftest/queue.h"

static int submit_endless_job(struct fixture *m)
{
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + 0x100000, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, NULL, 0);
}

/* Polls until a new file can allocate memory; the time limit only bounds a failure. */
static bool comes_back(void)
{
	struct timespec pause = {.tv_nsec = 100000000};

	for (int i = 0; i < 6000; i++) {
		uint32_t buffer;
		int fd = open_device();
		bool works = fd >= 0 && !bo_create(fd, VRAM, MIB, 0, &buffer);

		if (fd >= 0)
			close(fd);
		if (works)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

int main(void)
{
	struct fixture m;
	uint32_t buffer;

	if (!fixture_open(&m, COPY))
		return tap_done();
	ok(!submit_endless_job(&m), "an endless job is submitted");
	ok(!queue_destroy(m.fd, m.queue), "its queue is destroyed, and the card is wedged");
	for (int i = 0; i < 6000 && bo_create(m.fd, VRAM, MIB, 0, &buffer) == -EIO; i++)
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	ok(bo_create(m.fd, VRAM, MIB, 0, &buffer) == -ENODEV,
	   "a file that was open before the reset gets ENODEV");
	fixture_close(&m);
	ok(comes_back(), "the card works again without an administrator");
	return tap_done();
}
