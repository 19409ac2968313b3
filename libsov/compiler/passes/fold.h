/* SPDX-License-Identifier: MIT */
/*
 * What the two files of the folder share: fold.c drives the work list and folds constants, phis and
 * branches; identity.c holds the algebraic identities, one small function per operation. A rule
 * changes the function through the calls below, which keep use counts exact and see to it that
 * everything that the change may concern is looked at again.
 */
#ifndef SOV_COMPILER_FOLD_H
#define SOV_COMPILER_FOLD_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/analysis/uses.h"

struct fold {
	struct ir_func *f;
	struct arena *arena;
	struct uses uses;
	ir_id *work; /* a stack of instructions to look at */
	uint32_t nwork, work_capacity;
	bool *queued; /* by instruction: is on the stack */
	uint32_t queued_capacity;
	ir_block *decided; /* blocks whose branch has a constant condition */
	uint32_t ndecided, decided_capacity;
	ir_block *orphans; /* blocks that lost their last predecessor */
	uint32_t norphans;
	bool *cycle;    /* by block: see cfg_mark_cycles */
	bool cycle_cut; /* one of these lost a predecessor: it may only be reached from itself */
	bool *reached;  /* by block, with the stack to find it: see cfg_mark_reachable */
	ir_block *stack;
	bool changed;
};

/* One look at an instruction: a copy of it, and what rules ask for most. */
struct look {
	ir_id i;
	struct ir_inst p;
	ir_val a, b, c;      /* its arguments; 0 where it has fewer */
	bool is_const;       /* b is constant … */
	uint64_t k;          /* … and this is it */
	uint64_t ones, sign; /* of the instruction's type: all bits, the highest bit */
	uint32_t bits;       /* of the type */
};

/* The defining instruction of a value; good until the next instruction is made. */
static inline const struct ir_inst *fold_def(const struct fold *c, ir_val v)
{
	return ir_def(c->f, v);
}
static inline bool fold_used_once(const struct fold *c, ir_val v)
{
	return c->uses.count[v] == 1;
}

/* Each of these returns true, for a rule to return: the instruction was changed. */
bool fold_to_value(struct fold *c, const struct look *l, ir_val v);
bool fold_to_const(struct fold *c, const struct look *l, uint64_t x);
bool fold_swap(struct fold *c, const struct look *l); /* its two arguments */
/* The instruction becomes another op on up to three arguments (0 ends the list), typed by its
 * result. */
bool fold_to_op(struct fold *c, const struct look *l, enum ir_op op, ir_val x, ir_val y, ir_val z);
bool fold_to_convert(struct fold *c, const struct look *l, enum ir_op op, ir_val x);
bool fold_to_compare(struct fold *c, const struct look *l, enum ir_cond cond, ir_val x, ir_val y);
/* New instructions before the one that is looked at. */
ir_val fold_const(struct fold *c, const struct look *l, enum ir_type t, uint64_t x);
ir_id fold_new(struct fold *c, const struct look *l, enum ir_op op, enum ir_type t, ir_val x,
	       ir_val y);

uint64_t fold_ones(enum ir_type t);
/* Does the identity of this operation apply? (identity.c) */
bool identity_apply(struct fold *c, const struct look *l);

#endif
