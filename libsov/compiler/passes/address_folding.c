// SPDX-License-Identifier: MIT
/*
 * Address folding: moves constant addends of an address into the offset of the memory instruction,
 * as far as the target's offset reaches. 64-bit addresses and offsets add modulo 2^64, so additions
 * can be reassociated. A 32-bit address is extended before the offset is added, and a 32-bit sum
 * may have wrapped before that; so the pass does not look through 32-bit addresses or addresses
 * extended from 32 bits.
 *
 *  - [(x + 8) + 4] becomes [x + 12].
 *  - [p + (i + 16)] becomes [(p + i) + 16] if the sum is used for addressing only, itself or after
 *    the addition of a constant: [p + i] and [p + (i + 8)] then share one sum.
 *  - x + 5000, x + 5008, … beyond the offset's range share one new base x + 4096, as does an offset
 *    that was out of range to begin with: afterwards the target can encode every offset.
 *  - A load from a constant parameter address needs no address register.
 *  - A remaining variable + constant becomes an address inside of the variable.
 */
#include <stdlib.h>
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

struct sum { /* base + offset */
	ir_val base;
	uint64_t offset;
};

struct far_access { /* a memory operation whose offset from its root is out of range */
	ir_id inst;
	ir_val root;
	uint64_t offset; /* from the root */
	bool must;       /* its current base is out of range too */
};

struct address_folding {
	struct ir_func *f;
	const struct target *target;
	struct uses uses;
	uint32_t *addressing;     /* by value: number of its uses in addresses */
	struct sum *reassociated; /* by value: p + (i + 16) as (p + i) + 16, computed on demand */
	struct far_access *far;
	uint32_t nfar, far_capacity;
	bool changed;
};

static bool is_encodable(const struct address_folding *a, uint64_t offset)
{
	return (int64_t)offset >= a->target->offset_min && (int64_t)offset <= a->target->offset_max;
}

/* Strips one addition of a constant. */
static bool strip_constant(const struct ir_func *f, struct sum *s)
{
	const struct ir_inst *d = ir_def(f, s->base);
	uint64_t c;

	if (d->op != IR_ADD)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		if (ir_is_const(f, d->args[k], &c)) {
			s->offset += c;
			s->base = d->args[!k];
			return true;
		}
	}
	return false;
}

/* Reassociates (p + c) + (i + d) to (p + i) + (c + d); false when the constants sum up to 0. */
static bool reassociate(struct address_folding *a, struct sum *s)
{
	struct ir_func *f = a->f;
	ir_id i = f->values[s->base].def;
	struct sum *known = &a->reassociated[s->base], part[2];
	uint64_t offset;

	if (ir_at(f, i)->op != IR_ADD)
		return false;
	if (!known->base && a->addressing[s->base] != a->uses.count[s->base])
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		part[k] = (struct sum){.base = ir_at(f, i)->args[k]};
		while (strip_constant(f, &part[k]))
			continue;
	}
	offset = part[0].offset + part[1].offset;
	if (!offset || !is_encodable(a, s->offset + offset))
		return false;
	if (!known->base) {
		ir_val bases[2] = {part[0].base, part[1].base};
		ir_id sum = uses_insert(&a->uses, i, IR_ADD, f->values[s->base].type, bases, 2);

		*known = (struct sum){.base = ir_at(f, sum)->res, .offset = offset};
	}
	s->offset += known->offset;
	s->base = known->base;
	return true;
}

static void set_address(struct address_folding *a, ir_id i, struct sum s)
{
	if (ir_at(a->f, i)->args[0] == s.base && ir_at(a->f, i)->imm == s.offset)
		return;
	uses_set_arg(&a->uses, i, 0, s.base);
	ir_at(a->f, i)->imm = s.offset;
	a->changed = true;
}

static void add_far(struct address_folding *a, struct far_access far_access)
{
	a->far = arena_grow(a->f->module->arena, a->far, &a->far_capacity, a->nfar + 1,
			    sizeof(*a->far));
	a->far[a->nfar++] = far_access;
}

/* Whether the load at this offset stays within the parameters. */
static bool is_param(const struct ir_func *f, const struct ir_inst *load, uint64_t offset)
{
	uint64_t bytes = (uint64_t)load->nres * ir_type_bits(load->from) / 8;

	return offset <= f->param_bytes && bytes <= f->param_bytes - offset;
}

static void fold_address(struct address_folding *a, ir_id i)
{
	const struct ir_inst *p = ir_at(a->f, i);
	struct sum s = {.base = p->args[0], .offset = p->imm}, best = s;
	uint64_t c;

	if (p->space == IR_PARAM && ir_is_const(a->f, s.base, &c) &&
	    is_param(a->f, p, c + p->imm)) {
		a->uses.count[s.base]--;
		ir_at(a->f, i)->nargs = 0;
		ir_at(a->f, i)->imm = c + s.offset;
		a->changed = true;
		return;
	}
	if (a->f->values[s.base].type == IR_B64) {
		while (strip_constant(a->f, &s))
			if (is_encodable(a, s.offset))
				best = s;
		if (reassociate(a, &s))
			best = s;
	}
	set_address(a, i, best);
	if (!is_encodable(a, s.offset))
		add_far(a, (struct far_access){i, s.base, s.offset, !is_encodable(a, best.offset)});
}

/* The part of the offset that stays in the instruction; 0 for a 32-bit address, whose base would
 * wrap where the address does not. */
static uint64_t near_part(const struct address_folding *a, const struct far_access *far_access)
{
	uint64_t span = 1;

	if (a->f->values[far_access->root].type == IR_B32)
		return 0;
	while (2 * span <= (uint64_t)a->target->offset_max + 1)
		span *= 2;
	return far_access->offset & (span - 1);
}

/* Sorts far accesses so that those that can share a base are adjacent. */
static int compare_far(const void *x, const void *y)
{
	const struct far_access *a = x, *b = y;

	if (a->root != b->root)
		return a->root < b->root ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->inst < b->inst ? -1 : a->inst > b->inst;
}

static ir_val insert_base(struct address_folding *a, ir_val root, uint64_t distance)
{
	struct ir_func *f = a->f;
	ir_id def = f->values[root].def, where;
	enum ir_type type = f->values[root].type;
	ir_val args[2] = {root};

	where = ir_at(f, def)->op == IR_PHI ? cfg_first_non_phi(f, ir_at(f, def)->block)
					    : ir_at(f, def)->next;
	args[1] = uses_const(&a->uses, where, type, type == IR_B32 ? (uint32_t)distance : distance);
	return ir_at(f, uses_insert(&a->uses, where, IR_ADD, type, args, 2))->res;
}

static void share_bases(struct address_folding *a)
{
	uint32_t end;

	qsort(a->far, a->nfar, sizeof(*a->far), compare_far);
	for (uint32_t k = 0; k < a->nfar; k = end) {
		const struct far_access *first = &a->far[k];
		uint64_t distance = first->offset - near_part(a, first);
		bool wanted = false;
		ir_val base;

		for (end = k; end < a->nfar && a->far[end].root == first->root &&
			      a->far[end].offset - near_part(a, &a->far[end]) == distance;
		     end++)
			wanted |= a->far[end].must || ir_at(a->f, a->far[end].inst)->args[0] !=
							      ir_at(a->f, first->inst)->args[0];
		if (!wanted)
			continue;
		base = insert_base(a, first->root, distance);
		for (uint32_t m = k; m < end; m++)
			set_address(a, a->far[m].inst,
				    (struct sum){base, near_part(a, &a->far[m])});
	}
}

static void fold_symbol(struct address_folding *a, ir_id i)
{
	struct ir_func *f = a->f;
	struct sum s = {.base = ir_at(f, i)->res};
	const struct ir_inst *d;

	if (!a->uses.count[s.base] || !strip_constant(f, &s))
		return;
	d = ir_def(f, s.base);
	if (d->op == IR_ADDR) {
		uint64_t imm = d->imm + s.offset;
		uint32_t symbol = d->symbol;

		uses_become(&a->uses, i, IR_ADDR, d->type, NULL, 0);
		ir_at(f, i)->imm = d->type == IR_B32 ? (uint64_t)(int32_t)imm : imm;
		ir_at(f, i)->symbol = symbol;
		a->changed = true;
	}
}

/* Counts the use in an addition of a constant whose sum is an address only. */
static void count_addressing(struct address_folding *a, ir_id i)
{
	ir_val res = ir_at(a->f, i)->res;
	struct sum s = {.base = res};

	if (ir_at(a->f, i)->op == IR_ADD && a->uses.count[res] &&
	    a->addressing[res] == a->uses.count[res] && strip_constant(a->f, &s))
		a->addressing[s.base]++;
}

bool pass_address_folding(struct ir_func *f, const struct target *t)
{
	struct address_folding a = {.f = f, .target = t};

	/* in unreachable code an addition may be its own argument */
	a.changed = cfg_remove_unreachable(f);
	uses_init(&a.uses, f);
	a.addressing = arena_array(f->module->arena, f->nvalues, sizeof(*a.addressing));
	a.reassociated = arena_array(f->module->arena, f->nvalues, sizeof(*a.reassociated));
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_address_arg(ir_at(f, i)) == 0)
				a.addressing[ir_at(f, i)->args[0]]++;
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			count_addressing(&a, i);
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_address_arg(ir_at(f, i)) == 0)
				fold_address(&a, i);
	if (a.nfar)
		share_bases(&a);
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_ADD)
				fold_symbol(&a, i);
	return a.changed;
}
