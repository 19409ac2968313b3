// SPDX-License-Identifier: MIT
/*
 * Control-flow analysis: reverse postorder, dominators, postdominators and natural loops.
 *
 * Dominators come from the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
 * Algorithm", 2001), over the graph and over its reverse. The reverse graph has a virtual root, the
 * end of the kernel, with an edge from every block without successors. Blocks that cannot reach the
 * end (infinite loops) get a virtual edge as well: the last of them in reverse postorder is tied to
 * the end, repeatedly, until none is left. So every block has a postdominator, and an infinite loop
 * behaves as if its last block could leave it.
 *
 * A back edge leads to a block that dominates its source. An irreducible cycle, which has several
 * entries, has no back edge and is no loop; its blocks belong to the loops around it. Passes that
 * hoist code thus leave irreducible cycles alone.
 */
#include "libsov/compiler/ir/ir.h"

#define NONE UINT32_MAX

/* One direction of the graph for the dominance iteration. Nodes are blocks; node 0 is the virtual
 * end (reverse direction only). */
struct graph {
	uint32_t n;      /* nodes in order */
	ir_block *order; /* reverse postorder from the root */
	uint32_t *index; /* by node: index in order; NONE: not reached */
	ir_block *idom;
};

static struct graph graph_new(const struct ir_func *f)
{
	struct arena *a = f->module->arena;
	struct graph g = {
		.order = arena_array(a, f->nblocks, sizeof(ir_block)),
		.index = arena_array(a, f->nblocks, sizeof(uint32_t)),
		.idom = arena_array(a, f->nblocks, sizeof(ir_block)),
	};

	for (uint32_t b = 0; b < f->nblocks; b++)
		g.index[b] = NONE;
	return g;
}

/* Depth-first search from root along successors (or predecessors) without recursion. Appends the
 * blocks in postorder; index serves as the visited mark. */
static void append_postorder(const struct ir_func *f, struct graph *g, ir_block root, bool backward,
			     uint32_t *cursor, ir_block *stack)
{
	uint32_t depth = 0;

	if (g->index[root] != NONE)
		return;
	stack[depth++] = root;
	g->index[root] = 0;
	while (depth) {
		ir_block b = stack[depth - 1];
		const struct ir_bb *bb = &f->blocks[b];
		const ir_block *next = backward ? bb->preds : bb->succ;
		uint32_t n = backward ? bb->npreds : bb->nsucc;

		if (cursor[b] == n) {
			g->order[g->n++] = b;
			depth--;
		} else {
			ir_block to = next[cursor[b]++];

			if (g->index[to] == NONE) {
				g->index[to] = 0;
				stack[depth++] = to;
			}
		}
	}
}

static void reverse_order(struct graph *g)
{
	for (uint32_t k = 0; k < g->n / 2; k++) {
		ir_block other = g->order[g->n - 1 - k];

		g->order[g->n - 1 - k] = g->order[k];
		g->order[k] = other;
	}
	for (uint32_t k = 0; k < g->n; k++)
		g->index[g->order[k]] = k;
}

static ir_block intersect(const struct graph *g, ir_block a, ir_block b)
{
	while (a != b) {
		while (g->index[a] > g->index[b])
			a = g->idom[a];
		while (g->index[b] > g->index[a])
			b = g->idom[b];
	}
	return a;
}

/* order[0] is the root and its own dominator during the iteration. known marks nodes that have a
 * dominator. */
static void compute_dominators(const struct ir_func *f, struct graph *g, bool backward,
			       const bool *tied)
{
	bool *known = arena_array(f->module->arena, f->nblocks, sizeof(*known)), changed = true;
	ir_block root = g->order[0];

	g->idom[root] = root;
	known[root] = true;
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < g->n; k++) {
			ir_block b = g->order[k], best = 0;
			const struct ir_bb *bb = &f->blocks[b];
			const ir_block *from = backward ? bb->succ : bb->preds;
			uint32_t n = backward ? bb->nsucc : bb->npreds;
			bool have = backward && tied[b]; /* an edge to the root, 0 */

			/* Start with the last: of thousands of early exits in a row, neighbours
			 * intersect after one step, but the first and the last only after
			 * thousands. */
			for (uint32_t j = n; j-- > 0;) {
				if (!known[from[j]])
					continue;
				best = have ? intersect(g, best, from[j]) : from[j];
				have = true;
			}
			if (have && (!known[b] || g->idom[b] != best)) {
				g->idom[b] = best;
				known[b] = changed = true;
			}
		}
	}
	g->idom[root] = 0;
}

/* Numbers the dominator tree in preorder without walking it: computes subtree sizes bottom-up, then
 * assigns each block a subrange of its dominator's range top-down. */
static void number_dominators(const struct ir_func *f, struct ir_cfg *c)
{
	struct arena *a = f->module->arena;
	uint32_t *size = arena_array(a, f->nblocks, sizeof(*size));
	/* next free number; 0 is the root's */
	uint32_t *next = arena_array(a, f->nblocks, sizeof(*next));

	c->dom_enter = arena_array(a, f->nblocks, sizeof(*c->dom_enter));
	c->dom_leave = arena_array(a, f->nblocks, sizeof(*c->dom_leave));
	for (uint32_t k = c->nrpo; k-- > 0;) {
		size[c->rpo[k]]++;
		size[c->idom[c->rpo[k]]] += size[c->rpo[k]];
	}
	for (uint32_t k = 0; k < c->nrpo; k++) {
		ir_block b = c->rpo[k];

		c->dom_enter[b] = next[c->idom[b]];
		c->dom_leave[b] = c->dom_enter[b] + size[b];
		next[c->idom[b]] += size[b];
		next[b] = c->dom_enter[b] + 1;
	}
}

static void compute_postdominators(const struct ir_func *f, struct ir_cfg *c)
{
	struct arena *a = f->module->arena;
	struct graph g = graph_new(f);
	uint32_t *cursor = arena_array(a, f->nblocks, sizeof(*cursor));
	ir_block *stack = arena_array(a, f->nblocks, sizeof(*stack));
	bool *tied = arena_array(a, f->nblocks, sizeof(*tied));

	for (uint32_t k = c->nrpo; k-- > 0;) {
		ir_block b = c->rpo[k];

		tied[b] = !f->blocks[b].nsucc;
		if (tied[b])
			append_postorder(f, &g, b, true, cursor, stack);
	}
	for (uint32_t k = c->nrpo; k-- > 0;) {
		ir_block b = c->rpo[k];

		if (g.index[b] == NONE) {
			tied[b] = true;
			append_postorder(f, &g, b, true, cursor, stack);
		}
	}
	g.order[g.n++] = 0; /* the virtual end is the root after reversal, as node 0 */
	reverse_order(&g);
	compute_dominators(f, &g, true, tied);
	c->ipdom = g.idom;
}

/* Adds the blocks of the natural loop with this header; outer headers are processed first. */
static void add_loop(const struct ir_func *f, struct ir_cfg *c, ir_block header, ir_block *stack,
		     ir_block *mark)
{
	uint32_t depth = 0;

	for (uint32_t k = 0; k < f->blocks[header].npreds; k++) {
		ir_block source = f->blocks[header].preds[k];

		if (c->rpo_index[source] != NONE && ir_dominates(c, header, source) &&
		    mark[source] != header) {
			mark[source] = header;
			stack[depth++] = source;
		}
	}
	if (!depth)
		return;
	c->loop_parent[header] = c->loop_header[header];
	if (mark[header] != header) {
		mark[header] = header;
		stack[depth++] = header;
	}
	while (depth) {
		ir_block b = stack[--depth];

		c->loop_depth[b]++;
		c->loop_header[b] = header;
		if (b == header)
			continue;
		for (uint32_t k = 0; k < f->blocks[b].npreds; k++) {
			ir_block p = f->blocks[b].preds[k];

			if (c->rpo_index[p] != NONE && mark[p] != header) {
				mark[p] = header;
				stack[depth++] = p;
			}
		}
	}
}

struct ir_cfg *ir_cfg_build(const struct ir_func *f)
{
	struct arena *a = f->module->arena;
	struct ir_cfg *c = arena_alloc(a, sizeof(*c));
	struct graph g = graph_new(f);
	uint32_t *cursor = arena_array(a, f->nblocks, sizeof(*cursor));
	ir_block *stack = arena_array(a, f->nblocks, sizeof(*stack));
	ir_block *mark = arena_array(a, f->nblocks, sizeof(*mark));

	append_postorder(f, &g, f->entry, false, cursor, stack);
	reverse_order(&g);
	compute_dominators(f, &g, false, NULL);
	c->nrpo = g.n;
	c->rpo = g.order;
	c->rpo_index = g.index;
	c->idom = g.idom;
	number_dominators(f, c);
	c->loop_depth = arena_array(a, f->nblocks, sizeof(*c->loop_depth));
	c->loop_header = arena_array(a, f->nblocks, sizeof(*c->loop_header));
	c->loop_parent = arena_array(a, f->nblocks, sizeof(*c->loop_parent));
	for (uint32_t k = 0; k < c->nrpo; k++)
		add_loop(f, c, c->rpo[k], stack, mark);
	compute_postdominators(f, c);
	return c;
}

bool ir_dominates(const struct ir_cfg *c, ir_block a, ir_block b)
{
	if (c->rpo_index[a] == NONE || c->rpo_index[b] == NONE)
		return false;
	return c->dom_enter[a] <= c->dom_enter[b] && c->dom_enter[b] < c->dom_leave[a];
}

bool ir_in_loop(const struct ir_cfg *c, ir_block b, ir_block header)
{
	ir_block h = c->loop_header[b];

	while (h && h != header)
		h = c->loop_parent[h];
	return h != 0;
}
