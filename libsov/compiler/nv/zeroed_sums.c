// SPDX-License-Identifier: MIT
/*
 * Sums of a warp group's product that are zeros under a condition, as where a loop over tiles is
 * one with the loop over a tile's products: the condition becomes that of the product, which then
 * does not read them. Selects would need the old and the new sums at once, up to 256 registers.
 * All lanes of a warp must have the same condition.
 *	%s = select %first, 0, %sum                =>    %add = not %first
 *	%t = mma.group %a, %b, %s, true, %all            %t = mma.group %a, %b, %sum, %add, %all
 */
#include "libsov/compiler/nv/mir.h"
#include "libsov/isa/mma.h"

static ir_val *sums_of(const struct ir_inst *product)
{
	bool sparse = mma_kinds[product->sub].flags & MMA_SPARSE;

	return product->args + product->nargs - 2 - sparse - product->nres;
}

static bool is_zero(const struct ir_func *f, ir_val v)
{
	uint64_t k;

	return ir_is_const(f, v, &k) && !k;
}

/* The condition under which all sums are zeros, or with *inverse, are not; 0: there is none. */
static ir_val find_condition(const struct ir_func *f, const struct ir_inst *product, bool *inverse)
{
	const ir_val *sums = sums_of(product);
	const struct ir_inst *first = ir_def(f, sums[0]);

	if (first->op != IR_SELECT)
		return 0;
	*inverse = is_zero(f, first->args[2]);
	for (uint32_t k = 0; k < product->nres; k++) {
		const struct ir_inst *s = ir_def(f, sums[k]);

		if (s->op != IR_SELECT || s->args[0] != first->args[0] ||
		    !is_zero(f, s->args[*inverse ? 2 : 1]))
			return 0;
	}
	return first->args[0];
}

static ir_val insert(struct ir_func *f, ir_id before, enum ir_op op, ir_val a, ir_val b)
{
	ir_val args[] = {a, b};
	ir_id made = ir_inst_new(f, op, IR_B1, args, b ? 2 : 1, 1);

	ir_at(f, made)->line = ir_at(f, before)->line;
	ir_insert_before(f, before, made);
	return ir_at(f, made)->res;
}

static void set_condition(struct ir_func *f, ir_id product, ir_val condition, bool inverse)
{
	ir_val *adds = &ir_at(f, product)->args[ir_at(f, product)->nargs - 2], *sums;
	ir_val keeps = inverse ? condition : insert(f, product, IR_NOT, condition, 0);
	uint64_t always;

	if (!ir_is_const(f, *adds, &always) || !always)
		keeps = insert(f, product, IR_AND, *adds, keeps);
	*adds = keeps;
	sums = sums_of(ir_at(f, product));
	for (uint32_t k = 0; k < ir_at(f, product)->nres; k++)
		sums[k] = ir_def(f, sums[k])->args[inverse ? 1 : 2];
}

void nv_predicate_zeroed_sums(struct ir_func *f)
{
	const struct ir_divergence *d = NULL;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			bool inverse;
			ir_val condition = 0;

			if (ir_at(f, i)->op == IR_MMA_GROUP)
				condition = find_condition(f, ir_at(f, i), &inverse);
			if (!condition)
				continue;
			if (!d)
				d = ir_divergence_compute(f, ir_cfg_build(f));
			if (!d->value[condition])
				set_condition(f, i, condition, inverse);
		}
}
