// SPDX-License-Identifier: MIT
/*
 * Register banks: even and odd registers are in different banks, and each bank delivers one operand
 * per cycle (Huerta et al., arXiv:2503.20481; ptxas's registers suit that). The FMA pipe takes an
 * instruction per cycle on most targets, so that a product and sum of three registers runs at full
 * rate only if one operand comes from the reuse cache and the other two from different banks. The
 * bank of a part of a pair or quad is known before its register is.
 */
#include "libsov/compiler/nv/regalloc.h"

/* Readers of a value that are examined. */
#define MAX_READERS 16

static bool is_operand(const struct mir_use *use)
{
	return !use->write && use->ref.vreg && use->kind == SASS_GPR && use->count == 1 &&
	       use->operand != SASS_USE_GUARD;
}

/* Factors change places: see reuse_flags.c. */
static bool is_factor(const struct mir_use *use)
{
	return use->operand == 1 || use->operand == 2;
}

static bool has_operand(const struct mir_func *f, struct mir_inst *i, const struct mir_use *like)
{
	uint32_t n;
	const struct mir_use *uses = i ? mir_uses(f, i, &n) : NULL;

	for (uint32_t u = 0; uses && u < n; u++) {
		if (is_operand(&uses[u]) && is_factor(&uses[u]) == is_factor(like) &&
		    uses[u].ref.vreg == like->ref.vreg && uses[u].ref.part == like->ref.part)
			return true;
	}
	return false;
}

/* Whether a neighbour reads the operand in the same slot. */
static bool is_reused(const struct mir_func *f, const struct mir_inst *i, const struct mir_use *use)
{
	return has_operand(f, i->prev, use) || has_operand(f, i->next, use);
}

static enum bank bank_of(const struct mir_func *f, struct mir_ref r)
{
	const struct mir_vreg *v = &f->vregs[r.vreg];

	if (v->units == 1 && !v->assigned)
		return BANK_ANY;
	return (v->assigned ? v->reg + r.part : r.part) % 2 ? BANK_ODD : BANK_EVEN;
}

/* An instruction of the FMA pipe with three registers. */
static bool is_product(const struct mir_func *f, const struct mir_inst *i,
		       const struct mir_use *uses, uint32_t n)
{
	uint32_t operands = 0;

	for (uint32_t u = 0; u < n; u++)
		operands += is_operand(&uses[u]);
	return operands == 3 && sass_pipe(f->sm, &i->sass) == SASS_PIPE_FMA;
}

void nv_note_readers(struct allocator *a, const struct mir_block *block)
{
	const struct mir_func *f = a->f;

	while (a->nreaders)
		a->first_reader[a->readers[--a->nreaders].vreg] = 0;
	for (struct mir_inst *i = block->depth ? block->last : NULL; i; i = i->prev) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);
		bool product = is_product(f, i, uses, n);

		for (uint32_t u = 0; product && u < n; u++) {
			uint32_t v = uses[u].ref.vreg;

			if (!is_operand(&uses[u]) || f->vregs[v].units != 1)
				continue;
			a->readers = arena_grow(f->arena, a->readers, &a->readers_capacity,
						++a->nreaders, sizeof(*a->readers));
			a->readers[a->nreaders - 1] = (struct reader){i, v, a->first_reader[v]};
			a->first_reader[v] = a->nreaders;
		}
	}
}

/* Counts the operands that an instruction reads beside a value, by bank, unless it has the value
 * from the reuse cache. */
static void count_others(const struct mir_func *f, struct mir_inst *i, uint32_t vreg,
			 int32_t count[BANK_ANY + 1])
{
	int32_t others[BANK_ANY + 1] = {0};
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		if (!is_operand(&uses[u]))
			continue;
		if (!is_reused(f, i, &uses[u]))
			others[bank_of(f, uses[u].ref)] += uses[u].ref.vreg != vreg;
		else if (uses[u].ref.vreg == vreg)
			return;
	}
	count[BANK_EVEN] += others[BANK_EVEN];
	count[BANK_ODD] += others[BANK_ODD];
}

enum bank nv_wanted_bank(const struct allocator *a, uint32_t vreg)
{
	const struct mir_func *f = a->f;
	int32_t count[BANK_ANY + 1] = {0};
	uint32_t left = MAX_READERS;

	if (f->vregs[vreg].kind != SASS_GPR || f->vregs[vreg].units != 1)
		return BANK_ANY;
	for (uint32_t r = a->first_reader[vreg]; r && left; r = a->readers[r - 1].next, left--)
		count_others(f, a->readers[r - 1].inst, vreg, count);
	if (count[BANK_EVEN] == count[BANK_ODD])
		return BANK_ANY;
	return count[BANK_EVEN] > count[BANK_ODD] ? BANK_ODD : BANK_EVEN;
}
