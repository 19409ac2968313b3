// SPDX-License-Identifier: MIT
/*
 * Control-flow graph walks. All use an explicit stack: a kernel of a hundred thousand consecutive
 * blocks is legal input and must not exhaust the C stack.
 */
#include <string.h>
#include "libsov/compiler/analysis/cfg_walk.h"

ir_id cfg_first_non_phi(const struct ir_func *f, ir_block b)
{
	ir_id i = f->blocks[b].first;

	while (i && ir_at(f, i)->op == IR_PHI)
		i = ir_at(f, i)->next;
	return i;
}

void cfg_make_unconditional(struct ir_func *f, ir_block b, uint32_t k)
{
	struct ir_inst *t = ir_at(f, f->blocks[b].last);

	ir_edge_remove(f, b, f->blocks[b].succ[!k]);
	t->op = IR_BR;
	t->nargs = 0;
}

ir_block cfg_split_block(struct ir_func *f, ir_id i)
{
	ir_block b = ir_at(f, i)->block, rest = ir_block_new_before(f, f->blocks[b].next, NULL);
	struct ir_bb *from = &f->blocks[b], *to = &f->blocks[rest];

	for (ir_id next; i; i = next) {
		next = ir_at(f, i)->next;
		ir_remove(f, i);
		ir_append(f, rest, i);
	}
	for (; to->nsucc < from->nsucc; to->nsucc++) {
		ir_block s = to->succ[to->nsucc] = from->succ[to->nsucc];

		for (uint32_t k = 0; k < f->blocks[s].npreds; k++)
			if (f->blocks[s].preds[k] == b)
				f->blocks[s].preds[k] = rest;
	}
	from->nsucc = 0;
	return rest;
}

void cfg_mark_reachable(const struct ir_func *f, bool *reached, ir_block *stack)
{
	uint32_t n = 0;

	memset(reached, 0, f->nblocks * sizeof(*reached));
	reached[f->entry] = true;
	stack[n++] = f->entry;
	while (n) {
		const struct ir_bb *b = &f->blocks[stack[--n]];

		for (uint32_t k = 0; k < b->nsucc; k++) {
			if (!reached[b->succ[k]]) {
				reached[b->succ[k]] = true;
				stack[n++] = b->succ[k];
			}
		}
	}
}

void cfg_mark_cycles(const struct ir_func *f, bool *marked)
{
	const struct ir_cfg *c = ir_cfg_build(f);
	bool reducible = true;

	for (uint32_t k = 0; k < c->nrpo; k++) {
		const struct ir_bb *b = &f->blocks[c->rpo[k]];

		for (uint32_t n = 0; n < b->nsucc; n++) {
			if (c->rpo_index[b->succ[n]] > k)
				continue;
			marked[b->succ[n]] = true;
			reducible &= ir_dominates(c, b->succ[n], c->rpo[k]);
		}
	}
	for (uint32_t k = 0; !reducible && k < c->nrpo; k++)
		marked[c->rpo[k]] = true;
}

bool cfg_remove_unreachable(struct ir_func *f)
{
	bool *reached = arena_array(f->module->arena, f->nblocks, sizeof(*reached));
	ir_block *stack = arena_array(f->module->arena, f->nblocks, sizeof(*stack));
	bool changed = false;

	cfg_mark_reachable(f, reached, stack);
	for (ir_block b = f->entry, next; b; b = next) {
		next = f->blocks[b].next;
		if (!reached[b]) {
			ir_block_remove(f, b);
			changed = true;
		}
	}
	return changed;
}

struct cfg_domtree cfg_domtree_build(const struct ir_func *f, const struct ir_cfg *c)
{
	struct arena *a = f->module->arena;
	struct cfg_domtree t = {
		.order = arena_array(a, c->nrpo, sizeof(*t.order)),
		.depth = arena_array(a, f->nblocks, sizeof(*t.depth)),
	};

	for (uint32_t k = 0; k < c->nrpo; k++) {
		ir_block b = c->rpo[k];

		t.order[c->dom_enter[b]] = b;
		if (c->idom[b])
			t.depth[b] = t.depth[c->idom[b]] + 1;
	}
	t.count = c->nrpo;
	return t;
}
