// SPDX-License-Identifier: MIT
/* Instructions that are calls: memory, warp operations, special registers, convergence. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

/* Zeros: row_of() leaves the clocks to the interpreter, which counts instructions one by one. */
static bool emit_cs2r(struct block *b, const struct op *op)
{
	uint32_t words = op->inst->mod[SASS_M_WIDTH] == SASS_WIDTH_32 ? 1 : 2;

	emit_vector(b->e, V_XOR, 0, 0, 0);
	for (uint32_t c = 0; c < b->e->chunks; c++)
		for (uint32_t k = 0; k < words; k++)
			block_destination(b, k, 0, c);
	return true;
}

/* Indices of the thread and of the block; the others are called. */
static bool emit_s2r(struct block *b, const struct op *op)
{
	uint32_t number = (uint32_t)op->imm[0];
	bool thread = number >= SASS_SR_TID_X && number <= SASS_SR_TID_Z;

	if (!thread && (number < SASS_SR_CTAID_X || number > SASS_SR_CTAID_Z))
		return false;
	if (!thread) {
		emit_scalar_load64(b->e, S_4, S_WARP, OF_WARP(cta));
		emit_broadcast(b->e, 0, S_4,
			       (uint32_t)offsetof(struct cta, id) + 4 * (number - SASS_SR_CTAID_X));
	}
	for (uint32_t c = 0; c < b->e->chunks; c++) {
		if (thread)
			emit_load(b->e, 0, S_WARP,
				  OF_WARP(tid) + ROW_BYTES * (number - SASS_SR_TID_X) +
					  c * b->e->lanes * 4);
		block_destination(b, 0, 0, c);
	}
	return true;
}

static bool emit_s2ur(struct block *b, const struct op *op)
{
	uint32_t number = (uint32_t)op->imm[0];

	if (number < SASS_SR_CTAID_X || number > SASS_SR_CTAID_Z)
		return false;
	emit_scalar_load64(b->e, S_4, S_WARP, OF_WARP(cta));
	emit_scalar_load(b->e, S_0, S_4,
			 (uint32_t)offsetof(struct cta, id) + 4 * (number - SASS_SR_CTAID_X));
	emit_scalar_store(b->e, S_WARP, OF_WARP(ur) + 4u * op->d, S_0);
	return true;
}

static bool emit_nothing(struct block *b, const struct op *op)
{
	(void)b;
	(void)op;
	return true;
}

static bool emit_helper(struct block *b, const struct op *op)
{
	run_fn *fn = translated_handler(op, b->e->isa);
	bool access = op->inst->op != SASS_MUFU, checked = access && b->translator->checked;

	if (!fn || (checked && b->e->isa != EMIT_AVX512))
		return false;
	if (!access || checked || !block_inline_access(b, op, fn))
		block_call_vector(b, fn);
	return true;
}

/* Lanes may block: continue only if none did. */
static bool emit_bsync(struct block *b, const struct op *op)
{
	emit_jump_at same;

	block_call(b, op->run);
	emit_scalar_load(b->e, S_1, S_WARP, OF_WARP(mask));
	emit_scalar(b->e, S_CMP, S_1, S_MASK);
	same = emit_jump(b->e, IF_ZERO);
	block_uncount(b, b->index + 1 - b->first);
	block_set_pc(b, block_pc(b, b->index + 1));
	block_leave(b, false);
	emit_here(b->e, same);
	return true;
}

const struct translate_row translate_call[] = {
	{SASS_MUFU, emit_helper, true},
	{SASS_LDG, emit_helper, true},
	{SASS_STG, emit_helper, true},
	{SASS_LDS, emit_helper, true},
	{SASS_STS, emit_helper, true},
	{SASS_BSYNC, emit_bsync, true},
	{SASS_NOP, emit_nothing, true},
	{SASS_DEPBAR, emit_nothing, true},
	{SASS_DEPBAR_SET, emit_nothing, true},
	{SASS_CS2R, emit_cs2r, true},
	{SASS_LD, NULL, true},
	{SASS_ST, NULL, true},
	{SASS_LDL, NULL, true},
	{SASS_STL, NULL, true},
	{SASS_S2UR, emit_s2ur, true},
	{SASS_S2R, emit_s2r, true},
	{SASS_R2UR, NULL, true},
	{SASS_ULDC_UREG, NULL, true},
	{SASS_UP2UR, NULL, true},
	{SASS_UR2UP, NULL, true},
	{SASS_P2R, NULL, true},
	{SASS_R2P, NULL, true},
	{SASS_SHFL, NULL, true},
	{SASS_VOTE, NULL, true},
	{SASS_VOTEU, NULL, true},
	{SASS_MATCH_ALL, NULL, true},
	{SASS_MATCH_ANY, NULL, true},
	{SASS_REDUX, NULL, true},
	{SASS_BSSY, NULL, true},
	{SASS_MEMBAR, NULL, true},
	{SASS_ERRBAR, NULL, true},
	{SASS_CCTL, NULL, true},
	{SASS_CCTL_IVALL, NULL, true},
	{0},
};

#endif
