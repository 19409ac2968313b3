/* SPDX-License-Identifier: MIT */
/*
 * Two 16-bit floats in a register. An operand may give its low or its high half to both places.
 * Results are rounded once to the half format, through float.c.
 */
#include "model/exec.h"
#include "model/float.h"

static const struct float_format *format(const struct op *op)
{
	return op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_BF16 ? &float_bf16 : &float_f16;
}

/* Half k of source n, which is operand n + 1 of the instruction. Registers may be read sideways. */
static uint32_t half(const struct op *op, const struct operands *o, uint32_t n, uint32_t i,
		     uint32_t k)
{
	const struct sass_operand *x = &op->inst->ops[n + 1];
	bool chosen = x->kind == SASS_GPR || x->kind == SASS_UGPR;
	uint32_t value;

	if (chosen && x->aux == SASS_HALF_LOW)
		k = 0;
	if (chosen && x->aux == SASS_HALF_HIGH)
		k = 1;
	value = o->s[n][i] >> 16 * k & 0xffff;
	if (x->flags & SASS_ABS)
		value &= 0x7fff;
	if (x->flags & SASS_NEG)
		value ^= 0x8000;
	return op->inst->mod[SASS_M_FTZ] ? (uint32_t)float_flush(format(op), value) : value;
}

static uint32_t finish(const struct op *op, uint64_t value)
{
	const struct float_format *f = format(op);
	uint32_t one = f == &float_f16 ? 0x3c00 : 0x3f80;

	if (op->inst->mod[SASS_M_FTZ])
		value = float_flush(f, value);
	if (op->inst->mod[SASS_M_SAT] && (float_is_nan(f, value) || value & 0x8000))
		return 0;
	if (op->inst->mod[SASS_M_SAT] && value > one)
		return one;
	if (op->inst->mod[SASS_M_RELU] && value & 0x8000)
		return 0;
	return (uint32_t)value;
}

static uint64_t compute(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
	const struct float_format *f = format(op);

	switch (op->inst->op) {
	case SASS_HADD2:
		return float_add(f, a, b, FLOAT_NEAREST);
	case SASS_HMUL2:
		return float_mul(f, a, b, 0, FLOAT_NEAREST);
	default:
		return float_fma(f, a, b, c, 0, FLOAT_NEAREST);
	}
}

static void core_half(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t both = 0;

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t a = half(op, o, 0, i, k), b = half(op, o, 1, i, k);
			uint32_t c = op->inst->nops > 3 ? half(op, o, 2, i, k) : 0;

			both |= finish(op, compute(op, a, b, c)) << 16 * k;
		}
		o->d[i] = both;
	}
}

/* f16 in, f32 out: one half of each operand. */
static void core_hadd2_f32(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t a = half(op, o, 0, i, 0), b = half(op, o, 1, i, 0);

		a = float_convert(&float_f16, &float_f32, a, FLOAT_NEAREST);
		b = float_convert(&float_f16, &float_f32, b, FLOAT_NEAREST);
		o->d[i] = (uint32_t)float_add(&float_f32, a, b, FLOAT_NEAREST);
	}
}

/* Two f32 to two halves: a is the high one. */
static void core_f2fp(const struct op *op, struct operands *o)
{
	const struct float_format *f = format(op);

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t high = float_convert(&float_f32, f, o->s[0][i], FLOAT_NEAREST);
		uint64_t low = float_convert(&float_f32, f, o->s[1][i], FLOAT_NEAREST);

		o->d[i] = finish(op, high) << 16 | finish(op, low);
	}
}

const struct op_row rows_half[] = {
	{SASS_HADD2, "dss", run_vector, core_half, NULL},
	{SASS_HADD2_F32, "dss", run_vector, core_hadd2_f32, NULL},
	{SASS_HMUL2, "dss", run_vector, core_half, NULL},
	{SASS_HFMA2, "dsss", run_vector, core_half, NULL},
	{SASS_HFMA2_MMA, "dsss", run_vector, core_half, NULL},
	{SASS_F2FP, "dss", run_vector, core_f2fp, NULL},
	OP_ROWS_END,
};
