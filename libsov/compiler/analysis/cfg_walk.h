/* SPDX-License-Identifier: MIT */
/*
 * What several passes ask of the control-flow graph beyond its edges: which blocks can be reached,
 * where the phis end, how a conditional branch becomes a plain one, and in which order the
 * dominator tree is walked.
 */
#ifndef SOV_COMPILER_FLOW_H
#define SOV_COMPILER_FLOW_H

#include "libsov/compiler/ir/ir.h"

/* First instruction of the block that is not a phi. */
ir_id cfg_first_non_phi(const struct ir_func *f, ir_block b);
/* The conditional branch at the end of b always takes successor k: the other edge goes. */
void cfg_make_unconditional(struct ir_func *f, ir_block b, uint32_t k);
/* What stands before i stays, without an end; the rest goes to a new block behind, with the edges. */
ir_block cfg_split_block(struct ir_func *f, ir_id i);
/* Which blocks a path from the entry reaches. Both arrays have room for every block. */
void cfg_mark_reachable(const struct ir_func *f, bool *reached, ir_block *stack);
/* Marks at least one block of every cycle: without edges to marked blocks the graph has none. */
void cfg_mark_cycles(const struct ir_func *f, bool *marked);
/* Removes every block that no path from the entry reaches. */
bool cfg_remove_unreachable(struct ir_func *f);

/* The dominator tree in preorder: a block comes after its dominators, and its subtree is what
 * follows until the depth is back at or above its own. */
struct cfg_domtree {
	ir_block *order;
	uint32_t count;
	uint32_t *depth; /* by block; the entry's is 0 */
};
struct cfg_domtree cfg_domtree_build(const struct ir_func *f, const struct ir_cfg *c);

#endif
