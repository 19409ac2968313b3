// SPDX-License-Identifier: MIT
/*
 * Reconvergence points. The lanes of a divergent branch reconverge at its immediate postdominator
 * in the CFG without the paths that only end the kernel, since lanes that have exited wait for none
 * and none waits for them. Of several reachable exits the function's return counts, else the last
 * exit in the layout, and a trap only if there is no other. So each block has one exit that it
 * leads to, edges to blocks with other exits are ignored, and each exit is the root of a graph of
 * its own. A block with a guarded EXIT counts as the exit of a loop that no other exit leaves.
 * Lanes whose sides of a branch lead to different exits do not reconverge. (ptxas reconverges lanes
 * after an EXIT, too.)
 *
 * Postdominators are computed as in dominators.c, on the reversed CFG.
 */
#include "libsov/compiler/nv/mir.h"

struct reconvergence {
	const struct mir_func *f;
	uint32_t *order, first; /* reverse postorder of the reversed CFG, from first on */
	uint32_t *index;        /* by block: its index in order */
	uint32_t *exit, *ipdom; /* by block: see nv_find_reconvergence() */
	uint32_t *rank;         /* by block: priority of an exit; 0 = not an exit */
};

static bool has_guarded_exit(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if (i->sass.op == SASS_EXIT)
			return true;
	return false;
}

static void rank_exits(struct reconvergence *r)
{
	uint32_t rank = 0, blocks = r->f->nblocks;

	mir_for_each_block(r->f, b) {
		enum mir_end end = r->f->blocks[b].end;

		rank++;
		if (end == MIR_END_RETURN)
			r->rank[b] = 3 * blocks + rank;
		else if (end == MIR_END_EXIT)
			r->rank[b] = 2 * blocks + rank;
		else if (has_guarded_exit(r->f, b))
			r->rank[b] = blocks + rank;
		else if (end == MIR_END_TRAP)
			r->rank[b] = rank;
		r->exit[b] = r->rank[b] ? b : 0;
	}
}

static void propagate_exits(struct reconvergence *r)
{
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(r->f, &count);
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t k = count; k-- > 0;) {
			uint32_t b = order[k];

			for (uint32_t s = 0; s < r->f->blocks[b].nsucc; s++) {
				uint32_t exit = r->exit[r->f->blocks[b].succ[s]];

				if (r->rank[exit] <= r->rank[r->exit[b]])
					continue;
				r->exit[b] = exit;
				changed = true;
			}
		}
	}
}

/* Reverse postorder of the reversed CFG from one exit, over the blocks that lead to it. */
static void order_from_exit(struct reconvergence *r, uint32_t exit, uint32_t *stack,
			    uint32_t *cursor, bool *seen)
{
	uint32_t depth = 0;

	stack[depth++] = exit;
	seen[exit] = true;
	while (depth) {
		uint32_t b = stack[depth - 1];
		const struct mir_block *block = &r->f->blocks[b];

		if (cursor[b] == block->npreds) {
			r->order[--r->first] = b;
			depth--;
		} else {
			uint32_t from = block->preds[cursor[b]++];

			if (r->exit[from] == exit && !seen[from]) {
				seen[from] = true;
				stack[depth++] = from;
			}
		}
	}
}

static void compute_order(struct reconvergence *r)
{
	struct arena *a = r->f->arena;
	uint32_t *stack = arena_array(a, r->f->nblocks, sizeof(*stack));
	uint32_t *cursor = arena_array(a, r->f->nblocks, sizeof(*cursor));
	bool *seen = arena_array(a, r->f->nblocks, sizeof(*seen));

	r->first = r->f->nblocks;
	mir_for_each_block(r->f, b)
		if (r->rank[b])
			order_from_exit(r, b, stack, cursor, seen);
	for (uint32_t k = r->first; k < r->f->nblocks; k++)
		r->index[r->order[k]] = k;
}

/* Both lead to the same exit, so they have a common postdominator. */
static uint32_t common_ipdom(const struct reconvergence *r, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (r->index[a] > r->index[b])
			a = r->ipdom[a];
		else
			b = r->ipdom[b];
	}
	return a;
}

static uint32_t compute_ipdom(const struct reconvergence *r, uint32_t b)
{
	const struct mir_block *block = &r->f->blocks[b];
	uint32_t ipdom = 0;

	for (uint32_t s = 0; s < block->nsucc; s++) {
		uint32_t to = block->succ[s];

		/* 0: not visited yet, a back edge. */
		if (r->exit[to] == r->exit[b] && r->ipdom[to])
			ipdom = ipdom ? common_ipdom(r, ipdom, to) : to;
	}
	return ipdom;
}

void nv_find_reconvergence(const struct mir_func *f, uint32_t **exits, uint32_t **points)
{
	struct reconvergence r = {.f = f};
	bool changed = true;

	r.order = arena_array(f->arena, f->nblocks, sizeof(*r.order));
	r.index = arena_array(f->arena, f->nblocks, sizeof(*r.index));
	r.exit = arena_array(f->arena, f->nblocks, sizeof(*r.exit));
	r.ipdom = arena_array(f->arena, f->nblocks, sizeof(*r.ipdom));
	r.rank = arena_array(f->arena, f->nblocks, sizeof(*r.rank));
	rank_exits(&r);
	propagate_exits(&r);
	mir_for_each_block(f, b)
		if (r.exit[b] != b) /* a guarded EXIT on the path to another exit */
			r.rank[b] = 0;
	compute_order(&r);
	while (changed) {
		changed = false;
		for (uint32_t k = r.first; k < f->nblocks; k++) {
			uint32_t b = r.order[k], ipdom = r.rank[b] ? b : compute_ipdom(&r, b);

			changed |= ipdom != r.ipdom[b];
			r.ipdom[b] = ipdom;
		}
	}
	/* Lanes that diverge to different exits do not reconverge. */
	mir_for_each_block(f, b)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			if (r.exit[f->blocks[b].succ[s]] != r.exit[b])
				r.ipdom[b] = 0;
	/* A slot of a jump table has room for one instruction: lanes reconverge after it. */
	mir_for_each_block(f, b)
		if (r.ipdom[b] != b && f->blocks[r.ipdom[b]].table_slot)
			r.ipdom[b] = f->blocks[r.ipdom[b]].succ[0];
	*exits = r.exit;
	*points = r.ipdom;
}
