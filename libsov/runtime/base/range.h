/* SPDX-License-Identifier: MIT */
/*
 * An allocator of ranges of addresses or memory. It allocates next fit, so that freed ranges are
 * not reused immediately and stale uses of them are detected. Freeing never needs memory.
 */
#ifndef SOV_RANGE_H
#define SOV_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct range {
	uint64_t start, bytes;
};

struct ranges {
	struct range *free; /* by start; adjacent ranges are merged */
	uint32_t count, capacity;
	uint32_t bound; /* upper bound of the number of free ranges */
	uint64_t cursor, free_bytes;
};

/* Adds space to the allocator, which begins zeroed and empty; false: no host memory. */
bool ranges_add(struct ranges *r, uint64_t start, uint64_t bytes);
/* align is a power of two. false: no free range is large enough, or no host memory. */
bool ranges_take(struct ranges *r, uint64_t bytes, uint64_t align, uint64_t *start);
void ranges_give(struct ranges *r, uint64_t start, uint64_t bytes);
void ranges_fini(struct ranges *r);

#endif
