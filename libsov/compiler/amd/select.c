// SPDX-License-Identifier: MIT
/*
 * Instruction selection, block by block in program order. Unused pure instructions are skipped.
 * Phis become parallel copies at the end of their predecessors; critical edges have been split.
 */
#include "libsov/compiler/amd/select.h"
#include "libsov/compiler/mir/parallel_copy.h"

/*
 * Optimistic analysis: a uniform value that the scalar unit can compute is scalar until an argument
 * is not.
 */
static void find_scalar_values(struct select *s)
{
	const struct ir_func *ir = s->ir;
	bool changed = true;

	for (ir_val v = 1; v < ir->nvalues; v++)
		s->scalar[v] = !s->c->divergence->value[v];
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < s->c->count; k++) {
			ir_for_each_inst(ir, s->c->order[k], i) {
				const struct ir_inst *in = ir_at(ir, i);

				for (uint32_t r = 0; r < in->nres; r++)
					if (s->scalar[in->res + r] &&
					    !select_can_be_scalar(s, in)) {
						s->scalar[in->res + r] = false;
						changed = true;
					}
			}
		}
	}
}

static void count_uses(struct select *s)
{
	const struct ir_func *ir = s->ir;

	for (uint32_t k = 0; k < s->c->count; k++)
		ir_for_each_inst(ir, s->c->order[k], i)
			for (uint32_t a = 0; a < ir_at(ir, i)->nargs; a++)
				s->uses[ir_at(ir, i)->args[a]]++;
}

static bool is_selected(const struct select *s, const struct ir_inst *in)
{
	if (in->op == IR_LOAD && !(in->flags & IR_VOLATILE) && in->order == IR_WEAK)
		; /* an unused load may be removed */
	else if (!(ir_ops[in->op].properties & P_PURE))
		return true;
	for (uint32_t r = 0; r < in->nres; r++)
		if (s->uses[in->res + r])
			return true;
	return false;
}

static void assign_vregs(struct select *s)
{
	for (uint32_t k = 0; k < s->c->count; k++)
		ir_for_each_inst(s->ir, s->c->order[k], i) {
			const struct ir_inst *in = ir_at(s->ir, i);

			for (uint32_t r = 0;
			     in->op != IR_CONST && in->op != IR_UNDEF && r < in->nres; r++)
				if (is_selected(s, in))
					sel_assign_vreg(s, in->res + r);
		}
}

static void select_inst(struct select *s, const struct ir_inst *in)
{
	if (ir_ops[in->op].properties & P_TERM || in->op == IR_PHI || in->op == IR_CONST ||
	    in->op == IR_UNDEF || !is_selected(s, in))
		return;
	s->in = in;
	if (select_integer(s) || select_compare(s) || select_calls(s) || select_special(s) ||
	    select_memory(s) || select_atomic(s) || select_float(s) || select_quotient(s) ||
	    select_convert(s) || select_lanes(s))
		return;
	sel_unsupported(s, ir_ops[in->op].text);
}

/* ---- phi copies ---- */

struct phi_copies {
	struct select *s;
	struct gcn_src *d, *x;   /* destinations and sources */
	struct copy_item *items; /* locations are words of vregs */
	uint32_t n;
};

static uint32_t location_of(struct gcn_src x)
{
	return x.ref.vreg ? 1 + GCN_MAX_WORDS * x.ref.vreg + x.ref.part : 0;
}

static void add_phi_copy(struct phi_copies *c, struct gcn_src d, struct gcn_src x)
{
	c->d[c->n] = d;
	c->x[c->n] = x;
	c->items[c->n++] = (struct copy_item){.dst = location_of(d), .src = location_of(x)};
}

/* The source of copy k, where it is now. */
static struct gcn_src current_source(const struct phi_copies *c, uint32_t k)
{
	uint32_t at = c->items[k].src;

	return at ? gcn_word(c->s->f, (at - 1) / GCN_MAX_WORDS, (at - 1) % GCN_MAX_WORDS) : c->x[k];
}

static void emit_phi_copy(void *context, uint32_t k)
{
	struct phi_copies *c = context;

	if (c->items[k].dst != c->items[k].src)
		sel_move(c->s, c->d[k], current_source(c, k), 1);
}

static uint32_t save_phi_source(void *context, uint32_t k)
{
	struct phi_copies *c = context;
	struct gcn_src x = current_source(c, k), t = sel_temp(c->s, sel_class(c->s, x), 1);

	sel_move(c->s, t, x, 1);
	return location_of(t);
}

static uint32_t phi_argument_index(const struct ir_func *ir, ir_block b, ir_block succ,
				   uint32_t edge)
{
	const struct ir_bb *bb = &ir->blocks[succ];

	for (uint32_t p = 0; p < bb->npreds; p++)
		if (bb->preds[p] == b && !edge--)
			return p;
	return 0;
}

static void copy_phis(struct select *s, ir_block b)
{
	const struct ir_func *ir = s->ir;

	for (uint32_t e = 0; e < ir->blocks[b].nsucc; e++) {
		ir_block succ = ir->blocks[b].succ[e];
		uint32_t p = phi_argument_index(ir, b, succ, e && ir->blocks[b].succ[0] == succ),
			 count = 0;
		struct phi_copies c = {.s = s};

		ir_for_each_inst(ir, succ, i)
			count += ir_at(ir, i)->op == IR_PHI;
		c.d = arena_array(s->f->arena, 2 * count + 1, sizeof(*c.d));
		c.x = arena_array(s->f->arena, 2 * count + 1, sizeof(*c.x));
		c.items = arena_array(s->f->arena, 2 * count + 1, sizeof(*c.items));
		ir_for_each_inst(ir, succ, i) {
			const struct ir_inst *phi = ir_at(ir, i);
			ir_val arg;

			if (phi->op != IR_PHI || !s->uses[phi->res])
				continue;
			arg = phi->args[p];
			if (ir_def(ir, arg)->op == IR_UNDEF)
				continue;
			for (uint32_t w = 0; w < sel_words(phi->type); w++) {
				bool mask = phi->type == IR_B1;
				struct gcn_src d =
					mask ? sel_mask(s, phi->res) : sel_word(s, phi->res, w);

				add_phi_copy(&c, d, mask ? sel_mask(s, arg) : sel_word(s, arg, w));
				s->f->vregs[d.ref.vreg].phi = true;
			}
		}
		parallel_copy_sequentialise(&(struct parallel_copy){.items = c.items,
								    .count = c.n,
								    .context = &c,
								    .emit = emit_phi_copy,
								    .save = save_phi_source});
	}
}

static void select_terminator(struct select *s, ir_block b)
{
	const struct ir_inst *end = ir_at(s->ir, s->ir->blocks[b].last);

	s->in = end;
	copy_phis(s, b);
	if (end->op == IR_RET && s->ir->kind == IR_FUNCTION)
		select_results(s);
	if (end->op != IR_CBR)
		return;
	if (gcn_branch_is_uniform(s->c, b) && select_branch_compare(s, end->args[0]))
		s->cond[b] = gcn_reg(AMD_SCC);
	else
		s->cond[b] = sel_mask(s, end->args[0]);
}

bool gcn_select(struct gcn_func *f, const struct gcn_control *c)
{
	const struct ir_func *ir = f->ir;
	struct select s = {.f = f, .ir = ir, .c = c};

	s.vreg = arena_array(f->arena, ir->nvalues, sizeof(*s.vreg));
	s.scalar = arena_array(f->arena, ir->nvalues, sizeof(*s.scalar));
	s.uses = arena_array(f->arena, ir->nvalues, sizeof(*s.uses));
	s.cond = arena_array(f->arena, ir->nblocks, sizeof(*s.cond));
	for (uint32_t b = 0; b < ir->nblocks; b++)
		gcn_block_new(f);
	gcn_vreg_new(f, GCN_SCALAR, 1); /* vreg 0 means none */
	if (ir->kind == IR_FUNCTION)
		gcn_input(f, GCN_RETURN_ADDRESS, GCN_SCALAR, 2);
	count_uses(&s);
	find_scalar_values(&s);
	assign_vregs(&s);
	ir_for_each_block(ir, b)
		if (gcn_is_sync_header(ir, b))
			f->alive_mask = gcn_vreg_new(f, GCN_SCALAR, 1);
	if (f->alive_mask)
		gcn_append_scalar(f, ir->entry, AMD_s_mov_b32, gcn_word(f, f->alive_mask, 0),
				  gcn_reg(AMD_EXEC), gcn_none());
	for (uint32_t k = 0; k < c->count && !f->job->diag.errors; k++) {
		s.block = c->order[k];
		ir_for_each_inst(ir, s.block, i)
			select_inst(&s, ir_at(ir, i));
		select_terminator(&s, s.block);
	}
	if (s.failed)
		return false;
	gcn_lower_branches(f, c, s.cond, s.results);
	return true;
}
