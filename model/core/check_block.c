// SPDX-License-Identifier: MIT
/* A block under check: what was written to its shared and local memory, and the checks of each
 * access. */
#include <stdio.h>
#include <stdlib.h>

#include "model/core/check_internal.h"
#include "model/core/model_internal.h"

typedef unsigned long long ull;

static const uint32_t all_warps = CHECK_MAX_WARPS * CHECK_LANES;

struct check_launch *check_launch_create(struct check_space *s, const struct check_grid *grid)
{
	struct check_launch *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->releases = releases_create();
	if (!l->releases) {
		free(l);
		return NULL;
	}
	l->space = s;
	l->grid = *grid;
	l->threads = grid->block[0] * grid->block[1] * grid->block[2];
	pthread_mutex_lock(&s->lock);
	groups_begin(l);
	pthread_mutex_unlock(&s->lock);
	return l;
}

void check_launch_destroy(struct check_launch *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->space->lock);
	groups_end(l);
	pthread_mutex_unlock(&l->space->lock);
	releases_destroy(l->releases);
	free(l);
}

static size_t map_bytes(uint64_t bytes)
{
	return (size_t)(bytes / 64 + 2) * sizeof(uint64_t);
}

/* Of whole warps: AMD's code may activate the lanes behind the last thread to save registers. */
static uint64_t all_local(const struct check_launch *l)
{
	return l->grid.local_bytes * ((l->threads + CHECK_LANES - 1) / CHECK_LANES * CHECK_LANES);
}

struct check_block *check_block_create(struct check_launch *l)
{
	struct check_block *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->launch = l;
	b->space = l->space;
	b->local_written = malloc(map_bytes(all_local(l)));
	b->shared = shadow_create(l->grid.shared_bytes);
	if (b->local_written && b->shared && l->threads <= all_warps)
		return b;
	check_block_destroy(b);
	return NULL;
}

void check_block_destroy(struct check_block *b)
{
	if (!b)
		return;
	shadow_destroy(b->shared);
	free(b->local_written);
	free(b);
}

void check_block_start(struct check_block *b, const uint32_t id[3])
{
	const uint32_t *size = b->launch->grid.size;

	memcpy(b->id, id, sizeof(b->id));
	b->linear = id[0] + size[0] * (id[1] + size[1] * id[2]);
	for (uint32_t i = 0; i * LINE_BYTES < b->launch->grid.shared_bytes; i++)
		b->shared->lines[i].written = 0;
	memset(b->local_written, 0, map_bytes(all_local(b->launch)));
	order_start(b);
}

void check_barrier_divergent(struct check_block *b, uint32_t warp, uint64_t pc, uint32_t barrier,
			     uint32_t arrived, uint32_t missing)
{
	struct check_space *s = b->space;
	struct model_report *r;

	if (!checks(s, MODEL_CHECK_SYNC))
		return;
	pthread_mutex_lock(&s->lock);
	r = report_new(s, MODEL_REPORT_BARRIER, pc, 0);
	if (r) {
		report_place(b->launch, &r->sites[0], b->linear,
			     warp * CHECK_LANES + (uint32_t)__builtin_ctz(arrived), pc);
		snprintf(r->sites[0].access, sizeof(r->sites[0].access), "barrier %u", barrier);
		snprintf(r->text, sizeof(r->text),
			 "barrier %u is reached by lanes 0x%08x of a warp, but not by its lanes "
			 "0x%08x",
			 barrier, arrived, missing);
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- accesses ---- */

static bool is_write(const struct check_access *a)
{
	return a->kind == CHECK_WRITE || a->kind == CHECK_ASYNC_WRITE;
}

static bool is_asynchronous(const struct check_access *a)
{
	return a->kind == CHECK_ASYNC_READ || a->kind == CHECK_ASYNC_WRITE;
}

static void report_unwritten(struct check_block *b, const struct check_access *a, uint32_t lane,
			     uint64_t address, const struct check_range *range)
{
	struct model_report *r = report_access(b, a, lane, address, MODEL_REPORT_UNINITIALISED, 0);

	if (!r)
		return;
	snprintf(r->text, sizeof(r->text), "%s at 0x%llx, which nothing has written%s",
		 r->sites[0].access, (ull)address, range ? "" : " since the block began");
	if (range)
		report_allocation(r, range, false);
}

/* Whether all the bytes were written; after a write they are, and after a report, too. */
static bool update_written(const struct check_access *a, struct shadow *m, uint32_t at)
{
	bool good = is_write(a) || shadow_is_written(m, at, a->bytes);

	if (!good || is_write(a) || a->kind == CHECK_ATOMIC)
		shadow_set_written(m, at, a->bytes, true);
	return good;
}

/* What the checks of an instruction need, and what the lanes before have found. */
struct lanes {
	struct race race;
	bool init, races;
	struct shadow *page; /* NULL: none yet */
	uint64_t number;     /* of the page */
};

static struct shadow *find_page(struct lanes *l, struct check_range *r, uint64_t at)
{
	if (l->page && l->number == at / SHADOW_PAGE && l->race.range == r)
		return l->page;
	l->page = range_page(r, at);
	l->number = at / SHADOW_PAGE;
	l->race.range = r;
	return l->page;
}

/* The allocation that has all of the bytes; NULL: none has. */
static inline struct check_range *find_range(struct check_block *b, uint64_t at, uint64_t bytes)
{
	struct check_space *s = b->space;
	struct check_range *r = b->last;

	if (r && b->generation == s->generation && r->memory.bytes >= bytes &&
	    at - r->memory.va <= r->memory.bytes - bytes)
		return r;
	r = range_find(s, at, bytes);
	if (!r)
		return NULL;
	b->last = r;
	b->generation = s->generation;
	return r;
}

/* Returns whether the lane may proceed. */
static bool check_global(struct lanes *l, uint32_t lane)
{
	const struct check_access *a = l->race.a;
	struct check_block *b = l->race.b;
	uint64_t at = l->race.address[lane];
	struct check_range *r = find_range(b, at, a->bytes);
	uint32_t offset = (uint32_t)(at % SHADOW_PAGE);
	struct shadow *page;

	if (!r)
		return outside_may_go_on(b, a, lane, at);
	page = l->init || l->races ? find_page(l, r, at) : NULL;
	if (!page || offset + a->bytes > SHADOW_PAGE)
		return true;
	if (l->init && !r->memory.initialised && !update_written(a, page, offset))
		report_unwritten(b, a, lane, at, r);
	if (l->races)
		race_access(&l->race, lane, page, offset);
	return true;
}

static void check_shared(struct lanes *l, uint32_t lane)
{
	const struct check_access *a = l->race.a;
	uint32_t at = (uint32_t)l->race.address[lane];
	struct check_block *b = l->race.b;

	if (l->init && !update_written(a, b->shared, at)) {
		pthread_mutex_lock(&b->space->lock);
		report_unwritten(b, a, lane, at, NULL);
		pthread_mutex_unlock(&b->space->lock);
	}
	if (l->races)
		race_access(&l->race, lane, b->shared, at);
}

/* Adjacent lanes from one on whose accesses are in one line. False: a lane has to be looked at. */
static inline bool check_line(struct lanes *l, struct shadow *m, bool init, uint32_t lane,
			      uint32_t offset, uint32_t bytes)
{
	uint32_t *written = &m->lines[offset / LINE_BYTES].written, bits = line_bits(offset, bytes);
	const struct check_access *a = l->race.a;

	if (init && !is_write(a) && (*written & bits) != bits)
		return false;
	if (l->races && !race_lanes(&l->race, lane, m, offset, bytes))
		return false;
	if (init && is_write(a))
		*written |= bits;
	return true;
}

static inline uint32_t bits_of(uint32_t lane, uint32_t count)
{
	return UINT32_MAX >> (CHECK_LANES - count) << lane;
}

static bool check_lane(struct lanes *l, uint32_t lane)
{
	if (l->race.a->memory == CHECK_GLOBAL)
		return check_global(l, lane);
	check_shared(l, lane);
	return true;
}

/* Lanes with adjacent accesses. Returns those that may proceed. */
static uint32_t check_run(struct lanes *l, uint32_t lane, uint32_t count)
{
	const struct check_access *a = l->race.a;
	bool global = a->memory == CHECK_GLOBAL;
	uint64_t at = l->race.address[lane], left = count * a->bytes; /* at may wrap around */
	struct check_range *r = global ? find_range(l->race.b, at, left) : NULL;
	bool init = l->init && !(r && r->memory.initialised);
	uint32_t good = 0, shift = (uint32_t)__builtin_ctz(a->bytes);

	if (r && !l->init && !l->races)
		return bits_of(lane, count);
	while (left) {
		struct shadow *m = r ? find_page(l, r, at) : global ? NULL : l->race.b->shared;
		uint32_t offset = (uint32_t)(r ? at % SHADOW_PAGE : at), lanes;
		uint64_t n = LINE_BYTES - at % LINE_BYTES;

		n = n < left ? n : left;
		lanes = (uint32_t)n >> shift;
		at += n;
		left -= n;
		if (m && check_line(l, m, init, lane, offset, (uint32_t)n)) {
			good |= bits_of(lane, lanes);
			lane += lanes;
			continue;
		}
		for (; lanes; lanes--, lane++)
			good |= (uint32_t)check_lane(l, lane) << lane;
	}
	return good;
}

/* Whether lanes have adjacent accesses, or, if the step is 0, one address. */
static inline bool has_step(const uint64_t *address, uint32_t count, uint64_t step)
{
	uint64_t other = 0;

	for (uint32_t i = 1; i < count; i++)
		other |= (address[i] - address[0]) ^ i * step;
	return !other;
}

/* Whether it is inside of a line: AMD's need not be, and scalar loads are up to two lines. */
static inline bool is_aligned(const struct check_access *a, uint64_t address)
{
	return a->bytes <= LINE_BYTES && !(a->bytes & (a->bytes - 1)) &&
	       !(address & (a->bytes - 1));
}

/* Lanes one by one, but adjacent ones together if no lane overlaps another one or all read. */
static uint32_t check_each(struct lanes *l, uint32_t mask, bool adjacent)
{
	const uint64_t *address = l->race.address;
	const struct check_access *a = l->race.a;
	uint32_t good = 0;

	while (mask) {
		uint32_t lane = (uint32_t)__builtin_ctz(mask), end = lane + 1;
		bool run = adjacent && is_aligned(a, address[lane]);

		while (run && end < CHECK_LANES && mask >> end & 1 &&
		       address[end] - address[lane] == (end - lane) * a->bytes)
			end++;
		if (run)
			good |= check_run(l, lane, end - lane);
		else
			good |= (uint32_t)check_lane(l, lane) << lane;
		/* Lanes that read what the lane before has read find nothing new. */
		for (; a->kind == CHECK_READ && end < CHECK_LANES && mask >> end & 1 &&
		       address[end] == address[end - 1];
		     end++)
			good |= (good >> (end - 1) & 1) << end;
		mask &= end < CHECK_LANES ? UINT32_MAX << end : 0;
	}
	return good;
}

/* Half of a warp: blocks are often as wide. */
#define HALF (CHECK_LANES / CHECK_HALVES)

/* Whether two halves store to different bytes. */
static bool are_distinct(const struct check_access *a, const uint64_t *address)
{
	uint64_t distance = address[HALF] - address[0], bytes = HALF * a->bytes;

	return distance >= bytes && -distance >= bytes;
}

/* Whether each lane's bytes are above those of the lane before, so that no two overlap. */
static bool are_ascending(const struct check_access *a, const uint64_t *address, uint32_t mask)
{
	uint64_t end = 0;

	for (; mask; mask &= mask - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(mask);

		if (address[lane] < end)
			return false;
		end = address[lane] + a->bytes;
	}
	return true;
}

static uint32_t check_mask(struct lanes *l, uint32_t mask)
{
	const uint64_t *address = l->race.address;
	const struct check_access *a = l->race.a;
	bool reads = a->kind == CHECK_READ, adjacent[2];
	uint32_t good = 0;

	if (a->kind == CHECK_ATOMIC)
		return check_each(l, mask, false);
	if (mask != UINT32_MAX)
		return check_each(l, mask, reads || are_ascending(a, address, mask));
	if (is_aligned(a, address[0]) && has_step(address, CHECK_LANES, a->bytes))
		return check_run(l, 0, CHECK_LANES);
	for (uint32_t i = 0; i < 2; i++)
		adjacent[i] = is_aligned(a, address[i * HALF]) &&
			      has_step(address + i * HALF, HALF, a->bytes);
	if (!reads && !(adjacent[0] && adjacent[1] && are_distinct(a, address)))
		return check_each(l, mask, are_ascending(a, address, mask));
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t lane = i * HALF;

		if (adjacent[i])
			good |= check_run(l, lane, HALF);
		else
			good |= check_each(l, bits_of(lane, HALF), true);
	}
	return good;
}

static void lanes_begin(struct lanes *l, struct check_block *b, const struct check_access *a,
			const uint64_t *address, uint32_t mask)
{
	race_begin(&l->race, b, a, address, mask);
	l->page = NULL;
	l->number = 0;
	l->races = checks(b->space, MODEL_CHECK_RACE) && !is_asynchronous(a);
	/* Asynchronous reads of shared memory are not checked: see docs/model.md. */
	l->init = checks(b->space, MODEL_CHECK_INIT) &&
		  !(a->memory == CHECK_SHARED && a->kind == CHECK_ASYNC_READ);
}

/* Adjacent lanes, as far as nothing is wrong with them. */
static bool run_is_good(struct lanes *l, uint32_t lane, uint64_t at, uint32_t bytes)
{
	const struct check_access *a = l->race.a;
	bool global = a->memory == CHECK_GLOBAL;
	struct check_range *r = global ? find_range(l->race.b, at, bytes) : NULL;
	uint32_t shift = (uint32_t)__builtin_ctz(a->bytes);
	bool init = l->init && !(r && r->memory.initialised);

	if (global && !r)
		return false;
	if (!l->init && !l->races)
		return true;
	while (bytes) {
		struct shadow *m = r ? find_page(l, r, at) : l->race.b->shared;
		uint32_t n = LINE_BYTES - (uint32_t)(at % LINE_BYTES);

		n = n < bytes ? n : bytes;
		if (!m || !check_line(l, m, init, lane, (uint32_t)(r ? at % SHADOW_PAGE : at), n))
			return false;
		lane += n >> shift;
		at += n;
		bytes -= n;
	}
	return true;
}

static bool halves_are_good(struct lanes *l, const uint64_t at[CHECK_HALVES],
			    const bool same[CHECK_HALVES])
{
	uint32_t bytes = l->race.a->bytes, half = HALF * bytes;

	if (!same[0] && !same[1] && at[1] - at[0] == half)
		return run_is_good(l, 0, at[0], 2 * half);
	return run_is_good(l, 0, at[0], same[0] ? bytes : half) &&
	       ((at[0] == at[1] && same[0] == same[1]) ||
		run_is_good(l, HALF, at[1], same[1] ? bytes : half));
}

bool check_halves(struct check_block *b, const struct check_access *a,
		  const uint64_t address[CHECK_HALVES], const bool same[CHECK_HALVES])
{
	uint64_t distance = address[1] - address[0], half = HALF * a->bytes;
	struct lanes l;
	bool good;

	if (a->scope ||
	    (is_write(a) && (same[0] || same[1] || distance < half || -distance < half)))
		return false;
	lanes_begin(&l, b, a, NULL, UINT32_MAX);
	if (a->memory == CHECK_SHARED)
		return halves_are_good(&l, address, same);
	pthread_mutex_lock(&b->space->lock);
	good = halves_are_good(&l, address, same);
	pthread_mutex_unlock(&b->space->lock);
	return good;
}

static uint32_t check_memory(struct check_block *b, const struct check_access *a,
			     const uint64_t address[CHECK_LANES], uint32_t mask)
{
	struct lanes l;

	lanes_begin(&l, b, a, address, mask);
	return check_mask(&l, mask);
}

/* at: in the thread's memory. */
static void check_local(struct check_block *b, const struct check_access *a, uint32_t lane,
			uint64_t at)
{
	uint64_t byte = (uint64_t)(a->warp * CHECK_LANES + lane) * b->launch->grid.local_bytes + at;
	bool good = is_write(a) || bits_all(b->local_written, byte, a->bytes);

	if (!good || a->kind != CHECK_READ)
		bits_set(b->local_written, byte, a->bytes); /* one report is enough */
	if (good)
		return;
	pthread_mutex_lock(&b->space->lock);
	report_unwritten(b, a, lane, at, NULL);
	pthread_mutex_unlock(&b->space->lock);
}

uint32_t check_lanes(struct check_block *b, const struct check_access *a,
		     const uint64_t address[CHECK_LANES], uint32_t mask)
{
	uint32_t good;

	if (a->scope && a->kind != CHECK_WRITE && checks(b->space, MODEL_CHECK_RACE))
		order_strong(b, a);
	if (!mask)
		return 0;
	if (a->memory == CHECK_SHARED)
		return check_memory(b, a, address, mask);
	if (a->memory == CHECK_GLOBAL) {
		pthread_mutex_lock(&b->space->lock);
		good = check_memory(b, a, address, mask);
		pthread_mutex_unlock(&b->space->lock);
		return good;
	}
	for (uint32_t left = mask; left && checks(b->space, MODEL_CHECK_INIT); left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		check_local(b, a, lane, address[lane]);
	}
	return mask;
}
