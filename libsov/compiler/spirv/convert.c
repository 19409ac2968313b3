// SPDX-License-Identifier: MIT
/* Conversions of numbers and pointers. */
#include <string.h>
#include "libsov/compiler/spirv/float.h"
#include "libsov/compiler/spirv/front_end.h"

enum { F_TO_U, F_TO_S, S_TO_F, U_TO_F, U_TO_U, S_TO_S, F_TO_F, SAT_S_TO_U, SAT_U_TO_S };

static enum ir_round rounding(struct spirv *s)
{
	const struct spirv_decoration *d = spirv_decoration_of(s, spirv_word(s, 2), SPIRV_NO_MEMBER,
							       SPIRV_DECORATION_FP_ROUNDING_MODE);
	static const uint8_t modes[] = {IR_RN, IR_RZ, IR_RP, IR_RM};

	return d && d->count && d->operands[0] < 4 ? modes[d->operands[0]] : IR_RN;
}

static ir_val convert_float(struct spirv *s, enum ir_type from, enum ir_type to, ir_val v)
{
	enum ir_round mode = rounding(s);
	ir_id i;

	if (to < from && to >= IR_B16 && to < IR_B64 && s->round_to_zero[to - IR_B16])
		mode = IR_RZ;
	if (from == to)
		return v;
	if (mode == IR_RN || to > from)
		return spirv_convert(s, IR_FTOF, from, to, v);
	i = spirv_emit(s, IR_FTOF, to, 1, 1, &v);
	ir_at(s->f, i)->from = from;
	ir_at(s->f, i)->round = mode;
	return ir_at(s->f, i)->res;
}

/* OpenCL may ask for another rounding than to zero. */
static enum ir_round integer_rounding(struct spirv *s)
{
	return spirv_decoration_of(s, spirv_word(s, 2), SPIRV_NO_MEMBER,
				   SPIRV_DECORATION_FP_ROUNDING_MODE)
		       ? rounding(s)
		       : IR_RZ;
}

static bool is_saturated(struct spirv *s)
{
	return spirv_is_decorated(s, spirv_word(s, 2), SPIRV_DECORATION_SATURATED_CONVERSION);
}

/* Clamps a number of at least 32 bits to a type that is not wider. */
static ir_val clamp_to(struct spirv *s, ir_val v, enum ir_type to, bool is_signed)
{
	enum ir_type t = spirv_type_of_val(s, v);
	uint64_t top = UINT64_MAX >> (64 - ir_type_bits(to) + is_signed);

	if (!is_signed)
		return spirv_op(s, IR_MIN_U, t, v, spirv_const(s, t, top), 0);
	v = spirv_op(s, IR_MIN_S, t, v, spirv_const(s, t, top), 0);
	return spirv_op(s, IR_MAX_S, t, v, spirv_const(s, t, ~top), 0);
}

/* The conversions of the IR saturate, and make 0 of NaN. */
static ir_val to_integer(struct spirv *s, bool is_signed, enum ir_type from, enum ir_type to,
			 ir_val v)
{
	enum ir_type wide = to < IR_B32 ? IR_B32 : to;
	ir_id i = spirv_emit(s, is_signed ? IR_FTOS : IR_FTOU, wide, 1, 1, &v);

	ir_at(s->f, i)->from = from;
	ir_at(s->f, i)->round = integer_rounding(s);
	v = ir_at(s->f, i)->res;
	if (to < IR_B32 && is_saturated(s))
		v = clamp_to(s, v, to, is_signed);
	return spirv_resize(s, v, to, false);
}

static ir_val to_float(struct spirv *s, bool is_signed, enum ir_type from, enum ir_type to,
		       ir_val v)
{
	ir_id i;

	if (from == IR_B8) {
		v = spirv_resize(s, v, IR_B32, is_signed);
		from = IR_B32;
	}
	i = spirv_emit(s, is_signed ? IR_STOF : IR_UTOF, to, 1, 1, &v);
	ir_at(s->f, i)->from = from;
	ir_at(s->f, i)->round = rounding(s);
	return ir_at(s->f, i)->res;
}

/* Clamps a signed number to an unsigned type of the same or another width, or the reverse. */
static ir_val saturate(struct spirv *s, bool to_unsigned, enum ir_type from, enum ir_type to,
		       ir_val v)
{
	enum ir_type wide = from < IR_B32 && to < IR_B32 ? IR_B32 : from > to ? from : to;
	uint32_t bits = ir_type_bits(to);
	uint64_t top = to_unsigned ? UINT64_MAX >> (64 - bits) : (UINT64_C(1) << (bits - 1)) - 1;
	ir_val x = spirv_resize(s, v, wide, to_unsigned);

	if (to_unsigned)
		x = spirv_op(s, IR_MAX_S, wide, x, spirv_const(s, wide, 0), 0);
	x = spirv_op(s, IR_MIN_U, wide, x, spirv_const(s, wide, top), 0);
	return spirv_resize(s, x, to, false);
}

static ir_val convert_one(struct spirv *s, uint32_t how, enum ir_type from, enum ir_type to,
			  ir_val v)
{
	switch (how) {
	case F_TO_U:
	case F_TO_S:
		return to_integer(s, how == F_TO_S, from, to, v);
	case S_TO_F:
	case U_TO_F:
		return to_float(s, how == S_TO_F, from, to, v);
	case U_TO_U:
	case S_TO_S:
		if (to < from && is_saturated(s)) {
			enum ir_type wide = from < IR_B32 ? IR_B32 : from;

			v = clamp_to(s, spirv_resize(s, v, wide, how == S_TO_S), to, how == S_TO_S);
		}
		return spirv_resize(s, v, to, how == S_TO_S);
	case F_TO_F:
		return convert_float(s, from, to, v);
	default:
		return saturate(s, how == SAT_S_TO_U, from, to, v);
	}
}

void spirv_lower_convert(struct spirv *s, uint32_t how)
{
	const struct spirv_type *t = spirv_result_type(s),
				*have = spirv_value_type(s, spirv_word(s, 3));
	bool from_float = how == F_TO_U || how == F_TO_S || how == F_TO_F,
	     to_float_type = how == S_TO_F || how == U_TO_F || how == F_TO_F;
	const ir_val *a = spirv_operand(s, 3, t->leaves);
	ir_val out[16];

	if (t->leaves > 16 || spirv_is_float(t) != to_float_type ||
	    spirv_is_float(have) != from_float || spirv_scalar(have)->kind > SPIRV_FLOAT ||
	    spirv_is_bool(t) || spirv_is_bool(have))
		spirv_fail(s, "the operand or the result has the wrong type");
	if ((t->use || have->use) && !spirv_matrices_correspond(t, have))
		spirv_fail(s, "a cooperative matrix of another use or shape, or of bytes for a "
			      "factor of wider elements");
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = convert_one(s, how, spirv_type_of_val(s, a[k]), spirv_leaf_type(t, k),
				     a[k]);
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* To the nearest f16, whose subnormals are flushed to zero, and back. */
void spirv_lower_quantize(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves);
	ir_val out[16];

	(void)detail;
	if (t->leaves > 16 || !spirv_is_float(t) || spirv_scalar(t)->ir != IR_B32)
		spirv_fail(s, "the operand is no f32");
	for (uint32_t k = 0; k < t->leaves; k++) {
		ir_val h = spirv_convert(s, IR_FTOF, IR_B32, IR_B16, a[k]), small, sign;

		small = spirv_compare(
			s, IR_ICMP, IR_B16, IR_LT_U,
			spirv_op(s, IR_AND, IR_B16, h, spirv_const(s, IR_B16, 0x7fff), 0),
			spirv_const(s, IR_B16, 0x400));
		sign = spirv_op(s, IR_AND, IR_B32, a[k], spirv_const(s, IR_B32, 0x80000000), 0);
		out[k] = spirv_select(s, small, sign, spirv_convert(s, IR_FTOF, IR_B16, IR_B32, h));
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* ---- bits ---- */

/* Splits or joins leaves until they have this type. */
static uint32_t recast(struct spirv *s, ir_val *v, uint32_t n, enum ir_type to)
{
	enum ir_type have = spirv_type_of_val(s, v[0]);

	for (; have > to; have--, n *= 2)
		for (uint32_t k = n; k-- > 0;) {
			ir_val x = v[k];

			if (have == IR_B16) {
				v[2 * k] = spirv_resize(s, x, IR_B8, false);
				x = spirv_op(s, IR_SHR_U, IR_B16, x, spirv_const(s, IR_B32, 8), 0);
				v[2 * k + 1] = spirv_resize(s, x, IR_B8, false);
				continue;
			}
			v[2 * k] = spirv_resize(s, x, have - 1, false);
			x = spirv_op(s, IR_SHR_U, have, x,
				     spirv_const(s, IR_B32, ir_type_bits(have) / 2), 0);
			v[2 * k + 1] = spirv_resize(s, x, have - 1, false);
		}
	for (; have < to; have++, n /= 2)
		for (uint32_t k = 0; k < n / 2; k++) {
			if (have == IR_B8) {
				ir_val high = spirv_resize(s, v[2 * k + 1], IR_B16, false);

				high = spirv_op(s, IR_SHL, IR_B16, high, spirv_const(s, IR_B32, 8),
						0);
				v[k] = spirv_op(s, IR_OR, IR_B16, high,
						spirv_resize(s, v[2 * k], IR_B16, false), 0);
				continue;
			}
			v[k] = spirv_op(s, IR_PACK, have + 1, v[2 * k], v[2 * k + 1], 0);
		}
	return n;
}

void spirv_lower_bitcast(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s),
				*have = spirv_value_type(s, spirv_word(s, 3));
	uint32_t bits, want;
	ir_val v[64];

	(void)detail;
	if (t->kind == SPIRV_POINTER && have->kind == SPIRV_POINTER &&
	    t->storage == have->storage) {
		struct spirv_pointer p = *spirv_pointer_of(s, spirv_word(s, 3));

		p.pointee = t->element;
		spirv_set_pointer(s, spirv_word(s, 2), t, &p);
		return;
	}
	if (!t->leaves || !have->leaves || t->leaves > 16 || have->leaves > 16 ||
	    spirv_is_bool(t) || spirv_is_bool(have) ||
	    t->kind >= SPIRV_MATRIX + (t->kind == SPIRV_POINTER) * 99)
		spirv_fail(s, "the operand or the result has the wrong type");
	bits = have->leaves * ir_type_bits(spirv_leaf_type(have, 0));
	want = t->leaves * ir_type_bits(spirv_leaf_type(t, 0));
	if (bits != want)
		spirv_fail(s, "%u bits to %u", bits, want);
	memcpy(v, spirv_leaves(s, spirv_word(s, 3)), have->leaves * sizeof(*v));
	recast(s, v, have->leaves, spirv_leaf_type(t, 0));
	memcpy(spirv_result(s, t), v, t->leaves * sizeof(*v));
}

/* detail 0: pointer to integer, 1: integer to pointer, 2: to generic, 3: from generic, 4: the same,
 * null if it is not in the space */
void spirv_lower_pointer_convert(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s),
				*have = spirv_value_type(s, spirv_word(s, 3));
	const struct spirv_type *outer = detail == 2 ? have : t;
	enum ir_space space =
		outer->storage == SPIRV_CLASS_WORKGROUP ? IR_SHARED
		: outer->storage == SPIRV_CLASS_FUNCTION || outer->storage == SPIRV_CLASS_PRIVATE
			? IR_LOCAL
			: IR_GLOBAL;
	ir_val v = spirv_operand(s, 3, 1)[0], x;
	ir_id i;

	if (spirv_leaf_type(t, 0) == IR_B1 || spirv_type_of_val(s, v) == IR_B1)
		spirv_fail(s, "the operand or the result is a bool");
	if (detail < 2 || (space == IR_GLOBAL && detail < 4)) {
		if (t->leaves != 1)
			spirv_fail(s, "pointers of this storage class are no numbers");
		spirv_set_scalar(s, spirv_resize(s, v, spirv_leaf_type(t, 0), false));
		return;
	}
	x = spirv_resize(s, v, IR_B64, false);
	if (detail == 2) {
		v = spirv_emit(s, IR_GENERIC, IR_B64, 1, 1, &x);
		ir_at(s->f, v)->space = space;
		spirv_set_scalar(s, ir_at(s->f, v)->res);
		return;
	}
	v = x;
	if (space != IR_GLOBAL) {
		i = spirv_emit(s, IR_TOSPACE, IR_B64, 1, 1, &x);
		ir_at(s->f, i)->space = space;
		v = ir_at(s->f, i)->res;
	}
	v = spirv_resize(s, v, spirv_leaf_type(t, 0), false);
	if (detail == 4) {
		i = spirv_emit(s, IR_INSPACE, IR_B64, 1, 1, &x);
		ir_at(s->f, i)->space = space;
		v = spirv_select(s, ir_at(s->f, i)->res, v,
				 spirv_const(s, spirv_type_of_val(s, v), 0));
	}
	spirv_set_scalar(s, v);
}
