// SPDX-License-Identifier: MIT
/*
 * Verifier of convergence barriers, independent of the pass that places them. On every path each
 * barrier register is set by BSSY and then waited for by the BSYNC before that BSSY's target, or
 * left by BREAK (on the path, or before the branch that begins it, with the branch's guard),
 * alternately, and a lane leaves a function only with none set, unless it exits. So no code depends
 * on what BSYNC does in a lane that is not in the barrier, or BSSY in a lane that is. (On an H200
 * the former does not wait, the latter adds lanes to the barrier, and lanes that wait for each
 * other at two BSYNCs all continue after one of them.) Between a BREAK and an operation of all
 * lanes is a WARPSYNC.
 */
#include "libsov/compiler/nv/mir.h"

/* The target of the BSSY that set each register; 0: not set. */
struct barriers {
	uint32_t target[MIR_BARRIERS];
};

/* Registers that the lanes which take each side of the block's branch have left before it. */
struct left {
	bool barrier[2][MIR_BARRIERS];
};

struct barrier_walk {
	const struct mir_func *f;
	struct barriers *set; /* by block: at its start */
	bool *seen;           /* by block */
	struct text *why;
};

static bool report_barrier(const struct barrier_walk *w, uint32_t b, const char *where,
			   uint32_t barrier, const char *fault)
{
	text_printf(w->why, "kernel %s, block %u: %s: B%u %s", w->f->name, b, where, barrier,
		    fault);
	return false;
}

/* Which side of a branch the lanes with this guard take; 2: not known. */
static uint32_t guarded_side(const struct mir_block *block, const struct mir_inst *i)
{
	bool same = block->end == MIR_END_BRANCH && i->guard.vreg == block->cond.ref.vreg &&
		    i->sass.guard == block->cond.op.reg;

	if (!same)
		return 2;
	return i->sass.guard_not != !!(block->cond.op.flags & SASS_NEG);
}

/* A BREAK with a guard: only the lanes that take one side of the branch leave. */
static bool check_guarded_break(const struct barrier_walk *w, uint32_t b, const struct mir_inst *i,
				struct left *left)
{
	uint32_t barrier = i->sass.ops[0].reg % MIR_BARRIERS;
	uint32_t side = guarded_side(&w->f->blocks[b], i);

	if (side == 2)
		return report_barrier(w, b, mir_text_inst(w->f, i), barrier,
				      "is left by lanes that may not leave the loop");
	if (left->barrier[side][barrier])
		return report_barrier(w, b, mir_text_inst(w->f, i), barrier, "is left already");
	left->barrier[side][barrier] = true;
	return true;
}

/* Follows a block; *set: at its start, and then at its end. */
static bool check_block(const struct barrier_walk *w, uint32_t b, struct barriers *set,
			struct left *left)
{
	const struct mir_block *block = &w->f->blocks[b];

	mir_for_each(w->f, b, i) {
		uint32_t barrier = i->sass.ops[0].reg % MIR_BARRIERS;
		uint32_t *target = &set->target[barrier];

		if (i->sass.op == SASS_BSSY && *target)
			return report_barrier(w, b, mir_text_inst(w->f, i), barrier,
					      "is set already");
		if (i->sass.op == SASS_BSYNC && (block->nsucc != 1 || block->succ[0] != *target))
			return report_barrier(w, b, mir_text_inst(w->f, i), barrier,
					      "was set for another BSYNC or not at all");
		if (i->sass.op == SASS_BREAK && !*target)
			return report_barrier(w, b, mir_text_inst(w->f, i), barrier, "is not set");
		if (i->sass.op == SASS_BREAK && i->sass.guard != SASS_PT) {
			if (!check_guarded_break(w, b, i, left))
				return false;
			continue;
		}
		if (i->sass.op == SASS_BSSY || i->sass.op == SASS_BSYNC || i->sass.op == SASS_BREAK)
			*target = i->sass.op == SASS_BSSY ? i->target : 0;
	}
	for (uint32_t k = 0; k < MIR_BARRIERS; k++) {
		if (block->end == MIR_END_RETURN && w->f->ir->kind == IR_FUNCTION && set->target[k])
			return report_barrier(w, b, "at the return", k, "is still set");
	}
	return true;
}

/* left: by register, whether lanes have left it before they enter; NULL: none. */
static bool enter_block(const struct barrier_walk *w, uint32_t b, struct barriers set,
			const bool *left)
{
	for (uint32_t k = 0; left && k < MIR_BARRIERS; k++)
		if (left[k])
			set.target[k] = 0;
	for (uint32_t k = 0; w->seen[b] && k < MIR_BARRIERS; k++) {
		if (w->set[b].target[k] != set.target[k])
			return report_barrier(w, b, "at its start", k, "is set on some paths only");
	}
	w->seen[b] = true;
	w->set[b] = set;
	return true;
}

/* A BSYNC that no lane reaches, since another one is on the edges to its point. */
static bool check_unreached(const struct barrier_walk *w)
{
	mir_for_each_block(w->f, b) {
		if (w->seen[b])
			continue;
		mir_for_each(w->f, b, i)
			if (i->sass.op == SASS_BSYNC)
				return report_barrier(w, b, mir_text_inst(w->f, i),
						      i->sass.ops[0].reg, "is never waited for");
	}
	return true;
}

static bool is_warpsync(const struct mir_inst *i)
{
	return i->members == MIR_ALL_LANES &&
	       (i->sass.op == SASS_WARPSYNC || i->sass.op == SASS_WARPSYNC_ALL);
}

/* Follows a block. *split: whether lanes may run separately since some have left a loop, at its
 * start and then at its end. */
static bool check_split_lanes(const struct barrier_walk *w, uint32_t b, bool *split)
{
	mir_for_each(w->f, b, i) {
		if (i->sass.op == SASS_BREAK)
			*split = true;
		else if (is_warpsync(i))
			*split = false;
		else if (*split && i->members == MIR_ALL_LANES) {
			text_printf(w->why,
				    "kernel %s, block %u: %s: no WARPSYNC after a loop that some "
				    "lanes have left before others",
				    w->f->name, b, mir_text_inst(w->f, i));
			return false;
		}
	}
	return true;
}

/* After a BREAK, a WARPSYNC of all lanes precedes operations of all lanes: BSYNC alone does not
 * reliably reconverge them. */
static bool check_after_breaks(const struct barrier_walk *w)
{
	bool *reached = arena_array(w->f->arena, w->f->nblocks, sizeof(*reached));
	uint32_t *stack = arena_array(w->f->arena, 2 * w->f->nblocks, sizeof(*stack)), depth = 0;
	bool split;

	mir_for_each_block(w->f, b) {
		split = false;
		if (!check_split_lanes(w, b, &split))
			return false;
		if (split)
			stack[depth++] = b;
	}
	while (depth) {
		const struct mir_block *block = &w->f->blocks[stack[--depth]];

		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (reached[to])
				continue;
			reached[to] = split = true;
			if (!check_split_lanes(w, to, &split))
				return false;
			if (split)
				stack[depth++] = to;
		}
	}
	return true;
}

bool nv_check_convergence(const struct mir_func *f, struct text *why)
{
	struct barrier_walk w = {.f = f, .why = why};
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	w.set = arena_array(f->arena, f->nblocks, sizeof(*w.set));
	w.seen = arena_array(f->arena, f->nblocks, sizeof(*w.seen));
	w.seen[f->entry] = true;
	for (uint32_t k = 0; k < count; k++) {
		const struct mir_block *block = &f->blocks[order[k]];
		struct barriers set = w.set[order[k]];
		struct left left = {0};

		if (!check_block(&w, order[k], &set, &left))
			return false;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			if (!enter_block(&w, block->succ[s], set, s < 2 ? left.barrier[s] : NULL))
				return false;
		}
	}
	return check_unreached(&w) && check_after_breaks(&w);
}
