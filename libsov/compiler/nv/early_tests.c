// SPDX-License-Identifier: MIT
/*
 * Loops that wait at a barrier in shared memory are rotated: the first test is executed before the
 * loop, where the scheduler can issue it long before the branch that reads its result, and a phase
 * that has ended costs no trip. ptxas does the same with try_wait, and not with test_wait.
 *	before:   ..., to loop            before:   ..., first = test; to exit if first, else loop
 *	loop:     done = test             loop:     done = test
 *	          to exit if done, else loop        to exit if done, else loop
 */
#include "libsov/compiler/nv/mir.h"

struct wait_loop {
	ir_block before, loop, exit;
	uint32_t exit_edge; /* of the loop's two */
};

/* The successor that a block which does nothing leads to, or the block itself. */
static ir_block skip_empty(const struct ir_func *f, ir_block b)
{
	const struct ir_bb *bb = &f->blocks[b];

	return bb->first == bb->last && bb->npreds == 1 && ir_at(f, bb->last)->op == IR_BR
		       ? bb->succ[0]
		       : b;
}

/* Whether a block consists of a test, constants and a branch on the test. */
static bool is_test(const struct ir_func *f, ir_block b)
{
	const struct ir_inst *end = ir_at(f, f->blocks[b].last);
	uint32_t tests = 0;

	if (end->op != IR_CBR || ir_def(f, end->args[0])->op != IR_MBARRIER_TEST)
		return false;
	ir_for_each_inst(f, b, i) {
		const struct ir_inst *in = ir_at(f, i);

		if (in->op == IR_MBARRIER_TEST && in->sub == IR_TEST_TRY)
			tests++;
		else if (in->op != IR_CONST && i != f->blocks[b].last)
			return false;
	}
	return tests == 1 && ir_def(f, end->args[0])->block == b;
}

static bool find_loop(const struct ir_func *f, ir_block b, struct wait_loop *w)
{
	const struct ir_bb *bb = &f->blocks[b];

	if (bb->nsucc != 2 || bb->npreds != 2 || !is_test(f, b))
		return false;
	*w = (struct wait_loop){.loop = b};
	while (w->exit_edge < 2 && skip_empty(f, bb->succ[!w->exit_edge]) != b)
		w->exit_edge++;
	if (w->exit_edge == 2)
		return false;
	w->exit = bb->succ[w->exit_edge];
	for (uint32_t k = 0; k < 2; k++)
		if (bb->preds[k] != bb->succ[!w->exit_edge] && bb->preds[k] != b)
			w->before = bb->preds[k];
	return w->before && w->exit != b && f->blocks[w->before].nsucc == 1;
}

/* By block: a value that it defines is used in another one. */
static bool *find_used_elsewhere(const struct ir_func *f)
{
	bool *used = arena_array(f->module->arena, f->nblocks, sizeof(*used));

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nargs; k++) {
				ir_block from = ir_def(f, in->args[k])->block;

				used[from] |= from != b;
			}
		}
	return used;
}

/* Appends a copy of the instruction to a block; its arguments are replaced by their copies. */
static void append_copy(struct ir_func *f, ir_block to, ir_id i, ir_val *copies)
{
	const struct ir_inst in = *ir_at(f, i);
	ir_val args[4];
	ir_id copy;

	for (uint32_t k = 0; k < in.nargs; k++) {
		bool is_copied = ir_def(f, in.args[k])->block == in.block;

		args[k] = is_copied ? copies[in.args[k]] : in.args[k];
	}
	copy = ir_inst_new(f, in.op, in.type, args, in.nargs, in.nres);
	ir_at(f, copy)->sub = in.sub;
	ir_at(f, copy)->imm = in.imm;
	ir_at(f, copy)->line = in.line;
	ir_append(f, to, copy);
	if (in.nres)
		copies[in.res] = ir_at(f, copy)->res;
}

static void rotate(struct ir_func *f, const struct wait_loop *w)
{
	ir_val *copies = arena_array(f->module->arena, f->nvalues, sizeof(*copies));

	ir_remove(f, f->blocks[w->before].last);
	ir_for_each_inst(f, w->loop, i)
		append_copy(f, w->before, i, copies);
	ir_edge_remove(f, w->before, w->loop);
	for (uint32_t k = 0; k < 2; k++)
		ir_edge(f, w->before, k == w->exit_edge ? w->exit : w->loop);
	ir_for_each_inst(f, w->exit, i) {
		const struct ir_bb *exit = &f->blocks[w->exit];
		uint32_t k = 0;

		if (ir_at(f, i)->op != IR_PHI)
			break;
		while (exit->preds[k] != w->loop)
			k++;
		ir_arg_append(f, i, ir_at(f, i)->args[k]);
	}
}

void nv_test_barriers_early(struct ir_func *f)
{
	const bool *used_elsewhere = NULL;
	struct wait_loop w;

	ir_for_each_block(f, b) {
		if (!find_loop(f, b, &w))
			continue;
		used_elsewhere = used_elsewhere ? used_elsewhere : find_used_elsewhere(f);
		if (!used_elsewhere[b])
			rotate(f, &w);
	}
}
