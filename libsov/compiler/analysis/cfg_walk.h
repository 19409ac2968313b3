/* SPDX-License-Identifier: MIT */
/*
 * Control-flow graph utilities that several passes share: reachability, block splitting, removal of
 * branch edges, and preorder traversal of the dominator tree.
 */
#ifndef SOV_COMPILER_CFG_WALK_H
#define SOV_COMPILER_CFG_WALK_H

#include "libsov/compiler/ir/ir.h"

ir_id cfg_first_non_phi(const struct ir_func *f, ir_block b);
/* Makes the conditional branch at the end of b unconditional: keeps the edge to successor k and
 * removes the other. */
void cfg_make_unconditional(struct ir_func *f, ir_block b, uint32_t k);
/* Moves i and all instructions after it to a new block, with the outgoing edges; leaves b without a
 * terminator. */
ir_block cfg_split_block(struct ir_func *f, ir_id i);
/* Marks the blocks reachable from the entry. Both arrays have room for every block. */
void cfg_mark_reachable(const struct ir_func *f, bool *reached, ir_block *stack);
/* Marks the blocks by which cycles may be entered: the targets of back edges or, if a cycle has
 * several entries, all blocks. */
void cfg_mark_cycles(const struct ir_func *f, bool *marked);
/* Removes unreachable blocks; returns whether there were any. */
bool cfg_remove_unreachable(struct ir_func *f);

/* The dominator tree in preorder. A block's subtree is the run of blocks after it whose depth is
 * greater than its own. */
struct cfg_domtree {
	ir_block *order;
	uint32_t count;
	uint32_t *depth; /* by block; the entry's is 0 */
};
struct cfg_domtree cfg_domtree_build(const struct ir_func *f, const struct ir_cfg *c);

#endif
