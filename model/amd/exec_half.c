// SPDX-License-Identifier: MIT
/* 16-bit floats: scalar, packed, and mixed with 32 bits. Arithmetic is an exact multiply-add on bit
 * patterns with one rounding (model/core/softfloat.c); functions use host 32-bit floats, whose
 * double rounding does not affect 11 bits. */
#include <math.h>
#include <string.h>

#include "model/amd/wave.h"
#include "model/core/softfloat.h"

static uint32_t fma16(uint32_t a, uint32_t b, uint32_t c)
{
	return (uint32_t)float_fma(&float_f16, a & 0xffff, b & 0xffff, c & 0xffff, 0,
				   FLOAT_NEAREST);
}

static uint32_t mul16(uint32_t a, uint32_t b)
{
	return (uint32_t)float_mul(&float_f16, a & 0xffff, b & 0xffff, 0, FLOAT_NEAREST);
}

static uint32_t add16(uint32_t a, uint32_t b)
{
	return (uint32_t)float_add(&float_f16, a & 0xffff, b & 0xffff, FLOAT_NEAREST);
}

static bool nan16(uint32_t x)
{
	return (x & 0x7fff) > 0x7c00;
}

static bool less16(uint32_t a, uint32_t b) /* -0 < 0 */
{
	int32_t x = a & 0x8000 ? -1 - (int32_t)(a & 0x7fff) : (int32_t)(a & 0x7fff);
	int32_t y = b & 0x8000 ? -1 - (int32_t)(b & 0x7fff) : (int32_t)(b & 0x7fff);

	return x < y;
}

static uint32_t min16(uint32_t a, uint32_t b)
{
	a &= 0xffff;
	b &= 0xffff;
	if (nan16(a) || nan16(b))
		return nan16(a) ? b : a;
	return less16(a, b) ? a : b;
}

static uint32_t max16(uint32_t a, uint32_t b)
{
	a &= 0xffff;
	b &= 0xffff;
	if (nan16(a) || nan16(b))
		return nan16(a) ? b : a;
	return less16(a, b) ? b : a;
}

static uint32_t median16(uint32_t a, uint32_t b, uint32_t c)
{
	if (nan16(a) || nan16(b) || nan16(c))
		return min16(min16(a, b), c);
	return max16(min16(a, b), min16(max16(a, b), c));
}

static float widen(uint32_t x)
{
	return float_of((uint32_t)float_convert(&float_f16, &float_f32, x & 0xffff, FLOAT_NEAREST));
}

static uint32_t narrow(float f)
{
	return (uint32_t)float_convert(&float_f32, &float_f16, bits_of(f), FLOAT_NEAREST);
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
	return (uint32_t)e & 0xffff;
}

static float fraction(float x)
{
	float d = x - floorf(x);

	return d < 1 ? d : 0x1.ffcp-1f;
}

static uint32_t fixed_up(uint32_t quotient, uint32_t denominator, uint32_t numerator)
{
	uint32_t sign = (denominator ^ numerator) & 0x8000;
	uint32_t d = denominator & 0x7fff, n = numerator & 0x7fff;

	if (n > 0x7c00)
		return (numerator | 0x200) & 0xffff;
	if (d > 0x7c00)
		return (denominator | 0x200) & 0xffff;
	if ((!d && !n) || (d == 0x7c00 && n == 0x7c00))
		return 0xfe00;
	if (!d || n == 0x7c00)
		return sign | 0x7c00;
	if (d == 0x7c00 || !n)
		return sign;
	return sign | (quotient & 0x7fff);
}

/* With errors like the hardware's if they are asked for. */
static uint32_t approximated(const struct op *op, const struct operands *o, uint32_t x,
			     float rounded, double exact)
{
	return narrow(o->inexact ? amd_approximate_f16(op, widen(x), exact) : rounded);
}

#define CORE(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint32_t a = o->s[0][0][i], b = o->s[1][0][i], c = o->s[2][0][i]; \
			uint32_t d = o->d[0][i]; \
			(void)a, (void)b, (void)c, (void)d; \
			o->d[0][i] = (expression); \
		} \
	}
CORE(v_add_f16, add16(a, b))
CORE(v_sub_f16, add16(a, b ^ 0x8000))
CORE(v_subrev_f16, add16(b, a ^ 0x8000))
CORE(v_mul_f16, mul16(a, b))
CORE(v_fmac_f16, fma16(a, b, d))
CORE(v_fma_f16, fma16(a, b, c))
CORE(v_fmamk_f16, fma16(a, c, b))
CORE(v_fmaak_f16, fma16(a, b, c))
CORE(v_max_f16, max16(a, b))
CORE(v_min_f16, min16(a, b))
CORE(v_min3_f16, min16(min16(a, b), c))
CORE(v_max3_f16, max16(max16(a, b), c))
CORE(v_med3_f16, median16(a, b, c))
CORE(v_div_fixup_f16, fixed_up(a, b, c))
CORE(v_ldexp_f16, narrow(ldexpf(widen(a), (int16_t)b)))
CORE(v_rcp_f16, approximated(op, o, a, 1 / widen(a), 1 / (double)widen(a)))
CORE(v_sqrt_f16, approximated(op, o, a, sqrtf(widen(a)), sqrt((double)widen(a))))
CORE(v_rsq_f16,
     approximated(op, o, a, (float)(1 / sqrt((double)widen(a))), 1 / sqrt((double)widen(a))))
CORE(v_log_f16, approximated(op, o, a, log2f(widen(a)), log2((double)widen(a))))
CORE(v_exp_f16, approximated(op, o, a, exp2f(widen(a)), exp2((double)widen(a))))
CORE(v_frexp_mant_f16, narrow(mantissa(widen(a))))
CORE(v_frexp_exp_i16_f16, exponent(widen(a)))
CORE(v_floor_f16, narrow(floorf(widen(a))))
CORE(v_ceil_f16, narrow(ceilf(widen(a))))
CORE(v_trunc_f16, narrow(truncf(widen(a))))
CORE(v_rndne_f16, narrow(rintf(widen(a))))
CORE(v_fract_f16, narrow(fraction(widen(a))))
CORE(v_sin_f16, narrow(isinf(widen(a)) ? NAN : (float)sin(2 * M_PI * (double)widen(a))))
CORE(v_cos_f16, narrow(isinf(widen(a)) ? NAN : (float)cos(2 * M_PI * (double)widen(a))))
CORE(v_pack_b32_f16, (a & 0xffff) | b << 16)

/* One half of a packed source, after its sign modifier. */
static uint32_t half_of(const struct op *op, const struct operands *o, uint32_t source, bool high,
			uint32_t i)
{
	const int32_t *f = op->in.field;
	uint32_t sel = (uint32_t)f[high ? AMD_F_OP_SEL_HI : AMD_F_OP_SEL] >> source & 1;
	uint32_t neg = (uint32_t)f[high ? AMD_F_ABS : AMD_F_NEG] >> source & 1;

	if (!op->in.row->type[AMD_S0 + source])
		return 0;
	return ((o->s[source][0][i] >> (16 * sel)) & 0xffff) ^ neg << 15;
}

#define PACKED(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint32_t both = 0; \
			for (uint32_t h = 0; h < 2; h++) { \
				uint32_t a = half_of(op, o, 0, h, i), b = half_of(op, o, 1, h, i); \
				uint32_t c = half_of(op, o, 2, h, i); \
				(void)c; \
				both |= ((expression) & 0xffff) << (16 * h); \
			} \
			o->d[0][i] = both; \
		} \
	}
PACKED(v_pk_fma_f16, fma16(a, b, c))
PACKED(v_pk_add_f16, add16(a, b))
PACKED(v_pk_mul_f16, mul16(a, b))
PACKED(v_pk_min_f16, min16(a, b))
PACKED(v_pk_max_f16, max16(a, b))
CORE(v_pk_fmac_f16, fma16(a, b, d) | fma16(a >> 16, b >> 16, d >> 16) << 16)

/* Products of halves added to 32 bits, the low one first. */
static float dot2(uint32_t a, uint32_t b, float c)
{
	return fmaf(widen(a >> 16), widen(b >> 16), fmaf(widen(a), widen(b), c));
}

CORE(v_dot2c_f32_f16, bits_of(dot2(a, b, float_of(d))))

static void core_v_dot2_f32_f16(const struct op *op, struct operands *o)
{
	uint32_t neg = (uint32_t)op->in.field[AMD_F_NEG] >> 2 & 1;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = half_of(op, o, 0, false, i) | half_of(op, o, 0, true, i) << 16;
		uint32_t b = half_of(op, o, 1, false, i) | half_of(op, o, 1, true, i) << 16;

		o->d[0][i] = bits_of(dot2(a, b, float_of(o->s[2][0][i] ^ neg << 31)));
	}
}

/* Sources are 32 bits, or the half that operand.c selected. */
static float mixed(const struct op *op, const struct operands *o, uint32_t source, uint32_t i)
{
	uint32_t x = o->s[source][0][i];

	return op->in.field[AMD_F_OP_SEL_HI] >> source & 1 ? widen(x) : float_of(x);
}

static void core_v_fma_mix_f32(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		float d = fmaf(mixed(op, o, 0, i), mixed(op, o, 1, i), mixed(op, o, 2, i));

		o->d[0][i] = op->in.row->type[AMD_D] == TYPE_F16 ? narrow(d) : bits_of(d);
	}
}

#define H(name) {AMD_##name, amd_run_vector, core_##name, 0}
const struct handler amd_handlers_half[] = {
	H(v_add_f16),
	H(v_sub_f16),
	H(v_subrev_f16),
	H(v_mul_f16),
	H(v_fmac_f16),
	H(v_fma_f16),
	H(v_fmamk_f16),
	H(v_fmaak_f16),
	H(v_max_f16),
	H(v_min_f16),
	H(v_min3_f16),
	H(v_max3_f16),
	H(v_med3_f16),
	H(v_div_fixup_f16),
	H(v_ldexp_f16),
	H(v_rcp_f16),
	H(v_sqrt_f16),
	H(v_rsq_f16),
	H(v_log_f16),
	H(v_exp_f16),
	H(v_frexp_mant_f16),
	H(v_frexp_exp_i16_f16),
	H(v_floor_f16),
	H(v_ceil_f16),
	H(v_trunc_f16),
	H(v_rndne_f16),
	H(v_fract_f16),
	H(v_sin_f16),
	H(v_cos_f16),
	H(v_pack_b32_f16),
	H(v_pk_fma_f16),
	H(v_pk_add_f16),
	H(v_pk_mul_f16),
	H(v_pk_min_f16),
	H(v_pk_max_f16),
	H(v_pk_fmac_f16),
	H(v_dot2c_f32_f16),
	H(v_dot2_f32_f16),
	H(v_fma_mix_f32),
	{AMD_v_fma_mixlo_f16, amd_run_vector, core_v_fma_mix_f32, 0},
	{AMD_v_fma_mixhi_f16, amd_run_vector, core_v_fma_mix_f32, 0},
	HANDLERS_END,
};
