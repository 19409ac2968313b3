// SPDX-License-Identifier: MIT
/*
 * Selection of calls, and of what a function is given and gives back. Words of arguments go to v0 and up, and so
 * do results; what does not fit there is in memory, where the callee's frame will begin. What a function may ask
 * about the kernel goes in the registers that LLVM has for it (calls.c has the whole of it).
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

/* A word in memory, from a frame's first byte on. */
static struct gcn_inst *in_frame(struct select *s, enum amd_op op, uint16_t frame, uint32_t word)
{
	struct gcn_inst *i = sel_emit(s, op, AMD_PLAIN);

	gcn_set(s->f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set(s->f, i, AMD_S2, gcn_reg(frame));
	i->in.field[AMD_F_OFFSET] = (int32_t)(4 * (word - GCN_PASSED_WORDS));
	return i;
}

struct passing {
	uint32_t vreg;  /* v0 and up */
	uint16_t frame; /* register that says where others are */
	uint32_t word;  /* the next */
	uint32_t *kept; /* by word: registers that outlive calls; NULL: there are none */
};

static uint32_t words_of(const uint8_t *types, uint32_t n)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < n; k++)
		words += sel_words(types[k]);
	return words;
}

static uint32_t in_registers(uint32_t words)
{
	return words < GCN_PASSED_WORDS ? words : GCN_PASSED_WORDS;
}

static void give_word(struct select *s, struct passing *p, struct gcn_src x)
{
	if (p->word < GCN_PASSED_WORDS) {
		sel_move(s, gcn_at(s->f, p->vreg, p->word++), x, 1);
		return;
	}
	x = sel_vector(s, x, 1);
	gcn_set(s->f, in_frame(s, AMD_scratch_store_dword, p->frame, p->word++), AMD_S1, x);
}

static void give(struct select *s, struct passing *p, ir_val v)
{
	enum ir_type t = s->ir->values[v].type;
	struct gcn_src x;

	if (t == IR_B1) {
		x = sel_temp(s, GCN_VECTOR, 1);
		sel_choose(s, x, sel_mask(s, v), gcn_imm(1), gcn_imm(0));
		give_word(s, p, x);
		return;
	}
	for (uint32_t w = 0; w < sel_words(t); w++)
		give_word(s, p, sel_word(s, v, w));
}

static struct gcn_src take_word(struct select *s, struct passing *p)
{
	struct gcn_src x;

	if (p->word < GCN_PASSED_WORDS && p->kept) {
		uint32_t *v = &p->kept[p->word++];

		*v = *v ? *v : gcn_vreg_new(s->f, GCN_VECTOR, 1);
		return gcn_at(s->f, *v, 0);
	}
	if (p->word < GCN_PASSED_WORDS)
		return gcn_at(s->f, p->vreg, p->word++);
	x = sel_temp(s, GCN_VECTOR, 1);
	gcn_set(s->f, in_frame(s, AMD_scratch_load_dword, p->frame, p->word++), AMD_D, x);
	return x;
}

static void take(struct select *s, struct passing *p, uint32_t result, enum ir_type t)
{
	if (!s->uses[s->in->res + result]) {
		p->word += sel_words(t);
		return;
	}
	for (uint32_t w = 0; w < sel_words(t); w++) {
		struct gcn_src x = take_word(s, p);

		if (t == IR_B1)
			sel_vop(s, AMD_v_cmp_ne_u32, sel_result(s, result, 0), gcn_imm(0), x,
				gcn_none());
		else
			sel_move(s, sel_result(s, result, w), x, 1);
	}
}

/* ---- the function's side ---- */

static void argument(struct select *s)
{
	const struct ir_func *ir = s->ir;
	uint32_t words = in_registers(words_of(ir->arg_types, ir->nargs));
	struct passing p = {.frame = gcn_frame(s->f),
			    .word = words_of(ir->arg_types, (uint32_t)s->in->imm)};

	gcn_come(s->f, GCN_ARGS, GCN_VECTOR, words);
	p.vreg = s->f->come[GCN_ARGS];
	p.kept = s->f->calls ? s->f->arg_kept : NULL;
	take(s, &p, 0, s->in->type);
}

void select_results(struct select *s)
{
	const struct ir_func *ir = s->ir;
	struct passing p = {.frame = gcn_frame(s->f)};

	if (!s->in->nargs)
		return;
	s->results = p.vreg = gcn_passed(s->f, GCN_VECTOR,
					 in_registers(words_of(ir->result_types, ir->nresults)), 0);
	for (uint32_t k = 0; k < s->in->nargs; k++)
		give(s, &p, ARG(k));
}

/* ---- the caller's side ---- */

/* What functions of the unit may ask about the kernel. */
static void tell(struct select *s, uint16_t wants, struct gcn_use *told, uint32_t *n)
{
	struct gcn_func *f = s->f;
	bool kernel = s->ir->kind == IR_KERNEL;
	struct gcn_src d, x, y;

	if (wants >> GCN_HIDDEN & 1) {
		d = gcn_at(f, gcn_passed(f, GCN_SCALAR, 2, GCN_PASSED_HIDDEN), 0);
		if (kernel) {
			x = select_kernarg(s);
			sel_add64(s, d, x, sel_part(x, 1),
				  gcn_imm(amd_hidden_base(s->ir->param_bytes)), gcn_imm(0), false);
		} else {
			sel_move(s, d, gcn_come(f, GCN_HIDDEN, GCN_SCALAR, 2), 2);
		}
		told[(*n)++] = (struct gcn_use){d.ref, 2, false};
	}
	for (uint32_t axis = 0; axis < 3; axis++) {
		if (!(wants >> (GCN_GROUP_X + axis) & 1))
			continue;
		d = gcn_at(f, gcn_passed(f, GCN_SCALAR, 1, GCN_PASSED_GROUP + axis), 0);
		sel_move(s, d, select_group_id(s, axis), 1);
		told[(*n)++] = (struct gcn_use){d.ref, 1, false};
	}
	if (!(wants >> GCN_THREADS & 1))
		return;
	d = gcn_at(f, gcn_passed(f, GCN_VECTOR, 1, GCN_PASSED_THREADS), 0);
	if (kernel) {
		y = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_lshl_or_b32, y, select_thread_id(s, 1), gcn_imm(10),
			select_thread_id(s, 0));
		sel_vop(s, AMD_v_lshl_or_b32, d, select_thread_id(s, 2), gcn_imm(20), y);
	} else {
		sel_move(s, d, gcn_come(f, GCN_THREADS, GCN_VECTOR, 1), 1);
	}
	told[(*n)++] = (struct gcn_use){d.ref, 1, false};
}

static void call_it(struct select *s, struct gcn_src target, uint16_t wants,
		    const struct ir_func *callee, const ir_val *args)
{
	struct gcn_func *f = s->f;
	uint32_t given = in_registers(words_of(callee->arg_types, callee->nargs)), ntold = 0;
	uint32_t taken = in_registers(words_of(callee->result_types, callee->nresults));
	struct passing p = {.frame = GCN_STACK};
	struct gcn_use told[GCN_MAX_PASSED];
	struct gcn_inst *i;

	if (given)
		p.vreg = gcn_passed(f, GCN_VECTOR, given, 0);
	for (uint32_t k = 0; k < callee->nargs; k++)
		give(s, &p, args[k]);
	tell(s, wants, told, &ntold);
	i = sel_emit(s, AMD_s_swappc_b64, AMD_PLAIN);
	i->call = true;
	i->mode = 0;
	gcn_set(f, i, AMD_D, gcn_at(f, gcn_passed(f, GCN_SCALAR, 2, GCN_RETURN_TO), 0));
	gcn_set(f, i, AMD_S0, target);
	gcn_carry(f, i, p.vreg, given, false);
	for (uint32_t k = 0; k < ntold; k++)
		gcn_carry(f, i, told[k].ref.vreg, told[k].count, false);
	p.word = 0;
	if (taken)
		p.vreg = gcn_passed(f, GCN_VECTOR, taken, 0);
	gcn_carry(f, i, p.vreg, taken, true);
	for (uint32_t k = 0; k < callee->nresults; k++)
		take(s, &p, k, callee->result_types[k]);
}

/* Its address is among the module's variables. */
static void call_service(struct select *s, const struct ir_func *callee, struct gcn_src target)
{
	enum service service = service_find(callee->name);
	struct gcn_src at = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_inst *i;

	if (service == SERVICES || !service_fits(service, callee)) {
		diag_error(&s->f->job->diag, s->in->line, 0,
			   "function '%s' is not defined, and it is no service by these types",
			   callee->name);
		s->failed = true;
		return;
	}
	select_distance(s, at, AMD_TO_SERVICE, service, 0);
	i = sel_emit(s, AMD_s_load_dwordx2, AMD_PLAIN);
	gcn_set(s->f, i, AMD_D, target);
	gcn_set(s->f, i, AMD_S0, at);
	gcn_set(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
	s->f->services |= 1u << service;
	call_it(s, target, GCN_SERVICES_WANT, callee, s->in->args);
}

static void call(struct select *s)
{
	const struct ir_func *callee = s->ir->module->table[s->in->symbol];
	struct gcn_src target = sel_temp(s, GCN_SCALAR, 2);

	if (callee->kind == IR_EXTERNAL) {
		call_service(s, callee, target);
		return;
	}
	select_distance(s, target, AMD_TO_FUNCTION, s->in->symbol, 0);
	call_it(s, target, s->f->unit->wants, callee, s->in->args);
}

/* What all lanes that are on have. */
static struct gcn_src of_all(struct select *s, struct gcn_src x)
{
	struct gcn_src d = sel_temp(s, GCN_SCALAR, 1);

	sel_move(s, d, x, 1);
	return d;
}

/* A number's place in the table says how far the function is from that place. */
static void call_by_address(struct select *s)
{
	struct gcn_src place = sel_temp(s, GCN_SCALAR, 2), target = sel_temp(s, GCN_SCALAR, 2);
	struct gcn_src table = sel_temp(s, GCN_SCALAR, 2), far = sel_temp(s, GCN_SCALAR, 1), sign;
	struct gcn_inst *i;

	select_distance(s, table, AMD_TO_FUNCTION, AMD_TABLE_INDEX, 0);
	sel_add64(s, place, table, sel_part(table, 1), of_all(s, sel_word(s, ARG(0), 0)),
		  gcn_imm(0), false);
	i = sel_emit(s, AMD_s_load_dword, AMD_PLAIN);
	gcn_set(s->f, i, AMD_D, far);
	gcn_set(s->f, i, AMD_S0, place);
	gcn_set(s->f, i, AMD_S1, gcn_reg(AMD_NULL));
	sign = sel_new(s, GCN_SCALAR, SEL_SHR_S, far, gcn_imm(31));
	sel_add64(s, target, place, sel_part(place, 1), far, sign, false);
	call_it(s, target, s->f->unit->wants, s->ir->module->table[s->in->symbol], s->in->args + 1);
}

/* ---- the stack ---- */

static const struct gcn_src stack = {.reg = GCN_STACK};

static struct gcn_src aligned(struct select *s, struct gcn_src x, uint32_t align)
{
	x = sel_new(s, GCN_SCALAR, SEL_ADD, x, gcn_imm(align - 1));
	return sel_new(s, GCN_SCALAR, SEL_AND, x, gcn_imm(-align));
}

static void allocate(struct select *s)
{
	uint32_t unit = s->f->unit->stack_align;
	struct gcn_src bytes = aligned(s, of_all(s, sel_word(s, ARG(0), 0)), unit), at = stack;

	if (s->in->imm > unit)
		at = aligned(s, at, (uint32_t)s->in->imm);
	sel_move(s, sel_result(s, 0, 0), at, 1);
	if (s->in->type == IR_B64)
		sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
	sel_sop(s, AMD_s_add_u32, stack, at, bytes);
}

/* Only where all are that came: others may use what is behind. It goes when the function returns. */
static void restore(struct select *s)
{
	struct gcn_src to = of_all(s, sel_word(s, ARG(0), 0));

	if (!s->f->entered)
		s->f->entered = gcn_vreg_new(s->f, GCN_SCALAR, 1);
	sel_sop(s, AMD_s_cmp_eq_u32, gcn_none(), gcn_reg(AMD_EXEC), gcn_at(s->f, s->f->entered, 0));
	sel_sop(s, AMD_s_cselect_b32, stack, to, stack);
}

/* Lanes that do not come back from a call have ended: who waits for them elsewhere has to know. */
static void call_and_look(struct select *s, void (*make)(struct select *s))
{
	bool look = s->f->alive && gcn_may_exit(s->f->unit, s->in);
	struct gcn_src before, alive = gcn_at(s->f, s->f->alive, 0);

	if (look) {
		before = sel_temp(s, GCN_SCALAR, 1);
		sel_move(s, before, gcn_reg(AMD_EXEC), 1);
	}
	make(s);
	if (look) {
		sel_sop(s, AMD_s_andn2_b32, before, before, gcn_reg(AMD_EXEC));
		sel_sop(s, AMD_s_andn2_b32, alive, alive, before);
	}
}

bool select_calls(struct select *s)
{
	switch (s->in->op) {
	case IR_ARG:
		argument(s);
		return true;
	case IR_CALL:
		call_and_look(s, call);
		return true;
	case IR_CALLPTR:
		call_and_look(s, call_by_address);
		return true;
	case IR_FUNCADDR:
		sel_move(s, sel_result(s, 0, 0),
			 gcn_imm((uint32_t)AMD_FUNCTION_NUMBER(s->in->symbol)), 1);
		sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
		return true;
	case IR_ALLOCA:
		allocate(s);
		return true;
	case IR_STACKSAVE:
		sel_move(s, sel_result(s, 0, 0), stack, 1);
		if (s->in->type == IR_B64)
			sel_move(s, sel_result(s, 0, 1), gcn_imm(0), 1);
		return true;
	case IR_STACKRESTORE:
		restore(s);
		return true;
	default:
		return false;
	}
}
