// SPDX-License-Identifier: MIT
/*
 * Hoists comparisons of short blocks into their predecessor. A branch waits 13 cycles for its
 * predicate, so where one short block after the other compares and branches, as in the special
 * cases of functions such as pow, each of them waits. After register allocation a comparison moves
 * to the end of the block's only predecessor, where the scheduler finds other instructions to place
 * between it and its branch, if the predicate register is dead on the predecessor's other edge.
 */
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/nv/mir.h"

/* A longer block has instructions that hide the latency. */
#define MAX_INSTRUCTIONS 8

struct early {
	struct mir_func *f;
	struct liveness_block *live; /* NULL: not needed yet */
	/* By the instructions of the block that stay before this one. */
	uint64_t read[BITSET_WORDS(MIR_RESOURCES)], written[BITSET_WORDS(MIR_RESOURCES)];
};

static bool is_comparison(const struct mir_inst *i)
{
	return (i->sass.op == SASS_ISETP || i->sass.op == SASS_FSETP || i->sass.op == SASS_PLOP3) &&
	       i->sass.guard == SASS_PT && !i->sass.guard_not;
}

static bool is_short(const struct mir_func *f, uint32_t b)
{
	uint32_t count = 0;

	mir_for_each(f, b, i)
		count++;
	return count <= MAX_INSTRUCTIONS;
}

/* Whether the comparison can execute before the branch that ends the block before. */
static bool can_move(const struct early *e, uint32_t before, uint32_t b, const struct mir_inst *i)
{
	const struct mir_block *from = &e->f->blocks[before];
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_collect_uses(i, uses);

	for (uint32_t u = 0; u < n; u++) {
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = mir_resource(uses[u].kind, uses[u].reg + k);

			if (bitset_has(e->written, r) || (uses[u].write && bitset_has(e->read, r)))
				return false;
			if (!uses[u].write)
				continue;
			if (r == mir_resource(SASS_PRED, from->cond.op.reg))
				return false;
			for (uint32_t s = 0; s < from->nsucc; s++)
				if (from->succ[s] != b && bitset_has(e->live[from->succ[s]].in, r))
					return false;
		}
	}
	return true;
}

static void note_uses(struct early *e, const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_collect_uses(i, uses);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++)
			bitset_add(uses[u].write ? e->written : e->read,
				   mir_resource(uses[u].kind, uses[u].reg + k));
}

static void move_comparison(struct early *e, uint32_t before, uint32_t b, struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_collect_uses(i, uses);

	mir_remove(e->f, b, i);
	mir_insert(e->f, before, NULL, i);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++)
			bitset_add(e->live[b].in, mir_resource(uses[u].kind, uses[u].reg + k));
}

static void move_comparisons(struct early *e, uint32_t b)
{
	const struct mir_block *block = &e->f->blocks[b];
	uint32_t before;

	if (block->end != MIR_END_BRANCH || block->npreds != 1 || block->preds[0] == b ||
	    !is_short(e->f, b))
		return;
	before = block->preds[0];
	if (e->f->blocks[before].end != MIR_END_BRANCH || e->f->blocks[before].depth > block->depth)
		return;
	if (!e->live)
		e->live = nv_live_registers(e->f);
	memset(e->read, 0, sizeof(e->read));
	memset(e->written, 0, sizeof(e->written));
	mir_for_each_safe(e->f, b, i) {
		if (mir_is_call(i)) /* it may change any register */
			return;
		if (is_comparison(i) && can_move(e, before, b, i))
			move_comparison(e, before, b, i);
		else
			note_uses(e, i);
	}
}

void nv_move_comparisons(struct mir_func *f)
{
	struct early e = {.f = f};
	uint32_t count, *order = mir_reverse_postorder(f, &count);

	/* From the last block on, so that a comparison can move past several branches. */
	for (uint32_t k = count; k-- > 0;)
		move_comparisons(&e, order[k]);
}
