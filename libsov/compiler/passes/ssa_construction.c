// SPDX-License-Identifier: MIT
/*
 * SSA construction: replaces reads of mutable registers, which front ends emit, by the values that
 * reach them. It inserts phis at the iterated dominance frontier of the writes (Cytron et al.,
 * 1991), but only where the register is live-in, so that no phi is dead (pruned SSA). The frontiers
 * of all blocks would take quadratic memory in nests of loops; the walk over the dominator tree,
 * deepest blocks first (Sreedhar and Gao, 1995), needs none of them. Most
 * registers of a PTX kernel are written and read within one block and cost nothing beyond the two
 * scans. A read that no write reaches yields undef.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

struct item { /* node of singly linked lists of blocks and phis */
	uint32_t id, reg, next;
};

struct ssa {
	struct ir_func *f;
	struct arena *arena;
	const struct ir_cfg *cfg;
	struct item *items;
	uint32_t nitems, items_capacity;
	/* by register: blocks that write it; blocks with an upward-exposed read */
	uint32_t *writes, *exposed;
	struct cfg_domtree tree;
	uint32_t *position, *subtree_end;
	uint32_t *phis; /* by block: phis inserted for registers */
	/* by block and successor: index among its predecessors, from 1 */
	uint32_t (*slot)[2];
	ir_val *current;             /* by register: reaching value while renaming */
	ir_val *forward;             /* by value: replacement of a removed read */
	ir_val undef[IR_TYPE_COUNT]; /* for phi arguments that no write reaches */
	/* values of current[] to restore when renaming leaves a subtree */
	struct item *undo;
	uint32_t nundo, undo_capacity;
};

static void push_item(struct ssa *s, uint32_t *list, uint32_t id, uint32_t reg)
{
	s->items = arena_grow(s->arena, s->items, &s->items_capacity, s->nitems + 1,
			      sizeof(*s->items));
	s->items[s->nitems] = (struct item){.id = id, .reg = reg, .next = *list};
	*list = s->nitems++;
}

#define for_each_item(s, list, it) for (uint32_t it = (list); it; it = (s)->items[it].next)

static void collect_accesses(struct ssa *s)
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
				push_item(s, &s->exposed[reg], b, reg);
			} else if (p->op == IR_WRITE && written[reg] != b) {
				written[reg] = b;
				push_item(s, &s->writes[reg], b, reg);
			}
		}
	}
}

static void find_pred_slots(struct ssa *s)
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

struct marks { /* by block: the last register that set the mark */
	uint32_t *live, *written, *phi, *queued, *visited;
	ir_block *work;
	ir_block *first, *next; /* by depth in the dominator tree: queued blocks; by block */
	uint32_t deepest;       /* of the queued blocks */
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

static void insert_phi(struct ssa *s, ir_block b, uint32_t reg)
{
	struct ir_func *f = s->f;
	uint32_t n = f->blocks[b].npreds;
	ir_val *args = arena_array(s->arena, n, sizeof(*args));
	ir_id phi = ir_inst_new(f, IR_PHI, f->reg_types[reg], args, n, 1);

	ir_insert_before(f, cfg_first_non_phi(f, b), phi);
	push_item(s, &s->phis[b], phi, reg);
}

static void queue_block(const struct ssa *s, struct marks *m, ir_block b, uint32_t reg)
{
	uint32_t depth = s->tree.depth[b];

	if (m->queued[b] == reg)
		return;
	m->queued[b] = reg;
	m->next[b] = m->first[depth];
	m->first[depth] = b;
	m->deepest = depth > m->deepest ? depth : m->deepest;
}

/*
 * Inserts phis in the dominance frontier of a block: at the ends of edges that leave its subtree of
 * the dominator tree. Where the register is not live-in, the subtree has no such edge on which it
 * is live, or the block writes the register and is queued itself. Subtrees of deeper blocks have
 * been visited before.
 */
static void visit_subtree(struct ssa *s, struct marks *m, ir_block root, uint32_t reg)
{
	uint32_t n = 0;

	m->work[n++] = root;
	while (n) {
		ir_block b = m->work[--n];
		const struct ir_bb *bb = &s->f->blocks[b];
		uint32_t at = s->position[b];

		m->visited[b] = reg;
		for (uint32_t k = 0; k < bb->nsucc; k++) {
			ir_block to = bb->succ[k];

			if (s->tree.depth[to] > s->tree.depth[root] || m->phi[to] == reg ||
			    m->live[to] != reg || s->f->blocks[to].npreds < 2)
				continue;
			m->phi[to] = reg;
			insert_phi(s, to, reg);
			queue_block(s, m, to, reg);
		}
		for (uint32_t c = at + 1; c < s->subtree_end[at]; c = s->subtree_end[c]) {
			ir_block child = s->tree.order[c];

			if (m->live[child] == reg && m->visited[child] != reg)
				m->work[n++] = child;
		}
	}
}

static void insert_phis(struct ssa *s)
{
	uint32_t blocks = s->f->nblocks;
	struct marks m = {
		.live = arena_array(s->arena, blocks, sizeof(*m.live)),
		.written = arena_array(s->arena, blocks, sizeof(*m.written)),
		.phi = arena_array(s->arena, blocks, sizeof(*m.phi)),
		.queued = arena_array(s->arena, blocks, sizeof(*m.queued)),
		.visited = arena_array(s->arena, blocks, sizeof(*m.visited)),
		.work = arena_array(s->arena, blocks, sizeof(*m.work)),
		.next = arena_array(s->arena, blocks, sizeof(*m.next)),
		.first = arena_array(s->arena, blocks, sizeof(*m.first)),
	};

	for (uint32_t reg = 1; reg < s->f->nregs; reg++) {
		if (!s->exposed[reg])
			continue;
		mark_live(s, &m, reg);
		for_each_item(s, s->writes[reg], it)
			queue_block(s, &m, s->items[it].id, reg);
		for (uint32_t depth = m.deepest + 1; depth--;) {
			while (m.first[depth]) {
				ir_block b = m.first[depth];

				m.first[depth] = m.next[b];
				visit_subtree(s, &m, b, reg);
			}
		}
		m.deepest = 0;
	}
}

/* By position in the dominator tree's order: the end of the block's subtree. */
static void find_subtrees(struct ssa *s)
{
	const struct cfg_domtree *t = &s->tree;
	uint32_t *open = arena_array(s->arena, t->count + 1, sizeof(*open)), depth = 0;

	s->position = arena_array(s->arena, s->f->nblocks, sizeof(*s->position));
	s->subtree_end = arena_array(s->arena, t->count + 1, sizeof(*s->subtree_end));
	for (uint32_t k = 0; k < t->count; k++) {
		s->position[t->order[k]] = k;
		while (depth > t->depth[t->order[k]])
			s->subtree_end[open[--depth]] = k;
		open[depth++] = k;
	}
	while (depth)
		s->subtree_end[open[--depth]] = t->count;
}

static void set_current(struct ssa *s, uint32_t reg, ir_val v)
{
	s->undo = arena_grow(s->arena, s->undo, &s->undo_capacity, s->nundo + 1, sizeof(*s->undo));
	s->undo[s->nundo++] = (struct item){.id = s->current[reg], .reg = reg};
	s->current[reg] = v;
}

static ir_val undef_value(struct ssa *s, enum ir_type type)
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
				v = undef_value(s, f->reg_types[s->items[it].reg]);
			ir_at(f, s->items[it].id)->args[slot] = v;
		}
	}
}

static void rename_all(struct ssa *s)
{
	const struct cfg_domtree *tree = &s->tree;
	uint32_t *mark = arena_array(s->arena, tree->count + 1, sizeof(*mark)); /* by depth */
	uint32_t depth = 0;

	for (uint32_t k = 0; k < tree->count; k++) {
		ir_block b = tree->order[k];

		for (; depth > tree->depth[b]; depth--) {
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
	s.phis = arena_array(a, f->nblocks, sizeof(*s.phis));
	s.slot = arena_array(a, f->nblocks, sizeof(*s.slot));
	collect_accesses(&s);
	find_pred_slots(&s);
	s.tree = cfg_domtree_build(f, s.cfg);
	find_subtrees(&s);
	insert_phis(&s);
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
	f->nregs = 1; /* slot 0 means none */
	f->ssa = true;
	return true;
}
