// SPDX-License-Identifier: MIT
/*
 * Lowering of arithmetic that needs several IR operations: carries, saturation, min and max with
 * NaN and sign modifiers, approximate division, tests of the bits of floats.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

/* ---- integers ---- */

/* Saturating addition: add in twice the width, then clamp. */
static ir_val to_word(struct ptx *x, ir_val v)
{
	v = ptx_op(x, IR_MIN_S, IR_B64, v, ptx_emit_constant(x, IR_B64, INT32_MAX), 0);
	v = ptx_op(x, IR_MAX_S, IR_B64, v, ptx_emit_constant(x, IR_B64, (uint64_t)INT32_MIN), 0);
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
	ir_val a = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_read_role(x, in, ROLE_A));
	ir_val b = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_read_role(x, in, ROLE_B)), v;

	if (in->role[ROLE_C]) { /* mad.hi.sat */
		v = ptx_op(x, IR_SHR_S, IR_B64, ptx_op(x, IR_MUL, IR_B64, a, b, 0),
			   ptx_emit_constant(x, IR_B32, 32), 0);
		b = ptx_convert(x, IR_SEXT, IR_B32, IR_B64, ptx_read_role(x, in, ROLE_C));
		v = ptx_op(x, IR_ADD, IR_B64, v, b, 0);
	} else {
		v = ptx_op(x, in->row->op, IR_B64, a, b, 0);
	}
	ptx_write_operand(x, in->role[ROLE_D], to_word(x, v));
}

/* addc, subc and madc read the carry flag, and .cc writes it. For a subtraction it is the
 * borrow. */
static void with_carry(struct ptx *x, const struct ptx_inst *in, enum ir_op op, ir_val a, ir_val b)
{
	bool reads = in->name.text[in->name.length - 1] == 'c';
	ir_val args[3] = {a, b}, v;

	args[2] = reads ? ptx_read_register(x, x->carry) : ptx_emit_constant(x, IR_B1, 0);
	v = ir_at(x->func, ptx_emit(x, op, in->role[ROLE_D]->type->ir, 2, 3, args))->res;
	ptx_write_operand(x, in->role[ROLE_D], v);
	if (ptx_has_modifier(in, SLOT_CARRY))
		ptx_write_register(x, x->carry, v + 1);
}

void ptx_lower_carry(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);

	with_carry(x, in, in->row->op, a, ptx_read_role(x, in, ROLE_B));
}

void ptx_lower_carry_mad(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val product = ptx_op(x, in->row->op, in->role[ROLE_D]->type->ir, a, b, 0);

	with_carry(x, in, IR_ADDC, product, ptx_read_role(x, in, ROLE_C));
}

/* Multiplies the sign- or zero-extended low 24 bits; the row's operation selects the low or the
 * high 32 bits of the 48-bit product. */
void ptx_lower_mul24(struct ptx *x, const struct ptx_inst *in)
{
	bool is_signed = ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED;
	ir_val eight = ptx_emit_constant(x, IR_B32, 8), args[2], v;
	static const enum ptx_role roles[] = {ROLE_A, ROLE_B};

	for (int k = 0; k < 2; k++) {
		v = ptx_op(x, IR_SHL, IR_B32, ptx_read_role(x, in, roles[k]), eight, 0);
		args[k] = ptx_op(x, is_signed ? IR_SHR_S : IR_SHR_U, IR_B32, v, eight, 0);
	}
	v = ptx_op(x, is_signed ? IR_MULWIDE_S : IR_MULWIDE_U, IR_B64, args[0], args[1], 0);
	if (in->row->op == IR_MULHI_U)
		v = ptx_op(x, IR_SHR_U, IR_B64, v, ptx_emit_constant(x, IR_B32, 16), 0);
	v = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, v);
	if (ptx_has_modifier(in, SLOT_SAT))
		v = add_saturating(x, v, ptx_read_role(x, in, ROLE_C));
	else if (in->role[ROLE_C])
		v = ptx_op(x, IR_ADD, IR_B32, v, ptx_read_role(x, in, ROLE_C), 0);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_sad(struct ptx *x, const struct ptx_inst *in)
{
	bool is_signed = ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED;
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val most = ptx_op(x, is_signed ? IR_MAX_S : IR_MAX_U, t, a, b, 0);
	ir_val least = ptx_op(x, is_signed ? IR_MIN_S : IR_MIN_U, t, a, b, 0);
	ir_val v = ptx_op(x, IR_SUB, t, most, least, 0);

	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_ADD, t, ptx_read_role(x, in, ROLE_C), v, 0));
}

/* Integer min and max with .relu: clamp the result at zero. */
void ptx_lower_relu(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val v = ptx_op(x, in->row->op, IR_B32, a, ptx_read_role(x, in, ROLE_B), 0);

	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_MAX_S, IR_B32, v, ptx_emit_constant(x, IR_B32, 0), 0));
}

/* Packed 16-bit integers: each half separately. */
void ptx_lower_halves(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_op(x, IR_UNPACK, IR_B32, ptx_read_role(x, in, ROLE_A), 0, 0);
	ir_val b = ptx_op(x, IR_UNPACK, IR_B32, ptx_read_role(x, in, ROLE_B), 0, 0), v[2];

	for (uint32_t k = 0; k < 2; k++) {
		v[k] = ptx_op(x, in->row->op, IR_B16, a + k, b + k, 0);
		if (ptx_has_modifier(in, SLOT_RELU))
			v[k] = ptx_op(x, IR_MAX_S, IR_B16, v[k], ptx_emit_constant(x, IR_B16, 0),
				      0);
	}
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_PACK, IR_B32, v[0], v[1], 0));
}

/* ---- floats ---- */

/* A constant of the type's width; for a packed type, `half` in both halves. */
static ir_val splat_constant(struct ptx *x, const struct ptx_type *t, uint64_t half, uint64_t whole)
{
	bool pair = t->format == IR_F16X2 || t->format == IR_BF16X2;

	return ptx_emit_constant(x, t->ir, t->bits == 16 ? half : pair ? half << 16 | half : whole);
}

static ir_val sign_mask(struct ptx *x, const struct ptx_type *t)
{
	return splat_constant(x, t, 0x8000, UINT64_C(1) << (t->bits - 1));
}

/* fma.relu: a negative result becomes 0, NaN stays NaN. */
static ir_val emit_fma(struct ptx *x, const struct ptx_inst *in, ir_val a, ir_val b)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val v = ptx_op(x, in->row->op, t, a, b, ptx_read_role(x, in, ROLE_C));

	ptx_float_modifiers(x, in, v);
	if (ptx_has_modifier(in, SLOT_RELU)) {
		v = ptx_op(x, IR_FMAX, t, v, ptx_emit_constant(x, t, 0), 0);
		ir_def(x->func, v)->format = ptx_inst_type(in, SLOT_TYPE)->format;
		ir_def(x->func, v)->flags |= IR_NAN;
	}
	return v;
}

void ptx_lower_float(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);

	ptx_write_operand(x, in->role[ROLE_D], emit_fma(x, in, a, ptx_read_role(x, in, ROLE_B)));
}

/* The NaN that a tensor load beyond the end returns. The manual does not give its bits; an H200
 * treats this one as out of bounds, in both formats (model/nv/exec_half.c). */
#define OUT_OF_BOUNDS 0x7ff7

/* 0 if a or b, both of 16 bits, is out of bounds; else v. */
static ir_val zero_out_of_bounds(struct ptx *x, ir_val a, ir_val b, ir_val v)
{
	ir_val out = ptx_emit_constant(x, IR_B16, OUT_OF_BOUNDS), p[2];

	p[0] = ptx_op(x, IR_ICMP, IR_B16, a, out, 0);
	p[1] = ptx_op(x, IR_ICMP, IR_B16, b, out, 0);
	for (int k = 0; k < 2; k++)
		ir_def(x->func, p[k])->cond = IR_EQ;
	return ptx_op(x, IR_SELECT, IR_B16, ptx_op(x, IR_OR, IR_B1, p[0], p[1], 0),
		      ptx_emit_constant(x, IR_B16, 0), v);
}

/* fma.oob: an out-of-bounds argument makes the result zero. */
void ptx_lower_oob(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B), v[2];

	v[0] = emit_fma(x, in, a, b);
	if (ptx_inst_type(in, SLOT_TYPE)->bits == 16) {
		ptx_write_operand(x, in->role[ROLE_D], zero_out_of_bounds(x, a, b, v[0]));
		return;
	}
	a = ptx_op(x, IR_UNPACK, IR_B32, a, 0, 0);
	b = ptx_op(x, IR_UNPACK, IR_B32, b, 0, 0);
	v[0] = ptx_op(x, IR_UNPACK, IR_B32, v[0], 0, 0);
	v[1] = zero_out_of_bounds(x, a + 1, b + 1, v[0] + 1);
	v[0] = zero_out_of_bounds(x, a, b, v[0]);
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_PACK, IR_B32, v[0], v[1], 0));
}

/* .xorsign.abs: compares absolute values; the result has the sign of the product. */
void ptx_lower_minmax(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B), sign = 0, v;

	if (ptx_has_modifier(in, SLOT_XORSIGN)) {
		sign = ptx_op(x, IR_AND, t, ptx_op(x, IR_XOR, t, a, b, 0), sign_mask(x, type), 0);
		a = ptx_op(x, IR_FABS, t, a, 0, 0);
		ir_def(x->func, a)->format = type->format;
		b = ptx_op(x, IR_FABS, t, b, 0, 0);
		ir_def(x->func, b)->format = type->format;
	}
	v = ptx_float_modifiers(x, in, ptx_op(x, in->row->op, t, a, b, 0));
	if (ptx_has_modifier(in, SLOT_NAN))
		ir_def(x->func, v)->flags |= IR_NAN;
	if (sign)
		v = ptx_op(x, IR_OR, t, v, sign, 0);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

/* The instruction's name selects the function. */
void ptx_lower_approx(struct ptx *x, const struct ptx_inst *in)
{
	static const char *const names[IR_APPROX_COUNT] = {
		[IR_APPROX_RCP] = "rcp", [IR_APPROX_SQRT] = "sqrt", [IR_APPROX_RSQRT] = "rsqrt",
		[IR_APPROX_SIN] = "sin", [IR_APPROX_COS] = "cos",   [IR_APPROX_EX2] = "ex2",
		[IR_APPROX_LG2] = "lg2", [IR_APPROX_TANH] = "tanh"};
	ir_val v = ptx_op(x, IR_APPROX, in->role[ROLE_D]->type->ir, ptx_read_role(x, in, ROLE_A), 0,
			  0);
	uint8_t k = 0;

	while (strlen(names[k]) != in->name.length ||
	       memcmp(names[k], in->name.text, in->name.length))
		k++;
	ptx_float_modifiers(x, in, v);
	ir_def(x->func, v)->sub = k;
	ptx_write_operand(x, in->role[ROLE_D], v);
}

static ir_val float_op(struct ptx *x, const struct ptx_inst *in, enum ir_op op, ir_val a, ir_val b)
{
	ir_val v = ptx_op(x, op, IR_B32, a, b, 0);

	if (ptx_has_modifier(in, SLOT_FTZ))
		ir_def(x->func, v)->flags |= IR_FTZ;
	return v;
}

/* 1/b for a b that is not subnormal, where a subnormal result may become 0: what the hardware
 * computes. */
static ir_val normal_reciprocal(struct ptx *x, ir_val b)
{
	ir_val r = ptx_op(x, IR_APPROX, IR_B32, b, 0, 0);

	ir_def(x->func, r)->sub = IR_APPROX_RCP;
	ir_def(x->func, r)->flags |= IR_FTZ;
	return r;
}

/* v, or v times a power of two, whose bits are given, where p holds. */
static ir_val scale_where(struct ptx *x, const struct ptx_inst *in, ir_val p, ir_val v,
			  uint32_t factor)
{
	ir_val scaled = float_op(x, in, IR_FMUL, v, ptx_emit_constant(x, IR_B32, factor));

	return ptx_op(x, IR_SELECT, IR_B32, p, scaled, v);
}

static ir_val compare_size(struct ptx *x, enum ir_cond how, ir_val v, uint32_t with)
{
	ir_val size = ptx_op(x, IR_FABS, IR_B32, v, 0, 0);

	return ptx_compare(x, IR_FCMP, IR_B32, how, size, ptx_emit_constant(x, IR_B32, with));
}

/* Both operands of an approximate division times a power of two where p holds. */
static void scale_operands(struct ptx *x, const struct ptx_inst *in, ir_val p, uint32_t factor,
			   ir_val *a, ir_val *b)
{
	*a = scale_where(x, in, p, *a, factor);
	*b = scale_where(x, in, p, *b, factor);
}

/* a times the approximate 1/b. As ptxas does, an addition may absorb the product. */
static void write_quotient(struct ptx *x, const struct ptx_inst *in, ir_val a, ir_val b)
{
	ir_val q = float_op(x, in, IR_FMUL, a, normal_reciprocal(x, b));

	if (!x->job->options.no_contraction)
		ir_def(x->func, q)->flags |= IR_CONTRACT;
	ptx_write_operand(x, in->role[ROLE_D], q);
}

#define SMALL 0x00800000 /* 2^-126: below it numbers are subnormal */
#define LARGE 0x7e800000 /* 2^126: above it reciprocals are subnormal */
#define UP    0x4b800000 /* 2^24 */
#define DOWN  0x3e800000 /* 2^-2 */

/* PTX ISA, div: the approximate quotient is a times the approximate 1/b; above 2^126 it is 0. If b
 * is subnormal, both operands are scaled. */
void ptx_lower_divide_approx(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);

	if (!ptx_has_modifier(in, SLOT_FTZ))
		scale_operands(x, in, compare_size(x, IR_FLT, b, SMALL), UP, &a, &b);
	write_quotient(x, in, a, b);
}

/* div.full: as div.approx, but over the full range. If the reciprocal of the divisor would overflow
 * or underflow, both operands are scaled. */
void ptx_lower_divide_full(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);

	ir_val large = compare_size(x, IR_FGT, b, LARGE), small = 0;

	if (!ptx_has_modifier(in, SLOT_FTZ))
		small = compare_size(x, IR_FLT, b, SMALL);
	scale_operands(x, in, large, DOWN, &a, &b);
	if (small)
		scale_operands(x, in, small, UP, &a, &b);
	write_quotient(x, in, a, b);
}

/* The sign of a, the magnitude of b. */
void ptx_lower_copysign(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	ir_val sign = sign_mask(x, type), rest = ptx_op(x, IR_NOT, type->ir, sign, 0, 0);
	ir_val a = ptx_op(x, IR_AND, type->ir, ptx_read_role(x, in, ROLE_A), sign, 0);
	ir_val b = ptx_op(x, IR_AND, type->ir, ptx_read_role(x, in, ROLE_B), rest, 0);

	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_OR, type->ir, a, b, 0));
}

/* Classifies by the bits without the sign: below the smallest normal number, below infinity,
 * infinity, above it. */
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
	ir_val a = ptx_op(x, IR_FABS, t, ptx_read_role(x, in, ROLE_A), 0, 0), v, zero = 0;

	if (what ==
	    TESTP_NORMAL) { /* in [normal, infinity); zeros count as normal (PTX ISA, testp) */
		zero = ptx_compare(x, IR_ICMP, t, IR_EQ, a, ptx_emit_constant(x, t, 0));
		a = ptx_op(x, IR_SUB, t, a, ptx_emit_constant(x, t, normal), 0);
		bound = infinity - normal;
	} else if (what == TESTP_SUBNORMAL) { /* in [1, normal); 0 - 1 wraps */
		a = ptx_op(x, IR_SUB, t, a, ptx_emit_constant(x, t, 1), 0);
		bound = normal - 1;
	}
	v = ptx_compare(x, IR_ICMP, t, conditions[what], a, ptx_emit_constant(x, t, bound));
	if (zero)
		v = ptx_op(x, IR_OR, IR_B1, v, zero, 0);
	ptx_write_operand(x, in->role[ROLE_P], v);
}
