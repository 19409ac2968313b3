// SPDX-License-Identifier: MIT
/*
 * A card whose firmware does not free a channel on request, so the channel's work may still be
 * running: the driver declares the card wedged. Fences signal, creating anything is EIO, and freed
 * VRAM is not allocated again.
 */
#include <poll.h>

#include "tests/userspace/kselftest/queue.h"

enum { VRAM_VA_GIB = 2 };

static bool is_signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* A job that waits for a value in VRAM which is never written. */
static int submit_endless_job(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, VRAM_VA_GIB * GIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

static void expect_creation_refused(struct fixture *m)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = m->buffer, .va = 4 * GIB, .size = MIB};
	uint32_t id;

	ok(bo_create(m->fd, VRAM, 65536, 0, &id) == -EIO &&
		   bo_create(m->fd, SYSTEM, 65536, 0, &id) == -EIO,
	   "BO_CREATE on a wedged card is EIO");
	ok(vm_create(m->fd, &id) == -EIO, "VM_CREATE on a wedged card is EIO");
	ok(group_create(m->fd, m->vm, &id) == -EIO, "GROUP_CREATE on a wedged card is EIO");
	ok(queue_create(m->fd, m->group, COPY, 16, LIMIT_MS, &id) == -EIO,
	   "QUEUE_CREATE on a wedged card is EIO");
	ok(vm_bind(m->fd, m->vm, &op, 1, NULL) == -EIO, "VM_BIND on a wedged card is EIO");
}

int main(void)
{
	struct timespec pause = {.tv_nsec = 100000000};
	struct fixture m, other;
	uint32_t vram, spare;

	if (!fixture_open(&m, COPY) || !fixture_open(&other, COMPUTE))
		return tap_done();
	ok(!bo_create(m.fd, VRAM, MIB, 0, &vram) && !bo_create(m.fd, VRAM, MIB, 0, &spare) &&
		   !vm_map(m.fd, m.vm, vram, 0, VRAM_VA_GIB * GIB, MIB),
	   "VRAM buffers are created and mapped");
	int fence = submit_endless_job(&m);

	ok(fence >= 0 && !is_signalled(fence), "an endless job is submitted");
	ok(!queue_destroy(m.fd, m.queue),
	   "QUEUE_DESTROY succeeds although the firmware does not free the channel");
	ok(is_signalled(fence),
	   "the fence of the pending job signals when the card is declared wedged");
	expect_creation_refused(&m);
	for (int i = 0; i < 100 && !queue_state(other.fd, other.queue).state; i++)
		nanosleep(&pause, NULL);
	ok(queue_state(other.fd, other.queue).state == DRM_SOVGPU_QUEUE_STATE_INNOCENT,
	   "queues of other files on a wedged card are stopped");
	uint64_t left = free_vram_bytes(m.fd);

	bo_close(m.fd, spare);
	bo_close(m.fd, vram);
	vm_destroy(m.fd, m.vm);
	group_destroy(m.fd, m.group);
	ok(free_vram_bytes(m.fd) == left,
	   "VRAM freed on a wedged card is not returned to the allocator");
	close(fence);
	fixture_close(&m);
	fixture_close(&other);
	return tap_done();
}
