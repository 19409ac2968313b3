// SPDX-License-Identifier: MIT
/*
 * Early branch conditions. A loop that begins with a branch on its own phis waits in each iteration
 * until the comparison's result can be read, with nothing else to do. The operands are known
 * earlier, at the end of the iteration before, often while that waits for memory. So the comparison
 * moves to the end of each predecessor of the header, and its result becomes a phi:
 *
 *	loop:                                      loop:
 *		%i = phi [entry: %a], [end: %n]            %i = phi [entry: %a], [end: %n]
 *		%c = icmp %i, %k                   =>      %c = phi [entry: %ca], [end: %cn]
 *		cbr %c, ...                                cbr %c, ...
 *
 * A header with more to do hides the latency, and in a loop of one block the comparison is followed
 * by the rest of the block anyway.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/analysis/uses.h"
#include "libsov/compiler/passes/pass.h"

/* Instructions of a short header, without phis and constants: the comparison, the branch, and one
 * more. */
#define MAX_HEADER 3

static uint32_t count_work(const struct ir_func *f, ir_block b)
{
	uint32_t n = 0;

	ir_for_each_inst(f, b, i)
		n += ir_at(f, i)->op != IR_PHI && ir_at(f, i)->op != IR_CONST;
	return n;
}

/* Whether each predecessor can compute the value: a constant, a phi of the header, or one that was
 * computed before the header, whose block dominates the predecessors, too. */
static bool is_known_before(const struct ir_func *f, ir_block header, ir_val v)
{
	const struct ir_inst *in = ir_def(f, v);

	return in->block != header || in->op == IR_PHI || in->op == IR_CONST;
}

/* The comparison of a header that is worth moving; 0: none. */
static ir_id find_condition(const struct ir_func *f, const struct ir_cfg *cfg, ir_block header)
{
	const struct ir_inst *end = ir_at(f, f->blocks[header].last), *in;
	bool varies = false;

	if (end->op != IR_CBR || count_work(f, header) > MAX_HEADER)
		return 0;
	for (uint32_t k = 0; k < f->blocks[header].npreds; k++) {
		ir_block pred = f->blocks[header].preds[k];

		if (pred == header || cfg->rpo_index[pred] == UINT32_MAX)
			return 0;
	}
	in = ir_def(f, end->args[0]);
	if ((in->op != IR_ICMP && in->op != IR_FCMP) || in->block != header)
		return 0;
	for (uint32_t k = 0; k < in->nargs; k++) {
		const struct ir_inst *arg = ir_def(f, in->args[k]);

		if (!is_known_before(f, header, in->args[k]))
			return 0;
		varies |= arg->op == IR_PHI && arg->block == header;
	}
	return varies ? f->values[end->args[0]].def : 0;
}

/* The value that one of the header has at the end of predecessor k. */
static ir_val value_before(struct uses *uses, ir_block header, uint32_t k, ir_val v)
{
	struct ir_func *f = uses->f;
	const struct ir_inst *in = ir_def(f, v);

	if (in->block != header)
		return v;
	if (in->op == IR_PHI)
		return in->args[k];
	return uses_const(uses, f->blocks[f->blocks[header].preds[k]].last, in->type, in->imm);
}

static void move_condition(struct uses *uses, ir_block header, ir_id condition)
{
	struct ir_func *f = uses->f;
	const struct ir_inst in = *ir_at(f, condition);
	uint32_t npreds = f->blocks[header].npreds;
	ir_val *results = arena_array(f->module->arena, npreds, sizeof(*results));
	ir_id phi;

	for (uint32_t k = 0; k < npreds; k++) {
		ir_val args[2] = {value_before(uses, header, k, in.args[0]),
				  value_before(uses, header, k, in.args[1])};
		ir_id copy = uses_insert(uses, f->blocks[f->blocks[header].preds[k]].last, in.op,
					 in.type, args, 2);

		ir_at(f, copy)->cond = in.cond;
		ir_at(f, copy)->flags = in.flags;
		ir_at(f, copy)->format = in.format;
		results[k] = ir_at(f, copy)->res;
	}
	phi = uses_insert(uses, f->blocks[header].first, IR_PHI, IR_B1, results, npreds);
	uses_replace(uses, in.res, ir_at(f, phi)->res);
	uses_remove(uses, condition);
}

bool pass_early_conditions(struct ir_func *f, const struct target *t)
{
	const struct ir_cfg *cfg;
	struct uses uses;
	bool changed = false;

	if (t->reads_conditions_early)
		return false;
	cfg = ir_cfg_build(f);
	for (uint32_t k = 0; k < cfg->nrpo; k++) {
		ir_block b = cfg->rpo[k];
		ir_id condition = cfg->loop_header[b] == b ? find_condition(f, cfg, b) : 0;

		if (!condition)
			continue;
		if (!changed)
			uses_init(&uses, f);
		changed = true;
		move_condition(&uses, b, condition);
	}
	return changed;
}
