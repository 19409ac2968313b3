// SPDX-License-Identifier: MIT
/*
 * Built-in variables. A subgroup is a warp of 32 lanes; lanes are numbered in the order of
 * LocalInvocationIndex.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

static ir_val word(struct spirv *s, uint32_t n)
{
	return spirv_const(s, IR_B32, n);
}

static ir_val axis_size(struct spirv *s, uint32_t axis)
{
	return s->local_size[0] ? word(s, s->local_size[axis]) : spirv_sreg(s, IR_NTID_X + axis);
}

static ir_val thread_axis(struct spirv *s, uint32_t axis)
{
	return s->local_size[axis] == 1 ? word(s, 0) : spirv_sreg(s, IR_TID_X + axis);
}

static ir_val workgroup_axis(struct spirv *s, uint32_t axis)
{
	ir_val v = spirv_sreg(s, IR_CTAID_X + axis);

	if (!s->base_workgroup)
		return v;
	return spirv_op(s, IR_ADD, IR_B32, v,
			spirv_param(s, IR_B32, s->base_workgroup - 1 + 4 * axis), 0);
}

static ir_val global_axis(struct spirv *s, uint32_t axis)
{
	ir_val at = spirv_op(s, IR_MUL, IR_B32, workgroup_axis(s, axis), axis_size(s, axis), 0);

	return spirv_op(s, IR_ADD, IR_B32, at, thread_axis(s, axis), 0);
}

ir_val spirv_local_index(struct spirv *s)
{
	ir_val v = spirv_op(s, IR_MUL, IR_B32, thread_axis(s, 2), axis_size(s, 1), 0);

	v = spirv_op(s, IR_ADD, IR_B32, v, thread_axis(s, 1), 0);
	v = spirv_op(s, IR_MUL, IR_B32, v, axis_size(s, 0), 0);
	return spirv_op(s, IR_ADD, IR_B32, v, thread_axis(s, 0), 0);
}

ir_val spirv_workgroup_threads(struct spirv *s)
{
	ir_val v = spirv_op(s, IR_MUL, IR_B32, axis_size(s, 0), axis_size(s, 1), 0);

	return spirv_op(s, IR_MUL, IR_B32, v, axis_size(s, 2), 0);
}

static ir_val subgroups(struct spirv *s)
{
	ir_val v = spirv_op(s, IR_ADD, IR_B32, spirv_workgroup_threads(s),
			    word(s, SPIRV_SUBGROUP - 1), 0);

	return spirv_op(s, IR_SHR_U, IR_B32, v, word(s, 5), 0);
}

/* Whether the workgroup is a single subgroup. */
static bool fits_subgroup(const struct spirv *s)
{
	const uint32_t *n = s->local_size;

	return n[0] && (uint64_t)n[0] * n[1] * n[2] <= SPIRV_SUBGROUP;
}

static ir_val global_size(struct spirv *s, uint32_t axis)
{
	return spirv_op(s, IR_MUL, IR_B32, spirv_sreg(s, IR_NCTAID_X + axis), axis_size(s, axis),
			0);
}

static ir_val global_linear(struct spirv *s)
{
	ir_val v = spirv_op(s, IR_MUL, IR_B32, global_axis(s, 2), global_size(s, 1), 0);

	v = spirv_op(s, IR_ADD, IR_B32, v, global_axis(s, 1), 0);
	v = spirv_op(s, IR_MUL, IR_B32, v, global_size(s, 0), 0);
	return spirv_op(s, IR_ADD, IR_B32, v, global_axis(s, 0), 0);
}

/* Component k of a built-in, b32; 0: unknown. */
static ir_val component(struct spirv *s, int32_t builtin, uint32_t k)
{
	static const struct {
		int32_t builtin;
		enum ir_sreg mask;
	} masks[] = {
		{SPIRV_BUILTIN_SUBGROUP_EQ_MASK, IR_LANEMASK_EQ},
		{SPIRV_BUILTIN_SUBGROUP_GE_MASK, IR_LANEMASK_GE},
		{SPIRV_BUILTIN_SUBGROUP_GT_MASK, IR_LANEMASK_GT},
		{SPIRV_BUILTIN_SUBGROUP_LE_MASK, IR_LANEMASK_LE},
		{SPIRV_BUILTIN_SUBGROUP_LT_MASK, IR_LANEMASK_LT},
	};
	uint32_t axis = k < 3 ? k : 0;

	for (uint32_t n = 0; n < 5; n++)
		if (masks[n].builtin == builtin)
			return k ? word(s, 0) : spirv_sreg(s, masks[n].mask);
	switch (builtin) {
	case SPIRV_BUILTIN_NUM_WORKGROUPS:
		return spirv_sreg(s, IR_NCTAID_X + axis);
	case SPIRV_BUILTIN_WORKGROUP_SIZE:
	case SPIRV_BUILTIN_ENQUEUED_WORKGROUP_SIZE:
		return axis_size(s, axis);
	case SPIRV_BUILTIN_WORKGROUP_ID:
		return workgroup_axis(s, axis);
	case SPIRV_BUILTIN_LOCAL_INVOCATION_ID:
		return thread_axis(s, axis);
	case SPIRV_BUILTIN_GLOBAL_INVOCATION_ID:
		return global_axis(s, axis);
	case SPIRV_BUILTIN_LOCAL_INVOCATION_INDEX:
		return spirv_local_index(s);
	case SPIRV_BUILTIN_GLOBAL_SIZE:
		return global_size(s, axis);
	case SPIRV_BUILTIN_GLOBAL_LINEAR_ID:
		return global_linear(s);
	case SPIRV_BUILTIN_GLOBAL_OFFSET:
	case SPIRV_BUILTIN_DEVICE_INDEX:
		return word(s, 0);
	case SPIRV_BUILTIN_WORK_DIM:
		return word(s, 3);
	case SPIRV_BUILTIN_SUBGROUP_SIZE:
	case SPIRV_BUILTIN_SUBGROUP_MAX_SIZE:
		return word(s, SPIRV_SUBGROUP);
	case SPIRV_BUILTIN_NUM_SUBGROUPS:
	case SPIRV_BUILTIN_NUM_ENQUEUED_SUBGROUPS:
		return subgroups(s);
	case SPIRV_BUILTIN_SUBGROUP_ID:
		return fits_subgroup(s)
			       ? word(s, 0)
			       : spirv_op(s, IR_SHR_U, IR_B32, spirv_local_index(s), word(s, 5), 0);
	case SPIRV_BUILTIN_SUBGROUP_LOCAL_INVOCATION_ID:
		return spirv_sreg(s, IR_LANEID);
	default:
		return 0;
	}
}

ir_val spirv_builtin_word(struct spirv *s, int32_t builtin)
{
	return component(s, builtin, 0);
}

void spirv_set_builtin(struct spirv *s, const struct spirv_variable *v, struct spirv_pointer *p)
{
	const struct spirv_type *t = v->type;
	ir_val *values = arena_array(s->arena, t->leaves + 1, sizeof(*values));

	if (v->builtin < 0 || !spirv_is_int(t) || t->leaves > 4)
		spirv_fail(s, "the input %s is no known built-in of compute shaders",
			   spirv_id_name(s, v->id));
	for (uint32_t k = 0; k < t->leaves; k++) {
		values[k] = component(s, v->builtin, k);
		if (!values[k])
			spirv_fail(s, "built-in %d is not supported", v->builtin);
		values[k] = spirv_resize(s, values[k], spirv_leaf_type(t, k), false);
	}
	p->values = values;
}
