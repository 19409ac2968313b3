// SPDX-License-Identifier: MIT
/* Comparisons of floats and integers, and choices by a predicate. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

/* Combines bits in S_0 with the source predicate and writes both destinations. */
static bool finish_comparison(struct block *b, const struct op *op)
{
	enum scalar_op how = op->inst->mod[SASS_M_BOOL] == SASS_AND  ? S_AND
			     : op->inst->mod[SASS_M_BOOL] == SASS_OR ? S_OR
								     : S_XOR;
	struct emit *e = b->e;

	block_load_predicate(b, S_1, 0);
	emit_scalar_move(e, S_2, S_0);
	emit_scalar_not(e, S_2);
	emit_scalar(e, how, S_0, S_1);
	emit_scalar(e, how, S_2, S_1);
	block_store_predicate(b, 0, S_0);
	block_store_predicate(b, 1, S_2);
	return true;
}

static bool emit_fsetp(struct block *b, const struct op *op)
{
	struct emit *e = b->e;

	emit_scalar_constant(e, S_0, 0);
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_source(b, 1, 1, c);
		if (op->inst->mod[SASS_M_FTZ]) {
			emit_flush(e, 0);
			emit_flush(e, 1);
		}
		emit_compare_float(e, S_0, op->inst->mod[SASS_M_CMP], 0, 1, c);
	}
	return finish_comparison(b, op);
}

static bool emit_isetp(struct block *b, const struct op *op)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t relation = mod[SASS_M_CMP];
	struct emit *e = b->e;

	if (mod[SASS_M_EX] && (relation == SASS_CMP_T || relation == SASS_CMP_F))
		return false;
	emit_scalar_constant(e, S_0, 0);
	if (mod[SASS_M_EX])
		emit_scalar_constant(e, S_1, 0);
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_source(b, 1, 1, c);
		emit_compare(e, S_0, relation & 7, mod[SASS_M_SIGNED], 0, 1, c);
		if (mod[SASS_M_EX])
			emit_compare(e, S_1, RELATION_EQUAL, false, 0, 1, c);
	}
	if (mod[SASS_M_EX]) { /* where equal, the low halves decide */
		block_load_predicate(b, S_2, 1);
		emit_scalar(e, S_XOR, S_2, S_0);
		emit_scalar(e, S_AND, S_2, S_1);
		emit_scalar(e, S_XOR, S_0, S_2);
	}
	return finish_comparison(b, op);
}

static bool emit_select_source(struct block *b, const struct op *op)
{
	struct emit *e = b->e;

	for (uint32_t c = 0; c < e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_source(b, 1, 1, c);
		block_load_predicate(b, S_0, 0);
		emit_select(e, 2, 0, 1, S_0, c);
		if (op->inst->op == SASS_FSEL && op->inst->mod[SASS_M_FTZ])
			emit_flush(e, 2);
		block_destination(b, 0, 2, c);
	}
	return true;
}

const struct translate_row translate_compare[] = {
	{SASS_FSETP, emit_fsetp, true},
	{SASS_ISETP, emit_isetp, true},
	{SASS_FSEL, emit_select_source, true},
	{SASS_SEL, emit_select_source, true},
	{0},
};

#endif
