// SPDX-License-Identifier: MIT
/* Conversions between integers and floats of all sizes, and rounding to integral values. They work
 * on bit patterns lane by lane and are exact in every rounding mode. */
#include <string.h>

#include "model/nv/exec.h"
#include "model/core/softfloat.h"

static const struct number_type {
	uint8_t bits;
	bool is_signed;
	const struct float_format *format; /* NULL: an integer */
} types[] = {
	[SASS_TYPE_NONE] = {32, false, NULL},       [SASS_TYPE_U8] = {8, false, NULL},
	[SASS_TYPE_S8] = {8, true, NULL},           [SASS_TYPE_U16] = {16, false, NULL},
	[SASS_TYPE_S16] = {16, true, NULL},         [SASS_TYPE_U32] = {32, false, NULL},
	[SASS_TYPE_S32] = {32, true, NULL},         [SASS_TYPE_U64] = {64, false, NULL},
	[SASS_TYPE_S64] = {64, true, NULL},         [SASS_TYPE_F16] = {16, true, &float_f16},
	[SASS_TYPE_BF16] = {16, true, &float_bf16}, [SASS_TYPE_F32] = {32, true, &float_f32},
	[SASS_TYPE_F64] = {64, true, &float_f64},   [SASS_TYPE_TF32] = {32, true, &float_tf32},
};

/* The destination of I2FP is f32, without a type modifier. */
static const struct number_type *destination_type(const struct op *op)
{
	return &types[op->inst->op == SASS_I2FP ? SASS_TYPE_F32 : op->inst->mod[SASS_M_DTYPE]];
}

/* FRND has one type, that of its destination; F2IP takes floats. */
static const struct number_type *source_type(const struct op *op)
{
	if (op->inst->op == SASS_F2IP)
		return &types[SASS_TYPE_F32];
	return &types[op->inst->mod[op->inst->op == SASS_FRND ? SASS_M_DTYPE : SASS_M_STYPE]];
}

static enum float_rounding rounding_mode(const struct op *op)
{
	return (enum float_rounding)op->inst->mod[SASS_M_RND];
}

/* Returns the source's bits after absolute value and negation, which apply to the sign of its
 * type. */
static uint64_t bits_of(const struct op *op, const struct operands *o, uint32_t i)
{
	const struct number_type *t = source_type(op);
	uint64_t raw = o->s[0][i], sign = 1ull << (t->bits - 1);

	if (t->bits == 64)
		raw |= (uint64_t)o->s[0][LANES + i] << 32;
	else /* the operand may select a byte or half of the register */
		raw = raw >> op->data[0] & ((2 * sign) - 1);
	if (!t->format)
		return raw;
	if (!(op->s[0].keep >> 31))
		raw &= ~sign;
	if (op->s[0].flip)
		raw ^= sign;
	return op->inst->mod[SASS_M_FTZ] && t->bits == 32 ? float_flush(t->format, raw) : raw;
}

/* F2F flushes halves, too (measured on an H200). */
static void write_result(const struct op *op, struct operands *o, uint32_t i, uint64_t value)
{
	const struct float_format *f = destination_type(op)->format;

	if (op->inst->mod[SASS_M_FTZ] &&
	    (f == &float_f32 || (f == &float_f16 && op->inst->op == SASS_F2F)))
		value = float_flush(f, value);
	o->d[i] = (uint32_t)value;
	if (op->dwords == 2)
		o->d[LANES + i] = (uint32_t)(value >> 32);
}

/* The 64-bit conversion unit passes NaNs through, the other one returns a canonical NaN (measured
 * on an H200). */
static bool propagates_nan(const struct op *op, uint64_t x)
{
	return float_is_nan(source_type(op)->format, x) &&
	       (source_type(op)->bits == 64 || destination_type(op)->bits == 64);
}

static void core_f2f(const struct op *op, struct operands *o)
{
	const struct float_format *from = source_type(op)->format,
				  *to = destination_type(op)->format;

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t x = bits_of(op, o, i);

		write_result(op, o, i,
			     propagates_nan(op, x) ? float_convert_nan(from, to, x)
						   : float_convert(from, to, x, rounding_mode(op)));
	}
}

/* Between f32 and f64 the host's conversions are the same, those of NaNs included: they keep the
 * sign and the leading mantissa bits and become quiet. */
static void core_f32_to_f64(const struct op *op, struct operands *o)
{
	uint32_t keep = op->s[0].keep | INT32_MAX, flip = op->s[0].flip & ~(uint32_t)INT32_MAX;
	const uint32_t *s = o->s[0];
	uint64_t out[LANES];

	EACH_LANE(i) {
		uint32_t bits = (s[i] & keep) ^ flip;
		float single;
		double wide;

		memcpy(&single, &bits, sizeof(bits));
		wide = single;
		memcpy(&out[i], &wide, sizeof(wide));
	}
	EACH_LANE(i)
		o->d[i] = (uint32_t)out[i];
	EACH_LANE(i)
		o->d[LANES + i] = (uint32_t)(out[i] >> 32);
}

static void core_f64_to_f32(const struct op *op, struct operands *o)
{
	uint32_t keep = op->s[0].keep | INT32_MAX, flip = op->s[0].flip & ~(uint32_t)INT32_MAX;
	const uint32_t *s = o->s[0];
	uint32_t out[LANES];

	EACH_LANE(i) {
		uint64_t bits = (uint64_t)((s[LANES + i] & keep) ^ flip) << 32 | s[i];
		double wide;
		float single;

		memcpy(&wide, &bits, sizeof(bits));
		single = (float)wide;
		memcpy(&out[i], &single, sizeof(single));
	}
	EACH_LANE(i)
		o->d[i] = out[i];
}

static void core_frnd(const struct op *op, struct operands *o)
{
	const struct float_format *f = source_type(op)->format;

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t x = bits_of(op, o, i);

		write_result(op, o, i,
			     propagates_nan(op, x) ? float_convert_nan(f, f, x)
						   : float_integral(f, x, rounding_mode(op)));
	}
}

static void core_i2f(const struct op *op, struct operands *o)
{
	const struct number_type *t = source_type(op);

	for (uint32_t i = 0; i < LANES; i++) {
		uint64_t raw = bits_of(op, o, i), sign = 1ull << (t->bits - 1);
		bool negative = t->is_signed && raw & sign;
		uint64_t magnitude = negative ? (~raw + 1) & (2 * sign - 1) : raw;

		write_result(op, o, i,
			     float_from_integer(destination_type(op)->format, negative, magnitude,
						rounding_mode(op)));
	}
}

/* Saturates at the bounds of the type. NaN becomes 0, or without NTZ the type's sign bit. */
static uint64_t to_integer(const struct op *op, const struct number_type *to, uint64_t bits)
{
	const struct number_type *from = source_type(op);
	bool negative = bits >> (from->bits - 1);
	uint64_t sign = 1ull << (to->bits - 1), most = to->is_signed ? sign - 1 : 2 * sign - 1;
	uint64_t value = float_magnitude(from->format, bits, rounding_mode(op));

	if (float_is_nan(from->format, bits))
		return op->inst->mod[SASS_M_NTZ] ? 0 : sign;
	if (!negative)
		return value < most ? value : most;
	if (!to->is_signed)
		return 0;
	return value < sign ? -value : -sign;
}

static void core_f2i(const struct op *op, struct operands *o)
{
	for (uint32_t i = 0; i < LANES; i++)
		write_result(op, o, i, to_integer(op, destination_type(op), bits_of(op, o, i)));
}

/* Two floats become two bytes; a half of c is merged above them. */
static void core_f2ip(const struct op *op, struct operands *o)
{
	const struct number_type *to = destination_type(op);

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t rest = o->s[2][i] >> 16 * op->inst->ops[3].aux << 16;

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t byte = to_integer(op, to, o->s[1 - k][i]) & 0xff;

			if (op->inst->mod[SASS_M_RELU] && to->is_signed && byte & 0x80)
				byte = 0;
			rest |= byte << 8 * k;
		}
		o->d[i] = rest;
	}
}

static const char *prepare_convert(struct op *op, const struct sass_inst *in)
{
	const struct number_type *from = source_type(op);

	if (in->ops[1].kind == SASS_GPR && from->bits < 32)
		op->data[0] = in->ops[1].aux * from->bits;
	op->dwords = destination_type(op)->bits == 64 ? 2 : 1;
	op->s[0].words = from->bits == 64 ? 2 : 1;
	if (op->s[0].kind == SOURCE_IMMEDIATE && from->bits == 64 && from->format) {
		op->s[0].high = op->s[0].value;
		op->s[0].value = 0;
	}
	return NULL;
}

static const char *prepare_f2f(struct op *op, const struct sass_inst *in)
{
	const struct float_format *from = source_type(op)->format,
				  *to = destination_type(op)->format;
	const char *reason = prepare_convert(op, in);

	if (reason || in->mod[SASS_M_FTZ] || op->data[0])
		return reason;
	if (from == &float_f32 && to == &float_f64)
		op->core = core_f32_to_f64;
	else if (from == &float_f64 && to == &float_f32 && rounding_mode(op) == FLOAT_NEAREST)
		op->core = core_f64_to_f32;
	return NULL;
}

const struct op_row rows_convert[] = {
	{SASS_F2F, "df", run_vector, core_f2f, prepare_f2f},
	{SASS_F2I, "df", run_vector, core_f2i, prepare_convert},
	{SASS_I2F, "ds", run_vector, core_i2f, prepare_convert},
	{SASS_I2FP, "ds", run_vector, core_i2f, prepare_convert},
	{SASS_F2IP, "dsss", run_vector, core_f2ip, NULL},
	{SASS_FRND, "df", run_vector, core_frnd, prepare_convert},
	OP_ROWS_END,
};
