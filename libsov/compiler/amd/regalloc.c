// SPDX-License-Identifier: MIT
/*
 * Register allocation over live intervals with holes, a variant of linear scan (Traub, Holloway and
 * Smith 1998 describe lifetime holes). Each word of a virtual register has an interval, a list of
 * ranges of program points. Registers are assigned in priority order, VGPR tuples first, then by
 * start of the interval, to the lowest consecutive registers whose owners do not overlap. SGPR
 * tuples are aligned. Copies are coalesced where the intervals do not overlap. If a register does
 * not fit, allocation restarts without coalescing; if it still does not fit, the overlapping vreg
 * with the lowest cost per covered program point is spilled (spill.c), and allocation restarts.
 * Lanes that hold spilled SGPR words are allocated the same way.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/amd/mir.h"

struct range {
	uint32_t from, to;  /* exclusive */
	struct range *next; /* later */
};

/* The live interval of one word. Words of a tuple die separately. */
struct live_interval {
	struct range *first;
	uint32_t begin, end; /* hull of all ranges */
	uint32_t open_end;   /* while ranges are built backwards: end of the open range */
};

/* Spills per round; twice as many after each ROUNDS_PER_DOUBLING rounds. */
#define MAX_SPILLS          64
#define ROUNDS_PER_DOUBLING 8
#define MAX_DOUBLINGS       20

struct alloc {
	struct gcn_func *f;
	struct live_interval *intervals; /* by unit */
	uint64_t *weights;               /* by vreg: uses and definitions, weighted by loop depth */
	uint32_t *starts; /* by vreg: earliest start of a word, UINT32_MAX: never live */
	/* by register, the program points at which it is occupied; GCN_LANE is the largest class */
	uint64_t *occupied[GCN_CLASSES][GCN_LANES];
	uint32_t npoints;
	uint64_t *lengths; /* by vreg: program points that its words cover */
	uint32_t limit[GCN_CLASSES], used[GCN_CLASSES];
	uint32_t *spills, nspills, max_spills; /* vregs chosen in this round */
	uint32_t *coalesced_into;              /* by vreg: union-find forest of coalesced vregs */
	struct live_interval call_points;      /* where caller-saved registers are clobbered */
	bool has_stack;                        /* stack and frame pointer are reserved */
	bool coalescing;                       /* first attempt: coalesce copies, do not spill */
	bool failed; /* a vreg got no register, and none could be spilled */
	/* units that became live in the current block, towards its start */
	uint32_t *opened, nopened, opened_capacity;
};

static uint32_t number_points(struct gcn_func *f)
{
	uint32_t point = 0;

	gcn_for_each_block(f, b) {
		f->blocks[b].begin = point;
		gcn_for_each(f, b, i) {
			i->point = point;
			point += 2;
		}
		point += 2;
		f->blocks[b].end = point;
	}
	return point;
}

static void add_range(struct alloc *a, struct live_interval *l, uint32_t from, uint32_t to)
{
	struct range *r = l->first;

	/* Ranges are found from the last to the first. */
	if (r && to >= r->from) {
		if (from < r->from)
			r->from = from;
		return;
	}
	r = arena_alloc(a->f->arena, sizeof(*r));
	*r = (struct range){from, to, l->first};
	l->first = r;
}

static void open_interval(struct alloc *a, uint32_t unit, uint64_t *live, uint32_t to)
{
	if (bitset_has(live, unit))
		return;
	bitset_add(live, unit);
	a->opened = arena_grow(a->f->arena, a->opened, &a->opened_capacity, a->nopened + 1,
			       sizeof(*a->opened));
	a->opened[a->nopened++] = unit;
	a->intervals[unit].open_end = to;
}

static void close_interval(struct alloc *a, uint32_t unit, uint64_t *live, uint32_t from)
{
	add_range(a, &a->intervals[unit], from,
		  bitset_has(live, unit) ? a->intervals[unit].open_end : from + 1);
	bitset_remove(live, unit);
}

static void build_block_intervals(struct alloc *a, uint32_t b, uint64_t *live)
{
	struct gcn_func *f = a->f;
	struct gcn_block *block = &f->blocks[b];
	uint64_t weight = 1;

	for (uint32_t d = 0; d < block->depth && d < 8; d++)
		weight *= 10;
	a->nopened = 0;
	for (uint32_t k = 0; k < block->live_out.count; k++)
		open_interval(a, block->live_out.units[k], live, block->end);
	for (struct gcn_inst *i = block->last; i; i = i->prev) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		if (i->call)
			add_range(a, &a->call_points, i->point + 1, i->point + 2);
		for (uint32_t u = 0; u < n; u++) {
			uint32_t unit = gcn_unit(f, uses[u].ref);

			a->weights[uses[u].ref.vreg] += weight;
			for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++)
				close_interval(a, unit + k, live, i->point + 1);
		}
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
				open_interval(a, gcn_unit(f, uses[u].ref) + k, live, i->point + 1);
	}
	for (uint32_t k = 0; k < block->live_in.count; k++)
		if (bitset_has(live, block->live_in.units[k]))
			close_interval(a, block->live_in.units[k], live, block->begin);
	for (uint32_t k = 0; k < a->nopened; k++) /* an undefined value needs no register */
		bitset_remove(live, a->opened[k]);
}

static void build_intervals(struct alloc *a)
{
	struct gcn_func *f = a->f;
	uint32_t count = 0, end = number_points(f);
	uint32_t *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	uint64_t *live = bitset_new(f->arena, f->nunits);

	a->intervals = arena_array(f->arena, f->nunits + 1, sizeof(*a->intervals));
	a->weights = arena_array(f->arena, f->nvregs, sizeof(*a->weights));
	a->starts = arena_array(f->arena, f->nvregs, sizeof(*a->starts));
	memset(a->starts, 0xff, f->nvregs * sizeof(*a->starts));
	gcn_for_each_block(f, b)
		order[count++] = b;
	while (count--)
		build_block_intervals(a, order[count], live);
	for (uint32_t u = 0; u < f->nunits; u++) {
		const struct gcn_vreg *v = &f->vregs[f->unit_vreg[u]];
		struct live_interval *l = &a->intervals[u];

		if (v->whole_function)
			l->first = NULL, add_range(a, l, 0, end);
		if (v->live_at_entry && l->first)
			l->first->from = 0;
		l->begin = l->first ? l->first->from : UINT32_MAX;
		for (struct range *r = l->first; r; r = r->next)
			l->end = r->to;
		if (l->begin < a->starts[f->unit_vreg[u]])
			a->starts[f->unit_vreg[u]] = l->begin;
	}
	a->call_points.begin = 0;
	a->call_points.end = end;
	a->npoints = end + 1;
	a->lengths = arena_array(f->arena, f->nvregs, sizeof(*a->lengths));
	for (uint32_t u = 0; u < f->nunits; u++)
		for (const struct range *r = a->intervals[u].first; r; r = r->next)
			a->lengths[f->unit_vreg[u]] += r->to - r->from;
}

static bool intervals_overlap(const struct live_interval *x, const struct live_interval *y)
{
	const struct range *r = x->first, *q = y->first;

	if (x->end <= y->begin || y->end <= x->begin)
		return false;
	while (r && q) {
		if (r->to <= q->from)
			r = r->next;
		else if (q->to <= r->from)
			q = q->next;
		else
			return true;
	}
	return false;
}

/* Banks hold spilled SGPRs, so the stress limit of the "spill" option does not apply to them. */
static uint32_t register_limit(const struct alloc *a, const struct gcn_vreg *v)
{
	return v->whole_function ? GCN_VGPRS : a->limit[v->class];
}

static bool vreg_overlaps(const struct alloc *a, uint32_t vreg, const struct live_interval *l)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; k < v->words; k++)
		if (intervals_overlap(&a->intervals[v->first_unit + k], l))
			return true;
	return false;
}

static bool vregs_overlap(const struct alloc *a, uint32_t vreg, uint32_t other)
{
	const struct gcn_vreg *v = &a->f->vregs[other];

	for (uint32_t k = 0; k < v->words; k++)
		if (vreg_overlaps(a, vreg, &a->intervals[v->first_unit + k]))
			return true;
	return false;
}

/* The members of a word of program points that a range covers. */
static uint64_t range_mask(const struct range *r, uint32_t word)
{
	uint64_t mask = UINT64_MAX;

	if (word == r->from / 64)
		mask &= UINT64_MAX << r->from % 64;
	if (word == (r->to - 1) / 64)
		mask &= UINT64_MAX >> (63 - (r->to - 1) % 64);
	return mask;
}

static bool points_are_free(const uint64_t *occupied, const struct live_interval *l)
{
	for (const struct range *r = occupied ? l->first : NULL; r; r = r->next)
		for (uint32_t w = r->from / 64; w <= (r->to - 1) / 64; w++)
			if (occupied[w] & range_mask(r, w))
				return false;
	return true;
}

static void set_points(uint64_t *occupied, const struct live_interval *l, bool value)
{
	for (const struct range *r = l->first; r; r = r->next)
		for (uint32_t w = r->from / 64; w <= (r->to - 1) / 64; w++)
			occupied[w] = value ? occupied[w] | range_mask(r, w)
					    : occupied[w] & ~range_mask(r, w);
}

static bool register_is_free(const struct alloc *a, uint32_t vreg, uint32_t reg)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];

	if (reg + v->words > register_limit(a, v))
		return false;
	if (v->class == GCN_LANE && reg < a->f->nsaved_sgprs)
		return false;
	if (a->has_stack && v->class == GCN_SCALAR && reg <= GCN_FRAME_POINTER &&
	    reg + v->words > GCN_STACK_POINTER)
		return false;
	for (uint32_t k = 0; a->call_points.first && k < v->words; k++)
		if (!gcn_is_callee_saved(v->class, reg + k) &&
		    intervals_overlap(&a->intervals[v->first_unit + k], &a->call_points))
			return false;
	if (v->class == GCN_SCALAR && reg % (v->words > 2 ? 4 : v->words))
		return false;
	for (uint32_t k = 0; k < v->words; k++)
		if (!points_are_free(a->occupied[v->class][reg + k],
				     &a->intervals[v->first_unit + k]))
			return false;
	return true;
}

static void occupy_registers(struct alloc *a, uint32_t vreg, uint32_t reg)
{
	struct gcn_vreg *v = &a->f->vregs[vreg];

	v->reg = (uint16_t)reg;
	v->assigned = true;
	for (uint32_t k = 0; k < v->words; k++) {
		uint64_t **occupied = &a->occupied[v->class][reg + k];

		if (!*occupied)
			*occupied = bitset_new(a->f->arena, a->npoints);
		set_points(*occupied, &a->intervals[v->first_unit + k], true);
	}
	if (reg + v->words > a->used[v->class])
		a->used[v->class] = reg + v->words;
}

static bool assign_register(struct alloc *a, uint32_t vreg)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];
	const struct gcn_vreg *hint = &a->f->vregs[v->hint];

	if (v->hint && hint->assigned && hint->class == v->class && hint->words == v->words &&
	    register_is_free(a, vreg, hint->reg)) {
		occupy_registers(a, vreg, hint->reg);
		return true;
	}
	for (uint32_t r = 0; r < register_limit(a, v); r++)
		if (register_is_free(a, vreg, r)) {
			occupy_registers(a, vreg, r);
			return true;
		}
	return false;
}

/* ---- coalescing ---- */

static uint32_t coalesce_root(const struct alloc *a, uint32_t vreg)
{
	while (a->coalesced_into[vreg] != vreg)
		vreg = a->coalesced_into[vreg];
	return vreg;
}

/* Merges two sorted lists of disjoint ranges. */
static struct range *merge_ranges(struct range *x, struct range *y)
{
	struct range *first = NULL, **end = &first;

	while (x || y) {
		struct range **from = !y || (x && x->from < y->from) ? &x : &y;

		*end = *from;
		*from = (*from)->next;
		end = &(*end)->next;
	}
	*end = NULL;
	return first;
}

/*
 * Coalesces two vregs if the intervals of their words do not overlap. Around calls, several vregs
 * are fixed to one register that the call clobbers; those are left alone.
 */
static void coalesce(struct alloc *a, uint32_t d, uint32_t s)
{
	struct gcn_vreg *x, *y;

	d = coalesce_root(a, d);
	s = coalesce_root(a, s);
	if (a->f->vregs[s].fixed >= 0) {
		uint32_t t = d;

		d = s;
		s = t;
	}
	x = &a->f->vregs[d];
	y = &a->f->vregs[s];
	if (d == s || y->fixed >= 0 || (x->fixed >= 0 && a->has_stack) || x->whole_function ||
	    y->whole_function || x->unspillable || y->unspillable)
		return;
	for (uint32_t k = 0; k < x->words; k++)
		if (intervals_overlap(&a->intervals[x->first_unit + k],
				      &a->intervals[y->first_unit + k]))
			return;
	for (uint32_t k = 0; k < x->words; k++) {
		struct live_interval *l = &a->intervals[x->first_unit + k],
				     *m = &a->intervals[y->first_unit + k];

		l->first = merge_ranges(l->first, m->first);
		l->begin = m->begin < l->begin ? m->begin : l->begin;
		l->end = m->end > l->end ? m->end : l->end;
		*m = (struct live_interval){.begin = UINT32_MAX};
	}
	if (a->starts[s] < a->starts[d])
		a->starts[d] = a->starts[s];
	a->starts[s] = UINT32_MAX;
	a->coalesced_into[s] = d;
}

/* Coalesces copies, those in inner loops first. */
static void coalesce_copies(struct alloc *a)
{
	const struct gcn_func *f = a->f;
	uint32_t deepest = 0;

	gcn_for_each_block(f, b)
		if (f->blocks[b].depth > deepest)
			deepest = f->blocks[b].depth;
	for (uint32_t depth = deepest + 1; depth--;)
		gcn_for_each_block(f, b)
			gcn_for_each(f, b, i) {
				struct gcn_ref d = i->ref[AMD_D], s = i->ref[AMD_S0];

				if (f->blocks[b].depth == depth && i->copy && d.vreg && s.vreg &&
				    d.part == s.part &&
				    f->vregs[d.vreg].class == f->vregs[s.vreg].class &&
				    f->vregs[d.vreg].words == f->vregs[s.vreg].words)
					coalesce(a, d.vreg, s.vreg);
			}
}

/*
 * Of vreg and the vregs that overlap it, the one with the lowest spill cost per program point
 * covered; 0: none.
 */
static uint32_t choose_spill(const struct alloc *a, uint32_t vreg)
{
	const struct gcn_func *f = a->f;
	uint32_t best = 0;
	double min_cost = 0;
	bool crosses_call = a->call_points.first && vreg_overlaps(a, vreg, &a->call_points);

	for (uint32_t v = 1; v < f->nvregs; v++) {
		const struct gcn_vreg *x = &f->vregs[v];
		uint64_t length = a->lengths[v];
		double cost;

		if (x->class != f->vregs[vreg].class || x->unspillable || x->whole_function ||
		    a->starts[v] == UINT32_MAX || (v != vreg && !x->assigned) ||
		    (v != vreg && length <= 4 * x->words))
			continue;
		cost = (double)a->weights[v] / (double)length;
		/* a caller-saved register would not help a vreg that is live across a call */
		if (v != vreg && crosses_call && !gcn_is_callee_saved(x->class, x->reg))
			continue;
		if (best && cost >= min_cost)
			continue;
		if (v == vreg || vregs_overlap(a, v, vreg)) {
			best = v;
			min_cost = cost;
		}
	}
	return best;
}

/* Tuples first: single words fit into the gaps between them. */
static int compare_priority(const struct alloc *a, uint32_t x, uint32_t y)
{
	const struct gcn_vreg *v = &a->f->vregs[x], *w = &a->f->vregs[y];
	bool first = v->class == GCN_VECTOR && v->words > 1,
	     second = w->class == GCN_VECTOR && w->words > 1;

	if (first != second)
		return first ? -1 : 1;
	if (a->starts[x] != a->starts[y])
		return a->starts[x] < a->starts[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort_by_priority(const struct alloc *a, uint32_t *v, uint32_t n, uint32_t *space)
{
	uint32_t half = n / 2, i = 0, j = half;

	if (n < 2)
		return;
	sort_by_priority(a, v, half, space);
	sort_by_priority(a, v + half, n - half, space);
	memcpy(space, v, n * sizeof(*v));
	for (uint32_t k = 0; k < n; k++)
		v[k] = j >= n || (i < half && compare_priority(a, space[i], space[j]) < 0)
			       ? space[i++]
			       : space[j++];
}

/* Fixes inputs to their registers, which are known by now. */
static void fix_inputs(struct gcn_func *f)
{
	const bool kernel = f->ir->kind == IR_KERNEL;
	const uint32_t at[GCN_INPUTS] = {
		[GCN_KERNARG] = amd_user_sgpr(&f->start, AMD_KERNARG_SEGMENT_PTR),
		[GCN_GROUP_X] = kernel ? amd_group_id_sgpr(&f->start, 0) : GCN_ABI_GROUP_IDS,
		[GCN_GROUP_Y] = kernel ? amd_group_id_sgpr(&f->start, 1) : GCN_ABI_GROUP_IDS + 1,
		[GCN_GROUP_Z] = kernel ? amd_group_id_sgpr(&f->start, 2) : GCN_ABI_GROUP_IDS + 2,
		[GCN_THREAD_Y] = 1,
		[GCN_THREAD_Z] = 2,
		[GCN_HIDDEN_ARGS] = GCN_ABI_HIDDEN_ARGS,
		[GCN_THREAD_IDS] = GCN_ABI_THREAD_IDS,
		[GCN_RETURN_ADDRESS] = GCN_ABI_RETURN_ADDRESS,
	};

	for (uint32_t k = 0; k < GCN_INPUTS; k++)
		if (f->input[k]) {
			f->vregs[f->input[k]].fixed = (int16_t)at[k];
			f->vregs[f->input[k]].live_at_entry = true;
		}
}

/* Releases the registers of a vreg that will be spilled. */
static void evict(struct alloc *a, uint32_t vreg)
{
	struct gcn_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; v->assigned && k < v->words; k++)
		set_points(a->occupied[v->class][v->reg + k], &a->intervals[v->first_unit + k],
			   false);
	v->assigned = false;
	a->starts[vreg] = UINT32_MAX;
	for (uint32_t k = 0; k < v->words; k++)
		a->intervals[v->first_unit + k].first = NULL;
	a->spills[a->nspills++] = vreg;
}

/* One allocation round; a->spills lists the vregs to spill, if any. */
static void assign_registers(struct alloc *a)
{
	struct gcn_func *f = a->f;
	uint32_t count = 0, *order = arena_array(f->arena, f->nvregs + 1, sizeof(*order));

	fix_inputs(f);
	gcn_liveness(f);
	build_intervals(a);
	a->coalesced_into = arena_array(f->arena, f->nvregs, sizeof(*a->coalesced_into));
	for (uint32_t v = 1; v < f->nvregs; v++)
		a->coalesced_into[v] = v;
	if (a->coalescing)
		coalesce_copies(a);
	for (uint32_t v = 1; v < f->nvregs; v++) {
		f->vregs[v].assigned = false;
		if (f->vregs[v].fixed >= 0 && a->starts[v] != UINT32_MAX)
			occupy_registers(a, v, (uint32_t)f->vregs[v].fixed);
		else if (a->starts[v] != UINT32_MAX)
			order[count++] = v;
	}
	sort_by_priority(a, order, count, arena_array(f->arena, count + 1, sizeof(*order)));
	for (uint32_t k = 0; k < count; k++)
		while (a->starts[order[k]] != UINT32_MAX && !assign_register(a, order[k])) {
			uint32_t spill = choose_spill(a, order[k]);

			a->failed = !spill || a->coalescing;
			if (!spill || a->nspills == a->max_spills || a->coalescing)
				return;
			evict(a, spill);
		}
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (a->coalesced_into[v] != v) {
			f->vregs[v].reg = f->vregs[coalesce_root(a, v)].reg;
			f->vregs[v].assigned = true;
		}
}

/* Fills in bank and lane of an instruction that accesses a spilled SGPR word. */
static void rewrite_lane_operand(const struct gcn_func *f, struct gcn_inst *i)
{
	const struct gcn_vreg *v = i->nimplicit ? &f->vregs[i->implicit[0].ref.vreg] : NULL;
	struct gcn_src lane;

	if (!v || v->class != GCN_LANE)
		return;
	lane = gcn_imm(v->reg % GCN_BANK_LANES);
	i->ref[i->implicit[0].write ? AMD_D : AMD_S0].vreg = f->banks[v->reg / GCN_BANK_LANES];
	i->in.reg[AMD_S1] = lane.reg;
}

static void rewrite_operands(struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			rewrite_lane_operand(f, i);
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
				const struct gcn_vreg *v = &f->vregs[i->ref[slot].vreg];

				if (i->ref[slot].vreg)
					i->in.reg[slot] =
						(uint16_t)(v->reg + i->ref[slot].part +
							   (v->class == GCN_VECTOR ? AMD_VGPR : 0));
			}
		}
}

void gcn_remove_identity_copies(struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i)
			if (gcn_is_identity_copy(i))
				gcn_remove(f, b, i);
}

#define MAX_ROUNDS 200

/* Records the registers that the function writes; the prologue saves the callee-saved ones. */
static void record_written_registers(struct gcn_func *f)
{
	memset(f->written_regs, 0, sizeof(f->written_regs));
	for (uint32_t v = 1; v < f->nvregs; v++)
		for (uint32_t k = 0;
		     f->vregs[v].class != GCN_LANE && f->vregs[v].assigned && k < f->vregs[v].words;
		     k++)
			bitset_add(f->written_regs[f->vregs[v].class], f->vregs[v].reg + k);
}

bool gcn_regalloc(struct gcn_func *f)
{
	bool stress = f->job->options.spill, coalescing = true;
	uint32_t stress_vgprs = f->has_calls ? GCN_STRESS_VGPRS_CALLS : GCN_STRESS_VGPRS,
		 saved_sgprs, lanes, *spills = NULL, max_spills = 0;

	for (uint32_t round = 0; round < MAX_ROUNDS; round++) {
		uint32_t doublings = round / ROUNDS_PER_DOUBLING;
		struct alloc a = {.f = f,
				  .limit = {stress ? GCN_STRESS_SGPRS : GCN_SGPRS,
					    stress ? stress_vgprs : GCN_VGPRS, GCN_LANES}};
		struct arena_mark mark;

		a.max_spills = MAX_SPILLS
			       << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS);
		if (a.max_spills > max_spills) {
			max_spills = a.max_spills;
			spills = arena_array(f->arena, max_spills, sizeof(*spills));
		}
		a.spills = spills;
		mark = arena_mark(f->arena);
		a.coalescing = coalescing;
		a.has_stack = f->has_calls || f->ir->kind == IR_FUNCTION;
		assign_registers(&a);
		record_written_registers(f);
		saved_sgprs = f->ir->kind == IR_KERNEL ? 0 : gcn_count_saved_sgprs(f);
		lanes = a.used[GCN_LANE] > saved_sgprs ? a.used[GCN_LANE] : saved_sgprs;
		if (!a.nspills && !a.failed && f->nsaved_sgprs >= saved_sgprs &&
		    f->nbanks * GCN_BANK_LANES >= lanes) {
			rewrite_operands(f);
			f->sgprs = a.used[GCN_SCALAR];
			f->vgprs = a.used[GCN_VECTOR];
			return true;
		}
		arena_rewind(f->arena, mark);
		if (a.failed && coalescing) {
			coalescing = false;
			continue;
		}
		gcn_spill(f, a.spills, a.nspills);
		if (!a.nspills && a.failed)
			break;
		if (!a.nspills && f->nsaved_sgprs < saved_sgprs)
			f->nsaved_sgprs = saved_sgprs;
		gcn_reserve_banks(f, lanes);
	}
	diag_fault(&f->job->diag, 0, 0,
		   "'%s': register allocation failed even with spilling; this is a compiler bug",
		   f->ir->name);
	return false;
}
