// SPDX-License-Identifier: MIT
/* Vector instructions on integers and bits. With CLAMP results saturate; subrev and the "rev"
 * shifts have swapped operands. */
#include "model/amd/wave.h"

#define CLAMPS (op->in.field[AMD_F_CLAMP])

/* Computes d from a, b, c in every lane; old is the previous value of d. */
#define CORE(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t *d = o->d[0]; \
		const uint32_t *s0 = o->s[0][0], *s1 = o->s[1][0], *s2 = o->s[2][0]; \
		(void)op; \
		EACH_LANE(i) { \
			uint32_t a = s0[i], b = s1[i], c = s2[i]; \
			(void)a, (void)b, (void)c; \
			d[i] = (expression); \
		} \
	}
/* 64-bit destination. */
#define WIDE(s, i) ((s)[0][i] | (uint64_t)(s)[1][i] << 32)
#define CORE64(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		(void)op; \
		EACH_LANE(i) { \
			uint32_t a = o->s[0][0][i]; \
			uint64_t b = WIDE(o->s[1], i), d = (expression); \
			o->d[0][i] = (uint32_t)d; \
			o->d[1][i] = (uint32_t)(d >> 32); \
		} \
	}
/* An addition or subtraction with a lane mask as carry. */
#define CARRIES(name, result, carried) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t in = o->carry, out = 0; \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint64_t a = o->s[0][0][i], b = o->s[1][0][i], c = in >> i & 1; \
			uint64_t d = (result); \
			bool over = (carried); \
			(void)c; \
			o->d[0][i] = !CLAMPS || !over ? (uint32_t)d : SATURATED_##name; \
			out |= (uint32_t)over << i; \
		} \
		o->carry = out; \
	}

static inline uint32_t sext24(uint32_t x)
{
	return (uint32_t)((int32_t)(x << 8) >> 8);
}

static uint32_t limit_unsigned(bool clamps, uint64_t x)
{
	return clamps && x > 0xffffffff ? 0xffffffff : (uint32_t)x;
}

static uint32_t limit_signed(bool clamps, int64_t x)
{
	if (clamps && x > INT32_MAX)
		return 0x7fffffff;
	return clamps && x < INT32_MIN ? 0x80000000 : (uint32_t)x;
}

static uint32_t limit16(bool clamps, uint32_t x)
{
	return clamps && x > 0xffff ? 0xffff : x & 0xffff;
}

static uint32_t limit16_signed(bool clamps, int32_t x)
{
	if (clamps && x > INT16_MAX)
		return 0x7fff;
	return clamps && x < INT16_MIN ? 0x8000 : (uint32_t)x & 0xffff;
}

#define S(x)  ((int32_t)(x))
#define U16(x) ((x) & 0xffff)
#define S16(x) ((int32_t)(int16_t)(x))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
	return MAX(MIN(a, b), MIN(MAX(a, b), c));
}

static int32_t median_signed(int32_t a, int32_t b, int32_t c)
{
	return MAX(MIN(a, b), MIN(MAX(a, b), c));
}

static uint32_t field_unsigned(uint32_t a, uint32_t b, uint32_t c)
{
	b &= 31;
	c &= 31;
	return a >> b & ((1u << c) - 1);
}

static uint32_t field_signed(uint32_t a, uint32_t b, uint32_t c)
{
	b &= 31;
	c &= 31;
	if (!c)
		return 0;
	return b + c < 32 ? (uint32_t)(S(a << (32 - b - c)) >> (32 - c)) : (uint32_t)(S(a) >> b);
}

/* Byte sel of {a, b}: 0–3 b, 4–7 a; 8–11 signs, 12 zero, above all ones. */
static uint32_t pick_byte(uint32_t a, uint32_t b, uint32_t sel)
{
	uint64_t both = b | (uint64_t)a << 32;

	if (sel < 8)
		return both >> (8 * sel) & 0xff;
	if (sel < 12)
		return both >> (16 * (sel - 8) + 15) & 1 ? 0xff : 0;
	return sel == 12 ? 0 : 0xff;
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;

	for (uint32_t k = 0; k < 4; k++)
		d |= pick_byte(a, b, c >> (8 * k) & 0xff) << (8 * k);
	return d;
}

static uint32_t distance8(uint32_t a, uint32_t b, bool masked)
{
	uint32_t d = 0;

	for (uint32_t k = 0; k < 32; k += 8) {
		int32_t x = (int32_t)(a >> k & 0xff), y = (int32_t)(b >> k & 0xff);

		if (!masked || y)
			d += (uint32_t)(x > y ? x - y : y - x);
	}
	return d;
}

static uint32_t distance16(uint32_t a, uint32_t b)
{
	uint32_t low = U16(a) > U16(b) ? U16(a) - U16(b) : U16(b) - U16(a);
	uint32_t high = a >> 16 > b >> 16 ? (a >> 16) - (b >> 16) : (b >> 16) - (a >> 16);

	return low + high;
}

static uint32_t average8(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;

	for (uint32_t k = 0; k < 32; k += 8)
		d |= ((a >> k & 0xff) + (b >> k & 0xff) + (c >> k & 1)) >> 1 << k;
	return d;
}

static uint32_t reverse(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

static uint32_t sign_length(uint32_t x)
{
	uint32_t y = S(x) < 0 ? ~x : x;

	return y ? (uint32_t)__builtin_clz(y) : ~0u;
}

static int64_t dot8(uint32_t a, uint32_t b, bool is_signed)
{
	int64_t d = 0;

	for (uint32_t k = 0; k < 32; k += 8)
		d += is_signed ? (int64_t)(int8_t)(a >> k) * (int8_t)(b >> k) :
				 (int64_t)((a >> k & 0xff) * (b >> k & 0xff));
	return d;
}

static int64_t dot4(uint32_t a, uint32_t b, bool is_signed)
{
	int64_t d = 0;

	for (uint32_t k = 0; k < 32; k += 4) {
		int64_t x = a >> k & 15, y = b >> k & 15;

		d += is_signed ? (x - (x & 8) * 2) * (y - (y & 8) * 2) : x * y;
	}
	return d;
}

static int64_t dot16(uint32_t a, uint32_t b, bool is_signed)
{
	return is_signed ? (int64_t)S16(a) * S16(b) + (int64_t)S16(a >> 16) * S16(b >> 16) :
			   (int64_t)U16(a) * U16(b) + (int64_t)(a >> 16) * (b >> 16);
}

static uint32_t saturate_byte(uint32_t x)
{
	int32_t v = S16(x);

	return (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

CORE(v_mov_b32, a)
CORE(v_not_b32, ~a)
CORE(v_bfrev_b32, reverse(a))
CORE(v_ffbh_u32, a ? (uint32_t)__builtin_clz(a) : ~0u)
CORE(v_ffbl_b32, a ? (uint32_t)__builtin_ctz(a) : ~0u)
CORE(v_ffbh_i32, sign_length(a))
CORE(v_sat_pk_u8_i16, saturate_byte(a) | saturate_byte(a >> 16) << 8)
CORE(v_cndmask_b32, o->carry >> i & 1 ? b : a)
CORE(v_mul_i32_i24, limit_signed(CLAMPS, (int64_t)S(sext24(a)) * S(sext24(b))))
CORE(v_mul_hi_i32_i24, (uint32_t)((int64_t)S(sext24(a)) * S(sext24(b)) >> 32))
CORE(v_mul_u32_u24, limit_unsigned(CLAMPS, (uint64_t)(a & 0xffffff) * (b & 0xffffff)))
CORE(v_mul_hi_u32_u24, (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32))
CORE(v_dot4c_i32_i8, (uint32_t)(dot8(a, b, true) + S(d[i])))
CORE(v_min_i32, (uint32_t)MIN(S(a), S(b)))
CORE(v_max_i32, (uint32_t)MAX(S(a), S(b)))
CORE(v_min_u32, MIN(a, b))
CORE(v_max_u32, MAX(a, b))
CORE(v_lshrrev_b32, b >> (a & 31))
CORE(v_ashrrev_i32, (uint32_t)(S(b) >> (a & 31)))
CORE(v_lshlrev_b32, b << (a & 31))
CORE(v_and_b32, a & b)
CORE(v_or_b32, a | b)
CORE(v_xor_b32, a ^ b)
CORE(v_xnor_b32, ~(a ^ b))
CORE(v_add_nc_u32, limit_unsigned(CLAMPS, (uint64_t)a + b))
CORE(v_sub_nc_u32, CLAMPS && b > a ? 0 : a - b)
CORE(v_subrev_nc_u32, CLAMPS && a > b ? 0 : b - a)
CORE(v_mad_i32_i24, limit_signed(CLAMPS, (int64_t)S(sext24(a)) * S(sext24(b)) + S(c)))
CORE(v_mad_u32_u24, limit_unsigned(CLAMPS, (uint64_t)(a & 0xffffff) * (b & 0xffffff) + c))
CORE(v_bfe_u32, field_unsigned(a, b, c))
CORE(v_bfe_i32, field_signed(a, b, c))
CORE(v_bfi_b32, (a & b) | (~a & c))
CORE(v_lerp_u8, average8(a, b, c))
CORE(v_alignbit_b32, (uint32_t)((b | (uint64_t)a << 32) >> (c & 31)))
CORE(v_alignbyte_b32, (uint32_t)((b | (uint64_t)a << 32) >> (8 * (c & 3))))
CORE(v_min3_i32, (uint32_t)MIN(MIN(S(a), S(b)), S(c)))
CORE(v_min3_u32, MIN(MIN(a, b), c))
CORE(v_max3_i32, (uint32_t)MAX(MAX(S(a), S(b)), S(c)))
CORE(v_max3_u32, MAX(MAX(a, b), c))
CORE(v_med3_i32, (uint32_t)median_signed(S(a), S(b), S(c)))
CORE(v_med3_u32, median(a, b, c))
CORE(v_sad_u8, limit_unsigned(CLAMPS, (uint64_t)distance8(a, b, false) + c))
CORE(v_sad_hi_u8, limit_unsigned(CLAMPS, ((uint64_t)distance8(a, b, false) << 16) + c))
CORE(v_sad_u16, limit_unsigned(CLAMPS, (uint64_t)distance16(a, b) + c))
CORE(v_sad_u32, limit_unsigned(CLAMPS, (uint64_t)(a > b ? a - b : b - a) + c))
CORE(v_msad_u8, limit_unsigned(CLAMPS, (uint64_t)distance8(a, b, true) + c))
CORE(v_mul_lo_u32, a * b)
CORE(v_mul_hi_u32, (uint32_t)((uint64_t)a * b >> 32))
CORE(v_mul_hi_i32, (uint32_t)((int64_t)S(a) * S(b) >> 32))
CORE(v_xor3_b32, a ^ b ^ c)
CORE(v_perm_b32, permute(a, b, c))
CORE(v_xad_u32, (a ^ b) + c)
CORE(v_lshl_add_u32, (a << (b & 31)) + c)
CORE(v_add_lshl_u32, (a + b) << (c & 31))
CORE(v_add3_u32, a + b + c)
CORE(v_lshl_or_b32, (a << (b & 31)) | c)
CORE(v_and_or_b32, (a & b) | c)
CORE(v_or3_b32, a | b | c)
CORE(v_add_nc_i32, limit_signed(CLAMPS, (int64_t)S(a) + S(b)))
CORE(v_sub_nc_i32, limit_signed(CLAMPS, (int64_t)S(a) - S(b)))
CORE(v_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))
CORE(v_bcnt_u32_b32, (uint32_t)__builtin_popcount(a) + b)
CORE(v_mbcnt_lo_u32_b32, (uint32_t)__builtin_popcount(a & ((1u << i) - 1)) + b)
CORE(v_mbcnt_hi_u32_b32, b) /* wave32 has no lanes above 31 */
CORE(v_cvt_pk_u16_u32, MIN(a, 0xffff) | MIN(b, 0xffff) << 16)
CORE(v_cvt_pk_i16_i32, limit16_signed(true, S(a)) | limit16_signed(true, S(b)) << 16)
/* 16 bits */
CORE(v_add_nc_u16, limit16(CLAMPS, U16(a) + U16(b)))
CORE(v_sub_nc_u16, CLAMPS && U16(b) > U16(a) ? 0 : U16(a - b))
CORE(v_mul_lo_u16, U16(U16(a) * U16(b)))
CORE(v_lshrrev_b16, U16(b) >> (a & 15))
CORE(v_ashrrev_i16, U16((uint32_t)(S16(b) >> (a & 15))))
CORE(v_lshlrev_b16, U16(b << (a & 15)))
CORE(v_max_u16, MAX(U16(a), U16(b)))
CORE(v_max_i16, U16((uint32_t)MAX(S16(a), S16(b))))
CORE(v_min_u16, MIN(U16(a), U16(b)))
CORE(v_min_i16, U16((uint32_t)MIN(S16(a), S16(b))))
CORE(v_add_nc_i16, limit16_signed(CLAMPS, S16(a) + S16(b)))
CORE(v_sub_nc_i16, limit16_signed(CLAMPS, S16(a) - S16(b)))
CORE(v_mad_u16, limit16(CLAMPS, U16(a) * U16(b) + U16(c)))
CORE(v_mad_i16, limit16_signed(CLAMPS, S16(a) * S16(b) + S16(c)))
CORE(v_mad_u32_u16, limit_unsigned(CLAMPS, (uint64_t)U16(a) * U16(b) + c))
CORE(v_mad_i32_i16, limit_signed(CLAMPS, (int64_t)S16(a) * S16(b) + S(c)))
CORE(v_min3_i16, U16((uint32_t)MIN(MIN(S16(a), S16(b)), S16(c))))
CORE(v_min3_u16, MIN(MIN(U16(a), U16(b)), U16(c)))
CORE(v_max3_i16, U16((uint32_t)MAX(MAX(S16(a), S16(b)), S16(c))))
CORE(v_max3_u16, MAX(MAX(U16(a), U16(b)), U16(c)))
CORE(v_med3_i16, U16((uint32_t)median_signed(S16(a), S16(b), S16(c))))
CORE(v_med3_u16, median(U16(a), U16(b), U16(c)))
/* Dot products. */
CORE(v_dot2_i32_i16, limit_signed(CLAMPS, dot16(a, b, true) + S(c)))
CORE(v_dot2_u32_u16, limit_unsigned(CLAMPS, (uint64_t)dot16(a, b, false) + c))
CORE(v_dot4_i32_i8, limit_signed(CLAMPS, dot8(a, b, true) + S(c)))
CORE(v_dot4_u32_u8, limit_unsigned(CLAMPS, (uint64_t)dot8(a, b, false) + c))
CORE(v_dot8_i32_i4, limit_signed(CLAMPS, dot4(a, b, true) + S(c)))
CORE(v_dot8_u32_u4, limit_unsigned(CLAMPS, (uint64_t)dot4(a, b, false) + c))

CORE64(v_lshlrev_b64, b << (a & 63))
CORE64(v_lshrrev_b64, b >> (a & 63))
CORE64(v_ashrrev_i64, (uint64_t)((int64_t)b >> (a & 63)))

#define SATURATED_v_add_co_u32       0xffffffff
#define SATURATED_v_add_co_ci_u32    0xffffffff
#define SATURATED_v_sub_co_u32       0
#define SATURATED_v_sub_co_ci_u32    0
#define SATURATED_v_subrev_co_u32    0
#define SATURATED_v_subrev_co_ci_u32 0
CARRIES(v_add_co_u32, a + b, d >> 32)
CARRIES(v_sub_co_u32, a - b, b > a)
CARRIES(v_subrev_co_u32, b - a, a > b)
CARRIES(v_add_co_ci_u32, a + b + c, d >> 32)
CARRIES(v_sub_co_ci_u32, a - b - c, b + c > a)
CARRIES(v_subrev_co_ci_u32, b - a - c, a + c > b)

/* 32 x 32 + 64 bits, with carry out. */
static void core_v_mad_u64_u32(const struct op *op, struct operands *o)
{
	bool is_signed = op->in.row->op == AMD_v_mad_i64_i32;
	uint32_t out = 0;

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = o->s[0][0][i], b = o->s[1][0][i];
		uint64_t c = WIDE(o->s[2], i);
		uint64_t p = is_signed ? (uint64_t)((int64_t)S(a) * S(b)) : (uint64_t)a * b;
		uint64_t d = p + c;
		bool over = is_signed ? (~(p ^ c) & (p ^ d)) >> 63 : d < p;

		o->d[0][i] = (uint32_t)d;
		o->d[1][i] = (uint32_t)(d >> 32);
		out |= (uint32_t)over << i;
	}
	o->carry = out;
}

/* Packed halves: op_sel and op_sel_hi select the source halves of each result half. */
#define PACKED(name, expression) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t low = (uint32_t)op->in.field[AMD_F_OP_SEL]; \
		uint32_t high = (uint32_t)op->in.field[AMD_F_OP_SEL_HI]; \
		bool clamps = CLAMPS; \
		(void)clamps; \
		for (uint32_t i = 0; i < LANES; i++) { \
			uint32_t both = 0; \
			for (uint32_t h = 0; h < 2; h++) { \
				uint32_t sel = h ? high : low; \
				uint32_t a = U16(o->s[0][0][i] >> (sel & 1) * 16); \
				uint32_t b = U16(o->s[1][0][i] >> (sel >> 1 & 1) * 16); \
				uint32_t c = U16(o->s[2][0][i] >> (sel >> 2 & 1) * 16); \
				(void)c; \
				both |= U16((uint32_t)(expression)) << (16 * h); \
			} \
			o->d[0][i] = both; \
		} \
	}
PACKED(v_pk_mad_i16, limit16_signed(clamps, S16(a) * S16(b) + S16(c)))
PACKED(v_pk_mad_u16, limit16(clamps, a * b + c))
PACKED(v_pk_mul_lo_u16, a * b)
PACKED(v_pk_add_i16, limit16_signed(clamps, S16(a) + S16(b)))
PACKED(v_pk_sub_i16, limit16_signed(clamps, S16(a) - S16(b)))
PACKED(v_pk_add_u16, limit16(clamps, a + b))
PACKED(v_pk_sub_u16, clamps && b > a ? 0 : a - b)
PACKED(v_pk_lshlrev_b16, b << (a & 15))
PACKED(v_pk_lshrrev_b16, b >> (a & 15))
PACKED(v_pk_ashrrev_i16, S16(b) >> (a & 15))
PACKED(v_pk_max_i16, MAX(S16(a), S16(b)))
PACKED(v_pk_min_i16, MIN(S16(a), S16(b)))
PACKED(v_pk_max_u16, MAX(a, b))
PACKED(v_pk_min_u16, MIN(a, b))

#define H(name) {AMD_##name, amd_run_vector, core_##name, 0}
const struct handler amd_handlers_integer[] = {
	H(v_mov_b32), H(v_not_b32), H(v_bfrev_b32), H(v_ffbh_u32), H(v_ffbl_b32), H(v_ffbh_i32),
	H(v_sat_pk_u8_i16), H(v_cndmask_b32), H(v_mul_i32_i24), H(v_mul_hi_i32_i24),
	H(v_mul_u32_u24), H(v_mul_hi_u32_u24), H(v_dot4c_i32_i8), H(v_min_i32), H(v_max_i32),
	H(v_min_u32), H(v_max_u32), H(v_lshrrev_b32), H(v_ashrrev_i32), H(v_lshlrev_b32),
	H(v_and_b32), H(v_or_b32), H(v_xor_b32), H(v_xnor_b32), H(v_add_nc_u32), H(v_sub_nc_u32),
	H(v_subrev_nc_u32), H(v_mad_i32_i24), H(v_mad_u32_u24), H(v_bfe_u32), H(v_bfe_i32),
	H(v_bfi_b32), H(v_lerp_u8), H(v_alignbit_b32), H(v_alignbyte_b32), H(v_min3_i32),
	H(v_min3_u32), H(v_max3_i32), H(v_max3_u32), H(v_med3_i32), H(v_med3_u32), H(v_sad_u8),
	H(v_sad_hi_u8), H(v_sad_u16), H(v_sad_u32), H(v_msad_u8), H(v_mul_lo_u32), H(v_mul_hi_u32),
	H(v_mul_hi_i32), H(v_xor3_b32), H(v_perm_b32), H(v_xad_u32), H(v_lshl_add_u32),
	H(v_add_lshl_u32), H(v_add3_u32), H(v_lshl_or_b32), H(v_and_or_b32), H(v_or3_b32),
	H(v_add_nc_i32), H(v_sub_nc_i32), H(v_bfm_b32), H(v_bcnt_u32_b32), H(v_mbcnt_lo_u32_b32),
	H(v_mbcnt_hi_u32_b32), H(v_cvt_pk_u16_u32), H(v_cvt_pk_i16_i32), H(v_add_nc_u16),
	H(v_sub_nc_u16), H(v_mul_lo_u16), H(v_lshrrev_b16), H(v_ashrrev_i16), H(v_lshlrev_b16),
	H(v_max_u16), H(v_max_i16), H(v_min_u16), H(v_min_i16), H(v_add_nc_i16), H(v_sub_nc_i16),
	H(v_mad_u16), H(v_mad_i16), H(v_mad_u32_u16), H(v_mad_i32_i16), H(v_min3_i16),
	H(v_min3_u16), H(v_max3_i16), H(v_max3_u16), H(v_med3_i16), H(v_med3_u16),
	H(v_dot2_i32_i16), H(v_dot2_u32_u16), H(v_dot4_i32_i8), H(v_dot4_u32_u8), H(v_dot8_i32_i4),
	H(v_dot8_u32_u4), H(v_lshlrev_b64), H(v_lshrrev_b64), H(v_ashrrev_i64), H(v_add_co_u32),
	H(v_sub_co_u32), H(v_subrev_co_u32), H(v_add_co_ci_u32), H(v_sub_co_ci_u32),
	H(v_subrev_co_ci_u32), H(v_mad_u64_u32),
	{AMD_v_mad_i64_i32, amd_run_vector, core_v_mad_u64_u32, 0},
	H(v_pk_mad_i16), H(v_pk_mad_u16), H(v_pk_mul_lo_u16), H(v_pk_add_i16), H(v_pk_sub_i16),
	H(v_pk_add_u16), H(v_pk_sub_u16), H(v_pk_lshlrev_b16), H(v_pk_lshrrev_b16),
	H(v_pk_ashrrev_i16), H(v_pk_max_i16), H(v_pk_min_i16), H(v_pk_max_u16), H(v_pk_min_u16),
	HANDLERS_END,
};
