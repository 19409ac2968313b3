// SPDX-License-Identifier: MIT
/* Arithmetic, instruction by instruction, against plain C. The references use host floats with the
 * rounding mode set, 128-bit integers and loops over bits; nothing of the model's arithmetic. */
#include <fenv.h>
#include <math.h>

#include "tests/userspace/model/nv/_alu.h"

/* Floats. */

static const int host_rounding[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static float f32(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static uint32_t f32_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return bits;
}

static double f64(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, 8);
	return d;
}

static uint64_t f64_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	return bits;
}

static uint32_t flush32(uint32_t x)
{
	return fpclassify(f32(x)) == FP_SUBNORMAL ? x & 0x80000000 : x;
}

/* An operand with its sign modifiers, flushed if the instruction has FTZ. */
static uint32_t in32(const struct row *r, uint64_t raw, uint8_t flags)
{
	uint32_t x = (uint32_t)raw;

	if (flags & SASS_ABS)
		x &= 0x7fffffff;
	if (flags & SASS_NEG)
		x ^= 0x80000000;
	return MOD(FTZ) ? flush32(x) : x;
}

static uint64_t in64(uint64_t x, uint8_t flags)
{
	if (flags & SASS_ABS)
		x &= INT64_MAX;
	return flags & SASS_NEG ? x ^ 1ull << 63 : x;
}

static uint32_t out32(const struct row *r, float f)
{
	uint32_t x = isnan(f) ? 0x7fffffff : f32_bits(f);

	if (MOD(FTZ))
		x = flush32(x);
	if (MOD(SAT))
		x = isnan(f) || f <= 0 ? 0 : f > 1 ? 0x3f800000 : x;
	return x;
}

static void float_op(const struct row *r, const struct values *v, struct answer *o)
{
	volatile float a = f32(in32(r, v->a, v->flags[0])), b = f32(in32(r, v->b, v->flags[1]));
	volatile float c = f32(in32(r, v->c, v->flags[2])), d;

	volatile float far; /* the same, scaled up so that no result is subnormal */

	fesetround(host_rounding[MOD(RND)]);
	d = r->op == SASS_FADD ? a + b : r->op == SASS_FMUL ? a * b : fmaf(a, b, c);
	far = r->op == SASS_FMUL ? a * 0x1p64f * b : fmaf(a * 0x1p64f, b, c * 0x1p64f);
	fesetround(FE_TONEAREST);
	if (MOD(FTZ) && r->op != SASS_FADD && fabsf(d) == 0x1p-126f && fabsf(far) < 0x1p-62f)
		d = copysignf(0, d);
	o->d = out32(r, d);
}

static void double_op(const struct row *r, const struct values *v, struct answer *o)
{
	volatile double a = f64(in64(v->a, v->flags[0])), b = f64(in64(v->b, v->flags[1]));
	volatile double c = f64(in64(v->c, v->flags[2])), d;

	fesetround(host_rounding[MOD(RND)]);
	d = r->op == SASS_DADD ? a + b : r->op == SASS_DMUL ? a * b : fma(a, b, c);
	fesetround(FE_TONEAREST);
	o->d = f64_bits(d);
	if (isnan(d)) { /* a NaN operand, made quiet, without modifiers (H200): b, else c, else a */
		uint64_t nan = isnan(b) ? v->b : isnan(c) && r->op == SASS_DFMA ? v->c : v->a;

		o->d = isnan(f64(nan)) ? nan | 1ull << 51 : 0xfff8000000000000;
	}
}

static bool holds(uint8_t cmp, bool less, bool equal, bool greater)
{
	bool unordered = !less && !equal && !greater;

	return (cmp & 1 && less) || (cmp & 2 && equal) || (cmp & 4 && greater) ||
	       (cmp & 8 && unordered);
}

static bool join(uint8_t how, bool a, bool b)
{
	return how == SASS_AND ? a && b : how == SASS_OR ? a || b : a != b;
}

static void float_compare(const struct row *r, const struct values *v, struct answer *o)
{
	float a = f32(in32(r, v->a, v->flags[0])), b = f32(in32(r, v->b, v->flags[1]));
	bool yes = holds(MOD(CMP), a < b, a == b, a > b);

	o->p = join(MOD(BOOL), yes, v->x);
	o->q = join(MOD(BOOL), !yes, v->x);
	if (r->op == SASS_FSET) {
		o->d = o->p ? 0x3f800000 : 0;
		o->p = o->q = false;
	}
}

static void double_compare(const struct row *r, const struct values *v, struct answer *o)
{
	double a = f64(in64(v->a, v->flags[0])), b = f64(in64(v->b, v->flags[1]));
	bool yes = holds(MOD(CMP), a < b, a == b, a > b);

	o->p = join(MOD(BOOL), yes, v->x);
	o->q = join(MOD(BOOL), !yes, v->x);
}

/* p: a is the smaller (larger) one, where a number wins over a NaN; q: both are NaN. */
static void double_minmax(const struct row *r, const struct values *v, struct answer *o)
{
	double a = f64(in64(v->a, v->flags[0])), b = f64(in64(v->b, v->flags[1]));
	bool max = MOD(CMP) == SASS_CMP_T, zeros = a == 0 && b == 0;
	bool first = zeros ? !!signbit(a) != !!signbit(b) && !!signbit(a) != max
		     : max ? a > b
			   : a < b;

	o->p = v->x && !isnan(a) && (isnan(b) || first);
	o->q = v->x && isnan(a) && isnan(b);
}

static void float_minmax(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t a = in32(r, v->a, v->flags[0]), b = in32(r, v->b, v->flags[1]);
	float x = f32(a), y = f32(b);
	bool first = x < y || (x == y && signbit(x) && !signbit(y));

	if (isnan(x) || isnan(y))
		o->d = MOD(NAN) || (isnan(x) && isnan(y)) ? 0x7fffffff : isnan(x) ? b : a;
	else
		o->d = first == v->x ? a : b;
}

static void float_select(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = v->x ? in32(r, v->a, v->flags[0]) : in32(r, v->b, v->flags[1]);
}

/* Conversions. */

static uint8_t bits_of(uint8_t type)
{
	static const uint8_t bits[] = {
		[SASS_TYPE_U8] = 8,   [SASS_TYPE_S8] = 8,   [SASS_TYPE_U16] = 16,
		[SASS_TYPE_S16] = 16, [SASS_TYPE_U32] = 32, [SASS_TYPE_S32] = 32,
		[SASS_TYPE_U64] = 64, [SASS_TYPE_S64] = 64, [SASS_TYPE_F32] = 32,
		[SASS_TYPE_F64] = 64,
	};

	return bits[type];
}

static bool is_signed(uint8_t type)
{
	return type == SASS_TYPE_S8 || type == SASS_TYPE_S16 || type == SASS_TYPE_S32 ||
	       type == SASS_TYPE_S64;
}

static uint64_t narrow(uint64_t x, uint8_t bits)
{
	return bits == 64 ? x : x & ((1ull << bits) - 1);
}

static void integer_to_float(const struct row *r, const struct values *v, struct answer *o)
{
	uint8_t type = MOD(STYPE), n = bits_of(type);
	uint64_t raw = narrow(v->a, n);
	int64_t s = n == 64 ? (int64_t)raw : (int64_t)(raw << (64 - n)) >> (64 - n);
	volatile uint64_t u = raw;
	volatile int64_t i = s;
	volatile double d;
	volatile float f;

	fesetround(host_rounding[MOD(RND)]);
	d = is_signed(type) ? (double)i : (double)u;
	f = is_signed(type) ? (float)i : (float)u;
	fesetround(FE_TONEAREST);
	o->d = r->op == SASS_I2F && MOD(DTYPE) == SASS_TYPE_F64 ? f64_bits(d) : f32_bits(f);
}

static void float_to_integer(const struct row *r, const struct values *v, struct answer *o)
{
	uint8_t to = MOD(DTYPE), n = bits_of(to);
	bool wide = MOD(STYPE) == SASS_TYPE_F64;
	volatile double x = wide ? f64(in64(v->a, v->flags[0])) : f32(in32(r, v->a, v->flags[0])),
			y;
	double low = is_signed(to) ? -ldexp(1, n - 1) : 0,
	       high = ldexp(1, is_signed(to) ? n - 1 : n);

	fesetround(host_rounding[MOD(RND)]);
	y = nearbyint(x);
	fesetround(FE_TONEAREST);
	if (isnan(y))
		o->d = MOD(NTZ) ? 0 : 1ull << (n - 1);
	else if (y < low)
		o->d = is_signed(to) ? narrow(-(1ull << (n - 1)), 64) : 0;
	else if (y >= high)
		o->d = is_signed(to) ? (1ull << (n - 1)) - 1 : narrow(UINT64_MAX, n);
	else
		o->d = is_signed(to) ? (uint64_t)(int64_t)y : (uint64_t)y;
	if (n < 64)
		o->d = (uint32_t)o->d;
}

static void float_to_float(const struct row *r, const struct values *v, struct answer *o)
{
	volatile double d = f64(in64(v->a, v->flags[0]));
	volatile float f = f32(in32(r, v->a, v->flags[0]));

	if (MOD(DTYPE) == SASS_TYPE_F64) {
		uint64_t n = f32_bits(f);

		o->d = isnan(f) ? n >> 31 << 63 | 0x7ff8ull << 48 | (n & 0x7fffff) << 29
				: f64_bits((double)f);
		return;
	}
	fesetround(host_rounding[MOD(RND)]);
	f = (float)d;
	fesetround(FE_TONEAREST);
	o->d = out32(r, f);
	if (isnan(d))
		o->d = f64_bits(d) >> 63 << 31 | 0x7fc00000 | (f64_bits(d) >> 29 & 0x7fffff);
}

static void round_float(const struct row *r, const struct values *v, struct answer *o)
{
	volatile double d = f64(in64(v->a, v->flags[0]));
	volatile float f = f32(in32(r, v->a, v->flags[0]));

	fesetround(host_rounding[MOD(RND)]);
	d = nearbyint(d);
	f = nearbyintf(f);
	fesetround(FE_TONEAREST);
	if (MOD(DTYPE) == SASS_TYPE_F64)
		o->d = isnan(d) ? in64(v->a, v->flags[0]) | 1ull << 51 : f64_bits(d);
	else
		o->d = out32(r, f);
}

/* Integers. */

static uint32_t int32(uint64_t raw, uint8_t flags)
{
	uint32_t x = (uint32_t)raw;

	return flags & SASS_NOT ? ~x : flags & SASS_NEG ? -x : x;
}
#define A32 int32(v->a, v->flags[0])
#define B32 int32(v->b, v->flags[1])
#define C32 int32(v->c, v->flags[2])

/* With carry, -x counts as ~x + 1. */
static uint64_t carry_in(uint64_t raw, uint8_t flags)
{
	uint32_t x = (uint32_t)raw;

	return flags & SASS_NOT ? (uint32_t)~x : flags & SASS_NEG ? (uint64_t)(uint32_t)~x + 1 : x;
}

static void add3(const struct row *r, const struct values *v, struct answer *o)
{
	uint64_t sum = carry_in(v->a, v->flags[0]) + carry_in(v->b, v->flags[1]) +
		       carry_in(v->c, v->flags[2]);

	if (MOD(X))
		sum += (uint64_t)v->x + v->y;
	o->d = (uint32_t)sum;
	o->p = sum >> 32 >= 1;
	o->q = sum >> 32 >= 2;
}

static void add2(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = (uint32_t)(A32 + B32);
}

static void absolute(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = (int32_t)A32 < 0 ? -A32 : A32;
	o->d = (uint32_t)o->d;
}

static void multiply_add(const struct row *r, const struct values *v, struct answer *o)
{
	o->d = (uint32_t)(A32 * B32 + C32 + (MOD(X) && v->x));
}

static void multiply_wide(const struct row *r, const struct values *v, struct answer *o)
{
	uint64_t product = MOD(SIGNED) ? (uint64_t)((int64_t)(int32_t)v->a * (int32_t)v->b)
				       : (uint64_t)(uint32_t)v->a * (uint32_t)v->b;
	uint64_t c = v->flags[2] & SASS_NOT ? ~v->c : v->flags[2] & SASS_NEG ? -v->c : v->c;
	unsigned __int128 sum = (unsigned __int128)product + c + (MOD(X) && v->x);

	o->d = r->op == SASS_IMAD_HI ? (uint32_t)(sum >> 32) : (uint64_t)sum;
	o->p = v->flags[2] ? o->p : sum >> 64;
}

static void compare(const struct row *r, const struct values *v, struct answer *o)
{
	int64_t a = MOD(SIGNED) ? (int64_t)(int32_t)v->a : (int64_t)(uint32_t)v->a;
	int64_t b = MOD(SIGNED) ? (int64_t)(int32_t)v->b : (int64_t)(uint32_t)v->b;
	bool yes = holds(MOD(CMP), a < b, a == b, a > b);

	if (MOD(EX) && a == b)
		yes = v->y;
	o->p = join(MOD(BOOL), yes, v->x);
	o->q = join(MOD(BOOL), !yes, v->x);
}

static void minmax(const struct row *r, const struct values *v, struct answer *o)
{
	bool less = MOD(SIGNED) ? (int32_t)v->a < (int32_t)v->b : (uint32_t)v->a < (uint32_t)v->b;

	o->d = (uint32_t)(less == v->x ? v->a : v->b);
	if (MOD(RELU) && (int32_t)o->d < 0)
		o->d = 0;
}

static void add_minmax(const struct row *r, const struct values *v, struct answer *o)
{
	struct values w = *v;

	w.a = (uint32_t)(v->a + v->b);
	w.b = v->c;
	minmax(r, &w, o);
}

static void minmax3(const struct row *r, const struct values *v, struct answer *o)
{
	struct values w = *v;

	minmax(r, v, o);
	w.a = o->d;
	w.b = v->c;
	minmax(r, &w, o);
}

static void clamp(const struct row *r, const struct values *v, struct answer *o)
{
	int64_t x = (int32_t)v->a,
		low = is_signed(MOD(DTYPE)) ? -(1ll << (bits_of(MOD(DTYPE)) - 1)) : 0;
	int64_t high = low + (1ll << bits_of(MOD(DTYPE))) - 1;

	o->d = (uint32_t)(x < low ? low : x > high ? high : x);
}

static void distance(const struct row *r, const struct values *v, struct answer *o)
{
	int64_t a = MOD(SIGNED) ? (int64_t)(int32_t)v->a : (int64_t)(uint32_t)v->a;
	int64_t b = MOD(SIGNED) ? (int64_t)(int32_t)v->b : (int64_t)(uint32_t)v->b;

	o->d = (uint32_t)((a > b ? a - b : b - a) + (int64_t)v->c);
}

static void choose(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = (uint32_t)(v->x ? v->a : v->b);
}

static void lea(const struct row *r, const struct values *v, struct answer *o)
{
	uint64_t sum = carry_in(v->a << r->imm, v->flags[0]) + carry_in(v->b, v->flags[1]) +
		       (MOD(X) && v->x);

	o->d = (uint32_t)sum;
	o->p = sum >> 32 & 1;
}

static void lea_hi(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t high = r->op == SASS_LEA_HI ? (uint32_t)v->c : (uint32_t)((int32_t)v->a >> 31);
	unsigned __int128 pair = (unsigned __int128)((uint64_t)high << 32 | (uint32_t)v->a)
				 << r->imm;
	uint64_t sum = (uint64_t)(uint32_t)(pair >> 32) + (uint32_t)v->b + (MOD(X) && v->x);

	o->d = (uint32_t)sum;
	o->p = sum >> 32;
}

static void logic(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t d = 0;

	for (uint32_t i = 0; i < 32; i++)
		d |= (r->imm >> ((v->a >> i & 1) << 2 | (v->b >> i & 1) << 1 | (v->c >> i & 1)) & 1)
		     << i;
	o->d = d;
	o->p = MOD(PAND) ? d && v->x : d || v->x;
}

static void predicate_logic(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t index = (uint32_t)(v->x << 2 | v->y << 1 | v->z);

	o->p = r->imm >> index & 1;
	o->q = r->imm >> 8 >> index & 1;
}

static void shift(const struct row *r, const struct values *v, struct answer *o)
{
	uint8_t type = MOD(SHTYPE);
	uint32_t size = type == SASS_SH_U32 || type == SASS_SH_S32 ? 32 : 64, by = (uint32_t)v->b;
	bool arithmetic = type == SASS_SH_S32 || type == SASS_SH_S64;
	uint64_t pair = v->c << 32 | (uint32_t)v->a;

	by = MOD(WRAP) ? by % size : by > size ? size : by;
	while (by--) {
		if (!MOD(RIGHT))
			pair <<= 1;
		else
			pair = pair >> 1 | (arithmetic ? pair & 1ull << 63 : 0);
	}
	o->d = MOD(HI) ? pair >> 32 : (uint32_t)pair;
}

static void permute(const struct row *r, const struct values *v, struct answer *o)
{
	/* PTX manual's table: bytes for d.b3 d.b2 d.b1 d.b0, by selector 0–3 */
	static const uint16_t table[][4] = {
		[SASS_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
		[SASS_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
		[SASS_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
		[SASS_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
		[SASS_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
		[SASS_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
	};
	uint64_t bytes = v->c << 32 | (uint32_t)v->a;
	uint32_t selector = MOD(PRMT) ? table[MOD(PRMT)][v->b & 3] : (uint32_t)v->b;

	o->d = 0;
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t s = selector >> 4 * i & 15, byte = bytes >> 8 * (s & 7) & 0xff;

		o->d |= (uint64_t)(s & 8 ? (byte & 0x80 ? 0xff : 0) : byte) << 8 * i;
	}
}

static void sign_extend(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t n = (uint32_t)v->b;
	uint64_t x;

	n = MOD(WRAP) ? n % 32 : n > 32 ? 32 : n;
	x = narrow(v->a, (uint8_t)n);
	if (MOD(SIGNED) && n && x >> (n - 1) & 1)
		x -= 1ull << n;
	o->d = n ? (uint32_t)x : 0;
}

static void bit_mask(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t at = (uint32_t)v->a, n = (uint32_t)v->b;

	at = MOD(WRAP) ? at % 32 : at > 32 ? 32 : at;
	n = MOD(WRAP) ? n % 32 : n > 32 ? 32 : n;
	o->d = (uint32_t)(((1ull << n) - 1) << at);
}

static void count_ones(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = 0;
	for (uint32_t i = 0; i < 32; i++)
		o->d += A32 >> i & 1;
}

static void find_one(const struct row *r, const struct values *v, struct answer *o)
{
	uint32_t x = A32, sign = MOD(SIGNED) && x >> 31 ? 1 : 0;

	o->d = 0xffffffff;
	o->p = false;
	for (uint32_t i = 0; i < 32; i++)
		if ((x >> i & 1) != sign) {
			o->d = MOD(SH) ? 31 - i : i;
			o->p = true;
		}
}

static void reverse(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = 0;
	for (uint32_t i = 0; i < 32; i++)
		o->d |= (v->a >> i & 1) << (31 - i);
}

static void dot(const struct row *r, const struct values *v, struct answer *o)
{
	int64_t sum = (int32_t)C32;

	for (uint32_t i = 0; i < 32; i += 8) {
		int64_t a = v->a >> i & 0xff, b = v->b >> i & 0xff;

		if (MOD(DOT) & 1)
			a = (int8_t)a;
		if (MOD(DOT) & 2)
			b = (int8_t)b;
		sum += a * b;
	}
	o->d = (uint32_t)sum;
}

static void move(const struct row *r, const struct values *v, struct answer *o)
{
	(void)r;
	o->d = (uint32_t)v->a;
}

#define NA                                  (SASS_NEG | SASS_ABS)
#define M(m)                                SASS_M_##m
#define R4(name, op, shape, flags, is, ...) /* in all rounding modes */ \
	{name, op, shape, flags, is, {{M(RND), SASS_RN}, __VA_ARGS__}, 0, 0}, \
		{name ".RM", op, shape, flags, is, {{M(RND), SASS_RM}, __VA_ARGS__}, 0, 0}, \
		{name ".RP", op, shape, flags, is, {{M(RND), SASS_RP}, __VA_ARGS__}, 0, 0}, \
		{name ".RZ", op, shape, flags, is, {{M(RND), SASS_RZ_MODE}, __VA_ARGS__}, 0, 0}
#define NONE {0, 0}

static const struct row rows[] = {
	R4("FADD", SASS_FADD, "dab", NA, float_op, NONE),
	R4("FADD.FTZ", SASS_FADD, "dab", NA, float_op, {M(FTZ), 1}),
	R4("FADD.SAT", SASS_FADD, "dab", NA, float_op, {M(SAT), 1}),
	R4("FMUL", SASS_FMUL, "dab", NA, float_op, NONE),
	R4("FMUL.FTZ", SASS_FMUL, "dab", NA, float_op, {M(FTZ), 1}),
	R4("FMUL.FTZ.SAT", SASS_FMUL, "dab", NA, float_op, {M(FTZ), 1}, {M(SAT), 1}),
	R4("FFMA", SASS_FFMA, "dabc", SASS_NEG, float_op, NONE),
	R4("FFMA.FTZ", SASS_FFMA, "dabc", SASS_NEG, float_op, {M(FTZ), 1}),
	R4("FFMA.SAT", SASS_FFMA, "dabc", SASS_NEG, float_op, {M(SAT), 1}),
	R4("DADD", SASS_DADD, "DAB", NA, double_op, NONE),
	R4("DMUL", SASS_DMUL, "DAB", NA, double_op, NONE),
	R4("DFMA", SASS_DFMA, "DABC", SASS_NEG, double_op, NONE),
	{"FMNMX", SASS_FMNMX, "dabx", NA, float_minmax, {NONE}, 0, 0},
	{"FMNMX.FTZ", SASS_FMNMX, "dabx", NA, float_minmax, {{M(FTZ), 1}}, 0, 0},
	{"FMNMX.NAN", SASS_FMNMX, "dabx", NA, float_minmax, {{M(NAN), 1}}, 0, 0},
	{"FSEL", SASS_FSEL, "dabx", NA, float_select, {NONE}, 0, 0},
	{"FSEL.FTZ", SASS_FSEL, "dabx", NA, float_select, {{M(FTZ), 1}}, 0, 0},
	{"FSET.BF.GT.AND", SASS_FSET, "dabx", NA, float_compare, {{M(CMP), SASS_CMP_GT}}, 0, 0},
	{"FSETP.LT.AND", SASS_FSETP, "pqabx", NA, float_compare, {{M(CMP), SASS_CMP_LT}}, 0, 0},
	{"FSETP.GEU.OR",
	 SASS_FSETP,
	 "pqabx",
	 NA,
	 float_compare,
	 {{M(CMP), SASS_CMP_GEU}, {M(BOOL), SASS_OR}},
	 0,
	 0},
	{"FSETP.NAN.XOR",
	 SASS_FSETP,
	 "pqabx",
	 NA,
	 float_compare,
	 {{M(CMP), SASS_CMP_NAN}, {M(BOOL), SASS_XOR}},
	 0,
	 0},
	{"FSETP.NE.FTZ.AND",
	 SASS_FSETP,
	 "pqabx",
	 NA,
	 float_compare,
	 {{M(CMP), SASS_CMP_NE}, {M(FTZ), 1}},
	 0,
	 0},
	{"DSETP.LE.AND", SASS_DSETP, "pqABx", NA, double_compare, {{M(CMP), SASS_CMP_LE}}, 0, 0},
	{"DSETP.NUM.OR",
	 SASS_DSETP,
	 "pqABx",
	 NA,
	 double_compare,
	 {{M(CMP), SASS_CMP_NUM}, {M(BOOL), SASS_OR}},
	 0,
	 0},
	{"DSETP.MIN.AND", SASS_DSETP, "pqABx", NA, double_minmax, {{M(CMP), SASS_CMP_F}}, 0, 0},
	{"DSETP.MAX.AND", SASS_DSETP, "pqABx", NA, double_minmax, {{M(CMP), SASS_CMP_T}}, 0, 0},
	{"DSETP.EQU.XOR",
	 SASS_DSETP,
	 "pqABx",
	 NA,
	 double_compare,
	 {{M(CMP), SASS_CMP_EQU}, {M(BOOL), SASS_XOR}},
	 0,
	 0},
	/* conversions */
	R4("I2F.S32", SASS_I2F, "da", 0, integer_to_float, {M(DTYPE), SASS_TYPE_F32},
	   {M(STYPE), SASS_TYPE_S32}),
	R4("I2F.U32", SASS_I2F, "da", 0, integer_to_float, {M(DTYPE), SASS_TYPE_F32},
	   {M(STYPE), SASS_TYPE_U32}),
	R4("I2F.F64.S32", SASS_I2F, "Da", 0, integer_to_float, {M(DTYPE), SASS_TYPE_F64},
	   {M(STYPE), SASS_TYPE_S32}),
	R4("I2F.S64", SASS_I2F, "dA", 0, integer_to_float, {M(DTYPE), SASS_TYPE_F32},
	   {M(STYPE), SASS_TYPE_S64}),
	R4("I2F.F64.U64", SASS_I2F, "DA", 0, integer_to_float, {M(DTYPE), SASS_TYPE_F64},
	   {M(STYPE), SASS_TYPE_U64}),
	R4("F2I.S32", SASS_F2I, "da", NA, float_to_integer, {M(DTYPE), SASS_TYPE_S32},
	   {M(STYPE), SASS_TYPE_F32}, {M(NTZ), 1}),
	R4("F2I.U32", SASS_F2I, "da", NA, float_to_integer, {M(DTYPE), SASS_TYPE_U32},
	   {M(STYPE), SASS_TYPE_F32}),
	R4("F2I.S16", SASS_F2I, "da", NA, float_to_integer, {M(DTYPE), SASS_TYPE_S16},
	   {M(STYPE), SASS_TYPE_F32}, {M(FTZ), 1}),
	R4("F2I.S64.F64", SASS_F2I, "DA", NA, float_to_integer, {M(DTYPE), SASS_TYPE_S64},
	   {M(STYPE), SASS_TYPE_F64}),
	R4("F2I.U64.F64", SASS_F2I, "DA", NA, float_to_integer, {M(DTYPE), SASS_TYPE_U64},
	   {M(STYPE), SASS_TYPE_F64}),
	R4("F2I.S64.F32", SASS_F2I, "Da", NA, float_to_integer, {M(DTYPE), SASS_TYPE_S64},
	   {M(STYPE), SASS_TYPE_F32}),
	R4("F2F.F32.F64", SASS_F2F, "dA", NA, float_to_float, {M(DTYPE), SASS_TYPE_F32},
	   {M(STYPE), SASS_TYPE_F64}),
	R4("F2F.F64.F32", SASS_F2F, "Da", NA, float_to_float, {M(DTYPE), SASS_TYPE_F64},
	   {M(STYPE), SASS_TYPE_F32}),
	R4("FRND", SASS_FRND, "da", NA, round_float, {M(DTYPE), SASS_TYPE_F32}),
	R4("FRND.F64", SASS_FRND, "DA", NA, round_float, {M(DTYPE), SASS_TYPE_F64}),
	{"I2FP.F32.S32",
	 SASS_I2FP,
	 "da",
	 0,
	 integer_to_float,
	 {{M(STYPE), SASS_TYPE_S32}},
	 0,
	 true},
	{"I2FP.F32.U32.RZ",
	 SASS_I2FP,
	 "da",
	 0,
	 integer_to_float,
	 {{M(STYPE), SASS_TYPE_U32}, {M(RND), SASS_RZ_MODE}},
	 0,
	 true},
	/* integers */
	{"IADD3", SASS_IADD3, "dpqabc", SASS_NEG, add3, {NONE}, 0, 0},
	{"IADD3.X", SASS_IADD3, "dpqabcxy", SASS_NOT, add3, {{M(X), 1}}, 0, 0},
	{"VIADD", SASS_VIADD, "dab", 0, add2, {NONE}, 0, true},
	{"IABS", SASS_IABS, "da", 0, absolute, {NONE}, 0, 0},
	{"IMAD", SASS_IMAD, "dabc", 0, multiply_add, {NONE}, 0, 0},
	{"IMAD.X", SASS_IMAD, "dabcx", 0, multiply_add, {{M(X), 1}}, 0, 0},
	{"IMAD.WIDE", SASS_IMAD_WIDE, "DnabC", 0, multiply_wide, {{M(SIGNED), 1}}, 0, 0},
	{"IMAD.WIDE.U32", SASS_IMAD_WIDE, "DpabC", 0, multiply_wide, {NONE}, 0, 0},
	{"IMAD.WIDE.U32.X", SASS_IMAD_WIDE, "DpabCx", 0, multiply_wide, {{M(X), 1}}, 0, 0},
	{"IMAD.HI", SASS_IMAD_HI, "dnabC", 0, multiply_wide, {{M(SIGNED), 1}}, 0, 0},
	{"IMAD.HI.U32", SASS_IMAD_HI, "dnabC", 0, multiply_wide, {NONE}, 0, 0},
	{"ISETP.LT.AND",
	 SASS_ISETP,
	 "pqabx",
	 0,
	 compare,
	 {{M(CMP), SASS_CMP_LT}, {M(SIGNED), 1}},
	 0,
	 0},
	{"ISETP.GE.U32.OR",
	 SASS_ISETP,
	 "pqabx",
	 0,
	 compare,
	 {{M(CMP), SASS_CMP_GE}, {M(BOOL), SASS_OR}},
	 0,
	 0},
	{"ISETP.NE.XOR",
	 SASS_ISETP,
	 "pqabx",
	 0,
	 compare,
	 {{M(CMP), SASS_CMP_NE}, {M(BOOL), SASS_XOR}},
	 0,
	 0},
	{"ISETP.GT.AND.EX",
	 SASS_ISETP,
	 "pqabxy",
	 0,
	 compare,
	 {{M(CMP), SASS_CMP_GT}, {M(SIGNED), 1}, {M(EX), 1}},
	 0,
	 0},
	{"IMNMX", SASS_IMNMX, "dabx", 0, minmax, {{M(SIGNED), 1}}, 0, 0},
	{"IMNMX.U32", SASS_IMNMX, "dabx", 0, minmax, {NONE}, 0, 0},
	{"VIMNMX.RELU", SASS_VIMNMX, "dabx", 0, minmax, {{M(SIGNED), 1}, {M(RELU), 1}}, 0, true},
	{"VIADDMNMX", SASS_VIADDMNMX, "dabcx", 0, add_minmax, {{M(SIGNED), 1}}, 0, true},
	{"VIADDMNMX.U32", SASS_VIADDMNMX, "dabcx", 0, add_minmax, {NONE}, 0, true},
	{"VIMNMX3", SASS_VIMNMX3, "dabcx", 0, minmax3, {{M(SIGNED), 1}}, 0, true},
	{"I2I.U8.S32.SAT", SASS_I2I, "da", 0, clamp, {{M(DTYPE), SASS_TYPE_U8}}, 0, 0},
	{"I2I.S16.S32.SAT", SASS_I2I, "da", 0, clamp, {{M(DTYPE), SASS_TYPE_S16}}, 0, 0},
	{"VABSDIFF", SASS_VABSDIFF, "dabc", 0, distance, {{M(SIGNED), 1}}, 0, 0},
	{"SEL", SASS_SEL, "dabx", 0, choose, {NONE}, 0, 0},
	{"LEA 3", SASS_LEA, "dpabi", SASS_NEG, lea, {NONE}, 3, 0},
	{"LEA.X 31", SASS_LEA, "dpabix", 0, lea, {{M(X), 1}}, 31, 0},
	{"LEA.HI 7", SASS_LEA_HI, "dpabci", 0, lea_hi, {NONE}, 7, 0},
	{"LEA.HI.X 2", SASS_LEA_HI, "dpabcix", 0, lea_hi, {{M(X), 1}}, 2, 0},
	{"LEA.HI.SX32 5", SASS_LEA_HI_SX32, "dpabi", 0, lea_hi, {NONE}, 5, 0},
	{"LOP3 0x96", SASS_LOP3, "pdabcix", 0, logic, {NONE}, 0x96, 0},
	{"LOP3 0xca", SASS_LOP3, "pdabcix", 0, logic, {NONE}, 0xca, 0},
	{"LOP3 0x1b", SASS_LOP3, "pdabcix", 0, logic, {NONE}, 0x1b, 0},
	{"LOP3.PAND 0x40", SASS_LOP3, "pdabcix", 0, logic, {{M(PAND), 1}}, 0x40, 0},
	{"PLOP3 0xe8 0x39", SASS_PLOP3, "pqxyzij", 0, predicate_logic, {NONE}, 0x39e8, 0},
	{"SHF.L.U32", SASS_SHF, "dabc", 0, shift, {{M(SHTYPE), SASS_SH_U32}}, 0, 0},
	{"SHF.L.U64.HI", SASS_SHF, "dabc", 0, shift, {{M(SHTYPE), SASS_SH_U64}, {M(HI), 1}}, 0, 0},
	{"SHF.L.W.U32.HI", SASS_SHF, "dabc", 0, shift, {{M(WRAP), 1}, {M(HI), 1}}, 0, 0},
	{"SHF.R.U32.HI", SASS_SHF, "dabc", 0, shift, {{M(RIGHT), 1}, {M(HI), 1}}, 0, 0},
	{"SHF.R.S32.HI",
	 SASS_SHF,
	 "dabc",
	 0,
	 shift,
	 {{M(RIGHT), 1}, {M(HI), 1}, {M(SHTYPE), SASS_SH_S32}},
	 0,
	 0},
	{"SHF.R.U64", SASS_SHF, "dabc", 0, shift, {{M(RIGHT), 1}, {M(SHTYPE), SASS_SH_U64}}, 0, 0},
	{"SHF.R.S64", SASS_SHF, "dabc", 0, shift, {{M(RIGHT), 1}, {M(SHTYPE), SASS_SH_S64}}, 0, 0},
	{"SHF.R.W.U32", SASS_SHF, "dabc", 0, shift, {{M(RIGHT), 1}, {M(WRAP), 1}}, 0, 0},
	{"PRMT", SASS_PRMT, "dabc", 0, permute, {NONE}, 0, 0},
	{"PRMT.F4E", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_F4E}}, 0, 0},
	{"PRMT.B4E", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_B4E}}, 0, 0},
	{"PRMT.RC8", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_RC8}}, 0, 0},
	{"PRMT.ECL", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_ECL}}, 0, 0},
	{"PRMT.ECR", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_ECR}}, 0, 0},
	{"PRMT.RC16", SASS_PRMT, "dabc", 0, permute, {{M(PRMT), SASS_PRMT_RC16}}, 0, 0},
	{"SGXT", SASS_SGXT, "dab", 0, sign_extend, {{M(SIGNED), 1}}, 0, 0},
	{"SGXT.U32", SASS_SGXT, "dab", 0, sign_extend, {NONE}, 0, 0},
	{"SGXT.W", SASS_SGXT, "dab", 0, sign_extend, {{M(SIGNED), 1}, {M(WRAP), 1}}, 0, 0},
	{"BMSK", SASS_BMSK, "dab", 0, bit_mask, {NONE}, 0, 0},
	{"BMSK.W", SASS_BMSK, "dab", 0, bit_mask, {{M(WRAP), 1}}, 0, 0},
	{"POPC", SASS_POPC, "da", SASS_NOT, count_ones, {NONE}, 0, 0},
	{"FLO", SASS_FLO, "dpa", SASS_NOT, find_one, {{M(SIGNED), 1}}, 0, 0},
	{"FLO.U32", SASS_FLO, "dpa", SASS_NOT, find_one, {NONE}, 0, 0},
	{"FLO.U32.SH", SASS_FLO, "dpa", SASS_NOT, find_one, {{M(SH), 1}}, 0, 0},
	{"BREV", SASS_BREV, "da", 0, reverse, {NONE}, 0, 0},
	{"IDP.4A.U8.U8", SASS_IDP, "dabc", 0, dot, {NONE}, 0, 0},
	{"IDP.4A.S8.U8", SASS_IDP, "dabc", 0, dot, {{M(DOT), SASS_DOT_S8_U8}}, 0, 0},
	{"IDP.4A.S8.S8", SASS_IDP, "dabc", 0, dot, {{M(DOT), SASS_DOT_S8_S8}}, 0, 0},
	{"MOV", SASS_MOV, "da", 0, move, {NONE}, 0, 0},
};

int main(void)
{
	return alu_main(rows, sizeof(rows) / sizeof(rows[0]));
}
