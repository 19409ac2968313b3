// SPDX-License-Identifier: MIT
/*
 * Live-range splitting for alignment. If no aligned pair or quad is free although there are as many
 * registers, moves inserted before the instruction clear a group that is almost free. A register is
 * moved as a whole, or one unit of it if the instructions from there on access that unit alone: the
 * last live word of a quad, for example. Only units whose remaining mentions are in the block can
 * be moved: these are renamed.
 */
#include "libsov/compiler/nv/regalloc.h"

/* Units of a register; none: units is 0. */
struct piece {
	uint32_t vreg, part, units;
};

/* A live range split before an instruction: from there to the end of its block, a copy takes the
 * place of a piece. */
struct split {
	struct piece old;
	uint32_t block, copy;
	struct mir_inst *first; /* the first move to the copy */
	struct split *next;
};

static const uint32_t max_splits[SPARE_KINDS] = {
	[SPARE_SINGLE] = MAX_SINGLE_SPLITS, [SPARE_PAIR] = MAX_PAIR_SPLITS};

static void rename_from(struct mir_inst *from, const struct piece *old, const struct piece *now)
{
	for (struct mir_inst *i = from; i; i = i->next) {
		bool found = false;

		for (uint32_t k = 0; k < i->sass.nops; k++) {
			struct mir_ref *r = &i->ref[k];

			if (r->vreg != old->vreg || r->part < old->part ||
			    r->part >= old->part + old->units)
				continue;
			found = true;
			*r = (struct mir_ref){now->vreg,
					      (uint8_t)(r->part - old->part + now->part)};
		}
		if (found)
			mir_collect_uses(i, i->uses);
	}
}

static bool can_move_unit(const struct allocator *a, uint32_t vreg, uint32_t part)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];
	uint32_t unit = v->first_unit + part;

	return a->gpr.owner[v->reg + part] == unit + 1 && !a->gpr.promised[v->reg + part] &&
	       a->last_mention[unit] != AT_END &&
	       (a->defined_in[unit] != a->block || a->defined_at[unit] < a->stuck_at->number);
}

static bool is_accessed_alone(const struct allocator *a, uint32_t vreg, uint32_t part)
{
	for (struct mir_inst *i = a->stuck_at; i; i = i->next) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(a->f, i, &n);

		for (uint32_t u = 0; u < n; u++)
			if (uses[u].ref.vreg == vreg && uses[u].count > 1 &&
			    uses[u].ref.part <= part && part < uses[u].ref.part + uses[u].count)
				return false;
	}
	return true;
}

/* What to move so that the register of the unit becomes free. */
static struct piece find_piece(const struct allocator *a, uint32_t unit)
{
	uint32_t vreg = a->f->unit_vreg[unit], part, k = 0;
	const struct mir_vreg *v = &a->f->vregs[vreg];

	part = unit - v->first_unit;
	if (v->first_def == a->stuck_at)
		return (struct piece){0};
	if (v->units < a->stuck_units) {
		while (k < v->units && can_move_unit(a, vreg, k))
			k++;
		if (k == v->units)
			return (struct piece){vreg, 0, v->units};
	}
	if (v->units > 1 && can_move_unit(a, vreg, part) && is_accessed_alone(a, vreg, part))
		return (struct piece){vreg, part, 1};
	return (struct piece){0};
}

/* Units to move so that the group becomes free; 0: impossible. */
static uint32_t count_moves(const struct allocator *a, uint32_t group)
{
	uint32_t moved = 0, free_outside = 0;

	for (uint32_t r = group; r < group + a->stuck_units; r++) {
		uint32_t owner = a->gpr.owner[r];

		if (a->stuck_barred && bitset_has(a->stuck_barred, r))
			return 0;
		if (!owner)
			continue;
		if (owner == RESERVED || !find_piece(a, owner - 1).units)
			return 0;
		moved++;
	}
	for (uint32_t r = 0; r < a->gpr.count; r++)
		free_outside += !a->gpr.owner[r] && (r < group || r >= group + a->stuck_units);
	return free_outside >= moved ? moved : 0;
}

/* Registers for the copy, outside of the group that is to become free, and not those of the
 * instruction's sources, which it reads after the move. */
static bool choose_outside(struct allocator *a, uint32_t group, const struct piece *p,
			   uint32_t *reg)
{
	struct reg_file file = a->gpr;
	uint32_t n;
	const struct mir_use *uses = mir_uses(a->f, a->stuck_at, &n);

	file.barred = nv_barred_registers(a, p->vreg);
	/* The copy stays in the block. */
	if (nv_block_gprs(a->f, a->block) < a->gpr_count)
		file.count = nv_block_gprs(a->f, a->block);
	else
		file.count = a->gpr_count;
	for (uint32_t k = 0; k < a->stuck_units; k++)
		file.owner[group + k] = RESERVED;
	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; !uses[u].write && uses[u].ref.vreg &&
				     uses[u].kind == SASS_GPR && k < uses[u].count;
		     k++)
			file.owner[a->f->vregs[uses[u].ref.vreg].reg + uses[u].ref.part + k] =
				RESERVED;
	}
	return nv_choose_tight(&file, p->units, reg);
}

static void insert_moves(struct allocator *a, struct split *s)
{
	struct mir_func *f = a->f;

	for (uint32_t k = 0; k < s->old.units; k++) {
		struct mir_ref from = {s->old.vreg, (uint8_t)(s->old.part + k)};
		struct mir_inst *move =
			mir_move(f, mir_reg(SASS_GPR, (struct mir_ref){s->copy, (uint8_t)k}),
				 mir_reg(SASS_GPR, from));

		mir_insert(f, s->block, a->stuck_at, move);
		mir_cache_uses(f, move);
		move->number = a->stuck_at->number;
		if (!k)
			f->vregs[s->copy].first_def = s->first = move;
	}
	f->live = true; /* the sets do not change */
}

/* The copy takes the place of the piece. */
static void occupy_copy(struct allocator *a, const struct split *s, uint32_t reg)
{
	struct mir_vreg *copy = &a->f->vregs[s->copy];
	const struct mir_vreg *old = &a->f->vregs[s->old.vreg];

	copy->reg = (uint8_t)reg;
	copy->assigned = true;
	a->calls.changed[s->copy] = a->calls.changed[s->old.vreg];
	a->calls.avoided[s->copy] = a->calls.avoided[s->old.vreg];
	if (reg + s->old.units > a->gpr.used)
		a->gpr.used = reg + s->old.units;
	for (uint32_t k = 0; k < s->old.units; k++) {
		uint32_t unit = copy->first_unit + k;

		a->gpr.owner[old->reg + s->old.part + k] = 0;
		a->gpr.owner[reg + k] = unit + 1;
		a->last_mention[unit] = a->last_mention[old->first_unit + s->old.part + k];
		a->defined_in[unit] = 0;
	}
}

/* Moves a piece out of a group before the instruction at which the assignment is. */
static bool split_piece(struct allocator *a, uint32_t group, struct piece p)
{
	uint32_t kind = p.units == 1 ? SPARE_SINGLE : SPARE_PAIR, reg;
	struct split *s;

	if (!p.units || p.units > 2 || a->nsplits[kind] == max_splits[kind] ||
	    !choose_outside(a, group, &p, &reg))
		return false;
	s = arena_alloc(a->f->arena, sizeof(*s));
	*s = (struct split){.block = a->block, .old = p, .next = a->splits};
	s->copy = a->first_spare[kind] + a->nsplits[kind]++;
	a->splits = s;
	rename_from(a->stuck_at, &p, &(struct piece){s->copy, 0, p.units});
	insert_moves(a, s);
	occupy_copy(a, s, reg);
	return true;
}

void nv_undo_splits(struct allocator *a)
{
	struct mir_func *f = a->f;

	for (const struct split *s = a->splits; s; s = s->next) {
		struct mir_inst *i = s->first;

		for (uint32_t k = 0; k < s->old.units; k++) {
			struct mir_inst *next = i->next;

			mir_remove(f, s->block, i);
			i = next;
		}
		rename_from(i, &(struct piece){s->copy, 0, s->old.units}, &s->old);
	}
	f->live = true;
	a->splits = NULL;
	a->nsplits[SPARE_SINGLE] = a->nsplits[SPARE_PAIR] = 0;
}

bool nv_split_at(struct allocator *a)
{
	uint32_t best = 0, best_moves = UINT32_MAX;

	if (a->stuck_units == 1)
		return false;
	for (uint32_t r = 0; r + a->stuck_units <= a->gpr.count;
	     r += sass_register_alignment(a->stuck_units)) {
		uint32_t moves = count_moves(a, r);

		if (moves && moves < best_moves) {
			best = r;
			best_moves = moves;
		}
	}
	for (uint32_t r = best; best_moves != UINT32_MAX && r < best + a->stuck_units; r++) {
		if (a->gpr.owner[r] && !split_piece(a, best, find_piece(a, a->gpr.owner[r] - 1)))
			return false;
	}
	return best_moves != UINT32_MAX;
}
