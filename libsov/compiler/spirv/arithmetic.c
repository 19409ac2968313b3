// SPDX-License-Identifier: MIT
/*
 * Integer and logical arithmetic, component by component. Operations of 8 bits are done in 32,
 * which the targets have; so are those of 16 bits that the IR's back ends lack.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

/* The result's leaves, after the operands were read. */
static void finish(struct spirv *s, const struct spirv_type *t, const ir_val *leaves)
{
	for (uint32_t k = 0; k < t->leaves; k++)
		if (spirv_type_of_val(s, leaves[k]) != spirv_leaf_type(t, k))
			spirv_fail(s, "the operands do not fit the result's type");
	memcpy(spirv_result(s, t), leaves, t->leaves * sizeof(*leaves));
}

static const struct spirv_type *vector_result(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);

	if (t->leaves > 16 || spirv_scalar(t)->kind > SPIRV_FLOAT)
		spirv_fail(s, "the result is no scalar or vector");
	return t;
}

/* Operations whose narrow arguments must be extended by sign. */
static bool wants_sign(enum ir_op op)
{
	return op == IR_DIV_S || op == IR_REM_S || op == IR_MIN_S || op == IR_MAX_S ||
	       op == IR_SHR_S;
}

static ir_val integer_op(struct spirv *s, enum ir_op op, enum ir_type t, ir_val a, ir_val b)
{
	bool is_signed = wants_sign(op);
	bool narrow = t == IR_B8 || (t == IR_B16 && (op == IR_DIV_U || op == IR_DIV_S ||
						     op == IR_REM_U || op == IR_REM_S));

	if (!narrow)
		return spirv_op(s, op, t, a, b, 0);
	a = spirv_resize(s, a, IR_B32, is_signed);
	b = b ? spirv_resize(s, b, IR_B32, is_signed) : 0;
	return spirv_resize(s, spirv_op(s, op, IR_B32, a, b, 0), t, false);
}

void spirv_lower_unary(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = integer_op(s, op, spirv_type_of_val(s, a[k]), a[k], 0);
	finish(s, t, out);
}

static void check_types(struct spirv *s, ir_val a, ir_val b)
{
	if (spirv_type_of_val(s, a) != spirv_type_of_val(s, b))
		spirv_fail(s, "the operands have different types");
}

void spirv_lower_binary(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		check_types(s, a[k], b[k]);
		if (spirv_type_of_val(s, a[k]) == IR_B1 && op != IR_AND && op != IR_OR &&
		    op != IR_XOR)
			spirv_fail(s, "the operands are bools");
		out[k] = integer_op(s, op, spirv_type_of_val(s, a[k]), a[k], b[k]);
	}
	finish(s, t, out);
}

void spirv_lower_shift(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		ir_val by = b[k];

		if (type == IR_B1 || spirv_type_of_val(s, by) == IR_B1)
			spirv_fail(s, "the operands are bools");
		by = spirv_resize(s, by, IR_B32, false);
		if (type == IR_B8)
			out[k] = spirv_resize(
				s,
				spirv_op(s, op, IR_B32,
					 spirv_resize(s, a[k], IR_B32, op == IR_SHR_S), by, 0),
				IR_B8, false);
		else
			out[k] = spirv_op(s, op, type, a[k], by, 0);
	}
	finish(s, t, out);
}

/* The remainder with the divisor's sign: the signed one, plus the divisor where signs differ. */
void spirv_lower_modulo(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	(void)detail;
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]),
			     wide = type < IR_B32 ? IR_B32 : type;
		ir_val x, y, rem, zero = spirv_const(s, wide, 0), fix;

		check_types(s, a[k], b[k]);
		if (type == IR_B1)
			spirv_fail(s, "the operands are bools");
		x = spirv_resize(s, a[k], wide, true);
		y = spirv_resize(s, b[k], wide, true);
		rem = spirv_op(s, IR_REM_S, wide, x, y, 0);
		fix = spirv_op(s, IR_AND, IR_B1, spirv_compare(s, IR_ICMP, wide, IR_NE, rem, zero),
			       spirv_compare(s, IR_ICMP, wide, IR_LT_S,
					     spirv_op(s, IR_XOR, wide, rem, y, 0), zero),
			       0);
		rem = spirv_op(s, IR_ADD, wide, rem, spirv_select(s, fix, y, zero), 0);
		out[k] = spirv_resize(s, rem, type, false);
	}
	finish(s, t, out);
}

void spirv_lower_compare(struct spirv *s, uint32_t cond)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		bool is_signed = cond >= IR_LT_S && cond <= IR_GE_S;
		ir_val x = a[k], y = b[k];

		check_types(s, x, y);
		if (type == IR_B8) {
			x = spirv_resize(s, x, IR_B32, is_signed);
			y = spirv_resize(s, y, IR_B32, is_signed);
			type = IR_B32;
		}
		out[k] = spirv_compare(s, IR_ICMP, type, cond, x, y);
	}
	finish(s, t, out);
}

void spirv_lower_not_equal_bool(struct spirv *s, uint32_t equal)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		check_types(s, a[k], b[k]);
		if (spirv_type_of_val(s, a[k]) != IR_B1)
			spirv_fail(s, "the operands are no bools");
		out[k] = spirv_op(s, IR_XOR, IR_B1, a[k], b[k], 0);
		if (equal)
			out[k] = spirv_op(s, IR_NOT, IR_B1, out[k], 0, 0);
	}
	finish(s, t, out);
}

void spirv_lower_select(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s),
				*ct = spirv_value_type(s, spirv_word(s, 3));
	const ir_val *c, *a = spirv_operand(s, 4, t->leaves), *b = spirv_operand(s, 5, t->leaves);
	ir_val *out = arena_array(s->arena, t->leaves + 1, sizeof(*out));

	(void)detail;
	if (!spirv_is_bool(ct) || (ct->leaves != 1 && ct->leaves != t->leaves))
		spirv_fail(s, "the condition is no bool, or a vector of another size");
	c = spirv_leaves(s, spirv_word(s, 3));
	for (uint32_t k = 0; k < t->leaves; k++) {
		check_types(s, a[k], b[k]);
		out[k] = spirv_select(s, c[ct->leaves == 1 ? 0 : k], a[k], b[k]);
	}
	finish(s, t, out);
}

void spirv_lower_any_all(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 3));
	const ir_val *a;
	ir_val v;

	if (!spirv_is_bool(t))
		spirv_fail(s, "the operand is no vector of bools");
	a = spirv_leaves(s, spirv_word(s, 3));
	v = a[0];
	for (uint32_t k = 1; k < t->leaves; k++)
		v = spirv_op(s, op, IR_B1, v, a[k], 0);
	spirv_set_scalar(s, v);
}

/* UMulExtended, SMulExtended: a structure of the low and the high halves. */
void spirv_lower_extended(struct spirv *s, uint32_t is_signed)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t n = t->leaves / 2;
	const ir_val *a = spirv_operand(s, 3, n), *b = spirv_operand(s, 4, n);
	ir_val out[32];

	if (t->kind != SPIRV_STRUCT || t->count != 2 || t->leaves % 2 || n > 16)
		spirv_fail(s, "the result is no structure of two members");
	for (uint32_t k = 0; k < n; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);

		check_types(s, a[k], b[k]);
		if (type == IR_B1)
			spirv_fail(s, "the operands are bools");
		if (type < IR_B32) {
			ir_val p = spirv_op(s, IR_MUL, IR_B32,
					    spirv_resize(s, a[k], IR_B32, is_signed),
					    spirv_resize(s, b[k], IR_B32, is_signed), 0);

			out[k] = spirv_resize(s, p, type, false);
			out[n + k] = spirv_resize(
				s,
				spirv_op(s, IR_SHR_U, IR_B32, p,
					 spirv_const(s, IR_B32, ir_type_bits(type)), 0),
				type, false);
			continue;
		}
		out[k] = spirv_op(s, IR_MUL, type, a[k], b[k], 0);
		out[n + k] = spirv_op(s, is_signed ? IR_MULHI_S : IR_MULHI_U, type, a[k], b[k], 0);
	}
	finish(s, t, out);
}

/* IAddCarry, ISubBorrow: a structure of the results and their carries. */
void spirv_lower_carry(struct spirv *s, uint32_t subtract)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t n = t->leaves / 2;
	const ir_val *a = spirv_operand(s, 3, n), *b = spirv_operand(s, 4, n);
	ir_val out[32];

	if (t->kind != SPIRV_STRUCT || t->count != 2 || t->leaves % 2 || n > 16)
		spirv_fail(s, "the result is no structure of two members");
	for (uint32_t k = 0; k < n; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		ir_val carry;

		check_types(s, a[k], b[k]);
		if (type == IR_B1)
			spirv_fail(s, "the operands are bools");
		out[k] = integer_op(s, subtract ? IR_SUB : IR_ADD, type, a[k], b[k]);
		carry = spirv_compare(s, IR_ICMP, type, IR_LT_U, subtract ? a[k] : out[k],
				      subtract ? b[k] : a[k]);
		out[n + k] = spirv_resize(s, carry, type, false);
	}
	finish(s, t, out);
}

/* ---- bits ---- */

/* Ones in the low bits, all of them for a count of the width. */
static ir_val low_ones(struct spirv *s, enum ir_type t, ir_val count)
{
	ir_val ones = spirv_const(s, t, UINT64_MAX);

	return spirv_op(s, IR_NOT, t, spirv_op(s, IR_SHL, t, ones, count, 0), 0, 0);
}

void spirv_lower_bit_insert(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *base = spirv_operand(s, 3, t->leaves),
		     *insert = spirv_operand(s, 4, t->leaves);
	ir_val offset = spirv_integer_operand(s, 5, IR_B32),
	       count = spirv_integer_operand(s, 6, IR_B32), out[16];

	(void)detail;
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, base[k]),
			     wide = type < IR_B32 ? IR_B32 : type;
		ir_val mask = spirv_op(s, IR_SHL, wide, low_ones(s, wide, count), offset, 0), x, y;

		check_types(s, base[k], insert[k]);
		x = spirv_resize(s, insert[k], wide, false);
		x = spirv_op(s, IR_AND, wide, spirv_op(s, IR_SHL, wide, x, offset, 0), mask, 0);
		y = spirv_op(s, IR_AND, wide, spirv_resize(s, base[k], wide, false),
			     spirv_op(s, IR_NOT, wide, mask, 0, 0), 0);
		out[k] = spirv_resize(s, spirv_op(s, IR_OR, wide, x, y, 0), type, false);
	}
	finish(s, t, out);
}

void spirv_lower_bit_extract(struct spirv *s, uint32_t is_signed)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *base = spirv_operand(s, 3, t->leaves);
	ir_val offset = spirv_integer_operand(s, 4, IR_B32),
	       count = spirv_integer_operand(s, 5, IR_B32), out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, base[k]),
			     wide = type < IR_B32 ? IR_B32 : type;
		ir_val x = spirv_resize(s, base[k], wide, false);

		x = spirv_op(s, IR_SHR_U, wide, x, offset, 0);
		if (is_signed) {
			ir_val up = spirv_op(s, IR_SUB, IR_B32,
					     spirv_const(s, IR_B32, ir_type_bits(wide)), count, 0);

			x = spirv_op(s, IR_SHL, wide, x, up, 0);
			x = spirv_op(s, IR_SHR_S, wide, x, up, 0);
			/* A shift by the width copies the sign; no bits are 0. */
			x = spirv_select(s,
					 spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, count,
						       spirv_const(s, IR_B32, 0)),
					 spirv_const(s, wide, 0), x);
		} else {
			x = spirv_op(s, IR_AND, wide, x, low_ones(s, wide, count), 0);
		}
		out[k] = spirv_resize(s, x, type, false);
	}
	finish(s, t, out);
}

/* BitReverse, BitCount: the count may have another width. */
void spirv_lower_bit_unary(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = vector_result(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]),
			     wide = type < IR_B32 ? IR_B32 : type;
		ir_val v;

		if (type == IR_B1)
			spirv_fail(s, "the operand is a bool");
		v = spirv_op(s, op, wide, spirv_resize(s, a[k], wide, false), 0, 0);
		if (op == IR_BREV && type != wide)
			v = spirv_op(s, IR_SHR_U, IR_B32, v,
				     spirv_const(s, IR_B32, 32 - ir_type_bits(type)), 0);
		out[k] = spirv_resize(s, v, spirv_leaf_type(t, k), false);
	}
	finish(s, t, out);
}

void spirv_lower_expect(struct spirv *s, uint32_t detail)
{
	spirv_lower_copy_object(s, detail);
}

/* ---- dot products of integers ---- */

/* The four bytes of an operand as word, which dot takes; 0: it is none. */
static ir_val packed(struct spirv *s, const struct spirv_type *t, const ir_val *x)
{
	ir_val halves[2];

	if (t->kind == SPIRV_INT && t->bits == 32)
		return x[0];
	if (t->kind != SPIRV_VECTOR || t->count != 4 || t->element->ir != IR_B8)
		return 0;
	for (int k = 0; k < 2; k++)
		halves[k] = spirv_op(s, IR_OR, IR_B32, spirv_resize(s, x[2 * k], IR_B32, false),
				     spirv_op(s, IR_SHL, IR_B32,
					      spirv_resize(s, x[2 * k + 1], IR_B32, false),
					      spirv_const(s, IR_B32, 8), 0),
				     0);
	return spirv_op(s, IR_OR, IR_B32, halves[0],
			spirv_op(s, IR_SHL, IR_B32, halves[1], spirv_const(s, IR_B32, 16), 0), 0);
}

/* a + b, clamped to the type. */
static ir_val saturated_sum(struct spirv *s, enum ir_type t, bool is_signed, ir_val a, ir_val b)
{
	ir_val sum = spirv_op(s, IR_ADD, t, a, b, 0), bound, over;
	uint32_t bits = ir_type_bits(t);

	if (!is_signed)
		return spirv_select(s, spirv_compare(s, IR_ICMP, t, IR_LT_U, sum, a),
				    spirv_const(s, t, UINT64_MAX), sum);
	over = spirv_op(s, IR_AND, t, spirv_op(s, IR_XOR, t, sum, a, 0),
			spirv_op(s, IR_XOR, t, sum, b, 0), 0);
	bound = spirv_op(s, IR_XOR, t,
			 spirv_op(s, IR_SHR_S, t, a, spirv_const(s, IR_B32, bits - 1), 0),
			 spirv_const(s, t, (UINT64_C(1) << (bits - 1)) - 1), 0);
	return spirv_select(s, spirv_compare(s, IR_ICMP, t, IR_LT_S, over, spirv_const(s, t, 0)),
			    bound, sum);
}

/* detail: bit 0: the first is signed, 1: the second, 2: with a saturating accumulator */
void spirv_lower_integer_dot(struct spirv *s, uint32_t detail)
{
	static const uint8_t subs[] = {IR_DOT4_UU, IR_DOT4_SU, IR_DOT4_US, IR_DOT4_SS};
	const struct spirv_type *t = spirv_result_type(s),
				*ta = spirv_value_type(s, spirv_word(s, 3)),
				*tb = spirv_value_type(s, spirv_word(s, 4));
	const ir_val *a = spirv_leaves(s, spirv_word(s, 3)), *b = spirv_operand(s, 4, ta->leaves);
	bool sa = detail & 1, sb = detail & 2;
	enum ir_type wide = t->ir < IR_B32 ? IR_B32 : t->ir;
	ir_val sum = 0, x, y;

	if (t->kind != SPIRV_INT || !spirv_is_int(ta) || !spirv_is_int(tb))
		spirv_fail(s, "the operands and the result are no integers");
	x = packed(s, ta, a);
	y = packed(s, tb, b);
	if (x && y) {
		ir_id i = spirv_emit(s, IR_DOT, IR_B32, 1, 3,
				     (ir_val[]){x, y, spirv_const(s, IR_B32, 0)});

		ir_at(s->f, i)->sub = subs[detail & 3];
		sum = spirv_resize(s, ir_at(s->f, i)->res, wide, sa || sb);
	} else {
		for (uint32_t k = 0; k < ta->leaves; k++) {
			x = spirv_op(s, IR_MUL, wide, spirv_resize(s, a[k], wide, sa),
				     spirv_resize(s, b[k], wide, sb), 0);
			sum = sum ? spirv_op(s, IR_ADD, wide, sum, x, 0) : x;
		}
	}
	if (detail & 4) {
		x = spirv_operand(s, 5, 1)[0];
		if (spirv_type_of_val(s, x) != t->ir)
			spirv_fail(s, "the accumulator has another type than the result");
		if (t->ir == IR_B8)
			spirv_fail(s, "saturating sums of 8 bits are not supported");
		sum = saturated_sum(s, t->ir, sa || sb, spirv_resize(s, sum, t->ir, false), x);
	}
	spirv_set_scalar(s, spirv_resize(s, sum, t->ir, false));
}
