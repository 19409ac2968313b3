// SPDX-License-Identifier: MIT
/*
 * Lowering of bit-field and byte instructions. IR shifts by the width or more give 0 (or the sign),
 * so (1 << n) - 1 is a mask of n bits for every n, the width included.
 */
#include "libsov/compiler/ptx/front_end.h"

static ir_val emit_number(struct ptx *x, enum ir_type t, uint64_t n)
{
	return ptx_emit_constant(x, t, n);
}

static ir_val emit_ones(struct ptx *x, enum ir_type t, ir_val n)
{
	ir_val above = ptx_op(x, IR_SHL, t, emit_number(x, t, 1), n, 0);

	return ptx_op(x, IR_SUB, t, above, emit_number(x, t, 1), 0);
}

/* Only the low byte of a position or length counts. */
static ir_val read_byte(struct ptx *x, const struct ptx_inst *in, enum ptx_role role)
{
	return ptx_op(x, IR_AND, IR_B32, ptx_read_role(x, in, role), emit_number(x, IR_B32, 0xff),
		      0);
}

static ir_val emit_min(struct ptx *x, ir_val v, uint32_t n)
{
	return ptx_op(x, IR_MIN_U, IR_B32, v, emit_number(x, IR_B32, n), 0);
}

/* .wrap takes a count modulo 32, .clamp limits it to 32. */
static ir_val wrap_or_clamp(struct ptx *x, const struct ptx_inst *in, ir_val v)
{
	if (in->value[SLOT_WRAP])
		return ptx_op(x, IR_AND, IR_B32, v, emit_number(x, IR_B32, 31), 0);
	return emit_min(x, v, 32);
}

/* A signed field is shifted to the top of the word and arithmetically back. */
void ptx_lower_bfe(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A), position = read_byte(x, in, ROLE_B);
	ir_val length = read_byte(x, in, ROLE_C), end, above, v;

	if (type->class != CLASS_SIGNED) {
		v = ptx_op(x, IR_SHR_U, t, a, position, 0);
		ptx_write_operand(x, in->role[ROLE_D],
				  ptx_op(x, IR_AND, t, v, emit_ones(x, t, length), 0));
		return;
	}
	end = emit_min(x, ptx_op(x, IR_ADD, IR_B32, position, length, 0), type->bits);
	above = ptx_op(x, IR_SUB, IR_B32, emit_number(x, IR_B32, type->bits), end, 0);
	v = ptx_op(x, IR_SHL, t, a, above, 0);
	v = ptx_op(x, IR_SHR_S, t, v, ptx_op(x, IR_ADD, IR_B32, above, position, 0), 0);
	v = ptx_op(x, IR_SELECT, t,
		   ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, length, emit_number(x, IR_B32, 0)),
		   emit_number(x, t, 0), v);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_bfi(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);
	ir_val position = read_byte(x, in, ROLE_C), length = read_byte(x, in, ROLE_E);
	ir_val mask = ptx_op(x, IR_SHL, t, emit_ones(x, t, length), position, 0);

	a = ptx_op(x, IR_AND, t, ptx_op(x, IR_SHL, t, a, position, 0), mask, 0);
	b = ptx_op(x, IR_AND, t, b, ptx_op(x, IR_NOT, t, mask, 0, 0), 0);
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_OR, t, a, b, 0));
}

/* The highest set bit, or clear bit of a negative number; all ones: none. */
void ptx_lower_bfind(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A), zeros, v;

	if (type->class == CLASS_SIGNED)
		a = ptx_op(x, IR_XOR, t, a,
			   ptx_op(x, IR_SHR_S, t, a, emit_number(x, IR_B32, type->bits - 1u), 0),
			   0);
	zeros = ptx_convert(x, IR_TRUNC, t, IR_B32, ptx_op(x, IR_CLZ, t, a, 0, 0));
	if (in->nmodifiers == 2) /* .shiftamt */
		v = ptx_op(x, IR_SELECT, IR_B32,
			   ptx_compare(x, IR_ICMP, t, IR_EQ, a, emit_number(x, t, 0)),
			   emit_number(x, IR_B32, UINT32_MAX), zeros);
	else
		v = ptx_op(x, IR_SUB, IR_B32, emit_number(x, IR_B32, type->bits - 1u), zeros, 0);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_bmsk(struct ptx *x, const struct ptx_inst *in)
{
	ir_val position = wrap_or_clamp(x, in, ptx_read_role(x, in, ROLE_A));
	ir_val length = wrap_or_clamp(x, in, ptx_read_role(x, in, ROLE_B));

	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_SHL, IR_B32, emit_ones(x, IR_B32, length), position, 0));
}

/* The position of the n-th set bit from the lowest on, n >= 1, by binary search with popc. */
static ir_val nth_one(struct ptx *x, ir_val word, ir_val n)
{
	ir_val at = emit_number(x, IR_B32, 0);

	for (uint32_t half = 16; half; half /= 2) {
		ir_val width = emit_number(x, IR_B32, half), low, count, beyond;

		low = ptx_op(x, IR_AND, IR_B32, word,
			     emit_number(x, IR_B32, (UINT64_C(1) << half) - 1), 0);
		count = ptx_op(x, IR_POPC, IR_B32, low, 0, 0);
		beyond = ptx_compare(x, IR_ICMP, IR_B32, IR_GT_U, n, count);
		n = ptx_op(x, IR_SELECT, IR_B32, beyond, ptx_op(x, IR_SUB, IR_B32, n, count, 0), n);
		word = ptx_op(x, IR_SELECT, IR_B32, beyond,
			      ptx_op(x, IR_SHR_U, IR_B32, word, width, 0), word);
		at = ptx_op(x, IR_SELECT, IR_B32, beyond, ptx_op(x, IR_ADD, IR_B32, at, width, 0),
			    at);
	}
	return at;
}

/* 31 - at if `back` is set. */
static ir_val mirror_position(struct ptx *x, ir_val back, ir_val at)
{
	return ptx_op(x, IR_SELECT, IR_B32, back,
		      ptx_op(x, IR_SUB, IR_B32, emit_number(x, IR_B32, 31), at, 0), at);
}

/* The n-th set bit from a base, upwards or downwards, which is upwards in the reversed word. n = 0
 * tests the base itself. */
void ptx_lower_fns(struct ptx *x, const struct ptx_inst *in)
{
	ir_val word = ptx_read_role(x, in, ROLE_A), base = ptx_read_role(x, in, ROLE_B),
	       n = ptx_read_role(x, in, ROLE_C);
	ir_val zero = emit_number(x, IR_B32, 0), one = emit_number(x, IR_B32, 1),
	       all = emit_number(x, IR_B32, UINT32_MAX);
	ir_val back = ptx_compare(x, IR_ICMP, IR_B32, IR_LT_S, n, zero), from, window, found, at;

	window = ptx_op(x, IR_SELECT, IR_B32, ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, n, zero), one,
			all);
	n = ptx_op(x, IR_SELECT, IR_B32, back, ptx_op(x, IR_SUB, IR_B32, zero, n, 0), n);
	n = ptx_op(x, IR_MAX_U, IR_B32, n, one, 0);
	word = ptx_op(x, IR_SELECT, IR_B32, back, ptx_op(x, IR_BREV, IR_B32, word, 0, 0), word);
	from = mirror_position(x, back, base);
	word = ptx_op(x, IR_AND, IR_B32, word, ptx_op(x, IR_SHL, IR_B32, window, from, 0), 0);
	found = ptx_compare(x, IR_ICMP, IR_B32, IR_LE_U, n, ptx_op(x, IR_POPC, IR_B32, word, 0, 0));
	at = mirror_position(x, back, nth_one(x, word, n));
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_SELECT, IR_B32, found, at, all));
}

void ptx_lower_szext(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A),
	       n = wrap_or_clamp(x, in, ptx_read_role(x, in, ROLE_B)), v;

	if (ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED) {
		n = ptx_op(x, IR_SUB, IR_B32, emit_number(x, IR_B32, 32), n, 0);
		v = ptx_op(x, IR_SHL, IR_B32, a, n, 0);
		v = ptx_op(x, IR_SHR_S, IR_B32, v, n, 0);
	} else {
		v = ptx_op(x, IR_AND, IR_B32, a, emit_ones(x, IR_B32, n), 0);
	}
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_cnot(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val p = ptx_compare(x, IR_ICMP, t, IR_EQ, a, emit_number(x, t, 0));

	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_SELECT, t, p, emit_number(x, t, 1), emit_number(x, t, 0)));
}

/* A mode selects one of four selectors by the low two bits of c. */
void ptx_lower_prmt(struct ptx *x, const struct ptx_inst *in)
{
	static const uint64_t modes[] = {
		UINT64_C(0x6543543243213210), /* .f4e: four bytes from c on */
		UINT64_C(0x0123701267015670), /* .b4e: downwards from c */
		UINT64_C(0x3333222211110000), /* .rc8: byte c four times */
		UINT64_C(0x3333322232113210), /* .ecl: none below c */
		UINT64_C(0x3210221011100000), /* .ecr: none above c */
		UINT64_C(0x3232101032321010), /* .rc16: half c twice */
	};
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);
	ir_val c = ptx_read_role(x, in, ROLE_C);

	if (ptx_has_modifier(in, SLOT_PRMT)) {
		c = ptx_op(x, IR_AND, IR_B32, c, emit_number(x, IR_B32, 3), 0);
		c = ptx_op(x, IR_SHL, IR_B32, c, emit_number(x, IR_B32, 4), 0);
		c = ptx_op(x, IR_SHR_U, IR_B64, emit_number(x, IR_B64, modes[in->value[SLOT_PRMT]]),
			   c, 0);
		c = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, c);
	}
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_PERMUTE, IR_B32, a, b, c));
}

/* With .BoolOp, p is (result != 0) combined with f. */
void ptx_lower_lop3(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *table = in->role[ROLE_E];
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);
	ir_val v = ptx_op(x, IR_LOGIC3, IR_B32, a, b, ptx_read_role(x, in, ROLE_C)), p;

	if (table->kind != OPERAND_INTEGER) {
		ptx_error(x, &table->at, "the table of '%s' must be an integer constant",
			  ptx_spelling(x, in));
		return;
	}
	ir_def(x->func, v)->imm = table->value & 0xff;
	ptx_write_operand(x, in->role[ROLE_D], v);
	if (!in->role[ROLE_P])
		return;
	p = ptx_compare(x, IR_ICMP, IR_B32, IR_NE, v, emit_number(x, IR_B32, 0));
	p = ptx_op(x, in->value[SLOT_BOOL], IR_B1, p, ptx_read_role(x, in, ROLE_F), 0);
	ptx_write_operand(x, in->role[ROLE_P], p);
}

/* Funnel shift of b:a: the high word of a left shift, the low word of a right shift. */
void ptx_lower_shf(struct ptx *x, const struct ptx_inst *in)
{
	bool right = in->value[SLOT_DIRECTION];
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val both = ptx_op(x, IR_PACK, IR_B64, a, ptx_read_role(x, in, ROLE_B), 0);
	ir_val n = wrap_or_clamp(x, in, ptx_read_role(x, in, ROLE_C));
	ir_val v = ptx_op(x, right ? IR_SHR_U : IR_SHL, IR_B64, both, n, 0);

	v = ptx_op(x, IR_UNPACK, IR_B64, v, 0, 0);
	ptx_write_operand(x, in->role[ROLE_D], right ? v : v + 1);
}

/* dp4a, dp2a.lo, dp2a.hi: .atype and .btype select the signedness of each operand. */
void ptx_lower_dot(struct ptx *x, const struct ptx_inst *in)
{
	bool bytes = in->name.text[2] == '4';
	uint8_t sub = bytes ? IR_DOT4_UU : IR_DOT2LO_UU;
	ir_val a = ptx_read_role(x, in, ROLE_A), b = ptx_read_role(x, in, ROLE_B);
	ir_val v = ptx_op(x, IR_DOT, IR_B32, a, b, ptx_read_role(x, in, ROLE_C));

	for (uint32_t k = 0; !bytes && k < in->nmodifiers; k++)
		if (ptx_is_keyword(&in->modifiers[k], ".hi"))
			sub = IR_DOT2HI_UU;
	sub += ptx_inst_type(in, SLOT_SOURCE_TYPE)->class == CLASS_SIGNED ? 2 : 0;
	sub += ptx_inst_type(in, SLOT_THIRD_TYPE)->class == CLASS_SIGNED ? 1 : 0;
	ir_def(x->func, v)->sub = sub;
	ptx_write_operand(x, in->role[ROLE_D], v);
}
