// SPDX-License-Identifier: MIT
/*
 * Memory that processes share. The file has no name in a file system, so nothing is left over when
 * its processes end; another process of the same user opens it through /proc/PID/fd. A random token
 * in the file's name shows that the number still means the same file. The file is sealed against
 * shrinking: an access to a mapping never goes beyond its end.
 */
#include "libsov/winsys/soft/soft_share.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static void file_name(const uint64_t token[2], char name[64])
{
	snprintf(name, 64, "sovgpu-%016llx%016llx", (unsigned long long)token[0],
		 (unsigned long long)token[1]);
}

/* Copies the pages that are not zero: the others need no memory. */
static void copy_pages(uint8_t *to, const uint8_t *from, uint64_t bytes, uint64_t page)
{
	for (uint64_t k = 0; k < bytes; k += page)
		if (from[k] || memcmp(from + k, from + k + 1, page - 1))
			memcpy(to + k, from + k, page);
}

static int share_map(void *memory, uint64_t bytes, int fd)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *copy;

	if (((uintptr_t)memory | bytes) % page) {
		winsys_set_error("memory that is shared needs whole pages of %llu bytes",
				 (unsigned long long)page);
		return -EINVAL;
	}
	if (ftruncate(fd, (off_t)bytes) || fcntl(fd, F_ADD_SEALS, SEALS))
		return -errno;
	copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (copy == MAP_FAILED)
		return -errno;
	copy_pages(copy, memory, bytes, page);
	munmap(copy, bytes);
	if (mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED)
		return -errno;
	return 0;
}

int soft_share_create(void *memory, uint64_t bytes, int *fd, struct winsys_export *out)
{
	char name[64];
	int error;

	if (getrandom(out->token, sizeof(out->token), 0) != sizeof(out->token))
		return -EIO;
	file_name(out->token, name);
	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return -errno;
	error = share_map(memory, bytes, *fd);
	if (error) {
		close(*fd);
		return error;
	}
	out->process = (uint32_t)getpid();
	out->number = (uint32_t)*fd;
	return 0;
}

void soft_share_end(void *memory, uint64_t bytes, int fd)
{
	/* If this fails, the memory stays that of the file. */
	(void)!mmap(memory, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	close(fd);
}

/* Whether a link of /proc leads to the file of the token. Opening another file could block. */
static int check_name(const char *link, const uint64_t token[2])
{
	char name[64], target[256] = "", want[128];

	if (readlink(link, target, sizeof(target) - 1) < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	file_name(token, name);
	snprintf(want, sizeof(want), "/memfd:%s (deleted)", name);
	return strcmp(target, want) ? -ESTALE : 0;
}

static int share_check(int fd, uint64_t bytes)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat s;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &s) || s.st_size < 0 ||
	    (uint64_t)s.st_size != bytes)
		return -ESTALE;
	return 0;
}

int soft_share_open(const struct winsys_export *e, uint64_t bytes, void **memory)
{
	char link[64], own[64];
	int fd, error;

	snprintf(link, sizeof(link), "/proc/%u/fd/%u", e->process, e->number);
	error = check_name(link, e->token);
	if (error)
		return error;
	fd = open(link, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT ? -ESTALE : -errno;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	error = check_name(own, e->token);
	if (!error)
		error = share_check(fd, bytes);
	if (!error) {
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		error = *memory == MAP_FAILED ? -errno : 0;
	}
	close(fd);
	return error;
}
