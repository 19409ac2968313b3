/* SPDX-License-Identifier: MIT */
/*
 * Spilling, in two halves that do not know each other. spill.c decides who has to go, and rewrites
 * instructions so that those live elsewhere: each is put away where it is made and fetched just
 * before it is used. Where "elsewhere" is, the kind of register says: predicates live in registers
 * (spill_predicates.c), registers in local memory (spill_memory.c).
 */
#ifndef SOV_COMPILER_NV_SPILL_H
#define SOV_COMPILER_NV_SPILL_H

#include "libsov/compiler/nv/mir.h"

struct spiller {
	struct mir_func *f;
	uint8_t kind;    /* of register that there are too few of … */
	uint32_t limit;  /* … and how many there are */
	uint32_t nvregs; /* before any were added */
	bool *spilled;   /* by vreg */
	bool *cheap;     /* by vreg: fetch makes it anew, nobody puts it away; NULL: none */
	void *home;      /* of those that make and fetch */
	/* Count units of a register from part on: from its home to a new register before an
	 * instruction (NULL: at the block's end), and from a register to its home behind one. */
	void (*fetch)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		      uint32_t b, struct mir_inst *before);
	void (*put)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
		    uint32_t b, struct mir_inst *before);
};

/* Chooses who goes, if anyone, so that at no place more than the limit are left. False: that cannot
 * be. Needs liveness. */
bool nv_spill_choose(struct spiller *s, bool *any);
/* Rewrites all instructions and branch conditions; phis are the caller's. */
void nv_spill_rewrite(struct spiller *s);

#endif
