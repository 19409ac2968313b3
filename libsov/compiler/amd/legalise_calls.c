// SPDX-License-Identifier: MIT
/*
 * Calls and the stack, made ready for selection. A wave has one place where it is, and one stack pointer.
 *
 * Lanes that call by an address may bring different ones, so such a call stands in a loop: those that want what the
 * lowest of the lanes wants call it and leave, the others go round again.
 *
 *	before:	…, to way		way:	same = what the lowest lane that is on wants is what this one wants
 *	made:	the call, to again		to made if same, else to again
 *	rest:	what follows		again:	to rest if same, else to way
 *
 * What lanes allocate is as much as the one that wants most, and where they bring the stack back to is the highest
 * of their places.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/analysis/cfg_walk.h"

#define LANES 32

/* The same for all lanes, as can be seen. */
static bool is_one(const struct ir_func *f, ir_val v)
{
	return ir_def(f, v)->op == IR_CONST || ir_def(f, v)->op == IR_FUNCADDR;
}

static ir_val active(struct expand *e)
{
	ir_id i = ir_inst_new(e->f, IR_ACTIVE, IR_B32, NULL, 0, 1);

	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

/* Whether the lane's word is that of the lowest lane. */
static ir_val is_lowest_lanes(struct expand *e, ir_val word)
{
	ir_val all = active(e), lane, args[4];
	ir_id i;

	lane = expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, all, 0, 0), 0, 0);
	args[0] = word;
	args[1] = lane;
	args[2] = expand_const(e, IR_B32, LANES - 1);
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

static void go_to(struct ir_func *f, ir_block b, ir_block to)
{
	ir_append(f, b, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, b, to);
}

/* Results of a call that only some have made: they are the only ones to look at them. */
static void carry_results(struct ir_func *f, ir_id call, ir_block without, ir_block to)
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

static void call_in_turns(struct ir_func *f, ir_id call)
{
	ir_block before = ir_at(f, call)->block, rest = cfg_split_block(f, ir_at(f, call)->next);
	ir_block made = cfg_split_block(f, call), way = ir_block_new_before(f, made, NULL);
	ir_block again = ir_block_new_before(f, rest, NULL);
	struct expand e = {.f = f, .line = ir_at(f, call)->line};
	ir_val same = ir_at(f, call)->args[0];

	go_to(f, before, way);
	e.at = ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0);
	ir_append(f, way, e.at);
	same = is_lowest_lanes(&e, low_word(&e, same));
	ir_at(f, e.at)->args[0] = same;
	ir_edge(f, way, made);
	ir_edge(f, way, again);
	go_to(f, made, again);
	carry_results(f, call, way, again);
	ir_append(f, again, ir_inst_new(f, IR_CBR, IR_VOID, &same, 1, 0));
	ir_edge(f, again, rest);
	ir_edge(f, again, way);
}

/* The greatest of the lanes' values, which lower_reduce writes out. */
static void take_greatest(struct ir_func *f, ir_id i)
{
	struct expand e = {.f = f, .at = i, .line = ir_at(f, i)->line};
	ir_val args[2], v = ir_at(f, i)->args[0];
	bool wide = f->values[v].type == IR_B64;
	ir_id reduce;

	if (is_one(f, v))
		return;
	args[0] = low_word(&e, v);
	args[1] = active(&e);
	reduce = ir_inst_new(f, IR_REDUCE, IR_B32, args, 2, 1);
	ir_at(f, reduce)->sub = IR_REDUCE_MAX_U;
	ir_insert_before(f, i, reduce);
	v = ir_at(f, reduce)->res;
	if (wide)
		v = expand_convert(&e, IR_ZEXT, IR_B64, v);
	ir_at(f, i)->args[0] = v;
}

/* What follows a call that may end lanes is another block. */
static void split_behind_exits(struct ir_func *f, const struct gcn_unit *u)
{
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i) {
			ir_block rest;

			if (!gcn_may_exit(u, ir_at(f, i)))
				continue;
			rest = cfg_split_block(f, ir_at(f, i)->next);
			go_to(f, b, rest);
			break;
		}
}

void gcn_legalise_calls(struct ir_func *f, const struct gcn_unit *u)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_ALLOCA || ir_at(f, i)->op == IR_STACKRESTORE)
				take_greatest(f, i);
	for (ir_block b = f->entry; b; b = f->blocks[b].next)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALLPTR && !is_one(f, ir_at(f, i)->args[0])) {
				call_in_turns(f, i);
				b = ir_at(f, i)->block; /* what follows is still to be looked at */
				break;
			}
	split_behind_exits(f, u);
}
