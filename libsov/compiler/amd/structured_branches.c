// SPDX-License-Identifier: MIT
/*
 * Branches that need no masks of waiting lanes, because what they do is an "if" or a loop's exit as a
 * programmer writes it. Such a structure is a run of blocks in the order of control.c that lanes leave to one
 * place only, where all of them meet again:
 *
 *	if	the blocks right behind the branch: a part for either side, or for one of them, which nobody
 *		enters but from the branch. The wave saves EXEC, narrows it for one part after the other and
 *		takes it back behind the last.
 *	loop	all blocks of a loop with one entry. Lanes that leave are taken out of EXEC until none is left;
 *		what EXEC was before the loop is taken back behind it.
 *
 * Where a structure's lanes meet at the place of the structure around it, that one takes EXEC back. All lanes
 * of a structure have to arrive: none ends inside. Every branch inside that parts lanes is one of a structure,
 * too; where one is not, the structures around it are none either, and control.c's masks do it.
 */
#include "libsov/compiler/amd/mir.h"

static bool is_inside(const struct gcn_control *c, const struct gcn_structure *s, ir_block b)
{
	return c->place[b] >= s->begin && c->place[b] < s->end;
}

static ir_block block_at(const struct gcn_control *c, uint32_t place)
{
	return c->order[place];
}

/* Lanes may end in a function that is called. */
static bool calls(const struct gcn_control *c, ir_block b)
{
	bool found = false;

	ir_for_each_inst(c->f, b, i)
		found |= ir_at(c->f, i)->op == IR_CALL || ir_at(c->f, i)->op == IR_CALLPTR;
	return found;
}

/* All ways out lead to the meeting place, and nobody ends. */
static bool is_closed(const struct gcn_control *c, const struct gcn_structure *s)
{
	for (uint32_t p = s->begin; p < s->end; p++) {
		const struct ir_bb *bb = &c->f->blocks[block_at(c, p)];

		if (!bb->nsucc || gcn_is_end(c->f, block_at(c, p)) ||
		    (c->calls_end && calls(c, block_at(c, p))))
			return false;
		for (uint32_t k = 0; k < bb->nsucc; k++)
			if ((bb->succ[k] != s->meet && !is_inside(c, s, bb->succ[k])) ||
			    (bb->nsucc == 2 && gcn_is_end(c->f, bb->succ[k])))
				return false;
	}
	return true;
}

/* Everybody who comes to a block comes from a run of blocks. */
static bool is_entered_within(const struct gcn_control *c, ir_block b, uint32_t begin, uint32_t end)
{
	const struct ir_bb *bb = &c->f->blocks[b];

	for (uint32_t k = 0; k < bb->npreds; k++)
		if (c->place[bb->preds[k]] < begin || c->place[bb->preds[k]] >= end)
			return false;
	return true;
}

/* Whether everybody who comes to the meeting place comes from the structure; where that is the header of a
 * loop around it, everybody in the loop. */
static bool brings_all(const struct gcn_control *c, const struct gcn_structure *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->meet];
	uint32_t loop = c->loop_of[s->meet];
	bool back =
		loop && c->loops[loop - 1].header == s->meet && gcn_in_loop(c, s->branch, loop - 1);

	for (uint32_t k = 0; k < bb->npreds; k++) {
		ir_block p = bb->preds[k];

		if (!is_inside(c, s, p) && (s->loop || p != s->branch) &&
		    !(back && !gcn_in_loop(c, p, loop - 1)))
			return false;
	}
	return true;
}

/* The blocks that lanes may come to before they meet, as a run behind the branch; false: it is none. */
static bool find_if(const struct gcn_control *c, struct gcn_structure *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->branch];
	uint32_t here = c->place[s->branch], split;
	ir_block first = bb->succ[0], second = bb->succ[1];

	if (first == s->meet || (second != s->meet && c->place[second] < c->place[first])) {
		first = bb->succ[1];
		second = bb->succ[0];
	}
	s->second = second == s->meet ? 0 : second;
	if (first == s->meet || c->place[first] != here + 1)
		return false;
	s->begin = here + 1;
	s->end = 1 + (s->second ? c->place[s->second] : here + 1);
	for (uint32_t p = s->begin; p < s->end; p++) {
		bb = &c->f->blocks[block_at(c, p)];
		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != s->meet && c->place[bb->succ[k]] >= s->end)
				s->end = c->place[bb->succ[k]] + 1;
	}
	split = s->second ? c->place[s->second] : s->end;
	for (uint32_t p = s->begin; p < s->end; p++) {
		ir_block b = block_at(c, p);

		if (b == first || b == s->second) {
			if (c->f->blocks[b].npreds != 1)
				return false;
			continue;
		}
		if (!is_entered_within(c, b, p < split ? s->begin : split,
				       p < split ? split : s->end))
			return false;
	}
	return is_closed(c, s);
}

/* The loop that the branch leaves, whole. */
static bool find_loop(const struct gcn_control *c, struct gcn_structure *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->branch];
	uint32_t l = c->loop_of[s->branch];
	const struct gcn_loop *loop;

	/* Lanes that part inside to meet outside are not taken out by this branch. */
	if (!l || (bb->succ[0] != s->meet && bb->succ[1] != s->meet))
		return false;
	while (c->loops[l - 1].parent && !gcn_in_loop(c, s->meet, c->loops[l - 1].parent - 1))
		l = c->loops[l - 1].parent;
	if (gcn_in_loop(c, s->meet, l - 1) || c->loop_of[s->branch] != l)
		return false;
	loop = &c->loops[l - 1];
	s->loop = loop->header;
	s->begin = loop->begin;
	s->end = loop->end;
	for (uint32_t p = s->begin + 1; p < s->end; p++)
		if (!is_entered_within(c, block_at(c, p), s->begin, s->end))
			return false;
	return is_closed(c, s);
}

/* The innermost structure that a block is in, or the next one around a structure; 0: none. */
static uint32_t innermost(const struct gcn_control *c, ir_block b, uint32_t but)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k <= c->nstructures; k++) {
		const struct gcn_structure *s = &c->structures[k - 1];

		if (k != but && !s->broken && is_inside(c, s, b) &&
		    (!best || s->end - s->begin <
				      c->structures[best - 1].end - c->structures[best - 1].begin))
			best = k;
	}
	return best;
}

static bool still_holds(const struct gcn_control *c, uint32_t number)
{
	const struct gcn_structure *s = &c->structures[number - 1];
	uint32_t around = innermost(c, s->loop ? s->loop : s->branch, number);

	if (!s->restores && (!around || c->structures[around - 1].meet != s->meet))
		return false;
	if (around &&
	    (c->structures[around - 1].begin > s->begin || c->structures[around - 1].end < s->end))
		return false;
	for (uint32_t p = s->begin; p < s->end; p++) {
		ir_block b = block_at(c, p);

		if (gcn_parts(c, b) &&
		    (!c->parts_as[b] || c->structures[c->parts_as[b] - 1].broken))
			return false;
		/* Whoever leaves from inside another structure would come back with that one's end. */
		if (c->parts_as[b] == number && innermost(c, b, 0) != number)
			return false;
	}
	return true;
}

static void add(struct gcn_control *c, struct arena *a, struct gcn_structure s)
{
	for (uint32_t k = 0; s.loop && k < c->nstructures; k++)
		if (c->structures[k].loop == s.loop) {
			if (c->structures[k].meet == s.meet)
				c->parts_as[s.branch] = k + 1;
			return;
		}
	s.restores = brings_all(c, &s);
	c->structures = arena_grow(a, c->structures, &c->structures_capacity, c->nstructures + 1,
				   sizeof(*c->structures));
	c->structures[c->nstructures++] = s;
	c->parts_as[s.branch] = c->nstructures;
}

void gcn_structures_find(struct gcn_control *c, struct arena *a)
{
	bool changed = true;

	for (uint32_t k = 0; k < c->count; k++) {
		struct gcn_structure s = {.branch = c->order[k], .meet = c->meet[c->order[k]]};

		if (!gcn_parts(c, s.branch) || !s.meet)
			continue;
		if (find_if(c, &s) || (s.second = 0, find_loop(c, &s)))
			add(c, a, s);
	}
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k <= c->nstructures; k++)
			if (!c->structures[k - 1].broken && !still_holds(c, k))
				c->structures[k - 1].broken = changed = true;
	}
	/* Masks and structures do not go together yet: one function has either. */
	for (uint32_t k = 0; k < c->count; k++)
		if (gcn_parts(c, c->order[k]) &&
		    (!c->parts_as[c->order[k]] ||
		     c->structures[c->parts_as[c->order[k]] - 1].broken))
			for (uint32_t n = 0; n < c->nstructures; n++)
				c->structures[n].broken = true;
	for (uint32_t k = 0; k < c->count; k++) {
		ir_block b = c->order[k];

		if (c->parts_as[b] && c->structures[c->parts_as[b] - 1].broken)
			c->parts_as[b] = 0;
		c->structure_of[b] = innermost(c, b, 0);
	}
	for (uint32_t k = 1; k <= c->nstructures; k++) {
		struct gcn_structure *s = &c->structures[k - 1];

		s->parent = innermost(c, s->loop ? s->loop : s->branch, k);
	}
}

/* Lanes cannot wait for a block that they come to by a structure alone. */
bool gcn_is_owned(const struct gcn_control *c, ir_block b)
{
	for (uint32_t k = 0; k < c->nstructures; k++) {
		const struct gcn_structure *s = &c->structures[k];

		if (!s->broken && ((is_inside(c, s, b) && s->loop != b) ||
				   (s->restores && s->meet == b && c->place[b] >= s->end)))
			return true;
	}
	return false;
}

/* Of a block that lanes come to by a structure: the one whose lanes they all are. */
ir_block gcn_owner(const struct gcn_control *c, ir_block b)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k <= c->nstructures; k++) {
		const struct gcn_structure *s = &c->structures[k - 1];
		bool owns = !s->broken && ((is_inside(c, s, b) && s->loop != b) ||
					   (s->restores && s->meet == b && c->place[b] >= s->end));

		/* The widest: its branch is not inside of it. */
		if (owns && (!best || s->end - s->begin > c->structures[best - 1].end -
								  c->structures[best - 1].begin))
			best = k;
	}
	return !best                          ? 0
	       : c->structures[best - 1].loop ? c->structures[best - 1].loop
					      : c->structures[best - 1].branch;
}
