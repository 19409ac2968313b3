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
 */
#include <string.h>
#include "libsov/compiler/ir/ir.h"

struct analysis {
	const struct ir_func *f;
	const struct ir_cfg *cfg;
	struct ir_divergence *d;
	bool *join;      /* by block: paths from a divergent branch join here */
	ir_block *stack; /* scratch, as are the next two */
	bool *region, *cycle;
	uint32_t first, last; /* range of the region and its end in reverse postorder */
	ir_block *label;
	bool changed;
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
	case IR_SHUFFLE:
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
	if (in->op == IR_VOTE || in->op == IR_REDUCE || in->op == IR_MATCH_ALL)
		first = 1;
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
	a->changed |= !a->d->value[v];
	a->d->value[v] = true;
}

/* ---- influence region of a branch ---- */

static void extend_range(struct analysis *a, ir_block b)
{
	uint32_t n = b ? a->cfg->rpo_index[b] : a->first;

	a->first = n < a->first ? n : a->first;
	a->last = n > a->last ? n : a->last;
}

/* Blocks on paths from the branch to its reconvergence point, exclusive; includes the branch itself
 * if it is on a cycle there. */
static void find_region(struct analysis *a, ir_block branch, ir_block reconverge)
{
	uint32_t depth = 0;

	a->first = a->last = a->cfg->rpo_index[branch];
	extend_range(a, reconverge);
	memset(a->region, 0, a->f->nblocks * sizeof(*a->region));
	a->stack[depth++] = branch;
	while (depth) {
		const struct ir_bb *bb = &a->f->blocks[a->stack[--depth]];

		for (uint32_t k = 0; k < bb->nsucc; k++)
			if (bb->succ[k] != reconverge && !a->region[bb->succ[k]]) {
				a->region[bb->succ[k]] = true;
				extend_range(a, bb->succ[k]);
				a->stack[depth++] = bb->succ[k];
			}
	}
}

/* Blocks of the region that are on a cycle with the branch; false: the branch is on none. */
static bool find_cycle(struct analysis *a, ir_block branch)
{
	uint32_t depth = 0;

	if (!a->region[branch])
		return false;
	memset(a->cycle, 0, a->f->nblocks * sizeof(*a->cycle));
	a->cycle[branch] = true;
	a->stack[depth++] = branch;
	while (depth) {
		const struct ir_bb *bb = &a->f->blocks[a->stack[--depth]];

		for (uint32_t k = 0; k < bb->npreds; k++)
			if (a->region[bb->preds[k]] && !a->cycle[bb->preds[k]]) {
				a->cycle[bb->preds[k]] = true;
				a->stack[depth++] = bb->preds[k];
			}
	}
	return true;
}

/* One round of label propagation. A block's label names the path on which lanes of the branch reach
 * it by the block where the path starts: a successor of the branch or an earlier join. A block with
 * two labels is a join. Returns true for a new join; starts holds the known ones. */
static bool propagate_labels(struct analysis *a, ir_block branch, ir_block reconverge, bool *starts)
{
	const struct ir_cfg *c = a->cfg;
	bool changed = true;

	memset(a->label, 0, a->f->nblocks * sizeof(*a->label));
	while (changed) {
		changed = false;
		for (uint32_t n = a->first; n <= a->last; n++) {
			ir_block b = c->rpo[n];
			const struct ir_bb *bb = &a->f->blocks[b];

			for (uint32_t k = 0; k < bb->npreds && (a->region[b] || b == reconverge);
			     k++) {
				ir_block p = bb->preds[k];
				ir_block path = p == branch     ? b
						: !a->region[p] ? 0
						: starts[p]     ? p
								: a->label[p];

				if (path && a->label[b] && path != a->label[b] && !starts[b])
					return starts[b] = true;
				if (path && !a->label[b]) {
					a->label[b] = path;
					changed = true;
				}
			}
		}
	}
	return false;
}

static void find_joins(struct analysis *a, ir_block branch, ir_block reconverge)
{
	bool *starts = arena_array(a->f->module->arena, a->f->nblocks, sizeof(*starts));

	while (propagate_labels(a, branch, reconverge, starts))
		;
	for (ir_block b = 1; b < a->f->nblocks; b++)
		a->join[b] |= starts[b];
}

/* Temporal divergence of values that leave the cycle. A phi after the cycle may take its argument
 * on the exit edge, per lane: then the phi is divergent, but its argument need not be. */
static void propagate_temporal(struct analysis *a)
{
	const struct ir_func *f = a->f;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nargs && !a->cycle[b]; k++) {
				bool phi = in->op == IR_PHI;

				if (!a->cycle[ir_def(f, in->args[k])->block])
					continue;
				if (phi && a->cycle[f->blocks[b].preds[k]])
					set_divergent(a, in->res);
				else
					set_divergent(a, in->args[k]);
			}
		}
}

static void diverge_branch(struct analysis *a, ir_block branch)
{
	ir_block reconverge = a->cfg->ipdom[branch];

	a->d->branch[branch] = true;
	find_region(a, branch, reconverge);
	find_joins(a, branch, reconverge);
	if (find_cycle(a, branch))
		propagate_temporal(a);
	a->changed = true;
}

static void visit_block(struct analysis *a, ir_block b)
{
	const struct ir_bb *bb = &a->f->blocks[b];

	ir_for_each_inst(a->f, b, i) {
		const struct ir_inst *in = ir_at(a->f, i);

		if (in->op == IR_CBR && a->d->value[in->args[0]] && bb->succ[0] != bb->succ[1] &&
		    !a->d->branch[b])
			diverge_branch(a, b);
		if (in->nres && divergent_result(a, in))
			for (uint32_t k = 0; k < in->nres; k++)
				set_divergent(a, in->res + k);
	}
}

struct ir_divergence *ir_divergence_compute(const struct ir_func *f, const struct ir_cfg *c)
{
	struct arena *arena = f->module->arena;
	struct analysis a = {
		.f = f,
		.cfg = c,
		.d = arena_alloc(arena, sizeof(*a.d)),
		.join = arena_array(arena, f->nblocks, sizeof(*a.join)),
		.stack = arena_array(arena, f->nblocks, sizeof(*a.stack)),
		.region = arena_array(arena, f->nblocks, sizeof(*a.region)),
		.cycle = arena_array(arena, f->nblocks, sizeof(*a.cycle)),
		.label = arena_array(arena, f->nblocks, sizeof(*a.label)),
		.changed = true,
	};

	a.d->value = arena_array(arena, f->nvalues, sizeof(*a.d->value));
	a.d->branch = arena_array(arena, f->nblocks, sizeof(*a.d->branch));
	while (a.changed) {
		a.changed = false;
		for (uint32_t k = 0; k < c->nrpo; k++)
			visit_block(&a, c->rpo[k]);
	}
	return a.d;
}
