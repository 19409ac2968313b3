/* SPDX-License-Identifier: MIT */
/* Freed buffers that a context keeps for its next allocations. With the context's lock held. */
#ifndef SOV_BUFFER_CACHE_H
#define SOV_BUFFER_CACHE_H

#include "libsov/runtime/memory/buffer.h"

extern const struct context_part buffer_cache_part;

/* A buffer of exactly this many bytes of whole pages, in video memory; NULL: none is kept. */
struct buffer *buffer_cache_take(struct context *c, uint64_t mapped);
/* Keeps a plain buffer that the GPU has finished with; false: the caller destroys it. */
bool buffer_cache_keep(struct context *c, struct buffer *b);
void buffer_cache_empty(struct context *c);
uint64_t buffer_cache_bytes(const struct context *c);

/* The caches of a parent process's contexts are no longer reachable in a child of fork(). */
void buffer_caches_before_fork(void);
void buffer_caches_after_fork(bool is_child);

#endif
