// SPDX-License-Identifier: MIT
/*
 * Approximate f32 functions with subnormal arguments and results. The hardware functions flush both
 * to zero, so the expansions scale the argument into the normal range by a power of two and scale
 * the result back. The PTX manual's error bounds hold where the hardware function keeps them:
 * scaling by a power of two is exact, except for results that become subnormal and are rounded
 * there. Functions flagged IR_NORMAL need none of this.
 */
#include "libsov/compiler/passes/expand.h"

#define F32(exponent) ((uint64_t)(127 + (exponent)) << 23) /* a power of two */
#define MINUS_24      0xc1c00000
#define MINUS_126     0xc2fc0000

static ir_val emit_scale(struct expand *e, ir_val x, ir_val by)
{
	return expand_round(e, IR_FMUL, IR_RN, x, by, 0);
}

static ir_val f32_const(struct expand *e, uint64_t bits)
{
	return expand_const(e, IR_B32, bits);
}

/* The scaled argument is normal, and so is the result, or it is small enough to vanish in the
 * end. */
static ir_val approx_normal(struct expand *e, enum ir_approx function, ir_val x)
{
	ir_val v = expand_approx(e, function, x);

	ir_def(e->f, v)->flags |= IR_NORMAL;
	return v;
}

static ir_val is_subnormal(struct expand *e, ir_val x)
{
	ir_val size = expand_op(e, IR_FABS, IR_B32, x, 0, 0);

	return expand_compare_imm(e, IR_FLT, size, F32(-126));
}

/* Reciprocal of a subnormal number or one above 2^126: scales the argument by s and the result by
 * s. */
static ir_val expand_rcp(struct expand *e, ir_val x)
{
	ir_val size = expand_op(e, IR_FABS, IR_B32, x, 0, 0);
	ir_val large = expand_compare_imm(e, IR_FGE, size, F32(126));
	ir_val small = expand_compare_imm(e, IR_FLT, size, F32(-126));
	ir_val s = expand_select(e, small, f32_const(e, F32(24)), f32_const(e, F32(0)));

	s = expand_select(e, large, f32_const(e, F32(-24)), s);
	return emit_scale(e, approx_normal(e, IR_APPROX_RCP, emit_scale(e, x, s)), s);
}

/* f(x) for normal x; for subnormal x, f(x 2^24) multiplied by or added to a correction. Selecting
 * between computed values, not between constants, lets a back end predicate the computation. */
static ir_val expand_scaled(struct expand *e, const struct ir_inst *in, enum ir_op undo,
			    uint64_t by)
{
	ir_val x = in->args[0], small = is_subnormal(e, x), y;

	y = approx_normal(e, in->sub,
			  expand_select(e, small, emit_scale(e, x, f32_const(e, F32(24))), x));
	return expand_select(e, small, expand_round(e, undo, IR_RN, y, f32_const(e, by), 0), y);
}

/* A subnormal 2^x is the square of 2^(x / 2). */
static ir_val expand_ex2(struct expand *e, ir_val x)
{
	ir_val low = expand_compare_imm(e, IR_FLT, x, MINUS_126), y;

	y = approx_normal(e, IR_APPROX_EX2,
			  expand_select(e, low, emit_scale(e, x, f32_const(e, F32(-1))), x));
	return expand_select(e, low, emit_scale(e, y, y), y);
}

ir_val expand_approx_subnormal(struct expand *e, const struct ir_inst *in)
{
	if (in->type != IR_B32 || in->format || in->flags & (IR_FTZ | IR_NORMAL))
		return 0;
	switch (in->sub) {
	case IR_APPROX_RCP:
		return expand_rcp(e, in->args[0]);
	case IR_APPROX_SQRT:
		return expand_scaled(e, in, IR_FMUL, F32(-12));
	case IR_APPROX_RSQRT:
		return expand_scaled(e, in, IR_FMUL, F32(12));
	case IR_APPROX_LG2:
		return expand_scaled(e, in, IR_FADD, MINUS_24);
	case IR_APPROX_EX2:
		return expand_ex2(e, in->args[0]);
	default: /* tanh preserves subnormals; sine and cosine of them are zero and one */
		return 0;
	}
}
