// SPDX-License-Identifier: MIT
/*
 * Approximations of f32 whose arguments and results may be subnormal. The machine's functions take
 * both for zero; powers of two around them take the argument to where it counts and the result back.
 * Everything is within the PTX manual's bounds where the machine's function is: multiplying by a power
 * of two is exact, but for a result that becomes subnormal by it and is rounded there.
 */
#include "libsov/compiler/passes/expand.h"

#define F32(exponent) ((uint64_t)(127 + (exponent)) << 23) /* a power of two */
#define MINUS_0       0x80000000                           /* plus this, a number is the same */
#define MINUS_24      0xc1c00000
#define MINUS_126     0xc2fc0000

static ir_val scale(struct expand *e, ir_val x, ir_val by)
{
	return expand_round(e, IR_FMUL, IR_RN, x, by, 0);
}

static ir_val constant(struct expand *e, uint64_t bits)
{
	return expand_const(e, IR_B32, bits);
}

/* Of what the scaling has made normal, and so is the result; or it is so small that it vanishes in the end. */
static ir_val approximate(struct expand *e, enum ir_approx function, ir_val x)
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

/* The reciprocal of what is subnormal or above 2^126: x s, then the result times s. */
static ir_val reciprocal(struct expand *e, ir_val x)
{
	ir_val size = expand_op(e, IR_FABS, IR_B32, x, 0, 0);
	ir_val large = expand_compare_imm(e, IR_FGE, size, F32(126));
	ir_val small = expand_compare_imm(e, IR_FLT, size, F32(-126));
	ir_val s = expand_select(e, small, constant(e, F32(24)), constant(e, F32(0)));

	s = expand_select(e, large, constant(e, F32(-24)), s);
	return scale(e, approximate(e, IR_APPROX_RCP, scale(e, x, s)), s);
}

/* f(x) where x is normal; for others f(x 2^24) times or plus something. */
static ir_val below_normal(struct expand *e, const struct ir_inst *in, enum ir_op undo, uint64_t by,
			   uint64_t neutral)
{
	ir_val x = in->args[0], small = is_subnormal(e, x), y, back;

	y = scale(e, x, expand_select(e, small, constant(e, F32(24)), constant(e, F32(0))));
	y = approximate(e, in->sub, y);
	back = expand_select(e, small, constant(e, by), constant(e, neutral));
	return expand_round(e, undo, IR_RN, y, back, 0);
}

/* 2^x where that is subnormal is the square of 2^(x / 2). */
static ir_val power(struct expand *e, ir_val x)
{
	ir_val low = expand_compare_imm(e, IR_FLT, x, MINUS_126), y;

	y = scale(e, x, expand_select(e, low, constant(e, F32(-1)), constant(e, F32(0))));
	y = approximate(e, IR_APPROX_EX2, y);
	return scale(e, y, expand_select(e, low, y, constant(e, F32(0))));
}

ir_val expand_approx_subnormal(struct expand *e, const struct ir_inst *in)
{
	if (in->type != IR_B32 || in->format || in->flags & IR_FTZ)
		return 0;
	switch (in->sub) {
	case IR_APPROX_RCP:
		return reciprocal(e, in->args[0]);
	case IR_APPROX_SQRT:
		return below_normal(e, in, IR_FMUL, F32(-12), F32(0));
	case IR_APPROX_RSQRT:
		return below_normal(e, in, IR_FMUL, F32(12), F32(0));
	case IR_APPROX_LG2:
		return below_normal(e, in, IR_FADD, MINUS_24, MINUS_0);
	case IR_APPROX_EX2:
		return power(e, in->args[0]);
	default: /* tanh keeps subnormals; sine and cosine of them are zero and one */
		return 0;
	}
}
