/* SPDX-License-Identifier: MIT */
/*
 * A fence outlives the file that made it: as long as somebody has it, it can be asked what it is, and the
 * module is either still there or not needed for that. Afterwards the module goes.
 */
#include <linux/sync_file.h>
#include <sys/syscall.h>

#include "tests/userspace/kselftest/queue.h"

static int unload(void)
{
	return syscall(SYS_delete_module, "sovgpu", O_NONBLOCK) ? -errno : 0;
}

/* A file with the fence of a job that is done, or -1. */
static int done_fence(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = at(m, 0);

	add_release(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, &done, 1) || wait_for(m->fd, done.handle, 0, 20) ||
			       call(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

int main(void)
{
	struct sync_fence_info fence = {0};
	struct sync_file_info info = {.num_fences = 1, .sync_fence_info = (uintptr_t)&fence};
	struct machine m;

	if (!machine_open(&m, COMPUTE))
		return tap_done();
	int file = done_fence(&m);

	ok(file >= 0, "a fence is signalled and kept");
	machine_close(&m);
	int status = unload();

	ok(!status || status == -EWOULDBLOCK || status == -EBUSY,
	   "the module goes, or is still in use");
	diag("%s", status ? strerror(-status) : "it goes");
	ok(!call(file, SYNC_IOC_FILE_INFO, &info) && info.status == 1 && fence.status == 1,
	   "the fence can be asked all the same");
	diag("it is of '%s'", fence.driver_name);
	close(file);
	for (int i = 0; status && i < 50; i++) { /* RCU frees it */
		struct timespec pause = {.tv_nsec = 100000000};

		nanosleep(&pause, NULL);
		status = unload();
	}
	ok(!status, "without it the module goes");
	return tap_done();
}
