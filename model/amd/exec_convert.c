// SPDX-License-Identifier: MIT
/* Conversions, all by model/core/softfloat.c: to integers toward zero with saturation, NaN to 0; to
 * floats to nearest unless the name says otherwise. */
#include "model/amd/wave.h"
#include "model/core/softfloat.h"

#define WIDE(s, i) ((s)[0][i] | (uint64_t)(s)[1][i] << 32)

static bool negative(const struct float_format *f, uint64_t x)
{
	return x >> (f->mantissa + f->exponent) & 1;
}

static uint32_t to_unsigned(const struct float_format *f, uint64_t x, uint32_t limit)
{
	uint64_t m = float_magnitude(f, x, FLOAT_ZERO);

	if (float_is_nan(f, x) || negative(f, x))
		return 0;
	return m > limit ? limit : (uint32_t)m;
}

/* bits: 16 or 32. */
static uint32_t to_signed(const struct float_format *f, uint64_t x, enum float_rounding r,
			  uint32_t bits)
{
	uint64_t m = float_magnitude(f, x, r), most = (1ull << (bits - 1)) - 1;
	uint32_t mask = bits == 32 ? 0xffffffff : 0xffff;

	if (float_is_nan(f, x))
		return 0;
	if (negative(f, x))
		return (uint32_t)(0 - (m > most + 1 ? most + 1 : m)) & mask;
	return (uint32_t)(m > most ? most : m);
}

static uint64_t from_signed(const struct float_format *f, int32_t x)
{
	return float_from_integer(f, x < 0, x < 0 ? 0 - (uint64_t)(int64_t)x : (uint64_t)x,
				  FLOAT_NEAREST);
}

static uint32_t floor_of(uint64_t x)
{
	return to_signed(&float_f32, float_integral(&float_f32, x, FLOAT_DOWN), FLOAT_ZERO, 32);
}

/* [-1, 1] and [0, 1] to the full range of 16 bits, to nearest. */
static uint32_t normal_signed(const struct float_format *f, uint64_t x)
{
	uint64_t y = float_convert(f, &float_f64, x, FLOAT_NEAREST);
	uint64_t one = 0x3ff0000000000000;

	if (float_is_nan(f, x))
		return 0;
	if ((y & ~(1ull << 63)) > one)
		y = (y & 1ull << 63) | one;
	y = float_mul(&float_f64, y, 0x40dfffc000000000, 0, FLOAT_NEAREST); /* 32767 */
	y = float_integral(&float_f64, y, FLOAT_NEAREST);
	return to_signed(&float_f64, y, FLOAT_ZERO, 16);
}

static uint32_t normal_unsigned(const struct float_format *f, uint64_t x)
{
	uint64_t y = float_convert(f, &float_f64, x, FLOAT_NEAREST);

	if (float_is_nan(f, x) || negative(f, x))
		return 0;
	if (y > 0x3ff0000000000000)
		y = 0x3ff0000000000000;
	y = float_mul(&float_f64, y, 0x40efffe000000000, 0, FLOAT_NEAREST); /* 65535 */
	return to_unsigned(&float_f64, float_integral(&float_f64, y, FLOAT_NEAREST), 0xffff);
}

static uint32_t put_byte(uint32_t x, uint32_t at, uint32_t into)
{
	uint32_t value = to_unsigned(&float_f32, float_integral(&float_f32, x, FLOAT_NEAREST), 255);

	at = 8 * (at & 3);
	return (into & ~(255u << at)) | value << at;
}

#define F16(x)               ((x) & 0xffff)
#define CONVERT(from, to, x) ((uint32_t)float_convert(&float_##from, &float_##to, x, FLOAT_NEAREST))
#define CORE(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint32_t a = o->s[0][0][i], b = o->s[1][0][i], c = o->s[2][0][i]; \
			(void)a, (void)b, (void)c; \
			o->d[0][i] = (uint32_t)(expression); \
		} \
	}
#define CORE64(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint32_t a = o->s[0][0][i]; \
			uint64_t d = (expression); \
			o->d[0][i] = (uint32_t)d; \
			o->d[1][i] = (uint32_t)(d >> 32); \
		} \
	}
CORE(v_cvt_f32_i32, from_signed(&float_f32, (int32_t)a))
CORE(v_cvt_f32_u32, float_from_integer(&float_f32, false, a, FLOAT_NEAREST))
CORE(v_cvt_u32_f32, to_unsigned(&float_f32, a, 0xffffffff))
CORE(v_cvt_i32_f32, to_signed(&float_f32, a, FLOAT_ZERO, 32))
CORE(v_cvt_f16_f32, CONVERT(f32, f16, a))
CORE(v_cvt_f32_f16, CONVERT(f16, f32, F16(a)))
CORE(v_cvt_flr_i32_f32, floor_of(a))
CORE(v_cvt_rpi_i32_f32, floor_of(float_add(&float_f32, a, 0x3f000000, FLOAT_NEAREST)))
CORE(v_cvt_off_f32_i4, float_mul(&float_f32, from_signed(&float_f32, (int32_t)(a << 28) >> 28),
				 0x3d800000, 0, FLOAT_NEAREST))
CORE(v_cvt_f32_ubyte0, float_from_integer(&float_f32, false, a & 255, FLOAT_NEAREST))
CORE(v_cvt_f32_ubyte1, float_from_integer(&float_f32, false, a >> 8 & 255, FLOAT_NEAREST))
CORE(v_cvt_f32_ubyte2, float_from_integer(&float_f32, false, a >> 16 & 255, FLOAT_NEAREST))
CORE(v_cvt_f32_ubyte3, float_from_integer(&float_f32, false, a >> 24, FLOAT_NEAREST))
CORE(v_cvt_i32_f64, to_signed(&float_f64, WIDE(o->s[0], i), FLOAT_ZERO, 32))
CORE(v_cvt_u32_f64, to_unsigned(&float_f64, WIDE(o->s[0], i), 0xffffffff))
CORE(v_cvt_f32_f64, CONVERT(f64, f32, WIDE(o->s[0], i)))
CORE64(v_cvt_f64_f32, float_convert(&float_f32, &float_f64, a, FLOAT_NEAREST))
CORE64(v_cvt_f64_i32, from_signed(&float_f64, (int32_t)a))
CORE64(v_cvt_f64_u32, float_from_integer(&float_f64, false, a, FLOAT_NEAREST))
CORE(v_cvt_f16_u16, float_from_integer(&float_f16, false, F16(a), FLOAT_NEAREST))
CORE(v_cvt_f16_i16, from_signed(&float_f16, (int16_t)a))
CORE(v_cvt_u16_f16, to_unsigned(&float_f16, F16(a), 0xffff))
CORE(v_cvt_i16_f16, to_signed(&float_f16, F16(a), FLOAT_ZERO, 16))
CORE(v_cvt_norm_i16_f16, normal_signed(&float_f16, F16(a)))
CORE(v_cvt_norm_u16_f16, normal_unsigned(&float_f16, F16(a)))
CORE(v_cvt_pknorm_i16_f16, normal_signed(&float_f16, F16(a)) | normal_signed(&float_f16, F16(b))
								       << 16)
CORE(v_cvt_pknorm_u16_f16, normal_unsigned(&float_f16, F16(a)) | normal_unsigned(&float_f16, F16(b))
									 << 16)
CORE(v_cvt_pknorm_i16_f32, normal_signed(&float_f32, a) | normal_signed(&float_f32, b) << 16)
CORE(v_cvt_pknorm_u16_f32, normal_unsigned(&float_f32, a) | normal_unsigned(&float_f32, b) << 16)
CORE(v_cvt_pkrtz_f16_f32, (uint32_t)float_convert(&float_f32, &float_f16, a, FLOAT_ZERO) |
				  (uint32_t)float_convert(&float_f32, &float_f16, b, FLOAT_ZERO)
					  << 16)
CORE(v_cvt_pk_u8_f32, put_byte(a, b, c))

#define H(name) {AMD_##name, amd_run_vector, core_##name, 0}
const struct handler amd_handlers_convert[] = {
	H(v_cvt_f32_i32),        H(v_cvt_f32_u32),
	H(v_cvt_u32_f32),        H(v_cvt_i32_f32),
	H(v_cvt_f16_f32),        H(v_cvt_f32_f16),
	H(v_cvt_flr_i32_f32),    H(v_cvt_rpi_i32_f32),
	H(v_cvt_off_f32_i4),     H(v_cvt_f32_ubyte0),
	H(v_cvt_f32_ubyte1),     H(v_cvt_f32_ubyte2),
	H(v_cvt_f32_ubyte3),     H(v_cvt_i32_f64),
	H(v_cvt_u32_f64),        H(v_cvt_f32_f64),
	H(v_cvt_f64_f32),        H(v_cvt_f64_i32),
	H(v_cvt_f64_u32),        H(v_cvt_f16_u16),
	H(v_cvt_f16_i16),        H(v_cvt_u16_f16),
	H(v_cvt_i16_f16),        H(v_cvt_norm_i16_f16),
	H(v_cvt_norm_u16_f16),   H(v_cvt_pknorm_i16_f16),
	H(v_cvt_pknorm_u16_f16), H(v_cvt_pknorm_i16_f32),
	H(v_cvt_pknorm_u16_f32), H(v_cvt_pkrtz_f16_f32),
	H(v_cvt_pk_u8_f32),      HANDLERS_END,
};
