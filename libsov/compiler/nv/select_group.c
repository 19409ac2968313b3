// SPDX-License-Identifier: MIT
/*
 * Selection of matrix products of a warp group (SM90). The descriptors are in four uniform
 * registers, A's before B's, also if A is in registers; ptxas does the same. Waits follow later
 * (group_products.c).
 */
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/mma_group.h"

#define NO_SCOREBOARD 7

static struct mir_source descriptors(struct select *s, ir_val a, ir_val b)
{
	struct mir_source quad = new_temp(s, SASS_UGPR, 2 * MMA_GROUP_FACTORS);

	for (uint32_t half = 0; half < 2; half++) {
		select_to_uniform(s, subreg(quad, half),
				  a ? in_reg(s, arg_half(s, a, half)) : rz());
		select_to_uniform(s, subreg(quad, 2 + half), in_reg(s, arg_half(s, b, half)));
	}
	return quad;
}

static struct mir_source vector(struct select *s, const ir_val *args, uint32_t count)
{
	struct arg words[MMA_GROUP_MAX_WORDS];

	for (uint32_t k = 0; k < count; k++)
		words[k] = arg_word(s, args[k]);
	return in_vector(s, words, count);
}

static enum sass_op product_op(const struct mma_group *g)
{
	switch (g->kind->factors) {
	case MMA_I8:
		return g->shared_a ? SASS_IGMMA : SASS_IGMMA_REG;
	case MMA_B1:
		return g->shared_a ? SASS_BGMMA : SASS_BGMMA_REG;
	case MMA_F8:
		return g->shared_a ? SASS_QGMMA : SASS_QGMMA_REG;
	default:
		return g->shared_a ? SASS_HGMMA : SASS_HGMMA_REG;
	}
}

static void set_elements(struct mir_inst *i, const struct mma_kind *kind)
{
	static const uint8_t formats[] = {[MMA_F16] = SASS_HALF_F16,
					  [MMA_BF16] = SASS_HALF_BF16,
					  [MMA_TF32] = SASS_HALF_TF32};
	bool a = kind->flags & (MMA_E5M2_A | MMA_SIGNED_A),
	     b = kind->flags & (MMA_E5M2_B | MMA_SIGNED_B);

	if (kind->factors == MMA_F8)
		set_mod(i, SASS_M_DOT, (uint8_t)(SASS_DOT_E4M3_E4M3 + a + 2 * b));
	else if (kind->factors == MMA_I8)
		set_mod(i, SASS_M_DOT, (uint8_t)(SASS_DOT_U8_U8 + a + 2 * b));
	else if (kind->factors != MMA_B1)
		set_mod(i, SASS_M_HFORMAT, formats[kind->factors]);
	if (kind->sums != MMA_S32)
		set_mod(i, SASS_M_SUMS, kind->sums == MMA_F32 ? SASS_SUMS_F32 : SASS_SUMS_F16);
	set_mod(i, SASS_M_SAT, kind->flags & MMA_SATURATE ? 1 : 0);
}

bool select_mma_group(struct select *s, const struct ir_inst *in)
{
	struct mma_group g = mma_group_unpack(in->sub, in->imm);
	struct mir_source ops[6], d = new_temp(s, SASS_GPR, in->nres);
	const ir_val *sums = in->args + in->nargs - 1 - in->nres;
	struct mir_inst *i;
	uint32_t n = 0;

	if (s->f->sm != 90)
		return false;
	ops[n++] = d;
	if (!g.shared_a)
		ops[n++] = with_flags(vector(s, in->args, MMA_GROUP_A_WORDS),
				      g.negated[MMA_GROUP_A] ? SASS_NEG : 0);
	ops[n++] = descriptors(s, g.shared_a ? in->args[0] : 0, sums[-1]);
	ops[n++] = vector(s, sums, in->nres);
	ops[n++] = NONE;
	ops[n++] = mir_imm(NO_SCOREBOARD);
	i = emit(s, product_op(&g), ops, n);
	set_elements(i, g.kind);
	set_mod(i, SASS_M_TILES, (uint8_t)(g.tiles - 1));
	set_mod(i, SASS_M_NEG_A, g.shared_a && g.negated[MMA_GROUP_A]);
	set_mod(i, SASS_M_NEG_B, g.negated[MMA_GROUP_B]);
	set_mod(i, SASS_M_TRANS_A, g.transposed[MMA_GROUP_A]);
	set_mod(i, SASS_M_TRANS_B, g.transposed[MMA_GROUP_B]);
	i->memory = (struct mir_memory){MIR_READS, IR_SHARED, 0};
	i->reduced = MIR_ACTIVE_LANES;
	set_members(s, i, in->args[in->nargs - 1]);
	define_results(s, in, d);
	return true;
}
