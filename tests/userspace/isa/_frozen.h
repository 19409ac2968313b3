/* SPDX-License-Identifier: MIT */
/*
 * Shared by the frozen words of both instruction sets: the set of what the words cover, random
 * numbers that depend on nothing but a row, and reading the file.
 *
 * A file of frozen words holds one instruction per line, bits and text, which the vendor's
 * disassembler confirmed when the line was written (tests/oracles/frozen.sh). The test compares the
 * table with the file without that disassembler: a changed row decodes a frozen word differently or
 * not at all, and a new row, form or modifier is not covered.
 */
#ifndef TESTS_ISA_FROZEN_H
#define TESTS_ISA_FROZEN_H

#include <stdint.h>

#include "tests/tap.h"

#define COVERED_SLOTS (1u << 21)

static uint64_t covered_keys[COVERED_SLOTS];
static uint32_t covered_count;

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t next_random(void *state)
{
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* A row keeps its random instructions when rows are added before it. */
static uint64_t seed_of(const char *name, uint32_t variant)
{
	uint64_t seed = 0xcbf29ce484222325 + variant; /* FNV-1a */

	for (; *name; name++)
		seed = (seed ^ (uint8_t)*name) * 0x100000001b3;
	return seed;
}

/* A key of the parts of a covered property; the caller begins with a number for its kind. */
static uint64_t cover_key(uint32_t kind, uint32_t row, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t state = (uint64_t)kind << 56 ^ (uint64_t)row << 40 ^ (uint64_t)a << 32 ^
			 (uint64_t)b << 16 ^ c;

	return next_random(&state) | 1;
}

static bool is_covered(uint64_t key)
{
	uint32_t at = (uint32_t)(key >> 20) % COVERED_SLOTS;

	for (; covered_keys[at]; at = (at + 1) % COVERED_SLOTS)
		if (covered_keys[at] == key)
			return true;
	return false;
}

static void cover(uint64_t key)
{
	uint32_t at = (uint32_t)(key >> 20) % COVERED_SLOTS;

	if (is_covered(key))
		return;
	while (covered_keys[at])
		at = (at + 1) % COVERED_SLOTS;
	covered_keys[at] = key;
	if (++covered_count == COVERED_SLOTS / 2) {
		fprintf(stderr, "frozen words: COVERED_SLOTS is too small\n");
		exit(2);
	}
}

/* The properties that one instruction covers. */
struct keys {
	uint32_t n;
	uint64_t key[512];
};

static bool covers_anything(const struct keys *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (!is_covered(k->key[i]))
			return true;
	return false;
}

static void cover_all(const struct keys *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		cover(k->key[i]);
}

/* Calls check for every line that is not a comment. Returns the number of lines, 0 without file. */
static uint32_t read_frozen(const char *path, void (*check)(char *line, void *state), void *state)
{
	FILE *f = fopen(path, "r");
	uint32_t lines = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (*line == '#' || !*line)
			continue;
		lines++;
		check(line, state);
	}
	if (f)
		fclose(f);
	return lines;
}

#endif
