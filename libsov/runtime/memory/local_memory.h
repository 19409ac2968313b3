/* SPDX-License-Identifier: MIT */
/* Local memory: the threads' stacks and spilled registers. */
#ifndef SOV_LOCAL_MEMORY_H
#define SOV_LOCAL_MEMORY_H

#include "libsov/runtime/context/context.h"

extern const struct context_part local_memory_part;

/* stream_index is the index of the stream that launches. All without the lock. */

/* Grows the context's local memory for a kernel that needs local_bytes per thread and, for all of
 * its threads (local_grid_bytes), bytes. */
sov_result local_reserve(struct context *c, uint32_t stream_index, const char *kernel,
			 uint32_t local_bytes, uint64_t bytes);
/* Local memory of all threads of a grid that can be resident at one time. */
uint64_t local_grid_bytes(const struct context *c, uint32_t local_bytes, const uint32_t grid[3],
			  const uint32_t block[3]);
/* Whether the stream has enough local memory; called inside its gate. */
bool local_suffices(const struct context *c, uint32_t stream_index, uint32_t local_bytes,
		    uint64_t bytes);
/* The stream's part of the area; called inside its gate. */
struct gpu_local local_of(const struct context *c, uint32_t stream_index);

#endif
