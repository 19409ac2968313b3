/* SPDX-License-Identifier: MIT */
/*
 * A map from names to numbers, in an arena: for labels, variables and values while text is read or
 * written. Open addressing; entries are never removed. A zeroed map with an arena is empty.
 */
#ifndef SOV_COMPILER_NAMES_H
#define SOV_COMPILER_NAMES_H

#include "libsov/compiler/base/arena.h"

struct name_map {
	struct arena *arena;
	struct name_map_entry {
		const char *name; /* NULL: free */
		uint32_t length, value;
	} * entries;
	uint32_t count, capacity; /* capacity is a power of two */
};

/* The number of a name; a new name gets 0. The pointer is good until the next call that adds, and
 * the name must live as long as the map. */
uint32_t *name_map_get(struct name_map *n, const char *name, uint32_t length);

/* How many of the n characters at s are a word of IR text: a letter, _ or $, then also digits and
 * dots. What is no word is quoted. */
size_t ir_word_length(const char *s, size_t n);

#endif
