// SPDX-License-Identifier: MIT
/* A block is a run of instructions that begins where warps arrive often and ends at a jump or at an
 * instruction without a row, which the interpreter executes. Each instruction becomes code that
 * loads its rows, computes them chunk by chunk and stores them; an instruction whose form has no
 * code of its own becomes a call of the interpreter's handler. Blocks of a page continue with each
 * other through a table of entries, so a loop stays in generated code until the quantum ends or its
 * lanes diverge: the mask of active lanes never changes inside.
 *
 * There are two versions of a block: for warps of which all live lanes are active, whose rows are
 * written whole, and for others, whose rows keep the other lanes' values. Guards that are not
 * always true do so in both. */
#include <string.h>

#include "model/nv/translate_block.h"

#if EMIT_HOST

static bool reads_clock(const struct op *op)
{
	switch (op->inst->op) {
	case SASS_CS2R:
		return op->imm[0] != SASS_SR_ZERO;
	case SASS_S2R:
	case SASS_S2UR:
		return op->imm[0] == SASS_SR_CLOCKLO || op->imm[0] == SASS_SR_CLOCKHI;
	default:
		return false;
	}
}

/* Cores have no effect but their results, so all forms can be called. */
static const struct translate_row *row_of(const struct op *op)
{
	static const struct translate_row core = {0};
	static const struct translate_row *const tables[] = {translate_float, translate_integer,
							     translate_compare, translate_uniform,
							     translate_call};

	if (!op->inst->form || op->reason || reads_clock(op))
		return NULL;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct translate_row *r = tables[i]; r->valid; r++)
			if (r->op == op->inst->op)
				return r;
	return op->run == run_vector || op->run == run_uniform ? &core : NULL;
}

/* Blocks. */

/* What the warp must have: registers per thread, and bytes in constant banks. */
struct needs {
	uint32_t top, banks[NV_QMD_BANKS];
};

static void add_needs(struct needs *n, const struct op *op)
{
	if (op->top > n->top)
		n->top = op->top;
	for (uint32_t i = 0; i < op->sources; i++) {
		const struct source *s = &op->s[i];
		bool load = op->inst->op == SASS_LDC || op->inst->op == SASS_ULDC;
		bool wide = load ? op->inst->mod[SASS_M_WIDTH] == SASS_WIDTH_64 : s->words == 2;
		uint32_t end = s->value + (wide ? 8 : 4);

		if (s->kind == SOURCE_CONSTANT && s->bank < NV_QMD_BANKS && s->value < UINT16_MAX &&
		    n->banks[s->bank] < end)
			n->banks[s->bank] = end;
	}
}

/* Only with a bank that exists and an offset that add_needs() has checked. */
static bool constants_are_checked(const struct op *op)
{
	for (uint32_t i = 0; i < op->sources; i++)
		if (op->s[i].kind == SOURCE_CONSTANT &&
		    (op->s[i].bank >= NV_QMD_BANKS || op->s[i].value >= UINT16_MAX))
			return false;
	return true;
}

/* Continues at a pc, in generated code if there is some. */
static void continue_at(struct block *b, uint64_t pc, bool jumped)
{
	const uint8_t *out = b->translator->frame.leave;
	uint64_t index = (pc - b->page->va) / WORD_BYTES;
	struct emit *e = b->e;

	block_set_pc(b, pc);
	emit_scalar_constant(e, S_0, jumped);
	if (pc < b->page->va || index >= PAGE_OPS || pc % WORD_BYTES) {
		emit_jump_to(e, ALWAYS, out);
		return;
	}
	emit_scalar_op_constant(e, S_CMP, S_LEFT, 0);
	emit_jump_to(e, IF_LESS_OR_EQUAL, out);
	if (index == b->first) {
		emit_jump_to(e, ALWAYS, b->entry);
		return;
	}
	emit_scalar_constant(e, S_1, (uintptr_t)&b->translation->entry[b->whole][index]);
	emit_scalar_load64(e, S_1, S_1, 0);
	emit_jump_register(e, S_1);
}

/* A branch: all lanes go one way, or the interpreter splits them. */
static bool is_branch(const struct op *op)
{
	return op->inst->form && !op->reason && op->inst->op == SASS_BRA &&
	       op->inst->mod[SASS_M_UNIFORM] != SASS_BRA_U_ANY;
}

static void emit_branch(struct block *b)
{
	const struct op *op = b->op;
	uint64_t next = block_pc(b, b->index + 1);
	struct emit *e = b->e;
	emit_jump_at none, some;

	if (op->guard == SASS_PT && !op->guard_flip && always_true(op, 0)) {
		continue_at(b, next + (uint64_t)op->target, true);
		return;
	}
	block_load_predicate(b, S_0, 0);
	emit_scalar_load(e, S_1, S_WARP, OF_WARP(p) + 4u * op->guard);
	if (op->guard_flip)
		emit_scalar_not(e, S_1);
	emit_scalar(e, S_AND, S_0, S_1);
	emit_scalar(e, S_AND, S_0, S_MASK);
	none = emit_jump(e, IF_ZERO);
	emit_scalar(e, S_CMP, S_0, S_MASK);
	some = emit_jump(e, IF_NOT_ZERO);
	continue_at(b, next + (uint64_t)op->target, true);
	emit_here(e, none);
	continue_at(b, next, false);
	emit_here(e, some);
	block_uncount(b, b->index - b->first);
	block_set_pc(b, block_pc(b, b->index));
	block_leave(b, false);
}

static void emit_instruction(struct block *b)
{
	const struct translate_row *row = row_of(b->op);
	const struct op *op = b->op;
	bool guarded = op->guard % PRED_UNIFORM != SASS_PT || op->guard_flip;
	emit_jump_at skip = NULL;
	struct emit *e = b->e;

	b->lanes = guarded ? S_LANES : S_MASK;
	b->blend = guarded || !b->whole;
	if (guarded) {
		emit_scalar_load(e, S_LANES, S_WARP, OF_WARP(p) + 4u * op->guard);
		if (op->guard_flip)
			emit_scalar_not(e, S_LANES);
		emit_scalar(e, S_AND, S_LANES, S_MASK);
		skip = emit_jump(e, IF_ZERO);
	}
	if (!row->emit || !constants_are_checked(op) || !row->emit(b, op))
		block_call(b, op->run);
	if (guarded)
		emit_here(e, skip);
}

/* Returns the number of instructions that a block has from here, and what they need. */
static uint32_t measure(const struct code_page *page, uint32_t first, uint32_t limit,
			struct needs *needs)
{
	uint32_t count = 0;

	memset(needs, 0, sizeof(*needs));
	while (count < limit && first + count < PAGE_OPS) {
		const struct op *op = &page->ops[first + count];
		bool branch = is_branch(op);

		if (!branch && !row_of(op))
			break;
		add_needs(needs, op);
		count++;
		if (branch)
			break;
	}
	return count;
}

/* Appends the block; NULL: the buffer is full, or the block has too many constants. */
static const void *emit_block(struct block *b, const struct needs *needs)
{
	struct translator *t = (struct translator *)b->translator;
	struct emit *e = b->e;

	emit_start(e, t->buffer, t->isa);
	block_forget_rows(b); /* of a longer block that failed */
	b->late_count = 0;
	b->entry = emit_position(e);
	emit_compare_memory(e, S_WARP, OF_WARP(registers), needs->top);
	emit_jump_to(e, IF_BELOW, t->frame.leave);
	for (uint32_t i = 0; i < NV_QMD_BANKS; i++) {
		if (!needs->banks[i])
			continue;
		emit_compare_memory(e, S_GRID,
				    (uint32_t)(offsetof(struct grid, banks) +
					       i * sizeof(struct bank) +
					       offsetof(struct bank, bytes)),
				    needs->banks[i]);
		emit_jump_to(e, IF_BELOW, t->frame.leave);
	}
	emit_scalar_op_constant(e, S_SUB, S_LEFT, b->count);
	for (uint32_t i = 0; i < b->count; i++) {
		b->index = b->first + i;
		b->op = &b->page->ops[b->index];
		if (is_branch(b->op)) {
			emit_branch(b);
			block_late_calls(b);
			return emit_finish(e);
		}
		emit_instruction(b);
	}
	continue_at(b, block_pc(b, b->first + b->count), false);
	block_late_calls(b);
	return emit_finish(e);
}

const void *block_translate(struct translator *t, const struct code_page *page, uint32_t first,
			    bool whole)
{
	struct block b = {.e = &t->emit,
			  .translator = t,
			  .page = page,
			  .translation = page->translation,
			  .first = first,
			  .whole = whole};
	const void *code = NULL;

	/* A block with too many constants becomes shorter ones. */
	for (uint32_t limit = MAX_BLOCK; !code && limit; limit /= 2) {
		struct needs needs;

		b.count = measure(page, first, limit, &needs);
		if (!b.count)
			return NULL;
		code = emit_block(&b, &needs);
	}
	return code;
}

#endif
