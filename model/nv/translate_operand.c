// SPDX-License-Identifier: MIT
/* Operands of the current instruction, and the exits of generated code. */
#include <string.h>

#include "model/nv/translate_block.h"

#if EMIT_HOST

uint64_t block_pc(const struct block *b, uint32_t index)
{
	return b->page->va + (uint64_t)index * WORD_BYTES;
}

static uint32_t row_offset(const struct block *b, uint32_t row, uint32_t chunk)
{
	return row * ROW_BYTES + chunk * b->e->lanes * 4;
}

uint32_t block_bank(const struct source *s)
{
	return (uint32_t)(offsetof(struct grid, banks) + s->bank * sizeof(struct bank) +
			  offsetof(struct bank, data));
}

static uint32_t kept_rows(const struct block *b)
{
	return b->e->kept / b->e->chunks;
}

/* The index of a row that is kept in a register; KEPT_ROWS: none. */
static uint32_t find_kept(const struct block *b, uint32_t row)
{
	for (uint32_t i = 0; i < kept_rows(b); i++)
		if (b->kept.chunks[i] && b->kept.row[i] == row)
			return i;
	return KEPT_ROWS;
}

/* Keeps a chunk of a row that is written whole; of others only the active lanes change. */
static void keep_row(struct block *b, uint32_t row, int v, uint32_t chunk)
{
	struct kept_rows *k = &b->kept;
	uint32_t i = find_kept(b, row);

	if (b->blend) {
		if (i < KEPT_ROWS && k->chunks[i] >> chunk & 1)
			emit_keep_lanes(b->e, i * b->e->chunks + chunk, v, b->lanes, chunk);
		return;
	}
	if (!kept_rows(b))
		return;
	if (i == KEPT_ROWS) {
		i = k->next;
		k->next = (i + 1) % kept_rows(b);
		k->row[i] = (uint16_t)row;
		k->chunks[i] = 0;
	}
	k->chunks[i] |= (uint8_t)(1u << chunk);
	emit_keep(b->e, i * b->e->chunks + chunk, v);
}

void block_forget_rows(struct block *b)
{
	memset(&b->kept, 0, sizeof(b->kept));
}

void block_row(struct block *b, int v, uint32_t row, uint32_t chunk)
{
	uint32_t i = find_kept(b, row);

	if (i < KEPT_ROWS && b->kept.chunks[i] >> chunk & 1)
		emit_kept(b->e, v, i * b->e->chunks + chunk);
	else
		emit_load(b->e, v, S_ROWS, row_offset(b, row, chunk));
}

/* Raw word 0 or 1 of source i in the lanes of a chunk. */
void block_raw_source(struct block *b, int v, uint32_t i, uint32_t word, uint32_t chunk)
{
	const struct source *s = &b->op->s[i];

	switch (s->kind) {
	case SOURCE_ROW:
		block_row(b, v, s->row + word, chunk);
		break;
	case SOURCE_UNIFORM:
		emit_broadcast(b->e, v, S_WARP, OF_WARP(ur) + 4u * (s->row + word));
		break;
	case SOURCE_CONSTANT:
		emit_scalar_load64(b->e, S_4, S_GRID, block_bank(s));
		emit_broadcast(b->e, v, S_4, s->value + 4 * word);
		break;
	default:
		emit_broadcast_constant(b->e, v, word ? s->high : s->value);
	}
}

/* Source i with its modifiers. */
void block_source(struct block *b, int v, uint32_t i, uint32_t chunk)
{
	const struct source *s = &b->op->s[i];

	if (s->kind == SOURCE_IMMEDIATE) {
		emit_broadcast_constant(b->e, v, ((s->value & s->keep) ^ s->flip) + s->plus);
		return;
	}
	block_raw_source(b, v, i, 0, chunk);
	if (s->keep != ALL_LANES)
		emit_vector_constant(b->e, V_AND, v, v, s->keep);
	if (s->flip)
		emit_vector_constant(b->e, V_XOR, v, v, s->flip);
	if (s->plus)
		emit_vector_constant(b->e, V_ADD, v, v, s->plus);
}

void block_destination(struct block *b, uint32_t word, int v, uint32_t chunk)
{
	uint32_t offset = row_offset(b, b->op->d + word, chunk);

	if (b->op->d >= ROW_SINK)
		return;
	if (b->blend)
		emit_store_lanes(b->e, S_ROWS, offset, v, b->lanes, chunk);
	else
		emit_store(b->e, S_ROWS, offset, v);
	keep_row(b, b->op->d + word, v, chunk);
}

void block_load_predicate(struct block *b, enum scalar d, uint32_t i)
{
	if (always_true(b->op, i)) {
		emit_scalar_constant(b->e, d, ALL_LANES);
		return;
	}
	emit_scalar_load(b->e, d, S_WARP, OF_WARP(p) + 4u * b->op->px[i]);
	if (b->op->px_flip[i])
		emit_scalar_not(b->e, d);
}

/* Writes the bits of the instruction's lanes. Destroys bits and S_4. */
void block_store_predicate(struct block *b, uint32_t i, enum scalar bits)
{
	uint32_t offset = OF_WARP(p) + 4u * b->op->p[i];

	if (is_sink(b->op->p[i]))
		return;
	emit_scalar_load(b->e, S_4, S_WARP, offset);
	emit_scalar(b->e, S_XOR, bits, S_4);
	emit_scalar(b->e, S_AND, bits, b->lanes);
	emit_scalar(b->e, S_XOR, bits, S_4);
	emit_scalar_store(b->e, S_WARP, offset, bits);
}

/* Leaves generated code when the warp's pc is set. */
void block_leave(struct block *b, bool jumped)
{
	emit_scalar_constant(b->e, S_0, jumped);
	emit_jump_to(b->e, ALWAYS, b->translator->frame.leave);
}

void block_set_pc(struct block *b, uint64_t pc)
{
	emit_scalar_constant(b->e, S_0, pc);
	emit_scalar_store64(b->e, S_WARP, OF_WARP(pc), S_0);
}

/* Instructions of the block from the current one on are not executed. */
void block_uncount(struct block *b, uint32_t executed)
{
	emit_scalar_op_constant(b->e, S_ADD, S_LEFT, b->count - executed);
}

/* After a fault the warp's pc stays at this instruction. */
static void call(struct block *b, run_fn *fn, bool legacy)
{
	emit_jump_at good;
	const void *pointer;

	memcpy(&pointer, &fn, sizeof(pointer));
	block_set_pc(b, block_pc(b, b->index));
	emit_scalar_store(b->e, S_WARP, OF_WARP(active), b->lanes);
	emit_call(b->e, pointer, b->op, b->lanes, legacy);
	block_forget_rows(b);
	emit_compare_memory_byte(b->e, S_WARP, OF_WARP(halt), 0);
	good = emit_jump(b->e, IF_ZERO);
	block_uncount(b, b->index - b->first);
	block_leave(b, false);
	emit_here(b->e, good);
}

void block_call(struct block *b, run_fn *fn)
{
	call(b, fn, true);
}

void block_call_vector(struct block *b, run_fn *fn)
{
	call(b, fn, false);
}

struct late_call *block_late_call(struct block *b, run_fn *fn)
{
	struct late_call *l = &b->late[b->late_count++];

	*l = (struct late_call){.fn = fn, .op = b->op, .index = b->index, .lanes = b->lanes};
	return l;
}

void block_late_return(struct block *b, struct late_call *l)
{
	l->to = emit_position(b->e);
	l->kept = b->kept;
}

/* Loads the rows again that a call has destroyed. */
static void load_kept(struct block *b, const struct kept_rows *k)
{
	for (uint32_t i = 0; i < kept_rows(b); i++)
		for (uint32_t c = 0; c < b->e->chunks; c++)
			if (k->chunks[i] >> c & 1)
				emit_load_kept(b->e, i * b->e->chunks + c, S_ROWS,
					       row_offset(b, k->row[i], c));
}

void block_late_calls(struct block *b)
{
	for (uint32_t i = 0; i < b->late_count; i++) {
		const struct late_call *l = &b->late[i];

		for (uint32_t k = 0; k < l->jumps; k++)
			emit_here(b->e, l->from[k]);
		b->op = l->op;
		b->index = l->index;
		b->lanes = l->lanes;
		block_call_vector(b, l->fn);
		load_kept(b, &l->kept);
		emit_jump_to(b->e, ALWAYS, l->to);
	}
}

#endif
