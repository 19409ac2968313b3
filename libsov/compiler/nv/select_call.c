// SPDX-License-Identifier: MIT
/*
 * Selection of calls. Arguments and results of functions with known callers are passed in registers
 * (call_registers.c). For others they are in memory, in call slots at the bottom of the caller's
 * frame (nv_call_layout()), so such a call uses no registers and all live values are spilled across
 * it. Small, frequent functions are inlined long before. Calls of other code pass them in
 * registers, which frame.c moves (call_abi.c).
 */
#include "libsov/compiler/nv/select.h"

uint32_t nv_next_call_slot(uint32_t *at, uint8_t type)
{
	uint32_t size = type == IR_B64 ? 8 : 4, where = (*at + size - 1) / size * size;

	*at = where + size;
	return where;
}

struct nv_call_layout nv_call_layout(const struct nv_module *n, const struct ir_func *callee)
{
	struct nv_passed passed = nv_passed_by_call(nv_known_callee(n, callee->index), callee);
	struct nv_call_layout layout = {0};

	for (uint32_t k = passed.args; k < callee->nargs; k++)
		nv_next_call_slot(&layout.bytes, callee->arg_types[k]);
	layout.results = layout.bytes = (layout.bytes + 7) / 8 * 8;
	for (uint32_t k = passed.results; k < callee->nresults; k++)
		nv_next_call_slot(&layout.bytes, callee->result_types[k]);
	return layout;
}

static struct mir_source call_slot(uint32_t offset)
{
	return (struct mir_source){
		.op = {.kind = SASS_ADDR, .reg = MIR_STACK, .aux = SASS_NO_UREG, .value = offset}};
}

static struct mir_inst *set_access(struct mir_inst *i, enum ir_type type, uint8_t effect,
				   bool incoming_arg)
{
	set_mod(i, SASS_M_WIDTH, type == IR_B64 ? SASS_WIDTH_64 : SASS_WIDTH_32);
	i->memory = (struct mir_memory){effect, MIR_SPILL_SPACE, type == IR_B64 ? 8 : 4};
	i->incoming_arg = incoming_arg;
	return i;
}

static struct mir_source argument_word(struct select *s, ir_val v)
{
	struct mir_source x;

	if (type_of(s, v) != IR_B1)
		return in_reg(s, arg_word(s, v));
	x = new_temp(s, SASS_GPR, 1);
	EMIT(s, SEL, x, rz(), mir_imm(1), with_flags(arg_pred(s, v), SASS_NEG));
	return x;
}

struct passed_value {
	struct mir_source src;
	uint32_t units;
};

static struct passed_value passed_value(struct select *s, ir_val v)
{
	if (type_of(s, v) == IR_B64)
		return (struct passed_value){in_pair(s, arg_pair(s, v)), 2};
	return (struct passed_value){argument_word(s, v), 1};
}

/* A result has registers of its own, also if it is zero: callers read these. */
static struct passed_value returned_value(struct select *s, ir_val v)
{
	struct passed_value value = passed_value(s, v);
	struct mir_source own;

	if (value.src.ref.vreg)
		return value;
	own = new_temp(s, SASS_GPR, value.units);
	for (uint32_t u = 0; u < value.units; u++)
		EMIT(s, MOV, subreg(own, u), value.src);
	return (struct passed_value){own, value.units};
}

/* A predicate is passed as 0 or 1. */
static void receive_predicate(struct select *s, ir_val v, struct mir_source word)
{
	struct mir_inst *i = EMIT(s, ISETP, result(s, v), NONE, word, rz(), mir_pred_const(true));

	set_mod(i, SASS_M_CMP, SASS_CMP_NE);
	set_mod(i, SASS_M_SIGNED, 1);
}

static void store_call_slot(struct select *s, ir_val v, uint32_t offset, bool incoming_arg)
{
	set_access(EMIT(s, STL, call_slot(offset), passed_value(s, v).src), type_of(s, v),
		   MIR_WRITES, incoming_arg);
}

static void load_call_slot(struct select *s, ir_val v, uint32_t offset, bool incoming_arg)
{
	enum ir_type type = type_of(s, v);
	bool high = type == IR_B64 && !is_needed(s, v, NEED_LOW);
	struct mir_source d;

	/* One half of a 64-bit value has one register, not a pair. */
	if (type == IR_B64 && (high || !is_needed(s, v, NEED_HIGH))) {
		d = result_half(s, v, high);
		set_access(EMIT(s, LDL, d, call_slot(offset + 4 * high)), IR_B32, MIR_READS,
			   incoming_arg);
		return;
	}
	d = type == IR_B1 ? new_temp(s, SASS_GPR, 1) : result(s, v);
	set_access(EMIT(s, LDL, d, call_slot(offset)), type, MIR_READS, incoming_arg);
	if (type == IR_B1)
		receive_predicate(s, v, d);
}

bool nv_call_uses_abi(const struct compile_job *job, const struct ir_func *callee)
{
	return callee->kind == IR_EXTERNAL || nv_is_exported(job, callee) ||
	       (job->options.relocatable && callee->kind == IR_PROTOTYPE);
}

uint32_t nv_call_slot_bytes(const struct nv_module *n, const struct ir_func *callee)
{
	struct nv_passed passed = nv_passed_by_call(nv_known_callee(n, callee->index), callee);
	struct nv_abi abi;

	if (!nv_call_uses_abi(n->job, callee))
		return nv_call_layout(n, callee).bytes;
	if (passed.args == callee->nargs && passed.results == callee->nresults)
		return 0;
	nv_abi_of(callee, &abi);
	return abi.bytes;
}

/* Call slots of a function's arguments and results that are not operands. */
struct call_slots {
	uint32_t args[IR_MAX_RESULTS], results[IR_MAX_RESULTS];
};

static void find_call_slots(const struct select *s, const struct ir_func *f,
			    struct nv_passed passed, struct call_slots *out)
{
	uint32_t at = 0, after = nv_call_layout(s->module, f).results;
	bool uses_abi = nv_call_uses_abi(s->job, f);
	struct nv_abi abi;

	if (uses_abi)
		nv_abi_of(f, &abi);
	for (uint32_t k = passed.args; k < f->nargs; k++)
		out->args[k] =
			uses_abi ? abi.args[k].slot : nv_next_call_slot(&at, f->arg_types[k]);
	for (uint32_t k = passed.results; k < f->nresults; k++)
		out->results[k] = uses_abi ? abi.results[k].slot
					   : nv_next_call_slot(&after, f->result_types[k]);
}

/* ---- values in registers (call_registers.c) ---- */

/* Makes i define the value as its operand k; what it takes to convert it is emitted here. */
static void receive_value(struct select *s, struct mir_inst *i, uint32_t k, ir_val v)
{
	enum ir_type type = type_of(s, v);
	struct mir_source d;

	if (type == IR_B1) {
		d = new_temp(s, SASS_GPR, 1);
		mir_pass(i, k, d, 1, 0);
		receive_predicate(s, v, d);
	} else if (type == IR_B64 && !is_needed(s, v, NEED_HIGH)) {
		mir_pass(i, k, result_half(s, v, 0), 1, 0);
	} else if (type == IR_B64 && !is_needed(s, v, NEED_LOW)) {
		mir_pass(i, k, result_half(s, v, 1), 1, 1);
	} else {
		mir_pass(i, k, result(s, v), type == IR_B64 ? 2 : 1, 0);
	}
}

bool select_arg(struct select *s, const struct ir_inst *in)
{
	struct nv_passed passed = nv_passed_by_function(s->f->own, s->ir);
	struct call_slots slots;

	if (in->imm < passed.args) {
		receive_value(s, s->start, (uint32_t)in->imm, in->res);
		return true;
	}
	find_call_slots(s, s->ir, passed, &slots);
	load_call_slot(s, in->res, slots.args[in->imm], true);
	return true;
}

void select_return(struct select *s, const struct ir_inst *in)
{
	struct nv_passed passed = nv_passed_by_function(s->f->own, s->ir);
	struct passed_value values[NV_MAX_PASSED];
	struct call_slots slots;
	struct mir_inst *i;

	find_call_slots(s, s->ir, passed, &slots);
	for (uint32_t k = passed.results; k < in->nargs; k++)
		store_call_slot(s, in->args[k], slots.results[k], true);
	for (uint32_t k = 0; k < passed.results; k++)
		values[k] = returned_value(s, in->args[k]);
	if (!passed.results)
		return;
	i = emit(s, SASS_NOP, NULL, 0);
	i->passes = true;
	i->passed_reads = (uint8_t)passed.results;
	i->members = MIR_ACTIVE_LANES;
	for (uint32_t k = 0; k < passed.results; k++)
		mir_pass(i, k, values[k].src, values[k].units, 0);
}

/* The call itself. An object calls a function directly, and a pointer in registers of its own. For
 * device services frame.c loads the address. */
static struct mir_inst *emit_call(struct select *s, const struct ir_inst *in,
				  const struct ir_func *callee)
{
	struct mir_source target = {.op = {.kind = SASS_TARGET}};
	struct mir_source address = {.op = {.kind = SASS_GPR, .reg = MIR_CALLEE}};
	bool indirect = in->op == IR_CALLPTR;
	struct mir_inst *i;

	if (nv_call_uses_abi(s->job, callee)) {
		bool direct = s->job->options.relocatable && !indirect;

		i = direct ? EMIT(s, CALL_ABS, NONE, target)
			   : EMIT(s, CALL_ABS_REG, NONE, address, target);
		i->abi = in->symbol + 1;
		i->indirect = indirect;
		s->f->callee_barriers |= (1u << MIR_SAVED_BARRIER) - 1;
		return i;
	}
	if (indirect)
		return EMIT(s, CALL_REL_REG, NONE, in_pair(s, arg_pair(s, in->args[0])), target);
	i = EMIT(s, CALL_REL, NONE, target);
	i->callee = in->symbol + 1;
	return i;
}

/* What a call passes as operands: the arguments, and of an indirect call in an object the target,
 * whose registers are the last that nv_callee has. */
struct passed_values {
	struct passed_value list[NV_MAX_PASSED];
	uint32_t count;
};

static void collect_passed(struct select *s, const struct ir_inst *in, uint32_t args, bool target,
			   struct passed_values *out)
{
	bool indirect = in->op == IR_CALLPTR;

	for (out->count = 0; out->count < args; out->count++)
		out->list[out->count] = passed_value(s, in->args[out->count + indirect]);
	if (target)
		out->list[out->count++] = passed_value(s, in->args[0]);
}

static void pass_values(struct select *s, struct mir_inst *call, const struct nv_callee *known,
			const struct passed_values *values)
{
	call->known = known;
	call->passes = true;
	call->first_passed = call->sass.nops;
	call->passed_reads = (uint8_t)values->count;
	s->f->callee_barriers |= known->barriers;
	for (uint32_t k = 0; k < values->count; k++)
		mir_pass(call, k, values->list[k].src, values->list[k].units, 0);
}

static void receive_results(struct select *s, const struct ir_inst *in, struct mir_inst *call,
			    uint32_t count, const struct call_slots *slots)
{
	const struct ir_func *callee = s->ir->module->table[in->symbol];

	for (uint32_t k = 0; k < count; k++)
		if (is_needed(s, in->res + k, NEED_PAIR))
			receive_value(s, call, call->passed_reads + k, in->res + k);
	for (uint32_t k = count; k < callee->nresults; k++)
		if (is_needed(s, in->res + k, NEED_PAIR))
			load_call_slot(s, in->res + k, slots->results[k], false);
}

bool select_call(struct select *s, const struct ir_inst *in)
{
	const struct ir_func *callee = s->ir->module->table[in->symbol];
	bool indirect = in->op == IR_CALLPTR, relocatable = s->job->options.relocatable;
	enum service service = callee->kind == IR_EXTERNAL ? service_find(callee->name) : SERVICES;
	const struct nv_callee *known = nv_known_callee(s->module, in->symbol);
	struct nv_passed passed = nv_passed_by_call(known, callee);
	struct passed_values values;
	struct call_slots slots;
	struct mir_inst *i;

	if (callee->kind == IR_EXTERNAL && !relocatable &&
	    (service == SERVICES || !service_fits(service, callee)))
		return false;
	find_call_slots(s, callee, passed, &slots);
	for (uint32_t k = passed.args; k < callee->nargs; k++)
		store_call_slot(s, in->args[k + indirect], slots.args[k], false);
	collect_passed(s, in, passed.args, indirect && known, &values);
	i = emit_call(s, in, callee);
	if (known)
		pass_values(s, i, known, &values);
	if (service < SERVICES && !relocatable) {
		i->service = (uint8_t)(service + 1);
		i->service_offset = s->module->plan->service_offset[service];
		s->f->services |= 1u << service;
	}
	i->preserve_all = i->saves = callee->preserve_all;
	i->syncs_warp = callee->syncs_warp;
	i->members = MIR_SOME_LANES;
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	set_mod(i, SASS_M_NODEC, 1);
	s->f->calls = true;
	s->f->uniform_calls |= known ? known->changes_uniform : !callee->preserve_all;
	receive_results(s, in, i, passed.results, &slots);
	return true;
}

/* A function's offset from the kernel's first byte; in a relocatable object, its address, or the
 * handle by which the device launches a kernel. */
bool select_funcaddr(struct select *s, const struct ir_inst *in)
{
	const struct ir_func *target = s->ir->module->table[in->symbol];
	bool kernel = ir_is_kernel(target);

	if (kernel && !s->job->options.relocatable)
		return false;
	for (uint32_t half = 0; s->job->options.relocatable && half < 2; half++) {
		struct mir_inst *i;

		if (!is_needed(s, in->res, half ? NEED_HIGH : NEED_LOW))
			continue;
		i = EMIT(s, MOV, result_half(s, in->res, half), mir_imm(0));
		i->function = in->symbol + 1;
		i->high = half;
	}
	if (s->job->options.relocatable)
		return true;
	if (is_needed(s, in->res, NEED_LOW))
		EMIT(s, MOV, result_half(s, in->res, 0), mir_imm(0))->callee = in->symbol + 1;
	if (is_needed(s, in->res, NEED_HIGH))
		EMIT(s, MOV, result_half(s, in->res, 1), rz());
	return true;
}
