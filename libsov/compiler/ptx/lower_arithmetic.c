// SPDX-License-Identifier: MIT
/*
 * Lowering of arithmetic that takes more than one operation of the IR: carries, saturation, minima
 * with a say on NaN and signs, approximate division, and what looks at the bits of floats.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- integers ---- */

/* In twice the width nothing is lost; then back between the bounds. */
static ir_val to_word(struct ptx *x, ir_val v)
{
	v = ptx_op(x, IR_MIN_S, IR_B64, v, ptx_constant_value(x, IR_B64, INT32_MAX), 0);
	v = ptx_op(x, IR_MAX_S, IR_B64, v, ptx_constant_value(x, IR_B64, (uint64_t)INT32_MIN), 0);
	return ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, v);
}

static ir_val add_saturating(struct ptx *x, ir_val a, ir_val b)
{
	a = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, a);
	return to_word(x,
		       ptx_op(x, IR_ADD, IR_B64, a, ptx_convert(x, IR_SEXT, IR_B32, IR_B64, b), 0));
}

void ptx_lower_saturating(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_role(x, in, ROLE_A));
	ir_val b = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_role(x, in, ROLE_B)), v;

	if (in->role[ROLE_C]) { /* mad.hi.sat */
		v = ptx_op(x, IR_SHR_S, IR_B64, ptx_op(x, IR_MUL, IR_B64, a, b, 0),
			   ptx_constant_value(x, IR_B32, 32), 0);
		b = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_role(x, in, ROLE_C));
		v = ptx_op(x, IR_ADD, IR_B64, v, b, 0);
	} else {
		v = ptx_op(x, in->row->op, IR_B64, a, b, 0);
	}
	ptx_write(x, in->role[ROLE_D], to_word(x, v));
}

/* The carry flag is one bit that addc, subc and madc read, and everything with .cc writes. For a
 * subtraction it is the borrow. */
static void with_carry(struct ptx *x, const struct ptx_inst *in, enum ir_op op, ir_val a, ir_val b)
{
	bool reads = in->name.text[in->name.length - 1] == 'c';
	ir_val args[3] = {a, b}, v;

	args[2] = reads ? ptx_read_register(x, x->carry) : ptx_constant_value(x, IR_B1, 0);
	v = ir_at(x->func, ptx_emit(x, op, in->role[ROLE_D]->type->ir, 2, 3, args))->res;
	ptx_write(x, in->role[ROLE_D], v);
	if (ptx_said(in, SLOT_CARRY))
		ptx_write_register(x, x->carry, v + 1);
}

void ptx_lower_carry(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A);

	with_carry(x, in, in->row->op, a, ptx_role(x, in, ROLE_B));
}

void ptx_lower_carry_mad(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A);
	ir_val b = ptx_role(x, in, ROLE_B);
	ir_val product = ptx_op(x, in->row->op, in->role[ROLE_D]->type->ir, a, b, 0);

	with_carry(x, in, IR_ADDC, product, ptx_role(x, in, ROLE_C));
}

/* The low 24 bits, with or without their sign; of the 48 bits of the product the low or the high
 * 32. The row's operation says which product. */
void ptx_lower_mul24(struct ptx *x, const struct ptx_inst *in)
{
	bool is_signed = ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED;
	ir_val eight = ptx_constant_value(x, IR_B32, 8), args[2], v;
	static const enum ptx_role roles[] = {ROLE_A, ROLE_B};

	for (int k = 0; k < 2; k++) {
		v = ptx_op(x, IR_SHL, IR_B32, ptx_role(x, in, roles[k]), eight, 0);
		args[k] = ptx_op(x, is_signed ? IR_SHR_S : IR_SHR_U, IR_B32, v, eight, 0);
	}
	v = ptx_op(x, is_signed ? IR_MULWIDE_S : IR_MULWIDE_U, IR_B64, args[0], args[1], 0);
	if (in->row->op == IR_MULHI_U)
		v = ptx_op(x, IR_SHR_U, IR_B64, v, ptx_constant_value(x, IR_B32, 16), 0);
	v = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, v);
	if (ptx_said(in, SLOT_SAT))
		v = add_saturating(x, v, ptx_role(x, in, ROLE_C));
	else if (in->role[ROLE_C])
		v = ptx_op(x, IR_ADD, IR_B32, v, ptx_role(x, in, ROLE_C), 0);
	ptx_write(x, in->role[ROLE_D], v);
}

void ptx_lower_sad(struct ptx *x, const struct ptx_inst *in)
{
	bool is_signed = ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED;
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_role(x, in, ROLE_A);
	ir_val b = ptx_role(x, in, ROLE_B);
	ir_val most = ptx_op(x, is_signed ? IR_MAX_S : IR_MAX_U, t, a, b, 0);
	ir_val least = ptx_op(x, is_signed ? IR_MIN_S : IR_MIN_U, t, a, b, 0);
	ir_val v = ptx_op(x, IR_SUB, t, most, least, 0);

	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_ADD, t, ptx_role(x, in, ROLE_C), v, 0));
}

/* min and max of signed numbers with .relu: never below zero. */
void ptx_lower_relu(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A);
	ir_val v = ptx_op(x, in->row->op, IR_B32, a, ptx_role(x, in, ROLE_B), 0);

	ptx_write(x, in->role[ROLE_D],
		  ptx_op(x, IR_MAX_S, IR_B32, v, ptx_constant_value(x, IR_B32, 0), 0));
}

/* Pairs of 16-bit integers: each half for itself. */
void ptx_lower_halves(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_op(x, IR_UNPACK, IR_B32, ptx_role(x, in, ROLE_A), 0, 0);
	ir_val b = ptx_op(x, IR_UNPACK, IR_B32, ptx_role(x, in, ROLE_B), 0, 0), v[2];

	for (uint32_t k = 0; k < 2; k++) {
		v[k] = ptx_op(x, in->row->op, IR_B16, a + k, b + k, 0);
		if (ptx_said(in, SLOT_RELU))
			v[k] = ptx_op(x, IR_MAX_S, IR_B16, v[k], ptx_constant_value(x, IR_B16, 0),
				      0);
	}
	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_PACK, IR_B32, v[0], v[1], 0));
}

/* ---- floats ---- */

/* As many bits as the type has, the same for both halves of a pair. */
static ir_val pattern(struct ptx *x, const struct ptx_type *t, uint64_t half, uint64_t whole)
{
	bool pair = t->format == IR_F16X2 || t->format == IR_BF16X2;

	return ptx_constant_value(x, t->ir,
				  t->bits == 16 ? half
				  : pair        ? half << 16 | half
						: whole);
}

static ir_val sign_mask(struct ptx *x, const struct ptx_type *t)
{
	return pattern(x, t, 0x8000, UINT64_C(1) << (t->bits - 1));
}

/* fma.relu: negative becomes 0, NaN stays one. */
static ir_val fused(struct ptx *x, const struct ptx_inst *in, ir_val a, ir_val b)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val v = ptx_op(x, in->row->op, t, a, b, ptx_role(x, in, ROLE_C));

	ptx_float_words(x, in, v);
	if (ptx_said(in, SLOT_RELU)) {
		v = ptx_op(x, IR_FMAX, t, v, ptx_constant_value(x, t, 0), 0);
		ir_def(x->func, v)->format = ptx_inst_type(in, SLOT_TYPE)->format;
		ir_def(x->func, v)->flags |= IR_NAN;
	}
	return v;
}

void ptx_lower_float(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A);

	ptx_write(x, in->role[ROLE_D], fused(x, in, a, ptx_role(x, in, ROLE_B)));
}

/* The NaN that a load beyond the end of a tensor gives. The manual does not say which it is; an H200 takes
 * this one for it, in both formats (model/nv/exec_half.c). */
#define OUT_OF_BOUNDS 0x7ff7

/* 0 where a or b, both of 16 bits, is out of bounds; else v. */
static ir_val in_bounds(struct ptx *x, ir_val a, ir_val b, ir_val v)
{
	ir_val out = ptx_constant_value(x, IR_B16, OUT_OF_BOUNDS), p[2];

	p[0] = ptx_op(x, IR_ICMP, IR_B16, a, out, 0);
	p[1] = ptx_op(x, IR_ICMP, IR_B16, b, out, 0);
	for (int k = 0; k < 2; k++)
		ir_def(x->func, p[k])->cond = IR_EQ;
	return ptx_op(x, IR_SELECT, IR_B16, ptx_op(x, IR_OR, IR_B1, p[0], p[1], 0),
		      ptx_constant_value(x, IR_B16, 0), v);
}

/* fma.oob: what is out of bounds makes the result zero. */
void ptx_lower_oob(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B), v[2];

	v[0] = fused(x, in, a, b);
	if (ptx_inst_type(in, SLOT_TYPE)->bits == 16) {
		ptx_write(x, in->role[ROLE_D], in_bounds(x, a, b, v[0]));
		return;
	}
	a = ptx_op(x, IR_UNPACK, IR_B32, a, 0, 0);
	b = ptx_op(x, IR_UNPACK, IR_B32, b, 0, 0);
	v[0] = ptx_op(x, IR_UNPACK, IR_B32, v[0], 0, 0);
	v[1] = in_bounds(x, a + 1, b + 1, v[0] + 1);
	v[0] = in_bounds(x, a, b, v[0]);
	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_PACK, IR_B32, v[0], v[1], 0));
}

/* .xorsign.abs: of the absolute values, with the sign that a product would have. */
void ptx_lower_minmax(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B), sign = 0, v;

	if (ptx_said(in, SLOT_XORSIGN)) {
		sign = ptx_op(x, IR_AND, t, ptx_op(x, IR_XOR, t, a, b, 0), sign_mask(x, type), 0);
		a = ptx_op(x, IR_FABS, t, a, 0, 0);
		ir_def(x->func, a)->format = type->format;
		b = ptx_op(x, IR_FABS, t, b, 0, 0);
		ir_def(x->func, b)->format = type->format;
	}
	v = ptx_float_words(x, in, ptx_op(x, in->row->op, t, a, b, 0));
	if (ptx_said(in, SLOT_NAN))
		ir_def(x->func, v)->flags |= IR_NAN;
	if (sign)
		v = ptx_op(x, IR_OR, t, v, sign, 0);
	ptx_write(x, in->role[ROLE_D], v);
}

/* The function has the instruction's name. */
void ptx_lower_approx(struct ptx *x, const struct ptx_inst *in)
{
	static const char *const names[IR_APPROX_COUNT] = {
		[IR_APPROX_RCP] = "rcp", [IR_APPROX_SQRT] = "sqrt", [IR_APPROX_RSQRT] = "rsqrt",
		[IR_APPROX_SIN] = "sin", [IR_APPROX_COS] = "cos",   [IR_APPROX_EX2] = "ex2",
		[IR_APPROX_LG2] = "lg2", [IR_APPROX_TANH] = "tanh"};
	ir_val v = ptx_op(x, IR_APPROX, in->role[ROLE_D]->type->ir, ptx_role(x, in, ROLE_A), 0, 0);
	uint8_t k = 0;

	while (strlen(names[k]) != in->name.length ||
	       memcmp(names[k], in->name.text, in->name.length))
		k++;
	ptx_float_words(x, in, v);
	ir_def(x->func, v)->sub = k;
	ptx_write(x, in->role[ROLE_D], v);
}

static ir_val float_op(struct ptx *x, const struct ptx_inst *in, enum ir_op op, ir_val a, ir_val b)
{
	ir_val v = ptx_op(x, op, IR_B32, a, b, 0);

	if (ptx_said(in, SLOT_FTZ))
		ir_def(x->func, v)->flags |= IR_FTZ;
	return v;
}

/* PTX ISA, div: the approximate quotient is a times the approximate 1/b. */
static ir_val times_reciprocal(struct ptx *x, const struct ptx_inst *in, ir_val a, ir_val b)
{
	ir_val r = float_op(x, in, IR_APPROX, b, 0);

	ir_def(x->func, r)->sub = IR_APPROX_RCP;
	return float_op(x, in, IR_FMUL, a, r);
}

void ptx_lower_divide_approx(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A);

	ptx_write(x, in->role[ROLE_D], times_reciprocal(x, in, a, ptx_role(x, in, ROLE_B)));
}

/* div.full: the same over all of the range. A divisor whose reciprocal would leave it is scaled,
 * and the dividend with it. */
void ptx_lower_divide_full(struct ptx *x, const struct ptx_inst *in)
{
	const uint32_t large = 0x7e800000 /* 2^126 */, small = 0x00800000 /* 2^-126 */;
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B);
	ir_val size = ptx_op(x, IR_FABS, IR_B32, b, 0, 0), down, up, scale;

	down = ptx_compare(x, IR_FCMP, IR_B32, IR_FGT, size, ptx_constant_value(x, IR_B32, large));
	up = ptx_compare(x, IR_FCMP, IR_B32, IR_FLT, size, ptx_constant_value(x, IR_B32, small));
	scale = ptx_op(x, IR_SELECT, IR_B32, up,
		       ptx_constant_value(x, IR_B32, 0x4b800000), /* 2^24 */
		       ptx_constant_value(x, IR_B32, 0x3f800000));
	scale = ptx_op(x, IR_SELECT, IR_B32, down,
		       ptx_constant_value(x, IR_B32, 0x3e800000), /* 2^-2 */
		       scale);
	a = float_op(x, in, IR_FMUL, a, scale);
	b = float_op(x, in, IR_FMUL, b, scale);
	ptx_write(x, in->role[ROLE_D], times_reciprocal(x, in, a, b));
}

/* The sign of a and the rest of b. */
void ptx_lower_copysign(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	ir_val sign = sign_mask(x, type), rest = ptx_op(x, IR_NOT, type->ir, sign, 0, 0);
	ir_val a = ptx_op(x, IR_AND, type->ir, ptx_role(x, in, ROLE_A), sign, 0);
	ir_val b = ptx_op(x, IR_AND, type->ir, ptx_role(x, in, ROLE_B), rest, 0);

	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_OR, type->ir, a, b, 0));
}

/* What kind of number it is shows in its bits without the sign: below the smallest normal number,
 * below infinity, infinity, above it. */
void ptx_lower_testp(struct ptx *x, const struct ptx_inst *in)
{
	static const uint8_t conditions[] = {[TESTP_FINITE] = IR_LT_U, [TESTP_INFINITE] = IR_EQ,
					     [TESTP_NUMBER] = IR_LE_U, [TESTP_NOTANUMBER] = IR_GT_U,
					     [TESTP_NORMAL] = IR_LT_U, [TESTP_SUBNORMAL] = IR_LT_U};
	bool wide = ptx_inst_type(in, SLOT_TYPE)->bits == 64;
	enum ir_type t = wide ? IR_B64 : IR_B32;
	uint64_t infinity = wide ? UINT64_C(0x7ff) << 52 : 0x7f800000;
	uint64_t normal = wide ? UINT64_C(1) << 52 : 0x00800000, bound = infinity;
	enum ptx_testp what = in->value[SLOT_TESTP];
	ir_val a = ptx_op(x, IR_FABS, t, ptx_role(x, in, ROLE_A), 0, 0), v, zero = 0;

	if (what ==
	    TESTP_NORMAL) { /* from normal up to infinity; zeros count as normal (PTX ISA, testp) */
		zero = ptx_compare(x, IR_ICMP, t, IR_EQ, a, ptx_constant_value(x, t, 0));
		a = ptx_op(x, IR_SUB, t, a, ptx_constant_value(x, t, normal), 0);
		bound = infinity - normal;
	} else if (what == TESTP_SUBNORMAL) { /* from 1 up to normal; 0 goes around */
		a = ptx_op(x, IR_SUB, t, a, ptx_constant_value(x, t, 1), 0);
		bound = normal - 1;
	}
	v = ptx_compare(x, IR_ICMP, t, conditions[what], a, ptx_constant_value(x, t, bound));
	if (zero)
		v = ptx_op(x, IR_OR, IR_B1, v, zero, 0);
	ptx_write(x, in->role[ROLE_P], v);
}
