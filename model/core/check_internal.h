/* SPDX-License-Identifier: MIT */
/* Internal interfaces of the checker. Everything of a space is guarded by its lock; a block belongs
 * to the host thread that executes it. */
#ifndef MODEL_CHECK_INTERNAL_H
#define MODEL_CHECK_INTERNAL_H

#include <pthread.h>
#include <string.h>

#include "model/core/check.h"

#define SHADOW_PAGE 4096u
#define LINE_BYTES  32u

/* An access as memory remembers it; epoch 0: none. The group of an epoch belongs to a block and
 * begins when one of its warps synchronises: a warp's clock is its present group. */
struct mark {
	uint32_t epoch;  /* group and warp */
	uint32_t detail; /* program counter, lane, whether it is an atomic, scope */
};

/* The last write and the last reads, of different warps, the last one first. */
struct marks {
	struct mark write, read[2];
};

/* What is known of aligned bytes. The marks are those of instructions that accessed all of them,
 * with adjacent lanes; the last accesses to a part of them are in cells, which may be newer or
 * older. */
struct line {
	struct marks marks;
	uint8_t shift[3];               /* of the marks: bytes of a lane */
	uint32_t written;               /* a bit for each byte */
	uint32_t cell_write, cell_read; /* the newest epochs in its cells */
};

/* The shadow of a page or of shared memory. */
struct shadow {
	uint32_t bytes, shift; /* a cell is for a word, or a byte once one was accessed */
	struct marks *cells;   /* NULL: none is used */
	struct line lines[];
};

struct check_range {
	struct model_memory memory;
	struct model_origin freed;
	struct shadow **pages; /* created when they are accessed */
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
	uint64_t generation;        /* counts allocations that ended */
	struct group_page **groups; /* check_order.c */
	uint32_t group_pages;       /* that were used */
	uint32_t running;           /* launches */
	struct model_report reports[CHECK_MAX_REPORTS];
	uint32_t report_count, reports_taken;
};

struct check_launch {
	struct check_space *space;
	struct check_grid grid;
	uint32_t threads;
	struct releases *releases;           /* check_order.c */
	uint32_t first_group, group, groups; /* the first of all; the next one; end of its page */
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
	uint32_t first_group, group; /* the first and the newest one; 0: numbers have run out */
	struct check_range *last; /* the range of the last access, while the generation is this */
	uint64_t generation;
	uint64_t *local_written;
	struct shadow *shared;
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
struct shadow *range_page(struct check_range *r, uint64_t address);
/* Whether an access outside of all allocations may go on. */
bool outside_may_go_on(struct check_block *b, const struct check_access *a, uint32_t lane,
		       uint64_t address);
/* Forgets all accesses. */
void ranges_forget(struct check_space *s);

/* check_shadow.c; with the space's lock if the memory is global. */
struct shadow *shadow_create(uint32_t bytes); /* NULL: out of host memory */
void shadow_destroy(struct shadow *m);        /* NULL is allowed */
void shadow_forget(struct shadow *m);
/* The bits of bytes of one line. */
static inline uint32_t line_bits(uint32_t at, uint32_t bytes)
{
	return UINT32_MAX >> (LINE_BYTES - bytes) << at % LINE_BYTES;
}
bool shadow_is_written(const struct shadow *m, uint32_t at, uint32_t bytes);
void shadow_set_written(struct shadow *m, uint32_t at, uint32_t bytes, bool written);

/* check_order.c */
#define EPOCH_WARP_BITS 5u
bool groups_create(struct check_space *s);
void groups_destroy(struct check_space *s);
/* With the space's lock. */
void groups_begin(struct check_launch *l);
void groups_end(struct check_launch *l);
/* The block of an epoch; false: it is of another launch. */
bool epoch_block(const struct check_launch *l, uint32_t epoch, uint32_t *block);
/* Whether an access by another warp comes before what this one does now. */
bool is_ordered(struct check_block *b, uint32_t warp, uint32_t block, uint32_t epoch);
void order_start(struct check_block *b);
struct releases *releases_create(void);    /* NULL: out of host memory */
void releases_destroy(struct releases *r); /* NULL is allowed */
/* A strong read or an atomic of the warp. */
void order_strong(struct check_block *b, const struct check_access *a);

/* check_race.c; with the space's lock if the memory is global. The accesses of one instruction. */
struct race {
	struct check_block *b;
	const struct check_access *a;
	const uint64_t *address;
	uint32_t mask, lane;
	const struct check_range *range; /* the lane's allocation; NULL: shared memory */
	struct mark mark;
	uint32_t first; /* epochs before are of earlier launches, or blocks */
	uint32_t known; /* an epoch that comes before this instruction */
};
void race_begin(struct race *c, struct check_block *b, const struct check_access *a,
		const uint64_t *address, uint32_t mask);
/* offset: of the lane's first byte. */
void race_access(struct race *c, uint32_t lane, struct shadow *m, uint32_t offset);
/* Accesses of adjacent lanes to a part of a line. False: not all of them are known to be ordered,
 * and nothing was done. */
bool race_lanes(struct race *c, uint32_t lane, struct shadow *m, uint32_t offset, uint32_t bytes);

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
