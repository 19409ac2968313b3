// SPDX-License-Identifier: MIT
/*
 * Integer arithmetic. Most operations are one instruction on the result's unit; 64-bit ones work on
 * words. A PTX shift by the width or more yields 0 or the sign, where the hardware uses the low
 * bits of the amount only.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])

bool select_can_be_scalar(const struct select *s, const struct ir_inst *in)
{
	bool wide = in->type == IR_B64;

	switch (in->op) {
	case IR_SREG:
	case IR_ADDR:
	case IR_FUNCADDR:
	case IR_ACTIVE:
	case IR_ALIVE:
		return true;
	case IR_VOTE: /* the predicate is a mask in any case */
		return sel_is_scalar(s, in->args[1]);
	case IR_LOAD:
		return select_is_scalar_load(s, in);
	case IR_SELECT: /* the condition is a mask in any case */
		return sel_is_scalar(s, in->args[1]) && sel_is_scalar(s, in->args[2]);
	case IR_MIN_U:
	case IR_MIN_S:
	case IR_MAX_U:
	case IR_MAX_S:
	case IR_MULHI_U:
	case IR_MULHI_S:
		if (wide)
			return false;
		break;
	case IR_PHI:
	case IR_COPY:
	case IR_ADD:
	case IR_SUB:
	case IR_MUL:
	case IR_MAD:
	case IR_MULWIDE_U:
	case IR_MULWIDE_S:
	case IR_NEG:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
	case IR_NOT:
	case IR_SHL:
	case IR_SHR_U:
	case IR_SHR_S:
	case IR_POPC:
	case IR_CLZ:
	case IR_BREV:
	case IR_LOGIC3:
	case IR_ZEXT:
	case IR_SEXT:
	case IR_TRUNC:
	case IR_PACK:
	case IR_UNPACK:
	case IR_TOSPACE:
	case IR_GENERIC:
		break;
	default:
		return false;
	}
	for (uint32_t k = 0; k < in->nargs; k++)
		if (!sel_is_scalar(s, in->args[k]))
			return false;
	return true;
}

/* ---- word by word ---- */

static void select_each_word(struct select *s, enum sel_op op)
{
	for (uint32_t w = 0; w < sel_words(s->in->type); w++)
		sel_op(s, op, sel_result(s, 0, w), sel_word(s, ARG(0), w),
		       s->in->nargs > 1 ? sel_word(s, ARG(1), w) : gcn_none());
}

/* Logic on lane masks (b1). */
static void select_logic_mask(struct select *s, enum amd_op op)
{
	sel_sop(s, op, sel_result(s, 0, 0), sel_mask(s, ARG(0)),
		s->in->nargs > 1 ? sel_mask(s, ARG(1)) : gcn_none());
}

static void select_logic(struct select *s, enum sel_op op, enum amd_op mask_op)
{
	if (s->in->type == IR_B1)
		select_logic_mask(s, mask_op);
	else
		select_each_word(s, op);
}

/* Fuses a 64-bit sum with a product of words into one multiply-add. */
static bool add_product(struct select *s, ir_val x, ir_val y)
{
	const struct ir_inst *p = ir_def(s->ir, y), *z;
	struct gcn_src a, b;
	struct gcn_inst *i;
	uint64_t amount;

	if (s->in->type != IR_B64 || s->scalar[s->in->res] || s->scalar[y] ||
	    ir_def(s->ir, x)->op == IR_CONST)
		return false;
	if (p->op == IR_MULWIDE_U || p->op == IR_MULWIDE_S) {
		a = sel_word(s, p->args[0], 0);
		b = sel_word(s, p->args[1], 0);
	} else if (p->op == IR_SHL && ir_is_const(s->ir, p->args[1], &amount) && amount < 32) {
		z = ir_def(s->ir, p->args[0]);
		if (z->op != IR_ZEXT || z->from != IR_B32)
			return false;
		a = sel_word(s, z->args[0], 0);
		b = gcn_imm(1u << amount);
	} else {
		return false;
	}
	i = sel_vop(s, p->op == IR_MULWIDE_S ? AMD_v_mad_i64_i32 : AMD_v_mad_u64_u32,
		    sel_result(s, 0, 0), a, b, sel_pair(s, x));
	gcn_set_operand(s->f, i, AMD_SX, sel_temp(s, GCN_SCALAR, 1));
	return true;
}

static void add_values(struct select *s, ir_val x, ir_val y, bool subtract)
{
	if (!subtract && (add_product(s, x, y) || add_product(s, y, x)))
		return;
	if (s->in->type != IR_B64)
		sel_op(s, subtract ? SEL_SUB : SEL_ADD, sel_result(s, 0, 0), sel_word(s, x, 0),
		       sel_word(s, y, 0));
	else
		sel_add64(s, sel_result(s, 0, 0), sel_word(s, x, 0), sel_word(s, x, 1),
			  sel_word(s, y, 0), sel_word(s, y, 1), subtract);
}

static void select_negate(struct select *s)
{
	struct gcn_src zero = gcn_imm(0), d = sel_result(s, 0, 0);

	if (s->in->type != IR_B64)
		sel_op(s, SEL_SUB, d, zero, sel_word(s, ARG(0), 0));
	else
		sel_add64(s, d, zero, zero, sel_word(s, ARG(0), 0), sel_word(s, ARG(0), 1), true);
}

/* ---- products ---- */

/* d (two words) = x * y, words. */
static void wide_product(struct select *s, struct gcn_src d, struct gcn_src x, struct gcn_src y,
			 bool is_signed)
{
	struct gcn_inst *i;

	if (sel_class(s, d) == GCN_SCALAR) {
		struct gcn_src low = sel_op_new(s, GCN_SCALAR, SEL_MUL, x, y);

		sel_op(s, is_signed ? SEL_MULHI_S : SEL_MULHI_U, sel_part(d, 1), x, y);
		sel_move(s, d, low, 1);
		return;
	}
	i = sel_vop(s, is_signed ? AMD_v_mad_i64_i32 : AMD_v_mad_u64_u32, d, x, y, gcn_imm(0));
	gcn_set_operand(s->f, i, AMD_SX, sel_temp(s, GCN_SCALAR, 1));
}

/* The low 64 bits of a 64-bit product, plus z if given. */
static void product64(struct select *s, struct gcn_src d, ir_val x, ir_val y, ir_val z)
{
	enum gcn_class class = sel_class(s, d);
	struct gcn_src p = sel_temp(s, class, 2), high, cross;

	wide_product(s, p, sel_word(s, x, 0), sel_word(s, y, 0), false);
	cross = sel_op_new(s, class, SEL_MUL, sel_word(s, x, 0), sel_word(s, y, 1));
	high = sel_op_new(s, class, SEL_ADD, sel_part(p, 1), cross);
	cross = sel_op_new(s, class, SEL_MUL, sel_word(s, x, 1), sel_word(s, y, 0));
	if (z) {
		high = sel_op_new(s, class, SEL_ADD, high, cross);
		sel_add64(s, d, p, high, sel_word(s, z, 0), sel_word(s, z, 1), false);
		return;
	}
	sel_op(s, SEL_ADD, sel_part(d, 1), high, cross);
	sel_move(s, d, p, 1);
}

/* The product of a word with a constant, if it is a power of two, is a shift. */
static struct gcn_src product32(struct select *s, struct gcn_src d, ir_val x, ir_val y)
{
	uint64_t factor = 0;
	uint32_t low = ir_is_const(s->ir, y, &factor) ? (uint32_t)factor : 0, rest = low - 1;

	if (low && !(low & rest))
		sel_op(s, SEL_SHL, d, sel_word(s, x, 0), gcn_imm((uint32_t)__builtin_ctz(low)));
	else if (low && rest && !(rest & (rest - 1)) && sel_class(s, d) == GCN_VECTOR)
		sel_vop(s, AMD_v_lshl_add_u32, d, sel_word(s, x, 0),
			gcn_imm((uint32_t)__builtin_ctz(rest)), sel_word(s, x, 0));
	else
		sel_op(s, SEL_MUL, d, sel_word(s, x, 0), sel_word(s, y, 0));
	return d;
}

/* Both factors fit 24 bits. */
static bool is_short_product(const struct select *s)
{
	return s->in->type == IR_B32 && sel_max_unsigned(s, ARG(0)) < 1 << 24 &&
	       sel_max_unsigned(s, ARG(1)) < 1 << 24;
}

/* A product of scalars is one, even if a vector is added to it. */
static enum gcn_class product_class(struct select *s)
{
	for (uint32_t k = 0; k < 2; k++)
		if (sel_class(s, sel_word(s, ARG(k), 0)) == GCN_VECTOR)
			return GCN_VECTOR;
	return GCN_SCALAR;
}

static void select_multiply(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0);
	bool adds = s->in->op == IR_MAD;

	if (s->in->type == IR_B64) {
		product64(s, d, ARG(0), ARG(1), adds ? ARG(2) : 0);
	} else if (adds) {
		struct gcn_src p;

		if (sel_class(s, d) == GCN_VECTOR && is_short_product(s)) {
			sel_vop(s, AMD_v_mad_u32_u24, d, sel_word(s, ARG(0), 0),
				sel_word(s, ARG(1), 0), sel_word(s, ARG(2), 0));
			return;
		}
		p = product32(s, sel_temp(s, product_class(s), 1), ARG(0), ARG(1));
		sel_op(s, SEL_ADD, d, p, sel_word(s, ARG(2), 0));
	} else if (sel_class(s, d) == GCN_VECTOR && is_short_product(s)) {
		sel_vop(s, AMD_v_mul_u32_u24, d, sel_word(s, ARG(0), 0), sel_word(s, ARG(1), 0),
			gcn_none());
	} else {
		product32(s, d, ARG(0), ARG(1));
	}
}

static void select_multiply_wide(struct select *s)
{
	bool is_signed = s->in->op == IR_MULWIDE_S;
	enum ir_type half = ir_type_half(s->in->type);
	struct gcn_src x = sel_extended(s, ARG(0), half, is_signed);
	struct gcn_src y = sel_extended(s, ARG(1), half, is_signed);
	struct gcn_src d = sel_result(s, 0, 0);

	if (s->in->type == IR_B64 && s->in->flags & IR_NARROW) {
		product32(s, d, ARG(0), ARG(1));
		sel_move(s, sel_part(d, 1), gcn_imm(0), 1);
	} else if (s->in->type == IR_B64)
		wide_product(s, sel_result(s, 0, 0), x, y, is_signed);
	else
		sel_op(s, SEL_MUL, sel_result(s, 0, 0), x, y);
}

/* The high 64 bits of a product: the unsigned product, corrected for signs. */
static void multiply_high64(struct select *s, bool is_signed)
{
	struct gcn_src d = sel_result(s, 0, 0), t[4], sum, mid;
	struct gcn_inst *i;

	for (uint32_t k = 0; k < 4; k++)
		t[k] = sel_temp(s, GCN_VECTOR, 2);
	/* x0 y0; x1 y0 + high of that; x0 y1 + low of that; x1 y1 + both highs */
	wide_product(s, t[0], sel_word(s, ARG(0), 0), sel_word(s, ARG(1), 0), false);
	mid = sel_temp(s, GCN_VECTOR, 2);
	sel_move(s, mid, sel_part(t[0], 1), 1);
	sel_move(s, sel_part(mid, 1), gcn_imm(0), 1);
	i = sel_vop(s, AMD_v_mad_u64_u32, t[1], sel_word(s, ARG(0), 1), sel_word(s, ARG(1), 0),
		    mid);
	gcn_set_operand(s->f, i, AMD_SX, sel_temp(s, GCN_SCALAR, 1));
	mid = sel_temp(s, GCN_VECTOR, 2);
	sel_move(s, mid, t[1], 1);
	sel_move(s, sel_part(mid, 1), gcn_imm(0), 1);
	i = sel_vop(s, AMD_v_mad_u64_u32, t[2], sel_word(s, ARG(0), 0), sel_word(s, ARG(1), 1),
		    mid);
	gcn_set_operand(s->f, i, AMD_SX, sel_temp(s, GCN_SCALAR, 1));
	sum = sel_temp(s, GCN_VECTOR, 2);
	sel_add64(s, sum, sel_part(t[1], 1), gcn_imm(0), sel_part(t[2], 1), gcn_imm(0), false);
	i = sel_vop(s, AMD_v_mad_u64_u32, is_signed ? t[3] : d, sel_word(s, ARG(0), 1),
		    sel_word(s, ARG(1), 1), sum);
	gcn_set_operand(s->f, i, AMD_SX, sel_temp(s, GCN_SCALAR, 1));
	for (uint32_t k = 0; is_signed && k < 2; k++) {
		struct gcn_src sign, low, high, to = k ? d : sel_temp(s, GCN_VECTOR, 2);

		sign = sel_op_new(s, GCN_VECTOR, SEL_SHR_S, sel_word(s, ARG(k), 1), gcn_imm(31));
		low = sel_op_new(s, GCN_VECTOR, SEL_AND, sign, sel_word(s, ARG(1 - k), 0));
		high = sel_op_new(s, GCN_VECTOR, SEL_AND, sign, sel_word(s, ARG(1 - k), 1));
		sel_add64(s, to, t[3], sel_part(t[3], 1), low, high, true);
		t[3] = to;
	}
}

static void select_multiply_high(struct select *s)
{
	bool is_signed = s->in->op == IR_MULHI_S;
	struct gcn_src x, y, p, d = sel_result(s, 0, 0);

	if (s->in->type == IR_B64) {
		multiply_high64(s, is_signed);
		return;
	}
	x = sel_extended(s, ARG(0), s->in->type, is_signed);
	y = sel_extended(s, ARG(1), s->in->type, is_signed);
	if (s->in->type == IR_B32) {
		sel_op(s, is_signed ? SEL_MULHI_S : SEL_MULHI_U, d, x, y);
		return;
	}
	p = sel_op_new(s, sel_class(s, d), SEL_MUL, x, y);
	sel_op(s, SEL_SHR_U, d, p, gcn_imm(ir_type_bits(s->in->type)));
}

/* ---- shifts ---- */

/*
 * A shift by less than 32 of two words that were packed for it, as PTX's funnel shifts are:
 * v_alignbit_b32 computes the word that gets bits of both. Left by a variable amount only for
 * rotations, because v_alignbit_b32 by 32 - 0 is off by 32 for others.
 */
static bool select_funnel_shift(struct select *s, uint64_t amount, bool known)
{
	const struct ir_inst *pack = ir_def(s->ir, ARG(0));
	bool left = s->in->op == IR_SHL;
	struct gcn_src d = sel_result(s, 0, 0), low, high, by;

	if (s->in->op == IR_SHR_S || pack->op != IR_PACK || sel_class(s, d) == GCN_SCALAR ||
	    sel_max_unsigned(s, ARG(1)) > 31 || (known && !amount) ||
	    (left && !known && pack->args[0] != pack->args[1]))
		return false;
	low = sel_vector(s, sel_word(s, ARG(0), 0), 1);
	high = sel_vector(s, sel_word(s, ARG(0), 1), 1);
	by = known ? gcn_imm((uint32_t)amount) : sel_word(s, ARG(1), 0);
	sel_op(s, left ? SEL_SHL : SEL_SHR_U, sel_part(d, !left), left ? low : high, by);
	if (left)
		by = known ? gcn_imm(32 - (uint32_t)amount)
			   : sel_op_new(s, GCN_VECTOR, SEL_SUB, gcn_imm(0), by);
	sel_vop(s, AMD_v_alignbit_b32, sel_part(d, left), high, low, by);
	return true;
}

static void shift64(struct select *s, uint64_t amount, bool known)
{
	static const uint16_t vector[] = {AMD_v_lshlrev_b64, AMD_v_lshrrev_b64, AMD_v_ashrrev_i64};
	static const uint16_t scalar[] = {AMD_s_lshl_b64, AMD_s_lshr_b64, AMD_s_ashr_i64};
	uint32_t kind = s->in->op - IR_SHL;
	struct gcn_src d = sel_result(s, 0, 0), by = sel_word(s, ARG(1), 0), t, in_range;
	bool is_scalar = sel_class(s, d) == GCN_SCALAR;

	if (known && amount >= 64 && kind < 2) {
		sel_move(s, d, gcn_imm(0), 2);
		return;
	}
	if (known)
		by = gcn_imm(amount < 64 ? (uint32_t)amount : 63);
	else if (kind == 2)
		by = sel_op_new(s, is_scalar ? GCN_SCALAR : GCN_VECTOR, SEL_MIN_U, by, gcn_imm(63));
	t = known || kind == 2 ? d : sel_temp(s, sel_class(s, d), 2);
	if (is_scalar)
		sel_sop(s, scalar[kind], t, sel_pair(s, ARG(0)), by);
	else
		sel_vop(s, vector[kind], t, by, sel_pair(s, ARG(0)), gcn_none());
	if (known || kind == 2)
		return;
	in_range = sel_compare(s, AMD_v_cmp_gt_u32, gcn_imm(64), by);
	for (uint32_t w = 0; w < 2; w++)
		sel_cndmask(s, sel_part(d, w), in_range, sel_part(t, w), gcn_imm(0));
}

static void select_shift(struct select *s)
{
	uint32_t bits = ir_type_bits(s->in->type);
	bool is_signed = s->in->op == IR_SHR_S;
	enum sel_op op = s->in->op == IR_SHL ? SEL_SHL : is_signed ? SEL_SHR_S : SEL_SHR_U;
	struct gcn_src d = sel_result(s, 0, 0), x, by, t, in_range;
	uint64_t amount = 0;
	bool known = ir_is_const(s->ir, ARG(1), &amount);

	if (bits == 64) {
		if (!select_funnel_shift(s, amount, known))
			shift64(s, amount, known);
		return;
	}
	x = op == SEL_SHL ? sel_word(s, ARG(0), 0)
			  : sel_extended(s, ARG(0), s->in->type, is_signed);
	if (known && (uint32_t)amount >= bits && !is_signed) {
		sel_move(s, d, gcn_imm(0), 1);
		return;
	}
	if (known) {
		sel_op(s, op, d, x, gcn_imm((uint32_t)amount < bits ? (uint32_t)amount : bits - 1));
		return;
	}
	by = sel_word(s, ARG(1), 0);
	if (is_signed) {
		by = sel_op_new(s, sel_class(s, d), SEL_MIN_U, by, gcn_imm(bits - 1));
		sel_op(s, op, d, x, by);
		return;
	}
	t = sel_op_new(s, sel_class(s, d), op, x, by);
	in_range = sel_compare(s, AMD_v_cmp_gt_u32, gcn_imm(bits), by);
	sel_cndmask(s, d, in_range, t, gcn_imm(0));
}

/* ---- bits ---- */

static void select_popcount(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), t;

	if (s->in->type != IR_B64) {
		struct gcn_src x = sel_extended(s, ARG(0), s->in->type, false);

		if (sel_class(s, d) == GCN_SCALAR)
			sel_sop(s, AMD_s_bcnt1_i32_b32, d, x, gcn_none());
		else
			sel_vop(s, AMD_v_bcnt_u32_b32, d, x, gcn_imm(0), gcn_none());
		return;
	}
	if (sel_class(s, d) == GCN_SCALAR) {
		sel_sop(s, AMD_s_bcnt1_i32_b64, d, sel_pair(s, ARG(0)), gcn_none());
	} else {
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_bcnt_u32_b32, t, sel_word(s, ARG(0), 0), gcn_imm(0), gcn_none());
		sel_vop(s, AMD_v_bcnt_u32_b32, d, sel_word(s, ARG(0), 1), t, gcn_none());
	}
	sel_move(s, sel_part(d, 1), gcn_imm(0), 1);
}

/*
 * The hardware returns -1 for 0, the largest unsigned number, which the minimum below maps to the
 * width.
 */
static void select_leading_zeros(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), t, low;
	uint32_t bits = ir_type_bits(s->in->type);

	if (sel_class(s, d) == GCN_SCALAR) {
		t = sel_temp(s, GCN_SCALAR, 1);
		if (bits == 64)
			sel_sop(s, AMD_s_flbit_i32_b64, t, sel_pair(s, ARG(0)), gcn_none());
		else
			sel_sop(s, AMD_s_flbit_i32_b32, t,
				sel_extended(s, ARG(0), s->in->type, false), gcn_none());
	} else if (bits == 64) {
		low = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_ffbh_u32, low, sel_word(s, ARG(0), 0), gcn_none(), gcn_none());
		/* Add 32 with clamping, so that -1 stays the largest number. */
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop_long(s, AMD_v_add_nc_u32, t, low, gcn_imm(32), gcn_none())
			->in.field[AMD_F_CLAMP] = 1;
		low = t;
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_ffbh_u32, t, sel_word(s, ARG(0), 1), gcn_none(), gcn_none());
		t = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, t, low);
	} else {
		t = sel_temp(s, GCN_VECTOR, 1);
		sel_vop(s, AMD_v_ffbh_u32, t, sel_extended(s, ARG(0), s->in->type, false),
			gcn_none(), gcn_none());
	}
	if (bits >= 32) {
		sel_op(s, SEL_MIN_U, d, t, gcn_imm(bits));
	} else {
		t = sel_op_new(s, sel_class(s, d), SEL_MIN_U, t, gcn_imm(32));
		sel_op(s, SEL_SUB, d, t, gcn_imm(32 - bits));
	}
	if (bits == 64)
		sel_move(s, sel_part(d, 1), gcn_imm(0), 1);
}

static void select_bit_reverse(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), low, high;
	uint32_t bits = ir_type_bits(s->in->type);

	low = sel_op_new(s, sel_class(s, d), SEL_BREV, sel_word(s, ARG(0), 0), gcn_none());
	if (bits == 64) {
		high = sel_op_new(s, sel_class(s, d), SEL_BREV, sel_word(s, ARG(0), 1), gcn_none());
		sel_move(s, d, high, 1);
		sel_move(s, sel_part(d, 1), low, 1);
	} else {
		sel_op(s, SEL_SHR_U, d, low, gcn_imm(32 - bits));
	}
}

/*
 * A function of three bits as a sum of products: bit k of the table tells whether the sum contains
 * minterm k.
 */
static void select_logic3(struct select *s)
{
	uint32_t table = (uint32_t)s->in->imm & 255;

	for (uint32_t w = 0; w < sel_words(s->in->type); w++) {
		struct gcn_src d = sel_result(s, 0, w), sum = gcn_imm(0), x[3], not[3];
		enum gcn_class class = sel_class(s, d);

		for (uint32_t k = 0; k < 3; k++) {
			x[k] = sel_word(s, ARG(k), w);
			not[k] = sel_op_new(s, class, SEL_NOT, x[k], gcn_none());
		}
		for (uint32_t t = 0; t < 8; t++) {
			struct gcn_src p;

			if (!(table >> t & 1))
				continue;
			p = sel_op_new(s, class, SEL_AND, t & 4 ? x[0] : not[0],
				       t & 2 ? x[1] : not[1]);
			p = sel_op_new(s, class, SEL_AND, p, t & 1 ? x[2] : not[2]);
			sum = sum.ref.vreg ? sel_op_new(s, class, SEL_OR, sum, p) : p;
		}
		sel_move(s, d, sum, 1);
	}
}

/*
 * prmt by v_perm_b32, whose low bytes come from the second source; replicated signs are merged
 * afterwards.
 */
static void select_permute(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), digits, sel, t, signs, mask;
	uint64_t known;

	if (ir_is_const(s->ir, ARG(2), &known) && !(known & 0x8888)) {
		uint32_t bytes = 0;

		for (uint32_t k = 0; k < 4; k++)
			bytes |= (uint32_t)(known >> 4 * k & 7) << 8 * k;
		sel_vop(s, AMD_v_perm_b32, d, sel_word(s, ARG(1), 0), sel_word(s, ARG(0), 0),
			gcn_imm(bytes));
		return;
	}
	/* One selector digit per byte. */
	digits = sel_vector_value(s, ARG(2));
	sel = sel_op_new(s, GCN_VECTOR, SEL_AND, digits, gcn_imm(0x000f));
	for (uint32_t k = 1; k < 4; k++) {
		t = sel_op_new(s, GCN_VECTOR, SEL_AND, digits, gcn_imm(0xfu << 4 * k));
		t = sel_op_new(s, GCN_VECTOR, SEL_SHL, t, gcn_imm(4 * k));
		sel = sel_op_new(s, GCN_VECTOR, SEL_OR, sel, t);
	}
	t = sel_op_new(s, GCN_VECTOR, SEL_AND, sel, gcn_imm(0x07070707));
	signs = sel_temp(s, GCN_VECTOR, 1);
	sel_vop(s, AMD_v_perm_b32, signs, sel_word(s, ARG(1), 0), sel_word(s, ARG(0), 0), t);
	/* 0xff in bytes whose selector has bit 3, and 0xff in bytes that are negative. */
	mask = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, sel, gcn_imm(3));
	mask = sel_op_new(s, GCN_VECTOR, SEL_AND, mask, gcn_imm(0x01010101));
	mask = sel_op_new(s, GCN_VECTOR, SEL_MUL, mask, gcn_imm(0xff));
	t = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, signs, gcn_imm(7));
	t = sel_op_new(s, GCN_VECTOR, SEL_AND, t, gcn_imm(0x01010101));
	t = sel_op_new(s, GCN_VECTOR, SEL_MUL, t, gcn_imm(0xff));
	sel_vop(s, AMD_v_bfi_b32, d, mask, t, signs);
}

/* Dot product, one byte at a time. */
static void select_dot(struct select *s)
{
	enum ir_dot kind = s->in->sub;
	bool x_signed = kind & 2, y_signed = kind & 1, bytes = kind <= IR_DOT4_SS;
	uint32_t first = kind >= IR_DOT2HI_UU ? 2 : 0, count = bytes ? 4 : 2, bits = bytes ? 8 : 16;
	struct gcn_src sum = sel_word(s, ARG(2), 0);

	for (uint32_t k = 0; k < count; k++) {
		struct gcn_src x = sel_temp(s, GCN_VECTOR, 1), y = sel_temp(s, GCN_VECTOR, 1), p;

		sel_vop(s, x_signed ? AMD_v_bfe_i32 : AMD_v_bfe_u32, x, sel_word(s, ARG(0), 0),
			gcn_imm(k * bits), gcn_imm(bits));
		sel_vop(s, y_signed ? AMD_v_bfe_i32 : AMD_v_bfe_u32, y, sel_word(s, ARG(1), 0),
			gcn_imm((first + k) * 8), gcn_imm(8));
		p = sel_op_new(s, GCN_VECTOR, SEL_MUL, x, y);
		sum = sel_op_new(s, GCN_VECTOR, SEL_ADD, p, sum);
	}
	sel_move(s, sel_result(s, 0, 0), sum, 1);
}

/* Absolute differences, one byte at a time. */
static void select_absdiff4(struct select *s)
{
	struct gcn_src word = gcn_imm(0);

	for (uint32_t k = 4; k-- > 0;) {
		struct gcn_src x = sel_temp(s, GCN_VECTOR, 1), y = sel_temp(s, GCN_VECTOR, 1);
		struct gcn_src most, least, d, merged = sel_temp(s, GCN_VECTOR, 1);

		sel_vop(s, AMD_v_bfe_u32, x, sel_word(s, ARG(0), 0), gcn_imm(8 * k), gcn_imm(8));
		sel_vop(s, AMD_v_bfe_u32, y, sel_word(s, ARG(1), 0), gcn_imm(8 * k), gcn_imm(8));
		most = sel_op_new(s, GCN_VECTOR, SEL_MAX_U, x, y);
		least = sel_op_new(s, GCN_VECTOR, SEL_MIN_U, x, y);
		d = sel_op_new(s, GCN_VECTOR, SEL_SUB, most, least);
		sel_vop(s, AMD_v_lshl_or_b32, merged, word, gcn_imm(8), d);
		word = merged;
	}
	sel_move(s, sel_result(s, 0, 0), word, 1);
}

/* ---- carries ---- */

static void select_carry(struct select *s)
{
	bool subtract = s->in->op == IR_SUBC;
	uint32_t bits = ir_type_bits(s->in->type), words = sel_words(s->in->type);
	struct gcn_src d = sel_result(s, 0, 0), in = sel_mask(s, ARG(2)), out, t;
	struct gcn_inst *i;

	if (!in.ref.vreg)
		in = sel_constant(s, GCN_SCALAR, in.reg == AMD_INT_0 ? 0 : UINT32_MAX, 1);
	if (bits < 32) { /* the carry is a bit of the sum */
		struct gcn_src one = sel_temp(s, GCN_VECTOR, 1);
		enum sel_op op = subtract ? SEL_SUB : SEL_ADD;

		sel_cndmask(s, one, in, gcn_imm(1), gcn_imm(0));
		t = sel_extended(s, ARG(0), s->in->type, false);
		out = sel_extended(s, ARG(1), s->in->type, false);
		t = sel_op_new(s, GCN_VECTOR, op, t, out);
		sel_op(s, op, d, t, one);
		t = sel_op_new(s, GCN_VECTOR, SEL_SHR_U, d, gcn_imm(bits));
		sel_vop(s, AMD_v_cmp_ne_u32, sel_result(s, 1, 0), gcn_imm(0), t, gcn_none());
		return;
	}
	for (uint32_t w = 0; w < words; w++) {
		out = w + 1 < words ? sel_temp(s, GCN_SCALAR, 1) : sel_result(s, 1, 0);
		i = sel_vop(s, subtract ? AMD_v_sub_co_ci_u32 : AMD_v_add_co_ci_u32, sel_part(d, w),
			    sel_word(s, ARG(0), w), sel_word(s, ARG(1), w), in);
		gcn_set_operand(s->f, i, AMD_SX, out);
		in = out;
	}
}

/* ---- widths ---- */

static void select_extend(struct select *s)
{
	bool is_signed = s->in->op == IR_SEXT;
	struct gcn_src d = sel_result(s, 0, 0), x;

	if (s->in->from == IR_B1) { /* a mask */
		x = sel_temp(s, sel_class(s, d), 1);
		sel_cndmask(s, x, sel_mask(s, ARG(0)), gcn_imm(is_signed ? UINT32_MAX : 1),
			    gcn_imm(0));
	} else {
		x = sel_extended(s, ARG(0), s->in->from, is_signed);
	}
	sel_move(s, d, x, 1);
	if (s->in->type != IR_B64)
		return;
	if (is_signed)
		sel_op(s, SEL_SHR_S, sel_part(d, 1), x, gcn_imm(31));
	else
		sel_move(s, sel_part(d, 1), gcn_imm(0), 1);
}

static void select_truncate(struct select *s)
{
	struct gcn_src t;

	if (s->in->type != IR_B1) {
		sel_move(s, sel_result(s, 0, 0), sel_word(s, ARG(0), 0), 1);
		return;
	}
	t = sel_op_new(s, GCN_VECTOR, SEL_AND, sel_word(s, ARG(0), 0), gcn_imm(1));
	sel_vop(s, AMD_v_cmp_ne_u32, sel_result(s, 0, 0), gcn_imm(0), t, gcn_none());
}

static void select_pack(struct select *s)
{
	struct gcn_src d = sel_result(s, 0, 0), low, high;
	uint32_t half = ir_type_bits(s->in->type) / 2;

	if (s->in->type == IR_B64) {
		sel_move(s, d, sel_word(s, ARG(0), 0), 1);
		sel_move(s, sel_part(d, 1), sel_word(s, ARG(1), 0), 1);
		return;
	}
	low = sel_extended(s, ARG(0), ir_type_half(s->in->type), false);
	high = sel_op_new(s, sel_class(s, d), SEL_SHL, sel_word(s, ARG(1), 0), gcn_imm(half));
	sel_op(s, SEL_OR, d, low, high);
}

static void select_unpack(struct select *s)
{
	uint32_t half = ir_type_bits(s->in->type) / 2;

	if (s->in->type == IR_B64) {
		for (uint32_t k = 0; k < 2; k++)
			sel_move(s, sel_result(s, k, 0), sel_word(s, ARG(0), k), 1);
		return;
	}
	sel_move(s, sel_result(s, 0, 0), sel_word(s, ARG(0), 0), 1);
	sel_op(s, SEL_SHR_U, sel_result(s, 1, 0),
	       s->in->type == IR_B32 ? sel_word(s, ARG(0), 0)
				     : sel_extended(s, ARG(0), s->in->type, false),
	       gcn_imm(half));
}

static void select_copy(struct select *s)
{
	if (s->in->type == IR_B1)
		sel_move(s, sel_result(s, 0, 0), sel_mask(s, ARG(0)), 1);
	for (uint32_t w = 0; s->in->type != IR_B1 && w < sel_words(s->in->type); w++)
		sel_move(s, sel_result(s, 0, w), sel_word(s, ARG(0), w), 1);
}

static void select_not(struct select *s)
{
	select_logic(s, SEL_NOT, AMD_s_not_b32);
}

static void select_and(struct select *s)
{
	select_logic(s, SEL_AND, AMD_s_and_b32);
}

static void select_or(struct select *s)
{
	select_logic(s, SEL_OR, AMD_s_or_b32);
}

static void select_xor(struct select *s)
{
	select_logic(s, SEL_XOR, AMD_s_xor_b32);
}

static void select_add_sub(struct select *s)
{
	add_values(s, ARG(0), ARG(1), s->in->op == IR_SUB);
}

bool select_integer(struct select *s)
{
	static void (*const handlers[IR_OP_COUNT])(struct select *) = {
		[IR_ADD] = select_add_sub,
		[IR_SUB] = select_add_sub,
		[IR_MUL] = select_multiply,
		[IR_MAD] = select_multiply,
		[IR_MULHI_U] = select_multiply_high,
		[IR_MULHI_S] = select_multiply_high,
		[IR_MULWIDE_U] = select_multiply_wide,
		[IR_MULWIDE_S] = select_multiply_wide,
		[IR_NEG] = select_negate,
		[IR_AND] = select_and,
		[IR_OR] = select_or,
		[IR_XOR] = select_xor,
		[IR_NOT] = select_not,
		[IR_SHL] = select_shift,
		[IR_SHR_U] = select_shift,
		[IR_SHR_S] = select_shift,
		[IR_POPC] = select_popcount,
		[IR_CLZ] = select_leading_zeros,
		[IR_BREV] = select_bit_reverse,
		[IR_LOGIC3] = select_logic3,
		[IR_PERMUTE] = select_permute,
		[IR_DOT] = select_dot,
		[IR_ABSDIFF4] = select_absdiff4,
		[IR_ADDC] = select_carry,
		[IR_SUBC] = select_carry,
		[IR_ZEXT] = select_extend,
		[IR_SEXT] = select_extend,
		[IR_TRUNC] = select_truncate,
		[IR_PACK] = select_pack,
		[IR_UNPACK] = select_unpack,
		[IR_COPY] = select_copy,
	};

	if (!handlers[s->in->op])
		return false;
	handlers[s->in->op](s);
	return true;
}
