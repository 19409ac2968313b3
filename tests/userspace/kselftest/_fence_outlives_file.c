// SPDX-License-Identifier: MIT
/*
 * A fence outlives the file that created it: while a descriptor for it is open, its status can be
 * queried, and the module is either still loaded or not needed for that. Once the fence is freed,
 * the module can be unloaded.
 */
#include <linux/sync_file.h>
#include <sys/syscall.h>

#include "tests/userspace/kselftest/queue.h"

static int try_unload_module(void)
{
	return syscall(SYS_delete_module, "sovgpu", O_NONBLOCK) ? -errno : 0;
}

/* A sync_file with the fence of a completed job, or -1. */
static int create_signalled_fence(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = stream_at(m, 0);

	stream_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       syncobj_wait(m->fd, done.handle, 0, 20) ||
			       gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

int main(void)
{
	struct sync_fence_info fence = {0};
	struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
	struct fixture m;

	if (!fixture_open(&m, COMPUTE))
		return tap_done();
	int file = create_signalled_fence(&m);

	ok(file >= 0, "a sync_file for a signalled fence is open");
	fixture_close(&m);
	int status = try_unload_module();

	ok(!status || status == -EWOULDBLOCK || status == -EBUSY,
	   "unloading the module succeeds or reports that it is in use");
	diag("%s", status ? strerror(-status) : "the module was unloaded");
	ok(!gpu_ioctl(file, SYNC_IOC_FILE_INFO, &info) && info.status == 1 && fence.status == 1,
	   "the fence still reports that it is signalled");
	diag("driver of the fence: '%s'", fence.driver_name);
	close(file);
	for (int i = 0; status && i < 50; i++) { /* the fence is freed after an RCU grace period */
		struct timespec pause = {.tv_nsec = 100000000};

		nanosleep(&pause, NULL);
		status = try_unload_module();
	}
	ok(!status, "the module is unloaded once the fence is closed");
	return tap_done();
}
