/* SPDX-License-Identifier: MIT */
/*
 * Expansions: an operation that a machine does not have becomes several that it has, in place. The
 * writer of one says what is computed, in order, with these calls; a slow path for hard arguments
 * is a branch that is opened and closed. Who is looked at is expanded by legalise.c, last
 * instruction of a block first.
 */
#ifndef SOV_COMPILER_EXPAND_H
#define SOV_COMPILER_EXPAND_H

#include "libsov/compiler/ir.h"

struct expand {
	struct ir_func *f;
	ir_id at;      /* new instructions go before this one */
	uint32_t line;
	uint8_t flags; /* of float operations: IR_FTZ or none */
};

/* An operation with up to three arguments; 0 ends the list. All of them have the type T. */
ir_val expand_op(struct expand *e, enum ir_op op, enum ir_type t, ir_val a, ir_val b, ir_val c);
ir_val expand_const(struct expand *e, enum ir_type t, uint64_t value);
ir_val expand_compare(struct expand *e, enum ir_cond cond, ir_val a, ir_val b);
ir_val expand_select(struct expand *e, ir_val condition, ir_val yes, ir_val no);
ir_val expand_convert(struct expand *e, enum ir_op op, enum ir_type t, ir_val a);
ir_val expand_round(struct expand *e, enum ir_op op, enum ir_round round, ir_val a, ir_val b,
		    ir_val c); /* of floats, in a given mode */
ir_val expand_approx(struct expand *e, enum ir_approx function, ir_val a); /* a machine's own */

/* With a constant as second argument, of a's type. */
static inline ir_val expand_with(struct expand *e, enum ir_op op, ir_val a, uint64_t k)
{
	enum ir_type t = e->f->values[a].type;

	return expand_op(e, op, t, a, expand_const(e, t, k), 0);
}
static inline ir_val expand_compare_with(struct expand *e, enum ir_cond cond, ir_val a, uint64_t k)
{
	return expand_compare(e, cond, a, expand_const(e, e->f->values[a].type, k));
}
ir_val expand_shift(struct expand *e, enum ir_op op, ir_val a, uint32_t n);

/* Where the condition holds, what is written after open and before close is computed, elsewhere
 * not; close gives the first value where it held and the second elsewhere. Control flow costs: a
 * branch is for what is rare. */
struct expand_branch {
	ir_id back;                 /* where code goes on */
	ir_block rare, usual, join;
};
struct expand_branch expand_open(struct expand *e, ir_val condition);
ir_val expand_close(struct expand *e, const struct expand_branch *b, ir_val rare, ir_val usual);

/* What there is. Each gives the value that takes the place of the instruction's result, or 0 where
 * the instruction can stay. */
ir_val expand_quotient(struct expand *e, const struct ir_inst *in);   /* fdiv, frcp */
ir_val expand_root(struct expand *e, const struct ir_inst *in);       /* fsqrt */
ir_val expand_function(struct expand *e, const struct ir_inst *in);   /* approx without ftz */
ir_val expand_division(struct expand *e, const struct ir_inst *in);   /* of integers */

#endif
