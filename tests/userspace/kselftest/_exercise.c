/* SPDX-License-Identifier: MIT */
/*
 * A little of everything, on a card that may go wrong at any moment: memory, an address space, queues, copies, a fault. What
 * comes of each is all the same; that each call comes back, and within its time, is what counts. Says how many were done.
 */
#include "tests/userspace/kselftest/queue.h"

int main(void)
{
	struct machine m = {.fd = open_device()};
	unsigned done = 0, calls = 0;
	uint32_t vram, second, handle;

#define TRY(call) (calls++, done += !(call))
	alarm(120); /* a call that never comes back is the one mistake */
	TRY(create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer));
	m.memory = map(m.fd, m.buffer, BUFFER_BYTES);
	TRY(create(m.fd, VRAM, 4 * MIB, MAPPABLE, &vram));
	TRY(vm_create(m.fd, &m.vm));
	TRY(vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES));
	TRY(vm_map(m.fd, m.vm, vram, 0, 2 * GIB, 4 * MIB));
	TRY(group_create(m.fd, m.vm, &m.group));
	TRY(queue_create(m.fd, m.group, COPY, 16, 1000, &m.queue));
	TRY(queue_create(m.fd, m.group, COMPUTE, 16, 1000, &second));
	for (int i = 0; m.memory != MAP_FAILED && i < 3; i++) {
		struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m.fd), 0};
		struct stream s = at(&m, 0);

		/* To memory, to video memory, to nowhere. */
		add_copy(&s,
			 i == 0   ? BUFFER_VA + MIB
			 : i == 1 ? 2 * GIB
				  : 3 * GIB,
			 BUFFER_VA, 4096);
		struct drm_sovgpu_job job = job_of(&m, &s);

		TRY(submit(m.fd, i == 1 ? second : m.queue, &job, 1, &sync, 1));
		TRY(wait_for(m.fd, sync.handle, 0, 20));
	}
	TRY(vm_unmap(m.fd, m.vm, 2 * GIB, 4 * MIB));
	TRY(queue_destroy(m.fd, second));
	TRY(group_destroy(m.fd, m.group));
	TRY(vm_destroy(m.fd, m.vm));
	TRY(create(m.fd, VRAM, VRAM_PAGE, 0, &handle));
	printf("# %u of %u calls succeed\n", done, calls);
	return 0;
}
