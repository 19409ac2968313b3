// SPDX-License-Identifier: MIT
/* Which bytes of an address space are allocated, and which of these were written. The owner of the
 * space says what it allocates, with the exact number of bytes, so that an access one byte beyond
 * an allocation is found although its page is mapped. Memory of which it says nothing is its own,
 * such as rings, code and the kernels' heap, and any access to it may go on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/core/check_internal.h"
#include "model/core/model_internal.h"

#define NEAR_BYTES (1u << 20) /* an address this close to an allocation probably missed it */

typedef unsigned long long ull;

struct check_space *check_space_create(uint32_t what)
{
	struct check_space *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->checks = what;
	if (!groups_create(s)) {
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static uint64_t page_count(const struct check_range *r)
{
	return (r->memory.va + r->memory.mapped - 1) / SHADOW_PAGE - r->memory.va / SHADOW_PAGE + 1;
}

static void pages_destroy(struct check_range *r)
{
	for (uint64_t i = 0; r->pages && i < page_count(r); i++)
		shadow_destroy(r->pages[i]);
	free(r->pages);
	r->pages = NULL;
}

static void range_destroy(struct check_range *r)
{
	if (!r)
		return;
	pages_destroy(r);
	free(r);
}

void check_space_destroy(struct check_space *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->range_count; i++)
		range_destroy(s->ranges[i]);
	for (uint32_t i = 0; i < s->parent_count; i++)
		range_destroy(s->parents[i]);
	for (uint32_t i = 0; i < CHECK_MAX_FREED; i++)
		range_destroy(s->freed[i]);
	free(s->ranges);
	free(s->parents);
	groups_destroy(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Index of the first range that begins above the address. */
static uint32_t index_above(struct check_range *const *list, uint32_t count, uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list[middle]->memory.va <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct check_range ***list, uint32_t *count, uint32_t *capacity,
		  struct check_range *r)
{
	uint32_t at = index_above(*list, *count, r->memory.va);

	if (*count == *capacity) {
		uint32_t more = *capacity ? 2 * *capacity : 64;
		struct check_range **bigger = realloc(*list, more * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		*list = bigger;
		*capacity = more;
	}
	memmove(*list + at + 1, *list + at, (*count - at) * sizeof(**list));
	(*list)[at] = r;
	++*count;
	return 0;
}

/* Takes the range that begins at the address out of the list; NULL: none does. */
static struct check_range *take(struct check_range **list, uint32_t *count, uint64_t va)
{
	uint32_t at = index_above(list, *count, va);
	struct check_range *r = at ? list[at - 1] : NULL;

	if (!r || r->memory.va != va)
		return NULL;
	--*count;
	memmove(list + at - 1, list + at, (*count - at + 1) * sizeof(*list));
	return r;
}

int model_memory_allocated(struct model_space *space, const struct model_memory *memory)
{
	struct check_space *s = space->check;
	struct check_range *r;
	int status;

	if (!s || !memory->mapped)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->memory = *memory;
	pthread_mutex_lock(&s->lock);
	status = memory->parts ? insert(&s->parents, &s->parent_count, &s->parent_capacity, r)
			       : insert(&s->ranges, &s->range_count, &s->range_capacity, r);
	pthread_mutex_unlock(&s->lock);
	if (status)
		free(r);
	return status;
}

void model_memory_freed(struct model_space *space, uint64_t va, const struct model_origin *origin)
{
	struct check_space *s = space->check;
	struct check_range *r, **oldest;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	r = take(s->ranges, &s->range_count, va);
	if (r) {
		s->generation++;
		pages_destroy(r);
		r->freed = *origin;
		oldest = &s->freed[s->freed_count++ % CHECK_MAX_FREED];
		range_destroy(*oldest);
		*oldest = r;
	} else {
		range_destroy(take(s->parents, &s->parent_count, va));
	}
	pthread_mutex_unlock(&s->lock);
}

void model_memory_initialised(struct model_space *space, uint64_t va)
{
	struct check_space *s = space->check;
	struct check_range *r;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	r = range_find(s, va, 1);
	if (r)
		r->memory.initialised = true;
	pthread_mutex_unlock(&s->lock);
}

struct check_range *range_find(struct check_space *s, uint64_t address, uint64_t bytes)
{
	uint32_t at = index_above(s->ranges, s->range_count, address);
	struct check_range *r = at ? s->ranges[at - 1] : NULL;

	return r && r->memory.bytes >= bytes && address - r->memory.va <= r->memory.bytes - bytes
		       ? r
		       : NULL;
}

struct shadow *range_page(struct check_range *r, uint64_t address)
{
	uint64_t at = address / SHADOW_PAGE - r->memory.va / SHADOW_PAGE;

	if (!r->pages)
		r->pages = calloc(page_count(r), sizeof(*r->pages));
	if (!r->pages)
		return NULL;
	if (!r->pages[at])
		r->pages[at] = shadow_create(SHADOW_PAGE);
	return r->pages[at];
}

void ranges_forget(struct check_space *s)
{
	for (uint32_t k = 0; k < s->range_count; k++) {
		struct check_range *r = s->ranges[k];

		for (uint64_t i = 0; r->pages && i < page_count(r); i++)
			if (r->pages[i])
				shadow_forget(r->pages[i]);
	}
}

/* ---- accesses outside of allocations ---- */

/* The allocation in which the address was that ended last; NULL: none. */
static const struct check_range *range_freed(const struct check_space *s, uint64_t address)
{
	for (uint64_t i = 0; i < CHECK_MAX_FREED && i < s->freed_count; i++) {
		const struct check_range *r = s->freed[(s->freed_count - 1 - i) % CHECK_MAX_FREED];

		if (address - r->memory.va < r->memory.mapped)
			return r;
	}
	return NULL;
}

static void report_freed(struct check_block *b, const struct check_access *a, uint32_t lane,
			 uint64_t address, const struct check_range *range)
{
	struct model_report *r = report_access(b, a, lane, address, MODEL_REPORT_FREED, 0);

	if (!r)
		return;
	snprintf(r->text, sizeof(r->text),
		 "%s at 0x%llx, which is %llu bytes inside %llu freed bytes at 0x%llx",
		 r->sites[0].access, (ull)address, (ull)(address - range->memory.va),
		 (ull)range->memory.bytes, (ull)range->memory.va);
	report_allocation(r, range, true);
}

/* range: the nearest allocation; NULL: none is near. */
static void report_bounds(struct check_block *b, const struct check_access *a, uint32_t lane,
			  uint64_t address, const struct check_range *range)
{
	enum model_report_kind kind = range ? MODEL_REPORT_BOUNDS : MODEL_REPORT_ADDRESS;
	struct model_report *r = report_access(b, a, lane, address, kind, 0);
	uint64_t past;

	if (!r)
		return;
	if (!range) {
		snprintf(r->text, sizeof(r->text), "%s at 0x%llx, which is in no allocation",
			 r->sites[0].access, (ull)address);
		return;
	}
	report_allocation(r, range, false);
	past = address - range->memory.va;
	if (address < range->memory.va)
		snprintf(r->text, sizeof(r->text),
			 "%s at 0x%llx, %llu bytes before %llu allocated bytes at 0x%llx",
			 r->sites[0].access, (ull)address, (ull)(range->memory.va - address),
			 (ull)range->memory.bytes, (ull)range->memory.va);
	else if (past < range->memory.bytes)
		snprintf(r->text, sizeof(r->text),
			 "%s at 0x%llx, %llu of which are past the end of %llu allocated bytes at "
			 "0x%llx",
			 r->sites[0].access, (ull)address,
			 (ull)(past + a->bytes - range->memory.bytes), (ull)range->memory.bytes,
			 (ull)range->memory.va);
	else
		snprintf(r->text, sizeof(r->text),
			 "%s at 0x%llx, %llu bytes past the end of %llu allocated bytes at 0x%llx",
			 r->sites[0].access, (ull)address, (ull)(past - range->memory.bytes),
			 (ull)range->memory.bytes, (ull)range->memory.va);
}

/* The allocation that the access probably missed; NULL: none is near. */
static const struct check_range *range_near(const struct check_space *s, uint64_t address)
{
	uint32_t at = index_above(s->ranges, s->range_count, address);
	const struct check_range *below = at ? s->ranges[at - 1] : NULL,
				 *above = at < s->range_count ? s->ranges[at] : NULL;
	uint64_t past = below ? address - below->memory.va - below->memory.bytes : UINT64_MAX,
		 before = above ? above->memory.va - address : UINT64_MAX;

	if (below && address - below->memory.va < below->memory.bytes)
		return below;
	if (past < NEAR_BYTES && past <= before)
		return below;
	return before < NEAR_BYTES ? above : NULL;
}

bool outside_may_go_on(struct check_block *b, const struct check_access *a, uint32_t lane,
		       uint64_t address)
{
	struct check_space *s = b->space;
	uint32_t at = index_above(s->ranges, s->range_count, address);
	const struct check_range *below = at ? s->ranges[at - 1] : NULL, *freed;

	if (!checks(s, MODEL_CHECK_MEMORY))
		return true;
	if (below && address - below->memory.va < below->memory.mapped) {
		report_bounds(b, a, lane, address, below);
		return false;
	}
	at = index_above(s->parents, s->parent_count, address);
	if (!at || address - s->parents[at - 1]->memory.va >= s->parents[at - 1]->memory.mapped)
		return true;
	freed = range_freed(s, address);
	if (freed)
		report_freed(b, a, lane, address, freed);
	else
		report_bounds(b, a, lane, address, range_near(s, address));
	return false;
}

bool check_unmapped(struct check_block *b, const struct check_access *a, uint32_t lane,
		    uint64_t address)
{
	struct check_space *s = b->space;
	const struct check_range *freed;

	if (!checks(s, MODEL_CHECK_MEMORY))
		return false;
	pthread_mutex_lock(&s->lock);
	freed = range_freed(s, address);
	if (freed)
		report_freed(b, a, lane, address, freed);
	else
		report_bounds(b, a, lane, address, range_near(s, address));
	pthread_mutex_unlock(&s->lock);
	return true;
}

/* ---- copies and fills ---- */

static void range_set_written(struct check_range *r, uint64_t at, uint64_t bytes)
{
	while (bytes) {
		uint64_t n = SHADOW_PAGE - at % SHADOW_PAGE;
		struct shadow *page = range_page(r, at);

		n = n < bytes ? n : bytes;
		for (uint64_t i = 0; page && i < n;) {
			uint32_t offset = (uint32_t)((at + i) % SHADOW_PAGE);
			uint32_t part = LINE_BYTES - offset % LINE_BYTES;

			part = part < n - i ? part : (uint32_t)(n - i);
			shadow_set_written(page, offset, part, true);
			i += part;
		}
		at += n;
		bytes -= n;
	}
}

/* Of one line. */
static bool bytes_are_written(struct check_range *r, uint64_t at, uint32_t bytes)
{
	struct shadow *page = range_page(r, at);

	return r->memory.initialised || !page ||
	       shadow_is_written(page, (uint32_t)(at % SHADOW_PAGE), bytes);
}

void check_written(struct check_space *s, uint64_t to, uint64_t bytes)
{
	struct check_range *r;

	pthread_mutex_lock(&s->lock);
	r = range_find(s, to, bytes);
	if (r && !r->memory.initialised && checks(s, MODEL_CHECK_INIT))
		range_set_written(r, to, bytes);
	pthread_mutex_unlock(&s->lock);
}

/* The first byte of the source that nothing has written; bytes: all are. */
static uint64_t first_unwritten(struct check_range *r, uint64_t from, uint64_t bytes)
{
	uint64_t i = 0;

	while (i < bytes) {
		bool line = (from + i) % LINE_BYTES == 0 && bytes - i >= LINE_BYTES;

		if (line && bytes_are_written(r, from + i, LINE_BYTES))
			i += LINE_BYTES;
		else if (bytes_are_written(r, from + i, 1))
			i++;
		else
			break;
	}
	return i;
}

static void report_copy(struct check_space *s, const struct check_range *range, uint64_t address)
{
	struct model_report *r = report_new(s, MODEL_REPORT_UNINITIALISED, 0, range->memory.va);

	if (!r)
		return;
	r->site_count = 0;
	r->address = address;
	snprintf(r->text, sizeof(r->text),
		 "a copy to the host reads 0x%llx, which nothing has written, %llu bytes inside "
		 "%llu allocated bytes at 0x%llx",
		 (ull)address, (ull)(address - range->memory.va), (ull)range->memory.bytes,
		 (ull)range->memory.va);
	report_allocation(r, range, false);
}

static void byte_set_written(struct check_range *r, uint64_t at, bool written)
{
	struct shadow *page = range_page(r, at);

	if (page)
		shadow_set_written(page, (uint32_t)(at % SHADOW_PAGE), 1, written);
}

/* A copy inside the device copies also what is unwritten; to the host it is an error. */
void check_copied(struct check_space *s, uint64_t to, uint64_t from, uint64_t bytes)
{
	struct check_range *target, *source;
	uint64_t good;

	if (!checks(s, MODEL_CHECK_INIT))
		return;
	pthread_mutex_lock(&s->lock);
	target = range_find(s, to, bytes);
	source = range_find(s, from, bytes);
	good = source ? first_unwritten(source, from, bytes) : bytes;
	if (good < bytes && (!target || target->memory.initialised)) {
		report_copy(s, source, from + good);
	} else if (target && !target->memory.initialised) {
		range_set_written(target, to, good);
		for (uint64_t i = good; i < bytes; i++)
			byte_set_written(target, to + i, bytes_are_written(source, from + i, 1));
	}
	pthread_mutex_unlock(&s->lock);
}
