// SPDX-License-Identifier: MIT
/*
 * Lanes that meet in different places. PTX lets them: who is at one shfl.sync exchanges values with
 * who is at another one of the same kind that names the same members, and so with votes, matches,
 * reductions and bar.warp.sync. The machine does not: lanes at two WARPSYNC wait for ever (seen on
 * an H200). So where lanes that part at a branch may come to different ones before they are
 * brought together again, each of these becomes a call of one function of the module that has the
 * only one, as ptxas does it for sm_80:
 *
 *	        here = active                    function meet(v, lane, clamp, members):
 *	        cbr members here, there, meet            x, p = shuffle v, lane, clamp, members
 *	meet:   x1, p1 = call meet(…)                    ret x, p
 *	there:  x2, p2 = shuffle …
 *	        x = phi x1, x2; p = phi p1, p2
 *
 * Who has all members beside it need not call. Where the members are known only at run time, lanes
 * of several groups may be there together; they call unless all of these groups are complete, since
 * a branch that parts them would make those of one group wait for the others'.
 *
 * Beyond the place where a branch's lanes are brought together nobody looks: lanes that wait there
 * for others do so at its BSYNC (converge.c), before they come to any operation. So it is with
 * ptxas, too.
 */
#include "libsov/compiler/expand.h"
#include "libsov/compiler/nv/module.h"

struct apart {
	struct ir_module *m;
	struct ir_func *functions[IR_LANE_KINDS]; /* NULL: not needed yet */
	uint32_t places[IR_LANE_KINDS];           /* in the whole unit */
	bool in_functions[IR_LANE_KINDS];         /* some stand in functions that are called */
};

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
	bool *marked;       /* … becomes a call */
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
static bool is_place(const struct ir_func *f, ir_id i, uint32_t *kind)
{
	const struct ir_inst *in = ir_at(f, i), *d;

	*kind = ir_lane_kind(in);
	if (!*kind)
		return false;
	d = ir_def(f, members_of(in));
	return d->op != IR_ACTIVE || d->block != in->block;
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
		p->groups = arena_grow(p->arena, p->groups, &p->capacity, k + 1,
				       sizeof(*p->groups));
		p->groups[p->ngroups++] = (struct group){kind, 0, members, any, true};
	}
	p->groups[k].count++;
	p->groups[k].one &= !any || members == p->groups[k].members;
	p->group_of[i] = k + 1;
}

static void find_groups(struct places *p)
{
	bool any[IR_LANE_KINDS] = {false};
	uint32_t kind;
	uint64_t mask;

	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_place(p->f, i, &kind))
				any[kind] |= !ir_is_const(p->f, members_of(ir_at(p->f, i)), &mask);
	ir_for_each_block(p->f, b)
		ir_for_each_inst(p->f, b, i)
			if (is_place(p->f, i, &kind))
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

/* ---- calls ---- */

static struct ir_func *define(struct ir_module *m, const struct ir_func *f, ir_id like)
{
	const struct ir_inst in = *ir_at(f, like);
	uint8_t args[4], results[2];
	ir_val values[4];
	struct ir_func *callee;
	ir_block b;
	ir_id i;

	for (uint32_t k = 0; k < in.nargs; k++)
		args[k] = f->values[in.args[k]].type;
	for (uint32_t k = 0; k < in.nres; k++)
		results[k] = f->values[in.res + k].type;
	callee = ir_function_new(m, IR_FUNCTION,
				 arena_printf(m->arena, ".meet.%u", ir_lane_kind(&in)), args,
				 in.nargs, results, in.nres);
	callee->ssa = callee->rare = callee->meets = true;
	b = ir_block_new(callee, NULL);
	for (uint32_t k = 0; k < in.nargs; k++) {
		i = ir_inst_new(callee, IR_ARG, args[k], NULL, 0, 1);
		ir_at(callee, i)->imm = k;
		ir_append(callee, b, i);
		values[k] = ir_at(callee, i)->res;
	}
	i = ir_inst_new(callee, in.op, in.type, values, in.nargs, in.nres);
	ir_at(callee, i)->sub = in.sub;
	ir_append(callee, b, i);
	for (uint32_t k = 0; k < in.nres; k++)
		values[k] = ir_at(callee, i)->res + k;
	ir_append(callee, b, ir_inst_new(callee, IR_RET, IR_VOID, values, in.nres, 0));
	return callee;
}

/* Whether some member of a group that is here is not; all who are here together hear the same. */
static ir_val some_missing(struct expand *e, ir_val members)
{
	ir_val here = expand_op(e, IR_ACTIVE, IR_B32, 0, 0, 0), named = here, missing;
	uint64_t mask;
	bool known = ir_is_const(e->f, members, &mask);

	if (!known || (uint32_t)mask != UINT32_MAX)
		named = expand_op(e, IR_AND, IR_B32, here, members, 0);
	missing = expand_compare(e, IR_NE, named, members);
	if (known)
		return missing;
	missing = expand_op(e, IR_VOTE, IR_B1, missing, here, 0);
	ir_def(e->f, missing)->sub = IR_VOTE_ANY;
	return missing;
}

static void make_call(struct apart *a, struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	struct expand_branch branch;
	uint32_t kind = ir_lane_kind(&in);
	ir_id call, inner;

	if (!a->functions[kind])
		a->functions[kind] = define(a->m, f, at);
	branch = expand_open(&e, some_missing(&e, members_of(&in)));
	call = ir_call_new(f, IR_CALL, a->functions[kind], in.args, in.nargs);
	ir_at(f, call)->line = in.line;
	ir_insert_before(f, e.at, call);
	if (in.op != IR_WARPSYNC) {
		inner = ir_inst_new(f, in.op, in.type, in.args, in.nargs, in.nres);
		ir_at(f, inner)->sub = in.sub;
		ir_at(f, inner)->line = in.line;
		ir_insert_before(f, f->blocks[branch.usual].last, inner);
		for (uint32_t k = 0; k < in.nres; k++)
			ir_replace_uses(f, in.res + k,
					expand_close(&e, &branch, ir_at(f, call)->res + k,
						     ir_at(f, inner)->res + k));
	}
	ir_remove(f, at);
}

static bool calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return false;
}

static void find_places(struct apart *a, struct places *p)
{
	const struct ir_func *f = p->f;
	bool everywhere = f->kind == IR_FUNCTION || calls(f);
	struct ir_cfg *cfg = ir_cfg_build(f);
	const struct ir_divergence *d = ir_divergence_compute(f, cfg);
	uint32_t kind;

	p->marked = arena_array(p->arena, f->ninsts, sizeof(*p->marked));
	p->group_of = arena_array(p->arena, f->ninsts, sizeof(*p->group_of));
	p->inst_stamp = arena_array(p->arena, f->ninsts, sizeof(*p->inst_stamp));
	p->list = arena_array(p->arena, f->ninsts, sizeof(*p->list));
	p->next = arena_array(p->arena, f->ninsts, sizeof(*p->next));
	p->block_stamp = arena_array(p->arena, f->nblocks, sizeof(*p->block_stamp));
	p->stack = arena_array(p->arena, f->nblocks + 1, sizeof(*p->stack));
	find_groups(p);
	for (p->group = 1; p->group <= p->ngroups; p->group++)
		if (p->groups[p->group - 1].count > 1)
			mark_group(p, cfg, d);
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (everywhere && is_place(f, i, &kind))
				p->marked[i] |= a->in_functions[kind] && a->places[kind] > 1;
}

/* What nobody uses was kept (dce.c) only for others to meet. */
static void remove_unused(struct ir_func *f, const bool *marked)
{
	bool *used = arena_array(f->module->arena, f->nvalues, sizeof(*used));

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
				used[ir_at(f, i)->args[k]] = true;
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (!marked[i] && ir_lane_kind(in) && in->nres && !used[in->res] &&
			    (in->nres == 1 || !used[in->res + 1]))
				ir_remove(f, i);
		}
}

static void meet_in(struct apart *a, struct ir_func *f)
{
	struct places p = {.f = f, .arena = f->module->arena};
	uint32_t ninsts = f->ninsts, kind;
	bool several = false;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			several |= is_place(f, i, &kind) && a->places[kind] > 1;
	if (!several)
		return;
	find_places(a, &p);
	remove_unused(f, p.marked);
	for (ir_id i = 1; i < ninsts; i++)
		if (p.marked[i])
			make_call(a, f, i);
}

void nv_meet_apart(struct ir_module *m)
{
	struct apart a = {.m = m};
	struct ir_func *last = m->last_func;
	uint32_t kind;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (is_place(f, i, &kind)) {
					a.places[kind]++;
					a.in_functions[kind] |= f->kind == IR_FUNCTION;
				}
	for (struct ir_func *f = m->funcs; f; f = f == last ? NULL : f->next)
		meet_in(&a, f);
}
