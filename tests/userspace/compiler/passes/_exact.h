/* SPDX-License-Identifier: MIT */
/*
 * Quotients and square roots of binary32 and binary64 in integer arithmetic, for every rounding
 * mode: the reference of numerics.c. It does not use the host's floating point.
 */
#ifndef TESTS_PASSES_EXACT_H
#define TESTS_PASSES_EXACT_H

#include "libsov/compiler/ir/ir.h"

typedef unsigned __int128 exact_wide;

struct exact_format {
	uint32_t bits, fraction;
	int bias;
	uint64_t nan;
};
static const struct exact_format exact_f32 = {32, 23, 127, 0x7fffffff};
static const struct exact_format exact_f64 = {64, 52, 1023, UINT64_C(0x7ff8000000000000)};

struct exact_number {
	bool negative, zero, infinite, nan;
	uint64_t mantissa; /* of fraction + 1 bits */
	int exponent;      /* of its lowest bit */
};

static inline uint64_t exact_infinity(const struct exact_format *f)
{
	return (uint64_t)(2 * f->bias + 1) << f->fraction;
}

static inline struct exact_number exact_read(const struct exact_format *f, uint64_t x, bool ftz)
{
	uint64_t sign = UINT64_C(1) << (f->bits - 1), size = x & (sign - 1);
	uint64_t hidden = UINT64_C(1) << f->fraction;
	struct exact_number n = {.negative = x & sign,
				 .nan = size > exact_infinity(f),
				 .infinite = size == exact_infinity(f)};

	if (size >= hidden) {
		n.mantissa = (size & (hidden - 1)) | hidden;
		n.exponent = (int)(size >> f->fraction) - f->bias - (int)f->fraction;
		return n;
	}
	n.zero = !size || ftz;
	n.mantissa = size;
	n.exponent = 1 - f->bias - (int)f->fraction;
	while (!n.zero && n.mantissa < hidden) {
		n.mantissa <<= 1;
		n.exponent--;
	}
	return n;
}

/* Rounds m 2^exponent, plus a fraction of its last bit when inexact. m has more bits than the
 * format. */
static inline uint64_t exact_write(const struct exact_format *f, bool negative, exact_wide m,
				   int exponent, bool inexact, enum ir_round round, bool ftz)
{
	uint64_t sign = (uint64_t)negative << (f->bits - 1), hidden = UINT64_C(1) << f->fraction,
		 kept, result;
	int lowest = 1 - f->bias -
		     (int)f->fraction; /* exponent of the lowest bit of subnormal numbers */
	bool half = false, below = inexact, up;

	while (m >= 2 * (exact_wide)hidden || exponent < lowest) {
		below |= half;
		half = m & 1;
		m >>= 1;
		exponent++;
	}
	kept = (uint64_t)m;
	up = round == IR_RN   ? half && (below || kept & 1)
	     : round == IR_RZ ? false
			      : (half || below) && negative == (round == IR_RM);
	result = kept + up;
	if (result >= hidden)
		result += (uint64_t)(exponent - lowest) << f->fraction;
	if (result >= exact_infinity(f) || exponent > f->bias) {
		bool stays = round == IR_RZ || round == (negative ? IR_RP : IR_RM);

		result = exact_infinity(f) - stays;
	}
	if (ftz && result < hidden)
		result = 0;
	return result | sign;
}

static inline uint64_t exact_quotient(const struct exact_format *f, uint64_t a, uint64_t b,
				      enum ir_round round, bool ftz)
{
	struct exact_number x = exact_read(f, a, ftz), y = exact_read(f, b, ftz);
	bool negative = x.negative != y.negative;
	uint64_t sign = (uint64_t)negative << (f->bits - 1);
	uint32_t more = f->fraction + 4;
	exact_wide n = (exact_wide)x.mantissa << more;

	if (x.nan || y.nan || (x.zero && y.zero) || (x.infinite && y.infinite))
		return f->nan;
	if (x.infinite || y.zero)
		return exact_infinity(f) | sign;
	if (x.zero || y.infinite)
		return sign;
	return exact_write(f, negative, n / y.mantissa, x.exponent - y.exponent - (int)more,
			   n % y.mantissa, round, ftz);
}

static inline uint64_t exact_root(const struct exact_format *f, uint64_t a, enum ir_round round,
				  bool ftz)
{
	struct exact_number x = exact_read(f, a, ftz);
	exact_wide n = x.mantissa, root = 0, rest = 0;
	uint32_t more = f->fraction + 8;

	if (x.zero)
		return (uint64_t)x.negative << (f->bits - 1);
	if (x.nan || x.negative)
		return f->nan;
	if (x.infinite)
		return exact_infinity(f);
	more += (x.exponent - (int)more) & 1;
	n <<= more;
	for (int k = 63; k >= 0; k--) { /* digit by digit: two bits of n per bit of the root */
		rest = rest << 2 | (n >> 2 * k & 3);
		root <<= 1;
		if (rest >= 2 * root + 1) {
			rest -= 2 * root + 1;
			root++;
		}
	}
	return exact_write(f, false, root, (x.exponent - (int)more) / 2, rest, round, ftz);
}

#endif
