// SPDX-License-Identifier: MIT
/*
 * Placement of convergence barriers. After a divergent branch the lanes of a warp run separately
 * until they reconverge: BSSY records the active lanes in a barrier register, BSYNC makes these
 * lanes wait for each other, except those that have exited. For each divergent branch with a
 * reconvergence point (reconvergence.c):
 *
 *   region  the blocks reachable from a block without passing the reconvergence point
 *   head    the nearest block at or above the branch that dominates its region and is not inside
 *           it, so that each lane that reaches the point has passed the head exactly once
 *
 * BSSY goes to the end of the head, BSYNC to a new block on the edges from the region to the point.
 * Branches with the same head and point share a barrier, and a region inside another one with the
 * same point needs none. Where no such head exists, or lanes waiting at the point could wait for
 * lanes that wait for them on a path to another exit, the lanes stay divergent for longer; that
 * costs time but not correctness, since a WARPSYNC precedes each convergent operation that
 * divergent lanes may reach.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

struct region {
	uint32_t head, point; /* blocks; head 0 = none */
	bool *inside;         /* by block */
	uint32_t size;
	uint32_t barrier;      /* barrier register; MIR_BARRIERS = none was left */
	uint32_t bsync_block;  /* block of its BSYNC */
	struct mir_inst *bssy; /* its BSSY */
};

struct convergence {
	struct mir_func *f;
	uint32_t nblocks;    /* before blocks are added */
	uint32_t max_blocks; /* upper bound after blocks are added */
	uint32_t *stack;
	uint32_t *idom, *rpo_index;
	uint32_t *ends, *points; /* by block, from nv_find_reconvergence() */
	struct region *regions;
	uint32_t nregions;
	bool *divergent; /* by block: lanes may have diverged before it */
	bool *diverges;  /* by block: lanes may diverge in it */
};

/* Immediate dominators (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm"). */
static void find_dominators(struct convergence *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);
	bool changed = true;

	c->idom = arena_array(f->arena, f->nblocks, sizeof(*c->idom));
	c->rpo_index = arena_array(f->arena, f->nblocks, sizeof(*c->rpo_index));
	for (uint32_t k = 0; k < count; k++)
		c->rpo_index[order[k]] = k;
	c->idom[f->entry] = f->entry;
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < count; k++) {
			const struct mir_block *block = &f->blocks[order[k]];
			uint32_t dom = 0;

			for (uint32_t p = 0; p < block->npreds; p++) {
				uint32_t a = block->preds[p], b = dom;

				if (!c->idom[a])
					continue;
				while (b && a != b) {
					if (c->rpo_index[a] > c->rpo_index[b])
						a = c->idom[a];
					else
						b = c->idom[b];
				}
				dom = a;
			}
			changed |= c->idom[order[k]] != dom;
			c->idom[order[k]] = dom;
		}
	}
}

static bool dominates(const struct convergence *c, uint32_t a, uint32_t b)
{
	while (c->rpo_index[b] > c->rpo_index[a])
		b = c->idom[b];
	return a == b;
}

/* Marks the blocks reachable from b's successors without entering stop. */
static uint32_t mark_reachable(const struct convergence *c, uint32_t b, uint32_t stop, bool *inside)
{
	const struct mir_func *f = c->f;
	uint32_t depth = 0, count = 0;

	c->stack[depth++] = b;
	while (depth) {
		const struct mir_block *block = &f->blocks[c->stack[--depth]];

		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (to == stop || inside[to])
				continue;
			inside[to] = true;
			count++;
			c->stack[depth++] = to;
		}
	}
	return count;
}

/* Whether lanes may wait in a block for others that may wait for them at the reconvergence
 * point. */
static bool may_wait(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if ((!i->preserve_all || i->syncs_warp) &&
		    (i->members > MIR_ACTIVE_LANES || mir_is_call(i)))
			return true;
	return false;
}

/* All lanes that enter by the head leave by the reconvergence point or exit, and no lane enters
 * elsewhere. */
static bool is_closed(const struct convergence *c, const struct region *r)
{
	for (uint32_t b = 0; b < c->nblocks; b++) {
		if (!r->inside[b])
			continue;
		if (b == r->head || !dominates(c, r->head, b) || !c->ends[b])
			return false;
		/* A path bypasses the point. */
		if (b == c->ends[r->point])
			return false;
		if (c->ends[b] != c->ends[r->point] && may_wait(c->f, b))
			return false;
	}
	return true;
}

static bool find_region(struct convergence *c, uint32_t branch, struct region *r)
{
	const struct mir_func *f = c->f;

	r->point = c->points[branch];
	if (!r->point || !f->blocks[r->point].npreds)
		return false;
	r->inside = arena_array(f->arena, c->max_blocks, sizeof(*r->inside));
	/* Stop at the point: further up, it is the header of a loop that contains the branch. */
	for (r->head = branch; r->head != r->point; r->head = c->idom[r->head]) {
		memset(r->inside, 0, c->nblocks * sizeof(*r->inside));
		r->size = mark_reachable(c, r->head, r->point, r->inside);
		if (is_closed(c, r))
			return true;
		if (r->head == f->entry)
			return false;
	}
	return false;
}

/* A region whose barrier covers this one too. */
static struct region *find_covering_region(struct convergence *c, const struct region *r)
{
	for (uint32_t k = 0; k < c->nregions; k++) {
		struct region *other = &c->regions[k];

		if (other->point == r->point && (other->head == r->head || other->inside[r->head]))
			return other;
	}
	return NULL;
}

/*
 * Lanes of one region may wait at the reconvergence point of another region inside it. If a chain
 * of such waits leads back to the first region, its lanes would wait for themselves. That takes
 * several exits: among regions with the same exit, the later point is never inside the earlier
 * region.
 */
static bool may_deadlock(const struct convergence *c, const struct region *r)
{
	uint32_t *list = c->stack, count = 0;
	const struct region *from = r;

	for (uint32_t next = 0;; from = &c->regions[list[next++]]) {
		if (from != r && from->inside[r->point])
			return true;
		for (uint32_t k = 0, at = 0; k < c->nregions; k++, at = 0) {
			if (c->regions[k].barrier == MIR_BARRIERS ||
			    !from->inside[c->regions[k].point])
				continue;
			while (at < count && list[at] != k)
				at++;
			if (at == count)
				list[count++] = k;
		}
		if (next == count)
			return false;
	}
}

/* Two barriers are live together if one head equals the other or is inside the other's region. */
static bool regions_overlap(const struct region *a, const struct region *b)
{
	return a->head == b->head || a->inside[b->head] || b->inside[a->head];
}

static void allocate_barrier(struct convergence *c, struct region *r)
{
	uint32_t used = 0;

	if (c->f->absolute_calls)
		used = (1u << MIR_SAVED_BARRIER) - 1;
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (&c->regions[k] != r && c->regions[k].barrier < MIR_BARRIERS &&
		    regions_overlap(&c->regions[k], r))
			used |= 1u << c->regions[k].barrier;
	}
	for (r->barrier = 0; r->barrier < MIR_BARRIERS && used >> r->barrier & 1; r->barrier++)
		;
}

/* A region whose barrier eventually reconverges lanes that diverge in a block. */
static const struct region *find_enclosing_region(const struct convergence *c, uint32_t b)
{
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (c->regions[k].inside[b] && c->regions[k].barrier < MIR_BARRIERS)
			return &c->regions[k];
	}
	return NULL;
}

/* Lanes may be divergent in all of the region or, without a barrier, in all blocks reachable
 * from the branch. */
static void mark_divergent(struct convergence *c, uint32_t branch, const struct region *r)
{
	bool *divergent =
		r ? r->inside : arena_array(c->f->arena, c->max_blocks, sizeof(*divergent));

	if (!r)
		mark_reachable(c, branch, 0, divergent);
	for (uint32_t b = 0; b < c->nblocks; b++)
		c->divergent[b] |= divergent[b];
}

static void find_regions(struct convergence *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	/* Reverse postorder: outer regions come first. */
	for (uint32_t k = 0; k < count; k++) {
		const struct mir_block *block = &f->blocks[order[k]];
		struct region r = {.barrier = MIR_BARRIERS}, *known = NULL;

		if (!mir_may_diverge(block) || nv_becomes_guarded_exit(f, order[k]))
			continue;
		if (find_region(c, order[k], &r)) {
			known = find_covering_region(c, &r);
			if (!known && !may_deadlock(c, &r)) {
				known = &c->regions[c->nregions++];
				*known = r;
				allocate_barrier(c, known);
			}
		}
		mark_divergent(c, order[k],
			       known && known->barrier < MIR_BARRIERS
				       ? known
				       : find_enclosing_region(c, order[k]));
	}
}

static struct mir_source barrier_operand(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_BREG, .reg = (uint8_t)number}};
}

/* A jump table slot holds only its BRA: moves the head to a new block after the slot. */
static void move_head_out_of_slot(struct convergence *c, struct region *r)
{
	struct mir_func *f = c->f;
	uint32_t slot = r->head, to = f->blocks[slot].succ[0], b;

	b = mir_block_new(f, mir_block_before(f, to));
	f->blocks[b].end = MIR_END_JUMP;
	f->blocks[b].line = f->blocks[slot].line;
	f->blocks[b].depth = f->blocks[slot].depth;
	mir_redirect_edge(f, slot, to, b);
	mir_add_edge(f, b, to);
	r->head = b;
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (c->regions[k].head == slot || c->regions[k].inside[slot])
			c->regions[k].inside[b] = true;
	}
}

static void insert_barrier(struct convergence *c, struct region *r)
{
	struct mir_func *f = c->f;
	struct mir_inst *bsync = mir_inst_new(f, SASS_BSYNC), *last;

	if (f->blocks[r->head].table_slot)
		move_head_out_of_slot(c, r);
	r->bsync_block = mir_block_new(f, mir_block_before(f, r->point));
	for (uint32_t p = 0; p < f->blocks[r->point].npreds;) {
		uint32_t from = f->blocks[r->point].preds[p];

		if (from == r->head || r->inside[from])
			mir_redirect_edge(f, from, r->point, r->bsync_block);
		else
			p++;
	}
	mir_add_edge(f, r->bsync_block, r->point);
	f->blocks[r->bsync_block].end = MIR_END_JUMP;
	mir_set_operand(bsync, 0, barrier_operand(r->barrier));
	mir_insert(f, r->bsync_block, NULL, bsync);

	r->bssy = mir_inst_new(f, SASS_BSSY);
	mir_set_operand(r->bssy, 0, barrier_operand(r->barrier));
	mir_set_operand(r->bssy, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	last = f->blocks[r->head].last;
	mir_insert(f, r->head, last && last->terminator ? last : NULL, r->bssy);
	/* The new block is inside the regions around this one. */
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (c->regions[k].inside[r->head])
			c->regions[k].inside[r->bsync_block] = true;
	}
}

/* Inner regions first: at a common reconvergence point, lanes reconverge from the inside out. */
static int compare_size(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->head < y->head ? -1 : x->head > y->head;
}

static void insert_warpsync(struct mir_func *f, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(f, f->sm >= 90 ? SASS_WARPSYNC_ALL : SASS_WARPSYNC);

	if (f->sm < 90)
		mir_set_operand(i, 1, mir_imm(UINT32_MAX));
	i->members = MIR_ALL_LANES;
	i->line = before->line;
	mir_insert(f, b, before, i);
}

/* Groups of lanes may continue from here at different times, and a BSYNC does not reconverge
 * them: an H200 let some of them pass a block barrier after a BSYNC, where ptxas has
 * a WARPSYNC.ALL. The WARPSYNC may be in a function of merge_divergent_syncs.c, from which lanes
 * return to different call sites. */
static bool splits_warp(const struct mir_inst *i)
{
	return (i->sass.op == SASS_WARPSYNC && i->members != MIR_ALL_LANES) || i->syncs_warp;
}

/* Lanes that call together may return one at a time, and lanes enter a function from several
 * call sites. */
static void mark_divergent_calls(struct convergence *c)
{
	if (c->f->ir->kind == IR_FUNCTION) {
		memset(c->divergent, true, c->nblocks * sizeof(*c->divergent));
		return;
	}
	mir_for_each_block(c->f, b)
		mir_for_each(c->f, b, i)
			if (b < c->nblocks && (mir_is_clobbering_call(i) || splits_warp(i))) {
				mark_divergent(c, b, NULL);
				c->diverges[b] = true;
				break;
			}
}

/* One WARPSYNC covers a run of warp syncs of all lanes: within a block only calls and partial
 * syncs make lanes diverge. */
static void insert_warpsyncs(struct convergence *c)
{
	struct mir_func *f = c->f;

	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool converged = !c->divergent[b];

		mir_for_each(f, b, i) {
			if (i->members == MIR_ALL_LANES && !converged)
				insert_warpsync(f, b, i);
			converged |= i->members == MIR_ALL_LANES;
			converged &= !mir_is_clobbering_call(i) && !splits_warp(i);
		}
	}
}

static struct convergence analyse_convergence(struct mir_func *f)
{
	struct convergence c = {.f = f, .nblocks = f->nblocks};
	uint32_t branches = 0;

	mir_for_each_block(f, b)
		branches += mir_may_diverge(&f->blocks[b]);
	c.max_blocks = c.nblocks + 2 * branches;
	c.regions = arena_array(f->arena, branches + 1, sizeof(*c.regions));
	c.divergent = arena_array(f->arena, c.nblocks, sizeof(*c.divergent));
	c.diverges = arena_array(f->arena, c.nblocks, sizeof(*c.diverges));
	c.stack = arena_array(f->arena, c.nblocks + 1, sizeof(*c.stack));
	find_dominators(&c);
	nv_find_reconvergence(f, &c.ends, &c.points);
	find_regions(&c);
	mark_divergent_calls(&c);
	return c;
}

const bool *nv_divergent_blocks(struct mir_func *f)
{
	struct convergence c = analyse_convergence(f);

	for (uint32_t b = 0; b < c.nblocks; b++)
		c.divergent[b] |= c.diverges[b];
	return c.divergent;
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
 * ones. The register that REDUX writes is read in the same block, and ptxas has that in divergent
 * code, too. */
static bool has_divergent_uniform_write(const struct convergence *c)
{
	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool divergent = c->divergent[b] || c->diverges[b];

		for (struct mir_inst *i = divergent ? c->f->blocks[b].first : NULL; i;
		     i = i->next) {
			if (i->sass.op != SASS_REDUX && writes_uniform(i))
				return true;
		}
	}
	return false;
}

void nv_insert_convergence_barriers(struct mir_func *f)
{
	struct convergence c = analyse_convergence(f);

	f->retry_without_uniform = f->uniform && has_divergent_uniform_write(&c);
	qsort(c.regions, c.nregions, sizeof(*c.regions), compare_size);
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (c.regions[k].barrier < MIR_BARRIERS)
			insert_barrier(&c, &c.regions[k]);
	}
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (c.regions[k].bssy)
			c.regions[k].bssy->target = f->blocks[c.regions[k].bsync_block].succ[0];
	}
	insert_warpsyncs(&c);
}
