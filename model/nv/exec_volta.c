// SPDX-License-Identifier: MIT
/*
 * HMMA.884, the matrix product of Volta: four products of eight rows, eight columns and four of k.
 * Each belongs to two quads of lanes, which are 16 lanes distant; the quad of lower lanes holds
 * rows and columns 0 to 3, the other 4 to 7 (PTX ISA, "Matrix Fragments for mma.m8n8k4 with
 * .f16"). An instruction is a step: it computes two registers of the results. ptxas 12.4 has four
 * steps for f32 and two for f16. The rounding is not known: these are fused multiply-adds of f32 in
 * the order of k, as in the compiler's own code of the instruction.
 */
#include <string.h>
#include "model/core/softfloat.h"
#include "model/nv/exec.h"

#define DEPTH 4

struct place {
	uint32_t row, column;
};

static uint32_t half_of(const struct warp *w, uint32_t row, uint32_t lane, uint32_t element)
{
	return w->r[row + element / 2][lane] >> element % 2 * 16 & 0xffff;
}

/* Lane of the product of a lane that holds a row or a column. */
static uint32_t lane_of(uint32_t lane, uint32_t line)
{
	return lane % 16 / 4 * 4 + line % 4 + line / 4 * 16;
}

/* Element of A (row, k) or B (column, k). across: lanes hold k and not rows or columns. */
static uint32_t factor(const struct warp *w, const struct source *s, uint32_t lane, uint32_t line,
		       uint32_t k, bool across)
{
	uint32_t half = across ? half_of(w, s->row, lane_of(lane, line / 4 * 4 + k), line % 4)
			       : half_of(w, s->row, lane_of(lane, line), k);

	return s->negate ? half ^ 0x8000 : half;
}

static uint32_t widen(uint32_t half)
{
	return (uint32_t)float_convert(&float_f16, &float_f32, half, FLOAT_NEAREST);
}

static uint32_t addend(const struct warp *w, const struct op *op, uint32_t lane, uint32_t n,
		       struct place at)
{
	const uint8_t *mod = op->inst->mod;
	uint32_t row = op->s[2].row;

	if (row == ROW_ZERO)
		return 0;
	if (mod[SASS_M_ADDEND] == SASS_SUMS_F32)
		return w->r[row + n][lane];
	if (mod[SASS_M_SUMS] == SASS_SUMS_F16)
		return widen(half_of(w, row, lane, n));
	return widen(half_of(w, row, lane_of(lane, at.row), at.column % 4));
}

static struct place place_of(uint32_t lane, uint32_t i, bool halves)
{
	uint32_t upper = lane / 16 * 4;

	if (halves)
		return (struct place){upper + lane % 4, i};
	return (struct place){upper + lane % 2 + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
}

static uint32_t element(const struct warp *w, const struct op *op, uint32_t lane, uint32_t n)
{
	const uint8_t *mod = op->inst->mod;
	bool halves = mod[SASS_M_SUMS] == SASS_SUMS_F16;
	struct place at = place_of(lane, mod[SASS_M_STEP] * (halves ? 4u : 2u) + n, halves);
	uint32_t sum = addend(w, op, lane, n, at);

	for (uint32_t k = 0; k < DEPTH; k++)
		sum = (uint32_t)float_fma(
			&float_f32,
			widen(factor(w, &op->s[0], lane, at.row, k, mod[SASS_M_COLUMNS] & 1)),
			widen(factor(w, &op->s[1], lane, at.column, k, !(mod[SASS_M_COLUMNS] & 2))),
			sum, 0, FLOAT_NEAREST);
	return halves ? (uint32_t)float_convert(&float_f32, &float_f16, sum, FLOAT_NEAREST) : sum;
}

static void run_step(struct warp *w, const struct op *op, uint32_t mask)
{
	bool halves = op->inst->mod[SASS_M_SUMS] == SASS_SUMS_F16;
	uint32_t rows[2][LANES];

	for (uint32_t i = 0; i < LANES; i++)
		for (uint32_t k = 0; k < 2; k++)
			rows[k][i] = halves ? element(w, op, i, 2 * k) |
						      element(w, op, i, 2 * k + 1) << 16
					    : element(w, op, i, k);
	for (uint32_t k = 0; k < 2; k++)
		row_blend(w->r[op->d + k], rows[k], mask);
}

static const char *prepare_step(struct op *op, const struct sass_inst *in)
{
	(void)op;
	return in->mod[SASS_M_SAT] ? "products that saturate are not modelled" : NULL;
}

const struct op_row rows_volta[] = {
	{SASS_HMMA_884, "dsss", run_step, NULL, prepare_step},
	OP_ROWS_END,
};
