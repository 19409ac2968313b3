// SPDX-License-Identifier: MIT
/*
 * Where the lanes that part at a branch meet again: at its immediate postdominator, if ways that
 * only end the kernel are left out, since lanes that have ended wait nowhere and nobody waits for
 * them. Of several ends that can be reached a function's return counts, or the last exit in the
 * layout, and a trap only if there is nothing else. So each block has an end that it is on the way
 * to, ways to others are left out, and what remains for each end is a graph with one root. Where
 * the sides of a branch go to different ends their lanes do not meet. (ptxas brings lanes together
 * behind an EXIT, too.)
 *
 * Postdominators are found as dominators are in converge.c, in the other direction.
 */
#include "libsov/compiler/nv/mir.h"

struct meet {
	const struct mir_func *f;
	uint32_t *order, first; /* the ends first and what leads to them behind, from first on */
	uint32_t *index;        /* by block: its place there */
	uint32_t *end, *place;  /* by block: see nv_find_reconvergence() */
	uint32_t *rank;         /* by block: of ends, greatest counts; 0 = goes on */
};

static void rank_ends(struct meet *m)
{
	uint32_t rank = 0;

	mir_for_each_block(m->f, b) {
		enum mir_end end = m->f->blocks[b].end;

		rank++;
		if (end == MIR_END_RETURN)
			m->rank[b] = 2 * m->f->nblocks + rank;
		else if (end == MIR_END_EXIT)
			m->rank[b] = m->f->nblocks + rank;
		else if (end == MIR_END_TRAP)
			m->rank[b] = rank;
		m->end[b] = m->rank[b] ? b : 0;
	}
}

static void find_ends(struct meet *m)
{
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(m->f, &count);
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t k = count; k-- > 0;) {
			uint32_t b = order[k];

			for (uint32_t s = 0; s < m->f->blocks[b].nsucc; s++) {
				uint32_t end = m->end[m->f->blocks[b].succ[s]];

				if (m->rank[end] <= m->rank[m->end[b]])
					continue;
				m->end[b] = end;
				changed = true;
			}
		}
	}
}

/* Reverse postorder from an end up, among the blocks that are on the way to it. */
static void order_from(struct meet *m, uint32_t end, uint32_t *stack, uint32_t *cursor, bool *seen)
{
	uint32_t depth = 0;

	stack[depth++] = end;
	seen[end] = true;
	while (depth) {
		uint32_t b = stack[depth - 1];
		const struct mir_block *block = &m->f->blocks[b];

		if (cursor[b] == block->npreds) {
			m->order[--m->first] = b;
			depth--;
		} else {
			uint32_t from = block->preds[cursor[b]++];

			if (m->end[from] == end && !seen[from]) {
				seen[from] = true;
				stack[depth++] = from;
			}
		}
	}
}

static void find_order(struct meet *m)
{
	struct arena *a = m->f->arena;
	uint32_t *stack = arena_array(a, m->f->nblocks, sizeof(*stack));
	uint32_t *cursor = arena_array(a, m->f->nblocks, sizeof(*cursor));
	bool *seen = arena_array(a, m->f->nblocks, sizeof(*seen));

	m->first = m->f->nblocks;
	mir_for_each_block(m->f, b)
		if (m->rank[b])
			order_from(m, b, stack, cursor, seen);
	for (uint32_t k = m->first; k < m->f->nblocks; k++)
		m->index[m->order[k]] = k;
}

/* Both have a way to the same end, so they have a place in common. */
static uint32_t intersect(const struct meet *m, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (m->index[a] > m->index[b])
			a = m->place[a];
		else
			b = m->place[b];
	}
	return a;
}

static uint32_t postdominator(const struct meet *m, uint32_t b)
{
	const struct mir_block *block = &m->f->blocks[b];
	uint32_t place = 0;

	for (uint32_t s = 0; s < block->nsucc; s++) {
		uint32_t to = block->succ[s];

		/* 0: not looked at yet, around a loop. */
		if (m->end[to] == m->end[b] && m->place[to])
			place = place ? intersect(m, place, to) : to;
	}
	return place;
}

void nv_find_reconvergence(const struct mir_func *f, uint32_t **ends, uint32_t **places)
{
	struct meet m = {.f = f};
	bool changed = true;

	m.order = arena_array(f->arena, f->nblocks, sizeof(*m.order));
	m.index = arena_array(f->arena, f->nblocks, sizeof(*m.index));
	m.end = arena_array(f->arena, f->nblocks, sizeof(*m.end));
	m.place = arena_array(f->arena, f->nblocks, sizeof(*m.place));
	m.rank = arena_array(f->arena, f->nblocks, sizeof(*m.rank));
	rank_ends(&m);
	find_ends(&m);
	find_order(&m);
	while (changed) {
		changed = false;
		for (uint32_t k = m.first; k < f->nblocks; k++) {
			uint32_t b = m.order[k], place = m.rank[b] ? b : postdominator(&m, b);

			changed |= place != m.place[b];
			m.place[b] = place;
		}
	}
	/* Lanes that part for different ends do not meet. */
	mir_for_each_block(f, b)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			if (m.end[f->blocks[b].succ[s]] != m.end[b])
				m.place[b] = 0;
	*ends = m.end;
	*places = m.place;
}
