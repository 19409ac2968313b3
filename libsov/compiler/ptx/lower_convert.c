// SPDX-License-Identifier: MIT
/*
 * Lowering of cvt. Integer conversions truncate or extend; for floats the IR has an operation for
 * each direction. .rni and its variants round to an integral value, .rn and its variants to the
 * precision of the format.
 */
#include "libsov/compiler/ptx/front_end.h"

/* Clamps v, of type `from`, to the range of `to`. Omits bounds that `from` cannot exceed. */
static ir_val saturate(struct ptx *x, ir_val v, const struct ptx_type *from,
		       const struct ptx_type *to)
{
	bool in_signed = from->class == CLASS_SIGNED, out_signed = to->class == CLASS_SIGNED;
	uint32_t in_bits = from->bits - in_signed, out_bits = to->bits - out_signed;
	uint64_t highest = out_bits == 64 ? UINT64_MAX : (UINT64_C(1) << out_bits) - 1;
	uint64_t lowest = out_signed ? ~highest : 0;

	if (in_signed && (!out_signed || from->bits > to->bits))
		v = ptx_op(x, IR_MAX_S, from->ir, v, ptx_emit_constant(x, from->ir, lowest), 0);
	if (in_bits > out_bits)
		v = ptx_op(x, in_signed ? IR_MIN_S : IR_MIN_U, from->ir, v,
			   ptx_emit_constant(x, from->ir, highest), 0);
	return v;
}

static ir_val convert_integer(struct ptx *x, const struct ptx_inst *in, ir_val v,
			      const struct ptx_type *to, const struct ptx_type *from)
{
	enum ir_op extend = from->class == CLASS_SIGNED ? IR_SEXT : IR_ZEXT;

	if (ptx_has_modifier(in, SLOT_SAT))
		v = saturate(x, v, from, to);
	return ptx_convert(x, to->bits < from->bits ? IR_TRUNC : extend, from->ir, to->ir, v);
}

/* .ftz applies to single-precision sources and results. */
static void set_float_modifiers(struct ptx *x, const struct ptx_inst *in, ir_val v, uint8_t format)
{
	struct ir_inst *i = ir_def(x->func, v);
	const struct ptx_type *to = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_type *from = ptx_inst_type(in, SLOT_SOURCE_TYPE);
	bool single = (to->class == CLASS_FLOAT && to->bits == 32) ||
		      (from->class == CLASS_FLOAT && from->bits == 32);

	i->format = format;
	if (ptx_has_modifier(in, SLOT_FTZ) && single)
		i->flags |= IR_FTZ;
}

/* Clamps to [0, 1]; NaN becomes 0. Doubles need min and max, since no target saturates them. */
static ir_val saturate_float(struct ptx *x, const struct ptx_inst *in, ir_val v)
{
	if (!ptx_has_modifier(in, SLOT_SAT))
		return v;
	if (ir_def(x->func, v)->type != IR_B64) {
		ir_def(x->func, v)->flags |= IR_SAT;
		return v;
	}
	v = ptx_op(x, IR_FMAX, IR_B64, v, ptx_emit_constant(x, IR_B64, 0), 0);
	return ptx_op(x, IR_FMIN, IR_B64, v,
		      ptx_emit_constant(x, IR_B64, UINT64_C(0x3ff0000000000000)), 0);
}

static ir_val convert_float_integer(struct ptx *x, const struct ptx_inst *in, ir_val v,
				    const struct ptx_type *to, const struct ptx_type *from)
{
	bool to_float = to->class == CLASS_FLOAT;
	const struct ptx_type *integer = to_float ? from : to;
	bool is_signed = integer->class == CLASS_SIGNED;
	enum ir_op op = to_float ? is_signed ? IR_STOF : IR_UTOF : is_signed ? IR_FTOS : IR_FTOU;
	struct ir_inst *i;

	v = ptx_convert(x, op, IR_VOID, to->ir, v);
	i = ir_def(x->func, v);
	i->from = from->ir;
	i->round = in->value[to_float ? SLOT_ROUND : SLOT_INTEGRAL];
	set_float_modifiers(x, in, v, (to_float ? to : from)->format);
	return to_float ? saturate_float(x, in, v) : v;
}

/* Adding -0 is the identity, except with .ftz and .sat. */
static ir_val convert_same_float(struct ptx *x, const struct ptx_inst *in, ir_val v,
				 const struct ptx_type *t)
{
	uint64_t sign = UINT64_C(1) << (t->bits - 1);

	if (ptx_has_modifier(in, SLOT_INTEGRAL)) {
		v = ptx_op(x, IR_FROUND, t->ir, v, 0, 0);
		ir_def(x->func, v)->round = in->value[SLOT_INTEGRAL];
		set_float_modifiers(x, in, v, t->format);
	}
	if (!ptx_has_modifier(in, SLOT_FTZ) && !ptx_has_modifier(in, SLOT_SAT))
		return v;
	v = ptx_op(x, IR_FADD, t->ir, v, ptx_emit_constant(x, t->ir, sign), 0);
	set_float_modifiers(x, in, v, t->format);
	return saturate_float(x, in, v);
}

/* f16 and bf16 convert by f32, which represents both exactly. */
static ir_val convert_float(struct ptx *x, const struct ptx_inst *in, ir_val v,
			    const struct ptx_type *to, const struct ptx_type *from)
{
	static const struct ptx_type single = {".f32", CLASS_FLOAT, 32, IR_B32, IR_BY_WIDTH};
	bool narrows = to->bits < from->bits;
	struct ir_inst *i;

	if (to == from)
		return convert_same_float(x, in, v, to);
	if (to->bits == from->bits) {
		v = ptx_convert(x, IR_FTOF, from->ir, IR_B32, v);
		ir_def(x->func, v)->format = from->format;
		return convert_float(x, in, v, to, &single);
	}
	v = ptx_convert(x, IR_FTOF, from->ir, to->ir, v);
	i = ir_def(x->func, v);
	set_float_modifiers(x, in, v, narrows ? to->format : from->format);
	if (ptx_has_modifier(in, SLOT_ROUND) && narrows)
		i->round = in->value[SLOT_ROUND];
	return saturate_float(x, in, v);
}

/* .relu: a negative value becomes 0, NaN stays NaN. */
static ir_val apply_relu(struct ptx *x, const struct ptx_inst *in, ir_val v,
			 const struct ptx_type *t)
{
	if (!ptx_has_modifier(in, SLOT_RELU))
		return v;
	v = ptx_op(x, IR_FMAX, t->ir, v, ptx_emit_constant(x, t->ir, 0), 0);
	ir_def(x->func, v)->format = t->format;
	ir_def(x->func, v)->flags |= IR_NAN;
	return v;
}

/* The largest finite numbers of the formats, as singles. */
#define MAX_F16  0x477fe000
#define MAX_BF16 0x7f7f0000
#define MAX_TF32 0x7f7fe000

/* .satfinite: clamps to the largest finite number, infinities included; NaN stays NaN. Clamping
 * before rounding is equivalent, since the bound is representable. */
static ir_val saturate_finite(struct ptx *x, const struct ptx_inst *in, ir_val v,
			      uint32_t max_finite)
{
	const struct {
		enum ir_op op;
		uint32_t bound;
	} steps[] = {{IR_FMIN, max_finite}, {IR_FMAX, max_finite | 0x80000000}};

	for (int k = 0; ptx_has_modifier(in, SLOT_FINITE) && k < 2; k++) {
		v = ptx_op(x, steps[k].op, IR_B32, v, ptx_emit_constant(x, IR_B32, steps[k].bound),
			   0);
		ir_def(x->func, v)->flags |= IR_NAN;
	}
	return v;
}

/* Checks that the instruction has exactly the rounding modifier that the conversion needs. */
static bool check_rounding(struct ptx *x, const struct ptx_inst *in, const struct ptx_type *to,
			   const struct ptx_type *from)
{
	bool to_float = to->class == CLASS_FLOAT, from_float = from->class == CLASS_FLOAT;
	bool narrows = to_float && from_float &&
		       (to->bits < from->bits || (to->bits == from->bits && to != from));
	bool integral = ptx_has_modifier(in, SLOT_INTEGRAL),
	     rounds = ptx_has_modifier(in, SLOT_ROUND);
	const char *needs = NULL;

	if (from_float && !to_float && !integral)
		needs = "needs a rounding to an integer: .rni .rzi .rmi .rpi";
	else if (to_float && (!from_float || narrows) && !rounds)
		needs = "needs a rounding: .rn .rz .rm .rp";
	else if (integral && !(from_float && (!to_float || to == from)))
		needs = "does not round to an integer";
	else if (rounds &&
		 !(to_float && (!from_float || narrows || (from->format == IR_BF16 && to != from))))
		needs = "does not round";
	if (needs)
		ptx_error(x, &in->name, "'%s' %s", ptx_spelling(x, in), needs);
	return !needs;
}

static bool type_contains(const struct ptx_type *to, const struct ptx_type *from)
{
	if (to->class == from->class)
		return to->bits >= from->bits;
	return to->class == CLASS_SIGNED && to->bits > from->bits;
}

/* Checks .ftz, .sat and the combination of types (PTX ISA, cvt; as ptxas 13.0 implements it). */
static bool check_modifiers(struct ptx *x, const struct ptx_inst *in, const struct ptx_type *to,
			    const struct ptx_type *from)
{
	bool to_float = to->class == CLASS_FLOAT, from_float = from->class == CLASS_FLOAT;
	bool single = (to_float && to->bits == 32) || (from_float && from->bits == 32);
	bool bf16 = to->format == IR_BF16 || from->format == IR_BF16;
	const char *fault = NULL;

	if (ptx_has_modifier(in, SLOT_FTZ) && !single)
		fault = ".ftz is about .f32, and there is none";
	else if (ptx_has_modifier(in, SLOT_SAT) && !to_float && !from_float &&
		 type_contains(to, from))
		fault = ".sat has nothing to do, as every value fits";
	else if (ptx_has_modifier(in, SLOT_SAT) && bf16 && !(to_float && to->bits == 32))
		fault = ".sat and .bf16 do not go together";
	if (fault)
		ptx_error(x, &in->name, "'%s': %s", ptx_spelling(x, in), fault);
	return !fault;
}

void ptx_lower_cvt(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *to = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_type *from = ptx_inst_type(in, SLOT_SOURCE_TYPE);
	bool to_float = to->class == CLASS_FLOAT, from_float = from->class == CLASS_FLOAT;
	ir_val v;

	if (!check_rounding(x, in, to, from) || !check_modifiers(x, in, to, from))
		return;
	v = ptx_read_operand(x, in->role[ROLE_A]);
	v = saturate_finite(x, in, v, to->format == IR_BF16 ? MAX_BF16 : MAX_F16);
	if (to_float && from_float)
		v = apply_relu(x, in, convert_float(x, in, v, to, from), to);
	else if (to_float || from_float)
		v = convert_float_integer(x, in, v, to, from);
	else
		v = convert_integer(x, in, v, to, from);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

/* Two floats to a packed type; the second one becomes the low half. */
void ptx_lower_cvt_pair(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *pair = in->role[ROLE_D]->type;
	bool bf16 = pair->format == IR_BF16X2;
	const struct ptx_type half = {"", CLASS_FLOAT, 16, IR_B16, bf16 ? IR_BF16 : IR_BY_WIDTH};
	const struct ptx_type *from = ptx_inst_type(in, SLOT_TYPE); /* .f32 */
	ir_val parts[2];

	for (int k = 0; k < 2; k++) {
		ir_val v = ptx_read_role(x, in, k ? ROLE_B : ROLE_A);

		v = saturate_finite(x, in, v, bf16 ? MAX_BF16 : MAX_F16);
		parts[k] = apply_relu(x, in, convert_float(x, in, v, &half, from), &half);
	}
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_PACK, IR_B32, parts[1], parts[0], 0));
}

void ptx_lower_cvt_tf32(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *single = ptx_inst_type(in, SLOT_TYPE); /* .f32 */
	ir_val v = ptx_convert(x, IR_FTOF, IR_VOID, IR_B32, ptx_read_role(x, in, ROLE_A));
	struct ir_inst *i = ir_def(x->func, v);

	i->from = IR_B32;
	i->format = IR_TF32;
	i->round = in->value[SLOT_ROUND];
	ptx_write_operand(x, in->role[ROLE_D], apply_relu(x, in, v, single));
}

/* Round to nearest, ties away from zero: adds half a unit in the last place to the magnitude; a
 * carry correctly increments the exponent. */
void ptx_lower_cvt_tf32_away(struct ptx *x, const struct ptx_inst *in)
{
	ir_val v = saturate_finite(x, in, ptx_read_role(x, in, ROLE_A), MAX_TF32), r, nan;

	r = ptx_op(x, IR_ADD, IR_B32, v, ptx_emit_constant(x, IR_B32, 0x1000), 0);
	r = ptx_op(x, IR_AND, IR_B32, r, ptx_emit_constant(x, IR_B32, 0xffffe000), 0);
	nan = ptx_compare(x, IR_FCMP, IR_B32, IR_FNAN, v, v);
	r = ptx_op(x, IR_SELECT, IR_B32, nan, ptx_emit_constant(x, IR_B32, 0x7fffe000), r);
	ptx_write_operand(x, in->role[ROLE_D], r);
}

/* Two 8-bit floats from two singles or packed halves, or back to halves. .relu may be applied
 * before or after rounding: a negative value that rounds to 0 gives 0 either way. */
void ptx_lower_cvt_bytes(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *to = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_type *from = ptx_inst_type(in, SLOT_SOURCE_TYPE);
	bool widens = to->bits > from->bits, singles = in->role[ROLE_B];
	ir_val v = ptx_read_role(x, in, ROLE_A), low;
	struct ir_inst *i;

	if (!widens)
		v = apply_relu(x, in, v, from);
	if (singles) {
		low = apply_relu(x, in, ptx_read_role(x, in, ROLE_B), from);
		v = ptx_op(x, IR_PACK, IR_B64, low, v, 0);
	}
	v = ptx_convert(x, IR_FTOF, singles ? IR_B64 : from->ir, to->ir, v);
	i = ir_def(x->func, v);
	i->format = widens ? from->format : to->format;
	ptx_write_operand(x, in->role[ROLE_D], widens ? apply_relu(x, in, v, to) : v);
}

/* Packs two clamped integers, b in the low part, below the bits of c. */
void ptx_lower_cvt_pack(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *to = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_type *from = ptx_inst_type(in, SLOT_SOURCE_TYPE);
	uint64_t mask = (UINT64_C(1) << to->bits) - 1;
	ir_val parts[2], v, shift = ptx_emit_constant(x, IR_B32, to->bits);

	parts[0] = saturate(x, ptx_read_role(x, in, ROLE_B), from, to);
	parts[1] = saturate(x, ptx_read_role(x, in, ROLE_A), from, to);
	for (int k = 0; k < 2; k++)
		parts[k] =
			ptx_op(x, IR_AND, IR_B32, parts[k], ptx_emit_constant(x, IR_B32, mask), 0);
	v = ptx_op(x, IR_OR, IR_B32, parts[0], ptx_op(x, IR_SHL, IR_B32, parts[1], shift, 0), 0);
	if (in->role[ROLE_C]) {
		ir_val above = ptx_op(x, IR_SHL, IR_B32, ptx_read_role(x, in, ROLE_C),
				      ptx_emit_constant(x, IR_B32, 2u * to->bits), 0);

		v = ptx_op(x, IR_OR, IR_B32, v, above, 0);
	}
	ptx_write_operand(x, in->role[ROLE_D], v);
}
