// SPDX-License-Identifier: MIT
/*
 * Functions: their blocks in the order of the module, which is one of dominance, and their calls,
 * which are inlined. Structured control flow needs no translation: the IR's blocks are SPIR-V's,
 * and lanes reconverge where their paths join, which merge blocks and continue targets are. A phi
 * is a mutable register: every predecessor writes it before its terminator, the block reads it
 * first.
 */
#include <stdlib.h>
#include "libsov/compiler/spirv/front_end.h"

#define LINEAR_CASES 4 /* that are compared one after the other */

/* ---- blocks ---- */

static ir_block block_of(struct spirv *s, uint32_t id)
{
	const struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind != SPIRV_ID_LABEL || !x->block)
		spirv_fail(s, "%s is no block of this function", spirv_id_name(s, id));
	return x->block;
}

static void declare_phi(struct spirv *s, struct spirv_id *label)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct spirv_phi *phi = arena_alloc(s->arena, sizeof(*phi)), **at = &label->phis;

	if (t->leaves > SPIRV_MAX_LEAVES)
		spirv_fail(s, "a phi of %u scalars", t->leaves);
	phi->at = s->in.at;
	phi->type = t;
	phi->registers = arena_array(s->arena, t->leaves + 1, sizeof(uint32_t));
	for (uint32_t k = 0; k < t->leaves; k++)
		phi->registers[k] = spirv_reg_new(s, spirv_leaf_type(t, k));
	while (*at)
		at = &(*at)->next;
	*at = phi;
}

/* Makes the IR blocks of a function and the registers of its phis; forgets the values that its
 * instructions had when it was inlined before. */
static void declare_blocks(struct spirv *s, const struct spirv_function *fn)
{
	struct spirv_id *label = NULL;
	uint32_t at = fn->at;

	for (spirv_fetch(s, at); at < fn->end; at += s->in.count, spirv_fetch(s, at)) {
		const char *shape = s->in.grammar->shape;

		if (s->in.opcode == SPIRV_OP_LABEL) {
			label = spirv_id_of(s, spirv_word(s, 1));
			if (label->kind != SPIRV_ID_NONE &&
			    (label->kind != SPIRV_ID_LABEL || label->at != at))
				spirv_fail(s, "the label is defined twice");
			label->kind = SPIRV_ID_LABEL;
			label->at = at;
			label->block = spirv_block_new(s);
			label->phis = NULL;
			continue;
		}
		if (s->in.opcode == SPIRV_OP_PHI) {
			if (!label)
				spirv_fail(s, "a phi outside of a block");
			declare_phi(s, label);
		}
		if (shape[0] == 't' && shape[1] == 'r' && s->in.opcode != SPIRV_OP_FUNCTION) {
			struct spirv_id *x = spirv_id_of(s, spirv_word(s, 2));

			if (x->kind == SPIRV_ID_VALUE && x->at == at)
				x->value = (struct spirv_value){0};
		}
	}
}

/* Writes the registers of the phis of a block for the current block, whose label is from. */
static void write_phis(struct spirv *s, uint32_t from, uint32_t to)
{
	struct spirv_inst outer = s->in;

	for (const struct spirv_phi *phi = spirv_id_of(s, to)->phis; phi; phi = phi->next) {
		const ir_val *leaves;
		uint32_t k = 3;

		spirv_fetch(s, phi->at);
		while (k + 1 < s->in.count && spirv_word(s, k + 1) != from)
			k += 2;
		if (k + 1 >= s->in.count)
			spirv_fail(s, "the phi has no value for its predecessor %s",
				   spirv_id_name(s, from));
		if (spirv_value_type(s, spirv_word(s, k))->leaves != phi->type->leaves)
			spirv_fail(s, "%s has another type than the phi",
				   spirv_id_name(s, spirv_word(s, k)));
		leaves = spirv_leaves(s, spirv_word(s, k));
		for (uint32_t n = 0; n < phi->type->leaves; n++)
			if (spirv_type_of_val(s, leaves[n]) != spirv_leaf_type(phi->type, n))
				spirv_fail(s, "%s has another type than the phi",
					   spirv_id_name(s, spirv_word(s, k)));
			else
				spirv_write_reg(s, phi->registers[n], leaves[n]);
	}
	s->in = outer;
}

void spirv_lower_phi(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val *out = spirv_result(s, t);

	(void)out;
	spirv_fail(s, "the phi of %s is not at the start of its block", spirv_id_name(s, t->id));
}

/* The phis of a block that begins. */
static void read_phis(struct spirv *s, const struct spirv_id *label)
{
	struct spirv_inst outer = s->in;

	for (const struct spirv_phi *phi = label->phis; phi; phi = phi->next) {
		ir_val *out;

		spirv_fetch(s, phi->at);
		out = spirv_result(s, phi->type);
		for (uint32_t k = 0; k < phi->type->leaves; k++)
			out[k] =
				spirv_read_reg(s, phi->registers[k], spirv_leaf_type(phi->type, k));
	}
	s->in = outer;
}

/* ---- terminators ---- */

struct switch_case {
	uint64_t value;
	ir_block to;
};

static int compare_cases(const void *a, const void *b)
{
	const struct switch_case *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Compares with sorted cases: a binary tree down to a few. */
static void lower_cases(struct spirv *s, ir_val v, const struct switch_case *c, uint32_t n,
			ir_block otherwise)
{
	enum ir_type t = spirv_type_of_val(s, v);
	ir_block low, high;

	if (n > LINEAR_CASES) {
		low = spirv_block_new(s);
		high = spirv_block_new(s);
		spirv_branch(
			s,
			spirv_compare(s, IR_ICMP, t, IR_LT_U, v, spirv_const(s, t, c[n / 2].value)),
			low, high);
		s->block = low;
		lower_cases(s, v, c, n / 2, otherwise);
		s->block = high;
		lower_cases(s, v, c + n / 2, n - n / 2, otherwise);
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		ir_block next = k + 1 < n ? spirv_block_new(s) : otherwise;

		spirv_branch(s,
			     spirv_compare(s, IR_ICMP, t, IR_EQ, v, spirv_const(s, t, c[k].value)),
			     c[k].to, next);
		s->block = next;
	}
	if (!n)
		spirv_jump(s, otherwise);
	s->block = 0;
}

static void lower_switch(struct spirv *s, uint32_t from)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 1));
	uint32_t words = t->bits > 32 ? 2 : 1, n;
	struct switch_case *cases;
	uint64_t mask = t->bits < 64 ? (UINT64_C(1) << t->bits) - 1 : UINT64_MAX;

	if (t->kind != SPIRV_INT)
		spirv_fail(s, "the selector is no integer");
	if ((s->in.count - 3) % (words + 1))
		spirv_fail(s, "the last case is incomplete");
	n = (s->in.count - 3) / (words + 1);
	cases = arena_array(s->arena, n + 1, sizeof(*cases));
	write_phis(s, from, spirv_word(s, 2));
	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = 3 + k * (words + 1), to = spirv_word(s, at + words);
		bool again = to == spirv_word(s, 2);

		cases[k].value = spirv_word(s, at);
		if (words == 2)
			cases[k].value |= (uint64_t)spirv_word(s, at + 1) << 32;
		cases[k].value &= mask;
		cases[k].to = block_of(s, to);
		for (uint32_t j = 0; j < k; j++)
			again |= cases[j].to == cases[k].to;
		if (!again)
			write_phis(s, from, to);
	}
	qsort(cases, n, sizeof(*cases), compare_cases);
	lower_cases(s, spirv_leaves(s, spirv_word(s, 1))[0], cases, n,
		    block_of(s, spirv_word(s, 2)));
}

static void lower_return(struct spirv *s)
{
	const struct spirv_frame *frame = s->frame;

	if (s->in.opcode == SPIRV_OP_RETURN_VALUE) {
		const struct spirv_type *t = frame->function->result;
		const ir_val *leaves = spirv_operand(s, 1, t->leaves);

		for (uint32_t k = 0; frame->registers && k < t->leaves; k++) {
			if (spirv_type_of_val(s, leaves[k]) != spirv_leaf_type(t, k))
				spirv_fail(s, "the value has another type than the function");
			spirv_write_reg(s, frame->registers[k], leaves[k]);
		}
	}
	if (frame->continuation) {
		spirv_jump(s, frame->continuation);
		return;
	}
	spirv_emit(s, IR_RET, IR_VOID, 0, 0, NULL);
	s->block = 0;
}

static void lower_branch(struct spirv *s, uint32_t from)
{
	uint32_t yes, no;
	ir_val condition;

	if (s->in.opcode == SPIRV_OP_BRANCH) {
		write_phis(s, from, spirv_word(s, 1));
		spirv_jump(s, block_of(s, spirv_word(s, 1)));
		return;
	}
	if (spirv_value_type(s, spirv_word(s, 1))->kind != SPIRV_BOOL)
		spirv_fail(s, "the condition is no bool");
	condition = spirv_leaves(s, spirv_word(s, 1))[0];
	yes = spirv_word(s, 2);
	no = spirv_word(s, 3);
	write_phis(s, from, yes);
	if (no != yes)
		write_phis(s, from, no);
	spirv_branch(s, condition, block_of(s, yes), block_of(s, no));
}

/* false: the instruction is no terminator. */
static bool lower_terminator(struct spirv *s, uint32_t from)
{
	switch (s->in.opcode) {
	case SPIRV_OP_BRANCH:
	case SPIRV_OP_BRANCH_CONDITIONAL:
		lower_branch(s, from);
		return true;
	case SPIRV_OP_SWITCH:
		lower_switch(s, from);
		return true;
	case SPIRV_OP_RETURN:
	case SPIRV_OP_RETURN_VALUE:
		lower_return(s);
		return true;
	case SPIRV_OP_UNREACHABLE:
		spirv_emit(s, IR_TRAP, IR_VOID, 0, 0, NULL);
		s->block = 0;
		return true;
	case SPIRV_OP_KILL:
	case SPIRV_OP_TERMINATE_INVOCATION:
		spirv_fail(s, "the instruction is for fragment shaders");
	default:
		return false;
	}
}

/* ---- functions ---- */

/* The block that follows a construct or a branch from this label; 0: none. once: whether
 * the block heads no loop. */
static uint32_t next_block(struct spirv *s, uint32_t at, uint32_t end, bool *once)
{
	uint32_t merge = 0;

	*once = true;
	for (at += s->in.count; at < end; at += s->in.count) {
		spirv_fetch(s, at);
		switch (s->in.opcode) {
		case SPIRV_OP_LOOP_MERGE:
			*once = false;
			merge = spirv_word(s, 1);
			break;
		case SPIRV_OP_SELECTION_MERGE:
			merge = spirv_word(s, 1);
			break;
		case SPIRV_OP_BRANCH:
			return merge ? merge : spirv_word(s, 1);
		case SPIRV_OP_BRANCH_CONDITIONAL:
		case SPIRV_OP_SWITCH:
			return merge;
		case SPIRV_OP_LABEL:
		case SPIRV_OP_RETURN:
		case SPIRV_OP_UNREACHABLE:
			return 0;
		}
	}
	return 0;
}

/* How many lanes every subgroup has, if it is a power of two; 0: it is not, or unknown. */
static uint32_t lanes_of_subgroups(const struct spirv *s)
{
	const uint32_t *size = s->local_size;
	uint64_t threads = (uint64_t)size[0] * size[1] * size[2];

	if (threads && threads % SPIRV_SUBGROUP == 0)
		return SPIRV_SUBGROUP;
	return threads < SPIRV_SUBGROUP && !(threads & (threads - 1)) ? (uint32_t)threads : 0;
}

/*
 * Marks the blocks of an entry point that are in no construct: if the function returns in one place
 * alone, and subgroups have the same power of two of lanes, these execute them together. Kernels
 * of OpenCL need not name their constructs.
 */
static void mark_whole_blocks(struct spirv *s, const struct spirv_function *fn)
{
	uint32_t lanes = lanes_of_subgroups(s), returns = 0, labels = 0, at, id = 0;
	bool once;

	for (at = fn->at, spirv_fetch(s, at); at < fn->end; at += s->in.count, spirv_fetch(s, at)) {
		if (s->in.opcode == SPIRV_OP_LABEL) {
			spirv_id_of(s, spirv_word(s, 1))->whole_lanes = 0;
			id = id ? id : spirv_word(s, 1);
			labels++;
		}
		returns += s->in.opcode == SPIRV_OP_RETURN;
	}
	if (s->kernel_environment || s->frame->depth || returns != 1 || !lanes)
		return;
	for (; id && labels; labels--) {
		struct spirv_id *label = spirv_id_of(s, id);

		if (label->kind != SPIRV_ID_LABEL)
			return;
		spirv_fetch(s, label->at);
		id = next_block(s, label->at, fn->end, &once);
		label->whole_lanes = once ? lanes : 0;
	}
}

/* Binds the parameters; returns the offset of the first instruction after them. */
static uint32_t bind_parameters(struct spirv *s, const struct spirv_function *fn,
				const struct spirv_value *arguments)
{
	uint32_t at = fn->at + s->in.count, n = 0;

	for (spirv_fetch(s, at); at < fn->end && s->in.opcode == SPIRV_OP_FUNCTION_PARAMETER;
	     at += s->in.count, spirv_fetch(s, at), n++) {
		const struct spirv_type *t = spirv_type_of(s, spirv_word(s, 1));
		struct spirv_id *x;

		if (n == fn->type->count || fn->type->parameters[n] != t)
			spirv_fail(s, "parameter %u is not of the function's type", n);
		spirv_result(s, t);
		x = spirv_id_of(s, spirv_word(s, 2));
		x->value = arguments[n];
		x->value.type = t;
	}
	if (n != fn->type->count)
		spirv_fail(s, "the function has %u parameters, and its type %u", n,
			   fn->type->count);
	return at;
}

static void lower_block(struct spirv *s, uint32_t *at, uint32_t end)
{
	uint32_t from = spirv_word(s, 1);
	struct spirv_id *label = spirv_id_of(s, from);

	s->block = label->block;
	s->whole_lanes = label->whole_lanes;
	read_phis(s, label);
	for (*at += s->in.count; *at < end; *at += s->in.count) {
		spirv_fetch(s, *at);
		if (s->in.opcode == SPIRV_OP_LABEL)
			spirv_fail(s, "the block before has no terminator");
		if (s->in.opcode == SPIRV_OP_PHI && spirv_id_of(s, spirv_word(s, 2))->value.type)
			continue;
		if (lower_terminator(s, from)) {
			*at += s->in.count;
			return;
		}
		spirv_lower(s);
	}
	spirv_fail(s, "the last block of the function has no terminator");
}

void spirv_lower_function(struct spirv *s, struct spirv_function *fn, struct spirv_value *arguments,
			  struct spirv_frame *frame)
{
	struct spirv_frame *caller = s->frame;
	ir_block before = s->block;
	uint32_t at;
	bool first = true;

	if (fn->active)
		spirv_fail(s, "the function %s is recursive", spirv_id_name(s, fn->id));
	frame->depth = caller ? caller->depth + 1 : 0;
	if (frame->depth > SPIRV_MAX_DEPTH)
		spirv_fail(s, "calls are nested more than %d deep", SPIRV_MAX_DEPTH);
	fn->active = true;
	s->frame = frame;
	declare_blocks(s, fn);
	mark_whole_blocks(s, fn);
	spirv_fetch(s, fn->at);
	at = bind_parameters(s, fn, arguments);
	while (at < fn->end) {
		spirv_fetch(s, at);
		if (s->in.opcode == SPIRV_OP_LINE || s->in.opcode == SPIRV_OP_NO_LINE) {
			spirv_lower(s);
			at += s->in.count;
			continue;
		}
		if (s->in.opcode != SPIRV_OP_LABEL)
			spirv_fail(s, "the instruction is outside of a block");
		if (first) {
			s->block = before;
			spirv_jump(s, spirv_id_of(s, spirv_word(s, 1))->block);
		}
		first = false;
		lower_block(s, &at, fn->end);
	}
	if (first)
		spirv_fail(s,
			   "the function %s has no body here; imported functions are not "
			   "supported",
			   spirv_id_name(s, fn->id));
	s->frame = caller;
	fn->active = false;
}

void spirv_lower_call(struct spirv *s)
{
	struct spirv_inst outer = s->in;
	const struct spirv_type *t = spirv_type_of(s, spirv_word(s, 1));
	struct spirv_id *x = spirv_id_of(s, spirv_word(s, 3));
	struct spirv_frame frame = {.continuation = spirv_block_new(s)};
	struct spirv_value *arguments;
	uint32_t whole = s->whole_lanes;
	ir_val *out;

	if (x->kind != SPIRV_ID_FUNCTION)
		spirv_fail(s, "%s is no function", spirv_id_name(s, spirv_word(s, 3)));
	frame.function = x->function;
	if (x->function->result != t || x->function->type->count != s->in.count - 4)
		spirv_fail(s, "the call has another result or number of arguments than %s",
			   spirv_id_name(s, x->function->id));
	arguments = arena_array(s->arena, s->in.count, sizeof(*arguments));
	for (uint32_t k = 0; k < s->in.count - 4; k++) {
		uint32_t id = spirv_word(s, 4 + k);

		if (spirv_value_type(s, id)->leaves != x->function->type->parameters[k]->leaves)
			spirv_fail(s, "argument %s has another type than the parameter",
				   spirv_id_name(s, id));
		if (spirv_id_of(s, id)->kind == SPIRV_ID_VARIABLE)
			arguments[k].pointer = spirv_pointer_of(s, id);
		else
			arguments[k] = *spirv_value_of(s, id);
	}
	frame.registers = arena_array(s->arena, t->leaves + 1, sizeof(uint32_t));
	for (uint32_t k = 0; k < t->leaves; k++)
		frame.registers[k] = spirv_reg_new(s, spirv_leaf_type(t, k));
	spirv_lower_function(s, x->function, arguments, &frame);
	s->in = outer;
	s->block = frame.continuation;
	s->whole_lanes = whole;
	if (t->kind == SPIRV_VOID)
		return;
	out = spirv_result(s, t);
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_read_reg(s, frame.registers[k], spirv_leaf_type(t, k));
}
