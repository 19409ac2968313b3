// SPDX-License-Identifier: MIT
/*
 * Warp operations. A ballot is a lane mask that exists already; shuffles use the LDS crossbar
 * (ds_bpermute_b32), which needs no LDS memory. match compares bit by bit, with one ballot per bit.
 * The active lanes of a wave are convergent, so bar.warp.sync emits nothing.
 *
 * The hardware has one barrier per workgroup; legalise_barriers.c has replaced all others.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

static const struct gcn_src exec = {.reg = AMD_EXEC};

/* Active lanes that are members. */
static struct gcn_src active_members(struct select *s, ir_val members)
{
	struct gcn_src m = sel_word(s, members, 0);

	return sel_op_new(s, sel_is_scalar(s, members) ? GCN_SCALAR : GCN_VECTOR, SEL_AND, m, exec);
}

/* d = (x == y) == is, as a mask. */
static void compare_words(struct select *s, struct gcn_src d, struct gcn_src x, struct gcn_src y,
			  bool is)
{
	if (sel_class(s, x) == GCN_SCALAR && !gcn_is_vector(s->f, y)) {
		sel_sop(s, is ? AMD_s_cmp_eq_u32 : AMD_s_cmp_lg_u32, gcn_none(), x, y);
		sel_sop(s, AMD_s_cselect_b32, d, gcn_imm(UINT32_MAX), gcn_imm(0));
	} else {
		sel_vop(s, is ? AMD_v_cmp_eq_u32 : AMD_v_cmp_ne_u32, d, x, y, gcn_none());
	}
}

static void select_vote(struct select *s)
{
	struct gcn_src all = active_members(s, ARG(1)), d = sel_result(s, 0, 0), x, y;
	struct gcn_src yes = sel_op_new(s, sel_class(s, all), SEL_AND, all, sel_mask(s, ARG(0)));

	switch (s->in->sub) {
	case IR_VOTE_BALLOT:
		sel_move(s, d, yes, 1);
		break;
	case IR_VOTE_ALL:
		compare_words(s, d, yes, all, true);
		break;
	case IR_VOTE_ANY:
		compare_words(s, d, yes, gcn_imm(0), false);
		break;
	default:
		x = sel_temp(s, GCN_SCALAR, 1);
		y = sel_temp(s, GCN_SCALAR, 1);
		compare_words(s, x, yes, all, true);
		compare_words(s, y, yes, gcn_imm(0), true);
		sel_sop(s, AMD_s_or_b32, d, x, y);
		break;
	}
}

static void emit_bpermute(struct select *s, struct gcn_src bytes)
{
	struct gcn_src x = sel_vector_value(s, ARG(0));
	struct gcn_inst *i = sel_emit(s, AMD_ds_bpermute_b32, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_D, sel_result(s, 0, 0));
	gcn_set_operand(s->f, i, AMD_S0, bytes);
	gcn_set_operand(s->f, i, AMD_S1, x);
}

/*
 * Reads from the lane whose index differs in these bits, by a swizzle pattern, which needs no
 * address: the low five bits are ANDed with the lane index, the next five ORed and the next five
 * XORed.
 */
static void emit_swizzle_xor(struct select *s, uint32_t bits)
{
	struct gcn_src x = sel_vector_value(s, ARG(0));
	struct gcn_inst *i = sel_emit(s, AMD_ds_swizzle_b32, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_D, sel_result(s, 0, 0));
	gcn_set_operand(s->f, i, AMD_S0, x);
	i->in.field[AMD_F_OFFSET] = (int32_t)(bits << 10 | 31);
}

/*
 * The same within rows of 16 lanes: a move by DPP, which needs no wait. As with a swizzle, lanes
 * that are not active read as 0.
 */
static void emit_row_xor(struct select *s, uint32_t bits)
{
	struct gcn_src x = sel_vector_value(s, ARG(0));
	struct gcn_inst *i = sel_emit(s, AMD_v_mov_b32, AMD_DPP);

	gcn_set_operand(s->f, i, AMD_D, sel_result(s, 0, 0));
	gcn_set_operand(s->f, i, AMD_S0, x);
	i->in.field[AMD_F_DPP_CTRL] = AMD_DPP_ROW_XMASK + (int32_t)bits;
	i->in.field[AMD_F_BOUND_CTRL] = 1;
}

/* Reads from a lane of the whole wave: every index names one, modulo 32. */
static bool shuffle_by_index(struct select *s)
{
	uint64_t by, clamp;
	struct gcn_src t;

	if (s->in->sub != IR_SHUFFLE_IDX || !ir_is_const(s->ir, ARG(2), &clamp) ||
	    clamp >> 8 & 31 || (clamp & 31) != 31 || s->uses[s->in->res + 1] ||
	    !s->uses[s->in->res])
		return false;
	if (ir_is_const(s->ir, ARG(1), &by)) {
		t = sel_temp(s, GCN_SCALAR, 1);
		sel_vop(s, AMD_v_readlane_b32, t, sel_vector_value(s, ARG(0)),
			gcn_imm((uint32_t)by & 31), gcn_none());
		sel_move(s, sel_result(s, 0, 0), t, 1);
		return true;
	}
	emit_bpermute(s, sel_op_new(s, GCN_VECTOR, SEL_SHL,
				    sel_vector(s, sel_word(s, ARG(1), 0), 1), gcn_imm(2)));
	return true;
}

/* A shuffle by a constant distance within the whole wave needs one comparison, or none. */
static bool shuffle_by_constant(struct select *s, struct gcn_src lane)
{
	uint32_t kind = s->in->sub;
	struct gcn_src t, source, p;
	uint64_t by, clamp;

	if (!ir_is_const(s->ir, ARG(1), &by) || !ir_is_const(s->ir, ARG(2), &clamp) ||
	    clamp >> 8 & 31 || s->uses[s->in->res + 1] || !s->uses[s->in->res] ||
	    kind == IR_SHUFFLE_IDX || (clamp & 31) != (kind == IR_SHUFFLE_UP ? 0 : 31))
		return false;
	by &= 31;
	if (kind == IR_SHUFFLE_BFLY) {
		if (by < 16)
			emit_row_xor(s, (uint32_t)by);
		else
			emit_swizzle_xor(s, (uint32_t)by);
		return true;
	}
	t = sel_op_new(s, GCN_VECTOR, SEL_SHL, lane, gcn_imm(2));
	source = sel_op_new(s, GCN_VECTOR, SEL_ADD,
			    gcn_imm(4 * (uint32_t)(kind == IR_SHUFFLE_UP ? -by : by)), t);
	p = sel_compare(s, kind == IR_SHUFFLE_UP ? AMD_v_cmp_le_u32 : AMD_v_cmp_gt_u32,
			gcn_imm((uint32_t)(kind == IR_SHUFFLE_UP ? by : 32 - by)), lane);
	lane = t;
	t = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, t, p, source, lane);
	emit_bpermute(s, t);
	return true;
}

/* The source lane is computed as by source_lane() of the interpreter. */
static void select_shuffle(struct select *s)
{
	struct gcn_src lane = select_lane_id(s), by, clamp = sel_word(s, ARG(2), 0), segment, limit,
		       source, t;
	struct gcn_src in_range =
		s->uses[s->in->res + 1] ? sel_result(s, 1, 0) : sel_temp(s, GCN_SCALAR, 1);
	uint64_t known;

	if (shuffle_by_index(s) || shuffle_by_constant(s, lane))
		return;
	by = sel_op_new(s, GCN_VECTOR, SEL_AND, sel_word(s, ARG(1), 0), gcn_imm(31));
	if (ir_is_const(s->ir, ARG(2), &known)) {
		uint32_t bits = known >> 8 & 31;

		segment = gcn_imm(bits);
		t = gcn_imm((uint32_t)known & 31 & ~bits);
	} else {
		segment = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_bfe_u32, segment, clamp, gcn_imm(8), gcn_imm(5));
		t = sel_op_new(s, GCN_VECTOR, SEL_NOT, segment, gcn_none());
		t = sel_op_new(s, GCN_VECTOR, SEL_AND, t, clamp);
		t = sel_op_new(s, GCN_VECTOR, SEL_AND, t, gcn_imm(31));
	}
	limit = sel_op_new(s, GCN_VECTOR, SEL_AND, segment, lane);
	if (s->in->sub == IR_SHUFFLE_IDX) {
		source = sel_op_new(s, GCN_VECTOR, SEL_NOT, segment, gcn_none());
		source = sel_op_new(s, GCN_VECTOR, SEL_AND, source, by);
		source = sel_op_new(s, GCN_VECTOR, SEL_OR, source, limit);
	} else {
		source = sel_op_new(s, GCN_VECTOR,
				    s->in->sub == IR_SHUFFLE_UP     ? SEL_SUB
				    : s->in->sub == IR_SHUFFLE_DOWN ? SEL_ADD
								    : SEL_XOR,
				    lane, by);
	}
	limit = sel_op_new(s, GCN_VECTOR, SEL_OR, limit, t);
	sel_vop(s, s->in->sub == IR_SHUFFLE_UP ? AMD_v_cmp_ge_i32 : AMD_v_cmp_le_u32, in_range,
		source, limit, gcn_none());
	if (!s->uses[s->in->res])
		return;
	t = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, t, in_range, source, lane);
	t = sel_op_new(s, GCN_VECTOR, SEL_SHL, t, gcn_imm(2));
	emit_bpermute(s, t);
}

/* Members whose value equals the lane's own. */
static struct gcn_src matching_lanes(struct select *s, struct gcn_src all)
{
	struct gcn_src same = all;

	for (uint32_t bit = 0; bit < ir_type_bits(s->in->type); bit++) {
		struct gcn_src x = sel_vector(s, sel_word(s, ARG(0), bit / 32), 1), has, not, mine;

		x = sel_op_new(s, GCN_VECTOR, SEL_AND, gcn_imm(1u << bit % 32), x);
		has = sel_compare(s, AMD_v_cmp_ne_u32, gcn_imm(0), x);
		not = sel_op_new(s, GCN_SCALAR, SEL_NOT, has, gcn_none());
		mine = sel_temp(s, GCN_VECTOR, 1);
		sel_cndmask(s, mine, has, has, not);
		same = sel_op_new(s, GCN_VECTOR, SEL_AND, same, mine);
	}
	return same;
}

static void select_match(struct select *s)
{
	struct gcn_src all = active_members(s, ARG(1)), same = matching_lanes(s, all), p;

	if (s->in->op == IR_MATCH_ANY) {
		sel_move(s, sel_result(s, 0, 0), same, 1);
		return;
	}
	p = s->uses[s->in->res + 1] ? sel_result(s, 1, 0) : sel_temp(s, GCN_SCALAR, 1);
	sel_vop(s, AMD_v_cmp_eq_u32, p, all, same, gcn_none());
	sel_cndmask(s, sel_result(s, 0, 0), p, same, gcn_imm(0));
}

static struct gcn_inst *emit_counter_access(struct select *s, enum amd_op op, struct gcn_src at)
{
	struct gcn_inst *i = sel_emit(s, op, AMD_PLAIN);

	gcn_set_operand(s->f, i, AMD_S0, at);
	return i;
}

/*
 * Reduces with a counter in LDS: every wave clears it, adds to it and reads it, with a barrier
 * before each step.
 */
static void select_barrier_reduce(struct select *s)
{
	bool all = s->in->sub == IR_BARRIER_AND;
	struct gcn_src at = sel_constant(s, GCN_VECTOR, s->f->counter_offset, 1), one, sum,
		       d = sel_result(s, 0, 0);

	sel_emit(s, AMD_s_barrier, AMD_PLAIN);
	one = sel_constant(s, GCN_VECTOR, 0, 1);
	gcn_set_operand(s->f, emit_counter_access(s, AMD_ds_write_b32, at), AMD_S1, one);
	sel_emit(s, AMD_s_barrier, AMD_PLAIN);
	one = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, one, sel_mask(s, ARG(1)), gcn_imm(!all), gcn_imm(all));
	gcn_set_operand(s->f, emit_counter_access(s, AMD_ds_add_u32, at), AMD_S1, one);
	sel_emit(s, AMD_s_barrier, AMD_PLAIN);
	sum = sel_temp(s, GCN_VECTOR, 1);
	gcn_set_operand(s->f, emit_counter_access(s, AMD_ds_read_b32, at), AMD_D, sum);
	if (s->in->sub == IR_BARRIER_POPC)
		sel_move(s, d, sum, 1);
	else
		sel_vop(s, all ? AMD_v_cmp_eq_u32 : AMD_v_cmp_ne_u32, d, gcn_imm(0), sum,
			gcn_none());
}

bool select_lanes(struct select *s)
{
	switch (s->in->op) {
	case IR_ACTIVE:
		sel_move(s, sel_result(s, 0, 0), exec, 1);
		return true;
	case IR_ALIVE:
		sel_move(s, sel_result(s, 0, 0), gcn_word(s->f, s->f->alive_mask, 0), 1);
		return true;
	case IR_VOTE:
		select_vote(s);
		return true;
	case IR_SHUFFLE:
		select_shuffle(s);
		return true;
	case IR_MATCH_ANY:
	case IR_MATCH_ALL:
		select_match(s);
		return true;
	case IR_WARPSYNC:
		return true;
	case IR_BARRIER:
		sel_emit(s, AMD_s_barrier, AMD_PLAIN);
		return true;
	case IR_BARRIER_RED:
		select_barrier_reduce(s);
		return true;
	default:
		return false;
	}
}
