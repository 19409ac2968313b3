// SPDX-License-Identifier: MIT
/* Arithmetic in non-default float modes. MODE selects the rounding and whether subnormals are
 * flushed, separately for singles and for halves and doubles (RDNA2 manual, mode register). Sums,
 * products and conversions round by model/core/softfloat.c; minima, integral values and
 * approximated functions do not depend on the mode. Operations that do, but are not listed here,
 * are rejected. Whether flushing applies before the final rounding is not known: products are
 * flushed as by NVIDIA's GPUs, if they are subnormal when rounded with an unbounded exponent. */
#include "model/amd/wave.h"
#include "model/core/softfloat.h"

static const uint8_t roundings[] = {FLOAT_NEAREST, FLOAT_UP, FLOAT_DOWN, FLOAT_ZERO};

typedef uint64_t rounded_fn(const struct float_format *f, const uint64_t x[3],
			    enum float_rounding r);

static uint64_t sum(const struct float_format *f, const uint64_t x[3], enum float_rounding r)
{
	return float_add(f, x[0], x[1], r);
}

static uint64_t product(const struct float_format *f, const uint64_t x[3], enum float_rounding r)
{
	return float_mul(f, x[0], x[1], 0, r);
}

static uint64_t fused(const struct float_format *f, const uint64_t x[3], enum float_rounding r)
{
	return float_fma(f, x[0], x[1], x[2], 0, r);
}

static uint64_t from_signed(const struct float_format *f, const uint64_t x[3],
			    enum float_rounding r)
{
	int32_t v = (int32_t)x[0];

	return float_from_integer(f, v < 0, v < 0 ? 0 - (uint64_t)(int64_t)v : (uint64_t)v, r);
}

static uint64_t from_unsigned(const struct float_format *f, const uint64_t x[3],
			      enum float_rounding r)
{
	return float_from_integer(f, false, (uint32_t)x[0], r);
}

static uint64_t from_double(const struct float_format *f, const uint64_t x[3],
			    enum float_rounding r)
{
	return float_convert(&float_f64, f, x[0], r);
}

static uint64_t from_single(const struct float_format *f, const uint64_t x[3],
			    enum float_rounding r)
{
	return float_convert(&float_f32, f, x[0], r);
}

static const struct {
	uint16_t op;
	rounded_fn *compute;
} rounded[] = {
	{AMD_v_add_f32, sum},
	{AMD_v_mul_f32, product},
	{AMD_v_fma_f32, fused},
	{AMD_v_add_f64, sum},
	{AMD_v_mul_f64, product},
	{AMD_v_fma_f64, fused},
	{AMD_v_add_f16, sum},
	{AMD_v_mul_f16, product},
	{AMD_v_fma_f16, fused},
	{AMD_v_pk_add_f16, sum},
	{AMD_v_pk_mul_f16, product},
	{AMD_v_pk_fma_f16, fused},
	{AMD_v_cvt_f32_i32, from_signed},
	{AMD_v_cvt_f32_u32, from_unsigned},
	{AMD_v_cvt_f32_f64, from_double},
	{AMD_v_cvt_f16_f32, from_single},
};

/* True if the result is exact, or approximated anyway. */
static bool rounds_nothing(const struct amd_row *what)
{
	static const uint16_t ops[] = {
		AMD_v_min_f16,     AMD_v_max_f16,     AMD_v_min_f32,     AMD_v_max_f32,
		AMD_v_min_f64,     AMD_v_max_f64,     AMD_v_pk_min_f16,  AMD_v_pk_max_f16,
		AMD_v_med3_f32,    AMD_v_rndne_f16,   AMD_v_trunc_f16,   AMD_v_floor_f16,
		AMD_v_ceil_f16,    AMD_v_rndne_f32,   AMD_v_trunc_f32,   AMD_v_floor_f32,
		AMD_v_ceil_f32,    AMD_v_rndne_f64,   AMD_v_trunc_f64,   AMD_v_floor_f64,
		AMD_v_ceil_f64,    AMD_v_rcp_f16,     AMD_v_sqrt_f16,    AMD_v_rsq_f16,
		AMD_v_exp_f16,     AMD_v_log_f16,     AMD_v_sin_f16,     AMD_v_cos_f16,
		AMD_v_rcp_f32,     AMD_v_sqrt_f32,    AMD_v_rsq_f32,     AMD_v_exp_f32,
		AMD_v_log_f32,     AMD_v_sin_f32,     AMD_v_cos_f32,     AMD_v_rcp_f64,
		AMD_v_sqrt_f64,    AMD_v_rsq_f64,     AMD_v_cvt_f32_f16, AMD_v_cvt_f64_f32,
		AMD_v_cvt_f64_i32, AMD_v_cvt_f64_u32,
	};

	if (!amd_types[what->type[AMD_D]].is_float && what->type[AMD_D] != TYPE_PF16)
		return true;
	for (uint32_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
		if (ops[k] == what->op)
			return true;
	return false;
}

static uint32_t rounding_of(const struct wave *w, const struct op *op)
{
	uint8_t d = op->in.row->type[AMD_D];

	return w->mode >> (d == TYPE_F64 || d == TYPE_F16 || d == TYPE_PF16 ? 2 : 0) & 3;
}

/* True if subnormals of a type are flushed: singles by two bits of MODE, halves and doubles by the
 * next two. */
static bool flushes(const struct wave *w, const struct op *op, uint8_t type)
{
	bool halves = type == TYPE_F16 || type == TYPE_PF16 || type == TYPE_F64;

	return (type == TYPE_F32 || halves) && op->in.row->op != AMD_v_cndmask_b32 &&
	       !(w->mode >> (halves ? 6 : 4) & 3);
}

bool amd_mode_is_known(uint32_t mode)
{
	return (mode >> 6 & 3) % 3 == 0 && (mode >> 4 & 3) % 3 == 0;
}

/* True if a source must be flushed first. */
bool amd_mode_flushes(const struct wave *w, const struct op *op, uint32_t source)
{
	return flushes(w, op, op->in.row->type[AMD_S0 + source]);
}

void amd_mode_flush(row *r, uint8_t type)
{
	for (uint32_t i = 0; i < LANES; i++)
		switch (type) {
		case TYPE_F32:
			r[0][i] &= r[0][i] & 0x7f800000 ? UINT32_MAX : 0x80000000;
			break;
		case TYPE_F64:
			if (!(r[1][i] & 0x7ff00000)) {
				r[0][i] = 0;
				r[1][i] &= 0x80000000;
			}
			break;
		default:
			r[0][i] &= r[0][i] & 0x7c00 ? UINT32_MAX : 0xffff8000;
			r[0][i] &=
				r[0][i] & 0x7c000000 || type == TYPE_F16 ? UINT32_MAX : 0x8000ffff;
			break;
		}
}

/* One value of a lane, in an operand's type; half: index of a packed half. */
static uint64_t read_value(const struct op *op, const struct operands *o, uint32_t k, uint32_t i,
			   int half)
{
	const int32_t *f = op->in.field;
	uint32_t x = o->s[k][0][i];

	if (half < 0)
		return amd_types[op->in.row->type[AMD_S0 + k]].words == 2
			       ? x | (uint64_t)o->s[k][1][i] << 32
		       : amd_types[op->in.row->type[AMD_S0 + k]].is_half ? x & 0xffff
									 : x;
	x = (half ? f[AMD_F_OP_SEL_HI] : f[AMD_F_OP_SEL]) >> k & 1 ? x >> 16 : x & 0xffff;
	return x ^ ((half ? f[AMD_F_ABS] : f[AMD_F_NEG]) >> k & 1 ? 0x8000 : 0);
}

static const struct float_format *format_of(uint8_t type)
{
	return type == TYPE_F64 ? &float_f64 : type == TYPE_F32 ? &float_f32 : &float_f16;
}

static void read_values(const struct op *op, const struct operands *o, uint32_t i, int half,
			uint64_t x[3])
{
	for (uint32_t k = 0; k < 3; k++)
		x[k] = op->in.row->type[AMD_S0 + k] ? read_value(op, o, k, i, half) : 0;
}

static void compute_rounded(const struct op *op, struct operands *o, rounded_fn *fn,
			    enum float_rounding r)
{
	uint8_t d = op->in.row->type[AMD_D];
	bool pairs = d == TYPE_PF16;

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t result = 0, x[3];

		for (int half = pairs ? 0 : -1; half < (pairs ? 2 : 0); half++) {
			read_values(op, o, i, half, x);
			result |= fn(format_of(d), x, r) << (half > 0 ? 16 : 0);
		}
		o->d[0][i] = (uint32_t)result;
		if (d == TYPE_F64)
			o->d[1][i] = (uint32_t)(result >> 32);
	}
}

/* Makes products zero that are the smallest normal number only by the final rounding: twice such a
 * product, which has all bits of the significand, rounds to less than twice that number. */
static void flush_products(const struct op *op, struct operands *o, rounded_fn *fn,
			   enum float_rounding r)
{
	uint8_t d = op->in.row->type[AMD_D];
	const struct float_format *f = format_of(d);
	uint64_t normal = UINT64_C(1) << f->mantissa, twice, x[3];
	uint32_t all = f == &float_f16 ? 0x7fff : 0x7fffffff; /* but the sign */
	bool pairs = d == TYPE_PF16;

	if (d == TYPE_F64 || (fn != product && fn != fused))
		return;
	for (uint32_t i = 0; i < LANES; i++)
		for (uint32_t half = 0; half < (pairs ? 2 : 1); half++) {
			if ((o->d[0][i] >> 16 * half & all) != normal)
				continue;
			read_values(op, o, i, pairs ? (int)half : -1, x);
			twice = fn == product ? float_mul(f, x[0], x[1], 1, r)
					      : float_fma(f, x[0], x[1], x[2], 1, r);
			if ((twice & all) < 2 * normal)
				o->d[0][i] &= ~(all << 16 * half);
		}
}

void amd_mode_run(struct wave *w, const struct op *op, struct operands *o)
{
	uint32_t round = rounding_of(w, op);
	rounded_fn *fn = NULL;

	for (uint32_t k = 0; !fn && k < sizeof(rounded) / sizeof(rounded[0]); k++)
		if (rounded[k].op == op->in.row->op)
			fn = rounded[k].compute;
	if (round && !fn && !rounds_nothing(op->in.row)) {
		amd_wave_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, 0,
			       "%s is modelled with rounding to nearest only, not mode 0x%x",
			       op->in.row->name, w->mode & 0xff);
		return;
	}
	if (round && fn)
		compute_rounded(op, o, fn, roundings[round]);
	else
		op->handler->core(op, o);
	if (!flushes(w, op, op->in.row->type[AMD_D]))
		return;
	flush_products(op, o, fn, roundings[round]);
	amd_mode_flush(o->d, op->in.row->type[AMD_D]);
}
