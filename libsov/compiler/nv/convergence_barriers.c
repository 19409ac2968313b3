// SPDX-License-Identifier: MIT
/*
 * Placement of convergence barriers. After a divergent branch the lanes of a warp run separately
 * until they reconverge: BSSY records the active lanes in a barrier register, BSYNC makes these
 * lanes wait for each other, except those that have exited. For each divergent branch with a
 * reconvergence point (reconvergence.c):
 *
 *   region  the blocks reachable from a block without passing the reconvergence point
 *   head    the nearest block at or above the branch that dominates its region and is not inside
 *           it
 *   entries the other edges into the region: from blocks after the point, if point and region are
 *           in a loop without the head, as in a nest of loops with one header
 *
 * BSSY goes to the end of the head and onto each entry, BSYNC to a new block on the edges from the
 * region to the point. So each lane executes BSSY and BSYNC alternately, and the lanes that execute
 * one BSSY together all reach the BSYNC or exit. What a BSYNC does without a BSSY before it, or a
 * BSSY with lanes of the same barrier still in the region, does not matter then.
 * Branches with the same head and point share a barrier, and a region inside another one with the
 * same point needs none. Where no such head exists, or lanes waiting at the point could wait for
 * lanes that wait for them on a path to another exit, the lanes stay divergent for longer; that
 * costs time but not correctness, since a WARPSYNC precedes each convergent operation that
 * divergent lanes may reach.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define VISITS           (UINT64_C(4) << 20) /* budget of block visits: constant part */
#define VISITS_PER_BLOCK 256
#define MAX_ENTRIES      4 /* a region with more has no barrier */

struct entry {
	uint32_t from, to; /* blocks */
};

struct region {
	uint32_t head, point; /* blocks; head 0 = none */
	struct entry entries[MAX_ENTRIES];
	uint32_t nentries;
	uint32_t *blocks; /* inside */
	uint32_t size;
	uint32_t next_of_head, next_of_point;   /* 1 + region with the same one; 0 = last */
	uint32_t walked_in;                     /* the last walk that came here */
	bool marked;                            /* its blocks are marked divergent */
	uint32_t barrier;                       /* register; MIR_BARRIERS = none was left */
	uint32_t bsync_block;                   /* block of its BSYNC */
	struct mir_inst *bssy[1 + MAX_ENTRIES]; /* at its head and its entries */
	uint32_t nbssy;
};

/* A region that a block is inside of, or that lanes enter from it. */
struct membership {
	uint32_t region;
	struct membership *next;
};

/* A block on an edge that enters regions. */
struct entry_block {
	struct entry edge;
	uint32_t block;
};

struct convergence {
	struct mir_func *f;
	uint32_t nblocks;    /* before blocks are added */
	uint32_t max_blocks; /* upper bound after blocks are added */
	uint32_t *stack;
	uint32_t *idom, *rpo_index;
	uint32_t *dom_enter, *dom_leave; /* by block: preorder interval of its dominator subtree */
	uint32_t *ends, *points;         /* by block, from nv_find_reconvergence() */
	struct region *regions;
	uint32_t nregions;
	struct membership **regions_around;     /* by block: the last region first */
	struct membership **entered_from;       /* by block: regions with an entry from it */
	uint32_t *regions_at_head, *regions_at; /* by block: 1 + the last region; 0 = none */
	struct entry_block *entry_blocks;
	uint32_t nentry_blocks;
	uint64_t visits; /* budget of block visits that is left */
	/* Scratch: a block is inside the region under construction if its number is that of the
	 * walk. */
	uint32_t *walked_in, walk;
	bool *reached;     /* by block: reachable from a divergent branch without a barrier */
	uint8_t *may_wait; /* by block: 1 = lanes may wait there, 2 = not, 0 = unknown */
	bool *syncs_all;   /* by block: an instruction in it syncs all lanes of a warp */
	bool any_syncs;    /* some block does */
	bool *divergent;   /* by block: lanes may have diverged before it */
	bool *diverges;    /* by block: lanes may diverge in it */
};

static void number_dominators(struct convergence *c, const uint32_t *order, uint32_t count)
{
	const struct mir_func *f = c->f;
	uint32_t *size = arena_array(f->arena, f->nblocks, sizeof(*size));
	uint32_t *next = arena_array(f->arena, f->nblocks, sizeof(*next)); /* free number */

	c->dom_enter = arena_array(f->arena, f->nblocks, sizeof(*c->dom_enter));
	c->dom_leave = arena_array(f->arena, f->nblocks, sizeof(*c->dom_leave));
	for (uint32_t k = count; k-- > 1;) {
		size[order[k]]++;
		size[c->idom[order[k]]] += size[order[k]];
	}
	next[f->entry] = 1;
	c->dom_leave[f->entry] = size[f->entry] + 1;
	for (uint32_t k = 1; k < count; k++) {
		uint32_t b = order[k], dom = c->idom[b];

		c->dom_enter[b] = next[dom];
		c->dom_leave[b] = next[dom] += size[b];
		next[b] = c->dom_enter[b] + 1;
	}
}

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

			/* Start with the last: of thousands of early exits in a row, neighbours
			 * have a common dominator nearby. */
			for (uint32_t p = block->npreds; p-- > 0;) {
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
	number_dominators(c, order, count);
}

static bool dominates(const struct convergence *c, uint32_t a, uint32_t b)
{
	return c->dom_enter[a] <= c->dom_enter[b] && c->dom_enter[b] < c->dom_leave[a];
}

static bool is_inside(const struct convergence *c, const struct region *r, uint32_t b)
{
	for (const struct membership *m = c->regions_around[b]; m; m = m->next) {
		if (&c->regions[m->region] == r)
			return true;
	}
	return false;
}

static void add_to_list(struct convergence *c, struct membership **list, uint32_t region)
{
	struct membership *m = arena_alloc(c->f->arena, sizeof(*m));

	*m = (struct membership){region, *list};
	*list = m;
}

static void add_membership(struct convergence *c, uint32_t b, uint32_t region)
{
	add_to_list(c, &c->regions_around[b], region);
}

/* Lists in c->stack the blocks reachable from b's successors without entering stop. */
static uint32_t walk_region(struct convergence *c, uint32_t b, uint32_t stop)
{
	const struct mir_func *f = c->f;
	uint32_t count = 0;

	c->walk++;
	for (uint32_t next = 0;; b = c->stack[next++]) {
		const struct mir_block *block = &f->blocks[b];

		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (to == stop || c->walked_in[to] == c->walk)
				continue;
			c->walked_in[to] = c->walk;
			c->stack[count++] = to;
		}
		if (next == count)
			break;
	}
	c->visits -= count < c->visits ? count : c->visits;
	return count;
}

/* Whether lanes may wait in a block for others that may wait for them at the reconvergence
 * point. */
static bool may_wait(struct convergence *c, uint32_t b)
{
	if (!c->may_wait[b]) {
		c->may_wait[b] = 2;
		mir_for_each(c->f, b, i)
			if ((!i->preserve_all || i->syncs_warp) &&
			    (i->members > MIR_ACTIVE_LANES || mir_is_call(i)))
				c->may_wait[b] = 1;
	}
	return c->may_wait[b] == 1;
}

/* Collects the edges by which lanes enter a block of the region under construction from outside,
 * other than from the head. The head dominates the region, so these lanes have passed the point. */
static bool collect_entries(const struct convergence *c, struct region *r, uint32_t b)
{
	const struct mir_block *block = &c->f->blocks[b];

	for (uint32_t p = 0; p < block->npreds; p++) {
		uint32_t from = block->preds[p];

		if (from == r->head || c->walked_in[from] == c->walk)
			continue;
		if (r->nentries == MAX_ENTRIES || block->table_slot)
			return false;
		r->entries[r->nentries++] = (struct entry){from, b};
	}
	return true;
}

/* All lanes that enter leave by the reconvergence point or exit. */
static bool is_closed(struct convergence *c, struct region *r)
{
	r->nentries = 0;
	for (uint32_t k = 0; k < r->size; k++) {
		uint32_t b = c->stack[k];

		if (b == r->head || !dominates(c, r->head, b) || !c->ends[b])
			return false;
		/* A path bypasses the point. */
		if (b == c->ends[r->point])
			return false;
		if (c->ends[b] != c->ends[r->point] && may_wait(c, b))
			return false;
		if (!collect_entries(c, r, b))
			return false;
	}
	return true;
}

/* Whether the regions around a block use all barriers. */
static bool barriers_are_used_up(const struct convergence *c, uint32_t b)
{
	uint32_t used = 0;

	for (const struct membership *m = c->regions_around[b]; m; m = m->next) {
		if (c->regions[m->region].barrier < MIR_BARRIERS)
			used |= 1u << c->regions[m->region].barrier;
	}
	return used == (1u << MIR_BARRIERS) - 1;
}

static bool find_region(struct convergence *c, uint32_t branch, struct region *r)
{
	const struct mir_func *f = c->f;

	r->point = c->points[branch];
	if (!r->point || !f->blocks[r->point].npreds)
		return false;
	/* Stop at the point: further up, it is the header of a loop that contains the branch. */
	for (r->head = branch; r->head != r->point; r->head = c->idom[r->head]) {
		if (!c->visits || barriers_are_used_up(c, r->head))
			return false;
		r->size = walk_region(c, r->head, r->point);
		if (is_closed(c, r))
			return true;
		if (r->head == f->entry)
			return false;
	}
	return false;
}

/* A region around the branch with the same reconvergence point: its barrier covers the branch, too,
 * since the head of the branch's own region is its head or inside it. */
static struct region *find_covering_region(struct convergence *c, uint32_t branch)
{
	struct region *found = NULL;

	for (uint32_t k = c->points[branch] ? c->regions_at[c->points[branch]] : 0; k;
	     k = c->regions[k - 1].next_of_point) {
		if (c->regions[k - 1].head == branch || is_inside(c, &c->regions[k - 1], branch))
			found = &c->regions[k - 1];
	}
	return found;
}

/*
 * Lanes of one region may wait at the reconvergence point of another region inside it. If a chain
 * of such waits leads back to the first region, its lanes would wait for themselves. That takes
 * several exits: among regions with the same exit, the later point is never inside the earlier
 * region. Beyond the budget the answer is yes.
 */
static bool may_deadlock(struct convergence *c, const struct region *r)
{
	uint32_t *list = c->stack, count = 0;
	const struct region *from = r;

	c->walk++;
	for (uint32_t next = 0;; from = &c->regions[list[next++]]) {
		if (!c->visits || (from != r && is_inside(c, from, r->point)))
			return true;
		for (uint32_t n = 0; n < from->size; n++) {
			for (uint32_t k = c->regions_at[from->blocks[n]]; k;
			     k = c->regions[k - 1].next_of_point) {
				struct region *inner = &c->regions[k - 1];

				if (inner->barrier == MIR_BARRIERS || inner->walked_in == c->walk)
					continue;
				inner->walked_in = c->walk;
				list[count++] = k - 1;
			}
		}
		c->visits -= from->size < c->visits ? from->size : c->visits;
		if (next == count)
			return false;
	}
}

/*
 * Two barriers are live together if one is set where the other is set or inside the other's region.
 * At an entry of a region that is the reconvergence point of another region around the edge's
 * origin, BSSY comes before the other's BSYNC.
 */
static uint32_t barrier_bit(const struct region *r)
{
	return r->barrier < MIR_BARRIERS ? 1u << r->barrier : 0;
}

static uint32_t barriers_set_at(const struct convergence *c, uint32_t b)
{
	uint32_t used = 0;

	for (uint32_t k = c->regions_at_head[b]; k; k = c->regions[k - 1].next_of_head)
		used |= barrier_bit(&c->regions[k - 1]);
	for (const struct membership *m = c->entered_from[b]; m; m = m->next)
		used |= barrier_bit(&c->regions[m->region]);
	return used;
}

static uint32_t barriers_live_at(const struct convergence *c, uint32_t b)
{
	uint32_t used = barriers_set_at(c, b);

	for (const struct membership *m = c->regions_around[b]; m; m = m->next)
		used |= barrier_bit(&c->regions[m->region]);
	return used;
}

static void allocate_barrier(struct convergence *c, struct region *r)
{
	uint32_t used = c->f->callee_barriers | barriers_live_at(c, r->head);

	for (uint32_t e = 0; e < r->nentries; e++)
		used |= barriers_live_at(c, r->entries[e].from);
	for (uint32_t n = 0; n < r->size; n++)
		used |= barriers_set_at(c, r->blocks[n]);
	for (r->barrier = 0; r->barrier < MIR_BARRIERS && used >> r->barrier & 1; r->barrier++)
		;
}

static struct region *add_region(struct convergence *c, const struct region *r)
{
	uint32_t number = c->nregions++;
	struct region *added = &c->regions[number];

	*added = *r;
	allocate_barrier(c, added);
	for (uint32_t n = 0; n < r->size; n++)
		add_membership(c, r->blocks[n], number);
	for (uint32_t e = 0; e < r->nentries; e++)
		add_to_list(c, &c->entered_from[r->entries[e].from], number);
	added->next_of_head = c->regions_at_head[r->head];
	added->next_of_point = c->regions_at[r->point];
	c->regions_at_head[r->head] = c->regions_at[r->point] = number + 1;
	return added;
}

/* The first region whose barrier eventually reconverges lanes that diverge in a block. */
static struct region *find_enclosing_region(struct convergence *c, uint32_t b)
{
	struct region *found = NULL;

	for (const struct membership *m = c->regions_around[b]; m; m = m->next) {
		if (c->regions[m->region].barrier < MIR_BARRIERS)
			found = &c->regions[m->region];
	}
	return found;
}

/* Marks the blocks reachable from a branch; those from earlier branches are marked already. */
static void mark_reachable(struct convergence *c, uint32_t branch)
{
	uint32_t depth = 0;

	c->stack[depth++] = branch;
	while (depth) {
		const struct mir_block *block = &c->f->blocks[c->stack[--depth]];

		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (c->reached[to])
				continue;
			c->reached[to] = c->divergent[to] = true;
			c->stack[depth++] = to;
		}
	}
}

/* Lanes may be divergent in all of the region or, without a barrier, in all blocks reachable
 * from the branch. */
static void mark_divergent(struct convergence *c, uint32_t branch, struct region *r)
{
	if (!r) {
		mark_reachable(c, branch);
		return;
	}
	for (uint32_t n = 0; !r->marked && n < r->size; n++)
		c->divergent[r->blocks[n]] = true;
	r->marked = true;
}

static bool syncs_all_lanes(const struct mir_inst *i)
{
	const struct sass_operand *mask = &i->sass.ops[1];

	return i->members == MIR_ALL_LANES || i->sass.op == SASS_WARPSYNC_ALL ||
	       (i->sass.op == SASS_WARPSYNC && mask->kind == SASS_IMM &&
		(uint32_t)mask->value == UINT32_MAX);
}

static void find_whole_syncs(struct convergence *c)
{
	mir_for_each_block(c->f, b)
		mir_for_each(c->f, b, i)
			c->syncs_all[b] |= syncs_all_lanes(i);
	for (uint32_t b = 0; b < c->nblocks; b++)
		c->any_syncs |= c->syncs_all[b];
}

/* Whether lanes may pass from a block to the point, or exit, without a sync of the whole warp. */
static bool may_avoid_sync(struct convergence *c, uint32_t b, uint32_t point)
{
	const struct mir_func *f = c->f;
	uint32_t depth = 0;

	c->walk++;
	c->stack[depth++] = b;
	while (depth) {
		const struct mir_block *block = &f->blocks[b = c->stack[--depth]];

		if (b == point)
			return true;
		if (c->syncs_all[b])
			continue;
		c->visits -= c->visits > 0;
		if (!block->nsucc || !c->visits)
			return true;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (c->walked_in[to] == c->walk)
				continue;
			c->walked_in[to] = c->walk;
			c->stack[depth++] = to;
		}
	}
	return false;
}

/*
 * A side of a branch that always syncs the whole warp must be taken by all of its lanes, so no lane
 * has to wait for others at the reconvergence point. Programs that break this rule of PTX, in that
 * the lanes behind the end of an array skip a reduction, work with ptxas, which has no barrier
 * there: the lanes that exit are not waited for. In a loop, lanes that are divergent until it ends
 * would cost more than that is worth.
 */
static bool is_taken_by_all(struct convergence *c, uint32_t branch, uint32_t point)
{
	const struct mir_block *block = &c->f->blocks[branch];
	bool all = false;

	for (uint32_t s = 0; c->any_syncs && s < block->nsucc; s++)
		all |= !may_avoid_sync(c, block->succ[s], point);
	if (!all)
		return false;
	walk_region(c, point, 0);
	return c->walked_in[branch] != c->walk;
}

/* The region of a branch that no other region covers. */
static struct region *find_new_region(struct convergence *c, uint32_t branch)
{
	struct region r = {.barrier = MIR_BARRIERS};

	if (!find_region(c, branch, &r))
		return NULL;
	r.blocks = arena_array(c->f->arena, r.size + 1, sizeof(*r.blocks));
	memcpy(r.blocks, c->stack, r.size * sizeof(*r.blocks));
	return may_deadlock(c, &r) || is_taken_by_all(c, branch, r.point) ? NULL
									  : add_region(c, &r);
}

static void find_regions(struct convergence *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	/* Reverse postorder: outer regions come first. */
	for (uint32_t k = 0; k < count; k++) {
		const struct mir_block *block = &f->blocks[order[k]];
		struct region *known;

		if (!mir_may_diverge(block) || nv_becomes_guarded_exit(f, order[k]))
			continue;
		known = find_covering_region(c, order[k]);
		if (!known)
			known = find_new_region(c, order[k]);
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

/* A new block is inside the regions around another one. */
static void copy_memberships(struct convergence *c, uint32_t to, uint32_t from)
{
	for (const struct membership *m = c->regions_around[from]; m; m = m->next)
		add_membership(c, to, m->region);
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
			add_membership(c, b, k - 1);
	}
}

static void insert_bssy(struct mir_func *f, struct region *r, uint32_t b)
{
	struct mir_inst *bssy = mir_inst_new(f, SASS_BSSY), *last = f->blocks[b].last;

	mir_set_operand(bssy, 0, barrier_operand(r->barrier));
	mir_set_operand(bssy, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	mir_insert(f, b, last && last->terminator ? last : NULL, bssy);
	r->bssy[r->nbssy++] = bssy;
}

/* Returns a block that only the lanes on an edge pass. */
static uint32_t split_entry(struct convergence *c, struct entry edge)
{
	struct mir_func *f = c->f;
	const struct mir_block *from = &f->blocks[edge.from];
	uint32_t b;

	for (uint32_t k = 0; k < c->nentry_blocks; k++) {
		if (c->entry_blocks[k].edge.from == edge.from &&
		    c->entry_blocks[k].edge.to == edge.to)
			return c->entry_blocks[k].block;
	}
	if (from->nsucc == 1 && !from->table_slot)
		return edge.from;
	b = mir_block_new(f, from->table_slot ? f->blocks[edge.to].previous : edge.from);
	f->blocks[b].end = MIR_END_JUMP;
	f->blocks[b].line = f->blocks[edge.from].line;
	f->blocks[b].depth = f->blocks[edge.to].depth;
	mir_redirect_edge(f, edge.from, edge.to, b);
	mir_add_edge(f, b, edge.to);
	copy_memberships(c, b, edge.from);
	for (uint32_t k = c->regions_at_head[edge.from]; k; k = c->regions[k - 1].next_of_head) {
		if (c->regions[k - 1].head == edge.from)
			add_membership(c, b, k - 1);
	}
	c->entry_blocks[c->nentry_blocks++] = (struct entry_block){edge, b};
	return b;
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

		if (from == r->head || is_inside(c, r, from))
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

/* Inner regions first: at a common reconvergence point, lanes reconverge from the inside out. */
static int compare_size(const void *a, const void *b)
{
	const struct region *x = *(struct region *const *)a, *y = *(struct region *const *)b;

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
 * return to different call sites. BSYNC does not wait for lanes in NANOSLEEP either
 * (tests/silicon/convergence.sh on an H200), unless all lanes sleep together. */
static bool splits_warp(const struct mir_inst *i, bool divergent)
{
	if (i->sass.op == SASS_NANOSLEEP)
		return divergent || i->sass.guard != SASS_PT;
	return (i->sass.op == SASS_WARPSYNC && i->members != MIR_ALL_LANES) || i->syncs_warp;
}

static bool may_split(const struct convergence *c, uint32_t b)
{
	mir_for_each(c->f, b, i)
		if (mir_may_split_lanes(i) || splits_warp(i, c->divergent[b]))
			return true;
	return false;
}

/* Lanes that call together may return one at a time, and lanes enter a function from several
 * call sites. */
static void mark_divergent_calls(struct convergence *c)
{
	if (c->f->ir->kind == IR_FUNCTION) {
		memset(c->divergent, true, c->nblocks * sizeof(*c->divergent));
		return;
	}
	for (bool changed = true; changed;) { /* divergent blocks may contain NANOSLEEP */
		changed = false;
		mir_for_each_block(c->f, b)
			if (b < c->nblocks && !c->diverges[b] && may_split(c, b)) {
				mark_divergent(c, b, NULL);
				changed = c->diverges[b] = true;
			}
	}
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
			converged &= !mir_may_split_lanes(i) && !splits_warp(i, !converged);
		}
	}
}

static struct convergence analyse_convergence(struct mir_func *f)
{
	struct convergence c = {.f = f, .nblocks = f->nblocks};
	uint32_t branches = 0;

	mir_for_each_block(f, b)
		branches += mir_may_diverge(&f->blocks[b]);
	c.max_blocks = c.nblocks + (2 + MAX_ENTRIES) * branches;
	c.entry_blocks = arena_array(f->arena, MAX_ENTRIES * branches, sizeof(*c.entry_blocks));
	c.regions = arena_array(f->arena, branches + 1, sizeof(*c.regions));
	c.divergent = arena_array(f->arena, c.nblocks, sizeof(*c.divergent));
	c.diverges = arena_array(f->arena, c.nblocks, sizeof(*c.diverges));
	c.stack = arena_array(f->arena, c.nblocks + branches + 1, sizeof(*c.stack));
	c.regions_around = arena_array(f->arena, c.max_blocks, sizeof(struct membership *));
	c.entered_from = arena_array(f->arena, c.nblocks, sizeof(struct membership *));
	c.regions_at_head = arena_array(f->arena, c.nblocks, sizeof(*c.regions_at_head));
	c.regions_at = arena_array(f->arena, c.nblocks, sizeof(*c.regions_at));
	c.visits = VISITS + (uint64_t)VISITS_PER_BLOCK * c.nblocks;
	c.walked_in = arena_array(f->arena, c.nblocks, sizeof(*c.walked_in));
	c.reached = arena_array(f->arena, c.nblocks, sizeof(*c.reached));
	c.may_wait = arena_array(f->arena, c.nblocks, sizeof(*c.may_wait));
	c.syncs_all = arena_array(f->arena, c.nblocks, sizeof(*c.syncs_all));
	find_whole_syncs(&c);
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
	struct region **by_size = arena_array(f->arena, c.nregions + 1, sizeof(struct region *));

	f->retry_without_uniform = f->uniform && has_divergent_uniform_write(&c);
	for (uint32_t k = 0; k < c.nregions; k++)
		by_size[k] = &c.regions[k];
	qsort(by_size, c.nregions, sizeof(struct region *), compare_size);
	for (uint32_t k = 0; k < c.nregions; k++) {
		for (uint32_t e = 0; by_size[k]->barrier < MIR_BARRIERS && e < by_size[k]->nentries;
		     e++)
			insert_bssy(f, by_size[k], split_entry(&c, by_size[k]->entries[e]));
	}
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (by_size[k]->barrier < MIR_BARRIERS)
			insert_barrier(&c, by_size[k]);
	}
	for (uint32_t k = 0; k < c.nregions; k++) {
		const struct region *r = &c.regions[k];

		for (uint32_t i = 0; i < r->nbssy; i++)
			r->bssy[i]->target = f->blocks[r->bsync_block].succ[0];
	}
	insert_warpsyncs(&c);
}
