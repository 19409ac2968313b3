// SPDX-License-Identifier: MIT
/*
 * The set GLSL.std.450. Functions of f32 have the errors that the Vulkan specification allows
 * ("Precision and Operation of SPIR-V Instructions"), by the targets' approximations; those of f16
 * are computed in f32. Components are independent, except of the geometric functions and matrices
 * (glsl_vector.c).
 */
#include <string.h>
#include "libsov/compiler/spirv/float.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/glsl.h"

#define F(op, a, b, c) spirv_float_op(s, op, spirv_type_of_val(s, a), a, b, c)

static ir_val number(struct spirv *s, ir_val like, double value)
{
	return spirv_float_const(s, spirv_type_of_val(s, like), value);
}

static ir_val add(struct spirv *s, ir_val a, ir_val b)
{
	return F(IR_FADD, a, b, 0);
}

static ir_val mul(struct spirv *s, ir_val a, ir_val b)
{
	return F(IR_FMUL, a, b, 0);
}

static ir_val fma_(struct spirv *s, ir_val a, ir_val b, ir_val c)
{
	return F(IR_FMA, a, b, c);
}

static ir_val neg(struct spirv *s, ir_val a)
{
	return F(IR_FNEG, a, 0, 0);
}

static ir_val sub(struct spirv *s, ir_val a, ir_val b)
{
	return add(s, a, neg(s, b));
}

static ir_val less(struct spirv *s, enum ir_cond cond, ir_val a, ir_val b)
{
	return spirv_compare(s, IR_FCMP, spirv_type_of_val(s, a), cond, a, b);
}

/* ---- f32 transcendentals ---- */

/* To [-pi, pi], by two parts of 2 pi. */
static ir_val reduce_angle(struct spirv *s, ir_val x)
{
	ir_val revolutions =
		spirv_round(s, IR_B32, mul(s, x, number(s, x, 0.15915494309189535)), IR_RN);

	x = fma_(s, revolutions, number(s, x, -6.28318548202514648), x);
	return fma_(s, revolutions, number(s, x, 1.74845553146951715e-7), x);
}

static ir_val sine(struct spirv *s, ir_val x)
{
	return spirv_approx(s, IR_APPROX_SIN, IR_B32, reduce_angle(s, x));
}

static ir_val cosine(struct spirv *s, ir_val x)
{
	return spirv_approx(s, IR_APPROX_COS, IR_B32, reduce_angle(s, x));
}

static ir_val exp2_(struct spirv *s, ir_val x)
{
	return spirv_approx(s, IR_APPROX_EX2, IR_B32, x);
}

static ir_val log2_(struct spirv *s, ir_val x)
{
	return spirv_approx(s, IR_APPROX_LG2, IR_B32, x);
}

static ir_val exp_(struct spirv *s, ir_val x)
{
	return exp2_(s, mul(s, x, number(s, x, 1.4426950408889634)));
}

static ir_val log_(struct spirv *s, ir_val x)
{
	return mul(s, log2_(s, x), number(s, x, 0.6931471805599453));
}

ir_val spirv_square_root(struct spirv *s, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);

	return t == IR_B64 ? F(IR_FSQRT, x, 0, 0) : spirv_approx(s, IR_APPROX_SQRT, t, x);
}

static ir_val inverse_root(struct spirv *s, ir_val x)
{
	if (spirv_type_of_val(s, x) == IR_B64)
		return spirv_quotient(s, number(s, x, 1), spirv_square_root(s, x));
	return spirv_approx(s, IR_APPROX_RSQRT, IR_B32, x);
}

/* Of 0 to 1: a polynomial in the square, fitted by Chebyshev nodes to an error below 2e-8. */
static ir_val arc_tangent_unit(struct spirv *s, ir_val x)
{
	static const double c[] = {-0.0040540580, 0.0218612288, -0.0559098861, 0.0964200441,
				   -0.1390853351, 0.1994653599, -0.3332985605, 0.9999993329};
	ir_val x2 = mul(s, x, x), p = number(s, x, c[0]);

	for (uint32_t k = 1; k < sizeof(c) / sizeof(c[0]); k++)
		p = fma_(s, p, x2, number(s, x, c[k]));
	return mul(s, p, x);
}

/* With the sign of another value. */
static ir_val copy_sign(struct spirv *s, ir_val magnitude, ir_val sign)
{
	ir_val bit = spirv_const(s, IR_B32, 0x80000000);

	return spirv_op(
		s, IR_OR, IR_B32,
		spirv_op(s, IR_AND, IR_B32, magnitude, spirv_const(s, IR_B32, 0x7fffffff), 0),
		spirv_op(s, IR_AND, IR_B32, sign, bit, 0), 0);
}

static ir_val arc_tangent2(struct spirv *s, ir_val y, ir_val x)
{
	ir_val ay = F(IR_FABS, y, 0, 0), ax = F(IR_FABS, x, 0, 0);
	ir_val top = F(IR_FMAX, ax, ay, 0), bottom = F(IR_FMIN, ax, ay, 0), q, r;
	ir_val steep = less(s, IR_FGT, ay, ax), zero = number(s, x, 0);
	ir_val left = spirv_compare(s, IR_ICMP, IR_B32, IR_LT_S, x, spirv_const(s, IR_B32, 0));
	ir_val same = less(s, IR_FEQ, top, bottom);

	/* Of zeros and of infinities the quotient is none. */
	q = spirv_select(s, same, number(s, x, 1), spirv_quotient(s, bottom, top));
	q = spirv_select(s, less(s, IR_FEQ, top, zero), zero, q);
	r = arc_tangent_unit(s, q);
	r = spirv_select(s, steep, sub(s, number(s, x, 1.5707963267948966), r), r);
	r = spirv_select(s, left, sub(s, number(s, x, 3.1415926535897931), r), r);
	return copy_sign(s, r, y);
}

static ir_val arc_tangent(struct spirv *s, ir_val x)
{
	ir_val a = F(IR_FABS, x, 0, 0), one = number(s, x, 1), big = less(s, IR_FGT, a, one), r;

	r = spirv_select(s, big, spirv_quotient(s, one, a), a);
	r = arc_tangent_unit(s, r);
	r = spirv_select(s, big, sub(s, number(s, x, 1.5707963267948966), r), r);
	return copy_sign(s, r, x);
}

/* sqrt((1 - x) (1 + x)) */
static ir_val other_leg(struct spirv *s, ir_val x)
{
	ir_val one = number(s, x, 1);

	return spirv_square_root(s, mul(s, sub(s, one, x), add(s, one, x)));
}

static ir_val hyperbolic(struct spirv *s, uint32_t number_of, ir_val x)
{
	ir_val e, r, half = number(s, x, 0.5), one = number(s, x, 1);

	switch (number_of) {
	case GLSL_SINH:
		e = exp_(s, x), r = exp_(s, neg(s, x));
		r = mul(s, half, sub(s, e, r));
		/* x + x^3 / 6 near 0, where the difference cancels */
		e = fma_(s, mul(s, mul(s, x, x), x), number(s, x, 1.0 / 6), x);
		return spirv_select(s, less(s, IR_FLT, F(IR_FABS, x, 0, 0), number(s, x, 0.05)), e,
				    r);
	case GLSL_COSH:
		return mul(s, half, add(s, exp_(s, x), exp_(s, neg(s, x))));
	case GLSL_TANH:
		r = F(IR_FMIN, F(IR_FABS, x, 0, 0), number(s, x, 15), 0);
		e = exp_(s, mul(s, number(s, x, 2), r));
		r = spirv_quotient(s, sub(s, e, one), add(s, e, one));
		r = spirv_select(s, less(s, IR_FLT, F(IR_FABS, x, 0, 0), number(s, x, 0.03)),
				 fma_(s, mul(s, mul(s, x, x), x), number(s, x, -1.0 / 3), x),
				 copy_sign(s, r, x));
		return spirv_select(s, less(s, IR_FNAN, x, x), x, r);
	case GLSL_ASINH:
		e = F(IR_FABS, x, 0, 0);
		r = log_(s, add(s, e, spirv_square_root(s, fma_(s, x, x, one))));
		return copy_sign(s, r, x);
	case GLSL_ACOSH:
		return log_(s, add(s, x, spirv_square_root(s, fma_(s, x, x, neg(s, one)))));
	default:
		return mul(s, half, log_(s, spirv_quotient(s, add(s, one, x), sub(s, one, x))));
	}
}

/* Functions of f32 values. */
static ir_val transcendental(struct spirv *s, uint32_t n, ir_val x, ir_val y)
{
	switch (n) {
	case GLSL_SIN:
		return sine(s, x);
	case GLSL_COS:
		return cosine(s, x);
	case GLSL_TAN:
		return spirv_quotient(s, sine(s, x), cosine(s, x));
	case GLSL_ASIN:
		return arc_tangent2(s, x, other_leg(s, x));
	case GLSL_ACOS:
		return arc_tangent2(s, other_leg(s, x), x);
	case GLSL_ATAN:
		return arc_tangent(s, x);
	case GLSL_ATAN2:
		return arc_tangent2(s, x, y);
	case GLSL_POW:
		return exp2_(s, mul(s, y, log2_(s, x)));
	case GLSL_EXP:
		return exp_(s, x);
	case GLSL_LOG:
		return log_(s, x);
	case GLSL_EXP2:
		return exp2_(s, x);
	case GLSL_LOG2:
		return log2_(s, x);
	case GLSL_SQRT:
		return spirv_square_root(s, x);
	case GLSL_INVERSE_SQRT:
		return inverse_root(s, x);
	default:
		return hyperbolic(s, n, x);
	}
}

/* ---- component-wise functions of floats ---- */

static ir_val clamp(struct spirv *s, ir_val x, ir_val low, ir_val high)
{
	return F(IR_FMIN, F(IR_FMAX, x, low, 0), high, 0);
}

static ir_val sign_of(struct spirv *s, ir_val x)
{
	ir_val zero = number(s, x, 0), r;

	r = spirv_select(s, less(s, IR_FGT, x, zero), number(s, x, 1), x);
	return spirv_select(s, less(s, IR_FLT, x, zero), number(s, x, -1), r);
}

static ir_val smooth_step(struct spirv *s, ir_val low, ir_val high, ir_val x)
{
	ir_val t = spirv_quotient(s, sub(s, x, low), sub(s, high, low));

	t = clamp(s, t, number(s, x, 0), number(s, x, 1));
	return mul(s, mul(s, t, t), fma_(s, number(s, x, -2), t, number(s, x, 3)));
}

static ir_val simple_float(struct spirv *s, uint32_t n, ir_val x, ir_val y, ir_val z)
{
	enum ir_type t = spirv_type_of_val(s, x);

	switch (n) {
	case GLSL_ROUND:
	case GLSL_ROUND_EVEN:
		return spirv_round(s, t, x, IR_RN);
	case GLSL_TRUNC:
		return spirv_round(s, t, x, IR_RZ);
	case GLSL_FLOOR:
		return spirv_round(s, t, x, IR_RM);
	case GLSL_CEIL:
		return spirv_round(s, t, x, IR_RP);
	case GLSL_FRACT:
		return sub(s, x, spirv_round(s, t, x, IR_RM));
	case GLSL_F_ABS:
		return F(IR_FABS, x, 0, 0);
	case GLSL_F_SIGN:
		return sign_of(s, x);
	case GLSL_RADIANS:
		return mul(s, x, number(s, x, 0.017453292519943295));
	case GLSL_DEGREES:
		return mul(s, x, number(s, x, 57.295779513082323));
	case GLSL_F_MIN:
	case GLSL_N_MIN:
		return F(IR_FMIN, x, y, 0);
	case GLSL_F_MAX:
	case GLSL_N_MAX:
		return F(IR_FMAX, x, y, 0);
	case GLSL_F_CLAMP:
	case GLSL_N_CLAMP:
		return clamp(s, x, y, z);
	case GLSL_F_MIX: /* x (1 - z) + y z */
		return fma_(s, y, z, mul(s, x, sub(s, number(s, x, 1), z)));
	case GLSL_STEP:
		return spirv_select(s, less(s, IR_FLT, y, x), number(s, x, 0), number(s, x, 1));
	case GLSL_SMOOTH_STEP:
		return smooth_step(s, x, y, z);
	default:
		return F(IR_FMA, x, y, z);
	}
}

/* ---- integers ---- */

static ir_val integer(struct spirv *s, enum ir_op op, ir_val a, ir_val b, bool is_signed)
{
	enum ir_type t = spirv_type_of_val(s, a);

	if (t != IR_B8)
		return spirv_op(s, op, t, a, b, 0);
	a = spirv_resize(s, a, IR_B32, is_signed);
	b = b ? spirv_resize(s, b, IR_B32, is_signed) : 0;
	return spirv_resize(s, spirv_op(s, op, IR_B32, a, b, 0), t, false);
}

static ir_val integer_sign(struct spirv *s, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);
	ir_val low = spirv_const(s, t, UINT64_MAX), high = spirv_const(s, t, 1);

	return integer(s, IR_MIN_S, integer(s, IR_MAX_S, x, low, true), high, true);
}

/* The number of a bit; all ones: none. */
static ir_val find_bit(struct spirv *s, uint32_t n, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x), wide = t < IR_B32 ? IR_B32 : t;
	ir_val zero = spirv_const(s, wide, 0), none = spirv_const(s, wide, UINT64_MAX), r;

	x = spirv_resize(s, x, wide, n == GLSL_FIND_S_MSB);
	if (n == GLSL_FIND_S_MSB) /* of a negative number, the highest zero */
		x = spirv_op(s, IR_XOR, wide, x,
			     spirv_op(s, IR_SHR_S, wide, x,
				      spirv_const(s, IR_B32, ir_type_bits(wide) - 1), 0),
			     0);
	if (n == GLSL_FIND_I_LSB) {
		r = spirv_op(s, IR_CLZ, wide, spirv_op(s, IR_BREV, wide, x, 0, 0), 0, 0);
		return spirv_resize(
			s,
			spirv_select(s, spirv_compare(s, IR_ICMP, wide, IR_EQ, x, zero), none, r),
			t, false);
	}
	r = spirv_op(s, IR_SUB, wide, spirv_const(s, wide, ir_type_bits(wide) - 1),
		     spirv_op(s, IR_CLZ, wide, x, 0, 0), 0);
	return spirv_resize(s, r, t, false);
}

static ir_val simple_integer(struct spirv *s, uint32_t n, ir_val x, ir_val y, ir_val z)
{
	enum ir_type t = spirv_type_of_val(s, x);

	switch (n) {
	case GLSL_S_ABS:
		return integer(s, IR_MAX_S, x, spirv_op(s, IR_SUB, t, spirv_const(s, t, 0), x, 0),
			       true);
	case GLSL_S_SIGN:
		return integer_sign(s, x);
	case GLSL_U_MIN:
		return integer(s, IR_MIN_U, x, y, false);
	case GLSL_S_MIN:
		return integer(s, IR_MIN_S, x, y, true);
	case GLSL_U_MAX:
		return integer(s, IR_MAX_U, x, y, false);
	case GLSL_S_MAX:
		return integer(s, IR_MAX_S, x, y, true);
	case GLSL_U_CLAMP:
		return integer(s, IR_MIN_U, integer(s, IR_MAX_U, x, y, false), z, false);
	case GLSL_S_CLAMP:
		return integer(s, IR_MIN_S, integer(s, IR_MAX_S, x, y, true), z, true);
	default:
		return find_bit(s, n, x);
	}
}

/* ---- the table ---- */

enum { SIMPLE_FLOAT = 1, TRANSCENDENTAL, SIMPLE_INTEGER, SPECIAL };
static const struct {
	uint8_t arguments, kind;
} functions[GLSL_COUNT] = {
	[GLSL_ROUND] = {1, SIMPLE_FLOAT},
	[GLSL_ROUND_EVEN] = {1, SIMPLE_FLOAT},
	[GLSL_TRUNC] = {1, SIMPLE_FLOAT},
	[GLSL_F_ABS] = {1, SIMPLE_FLOAT},
	[GLSL_S_ABS] = {1, SIMPLE_INTEGER},
	[GLSL_F_SIGN] = {1, SIMPLE_FLOAT},
	[GLSL_S_SIGN] = {1, SIMPLE_INTEGER},
	[GLSL_FLOOR] = {1, SIMPLE_FLOAT},
	[GLSL_CEIL] = {1, SIMPLE_FLOAT},
	[GLSL_FRACT] = {1, SIMPLE_FLOAT},
	[GLSL_RADIANS] = {1, SIMPLE_FLOAT},
	[GLSL_DEGREES] = {1, SIMPLE_FLOAT},
	[GLSL_SIN] = {1, TRANSCENDENTAL},
	[GLSL_COS] = {1, TRANSCENDENTAL},
	[GLSL_TAN] = {1, TRANSCENDENTAL},
	[GLSL_ASIN] = {1, TRANSCENDENTAL},
	[GLSL_ACOS] = {1, TRANSCENDENTAL},
	[GLSL_ATAN] = {1, TRANSCENDENTAL},
	[GLSL_SINH] = {1, TRANSCENDENTAL},
	[GLSL_COSH] = {1, TRANSCENDENTAL},
	[GLSL_TANH] = {1, TRANSCENDENTAL},
	[GLSL_ASINH] = {1, TRANSCENDENTAL},
	[GLSL_ACOSH] = {1, TRANSCENDENTAL},
	[GLSL_ATANH] = {1, TRANSCENDENTAL},
	[GLSL_ATAN2] = {2, TRANSCENDENTAL},
	[GLSL_POW] = {2, TRANSCENDENTAL},
	[GLSL_EXP] = {1, TRANSCENDENTAL},
	[GLSL_LOG] = {1, TRANSCENDENTAL},
	[GLSL_EXP2] = {1, TRANSCENDENTAL},
	[GLSL_LOG2] = {1, TRANSCENDENTAL},
	[GLSL_SQRT] = {1, TRANSCENDENTAL},
	[GLSL_INVERSE_SQRT] = {1, TRANSCENDENTAL},
	[GLSL_DETERMINANT] = {1, SPECIAL},
	[GLSL_MATRIX_INVERSE] = {1, SPECIAL},
	[GLSL_MODF] = {2, SPECIAL},
	[GLSL_MODF_STRUCT] = {1, SPECIAL},
	[GLSL_F_MIN] = {2, SIMPLE_FLOAT},
	[GLSL_U_MIN] = {2, SIMPLE_INTEGER},
	[GLSL_S_MIN] = {2, SIMPLE_INTEGER},
	[GLSL_F_MAX] = {2, SIMPLE_FLOAT},
	[GLSL_U_MAX] = {2, SIMPLE_INTEGER},
	[GLSL_S_MAX] = {2, SIMPLE_INTEGER},
	[GLSL_F_CLAMP] = {3, SIMPLE_FLOAT},
	[GLSL_U_CLAMP] = {3, SIMPLE_INTEGER},
	[GLSL_S_CLAMP] = {3, SIMPLE_INTEGER},
	[GLSL_F_MIX] = {3, SIMPLE_FLOAT},
	[GLSL_STEP] = {2, SIMPLE_FLOAT},
	[GLSL_SMOOTH_STEP] = {3, SIMPLE_FLOAT},
	[GLSL_FMA] = {3, SIMPLE_FLOAT},
	[GLSL_FREXP] = {2, SPECIAL},
	[GLSL_FREXP_STRUCT] = {1, SPECIAL},
	[GLSL_LDEXP] = {2, SPECIAL},
	[GLSL_PACK_SNORM_4X8] = {1, SPECIAL},
	[GLSL_PACK_UNORM_4X8] = {1, SPECIAL},
	[GLSL_PACK_SNORM_2X16] = {1, SPECIAL},
	[GLSL_PACK_UNORM_2X16] = {1, SPECIAL},
	[GLSL_PACK_HALF_2X16] = {1, SPECIAL},
	[GLSL_PACK_DOUBLE_2X32] = {1, SPECIAL},
	[GLSL_UNPACK_SNORM_2X16] = {1, SPECIAL},
	[GLSL_UNPACK_UNORM_2X16] = {1, SPECIAL},
	[GLSL_UNPACK_HALF_2X16] = {1, SPECIAL},
	[GLSL_UNPACK_SNORM_4X8] = {1, SPECIAL},
	[GLSL_UNPACK_UNORM_4X8] = {1, SPECIAL},
	[GLSL_UNPACK_DOUBLE_2X32] = {1, SPECIAL},
	[GLSL_LENGTH] = {1, SPECIAL},
	[GLSL_DISTANCE] = {2, SPECIAL},
	[GLSL_CROSS] = {2, SPECIAL},
	[GLSL_NORMALIZE] = {1, SPECIAL},
	[GLSL_FACE_FORWARD] = {3, SPECIAL},
	[GLSL_REFLECT] = {2, SPECIAL},
	[GLSL_REFRACT] = {3, SPECIAL},
	[GLSL_FIND_I_LSB] = {1, SIMPLE_INTEGER},
	[GLSL_FIND_S_MSB] = {1, SIMPLE_INTEGER},
	[GLSL_FIND_U_MSB] = {1, SIMPLE_INTEGER},
	[GLSL_N_MIN] = {2, SIMPLE_FLOAT},
	[GLSL_N_MAX] = {2, SIMPLE_FLOAT},
	[GLSL_N_CLAMP] = {3, SIMPLE_FLOAT},
};

static ir_val wide_function(struct spirv *s, uint32_t n, ir_val x, ir_val y)
{
	if (n == GLSL_SQRT)
		return spirv_square_root(s, x);
	if (n == GLSL_INVERSE_SQRT)
		return inverse_root(s, x);
	return spirv_wide_function(s, n, x, y);
}

ir_val spirv_glsl_component(struct spirv *s, uint32_t n, ir_val x, ir_val y, ir_val z)
{
	enum ir_type t = spirv_type_of_val(s, x);

	if (functions[n].kind == SIMPLE_INTEGER)
		return simple_integer(s, n, x, y, z);
	if (functions[n].kind == SIMPLE_FLOAT && !(t == IR_B16 && n == GLSL_SMOOTH_STEP))
		return simple_float(s, n, x, y, z);
	if (t == IR_B64)
		return wide_function(s, n, x, y);
	if (t == IR_B16) {
		x = spirv_to_single(s, x);
		y = y ? spirv_to_single(s, y) : 0;
		z = z ? spirv_to_single(s, z) : 0;
	}
	x = functions[n].kind == SIMPLE_FLOAT ? simple_float(s, n, x, y, z)
					      : transcendental(s, n, x, y);
	return spirv_convert(s, IR_FTOF, IR_B32, t, x);
}

void spirv_lower_glsl(struct spirv *s, uint32_t n)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *args[3] = {0};
	uint32_t count;
	ir_val out[16];
	bool floats;

	if (n >= GLSL_COUNT || !functions[n].kind)
		spirv_fail(s, "function %u of GLSL.std.450 is not supported", n);
	count = functions[n].arguments;
	if (s->in.count != 5 + count)
		spirv_fail(s, "function %u of GLSL.std.450 has %u operands, not %u", n,
			   s->in.count - 5, count);
	if (functions[n].kind == SPECIAL) {
		spirv_lower_glsl_special(s, n);
		return;
	}
	floats = functions[n].kind != SIMPLE_INTEGER;
	if (t->leaves > 16 || (floats ? !spirv_is_float(t) : !spirv_is_int(t)))
		spirv_fail(s, "function %u of GLSL.std.450 has not this type", n);
	for (uint32_t k = 0; k < count; k++) {
		const struct spirv_type *have = spirv_value_type(s, spirv_word(s, 5 + k));

		if (spirv_scalar(have)->ir != spirv_scalar(t)->ir ||
		    spirv_is_float(have) != floats || spirv_scalar(have)->kind > SPIRV_FLOAT)
			spirv_fail(s, "operand %u has another type than the result", k);
		args[k] = spirv_operand(s, 5 + k, t->leaves);
	}
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_glsl_component(s, n, args[0][k], count > 1 ? args[1][k] : 0,
					      count > 2 ? args[2][k] : 0);
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}
