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

/* By vreg: cost of a spill, mentions weighted by loop depth, and number of mentions. */
struct spill_costs {
	uint64_t *cost;
	uint32_t *mentions;
};

struct spiller {
	struct mir_func *f;
	uint8_t kind;    /* register file under pressure */
	uint32_t limit;  /* registers that it has */
	uint32_t nvregs; /* before spilling adds any */
	bool *spilled;   /* by vreg */
	bool *remat;     /* by vreg: reload recomputes it and store is never called; NULL = none */
	bool remat_only; /* spill nothing else */
	/* By vreg: computes it from registers that are live wherever it is used; NULL: none. The
	 * registers that a spilled one is computed from are pinned: they stay. */
	struct mir_inst **recompute;
	bool *pinned;
	struct spill_costs costs; /* NULL: to be computed; they do not depend on the limit */
	uint64_t cost;  /* of the spilled registers, in instructions weighted by loop depth */
	uint32_t least; /* pressure where it exceeds the limit and nothing can be spilled */
	void *client;   /* private data of reload and store */
	/* Reloads count units of a spilled register into a new one before an instruction (NULL:
	 * at the block's end), and stores them from a register. */
	void (*reload)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		       uint32_t b, struct mir_inst *before);
	void (*store)(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
		      uint32_t b, struct mir_inst *before);
};

struct spill_costs nv_spill_costs(const struct spiller *s);
/* Chooses the registers to spill so that the pressure nowhere exceeds the limit. False:
 * impossible. Requires liveness. */
bool nv_spill_choose(struct spiller *s, bool *any);
/* Rewrites all instructions and branch conditions. The caller rewrites phis. */
void nv_spill_rewrite(struct spiller *s);
/* Weight of an instruction at a loop depth. */
static inline uint64_t spill_weight(uint32_t depth)
{
	return UINT64_C(1) << 3 * (depth < 8 ? depth : 8);
}

/* Rematerialisation (rematerialise.c). */
struct remat {
	struct mir_inst **unit_def; /* by unit: its definition, if that writes nothing else */
	/* By vreg: computes it from registers; NULL: none, or not looked for. And of these those
	 * that a spiller may use: see there. */
	struct mir_inst **computation, **recompute;
	uint32_t *home; /* by vreg: block of its computation */
};
/* Finds what is computed from no register: fills in s->remat. */
void nv_find_remat(struct spiller *s, struct remat *r);
/* The operand of a computation is computed from no register. */
bool nv_is_constant_operand(const struct spiller *s, const struct mir_use *use);
void nv_insert_remat(struct spiller *s, const struct remat *r, struct mir_ref of, uint32_t count,
		     struct mir_ref to, uint32_t b, struct mir_inst *before);

#endif
