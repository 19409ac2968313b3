// SPDX-License-Identifier: MIT
/* Comparisons to a lane mask: eight conditions on integers, sixteen on floats, and float class
 * tests. A condition is the set of relations for which it is true. */
#include "model/amd/wave.h"
#include "model/core/softfloat.h"

/* Relations of two values. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8, ANY = 15 };

#define RELATION(x, y) ((x) < (y) ? LESS : (x) > (y) ? GREATER : EQUAL)
#define WIDE(s, i)     ((s)[0][i] | (uint64_t)(s)[1][i] << 32)

#define INTEGERS(name, type, value) \
	static void core_##name(const struct op *op, struct operands *o) \
	{ \
		uint32_t set = op->handler->data; \
		for (uint32_t i = 0; i < LANES; i++) { \
			const row *s = o->s[0]; \
			type a = (type)(value), b; \
			s = o->s[1]; \
			b = (type)(value); \
			o->mask |= (uint32_t)((set & RELATION(a, b)) != 0) << i; \
		} \
	}
INTEGERS(i16, int16_t, s[0][i])
INTEGERS(u16, uint16_t, s[0][i])
INTEGERS(i32, int32_t, s[0][i])
INTEGERS(u32, uint32_t, s[0][i])
INTEGERS(i64, int64_t, WIDE(s, i))
INTEGERS(u64, uint64_t, WIDE(s, i))

/* Maps sign and magnitude of a float to an ordered integer. */
static int64_t ordered(const struct float_format *f, uint64_t x)
{
	uint64_t sign = 1ull << (f->mantissa + f->exponent);

	return x & sign ? -(int64_t)(x & (sign - 1)) : (int64_t)x;
}

static uint32_t relation(const struct float_format *f, uint64_t a, uint64_t b)
{
	if (float_is_nan(f, a) || float_is_nan(f, b))
		return UNORDERED;
	return RELATION(ordered(f, a), ordered(f, b));
}

static uint64_t float_operand(const struct float_format *f, const row *s, uint32_t i)
{
	return f == &float_f64 ? WIDE(s, i) : f == &float_f16 ? s[0][i] & 0xffff : s[0][i];
}

static const struct float_format *format_of(const struct op *op)
{
	uint8_t type = op->in.row->type[AMD_S0];

	return type == TYPE_F64 ? &float_f64 : type == TYPE_F16 ? &float_f16 : &float_f32;
}

static void core_float(const struct op *op, struct operands *o)
{
	const struct float_format *f = format_of(op);
	uint32_t set = op->handler->data;

	for (uint32_t i = 0; i < LANES; i++)
		if (set & relation(f, float_operand(f, o->s[0], i), float_operand(f, o->s[1], i)))
			o->mask |= 1u << i;
}

/* Signalling NaN, quiet NaN, then -inf -normal -denormal -0 +0 +denormal +normal +inf. */
static uint32_t class_of(const struct float_format *f, uint64_t x)
{
	uint64_t sign = 1ull << (f->mantissa + f->exponent), magnitude = x & (sign - 1);
	uint64_t infinity = ((1ull << f->exponent) - 1) << f->mantissa;
	uint32_t kind;

	if (magnitude > infinity)
		return magnitude >> (f->mantissa - 1) & 1 ? 2 : 1;
	kind = !magnitude ? 0 : magnitude < 1ull << f->mantissa ? 1 : magnitude < infinity ? 2 : 3;
	return x & sign ? 1u << (5 - kind) : 1u << (6 + kind);
}

static void core_class(const struct op *op, struct operands *o)
{
	const struct float_format *f = format_of(op);

	for (uint32_t i = 0; i < LANES; i++)
		if (o->s[1][0][i] & class_of(f, float_operand(f, o->s[0], i)))
			o->mask |= 1u << i;
}

#define C(condition, type, core, set) \
	{AMD_v_cmp_##condition##_##type, amd_run_compare, core, set}, \
	{ \
		AMD_v_cmpx_##condition##_##type, amd_run_compare, core, set \
	}
#define F(condition, type, set) C(condition, type, core_float, set)
#define FLOATS(t) \
	F(f, t, 0), F(lt, t, LESS), F(eq, t, EQUAL), F(le, t, LESS | EQUAL), F(gt, t, GREATER), \
		F(lg, t, LESS | GREATER), F(ge, t, GREATER | EQUAL), \
		F(o, t, LESS | EQUAL | GREATER), F(u, t, UNORDERED), F(nge, t, UNORDERED | LESS), \
		F(nlg, t, UNORDERED | EQUAL), F(ngt, t, UNORDERED | LESS | EQUAL), \
		F(nle, t, UNORDERED | GREATER), F(neq, t, UNORDERED | LESS | GREATER), \
		F(nlt, t, UNORDERED | GREATER | EQUAL), F(tru, t, ANY), C(class, t, core_class, 0)
#define SIX(ty) \
	C(lt, ty, core_##ty, LESS), C(eq, ty, core_##ty, EQUAL), \
		C(le, ty, core_##ty, LESS | EQUAL), C(gt, ty, core_##ty, GREATER), \
		C(ne, ty, core_##ty, LESS | GREATER), C(ge, ty, core_##ty, GREATER | EQUAL)
#define EIGHT(ty) C(f, ty, core_##ty, 0), SIX(ty), C(t, ty, core_##ty, ANY)

const struct handler amd_handlers_compare[] = {
	FLOATS(f16), FLOATS(f32), FLOATS(f64), SIX(i16),   SIX(u16),
	EIGHT(i32),  EIGHT(u32),  EIGHT(i64),  EIGHT(u64), HANDLERS_END,
};
