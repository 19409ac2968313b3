// SPDX-License-Identifier: MIT
/*
 * Floating-point conversions. RDNA2 converts between words and singles, words and doubles, singles
 * and halves, and saturates as PTX requires. Other conversions take several steps: 64-bit integers
 * word by word, and intermediate results are rounded to odd, so that the final rounding is
 * correct.
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
	return in->flags & IR_FTZ ? GCN_FLUSH_F32 : 0;
}

/* Writes the result, saturated if the instruction asks for it. */
static void write_result(struct select *s, struct gcn_src x, enum ir_type type)
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

/* A bf16 is the upper half of a single, rounded. */
struct gcn_src select_to_bf16(struct select *s, struct gcn_src x, enum ir_round round)
{
	struct gcn_src odd, t, nan;

	if (round == IR_RZ) {
		t = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, x, gcn_imm(16));
	} else if (round != IR_RN) { /* directed: away from zero for one sign */
		t = sel_op_new(s, GCN_VECTOR, SEL_SHR_S, x, gcn_imm(31));
		if (round == IR_RP)
			t = sel_op_new(s, GCN_VECTOR, SEL_NOT, t, gcn_none());
		t = sel_op_new(s, GCN_VECTOR, SEL_AND, t, gcn_imm(0xffff));
		t = sel_op_new(s, GCN_VECTOR, SEL_ADD, t, x);
		t = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, t, gcn_imm(16));
	} else {
		odd = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_bfe_u32, odd, x, gcn_imm(16), gcn_imm(1));
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_add3_u32, t, x, odd, gcn_imm(0x7fff));
		t = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, t, gcn_imm(16));
	}
	x = sel_vector(s, x, 1);
	nan = sel_compare(s, AMD_v_cmp_u_f32, x, x);
	odd = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, odd, nan, gcn_imm(0x7fff), t);
	return odd;
}

/* ---- from integers ---- */

/*
 * Normalises the integer by a left shift, folds the lower word into a sticky bit, converts the
 * upper word and corrects the exponent.
 */
static struct gcn_src int64_to_single(struct select *s, bool is_signed, uint32_t round)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), by, t = sel_temp(s, GCN_VECTOR, 2), p, low,
		       top;

	if (is_signed) {
		/* Shift out all but one of the equal leading bits. */
		struct gcn_src signs = sel_op_new(s, GCN_VECTOR, SEL_XOR, x, sel_part(x, 1)),
			       max_shift;

		max_shift = sel_op_new(s, GCN_VECTOR, SEL_SHR_S, signs, gcn_imm(31));
		/* 32, or 31 */
		max_shift = sel_op_new(s, GCN_VECTOR, SEL_ADD, max_shift, gcn_imm(32));
		by = unary(s, AMD_v_ffbh_i32, 1, sel_part(x, 1), GCN_MODE_ANY);
		by = sel_op_new(s, GCN_VECTOR, SEL_SUB, by, gcn_imm(1)); /* -1 becomes -2 */
		by = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, by, max_shift);
		/* The upper word is all sign bits: count the leading bits of the lower word. */
		low = sel_op_new(s, GCN_VECTOR, SEL_SHR_S, sel_part(x, 1), gcn_imm(31));
		low = sel_op_new(s, GCN_VECTOR, SEL_XOR, x, low);
		low = unary(s, AMD_v_ffbh_u32, 1, low, GCN_MODE_ANY);
		low = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, low, gcn_imm(32));
		low = sel_op_new(s, GCN_VECTOR, SEL_ADD, low, gcn_imm(31));
		p = sel_compare(s, AMD_v_cmp_gt_u32, gcn_imm(31), by);
		top = sel_temp(s, GCN_VECTOR, 1);
		sel_cndmask(s, top, p, by, low);
		by = top;
	} else {
		low = unary(s, AMD_v_ffbh_u32, 1, x, GCN_MODE_ANY);
		low = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, low, gcn_imm(32));
		low = sel_op_new(s, GCN_VECTOR, SEL_ADD, low, gcn_imm(32));
		by = unary(s, AMD_v_ffbh_u32, 1, sel_part(x, 1), GCN_MODE_ANY);
		by = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, by, low);
	}
	by = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, by, gcn_imm(63));
	sel_vop(s, AMD_v_lshlrev_b64, t, by, x, gcn_none());
	p = sel_compare(s, AMD_v_cmp_ne_u32, gcn_imm(0), t);
	low = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, low, p, gcn_imm(1), gcn_imm(0));
	low = sel_op_new(s, GCN_VECTOR, SEL_OR, low, sel_part(t, 1));
	top = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1, low, round);
	by = sel_op_new(s, GCN_VECTOR, SEL_SUB, gcn_imm(32), by);
	return binary(s, AMD_v_ldexp_f32, 1, top, by, 0);
}

static struct gcn_src int64_to_double(struct select *s, bool is_signed, uint32_t round)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), high, low;

	high = unary(s, is_signed ? AMD_v_cvt_f64_i32 : AMD_v_cvt_f64_u32, 2, sel_part(x, 1), 0);
	high = binary(s, AMD_v_ldexp_f64, 2, high, gcn_imm(32), 0);
	low = unary(s, AMD_v_cvt_f64_u32, 2, x, 0);
	return binary(s, AMD_v_add_f64, 2, high, low, round);
}

/* Converts a word to a single, rounding to odd. */
static struct gcn_src int_to_odd_single(struct select *s, struct gcn_src x, bool is_signed)
{
	struct gcn_src f, back, p, one, d;

	f = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1, x, TO_ZERO);
	back = unary(s, is_signed ? AMD_v_cvt_i32_f32 : AMD_v_cvt_u32_f32, 1, f, 0);
	p = sel_compare(s, AMD_v_cmp_ne_u32, x, back);
	one = sel_op_new(s, GCN_VECTOR, SEL_OR, f, gcn_imm(1));
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, d, p, one, f);
	return d;
}

/* A value beyond a word is beyond a half, too. */
static struct gcn_src clamp_to_word(struct select *s, bool is_signed)
{
	struct gcn_src x = sel_vector_value(s, ARG(0)), p, d = sel_temp(s, GCN_VECTOR, 1), limit;

	if (!is_signed) {
		p = sel_compare(s, AMD_v_cmp_ne_u32, gcn_imm(0), sel_part(x, 1));
		sel_cndmask(s, d, p, gcn_imm(0x7fffffff), x);
		return d;
	}
	limit = sel_op_new(s, GCN_VECTOR, SEL_SHR_S, sel_part(x, 1), gcn_imm(31));
	limit = sel_op_new(s, GCN_VECTOR, SEL_XOR, limit, gcn_imm(0x7fffffff));
	p = sel_compare(s, AMD_v_cmp_eq_u32, sel_part(x, 1),
			sel_op_new(s, GCN_VECTOR, SEL_SHR_S, x, gcn_imm(31)));
	sel_cndmask(s, d, p, x, limit);
	return d;
}

static void select_from_integer(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool is_signed = in->op == IR_STOF, wide = in->from == IR_B64;
	uint32_t round = rounds[in->round];
	struct gcn_src x;

	if (in->type == IR_B64) {
		if (wide)
			x = int64_to_double(s, is_signed, round);
		else
			x = unary(s, is_signed ? AMD_v_cvt_f64_i32 : AMD_v_cvt_f64_u32, 2,
				  sel_extended(s, ARG(0), in->from, is_signed), 0);
		write_result(s, x, IR_B64);
		return;
	}
	if (in->type == IR_B32) {
		if (wide)
			x = int64_to_single(s, is_signed, round);
		else
			x = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1,
				  sel_extended(s, ARG(0), in->from, is_signed), round);
		write_result(s, x, IR_B32);
		return;
	}
	if (in->format == IR_BF16) {
		x = unary(s, is_signed ? AMD_v_cvt_f32_i32 : AMD_v_cvt_f32_u32, 1,
			  sel_extended(s, ARG(0), in->from, is_signed), 0);
		write_result(s, select_to_bf16(s, x, in->round), IR_B16);
		return;
	}
	x = wide ? clamp_to_word(s, is_signed)
		 : sel_vector(s, sel_extended(s, ARG(0), in->from, is_signed), 1);
	write_result(s, unary(s, AMD_v_cvt_f16_f32, 1, int_to_odd_single(s, x, is_signed), round),
		     IR_B16);
}

/* ---- to integers ---- */

/*
 * The argument as a single or double, rounded to an integer. With truncated, the conversion that
 * follows truncates it, so that no rounding is needed for IR_RZ.
 */
static struct gcn_src round_argument(struct select *s, bool as_double, bool truncated)
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
		x = sel_op_new(s, GCN_VECTOR, SEL_SHL, sel_word(s, ARG(0), 0), gcn_imm(16));
	} else {
		x = sel_vector(s, sel_word(s, ARG(0), 0), 1);
		if (in->from == IR_B16)
			x = unary(s, AMD_v_cvt_f32_f16, 1, x, 0);
	}
	if (as_double && in->from != IR_B64)
		x = unary(s, AMD_v_cvt_f64_f32, 2, x, flush_of(in));
	if (truncated && in->round == IR_RZ)
		return x;
	return as_double ? unary(s, doubles[in->round], 2, x, 0)
			 : unary(s, singles[in->round], 1, x, flush_of(in));
}

/* Converts an integral double word by word; out-of-range values and NaN are replaced afterwards. */
static void float_to_int64(struct select *s, bool is_signed)
{
	struct gcn_src x = round_argument(s, true, false), high, low, t, d = sel_result(s, 0, 0), r,
		       p, q;
	uint64_t max_value = is_signed ? INT64_MAX : UINT64_MAX,
		 min_value = is_signed ? UINT64_C(1) << 63 : 0;

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
		sel_cndmask(s, r, p, gcn_imm((uint32_t)(max_value >> 32 * w)), w ? high : low);
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_cndmask(s, t, q, gcn_imm((uint32_t)(min_value >> 32 * w)), r);
		r = sel_compare(s, AMD_v_cmp_u_f64, x, x);
		sel_cndmask(s, sel_part(d, w), r, gcn_imm(w ? 0x80000000 : 0), t);
	}
}

static void select_to_integer(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool is_signed = in->op == IR_FTOS, as_double = in->from == IR_B64;
	uint32_t bits = ir_type_bits(in->type);
	struct gcn_src x, r, t, nan, d = sel_result(s, 0, 0);

	if (bits == 64) {
		float_to_int64(s, is_signed);
		return;
	}
	x = round_argument(s, as_double, true);
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
		r = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, r, gcn_imm((1u << bits) - 1));
	}
	if (!as_double) {
		sel_move(s, d, r, 1);
		return;
	}
	nan = sel_compare(s, AMD_v_cmp_u_f64, x, x);
	sel_cndmask(s, d, nan, gcn_imm(1u << (bits - 1)), r);
}

/* ---- between floats ---- */

struct gcn_src select_round_to_odd(struct select *s, struct gcn_src x)
{
	struct gcn_src f = unary(s, AMD_v_cvt_f32_f64, 1, x, TO_ZERO), back, p, one, d;

	back = unary(s, AMD_v_cvt_f64_f32, 2, f, 0);
	p = sel_compare(s, AMD_v_cmp_lg_f64, x, back);
	one = sel_op_new(s, GCN_VECTOR, SEL_OR, f, gcn_imm(1));
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, d, p, one, f);
	return d;
}

static void select_float_to_float(struct select *s)
{
	const struct ir_inst *in = s->in;
	bool bf16 = in->format == IR_BF16;
	uint32_t round = rounds[in->round];
	struct gcn_src x;

	if (in->format > IR_BF16) {
		sel_unsupported(s, "conversion to or from a format that the hardware lacks");
		return;
	}
	x = in->from == IR_B64 ? sel_pair(s, ARG(0)) : sel_vector(s, sel_word(s, ARG(0), 0), 1);
	if (in->from == in->type) { /* flushes, saturates */
		static const uint16_t same[] = {AMD_v_max_f16, AMD_v_max_f32, AMD_v_max_f64};

		x = binary(s, same[in->type - IR_B16], sel_words(in->type), x, x, flush_of(in));
		write_result(s, x, in->type);
		return;
	}
	if (in->from == IR_B16) { /* widening */
		x = bf16 ? sel_op_new(s, GCN_VECTOR, SEL_SHL, x, gcn_imm(16))
			 : unary(s, AMD_v_cvt_f32_f16, 1, x, 0);
		if (in->type == IR_B64)
			x = unary(s, AMD_v_cvt_f64_f32, 2, x, 0);
		else if (flush_of(in) && bf16)
			x = binary(s, AMD_v_max_f32, 1, x, x, GCN_FLUSH_F32);
	} else if (in->from == IR_B32 && in->type == IR_B64) {
		x = unary(s, AMD_v_cvt_f64_f32, 2, x, flush_of(in));
	} else if (in->type == IR_B32) {
		x = unary(s, AMD_v_cvt_f32_f64, 1, x, round | flush_of(in));
	} else if (bf16) {
		if (in->from == IR_B64)
			x = select_round_to_odd(s, x);
		else if (flush_of(in))
			x = binary(s, AMD_v_max_f32, 1, x, x, GCN_FLUSH_F32);
		x = select_to_bf16(s, x, in->round);
	} else {
		if (in->from == IR_B64)
			x = select_round_to_odd(s, x);
		x = unary(s, AMD_v_cvt_f16_f32, 1, x,
			  round | (in->from == IR_B32 ? flush_of(in) : 0));
	}
	write_result(s, x, in->type);
}

bool select_convert(struct select *s)
{
	switch (s->in->op) {
	case IR_UTOF:
	case IR_STOF:
		select_from_integer(s);
		return true;
	case IR_FTOU:
	case IR_FTOS:
		select_to_integer(s);
		return true;
	case IR_FTOF:
		select_float_to_float(s);
		return true;
	default:
		return false;
	}
}
