/* SPDX-License-Identifier: MIT */
/*
 * Shared by fold.c, which drives the work list and folds constants, phis and branches, and
 * fold_identities.c, which holds the algebraic identities, one function per operation. Rules change
 * the IR only through the calls below; these keep use counts exact and put every affected
 * instruction back on the work list.
 */
#ifndef SOV_COMPILER_FOLD_H
#define SOV_COMPILER_FOLD_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/analysis/uses.h"

struct fold {
	struct ir_func *f;
	struct arena *arena;
	struct uses uses;
	ir_id *work; /* work list, a stack */
	uint32_t nwork, work_capacity;
	bool *queued; /* by instruction: on the work list */
	uint32_t queued_capacity;
	ir_block *decided; /* blocks whose branch condition is constant */
	uint32_t ndecided, decided_capacity;
	ir_block *orphans; /* blocks that lost their last predecessor */
	uint32_t norphans;
	bool *cycle;    /* by block: see cfg_mark_cycles; NULL: no branch is decided yet */
	bool cycle_cut; /* a marked block lost a predecessor, so its cycle may be unreachable */
	bool *reached;  /* by block; scratch of cfg_mark_reachable, as is stack */
	ir_block *stack;
	bool changed;
};

/* The instruction under consideration: a copy of it, and the facts that most rules need. */
struct fold_site {
	ir_id i;
	struct ir_inst p;
	ir_val a, b, c;      /* its arguments; 0: absent */
	bool is_const;       /* whether b is constant, */
	uint64_t k;          /* and its value */
	uint64_t ones, sign; /* of the instruction's type: all bits set, sign bit */
	uint32_t bits;       /* width of the type */
};

/* The defining instruction of a value; the pointer is valid until the next instruction is
 * created. */
static inline const struct ir_inst *fold_def(const struct fold *fold, ir_val v)
{
	return ir_def(fold->f, v);
}
static inline bool fold_used_once(const struct fold *fold, ir_val v)
{
	return fold->uses.count[v] == 1;
}

/* Each of these changes the instruction and returns true, so that a rule can return the call's
 * result. */
bool fold_to_value(struct fold *fold, const struct fold_site *site, ir_val v);
bool fold_to_const(struct fold *fold, const struct fold_site *site, uint64_t x);
bool fold_swap(struct fold *fold, const struct fold_site *site); /* exchanges its two arguments */
/* Replaces the instruction by another op with up to three arguments (0 ends the list), of the same
 * result type. */
bool fold_to_op(struct fold *fold, const struct fold_site *site, enum ir_op op, ir_val x, ir_val y,
		ir_val z);
bool fold_to_convert(struct fold *fold, const struct fold_site *site, enum ir_op op, ir_val x);
bool fold_to_compare(struct fold *fold, const struct fold_site *site, enum ir_cond cond, ir_val x,
		     ir_val y);
/* Insert instructions before the current one. */
ir_val fold_const(struct fold *fold, const struct fold_site *site, enum ir_type t, uint64_t x);
ir_id fold_new(struct fold *fold, const struct fold_site *site, enum ir_op op, enum ir_type t,
	       ir_val x, ir_val y);
ir_id fold_new3(struct fold *fold, const struct fold_site *site, enum ir_op op, enum ir_type t,
		ir_val x, ir_val y, ir_val z);

uint64_t fold_ones(enum ir_type t);
/* Applies the identities of the instruction's operation (fold_identities.c); returns whether one
 * matched. */
bool fold_identity(struct fold *fold, const struct fold_site *site);
bool fold_select(struct fold *fold, const struct fold_site *site); /* fold_select.c */
/* Replaces extracted bytes that are put together again by a part of their value (fold_bytes.c). */
bool fold_bytes(struct fold *fold, const struct fold_site *site);
/* Replaces two floats of 16 bits that are packed by an operation on pairs (fold_packed.c). */
bool fold_packed_floats(struct fold *fold, const struct fold_site *site);
/* The value whose lower (upper) half this is; 0: unknown. */
ir_val fold_half_of(const struct fold *fold, ir_val v, bool upper);

#endif
