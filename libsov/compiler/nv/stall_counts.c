// SPDX-License-Identifier: MIT
/*
 * Stall counts. A walk over each block keeps a window of recently issued instructions with the
 * cycles since; if an instruction would issue too early after one of them, the stall count of the
 * instruction before it grows. The window at a block's end flows into its successors, so a block is
 * visited once per predecessor, and again when the window of one of them changes.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MAX_STALL             15
/* Cycles between setting a scoreboard and waiting for it (ptxas keeps this distance). */
#define SCOREBOARD_SET_CYCLES 2

/* Registers of an instruction, hashed to 64 bits: no common bit, no dependence. */
struct reg_hash {
	uint64_t writes, all;
};

struct recent {
	struct mir_inst *inst;
	uint64_t reg_hash; /* registers on which later instructions may depend */
	int32_t at;        /* issue cycle, by the window's clock */
	uint8_t boards;    /* scoreboards that it sets */
	bool spaced;       /* see sass_min_distance, from it to any later instruction */
};

struct window {
	struct recent *list;
	/* Entries before first are too old; entries from first on may be. */
	uint32_t first;
	uint32_t count, capacity;
	int32_t now; /* cycle at which the last instruction's stall ends */
};

struct stall_state {
	struct mir_func *f;
	struct window *out;                      /* by block, at its end */
	struct window entry_window, exit_window; /* windows of the block being visited */
	struct reg_hash *reg_hash;               /* by instruction; 0, an inserted NOP, has none */
	bool *stale; /* by block: the window of a predecessor has changed */
};

/* Cycles from the issue of an instruction to now. */
static uint32_t cycles_since(const struct window *w, const struct recent *r)
{
	return (uint32_t)(w->now - r->at);
}

static void hash_registers(struct stall_state *s, struct mir_inst *i)
{
	struct reg_hash *reg_hash = &s->reg_hash[i->number];
	uint32_t n;
	const struct mir_use *uses = mir_uses(s->f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			reg_hash->all |= UINT64_C(1) << r % 64;
			reg_hash->writes |= (uint64_t)uses[u].write << r % 64;
		}
	}
}

/* Minimum cycles between the issue of two dependent instructions. */
static uint32_t min_distance(const struct stall_state *s, struct mir_inst *from,
			     struct mir_inst *to)
{
	uint32_t nx, ny, min_cycles = 0;
	const struct mir_use *x = mir_uses(s->f, from, &nx);
	const struct mir_use *y = mir_uses(s->f, to, &ny);

	for (uint32_t i = 0; i < nx; i++) {
		/* One cycle from a read to a write always passes; uniform registers may need
		 * more. */
		if (!x[i].write && x[i].kind != SASS_UGPR)
			continue;
		for (uint32_t j = 0; j < ny; j++) {
			struct sass_reg_use a, b;
			uint32_t n;

			if (x[i].kind != y[j].kind || !(x[i].write || y[j].write) ||
			    x[i].reg >= y[j].reg + y[j].count || y[j].reg >= x[i].reg + x[i].count)
				continue;
			a = mir_sass_use(&x[i]);
			b = mir_sass_use(&y[j]);
			n = !a.write  ? sass_war_latency(&from->sass, &to->sass, a.kind)
			    : b.write ? sass_waw_latency(s->f->sm, &from->sass, &to->sass)
				      : sass_raw_latency(s->f->sm, &from->sass, &a, &to->sass, &b);
			if (n > min_cycles)
				min_cycles = n;
		}
	}
	return min_cycles;
}

/* Cycles for which i would wait for the pipe of the instruction just issued. Stalls that say so
 * count for other distances; queues hide such waits. */
static uint32_t pipe_cycles(const struct stall_state *s, const struct mir_inst *before,
			    const struct mir_inst *i)
{
	enum sass_pipe pipe = sass_pipe(s->f->sm, &i->sass);

	if (sass_pipe(s->f->sm, &before->sass) != pipe ||
	    sass_queue(s->f->sm, &i->sass) != SASS_QUEUE_NONE)
		return 0;
	return sass_issue_cycles(s->f->sm, &before->sass);
}

/* Cycles to any later instruction. A product of a warp group may get an arrival before it
 * (group_products.c), which a block barrier keeps at a distance, as it does not the product. */
static uint32_t distance_to(const struct stall_state *s, const struct mir_inst *from,
			    const struct mir_inst *to)
{
	struct sass_inst arrival;

	if (from->sass.op != SASS_BAR || !sass_is_group_product(&to->sass))
		return sass_min_distance(s->f->sm, &from->sass, &to->sass);
	sass_init(&arrival, SASS_WARPGROUP_ARRIVE);
	return sass_min_distance(s->f->sm, &from->sass, &arrival);
}

/* How many cycles too early i would issue; before is the instruction just issued. */
static uint32_t missing_cycles(const struct stall_state *s, const struct window *w,
			       const struct mir_inst *before, struct mir_inst *i)
{
	uint64_t all = s->reg_hash[i->number].all;
	bool leaves = mir_leaves_function(i);
	uint32_t max_missing = 0;

	for (uint32_t k = w->first; k < w->count; k++) {
		const struct recent *r = &w->list[k];
		uint32_t min_cycles = r->boards & i->sass.wait ? SCOREBOARD_SET_CYCLES : 0, other;
		bool related =
			r->reg_hash & all || min_cycles || leaves || r->inst == before || r->spaced;

		if (!related || cycles_since(w, r) >= SASS_MAX_LATENCY)
			continue;
		if (r->reg_hash & all) {
			other = min_distance(s, r->inst, i);
			min_cycles = other > min_cycles ? other : min_cycles;
		}
		/* The code there may read any register with its first instruction. */
		if (leaves) {
			other = sass_max_latency(s->f->sm, &r->inst->sass);
			min_cycles = other > min_cycles ? other : min_cycles;
		}
		if (r->inst == before || r->spaced) {
			other = distance_to(s, r->inst, i);
			min_cycles = other > min_cycles ? other : min_cycles;
		}
		if (r->inst == before) {
			other = pipe_cycles(s, before, i);
			min_cycles = other > min_cycles ? other : min_cycles;
		}
		if (min_cycles > cycles_since(w, r) &&
		    min_cycles - cycles_since(w, r) > max_missing)
			max_missing = min_cycles - cycles_since(w, r);
	}
	return max_missing;
}

static void advance_clock(struct window *w, uint32_t cycles)
{
	w->now += (int32_t)cycles;
	while (w->first < w->count && cycles_since(w, &w->list[w->first]) >= SASS_MAX_LATENCY)
		w->first++;
}

static void window_clear(struct window *w)
{
	w->first = w->count = 0;
	w->now = 0;
}

static uint8_t board_bit(uint8_t board)
{
	return board == SASS_NO_SB ? 0 : (uint8_t)(1 << board);
}

static void window_append(const struct stall_state *s, struct window *w, struct mir_inst *i,
			  uint32_t age)
{
	const struct reg_hash *reg_hash = &s->reg_hash[i->number];
	bool reads_uniform_late = sass_pipe(s->f->sm, &i->sass) == SASS_PIPE_UNIFORM;

	if (w->count == w->capacity && w->first) {
		w->count -= w->first;
		memmove(w->list, w->list + w->first, w->count * sizeof(*w->list));
		w->first = 0;
	}
	w->list = arena_grow(s->f->arena, w->list, &w->capacity, w->count + 1, sizeof(*w->list));
	w->list[w->count++] = (struct recent){
		.inst = i,
		.reg_hash = reads_uniform_late ? reg_hash->all : reg_hash->writes,
		.at = w->now - (int32_t)age,
		.boards = board_bit(i->sass.write_barrier) | board_bit(i->sass.read_barrier),
		.spaced = sass_keeps_distance(&i->sass)};
}

/* The same instruction may arrive by several paths; the shortest counts. */
static void window_merge(const struct stall_state *s, struct window *w, struct mir_inst *i,
			 uint32_t age)
{
	for (uint32_t k = 0; k < w->count; k++) {
		if (w->list[k].inst == i) {
			if (age < cycles_since(w, &w->list[k]))
				w->list[k].at = w->now - (int32_t)age;
			return;
		}
	}
	window_append(s, w, i, age);
}

static void extend_stall(struct mir_inst *i, uint32_t by, struct window *w)
{
	i->sass.stall = (uint8_t)(i->sass.stall + by);
	advance_clock(w, by);
}

static struct mir_inst *insert_nop(struct stall_state *s, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *nop = mir_inst_new(s->f, SASS_NOP);

	nop->sass.stall = 1;
	mir_insert(s->f, b, before, nop);
	return nop;
}

/* Stalls the instruction before i, or the last one of the predecessor block; the part that
 * exceeds its maximum goes to NOPs. */
static void stall_before(struct stall_state *s, struct window *w, uint32_t b,
			 struct mir_inst *before, struct mir_inst *i)
{
	uint32_t need = missing_cycles(s, w, before, i);

	while (need) {
		uint32_t room = before ? MAX_STALL - before->sass.stall : 0;
		uint32_t grow = need < room ? need : room;

		if (grow)
			extend_stall(before, grow, w);
		need -= grow;
		if (!need)
			return;
		before = insert_nop(s, b, i);
		advance_clock(w, before->sass.stall);
		need = missing_cycles(s, w, before, i);
	}
}

/* Visits a block with the window of a predecessor. Once all of that window is too old, the rest
 * is as after another predecessor. */
static void walk_block(struct stall_state *s, uint32_t b, struct mir_inst *before, bool again)
{
	struct mir_block *block = &s->f->blocks[b];
	struct window *w = &s->entry_window;

	for (struct mir_inst *i = block->first; i; i = i->next) {
		uint32_t min_cycles = sass_min_stall(s->f->sm, &i->sass);

		if (again && w->now >= SASS_MAX_LATENCY)
			return;
		stall_before(s, w, b, before, i);
		if (i->sass.stall < min_cycles || !i->sass.stall)
			i->sass.stall = (uint8_t)(min_cycles ? min_cycles : 1);
		window_append(s, w, i, 0);
		advance_clock(w, i->sass.stall);
		before = i;
	}
	for (uint32_t k = w->first; k < w->count; k++) {
		if (cycles_since(w, &w->list[k]) < SASS_MAX_LATENCY)
			window_merge(s, &s->exit_window, w->list[k].inst,
				     cycles_since(w, &w->list[k]));
	}
}

static void enter_from_pred(struct stall_state *s, uint32_t b, uint32_t pred, bool again)
{
	struct mir_inst *last = s->f->blocks[pred].last;
	uint8_t stall = last ? last->sass.stall : 0;
	const struct window *out = &s->out[pred];

	window_clear(&s->entry_window);
	for (uint32_t k = out->first; k < out->count; k++) {
		if (cycles_since(out, &out->list[k]) < SASS_MAX_LATENCY)
			window_append(s, &s->entry_window, out->list[k].inst,
				      cycles_since(out, &out->list[k]));
	}
	walk_block(s, b, last, again);
	if (last)
		advance_clock(&s->out[pred], last->sass.stall - stall);
}

/* Whether an instruction's distance to the block's end has become shorter. */
static bool is_shorter(const struct window *old, const struct mir_inst *inst, uint32_t age)
{
	for (uint32_t k = old->first; k < old->count; k++) {
		if (old->list[k].inst == inst &&
		    cycles_since(old, &old->list[k]) < SASS_MAX_LATENCY)
			return age < cycles_since(old, &old->list[k]);
	}
	return true;
}

/* Stall counts only grow, and a stall that suffices for a shorter distance suffices for a longer
 * one. */
static void update_exit_window(struct stall_state *s, uint32_t b)
{
	const struct mir_block *block = &s->f->blocks[b];
	struct window old = s->out[b];
	bool changed = false;

	for (uint32_t k = 0; k < s->exit_window.count && !changed; k++)
		changed = is_shorter(&old, s->exit_window.list[k].inst,
				     cycles_since(&s->exit_window, &s->exit_window.list[k]));
	s->out[b] = s->exit_window;
	s->exit_window = old;
	for (uint32_t k = 0; k < block->nsucc && changed; k++)
		s->stale[block->succ[k]] = true;
}

static void process_block(struct stall_state *s, uint32_t b)
{
	const struct mir_block *block = &s->f->blocks[b];

	s->stale[b] = false;
	window_clear(&s->exit_window);
	window_clear(&s->entry_window);
	if (b == s->f->entry)
		walk_block(s, b, NULL, false);
	for (uint32_t p = 0; p < block->npreds; p++)
		enter_from_pred(s, b, block->preds[p], p > 0);
	update_exit_window(s, b);
}

/* Yield to another warp during longer stalls, as ptxas does, except where a scoreboard is set, for
 * control flow and after products of matrices. Stall counts above 11 have another meaning without
 * the yield bit. */
static void set_yield(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

			bool plain = i->sass.write_barrier == SASS_NO_SB &&
				     i->sass.read_barrier == SASS_NO_SB &&
				     pipe != SASS_PIPE_BRANCH && pipe != SASS_PIPE_BARRIER &&
				     pipe != SASS_PIPE_TENSOR;

			i->sass.yield = i->sass.stall > 11 || (i->sass.stall >= 3 && plain);
		}
}

void nv_set_stall_counts(struct mir_func *f, uint32_t ninsts)
{
	struct stall_state s = {.f = f};
	bool again = true;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);

	s.out = arena_array(f->arena, f->nblocks, sizeof(*s.out));
	s.stale = arena_array(f->arena, f->nblocks, sizeof(*s.stale));
	for (uint32_t k = 0; k < count; k++)
		s.stale[order[k]] = true;
	s.reg_hash = arena_array(f->arena, ninsts + 1, sizeof(*s.reg_hash));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			hash_registers(&s, i);
	while (again) {
		again = false;
		for (uint32_t k = 0; k < count; k++) {
			if (!s.stale[order[k]])
				continue;
			process_block(&s, order[k]);
			again = true;
		}
	}
	set_yield(f);
}
