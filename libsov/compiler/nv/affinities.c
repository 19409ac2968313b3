// SPDX-License-Identifier: MIT
/*
 * Affinities: values that should share a register, so that no move is needed. The allocator tries
 * those that were added last first.
 */
#include "libsov/compiler/nv/regalloc.h"

/* Instructions that are visited on the way from the next value of a phi to the phi, and the longest
 * way. */
#define MAX_VISITS 256
#define MAX_STEPS  64
/* The operand of a product of matrices that it adds to. */
#define SUMS       3

static void add_affinity(struct allocator *a, uint32_t vreg, uint32_t other, int distance)
{
	struct affinity *n = arena_alloc(a->f->arena, sizeof(*n));

	*n = (struct affinity){.other = other, .distance = distance, .next = a->affinities[vreg]};
	a->affinities[vreg] = n;
}

/* Selects that become predicated instructions: see predication.c. */
static void find_select_affinities(struct allocator *a)
{
	struct mir_func *f = a->f;
	const uint32_t *counts = mir_count_reads(f);

	mir_for_each_block(f, b) {
		mir_for_each(f, b, i) {
			uint32_t k = nv_predicable_operand(f, i, counts);

			if (k)
				add_affinity(a, i->ref[0].vreg, i->ref[3 - k].vreg,
					     (int)i->ref[3 - k].part - (int)i->ref[0].part);
		}
	}
}

/* Registers of an operand by convention; NULL: register allocation chooses them. */
static const uint8_t *fixed_registers(const struct mir_func *f, const struct mir_inst *i,
				      uint32_t k)
{
	if (i->known)
		return nv_passed_registers(i, k);
	if (!f->own->abi)
		return NULL;
	return i->passed_reads ? f->own->results[k] : f->own->args[k];
}

/* What a call passes, where the callee expects it. */
static void find_passed_affinities(struct allocator *a)
{
	struct mir_func *f = a->f;

	mir_for_each_block(f, b) {
		mir_for_each(f, b, i) {
			for (uint32_t k = i->first_passed;
			     i->passes && !i->holds && k < i->sass.nops; k++) {
				uint32_t half = (uint32_t)i->sass.ops[k].value;
				const uint8_t *regs = fixed_registers(f, i, k - i->first_passed);

				if (i->ref[k].vreg && regs && regs[half] != NV_NOT_PASSED)
					add_affinity(a, i->ref[k].vreg, 0,
						     (int)regs[half] - (int)i->ref[k].part);
			}
		}
	}
}

/* The way from the next value of a phi back to the phi: values of which each replaces the one
 * before it, such as the partial sums of an unrolled loop. In the phi's register they leave that to
 * the next value, and the edge needs no copy. */
struct chain {
	struct allocator *a;
	const uint32_t *counts; /* of reads, by vreg */
	uint32_t phi;
	uint32_t visits; /* left */
};

/* Whether an instruction reads a whole value of the phi's kind and size. */
static bool reads_alike(const struct chain *c, const struct mir_use *use)
{
	const struct mir_vreg *phi = &c->a->f->vregs[c->phi], *v = &c->a->f->vregs[use->ref.vreg];

	return !use->write && use->ref.vreg && !use->ref.part && use->count == phi->units &&
	       v->kind == phi->kind && v->units == phi->units;
}

/* Whether the way begins at a product of matrices: its sums replace no others. */
static bool adds_to_zeros(const struct mir_inst *i)
{
	return sass_is_matrix_product(&i->sass) && !sass_is_group_product(&i->sass) &&
	       i->sass.ops[SUMS].kind == SASS_GPR && !i->ref[SUMS].vreg;
}

/* Whether the group that an instruction begins to define takes over the phi's unit by unit, as sums
 * that are scaled do. */
static bool replaces_unit(const struct chain *c, uint32_t vreg, const struct mir_use *uses,
			  uint32_t n)
{
	uint32_t units = c->a->f->vregs[c->phi].units, part = UINT32_MAX;
	bool found = false;

	for (uint32_t u = 0; u < n; u++)
		if (uses[u].write && uses[u].ref.vreg == vreg)
			part = uses[u].ref.part;
	for (uint32_t u = 0; u < n && units > 4; u++)
		found |= !uses[u].write && uses[u].ref.vreg == c->phi && uses[u].ref.part == part;
	return found && c->a->f->vregs[vreg].units == units;
}

/* Finds the way from a value that is defined by an instruction, first among its operands. */
static bool follow_chain(struct chain *c, uint32_t vreg, uint32_t steps)
{
	struct mir_inst *i = c->a->f->vregs[vreg].first_def;
	const struct mir_use *uses;
	bool found = false;
	uint32_t n;

	if (!i || i->memory.bytes || !steps || !c->visits)
		return false;
	c->visits--;
	uses = mir_uses(c->a->f, i, &n);
	found = adds_to_zeros(i) || replaces_unit(c, vreg, uses, n);
	for (uint32_t u = 0; u < n && !found; u++)
		found = reads_alike(c, &uses[u]) && uses[u].ref.vreg == c->phi;
	for (uint32_t u = 0; u < n && !found; u++)
		found = reads_alike(c, &uses[u]) && c->counts[uses[u].ref.vreg] == 1 &&
			follow_chain(c, uses[u].ref.vreg, steps - 1);
	if (found)
		add_affinity(c->a, vreg, c->phi, 0);
	return found;
}

static void find_chain_affinities(struct allocator *a)
{
	struct mir_func *f = a->f;
	struct chain c = {.a = a, .counts = mir_count_reads(f)};

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			uint32_t units;

			c.phi = block->phis[p].vreg;
			units = f->vregs[c.phi].units;
			for (uint32_t k = 0; k < block->npreds; k++) {
				c.visits = MAX_VISITS;
				follow_chain(&c, block->phis[p].args[k * units].ref.vreg,
					     MAX_STEPS);
			}
		}
	}
}

/* Sums that a chain of products of matrices adds to, in the register of the first of them. */
static void find_sum_affinities(struct allocator *a)
{
	struct mir_func *f = a->f;
	const uint32_t *counts = mir_count_reads(f);
	uint32_t *first = arena_array(f->arena, f->nvregs, sizeof(*first));

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t to = i->ref[0].vreg, from = i->ref[SUMS].vreg;

			if (!sass_is_matrix_product(&i->sass) || sass_is_group_product(&i->sass) ||
			    !from || counts[from] != 1 ||
			    f->vregs[from].units != f->vregs[to].units)
				continue;
			first[to] = first[from] ? first[from] : from;
			add_affinity(a, to, from, 0);
			add_affinity(a, to, first[to], 0);
		}
}

void nv_find_affinities(struct allocator *a)
{
	struct mir_func *f = a->f;

	if (a->calls.calls || f->own)
		find_passed_affinities(a);
	find_sum_affinities(a);
	find_chain_affinities(a); /* phis, which come last, take precedence */
	find_select_affinities(a);
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
