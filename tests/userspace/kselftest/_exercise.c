// SPDX-License-Identifier: MIT
/*
 * Makes a few calls of every kind (memory, address space, queues, copies, a fault) on a card that
 * may fail at any moment. Any result is accepted, but every call must return in time. Prints how
 * many calls succeeded.
 */
#include "tests/userspace/kselftest/queue.h"

int main(void)
{
	struct fixture m = {.fd = open_device()};
	unsigned done = 0, calls = 0;
	uint32_t vram, second, handle;

#define TRY(call) (calls++, done += !(call))
	alarm(120); /* only a call that never returns is a failure */
	TRY(bo_create(m.fd, SYSTEM, BUFFER_BYTES, MAPPABLE, &m.buffer));
	m.memory = bo_map(m.fd, m.buffer, BUFFER_BYTES);
	TRY(bo_create(m.fd, VRAM, 4 * MIB, MAPPABLE, &vram));
	TRY(vm_create(m.fd, &m.vm));
	TRY(vm_map(m.fd, m.vm, m.buffer, 0, BUFFER_VA, BUFFER_BYTES));
	TRY(vm_map(m.fd, m.vm, vram, 0, 2 * GIB, 4 * MIB));
	TRY(group_create(m.fd, m.vm, &m.group));
	TRY(queue_create(m.fd, m.group, COPY, 16, 1000, &m.queue));
	TRY(queue_create(m.fd, m.group, COMPUTE, 16, 1000, &second));
	for (int i = 0; m.memory != MAP_FAILED && i < 3; i++) {
		struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m.fd), 0};
		struct stream s = stream_at(&m, 0);

		/* Copies to system memory, to VRAM, and to an unmapped address. */
		stream_copy(&s,
			    i == 0   ? BUFFER_VA + MIB
			    : i == 1 ? 2 * GIB
				     : 3 * GIB,
			    BUFFER_VA, 4096);
		struct drm_sovgpu_job job = stream_job(&m, &s);

		TRY(queue_submit(m.fd, i == 1 ? second : m.queue, &job, 1, &sync, 1));
		TRY(syncobj_wait(m.fd, sync.handle, 0, 20));
	}
	TRY(vm_unmap(m.fd, m.vm, 2 * GIB, 4 * MIB));
	TRY(queue_destroy(m.fd, second));
	TRY(group_destroy(m.fd, m.group));
	TRY(vm_destroy(m.fd, m.vm));
	TRY(bo_create(m.fd, VRAM, VRAM_PAGE, 0, &handle));
	printf("# %u of %u calls succeed\n", done, calls);
	return 0;
}
