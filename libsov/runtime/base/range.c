// SPDX-License-Identifier: MIT
/* Free ranges in a sorted array, allocated next fit. */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/range.h"

/* n allocated ranges leave at most n + 1 free ranges between them, per range that was added:
 * allocates entries for all of them in advance, so that freeing cannot fail. */
static bool ranges_reserve(struct ranges *r, uint32_t bound)
{
	struct range *bigger;
	uint32_t capacity = r->capacity ? r->capacity : 8;

	while (capacity < bound)
		capacity *= 2;
	if (capacity > r->capacity) {
		bigger = realloc(r->free, capacity * sizeof(*bigger));
		if (!bigger)
			return false;
		r->free = bigger;
		r->capacity = capacity;
	}
	r->bound = bound;
	return true;
}

/* Index of the first free range that ends after the position. */
static uint32_t ranges_find(const struct ranges *r, uint64_t position)
{
	uint32_t low = 0, high = r->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->free[middle].start + r->free[middle].bytes <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ranges_insert(struct ranges *r, uint32_t at, uint64_t start, uint64_t bytes)
{
	memmove(r->free + at + 1, r->free + at, (r->count - at) * sizeof(*r->free));
	r->free[at] = (struct range){start, bytes};
	r->count++;
}

static void erase(struct ranges *r, uint32_t at)
{
	r->count--;
	memmove(r->free + at, r->free + at + 1, (r->count - at) * sizeof(*r->free));
}

static void join(struct ranges *r, uint64_t start, uint64_t bytes)
{
	uint32_t at = ranges_find(r, start);
	bool before = at && r->free[at - 1].start + r->free[at - 1].bytes == start;
	bool after = at < r->count && start + bytes == r->free[at].start;

	r->free_bytes += bytes;
	if (before && after) {
		r->free[at - 1].bytes += bytes + r->free[at].bytes;
		erase(r, at);
	} else if (before) {
		r->free[at - 1].bytes += bytes;
	} else if (after) {
		r->free[at].start = start;
		r->free[at].bytes += bytes;
	} else {
		ranges_insert(r, at, start, bytes);
	}
}

bool ranges_add(struct ranges *r, uint64_t start, uint64_t bytes)
{
	if (!ranges_reserve(r, r->bound + 1))
		return false;
	join(r, start, bytes);
	return true;
}

/* Removes [start, start + bytes) from the free range that contains it. */
static void ranges_remove(struct ranges *r, uint32_t at, uint64_t start, uint64_t bytes)
{
	struct range f = r->free[at];
	uint64_t after = f.start + f.bytes - (start + bytes);

	r->free[at].bytes = start - f.start;
	if (after)
		ranges_insert(r, at + 1, start + bytes, after);
	if (start == f.start)
		erase(r, at);
	r->free_bytes -= bytes;
	r->cursor = start + bytes;
}

/* Whether an aligned range fits into free range at, not before the position. */
static bool range_fits(const struct ranges *r, uint32_t at, uint64_t position, uint64_t bytes,
		       uint64_t align, uint64_t *start)
{
	const struct range *f = &r->free[at];
	uint64_t from = f->start > position ? f->start : position;
	uint64_t aligned = (from + align - 1) & ~(align - 1);

	*start = aligned;
	return aligned >= from && aligned - f->start <= f->bytes &&
	       bytes <= f->bytes - (aligned - f->start);
}

bool ranges_take(struct ranges *r, uint64_t bytes, uint64_t align, uint64_t *start)
{
	uint32_t i, first = ranges_find(r, r->cursor);

	if (!bytes || !ranges_reserve(r, r->bound + 1))
		return false;
	for (i = first; i < r->count; i++)
		if (range_fits(r, i, r->cursor, bytes, align, start))
			return ranges_remove(r, i, *start, bytes), true;
	for (i = 0; i < r->count && i <= first; i++)
		if (range_fits(r, i, 0, bytes, align, start))
			return ranges_remove(r, i, *start, bytes), true;
	r->bound--;
	return false;
}

void ranges_give(struct ranges *r, uint64_t start, uint64_t bytes)
{
	join(r, start, bytes);
	r->bound--;
}

void ranges_fini(struct ranges *r)
{
	free(r->free);
	memset(r, 0, sizeof(*r));
}
