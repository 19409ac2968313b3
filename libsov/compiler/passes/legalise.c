// SPDX-License-Identifier: MIT
/*
 * Legalisation: expands operations that the target lacks (target->lacks) with the sequences of
 * expand_*.c. An expansion may split its block, so the pass walks each block backwards:
 * instructions that a split moves were visited already, and none moves twice.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/pass.h"

static const struct {
	uint32_t lack;
	ir_val (*expand)(struct expand *e, const struct ir_inst *in);
} expansions[IR_OP_COUNT] = {
	[IR_FDIV] = {TARGET_FLOAT_DIVIDE, expand_fdiv},
	[IR_FRCP] = {TARGET_FLOAT_DIVIDE, expand_fdiv},
	[IR_FSQRT] = {TARGET_FLOAT_DIVIDE, expand_fsqrt},
	[IR_APPROX] = {TARGET_SUBNORMAL_APPROX, expand_approx_subnormal},
	[IR_DIV_U] = {TARGET_INT_DIVIDE, expand_idiv},
	[IR_DIV_S] = {TARGET_INT_DIVIDE, expand_idiv},
	[IR_REM_U] = {TARGET_INT_DIVIDE, expand_idiv},
	[IR_REM_S] = {TARGET_INT_DIVIDE, expand_idiv},
	[IR_STOF] = {TARGET_CVT_TO_BF16, expand_to_bf16},
	[IR_UTOF] = {TARGET_CVT_TO_BF16, expand_to_bf16},
	[IR_FTOF] = {TARGET_CVT_TO_BF16, expand_to_bf16},
};

/* Turns the instruction into a copy of its expansion's result. */
static bool expand_inst(struct ir_func *f, ir_id i, const struct target *t)
{
	struct ir_inst in = *ir_at(f, i), *now;
	struct expand e = {
		.f = f, .target = t, .at = i, .line = in.line, .flags = in.flags & IR_FTZ};
	ir_val v = expansions[in.op].expand(&e, &in);

	if (!v)
		return false;
	now = ir_at(f, i);
	*now = (struct ir_inst){
		.op = IR_COPY,
		.type = in.type,
		.nres = 1,
		.nargs = 1,
		.res = in.res,
		.args = in.args,
		.block = now->block,
		.prev = now->prev,
		.next = now->next,
		.line = in.line,
	};
	now->args[0] = v;
	return true;
}

static bool is_native(const struct ir_inst *in, const struct target *t)
{
	return t->native_rn_divide && expansions[in->op].lack == TARGET_FLOAT_DIVIDE &&
	       in->round == IR_RN && !(in->flags & IR_FTZ) && !in->format && in->type >= IR_B32;
}

static bool is_expanded(const struct ir_inst *in, const struct target *t)
{
	return t->lacks & expansions[in->op].lack && !is_native(in, t);
}

bool legalise_splits(const struct ir_inst *in, const struct target *t)
{
	return expansions[in->op].lack == TARGET_FLOAT_DIVIDE && is_expanded(in, t);
}

bool pass_legalise(struct ir_func *f, const struct target *t)
{
	bool changed = false;

	for (ir_block b = f->entry, next; b; b = next) {
		next = f->blocks[b].next;
		for (ir_id i = f->blocks[b].last, before; i; i = before) {
			before = ir_at(f, i)->prev;
			if (is_expanded(ir_at(f, i), t))
				changed |= expand_inst(f, i, t);
		}
	}
	return changed;
}
