/* SPDX-License-Identifier: MIT */
/*
 * The contents of a barrier in memory, as the interpreter and targets without barrier instructions
 * keep it: bits 0 to 20 the arrivals that each phase expects, bits 21 to 41 the outstanding bytes
 * modulo 2^21, bits 42 to 62 the arrivals that are missing, bit 63 the phase. Counts are below 2^20
 * (PTX ISA, mbarrier), and bytes between its negative and positive.
 */
#ifndef SOV_COMPILER_MBARRIER_H
#define SOV_COMPILER_MBARRIER_H

#include <stdint.h>

#define MBARRIER_FIELD   UINT64_C(0x1fffff)
#define MBARRIER_BYTES   21 /* first bit of the outstanding bytes */
#define MBARRIER_PENDING 42 /* … of the missing arrivals */
#define MBARRIER_PHASE   63
#define MBARRIER_MAX     0xfffff /* arrivals, and bytes */

static inline uint64_t mbarrier_init(uint32_t expected)
{
	return (uint64_t)expected << MBARRIER_PENDING | expected;
}

static inline uint32_t mbarrier_pending(uint64_t contents)
{
	return (uint32_t)(contents >> MBARRIER_PENDING & MBARRIER_FIELD);
}

/* At most as many arrivals as are missing. */
static inline uint64_t mbarrier_arrive(uint64_t contents, uint32_t arrivals, int32_t bytes,
				       uint32_t dropped)
{
	uint64_t outstanding =
		((contents >> MBARRIER_BYTES) + (uint64_t)(int64_t)bytes) & MBARRIER_FIELD;

	contents &= ~(MBARRIER_FIELD << MBARRIER_BYTES);
	contents |= outstanding << MBARRIER_BYTES;
	contents -= (uint64_t)arrivals << MBARRIER_PENDING;
	contents -= dropped;
	if (outstanding || mbarrier_pending(contents))
		return contents;
	return (contents ^ UINT64_C(1) << MBARRIER_PHASE) | (contents & MBARRIER_FIELD)
								    << MBARRIER_PENDING;
}

#endif
