/* SPDX-License-Identifier: MIT */
/*
 * Expansions: an operation that a machine does not have becomes several that it has, in place. The
 * writer of one says what is computed, in order, with these calls; a slow path for hard arguments
 * is a branch that is opened and closed. Who is looked at is expanded by legalise.c, last
 * instruction of a block first.
 */
#ifndef SOV_COMPILER_EXPAND_H
#define SOV_COMPILER_EXPAND_H

#include "libsov/compiler/ir/ir.h"

struct expand {
	struct ir_func *f;
	ir_id at; /* new instructions go before this one */
	uint32_t line;
	uint8_t flags; /* of float operations: IR_FTZ or none */
};

/* An operation with up to three arguments; 0 ends the list. All of them have the type T. */
/* Those of three values take them from left to right, also where they make instructions: C leaves
 * the order of a call's arguments open, and hosts differ. */
ir_val expand_op_of(struct expand *e, enum ir_op op, enum ir_type t, const ir_val args[3]);
#define expand_op(e, op, t, ...) expand_op_of(e, op, t, (const ir_val[3]){__VA_ARGS__})
ir_val expand_const(struct expand *e, enum ir_type t, uint64_t value);
ir_val expand_compare(struct expand *e, enum ir_cond cond, ir_val a, ir_val b);
ir_val expand_select_of(struct expand *e, const ir_val args[3]); /* condition, yes, no */
#define expand_select(e, ...) expand_select_of(e, (const ir_val[3]){__VA_ARGS__})
ir_val expand_convert(struct expand *e, enum ir_op op, enum ir_type t, ir_val a);
ir_val expand_round_of(struct expand *e, enum ir_op op, enum ir_round round,
		       const ir_val args[3]); /* of floats, in a given mode */
#define expand_round(e, op, round, ...) \
	expand_round_of(e, op, round, (const ir_val[3]){__VA_ARGS__})
ir_val expand_approx(struct expand *e, enum ir_approx function, ir_val a); /* a machine's own */

/* With a constant as second argument, of a's type. */
static inline ir_val expand_op_imm(struct expand *e, enum ir_op op, ir_val a, uint64_t k)
{
	enum ir_type t = e->f->values[a].type;

	return expand_op(e, op, t, a, expand_const(e, t, k), 0);
}
static inline ir_val expand_compare_imm(struct expand *e, enum ir_cond cond, ir_val a, uint64_t k)
{
	return expand_compare(e, cond, a, expand_const(e, e->f->values[a].type, k));
}
ir_val expand_shift(struct expand *e, enum ir_op op, ir_val a, uint32_t n);

/* Where the condition holds, what is written after open and before close is computed, elsewhere
 * not; close gives the first value where it held and the second elsewhere. Control flow costs: a
 * branch is for what is rare. */
struct expand_if {
	ir_id back; /* where code goes on */
	ir_block rare, usual, join;
};
struct expand_if expand_if_begin(struct expand *e, ir_val condition);
ir_val expand_if_end(struct expand *e, const struct expand_if *b, ir_val rare, ir_val usual);

/* What there is. Each gives the value that takes the place of the instruction's result, or 0 where
 * the instruction can stay. */
ir_val expand_fdiv(struct expand *e, const struct ir_inst *in); /* fdiv, frcp */
ir_val expand_fsqrt(struct expand *e, const struct ir_inst *in);     /* fsqrt */
ir_val expand_approx_subnormal(struct expand *e, const struct ir_inst *in); /* approx without ftz */
ir_val expand_idiv(struct expand *e, const struct ir_inst *in); /* of integers */
ir_val expand_to_bf16(struct expand *e, const struct ir_inst *in);  /* stof, utof, ftof */

/* The slow path of a quotient or a root: a call where the module shares it (slow.c), else what these
 * two compute of the arguments. */
ir_val expand_slow_path(struct expand *e, const struct ir_inst *in);
ir_val expand_slow_fdiv(struct expand *e, const struct ir_inst *in, const ir_val *args);
ir_val expand_slow_fsqrt(struct expand *e, const struct ir_inst *in, const ir_val *args);

#endif
