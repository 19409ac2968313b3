// SPDX-License-Identifier: MIT
/* Values of ids: the operands and results of instructions in functions. */
#include "libsov/compiler/spirv/front_end.h"

static void make_constant(struct spirv *s, struct spirv_id *x)
{
	x->value = (struct spirv_value){.type = x->constant->type};
	x->value.leaves = spirv_constant_leaves(s, x->constant);
}

const struct spirv_value *spirv_value_of(struct spirv *s, uint32_t id)
{
	struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind == SPIRV_ID_CONSTANT)
		make_constant(s, x); /* in the current block */
	else if (x->kind != SPIRV_ID_VALUE || !x->value.type)
		spirv_fail(s, "%s has no value here", spirv_id_name(s, id));
	return &x->value;
}

const struct spirv_type *spirv_value_type(struct spirv *s, uint32_t id)
{
	const struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind == SPIRV_ID_CONSTANT)
		return x->constant->type;
	if (x->kind == SPIRV_ID_VARIABLE)
		return spirv_pointer_type(s, x->variable->storage, x->variable->type);
	return spirv_value_of(s, id)->type;
}

const ir_val *spirv_leaves(struct spirv *s, uint32_t id)
{
	const struct spirv_value *v;

	if (spirv_id_of(s, id)->kind == SPIRV_ID_VARIABLE)
		return spirv_pointer_leaves(s, spirv_pointer_of(s, id));
	v = spirv_value_of(s, id);
	return v->pointer ? spirv_pointer_leaves(s, v->pointer) : v->leaves;
}

const ir_val *spirv_operand(struct spirv *s, uint32_t k, uint32_t leaves)
{
	uint32_t id = spirv_word(s, k);
	const struct spirv_type *t = spirv_value_type(s, id);

	if (t->leaves != leaves)
		spirv_fail(s, "operand %s has %u scalars, not %u", spirv_id_name(s, id), t->leaves,
			   leaves);
	return spirv_leaves(s, id);
}

ir_val spirv_integer_operand(struct spirv *s, uint32_t k, enum ir_type type)
{
	uint32_t id = spirv_word(s, k);
	const struct spirv_type *t = spirv_value_type(s, id);

	if (t->kind != SPIRV_INT)
		spirv_fail(s, "operand %s is no integer", spirv_id_name(s, id));
	return spirv_resize(s, spirv_leaves(s, id)[0], type, t->is_signed);
}

static struct spirv_id *define(struct spirv *s, uint32_t id)
{
	struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind != SPIRV_ID_NONE && (x->kind != SPIRV_ID_VALUE || x->at != s->in.at))
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, id));
	x->kind = SPIRV_ID_VALUE;
	x->at = s->in.at;
	x->value = (struct spirv_value){0};
	return x;
}

ir_val *spirv_result(struct spirv *s, const struct spirv_type *t)
{
	struct spirv_id *x = define(s, spirv_word(s, 2));

	if (t->leaves > SPIRV_MAX_LEAVES)
		spirv_fail(s, "a value of %u scalars; the maximum is %d", t->leaves,
			   SPIRV_MAX_LEAVES);
	x->value.type = t;
	x->value.leaves = arena_array(s->arena, t->leaves + 1, sizeof(ir_val));
	return x->value.leaves;
}

void spirv_set_scalar(struct spirv *s, ir_val v)
{
	const struct spirv_type *t = spirv_result_type(s);

	if (t->leaves != 1 || spirv_leaf_type(t, 0) != spirv_type_of_val(s, v))
		spirv_fail(s, "the result cannot have the type %s", spirv_id_name(s, t->id));
	spirv_result(s, t)[0] = v;
}

void spirv_set_pointer(struct spirv *s, uint32_t id, const struct spirv_type *type,
		       const struct spirv_pointer *p)
{
	struct spirv_id *x = define(s, id);
	struct spirv_pointer *own = arena_alloc(s->arena, sizeof(*own));

	*own = *p;
	x->value.type = type;
	x->value.pointer = own;
}
