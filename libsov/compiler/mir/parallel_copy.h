/* SPDX-License-Identifier: MIT */
/*
 * Sequentialising a parallel copy, such as the phis of an edge: all sources are read before any
 * destination is written. A copy is emitted once no other pending copy reads its destination; what
 * remains then are cycles, each broken by a swap or by saving one source to a free location.
 *
 * Locations are numbers of the caller's choice: registers, or words of virtual registers.
 */
#ifndef SOV_COMPILER_MIR_PARALLEL_COPY_H
#define SOV_COMPILER_MIR_PARALLEL_COPY_H

#include <stdbool.h>
#include <stdint.h>

struct copy_item {
	uint32_t dst;
	uint32_t src; /* 0: no location but a constant, which only emit() knows */
	bool done;
};

struct parallel_copy {
	struct copy_item *items; /* destinations are distinct */
	uint32_t count;
	/* Which pending copy of a cycle is broken: the last or the first one. */
	bool break_last;
	void *context;
	/* Emits copy k, which reads items[k].src. */
	void (*emit)(void *context, uint32_t k);
	/*
	 * Breaks the cycle of copy k by exchanging the contents of items[k].src and items[k].dst.
	 * Returns false, and emits nothing, if the target cannot exchange these two locations;
	 * save() breaks the cycle then. NULL: the target has no exchange.
	 */
	bool (*swap)(void *context, uint32_t k);
	/* Breaks the cycle of copy k by copying items[k].src to a free location; returns that. */
	uint32_t (*save)(void *context, uint32_t k);
};

void parallel_copy_sequentialise(const struct parallel_copy *c);

#endif
