// SPDX-License-Identifier: MIT
/* Races: two accesses to the same bytes, one of them a write, by threads that nothing orders.
 *
 * Each warp has a clock, and knows of each warp of its block the clock up to which it follows it
 * (vector clocks; Flanagan and Freund, FastTrack, PLDI 2009, keeps marks of the last accesses as
 * here). A barrier joins the clocks of its warps. A fence releases what the warp has seen
 * to its block, and one of the whole GPU to other blocks; another warp acquires it by a fence, and,
 * from other blocks, by a strong read or an atomic and then a fence or an invalidation of its
 * cache. The addresses of flags are not compared: a release counts for all that acquire after it.
 * So what is reported is a race, but not every race is reported. Lanes of a warp are ordered, but
 * for lanes that store different values to one address by one instruction. Accesses that are both
 * strong, with scopes that reach each other, are no race, nor is a store of the present value.
 *
 * Launches are ordered: marks of an earlier one are forgotten. */
#include <stdio.h>
#include <stdlib.h>

#include "model/core/check_internal.h"
#include "model/core/model_internal.h"

#define WORD_SHIFT 2u

struct cell {
	struct mark write, read[2]; /* reads: of different warps, the last one first */
};

struct accesses {
	uint64_t launch;
	uint32_t bytes, shift; /* a cell is for a word, or a byte once one was accessed */
	struct cell *cells;
};

/* What a block has released: all that its warps had done up to their clocks. */
struct release {
	uint64_t time;
	uint32_t clock[CHECK_MAX_WARPS];
};

struct block_releases {
	struct block_releases *next;
	uint32_t block, count, capacity;
	struct release *list;
};

#define RELEASE_BUCKETS 256u
struct releases {
	uint64_t time; /* counts releases */
	struct block_releases *buckets[RELEASE_BUCKETS];
};

/* ---- marks ---- */

struct accesses *accesses_create(uint32_t bytes)
{
	struct accesses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->bytes = bytes;
	a->shift = WORD_SHIFT;
	a->cells = calloc((bytes >> WORD_SHIFT) + 1, sizeof(*a->cells));
	if (a->cells)
		return a;
	free(a);
	return NULL;
}

void accesses_destroy(struct accesses *a)
{
	if (!a)
		return;
	free(a->cells);
	free(a);
}

static inline void forget_other_launches(struct accesses *a, const struct check_launch *l)
{
	if (a->launch == l->serial)
		return;
	a->launch = l->serial;
	memset(a->cells, 0, ((a->bytes >> a->shift) + 1) * sizeof(*a->cells));
}

/* A cell for each byte from here on. */
static bool split_cells(struct accesses *a)
{
	struct cell *cells = calloc(a->bytes + 1, sizeof(*cells));

	if (!cells)
		return false;
	for (uint32_t i = 0; i < a->bytes; i++)
		cells[i] = a->cells[i >> WORD_SHIFT];
	free(a->cells);
	a->cells = cells;
	a->shift = 0;
	return true;
}

static uint64_t mark_pc(const struct check_launch *l, const struct mark *m)
{
	return l->grid.program + (uint64_t)(int64_t)(int32_t)(m->pc - (uint32_t)l->grid.program);
}

/* ---- order ---- */

static void clocks_join(struct clocks *to, const struct clocks *from)
{
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		to->clock[i] = to->clock[i] > from->clock[i] ? to->clock[i] : from->clock[i];
	to->acquired = to->acquired > from->acquired ? to->acquired : from->acquired;
}

static struct block_releases **releases_at(struct releases *r, uint32_t block)
{
	struct block_releases **at = &r->buckets[block % RELEASE_BUCKETS];

	while (*at && (*at)->block != block)
		at = &(*at)->next;
	return at;
}

struct releases *releases_create(void)
{
	return calloc(1, sizeof(struct releases));
}

void releases_destroy(struct releases *r)
{
	for (uint32_t i = 0; r && i < RELEASE_BUCKETS; i++)
		while (r->buckets[i]) {
			struct block_releases *next = r->buckets[i]->next;

			free(r->buckets[i]->list);
			free(r->buckets[i]);
			r->buckets[i] = next;
		}
	free(r);
}

/* Out of host memory, a release is lost, which may lead to a wrong report. */
static void release(struct check_block *b, const struct clocks *warp)
{
	struct releases *all = b->launch->releases;
	struct block_releases **at = releases_at(all, b->linear), *mine = *at;
	struct release *r;

	if (!mine) {
		mine = *at = calloc(1, sizeof(*mine));
		if (!mine)
			return;
		mine->block = b->linear;
	}
	if (mine->count == mine->capacity) {
		uint32_t capacity = mine->capacity ? 2 * mine->capacity : 4;
		struct release *bigger = realloc(mine->list, capacity * sizeof(*bigger));

		if (!bigger)
			return;
		mine->list = bigger;
		mine->capacity = capacity;
	}
	r = &mine->list[mine->count++];
	*r = (struct release){0};
	if (mine->count > 1)
		memcpy(r->clock, r[-1].clock, sizeof(r->clock));
	r->time = ++all->time;
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		r->clock[i] = r->clock[i] > warp->clock[i] ? r->clock[i] : warp->clock[i];
}

/* Whether the access of another block was released before the warp acquired. */
static bool is_released(struct check_block *b, uint32_t warp, const struct mark *m)
{
	const struct block_releases *of = *releases_at(b->launch->releases, m->block);
	uint64_t acquired = b->warps[warp].acquired;
	uint32_t low = 0, high = of ? of->count : 0;

	while (low < high) { /* the last release that the warp has acquired */
		uint32_t middle = low + (high - low) / 2;

		if (of->list[middle].time <= acquired)
			low = middle + 1;
		else
			high = middle;
	}
	return low && of->list[low - 1].clock[m->thread / CHECK_LANES] >= m->clock;
}

static bool is_ordered(struct check_block *b, uint32_t warp, const struct mark *m)
{
	uint32_t other = m->thread / CHECK_LANES;

	if (m->block != b->linear)
		return is_released(b, warp, m);
	return other == warp || b->warps[warp].clock[other] >= m->clock;
}

void race_start(struct check_block *b)
{
	memset(b->warps, 0, sizeof(b->warps));
	memset(b->barriers, 0, sizeof(b->barriers));
	memset(&b->fences, 0, sizeof(b->fences));
	memset(b->strong, 0, sizeof(b->strong));
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		b->warps[i].clock[i] = 1;
}

void check_barrier_arrive(struct check_block *b, uint32_t warp, uint32_t barrier)
{
	clocks_join(&b->barriers[barrier], &b->warps[warp]);
	b->warps[warp].clock[warp]++;
}

void check_barrier_leave(struct check_block *b, uint32_t warp, uint32_t barrier)
{
	clocks_join(&b->warps[warp], &b->barriers[barrier]);
}

void check_barrier_complete(struct check_block *b, uint32_t barrier)
{
	memset(&b->barriers[barrier], 0, sizeof(b->barriers[barrier]));
}

void check_acquire(struct check_block *b, uint32_t warp)
{
	struct clocks *c = &b->warps[warp];

	c->acquired = c->acquired > b->strong[warp] ? c->acquired : b->strong[warp];
}

void check_fence(struct check_block *b, uint32_t warp, enum check_scope scope, bool acquires)
{
	struct clocks *c = &b->warps[warp];

	if (!checks(b->space, MODEL_CHECK_RACE))
		return;
	if (acquires)
		b->strong[warp] = b->launch->releases->time;
	if (scope == CHECK_GPU)
		check_acquire(b, warp);
	clocks_join(c, &b->fences);
	clocks_join(&b->fences, c);
	if (scope == CHECK_GPU)
		release(b, c);
	c->clock[warp]++;
}

void race_strong(struct check_block *b, const struct check_access *a)
{
	clocks_join(&b->warps[a->warp], &b->fences);
	if (a->scope == CHECK_GPU)
		b->strong[a->warp] = b->launch->releases->time;
}

/* ---- accesses ---- */

static bool stores_the_same(const struct check_access *a, uint32_t lane, uint32_t other)
{
	for (uint32_t k = 0; k < (a->bytes + 3) / 4; k++)
		if ((a->values[k][lane] ^ a->values[k][other]) &
		    (a->bytes < 4 ? (1u << 8 * a->bytes) - 1 : UINT32_MAX))
			return false;
	return true;
}

/* Whether the store leaves memory as it is. */
static bool is_silent(const struct race *c)
{
	const struct check_access *a = c->a;
	const uint8_t *memory = a->shared ? a->shared + c->address[c->lane] : NULL;
	enum mmu_result why;

	if (a->kind != CHECK_WRITE || !a->values)
		return false;
	if (a->memory == CHECK_GLOBAL)
		memory = mmu_translate(a->reader, c->address[c->lane], MODEL_READ, &why);
	for (uint32_t i = 0; memory && i < a->bytes; i++)
		if (memory[i] != (uint8_t)(a->values[i / 4][c->lane] >> 8 * (i % 4)))
			return false;
	return memory;
}

static bool is_race(const struct race *c, const struct mark *m)
{
	const struct mark *me = &c->mark;
	uint32_t other = m->thread % CHECK_LANES;
	bool same_block = m->block == me->block;

	/* Shared memory keeps the marks of the block that had it before. */
	if (!m->clock || (c->a->memory == CHECK_SHARED && !same_block))
		return false;
	if (same_block && m->thread / CHECK_LANES == c->a->warp)
		return m->kind == CHECK_WRITE && me->kind == CHECK_WRITE && m->pc == me->pc &&
		       m->thread != me->thread && c->mask >> other & 1 && other < c->lane &&
		       c->address[other] == c->address[c->lane] && c->a->values &&
		       !stores_the_same(c->a, c->lane, other);
	if (m->scope && me->scope &&
	    (same_block || (m->scope == CHECK_GPU && me->scope == CHECK_GPU)))
		return false;
	return !is_ordered(c->b, c->a->warp, m) && !is_silent(c);
}

static void report_race(const struct race *c, const struct mark *m)
{
	static const char *const reasons[] = {
		"no barrier or fence between them orders them",
		"they are in different blocks, which nothing orders",
		"lanes of a warp store different values by one instruction",
		"they are in different blocks, and the scope of one is its own block",
	};
	struct check_block *b = c->b;
	uint64_t other_pc = mark_pc(b->launch, m);
	struct model_report *r;
	uint32_t why = m->block != b->linear;

	if (m->block == b->linear && m->thread / CHECK_LANES == c->a->warp)
		why = 2;
	else if (why && m->scope && c->mark.scope)
		why = 3;
	r = report_access(b, c->a, c->lane, c->address[c->lane], MODEL_REPORT_RACE, other_pc);
	if (!r)
		return;
	r->site_count = 2;
	report_place(b->launch, &r->sites[1], m->block, m->thread, other_pc);
	snprintf(r->sites[1].access, sizeof(r->sites[1].access), "%s",
		 access_name((enum check_access_kind)m->kind));
	snprintf(r->text, sizeof(r->text), "%s at 0x%llx races with an earlier %s: %s",
		 r->sites[0].access, (unsigned long long)r->address, r->sites[1].access,
		 reasons[why]);
	if (c->range)
		report_allocation(r, c->range, false);
}

static void report_races(const struct race *c, const struct mark *m)
{
	if (!is_race(c, m))
		return;
	if (c->a->memory == CHECK_GLOBAL) { /* the caller holds the lock */
		report_race(c, m);
		return;
	}
	pthread_mutex_lock(&c->b->space->lock);
	report_race(c, m);
	pthread_mutex_unlock(&c->b->space->lock);
}

static bool is_same_warp(const struct mark *a, const struct mark *b)
{
	return a->block == b->block && a->thread / CHECK_LANES == b->thread / CHECK_LANES;
}

/* Whether the cell remembers a read by the same warp since its last synchronisation. */
static inline bool is_known_read(const struct mark *m, const struct mark *me)
{
	return m->clock == me->clock && is_same_warp(m, me) && m->scope <= me->scope;
}

/* Whether the mark is known to be ordered before a read, which is the usual case. */
static inline bool precedes_read(const struct race *c, const struct mark *m)
{
	uint32_t warp = m->thread / CHECK_LANES;

	return !m->clock ||
	       (m->block == c->mark.block &&
		(warp == c->a->warp || c->b->warps[c->a->warp].clock[warp] >= m->clock));
}

static inline void touch_cell(const struct race *c, struct cell *cell)
{
	if (c->mark.kind == CHECK_READ) {
		if (!precedes_read(c, &cell->write))
			report_races(c, &cell->write);
		if (is_known_read(&cell->read[0], &c->mark))
			return;
		if (cell->read[0].clock && !is_same_warp(&cell->read[0], &c->mark))
			cell->read[1] = cell->read[0];
		cell->read[0] = c->mark;
		return;
	}
	if (cell->write.clock)
		report_races(c, &cell->write);
	if (cell->read[0].clock) {
		report_races(c, &cell->read[0]);
		report_races(c, &cell->read[1]);
		cell->read[0].clock = cell->read[1].clock = 0;
	}
	cell->write = c->mark;
}

struct race race_begin(struct check_block *b, const struct check_access *a,
		       const uint64_t address[CHECK_LANES], uint32_t mask)
{
	return (struct race){
		.b = b,
		.a = a,
		.address = address,
		.mask = mask,
		.mark = {.block = b->linear,
			 .clock = b->warps[a->warp].clock[a->warp],
			 .pc = (uint32_t)a->pc,
			 .kind = (uint8_t)a->kind,
			 .scope = (uint8_t)a->scope},
	};
}

void race_access(struct race *c, uint32_t lane, struct accesses *accesses, uint32_t offset)
{
	uint32_t bytes = c->a->bytes;

	c->lane = lane;
	c->mark.thread = (uint16_t)(c->a->warp * CHECK_LANES + lane);
	forget_other_launches(accesses, c->b->launch);
	if (accesses->shift && (bytes | offset) % 4 && !split_cells(accesses))
		return;
	for (uint32_t i = 0; i < bytes; i += 1u << accesses->shift)
		touch_cell(c, &accesses->cells[(offset + i) >> accesses->shift]);
}
