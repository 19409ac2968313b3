// SPDX-License-Identifier: MIT
/*
 * Verifier of convergence barriers, independent of the pass that places them. On every path each
 * barrier register is set by BSSY and then waited for by the BSYNC before that BSSY's target, or
 * left by BREAK, alternately, and a lane leaves a function only with none set, unless it exits. So
 * no code depends on what BSYNC does in a lane that is not in the barrier, or BSSY in a lane that
 * is. (On an H200 the former does not wait, the latter adds lanes to the barrier, and lanes that
 * wait for each other at two BSYNCs all continue after one of them.)
 */
#include "libsov/compiler/nv/mir.h"

/* The target of the BSSY that set each register; 0: not set. */
struct barriers {
	uint32_t target[MIR_BARRIERS];
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

/* Follows a block; *set: at its start, and then at its end. */
static bool check_block(const struct barrier_walk *w, uint32_t b, struct barriers *set)
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
		if (i->sass.op == SASS_BSSY || i->sass.op == SASS_BSYNC || i->sass.op == SASS_BREAK)
			*target = i->sass.op == SASS_BSSY ? i->target : 0;
	}
	for (uint32_t k = 0; k < MIR_BARRIERS; k++) {
		if (block->end == MIR_END_RETURN && w->f->ir->kind == IR_FUNCTION && set->target[k])
			return report_barrier(w, b, "at the return", k, "is still set");
	}
	return true;
}

static bool enter_block(const struct barrier_walk *w, uint32_t b, const struct barriers *set)
{
	for (uint32_t k = 0; w->seen[b] && k < MIR_BARRIERS; k++) {
		if (w->set[b].target[k] != set->target[k])
			return report_barrier(w, b, "at its start", k, "is set on some paths only");
	}
	w->seen[b] = true;
	w->set[b] = *set;
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

		if (!check_block(&w, order[k], &set))
			return false;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			if (!enter_block(&w, block->succ[s], &set))
				return false;
		}
	}
	return check_unreached(&w);
}
