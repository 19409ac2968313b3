/* SPDX-License-Identifier: MIT */
/*
 * Spilling. spill.c is generic: it chooses the virtual registers to spill and rewrites instructions
 * so that each spilled register is stored where it is defined and reloaded before its uses. Two
 * clients supply store and reload: predicates are spilled to GPRs (spill_predicates.c), GPRs to
 * local memory (spill_memory.c).
 */
#ifndef SOV_COMPILER_NV_SPILL_H
#define SOV_COMPILER_NV_SPILL_H

#include "libsov/compiler/nv/mir.h"

struct spiller {
	struct mir_func *f;
	uint8_t kind;    /* register file under pressure */
	uint32_t limit;  /* registers that it has */
	uint32_t nvregs; /* before spilling adds any */
	bool *spilled;   /* by vreg */
	bool *remat;     /* by vreg: reload recomputes it and store is never called; NULL = none */
	bool remat_only; /* spill nothing else */
	void *client;    /* private data of reload and store */
	/* Reloads count units of a spilled register into a new one before an instruction (NULL:
	 * at the block's end), and stores them from a register. */
	void (*reload)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		       uint32_t b, struct mir_inst *before);
	void (*store)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
		      uint32_t b, struct mir_inst *before);
};

/* Chooses the registers to spill so that the pressure nowhere exceeds the limit. False:
 * impossible. Requires liveness. */
bool nv_spill_choose(struct spiller *s, bool *any);
/* Rewrites all instructions and branch conditions. The caller rewrites phis. */
void nv_spill_rewrite(struct spiller *s);

#endif
