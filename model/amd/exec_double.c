// SPDX-License-Identifier: MIT
/* 64-bit floats in register pairs, by host arithmetic. Reciprocals and roots, which hardware only
 * approximates, are correctly rounded, unless such errors are asked for (approximate.c). */
#include <math.h>
#include <string.h>

#include "model/amd/wave.h"
#include "model/core/softfloat.h"

static inline uint64_t as_bits(double d)
{
	uint64_t x;

	memcpy(&x, &d, 8);
	return x;
}

static inline double as_double(uint64_t x)
{
	double d;

	memcpy(&d, &x, 8);
	return d;
}

static inline double read_f64(const row *s, uint32_t i)
{
	return as_double(s[0][i] | (uint64_t)s[1][i] << 32);
}

static inline void write_f64(row *d, uint32_t i, double v)
{
	uint64_t x = as_bits(v);

	d[0][i] = (uint32_t)x;
	d[1][i] = (uint32_t)(x >> 32);
}

/* Sources that are not pairs are ignored. */
#define CORE1(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		EACH_LANE(i) { \
			double a = read_f64(o->s[0], i); \
			write_f64(o->d, i, expression); \
		} \
	}
#define CORE2(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		EACH_LANE(i) { \
			double a = read_f64(o->s[0], i), b = read_f64(o->s[1], i); \
			write_f64(o->d, i, expression); \
		} \
	}
#define CORE3(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		EACH_LANE(i) { \
			double a = read_f64(o->s[0], i), b = read_f64(o->s[1], i), \
			       c = read_f64(o->s[2], i); \
			write_f64(o->d, i, expression); \
		} \
	}

static double min_f64(double a, double b)
{
	if (a != a || b != b)
		return a != a ? b : a;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static double max_f64(double a, double b)
{
	if (a != a || b != b)
		return a != a ? b : a;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

static double fraction(double x)
{
	double d = x - floor(x);

	return d < 1 ? d : as_double(0x3fefffffffffffff);
}

static double mantissa(double x)
{
	int e;

	return isfinite(x) ? frexp(x, &e) : x;
}

static double scaled(double x, uint32_t by)
{
	int32_t e = (int32_t)by;

	return ldexp(x, e > 5000 ? 5000 : e < -5000 ? -5000 : e);
}

static double approximated(const struct op *op, const struct operands *o, double x, double exact)
{
	return o->inexact ? amd_approximate_f64(op, x, exact) : exact;
}

CORE2(v_add_f64, a + b)
CORE2(v_mul_f64, a *b)
CORE2(v_min_f64, min_f64(a, b))
CORE2(v_max_f64, max_f64(a, b))
CORE3(v_fma_f64, __builtin_fma(a, b, c))
CORE1(v_rcp_f64, approximated(op, o, a, 1 / a))
CORE1(v_rsq_f64, approximated(op, o, a, 1 / sqrt(a)))
CORE1(v_sqrt_f64, approximated(op, o, a, sqrt(a)))
CORE1(v_trunc_f64, trunc(a))
CORE1(v_ceil_f64, ceil(a))
CORE1(v_rndne_f64, rint(a))
CORE1(v_floor_f64, floor(a))
CORE1(v_fract_f64, fraction(a))
CORE1(v_frexp_mant_f64, mantissa(a))
CORE1(v_ldexp_f64, scaled(a, o->s[1][0][i]))

static void core_v_frexp_exp_i32_f64(const struct op *op, struct operands *o)
{
	(void)op;
	for (uint32_t i = 0; i < LANES; i++) {
		double x = read_f64(o->s[0], i);
		int e = 0;

		if (isfinite(x))
			frexp(x, &e);
		o->d[0][i] = (uint32_t)e;
	}
}

static int biased(double x)
{
	return as_bits(x) >> 52 & 2047;
}

static bool is_denormal(double x)
{
	return x != 0 && biased(x) == 0;
}

/* As for 32 bits, see exec_float.c. */
static double div_scale(double x, double denominator, double numerator, bool *undo)
{
	*undo = false;
	if (numerator == 0 || denominator == 0)
		return NAN;
	if (biased(numerator) - biased(denominator) >= 768) {
		*undo = true;
		return as_bits(x) == as_bits(denominator) ? ldexp(x, 128) : x;
	}
	if (is_denormal(denominator))
		return ldexp(x, 128);
	if (is_denormal(1 / denominator) && is_denormal(numerator / denominator)) {
		*undo = true;
		return as_bits(x) == as_bits(denominator) ? ldexp(x, -128) : x;
	}
	if (is_denormal(1 / denominator))
		return ldexp(x, -128);
	if (is_denormal(numerator / denominator)) {
		*undo = true;
		return as_bits(x) == as_bits(numerator) ? ldexp(x, 128) : x;
	}
	return biased(numerator) <= 53 ? ldexp(x, 128) : x;
}

static void core_v_div_scale_f64(const struct op *op, struct operands *o)
{
	uint32_t mask = 0;

	(void)op;
	for (uint32_t i = 0; i < LANES; i++) {
		bool undo;

		write_f64(o->d, i,
			  div_scale(read_f64(o->s[0], i), read_f64(o->s[1], i),
				    read_f64(o->s[2], i), &undo));
		mask |= (uint32_t)undo << i;
	}
	o->carry = mask;
}

static double fixed_up(double quotient, double denominator, double numerator)
{
	double sign = signbit(denominator) != signbit(numerator) ? -1.0 : 1.0;

	if (numerator != numerator)
		return as_double(as_bits(numerator) | 1ull << 51);
	if (denominator != denominator)
		return as_double(as_bits(denominator) | 1ull << 51);
	if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
		return as_double(0xfff8000000000000);
	if (denominator == 0 || isinf(numerator))
		return sign * (double)INFINITY;
	if (isinf(denominator) || numerator == 0)
		return sign * 0.0;
	if (ilogb(numerator) - ilogb(denominator) > 1024)
		return sign * (double)INFINITY;
	if (ilogb(numerator) - ilogb(denominator) < -1075)
		return sign * 0.0;
	return copysign(quotient, sign);
}

CORE3(v_div_fixup_f64, fixed_up(a, b, c))
/* (a * b + c) multiplied by the inverse scale, rounded once. */
static double div_unscale(double a, double b, double c, bool undo)
{
	int by = !undo ? 0 : biased(c) > 1023 ? 128 : -128;

	return as_double(
		float_fma(&float_f64, as_bits(a), as_bits(b), as_bits(c), by, FLOAT_NEAREST));
}

CORE3(v_div_fmas_f64, div_unscale(a, b, c, o->carry >> i & 1))

#define H(name) {AMD_##name, amd_run_vector, core_##name, 0}
const struct handler amd_handlers_double[] = {
	H(v_add_f64),       H(v_mul_f64),        H(v_min_f64),           H(v_max_f64),
	H(v_fma_f64),       H(v_rcp_f64),        H(v_rsq_f64),           H(v_sqrt_f64),
	H(v_trunc_f64),     H(v_ceil_f64),       H(v_rndne_f64),         H(v_floor_f64),
	H(v_fract_f64),     H(v_frexp_mant_f64), H(v_frexp_exp_i32_f64), H(v_ldexp_f64),
	H(v_div_scale_f64), H(v_div_fixup_f64),  H(v_div_fmas_f64),      HANDLERS_END,
};
