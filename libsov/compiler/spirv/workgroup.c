// SPDX-License-Identifier: MIT
/*
 * Group operations of scope Workgroup, and asynchronous copies by a workgroup. All invocations
 * execute them. A reduction or scan is one of each subgroup (group.c), whose results go through
 * workgroup memory: every invocation combines those of the subgroups, or of those before its own.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/group.h"

#define SCRATCH_BYTES (32 * 8) /* of a workgroup: a value per subgroup */

static ir_val word(struct spirv *s, uint32_t n)
{
	return spirv_const(s, IR_B32, n);
}

static void barrier(struct spirv *s)
{
	ir_val zero = word(s, 0);
	ir_id i = spirv_emit(s, IR_BARRIER, IR_VOID, 0, 1, &zero);

	ir_at(s->f, i)->sub = IR_BARRIER_SYNC;
}

/* Address of element k of the scratch memory, of 8 bytes. */
static ir_val scratch(struct spirv *s, ir_val k)
{
	struct ir_symbol symbol = {.name = "sov.group", .space = IR_SHARED, .align = 16};
	ir_id i;

	symbol.size = SCRATCH_BYTES;
	if (!s->group_scratch)
		s->group_scratch = 1 + ir_symbol_new(s->module, &symbol);
	i = spirv_emit(s, IR_ADDR, IR_B32, 1, 0, NULL);
	ir_at(s->f, i)->symbol = s->group_scratch - 1;
	return spirv_op(s, IR_ADD, IR_B32, ir_at(s->f, i)->res,
			spirv_op(s, IR_SHL, IR_B32, k, word(s, 3), 0), 0);
}

static void store_scratch(struct spirv *s, ir_val k, ir_val v)
{
	ir_val args[2] = {scratch(s, k), v};
	ir_id i = spirv_emit(s, IR_STORE, spirv_type_of_val(s, v), 0, 2, args);

	ir_at(s->f, i)->space = IR_SHARED;
}

static ir_val load_scratch(struct spirv *s, ir_val k, enum ir_type t)
{
	ir_val at = scratch(s, k);
	ir_id i = spirv_emit(s, IR_LOAD, t, 1, 1, &at);

	ir_at(s->f, i)->space = IR_SHARED;
	return ir_at(s->f, i)->res;
}

/* Runs what follows only if the condition holds, up to end_if. */
static ir_block begin_if(struct spirv *s, ir_val condition)
{
	ir_block inside = spirv_block_new(s), after = spirv_block_new(s);

	spirv_branch(s, condition, inside, after);
	s->block = inside;
	return after;
}

static void end_if(struct spirv *s, ir_block after)
{
	spirv_jump(s, after);
	s->block = after;
}

ir_val spirv_workgroup_reduce(struct spirv *s, const struct spirv_reduction *r, ir_val v)
{
	enum ir_type t = spirv_type_of_val(s, v);
	bool whole = r->operation == SPIRV_GROUP_REDUCE;
	struct spirv_reduction all = *r;
	uint32_t sum = spirv_reg_new(s, t), count = spirv_reg_new(s, IR_B32);
	ir_val own = spirv_builtin_word(s, SPIRV_BUILTIN_SUBGROUP_ID), total, last, k;
	ir_block after, loop, body, done;

	/* Every lane gets the subgroup's reduction; scans have their own value besides. */
	all.operation = SPIRV_GROUP_REDUCE;
	total = spirv_subgroup_reduce(s, &all, v);
	v = whole ? total : spirv_subgroup_reduce(s, r, v);
	barrier(s); /* the scratch memory may be in use by the operation before */
	after = begin_if(s, spirv_first_lane(s));
	store_scratch(s, own, total);
	end_if(s, after);
	barrier(s);
	last = whole ? spirv_builtin_word(s, SPIRV_BUILTIN_NUM_SUBGROUPS) : own;
	spirv_write_reg(s, sum, spirv_reduction_identity(s, r, t));
	spirv_write_reg(s, count, word(s, 0));
	loop = spirv_block_new(s);
	body = spirv_block_new(s);
	done = spirv_block_new(s);
	spirv_jump(s, loop);
	s->block = loop;
	k = spirv_read_reg(s, count, IR_B32);
	spirv_branch(s, spirv_compare(s, IR_ICMP, IR_B32, IR_LT_U, k, last), body, done);
	s->block = body;
	spirv_write_reg(
		s, sum,
		spirv_reduction_combine(s, r, spirv_read_reg(s, sum, t), load_scratch(s, k, t)));
	spirv_write_reg(s, count, spirv_op(s, IR_ADD, IR_B32, k, word(s, 1), 0));
	spirv_jump(s, loop);
	s->block = done;
	total = spirv_read_reg(s, sum, t);
	return whole ? total : spirv_reduction_combine(s, r, total, v);
}

/* The value of the invocation with these local coordinates; v has 32 or 64 bits. */
static ir_val broadcast(struct spirv *s, ir_val v, const ir_val *local, uint32_t axes)
{
	ir_val is_it = spirv_const(s, IR_B1, 1), same;
	ir_block after;

	for (uint32_t k = 0; k < axes; k++) {
		same = spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, spirv_sreg(s, IR_TID_X + k),
				     spirv_resize(s, local[k], IR_B32, false));
		is_it = spirv_op(s, IR_AND, IR_B1, is_it, same, 0);
	}
	barrier(s);
	after = begin_if(s, is_it);
	store_scratch(s, word(s, 0), v);
	end_if(s, after);
	barrier(s);
	return load_scratch(s, word(s, 0), spirv_type_of_val(s, v));
}

void spirv_lower_workgroup_broadcast(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s),
				*at = spirv_value_type(s, spirv_word(s, 5));
	const ir_val *a = spirv_operand(s, 4, t->leaves),
		     *local = spirv_leaves(s, spirv_word(s, 5));
	ir_val *out = arena_array(s->arena, t->leaves + 1, sizeof(*out)), v;

	if (!spirv_is_int(at) || at->leaves > 3 || spirv_scalar(t)->kind > SPIRV_FLOAT)
		spirv_fail(s, "an operand has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);

		if (type != spirv_leaf_type(t, k))
			spirv_fail(s, "the value has another type than the result");
		v = type < IR_B32 ? spirv_resize(s, a[k], IR_B32, false) : a[k];
		v = broadcast(s, v, local, at->leaves);
		if (type == IR_B1)
			v = spirv_compare(s, IR_ICMP, IR_B32, IR_NE, v, word(s, 0));
		out[k] = type == IR_B1 ? v : spirv_resize(s, v, type, false);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* ---- asynchronous copies ---- */

/* Every invocation copies elements from its index on, in steps of the workgroup's size. The stride
 * counts elements of global memory. */
void spirv_lower_async_copy(struct spirv *s, uint32_t detail)
{
	struct spirv_pointer to = spirv_resolve(s, spirv_pointer_of(s, spirv_word(s, 4))),
			     from = spirv_resolve(s, spirv_pointer_of(s, spirv_word(s, 5)));
	ir_val count = spirv_integer_operand(s, 6, IR_B64), k,
	       stride = spirv_integer_operand(s, 7, IR_B64), event = spirv_operand(s, 8, 1)[0];
	const struct spirv_type *e = to.pointee;
	uint32_t index = spirv_reg_new(s, IR_B64);
	ir_block loop = spirv_block_new(s), body = spirv_block_new(s), done = spirv_block_new(s);
	ir_val *leaves;

	(void)detail;
	if (!e || !from.pointee || e->leaves != from.pointee->leaves || !e->leaves ||
	    e->leaves > 16 || spirv_leaf_type(e, 0) != spirv_leaf_type(from.pointee, 0))
		spirv_fail(s, "the pointers point to different types");
	if ((to.space == IR_SHARED) == (from.space == IR_SHARED))
		spirv_fail(s, "one of the pointers must point to workgroup memory");
	leaves = arena_array(s->arena, e->leaves, sizeof(*leaves));
	spirv_write_reg(s, index,
			spirv_resize(s, spirv_builtin_word(s, SPIRV_BUILTIN_LOCAL_INVOCATION_INDEX),
				     IR_B64, false));
	spirv_jump(s, loop);
	s->block = loop;
	k = spirv_read_reg(s, index, IR_B64);
	spirv_branch(s, spirv_compare(s, IR_ICMP, IR_B64, IR_LT_U, k, count), body, done);
	s->block = body;
	stride = spirv_op(s, IR_MUL, IR_B64, k, stride, 0);
	spirv_add_index(s, &from, from.space == IR_SHARED ? k : stride, false, e->bytes, false);
	spirv_add_index(s, &to, to.space == IR_SHARED ? k : stride, false, e->bytes, false);
	spirv_load(s, &from, e, leaves);
	spirv_store(s, &to, e, leaves);
	spirv_write_reg(s, index,
			spirv_op(s, IR_ADD, IR_B64, k,
				 spirv_resize(s, spirv_workgroup_threads(s), IR_B64, false), 0));
	spirv_jump(s, loop);
	s->block = done;
	spirv_set_scalar(s, event);
}

/* The copies were made by other invocations. */
void spirv_lower_wait_events(struct spirv *s, uint32_t detail)
{
	(void)detail;
	barrier(s);
}

/* ---- initial values ---- */

/* Invocation k of n stores words k, k + n, k + 2 n and so on. */
static void zero_words(struct spirv *s, const struct spirv_pointer *p, uint32_t words)
{
	uint32_t threads = s->local_size[0] * s->local_size[1] * s->local_size[2];
	uint32_t at = spirv_reg_new(s, IR_B32);
	ir_block head = spirv_block_new(s), body = spirv_block_new(s), done = spirv_block_new(s);
	ir_val k, args[2];
	ir_id i;

	spirv_write_reg(s, at, spirv_local_index(s));
	spirv_jump(s, head);
	s->block = head;
	k = spirv_read_reg(s, at, IR_B32);
	spirv_branch(s, spirv_compare(s, IR_ICMP, IR_B32, IR_LT_U, k, word(s, words)), body, done);
	s->block = body;
	args[0] = spirv_op(s, IR_ADD, IR_B32, p->base,
			   spirv_op(s, IR_SHL, IR_B32, k, word(s, 2), 0), 0);
	args[1] = word(s, 0);
	i = spirv_emit(s, IR_STORE, IR_B32, 0, 2, args);
	ir_at(s->f, i)->space = IR_SHARED;
	ir_at(s->f, i)->align = 4;
	spirv_write_reg(s, at, spirv_op(s, IR_ADD, IR_B32, k, word(s, threads), 0));
	spirv_jump(s, head);
	s->block = done;
}

/* Blocks share their memory: the initial value of one that is not used is that of the others. */
static bool is_shared_block(const struct spirv_variable *v)
{
	return v->storage == SPIRV_CLASS_WORKGROUP && v->type->block;
}

void spirv_zero_workgroup_memory(struct spirv *s)
{
	bool any = false, blocks = false;

	for (uint32_t k = 0; k < s->nvariables; k++)
		blocks |= s->variables[k]->used && is_shared_block(s->variables[k]);
	for (uint32_t k = 0; k < s->nvariables; k++) {
		struct spirv_variable *v = s->variables[k];
		bool used = v->used || (blocks && is_shared_block(v));
		struct spirv_pointer p;
		struct ir_symbol *symbol;
		uint32_t words;

		if (!used || v->storage != SPIRV_CLASS_WORKGROUP || !v->initializer ||
		    v->initializer->undef)
			continue;
		p = spirv_variable_pointer(s, v);
		symbol = &s->module->symbols[v->symbol - 1];
		words = (uint32_t)((v->type->bytes + 3) / 4);
		symbol->size = symbol->size < 4ull * words ? 4ull * words : symbol->size;
		zero_words(s, &p, words);
		any = true;
	}
	if (any)
		barrier(s);
}
