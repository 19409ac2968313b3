// SPDX-License-Identifier: MIT
/*
 * Selection of special registers and of changes of width. Between 32 and 64 bits most of these need
 * no instruction: see find_origin() in select_arg.c.
 */
#include "hw/chips.h"
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/select.h"

/* Bits 8 to 14 of a special register; for their number on Hopper, 8 to 15. */
static bool select_warp_number(struct select *s, const struct ir_inst *in)
{
	struct mir_source all = new_temp(s, SASS_GPR, 1), shifted = new_temp(s, SASS_GPR, 1);
	struct mir_source from = {.op = {.kind = SASS_SREG, .value = SASS_SR_VIRTID}};
	struct mir_inst *i;

	if (in->sub == IR_NWARPID && s->f->sm < 90) { /* the constants of ptxas: warps per SM */
		EMIT(s, MOV, result(s, in->res), mir_imm(nv_warps_per_sm(s->f->sm)));
		return true;
	}
	if (in->sub == IR_NWARPID)
		from.op.value = SASS_SR_VIRTCFG;
	EMIT(s, S2R, all, from);
	i = EMIT(s, SHF, shifted, rz(), mir_imm(8), all);
	set_mod(i, SASS_M_RIGHT, 1);
	set_mod(i, SASS_M_HI, 1);
	EMIT(s, LOP3, NONE, result(s, in->res), shifted,
	     mir_imm(in->sub == IR_WARPID ? 0x7f : 0xff), rz(), mir_imm(0xc0),
	     mir_pred_const(false));
	return true;
}

/* Without the part that the system reserves. */
static bool select_shared_size(struct select *s, const struct ir_inst *in)
{
	struct mir_source all = new_temp(s, SASS_GPR, 1);
	struct mir_source kept = {.op = {.kind = SASS_CONST,
					 .reg = SASS_RZ,
					 .flags = SASS_NEG,
					 .value = NV_BANK0_RESERVED_SHARED}};

	EMIT(s, S2R, all, (struct mir_source){.op = {.kind = SASS_SREG, .value = SASS_SR_SMEMSZ}});
	EMIT(s, IADD3, result(s, in->res), NONE, NONE, all, kept, rz());
	return true;
}

bool select_clock(struct select *s, const struct ir_inst *in)
{
	struct mir_source from = {.op = {.kind = SASS_SREG,
					 .value = in->sub == IR_CLOCK_CYCLES
							  ? SASS_SR_CLOCKLO
							  : SASS_SR_GLOBALTIMERLO}};
	struct mir_inst *i;

	if (in->type == IR_B64) {
		i = EMIT(s, CS2R, result(s, in->res), from);
		set_mod(i, SASS_M_WIDTH, SASS_WIDTH_64);
	} else {
		i = EMIT(s, CS2R, is_needed(s, in->res, NEED_LOW) ? result(s, in->res) : rz(),
			 from);
		set_mod(i, SASS_M_WIDTH, SASS_WIDTH_32);
	}
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	return true;
}

bool select_sreg(struct select *s, const struct ir_inst *in)
{
	/* Those not listed are in constant bank 0 and are operands. */
	static const struct {
		uint8_t sreg, number;
	} numbers[] = {
		{IR_TID_X, SASS_SR_TID_X},        {IR_TID_Y, SASS_SR_TID_Y},
		{IR_TID_Z, SASS_SR_TID_Z},        {IR_CTAID_X, SASS_SR_CTAID_X},
		{IR_CTAID_Y, SASS_SR_CTAID_Y},    {IR_CTAID_Z, SASS_SR_CTAID_Z},
		{IR_LANEID, SASS_SR_LANEID},      {IR_LANEMASK_EQ, SASS_SR_EQMASK},
		{IR_LANEMASK_LT, SASS_SR_LTMASK}, {IR_LANEMASK_LE, SASS_SR_LEMASK},
		{IR_LANEMASK_GT, SASS_SR_GTMASK}, {IR_LANEMASK_GE, SASS_SR_GEMASK},
		{IR_SMID, SASS_SR_VIRTUALSMID},   {IR_CLUSTER_CTARANK, SASS_SR_CGACTAID},
	};

	if (in->sub == IR_WARPID || in->sub == IR_NWARPID)
		return select_warp_number(s, in);
	if (in->sub == IR_TOTAL_SMEM)
		return select_shared_size(s, in);
	for (uint32_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
		struct mir_source number = {.op = {.kind = SASS_SREG, .value = numbers[k].number}};

		if (numbers[k].sreg != in->sub)
			continue;
		EMIT(s, S2R, result(s, in->res), number);
		return true;
	}
	return false;
}

/* 0 or value, by a predicate. */
static void emit_from_pred(struct select *s, struct mir_source d, struct mir_source p,
			   uint32_t value)
{
	EMIT(s, SEL, d, rz(), mir_imm(value), with_flags(p, SASS_NEG));
}

bool select_zext(struct select *s, const struct ir_inst *in)
{
	/* The high half of a 64-bit result is a free 0. */
	if (in->from == IR_B1)
		emit_from_pred(s, result(s, in->res), arg_pred(s, in->args[0]), 1);
	else
		define_half(s, in->res, 0, arg_extended(s, in->args[0], false));
	return true;
}

bool select_sext(struct select *s, const struct ir_inst *in)
{
	struct mir_source low = result(s, in->res);
	struct mir_inst *i;

	if (in->from == IR_B1)
		emit_from_pred(s, low, arg_pred(s, in->args[0]), UINT32_MAX);
	else if (in->from == IR_B32)
		low = in_reg(s, arg_word(s, in->args[0]));
	else
		define_half(s, in->res, 0, arg_extended(s, in->args[0], true));
	if (in->type != IR_B64 || !is_needed(s, in->res, NEED_HIGH))
		return true;
	i = EMIT(s, SHF, result_half(s, in->res, 1), rz(), mir_imm(31), low);
	set_mod(i, SASS_M_RIGHT, 1);
	set_mod(i, SASS_M_HI, 1);
	set_mod(i, SASS_M_SHTYPE, SASS_SH_S32);
	return true;
}

/* To a predicate: the lowest bit. All other truncations need no instruction. */
bool select_trunc(struct select *s, const struct ir_inst *in)
{
	EMIT(s, LOP3, result(s, in->res), rz(), in_reg(s, arg_word(s, in->args[0])), mir_imm(1),
	     rz(), mir_imm(0xc0), mir_pred_const(false));
	return true;
}

/* The bytes of a packed value in the register that holds them: the upper part of an unpacked word
 * needs no instruction of its own. */
static struct mir_source packed_part(struct select *s, ir_val v, uint32_t *first_byte)
{
	const struct ir_inst *in = ir_def(s->ir, v);

	*first_byte = 0;
	if (in->op == IR_UNPACK && in->type != IR_B64 && v == in->res + 1) {
		*first_byte = in->type == IR_B16 ? 1 : 2;
		v = in->args[0];
	}
	return in_reg(s, arg_word(s, v));
}

/* Of bytes and halves; packing words needs no instruction. Selector: nibbles 0–3 are the first
 * source's bytes, 4–7 the second's. */
bool select_pack(struct select *s, const struct ir_inst *in)
{
	struct mir_source low, high;
	uint32_t at[2];

	if (select_pair(s, in) || select_float_pair(s, in))
		return true;
	low = packed_part(s, in->args[0], &at[0]);
	high = packed_part(s, in->args[1], &at[1]);
	EMIT(s, PRMT, result(s, in->res), low,
	     mir_imm(in->type == IR_B16 ? 0x0040 + at[0] + at[1] * 0x10
					: 0x5410 + at[0] * 0x11 + at[1] * 0x1100),
	     high);
	return true;
}

bool select_unpack(struct select *s, const struct ir_inst *in)
{
	EMIT(s, PRMT, result(s, in->res + 1), in_reg(s, arg_word(s, in->args[0])),
	     mir_imm(in->type == IR_B16 ? 0x4441 : 0x4432), rz());
	return true;
}
