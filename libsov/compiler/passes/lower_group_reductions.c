// SPDX-License-Identifier: MIT
/*
 * Reductions over a subset of lanes. Hardware reduces over all active lanes, and may deliver the
 * result in a register that the warp has once. If not all lanes are members, lanes of another group
 * may be active too or overwrite that register. So each lane follows the chain of higher members
 * with doubling distance, as in list ranking (Wyllie, 1979): after log2(lanes) steps it knows the
 * result of all members from itself upwards, and the lowest member broadcasts the total.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

#define CLZ_OF_EMPTY_MASK 32 /* lane masks have 32 bits */

struct reduction {
	struct expand e;
	ir_val members;
	uint32_t warp_lanes;
};

/* Reads a value from another member. */
static ir_val emit_shuffle(struct reduction *g, ir_val value, ir_val lane)
{
	return expand_shuffle(&g->e, value, lane, g->members, g->warp_lanes);
}

static void emit_warpsync(struct reduction *g)
{
	ir_id i = ir_inst_new(g->e.f, IR_WARPSYNC, IR_VOID, &g->members, 1, 0);

	ir_at(g->e.f, i)->line = g->e.line;
	ir_insert_before(g->e.f, g->e.at, i);
}

/* Lowest set bit; CLZ_OF_EMPTY_MASK if there is none. */
static ir_val emit_lowest_lane(struct expand *e, ir_val lanes)
{
	return expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, lanes, 0, 0), 0, 0);
}

void lower_reduce(struct ir_func *f, ir_id at, uint32_t warp_lanes)
{
	static const uint8_t ops[IR_REDUCE_COUNT] = {
		[IR_REDUCE_ADD] = IR_ADD,     [IR_REDUCE_MIN_U] = IR_MIN_U,
		[IR_REDUCE_MIN_S] = IR_MIN_S, [IR_REDUCE_MAX_U] = IR_MAX_U,
		[IR_REDUCE_MAX_S] = IR_MAX_S, [IR_REDUCE_AND] = IR_AND,
		[IR_REDUCE_OR] = IR_OR,       [IR_REDUCE_XOR] = IR_XOR,
	};
	const struct ir_inst in = *ir_at(f, at);
	struct reduction g = {{.f = f, .at = at, .line = in.line}, in.args[1], warp_lanes};
	struct expand *e = &g.e;
	ir_val sum = in.args[0], lane, here, next;

	/* Members that have exited are not in the active mask. */
	if (!has_active_members(f, in.block, g.members))
		emit_warpsync(&g);
	here = expand_op(e, IR_AND, IR_B32, expand_leaf(e, IR_ACTIVE, 0), g.members, 0);
	lane = expand_leaf(e, IR_SREG, IR_LANEID);
	next = emit_lowest_lane(
		e, expand_op(e, IR_AND, IR_B32, here, expand_leaf(e, IR_SREG, IR_LANEMASK_GT), 0));
	for (uint32_t distance = 1; distance < warp_lanes; distance *= 2) {
		ir_val more = expand_compare_imm(e, IR_LT_U, next, CLZ_OF_EMPTY_MASK);
		ir_val other = expand_select(e, more, next, lane);
		ir_val theirs = emit_shuffle(&g, sum, other), after = emit_shuffle(&g, next, other);

		theirs = expand_op(e, ops[in.sub], IR_B32, sum, theirs, 0);
		sum = expand_select(e, more, theirs, sum);
		next = expand_select(e, more, after, next);
	}
	ir_replace_uses(f, in.res, emit_shuffle(&g, sum, emit_lowest_lane(e, here)));
	ir_remove(f, at);
}
