/* SPDX-License-Identifier: MIT */
/*
 * The card is reset while a process uses it, by the file "reset" of the PCI device: fences are signalled, calls are
 * ENODEV, and who opens it afterwards finds a card as good as new.
 *   _reset FOLDER    of the card in sysfs
 */
#include <dirent.h>
#include <poll.h>

#include "tests/userspace/kselftest/queue.h"

static bool signalled(int file)
{
	struct pollfd p = {.fd = file, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static int endless(struct machine *m)
{
	struct drm_sovgpu_sync done = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_handle h = {.handle = done.handle,
				       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
	struct stream s = at(m, 0);

	add_acquire(&s, BUFFER_VA + MIB, 1);
	struct drm_sovgpu_job job = job_of(m, &s);

	return submit(m->fd, m->queue, &job, 1, &done, 1) ||
			       call(m->fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h)
		       ? -1
		       : h.fd;
}

/* A file of the card that works, within a minute; or -1. */
static int open_again(const char *card)
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
			if (query(fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL)) {
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
	struct machine m;
	uint32_t id;

	if (!ok(argc == 2, "the card is named") || !machine_open(&m, COMPUTE))
		return tap_done();
	int fence = endless(&m);

	ok(fence >= 0 && !signalled(fence), "it has work that does not end");
	snprintf(path, sizeof(path), "%s/reset", argv[1]);
	int reset = open(path, O_WRONLY);

	ok(reset >= 0 && write(reset, "1", 1) == 1, "the card is reset");
	close(reset);
	ok(signalled(fence), "who waits for that work waits no more");
	ok(query(m.fd, DRM_SOVGPU_DEV_QUERY_DEVICE, sizeof(info), &info, NULL) == -ENODEV &&
		   create(m.fd, VRAM, MIB, 0, &id) == -ENODEV && vm_create(m.fd, &id) == -ENODEV &&
		   queue_create(m.fd, m.group, COPY, 16, LIMIT_MS, &id) == -ENODEV,
	   "who had it open gets ENODEV");
	int again = open_again(argv[1]);

	ok(again >= 0, "it comes back");
	ok(!create(again, VRAM, MIB, 0, &id) && !vm_create(again, &id), "and can be used");
	close(again);
	close(fence);
	machine_close(&m);
	return tap_done();
}
