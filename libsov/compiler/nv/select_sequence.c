// SPDX-License-Identifier: MIT
/*
 * Selection of integer operations that take a sequence of instructions: the high half of 64-bit
 * products, and bit counts of pairs.
 */
#include "libsov/compiler/nv/select.h"

static struct mir_source new_gpr(struct select *s)
{
	return new_temp(s, SASS_GPR, 1);
}

static struct mir_source emit_compare(struct select *s, struct mir_source a, struct mir_source b,
				      uint8_t cmp, bool is_signed)
{
	struct mir_source p = new_temp(s, SASS_PRED, 1);
	struct mir_inst *i = EMIT(s, ISETP, p, NONE, a, b, mir_pred_const(true));

	set_mod(i, SASS_M_CMP, cmp);
	set_mod(i, SASS_M_SIGNED, is_signed);
	return p;
}

static struct mir_source emit_add(struct select *s, struct mir_source a, struct mir_source b)
{
	struct mir_source d = new_gpr(s);

	EMIT(s, IADD3, d, NONE, NONE, a, b, rz());
	return d;
}

static struct mir_source emit_select(struct select *s, struct mir_source p, struct mir_source a,
				     struct mir_source b)
{
	struct mir_source d = new_gpr(s);

	EMIT(s, SEL, d, a, b, p);
	return d;
}

/*
 * High half of a 64-bit product: the four products of words, added with their carries.
 */
static void emit_multiply_pairs(struct select *s, struct mir_source d, const struct mir_source a[2],
				const struct mir_source b[2])
{
	struct mir_source middle = new_temp(s, SASS_GPR, 2), both = new_temp(s, SASS_GPR, 2);
	struct mir_source low = new_temp(s, SASS_GPR, 2);
	struct mir_source over = new_temp(s, SASS_PRED, 1), carry = new_temp(s, SASS_PRED, 1),
			  top = new_gpr(s);
	struct arg words[2];
	struct mir_inst *i;

	EMIT(s, IMAD_WIDE, middle, NONE, a[1], b[0], rz());
	EMIT(s, IMAD_WIDE, both, over, a[0], b[1], middle);
	set_mod(EMIT(s, IADD3, top, NONE, NONE, rz(), rz(), rz(), over, mir_pred_const(false)),
		SASS_M_X, 1);
	EMIT(s, IMAD_WIDE, low, NONE, a[0], b[0], rz());
	EMIT(s, IADD3, rz(), carry, NONE, subreg(low, 1), both, rz());
	words[0] = (struct arg){.src = subreg(both, 1)};
	words[1] = (struct arg){.src = top};
	i = EMIT(s, IMAD_WIDE, d, NONE, a[1], b[1], in_vector(s, words, 2), carry);
	set_mod(i, SASS_M_X, 1);
}

/* d - (x < 0 ? y : 0), in 64 bits. */
static struct mir_source emit_subtract_if_negative(struct select *s, struct mir_source d,
						   struct mir_source x,
						   const struct mir_source y[2])
{
	struct mir_source sign = new_gpr(s), out = new_temp(s, SASS_GPR, 2),
			  borrow = new_temp(s, SASS_PRED, 1);
	struct mir_source off[2] = {new_gpr(s), new_gpr(s)};
	struct mir_inst *i = EMIT(s, SHF, sign, rz(), mir_imm(31), x);

	set_mod(i, SASS_M_RIGHT, 1);
	set_mod(i, SASS_M_HI, 1);
	set_mod(i, SASS_M_SHTYPE, SASS_SH_S32);
	for (uint32_t k = 0; k < 2; k++)
		EMIT(s, LOP3, NONE, off[k], y[k], sign, rz(), mir_imm(0xc0), mir_pred_const(false));
	EMIT(s, IADD3, out, borrow, NONE, d, with_flags(off[0], SASS_NEG), rz());
	i = EMIT(s, IADD3, subreg(out, 1), NONE, NONE, subreg(d, 1), with_flags(off[1], SASS_NOT),
		 rz(), borrow, mir_pred_const(false));
	set_mod(i, SASS_M_X, 1);
	return out;
}

bool select_mulhi_pair(struct select *s, const struct ir_inst *in)
{
	bool whole = is_needed(s, in->res, NEED_LOW) && is_needed(s, in->res, NEED_HIGH);
	struct mir_source a[2], b[2], d;

	for (uint32_t k = 0; k < 2; k++) {
		a[k] = in_reg(s, arg_half(s, in->args[0], k));
		b[k] = in_reg(s, arg_half(s, in->args[1], k));
	}
	if (in->op == IR_MULHI_U && whole) {
		emit_multiply_pairs(s, result(s, in->res), a, b);
		return true;
	}
	d = new_temp(s, SASS_GPR, 2);
	emit_multiply_pairs(s, d, a, b);
	if (in->op == IR_MULHI_S) {
		d = emit_subtract_if_negative(s, d, a[1], b);
		d = emit_subtract_if_negative(s, d, b[1], a);
	}
	for (uint32_t k = 0; k < 2; k++) {
		if (is_needed(s, in->res, (uint8_t)(1 << k)))
			define_half(s, in->res, k, (struct arg){.src = subreg(d, k)});
	}
	return true;
}

/*
 * Bits.
 */

bool select_popc(struct select *s, const struct ir_inst *in)
{
	struct mir_source low = new_gpr(s), high;

	EMIT(s, POPC, low,
	     in->type == IR_B64 ? arg_half(s, in->args[0], 0).src
				: arg_extended(s, in->args[0], false).src);
	if (in->type == IR_B64) {
		high = new_gpr(s);
		EMIT(s, POPC, high, arg_half(s, in->args[0], 1).src);
		low = emit_add(s, low, high);
	}
	if (in->type == IR_B64 && is_needed(s, in->res, NEED_HIGH))
		EMIT(s, MOV, result_half(s, in->res, 1), rz());
	if (is_needed(s, in->res, NEED_LOW))
		define_half(s, in->res, 0, (struct arg){.src = low});
	return true;
}

/* FLO gives the position of the highest one bit, or -1 for 0, so bits - 1 - position is right
 * for 0, too. */
static struct mir_source leading_zeros(struct select *s, struct mir_source a, uint32_t bits)
{
	struct mir_source position = new_gpr(s), d = new_gpr(s);

	EMIT(s, FLO, position, NONE, a);
	EMIT(s, IADD3, d, NONE, NONE, with_flags(position, SASS_NEG), mir_imm(bits - 1), rz());
	return d;
}

bool select_clz(struct select *s, const struct ir_inst *in)
{
	uint32_t bits = ir_type_bits(in->type);
	struct mir_source low, high, count, none_high;

	if (bits <= 32) {
		count = leading_zeros(s, arg_extended(s, in->args[0], false).src, bits);
		define_half(s, in->res, 0, (struct arg){.src = count});
		return true;
	}
	high = in_reg(s, arg_half(s, in->args[0], 1));
	low = leading_zeros(s, arg_half(s, in->args[0], 0).src, 64);
	none_high = emit_compare(s, high, rz(), SASS_CMP_EQ, false);
	count = emit_select(s, none_high, low, leading_zeros(s, high, 32));
	if (is_needed(s, in->res, NEED_HIGH))
		EMIT(s, MOV, result_half(s, in->res, 1), rz());
	if (is_needed(s, in->res, NEED_LOW))
		define_half(s, in->res, 0, (struct arg){.src = count});
	return true;
}

/* x in c = clz(x), for a word. */
static ir_val counted_word(const struct select *s, ir_val c)
{
	const struct ir_inst *in = ir_def(s->ir, c);

	return in->op == IR_CLZ && in->type == IR_B32 ? in->args[0] : 0;
}

/* 31 - clz(x), PTX's bfind. */
bool select_highest_bit(struct select *s, const struct ir_inst *in)
{
	ir_val x = counted_word(s, in->args[1]);
	uint64_t k;

	if (in->type != IR_B32 || !x || !ir_is_const(s->ir, in->args[0], &k) || k != 31)
		return false;
	EMIT(s, FLO, result(s, in->res), NONE, arg_word(s, x).src);
	return true;
}

/* x == 0 ? -1 : clz(x), PTX's bfind.shiftamt. */
bool select_shift_amount(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *cmp = ir_def(s->ir, in->args[0]);
	bool equal = cmp->op == IR_ICMP && cmp->cond == IR_EQ;
	ir_val x = counted_word(s, in->args[equal ? 2 : 1]);
	uint64_t k;

	if (in->type != IR_B32 || !x || cmp->op != IR_ICMP || (!equal && cmp->cond != IR_NE) ||
	    cmp->args[0] != x || !ir_is_const(s->ir, cmp->args[1], &k) || k ||
	    !ir_is_const(s->ir, in->args[equal ? 1 : 2], &k) || (uint32_t)k != UINT32_MAX)
		return false;
	set_mod(EMIT(s, FLO, result(s, in->res), NONE, arg_word(s, x).src), SASS_M_SH, 1);
	return true;
}

bool select_brev(struct select *s, const struct ir_inst *in)
{
	uint32_t bits = ir_type_bits(in->type);
	struct mir_source reversed;
	struct mir_inst *i;

	if (bits < 32) {
		reversed = new_gpr(s);
		EMIT(s, BREV, reversed, arg_word(s, in->args[0]).src);
		i = EMIT(s, SHF, result(s, in->res), rz(), mir_imm(32 - bits), reversed);
		set_mod(i, SASS_M_RIGHT, 1);
		set_mod(i, SASS_M_HI, 1);
		return true;
	}
	for (uint32_t half = 0; half < bits / 32; half++) {
		if (is_needed(s, in->res, (uint8_t)(1 << half)))
			EMIT(s, BREV, result_half(s, in->res, half),
			     arg_half(s, in->args[0], bits / 32 - 1 - half).src);
	}
	return true;
}
