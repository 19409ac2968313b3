// SPDX-License-Identifier: MIT
/* How long the card's units take. Time passes with reads of a unit's status: each operation takes a
 * number of reads, which a generator chooses whose seed is an option. A driver that does not wait
 * for the end of an operation finds that it has not happened. */
#include "model/card/card_internal.h"

#define MAX_READS 12

void latency_seed(struct card *c, uint64_t seed)
{
	c->latency = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
}

uint32_t latency_next(struct card *c)
{
	c->latency ^= c->latency << 13;
	c->latency ^= c->latency >> 7;
	c->latency ^= c->latency << 17;
	return 1 + (uint32_t)(c->latency >> 32) % MAX_READS;
}

bool latency_left(uint32_t *reads)
{
	if (!*reads)
		return false;
	--*reads;
	return true;
}
