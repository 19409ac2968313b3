// SPDX-License-Identifier: MIT
/*
 * Legalisation of indirect calls and dynamic stack allocation. A wave has one program counter and
 * one stack pointer, but lanes may call different functions. An indirect call therefore becomes a
 * waterfall loop (passes/waterfall.c).
 *
 * An allocation takes the maximum of the lanes' sizes, and a stack restore the maximum of their
 * saved pointers.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/analysis/cfg_walk.h"

#define WAVE_LANES 32

/* Trivially uniform. */
static bool is_uniform_constant(const struct ir_func *f, ir_val v)
{
	return ir_def(f, v)->op == IR_CONST || ir_def(f, v)->op == IR_FUNCADDR;
}

static ir_val insert_active_mask(struct expand *e)
{
	ir_id i = ir_inst_new(e->f, IR_ACTIVE, IR_B32, NULL, 0, 1);

	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

static ir_val low_word(struct expand *e, ir_val v)
{
	return e->f->values[v].type == IR_B32 ? v : expand_convert(e, IR_TRUNC, IR_B32, v);
}

static void append_branch(struct ir_func *f, ir_block b, ir_block to)
{
	ir_append(f, b, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, b, to);
}

/* Replaces the operand by the maximum over the active lanes (lower_reduce() expands it). */
static void reduce_to_max(struct ir_func *f, ir_id i)
{
	struct expand e = {.f = f, .at = i, .line = ir_at(f, i)->line};
	ir_val args[2], v = ir_at(f, i)->args[0];
	bool wide = f->values[v].type == IR_B64;
	ir_id reduce;

	if (is_uniform_constant(f, v))
		return;
	args[0] = low_word(&e, v);
	args[1] = insert_active_mask(&e);
	reduce = ir_inst_new(f, IR_REDUCE, IR_B32, args, 2, 1);
	ir_at(f, reduce)->sub = IR_REDUCE_MAX_U;
	ir_insert_before(f, i, reduce);
	v = ir_at(f, reduce)->res;
	if (wide)
		v = expand_convert(&e, IR_ZEXT, IR_B64, v);
	ir_at(f, i)->args[0] = v;
}

/* A call that may end lanes must be the last instruction of its block. */
static void split_after_exiting_calls(struct ir_func *f, const struct gcn_module_info *module)
{
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i) {
			ir_block rest;

			if (!gcn_may_exit(module, ir_at(f, i)))
				continue;
			rest = cfg_split_block(f, ir_at(f, i)->next);
			append_branch(f, b, rest);
			break;
		}
}

void gcn_legalise_calls(struct ir_func *f, const struct gcn_module_info *module)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_ALLOCA || ir_at(f, i)->op == IR_STACKRESTORE)
				reduce_to_max(f, i);
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALLPTR &&
			    !is_uniform_constant(f, ir_at(f, i)->args[0])) {
				lower_to_waterfall(f, i, WATERFALL_LOW_WORDS, 1, WAVE_LANES);
				b = ir_at(f, i)->block; /* continue after the call */
				break;
			}
	split_after_exiting_calls(f, module);
}
