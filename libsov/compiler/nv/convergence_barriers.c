// SPDX-License-Identifier: MIT
/*
 * Reconvergence. After a divergent branch the lanes of a warp run apart until something brings them
 * together again: BSSY notes in a barrier register which lanes are there, BSYNC makes these wait
 * for each other, but for those that have ended. For each divergent branch with a place where its
 * lanes meet (meet.c):
 *
 *   region  what can be reached from a block without passing that place
 *   head    the nearest block above (or at) the branch that dominates its own region and is not
 *           itself inside it, so that each lane that comes to the place came by the head, once
 *
 * BSSY goes to the end of the head, BSYNC to a block of its own on the edges from region to place.
 * Branches with the same head and place share a barrier, and a region inside another with the same
 * place needs none of its own. Where there is no such head, or lanes at the place might wait for
 * others that wait for them on the way to another end, lanes may run apart for longer; that costs
 * time but no correctness, since operations between lanes that might find them apart are preceded
 * by a WARPSYNC for their lanes.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/mir.h"

struct region {
	uint32_t head, place; /* blocks; head 0: there is none */
	bool *inside;         /* by block */
	uint32_t size;
	uint32_t barrier;       /* number of its register; MIR_BARRIERS: none was left */
	uint32_t sync;          /* block of its BSYNC */
	struct mir_inst *enter; /* its BSSY */
};

struct converge {
	struct mir_func *f;
	uint32_t nblocks; /* before any are added */
	uint32_t room;    /* for all that may be added */
	uint32_t *stack;
	uint32_t *idom, *place_in_order;
	uint32_t *ends, *places; /* by block, of nv_find_reconvergence() */
	struct region *regions;
	uint32_t nregions;
	bool *apart; /* by block: lanes may have parted before it … */
	bool *parts; /* … or part in it */
};

/* Immediate dominators, after Cooper, Harvey and Kennedy: two fingers that walk up. */
static void find_dominators(struct converge *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);
	bool changed = true;

	c->idom = arena_array(f->arena, f->nblocks, sizeof(*c->idom));
	c->place_in_order = arena_array(f->arena, f->nblocks, sizeof(*c->place_in_order));
	for (uint32_t k = 0; k < count; k++)
		c->place_in_order[order[k]] = k;
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
					if (c->place_in_order[a] > c->place_in_order[b])
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

static bool dominates(const struct converge *c, uint32_t a, uint32_t b)
{
	while (c->place_in_order[b] > c->place_in_order[a])
		b = c->idom[b];
	return a == b;
}

/* Marks what can be reached from b's successors without entering stop. */
static uint32_t reach(const struct converge *c, uint32_t b, uint32_t stop, bool *inside)
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

/* Whether lanes may wait in a block for others, who may be waiting for them at the place. */
static bool may_wait(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if ((!i->rare || i->meets) && (i->members || mir_is_call(i)))
			return true;
	return false;
}

/* All lanes that enter by the head leave by the place or end on the way, and none came another
 * way. */
static bool is_closed(const struct converge *c, const struct region *r)
{
	for (uint32_t b = 0; b < c->nblocks; b++) {
		if (!r->inside[b])
			continue;
		if (b == r->head || !dominates(c, r->head, b) || !c->ends[b])
			return false;
		/* There is a way around the place. */
		if (b == c->ends[r->place])
			return false;
		if (c->ends[b] != c->ends[r->place] && may_wait(c->f, b))
			return false;
	}
	return true;
}

static bool find_region(struct converge *c, uint32_t branch, struct region *r)
{
	const struct mir_func *f = c->f;

	r->place = c->places[branch];
	if (!r->place || !f->blocks[r->place].npreds)
		return false;
	r->inside = arena_array(f->arena, c->room, sizeof(*r->inside));
	/* From the place on up the branch is behind the place: it is the head of a loop that the branch is in. */
	for (r->head = branch; r->head != r->place; r->head = c->idom[r->head]) {
		memset(r->inside, 0, c->nblocks * sizeof(*r->inside));
		r->size = reach(c, r->head, r->place, r->inside);
		if (is_closed(c, r))
			return true;
		if (r->head == f->entry)
			return false;
	}
	return false;
}

/* A known region whose barrier does for this one. */
static struct region *covering(struct converge *c, const struct region *r)
{
	for (uint32_t k = 0; k < c->nregions; k++) {
		struct region *other = &c->regions[k];

		if (other->place == r->place && (other->head == r->head || other->inside[r->head]))
			return other;
	}
	return NULL;
}

/*
 * Lanes of one region may be waiting at the place of another that is inside it. If from there, by
 * others, the way leads back to the region, its lanes would wait for themselves. That takes several
 * ends: of those on the way to one, the later place is never inside the earlier's region.
 */
static bool locks(const struct converge *c, const struct region *r)
{
	uint32_t *list = c->stack, count = 0;
	const struct region *from = r;

	for (uint32_t next = 0;; from = &c->regions[list[next++]]) {
		if (from != r && from->inside[r->place])
			return true;
		for (uint32_t k = 0, at = 0; k < c->nregions; k++, at = 0) {
			if (c->regions[k].barrier == MIR_BARRIERS ||
			    !from->inside[c->regions[k].place])
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

/* Two barriers are in use at once if one's head is the other's or inside its region. */
static bool overlap(const struct region *a, const struct region *b)
{
	return a->head == b->head || a->inside[b->head] || b->inside[a->head];
}

static void number_barrier(struct converge *c, struct region *r)
{
	uint32_t used = 0;

	for (uint32_t k = 0; k < c->nregions; k++) {
		if (&c->regions[k] != r && c->regions[k].barrier < MIR_BARRIERS &&
		    overlap(&c->regions[k], r))
			used |= 1u << c->regions[k].barrier;
	}
	for (r->barrier = 0; r->barrier < MIR_BARRIERS && used >> r->barrier & 1; r->barrier++)
		;
}

/* A region whose barrier brings together what parts in a block, sooner or later. */
static const struct region *around(const struct converge *c, uint32_t b)
{
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (c->regions[k].inside[b] && c->regions[k].barrier < MIR_BARRIERS)
			return &c->regions[k];
	}
	return NULL;
}

/* Lanes may be apart in all of the region, or, where nothing brings them together, ever after. */
static void mark_apart(struct converge *c, uint32_t branch, const struct region *r)
{
	bool *apart = r ? r->inside : arena_array(c->f->arena, c->room, sizeof(*apart));

	if (!r)
		reach(c, branch, 0, apart);
	for (uint32_t b = 0; b < c->nblocks; b++)
		c->apart[b] |= apart[b];
}

static void collect(struct converge *c)
{
	const struct mir_func *f = c->f;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	/* Outer regions come first in this order. */
	for (uint32_t k = 0; k < count; k++) {
		const struct mir_block *block = &f->blocks[order[k]];
		struct region r = {.barrier = MIR_BARRIERS}, *known = NULL;

		if (!mir_may_diverge(block) || nv_becomes_guarded_exit(f, order[k]))
			continue;
		if (find_region(c, order[k], &r)) {
			known = covering(c, &r);
			if (!known && !locks(c, &r)) {
				known = &c->regions[c->nregions++];
				*known = r;
				number_barrier(c, known);
			}
		}
		mark_apart(c, order[k],
			   known && known->barrier < MIR_BARRIERS ? known : around(c, order[k]));
	}
}

static struct mir_source barrier(uint32_t number)
{
	return (struct mir_source){.op = {.kind = SASS_BREG, .reg = (uint8_t)number}};
}

/* A table's slot has room for its jump alone: a head that is one is taken to a block behind it. */
static void leave_slot(struct converge *c, struct region *r)
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

static void insert_barrier(struct converge *c, struct region *r)
{
	struct mir_func *f = c->f;
	struct mir_inst *leave = mir_inst_new(f, SASS_BSYNC), *last;

	if (f->blocks[r->head].slot)
		leave_slot(c, r);
	r->sync = mir_block_new(f, mir_block_before(f, r->place));
	for (uint32_t p = 0; p < f->blocks[r->place].npreds;) {
		uint32_t from = f->blocks[r->place].preds[p];

		if (from == r->head || r->inside[from])
			mir_redirect_edge(f, from, r->place, r->sync);
		else
			p++;
	}
	mir_add_edge(f, r->sync, r->place);
	f->blocks[r->sync].end = MIR_END_JUMP;
	mir_set_operand(leave, 0, barrier(r->barrier));
	mir_insert(f, r->sync, NULL, leave);

	r->enter = mir_inst_new(f, SASS_BSSY);
	mir_set_operand(r->enter, 0, barrier(r->barrier));
	mir_set_operand(r->enter, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	last = f->blocks[r->head].last;
	mir_insert(f, r->head, last && last->terminator ? last : NULL, r->enter);
	/* For the regions around this one, the new block is inside. */
	for (uint32_t k = 0; k < c->nregions; k++) {
		if (c->regions[k].inside[r->head])
			c->regions[k].inside[r->sync] = true;
	}
}

/* Inner regions first: where several meet in one place, their lanes meet from the inside out. */
static int by_size(const void *a, const void *b)
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

/* Groups of lanes may go on from here at different times, and a BSYNC does not bring them together: an H200
 * let some of them pass a block barrier behind one, where ptxas has a WARPSYNC.ALL. The WARPSYNC may stand in
 * the function where they meet (apart.c), from which they come back to different places. */
static bool parts_groups(const struct mir_inst *i)
{
	return (i->sass.op == SASS_WARPSYNC && i->members != MIR_ALL_LANES) || i->meets;
}

/* Lanes that called together may come back one by one, and come to a function from several places. */
static void mark_after_calls(struct converge *c)
{
	if (c->f->ir->kind == IR_FUNCTION) {
		memset(c->apart, true, c->nblocks * sizeof(*c->apart));
		return;
	}
	mir_for_each_block(c->f, b)
		mir_for_each(c->f, b, i)
			if (b < c->nblocks && (mir_is_clobbering_call(i) || parts_groups(i))) {
				mark_apart(c, b, NULL);
				c->parts[b] = true;
				break;
			}
}

/* One WARPSYNC does for a run of operations of all lanes: nothing but calls and groups part them in a
 * block. */
static void sync_members(struct converge *c)
{
	struct mir_func *f = c->f;

	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool together = !c->apart[b];

		mir_for_each(f, b, i) {
			if (i->members == MIR_ALL_LANES && !together)
				insert_warpsync(f, b, i);
			together |= i->members == MIR_ALL_LANES;
			together &= !mir_is_clobbering_call(i) && !parts_groups(i);
		}
	}
}

static struct converge look(struct mir_func *f)
{
	struct converge c = {.f = f, .nblocks = f->nblocks};
	uint32_t branches = 0;

	mir_for_each_block(f, b)
		branches += mir_may_diverge(&f->blocks[b]);
	c.room = c.nblocks + 2 * branches;
	c.regions = arena_array(f->arena, branches + 1, sizeof(*c.regions));
	c.apart = arena_array(f->arena, c.nblocks, sizeof(*c.apart));
	c.parts = arena_array(f->arena, c.nblocks, sizeof(*c.parts));
	c.stack = arena_array(f->arena, c.nblocks + 1, sizeof(*c.stack));
	find_dominators(&c);
	nv_find_reconvergence(f, &c.ends, &c.places);
	collect(&c);
	mark_after_calls(&c);
	return c;
}

const bool *nv_divergent_blocks(struct mir_func *f)
{
	struct converge c = look(f);

	for (uint32_t b = 0; b < c.nblocks; b++)
		c.apart[b] |= c.parts[b];
	return c.apart;
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

/* A uniform register is the warp's: lanes that are apart must not write one that others may still
 * read. uniform.c saw to that when the code had other blocks; this is about those that it has. */
static bool writes_apart(const struct converge *c)
{
	for (uint32_t b = 1; b < c->nblocks; b++) {
		bool apart = c->apart[b] || c->parts[b];

		for (struct mir_inst *i = apart ? c->f->blocks[b].first : NULL; i; i = i->next) {
			if (writes_uniform(i))
				return true;
		}
	}
	return false;
}

void nv_insert_convergence_barriers(struct mir_func *f)
{
	struct converge c = look(f);

	f->retry_without_uniform = f->uniform && writes_apart(&c);
	qsort(c.regions, c.nregions, sizeof(*c.regions), by_size);
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (c.regions[k].barrier < MIR_BARRIERS)
			insert_barrier(&c, &c.regions[k]);
	}
	for (uint32_t k = 0; k < c.nregions; k++) {
		if (c.regions[k].enter)
			c.regions[k].enter->target = f->blocks[c.regions[k].sync].succ[0];
	}
	sync_members(&c);
}
