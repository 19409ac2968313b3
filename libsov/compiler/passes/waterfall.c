// SPDX-License-Identifier: MIT
/*
 * A waterfall loop (LLVM's term) executes an instruction once for each combination of values that
 * some of its arguments have in the active lanes, or for each lane: the lanes whose values equal
 * those of the first active lane execute it and leave, or only that lane.
 *	before:   ..., to header
 *	header:   same = values of the first active lane == own values
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

/* Whether the lane's arguments, a mask, equal those of the first active lane. */
static ir_val arguments_equal(struct expand *e, const struct ir_inst *in, enum waterfall by,
			      uint32_t arguments, uint32_t warp_lanes)
{
	ir_val all = expand_leaf(e, IR_ACTIVE, 0), lane = first_lane(e, all), same = 0;

	for (uint32_t k = 0; k < in->nargs; k++) {
		bool wide = e->f->values[in->args[k]].type == IR_B64;
		uint32_t words = wide && by == WATERFALL_VALUES ? 2 : 1;

		for (uint32_t word = 0; arguments >> k & 1 && word < words; word++) {
			ir_val v = in->args[k], equal;

			v = word ? expand_shift(e, IR_SHR_U, v, 32) : v;
			v = wide ? expand_convert(e, IR_TRUNC, IR_B32, v) : v;
			equal = expand_compare(e, IR_EQ, v,
					       expand_shuffle(e, v, lane, all, warp_lanes));
			same = same ? expand_op(e, IR_AND, IR_B1, same, equal, 0) : equal;
		}
	}
	return same;
}

void lower_to_waterfall(struct ir_func *f, ir_id i, enum waterfall by, uint32_t arguments,
			uint32_t warp_lanes)
{
	ir_block before = ir_at(f, i)->block, rest = cfg_split_block(f, ir_at(f, i)->next);
	ir_block executes = cfg_split_block(f, i), header = ir_block_new_before(f, executes, NULL);
	ir_block latch = ir_block_new_before(f, rest, NULL);
	struct expand e = {.f = f, .line = ir_at(f, i)->line};
	const struct ir_inst in = *ir_at(f, i);
	ir_val same = in.args[0];

	append_branch(f, before, header);
	e.at = ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0);
	ir_append(f, header, e.at);
	same = by == WATERFALL_LANES ? is_first_lane(&e)
				     : arguments_equal(&e, &in, by, arguments, warp_lanes);
	ir_at(f, e.at)->args[0] = same;
	ir_edge(f, header, executes);
	ir_edge(f, header, latch);
	append_branch(f, executes, latch);
	merge_results(f, i, header, latch);
	ir_append(f, latch, ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0));
	ir_edge(f, latch, rest);
	ir_edge(f, latch, header);
}
