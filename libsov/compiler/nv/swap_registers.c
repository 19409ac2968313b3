// SPDX-License-Identifier: MIT
/*
 * Exchanges of registers after assignment, for loops with products of matrices: their registers are
 * packed, and recolouring for an aligned group may part a sum or a factor from its phi, so that the
 * loop's end copies it back. For such a copy, two aligned groups of registers change places for the
 * value and for all values that could otherwise be in one of them at the same time: those that are
 * live together with it in either group, those that are live together with these, and so on (a
 * Kempe chain). The assignment stays correct; it is kept if fewer units are copied on the edges of
 * phis, weighted by loop depth.
 */
#include "libsov/compiler/nv/regalloc.h"

enum {
	MAX_ROUNDS = 4,
	MAX_LIVE = 32,         /* values that overlap the groups at one point */
	MAX_VISITS = 1u << 22, /* instructions, in all attempts of a function */
	MAX_WEIGHTED_DEPTH = 4,
};

struct live_value {
	uint32_t vreg;
	uint64_t parts; /* that are live */
};

struct swap {
	struct mir_func *f;
	uint32_t a, b, units; /* the first registers of both groups, and their size */
	uint64_t *chain;      /* set of the vregs that change sides */
	uint32_t *members, nmembers;
	struct live_value now[MAX_LIVE];
	uint32_t nnow;
	uint32_t visits;
	bool failed;
};

static bool overlaps(const struct mir_vreg *v, uint32_t group, uint32_t units)
{
	return v->reg < group + units && group < (uint32_t)v->reg + v->units;
}

static bool lies_within(const struct mir_vreg *v, uint32_t group, uint32_t units)
{
	return v->reg >= group && v->reg + v->units <= group + units;
}

static void join_chain(struct swap *s, uint32_t vreg)
{
	const struct mir_vreg *v = &s->f->vregs[vreg];

	if (bitset_has(s->chain, vreg))
		return;
	bitset_add(s->chain, vreg);
	s->members[s->nmembers++] = vreg;
	s->failed |= !lies_within(v, s->a, s->units) && !lies_within(v, s->b, s->units);
}

static struct live_value *find_live(struct swap *s, uint32_t vreg)
{
	for (uint32_t k = 0; k < s->nnow; k++)
		if (s->now[k].vreg == vreg)
			return &s->now[k];
	return NULL;
}

static void add_live(struct swap *s, uint32_t unit)
{
	uint32_t vreg = s->f->unit_vreg[unit];
	const struct mir_vreg *v = &s->f->vregs[vreg];
	struct live_value *l;

	if (v->kind != SASS_GPR || !v->assigned ||
	    (!overlaps(v, s->a, s->units) && !overlaps(v, s->b, s->units)))
		return;
	l = find_live(s, vreg);
	if (!l && s->nnow == MAX_LIVE) {
		s->failed = true;
		return;
	}
	if (!l) {
		l = &s->now[s->nnow++];
		*l = (struct live_value){.vreg = vreg};
	}
	l->parts |= 1ull << (unit - v->first_unit) % 64;
}

static void remove_live(struct swap *s, uint32_t vreg)
{
	struct live_value *l = find_live(s, vreg);

	if (l)
		*l = s->now[--s->nnow];
}

/* All values that overlap the groups at this point change sides if one does. */
static void join_live(struct swap *s)
{
	bool any = false;

	for (uint32_t k = 0; k < s->nnow; k++)
		any |= bitset_has(s->chain, s->now[k].vreg);
	for (uint32_t k = 0; k < s->nnow && any; k++)
		join_chain(s, s->now[k].vreg);
}

static void add_units(struct swap *s, uint32_t first, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		add_live(s, first + k);
}

/* From after an instruction to before it (nv_live_before). Its results are live together even if
 * nothing reads them. */
static void step_back(struct swap *s, struct mir_inst *i)
{
	const struct mir_func *f = s->f;
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

		if (uses[u].write && uses[u].ref.vreg)
			add_units(s, v->first_unit, v->units);
	}
	join_live(s);
	for (uint32_t u = 0; u < n; u++)
		if (uses[u].write && f->vregs[uses[u].ref.vreg].first_def == i)
			remove_live(s, uses[u].ref.vreg);
	for (uint32_t u = 0; u < n; u++)
		if (uses[u].ref.vreg &&
		    !(uses[u].write && f->vregs[uses[u].ref.vreg].first_def == i))
			add_units(s, mir_unit(f, uses[u].ref), uses[u].count);
	join_live(s);
}

static void walk_block(struct swap *s, uint32_t b)
{
	const struct mir_block *block = &s->f->blocks[b];

	s->nnow = 0;
	live_set_for_each(&block->live_out, unit) add_live(s, unit);
	join_live(s);
	for (struct mir_inst *i = block->last; i && !s->failed; i = i->prev, s->visits++)
		step_back(s, i);
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_vreg *v = &s->f->vregs[block->phis[p].vreg];

		add_units(s, v->first_unit, v->units);
	}
	join_live(s);
}

static bool find_chain(struct swap *s, uint32_t seed)
{
	uint32_t before;

	s->failed = false;
	while (s->nmembers)
		bitset_remove(s->chain, s->members[--s->nmembers]);
	join_chain(s, seed);
	do {
		before = s->nmembers;
		mir_for_each_block(s->f, b)
			if (!s->failed)
				walk_block(s, b);
	} while (!s->failed && s->nmembers > before);
	return !s->failed;
}

static void exchange(struct swap *s)
{
	for (uint32_t k = 0; k < s->nmembers; k++) {
		struct mir_vreg *v = &s->f->vregs[s->members[k]];
		bool in_a = lies_within(v, s->a, s->units);

		v->reg = (uint8_t)(in_a ? v->reg - s->a + s->b : v->reg - s->b + s->a);
	}
}

static bool is_copied(const struct mir_func *f, const struct mir_phi *phi, uint32_t k)
{
	const struct mir_vreg *v = &f->vregs[phi->vreg];
	struct mir_ref arg = phi->args[k].ref;

	return v->kind == SASS_GPR && arg.vreg && f->vregs[arg.vreg].kind == SASS_GPR &&
	       f->vregs[arg.vreg].reg + arg.part != v->reg + k % v->units;
}

static uint64_t count_copies(const struct mir_func *f)
{
	uint64_t cost = 0;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			uint32_t units = f->vregs[block->phis[p].vreg].units;

			for (uint32_t k = 0; k < block->npreds * units; k++) {
				uint32_t depth = f->blocks[block->preds[k / units]].depth;

				depth = depth < MAX_WEIGHTED_DEPTH ? depth : MAX_WEIGHTED_DEPTH;
				if (is_copied(f, &block->phis[p], k))
					cost += 1ull << 3 * depth;
			}
		}
	}
	return cost;
}

static bool is_reserved(const struct mir_func *f, uint32_t group, uint32_t units)
{
	uint32_t scratch = mir_scratch_reg(f);

	return group + units > f->gprs || (scratch >= group && scratch < group + units) ||
	       (f->stack && MIR_STACK >= group && MIR_STACK < group + units);
}

/* Exchanges the group of a value with the one from register to on. */
static bool try_group(struct swap *s, uint32_t vreg, int to)
{
	const struct mir_vreg *v = &s->f->vregs[vreg];
	uint64_t before;

	s->units = sass_register_alignment(v->units);
	if (v->units > 4 || to < 0 || (uint32_t)to % s->units || (uint32_t)to == v->reg ||
	    s->visits > MAX_VISITS)
		return false;
	s->a = v->reg;
	s->b = (uint32_t)to;
	if (is_reserved(s->f, s->a, s->units) || is_reserved(s->f, s->b, s->units) ||
	    !find_chain(s, vreg))
		return false;
	before = count_copies(s->f);
	exchange(s);
	if (count_copies(s->f) < before)
		return true;
	exchange(s);
	return false;
}

static bool improve_phi(struct swap *s, const struct mir_block *block, const struct mir_phi *phi)
{
	const struct mir_func *f = s->f;
	uint32_t units = f->vregs[phi->vreg].units;
	bool improved = false;

	for (uint32_t k = 0; k < block->npreds * units; k++) {
		struct mir_ref arg = phi->args[k].ref;
		int distance = (int)(k % units) - (int)arg.part;

		if (f->blocks[block->preds[k / units]].depth < block->depth ||
		    !is_copied(f, phi, k))
			continue;
		improved |= try_group(s, arg.vreg, f->vregs[phi->vreg].reg + distance) ||
			    try_group(s, phi->vreg, f->vregs[arg.vreg].reg - distance);
	}
	return improved;
}

static bool multiplies(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if (sass_is_matrix_product(&i->sass))
			return true;
	return false;
}

void nv_swap_registers(struct mir_func *f)
{
	struct swap s = {.f = f};
	bool improved = true, products = false;

	mir_for_each_block(f, b)
		products |= f->blocks[b].depth && multiplies(f, b);
	/* Registers of calls, and those that warps move, have other conditions, too. */
	if (!products || nv_has_group_products(f) || f->calls || f->own || f->start_registers ||
	    f->ir->kind != IR_KERNEL)
		return;
	f->live = false;
	nv_liveness(f);
	s.chain = bitset_new(f->arena, f->nvregs);
	s.members = arena_array(f->arena, f->nvregs, sizeof(*s.members));
	for (uint32_t round = 0; round < MAX_ROUNDS && improved; round++) {
		improved = false;
		mir_for_each_block(f, b) {
			const struct mir_block *block = &f->blocks[b];

			for (uint32_t p = 0; p < block->nphis && block->depth; p++)
				improved |= improve_phi(&s, block, &block->phis[p]);
		}
	}
}
