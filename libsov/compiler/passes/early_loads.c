// SPDX-License-Identifier: MIT
/*
 * Early loads. Legalisation splits a block where it expands a division or a square root, whose slow
 * path is a branch, and no load moves from one block to another later. In a block with several of
 * them, such as an unrolled loop, each load would thus wait for the quotient before it, and only
 * one iteration's loads would be in flight. So before legalisation the loads of such a block move
 * up to the first expansion, with their addresses, if nothing between them may order or change
 * memory.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_WORDS 8 /* that a block loads early */
#define MAX_DEPTH 8 /* of an address that moves along */

struct early {
	struct ir_func *f;
	const struct target *target;
	ir_id before;      /* the first expansion of the block */
	uint32_t *visited; /* by instruction: 1 + the block in which it follows that one */
	ir_block block;
	uint32_t words;
};

static bool follows(const struct early *e, ir_id i)
{
	return e->visited[i] == e->block + 1;
}

/* Whether an instruction that follows the expansion can be computed before it. */
static bool can_move(const struct early *e, ir_val v, uint32_t depth)
{
	const struct ir_inst *in = ir_def(e->f, v);

	if (!follows(e, e->f->values[v].def))
		return true;
	if (!(ir_ops[in->op].properties & P_PURE) || depth == MAX_DEPTH ||
	    legalise_splits(in, e->target))
		return false;
	for (uint32_t k = 0; k < in->nargs; k++)
		if (!can_move(e, in->args[k], depth + 1))
			return false;
	return true;
}

static void move(struct early *e, ir_id i)
{
	if (!follows(e, i))
		return;
	for (uint32_t k = 0; k < ir_at(e->f, i)->nargs; k++)
		move(e, e->f->values[ir_at(e->f, i)->args[k]].def);
	e->visited[i] = 0;
	ir_remove(e->f, i);
	ir_insert_before(e->f, e->before, i);
}

static bool is_plain_load(const struct ir_inst *in)
{
	return in->op == IR_LOAD && in->order == IR_WEAK && !(in->flags & IR_VOLATILE);
}

static bool move_load(struct early *e, ir_id i)
{
	const struct ir_inst *in = ir_at(e->f, i);
	uint32_t words = (ir_type_bits(in->type) + 31) / 32 * in->nres;

	if (in->space == IR_PARAM || e->words + words > MAX_WORDS || in->nargs != 1 ||
	    !can_move(e, in->args[0], 0))
		return false;
	e->words += words;
	move(e, i);
	return true;
}

static bool move_loads(struct early *e)
{
	bool changed = false;

	for (ir_id i = e->before, next; i; i = next) {
		const struct ir_inst *in = ir_at(e->f, i);

		next = in->next;
		e->visited[i] = e->block + 1;
		if (is_plain_load(in))
			changed |= move_load(e, i);
		else if (!(ir_ops[in->op].properties & P_PURE))
			break;
	}
	return changed;
}

bool pass_early_loads(struct ir_func *f, const struct target *t)
{
	struct early e = {.f = f, .target = t};
	bool changed = false;

	ir_for_each_block(f, b) {
		e.before = 0;
		ir_for_each_inst(f, b, i)
			if (!e.before && legalise_splits(ir_at(f, i), t))
				e.before = i;
		if (!e.before)
			continue;
		if (!e.visited)
			e.visited = arena_array(f->module->arena, f->ninsts, sizeof(*e.visited));
		e.block = b;
		e.words = 0;
		changed |= move_loads(&e);
	}
	return changed;
}
