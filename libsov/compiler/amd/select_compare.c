// SPDX-License-Identifier: MIT
/*
 * Comparisons, selects, min and max. A comparison of SGPRs runs on the scalar unit, whose result is
 * SCC; it becomes a mask of all or no lanes unless the block's branch is its only use.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

/* By condition, from IR_EQ on. */
static const uint16_t scalar_ops[] = {
	AMD_s_cmp_eq_u32, AMD_s_cmp_lg_u32, AMD_s_cmp_lt_i32, AMD_s_cmp_le_i32, AMD_s_cmp_gt_i32,
	AMD_s_cmp_ge_i32, AMD_s_cmp_lt_u32, AMD_s_cmp_le_u32, AMD_s_cmp_gt_u32, AMD_s_cmp_ge_u32};
static const uint16_t vector_ops[][10] = {
	{AMD_v_cmp_eq_u32, AMD_v_cmp_ne_u32, AMD_v_cmp_lt_i32, AMD_v_cmp_le_i32, AMD_v_cmp_gt_i32,
	 AMD_v_cmp_ge_i32, AMD_v_cmp_lt_u32, AMD_v_cmp_le_u32, AMD_v_cmp_gt_u32, AMD_v_cmp_ge_u32},
	{AMD_v_cmp_eq_u64, AMD_v_cmp_ne_u64, AMD_v_cmp_lt_i64, AMD_v_cmp_le_i64, AMD_v_cmp_gt_i64,
	 AMD_v_cmp_ge_i64, AMD_v_cmp_lt_u64, AMD_v_cmp_le_u64, AMD_v_cmp_gt_u64, AMD_v_cmp_ge_u64}};

static bool is_signed_cond(uint8_t cond)
{
	return cond >= IR_LT_S && cond <= IR_GE_S;
}

/* Leaves the result in SCC. Returns false if the scalar unit cannot compare these. */
static bool compare_scalars(struct select *s, const struct ir_inst *in)
{
	bool wide = in->type == IR_B64;

	if (in->type == IR_B1 || (wide && in->cond > IR_NE) || !sel_is_scalar(s, in->args[0]) ||
	    !sel_is_scalar(s, in->args[1]))
		return false;
	if (wide) {
		struct gcn_src x = sel_pair(s, in->args[0]), y = sel_pair(s, in->args[1]);

		sel_sop(s, in->cond == IR_EQ ? AMD_s_cmp_eq_u64 : AMD_s_cmp_lg_u64, gcn_none(), x,
			y);
	} else {
		struct gcn_src x = sel_extended(s, in->args[0], in->type, is_signed_cond(in->cond));
		struct gcn_src y = sel_extended(s, in->args[1], in->type, is_signed_cond(in->cond));

		sel_sop(s, scalar_ops[in->cond], gcn_none(), x, y);
	}
	return true;
}

static bool is_fused(const struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *end = ir_at(s->ir, s->ir->blocks[s->block].last);

	return in->op == IR_ICMP && in->block == s->block && s->uses[in->res] == 1 &&
	       end->op == IR_CBR && end->args[0] == in->res &&
	       gcn_branch_is_uniform(s->c, s->block) && in->type != IR_B1 &&
	       (in->type != IR_B64 || in->cond <= IR_NE) && sel_is_scalar(s, in->args[0]) &&
	       sel_is_scalar(s, in->args[1]);
}

bool select_branch_compare(struct select *s, ir_val cond)
{
	const struct ir_inst *in = ir_def(s->ir, cond);

	return is_fused(s, in) && compare_scalars(s, in);
}

static void compare_masks(struct select *s)
{
	static const uint16_t ops[] = {AMD_s_xnor_b32, AMD_s_xor_b32};

	if (s->in->cond > IR_NE) {
		sel_unsupported(s, "an ordered comparison of b1");
		return;
	}
	sel_sop(s, ops[s->in->cond], sel_result(s, 0, 0), sel_mask(s, ARG(0)), sel_mask(s, ARG(1)));
}

static void select_icmp(struct select *s)
{
	bool wide = s->in->type == IR_B64, sign = is_signed_cond(s->in->cond);
	struct gcn_src x, y;

	if (is_fused(s, s->in))
		return;
	if (s->in->type == IR_B1) {
		compare_masks(s);
	} else if (compare_scalars(s, s->in)) {
		sel_sop(s, AMD_s_cselect_b32, sel_result(s, 0, 0), gcn_imm(UINT32_MAX), gcn_imm(0));
	} else {
		x = wide ? sel_pair(s, ARG(0)) : sel_extended(s, ARG(0), s->in->type, sign);
		y = wide ? sel_pair(s, ARG(1)) : sel_extended(s, ARG(1), s->in->type, sign);
		sel_vop(s, vector_ops[wide][s->in->cond], sel_result(s, 0, 0), x, y, gcn_none());
	}
}

/* Selects between masks: the first where the condition holds, the second elsewhere. */
static void select_conditional_mask(struct select *s)
{
	struct gcn_src p = sel_mask(s, ARG(0)), x, y;

	x = sel_temp(s, GCN_SCALAR, 1);
	y = sel_temp(s, GCN_SCALAR, 1);
	sel_sop(s, AMD_s_and_b32, x, sel_mask(s, ARG(1)), p);
	sel_sop(s, AMD_s_andn2_b32, y, sel_mask(s, ARG(2)), p);
	sel_sop(s, AMD_s_or_b32, sel_result(s, 0, 0), x, y);
}

static void select_conditional(struct select *s)
{
	if (s->in->type == IR_B1) {
		select_conditional_mask(s);
		return;
	}
	for (uint32_t w = 0; w < sel_words(s->in->type); w++)
		sel_cndmask(s, sel_result(s, 0, w), sel_mask(s, ARG(0)), sel_word(s, ARG(1), w),
			    sel_word(s, ARG(2), w));
}

/* The hardware has 32-bit min and max; 64-bit ones need a comparison. */
static void select_min_max(struct select *s)
{
	static const uint8_t ops[] = {SEL_MIN_U, SEL_MIN_S, SEL_MAX_U, SEL_MAX_S};
	static const uint16_t wide[] = {AMD_v_cmp_lt_u64, AMD_v_cmp_lt_i64, AMD_v_cmp_gt_u64,
					AMD_v_cmp_gt_i64};
	uint32_t k = s->in->op - IR_MIN_U;
	bool sign = s->in->op == IR_MIN_S || s->in->op == IR_MAX_S;
	struct gcn_src p, x, y;

	if (s->in->type != IR_B64) {
		x = sel_extended(s, ARG(0), s->in->type, sign);
		sel_op(s, ops[k], sel_result(s, 0, 0), x,
		       sel_extended(s, ARG(1), s->in->type, sign));
		return;
	}
	x = sel_pair(s, ARG(0));
	y = sel_pair(s, ARG(1));
	p = sel_compare(s, wide[k], x, y);
	for (uint32_t w = 0; w < 2; w++)
		sel_cndmask(s, sel_result(s, 0, w), p, sel_word(s, ARG(0), w),
			    sel_word(s, ARG(1), w));
}

bool select_compare(struct select *s)
{
	switch (s->in->op) {
	case IR_ICMP:
		select_icmp(s);
		return true;
	case IR_SELECT:
		select_conditional(s);
		return true;
	case IR_MIN_U:
	case IR_MIN_S:
	case IR_MAX_U:
	case IR_MAX_S:
		select_min_max(s);
		return true;
	default:
		return false;
	}
}
