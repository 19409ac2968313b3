/* SPDX-License-Identifier: MIT */
/* Checked programs (SOV_CHECK): tells the device what is allocated, and by whom. All with the
 * context's lock held; they do nothing on a device that does not check. */
#ifndef SOV_CHECKED_MEMORY_H
#define SOV_CHECKED_MEMORY_H

#include "libsov/runtime/memory/buffer.h"

void check_allocated(struct context *c, const struct buffer *b);
void check_freed(struct context *c, const struct buffer *b);
/* Memory in which buffers will lie that are allocated one by one. */
void check_parent_created(struct context *c, const struct buffer *b);
void check_parent_destroyed(struct context *c, const struct buffer *b);
/* It counts as written as a whole: the CPU or other processes may write it. */
void check_mapped(struct context *c, const struct buffer *b);

#endif
