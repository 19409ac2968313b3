// SPDX-License-Identifier: MIT
/*
 * Stall counts. Walking through a block, the instructions issued lately are remembered with the
 * cycles since; whoever comes too early after one of them makes the instruction before it stall
 * longer. What was issued lately at a block's end goes on into its successors, so a block is looked
 * at once per predecessor, until no stall grows any more.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MOST_STALL 15
/* Nothing fixed takes longer; what takes a scoreboard is not our business. */
#define FORGET 20
/* Between counting a scoreboard up and waiting for it (ptxas keeps this distance). */
#define BOARD_SET 2

/* What an instruction names, found once. Resources are hashed to bits: no common bit, no conflict. */
struct names {
	uint64_t writes, all;
	uint32_t count;
	struct sass_reg_use uses[SASS_MAX_USES];
};

struct recent {
	const struct mir_inst *inst;
	uint32_t since; /* cycles from its issue to the end of the last instruction's stall */
};

struct window {
	struct recent *list;
	uint32_t count, capacity;
};

struct staller {
	struct mir_func *f;
	struct window *out; /* by block, at its end */
	struct window leaving; /* the block being looked at */
	struct names *names;   /* by number */
	uint32_t nnames, names_capacity;
	bool changed;
};

static void add_names(struct staller *s, struct mir_inst *i)
{
	struct names *n;

	s->names = arena_grow(s->f->arena, s->names, &s->names_capacity, s->nnames + 1,
			      sizeof(*s->names));
	i->number = s->nnames;
	n = &s->names[s->nnames++];
	n->writes = n->all = 0;
	n->count = sass_uses(&i->sass, n->uses);
	for (uint32_t u = 0; u < n->count; u++) {
		for (uint32_t k = 0; k < n->uses[u].count; k++) {
			uint32_t r = mir_resource(n->uses[u].kind, n->uses[u].reg + k);

			n->all |= UINT64_C(1) << r % 64;
			n->writes |= (uint64_t)n->uses[u].write << r % 64;
		}
	}
}

static bool waits_for(const struct sass_inst *in, uint8_t board)
{
	return board != SASS_NO_SB && in->wait >> board & 1;
}

/* Least cycles between the issue of two instructions. */
static uint32_t distance(const struct staller *s, const struct mir_inst *from,
			 const struct mir_inst *to)
{
	const struct sass_inst *first = &from->sass, *second = &to->sass;
	const struct names *x = &s->names[from->number], *y = &s->names[to->number];
	const struct sass_reg_use *a = x->uses, *b = y->uses;
	uint32_t least = 0;

	if (waits_for(second, first->write_barrier) || waits_for(second, first->read_barrier))
		least = BOARD_SET;
	if (!(x->writes & y->all))
		return least;
	for (uint32_t i = 0; i < x->count; i++) {
		for (uint32_t j = 0; j < y->count; j++) {
			uint32_t n = 0;

			if (!a[i].write || a[i].kind != b[j].kind ||
			    a[i].reg >= b[j].reg + b[j].count || b[j].reg >= a[i].reg + a[i].count)
				continue;
			n = b[j].write ? sass_waw(s->f->sm, first, second)
				       : sass_raw(s->f->sm, first, &a[i], second, &b[j]);
			if (n > least)
				least = n;
		}
	}
	return least;
}

/* How many cycles too early the instruction would be; before is the one just issued. */
static uint32_t missing(const struct staller *s, const struct window *w,
			const struct mir_inst *before, const struct mir_inst *i)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < w->count; k++) {
		const struct sass_inst *earlier = &w->list[k].inst->sass;
		uint32_t least = distance(s, w->list[k].inst, i), next = 0;

		if (w->list[k].inst == before || earlier->op == SASS_BAR)
			next = sass_after(s->f->sm, earlier, &i->sass);
		if (next > least)
			least = next;
		if (least > w->list[k].since && least - w->list[k].since > most)
			most = least - w->list[k].since;
	}
	return most;
}

static void pass_time(struct window *w, uint32_t cycles)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < w->count; k++) {
		w->list[k].since += cycles;
		if (w->list[k].since < FORGET)
			w->list[kept++] = w->list[k];
	}
	w->count = kept;
}

/* The same instruction may come by several paths; the shortest counts. */
static void remember(const struct staller *s, struct window *w, const struct mir_inst *i,
		     uint32_t since)
{
	for (uint32_t k = 0; k < w->count; k++) {
		if (w->list[k].inst == i) {
			if (since < w->list[k].since)
				w->list[k].since = since;
			return;
		}
	}
	w->list = arena_grow(s->f->arena, w->list, &w->capacity, w->count + 1, sizeof(*w->list));
	w->list[w->count++] = (struct recent){i, since};
}

static void grow_stall(struct staller *s, struct mir_inst *i, uint32_t by, struct window *w)
{
	i->sass.stall = (uint8_t)(i->sass.stall + by);
	pass_time(w, by);
	s->changed = true;
}

static struct mir_inst *insert_nop(struct staller *s, uint32_t b, struct mir_inst *before)
{
	struct mir_inst *nop = mir_inst_new(s->f, SASS_NOP);

	nop->sass.stall = 1;
	add_names(s, nop);
	mir_insert(s->f, b, before, nop);
	s->changed = true;
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
			grow_stall(s, before, grow, w);
		need -= grow;
		if (!need)
			return;
		before = insert_nop(s, b, i);
		pass_time(w, before->sass.stall);
		need = missing(s, w, before, i);
	}
}

/* Enters a block with what was lately issued before it. */
static void walk(struct staller *s, uint32_t b, struct window *w, struct mir_inst *before)
{
	struct mir_block *block = &s->f->blocks[b];

	for (struct mir_inst *i = block->first; i; i = i->next) {
		uint32_t least = sass_min_stall(s->f->sm, &i->sass);

		wait_before(s, w, b, before, i);
		if (i->sass.stall < least || !i->sass.stall)
			i->sass.stall = (uint8_t)(least ? least : 1);
		remember(s, w, i, 0);
		pass_time(w, i->sass.stall);
		before = i;
	}
	for (uint32_t k = 0; k < w->count; k++)
		remember(s, &s->leaving, w->list[k].inst, w->list[k].since);
}

static void enter_from(struct staller *s, uint32_t b, uint32_t pred)
{
	struct window w = {0};

	for (uint32_t k = 0; k < s->out[pred].count; k++)
		remember(s, &w, s->out[pred].list[k].inst, s->out[pred].list[k].since);
	walk(s, b, &w, s->f->blocks[pred].last);
}

static void keep(struct staller *s, uint32_t b)
{
	struct window *out = &s->out[b];

	out->count = 0;
	for (uint32_t k = 0; k < s->leaving.count; k++)
		remember(s, out, s->leaving.list[k].inst, s->leaving.list[k].since);
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

void nv_stall(struct mir_func *f)
{
	struct staller s = {.f = f};
	uint32_t count;
	uint32_t *order = mir_order(f, &count);

	s.out = arena_array(f->arena, f->nblocks, sizeof(*s.out));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			add_names(&s, i);
	/* Twice at least: the first time, what comes around a loop is not known yet. */
	for (uint32_t round = 0; round < 2 || s.changed; round++) {
		s.changed = false;
		for (uint32_t k = 0; k < count; k++) {
			struct window none = {0};

			s.leaving.count = 0;
			if (order[k] == f->entry)
				walk(&s, order[k], &none, NULL);
			for (uint32_t p = 0; p < f->blocks[order[k]].npreds; p++)
				enter_from(&s, order[k], f->blocks[order[k]].preds[p]);
			keep(&s, order[k]);
		}
	}
	set_yield(f);
}
