// SPDX-License-Identifier: MIT
/*
 * Common subexpression elimination. Selection recomputes address parts and the lane index at every
 * use. An instruction whose expression was computed earlier, in the same block or in a dominating
 * one, becomes a copy of the earlier result.
 *
 * Lane masks are valid only for the lanes that were active at their definition, and a constant is
 * cheaper to rebuild than to keep in a register; both are shared within a block only. Copies of
 * words that are not SSA values are forwarded within a block until the source is overwritten.
 */
#include <string.h>
#include "libsov/compiler/amd/combine.h"

#define MIN_BUCKETS  1024
#define MAX_SEARCHED 64 /* occurrences of an expression in blocks that do not dominate */

struct expression {
	const struct gcn_inst *i;
	uint32_t block;
	uint32_t source[AMD_SLOTS]; /* 1 + unit, 0: not a register */
	struct expression *next;
};

static bool is_vector_format(const struct gcn_inst *i)
{
	return i->in.row->format >= AMD_VOP1 && i->in.row->format <= AMD_VOP3P;
}

static bool is_immediate(const struct gcn_inst *i, uint32_t slot)
{
	uint16_t reg = i->in.reg[slot];

	return reg == AMD_NONE || reg == AMD_NULL || (reg >= AMD_INT_0 && reg <= AMD_INV_2PI) ||
	       reg == AMD_LITERAL;
}

/*
 * The result depends on the sources alone, and all of them are values. *writes_mask: a vector
 * instruction that writes an SGPR, one bit per lane.
 */
static bool is_cse_candidate(struct combine *c, const struct gcn_inst *i, bool *writes_mask)
{
	const struct amd_row *row = i->in.row;
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n, sources = 0;

	*writes_mask = false;
	if ((!is_vector_format(i) && row->format != AMD_SOP1 && row->format != AMD_SOP2) ||
	    i->call || i->nimplicit || i->target || i->address.present || i->in.form > AMD_E64 ||
	    row->flags & (SCC_IN | EXEC_IN | EXEC_OUT | M0_IN | VCC_IN | VCC_OUT | READS_D |
			  D_SOURCE | SWAPS))
		return false;
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		if (!i->ref[slot].vreg && row->type[slot] && !is_immediate(i, slot))
			return false;
		else
			sources += slot >= AMD_S0 && slot <= AMD_S2 && row->type[slot];
	n = gcn_uses(i, uses);
	for (uint32_t u = 0; u < n; u++) {
		*writes_mask |= uses[u].write && is_vector_format(i) &&
				c->f->vregs[uses[u].ref.vreg].class == GCN_SCALAR;
		for (uint32_t k = 0; k < uses[u].count; k++)
			if (!combine_is_value(c, (struct gcn_ref){uses[u].ref.vreg,
								  (uint8_t)(uses[u].ref.part + k)}))
				return false;
	}
	return n && sources;
}

/*
 * Numbers each source by the unit that it copies. Returns false if the words of one source copy
 * non-consecutive units.
 */
static bool number_sources(const struct combine *c, struct expression *e)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&e->i->in, uses);

	for (uint32_t u = 0; u < n; u++) {
		uint32_t first;

		if (uses[u].slot >= AMD_SLOTS || uses[u].write || !e->i->ref[uses[u].slot].vreg)
			continue;
		first = gcn_unit(c->f, e->i->ref[uses[u].slot]);
		e->source[uses[u].slot] = 1 + combine_copy_source(c, first);
		for (uint32_t k = 1; k < uses[u].count; k++)
			if (1 + combine_copy_source(c, first + k) != e->source[uses[u].slot] + k)
				return false;
	}
	return true;
}

/* The hash of an expression that is shared within a block only includes the block. */
static uint32_t hash_expression(const struct expression *e, bool block_local)
{
	uint32_t h = e->i->in.row->op * 31u + e->i->in.literal;

	for (uint32_t slot = AMD_S0; slot <= AMD_S2; slot++)
		h = h * 0x01000193 + (e->source[slot] ? e->source[slot] : e->i->in.reg[slot]);
	if (block_local)
		h = h * 0x01000193 + e->block;
	return h ^ h >> 16;
}

static bool same_computation(const struct expression *x, const struct expression *y)
{
	const struct amd_inst *a = &x->i->in, *b = &y->i->in;

	if (a->row != b->row || a->form != b->form || x->i->mode != y->i->mode ||
	    memcmp(a->field, b->field, sizeof(a->field)))
		return false;
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
		if (!x->i->ref[slot].vreg != !y->i->ref[slot].vreg ||
		    x->source[slot] != y->source[slot])
			return false;
		if (!x->i->ref[slot].vreg && a->row->type[slot] &&
		    (a->reg[slot] != b->reg[slot] ||
		     (a->reg[slot] == AMD_LITERAL && a->literal != b->literal)))
			return false;
	}
	return true;
}

static void mark_copies(struct combine *c, const struct gcn_inst *i, const struct gcn_inst *first)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, uses);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && uses[u].slot < AMD_SLOTS &&
				     i->ref[uses[u].slot].vreg && k < uses[u].count;
		     k++)
			c->words[gcn_unit(c->f, i->ref[uses[u].slot]) + k].copy_of =
				1 + gcn_unit(c->f, first->ref[uses[u].slot]) + k;
}

/* The same expression, computed earlier in a place that reaches e; NULL: none. */
static const struct expression *find_earlier(const struct ir_cfg *cfg,
					     const struct expression *bucket,
					     const struct expression *e, bool block_local)
{
	uint32_t searched = 0;

	for (; bucket && searched < MAX_SEARCHED; bucket = bucket->next) {
		if (!same_computation(bucket, e))
			continue;
		if (bucket->block == e->block ||
		    (!block_local && ir_dominates(cfg, bucket->block, e->block)))
			return bucket;
		searched++;
	}
	return NULL;
}

/* A power of two, about the number of instructions. */
static uint32_t count_buckets(const struct gcn_func *f)
{
	uint32_t insts = 0, buckets = MIN_BUCKETS;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			insts++;
	while (buckets < insts && buckets < UINT32_MAX / 2)
		buckets *= 2;
	return buckets;
}

void combine_cse(struct combine *c)
{
	struct gcn_func *f = c->f;
	const struct ir_cfg *cfg = ir_cfg_build(f->ir);
	uint32_t nbuckets = count_buckets(f);
	struct expression **buckets = arena_array(f->arena, nbuckets, sizeof(*buckets));

	for (uint32_t k = 0; k < cfg->nrpo; k++)
		gcn_for_each(f, cfg->rpo[k], i) {
			struct expression *e, **bucket;
			const struct expression *earlier;
			bool writes_mask, block_local;

			if (combine_is_copy(c, i) || !is_cse_candidate(c, i, &writes_mask))
				continue;
			block_local = writes_mask || i->copy;
			e = arena_alloc(f->arena, sizeof(*e));
			*e = (struct expression){.i = i, .block = cfg->rpo[k]};
			if (!number_sources(c, e))
				continue;
			bucket = &buckets[hash_expression(e, block_local) & (nbuckets - 1)];
			earlier = find_earlier(cfg, *bucket, e, block_local);
			if (earlier) {
				mark_copies(c, i, earlier->i);
				continue;
			}
			e->next = *bucket;
			*bucket = e;
		}
}

/* ---- copies within a block ---- */

struct copy_state {
	struct combine *c;
	uint32_t *from;            /* by unit: 1 + the unit that it currently copies, 0: none */
	uint32_t *active, nactive; /* units with an entry in from[] */
};

static void kill_copies(struct copy_state *copies, uint32_t unit)
{
	for (uint32_t k = 0; k < copies->nactive;) {
		uint32_t to = copies->active[k];

		if (to != unit && copies->from[to] != 1 + unit) {
			k++;
			continue;
		}
		copies->from[to] = 0;
		copies->active[k] = copies->active[--copies->nactive];
	}
}

static void forward_source(struct copy_state *copies, struct gcn_inst *i, enum amd_slot slot,
			   uint32_t count)
{
	struct gcn_func *f = copies->c->f;
	uint32_t first = gcn_unit(f, i->ref[slot]), unit = copies->from[first], vreg, part;

	if (!unit--)
		return;
	vreg = f->unit_vreg[unit];
	part = unit - f->vregs[vreg].first_unit;
	if (!combine_is_aligned(f, vreg, part, count))
		return;
	for (uint32_t k = 1; k < count; k++)
		if (copies->from[first + k] != 1 + unit + k || f->unit_vreg[unit + k] != vreg)
			return;
	i->ref[slot] = (struct gcn_ref){vreg, (uint8_t)part};
}

static void forward_block(struct copy_state *copies, uint32_t b)
{
	struct gcn_func *f = copies->c->f;

	while (copies->nactive)
		copies->from[copies->active[--copies->nactive]] = 0;
	gcn_for_each(f, b, i) {
		struct amd_use uses[AMD_MAX_USES];
		struct gcn_use words[GCN_MAX_USES];
		uint32_t n = amd_uses(&i->in, uses), written = 0;

		for (uint32_t u = 0; u < n; u++)
			written |= uses[u].write ? 1u << uses[u].slot : 0;
		for (uint32_t u = 0; copies->nactive && u < n; u++)
			if (uses[u].slot < AMD_SLOTS && !(written >> uses[u].slot & 1) &&
			    i->ref[uses[u].slot].vreg)
				forward_source(copies, i, uses[u].slot, uses[u].count);
		n = gcn_uses(i, words);
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t k = 0; words[u].write && k < words[u].count; k++)
				kill_copies(copies, gcn_unit(f, words[u].ref) + k);
		if (!combine_is_copy(copies->c, i) || i->ref[AMD_D].vreg == i->ref[AMD_S0].vreg ||
		    combine_is_fixed(f, i->ref[AMD_D].vreg) ||
		    combine_is_clobbered(copies->c, i->ref[AMD_S0].vreg))
			continue;
		copies->from[gcn_unit(f, i->ref[AMD_D])] = 1 + gcn_unit(f, i->ref[AMD_S0]);
		copies->active[copies->nactive++] = gcn_unit(f, i->ref[AMD_D]);
	}
}

void combine_forward_copies(struct combine *c)
{
	struct copy_state copies = {.c = c};

	copies.from = arena_array(c->f->arena, c->f->nunits + 1, sizeof(*copies.from));
	copies.active = arena_array(c->f->arena, c->f->nunits + 1, sizeof(*copies.active));
	gcn_for_each_block(c->f, b)
		forward_block(&copies, b);
}
