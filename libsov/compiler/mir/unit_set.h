/* SPDX-License-Identifier: MIT */
/*
 * A set of units that a walk over a function's blocks changes all the time: a bit set with a
 * summary, which has a bit for each word that is not zero. Clearing it and listing its members cost
 * as much as it has members, not as much as it could have.
 */
#ifndef SOV_COMPILER_MIR_UNIT_SET_H
#define SOV_COMPILER_MIR_UNIT_SET_H

#include "libsov/compiler/mir/bitset.h"
#include "libsov/compiler/mir/live_set.h"

struct unit_set {
	uint64_t *words, *summary;
	uint32_t n; /* units are smaller */
};

static inline struct unit_set unit_set_new(struct arena *a, uint32_t n)
{
	return (struct unit_set){bitset_new(a, n), bitset_new(a, bitset_words(n)), n};
}
static inline bool unit_set_has(const struct unit_set *s, uint32_t unit)
{
	return bitset_has(s->words, unit);
}
static inline void unit_set_add(struct unit_set *s, uint32_t unit)
{
	bitset_add(s->words, unit);
	bitset_add(s->summary, unit / 64);
}
static inline void unit_set_remove(struct unit_set *s, uint32_t unit)
{
	bitset_remove(s->words, unit);
	if (!s->words[unit / 64])
		bitset_remove(s->summary, unit / 64);
}
/* The first member from unit on; n: none. */
static inline uint32_t unit_set_next(const struct unit_set *s, uint32_t unit)
{
	uint32_t words = bitset_words(s->n), w = unit / 64;
	uint64_t bits;

	if (unit >= s->n)
		return s->n;
	bits = s->words[w] & UINT64_MAX << unit % 64;
	if (!bits) {
		w = bitset_next(s->summary, words, w + 1);
		if (w >= words)
			return s->n;
		bits = s->words[w];
	}
	return 64 * w + (uint32_t)__builtin_ctzll(bits);
}
/* In ascending order. The body may remove members, and add members greater than unit. */
#define unit_set_for_each(s, unit) \
	for (uint32_t unit = unit_set_next(s, 0); unit < (s)->n; unit = unit_set_next(s, unit + 1))
static inline void unit_set_clear(struct unit_set *s)
{
	bitset_for_each(s->summary, bitset_words(s->n), w) s->words[w] = 0;
	memset(s->summary, 0, bitset_words(bitset_words(s->n)) * sizeof(*s->summary));
}
/* Replaces the members. */
static inline void unit_set_assign(struct unit_set *s, const struct live_set *from)
{
	unit_set_clear(s);
	for (uint32_t w = 0; w < from->count; w++) {
		s->words[from->words[w].index] = from->words[w].bits;
		bitset_add(s->summary, from->words[w].index);
	}
}

#endif
