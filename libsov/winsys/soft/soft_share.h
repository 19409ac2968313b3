/* SPDX-License-Identifier: MIT */
/* Memory of a software GPU in an anonymous file, which other processes open by number and token. */
#ifndef SOV_WINSYS_SOFT_SHARE_H
#define SOV_WINSYS_SOFT_SHARE_H

#include <stdint.h>
#include "libsov/winsys/winsys.h"

/* Moves whole pages of private memory into a new file and maps it in their place. The file is open
 * until the process closes *fd. */
int soft_share_create(void *memory, uint64_t bytes, int *fd, struct winsys_export *out);
/* Puts private memory in place of the file's, and closes the file. The contents are lost. */
void soft_share_end(void *memory, uint64_t bytes, int fd);
/* Maps the file of another process. */
int soft_share_open(const struct winsys_export *e, uint64_t bytes, void **memory);

#endif
