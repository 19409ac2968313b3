// SPDX-License-Identifier: MIT
/*
 * Selection of addresses: of variables, conversion between state-space and generic addresses, and
 * stack allocation (see frame.c). Shared and local memory are windows of the generic address space;
 * constants and parameters lie in global memory. The windows' bases are in constant bank 0; on
 * Hopper that of shared memory is in special registers.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/select.h"

static struct mir_source stack_pointer(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = MIR_STACK}};
}

/* In a library bank 4 belongs to the caller, so the loader patches addresses into the code. In a
 * relocatable object the linker does, also those of shared variables and constants, which have 32
 * bits. */
static void select_patched_address(struct select *s, const struct ir_inst *in)
{
	static const uint8_t needs[] = {NEED_LOW, NEED_HIGH};
	uint8_t space = s->ir->module->symbols[in->symbol].space;

	/* address_origin() knows the high half of the others. */
	for (uint32_t half = 0; half < (space == IR_GLOBAL ? 2 : 1); half++) {
		struct mir_inst *i;

		if (!is_needed(s, in->res, needs[half]))
			continue;
		i = EMIT(s, MOV, result_half(s, in->res, half), mir_imm(0));
		i->variable = in->symbol + 1;
		i->addend = in->imm;
		i->high = half;
		if (space == IR_SHARED && s->f->sm >= 90)
			i->addend += NV_SM90_RESERVED_SHARED;
	}
}

/* Addresses of shared variables and constants are immediates, see select_arg.c, except in
 * relocatable objects. */
bool select_addr(struct select *s, const struct ir_inst *in)
{
	uint8_t space = s->ir->module->symbols[in->symbol].space;
	uint32_t at = s->f->symbol_offset[in->symbol];
	struct mir_source table = {
		.op = {.kind = SASS_CONST, .reg = SASS_RZ, .aux = NV_ADDRESS_BANK, .value = at}};
	struct mir_source low, carry = new_temp(s, SASS_PRED, 1), high;

	if (space == IR_LOCAL) {
		EMIT(s, IADD3, result(s, in->res), NONE, NONE, stack_pointer(),
		     mir_imm((uint32_t)(at + in->imm)), rz());
		return true;
	}
	if (s->job->options.relocatable && (space == IR_SHARED || space == IR_CONSTANT)) {
		select_patched_address(s, in);
		return true;
	}
	if (space != IR_GLOBAL || in->type != IR_B64)
		return false;
	if (s->job->options.library || s->job->options.relocatable) {
		select_patched_address(s, in);
		return true;
	}
	low = new_temp(s, SASS_GPR, 1);
	EMIT(s, MOV, low, mir_imm((uint32_t)in->imm));
	EMIT(s, IADD3, result(s, in->res), carry, NONE, low, table, rz());
	if (!is_needed(s, in->res, NEED_HIGH))
		return true;
	high = new_temp(s, SASS_GPR, 1);
	table.op.value += 4;
	EMIT(s, MOV, high, mir_imm((uint32_t)(in->imm >> 32)));
	set_mod(EMIT(s, IADD3, result_half(s, in->res, 1), NONE, NONE, high, table, rz(), carry,
		     mir_pred_const(false)),
		SASS_M_X, 1);
	return true;
}

/* Offsets of the bases in constant bank 0, before Hopper and from Hopper on. */
static const uint16_t bases[IR_SPACE_COUNT][2] = {
	[IR_SHARED] = {NV_BANK0_SHARED_WINDOW, NV_BANK0_SHARED_WINDOW},
	[IR_LOCAL] = {NV_BANK0_LOCAL_WINDOW, NV_BANK0_LOCAL_WINDOW},
	[IR_CONSTANT] = {NV_BANK0_SM80_CONSTANTS, NV_BANK0_SM90_CONSTANTS},
	[IR_PARAM] = {NV_BANK0_SM80_BANK, NV_BANK0_SM90_PARAMS_START},
	[IR_SHARED_CLUSTER] = {NV_BANK0_SHARED_WINDOW, NV_BANK0_SHARED_WINDOW},
};

static bool has_window(uint8_t space)
{
	return bases[space][0];
}

static struct mir_source load_window_base(struct select *s, uint8_t space, uint32_t half)
{
	bool hopper = s->f->sm >= 90;
	struct mir_source from = {
		.op = {.kind = SASS_SREG, .value = half ? SASS_SR_SWINHI : SASS_SR_SWINLO}};
	struct mir_source d = new_temp(s, SASS_GPR, 1);

	if (hopper && (space == IR_SHARED || space == IR_SHARED_CLUSTER)) {
		EMIT(s, S2R, d, from);
		return d;
	}
	from.op = (struct sass_operand){
		.kind = SASS_CONST, .reg = SASS_RZ, .value = 4 * half + bases[space][hopper]};
	EMIT(s, MOV, d, from);
	return d;
}

/* The distance of address 0 of a space from its window's base: before Hopper, bank 0 contains the
 * address of the bank, not that of the parameters. */
static uint32_t space_offset(const struct select *s, uint8_t space)
{
	return space == IR_PARAM && s->f->sm < 90 ? NV_BANK0_PARAMS(s->f->sm, s->ir->param_bytes)
						  : 0;
}

static struct mir_source plus_immediate(struct select *s, struct mir_source x, uint32_t value)
{
	struct mir_source sum;

	if (!value)
		return x;
	sum = new_temp(s, SASS_GPR, 1);
	EMIT(s, IADD3, sum, NONE, NONE, x, mir_imm(value), rz());
	return sum;
}

bool select_space(struct select *s, const struct ir_inst *in)
{
	struct mir_source x, carry, low;

	if (!has_window(in->space) || in->type != IR_B64)
		return false;
	x = in_reg(s, arg_half(s, in->args[0], 0));
	low = load_window_base(s, in->space, 0);
	if (in->op == IR_TOSPACE) {
		x = plus_immediate(s, x, 0u - space_offset(s, in->space));
		EMIT(s, IADD3, result_half(s, in->res, 0), NONE, NONE, x, with_flags(low, SASS_NEG),
		     rz());
		if (is_needed(s, in->res, NEED_HIGH))
			EMIT(s, MOV, result_half(s, in->res, 1), rz());
		return true;
	}
	x = plus_immediate(s, x, space_offset(s, in->space));
	carry = new_temp(s, SASS_PRED, 1);
	EMIT(s, IADD3, result_half(s, in->res, 0), carry, NONE, x, low, rz());
	if (is_needed(s, in->res, NEED_HIGH))
		set_mod(EMIT(s, IADD3, result_half(s, in->res, 1), NONE, NONE,
			     load_window_base(s, in->space, 1), rz(), rz(), carry,
			     mir_pred_const(false)),
			SASS_M_X, 1);
	return true;
}

/* Constants and parameters: whether the distance from the base is less than their size. A function
 * does not know its kernel's parameters, so it accepts all of the bank. */
static bool select_in_bank(struct select *s, const struct ir_inst *in)
{
	bool is_param = in->space == IR_PARAM, kernel = s->ir->kind == IR_KERNEL;
	uint64_t bytes = !is_param ? s->module->plan->out.bytes[CUBIN_CONSTANT_VARIABLES]
			 : kernel  ? s->ir->param_bytes
				   : NV_BANK_BYTES;
	uint32_t before = space_offset(s, in->space);
	struct mir_source low = new_temp(s, SASS_GPR, 1), high = new_temp(s, SASS_GPR, 1),
			  inside = new_temp(s, SASS_PRED, 1), carry = new_temp(s, SASS_PRED, 1);
	struct mir_inst *i;

	/* In two's complement, minus the base is its complement plus one, the carry into it. */
	EMIT(s, IADD3, low, carry, NONE, in_reg(s, arg_half(s, in->args[0], 0)),
	     with_flags(load_window_base(s, in->space, 0), SASS_NEG), rz());
	set_mod(EMIT(s, IADD3, high, NONE, NONE, in_reg(s, arg_half(s, in->args[0], 1)),
		     with_flags(load_window_base(s, in->space, 1), SASS_NOT), rz(), carry,
		     mir_pred_const(false)),
		SASS_M_X, 1);
	low = plus_immediate(s, low, 0u - before);
	i = EMIT(s, ISETP, inside, NONE, low, mir_imm((uint32_t)bytes), mir_pred_const(true));
	set_mod(i, SASS_M_CMP, SASS_CMP_LT);
	i = EMIT(s, ISETP, result(s, in->res), NONE, high, rz(), inside);
	set_mod(i, SASS_M_CMP, SASS_CMP_EQ);
	return true;
}

bool select_inspace(struct select *s, const struct ir_inst *in)
{
	struct mir_source at;
	struct mir_inst *i;

	if (in->type != IR_B64)
		return false;
	if (in->space == IR_CONSTANT || in->space == IR_PARAM)
		return select_in_bank(s, in);
	at = in_pair(s, arg_pair(s, in->args[0]));
	at.op.kind = SASS_ADDR;
	at.op.aux = SASS_NO_UREG;
	at.op.flags = SASS_A64;
	i = EMIT(s, QSPC, result(s, in->res), rz(), at);
	set_mod(i, SASS_M_E, 1);
	set_mod(i, SASS_M_QSPC,
		in->space == IR_SHARED           ? SASS_QSPC_SHARED
		: in->space == IR_SHARED_CLUSTER ? SASS_QSPC_CLUSTER
		: in->space == IR_LOCAL          ? SASS_QSPC_LOCAL
						 : SASS_QSPC_GLOBAL);
	return true;
}

/* Frames are aligned to this, so the stack always is. */
#define STACK_ALIGN 16

static void set_stack_access(struct mir_inst *i, uint8_t effect)
{
	set_mod(i, SASS_M_WIDTH, SASS_WIDTH_32);
	i->memory = (struct mir_memory){effect, MIR_SPILL_SPACE, 4};
}

bool select_stack(struct select *s, const struct ir_inst *in)
{
	struct mir_source slot = {.op = {.kind = SASS_ADDR,
					 .reg = MIR_STACK,
					 .aux = SASS_NO_UREG,
					 .value = s->f->dynamic_end_at}};
	uint32_t align = in->imm > STACK_ALIGN ? (uint32_t)in->imm : STACK_ALIGN;
	struct mir_source top = new_temp(s, SASS_GPR, 1), below, d;

	if (in->op == IR_STACKRESTORE) {
		top = in_reg(s, arg_half(s, in->args[0], 0));
		set_stack_access(EMIT(s, STL, slot, top), MIR_WRITES);
		return true;
	}
	set_stack_access(EMIT(s, LDL, top, slot), MIR_READS);
	if (in->op == IR_ALLOCA) {
		below = new_temp(s, SASS_GPR, 1);
		EMIT(s, IADD3, below, NONE, NONE, top,
		     with_flags(in_reg(s, arg_half(s, in->args[0], 0)), SASS_NEG), rz());
		top = new_temp(s, SASS_GPR, 1);
		EMIT(s, LOP3, NONE, top, below, mir_imm(0u - align), rz(), mir_imm(0xc0),
		     mir_pred_const(false));
		set_stack_access(EMIT(s, STL, slot, top), MIR_WRITES);
	}
	d = in->type == IR_B64 ? result_half(s, in->res, 0) : result(s, in->res);
	if (is_needed(s, in->res, NEED_LOW))
		EMIT(s, MOV, d, top);
	if (in->type == IR_B64 && is_needed(s, in->res, NEED_HIGH))
		EMIT(s, MOV, result_half(s, in->res, 1), rz());
	return true;
}
