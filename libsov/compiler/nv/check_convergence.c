// SPDX-License-Identifier: MIT
/*
 * Verifier of convergence barriers, independent of the pass that places them. On every path each
 * barrier register is set by BSSY and then waited for by BSYNC, alternately, and a lane leaves the
 * function only with none set, unless it exits. So no code depends on what BSYNC does in a lane
 * that is not in the barrier, or BSSY in a lane that is.
 */
#include "libsov/compiler/nv/mir.h"

struct barrier_walk {
	const struct mir_func *f;
	uint32_t *set; /* by block: mask of the registers that are set at its start */
	bool *seen;    /* by block */
	struct text *why;
};

static bool report_barrier(const struct barrier_walk *w, uint32_t b, const char *where,
			   uint32_t barriers, const char *fault)
{
	text_printf(w->why, "kernel %s, block %u: %s, barrier registers 0x%x %s", w->f->name, b,
		    where, barriers, fault);
	return false;
}

/* Follows a block; *set: at its start, and then at its end. */
static bool check_block(const struct barrier_walk *w, uint32_t b, uint32_t *set)
{
	mir_for_each(w->f, b, i) {
		uint32_t barrier = 1u << i->sass.ops[0].reg % MIR_BARRIERS;

		if (i->sass.op == SASS_BSSY && *set & barrier)
			return report_barrier(w, b, mir_text_inst(w->f, i), *set,
					      "are set already");
		if (i->sass.op == SASS_BSYNC && !(*set & barrier))
			return report_barrier(w, b, mir_text_inst(w->f, i), *set, "alone are set");
		if (i->sass.op == SASS_BSSY || i->sass.op == SASS_BSYNC)
			*set ^= barrier;
	}
	if (w->f->blocks[b].end == MIR_END_RETURN && w->f->ir->kind == IR_FUNCTION && *set)
		return report_barrier(w, b, "at the return", *set, "are still set");
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
		uint32_t set = w.set[order[k]];

		if (!check_block(&w, order[k], &set))
			return false;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (w.seen[to] && w.set[to] != set)
				return report_barrier(&w, to, "at its start", set ^ w.set[to],
						      "are set on some paths only");
			w.seen[to] = true;
			w.set[to] = set;
		}
	}
	return true;
}
