/* SPDX-License-Identifier: MIT */
/* Minimum and maximum as functions, which evaluate their arguments once. */
#ifndef SOV_MINMAX_H
#define SOV_MINMAX_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

#endif
