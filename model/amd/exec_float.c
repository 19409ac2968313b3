// SPDX-License-Identifier: MIT
/* 32-bit floats, by host arithmetic: round to nearest with denormals; float_modes.c has the other
 * modes. Reciprocals, roots and transcendental functions are correctly rounded, unless errors like
 * the hardware's are asked for (approximate.c). Scaled divisions follow the RDNA2 manual's
 * pseudocode of V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP. */
#include <math.h>
#include <string.h>

#include "model/amd/wave.h"
#include "model/core/softfloat.h"

#define CORE(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		const uint32_t *s0 = o->s[0][0], *s1 = o->s[1][0], *s2 = o->s[2][0]; \
		uint32_t *to = o->d[0]; \
		(void)op; \
		EACH_LANE(i) { \
			float a = float_of(s0[i]), b = float_of(s1[i]), c = float_of(s2[i]); \
			float d = float_of(to[i]); \
			(void)a, (void)b, (void)c, (void)d; \
			to[i] = bits_of(expression); \
		} \
	}

/* A number takes precedence over a NaN; -0 is less than 0. */
static inline float min_f32(float a, float b)
{
	if (a != a || b != b)
		return a != a ? b : a;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static inline float max_f32(float a, float b)
{
	if (a != a || b != b)
		return a != a ? b : a;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

static float median(float a, float b, float c)
{
	if (a != a || b != b || c != c)
		return min_f32(min_f32(a, b), c);
	return max_f32(min_f32(a, b), min_f32(max_f32(a, b), c));
}

static float legacy_product(float a, float b)
{
	return a == 0 || b == 0 ? 0.0f : a * b;
}

static float legacy_fma(float a, float b, float c)
{
	return a == 0 || b == 0 ? c : fmaf(a, b, c);
}

static float fraction(float x)
{
	float d = x - floorf(x);

	return d < 1 ? d : float_of(0x3f7fffff);
}

/* Angles are in revolutions (x / 2 pi). */
static float sine(float x)
{
	return isinf(x) ? NAN : (float)sin(2 * M_PI * (x - trunc(x)));
}

static float cosine(float x)
{
	return isinf(x) ? NAN : (float)cos(2 * M_PI * (x - trunc(x)));
}

static float mantissa(float x)
{
	int e;

	return isfinite(x) ? frexpf(x, &e) : x;
}

static uint32_t exponent(float x)
{
	int e = 0;

	if (isfinite(x))
		frexpf(x, &e);
	return (uint32_t)e;
}

static float scaled(float x, uint32_t by)
{
	int32_t e = (int32_t)by;

	return ldexpf(x, e > 1000 ? 1000 : e < -1000 ? -1000 : e);
}

CORE(v_add_f32, a + b)
CORE(v_sub_f32, a - b)
CORE(v_subrev_f32, b - a)
CORE(v_mul_f32, a *b)
CORE(v_mul_legacy_f32, legacy_product(a, b))
CORE(v_min_f32, min_f32(a, b))
CORE(v_max_f32, max_f32(a, b))
CORE(v_fmac_f32, __builtin_fmaf(a, b, d))
CORE(v_fmac_legacy_f32, legacy_fma(a, b, d))
CORE(v_fma_f32, __builtin_fmaf(a, b, c))
CORE(v_fma_legacy_f32, legacy_fma(a, b, c))
CORE(v_fmamk_f32, __builtin_fmaf(a, c, b))
CORE(v_fmaak_f32, __builtin_fmaf(a, b, c))
CORE(v_min3_f32, min_f32(min_f32(a, b), c))
CORE(v_max3_f32, max_f32(max_f32(a, b), c))
CORE(v_med3_f32, median(a, b, c))

/* A function that hardware approximates: the rounded result, the exact one, how the error is
 * added. */
#define APPROXIMATED(name, rounded, exact, approximate) \
	CORE(exact_##name, rounded) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		for (uint32_t i = 0; o->inexact && i < LANES; i++) { \
			float a = amd_flush_f32(float_of(o->s[0][0][i])); \
			o->d[0][i] = bits_of(approximate(op, a, exact)); \
		} \
		if (!o->inexact) \
			core_exact_##name(op, o); \
	}

APPROXIMATED(v_rcp_f32, 1 / a, 1 / (double)a, amd_approximate_f32)
APPROXIMATED(v_rsq_f32, (float)(1 / sqrt((double)a)), 1 / sqrt((double)a), amd_approximate_f32)
APPROXIMATED(v_sqrt_f32, sqrtf(a), sqrt((double)a), amd_approximate_f32)
APPROXIMATED(v_exp_f32, exp2f(a), exp2((double)a), amd_approximate_f32)
APPROXIMATED(v_log_f32, log2f(a), log2((double)a), amd_approximate_f32)
APPROXIMATED(v_sin_f32, sine(a), sine(a), amd_approximate_angle)
APPROXIMATED(v_cos_f32, cosine(a), cosine(a), amd_approximate_angle)

CORE(v_fract_f32, fraction(a))
CORE(v_trunc_f32, truncf(a))
CORE(v_ceil_f32, ceilf(a))
CORE(v_rndne_f32, rintf(a))
CORE(v_floor_f32, floorf(a))
CORE(v_frexp_mant_f32, mantissa(a))
CORE(v_ldexp_f32, scaled(a, s1[i]))

static void core_v_frexp_exp_i32_f32(const struct op *op, struct operands *o)
{
	(void)op;
	for (uint32_t i = 0; i < LANES; i++)
		o->d[0][i] = exponent(float_of(o->s[0][0][i]));
}

static int biased(float x)
{
	return bits_of(x) >> 23 & 255;
}

static bool is_denormal(float x)
{
	return x != 0 && biased(x) == 0;
}

/* Scales one operand of a division so that the Newton steps neither overflow nor underflow. The
 * mask marks the lanes in which V_DIV_FMAS must undo it. */
static float div_scale(float x, float denominator, float numerator, bool *undo)
{
	*undo = false;
	if (numerator == 0 || denominator == 0)
		return NAN;
	if (biased(numerator) - biased(denominator) >= 96) {
		*undo = true;
		return bits_of(x) == bits_of(denominator) ? ldexpf(x, 64) : x;
	}
	if (is_denormal(denominator))
		return ldexpf(x, 64);
	/* The manual has 64 here, which would make most of these infinite, and would break LLVM's
	 * divisions, which pass OpenCL's conformance tests with these steps: inferred, not measured
	 * on a card. */
	if (is_denormal(1 / denominator) && is_denormal(numerator / denominator)) {
		*undo = true;
		return bits_of(x) == bits_of(denominator) ? ldexpf(x, -64) : x;
	}
	if (is_denormal(1 / denominator))
		return ldexpf(x, -64);
	if (is_denormal(numerator / denominator)) {
		*undo = true;
		return bits_of(x) == bits_of(numerator) ? ldexpf(x, 64) : x;
	}
	return biased(numerator) <= 23 ? ldexpf(x, 64) : x;
}

static void core_v_div_scale_f32(const struct op *op, struct operands *o)
{
	uint32_t mask = 0;

	(void)op;
	for (uint32_t i = 0; i < LANES; i++) {
		bool undo;

		o->d[0][i] = bits_of(div_scale(float_of(o->s[0][0][i]), float_of(o->s[1][0][i]),
					       float_of(o->s[2][0][i]), &undo));
		mask |= (uint32_t)undo << i;
	}
	o->carry = mask;
}

static float fixed_up(float quotient, float denominator, float numerator)
{
	float sign = signbit(denominator) != signbit(numerator) ? -1.0f : 1.0f;

	if (numerator != numerator)
		return float_of(bits_of(numerator) | 0x400000);
	if (denominator != denominator)
		return float_of(bits_of(denominator) | 0x400000);
	if ((denominator == 0 && numerator == 0) || (isinf(denominator) && isinf(numerator)))
		return float_of(0xffc00000);
	if (denominator == 0 || isinf(numerator))
		return sign * INFINITY;
	if (isinf(denominator) || numerator == 0)
		return sign * 0.0f;
	/* The quotient is out of range, and the Newton steps may have diverged. */
	if (ilogbf(numerator) - ilogbf(denominator) > 128)
		return sign * INFINITY;
	if (ilogbf(numerator) - ilogbf(denominator) < -150)
		return sign * 0.0f;
	return copysignf(quotient, sign);
}

CORE(v_div_fixup_f32, fixed_up(a, b, c))

/* Undoes the scaling: a large quotient was made smaller, a small one larger. Rounded once, or
 * denormal quotients would be wrong. */
static int div_undo_exponent(float quotient)
{
	return biased(quotient) > 127 ? 64 : -64;
}

static void core_v_div_fmas_f32(const struct op *op, struct operands *o)
{
	(void)op;
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = o->s[0][0][i], b = o->s[1][0][i], c = o->s[2][0][i];

		o->d[0][i] = (uint32_t)float_fma(
			&float_f32, a, b, c, o->carry >> i & 1 ? div_undo_exponent(float_of(c)) : 0,
			FLOAT_NEAREST);
	}
}

#define H(name) {AMD_##name, amd_run_vector, core_##name, 0}
const struct handler amd_handlers_float[] = {
	H(v_add_f32),
	H(v_sub_f32),
	H(v_subrev_f32),
	H(v_mul_f32),
	H(v_mul_legacy_f32),
	H(v_min_f32),
	H(v_max_f32),
	H(v_fmac_f32),
	H(v_fmac_legacy_f32),
	H(v_fma_f32),
	H(v_fma_legacy_f32),
	H(v_fmamk_f32),
	H(v_fmaak_f32),
	H(v_min3_f32),
	H(v_max3_f32),
	H(v_med3_f32),
	H(v_rcp_f32),
	{AMD_v_rcp_iflag_f32, amd_run_vector, core_v_rcp_f32, 0},
	H(v_rsq_f32),
	H(v_sqrt_f32),
	H(v_exp_f32),
	H(v_log_f32),
	H(v_sin_f32),
	H(v_cos_f32),
	H(v_fract_f32),
	H(v_trunc_f32),
	H(v_ceil_f32),
	H(v_rndne_f32),
	H(v_floor_f32),
	H(v_frexp_mant_f32),
	H(v_frexp_exp_i32_f32),
	H(v_ldexp_f32),
	H(v_div_scale_f32),
	H(v_div_fixup_f32),
	{AMD_v_div_fmas_f32, amd_run_vector, core_v_div_fmas_f32, 0},
	HANDLERS_END,
};
