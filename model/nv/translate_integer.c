// SPDX-License-Identifier: MIT
/* Integers, logic and shifts. */
#include "model/nv/translate_block.h"

#if EMIT_HOST

static bool emit_mov(struct block *b, const struct op *op)
{
	(void)op;
	for (uint32_t c = 0; c < b->e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_destination(b, 0, 0, c);
	}
	return true;
}

/* Adds v to the sum in register 0; the lanes' carries go to S_0 (one) and S_1 (two). */
static void add_with_carry(struct block *b, int v, uint32_t chunk, bool carries)
{
	struct emit *e = b->e;

	emit_vector(e, V_ADD, 0, 0, v);
	if (!carries)
		return;
	emit_scalar_constant(e, S_2, 0);
	emit_compare(e, S_2, RELATION_LESS, false, 0, v, chunk);
	emit_scalar_move(e, S_3, S_0);
	emit_scalar(e, S_AND, S_3, S_2);
	emit_scalar(e, S_OR, S_1, S_3);
	emit_scalar(e, S_OR, S_0, S_2);
}

/* Adds the bits of a source predicate to vector 0. Destroys vectors 1 to 3 and S_0. */
static void add_predicate(struct block *b, uint32_t i, uint32_t chunk)
{
	emit_broadcast_constant(b->e, 2, 1);
	emit_vector(b->e, V_XOR, 3, 3, 3);
	block_load_predicate(b, S_0, i);
	emit_select(b->e, 1, 2, 3, S_0, chunk);
	emit_vector(b->e, V_ADD, 0, 0, 1);
}

static bool emit_iadd3(struct block *b, const struct op *op)
{
	bool carries = !is_sink(op->p[0]) || !is_sink(op->p[1]);
	uint32_t predicates = carries || op->inst->mod[SASS_M_X] ? op->px_count : 0;
	struct emit *e = b->e;

	if (carries) {
		emit_scalar_constant(e, S_0, 0);
		emit_scalar_constant(e, S_1, 0);
	}
	for (uint32_t c = 0; c < e->chunks; c++) {
		for (uint32_t i = 0; i < 3; i++) {
			const struct source *s = &op->s[i];
			int v = i ? 1 : 0;

			if (i && is_zero(s))
				continue;
			if (!carries) {
				block_source(b, v, i, c);
			} else {
				block_raw_source(b, v, i, 0, c);
				if (s->flip)
					emit_vector_constant(e, V_XOR, v, v, s->flip);
			}
			if (i)
				add_with_carry(b, 1, c, carries);
		}
		for (uint32_t i = 0; carries && i < 3; i++) {
			if (!op->s[i].plus)
				continue;
			emit_broadcast_constant(e, 1, 1);
			add_with_carry(b, 1, c, true);
		}
		for (uint32_t i = 0; i < predicates; i++) {
			if (always_false(op, i))
				continue;
			emit_broadcast_constant(e, 2, 1);
			emit_vector(e, V_XOR, 3, 3, 3);
			block_load_predicate(b, S_2, i);
			emit_select(e, 1, 2, 3, S_2, c);
			add_with_carry(b, 1, c, carries);
		}
		/* A carry's source predicate may be its destination: rows first. */
		block_destination(b, 0, 0, c);
	}
	if (carries) {
		block_store_predicate(b, 0, S_0);
		block_store_predicate(b, 1, S_1);
	}
	return true;
}

static bool emit_viadd(struct block *b, const struct op *op)
{
	(void)op;
	for (uint32_t c = 0; c < b->e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_source(b, 1, 1, c);
		emit_vector(b->e, V_ADD, 0, 0, 1);
		block_destination(b, 0, 0, c);
	}
	return true;
}

static bool is_one(const struct source *s)
{
	return s->kind == SOURCE_IMMEDIATE && s->value == 1 && !s->flip;
}

static bool emit_imad(struct block *b, const struct op *op)
{
	/* Uniform forms have no source predicate. */
	bool carry = op->px_count && !always_false(op, 0);
	struct emit *e = b->e;

	for (uint32_t c = 0; c < e->chunks; c++) {
		const struct source *factor = &op->s[1];
		bool shift = factor->kind == SOURCE_IMMEDIATE && factor->value && !factor->flip &&
			     !(factor->value & (factor->value - 1));

		if (!carry && (is_zero(&op->s[0]) || is_zero(&op->s[1]))) { /* IMAD.MOV */
			block_source(b, 0, 2, c);
			block_destination(b, 0, 0, c);
			continue;
		}
		block_source(b, 0, 0, c);
		if (shift && !is_one(factor)) { /* IMAD.SHL */
			emit_shift(e, V_LEFT, 0, 0, (uint32_t)__builtin_ctz(factor->value));
		} else if (!is_one(factor)) {
			block_source(b, 1, 1, c);
			emit_vector(e, V_MUL, 0, 0, 1);
		}
		if (!is_zero(&op->s[2])) {
			block_source(b, 1, 2, c);
			emit_vector(e, V_ADD, 0, 0, 1);
		}
		if (carry)
			add_predicate(b, 0, c);
		block_destination(b, 0, 0, c);
	}
	return true;
}

/* Products of even and odd words, each with its addend, then the words in their rows. */
static bool emit_imad_wide(struct block *b, const struct op *op)
{
	enum vector_op multiply = op->inst->mod[SASS_M_SIGNED] ? V_MUL_EVEN_SIGNED : V_MUL_EVEN;
	bool adds = !is_zero(&op->s[2]);
	struct emit *e = b->e;

	if (op->s[0].flip || op->s[1].flip || op->s[2].flip || !is_sink(op->p[0]) ||
	    !always_false(op, 0))
		return false;
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_raw_source(b, 0, 0, 0, c);
		block_raw_source(b, 1, 1, 0, c);
		emit_shift(e, V_RIGHT64, 2, 0, 32);
		emit_shift(e, V_RIGHT64, 3, 1, 32);
		emit_vector(e, multiply, 4, 0, 1);
		emit_vector(e, multiply, 5, 2, 3);
		if (adds) {
			block_raw_source(b, 0, 2, 0, c);
			block_raw_source(b, 1, 2, 1, c);
			emit_shift(e, V_LEFT64, 2, 1, 32);
			emit_interleave(e, 2, 0, 2);
			emit_shift(e, V_RIGHT64, 3, 0, 32);
			emit_interleave(e, 3, 3, 1);
			emit_vector(e, V_ADD64, 4, 4, 2);
			emit_vector(e, V_ADD64, 5, 5, 3);
		}
		emit_shift(e, V_LEFT64, 6, 5, 32);
		emit_interleave(e, 6, 4, 6);
		emit_shift(e, V_RIGHT64, 7, 4, 32);
		emit_interleave(e, 7, 7, 5);
		block_destination(b, 0, 6, c);
		block_destination(b, 1, 7, c);
	}
	return true;
}

static bool emit_lop3(struct block *b, const struct op *op)
{
	bool nonzero = !is_sink(op->p[0]);
	struct emit *e = b->e;

	if (nonzero)
		emit_scalar_constant(e, S_0, 0);
	for (uint32_t c = 0; c < e->chunks; c++) {
		for (int i = 0; i < 3; i++)
			block_source(b, i, (uint32_t)i, c);
		emit_logic(e, (uint32_t)op->imm[0], 3, 0, 1, 2);
		block_destination(b, 0, 3, c);
		if (!nonzero)
			continue;
		emit_vector(e, V_XOR, 4, 4, 4);
		emit_compare(e, S_0, RELATION_LESS | RELATION_GREATER, false, 3, 4, c);
	}
	if (nonzero) {
		block_load_predicate(b, S_1, 0);
		emit_scalar(e, op->inst->mod[SASS_M_PAND] ? S_AND : S_OR, S_0, S_1);
		block_store_predicate(b, 0, S_0);
	}
	return true;
}

static bool emit_imnmx(struct block *b, const struct op *op)
{
	bool is_signed = op->inst->mod[SASS_M_SIGNED];
	struct emit *e = b->e;
	enum vector_op how;

	if (op->inst->mod[SASS_M_RELU] || (!always_true(op, 0) && !always_false(op, 0)))
		return false;
	how = always_true(op, 0) ? is_signed ? V_MIN_SIGNED : V_MIN
	      : is_signed        ? V_MAX_SIGNED
				 : V_MAX;
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_source(b, 0, 0, c);
		block_source(b, 1, 1, c);
		emit_vector(e, how, 0, 0, 1);
		block_destination(b, 0, 0, c);
	}
	return true;
}

static bool is_plain(const struct source *s)
{
	return s->keep == ALL_LANES && !s->flip && !s->plus;
}

/* (a << by) + b. The carry is that of the sum of two words. */
static bool emit_lea(struct block *b, const struct op *op)
{
	struct emit *e = b->e;
	const struct source *s = &op->s[0];
	bool carries = !is_sink(op->p[0]);

	if (!always_false(op, 0) || (carries && (!is_plain(s) || !is_plain(&op->s[1]))))
		return false;
	if (carries)
		emit_scalar_constant(e, S_0, 0);
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_raw_source(b, 0, 0, 0, c);
		emit_shift(e, V_LEFT, 0, 0, (uint32_t)op->imm[0] & 31);
		if (s->flip)
			emit_vector_constant(e, V_XOR, 0, 0, s->flip);
		if (s->plus)
			emit_vector_constant(e, V_ADD, 0, 0, s->plus);
		block_source(b, 1, 1, c);
		emit_vector(e, V_ADD, 0, 0, 1);
		if (carries)
			emit_compare(e, S_0, RELATION_LESS, false, 0, 1, c);
		block_destination(b, 0, 0, c);
	}
	if (carries)
		block_store_predicate(b, 0, S_0);
	return true;
}

/* The high word of (c:a << by), plus b and a carry. */
static bool emit_lea_hi(struct block *b, const struct op *op)
{
	uint32_t by = (uint32_t)op->imm[0];
	struct emit *e = b->e;

	if (!is_sink(op->p[0]) || !by || by > 31 || !is_plain(&op->s[0]) || !is_plain(&op->s[1]) ||
	    !is_plain(&op->s[2]))
		return false;
	for (uint32_t c = 0; c < e->chunks; c++) {
		block_raw_source(b, 0, 0, 0, c);
		block_raw_source(b, 1, 2, 0, c);
		emit_shift(e, V_RIGHT, 0, 0, 32 - by);
		emit_shift(e, V_LEFT, 1, 1, by);
		emit_vector(e, V_OR, 0, 0, 1);
		block_raw_source(b, 1, 1, 0, c);
		emit_vector(e, V_ADD, 0, 0, 1);
		if (!always_false(op, 0))
			add_predicate(b, 0, c);
		block_destination(b, 0, 0, c);
	}
	return true;
}

/* Funnel shifts by constants, and shifts of one word by a register. */

/* d = the low word of (high:low >> by), 0 < by < 32, in register 0. */
static void funnel_right(struct block *b, uint32_t low, uint32_t high, uint32_t by, uint32_t chunk)
{
	block_raw_source(b, 0, low, 0, chunk);
	block_raw_source(b, 1, high, 0, chunk);
	emit_shift(b->e, V_RIGHT, 0, 0, by);
	emit_shift(b->e, V_LEFT, 1, 1, 32 - by);
	emit_vector(b->e, V_OR, 0, 0, 1);
}

static void shift_word(struct block *b, enum vector_shift how, uint32_t word, uint32_t by,
		       uint32_t chunk)
{
	if (by > 31 && how != V_RIGHT_SIGNED) {
		emit_vector(b->e, V_XOR, 0, 0, 0);
		return;
	}
	block_raw_source(b, 0, word, 0, chunk);
	if (by)
		emit_shift(b->e, how, 0, 0, by > 31 ? 31 : by);
}

static void shift_constant(struct block *b, const uint8_t *mod, uint32_t by, uint32_t c)
{
	uint32_t type = mod[SASS_M_SHTYPE];
	bool is_signed = type == SASS_SH_S32 || type == SASS_SH_S64;
	enum vector_shift right = is_signed ? V_RIGHT_SIGNED : V_RIGHT;

	if (mod[SASS_M_RIGHT] && mod[SASS_M_HI])
		shift_word(b, right, 2, by, c);
	else if (mod[SASS_M_RIGHT] && by > 31)
		shift_word(b, right, 2, by - 32, c);
	else if (mod[SASS_M_RIGHT] && by)
		funnel_right(b, 0, 2, by, c);
	else if (mod[SASS_M_RIGHT] || !mod[SASS_M_HI])
		shift_word(b, V_LEFT, 0, by, c);
	else if (by > 31)
		shift_word(b, V_LEFT, 0, by - 32, c);
	else if (by)
		funnel_right(b, 0, 2, 32 - by, c);
	else
		shift_word(b, V_LEFT, 2, 0, c);
}

static bool emit_shf(struct block *b, const struct op *op)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t type = mod[SASS_M_SHTYPE], by = op->s[1].value;
	uint32_t most = type == SASS_SH_U32 || type == SASS_SH_S32 ? 32 : 64;
	bool constant = op->s[1].kind == SOURCE_IMMEDIATE;
	struct emit *e = b->e;

	by = mod[SASS_M_WRAP] ? by % most : by < most ? by : most;
	if (!constant && (most == 64 || mod[SASS_M_RIGHT] != mod[SASS_M_HI]))
		return false;
	for (uint32_t c = 0; c < e->chunks; c++) {
		if (constant) {
			shift_constant(b, mod, by, c);
			block_destination(b, 0, 0, c);
			continue;
		}
		block_raw_source(b, 0, mod[SASS_M_RIGHT] ? 2 : 0, 0, c);
		block_raw_source(b, 1, 1, 0, c);
		if (mod[SASS_M_WRAP])
			emit_vector_constant(e, V_AND, 1, 1, 31);
		emit_vector(e,
			    !mod[SASS_M_RIGHT]    ? V_SHIFT_LEFT
			    : type == SASS_SH_S32 ? V_SHIFT_SIGNED
						  : V_SHIFT_RIGHT,
			    0, 0, 1);
		block_destination(b, 0, 0, c);
	}
	return true;
}

const struct translate_row translate_integer[] = {
	{SASS_MOV, emit_mov, true},
	{SASS_IADD3, emit_iadd3, true},
	{SASS_VIADD, emit_viadd, true},
	{SASS_IMAD, emit_imad, true},
	{SASS_IMAD_WIDE, emit_imad_wide, true},
	{SASS_LOP3, emit_lop3, true},
	{SASS_IMNMX, emit_imnmx, true},
	{SASS_VIMNMX, emit_imnmx, true},
	{SASS_LEA, emit_lea, true},
	{SASS_LEA_HI, emit_lea_hi, true},
	{SASS_SHF, emit_shf, true},
	{0},
};

#endif
