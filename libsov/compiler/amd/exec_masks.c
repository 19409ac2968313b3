// SPDX-License-Identifier: MIT
/*
 * Exec-mask control flow: plans how one wave executes a divergent CFG, which may be irreducible.
 *
 * Blocks have a linear order, a topological order except for back edges to loop headers, with each
 * loop contiguous. The wave sweeps along this order. At a divergent branch each lane waits for its
 * target block (lower_branches.c); each masked block runs with the lanes that wait for it; at the
 * end of a loop the wave returns to the header if lanes wait there. A block therefore runs once per
 * sweep with all lanes that reach it, and lanes reconverge no later than at the branch's
 * reconvergence point, its immediate postdominator. Uniform control flow uses plain jumps.
 *
 * The region of a divergent branch is the set of blocks reachable before its reconvergence point.
 * Lanes wait only for blocks of regions and reconvergence points ("masked" blocks). If lanes can
 * run another iteration of a loop that contains the postdominator without passing it, the sweep
 * merges late and early lanes at the header instead; the reconvergence point is then the next
 * postdominator outside the loop.
 *
 * Divergence of values depends on reconvergence, so the divergence analysis runs with these points.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

struct control_builder {
	struct gcn_control *c;
	const struct ir_func *f;
	struct arena *a;
	/* Postdominators; index: in postorder, from 1. */
	bool *exit_counted, *reachable, *reaches_end; /* by block */
	bool *reaches_barrier;                        /* by block; NULL: no block has one */
	ir_block *postorder, *ipdom;
	uint32_t npostorder, *cursor;
	/* Tarjan's algorithm */
	uint32_t *index, *low, counter;
	bool *on_stack;
	uint32_t *subgraph, nsubgraphs; /* by block: the last subgraph that it was in */
	ir_block *stack;
	uint32_t depth;
	uint32_t *walked_in, walk; /* by block: the last region that it was in */
	ir_block *region;          /* its blocks */
	uint32_t nregion;
	ir_block *region_of;    /* by block: branch of the last recorded region that it was in */
	uint32_t *union_parent; /* by block: union-find forest of mask components */
};

bool gcn_is_exit_block(const struct ir_func *f, ir_block b)
{
	const struct ir_inst *in = ir_at(f, f->blocks[b].first);

	return f->kind == IR_KERNEL && (in->op == IR_RET || in->op == IR_EXIT);
}

/* Successor k of a conditional branch only ends lanes, and the other one does not. */
static bool is_exit_edge(const struct ir_func *f, ir_block b, uint32_t k)
{
	const struct ir_bb *bb = &f->blocks[b];

	return bb->nsucc == 2 && gcn_is_exit_block(f, bb->succ[k]) &&
	       !gcn_is_exit_block(f, bb->succ[1 - k]);
}

bool gcn_branch_diverges(const struct gcn_control *c, ir_block b)
{
	return c->divergence->branch[b] && c->f->blocks[b].nsucc == 2 &&
	       !is_exit_edge(c->f, b, 0) && !is_exit_edge(c->f, b, 1);
}

/* ---- block order ---- */

static bool has_barrier(const struct ir_func *f, ir_block b)
{
	bool found = gcn_is_sync_header(f, b);

	ir_for_each_inst(f, b, i)
		found |= ir_at(f, i)->op == IR_BARRIER || ir_at(f, i)->op == IR_BARRIER_RED;
	return found;
}

static void add_barrier_reaching(struct control_builder *builder, ir_block b)
{
	if (builder->reaches_barrier[b])
		return;
	builder->reaches_barrier[b] = true;
	builder->stack[builder->depth++] = b;
}

static void find_barrier_reaching(struct control_builder *builder, const ir_block *blocks,
				  uint32_t n)
{
	builder->reaches_barrier = arena_array(builder->a, builder->f->nblocks, sizeof(bool));
	builder->depth = 0;
	for (uint32_t k = 0; k < n; k++)
		if (has_barrier(builder->f, blocks[k]))
			add_barrier_reaching(builder, blocks[k]);
	if (!builder->depth)
		builder->reaches_barrier = NULL;
	while (builder->depth) {
		const struct ir_bb *bb = &builder->f->blocks[builder->stack[--builder->depth]];

		for (uint32_t p = 0; p < bb->npreds; p++)
			add_barrier_reaching(builder, bb->preds[p]);
	}
}

/*
 * Whether the second successor of b comes before the first in the order; find_strong_components()
 * visits the one that comes first last. The wave executes a barrier once, with the lanes that have
 * arrived there. Lanes that will end without a barrier, but wait for another block, would store to
 * shared memory only after other waves have passed it; so their blocks come first.
 */
static bool is_second_first(const struct control_builder *builder, ir_block b)
{
	const struct ir_bb *bb = &builder->f->blocks[b];

	return builder->reaches_barrier && bb->nsucc == 2 &&
	       builder->reaches_barrier[bb->succ[0]] && !builder->reaches_barrier[bb->succ[1]];
}

struct tarjan_frame {
	ir_block b;
	uint32_t next;
};

/*
 * Tarjan's strongly connected components of the last subgraph, in reverse topological order. Each
 * component is a run of out[]; returns the number of blocks.
 */
static uint32_t find_strong_components(struct control_builder *builder, const ir_block *blocks,
				       uint32_t n, ir_block *out, uint32_t *sizes, uint32_t *nsizes)
{
	struct tarjan_frame *frames = arena_array(builder->a, n + 1, sizeof(*frames));
	uint32_t count = 0, top;

	*nsizes = 0;
	builder->counter = 0;
	builder->depth = 0;
	for (uint32_t k = 0; k < n; k++)
		builder->index[blocks[k]] = 0;
	for (uint32_t k = 0; k < n; k++) {
		if (builder->index[blocks[k]])
			continue;
		top = 0;
		frames[top++] = (struct tarjan_frame){blocks[k], 0};
		while (top) {
			struct tarjan_frame *fr = &frames[top - 1];
			const struct ir_bb *bb = &builder->f->blocks[fr->b];
			ir_block b = fr->b;

			if (!fr->next) {
				builder->index[b] = builder->low[b] = ++builder->counter;
				builder->stack[builder->depth++] = b;
				builder->on_stack[b] = true;
			}
			if (fr->next < bb->nsucc) {
				bool second_first = is_second_first(builder, b);
				uint32_t next = fr->next++;
				ir_block s = bb->succ[second_first ? next : bb->nsucc - 1 - next];

				if (builder->subgraph[s] != builder->nsubgraphs)
					continue;
				if (!builder->index[s])
					frames[top++] = (struct tarjan_frame){s, 0};
				else if (builder->on_stack[s] &&
					 builder->index[s] < builder->low[b])
					builder->low[b] = builder->index[s];
				continue;
			}
			fr->next = 1; /* do not push a block without successors again */
			if (builder->low[b] == builder->index[b]) {
				uint32_t size = 0;
				ir_block s;

				do {
					s = builder->stack[--builder->depth];
					builder->on_stack[s] = false;
					out[count++] = s;
					size++;
				} while (s != b);
				sizes[(*nsizes)++] = size;
			}
			if (--top && builder->low[b] < builder->low[frames[top - 1].b])
				builder->low[frames[top - 1].b] = builder->low[b];
		}
	}
	return count;
}

static bool has_edge(const struct ir_func *f, ir_block from, ir_block to)
{
	for (uint32_t k = 0; k < f->blocks[from].nsucc; k++)
		if (f->blocks[from].succ[k] == to)
			return true;
	return false;
}

/*
 * Chooses a header for a cycle: of the blocks that can be entered from outside, the first in the
 * front end's order. A sync header takes precedence, so that lanes waiting there let all other
 * lanes of the cycle run.
 */
static ir_block choose_loop_header(const struct control_builder *builder, const ir_block *blocks,
				   uint32_t n)
{
	ir_block best = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct ir_bb *bb = &builder->f->blocks[blocks[k]];

		if (gcn_is_sync_header(builder->f, blocks[k]))
			return blocks[k];
		for (uint32_t p = 0; p < bb->npreds; p++)
			if (builder->subgraph[bb->preds[p]] != builder->nsubgraphs &&
			    (!best || blocks[k] < best))
				best = blocks[k];
	}
	return best ? best : blocks[n - 1];
}

static void begin_subgraph(struct control_builder *builder, const ir_block *blocks, uint32_t n)
{
	builder->nsubgraphs++;
	for (uint32_t k = 0; k < n; k++)
		builder->subgraph[blocks[k]] = builder->nsubgraphs;
}

static void order_blocks(struct control_builder *builder, const ir_block *blocks, uint32_t n,
			 uint32_t loop);

static void order_loop(struct control_builder *builder, const ir_block *blocks, uint32_t n,
		       uint32_t around)
{
	struct gcn_control *c = builder->c;
	ir_block *rest = arena_array(builder->a, n, sizeof(*rest)), header;
	uint32_t count = 0, number = c->nloops;

	begin_subgraph(builder, blocks, n);
	header = choose_loop_header(builder, blocks, n);
	c->loops = arena_grow(builder->a, c->loops, &c->loops_capacity, c->nloops + 1,
			      sizeof(*c->loops));
	c->loops[c->nloops++] = (struct gcn_loop){header, c->count, 0, around};
	c->position[header] = c->count;
	c->loop_of[header] = number + 1;
	c->order[c->count++] = header;
	for (uint32_t k = 0; k < n; k++)
		if (blocks[k] != header)
			rest[count++] = blocks[k];
	order_blocks(builder, rest, count, number + 1);
	c->loops[number].end = c->count;
}

static void order_blocks(struct control_builder *builder, const ir_block *blocks, uint32_t n,
			 uint32_t loop)
{
	struct gcn_control *c = builder->c;
	ir_block *out = arena_array(builder->a, n + 1, sizeof(*out));
	uint32_t *sizes = arena_array(builder->a, n + 1, sizeof(*sizes)), nsizes, at;

	begin_subgraph(builder, blocks, n);
	at = find_strong_components(builder, blocks, n, out, sizes, &nsizes);
	while (nsizes--) {
		ir_block *part = &out[at -= sizes[nsizes]];

		if (sizes[nsizes] > 1 || has_edge(builder->f, *part, *part)) {
			order_loop(builder, part, sizes[nsizes], loop);
			continue;
		}
		c->position[*part] = c->count;
		c->loop_of[*part] = loop;
		c->order[c->count++] = *part;
	}
}

/* ---- reconvergence ---- */

/* Edges that end lanes are ignored unless the block is in exit_counted. */
static bool edge_counts(const struct control_builder *builder, ir_block b, uint32_t k)
{
	return builder->exit_counted[b] || !is_exit_edge(builder->f, b, k);
}

/* Appends the blocks from which edges that count lead to the block, in postorder of the reversed
 * graph. */
static void append_backward_postorder(struct control_builder *builder, ir_block end)
{
	const struct ir_func *f = builder->f;
	uint32_t depth = 0;

	builder->stack[depth++] = end;
	builder->reaches_end[end] = true;
	while (depth) {
		ir_block b = builder->stack[depth - 1], p;
		uint32_t k = 0;

		if (builder->cursor[b] == f->blocks[b].npreds) {
			builder->postorder[builder->npostorder] = b;
			builder->index[b] = ++builder->npostorder;
			depth--;
			continue;
		}
		p = f->blocks[b].preds[builder->cursor[b]++];
		while (k < f->blocks[p].nsucc &&
		       (f->blocks[p].succ[k] != b || !edge_counts(builder, p, k)))
			k++;
		if (k < f->blocks[p].nsucc && builder->reachable[p] && !builder->reaches_end[p]) {
			builder->reaches_end[p] = true;
			builder->stack[depth++] = p;
		}
	}
}

/* The end of the kernel is block 0, with the highest index. */
static ir_block common_postdominator(const struct control_builder *builder, ir_block a, ir_block b)
{
	while (a != b) {
		while (a != b && builder->index[a] < builder->index[b])
			a = builder->ipdom[a];
		while (a != b && builder->index[b] < builder->index[a])
			b = builder->ipdom[b];
	}
	return a;
}

static ir_block compute_ipdom(const struct control_builder *builder, ir_block b, const bool *known)
{
	const struct ir_bb *bb = &builder->f->blocks[b];
	ir_block ipdom = 0;
	bool found = false;

	for (uint32_t k = 0; k < bb->nsucc; k++) {
		ir_block s = bb->succ[k];

		if (!edge_counts(builder, b, k) || !known[s])
			continue;
		ipdom = found ? common_postdominator(builder, ipdom, s) : s;
		found = true;
	}
	return ipdom;
}

/*
 * Immediate postdominators of the blocks that reach an end, by the iteration of Cooper, Harvey and
 * Kennedy over the reversed graph; 0: the end of the kernel, or none.
 */
static void solve_postdominators(struct control_builder *builder)
{
	const struct ir_func *f = builder->f;
	bool *known = arena_array(builder->a, f->nblocks, sizeof(*known)), changed = true;

	memset(builder->reaches_end, 0, f->nblocks * sizeof(*builder->reaches_end));
	memset(builder->cursor, 0, f->nblocks * sizeof(*builder->cursor));
	memset(builder->ipdom, 0, f->nblocks * sizeof(*builder->ipdom));
	builder->npostorder = 0;
	for (uint32_t k = builder->c->count; k--;)
		if (!f->blocks[builder->c->order[k]].nsucc)
			append_backward_postorder(builder, builder->c->order[k]);
	builder->index[0] = UINT32_MAX;
	while (changed) {
		changed = false;
		for (uint32_t k = builder->npostorder; k--;) {
			ir_block b = builder->postorder[k],
				 ipdom = compute_ipdom(builder, b, known);

			changed |= !known[b] || builder->ipdom[b] != ipdom;
			known[b] = true;
			builder->ipdom[b] = ipdom;
		}
	}
}

/* A loop that lanes leave only by ending has no postdominator: count its last exit edge. */
static bool count_exit_edge(struct control_builder *builder)
{
	for (uint32_t k = builder->c->count; k--;) {
		ir_block b = builder->c->order[k];

		if (builder->reaches_end[b] || builder->exit_counted[b] ||
		    !(is_exit_edge(builder->f, b, 0) || is_exit_edge(builder->f, b, 1)))
			continue;
		builder->exit_counted[b] = true;
		return true;
	}
	return false;
}

static void find_postdominators(struct control_builder *builder)
{
	uint32_t nblocks = builder->f->nblocks;

	builder->exit_counted = arena_array(builder->a, nblocks, sizeof(*builder->exit_counted));
	builder->reaches_end = arena_array(builder->a, nblocks, sizeof(*builder->reaches_end));
	builder->reachable = arena_array(builder->a, nblocks, sizeof(*builder->reachable));
	builder->cursor = arena_array(builder->a, nblocks, sizeof(*builder->cursor));
	builder->postorder = arena_array(builder->a, nblocks, sizeof(*builder->postorder));
	for (uint32_t k = 0; k < builder->c->count; k++)
		builder->reachable[builder->c->order[k]] = true;
	do
		solve_postdominators(builder);
	while (count_exit_edge(builder));
}

static bool in_region(const struct control_builder *builder, ir_block b)
{
	return builder->walked_in[b] == builder->walk;
}

/* Lists the blocks reachable from the branch without passing the join. */
static void find_divergent_region(struct control_builder *builder, ir_block branch, ir_block join)
{
	const struct ir_func *f = builder->f;
	uint32_t depth = 0;

	builder->walk++;
	builder->nregion = 0;
	builder->stack[depth++] = branch;
	while (depth) {
		ir_block b = builder->stack[--depth];
		const struct ir_bb *bb = &f->blocks[b];

		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != join && !in_region(builder, bb->succ[k]) &&
			    !is_exit_edge(f, b, k)) {
				builder->walked_in[bb->succ[k]] = builder->walk;
				builder->region[builder->nregion++] = bb->succ[k];
				builder->stack[depth++] = bb->succ[k];
			}
	}
}

static void record_region(struct control_builder *builder, ir_block branch)
{
	for (uint32_t k = 0; k < builder->nregion; k++)
		builder->region_of[builder->region[k]] = branch;
}

/*
 * The branch of a recorded region that contains the region of b and its join; 0: none is known.
 * Both joins are postdominators of b, and no path from b reaches the later one first: if the join
 * of b is in the region or is its join, all blocks before it are in the region. Without this test
 * nested branches would take quadratic time.
 */
static ir_block enclosing_region(const struct control_builder *builder, ir_block b, ir_block join)
{
	ir_block branch = builder->region_of[b];

	return branch && (join == builder->c->reconvergence[branch] ||
			  (join && builder->region_of[join] == branch))
		       ? branch
		       : 0;
}

bool gcn_in_loop(const struct gcn_control *c, ir_block b, uint32_t loop)
{
	const struct gcn_loop *l = &c->loops[loop];

	return b && c->position[b] >= l->begin && c->position[b] < l->end;
}

/*
 * Whether lanes of the branch can run another iteration of a loop that contains the join without
 * passing the join.
 */
static bool can_bypass(const struct control_builder *builder, ir_block branch, ir_block join)
{
	const struct gcn_control *c = builder->c;

	for (uint32_t l = c->loop_of[branch]; l; l = c->loops[l - 1].parent)
		if (in_region(builder, c->loops[l - 1].header) && gcn_in_loop(c, join, l - 1))
			return true;
	return false;
}

/* The loops around the join that contain the branch, too, contain the outermost loop of both. */
static bool are_in_one_loop(const struct gcn_control *c, ir_block branch, ir_block join)
{
	for (uint32_t l = c->loop_of[branch]; l; l = c->loops[l - 1].parent)
		if (gcn_in_loop(c, join, l - 1))
			return true;
	return false;
}

/*
 * Whether the region of b lies in one whose branch, join and b have the same innermost loop. No
 * header of these loops is in that region, so b has no way around its join either.
 */
static bool lies_in_bounded_region(const struct control_builder *builder, ir_block b, ir_block join)
{
	const struct gcn_control *c = builder->c;
	ir_block around = enclosing_region(builder, b, join);

	return around && c->loop_of[b] == c->loop_of[around] &&
	       c->loop_of[b] == c->loop_of[c->reconvergence[around]];
}

static void find_reconvergence(struct control_builder *builder)
{
	struct gcn_control *c = builder->c;

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], join = builder->ipdom[b];

		c->reconvergence[b] = join;
		if (c->f->blocks[b].nsucc < 2 || !are_in_one_loop(c, b, join) ||
		    lies_in_bounded_region(builder, b, join))
			continue;
		find_divergent_region(builder, b, join);
		while (can_bypass(builder, b, join)) {
			join = builder->ipdom[join];
			find_divergent_region(builder, b, join);
		}
		c->reconvergence[b] = join;
		record_region(builder, b);
	}
}

/* ---- masked blocks ---- */

static uint32_t component_root(struct control_builder *builder, uint32_t b)
{
	while (builder->union_parent[b] != b)
		b = builder->union_parent[b] = builder->union_parent[builder->union_parent[b]];
	return b;
}

/* The masked block whose lanes execute b; 0: b runs with the full mask. */
static ir_block masked_ancestor(const struct gcn_control *c, ir_block b)
{
	return c->masked[b] ? b : 0; /* without structures, each block has its own mask or none */
}

static void mask_blocks(struct control_builder *builder)
{
	struct gcn_control *c = builder->c;
	const struct ir_func *f = builder->f;

	memset(builder->region_of, 0, f->nblocks * sizeof(*builder->region_of));
	for (uint32_t b = 0; b < f->nblocks; b++)
		builder->union_parent[b] = b;
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], join = c->reconvergence[b];

		if (!gcn_branch_diverges(c, b) || c->branch_structure[b] ||
		    enclosing_region(builder, b, join))
			continue;
		find_divergent_region(builder, b, join);
		record_region(builder, b);
		if (join && !in_region(builder, join))
			builder->region[builder->nregion++] = join;
		for (uint32_t j = 0; j < builder->nregion; j++) {
			c->masked[builder->region[j]] = true;
			builder->union_parent[component_root(builder, builder->region[j])] =
				component_root(builder, f->blocks[b].succ[0]);
		}
	}
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], from = masked_ancestor(c, b);

		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			if (from && c->masked[f->blocks[b].succ[s]])
				builder->union_parent[component_root(builder, from)] =
					component_root(builder, f->blocks[b].succ[s]);
	}
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], from = masked_ancestor(c, b);

		c->component[b] = component_root(builder, b);
		c->waiting_component[b] = from ? 1 + component_root(builder, from) : 0;
	}
}

bool gcn_edge_is_masked(const struct gcn_control *c, ir_block b, ir_block s)
{
	uint32_t around = c->structure_of[b], into = c->structure_of[s];

	if (around && c->structures[around - 1].join == s)
		return false;
	if (into && c->structures[into - 1].loop == s &&
	    c->position[b] >= c->structures[into - 1].begin &&
	    c->position[b] < c->structures[into - 1].end)
		return false;
	return c->masked[s];
}

bool gcn_branch_is_uniform(const struct gcn_control *c, ir_block b)
{
	const struct ir_bb *bb = &c->f->blocks[b];
	bool lanes_complete = !c->waiting_component[b];

	/*
	 * At a join all lanes are present again, so a uniform branch there is a plain jump. No lane
	 * waits for a block that is reached only from the join.
	 */
	for (uint32_t k = 0; k < 2; k++)
		lanes_complete |= !gcn_is_exit_block(c->f, bb->succ[k]) &&
				  !gcn_edge_is_masked(c, b, bb->succ[k]);
	return !c->divergence->branch[b] && lanes_complete;
}

struct gcn_control *gcn_control_build(struct ir_func *f, bool calls_may_exit)
{
	struct arena *a = f->module->arena;
	struct gcn_control *c = arena_alloc(a, sizeof(*c));
	struct ir_cfg cfg = *ir_cfg_build(f);
	struct control_builder builder = {.c = c, .f = f, .a = a};

	c->f = f;
	c->calls_may_exit = calls_may_exit;
	c->order = arena_array(a, f->nblocks, sizeof(*c->order));
	c->position = arena_array(a, f->nblocks, sizeof(*c->position));
	c->loop_of = arena_array(a, f->nblocks, sizeof(*c->loop_of));
	c->masked = arena_array(a, f->nblocks, sizeof(*c->masked));
	c->component = arena_array(a, f->nblocks, sizeof(*c->component));
	c->reconvergence = arena_array(a, f->nblocks, sizeof(*c->reconvergence));
	c->structure_of = arena_array(a, f->nblocks, sizeof(*c->structure_of));
	c->branch_structure = arena_array(a, f->nblocks, sizeof(*c->branch_structure));
	c->loop_structure = arena_array(a, f->nblocks, sizeof(*c->loop_structure));
	c->waiting_component = arena_array(a, f->nblocks, sizeof(*c->waiting_component));
	builder.index = arena_array(a, f->nblocks, sizeof(*builder.index));
	builder.low = arena_array(a, f->nblocks, sizeof(*builder.low));
	builder.on_stack = arena_array(a, f->nblocks, sizeof(*builder.on_stack));
	builder.stack = arena_array(a, f->nblocks + 1, sizeof(*builder.stack));
	builder.subgraph = arena_array(a, f->nblocks, sizeof(*builder.subgraph));
	builder.walked_in = arena_array(a, f->nblocks, sizeof(*builder.walked_in));
	builder.region = arena_array(a, f->nblocks + 1, sizeof(*builder.region));
	builder.region_of = arena_array(a, f->nblocks, sizeof(*builder.region_of));
	builder.union_parent = arena_array(a, f->nblocks, sizeof(*builder.union_parent));
	builder.ipdom = arena_array(a, f->nblocks, sizeof(*builder.ipdom));
	find_barrier_reaching(&builder, cfg.rpo, cfg.nrpo);
	order_blocks(&builder, cfg.rpo, cfg.nrpo, 0);
	find_postdominators(&builder);
	find_reconvergence(&builder);
	cfg.ipdom = c->reconvergence;
	c->divergence = ir_divergence_compute(f, &cfg);
	gcn_find_structured_branches(c, a);
	mask_blocks(&builder);
	return c;
}
