// SPDX-License-Identifier: MIT
/*
 * Divergence analysis. A value is uniform when all lanes of the warp that execute its definition
 * together compute the same result; a value that cannot be proven uniform is divergent. Divergence
 * starts at lane numbers, shuffles and memory, and propagates
 *
 *  - along data dependences: an operation with a divergent argument is divergent;
 *  - to joins: where two paths from a divergent branch join, a phi selects per lane;
 *  - out of cycles (temporal divergence): lanes that leave a cycle in different iterations carry
 *    values of their iterations out of it, so a value defined in the cycle and used after it is
 *    divergent, even if it is uniform in every iteration.
 *
 * Both control rules work on the influence region of a divergent branch: the blocks between the
 * branch and its immediate postdominator, where its lanes reconverge. They need no loop structure,
 * so irreducible cycles are no special case.
 *
 * A work list of values keeps the data rules linear in the number of uses. The control rules walk
 * the region of every divergent branch, and regions may overlap without bound: after a budget of
 * block visits that is linear in the size of the function, the analysis takes every block with
 * several predecessors for a join, and every value that is used outside of its block and is defined
 * on a cycle for temporally divergent. That is sound, and only kernels of several thousand
 * overlapping branches get there.
 */
#include <string.h>
#include "libsov/compiler/analysis/uses.h"

#define VISITS           (UINT64_C(4) << 20) /* budget of block visits: constant part */
#define VISITS_PER_BLOCK 256

struct analysis {
	const struct ir_func *f;
	const struct ir_cfg *cfg;
	struct ir_divergence *d;
	struct uses uses;
	ir_val *queue; /* divergent values whose users have not been visited */
	uint32_t nqueue;
	bool *join; /* by block: paths from a divergent branch join here */
	uint64_t visits, max_visits;
	bool coarse; /* the budget is spent */
	/* Scratch by block, for the region of the branch with this number. */
	uint32_t branch_number;
	uint32_t *region, *cycle; /* number of the last branch whose region, cycle it is in */
	ir_block *stack, *blocks; /* blocks of the region */
	uint32_t nblocks;
	uint32_t first, last; /* range of the region and its end in reverse postorder */
	ir_block *label;
	bool *starts, *new_starts;
};

/* ---- data dependences ---- */

static bool divergent_source(const struct ir_inst *in)
{
	switch (in->op) {
	case IR_SREG: /* block and grid dimensions and indices are uniform in a warp */
		return in->sub <= IR_TID_Z || (in->sub >= IR_LANEID && in->sub <= IR_LANEMASK_GE);
	case IR_LOAD:
		/* Lanes that load together read the same value, but a warp may execute a load in
		 * parts, and another thread may write in between: only loads of memory that does
		 * not change are uniform. */
		return !(in->space == IR_PARAM || in->space == IR_CONSTANT ||
			 (in->flags & IR_INVARIANT && in->space != IR_LOCAL));
	case IR_READ: /* mutable registers are not tracked; SSA construction runs first */
	case IR_ATOM:
	case IR_CAS:
	case IR_MBARRIER_ARRIVE:
	case IR_MBARRIER_TEST: /* other threads may arrive between the tests of two lanes */
	case IR_MMA:
	case IR_MMA_GROUP:
	case IR_LOADMATRIX:
	case IR_SAMPLE: /* another warp may write a surface between the reads of two lanes */
	case IR_GATHER4:
	case IR_SURFLOAD:
	case IR_MATCH_ANY:
	case IR_ARG: /* callers may pass any value */
	case IR_CALL:
	case IR_CALLPTR:
	case IR_ALLOCA:
	case IR_STACKSAVE:
	case IR_CLOCK: /* divergent lanes read it at different times */
		return true;
	default:
		return false;
	}
}

/* Whether a shuffle gives all lanes the value of one, whose number is an operand: that of lane i of
 * segments that are the whole warp. */
static bool is_broadcast(const struct analysis *a, const struct ir_inst *in)
{
	uint64_t clamp;

	return in->op == IR_SHUFFLE && in->sub == IR_SHUFFLE_IDX &&
	       ir_is_const(a->f, in->args[2], &clamp) && (clamp & 0x1f1f) == 0x1f;
}

static bool divergent_result(const struct analysis *a, const struct ir_inst *in)
{
	uint32_t first = 0;

	if (divergent_source(in))
		return true;
	/* The callers' stack depth differs between threads. */
	if (in->op == IR_ADDR && a->f->kind == IR_FUNCTION &&
	    a->f->module->symbols[in->symbol].space == IR_LOCAL)
		return true;
	/* All members get the same result, whatever their arguments. */
	if (in->op == IR_VOTE || in->op == IR_REDUCE || in->op == IR_MATCH_ALL ||
	    is_broadcast(a, in))
		first = 1;
	else if (in->op == IR_SHUFFLE)
		return true;
	if (in->op == IR_BARRIER_RED)
		return false;
	for (uint32_t k = first; k < in->nargs; k++)
		if (a->d->value[in->args[k]])
			return true;
	if (in->op != IR_PHI || !a->join[in->block])
		return false;
	for (uint32_t k = 1; k < in->nargs; k++)
		if (in->args[k] != in->args[0])
			return true;
	return false;
}

static void set_divergent(struct analysis *a, ir_val v)
{
	if (a->d->value[v])
		return;
	a->d->value[v] = true;
	a->queue[a->nqueue++] = v;
}

static void visit_inst(struct analysis *a, const struct ir_inst *in)
{
	bool known = true; /* or there is no result */

	for (uint32_t k = 0; k < in->nres; k++)
		known &= a->d->value[in->res + k];
	for (uint32_t k = 0; !known && divergent_result(a, in) && k < in->nres; k++)
		set_divergent(a, in->res + k);
}

static void set_join(struct analysis *a, ir_block b)
{
	if (a->join[b])
		return;
	a->join[b] = true;
	for (ir_id i = a->f->blocks[b].first; i && ir_at(a->f, i)->op == IR_PHI;
	     i = ir_at(a->f, i)->next)
		visit_inst(a, ir_at(a->f, i));
}

/* ---- influence region of a branch ---- */

static void extend_range(struct analysis *a, ir_block b)
{
	uint32_t n = b ? a->cfg->rpo_index[b] : a->first;

	a->first = n < a->first ? n : a->first;
	a->last = n > a->last ? n : a->last;
}

static bool in_region(const struct analysis *a, ir_block b)
{
	return a->region[b] == a->branch_number;
}

static bool in_cycle(const struct analysis *a, ir_block b)
{
	return a->cycle[b] == a->branch_number;
}

/* Blocks on paths from the branch to its reconvergence point, exclusive; includes the branch itself
 * if it is on a cycle there. */
static void find_region(struct analysis *a, ir_block branch, ir_block reconverge)
{
	uint32_t depth = 0;

	a->branch_number++;
	a->nblocks = 0;
	a->first = a->last = a->cfg->rpo_index[branch];
	extend_range(a, reconverge);
	a->stack[depth++] = branch;
	while (depth) {
		const struct ir_bb *bb = &a->f->blocks[a->stack[--depth]];

		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != reconverge && !in_region(a, bb->succ[k])) {
				a->region[bb->succ[k]] = a->branch_number;
				a->blocks[a->nblocks++] = bb->succ[k];
				extend_range(a, bb->succ[k]);
				a->stack[depth++] = bb->succ[k];
			}
	}
}

/* Blocks of the region that are on a cycle with the branch; false: the branch is on none. */
static bool find_cycle(struct analysis *a, ir_block branch)
{
	uint32_t depth = 0;

	if (!in_region(a, branch))
		return false;
	a->cycle[branch] = a->branch_number;
	a->stack[depth++] = branch;
	while (depth) {
		const struct ir_bb *bb = &a->f->blocks[a->stack[--depth]];

		for (uint32_t k = 0; k < bb->npreds; k++)
			if (in_region(a, bb->preds[k]) && !in_cycle(a, bb->preds[k])) {
				a->cycle[bb->preds[k]] = a->branch_number;
				a->stack[depth++] = bb->preds[k];
			}
	}
	return true;
}

/*
 * Labels of one block. A block's label names the path on which lanes of the branch reach it by the
 * block where the path starts: a successor of the branch or an earlier join. A block with two
 * labels is a join. A block that gets both when it is visited for the first time starts a path of
 * its own at once; if other blocks may have its first label already, the labels are propagated
 * again. Returns whether the block got its label now.
 */
static bool label_block(struct analysis *a, ir_block branch, ir_block b, bool *again)
{
	const struct ir_bb *bb = &a->f->blocks[b];
	bool unlabelled = !a->label[b];

	for (uint32_t k = 0; k < bb->npreds; k++) {
		ir_block p = bb->preds[k];
		ir_block path = p == branch        ? b
				: !in_region(a, p) ? 0
				: a->starts[p]     ? p
						   : a->label[p];

		if (!path || path == a->label[b] || a->starts[b])
			continue;
		if (!a->label[b]) {
			a->label[b] = path;
		} else if (unlabelled) {
			a->starts[b] = true;
		} else if (!a->new_starts[b]) {
			a->new_starts[b] = true;
			*again = true;
		}
	}
	return unlabelled && a->label[b];
}

/* Propagates labels from the known joins; returns whether there are new ones. */
static bool propagate_labels(struct analysis *a, ir_block branch, ir_block reconverge)
{
	bool changed = true, again = false;

	while (changed) {
		changed = false;
		a->visits += a->last - a->first + 1;
		for (uint32_t n = a->first; n <= a->last; n++) {
			ir_block b = a->cfg->rpo[n];

			if (in_region(a, b) || b == reconverge)
				changed |= label_block(a, branch, b, &again);
		}
	}
	return again;
}

static void find_joins(struct analysis *a, ir_block branch, ir_block reconverge)
{
	bool again = true;

	for (uint32_t n = a->first; n <= a->last; n++)
		a->starts[a->cfg->rpo[n]] = a->new_starts[a->cfg->rpo[n]] = false;
	while (again && a->visits < a->max_visits) {
		for (uint32_t n = a->first; n <= a->last; n++) {
			ir_block b = a->cfg->rpo[n];

			a->label[b] = 0;
			a->starts[b] |= a->new_starts[b];
		}
		again = propagate_labels(a, branch, reconverge);
	}
	for (uint32_t n = a->first; n <= a->last; n++)
		if (a->starts[a->cfg->rpo[n]])
			set_join(a, a->cfg->rpo[n]);
}

/* A value that leaves the cycle. A phi after the cycle may take its argument on the exit edge, per
 * lane: then the phi is divergent, but its argument need not be. */
static void propagate_temporal_value(struct analysis *a, ir_val v)
{
	uses_for_each(&a->uses, v, it) {
		const struct ir_inst *in = ir_at(a->f, a->uses.list[it].user);
		const struct ir_bb *bb = &a->f->blocks[in->block];

		if (in_cycle(a, in->block))
			continue;
		if (in->op != IR_PHI)
			set_divergent(a, v);
		for (uint32_t k = 0; in->op == IR_PHI && k < in->nargs; k++)
			if (in->args[k] == v)
				set_divergent(a, in_cycle(a, bb->preds[k]) ? in->res : v);
	}
}

static void propagate_temporal(struct analysis *a)
{
	for (uint32_t n = 0; n < a->nblocks; n++)
		ir_for_each_inst(a->f, a->blocks[n], i) {
			const struct ir_inst *in = ir_at(a->f, i);

			for (uint32_t k = 0; k < in->nres && in_cycle(a, in->block); k++)
				propagate_temporal_value(a, in->res + k);
		}
}

/* ---- without a budget ---- */

/* Strongly connected components would do; a block between the target of a back edge and the last
 * source of one in reverse postorder is on a cycle or harmless. */
static void find_cycles_coarsely(struct analysis *a)
{
	const struct ir_cfg *c = a->cfg;
	uint32_t end = 0;

	a->branch_number++;
	for (uint32_t n = 0; n < c->nrpo; n++) {
		const struct ir_bb *bb = &a->f->blocks[c->rpo[n]];

		for (uint32_t k = 0; k < bb->npreds; k++)
			if (c->rpo_index[bb->preds[k]] != UINT32_MAX &&
			    c->rpo_index[bb->preds[k]] >= n && c->rpo_index[bb->preds[k]] >= end)
				end = c->rpo_index[bb->preds[k]] + 1;
		if (n < end)
			a->cycle[c->rpo[n]] = a->branch_number;
	}
}

static void diverge_coarsely(struct analysis *a)
{
	a->coarse = true;
	find_cycles_coarsely(a);
	for (uint32_t n = 0; n < a->cfg->nrpo; n++) {
		ir_block b = a->cfg->rpo[n];

		if (a->f->blocks[b].npreds > 1)
			set_join(a, b);
		ir_for_each_inst(a->f, b, i) {
			const struct ir_inst *in = ir_at(a->f, i);

			for (uint32_t k = 0; k < in->nargs; k++) {
				const struct ir_inst *def = ir_def(a->f, in->args[k]);

				if (in_cycle(a, def->block) && def->block != b)
					set_divergent(a, in->args[k]);
			}
		}
	}
}

/* ---- the fixed point ---- */

static void diverge_branch(struct analysis *a, ir_block branch)
{
	ir_block reconverge = a->cfg->ipdom[branch];

	a->d->branch[branch] = true;
	if (a->coarse)
		return;
	find_region(a, branch, reconverge);
	find_joins(a, branch, reconverge);
	if (find_cycle(a, branch))
		propagate_temporal(a);
	a->visits += a->nblocks;
	if (a->visits >= a->max_visits)
		diverge_coarsely(a);
}

static void visit_users(struct analysis *a, ir_val v)
{
	uses_for_each(&a->uses, v, it) {
		const struct ir_inst *in = ir_at(a->f, a->uses.list[it].user);
		const struct ir_bb *bb = &a->f->blocks[in->block];

		if (a->cfg->rpo_index[in->block] == UINT32_MAX)
			continue;
		if (in->op == IR_CBR && bb->succ[0] != bb->succ[1] && !a->d->branch[in->block])
			diverge_branch(a, in->block);
		visit_inst(a, in);
	}
}

struct ir_divergence *ir_divergence_compute(const struct ir_func *f, const struct ir_cfg *c)
{
	struct arena *arena = f->module->arena;
	struct analysis a = {
		.f = f,
		.cfg = c,
		.d = arena_alloc(arena, sizeof(*a.d)),
		.queue = arena_array(arena, f->nvalues, sizeof(*a.queue)),
		.join = arena_array(arena, f->nblocks, sizeof(*a.join)),
		.max_visits = VISITS + (uint64_t)VISITS_PER_BLOCK * f->nblocks,
		.region = arena_array(arena, f->nblocks, sizeof(*a.region)),
		.cycle = arena_array(arena, f->nblocks, sizeof(*a.cycle)),
		.stack = arena_array(arena, f->nblocks, sizeof(*a.stack)),
		.blocks = arena_array(arena, f->nblocks, sizeof(*a.blocks)),
		.label = arena_array(arena, f->nblocks, sizeof(*a.label)),
		.starts = arena_array(arena, f->nblocks, sizeof(*a.starts)),
		.new_starts = arena_array(arena, f->nblocks, sizeof(*a.new_starts)),
	};

	a.d->value = arena_array(arena, f->nvalues, sizeof(*a.d->value));
	a.d->branch = arena_array(arena, f->nblocks, sizeof(*a.d->branch));
	/* The function is not changed: this file only reads the lists of uses. */
	uses_init(&a.uses, (struct ir_func *)f);
	for (uint32_t k = 0; k < c->nrpo; k++)
		ir_for_each_inst(f, c->rpo[k], i)
			visit_inst(&a, ir_at(f, i));
	while (a.nqueue)
		visit_users(&a, a.queue[--a.nqueue]);
	return a.d;
}
