// SPDX-License-Identifier: MIT
/*
 * Reductions in groups. A machine reduces over all lanes that are there together, if it does, and may
 * put the result into a register that a warp has once. Where not all lanes are members, lanes of another
 * group may be there too, or use that register in between. So each lane follows the chain of the
 * members above it, twice as far each time, as in list ranking (Wyllie, 1979): after five steps it
 * knows the result of all members from itself on, and the lowest of them tells the others.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

#define LANES 32
#define STEPS 5

struct group {
	struct expand e;
	ir_val members;
};

static ir_val leaf(struct expand *e, enum ir_op op, uint8_t sub)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, NULL, 0, 1);

	ir_at(e->f, i)->sub = sub;
	ir_at(e->f, i)->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

/* The value of another member. */
static ir_val from_lane(struct group *g, ir_val value, ir_val lane)
{
	const ir_val args[4] = {value, lane, expand_const(&g->e, IR_B32, LANES - 1), g->members};
	ir_id i = ir_inst_new(g->e.f, IR_SHUFFLE, IR_B32, args, 4, 2);

	ir_at(g->e.f, i)->sub = IR_SHUFFLE_IDX;
	ir_at(g->e.f, i)->line = g->e.line;
	ir_insert_before(g->e.f, g->e.at, i);
	return ir_at(g->e.f, i)->res;
}

static void wait_for_members(struct group *g)
{
	ir_id i = ir_inst_new(g->e.f, IR_WARPSYNC, IR_VOID, &g->members, 1, 0);

	ir_at(g->e.f, i)->line = g->e.line;
	ir_insert_before(g->e.f, g->e.at, i);
}

/* LANES if there is none. */
static ir_val lowest(struct expand *e, ir_val lanes)
{
	return expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, lanes, 0, 0), 0, 0);
}

void lower_reduce(struct ir_func *f, ir_id at)
{
	static const uint8_t ops[IR_REDUCE_COUNT] = {
		[IR_REDUCE_ADD] = IR_ADD,     [IR_REDUCE_MIN_U] = IR_MIN_U,
		[IR_REDUCE_MIN_S] = IR_MIN_S, [IR_REDUCE_MAX_U] = IR_MAX_U,
		[IR_REDUCE_MAX_S] = IR_MAX_S, [IR_REDUCE_AND] = IR_AND,
		[IR_REDUCE_OR] = IR_OR,       [IR_REDUCE_XOR] = IR_XOR,
	};
	const struct ir_inst in = *ir_at(f, at);
	struct group g = {{.f = f, .at = at, .line = in.line}, in.args[1]};
	struct expand *e = &g.e;
	ir_val sum = in.args[0], lane, here, next;

	/* Members that have ended are not there. */
	wait_for_members(&g);
	here = expand_op(e, IR_AND, IR_B32, leaf(e, IR_ACTIVE, 0), g.members, 0);
	lane = leaf(e, IR_SREG, IR_LANEID);
	next = lowest(e, expand_op(e, IR_AND, IR_B32, here, leaf(e, IR_SREG, IR_LANEMASK_GT), 0));
	for (int k = 0; k < STEPS; k++) {
		ir_val more = expand_compare_imm(e, IR_LT_U, next, LANES);
		ir_val other = expand_select(e, more, next, lane);
		ir_val theirs = from_lane(&g, sum, other), after = from_lane(&g, next, other);

		theirs = expand_op(e, ops[in.sub], IR_B32, sum, theirs, 0);
		sum = expand_select(e, more, theirs, sum);
		next = expand_select(e, more, after, next);
	}
	ir_replace_uses(f, in.res, from_lane(&g, sum, lowest(e, here)));
	ir_remove(f, at);
}
