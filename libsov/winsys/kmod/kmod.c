/* SPDX-License-Identifier: MIT */
/*
 * The way through our own kernel driver, sovgpu.ko. Its calls are uapi/sovgpu_drm.h and a handful
 * of DRM's own, made directly: what libdrm has for them is a loop around ioctl(), and a library
 * that must be found at run time can also be missing then. SOV_LOG=device=debug shows each call.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/kmod/kmod.h"

/* ---- the system ---- */

#define NODES "/sys/class/drm"

/* Asked of sysfs, because opening another driver's node may wake up a card that sleeps. */
static bool is_ours(int number)
{
	char path[64], link[256];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), NODES "/renderD%d/device/driver", number);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = 0;
	name = strrchr(link, '/');
	return name && !strcmp(name + 1, KMOD_DRIVER);
}

static int os_next_node(int number)
{
	DIR *folder = opendir(NODES);
	struct dirent *entry;
	int best = -1, n;
	char rest;

	while (folder && (entry = readdir(folder)))
		if (sscanf(entry->d_name, "renderD%d%c", &n, &rest) == 1 && n >= number &&
		    (best < 0 || n < best) && is_ours(n))
			best = n;
	if (folder)
		closedir(folder);
	return best;
}

static int os_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

static int os_ioctl(int file, unsigned long request, void *argument)
{
	return ioctl(file, request, argument);
}

static void *os_map(size_t bytes, int file, uint64_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
}

static const struct kmod_os linux_os = {
	.next_node = os_next_node,
	.open = os_open,
	.close = close,
	.ioctl = os_ioctl,
	.map = os_map,
	.unmap = munmap,
};
const struct kmod_os *kmod_os = &linux_os;

/* ---- calls ---- */

static int transact(int file, unsigned long request, void *argument, const char *doing)
{
	int r, error;

	do
		r = kmod_os->ioctl(file, request, argument);
	while (r < 0 && errno == EINTR);
	error = r < 0 ? errno : 0;
	LOG(DEVICE, DEBUG, "%s: %s", doing, error ? strerror(error) : "done");
	return -error;
}

int kmod_call(int file, unsigned long request, void *argument, const char *doing)
{
	int error = transact(file, request, argument, doing);

	if (error)
		winsys_set_error("sovgpu.ko: %s: %s%s", doing, strerror(-error),
			   error == -ENOSPC ? "; the file's fdinfo has what it may have" : "");
	return error == -ENOSPC ? -ENOMEM : error; /* full, or the process has its part */
}

void kmod_drop(int file, unsigned long request, void *argument, const char *doing)
{
	(void)transact(file, request, argument, doing);
}

const struct winsys winsys_kmod = {
	.name = "kmod",
	.enumerate = kmod_enumerate,
	.info = kmod_info,
	.gpu_time = kmod_gpu_time,
	.buffer_create = kmod_buffer_create,
	.buffer_import = kmod_buffer_import,
	.buffer_destroy = kmod_buffer_destroy,
	.buffer_map = kmod_buffer_map,
	.memory_info = kmod_memory_info,
	.group_create = kmod_group_create,
	.group_stop = kmod_group_stop,
	.group_destroy = kmod_group_destroy,
	.bind = kmod_bind,
	.unbind = kmod_unbind,
	.group_error = kmod_group_error,
	.wait = kmod_wait,
	.queue_create = kmod_queue_create,
	.queue_destroy = kmod_queue_destroy,
	.queue_memory = kmod_queue_memory,
	.doorbell = kmod_doorbell,
};
