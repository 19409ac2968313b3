// SPDX-License-Identifier: MIT
/*
 * Subgroup operations. Their members are the lanes that execute the instruction together, which
 * `active` gives. A reduction or scan over any set of lanes jumps from predecessor to predecessor:
 * every lane combines its value with that of the member before it, then with that of the member two
 * before, and so on in five rounds. Where the whole subgroup is known to execute a reduction, each
 * lane combines its value with those of the lanes whose number differs in a bit.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/group.h"

#define SCOPE_WORKGROUP 2
#define SCOPE_SUBGROUP  3

/* Whether an operation of OpenCL's groups is one of the workgroup. */
static bool is_workgroup(struct spirv *s)
{
	bool has = s->in.opcode >= SPIRV_OP_GROUP_ALL && s->in.opcode <= SPIRV_OP_GROUP_S_MAX;

	has |= s->in.opcode >= SPIRV_OP_GROUP_I_MUL_KHR &&
	       s->in.opcode <= SPIRV_OP_GROUP_LOGICAL_XOR_KHR;
	return has && spirv_constant_integer(s, spirv_word(s, 3), "the scope") == SCOPE_WORKGROUP;
}

static void check_scope(struct spirv *s, uint32_t k)
{
	uint64_t scope = spirv_constant_integer(s, spirv_word(s, k), "the scope");

	if (scope != SCOPE_SUBGROUP)
		spirv_fail(s,
			   "operations of groups of scope %llu are not supported; known: "
			   "Subgroup%s",
			   (unsigned long long)scope,
			   s->in.opcode < SPIRV_OP_GROUP_NON_UNIFORM_ELECT ? ", Workgroup" : "");
}

static ir_val word(struct spirv *s, uint32_t n)
{
	return spirv_const(s, IR_B32, n);
}

static ir_val active(struct spirv *s)
{
	return ir_at(s->f, spirv_emit(s, IR_ACTIVE, IR_B32, 1, 0, NULL))->res;
}

static ir_val lane(struct spirv *s)
{
	return spirv_sreg(s, IR_LANEID);
}

/* Number of the lowest or highest bit; of the highest, all ones for none. */
static ir_val lowest(struct spirv *s, ir_val mask)
{
	return spirv_op(s, IR_CLZ, IR_B32, spirv_op(s, IR_BREV, IR_B32, mask, 0, 0), 0, 0);
}

static ir_val highest(struct spirv *s, ir_val mask)
{
	return spirv_op(s, IR_SUB, IR_B32, word(s, 31), spirv_op(s, IR_CLZ, IR_B32, mask, 0, 0), 0);
}

static ir_val shuffle_word(struct spirv *s, enum ir_shuffle how, ir_val v, ir_val selector)
{
	ir_val args[4] = {v, selector, word(s, how == IR_SHUFFLE_UP ? 0 : 31), active(s)};
	ir_id i = spirv_emit(s, IR_SHUFFLE, IR_B32, 2, 4, args);

	ir_at(s->f, i)->sub = (uint8_t)how;
	return ir_at(s->f, i)->res;
}

ir_val spirv_shuffle(struct spirv *s, enum ir_shuffle how, ir_val v, ir_val selector)
{
	enum ir_type t = spirv_type_of_val(s, v);
	ir_val halves, low, high;
	ir_id i;

	if (t == IR_B1)
		return spirv_compare(
			s, IR_ICMP, IR_B32, IR_NE,
			shuffle_word(s, how, spirv_resize(s, v, IR_B32, false), selector),
			word(s, 0));
	if (t < IR_B64)
		return spirv_resize(
			s, shuffle_word(s, how, spirv_resize(s, v, IR_B32, false), selector), t,
			false);
	i = spirv_emit(s, IR_UNPACK, IR_B64, 2, 1, &v);
	halves = ir_at(s->f, i)->res;
	low = shuffle_word(s, how, halves, selector);
	high = shuffle_word(s, how, halves + 1, selector);
	return spirv_op(s, IR_PACK, IR_B64, low, high, 0);
}

/* Shuffles every scalar of the operand in word k. */
static void shuffle_operand(struct spirv *s, uint32_t k, enum ir_shuffle how, ir_val selector)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, k, t->leaves);
	ir_val *out = arena_array(s->arena, t->leaves + 1, sizeof(*out));

	for (uint32_t n = 0; n < t->leaves; n++) {
		if (spirv_type_of_val(s, a[n]) != spirv_leaf_type(t, n))
			spirv_fail(s, "the value has another type than the result");
		out[n] = spirv_shuffle(s, how, a[n], selector);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

ir_val spirv_first_lane(struct spirv *s)
{
	return spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, lane(s), lowest(s, active(s)));
}

void spirv_lower_elect(struct spirv *s, uint32_t detail)
{
	(void)detail;
	check_scope(s, 3);
	spirv_set_scalar(s, spirv_first_lane(s));
}

static ir_val vote(struct spirv *s, enum ir_vote how, ir_val v)
{
	ir_val args[2] = {v, active(s)};
	ir_id i = spirv_emit(s, IR_VOTE, how == IR_VOTE_BALLOT ? IR_B32 : IR_B1, 1, 2, args);

	ir_at(s->f, i)->sub = (uint8_t)how;
	return ir_at(s->f, i)->res;
}

static ir_val all_equal(struct spirv *s, const struct spirv_type *t, const ir_val *a)
{
	ir_val all = 0;

	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		ir_val first = spirv_shuffle(s, IR_SHUFFLE_IDX, a[k], lowest(s, active(s))), same;

		if (spirv_is_float(t))
			same = spirv_compare(s, IR_FCMP, type, IR_FEQ, a[k], first);
		else if (type == IR_B1)
			same = spirv_op(s, IR_NOT, IR_B1,
					spirv_op(s, IR_XOR, IR_B1, a[k], first, 0), 0, 0);
		else
			same = spirv_compare(
				s, IR_ICMP, IR_B32 > type ? IR_B32 : type, IR_EQ,
				spirv_resize(s, a[k], IR_B32 > type ? IR_B32 : type, false),
				spirv_resize(s, first, IR_B32 > type ? IR_B32 : type, false));
		all = all ? spirv_op(s, IR_AND, IR_B1, all, same, 0) : same;
	}
	return vote(s, IR_VOTE_ALL, all);
}

/* detail: enum ir_vote; UNI: all equal. more: the operation has no scope (KHR) */
void spirv_lower_vote(struct spirv *s, uint32_t detail)
{
	uint32_t how = detail & 15, k = detail & 16 ? 3 : 4;
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, k));
	const ir_val *a;

	if (k == 4 && !is_workgroup(s))
		check_scope(s, 3);
	a = spirv_leaves(s, spirv_word(s, k));
	if (how == IR_VOTE_UNI) {
		if (spirv_scalar(t)->kind > SPIRV_FLOAT)
			spirv_fail(s, "the value is no scalar or vector");
		spirv_set_scalar(s, all_equal(s, t, a));
		return;
	}
	if (t->kind != SPIRV_BOOL)
		spirv_fail(s, "the operand is no bool");
	if (k == 4 && is_workgroup(s)) {
		struct spirv_reduction r = {.op = how == IR_VOTE_ALL ? IR_AND : IR_OR};
		ir_val v = spirv_workgroup_reduce(s, &r, spirv_resize(s, a[0], IR_B32, false));

		spirv_set_scalar(s, spirv_compare(s, IR_ICMP, IR_B32, IR_NE, v, word(s, 0)));
		return;
	}
	spirv_set_scalar(s, vote(s, how, a[0]));
}

/* detail 0: from a lane, 1: from the first; 16: no scope */
void spirv_lower_broadcast(struct spirv *s, uint32_t detail)
{
	uint32_t k = detail & 16 ? 3 : 4;

	if (k == 4 && is_workgroup(s)) {
		spirv_lower_workgroup_broadcast(s);
		return;
	}
	if (k == 4)
		check_scope(s, 3);
	shuffle_operand(s, k, IR_SHUFFLE_IDX,
			detail & 1 ? lowest(s, active(s))
				   : spirv_integer_operand(s, k + 1, IR_B32));
}

void spirv_lower_ballot(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t k = detail & 16 ? 3 : 4;
	ir_val *out, v = spirv_operand(s, k, 1)[0];

	if (k == 4)
		check_scope(s, 3);
	if (t->kind != SPIRV_VECTOR || t->count != 4 || t->element->ir != IR_B32 ||
	    spirv_type_of_val(s, v) != IR_B1)
		spirv_fail(s, "a ballot takes a bool and gives four words");
	v = vote(s, IR_VOTE_BALLOT, v);
	out = spirv_result(s, t);
	out[0] = v;
	for (k = 1; k < 4; k++)
		out[k] = word(s, 0);
}

/* detail 0: own bit, 1: the bit of an index, 2: count, 3: lowest, 4: highest */
void spirv_lower_ballot_query(struct spirv *s, uint32_t detail)
{
	static const uint8_t masks[] = {0, IR_LANEMASK_LE, IR_LANEMASK_LT};
	uint32_t operation;
	ir_val bits;

	check_scope(s, 3);
	if (detail == 2) {
		operation = spirv_word(s, 4);
		if (operation > SPIRV_GROUP_EXCLUSIVE)
			spirv_fail(s, "bits are not counted by group operation %u", operation);
		bits = spirv_operand(s, 5, 4)[0];
		if (masks[operation])
			bits = spirv_op(s, IR_AND, IR_B32, bits, spirv_sreg(s, masks[operation]),
					0);
		bits = spirv_op(s, IR_POPC, IR_B32, bits, 0, 0);
		spirv_set_scalar(
			s, spirv_resize(s, bits, spirv_leaf_type(spirv_result_type(s), 0), false));
		return;
	}
	bits = spirv_operand(s, 4, 4)[0];
	if (detail > 2) {
		bits = detail == 3 ? lowest(s, bits) : highest(s, bits);
		spirv_set_scalar(
			s, spirv_resize(s, bits, spirv_leaf_type(spirv_result_type(s), 0), false));
		return;
	}
	bits = spirv_op(s, IR_SHR_U, IR_B32, bits,
			detail ? spirv_integer_operand(s, 5, IR_B32) : lane(s), 0);
	bits = spirv_op(s, IR_AND, IR_B32, bits, word(s, 1), 0);
	spirv_set_scalar(s, spirv_compare(s, IR_ICMP, IR_B32, IR_NE, bits, word(s, 0)));
}

void spirv_lower_subgroup_shuffle(struct spirv *s, uint32_t how)
{
	check_scope(s, 3);
	shuffle_operand(s, 4, how, spirv_integer_operand(s, 5, IR_B32));
}

/* The lane that is delta further in a cluster, circularly. */
void spirv_lower_rotate(struct spirv *s, uint32_t detail)
{
	uint64_t size = SPIRV_SUBGROUP;
	ir_val to;

	(void)detail;
	check_scope(s, 3);
	if (s->in.count > 6)
		size = spirv_constant_integer(s, spirv_word(s, 6), "the size of the cluster");
	if (!size || size & (size - 1) || size > SPIRV_SUBGROUP)
		spirv_fail(s, "a cluster of %llu lanes", (unsigned long long)size);
	to = spirv_op(s, IR_ADD, IR_B32, lane(s), spirv_integer_operand(s, 5, IR_B32), 0);
	to = spirv_op(s, IR_AND, IR_B32, to, word(s, (uint32_t)size - 1), 0);
	to = spirv_op(s, IR_OR, IR_B32, to,
		      spirv_op(s, IR_AND, IR_B32, lane(s), word(s, ~((uint32_t)size - 1)), 0), 0);
	shuffle_operand(s, 4, IR_SHUFFLE_IDX, to);
}

/* detail 0: from a lane of the quad, 1: from the neighbour in a direction */
void spirv_lower_quad(struct spirv *s, uint32_t detail)
{
	ir_val which;

	check_scope(s, 3);
	which = spirv_integer_operand(s, 5, IR_B32);
	if (detail) {
		which = spirv_op(s, IR_ADD, IR_B32, which, word(s, 1), 0);
		shuffle_operand(s, 4, IR_SHUFFLE_BFLY, which);
		return;
	}
	which = spirv_op(s, IR_OR, IR_B32, spirv_op(s, IR_AND, IR_B32, lane(s), word(s, ~3u), 0),
			 which, 0);
	shuffle_operand(s, 4, IR_SHUFFLE_IDX, which);
}

/* ---- reductions ---- */

ir_val spirv_reduction_identity(struct spirv *s, const struct spirv_reduction *r, enum ir_type t)
{
	uint64_t top = UINT64_C(1) << (ir_type_bits(t) - 1);

	switch (r->op) {
	case IR_FMUL:
		return spirv_float_const(s, t, 1);
	case IR_FMIN:
		return spirv_float_const(s, t, __builtin_inf());
	case IR_FMAX:
		return spirv_float_const(s, t, -__builtin_inf());
	case IR_FADD:
		return spirv_float_const(s, t, 0);
	case IR_MUL:
		return spirv_const(s, t, 1);
	case IR_MIN_S:
		return spirv_const(s, t, top - 1);
	case IR_MAX_S:
		return spirv_const(s, t, top);
	case IR_MIN_U:
	case IR_AND:
		return spirv_const(s, t, UINT64_MAX);
	default:
		return spirv_const(s, t, 0);
	}
}

ir_val spirv_reduction_combine(struct spirv *s, const struct spirv_reduction *r, ir_val a, ir_val b)
{
	enum ir_type t = spirv_type_of_val(s, a);

	return r->is_float ? spirv_float_op(s, r->op, t, a, b, 0) : spirv_op(s, r->op, t, a, b, 0);
}

/* The operation of the IR that reduces words; IR_REDUCE_COUNT: none. */
static enum ir_reduce word_reduction(enum ir_op op)
{
	static const struct {
		uint8_t op, reduce;
	} pairs[] = {{IR_ADD, IR_REDUCE_ADD},     {IR_MIN_U, IR_REDUCE_MIN_U},
		     {IR_MIN_S, IR_REDUCE_MIN_S}, {IR_MAX_U, IR_REDUCE_MAX_U},
		     {IR_MAX_S, IR_REDUCE_MAX_S}, {IR_AND, IR_REDUCE_AND},
		     {IR_OR, IR_REDUCE_OR},       {IR_XOR, IR_REDUCE_XOR}};

	for (uint32_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++)
		if (pairs[k].op == op)
			return pairs[k].reduce;
	return IR_REDUCE_COUNT;
}

/* The lanes of the own cluster. */
static ir_val cluster_mask(struct spirv *s, uint32_t size)
{
	ir_val base = spirv_op(s, IR_AND, IR_B32, lane(s), word(s, ~(size - 1)), 0);

	return spirv_op(s, IR_SHL, IR_B32, word(s, (1u << size) - 1), base, 0);
}

ir_val spirv_subgroup_reduce(struct spirv *s, const struct spirv_reduction *r, ir_val v)
{
	enum ir_type t = spirv_type_of_val(s, v);
	bool whole = r->operation == SPIRV_GROUP_REDUCE || r->operation == SPIRV_GROUP_CLUSTERED;
	ir_val members, before, previous, has, other, last;
	uint32_t cluster = r->operation == SPIRV_GROUP_CLUSTERED ? r->cluster : SPIRV_SUBGROUP;

	if (whole && cluster == 1)
		return v;
	if (whole && cluster == SPIRV_SUBGROUP && t == IR_B32 && !r->is_float &&
	    word_reduction(r->op) != IR_REDUCE_COUNT) {
		ir_id i = spirv_emit(s, IR_REDUCE, IR_B32, 1, 2, (ir_val[]){v, active(s)});

		ir_at(s->f, i)->sub = (uint8_t)word_reduction(r->op);
		return ir_at(s->f, i)->res;
	}
	if (whole && s->whole_lanes) {
		for (uint32_t n = 1; n < cluster && n < s->whole_lanes; n *= 2)
			v = spirv_reduction_combine(
				s, r, v, spirv_shuffle(s, IR_SHUFFLE_BFLY, v, word(s, n)));
		return v;
	}
	members = active(s);
	if (cluster < SPIRV_SUBGROUP)
		members = spirv_op(s, IR_AND, IR_B32, members, cluster_mask(s, cluster), 0);
	before = previous =
		highest(s, spirv_op(s, IR_AND, IR_B32, members, spirv_sreg(s, IR_LANEMASK_LT), 0));
	for (uint32_t n = 1; n < cluster; n *= 2) {
		ir_val from = spirv_op(s, IR_AND, IR_B32, previous, word(s, 31), 0), further;

		has = spirv_compare(s, IR_ICMP, IR_B32, IR_GE_S, previous, word(s, 0));
		other = spirv_shuffle(s, IR_SHUFFLE_IDX, v, from);
		further = 2 * n < cluster ? spirv_shuffle(s, IR_SHUFFLE_IDX, previous, from) : 0;
		v = spirv_select(s, has, spirv_reduction_combine(s, r, other, v), v);
		if (further)
			previous = spirv_select(s, has, further, previous);
	}
	if (r->operation == SPIRV_GROUP_INCLUSIVE)
		return v;
	if (whole) {
		last = highest(s, members);
		return spirv_shuffle(s, IR_SHUFFLE_IDX, v, last);
	}
	other = spirv_shuffle(s, IR_SHUFFLE_IDX, v,
			      spirv_op(s, IR_AND, IR_B32, before, word(s, 31), 0));
	has = spirv_compare(s, IR_ICMP, IR_B32, IR_GE_S, before, word(s, 0));
	return spirv_select(s, has, other, spirv_reduction_identity(s, r, t));
}

void spirv_lower_group_reduce(struct spirv *s, uint32_t op)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct spirv_reduction r = {.op = op, .operation = spirv_word(s, 4)};
	const ir_val *a = spirv_operand(s, 5, t->leaves);
	bool is_signed = op == IR_MIN_S || op == IR_MAX_S, workgroup;
	ir_val out[16];

	workgroup = is_workgroup(s);
	if (!workgroup)
		check_scope(s, 3);
	if (r.operation > (workgroup ? SPIRV_GROUP_EXCLUSIVE : SPIRV_GROUP_CLUSTERED))
		spirv_fail(s, "group operation %u is not supported", r.operation);
	if (r.operation == SPIRV_GROUP_CLUSTERED) {
		uint64_t size = spirv_constant_integer(s, spirv_word(s, 6), "the cluster's size");

		if (!size || size & (size - 1))
			spirv_fail(s, "a cluster of %llu lanes; it must be a power of two",
				   (unsigned long long)size);
		/* A larger one is undefined; it is all of the subgroup. */
		size = size > SPIRV_SUBGROUP ? SPIRV_SUBGROUP : size;
		r.cluster = (uint32_t)size;
	}
	r.is_float = op >= IR_FADD && op <= IR_FMAX;
	if (t->leaves > 16 || spirv_scalar(t)->kind > SPIRV_FLOAT ||
	    (r.is_float != spirv_is_float(t)))
		spirv_fail(s, "the value has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_type_of_val(s, a[k]);
		ir_val v = a[k];

		if (type != spirv_leaf_type(t, k))
			spirv_fail(s, "the value has another type than the result");
		if (type >= IR_B32) {
			out[k] = workgroup ? spirv_workgroup_reduce(s, &r, v)
					   : spirv_subgroup_reduce(s, &r, v);
			continue;
		}
		v = r.is_float ? spirv_convert(s, IR_FTOF, type, IR_B32, v)
			       : spirv_resize(s, v, IR_B32, is_signed);
		v = workgroup ? spirv_workgroup_reduce(s, &r, v) : spirv_subgroup_reduce(s, &r, v);
		if (type == IR_B1)
			v = spirv_compare(s, IR_ICMP, IR_B32, IR_NE,
					  spirv_op(s, IR_AND, IR_B32, v, word(s, 1), 0),
					  word(s, 0));
		out[k] = type == IR_B1 ? v
			 : r.is_float  ? spirv_convert(s, IR_FTOF, IR_B32, type, v)
				       : spirv_resize(s, v, type, false);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}
