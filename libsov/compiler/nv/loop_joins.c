// SPDX-License-Identifier: MIT
/*
 * Where the paths of a divergent branch in a loop join in the same iteration. Among the paths
 * of an iteration, those that leave the loop do not count: in
 *
 *	for (...) {
 *		if (a) {
 *			...
 *			if (b)
 *				break;
 *		}
 *		rest;
 *	}
 *
 * the postdominator of the branch on a is the end of the loop, and lanes that reconverge nowhere
 * before would run the rest separately. Its join is the rest.
 *
 * Loops are natural loops by header. In each one, without the edges that leave it, with a loop
 * inside it as one node and with back edges as edges to its end, the join of a block is its
 * immediate postdominator. Each edge counts in one loop, the innermost one around both of its
 * blocks, so the whole takes time linear in the size of the function.
 */
#include "libsov/compiler/nv/mir.h"

struct edge {
	uint32_t from, to;          /* nodes */
	uint32_t next_out, next_in; /* 1 + edge; 0 = last */
};

/* A node is a block in its innermost loop, n + a header: that loop in the one around it, or 2 * n +
 * a header: the end of that loop. */
struct joins {
	const struct mir_func *f;
	struct nv_loops *loops;
	uint32_t n; /* blocks */
	struct edge *edges;
	uint32_t nedges;
	uint32_t *out, *in;     /* by node: 1 + its last edge; 0 = none */
	uint32_t *order, first; /* nodes in reverse postorder of the reversed graph, from first */
	uint32_t *index;        /* by node: in order */
	uint32_t *ipdom;        /* by node; 0 = not known yet */
	uint32_t *stack, *cursor;
};

/* The outermost loop found so far around a loop. */
static uint32_t outermost(uint32_t *top, uint32_t loop)
{
	while (top[loop] != loop)
		loop = top[loop] = top[top[loop]];
	return loop;
}

/* Adds the blocks that lead to a back edge of the header without passing it. */
static void add_loop(const struct mir_func *f, const struct nv_dominators *d, uint32_t header,
		     struct nv_loops *loops, uint32_t *top, uint32_t *stack)
{
	uint32_t depth = 0;
	const struct mir_block *block = &f->blocks[header];

	for (uint32_t p = 0; p < block->npreds; p++)
		if (d->idom[block->preds[p]] && nv_dominates(d, header, block->preds[p]))
			stack[depth++] = block->preds[p];
	if (!depth)
		return;
	loops->of[header] = top[header] = header;
	while (depth) {
		uint32_t b = stack[--depth], inner = loops->of[b];

		if (!d->idom[b])
			continue;
		if (inner) {
			inner = outermost(top, inner);
			if (inner == header)
				continue;
			loops->parent[inner] = top[inner] = header;
			b = inner;
		} else {
			loops->of[b] = header;
		}
		block = &f->blocks[b];
		for (uint32_t p = 0; p < block->npreds; p++) {
			uint32_t from = block->preds[p];

			if (!loops->of[from] || outermost(top, loops->of[from]) != header)
				stack[depth++] = from;
		}
	}
}

static void find_loops(const struct mir_func *f, const struct nv_dominators *d,
		       struct nv_loops *loops)
{
	uint32_t count, edges = 0;
	uint32_t *order = mir_reverse_postorder(f, &count);
	uint32_t *top = arena_array(f->arena, f->nblocks, sizeof(*top)), *stack;

	mir_for_each_block(f, b)
		edges += f->blocks[b].npreds;
	stack = arena_array(f->arena, 2 * edges + 1, sizeof(*stack));
	loops->of = arena_array(f->arena, f->nblocks, sizeof(*loops->of));
	loops->parent = arena_array(f->arena, f->nblocks, sizeof(*loops->parent));
	loops->depth = arena_array(f->arena, f->nblocks, sizeof(*loops->depth));
	for (uint32_t k = count; k-- > 0;) /* loops inside others first */
		add_loop(f, d, order[k], loops, top, stack);
	for (uint32_t k = 0; k < count; k++)
		if (loops->of[order[k]] == order[k])
			loops->depth[order[k]] = 1 + loops->depth[loops->parent[order[k]]];
}

bool nv_is_in_loop(const struct nv_loops *loops, uint32_t b, uint32_t header)
{
	uint32_t loop = loops->of[b];

	while (loops->depth[loop] > loops->depth[header])
		loop = loops->parent[loop];
	return loop == header;
}

/* The innermost loop around two blocks; 0: none. */
static uint32_t common_loop(const struct nv_loops *loops, uint32_t a, uint32_t b)
{
	a = loops->of[a];
	b = loops->of[b];
	while (a != b) {
		if (loops->depth[a] >= loops->depth[b])
			a = loops->parent[a];
		else
			b = loops->parent[b];
	}
	return a;
}

/* The node of a block in a loop around it. */
static uint32_t node_in_loop(const struct joins *j, uint32_t b, uint32_t loop)
{
	uint32_t inner = j->loops->of[b];

	if (inner == loop)
		return b;
	while (j->loops->parent[inner] != loop)
		inner = j->loops->parent[inner];
	return j->n + inner;
}

static void add_edges(struct joins *j, uint32_t b)
{
	const struct mir_block *block = &j->f->blocks[b];

	for (uint32_t s = 0; j->loops->of[b] && s < block->nsucc; s++) {
		uint32_t to = block->succ[s], loop = common_loop(j->loops, b, to);
		struct edge *e = &j->edges[j->nedges];

		if (!loop)
			continue;
		e->from = node_in_loop(j, b, loop);
		e->to = to == loop ? 2 * j->n + loop : node_in_loop(j, to, loop);
		if (e->from == e->to)
			continue;
		e->next_out = j->out[e->from];
		e->next_in = j->in[e->to];
		j->out[e->from] = j->in[e->to] = ++j->nedges;
	}
}

static void order_from_end(struct joins *j, uint32_t end)
{
	uint32_t depth = 0;

	j->stack[depth++] = end;
	j->cursor[end] = j->in[end];
	j->index[end] = 1;
	j->first = 3 * j->n;
	while (depth) {
		uint32_t node = j->stack[depth - 1], edge = j->cursor[node];

		if (!edge) {
			j->order[--j->first] = node;
			depth--;
			continue;
		}
		j->cursor[node] = j->edges[edge - 1].next_in;
		node = j->edges[edge - 1].from;
		if (j->index[node])
			continue;
		j->index[node] = 1; /* seen */
		j->cursor[node] = j->in[node];
		j->stack[depth++] = node;
	}
	for (uint32_t k = j->first; k < 3 * j->n; k++)
		j->index[j->order[k]] = k;
}

static uint32_t compute_join(const struct joins *j, uint32_t node)
{
	uint32_t join = 0;

	for (uint32_t edge = j->out[node]; edge; edge = j->edges[edge - 1].next_out) {
		uint32_t to = j->edges[edge - 1].to;

		if (!j->ipdom[to]) /* not visited yet */
			continue;
		while (join && to != join) {
			if (j->index[to] > j->index[join])
				to = j->ipdom[to];
			else
				join = j->ipdom[join];
		}
		join = to;
	}
	return join;
}

static void find_joins(struct joins *j, uint32_t loop)
{
	bool changed = true;

	order_from_end(j, 2 * j->n + loop);
	j->ipdom[2 * j->n + loop] = 2 * j->n + loop;
	while (changed) {
		changed = false;
		for (uint32_t k = j->first + 1; k < 3 * j->n; k++) {
			uint32_t join = compute_join(j, j->order[k]);

			changed |= join != j->ipdom[j->order[k]];
			j->ipdom[j->order[k]] = join;
		}
	}
}

/* Whether two successors of a block are in its loop. */
static bool divides_iteration(const struct joins *j, uint32_t b)
{
	uint32_t first = j->out[b] ? j->edges[j->out[b] - 1].to : 0;

	for (uint32_t edge = j->out[b]; edge; edge = j->edges[edge - 1].next_out)
		if (j->edges[edge - 1].to != first)
			return true;
	return false;
}

/* A slot of a jump table has room for one instruction: lanes reconverge after it. */
static uint32_t past_table_slot(const struct mir_func *f, uint32_t b)
{
	return b && f->blocks[b].table_slot ? f->blocks[b].succ[0] : b;
}

struct nv_loops nv_find_loops(const struct mir_func *f, const struct nv_dominators *d)
{
	struct nv_loops loops;
	struct joins j = {.f = f, .loops = &loops, .n = f->nblocks};
	uint32_t edges = 0;

	find_loops(f, d, &loops);
	loops.join = arena_array(f->arena, f->nblocks, sizeof(*loops.join));
	loops.join_after = arena_array(f->arena, f->nblocks, sizeof(*loops.join_after));
	mir_for_each_block(f, b)
		edges += f->blocks[b].nsucc;
	j.edges = arena_array(f->arena, edges + 1, sizeof(*j.edges));
	j.out = arena_array(f->arena, 3 * j.n, sizeof(*j.out));
	j.in = arena_array(f->arena, 3 * j.n, sizeof(*j.in));
	j.order = arena_array(f->arena, 3 * j.n, sizeof(*j.order));
	j.index = arena_array(f->arena, 3 * j.n, sizeof(*j.index));
	j.ipdom = arena_array(f->arena, 3 * j.n, sizeof(*j.ipdom));
	j.stack = arena_array(f->arena, 3 * j.n, sizeof(*j.stack));
	j.cursor = arena_array(f->arena, 3 * j.n, sizeof(*j.cursor));
	mir_for_each_block(f, b)
		add_edges(&j, b);
	mir_for_each_block(f, b)
		if (loops.of[b] == b)
			find_joins(&j, b);
	/* The end of a loop and a loop inside another one become the header. */
	mir_for_each_block(f, b) {
		if (loops.of[b] && divides_iteration(&j, b))
			loops.join[b] = past_table_slot(f, j.ipdom[b] % j.n);
		if (loops.of[b] == b)
			loops.join_after[b] = past_table_slot(f, j.ipdom[j.n + b] % j.n);
	}
	return loops;
}
