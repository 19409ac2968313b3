// SPDX-License-Identifier: MIT
/*
 * Floating-point arithmetic and matrices. A product and a sum may be contracted unless the result
 * is decorated NoContraction. Divisions of f32 have the error of 2.5 ulp that Vulkan allows; OpenCL
 * allows it for divisors of any size, so there they are correctly rounded.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/float.h"

static bool contracts_off(struct spirv *s)
{
	return spirv_is_decorated(s, spirv_word(s, 2), SPIRV_DECORATION_NO_CONTRACTION);
}

/* Applies the result's NoContraction to what is emitted until it is restored. */
static bool begin(struct spirv *s)
{
	bool before = s->no_contraction;

	s->no_contraction |= contracts_off(s);
	return before;
}

static const struct spirv_type *float_result(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);

	if (!spirv_is_float(t) || t->leaves > 16)
		spirv_fail(s, "the result is no float, vector or matrix of them");
	return t;
}

static const ir_val *float_operand(struct spirv *s, uint32_t k, const struct spirv_type *t)
{
	const struct spirv_type *have = spirv_value_type(s, spirv_word(s, k));

	if (spirv_scalar(have) != spirv_scalar(t) &&
	    (!spirv_is_float(have) || spirv_scalar(have)->ir != spirv_scalar(t)->ir))
		spirv_fail(s, "%s has not the type of the result",
			   spirv_id_name(s, spirv_word(s, k)));
	return spirv_operand(s, k, t->leaves);
}

static void finish(struct spirv *s, const struct spirv_type *t, const ir_val *out, bool before)
{
	s->no_contraction = before;
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

ir_val spirv_to_single(struct spirv *s, ir_val v)
{
	return spirv_convert(s, IR_FTOF, spirv_type_of_val(s, v), IR_B32, v);
}

ir_val spirv_quotient(struct spirv *s, ir_val a, ir_val b)
{
	enum ir_type t = spirv_type_of_val(s, a);
	uint64_t bits;
	ir_val v;

	if (t == IR_B16) {
		v = spirv_quotient(s, spirv_to_single(s, a), spirv_to_single(s, b));
		return spirv_convert(s, IR_FTOF, IR_B32, IR_B16, v);
	}
	if (t == IR_B64 || s->kernel_environment || s->round_to_zero[IR_B32 - IR_B16] ||
	    (ir_is_const(s->f, a, &bits) && ir_is_const(s->f, b, &bits)))
		return spirv_float_op(s, IR_FDIV, t, a, b, 0);
	return spirv_float_op(s, IR_FMUL, t, a, spirv_approx(s, IR_APPROX_RCP, t, b), 0);
}

void spirv_lower_float_unary(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = float_result(s);
	const ir_val *a = float_operand(s, 3, t);
	bool before = begin(s);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_float_op(s, op, spirv_type_of_val(s, a[k]), a[k], 0, 0);
	finish(s, t, out, before);
}

void spirv_lower_float_binary(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = float_result(s);
	const ir_val *a = float_operand(s, 3, t), *b = float_operand(s, 4, t);
	bool before = begin(s);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		ir_val y = b[k];

		if (op == IR_SUB)
			y = spirv_float_op(s, IR_FNEG, type, y, 0, 0);
		out[k] = spirv_float_op(s, op == IR_SUB ? IR_FADD : op, type, a[k], y, 0);
	}
	finish(s, t, out, before);
}

void spirv_lower_divide(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = float_result(s);
	const ir_val *a = float_operand(s, 3, t), *b = float_operand(s, 4, t);
	bool before = begin(s);
	ir_val out[16];

	(void)detail;
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_quotient(s, a[k], b[k]);
	finish(s, t, out, before);
}

/* x - y trunc(x / y), or floor for the remainder with the divisor's sign. */
void spirv_lower_float_modulo(struct spirv *s, uint32_t floors)
{
	const struct spirv_type *t = float_result(s);
	const ir_val *a = float_operand(s, 3, t), *b = float_operand(s, 4, t);
	bool before = begin(s);
	ir_val out[16];

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]),
			     wide = type == IR_B16 ? IR_B32 : type;
		ir_val x = spirv_convert(s, IR_FTOF, type, wide, a[k]),
		       y = spirv_convert(s, IR_FTOF, type, wide, b[k]), q;

		q = spirv_float_op(s, IR_FDIV, wide, x, y, 0);
		q = spirv_round(s, wide, q, floors ? IR_RM : IR_RZ);
		q = spirv_float_op(s, IR_FMA, wide, spirv_float_op(s, IR_FNEG, wide, q, 0, 0), y,
				   x);
		out[k] = spirv_convert(s, IR_FTOF, wide, type, q);
	}
	finish(s, t, out, before);
}

ir_val spirv_round(struct spirv *s, enum ir_type type, ir_val v, enum ir_round mode)
{
	ir_id i = spirv_emit(s, IR_FROUND, type, 1, 1, &v);

	ir_at(s->f, i)->round = (uint8_t)mode;
	return ir_at(s->f, i)->res;
}

void spirv_lower_float_compare(struct spirv *s, uint32_t cond)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves), *b = spirv_operand(s, 4, t->leaves);
	ir_val out[16];

	if (!spirv_is_bool(t) || t->leaves > 16 ||
	    !spirv_is_float(spirv_value_type(s, spirv_word(s, 3))) ||
	    !spirv_is_float(spirv_value_type(s, spirv_word(s, 4))))
		spirv_fail(s, "floats are compared to bools");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);

		if (type != spirv_type_of_val(s, b[k]))
			spirv_fail(s, "the operands have different types");
		out[k] = spirv_compare(s, IR_FCMP, type, cond, a[k], b[k]);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* detail 0: NaN, 1: infinite, 2: finite, 3: normal, 4: sign bit */
static ir_val classify(struct spirv *s, ir_val v, uint32_t detail)
{
	enum ir_type t = spirv_type_of_val(s, v);
	uint32_t bits = ir_type_bits(t), fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
	uint64_t infinity = ((UINT64_C(1) << (bits - 1)) - 1) & ~((UINT64_C(1) << fraction) - 1);
	ir_val top = spirv_const(s, t, infinity), magnitude;

	if (!detail)
		return spirv_compare(s, IR_FCMP, t, IR_FNAN, v, v);
	if (detail == 4)
		return spirv_compare(s, IR_ICMP, t, IR_LT_S, v, spirv_const(s, t, 0));
	magnitude =
		spirv_op(s, IR_AND, t, v, spirv_const(s, t, (UINT64_C(1) << (bits - 1)) - 1), 0);
	if (detail < 3)
		return spirv_compare(s, IR_ICMP, t, detail == 1 ? IR_EQ : IR_LT_U, magnitude, top);
	return spirv_op(s, IR_AND, IR_B1, spirv_compare(s, IR_ICMP, t, IR_LT_U, magnitude, top),
			spirv_compare(s, IR_ICMP, t, IR_GE_U, magnitude,
				      spirv_const(s, t, UINT64_C(1) << fraction)),
			0);
}

void spirv_lower_classify(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, 3, t->leaves);
	ir_val out[16];

	if (!spirv_is_bool(t) || t->leaves > 16 ||
	    !spirv_is_float(spirv_value_type(s, spirv_word(s, 3))))
		spirv_fail(s, "floats are classified to bools");
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = classify(s, a[k], detail);
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* ---- matrices ---- */

/* The sum of n products a[i da] b[i db]. */
static ir_val sum_of_products(struct spirv *s, uint32_t n, const ir_val *a, uint32_t da,
			      const ir_val *b, uint32_t db)
{
	enum ir_type t = spirv_type_of_val(s, a[0]);
	ir_val sum = spirv_float_op(s, IR_FMUL, t, a[0], b[0], 0);

	for (uint32_t k = 1; k < n; k++) {
		if (s->no_contraction)
			sum = spirv_float_op(s, IR_FADD, t, sum,
					     spirv_float_op(s, IR_FMUL, t, a[k * da], b[k * db], 0),
					     0);
		else
			sum = spirv_float_op(s, IR_FMA, t, a[k * da], b[k * db], sum);
	}
	return sum;
}

ir_val spirv_dot(struct spirv *s, uint32_t n, const ir_val *a, const ir_val *b)
{
	return sum_of_products(s, n, a, 1, b, 1);
}

void spirv_lower_dot(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = float_result(s), *v = spirv_value_type(s, spirv_word(s, 3));
	const ir_val *a, *b;
	bool before = begin(s);
	ir_val out;

	(void)detail;
	if (v->kind != SPIRV_VECTOR || v->element->ir != t->ir ||
	    spirv_scalar(spirv_value_type(s, spirv_word(s, 4)))->ir != t->ir)
		spirv_fail(s, "the operands are no vectors of the result's type");
	a = spirv_leaves(s, spirv_word(s, 3));
	b = spirv_operand(s, 4, v->leaves);
	out = spirv_dot(s, v->count, a, b);
	finish(s, t, &out, before);
}

/* Rows, columns of an operand; a vector is a column, or as left factor a row. */
static void shape_of(const struct spirv_type *t, bool left, uint32_t *rows, uint32_t *columns)
{
	*rows = t->kind == SPIRV_MATRIX            ? t->element->count
		: t->kind == SPIRV_VECTOR && !left ? t->count
						   : 1;
	*columns = t->kind == SPIRV_MATRIX           ? t->count
		   : t->kind == SPIRV_VECTOR && left ? t->count
						     : 1;
}

/* VectorTimesScalar, MatrixTimesScalar, and the products of matrices and vectors. */
void spirv_lower_times(struct spirv *s, uint32_t by_scalar)
{
	const struct spirv_type *t = float_result(s), *ta = spirv_value_type(s, spirv_word(s, 3)),
				*tb = spirv_value_type(s, spirv_word(s, 4));
	const ir_val *a = spirv_leaves(s, spirv_word(s, 3)), *b = spirv_leaves(s, spirv_word(s, 4));
	uint32_t rows, inner, inner_b, columns;
	bool before = begin(s);
	ir_val out[16];

	if (spirv_scalar(ta)->ir != spirv_scalar(t)->ir || !spirv_is_float(ta) ||
	    spirv_scalar(tb)->ir != spirv_scalar(t)->ir || !spirv_is_float(tb))
		spirv_fail(s, "the operands have not the result's type");
	if (by_scalar) {
		if (ta->leaves != t->leaves || tb->leaves != 1)
			spirv_fail(s, "the operands have not the result's type");
		for (uint32_t k = 0; k < t->leaves; k++)
			out[k] = spirv_float_op(s, IR_FMUL, spirv_scalar(t)->ir, a[k], b[0], 0);
		finish(s, t, out, before);
		return;
	}
	shape_of(ta, true, &rows, &inner);
	shape_of(tb, false, &inner_b, &columns);
	if (inner != inner_b || rows * columns != t->leaves)
		spirv_fail(s, "a product of %u x %u by %u x %u", rows, inner, inner_b, columns);
	for (uint32_t c = 0; c < columns; c++)
		for (uint32_t r = 0; r < rows; r++)
			out[c * rows + r] =
				sum_of_products(s, inner, a + r, rows, b + c * inner, 1);
	finish(s, t, out, before);
}

void spirv_lower_outer(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = float_result(s);
	bool before = begin(s);
	const ir_val *a, *b;
	ir_val out[16];

	(void)detail;
	if (t->kind != SPIRV_MATRIX ||
	    spirv_scalar(spirv_value_type(s, spirv_word(s, 3)))->ir != spirv_scalar(t)->ir ||
	    spirv_scalar(spirv_value_type(s, spirv_word(s, 4)))->ir != spirv_scalar(t)->ir)
		spirv_fail(s, "the result is no matrix, or of another type");
	a = spirv_operand(s, 3, t->element->count);
	b = spirv_operand(s, 4, t->count);
	for (uint32_t c = 0; c < t->count; c++)
		for (uint32_t r = 0; r < t->element->count; r++)
			out[c * t->element->count + r] =
				spirv_float_op(s, IR_FMUL, spirv_scalar(t)->ir, a[r], b[c], 0);
	finish(s, t, out, before);
}

/* The f32 sum of an accumulator and the products of two pairs of f16. */
void spirv_lower_mixed_dot(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, 3, 2), *b = spirv_operand(s, 4, 2);
	ir_val sum = spirv_operand(s, 5, 1)[0];

	(void)detail;
	if (t->ir != IR_B32 || spirv_type_of_val(s, a[0]) != IR_B16 ||
	    spirv_type_of_val(s, b[0]) != IR_B16 || spirv_type_of_val(s, sum) != IR_B32)
		spirv_fail(s, "the operands are no pairs of f16 and f32");
	for (int k = 0; k < 2; k++)
		sum = spirv_float_op(s, IR_FMA, IR_B32, spirv_to_single(s, a[k]),
				     spirv_to_single(s, b[k]), sum);
	spirv_set_scalar(s, sum);
}
