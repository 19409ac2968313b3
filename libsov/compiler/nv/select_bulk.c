// SPDX-License-Identifier: MIT
/*
 * Selection of bulk copies for SM90, as ptxas does it. UBLKCP is executed once for a warp, with all
 * operands in uniform registers; a waterfall loop leaves one lane active (legalise.c).
 * Groups are those of select_async.c.
 */
#include "libsov/compiler/nv/select.h"

#define SIZE_SHIFT   4      /* sizes are in units of 16 bytes, */
#define SIZE_MASK    0xffff /* and the upper half has the blocks of a multicast */
#define LOWER_HALVES 0x5410 /* PRMT: the lower halves of two words */

static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     0};

/* A uniform register or pair of one or two general ones. */
static struct mir_source uniform_words(struct select *s, struct mir_source low,
				       struct mir_source high, uint32_t words)
{
	struct mir_source to = new_temp(s, SASS_UGPR, (uint8_t)words);

	select_to_uniform(s, words == 2 ? subreg(to, 0) : to, low);
	if (words == 2)
		select_to_uniform(s, subreg(to, 1), high);
	return to;
}

static struct mir_source uniform_pair(struct select *s, ir_val v)
{
	struct mir_source pair = in_pair(s, arg_pair(s, v));

	return uniform_words(s, subreg(pair, 0), subreg(pair, 1), 2);
}

static struct mir_source uniform_size(struct select *s, ir_val bytes, ir_val blocks)
{
	struct mir_source shifted = new_temp(s, SASS_GPR, 1), size = new_temp(s, SASS_GPR, 1);
	struct mir_inst *i =
		EMIT(s, SHF, shifted, rz(), mir_imm(SIZE_SHIFT), in_reg(s, arg_word(s, bytes)));

	set_mod(i, SASS_M_RIGHT, true);
	set_mod(i, SASS_M_HI, true);
	set_mod(i, SASS_M_SHTYPE, SASS_SH_U32);
	if (blocks)
		EMIT(s, PRMT, size, shifted, mir_imm(LOWER_HALVES), in_reg(s, arg_word(s, blocks)));
	else
		EMIT(s, LOP3, NONE, size, shifted, mir_imm(SIZE_MASK), rz(), mir_imm(0xc0));
	return uniform_words(s, size, size, 1);
}

bool select_bulk_copy(struct select *s, const struct ir_inst *in)
{
	static const uint16_t ops[IR_BULK_COUNT] = {SASS_UBLKCP_SG, SASS_UBLKCP_GS, SASS_UBLKCP_SS,
						    SASS_UBLKCP_SG_MULTICAST};
	ir_val blocks = in->sub == IR_BULK_MULTICAST ? in->args[4] : 0;
	struct mir_source operands[3];
	struct mir_inst *i;

	if (in->sub == IR_BULK_TO_GLOBAL)
		operands[0] = uniform_pair(s, in->args[0]);
	else
		operands[0] = uniform_words(s, in_reg(s, arg_word(s, in->args[0])),
					    in_reg(s, arg_word(s, in->args[3])), 2);
	if (in->sub == IR_BULK_TO_SHARED || blocks)
		operands[1] = uniform_pair(s, in->args[1]);
	else
		operands[1] = uniform_words(s, in_reg(s, arg_word(s, in->args[1])), NONE, 1);
	operands[2] = uniform_size(s, in->args[2], blocks);
	i = emit(s, ops[in->sub], operands, 3);
	i->reduced = MIR_ACTIVE_LANES;
	i->memory = all_memory;
	return true;
}

bool select_fence_async(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i = emit(s, SASS_FENCE_VIEW, NULL, 0);

	set_mod(i, SASS_M_VIEW, in->space == IR_GLOBAL ? SASS_VIEW_GLOBAL : SASS_VIEW_SHARED);
	i->memory = all_memory;
	return true;
}
