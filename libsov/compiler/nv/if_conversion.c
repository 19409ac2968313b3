// SPDX-License-Identifier: MIT
/*
 * Branches that need not be. With registers assigned, an instruction that is switched off by a
 * predicate does exactly what one that is jumped over does: nothing. So a short side of a branch
 * can move into the block before it, each instruction under the branch's condition, and a branch to
 * the kernel's end is an EXIT under that condition. The lanes then never part, which saves the
 * convergence barrier too. What is outside a loop does not move into it.
 */
#include "libsov/compiler/nv/mir.h"

/* What is moved costs its issue slots in every lane; a branch costs about this many. */
#define MOST_MOVED 8

struct side {
	uint32_t block;
	struct mir_source cond; /* under which it runs */
};

static bool is_empty_exit(const struct mir_block *b)
{
	return !b->first && b->end == MIR_END_EXIT;
}

static void forget_edge(struct mir_func *f, uint32_t b, uint32_t s)
{
	struct mir_block *block = &f->blocks[b];

	mir_remove_pred(f, b, block->succ[s]);
	block->succ[s] = block->succ[block->nsucc - 1];
	block->nsucc--;
}

/* Whether an edge goes up in the layout. */
static bool is_back(const struct mir_func *f, uint32_t from, uint32_t to)
{
	uint32_t b = to;

	while (b && b != from)
		b = f->blocks[b].next;
	return b;
}

static void append_exit(struct mir_func *f, uint32_t b, struct mir_source cond)
{
	struct mir_inst *i = mir_inst_new(f, SASS_EXIT);

	i->line = f->blocks[b].line;
	mir_set_guard(i, cond);
	mir_insert(f, b, NULL, i);
}

static struct mir_source inverse(struct mir_source cond)
{
	cond.op.flags ^= SASS_NEG;
	return cond;
}

/* Also before empty blocks have gone. */
bool nv_becomes_guarded_exit(const struct mir_func *f, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];

	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		uint32_t to = block->succ[s], steps = 0;

		while (!f->blocks[to].first && f->blocks[to].end == MIR_END_JUMP &&
		       steps++ < f->nblocks)
			to = f->blocks[to].succ[0];
		if (is_empty_exit(&f->blocks[to]) && !is_back(f, b, block->succ[1 - s]))
			return true;
	}
	return false;
}

/* Jumps to a block that does nothing but end the kernel end it themselves. */
static bool end_early(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];

	if (block->end == MIR_END_JUMP && is_empty_exit(&f->blocks[block->succ[0]])) {
		forget_edge(f, b, 0);
		block->end = MIR_END_EXIT;
		return true;
	}
	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		/* A loop that jumps back on the other condition ends by falling through. */
		if (!is_empty_exit(&f->blocks[block->succ[s]]) || is_back(f, b, block->succ[1 - s]))
			continue;
		append_exit(f, b, s ? inverse(block->cond) : block->cond);
		forget_edge(f, b, s);
		block->end = MIR_END_JUMP;
		block->cond = (struct mir_source){.op = {.kind = SASS_NONE}};
		return true;
	}
	return false;
}

/* An empty block is jumped through. */
static bool pass_through(struct mir_func *f, uint32_t b)
{
	uint32_t to;

	if (b == f->entry || f->blocks[b].first || f->blocks[b].end != MIR_END_JUMP ||
	    f->blocks[b].slot || f->blocks[b].succ[0] == b)
		return false;
	to = f->blocks[b].succ[0];
	while (f->blocks[b].npreds)
		mir_redirect_edge(f, f->blocks[b].preds[0], b, to);
	mir_block_remove(f, b);
	return true;
}

/* A branch both ways to the same place is none. */
static bool straighten(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];

	if (block->end != MIR_END_BRANCH || block->succ[0] != block->succ[1])
		return false;
	forget_edge(f, b, 1);
	block->end = MIR_END_JUMP;
	return true;
}

static void move_all(struct mir_func *f, uint32_t from, uint32_t to)
{
	mir_for_each_safe(f, from, i) {
		mir_remove(f, from, i);
		mir_insert(f, to, NULL, i);
	}
}

static void replace_pred(struct mir_func *f, uint32_t b, uint32_t old, uint32_t new)
{
	for (uint32_t p = 0; p < f->blocks[b].npreds; p++) {
		if (f->blocks[b].preds[p] == old)
			f->blocks[b].preds[p] = new;
	}
}

/* A block takes in its only successor, if that has no other predecessor. */
static bool merge(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b], *next;
	uint32_t n;

	if (block->end != MIR_END_JUMP || block->slot)
		return false;
	n = block->succ[0];
	next = &f->blocks[n];
	if (next->npreds != 1 || n == b || n == f->entry ||
	    (next->end == MIR_END_JUMP_TABLE && block->next != n)) /* slots follow it */
		return false;
	move_all(f, n, b);
	block->end = next->end;
	block->line = next->line;
	block->cond = next->cond;
	block->divergent = next->divergent;
	block->succ = next->succ;
	block->nsucc = next->nsucc;
	block->succ_capacity = next->succ_capacity;
	for (uint32_t s = 0; s < block->nsucc; s++)
		replace_pred(f, block->succ[s], n, b);
	next->nsucc = 0;
	next->npreds = 0;
	mir_block_remove(f, n);
	return true;
}

/* How many instructions would move; MOST_MOVED + 1 if one cannot. */
static uint32_t count_movable(const struct mir_func *f, const struct side *side)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t count = 0;

	mir_for_each(f, side->block, i) {
		uint32_t n = sass_uses(&i->sass, uses);

		if (i->sass.guard != SASS_PT || i->members || ++count > MOST_MOVED)
			return MOST_MOVED + 1;
		for (uint32_t u = 0; u < n; u++) {
			/* The uniform datapath does not know the lanes' predicates. */
			if (uses[u].write &&
			    (uses[u].kind == SASS_UGPR ||
			     (uses[u].kind == SASS_PRED && uses[u].reg == side->cond.op.reg)))
				return MOST_MOVED + 1;
		}
	}
	return count;
}

static bool is_side(const struct mir_func *f, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];

	return block->npreds == 1 && b != f->entry &&
	       (block->end == MIR_END_JUMP || block->end == MIR_END_EXIT);
}

static void move_side(struct mir_func *f, uint32_t b, const struct side *side)
{
	mir_for_each(f, side->block, i)
		mir_set_guard(i, side->cond);
	move_all(f, side->block, b);
	if (f->blocks[side->block].end == MIR_END_EXIT)
		append_exit(f, b, side->cond);
}

/* Moves both sides in, or the one that leads to the other. */
static bool convert(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];
	struct side sides[2];
	bool simple[2];
	uint32_t moved = 0;

	if (block->end != MIR_END_BRANCH || block->cond.op.reg == SASS_PT)
		return false;
	sides[0] = (struct side){block->succ[0], block->cond};
	sides[1] = (struct side){block->succ[1], inverse(block->cond)};
	for (uint32_t s = 0; s < 2; s++)
		simple[s] = is_side(f, sides[s].block) &&
			    f->blocks[sides[s].block].depth >= block->depth &&
			    count_movable(f, &sides[s]) <= MOST_MOVED;
	if (simple[0] && simple[1] && f->blocks[sides[0].block].end == MIR_END_JUMP &&
	    f->blocks[sides[1].block].end == MIR_END_JUMP &&
	    f->blocks[sides[0].block].succ[0] == f->blocks[sides[1].block].succ[0]) {
		moved = count_movable(f, &sides[0]) + count_movable(f, &sides[1]);
		if (moved <= MOST_MOVED) {
			uint32_t join = f->blocks[sides[0].block].succ[0];

			for (uint32_t s = 0; s < 2; s++) {
				move_side(f, b, &sides[s]);
				mir_redirect_edge(f, b, sides[s].block, join);
				mir_block_remove(f, sides[s].block);
			}
			return straighten(f, b);
		}
	}
	for (uint32_t s = 0; s < 2; s++) {
		const struct mir_block *side = &f->blocks[sides[s].block];

		if (!simple[s] ||
		    (side->end == MIR_END_JUMP && side->succ[0] != sides[1 - s].block))
			continue;
		move_side(f, b, &sides[s]);
		forget_edge(f, b, s);
		mir_block_remove(f, sides[s].block);
		f->blocks[b].end = MIR_END_JUMP;
		return true;
	}
	return false;
}

/* Registers that must be as they are where a block starts. */
static bool is_needed_in(const struct mir_func *f, uint32_t b, const struct sass_reg_use *use)
{
	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = f->blocks[b].live_in[w]; bits; bits &= bits - 1) {
			uint32_t unit = 64 * w + (uint32_t)__builtin_ctzll(bits);
			const struct mir_vreg *v = &f->vregs[f->unit_vreg[unit]];
			uint32_t reg = v->reg + unit - v->first_unit;

			if (v->kind == use->kind && reg >= use->reg &&
			    reg < (uint32_t)use->reg + use->count)
				return true;
		}
	}
	return false;
}

/* Whether an instruction may run before the branch: it has no effect but on registers that the
 * other side and the branch itself do not need. */
static bool can_hoist(const struct mir_func *f, const struct mir_inst *i, uint32_t other,
		      const struct mir_source *cond)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	if ((i->sass.op != SASS_MOV && i->sass.op != SASS_UMOV) || i->sass.guard != SASS_PT)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && is_needed_in(f, other, &uses[u]))
			return false;
	}
	return cond->op.reg != SASS_PT;
}

/* The moves that a phi leaves on one edge of a branch are better made before it: the edge then is
 * no block, and needs no jump. */
static bool hoist(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];
	uint32_t from, count = 0;

	if (block->npreds != 1 || block->end != MIR_END_JUMP || b == f->entry)
		return false;
	from = block->preds[0];
	if (f->blocks[from].end != MIR_END_BRANCH || block->depth < f->blocks[from].depth)
		return false;
	mir_for_each(f, b, i) {
		uint32_t other = f->blocks[from].succ[f->blocks[from].succ[0] == b];

		if (++count > 2 || !can_hoist(f, i, other, &f->blocks[from].cond))
			return false;
	}
	if (!count)
		return false;
	move_all(f, b, from);
	return true;
}

/* Blocks that nothing leads to any more. */
static bool drop_dead(struct mir_func *f, uint32_t b)
{
	if (f->blocks[b].npreds || b == f->entry)
		return false;
	mir_block_remove(f, b);
	return true;
}

static bool simplify(struct mir_func *f, uint32_t b, bool *gone)
{
	*gone = drop_dead(f, b) || pass_through(f, b);
	return *gone || straighten(f, b) || end_early(f, b) || convert(f, b) || merge(f, b) ||
	       hoist(f, b);
}

void nv_if_convert(struct mir_func *f)
{
	bool changed = true;

	while (changed) {
		changed = false;
		mir_for_each_block(f, b) {
			bool gone = false;

			while (!gone && simplify(f, b, &gone))
				changed = true;
		}
	}
}
