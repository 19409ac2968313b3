// SPDX-License-Identifier: MIT
/*
 * Folding: a work list of instructions, each looked at until no rule applies. A pure operation on
 * constants is computed by the interpreter's own ir_eval, so that compile time and run time cannot
 * disagree; then come the algebraic identities (identity.c), phis that always have the same value,
 * and branches. An instruction that lost its last use is dropped on the way, because some rules
 * hold only for values that are used once.
 *
 * A branch on a constant is remembered until the list is empty, and then all of them are taken at
 * once and what cannot be reached any more is removed, before anything else is looked at: in
 * unreachable code a value may be its own argument, and no rule should have to think of that. A
 * block without predecessors goes at once; only where a cycle lost a way in does it take a walk
 * over the whole graph to find out.
 */
#include "libsov/compiler/passes/fold.h"

#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

uint64_t fold_ones(enum ir_type t)
{
	uint32_t bits = ir_type_bits(t);

	return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* The work list. */

static void push(struct fold *c, ir_id i)
{
	c->queued = arena_grow(c->arena, c->queued, &c->queued_capacity, i + 1, sizeof(*c->queued));
	if (c->queued[i])
		return;
	c->queued[i] = true;
	c->work = arena_grow(c->arena, c->work, &c->work_capacity, c->nwork + 1, sizeof(*c->work));
	c->work[c->nwork++] = i;
}

static void push_users(struct fold *c, ir_val v)
{
	uses_for_each(&c->uses, v, it)
		push(c, c->uses.list[it].user);
}

/* What a change of i may concern: itself, who uses it, and what it used, which may be dead now or
 * have one use left. Called before and after a change, this covers old and new arguments. */
static void push_around(struct fold *c, ir_id i)
{
	const struct ir_inst *p = ir_at(c->f, i);

	for (uint32_t k = 0; k < p->nres; k++)
		push_users(c, p->res + k);
	for (uint32_t k = 0; k < p->nargs; k++)
		push(c, c->f->values[p->args[k]].def);
	push(c, i);
	c->changed = true;
}

/* What rules do. */

bool fold_to_value(struct fold *c, const struct look *l, ir_val v)
{
	push_around(c, l->i);
	uses_replace(&c->uses, l->p.res, v);
	return true;
}

bool fold_to_op(struct fold *c, const struct look *l, enum ir_op op, ir_val x, ir_val y, ir_val z)
{
	const ir_val args[3] = {x, y, z};
	uint32_t n = z ? 3 : y ? 2 : x ? 1 : 0;

	push_around(c, l->i);
	uses_become(&c->uses, l->i, op, c->f->values[l->p.res].type, args, n);
	push_around(c, l->i);
	return true;
}

bool fold_swap(struct fold *c, const struct look *l)
{
	ir_at(c->f, l->i)->args[0] = l->b;
	ir_at(c->f, l->i)->args[1] = l->a;
	push_around(c, l->i);
	return true;
}

bool fold_to_const(struct fold *c, const struct look *l, uint64_t x)
{
	fold_to_op(c, l, IR_CONST, 0, 0, 0);
	ir_at(c->f, l->i)->imm = x & fold_ones(ir_at(c->f, l->i)->type);
	return true;
}

bool fold_to_convert(struct fold *c, const struct look *l, enum ir_op op, ir_val x)
{
	fold_to_op(c, l, op, x, 0, 0);
	ir_at(c->f, l->i)->from = c->f->values[x].type;
	return true;
}

bool fold_to_compare(struct fold *c, const struct look *l, enum ir_cond cond, ir_val x, ir_val y)
{
	bool is_float = cond >= IR_FEQ;

	fold_to_op(c, l, is_float ? IR_FCMP : IR_ICMP, x, y, 0);
	ir_at(c->f, l->i)->type = c->f->values[x].type;
	ir_at(c->f, l->i)->cond = cond;
	return true;
}

ir_id fold_new(struct fold *c, const struct look *l, enum ir_op op, enum ir_type t, ir_val x,
	       ir_val y)
{
	const ir_val args[2] = {x, y};
	ir_id i = uses_insert(&c->uses, l->i, op, t, args, y ? 2 : x ? 1 : 0);

	push(c, i);
	return i;
}

ir_val fold_const(struct fold *c, const struct look *l, enum ir_type t, uint64_t x)
{
	ir_id i = fold_new(c, l, IR_CONST, t, 0, 0);

	ir_at(c->f, i)->imm = x & fold_ones(t);
	return ir_at(c->f, i)->res;
}

/* Constants. */

static bool fold_constants(struct fold *c, const struct look *l)
{
	uint64_t args[3], results[2];

	if (!(ir_ops[l->p.op].properties & P_PURE) || !l->p.nargs || l->p.op == IR_COPY)
		return false;
	for (uint32_t k = 0; k < l->p.nargs; k++)
		if (!ir_is_const(c->f, l->p.args[k], &args[k]))
			return false;
	if (!ir_eval(&l->p, args, results))
		return false;
	if (l->p.nres == 1)
		return fold_to_const(c, l, results[0]);
	push_around(c, l->i);
	for (uint32_t k = 0; k < l->p.nres; k++)
		uses_replace(&c->uses, l->p.res + k,
			     fold_const(c, l, c->f->values[l->p.res + k].type, results[k]));
	return true;
}

/* A phi whose arguments are all one value, or itself, is that value. */
static bool fold_phi(struct fold *c, const struct look *l)
{
	ir_val only = 0;

	for (uint32_t k = 0; k < l->p.nargs; k++) {
		ir_val v = l->p.args[k];

		if (v == l->p.res || v == only)
			continue;
		if (only)
			return false;
		only = v;
	}
	return only && fold_to_value(c, l, only);
}

/* Branches. */

/* Before an edge goes: the phis at its end will lose an argument, or all. */
static void release_edge(struct fold *c, ir_block b, ir_block to)
{
	const struct ir_bb *t = &c->f->blocks[to];
	uint32_t slot = 0;

	while (t->preds[slot] != b)
		slot++;
	for (ir_id i = t->first; i && ir_at(c->f, i)->op == IR_PHI; i = ir_at(c->f, i)->next) {
		push_around(c, i);
		c->uses.count[ir_at(c->f, i)->args[slot]]--;
	}
	if (t->npreds == 1)
		c->orphans[c->norphans++] = to;
	else
		c->cycle_cut |= c->cycle[to];
}

static void take_branch(struct fold *c, ir_block b, uint32_t k)
{
	ir_id end = c->f->blocks[b].last;

	push_around(c, end);
	release_edge(c, b, c->f->blocks[b].succ[!k]);
	c->uses.count[ir_at(c->f, end)->args[0]]--;
	cfg_make_unconditional(c->f, b, k);
}

static bool phis_agree(const struct fold *c, ir_block b, ir_block to)
{
	const struct ir_bb *t = &c->f->blocks[to];
	uint32_t slots[2], n = 0;

	for (uint32_t s = 0; s < t->npreds && n < 2; s++)
		if (t->preds[s] == b)
			slots[n++] = s;
	for (ir_id i = t->first; ir_at(c->f, i)->op == IR_PHI; i = ir_at(c->f, i)->next)
		if (ir_at(c->f, i)->args[slots[0]] != ir_at(c->f, i)->args[slots[1]])
			return false;
	return true;
}

static bool fold_cbr(struct fold *c, const struct look *l)
{
	struct ir_bb *bb = &c->f->blocks[l->p.block];
	const struct ir_inst *condition = fold_def(c, l->a);

	if (bb->succ[0] == bb->succ[1]) {
		if (!phis_agree(c, l->p.block, bb->succ[0]))
			return false;
		take_branch(c, l->p.block, 0);
		return true;
	}
	if (condition->op == IR_NOT) {
		ir_block other = bb->succ[0];

		bb->succ[0] = bb->succ[1];
		bb->succ[1] = other;
		push_around(c, l->i);
		uses_set_arg(&c->uses, l->i, 0, condition->args[0]);
		return true;
	}
	if (condition->op == IR_CONST) {
		c->decided = arena_grow(c->arena, c->decided, &c->decided_capacity, c->ndecided + 1,
					sizeof(*c->decided));
		c->decided[c->ndecided++] = l->p.block;
	}
	return false;
}

static void remove_block(struct fold *c, ir_block b)
{
	const struct ir_bb *bb = &c->f->blocks[b];

	while (bb->nsucc) {
		release_edge(c, b, bb->succ[0]);
		ir_edge_remove(c->f, b, bb->succ[0]);
	}
	while (bb->last) {
		push_around(c, bb->last);
		uses_remove(&c->uses, bb->last);
	}
	ir_block_remove(c->f, b);
}

static void take_decided(struct fold *c)
{
	while (c->ndecided) {
		ir_block b = c->decided[--c->ndecided];
		const struct ir_inst *end = ir_at(c->f, c->f->blocks[b].last);
		uint64_t condition;

		if (end->op == IR_CBR && ir_is_const(c->f, end->args[0], &condition))
			take_branch(c, b, !condition);
	}
	while (c->norphans)
		remove_block(c, c->orphans[--c->norphans]);
	if (!c->cycle_cut)
		return;
	c->cycle_cut = false;
	cfg_mark_reachable(c->f, c->reached, c->stack);
	for (ir_block b = c->f->entry, next; b; b = next) {
		next = c->f->blocks[b].next;
		if (!c->reached[b])
			remove_block(c, b);
	}
	c->norphans = 0; /* they were among them */
}

/* The driver. */

static bool is_dead(const struct fold *c, const struct ir_inst *p)
{
	for (uint32_t k = 0; k < p->nres; k++)
		if (c->uses.count[p->res + k])
			return false;
	return ir_ops[p->op].properties & P_PURE || p->op == IR_PHI;
}

static struct look look_at(const struct fold *c, ir_id i)
{
	struct look l = {.i = i, .p = *ir_at(c->f, i)};

	l.a = l.p.nargs > 0 ? l.p.args[0] : 0;
	l.b = l.p.nargs > 1 ? l.p.args[1] : 0;
	l.c = l.p.nargs > 2 ? l.p.args[2] : 0;
	l.is_const = l.b && ir_is_const(c->f, l.b, &l.k);
	l.bits = ir_type_bits(l.p.type);
	l.ones = fold_ones(l.p.type);
	l.sign = l.bits ? UINT64_C(1) << (l.bits - 1) : 0;
	return l;
}

static void look(struct fold *c, ir_id i)
{
	struct look l;

	if (!ir_at(c->f, i)->block)
		return;
	if (is_dead(c, ir_at(c->f, i))) {
		push_around(c, i);
		uses_remove(&c->uses, i);
		return;
	}
	l = look_at(c, i);
	if (l.p.op == IR_PHI)
		fold_phi(c, &l);
	else if (l.p.op == IR_CBR)
		fold_cbr(c, &l);
	else if (!fold_constants(c, &l))
		identity_apply(c, &l);
}

bool pass_fold(struct ir_func *f, const struct target *t)
{
	struct fold c = {.f = f, .arena = f->module->arena};

	(void)t;
	c.changed = cfg_remove_unreachable(f);
	c.orphans = arena_array(c.arena, f->nblocks, sizeof(*c.orphans));
	c.cycle = arena_array(c.arena, f->nblocks, sizeof(*c.cycle));
	cfg_mark_cycles(f, c.cycle);
	c.reached = arena_array(c.arena, f->nblocks, sizeof(*c.reached));
	c.stack = arena_array(c.arena, f->nblocks, sizeof(*c.stack));
	uses_init(&c.uses, f);
	for (ir_block b = f->last_block; b; b = f->blocks[b].prev)
		for (ir_id i = f->blocks[b].last; i; i = ir_at(f, i)->prev)
			push(&c, i);
	while (c.nwork) {
		ir_id i = c.work[--c.nwork];

		c.queued[i] = false;
		look(&c, i);
		if (!c.nwork && c.ndecided)
			take_decided(&c);
	}
	return c.changed;
}
