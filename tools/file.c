// SPDX-License-Identifier: MIT
/* Reads and writes whole files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/tool.h"

bool read_file(const struct verb *v, const char *path, void **data, size_t *size)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0, capacity = 65536;
	char *buffer = malloc(capacity);

	while (f && buffer && n <= FILE_MAX_BYTES) {
		n += fread(buffer + n, 1, capacity - n - 1, f);
		if (n < capacity - 1)
			break;
		char *grown = realloc(buffer, capacity *= 2);

		if (!grown)
			free(buffer);
		buffer = grown;
	}
	if (f && buffer && !ferror(f) && n <= FILE_MAX_BYTES) {
		fclose(f);
		buffer[n] = 0;
		*data = buffer;
		*size = n;
		return true;
	}
	if (f && n > FILE_MAX_BYTES)
		report_error(v, "cannot read '%s': larger than 4 GiB", path);
	else
		report_error(v, "cannot read '%s': %s", path, strerror(errno));
	if (f)
		fclose(f);
	free(buffer);
	return false;
}

/* Removes an incomplete regular file; a device or another special file stays. */
static void remove_partial_file(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		remove(path);
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return false;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Overwrites an existing file and truncates it afterwards. Truncating it first makes file systems
 * such as ext4 (auto_da_alloc) flush the new data on close, which took longer than most
 * compilations. */
bool write_file(const struct verb *v, const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	struct stat st;
	bool good = fd >= 0 && !fstat(fd, &st) && write_all(fd, data, size);

	if (good && S_ISREG(st.st_mode) && (uint64_t)st.st_size > size)
		good = !ftruncate(fd, (off_t)size);
	if (fd >= 0 && close(fd))
		good = false;
	if (!good) {
		report_error(v, "cannot write '%s': %s", path, strerror(errno));
		if (fd >= 0)
			remove_partial_file(path);
	}
	return good;
}

bool flush_output(const struct verb *v)
{
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	report_error(v, "cannot write to standard output: %s", strerror(errno));
	return false;
}
