/* SPDX-License-Identifier: MIT */
/*
 * The machine is sent to sleep, for a few seconds and as far as drivers see it (/sys/power/pm_test).
 * Sleep is EBUSY, whether a queue has work (_sleep busy) or nobody uses the card (_sleep idle).
 */
#include "tests/userspace/kselftest/queue.h"

/* 0 or a negative errno. */
static int sleep_now(void)
{
	int fd = open("/sys/power/state", O_WRONLY);
	int status = fd < 0 || write(fd, "freeze", 6) != 6 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return status;
}

static void busy(void)
{
	struct machine m;

	if (!machine_open(&m, COPY))
		return;
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m.fd), 0};
	volatile uint64_t *flag = (volatile uint64_t *)(m.memory + MIB);
	struct stream s = at(&m, 0);

	queue_destroy(m.fd, m.queue);
	queue_create(m.fd, m.group, COPY, 16, 10000, &m.queue);
	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(&m, &s);

	ok(!submit(m.fd, m.queue, &job, 1, &done, 1), "a queue has work");
	ok(sleep_now() == -EBUSY, "sleep is refused: EBUSY");
	*flag = 1;
	ok(!wait_for(m.fd, done.handle, 0, 20) && !queue_state(m.fd, m.queue).state, "the work goes on and ends");
	machine_close(&m);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "busy"))
		busy();
	else
		ok(sleep_now() == -EBUSY, "a card that nobody uses refuses sleep, too: EBUSY");
	return tap_done();
}
