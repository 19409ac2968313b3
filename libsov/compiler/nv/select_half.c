// SPDX-License-Identifier: MIT
/*
 * Selection of 16-bit floats, binary16 and bfloat16. The hardware computes two at a time. A scalar
 * is the low half of such a pair, whose high half is undefined.
 *
 * Before Hopper, bfloat16 has only the fused multiply-add and no comparison: a sum is a * 1 + b, a
 * product a * b - 0, and a comparison is one of 32-bit floats, whose upper halves bfloat16 values
 * are.
 */
#include "libsov/compiler/nv/select.h"

#define ONES_BF16   0x3f803f80
#define MINUS_ZEROS 0x80008000

static bool is_bf16(const struct ir_inst *in)
{
	return in->format == IR_BF16 || in->format == IR_BF16X2;
}

static void set_half_mods(struct mir_inst *i, const struct ir_inst *in)
{
	set_mod(i, SASS_M_HFORMAT, is_bf16(in) ? SASS_HALF_BF16 : SASS_HALF_F16);
	set_mod(i, SASS_M_FTZ, !!(in->flags & IR_FTZ));
	set_mod(i, SASS_M_SAT, !!(in->flags & IR_SAT));
}

static struct arg const_arg(uint32_t bits)
{
	return (struct arg){.src = mir_imm(bits)};
}

/* The word of which a half is the upper one; 0: none. */
static ir_val word_above(const struct select *s, ir_val half)
{
	const struct ir_inst *in = ir_def(s->ir, half);

	return in->op == IR_UNPACK && in->type == IR_B32 && half != in->res ? in->args[0] : 0;
}

/* An operand of 16 bits, or a pair of the same half: the instruction can take either half of a
 * register twice. */
static struct arg half_operand(struct select *s, ir_val v, uint8_t flags)
{
	const struct ir_inst *pack = ir_def(s->ir, v);
	bool pair = pack->op == IR_PACK && pack->type == IR_B32 && pack->args[0] == pack->args[1];
	ir_val half = pair ? pack->args[0] : v, word = word_above(s, half);
	struct arg a;

	if ((!pair && !word) || ir_def(s->ir, half)->op == IR_CONST)
		return arg_float(s, v, flags, true);
	a = (struct arg){.src = in_reg(s, arg_word(s, word ? word : half))};
	a.src.op.aux = word ? SASS_HALF_HIGH : SASS_HALF_LOW;
	return a;
}

bool select_half(struct select *s, const struct ir_inst *in)
{
	bool fused = is_bf16(in) && s->f->sm < 90;
	uint32_t count = in->nargs;
	struct mir_source ops[4] = {result(s, in->res)};
	enum sass_op op = in->op == IR_FADD   ? SASS_HADD2
			  : in->op == IR_FMUL ? SASS_HMUL2
					      : SASS_HFMA2;
	struct arg args[3];

	if (in->round != IR_RN)
		return false;
	for (uint32_t k = 0; k < count; k++)
		args[k] = half_operand(s, in->args[k], in->flags);
	if (fused && in->op == IR_FADD) {
		args[2] = args[1];
		args[1] = const_arg(ONES_BF16);
	} else if (fused && in->op == IR_FMUL) {
		args[2] = const_arg(MINUS_ZEROS);
	}
	if (fused) {
		op = SASS_HFMA2;
		count = 3;
	}
	legalise_float_args(s, args, count, IR_B32);
	for (uint32_t k = 0; k < count; k++)
		ops[k + 1] = args[k].src;
	set_half_mods(emit(s, op, ops, count + 1), in);
	return true;
}

/* A separate sign change flips bits; NaNs and subnormals are preserved. */
bool select_half_sign(struct select *s, const struct ir_inst *in)
{
	bool negate = in->op == IR_FNEG;
	struct mir_source x;

	if (!(in->flags & IR_FTZ)) {
		EMIT(s, LOP3, NONE, result(s, in->res), in_reg(s, arg_word(s, in->args[0])),
		     mir_imm(negate ? 0x80008000 : 0x7fff7fff), rz(), mir_imm(negate ? 0x3c : 0xc0),
		     mir_pred_const(false));
		return true;
	}
	if (is_bf16(in))
		return false;
	x = with_flags(in_reg(s, arg_word(s, in->args[0])), negate ? SASS_NEG : SASS_ABS);
	set_half_mods(EMIT(s, HADD2, result(s, in->res), x, with_flags(rz(), SASS_NEG)), in);
	return true;
}

bool select_half_minmax(struct select *s, const struct ir_inst *in)
{
	struct arg args[2];
	struct mir_inst *i;

	args[0] = arg_float(s, in->args[0], in->flags, true);
	args[1] = arg_float(s, in->args[1], in->flags, true);
	legalise_float_args(s, args, 2, IR_B32);
	i = EMIT(s, HMNMX2, result(s, in->res), args[0].src, args[1].src,
		 mir_pred_const(in->op == IR_FMIN));
	set_half_mods(i, in);
	set_mod(i, SASS_M_NAN, !!(in->flags & IR_NAN));
	return true;
}

/* A bfloat16 as a 32-bit float. */
static struct mir_source widen_bf16(struct select *s, ir_val v)
{
	struct mir_source d = new_temp(s, SASS_GPR, 1);

	EMIT(s, PRMT, d, in_reg(s, arg_word(s, v)), mir_imm(0x1044), rz());
	return d;
}

/* The operands of a comparison, of which the second may be a constant. Returns the condition. */
static uint8_t compared_halves(struct select *s, const struct ir_inst *in, struct arg *a,
			       struct arg *b)
{
	struct arg t;

	*a = arg_float(s, in->args[0], in->flags, true);
	*b = arg_float(s, in->args[1], in->flags, true);
	if (is_reg(a) || !is_reg(b))
		return float_conditions[in->cond].cmp;
	t = *a;
	*a = *b;
	*b = t;
	return float_conditions[in->cond].swapped;
}

bool select_half_truth(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *cmp = ir_def(s->ir, in->args[0]);
	uint64_t yes, no;
	struct mir_inst *i;
	struct arg a, b;
	uint8_t cond;

	if (in->type != IR_B16 || cmp->op != IR_FCMP || !is_half(cmp) || cmp->format == IR_F16X2 ||
	    cmp->format == IR_BF16X2 || (is_bf16(cmp) && s->f->sm < 90) ||
	    !ir_is_const(s->ir, in->args[1], &yes) || !ir_is_const(s->ir, in->args[2], &no) || no ||
	    yes != (is_bf16(cmp) ? 0x3f80 : 0x3c00) ||
	    !fold_single_use(s, in->args[0], cmp->op, cmp->type))
		return false;
	cond = compared_halves(s, cmp, &a, &b);
	i = EMIT(s, HSET2, result(s, in->res), float_in_reg(s, a, IR_B32), b.src,
		 mir_pred_const(true));
	set_half_mods(i, cmp);
	set_mod(i, SASS_M_CMP, cond);
	set_mod(i, SASS_M_BF, 1);
	return true;
}

bool select_half_compare(struct select *s, const struct ir_inst *in)
{
	uint8_t cmp = float_conditions[in->cond].cmp;
	struct arg a, b;
	struct mir_inst *i;

	if (in->format == IR_F16X2 || in->format == IR_BF16X2)
		return false;
	if (is_bf16(in) && s->f->sm < 90) {
		i = EMIT(s, FSETP, result(s, in->res), NONE, widen_bf16(s, in->args[0]),
			 widen_bf16(s, in->args[1]), mir_pred_const(true));
		set_mod(i, SASS_M_CMP, cmp);
		set_mod(i, SASS_M_FTZ, !!(in->flags & IR_FTZ));
		return true;
	}
	cmp = compared_halves(s, in, &a, &b);
	i = EMIT(s, HSETP2, result(s, in->res), NONE, float_in_reg(s, a, IR_B32), b.src,
		 mir_pred_const(true));
	set_half_mods(i, in);
	set_mod(i, SASS_M_CMP, cmp);
	return true;
}
