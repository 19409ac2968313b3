// SPDX-License-Identifier: MIT
/*
 * Selection of calls, arguments and results. Argument words go to v0 and up, and so do results;
 * further words go to the stack, where the callee's frame will start. Kernel inputs that functions
 * read go to the registers of LLVM's calling convention (call_graph.c).
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

/* Accesses a stack word of the arguments or results, relative to the start of a frame. */
static struct gcn_inst *stack_word_access(struct select *s, enum amd_op op, uint16_t frame,
					  uint32_t word)
{
	struct gcn_inst *i = sel_emit(s, op, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set_operand(s->f, i, AMD_S2, gcn_reg(frame));
	i->in.field[AMD_F_OFFSET] = (int32_t)(4 * (word - GCN_ABI_ARG_VGPRS));
	return i;
}

struct arg_cursor {
	uint32_t vreg;    /* v0 and up */
	uint16_t frame;   /* register with the start of the stack words */
	uint32_t word;    /* the next one */
	uint32_t *copies; /* by word: copies that survive calls; NULL: none */
};

static uint32_t count_words(const uint8_t *types, uint32_t n)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < n; k++)
		words += sel_words(types[k]);
	return words;
}

static uint32_t register_words(uint32_t words)
{
	return words < GCN_ABI_ARG_VGPRS ? words : GCN_ABI_ARG_VGPRS;
}

static void put_word(struct select *s, struct arg_cursor *cursor, struct gcn_src x)
{
	if (cursor->word < GCN_ABI_ARG_VGPRS) {
		sel_move(s, gcn_word(s->f, cursor->vreg, cursor->word++), x, 1);
		return;
	}
	x = sel_vector(s, x, 1);
	gcn_set_operand(
		s->f, stack_word_access(s, AMD_scratch_store_dword, cursor->frame, cursor->word++),
		AMD_S1, x);
}

static void put_value(struct select *s, struct arg_cursor *cursor, ir_val v)
{
	enum ir_type t = s->ir->values[v].type;
	struct gcn_src x;

	if (t == IR_B1) {
		x = sel_temp(s, GCN_VECTOR, 1);
		sel_cndmask(s, x, sel_mask(s, v), gcn_imm(1), gcn_imm(0));
		put_word(s, cursor, x);
		return;
	}
	for (uint32_t w = 0; w < sel_words(t); w++)
		put_word(s, cursor, sel_word(s, v, w));
}

static struct gcn_src get_word(struct select *s, struct arg_cursor *cursor)
{
	struct gcn_src x;

	if (cursor->word < GCN_ABI_ARG_VGPRS && cursor->copies) {
		uint32_t *v = &cursor->copies[cursor->word++];

		*v = *v ? *v : gcn_vreg_new(s->f, GCN_VECTOR, 1);
		return gcn_word(s->f, *v, 0);
	}
	if (cursor->word < GCN_ABI_ARG_VGPRS)
		return gcn_word(s->f, cursor->vreg, cursor->word++);
	x = sel_temp(s, GCN_VECTOR, 1);
	gcn_set_operand(s->f,
			stack_word_access(s, AMD_scratch_load_dword, cursor->frame, cursor->word++),
			AMD_D, x);
	return x;
}

static void get_value(struct select *s, struct arg_cursor *cursor, uint32_t result, enum ir_type t)
{
	if (!s->uses[s->in->res + result]) {
		cursor->word += sel_words(t);
		return;
	}
	for (uint32_t w = 0; w < sel_words(t); w++) {
		struct gcn_src x = get_word(s, cursor);

		if (t == IR_B1)
			sel_vop(s, AMD_v_cmp_ne_u32, sel_result(s, result, 0), gcn_imm(0), x,
				gcn_none());
		else
			sel_move(s, sel_result(s, result, w), x, 1);
	}
}

/* ---- callee ---- */

static void select_argument(struct select *s)
{
	const struct ir_func *ir = s->ir;
	uint32_t words = register_words(count_words(ir->arg_types, ir->nargs));
	struct arg_cursor cursor = {.frame = gcn_frame_register(s->f),
				    .word = count_words(ir->arg_types, (uint32_t)s->in->imm)};

	gcn_input(s->f, GCN_ARGS, GCN_VECTOR, words);
	cursor.vreg = s->f->input[GCN_ARGS];
	cursor.copies = s->f->has_calls ? s->f->arg_copy : NULL;
	get_value(s, &cursor, 0, s->in->type);
}

void select_results(struct select *s)
{
	const struct ir_func *ir = s->ir;
	struct arg_cursor cursor = {.frame = gcn_frame_register(s->f)};

	if (!s->in->nargs)
		return;
	s->results = cursor.vreg = gcn_vreg_fixed(
		s->f, GCN_VECTOR, register_words(count_words(ir->result_types, ir->nresults)), 0);
	for (uint32_t k = 0; k < s->in->nargs; k++)
		put_value(s, &cursor, ARG(k));
}

/* ---- caller ---- */

/* Passes the kernel inputs that functions of the unit read. */
static void pass_inputs(struct select *s, uint16_t inputs, struct gcn_use *implicit, uint32_t *n)
{
	struct gcn_func *f = s->f;
	bool kernel = s->ir->kind == IR_KERNEL;
	struct gcn_src d, x, y;

	if (inputs >> GCN_HIDDEN_ARGS & 1) {
		d = gcn_word(f, gcn_vreg_fixed(f, GCN_SCALAR, 2, GCN_ABI_HIDDEN_ARGS), 0);
		if (kernel) {
			x = select_kernarg(s);
			sel_add64(s, d, x, sel_part(x, 1),
				  gcn_imm(amd_hidden_base(s->ir->param_bytes)), gcn_imm(0), false);
		} else {
			sel_move(s, d, gcn_input(f, GCN_HIDDEN_ARGS, GCN_SCALAR, 2), 2);
		}
		implicit[(*n)++] = (struct gcn_use){d.ref, 2, false};
	}
	for (uint32_t axis = 0; axis < 3; axis++) {
		if (!(inputs >> (GCN_GROUP_X + axis) & 1))
			continue;
		d = gcn_word(f, gcn_vreg_fixed(f, GCN_SCALAR, 1, GCN_ABI_GROUP_IDS + axis), 0);
		sel_move(s, d, select_group_id(s, axis), 1);
		implicit[(*n)++] = (struct gcn_use){d.ref, 1, false};
	}
	if (!(inputs >> GCN_THREAD_IDS & 1))
		return;
	d = gcn_word(f, gcn_vreg_fixed(f, GCN_VECTOR, 1, GCN_ABI_THREAD_IDS), 0);
	if (kernel) {
		y = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_lshl_or_b32, y, select_thread_id(s, 1), gcn_imm(10),
			select_thread_id(s, 0));
		sel_vop(s, AMD_v_lshl_or_b32, d, select_thread_id(s, 2), gcn_imm(20), y);
	} else {
		sel_move(s, d, gcn_input(f, GCN_THREAD_IDS, GCN_VECTOR, 1), 1);
	}
	implicit[(*n)++] = (struct gcn_use){d.ref, 1, false};
}

static void emit_call(struct select *s, struct gcn_src target, uint16_t inputs,
		      const struct ir_func *callee, const ir_val *args)
{
	struct gcn_func *f = s->f;
	uint32_t arg_words = register_words(count_words(callee->arg_types, callee->nargs)),
		 nimplicit = 0;
	uint32_t result_words = register_words(count_words(callee->result_types, callee->nresults));
	struct arg_cursor cursor = {.frame = GCN_STACK_POINTER};
	struct gcn_use implicit[GCN_MAX_IMPLICIT];
	struct gcn_inst *i;

	if (arg_words)
		cursor.vreg = gcn_vreg_fixed(f, GCN_VECTOR, arg_words, 0);
	for (uint32_t k = 0; k < callee->nargs; k++)
		put_value(s, &cursor, args[k]);
	pass_inputs(s, inputs, implicit, &nimplicit);
	i = sel_emit(s, AMD_s_swappc_b64, AMD_PLAIN);
	i->call = true;
	i->mode = 0;
	gcn_set_operand(f, i, AMD_D,
			gcn_word(f, gcn_vreg_fixed(f, GCN_SCALAR, 2, GCN_ABI_RETURN_ADDRESS), 0));
	gcn_set_operand(f, i, AMD_S0, target);
	gcn_add_implicit(f, i, cursor.vreg, arg_words, false);
	for (uint32_t k = 0; k < nimplicit; k++)
		gcn_add_implicit(f, i, implicit[k].ref.vreg, implicit[k].count, false);
	cursor.word = 0;
	if (result_words)
		cursor.vreg = gcn_vreg_fixed(f, GCN_VECTOR, result_words, 0);
	gcn_add_implicit(f, i, cursor.vreg, result_words, true);
	for (uint32_t k = 0; k < callee->nresults; k++)
		get_value(s, &cursor, k, callee->result_types[k]);
}

/* Calls a device service, whose address is stored among the module's variables. */
static void select_service_call(struct select *s, const struct ir_func *callee,
				struct gcn_src target)
{
	enum service service = service_find(callee->name);
	struct gcn_src at = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_inst *i;

	if (service == SERVICES || !service_fits(service, callee)) {
		diag_error(&s->f->job->diag, s->in->line, 0,
			   "function '%s' is not defined, and no device service has this name and "
			   "signature",
			   callee->name);
		s->failed = true;
		return;
	}
	select_pc_relative(s, at, AMD_TO_SERVICE, service, 0);
	i = sel_emit(s, AMD_s_load_dwordx2, AMD_PLAIN);
	gcn_set_operand(s->f, i, AMD_D, target);
	gcn_set_operand(s->f, i, AMD_S0, at);
	gcn_set_operand(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
	s->f->services |= 1u << service;
	emit_call(s, target, GCN_SERVICE_INPUTS, callee, s->in->args);
}

static void select_direct_call(struct select *s)
{
	const struct ir_func *callee = s->ir->module->table[s->in->symbol];
	struct gcn_src target = sel_temp(s, GCN_SCALAR, 2);

	if (callee->kind == IR_EXTERNAL) {
		select_service_call(s, callee, target);
		return;
	}
	select_pc_relative(s, target, AMD_TO_FUNCTION, s->in->symbol, 0);
	emit_call(s, target, s->f->module->inputs, callee, s->in->args);
}

/* Reads a uniform value into an SGPR. */
static struct gcn_src read_uniform(struct select *s, struct gcn_src x)
{
	struct gcn_src d = sel_temp(s, GCN_SCALAR, 1);

	sel_move(s, d, x, 1);
	return d;
}

/* The function table holds each function's distance from its table entry. */
static void select_indirect_call(struct select *s)
{
	struct gcn_src entry = sel_temp(s, GCN_SCALAR, 2), target = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_src table = sel_temp(s, GCN_SCALAR, 2), distance = sel_temp(s, GCN_SCALAR, 1),
		       sign;
	struct gcn_inst *i;

	select_pc_relative(s, table, AMD_TO_FUNCTION, AMD_TABLE_INDEX, 0);
	sel_add64(s, entry, table, sel_part(table, 1), read_uniform(s, sel_word(s, ARG(0), 0)),
		  gcn_imm(0), false);
	i = sel_emit(s, AMD_s_load_dword, AMD_PLAIN);
	gcn_set_operand(s->f, i, AMD_D, distance);
	gcn_set_operand(s->f, i, AMD_S0, entry);
	gcn_set_operand(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
	sign = sel_op_new(s, GCN_SCALAR, SEL_SHR_S, distance, gcn_imm(31));
	sel_add64(s, target, entry, sel_part(entry, 1), distance, sign, false);
	emit_call(s, target, s->f->module->inputs, s->ir->module->table[s->in->symbol],
		  s->in->args + 1);
}

/* ---- the stack ---- */

static const struct gcn_src stack = {.reg = GCN_STACK_POINTER};

static struct gcn_src align_up_scalar(struct select *s, struct gcn_src x, uint32_t align)
{
	x = sel_op_new(s, GCN_SCALAR, SEL_ADD, x, gcn_imm(align - 1));
	return sel_op_new(s, GCN_SCALAR, SEL_AND, x, gcn_imm(-align));
}

static void select_alloca(struct select *s)
{
	uint32_t unit = s->f->module->stack_align;
	struct gcn_src bytes = align_up_scalar(s, read_uniform(s, sel_word(s, ARG(0), 0)), unit),
		       at = stack;

	if (s->in->imm > unit)
		at = align_up_scalar(s, at, (uint32_t)s->in->imm);
	sel_move(s, sel_result(s, 0, 0), at, 1);
	if (s->in->type == IR_B64)
		sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
	sel_sop(s, AMD_s_add_u32, stack, at, bytes);
}

/*
 * Restores the stack pointer only if all lanes that entered the function are active: other lanes
 * may still use the memory. The epilogue frees it in any case.
 */
static void select_stack_restore(struct select *s)
{
	struct gcn_src to = read_uniform(s, sel_word(s, ARG(0), 0));

	if (!s->f->entry_exec)
		s->f->entry_exec = gcn_vreg_new(s->f, GCN_SCALAR, 1);
	sel_sop(s, AMD_s_cmp_eq_u32, gcn_none(), gcn_reg(AMD_EXEC),
		gcn_word(s->f, s->f->entry_exec, 0));
	sel_sop(s, AMD_s_cselect_b32, stack, to, stack);
}

/*
 * Removes lanes that ended in the callee from the alive mask, so that warp syncs do not wait for
 * them.
 */
static void call_and_update_alive(struct select *s, void (*select_call)(struct select *s))
{
	bool update = s->f->alive_mask && gcn_may_exit(s->f->module, s->in);
	struct gcn_src before, alive = gcn_word(s->f, s->f->alive_mask, 0);

	if (update) {
		before = sel_temp(s, GCN_SCALAR, 1);
		sel_move(s, before, gcn_reg(AMD_EXEC), 1);
	}
	select_call(s);
	if (update) {
		sel_sop(s, AMD_s_andn2_b32, before, before, gcn_reg(AMD_EXEC));
		sel_sop(s, AMD_s_andn2_b32, alive, alive, before);
	}
}

bool select_calls(struct select *s)
{
	switch (s->in->op) {
	case IR_ARG:
		select_argument(s);
		return true;
	case IR_CALL:
		call_and_update_alive(s, select_direct_call);
		return true;
	case IR_CALLPTR:
		call_and_update_alive(s, select_indirect_call);
		return true;
	case IR_FUNCADDR:
		sel_move(s, sel_result(s, 0, 0),
			 gcn_imm((uint32_t)AMD_FUNCTION_TABLE_OFFSET(s->in->symbol)), 1);
		sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
		return true;
	case IR_ALLOCA:
		select_alloca(s);
		return true;
	case IR_STACKSAVE:
		sel_move(s, sel_result(s, 0, 0), stack, 1);
		if (s->in->type == IR_B64)
			sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
		return true;
	case IR_STACKRESTORE:
		select_stack_restore(s);
		return true;
	default:
		return false;
	}
}
