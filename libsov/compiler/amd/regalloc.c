// SPDX-License-Identifier: MIT
/*
 * Registers: every word of a virtual register has the ranges of places where it lives, and the words get the
 * lowest run of real ones whose owners live elsewhere, long vector registers first, others in the order in which they
 * begin to live. Scalar pairs and quads are aligned. What is copied shares a register with its copy where both never
 * live at once. Where there is no run left, that is given up, and then the register goes to memory that costs least for the
 * places that it frees (spill.c), and all begins anew. Lanes that hold spilled words are assigned alike.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/amd/mir.h"

struct range {
	uint32_t from, to;  /* without to */
	struct range *next; /* later */
};

/* Of one word: those of a register that are done with give their places to others. */
struct life {
	struct range *first;
	uint32_t begin, end; /* of all ranges */
	uint32_t since;      /* while ranges are found: to where it lives */
};

#define MOST_SPILLS 64 /* at a time */

struct owner {
	uint32_t unit;
	struct owner *next;
};

struct alloc {
	struct gcn_func *f;
	struct life *lives; /* by unit */
	uint64_t *weights;  /* by vreg: of its mentions, by loops */
	uint32_t *begins;   /* by vreg: where a word of it first lives, UINT32_MAX: nowhere */
	struct owner *owners[GCN_CLASSES][GCN_LANES]; /* the most that a class has */
	uint32_t limit[GCN_CLASSES], used[GCN_CLASSES];
	uint32_t spills[MOST_SPILLS], nspills; /* that have to go */
	uint32_t *
		leader; /* by vreg: the one that it shares its register with; itself: none, or others share its own */
	struct life calls; /* when registers change that callees need not keep */
	bool stack;        /* two scalar registers say where it is */
	bool sharing;      /* copies share registers, and nobody goes to memory */
	bool stuck;        /* one had no place, and nobody could go */
};

static uint32_t number_places(struct gcn_func *f)
{
	uint32_t place = 0;

	gcn_for_each_block(f, b) {
		f->blocks[b].begin = place;
		gcn_for_each(f, b, i) {
			i->number = place;
			place += 2;
		}
		place += 2;
		f->blocks[b].end = place;
	}
	return place;
}

static void add_range(struct alloc *a, struct life *l, uint32_t from, uint32_t to)
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

static void begin_life(struct alloc *a, uint32_t unit, uint64_t *live, uint32_t to)
{
	if (gcn_has(live, unit))
		return;
	live[unit / 64] |= UINT64_C(1) << unit % 64;
	a->lives[unit].since = to;
}

static void end_life(struct alloc *a, uint32_t unit, uint64_t *live, uint32_t from)
{
	add_range(a, &a->lives[unit], from, gcn_has(live, unit) ? a->lives[unit].since : from + 1);
	live[unit / 64] &= ~(UINT64_C(1) << unit % 64);
}

static void ranges_of_block(struct alloc *a, uint32_t b, uint64_t *live, uint32_t words)
{
	struct gcn_func *f = a->f;
	struct gcn_block *block = &f->blocks[b];
	uint64_t weight = 1;

	for (uint32_t d = 0; d < block->depth && d < 8; d++)
		weight *= 10;
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t bits = block->live_out[w]; bits; bits &= bits - 1)
			begin_life(a, 64 * w + (uint32_t)__builtin_ctzll(bits), live, block->end);
	for (struct gcn_inst *i = block->last; i; i = i->prev) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		if (i->call)
			add_range(a, &a->calls, i->number + 1, i->number + 2);
		for (uint32_t u = 0; u < n; u++) {
			uint32_t unit = gcn_unit(f, uses[u].ref);

			a->weights[uses[u].ref.vreg] += weight;
			for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++)
				end_life(a, unit + k, live, i->number + 1);
		}
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
				begin_life(a, gcn_unit(f, uses[u].ref) + k, live, i->number + 1);
	}
	for (uint32_t w = 0; w < words; w++) {
		live[w] &= block->live_in[w]; /* what nobody has written has no place */
		for (uint64_t bits = live[w]; bits; bits &= bits - 1)
			end_life(a, 64 * w + (uint32_t)__builtin_ctzll(bits), live, block->begin);
	}
}

static void find_ranges(struct alloc *a)
{
	struct gcn_func *f = a->f;
	uint32_t words = (f->nunits + 63) / 64, count = 0, end = number_places(f);
	uint32_t *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	uint64_t *live = arena_array(f->arena, words + 1, sizeof(*live));

	a->lives = arena_array(f->arena, f->nunits + 1, sizeof(*a->lives));
	a->weights = arena_array(f->arena, f->nvregs, sizeof(*a->weights));
	a->begins = arena_array(f->arena, f->nvregs, sizeof(*a->begins));
	memset(a->begins, 0xff, f->nvregs * sizeof(*a->begins));
	gcn_for_each_block(f, b)
		order[count++] = b;
	while (count--)
		ranges_of_block(a, order[count], live, words);
	for (uint32_t u = 0; u < f->nunits; u++) {
		const struct gcn_vreg *v = &f->vregs[f->unit_vreg[u]];
		struct life *l = &a->lives[u];

		if (v->everywhere)
			l->first = NULL, add_range(a, l, 0, end);
		if (v->comes && l->first)
			l->first->from = 0;
		l->begin = l->first ? l->first->from : UINT32_MAX;
		for (struct range *r = l->first; r; r = r->next)
			l->end = r->to;
		if (l->begin < a->begins[f->unit_vreg[u]])
			a->begins[f->unit_vreg[u]] = l->begin;
	}
	a->calls.begin = 0;
	a->calls.end = end;
}

static bool overlap(const struct life *x, const struct life *y)
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

/* Banks are what scalar registers are spilled to: where few registers are left for a test, they come on top. */
static uint32_t limit_of(const struct alloc *a, const struct gcn_vreg *v)
{
	return v->everywhere ? GCN_VGPRS : a->limit[v->class];
}

static bool meets(const struct alloc *a, uint32_t vreg, const struct life *l)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; k < v->words; k++)
		if (overlap(&a->lives[v->first_unit + k], l))
			return true;
	return false;
}

static bool meet(const struct alloc *a, uint32_t vreg, uint32_t other)
{
	const struct gcn_vreg *v = &a->f->vregs[other];

	for (uint32_t k = 0; k < v->words; k++)
		if (meets(a, vreg, &a->lives[v->first_unit + k]))
			return true;
	return false;
}

static bool fits(const struct alloc *a, uint32_t vreg, uint32_t reg)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];

	if (reg + v->words > limit_of(a, v))
		return false;
	if (v->class == GCN_LANE && reg < a->f->nsaves)
		return false;
	if (a->stack && v->class == GCN_SCALAR && reg <= GCN_FRAME && reg + v->words > GCN_STACK)
		return false;
	for (uint32_t k = 0; a->calls.first && k < v->words; k++)
		if (!gcn_outlives_calls(v->class, reg + k) &&
		    overlap(&a->lives[v->first_unit + k], &a->calls))
			return false;
	if (v->class == GCN_SCALAR && reg % (v->words > 2 ? 4 : v->words))
		return false;
	for (uint32_t k = 0; k < v->words; k++)
		for (const struct owner *o = a->owners[v->class][reg + k]; o; o = o->next)
			if (overlap(&a->lives[v->first_unit + k], &a->lives[o->unit]))
				return false;
	return true;
}

static void take(struct alloc *a, uint32_t vreg, uint32_t reg)
{
	struct gcn_vreg *v = &a->f->vregs[vreg];

	v->reg = (uint16_t)reg;
	v->assigned = true;
	for (uint32_t k = 0; k < v->words; k++) {
		struct owner *o = arena_alloc(a->f->arena, sizeof(*o));

		*o = (struct owner){v->first_unit + k, a->owners[v->class][reg + k]};
		a->owners[v->class][reg + k] = o;
	}
	if (reg + v->words > a->used[v->class])
		a->used[v->class] = reg + v->words;
}

static bool assign(struct alloc *a, uint32_t vreg)
{
	const struct gcn_vreg *v = &a->f->vregs[vreg];
	const struct gcn_vreg *hint = &a->f->vregs[v->hint];

	if (v->hint && hint->assigned && hint->class == v->class && hint->words == v->words &&
	    fits(a, vreg, hint->reg)) {
		take(a, vreg, hint->reg);
		return true;
	}
	for (uint32_t r = 0; r < limit_of(a, v); r++)
		if (fits(a, vreg, r)) {
			take(a, vreg, r);
			return true;
		}
	return false;
}

/* ---- copies ---- */

static uint32_t leader_of(const struct alloc *a, uint32_t vreg)
{
	while (a->leader[vreg] != vreg)
		vreg = a->leader[vreg];
	return vreg;
}

/* Two lists that do not overlap, as one. */
static struct range *join(struct range *x, struct range *y)
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

/* Both in one register, if their words never live at once. Where calls pass things, many are fixed to the same one,
 * and calls change it: these are left alone. */
static void share(struct alloc *a, uint32_t d, uint32_t s)
{
	struct gcn_vreg *x, *y;

	d = leader_of(a, d);
	s = leader_of(a, s);
	if (a->f->vregs[s].fixed >= 0) {
		uint32_t t = d;

		d = s;
		s = t;
	}
	x = &a->f->vregs[d];
	y = &a->f->vregs[s];
	if (d == s || y->fixed >= 0 || (x->fixed >= 0 && a->stack) || x->everywhere ||
	    y->everywhere || x->fetched || y->fetched)
		return;
	for (uint32_t k = 0; k < x->words; k++)
		if (overlap(&a->lives[x->first_unit + k], &a->lives[y->first_unit + k]))
			return;
	for (uint32_t k = 0; k < x->words; k++) {
		struct life *l = &a->lives[x->first_unit + k], *m = &a->lives[y->first_unit + k];

		l->first = join(l->first, m->first);
		l->begin = m->begin < l->begin ? m->begin : l->begin;
		l->end = m->end > l->end ? m->end : l->end;
		*m = (struct life){.begin = UINT32_MAX};
	}
	if (a->begins[s] < a->begins[d])
		a->begins[d] = a->begins[s];
	a->begins[s] = UINT32_MAX;
	a->leader[s] = d;
}

/* What is copied shares a register with its copy, in inner loops first. */
static void share_all(struct alloc *a)
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
					share(a, d.vreg, s.vreg);
			}
}

/* Of those in the way of a register, or itself, the one whose going costs least. */
static uint32_t choose_spill(const struct alloc *a, uint32_t vreg)
{
	const struct gcn_func *f = a->f;
	uint32_t best = 0;
	double least = 0;

	for (uint32_t v = 1; v < f->nvregs; v++) {
		const struct gcn_vreg *x = &f->vregs[v];
		uint64_t length = 0; /* of all words */
		double cost;

		if (x->class != f->vregs[vreg].class || x->fetched || x->everywhere ||
		    a->begins[v] == UINT32_MAX || (v != vreg && !x->assigned) ||
		    (v != vreg && !meet(a, v, vreg)))
			continue;
		if (v != vreg && a->calls.first && meets(a, vreg, &a->calls) &&
		    !gcn_outlives_calls(x->class, x->reg))
			continue; /* its place would be of no use */
		for (uint32_t k = 0; k < x->words; k++)
			for (const struct range *r = a->lives[x->first_unit + k].first; r;
			     r = r->next)
				length += r->to - r->from;
		if (length <= 4 * x->words && v != vreg)
			continue;
		cost = (double)a->weights[v] / (double)length;
		if (!best || cost < least) {
			best = v;
			least = cost;
		}
	}
	return best;
}

/* Long ones first: single words find their places between them. */
static int by_turn(const struct alloc *a, uint32_t x, uint32_t y)
{
	const struct gcn_vreg *v = &a->f->vregs[x], *w = &a->f->vregs[y];
	bool first = v->class == GCN_VECTOR && v->words > 1,
	     second = w->class == GCN_VECTOR && w->words > 1;

	if (first != second)
		return first ? -1 : 1;
	if (a->begins[x] != a->begins[y])
		return a->begins[x] < a->begins[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void sort(const struct alloc *a, uint32_t *v, uint32_t n, uint32_t *space)
{
	uint32_t half = n / 2, i = 0, j = half;

	if (n < 2)
		return;
	sort(a, v, half, space);
	sort(a, v + half, n - half, space);
	memcpy(space, v, n * sizeof(*v));
	for (uint32_t k = 0; k < n; k++)
		v[k] = j >= n || (i < half && by_turn(a, space[i], space[j]) < 0) ? space[i++]
										  : space[j++];
}

/* Which registers things come in is known by now, as far as it goes. */
static void fix(struct gcn_func *f)
{
	const bool kernel = f->ir->kind == IR_KERNEL;
	const uint32_t at[GCN_COMES] = {
		[GCN_KERNARG] = amd_user_sgpr(&f->start, AMD_KERNARG_SEGMENT_PTR),
		[GCN_GROUP_X] = kernel ? amd_group_id_sgpr(&f->start, 0) : GCN_PASSED_GROUP,
		[GCN_GROUP_Y] = kernel ? amd_group_id_sgpr(&f->start, 1) : GCN_PASSED_GROUP + 1,
		[GCN_GROUP_Z] = kernel ? amd_group_id_sgpr(&f->start, 2) : GCN_PASSED_GROUP + 2,
		[GCN_THREAD_Y] = 1,
		[GCN_THREAD_Z] = 2,
		[GCN_HIDDEN] = GCN_PASSED_HIDDEN,
		[GCN_THREADS] = GCN_PASSED_THREADS,
		[GCN_RETURN] = GCN_RETURN_TO,
	};

	for (uint32_t k = 0; k < GCN_COMES; k++)
		if (f->come[k]) {
			f->vregs[f->come[k]].fixed = (int16_t)at[k];
			f->vregs[f->come[k]].comes = true;
		}
}

/* A register that is to go gives its place to others. */
static void give_up(struct alloc *a, uint32_t vreg)
{
	struct gcn_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; v->assigned && k < v->words; k++) {
		struct owner **o = &a->owners[v->class][v->reg + k];

		while ((*o)->unit != v->first_unit + k)
			o = &(*o)->next;
		*o = (*o)->next;
	}
	v->assigned = false;
	a->begins[vreg] = UINT32_MAX;
	for (uint32_t k = 0; k < v->words; k++)
		a->lives[v->first_unit + k].first = NULL;
	a->spills[a->nspills++] = vreg;
}

/* Finds those that have to go, if any. */
static void assign_all(struct alloc *a)
{
	struct gcn_func *f = a->f;
	uint32_t count = 0, *order = arena_array(f->arena, f->nvregs + 1, sizeof(*order));

	fix(f);
	gcn_liveness(f);
	find_ranges(a);
	a->leader = arena_array(f->arena, f->nvregs, sizeof(*a->leader));
	for (uint32_t v = 1; v < f->nvregs; v++)
		a->leader[v] = v;
	if (a->sharing)
		share_all(a);
	for (uint32_t v = 1; v < f->nvregs; v++) {
		f->vregs[v].assigned = false;
		if (f->vregs[v].fixed >= 0 && a->begins[v] != UINT32_MAX)
			take(a, v, (uint32_t)f->vregs[v].fixed);
		else if (a->begins[v] != UINT32_MAX)
			order[count++] = v;
	}
	sort(a, order, count, arena_array(f->arena, count + 1, sizeof(*order)));
	for (uint32_t k = 0; k < count; k++)
		while (a->begins[order[k]] != UINT32_MAX && !assign(a, order[k])) {
			uint32_t spill = choose_spill(a, order[k]);

			a->stuck = !spill || a->sharing;
			if (!spill || a->nspills == MOST_SPILLS || a->sharing)
				return;
			give_up(a, spill);
		}
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (a->leader[v] != v) {
			f->vregs[v].reg = f->vregs[leader_of(a, v)].reg;
			f->vregs[v].assigned = true;
		}
}

/* An instruction that moves a word to or from a lane. */
static void write_lane(const struct gcn_func *f, struct gcn_inst *i)
{
	const struct gcn_vreg *v = i->npassed ? &f->vregs[i->passed[0].ref.vreg] : NULL;
	struct gcn_src lane;

	if (!v || v->class != GCN_LANE)
		return;
	lane = gcn_imm(v->reg % GCN_BANK_LANES);
	i->ref[i->passed[0].write ? AMD_D : AMD_S0].vreg = f->banks[v->reg / GCN_BANK_LANES];
	i->in.reg[AMD_S1] = lane.reg;
}

static void write_down(struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			write_lane(f, i);
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
				const struct gcn_vreg *v = &f->vregs[i->ref[slot].vreg];

				if (i->ref[slot].vreg)
					i->in.reg[slot] =
						(uint16_t)(v->reg + i->ref[slot].part +
							   (v->class == GCN_VECTOR ? AMD_VGPR : 0));
			}
		}
}

/* Copies between registers that turned out to be the same: nobody has to wait for their sources. */
static void drop_copies(struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i)
			if (i->copy && i->in.reg[AMD_D] == i->in.reg[AMD_S0])
				gcn_remove(f, b, i);
}

#define MOST_ROUNDS 200

/* All that are written, those of functions for whoever keeps the caller's. */
static void note_used(struct gcn_func *f)
{
	memset(f->used, 0, sizeof(f->used));
	for (uint32_t v = 1; v < f->nvregs; v++)
		for (uint32_t k = 0;
		     f->vregs[v].class != GCN_LANE && f->vregs[v].assigned && k < f->vregs[v].words;
		     k++)
			f->used[f->vregs[v].class][(f->vregs[v].reg + k) / 64] |=
				UINT64_C(1) << (f->vregs[v].reg + k) % 64;
}

bool gcn_registers(struct gcn_func *f)
{
	bool few = f->job->options.spill, sharing = true;
	uint32_t few_vgprs = f->calls ? GCN_FEW_VGPRS_CALLING : GCN_FEW_VGPRS, saves, lanes;

	for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
		struct alloc a = {.f = f,
				  .limit = {few ? GCN_FEW_SGPRS : GCN_SGPRS,
					    few ? few_vgprs : GCN_VGPRS, GCN_LANES}};
		struct arena_mark mark = arena_mark(f->arena);

		a.sharing = sharing;
		a.stack = f->calls || f->ir->kind == IR_FUNCTION;
		assign_all(&a);
		note_used(f);
		saves = f->ir->kind == IR_KERNEL ? 0 : gcn_scalars_to_save(f);
		lanes = a.used[GCN_LANE] > saves ? a.used[GCN_LANE] : saves;
		if (!a.nspills && !a.stuck && f->nsaves >= saves &&
		    f->nbanks * GCN_BANK_LANES >= lanes) {
			write_down(f);
			drop_copies(f);
			f->sgprs = a.used[GCN_SCALAR];
			f->vgprs = a.used[GCN_VECTOR];
			return true;
		}
		arena_rewind(f->arena, mark);
		if (a.stuck && sharing) {
			sharing = false;
			continue;
		}
		for (uint32_t k = 0; k < a.nspills; k++)
			gcn_spill(f, a.spills[k]);
		if (!a.nspills && a.stuck)
			break;
		if (!a.nspills && f->nsaves < saves)
			f->nsaves = saves;
		gcn_need_lanes(f, lanes);
	}
	diag_error(&f->job->diag, 0, 0,
		   "'%s' does not fit into registers, whatever goes to memory: a fault of the "
		   "compiler",
		   f->ir->name);
	return false;
}
