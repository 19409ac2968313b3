// SPDX-License-Identifier: MIT
/*
 * Floating-point semantics. A format is a row of parameters; all bit manipulation works for every
 * format. Sums, products, quotients and roots use the host's arithmetic in a default environment (a
 * program may have changed the rounding mode or disabled subnormals), on volatile variables so that
 * no compiler moves or precomputes them. 16-bit formats are computed as doubles that are rounded to
 * odd: towards zero, with the last bit set when something was lost. Such a double has more than
 * twice the bits of the format, so rounding it again gives the same result as rounding the exact
 * value (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
 * rounding to odd", 2008).
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "libsov/compiler/ir/eval.h"

struct format {
	uint32_t bits, fraction;
	int lowest, highest; /* exponents of normal numbers */
	uint64_t infinity, one, nan;
};

/* e4m3 of the OCP 8-bit Floating Point Specification (1.0) has no infinities: numbers extend to the
 * last pattern, which is the NaN. Its "infinity" here is the pattern after the greatest number. */
static const struct format e4m3 = {8, 3, -6, 8, 0x7f, 0x38, 0x7f};
static const struct format e5m2 = {8, 2, -14, 15, 0x7c, 0x3c, 0x7f};
static const struct format f16 = {16, 10, -14, 15, 0x7c00, 0x3c00, 0x7fff};
static const struct format bf16 = {16, 7, -126, 127, 0x7f80, 0x3f80, 0x7fff};
static const struct format tf32 = {19, 10, -126, 127, 0x3fc00, 0x1fc00, 0x3ffff};
static const struct format f32 = {32, 23, -126, 127, 0x7f800000, 0x3f800000, 0x7fffffff};
static const struct format f64 = {64,
				  52,
				  -1022,
				  1023,
				  UINT64_C(0x7ff0000000000000),
				  UINT64_C(0x3ff0000000000000),
				  UINT64_C(0x7ff8000000000000)};

static bool is_pair(uint8_t format)
{
	return format == IR_F16X2 || format == IR_BF16X2;
}

/* The format of a type's values, or of the halves of a pair. */
static const struct format *format_of(enum ir_type t, uint8_t format)
{
	if (format == IR_F16X2 || (t == IR_B16 && format != IR_BF16))
		return &f16;
	if (format == IR_BF16X2 || t == IR_B16)
		return &bf16;
	return t == IR_B32 ? &f32 : &f64;
}

static uint64_t sign_bit(const struct format *f)
{
	return UINT64_C(1) << (f->bits - 1);
}

static uint64_t float_magnitude(const struct format *f, uint64_t x)
{
	return x & ~sign_bit(f);
}

static bool is_nan(const struct format *f, uint64_t x)
{
	return f == &e4m3 ? float_magnitude(f, x) == f->nan : float_magnitude(f, x) > f->infinity;
}

static uint64_t flush_subnormal(const struct format *f, uint8_t flags, uint64_t x)
{
	uint64_t normal = UINT64_C(1) << f->fraction;

	return flags & IR_FTZ && float_magnitude(f, x) < normal ? x & sign_bit(f) : x;
}

static uint64_t saturate_float(const struct format *f, uint64_t x)
{
	if (is_nan(f, x) || x & sign_bit(f))
		return 0;
	return x > f->one ? f->one : x;
}

/* Integers in the order of the numbers; -0 and +0 are equal. */
static int64_t order_key(const struct format *f, uint64_t x)
{
	return x & sign_bit(f) ? -(int64_t)float_magnitude(f, x) : (int64_t)x;
}

/* ---- rounding ---- */

static uint64_t overflow_value(const struct format *f, enum ir_round round, bool negative)
{
	bool stays = round == IR_RZ || round == (negative ? IR_RP : IR_RM);

	return f->infinity - stays;
}

/* Rounds mantissa * 2^exponent, plus a fraction of the last bit when inexact, to a format. The
 * caller adds the sign. */
static uint64_t round_to_format(const struct format *f, enum ir_round round, bool negative,
				uint64_t mantissa, int exponent, bool inexact)
{
	uint64_t kept, rest, half, result;
	int top, shift; /* exponent of the highest bit; bits to discard */
	bool up;

	if (!mantissa)
		return 0;
	shift = __builtin_clzll(mantissa);
	mantissa <<= shift;
	top = exponent - shift + 63;
	if (top > f->highest)
		return overflow_value(f, round, negative);
	shift = 63 - (int)f->fraction + (top < f->lowest ? f->lowest - top : 0);
	if (shift > 64) { /* below half of the smallest number */
		inexact = true;
		mantissa = 0;
		shift = 63;
	}
	kept = shift == 64 ? 0 : mantissa >> shift;
	rest = shift == 64 ? mantissa : mantissa << (64 - shift);
	half = UINT64_C(1) << 63;
	if (round == IR_RN)
		up = rest > half || (rest == half && (inexact || kept & 1));
	else
		up = (rest || inexact) && round == (negative ? IR_RM : IR_RP);
	/* The hidden bit and a carry both increment the exponent, as intended. */
	result = kept + up;
	if (top >= f->lowest)
		result += (uint64_t)(top - f->lowest) << f->fraction;
	return result >= f->infinity ? overflow_value(f, round, negative) : result;
}

/* Converts a number that is no NaN to another format. */
static uint64_t convert_format(const struct format *from, const struct format *to,
			       enum ir_round round, uint64_t x, bool inexact)
{
	bool negative = x & sign_bit(from);
	uint64_t m = float_magnitude(from, x), fraction = m & ((UINT64_C(1) << from->fraction) - 1);
	int exponent = (int)(m >> from->fraction);
	uint64_t result;

	if (m == from->infinity) {
		result = to->infinity;
	} else {
		if (exponent)
			fraction |= UINT64_C(1) << from->fraction;
		exponent += from->lowest - (exponent ? 1 : 0) - (int)from->fraction;
		result = round_to_format(to, round, negative, fraction, exponent, inexact);
	}
	return result | (negative ? sign_bit(to) : 0);
}

static uint64_t finish_result(const struct format *f, uint8_t flags, uint64_t x)
{
	if (is_nan(f, x))
		x = f->nan;
	if (flags & IR_SAT)
		x = saturate_float(f, x);
	return flush_subnormal(f, flags, x);
}

static double to_double(const struct format *f, uint64_t x)
{
	uint64_t wide = is_nan(f, x) ? f64.nan : convert_format(f, &f64, IR_RN, x, false);
	double d;

	memcpy(&d, &wide, sizeof(d));
	return d;
}

/* ---- arithmetic ---- */

static float compute32(enum ir_op op, const uint64_t *args)
{
	volatile float x[3] = {0}, r;

	for (int k = 0; k < 3; k++) {
		uint32_t bits = (uint32_t)args[k];
		float value;

		memcpy(&value, &bits, sizeof(value));
		x[k] = value;
	}
	r = op == IR_FADD    ? x[0] + x[1]
	    : op == IR_FMUL  ? x[0] * x[1]
	    : op == IR_FDIV  ? x[0] / x[1]
	    : op == IR_FRCP  ? 1 / x[0]
	    : op == IR_FSQRT ? sqrtf(x[0])
			     : fmaf(x[0], x[1], x[2]);
	return r;
}

static uint64_t compute64(enum ir_op op, const struct format *f, const uint64_t *args)
{
	volatile double x[3], r;
	uint64_t bits;
	double d;

	for (int k = 0; k < 3; k++)
		x[k] = to_double(f, args[k]);
	r = op == IR_FADD    ? x[0] + x[1]
	    : op == IR_FMUL  ? x[0] * x[1]
	    : op == IR_FDIV  ? x[0] / x[1]
	    : op == IR_FRCP  ? 1 / x[0]
	    : op == IR_FSQRT ? sqrt(x[0])
			     : fma(x[0], x[1], x[2]);
	d = r;
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* The result as a double, truncated; an inexact one has an odd significand, so that rounding it
 * again gives what rounding once gives. */
static uint64_t compute_odd(const struct ir_inst *in, const struct format *f, const uint64_t *args)
{
	uint64_t bits;

	fesetround(FE_TOWARDZERO);
	feclearexcept(FE_ALL_EXCEPT);
	bits = compute64(in->op, f, args);
	return fetestexcept(FE_INEXACT) && !is_nan(&f64, bits) ? bits | 1 : bits;
}

/* Whether a result that rounds to the smallest normal number is subnormal when it is rounded with
 * an unbounded exponent: then twice the result, which has all bits of the significand, rounds to
 * less than twice that number. ftz flushes it (measured on an H200: f32 products, and f16 products
 * of a random kernel). */
static bool rounds_up_to_normal(const struct ir_inst *in, const struct format *f,
				const uint64_t *args, uint64_t result)
{
	uint64_t normal = UINT64_C(1) << f->fraction, odd, doubled;
	bool negative = result & sign_bit(f);

	if (!(in->flags & IR_FTZ) || f == &f64 || (in->op != IR_FMUL && in->op != IR_FMA) ||
	    float_magnitude(f, result) != normal)
		return false;
	odd = float_magnitude(&f64, compute_odd(in, f, args)) + (UINT64_C(1) << f64.fraction);
	doubled = convert_format(&f64, f, in->round, odd | (negative ? sign_bit(&f64) : 0), false);
	return float_magnitude(f, doubled) < 2 * normal;
}

static uint64_t eval_arithmetic(const struct ir_inst *in, const struct format *f,
				const uint64_t *args)
{
	static const int modes[] = {[IR_RN] = FE_TONEAREST,
				    [IR_RZ] = FE_TOWARDZERO,
				    [IR_RM] = FE_DOWNWARD,
				    [IR_RP] = FE_UPWARD};
	uint64_t flushed[3] = {0}, result = 0;
	fenv_t outside;
	bool tiny;

	for (uint32_t k = 0; k < in->nargs; k++)
		flushed[k] = flush_subnormal(f, in->flags, args[k]);
	fegetenv(&outside);
	fesetenv(FE_DFL_ENV);
	fesetround(modes[in->round]);
	if (f == &f32) {
		float r = compute32(in->op, flushed);

		memcpy(&result, &r, sizeof(r));
	} else if (f == &f64) {
		result = compute64(in->op, f, flushed);
	} else {
		uint64_t odd = compute_odd(in, f, flushed);

		result =
			is_nan(&f64, odd) ? f->nan : convert_format(&f64, f, in->round, odd, false);
	}
	tiny = rounds_up_to_normal(in, f, flushed, result);
	fesetenv(&outside);
	return finish_result(f, in->flags, tiny ? result & sign_bit(f) : result);
}

/* The function's exact value as far as the host computes it. For doubles only the high words
 * count. */
static uint64_t eval_approx(const struct ir_inst *in, const struct format *f, uint64_t arg)
{
	uint64_t part = f == &f64 ? ~UINT64_C(0xffffffff) : UINT64_MAX, bits;
	double x = to_double(f, flush_subnormal(f, in->flags, arg & part)), r;

	switch (in->sub) {
	case IR_APPROX_RCP:
		r = 1 / x;
		break;
	case IR_APPROX_SQRT:
		r = sqrt(x);
		break;
	case IR_APPROX_RSQRT:
		r = 1 / sqrt(x);
		break;
	case IR_APPROX_SIN:
		r = sin(x);
		break;
	case IR_APPROX_COS:
		r = cos(x);
		break;
	case IR_APPROX_EX2:
		r = exp2(x);
		break;
	case IR_APPROX_LG2:
		r = log2(x);
		break;
	default:
		r = tanh(x);
		break;
	}
	memcpy(&bits, &r, sizeof(bits));
	bits = is_nan(&f64, bits) ? f->nan : convert_format(&f64, f, IR_RN, bits, false);
	return finish_result(f, in->flags, bits & part);
}

static uint64_t eval_min_max(const struct ir_inst *in, const struct format *f, uint64_t a,
			     uint64_t b)
{
	bool a_first;

	if ((is_nan(f, a) && is_nan(f, b)) ||
	    (in->flags & IR_NAN && (is_nan(f, a) || is_nan(f, b))))
		return f->nan;
	if (is_nan(f, a) || is_nan(f, b))
		return flush_subnormal(f, in->flags, is_nan(f, a) ? b : a);
	a = flush_subnormal(f, in->flags, a);
	b = flush_subnormal(f, in->flags, b);
	a_first = order_key(f, a) < order_key(f, b) ||
		  (order_key(f, a) == order_key(f, b) && a & sign_bit(f)); /* -0 before +0 */
	return a_first == (in->op == IR_FMIN) ? a : b;
}

/* Rounds to an integer that stays a float. */
static uint64_t round_to_integral(const struct ir_inst *in, const struct format *f, uint64_t arg)
{
	uint64_t x = flush_subnormal(f, in->flags, arg), sign = x & sign_bit(f), bits;
	double d, r;

	if (is_nan(f, x))
		return f->nan;
	d = fabs(to_double(f, x));
	r = floor(d);
	if (in->round == IR_RN)
		r += d - r > 0.5 || (d - r == 0.5 && fmod(r, 2) != 0);
	else if (in->round == (sign ? IR_RM : IR_RP))
		r = ceil(d);
	memcpy(&bits, &r, sizeof(bits));
	return convert_format(&f64, f, IR_RN, bits, false) | sign;
}

static uint64_t eval_scalar(const struct ir_inst *in, const struct format *f, const uint64_t *args)
{
	switch (in->op) {
	case IR_FNEG:
		return flush_subnormal(f, in->flags, args[0]) ^ sign_bit(f);
	case IR_FABS:
		return float_magnitude(f, flush_subnormal(f, in->flags, args[0]));
	case IR_FMIN:
	case IR_FMAX:
		return eval_min_max(in, f, args[0], args[1]);
	case IR_FROUND:
		return round_to_integral(in, f, args[0]);
	case IR_APPROX:
		return eval_approx(in, f, args[0]);
	default:
		return eval_arithmetic(in, f, args);
	}
}

uint64_t ir_eval_float(const struct ir_inst *in, const uint64_t *args)
{
	const struct format *f = format_of(in->type, in->format);
	uint64_t halves[2][3] = {{0}};

	if (!is_pair(in->format))
		return eval_scalar(in, f, args);
	for (uint32_t k = 0; k < in->nargs; k++) {
		halves[0][k] = args[k] & 0xffff;
		halves[1][k] = args[k] >> 16;
	}
	return eval_scalar(in, f, halves[0]) | eval_scalar(in, f, halves[1]) << 16;
}

/* The conditions from IR_FEQ and from IR_FEQU on are in the same order: eq ne lt le gt ge. */
bool ir_eval_fcmp(const struct ir_inst *in, uint64_t a, uint64_t b)
{
	const struct format *f = format_of(in->type, in->format);
	bool nan = is_nan(f, a) || is_nan(f, b), unordered = in->cond >= IR_FEQU;
	int64_t x = order_key(f, flush_subnormal(f, in->flags, a)),
		y = order_key(f, flush_subnormal(f, in->flags, b));

	if (in->cond == IR_FNUM || in->cond == IR_FNAN)
		return nan == (in->cond == IR_FNAN);
	if (nan)
		return unordered;
	switch (in->cond - (unordered ? IR_FEQU : IR_FEQ)) {
	case 0:
		return x == y;
	case 1:
		return x != y;
	case 2:
		return x < y;
	case 3:
		return x <= y;
	case 4:
		return x > y;
	default:
		return x >= y;
	}
}

/* ---- conversions ---- */

static uint64_t convert_from_int(const struct ir_inst *in, uint64_t x)
{
	const struct format *f = format_of(in->type, in->format);
	uint32_t above = 64 - ir_type_bits(in->from);
	int64_t s = (int64_t)(x << above) >> above;
	bool negative = in->op == IR_STOF && s < 0;
	uint64_t r =
		round_to_format(f, in->round, negative, negative ? 0 - (uint64_t)s : x, 0, false);

	return finish_result(f, in->flags, r | (negative ? sign_bit(f) : 0));
}

/* PTX ISA, cvt: a NaN becomes 0, or the most negative number where a double or a 64-bit integer
 * takes part. */
static uint64_t convert_to_int(const struct ir_inst *in, uint64_t arg)
{
	const struct format *f = format_of(in->from, in->format);
	bool is_signed = in->op == IR_FTOS;
	uint32_t bits = ir_type_bits(in->type);
	uint64_t max_value = UINT64_MAX >> (64 - bits + is_signed),
		 min_value = is_signed ? max_value + 1 : 0;
	struct ir_inst round = {.type = in->from, .flags = in->flags, .round = in->round};
	uint64_t x = flush_subnormal(f, in->flags, arg);
	double d, limit = ldexp(1, (int)bits - is_signed);

	if (is_nan(f, x))
		return in->from == IR_B64 || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
	d = to_double(f, round_to_integral(&round, f, x));
	if (d >= limit)
		return max_value;
	if (d < 0)
		return !is_signed || d <= -limit ? min_value : 0 - (uint64_t)-d;
	return (uint64_t)d;
}

static uint64_t convert_float(const struct ir_inst *in, uint64_t arg)
{
	bool widens = in->from < in->type;
	const struct format *from = format_of(in->from, widens ? in->format : IR_BY_WIDTH);
	const struct format *to = in->format == IR_TF32
					  ? &tf32
					  : format_of(in->type, widens ? IR_BY_WIDTH : in->format);
	uint32_t below = ir_type_bits(in->type) - to->bits; /* zero bits below a shorter fraction */
	/* ftz applies to singles only here: halves and doubles keep their subnormals. */
	uint8_t in_flags = from == &f32 ? in->flags : 0;
	uint8_t out_flags = to == &f32 ? in->flags : in->flags & ~IR_FTZ;
	uint64_t x = flush_subnormal(from, in_flags, arg);

	/* A bf16 is the upper half of a single: GPUs shift it, which keeps the bits of a NaN. */
	if (from == &bf16 && to == &f32 && !(in->flags & (IR_FTZ | IR_SAT)))
		return x << 16;
	if (is_nan(from, x))
		return finish_result(to, out_flags, to->nan) << below;
	return finish_result(to, out_flags, convert_format(from, to, in->round, x, false)) << below;
}

/* One element of a byte pair: from a half or a single, or to a half. */
static uint64_t convert_byte(const struct format *from, const struct format *to, uint64_t x)
{
	uint64_t greatest;

	if (is_nan(from, x))
		return to->nan;
	if (to->bits == 8) {
		greatest = convert_format(to, from, IR_RN, to->infinity - 1, false);
		if (float_magnitude(from, x) > greatest)
			x = greatest | (x & sign_bit(from));
	}
	return convert_format(from, to, IR_RN, x, false);
}

static uint64_t convert_byte_pair(const struct ir_inst *in, uint64_t arg)
{
	const struct format *narrow = in->format == IR_E4M3X2 ? &e4m3 : &e5m2;
	const struct format *from = in->from == IR_B64 ? &f32 : in->from == IR_B32 ? &f16 : narrow;
	const struct format *to = in->type == IR_B16 ? narrow : &f16;
	uint64_t mask = (UINT64_C(1) << from->bits) - 1;

	return convert_byte(from, to, arg & mask) | convert_byte(from, to, arg >> from->bits & mask)
							    << to->bits;
}

uint64_t ir_eval_convert(const struct ir_inst *in, uint64_t arg)
{
	switch (in->op) {
	case IR_UTOF:
	case IR_STOF:
		return convert_from_int(in, arg);
	case IR_FTOU:
	case IR_FTOS:
		return convert_to_int(in, arg);
	default:
		return in->format >= IR_E4M3X2 ? convert_byte_pair(in, arg)
					       : convert_float(in, arg);
	}
}
