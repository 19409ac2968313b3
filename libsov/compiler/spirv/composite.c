// SPDX-License-Identifier: MIT
/* Vectors, matrices, arrays and structures as values: their leaves are copied. */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

void spirv_lower_nothing(struct spirv *s, uint32_t detail)
{
	(void)s;
	(void)detail;
}

void spirv_lower_undef(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val *out = spirv_result(s, t);

	(void)detail;
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_undef(s, spirv_leaf_type(t, k));
}

static void check_same(struct spirv *s, const struct spirv_type *t, uint32_t id)
{
	const struct spirv_type *have = spirv_value_type(s, id);
	bool good = have->leaves == t->leaves;

	for (uint32_t k = 0; good && have != t && k < t->leaves; k++)
		good = spirv_leaf_type(have, k) == spirv_leaf_type(t, k);
	if (!good)
		spirv_fail(s, "%s has not the type %s", spirv_id_name(s, id),
			   spirv_id_name(s, t->id));
}

void spirv_lower_copy_object(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t id = spirv_word(s, 3);

	(void)detail;
	check_same(s, t, id);
	if (t->kind == SPIRV_POINTER) {
		spirv_set_pointer(s, spirv_word(s, 2), t, spirv_pointer_of(s, id));
		return;
	}
	memcpy(spirv_result(s, t), spirv_leaves(s, id), t->leaves * sizeof(ir_val));
}

/* Follows literal indices from word k on; returns the part's type and its first leaf. */
static const struct spirv_type *follow(struct spirv *s, const struct spirv_type *t, uint32_t k,
				       uint32_t *leaf)
{
	*leaf = 0;
	for (; k < s->in.count; k++) {
		uint32_t at;

		t = spirv_part(s, t, spirv_word(s, k), &at);
		*leaf += at;
	}
	return t;
}

static void check_type(struct spirv *s, const struct spirv_type *t, const struct spirv_type *part)
{
	if (t->leaves != part->leaves ||
	    (t->leaves && spirv_leaf_type(t, 0) != spirv_leaf_type(part, 0)))
		spirv_fail(s, "the part has the type %s, not %s", spirv_id_name(s, part->id),
			   spirv_id_name(s, t->id));
}

void spirv_lower_extract(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *whole, *part;
	uint32_t id = spirv_word(s, 3), leaf;

	(void)detail;
	whole = spirv_value_type(s, id);
	part = follow(s, whole, 4, &leaf);
	check_type(s, t, part);
	/* Of a constant table, the part alone. */
	if (spirv_id_of(s, id)->kind == SPIRV_ID_CONSTANT) {
		const struct spirv_constant *c = spirv_id_of(s, id)->constant;
		struct spirv_constant one = {.type = t, .undef = c->undef};
		ir_val *leaves;

		one.bits = c->bits ? c->bits + leaf : NULL;
		leaves = spirv_constant_leaves(s, &one);
		memcpy(spirv_result(s, t), leaves, t->leaves * sizeof(ir_val));
		return;
	}
	memcpy(spirv_result(s, t), spirv_leaves(s, id) + leaf, t->leaves * sizeof(ir_val));
}

void spirv_lower_insert(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *part;
	uint32_t leaf;
	const ir_val *whole, *object;
	ir_val *out;

	(void)detail;
	check_same(s, t, spirv_word(s, 4));
	part = follow(s, t, 5, &leaf);
	check_same(s, part, spirv_word(s, 3));
	object = spirv_leaves(s, spirv_word(s, 3));
	whole = spirv_leaves(s, spirv_word(s, 4));
	out = spirv_result(s, t);
	memcpy(out, whole, t->leaves * sizeof(ir_val));
	memcpy(out + leaf, object, part->leaves * sizeof(ir_val));
}

void spirv_lower_construct(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val *out;
	uint32_t n = 0;

	(void)detail;
	if (t->kind < SPIRV_VECTOR || t->kind > SPIRV_STRUCT || t->leaves > SPIRV_MAX_LEAVES)
		spirv_fail(s, "values of the type %s are not constructed", spirv_id_name(s, t->id));
	out = arena_array(s->arena, t->leaves + 1, sizeof(*out));
	/* All elements of a cooperative matrix are the one constituent. */
	for (uint32_t k = 3; t->use ? n < t->leaves : k < s->in.count; k++) {
		uint32_t id = spirv_word(s, t->use ? 3 : k),
			 count = spirv_value_type(s, id)->leaves;
		const ir_val *leaves;

		if (count > t->leaves - n)
			spirv_fail(s, "the constituents have more scalars than %s",
				   spirv_id_name(s, t->id));
		leaves = spirv_leaves(s, id);
		for (uint32_t j = 0; j < count; j++, n++) {
			out[n] = leaves[j];
			if (spirv_type_of_val(s, out[n]) != spirv_leaf_type(t, n))
				spirv_fail(s, "constituent %u has another type than the part",
					   k - 3);
		}
	}
	if (n != t->leaves)
		spirv_fail(s, "the constituents have %u scalars, and %s %u", n,
			   spirv_id_name(s, t->id), t->leaves);
	memcpy(spirv_result(s, t), out, n * sizeof(*out));
}

void spirv_lower_shuffle(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *a, *b;
	const ir_val *x, *y;
	ir_val *out;

	(void)detail;
	a = spirv_value_type(s, spirv_word(s, 3));
	b = spirv_value_type(s, spirv_word(s, 4));
	if (t->kind != SPIRV_VECTOR || a->kind != SPIRV_VECTOR || b->kind != SPIRV_VECTOR ||
	    a->element != t->element || b->element != t->element || s->in.count != 5 + t->count)
		spirv_fail(s, "the vectors have different components, or their number is wrong");
	x = spirv_leaves(s, spirv_word(s, 3));
	y = spirv_leaves(s, spirv_word(s, 4));
	out = arena_array(s->arena, t->leaves, sizeof(*out));
	for (uint32_t k = 0; k < t->count; k++) {
		uint32_t from = spirv_word(s, 5 + k);

		if (from != UINT32_MAX && from >= a->count + b->count)
			spirv_fail(s, "component %u of vectors of %u and %u", from, a->count,
				   b->count);
		if (from != UINT32_MAX)
			out[k] = from < a->count ? x[from] : y[from - a->count];
		else if (s->kernel_environment) /* clang stores vectors of three as four */
			out[k] = spirv_const(s, t->element->ir, 0);
		else
			out[k] = spirv_undef(s, t->element->ir);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

static ir_val is_index(struct spirv *s, ir_val index, uint32_t k)
{
	enum ir_type t = spirv_type_of_val(s, index);

	return spirv_compare(s, IR_ICMP, t, IR_EQ, index, spirv_const(s, t, k));
}

void spirv_lower_extract_dynamic(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *v = spirv_value_type(s, spirv_word(s, 3));
	ir_val index = spirv_integer_operand(s, 4, IR_B32), out;
	const ir_val *x;

	(void)detail;
	if (v->kind != SPIRV_VECTOR)
		spirv_fail(s, "%s is no vector", spirv_id_name(s, spirv_word(s, 3)));
	x = spirv_leaves(s, spirv_word(s, 3));
	out = x[0];
	for (uint32_t k = 1; k < v->count; k++)
		out = spirv_select(s, is_index(s, index, k), x[k], out);
	spirv_set_scalar(s, out);
}

void spirv_lower_insert_dynamic(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val index = spirv_integer_operand(s, 5, IR_B32), object;
	const ir_val *x;
	ir_val *out = arena_array(s->arena, t->leaves + 1, sizeof(*out));

	(void)detail;
	if (t->kind != SPIRV_VECTOR)
		spirv_fail(s, "%s is no vector", spirv_id_name(s, t->id));
	check_same(s, t, spirv_word(s, 3));
	check_same(s, t->element, spirv_word(s, 4));
	x = spirv_leaves(s, spirv_word(s, 3));
	object = spirv_leaves(s, spirv_word(s, 4))[0];
	for (uint32_t k = 0; k < t->count; k++)
		out[k] = spirv_select(s, is_index(s, index, k), object, x[k]);
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

void spirv_lower_transpose(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s),
				*m = spirv_value_type(s, spirv_word(s, 3));
	const ir_val *x;
	ir_val *out;

	(void)detail;
	if (t->kind != SPIRV_MATRIX || m->kind != SPIRV_MATRIX || t->count != m->element->count ||
	    m->count != t->element->count || m->element->element != t->element->element)
		spirv_fail(s, "the types are not those of a matrix and its transpose");
	x = spirv_leaves(s, spirv_word(s, 3));
	out = spirv_result(s, t);
	for (uint32_t c = 0; c < t->count; c++)
		for (uint32_t r = 0; r < m->count; r++)
			out[c * m->count + r] = x[r * t->count + c];
}
