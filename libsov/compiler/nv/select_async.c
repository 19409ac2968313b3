// SPDX-License-Identifier: MIT
/*
 * Selection of asynchronous copies, as ptxas does it for sm_80 to sm_90: LDGSTS copies, LDGDEPBAR
 * leaves scoreboard 0 pending until the copies so far have arrived, and DEPBAR waits until at most
 * a given number of them is pending. UTMACMDFLUSH does for bulk copies, with scoreboard 1, what
 * LDGDEPBAR does. Functions with copies use these scoreboards for nothing else.
 */
#include "libsov/compiler/nv/select.h"

#define TO_MAX   0x7ffff
#define TO_MIN   (-0x80000)
#define FROM_MAX 0x7ff
#define FROM_MIN (-0x800)

static const struct {
	uint8_t bytes, width;
} sizes[IR_COPY_COUNT] = {[IR_COPY_4] = {4, SASS_WIDTH_32},
			  [IR_COPY_8] = {8, SASS_WIDTH_64},
			  [IR_COPY_16] = {16, SASS_WIDTH_128},
			  [IR_COPY_16_L2] = {16, SASS_WIDTH_128}};

/* The sum of a pair and another pair, of registers or immediates. */
static struct mir_source add_pairs(struct select *s, struct mir_source base, struct mir_source low,
				   struct mir_source high)
{
	struct mir_source sum = new_temp(s, SASS_GPR, 2), carry = new_temp(s, SASS_PRED, 1);

	EMIT(s, IADD3, subreg(sum, 0), carry, NONE, subreg(base, 0), low, rz());
	set_mod(EMIT(s, IADD3, subreg(sum, 1), NONE, NONE, subreg(base, 1), high, rz(), carry,
		     mir_pred_const(false)),
		SASS_M_X, 1);
	return sum;
}

/* The address in global memory and the bytes that are read: the hardware takes the number of bytes
 * that are not read from the low bits of the address, and none is read where x is false. */
struct source_bytes {
	struct mir_source at, x;
	bool partial;
};

/* The predicate where all bytes are read, if none is where it is false. */
static bool is_all_or_none(struct select *s, const struct ir_inst *in, struct mir_source *x)
{
	const struct ir_inst *choice = ir_def(s->ir, in->args[2]);
	uint64_t yes, no;

	if (choice->op != IR_SELECT || !ir_is_const(s->ir, choice->args[1], &yes) ||
	    !ir_is_const(s->ir, choice->args[2], &no) || yes + no != sizes[in->sub].bytes ||
	    (yes && no))
		return false;
	*x = arg_pred(s, choice->args[0]);
	if (no)
		*x = with_flags(*x, SASS_NEG);
	return true;
}

static struct source_bytes source_bytes(struct select *s, const struct ir_inst *in)
{
	uint32_t bytes = sizes[in->sub].bytes;
	int64_t offset = (int64_t)in->imm;
	struct source_bytes b = {.x = NONE};
	struct mir_source size, left;
	uint64_t known;

	b.at = in_pair(s, arg_pair(s, in->args[1]));
	if (ir_data_args(in) > 2 && ir_is_const(s->ir, in->args[2], &known)) {
		b.partial = known && known < bytes;
		offset += b.partial ? (int64_t)(bytes - known) : 0;
		if (!known)
			b.x = mir_pred_const(false);
	} else if (ir_data_args(in) > 2 && !is_all_or_none(s, in, &b.x)) {
		b.partial = true;
		b.x = new_temp(s, SASS_PRED, 1);
		size = in_reg(s, arg_word(s, in->args[2]));
		set_mod(EMIT(s, ISETP, b.x, NONE, size, rz()), SASS_M_CMP, SASS_CMP_NE);
		left = new_temp(s, SASS_GPR, 1);
		EMIT(s, IADD3, left, NONE, NONE, with_flags(size, SASS_NEG), mir_imm(bytes), rz());
		size = new_temp(s, SASS_GPR, 1);
		EMIT(s, LOP3, NONE, size, left, mir_imm(bytes - 1), rz(), mir_imm(0xc0));
		b.at = add_pairs(s, b.at, size, rz());
	}
	if (offset < FROM_MIN || offset > FROM_MAX) {
		b.at = add_pairs(s, b.at, mir_imm((uint32_t)offset),
				 mir_imm((uint32_t)((uint64_t)offset >> 32)));
		offset = 0;
	}
	b.at.op.kind = SASS_ADDR;
	b.at.op.aux = SASS_NO_UREG;
	b.at.op.flags = SASS_A64;
	b.at.op.value = offset;
	return b;
}

bool select_copy(struct select *s, const struct ir_inst *in)
{
	struct mir_source to;
	struct source_bytes from;
	struct mir_source policy = NONE;
	struct mir_inst *i;

	if (type_of(s, in->args[1]) != IR_B64)
		return false;
	to = select_shared_address(s, in->args[0], TO_MIN, TO_MAX);
	from = source_bytes(s, in);
	if (in->flags & IR_POLICY) {
		policy = select_uniform_pair(s, in->args[in->nargs - 1]);
		from.at.op.flags |= SASS_DESC;
		from.at.op.aux = 0;
	}
	i = EMIT(s, LDGSTS, to, from.at, from.x);
	i->uniform = policy.ref;
	set_mod(i, SASS_M_POLICY, policy.ref.vreg && s->f->sm < 90);
	set_mod(i, SASS_M_WIDTH, sizes[in->sub].width);
	set_mod(i, SASS_M_BYPASS, in->sub == IR_COPY_16_L2);
	set_mod(i, SASS_M_PREFETCH, in->fetch);
	set_mod(i, SASS_M_ZFILL, from.partial);
	i->memory =
		(struct mir_memory){MIR_READS | MIR_WRITES, IR_SPACE_COUNT, sizes[in->sub].bytes};
	return true;
}

static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     0};

bool select_copy_commit(struct select *s, const struct ir_inst *in)
{
	uint16_t op = in->op == IR_BULKCOMMIT ? SASS_UTMACMDFLUSH : SASS_LDGDEPBAR;

	emit(s, op, NULL, 0)->memory = all_memory;
	return true;
}

#define MAX_GROUPS 63 /* that DEPBAR can leave pending */

/* What bulk copies have written must not be read from L1. */
bool select_copy_wait(struct select *s, const struct ir_inst *in)
{
	bool bulk = in->op == IR_BULKWAIT;
	uint32_t groups = in->imm < MAX_GROUPS ? (uint32_t)in->imm : MAX_GROUPS,
		 board = bulk ? NV_BULK_SCOREBOARD : NV_COPY_SCOREBOARD;

	EMIT(s, DEPBAR, mir_imm(board), mir_imm(groups))->memory = all_memory;
	if (bulk && in->sub == IR_BULKWAIT_WRITTEN)
		emit(s, SASS_CCTL_IVALL, NULL, 0)->memory = all_memory;
	return true;
}
