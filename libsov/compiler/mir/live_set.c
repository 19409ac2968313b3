// SPDX-License-Identifier: MIT
/*
 * Liveness of 64 units at a time: from the blocks that read one of them back to those that write
 * it. The work is proportional to the live ranges. The walks yield the sets ordered by unit, from
 * which a counting sort makes one array for each block.
 */
#include <string.h>
#include "libsov/compiler/mir/live_set.h"

/* A word of the set of a block's start (side = 2 * block) or end (side = 2 * block + 1). */
struct live_entry {
	uint32_t side, index;
	uint64_t bits;
};

/* The state of the 64 units of a block. */
struct live_state {
	uint64_t in, out, writes;
	uint64_t pending; /* part of in that the predecessors do not have yet */
	bool touched, queued;
};

struct live_solver {
	const struct live_problem *p;
	struct live_state *states; /* by block */
	uint32_t *touched, ntouched, *queue, nqueue;
	uint32_t nentries;
};

void live_events_add(struct arena *a, struct live_events *e, uint32_t unit, uint32_t block)
{
	if (e->count == e->capacity)
		e->list = arena_grow(a, e->list, &e->capacity, e->count + 1, sizeof(*e->list));
	e->list[e->count++] = (struct live_event){unit, block};
}

void live_set_add(struct arena *a, struct live_set *s, uint32_t unit)
{
	uint32_t w = live_set_find(s, unit / 64);

	if (w == s->count || s->words[w].index != unit / 64) {
		s->words = arena_grow(a, s->words, &s->capacity, s->count + 1, sizeof(*s->words));
		memmove(&s->words[w + 1], &s->words[w], (s->count++ - w) * sizeof(*s->words));
		s->words[w] = (struct live_word){unit / 64, 0};
	}
	s->words[w].bits |= UINT64_C(1) << unit % 64;
}

/* Sorts events by words of units: those of word w are list[first[w]] to list[first[w + 1] - 1]. */
static uint32_t *sort_events(const struct live_problem *p, struct live_events *e)
{
	uint32_t words = p->nunits / 64 + 1;
	uint32_t *first = arena_array(p->arena, words + 2, sizeof(*first));
	struct live_event *sorted = arena_array(p->arena, e->count + 1, sizeof(*sorted));

	for (uint32_t k = 0; k < e->count; k++)
		first[e->list[k].unit / 64 + 2]++;
	for (uint32_t w = 0; w < words; w++)
		first[w + 2] += first[w + 1];
	for (uint32_t k = 0; k < e->count; k++)
		sorted[first[e->list[k].unit / 64 + 1]++] = e->list[k];
	e->list = sorted;
	return first;
}

static struct live_state *touch(struct live_solver *s, uint32_t b)
{
	struct live_state *state = &s->states[b];

	if (!state->touched)
		s->touched[s->ntouched++] = b;
	state->touched = true;
	return state;
}

static void add_in(struct live_solver *s, uint32_t b, uint64_t bits)
{
	struct live_state *state = touch(s, b);

	bits &= ~state->in;
	state->in |= bits;
	state->pending |= bits;
	if (!bits || state->queued)
		return;
	state->queued = true;
	s->queue[s->nqueue++] = b;
}

static void add_out(struct live_solver *s, uint32_t b, uint64_t bits)
{
	struct live_state *state = touch(s, b);

	bits &= ~state->out;
	state->out |= bits;
	add_in(s, b, bits & ~state->writes);
}

static void propagate(struct live_solver *s)
{
	while (s->nqueue) {
		uint32_t b = s->queue[--s->nqueue], n;
		const uint32_t *preds = s->p->predecessors(s->p->func, b, &n);
		uint64_t bits = s->states[b].pending;

		s->states[b].pending = 0;
		s->states[b].queued = false;
		for (uint32_t k = 0; k < n; k++)
			add_out(s, preds[k], bits);
	}
}

static void add_entry(struct live_solver *s, uint32_t side, uint32_t index, uint64_t bits)
{
	struct live_pool *pool = s->p->pool;

	if (!bits)
		return;
	if (s->nentries == pool->entry_capacity)
		pool->entries = arena_grow(s->p->arena, pool->entries, &pool->entry_capacity,
					   s->nentries + 1, sizeof(*pool->entries));
	pool->entries[s->nentries++] = (struct live_entry){side, index, bits};
}

/* Adds what is live of the current units to the entries, and clears the state. */
static void take_entries(struct live_solver *s, uint32_t index)
{
	for (uint32_t k = 0; k < s->ntouched; k++) {
		uint32_t b = s->touched[k];

		add_entry(s, 2 * b, index, s->states[b].in);
		add_entry(s, 2 * b + 1, index, s->states[b].out);
		s->states[b] = (struct live_state){0};
	}
	s->ntouched = 0;
}

static void sort_entries(const struct live_solver *s, struct live_set *in, struct live_set *out)
{
	struct live_pool *pool = s->p->pool;
	struct live_word *words;

	if (pool->word_capacity < s->nentries) {
		pool->word_capacity = s->nentries + s->nentries / 8;
		pool->words = arena_array(s->p->arena, pool->word_capacity, sizeof(*pool->words));
	}
	words = pool->words;
	for (uint32_t b = 0; b < s->p->nblocks; b++)
		in[b] = out[b] = (struct live_set){0};
	for (uint32_t k = 0; k < s->nentries; k++)
		(pool->entries[k].side % 2 ? out : in)[pool->entries[k].side / 2].capacity++;
	for (uint32_t side = 0; side < 2 * s->p->nblocks; side++) {
		struct live_set *set = side % 2 ? &out[side / 2] : &in[side / 2];

		set->words = words;
		words += set->capacity;
	}
	for (uint32_t k = 0; k < s->nentries; k++) {
		const struct live_entry *e = &pool->entries[k];
		struct live_set *set = e->side % 2 ? &out[e->side / 2] : &in[e->side / 2];

		set->words[set->count++] = (struct live_word){e->index, e->bits};
	}
}

void live_sets_solve(const struct live_problem *p, struct live_set *in, struct live_set *out)
{
	struct live_solver s = {.p = p};
	struct live_events reads = p->reads, writes = p->writes, edge_reads = p->edge_reads;
	const uint32_t *first_read = sort_events(p, &reads);
	const uint32_t *first_write = sort_events(p, &writes);
	const uint32_t *first_edge_read = sort_events(p, &edge_reads);

	s.states = arena_array(p->arena, p->nblocks, sizeof(*s.states));
	s.touched = arena_array(p->arena, p->nblocks, sizeof(*s.touched));
	s.queue = arena_array(p->arena, p->nblocks, sizeof(*s.queue));
	for (uint32_t w = 0; w <= p->nunits / 64; w++) {
		if (first_read[w] == first_read[w + 1] &&
		    first_edge_read[w] == first_edge_read[w + 1])
			continue;
		for (uint32_t k = first_write[w]; k < first_write[w + 1]; k++)
			touch(&s, writes.list[k].block)->writes |= UINT64_C(1)
								   << writes.list[k].unit % 64;
		for (uint32_t k = first_edge_read[w]; k < first_edge_read[w + 1]; k++)
			add_out(&s, edge_reads.list[k].block,
				UINT64_C(1) << edge_reads.list[k].unit % 64);
		for (uint32_t k = first_read[w]; k < first_read[w + 1]; k++)
			add_in(&s, reads.list[k].block, UINT64_C(1) << reads.list[k].unit % 64);
		propagate(&s);
		take_entries(&s, w);
	}
	sort_entries(&s, in, out);
}
