// SPDX-License-Identifier: MIT
/*
 * Calls into the kernel: libdrm for what every DRM driver has, the ioctls of uapi/sovgpu_drm.h for
 * the rest. SOV_LOG=device=debug shows each call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/kmod/kmod.h"

/* ---- the system ---- */

/* Reads the driver's name from sysfs, because opening another driver's node may resume a suspended
 * card. */
static bool os_is_sovgpu(const char *render_node)
{
	const char *node = strrchr(render_node, '/');
	char path[128], link[256];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/drm/%s/device/driver",
		 node ? node + 1 : render_node);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return false;
	link[n] = 0;
	name = strrchr(link, '/');
	return name && !strcmp(name + 1, KMOD_DRIVER);
}

static int os_open(const char *path)
{
	return open(path, O_RDWR | O_CLOEXEC);
}

static void *os_mmap(size_t bytes, int fd, uint64_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
}

static const struct kmod_os linux_os = {
	.get_devices = drmGetDevices2,
	.free_devices = drmFreeDevices,
	.is_sovgpu = os_is_sovgpu,
	.open = os_open,
	.close = close,
	.get_version = drmGetVersion,
	.free_version = drmFreeVersion,
	.ioctl = drmIoctl,
	.close_buffer = drmCloseBufferHandle,
	.syncobj_create = drmSyncobjCreate,
	.syncobj_destroy = drmSyncobjDestroy,
	.syncobj_query = drmSyncobjQuery,
	.syncobj_timeline_wait = drmSyncobjTimelineWait,
	.mmap = os_mmap,
	.munmap = munmap,
};
const struct kmod_os *kmod_os = &linux_os;

/* ---- results ---- */

static int log_result(int error, const char *action)
{
	LOG(DEVICE, DEBUG, "%s: %s", action, error ? strerror(-error) : "done");
	return error;
}

int kmod_result(int error, const char *action)
{
	if (log_result(error, action))
		winsys_set_error("sovgpu.ko: %s: %s%s", action, strerror(-error),
				 error == -ENOSPC ? "; the file's fdinfo shows its limits" : "");
	/* ENOSPC: the device is full, or the process has reached its limit. */
	return error == -ENOSPC ? -ENOMEM : error;
}

int kmod_ioctl(int fd, unsigned long request, void *argument, const char *action)
{
	return kmod_result(kmod_os->ioctl(fd, request, argument) < 0 ? -errno : 0, action);
}

void kmod_release(int fd, unsigned long request, void *argument, const char *action)
{
	(void)log_result(kmod_os->ioctl(fd, request, argument) < 0 ? -errno : 0, action);
}
