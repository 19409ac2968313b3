// SPDX-License-Identifier: MIT
/*
 * Selection of 32- and 64-bit floating point; select_half.c has 16 bits. Sign changes become
 * operand modifiers of the user, unless they flush subnormals and the user does not.
 */
#include "libsov/compiler/nv/select.h"

struct arg arg_float(struct select *s, ir_val v, uint8_t user_flags, bool halves)
{
	enum ir_type type = type_of(s, v);
	uint32_t signs = halves ? 0x80008000 : 0x80000000;
	uint8_t flags = 0;
	struct arg a;

	for (;;) {
		const struct ir_inst *in = ir_def(s->ir, v);

		if ((in->op != IR_FNEG && in->op != IR_FABS) || is_half(in) != halves ||
		    (in->flags & IR_FTZ && !(user_flags & IR_FTZ)))
			break;
		if (!(flags & SASS_ABS)) /* inside an absolute value signs do not matter */
			flags ^= in->op == IR_FNEG ? SASS_NEG : SASS_ABS;
		v = in->args[0];
	}
	a = type == IR_B64 ? arg_f64(s, v) : arg_word(s, v);
	if (a.src.op.kind == SASS_IMM) {
		uint32_t bits = (uint32_t)a.src.op.value;

		if (!flags)
			return a;
		if (flags & SASS_ABS)
			bits &= ~signs;
		if (flags & SASS_NEG)
			bits ^= signs;
		/* A constant that no IR value holds; of 64 bits, one with a zero low half. */
		a.src = mir_imm(bits);
		if (type == IR_B64) {
			struct arg words[2] = {{.src = rz()}, {.src = mir_imm(bits)}};

			a.src = in_vector(s, words, 2);
		}
		a.value = 0;
		return a;
	}
	a.src.op.flags |= flags;
	return a;
}

struct mir_source float_in_reg(struct select *s, struct arg a, enum ir_type type)
{
	struct mir_source r;

	if (type != IR_B64 || is_reg(&a))
		return in_reg(s, a);
	r = in_pair(s, a);
	r.op.flags |= a.src.op.flags;
	return r;
}

void legalise_float_args(struct select *s, struct arg *args, uint32_t count, enum ir_type type)
{
	if (!is_reg(&args[0]) && is_reg(&args[1])) {
		struct arg t = args[0];

		args[0] = args[1];
		args[1] = t;
	}
	args[0].src = float_in_reg(s, args[0], type);
	if (count == 3 && !is_reg(&args[1]) && !is_reg(&args[2]))
		args[1].src = float_in_reg(s, args[1], type);
}

uint8_t rounding(const struct ir_inst *in)
{
	static const uint8_t rounds[] = {
		[IR_RN] = SASS_RN, [IR_RZ] = SASS_RZ_MODE, [IR_RM] = SASS_RM, [IR_RP] = SASS_RP};

	return rounds[in->round];
}

static void set_float_mods(struct mir_inst *i, const struct ir_inst *in)
{
	set_mod(i, SASS_M_RND, rounding(in));
	set_mod(i, SASS_M_FTZ, in->type == IR_B32 && in->flags & IR_FTZ);
	set_mod(i, SASS_M_SAT, in->type == IR_B32 && in->flags & IR_SAT);
}

static bool emit_arithmetic(struct select *s, const struct ir_inst *in, enum sass_op op32,
			    enum sass_op op64)
{
	struct arg args[3];
	struct mir_source ops[4] = {result(s, in->res)};

	for (uint32_t k = 0; k < in->nargs; k++)
		args[k] = arg_float(s, in->args[k], in->flags, false);
	legalise_float_args(s, args, in->nargs, in->type);
	for (uint32_t k = 0; k < in->nargs; k++)
		ops[k + 1] = args[k].src;
	set_float_mods(emit(s, in->type == IR_B64 ? op64 : op32, ops, in->nargs + 1), in);
	return true;
}

bool select_fadd(struct select *s, const struct ir_inst *in)
{
	if (is_half(in))
		return select_half(s, in);
	return emit_arithmetic(s, in, SASS_FADD, SASS_DADD);
}

bool select_fmul(struct select *s, const struct ir_inst *in)
{
	if (is_half(in))
		return select_half(s, in);
	return emit_arithmetic(s, in, SASS_FMUL, SASS_DMUL);
}

bool select_fma(struct select *s, const struct ir_inst *in)
{
	if (is_half(in))
		return select_half(s, in);
	return emit_arithmetic(s, in, SASS_FFMA, SASS_DFMA);
}

/* A separate sign change flips one bit; NaNs and subnormals are preserved. */
bool select_fsign(struct select *s, const struct ir_inst *in)
{
	uint32_t top = in->type == IR_B64 ? 1 : 0;
	bool negate = in->op == IR_FNEG;
	struct arg a;

	if (is_half(in))
		return select_half_sign(s, in);
	if (in->flags & IR_FTZ && in->type == IR_B32) {
		a = arg_float(s, in->args[0], in->flags, false);
		a.src = with_flags(in_reg(s, a), negate ? SASS_NEG : SASS_ABS);
		set_float_mods(EMIT(s, FADD, result(s, in->res), a.src, with_flags(rz(), SASS_NEG)),
			       in);
		return true;
	}
	if (top && is_needed(s, in->res, NEED_LOW))
		EMIT(s, MOV, result_half(s, in->res, 0), arg_half(s, in->args[0], 0).src);
	if (!is_needed(s, in->res, (uint8_t)(1 << top)))
		return true;
	EMIT(s, LOP3, NONE, result_half(s, in->res, top), in_reg(s, arg_half(s, in->args[0], top)),
	     mir_imm(negate ? 0x80000000 : 0x7fffffff), rz(), mir_imm(negate ? 0x3c : 0xc0),
	     mir_pred_const(false));
	return true;
}

static struct mir_inst *emit_compare(struct select *s, enum ir_type type, struct mir_source p,
				     struct mir_source a, struct mir_source b, struct mir_source x,
				     uint8_t cmp)
{
	struct mir_inst *i = type == IR_B64 ? EMIT(s, DSETP, p, NONE, a, b, x)
					    : EMIT(s, FSETP, p, NONE, a, b, x);

	set_mod(i, SASS_M_CMP, cmp);
	return i;
}

/* The hardware has no 64-bit minimum. The minimum of a and b is a if a < b or b is a NaN, else b.
 * Of equal values only zeros differ in bits: -0 must win, and OR of the words of equal numbers
 * changes nothing else. If NaN is to be propagated, either operand being NaN replaces the choice by
 * the canonical NaN. */
static void emit_minmax_pair(struct select *s, const struct ir_inst *in)
{
	struct mir_source a = in_pair(s, arg_pair(s, in->args[0]));
	struct mir_source b = in_pair(s, arg_pair(s, in->args[1]));
	struct mir_source equal = new_temp(s, SASS_PRED, 1), nan = new_temp(s, SASS_PRED, 1);
	struct mir_source first = new_temp(s, SASS_PRED, 1), both = new_temp(s, SASS_GPR, 1);
	struct mir_source high = new_temp(s, SASS_GPR, 1), low = new_temp(s, SASS_GPR, 1);
	struct mir_source number = new_temp(s, SASS_GPR, 1), any = new_temp(s, SASS_PRED, 1);
	bool is_min = in->op == IR_FMIN;

	emit_compare(s, IR_B64, equal, a, b, mir_pred_const(true), SASS_CMP_EQ);
	emit_compare(s, IR_B64, nan, b, b, mir_pred_const(true), SASS_CMP_NAN);
	set_mod(emit_compare(s, IR_B64, first, a, b, nan, is_min ? SASS_CMP_LT : SASS_CMP_GT),
		SASS_M_BOOL, SASS_OR);
	EMIT(s, LOP3, NONE, both, subreg(a, 1), subreg(b, 1), rz(), mir_imm(is_min ? 0xfc : 0xc0),
	     mir_pred_const(false));
	EMIT(s, SEL, in->flags & IR_NAN ? low : result_half(s, in->res, 0), a, b, first);
	EMIT(s, SEL, high, subreg(a, 1), subreg(b, 1), first);
	if (!(in->flags & IR_NAN)) {
		EMIT(s, SEL, result_half(s, in->res, 1), both, high, equal);
		return;
	}
	EMIT(s, SEL, number, both, high, equal);
	emit_compare(s, IR_B64, any, a, b, mir_pred_const(true), SASS_CMP_NAN);
	EMIT(s, SEL, result_half(s, in->res, 0), low, rz(), with_flags(any, SASS_NEG));
	EMIT(s, SEL, result_half(s, in->res, 1), number, mir_imm(0x7ff80000),
	     with_flags(any, SASS_NEG));
}

bool select_fminmax(struct select *s, const struct ir_inst *in)
{
	struct arg args[2];
	struct mir_inst *i;

	if (is_half(in))
		return select_half_minmax(s, in);
	if (in->type == IR_B64) {
		emit_minmax_pair(s, in);
		return true;
	}
	args[0] = arg_float(s, in->args[0], in->flags, false);
	args[1] = arg_float(s, in->args[1], in->flags, false);
	legalise_float_args(s, args, 2, in->type);
	i = EMIT(s, FMNMX, result(s, in->res), args[0].src, args[1].src,
		 mir_pred_const(in->op == IR_FMIN));
	set_mod(i, SASS_M_FTZ, !!(in->flags & IR_FTZ));
	set_mod(i, SASS_M_NAN, !!(in->flags & IR_NAN));
	return true;
}

const struct float_condition float_conditions[] = {
	[IR_FEQ] = {SASS_CMP_EQ, SASS_CMP_EQ},    [IR_FNE] = {SASS_CMP_NE, SASS_CMP_NE},
	[IR_FLT] = {SASS_CMP_LT, SASS_CMP_GT},    [IR_FLE] = {SASS_CMP_LE, SASS_CMP_GE},
	[IR_FGT] = {SASS_CMP_GT, SASS_CMP_LT},    [IR_FGE] = {SASS_CMP_GE, SASS_CMP_LE},
	[IR_FEQU] = {SASS_CMP_EQU, SASS_CMP_EQU}, [IR_FNEU] = {SASS_CMP_NEU, SASS_CMP_NEU},
	[IR_FLTU] = {SASS_CMP_LTU, SASS_CMP_GTU}, [IR_FLEU] = {SASS_CMP_LEU, SASS_CMP_GEU},
	[IR_FGTU] = {SASS_CMP_GTU, SASS_CMP_LTU}, [IR_FGEU] = {SASS_CMP_GEU, SASS_CMP_LEU},
	[IR_FNUM] = {SASS_CMP_NUM, SASS_CMP_NUM}, [IR_FNAN] = {SASS_CMP_NAN, SASS_CMP_NAN},
};

void emit_fcmp(struct select *s, const struct ir_inst *in, struct mir_source p, struct mir_source x,
	       uint8_t boolean)
{
	struct arg a = arg_float(s, in->args[0], in->flags, false);
	struct arg b = arg_float(s, in->args[1], in->flags, false);
	bool swap = !is_reg(&a) && is_reg(&b);
	struct mir_inst *i = emit_compare(
		s, in->type, p, float_in_reg(s, swap ? b : a, in->type), swap ? a.src : b.src, x,
		swap ? float_conditions[in->cond].swapped : float_conditions[in->cond].cmp);

	set_mod(i, SASS_M_FTZ, in->type == IR_B32 && in->flags & IR_FTZ);
	set_mod(i, SASS_M_BOOL, boolean);
}

bool select_fcmp(struct select *s, const struct ir_inst *in)
{
	if (is_half(in))
		return select_half_compare(s, in);
	emit_fcmp(s, in, result(s, in->res), mir_pred_const(true), SASS_AND);
	return true;
}

bool select_fchk(struct select *s, const struct ir_inst *in)
{
	EMIT(s, FCHK, result(s, in->res), in_reg(s, arg_word(s, in->args[0])),
	     in_reg(s, arg_word(s, in->args[1])));
	return true;
}
