// SPDX-License-Identifier: MIT
/* Products of matrices, whose elements are spread over the registers of all lanes, and loads of
 * matrices. */
#include <string.h>
#include "libsov/isa/mma.h"
#include "model/nv/exec_memory.h"

static const struct dot {
	uint8_t factors, flags;
} dots[] = {
	[SASS_DOT_U8_U8] = {MMA_I8, 0},
	[SASS_DOT_S8_U8] = {MMA_I8, MMA_SIGNED_A},
	[SASS_DOT_U8_S8] = {MMA_I8, MMA_SIGNED_B},
	[SASS_DOT_S8_S8] = {MMA_I8, MMA_SIGNS},
	[SASS_DOT_U4_U4] = {MMA_I4, 0},
	[SASS_DOT_S4_U4] = {MMA_I4, MMA_SIGNED_A},
	[SASS_DOT_U4_S4] = {MMA_I4, MMA_SIGNED_B},
	[SASS_DOT_S4_S4] = {MMA_I4, MMA_SIGNS},
	[SASS_DOT_E4M3_E4M3] = {MMA_F8, 0},
	[SASS_DOT_E5M2_E4M3] = {MMA_F8, MMA_E5M2_A},
	[SASS_DOT_E4M3_E5M2] = {MMA_F8, MMA_E5M2_B},
	[SASS_DOT_E5M2_E5M2] = {MMA_F8, MMA_E5M2_A | MMA_E5M2_B},
};

/* The registers of A, by which the depth of a product follows from the size of its elements. */
static const struct shape {
	uint16_t op;
	uint8_t m, words;
	bool sparse;
} shapes[] = {
	{SASS_DMMA_884, 8, 1, false},     {SASS_HMMA_SHORT, 16, 2, false},
	{SASS_HMMA_LONG, 16, 4, false},   {SASS_IMMA_M8, 8, 1, false},
	{SASS_IMMA_SHORT, 16, 2, false},  {SASS_IMMA_LONG, 16, 4, false},
	{SASS_BMMA_M8, 8, 1, false},      {SASS_BMMA_SHORT, 16, 2, false},
	{SASS_BMMA_LONG, 16, 4, false},   {SASS_QMMA_SHORT, 16, 2, false},
	{SASS_QMMA_LONG, 16, 4, false},   {SASS_HMMA_SP_SHORT, 16, 2, true},
	{SASS_HMMA_SP_LONG, 16, 4, true}, {SASS_IMMA_SP_SHORT, 16, 2, true},
	{SASS_IMMA_SP_LONG, 16, 4, true}, {SASS_QMMA_SP, 16, 4, true},
};

static void set_elements(struct mma_kind *k, const struct sass_inst *in)
{
	static const uint8_t halves[] = {[SASS_HALF_F16] = MMA_F16,
					 [SASS_HALF_BF16] = MMA_BF16,
					 [SASS_HALF_TF32] = MMA_TF32};
	const struct dot *dot = &dots[in->mod[SASS_M_DOT]];

	switch (in->op) {
	case SASS_DMMA_884:
		k->factors = k->sums = MMA_F64;
		break;
	case SASS_HMMA_SHORT:
	case SASS_HMMA_LONG:
	case SASS_HMMA_SP_SHORT:
	case SASS_HMMA_SP_LONG:
		k->factors = halves[in->mod[SASS_M_HFORMAT]];
		k->sums = in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ? MMA_F32 : MMA_F16;
		break;
	case SASS_BMMA_M8:
	case SASS_BMMA_SHORT:
	case SASS_BMMA_LONG:
		k->factors = MMA_B1;
		k->sums = MMA_S32;
		k->flags = in->mod[SASS_M_BOOL] == SASS_XOR ? MMA_XOR : 0;
		break;
	default:
		k->factors = dot->factors;
		k->sums = dot->factors != MMA_F8                  ? MMA_S32
			  : in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ? MMA_F32
								  : MMA_F16;
		k->flags = dot->flags | (in->mod[SASS_M_SAT] ? MMA_SATURATE : 0);
	}
}

/* The kind of product, as in a row of mma_kinds. */
static struct mma_kind kind_of(const struct sass_inst *in)
{
	const struct shape *shape = shapes;
	struct mma_kind k = {0};

	while (shape->op != in->op)
		shape++;
	k.m = shape->m;
	set_elements(&k, in);
	k.k = (uint16_t)(shape->words * mma_elements_per_register(k.factors) * MMA_LANES / k.m);
	if (shape->sparse) {
		k.k *= 2;
		k.flags |= MMA_SPARSE;
	}
	return k;
}

static const char *prepare_product(struct op *op, const struct sass_inst *in)
{
	struct mma_kind kind = kind_of(in);

	op->data[0] = mma_find(&kind);
	if (kind.flags & MMA_SPARSE) {
		op->data[1] = in->ops[4].reg == SASS_RZ ? ROW_ZERO : in->ops[4].reg;
		if (in->ops[5].value >= mma_selectors(&kind))
			return "the product has no such selector";
	}
	return op->data[0] < MMA_KINDS ? NULL : "a product of this shape is not modelled";
}

static void read_fragment(const struct warp *w, uint32_t row, uint32_t count, bool pairs,
			  mma_fragment f)
{
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t i = 0; i < LANES; i++)
			f[k][i] = pairs ? w->r[row + 2 * k][i] | (uint64_t)w->r[row + 2 * k + 1][i]
									 << 32
					: w->r[row + k][i];
}

static void run_product(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct mma_kind *kind = &mma_kinds[op->data[0]];
	struct mma_registers n = mma_registers(kind);
	bool pairs = kind->factors == MMA_F64;
	struct mma_metadata metadata = {.selector = 0};
	mma_fragment a, b, c, d;

	if (kind->flags & MMA_SPARSE) {
		memcpy(metadata.words, w->r[op->data[1]], sizeof(metadata.words));
		metadata.selector = (uint32_t)op->inst->ops[5].value;
	}
	read_fragment(w, op->s[0].row, n.a, pairs, a);
	read_fragment(w, op->s[1].row, n.b, pairs, b);
	read_fragment(w, op->s[2].row, n.c, pairs, c);
	mma_eval(kind, a, b, c, &metadata, d);
	for (uint32_t k = 0; k < (pairs ? 2u : 1u) * n.c; k++) {
		uint32_t row[LANES];

		for (uint32_t i = 0; i < LANES; i++)
			row[i] = (uint32_t)(pairs ? d[k / 2][i] >> (k % 2 * 32) : d[k][i]);
		row_blend(w->r[op->d + k], row, mask);
	}
}

/* DMMA of 16 rows, as products of eight by eight by four: a lane's registers of A alternate
 * between the upper and the lower rows. */
static void run_tall_product(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t steps = op->data[1], half, step, k;
	mma_fragment a, b, sums, part, one = {{0}};
	static const struct mma_metadata none;
	struct mma_registers n = mma_registers(&mma_kinds[op->data[0]]);

	read_fragment(w, op->s[0].row, 2 * steps, true, a);
	read_fragment(w, op->s[1].row, steps, true, b);
	read_fragment(w, op->s[2].row, 2 * n.c, true, sums);
	for (half = 0; half < 2; half++)
		for (step = 0; step < steps; step++) {
			memcpy(one[0], a[2 * step + half], sizeof(one[0]));
			mma_eval(&mma_kinds[op->data[0]], one, &b[step], &sums[half * n.c], &none,
				 part);
			memcpy(&sums[half * n.c], part, n.c * sizeof(part[0]));
		}
	for (k = 0; k < 4u * n.c; k++) {
		uint32_t row[LANES];

		for (uint32_t i = 0; i < LANES; i++)
			row[i] = (uint32_t)(sums[k / 2][i] >> (k % 2 * 32));
		row_blend(w->r[op->d + k], row, mask);
	}
}

static const char *prepare_tall_product(struct op *op, const struct sass_inst *in)
{
	struct mma_kind kind = {.m = 8, .k = 4, .factors = MMA_F64, .sums = MMA_F64};

	op->data[0] = mma_find(&kind);
	op->data[1] = in->op == SASS_DMMA_16X8X4 ? 1 : in->op == SASS_DMMA_16X8X8 ? 2 : 4;
	return NULL;
}

#define ROW_BYTES   16
#define MATRIX_ROWS 8

static const uint8_t matrix_counts[] = {
	[SASS_WIDTH_32] = 1, [SASS_WIDTH_64] = 2, [SASS_WIDTH_128] = 4};

static uint32_t element(const uint8_t *row, uint32_t k)
{
	return __atomic_load_n((const uint16_t *)row + k, __ATOMIC_RELAXED);
}

/* Lanes 0 to 7 name the rows of the first matrix, the next eight those of the second. */
static void run_ldsm(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access x = {.w = w,
			   .space = SPACE_SHARED,
			   .bytes = ROW_BYTES,
			   .rights = MODEL_READ,
			   .verb = "load",
			   .by_thread = true};
	uint32_t count = matrix_counts[op->inst->mod[SASS_M_WIDTH]];
	bool columns = op->inst->mod[SASS_M_TRANSPOSE];
	const uint8_t *rows[LANES];
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < count * MATRIX_ROWS; i++) {
		rows[i] = lane_pointer(&x, i, address[i]);
		if (!rows[i])
			return;
	}
	for (uint32_t m = 0; m < count; m++) {
		uint32_t row[LANES];

		for (uint32_t i = 0; i < LANES; i++) {
			const uint8_t **at = &rows[m * MATRIX_ROWS];
			uint32_t near = i / 4, far = i % 4 * 2;

			row[i] = columns ? element(at[far], near) | element(at[far + 1], near) << 16
					 : element(at[near], far) | element(at[near], far + 1)
									    << 16;
		}
		row_blend(w->r[op->d + m], row, mask);
	}
}

static void run_stsm(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access x = {.w = w,
			   .space = SPACE_SHARED,
			   .bytes = ROW_BYTES,
			   .rights = MODEL_WRITE,
			   .verb = "store",
			   .by_thread = true};
	uint32_t count = matrix_counts[op->inst->mod[SASS_M_WIDTH]];
	bool columns = op->inst->mod[SASS_M_TRANSPOSE];
	uint64_t address[LANES];
	uint8_t *rows[LANES];

	if (!mask)
		return;
	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < count * MATRIX_ROWS; i++) {
		rows[i] = lane_pointer(&x, i, address[i]);
		if (!rows[i])
			return;
	}
	for (uint32_t i = 0; i < LANES * count * 2; i++) {
		uint32_t lane = i / 2 % LANES, m = i / 2 / LANES, j = i % 2;
		uint32_t near = lane / 4, far = lane % 4 * 2 + j;
		uint8_t **at = &rows[m * MATRIX_ROWS];
		uint16_t value = (uint16_t)(w->r[op->s[0].row + m][lane] >> 16 * j);

		__atomic_store_n((uint16_t *)at[columns ? far : near] + (columns ? near : far),
				 value, __ATOMIC_RELAXED);
	}
}

/* The lanes' elements are those of LDSM. */
static void run_movm(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *a = w->r[op->s[0].row];
	uint32_t row[LANES];

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t column = i / 4, first = i % 4 * 2, from = column / 2;

		row[i] = (a[first * 4 + from] >> column % 2 * 16 & 0xffff) |
			 (a[(first + 1) * 4 + from] >> column % 2 * 16 & 0xffff) << 16;
	}
	row_blend(w->r[op->d], row, mask);
}

const struct op_row rows_matrix[] = {
	{SASS_STSM, "as", run_stsm, NULL, prepare_access},
	{SASS_MOVM, "ds", run_movm, NULL, NULL},
	{SASS_DMMA_16X8X4, "dsss", run_tall_product, NULL, prepare_tall_product},
	{SASS_DMMA_16X8X8, "dsss", run_tall_product, NULL, prepare_tall_product},
	{SASS_DMMA_16X8X16, "dsss", run_tall_product, NULL, prepare_tall_product},
	{SASS_LDSM, "da", run_ldsm, NULL, prepare_access},
	{SASS_HMMA_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_HMMA_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_IMMA_M8, "dsss", run_product, NULL, prepare_product},
	{SASS_IMMA_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_IMMA_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_BMMA_M8, "dsss", run_product, NULL, prepare_product},
	{SASS_BMMA_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_BMMA_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_QMMA_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_QMMA_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_HMMA_SP_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_HMMA_SP_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_IMMA_SP_SHORT, "dsss", run_product, NULL, prepare_product},
	{SASS_IMMA_SP_LONG, "dsss", run_product, NULL, prepare_product},
	{SASS_QMMA_SP, "dsss", run_product, NULL, prepare_product},
	{SASS_DMMA_884, "dsss", run_product, NULL, prepare_product},
	OP_ROWS_END,
};
