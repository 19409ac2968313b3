/* SPDX-License-Identifier: MIT */
/*
 * Expansions: sequences of operations that replace one operation which the target lacks. An
 * expansion emits its instructions in order with the calls below; a slow path is emitted between
 * expand_if_begin and expand_if_end. legalise.c picks the instructions, from the end of each block
 * backwards.
 */
#ifndef SOV_COMPILER_EXPAND_H
#define SOV_COMPILER_EXPAND_H

#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ir/ir.h"

struct expand {
	struct ir_func *f;
	const struct target *target;
	ir_id at; /* insertion point: new instructions precede this one */
	uint32_t line;
	uint8_t flags; /* of float operations: IR_FTZ or 0 */
};

/* Emits an operation with up to three arguments of type t; 0 ends the list. */
/* Arguments go into an array because initialiser lists are evaluated left to right in practice on
 * every host, while the order of a call's arguments differs between compilers, and an argument may
 * itself emit instructions. */
ir_val expand_op_of(struct expand *e, enum ir_op op, enum ir_type t, const ir_val args[3]);
#define expand_op(e, op, t, ...) expand_op_of(e, op, t, (const ir_val[3]){__VA_ARGS__})
ir_val expand_const(struct expand *e, enum ir_type t, uint64_t value);
ir_val expand_compare(struct expand *e, enum ir_cond cond, ir_val a, ir_val b);
/* condition, true value, false value */
ir_val expand_select_of(struct expand *e, const ir_val args[3]);
#define expand_select(e, ...) expand_select_of(e, (const ir_val[3]){__VA_ARGS__})
ir_val expand_convert(struct expand *e, enum ir_op op, enum ir_type t, ir_val a);
ir_val expand_round_of(struct expand *e, enum ir_op op, enum ir_round round,
		       const ir_val args[3]); /* float operation with a rounding mode */
#define expand_round(e, op, round, ...) \
	expand_round_of(e, op, round, (const ir_val[3]){__VA_ARGS__})
/* the target's own approximation */
ir_val expand_approx(struct expand *e, enum ir_approx function, ir_val a);

/* The second argument is a constant of a's type. */
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
ir_val expand_add_saturating(struct expand *e, ir_val a, ir_val b); /* b32, signed */
ir_val expand_leaf(struct expand *e, enum ir_op op, uint8_t sub);   /* b32, without arguments */
/* A value (b32) of another lane. */
ir_val expand_shuffle(struct expand *e, ir_val value, ir_val lane, ir_val members,
		      uint32_t warp_lanes);

/* Instructions emitted between begin and end execute only where the condition holds; end returns a
 * phi of the first value (condition true) and the second (false). Use it for rare cases only: the
 * branch is divergent. */
struct expand_if {
	ir_id back; /* insertion point after the join */
	ir_block rare, common, join;
};
struct expand_if expand_if_begin(struct expand *e, ir_val condition);
ir_val expand_if_end(struct expand *e, const struct expand_if *b, ir_val rare, ir_val common);

/* Whether legalisation splits the instruction's block (legalise.c). */
bool legalise_splits(const struct ir_inst *in, const struct target *t);

/* Each returns the value that replaces the instruction's result, or 0 when the target executes the
 * instruction as it is. */
ir_val expand_fdiv(struct expand *e, const struct ir_inst *in);             /* fdiv, frcp */
ir_val expand_fsqrt(struct expand *e, const struct ir_inst *in);            /* fsqrt */
ir_val expand_approx_subnormal(struct expand *e, const struct ir_inst *in); /* approx without ftz */
ir_val expand_idiv(struct expand *e, const struct ir_inst *in); /* integer division and remainder */
ir_val expand_to_bf16(struct expand *e, const struct ir_inst *in); /* stof, utof, ftof */

/* The slow path of fdiv, frcp or fsqrt, or a 64-bit integer division: a call when the module
 * outlines it (slow_paths.c), else the inline code that the other functions emit. */
ir_val expand_slow_path(struct expand *e, const struct ir_inst *in);
ir_val expand_slow_fdiv(struct expand *e, const struct ir_inst *in, const ir_val *args);
ir_val expand_slow_fsqrt(struct expand *e, const struct ir_inst *in, const ir_val *args);
ir_val expand_wide_idiv(struct expand *e, const struct ir_inst *in, const ir_val *args);

#endif
