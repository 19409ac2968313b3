// SPDX-License-Identifier: MIT
/*
 * Placement of convergence barriers. After a divergent branch the lanes of a warp run separately
 * until they reconverge: BSSY records the active lanes in a barrier register, BSYNC makes these
 * lanes wait for each other, except those that have exited, and BREAK removes the active lanes from
 * the register.
 *
 * Around a region (convergence_regions.c), BSSY goes to the end of the head and onto each entry,
 * BSYNC to a new block on the edges from the region to the point, and BREAK onto the edges by which
 * lanes leave the loop of the region, or before the branch with the branch's guard. So each lane
 * executes BSSY and one of the others alternately, and the lanes that execute one BSSY together all
 * reach the BSYNC, a BREAK or an exit. What a BSYNC does without a BSSY before it, or a BSSY with
 * lanes of the same barrier still in the region, does not matter then.
 *
 * Where a BREAK releases lanes that wait, a later BSYNC does not reconverge these with the others
 * on an H200: some passed a block barrier before the rest. So a WARPSYNC of all lanes follows the
 * BSYNC at which lanes that have left a loop are the last to reconverge; ptxas has it, too.
 */
#include <stdlib.h>
#include "libsov/compiler/nv/convergence.h"

static struct mir_source barrier_operand(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_BREG, .reg = (uint8_t)number}};
}

/* A new block is inside the regions around another one. */
static void copy_memberships(struct convergence *c, uint32_t to, uint32_t from)
{
	for (const struct membership *m = c->regions_around[from]; m; m = m->next)
		nv_add_membership(c, to, m->region);
}

/* A jump table slot holds only its BRA: moves the head to a new block after the slot. */
static void move_head_out_of_slot(struct convergence *c, struct region *r)
{
	struct mir_func *f = c->f;
	uint32_t slot = r->head, to = f->blocks[slot].succ[0], b;

	b = mir_block_new(f, f->blocks[to].previous);
	f->blocks[b].end = MIR_END_JUMP;
	f->blocks[b].line = f->blocks[slot].line;
	f->blocks[b].depth = f->blocks[slot].depth;
	mir_redirect_edge(f, slot, to, b);
	mir_add_edge(f, b, to);
	r->head = b;
	copy_memberships(c, b, slot);
	for (uint32_t k = c->regions_at_head[slot]; k; k = c->regions[k - 1].next_of_head) {
		if (c->regions[k - 1].head == slot)
			nv_add_membership(c, b, k - 1);
	}
}

static void insert_bssy(struct mir_func *f, struct region *r, uint32_t b)
{
	struct mir_inst *bssy = mir_inst_new(f, SASS_BSSY), *last = f->blocks[b].last;

	/* Before sm_80 ptxas clears a barrier before each BSSY; why is not documented. */
	if (f->sm < 80) {
		struct mir_inst *clear = mir_inst_new(f, SASS_BMOV_READ);

		mir_set_operand(clear, 0,
				(struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
		mir_set_operand(clear, 1, barrier_operand(r->barrier));
		clear->sass.mod[SASS_M_CLEAR] = 1;
		mir_insert(f, b, last && last->terminator ? last : NULL, clear);
	}
	mir_set_operand(bssy, 0, barrier_operand(r->barrier));
	mir_set_operand(bssy, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	mir_insert(f, b, last && last->terminator ? last : NULL, bssy);
	r->bssy[r->nbssy++] = bssy;
}

/* The block on an edge; 0: it has none yet. */
static uint32_t block_on_edge(const struct convergence *c, struct edge edge)
{
	for (uint32_t k = 0; k < c->nedge_blocks; k++) {
		if (c->edge_blocks[k].edge.from == edge.from &&
		    c->edge_blocks[k].edge.to == edge.to)
			return c->edge_blocks[k].block;
	}
	return 0;
}

/* Returns a block that only the lanes on an edge pass. Edges that leave a loop: outside of it. */
static uint32_t split_edge(struct convergence *c, struct edge edge, bool leaves_loop)
{
	struct mir_func *f = c->f;
	const struct mir_block *from = &f->blocks[edge.from];
	uint32_t b = block_on_edge(c, edge);

	if (b)
		return b;
	if (from->nsucc == 1 && !from->table_slot)
		return edge.from;
	b = mir_block_new(f, from->table_slot || leaves_loop ? f->blocks[edge.to].previous
							     : edge.from);
	f->blocks[b].end = MIR_END_JUMP;
	f->blocks[b].line = f->blocks[edge.from].line;
	f->blocks[b].depth = f->blocks[edge.to].depth;
	mir_redirect_edge(f, edge.from, edge.to, b);
	mir_add_edge(f, b, edge.to);
	copy_memberships(c, b, edge.from);
	for (uint32_t k = c->regions_at_head[edge.from]; k; k = c->regions[k - 1].next_of_head) {
		if (c->regions[k - 1].head == edge.from)
			nv_add_membership(c, b, k - 1);
	}
	c->edge_blocks[c->nedge_blocks++] = (struct edge_block){edge, b};
	return b;
}

/* Lanes that leave by a divergent branch leave the barrier before it, while they are converged with
 * those that stay, which then need not wait for them. Not in the head, where BSSY comes last, and
 * not before a uniform branch, which all lanes of a group take. */
static void insert_break(struct convergence *c, const struct region *r, struct edge edge)
{
	struct mir_func *f = c->f;
	struct mir_inst *i = mir_inst_new(f, SASS_BREAK);
	const struct mir_block *from = &f->blocks[edge.from];
	struct mir_source guard = from->cond;
	uint32_t b;

	mir_set_operand(i, 0, barrier_operand(r->barrier));
	if (from->end == MIR_END_BRANCH && mir_may_diverge(from) &&
	    from->succ[0] != from->succ[1] && edge.from != r->head && !block_on_edge(c, edge)) {
		if (edge.to == from->succ[1])
			guard.op.flags ^= SASS_NEG;
		mir_set_guard(i, guard);
		mir_insert(f, edge.from, NULL, i);
		return;
	}
	b = split_edge(c, edge, true);
	mir_insert(f, b, f->blocks[b].first, i);
}

static void insert_edges(struct convergence *c, struct region *r)
{
	for (uint32_t e = 0; r->barrier < MIR_BARRIERS && e < r->nedges; e++) {
		if (r->loop)
			insert_break(c, r, r->edges[e]);
		else
			insert_bssy(c->f, r, split_edge(c, r->edges[e], false));
	}
}

static void insert_barrier(struct convergence *c, struct region *r)
{
	struct mir_func *f = c->f;
	struct mir_inst *bsync = mir_inst_new(f, SASS_BSYNC);

	if (f->blocks[r->head].table_slot)
		move_head_out_of_slot(c, r);
	r->bsync_block = mir_block_new(f, f->blocks[r->point].previous);
	for (uint32_t p = 0; p < f->blocks[r->point].npreds;) {
		uint32_t from = f->blocks[r->point].preds[p];

		if (from == r->head || nv_is_in_region(c, r, from))
			mir_redirect_edge(f, from, r->point, r->bsync_block);
		else
			p++;
	}
	mir_add_edge(f, r->bsync_block, r->point);
	f->blocks[r->bsync_block].end = MIR_END_JUMP;
	mir_set_operand(bsync, 0, barrier_operand(r->barrier));
	mir_insert(f, r->bsync_block, NULL, bsync);
	insert_bssy(f, r, r->head);
	copy_memberships(c, r->bsync_block, r->head);
}

/* Inner regions first: at a common reconvergence point, lanes reconverge from the inside out. The
 * head of a region dominates those of the regions inside it. */
static int compare_nesting(const void *a, const void *b)
{
	const struct region *x = *(struct region *const *)a, *y = *(struct region *const *)b;

	if (x->nesting != y->nesting)
		return x->nesting > y->nesting ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static void insert_warpsync(struct mir_func *f, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(f, f->sm >= 90 ? SASS_WARPSYNC_ALL : SASS_WARPSYNC);

	if (f->sm < 90)
		mir_set_operand(i, 1, mir_imm(UINT32_MAX));
	i->members = MIR_ALL_LANES;
	i->line = before ? before->line : f->blocks[b].line;
	mir_insert(f, b, before, i);
}

static void visit_region(struct convergence *c, uint32_t region, uint32_t *list, uint32_t *count)
{
	if (c->regions[region].walked_in == c->walk)
		return;
	c->regions[region].walked_in = c->walk;
	list[(*count)++] = region;
}

static void visit_regions_around(struct convergence *c, uint32_t b, uint32_t *list, uint32_t *count)
{
	for (const struct membership *m = c->regions_around[b]; m; m = m->next)
		visit_region(c, m->region, list, count);
}

/* Marks the regions at whose points the whole warp reconverges after lanes have left a loop: from
 * that loop's region outwards, and on to the regions around a point where the warp is still
 * divergent, which lanes may have entered there. */
static void mark_rejoining(struct convergence *c)
{
	uint32_t *list = arena_array(c->f->arena, c->nregions + 1, sizeof(*list)), count = 0;

	c->walk++;
	for (uint32_t k = 0; k < c->nregions; k++) {
		const struct region *left = &c->regions[k];

		if (left->barrier == MIR_BARRIERS || !nv_is_left(left))
			continue;
		visit_regions_around(c, left->head, list, &count);
		for (uint32_t n = c->regions_at_head[left->head]; n;
		     n = c->regions[n - 1].next_of_head)
			visit_region(c, n - 1, list, &count);
	}
	for (uint32_t k = 0; k < count; k++) {
		struct region *r = &c->regions[list[k]];

		if (r->barrier == MIR_BARRIERS || nv_is_left(r))
			continue;
		r->rejoins = !c->divergent[r->point];
		if (!r->rejoins)
			visit_regions_around(c, r->point, list, &count);
	}
}

/* Inserts a WARPSYNC between a BSYNC and the point, unless another BSYNC follows: as ptxas does,
 * also if no convergent operation follows, since code after it may use uniform registers. */
static void sync_after(struct convergence *c, const struct region *r)
{
	struct mir_func *f = c->f;
	uint32_t b;

	if (f->blocks[r->bsync_block].succ[0] != r->point)
		return;
	b = mir_block_new(f, r->bsync_block);
	f->blocks[b].end = MIR_END_JUMP;
	f->blocks[b].line = f->blocks[r->bsync_block].line;
	f->blocks[b].depth = f->blocks[r->bsync_block].depth;
	mir_redirect_edge(f, r->bsync_block, r->point, b);
	mir_add_edge(f, b, r->point);
	insert_warpsync(f, b, NULL);
}

/* One WARPSYNC covers a run of warp syncs of all lanes: within a block only calls, partial
 * syncs and NANOSLEEP make lanes diverge. */
static void insert_warpsyncs(struct convergence *c)
{
	struct mir_func *f = c->f;

	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool converged = !c->divergent[b];

		mir_for_each(f, b, i) {
			if (i->members == MIR_ALL_LANES && !converged)
				insert_warpsync(f, b, i);
			converged |= i->members == MIR_ALL_LANES;
			converged &= !mir_may_split_lanes(i) && !nv_splits_warp(i, !converged);
		}
	}
}

static bool writes_uniform(const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = i->sass.ops[0].kind == SASS_UGPR || i->sass.ops[1].kind == SASS_UGPR
			     ? mir_collect_uses(i, uses)
			     : 0;

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].kind == SASS_UGPR)
			return true;
	}
	return false;
}

/* A uniform register belongs to the warp: divergent lanes must not write one that others may
 * still read. uniform.c ensured that for the blocks as they were then; this checks the final
 * ones. The register that REDUX or R2UR writes is read in the same block, and ptxas has that in
 * divergent code, too. */
static bool has_divergent_uniform_write(const struct convergence *c)
{
	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool divergent = c->divergent[b] || c->diverges[b];

		for (struct mir_inst *i = divergent ? c->f->blocks[b].first : NULL; i;
		     i = i->next) {
			if (i->sass.op != SASS_REDUX && i->sass.op != SASS_R2UR &&
			    writes_uniform(i))
				return true;
		}
	}
	return false;
}

void nv_insert_convergence_barriers(struct mir_func *f)
{
	struct convergence c = nv_analyse_convergence(f);
	struct region **inner_first =
		arena_array(f->arena, c.nregions + 1, sizeof(struct region *));

	f->retry_without_uniform = f->uniform && has_divergent_uniform_write(&c);
	for (uint32_t k = 0; k < c.nregions; k++) {
		inner_first[k] = &c.regions[k];
		inner_first[k]->nesting = c.dominators.enter[c.regions[k].head];
	}
	mark_rejoining(&c);
	qsort(inner_first, c.nregions, sizeof(struct region *), compare_nesting);
	for (uint32_t k = 0; k < c.nregions; k++)
		insert_edges(&c, inner_first[k]);
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (inner_first[k]->barrier < MIR_BARRIERS)
			insert_barrier(&c, inner_first[k]);
	}
	for (uint32_t k = 0; k < c.nregions; k++)
		if (c.regions[k].rejoins)
			sync_after(&c, &c.regions[k]);
	for (uint32_t k = 0; k < c.nregions; k++) {
		const struct region *r = &c.regions[k];

		for (uint32_t i = 0; i < r->nbssy; i++)
			r->bssy[i]->target = f->blocks[r->bsync_block].succ[0];
	}
	insert_warpsyncs(&c);
}
