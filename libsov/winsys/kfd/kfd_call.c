// SPDX-License-Identifier: MIT
/* The system calls of the back end, and amdkfd's ioctls with a message for each failure.
 * SOV_LOG=device=debug logs each ioctl. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/kfd/kfd.h"

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

static int os_read(const char *path, char *text, size_t bytes)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), error = 0;
	size_t at = 0;
	ssize_t n;

	if (file < 0)
		return -errno;
	do {
		n = read(file, text + at, bytes - at);
		at += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		error = -errno;
	close(file);
	return error ? error : (int)at;
}

static void os_ring(uint64_t *doorbell, uint64_t value)
{
	__atomic_store_n(doorbell, value, __ATOMIC_RELEASE);
}

static const struct kfd_os linux_os = {
	.open = os_open,
	.close = close,
	.ioctl = os_ioctl,
	.map = os_map,
	.unmap = munmap,
	.read = os_read,
	.ring = os_ring,
};
const struct kfd_os *kfd_os = &linux_os;

int kfd_ioctl(unsigned long request, void *argument, const char *what)
{
	int r, error;

	do
		r = kfd_os->ioctl(kfd.file, request, argument);
	while (r < 0 && (errno == EINTR || errno == EAGAIN));
	error = r < 0 ? errno : 0;
	LOG(DEVICE, DEBUG, "amdkfd ioctl 0x%02lx, %s: %s", _IOC_NR(request), what,
	    error ? strerror(error) : "done");
	if (error)
		winsys_set_error("amdgpu (" KFD_FILE "): ioctl 0x%02lx for %s: %s",
				 (unsigned long)_IOC_NR(request), what, strerror(error));
	return -error;
}
