/* SPDX-License-Identifier: MIT */
/* A tar archive (ustar, POSIX.1-2001) that is built in memory. */
#ifndef TOOLS_ARCHIVE_H
#define TOOLS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ARCHIVE_NAME_BYTES 100u /* a longer name of a member does not fit its header */

/* Appends a regular file; false: the name is empty or too long, or memory is exhausted. */
bool archive_add(FILE *archive, const char *name, const void *data, size_t bytes);
/* Appends the end of the archive. */
bool archive_end(FILE *archive);

#endif
