// SPDX-License-Identifier: MIT
/*
 * Conversions to tf32, and between 8-bit floats and halves or singles. RDNA2 has none, so they
 * expand mostly to integer arithmetic on the bits of a single. The formats are those of the OCP
 * 8-bit Floating Point Specification (1.0); saturation to the largest finite number and the NaN
 * encoding follow PTX (cvt with .satfinite).
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"

#define SINGLE_INFINITY 0x7f800000u
#define SINGLE_SIGN     0x80000000u
#define HALF_NAN        0x7fffu

struct float8_format {
	uint32_t fraction;      /* fraction bits */
	int min_exponent;       /* of normal numbers */
	uint32_t max_finite;    /* as a single */
	uint32_t max_magnitude; /* larger magnitudes are NaN */
};
static const struct float8_format e4m3 = {3, -6, 0x43e00000, 0x7e},
				  e5m2 = {2, -14, 0x47600000, 0x7c};
#define FLOAT8_NAN 0x7f

static uint32_t power_of_two(int exponent)
{
	return (uint32_t)(exponent + 127) << 23;
}

/* Rounds to the nearest multiple of 1 << bits, ties to even; the low bits are garbage. */
static ir_val round_to_even(struct expand *e, ir_val x, uint32_t bits)
{
	ir_val odd = expand_op_imm(e, IR_AND, expand_shift(e, IR_SHR_U, x, bits), 1);

	return expand_op(e, IR_ADD, IR_B32, expand_op_imm(e, IR_ADD, x, (1u << (bits - 1)) - 1),
			 odd, 0);
}

static ir_val magnitude(struct expand *e, ir_val x)
{
	return expand_op_imm(e, IR_AND, x, ~SINGLE_SIGN);
}

/* Keeps the upper 19 bits of a single; a carry out of the fraction increments the exponent. */
static ir_val to_tf32(struct expand *e, const struct ir_inst *in)
{
	ir_val x = in->args[0],
	       nan = expand_compare_imm(e, IR_GT_U, magnitude(e, x), SINGLE_INFINITY);
	ir_val r = in->round == IR_RZ ? x : round_to_even(e, x, 13);

	r = expand_op_imm(e, IR_AND, r, 0xffffe000);
	return expand_select(e, nan, expand_const(e, IR_B32, 0x7fffe000), r);
}

/*
 * Returns the byte in the low bits of a word. Subnormal results are rounded by adding a number
 * whose ulp equals theirs.
 */
static ir_val single_to_float8(struct expand *e, const struct float8_format *f, ir_val x)
{
	uint32_t bits = 23 - f->fraction,
		 offset = power_of_two(f->min_exponent - (int)f->fraction + 23);
	ir_val m = magnitude(e, x), nan = expand_compare_imm(e, IR_GT_U, m, SINGLE_INFINITY), small,
	       normal, below;

	m = expand_op_imm(e, IR_MIN_U, m, f->max_finite);
	normal = expand_shift(e, IR_SHR_U, round_to_even(e, m, bits), bits);
	normal = expand_op_imm(e, IR_SUB, normal, (uint32_t)(f->min_exponent + 126) << f->fraction);
	below = expand_round(e, IR_FADD, IR_RN, m, expand_const(e, IR_B32, offset), 0);
	below = expand_op_imm(e, IR_SUB, below, offset);
	small = expand_compare_imm(e, IR_LT_U, m, power_of_two(f->min_exponent));
	m = expand_select(e, small, below, normal);
	m = expand_op(e, IR_OR, IR_B32, m,
		      expand_shift(e, IR_SHR_U, expand_op_imm(e, IR_AND, x, SINGLE_SIGN), 24), 0);
	return expand_select(e, nan, expand_const(e, IR_B32, FLOAT8_NAN), m);
}

/*
 * Returns the half's bits in the low bits of a word. e5m2 is a truncated half; e4m3 has another
 * exponent bias, and its subnormals are normal as halves.
 */
static ir_val float8_to_half(struct expand *e, const struct float8_format *f, ir_val x)
{
	ir_val m = expand_op_imm(e, IR_AND, x, 0x7f),
	       nan = expand_compare_imm(e, IR_GT_U, m, f->max_magnitude), r;

	r = expand_shift(e, IR_SHL, m, 10 - f->fraction);
	if (f == &e4m3) {
		r = expand_convert(e, IR_TRUNC, IR_B16, r);
		r = expand_round(e, IR_FMUL, IR_RN, r, expand_const(e, IR_B16, 0x5c00),
				 0); /* 256.0 */
		r = expand_convert(e, IR_ZEXT, IR_B32, r);
	}
	r = expand_op(e, IR_OR, IR_B32, r,
		      expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, x, 0x80), 8), 0);
	return expand_select(e, nan, expand_const(e, IR_B32, HALF_NAN), r);
}

static void unpack_halves(struct expand *e, ir_val x, ir_val half[2])
{
	ir_id i = ir_inst_new(e->f, IR_UNPACK, e->f->values[x].type, &x, 1, 2);

	ir_insert_before(e->f, e->at, i);
	half[0] = ir_at(e->f, i)->res;
	half[1] = half[0] + 1;
}

static ir_val convert_float8_pair(struct expand *e, const struct ir_inst *in)
{
	const struct float8_format *f = in->format == IR_E4M3X2 ? &e4m3 : &e5m2;
	ir_val x[2];

	if (in->from == IR_B16) {
		x[0] = expand_convert(e, IR_ZEXT, IR_B32, in->args[0]);
		x[1] = expand_shift(e, IR_SHR_U, x[0], 8);
	} else {
		unpack_halves(e, in->args[0], x);
	}
	for (uint32_t k = 0; k < 2; k++)
		x[k] = in->from == IR_B16
			       ? float8_to_half(e, f, x[k])
			       : single_to_float8(e, f, expand_convert(e, IR_FTOF, IR_B32, x[k]));
	x[1] = expand_shift(e, IR_SHL, x[1], in->from == IR_B16 ? 16 : 8);
	return expand_convert(e, IR_TRUNC, in->type, expand_op(e, IR_OR, IR_B32, x[0], x[1], 0));
}

void gcn_legalise_formats(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst in = *ir_at(f, i);
			struct expand e = {.f = f, .at = i, .line = in.line};

			if (in.op != IR_FTOF || in.format < IR_TF32)
				continue;
			ir_replace_uses(f, in.res,
					in.format == IR_TF32 ? to_tf32(&e, &in)
							     : convert_float8_pair(&e, &in));
			ir_remove(f, i);
		}
}
