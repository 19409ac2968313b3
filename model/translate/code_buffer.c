// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/translate/code_buffer.h"

/* Linux 6.3; vm.memfd_noexec may require it. It is about execve(), not about mappings. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

static int open_file(void)
{
	int fd = memfd_create("sov-code", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? memfd_create("sov-code", MFD_CLOEXEC) : fd;
}

struct code_buffer *code_buffer_create(size_t bytes)
{
	struct code_buffer *b = calloc(1, sizeof(*b));
	int fd = b ? open_file() : -1;

	if (fd < 0)
		goto err_free;
	if (ftruncate(fd, (off_t)bytes))
		goto err_close;
	b->bytes = bytes;
	b->write = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b->write == MAP_FAILED)
		goto err_close;
	b->execute = mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (b->execute == MAP_FAILED)
		goto err_unmap;
	close(fd);
	return b;
err_unmap:
	munmap(b->write, bytes);
err_close:
	close(fd);
err_free:
	free(b);
	return NULL;
}

void code_buffer_destroy(struct code_buffer *b)
{
	if (!b)
		return;
	munmap(b->write, b->bytes);
	munmap(b->execute, b->bytes);
	free(b);
}
