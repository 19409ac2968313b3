// SPDX-License-Identifier: MIT
/*
 * Integer division.
 *
 * Division by a constant d becomes a multiplication: with m = ceil(2^(n + s) / d), the quotient of
 * every n-bit number x is (m x) >> (n + s) if m d - 2^(n + s) is at most 2^s (Granlund and
 * Montgomery, "Division by invariant integers using multiplication", 1994). The pass uses the
 * smallest such s; if m has n + 1 bits, an addition supplies the highest. Signed numbers are one
 * bit shorter, and a negative quotient is incremented. Powers of two become shifts.
 *
 * 32-bit division by a variable: u, an estimate of 2^32 / b from below, comes from the f32
 * reciprocal. With b rounded up, its reciprocal is never too large; adding 0x0ffffffe to its bits
 * multiplies it by 2^32 and subtracts two units in the last place for the error of the
 * approximation. Where the rounding mode is not a field of instructions, b is rounded to the
 * nearest float and the reciprocal multiplied by 2^32 (1 - 2^-23). One Newton step,
 * u += u * (2^32 - u * b) / 2^32, makes any quotient at most two too small. The expansion has no
 * branches, and u depends on b alone, so that divisions by one divisor share it and loops hoist it.
 *
 * 64-bit division by a variable: if both numbers fit into 32 bits, which is common, a 32-bit
 * division follows. Otherwise, with v = 2^64 / b from a double reciprocal, too small by up to 2^-48
 * of itself, the high half of a v is the quotient up to an error of 2^16; the high half of the
 * remainder times v reduces the error to two.
 */
#include "libsov/compiler/passes/expand.h"

/* Multiplier and shift for a divisor: q = mulhi(x, low bits of m) >> shift, with x added before the
 * shift if m has one bit more than x. */
struct magic {
	uint64_t multiplier;
	uint32_t shift;
	bool add;
};

/* For dividends below 2^bits; d is neither 0 nor a power of two. */
static struct magic find_magic(uint64_t d, uint32_t bits, uint32_t width)
{
	struct magic m = {0};

	for (;; m.shift++) {
		/* 2^(width + shift) = q d + r; the multiplier is q + 1 and its excess d - r. */
		unsigned __int128 power = (unsigned __int128)1 << 127, q, r;
		uint32_t n = width + m.shift;

		if (n < 127)
			power = (unsigned __int128)1 << n;
		q = power / d;
		r = power % d;
		if (n == 128) { /* twice 2^127 */
			q = 2 * q + 2 * r / d;
			r = 2 * r % d;
		}
		if (d - (uint64_t)r <= (unsigned __int128)1 << (n - bits)) {
			q++;
			m.multiplier = (uint64_t)q & UINT64_MAX >> (64 - width);
			m.add = q >> width & 1;
			return m;
		}
	}
}

static ir_val mulhi_const(struct expand *e, enum ir_op op, ir_val x, uint64_t multiplier)
{
	return expand_op_imm(e, op, x, multiplier);
}

static ir_val divide_unsigned(struct expand *e, ir_val x, uint64_t d, uint32_t bits)
{
	struct magic m;
	ir_val t;

	if (!(d & (d - 1)))
		return expand_shift(e, IR_SHR_U, x, (uint32_t)__builtin_ctzll(d));
	m = find_magic(d, bits, bits);
	t = mulhi_const(e, IR_MULHI_U, x, m.multiplier);
	if (!m.add)
		return expand_shift(e, IR_SHR_U, t, m.shift);
	/* (x + t) / 2 without its carry, then shift by one less */
	x = expand_shift(e, IR_SHR_U, expand_op(e, IR_SUB, e->f->values[x].type, x, t, 0), 1);
	x = expand_op(e, IR_ADD, e->f->values[x].type, x, t, 0);
	return expand_shift(e, IR_SHR_U, x, m.shift - 1);
}

static ir_val divide_signed(struct expand *e, ir_val x, int64_t d, uint32_t bits)
{
	uint64_t size = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;
	enum ir_type t = e->f->values[x].type;
	ir_val q, sign = expand_shift(e, IR_SHR_S, x, bits - 1);

	size &= UINT64_MAX >> (64 - bits);
	if (!(size & (size - 1))) {
		uint32_t n = (uint32_t)__builtin_ctzll(size);

		/* Rounds towards zero: adds 2^n - 1 if x is negative. */
		q = n ? expand_op(e, IR_ADD, t, x, expand_shift(e, IR_SHR_U, sign, bits - n), 0)
		      : x;
		q = expand_shift(e, IR_SHR_S, q, n);
	} else {
		struct magic m = find_magic(size, bits - 1, bits);

		/* As a signed number, a multiplier with its highest bit set is 2^bits too small. */
		q = mulhi_const(e, IR_MULHI_S, x, m.multiplier);
		if (m.multiplier >> (bits - 1))
			q = expand_op(e, IR_ADD, t, q, x, 0);
		q = expand_op(e, IR_SUB, t, expand_shift(e, IR_SHR_S, q, m.shift), sign, 0);
	}
	return d < 0 ? expand_op(e, IR_NEG, t, q, 0, 0) : q;
}

/* 8 and 16 bits are divided as 32. */
static ir_val divide_by_constant(struct expand *e, const struct ir_inst *in, uint64_t d)
{
	bool is_signed = in->op == IR_DIV_S || in->op == IR_REM_S;
	uint32_t above = 64 - ir_type_bits(in->type);
	enum ir_type t = in->type < IR_B32 ? IR_B32 : in->type;
	ir_val x = expand_convert(e, is_signed ? IR_SEXT : IR_ZEXT, t, in->args[0]), q;

	if (is_signed) {
		d = (uint64_t)((int64_t)(d << above) >> above);
		q = divide_signed(e, x, (int64_t)d, ir_type_bits(t));
	} else {
		q = divide_unsigned(e, x, d, ir_type_bits(t));
	}
	if (in->op == IR_REM_U || in->op == IR_REM_S)
		q = expand_op(e, IR_SUB, t, x, expand_op_imm(e, IR_MUL, q, d), 0);
	return expand_convert(e, IR_TRUNC, in->type, q);
}

struct quotient {
	ir_val quotient, remainder;
};

/* 2^64 / b, slightly too small. */
static ir_val estimate_reciprocal(struct expand *e, ir_val b)
{
	ir_val x, r, d;

	x = expand_op(e, IR_UTOF, IR_B64, b, 0, 0);
	ir_def(e->f, x)->from = IR_B64;
	r = expand_approx(e, IR_APPROX_RCP, x);
	d = expand_round(e, IR_FMA, IR_RN, expand_op(e, IR_FNEG, IR_B64, x, 0, 0), r,
			 expand_const(e, IR_B64, UINT64_C(0x3ff0000000000000)));
	d = expand_round(e, IR_FMA, IR_RN, d, d, d);
	r = expand_round(e, IR_FMA, IR_RN, r, d, r);
	/* 2^64 (1 - 2^-49) */
	r = expand_round(e, IR_FMUL, IR_RZ, r,
			 expand_const(e, IR_B64, UINT64_C(0x43effffffffffff0)), 0);
	r = expand_op(e, IR_FTOU, IR_B64, r, 0, 0);
	ir_def(e->f, r)->from = IR_B64;
	ir_def(e->f, r)->round = IR_RZ;
	return r;
}

static struct quotient divide_wide(struct expand *e, ir_val a, ir_val b)
{
	ir_val v = estimate_reciprocal(e, b), part;
	struct quotient q = {.remainder = a};

	for (uint32_t k = 0; k < 2; k++) {
		part = expand_op(e, IR_MULHI_U, IR_B64, q.remainder, v, 0);
		q.remainder = expand_op(e, IR_SUB, IR_B64, q.remainder,
					expand_op(e, IR_MUL, IR_B64, part, b, 0), 0);
		q.quotient = k ? expand_op(e, IR_ADD, IR_B64, q.quotient, part, 0) : part;
	}
	for (uint32_t k = 0; k < 2; k++) {
		ir_val more = expand_compare(e, IR_GE_U, q.remainder, b);

		part = expand_convert(e, IR_ZEXT, IR_B64, more);
		q.quotient = expand_op(e, IR_ADD, IR_B64, q.quotient, part, 0);
		part = expand_select(e, more, b, expand_const(e, IR_B64, 0));
		q.remainder = expand_op(e, IR_SUB, IR_B64, q.remainder, part, 0);
	}
	return q;
}

static ir_val magnitude(struct expand *e, ir_val x, ir_val negative)
{
	return expand_select(e, negative, expand_op(e, IR_NEG, IR_B64, x, 0, 0), x);
}

/* 2^32 / b, too small; 0 for a divisor of 0. */
static ir_val estimate_reciprocal32(struct expand *e, ir_val b, ir_val minus_b)
{
	ir_val x, u, error;

	x = expand_op(e, IR_UTOF, IR_B32, b, 0, 0);
	ir_def(e->f, x)->from = IR_B32;
	if (e->target->rounding_is_a_mode) {
		x = expand_approx(e, IR_APPROX_RCP, x);
		ir_def(e->f, x)->flags |= IR_NORMAL;
		x = expand_round(e, IR_FMUL, IR_RN, x, expand_const(e, IR_B32, 0x4f7ffffe), 0);
	} else {
		ir_def(e->f, x)->round = IR_RP;
		x = expand_op_imm(e, IR_ADD, expand_approx(e, IR_APPROX_RCP, x), 0x0ffffffe);
	}
	u = expand_op(e, IR_FTOU, IR_B32, x, 0, 0);
	ir_def(e->f, u)->from = IR_B32;
	ir_def(e->f, u)->round = IR_RZ;
	ir_def(e->f, u)->flags = e->target->rounding_is_a_mode ? 0 : IR_FTZ;
	error = expand_op(e, IR_MUL, IR_B32, minus_b, u, 0);
	return expand_op(e, IR_ADD, IR_B32, u, expand_op(e, IR_MULHI_U, IR_B32, u, error, 0), 0);
}

/* The remainder r - b is above r as an unsigned number exactly if r is below b. */
static struct quotient divide_words(struct expand *e, ir_val a, ir_val b)
{
	ir_val minus_b = expand_op(e, IR_NEG, IR_B32, b, 0, 0);
	ir_val u = estimate_reciprocal32(e, b, minus_b);
	struct quotient q;

	q.quotient = expand_op(e, IR_MULHI_U, IR_B32, u, a, 0);
	q.remainder = expand_op(e, IR_MAD, IR_B32, minus_b, q.quotient, a);
	for (uint32_t k = 0; k < 2; k++) {
		ir_val more = expand_compare(e, IR_GE_U, q.remainder, b);
		ir_val less = expand_op(e, IR_SUB, IR_B32, q.remainder, b, 0);

		q.quotient = expand_op(e, IR_ADD, IR_B32, q.quotient,
				       expand_convert(e, IR_ZEXT, IR_B32, more), 0);
		q.remainder = expand_op(e, IR_MIN_U, IR_B32, q.remainder, less, 0);
	}
	return q;
}

/* Quotient or remainder of two numbers that fit into 32 bits. */
static ir_val divide_narrow(struct expand *e, enum ir_op op, ir_val a, ir_val b)
{
	struct quotient q;

	a = expand_convert(e, IR_TRUNC, IR_B32, a);
	b = expand_convert(e, IR_TRUNC, IR_B32, b);
	if (e->target->lacks & TARGET_INT32_DIVIDE) {
		q = divide_words(e, a, b);
		a = op == IR_REM_U ? q.remainder : q.quotient;
	} else {
		a = expand_op(e, op, IR_B32, a, b, 0);
	}
	return expand_convert(e, IR_ZEXT, IR_B64, a);
}

ir_val expand_wide_idiv(struct expand *e, const struct ir_inst *in, const ir_val *args)
{
	bool is_signed = in->op == IR_DIV_S || in->op == IR_REM_S;
	bool is_remainder = in->op == IR_REM_U || in->op == IR_REM_S;
	ir_val a = args[0], b = args[1], below[2] = {0}, large, q, by_zero;
	struct quotient wide;
	struct expand_if br;

	if (is_signed) {
		for (int k = 0; k < 2; k++)
			below[k] = expand_compare_imm(e, IR_LT_S, args[k], 0);
		a = magnitude(e, a, below[0]);
		b = magnitude(e, b, below[1]);
	}
	large = expand_op(e, IR_OR, IR_B64, a, b, 0);
	large = expand_compare_imm(e, IR_GT_U, large, UINT32_MAX);
	q = divide_narrow(e, is_remainder ? IR_REM_U : IR_DIV_U, a, b);
	br = expand_if_begin(e, large);
	wide = divide_wide(e, a, b);
	q = expand_if_end(e, &br, is_remainder ? wide.remainder : wide.quotient, q);
	if (is_signed) {
		ir_val negative = is_remainder ? below[0]
					       : expand_op(e, IR_XOR, IR_B1, below[0], below[1], 0);

		q = magnitude(e, q, negative);
	}
	by_zero = expand_compare_imm(e, IR_EQ, b, 0);
	return expand_select(e, by_zero,
			     is_remainder ? args[0] : expand_const(e, IR_B64, UINT64_MAX), q);
}

/* x, or -x if the sign word is all ones. */
static ir_val with_sign(struct expand *e, ir_val x, ir_val sign)
{
	return expand_op(e, IR_SUB, IR_B32, expand_op(e, IR_XOR, IR_B32, x, sign, 0), sign, 0);
}

/* Division by zero gives all ones, and the dividend as remainder. */
static ir_val divide_word_by_variable(struct expand *e, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_DIV_S || in->op == IR_REM_S;
	bool is_remainder = in->op == IR_REM_U || in->op == IR_REM_S;
	ir_val args[2], size[2], v;
	struct quotient q;

	for (uint32_t k = 0; k < 2; k++) {
		args[k] = size[k] =
			expand_convert(e, is_signed ? IR_SEXT : IR_ZEXT, IR_B32, in->args[k]);
		if (is_signed)
			size[k] = expand_op(e, IR_MAX_S, IR_B32, args[k],
					    expand_op(e, IR_NEG, IR_B32, args[k], 0, 0), 0);
	}
	q = divide_words(e, size[0], size[1]);
	v = is_remainder ? q.remainder : q.quotient;
	if (is_signed) {
		ir_val sign =
			is_remainder ? args[0] : expand_op(e, IR_XOR, IR_B32, args[0], args[1], 0);

		v = with_sign(e, v, expand_shift(e, IR_SHR_S, sign, 31));
	}
	if (!is_remainder)
		v = expand_select(e, expand_compare_imm(e, IR_NE, args[1], 0), v,
				  expand_const(e, IR_B32, UINT32_MAX));
	return expand_convert(e, IR_TRUNC, in->type, v);
}

ir_val expand_idiv(struct expand *e, const struct ir_inst *in)
{
	uint64_t d;

	if (ir_is_const(e->f, in->args[1], &d) && d)
		return divide_by_constant(e, in, d);
	if (in->type == IR_B64)
		return expand_slow_path(e, in);
	return e->target->lacks & TARGET_INT32_DIVIDE ? divide_word_by_variable(e, in) : 0;
}
