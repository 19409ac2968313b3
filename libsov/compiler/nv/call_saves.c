// SPDX-License-Identifier: MIT
/*
 * What a function saves around its calls of device services. Such calls print, report failed
 * assertions and allocate memory: they take thousands of cycles, and mostly lie on paths that are
 * rarely executed. So the values that are live across them keep their registers, and the code
 * around the call alone pays for it (frame.c). Spilling them would make all their uses pay.
 *
 * Registers are assigned and no instruction passes a call, so liveness of the registers themselves
 * gives what each call has to save: those live after it that NVIDIA's calling convention does not
 * preserve, and R2, which takes the address of the callee.
 */
#include <string.h>
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

/* Steps from the end of an instruction to its start. */
static void step_back(uint64_t *live, const struct mir_inst *i)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, uses);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && !is_guarded(i) && k < uses[u].count; k++)
			bitset_remove(live, mir_resource(uses[u].kind, uses[u].reg + k));
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
			bitset_add(live, mir_resource(uses[u].kind, uses[u].reg + k));
	if (i->known)
		add_passed(live, i->known);
}

static void add_condition(uint64_t *live, const struct mir_block *block)
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

	add_condition(live, &f->blocks[b]);
	for (const struct mir_inst *i = f->blocks[b].last; i; i = i->prev)
		step_back(live, i);
}

static struct liveness_block *find_live_registers(const struct mir_func *f)
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

static bool is_kept(uint32_t reg)
{
	bool taken = reg == MIR_CALLEE || reg == MIR_CALLEE + 1;
	bool reserved = reg == MIR_STACK || reg == MIR_RETURN || reg == MIR_RETURN + 1;

	return reserved || (nv_abi_preserves(reg) && !taken);
}

static uint64_t *find_saves(const struct mir_func *f, const uint64_t *live)
{
	uint64_t *saved = NULL;

	for (uint32_t r = 0; r < MIR_FIRST_PRED + MIR_PREDS; r++) {
		if (!bitset_has(live, r) || r == SASS_RZ || (r < MIR_FIRST_PRED && is_kept(r)))
			continue;
		saved = saved ? saved : bitset_new(f->arena, MIR_RESOURCES);
		bitset_add(saved, r);
	}
	return saved;
}

void nv_find_call_saves(struct mir_func *f)
{
	struct liveness_block *blocks;
	uint64_t *live;

	if (!f->services)
		return;
	blocks = find_live_registers(f);
	live = bitset_new(f->arena, MIR_RESOURCES);
	mir_for_each_block(f, b) {
		if (!blocks[b].out)
			continue;
		memcpy(live, blocks[b].out, bitset_words(MIR_RESOURCES) * sizeof(*live));
		add_condition(live, &f->blocks[b]);
		for (struct mir_inst *i = f->blocks[b].last; i; i = i->prev) {
			if (i->service)
				i->saved = find_saves(f, live);
			step_back(live, i);
		}
	}
}
