// SPDX-License-Identifier: MIT
/* Two 16-bit floats in a register. An operand may broadcast its low or its high half. Results are
 * rounded once to the half format by softfloat.c. FTZ flushes as for 32-bit floats (exec_float.c):
 * on an H200 a product that is subnormal when rounded with an unbounded exponent was flushed though
 * the final rounding gives the smallest normal number. */
#include "model/nv/exec.h"
#include "model/core/softfloat.h"

static const struct float_format *half_format(const struct op *op)
{
	return op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_BF16 ? &float_bf16 : &float_f16;
}

/* Half k of source n, after the operand's swizzle (registers and constants only). */
static uint32_t raw_half(const struct op *op, const struct operands *o, uint32_t n, uint32_t i,
			 uint32_t k)
{
	const struct sass_operand *x = &op->inst->ops[op->data[0] + n];
	uint32_t which = x->kind == SASS_CONST ? x->aux >> 5 : x->kind == SASS_IMM ? 0 : x->aux;

	if (which == SASS_HALF_LOW)
		k = 0;
	if (which == SASS_HALF_HIGH)
		k = 1;
	return o->s[n][i] >> 16 * k & 0xffff;
}

static uint32_t half_source(const struct op *op, const struct operands *o, uint32_t n, uint32_t i,
			    uint32_t k)
{
	const struct sass_operand *x = &op->inst->ops[op->data[0] + n];
	uint32_t value = raw_half(op, o, n, i, k);

	if (x->flags & SASS_ABS)
		value &= 0x7fff;
	if (x->flags & SASS_NEG)
		value ^= 0x8000;
	return op->inst->mod[SASS_M_FTZ] ? (uint32_t)float_flush(half_format(op), value) : value;
}

static uint32_t finish_half(const struct op *op, uint64_t value)
{
	const struct float_format *f = half_format(op);
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

static uint64_t round_half(const struct op *op, uint32_t a, uint32_t b, uint32_t c, int scale)
{
	const struct float_format *f = half_format(op);

	switch (op->inst->op) {
	case SASS_HADD2:
		return float_add(f, a, b, FLOAT_NEAREST);
	case SASS_HMUL2:
		return float_mul(f, a, b, scale, FLOAT_NEAREST);
	default:
		return float_fma(f, a, b, c, scale, FLOAT_NEAREST);
	}
}

static uint64_t compute_half(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t x = round_half(op, a, b, c, 0), normal = UINT64_C(1) << half_format(op)->mantissa;

	/* Twice the result has all bits of the significand. A sum of normal numbers is exact. */
	if (op->inst->mod[SASS_M_FTZ] && (x & 0x7fff) == normal && op->inst->op != SASS_HADD2 &&
	    (round_half(op, a, b, c, 1) & 0x7fff) < 2 * normal)
		x &= 0x8000;
	return x;
}

/* The NaN that .OOB treats as zero: the result of a load beyond the end of a tensor. The PTX manual
 * does not specify it; of all 32,768 inputs, an H200 does so for this one. */
#define OUT_OF_BOUNDS 0x7ff7u

static void core_half(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t both = 0;

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t a = half_source(op, o, 0, i, k), b = half_source(op, o, 1, i, k);
			uint32_t c = op->inst->nops > 3 ? half_source(op, o, 2, i, k) : 0;

			if (op->inst->mod[SASS_M_OOB] && (a == OUT_OF_BOUNDS || b == OUT_OF_BOUNDS))
				continue;
			both |= finish_half(op, compute_half(op, a, b, c)) << 16 * k;
		}
		o->d[i] = both;
	}
}

/* Minimum and maximum, as for 32-bit floats (exec_float.c). */

static int32_t half_order(uint32_t x)
{
	return (int32_t)(x & 0x8000 ? 0x7fff - x : x);
}

static uint32_t half_minmax(const struct op *op, uint32_t a, uint32_t b, bool min)
{
	const struct float_format *f = half_format(op);
	bool nan_a = float_is_nan(f, a), nan_b = float_is_nan(f, b);

	if (nan_a || nan_b)
		return op->inst->mod[SASS_M_NAN] || (nan_a && nan_b) ? (uint32_t)float_nan(f)
		       : nan_a                                       ? b
								     : a;
	return (half_order(a) < half_order(b)) == min ? a : b;
}

static void core_hmnmx2(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t both = 0;

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t x = half_minmax(op, half_source(op, o, 0, i, k),
						 half_source(op, o, 1, i, k), o->x[0] >> i & 1);

			/* The signs are those in the registers. */
			if (op->inst->mod[SASS_M_XORSIGN] && !float_is_nan(half_format(op), x))
				x = (x & 0x7fff) |
				    ((raw_half(op, o, 0, i, k) ^ raw_half(op, o, 1, i, k)) &
				     0x8000);
			both |= x << 16 * k;
		}
		o->d[i] = both;
	}
}

/* Returns the lanes whose halves k satisfy the comparison. */
static uint32_t half_compare(const struct op *op, struct operands *o, uint32_t k)
{
	const struct float_format *f = half_format(op);
	uint32_t cmp = op->inst->mod[SASS_M_CMP], bits = 0;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = half_source(op, o, 0, i, k), b = half_source(op, o, 1, i, k), is;
		bool equal = a == b || !((a | b) & 0x7fff);

		is = float_is_nan(f, a) || float_is_nan(f, b) ? 8
		     : equal                                  ? 2
		     : half_order(a) < half_order(b)          ? 1
							      : 4;
		bits |= (uint32_t)!!(cmp & is) << i;
	}
	return bits;
}

static uint32_t half_bool_combine(const struct op *op, uint32_t a, uint32_t b)
{
	uint32_t how = op->inst->mod[SASS_M_BOOL];

	return how == SASS_AND ? a & b : how == SASS_OR ? a | b : a ^ b;
}

static void core_hsetp2(const struct op *op, struct operands *o)
{
	for (uint32_t k = 0; k < 2; k++)
		o->p[k] = half_bool_combine(op, half_compare(op, o, k), o->x[0]);
}

static void core_hset2(const struct op *op, struct operands *o)
{
	uint32_t one = half_format(op) == &float_f16 ? 0x3c00 : 0x3f80;
	uint32_t low = half_bool_combine(op, half_compare(op, o, 0), o->x[0]);
	uint32_t high = half_bool_combine(op, half_compare(op, o, 1), o->x[0]);
	uint32_t yes = op->inst->mod[SASS_M_BF] ? one : 0xffff;

	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = (low >> i & 1 ? yes : 0) | (high >> i & 1 ? yes << 16 : 0);
}

/* Sources are the operands after the destinations. */
static const char *prepare_half(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->op == SASS_HSETP2 ? 2 : 1;
	return in->mod[SASS_M_HAND] ? "HSETP2.H_AND is not modelled" : NULL;
}

/* f16 inputs, f32 output: one half of each operand. */
static void core_hadd2_f32(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t a = half_source(op, o, 0, i, 0), b = half_source(op, o, 1, i, 0);

		a = float_convert(&float_f16, &float_f32, a, FLOAT_NEAREST);
		b = float_convert(&float_f16, &float_f32, b, FLOAT_NEAREST);
		o->d[i] = (uint32_t)float_add(&float_f32, a, b, FLOAT_NEAREST);
	}
}

/* f32 to halves: a becomes the high half, or a half of c is merged there. */

static uint32_t narrow_f32(const struct op *op, uint32_t x)
{
	enum float_rounding r = (enum float_rounding)op->inst->mod[SASS_M_RND];

	return finish_half(op, float_convert(&float_f32, half_format(op), x, r));
}

static void core_f2fp(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = narrow_f32(op, o->s[0][i]) << 16 | narrow_f32(op, o->s[1][i]);
}

static void core_f2fp_merge(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] =
			o->s[1][i] >> 16 * op->inst->ops[2].aux << 16 | narrow_f32(op, o->s[0][i]);
}

/* f32 with a 10-bit mantissa (TF32): the low 13 bits are zero. */
static void core_f2fp_tf32(const struct op *op, struct operands *o)
{
	enum float_rounding r = (enum float_rounding)op->inst->mod[SASS_M_RND];

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t x = (uint32_t)float_convert(&float_f32, &float_tf32, o->s[0][i], r) << 13;

		if (float_is_nan(&float_f32, o->s[0][i]))
			x = (uint32_t)float_nan(&float_f32) & ~0x1fffu;
		o->d[i] = op->inst->mod[SASS_M_RELU] && x >> 31 ? 0 : x;
	}
}

/* 8-bit floats. e4m3 encodes numbers where other formats encode infinity and NaNs, except for the
 * last pattern, its NaN: these are converted with the exponent reduced by one. */

#define E4M3_TOP 0x78u /* patterns from 256 on */

static bool is_byte_nan(const struct op *op, uint32_t x)
{
	return op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_E4M3 ? x == 0x7f : x > 0x7c;
}

static uint32_t to_byte(const struct op *op, const struct float_format *from, uint32_t x)
{
	bool e4m3 = op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_E4M3;
	const struct float_format *f = e4m3 ? &float_e4m3 : &float_e5m2;
	uint32_t top = 1u << (from->mantissa + from->exponent), greatest = e4m3 ? 0x7e : 0x7b;
	uint32_t one = 1u << from->mantissa, size = x & (top - 1), sign = x & top ? 0x80 : 0, byte;

	if (float_is_nan(from, x))
		return 0x7f;
	if (op->inst->mod[SASS_M_RELU] && sign)
		return 0;
	if (e4m3 && size >= (uint32_t)float_convert(&float_f32, from, 0x43800000, FLOAT_NEAREST))
		byte = (uint32_t)float_convert(from, f, size - one, FLOAT_NEAREST) + 8;
	else
		byte = (uint32_t)float_convert(from, f, size, FLOAT_NEAREST);
	return sign | (byte > greatest ? greatest : byte);
}

static uint32_t from_byte(const struct op *op, uint32_t x)
{
	bool e4m3 = op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_E4M3;
	uint32_t size = x & 0x7f, sign = x & 0x80 ? 0x8000 : 0, half;

	if (is_byte_nan(op, size))
		return (uint32_t)float_nan(&float_f16);
	if (op->inst->mod[SASS_M_RELU] && sign)
		return 0;
	if (e4m3 && size >= E4M3_TOP)
		half = (uint32_t)float_convert(&float_e4m3, &float_f16, size - 8, FLOAT_NEAREST) +
		       0x400;
	else
		half = (uint32_t)float_convert(e4m3 ? &float_e4m3 : &float_e5m2, &float_f16, size,
					       FLOAT_NEAREST);
	return sign | half;
}

static uint32_t merge_bytes(const struct op *op, uint32_t c, uint32_t high, uint32_t low)
{
	return c >> 16 * op->inst->ops[op->inst->nops - 1].aux << 16 | high << 8 | low;
}

static void core_f2fp_singles(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = merge_bytes(op, o->s[2][i], to_byte(op, &float_f32, o->s[0][i]),
				      to_byte(op, &float_f32, o->s[1][i]));
}

static void core_f2fp_halves(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = merge_bytes(op, o->s[1][i], to_byte(op, &float_f16, o->s[0][i] >> 16),
				      to_byte(op, &float_f16, o->s[0][i] & 0xffff));
}

static void core_f2fp_unpack(const struct op *op, struct operands *o)
{
	uint32_t at = op->inst->ops[1].aux ? 16 : 0;

	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = from_byte(op, o->s[0][i] >> (at + 8) & 0xff) << 16 |
			  from_byte(op, o->s[0][i] >> at & 0xff);
}

const struct op_row rows_half[] = {
	{SASS_HADD2, "dss", run_vector, core_half, prepare_half},
	{SASS_HADD2_F32, "dss", run_vector, core_hadd2_f32, prepare_half},
	{SASS_HMUL2, "dss", run_vector, core_half, prepare_half},
	{SASS_HFMA2, "dsss", run_vector, core_half, prepare_half},
	{SASS_HFMA2_MMA, "dsss", run_vector, core_half, prepare_half},
	{SASS_HMNMX2, "dssx", run_vector, core_hmnmx2, prepare_half},
	{SASS_HSET2, "dssx", run_vector, core_hset2, prepare_half},
	{SASS_HSETP2, "ppssx", run_vector, core_hsetp2, prepare_half},
	{SASS_F2FP, "dss", run_vector, core_f2fp, NULL},
	{SASS_F2FP_MERGE, "dss", run_vector, core_f2fp_merge, NULL},
	{SASS_F2FP_TF32, "ds", run_vector, core_f2fp_tf32, NULL},
	{SASS_F2FP_SINGLES, "dsss", run_vector, core_f2fp_singles, NULL},
	{SASS_F2FP_HALVES, "dss", run_vector, core_f2fp_halves, NULL},
	{SASS_F2FP_UNPACK, "ds", run_vector, core_f2fp_unpack, NULL},
	OP_ROWS_END,
};
