// SPDX-License-Identifier: MIT
/*
 * Legalisation of indirect calls and dynamic stack allocation. A wave has one program counter and
 * one stack pointer, but lanes may call different functions. An indirect call therefore becomes a
 * waterfall loop (LLVM's term): the lanes whose target equals that of the first active lane make
 * the call and leave.
 *	before:     ..., to header
 *	header:     same = target of first active lane == own target
 *	            to call_block if same, else to latch
 *	call_block: the call, to latch
 *	latch:      to rest if same, else to header
 *	rest:       ...
 *
 * An allocation takes the maximum of the lanes' sizes, and a stack restore the maximum of their
 * saved pointers.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
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

/* Whether the lane's word equals that of the first active lane. */
static ir_val equals_first_lane(struct expand *e, ir_val word)
{
	ir_val all = insert_active_mask(e), lane, args[4];
	ir_id i;

	lane = expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, all, 0, 0), 0, 0);
	args[0] = word;
	args[1] = lane;
	args[2] = expand_const(e, IR_B32, WAVE_LANES - 1);
	args[3] = all;
	i = ir_inst_new(e->f, IR_SHUFFLE, IR_B32, args, 4, 2);
	ir_at(e->f, i)->sub = IR_SHUFFLE_IDX;
	ir_insert_before(e->f, e->at, i);
	return expand_compare(e, IR_EQ, word, ir_at(e->f, i)->res);
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

/* Merges call results with undef: only the lanes that made the call use them. */
static void merge_results(struct ir_func *f, ir_id call, ir_block without, ir_block to)
{
	for (uint32_t k = 0; k < ir_at(f, call)->nres; k++) {
		ir_val made = ir_at(f, call)->res + k, none;
		enum ir_type t = f->values[made].type;
		ir_id phi = ir_inst_new(f, IR_PHI, t, NULL, 0, 1),
		      undef = ir_inst_new(f, IR_UNDEF, t, NULL, 0, 1);

		none = ir_at(f, undef)->res;
		ir_insert_before(f, f->blocks[without].first, undef);
		ir_append(f, to, phi);
		ir_replace_uses(f, made, ir_at(f, phi)->res);
		ir_arg_append(f, phi, none);
		ir_arg_append(f, phi, made);
	}
}

static void expand_indirect_call(struct ir_func *f, ir_id call)
{
	ir_block before = ir_at(f, call)->block, rest = cfg_split_block(f, ir_at(f, call)->next);
	ir_block call_block = cfg_split_block(f, call),
		 header = ir_block_new_before(f, call_block, NULL);
	ir_block latch = ir_block_new_before(f, rest, NULL);
	struct expand e = {.f = f, .line = ir_at(f, call)->line};
	ir_val same = ir_at(f, call)->args[0];

	append_branch(f, before, header);
	e.at = ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0);
	ir_append(f, header, e.at);
	same = equals_first_lane(&e, low_word(&e, same));
	ir_at(f, e.at)->args[0] = same;
	ir_edge(f, header, call_block);
	ir_edge(f, header, latch);
	append_branch(f, call_block, latch);
	merge_results(f, call, header, latch);
	ir_append(f, latch, ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0));
	ir_edge(f, latch, rest);
	ir_edge(f, latch, header);
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
				expand_indirect_call(f, i);
				b = ir_at(f, i)->block; /* continue after the call */
				break;
			}
	split_after_exiting_calls(f, module);
}
