// SPDX-License-Identifier: MIT
/*
 * A waterfall loop (LLVM's term) executes an instruction once for each value that its first
 * argument has in the active lanes, or for each lane: those whose value equals that of the first
 * active lane execute it and leave, or only that lane.
 *	before:   ..., to header
 *	header:   same = value of the first active lane == own value
 *	          to executes if same, else to latch
 *	executes: the instruction, to latch
 *	latch:    to rest if same, else to header
 *	rest:     ...
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

static ir_val first_lane(struct expand *e, ir_val active)
{
	return expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, active, 0, 0), 0, 0);
}

/* Whether the lane's word equals that of the first active lane. */
static ir_val equals_first_lane(struct expand *e, ir_val word, uint32_t warp_lanes)
{
	ir_val all = expand_leaf(e, IR_ACTIVE, 0);

	return expand_compare(e, IR_EQ, word,
			      expand_shuffle(e, word, first_lane(e, all), all, warp_lanes));
}

static ir_val is_first_lane(struct expand *e)
{
	ir_val lane = first_lane(e, expand_leaf(e, IR_ACTIVE, 0));

	return expand_compare(e, IR_EQ, expand_leaf(e, IR_SREG, IR_LANEID), lane);
}

static void append_branch(struct ir_func *f, ir_block b, ir_block to)
{
	ir_append(f, b, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, b, to);
}

/* Merges results with undef: only the lanes that executed the instruction use them. */
static void merge_results(struct ir_func *f, ir_id i, ir_block without, ir_block to)
{
	for (uint32_t k = 0; k < ir_at(f, i)->nres; k++) {
		ir_val made = ir_at(f, i)->res + k, none;
		enum ir_type t = f->values[made].type;
		ir_id phi = ir_inst_new(f, IR_PHI, t, NULL, 0, 1),
		      undef = ir_inst_new(f, IR_UNDEF, t, NULL, 0, 1);

		none = ir_at(f, undef)->res;
		ir_insert_before(f, f->blocks[without].first, undef);
		ir_append(f, to, phi);
		ir_replace_uses(f, made, ir_at(f, phi)->res);
		ir_arg_append(f, phi, none);
		ir_arg_append(f, phi, made);
	}
}

void lower_to_waterfall(struct ir_func *f, ir_id i, enum waterfall by, uint32_t warp_lanes)
{
	ir_block before = ir_at(f, i)->block, rest = cfg_split_block(f, ir_at(f, i)->next);
	ir_block executes = cfg_split_block(f, i), header = ir_block_new_before(f, executes, NULL);
	ir_block latch = ir_block_new_before(f, rest, NULL);
	struct expand e = {.f = f, .line = ir_at(f, i)->line};
	ir_val same = ir_at(f, i)->args[0];

	append_branch(f, before, header);
	e.at = ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0);
	ir_append(f, header, e.at);
	if (by == WATERFALL_VALUES && f->values[same].type == IR_B64)
		same = expand_convert(&e, IR_TRUNC, IR_B32, same);
	same = by == WATERFALL_LANES ? is_first_lane(&e) : equals_first_lane(&e, same, warp_lanes);
	ir_at(f, e.at)->args[0] = same;
	ir_edge(f, header, executes);
	ir_edge(f, header, latch);
	append_branch(f, executes, latch);
	merge_results(f, i, header, latch);
	ir_append(f, latch, ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0));
	ir_edge(f, latch, rest);
	ir_edge(f, latch, header);
}
