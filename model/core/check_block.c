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
	l->serial = ++s->launches;
	pthread_mutex_unlock(&s->lock);
	return l;
}

void check_launch_destroy(struct check_launch *l)
{
	if (!l)
		return;
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
	b->shared_written = malloc(map_bytes(l->grid.shared_bytes));
	b->local_written = malloc(map_bytes(all_local(l)));
	b->shared_accesses = accesses_create(l->grid.shared_bytes);
	if (b->shared_written && b->local_written && b->shared_accesses && l->threads <= all_warps)
		return b;
	check_block_destroy(b);
	return NULL;
}

void check_block_destroy(struct check_block *b)
{
	if (!b)
		return;
	accesses_destroy(b->shared_accesses);
	free(b->local_written);
	free(b->shared_written);
	free(b);
}

void check_block_start(struct check_block *b, const uint32_t id[3])
{
	const uint32_t *size = b->launch->grid.size;

	memcpy(b->id, id, sizeof(b->id));
	b->linear = id[0] + size[0] * (id[1] + size[1] * id[2]);
	memset(b->shared_written, 0, map_bytes(b->launch->grid.shared_bytes));
	memset(b->local_written, 0, map_bytes(all_local(b->launch)));
	race_start(b);
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

/* Whether all the bytes were written; after a write they are. */
static bool update_written(const struct check_access *a, uint64_t *map, uint64_t at)
{
	if (!is_write(a) && !bits_all(map, at, a->bytes)) {
		bits_set(map, at, a->bytes); /* one report is enough */
		return false;
	}
	if (is_write(a) || a->kind == CHECK_ATOMIC)
		bits_set(map, at, a->bytes);
	return true;
}

/* What the lanes before have found. */
struct global_lanes {
	struct race race;
	struct shadow_page *page;
	uint64_t number; /* of the page */
};

static struct shadow_page *find_page(struct global_lanes *g, struct check_range *r, uint64_t at)
{
	if (g->page && g->number == at / SHADOW_PAGE && g->race.range == r)
		return g->page;
	g->page = range_page(r, at);
	g->number = at / SHADOW_PAGE;
	g->race.range = r;
	if (g->page && checks(g->race.b->space, MODEL_CHECK_RACE) && !g->page->accesses)
		g->page->accesses = accesses_create(SHADOW_PAGE);
	return g->page;
}

/* Returns whether the lane may proceed. */
static bool check_global(struct global_lanes *g, uint32_t lane)
{
	const struct check_access *a = g->race.a;
	struct check_block *b = g->race.b;
	struct check_space *s = b->space;
	struct check_range *r = b->last;
	uint64_t at = g->race.address[lane];
	struct shadow_page *page;

	if (!r || b->generation != s->generation || r->memory.bytes < a->bytes ||
	    at - r->memory.va > r->memory.bytes - a->bytes) {
		r = range_find(s, at, a->bytes);
		if (!r)
			return outside_may_go_on(b, a, lane, at);
		b->last = r;
		b->generation = s->generation;
	}
	if (!checks(s, MODEL_CHECK_INIT | MODEL_CHECK_RACE))
		return true;
	page = find_page(g, r, at);
	if (!page)
		return true;
	if (checks(s, MODEL_CHECK_INIT) && !r->memory.initialised &&
	    !update_written(a, page->written.bits, at % SHADOW_PAGE))
		report_unwritten(b, a, lane, at, r);
	if (checks(s, MODEL_CHECK_RACE) && !is_asynchronous(a) && page->accesses &&
	    at % SHADOW_PAGE + a->bytes <= SHADOW_PAGE)
		race_access(&g->race, lane, page->accesses, (uint32_t)(at % SHADOW_PAGE));
	return true;
}

/* Lanes that read what the lane before them has read find nothing new. */
static bool is_repeated(const struct check_access *a, const uint64_t address[CHECK_LANES],
			uint32_t lane, uint32_t before)
{
	return a->kind == CHECK_READ && before < CHECK_LANES && address[lane] == address[before];
}

static uint32_t check_global_lanes(struct check_block *b, const struct check_access *a,
				   const uint64_t address[CHECK_LANES], uint32_t mask)
{
	struct global_lanes g = {.race = race_begin(b, a, address, mask)};
	uint32_t good = mask, before = CHECK_LANES;

	pthread_mutex_lock(&b->space->lock);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		if (is_repeated(a, address, lane, before) && good >> before & 1)
			continue;
		before = lane;
		if (!check_global(&g, lane))
			good &= ~(1u << lane);
	}
	pthread_mutex_unlock(&b->space->lock);
	return good;
}

static void check_shared_lanes(struct check_block *b, const struct check_access *a,
			       const uint64_t address[CHECK_LANES], uint32_t mask)
{
	struct race race = race_begin(b, a, address, mask);
	/* Asynchronous reads of shared memory are not checked: see docs/model.md. */
	bool init = checks(b->space, MODEL_CHECK_INIT) && a->kind != CHECK_ASYNC_READ;
	bool races = checks(b->space, MODEL_CHECK_RACE) && !is_asynchronous(a);
	uint32_t before = CHECK_LANES;

	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		if (is_repeated(a, address, lane, before))
			continue;
		before = lane;
		if (init && !update_written(a, b->shared_written, address[lane])) {
			pthread_mutex_lock(&b->space->lock);
			report_unwritten(b, a, lane, address[lane], NULL);
			pthread_mutex_unlock(&b->space->lock);
		}
		if (races)
			race_access(&race, lane, b->shared_accesses, (uint32_t)address[lane]);
	}
}

/* at: in the thread's memory. */
static void check_local(struct check_block *b, const struct check_access *a, uint32_t lane,
			uint64_t at)
{
	uint64_t thread = a->warp * CHECK_LANES + lane;

	if (!checks(b->space, MODEL_CHECK_INIT) ||
	    update_written(a, b->local_written, thread * b->launch->grid.local_bytes + at))
		return;
	pthread_mutex_lock(&b->space->lock);
	report_unwritten(b, a, lane, at, NULL);
	pthread_mutex_unlock(&b->space->lock);
}

uint32_t check_lanes(struct check_block *b, const struct check_access *a,
		     const uint64_t address[CHECK_LANES], uint32_t mask)
{
	if (a->scope && a->kind != CHECK_WRITE && checks(b->space, MODEL_CHECK_RACE))
		race_strong(b, a);
	if (a->memory == CHECK_GLOBAL)
		return check_global_lanes(b, a, address, mask);
	if (a->memory == CHECK_SHARED) {
		check_shared_lanes(b, a, address, mask);
		return mask;
	}
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(left);

		check_local(b, a, lane, address[lane]);
	}
	return mask;
}
