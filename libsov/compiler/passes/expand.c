// SPDX-License-Identifier: MIT
/*
 * Emitting expansions: every call inserts one instruction at the expansion's insertion point.
 * expand_if_begin splits the block there. The common side is an empty block, because the edge to
 * the join's phi would otherwise be critical.
 */
#include "libsov/compiler/passes/expand.h"

#include "libsov/compiler/analysis/cfg_walk.h"

static struct ir_inst *insert_inst(struct expand *e, ir_id i)
{
	ir_at(e->f, i)->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i);
}

ir_val expand_op_of(struct expand *e, enum ir_op op, enum ir_type t, const ir_val args[3])
{
	ir_id i = ir_inst_new(e->f, op, t, args, args[2] ? 3 : args[1] ? 2 : args[0] != 0, 1);

	return insert_inst(e, i)->res;
}

ir_val expand_const(struct expand *e, enum ir_type t, uint64_t value)
{
	struct ir_inst *in = insert_inst(e, ir_inst_new(e->f, IR_CONST, t, NULL, 0, 1));

	in->imm = value & UINT64_MAX >> (64 - ir_type_bits(t));
	return in->res;
}

ir_val expand_compare(struct expand *e, enum ir_cond cond, ir_val a, ir_val b)
{
	const ir_val args[2] = {a, b};
	enum ir_op op = cond >= IR_FEQ ? IR_FCMP : IR_ICMP;
	struct ir_inst *in =
		insert_inst(e, ir_inst_new(e->f, op, e->f->values[a].type, args, 2, 1));

	in->cond = cond;
	return in->res;
}

ir_val expand_select_of(struct expand *e, const ir_val args[3])
{
	return expand_op_of(e, IR_SELECT, e->f->values[args[1]].type, args);
}

ir_val expand_leaf(struct expand *e, enum ir_op op, uint8_t sub)
{
	struct ir_inst *in = insert_inst(e, ir_inst_new(e->f, op, IR_B32, NULL, 0, 1));

	in->sub = sub;
	return in->res;
}

ir_val expand_shuffle(struct expand *e, ir_val value, ir_val lane, ir_val members,
		      uint32_t warp_lanes)
{
	const ir_val args[4] = {value, lane, expand_const(e, IR_B32, warp_lanes - 1), members};
	struct ir_inst *in = insert_inst(e, ir_inst_new(e->f, IR_SHUFFLE, IR_B32, args, 4, 2));

	in->sub = IR_SHUFFLE_IDX;
	return in->res;
}

ir_val expand_convert(struct expand *e, enum ir_op op, enum ir_type t, ir_val a)
{
	enum ir_type from = e->f->values[a].type;
	struct ir_inst *in;

	if (from == t)
		return a;
	in = insert_inst(e, ir_inst_new(e->f, op, t, &a, 1, 1));
	in->from = from;
	return in->res;
}

ir_val expand_round_of(struct expand *e, enum ir_op op, enum ir_round round, const ir_val args[3])
{
	enum ir_type t = e->f->values[args[0]].type;
	ir_val v = expand_op_of(e, op, t, args);

	ir_def(e->f, v)->round = round;
	ir_def(e->f, v)->flags = t == IR_B32 ? e->flags : 0;
	return v;
}

ir_val expand_approx(struct expand *e, enum ir_approx function, ir_val a)
{
	ir_val v = expand_op(e, IR_APPROX, e->f->values[a].type, a, 0, 0);

	ir_def(e->f, v)->sub = function;
	ir_def(e->f, v)->flags = IR_FTZ;
	return v;
}

ir_val expand_shift(struct expand *e, enum ir_op op, ir_val a, uint32_t n)
{
	return n ? expand_op(e, op, e->f->values[a].type, a, expand_const(e, IR_B32, n), 0) : a;
}

static void append_branch(struct expand *e, ir_block from, ir_block to)
{
	ir_append(e->f, from, ir_inst_new(e->f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(e->f, from, to);
}

struct expand_if expand_if_begin(struct expand *e, ir_val condition)
{
	ir_block b = ir_at(e->f, e->at)->block;
	struct expand_if br = {.back = e->at, .join = cfg_split_block(e->f, e->at)};
	ir_id end = ir_inst_new(e->f, IR_CBR, IR_VOID, &condition, 1, 0);

	br.common = ir_block_new_before(e->f, br.join, NULL);
	br.rare = ir_block_new(e->f, NULL); /* at the end of the layout, off the common path */
	ir_append(e->f, b, end);
	ir_edge(e->f, b, br.rare);
	ir_edge(e->f, b, br.common);
	append_branch(e, br.rare, br.join);
	append_branch(e, br.common, br.join);
	e->at = e->f->blocks[br.rare].last;
	return br;
}

ir_val expand_if_end(struct expand *e, const struct expand_if *b, ir_val rare, ir_val common)
{
	const ir_val args[2] = {rare, common}; /* in the order of the edges of expand_if_begin */
	ir_id phi = ir_inst_new(e->f, IR_PHI, e->f->values[rare].type, args, 2, 1);

	ir_at(e->f, phi)->line = e->line;
	ir_insert_before(e->f, e->f->blocks[b->join].first, phi);
	e->at = b->back;
	return ir_at(e->f, phi)->res;
}

ir_val expand_add_saturating(struct expand *e, ir_val a, ir_val b)
{
	ir_val sum = expand_op(e, IR_ADD, IR_B64, expand_convert(e, IR_SEXT, IR_B64, a),
			       expand_convert(e, IR_SEXT, IR_B64, b), 0);

	sum = expand_op_imm(e, IR_MIN_S, sum, INT32_MAX);
	sum = expand_op_imm(e, IR_MAX_S, sum, (uint64_t)INT32_MIN);
	return expand_convert(e, IR_TRUNC, IR_B32, sum);
}
