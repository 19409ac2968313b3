// SPDX-License-Identifier: MIT
/*
 * Selection of numeric conversions, rounding and approximate functions: the operations of the
 * special function unit, and the few cases with a faster instruction.
 */
#include "libsov/compiler/nv/select.h"

#define TWO_24        0x4b800000 /* 2^24 as a float, and so on */
#define TWO_MINUS_24  0x33800000
#define TWO_12        0x45800000
#define TWO_MINUS_12  0x39800000
#define TWO_126       0x7e800000
#define TWO_MINUS_126 0x00800000
#define MINUS_126     0xc2fc0000
#define MINUS_24      0xc1c00000
#define HALF          0x3f000000
#define ONE           0x3f800000
#define MINUS_ZERO    0x80000000
#define INV_TWO_PI    0x3e22f983 /* 1 / 2 pi */

static uint8_t float_type(enum ir_type type, bool bf16)
{
	return type == IR_B64   ? SASS_TYPE_F64
	       : type == IR_B32 ? SASS_TYPE_F32
	       : bf16           ? SASS_TYPE_BF16
				: SASS_TYPE_F16;
}

static uint8_t integer_type(enum ir_type type, bool is_signed)
{
	switch (type) {
	case IR_B8:
		return is_signed ? SASS_TYPE_S8 : SASS_TYPE_U8;
	case IR_B16:
		return is_signed ? SASS_TYPE_S16 : SASS_TYPE_U16;
	case IR_B32:
		return is_signed ? SASS_TYPE_S32 : SASS_TYPE_U32;
	default:
		return is_signed ? SASS_TYPE_S64 : SASS_TYPE_U64;
	}
}

static struct mir_source new_gpr(struct select *s)
{
	return new_temp(s, SASS_GPR, 1);
}

/* Conversions take registers only: a constant operand would be read in the wrong format. */
static struct mir_source conversion_source(struct select *s, ir_val v)
{
	return type_of(s, v) == IR_B64 ? in_pair(s, arg_pair(s, v)) : in_reg(s, arg_word(s, v));
}

static struct mir_source widen_bf16(struct select *s, struct mir_source x)
{
	struct mir_source d = new_gpr(s);

	EMIT(s, PRMT, d, x, mir_imm(0x1044), rz());
	return d;
}

/* Single precision to 16 bits. Only two rounding modes have the faster F2FP, from sm_80 on. */
static void emit_narrow(struct select *s, struct mir_source d, struct mir_source x, bool bf16,
			uint8_t round)
{
	struct mir_inst *i;

	if (s->f->sm >= 80 && (round == SASS_RN || round == SASS_RZ_MODE)) {
		i = EMIT(s, F2FP, d, rz(), x);
		set_mod(i, SASS_M_HFORMAT, bf16 ? SASS_HALF_BF16 : SASS_HALF_F16);
	} else {
		i = EMIT(s, F2F, d, x);
		set_mod(i, SASS_M_STYPE, SASS_TYPE_F32);
		set_mod(i, SASS_M_DTYPE, float_type(IR_B16, bf16));
	}
	set_mod(i, SASS_M_RND, round);
}

/* Clamps to [0, 1]: adds -0 with saturation. */
static void emit_saturate(struct select *s, struct mir_source d, struct mir_source x,
			  enum ir_type type)
{
	struct mir_inst *i = type == IR_B16 ? EMIT(s, HADD2, d, x, with_flags(rz(), SASS_NEG))
					    : EMIT(s, FADD, d, x, with_flags(rz(), SASS_NEG));

	set_mod(i, SASS_M_SAT, 1);
}

/*
 * Integers.
 */

bool select_itof(struct select *s, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_STOF, bf16 = in->format == IR_BF16;
	bool sat = in->flags & IR_SAT;
	struct mir_source d = result(s, in->res), x, converted;
	enum ir_type to = bf16 ? IR_B32 : in->type, from = in->from;
	struct mir_inst *i;

	/* Two roundings would be wrong, so only sources that 32 bits represent exactly. */
	if ((bf16 && from > IR_B16) || (sat && in->type == IR_B64))
		return false;
	x = from == IR_B64 ? in_pair(s, arg_pair(s, in->args[0]))
			   : in_reg(s, arg_extended(s, in->args[0], is_signed));
	from = from < IR_B32 ? IR_B32 : from;
	converted = bf16 || sat ? new_temp(s, SASS_GPR, to == IR_B64 ? 2 : 1) : d;
	if (s->f->sm >= 90 && from == IR_B32 && to == IR_B32 && in->round <= IR_RZ)
		i = EMIT(s, I2FP, converted, x);
	else
		i = EMIT(s, I2F, converted, x);
	if (i->sass.op == SASS_I2F)
		set_mod(i, SASS_M_DTYPE, float_type(to, false));
	set_mod(i, SASS_M_STYPE, integer_type(from, is_signed));
	set_mod(i, SASS_M_RND, rounding(in));
	if (sat)
		emit_saturate(s, bf16 ? (x = new_gpr(s)) : d, converted, to);
	if (bf16)
		emit_narrow(s, d, sat ? x : converted, true, rounding(in));
	return true;
}

bool select_ftoi(struct select *s, const struct ir_inst *in)
{
	bool is_signed = in->op == IR_FTOS, wide = in->type == IR_B64 || in->from == IR_B64;
	struct mir_source x = conversion_source(s, in->args[0]);
	uint8_t from = float_type(in->from, in->format == IR_BF16);
	struct mir_inst *i;

	if (from == SASS_TYPE_BF16) {
		x = widen_bf16(s, x);
		from = SASS_TYPE_F32;
	} else if (from == SASS_TYPE_F16 && in->type == IR_B64) {
		struct mir_source f32 = new_gpr(s);

		x.op.aux = SASS_HALF_LOW;
		EMIT(s, HADD2_F32, f32, with_flags(rz(), SASS_NEG), x);
		x = f32;
		from = SASS_TYPE_F32;
	}
	i = EMIT(s, F2I, result(s, in->res), x);
	set_mod(i, SASS_M_STYPE, from);
	set_mod(i, SASS_M_DTYPE, integer_type(in->type, is_signed));
	set_mod(i, SASS_M_RND, rounding(in));
	set_mod(i, SASS_M_FTZ, from == SASS_TYPE_F32 && in->flags & IR_FTZ);
	set_mod(i, SASS_M_NTZ, !wide);
	return true;
}

/*
 * Between floating-point formats.
 */

/* From Hopper on, as in PTX. */
static bool select_tf32(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i;

	if (s->f->sm < 90 || in->round > IR_RZ)
		return false;
	i = EMIT(s, F2FP_TF32, result(s, in->res), conversion_source(s, in->args[0]));
	set_mod(i, SASS_M_HFORMAT, SASS_HALF_BF16);
	set_mod(i, SASS_M_RND, rounding(in));
	return true;
}

/* One instruction converts two values, from Ada on, as in PTX. */
static bool select_bytes(struct select *s, const struct ir_inst *in)
{
	struct mir_source d = result(s, in->res), high;
	struct mir_inst *i;

	if (s->f->sm < 89)
		return false;
	if (in->type == IR_B32) {
		i = EMIT(s, F2FP_UNPACK, d, conversion_source(s, in->args[0]));
	} else if (in->from == IR_B32) {
		i = EMIT(s, F2FP_HALVES, d, conversion_source(s, in->args[0]), rz());
	} else {
		high = in_reg(s, arg_half(s, in->args[0], 1));
		i = EMIT(s, F2FP_SINGLES, d, high, in_reg(s, arg_half(s, in->args[0], 0)), rz());
	}
	set_mod(i, SASS_M_HFORMAT, in->format == IR_E4M3X2 ? SASS_HALF_E4M3 : SASS_HALF_E5M2);
	set_mod(i, SASS_M_SAT, in->type == IR_B16);
	return true;
}

static void emit_convert(struct select *s, const struct ir_inst *in, struct mir_source d,
			 struct mir_source x)
{
	bool bf16 = in->format == IR_BF16, ftz = in->flags & IR_FTZ;
	struct mir_inst *i;

	if (in->from == IR_B16 && in->type == IR_B32 && !bf16) {
		x.op.aux = SASS_HALF_LOW;
		EMIT(s, HADD2_F32, d, with_flags(rz(), SASS_NEG), x);
		return;
	}
	/* F2F.FTZ would flush subnormal halves (seen on an H200), where PTX flushes only the
	 * 32-bit argument, which matters where it is not rounded to zero anyway. */
	if (in->from == IR_B32 && in->type == IR_B16 && ftz && in->round > IR_RZ) {
		struct mir_source flushed = new_gpr(s);

		set_mod(EMIT(s, FADD, flushed, x, with_flags(rz(), SASS_NEG)), SASS_M_FTZ, 1);
		x = flushed;
	}
	ftz &= in->type != IR_B16;
	if (in->from == IR_B32 && in->type == IR_B16) {
		emit_narrow(s, d, x, bf16, rounding(in));
		return;
	}
	i = EMIT(s, F2F, d, x);
	set_mod(i, SASS_M_STYPE, float_type(in->from, bf16));
	set_mod(i, SASS_M_DTYPE, float_type(in->type, bf16));
	set_mod(i, SASS_M_RND, rounding(in));
	set_mod(i, SASS_M_FTZ, ftz && (in->from == IR_B32 || in->type == IR_B32));
}

bool select_ftof(struct select *s, const struct ir_inst *in)
{
	bool bf16 = in->format == IR_BF16, sat = in->flags & IR_SAT;
	struct mir_source d = result(s, in->res), x, converted;

	if (in->format == IR_TF32)
		return select_tf32(s, in);
	if (in->format >= IR_E4M3X2)
		return select_bytes(s, in);
	/* Double rounding would be wrong, and no instruction clamps 64 bits. */
	if ((bf16 && in->from == IR_B64) || (sat && in->type == IR_B64) || (bf16 && sat))
		return false;
	x = conversion_source(s, in->args[0]);
	if (bf16 && in->from == IR_B16) {
		struct ir_inst wide = *in;

		if (in->type == IR_B32 && !(in->flags & IR_FTZ)) {
			EMIT(s, PRMT, d, x, mir_imm(0x1044), rz());
			return true;
		}
		if (in->type == IR_B32) {
			set_mod(EMIT(s, FADD, d, widen_bf16(s, x), with_flags(rz(), SASS_NEG)),
				SASS_M_FTZ, 1);
			return true;
		}
		wide.from = IR_B32;
		wide.format = IR_BY_WIDTH;
		emit_convert(s, &wide, d, widen_bf16(s, x));
		return true;
	}
	if (!sat) {
		emit_convert(s, in, d, x);
		return true;
	}
	converted = new_temp(s, SASS_GPR, 1);
	emit_convert(s, in, converted, x);
	emit_saturate(s, d, converted, in->type);
	return true;
}

/* A conversion to 16 bits that F2FP computes, if nothing else needs its result. */
static const struct ir_inst *fold_narrowing(struct select *s, ir_val v)
{
	const struct ir_inst *in = fold_single_use(s, v, IR_FTOF, IR_B16);

	return in && in->from == IR_B32 && (in->format == IR_BY_WIDTH || in->format == IR_BF16) &&
			       in->round <= IR_RZ && !(in->flags & IR_SAT)
		       ? in
		       : NULL;
}

/* One instruction converts two values and packs them. */
bool select_float_pair(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *low = s->f->sm < 80 ? NULL : fold_narrowing(s, in->args[0]);
	const struct ir_inst *high = low ? fold_narrowing(s, in->args[1]) : NULL;
	struct mir_inst *i;

	if (!low || !high || low->format != high->format || low->round != high->round)
		return false;
	i = EMIT(s, F2FP, result(s, in->res), conversion_source(s, high->args[0]),
		 conversion_source(s, low->args[0]));
	set_mod(i, SASS_M_HFORMAT, low->format == IR_BF16 ? SASS_HALF_BF16 : SASS_HALF_F16);
	set_mod(i, SASS_M_RND, rounding(low));
	return true;
}

bool select_fround(struct select *s, const struct ir_inst *in)
{
	struct mir_source x, d = result(s, in->res), wide, rounded;
	struct mir_inst *i;

	if (in->format == IR_F16X2 || in->format == IR_BF16X2 || in->flags & IR_SAT)
		return false;
	x = conversion_source(s, in->args[0]);
	wide = in->format == IR_BF16 ? widen_bf16(s, x) : x;
	rounded = in->format == IR_BF16 ? new_gpr(s) : d;
	i = EMIT(s, FRND, rounded, wide);
	set_mod(i, SASS_M_DTYPE,
		in->format == IR_BF16 ? SASS_TYPE_F32 : float_type(in->type, false));
	set_mod(i, SASS_M_RND, rounding(in));
	set_mod(i, SASS_M_FTZ, in->type == IR_B32 && in->flags & IR_FTZ);
	if (in->format == IR_BF16)
		emit_narrow(s, d, rounded, true, SASS_RN);
	return true;
}

/*
 * Approximate functions. The unit flushes subnormal arguments and results to zero. Where that is
 * not allowed, the argument is scaled into the normal range first, and the result back.
 */

static struct mir_source emit_mufu(struct select *s, uint8_t f, struct mir_source d,
				   struct mir_source x)
{
	set_mod(EMIT(s, MUFU, d, x), SASS_M_FUNC, f);
	return d;
}

static struct mir_source emit_compare(struct select *s, struct mir_source x, uint32_t with_bits,
				      uint8_t cmp)
{
	struct mir_source p = new_temp(s, SASS_PRED, 1);

	set_mod(EMIT(s, FSETP, p, NONE, x, mir_imm(with_bits), mir_pred_const(true)), SASS_M_CMP,
		cmp);
	return p;
}

static struct mir_source emit_choice(struct select *s, struct mir_source p, uint32_t yes,
				     uint32_t no)
{
	struct mir_source one = new_gpr(s), d = new_gpr(s);

	EMIT(s, MOV, one, mir_imm(no));
	EMIT(s, SEL, d, one, mir_imm(yes), with_flags(p, SASS_NEG));
	return d;
}

static struct mir_source emit_multiply(struct select *s, struct mir_source d, struct mir_source x,
				       struct mir_source y)
{
	EMIT(s, FMUL, d, x, y);
	return d;
}

/* 1 / x: small and large arguments are scaled to the middle of the range, and the result by the
 * same factor. */
static void emit_reciprocal(struct select *s, struct mir_source d, struct mir_source x)
{
	struct mir_source size = with_flags(x, SASS_ABS), scale = new_gpr(s);
	struct mir_source small = emit_compare(s, size, TWO_MINUS_126, SASS_CMP_LT);
	struct mir_source large = emit_compare(s, size, TWO_126, SASS_CMP_GT);

	EMIT(s, SEL, scale, emit_choice(s, large, TWO_MINUS_24, ONE), mir_imm(TWO_24),
	     with_flags(small, SASS_NEG));
	x = emit_mufu(s, SASS_MUFU_RCP, new_gpr(s), emit_multiply(s, new_gpr(s), x, scale));
	emit_multiply(s, d, x, scale);
}

static void emit_approx(struct select *s, uint8_t sub, struct mir_source d, struct mir_source x)
{
	struct mir_source p, r;

	switch (sub) {
	case IR_APPROX_RCP:
		emit_reciprocal(s, d, x);
		return;
	case IR_APPROX_SQRT:
	case IR_APPROX_RSQRT:
		p = emit_compare(s, with_flags(x, SASS_ABS), TWO_MINUS_126, SASS_CMP_LT);
		r = emit_mufu(s, sub == IR_APPROX_SQRT ? SASS_MUFU_SQRT : SASS_MUFU_RSQ, new_gpr(s),
			      emit_multiply(s, new_gpr(s), x, emit_choice(s, p, TWO_24, ONE)));
		emit_multiply(
			s, d, r,
			emit_choice(s, p, sub == IR_APPROX_SQRT ? TWO_MINUS_12 : TWO_12, ONE));
		return;
	case IR_APPROX_EX2: { /* 2^x is the square of 2^(x/2) */
		struct mir_source again = new_gpr(s), one = new_gpr(s);

		p = emit_compare(s, x, MINUS_126, SASS_CMP_LT);
		r = emit_mufu(s, SASS_MUFU_EX2, new_gpr(s),
			      emit_multiply(s, new_gpr(s), x, emit_choice(s, p, HALF, ONE)));
		EMIT(s, MOV, one, mir_imm(ONE));
		EMIT(s, SEL, again, r, one, p);
		emit_multiply(s, d, r, again);
		return;
	}
	default: /* IR_APPROX_LG2 */
		p = emit_compare(s, x, TWO_MINUS_126, SASS_CMP_LT);
		r = emit_mufu(s, SASS_MUFU_LG2, new_gpr(s),
			      emit_multiply(s, new_gpr(s), x, emit_choice(s, p, TWO_24, ONE)));
		EMIT(s, FADD, d, r, emit_choice(s, p, MINUS_24, MINUS_ZERO));
		return;
	}
}

/* Reads and writes only the upper word. */
static bool select_approx_wide(struct select *s, const struct ir_inst *in)
{
	struct mir_source x = in_reg(s, arg_half(s, in->args[0], 1));

	if (in->sub != IR_APPROX_RCP && in->sub != IR_APPROX_RSQRT)
		return false;
	if (is_needed(s, in->res, NEED_LOW))
		EMIT(s, MOV, result_half(s, in->res, 0), rz());
	emit_mufu(s, in->sub == IR_APPROX_RCP ? SASS_MUFU_RCP64H : SASS_MUFU_RSQ64H,
		  result_half(s, in->res, 1), x);
	return true;
}

static bool select_approx_half(struct select *s, const struct ir_inst *in)
{
	bool bf16 = in->format == IR_BF16 || in->format == IR_BF16X2;
	bool both = in->format == IR_F16X2 || in->format == IR_BF16X2;
	struct mir_source x = in_reg(s, arg_word(s, in->args[0])), halves[2];

	if ((in->sub != IR_APPROX_EX2 && in->sub != IR_APPROX_TANH) || (bf16 && s->f->sm < 90))
		return false;
	for (uint32_t k = 0; k < (both ? 2 : 1); k++) {
		struct mir_inst *i;

		halves[k] = both ? new_gpr(s) : result(s, in->res);
		x.op.aux = (uint8_t)k;
		i = EMIT(s, MUFU, halves[k], x);
		set_mod(i, SASS_M_FUNC, in->sub == IR_APPROX_EX2 ? SASS_MUFU_EX2 : SASS_MUFU_TANH);
		set_mod(i, SASS_M_DTYPE, bf16 ? SASS_TYPE_BF16 : SASS_TYPE_F16);
	}
	if (both)
		EMIT(s, PRMT, result(s, in->res), halves[0], mir_imm(0x5410), halves[1]);
	return true;
}

/* The argument of MUFU's sine and cosine, in revolutions. Several of one angle in a block share it:
 * the first, which is selected last, computes it. */
struct revolutions {
	ir_val angle;
	bool ftz;
	struct mir_source value;
	struct revolutions *next;
};

#define MAX_SHARED_DISTANCE 64 /* instructions between a sine and a cosine of one angle */

static bool is_sine_of(const struct ir_inst *i, const struct ir_inst *in)
{
	return i->op == in->op && i->type == in->type && !is_half(i) &&
	       (i->sub == IR_APPROX_SIN || i->sub == IR_APPROX_COS) && i->args[0] == in->args[0] &&
	       (i->flags & IR_FTZ) == (in->flags & IR_FTZ);
}

static const struct ir_inst *find_earlier_sine(const struct select *s, const struct ir_inst *in)
{
	uint32_t left = MAX_SHARED_DISTANCE;

	for (ir_id k = in->prev; k && left; k = ir_at(s->ir, k)->prev, left--)
		if (is_sine_of(ir_at(s->ir, k), in))
			return ir_at(s->ir, k);
	return NULL;
}

/* Takes the value that later instructions read, or a new one. */
static struct mir_source take_pending(struct select *s, const struct ir_inst *in)
{
	bool ftz = in->flags & IR_FTZ;

	for (struct revolutions **r = &s->pending; *r; r = &(*r)->next) {
		struct mir_source value = (*r)->value;

		if ((*r)->angle != in->args[0] || (*r)->ftz != ftz)
			continue;
		*r = (*r)->next;
		return value;
	}
	return new_gpr(s);
}

static void select_sine(struct select *s, const struct ir_inst *in, uint8_t function)
{
	const struct ir_inst *earlier = find_earlier_sine(s, in);
	struct mir_source x, value = take_pending(s, in);
	struct mir_inst *i;

	if (earlier) {
		struct revolutions *r = arena_alloc(s->f->arena, sizeof(*r));

		*r = (struct revolutions){in->args[0], in->flags & IR_FTZ, value, s->pending};
		s->pending = r;
		arg_word(s, earlier->res); /* it will be selected */
	} else {
		x = in_reg(s, arg_float(s, in->args[0], in->flags, false));
		i = EMIT(s, FMUL, value, x, mir_imm(INV_TWO_PI));
		set_mod(i, SASS_M_RND, SASS_RZ_MODE);
		set_mod(i, SASS_M_FTZ, !!(in->flags & IR_FTZ));
	}
	emit_mufu(s, function, result(s, in->res), value);
}

bool select_approx(struct select *s, const struct ir_inst *in)
{
	static const uint8_t functions[IR_APPROX_COUNT] = {
		[IR_APPROX_RCP] = SASS_MUFU_RCP,   [IR_APPROX_SQRT] = SASS_MUFU_SQRT,
		[IR_APPROX_RSQRT] = SASS_MUFU_RSQ, [IR_APPROX_SIN] = SASS_MUFU_SIN,
		[IR_APPROX_COS] = SASS_MUFU_COS,   [IR_APPROX_EX2] = SASS_MUFU_EX2,
		[IR_APPROX_LG2] = SASS_MUFU_LG2,   [IR_APPROX_TANH] = SASS_MUFU_TANH,
	};
	struct mir_source x;

	if (is_half(in))
		return select_approx_half(s, in);
	if (in->type == IR_B64)
		return select_approx_wide(s, in);
	if (in->sub == IR_APPROX_SIN || in->sub == IR_APPROX_COS) {
		select_sine(s, in, functions[in->sub]);
	} else if (in->flags & (IR_FTZ | IR_NORMAL) || in->sub == IR_APPROX_TANH) {
		x = in_reg(s, arg_float(s, in->args[0], in->flags, false));
		emit_mufu(s, functions[in->sub], result(s, in->res), x);
	} else {
		x = in_reg(s, arg_word(s, in->args[0]));
		emit_approx(s, in->sub, result(s, in->res), x);
	}
	return true;
}
