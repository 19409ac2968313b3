// SPDX-License-Identifier: MIT
/* Matrix products of a warp group (SM90). They are done when they are issued; hazard mode checks
 * that code waits for them. */
#include "libsov/isa/mma_group.h"
#include "model/nv/exec_memory.h"

static bool has_registers(const struct sass_inst *in)
{
	return in->ops[1].kind == SASS_GPR; /* of A */
}

static void set_elements(struct mma_kind *k, const struct sass_inst *in)
{
	static const uint8_t halves[] = {[SASS_HALF_F16] = MMA_F16,
					 [SASS_HALF_BF16] = MMA_BF16,
					 [SASS_HALF_TF32] = MMA_TF32};
	uint8_t dot = in->mod[SASS_M_DOT];

	switch (in->op) {
	case SASS_HGMMA:
	case SASS_HGMMA_REG:
	case SASS_HGMMA_SP:
	case SASS_HGMMA_SP_REG:
		k->factors = halves[in->mod[SASS_M_HFORMAT]];
		break;
	case SASS_QGMMA:
	case SASS_QGMMA_REG:
	case SASS_QGMMA_SP:
	case SASS_QGMMA_SP_REG:
		k->factors = MMA_F8;
		dot -= SASS_DOT_E4M3_E4M3;
		k->flags = (dot & 1 ? MMA_E5M2_A : 0) | (dot & 2 ? MMA_E5M2_B : 0);
		break;
	case SASS_IGMMA:
	case SASS_IGMMA_REG:
	case SASS_IGMMA_SP:
	case SASS_IGMMA_SP_REG:
		k->factors = MMA_I8;
		k->flags = (dot & 1 ? MMA_SIGNED_A : 0) | (dot & 2 ? MMA_SIGNED_B : 0) |
			   (in->mod[SASS_M_SAT] ? MMA_SATURATE : 0);
		break;
	default:
		k->factors = MMA_B1;
	}
	if (k->factors == MMA_I8 || k->factors == MMA_B1)
		k->sums = MMA_S32;
	else
		k->sums = in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ? MMA_F32 : MMA_F16;
}

static bool is_sparse(const struct sass_inst *in)
{
	return in->op >= SASS_HGMMA_SP;
}

static struct mma_group group_of(const struct sass_inst *in, uint32_t kind)
{
	bool reg = has_registers(in);

	return (struct mma_group){
		.kind = &mma_kinds[kind],
		.tiles = in->mod[SASS_M_TILES] + 1u,
		.shared_a = !reg,
		.negated = {reg ? in->ops[1].flags & SASS_NEG : in->mod[SASS_M_NEG_A],
			    in->mod[SASS_M_NEG_B]},
		.transposed = {in->mod[SASS_M_TRANS_A], in->mod[SASS_M_TRANS_B]},
		.selector = is_sparse(in) ? (uint32_t)in->ops[in->nops - 2].value : 0};
}

/* data[0]: the kind of a tile; data[1]: the first row of the addend. */
static const char *prepare_group(struct op *op, const struct sass_inst *in)
{
	const struct sass_operand *c = &in->ops[has_registers(in) ? 3 : 2];
	struct mma_kind kind = {.m = 16};
	struct mma_group g;

	set_elements(&kind, in);
	kind.k = (uint16_t)(8 * mma_elements_per_register(kind.factors));
	if (is_sparse(in)) {
		kind.k *= 2;
		kind.flags |= MMA_SPARSE;
	}
	op->data[0] = mma_find(&kind);
	op->data[1] = c->reg == SASS_RZ ? ROW_ZERO : c->reg;
	if (op->data[0] == MMA_KINDS)
		return "a product of this shape is not modelled";
	g = group_of(in, op->data[0]);
	if (g.selector >= mma_selectors(g.kind))
		return "the product has no such selector";
	return mma_group_exists(&g) ? NULL : "there is no such product of a warp group";
}

/* Descriptors have 18 bits of an address, which therefore lies in the block's own memory in a
 * cluster, too: ptxas drops the block's number of a shared address, and CUTLASS's kernels of
 * clusters rely on it. */
static uint32_t read_shared(void *state, uint32_t address, uint32_t bytes)
{
	struct access *x = state;
	uint32_t value = 0;
	const uint8_t *at;

	x->bytes = bytes;
	if (x->w->grid->has_clusters)
		address |= x->w->cta->rank << RANK_SHIFT;
	at = x->w->halt & HALT_FAULT ? NULL : lane_pointer(x, 0, address);
	for (uint32_t k = 0; at && k < bytes; k++)
		value |= (uint32_t)__atomic_load_n(at + k, __ATOMIC_RELAXED) << 8 * k;
	return value;
}

static uint64_t read_descriptor(const struct warp *w, uint32_t ureg)
{
	return (uint64_t)w->ur[ureg + 1] << 32 | w->ur[ureg];
}

static void run_group(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct sass_inst *in = op->inst;
	struct mma_group g = group_of(in, op->data[0]);
	uint32_t quad = in->ops[has_registers(in) ? 2 : 1].reg, words = mma_group_words(&g);
	uint64_t descriptors[] = {read_descriptor(w, quad), read_descriptor(w, quad + 2)};
	bool adds = pred_read(w, op, 0) & 1;
	struct access x = {
		.w = w, .space = SPACE_SHARED, .rights = MODEL_READ, .verb = "matrix product"};
	struct mma_group_memory memory = {read_shared, &x};
	const uint32_t *metadata = w->r[ROW_ZERO];
	mma_group_sums sums;
	mma_fragment a = {{0}};

	EACH_LANE(i)
		for (uint32_t k = 0; k < words; k++)
			sums[k][i] =
				!adds || op->data[1] == ROW_ZERO ? 0 : w->r[op->data[1] + k][i];
	for (uint32_t k = 0; k < MMA_GROUP_A_WORDS && !g.shared_a; k++)
		EACH_LANE(i)
			a[k][i] = in->ops[1].reg == SASS_RZ ? 0 : w->r[in->ops[1].reg + k][i];
	if (is_sparse(in) && in->ops[in->nops - 3].reg != SASS_RZ)
		metadata = w->r[in->ops[in->nops - 3].reg];
	mma_group_eval(&g, w->index % MMA_GROUP_WARPS, a, descriptors, metadata, &memory, sums);
	for (uint32_t k = 0; k < words; k++)
		row_blend(w->r[op->d + k], sums[k], mask);
}

const struct op_row rows_group[] = {
	{SASS_HGMMA, "d--x-", run_group, NULL, prepare_group},
	{SASS_HGMMA_REG, "d---x-", run_group, NULL, prepare_group},
	{SASS_IGMMA, "d--x-", run_group, NULL, prepare_group},
	{SASS_IGMMA_REG, "d---x-", run_group, NULL, prepare_group},
	{SASS_BGMMA, "d--x-", run_group, NULL, prepare_group},
	{SASS_BGMMA_REG, "d---x-", run_group, NULL, prepare_group},
	{SASS_QGMMA, "d--x-", run_group, NULL, prepare_group},
	{SASS_QGMMA_REG, "d---x-", run_group, NULL, prepare_group},
	{SASS_HGMMA_SP, "d--x---", run_group, NULL, prepare_group},
	{SASS_HGMMA_SP_REG, "d---x---", run_group, NULL, prepare_group},
	{SASS_IGMMA_SP, "d--x---", run_group, NULL, prepare_group},
	{SASS_IGMMA_SP_REG, "d---x---", run_group, NULL, prepare_group},
	{SASS_QGMMA_SP, "d--x---", run_group, NULL, prepare_group},
	{SASS_QGMMA_SP_REG, "d---x---", run_group, NULL, prepare_group},
	OP_ROWS_END,
};
