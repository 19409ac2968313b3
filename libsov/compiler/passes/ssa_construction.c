// SPDX-License-Identifier: MIT
/*
 * SSA construction. A front end reads and writes mutable registers; afterwards every read is the
 * value that was written last on the way there. Where ways with different writes meet, that value
 * is a phi: at the iterated dominance frontier of the writes (Cytron et al., 1991), but only in
 * blocks where the register is still read before it is written again, so that no phi is born dead
 * (pruned SSA). Most registers of a PTX kernel are written and read within one block and cost
 * nothing beyond the two scans. A register that is read where nothing wrote it gives undef.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

struct item { /* of singly linked lists of blocks and phis */
	uint32_t id, reg, next;
};

struct ssa {
	struct ir_func *f;
	struct arena *arena;
	const struct ir_cfg *cfg;
	struct item *items;
	uint32_t nitems, items_capacity;
	uint32_t *writes, *exposed;  /* by register: blocks that write, that read before writing */
	uint32_t *frontier;          /* by block: its dominance frontier */
	uint32_t *phis;              /* by block: phis made for registers */
	uint32_t (*slot)[2];         /* by block and successor: place in its predecessors, from 1 */
	ir_val *current;             /* by register, while renaming */
	ir_val *forward;             /* by value: what a read stands for */
	ir_val undef[IR_TYPE_COUNT]; /* for phi arguments that no write reaches */
	struct item *undo;           /* values of current to restore when a subtree is left */
	uint32_t nundo, undo_capacity;
};

static void push(struct ssa *s, uint32_t *list, uint32_t id, uint32_t reg)
{
	s->items = arena_grow(s->arena, s->items, &s->items_capacity, s->nitems + 1,
			      sizeof(*s->items));
	s->items[s->nitems] = (struct item){.id = id, .reg = reg, .next = *list};
	*list = s->nitems++;
}

#define for_each_item(s, list, it) for (uint32_t it = (list); it; it = (s)->items[it].next)

static void collect(struct ssa *s)
{
	struct ir_func *f = s->f;
	ir_block *written = arena_array(s->arena, f->nregs, sizeof(*written));
	ir_block *read = arena_array(s->arena, f->nregs, sizeof(*read));

	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *p = ir_at(f, i);
			uint32_t reg = p->symbol;

			if (p->op == IR_READ && written[reg] != b && read[reg] != b) {
				read[reg] = b;
				push(s, &s->exposed[reg], b, reg);
			} else if (p->op == IR_WRITE && written[reg] != b) {
				written[reg] = b;
				push(s, &s->writes[reg], b, reg);
			}
		}
	}
}

static void find_frontiers(struct ssa *s)
{
	const struct ir_cfg *c = s->cfg;

	for (uint32_t k = 0; k < c->nrpo; k++) {
		ir_block b = c->rpo[k];
		const struct ir_bb *bb = &s->f->blocks[b];

		for (uint32_t p = 0; bb->npreds > 1 && p < bb->npreds; p++) {
			for (ir_block d = bb->preds[p]; d != c->idom[b]; d = c->idom[d]) {
				uint32_t first = s->frontier[d];

				if (first && s->items[first].id == b)
					break; /* and so have all above it */
				push(s, &s->frontier[d], b, 0);
			}
		}
	}
}

static void find_slots(struct ssa *s)
{
	const struct ir_func *f = s->f;

	ir_for_each_block(f, b) {
		const struct ir_bb *bb = &f->blocks[b];

		for (uint32_t p = 0; p < bb->npreds; p++) {
			ir_block from = bb->preds[p];
			bool first = f->blocks[from].succ[0] == b && !s->slot[from][0];

			s->slot[from][first ? 0 : 1] = p + 1;
		}
	}
}

struct marks { /* by block: of the register that was last here */
	uint32_t *live, *written, *phi;
	ir_block *work;
};

static void mark_live(struct ssa *s, struct marks *m, uint32_t reg)
{
	uint32_t n = 0;

	for_each_item(s, s->writes[reg], it)
		m->written[s->items[it].id] = reg;
	for_each_item(s, s->exposed[reg], it) {
		m->live[s->items[it].id] = reg;
		m->work[n++] = s->items[it].id;
	}
	while (n) {
		const struct ir_bb *bb = &s->f->blocks[m->work[--n]];

		for (uint32_t p = 0; p < bb->npreds; p++) {
			ir_block from = bb->preds[p];

			if (m->written[from] == reg || m->live[from] == reg)
				continue;
			m->live[from] = reg;
			m->work[n++] = from;
		}
	}
}

static void new_phi(struct ssa *s, ir_block b, uint32_t reg)
{
	struct ir_func *f = s->f;
	uint32_t n = f->blocks[b].npreds;
	ir_val *args = arena_array(s->arena, n, sizeof(*args));
	ir_id phi = ir_inst_new(f, IR_PHI, f->reg_types[reg], args, n, 1);

	ir_insert_before(f, cfg_first_non_phi(f, b), phi);
	push(s, &s->phis[b], phi, reg);
}

static void place_phis(struct ssa *s)
{
	uint32_t blocks = s->f->nblocks;
	struct marks m = {
		.live = arena_array(s->arena, blocks, sizeof(*m.live)),
		.written = arena_array(s->arena, blocks, sizeof(*m.written)),
		.phi = arena_array(s->arena, blocks, sizeof(*m.phi)),
		.work = arena_array(s->arena, 2 * (size_t)blocks, sizeof(*m.work)),
	};

	for (uint32_t reg = 1; reg < s->f->nregs; reg++) {
		uint32_t n = 0;

		if (!s->exposed[reg])
			continue;
		mark_live(s, &m, reg);
		for_each_item(s, s->writes[reg], it)
			m.work[n++] = s->items[it].id;
		while (n) {
			for_each_item(s, s->frontier[m.work[--n]], it) {
				ir_block b = s->items[it].id;

				if (m.phi[b] == reg || m.live[b] != reg)
					continue;
				m.phi[b] = reg;
				new_phi(s, b, reg);
				m.work[n++] = b;
			}
		}
	}
}

static void set_current(struct ssa *s, uint32_t reg, ir_val v)
{
	s->undo = arena_grow(s->arena, s->undo, &s->undo_capacity, s->nundo + 1, sizeof(*s->undo));
	s->undo[s->nundo++] = (struct item){.id = s->current[reg], .reg = reg};
	s->current[reg] = v;
}

static ir_val undef_of(struct ssa *s, enum ir_type type)
{
	struct ir_func *f = s->f;

	if (!s->undef[type]) {
		ir_id i = ir_inst_new(f, IR_UNDEF, type, NULL, 0, 1);

		ir_insert_before(f, f->blocks[f->entry].first, i);
		s->undef[type] = ir_at(f, i)->res;
	}
	return s->undef[type];
}

static void rename_block(struct ssa *s, ir_block b)
{
	struct ir_func *f = s->f;

	for_each_item(s, s->phis[b], it)
		set_current(s, s->items[it].reg, ir_at(f, s->items[it].id)->res);
	ir_for_each_inst_safe(f, b, i) {
		struct ir_inst *p = ir_at(f, i);
		uint32_t reg = p->symbol;

		if (p->op == IR_READ && s->current[reg]) {
			s->forward[p->res] = s->current[reg];
			ir_remove(f, i);
		} else if (p->op == IR_READ) {
			p->op = IR_UNDEF;
			p->symbol = 0;
			set_current(s, reg, p->res);
		} else if (p->op == IR_WRITE) {
			ir_val v = p->args[0];

			set_current(s, reg, s->forward[v] ? s->forward[v] : v);
			ir_remove(f, i);
		}
	}
	for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
		uint32_t slot = s->slot[b][k] - 1;

		for_each_item(s, s->phis[f->blocks[b].succ[k]], it) {
			ir_val v = s->current[s->items[it].reg];

			if (!v)
				v = undef_of(s, f->reg_types[s->items[it].reg]);
			ir_at(f, s->items[it].id)->args[slot] = v;
		}
	}
}

static void rename_all(struct ssa *s)
{
	struct cfg_domtree tree = cfg_domtree_build(s->f, s->cfg);
	uint32_t *mark = arena_array(s->arena, tree.count + 1, sizeof(*mark)); /* by depth */
	uint32_t depth = 0;

	for (uint32_t k = 0; k < tree.count; k++) {
		ir_block b = tree.order[k];

		for (; depth > tree.depth[b]; depth--) {
			while (s->nundo > mark[depth]) {
				struct item u = s->undo[--s->nundo];

				s->current[u.reg] = u.id;
			}
		}
		mark[++depth] = s->nundo;
		rename_block(s, b);
	}
}

bool pass_ssa_construction(struct ir_func *f, const struct target *t)
{
	struct arena *a = f->module->arena;
	struct ssa s = {.f = f, .arena = a, .nitems = 1};

	(void)t;
	if (f->ssa)
		return false;
	cfg_remove_unreachable(f);
	s.cfg = ir_cfg_build(f);
	s.writes = arena_array(a, f->nregs, sizeof(*s.writes));
	s.exposed = arena_array(a, f->nregs, sizeof(*s.exposed));
	s.current = arena_array(a, f->nregs, sizeof(*s.current));
	s.frontier = arena_array(a, f->nblocks, sizeof(*s.frontier));
	s.phis = arena_array(a, f->nblocks, sizeof(*s.phis));
	s.slot = arena_array(a, f->nblocks, sizeof(*s.slot));
	collect(&s);
	find_slots(&s);
	find_frontiers(&s);
	place_phis(&s);
	s.forward = arena_array(a, f->nvalues + IR_TYPE_COUNT, sizeof(*s.forward));
	rename_all(&s);
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			struct ir_inst *p = ir_at(f, i);

			for (uint32_t k = 0; k < p->nargs; k++)
				if (s.forward[p->args[k]])
					p->args[k] = s.forward[p->args[k]];
		}
	}
	f->nregs = 1; /* slot 0 is none */
	f->ssa = true;
	return true;
}
