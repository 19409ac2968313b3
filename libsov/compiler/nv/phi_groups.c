// SPDX-License-Identifier: MIT
/* Phis whose values products of matrices take or give in consecutive registers. */
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/mma_group.h"

#define MATRICES_MAX 4 /* matrices that one instruction loads */

/* Phis of one block that have no register yet get consecutive ones. */
static void group_phis(struct select *s, const ir_val *values, uint32_t count)
{
	uint32_t units = type_of(s, values[0]) == IR_B64 ? 2 : 1, vreg;
	ir_block home = ir_def(s->ir, values[0])->block;

	for (uint32_t k = 0; k < count; k++) {
		const struct ir_inst *in = ir_def(s->ir, values[k]);

		if (in->op != IR_PHI || in->block != home || s->values[values[k]].ref.vreg)
			return;
		for (uint32_t n = 0; n < k; n++)
			if (values[n] == values[k])
				return;
	}
	vreg = mir_vreg_new(s->f, SASS_GPR, count * units);
	s->f->vregs[vreg].phi = true;
	for (uint32_t k = 0; k < count; k++)
		s->values[values[k]].ref = (struct mir_ref){vreg, (uint8_t)(k * units)};
}

/* By value: the phi that takes it to the next iteration of a loop; 0: none does. */
static ir_val *find_takers(const struct select *s)
{
	ir_val *takers = arena_array(s->f->arena, s->ir->nvalues, sizeof(*takers));
	bool *passed = arena_array(s->f->arena, s->ir->nblocks, sizeof(*passed));

	mir_for_each_block(s->f, b) {
		ir_for_each_inst(s->ir, b, i) {
			const struct ir_inst *in = ir_at(s->ir, i);

			for (uint32_t k = 0; in->op == IR_PHI && k < in->nargs; k++)
				if (!passed[ir_def(s->ir, in->args[k])->block])
					takers[in->args[k]] = in->res;
		}
		passed[b] = true;
	}
	return takers;
}

/* Sums that a loop carries and scales before a product of a warp group adds to them. */
static void group_results(struct select *s)
{
	const ir_val *takers = find_takers(s);

	mir_for_each_block(s->f, b)
		ir_for_each_inst(s->ir, b, i) {
			const struct ir_inst *in = ir_at(s->ir, i);
			ir_val values[MMA_GROUP_MAX_WORDS];
			bool all = in->op == IR_MMA_GROUP;

			for (uint32_t k = 0; all && k < in->nres; k++) {
				values[k] = takers[in->res + k];
				all = values[k];
			}
			if (all)
				group_phis(s, values, in->nres);
		}
}

/* Matrices that a loop loads together for its next iteration: each is half of a quad at least, and
 * a product reads any aligned part of it. */
static void group_loads(struct select *s)
{
	const ir_val *takers = find_takers(s);

	mir_for_each_block(s->f, b)
		ir_for_each_inst(s->ir, b, i) {
			const struct ir_inst *in = ir_at(s->ir, i);
			ir_val values[MATRICES_MAX];
			bool all = in->op == IR_LOADMATRIX && in->nres == MATRICES_MAX;

			for (uint32_t k = 0; all && k < in->nres; k++) {
				values[k] = takers[in->res + k];
				all = values[k];
			}
			if (all)
				group_phis(s, values, in->nres);
		}
}

/* The operands of a product of matrices that a loop carries: sums that it adds to. */
static void group_sums(struct select *s, const struct ir_inst *in)
{
	struct mma_registers n;
	uint32_t together;

	if (in->op == IR_MMA_GROUP) {
		together = s->f->sums == SUMS_IN_QUADS ? 2 : in->nres;
		for (uint32_t k = 0; k < in->nres; k += together)
			group_phis(s, nv_group_addend(in) + k, together);
	}
	if (in->op != IR_MMA)
		return;
	n = mma_registers(&mma_kinds[in->sub]);
	together = in->type == IR_B64 && s->f->sm < 90 ? 2 : n.c;
	for (uint32_t k = 0; k < n.c; k += together)
		group_phis(s, &in->args[n.a + n.b + k], together);
}

/* Factors that it loads for its next iteration. */
static void group_factors(struct select *s, const struct ir_inst *in)
{
	struct mma_registers n;

	if (in->op == IR_MMA_GROUP && !mma_group_unpack(in->sub, in->imm).shared_a)
		group_phis(s, in->args, MMA_GROUP_A_WORDS);
	if (in->op != IR_MMA || in->type == IR_B64 || s->f->sm < 80)
		return;
	n = mma_registers(&mma_kinds[in->sub]);
	group_phis(s, in->args, n.a);
	group_phis(s, &in->args[n.a], n.b);
}

static void group_operands(struct select *s,
			   void (*group)(struct select *s, const struct ir_inst *in))
{
	mir_for_each_block(s->f, b)
		ir_for_each_inst(s->ir, b, i)
			group(s, ir_at(s->ir, i));
}

void nv_group_phis(struct select *s)
{
	group_operands(s, group_sums);
	if (s->f->sums == SUMS_AMPLE)
		group_results(s);
	group_loads(s);
	group_operands(s, group_factors);
}
