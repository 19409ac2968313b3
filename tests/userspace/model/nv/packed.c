// SPDX-License-Identifier: MIT
/* Packed arithmetic: halves, pairs of 16-bit integers, bytes; and minima with xorsign. The
 * references widen halves to doubles, where comparison is exact, and round by searching for the
 * nearest value. They use nothing of the model's arithmetic. */
#include <math.h>

#include "tests/userspace/model/nv/_alu.h"

/* Halves. */

static double half_value(uint32_t bits, bool bf16)
{
	int exponent = bf16 ? (int)(bits >> 7 & 0xff) : (int)(bits >> 10 & 0x1f),
	    most = bf16 ? 0xff : 0x1f;
	int mantissa = bf16 ? bits & 0x7f : bits & 0x3ff, mantissa_bits = bf16 ? 7 : 10,
	    bias = bf16 ? 127 : 15;
	double x;

	if (exponent == most)
		x = mantissa ? NAN : INFINITY;
	else if (exponent)
		x = ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
	else
		x = ldexp(mantissa, 1 - bias - mantissa_bits);
	return bits & 0x8000 ? -x : x;
}

static bool is_bf16(const struct row *r)
{
	return MOD(HFORMAT) == SASS_HALF_BF16;
}

/* Half k of an operand after swizzle and modifiers. */
static uint32_t half_of(const struct row *r, uint64_t raw, uint8_t flags, uint32_t k)
{
	uint32_t h = (uint32_t)raw >> 16 * k & 0xffff;
	double x;

	if (flags & SASS_ABS)
		h &= 0x7fff;
	if (flags & SASS_NEG)
		h ^= 0x8000;
	x = half_value(h, is_bf16(r));
	if (MOD(FTZ) && x != 0 && fabs(x) < (is_bf16(r) ? 0x1p-126 : 0x1p-14))
		h &= 0x8000;
	return h;
}

static uint32_t smaller(const struct row *r, uint32_t a, uint32_t b, bool min)
{
	double x = half_value(a, is_bf16(r)), y = half_value(b, is_bf16(r));

	if (isnan(x) || isnan(y))
		return MOD(NAN) || (isnan(x) && isnan(y)) ? 0x7fff : isnan(x) ? b : a;
	if (x == 0 && y == 0) /* -0 is the smaller zero */
		return min ? a | b : a & b;
	return (x < y) == min ? a : b;
}

static void half_minmax(const struct row *r, const struct values *v, struct answer *o)
{
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t x = smaller(r, half_of(r, v->a, v->flags[0], k),
				     half_of(r, v->b, v->flags[1], k), v->x);

		if (MOD(XORSIGN) && !isnan(half_value(x, is_bf16(r))))
			x = (x & 0x7fff) | ((uint32_t)(v->a ^ v->b) >> 16 * k & 0x8000);
		o->d |= (uint64_t)x << 16 * k;
	}
}

static bool half_holds(const struct row *r, const struct values *v, uint32_t k)
{
	double x = half_value(half_of(r, v->a, v->flags[0], k), is_bf16(r));
	double y = half_value(half_of(r, v->b, v->flags[1], k), is_bf16(r));
	uint32_t is = isnan(x) || isnan(y) ? 8 : x < y ? 1 : x == y ? 2 : 4;
	bool holds = MOD(CMP) & is;

	return MOD(BOOL) == SASS_OR    ? holds || v->x
	       : MOD(BOOL) == SASS_XOR ? holds != v->x
				       : holds && v->x;
}

static void half_compare(const struct row *r, const struct values *v, struct answer *o)
{
	o->p = half_holds(r, v, 0);
	o->q = half_holds(r, v, 1);
}

static void half_set(const struct row *r, const struct values *v, struct answer *o)
{
	uint64_t yes = !MOD(BF) ? 0xffff : is_bf16(r) ? 0x3f80 : 0x3c00;

	for (uint32_t k = 0; k < 2; k++)
		o->d |= half_holds(r, v, k) ? yes << 16 * k : 0;
}

/* The half nearest to a float, or the one below it in magnitude: by bisection over all of them. */
static uint32_t to_half(const struct row *r, uint32_t bits)
{
	uint32_t low = 0, high = is_bf16(r) ? 0x7f80 : 0x7c00, sign = bits >> 16 & 0x8000;
	double below, above;
	float f;
	double x;

	memcpy(&f, &bits, 4);
	x = fabs((double)f);
	if (isnan(x))
		return 0x7fff;
	if (MOD(RELU) && sign)
		return 0;
	if (isinf(x))
		return sign | high;
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (half_value(middle, is_bf16(r)) <= x)
			low = middle;
		else
			high = middle;
	}
	below = half_value(low, is_bf16(r));
	above = high == (is_bf16(r) ? 0x7f80u : 0x7c00u)
			? 2 * below - half_value(low - 1, is_bf16(r))
			: half_value(high, is_bf16(r));
	if (MOD(RND) == SASS_RZ_MODE || x - below < above - x ||
	    (x - below == above - x && !(low & 1)))
		return sign | low;
	return sign | high;
}

static void pack(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = (uint64_t)to_half(r, (uint32_t)v->a) << 16 | to_half(r, (uint32_t)v->b);
}

static void merge(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = (v->b << 16 & 0xffff0000) | to_half(r, (uint32_t)v->a);
}

/* 8-bit floats: the nearest of all; of two, the even one. */

static double byte_value(const struct row *r, uint32_t bits)
{
	bool e4m3 = MOD(HFORMAT) == SASS_HALF_E4M3;
	int mantissa_bits = e4m3 ? 3 : 2, lowest = e4m3 ? -6 : -14,
	    exponent = (int)(bits >> mantissa_bits);
	double m = bits & ((1u << mantissa_bits) - 1);

	if (e4m3 ? bits == 0x7f : bits >= 0x7c)
		return bits == 0x7c ? INFINITY : NAN;
	return exponent ? ldexp(m + (1 << mantissa_bits), exponent - 1 + lowest - mantissa_bits)
			: ldexp(m, lowest - mantissa_bits);
}

static uint32_t to_byte(const struct row *r, double x)
{
	uint32_t greatest = MOD(HFORMAT) == SASS_HALF_E4M3 ? 0x7e : 0x7b, best = 0;

	if (isnan(x))
		return 0x7f;
	if (MOD(RELU) && signbit(x))
		return 0;
	if (fabs(x) > byte_value(r, greatest)) /* avoids equal distances from a very large value */
		x = copysign(byte_value(r, greatest), x);
	for (uint32_t k = 1; k <= greatest; k++) {
		double now = fabs(fabs(x) - byte_value(r, k)),
		       before = fabs(fabs(x) - byte_value(r, best));

		if (now < before || (now == before && !(k & 1)))
			best = k;
	}
	return best | (signbit(x) ? 0x80 : 0);
}

static void singles_to_bytes(const struct row *r, const struct values *v, struct answer *o)
{
	float a, b;

	memcpy(&a, &v->a, 4);
	memcpy(&b, &v->b, 4);
	o->d = (v->c << 16 & 0xffff0000) | to_byte(r, (double)a) << 8 | to_byte(r, (double)b);
}

static void halves_to_bytes(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = (v->b << 16 & 0xffff0000) | to_byte(r, half_value(v->a >> 16 & 0xffff, false)) << 8 |
	       to_byte(r, half_value(v->a & 0xffff, false));
}

/* Every 8-bit float has an exact half. */
static void bytes_to_halves(const struct row *r, const struct values *v, struct answer *o)
{
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t bits = v->a >> 8 * k & 0xff, h = 0;
		double x = byte_value(r, bits & 0x7f);

		while (!isnan(x) && half_value(h, false) != x)
			h++;
		h = isnan(x) ? 0x7fff : bits & 0x80 ? (MOD(RELU) ? 0 : h | 0x8000) : h;
		o->d |= (uint64_t)h << 16 * k;
	}
}

/* Integers. */

static void dot_2(const struct row *r, const struct values *v, struct answer *o)
{
	int64_t sum = (uint32_t)v->c;

	for (uint32_t k = 0; k < 2; k++) {
		uint32_t a = (uint32_t)v->a >> 16 * k & 0xffff,
			 b = (uint32_t)v->b >> (16 * !!MOD(HI) + 8 * k) & 0xff;
		uint8_t how = MOD(DOT);

		sum += (how == SASS_DOT_S8_U8 || how == SASS_DOT_S8_S8 ? (int16_t)a : (int64_t)a) *
		       (how == SASS_DOT_U8_S8 || how == SASS_DOT_S8_S8 ? (int8_t)b : (int64_t)b);
	}
	o->d = (uint32_t)sum;
}

static void add_pairs(const struct row *r, const struct values *v, struct answer *o)
{
	int sign = v->flags[1] & SASS_NEG ? -1 : 1;

	(void)r;
	for (uint32_t k = 0; k < 32; k += 16)
		o->d |= (uint64_t)(uint16_t)((int)(v->a >> k & 0xffff) +
					     sign * (int)(v->b >> k & 0xffff))
			<< k;
}

static void minmax_pairs(const struct row *r, const struct values *v, struct answer *o)
{
	for (uint32_t k = 0; k < 32; k += 16) {
		int a = MOD(SIGNED) ? (int16_t)(v->a >> k) : (int)(v->a >> k & 0xffff);
		int b = MOD(SIGNED) ? (int16_t)(v->b >> k) : (int)(v->b >> k & 0xffff);
		int x = v->x ? (a < b ? a : b) : (a > b ? a : b);

		o->d |= (uint64_t)(uint16_t)(MOD(RELU) && x < 0 ? 0 : x) << k;
	}
}

/* Of the answer so far and the third source. */
static void minmax_with_third(const struct row *r, const struct values *v, struct answer *o)
{
	struct values w = *v;

	w.a = o->d;
	w.b = v->c;
	o->d = 0;
	minmax_pairs(r, &w, o);
}

static void minmax_triples(const struct row *r, const struct values *v, struct answer *o)
{
	minmax_pairs(r, v, o);
	minmax_with_third(r, v, o);
}

static void add_minmax_pairs(const struct row *r, const struct values *v, struct answer *o)
{
	add_pairs(r, v, o);
	minmax_with_third(r, v, o);
}

static void distances(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t sum = (uint32_t)v->c;

	for (uint32_t k = 0; k < 32; k += 8)
		sum += (uint32_t)abs(MOD(SIGNED)
					     ? (int8_t)(v->a >> k) - (int8_t)(v->b >> k)
					     : (int)(v->a >> k & 0xff) - (int)(v->b >> k & 0xff));
	o->d = sum;
}

/* The third source has no effect. */
static void byte_distances(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	for (uint32_t k = 0; k < 32; k += 8)
		o->d |= (uint64_t)abs((int)(v->a >> k & 0xff) - (int)(v->b >> k & 0xff)) << k;
}

static void signs(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t i =
		((uint32_t)v->a >> 31) << 2 | ((uint32_t)v->b >> 31) << 1 | (uint32_t)v->c >> 31;

	o->p = r->imm >> i & 1;
	o->q = r->imm >> (8 + i) & 1;
}

static uint32_t byte_of(const struct row *r, uint32_t bits)
{
	int least = MOD(DTYPE) == SASS_TYPE_S8 ? -128 : 0, most = least + 255;
	float f;
	double x;

	memcpy(&f, &bits, 4);
	if (isnan(f))
		return 0;
	x = MOD(RND) == SASS_RZ_MODE ? trunc(f) : rint(f);
	return (uint32_t)(x < least ? least : x > most ? most : (int)x) & 0xff;
}

static void to_bytes(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = (v->c << 16 & 0xffff0000) | byte_of(r, (uint32_t)v->a) << 8 |
	       byte_of(r, (uint32_t)v->b);
}

#define M(m)   SASS_M_##m
#define BF16   {M(HFORMAT), SASS_HALF_BF16}
#define E4M3   {M(HFORMAT), SASS_HALF_E4M3}
#define E5M2   {M(HFORMAT), SASS_HALF_E5M2}
#define FINITE {M(SAT), 1}
#define NA     (SASS_NEG | SASS_ABS)
#define NTZ    {M(NTZ), 1}

static const struct row rows[] = {
	{"HMNMX2", SASS_HMNMX2, "dabx", NA, half_minmax, {{0}}, 0, 0},
	{"HMNMX2.FTZ.NAN", SASS_HMNMX2, "dabx", NA, half_minmax, {{M(FTZ), 1}, {M(NAN), 1}}, 0, 0},
	{"HMNMX2.BF16_V2", SASS_HMNMX2, "dabx", NA, half_minmax, {BF16}, 0, 0},
	{"HMNMX2.BF16_V2.NAN.XORSIGN",
	 SASS_HMNMX2,
	 "dabx",
	 SASS_ABS,
	 half_minmax,
	 {BF16, {M(NAN), 1}, {M(XORSIGN), 1}},
	 0,
	 1},
	{"HSETP2.LT.AND", SASS_HSETP2, "pqabx", NA, half_compare, {{M(CMP), SASS_CMP_LT}}, 0, 0},
	{"HSETP2.GEU.FTZ.XOR",
	 SASS_HSETP2,
	 "pqabx",
	 NA,
	 half_compare,
	 {{M(CMP), SASS_CMP_GEU}, {M(FTZ), 1}, {M(BOOL), SASS_XOR}},
	 0,
	 0},
	{"HSETP2.BF16_V2.NAN.OR",
	 SASS_HSETP2,
	 "pqabx",
	 NA,
	 half_compare,
	 {BF16, {M(CMP), SASS_CMP_NAN}, {M(BOOL), SASS_OR}},
	 0,
	 1},
	{"HSET2.EQ.AND", SASS_HSET2, "dabx", NA, half_set, {{M(CMP), SASS_CMP_EQ}}, 0, 0},
	{"HSET2.BF.NEU.OR",
	 SASS_HSET2,
	 "dabx",
	 NA,
	 half_set,
	 {{M(CMP), SASS_CMP_NEU}, {M(BF), 1}, {M(BOOL), SASS_OR}},
	 0,
	 0},
	{"HSET2.BF16_V2.BF.LEU.AND",
	 SASS_HSET2,
	 "dabx",
	 NA,
	 half_set,
	 {BF16, {M(CMP), SASS_CMP_LEU}, {M(BF), 1}},
	 0,
	 1},
	{"F2FP.F16.PACK_AB", SASS_F2FP, "dab", 0, pack, {{0}}, 0, 0},
	{"F2FP.BF16.PACK_AB.RZ", SASS_F2FP, "dab", 0, pack, {BF16, {M(RND), SASS_RZ_MODE}}, 0, 0},
	{"F2FP.RELU.F16.MERGE_C", SASS_F2FP_MERGE, "dab", 0, merge, {{M(RELU), 1}}, 0, 0},
	{"F2FP.BF16.MERGE_C.RZ",
	 SASS_F2FP_MERGE,
	 "dab",
	 0,
	 merge,
	 {BF16, {M(RND), SASS_RZ_MODE}},
	 0,
	 0},
	{"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C",
	 SASS_F2FP_SINGLES,
	 "dabc",
	 0,
	 singles_to_bytes,
	 {E4M3, FINITE},
	 0,
	 1},
	{"F2FP.SATFINITE.RELU.E5M2.F32.PACK_AB_MERGE_C",
	 SASS_F2FP_SINGLES,
	 "dabc",
	 0,
	 singles_to_bytes,
	 {E5M2, FINITE, {M(RELU), 1}},
	 0,
	 1},
	{"F2FP.SATFINITE.RELU.E4M3.F16.UNPACK_B_MERGE_C",
	 SASS_F2FP_HALVES,
	 "dab",
	 0,
	 halves_to_bytes,
	 {E4M3, FINITE, {M(RELU), 1}},
	 0,
	 1},
	{"F2FP.SATFINITE.E5M2.F16.UNPACK_B_MERGE_C",
	 SASS_F2FP_HALVES,
	 "dab",
	 0,
	 halves_to_bytes,
	 {E5M2, FINITE},
	 0,
	 1},
	{"F2FP.F16.E4M3.UNPACK_B", SASS_F2FP_UNPACK, "da", 0, bytes_to_halves, {E4M3}, 0, 1},
	{"F2FP.RELU.F16.E5M2.UNPACK_B",
	 SASS_F2FP_UNPACK,
	 "da",
	 0,
	 bytes_to_halves,
	 {E5M2, {M(RELU), 1}},
	 0,
	 1},
	{"IDP.2A.LO.U16.U8", SASS_IDP_2A, "dabc", 0, dot_2, {{0}}, 0, 0},
	{"IDP.2A.HI.S16.U8",
	 SASS_IDP_2A,
	 "dabc",
	 0,
	 dot_2,
	 {{M(HI), 1}, {M(DOT), SASS_DOT_S8_U8}},
	 0,
	 0},
	{"IDP.2A.HI.S16.S8",
	 SASS_IDP_2A,
	 "dabc",
	 0,
	 dot_2,
	 {{M(HI), 1}, {M(DOT), SASS_DOT_S8_S8}},
	 0,
	 0},
	{"VABSDIFF4.U8.ACC", SASS_VABSDIFF4, "dabc", 0, distances, {{M(ACC), 1}}, 0, 0},
	{"VABSDIFF4.ACC",
	 SASS_VABSDIFF4,
	 "dabc",
	 0,
	 distances,
	 {{M(ACC), 1}, {M(SIGNED), 1}},
	 0,
	 0},
	{"VABSDIFF4.U8", SASS_VABSDIFF4, "dabc", 0, byte_distances, {{0}}, 0, 0},
	{"VIADD.16x2", SASS_VIADD_16X2, "dab", 0, add_pairs, {{0}}, 0, 1},
	{"VIMNMX.U16x2", SASS_VIMNMX_16X2, "dabx", 0, minmax_pairs, {{0}}, 0, 1},
	{"VIMNMX.S16x2.RELU",
	 SASS_VIMNMX_16X2,
	 "dabx",
	 0,
	 minmax_pairs,
	 {{M(SIGNED), 1}, {M(RELU), 1}},
	 0,
	 1},
	{"VIMNMX3.U16x2", SASS_VIMNMX3_16X2, "dabcx", 0, minmax_triples, {{0}}, 0, 1},
	{"VIMNMX3.S16x2.RELU",
	 SASS_VIMNMX3_16X2,
	 "dabcx",
	 0,
	 minmax_triples,
	 {{M(SIGNED), 1}, {M(RELU), 1}},
	 0,
	 1},
	{"VIADDMNMX.U16x2", SASS_VIADDMNMX_16X2, "dabcx", 0, add_minmax_pairs, {{0}}, 0, 1},
	{"VIADDMNMX.S16x2.RELU",
	 SASS_VIADDMNMX_16X2,
	 "dabcx",
	 0,
	 add_minmax_pairs,
	 {{M(SIGNED), 1}, {M(RELU), 1}},
	 0,
	 1},
	{"PLOP3 of signs", SASS_PLOP3_SIGN, "pqabcij", 0, signs, {{0}}, 0x4296, 0},
	{"F2IP.U8.F32.TRUNC.NTZ",
	 SASS_F2IP,
	 "dabc",
	 0,
	 to_bytes,
	 {{M(DTYPE), SASS_TYPE_U8}, {M(RND), SASS_RZ_MODE}, NTZ},
	 0,
	 1},
	{"F2IP.S8.F32.NTZ", SASS_F2IP, "dabc", 0, to_bytes, {{M(DTYPE), SASS_TYPE_S8}, NTZ}, 0, 1},
};

int main(void)
{
	return alu_main(rows, sizeof(rows) / sizeof(rows[0]));
}
