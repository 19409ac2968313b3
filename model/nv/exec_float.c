// SPDX-License-Identifier: MIT
/* 32-bit floats. Round-to-nearest uses host floats, 32 lanes at a time; other rounding modes,
 * saturation and scaling use softfloat.c lane by lane. NaN results are 0x7fffffff. FTZ flushes
 * subnormal inputs and results to zeros of the same sign; a product counts as subnormal if it is
 * subnormal when rounded with an unbounded exponent, even where the final rounding gives the
 * smallest normal number (measured on an H200). */
#include <math.h>
#include <string.h>

#include "model/nv/exec.h"
#include "model/core/softfloat.h"

#define NAN_BITS 0x7fffffffu

static inline float as_float(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static inline uint32_t as_bits(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

static inline uint32_t flush(uint32_t x)
{
	return (x & 0x7f800000) ? x : x & 0x80000000;
}

static inline uint32_t canonical(uint32_t x)
{
	return (x & 0x7fffffff) > 0x7f800000 ? NAN_BITS : x;
}

static inline bool is_nan(uint32_t x)
{
	return (x & 0x7fffffff) > 0x7f800000;
}

/* Source n of lane i with its sign modifiers. */
#define SRC(n)  ((o->s[n][i] & op->s[n].keep) ^ op->s[n].flip)
#define FAST(n) ((row##n[i] & keep##n) ^ flip##n) /* SRC(n) after LOCAL_SOURCES */

/* Clamps to [0, 1]; NaN and -0 become 0. */
static uint32_t saturate(uint32_t x)
{
	if (is_nan(x) || x & 0x80000000)
		return 0;
	return x > 0x3f800000 ? 0x3f800000 : x;
}

enum { EXACT_ADD, EXACT_MUL, EXACT_FMA };

static uint32_t rounded(const struct op *op, uint32_t a, uint32_t b, uint32_t c, int scale)
{
	enum float_rounding r = (enum float_rounding)op->inst->mod[SASS_M_RND];

	switch (op->data[0]) {
	case EXACT_ADD:
		return (uint32_t)float_fma(&float_f32, a, 0x3f800000, b, scale, r);
	case EXACT_MUL:
		return (uint32_t)float_mul(&float_f32, a, b, scale, r);
	default:
		return (uint32_t)float_fma(&float_f32, a, b, c, scale, r);
	}
}

#define MIN_NORMAL      0x00800000u
#define EXPONENT_OFFSET 64 /* scale at which no result is subnormal */

static uint32_t exact(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
	static const int8_t scales[] = {0, -1, -2, -3, 3, 2, 1};
	const uint8_t *mod = op->inst->mod;
	int scale = scales[mod[SASS_M_SCALE]];
	uint32_t x;

	if (mod[SASS_M_FTZ]) {
		a = flush(a);
		b = flush(b);
		c = flush(c);
	}
	x = rounded(op, a, b, c, scale);
	if (mod[SASS_M_FTZ]) {
		x = flush(x);
		if ((x & 0x7fffffff) == MIN_NORMAL &&
		    (rounded(op, a, b, c, scale + EXPONENT_OFFSET) & 0x7fffffff) <
			    MIN_NORMAL + ((uint32_t)EXPONENT_OFFSET << 23))
			x &= 0x80000000;
	}
	return mod[SASS_M_SAT] ? saturate(x) : x;
}

/* Host arithmetic, with and without FTZ. */
#define FAST_CORES(name, expression, attribute) \
	attribute static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t *d = o->d; \
		LOCAL_SOURCES; \
		EACH_LANE(i) { \
			float a = as_float(FAST(0)), b = as_float(FAST(1)), c = as_float(FAST(2)); \
			(void)c; \
			d[i] = canonical(as_bits(expression)); \
		} \
	} \
	attribute static void core_##name##_ftz(const struct op *op, struct operands *o) \
	{ \
		uint32_t result[LANES], edge = 0; \
		LOCAL_SOURCES; \
		EACH_LANE(i) { \
			float a = as_float(flush(FAST(0))), b = as_float(flush(FAST(1))); \
			float c = as_float(flush(FAST(2))); \
			(void)c; \
			result[i] = flush(canonical(as_bits(expression))); \
			edge |= (result[i] & 0x7fffffff) == MIN_NORMAL; \
		} \
		for (uint32_t i = 0; edge && i < LANES; i++) \
			result[i] = exact(op, SRC(0), SRC(1), SRC(2)); \
		memcpy(o->d, result, sizeof(result)); \
	}
FAST_CORES(fadd, a + b, )
FAST_CORES(fmul, a * b, )
FAST_CORES(ffma, __builtin_fmaf(a, b, c), )
#if FUSED_TWICE
FAST_CORES(ffma_fused, __builtin_fmaf(a, b, c), FUSED)
#endif

static void core_exact(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = exact(op, SRC(0), SRC(1), SRC(2));
}

static const char *prepare_arithmetic(struct op *op, const struct sass_inst *in)
{
	static core_fn *const flushing[] = {core_fadd_ftz, core_fmul_ftz, core_ffma_ftz};

	op->data[0] = in->op == SASS_FADD ? EXACT_ADD : in->op == SASS_FMUL ? EXACT_MUL : EXACT_FMA;
	if (in->mod[SASS_M_RND] || in->mod[SASS_M_SAT] || in->mod[SASS_M_SCALE])
		op->core = core_exact;
	else if (in->mod[SASS_M_FTZ])
		op->core = flushing[op->data[0]];
#if FUSED_TWICE
	if (in->op == SASS_FFMA && op->core != core_exact && host_has_fma())
		op->core = in->mod[SASS_M_FTZ] ? core_ffma_fused_ftz : core_ffma_fused;
#endif
	return NULL;
}

/* Minimum, maximum, comparison. */

/* Maps sign and magnitude to a signed integer in the same order; -0 sorts below +0. */
static inline int32_t f32_order(uint32_t x)
{
	return (int32_t)(x & 0x80000000 ? ~x ^ 0x80000000 : x);
}

static uint32_t f32_minmax(uint32_t a, uint32_t b, bool min, const uint8_t *mod)
{
	uint32_t x;

	if (mod[SASS_M_FTZ]) {
		a = flush(a);
		b = flush(b);
	}
	if (is_nan(a) || is_nan(b))
		x = mod[SASS_M_NAN] || (is_nan(a) && is_nan(b)) ? NAN_BITS : is_nan(a) ? b : a;
	else
		x = (f32_order(a) < f32_order(b)) == min ? a : b;
	return x;
}

static void core_fmnmx(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t x = f32_minmax(SRC(0), SRC(1), o->x[0] >> i & 1, op->inst->mod);

		/* The signs are those in the registers: PTX ISA, max.xorsign.abs. */
		if (op->inst->mod[SASS_M_XORSIGN] && !is_nan(x))
			x = (x & 0x7fffffff) | ((o->s[0][i] ^ o->s[1][i]) & 0x80000000);
		o->d[i] = x;
	}
}

static void core_fsel(const struct op *op, struct operands *o)
{
	uint32_t *d = o->d, x = o->x[0], ftz = op->inst->mod[SASS_M_FTZ];

	EACH_LANE(i) {
		uint32_t v = x >> i & 1 ? SRC(0) : SRC(1);

		d[i] = ftz ? flush(v) : v;
	}
}

/* Returns the bit of SASS_CMP_* for the relation of a and b: less, equal, greater, unordered. */
static inline uint32_t relation(float a, float b)
{
	return a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
}

static uint32_t fset_compare(const struct op *op, struct operands *o)
{
	uint32_t bits = 0, cmp = op->inst->mod[SASS_M_CMP], ftz = op->inst->mod[SASS_M_FTZ];

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t a = SRC(0), b = SRC(1);

		if (ftz) {
			a = flush(a);
			b = flush(b);
		}
		bits |= (uint32_t)!!(cmp & relation(as_float(a), as_float(b))) << i;
	}
	return bits;
}

static uint32_t bool_combine(uint32_t how, uint32_t a, uint32_t b)
{
	return how == SASS_AND ? a & b : how == SASS_OR ? a | b : a ^ b;
}

static void core_fsetp(const struct op *op, struct operands *o)
{
	uint32_t bits = fset_compare(op, o), how = op->inst->mod[SASS_M_BOOL];

	o->p[0] = bool_combine(how, bits, o->x[0]);
	o->p[1] = bool_combine(how, ~bits, o->x[0]);
}

static void core_fset(const struct op *op, struct operands *o)
{
	uint32_t bits = bool_combine(op->inst->mod[SASS_M_BOOL], fset_compare(op, o), o->x[0]);

	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = bits >> i & 1 ? 0x3f800000 : 0;
}

/* True if a / b by reciprocal and Newton iterations could fail: NaN, infinity or zero operands, or
 * an exponent of the quotient, of the reciprocal of b or of the remainder near the ends of the
 * range. The limits are those of an H200 (tests/silicon/division_check.c). */
static bool division_is_hard(uint32_t a, uint32_t b)
{
	int ea = (int)(a >> 23 & 0xff), eb = (int)(b >> 23 & 0xff);
	bool remainder_is_small = ea < 25, quotient_is_small = ea < eb - 124;
	bool quotient_is_large = ea > eb + 126 || ea == 0xff;

	return remainder_is_small || quotient_is_small || quotient_is_large || eb < 2 || eb > 0xfb;
}

static void core_fchk(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		o->p[0] |= (uint32_t)division_is_hard(SRC(0), SRC(1)) << i;
}

/* MUFU. The hardware's tables are unknown: results here are correctly rounded (through double). An
 * H200 differs by 1 ulp (RCP, RSQ, SQRT) to 2 (EX2), and by more where its error is absolute: LG2
 * near 1, SIN and COS near their zeros, TANH. Subnormal inputs and results are flushed to zero,
 * except for TANH. */
static uint32_t mufu(uint32_t function, uint32_t bits)
{
	const double two_pi = 6.283185307179586;
	double x = as_float(flush(bits)), y;

	switch (function) {
	case SASS_MUFU_COS: /* the argument is in revolutions (x / 2 pi) */
		y = cos((x - rint(x)) * two_pi);
		break;
	case SASS_MUFU_SIN:
		y = sin((x - rint(x)) * two_pi);
		break;
	case SASS_MUFU_EX2:
		y = exp2(x);
		break;
	case SASS_MUFU_LG2:
		y = x < 0 ? NAN : log2(x);
		break;
	case SASS_MUFU_RCP:
		y = 1 / x;
		break;
	case SASS_MUFU_RSQ:
		y = 1 / sqrt(x);
		break;
	case SASS_MUFU_SQRT:
		y = sqrt(x);
		break;
	default:
		return canonical(as_bits((float)tanh(as_float(bits))));
	}
	return flush(canonical(as_bits((float)y)));
}

/* High word of the reciprocal (square root) of a double given by its high word. */
static uint32_t mufu_high(uint32_t function, uint32_t high)
{
	uint64_t bits = (uint64_t)high << 32;
	double x, y;

	memcpy(&x, &bits, 8);
	if (!(high & 0x7ff00000))
		x = high & 0x80000000 ? -0.0 : 0.0;
	y = function == SASS_MUFU_RCP64H ? 1 / x : 1 / sqrt(x);
	memcpy(&bits, &y, 8);
	if (y != y)
		return 0x7fffffff;
	if (!(bits >> 32 & 0x7ff00000))
		return bits >> 32 & 0x80000000;
	return (uint32_t)(bits >> 32);
}

/* Half-precision input and output: keeps subnormals, except for bfloat16, whose results PTX flushes
 * (ex2.ftz). */
static uint32_t mufu_half(const struct op *op, uint32_t function, uint32_t bits)
{
	bool bf16 = op->inst->mod[SASS_M_DTYPE] == SASS_TYPE_BF16;
	const struct float_format *f = bf16 ? &float_bf16 : &float_f16;
	const struct sass_operand *x = &op->inst->ops[1];
	uint32_t h = bits >> 16 * x->aux & 0xffff, wide;

	if (x->flags & SASS_ABS)
		h &= 0x7fff;
	if (x->flags & SASS_NEG)
		h ^= 0x8000;
	wide = (uint32_t)float_convert(f, &float_f32, h, FLOAT_NEAREST);
	return (uint32_t)float_convert(&float_f32, f, mufu(function, wide), FLOAT_NEAREST);
}

static void core_mufu(const struct op *op, struct operands *o)
{
	uint32_t function = op->inst->mod[SASS_M_FUNC];
	bool high = function == SASS_MUFU_RCP64H || function == SASS_MUFU_RSQ64H;

	for (uint32_t i = 0; i < LANES; i++)
		o->d[i] = op->inst->mod[SASS_M_DTYPE] ? mufu_half(op, function, o->s[0][i])
			  : high			      ? mufu_high(function, SRC(0))
							      : mufu(function, SRC(0));
}

const struct op_row rows_float[] = {
	{SASS_FADD, "dff", run_vector, core_fadd, prepare_arithmetic},
	{SASS_FMUL, "dff", run_vector, core_fmul, prepare_arithmetic},
	{SASS_FFMA, "dfff", run_vector, core_ffma, prepare_arithmetic},
	{SASS_FMNMX, "dffx", run_vector, core_fmnmx, NULL},
	{SASS_FSEL, "dffx", run_vector, core_fsel, NULL},
	{SASS_FSET, "dffx", run_vector, core_fset, NULL},
	{SASS_FSETP, "ppffx", run_vector, core_fsetp, NULL},
	{SASS_FCHK, "pff", run_vector, core_fchk, NULL},
	{SASS_MUFU, "df", run_vector, core_mufu, NULL},
	OP_ROWS_END,
};
