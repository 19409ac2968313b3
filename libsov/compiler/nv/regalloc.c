// SPDX-License-Identifier: MIT
/*
 * Register assignment on SSA form: blocks are visited dominators first, so at a register's first
 * write everything that is live there has its place already, and any free, aligned place will do.
 * Nothing is ever moved. Which place is taken decides how many copies phis leave behind: a phi and
 * its arguments look for each other's place first. Otherwise places are handed out in turn within
 * a window that the register pressure asks for anyway, because a register that was just given back
 * would make its next writer wait for its last reader.
 *
 * Spilling comes before (spill.c), and knows how many registers there are but not that pairs have
 * to be aligned: where that fails, places are handed out tightly instead, and if that does not help
 * either, the caller spills more and tries again. One register is kept for copies that go in
 * circles, and with a frame R1 points to it.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

struct affinity { /* reg(this vreg) should be reg(other) + distance */
	uint32_t other;
	int distance;
	struct affinity *next;
};

#define RESERVED UINT32_MAX

struct file {                /* registers of one kind */
	uint32_t count;      /* how many there are */
	uint32_t window;     /* how many to go around in */
	uint32_t turn;       /* where to look next */
	uint32_t owner[256]; /* 1 + unit; 0 = free; RESERVED */
	uint32_t needed;     /* at once, at most */
	uint32_t used;       /* the highest that was given, and one */
};

struct alloc {
	struct mir_func *f;
	struct file gpr, pred, ugpr;
	bool tight;        /* keep large aligned places free, rather than registers apart in time */
	uint32_t *last;    /* by unit, within the block: place of the last mention */
	uint32_t *written; /* … place where it is written, … */
	uint32_t *written_in; /* … if in this block */
	uint32_t block;
	struct affinity **affinities; /* by vreg */
};

static struct file *file_of(struct alloc *a, uint32_t vreg)
{
	switch (a->f->vregs[vreg].kind) {
	case SASS_PRED:
		return &a->pred;
	case SASS_UGPR:
		return &a->ugpr;
	default:
		return &a->gpr;
	}
}

static void add_affinity(struct alloc *a, uint32_t vreg, uint32_t other, int distance)
{
	struct affinity *n = arena_alloc(a->f->arena, sizeof(*n));

	*n = (struct affinity){.other = other, .distance = distance, .next = a->affinities[vreg]};
	a->affinities[vreg] = n;
}

static void find_affinities(struct alloc *a)
{
	struct mir_func *f = a->f;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			uint32_t vreg = block->phis[p].vreg, units = f->vregs[vreg].units;

			for (uint32_t k = 0; k < block->npreds * units; k++) {
				struct mir_ref arg = block->phis[p].args[k].ref;
				int distance = (int)arg.part - (int)(k % units);

				if (!arg.vreg)
					continue;
				add_affinity(a, vreg, arg.vreg, distance);
				add_affinity(a, arg.vreg, vreg, -distance);
			}
		}
	}
}

static bool is_free(const struct file *file, uint32_t reg, uint32_t units)
{
	if (reg % units || reg + units > file->count)
		return false;
	for (uint32_t k = 0; k < units; k++) {
		if (file->owner[reg + k])
			return false;
	}
	return true;
}

/* The same for a register of which further units are written later in the block: their places may
 * be in use until just then. The high word of a sum so takes the place of an operand's. */
static bool will_be_free(const struct alloc *a, const struct file *file, uint32_t vreg,
			 uint32_t reg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	if (reg % v->units || reg + v->units > file->count || file->owner[reg])
		return false;
	for (uint32_t k = 1; k < v->units; k++) {
		uint32_t owner = file->owner[reg + k], unit = v->first_unit + k;
		uint32_t place = a->written_in[unit] == a->block ? a->written[unit] : 0;

		if (owner && (owner == RESERVED || !place || a->last[owner - 1] != place))
			return false;
	}
	return true;
}

/* Where something related has its place, or something related to that: the arguments of a phi look
 * for each other while the phi has no place yet. */
static bool choose_affine(struct alloc *a, uint32_t vreg, uint32_t from, int distance,
			  uint32_t steps, uint32_t *reg)
{
	const struct mir_func *f = a->f;

	for (const struct affinity *n = a->affinities[from]; n; n = n->next) {
		int wish = f->vregs[n->other].reg + n->distance + distance;

		/* Pairs and single uniform registers keep to themselves: see choose_uniform(). */
		if (f->vregs[vreg].kind == SASS_UGPR &&
		    f->vregs[n->other].units != f->vregs[vreg].units)
			continue;
		if (!f->vregs[n->other].assigned) {
			if (steps && choose_affine(a, vreg, n->other, n->distance + distance,
						   steps - 1, reg))
				return true;
			continue;
		}
		if (wish < 0 || !will_be_free(a, file_of(a, vreg), vreg, (uint32_t)wish))
			continue;
		*reg = (uint32_t)wish;
		return true;
	}
	return false;
}

static bool choose_in_turn(struct file *file, uint32_t units, uint32_t *reg)
{
	for (uint32_t k = 0; k < file->window; k++) {
		uint32_t r = (file->turn + k) % file->window;

		if (!is_free(file, r, units))
			continue;
		file->turn = r + units;
		*reg = r;
		return true;
	}
	for (uint32_t r = 0; r < file->count; r++) {
		if (!is_free(file, r, units))
			continue;
		*reg = r;
		return true;
	}
	return false;
}

static uint32_t taken(const struct file *file, uint32_t from, uint32_t units)
{
	uint32_t n = 0;

	for (uint32_t r = from; r < from + units; r++)
		n += r >= file->count || file->owner[r];
	return n;
}

/* The place whose neighbours are taken most: first those that make a pair or a quad with it. */
static bool choose_tight(const struct file *file, uint32_t units, uint32_t *reg)
{
	uint32_t best = 0;

	for (uint32_t r = 0; r < file->count; r += units) {
		uint32_t score = 1 + 8 * taken(file, r & ~1u, 2) + taken(file, r & ~3u, 4);

		if (!is_free(file, r, units) || score <= best)
			continue;
		best = score;
		*reg = r;
	}
	return best;
}

/* Pairs from the lowest up, single ones from the highest down. Each kind then stays within as many
 * as there are of it in all, so none lacks a place while there are no more units than registers. */
static bool choose_uniform(const struct file *file, uint32_t units, uint32_t *reg)
{
	for (uint32_t k = 0; k < file->count; k++) {
		uint32_t r = units == 1 ? file->count - 1 - k : k;

		if (!is_free(file, r, units))
			continue;
		*reg = r;
		return true;
	}
	return false;
}

static bool choose(struct alloc *a, struct file *file, uint32_t units, uint32_t *reg)
{
	if (file == &a->ugpr)
		return choose_uniform(file, units, reg);
	return a->tight && file == &a->gpr ? choose_tight(file, units, reg)
					   : choose_in_turn(file, units, reg);
}

static bool assign(struct alloc *a, uint32_t vreg)
{
	struct mir_vreg *v = &a->f->vregs[vreg];
	struct file *file = file_of(a, vreg);
	uint32_t reg;

	if (!choose_affine(a, vreg, vreg, 0, 0, &reg) &&
	    !choose_affine(a, vreg, vreg, 0, 1, &reg) && !choose(a, file, v->units, &reg))
		return false;
	v->reg = (uint8_t)reg;
	v->assigned = true;
	if (reg + v->units > file->used)
		file->used = reg + v->units;
	for (uint32_t k = 0; k < v->units; k++) {
		if (!file->owner[reg + k])
			file->owner[reg + k] = v->first_unit + k + 1;
	}
	return true;
}

/* Gives back the register of a unit; many mentions, one gift. */
static void give_back(struct alloc *a, struct mir_ref r)
{
	struct mir_vreg *v = &a->f->vregs[r.vreg];
	struct file *file = file_of(a, r.vreg);

	if (file->owner[v->reg + r.part] == mir_unit(a->f, r) + 1)
		file->owner[v->reg + r.part] = 0;
}

#define AT_END   UINT32_MAX
#define AT_START 0

static void note_write(struct alloc *a, uint32_t unit, uint32_t place)
{
	a->written[unit] = place;
	a->written_in[unit] = a->block;
}

/* Notes where each unit is mentioned last. Phis are at AT_START, the block's own branch and
 * whatever lives on are AT_END. */
static void find_last_mentions(struct alloc *a, const struct mir_block *block)
{
	const struct mir_func *f = a->f;
	uint32_t place = 1;

	for (uint32_t p = 0; p < block->nphis; p++) {
		for (uint32_t k = 0; k < f->vregs[block->phis[p].vreg].units; k++)
			a->last[f->vregs[block->phis[p].vreg].first_unit + k] = AT_START;
	}
	for (struct mir_inst *i = block->first; i; i = i->next, place++) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		i->number = place;
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r = uses[u].ref;

			for (uint32_t k = 0; uses[u].write && r.vreg && k < uses[u].count; k++)
				note_write(a, mir_unit(f, r) + k, place);
		}
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r = uses[u].ref;
			bool leads = uses[u].write && f->vregs[r.vreg].leader == i;
			uint32_t from = leads ? 0 : r.part;
			uint32_t count = leads ? f->vregs[r.vreg].units : uses[u].count;

			for (uint32_t k = 0; r.vreg && k < count; k++)
				a->last[f->vregs[r.vreg].first_unit + from + k] = place;
		}
	}
	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = block->live_out[w]; bits; bits &= bits - 1)
			a->last[64 * w + (uint32_t)__builtin_ctzll(bits)] = AT_END;
	}
	if (block->cond.ref.vreg)
		a->last[mir_unit(f, block->cond.ref)] = AT_END;
}

static void give_back_dead(struct alloc *a, struct mir_ref r, uint32_t count, uint32_t place)
{
	for (uint32_t k = 0; k < count; k++, r.part++) {
		if (a->last[mir_unit(a->f, r)] == place)
			give_back(a, r);
	}
}

/* Units written after the first: their place was kept for them. */
static void take_place(struct alloc *a, struct mir_ref r, uint32_t count)
{
	struct file *file = file_of(a, r.vreg);

	for (uint32_t k = 0; k < count; k++)
		file->owner[a->f->vregs[r.vreg].reg + r.part + k] = mir_unit(a->f, r) + k + 1;
}

static bool assign_inst(struct alloc *a, struct mir_inst *i)
{
	const struct mir_func *f = a->f;
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	/* Sources are read before results are written, so a result may take a source's place. */
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && uses[u].ref.vreg)
			give_back_dead(a, uses[u].ref, uses[u].count, i->number);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].ref.vreg && f->vregs[uses[u].ref.vreg].leader != i)
			take_place(a, uses[u].ref, uses[u].count);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].ref.vreg && f->vregs[uses[u].ref.vreg].leader == i &&
		    !f->vregs[uses[u].ref.vreg].assigned && !assign(a, uses[u].ref.vreg))
			return false;
	}
	for (uint32_t u = 0; u < n; u++) {
		struct mir_ref r = uses[u].ref;

		if (!uses[u].write || !r.vreg)
			continue;
		if (f->vregs[r.vreg].leader == i)
			give_back_dead(a, (struct mir_ref){r.vreg, 0}, f->vregs[r.vreg].units,
				       i->number);
		else
			give_back_dead(a, r, uses[u].count, i->number);
	}
	return true;
}

static bool assign_block(struct alloc *a, uint32_t b)
{
	struct mir_func *f = a->f;
	const struct mir_block *block = &f->blocks[b];

	memset(a->gpr.owner, 0, sizeof(a->gpr.owner));
	memset(a->pred.owner, 0, sizeof(a->pred.owner));
	memset(a->ugpr.owner, 0, sizeof(a->ugpr.owner));
	if (f->stack)
		a->gpr.owner[MIR_STACK] = RESERVED;
	a->gpr.owner[mir_spare(f)] = RESERVED;
	if (f->calls || f->ir->kind == IR_FUNCTION)
		a->gpr.owner[MIR_RETURN] = a->gpr.owner[MIR_RETURN + 1] = RESERVED;
	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = block->live_in[w]; bits; bits &= bits - 1) {
			uint32_t unit = 64 * w + (uint32_t)__builtin_ctzll(bits);
			uint32_t v = f->unit_vreg[unit];

			file_of(a, v)->owner[f->vregs[v].reg + unit - f->vregs[v].first_unit] =
				unit + 1;
		}
	}
	a->block = b;
	find_last_mentions(a, block);
	for (uint32_t p = 0; p < block->nphis; p++) {
		if (!assign(a, block->phis[p].vreg))
			return false;
	}
	for (uint32_t p = 0; p < block->nphis; p++)
		give_back_dead(a, (struct mir_ref){block->phis[p].vreg, 0},
			       f->vregs[block->phis[p].vreg].units, AT_START);
	mir_for_each(f, b, i) {
		if (!assign_inst(a, i))
			return false;
	}
	return true;
}

/* The most units of general registers that are live at once. */
static void count_pressure(struct alloc *a)
{
	struct mir_func *f = a->f;
	uint64_t *live = arena_array(f->arena, mir_set_words(f) + 1, sizeof(*live));

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];
		uint32_t count = 0;

		memcpy(live, block->live_out, mir_set_words(f) * sizeof(*live));
		for (uint32_t w = 0; w < mir_set_words(f); w++) {
			for (uint64_t bits = live[w]; bits; bits &= bits - 1) {
				uint32_t unit = 64 * w + (uint32_t)__builtin_ctzll(bits);

				count += f->vregs[f->unit_vreg[unit]].kind == SASS_GPR;
			}
		}
		for (struct mir_inst *i = block->last; i; i = i->prev) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			if (count > a->gpr.needed)
				a->gpr.needed = count;
			for (uint32_t u = 0; u < n; u++) {
				const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];

				for (uint32_t k = 0; uses[u].write && v->leader == i &&
						     v->kind == SASS_GPR && k < v->units;
				     k++) {
					count -= mir_has(live, v->first_unit + k);
					mir_drop(live, v->first_unit + k);
				}
			}
			for (uint32_t u = 0; u < n; u++) {
				const struct mir_vreg *v = &f->vregs[uses[u].ref.vreg];
				uint32_t unit = mir_unit(f, uses[u].ref);

				for (uint32_t k = 0; (!uses[u].write || v->leader != i) &&
						     v->kind == SASS_GPR && k < uses[u].count;
				     k++) {
					count += !mir_has(live, unit + k);
					mir_add(live, unit + k);
				}
			}
		}
		if (count > a->gpr.needed)
			a->gpr.needed = count;
	}
}

static uint8_t register_of(const struct mir_func *f, struct mir_ref r)
{
	return (uint8_t)(f->vregs[r.vreg].reg + r.part);
}

static void write_down(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		struct mir_source *cond = &f->blocks[b].cond;

		if (cond->ref.vreg)
			cond->op.reg = f->vregs[cond->ref.vreg].reg;
		mir_for_each(f, b, i) {
			for (uint32_t k = 0; k < i->sass.nops; k++) {
				struct mir_ref r = i->ref[k];

				if (r.vreg)
					i->sass.ops[k].reg = register_of(f, r);
				if (i->uniform.vreg && i->sass.ops[k].kind == SASS_ADDR)
					i->sass.ops[k].aux = register_of(f, i->uniform);
			}
			if (i->guard.vreg)
				i->sass.guard = f->vregs[i->guard.vreg].reg;
			if (i->uses) /* as many as before, in registers now */
				mir_find_uses(i, i->uses);
		}
	}
	f->allocated = true;
}

/* With so many registers a thread, an SM still has as many threads as it can. */
#define FREE_OF_CHARGE 32

/* Registers are given to a kernel in groups of eight, two of all go to the hardware. What the
 * pressure leaves of the last group is free to use; a little more keeps pairs apart. */
static uint32_t window_for(uint32_t pressure, uint32_t count)
{
	uint32_t window = (pressure + 2 + 2 + 7) / 8 * 8 - 2;

	window = window < FREE_OF_CHARGE - 2 ? FREE_OF_CHARGE - 2 : window;
	return window < count ? window : count;
}

static bool assign_blocks(struct alloc *a)
{
	struct mir_func *f = a->f;
	uint32_t count, *order = mir_order(f, &count);

	for (uint32_t v = 1; v < f->nvregs; v++)
		f->vregs[v].assigned = false;
	a->gpr.turn = a->gpr.used = 0;
	for (uint32_t k = 0; k < count; k++) {
		if (!assign_block(a, order[k]))
			return false;
	}
	return true;
}

/* Where pairs and quads found no place within the window, they may if all others move closer together. That is
 * worth the waiting for registers that are used again soon while fewer registers mean many more threads. */
#define MANY 64

bool nv_regalloc(struct mir_func *f, bool tight)
{
	struct alloc a = {
		.f = f, .tight = tight, .gpr = {.count = f->gprs}, .pred = {.count = MIR_PREDS}};

	nv_liveness(f);
	a.last = arena_array(f->arena, f->nunits + 1, sizeof(*a.last));
	a.written = arena_array(f->arena, f->nunits + 1, sizeof(*a.written));
	a.written_in = arena_array(f->arena, f->nunits + 1, sizeof(*a.written_in));
	a.affinities = arena_array(f->arena, f->nvregs, sizeof(*a.affinities));
	find_affinities(&a);
	count_pressure(&a);
	a.gpr.window = window_for(a.gpr.needed + 2 * f->stack, a.gpr.count);
	a.pred.window = MIR_PREDS;
	a.ugpr.count = MIR_UGPRS;
	if (!assign_blocks(&a))
		return false;
	if (!tight && a.gpr.used > a.gpr.window && a.gpr.window <= MANY) {
		a.tight = true;
		a.gpr.count = a.gpr.window;
		if (!assign_blocks(&a)) {
			a.tight = false;
			a.gpr.count = f->gprs;
			assign_blocks(&a);
		}
	}
	write_down(f);
	return true;
}
