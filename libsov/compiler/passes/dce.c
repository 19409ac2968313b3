// SPDX-License-Identifier: MIT
/*
 * Dead code elimination. Instructions with effects, branch conditions and, transitively, their
 * arguments are live; the pass removes all others, including cycles of phis that feed only each
 * other. It then simplifies the graph: unreachable blocks, blocks with only a branch, and blocks
 * whose only predecessor has them as its only successor.
 *
 * A shuffle or vote with unused results is dead: convergence forbids moving it, not removing it.
 * But if the function has other sync sites of its kind, lanes may wait there for lanes at this one;
 * only a back end that can exclude this removes it then. An unused weak load is dead; an unused
 * volatile or ordered load is not.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

/* Marks the warp-sync kinds with several sites; all kinds in functions and in callers of
 * functions. */
static void find_shared_kinds(const struct ir_func *f, bool *shared_kinds)
{
	uint32_t count[IR_SYNC_KINDS] = {0};
	bool calls = f->kind == IR_FUNCTION;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			calls |= ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR;
			count[ir_sync_kind(ir_at(f, i))]++;
		}
	for (uint32_t k = 1; k < IR_SYNC_KINDS; k++)
		shared_kinds[k] = calls || count[k] > 1;
}

static bool has_effect(const struct ir_inst *p, const bool *shared_kinds)
{
	if (shared_kinds[ir_sync_kind(p)])
		return true;
	if (p->op == IR_LOAD)
		return p->flags & IR_VOLATILE || p->order != IR_WEAK;
	return ir_ops[p->op].properties & (P_WRITE | P_TERM) || p->op == IR_WRITE;
}

static bool remove_dead(struct ir_func *f)
{
	bool *live = arena_array(f->module->arena, f->ninsts, sizeof(*live));
	ir_id *work = arena_array(f->module->arena, f->ninsts, sizeof(*work));
	bool shared_kinds[IR_SYNC_KINDS] = {false}, changed = false;
	uint32_t n = 0;

	find_shared_kinds(f, shared_kinds);
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			if (has_effect(ir_at(f, i), shared_kinds)) {
				live[i] = true;
				work[n++] = i;
			}
		}
	}
	while (n) {
		const struct ir_inst *p = ir_at(f, work[--n]);

		for (uint32_t k = 0; k < p->nargs; k++) {
			ir_id def = f->values[p->args[k]].def;

			if (!live[def]) {
				live[def] = true;
				work[n++] = def;
			}
		}
	}
	ir_for_each_block(f, b) {
		ir_for_each_inst_safe(f, b, i) {
			if (!live[i]) {
				ir_remove(f, i);
				changed = true;
			}
		}
	}
	return changed;
}

/* Whether branches to e, a block with only a branch, may bypass it. Not at a loop header: the block
 * before the header is the preheader that LICM fills, and the block that branches back is the only
 * latch. Not if that would create a critical edge to a block with phis: the copies for the phis go
 * to e. */
static bool can_bypass(const struct ir_func *f, const struct ir_cfg *c, ir_block e)
{
	const struct ir_bb *bb = &f->blocks[e];
	ir_block s = bb->succ[0];

	if (e == f->entry || ir_at(f, bb->first)->op != IR_BR)
		return false;
	if (c->loop_header[e] == e || c->loop_header[s] == s)
		return false;
	if (ir_at(f, f->blocks[s].first)->op != IR_PHI)
		return true;
	for (uint32_t p = 0; p < bb->npreds; p++)
		if (f->blocks[bb->preds[p]].nsucc > 1)
			return false;
	return true;
}

static void bypass_block(struct ir_func *f, ir_block e)
{
	ir_block s = f->blocks[e].succ[0];

	while (f->blocks[e].npreds) {
		ir_block p = f->blocks[e].preds[0];
		uint32_t slot = 0;

		while (f->blocks[s].preds[slot] != e)
			slot++;
		ir_edge_redirect(f, p, e, s);
		ir_for_each_inst(f, s, i) {
			if (ir_at(f, i)->op != IR_PHI)
				break;
			ir_arg_append(f, i, ir_at(f, i)->args[slot]);
		}
		if (f->blocks[p].nsucc == 2 && f->blocks[p].succ[0] == f->blocks[p].succ[1])
			cfg_make_unconditional(f, p, 0);
	}
	ir_block_remove(f, e);
}

static bool bypass_empty_blocks(struct ir_func *f, const struct ir_cfg *c)
{
	bool changed = false;

	for (ir_block b = f->entry, next; b; b = next) {
		next = f->blocks[b].next;
		if (can_bypass(f, c, b)) {
			bypass_block(f, b);
			changed = true;
		}
	}
	return changed;
}

static ir_val resolve_value(const ir_val *forward, ir_val v)
{
	while (forward[v])
		v = forward[v];
	return v;
}

/* Merges each block with its successor while that is the only successor and has no other
 * predecessor. Phis of the merged block have one argument, which replaces them. */
static bool merge_chains(struct ir_func *f)
{
	ir_val *forward = arena_array(f->module->arena, f->nvalues, sizeof(*forward));
	bool changed = false;

	ir_for_each_block(f, b) {
		while (f->blocks[b].nsucc == 1 && f->blocks[f->blocks[b].succ[0]].npreds == 1) {
			ir_block s = f->blocks[b].succ[0];
			ir_id phi;

			while (phi = f->blocks[s].first, ir_at(f, phi)->op == IR_PHI) {
				forward[ir_at(f, phi)->res] = ir_at(f, phi)->args[0];
				ir_remove(f, phi);
			}
			ir_block_join(f, b);
			changed = true;
		}
	}
	if (!changed)
		return false;
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			struct ir_inst *p = ir_at(f, i);

			for (uint32_t k = 0; k < p->nargs; k++)
				p->args[k] = resolve_value(forward, p->args[k]);
		}
	}
	return true;
}

bool pass_dce(struct ir_func *f, const struct target *t)
{
	bool changed = cfg_remove_unreachable(f);

	(void)t;
	changed |= remove_dead(f);
	if (bypass_empty_blocks(f, ir_cfg_build(f))) {
		remove_dead(f); /* conditions of branches that became unconditional */
		changed = true;
	}
	return merge_chains(f) || changed;
}
