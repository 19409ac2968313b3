// SPDX-License-Identifier: MIT
/* Lowering of matrix instructions. */
#include <stdio.h>
#include <string.h>
#include "libsov/isa/mma.h"
#include "libsov/compiler/ptx/front_end.h"

#define MAX_REGISTERS 32 /* of all operands of a product */

bool ptx_is_spelled(const struct ptx_inst *in, const char *modifier)
{
	for (uint32_t k = 0; k < in->nmodifiers; k++)
		if (in->modifiers[k].length == strlen(modifier) &&
		    !memcmp(in->modifiers[k].text, modifier, strlen(modifier)))
			return true;
	return false;
}

/* "f32.f16.m16n8k16", from the spelling's shape and types. */
static void kind_text(const struct ptx_inst *in, char *text, size_t size)
{
	const struct ptx_token *shape = NULL, *types[4] = {NULL};
	uint32_t n = 0;

	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		const struct ptx_token *t = &in->modifiers[k];

		if (!memcmp(t->text, ".m", 2))
			shape = t;
		else if (ptx_type_find(t->text, t->length) && n < 4)
			types[n++] = t;
	}
	if (ptx_inst_type(in, SLOT_TYPE)->bits == 64)
		snprintf(text, size, "f64%.*s", TEXT(shape));
	else if (!memcmp(types[1]->text, ".e", 2))
		snprintf(text, size, "%.*s%.*s%.*s%.*s", (int)types[0]->length - 1,
			 types[0]->text + 1, TEXT(types[1]), TEXT(types[2]), TEXT(shape));
	else if (!memcmp(types[1]->text, ".b1", 3))
		snprintf(text, size, "s32.b1.%s%.*s", ptx_is_spelled(in, ".xor") ? "xor" : "and",
			 TEXT(shape));
	else if (!memcmp(types[0]->text, ".s32", 4))
		snprintf(text, size, "%ss32%.*s%.*s%.*s",
			 ptx_has_modifier(in, SLOT_FINITE) ? "sat." : "", TEXT(types[1]),
			 TEXT(types[2]), TEXT(shape));
	else
		snprintf(text, size, "%.*s%.*s%.*s", (int)types[0]->length - 1, types[0]->text + 1,
			 TEXT(types[1]), TEXT(shape));
}

static bool is_sparse(const struct ptx_inst *in)
{
	return ptx_is_spelled(in, ".sp") || ptx_is_spelled(in, ".sp::ordered_metadata");
}

static const struct mma_kind *find_kind(const struct ptx_inst *in)
{
	char text[48];

	kind_text(in, text, sizeof(text));
	if (is_sparse(in))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ".sparse");
	for (uint32_t k = 0; k < MMA_KINDS; k++)
		if (!strcmp(text, mma_kinds[k].text))
			return &mma_kinds[k];
	return NULL;
}

bool ptx_check_fragment(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
			uint32_t registers)
{
	const struct ptx_operand *o = in->role[role];
	uint32_t count = o->kind == OPERAND_VECTOR ? o->count : 1;

	if (count == registers)
		return true;
	ptx_error(x, &o->at, "'%s' takes %u registers here, found %u", ptx_spelling(x, in),
		  registers, count);
	return false;
}

const struct ptx_operand *ptx_fragment_register(const struct ptx_operand *o, uint32_t k)
{
	return o->kind == OPERAND_VECTOR ? &o->elements[k] : o;
}

static uint32_t read_fragment(struct ptx *x, const struct ptx_operand *o, ir_val *args)
{
	uint32_t count = o->kind == OPERAND_VECTOR ? o->count : 1;

	for (uint32_t k = 0; k < count; k++)
		args[k] = ptx_read_operand(x, ptx_fragment_register(o, k));
	return count;
}

/* The selector of a sparse product is a constant. */
static bool check_selector(struct ptx *x, const struct ptx_inst *in, const struct mma_kind *kind)
{
	const struct ptx_operand *o = in->role[ROLE_F];
	uint32_t count = mma_selectors(kind);

	if (!o || (o->kind == OPERAND_INTEGER && o->value < count))
		return true;
	ptx_error(x, &o->at, "the selector of '%s' is a constant less than %u", ptx_spelling(x, in),
		  count);
	return false;
}

/* Modifiers may come in any order, but the first layout is that of A. */
static bool check_layouts(struct ptx *x, const struct ptx_inst *in)
{
	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		const struct ptx_token *t = &in->modifiers[k];

		if (ptx_is_keyword(t, ".row"))
			return true;
		if (!ptx_is_keyword(t, ".col"))
			continue;
		ptx_error(x, t, "A of '%s' has the layout .row, and B has .col, found '.col' first",
			  ptx_spelling(x, in));
		return false;
	}
	return true;
}

void ptx_lower_mma(struct ptx *x, const struct ptx_inst *in)
{
	const struct mma_kind *kind = find_kind(in);
	const struct ptx_operand *d = in->role[ROLE_D];
	struct mma_registers r = mma_registers(kind);
	ir_val args[MAX_REGISTERS];
	uint32_t n = 0;
	ir_id i;

	if (!check_layouts(x, in) || !ptx_check_fragment(x, in, ROLE_D, r.c) ||
	    !ptx_check_fragment(x, in, ROLE_A, r.a) || !ptx_check_fragment(x, in, ROLE_B, r.b) ||
	    !ptx_check_fragment(x, in, ROLE_C, r.c) || !check_selector(x, in, kind))
		return;
	for (enum ptx_role role = ROLE_A; role <= ROLE_C; role++)
		n += read_fragment(x, in->role[role], &args[n]);
	if (kind->flags & MMA_SPARSE)
		args[n++] = ptx_read_role(x, in, ROLE_E);
	args[n++] = ptx_emit_constant(x, IR_B32, UINT32_MAX);
	i = ptx_emit(x, IR_MMA, kind->factors == MMA_F64 ? IR_B64 : IR_B32, r.c, n, args);
	ir_at(x->func, i)->sub = (uint8_t)(kind - mma_kinds);
	ir_at(x->func, i)->imm = in->role[ROLE_F] ? in->role[ROLE_F]->value : 0;
	for (uint32_t k = 0; k < r.c; k++)
		ptx_write_operand(x, ptx_fragment_register(d, k), ir_at(x->func, i)->res + k);
}

/* The address of a row in shared memory, b32. */
static bool read_row_address(struct ptx *x, const struct ptx_inst *in, ir_val *address)
{
	const struct ptx_operand *o = in->role[ROLE_A];
	bool generic = !ptx_has_modifier(in, SLOT_SPACE) && o->kind == OPERAND_REGISTER;

	return ptx_read_shared(x, in, o, generic, 16, address);
}

void ptx_lower_ldmatrix(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t count = ptx_is_spelled(in, ".x4") ? 4 : ptx_is_spelled(in, ".x2") ? 2 : 1;
	const struct ptx_operand *d = in->role[ROLE_D];
	ir_val args[2];
	ir_id i;

	if (!ptx_check_fragment(x, in, ROLE_D, count) || !read_row_address(x, in, &args[0]))
		return;
	args[1] = ptx_emit_constant(x, IR_B32, UINT32_MAX);
	i = ptx_emit(x, IR_LOADMATRIX, IR_B32, count, 2, args);
	ir_at(x->func, i)->sub = ptx_is_spelled(in, ".trans") ? IR_MATRIX_COLUMNS : IR_MATRIX_ROWS;
	for (uint32_t k = 0; k < count; k++)
		ptx_write_operand(x, ptx_fragment_register(d, k), ir_at(x->func, i)->res + k);
}

/*
 * The word of a lane in a matrix of eight rows of eight 16-bit elements: elements 2 (lane mod 4)
 * and the next of row lane / 4.
 */
struct place {
	ir_val row, pair; /* lane / 4, lane mod 4 */
};

ir_val ptx_op_constant(struct ptx *x, enum ir_op op, ir_val v, uint32_t k)
{
	return ptx_op(x, op, IR_B32, v, ptx_emit_constant(x, IR_B32, k), 0);
}

static struct place place_of_lane(struct ptx *x)
{
	ir_val lane = ptx_lane_number(x);

	return (struct place){ptx_op_constant(x, IR_SHR_U, lane, 2),
			      ptx_op_constant(x, IR_AND, lane, 3)};
}

ir_val ptx_read_lane(struct ptx *x, ir_val value, ir_val lane)
{
	ir_val args[] = {value, lane, ptx_emit_constant(x, IR_B32, 31),
			 ptx_emit_constant(x, IR_B32, UINT32_MAX)};
	ir_id i = ptx_emit(x, IR_SHUFFLE, IR_B32, 2, 4, args);

	ir_at(x->func, i)->sub = IR_SHUFFLE_IDX;
	return ir_at(x->func, i)->res;
}

/* Element k of the lane's pair of a column: that of row 2 (lane mod 4) + k and column lane / 4.
 * Half of the column's number is the lane in the row's group, the other bit the half of the
 * word. */
static ir_val transposed_element(struct ptx *x, const struct place *p, ir_val word, uint32_t k)
{
	ir_val from = ptx_op_constant(x, IR_SHL, p->pair, 3), shift;

	from = ptx_op_constant(x, IR_ADD, from, 4 * k);
	from = ptx_op(x, IR_ADD, IR_B32, from, ptx_op_constant(x, IR_SHR_U, p->row, 1), 0);
	shift = ptx_op_constant(x, IR_SHL, ptx_op_constant(x, IR_AND, p->row, 1), 4);
	word = ptx_op(x, IR_SHR_U, IR_B32, ptx_read_lane(x, word, from), shift, 0);
	return ptx_op_constant(x, IR_AND, word, 0xffff);
}

static ir_val transpose(struct ptx *x, const struct place *p, ir_val word)
{
	ir_val low = transposed_element(x, p, word, 0), high = transposed_element(x, p, word, 1);

	return ptx_op(x, IR_OR, IR_B32, low, ptx_op_constant(x, IR_SHL, high, 16), 0);
}

void ptx_lower_movmatrix(struct ptx *x, const struct ptx_inst *in)
{
	struct place p = place_of_lane(x);

	ptx_write_operand(x, in->role[ROLE_D], transpose(x, &p, ptx_read_role(x, in, ROLE_A)));
}

/* The lane that names a row of a matrix gives its address to the lanes that hold its words. */
void ptx_lower_stmatrix(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t count = ptx_is_spelled(in, ".x4") ? 4 : ptx_is_spelled(in, ".x2") ? 2 : 1;
	ir_val words[4], address, offset;
	struct place p;

	if (!ptx_check_fragment(x, in, ROLE_B, count) || !read_row_address(x, in, &address))
		return;
	read_fragment(x, in->role[ROLE_B], words);
	p = place_of_lane(x);
	offset = ptx_op_constant(x, IR_SHL, p.pair, 2);
	for (uint32_t m = 0; m < count; m++) {
		ir_val row = ptx_read_lane(x, address, ptx_op_constant(x, IR_ADD, p.row, 8 * m));
		ir_val args[] = {ptx_op(x, IR_ADD, IR_B32, row, offset, 0),
				 ptx_is_spelled(in, ".trans") ? transpose(x, &p, words[m])
							      : words[m]};
		ir_id i = ptx_emit(x, IR_STORE, IR_B32, 0, 2, args);

		ir_at(x->func, i)->space = IR_SHARED;
		ir_at(x->func, i)->from = IR_B32;
		ir_at(x->func, i)->align = 4;
	}
}
