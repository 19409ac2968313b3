// SPDX-License-Identifier: MIT
/*
 * If-conversion. After register allocation, a predicated-off instruction has exactly the effect of
 * one that is jumped over: none. So a short side of a branch moves into the block before it, each
 * instruction under the branch's condition, and a branch to the kernel's end becomes a guarded
 * EXIT. The lanes then never diverge, which saves the convergence barrier too. Code never moves
 * into a deeper loop. CFG simplification (jump threading, block merging) runs along.
 */
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/nv/mir.h"

/* Moved instructions cost issue slots in every lane; a branch costs about this many. */
#define MAX_MOVED 8

struct side {
	uint32_t block;
	struct mir_source cond; /* condition under which it runs */
};

static bool is_empty_exit(const struct mir_block *b)
{
	return !b->first && b->end == MIR_END_EXIT;
}

static void remove_edge(struct mir_func *f, uint32_t b, uint32_t s)
{
	struct mir_block *block = &f->blocks[b];

	mir_remove_pred(f, b, block->succ[s]);
	block->succ[s] = block->succ[block->nsucc - 1];
	block->nsucc--;
}

/* The block that an edge to b leads to, past empty blocks that are not yet removed. */
static uint32_t past_empty_blocks(const struct mir_func *f, uint32_t b)
{
	for (uint32_t steps = 0;
	     steps < f->nblocks && !f->blocks[b].first && f->blocks[b].end == MIR_END_JUMP; steps++)
		b = f->blocks[b].succ[0];
	return b;
}

/* Whether an edge goes backwards in the layout. */
static bool is_back_edge(const struct mir_func *f, uint32_t from, uint32_t to)
{
	uint32_t b = past_empty_blocks(f, to);

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

static struct mir_source inverse_cond(struct mir_source cond)
{
	cond.op.flags ^= SASS_NEG;
	return cond;
}

bool nv_becomes_guarded_exit(const struct mir_func *f, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];

	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		uint32_t to = past_empty_blocks(f, block->succ[s]);

		if (is_empty_exit(&f->blocks[to]) && !is_back_edge(f, b, block->succ[1 - s]))
			return true;
	}
	return false;
}

/* Replaces a jump to an empty exit block by an EXIT, and a branch by a guarded EXIT. */
static bool convert_to_exit(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];

	/* Lanes may have to reconverge at the exit, before which a table has no room. */
	if (block->end == MIR_END_JUMP && !block->table_slot &&
	    is_empty_exit(&f->blocks[block->succ[0]])) {
		remove_edge(f, b, 0);
		block->end = MIR_END_EXIT;
		return true;
	}
	for (uint32_t s = 0; block->end == MIR_END_BRANCH && s < 2; s++) {
		/* A loop that jumps back on the other condition falls through to its exit. */
		if (!is_empty_exit(&f->blocks[block->succ[s]]) ||
		    is_back_edge(f, b, block->succ[1 - s]))
			continue;
		append_exit(f, b, s ? inverse_cond(block->cond) : block->cond);
		remove_edge(f, b, s);
		block->end = MIR_END_JUMP;
		block->cond = (struct mir_source){.op = {.kind = SASS_NONE}};
		return true;
	}
	return false;
}

/* Jump threading: redirects the predecessors of an empty block to its successor. */
static bool thread_jump(struct mir_func *f, uint32_t b)
{
	uint32_t to;

	if (b == f->entry || f->blocks[b].first || f->blocks[b].end != MIR_END_JUMP ||
	    f->blocks[b].table_slot || f->blocks[b].succ[0] == b)
		return false;
	to = f->blocks[b].succ[0];
	while (f->blocks[b].npreds)
		mir_redirect_edge(f, f->blocks[b].preds[0], b, to);
	mir_block_remove(f, b);
	return true;
}

/* A branch with two equal targets becomes a jump. */
static bool simplify_branch(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];

	if (block->end != MIR_END_BRANCH || block->succ[0] != block->succ[1])
		return false;
	remove_edge(f, b, 1);
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

/* Merges a block with its only successor if that has no other predecessor. */
static bool merge_successor(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b], *next;
	uint32_t n;

	if (block->end != MIR_END_JUMP || block->table_slot)
		return false;
	n = block->succ[0];
	next = &f->blocks[n];
	if (next->npreds != 1 || n == b || n == f->entry ||
	    (next->end == MIR_END_JUMP_TABLE && block->next != n)) /* its slots must follow it */
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

/* ---- guarded instructions of a side ---- */

/*
 * A guarded instruction of a side keeps its guard if the side computes that: the condition of the
 * branch is combined with the guard after its computation, so that the guard is false where the
 * branch skipped the side. That changes the guard's predicate in all lanes, so it must be dead
 * where the side does not run.
 */

static bool writes_predicate(const struct mir_inst *i, uint32_t reg)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);
	bool any = false;

	for (uint32_t u = 0; u < n; u++)
		any |= uses[u].write && uses[u].kind == SASS_PRED && reg >= uses[u].reg &&
		       reg < (uint32_t)uses[u].reg + uses[u].count;
	return any;
}

/* The instruction of the block that computes the guard of i; NULL: none. */
static struct mir_inst *find_guard(const struct mir_inst *i)
{
	struct mir_inst *def = i->prev;

	while (def && !writes_predicate(def, i->sass.guard))
		def = def->prev;
	return def;
}

static bool is_live_register(struct mir_func *f, uint32_t b, uint32_t resource)
{
	if (!f->live_registers)
		f->live_registers = nv_live_registers(f);
	return !f->live_registers[b].in || bitset_has(f->live_registers[b].in, resource);
}

/* Instructions that combining the guard of i takes; MAX_MOVED + 1 if that is impossible. Lanes that
 * skip the side go to block other. */
static uint32_t count_guard(struct mir_func *f, const struct mir_inst *i, uint32_t other)
{
	const struct mir_inst *def = find_guard(i);
	uint32_t reg = i->sass.guard, count = 1;

	if (!def || def->sass.guard != SASS_PT || sass_uniform_guard(&i->sass) ||
	    is_live_register(f, other, mir_resource(SASS_PRED, reg)))
		return MAX_MOVED + 1;
	for (const struct mir_inst *j = def->next; j != i; j = j->next) {
		if (j->sass.guard != reg)
			continue;
		if (j->sass.guard_not != i->sass.guard_not)
			return MAX_MOVED + 1;
		count = 0; /* it is combined for j already */
	}
	return count;
}

static struct mir_source predicate(uint32_t reg)
{
	return (struct mir_source){.op = {.kind = SASS_PRED, .reg = (uint8_t)reg}};
}

/* Makes the guard false where the condition is: P and cond, or for !P: P or not cond. */
static struct mir_inst *combine_guard(struct mir_func *f, const struct side *side,
				      const struct mir_inst *i, struct mir_inst *def)
{
	struct mir_inst *both = mir_inst_new(f, SASS_PLOP3);
	bool negated = i->sass.guard_not;

	both->line = i->line;
	mir_set_operand(both, 0, predicate(i->sass.guard));
	mir_set_operand(both, 2, predicate(i->sass.guard));
	mir_set_operand(both, 3, negated ? inverse_cond(side->cond) : side->cond);
	mir_set_operand(both, 4, mir_pred_const(true));
	mir_set_operand(both, 5, mir_imm(negated ? 0xfc : 0xc0)); /* a OR b, a AND b */
	mir_set_operand(both, 6, mir_imm(0));
	mir_insert(f, side->block, def->next, both);
	return both;
}

static bool is_guarded(const struct mir_inst *i)
{
	return i->sass.guard != SASS_PT;
}

/* Guards the instructions of a side by its condition. */
static void guard_side(struct mir_func *f, const struct side *side)
{
	struct mir_inst *combined[MAX_MOVED];
	uint32_t ncombined = 0;

	mir_for_each(f, side->block, i) {
		struct mir_inst *def = is_guarded(i) ? find_guard(i) : NULL;
		bool again = !def;

		for (uint32_t k = 0; k < ncombined; k++)
			again |= combined[k] == def;
		if (!again)
			combined[ncombined++] = combine_guard(f, side, i, def);
	}
	mir_for_each(f, side->block, i) {
		bool guarded = is_guarded(i);

		for (uint32_t k = 0; k < ncombined; k++)
			guarded |= combined[k] == i;
		if (!guarded)
			mir_set_guard(i, side->cond);
	}
}

/* ---- sides ---- */

/* A fence beyond the block takes long; ptxas never guards one, so whether it costs nothing where no
 * lane executes it is not known. */
static bool is_wide_fence(const struct mir_inst *i)
{
	return i->sass.op == SASS_MEMBAR && i->sass.mod[SASS_M_SCOPE] != SASS_SCOPE_CTA;
}

/* Number of instructions to move; MAX_MOVED + 1 if one cannot be predicated. other: where lanes go
 * that skip the side; 0: it may not have guarded instructions. */
static uint32_t count_movable(struct mir_func *f, const struct side *side, uint32_t other)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t count = 0;

	mir_for_each(f, side->block, i) {
		uint32_t n = sass_uses(&i->sass, uses);

		if (i->members || (is_guarded(i) && !other) || is_wide_fence(i))
			return MAX_MOVED + 1;
		count += is_guarded(i) ? count_guard(f, i, other) : 0;
		if (++count > MAX_MOVED)
			return MAX_MOVED + 1;
		for (uint32_t u = 0; u < n; u++) {
			/* The uniform datapath has no per-lane predicates. */
			if (uses[u].write &&
			    (uses[u].kind == SASS_UGPR ||
			     (uses[u].kind == SASS_PRED && uses[u].reg == side->cond.op.reg)))
				return MAX_MOVED + 1;
		}
	}
	return count;
}

static bool is_convertible_side(const struct mir_func *f, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];

	return block->npreds == 1 && b != f->entry &&
	       (block->end == MIR_END_JUMP || block->end == MIR_END_EXIT);
}

static void move_side(struct mir_func *f, uint32_t b, const struct side *side)
{
	guard_side(f, side);
	move_all(f, side->block, b);
	if (f->blocks[side->block].end == MIR_END_EXIT)
		append_exit(f, b, side->cond);
}

/* Converts both sides, or the one that leads to the other. */
static bool convert_sides(struct mir_func *f, uint32_t b)
{
	struct mir_block *block = &f->blocks[b];
	struct side sides[2];
	bool simple[2];
	uint32_t moved = 0;

	if (block->end != MIR_END_BRANCH || block->cond.op.reg == SASS_PT)
		return false;
	sides[0] = (struct side){block->succ[0], block->cond};
	sides[1] = (struct side){block->succ[1], inverse_cond(block->cond)};
	for (uint32_t s = 0; s < 2; s++)
		simple[s] = is_convertible_side(f, sides[s].block) &&
			    f->blocks[sides[s].block].depth >= block->depth;
	if (simple[0] && simple[1] && f->blocks[sides[0].block].end == MIR_END_JUMP &&
	    f->blocks[sides[1].block].end == MIR_END_JUMP &&
	    f->blocks[sides[0].block].succ[0] == f->blocks[sides[1].block].succ[0]) {
		moved = count_movable(f, &sides[0], 0) + count_movable(f, &sides[1], 0);
		if (moved <= MAX_MOVED) {
			uint32_t join = f->blocks[sides[0].block].succ[0];

			for (uint32_t s = 0; s < 2; s++) {
				move_side(f, b, &sides[s]);
				mir_redirect_edge(f, b, sides[s].block, join);
				mir_block_remove(f, sides[s].block);
			}
			return simplify_branch(f, b);
		}
	}
	for (uint32_t s = 0; s < 2; s++) {
		const struct mir_block *side = &f->blocks[sides[s].block];

		if (!simple[s] ||
		    (side->end == MIR_END_JUMP && side->succ[0] != sides[1 - s].block) ||
		    count_movable(f, &sides[s], sides[1 - s].block) > MAX_MOVED)
			continue;
		move_side(f, b, &sides[s]);
		remove_edge(f, b, s);
		mir_block_remove(f, sides[s].block);
		f->blocks[b].end = MIR_END_JUMP;
		return true;
	}
	return false;
}

/* Whether a register is live into a block. */
static bool is_live_in(const struct mir_func *f, uint32_t b, const struct sass_reg_use *use)
{
	live_set_for_each(&f->blocks[b].live_in, unit)
	{
		const struct mir_vreg *v = &f->vregs[f->unit_vreg[unit]];
		uint32_t reg = v->reg + unit - v->first_unit;

		if (v->kind == use->kind && reg >= use->reg &&
		    reg < (uint32_t)use->reg + use->count)
			return true;
	}
	return false;
}

/* Whether an instruction may execute before the branch: it writes only registers that are not
 * live into the other side and that the branch does not read. */
static bool can_hoist(const struct mir_func *f, const struct mir_inst *i, uint32_t other,
		      const struct mir_source *cond)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	if ((i->sass.op != SASS_MOV && i->sass.op != SASS_UMOV) || i->sass.guard != SASS_PT)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && is_live_in(f, other, &uses[u]))
			return false;
	}
	return cond->op.reg != SASS_PT;
}

/* Hoists the copies that a phi leaves on one edge of a branch above the branch: the edge then
 * needs neither a block nor a jump. */
static bool hoist_copies(struct mir_func *f, uint32_t b)
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

static bool remove_unreachable(struct mir_func *f, uint32_t b)
{
	if (f->blocks[b].npreds || b == f->entry)
		return false;
	mir_block_remove(f, b);
	return true;
}

static bool simplify_block(struct mir_func *f, uint32_t b, bool *removed)
{
	*removed = remove_unreachable(f, b) || thread_jump(f, b);
	return *removed || simplify_branch(f, b) || convert_to_exit(f, b) || convert_sides(f, b) ||
	       merge_successor(f, b) || hoist_copies(f, b);
}

void nv_if_convert(struct mir_func *f)
{
	bool changed = true;

	while (changed) {
		changed = false;
		mir_for_each_block(f, b) {
			bool removed = false;

			while (!removed && simplify_block(f, b, &removed))
				changed = true;
		}
	}
}
