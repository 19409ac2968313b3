// SPDX-License-Identifier: MIT
/*
 * The set OpenCL.std: component-wise functions. Those of f32 and f64 err by no more than the OpenCL
 * C specification allows in its full profile ("Relative Error as ULPs"); docs/spirv.md has the
 * table. They are operations of the IR, those of GLSL.std.450 where these are exact enough, and
 * calls of library/opencl_functions.cu. Functions of f16 are computed in f32, and those of f32 that
 * the library does not have in f64.
 */
#include <string.h>
#include "libsov/compiler/spirv/float.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/glsl.h"
#include "libsov/compiler/spirv/opencl.h"

#define F(op, a, b, c) spirv_float_op(s, op, spirv_type_of_val(s, a), a, b, c)

/* SINGLE: the library has the function for f32, too. LIBRARY: for f64 alone. WITH_INTEGER: its
 * second argument is an integer. GLSL: the function of GLSL.std.450 with that number. POINTER: the
 * last operand is a pointer to a second result. */
enum kind { NONE, SINGLE, LIBRARY, WITH_INTEGER, GLSL, FLOATS, INTEGERS, POINTER, GEOMETRY, OTHER };

struct function {
	const char *name;
	uint8_t kind, operands;
	uint8_t glsl;        /* its number in GLSL.std.450 */
	const char *library; /* NULL: the same name */
};

/* clang-format off */
#define ROW(number, name_, kind_, operands_, ...) \
	[OPENCL_##number] = {.name = name_, .kind = kind_, .operands = operands_, __VA_ARGS__}
static const struct function functions[OPENCL_COUNT] = {
	ROW(ACOS, "acos", LIBRARY, 1),
	ROW(ACOSH, "acosh", LIBRARY, 1),
	ROW(ACOSPI, "acospi", LIBRARY, 1),
	ROW(ASIN, "asin", LIBRARY, 1),
	ROW(ASINH, "asinh", LIBRARY, 1),
	ROW(ASINPI, "asinpi", LIBRARY, 1),
	ROW(ATAN, "atan", LIBRARY, 1),
	ROW(ATAN2, "atan2", LIBRARY, 2, .library = "atantwo"),
	ROW(ATANH, "atanh", LIBRARY, 1),
	ROW(ATANPI, "atanpi", LIBRARY, 1),
	ROW(ATAN2PI, "atan2pi", LIBRARY, 2, .library = "atantwopi"),
	ROW(CBRT, "cbrt", LIBRARY, 1),
	ROW(CEIL, "ceil", GLSL, 1, .glsl = GLSL_CEIL),
	ROW(COPYSIGN, "copysign", FLOATS, 2),
	ROW(COS, "cos", SINGLE, 1),
	ROW(COSH, "cosh", LIBRARY, 1),
	ROW(COSPI, "cospi", LIBRARY, 1),
	ROW(ERFC, "erfc", LIBRARY, 1),
	ROW(ERF, "erf", LIBRARY, 1),
	ROW(EXP, "exp", SINGLE, 1),
	ROW(EXP2, "exp2", SINGLE, 1, .library = "exptwo"),
	ROW(EXP10, "exp10", SINGLE, 1, .library = "expten"),
	ROW(EXPM1, "expm1", LIBRARY, 1, .library = "expmone"),
	ROW(FABS, "fabs", GLSL, 1, .glsl = GLSL_F_ABS),
	ROW(FDIM, "fdim", FLOATS, 2),
	ROW(FLOOR, "floor", GLSL, 1, .glsl = GLSL_FLOOR),
	ROW(FMA, "fma", GLSL, 3, .glsl = GLSL_FMA),
	ROW(FMAX, "fmax", GLSL, 2, .glsl = GLSL_F_MAX),
	ROW(FMIN, "fmin", GLSL, 2, .glsl = GLSL_F_MIN),
	ROW(FMOD, "fmod", LIBRARY, 2),
	ROW(FRACT, "fract", POINTER, 2),
	ROW(FREXP, "frexp", POINTER, 2),
	ROW(HYPOT, "hypot", LIBRARY, 2),
	ROW(ILOGB, "ilogb", OTHER, 1),
	ROW(LDEXP, "ldexp", OTHER, 2),
	ROW(LGAMMA, "lgamma", LIBRARY, 1),
	ROW(LGAMMA_R, "lgamma_r", POINTER, 2),
	ROW(LOG, "log", SINGLE, 1),
	ROW(LOG2, "log2", SINGLE, 1, .library = "logtwo"),
	ROW(LOG10, "log10", SINGLE, 1, .library = "logten"),
	ROW(LOG1P, "log1p", LIBRARY, 1, .library = "logonep"),
	ROW(LOGB, "logb", FLOATS, 1),
	ROW(MAD, "mad", GLSL, 3, .glsl = GLSL_FMA),
	ROW(MAXMAG, "maxmag", FLOATS, 2),
	ROW(MINMAG, "minmag", FLOATS, 2),
	ROW(MODF, "modf", POINTER, 2),
	ROW(NAN, "nan", OTHER, 1),
	ROW(NEXTAFTER, "nextafter", FLOATS, 2),
	ROW(POW, "pow", LIBRARY, 2),
	ROW(POWN, "pown", WITH_INTEGER, 2),
	ROW(POWR, "powr", LIBRARY, 2),
	ROW(REMAINDER, "remainder", LIBRARY, 2),
	ROW(REMQUO, "remquo", POINTER, 3),
	ROW(RINT, "rint", GLSL, 1, .glsl = GLSL_ROUND_EVEN),
	ROW(ROOTN, "rootn", WITH_INTEGER, 2),
	ROW(ROUND, "round", FLOATS, 1),
	ROW(RSQRT, "rsqrt", GLSL, 1, .glsl = GLSL_INVERSE_SQRT),
	ROW(SIN, "sin", SINGLE, 1),
	ROW(SINCOS, "sincos", POINTER, 2),
	ROW(SINH, "sinh", LIBRARY, 1),
	ROW(SINPI, "sinpi", LIBRARY, 1),
	ROW(SQRT, "sqrt", FLOATS, 1),
	ROW(TAN, "tan", SINGLE, 1),
	ROW(TANH, "tanh", LIBRARY, 1),
	ROW(TANPI, "tanpi", LIBRARY, 1),
	ROW(TGAMMA, "tgamma", LIBRARY, 1),
	ROW(TRUNC, "trunc", GLSL, 1, .glsl = GLSL_TRUNC),
	/* with 8192 ulp, which approximations do not keep where the result is near 0 */
	ROW(HALF_COS, "half_cos", SINGLE, 1, .library = "cos"),
	ROW(HALF_DIVIDE, "half_divide", FLOATS, 2),
	ROW(HALF_EXP, "half_exp", GLSL, 1, .glsl = GLSL_EXP),
	ROW(HALF_EXP2, "half_exp2", GLSL, 1, .glsl = GLSL_EXP2),
	ROW(HALF_EXP10, "half_exp10", SINGLE, 1, .library = "expten"),
	ROW(HALF_LOG, "half_log", SINGLE, 1, .library = "log"),
	ROW(HALF_LOG2, "half_log2", SINGLE, 1, .library = "logtwo"),
	ROW(HALF_LOG10, "half_log10", SINGLE, 1, .library = "logten"),
	ROW(HALF_POWR, "half_powr", LIBRARY, 2, .library = "powr"),
	ROW(HALF_RECIP, "half_recip", FLOATS, 1),
	ROW(HALF_RSQRT, "half_rsqrt", GLSL, 1, .glsl = GLSL_INVERSE_SQRT),
	ROW(HALF_SIN, "half_sin", SINGLE, 1, .library = "sin"),
	ROW(HALF_SQRT, "half_sqrt", GLSL, 1, .glsl = GLSL_SQRT),
	ROW(HALF_TAN, "half_tan", SINGLE, 1, .library = "tan"),
	/* as exact as the target is */
	ROW(NATIVE_COS, "native_cos", GLSL, 1, .glsl = GLSL_COS),
	ROW(NATIVE_DIVIDE, "native_divide", FLOATS, 2),
	ROW(NATIVE_EXP, "native_exp", GLSL, 1, .glsl = GLSL_EXP),
	ROW(NATIVE_EXP2, "native_exp2", GLSL, 1, .glsl = GLSL_EXP2),
	ROW(NATIVE_EXP10, "native_exp10", FLOATS, 1),
	ROW(NATIVE_LOG, "native_log", GLSL, 1, .glsl = GLSL_LOG),
	ROW(NATIVE_LOG2, "native_log2", GLSL, 1, .glsl = GLSL_LOG2),
	ROW(NATIVE_LOG10, "native_log10", FLOATS, 1),
	ROW(NATIVE_POWR, "native_powr", GLSL, 2, .glsl = GLSL_POW),
	ROW(NATIVE_RECIP, "native_recip", FLOATS, 1),
	ROW(NATIVE_RSQRT, "native_rsqrt", GLSL, 1, .glsl = GLSL_INVERSE_SQRT),
	ROW(NATIVE_SIN, "native_sin", GLSL, 1, .glsl = GLSL_SIN),
	ROW(NATIVE_SQRT, "native_sqrt", GLSL, 1, .glsl = GLSL_SQRT),
	ROW(NATIVE_TAN, "native_tan", GLSL, 1, .glsl = GLSL_TAN),
	/* common and geometric functions */
	ROW(FCLAMP, "fclamp", GLSL, 3, .glsl = GLSL_F_CLAMP),
	ROW(DEGREES, "degrees", GLSL, 1, .glsl = GLSL_DEGREES),
	ROW(FMAX_COMMON, "fmax_common", GLSL, 2, .glsl = GLSL_F_MAX),
	ROW(FMIN_COMMON, "fmin_common", GLSL, 2, .glsl = GLSL_F_MIN),
	ROW(MIX, "mix", FLOATS, 3),
	ROW(RADIANS, "radians", GLSL, 1, .glsl = GLSL_RADIANS),
	ROW(STEP, "step", GLSL, 2, .glsl = GLSL_STEP),
	ROW(SMOOTHSTEP, "smoothstep", GLSL, 3, .glsl = GLSL_SMOOTH_STEP),
	ROW(SIGN, "sign", FLOATS, 1),
	ROW(CROSS, "cross", GEOMETRY, 2),
	ROW(DISTANCE, "distance", GEOMETRY, 2),
	ROW(LENGTH, "length", GEOMETRY, 1),
	ROW(NORMALIZE, "normalize", GEOMETRY, 1),
	ROW(FAST_DISTANCE, "fast_distance", GEOMETRY, 2),
	ROW(FAST_LENGTH, "fast_length", GEOMETRY, 1),
	ROW(FAST_NORMALIZE, "fast_normalize", GEOMETRY, 1),
	/* integers */
	ROW(S_ABS, "s_abs", INTEGERS, 1),
	ROW(S_ABS_DIFF, "s_abs_diff", INTEGERS, 2),
	ROW(S_ADD_SAT, "s_add_sat", INTEGERS, 2),
	ROW(U_ADD_SAT, "u_add_sat", INTEGERS, 2),
	ROW(S_HADD, "s_hadd", INTEGERS, 2),
	ROW(U_HADD, "u_hadd", INTEGERS, 2),
	ROW(S_RHADD, "s_rhadd", INTEGERS, 2),
	ROW(U_RHADD, "u_rhadd", INTEGERS, 2),
	ROW(S_CLAMP, "s_clamp", INTEGERS, 3),
	ROW(U_CLAMP, "u_clamp", INTEGERS, 3),
	ROW(CLZ, "clz", INTEGERS, 1),
	ROW(CTZ, "ctz", INTEGERS, 1),
	ROW(S_MAD_HI, "s_mad_hi", INTEGERS, 3),
	ROW(U_MAD_SAT, "u_mad_sat", INTEGERS, 3),
	ROW(S_MAD_SAT, "s_mad_sat", INTEGERS, 3),
	ROW(S_MAX, "s_max", INTEGERS, 2),
	ROW(U_MAX, "u_max", INTEGERS, 2),
	ROW(S_MIN, "s_min", INTEGERS, 2),
	ROW(U_MIN, "u_min", INTEGERS, 2),
	ROW(S_MUL_HI, "s_mul_hi", INTEGERS, 2),
	ROW(ROTATE, "rotate", INTEGERS, 2),
	ROW(S_SUB_SAT, "s_sub_sat", INTEGERS, 2),
	ROW(U_SUB_SAT, "u_sub_sat", INTEGERS, 2),
	ROW(U_UPSAMPLE, "u_upsample", OTHER, 2),
	ROW(S_UPSAMPLE, "s_upsample", OTHER, 2),
	ROW(POPCOUNT, "popcount", INTEGERS, 1),
	ROW(S_MAD24, "s_mad24", INTEGERS, 3),
	ROW(U_MAD24, "u_mad24", INTEGERS, 3),
	ROW(S_MUL24, "s_mul24", INTEGERS, 2),
	ROW(U_MUL24, "u_mul24", INTEGERS, 2),
	ROW(U_ABS, "u_abs", INTEGERS, 1),
	ROW(U_ABS_DIFF, "u_abs_diff", INTEGERS, 2),
	ROW(U_MUL_HI, "u_mul_hi", INTEGERS, 2),
	ROW(U_MAD_HI, "u_mad_hi", INTEGERS, 3),
	/* of any type */
	ROW(BITSELECT, "bitselect", OTHER, 3),
	ROW(SELECT, "select", OTHER, 3),
	/* opencl_memory.c's */
	ROW(VLOADN, "vloadn", NONE, 3),
	ROW(VSTOREN, "vstoren", NONE, 3),
	ROW(VLOAD_HALF, "vload_half", NONE, 2),
	ROW(VLOAD_HALFN, "vload_halfn", NONE, 3),
	ROW(VSTORE_HALF, "vstore_half", NONE, 3),
	ROW(VSTORE_HALF_R, "vstore_half_r", NONE, 4),
	ROW(VSTORE_HALFN, "vstore_halfn", NONE, 3),
	ROW(VSTORE_HALFN_R, "vstore_halfn_r", NONE, 4),
	ROW(VLOADA_HALFN, "vloada_halfn", NONE, 3),
	ROW(VSTOREA_HALFN, "vstorea_halfn", NONE, 3),
	ROW(VSTOREA_HALFN_R, "vstorea_halfn_r", NONE, 4),
	ROW(SHUFFLE, "shuffle", NONE, 2),
	ROW(SHUFFLE2, "shuffle2", NONE, 3),
	ROW(PRINTF, "printf", NONE, 0),
	ROW(PREFETCH, "prefetch", NONE, 2),
};
#undef ROW
/* clang-format on */

const char *spirv_opencl_name(uint32_t n)
{
	return n < OPENCL_COUNT ? functions[n].name : NULL;
}

/* ---- pieces ---- */

static ir_val number(struct spirv *s, ir_val like, double value)
{
	return spirv_float_const(s, spirv_type_of_val(s, like), value);
}

static ir_val bits_const(struct spirv *s, ir_val like, uint64_t bits)
{
	return spirv_const(s, spirv_type_of_val(s, like), bits);
}

static ir_val neg(struct spirv *s, ir_val a)
{
	return F(IR_FNEG, a, 0, 0);
}

static ir_val float_less(struct spirv *s, enum ir_cond cond, ir_val a, ir_val b)
{
	return spirv_compare(s, IR_FCMP, spirv_type_of_val(s, a), cond, a, b);
}

static ir_val integer_less(struct spirv *s, enum ir_cond cond, ir_val a, ir_val b)
{
	return spirv_compare(s, IR_ICMP, spirv_type_of_val(s, a), cond, a, b);
}

static ir_val to_float(struct spirv *s, ir_val v, enum ir_type t)
{
	return spirv_convert(s, IR_FTOF, spirv_type_of_val(s, v), t, v);
}

/* The bit of the sign, and the bits below it. */
static uint64_t sign_bit(struct spirv *s, ir_val v)
{
	return UINT64_C(1) << (ir_type_bits(spirv_type_of_val(s, v)) - 1);
}

static ir_val copy_sign(struct spirv *s, ir_val magnitude, ir_val sign)
{
	enum ir_type t = spirv_type_of_val(s, sign);
	uint64_t bit = sign_bit(s, sign);

	return spirv_op(s, IR_OR, t,
			spirv_op(s, IR_AND, t, magnitude, spirv_const(s, t, bit - 1), 0),
			spirv_op(s, IR_AND, t, sign, spirv_const(s, t, bit), 0), 0);
}

/* ---- the library ---- */

static ir_val call(struct spirv *s, const char *name, ir_val x, ir_val y)
{
	const struct ir_func *callee = spirv_library_function(s, name);
	ir_id i = ir_call_new(s->f, IR_CALL, callee, (ir_val[]){x, y}, y ? 2 : 1);

	ir_append(s->f, s->block, i);
	return ir_at(s->f, i)->res;
}

/* In f32 if the library has the function so, else in f64; then rounded to the argument's type. */
static ir_val library(struct spirv *s, const struct function *f, ir_val x, ir_val y)
{
	enum ir_type t = spirv_type_of_val(s, x),
		     wide = f->kind == SINGLE && t != IR_B64 ? IR_B32 : IR_B64;
	const char *name = f->library ? f->library : f->name;

	name = arena_printf(s->arena, wide == IR_B32 ? "__sov_single_%s" : "__sov_fun_%s", name);
	x = to_float(s, x, wide);
	if (y && f->kind != WITH_INTEGER)
		y = to_float(s, y, wide);
	return to_float(s, call(s, name, x, y), t);
}

static ir_val library_by_name(struct spirv *s, const char *name, ir_val x, ir_val y)
{
	return library(s, &(struct function){.name = name, .kind = LIBRARY}, x, y);
}

/* ---- component-wise functions of floats ---- */

static ir_val square_root(struct spirv *s, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);

	if (t == IR_B16)
		return to_float(s, F(IR_FSQRT, to_float(s, x, IR_B32), 0, 0), t);
	return F(IR_FSQRT, x, 0, 0);
}

/* Halves away from zero. */
static ir_val round_away(struct spirv *s, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);
	ir_val whole = spirv_round(s, t, x, IR_RZ), rest = F(IR_FADD, x, neg(s, whole), 0);
	ir_val one = copy_sign(s, number(s, x, 1), x), far;

	far = float_less(s, IR_FGE, F(IR_FABS, rest, 0, 0), number(s, x, 0.5));
	return copy_sign(s, spirv_select(s, far, F(IR_FADD, whole, one, 0), whole), x);
}

/* The representable number after x in the direction of y. */
static ir_val next_after(struct spirv *s, ir_val x, ir_val y)
{
	enum ir_type t = spirv_type_of_val(s, x);
	ir_val zero = spirv_const(s, t, 0), one = spirv_const(s, t, 1), up, away, r, smallest;

	up = float_less(s, IR_FGT, y, x);
	/* a step away from zero, if y is there */
	away = spirv_op(s, IR_XOR, IR_B1, up, integer_less(s, IR_LT_S, x, zero), 0);
	r = spirv_select(s, away, spirv_op(s, IR_ADD, t, x, one, 0),
			 spirv_op(s, IR_SUB, t, x, one, 0));
	smallest = copy_sign(s, one, y);
	r = spirv_select(s, float_less(s, IR_FEQ, x, number(s, x, 0)), smallest, r);
	r = spirv_select(s, float_less(s, IR_FEQ, x, y), y, r);
	return spirv_select(s, float_less(s, IR_FNAN, x, y), F(IR_FADD, x, y, 0), r);
}

/* The one with the greater or smaller magnitude; otherwise the maximum or minimum. */
static ir_val by_magnitude(struct spirv *s, ir_val x, ir_val y, bool greater)
{
	ir_val ax = F(IR_FABS, x, 0, 0), ay = F(IR_FABS, y, 0, 0), r;
	enum ir_cond cond = greater ? IR_FGT : IR_FLT;

	r = F(greater ? IR_FMAX : IR_FMIN, x, y, 0);
	r = spirv_select(s, float_less(s, cond, ay, ax), y, r);
	return spirv_select(s, float_less(s, cond, ax, ay), x, r);
}

/* The exponent of x in f64, as a 32-bit integer, and that of subnormals; x is finite and not 0. */
static ir_val exponent(struct spirv *s, ir_val x)
{
	ir_val wide = to_float(s, x, IR_B64), e, small, subnormal;

	/* In f64 the numbers of narrower types are normal. */
	small = F(IR_FMUL, wide, number(s, wide, 0x1p64), 0);
	e = spirv_op(s, IR_SHR_U, IR_B64, wide, spirv_const(s, IR_B32, 52), 0);
	e = spirv_op(s, IR_AND, IR_B32, spirv_resize(s, e, IR_B32, false),
		     spirv_const(s, IR_B32, 0x7ff), 0);
	subnormal = integer_less(s, IR_EQ, e, spirv_const(s, IR_B32, 0));
	small = spirv_op(s, IR_SHR_U, IR_B64, small, spirv_const(s, IR_B32, 52), 0);
	small = spirv_op(s, IR_AND, IR_B32, spirv_resize(s, small, IR_B32, false),
			 spirv_const(s, IR_B32, 0x7ff), 0);
	small = spirv_op(s, IR_SUB, IR_B32, small, spirv_const(s, IR_B32, 64), 0);
	e = spirv_select(s, subnormal, small, e);
	return spirv_op(s, IR_SUB, IR_B32, e, spirv_const(s, IR_B32, 1023), 0);
}

/* Whether x is 0, infinite or NaN. */
static ir_val has_no_exponent(struct spirv *s, ir_val x)
{
	ir_val a = F(IR_FABS, x, 0, 0), zero, finite;

	zero = float_less(s, IR_FEQ, x, number(s, x, 0));
	finite = float_less(s, IR_FLT, a, number(s, x, __builtin_inf()));
	return spirv_op(s, IR_OR, IR_B1, zero, spirv_op(s, IR_NOT, IR_B1, finite, 0, 0), 0);
}

static ir_val log_b(struct spirv *s, ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);
	ir_val e = exponent(s, x), a = F(IR_FABS, x, 0, 0), r;
	ir_id i = spirv_emit(s, IR_STOF, t, 1, 1, &e);

	ir_at(s->f, i)->from = IR_B32;
	r = ir_at(s->f, i)->res;
	/* of an infinity: infinity; of 0: -infinity; of NaN: NaN */
	r = spirv_select(s, float_less(s, IR_FEQ, x, number(s, x, 0)),
			 number(s, x, -__builtin_inf()), r);
	return spirv_select(s, float_less(s, IR_FLT, a, number(s, x, __builtin_inf())), r, a);
}

static ir_val sign_of(struct spirv *s, ir_val x)
{
	ir_val zero = number(s, x, 0), r;

	r = spirv_select(s, float_less(s, IR_FGT, x, zero), number(s, x, 1), x);
	r = spirv_select(s, float_less(s, IR_FLT, x, zero), number(s, x, -1), r);
	return spirv_select(s, float_less(s, IR_FNAN, x, x), zero, r);
}

static ir_val positive_difference(struct spirv *s, ir_val x, ir_val y)
{
	ir_val d = F(IR_FADD, x, neg(s, y), 0);

	/* also of NaNs */
	return spirv_select(s, float_less(s, IR_FLE, x, y), number(s, x, 0), d);
}

static ir_val fast_quotient(struct spirv *s, ir_val x, ir_val y)
{
	if (spirv_type_of_val(s, x) != IR_B32)
		return spirv_quotient(s, x, y);
	return F(IR_FMUL, x, spirv_approx(s, IR_APPROX_RCP, IR_B32, y), 0);
}

static ir_val float_function(struct spirv *s, uint32_t n, ir_val x, ir_val y, ir_val z)
{
	switch (n) {
	case OPENCL_COPYSIGN:
		return copy_sign(s, x, y);
	case OPENCL_FDIM:
		return positive_difference(s, x, y);
	case OPENCL_LOGB:
		return log_b(s, x);
	case OPENCL_MAXMAG:
	case OPENCL_MINMAG:
		return by_magnitude(s, x, y, n == OPENCL_MAXMAG);
	case OPENCL_NEXTAFTER:
		return next_after(s, x, y);
	case OPENCL_ROUND:
		return round_away(s, x);
	case OPENCL_SQRT:
		return square_root(s, x);
	case OPENCL_HALF_DIVIDE:
	case OPENCL_NATIVE_DIVIDE:
		return fast_quotient(s, x, y);
	case OPENCL_HALF_RECIP:
	case OPENCL_NATIVE_RECIP:
		return fast_quotient(s, number(s, x, 1), x);
	case OPENCL_NATIVE_EXP10:
		return spirv_glsl_component(
			s, GLSL_EXP2, F(IR_FMUL, x, number(s, x, 3.3219280948873623), 0), 0, 0);
	case OPENCL_NATIVE_LOG10:
		return F(IR_FMUL, spirv_glsl_component(s, GLSL_LOG2, x, 0, 0),
			 number(s, x, 0.30102999566398120), 0);
	case OPENCL_MIX: /* x + (y - x) z */
		return F(IR_FADD, x, F(IR_FMUL, F(IR_FADD, y, neg(s, x), 0), z, 0), 0);
	default:
		return sign_of(s, x);
	}
}

/* x 2^n, in f64 for narrower types. */
static ir_val scale(struct spirv *s, ir_val x, ir_val n)
{
	ir_val r = call(s, "__sov_fun_ldexp", to_float(s, x, IR_B64), n);

	return to_float(s, r, spirv_type_of_val(s, x));
}

/* ---- functions with a second result ---- */

/* Stores component k of the second result of a POINTER function. */
static void store_second(struct spirv *s, const struct spirv_pointer *p, const ir_val *leaves)
{
	struct spirv_pointer at = spirv_resolve(s, p);

	spirv_store(s, &at, at.pointee, leaves);
}

static ir_val with_pointer(struct spirv *s, uint32_t n, ir_val x, ir_val y, ir_val *second)
{
	enum ir_type t = spirv_type_of_val(s, x);
	ir_val e, r;

	switch (n) {
	case OPENCL_FRACT:
		*second = spirv_round(s, t, x, IR_RM);
		r = F(IR_FADD, x, neg(s, *second), 0);
		r = F(IR_FMIN, r,
		      number(s, x,
			     t == IR_B16   ? 0x1.ffcp-1
			     : t == IR_B32 ? 0x1.fffffep-1
					   : 0x1.fffffffffffffp-1),
		      0);
		r = copy_sign(
			s, spirv_select(s, float_less(s, IR_FEQ, x, *second), number(s, x, 0), r),
			x);
		r = spirv_select(s, float_less(s, IR_FEQ, x, *second), r, F(IR_FABS, r, 0, 0));
		return spirv_select(s, float_less(s, IR_FNAN, x, x), x, r);
	case OPENCL_MODF:
		*second = spirv_round(s, t, x, IR_RZ);
		r = F(IR_FADD, x, neg(s, *second), 0);
		r = spirv_select(s, float_less(s, IR_FEQ, x, *second), number(s, x, 0), r);
		return copy_sign(s, r, x);
	case OPENCL_SINCOS:
		*second = library(s, &functions[OPENCL_COS], x, 0);
		return library(s, &functions[OPENCL_SIN], x, 0);
	case OPENCL_FREXP:
		e = spirv_op(s, IR_ADD, IR_B32, exponent(s, x), spirv_const(s, IR_B32, 1), 0);
		*second = spirv_select(s, has_no_exponent(s, x), spirv_const(s, IR_B32, 0), e);
		e = spirv_op(s, IR_SUB, IR_B32, spirv_const(s, IR_B32, 0), *second, 0);
		return scale(s, x, e);
	case OPENCL_LGAMMA_R:
		*second = call(s, "__sov_fun_lgammasign", to_float(s, x, IR_B64), 0);
		return library_by_name(s, "lgamma", x, 0);
	default:
		*second = call(s, "__sov_fun_remquobits", to_float(s, x, IR_B64),
			       to_float(s, y, IR_B64));
		return library_by_name(s, "remainder", x, y);
	}
}

static void lower_with_pointer(struct spirv *s, uint32_t n, const struct spirv_type *t)
{
	uint32_t last = 4 + functions[n].operands;
	const ir_val *a = spirv_operand(s, 5, t->leaves),
		     *b = functions[n].operands == 3 ? spirv_operand(s, 6, t->leaves) : NULL;
	const struct spirv_pointer *p = spirv_pointer_of(s, spirv_word(s, last));
	ir_val out[16], second[16];

	if (!p->pointee || p->pointee->leaves != t->leaves)
		spirv_fail(s, "%s points to another type", spirv_id_name(s, spirv_word(s, last)));
	for (uint32_t k = 0; k < t->leaves; k++) {
		if (b && spirv_type_of_val(s, a[k]) != spirv_type_of_val(s, b[k]))
			spirv_fail(s, "the operands have different types");
		out[k] = with_pointer(s, n, a[k], b ? b[k] : 0, &second[k]);
		if (spirv_type_of_val(s, second[k]) != spirv_leaf_type(p->pointee, k))
			spirv_fail(s, "%s points to another type",
				   spirv_id_name(s, spirv_word(s, last)));
	}
	store_second(s, p, second);
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

static ir_val op(struct spirv *s, enum ir_op o, ir_val a, ir_val b)
{
	return spirv_op(s, o, spirv_type_of_val(s, a), a, b, 0);
}

/* ---- functions of operands with different types ---- */

static ir_val i_log_b(struct spirv *s, ir_val x)
{
	ir_val e = exponent(s, x), zero;

	zero = float_less(s, IR_FEQ, x, number(s, x, 0));
	/* FP_ILOGB0 and FP_ILOGBNAN */
	e = spirv_select(s, has_no_exponent(s, x), spirv_const(s, IR_B32, 0x7fffffff), e);
	return spirv_select(s, zero, spirv_const(s, IR_B32, 0x80000001), e);
}

static ir_val other(struct spirv *s, uint32_t n, const struct spirv_type *t, uint32_t k,
		    const ir_val *const args[3])
{
	enum ir_type to = spirv_leaf_type(t, k), have = spirv_type_of_val(s, args[0][k]);
	ir_val x = args[0][k], y = functions[n].operands > 1 ? args[1][k] : 0,
	       z = functions[n].operands > 2 ? args[2][k] : 0;
	uint32_t fraction;

	switch (n) {
	case OPENCL_ILOGB:
		return i_log_b(s, x);
	case OPENCL_LDEXP:
		if (spirv_type_of_val(s, y) != IR_B32)
			spirv_fail(s, "the exponent has no 32 bits");
		return scale(s, x, y);
	case OPENCL_NAN:
		if (have != to)
			spirv_fail(s, "the operand has another size than the result");
		fraction = to == IR_B16 ? 10 : to == IR_B32 ? 23 : 52;
		x = op(s, IR_AND, x, bits_const(s, x, (UINT64_C(1) << fraction) - 1));
		return op(
			s, IR_OR, x,
			bits_const(s, x,
				   (sign_bit(s, x) - 1) & ~((UINT64_C(1) << (fraction - 1)) - 1)));
	case OPENCL_S_UPSAMPLE:
	case OPENCL_U_UPSAMPLE:
		if (have + 1 != to || spirv_type_of_val(s, y) != have)
			spirv_fail(s, "the result is not twice as wide as the operands");
		x = op(s, IR_SHL, spirv_resize(s, x, to, false),
		       spirv_const(s, IR_B32, ir_type_bits(have)));
		return op(s, IR_OR, x, spirv_resize(s, y, to, false));
	case OPENCL_BITSELECT: /* bits of y where z has ones, else of x */
		return op(s, IR_XOR, x, op(s, IR_AND, op(s, IR_XOR, x, y), z));
	default: /* SELECT: y where z's highest bit is set; of scalars, where z is not 0 */
		return spirv_select(s,
				    t->kind == SPIRV_VECTOR
					    ? integer_less(s, IR_LT_S, z, bits_const(s, z, 0))
					    : integer_less(s, IR_NE, z, bits_const(s, z, 0)),
				    y, x);
	}
}

/* ---- geometry ---- */

static ir_val sum_of_squares(struct spirv *s, uint32_t n, const ir_val *a)
{
	ir_val sum = F(IR_FMUL, a[0], a[0], 0);

	for (uint32_t k = 1; k < n; k++)
		sum = F(IR_FMA, a[k], a[k], sum);
	return sum;
}

/* Lengths of f32 are computed in f64, where their squares neither overflow nor vanish. */
static ir_val length_of(struct spirv *s, uint32_t n, const ir_val *a, bool fast)
{
	enum ir_type t = spirv_type_of_val(s, a[0]);
	ir_val wide[4] = {0};

	if (fast)
		return spirv_square_root(s, sum_of_squares(s, n, a));
	for (uint32_t k = 0; k < n; k++)
		wide[k] = to_float(s, a[k], IR_B64);
	if (t != IR_B64 || n == 1)
		return to_float(s, square_root(s, sum_of_squares(s, n, wide)), t);
	wide[0] = call(s, "__sov_fun_hypot", wide[0], wide[1]);
	for (uint32_t k = 2; k < n; k++)
		wide[0] = call(s, "__sov_fun_hypot", wide[0], wide[k]);
	return wide[0];
}

static void lower_geometry(struct spirv *s, uint32_t n, const struct spirv_type *t)
{
	const struct spirv_type *have = spirv_value_type(s, spirv_word(s, 5));
	const ir_val *a = spirv_leaves(s, spirv_word(s, 5)),
		     *b = functions[n].operands == 2 ? spirv_operand(s, 6, have->leaves) : NULL;
	bool fast = n >= OPENCL_FAST_DISTANCE && n <= OPENCL_FAST_NORMALIZE;
	ir_val out[4], d[4], r;

	if (!spirv_is_float(have) || have->leaves > 4 ||
	    spirv_scalar(have)->ir != spirv_scalar(t)->ir)
		spirv_fail(s, "the operand is no float or vector of up to four");
	for (uint32_t k = 0; b && k < have->leaves; k++)
		if (spirv_type_of_val(s, b[k]) != spirv_type_of_val(s, a[k]))
			spirv_fail(s, "the operands have different types");
	if (n == OPENCL_CROSS) {
		if (have->leaves < 3 || t->leaves != have->leaves)
			spirv_fail(s, "a cross product of %u components", have->leaves);
		for (uint32_t k = 0; k < 3; k++) {
			uint32_t i = (k + 1) % 3, j = (k + 2) % 3;

			r = F(IR_FMUL, a[j], b[i], 0);
			out[k] = F(IR_FADD, F(IR_FMUL, a[i], b[j], 0), neg(s, r), 0);
		}
		out[3] = number(s, a[0], 0);
	} else if (n == OPENCL_NORMALIZE || n == OPENCL_FAST_NORMALIZE) {
		if (t->leaves != have->leaves)
			spirv_fail(s, "the result has another type than the operand");
		r = length_of(s, have->leaves, a, fast);
		for (uint32_t k = 0; k < t->leaves; k++) {
			out[k] = fast ? fast_quotient(s, a[k], r)
				      : to_float(s,
						 F(IR_FDIV, to_float(s, a[k], IR_B64),
						   to_float(s, r, IR_B64), 0),
						 spirv_type_of_val(s, a[k]));
			out[k] = spirv_select(s, float_less(s, IR_FEQ, r, number(s, r, 0)), a[k],
					      out[k]);
		}
	} else {
		if (t->leaves != 1)
			spirv_fail(s, "a length is a scalar");
		for (uint32_t k = 0; k < have->leaves; k++)
			d[k] = b ? F(IR_FADD, a[k], neg(s, b[k]), 0) : a[k];
		out[0] = length_of(s, have->leaves, d, fast);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* ---- dispatch ---- */

static ir_val component(struct spirv *s, uint32_t n, const struct spirv_type *t, uint32_t k,
			const ir_val *const args[3])
{
	const struct function *f = &functions[n];
	ir_val x = args[0][k], y = f->operands > 1 ? args[1][k] : 0,
	       z = f->operands > 2 ? args[2][k] : 0;

	switch (f->kind) {
	case SINGLE:
	case LIBRARY:
	case WITH_INTEGER:
		return library(s, f, x, y);
	case GLSL:
		return spirv_glsl_component(s, f->glsl, x, y, z);
	case FLOATS:
		return float_function(s, n, x, y, z);
	case INTEGERS:
		return spirv_opencl_integer(s, n, x, y, z);
	default:
		return other(s, n, t, k, args);
	}
}

/* Operand k has the result's type, but an integer where the function has one. */
static void check_operand(struct spirv *s, const struct function *f, uint32_t k,
			  const struct spirv_type *t)
{
	const struct spirv_type *have = spirv_value_type(s, spirv_word(s, 5 + k));
	bool integer = f->kind == INTEGERS || (f->kind == WITH_INTEGER && k);

	if (spirv_scalar(have)->kind > SPIRV_FLOAT || spirv_is_bool(have))
		spirv_fail(s, "operand %u has the wrong type", k);
	if (f->kind == OTHER)
		return;
	if (spirv_is_float(have) == integer ||
	    (f->kind == WITH_INTEGER && k ? spirv_scalar(have)->ir != IR_B32
					  : spirv_scalar(have)->ir != spirv_scalar(t)->ir))
		spirv_fail(s, "operand %u has another type than the result", k);
}

/* The operands and the result of a function of kind OTHER are of the types that it takes. */
static void check_other(struct spirv *s, uint32_t n, const struct spirv_type *t)
{
	const struct spirv_type *x = spirv_value_type(s, spirv_word(s, 5));
	bool float_result = n == OPENCL_LDEXP || n == OPENCL_NAN,
	     float_operand = n == OPENCL_LDEXP || n == OPENCL_ILOGB;

	if (n == OPENCL_BITSELECT || n == OPENCL_SELECT) {
		for (uint32_t k = 0; k < 3; k++)
			if (spirv_scalar(spirv_value_type(s, spirv_word(s, 5 + k)))->ir !=
			    spirv_scalar(t)->ir)
				spirv_fail(s, "operand %u has another size than the result", k);
		return;
	}
	if (spirv_is_float(t) != float_result || spirv_is_float(x) != float_operand)
		spirv_fail(s, "an operand or the result has the wrong type");
	if (n == OPENCL_LDEXP && spirv_scalar(x)->ir != spirv_scalar(t)->ir)
		spirv_fail(s, "the operand has another type than the result");
}

void spirv_lower_opencl(struct spirv *s, uint32_t n)
{
	const char *name = spirv_opencl_name(n);
	const struct function *f;
	const struct spirv_type *t;
	const ir_val *args[3] = {0};
	ir_val out[16];

	if (!name)
		spirv_fail(s, "unknown function %u of OpenCL.std", n);
	f = &functions[n];
	if (f->operands && s->in.count != 5u + f->operands)
		spirv_fail(s, "%s of OpenCL.std has %u operands, not %u", name, s->in.count - 5,
			   f->operands);
	if (spirv_lower_opencl_memory(s, n))
		return;
	t = spirv_result_type(s);
	if (t->leaves > 16 || spirv_scalar(t)->kind > SPIRV_FLOAT || spirv_is_bool(t))
		spirv_fail(s, "%s of OpenCL.std has not this type", name);
	if (f->kind != INTEGERS && f->kind != OTHER && !spirv_is_float(t))
		spirv_fail(s, "%s of OpenCL.std has not this type", name);
	if (f->kind == GEOMETRY) {
		lower_geometry(s, n, t);
		return;
	}
	if (f->kind == POINTER) {
		lower_with_pointer(s, n, t);
		return;
	}
	for (uint32_t k = 0; k < f->operands; k++) {
		check_operand(s, f, k, t);
		args[k] = spirv_operand(s, 5 + k, t->leaves);
	}
	if (f->kind == OTHER)
		check_other(s, n, t);
	for (uint32_t k = 0; k < t->leaves; k++) {
		out[k] = component(s, n, t, k, args);
		if (spirv_type_of_val(s, out[k]) != spirv_leaf_type(t, k))
			spirv_fail(s, "%s of OpenCL.std has not this type", name);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}
