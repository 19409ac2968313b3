// SPDX-License-Identifier: MIT
/* Warp-level communication: shuffles, votes, matches, reductions. The lanes that execute the
 * instruction together take part. */
#include "model/nv/exec.h"

/* Returns the lane to read from (PTX ISA, shfl); *inside is true if it lies in the segment. */
static uint32_t shuffle_source(uint32_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside)
{
	uint32_t segment = c >> 8 & 31, max_lane = (lane & segment) | (c & 31 & ~segment);
	int32_t from;

	b &= 31;
	switch (mode) {
	case SASS_SHFL_UP:
		from = (int32_t)lane - (int32_t)b;
		*inside = from >= (int32_t)max_lane;
		break;
	case SASS_SHFL_DOWN:
		from = (int32_t)(lane + b);
		*inside = from <= (int32_t)max_lane;
		break;
	case SASS_SHFL_BFLY:
		from = (int32_t)(lane ^ b);
		*inside = from <= (int32_t)max_lane;
		break;
	default:
		from = (int32_t)((lane & segment) | (b & ~segment));
		*inside = from <= (int32_t)max_lane;
	}
	return *inside ? (uint32_t)from : lane;
}

static void run_shfl(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[3][2 * LANES], row[LANES], bits = 0, mode = op->inst->mod[SASS_M_SHFL];
	const uint32_t *a = fetch_source(w, op, 0, space[0]), *b = fetch_source(w, op, 1, space[1]);
	const uint32_t *c = fetch_source(w, op, 2, space[2]);

	for (uint32_t i = 0; i < LANES; i++) {
		bool inside;

		row[i] = a[shuffle_source(mode, i, b[i], c[i], &inside)];
		bits |= (uint32_t)inside << i;
	}
	row_blend(w->r[op->d], row, mask);
	pred_write(w, op->p[0], bits, mask);
}

static bool vote(uint32_t how, uint32_t yes, uint32_t mask)
{
	return how == SASS_VOTE_ALL   ? yes == mask
	       : how == SASS_VOTE_ANY ? yes != 0
				      : !yes || yes == mask;
}

static void run_vote(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t yes = pred_read(w, op, 0) & mask, row[LANES];

	row_splat(row, yes);
	row_blend(w->r[op->d], row, mask);
	pred_write(w, op->p[0], vote(op->inst->mod[SASS_M_VOTE], yes, mask) ? ALL_LANES : 0, mask);
}

static void run_voteu(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t yes = pred_read(w, op, 0) & mask;

	if (!mask)
		return;
	w->ur[op->d] = yes;
	w->p[op->p[0]] = vote(op->inst->mod[SASS_M_VOTE], yes, mask) ? ALL_LANES : 0;
}

static void run_match(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2 * LANES], row[LANES];
	const uint32_t *a = fetch_source(w, op, 0, space);
	bool all = op->inst->op == SASS_MATCH_ALL, wide = op->s[0].words == 2, same = true;

	for (uint32_t i = 0; i < LANES; i++) {
		row[i] = 0;
		for (uint32_t k = 0; k < LANES; k++)
			if (mask >> k & 1 && a[k] == a[i] &&
			    (!wide || a[LANES + k] == a[LANES + i]))
				row[i] |= 1u << k;
		same &= !(mask >> i & 1) || row[i] == mask;
	}
	if (all)
		row_splat(row, same ? mask : 0);
	row_blend(w->r[op->d], row, mask);
	pred_write(w, op->p[0], same ? ALL_LANES : 0, mask);
}

static const char *prepare_match(struct op *op, const struct sass_inst *in)
{
	op->s[0].words = in->mod[SASS_M_STYPE] == SASS_TYPE_U64 ? 2 : 1;
	return NULL;
}

static uint32_t reduce(uint32_t how, bool is_signed, uint32_t a, uint32_t b)
{
	uint32_t bias = is_signed ? 0x80000000 : 0;

	switch (how) {
	case SASS_REDUX_AND:
		return a & b;
	case SASS_REDUX_OR:
		return a | b;
	case SASS_REDUX_XOR:
		return a ^ b;
	case SASS_REDUX_SUM:
		return a + b;
	case SASS_REDUX_MIN:
		return (a ^ bias) < (b ^ bias) ? a : b;
	default:
		return (a ^ bias) > (b ^ bias) ? a : b;
	}
}

static void run_redux(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *a = w->r[op->s[0].row];
	uint32_t first, value;

	if (!mask)
		return;
	first = first_lane(mask);
	value = a[first];
	for (uint32_t i = first + 1; i < LANES; i++)
		if (mask >> i & 1)
			value = reduce(op->inst->mod[SASS_M_REDUX],
				       op->inst->mod[SASS_M_STYPE] == SASS_TYPE_S32, value, a[i]);
	w->ur[op->d] = value;
}

/* Elects the first lane of a mask or predicate. */
static void elect(struct warp *w, const struct op *op, uint32_t mask, uint32_t among)
{
	if (!among)
		return pred_write(w, op->p[0], 0, mask);
	w->ur[op->d] = first_lane(among);
	pred_write(w, op->p[0], 1u << first_lane(among), mask);
}

static void run_elect(struct warp *w, const struct op *op, uint32_t mask)
{
	elect(w, op, mask, (w->ur[op->s[0].row] ^ op->s[0].flip) & mask);
}

static void run_elect_pred(struct warp *w, const struct op *op, uint32_t mask)
{
	elect(w, op, mask, pred_read(w, op, 0) & mask);
}

const struct op_row rows_lane[] = {
	{SASS_ELECT, "pds", run_elect, NULL, NULL},
	{SASS_ELECT_PRED, "pdx", run_elect_pred, NULL, NULL},
	{SASS_SHFL, "pdsss", run_shfl, NULL, NULL},
	{SASS_VOTE, "dpx", run_vote, NULL, NULL},
	{SASS_VOTEU, "dpx", run_voteu, NULL, NULL},
	{SASS_MATCH_ALL, "pds", run_match, NULL, prepare_match},
	{SASS_MATCH_ANY, "ds", run_match, NULL, prepare_match},
	{SASS_REDUX, "ds", run_redux, NULL, NULL},
	OP_ROWS_END,
};
