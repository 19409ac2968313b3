// SPDX-License-Identifier: MIT
/*
 * Recolouring. Registers are assigned in dominance order, when the alignment of later values is
 * unknown, so single registers may end up in every quad. If no aligned group is free for a result,
 * values that occupy an almost free group get other registers, everywhere: their assignment changes
 * from their definition on, so no instruction is needed.
 *
 * A value may have another register if no value that was assigned to it interferes. On SSA form two
 * values interfere exactly if one is live after the definition of the other, so it suffices to look
 * at two program points; an index of definitions and deaths answers whether a unit is live there.
 *
 * If only values that are not live at the result keep a value from another register, they may get
 * other ones in exchange.
 */
#include "libsov/compiler/nv/regalloc.h"

/* Groups that are tried for a result, and values that get other registers in a function: bounds of
 * the time that this takes. */
#define MAX_GROUPS       64
#define MAX_RECOLOURINGS 512
/* Values that get other registers for another one. */
#define MAX_EVICTED      4

struct death { /* position of the last mention in a block that the unit does not leave alive */
	uint32_t block, at;
	const struct death *next;
};

struct live_index {
	/* By unit: its definition, AT_START for phis, and how many there are. */
	uint32_t *block, *at, *definitions;
	const struct death **deaths;
};

static void index_definition(struct live_index *x, uint32_t unit, uint32_t b, uint32_t at)
{
	x->block[unit] = b;
	x->at[unit] = at;
	x->definitions[unit]++;
}

static void index_mention(const struct mir_func *f, struct live_index *x, uint32_t unit, uint32_t b,
			  uint32_t at)
{
	struct death *d;

	if (live_set_has(&f->blocks[b].live_out, unit) ||
	    (x->deaths[unit] && x->deaths[unit]->block == b))
		return;
	d = arena_alloc(f->arena, sizeof(*d));
	*d = (struct death){.block = b, .at = at, .next = x->deaths[unit]};
	x->deaths[unit] = d;
}

/* Backwards: the first mention found is the last. */
static void index_block(const struct mir_func *f, struct live_index *x, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];
	uint32_t at = 0;

	mir_for_each(f, b, i)
		at++;
	for (struct mir_inst *i = block->last; i; i = i->prev, at--) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		for (uint32_t u = 0; u < n; u++) {
			uint32_t unit = mir_unit(f, uses[u].ref);

			for (uint32_t k = 0; uses[u].ref.vreg && k < uses[u].count; k++) {
				index_mention(f, x, unit + k, b, at);
				if (uses[u].write)
					index_definition(x, unit + k, b, at);
			}
		}
	}
	for (uint32_t p = 0; p < block->nphis; p++)
		for (uint32_t k = 0; k < f->vregs[block->phis[p].vreg].units; k++)
			index_definition(x, f->vregs[block->phis[p].vreg].first_unit + k, b,
					 AT_START);
}

static struct live_index *index_live_ranges(const struct mir_func *f)
{
	struct live_index *x = arena_alloc(f->arena, sizeof(*x));

	x->block = arena_array(f->arena, f->nunits + 1, sizeof(*x->block));
	x->at = arena_array(f->arena, f->nunits + 1, sizeof(*x->at));
	x->definitions = arena_array(f->arena, f->nunits + 1, sizeof(*x->definitions));
	x->deaths = arena_array(f->arena, f->nunits + 1, sizeof(struct death *));
	mir_for_each_block(f, b)
		index_block(f, x, b);
	return x;
}

static bool is_live_after(const struct allocator *a, uint32_t b, uint32_t at, uint32_t unit)
{
	const struct live_index *x = a->ranges;
	const struct mir_block *block = &a->f->blocks[b];

	if (x->block[unit] == b ? x->at[unit] > at : !live_set_has(&block->live_in, unit))
		return false;
	if (live_set_has(&block->live_out, unit))
		return true;
	for (const struct death *d = x->deaths[unit]; d; d = d->next)
		if (d->block == b)
			return d->at > at;
	return false;
}

static bool interfere(const struct allocator *a, uint32_t u, uint32_t v)
{
	const struct live_index *x = a->ranges;

	return (x->block[u] == x->block[v] && x->at[u] == x->at[v]) ||
	       is_live_after(a, x->block[u], x->at[u], v) ||
	       is_live_after(a, x->block[v], x->at[v], u);
}

/* Copies are defined between two positions, so their interference is unknown. */
static bool is_copy(const struct allocator *a, uint32_t vreg)
{
	return vreg >= a->first_spare[SPARE_SINGLE] &&
	       vreg < a->first_spare[SPARE_PAIR] + MAX_PAIR_SPLITS;
}

/* Each unit was defined before the place where the assignment is, exactly once. */
static bool can_recolour(const struct allocator *a, uint32_t vreg)
{
	const struct live_index *x = a->ranges;
	const struct mir_vreg *v = &a->f->vregs[vreg];
	uint32_t position = a->stuck_at ? a->stuck_at->number : AT_START;

	if (v->units > 2 || is_copy(a, vreg) || (a->stuck_at && v->first_def == a->stuck_at))
		return false;
	for (uint32_t k = 0; k < v->units; k++) {
		uint32_t unit = v->first_unit + k;

		if (x->definitions[unit] != 1 || a->gpr.promised[v->reg + k] ||
		    (x->block[unit] == a->block && x->at[unit] && x->at[unit] >= position))
			return false;
	}
	return true;
}

/* Nothing else has a part of its registers here. */
static bool has_all_registers(const struct allocator *a, uint32_t vreg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; k < v->units; k++) {
		uint32_t owner = a->gpr.owner[v->reg + k];

		if (owner && owner != v->first_unit + k + 1)
			return false;
	}
	return true;
}

/* Marks the registers that the vreg may not have as reserved. */
static void bar_interfering(const struct allocator *a, uint32_t vreg, struct reg_file *file)
{
	const struct mir_func *f = a->f;
	const struct mir_vreg *v = &f->vregs[vreg];

	for (uint32_t w = 1; w < f->nvregs; w++) {
		const struct mir_vreg *other = &f->vregs[w];

		if (w == vreg || !other->assigned || other->kind != SASS_GPR)
			continue;
		for (uint32_t k = 0; k < other->units; k++) {
			uint32_t reg = other->reg + k, unit = other->first_unit + k;
			uint32_t mine = v->first_unit + (v->units == 2 ? reg % 2 : 0);

			if (file->owner[reg] == RESERVED ||
			    (!is_copy(a, w) && !a->ranges->definitions[unit]))
				continue;
			if (is_copy(a, w) || a->ranges->definitions[unit] > 1 ||
			    interfere(a, mine, unit))
				file->owner[reg] = RESERVED;
		}
	}
}

static void give_register(struct allocator *a, struct mir_vreg *v, uint32_t reg)
{
	for (uint32_t k = 0; k < v->units; k++) {
		if (a->gpr.owner[v->reg + k] != v->first_unit + k + 1)
			continue;
		a->gpr.owner[v->reg + k] = 0;
		a->gpr.owner[reg + k] = v->first_unit + k + 1;
	}
	v->reg = (uint8_t)reg;
	if (reg + v->units > a->gpr.used)
		a->gpr.used = reg + v->units;
}

/* Gives the vreg the best of the registers that are free in file and that nothing has which
 * interferes. */
static bool recolour_within(struct allocator *a, uint32_t vreg, struct reg_file *file)
{
	struct mir_vreg *v = &a->f->vregs[vreg];
	uint32_t reg;

	if (a->recolourings == MAX_RECOLOURINGS || !can_recolour(a, vreg))
		return false;
	a->recolourings++;
	file->barred = nv_barred_registers(a, vreg);
	file->count = nv_registers_of(a, vreg);
	for (uint32_t r = 0; r < file->count; r++)
		if (a->gpr.promised[r])
			file->owner[r] = RESERVED;
	bar_interfering(a, vreg, file);
	if (!nv_choose_tight(file, v->units, &reg))
		return false;
	give_register(a, v, reg);
	return true;
}

static bool is_live_here(const struct allocator *a, uint32_t vreg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	for (uint32_t k = 0; k < v->units; k++)
		if (a->gpr.owner[v->reg + k] == v->first_unit + k + 1)
			return true;
	return false;
}

/* For a vreg that is not live here. */
static bool recolour_elsewhere(struct allocator *a, uint32_t vreg)
{
	struct reg_file file = a->gpr;

	for (uint32_t r = 0; r < a->gpr_count; r++)
		if (file.owner[r] != RESERVED)
			file.owner[r] = 0;
	return recolour_within(a, vreg, &file);
}

/* The vregs elsewhere that keep a vreg out of registers that are free here; their number, or
 * MAX_EVICTED + 1 if there are more or some cannot change. */
static uint32_t list_interfering(const struct allocator *a, uint32_t vreg, uint32_t reg,
				 uint32_t list[MAX_EVICTED])
{
	const struct mir_func *f = a->f;
	const struct mir_vreg *v = &f->vregs[vreg];
	uint32_t n = 0;

	for (uint32_t w = 1; w < f->nvregs; w++) {
		const struct mir_vreg *other = &f->vregs[w];
		bool interferes = false;

		if (w == vreg || !other->assigned || other->kind != SASS_GPR ||
		    other->reg >= reg + v->units || reg >= other->reg + other->units)
			continue;
		for (uint32_t k = 0; k < v->units; k++) {
			uint32_t part = reg + k - other->reg, unit = other->first_unit + part;

			if (reg + k < other->reg || part >= other->units)
				continue;
			if (is_copy(a, w) || a->ranges->definitions[unit] > 1)
				return MAX_EVICTED + 1;
			interferes |= a->ranges->definitions[unit] &&
				      interfere(a, v->first_unit + k, unit);
		}
		if (interferes && n == MAX_EVICTED)
			return MAX_EVICTED + 1;
		if (interferes)
			list[n++] = w;
	}
	return n;
}

/* Gives the vreg a register that is free here, and what has it elsewhere another one, possibly the
 * vreg's own. */
static bool exchange(struct allocator *a, uint32_t vreg, uint32_t reg)
{
	struct mir_vreg *vregs = a->f->vregs;
	uint32_t evicted[MAX_EVICTED], before[MAX_EVICTED], old = vregs[vreg].reg, n, k = 0;

	if (a->recolourings == MAX_RECOLOURINGS)
		return false;
	a->recolourings++;
	n = list_interfering(a, vreg, reg, evicted);
	if (n > MAX_EVICTED)
		return false;
	give_register(a, &vregs[vreg], reg);
	for (; k < n; k++) {
		before[k] = vregs[evicted[k]].reg;
		if (is_live_here(a, evicted[k]) || !recolour_elsewhere(a, evicted[k]))
			break;
	}
	if (k == n)
		return true;
	while (k-- > 0)
		give_register(a, &vregs[evicted[k]], before[k]);
	give_register(a, &vregs[vreg], old);
	return false;
}

/* Registers outside of the group that are free here. */
static bool is_free_here(const struct allocator *a, uint32_t vreg, uint32_t reg, uint32_t group)
{
	const uint64_t *barred = nv_barred_registers(a, vreg);

	for (uint32_t r = reg; r < reg + a->f->vregs[vreg].units; r++)
		if (a->gpr.owner[r] || a->gpr.promised[r] ||
		    (r >= group && r < group + a->stuck_units) || (barred && bitset_has(barred, r)))
			return false;
	return true;
}

/* Gives the vreg a register outside of the group. */
static bool recolour(struct allocator *a, uint32_t vreg, uint32_t group)
{
	uint32_t units = a->f->vregs[vreg].units;
	struct reg_file file = a->gpr;

	if (!has_all_registers(a, vreg))
		return false;
	for (uint32_t r = group; r < group + a->stuck_units; r++)
		file.owner[r] = RESERVED;
	if (recolour_within(a, vreg, &file))
		return true;
	if (!a->exchanging || !can_recolour(a, vreg))
		return false;
	for (uint32_t r = 0; r + units <= nv_registers_of(a, vreg); r += units)
		if (is_free_here(a, vreg, r, group) && exchange(a, vreg, r))
			return true;
	return false;
}

static bool is_barred(const struct allocator *a, uint32_t group)
{
	for (uint32_t r = group; r < group + a->stuck_units; r++)
		if (a->gpr.owner[r] == RESERVED || a->gpr.promised[r] ||
		    (a->stuck_barred && bitset_has(a->stuck_barred, r)))
			return true;
	return false;
}

static bool clear_group(struct allocator *a, uint32_t group)
{
	for (uint32_t r = group; r < group + a->stuck_units; r++)
		if (a->gpr.owner[r] && !recolour(a, a->f->unit_vreg[a->gpr.owner[r] - 1], group))
			return false;
	return true;
}

/* Tries the groups with the fewest occupied registers first. */
bool nv_recolour_at(struct allocator *a)
{
	uint32_t tried = 0;

	if (!a->ranges)
		a->ranges = index_live_ranges(a->f);
	for (uint32_t wanted = 1; wanted <= a->stuck_units; wanted++) {
		for (uint32_t g = 0; g + a->stuck_units <= a->gpr.count;
		     g += sass_register_alignment(a->stuck_units)) {
			uint32_t occupied = 0;

			for (uint32_t k = 0; k < a->stuck_units; k++)
				occupied += a->gpr.owner[g + k] != 0;
			if (occupied != wanted || is_barred(a, g))
				continue;
			if (clear_group(a, g))
				return true;
			if (++tried == MAX_GROUPS)
				return false;
		}
	}
	return false;
}
