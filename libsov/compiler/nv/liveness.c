// SPDX-License-Identifier: MIT
/*
 * Liveness by unit (mir/live_set.h). The halves of a multi-unit register may have separate
 * definitions, but the register is allocated as a whole at the first of them, which dominates the
 * others. So the first definition defines all units, and every later one counts as a use of the
 * units that it writes.
 */
#include "libsov/compiler/mir/live_set.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

void nv_live_before(const struct mir_func *f, struct unit_set *live, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

		for (uint32_t k = 0; uses[u].write && v->first_def == i && k < v->units; k++)
			unit_set_remove(live, v->first_unit + k);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && f->vregs[uses[u].ref.vreg].first_def == i)
			continue;
		for (uint32_t k = 0; uses[u].ref.vreg && k < uses[u].count; k++)
			unit_set_add(live, mir_unit(f, uses[u].ref) + k);
	}
}

/* What the blocks read and write, found in one walk forwards. */
struct block_events {
	struct mir_func *f;
	struct live_problem *p;
	uint32_t *defined_in, *read_in; /* by unit: the block that defines it, that reads it last */
};

static void note_read(const struct block_events *e, uint32_t b, struct mir_ref r, uint32_t count)
{
	for (uint32_t k = 0; r.vreg && k < count; k++) {
		uint32_t unit = mir_unit(e->f, r) + k;

		if (e->defined_in[unit] == b || e->read_in[unit] == b)
			continue;
		e->read_in[unit] = b;
		live_events_add(e->f->arena, &e->p->reads, unit, b);
	}
}

static void note_definition(const struct block_events *e, uint32_t b, uint32_t vreg)
{
	const struct mir_vreg *v = &e->f->vregs[vreg];

	for (uint32_t k = 0; k < v->units; k++)
		e->defined_in[v->first_unit + k] = b;
}

static void note_inst(const struct block_events *e, uint32_t b, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(e->f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		struct mir_vreg *v = &e->f->vregs[uses[u].ref.vreg];

		if (uses[u].write && uses[u].ref.vreg && !v->first_def && !v->phi)
			v->first_def = i;
		if (!uses[u].write || v->first_def != i)
			note_read(e, b, uses[u].ref, uses[u].count);
	}
	for (uint32_t u = 0; u < n; u++)
		if (uses[u].write && uses[u].ref.vreg &&
		    e->f->vregs[uses[u].ref.vreg].first_def == i)
			note_definition(e, b, uses[u].ref.vreg);
}

/* Phis are read at the end of the predecessors. */
static void note_phis(const struct block_events *e, uint32_t b)
{
	const struct mir_block *block = &e->f->blocks[b];

	for (uint32_t p = 0; p < block->nphis; p++) {
		uint32_t units = e->f->vregs[block->phis[p].vreg].units;

		note_definition(e, b, block->phis[p].vreg);
		for (uint32_t k = 0; k < block->npreds * units; k++) {
			struct mir_ref ref = block->phis[p].args[k].ref;

			if (ref.vreg)
				live_events_add(e->f->arena, &e->p->edge_reads, mir_unit(e->f, ref),
						block->preds[k / units]);
		}
	}
}

/* A unit that is read in the block that defines it, and nowhere else, is live in no set. */
static void add_writes(const struct block_events *e)
{
	struct live_problem *p = e->p;
	uint64_t *read = bitset_new(p->arena, p->nunits);

	for (uint32_t k = 0; k < p->reads.count; k++)
		bitset_add(read, p->reads.list[k].unit);
	for (uint32_t k = 0; k < p->edge_reads.count; k++)
		bitset_add(read, p->edge_reads.list[k].unit);
	bitset_for_each(read, p->nunits, unit) if (e->defined_in[unit])
		live_events_add(p->arena, &p->writes, unit, e->defined_in[unit]);
}

static void collect_events(struct mir_func *f, struct live_problem *p, const uint32_t *order,
			   uint32_t count)
{
	struct block_events e = {f, p, arena_array(f->arena, f->nunits + 1, sizeof(uint32_t)),
				 arena_array(f->arena, f->nunits + 1, sizeof(uint32_t))};

	for (uint32_t v = 1; v < f->nvregs; v++)
		f->vregs[v].first_def = NULL;
	for (uint32_t k = 0; k < count; k++) {
		note_phis(&e, order[k]);
		mir_for_each(f, order[k], i)
			note_inst(&e, order[k], i);
		note_read(&e, order[k], f->blocks[order[k]].cond.ref, 1);
	}
	add_writes(&e);
}

static const uint32_t *predecessors(const void *func, uint32_t b, uint32_t *count)
{
	const struct mir_func *f = func;

	*count = f->blocks[b].npreds;
	return f->blocks[b].preds;
}

void nv_liveness(struct mir_func *f)
{
	struct live_problem p = {.arena = f->arena, .pool = &f->live_pool, .func = f};
	struct live_pool before = f->live_pool;
	struct arena_mark scratch;
	struct live_set *in, *out;
	uint32_t count, *order;

	if (f->live)
		return;
	f->live = true;
	mir_number_units(f);
	mir_cache_all_uses(f);
	scratch = arena_mark(f->arena);
	order = mir_reverse_postorder(f, &count);
	p.nblocks = f->nblocks;
	p.nunits = f->nunits;
	p.predecessors = predecessors;
	in = arena_array(f->arena, f->nblocks, sizeof(*in));
	out = arena_array(f->arena, f->nblocks, sizeof(*out));
	collect_events(f, &p, order, count);
	live_sets_solve(&p, in, out);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		f->blocks[b].live_in = in[b];
		f->blocks[b].live_out = out[b];
	}
	if (f->live_pool.entry_capacity == before.entry_capacity &&
	    f->live_pool.word_capacity == before.word_capacity)
		arena_rewind(f->arena, scratch);
}

/* The maximum pressure of a block, with the registers that calls change; those that the caller can
 * save count if all is set. live is scratch. peaks: see nv_block_peaks(); NULL: not wanted. */
static uint32_t block_pressure(const struct mir_func *f, uint32_t b, bool all,
			       struct unit_set *live, uint32_t *peaks)
{
	const struct mir_block *block = &f->blocks[b];
	uint32_t count = 0, peak = 0;

	unit_set_assign(live, &block->live_out);
	live_set_for_each(&block->live_out, unit) count +=
		f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
	for (struct mir_inst *i = block->last; i; i = i->prev) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		peak = count > peak ? count : peak;
		if (peaks)
			peaks[i->number] = peak;
		for (uint32_t u = 0; u < n; u++) {
			const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

			for (uint32_t k = 0; uses[u].write && v->first_def == i &&
					     v->kind == SASS_GPR && k < v->units;
			     k++) {
				count -= unit_set_has(live, v->first_unit + k);
				unit_set_remove(live, v->first_unit + k);
			}
		}
		if (i->known && (all || !i->saves)) {
			uint32_t clear = nv_clear_registers(f, i->known, count);

			peak = clear > peak ? clear : peak;
		}
		for (uint32_t u = 0; u < n; u++) {
			const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];
			uint32_t unit = mir_unit(f, uses[u].ref);

			for (uint32_t k = 0; (!uses[u].write || v->first_def != i) &&
					     v->kind == SASS_GPR && k < uses[u].count;
			     k++) {
				count += !unit_set_has(live, unit + k);
				unit_set_add(live, unit + k);
			}
		}
	}
	return count > peak ? count : peak;
}

void nv_block_peaks(const struct mir_func *f, uint32_t b, struct unit_set *live, uint32_t *peaks)
{
	block_pressure(f, b, true, live, peaks);
}

static uint32_t max_pressure_of(const struct mir_func *f, bool all)
{
	struct unit_set live = unit_set_new(f->arena, f->nunits);
	uint32_t max_pressure = 0;

	mir_for_each_block(f, b) {
		uint32_t pressure = block_pressure(f, b, all, &live, NULL);

		max_pressure = pressure > max_pressure ? pressure : max_pressure;
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
