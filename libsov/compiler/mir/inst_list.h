/* SPDX-License-Identifier: MIT */
/*
 * Instructions of a basic block as a doubly linked list: a block has members first and last, an
 * instruction prev and next.
 *
 * This folder holds the algorithms that both back ends run on their machine IRs; the types of
 * instructions, registers and blocks belong to nv/mir.h and amd/mir.h.
 *	bitset.h            sets of units, registers and blocks
 *	liveness.h          backward data-flow solver
 *	check_registers.h   verifier of the register assignment
 *	parallel_copy.h     sequentialising the copies of phis
 * docs/amd.md says why the back ends have separate allocators, schedulers and hazard verifiers.
 */
#ifndef SOV_COMPILER_MIR_INST_LIST_H
#define SOV_COMPILER_MIR_INST_LIST_H

/* before NULL: appends. */
#define inst_list_insert(block, before, i) \
	do { \
		(i)->next = (before); \
		(i)->prev = (before) ? (before)->prev : (block)->last; \
		*((i)->prev ? &(i)->prev->next : &(block)->first) = (i); \
		*((before) ? &(before)->prev : &(block)->last) = (i); \
	} while (0)

/* The instruction keeps its links, so that a loop over the block can go on. */
#define inst_list_remove(block, i) \
	do { \
		*((i)->prev ? &(i)->prev->next : &(block)->first) = (i)->next; \
		*((i)->next ? &(i)->next->prev : &(block)->last) = (i)->prev; \
	} while (0)

#endif
