/* SPDX-License-Identifier: MIT */
/*
 * Sets of units that are live at the start or at the end of a block: the words of a bit set that
 * are not zero, in ascending order. Most units are live within one block only, so that bit sets of
 * all units would have the size of blocks times units; loop nests have thousands of units in each
 * set, so that lists of units would be larger than these words.
 */
#ifndef SOV_COMPILER_MIR_LIVE_SET_H
#define SOV_COMPILER_MIR_LIVE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"

struct live_word {
	uint32_t index; /* of the first unit / 64 */
	uint64_t bits;
};

struct live_set {
	struct live_word *words;
	uint32_t count, capacity;
};

#define LIVE_SET_END UINT32_MAX

/* The first word at or after an index; count: none. */
static inline uint32_t live_set_find(const struct live_set *s, uint32_t index)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (s->words[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline bool live_set_has(const struct live_set *s, uint32_t unit)
{
	uint32_t w = live_set_find(s, unit / 64);

	return w < s->count && s->words[w].index == unit / 64 && s->words[w].bits >> unit % 64 & 1;
}

/* The first member from unit on, which is in word *w or a later one; LIVE_SET_END: none. */
static inline uint32_t live_set_next(const struct live_set *s, uint32_t *w, uint32_t unit)
{
	for (; *w < s->count; ++*w) {
		uint32_t first = s->words[*w].index * 64;
		uint64_t bits = s->words[*w].bits;

		if (unit > first)
			bits = unit - first < 64 ? bits & UINT64_MAX << (unit - first) : 0;
		if (bits)
			return first + (uint32_t)__builtin_ctzll(bits);
	}
	return LIVE_SET_END;
}

/* In ascending order. The body must not change the set. */
#define live_set_for_each(set, unit) \
	for (uint32_t unit##_word = 0, unit = live_set_next(set, &unit##_word, 0); \
	     unit != LIVE_SET_END; unit = live_set_next(set, &unit##_word, unit + 1))

void live_set_add(struct arena *a, struct live_set *s, uint32_t unit);

/* That a unit is read or written in a block. */
struct live_event {
	uint32_t unit, block;
};
struct live_events {
	struct live_event *list;
	uint32_t count, capacity;
};

/* Memory that later solutions for the same function use again. */
struct live_pool {
	struct live_entry *entries;
	struct live_word *words;
	uint32_t entry_capacity, word_capacity;
};

struct live_problem {
	struct arena *arena;
	struct live_pool *pool;
	uint32_t nblocks, nunits;
	/* Units that a block reads before it writes them, that it writes, and that are read on an
	 * edge out of it. */
	struct live_events reads, writes, edge_reads;
	/* Predecessors of block b. */
	const uint32_t *(*predecessors)(const void *func, uint32_t b, uint32_t *count);
	const void *func;
};

void live_events_add(struct arena *a, struct live_events *e, uint32_t unit, uint32_t block);
/* Sets in[b] and out[b] of every block. Scratch memory stays in the arena. */
void live_sets_solve(const struct live_problem *p, struct live_set *in, struct live_set *out);

#endif
