// SPDX-License-Identifier: MIT
/*
 * Floats of 16 bits that are computed one by one and then packed: both of them are one operation on
 * pairs, which every target has. The operands are packed instead, which costs nothing where they
 * are the halves of one word, constants, or the same value twice; one other pair is allowed, since
 * the results need not be packed any more.
 */
#include "libsov/compiler/passes/fold.h"

#define MAX_ARGS 3

static bool is_computed(const struct ir_inst *in)
{
	return (in->op == IR_FADD || in->op == IR_FMUL || in->op == IR_FMA) && in->type == IR_B16 &&
	       in->round == IR_RN && (in->format == IR_BY_WIDTH || in->format == IR_BF16);
}

/* Whether packing the two costs no instruction. */
static bool is_free_pair(const struct fold *fold, ir_val low, ir_val high)
{
	ir_val word = fold_half_of(fold, low, false);
	uint64_t k;

	return low == high || (word && word == fold_half_of(fold, high, true)) ||
	       (ir_is_const(fold->f, low, &k) && ir_is_const(fold->f, high, &k));
}

static ir_val pack(struct fold *fold, const struct fold_site *site, ir_val low, ir_val high)
{
	ir_val word = fold_half_of(fold, low, false);

	if (word && word == fold_half_of(fold, high, true))
		return word;
	return ir_at(fold->f, fold_new(fold, site, IR_PACK, IR_B32, low, high))->res;
}

bool fold_packed_floats(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst low = *fold_def(fold, site->a), high = *fold_def(fold, site->b);
	ir_val args[MAX_ARGS] = {0};
	uint32_t costs = 0;
	struct ir_inst *made;

	if (site->p.type != IR_B32 || !is_computed(&low) || low.op != high.op ||
	    low.type != high.type || low.format != high.format || low.round != high.round ||
	    low.flags != high.flags || site->a == site->b || !fold_used_once(fold, site->a) ||
	    !fold_used_once(fold, site->b))
		return false;
	for (uint32_t k = 0; k < low.nargs; k++)
		costs += !is_free_pair(fold, low.args[k], high.args[k]);
	if (costs > 1)
		return false;
	for (uint32_t k = 0; k < low.nargs; k++)
		args[k] = pack(fold, site, low.args[k], high.args[k]);
	fold_to_op(fold, site, (enum ir_op)low.op, args[0], args[1], args[2]);
	made = ir_at(fold->f, site->i);
	made->round = low.round;
	made->flags = low.flags;
	made->format = low.format == IR_BF16 ? IR_BF16X2 : IR_F16X2;
	return true;
}
