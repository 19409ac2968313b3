// SPDX-License-Identifier: MIT
/*
 * Structured branches: an if or a loop exit as in source code needs no masks of waiting lanes. A
 * structure is a run of blocks, in the order of exec_masks.c, that lanes leave only to its join:
 *	if    The blocks directly after the branch, a then part and possibly an else part,
 *	      entered only from the branch. The wave saves EXEC, narrows it for one part
 *	      after the other and restores it at the join.
 *	loop  All blocks of a loop with a single entry. Lanes that leave are removed from EXEC
 *	      until none is left; the EXEC of the loop entry is restored at the join.
 *
 * Where a structure's join is also the join of the enclosing one, the enclosing one restores EXEC.
 * All lanes of a structure must reach the join: none may end inside. Every divergent branch inside
 * must be structured as well; otherwise the function has no structures and uses the masks of
 * exec_masks.c. So does a function with a deep nest, since each open structure holds a mask or two
 * in SGPRs; the lanes that wait in masked blocks take no more registers for more blocks.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/amd/mir.h"

#define MAX_OPEN_MASKS 64 /* of the structures around a block */
#define MAX_DEPTH      64 /* average number of structures around a block */

/* A structure and the number of its blocks. */
struct extent {
	uint32_t size, number;
};

static bool structure_contains(const struct gcn_control *c, const struct gcn_structured_branch *s,
			       ir_block b)
{
	return c->position[b] >= s->begin && c->position[b] < s->end;
}

static ir_block block_at(const struct gcn_control *c, uint32_t position)
{
	return c->order[position];
}

/* A callee may end lanes. */
static bool has_call(const struct gcn_control *c, ir_block b)
{
	bool found = false;

	ir_for_each_inst(c->f, b, i)
		found |= ir_at(c->f, i)->op == IR_CALL || ir_at(c->f, i)->op == IR_CALLPTR;
	return found;
}

/* All exits lead to the join, and no lane ends inside. */
static bool exits_only_to_join(const struct gcn_control *c, const struct gcn_structured_branch *s)
{
	for (uint32_t p = s->begin; p < s->end; p++) {
		const struct ir_bb *bb = &c->f->blocks[block_at(c, p)];

		if (!bb->nsucc || gcn_is_exit_block(c->f, block_at(c, p)) ||
		    (c->calls_may_exit && has_call(c, block_at(c, p))))
			return false;
		for (uint32_t k = 0; k < bb->nsucc; k++)
			if ((bb->succ[k] != s->join && !structure_contains(c, s, bb->succ[k])) ||
			    (bb->nsucc == 2 && gcn_is_exit_block(c->f, bb->succ[k])))
				return false;
	}
	return true;
}

/* All predecessors of b lie in [begin, end). */
static bool preds_within(const struct gcn_control *c, ir_block b, uint32_t begin, uint32_t end)
{
	const struct ir_bb *bb = &c->f->blocks[b];

	for (uint32_t k = 0; k < bb->npreds; k++)
		if (c->position[bb->preds[k]] < begin || c->position[bb->preds[k]] >= end)
			return false;
	return true;
}

/*
 * All predecessors of the join lie in the structure; if the join is the header of an enclosing
 * loop, all predecessors in that loop.
 */
static bool join_is_exclusive(const struct gcn_control *c, const struct gcn_structured_branch *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->join];
	uint32_t loop = c->loop_of[s->join];
	bool back =
		loop && c->loops[loop - 1].header == s->join && gcn_in_loop(c, s->branch, loop - 1);

	for (uint32_t k = 0; k < bb->npreds; k++) {
		ir_block p = bb->preds[k];

		if (!structure_contains(c, s, p) && (s->loop || p != s->branch) &&
		    !(back && !gcn_in_loop(c, p, loop - 1)))
			return false;
	}
	return true;
}

/*
 * Finds the blocks between the branch and its join as a run after the branch. Returns false if they
 * do not form one.
 */
static bool match_if(const struct gcn_control *c, struct gcn_structured_branch *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->branch];
	uint32_t here = c->position[s->branch], split;
	ir_block first = bb->succ[0], second = bb->succ[1];

	if (first == s->join || (second != s->join && c->position[second] < c->position[first])) {
		first = bb->succ[1];
		second = bb->succ[0];
	}
	s->second = second == s->join ? 0 : second;
	if (first == s->join || c->position[first] != here + 1)
		return false;
	s->begin = here + 1;
	s->end = 1 + (s->second ? c->position[s->second] : here + 1);
	for (uint32_t p = s->begin; p < s->end; p++) {
		bb = &c->f->blocks[block_at(c, p)];
		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != s->join && c->position[bb->succ[k]] >= s->end)
				s->end = c->position[bb->succ[k]] + 1;
	}
	split = s->second ? c->position[s->second] : s->end;
	for (uint32_t p = s->begin; p < s->end; p++) {
		ir_block b = block_at(c, p);

		if (b == first || b == s->second) {
			if (c->f->blocks[b].npreds != 1)
				return false;
			continue;
		}
		if (!preds_within(c, b, p < split ? s->begin : split, p < split ? split : s->end))
			return false;
	}
	return exits_only_to_join(c, s);
}

/* Matches the whole loop that the branch leaves. */
static bool match_loop_exit(const struct gcn_control *c, struct gcn_structured_branch *s)
{
	const struct ir_bb *bb = &c->f->blocks[s->branch];
	uint32_t l = c->loop_of[s->branch];
	const struct gcn_loop *loop;

	/* Lanes that diverge inside and reconverge outside do not leave by this branch. */
	if (!l || (bb->succ[0] != s->join && bb->succ[1] != s->join))
		return false;
	while (c->loops[l - 1].parent && !gcn_in_loop(c, s->join, c->loops[l - 1].parent - 1))
		l = c->loops[l - 1].parent;
	if (gcn_in_loop(c, s->join, l - 1) || c->loop_of[s->branch] != l)
		return false;
	loop = &c->loops[l - 1];
	s->loop = loop->header;
	s->begin = loop->begin;
	s->end = loop->end;
	for (uint32_t p = s->begin + 1; p < s->end; p++)
		if (!preds_within(c, block_at(c, p), s->begin, s->end))
			return false;
	return exits_only_to_join(c, s);
}

/* Larger structures first; of two of one size, the one with the higher number. */
static int compare_extent(const void *x, const void *y)
{
	const struct extent *a = x, *b = y;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->number > b->number ? -1 : a->number < b->number;
}

/*
 * Finds the innermost structure of each block, and the innermost one around each structure other
 * than itself. Smaller structures overwrite larger ones. Returns the structures by size.
 */
static const struct extent *find_innermost_structures(struct gcn_control *c, struct arena *a)
{
	struct extent *by_size = arena_array(a, c->nstructures + 1, sizeof(*by_size));

	for (uint32_t k = 0; k < c->nstructures; k++)
		by_size[k] = (struct extent){c->structures[k].end - c->structures[k].begin, k + 1};
	qsort(by_size, c->nstructures, sizeof(*by_size), compare_extent);
	for (uint32_t k = 0; k < c->nstructures; k++) {
		struct gcn_structured_branch *s = &c->structures[by_size[k].number - 1];

		s->parent = c->structure_of[s->loop ? s->loop : s->branch];
		for (uint32_t p = s->begin; p < s->end; p++)
			c->structure_of[block_at(c, p)] = by_size[k].number;
	}
	for (uint32_t k = 1; k <= c->nstructures; k++) {
		struct gcn_structured_branch *s = &c->structures[k - 1];
		uint32_t innermost = c->structure_of[s->loop ? s->loop : s->branch];

		if (innermost != k)
			s->parent = innermost;
	}
	return by_size;
}

/* Whether the masks of all structures around any block fit. A larger structure comes first. */
static bool masks_fit(const struct gcn_control *c, const struct extent *by_size, struct arena *a)
{
	uint32_t *masks = arena_array(a, c->nstructures + 1, sizeof(*masks));

	for (uint32_t k = 0; k < c->nstructures; k++) {
		uint32_t number = by_size[k].number;
		const struct gcn_structured_branch *s = &c->structures[number - 1];

		masks[number] = masks[s->parent] + s->restores_exec + !!s->second;
		if (masks[number] > MAX_OPEN_MASKS)
			return false;
	}
	return true;
}

static bool is_consistent(const struct gcn_control *c, uint32_t number)
{
	const struct gcn_structured_branch *s = &c->structures[number - 1];
	uint32_t around = s->parent;

	if (!s->restores_exec && (!around || c->structures[around - 1].join != s->join))
		return false;
	if (around &&
	    (c->structures[around - 1].begin > s->begin || c->structures[around - 1].end < s->end))
		return false;
	return true;
}

/* A lane that left from an inner structure would be reactivated at that structure's join. */
static bool leaves_inner_structure(const struct gcn_control *c, ir_block b)
{
	uint32_t number = c->branch_structure[b];

	return number && structure_contains(c, &c->structures[number - 1], b) &&
	       c->structure_of[b] != number;
}

/* Masks and structures cannot be mixed yet: a function uses either. */
static bool all_are_structured(struct gcn_control *c, struct arena *a)
{
	const struct extent *by_size;

	for (uint32_t k = 0; k < c->count; k++)
		if (gcn_branch_diverges(c, c->order[k]) && !c->branch_structure[c->order[k]])
			return false;
	by_size = find_innermost_structures(c, a);
	for (uint32_t k = 1; k <= c->nstructures; k++)
		if (!is_consistent(c, k))
			return false;
	for (uint32_t k = 0; k < c->count; k++)
		if (leaves_inner_structure(c, c->order[k]))
			return false;
	return masks_fit(c, by_size, a);
}

static void add_structure(struct gcn_control *c, struct arena *a, struct gcn_structured_branch s)
{
	uint32_t known = s.loop ? c->loop_structure[c->loop_of[s.loop] - 1] : 0;

	if (known) {
		if (c->structures[known - 1].join == s.join)
			c->branch_structure[s.branch] = known;
		return;
	}
	s.restores_exec = join_is_exclusive(c, &s);
	c->structures = arena_grow(a, c->structures, &c->structures_capacity, c->nstructures + 1,
				   sizeof(*c->structures));
	c->structures[c->nstructures++] = s;
	c->branch_structure[s.branch] = c->nstructures;
	if (s.loop)
		c->loop_structure[c->loop_of[s.loop] - 1] = c->nstructures;
}

void gcn_find_structured_branches(struct gcn_control *c, struct arena *a)
{
	uint64_t covered = 0; /* by the structures together */

	for (uint32_t k = 0; k < c->count && covered <= (uint64_t)MAX_DEPTH * c->count; k++) {
		struct gcn_structured_branch s = {.branch = c->order[k],
						  .join = c->reconvergence[c->order[k]]};

		if (!gcn_branch_diverges(c, s.branch))
			continue;
		/* One branch without a structure is enough to reject all. */
		if (!s.join || !(match_if(c, &s) || (s.second = 0, match_loop_exit(c, &s))))
			break;
		covered += s.end - s.begin;
		add_structure(c, a, s);
	}
	if (all_are_structured(c, a))
		return;
	c->nstructures = 0;
	memset(c->branch_structure, 0, c->f->nblocks * sizeof(*c->branch_structure));
	memset(c->structure_of, 0, c->f->nblocks * sizeof(*c->structure_of));
	memset(c->loop_structure, 0, c->f->nblocks * sizeof(*c->loop_structure));
}
