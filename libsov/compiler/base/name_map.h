/* SPDX-License-Identifier: MIT */
/*
 * A hash map from names to numbers in an arena, for labels, variables and values while text is
 * parsed or printed. Open addressing without removal. A zeroed map with an arena is empty.
 */
#ifndef SOV_COMPILER_NAME_MAP_H
#define SOV_COMPILER_NAME_MAP_H

#include "libsov/compiler/base/arena.h"

struct name_map {
	struct arena *arena;
	struct name_map_entry {
		const char *name; /* NULL: free */
		uint32_t length, value;
	} *entries;
	uint32_t count, capacity; /* capacity: a power of two */
};

/* Returns the number of a name; a new name gets 0. The pointer is valid until the next insertion;
 * the name must outlive the map. */
uint32_t *name_map_get(struct name_map *n, const char *name, uint32_t length);

/* Length of the word of IR text at s: a letter, _ or $, then also digits and dots. The printer
 * quotes names that are no word. */
size_t ir_word_length(const char *s, size_t n);

#endif
