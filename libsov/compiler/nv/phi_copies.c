// SPDX-License-Identifier: MIT
/*
 * Out of SSA: the phis of a block are a parallel copy on each incoming edge. Critical edges are
 * split first. After register allocation, each parallel copy is sequentialised
 * (mir/parallel_copy.h). Cycles are broken by a swap (predicates: one PLOP3 computes two) or by a
 * move through a free register, or if that register would cost warps, by three exclusive ors.
 *
 * Copies from a register to itself remain as records until nv_check_registers() has run.
 */
#include "libsov/compiler/mir/parallel_copy.h"
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

/* A phi's unit and its argument on one edge. */
struct phi_copy {
	struct mir_source dst, src; /* src.op.reg: of the source before any move */
};

struct edge_copies {
	struct mir_func *f;
	uint32_t block; /* block at whose end the copies happen */
	struct phi_copy *copies;
	struct copy_item *items; /* locations are 1 + mir_resource() */
	uint32_t count;
	uint32_t used; /* 1 + highest register that the function uses */
};

static bool is_register(const struct mir_source *s)
{
	return s->op.kind == SASS_GPR || s->op.kind == SASS_PRED || s->op.kind == SASS_UGPR;
}

static uint32_t location_of(const struct mir_source *s)
{
	return is_register(s) ? 1 + mir_resource(s->op.kind, s->op.reg) : 0;
}

/* The source of copy k, where it is now. */
static struct mir_source current_source(const struct edge_copies *c, uint32_t k)
{
	struct mir_source s = c->copies[k].src;

	if (c->items[k].src)
		s.op.reg = (uint8_t)(c->items[k].src - 1 - mir_resource(s.op.kind, 0));
	return s;
}

static void emit_move(struct edge_copies *c, struct mir_source dst, struct mir_source src)
{
	struct mir_inst *i = mir_move(c->f, dst, src);

	i->phi_copy = c->f->vregs[dst.ref.vreg].phi;
	i->identity_copy = location_of(&dst) == location_of(&src) && !src.op.flags;
	mir_insert(c->f, c->block, NULL, i);
}

static void emit_copy(void *context, uint32_t k)
{
	struct edge_copies *c = context;

	emit_move(c, c->copies[k].dst, current_source(c, k));
}

/* A register that is neither live-out nor part of the copy. One exists: mir_scratch_reg(), also
 * after an earlier cycle, whose copies are done; uniform registers are plentiful. */
static uint8_t free_register(const struct edge_copies *c, uint8_t kind)
{
	const struct mir_func *f = c->f;
	const struct mir_block *block = &f->blocks[c->block];
	bool used[256] = {[MIR_STACK] = f->stack && kind == SASS_GPR};
	uint32_t r = 0;

	live_set_for_each(&block->live_out, unit)
	{
		const struct mir_vreg *v = &f->vregs[f->unit_vreg[unit]];

		if (v->kind == kind)
			used[v->reg + unit - v->first_unit] = true;
	}
	for (uint32_t k = 0; k < c->count; k++) {
		if (c->copies[k].dst.op.kind == kind)
			used[c->copies[k].dst.op.reg] = true;
		if (c->copies[k].src.op.kind == kind && !c->items[k].done)
			used[current_source(c, k).op.reg] = true;
	}
	while (used[r])
		r++;
	return (uint8_t)r;
}

/* The old value of the destination of copy k, which other copies read. */
static struct mir_source old_value(const struct edge_copies *c, uint32_t k)
{
	struct mir_source old = c->copies[k].dst;

	for (uint32_t j = 0; j < c->count; j++) {
		if (!c->items[j].done && j != k && c->items[j].src == c->items[k].dst)
			old.ref = c->copies[j].src.ref;
	}
	return old;
}

static void swap_predicates(struct edge_copies *c, uint32_t k)
{
	struct mir_source dst = c->copies[k].dst, src = current_source(c, k), old = old_value(c, k);
	struct mir_inst *i = mir_inst_new(c->f, SASS_PLOP3);

	mir_set_operand(i, 0, dst);
	mir_set_operand(i, 1, (struct mir_source){{.kind = SASS_PRED, .reg = src.op.reg}, old.ref});
	mir_set_operand(i, 2, src);
	mir_set_operand(i, 3, old);
	mir_set_operand(i, 4, mir_pred_const(true));
	mir_set_operand(i, 5, mir_imm(0xf0)); /* first input */
	mir_set_operand(i, 6, mir_imm(0xcc)); /* second input */
	i->phi_copy = true;
	mir_insert(c->f, c->block, NULL, i);
}

static void emit_xor(struct edge_copies *c, struct mir_source dst, struct mir_source a,
		     struct mir_source b)
{
	struct mir_inst *i = mir_inst_new(c->f, SASS_LOP3);

	mir_set_operand(i, 1, dst);
	mir_set_operand(i, 2, a);
	mir_set_operand(i, 3, b);
	mir_set_operand(i, 4, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	mir_set_operand(i, 5, mir_imm(0x3c)); /* exclusive or */
	mir_set_operand(i, 6, mir_pred_const(false));
	i->phi_copy = c->f->vregs[dst.ref.vreg].phi;
	mir_insert(c->f, c->block, NULL, i);
}

/* By three exclusive ors; in between, dst has no value of the program. */
static void swap_gprs(struct edge_copies *c, uint32_t k)
{
	struct mir_source dst = c->copies[k].dst, src = current_source(c, k), old = old_value(c, k);
	struct mir_source both = dst, moved = src;

	both.ref = (struct mir_ref){0};
	moved.ref = old.ref;
	emit_xor(c, both, old, src);
	emit_xor(c, moved, src, both);
	emit_xor(c, dst, both, moved);
}

/* A register that nothing else uses may cost warps, which is more than two instructions. */
static bool costs_warps(const struct edge_copies *c, uint32_t reg)
{
	uint32_t sm = c->f->sm;

	return reg >= c->used && nv_partition_warps(sm, reg + 1 + MIR_HARDWARE_GPRS) <
					 nv_partition_warps(sm, c->used + MIR_HARDWARE_GPRS);
}

/* Swaps two registers: dst gets its value, src's register gets dst's old value. */
static bool swap_registers(void *context, uint32_t k)
{
	struct edge_copies *c = context;
	uint8_t kind = c->copies[k].dst.op.kind;

	if (kind == SASS_PRED)
		swap_predicates(c, k);
	else if (kind == SASS_GPR && costs_warps(c, free_register(c, kind)))
		swap_gprs(c, k);
	else
		return false;
	return true;
}

static uint32_t save_source(void *context, uint32_t k)
{
	struct edge_copies *c = context;
	struct mir_source src = current_source(c, k), spare = src;

	spare.op.reg = free_register(c, c->copies[k].dst.op.kind);
	emit_move(c, spare, src);
	return location_of(&spare);
}

static struct mir_source with_register(const struct mir_func *f, struct mir_source s)
{
	if (s.ref.vreg)
		s.op.reg = (uint8_t)(f->vregs[s.ref.vreg].reg + s.ref.part);
	return s;
}

static void lower_edge(struct mir_func *f, uint32_t b, uint32_t p, uint32_t used)
{
	const struct mir_block *block = &f->blocks[b];
	uint32_t capacity = 0;
	struct edge_copies c = {.f = f, .block = block->preds[p], .used = used};

	for (uint32_t k = 0; k < block->nphis; k++)
		capacity += f->vregs[block->phis[k].vreg].units;
	c.copies = arena_array(f->arena, capacity, sizeof(*c.copies));
	c.items = arena_array(f->arena, capacity, sizeof(*c.items));
	for (uint32_t k = 0; k < block->nphis; k++) {
		uint32_t vreg = block->phis[k].vreg, units = f->vregs[vreg].units;

		for (uint32_t u = 0; u < units; u++) {
			struct phi_copy *copy = &c.copies[c.count];

			copy->dst = with_register(f, mir_reg(f->vregs[vreg].kind,
							     (struct mir_ref){vreg, (uint8_t)u}));
			copy->src = with_register(f, block->phis[k].args[p * units + u]);
			c.items[c.count++] = (struct copy_item){.dst = location_of(&copy->dst),
								.src = location_of(&copy->src)};
		}
	}
	parallel_copy_sequentialise(&(struct parallel_copy){.items = c.items,
							    .count = c.count,
							    .break_last = true,
							    .context = &c,
							    .emit = emit_copy,
							    .swap = swap_registers,
							    .save = save_source});
}

/* A lowered phi is live-in: its edge copies define it. */
static void add_phis_to_live_in(const struct mir_func *f, struct mir_block *block)
{
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_vreg *v = &f->vregs[block->phis[p].vreg];

		for (uint32_t u = 0; u < v->units; u++)
			live_set_add(f->arena, &block->live_in, v->first_unit + u);
	}
}

static uint32_t count_used_gprs(const struct mir_func *f)
{
	uint32_t used = 0;

	for (uint32_t v = 1; v < f->nvregs; v++) {
		uint32_t end = f->vregs[v].reg + f->vregs[v].units;

		if (f->vregs[v].kind == SASS_GPR && f->vregs[v].assigned && end > used)
			used = end;
	}
	return used;
}

void nv_lower_phis(struct mir_func *f)
{
	uint32_t used = count_used_gprs(f);

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; f->blocks[b].nphis && p < f->blocks[b].npreds; p++) {
			lower_edge(f, b, p, used);
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
