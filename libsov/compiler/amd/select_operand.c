// SPDX-License-Identifier: MIT
/*
 * Operands and encodings. A VOP3 instruction reads at most two scalar values over the constant bus,
 * literals included; the short encodings take a scalar only as their first source. Operands that do
 * not fit are copied to a VGPR.
 */
#include "libsov/compiler/amd/select.h"

static const struct {
	uint16_t scalar, vector;
	bool reversed, commutative;
} op_table[SEL_OPS] = {
	[SEL_ADD] = {AMD_s_add_u32, AMD_v_add_nc_u32, false, true},
	[SEL_SUB] = {AMD_s_sub_u32, AMD_v_sub_nc_u32, false, false},
	[SEL_MUL] = {AMD_s_mul_i32, AMD_v_mul_lo_u32, false, true},
	[SEL_MULHI_U] = {AMD_s_mul_hi_u32, AMD_v_mul_hi_u32, false, true},
	[SEL_MULHI_S] = {AMD_s_mul_hi_i32, AMD_v_mul_hi_i32, false, true},
	[SEL_AND] = {AMD_s_and_b32, AMD_v_and_b32, false, true},
	[SEL_OR] = {AMD_s_or_b32, AMD_v_or_b32, false, true},
	[SEL_XOR] = {AMD_s_xor_b32, AMD_v_xor_b32, false, true},
	[SEL_SHL] = {AMD_s_lshl_b32, AMD_v_lshlrev_b32, true, false},
	[SEL_SHR_U] = {AMD_s_lshr_b32, AMD_v_lshrrev_b32, true, false},
	[SEL_SHR_S] = {AMD_s_ashr_i32, AMD_v_ashrrev_i32, true, false},
	[SEL_MIN_U] = {AMD_s_min_u32, AMD_v_min_u32, false, true},
	[SEL_MIN_S] = {AMD_s_min_i32, AMD_v_min_i32, false, true},
	[SEL_MAX_U] = {AMD_s_max_u32, AMD_v_max_u32, false, true},
	[SEL_MAX_S] = {AMD_s_max_i32, AMD_v_max_i32, false, true},
	[SEL_NOT] = {AMD_s_not_b32, AMD_v_not_b32, false, false},
	[SEL_BREV] = {AMD_s_brev_b32, AMD_v_bfrev_b32, false, false},
};

void sel_unsupported(struct select *s, const char *what)
{
	diag_error(&s->f->job->diag, s->in ? s->in->line : 0, 0, "%s is not supported on %s yet",
		   what, s->f->job->target->name);
	s->failed = true;
}

struct gcn_src sel_temp(struct select *s, enum gcn_class class, uint32_t words)
{
	return gcn_word(s->f, gcn_vreg_new(s->f, class, words), 0);
}

struct gcn_src sel_part(struct gcn_src x, uint32_t word)
{
	x.ref.part = (uint8_t)(x.ref.part + word);
	return x;
}

bool sel_is_scalar(const struct select *s, ir_val v)
{
	uint8_t op = ir_def(s->ir, v)->op;

	return op == IR_CONST || op == IR_UNDEF || s->scalar[v];
}

static struct gcn_src value_operand(struct select *s, ir_val v, uint32_t word)
{
	if (!s->vreg[v]) {
		enum ir_type t = s->ir->values[v].type;
		bool scalar = t == IR_B1 || s->scalar[v];

		s->vreg[v] = gcn_vreg_new(s->f, scalar ? GCN_SCALAR : GCN_VECTOR, sel_words(t));
	}
	return gcn_word(s->f, s->vreg[v], word);
}

/*
 * Assigns the vreg up front. C does not specify the evaluation order of arguments, so creating
 * vregs on first use would make the output depend on the host compiler.
 */
void sel_assign_vreg(struct select *s, ir_val v)
{
	value_operand(s, v, 0);
}

bool sel_is_known(const struct select *s, ir_val v, uint64_t *value)
{
	const struct ir_inst *d = ir_def(s->ir, v);

	if (d->op == IR_ADDR && s->ir->module->symbols[d->symbol].space == IR_SHARED) {
		*value = s->f->symbol_offset[d->symbol] + (uint32_t)d->imm;
		return true;
	}
	*value = d->op == IR_CONST ? d->imm : 0;
	return d->op == IR_CONST || d->op == IR_UNDEF;
}

struct gcn_src sel_word(struct select *s, ir_val v, uint32_t word)
{
	uint64_t value;

	return sel_is_known(s, v, &value) ? gcn_imm((uint32_t)(value >> 32 * word))
					  : value_operand(s, v, word);
}

struct gcn_src sel_result(struct select *s, uint32_t k, uint32_t word)
{
	return value_operand(s, s->in->res + k, word);
}

struct gcn_src sel_constant(struct select *s, enum gcn_class class, uint64_t value, uint32_t words)
{
	struct gcn_src d = sel_temp(s, class, words);

	for (uint32_t k = 0; k < words; k++)
		sel_move(s, sel_part(d, k), gcn_imm((uint32_t)(value >> 32 * k)), 1);
	return d;
}

/* Inline constants of 64-bit operands. */
static bool inline_pair(uint64_t value, uint16_t *reg)
{
	static const uint64_t doubles[] = {
		0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
		0x4000000000000000, 0xc000000000000000, 0x4010000000000000, 0xc010000000000000,
	};
	int64_t v = (int64_t)value;

	if (v >= -16 && v <= 64) {
		*reg = gcn_imm((uint32_t)value).reg;
		return true;
	}
	for (uint16_t k = 0; k < sizeof(doubles) / sizeof(doubles[0]); k++)
		if (doubles[k] == value) {
			*reg = AMD_HALF + k;
			return true;
		}
	return false;
}

struct gcn_src sel_pair(struct select *s, ir_val v)
{
	uint64_t value;
	uint16_t reg;

	if (!sel_is_known(s, v, &value))
		return value_operand(s, v, 0);
	if (inline_pair(value, &reg))
		return gcn_reg(reg);
	return sel_constant(s, GCN_SCALAR, value, 2);
}

struct gcn_src sel_mask(struct select *s, ir_val v)
{
	const struct ir_inst *d = ir_def(s->ir, v);

	if (d->op == IR_CONST || d->op == IR_UNDEF)
		return gcn_imm(d->op == IR_CONST && d->imm ? UINT32_MAX : 0);
	return value_operand(s, v, 0);
}

struct gcn_src sel_vector(struct select *s, struct gcn_src x, uint32_t words)
{
	struct gcn_src d;

	if (gcn_is_vector(s->f, x))
		return x;
	d = sel_temp(s, GCN_VECTOR, words);
	sel_move(s, d, x, words);
	return d;
}

/* A whole value in VGPRs, constants included. */
struct gcn_src sel_vector_value(struct select *s, ir_val v)
{
	uint32_t words = sel_words(s->ir->values[v].type);
	struct gcn_src d;

	if (!sel_is_scalar(s, v))
		return value_operand(s, v, 0);
	d = sel_temp(s, GCN_VECTOR, words);
	for (uint32_t k = 0; k < words; k++)
		sel_move(s, sel_part(d, k), sel_word(s, v, k), 1);
	return d;
}

struct gcn_src sel_extended(struct select *s, ir_val v, enum ir_type t, bool is_signed)
{
	struct gcn_src x = sel_word(s, v, 0), d;
	uint32_t bits = ir_type_bits(t);
	uint64_t value;

	if (t >= IR_B32)
		return x;
	if (ir_is_const(s->ir, v, &value)) {
		value &= (1u << bits) - 1;
		if (is_signed && value >> (bits - 1))
			value |= ~((UINT64_C(1) << bits) - 1);
		return gcn_imm((uint32_t)value);
	}
	d = sel_temp(s, sel_class(s, x), 1);
	if (sel_class(s, x) == GCN_VECTOR)
		sel_vop(s, is_signed ? AMD_v_bfe_i32 : AMD_v_bfe_u32, d, x, gcn_imm(0),
			gcn_imm(bits));
	else if (is_signed)
		sel_sop(s, bits == 8 ? AMD_s_sext_i32_i8 : AMD_s_sext_i32_i16, d, x, gcn_none());
	else
		sel_sop(s, AMD_s_and_b32, d, x, gcn_imm((1u << bits) - 1));
	return d;
}

struct gcn_inst *sel_emit(struct select *s, enum amd_op op, enum amd_form form)
{
	struct gcn_inst *i = gcn_inst_new(s->f, op, form);

	i->line = s->in ? s->in->line : 0;
	gcn_insert(s->f, s->block, NULL, i);
	return i;
}

static bool is_literal(struct gcn_src x)
{
	return !x.ref.vreg && x.reg == AMD_LITERAL;
}

struct gcn_inst *sel_sop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y)
{
	struct gcn_inst *i;

	if (is_literal(x) && is_literal(y) && x.literal != y.literal) {
		struct gcn_src t = sel_temp(s, GCN_SCALAR, 1);

		sel_move(s, t, y, 1);
		y = t;
	}
	i = sel_emit(s, op, AMD_PLAIN);
	gcn_set_operand(s->f, i, AMD_D, d);
	gcn_set_operand(s->f, i, AMD_S0, x);
	gcn_set_operand(s->f, i, AMD_S1, y);
	return i;
}

/* Whether the operand occupies a slot of the constant bus (LLVM's term). */
static bool uses_constant_bus(const struct gcn_func *f, struct gcn_src x)
{
	if (gcn_is_vector(f, x) || (!x.ref.vreg && (x.reg == AMD_NONE || x.reg == AMD_NULL)))
		return false;
	return x.ref.vreg || x.reg < AMD_INT_0 || x.reg == AMD_LITERAL ||
	       (x.reg >= AMD_SHARED_BASE && x.reg <= AMD_POPS_ID) || x.reg > AMD_INV_2PI;
}

static void limit_constant_bus(struct select *s, const struct amd_row *row, struct gcn_src *src,
			       uint32_t limit)
{
	struct gcn_src seen[3];
	uint32_t n = 0, k;
	bool literal = false;

	/* A mask cannot move to a VGPR, so masks take their slots first. */
	for (uint32_t j = 0; j < 3; j++)
		if (row->type[AMD_S0 + j] == TYPE_M)
			seen[n++] = src[j];
	for (uint32_t j = 0; j < 3; j++) {
		uint32_t words = amd_types[row->type[AMD_S0 + j]].words;
		bool bad = is_literal(src[j]) && (literal || words > 1 || row->format == AMD_VOP3P);

		if (row->type[AMD_S0 + j] == TYPE_M || !uses_constant_bus(s->f, src[j]))
			continue;
		for (k = 0; k < n && !gcn_same_operand(seen[k], src[j]); k++)
			;
		if (!bad && k < n)
			continue;
		if (bad || n == limit) {
			src[j] = sel_vector(s, src[j], words);
			continue;
		}
		literal |= is_literal(src[j]);
		seen[n++] = src[j];
	}
}

static bool is_commutative(enum amd_op op)
{
	for (uint32_t k = 0; k < SEL_OPS; k++)
		if (op_table[k].vector == op)
			return op_table[k].commutative;
	return op == AMD_v_add_f32 || op == AMD_v_mul_f32 || op == AMD_v_min_f32 ||
	       op == AMD_v_max_f32;
}

static struct gcn_inst *emit_vop(struct select *s, enum amd_op op, struct gcn_src d,
				 struct gcn_src src[3], bool long_form,
				 struct sel_modifiers modifiers)
{
	const struct amd_row *row = amd_row(op);
	bool is_short = row->format <= AMD_VOPC;
	struct gcn_inst *i;

	long_form |= modifiers.neg || modifiers.abs;

	for (uint32_t k = 0; k < 3; k++)
		if (row->type[AMD_S0 + k] >= TYPE_V32 && row->type[AMD_S0 + k] <= TYPE_V128)
			src[k] = sel_vector(s, src[k], amd_types[row->type[AMD_S0 + k]].words);
	if (row->format == AMD_VOP2 && is_commutative(op) && !gcn_is_vector(s->f, src[1])) {
		struct gcn_src t = src[0];

		src[0] = src[1];
		src[1] = t;
		modifiers.neg = (uint8_t)((modifiers.neg & 4) | (modifiers.neg & 1) << 1 |
					  (modifiers.neg >> 1 & 1));
		modifiers.abs = (uint8_t)((modifiers.abs & 4) | (modifiers.abs & 1) << 1 |
					  (modifiers.abs >> 1 & 1));
	}
	if (row->format == AMD_VOPC || row->flags & CARRY || row->type[AMD_S2] == TYPE_M ||
	    (row->format == AMD_VOP2 && !gcn_is_vector(s->f, src[1])))
		long_form = true;
	if (!is_short || long_form)
		limit_constant_bus(s, row, src, row->flags & ONE_SCALAR ? 1 : 2);
	else if (is_literal(src[0]) && amd_types[row->type[AMD_S0]].words > 1)
		src[0] = sel_vector(s, src[0], amd_types[row->type[AMD_S0]].words);
	i = sel_emit(s, op, is_short && long_form ? AMD_E64 : AMD_PLAIN);
	gcn_set_operand(s->f, i, AMD_D, d);
	for (uint32_t k = 0; k < 3; k++)
		if (row->type[AMD_S0 + k])
			gcn_set_operand(s->f, i, AMD_S0 + k, src[k]);
	i->in.field[AMD_F_NEG] = modifiers.neg;
	i->in.field[AMD_F_ABS] = modifiers.abs;
	return i;
}

struct gcn_inst *sel_vop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y, struct gcn_src z)
{
	return emit_vop(s, op, d, (struct gcn_src[]){x, y, z}, false, (struct sel_modifiers){0, 0});
}

struct gcn_inst *sel_vop_long(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			      struct gcn_src y, struct gcn_src z)
{
	return emit_vop(s, op, d, (struct gcn_src[]){x, y, z}, true, (struct sel_modifiers){0, 0});
}

struct gcn_inst *sel_vop_signed(struct select *s, enum amd_op op, struct gcn_src d,
				const struct gcn_src x[3], struct sel_modifiers modifiers,
				bool long_form)
{
	return emit_vop(s, op, d, (struct gcn_src[]){x[0], x[1], x[2]}, long_form, modifiers);
}

void sel_move(struct select *s, struct gcn_src d, struct gcn_src x, uint32_t words)
{
	for (uint32_t k = 0; k < words; k++) {
		struct gcn_src from = x.ref.vreg ? sel_part(x, k) : x;

		/* The upper word of a 64-bit inline integer is its sign. */
		if (k && !x.ref.vreg)
			from = gcn_imm(x.reg >= AMD_INT_M1 && x.reg < AMD_INT_M1 + 16 ? UINT32_MAX
										      : 0);
		gcn_move(s->f, s->block, NULL, sel_part(d, k), from)->line =
			s->in ? s->in->line : 0;
	}
}

void sel_op(struct select *s, enum sel_op op, struct gcn_src d, struct gcn_src x, struct gcn_src y)
{
	if (sel_class(s, d) == GCN_SCALAR)
		sel_sop(s, op_table[op].scalar, d, x, y);
	else if (op_table[op].reversed)
		sel_vop(s, op_table[op].vector, d, y, x, gcn_none());
	else
		sel_vop(s, op_table[op].vector, d, x, y, gcn_none());
}

struct gcn_src sel_op_new(struct select *s, enum gcn_class class, enum sel_op op, struct gcn_src x,
			  struct gcn_src y)
{
	struct gcn_src d = sel_temp(s, class, 1);

	sel_op(s, op, d, x, y);
	return d;
}

void sel_add64(struct select *s, struct gcn_src d, struct gcn_src x, struct gcn_src x1,
	       struct gcn_src y, struct gcn_src y1, bool subtract)
{
	struct gcn_src carry, lost;
	struct gcn_inst *i;

	if (sel_class(s, d) == GCN_SCALAR) {
		sel_sop(s, subtract ? AMD_s_sub_u32 : AMD_s_add_u32, d, x, y);
		sel_sop(s, subtract ? AMD_s_subb_u32 : AMD_s_addc_u32, sel_part(d, 1), x1, y1);
		return;
	}
	carry = sel_temp(s, GCN_SCALAR, 1);
	lost = sel_temp(s, GCN_SCALAR, 1);
	i = sel_vop(s, subtract ? AMD_v_sub_co_u32 : AMD_v_add_co_u32, d, x, y, gcn_none());
	gcn_set_operand(s->f, i, AMD_SX, carry);
	i = sel_vop(s, subtract ? AMD_v_sub_co_ci_u32 : AMD_v_add_co_ci_u32, sel_part(d, 1), x1, y1,
		    carry);
	gcn_set_operand(s->f, i, AMD_SX, lost);
}

void sel_cndmask(struct select *s, struct gcn_src d, struct gcn_src mask, struct gcn_src x,
		 struct gcn_src y)
{
	struct gcn_src t;

	if (sel_class(s, d) == GCN_VECTOR) {
		if (!mask.ref.vreg) { /* a constant */
			sel_move(s, d, mask.reg == AMD_INT_0 ? y : x, 1);
			return;
		}
		sel_vop(s, AMD_v_cndmask_b32, d, y, x, mask);
		return;
	}
	t = sel_temp(s, GCN_SCALAR, 1);
	sel_sop(s, AMD_s_and_b32, t, mask, gcn_reg(AMD_EXEC));
	sel_sop(s, AMD_s_cselect_b32, d, x, y);
}

struct gcn_src sel_compare(struct select *s, enum amd_op op, struct gcn_src x, struct gcn_src y)
{
	struct gcn_src d = sel_temp(s, GCN_SCALAR, 1);

	sel_vop(s, op, d, x, y, gcn_none());
	return d;
}
