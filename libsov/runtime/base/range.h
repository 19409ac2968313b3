/* SPDX-License-Identifier: MIT */
/*
 * Free ranges of some space of numbers: addresses or bytes of memory. Taking goes round the space
 * (next fit), so that what was given back is not handed out again at once and stale uses of it are
 * found. Giving back never needs memory.
 */
#ifndef SOV_RANGE_H
#define SOV_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct range {
	uint64_t start, bytes;
};

struct ranges {
	struct range *free; /* by start; neighbours are merged */
	uint32_t count, capacity;
	uint32_t bound; /* there can never be more free ranges than this */
	uint64_t cursor, free_bytes;
};

/* Zeroed ranges hold nothing. Adds new space; false: no host memory. */
bool ranges_add(struct ranges *r, uint64_t start, uint64_t bytes);
/* align is a power of two. false: no free range is large enough, or no host memory. */
bool ranges_take(struct ranges *r, uint64_t bytes, uint64_t align, uint64_t *start);
void ranges_give(struct ranges *r, uint64_t start, uint64_t bytes);
void ranges_fini(struct ranges *r);

#endif
