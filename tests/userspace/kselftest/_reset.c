// SPDX-License-Identifier: MIT
/*
 * The card is reset through the PCI device's sysfs file while a process uses it: fences signal,
 * later calls of that file return ENODEV, and a new open finds a working card.
 *   _reset FOLDER    the card's sysfs folder
 */
#include <dirent.h>
#include <poll.h>

#include "tests/userspace/kselftest/queue.h"

static bool is_signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int submit_endless_job(struct fixture *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = stream_at(m, 0);

	stream_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = stream_job(m, &s);

	return queue_submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

/* A working file of the card, opened within a minute; or -1. */
static int reopen_card(const char *card)
{
	struct timespec pause = {.tv_nsec = 100000000};
	struct drm_sovgpu_device_info info;
	char path[300];
	int fd = -1;

	for (int i = 0; i < 600 && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s/drm", card);
		DIR *d = opendir(path);

		for (struct dirent *e; d && (e = readdir(d)) && fd < 0;) {
			snprintf(path, sizeof(path), "/dev/dri/%.200s", e->d_name);
			if (strncmp(e->d_name, "renderD", 7) ||
			    (fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
				continue;
			if (dev_query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL)) {
				close(fd);
				fd = -1;
			}
		}
		if (d)
			closedir(d);
		if (fd < 0)
			nanosleep(&pause, NULL);
	}
	return fd;
}

int main(int argc, char **argv)
{
	struct drm_sovgpu_device_info info;
	char path[300];
	struct fixture m;
	uint32_t id;

	if (!ok(argc == 2, "the card's sysfs folder is given") || !fixture_open(&m, COMPUTE))
		return tap_done();
	int fence = submit_endless_job(&m);

	ok(fence >= 0 && !is_signalled(fence), "an endless job is submitted");
	snprintf(path, sizeof(path), "%s/reset", argv[1]);
	int reset = open(path, O_WRONLY);

	ok(reset >= 0 && write(reset, "1", 1) == 1, "writing the PCI reset file succeeds");
	close(reset);
	ok(is_signalled(fence), "the reset signals the fence of the pending job");
	ok(dev_query(m.fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV &&
		   bo_create(m.fd, VRAM, MIB, 0, &id) == -ENODEV &&
		   vm_create(m.fd, &id) == -ENODEV &&
		   queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &id) == -ENODEV,
	   "calls of a file that was open during the reset are ENODEV");
	int again = reopen_card(argv[1]);

	ok(again >= 0, "the card can be opened again after the reset");
	ok(!bo_create(again, VRAM, MIB, 0, &id) && !vm_create(again, &id),
	   "the card works after the reset");
	close(again);
	close(fence);
	fixture_close(&m);
	return tap_done();
}
