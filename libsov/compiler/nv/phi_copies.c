// SPDX-License-Identifier: MIT
/*
 * Out of SSA: the phis of a block are a parallel copy on each incoming edge. Critical edges are
 * split first. After register allocation, each parallel copy is sequentialised so that no register
 * is overwritten before it is read. Remaining cycles are broken by a swap (predicates: one PLOP3
 * computes two) or by a move through a free register.
 *
 * Copies from a register to itself remain as records until nv_check_registers() has run.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

/* Splits one edge at a time: both edges of a branch may lead to the same block. */
static void split_edge(struct mir_func *f, uint32_t b, uint32_t pred_index, uint32_t succ_index)
{
	uint32_t from = f->blocks[b].preds[pred_index], n = mir_block_new(f, from);

	f->blocks[n].end = MIR_END_JUMP;
	f->blocks[n].depth = f->blocks[from].depth < f->blocks[b].depth ? f->blocks[from].depth
									: f->blocks[b].depth;
	f->blocks[n].succ =
		arena_grow(f->arena, NULL, &f->blocks[n].succ_capacity, 1, sizeof(uint32_t));
	f->blocks[n].nsucc = 1;
	f->blocks[n].succ[0] = b;
	f->blocks[n].preds =
		arena_grow(f->arena, NULL, &f->blocks[n].preds_capacity, 1, sizeof(uint32_t));
	f->blocks[n].preds[0] = from;
	f->blocks[n].npreds = 1;
	f->blocks[b].preds[pred_index] = n;
	f->blocks[from].succ[succ_index] = n;
}

void nv_split_critical_edges(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		for (uint32_t p = 0; f->blocks[b].nphis && p < f->blocks[b].npreds; p++) {
			const struct mir_block *from = &f->blocks[f->blocks[b].preds[p]];

			if (from->nsucc > 1)
				split_edge(f, b, p, from->succ[0] == b ? 0 : 1);
		}
	}
}

struct copy {
	struct mir_source dst, src;
	bool done;
};

struct parallel_copy {
	struct mir_func *f;
	uint32_t block; /* block at whose end the copy happens */
	struct copy *list;
	uint32_t count;
};

static bool same_reg(const struct mir_source *a, const struct mir_source *b)
{
	return a->op.kind == b->op.kind && a->op.reg == b->op.reg;
}

static bool is_pending_source(const struct parallel_copy *c, const struct mir_source *reg,
			      const struct copy *but)
{
	for (uint32_t k = 0; k < c->count; k++) {
		if (!c->list[k].done && &c->list[k] != but && same_reg(&c->list[k].src, reg))
			return true;
	}
	return false;
}

static void emit_move(struct parallel_copy *c, struct mir_source dst, struct mir_source src)
{
	struct mir_inst *i = mir_move(c->f, dst, src);

	i->phi_copy = c->f->vregs[dst.ref.vreg].phi;
	i->identity_copy = same_reg(&dst, &src) && !src.op.flags;
	mir_insert(c->f, c->block, NULL, i);
}

/* Later copies read the value from its new register. */
static void redirect_sources(struct parallel_copy *c, struct mir_source from, struct mir_source to)
{
	for (uint32_t k = 0; k < c->count; k++) {
		struct copy *copy = &c->list[k];

		if (!copy->done && same_reg(&copy->src, &from))
			copy->src.op.reg = to.op.reg;
	}
}

/* A register that is neither live-out nor part of the copy. One exists: mir_scratch_reg(), also
 * after an earlier cycle, whose copies are done; uniform registers are plentiful. */
static uint8_t free_register(const struct parallel_copy *c, uint8_t kind)
{
	const struct mir_func *f = c->f;
	const struct mir_block *block = &f->blocks[c->block];
	bool used[256] = {[MIR_STACK] = f->stack && kind == SASS_GPR};
	uint32_t r = 0;

	bitset_for_each(block->live_out, f->nunits, unit)
	{
		const struct mir_vreg *v = &f->vregs[f->unit_vreg[unit]];

		if (v->kind == kind)
			used[v->reg + unit - v->first_unit] = true;
	}
	for (uint32_t k = 0; k < c->count; k++) {
		if (c->list[k].dst.op.kind == kind)
			used[c->list[k].dst.op.reg] = true;
		if (c->list[k].src.op.kind == kind && !c->list[k].done)
			used[c->list[k].src.op.reg] = true;
	}
	while (used[r])
		r++;
	return (uint8_t)r;
}

/* Swaps two predicates: dst gets its value, src's register gets dst's old value. */
static void swap_preds(struct parallel_copy *c, struct copy *copy)
{
	struct mir_source old = copy->dst; /* dst's old value, which other copies read */
	struct mir_inst *i = mir_inst_new(c->f, SASS_PLOP3);

	for (uint32_t k = 0; k < c->count; k++) {
		if (!c->list[k].done && &c->list[k] != copy && same_reg(&c->list[k].src, &old))
			old.ref = c->list[k].src.ref;
	}
	mir_set_operand(i, 0, copy->dst);
	mir_set_operand(i, 1,
			(struct mir_source){{.kind = SASS_PRED, .reg = copy->src.op.reg}, old.ref});
	mir_set_operand(i, 2, copy->src);
	mir_set_operand(i, 3, old);
	mir_set_operand(i, 4, mir_pred_const(true));
	mir_set_operand(i, 5, mir_imm(0xf0)); /* first input */
	mir_set_operand(i, 6, mir_imm(0xcc)); /* second input */
	i->phi_copy = true;
	mir_insert(c->f, c->block, NULL, i);
	copy->done = true;
	redirect_sources(c, old, copy->src);
}

static void break_cycle(struct parallel_copy *c, struct copy *copy)
{
	struct mir_source spare = copy->src;

	if (copy->dst.op.kind == SASS_PRED) {
		swap_preds(c, copy);
		return;
	}
	spare.op.reg = free_register(c, copy->dst.op.kind);
	emit_move(c, spare, copy->src);
	redirect_sources(c, copy->src, spare);
}

static void sequentialise_copy(struct parallel_copy *c)
{
	for (;;) {
		struct copy *left = NULL;
		bool progress = false;

		for (uint32_t k = 0; k < c->count; k++) {
			struct copy *copy = &c->list[k];

			if (copy->done)
				continue;
			if (is_pending_source(c, &copy->dst, copy)) {
				left = copy;
				continue;
			}
			emit_move(c, copy->dst, copy->src);
			copy->done = progress = true;
		}
		if (!left)
			return;
		if (!progress)
			break_cycle(c, left);
	}
}

static struct mir_source with_register(const struct mir_func *f, struct mir_source s)
{
	if (s.ref.vreg)
		s.op.reg = (uint8_t)(f->vregs[s.ref.vreg].reg + s.ref.part);
	return s;
}

static void lower_edge(struct mir_func *f, uint32_t b, uint32_t p)
{
	const struct mir_block *block = &f->blocks[b];
	struct parallel_copy c = {.f = f, .block = block->preds[p]};

	c.list = arena_array(f->arena, block->nphis * MIR_MAX_UNITS, sizeof(*c.list));
	for (uint32_t k = 0; k < block->nphis; k++) {
		uint32_t vreg = block->phis[k].vreg, units = f->vregs[vreg].units;

		for (uint32_t u = 0; u < units; u++) {
			struct copy *copy = &c.list[c.count++];

			copy->dst = with_register(f, mir_reg(f->vregs[vreg].kind,
							     (struct mir_ref){vreg, (uint8_t)u}));
			copy->src = with_register(f, block->phis[k].args[p * units + u]);
		}
	}
	sequentialise_copy(&c);
}

/* A lowered phi is live-in: its edge copies define it. */
static void add_phis_to_live_in(const struct mir_func *f, struct mir_block *block)
{
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_vreg *v = &f->vregs[block->phis[p].vreg];

		for (uint32_t u = 0; u < v->units; u++)
			bitset_add(block->live_in, v->first_unit + u);
	}
}

void nv_lower_phis(struct mir_func *f)
{
	mir_for_each_block(f, b) {
		for (uint32_t p = 0; f->blocks[b].nphis && p < f->blocks[b].npreds; p++) {
			lower_edge(f, b, p);
		}
		add_phis_to_live_in(f, &f->blocks[b]);
		f->blocks[b].ncopied = f->blocks[b].nphis;
		f->blocks[b].nphis = 0;
	}
}

void nv_remove_identity_copies(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each_safe(f, b, i)
			if (i->identity_copy)
				mir_remove(f, b, i);
}
