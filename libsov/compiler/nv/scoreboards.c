// SPDX-License-Identifier: MIT
/*
 * Waiting. The hardware does not look for dependences: an instruction with a fixed time to its
 * result is followed by stalls that add up to that time, one with any other time counts up one of
 * six scoreboards and those who need its result wait for that to come back to zero. Sources that
 * are read late need a scoreboard too, if something overwrites them.
 *
 * Scoreboards are given out block by block in the order of the program. What may still be pending
 * where then flows along all edges until nothing changes (pending is a union over paths, so loads
 * stay in flight across blocks and around loops), and each instruction waits for the scoreboards
 * of what it reads or writes. Stalls are found last, on the final code.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define SCOREBOARDS 6
#define SET_WORDS   ((MIR_RESOURCES + 63) / 64)
#define NEVER       UINT32_MAX

struct set {
	uint64_t w[SET_WORDS];
};

struct board {
	struct set results, sources; /* not yet written, not yet read */
};

struct state {
	struct board boards[SCOREBOARDS];
	uint32_t busy; /* those that are not empty */
};

struct plan {
	uint32_t use, overwrite; /* places, or NEVER */
};

struct waiter {
	struct mir_func *f;
	struct state *in;       /* by block */
	struct set *overwrites; /* by block: written there or in anything reachable from it */
	bool *visited;
	bool *stale; /* by block: what may come to it has changed */
	/* within the block being given scoreboards: */
	uint32_t next_use[SCOREBOARDS]; /* place where someone will wait, or NEVER */
	bool busy[SCOREBOARDS];
	uint32_t turn;
	uint32_t next_mention[MIR_RESOURCES], next_write[MIR_RESOURCES];
	struct plan *plans; /* by number, which is the place */
	uint32_t plans_capacity;
};

static void add(struct set *s, uint32_t r)
{
	s->w[r / 64] |= (uint64_t)1 << r % 64;
}

static bool unite(struct set *s, const struct set *with)
{
	uint64_t change = 0;

	for (uint32_t k = 0; k < SET_WORDS; k++) {
		change |= with->w[k] & ~s->w[k];
		s->w[k] |= with->w[k];
	}
	return change;
}

static bool meet(const struct set *a, const struct set *b)
{
	for (uint32_t k = 0; k < SET_WORDS; k++) {
		if (a->w[k] & b->w[k])
			return true;
	}
	return false;
}

static bool is_empty(const struct set *s)
{
	return !meet(s, s);
}

struct registers {
	struct set reads, writes;
	struct set sources; /* what may be read late */
};

/* A guard and the warp's registers are read at once. */
static bool is_read_late(const struct mir_use *u)
{
	return !u->write && u->operand != SASS_USE_GUARD && u->kind != SASS_UGPR;
}

static struct registers registers_of(const struct mir_use *uses, uint32_t n)
{
	struct registers r = {0};

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t reg = mir_resource(uses[u].kind, uses[u].reg + k);

			add(uses[u].write ? &r.writes : &r.reads, reg);
			if (is_read_late(&uses[u]))
				add(&r.sources, reg);
		}
	}
	return r;
}

static struct registers known_registers(const struct waiter *w, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(w->f, i, &n);

	return registers_of(uses, n);
}

/*
 * Giving out scoreboards.
 */

/* What each block and all that can follow it overwrite. */
static void find_overwrites(struct waiter *w)
{
	struct mir_func *f = w->f;
	bool changed = true;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			struct registers r = known_registers(w, i);

			unite(&w->overwrites[b], &r.writes);
			if (mir_leaves(i))
				memset(&w->overwrites[b], 0xff, sizeof(w->overwrites[b]));
		}
	while (changed) {
		changed = false;
		mir_for_each_block(f, b)
			for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
				changed |= unite(&w->overwrites[b],
						 &w->overwrites[f->blocks[b].succ[s]]);
	}
}

/* Where in its block an instruction's results are mentioned next, and its sources overwritten;
 * instructions are asked from a block's end up. */
static struct plan plan(struct waiter *w, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(w->f, i, &n);
	struct plan p = {NEVER, NEVER};

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			if (uses[u].write && w->next_mention[r] < p.use)
				p.use = w->next_mention[r];
			if (is_read_late(&uses[u]) && w->next_write[r] < p.overwrite)
				p.overwrite = w->next_write[r];
		}
	}
	for (uint32_t r = 0; mir_leaves(i) && r < MIR_RESOURCES; r++)
		w->next_mention[r] = w->next_write[r] = i->number;
	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			w->next_mention[r] = i->number;
			if (uses[u].write)
				w->next_write[r] = i->number;
		}
	}
	return p;
}

static bool overwritten_after(const struct waiter *w, uint32_t b, const struct set *of)
{
	const struct mir_block *block = &w->f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++) {
		if (meet(&w->overwrites[block->succ[s]], of))
			return true;
	}
	return false;
}

/* One whose users wait at the same place costs nothing extra; else a free one; else the one whose
 * users come nearest to ours. */
static uint8_t take_board(struct waiter *w, uint32_t next_use)
{
	uint32_t best = 0, distance = NEVER;

	for (uint32_t sb = 0; sb < SCOREBOARDS; sb++) {
		if (w->busy[sb] && w->next_use[sb] == next_use && next_use != NEVER)
			return (uint8_t)sb;
	}
	for (uint32_t k = 0; k < SCOREBOARDS; k++) {
		uint32_t sb = (w->turn + k) % SCOREBOARDS;

		if (w->busy[sb])
			continue;
		w->turn = sb + 1;
		w->busy[sb] = true;
		w->next_use[sb] = next_use;
		return (uint8_t)sb;
	}
	for (uint32_t sb = 0; sb < SCOREBOARDS; sb++) {
		uint32_t d = w->next_use[sb] > next_use ? w->next_use[sb] - next_use
							: next_use - w->next_use[sb];

		if (d < distance) {
			distance = d;
			best = sb;
		}
	}
	if (next_use < w->next_use[best])
		w->next_use[best] = next_use;
	return (uint8_t)best;
}

static void give_boards(struct waiter *w, uint32_t b, struct mir_inst *i)
{
	uint32_t sm = w->f->sm, use = NEVER, overwrite;
	struct registers r;
	bool variable = sass_has_variable_latency(sm, &i->sass), late = sass_reads_late(sm, &i->sass), needed;

	/* Whoever waits here frees the scoreboard for others. */
	for (uint32_t sb = 0; sb < SCOREBOARDS; sb++) {
		if (w->busy[sb] && w->next_use[sb] <= i->number)
			w->busy[sb] = false;
	}
	if (!variable && !late)
		return;
	r = known_registers(w, i);
	if (variable && !is_empty(&r.writes)) {
		use = w->plans[i->number].use;
		i->sass.write_barrier = take_board(w, use);
	}
	if (!late || is_empty(&r.sources))
		return;
	/* The result's scoreboard says that the sources were read, too, but later. */
	overwrite = w->plans[i->number].overwrite;
	if (i->sass.write_barrier != SASS_NO_SB)
		needed = overwrite < use;
	else
		needed = overwrite != NEVER || overwritten_after(w, b, &r.sources);
	if (needed)
		i->sass.read_barrier = take_board(w, overwrite);
}

static void give_boards_in_block(struct waiter *w, uint32_t b)
{
	const struct mir_inst *last = w->f->blocks[b].last;

	for (uint32_t sb = 0; sb < SCOREBOARDS; sb++) {
		w->busy[sb] = w->in[b].busy >> sb & 1;
		w->next_use[sb] = NEVER;
	}
	w->plans = arena_grow(w->f->arena, w->plans, &w->plans_capacity,
			      last ? last->number + 1 : 0, sizeof(*w->plans));
	memset(w->next_mention, 0xff, sizeof(w->next_mention));
	memset(w->next_write, 0xff, sizeof(w->next_write));
	for (struct mir_inst *i = w->f->blocks[b].last; i; i = i->prev)
		w->plans[i->number] = plan(w, i);
	mir_for_each(w->f, b, i)
		give_boards(w, b, i);
}

/*
 * Waiting for them.
 */

/* Invalidating the cache must come after the loads that are to see what was there before. */
static bool waits_for_loads(const struct mir_inst *i)
{
	return i->sass.op == SASS_CCTL_IVALL;
}

static void step(const struct waiter *w, struct state *s, struct mir_inst *i)
{
	struct registers r = known_registers(w, i);

	i->sass.wait = 0;
	for (uint32_t busy = s->busy; busy; busy &= busy - 1) {
		uint32_t sb = (uint32_t)__builtin_ctz(busy);
		struct board *board = &s->boards[sb];

		if (!meet(&r.reads, &board->results) && !meet(&r.writes, &board->results) &&
		    !meet(&r.writes, &board->sources) && !mir_leaves(i) &&
		    !(waits_for_loads(i) && !is_empty(&board->results)))
			continue;
		i->sass.wait |= (uint8_t)(1 << sb);
		memset(board, 0, sizeof(*board));
	}
	s->busy &= ~(uint32_t)i->sass.wait;
	if (i->sass.write_barrier != SASS_NO_SB) {
		unite(&s->boards[i->sass.write_barrier].results, &r.writes);
		/* Without a scoreboard of their own; else that is what to wait for, it comes sooner. */
		if (sass_reads_late(w->f->sm, &i->sass) && i->sass.read_barrier == SASS_NO_SB)
			unite(&s->boards[i->sass.write_barrier].sources, &r.sources);
		s->busy |= 1u << i->sass.write_barrier;
	}
	if (i->sass.read_barrier != SASS_NO_SB) {
		unite(&s->boards[i->sass.read_barrier].sources, &r.sources);
		s->busy |= 1u << i->sass.read_barrier;
	}
}

/* Whether that is news to a block. */
static bool arrive(struct state *at, const struct state *s)
{
	bool changed = s->busy & ~at->busy;

	at->busy |= s->busy;
	for (uint32_t busy = s->busy; busy; busy &= busy - 1) {
		uint32_t sb = (uint32_t)__builtin_ctz(busy);

		changed |= unite(&at->boards[sb].results, &s->boards[sb].results);
		changed |= unite(&at->boards[sb].sources, &s->boards[sb].sources);
	}
	return changed;
}

static void flow(struct waiter *w, uint32_t b)
{
	const struct mir_block *block = &w->f->blocks[b];
	struct state s;

	/* Its predecessors, but for loops, have been visited: what they leave pending is known. */
	if (!w->visited[b])
		give_boards_in_block(w, b);
	w->visited[b] = true;
	w->stale[b] = false;
	s = w->in[b];
	mir_for_each(w->f, b, i)
		step(w, &s, i);
	for (uint32_t k = 0; k < block->nsucc; k++)
		w->stale[block->succ[k]] |= arrive(&w->in[block->succ[k]], &s);
}

static void set_scoreboards(struct mir_func *f)
{
	struct waiter w = {.f = f};
	uint32_t count;
	uint32_t *order = mir_order(f, &count);
	bool changed = true;

	w.in = arena_array(f->arena, f->nblocks, sizeof(*w.in));
	w.overwrites = arena_array(f->arena, f->nblocks, sizeof(*w.overwrites));
	w.visited = arena_array(f->arena, f->nblocks, sizeof(*w.visited));
	w.stale = arena_array(f->arena, f->nblocks, sizeof(*w.stale));
	find_overwrites(&w);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < count; k++) {
			if (w.visited[order[k]] && !w.stale[order[k]])
				continue;
			flow(&w, order[k]);
			changed = true;
		}
	}
}

void nv_wait(struct mir_func *f)
{
	uint32_t count = mir_number_insts(f);

	set_scoreboards(f);
	nv_stall(f, count);
	f->timed = true;
}

/* Every instruction waits for all that came before it: slow, and right whatever the tables say. */
void nv_wait_serial(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);
			struct registers r = registers_of(uses, n);

			i->sass.stall = 15;
			i->sass.yield = true;
			i->sass.wait = 3;
			if (sass_has_variable_latency(f->sm, &i->sass) && !is_empty(&r.writes))
				i->sass.write_barrier = 0;
			if (sass_reads_late(f->sm, &i->sass) && !is_empty(&r.sources))
				i->sass.read_barrier = 1;
		}
	f->timed = true;
}
