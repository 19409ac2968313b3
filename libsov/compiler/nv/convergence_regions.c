// SPDX-License-Identifier: MIT
/*
 * Regions of divergent lanes. For each divergent branch with a reconvergence point
 * (reconvergence.c):
 *
 *   region  the blocks reachable from a block without passing the reconvergence point
 *   head    the nearest block at or above the branch that dominates its region and is not inside
 *           it
 *   entries the other edges into the region: from blocks after the point, if point and region are
 *           in a loop without the head, as in a nest of loops with one header
 *
 * In a loop, lanes that stay also reconverge where their paths join in the same iteration
 * (loop_joins.c), although others leave. The region of such a point is inside the loop and is
 * entered by its head only. Lanes that leave the loop leave the barrier and reconverge with the
 * others later: at a point of the loop around it, or of the function.
 *
 * Branches with the same head and point share a barrier, and a region inside another one with the
 * same point needs none. Where no such head exists, or lanes waiting at the point could wait for
 * lanes that wait for them on a path to another exit, the lanes stay divergent for longer; that
 * costs time but not correctness, since a WARPSYNC precedes each convergent operation that
 * divergent lanes may reach.
 */
#include <string.h>
#include "libsov/compiler/nv/convergence.h"
#include "libsov/compiler/nv/module.h"

#define VISITS           (UINT64_C(4) << 20) /* budget of block visits: constant part */
#define VISITS_PER_BLOCK 256
#define LEFT_VISITS      (UINT64_C(1) << 18)

bool nv_is_in_region(const struct convergence *c, const struct region *r, uint32_t b)
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

void nv_add_membership(struct convergence *c, uint32_t b, uint32_t region)
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
		if (r->nedges == MAX_EDGES || block->table_slot)
			return false;
		r->edges[r->nedges++] = (struct edge){from, b};
	}
	return true;
}

/* All lanes that enter leave by the reconvergence point or exit. */
static bool is_closed(struct convergence *c, struct region *r)
{
	r->nedges = 0;
	for (uint32_t k = 0; k < r->size; k++) {
		uint32_t b = c->stack[k];

		if (b == r->head || !nv_dominates(&c->dominators, r->head, b) || !c->ends[b])
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

static bool find_function_region(struct convergence *c, uint32_t branch, struct region *r)
{
	const struct mir_func *f = c->f;

	if (!r->point || !f->blocks[r->point].npreds)
		return false;
	/* Stop at the point: further up, it is the header of a loop that contains the branch. */
	for (r->head = branch; r->head != r->point; r->head = c->dominators.idom[r->head]) {
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

/* Lists in c->stack the blocks of the loop reachable from the head's successors without entering
 * the point, and in r->edges the edges by which the loop is left. */
static bool walk_loop_region(struct convergence *c, struct region *r)
{
	const struct mir_func *f = c->f;
	uint32_t b = r->head;

	c->walk++;
	r->size = r->nedges = 0;
	for (uint32_t next = 0;; b = c->stack[next++]) {
		const struct mir_block *block = &f->blocks[b];

		c->visits -= c->visits > 0;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			uint32_t to = block->succ[s];

			if (to == r->point || c->walked_in[to] == c->walk)
				continue;
			if (!nv_is_in_loop(&c->loops, to, r->loop)) {
				if (r->nedges == MAX_EDGES || f->blocks[to].table_slot)
					return false;
				r->edges[r->nedges++] = (struct edge){b, to};
				continue;
			}
			if (to == r->head || to == r->loop || !c->visits ||
			    !nv_dominates(&c->dominators, r->head, to))
				return false;
			c->walked_in[to] = c->walk;
			c->stack[r->size++] = to;
		}
		if (next == r->size)
			return true;
	}
}

static bool is_entered_by_head_only(const struct convergence *c, const struct region *r)
{
	for (uint32_t k = 0; k < r->size; k++) {
		const struct mir_block *block = &c->f->blocks[c->stack[k]];

		for (uint32_t p = 0; p < block->npreds; p++) {
			if (block->preds[p] != r->head && c->walked_in[block->preds[p]] != c->walk)
				return false;
		}
	}
	return true;
}

/* Lanes at the point of a region of the function that is inside the region under construction would
 * wait for lanes at the latter's point. */
static bool function_region_crosses(const struct convergence *c, const struct region *r)
{
	for (uint32_t n = 0; n < r->size; n++) {
		for (uint32_t k = c->regions_at[r->blocks[n]]; k;
		     k = c->regions[k - 1].next_of_point) {
			const struct region *x = &c->regions[k - 1];

			if (!x->loop && (x->head == r->point || nv_is_in_region(c, x, r->point)))
				return true;
		}
	}
	return false;
}

/* The other way round: r is a region of the function. */
static bool loop_region_crosses(const struct convergence *c, const struct region *r)
{
	for (const struct membership *m = c->regions_around[r->point]; m; m = m->next) {
		const struct region *x = &c->regions[m->region];

		if (!x->loop || x->barrier == MIR_BARRIERS)
			continue;
		for (uint32_t n = 0; n < r->size; n++)
			if (r->blocks[n] == x->point)
				return true;
		if (r->head == x->point)
			return true;
	}
	return false;
}

/* A callee that saves and restores barriers restores lanes that have left one in the meantime. */
static bool has_saving_call(struct convergence *c, uint32_t b)
{
	if (!c->saving_call[b]) {
		c->saving_call[b] = 2;
		mir_for_each(c->f, b, i)
			if (mir_is_call(i) && (!i->known || i->known->abi))
				c->saving_call[b] = 1;
	}
	return c->saving_call[b] == 1;
}

static bool may_be_left(struct convergence *c, const struct region *r)
{
	for (uint32_t k = 0; r->nedges && k < r->size; k++)
		if (has_saving_call(c, c->stack[k]))
			return false;
	return true;
}

/* Lanes that a sync of the whole warp waits for must not wait at the point: such a branch must be
 * taken by all lanes, which then do not diverge. */
static bool syncs_inside(const struct convergence *c, const struct region *r)
{
	for (uint32_t k = 0; k < r->size; k++)
		if (c->syncs_all[c->stack[k]])
			return true;
	return false;
}

/* The region may begin in the header, also if the point is the header: the end of the iteration. */
static bool find_loop_region(struct convergence *c, uint32_t branch, struct region *r)
{
	for (r->head = branch;; r->head = c->dominators.idom[r->head]) {
		if (!c->visits || barriers_are_used_up(c, r->head) ||
		    (r->head == r->point && r->point != r->loop))
			return false;
		if (walk_loop_region(c, r) && is_entered_by_head_only(c, r))
			return may_be_left(c, r) && !syncs_inside(c, r);
		if (r->head == r->loop)
			return false;
	}
}

/* A region around the branch with the same reconvergence point: its barrier covers the branch, too,
 * since the head of the branch's own region is its head or inside it. */
static struct region *find_covering_region(struct convergence *c, uint32_t branch, uint32_t point)
{
	struct region *found = NULL;

	for (uint32_t k = point ? c->regions_at[point] : 0; k;
	     k = c->regions[k - 1].next_of_point) {
		struct region *r = &c->regions[k - 1];

		if (r->head == branch || nv_is_in_region(c, r, branch))
			found = r;
	}
	return found;
}

bool nv_is_left(const struct region *r)
{
	return r->loop && r->nedges;
}

/*
 * Lanes of one region may wait at the reconvergence point of another region inside it. If a chain
 * of such waits leads back to the first region, its lanes would wait for themselves. That takes
 * several exits, or regions of loops: among regions of the function with the same exit, the later
 * point is never inside the earlier region. Beyond the budget the answer is yes.
 */
static bool may_deadlock(struct convergence *c, const struct region *r)
{
	uint32_t *list = c->stack, count = 0;
	const struct region *from = r;

	c->walk++;
	for (uint32_t next = 0;; from = &c->regions[list[next++]]) {
		if (!c->visits || (from != r && nv_is_in_region(c, from, r->point)))
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
	for (const struct membership *m = c->left_to[b]; m; m = m->next)
		used |= barrier_bit(&c->regions[m->region]);
	return used;
}

static void allocate_barrier(struct convergence *c, struct region *r)
{
	uint32_t used = c->f->callee_barriers | barriers_live_at(c, r->head);

	for (uint32_t e = 0; e < r->nedges; e++)
		used |= barriers_live_at(c, r->edges[e].from);
	for (uint32_t n = 0; n < r->size; n++)
		used |= barriers_set_at(c, r->blocks[n]);
	for (uint32_t n = 0; n < r->nleft; n++)
		used |= barriers_set_at(c, r->left[n]);
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
		nv_add_membership(c, r->blocks[n], number);
	for (uint32_t e = 0; !r->loop && e < r->nedges; e++)
		add_to_list(c, &c->entered_from[r->edges[e].from], number);
	for (uint32_t n = 0; n < r->nleft; n++)
		add_to_list(c, &c->left_to[r->left[n]], number);
	added->next_of_head = c->regions_at_head[r->head];
	added->next_of_point = c->regions_at[r->point];
	c->regions_at_head[r->head] = c->regions_at[r->point] = number + 1;
	return added;
}

/* The largest region whose barrier eventually reconverges all lanes that diverge in a block. */
static struct region *find_enclosing_region(struct convergence *c, uint32_t b)
{
	struct region *found = NULL;

	for (const struct membership *m = c->regions_around[b]; m; m = m->next) {
		struct region *r = &c->regions[m->region];

		if (r->barrier < MIR_BARRIERS && !nv_is_left(r) &&
		    (!found || r->size > found->size))
			found = r;
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

static void keep_blocks(const struct convergence *c, struct region *r)
{
	r->blocks = arena_array(c->f->arena, r->size + 1, sizeof(*r->blocks));
	memcpy(r->blocks, c->stack, r->size * sizeof(*r->blocks));
}

/* The region of the function for a branch that no other region covers. */
static struct region *find_new_region(struct convergence *c, uint32_t branch, uint32_t point)
{
	struct region r = {.barrier = MIR_BARRIERS, .point = point};

	if (!find_function_region(c, branch, &r))
		return NULL;
	keep_blocks(c, &r);
	return may_deadlock(c, &r) || loop_region_crosses(c, &r) ||
			       is_taken_by_all(c, branch, r.point)
		       ? NULL
		       : add_region(c, &r);
}

static struct region *add_function_region(struct convergence *c, uint32_t branch, uint32_t point)
{
	struct region *r = find_covering_region(c, branch, point);

	if (!r)
		r = find_new_region(c, branch, point);
	return r && r->barrier < MIR_BARRIERS ? r : NULL;
}

/* The reconvergence point in a loop around a branch. inner: the next one inside it, 0 = none. */
static uint32_t loop_point(const struct convergence *c, uint32_t branch, uint32_t inner)
{
	return inner ? c->loops.join_after[inner] : c->loops.join[branch];
}

/* Whether the lanes of a branch reconverge in a loop where its point in the function is another
 * block. Loops that have one header look like one loop: lanes then wait for others until the inner
 * one ends. */
static bool needs_loop_region(const struct convergence *c, uint32_t branch, uint32_t loop,
			      uint32_t inner)
{
	uint32_t point = loop_point(c, branch, inner);

	return point && point != c->points[branch] &&
	       !(point == loop && c->points[branch] &&
		 nv_is_in_loop(&c->loops, c->points[branch], loop));
}

/* The blocks that lanes may execute after they have left the loop by an edge of the region, until
 * they wait at the point of one of the outer regions. */
static bool find_left_blocks(struct convergence *c, struct region *r, struct region *const *outer,
			     uint32_t nouter)
{
	const struct mir_func *f = c->f;
	uint32_t count = 0, to;

	c->walk++;
	for (uint32_t k = 0; k < nouter; k++)
		if (outer[k])
			c->walked_in[outer[k]->point] = c->walk;
	for (uint32_t e = 0; e < r->nedges; e++) {
		to = r->edges[e].to;
		if (c->walked_in[to] != c->walk) {
			c->walked_in[to] = c->walk;
			c->stack[count++] = to;
		}
	}
	for (uint32_t next = 0; next < count; next++) {
		const struct mir_block *block = &f->blocks[c->stack[next]];

		if (!c->left_visits || has_saving_call(c, c->stack[next]))
			return false;
		c->left_visits--;
		for (uint32_t s = 0; s < block->nsucc; s++) {
			to = block->succ[s];
			if (c->walked_in[to] == c->walk)
				continue;
			if (nv_is_in_loop(&c->loops, to, r->loop))
				return false;
			c->walked_in[to] = c->walk;
			c->stack[count++] = to;
		}
	}
	r->left = arena_array(f->arena, count + 1, sizeof(*r->left));
	memcpy(r->left, c->stack, count * sizeof(*r->left));
	r->nleft = count;
	return true;
}

/* Returns the point in the function. */
static uint32_t find_loop_regions(struct convergence *c, uint32_t branch, struct loop_regions *l)
{
	uint32_t loop = c->loops.of[branch], inner = 0, point = c->points[branch];

	l->count = 0;
	l->all_rejoin = false;
	for (; loop && l->count < MAX_LEVELS && !l->all_rejoin;
	     inner = loop, loop = c->loops.parent[loop]) {
		struct region *r = &l->region[l->count], *known;

		if (!loop_point(c, branch, inner))
			continue;
		if (!needs_loop_region(c, branch, loop, inner))
			break;
		*r = (struct region){.barrier = MIR_BARRIERS, .loop = loop};
		r->point = loop_point(c, branch, inner);
		known = find_covering_region(c, branch, r->point);
		if (known)
			*r = *known;
		else if (find_loop_region(c, inner ? c->dominators.idom[inner] : branch, r))
			keep_blocks(c, r);
		else
			continue;
		l->known[l->count++] = known;
		l->all_rejoin = !nv_is_left(r);
	}
	/* Out of the loops that have regions: lanes reach such a point in a later iteration. */
	while (l->count && point && nv_is_in_loop(&c->loops, point, inner))
		point = c->points[point] != point ? c->points[point] : 0;
	return point;
}

/* Adds the region of a level unless it is known. outer: the larger regions of the branch, some
 * NULL. Returns NULL if it has no barrier. */
static struct region *add_loop_region(struct convergence *c, uint32_t level, struct region **outer,
				      uint32_t nouter)
{
	struct region *r = c->loop_regions->known[level], *found = &c->loop_regions->region[level];

	if (!r && c->nloop_regions < c->max_loop_regions && !function_region_crosses(c, found) &&
	    !may_deadlock(c, found) && find_left_blocks(c, found, outer, nouter)) {
		r = add_region(c, found);
		c->nloop_regions++;
	}
	return r && r->barrier < MIR_BARRIERS ? r : NULL;
}

/* Adds the regions of a branch, the largest first, and returns the one at whose point all of its
 * lanes that have not exited reconverge; NULL: none. */
static struct region *add_regions(struct convergence *c, uint32_t branch)
{
	struct loop_regions *l = c->loop_regions;
	struct region *last = NULL, *outer[MAX_LEVELS + 2];
	uint32_t point = find_loop_regions(c, branch, l), nouter = 0;

	if (l->all_rejoin)
		last = add_loop_region(c, --l->count, outer, 0);
	if (!last)
		last = add_function_region(c, branch, point);
	outer[nouter++] = last;
	for (; l->count-- > 0; nouter++)
		outer[nouter] = add_loop_region(c, l->count, outer, nouter);
	return last;
}

static void find_regions(struct convergence *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	/* Reverse postorder: outer regions come first. */
	for (uint32_t k = 0; k < count; k++) {
		struct region *r;

		if (!mir_may_diverge(&f->blocks[order[k]]) || nv_becomes_guarded_exit(f, order[k]))
			continue;
		r = add_regions(c, order[k]);
		mark_divergent(c, order[k], r ? r : find_enclosing_region(c, order[k]));
	}
}

/* Groups of lanes may continue from here at different times, and a BSYNC does not reconverge
 * them: an H200 let some of them pass a block barrier after a BSYNC, where ptxas has
 * a WARPSYNC.ALL. The WARPSYNC may be in a function of merge_divergent_syncs.c, from which lanes
 * return to different call sites. BSYNC does not wait for lanes in NANOSLEEP either
 * (tests/silicon/convergence.sh on an H200), unless all lanes sleep together. */
bool nv_splits_warp(const struct mir_inst *i, bool divergent)
{
	if (i->sass.op == SASS_NANOSLEEP)
		return divergent || i->sass.guard != SASS_PT;
	return (i->sass.op == SASS_WARPSYNC && i->members != MIR_ALL_LANES) || i->syncs_warp;
}

static bool may_split(const struct convergence *c, uint32_t b)
{
	mir_for_each(c->f, b, i)
		if (mir_may_split_lanes(i) || nv_splits_warp(i, c->divergent[b]))
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

struct convergence nv_analyse_convergence(struct mir_func *f)
{
	struct convergence c = {.f = f, .nblocks = f->nblocks};
	uint32_t branches = 0, edges = 0;

	mir_for_each_block(f, b) {
		branches += mir_may_diverge(&f->blocks[b]);
		edges += f->blocks[b].nsucc;
	}
	c.max_loop_regions = 2 * branches;
	c.max_blocks = c.nblocks + 2 * (branches + c.max_loop_regions) + edges;
	c.edge_blocks = arena_array(f->arena, edges, sizeof(*c.edge_blocks));
	c.regions = arena_array(f->arena, branches + c.max_loop_regions + 1, sizeof(*c.regions));
	c.loop_regions = arena_alloc(f->arena, sizeof(*c.loop_regions));
	c.divergent = arena_array(f->arena, c.nblocks, sizeof(*c.divergent));
	c.diverges = arena_array(f->arena, c.nblocks, sizeof(*c.diverges));
	c.stack = arena_array(f->arena, c.nblocks + branches + c.max_loop_regions + 1,
			      sizeof(*c.stack));
	c.regions_around = arena_array(f->arena, c.max_blocks, sizeof(struct membership *));
	c.entered_from = arena_array(f->arena, c.nblocks, sizeof(struct membership *));
	c.left_to = arena_array(f->arena, c.nblocks, sizeof(struct membership *));
	c.regions_at_head = arena_array(f->arena, c.nblocks, sizeof(*c.regions_at_head));
	c.regions_at = arena_array(f->arena, c.nblocks, sizeof(*c.regions_at));
	c.visits = VISITS + (uint64_t)VISITS_PER_BLOCK * c.nblocks;
	c.left_visits = LEFT_VISITS;
	c.walked_in = arena_array(f->arena, c.nblocks, sizeof(*c.walked_in));
	c.reached = arena_array(f->arena, c.nblocks, sizeof(*c.reached));
	c.saving_call = arena_array(f->arena, c.nblocks, sizeof(*c.saving_call));
	c.may_wait = arena_array(f->arena, c.nblocks, sizeof(*c.may_wait));
	c.syncs_all = arena_array(f->arena, c.nblocks, sizeof(*c.syncs_all));
	find_whole_syncs(&c);
	c.dominators = nv_find_dominators(f);
	c.loops = nv_find_loops(f, &c.dominators);
	nv_find_reconvergence(f, &c.ends, &c.points);
	find_regions(&c);
	mark_divergent_calls(&c);
	return c;
}

const bool *nv_divergent_blocks(struct mir_func *f)
{
	struct convergence c = nv_analyse_convergence(f);

	for (uint32_t b = 0; b < c.nblocks; b++)
		c.divergent[b] |= c.diverges[b];
	return c.divergent;
}
