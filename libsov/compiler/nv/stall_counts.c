// SPDX-License-Identifier: MIT
/*
 * Stall counts. Walking through a block, the instructions issued lately are remembered with the
 * cycles since; whoever comes too early after one of them makes the instruction before it stall
 * longer. What was issued lately at a block's end goes on into its successors, so a block is looked
 * at once per predecessor, and again when what comes from one of them has changed.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MOST_STALL 15
/* Nothing fixed takes longer; what takes a scoreboard is not our business. */
#define FORGET     20
/* Between counting a scoreboard up and waiting for it (ptxas keeps this distance). */
#define BOARD_SET  2

/* What an instruction names. Resources are hashed to bits: no common bit, no conflict. */
struct name_map {
	uint64_t writes, all;
};

struct recent {
	struct mir_inst *inst;
	uint64_t names; /* that others must keep their distance from */
	int32_t at;     /* when it was issued, by the window's clock */
	uint8_t boards; /* scoreboards that it counts up */
	bool barrier;
};

struct window {
	struct recent *list;
	uint32_t
		first; /* what comes before it in the list is forgotten; what comes after it may be */
	uint32_t count, capacity;
	int32_t now; /* where the last instruction's stall ends */
};

struct staller {
	struct mir_func *f;
	struct window *out;            /* by block, at its end */
	struct window coming, leaving; /* the block being looked at */
	struct name_map *names;           /* by instruction; 0, a NOP of ours, has none */
	bool *stale; /* by block: what comes to it is not what it was looked at with */
};

/* Cycles from the issue of an instruction to now. */
static uint32_t since(const struct window *w, const struct recent *r)
{
	return (uint32_t)(w->now - r->at);
}

static void find_names(struct staller *s, struct mir_inst *i)
{
	struct name_map *names = &s->names[i->number];
	uint32_t n;
	const struct mir_use *uses = mir_uses(s->f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			names->all |= UINT64_C(1) << r % 64;
			names->writes |= (uint64_t)uses[u].write << r % 64;
		}
	}
}

/* Least cycles between the issue of two instructions that name the same registers. */
static uint32_t distance(const struct staller *s, struct mir_inst *from, struct mir_inst *to)
{
	uint32_t nx, ny, least = 0;
	const struct mir_use *x = mir_uses(s->f, from, &nx);
	const struct mir_use *y = mir_uses(s->f, to, &ny);

	for (uint32_t i = 0; i < nx; i++) {
		for (uint32_t j = 0; j < ny; j++) {
			struct sass_reg_use a = mir_sass_use(&x[i]), b = mir_sass_use(&y[j]);
			uint32_t n = 0;

			if (a.kind != b.kind || a.reg >= b.reg + b.count ||
			    b.reg >= a.reg + a.count || !(a.write || b.write))
				continue;
			n = !a.write  ? sass_war_latency(&from->sass, &to->sass, a.kind)
			    : b.write ? sass_waw_latency(s->f->sm, &from->sass, &to->sass)
				      : sass_raw_latency(s->f->sm, &from->sass, &a, &to->sass, &b);
			if (n > least)
				least = n;
		}
	}
	return least;
}

/* How many cycles too early the instruction would be; before is the one just issued. */
static uint32_t missing(const struct staller *s, const struct window *w,
			const struct mir_inst *before, struct mir_inst *i)
{
	uint64_t all = s->names[i->number].all;
	uint32_t most = 0;

	for (uint32_t k = w->first; k < w->count; k++) {
		const struct recent *r = &w->list[k];
		uint32_t least = r->boards & i->sass.wait ? BOARD_SET : 0, other;

		if (since(w, r) >= FORGET)
			continue;
		if (r->names & all) {
			other = distance(s, r->inst, i);
			least = other > least ? other : least;
		}
		if (r->inst == before || r->barrier) {
			other = sass_min_distance(s->f->sm, &r->inst->sass, &i->sass);
			least = other > least ? other : least;
		}
		if (least > since(w, r) && least - since(w, r) > most)
			most = least - since(w, r);
	}
	return most;
}

static void pass_time(struct window *w, uint32_t cycles)
{
	w->now += (int32_t)cycles;
	while (w->first < w->count && since(w, &w->list[w->first]) >= FORGET)
		w->first++;
}

static void empty(struct window *w)
{
	w->first = w->count = 0;
	w->now = 0;
}

static uint8_t board_bit(uint8_t board)
{
	return board == SASS_NO_SB ? 0 : (uint8_t)(1 << board);
}

static void append(const struct staller *s, struct window *w, struct mir_inst *i, uint32_t ago)
{
	const struct name_map *names = &s->names[i->number];
	bool reads_uniform_late = sass_pipe(s->f->sm, &i->sass) == SASS_PIPE_UNIFORM;

	if (w->count == w->capacity && w->first) {
		w->count -= w->first;
		memmove(w->list, w->list + w->first, w->count * sizeof(*w->list));
		w->first = 0;
	}
	w->list = arena_grow(s->f->arena, w->list, &w->capacity, w->count + 1, sizeof(*w->list));
	w->list[w->count++] = (struct recent){
		.inst = i,
		.names = reads_uniform_late ? names->all : names->writes,
		.at = w->now - (int32_t)ago,
		.boards = board_bit(i->sass.write_barrier) | board_bit(i->sass.read_barrier),
		.barrier = i->sass.op == SASS_BAR};
}

/* The same instruction may come by several paths; the shortest counts. */
static void remember(const struct staller *s, struct window *w, struct mir_inst *i, uint32_t ago)
{
	for (uint32_t k = 0; k < w->count; k++) {
		if (w->list[k].inst == i) {
			if (ago < since(w, &w->list[k]))
				w->list[k].at = w->now - (int32_t)ago;
			return;
		}
	}
	append(s, w, i, ago);
}

static void grow_stall(struct mir_inst *i, uint32_t by, struct window *w)
{
	i->sass.stall = (uint8_t)(i->sass.stall + by);
	pass_time(w, by);
}

static struct mir_inst *insert_nop(struct staller *s, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *nop = mir_inst_new(s->f, SASS_NOP);

	nop->sass.stall = 1;
	mir_insert(s->f, b, before, nop);
	return nop;
}

/* The instruction before i, or the last of the block that we came from, stalls for what is missing;
 * what does not fit there is a NOP's. */
static void wait_before(struct staller *s, struct window *w, uint32_t b, struct mir_inst *before,
			struct mir_inst *i)
{
	uint32_t need = missing(s, w, before, i);

	while (need) {
		uint32_t room = before ? MOST_STALL - before->sass.stall : 0;
		uint32_t grow = need < room ? need : room;

		if (grow)
			grow_stall(before, grow, w);
		need -= grow;
		if (!need)
			return;
		before = insert_nop(s, b, i);
		pass_time(w, before->sass.stall);
		need = missing(s, w, before, i);
	}
}

/* Enters a block with what was lately issued before it, which is coming. Once all of that is
 * forgotten, the rest is as it was after another predecessor. */
static void walk(struct staller *s, uint32_t b, struct mir_inst *before, bool again)
{
	struct mir_block *block = &s->f->blocks[b];
	struct window *w = &s->coming;

	for (struct mir_inst *i = block->first; i; i = i->next) {
		uint32_t least = sass_min_stall(s->f->sm, &i->sass);

		if (again && w->now >= FORGET)
			return;
		wait_before(s, w, b, before, i);
		if (i->sass.stall < least || !i->sass.stall)
			i->sass.stall = (uint8_t)(least ? least : 1);
		append(s, w, i, 0);
		pass_time(w, i->sass.stall);
		before = i;
	}
	for (uint32_t k = w->first; k < w->count; k++) {
		if (since(w, &w->list[k]) < FORGET)
			remember(s, &s->leaving, w->list[k].inst, since(w, &w->list[k]));
	}
}

static void enter_from(struct staller *s, uint32_t b, uint32_t pred, bool again)
{
	struct mir_inst *last = s->f->blocks[pred].last;
	uint8_t stall = last ? last->sass.stall : 0;
	const struct window *out = &s->out[pred];

	empty(&s->coming);
	for (uint32_t k = out->first; k < out->count; k++) {
		if (since(out, &out->list[k]) < FORGET)
			append(s, &s->coming, out->list[k].inst, since(out, &out->list[k]));
	}
	walk(s, b, last, again);
	if (last)
		pass_time(&s->out[pred], last->sass.stall - stall);
}

/* Whether something comes sooner after a block than it did. */
static bool is_news(const struct window *old, const struct mir_inst *inst, uint32_t ago)
{
	for (uint32_t k = old->first; k < old->count; k++) {
		if (old->list[k].inst == inst && since(old, &old->list[k]) < FORGET)
			return ago < since(old, &old->list[k]);
	}
	return true;
}

/* Stalls only grow, and whoever waits long enough for what came sooner does so for what comes later. */
static void keep(struct staller *s, uint32_t b)
{
	const struct mir_block *block = &s->f->blocks[b];
	struct window old = s->out[b];
	bool news = false;

	for (uint32_t k = 0; k < s->leaving.count && !news; k++)
		news = is_news(&old, s->leaving.list[k].inst,
			       since(&s->leaving, &s->leaving.list[k]));
	s->out[b] = s->leaving;
	s->leaving = old;
	for (uint32_t k = 0; k < block->nsucc && news; k++)
		s->stale[block->succ[k]] = true;
}

static void look_at(struct staller *s, uint32_t b)
{
	const struct mir_block *block = &s->f->blocks[b];

	s->stale[b] = false;
	empty(&s->leaving);
	empty(&s->coming);
	if (b == s->f->entry)
		walk(s, b, NULL, false);
	for (uint32_t p = 0; p < block->npreds; p++)
		enter_from(s, b, block->preds[p], p > 0);
	keep(s, b);
}

/* Prefer another warp while this one stalls for long, as ptxas does: not where a scoreboard is set,
 * not for control flow. Stalls above 11 mean something else without it. */
static void set_yield(struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			enum sass_pipe pipe = sass_pipe(f->sm, &i->sass);

			bool plain = i->sass.write_barrier == SASS_NO_SB &&
				     i->sass.read_barrier == SASS_NO_SB &&
				     pipe != SASS_PIPE_BRANCH && pipe != SASS_PIPE_BARRIER;

			i->sass.yield = i->sass.stall > 11 || (i->sass.stall >= 3 && plain);
		}
}

void nv_stall(struct mir_func *f, uint32_t ninsts)
{
	struct staller s = {.f = f};
	bool again = true;
	uint32_t count;
	uint32_t *order = mir_order(f, &count);

	s.out = arena_array(f->arena, f->nblocks, sizeof(*s.out));
	s.stale = arena_array(f->arena, f->nblocks, sizeof(*s.stale));
	for (uint32_t k = 0; k < count; k++)
		s.stale[order[k]] = true;
	s.names = arena_array(f->arena, ninsts + 1, sizeof(*s.names));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			find_names(&s, i);
	while (again) {
		again = false;
		for (uint32_t k = 0; k < count; k++) {
			if (!s.stale[order[k]])
				continue;
			look_at(&s, order[k]);
			again = true;
		}
	}
	set_yield(f);
}
