// SPDX-License-Identifier: MIT
/*
 * Liveness by unit (mir/liveness.h). The halves of a multi-unit register may have separate
 * definitions, but the register is allocated as a whole at the first of them, which dominates the
 * others. So the first definition defines all units, and every later one counts as a use of the
 * units that it writes.
 */
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

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

/* Units that phis read on the edges out of block b: unit[first[b]] to unit[first[b + 1] - 1].
 * Listed by predecessor, since a block with phis may have thousands of predecessors. */
struct phi_reads {
	const struct mir_func *f;
	uint32_t *first, *unit;
};

/* Calls with unit = NULL count the units of block b in first[b + 2]; later calls advance
 * first[b + 1]. */
static void add_phi_reads(struct phi_reads *r, const struct mir_block *to)
{
	for (uint32_t p = 0; p < to->nphis; p++) {
		uint32_t units = r->f->vregs[to->phis[p].vreg].units;

		for (uint32_t k = 0; k < to->npreds * units; k++) {
			struct mir_ref ref = to->phis[p].args[k].ref;
			uint32_t from = to->preds[k / units];

			if (ref.vreg && r->unit)
				r->unit[r->first[from + 1]++] = mir_unit(r->f, ref);
			else if (ref.vreg)
				r->first[from + 2]++;
		}
	}
}

static struct phi_reads list_phi_reads(const struct mir_func *f, const uint32_t *order,
				       uint32_t count)
{
	struct phi_reads r = {.f = f};

	r.first = arena_array(f->arena, f->nblocks + 2, sizeof(*r.first));
	for (uint32_t k = 0; k < count; k++)
		add_phi_reads(&r, &f->blocks[order[k]]);
	for (uint32_t b = 0; b < f->nblocks; b++)
		r.first[b + 2] += r.first[b + 1];
	r.unit = arena_array(f->arena, r.first[f->nblocks + 1] + 1, sizeof(*r.unit));
	for (uint32_t k = 0; k < count; k++)
		add_phi_reads(&r, &f->blocks[order[k]]);
	return r;
}

static const uint32_t *successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct mir_func *f = ((const struct phi_reads *)func)->f;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

/* Adds the phi arguments of the edges out of b. */
static void add_phi_arguments(const void *func, uint32_t b, uint64_t *live)
{
	const struct phi_reads *r = func;

	for (uint32_t k = r->first[b]; k < r->first[b + 1]; k++)
		bitset_add(live, r->unit[k]);
}

static void transfer_block(const void *func, uint32_t b, uint64_t *live)
{
	const struct mir_func *f = ((const struct phi_reads *)func)->f;
	const struct mir_block *block = &f->blocks[b];

	gen_units(f, live, block->cond.ref, 1);
	for (struct mir_inst *i = block->last; i; i = i->prev)
		nv_live_before(f, live, i);
	for (uint32_t p = 0; p < block->nphis; p++)
		kill_vreg(f, live, block->phis[p].vreg);
}

void nv_liveness(struct mir_func *f)
{
	struct phi_reads reads;
	struct liveness l = {.arena = f->arena,
			     .func = &reads,
			     .nblocks = f->nblocks,
			     .cfgs = {{.successors = successors}},
			     .ncfgs = 1,
			     .add_edge_uses = add_phi_arguments,
			     .transfer = transfer_block};
	struct arena_mark scratch;
	uint32_t count, *order;
	uint64_t *sets;

	if (f->live)
		return;
	f->live = true;
	order = mir_reverse_postorder(f, &count);
	mir_number_units(f);
	sets = bitset_pool_reset(&f->live_sets, f->arena, 2 * (size_t)count, f->nunits);
	for (uint32_t k = 0; k < count; k++) {
		f->blocks[order[k]].live_in = sets + 2 * (size_t)k * bitset_words(f->nunits);
		f->blocks[order[k]].live_out =
			f->blocks[order[k]].live_in + bitset_words(f->nunits);
	}
	mir_cache_all_uses(f);
	scratch = arena_mark(f->arena);
	find_first_defs(f, order, count);
	reads = list_phi_reads(f, order, count);
	l.nunits = f->nunits;
	l.order = order;
	l.count = count;
	l.blocks = arena_array(f->arena, f->nblocks, sizeof(*l.blocks));
	for (uint32_t k = 0; k < count; k++) {
		l.blocks[order[k]].in = f->blocks[order[k]].live_in;
		l.blocks[order[k]].out = f->blocks[order[k]].live_out;
	}
	liveness_solve(&l);
	arena_rewind(f->arena, scratch);
}

/* With the registers that calls change; those that the caller can save count if all is set. */
static uint32_t max_pressure_of(const struct mir_func *f, bool all)
{
	uint64_t *live = bitset_new(f->arena, f->nunits);
	uint32_t max_pressure = 0;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];
		uint32_t count = 0;

		memcpy(live, block->live_out, bitset_words(f->nunits) * sizeof(*live));
		bitset_for_each(live, f->nunits, unit) count +=
			f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
		for (struct mir_inst *i = block->last; i; i = i->prev) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			max_pressure = count > max_pressure ? count : max_pressure;
			for (uint32_t u = 0; u < n; u++) {
				const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

				for (uint32_t k = 0; uses[u].write && v->first_def == i &&
						     v->kind == SASS_GPR && k < v->units;
				     k++) {
					count -= bitset_has(live, v->first_unit + k);
					bitset_remove(live, v->first_unit + k);
				}
			}
			if (i->known && (all || !i->saves) &&
			    count + i->known->nchanges > max_pressure)
				max_pressure = count + i->known->nchanges;
			for (uint32_t u = 0; u < n; u++) {
				const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];
				uint32_t unit = mir_unit(f, uses[u].ref);

				for (uint32_t k = 0; (!uses[u].write || v->first_def != i) &&
						     v->kind == SASS_GPR && k < uses[u].count;
				     k++) {
					count += !bitset_has(live, unit + k);
					bitset_add(live, unit + k);
				}
			}
		}
		max_pressure = count > max_pressure ? count : max_pressure;
	}
	return max_pressure;
}

uint32_t nv_max_pressure(const struct mir_func *f)
{
	return max_pressure_of(f, false);
}

uint32_t nv_max_clear_pressure(const struct mir_func *f)
{
	return max_pressure_of(f, true);
}
