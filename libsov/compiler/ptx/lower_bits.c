// SPDX-License-Identifier: MIT
/*
 * Lowering of what moves bits and bytes. Shifts of the IR by the width and more give 0 (or the
 * sign), so a mask of n bits is (1 << n) - 1 for every n from 0 on, the width included.
 */
#include "libsov/compiler/ptx/front_end.h"

static ir_val number(struct ptx *x, enum ir_type t, uint64_t n)
{
	return ptx_constant_value(x, t, n);
}

static ir_val ones(struct ptx *x, enum ir_type t, ir_val n)
{
	ir_val above = ptx_op(x, IR_SHL, t, number(x, t, 1), n, 0);

	return ptx_op(x, IR_SUB, t, above, number(x, t, 1), 0);
}

/* Positions and lengths are bytes. */
static ir_val byte(struct ptx *x, const struct ptx_inst *in, enum ptx_role role)
{
	return ptx_op(x, IR_AND, IR_B32, ptx_role(x, in, role), number(x, IR_B32, 0xff), 0);
}

static ir_val at_most(struct ptx *x, ir_val v, uint32_t n)
{
	return ptx_op(x, IR_MIN_U, IR_B32, v, number(x, IR_B32, n), 0);
}

/* A count that goes around at 32, or ends there. */
static ir_val wrapped(struct ptx *x, const struct ptx_inst *in, ir_val v)
{
	if (in->value[SLOT_WRAP])
		return ptx_op(x, IR_AND, IR_B32, v, number(x, IR_B32, 31), 0);
	return at_most(x, v, 32);
}

/* Signed fields are shifted up to the end, as far as they reach, and down again. */
void ptx_lower_bfe(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_role(x, in, ROLE_A), position = byte(x, in, ROLE_B);
	ir_val length = byte(x, in, ROLE_C), end, above, v;

	if (type->class != CLASS_SIGNED) {
		v = ptx_op(x, IR_SHR_U, t, a, position, 0);
		ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_AND, t, v, ones(x, t, length), 0));
		return;
	}
	end = at_most(x, ptx_op(x, IR_ADD, IR_B32, position, length, 0), type->bits);
	above = ptx_op(x, IR_SUB, IR_B32, number(x, IR_B32, type->bits), end, 0);
	v = ptx_op(x, IR_SHL, t, a, above, 0);
	v = ptx_op(x, IR_SHR_S, t, v, ptx_op(x, IR_ADD, IR_B32, above, position, 0), 0);
	v = ptx_op(x, IR_SELECT, t,
		   ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, length, number(x, IR_B32, 0)),
		   number(x, t, 0), v);
	ptx_write(x, in->role[ROLE_D], v);
}

void ptx_lower_bfi(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B);
	ir_val position = byte(x, in, ROLE_C), length = byte(x, in, ROLE_E);
	ir_val mask = ptx_op(x, IR_SHL, t, ones(x, t, length), position, 0);

	a = ptx_op(x, IR_AND, t, ptx_op(x, IR_SHL, t, a, position, 0), mask, 0);
	b = ptx_op(x, IR_AND, t, b, ptx_op(x, IR_NOT, t, mask, 0, 0), 0);
	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_OR, t, a, b, 0));
}

/* The highest one; of a negative number the highest zero. All ones when there is none. */
void ptx_lower_bfind(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = type->ir;
	ir_val a = ptx_role(x, in, ROLE_A), zeros, v;

	if (type->class == CLASS_SIGNED)
		a = ptx_op(x, IR_XOR, t, a,
			   ptx_op(x, IR_SHR_S, t, a, number(x, IR_B32, type->bits - 1u), 0), 0);
	zeros = ptx_convert(x, IR_TRUNC, t, IR_B32, ptx_op(x, IR_CLZ, t, a, 0, 0));
	if (in->nwords == 2) /* .shiftamt */
		v = ptx_op(x, IR_SELECT, IR_B32,
			   ptx_compare(x, IR_ICMP, t, IR_EQ, a, number(x, t, 0)),
			   number(x, IR_B32, UINT32_MAX), zeros);
	else
		v = ptx_op(x, IR_SUB, IR_B32, number(x, IR_B32, type->bits - 1u), zeros, 0);
	ptx_write(x, in->role[ROLE_D], v);
}

void ptx_lower_bmsk(struct ptx *x, const struct ptx_inst *in)
{
	ir_val position = wrapped(x, in, ptx_role(x, in, ROLE_A));
	ir_val length = wrapped(x, in, ptx_role(x, in, ROLE_B));

	ptx_write(x, in->role[ROLE_D],
		  ptx_op(x, IR_SHL, IR_B32, ones(x, IR_B32, length), position, 0));
}

/* Where the n-th one of a word is, from the lowest on, n from 1: half of what is left has it or the
 * other half does. */
static ir_val nth_one(struct ptx *x, ir_val word, ir_val n)
{
	ir_val at = number(x, IR_B32, 0);

	for (uint32_t half = 16; half; half /= 2) {
		ir_val width = number(x, IR_B32, half), low, count, beyond;

		low = ptx_op(x, IR_AND, IR_B32, word, number(x, IR_B32, (UINT64_C(1) << half) - 1),
			     0);
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

static ir_val mirrored(struct ptx *x, ir_val back, ir_val at)
{
	return ptx_op(x, IR_SELECT, IR_B32, back,
		      ptx_op(x, IR_SUB, IR_B32, number(x, IR_B32, 31), at, 0), at);
}

/* The n-th one from a base on, up or down; down is up in the mirror. An n of 0 asks for the base. */
void ptx_lower_fns(struct ptx *x, const struct ptx_inst *in)
{
	ir_val word = ptx_role(x, in, ROLE_A), base = ptx_role(x, in, ROLE_B),
	       n = ptx_role(x, in, ROLE_C);
	ir_val zero = number(x, IR_B32, 0), one = number(x, IR_B32, 1),
	       all = number(x, IR_B32, UINT32_MAX);
	ir_val back = ptx_compare(x, IR_ICMP, IR_B32, IR_LT_S, n, zero), from, window, found, at;

	window = ptx_op(x, IR_SELECT, IR_B32, ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, n, zero), one,
			all);
	n = ptx_op(x, IR_SELECT, IR_B32, back, ptx_op(x, IR_SUB, IR_B32, zero, n, 0), n);
	n = ptx_op(x, IR_MAX_U, IR_B32, n, one, 0);
	word = ptx_op(x, IR_SELECT, IR_B32, back, ptx_op(x, IR_BREV, IR_B32, word, 0, 0), word);
	from = mirrored(x, back, base);
	word = ptx_op(x, IR_AND, IR_B32, word, ptx_op(x, IR_SHL, IR_B32, window, from, 0), 0);
	found = ptx_compare(x, IR_ICMP, IR_B32, IR_LE_U, n, ptx_op(x, IR_POPC, IR_B32, word, 0, 0));
	at = mirrored(x, back, nth_one(x, word, n));
	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_SELECT, IR_B32, found, at, all));
}

void ptx_lower_szext(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_role(x, in, ROLE_A), n = wrapped(x, in, ptx_role(x, in, ROLE_B)), v;

	if (ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED) {
		n = ptx_op(x, IR_SUB, IR_B32, number(x, IR_B32, 32), n, 0);
		v = ptx_op(x, IR_SHL, IR_B32, a, n, 0);
		v = ptx_op(x, IR_SHR_S, IR_B32, v, n, 0);
	} else {
		v = ptx_op(x, IR_AND, IR_B32, a, ones(x, IR_B32, n), 0);
	}
	ptx_write(x, in->role[ROLE_D], v);
}

void ptx_lower_cnot(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_role(x, in, ROLE_A);
	ir_val p = ptx_compare(x, IR_ICMP, t, IR_EQ, a, number(x, t, 0));

	ptx_write(x, in->role[ROLE_D],
		  ptx_op(x, IR_SELECT, t, p, number(x, t, 1), number(x, t, 0)));
}

/* A mode is a choice of four selectors, by the low two bits of c. */
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
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B);
	ir_val c = ptx_role(x, in, ROLE_C);

	if (ptx_said(in, SLOT_PRMT)) {
		c = ptx_op(x, IR_AND, IR_B32, c, number(x, IR_B32, 3), 0);
		c = ptx_op(x, IR_SHL, IR_B32, c, number(x, IR_B32, 4), 0);
		c = ptx_op(x, IR_SHR_U, IR_B64, number(x, IR_B64, modes[in->value[SLOT_PRMT]]), c,
			   0);
		c = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, c);
	}
	ptx_write(x, in->role[ROLE_D], ptx_op(x, IR_PERMUTE, IR_B32, a, b, c));
}

/* With .BoolOp also whether the result is not zero, combined with f. */
void ptx_lower_lop3(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *table = in->role[ROLE_E];
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B);
	ir_val v = ptx_op(x, IR_LOGIC3, IR_B32, a, b, ptx_role(x, in, ROLE_C)), p;

	if (table->kind != OPERAND_INTEGER || table->value > 0xff) {
		ptx_error(x, &table->at, "the table of '%s' must be a constant from 0 to 255",
			  ptx_spelling(x, in));
		return;
	}
	ir_def(x->func, v)->imm = table->value;
	ptx_write(x, in->role[ROLE_D], v);
	if (!in->role[ROLE_P])
		return;
	p = ptx_compare(x, IR_ICMP, IR_B32, IR_NE, v, number(x, IR_B32, 0));
	p = ptx_op(x, in->value[SLOT_BOOL], IR_B1, p, ptx_role(x, in, ROLE_F), 0);
	ptx_write(x, in->role[ROLE_P], p);
}

/* Of b:a, shifted left the high word, shifted right the low one. */
void ptx_lower_shf(struct ptx *x, const struct ptx_inst *in)
{
	bool right = in->value[SLOT_DIRECTION];
	ir_val a = ptx_role(x, in, ROLE_A);
	ir_val both = ptx_op(x, IR_PACK, IR_B64, a, ptx_role(x, in, ROLE_B), 0);
	ir_val n = wrapped(x, in, ptx_role(x, in, ROLE_C));
	ir_val v = ptx_op(x, right ? IR_SHR_U : IR_SHL, IR_B64, both, n, 0);

	v = ptx_op(x, IR_UNPACK, IR_B64, v, 0, 0);
	ptx_write(x, in->role[ROLE_D], right ? v : v + 1);
}

/* dp4a, dp2a.lo, dp2a.hi: .atype and .btype are the two letters of the operation. */
void ptx_lower_dot(struct ptx *x, const struct ptx_inst *in)
{
	bool bytes = in->name.text[2] == '4';
	uint8_t sub = bytes ? IR_DOT4_UU : IR_DOT2LO_UU;
	ir_val a = ptx_role(x, in, ROLE_A), b = ptx_role(x, in, ROLE_B);
	ir_val v = ptx_op(x, IR_DOT, IR_B32, a, b, ptx_role(x, in, ROLE_C));

	for (uint32_t k = 0; !bytes && k < in->nwords; k++)
		if (ptx_is_word(&in->words[k], ".hi"))
			sub = IR_DOT2HI_UU;
	sub += ptx_inst_type(in, SLOT_SOURCE_TYPE)->class == CLASS_SIGNED ? 2 : 0;
	sub += ptx_inst_type(in, SLOT_THIRD_TYPE)->class == CLASS_SIGNED ? 1 : 0;
	ir_def(x->func, v)->sub = sub;
	ptx_write(x, in->role[ROLE_D], v);
}
