/* SPDX-License-Identifier: MIT */
/* Internal interfaces of the checker. Everything of a space is guarded by its lock; a block belongs
 * to the host thread that executes it. */
#ifndef MODEL_CHECK_INTERNAL_H
#define MODEL_CHECK_INTERNAL_H

#include <pthread.h>
#include <string.h>

#include "model/core/check.h"

#define SHADOW_PAGE 4096u

/* One bit for each byte that was written. */
struct written {
	uint64_t bits[SHADOW_PAGE / 64];
};

/* check_race.c: the last accesses to the bytes of a page or of shared memory; NULL: none. */
struct accesses;
void accesses_destroy(struct accesses *a); /* NULL is allowed */

struct shadow_page {
	struct written written;
	struct accesses *accesses;
};

struct check_range {
	struct model_memory memory;
	struct model_origin freed;
	struct shadow_page **pages; /* created when they are accessed */
};

#define CHECK_MAX_FREED   1024u
#define CHECK_MAX_REPORTS 200u

struct check_space {
	uint32_t checks;
	pthread_mutex_t lock;
	struct check_range **ranges, **parents; /* by address; parents: that have parts */
	uint32_t range_count, range_capacity, parent_count, parent_capacity;
	struct check_range *freed[CHECK_MAX_FREED]; /* the most recent ones */
	uint64_t freed_count;
	uint64_t generation; /* counts allocations that ended */
	uint64_t launches;
	struct model_report reports[CHECK_MAX_REPORTS];
	uint32_t report_count, reports_taken;
};

struct check_launch {
	struct check_space *space;
	struct check_grid grid;
	uint64_t serial;
	uint32_t threads, warps;
	struct releases *releases; /* check_race.c */
};

/* What a warp knows of the others: of each warp of its block the clock up to which it comes after
 * it, and the time up to which it has acquired what other blocks released. */
struct clocks {
	uint32_t clock[CHECK_MAX_WARPS];
	uint64_t acquired;
};

#define CHECK_BARRIERS 16u

struct check_block {
	struct check_launch *launch;
	struct check_space *space;
	uint32_t id[3], linear;
	struct check_range *last; /* the range of the last access, while the generation is this */
	uint64_t generation;
	uint64_t *shared_written, *local_written;
	struct accesses *shared_accesses;
	struct clocks warps[CHECK_MAX_WARPS], barriers[CHECK_BARRIERS], fences;
	uint64_t strong[CHECK_MAX_WARPS]; /* the time of a warp's last strong read */
};

static inline bool checks(const struct check_space *s, uint32_t what)
{
	return s->checks & what;
}

/* Maps with a bit for each byte; 1 to 64 bytes. */
static inline bool bits_all(const uint64_t *map, uint64_t at, uint32_t count)
{
	uint64_t bits = map[at / 64] >> at % 64, want = UINT64_MAX >> (64 - count);

	if (at % 64 + count > 64)
		bits |= map[at / 64 + 1] << (64 - at % 64);
	return (bits & want) == want;
}

static inline void bits_set(uint64_t *map, uint64_t at, uint32_t count)
{
	uint64_t want = UINT64_MAX >> (64 - count);

	map[at / 64] |= want << at % 64;
	if (at % 64 + count > 64)
		map[at / 64 + 1] |= want >> (64 - at % 64);
}

/* check_memory.c; with the space's lock. NULL: no allocation contains the bytes. */
struct check_range *range_find(struct check_space *s, uint64_t address, uint64_t bytes);
/* The shadow of the page that has the address; NULL: out of host memory. */
struct shadow_page *range_page(struct check_range *r, uint64_t address);
/* Whether an access outside of all allocations may go on. */
bool outside_may_go_on(struct check_block *b, const struct check_access *a, uint32_t lane,
		       uint64_t address);

/* check_race.c; with the space's lock if the memory is global. */
struct accesses *accesses_create(uint32_t bytes); /* NULL: out of host memory */
/* An access as the bytes remember it; clock 0: none. The program counter's upper half is the
 * kernel's. */
struct mark {
	uint32_t block, clock, pc;
	uint16_t thread;
	uint8_t kind, scope;
};
/* The accesses of one instruction, and the present lane. */
struct race {
	struct check_block *b;
	const struct check_access *a;
	const uint64_t *address;
	uint32_t mask, lane;
	const struct check_range *range; /* the lane's allocation; NULL: shared memory */
	struct mark mark;
};
struct race race_begin(struct check_block *b, const struct check_access *a,
		       const uint64_t address[CHECK_LANES], uint32_t mask);
/* offset: of the lane's first byte. */
void race_access(struct race *c, uint32_t lane, struct accesses *accesses, uint32_t offset);
void race_start(struct check_block *b);
struct releases *releases_create(void);    /* NULL: out of host memory */
void releases_destroy(struct releases *r); /* NULL is allowed */
/* A strong read or an atomic of the warp. */
void race_strong(struct check_block *b, const struct check_access *a);

/* check_report.c; with the space's lock. A report that is there already is counted only: then, and
 * when there are too many, NULL. */
struct model_report *report_new(struct check_space *s, enum model_report_kind kind, uint64_t pc,
				uint64_t other_pc);
struct model_report *report_access(struct check_block *b, const struct check_access *a,
				   uint32_t lane, uint64_t address, enum model_report_kind kind,
				   uint64_t other_pc);
void report_allocation(struct model_report *r, const struct check_range *range, bool is_freed);
void report_place(const struct check_launch *l, struct model_report_site *site, uint32_t block,
		  uint32_t thread, uint64_t pc);
const char *access_name(enum check_access_kind kind);

#endif
