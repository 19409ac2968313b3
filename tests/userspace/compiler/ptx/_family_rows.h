/* SPDX-License-Identifier: MIT */
/*
 * The rows of _families.h and the C reference of each. Floats of all formats are doubles here,
 * rounded by scaling to an integer; each rounding is one call of the C library. A row contains its
 * reference: A B C are the arguments' bits, SA SB SC the same sign-extended from 32 bits, and
 * f32(A), f16(A), bf16(A), f64(A) their values.
 */
#ifndef TESTS_PTX_FAMILY_ROWS_H
#define TESTS_PTX_FAMILY_ROWS_H

#include <math.h>
#include <string.h>

static double single_value(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float f;

	memcpy(&f, &narrow, sizeof(f));
	return f;
}

static double double_value(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* Decodes a float with these widths of fraction and exponent. */
static double small_value(uint64_t bits, int fraction, int exponent)
{
	int field = (int)(bits >> fraction) & ((1 << exponent) - 1);
	double m = (double)(bits & ((UINT64_C(1) << fraction) - 1));
	double v = !field ? ldexp(m, 2 - (1 << (exponent - 1)) - fraction)
		   : field == (1 << exponent) - 1
			   ? (m != 0 ? NAN : INFINITY)
			   : ldexp(m + ldexp(1, fraction), field - fraction - (1 << (exponent - 1)) + 1);

	return bits >> (fraction + exponent) & 1 ? -v : v;
}

static double half_value(uint64_t bits) { return small_value(bits, 10, 5); }
static double bf16_value(uint64_t bits) { return small_value(bits, 7, 8); }
static double e5m2_value(uint64_t bits) { return small_value(bits, 2, 5); }
/* e4m3 has no infinities: except for the NaN, the highest exponent is an ordinary one. */
static double e4m3_value(uint64_t bits)
{
	uint64_t one_lower = bits - 8;

	return (bits & 0x7f) == 0x7f ? NAN
	       : (bits & 0x78) == 0x78 ? 2 * small_value(one_lower, 3, 4)
				       : small_value(bits, 3, 4);
}

static double round_to(double x, char mode)
{
	return mode == 'n'   ? nearbyint(x)
	       : mode == 'z' ? trunc(x)
	       : mode == 'm' ? floor(x)
	       : mode == 'a' ? round(x) /* ties away from zero */
			     : ceil(x);
}

/* Encodes a double with these widths of fraction and exponent: scales it so that the last bit is
 * 1, rounds, and scales back. */
static uint64_t small_bits(double x, int fraction, int exponent, char mode)
{
	int bias = (1 << (exponent - 1)) - 1, e;
	uint64_t sign = (uint64_t)!!signbit(x) << (fraction + exponent);
	uint64_t infinity = ((UINT64_C(1) << exponent) - 1) << fraction;
	double m;

	if (isnan(x))
		return infinity | UINT64_C(1) << (fraction - 1);
	if (isinf(x))
		return sign | infinity;
	if (x == 0)
		return sign;
	e = ilogb(x) < 1 - bias ? 1 - bias : ilogb(x);
	m = fabs(round_to(ldexp(x, fraction - e), mode));
	if (m >= ldexp(2, fraction)) {
		m /= 2;
		e++;
	}
	if (e > bias) {
		bool stays = mode == 'z' || mode == (sign ? 'p' : 'm');

		return sign | (infinity - stays);
	}
	if (m < ldexp(1, fraction))
		return sign | (uint64_t)m;
	return sign | (uint64_t)(e + bias) << fraction | ((uint64_t)m - (UINT64_C(1) << fraction));
}

static uint64_t half_bits(double x, char mode) { return small_bits(x, 10, 5, mode); }
static uint64_t bf16_bits(double x, char mode) { return small_bits(x, 7, 8, mode); }
static uint64_t tf32_bits(double x, char mode) { return small_bits(x, 10, 8, mode) << 13; }
static uint64_t single_bits(double x, char mode) { return small_bits(x, 23, 8, mode); }

static uint64_t double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* Flush subnormal numbers to zero. */
static double flush_subnormal(double x) { return fabs(x) < ldexp(1, -126) ? copysign(0, x) : x; }
static double flush_subnormal_half(double x) { return fabs(x) < ldexp(1, -14) ? copysign(0, x) : x; }
static double saturate(double x) { return isnan(x) || x < 0 ? 0 : x > 1 ? 1 : x == 0 ? 0 : x; }
static double min_number(double x, double y)
{
	return isnan(x) ? y : isnan(y) ? x : x < y || (x == y && signbit(x)) ? x : y;
}
static double max_number(double x, double y) { return -min_number(-x, -y); }
static double relu(double x) { return isnan(x) ? x : max_number(x, 0); }
static double clamp_magnitude(double x, double limit) { return fabs(x) > limit ? copysign(limit, x) : x; }
/* Both encodings saturate to finite numbers. From 248 on e4m3 uses the exponent that other formats
 * reserve for infinity. */
static uint64_t e5m2_bits(double x) { return isnan(x) ? 0x7f : small_bits(clamp_magnitude(x, 57344), 2, 5, 'n'); }
static uint64_t e4m3_bits(double x)
{
	x = clamp_magnitude(x, 448);
	return isnan(x) ? 0x7f : fabs(x) >= 248 ? small_bits(x / 2, 3, 4, 'n') + 8 : small_bits(x, 3, 4, 'n');
}
static double nan_or(double x, double y, double z) { return isnan(x) || isnan(y) ? NAN : z; }

/* Converts to an integer of this width; the PTX manual defines the result for NaN. */
static uint64_t to_integer(double x, char mode, int bits, bool is_signed, bool wide)
{
	double r = round_to(x, mode), above = ldexp(1, bits - is_signed);

	if (isnan(x))
		return wide || bits == 64 ? UINT64_C(1) << (bits - 1) : 0;
	if (r >= above)
		return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
	if (r < (is_signed ? -above : 0))
		return is_signed ? UINT64_C(1) << (bits - 1) : 0;
	return is_signed ? (uint64_t)(int64_t)r : (uint64_t)r;
}

static int64_t sign_extend(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* bfe and bfi, bit by bit. */
static uint64_t extract_field(uint64_t x, uint32_t at, uint32_t n, uint32_t bits, bool is_signed)
{
	uint64_t r = 0, sign = 0;

	for (uint32_t k = 0; k < n && k < bits; k++) {
		uint64_t bit = at + k < bits ? x >> (at + k) & 1 : is_signed ? x >> (bits - 1) & 1 : 0;

		r |= bit << k;
		sign = bit;
	}
	for (uint32_t k = n; is_signed && sign && k < bits; k++)
		r |= UINT64_C(1) << k;
	return r;
}

static uint64_t insert_field(uint64_t from, uint64_t into, uint32_t at, uint32_t n, uint32_t bits)
{
	for (uint32_t k = 0; k < n && at + k < bits; k++) {
		into &= ~(UINT64_C(1) << (at + k));
		into |= (from >> k & 1) << (at + k);
	}
	return into;
}

static uint64_t find_highest(uint64_t x, int bits, bool is_signed)
{
	if (is_signed && x >> (bits - 1) & 1)
		x = ~x;
	for (int k = bits - 1; k >= 0; k--)
		if (x >> k & 1)
			return (uint64_t)k;
	return UINT32_MAX;
}

/* fns, bit by bit. */
static uint64_t nth_bit(uint64_t mask, uint64_t base, int64_t offset)
{
	int64_t left = offset < 0 ? -offset - 1 : offset - 1, step = offset < 0 ? -1 : 1;

	if (!offset)
		return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
	for (int64_t at = (int64_t)base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && !left--)
			return (uint64_t)at;
	return UINT32_MAX;
}

static uint64_t mask_bits(uint64_t at, uint64_t n)
{
	uint64_t r = 0;

	for (uint64_t k = at; k < at + n && k < 32; k++)
		r |= UINT64_C(1) << k;
	return r;
}

static uint64_t pick_bytes(uint64_t a, uint64_t b, const uint32_t digits[4])
{
	uint8_t bytes[8], r[4];
	uint32_t word;

	memcpy(bytes, &(uint32_t){(uint32_t)a}, 4);
	memcpy(bytes + 4, &(uint32_t){(uint32_t)b}, 4);
	for (int k = 0; k < 4; k++) {
		r[k] = bytes[digits[k] & 7];
		if (digits[k] & 8)
			r[k] = r[k] > 127 ? 255 : 0;
	}
	memcpy(&word, r, 4);
	return word;
}

static uint64_t bytes_by_digits(uint64_t a, uint64_t b, uint64_t c)
{
	return pick_bytes(a, b, (uint32_t[]){c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15});
}

static uint64_t dot4(uint64_t a, uint64_t b, uint64_t c, bool sa, bool sb)
{
	for (int k = 0; k < 4; k++)
		c += (uint64_t)((sa ? (int64_t)(int8_t)(a >> 8 * k) : (int64_t)(uint8_t)(a >> 8 * k)) *
				(sb ? (int64_t)(int8_t)(b >> 8 * k) : (int64_t)(uint8_t)(b >> 8 * k)));
	return c;
}

static uint64_t dot2(uint64_t a, uint64_t b, uint64_t c, bool sa, bool sb)
{
	for (int k = 0; k < 2; k++)
		c += (uint64_t)((sa ? (int64_t)(int16_t)(a >> 16 * k)
				    : (int64_t)(uint16_t)(a >> 16 * k)) *
				(sb ? (int64_t)(int8_t)(b >> 8 * k) : (int64_t)(uint8_t)(b >> 8 * k)));
	return c;
}

/* Converts 64 bits to a double, rounded to odd: the last bit is set if the result is inexact. */
static double odd_double(bool negative, uint64_t x)
{
	int low = x >> 53 ? 64 - __builtin_clzll(x) - 53 : 0;
	uint64_t kept = x >> low << low;
	double d;

	if (kept != x)
		kept |= UINT64_C(1) << low;
	d = (double)kept;
	return negative ? -d : d;
}

/* Video instructions as the manual describes them, with integers of 128 bits. part(): bits of a
 * word, sign-extended or not; limit(): to the range of a type; merge(): into a word. */
typedef __int128 wide;

static wide part(uint64_t word, int at, int bits, bool sign)
{
	uint64_t v = (word & 0xffffffff) >> at & ((UINT64_C(1) << bits) - 1);

	return sign ? (wide)sign_extend(v, bits) : (wide)v;
}

static wide limit(wide v, int bits, bool sign)
{
	wide most = ((wide)1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;

	return v > most ? most : v < least ? least : v;
}

static uint64_t merge(wide v, int at, int bits, uint64_t word)
{
	uint64_t mask = ((UINT64_C(1) << bits) - 1) << at;

	return (word & ~mask) | ((uint64_t)v << at & mask);
}

static wide larger(wide a, wide b) { return a > b ? a : b; }
static wide smaller(wide a, wide b) { return a < b ? a : b; }
static wide distance(wide a, wide b) { return a > b ? a - b : b - a; }
static wide average(wide a, wide b) { return (a + b + (a + b >= 0)) >> 1; }

/* The lane of a SIMD operand: the digit of its selector for lane k, lane 0 last. */
static wide lane(uint64_t a, uint64_t b, const char *selector, int lanes, int k, bool sign)
{
	int n = selector[lanes - 1 - k] - '0', bits = 32 / lanes;

	return part(n < lanes ? a : b, n % lanes * bits, bits, sign);
}

#define A     args[0]
#define B     args[1]
#define C     args[2]
#define SA    sign_extend(A, 32)
#define SB    sign_extend(B, 32)
#define SC    sign_extend(C, 32)
#define e4m3(x) e4m3_value(x)
#define e5m2(x) e5m2_value(x)
#define f16(x)  half_value(x)
#define bf16(x) bf16_value(x)
#define f32(x)  single_value(x)
#define f64(x)  double_value(x)
/* For both halves of a packed type: L is 0 for the low half, 16 for the high half. */
#define H(x)    ((x) >> L & 0xffff)
#define PAIR2(expression) \
	uint64_t r = 0; \
	for (int L = 0; L < 32; L += 16) \
		r |= ((expression) & 0xffff) << L; \
	return r

/* A row's reference function is named by its file and line. */
#define JOIN(a, b) a##b
#define INTEGER(line) JOIN(want_integer_, line)
#define FLOAT(line)   JOIN(want_float_, line)
#define NARROW(line)  JOIN(want_narrow_, line)
#define VIDEO(line)   JOIN(want_video_, line)
#define COMBINED(line) JOIN(want_combined_, line)
/* For all lanes of a SIMD instruction: X and Y are the lane's operands, those of `mask` are merged
 * into c or added to it. */
#define LANES(lanes, mask, asel, bsel, sa, sb, expression) \
	uint64_t r = C; \
	for (int k = 0; k < (lanes); k++) { \
		wide X = lane(A, B, asel, lanes, k, sa), Y = lane(A, B, bsel, lanes, k, sb); \
		if ((mask) >> k & 1) \
			r = merge(expression, k * 32 / (lanes), 32 / (lanes), r); \
	} \
	return r
#define LANE_SUM(lanes, mask, asel, bsel, sa, sb, expression) \
	wide r = (wide)C; \
	for (int k = 0; k < (lanes); k++) { \
		wide X = lane(A, B, asel, lanes, k, sa), Y = lane(A, B, bsel, lanes, k, sb); \
		if ((mask) >> k & 1) \
			r += expression; \
	} \
	return (uint64_t)r

#define ROW(text, types, inputs, level, bits, ...) \
	static uint64_t INTEGER(__LINE__)(const uint64_t *args) __VA_ARGS__
#include "tests/userspace/compiler/ptx/_family_integers.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	static uint64_t FLOAT(__LINE__)(const uint64_t *args) __VA_ARGS__
#include "tests/userspace/compiler/ptx/_family_floats.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	static uint64_t NARROW(__LINE__)(const uint64_t *args) __VA_ARGS__
#include "tests/userspace/compiler/ptx/_family_narrow.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	static uint64_t VIDEO(__LINE__)(const uint64_t *args) __VA_ARGS__
#include "tests/userspace/compiler/ptx/_family_video.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	static uint64_t COMBINED(__LINE__)(const uint64_t *args) __VA_ARGS__
#include "tests/userspace/compiler/ptx/_family_combined.h"
#undef ROW

const struct family families[] = {
#define ROW(text, types, inputs, level, bits, ...) \
	{text, types, INTEGER(__LINE__), inputs, level, bits},
#include "tests/userspace/compiler/ptx/_family_integers.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	{text, types, FLOAT(__LINE__), inputs, level, bits},
#include "tests/userspace/compiler/ptx/_family_floats.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	{text, types, NARROW(__LINE__), inputs, level, bits},
#include "tests/userspace/compiler/ptx/_family_narrow.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	{text, types, VIDEO(__LINE__), inputs, level, bits},
#include "tests/userspace/compiler/ptx/_family_video.h"
#undef ROW
#define ROW(text, types, inputs, level, bits, ...) \
	{text, types, COMBINED(__LINE__), inputs, level, bits},
#include "tests/userspace/compiler/ptx/_family_combined.h"
#undef ROW
};

#endif
