// SPDX-License-Identifier: MIT
/* 64-bit floats in register pairs: low words in one row, high words in the next. A NaN operand is
 * the result, made quiet, with the sign that the register holds regardless of modifiers; of several
 * NaNs, b takes precedence, then c, then a (measured on an H200). */
#include <math.h>
#include <string.h>

#include "model/nv/exec.h"
#include "model/core/softfloat.h"

#define NAN_BITS  0xfff8000000000000ull /* result of an invalid operation */
#define QUIET_BIT 0x0008000000000000ull

static inline double as_double(uint64_t x)
{
	double f;

	memcpy(&f, &x, 8);
	return f;
}

static inline uint64_t as_bits(double f)
{
	uint64_t x;

	memcpy(&x, &f, 8);
	return x;
}

static inline bool is_nan(uint64_t x)
{
	return (x & ~(1ull << 63)) > 0x7ff0000000000000ull;
}

/* Returns the result, or if it is a NaN, the NaN that hardware returns. */
static inline uint64_t propagate_nan(uint64_t result, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t nan = is_nan(b) ? b : is_nan(c) ? c : a;

	if (!is_nan(result))
		return result;
	return is_nan(nan) ? nan | QUIET_BIT : NAN_BITS;
}

/* Source n of lane i with its sign modifiers. */
#define SRC(n) \
	((uint64_t)((o->s[n][LANES + i] & op->s[n].keep) ^ op->s[n].flip) << 32 | o->s[n][i])

/* Source n of lane i without modifiers. */
#define RAW(n) ((uint64_t)o->s[n][LANES + i] << 32 | o->s[n][i])

static inline void write_pair(struct operands *o, uint32_t i, uint64_t value)
{
	o->d[i] = (uint32_t)value;
	o->d[LANES + i] = (uint32_t)(value >> 32);
}

/* SRC(n) after LOCAL_SOURCES. */
#define FAST(n) ((uint64_t)((row##n[LANES + i] & keep##n) ^ flip##n) << 32 | row##n[i])

#define FAST_CORE(name, expression, attribute) \
	attribute static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t low[LANES], high[LANES], nans = 0; \
		LOCAL_SOURCES; \
		EACH_LANE(i) { \
			double a = as_double(FAST(0)), b = as_double(FAST(1)); \
			double c = as_double(FAST(2)), d; \
			(void)c; \
			d = expression; \
			low[i] = (uint32_t)as_bits(d); \
			high[i] = (uint32_t)(as_bits(d) >> 32); \
		} \
		EACH_LANE(i) \
			nans |= (high[i] & 0x7fffffff) >= 0x7ff00000; \
		for (uint32_t i = 0; nans && i < LANES; i++) { \
			uint64_t d = (uint64_t)high[i] << 32 | low[i]; \
			d = propagate_nan(d, RAW(0), RAW(1), RAW(2)); \
			low[i] = (uint32_t)d; \
			high[i] = (uint32_t)(d >> 32); \
		} \
		memcpy(o->d, low, sizeof(low)); \
		memcpy(o->d + LANES, high, sizeof(high)); \
	}
FAST_CORE(dadd, a + b, )
FAST_CORE(dmul, a * b, )
FAST_CORE(dfma, __builtin_fma(a, b, c), )
#if FUSED_TWICE
FAST_CORE(dfma_fused, __builtin_fma(a, b, c), FUSED)
#endif

static void core_exact(const struct op *op, struct operands *o)
{
	enum float_rounding r = (enum float_rounding)op->inst->mod[SASS_M_RND];
	uint16_t kind = op->inst->op;

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t a = SRC(0), b = SRC(1), c = SRC(2);
		uint64_t x = kind == SASS_DADD   ? float_add(&float_f64, a, b, r)
			     : kind == SASS_DMUL ? float_mul(&float_f64, a, b, 0, r)
						 : float_fma(&float_f64, a, b, c, 0, r);

		write_pair(o, i, propagate_nan(x, RAW(0), RAW(1), RAW(2)));
	}
}

static const char *prepare_arithmetic(struct op *op, const struct sass_inst *in)
{
	if (in->mod[SASS_M_RND])
		op->core = core_exact;
#if FUSED_TWICE
	else if (in->op == SASS_DFMA && host_has_fma())
		op->core = core_dfma_fused;
#endif
	return NULL;
}

static uint32_t bool_combine(uint32_t how, uint32_t a, uint32_t b)
{
	return how == SASS_AND ? a & b : how == SASS_OR ? a | b : a ^ b;
}

static void core_dsetp(const struct op *op, struct operands *o)
{
	uint32_t bits = 0, cmp = op->inst->mod[SASS_M_CMP], how = op->inst->mod[SASS_M_BOOL];

	for (uint32_t i = 0; i < LANES; i++) {
		double a = as_double(SRC(0)), b = as_double(SRC(1));

		bits |= (uint32_t)!!(cmp & (a < b ? 1u : a == b ? 2u : a > b ? 4u : 8u)) << i;
	}
	o->p[0] = bool_combine(how, bits, o->x[0]);
	o->p[1] = bool_combine(how, ~bits, o->x[0]);
}

/* Maps sign and magnitude to a signed integer in the same order; -0 sorts below +0. */
static int64_t f64_order(uint64_t x)
{
	return (int64_t)(x >> 63 ? ~x ^ 1ull << 63 : x);
}

/* DSETP.MIN and .MAX, encoded as the comparisons "never" and "always": p[0] is true if a is the
 * result, p[1] if both are NaN. A single NaN is not the result. */
static void core_dsetp_minmax(const struct op *op, struct operands *o)
{
	bool max = op->inst->mod[SASS_M_CMP] == SASS_CMP_T;
	uint32_t take = 0, both = 0, how = op->inst->mod[SASS_M_BOOL];

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t a = SRC(0), b = SRC(1);
		bool first = max ? f64_order(a) > f64_order(b) : f64_order(a) < f64_order(b);

		take |= (uint32_t)(is_nan(b) ? !is_nan(a) : !is_nan(a) && first) << i;
		both |= (uint32_t)(is_nan(a) && is_nan(b)) << i;
	}
	o->p[0] = bool_combine(how, take, o->x[0]);
	o->p[1] = bool_combine(how, both, o->x[0]);
}

static const char *prepare_dsetp(struct op *op, const struct sass_inst *in)
{
	if (in->mod[SASS_M_CMP] == SASS_CMP_F || in->mod[SASS_M_CMP] == SASS_CMP_T)
		op->core = core_dsetp_minmax;
	return NULL;
}

const struct op_row rows_double[] = {
	{SASS_DADD, "DFF", run_vector, core_dadd, prepare_arithmetic},
	{SASS_DMUL, "DFF", run_vector, core_dmul, prepare_arithmetic},
	{SASS_DFMA, "DFFF", run_vector, core_dfma, prepare_arithmetic},
	{SASS_DSETP, "ppFFx", run_vector, core_dsetp, prepare_dsetp},
	OP_ROWS_END,
};
