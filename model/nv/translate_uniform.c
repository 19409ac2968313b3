// SPDX-License-Identifier: MIT
/* Constants and the uniform datapath. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

static bool emit_ldc(struct block *b, const struct op *op)
{
	uint32_t width = op->inst->mod[SASS_M_WIDTH], words = width == SASS_WIDTH_64 ? 2 : 1;

	if (op->s[0].index != SASS_RZ || (width != SASS_WIDTH_32 && words == 1) ||
	    op->s[0].value % (4 * words))
		return false;
	for (uint32_t k = 0; k < words; k++) {
		block_raw_source(b, 0, 0, k, 0);
		for (uint32_t c = 0; c < b->e->chunks; c++)
			block_destination(b, k, 0, c);
	}
	return true;
}

static bool emit_uldc(struct block *b, const struct op *op)
{
	uint32_t width = op->inst->mod[SASS_M_WIDTH], words = width == SASS_WIDTH_64 ? 2 : 1;

	if ((width != SASS_WIDTH_32 && words == 1) || op->s[0].value % (4 * words))
		return false;
	emit_scalar_load64(b->e, S_4, S_GRID, block_bank(&op->s[0]));
	for (uint32_t k = 0; k < words; k++) {
		emit_scalar_load(b->e, S_0, S_4, op->s[0].value + 4 * k);
		emit_scalar_store(b->e, S_WARP, OF_WARP(ur) + 4u * (op->d + k), S_0);
	}
	return true;
}

/* A source of the uniform datapath. */
static bool uniform_source(struct block *b, enum scalar d, uint32_t i)
{
	const struct source *s = &b->op->s[i];

	switch (s->kind) {
	case SOURCE_ROW:
		if (s->row != ROW_ZERO)
			return false;
		emit_scalar_constant(b->e, d, 0);
		break;
	case SOURCE_UNIFORM:
		emit_scalar_load(b->e, d, S_WARP, OF_WARP(ur) + 4u * s->row);
		break;
	case SOURCE_CONSTANT:
		emit_scalar_load64(b->e, S_4, S_GRID, block_bank(s));
		emit_scalar_load(b->e, d, S_4, s->value);
		break;
	default:
		emit_scalar_constant(b->e, d, s->value);
	}
	if (s->flip)
		emit_scalar_not(b->e, d);
	if (s->plus)
		emit_scalar_op_constant(b->e, S_ADD, d, 1);
	return true;
}

static bool uniform_destination(struct block *b)
{
	emit_scalar_store(b->e, S_WARP, OF_WARP(ur) + 4u * b->op->d, S_0);
	return true;
}

static bool rows_are_zero(const struct op *op)
{
	for (uint32_t i = 0; i < op->sources; i++)
		if (op->s[i].kind == SOURCE_ROW && op->s[i].row != ROW_ZERO)
			return false;
	return true;
}

static bool emit_umov(struct block *b, const struct op *op)
{
	return rows_are_zero(op) && uniform_source(b, S_0, 0) && uniform_destination(b);
}

static bool emit_uiadd3(struct block *b, const struct op *op)
{
	if (!rows_are_zero(op) || !is_sink(op->p[0]) || !is_sink(op->p[1]) ||
	    op->inst->mod[SASS_M_X])
		return false;
	uniform_source(b, S_0, 0);
	for (uint32_t i = 1; i < 3; i++) {
		if (is_zero(&op->s[i]))
			continue;
		uniform_source(b, S_1, i);
		emit_scalar(b->e, S_ADD, S_0, S_1);
	}
	return uniform_destination(b);
}

static bool emit_ushf(struct block *b, const struct op *op)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t type = mod[SASS_M_SHTYPE], by = op->s[1].value;
	bool right = mod[SASS_M_RIGHT];

	if (!rows_are_zero(op) || op->s[1].kind != SOURCE_IMMEDIATE || by > 31 ||
	    mod[SASS_M_RIGHT] != mod[SASS_M_HI])
		return false;
	uniform_source(b, S_0, right ? 2 : 0);
	if (by)
		emit_scalar_shift(b->e,
				  !right                                       ? V_LEFT
				  : type == SASS_SH_S32 || type == SASS_SH_S64 ? V_RIGHT_SIGNED
									       : V_RIGHT,
				  S_0, by);
	return uniform_destination(b);
}

const struct translate_row translate_uniform[] = {
	{SASS_LDC, emit_ldc, true},   {SASS_ULDC, emit_uldc, true},
	{SASS_UMOV, emit_umov, true}, {SASS_UIADD3, emit_uiadd3, true},
	{SASS_USHF, emit_ushf, true}, {0},
};

#endif
