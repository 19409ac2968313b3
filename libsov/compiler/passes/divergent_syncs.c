// SPDX-License-Identifier: MIT
/*
 * Where lanes meet that are apart. PTX lets them: who is at one shfl.sync exchanges values with who is at another
 * one of the same kind that names the same members, and so with votes, matches, reductions and bar.warp.sync. Here
 * the places are found where lanes that part at a branch may come to different ones before they are brought
 * together again; what to do there is up to the machine (nv/apart.c, amd/meet.c).
 */
#include "libsov/compiler/passes/lower.h"

/* Places of a function where lanes may meet each other. */
struct group {
	uint32_t kind, count;
	ir_val members; /* of the first */
	bool any;       /* of some they are known only at run time, so each may meet each … */
	bool one;       /* … but all name the same ones, whatever these are */
};

struct places {
	const struct ir_func *f;
	struct arena *arena;
	struct group *groups;
	uint32_t ngroups, capacity;
	uint32_t *group_of; /* by instruction: 1 + its group; 0: none */
	bool *marked;       /* … where lanes may meet others that are elsewhere */
	uint32_t group;     /* that is looked at, as in group_of */
	/* scratch: a block or an instruction whose stamp is the current one has been met */
	uint32_t *block_stamp, *inst_stamp, stamp, list_stamp;
	ir_block *stack;
	ir_id *list, *next; /* where the lanes of a branch may be */
};

/* Turns without anything new after which all that may come counts as new. */
#define IDLE_TURNS 16

static ir_val members_of(const struct ir_inst *in)
{
	return in->args[in->nargs - 1];
}

/* Who names those that are here at the time (a form without .sync) meets nobody elsewhere. */
bool is_sync_site(const struct ir_func *f, ir_id i, uint32_t *kind)
{
	const struct ir_inst *in = ir_at(f, i), *d;

	*kind = ir_sync_kind(in);
	if (!*kind)
		return false;
	d = ir_def(f, members_of(in));
	return d->op != IR_ACTIVE || d->block != in->block;
}

bool reaches_sync_site(const struct ir_module *module, uint32_t function, bool *seen)
{
	const struct ir_func *f = module->table[function];
	uint32_t kind;

	if (seen[function] || f->kind != IR_FUNCTION)
		return false;
	seen[function] = true;
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (is_sync_site(f, i, &kind) ||
			    (ir_at(f, i)->op == IR_CALL &&
			     reaches_sync_site(module, ir_at(f, i)->symbol, seen)))
				return true;
	return false;
}

/* ---- groups ---- */

static bool fits(const struct places *p, const struct group *g, uint32_t kind, ir_val members)
{
	uint64_t a, b;

	if (g->kind != kind)
		return false;
	return g->any ||
	       (ir_is_const(p->f, members, &a) && ir_is_const(p->f, g->members, &b) && a == b);
}

static void put_in_group(struct places *p, ir_id i, uint32_t kind, bool any)
{
	ir_val members = members_of(ir_at(p->f, i));
	uint32_t k = 0;

	while (k < p->ngroups && !fits(p, &p->groups[k], kind, members))
		k++;
	if (k == p->ngroups) {
		p->groups =
			arena_grow(p->arena, p->groups, &p->capacity, k + 1, sizeof(*p->groups));
		p->groups[p->ngroups++] = (struct group){kind, 0, members, any, true};
	}
	p->groups[k].count++;
	p->groups[k].one &= !any || members == p->groups[k].members;
	p->group_of[i] = k + 1;
}

static void find_groups(struct places *p)
{
	bool any[IR_SYNC_KINDS] = {false};
	uint32_t kind;
	uint64_t mask;

	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_sync_site(p->f, i, &kind))
				any[kind] |= !ir_is_const(p->f, members_of(ir_at(p->f, i)), &mask);
	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_sync_site(p->f, i, &kind))
				put_in_group(p, i, kind, any[kind]);
}

/* ---- where lanes may be ---- */

static void add(struct places *p, ir_id *list, uint32_t *count, ir_id i)
{
	if (p->inst_stamp[i] == p->list_stamp)
		return;
	p->inst_stamp[i] = p->list_stamp;
	list[(*count)++] = i;
}

/* Adds the next place of the group from an instruction on; true: there is none in its block. All
 * threads of a block come together at a barrier. */
static bool scan(struct places *p, ir_id i, ir_id *list, uint32_t *count)
{
	for (; i; i = ir_at(p->f, i)->next) {
		uint8_t op = ir_at(p->f, i)->op;

		if (p->group_of[i] == p->group)
			add(p, list, count, i);
		if (p->group_of[i] == p->group || op == IR_BARRIER || op == IR_BARRIER_RED)
			return false;
	}
	return true;
}

/* Adds the places that come next after a block, up to where lanes are brought together. */
static void follow(struct places *p, ir_block from, ir_block together, ir_id *list, uint32_t *count)
{
	uint32_t depth = 0;

	p->stack[depth++] = from;
	while (depth) {
		const struct ir_bb *bb = &p->f->blocks[p->stack[--depth]];

		for (uint32_t s = 0; s < bb->nsucc; s++) {
			ir_block to = bb->succ[s];

			if (to == together || p->block_stamp[to] == p->stamp)
				continue;
			p->block_stamp[to] = p->stamp;
			if (scan(p, p->f->blocks[to].first, list, count))
				p->stack[depth++] = to;
		}
	}
}

static void follow_place(struct places *p, ir_id i, ir_block together, ir_id *list, uint32_t *count)
{
	if (scan(p, ir_at(p->f, i)->next, list, count))
		follow(p, ir_at(p->f, i)->block, together, list, count);
}

static bool mark(struct places *p, uint32_t count)
{
	bool more = false;

	for (uint32_t k = 0; k < count; k++) {
		more |= !p->marked[p->list[k]];
		p->marked[p->list[k]] = true;
	}
	return more;
}

/* All lanes go from where they may be to where they may be next. */
static uint32_t take_turn(struct places *p, ir_block together, uint32_t count)
{
	ir_id *list = p->list;
	uint32_t n = 0;

	p->stamp++, p->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		follow_place(p, list[k], together, p->next, &n);
	p->list = p->next;
	p->next = list;
	return n;
}

/* All that may come at any time. */
static void mark_rest(struct places *p, ir_block together, uint32_t count)
{
	p->stamp++, p->list_stamp++;
	for (uint32_t k = 0; k < count; k++)
		p->inst_stamp[p->list[k]] = p->list_stamp;
	for (uint32_t k = 0; k < count; k++)
		follow_place(p, p->list[k], together, p->list, &count);
	mark(p, count);
}

/*
 * Where lanes that part at a branch may come to two places they stay apart, and what comes next for
 * them may be different as well, until all come to the same place. They take turns only if they
 * name the same members everywhere: then the next place of one is the next of all.
 */
static void mark_after(struct places *p, ir_block branch, ir_block together)
{
	uint32_t count = 0, idle = 0;

	p->stamp++, p->list_stamp++;
	follow(p, branch, together, p->list, &count);
	while (count > 1 && p->groups[p->group - 1].one && idle < IDLE_TURNS) {
		idle = mark(p, count) ? 0 : idle + 1;
		count = take_turn(p, together, count);
	}
	if (count > 1)
		mark_rest(p, together, count);
}

static void mark_group(struct places *p, const struct ir_cfg *cfg, const struct ir_divergence *d)
{
	ir_for_each_block(p->f, b)
		if (d->branch[b])
			mark_after(p, b, cfg->ipdom[b]);
}

bool *divergent_sync_sites(const struct ir_func *f, const struct ir_cfg *cfg, const struct ir_divergence *d)
{
	struct places p = {.f = f, .arena = f->module->arena};

	p.marked = arena_array(p.arena, f->ninsts, sizeof(*p.marked));
	p.group_of = arena_array(p.arena, f->ninsts, sizeof(*p.group_of));
	p.inst_stamp = arena_array(p.arena, f->ninsts, sizeof(*p.inst_stamp));
	p.list = arena_array(p.arena, f->ninsts, sizeof(*p.list));
	p.next = arena_array(p.arena, f->ninsts, sizeof(*p.next));
	p.block_stamp = arena_array(p.arena, f->nblocks, sizeof(*p.block_stamp));
	p.stack = arena_array(p.arena, f->nblocks + 1, sizeof(*p.stack));
	find_groups(&p);
	for (p.group = 1; p.group <= p.ngroups; p.group++)
		if (p.groups[p.group - 1].count > 1)
			mark_group(&p, cfg, d);
	return p.marked;
}
