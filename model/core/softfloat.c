// SPDX-License-Identifier: MIT
/* A finite number is unpacked into sign, exponent and a 128-bit significand whose lowest bit is
 * sticky ("jamming" in Berkeley SoftFloat). Two bits of headroom and twenty guard bits keep one
 * addition exact enough: bits are lost only when the exponents differ so far that the leading
 * bits of the result do not change. */
#include "model/core/softfloat.h"

typedef unsigned __int128 u128;

const struct float_format float_e4m3 = {3, 4}, float_e5m2 = {2, 5}, float_f16 = {10, 5},
			  float_bf16 = {7, 8}, float_tf32 = {10, 8}, float_f32 = {23, 8},
			  float_f64 = {52, 11};

struct number { /* significand * 2^exponent */
	bool negative;
	int exponent;
	u128 significand;
};

static uint64_t sign_bit(const struct float_format *f)
{
	return 1ull << (f->mantissa + f->exponent);
}

static uint64_t infinity(const struct float_format *f)
{
	return ((1ull << f->exponent) - 1) << f->mantissa;
}

static uint64_t magnitude(const struct float_format *f, uint64_t x)
{
	return x & (sign_bit(f) - 1);
}

static int bias(const struct float_format *f)
{
	return (1 << (f->exponent - 1)) - 1;
}

bool float_is_nan(const struct float_format *f, uint64_t x)
{
	return magnitude(f, x) > infinity(f);
}

bool float_is_subnormal(const struct float_format *f, uint64_t x)
{
	return magnitude(f, x) && magnitude(f, x) < 1ull << f->mantissa;
}

uint64_t float_flush(const struct float_format *f, uint64_t x)
{
	return float_is_subnormal(f, x) ? x & sign_bit(f) : x;
}

uint64_t float_nan(const struct float_format *f)
{
	return sign_bit(f) - 1;
}

static struct number number_unpack(const struct float_format *f, uint64_t x)
{
	uint64_t mantissa = x & ((1ull << f->mantissa) - 1);
	int exponent = (int)(magnitude(f, x) >> f->mantissa);

	return (struct number){
		.negative = x & sign_bit(f),
		.exponent = (exponent ? exponent : 1) - bias(f) - f->mantissa,
		.significand = exponent ? mantissa | 1ull << f->mantissa : mantissa,
	};
}

static int top_bit(u128 x)
{
	uint64_t high = (uint64_t)(x >> 64);

	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)x);
}

/* Right shift with a sticky lowest bit. */
static u128 shift_jam(u128 x, int by)
{
	if (by <= 0)
		return x << -by;
	if (by > 127)
		return x != 0;
	return x >> by | ((x & (((u128)1 << by) - 1)) != 0);
}

/* True if rounding increments a truncated magnitude, given its lowest bit, the half bit and the
 * sticky rest. */
static bool rounds_up(enum float_rounding r, bool negative, bool odd, bool half, bool rest)
{
	switch (r) {
	case FLOAT_NEAREST:
		return half && (rest || odd);
	case FLOAT_DOWN:
		return negative && (half || rest);
	case FLOAT_UP:
		return !negative && (half || rest);
	default:
		return false;
	}
}

/* Shifts right by a positive count, with rounding. */
static u128 shift_round(u128 x, int by, bool negative, enum float_rounding r)
{
	u128 kept = by > 127 ? 0 : x >> by, below;

	if (by > 127)
		return kept + rounds_up(r, negative, false, false, x != 0);
	below = x & (((u128)1 << by) - 1);
	return kept + rounds_up(r, negative, kept & 1, below >> (by - 1),
				below & (((u128)1 << (by - 1)) - 1));
}

static uint64_t number_pack(const struct float_format *f, struct number n, enum float_rounding r)
{
	uint64_t sign = n.negative ? sign_bit(f) : 0, bits;
	int lowest = 1 - bias(f) - f->mantissa; /* exponent of a subnormal's lowest bit */
	int exponent, by;

	if (!n.significand)
		return sign;
	exponent = n.exponent + top_bit(n.significand) - f->mantissa;
	if (exponent < lowest)
		exponent = lowest;
	by = exponent - n.exponent;
	n.significand =
		by > 0 ? shift_round(n.significand, by, n.negative, r) : n.significand << -by;
	/* The hidden bit adds one to the exponent field; a carry from rounding adds one more. */
	if (exponent - lowest >= (1 << f->exponent) - 2)
		bits = infinity(f);
	else
		bits = ((uint64_t)(exponent - lowest) << f->mantissa) + (uint64_t)n.significand;
	if (bits >= infinity(f)) {
		bool stays = r == FLOAT_ZERO || (r == FLOAT_UP && n.negative) ||
			     (r == FLOAT_DOWN && !n.negative);

		bits = infinity(f) - stays;
	}
	return sign | bits;
}

/* Moves the top bit to 125, so that a sum fits and the low bits are spare. */
static struct number number_normalise(struct number n)
{
	int up = n.significand ? 125 - top_bit(n.significand) : 0;

	n.significand <<= up;
	n.exponent -= up;
	return n;
}

static struct number number_add(struct number a, struct number b, enum float_rounding r)
{
	if (!a.significand || !b.significand) {
		struct number n = a.significand ? a : b;

		if (!a.significand && !b.significand)
			n.negative = a.negative == b.negative ? a.negative : r == FLOAT_DOWN;
		return n;
	}
	a = number_normalise(a);
	b = number_normalise(b);
	if (a.exponent < b.exponent) {
		struct number n = a;

		a = b;
		b = n;
	}
	b.significand = shift_jam(b.significand, a.exponent - b.exponent);
	if (a.negative == b.negative) {
		a.significand += b.significand;
	} else if (a.significand == b.significand) {
		a.significand = 0;
		a.negative = r == FLOAT_DOWN;
	} else if (a.significand > b.significand) {
		a.significand -= b.significand;
	} else {
		a.significand = b.significand - a.significand;
		a.negative = b.negative;
	}
	return a;
}

uint64_t float_fma(const struct float_format *f, uint64_t a, uint64_t b, uint64_t c, int scale,
		   enum float_rounding r)
{
	bool negative = (a ^ b) & sign_bit(f);
	uint64_t inf = infinity(f), ma = magnitude(f, a), mb = magnitude(f, b),
		 mc = magnitude(f, c);
	struct number x, y, n;

	if (ma > inf || mb > inf || mc > inf || (ma == inf && !mb) || (mb == inf && !ma))
		return float_nan(f);
	if (ma == inf || mb == inf)
		return mc == inf && negative != !!(c & sign_bit(f))
			       ? float_nan(f)
			       : inf | (negative ? sign_bit(f) : 0);
	if (mc == inf)
		return c;
	x = number_unpack(f, a);
	y = number_unpack(f, b);
	n = (struct number){negative, x.exponent + y.exponent, x.significand * y.significand};
	n = number_add(n, number_unpack(f, c), r);
	n.exponent += scale;
	return number_pack(f, n, r);
}

static uint64_t float_one(const struct float_format *f)
{
	return (uint64_t)bias(f) << f->mantissa;
}

uint64_t float_add(const struct float_format *f, uint64_t a, uint64_t b, enum float_rounding r)
{
	return float_fma(f, a, float_one(f), b, 0, r);
}

/* The addend zero has the product's sign, so that a zero product keeps its sign. */
uint64_t float_mul(const struct float_format *f, uint64_t a, uint64_t b, int scale,
		   enum float_rounding r)
{
	return float_fma(f, a, b, (a ^ b) & sign_bit(f), scale, r);
}

uint64_t float_convert(const struct float_format *from, const struct float_format *to, uint64_t x,
		       enum float_rounding r)
{
	if (float_is_nan(from, x))
		return float_nan(to);
	if (magnitude(from, x) == infinity(from))
		return infinity(to) | (x & sign_bit(from) ? sign_bit(to) : 0);
	return number_pack(to, number_unpack(from, x), r);
}

uint64_t float_convert_nan(const struct float_format *from, const struct float_format *to,
			   uint64_t x)
{
	uint64_t mantissa = x & ((1ull << from->mantissa) - 1);
	int wider = to->mantissa - from->mantissa;

	mantissa = wider > 0 ? mantissa << wider : mantissa >> -wider;
	return (x & sign_bit(from) ? sign_bit(to) : 0) | infinity(to) | mantissa |
	       1ull << (to->mantissa - 1);
}

uint64_t float_from_integer(const struct float_format *to, bool negative, uint64_t value,
			    enum float_rounding r)
{
	return number_pack(to, (struct number){negative, 0, value}, r);
}

uint64_t float_magnitude(const struct float_format *f, uint64_t x, enum float_rounding r)
{
	struct number n = number_unpack(f, x);
	u128 value;

	if (magnitude(f, x) == infinity(f) ||
	    (n.significand && n.exponent + top_bit(n.significand) > 64))
		return UINT64_MAX;
	value = n.exponent >= 0 ? n.significand << n.exponent
				: shift_round(n.significand, -n.exponent, n.negative, r);
	return value >> 64 ? UINT64_MAX : (uint64_t)value;
}

uint64_t float_integral(const struct float_format *f, uint64_t x, enum float_rounding r)
{
	if (float_is_nan(f, x))
		return float_nan(f);
	/* Numbers of this magnitude have no fraction. */
	if ((int)(magnitude(f, x) >> f->mantissa) >= bias(f) + f->mantissa)
		return x;
	return float_from_integer(f, x & sign_bit(f), float_magnitude(f, x, r), FLOAT_ZERO);
}
