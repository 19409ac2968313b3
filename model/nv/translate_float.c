// SPDX-License-Identifier: MIT
/* Floats that round to nearest; other forms are called. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

#define NAN_BITS 0x7fffffffu

enum { RESULTS = 8 }; /* the first vector register of results */

static bool emit_arithmetic(struct block *b, const struct op *op, uint32_t sources)
{
	const uint8_t *mod = op->inst->mod;
	struct emit *e = b->e;
	bool ftz = mod[SASS_M_FTZ];
	emit_jump_at good, done;

	if (mod[SASS_M_RND] || mod[SASS_M_SAT] || mod[SASS_M_SCALE])
		return false;
	if (ftz)
		emit_scalar_constant(e, S_0, 0);
	for (uint32_t c = 0; c < e->chunks; c++) {
		int d = ftz ? RESULTS + (int)c : 0;

		block_source(b, 1, 0, c);
		block_source(b, 2, 1, c);
		if (sources == 3)
			block_source(b, d, 2, c);
		if (ftz) {
			emit_flush(e, 1);
			emit_flush(e, 2);
			if (sources == 3)
				emit_flush(e, d);
		}
		emit_vector(e,
			    sources == 3                ? V_FMA
			    : op->inst->op == SASS_FADD ? V_FADD
							: V_FMUL,
			    d, 1, 2);
		emit_canonical_nan(e, d, NAN_BITS);
		if (!ftz) {
			block_destination(b, 0, d, c);
			continue;
		}
		emit_flush(e, d);
		emit_vector_constant(e, V_AND, 1, d, 0x7fffffff);
		emit_broadcast_constant(e, 2, 0x00800000);
		emit_compare(e, S_0, RELATION_EQUAL, false, 1, 2, c);
	}
	if (!ftz)
		return true;
	/* The smallest normal number may be a subnormal that was rounded: exact arithmetic
	 * decides. */
	emit_scalar(e, S_AND, S_0, S_0);
	good = emit_jump(e, IF_ZERO);
	block_call(b, op->run);
	done = emit_jump(e, ALWAYS);
	emit_here(e, good);
	for (uint32_t c = 0; c < e->chunks; c++)
		block_destination(b, 0, RESULTS + (int)c, c);
	emit_here(e, done);
	block_forget_rows(b); /* the call's result is in memory only */
	return true;
}

static bool emit_two(struct block *b, const struct op *op)
{
	return emit_arithmetic(b, op, 2);
}

static bool emit_three(struct block *b, const struct op *op)
{
	return emit_arithmetic(b, op, 3);
}

static bool emit_float_conversion(struct block *b, const struct op *op)
{
	const uint8_t *mod = op->inst->mod;
	bool is_signed = mod[SASS_M_STYPE] == SASS_TYPE_S32;

	if (mod[SASS_M_RND] || op->data[0] || op->dwords != 1 || op->s[0].words != 1 ||
	    (!is_signed && (mod[SASS_M_STYPE] != SASS_TYPE_U32 || b->e->isa == EMIT_AVX2)) ||
	    (op->inst->op == SASS_I2F && mod[SASS_M_DTYPE] != SASS_TYPE_F32))
		return false;
	for (uint32_t c = 0; c < b->e->chunks; c++) {
		block_raw_source(b, 0, 0, 0, c);
		emit_float_of_integer(b->e, 0, 0, is_signed);
		block_destination(b, 0, 0, c);
	}
	return true;
}

const struct translate_row translate_float[] = {
	{SASS_FADD, emit_two, true},
	{SASS_FMUL, emit_two, true},
	{SASS_FFMA, emit_three, true},
	{SASS_I2F, emit_float_conversion, true},
	{SASS_I2FP, emit_float_conversion, true},
	{0},
};

#endif
