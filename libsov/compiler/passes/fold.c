// SPDX-License-Identifier: MIT
/*
 * Folding: applies rules to the instructions on a work list until none matches. ir_eval, the
 * interpreter's own evaluator, folds pure operations on constants, so that compile time and run
 * time cannot disagree; then follow algebraic identities (fold_identities.c), redundant phis, and
 * branches. Instructions that lose their last use are removed immediately, because some rules apply
 * only to values with one use.
 *
 * Branches on constants are collected until the work list is empty and then folded together, and
 * unreachable code is removed before any other rule runs: in unreachable code a value may be its
 * own argument, and no rule should have to handle that. A block without predecessors is removed at
 * once; only if a cycle loses an entry, the pass searches the whole graph for unreachable blocks.
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

/* ---- work list ---- */

static void push_inst(struct fold *c, ir_id i)
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
		push_inst(c, c->uses.list[it].user);
}

/* Pushes everything that a change of i may affect: i, its users, and its arguments, which may be
 * dead or have one use left. Called before and after a change, it covers old and new arguments. */
static void push_around(struct fold *c, ir_id i)
{
	const struct ir_inst *p = ir_at(c->f, i);

	for (uint32_t k = 0; k < p->nres; k++)
		push_users(c, p->res + k);
	for (uint32_t k = 0; k < p->nargs; k++)
		push_inst(c, c->f->values[p->args[k]].def);
	push_inst(c, i);
	c->changed = true;
}

/* ---- actions of rules ---- */

bool fold_to_value(struct fold *c, const struct fold_site *l, ir_val v)
{
	push_around(c, l->i);
	uses_replace(&c->uses, l->p.res, v);
	return true;
}

bool fold_to_op(struct fold *c, const struct fold_site *l, enum ir_op op, ir_val x, ir_val y,
		ir_val z)
{
	const ir_val args[3] = {x, y, z};
	uint32_t n = z ? 3 : y ? 2 : x ? 1 : 0;

	push_around(c, l->i);
	uses_become(&c->uses, l->i, op, c->f->values[l->p.res].type, args, n);
	push_around(c, l->i);
	return true;
}

bool fold_swap(struct fold *c, const struct fold_site *l)
{
	ir_at(c->f, l->i)->args[0] = l->b;
	ir_at(c->f, l->i)->args[1] = l->a;
	push_around(c, l->i);
	return true;
}

bool fold_to_const(struct fold *c, const struct fold_site *l, uint64_t x)
{
	fold_to_op(c, l, IR_CONST, 0, 0, 0);
	ir_at(c->f, l->i)->imm = x & fold_ones(ir_at(c->f, l->i)->type);
	return true;
}

bool fold_to_convert(struct fold *c, const struct fold_site *l, enum ir_op op, ir_val x)
{
	fold_to_op(c, l, op, x, 0, 0);
	ir_at(c->f, l->i)->from = c->f->values[x].type;
	return true;
}

bool fold_to_compare(struct fold *c, const struct fold_site *l, enum ir_cond cond, ir_val x,
		     ir_val y)
{
	bool is_float = cond >= IR_FEQ;

	fold_to_op(c, l, is_float ? IR_FCMP : IR_ICMP, x, y, 0);
	ir_at(c->f, l->i)->type = c->f->values[x].type;
	ir_at(c->f, l->i)->cond = cond;
	return true;
}

ir_id fold_new(struct fold *c, const struct fold_site *l, enum ir_op op, enum ir_type t, ir_val x,
	       ir_val y)
{
	const ir_val args[2] = {x, y};
	ir_id i = uses_insert(&c->uses, l->i, op, t, args, y ? 2 : x ? 1 : 0);

	push_inst(c, i);
	return i;
}

ir_val fold_const(struct fold *c, const struct fold_site *l, enum ir_type t, uint64_t x)
{
	ir_id i = fold_new(c, l, IR_CONST, t, 0, 0);

	ir_at(c->f, i)->imm = x & fold_ones(t);
	return ir_at(c->f, i)->res;
}

/* ---- constants and phis ---- */

static bool fold_constants(struct fold *c, const struct fold_site *l)
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

/* A phi whose arguments are all one value or the phi itself is that value. */
static bool fold_phi(struct fold *c, const struct fold_site *l)
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

/* ---- branches ---- */

/* Before an edge is removed: its target's phis lose an argument, or all. */
static void unlink_edge(struct fold *c, ir_block b, ir_block to)
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

static void fold_branch(struct fold *c, ir_block b, uint32_t k)
{
	ir_id end = c->f->blocks[b].last;

	push_around(c, end);
	unlink_edge(c, b, c->f->blocks[b].succ[!k]);
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

static bool fold_cbr(struct fold *c, const struct fold_site *l)
{
	struct ir_bb *bb = &c->f->blocks[l->p.block];
	const struct ir_inst *condition = fold_def(c, l->a);

	if (bb->succ[0] == bb->succ[1]) {
		if (!phis_agree(c, l->p.block, bb->succ[0]))
			return false;
		fold_branch(c, l->p.block, 0);
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

static void remove_unreachable_block(struct fold *c, ir_block b)
{
	const struct ir_bb *bb = &c->f->blocks[b];

	while (bb->nsucc) {
		unlink_edge(c, b, bb->succ[0]);
		ir_edge_remove(c->f, b, bb->succ[0]);
	}
	while (bb->last) {
		push_around(c, bb->last);
		uses_remove(&c->uses, bb->last);
	}
	ir_block_remove(c->f, b);
}

static void fold_decided_branches(struct fold *c)
{
	while (c->ndecided) {
		ir_block b = c->decided[--c->ndecided];
		const struct ir_inst *end = ir_at(c->f, c->f->blocks[b].last);
		uint64_t condition;

		if (end->op == IR_CBR && ir_is_const(c->f, end->args[0], &condition))
			fold_branch(c, b, !condition);
	}
	while (c->norphans)
		remove_unreachable_block(c, c->orphans[--c->norphans]);
	if (!c->cycle_cut)
		return;
	c->cycle_cut = false;
	cfg_mark_reachable(c->f, c->reached, c->stack);
	for (ir_block b = c->f->entry, next; b; b = next) {
		next = c->f->blocks[b].next;
		if (!c->reached[b])
			remove_unreachable_block(c, b);
	}
	c->norphans = 0; /* the search has found them */
}

/* ---- driver ---- */

static bool is_dead(const struct fold *c, const struct ir_inst *p)
{
	for (uint32_t k = 0; k < p->nres; k++)
		if (c->uses.count[p->res + k])
			return false;
	return ir_ops[p->op].properties & P_PURE || p->op == IR_PHI;
}

static struct fold_site make_site(const struct fold *c, ir_id i)
{
	struct fold_site l = {.i = i, .p = *ir_at(c->f, i)};

	l.a = l.p.nargs > 0 ? l.p.args[0] : 0;
	l.b = l.p.nargs > 1 ? l.p.args[1] : 0;
	l.c = l.p.nargs > 2 ? l.p.args[2] : 0;
	l.is_const = l.b && ir_is_const(c->f, l.b, &l.k);
	l.bits = ir_type_bits(l.p.type);
	l.ones = fold_ones(l.p.type);
	l.sign = l.bits ? UINT64_C(1) << (l.bits - 1) : 0;
	return l;
}

static void fold_inst(struct fold *c, ir_id i)
{
	struct fold_site l;

	if (!ir_at(c->f, i)->block)
		return;
	if (is_dead(c, ir_at(c->f, i))) {
		push_around(c, i);
		uses_remove(&c->uses, i);
		return;
	}
	l = make_site(c, i);
	if (l.p.op == IR_PHI)
		fold_phi(c, &l);
	else if (l.p.op == IR_CBR)
		fold_cbr(c, &l);
	else if (!fold_constants(c, &l))
		fold_identity(c, &l);
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
			push_inst(&c, i);
	while (c.nwork) {
		ir_id i = c.work[--c.nwork];

		c.queued[i] = false;
		fold_inst(&c, i);
		if (!c.nwork && c.ndecided)
			fold_decided_branches(&c);
	}
	return c.changed;
}
