/* SPDX-License-Identifier: MIT */
/*
 * Verifier of a register assignment, independent of the allocator and of the instruction set: a
 * forward data-flow analysis of the units that each register holds. The status of a unit in a
 * register is undefined (no definition of the unit reaches this point), held, or lost, and a join
 * takes the worst of its incoming edges. Every read must find the unit that it names.
 *
 * An adaptor describes the target: for each instruction the registers and units that it reads and
 * writes and the registers that it clobbers, and the registers that change on edges.
 */
#ifndef SOV_COMPILER_MIR_CHECK_REGISTERS_H
#define SOV_COMPILER_MIR_CHECK_REGISTERS_H

#include "libsov/compiler/mir/bitset.h"

#define REGCHECK_MAX_ACCESSES 160

enum regcheck_kind {
	REGCHECK_READ,
	REGCHECK_WRITE,
	/* Copy of a register to itself: it holds this unit, too. The source is listed as a read. */
	REGCHECK_ALIAS,
	REGCHECK_CLOBBER, /* between reads and writes: the registers lose their units */
};

enum regcheck_fault {
	REGCHECK_SOUND,
	REGCHECK_MISALIGNED,
	REGCHECK_NO_REGISTER, /* outside of the registers that the function may use */
	REGCHECK_NOT_HELD,
};
extern const char *const regcheck_texts[]; /* by fault: the end of a message of report() */

/* An access of consecutive units in consecutive registers. */
struct regcheck_access {
	uint8_t kind;     /* enum regcheck_kind */
	uint8_t fault;    /* REGCHECK_MISALIGNED or REGCHECK_NO_REGISTER by the target's rules */
	uint32_t reg;     /* the files have disjoint numbers, from 0 */
	uint32_t unit;    /* not of clobbers */
	uint32_t count;   /* of registers */
	uint32_t operand; /* for report() */
};

struct regcheck {
	struct arena *arena;
	const void *func; /* for the callbacks */
	uint32_t nblocks, entry, nregs, nunits;
	/*
	 * Each unit has one definition, which dominates its uses. A copy then leaves the unit valid
	 * in its old register, and reading an undefined unit is a fault. In other code a definition
	 * invalidates the unit in all other registers, and undefined units may be read, since a
	 * path that jumps over a definition jumps over the reads whose values matter.
	 */
	bool ssa;
	const uint32_t *order; /* blocks; the first fault in this order is reported */
	uint32_t count;
	const uint32_t *(*successors)(const void *func, uint32_t b, uint32_t *count);
	/* Returns the instruction after i in b, NULL at the end; i NULL: the first one. */
	const void *(*next_inst)(const void *func, uint32_t b, const void *i);
	/* Lists the accesses of i; i NULL: those of the terminator, as far as it has no
	 * instruction yet. Returns their number, at most REGCHECK_MAX_ACCESSES. */
	uint32_t (*list_accesses)(const void *func, uint32_t b, const void *i,
				  struct regcheck_access *out);
	/* Lists, as writes, the units that registers hold at entry. NULL: none. */
	uint32_t (*list_inputs)(const void *func, struct regcheck_access *out);
	/* Adds the registers that lose their units on the edges out of b. NULL: none. */
	void (*add_edge_clobbers)(const void *func, uint32_t b, uint64_t *regs);
	void (*report)(const void *func, uint32_t b, const void *i, const struct regcheck_access *a,
		       enum regcheck_fault fault, struct text *why);
};

/* Returns false with the first fault in why. */
bool regcheck_run(const struct regcheck *c, struct text *why);

#endif
