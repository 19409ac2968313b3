// SPDX-License-Identifier: MIT
/*
 * Selection of matrix products of a warp group (SM90). The descriptors are in four uniform
 * registers, A's before B's, also if A is in registers; ptxas does the same. Waits follow later
 * (group_products.c).
 */
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/mma_group.h"

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

static struct mir_source uniform_predicate(uint8_t reg)
{
	return (struct mir_source){.op = {.kind = SASS_UPRED, .reg = reg}};
}

/* Nothing else has uniform predicates: UP0 is enough. */
static struct mir_source to_uniform_predicate(struct select *s, struct mir_source p)
{
	struct mir_source word = new_temp(s, SASS_GPR, 1), uniform = new_temp(s, SASS_UGPR, 1);
	struct mir_source up = uniform_predicate(0);
	struct mir_inst *i;

	EMIT(s, SEL, word, rz(), mir_imm(1), with_flags(p, SASS_NEG));
	select_to_uniform(s, uniform, word);
	i = EMIT(s, UISETP, up, NONE, uniform, mir_imm(0), NONE, NONE);
	set_mod(i, SASS_M_CMP, SASS_CMP_NE);
	i->reduced = MIR_ACTIVE_LANES;
	return up;
}

/* By elements, whether A is sparse, and whether it is in registers; bits are never sparse. */
static enum sass_op product_op(const struct mma_group *g)
{
	static const uint16_t ops[][2][2] = {
		[MMA_F16] = {{SASS_HGMMA, SASS_HGMMA_REG}, {SASS_HGMMA_SP, SASS_HGMMA_SP_REG}},
		[MMA_BF16] = {{SASS_HGMMA, SASS_HGMMA_REG}, {SASS_HGMMA_SP, SASS_HGMMA_SP_REG}},
		[MMA_TF32] = {{SASS_HGMMA, SASS_HGMMA_REG}, {SASS_HGMMA_SP, SASS_HGMMA_SP_REG}},
		[MMA_I8] = {{SASS_IGMMA, SASS_IGMMA_REG}, {SASS_IGMMA_SP, SASS_IGMMA_SP_REG}},
		[MMA_F8] = {{SASS_QGMMA, SASS_QGMMA_REG}, {SASS_QGMMA_SP, SASS_QGMMA_SP_REG}},
		[MMA_B1] = {{SASS_BGMMA, SASS_BGMMA_REG}},
	};

	return ops[g->kind->factors][g->kind->flags & MMA_SPARSE ? 1 : 0][!g->shared_a];
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

const ir_val *nv_group_addend(const struct ir_inst *in)
{
	bool sparse = mma_kinds[in->sub].flags & MMA_SPARSE;

	return in->args + in->nargs - 2 - sparse - in->nres;
}

/* Whether a product of the same block adds to these sums and nothing else reads them. */
static bool is_added_to(const struct select *s, const struct ir_inst *in)
{
	const ir_val *addend = NULL;
	uint32_t k = 0;

	ir_for_each_inst(s->ir, in->block, i) {
		const struct ir_inst *next = ir_at(s->ir, i);

		if (next->op == IR_MMA_GROUP && next->nres == in->nres &&
		    nv_group_addend(next)[0] == in->res)
			addend = nv_group_addend(next);
	}
	while (addend && k < in->nres && s->values[in->res + k].uses == 1 &&
	       addend[k] == in->res + k)
		k++;
	return k == in->nres;
}

static void define_in_quads(struct select *s, const struct ir_inst *in, struct mir_source d)
{
	struct mir_source quad = NONE;

	for (uint32_t k = 0; k < in->nres; k++) {
		uint32_t part = k % MIR_MAX_UNITS;

		if (!part)
			quad = new_temp(s, SASS_GPR, MIR_MAX_UNITS);
		if (!s->values[in->res + k].ref.vreg)
			s->values[in->res + k].ref = subreg(quad, part).ref;
		EMIT(s, MOV, result(s, in->res + k), subreg(d, k));
	}
}

bool select_mma_group(struct select *s, const struct ir_inst *in)
{
	struct mma_group g = mma_group_unpack(in->sub, in->imm);
	struct mir_source ops[SASS_MAX_OPERANDS], d = new_temp(s, SASS_GPR, in->nres);
	bool sparse = g.kind->flags & MMA_SPARSE;
	const ir_val *sums = nv_group_addend(in);
	struct mir_source adds = arg_pred(s, in->args[in->nargs - 2]), scale = NONE;
	bool never = !adds.ref.vreg && adds.op.flags & SASS_NEG;
	struct mir_inst *i;
	uint32_t n = 0;

	if (s->f->sm != 90)
		return false;
	if (never)
		scale = with_flags(uniform_predicate(SASS_PT), SASS_NEG);
	else if (adds.ref.vreg)
		scale = to_uniform_predicate(s, adds);
	ops[n++] = d;
	if (!g.shared_a)
		ops[n++] = with_flags(vector(s, in->args, MMA_GROUP_A_WORDS),
				      g.negated[MMA_GROUP_A] ? SASS_NEG : 0);
	ops[n++] = descriptors(s, g.shared_a ? in->args[0] : 0, sums[-1]);
	ops[n++] = never ? rz() : vector(s, sums, in->nres);
	ops[n++] = scale;
	if (sparse) {
		ops[n++] = in_reg(s, arg_word(s, in->args[in->nargs - 3]));
		ops[n++] = mir_imm(g.selector);
	}
	ops[n++] = mir_imm(NV_NO_GROUP_SCOREBOARD);
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
	if (s->f->sums == SUMS_IN_QUADS && !is_added_to(s, in))
		define_in_quads(s, in, d);
	else
		define_results(s, in, d);
	return true;
}

static const struct mir_memory all_memory = {MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT,
					     0};

bool select_group_commit(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i = emit(s, SASS_NOP, NULL, 0);

	(void)in;
	i->memory = all_memory;
	i->ends_group = true;
	return s->f->sm == 90;
}

/* The lanes come together before they move registers, as in ptxas's code. */
static struct mir_inst *emit_request(struct select *s, enum sass_op op,
				     const struct mir_source *ops, uint32_t n)
{
	struct mir_inst *i;

	emit(s, SASS_WARPSYNC_ALL, NULL, 0)->members = MIR_SOME_LANES;
	i = emit(s, op, ops, n);
	i->memory = all_memory;
	i->reduced = MIR_ACTIVE_LANES;
	return i;
}

bool select_give_registers(struct select *s, const struct ir_inst *in)
{
	struct mir_source count = mir_imm((uint32_t)in->imm);

	if (s->f->start_registers)
		emit_request(s, SASS_USETMAXREG_DEALLOC, &count, 1);
	return true;
}

/* UP0 again: it is read at once. */
bool select_take_registers(struct select *s, const struct ir_inst *in)
{
	struct mir_source taken = result(s, in->res), up = uniform_predicate(0);
	struct mir_source ops[] = {up, mir_imm((uint32_t)in->imm)};

	if (!s->f->start_registers) {
		EMIT(s, PLOP3, taken, NONE, mir_pred_const(true), mir_pred_const(true),
		     mir_pred_const(true), mir_imm(0x80), mir_imm(0));
		return true;
	}
	emit_request(s, SASS_USETMAXREG_TRY_ALLOC, ops, 2);
	EMIT(s, PLOP3_UPRED, taken, NONE, mir_pred_const(true), mir_pred_const(true), up,
	     mir_imm(0x80), mir_imm(0));
	return true;
}

/* group_products.c sets the number of groups. */
bool select_group_wait(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i = EMIT(s, WARPGROUP_DEPBAR, mir_imm(0), mir_imm(0));

	i->memory = all_memory;
	i->groups = 1 + (uint32_t)in->imm;
	return s->f->sm == 90;
}
