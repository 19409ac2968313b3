// SPDX-License-Identifier: MIT
/*
 * Liveness of the registers themselves, once they are assigned and phis are copies. A guarded write
 * keeps the old value of some lanes, so it ends no live range.
 */
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static bool is_guarded(const struct mir_inst *i)
{
	return i->sass.guard != SASS_PT || i->sass.guard_not;
}

/* A call with values in registers reads those of its arguments. */
static void add_passed(uint64_t *live, const struct nv_callee *known)
{
	for (uint32_t k = 0; k < NV_MAX_PASSED; k++)
		for (uint32_t half = 0; half < 2; half++)
			if (known->args[k][half] != NV_NOT_PASSED)
				bitset_add(live, known->args[k][half]);
}

void nv_live_registers_before(uint64_t *live, const struct mir_inst *i)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_collect_uses(i, uses);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && !is_guarded(i) && k < uses[u].count; k++)
			bitset_remove(live, mir_resource(uses[u].kind, uses[u].reg + k));
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
			bitset_add(live, mir_resource(uses[u].kind, uses[u].reg + k));
	if (i->known)
		add_passed(live, i->known);
}

void nv_live_registers_at_end(uint64_t *live, const struct mir_block *block)
{
	if (block->end == MIR_END_BRANCH)
		bitset_add(live, mir_resource(SASS_PRED, block->cond.op.reg));
}

static const uint32_t *successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct mir_func *f = func;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

static void transfer_block(const void *func, uint32_t b, uint64_t *live)
{
	const struct mir_func *f = func;

	nv_live_registers_at_end(live, &f->blocks[b]);
	for (const struct mir_inst *i = f->blocks[b].last; i; i = i->prev)
		nv_live_registers_before(live, i);
}

struct liveness_block *nv_live_registers(const struct mir_func *f)
{
	struct liveness l = {.arena = f->arena,
			     .func = f,
			     .nblocks = f->nblocks,
			     .nunits = MIR_RESOURCES,
			     .cfgs = {{.successors = successors}},
			     .ncfgs = 1,
			     .transfer = transfer_block};

	l.order = mir_reverse_postorder(f, &l.count);
	l.blocks = arena_array(f->arena, f->nblocks, sizeof(*l.blocks));
	for (uint32_t k = 0; k < l.count; k++) {
		l.blocks[l.order[k]].in = bitset_new(f->arena, MIR_RESOURCES);
		l.blocks[l.order[k]].out = bitset_new(f->arena, MIR_RESOURCES);
	}
	liveness_solve(&l);
	return l.blocks;
}
