/* SPDX-License-Identifier: MIT */
/* QUEUE_SUBMIT: jobs run in order, wait for what they are told to, and signal when they are done. */
#include "tests/userspace/kselftest/queue.h"

enum { STREAMS = 0, FLAG = 0x80000, FROM = 0x100000, TO = 0x200000, BYTES = 0x10000 };

static void fill(uint8_t *p, uint32_t seed)
{
	for (uint32_t i = 0; i < BYTES; i++)
		p[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

static void copies(struct machine *m, const char *name)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct stream s = at(m, STREAMS);

	fill(m->memory + FROM, 1);
	memset(m->memory + TO, 0, BYTES);
	add_copy(&s, BUFFER_VA + TO, BUFFER_VA + FROM, BYTES);
	struct drm_sovgpu_job job = job_of(m, &s);

	ok(!submit(m->fd, m->queue, &job, 1, &done, 1), "%s: a job is taken", name);
	ok(wait_for(m->fd, done.handle, 0, 20) == 0, "%s: its syncobj is signalled", name);
	ok(!memcmp(m->memory + TO, m->memory + FROM, BYTES), "%s: the bytes are there", name);
	ok(queue_state(m->fd, m->queue).state == DRM_SOVGPU_QUEUE_STATE_USABLE, "%s: the queue is well", name);
}

int main(void)
{
	struct machine m;

	if (!machine_open(&m, COPY))
		return tap_done();
	copies(&m, "copy queue");
	machine_close(&m);
	if (!machine_open(&m, COMPUTE))
		return tap_done();
	copies(&m, "compute queue");
	machine_close(&m);
	return tap_done();
}
