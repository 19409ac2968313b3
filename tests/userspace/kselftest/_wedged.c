/* SPDX-License-Identifier: MIT */
/*
 * A card whose firmware does not free a channel when it is told to: what runs there may run on. Whoever waits
 * for it waits no more, nothing can be made on the card any more (EIO), and video memory that is given back is
 * not handed out again.
 */
#include <poll.h>

#include "tests/userspace/kselftest/queue.h"

enum { VRAM_VA_GIB = 2 };

static bool signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* Work that waits for a word of video memory. */
static int endless(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = at(m, 0);

	add_acquire(&s, VRAM_VA_GIB * GIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       call(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

static void nothing_new(struct machine *m)
{
	struct drm_sovgpu_vm_bind_op op = {.handle = m->buffer, .va = 4 * GIB, .size = MIB};
	uint32_t id;

	ok(create(m->fd, VRAM, 65536, 0, &id) == -EIO &&
		   create(m->fd, SYSTEM, 65536, 0, &id) == -EIO,
	   "BO_CREATE is EIO");
	ok(vm_create(m->fd, &id) == -EIO, "VM_CREATE is EIO");
	ok(group_create(m->fd, m->vm, &id) == -EIO, "GROUP_CREATE is EIO");
	ok(queue_create(m->fd, m->group, COPY, 16, LIMIT_MS, &id) == -EIO, "QUEUE_CREATE is EIO");
	ok(vm_bind(m->fd, m->vm, &op, 1, NULL) == -EIO, "VM_BIND is EIO");
}

int main(void)
{
	struct timespec pause = {.tv_nsec = 100000000};
	struct machine m, other;
	uint32_t vram, spare;

	if (!machine_open(&m, COPY) || !machine_open(&other, COMPUTE))
		return tap_done();
	ok(!create(m.fd, VRAM, MIB, 0, &vram) && !create(m.fd, VRAM, MIB, 0, &spare) &&
		   !vm_map(m.fd, m.vm, vram, 0, VRAM_VA_GIB * GIB, MIB),
	   "there is video memory");
	int fence = endless(&m);

	ok(fence >= 0 && !signalled(fence), "it has work that does not end");
	ok(!queue_destroy(m.fd, m.queue), "its queue is destroyed, which the firmware does not do");
	ok(signalled(fence), "who waits for that work waits no more");
	nothing_new(&m);
	for (int i = 0; i < 100 && !queue_state(other.fd, other.queue).state; i++)
		nanosleep(&pause, NULL);
	ok(queue_state(other.fd, other.queue).state == DRM_SOVGPU_QUEUE_STATE_INNOCENT,
	   "queues of others are stopped");
	uint64_t left = free_vram(m.fd);

	forget(m.fd, spare);
	forget(m.fd, vram);
	vm_destroy(m.fd, m.vm);
	group_destroy(m.fd, m.group);
	ok(free_vram(m.fd) == left, "video memory that is given back is nobody's");
	close(fence);
	machine_close(&m);
	machine_close(&other);
	return tap_done();
}
