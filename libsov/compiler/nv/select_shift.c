// SPDX-License-Identifier: MIT
/*
 * Selection of shifts. SHF shifts a pair and keeps one word of it, so a rotation and other funnel
 * shifts are one instruction: those of PTX, which are one word of a shift in 64 bits, and unions of
 * two opposite shifts by constants.
 */
#include "libsov/compiler/nv/select.h"

/* Amounts that are too large give 0 or the sign, as in the IR. */
static void emit_shift_word(struct select *s, struct mir_source d, struct mir_source low,
			    struct arg amount, struct mir_source high, uint8_t type, bool right,
			    bool keep_high)
{
	struct mir_inst *i = EMIT(s, SHF, d, low, amount.src, high);

	set_mod(i, SASS_M_RIGHT, right);
	set_mod(i, SASS_M_HI, keep_high);
	set_mod(i, SASS_M_SHTYPE, type);
}

/* The amount of a funnel shift: its low five bits, or with clamp 32 if it is larger. */
struct funnel {
	struct arg amount;
	bool wrap;
};

static bool match_funnel(struct select *s, ir_val amount, struct funnel *f)
{
	const struct ir_inst *in = ir_def(s->ir, amount);
	uint64_t k;

	f->wrap = true;
	if (ir_is_const(s->ir, amount, &k) && k < 32) {
		f->amount = arg_word(s, amount);
		return true;
	}
	if ((in->op != IR_AND && in->op != IR_MIN_U) || in->type != IR_B32 ||
	    !ir_is_const(s->ir, in->args[1], &k) || k != (in->op == IR_AND ? 31 : 32))
		return false;
	f->wrap = in->op == IR_AND;
	f->amount = arg_word(s, in->args[0]);
	if (f->amount.src.op.kind == SASS_CONST)
		f->amount.src = in_reg(s, f->amount);
	return true;
}

static void emit_funnel(struct select *s, struct mir_source d, struct arg low, struct arg high,
			const struct funnel *f, bool right)
{
	struct mir_inst *i = EMIT(s, SHF, d, in_reg(s, low), f->amount.src, in_reg(s, high));

	set_mod(i, SASS_M_RIGHT, right);
	set_mod(i, SASS_M_HI, !right);
	set_mod(i, SASS_M_WRAP, f->wrap);
	set_mod(i, SASS_M_SHTYPE, SASS_SH_U32);
}

/* One word of a shift in 64 bits by up to 32. */
static bool select_funnel_wide(struct select *s, const struct ir_inst *in)
{
	bool right = in->op == IR_SHR_U;
	struct funnel f;

	if (in->type != IR_B64 || in->op == IR_SHR_S ||
	    is_needed(s, in->res, right ? NEED_HIGH : NEED_LOW) ||
	    !match_funnel(s, in->args[1], &f))
		return false;
	emit_funnel(s, result_half(s, in->res, !right), arg_half(s, in->args[0], 0),
		    arg_half(s, in->args[0], 1), &f, right);
	return true;
}

bool is_funnel(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *left, *right;
	uint64_t up, down;

	if ((in->op != IR_OR && in->op != IR_XOR && in->op != IR_ADD) || in->type != IR_B32)
		return false;
	left = fold_def(s, in->args[0], IR_SHL, IR_B32);
	right = fold_def(s, in->args[1], IR_SHR_U, IR_B32);
	if (!left && !right) {
		left = fold_def(s, in->args[1], IR_SHL, IR_B32);
		right = fold_def(s, in->args[0], IR_SHR_U, IR_B32);
	}
	return left && right && ir_is_const(s->ir, left->args[1], &up) &&
	       ir_is_const(s->ir, right->args[1], &down) && up && down && up + down == 32 &&
	       (s->values[in->args[0]].uses == 1 || s->values[in->args[1]].uses == 1);
}

bool select_funnel(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *left, *right;
	struct funnel f;

	if (!is_funnel(s, in))
		return false;
	left = ir_def(s->ir, in->args[0]);
	right = ir_def(s->ir, in->args[1]);
	if (left->op != IR_SHL) {
		const struct ir_inst *t = left;

		left = right;
		right = t;
	}
	match_funnel(s, left->args[1], &f);
	emit_funnel(s, result(s, in->res), arg_word(s, right->args[0]), arg_word(s, left->args[0]),
		    &f, false);
	return true;
}

static void emit_shift_left_pair(struct select *s, const struct ir_inst *in, struct arg amount)
{
	struct mir_source low = in_reg(s, arg_half(s, in->args[0], 0));

	if (is_needed(s, in->res, NEED_LOW))
		emit_shift_word(s, result_half(s, in->res, 0), low, amount, rz(), SASS_SH_U32,
				false, false);
	if (is_needed(s, in->res, NEED_HIGH))
		emit_shift_word(s, result_half(s, in->res, 1), low, amount,
				in_reg(s, arg_half(s, in->args[0], 1)), SASS_SH_U64, false, true);
}

static void emit_shift_right_pair(struct select *s, const struct ir_inst *in, struct arg amount,
				  bool is_signed)
{
	struct mir_source high = in_reg(s, arg_half(s, in->args[0], 1));

	if (is_needed(s, in->res, NEED_LOW))
		emit_shift_word(s, result_half(s, in->res, 0),
				in_reg(s, arg_half(s, in->args[0], 0)), amount, high,
				is_signed ? SASS_SH_S64 : SASS_SH_U64, true, false);
	if (is_needed(s, in->res, NEED_HIGH))
		emit_shift_word(s, result_half(s, in->res, 1), rz(), amount, high,
				is_signed ? SASS_SH_S32 : SASS_SH_U32, true, true);
}

bool select_shift(struct select *s, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_SHR_S;
	struct arg amount;

	if (select_funnel_wide(s, in))
		return true;
	amount = arg_word(s, in->args[1]);
	if (amount.src.op.kind == SASS_CONST)
		amount.src = in_reg(s, amount);
	if (in->op == IR_SHL && in->type == IR_B64)
		emit_shift_left_pair(s, in, amount);
	else if (in->op == IR_SHL)
		emit_shift_word(s, result(s, in->res), in_reg(s, arg_word(s, in->args[0])), amount,
				rz(), SASS_SH_U32, false, false);
	else if (in->type == IR_B64)
		emit_shift_right_pair(s, in, amount, is_signed);
	else
		emit_shift_word(s, result(s, in->res), rz(), amount,
				in_reg(s, arg_extended(s, in->args[0], is_signed)),
				is_signed ? SASS_SH_S32 : SASS_SH_U32, true, true);
	return true;
}
