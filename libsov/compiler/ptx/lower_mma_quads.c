// SPDX-License-Identifier: MIT
/*
 * Lowering of mma.m8n8k4 of f16, the shape of Volta: four products of eight rows, eight columns and
 * four of k. Each belongs to two quads of lanes, which are 16 lanes distant; the quad of lower
 * lanes holds rows and columns 0 to 3, the other 4 to 7 (PTX ISA, "Matrix Fragments for mma.m8n8k4
 * with .f16"). No chip after Volta has the instruction, and PTX leaves the rounding open: these are
 * shuffles and fused multiply-adds of f32 in the order of k.
 */
#include "libsov/compiler/ptx/front_end.h"

#define DEPTH 4 /* of a product */

struct quads {
	struct ptx *x;
	ir_val lane, in_quad;
	ir_val rows, columns; /* the first lane of the own quad; of the lower quad of the product */
	ir_val a[2], b[2];    /* a row, a column of a lane, by k */
};

/* Whether layout n of the instruction (0: of A, 1: of B) is .col. */
static bool is_by_columns(const struct ptx_inst *in, uint32_t n)
{
	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		bool columns = ptx_is_keyword(&in->modifiers[k], ".col");

		if ((columns || ptx_is_keyword(&in->modifiers[k], ".row")) && !n--)
			return columns;
	}
	return false;
}

static ir_val or_lane(struct quads *q, ir_val lane, ir_val in_quad)
{
	return ptx_op(q->x, IR_OR, IR_B32, lane, in_quad, 0);
}

static ir_val choose(struct quads *q, ir_val bit, ir_val yes, ir_val no)
{
	ir_val zero = ptx_emit_constant(q->x, IR_B32, 0);
	ir_val is_set = ptx_compare(q->x, IR_ICMP, IR_B32, IR_NE, bit, zero);

	return ptx_op(q->x, IR_SELECT, IR_B32, is_set, yes, no);
}

/* Exchanges the four f16 of the lanes of a quad: lane n gets element n of each. */
static void transpose_quad(struct quads *q, ir_val words[2])
{
	ir_val upper = ptx_op_constant(q->x, IR_AND, q->in_quad, 2), halves[DEPTH];
	ir_val shift =
		ptx_op_constant(q->x, IR_SHL, ptx_op_constant(q->x, IR_AND, q->in_quad, 1), 4);

	for (uint32_t k = 0; k < DEPTH; k++) {
		ir_val from = ptx_op_constant(q->x, IR_OR, q->rows, k), low, high;

		low = ptx_read_lane(q->x, words[0], from);
		high = ptx_read_lane(q->x, words[1], from);
		halves[k] = ptx_op(q->x, IR_SHR_U, IR_B32, choose(q, upper, high, low), shift, 0);
		halves[k] = ptx_op_constant(q->x, IR_AND, halves[k], 0xffff);
	}
	for (uint32_t k = 0; k < 2; k++)
		words[k] = or_lane(q, halves[2 * k],
				   ptx_op_constant(q->x, IR_SHL, halves[2 * k + 1], 16));
}

/* The four factors of k that a lane holds, as f32. */
static void read_factors(struct quads *q, const ir_val words[2], ir_val from, ir_val out[DEPTH])
{
	for (uint32_t w = 0; w < 2; w++) {
		ir_val word = from ? ptx_read_lane(q->x, words[w], from) : words[w];

		for (uint32_t k = 0; k < 2; k++)
			out[2 * w + k] = ptx_half_to_single(q->x, word, k);
	}
}

static ir_val element(struct quads *q, const ir_val a[DEPTH], const ir_val b[DEPTH], ir_val sum)
{
	for (uint32_t k = 0; k < DEPTH; k++)
		sum = ptx_op(q->x, IR_FMA, IR_B32, a[k], b[k], sum);
	return sum;
}

/* A lane of f16 sums has the eight columns of its row. */
static void multiply_halves(struct quads *q, const ir_val c[4], ir_val d[4])
{
	ir_val a[DEPTH], b[DEPTH], pair[2];

	read_factors(q, q->a, 0, a);
	for (uint32_t column = 0; column < 8; column++) {
		uint32_t from = column % 4 + (column < 4 ? 0 : 16);

		read_factors(q, q->b, ptx_op_constant(q->x, IR_OR, q->columns, from), b);
		pair[column % 2] =
			element(q, a, b, ptx_half_to_single(q->x, c[column / 2], column % 2));
		if (column % 2)
			d[column / 2] = ptx_halves_of_singles(q->x, pair);
	}
}

/* Addends of f16 for sums of f32: element number i is in the lane of its row. */
static ir_val read_addend(struct quads *q, const ir_val c[4], ir_val from, uint32_t i)
{
	ir_val upper = ptx_op_constant(q->x, IR_AND, q->in_quad, 2);
	ir_val low = ptx_read_lane(q->x, c[i / 4 * 2], from);
	ir_val high = ptx_read_lane(q->x, c[i / 4 * 2 + 1], from);

	return ptx_half_to_single(q->x, choose(q, upper, high, low), i & 1);
}

/* Element number i of f32 sums has row (lane & 1) + (i & 2) of the quad and column
 * (lane & 2) + (i & 1) of the lower quad, or for i & 4 of the upper one. */
static void multiply_singles(struct quads *q, const ir_val *c, bool halves, ir_val d[8])
{
	ir_val row = or_lane(q, q->rows, ptx_op_constant(q->x, IR_AND, q->lane, 1));
	ir_val column = or_lane(q, q->columns, ptx_op_constant(q->x, IR_AND, q->lane, 2));
	ir_val a[2][DEPTH], b[DEPTH], from[2];

	for (uint32_t k = 0; k < 2; k++) {
		from[k] = ptx_op_constant(q->x, IR_OR, row, 2 * k);
		read_factors(q, q->a, from[k], a[k]);
	}
	for (uint32_t k = 0; k < 4; k++) {
		uint32_t first = k / 2 * 4 + k % 2;

		read_factors(q, q->b, ptx_op_constant(q->x, IR_OR, column, k % 2 + k / 2 * 16), b);
		for (uint32_t n = 0; n < 2; n++) {
			uint32_t i = first + 2 * n;

			d[i] = element(q, a[n], b, halves ? read_addend(q, c, from[n], i) : c[i]);
		}
	}
}

static void read_registers(struct ptx *x, const struct ptx_operand *o, uint32_t count, ir_val *v)
{
	for (uint32_t k = 0; k < count; k++)
		v[k] = ptx_read_operand(x, ptx_fragment_register(o, k));
}

/* The number of registers of C or D, whose type is the first or last of the instruction. */
static uint32_t sum_registers(const struct ptx_inst *in, bool last)
{
	const struct ptx_token *found = NULL;

	for (uint32_t k = 0; k < in->nmodifiers && (last || !found); k++)
		if (ptx_type_find(in->modifiers[k].text, in->modifiers[k].length))
			found = &in->modifiers[k];
	return ptx_is_keyword(found, ".f16") ? 4 : 8;
}

void ptx_lower_mma_quads(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t nd = sum_registers(in, false), nc = sum_registers(in, true);
	struct quads q = {.x = x};
	ir_val c[8], d[8];

	if (!ptx_check_fragment(x, in, ROLE_D, nd) || !ptx_check_fragment(x, in, ROLE_A, 2) ||
	    !ptx_check_fragment(x, in, ROLE_B, 2) || !ptx_check_fragment(x, in, ROLE_C, nc))
		return;
	read_registers(x, in->role[ROLE_A], 2, q.a);
	read_registers(x, in->role[ROLE_B], 2, q.b);
	read_registers(x, in->role[ROLE_C], nc, c);
	q.lane = ptx_lane_number(x);
	q.in_quad = ptx_op_constant(x, IR_AND, q.lane, 3);
	q.rows = ptx_op_constant(x, IR_AND, q.lane, 28);
	q.columns = ptx_op_constant(x, IR_AND, q.lane, 12);
	if (is_by_columns(in, 0))
		transpose_quad(&q, q.a);
	if (!is_by_columns(in, 1))
		transpose_quad(&q, q.b);
	if (nd == 4)
		multiply_halves(&q, c, d);
	else
		multiply_singles(&q, c, nc == 4, d);
	for (uint32_t k = 0; k < nd; k++)
		ptx_write_operand(x, ptx_fragment_register(in->role[ROLE_D], k), d[k]);
}
