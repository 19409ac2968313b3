// SPDX-License-Identifier: MIT
/*
 * Correctly rounded division and reciprocal from an approximate reciprocal and fused multiply-adds.
 *
 * An approximation r of 1 / b is refined with its error 1 - b r, which one FMA computes accurately
 * enough. From the quotient q = a r, the remainder a - b q is exact, and q + r (a - b q), rounded
 * once and in the requested mode, is correctly rounded if q is off by little more than half a unit
 * in the last place and r is the number nearest to 1 / b (Markstein, "Computation of elementary
 * functions on the IBM RISC System/6000 processor", 1990). Therefore r is corrected twice, and for
 * directed rounding q, the last time in the requested mode; directed rounding needs no second
 * correction of r, because only the sign of the last correction of q counts. The reciprocal
 * of a number with all fraction bits set is next to the midpoint of two numbers; the nearest is
 * found if r was rounded up before. NVIDIA's f32 approximations need one step alone: rcp and sqrt
 * of all significands are right on an H200 (tests/silicon/roots.cu), and ptxas 13 has the same
 * sequences for sm_75 to sm_90.
 *
 * This holds while nothing overflows or loses bits: for magnitudes of a from 2^-70 to 2^70 and of b
 * from 2^-55 to 2^55 (f64: 2^-400 to 2^400 for both). Other arguments take a slow path. The f32
 * slow path computes in f64, which has room for every exponent and enough bits to round only once:
 * a quotient of two 24-bit numbers is a number of at most 25 bits or at least 2^-49 of itself away
 * from any, and the f64 quotient is off by less. The f64 slow path divides the significands and
 * rounds in integer arithmetic.
 */
#include "libsov/compiler/passes/expand.h"

#define ONE32  UINT32_C(0x3f800000)
#define ONE64  UINT64_C(0x3ff0000000000000)
#define INF64  UINT64_C(0x7ff0000000000000)
#define NAN64  UINT64_C(0x7ff8000000000000)
#define SIGN64 (UINT64_C(1) << 63)

#define fma_(e, ...) expand_round(e, IR_FMA, IR_RN, __VA_ARGS__)

static ir_val emit_mul(struct expand *e, ir_val a, ir_val b)
{
	return expand_round(e, IR_FMUL, IR_RN, a, b, 0);
}

static ir_val emit_neg(struct expand *e, ir_val a)
{
	return expand_op(e, IR_FNEG, e->f->values[a].type, a, 0, 0);
}

static ir_val emit_one(struct expand *e, enum ir_type t)
{
	return expand_const(e, t, t == IR_B32 ? ONE32 : ONE64);
}

/* An f64 as two words: most bit manipulation concerns the high one. */
static ir_val low_word(struct expand *e, ir_val x)
{
	return expand_convert(e, IR_TRUNC, IR_B32, x);
}

static ir_val high_word(struct expand *e, ir_val x)
{
	return expand_convert(e, IR_TRUNC, IR_B32, expand_shift(e, IR_SHR_U, x, 32));
}

#define pack_words(e, ...) expand_op(e, IR_PACK, IR_B64, __VA_ARGS__, 0) /* low, high */

/* Whether the exponent of x is outside of [low, high), or x is a NaN, or the condition "also" holds
 * (0: none). The high word of an f64 decides it, and as f32 numbers words are ordered alike: those
 * of the largest numbers are infinity or NaNs there. */
static ir_val out_of_range(struct expand *e, ir_val x, int low, int high, ir_val also)
{
	bool wide = e->f->values[x].type == IR_B64;
	uint32_t shift = wide ? 20 : 23, bias = wide ? 1023 : 127;
	ir_val size = expand_op(e, IR_FABS, IR_B32, wide ? high_word(e, x) : x, 0, 0), beyond;

	beyond = expand_compare_imm(e, IR_FGEU, size, (uint32_t)((int)bias + high) << shift);
	if (also)
		beyond = expand_op(e, IR_OR, IR_B1, beyond, also, 0);
	return expand_op(e, IR_OR, IR_B1,
			 expand_compare_imm(e, IR_FLT, size, (uint32_t)((int)bias + low) << shift),
			 beyond, 0);
}

/* 1 / b with an error of at most one unit in the last place. The f64 approximation has 20 bits;
 * with the error d of a reciprocal, 1 + d + d^2 extends it to 60. */
static ir_val approx_reciprocal(struct expand *e, ir_val b, ir_val minus_b, enum ir_round round)
{
	enum ir_type t = e->f->values[b].type;
	ir_val r = expand_approx(e, IR_APPROX_RCP, b), d = fma_(e, minus_b, r, emit_one(e, t));

	if (t == IR_B64)
		d = fma_(e, d, d, d);
	return expand_round(e, IR_FMA, round, r, d, r);
}

/* q + r (a - b q) */
static ir_val correct_quotient(struct expand *e, ir_val a, ir_val minus_b, ir_val q, ir_val r,
			       enum ir_round round)
{
	return expand_round(e, IR_FMA, round, fma_(e, minus_b, q, a), r, q);
}

/* The number nearest to 1 / b for a positive b; only there rounding up is away from zero. */
static ir_val nearest_of_positive(struct expand *e, ir_val b)
{
	ir_val minus = emit_neg(e, b), r = approx_reciprocal(e, b, minus, IR_RP);

	return correct_quotient(e, emit_one(e, e->f->values[b].type), minus, r, r, IR_RN);
}

static bool takes_one_step(const struct expand *e, enum ir_type t, enum ir_round round)
{
	return e->target && e->target->corrects_f32_in_one_step && t == IR_B32 && round == IR_RN;
}

static ir_val nearest_reciprocal(struct expand *e, ir_val b)
{
	enum ir_type t = e->f->values[b].type;
	uint64_t sign = t == IR_B32 ? UINT64_C(1) << 31 : SIGN64;
	ir_val r;

	if (takes_one_step(e, t, IR_RN))
		return approx_reciprocal(e, b, emit_neg(e, b), IR_RN);
	r = nearest_of_positive(e, expand_op(e, IR_FABS, t, b, 0, 0));
	return expand_op(e, IR_OR, t, r, expand_op_imm(e, IR_AND, b, sign), 0);
}

/* a / b from the number nearest to 1 / b, or for directed rounding from a neighbour of it.
 *
 * To nearest, one correction suffices. Let the quotient z and b be in [1, 2), and let u be half of
 * a unit in the last place of z. Then r is off by at most u / 2, and q = a r by less than 3 u. The
 * corrected quotient is off by b u / 2 times the error of q before it is rounded; it can be rounded
 * wrongly only if z is as near to a midpoint m of two numbers. Numbers are odd multiples of u away
 * from m, so that q must be one of the two next to m, off by u: the remainder is exact, and the
 * corrected quotient is off by at most b u u / 2. But z - m is (a - b m) / b, where a - b m is a
 * multiple of 2 u u, and not 0, since m has one bit too many for a quotient. So z is at least
 * 2 u u / b away from m, which is more, because b is below 2. tests/silicon/quotients.cu checked
 * all pairs of f32 significands on an H200. */
static ir_val divide_by_reciprocal(struct expand *e, ir_val a, ir_val b, ir_val r,
				   enum ir_round round)
{
	ir_val minus_b = emit_neg(e, b),
	       q = correct_quotient(e, a, minus_b, emit_mul(e, a, r), r, IR_RN);

	return round == IR_RN ? q : correct_quotient(e, a, minus_b, q, r, round);
}

static ir_val divide_rounded(struct expand *e, ir_val a, ir_val b, enum ir_round round)
{
	ir_val minus_b = emit_neg(e, b), r;

	r = round == IR_RN ? nearest_reciprocal(e, b) : approx_reciprocal(e, b, minus_b, IR_RN);
	if (a)
		return divide_by_reciprocal(e, a, b, r, round);
	return round == IR_RN ? r
			      : correct_quotient(e, emit_one(e, e->f->values[b].type), minus_b, r,
						 r, round);
}

/* Converts an f32, subnormal or not, to f64. */
static ir_val f32_to_f64(struct expand *e, ir_val x)
{
	if (e->flags & IR_FTZ)
		x = emit_mul(e, x, emit_one(e, IR_B32));
	return expand_convert(e, IR_FTOF, IR_B64, x);
}

/* Converts back to f32. The product with one canonicalises NaNs and applies ftz. */
static ir_val f64_to_f32(struct expand *e, ir_val x, enum ir_round round)
{
	x = expand_convert(e, IR_FTOF, IR_B32, x);
	ir_def(e->f, x)->round = round;
	return emit_mul(e, x, emit_one(e, IR_B32));
}

/* For zeros, infinities and NaNs q is a zero or a NaN; then a times the approximation is the
 * result. */
static ir_val divide_in_f64(struct expand *e, ir_val a, ir_val b, enum ir_round round)
{
	ir_val x = a ? f32_to_f64(e, a) : emit_one(e, IR_B64), y = f32_to_f64(e, b),
	       minus_y = emit_neg(e, y);
	ir_val simple = expand_approx(e, IR_APPROX_RCP, y),
	       r = approx_reciprocal(e, y, minus_y, IR_RN);
	ir_val q = correct_quotient(e, x, minus_y, a ? emit_mul(e, x, r) : r, r, IR_RN);
	ir_val is_number = expand_compare_imm(e, IR_FNE, q, 0);

	if (a)
		simple = emit_mul(e, x, simple);
	return f64_to_f32(e, expand_select(e, is_number, q, simple), round);
}

/* Zeros, infinities and NaNs. */
struct kind {
	ir_val special; /* b1: it is one of these */
	ir_val class;   /* the number itself where special, else 1 with its sign */
};

static struct kind classify_f64(struct expand *e, ir_val x)
{
	ir_val word = high_word(e, x), size = expand_op_imm(e, IR_AND, word, INT32_MAX), twice, low,
	       high;
	struct kind k;

	k.special = expand_compare_imm(e, IR_GE_U, size, INF64 >> 32);
	k.special = expand_op(e, IR_OR, IR_B1, expand_compare_imm(e, IR_FEQ, x, 0), k.special, 0);
	/* x + x makes a NaN quiet: the approximation sees only the high word, which then tells that
	 * it is a NaN. */
	twice = expand_round(e, IR_FADD, IR_RN, x, x, 0);
	low = expand_select(e, k.special, low_word(e, twice), expand_const(e, IR_B32, 0));
	high = expand_op_imm(e, IR_AND, word, SIGN64 >> 32);
	high = expand_op_imm(e, IR_OR, high, ONE64 >> 32);
	k.class = pack_words(e, low, expand_select(e, k.special, high_word(e, twice), high));
	return k;
}

/* A finite number other than zero as a significand in [1, 2) and a b32 exponent. */
struct parts {
	ir_val fraction, exponent;
};

static struct parts decompose_f64(struct expand *e, ir_val x)
{
	const int up = 54; /* scales subnormal numbers to normal ones */
	ir_val size = expand_op(e, IR_FABS, IR_B64, x, 0, 0);
	ir_val small = expand_compare_imm(e, IR_LT_U, high_word(e, size), 1u << 20);
	ir_val scaled = emit_mul(e, size, expand_const(e, IR_B64, (uint64_t)(1023 + up) << 52));
	ir_val normal = expand_select(e, small, scaled, size), high = high_word(e, normal), less;
	struct parts p;

	less = expand_select(e, small, expand_const(e, IR_B32, (uint64_t)up),
			     expand_const(e, IR_B32, 0));
	p.exponent = expand_op(e, IR_SUB, IR_B32, expand_shift(e, IR_SHR_U, high, 20), less, 0);
	high = expand_op_imm(e, IR_AND, high, (1u << 20) - 1);
	high = expand_op_imm(e, IR_OR, high, ONE64 >> 32);
	p.fraction = pack_words(e, low_word(e, normal), high);
	return p;
}

/* Whether the two discarded bits round up the number that ends in last. Both are b32. */
static ir_val rounds_up(struct expand *e, ir_val rest, ir_val last, ir_val negative,
			enum ir_round round)
{
	ir_val up;

	if (round == IR_RN) { /* more than half, or half of an odd number: rest + last bit > 2 */
		up = expand_op(e, IR_ADD, IR_B32, rest, expand_op_imm(e, IR_AND, last, 1), 0);
		return expand_compare_imm(e, IR_GT_U, up, 2);
	}
	if (round == IR_RZ)
		return expand_const(e, IR_B1, 0);
	up = expand_compare_imm(e, IR_NE, rest, 0);
	if (round == IR_RP)
		negative = expand_op(e, IR_NOT, IR_B1, negative, 0, 0);
	return expand_op(e, IR_AND, IR_B1, up, negative, 0);
}

/* Result on overflow: infinity, or the largest finite number where rounding is towards zero. */
static ir_val overflow_value(struct expand *e, ir_val negative, enum ir_round round)
{
	ir_val infinity = expand_const(e, IR_B64, INF64),
	       largest = expand_const(e, IR_B64, INF64 - 1);

	if (round == IR_RN || round == IR_RZ)
		return round == IR_RN ? infinity : largest;
	return round == IR_RM ? expand_select(e, negative, infinity, largest)
			      : expand_select(e, negative, largest, infinity);
}

/* Assembles the f64 m 2^(exponent - 1023 - 54) with sign. m has 55 bits; the last two are the guard
 * bit and the sticky bit. A subnormal result shifts further bits into these. The leading bit of the
 * significand and a carry out of it increment the exponent field, as intended. */
static ir_val compose_f64(struct expand *e, ir_val sign, ir_val exponent, ir_val m,
			  enum ir_round round)
{
	ir_val zero = expand_const(e, IR_B32, 0), negative = expand_compare(e, IR_NE, sign, zero);
	ir_val few = expand_op(e, IR_SUB, IR_B32, expand_const(e, IR_B32, 1), exponent, 0);
	ir_val n = expand_op(e, IR_MIN_S, IR_B32, expand_op(e, IR_MAX_S, IR_B32, few, zero, 0),
			     expand_const(e, IR_B32, 60), 0);
	ir_val kept = expand_op(e, IR_SHR_U, IR_B64, m, n, 0);
	ir_val again = expand_op(e, IR_SHL, IR_B64, kept, n, 0);
	ir_val lost = expand_convert(e, IR_ZEXT, IR_B32, expand_compare(e, IR_NE, again, m));
	ir_val field =
		expand_op(e, IR_MAX_S, IR_B32, expand_op_imm(e, IR_SUB, exponent, 1), zero, 0);
	ir_val rest, bits, up, high, huge;

	rest = expand_op(e, IR_OR, IR_B32, low_word(e, kept), lost, 0);
	bits = expand_shift(e, IR_SHR_U, kept, 2);
	rest = expand_op_imm(e, IR_AND, rest, 3);
	up = rounds_up(e, rest, low_word(e, bits), negative, round);
	bits = expand_op(e, IR_ADD, IR_B64, bits, expand_convert(e, IR_ZEXT, IR_B64, up), 0);
	high = expand_op(e, IR_ADD, IR_B32, high_word(e, bits), expand_shift(e, IR_SHL, field, 20),
			 0);
	huge = expand_compare_imm(e, IR_GT_S, field, 2045);
	huge = expand_op(e, IR_OR, IR_B1, huge, expand_compare_imm(e, IR_GE_U, high, INF64 >> 32),
			 0);
	bits = pack_words(e, low_word(e, bits), high);
	bits = expand_select(e, huge, overflow_value(e, negative, round), bits);
	return pack_words(e, low_word(e, bits),
			  expand_op(e, IR_OR, IR_B32, high_word(e, bits), sign, 0));
}

/* The quotient of finite numbers other than zero. */
static ir_val divide_decomposed(struct expand *e, ir_val a, ir_val b, enum ir_round round)
{
	ir_val sign = expand_op_imm(
		e, IR_AND, expand_op(e, IR_XOR, IR_B32, high_word(e, a), high_word(e, b), 0),
		SIGN64 >> 32);
	struct parts x = decompose_f64(e, a), y = decompose_f64(e, b);
	ir_val q = divide_by_reciprocal(e, x.fraction, y.fraction,
					nearest_of_positive(e, y.fraction), IR_RN);
	ir_val rest = fma_(e, emit_neg(e, y.fraction), q, x.fraction);
	ir_val below = expand_compare_imm(e, IR_FLT, rest, 0);
	ir_val inexact = expand_compare_imm(e, IR_FNE, rest, 0);
	ir_val exponent = expand_op(e, IR_SUB, IR_B32, x.exponent, y.exponent, 0), high, m, lost;

	/* q is the nearest number: the quotient lies within half a unit below it, or above.
	 * Truncated, with the discarded part added, that is one unit less plus more than half, or
	 * plus less than half. */
	lost = expand_select(e, below, expand_const(e, IR_B32, 3),
			     expand_convert(e, IR_ZEXT, IR_B32, inexact));
	q = expand_op(e, IR_SUB, IR_B64, q, expand_convert(e, IR_ZEXT, IR_B64, below), 0);
	high = high_word(e, q);
	exponent = expand_op(e, IR_ADD, IR_B32, exponent, expand_shift(e, IR_SHR_U, high, 20), 0);
	high = expand_op_imm(e, IR_AND, high, (1u << 20) - 1);
	high = expand_op_imm(e, IR_OR, high, 1u << 20);
	m = expand_shift(e, IR_SHL, pack_words(e, low_word(e, q), high), 2);
	m = pack_words(e, expand_op(e, IR_OR, IR_B32, low_word(e, m), lost, 0), high_word(e, m));
	return compose_f64(e, sign, exponent, m, round);
}

/* Zeros, infinities and NaNs are what most divisions come here for. */
static ir_val divide_any(struct expand *e, ir_val a, ir_val b, enum ir_round round)
{
	struct kind x = classify_f64(e, a), y = classify_f64(e, b);
	ir_val simple = emit_mul(e, x.class, expand_approx(e, IR_APPROX_RCP, y.class));
	ir_val special = expand_op(e, IR_OR, IR_B1, x.special, y.special, 0);
	struct expand_if br = expand_if_begin(e, expand_op(e, IR_NOT, IR_B1, special, 0, 0));

	return expand_if_end(e, &br, divide_decomposed(e, a, b, round), simple);
}

/* Zero is a frequent dividend. If the divisor is neither special nor subnormal, the product of zero
 * and the approximate reciprocal is the quotient. */
static ir_val divide_zero_or_any(struct expand *e, ir_val a, ir_val b, enum ir_round round)
{
	ir_val nonzero = expand_compare_imm(e, IR_NE, expand_op_imm(e, IR_AND, a, INT32_MAX), 0);
	ir_val simple = emit_mul(e, a, expand_approx(e, IR_APPROX_RCP, b));
	struct expand_if br = expand_if_begin(e, out_of_range(e, b, -124, 124, nonzero));

	return expand_if_end(e, &br, divide_in_f64(e, a, b, round), simple);
}

ir_val expand_slow_fdiv(struct expand *e, const struct ir_inst *in, const ir_val *args)
{
	ir_val a = in->op == IR_FDIV ? args[0] : 0, b = args[in->nargs - 1];

	if (in->type == IR_B64)
		return divide_any(e, a ? a : emit_one(e, IR_B64), b, in->round);
	return a && takes_one_step(e, in->type, in->round) ? divide_zero_or_any(e, a, b, in->round)
							   : divide_in_f64(e, a, b, in->round);
}

ir_val expand_fdiv(struct expand *e, const struct ir_inst *in)
{
	bool wide = in->type == IR_B64;
	ir_val a = in->op == IR_FDIV ? in->args[0] : 0, b = in->args[in->nargs - 1], hard, q;
	uint8_t flags = e->flags;
	struct expand_if br;

	if (a && takes_one_step(e, in->type, in->round)) {
		hard = expand_op(e, IR_FCHK, IR_B32, a, b, 0);
		e->flags = 0; /* the remainder may be subnormal, operands and quotient are not */
	} else if (a) {
		/* +0 is a frequent dividend, and every step is right for it; -0 would lose its
		 * sign. */
		hard = out_of_range(e, a, wide ? -400 : -70, wide ? 400 : 70, 0);
		hard = expand_op(e, IR_AND, IR_B1, hard, expand_compare_imm(e, IR_NE, a, 0), 0);
		hard = out_of_range(e, b, wide ? -400 : -55, wide ? 400 : 55, hard);
	} else {
		hard = out_of_range(e, b, wide ? -1000 : -124, wide ? 1000 : 124, 0);
	}
	q = divide_rounded(e, a, b, in->round);
	e->flags = flags;
	br = expand_if_begin(e, hard);
	return expand_if_end(e, &br, expand_slow_path(e, in), q);
}

/* Square roots. With y near 1 / sqrt(x), g = x y is near the root and h = y / 2 near half its
 * reciprocal; the remainder x - g g is exact but for its last bit, and g + h (x - g g) is the
 * refined root. Corrected twice, the last time in the requested mode, it is correctly rounded in
 * every mode except to nearest, where it may be wrong if the root is next to the midpoint of two
 * numbers. In f32 an h of full precision suffices there (verified for all fractions, with y off by
 * two units in either direction).
 *
 * In f64 to nearest one correction suffices. In units u = 2^-53, y has a relative error below 2, so
 * g has one below 3. The correction of g is off by its size times the errors of h, of half of g and
 * of the remainder: the refined root is off by less than 3 (2 + 1.5 + 1) u u before it is rounded.
 * It can be rounded wrongly only if a midpoint is as near, which is n / 2^53 with an odd n, and for
 * x in [1, 4) that means x = (n n - j) / 2^106 with |j| < 108. As x has 53 bits, n n - j ends in 54
 * zeros, which is so for few n (the method is that of Cornea, Harrison, Tang, "Scientific Computing
 * on Itanium-based Systems", 2002). passes/numerics tries them all, with every such y. */

/* 1 / sqrt(x) of an f64 from 19 bits: with d = 1 - x y y, y (1 + d / 2 + 3 d d / 8) is off by at
 * most 0.3 units of 2^-53, half a unit because x y is rounded, and a unit because it is rounded. */
static ir_val inverse_root(struct expand *e, ir_val x)
{
	ir_val y = expand_approx(e, IR_APPROX_RSQRT, x), d, p;

	d = fma_(e, emit_neg(e, emit_mul(e, x, y)), y, emit_one(e, IR_B64));
	p = fma_(e, d, expand_const(e, IR_B64, UINT64_C(0x3fd8000000000000)),
		 expand_const(e, IR_B64, UINT64_C(0x3fe0000000000000)));
	return fma_(e, p, emit_mul(e, y, d), y);
}

static ir_val root64(struct expand *e, ir_val x, enum ir_round round)
{
	ir_val y = inverse_root(e, x), g = emit_mul(e, x, y), h;

	h = emit_mul(e, y, expand_const(e, IR_B64, UINT64_C(0x3fe0000000000000)));
	g = fma_(e, fma_(e, emit_neg(e, g), g, x), h, g);
	if (round == IR_RN)
		return g;
	return expand_round(e, IR_FMA, round, fma_(e, emit_neg(e, g), g, x), h, g);
}

static ir_val root32(struct expand *e, ir_val x, enum ir_round round)
{
	ir_val half = expand_const(e, IR_B32, 0x3f000000), y = expand_approx(e, IR_APPROX_RSQRT, x);
	ir_val g = emit_mul(e, x, y), h = emit_mul(e, y, half), minus_g = emit_neg(e, g), better;

	better = fma_(e, fma_(e, minus_g, g, x), h, g);
	if (takes_one_step(e, IR_B32, round))
		return better;
	h = fma_(e, h, fma_(e, minus_g, h, half), h);
	return expand_round(e, IR_FMA, round, fma_(e, emit_neg(e, better), better, x), h, better);
}

/* Whether x has a root other than itself and NaN: it is above zero and finite. */
static ir_val has_root(struct expand *e, ir_val x)
{
	ir_val positive = expand_compare_imm(e, IR_FGT, x, 0);

	return expand_op(e, IR_AND, IR_B1, positive, expand_compare_imm(e, IR_FLT, x, INF64), 0);
}

/* The root of a zero or of positive infinity is the argument; the root of a negative number or a
 * NaN is NaN. */
static ir_val root_special(struct expand *e, ir_val x)
{
	ir_val none = expand_compare_imm(e, IR_FLTU, x, 0);

	return expand_select(e, none, expand_const(e, IR_B64, NAN64), x);
}

/* f64 has room for all f32 exponents, and no root is close enough to the midpoint of two f32
 * numbers to be rounded wrongly the second time. */
static ir_val root_in_f64(struct expand *e, ir_val x, enum ir_round round)
{
	ir_val wide = f32_to_f64(e, x), y = inverse_root(e, wide), g = emit_mul(e, wide, y), h;

	h = emit_mul(e, y, expand_const(e, IR_B64, UINT64_C(0x3fe0000000000000)));
	g = fma_(e, fma_(e, emit_neg(e, g), g, wide), h, g);
	g = expand_select(e, has_root(e, wide), g, root_special(e, wide));
	return f64_to_f32(e, g, round);
}

static ir_val root_scaled(struct expand *e, ir_val x, enum ir_round round)
{
	ir_val special = root_special(e, x), scaled, g;
	struct expand_if br = expand_if_begin(e, has_root(e, x));

	scaled = emit_mul(e, x, expand_const(e, IR_B64, (uint64_t)(1023 + 256) << 52));
	g = root64(e, scaled, round);
	g = emit_mul(e, g, expand_const(e, IR_B64, (uint64_t)(1023 - 128) << 52));
	return expand_if_end(e, &br, g, special);
}

ir_val expand_slow_fsqrt(struct expand *e, const struct ir_inst *in, const ir_val *args)
{
	return in->type == IR_B64 ? root_scaled(e, args[0], in->round)
				  : root_in_f64(e, args[0], in->round);
}

ir_val expand_fsqrt(struct expand *e, const struct ir_inst *in)
{
	bool wide = in->type == IR_B64;
	ir_val x = in->args[0], word = x, hard, g;
	uint32_t min_bits = wide ? (1023 - 700) << 20 : (127 - 70) << 23;
	uint32_t infinity = wide ? 0x7ff00000 : 0x7f800000;
	struct expand_if br;

	/* The comparison includes the sign bit: negative numbers are far above infinity. */
	if (wide)
		word = high_word(e, x);
	word = expand_op_imm(e, IR_SUB, word, min_bits);
	hard = expand_compare_imm(e, IR_GE_U, word, infinity - min_bits);
	g = wide ? root64(e, x, in->round) : root32(e, x, in->round);
	br = expand_if_begin(e, hard);
	return expand_if_end(e, &br, expand_slow_path(e, in), g);
}
