// SPDX-License-Identifier: MIT
/*
 * Selection of integer arithmetic. 64-bit values are two words with a carry between them; 8- and
 * 16-bit values are computed in 32 bits, where the bits above are undefined unless the operation
 * depends on them: then the value is extended first.
 */
#include "libsov/compiler/nv/select.h"

static bool is_narrow(enum ir_type t)
{
	return t != IR_B64;
}

/* Orders the terms of a sum: the one that is not a register goes second. */
static void order_terms(struct select *s, struct arg args[3])
{
	for (uint32_t k = 0; k < 3; k++) {
		if (is_reg(&args[k]) || k == 1)
			continue;
		if (is_reg(&args[1])) {
			struct arg t = args[1];

			args[1] = args[k];
			args[k] = t;
		} else {
			args[k].src = in_reg(s, args[k]);
		}
	}
}

/* Sum of three operands in any order. */
static void emit_add3(struct select *s, struct mir_source d, struct arg a, struct arg b,
		      struct arg c)
{
	struct arg args[3] = {a, b, c};

	order_terms(s, args);
	EMIT(s, IADD3, d, NONE, NONE, args[0].src, args[1].src, args[2].src);
}

static void emit_multiply_add(struct select *s, struct mir_source d, struct arg a, struct arg b,
			      struct arg c)
{
	struct arg args[3] = {a, b, c};

	legalise_args(s, args, 3, true);
	set_mod(EMIT(s, IMAD, d, args[0].src, args[1].src, args[2].src), SASS_M_SIGNED, 1);
}

static struct arg zero_arg(void)
{
	return (struct arg){.src = rz()};
}

static struct arg reg_arg(struct mir_source r)
{
	return (struct arg){.src = r};
}

/* d = a * b + c in 64 bits; a and b are words, c is a pair, a constant or zero. */
static void emit_multiply_wide(struct select *s, struct mir_source d, struct arg a, struct arg b,
			       struct arg c, bool is_signed)
{
	struct arg args[3] = {a, b, c};

	legalise_args(s, args, 3, true);
	set_mod(EMIT(s, IMAD_WIDE, d, NONE, args[0].src, args[1].src, args[2].src), SASS_M_SIGNED,
		is_signed);
}

/* mulwide + x in 64 bits, even if the product has other uses: a 64-bit sum costs two
 * instructions, this one. */
static bool fold_product(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *mul = fold_def(s, in->args[k], IR_MULWIDE_U, IR_B64);

		if (!mul)
			mul = fold_def(s, in->args[k], IR_MULWIDE_S, IR_B64);
		if (!mul)
			continue;
		if (!is_needed(s, in->res, NEED_HIGH))
			emit_multiply_add(s, result(s, in->res), arg_word(s, mul->args[0]),
					  arg_word(s, mul->args[1]),
					  arg_half(s, in->args[1 - k], 0));
		else
			emit_multiply_wide(s, result(s, in->res), arg_word(s, mul->args[0]),
					   arg_word(s, mul->args[1]), arg_pair(s, in->args[1 - k]),
					   mul->op == IR_MULWIDE_S);
		return true;
	}
	return false;
}

/* x + (y << amount) in 64 bits. A shifted 32-bit value is a product; else LEA shifts and adds the
 * low words, LEA.HI the high ones. That is no more than the sum alone, even if the shift has other
 * uses. */
static bool fold_shift_wide(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *shift = fold_def(s, in->args[k], IR_SHL, IR_B64), *y;
		struct mir_source carry, low;
		ir_val x = in->args[1 - k];
		uint64_t amount;

		if (!shift || !ir_is_const(s->ir, shift->args[1], &amount) || amount - 1 >= 30)
			continue;
		if (!is_needed(s, in->res, NEED_HIGH)) {
			EMIT(s, LEA, result(s, in->res), NONE,
			     in_reg(s, arg_half(s, shift->args[0], 0)), arg_half(s, x, 0).src,
			     mir_imm((uint32_t)amount));
			return true;
		}
		y = ir_def(s->ir, shift->args[0]);
		if ((y->op == IR_ZEXT || y->op == IR_SEXT) && y->from == IR_B32) {
			struct arg factor = {.src = mir_imm(1u << amount)};

			emit_multiply_wide(s, result(s, in->res), arg_word(s, y->args[0]), factor,
					   arg_pair(s, x), y->op == IR_SEXT);
			return true;
		}
		carry = new_temp(s, SASS_PRED, 1);
		low = in_reg(s, arg_half(s, shift->args[0], 0));
		EMIT(s, LEA, result_half(s, in->res, 0), carry, low, arg_half(s, x, 0).src,
		     mir_imm((uint32_t)amount));
		set_mod(EMIT(s, LEA_HI, result_half(s, in->res, 1), NONE, low,
			     arg_half(s, x, 1).src, in_reg(s, arg_half(s, shift->args[0], 1)),
			     mir_imm((uint32_t)amount), carry),
			SASS_M_X, 1);
		return true;
	}
	return false;
}

/* The halves of x + y in 64 bits, where y is a 32-bit value whose sign LEA.HI extends. */
static void emit_add_signed(struct select *s, ir_val v, ir_val x, ir_val y)
{
	struct mir_source carry = new_temp(s, SASS_PRED, 1), word = in_reg(s, arg_word(s, y));
	struct mir_inst *i;

	EMIT(s, IADD3, result_half(s, v, 0), carry, NONE, word, arg_half(s, x, 0).src, rz());
	i = EMIT(s, LEA_HI_SX32, result_half(s, v, 1), NONE, word, arg_half(s, x, 1).src,
		 mir_imm(1), carry);
	set_mod(i, SASS_M_X, 1);
}

/* x + y in 64 bits, where y is a widened 32-bit value: y * 1 + x is one instruction, the sum is two
 * and the sign of y a third, unless x is a constant. Only if x is a pair of registers anyway. */
static bool fold_widened(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2 && is_needed(s, in->res, NEED_HIGH); k++) {
		const struct ir_inst *y = ir_def(s->ir, in->args[k]);
		ir_val x = in->args[1 - k];

		if ((y->op != IR_SEXT && y->op != IR_ZEXT) || y->from != IR_B32)
			continue;
		if (y->op == IR_SEXT && is_constant_half(s, x, 0) && is_constant_half(s, x, 1)) {
			emit_add_signed(s, in->res, x, y->args[0]);
			return true;
		}
		if (is_free_half(s, x, 0) || is_free_half(s, x, 1))
			continue;
		emit_multiply_wide(s, result(s, in->res), arg_word(s, y->args[0]),
				   (struct arg){.src = mir_imm(1)}, arg_pair(s, in->args[1 - k]),
				   y->op == IR_SEXT);
		return true;
	}
	return false;
}

/* Immediates have no such modifier, and -0 differs from 0 in the carry. */
static struct arg with_inversion(struct select *s, struct arg a, uint8_t flag)
{
	if (a.src.op.kind == SASS_IMM)
		a.src = in_reg(s, a);
	a.src = with_flags(a.src, flag);
	return a;
}

/* d = a + b, or with invert a + ~b + 1. */
static void emit_add_wide(struct select *s, ir_val v, const struct arg a[2], const struct arg b[2],
			  bool invert)
{
	struct mir_source carry = new_temp(s, SASS_PRED, 1);
	struct arg low[2] = {a[0], b[0]}, high[2] = {a[1], b[1]};

	if (!is_needed(s, v, NEED_HIGH)) {
		emit_add3(s, result(s, v), a[0], invert ? negated(b[0]) : b[0], zero_arg());
		return;
	}
	if (invert) {
		low[1] = with_inversion(s, low[1], SASS_NEG);
		high[1] = with_inversion(s, high[1], SASS_NOT);
	}
	legalise_args(s, low, 2, true);
	legalise_args(s, high, 2, true);
	EMIT(s, IADD3, result_half(s, v, 0), carry, NONE, low[0].src, low[1].src, rz());
	set_mod(EMIT(s, IADD3, result_half(s, v, 1), NONE, NONE, high[0].src, high[1].src, rz(),
		     carry, mir_pred_const(false)),
		SASS_M_X, 1);
}

/* x + y + z, or with invert x + y + ~z + 1: the sum of the low words has two carries. */
static void emit_add3_wide(struct select *s, const struct ir_inst *in, const ir_val terms[3],
			   bool invert)
{
	static const uint8_t inversions[] = {SASS_NEG, SASS_NOT};
	struct mir_source carries[2] = {new_temp(s, SASS_PRED, 1), new_temp(s, SASS_PRED, 1)};

	for (uint32_t h = 0; h < 2; h++) {
		struct arg args[3];

		for (uint32_t k = 0; k < 3; k++)
			args[k] = arg_half(s, terms[k], h);
		if (invert)
			args[2] = with_inversion(s, args[2], inversions[h]);
		order_terms(s, args);
		if (h)
			set_mod(EMIT(s, IADD3, result_half(s, in->res, 1), NONE, NONE, args[0].src,
				     args[1].src, args[2].src, carries[0], carries[1]),
				SASS_M_X, 1);
		else
			EMIT(s, IADD3, result_half(s, in->res, 0), carries[0], carries[1],
			     args[0].src, args[1].src, args[2].src);
	}
}

/* Whether one instruction adds v in 64 bits and computes it. */
static bool is_summed_for_free(const struct select *s, ir_val v)
{
	const struct ir_inst *in = ir_def(s->ir, v);

	return in->op == IR_MULWIDE_U || in->op == IR_MULWIDE_S || in->op == IR_SHL ||
	       in->op == IR_SEXT;
}

/* The difference or sum v, if this is its only use and it can be summed with x without a copy: at
 * most one of three terms is other than a register. */
static const struct ir_inst *fold_terms(struct select *s, ir_val v, enum ir_op op, ir_val x)
{
	const struct ir_inst *inner = fold_single_use(s, v, op, type_of(s, v));

	if (!inner || is_free_half(s, x, 0) + is_free_half(s, inner->args[0], 0) +
				      is_free_half(s, inner->args[1], 0) >
			      1)
		return NULL;
	return inner;
}

/* Folds a sum or difference whose only use is a sum in 64 bits, or a sum into a difference: two
 * instructions instead of four. */
static bool fold_inner_wide(struct select *s, const struct ir_inst *in)
{
	bool subtract = in->op == IR_SUB;

	for (uint32_t k = 0; k < (subtract ? 1 : 2) && is_needed(s, in->res, NEED_HIGH); k++) {
		ir_val other = in->args[1 - k];
		const struct ir_inst *inner = fold_terms(s, in->args[k], IR_ADD, other);

		if (!inner && !subtract)
			inner = fold_terms(s, in->args[k], IR_SUB, other);
		if (!inner || is_summed_for_free(s, inner->args[0]) ||
		    is_summed_for_free(s, inner->args[1]) || is_summed_for_free(s, other))
			continue;
		if (inner->op == IR_SUB)
			emit_add3_wide(s, in, (ir_val[]){inner->args[0], other, inner->args[1]},
				       true);
		else
			emit_add3_wide(s, in, (ir_val[]){inner->args[0], inner->args[1], other},
				       subtract);
		return true;
	}
	return false;
}

/* The condition of a single-use value that is 1 where the condition holds and 0 elsewhere; 0: v is
 * no such value. */
static ir_val fold_condition(struct select *s, ir_val v)
{
	const struct ir_inst *in = fold_single_use(s, v, IR_ZEXT, type_of(s, v));

	return in && in->from == IR_B1 ? in->args[0] : 0;
}

/* Adds conditions by the carry inputs of IADD3, of which there are two: x + p and x + p + q. */
static bool fold_conditions(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2; k++) {
		ir_val p = fold_condition(s, in->args[k]), q = 0, x = in->args[1 - k];
		const struct ir_inst *inner = fold_single_use(s, x, IR_ADD, in->type);
		struct arg args[2] = {{.src = rz()}, {.src = rz()}};
		struct mir_inst *i;

		if (!p)
			continue;
		for (uint32_t h = 0; inner && !q && h < 2; h++) {
			q = fold_condition(s, inner->args[h]);
			if (q)
				x = inner->args[1 - h];
		}
		args[0] = arg_word(s, inner && !q ? inner->args[0] : x);
		if (inner && !q)
			args[1] = arg_word(s, inner->args[1]);
		legalise_args(s, args, 2, true);
		i = EMIT(s, IADD3, result(s, in->res), NONE, NONE, args[0].src, args[1].src, rz(),
			 arg_pred(s, p), q ? arg_pred(s, q) : mir_pred_const(false));
		set_mod(i, SASS_M_X, 1);
		return true;
	}
	return false;
}

/* x - p is x - 1 + !p. */
static bool fold_negative_condition(struct select *s, const struct ir_inst *in)
{
	ir_val p = fold_condition(s, in->args[1]);
	struct mir_inst *i;

	if (!p)
		return false;
	i = EMIT(s, IADD3, result(s, in->res), NONE, NONE, in_reg(s, arg_word(s, in->args[0])),
		 mir_imm(UINT32_MAX), rz(), with_flags(arg_pred(s, p), SASS_NEG),
		 mir_pred_const(false));
	set_mod(i, SASS_M_X, 1);
	return true;
}

/* The larger of two values less the smaller, plus x. v is the difference. */
static bool emit_distance(struct select *s, struct mir_source d, const struct ir_inst *difference,
			  struct arg x)
{
	const struct ir_inst *most = ir_def(s->ir, difference->args[0]);
	const struct ir_inst *least = ir_def(s->ir, difference->args[1]);
	struct arg args[3] = {{.src = rz()}, {.src = rz()}, x};
	bool is_signed = most->op == IR_MAX_S;

	if (difference->type != IR_B32 || (most->op != IR_MAX_S && most->op != IR_MAX_U) ||
	    least->op != (is_signed ? IR_MIN_S : IR_MIN_U) || most->args[0] != least->args[0] ||
	    most->args[1] != least->args[1] ||
	    s->values[difference->args[0]].uses + s->values[difference->args[1]].uses > 2)
		return false;
	args[0] = arg_word(s, most->args[0]);
	args[1] = arg_word(s, most->args[1]);
	legalise_args(s, args, 3, true);
	set_mod(EMIT(s, VABSDIFF, d, args[0].src, args[1].src, args[2].src), SASS_M_SIGNED,
		is_signed);
	return true;
}

static bool fold_distance(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *inner = fold_single_use(s, in->args[k], IR_SUB, IR_B32);

		if (inner &&
		    emit_distance(s, result(s, in->res), inner, arg_word(s, in->args[1 - k])))
			return true;
	}
	return false;
}

/* Folds a single-use product, shift or sum into the addition. */
static bool fold_inner(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *inner = fold_single_use(s, in->args[k], IR_MUL, in->type);
		ir_val other = in->args[1 - k];
		uint64_t amount;

		if (inner) {
			emit_multiply_add(s, result(s, in->res), arg_word(s, inner->args[0]),
					  arg_word(s, inner->args[1]), arg_word(s, other));
			return true;
		}
		inner = fold_single_use(s, in->args[k], IR_SHL, in->type);
		if (inner && ir_is_const(s->ir, inner->args[1], &amount) && amount < 32) {
			struct arg a = arg_word(s, inner->args[0]);

			EMIT(s, LEA, result(s, in->res), NONE, in_reg(s, a), arg_word(s, other).src,
			     mir_imm((uint32_t)amount));
			return true;
		}
		/* LEA.HI adds the high word of a shifted pair: y + (x >> n). */
		inner = fold_single_use(s, in->args[k], IR_SHR_U, in->type);
		if (inner && in->type == IR_B32 && ir_is_const(s->ir, inner->args[1], &amount) &&
		    amount - 1 < 31) {
			struct arg a = arg_word(s, inner->args[0]);

			EMIT(s, LEA_HI, result(s, in->res), NONE, in_reg(s, a),
			     arg_word(s, other).src, rz(), mir_imm((uint32_t)(32 - amount)));
			return true;
		}
		inner = fold_single_use(s, in->args[k], IR_ADD, in->type);
		if (inner) {
			emit_add3(s, result(s, in->res), arg_word(s, inner->args[0]),
				  arg_word(s, inner->args[1]), arg_word(s, other));
			return true;
		}
		inner = fold_terms(s, in->args[k], IR_SUB, other);
		if (inner) {
			emit_add3(s, result(s, in->res), arg_word(s, inner->args[0]),
				  negated(arg_word(s, inner->args[1])), arg_word(s, other));
			return true;
		}
	}
	return false;
}

/* The greatest value that the low word may have. */
static uint32_t max_low_word(const struct select *s, ir_val v)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint64_t k;

	if (in->op == IR_ZEXT && in->from == IR_B32)
		in = ir_def(s->ir, in->args[0]);
	if (in->op == IR_CONST)
		return (uint32_t)in->imm;
	if (in->op == IR_AND && ir_is_const(s->ir, in->args[1], &k))
		return (uint32_t)k;
	if (in->op == IR_SHR_U && in->type == IR_B32 && ir_is_const(s->ir, in->args[1], &k) &&
	    k < 32)
		return UINT32_MAX >> k;
	return UINT32_MAX;
}

/* Sums whose low words have no carry, as those of an offset and a descriptor. */
static bool add_halves(struct select *s, const struct ir_inst *in)
{
	uint64_t max = (uint64_t)max_low_word(s, in->args[0]) + max_low_word(s, in->args[1]);

	if (max > UINT32_MAX || !is_needed(s, in->res, NEED_HIGH))
		return false;
	for (uint32_t h = 0; h < 2; h++)
		emit_add3(s, result_half(s, in->res, h), arg_half(s, in->args[0], h),
			  arg_half(s, in->args[1], h), zero_arg());
	return true;
}

bool select_add(struct select *s, const struct ir_inst *in)
{
	struct arg a[2], b[2];

	if (is_narrow(in->type)) {
		if (!select_funnel(s, in) && !fold_distance(s, in) && !fold_conditions(s, in) &&
		    !fold_inner(s, in))
			emit_add3(s, result(s, in->res), arg_word(s, in->args[0]),
				  arg_word(s, in->args[1]), zero_arg());
		return true;
	}
	if (fold_product(s, in) || fold_shift_wide(s, in) || fold_inner_wide(s, in) ||
	    fold_widened(s, in) || add_halves(s, in))
		return true;
	for (uint32_t h = 0; h < (is_needed(s, in->res, NEED_HIGH) ? 2 : 1); h++) {
		a[h] = arg_half(s, in->args[0], h);
		b[h] = arg_half(s, in->args[1], h);
	}
	emit_add_wide(s, in->res, a, b, false);
	return true;
}

bool select_sub(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *inner;
	struct arg a[2], b[2];

	if (is_narrow(in->type) && (emit_distance(s, result(s, in->res), in, zero_arg()) ||
				    fold_negative_condition(s, in) || select_highest_bit(s, in)))
		return true;
	inner = is_narrow(in->type) ? fold_terms(s, in->args[0], IR_ADD, in->args[1]) : NULL;
	if (inner) {
		emit_add3(s, result(s, in->res), arg_word(s, inner->args[0]),
			  arg_word(s, inner->args[1]), negated(arg_word(s, in->args[1])));
		return true;
	}
	if (!is_narrow(in->type) && fold_inner_wide(s, in))
		return true;
	for (uint32_t h = 0; h < (is_needed(s, in->res, NEED_HIGH) ? 2 : 1); h++) {
		a[h] = arg_half(s, in->args[0], h);
		b[h] = arg_half(s, in->args[1], h);
	}
	if (is_narrow(in->type))
		emit_add3(s, result(s, in->res), a[0], negated(b[0]), zero_arg());
	else
		emit_add_wide(s, in->res, a, b, true);
	return true;
}

bool select_neg(struct select *s, const struct ir_inst *in)
{
	struct arg zeros[2] = {zero_arg(), zero_arg()}, b[2];

	b[0] = arg_half(s, in->args[0], 0);
	if (is_narrow(in->type)) {
		emit_add3(s, result(s, in->res), zero_arg(), negated(b[0]), zero_arg());
		return true;
	}
	b[1] = arg_half(s, in->args[0], 1);
	emit_add_wide(s, in->res, zeros, b, true);
	return true;
}

/* Low 64 bits of a * b + c. The products that affect only the high word are added to c's first. */
static void emit_multiply_pair(struct select *s, const struct ir_inst *in)
{
	struct arg a[2] = {arg_half(s, in->args[0], 0), arg_half(s, in->args[0], 1)};
	struct arg b[2] = {arg_half(s, in->args[1], 0), arg_half(s, in->args[1], 1)};
	bool adds = in->op == IR_MAD;
	struct arg high = adds ? arg_half(s, in->args[2], 1) : zero_arg();
	struct arg words[2];

	if (is_zero(&a[1]) && is_zero(&b[1])) {
		emit_multiply_wide(s, result(s, in->res), a[0], b[0],
				   adds ? arg_pair(s, in->args[2]) : zero_arg(), false);
		return;
	}
	for (uint32_t k = 0; k < 2; k++) {
		const struct arg *x = k ? &b[1] : &a[1], *y = k ? &a[0] : &b[0];
		struct mir_source sum;

		if (is_zero(x))
			continue;
		sum = new_temp(s, SASS_GPR, 1);
		emit_multiply_add(s, sum, *x, *y, high);
		high = reg_arg(sum);
	}
	words[0] = adds ? arg_half(s, in->args[2], 0) : zero_arg();
	words[1] = high;
	emit_multiply_wide(s, result(s, in->res), a[0], b[0], reg_arg(in_vector(s, words, 2)),
			   false);
}

bool select_mul(struct select *s, const struct ir_inst *in)
{
	if (in->type == IR_B64 && is_needed(s, in->res, NEED_HIGH))
		emit_multiply_pair(s, in);
	else
		emit_multiply_add(s, result(s, in->res), arg_word(s, in->args[0]),
				  arg_word(s, in->args[1]),
				  in->op == IR_MAD ? arg_word(s, in->args[2]) : zero_arg());
	return true;
}

bool select_mulhi(struct select *s, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_MULHI_S;
	uint32_t bits = ir_type_bits(in->type);
	struct mir_source product;
	struct arg args[2];

	if (in->type == IR_B64)
		return select_mulhi_pair(s, in);
	args[0] = arg_extended(s, in->args[0], is_signed);
	args[1] = arg_extended(s, in->args[1], is_signed);
	if (bits < 32) {
		product = new_temp(s, SASS_GPR, 1);
		emit_multiply_add(s, product, args[0], args[1], zero_arg());
		EMIT(s, PRMT, result(s, in->res), product, mir_imm(bits == 8 ? 0x4441 : 0x4432),
		     rz());
		return true;
	}
	if (s->f->sm < 75) { /* no IMAD.HI */
		product = new_temp(s, SASS_GPR, 2);
		emit_multiply_wide(s, product, args[0], args[1], zero_arg(), is_signed);
		EMIT(s, MOV, result(s, in->res),
		     mir_reg(SASS_GPR, (struct mir_ref){product.ref.vreg, 1}));
		return true;
	}
	legalise_args(s, args, 2, true);
	set_mod(EMIT(s, IMAD_HI, result(s, in->res), NONE, args[0].src, args[1].src, rz()),
		SASS_M_SIGNED, is_signed);
	return true;
}

bool select_mulwide(struct select *s, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_MULWIDE_S;
	struct arg a = arg_extended(s, in->args[0], is_signed);
	struct arg b = arg_extended(s, in->args[1], is_signed);

	if (in->type == IR_B64 && is_needed(s, in->res, NEED_HIGH))
		emit_multiply_wide(s, result(s, in->res), a, b, zero_arg(), is_signed);
	else
		emit_multiply_add(s, result(s, in->res), a, b, zero_arg());
	return true;
}

/*
 * Additions with carry in and out, and other operations that map to one instruction.
 */

static struct mir_inst *emit_add_carry(struct select *s, struct mir_source d, struct mir_source out,
				       struct arg a, struct arg b, struct mir_source in)
{
	struct arg args[2] = {a, b};
	struct mir_inst *i;

	legalise_args(s, args, 2, true);
	i = EMIT(s, IADD3, d, out, NONE, args[0].src, args[1].src, rz(), in, mir_pred_const(false));
	set_mod(i, SASS_M_X, 1);
	return i;
}

/* a - b is a + ~b + 1, and borrow is the inverse of carry: arg_pred() inverts it. */
bool select_carry(struct select *s, const struct ir_inst *in)
{
	bool subtract = in->op == IR_SUBC, wide = in->type == IR_B64;
	struct mir_source carry = with_flags(arg_pred(s, in->args[2]), subtract ? SASS_NEG : 0);

	if (in->type < IR_B32)
		return false;
	for (uint32_t h = 0; h < (wide ? 2 : 1); h++) {
		struct arg a = arg_half(s, in->args[0], h), b = arg_half(s, in->args[1], h);
		bool last = h == (wide ? 1 : 0), needed = is_needed(s, in->res, (uint8_t)(1 << h));
		struct mir_source out = !last ? new_temp(s, SASS_PRED, 1)
					: is_needed(s, in->res + 1, NEED_LOW)
						? result(s, in->res + 1)
						: NONE;

		if (subtract && is_zero(&b))
			b = (struct arg){.src = mir_imm(UINT32_MAX)};
		else if (subtract && b.src.op.kind == SASS_IMM)
			b = (struct arg){.src = mir_imm(~(uint32_t)b.src.op.value)};
		else if (subtract)
			b = with_inversion(s, b, SASS_NOT);
		emit_add_carry(s, needed ? result_half(s, in->res, h) : rz(), out, a, b, carry);
		carry = out;
	}
	return true;
}

bool select_permute(struct select *s, const struct ir_inst *in)
{
	struct arg a = arg_word(s, in->args[0]), b = arg_word(s, in->args[1]);
	struct arg selector = arg_word(s, in->args[2]);

	if (!is_reg(&selector) && !is_reg(&b))
		b.src = in_reg(s, b);
	EMIT(s, PRMT, result(s, in->res), in_reg(s, a), selector.src, b.src);
	return true;
}

/* Absolute differences of four bytes; with a sum, of these and c. */
static void emit_distances(struct select *s, struct mir_source d, const struct ir_inst *in,
			   struct arg c, bool sum)
{
	struct arg args[3] = {arg_word(s, in->args[0]), arg_word(s, in->args[1]), c};

	legalise_args(s, args, 3, true);
	set_mod(EMIT(s, VABSDIFF4, d, args[0].src, args[1].src, args[2].src), SASS_M_ACC, sum);
}

bool select_absdiff4(struct select *s, const struct ir_inst *in)
{
	emit_distances(s, result(s, in->res), in, zero_arg(), false);
	return true;
}

/* The dot product of absolute differences and ones is their sum. */
static bool fold_distances(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2 && in->sub == IR_DOT4_UU; k++) {
		const struct ir_inst *x = fold_single_use(s, in->args[k], IR_ABSDIFF4, IR_B32);
		uint64_t ones;

		if (!x || !ir_is_const(s->ir, in->args[1 - k], &ones) || ones != 0x01010101)
			continue;
		emit_distances(s, result(s, in->res), x, arg_word(s, in->args[2]), true);
		return true;
	}
	return false;
}

bool select_dot(struct select *s, const struct ir_inst *in)
{
	static const uint8_t formats[] = {SASS_DOT_U8_U8, SASS_DOT_U8_S8, SASS_DOT_S8_U8,
					  SASS_DOT_S8_S8};
	struct mir_source a, b, c;
	struct mir_inst *i;

	if (fold_distances(s, in))
		return true;
	a = in_reg(s, arg_word(s, in->args[0]));
	b = in_reg(s, arg_word(s, in->args[1]));
	c = in_reg(s, arg_word(s, in->args[2]));
	i = in->sub <= IR_DOT4_SS ? EMIT(s, IDP, result(s, in->res), a, b, c)
				  : EMIT(s, IDP_2A, result(s, in->res), a, b, c);
	set_mod(i, SASS_M_DOT, formats[in->sub % 4]);
	set_mod(i, SASS_M_HI, in->sub >= IR_DOT2HI_UU);
	return true;
}
