/* SPDX-License-Identifier: MIT */
/*
 * Floating-point semantics on the host's unit. The sums and products themselves are the host's, in
 * an environment of our own (a program may have changed rounding or turned subnormals off), behind
 * volatile variables so that no compiler moves them out of it or computes them beforehand.
 * Everything else looks at bits.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "libsov/compiler/eval.h"

static uint64_t sign_bit(enum ir_type t)
{
	return UINT64_C(1) << (ir_type_bits(t) - 1);
}

static uint64_t infinity_bits(enum ir_type t)
{
	return t == IR_B32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
}

static uint64_t one_bits(enum ir_type t)
{
	return t == IR_B32 ? 0x3f800000 : UINT64_C(0x3ff0000000000000);
}

static uint64_t default_nan(enum ir_type t)
{
	return t == IR_B32 ? 0x7fffffff : UINT64_C(0x7ff8000000000000);
}

static uint64_t magnitude(enum ir_type t, uint64_t x)
{
	return x & ~sign_bit(t);
}

static bool is_nan(enum ir_type t, uint64_t x)
{
	return magnitude(t, x) > infinity_bits(t);
}

static uint64_t flush(const struct ir_inst *in, uint64_t x)
{
	/* The smallest normal number has 1 in the exponent, above 23 or 52 bits of fraction. */
	uint64_t normal = UINT64_C(1) << (in->type == IR_B32 ? 23 : 52);

	return in->flags & IR_FTZ && magnitude(in->type, x) < normal ? x & sign_bit(in->type) : x;
}

/* Numbers in order; -0 and +0 are the same. */
static int64_t order(enum ir_type t, uint64_t x)
{
	return x & sign_bit(t) ? -(int64_t)magnitude(t, x) : (int64_t)x;
}

/* Arithmetic. */

static float compute32(enum ir_op op, const uint64_t *args)
{
	volatile float x[3] = {0}, r;

	for (int k = 0; k < (op == IR_FMA ? 3 : 2); k++) {
		uint32_t bits = (uint32_t)args[k];
		float value;

		memcpy(&value, &bits, sizeof(value));
		x[k] = value;
	}
	r = op == IR_FADD ? x[0] + x[1] : op == IR_FMUL ? x[0] * x[1] : fmaf(x[0], x[1], x[2]);
	return r;
}

static double compute64(enum ir_op op, const uint64_t *args)
{
	volatile double x[3] = {0}, r;

	for (int k = 0; k < (op == IR_FMA ? 3 : 2); k++) {
		double value;

		memcpy(&value, &args[k], sizeof(value));
		x[k] = value;
	}
	r = op == IR_FADD ? x[0] + x[1] : op == IR_FMUL ? x[0] * x[1] : fma(x[0], x[1], x[2]);
	return r;
}

static uint64_t compute(const struct ir_inst *in, const uint64_t *args)
{
	static const int modes[] = {[IR_RN] = FE_TONEAREST,
				    [IR_RZ] = FE_TOWARDZERO,
				    [IR_RM] = FE_DOWNWARD,
				    [IR_RP] = FE_UPWARD};
	uint64_t flushed[3] = {0}, result = 0;
	fenv_t outside;

	for (uint32_t k = 0; k < in->nargs; k++)
		flushed[k] = flush(in, args[k]);
	fegetenv(&outside);
	fesetenv(FE_DFL_ENV);
	fesetround(modes[in->round]);
	if (in->type == IR_B32) {
		float r = compute32(in->op, flushed);

		memcpy(&result, &r, sizeof(r));
	} else {
		double r = compute64(in->op, flushed);

		memcpy(&result, &r, sizeof(r));
	}
	fesetenv(&outside);
	return result;
}

static uint64_t saturate(enum ir_type t, uint64_t x)
{
	if (is_nan(t, x) || x & sign_bit(t))
		return 0;
	return x > one_bits(t) ? one_bits(t) : x;
}

static uint64_t arithmetic(const struct ir_inst *in, const uint64_t *args)
{
	uint64_t x = compute(in, args);

	if (is_nan(in->type, x))
		x = default_nan(in->type);
	if (in->flags & IR_SAT)
		x = saturate(in->type, x);
	return flush(in, x);
}

static uint64_t least_or_most(const struct ir_inst *in, uint64_t a, uint64_t b)
{
	enum ir_type t = in->type;
	bool a_first;

	if (is_nan(t, a) && is_nan(t, b))
		return default_nan(t);
	if (is_nan(t, a) || is_nan(t, b))
		return flush(in, is_nan(t, a) ? b : a);
	a = flush(in, a);
	b = flush(in, b);
	a_first = order(t, a) < order(t, b) ||
		  (order(t, a) == order(t, b) && a & sign_bit(t)); /* -0 before +0 */
	return a_first == (in->op == IR_FMIN) ? a : b;
}

uint64_t ir_eval_float(const struct ir_inst *in, const uint64_t *args)
{
	switch (in->op) {
	case IR_FNEG:
		return flush(in, args[0]) ^ sign_bit(in->type);
	case IR_FABS:
		return magnitude(in->type, flush(in, args[0]));
	case IR_FMIN:
	case IR_FMAX:
		return least_or_most(in, args[0], args[1]);
	default:
		return arithmetic(in, args);
	}
}

/* Conditions from IR_FEQ and from IR_FEQU on are in the same order: eq ne lt le gt ge. */
bool ir_eval_fcmp(const struct ir_inst *in, uint64_t a, uint64_t b)
{
	bool nan = is_nan(in->type, a) || is_nan(in->type, b), holds;
	bool unordered = in->cond >= IR_FEQU;
	int64_t x = order(in->type, flush(in, a)), y = order(in->type, flush(in, b));

	if (in->cond == IR_FNUM || in->cond == IR_FNAN)
		return nan == (in->cond == IR_FNAN);
	if (nan)
		return unordered;
	switch (in->cond - (unordered ? IR_FEQU : IR_FEQ)) {
	case 0:
		holds = x == y;
		break;
	case 1:
		holds = x != y;
		break;
	case 2:
		holds = x < y;
		break;
	case 3:
		holds = x <= y;
		break;
	case 4:
		holds = x > y;
		break;
	default:
		holds = x >= y;
		break;
	}
	return holds;
}
