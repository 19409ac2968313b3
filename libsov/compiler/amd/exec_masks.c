// SPDX-License-Identifier: MIT
/*
 * How a wave goes through a function whose lanes go different ways. Any graph will do, also one with
 * cycles that have several entries.
 *
 * Blocks stand in one order: what leads to a block stands before it, but for edges back to the header of
 * a loop, and a loop stands without gaps. The wave sweeps along this order. Lanes that part wait for their
 * blocks, each block takes those that wait for it, and at a loop's end the wave goes back to the header if
 * lanes wait there. So every block runs once a sweep with all lanes that come to it in that sweep, and lanes
 * that parted are together again at the latest where all their ways meet.
 *
 * Where that is not needed a wave jumps as any processor does. A branch that may part lanes has a region:
 * all blocks that they can get to before they meet. Lanes wait for blocks of regions and for the places
 * where they meet ("masked" blocks), and for no others. Where a loop's lanes can go round without coming to
 * the meeting place, that is not one, since the sweep brings late and early lanes together at the header;
 * then it is the next one outside of the loop.
 *
 * What is the same for all lanes depends on where they meet, so divergence is computed with these places.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

struct work {
	struct gcn_control *c;
	const struct ir_func *f;
	struct arena *a;
	uint32_t words;           /* of a set of blocks */
	uint64_t *postdominators; /* by block: a set */
	ir_block *ipdom;
	/* of strongly connected components */
	uint32_t *index, *low, counter;
	bool *on_stack, *inside;
	ir_block *stack;
	uint32_t depth;
	bool *region;
	uint32_t *leader; /* of a component: union and find */
};

bool gcn_is_end(const struct ir_func *f, ir_block b)
{
	const struct ir_inst *in = ir_at(f, f->blocks[b].first);

	return f->kind == IR_KERNEL && (in->op == IR_RET || in->op == IR_EXIT);
}

/* Successor k of a conditional branch only ends lanes, the other one does not. */
static bool ends_lanes(const struct ir_func *f, ir_block b, uint32_t k)
{
	const struct ir_bb *bb = &f->blocks[b];

	return bb->nsucc == 2 && gcn_is_end(f, bb->succ[k]) && !gcn_is_end(f, bb->succ[1 - k]);
}

bool gcn_parts(const struct gcn_control *c, ir_block b)
{
	return c->divergence->branch[b] && c->f->blocks[b].nsucc == 2 && !ends_lanes(c->f, b, 0) &&
	       !ends_lanes(c->f, b, 1);
}

/* ---- the order ---- */

struct frame {
	ir_block b;
	uint32_t next;
};

/* Tarjan's algorithm within the blocks that are inside; components come out in reverse order, each
 * as a run of out[]; returns how many blocks there are. */
static uint32_t components(struct work *w, const ir_block *blocks, uint32_t n, ir_block *out,
			   uint32_t *sizes, uint32_t *nsizes)
{
	struct frame *frames = arena_array(w->a, n + 1, sizeof(*frames));
	uint32_t count = 0, top;

	*nsizes = 0;
	w->counter = 0;
	w->depth = 0;
	for (uint32_t k = 0; k < n; k++)
		w->index[blocks[k]] = 0;
	for (uint32_t k = 0; k < n; k++) {
		if (w->index[blocks[k]])
			continue;
		top = 0;
		frames[top++] = (struct frame){blocks[k], 0};
		while (top) {
			struct frame *fr = &frames[top - 1];
			const struct ir_bb *bb = &w->f->blocks[fr->b];
			ir_block b = fr->b;

			if (!fr->next) {
				w->index[b] = w->low[b] = ++w->counter;
				w->stack[w->depth++] = b;
				w->on_stack[b] = true;
			}
			if (fr->next < bb->nsucc) {
				ir_block s = bb->succ[bb->nsucc - 1 - fr->next++];

				if (!w->inside[s])
					continue;
				if (!w->index[s])
					frames[top++] = (struct frame){s, 0};
				else if (w->on_stack[s] && w->index[s] < w->low[b])
					w->low[b] = w->index[s];
				continue;
			}
			fr->next = 1; /* a block without successors is not met anew */
			if (w->low[b] == w->index[b]) {
				uint32_t size = 0;
				ir_block s;

				do {
					s = w->stack[--w->depth];
					w->on_stack[s] = false;
					out[count++] = s;
					size++;
				} while (s != b);
				sizes[(*nsizes)++] = size;
			}
			if (--top && w->low[b] < w->low[frames[top - 1].b])
				w->low[frames[top - 1].b] = w->low[b];
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

/* Of a cycle's blocks one that can be entered from outside: the first that the front end wrote. Lanes that wait for
 * others must not keep these from coming: where they meet a cycle begins. */
static ir_block header_of(const struct work *w, const ir_block *blocks, uint32_t n,
			  const bool *member)
{
	ir_block best = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct ir_bb *bb = &w->f->blocks[blocks[k]];

		if (gcn_is_meeting(w->f, blocks[k]))
			return blocks[k];
		for (uint32_t p = 0; p < bb->npreds; p++)
			if (!member[bb->preds[p]] && (!best || blocks[k] < best))
				best = blocks[k];
	}
	return best ? best : blocks[n - 1];
}

static void arrange(struct work *w, const ir_block *blocks, uint32_t n, uint32_t loop);

static void arrange_loop(struct work *w, const ir_block *blocks, uint32_t n, uint32_t around)
{
	struct gcn_control *c = w->c;
	bool *member = arena_array(w->a, w->f->nblocks, sizeof(*member));
	ir_block *rest = arena_array(w->a, n, sizeof(*rest)), header;
	uint32_t count = 0, number = c->nloops;

	for (uint32_t k = 0; k < n; k++)
		member[blocks[k]] = true;
	header = header_of(w, blocks, n, member);
	c->loops = arena_grow(w->a, c->loops, &c->loops_capacity, c->nloops + 1, sizeof(*c->loops));
	c->loops[c->nloops++] = (struct gcn_loop){header, c->count, 0, around};
	c->place[header] = c->count;
	c->loop_of[header] = number + 1;
	c->order[c->count++] = header;
	for (uint32_t k = 0; k < n; k++)
		if (blocks[k] != header)
			rest[count++] = blocks[k];
	arrange(w, rest, count, number + 1);
	c->loops[number].end = c->count;
}

static void arrange(struct work *w, const ir_block *blocks, uint32_t n, uint32_t loop)
{
	struct gcn_control *c = w->c;
	ir_block *out = arena_array(w->a, n + 1, sizeof(*out));
	uint32_t *sizes = arena_array(w->a, n + 1, sizeof(*sizes)), nsizes, at;
	bool *inside = w->inside;

	w->inside = arena_array(w->a, w->f->nblocks, sizeof(*w->inside));
	for (uint32_t k = 0; k < n; k++)
		w->inside[blocks[k]] = true;
	at = components(w, blocks, n, out, sizes, &nsizes);
	while (nsizes--) {
		ir_block *part = &out[at -= sizes[nsizes]];

		if (sizes[nsizes] > 1 || has_edge(w->f, *part, *part)) {
			arrange_loop(w, part, sizes[nsizes], loop);
			continue;
		}
		c->place[*part] = c->count;
		c->loop_of[*part] = loop;
		c->order[c->count++] = *part;
	}
	w->inside = inside;
}

/* ---- where ways meet ---- */

static uint64_t *pdom(struct work *w, ir_block b)
{
	return w->postdominators + (size_t)b * w->words;
}

static uint32_t size_of(const uint64_t *set, uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < words; k++)
		n += (uint32_t)__builtin_popcountll(set[k]);
	return n;
}

/* Sets of postdominators, from all downwards; lanes that end by the way do not count, but where that is counted. */
static void meet_downwards(struct work *w, const bool *counted)
{
	const struct ir_func *f = w->f;
	uint64_t *set = arena_array(w->a, w->words, sizeof(*set));
	bool changed = true;

	memset(w->postdominators, 0xff, (size_t)f->nblocks * w->words * sizeof(uint64_t));
	while (changed) {
		changed = false;
		for (uint32_t k = w->c->count; k--;) {
			ir_block b = w->c->order[k];
			const struct ir_bb *bb = &f->blocks[b];

			memset(set, bb->nsucc ? 0xff : 0, w->words * sizeof(*set));
			for (uint32_t s = 0; s < bb->nsucc; s++)
				for (uint32_t i = 0;
				     (counted[b] || !ends_lanes(f, b, s)) && i < w->words; i++)
					set[i] &= pdom(w, bb->succ[s])[i];
			set[b / 64] |= UINT64_C(1) << b % 64;
			if (!memcmp(set, pdom(w, b), w->words * sizeof(*set)))
				continue;
			memcpy(pdom(w, b), set, w->words * sizeof(*set));
			changed = true;
		}
	}
}

/* A loop whose lanes only end has no other way out: the last such place counts as one. */
static bool count_an_end(struct work *w, bool *counted)
{
	for (uint32_t k = w->c->count; k--;) {
		ir_block b = w->c->order[k];

		if (size_of(pdom(w, b), w->words) <= w->c->count || counted[b] ||
		    !(ends_lanes(w->f, b, 0) || ends_lanes(w->f, b, 1)))
			continue;
		counted[b] = true;
		return true;
	}
	return false;
}

static void find_postdominators(struct work *w)
{
	bool *counted = arena_array(w->a, w->f->nblocks, sizeof(*counted));

	w->postdominators = arena_array(w->a, (size_t)w->f->nblocks * w->words, sizeof(uint64_t));
	do
		meet_downwards(w, counted);
	while (count_an_end(w, counted));
	for (uint32_t k = 0; k < w->c->count; k++) {
		ir_block b = w->c->order[k];
		uint32_t size = size_of(pdom(w, b), w->words);

		w->ipdom[b] = 0;
		for (uint32_t j = 0; size <= w->c->count && j < w->c->count; j++) {
			ir_block p = w->c->order[j];

			if (p != b && gcn_has(pdom(w, b), p) &&
			    size_of(pdom(w, p), w->words) == size - 1)
				w->ipdom[b] = p;
		}
	}
}

/* Blocks on ways from the branch that do not lead through the meeting place. */
static void find_region(struct work *w, ir_block branch, ir_block meet)
{
	const struct ir_func *f = w->f;
	uint32_t depth = 0;

	memset(w->region, 0, f->nblocks * sizeof(*w->region));
	w->stack[depth++] = branch;
	while (depth) {
		ir_block b = w->stack[--depth];
		const struct ir_bb *bb = &f->blocks[b];

		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != meet && !w->region[bb->succ[k]] &&
			    !ends_lanes(f, b, k)) {
				w->region[bb->succ[k]] = true;
				w->stack[depth++] = bb->succ[k];
			}
	}
}

bool gcn_in_loop(const struct gcn_control *c, ir_block b, uint32_t loop)
{
	const struct gcn_loop *l = &c->loops[loop];

	return b && c->place[b] >= l->begin && c->place[b] < l->end;
}

/* Whether lanes of the branch can go round a loop that the meeting place is in and not come to it. */
static bool passes_by(const struct work *w, ir_block branch, ir_block meet)
{
	const struct gcn_control *c = w->c;

	for (uint32_t l = c->loop_of[branch]; l; l = c->loops[l - 1].parent)
		if (w->region[c->loops[l - 1].header] && gcn_in_loop(c, meet, l - 1))
			return true;
	return false;
}

static void find_meeting_places(struct work *w)
{
	struct gcn_control *c = w->c;

	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], meet = w->ipdom[b];

		c->meet[b] = meet;
		if (c->f->blocks[b].nsucc < 2)
			continue;
		find_region(w, b, meet);
		while (passes_by(w, b, meet)) {
			meet = w->ipdom[meet];
			find_region(w, b, meet);
		}
		c->meet[b] = meet;
	}
}

/* ---- which blocks lanes wait for ---- */

static uint32_t find(struct work *w, uint32_t b)
{
	while (w->leader[b] != b)
		b = w->leader[b] = w->leader[w->leader[b]];
	return b;
}

/* The block that the lanes of this one have waited for, if they have. */
static ir_block waited_for(const struct gcn_control *c, ir_block b)
{
	while (b && !c->masked[b])
		b = gcn_owner(c, b);
	return b;
}

static void mask_blocks(struct work *w)
{
	struct gcn_control *c = w->c;
	const struct ir_func *f = w->f;

	for (uint32_t b = 0; b < f->nblocks; b++)
		w->leader[b] = b;
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], meet = c->meet[b];

		if (!gcn_parts(c, b) || c->parts_as[b])
			continue;
		find_region(w, b, meet);
		if (meet)
			w->region[meet] = true;
		for (uint32_t j = 0; j < c->count; j++)
			if (w->region[c->order[j]] && !gcn_is_owned(c, c->order[j])) {
				c->masked[c->order[j]] = true;
				w->leader[find(w, c->order[j])] = find(w, f->blocks[b].succ[0]);
			}
	}
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], from = waited_for(c, b);

		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			if (from && c->masked[f->blocks[b].succ[s]])
				w->leader[find(w, from)] = find(w, f->blocks[b].succ[s]);
	}
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k], from = waited_for(c, b);

		c->component[b] = find(w, b);
		c->waiters[b] = from ? 1 + find(w, from) : 0;
	}
}

bool gcn_waits(const struct gcn_control *c, ir_block b, ir_block s)
{
	uint32_t around = c->structure_of[b], into = c->structure_of[s];

	if (around && c->structures[around - 1].meet == s)
		return false;
	if (into && c->structures[into - 1].loop == s &&
	    c->place[b] >= c->structures[into - 1].begin &&
	    c->place[b] < c->structures[into - 1].end)
		return false;
	return c->masked[s];
}

bool gcn_together(const struct gcn_control *c, ir_block b)
{
	const struct ir_bb *bb = &c->f->blocks[b];
	bool all = !c->waiters[b];

	/* Where lanes have met they are all there: a branch that they take together is any machine's. Nobody waits
	 * for a block that comes behind such a place alone. */
	for (uint32_t k = 0; k < 2; k++)
		all |= !gcn_is_end(c->f, bb->succ[k]) && !gcn_waits(c, b, bb->succ[k]);
	return !c->divergence->branch[b] && all;
}

struct gcn_control *gcn_control_find(struct ir_func *f, bool calls_end)
{
	struct arena *a = f->module->arena;
	struct gcn_control *c = arena_alloc(a, sizeof(*c));
	struct ir_cfg cfg = *ir_cfg_build(f);
	struct work w = {.c = c, .f = f, .a = a, .words = (f->nblocks + 63) / 64};

	c->f = f;
	c->calls_end = calls_end;
	c->order = arena_array(a, f->nblocks, sizeof(*c->order));
	c->place = arena_array(a, f->nblocks, sizeof(*c->place));
	c->loop_of = arena_array(a, f->nblocks, sizeof(*c->loop_of));
	c->masked = arena_array(a, f->nblocks, sizeof(*c->masked));
	c->component = arena_array(a, f->nblocks, sizeof(*c->component));
	c->meet = arena_array(a, f->nblocks, sizeof(*c->meet));
	c->structure_of = arena_array(a, f->nblocks, sizeof(*c->structure_of));
	c->parts_as = arena_array(a, f->nblocks, sizeof(*c->parts_as));
	c->waiters = arena_array(a, f->nblocks, sizeof(*c->waiters));
	w.index = arena_array(a, f->nblocks, sizeof(*w.index));
	w.low = arena_array(a, f->nblocks, sizeof(*w.low));
	w.on_stack = arena_array(a, f->nblocks, sizeof(*w.on_stack));
	w.stack = arena_array(a, f->nblocks + 1, sizeof(*w.stack));
	w.region = arena_array(a, f->nblocks, sizeof(*w.region));
	w.leader = arena_array(a, f->nblocks, sizeof(*w.leader));
	w.ipdom = arena_array(a, f->nblocks, sizeof(*w.ipdom));
	arrange(&w, cfg.rpo, cfg.nrpo, 0);
	find_postdominators(&w);
	find_meeting_places(&w);
	cfg.ipdom = c->meet;
	c->divergence = ir_divergence_compute(f, &cfg);
	gcn_structures_find(c, a);
	mask_blocks(&w);
	return c;
}
