// SPDX-License-Identifier: MIT
/*
 * Liveness by unit: backward data-flow analysis to a fixed point. The halves of a multi-unit
 * register may have separate definitions, but the register is allocated as a whole at the first of
 * them, which dominates the others. So the first definition defines all units, and every later one
 * counts as a use of the units that it writes.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

static void find_first_defs(struct mir_func *f, const uint32_t *order, uint32_t count)
{
	for (uint32_t v = 1; v < f->nvregs; v++)
		f->vregs[v].first_def = NULL;
	for (uint32_t k = 0; k < count; k++)
		mir_for_each(f, order[k], i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

				if (uses[u].write && uses[u].ref.vreg && !v->first_def && !v->phi)
					v->first_def = i;
			}
		}
}

static void gen_units(const struct mir_func *f, uint64_t *live, struct mir_ref r, uint32_t count)
{
	for (uint32_t k = 0; r.vreg && k < count; k++)
		bitset_add(live, mir_unit(f, r) + k);
}

static void kill_vreg(const struct mir_func *f, uint64_t *live, uint32_t vreg)
{
	for (uint32_t k = 0; k < f->vregs[vreg].units; k++)
		bitset_remove(live, f->vregs[vreg].first_unit + k);
}

static void transfer_inst(const struct mir_func *f, uint64_t *live, const struct mir_inst *i,
			  const struct mir_use *uses, uint32_t n)
{
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].ref.vreg && f->vregs[uses[u].ref.vreg].first_def == i)
			kill_vreg(f, live, uses[u].ref.vreg);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write || f->vregs[uses[u].ref.vreg].first_def != i)
			gen_units(f, live, uses[u].ref, uses[u].count);
	}
}

void nv_live_before(const struct mir_func *f, uint64_t *live, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	transfer_inst(f, live, i, uses, n);
}

/* Live-out: the live-ins of the successors and the phi arguments along these edges. */
static void compute_live_out(const struct mir_func *f, uint32_t b, uint64_t *live)
{
	const struct mir_block *block = &f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++) {
		const struct mir_block *to = &f->blocks[block->succ[s]];

		for (uint32_t w = 0; w < bitset_words(f->nunits); w++)
			live[w] |= to->live_in[w];
		for (uint32_t p = 0; p < to->nphis; p++) {
			uint32_t units = f->vregs[to->phis[p].vreg].units;

			for (uint32_t k = 0; k < to->npreds * units; k++) {
				if (to->preds[k / units] == b)
					gen_units(f, live, to->phis[p].args[k].ref, 1);
			}
		}
	}
}

static bool update_block(struct mir_func *f, uint32_t b, uint64_t *live)
{
	struct mir_block *block = &f->blocks[b];
	size_t bytes = bitset_words(f->nunits) * sizeof(*live);
	bool changed;

	memset(live, 0, bytes);
	compute_live_out(f, b, live);
	memcpy(block->live_out, live, bytes);
	gen_units(f, live, block->cond.ref, 1);
	for (struct mir_inst *i = block->last; i; i = i->prev) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		transfer_inst(f, live, i, uses, n);
	}
	for (uint32_t p = 0; p < block->nphis; p++)
		kill_vreg(f, live, block->phis[p].vreg);
	changed = bytes && memcmp(live, block->live_in, bytes);
	memcpy(block->live_in, live, bytes);
	return changed;
}

static void solve_liveness(struct mir_func *f, const uint32_t *order, uint32_t count)
{
	uint64_t *live = arena_array(f->arena, bitset_words(f->nunits) + 1, sizeof(*live));
	/* By block: a successor's live-in has changed. */
	bool *stale = arena_array(f->arena, f->nblocks, sizeof(*stale)), changed = true;

	for (uint32_t k = 0; k < count; k++)
		stale[order[k]] = true;
	while (changed) {
		changed = false;
		for (uint32_t k = count; k-- > 0;) {
			const struct mir_block *block = &f->blocks[order[k]];

			if (!stale[order[k]])
				continue;
			stale[order[k]] = false;
			if (!update_block(f, order[k], live))
				continue;
			changed = true;
			for (uint32_t p = 0; p < block->npreds; p++)
				stale[block->preds[p]] = true;
		}
	}
}

void nv_liveness(struct mir_func *f)
{
	struct arena_mark scratch;
	uint32_t count, *order;

	if (f->live)
		return;
	f->live = true;
	order = mir_reverse_postorder(f, &count);
	mir_number_units(f);
	for (uint32_t k = 0; k < count; k++) {
		struct mir_block *block = &f->blocks[order[k]];

		block->live_in =
			arena_array(f->arena, bitset_words(f->nunits) + 1, sizeof(uint64_t));
		block->live_out =
			arena_array(f->arena, bitset_words(f->nunits) + 1, sizeof(uint64_t));
	}
	mir_cache_all_uses(f);
	scratch = arena_mark(f->arena);
	find_first_defs(f, order, count);
	solve_liveness(f, order, count);
	arena_rewind(f->arena, scratch);
}
