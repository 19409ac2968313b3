// SPDX-License-Identifier: MIT
/*
 * Selection of bulk copies for SM90, as ptxas does it. UBLKCP is executed once for a warp, with all
 * operands in uniform registers; a waterfall loop leaves one lane active, or for stores lanes with
 * the same operands (legalise.c).
 * Groups are those of select_async.c. Copies of tensors have a group of uniform registers, and the
 * address of their tensor map in a pair.
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

struct mir_source select_uniform_pair(struct select *s, ir_val v)
{
	struct mir_source pair = in_pair(s, arg_pair(s, v));

	return uniform_words(s, subreg(pair, 0), subreg(pair, 1), 2);
}

/* The cache policy of a copy, or no register. */
static struct mir_source uniform_policy(struct select *s, const struct ir_inst *in)
{
	return in->flags & IR_POLICY ? select_uniform_pair(s, in->args[in->nargs - 1]) : NONE;
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
	struct mir_source operands[4];
	struct mir_inst *i;

	if (in->sub == IR_BULK_TO_GLOBAL)
		operands[0] = select_uniform_pair(s, in->args[0]);
	else
		operands[0] = uniform_words(s, in_reg(s, arg_word(s, in->args[0])),
					    in_reg(s, arg_word(s, in->args[3])), 2);
	if (in->sub == IR_BULK_TO_SHARED || blocks)
		operands[1] = select_uniform_pair(s, in->args[1]);
	else
		operands[1] = uniform_words(s, in_reg(s, arg_word(s, in->args[1])), NONE, 1);
	operands[2] = uniform_size(s, in->args[2], blocks);
	operands[3] = uniform_policy(s, in);
	i = emit(s, ops[in->sub], operands, 4);
	i->reduced = MIR_ACTIVE_LANES;
	i->memory = all_memory;
	return true;
}

/* Elements as ptxas names them; f32 is not .FTZ there although PTX has it flushed. */
static uint8_t element_type(const struct ir_inst *in)
{
	bool is_float =
		in->sub == IR_ATOM_FADD || in->sub == IR_ATOM_FMIN || in->sub == IR_ATOM_FMAX;
	bool is_signed = in->sub == IR_ATOM_MIN_S || in->sub == IR_ATOM_MAX_S;

	if (in->type == IR_B16)
		return in->format == IR_BF16 ? SASS_ATYPE_BF16X2 : SASS_ATYPE_F16X2;
	if (is_float)
		return in->type == IR_B64 ? SASS_ATYPE_F64 : SASS_ATYPE_F32;
	if (in->type == IR_B64)
		return is_signed ? SASS_ATYPE_S64 : SASS_ATYPE_U64;
	return is_signed ? SASS_ATYPE_S32 : SASS_ATYPE_U32;
}

/* To global memory, or with a barrier to shared memory of the cluster. */
bool select_bulk_reduce(struct select *s, const struct ir_inst *in)
{
	bool shared = ir_data_args(in) > 3;
	struct mir_source operands[4];
	struct mir_inst *i;

	if (shared)
		operands[0] = uniform_words(s, in_reg(s, arg_word(s, in->args[0])),
					    in_reg(s, arg_word(s, in->args[3])), 2);
	else
		operands[0] = select_uniform_pair(s, in->args[0]);
	operands[1] = uniform_words(s, in_reg(s, arg_word(s, in->args[1])), NONE, 1);
	operands[2] = uniform_size(s, in->args[2], 0);
	operands[3] = uniform_policy(s, in);
	i = emit(s, shared ? SASS_UBLKRED_SS : SASS_UBLKRED_GS, operands, 4);
	set_mod(i, SASS_M_ATOM,
		in->sub == IR_ATOM_FMIN   ? SASS_ATOM_MIN
		: in->sub == IR_ATOM_FMAX ? SASS_ATOM_MAX
					  : select_atom_op(in));
	set_mod(i, SASS_M_ATYPE, element_type(in));
	i->reduced = MIR_ACTIVE_LANES;
	i->memory = all_memory;
	return true;
}

/* The offsets of im2col mode share 16 bits; the blocks of a multicast are above them. */
static struct mir_source pack_mask(struct select *s, const struct ir_inst *in, uint32_t rank)
{
	static const uint8_t offset_bits[] = {[3] = 16, [4] = 8, [5] = 5};
	const ir_val *offsets = in->args + ir_tensor_coordinates(in) + rank;
	uint32_t count = in->imm & IR_TENSOR_IM2COL ? rank - 2 : 0;
	struct mir_source all = rz();

	for (uint32_t k = 0; k < count + !!(in->imm & IR_TENSOR_MULTICAST); k++) {
		struct mir_source to = new_temp(s, SASS_GPR, 1), from = new_temp(s, SASS_GPR, 1);
		uint32_t shift = k < count ? k * offset_bits[rank] : 16,
			 bits = k < count ? offset_bits[rank] : 16;

		EMIT(s, LOP3, NONE, from, in_reg(s, arg_word(s, offsets[k])),
		     mir_imm((1u << bits) - 1), rz(), mir_imm(0xc0));
		EMIT(s, IMAD, to, from, mir_imm(1u << shift), all);
		all = to;
	}
	return uniform_words(s, all, NONE, 1);
}

static const uint8_t reductions[IR_TENSOR_COUNT] = {
	[IR_TENSOR_ADD] = SASS_ATOM_ADD, [IR_TENSOR_MIN] = SASS_ATOM_MIN,
	[IR_TENSOR_MAX] = SASS_ATOM_MAX, [IR_TENSOR_INC] = SASS_ATOM_INC,
	[IR_TENSOR_DEC] = SASS_ATOM_DEC, [IR_TENSOR_AND] = SASS_ATOM_AND,
	[IR_TENSOR_OR] = SASS_ATOM_OR,   [IR_TENSOR_XOR] = SASS_ATOM_XOR,
};

static enum sass_op tensor_op(const struct ir_inst *in)
{
	if (in->sub >= IR_TENSOR_ADD)
		return SASS_UTMAREDG;
	if (in->sub == IR_TENSOR_STORE)
		return SASS_UTMASTG;
	return in->imm & (IR_TENSOR_IM2COL | IR_TENSOR_MULTICAST) ? SASS_UTMALDG_MASK
								  : SASS_UTMALDG;
}

bool select_tensor_copy(struct select *s, const struct ir_inst *in)
{
	uint32_t rank = (uint32_t)in->imm & IR_TENSOR_RANK,
		 words = in->sub == IR_TENSOR_LOAD ? 2 : 1;
	enum sass_op op = tensor_op(in);
	bool masked = op == SASS_UTMALDG_MASK;
	struct mir_source group = new_temp(s, SASS_UGPR, (uint8_t)(words + rank)), operands[4];
	uint32_t n = 2;
	struct mir_inst *i;

	if (s->f->sm < 90)
		return false;
	for (uint32_t k = 0; k < words + rank; k++)
		select_to_uniform(s, subreg(group, k), in_reg(s, arg_word(s, in->args[1 + k])));
	operands[0] = group;
	operands[1] = select_uniform_pair(s, in->args[0]);
	if (masked)
		operands[n++] = pack_mask(s, in, rank);
	operands[n++] = uniform_policy(s, in);
	i = emit(s, op, operands, n);
	if (op == SASS_UTMAREDG)
		set_mod(i, SASS_M_ATOM, reductions[in->sub]);
	set_mod(i, SASS_M_DIMS, (uint8_t)(rank - 1));
	set_mod(i, SASS_M_IM2COL, in->imm & IR_TENSOR_IM2COL ? 1 : 0);
	set_mod(i, SASS_M_MULTICAST, in->imm & IR_TENSOR_MULTICAST ? 1 : 0);
	i->reduced = MIR_ACTIVE_LANES;
	i->memory = all_memory;
	return true;
}

bool select_map_control(struct select *s, const struct ir_inst *in)
{
	struct mir_source map = select_uniform_pair(s, in->args[0]);
	struct mir_inst *i = emit(s, SASS_UTMACCTL, &map, 1);

	set_mod(i, SASS_M_MAPCTL, in->op == IR_MAPACQUIRE ? SASS_MAPCTL_IV : SASS_MAPCTL_PF);
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
