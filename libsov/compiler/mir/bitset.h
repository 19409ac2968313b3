/* SPDX-License-Identifier: MIT */
/*
 * Bit sets over small numbers: register units, physical registers, blocks. A set is an array of
 * words; its owner knows how many members it may have. Arrays from an arena are empty sets.
 */
#ifndef SOV_COMPILER_MIR_BITSET_H
#define SOV_COMPILER_MIR_BITSET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "libsov/compiler/base/arena.h"

#define BITSET_WORDS(n) (((n) + 63) / 64) /* a constant if n is one */

static inline uint32_t bitset_words(uint32_t n)
{
	return BITSET_WORDS(n);
}
static inline uint64_t *bitset_new(struct arena *a, uint32_t n)
{
	return arena_array(a, bitset_words(n) + 1, sizeof(uint64_t));
}
static inline bool bitset_has(const uint64_t *set, uint32_t k)
{
	return set[k / 64] >> k % 64 & 1;
}
static inline void bitset_add(uint64_t *set, uint32_t k)
{
	set[k / 64] |= UINT64_C(1) << k % 64;
}
static inline void bitset_remove(uint64_t *set, uint32_t k)
{
	set[k / 64] &= ~(UINT64_C(1) << k % 64);
}
/* Adds the members of a set; true if that changed the set. */
static inline bool bitset_unite(uint64_t *set, const uint64_t *with, uint32_t words)
{
	uint64_t added = 0;

	for (uint32_t w = 0; w < words; w++) {
		added |= with[w] & ~set[w];
		set[w] |= with[w];
	}
	return added;
}
/* The first member from k on; n: none. */
static inline uint32_t bitset_next(const uint64_t *set, uint32_t n, uint32_t k)
{
	uint32_t w = k / 64;
	uint64_t bits;

	if (k >= n)
		return n;
	bits = set[w] & UINT64_MAX << k % 64;
	while (!bits) {
		if (++w == bitset_words(n))
			return n;
		bits = set[w];
	}
	return 64 * w + (uint32_t)__builtin_ctzll(bits);
}
/* In ascending order. The body may remove members, and add members greater than k. */
#define bitset_for_each(set, n, k) \
	for (uint32_t k = bitset_next(set, n, 0); k < (n); k = bitset_next(set, n, k + 1))

#endif
