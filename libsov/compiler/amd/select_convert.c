// SPDX-License-Identifier: MIT
/*
 * Conversions with floats. The machine converts words and singles, words and doubles, singles and halves,
 * and saturates as PTX wants. What it lacks goes by steps that lose nothing: 64-bit integers by their
 * words, and where a step has to round before the last one it rounds to odd, so that the last one sees
 * whether anything was lost.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

static const uint8_t rounds[] = {[IR_RN] = 0, [IR_RP] = 1, [IR_RM] = 2, [IR_RZ] = 3};
enum { TO_ZERO = 3 };

static struct gcn_src unary(struct select *s, enum amd_op op, uint32_t words, struct gcn_src x,
			    uint32_t mode)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, words);

	sel_vop(s, op, d, x, gcn_none(), gcn_none())->mode = (uint8_t)mode;
	return d;
}

static struct gcn_src binary(struct select *s, enum amd_op op, uint32_t words, struct gcn_src x,
			     struct gcn_src y, uint32_t mode)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, words);

	sel_vop(s, op, d, x, y, gcn_none())->mode = (uint8_t)mode;
	return d;
}

static uint32_t flush_of(const struct ir_inst *in)
{
	return in->flags & IR_FTZ ? GCN_FLUSH : 0;
}

/* The result of some words, saturated if that is wanted. */
static void finish(struct select *s, struct gcn_src x, enum ir_type type)
{
	static const uint16_t adds[] = {AMD_v_max_f16, AMD_v_max_f32, AMD_v_max_f64};
	struct gcn_src d = sel_result(s, 0, 0);

	if (s->in->flags & IR_SAT && s->in->op != IR_FTOU && s->in->op != IR_FTOS) {
		sel_vop_long(s, adds[type - IR_B16], d, x, x, gcn_none())->in.field[AMD_F_CLAMP] =
			1;
		return;
	}
	sel_move(s, d, x, sel_words(type));
}

/* A single as bf16: its upper half, rounded. */
struct gcn_src select_to_bf16(struct select *s, struct gcn_src x, enum ir_round round)
{
	struct gcn_src odd, t, nan;

	if (round == IR_RZ) {
		t = sel_new(s, GCN_VECTOR, SEL_SHR_U, x, gcn_imm(16));
	} else if (round != IR_RN) { /* away from zero on one side of it */
		t = sel_new(s, GCN_VECTOR, SEL_SHR_S, x, gcn_imm(31));
		if (round == IR_RP)
			t = sel_new(s, GCN_VECTOR, SEL_NOT, t, gcn_none());
		t = sel_new(s, GCN_VECTOR, SEL_AND, t, gcn_imm(0xffff));
		t = sel_new(s, GCN_VECTOR, SEL_ADD, t, x);
		t = sel_new(s, GCN_VECTOR, SEL_SHR_U, t, gcn_imm(16));
	} else {
		odd = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_bfe_u32, odd, x, gcn_imm(16), gcn_imm(1));
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_add3_u32, t, x, odd, gcn_imm(0x7fff));
		t = sel_new(s, GCN_VECTOR, SEL_SHR_U, t, gcn_imm(16));
	}
	x = sel_vector(s, x, 1);
	nan = sel_compare(s, AMD_v_cmp_u_f32, x, x);
	odd = sel_temp(s, GCN_VECTOR, 1);
	sel_choose(s, odd, nan, gcn_imm(0x7fff), t);
	return odd;
}

/* ---- from integers ---- */

/* 64 bits as a single: shifted until the highest bit is at the top, what is below the upper word is one
 * bit, and the exponent is put right at the end. */
static struct gcn_src single_of_64(struct select *s, bool is_signed, uint32_t round)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), by, t = sel_temp(s, GCN_VECTOR, 2), p, low,
		       top;

	if (is_signed) {
		/* of equal bits at the top all but one go */
		struct gcn_src signs = sel_new(s, GCN_VECTOR, SEL_XOR, x, sel_part(x, 1)), most;

		most = sel_new(s, GCN_VECTOR, SEL_SHR_S, signs, gcn_imm(31));
		most = sel_new(s, GCN_VECTOR, SEL_ADD, most, gcn_imm(32)); /* 32, or 31 */
		by = unary(s, AMD_v_ffbh_i32, 1, sel_part(x, 1), GCN_MODE_ANY);
		by = sel_new(s, GCN_VECTOR, SEL_SUB, by, gcn_imm(1)); /* -1 becomes -2 */
		by = sel_new(s, GCN_VECTOR, SEL_MIN_U, by, most);
		/* an upper word of signs alone: the lower one decides, by its own highest bit */
		low = sel_new(s, GCN_VECTOR, SEL_SHR_S, sel_part(x, 1), gcn_imm(31));
		low = sel_new(s, GCN_VECTOR, SEL_XOR, x, low);
		low = unary(s, AMD_v_ffbh_u32, 1, low, GCN_MODE_ANY);
		low = sel_new(s, GCN_VECTOR, SEL_MIN_U, low, gcn_imm(32));
		low = sel_new(s, GCN_VECTOR, SEL_ADD, low, gcn_imm(31));
		p = sel_compare(s, AMD_v_cmp_gt_u32, gcn_imm(31), by);
		top = sel_temp(s, GCN_VECTOR, 1);
		sel_choose(s, top, p, by, low);
		by = top;
	} else {
		low = unary(s, AMD_v_ffbh_u32, 1, x, GCN_MODE_ANY);
		low = sel_new(s, GCN_VECTOR, SEL_MIN_U, low, gcn_imm(32));
		low = sel_new(s, GCN_VECTOR, SEL_ADD, low, gcn_imm(32));
		by = unary(s, AMD_v_ffbh_u32, 1, sel_part(x, 1), GCN_MODE_ANY);
		by = sel_new(s, GCN_VECTOR, SEL_MIN_U, by, low);
	}
	by = sel_new(s, GCN_VECTOR, SEL_MIN_U, by, gcn_imm(63));
	sel_vop(s, AMD_v_lshlrev_b64, t, by, x, gcn_none());
	p = sel_compare(s, AMD_v_cmp_ne_u32, gcn_imm(0), t);
	low = sel_temp(s, GCN_VECTOR, 1);
	sel_choose(s, low, p, gcn_imm(1), gcn_imm(0));
	low = sel_new(s, GCN_VECTOR, SEL_OR, low, sel_part(t, 1));
	top = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1, low, round);
	by = sel_new(s, GCN_VECTOR, SEL_SUB, gcn_imm(32), by);
	return binary(s, AMD_v_ldexp_f32, 1, top, by, 0);
}

static struct gcn_src double_of_64(struct select *s, bool is_signed, uint32_t round)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), high, low;

	high = unary(s, is_signed ? AMD_v_cvt_f64_i32 : AMD_v_cvt_f64_u32, 2, sel_part(x, 1), 0);
	high = binary(s, AMD_v_ldexp_f64, 2, high, gcn_imm(32), 0);
	low = unary(s, AMD_v_cvt_f64_u32, 2, x, 0);
	return binary(s, AMD_v_add_f64, 2, high, low, round);
}

/* A word as a single, rounded to odd. */
static struct gcn_src odd_single(struct select *s, struct gcn_src x, bool is_signed)
{
	struct gcn_src f, back, p, one, d;

	f = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1, x, TO_ZERO);
	back = unary(s, is_signed ? AMD_v_cvt_i32_f32 : AMD_v_cvt_u32_f32, 1, f, 0);
	p = sel_compare(s, AMD_v_cmp_ne_u32, x, back);
	one = sel_new(s, GCN_VECTOR, SEL_OR, f, gcn_imm(1));
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_choose(s, d, p, one, f);
	return d;
}

/* What does not fit a word does not fit a half either. */
static struct gcn_src clamped_word(struct select *s, bool is_signed)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), p, d = sel_temp(s, GCN_VECTOR, 1), limit;

	if (!is_signed) {
		p = sel_compare(s, AMD_v_cmp_ne_u32, gcn_imm(0), sel_part(x, 1));
		sel_choose(s, d, p, gcn_imm(0x7fffffff), x);
		return d;
	}
	limit = sel_new(s, GCN_VECTOR, SEL_SHR_S, sel_part(x, 1), gcn_imm(31));
	limit = sel_new(s, GCN_VECTOR, SEL_XOR, limit, gcn_imm(0x7fffffff));
	p = sel_compare(s, AMD_v_cmp_eq_u32, sel_part(x, 1),
			sel_new(s, GCN_VECTOR, SEL_SHR_S, x, gcn_imm(31)));
	sel_choose(s, d, p, x, limit);
	return d;
}

static void from_integer(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool is_signed = in->op == IR_STOF, wide = in->from == IR_B64;
	uint32_t round = rounds[in->round];
	struct gcn_src x;

	if (in->type == IR_B64) {
		if (wide)
			x = double_of_64(s, is_signed, round);
		else
			x = unary(s, is_signed ? AMD_v_cvt_f64_i32 : AMD_v_cvt_f64_u32, 2,
				  sel_extended(s, ARG(0), in->from, is_signed), 0);
		finish(s, x, IR_B64);
		return;
	}
	if (in->type == IR_B32) {
		if (wide)
			x = single_of_64(s, is_signed, round);
		else
			x = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1,
				  sel_extended(s, ARG(0), in->from, is_signed), round);
		finish(s, x, IR_B32);
		return;
	}
	if (in->format == IR_BF16) {
		x = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1,
			  sel_extended(s, ARG(0), in->from, is_signed), 0);
		finish(s, select_to_bf16(s, x, in->round), IR_B16);
		return;
	}
	x = wide ? clamped_word(s, is_signed)
		 : sel_vector(s, sel_extended(s, ARG(0), in->from, is_signed), 1);
	finish(s, unary(s, AMD_v_cvt_f16_f32, 1, odd_single(s, x, is_signed), round), IR_B16);
}

/* ---- to integers ---- */

/* The argument as a single or a double, rounded to an integer. */
static struct gcn_src integral(struct select *s, bool as_double)
{
	static const uint16_t singles[] = {[IR_RN] = AMD_v_rndne_f32,
					   [IR_RZ] = AMD_v_trunc_f32,
					   [IR_RM] = AMD_v_floor_f32,
					   [IR_RP] = AMD_v_ceil_f32};
	static const uint16_t doubles[] = {[IR_RN] = AMD_v_rndne_f64,
					   [IR_RZ] = AMD_v_trunc_f64,
					   [IR_RM] = AMD_v_floor_f64,
					   [IR_RP] = AMD_v_ceil_f64};
	const struct ir_inst *in = s->in;
	struct gcn_src x;

	if (in->from == IR_B64) {
		x = sel_pair(s, ARG(0));
	} else if (in->format == IR_BF16 && in->from == IR_B16) {
		x = sel_new(s, GCN_VECTOR, SEL_SHL, sel_word(s, ARG(0), 0), gcn_imm(16));
	} else {
		x = sel_vector(s, sel_word(s, ARG(0), 0), 1);
		if (in->from == IR_B16)
			x = unary(s, AMD_v_cvt_f32_f16, 1, x, 0);
	}
	if (as_double && in->from != IR_B64)
		x = unary(s, AMD_v_cvt_f64_f32, 2, x, flush_of(in));
	return as_double ? unary(s, doubles[in->round], 2, x, 0)
			 : unary(s, singles[in->round], 1, x, flush_of(in));
}

/* A double without a fraction, by its words; what is beyond them, and NaN, is chosen afterwards. */
static void to_64(struct select *s, bool is_signed)
{
	struct gcn_src x = integral(s, true), high, low, t, d = sel_result(s, 0, 0), r, p, q;
	uint64_t most = is_signed ? INT64_MAX : UINT64_MAX,
		 least = is_signed ? UINT64_C(1) << 63 : 0;

	t = binary(s, AMD_v_ldexp_f64, 2, x, gcn_imm((uint32_t)-32), 0);
	high = unary(s, AMD_v_floor_f64, 2, t, 0);
	t = sel_temp(s, GCN_VECTOR, 2);
	sel_vop(s, AMD_v_fma_f64, t, high, sel_constant(s, GCN_SCALAR, 0xc1f0000000000000, 2), x)
		->mode = 0; /* -2^32 */
	low = unary(s, AMD_v_cvt_u32_f64, 1, t, 0);
	high = unary(s, is_signed ? AMD_v_cvt_i32_f64 : AMD_v_cvt_u32_f64, 1, high, 0);
	p = sel_compare(s, AMD_v_cmp_ge_f64, x,
			sel_constant(s, GCN_SCALAR,
				     is_signed ? 0x43e0000000000000 : 0x43f0000000000000, 2));
	q = sel_compare(s, AMD_v_cmp_lt_f64, x,
			sel_constant(s, GCN_SCALAR, is_signed ? 0xc3e0000000000000 : 0, 2));
	for (uint32_t w = 0; w < 2; w++) {
		r = sel_temp(s, GCN_VECTOR, 1);
		sel_choose(s, r, p, gcn_imm((uint32_t)(most >> 32 * w)), w ? high : low);
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_choose(s, t, q, gcn_imm((uint32_t)(least >> 32 * w)), r);
		r = sel_compare(s, AMD_v_cmp_u_f64, x, x);
		sel_choose(s, sel_part(d, w), r, gcn_imm(w ? 0x80000000 : 0), t);
	}
}

static void to_integer(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool is_signed = in->op == IR_FTOS, as_double = in->from == IR_B64;
	uint32_t bits = ir_type_bits(in->type);
	struct gcn_src x, r, t, nan, d = sel_result(s, 0, 0);

	if (bits == 64) {
		to_64(s, is_signed);
		return;
	}
	x = integral(s, as_double);
	if (as_double)
		r = unary(s, is_signed ? AMD_v_cvt_i32_f64 : AMD_v_cvt_u32_f64, 1, x, 0);
	else
		r = unary(s, is_signed ? AMD_v_cvt_i32_f32 : AMD_v_cvt_u32_f32, 1, x, 0);
	if (bits < 32 && is_signed) {
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_med3_i32, t, r,
			sel_constant(s, GCN_VECTOR, -(UINT64_C(1) << (bits - 1)), 1),
			gcn_imm((1u << (bits - 1)) - 1));
		r = t;
	} else if (bits < 32) {
		r = sel_new(s, GCN_VECTOR, SEL_MIN_U, r, gcn_imm((1u << bits) - 1));
	}
	if (!as_double) {
		sel_move(s, d, r, 1);
		return;
	}
	nan = sel_compare(s, AMD_v_cmp_u_f64, x, x);
	sel_choose(s, d, nan, gcn_imm(1u << (bits - 1)), r);
}

/* ---- between floats ---- */

/* A double as a single, rounded to odd. */
struct gcn_src select_odd_single(struct select *s, struct gcn_src x)
{
	struct gcn_src f = unary(s, AMD_v_cvt_f32_f64, 1, x, TO_ZERO), back, p, one, d;

	back = unary(s, AMD_v_cvt_f64_f32, 2, f, 0);
	p = sel_compare(s, AMD_v_cmp_lg_f64, x, back);
	one = sel_new(s, GCN_VECTOR, SEL_OR, f, gcn_imm(1));
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_choose(s, d, p, one, f);
	return d;
}

static void between_floats(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool bf16 = in->format == IR_BF16;
	uint32_t round = rounds[in->round];
	struct gcn_src x;

	if (in->format > IR_BF16) {
		sel_refuse(s, "conversion to or from a format that the machine does not know");
		return;
	}
	x = in->from == IR_B64 ? sel_pair(s, ARG(0)) : sel_vector(s, sel_word(s, ARG(0), 0), 1);
	if (in->from == in->type) { /* flushes, saturates */
		static const uint16_t same[] = {AMD_v_max_f16, AMD_v_max_f32, AMD_v_max_f64};

		x = binary(s, same[in->type - IR_B16], sel_words(in->type), x, x, flush_of(in));
		finish(s, x, in->type);
		return;
	}
	if (in->from == IR_B16) { /* up */
		x = bf16 ? sel_new(s, GCN_VECTOR, SEL_SHL, x, gcn_imm(16))
			 : unary(s, AMD_v_cvt_f32_f16, 1, x, 0);
		if (in->type == IR_B64)
			x = unary(s, AMD_v_cvt_f64_f32, 2, x, 0);
		else if (flush_of(in) && bf16)
			x = binary(s, AMD_v_max_f32, 1, x, x, GCN_FLUSH);
	} else if (in->from == IR_B32 && in->type == IR_B64) {
		x = unary(s, AMD_v_cvt_f64_f32, 2, x, flush_of(in));
	} else if (in->type == IR_B32) {
		x = unary(s, AMD_v_cvt_f32_f64, 1, x, round | flush_of(in));
	} else if (bf16) {
		if (in->from == IR_B64)
			x = select_odd_single(s, x);
		else if (flush_of(in))
			x = binary(s, AMD_v_max_f32, 1, x, x, GCN_FLUSH);
		x = select_to_bf16(s, x, in->round);
	} else {
		if (in->from == IR_B64)
			x = select_odd_single(s, x);
		x = unary(s, AMD_v_cvt_f16_f32, 1, x,
			  round | (in->from == IR_B32 ? flush_of(in) : 0));
	}
	finish(s, x, in->type);
}

bool select_convert(struct select *s)
{
	switch (s->in->op) {
	case IR_UTOF:
	case IR_STOF:
		from_integer(s);
		return true;
	case IR_FTOU:
	case IR_FTOS:
		to_integer(s);
		return true;
	case IR_FTOF:
		between_floats(s);
		return true;
	default:
		return false;
	}
}
