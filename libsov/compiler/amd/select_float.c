// SPDX-License-Identifier: MIT
/*
 * Floating-point arithmetic. Rounding and flushing are wave modes: an instruction states the mode
 * it needs, and float_modes.c inserts the changes. Saturation is the clamp modifier, which maps NaN
 * to 0 (DX10_CLAMP). Negation and absolute value become source modifiers.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

static uint8_t flush_of(const struct ir_inst *in)
{
	bool halves = in->type == IR_B16 || in->format == IR_F16X2;

	return !(in->flags & IR_FTZ) ? 0 : halves ? GCN_FLUSH_F16_F64 : GCN_FLUSH_F32;
}

/* The MODE bits: nearest, up, down, to zero. */
static uint8_t float_mode_of(const struct ir_inst *in)
{
	static const uint8_t rounds[] = {[IR_RN] = 0, [IR_RP] = 1, [IR_RM] = 2, [IR_RZ] = 3};

	return rounds[in->round] | flush_of(in);
}

enum width { W_F16, W_F32, W_F64, W_F16X2, WIDTHS };

static enum width width_of(struct select *s)
{
	if (s->in->format == IR_F16X2)
		return W_F16X2;
	if (s->in->format != IR_BY_WIDTH) {
		sel_unsupported(s, "bf16 arithmetic");
		return W_F16;
	}
	return s->in->type == IR_B16 ? W_F16 : s->in->type == IR_B32 ? W_F32 : W_F64;
}

/* 16-bit operands interpret inline constants differently, so constants are put into registers. */
static struct gcn_src float_operand(struct select *s, ir_val v, enum width w)
{
	struct gcn_src x = w == W_F64 ? sel_pair(s, v) : sel_word(s, v, 0);

	return (w == W_F16 || w == W_F16X2) && !x.ref.vreg ? sel_vector(s, x, 1) : x;
}

/*
 * Folds negation and absolute value into the instruction's source modifiers. A flushing neg or abs
 * folds only if the instruction flushes, too.
 */
static struct gcn_src fold_modifiers(struct select *s, uint32_t k, enum width w,
				     struct sel_modifiers *modifiers)
{
	const struct ir_inst *in = s->in, *d;
	uint8_t bit = (uint8_t)(1 << k);
	ir_val v = ARG(k);

	for (; w != W_F16X2; v = d->args[0]) {
		d = ir_def(s->ir, v);
		if ((d->op != IR_FNEG && d->op != IR_FABS) || d->type != in->type ||
		    d->format != in->format || (d->flags & ~in->flags & IR_FTZ))
			break;
		if (d->op == IR_FABS)
			modifiers->abs |= bit;
		else if (!(modifiers->abs & bit))
			modifiers->neg ^= bit;
	}
	return float_operand(s, v, w);
}

static const struct {
	uint8_t op;
	uint16_t by_width[WIDTHS];
} rows[] = {
	{IR_FADD, {AMD_v_add_f16, AMD_v_add_f32, AMD_v_add_f64, AMD_v_pk_add_f16}},
	{IR_FMUL, {AMD_v_mul_f16, AMD_v_mul_f32, AMD_v_mul_f64, AMD_v_pk_mul_f16}},
	{IR_FMA, {AMD_v_fma_f16, AMD_v_fma_f32, AMD_v_fma_f64, AMD_v_pk_fma_f16}},
	{IR_FMIN, {AMD_v_min_f16, AMD_v_min_f32, AMD_v_min_f64, AMD_v_pk_min_f16}},
	{IR_FMAX, {AMD_v_max_f16, AMD_v_max_f32, AMD_v_max_f64, AMD_v_pk_max_f16}},
};

/* The canonical NaN, by width. */
static const uint64_t nans[WIDTHS] = {0x7fff, 0x7fffffff, 0x7ff8000000000000, 0x7fff7fff};

/* d = r, or PTX's canonical NaN where x or y is NaN; for packed halves, one half at a time. */
static void canonicalise_nan(struct select *s, struct gcn_src d, struct gcn_src r, struct gcn_src x,
			     struct gcn_src y, enum width w, uint32_t half)
{
	static const uint16_t ops[] = {AMD_v_cmp_u_f16, AMD_v_cmp_u_f32, AMD_v_cmp_u_f64};
	struct gcn_src p;
	bool packed = w == W_F16X2;

	if (packed && half) {
		x = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, x, gcn_imm(16));
		y = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, y, gcn_imm(16));
	}
	p = sel_compare(s, ops[packed ? W_F16 : w], x, y);
	if (packed) {
		struct gcn_src t = sel_temp(s, GCN_VECTOR, 1);
		struct gcn_src bits = sel_constant(s, GCN_SCALAR, 0xffffu << 16 * half, 1);
		struct gcn_src nan = sel_constant(s, GCN_VECTOR, nans[w], 1);

		sel_vop(s, AMD_v_bfi_b32, t, bits, nan, r);
		sel_cndmask(s, d, p, t, r);
		return;
	}
	for (uint32_t k = 0; k < sel_words(s->in->type); k++)
		sel_cndmask(s, sel_part(d, k), p, gcn_imm((uint32_t)(nans[w] >> 32 * k)),
			    sel_part(r, k));
}

static void select_arithmetic(struct select *s, uint32_t row)
{
	enum width w;
	struct gcn_src d = sel_result(s, 0, 0), x[3] = {gcn_none(), gcn_none(), gcn_none()}, t = d;
	bool min_max = s->in->op == IR_FMIN || s->in->op == IR_FMAX, nan = min_max;
	struct sel_modifiers modifiers = {0, 0};
	struct gcn_inst *i;

	if (s->in->format == IR_BF16 || s->in->format == IR_BF16X2) {
		select_bf16(s);
		return;
	}
	w = width_of(s);
	for (uint32_t k = 0; k < s->in->nargs; k++)
		x[k] = fold_modifiers(s, k, w, &modifiers);
	/* min and max return the canonical NaN; a clamp leaves none. */
	nan = min_max && !(s->in->flags & IR_SAT);
	if (nan)
		t = sel_temp(s, GCN_VECTOR, sel_words(s->in->type));
	i = sel_vop_signed(s, rows[row].by_width[w], t, x, modifiers, s->in->flags & IR_SAT);
	i->in.field[AMD_F_CLAMP] = !!(s->in->flags & IR_SAT);
	i->mode = float_mode_of(s->in);
	if (!nan)
		return;
	/* Only a NaN result is replaced, not a single NaN operand. */
	if (!min_max || !(s->in->flags & IR_NAN))
		x[0] = x[1] = t;
	if (w == W_F16X2) {
		struct gcn_src low = sel_temp(s, GCN_VECTOR, 1);

		canonicalise_nan(s, low, t, x[0], x[1], w, 0);
		canonicalise_nan(s, d, low, x[0], x[1], w, 1);
	} else {
		canonicalise_nan(s, d, t, x[0], x[1], w, 0);
	}
}

/* The sign is the highest bit; .ftz also flushes denormals. */
static void select_sign(struct select *s)
{
	bool abs = s->in->op == IR_FABS,
	     packed = s->in->format == IR_F16X2 || s->in->format == IR_BF16X2;
	uint32_t top = s->in->type == IR_B16 ? 0x8000 : packed ? 0x80008000 : 0x80000000;
	uint32_t last = sel_words(s->in->type) - 1;
	struct gcn_src x = sel_word(s, ARG(0), last);

	if (last)
		sel_move(s, sel_result(s, 0, 0), sel_word(s, ARG(0), 0), 1);
	if (s->in->flags & IR_FTZ && s->in->type == IR_B32) {
		struct gcn_src t = sel_temp(s, GCN_VECTOR, 1);

		/* Multiply by one: the multiplication flushes. */
		sel_vop(s, AMD_v_mul_f32, t, gcn_imm(0x3f800000), x, gcn_none())->mode =
			GCN_FLUSH_F32;
		x = t;
	}
	if (s->in->flags & IR_FTZ && (s->in->type == IR_B16 || s->in->format == IR_F16X2)) {
		struct gcn_src t = sel_temp(s, GCN_VECTOR, 1);

		x = sel_vector(s, x, 1);
		sel_vop(s, s->in->type == IR_B16 ? AMD_v_max_f16 : AMD_v_pk_max_f16, t, x, x,
			gcn_none())
			->mode = GCN_FLUSH_F16_F64;
		x = t;
	}
	sel_op(s, abs ? SEL_AND : SEL_XOR, sel_result(s, 0, last), x, gcn_imm(abs ? ~top : top));
}

static void select_round(struct select *s)
{
	static const uint16_t ops[][3] = {
		[IR_RN] = {AMD_v_rndne_f16, AMD_v_rndne_f32, AMD_v_rndne_f64},
		[IR_RZ] = {AMD_v_trunc_f16, AMD_v_trunc_f32, AMD_v_trunc_f64},
		[IR_RM] = {AMD_v_floor_f16, AMD_v_floor_f32, AMD_v_floor_f64},
		[IR_RP] = {AMD_v_ceil_f16, AMD_v_ceil_f32, AMD_v_ceil_f64},
	};
	enum width w = width_of(s);
	struct gcn_inst *i;

	if (w == W_F16X2) {
		sel_unsupported(s, "rounding of packed halves");
		return;
	}
	i = sel_vop_long(s, ops[s->in->round][w], sel_result(s, 0, 0), float_operand(s, ARG(0), w),
			 gcn_none(), gcn_none());
	i->in.field[AMD_F_CLAMP] = !!(s->in->flags & IR_SAT);
	i->mode = flush_of(s->in);
}

/*
 * tanh(x) = 1 - 2 / (e^2x + 1), and x where that would cancel: accurate to the 11 bits that PTX
 * requires.
 */
static struct gcn_src hyperbolic_tangent(struct select *s, struct gcn_src x)
{
	struct gcn_src t = sel_temp(s, GCN_VECTOR, 1), r = sel_temp(s, GCN_VECTOR, 1), d, p, size;

	x = sel_vector(s, x, 1);
	sel_vop(s, AMD_v_mul_f32, t, gcn_imm(0x4038aa3b), x, gcn_none())->mode = 0; /* 2 / ln 2 */
	sel_vop(s, AMD_v_exp_f32, r, t, gcn_none(), gcn_none())->mode = 0;
	t = sel_temp(s, GCN_VECTOR, 1);
	sel_vop(s, AMD_v_add_f32, t, gcn_imm(0x3f800000), r, gcn_none())->mode = 0;
	r = sel_temp(s, GCN_VECTOR, 1);
	sel_vop(s, AMD_v_rcp_f32, r, t, gcn_none(), gcn_none())->mode = 0;
	t = sel_temp(s, GCN_VECTOR, 1);
	sel_vop(s, AMD_v_fma_f32, t, gcn_imm(0xc0000000), r, gcn_imm(0x3f800000))->mode = 0;
	size = sel_op_new(s, GCN_VECTOR, SEL_AND, x, gcn_imm(0x7fffffff));
	p = sel_compare(s, AMD_v_cmp_gt_f32, gcn_imm(0x3d000000), size); /* 2^-5 */
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, d, p, x, t);
	return d;
}

/* Approximate functions of f16 and bf16, computed as singles. */
static void select_approximate_narrow(struct select *s)
{
	bool bf16 = s->in->format == IR_BF16 || s->in->format == IR_BF16X2;
	bool packed = s->in->format == IR_F16X2 || s->in->format == IR_BF16X2;
	struct gcn_src d = sel_result(s, 0, 0), half[2];

	for (uint32_t k = 0; k < 1u + packed; k++) {
		struct gcn_src x = sel_vector(s, sel_word(s, ARG(0), 0), 1), t;

		if (k)
			x = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, x, gcn_imm(16));
		t = sel_temp(s, GCN_VECTOR, 1);
		if (bf16)
			sel_op(s, SEL_SHL, t, x, gcn_imm(16));
		else
			sel_vop(s, AMD_v_cvt_f32_f16, t, x, gcn_none(), gcn_none())->mode = 0;
		if (s->in->sub == IR_APPROX_TANH) {
			t = hyperbolic_tangent(s, t);
		} else if (s->in->sub == IR_APPROX_EX2) {
			x = t;
			t = sel_temp(s, GCN_VECTOR, 1);
			sel_vop(s, AMD_v_exp_f32, t, x, gcn_none(), gcn_none())->mode = 0;
		} else {
			sel_unsupported(s, "this approximate function of 16-bit floats");
			return;
		}
		half[k] = bf16 ? select_to_bf16(s, t, IR_RN) : sel_temp(s, GCN_VECTOR, 1);
		if (!bf16)
			sel_vop(s, AMD_v_cvt_f16_f32, half[k], t, gcn_none(), gcn_none())->mode = 0;
	}
	select_halves(s, d, half, packed);
}

static void select_approximate(struct select *s)
{
	static const uint16_t ops[IR_APPROX_COUNT][3] = {
		[IR_APPROX_RCP] = {AMD_v_rcp_f16, AMD_v_rcp_f32, AMD_v_rcp_f64},
		[IR_APPROX_SQRT] = {AMD_v_sqrt_f16, AMD_v_sqrt_f32, AMD_v_sqrt_f64},
		[IR_APPROX_RSQRT] = {AMD_v_rsq_f16, AMD_v_rsq_f32, AMD_v_rsq_f64},
		[IR_APPROX_SIN] = {AMD_v_sin_f16, AMD_v_sin_f32, 0},
		[IR_APPROX_COS] = {AMD_v_cos_f16, AMD_v_cos_f32, 0},
		[IR_APPROX_EX2] = {AMD_v_exp_f16, AMD_v_exp_f32, 0},
		[IR_APPROX_LG2] = {AMD_v_log_f16, AMD_v_log_f32, 0},
	};
	struct gcn_src x, t;
	struct gcn_inst *i;
	enum width w;

	if (s->in->format || (s->in->type == IR_B16 && s->in->sub == IR_APPROX_TANH)) {
		select_approximate_narrow(s);
		return;
	}
	w = width_of(s);
	x = float_operand(s, ARG(0), w);
	if (s->in->sub == IR_APPROX_TANH) {
		sel_move(s, sel_result(s, 0, 0), hyperbolic_tangent(s, x), 1);
		return;
	}
	/* v_sin and v_cos take revolutions, not radians. */
	if (s->in->sub == IR_APPROX_SIN || s->in->sub == IR_APPROX_COS) {
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, w == W_F32 ? AMD_v_mul_f32 : AMD_v_mul_f16, t, gcn_reg(AMD_INV_2PI), x,
			gcn_none())
			->mode = float_mode_of(s->in);
		x = t;
	}
	i = sel_vop(s, ops[s->in->sub][w], sel_result(s, 0, 0), x, gcn_none(), gcn_none());
	i->mode = s->in->flags & IR_NORMAL ? GCN_MODE_ANY : float_mode_of(s->in);
}

/* By condition from IR_FEQ on. */
static const uint16_t compare_ops[][3] = {
	{AMD_v_cmp_eq_f16, AMD_v_cmp_eq_f32, AMD_v_cmp_eq_f64},
	{AMD_v_cmp_lg_f16, AMD_v_cmp_lg_f32, AMD_v_cmp_lg_f64},
	{AMD_v_cmp_lt_f16, AMD_v_cmp_lt_f32, AMD_v_cmp_lt_f64},
	{AMD_v_cmp_le_f16, AMD_v_cmp_le_f32, AMD_v_cmp_le_f64},
	{AMD_v_cmp_gt_f16, AMD_v_cmp_gt_f32, AMD_v_cmp_gt_f64},
	{AMD_v_cmp_ge_f16, AMD_v_cmp_ge_f32, AMD_v_cmp_ge_f64},
	{AMD_v_cmp_nlg_f16, AMD_v_cmp_nlg_f32, AMD_v_cmp_nlg_f64},
	{AMD_v_cmp_neq_f16, AMD_v_cmp_neq_f32, AMD_v_cmp_neq_f64},
	{AMD_v_cmp_nge_f16, AMD_v_cmp_nge_f32, AMD_v_cmp_nge_f64},
	{AMD_v_cmp_ngt_f16, AMD_v_cmp_ngt_f32, AMD_v_cmp_ngt_f64},
	{AMD_v_cmp_nle_f16, AMD_v_cmp_nle_f32, AMD_v_cmp_nle_f64},
	{AMD_v_cmp_nlt_f16, AMD_v_cmp_nlt_f32, AMD_v_cmp_nlt_f64},
	{AMD_v_cmp_o_f16, AMD_v_cmp_o_f32, AMD_v_cmp_o_f64},
	{AMD_v_cmp_u_f16, AMD_v_cmp_u_f32, AMD_v_cmp_u_f64},
};

static void select_fcmp(struct select *s)
{
	bool bf16 = s->in->format == IR_BF16;
	enum width w = bf16 ? W_F32 : width_of(s);
	struct gcn_src x[3] = {gcn_none(), gcn_none(), gcn_none()};
	struct sel_modifiers modifiers = {0, 0};
	struct gcn_inst *i;

	if (w == W_F16X2) {
		sel_unsupported(s, "comparison of packed halves");
		return;
	}
	for (uint32_t k = 0; k < 2; k++)
		x[k] = bf16 ? sel_op_new(s, GCN_VECTOR, SEL_SHL, sel_word(s, ARG(k), 0),
					 gcn_imm(16))
			    : fold_modifiers(s, k, w, &modifiers);
	i = sel_vop_signed(s, compare_ops[s->in->cond - IR_FEQ][w], sel_result(s, 0, 0), x,
			   modifiers, true);
	i->mode = flush_of(s->in);
}

bool select_float(struct select *s)
{
	for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
		if (rows[k].op == s->in->op) {
			select_arithmetic(s, k);
			return true;
		}
	switch (s->in->op) {
	case IR_FNEG:
	case IR_FABS:
		select_sign(s);
		return true;
	case IR_FROUND:
		select_round(s);
		return true;
	case IR_APPROX:
		select_approximate(s);
		return true;
	case IR_FCMP:
		select_fcmp(s);
		return true;
	default:
		return false;
	}
}
