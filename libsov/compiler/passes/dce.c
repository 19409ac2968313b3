// SPDX-License-Identifier: MIT
/*
 * Dead code. Live is what has an effect, what decides a branch, and whatever these use; everything
 * else goes, and because life is only ever passed on from uses to definitions, cycles of phis that
 * feed nothing but each other go too. Then the graph is tidied: blocks that cannot be reached,
 * blocks that only branch on, blocks that continue another without a choice.
 *
 * A shuffle or vote whose results nobody uses is dead: being convergent forbids to move it, not to
 * drop it. But where there are others of its kind, lanes may wait at these for those that are at
 * it; only a back end that knows better drops it then. An ordinary load is dead without uses; a volatile or ordered one is not.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

/* Marks the kinds of operations between lanes of which there are several; in functions and
 * whoever calls any, all. */
static void find_company(const struct ir_func *f, bool *company)
{
	uint32_t count[IR_SYNC_KINDS] = {0};
	bool calls = f->kind == IR_FUNCTION;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			calls |= ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR;
			count[ir_sync_kind(ir_at(f, i))]++;
		}
	for (uint32_t k = 1; k < IR_SYNC_KINDS; k++)
		company[k] = calls || count[k] > 1;
}

static bool has_effect(const struct ir_inst *p, const bool *company)
{
	if (company[ir_sync_kind(p)])
		return true;
	if (p->op == IR_LOAD)
		return p->flags & IR_VOLATILE || p->order != IR_WEAK;
	return ir_ops[p->op].properties & (P_WRITE | P_TERM) || p->op == IR_WRITE;
}

static bool remove_dead(struct ir_func *f)
{
	bool *live = arena_array(f->module->arena, f->ninsts, sizeof(*live));
	ir_id *work = arena_array(f->module->arena, f->ninsts, sizeof(*work));
	bool company[IR_SYNC_KINDS] = {false}, changed = false;
	uint32_t n = 0;

	find_company(f, company);
	ir_for_each_block(f, b) {
		ir_for_each_inst(f, b, i) {
			if (has_effect(ir_at(f, i), company)) {
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

/*
 * May the branches to e, which does nothing but branch on, go to its successor at once? Not around
 * a loop header: the block before it is the preheader that hoisting fills, the block behind it the
 * one latch. Not where an edge would arise that leaves a choice and arrives at phis: the copies
 * that phis become need a block of their own there, and e is it.
 */
static bool can_skip(const struct ir_func *f, const struct ir_cfg *c, ir_block e)
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

static void skip(struct ir_func *f, ir_block e)
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

static bool skip_empty(struct ir_func *f, const struct ir_cfg *c)
{
	bool changed = false;

	for (ir_block b = f->entry, next; b; b = next) {
		next = f->blocks[b].next;
		if (can_skip(f, c, b)) {
			skip(f, b);
			changed = true;
		}
	}
	return changed;
}

static ir_val resolve(const ir_val *forward, ir_val v)
{
	while (forward[v])
		v = forward[v];
	return v;
}

/* A block with one successor that has no other predecessor takes it in, and then the next. Phis of
 * what is taken in have one argument, which stands for them from now on. */
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
				p->args[k] = resolve(forward, p->args[k]);
		}
	}
	return true;
}

bool pass_dce(struct ir_func *f, const struct target *t)
{
	bool changed = cfg_remove_unreachable(f);

	(void)t;
	changed |= remove_dead(f);
	if (skip_empty(f, ir_cfg_build(f))) {
		remove_dead(f); /* conditions of branches that lost their choice */
		changed = true;
	}
	return merge_chains(f) || changed;
}
