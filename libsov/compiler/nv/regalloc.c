// SPDX-License-Identifier: MIT
/*
 * Register assignment on SSA form (Hack et al.): blocks are visited in dominance order, so at a
 * definition every live value already has its register and any free, aligned register will do.
 * Affinities between a phi and its arguments coalesce their copies. Other registers are assigned
 * round-robin within a window sized by the register pressure, because reusing a just-freed register
 * would make its next writer wait for its last reader (write after read).
 *
 * Spilling runs before (spill.c) and counts registers but not alignment. If no aligned pair or quad
 * is free, assignment restarts with tight packing, in which values may be recoloured (recolour.c)
 * and live ranges split (split_ranges.c); if that fails, too, the caller spills more and tries
 * again. One register stays reserved as scratch for cycles of parallel copies, and R1 is the stack
 * pointer of functions with a frame.
 */
#include <string.h>
#include "libsov/compiler/nv/regalloc.h"

/* Arguments of a phi that are examined: see is_awaited(). */
#define MAX_ARGUMENTS 8

/* Rotating through more registers than the pressure avoids waits for memory instructions that read
 * late, but more than this share brings little. */
#define SLACK(pressure) (4 + (pressure) / 8)

static struct reg_file *reg_file_of(struct allocator *a, uint32_t vreg)
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

/* As nv_is_free() for a register some of whose units are defined later in the block: those may be
 * occupied until exactly that point. The high word of a sum thus reuses the register of an
 * operand's high word. */
static bool will_be_free(const struct allocator *a, const struct reg_file *reg_file, uint32_t vreg,
			 uint32_t reg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	if (reg % sass_register_alignment(v->units) || reg + v->units > reg_file->count ||
	    reg_file->owner[reg] || (reg_file->bank != BANK_ANY && reg % 2 != reg_file->bank) ||
	    (reg_file->barred && bitset_has(reg_file->barred, reg)))
		return false;
	for (uint32_t k = 1; k < v->units; k++) {
		uint32_t owner = reg_file->owner[reg + k], unit = v->first_unit + k;
		uint32_t position = a->defined_in[unit] == a->block ? a->defined_at[unit] : 0;

		if (reg_file->barred && bitset_has(reg_file->barred, reg + k))
			return false;
		if (owner &&
		    (owner == RESERVED || !position || a->last_mention[owner - 1] != position))
			return false;
	}
	return true;
}

/* Register of an affine vreg, or of one affine to that within steps: the arguments of a phi find
 * each other while the phi is unassigned. */
static bool choose_affine(struct allocator *a, uint32_t vreg, uint32_t from, int distance,
			  uint32_t steps, uint32_t *reg)
{
	const struct mir_func *f = a->f;

	for (const struct affinity *n = a->affinities[from]; n; n = n->next) {
		int wanted = f->vregs[n->other].reg + n->distance + distance;

		/* Uniform pairs and single registers stay in separate areas: see
		 * choose_separate(). */
		if (f->vregs[vreg].kind == SASS_UGPR &&
		    (f->vregs[n->other].units != f->vregs[vreg].units ||
		     f->vregs[n->other].temporary != f->vregs[vreg].temporary))
			continue;
		if (!f->vregs[n->other].assigned) {
			if (steps && choose_affine(a, vreg, n->other, n->distance + distance,
						   steps - 1, reg))
				return true;
			continue;
		}
		if (wanted < 0 || !will_be_free(a, reg_file_of(a, vreg), vreg, (uint32_t)wanted))
			continue;
		*reg = (uint32_t)wanted;
		return true;
	}
	return false;
}

/* Whether the assignment is at the definition of a value that does not leave the block, and the
 * pressure leaves room until the block's end. Rotating it then fragments the register file only
 * where that has room. */
static bool is_local_with_room(const struct allocator *a, uint32_t vreg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];
	uint32_t peak;

	if (!a->rotate_local || !a->stuck_at || v->kind != SASS_GPR)
		return false;
	for (uint32_t k = 0; k < v->units; k++) {
		if (a->last_mention[v->first_unit + k] == AT_END)
			return false;
	}
	peak = a->peaks[a->stuck_at->number] + nv_reserved_gprs(a->f);
	return peak + SLACK(peak) <= a->gpr.window;
}

static bool choose_gpr(struct allocator *a, uint32_t vreg, uint32_t *reg)
{
	uint32_t units = a->f->vregs[vreg].units;

	if ((!a->tight || is_local_with_room(a, vreg)) &&
	    nv_choose_round_robin(&a->gpr, units, reg))
		return true;
	return a->tight && nv_choose_tight(&a->gpr, units, reg);
}

static bool choose_register(struct allocator *a, uint32_t vreg, uint32_t *reg)
{
	struct reg_file *reg_file = reg_file_of(a, vreg);

	if (reg_file == &a->ugpr) {
		bool found = nv_choose_uniform(a, vreg, reg);

		a->f->retry_without_uniform |= !found && a->f->uniform_temporaries;
		return found;
	}
	if (reg_file == &a->pred)
		return nv_choose_round_robin(reg_file, a->f->vregs[vreg].units, reg);
	if (a->costly && !reg_file->barred) {
		bool found;

		reg_file->barred = a->costly;
		found = choose_gpr(a, vreg, reg);
		reg_file->barred = NULL;
		if (found)
			return true;
	}
	return choose_gpr(a, vreg, reg);
}

static bool has_convention(const struct mir_func *f)
{
	return f->own && f->own->abi;
}

const uint64_t *nv_barred_registers(const struct allocator *a, uint32_t vreg)
{
	return a->saving ? a->calls.changed[vreg] : a->calls.avoided[vreg];
}

static bool choose_in_bank(struct allocator *a, uint32_t vreg, enum bank bank, uint32_t *reg)
{
	struct reg_file *reg_file = reg_file_of(a, vreg);
	bool found;

	reg_file->bank = bank;
	found = choose_affine(a, vreg, vreg, 0, 0, reg) ||
		choose_affine(a, vreg, vreg, 0, 1, reg) || choose_register(a, vreg, reg);
	reg_file->bank = BANK_ANY;
	return found;
}

static bool choose_unbarred(struct allocator *a, uint32_t vreg, const uint64_t *barred,
			    uint32_t *reg)
{
	struct reg_file *reg_file = reg_file_of(a, vreg);
	enum bank bank = a->stuck_at ? nv_wanted_bank(a, vreg) : BANK_ANY;
	bool found;

	reg_file->barred = barred;
	found = (bank != BANK_ANY && choose_in_bank(a, vreg, bank, reg)) ||
		choose_in_bank(a, vreg, BANK_ANY, reg);
	reg_file->barred = NULL;
	return found;
}

/* Avoids costly registers, too. A function with NVIDIA's calling convention rather saves registers
 * around a call that hardly ever runs than others at its entry. */
static bool choose_cheap(struct allocator *a, uint32_t vreg, const uint64_t *barred, uint32_t *reg)
{
	uint64_t both[NV_CHANGE_WORDS];

	for (uint32_t w = 0; w < NV_CHANGE_WORDS; w++)
		both[w] = a->costly[w] | (barred ? barred[w] : 0);
	return choose_unbarred(a, vreg, both, reg);
}

/* Of the registers that are not barred, rather one that no call changes around which registers may
 * be saved. */
static bool choose_for(struct allocator *a, uint32_t vreg, uint32_t *reg)
{
	const uint64_t *barred = nv_barred_registers(a, vreg), *avoided = a->calls.avoided[vreg];
	bool differs = avoided != barred && !a->indifferent;

	if (differs && has_convention(a->f) &&
	    (choose_cheap(a, vreg, avoided, reg) || choose_cheap(a, vreg, barred, reg)))
		return true;
	return (differs && choose_unbarred(a, vreg, avoided, reg)) ||
	       choose_unbarred(a, vreg, barred, reg);
}

/* The sums of an asynchronous product are added to in place: the result has the register of the
 * addend, which is dead (nv_copy_live_sums). 0: the result may have any register. */
static uint32_t tied_vreg(const struct allocator *a, uint32_t vreg)
{
	const struct mir_inst *i = a->stuck_at;

	if (!i || !sass_is_group_product(&i->sass) || i->ref[0].vreg != vreg)
		return 0;
	return i->ref[nv_addend_operand(i)].vreg;
}

static bool choose_tied(struct allocator *a, uint32_t vreg, uint32_t *reg)
{
	uint32_t tied = tied_vreg(a, vreg);

	if (!tied)
		return choose_for(a, vreg, reg);
	*reg = a->f->vregs[tied].reg;
	return nv_is_free(&a->gpr, *reg, a->f->vregs[vreg].units);
}

static bool assign_vreg(struct allocator *a, uint32_t vreg)
{
	struct mir_vreg *v = &a->f->vregs[vreg];
	struct reg_file *reg_file = reg_file_of(a, vreg);
	uint32_t reg;

	if (reg_file == &a->gpr)
		reg_file->count = nv_registers_of(a, vreg);
	if (!choose_tied(a, vreg, &reg))
		return false;
	v->reg = (uint8_t)reg;
	v->assigned = true;
	if (reg + v->units > reg_file->used)
		reg_file->used = reg + v->units;
	for (uint32_t k = 0; k < v->units; k++) {
		if (!reg_file->owner[reg + k])
			reg_file->owner[reg + k] = v->first_unit + k + 1;
		else
			reg_file->promised[reg + k] = true;
	}
	return true;
}

static bool is_defined_later(const struct allocator *a, uint32_t vreg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	return !v->assigned && a->defined_in[v->first_unit] == a->block;
}

/* Whether the block defines a value later that belongs to the register of this one: the next value
 * of a loop variable, if this one is the variable, a step on the way to its next value in the same
 * register, or another argument of the phi. */
static bool is_awaited(const struct allocator *a, uint32_t vreg)
{
	const struct mir_func *f = a->f;

	for (const struct affinity *n = a->affinities[vreg]; n; n = n->next) {
		const struct mir_vreg *other = &f->vregs[n->other];
		uint32_t left = MAX_ARGUMENTS;

		if (!n->other || (other->assigned && other->reg != f->vregs[vreg].reg))
			continue;
		if (f->vregs[vreg].phi && is_defined_later(a, n->other))
			return true;
		for (const struct affinity *m = a->affinities[n->other]; m && left;
		     m = m->next, left--)
			if (is_defined_later(a, m->other))
				return true;
	}
	return false;
}

/* Frees the register of a unit; a second call is a no-op. */
static void free_unit(struct allocator *a, struct mir_ref r)
{
	struct mir_vreg *v = &a->f->vregs[r.vreg];
	struct reg_file *reg_file = reg_file_of(a, r.vreg);

	if (reg_file->owner[v->reg + r.part] != mir_unit(a->f, r) + 1)
		return;
	reg_file->owner[v->reg + r.part] = 0;
	reg_file->awaited[v->reg + r.part] = is_awaited(a, r.vreg);
}

/* Sources are read before results are written, so an instruction's own operands do not count. */
static void note_late_reads(struct allocator *a, const struct mir_inst *i, struct mir_ref r,
			    uint32_t count)
{
	struct reg_file *reg_file = reg_file_of(a, r.vreg);
	uint32_t reg = a->f->vregs[r.vreg].reg + r.part;

	for (uint32_t k = 0; k < count; k++)
		reg_file->read_late[reg + k] = i->memory.bytes ? a->passed + i->number : 0;
}

static void note_definition(struct allocator *a, uint32_t unit, uint32_t position)
{
	a->defined_at[unit] = position;
	a->defined_in[unit] = a->block;
}

/* Records the last mention of each unit. Phis are at AT_START; the branch condition and live-out
 * units are at AT_END. */
static void find_last_mentions(struct allocator *a, const struct mir_block *block)
{
	const struct mir_func *f = a->f;
	uint32_t position = 1;

	for (uint32_t p = 0; p < block->nphis; p++) {
		for (uint32_t k = 0; k < f->vregs[block->phis[p].vreg].units; k++)
			a->last_mention[f->vregs[block->phis[p].vreg].first_unit + k] = AT_START;
	}
	for (struct mir_inst *i = block->first; i; i = i->next, position++) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		i->number = position;
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r = uses[u].ref;

			for (uint32_t k = 0; uses[u].write && r.vreg && k < uses[u].count; k++)
				note_definition(a, mir_unit(f, r) + k, position);
		}
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r = uses[u].ref;
			bool leads = uses[u].write && f->vregs[r.vreg].first_def == i;
			uint32_t from = leads ? 0 : r.part;
			uint32_t count = leads ? f->vregs[r.vreg].units : uses[u].count;

			for (uint32_t k = 0; r.vreg && k < count; k++)
				a->last_mention[f->vregs[r.vreg].first_unit + from + k] = position;
		}
	}
	live_set_for_each(&block->live_out, unit) a->last_mention[unit] = AT_END;
	if (block->cond.ref.vreg)
		a->last_mention[mir_unit(f, block->cond.ref)] = AT_END;
}

static void find_peaks(struct allocator *a, const struct mir_block *block)
{
	if (!a->rotate_local || !block->last)
		return;
	a->peaks = arena_grow(a->f->arena, a->peaks, &a->peaks_capacity, block->last->number + 1,
			      sizeof(*a->peaks));
	nv_block_peaks(a->f, a->block, &a->live, a->peaks);
}

static void free_dead_units(struct allocator *a, struct mir_ref r, uint32_t count,
			    uint32_t position)
{
	for (uint32_t k = 0; k < count; k++, r.part++) {
		if (a->last_mention[mir_unit(a->f, r)] == position)
			free_unit(a, r);
	}
}

/* Units defined after the first definition: their registers were reserved then. */
static void occupy_reserved(struct allocator *a, struct mir_ref r, uint32_t count)
{
	struct reg_file *reg_file = reg_file_of(a, r.vreg);

	for (uint32_t k = 0; k < count; k++) {
		uint32_t reg = a->f->vregs[r.vreg].reg + r.part + k;

		reg_file->owner[reg] = mir_unit(a->f, r) + k + 1;
		reg_file->promised[reg] = false;
	}
}

static bool assign_inst(struct allocator *a, struct mir_inst *i)
{
	const struct mir_func *f = a->f;
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	/* Sources are read before results are written, so a result may reuse a source's
	 * register. */
	a->gpr.position = a->passed + i->number;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write || !uses[u].ref.vreg)
			continue;
		note_late_reads(a, i, uses[u].ref, uses[u].count);
		free_dead_units(a, uses[u].ref, uses[u].count, i->number);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].ref.vreg && f->vregs[uses[u].ref.vreg].first_def != i)
			occupy_reserved(a, uses[u].ref, uses[u].count);
	}
	for (uint32_t u = 0; u < n; u++) {
		uint32_t v = uses[u].ref.vreg;

		if (!uses[u].write || !v || f->vregs[v].first_def != i || f->vregs[v].assigned)
			continue;
		a->stuck_at = i;
		a->stuck_units = f->vregs[v].units;
		a->stuck_barred = nv_barred_registers(a, v);
		while (!assign_vreg(a, v)) {
			if (f->vregs[v].kind != SASS_GPR || !a->splitting ||
			    (!nv_recolour_at(a) && !nv_split_at(a)))
				return false;
		}
	}
	for (uint32_t u = 0; u < n; u++) {
		struct mir_ref r = uses[u].ref;

		if (!uses[u].write || !r.vreg)
			continue;
		if (f->vregs[r.vreg].first_def == i)
			free_dead_units(a, (struct mir_ref){r.vreg, 0}, f->vregs[r.vreg].units,
					i->number);
		else
			free_dead_units(a, r, uses[u].count, i->number);
	}
	return true;
}

static bool assign_phi(struct allocator *a, uint32_t vreg)
{
	const struct mir_vreg *v = &a->f->vregs[vreg];

	a->stuck_at = NULL;
	a->stuck_units = v->units;
	a->stuck_barred = nv_barred_registers(a, vreg);
	return assign_vreg(a, vreg) ||
	       (v->kind == SASS_GPR && a->splitting && nv_recolour_at(a) && assign_vreg(a, vreg));
}

/* Keeps the register of a loop's phi for its next value, if this block computes that. */
static void await_next_value(struct allocator *a, const struct mir_phi *phi, uint32_t k)
{
	const struct mir_vreg *v = &a->f->vregs[phi->vreg];
	uint32_t next = phi->args[k * v->units].ref.vreg;

	if (!v->assigned || !next || !is_defined_later(a, next))
		return;
	for (uint32_t u = 0; u < v->units; u++)
		reg_file_of(a, phi->vreg)->awaited[v->reg + u] = true;
}

static void await_next_values_of(struct allocator *a, uint32_t from, uint32_t to)
{
	const struct mir_block *block = &a->f->blocks[to];

	for (uint32_t n = 0; n < block->nphis * block->npreds; n++)
		if (block->preds[n % block->npreds] == from)
			await_next_value(a, &block->phis[n / block->npreds], n % block->npreds);
}

/* A critical edge has an empty block of its own. */
static void await_next_values(struct allocator *a, uint32_t b)
{
	const struct mir_block *block = &a->f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++) {
		uint32_t to = block->succ[s];
		const struct mir_block *next = &a->f->blocks[to];

		if (next->first || next->nsucc != 1)
			await_next_values_of(a, b, to);
		else
			await_next_values_of(a, to, next->succ[0]);
	}
}

static bool assign_block(struct allocator *a, uint32_t b)
{
	struct mir_func *f = a->f;
	const struct mir_block *block = &f->blocks[b];

	memset(a->gpr.owner, 0, sizeof(a->gpr.owner));
	memset(a->pred.owner, 0, sizeof(a->pred.owner));
	memset(a->ugpr.owner, 0, sizeof(a->ugpr.owner));
	memset(a->gpr.promised, 0, sizeof(a->gpr.promised));
	memset(a->gpr.awaited, 0, sizeof(a->gpr.awaited));
	memset(a->pred.awaited, 0, sizeof(a->pred.awaited));
	if (f->stack)
		a->gpr.owner[MIR_STACK] = RESERVED;
	a->gpr.owner[mir_scratch_reg(f)] = RESERVED;
	if (f->calls || f->ir->kind == IR_FUNCTION)
		a->gpr.owner[MIR_RETURN] = a->gpr.owner[MIR_RETURN + 1] = RESERVED;
	live_set_for_each(&block->live_in, unit)
	{
		uint32_t v = f->unit_vreg[unit];

		reg_file_of(a, v)->owner[f->vregs[v].reg + unit - f->vregs[v].first_unit] =
			unit + 1;
	}
	a->block = b;
	find_last_mentions(a, block);
	nv_note_readers(a, block);
	find_peaks(a, block);
	await_next_values(a, b);
	for (uint32_t p = 0; p < block->nphis; p++) {
		if (!assign_phi(a, block->phis[p].vreg))
			return false;
	}
	for (uint32_t p = 0; p < block->nphis; p++)
		free_dead_units(a, (struct mir_ref){block->phis[p].vreg, 0},
				f->vregs[block->phis[p].vreg].units, AT_START);
	mir_for_each(f, b, i) {
		if (!assign_inst(a, i))
			return false;
	}
	a->passed += block->last ? block->last->number : 0;
	return true;
}

static uint8_t register_of(const struct mir_func *f, struct mir_ref r)
{
	return (uint8_t)(f->vregs[r.vreg].reg + r.part);
}

static void rewrite_operands(struct mir_func *f)
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
				if (i->uniform.vreg && i->sass.ops[k].kind == SASS_ADDR &&
				    i->sass.ops[k].aux != SASS_NO_UREG)
					i->sass.ops[k].aux = register_of(f, i->uniform);
			}
			if (i->guard.vreg)
				i->sass.guard = f->vregs[i->guard.vreg].reg;
			if (i->uses) /* same uses, now with registers */
				mir_collect_uses(i, i->uses);
		}
	}
	f->allocated = true;
}

#define MAX_MERGED 12 /* instructions of a block that if-conversion may merge */

uint32_t nv_reserved_gprs(const struct mir_func *f)
{
	bool function = f->ir->kind == IR_FUNCTION;

	/* Before the allocation it is not known whether registers are saved around calls. */
	return (f->stack || (f->calls && !f->allocated)) +
	       (f->stack && mir_scratch_reg(f) == (MIR_STACK ^ 1)) + 2 * (f->calls || function);
}

static bool assign_blocks(struct allocator *a)
{
	struct mir_func *f = a->f;
	uint32_t count, *order = mir_reverse_postorder(f, &count);

	for (uint32_t v = 1; v < f->nvregs; v++)
		f->vregs[v].assigned = false;
	a->gpr.cursor = a->gpr.used = a->passed = 0;
	memset(a->gpr.read_late, 0, sizeof(a->gpr.read_late));
	for (uint32_t k = 0; k < count; k++) {
		if (!assign_block(a, order[k]))
			return false;
	}
	return true;
}

/* A function of the compiler's own whose callers have NVIDIA's calling convention: what it changes
 * they have to preserve. */
static bool is_outlined_for_convention(const struct mir_func *f)
{
	return f->job->options.relocatable && f->ir->preserve_all;
}

static uint64_t *preserved_registers(const struct mir_func *f)
{
	uint64_t *set = bitset_new(f->arena, 64 * NV_CHANGE_WORDS);

	for (uint32_t r = 0; r < MIR_GPRS; r++)
		if (nv_abi_preserves(r))
			bitset_add(set, r);
	return set;
}

static void find_live_ranges(struct allocator *a)
{
	struct mir_func *f = a->f;

	nv_liveness(f);
	a->live = unit_set_new(f->arena, f->nunits);
	a->last_mention = arena_array(f->arena, f->nunits + 1, sizeof(*a->last_mention));
	a->defined_at = arena_array(f->arena, f->nunits + 1, sizeof(*a->defined_at));
	a->defined_in = arena_array(f->arena, f->nunits + 1, sizeof(*a->defined_in));
	a->affinities = arena_array(f->arena, f->nvregs, sizeof(*a->affinities));
	a->first_reader = arena_array(f->arena, f->nvregs, sizeof(*a->first_reader));
	nv_find_changed(f, &a->calls);
	if (a->calls.calls || has_convention(f))
		a->costly = a->calls.unchanged;
	else if (is_outlined_for_convention(f))
		a->costly = preserved_registers(f);
	nv_find_affinities(a);
	nv_find_highest(a);
}

static void add_spares(struct allocator *a)
{
	static const uint32_t counts[] = {
		[SPARE_SINGLE] = MAX_SINGLE_SPLITS, [SPARE_PAIR] = MAX_PAIR_SPLITS};

	if (a->first_spare[0])
		return;
	for (uint32_t kind = 0; kind < SPARE_KINDS; kind++) {
		a->first_spare[kind] = a->f->nvregs;
		for (uint32_t k = 0; k < counts[kind]; k++)
			mir_vreg_new(a->f, SASS_GPR, kind == SPARE_SINGLE ? 1 : 2);
	}
	a->f->live = false;
	find_live_ranges(a);
}

/* Packs all values, or with rotate_local those that leave their block or are defined where
 * registers are scarce. A rotation that splits live ranges is not worth its moves. */
static bool assign_packed(struct allocator *a, bool rotate_local)
{
	a->rotate_local = rotate_local;
	a->recolourings = 0;
	if (assign_blocks(a) &&
	    !(rotate_local && (a->nsplits[SPARE_SINGLE] || a->nsplits[SPARE_PAIR])))
		return true;
	if (a->splitting)
		nv_undo_splits(a);
	return false;
}

static bool assign_by_rotation(struct allocator *a, uint32_t window)
{
	a->gpr.window = window;
	a->gpr_count = a->f->gprs;
	a->tight = a->splitting = a->rotate_local = false;
	return assign_blocks(a) && a->gpr.used <= window;
}

/* As assign_within(), without splits. */
static bool assign_unsplit(struct allocator *a, uint32_t window)
{
	if (assign_by_rotation(a, window))
		return true;
	a->tight = true;
	a->gpr_count = window;
	return assign_packed(a, true) || assign_packed(a, false);
}

/* Assigns registers within a window: by rotation, or if pairs and quads do not fit, packed, if need
 * be with splits; then with single registers separate, with exchanges, and with both. */
static bool assign_within(struct allocator *a, uint32_t window, bool rotate)
{
	if (rotate && assign_by_rotation(a, window))
		return true;
	add_spares(a);
	a->tight = a->splitting = true;
	a->gpr.window = a->gpr_count = window;
	if (rotate && assign_packed(a, true))
		return true;
	for (uint32_t k = 0; k < 4; k++) {
		a->gpr.separate = k % 2;
		a->exchanging = k / 2;
		if (assign_packed(a, false))
			return true;
	}
	a->gpr.separate = a->exchanging = false;
	return false;
}

/* Within the occupancy that the pressure allows, all values keep clear of the registers that calls
 * change. */
static bool assign_clear(struct allocator *a, bool tight)
{
	struct mir_func *f = a->f;
	uint32_t reserved = nv_reserved_gprs(f);
	uint32_t window = nv_occupancy_window(f, nv_max_pressure(f) + reserved);
	uint32_t pressure = nv_max_clear_pressure(f) + reserved;
	uint32_t slack = pressure + SLACK(pressure);

	if (pressure > window)
		return false;
	return (!tight && slack < window && assign_unsplit(a, slack)) ||
	       assign_within(a, window, !tight);
}

/* Whether if-conversion may merge blocks with loads. Loads of merged blocks overlap if they have
 * different registers, which is worth all registers that the occupancy leaves. */
static bool loads_will_merge(const struct mir_func *f)
{
	uint32_t sides = 0;

	mir_for_each_block(f, b) {
		uint32_t count = 0;
		bool loads = false;

		if (f->blocks[b].npreds != 1 || f->blocks[b].nsucc != 1)
			continue;
		mir_for_each(f, b, i) {
			count++;
			loads |= i->memory.bytes && !(i->memory.effect & MIR_WRITES) &&
				 sass_pipe(f->sm, &i->sass) == SASS_PIPE_MEMORY;
		}
		sides += loads && count <= MAX_MERGED;
	}
	return sides > 1;
}

/* A function with NVIDIA's calling convention, as ptxas's, rather uses registers up to this number
 * than those that it would have to save. */
#define MAX_CONVENTION_WINDOW 64

/* Registers up to the last that the values take if they avoid those that the function saves. */
static uint32_t convention_window(const struct mir_func *f, uint32_t pressure)
{
	uint32_t window = 0;

	if (!has_convention(f) && !is_outlined_for_convention(f))
		return 0;
	for (; pressure && window < MAX_CONVENTION_WINDOW; window++)
		pressure -= !nv_abi_preserves(window);
	return window < f->gprs ? window : f->gprs;
}

static bool assign_all(struct allocator *a, bool tight)
{
	struct mir_func *f = a->f;
	uint32_t pressure = nv_max_pressure(f) + nv_reserved_gprs(f);
	uint32_t convention = convention_window(f, pressure);
	uint32_t window = nv_occupancy_window(f, pressure > convention ? pressure : convention);
	uint32_t slack = (pressure > convention ? pressure : convention) + SLACK(pressure);
	bool sparse = !tight && loads_will_merge(f);

	if (!tight && slack < window && !a->saving && !sparse && assign_unsplit(a, slack))
		return true;
	while (!assign_within(a, window, !tight)) {
		if (a->saving && !a->indifferent) {
			a->indifferent = true;
			continue;
		}
		if (window == f->gprs)
			return false;
		window = nv_occupancy_window(f, window + 1);
		a->indifferent = false;
	}
	return true;
}

bool nv_regalloc(struct mir_func *f, bool tight)
{
	struct allocator a = {.f = f, .pred = {.count = MIR_PREDS, .window = MIR_PREDS}};

	a.ugpr.count = MIR_UGPRS;
	a.gpr.bank = a.pred.bank = a.ugpr.bank = BANK_ANY;
	f->vregs[0].assigned = true; /* see struct affinity */
	/* Callers keep their values in registers that a function does not change. */
	tight |= f->own && !has_convention(f);
	find_live_ranges(&a);
	if (!a.calls.saving_calls || has_convention(f) || !assign_clear(&a, tight)) {
		a.saving = a.calls.saving_calls;
		f->stack |= a.saving;
		if (!assign_all(&a, tight))
			return false;
	}
	f->retry_sparse = f->hoped_registers && a.gpr.used + MIR_HARDWARE_GPRS > f->hoped_registers;
	nv_swap_registers(f);
	rewrite_operands(f);
	if (a.calls.saving_calls)
		nv_find_saved(f);
	return true;
}
