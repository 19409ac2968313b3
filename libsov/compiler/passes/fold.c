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
#include "libsov/isa/mma_group.h"

uint64_t fold_ones(enum ir_type t)
{
	uint32_t bits = ir_type_bits(t);

	return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* ---- work list ---- */

static void push_inst(struct fold *fold, ir_id i)
{
	fold->queued = arena_grow(fold->arena, fold->queued, &fold->queued_capacity, i + 1,
				  sizeof(*fold->queued));
	if (fold->queued[i])
		return;
	fold->queued[i] = true;
	fold->work = arena_grow(fold->arena, fold->work, &fold->work_capacity, fold->nwork + 1,
				sizeof(*fold->work));
	fold->work[fold->nwork++] = i;
}

static void push_users(struct fold *fold, ir_val v)
{
	uses_for_each(&fold->uses, v, it)
		push_inst(fold, fold->uses.list[it].user);
}

/* Pushes everything that a change of i may affect: i, its users, and its arguments, which may be
 * dead or have one use left. Called before and after a change, it covers old and new arguments. */
static void push_around(struct fold *fold, ir_id i)
{
	const struct ir_inst *p = ir_at(fold->f, i);

	for (uint32_t k = 0; k < p->nres; k++)
		push_users(fold, p->res + k);
	for (uint32_t k = 0; k < p->nargs; k++)
		push_inst(fold, fold->f->values[p->args[k]].def);
	push_inst(fold, i);
	fold->changed = true;
}

/* ---- actions of rules ---- */

bool fold_to_value(struct fold *fold, const struct fold_site *site, ir_val v)
{
	push_around(fold, site->i);
	uses_replace(&fold->uses, site->p.res, v);
	return true;
}

bool fold_to_op(struct fold *fold, const struct fold_site *site, enum ir_op op, ir_val x, ir_val y,
		ir_val z)
{
	const ir_val args[3] = {x, y, z};
	uint32_t n = z ? 3 : y ? 2 : x ? 1 : 0;

	push_around(fold, site->i);
	uses_become(&fold->uses, site->i, op, fold->f->values[site->p.res].type, args, n);
	push_around(fold, site->i);
	return true;
}

bool fold_swap(struct fold *fold, const struct fold_site *site)
{
	ir_at(fold->f, site->i)->args[0] = site->b;
	ir_at(fold->f, site->i)->args[1] = site->a;
	push_around(fold, site->i);
	return true;
}

bool fold_to_const(struct fold *fold, const struct fold_site *site, uint64_t x)
{
	fold_to_op(fold, site, IR_CONST, 0, 0, 0);
	ir_at(fold->f, site->i)->imm = x & fold_ones(ir_at(fold->f, site->i)->type);
	return true;
}

bool fold_to_convert(struct fold *fold, const struct fold_site *site, enum ir_op op, ir_val x)
{
	fold_to_op(fold, site, op, x, 0, 0);
	ir_at(fold->f, site->i)->from = fold->f->values[x].type;
	return true;
}

bool fold_to_compare(struct fold *fold, const struct fold_site *site, enum ir_cond cond, ir_val x,
		     ir_val y)
{
	bool is_float = cond >= IR_FEQ;

	fold_to_op(fold, site, is_float ? IR_FCMP : IR_ICMP, x, y, 0);
	ir_at(fold->f, site->i)->type = fold->f->values[x].type;
	ir_at(fold->f, site->i)->cond = cond;
	return true;
}

ir_id fold_new(struct fold *fold, const struct fold_site *site, enum ir_op op, enum ir_type t,
	       ir_val x, ir_val y)
{
	return fold_new3(fold, site, op, t, x, y, 0);
}

ir_id fold_new3(struct fold *fold, const struct fold_site *site, enum ir_op op, enum ir_type t,
		ir_val x, ir_val y, ir_val z)
{
	const ir_val args[3] = {x, y, z};
	ir_id i = uses_insert(&fold->uses, site->i, op, t, args, z ? 3 : y ? 2 : x ? 1 : 0);

	push_inst(fold, i);
	return i;
}

ir_val fold_const(struct fold *fold, const struct fold_site *site, enum ir_type t, uint64_t x)
{
	ir_id i = fold_new(fold, site, IR_CONST, t, 0, 0);

	ir_at(fold->f, i)->imm = x & fold_ones(t);
	return ir_at(fold->f, i)->res;
}

/* ---- constants and phis ---- */

static bool fold_constants(struct fold *fold, const struct fold_site *site)
{
	uint64_t args[3], results[2];

	if (!(ir_ops[site->p.op].properties & P_PURE) || !site->p.nargs || site->p.op == IR_COPY)
		return false;
	for (uint32_t k = 0; k < site->p.nargs; k++)
		if (!ir_is_const(fold->f, site->p.args[k], &args[k]))
			return false;
	if (!ir_eval(&site->p, args, results))
		return false;
	if (site->p.nres == 1)
		return fold_to_const(fold, site, results[0]);
	push_around(fold, site->i);
	for (uint32_t k = 0; k < site->p.nres; k++)
		uses_replace(
			&fold->uses, site->p.res + k,
			fold_const(fold, site, fold->f->values[site->p.res + k].type, results[k]));
	return true;
}

/* A phi whose arguments are all one value or the phi itself is that value. */
static bool fold_phi(struct fold *fold, const struct fold_site *site)
{
	ir_val only = 0;

	for (uint32_t k = 0; k < site->p.nargs; k++) {
		ir_val v = site->p.args[k];

		if (v == site->p.res || v == only)
			continue;
		if (only)
			return false;
		only = v;
	}
	return only && fold_to_value(fold, site, only);
}

/* ---- branches ---- */

/* Before an edge is removed: its target's phis lose an argument, or all. */
static void unlink_edge(struct fold *fold, ir_block b, ir_block to)
{
	const struct ir_bb *t = &fold->f->blocks[to];
	uint32_t slot = 0;

	while (t->preds[slot] != b)
		slot++;
	for (ir_id i = t->first; i && ir_at(fold->f, i)->op == IR_PHI;
	     i = ir_at(fold->f, i)->next) {
		push_around(fold, i);
		fold->uses.count[ir_at(fold->f, i)->args[slot]]--;
	}
	if (t->npreds == 1)
		fold->orphans[fold->norphans++] = to;
	else
		fold->cycle_cut |= fold->cycle && fold->cycle[to];
}

static void fold_branch(struct fold *fold, ir_block b, uint32_t k)
{
	ir_id end = fold->f->blocks[b].last;

	push_around(fold, end);
	unlink_edge(fold, b, fold->f->blocks[b].succ[!k]);
	fold->uses.count[ir_at(fold->f, end)->args[0]]--;
	cfg_make_unconditional(fold->f, b, k);
}

static bool phis_agree(const struct fold *fold, ir_block b, ir_block to)
{
	const struct ir_bb *t = &fold->f->blocks[to];
	uint32_t slots[2], n = 0;

	for (uint32_t s = 0; s < t->npreds && n < 2; s++)
		if (t->preds[s] == b)
			slots[n++] = s;
	for (ir_id i = t->first; ir_at(fold->f, i)->op == IR_PHI; i = ir_at(fold->f, i)->next)
		if (ir_at(fold->f, i)->args[slots[0]] != ir_at(fold->f, i)->args[slots[1]])
			return false;
	return true;
}

static bool fold_cbr(struct fold *fold, const struct fold_site *site)
{
	struct ir_bb *bb = &fold->f->blocks[site->p.block];
	const struct ir_inst *condition = fold_def(fold, site->a);

	if (bb->succ[0] == bb->succ[1]) {
		if (!phis_agree(fold, site->p.block, bb->succ[0]))
			return false;
		fold_branch(fold, site->p.block, 0);
		return true;
	}
	if (condition->op == IR_NOT) {
		ir_block other = bb->succ[0];

		bb->succ[0] = bb->succ[1];
		bb->succ[1] = other;
		push_around(fold, site->i);
		uses_set_arg(&fold->uses, site->i, 0, condition->args[0]);
		return true;
	}
	if (condition->op == IR_CONST) {
		fold->decided = arena_grow(fold->arena, fold->decided, &fold->decided_capacity,
					   fold->ndecided + 1, sizeof(*fold->decided));
		fold->decided[fold->ndecided++] = site->p.block;
	}
	return false;
}

static void remove_unreachable_block(struct fold *fold, ir_block b)
{
	const struct ir_bb *bb = &fold->f->blocks[b];

	while (bb->nsucc) {
		unlink_edge(fold, b, bb->succ[0]);
		ir_edge_remove(fold->f, b, bb->succ[0]);
	}
	while (bb->last) {
		push_around(fold, bb->last);
		uses_remove(&fold->uses, bb->last);
	}
	ir_block_remove(fold->f, b);
}

static void fold_decided_branches(struct fold *fold)
{
	if (!fold->cycle) {
		fold->cycle = arena_array(fold->arena, fold->f->nblocks, sizeof(*fold->cycle));
		cfg_mark_cycles(fold->f, fold->cycle);
	}
	while (fold->ndecided) {
		ir_block b = fold->decided[--fold->ndecided];
		const struct ir_inst *end = ir_at(fold->f, fold->f->blocks[b].last);
		uint64_t condition;

		if (end->op == IR_CBR && ir_is_const(fold->f, end->args[0], &condition))
			fold_branch(fold, b, !condition);
	}
	while (fold->norphans)
		remove_unreachable_block(fold, fold->orphans[--fold->norphans]);
	if (!fold->cycle_cut)
		return;
	fold->cycle_cut = false;
	cfg_mark_reachable(fold->f, fold->reached, fold->stack);
	for (ir_block b = fold->f->entry, next; b; b = next) {
		next = fold->f->blocks[b].next;
		if (!fold->reached[b])
			remove_unreachable_block(fold, b);
	}
	fold->norphans = 0; /* the search has found them */
}

/* ---- products of warp groups ---- */

/* A product that replaces its sums does not read them: without this, programs that leave them
 * undefined before their first product, as in a loop over tiles, keep old sums alive and copy
 * them. */
static bool fold_group_product(struct fold *fold, const struct fold_site *site)
{
	uint32_t sparse =
		mma_group_unpack(site->p.sub, site->p.imm).kind->flags & MMA_SPARSE ? 1 : 0;
	uint32_t first = site->p.nargs - 2 - sparse - site->p.nres;
	uint64_t adds, x;
	ir_val zero = 0;

	if (!ir_is_const(fold->f, site->p.args[site->p.nargs - 2], &adds) || adds)
		return false;
	for (uint32_t k = first; k < first + site->p.nres; k++) {
		if (ir_is_const(fold->f, site->p.args[k], &x))
			continue;
		push_inst(fold, fold->f->values[site->p.args[k]].def);
		if (!zero)
			zero = fold_const(fold, site, IR_B32, 0);
		uses_set_arg(&fold->uses, site->i, k, zero);
		fold->changed = true;
	}
	return zero != 0;
}

/* ---- driver ---- */

static bool is_dead(const struct fold *fold, const struct ir_inst *p)
{
	for (uint32_t k = 0; k < p->nres; k++)
		if (fold->uses.count[p->res + k])
			return false;
	return ir_ops[p->op].properties & P_PURE || p->op == IR_PHI;
}

static struct fold_site make_site(const struct fold *fold, ir_id i)
{
	struct fold_site site = {.i = i, .p = *ir_at(fold->f, i)};

	site.a = site.p.nargs > 0 ? site.p.args[0] : 0;
	site.b = site.p.nargs > 1 ? site.p.args[1] : 0;
	site.c = site.p.nargs > 2 ? site.p.args[2] : 0;
	site.is_const = site.b && ir_is_const(fold->f, site.b, &site.k);
	site.bits = ir_type_bits(site.p.type);
	site.ones = fold_ones(site.p.type);
	site.sign = site.bits ? UINT64_C(1) << (site.bits - 1) : 0;
	return site;
}

static void fold_inst(struct fold *fold, ir_id i)
{
	struct fold_site site;

	if (!ir_at(fold->f, i)->block)
		return;
	if (is_dead(fold, ir_at(fold->f, i))) {
		push_around(fold, i);
		uses_remove(&fold->uses, i);
		return;
	}
	site = make_site(fold, i);
	if (site.p.op == IR_PHI)
		fold_phi(fold, &site);
	else if (site.p.op == IR_CBR)
		fold_cbr(fold, &site);
	else if (site.p.op == IR_MMA_GROUP)
		fold_group_product(fold, &site);
	else if (!fold_constants(fold, &site))
		fold_identity(fold, &site);
}

bool pass_fold(struct ir_func *f, const struct target *t)
{
	struct fold fold = {.f = f, .arena = f->module->arena};

	(void)t;
	fold.changed = cfg_remove_unreachable(f);
	fold.orphans = arena_array(fold.arena, f->nblocks, sizeof(*fold.orphans));
	fold.reached = arena_array(fold.arena, f->nblocks, sizeof(*fold.reached));
	fold.stack = arena_array(fold.arena, f->nblocks, sizeof(*fold.stack));
	uses_init(&fold.uses, f);
	for (ir_block b = f->last_block; b; b = f->blocks[b].prev)
		for (ir_id i = f->blocks[b].last; i; i = ir_at(f, i)->prev)
			push_inst(&fold, i);
	while (fold.nwork) {
		ir_id i = fold.work[--fold.nwork];

		fold.queued[i] = false;
		fold_inst(&fold, i);
		if (!fold.nwork && fold.ndecided)
			fold_decided_branches(&fold);
	}
	return fold.changed;
}
