/* SPDX-License-Identifier: MIT */
/*
 * 64-bit floats in register pairs: low words in one row, high words in the next.
 */
#include <math.h>
#include <string.h>

#include "model/exec.h"
#include "model/float.h"

#define NAN_BITS 0xfff8000000000000ull /* what an invalid operation gives */

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

static inline uint64_t canonical(uint64_t x)
{
	return (x & ~(1ull << 63)) > 0x7ff0000000000000ull ? NAN_BITS : x;
}

/* Source n of lane i with its sign modifiers. */
#define SRC(n) \
	((uint64_t)((o->s[n][LANES + i] & op->s[n].keep) ^ op->s[n].flip) << 32 | o->s[n][i])

static inline void put(struct operands *o, uint32_t i, uint64_t value)
{
	o->d[i] = (uint32_t)value;
	o->d[LANES + i] = (uint32_t)(value >> 32);
}

#define FAST_CORE(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		EACH_LANE(i) { \
			double a = as_double(SRC(0)), b = as_double(SRC(1)), c = as_double(SRC(2)); \
			(void)c; \
			put(o, i, canonical(as_bits(expression))); \
		} \
	}
FAST_CORE(dadd, a + b)
FAST_CORE(dmul, a * b)
FAST_CORE(dfma, fma(a, b, c))

static void core_exact(const struct op *op, struct operands *o)
{
	enum float_rounding r = (enum float_rounding)op->inst->mod[SASS_M_RND];
	uint16_t kind = op->inst->op;

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t a = SRC(0), b = SRC(1), c = SRC(2);

		put(o, i, canonical(kind == SASS_DADD   ? float_add(&float_f64, a, b, r)
				    : kind == SASS_DMUL ? float_mul(&float_f64, a, b, 0, r)
							: float_fma(&float_f64, a, b, c, 0, r)));
	}
}

static const char *prepare_arithmetic(struct op *op, const struct sass_inst *in)
{
	if (in->mod[SASS_M_RND])
		op->core = core_exact;
	return NULL;
}

static void core_dsetp(const struct op *op, struct operands *o)
{
	uint32_t bits = 0, cmp = op->inst->mod[SASS_M_CMP], how = op->inst->mod[SASS_M_BOOL];
	uint32_t x = o->x[0];

	for (uint32_t i = 0; i < LANES; i++) {
		double a = as_double(SRC(0)), b = as_double(SRC(1));

		bits |= (uint32_t)!!(cmp & (a < b ? 1u : a == b ? 2u : a > b ? 4u : 8u)) << i;
	}
	o->p[0] = how == SASS_AND ? bits & x : how == SASS_OR ? bits | x : bits ^ x;
	o->p[1] = how == SASS_AND ? ~bits & x : how == SASS_OR ? ~bits | x : ~bits ^ x;
}

const struct op_row rows_double[] = {
	{ SASS_DADD, "DFF", run_vector, core_dadd, prepare_arithmetic },
	{ SASS_DMUL, "DFF", run_vector, core_dmul, prepare_arithmetic },
	{ SASS_DFMA, "DFFF", run_vector, core_dfma, prepare_arithmetic },
	{ SASS_DSETP, "ppFFx", run_vector, core_dsetp, NULL },
	OP_ROWS_END,
};
