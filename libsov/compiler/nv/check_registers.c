// SPDX-License-Identifier: MIT
/*
 * Describes SASS to the verifier of the register assignment (mir/check_registers.h). The MIR is SSA
 * by unit; phis are lowered to copies, which define the phi's register on each incoming edge.
 */
#include "libsov/compiler/mir/check_registers.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static const uint32_t *successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct mir_func *f = func;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

static const void *next_inst(const void *func, uint32_t b, const void *i)
{
	const struct mir_func *f = func;

	return i ? ((const struct mir_inst *)i)->next : f->blocks[b].first;
}

static uint32_t register_limit(const struct mir_func *f, uint8_t kind)
{
	return kind == SASS_PRED ? MIR_PREDS : kind == SASS_UGPR ? MIR_UGPRS : f->gprs;
}

static uint32_t list_condition(const struct mir_func *f, const struct mir_source *cond,
			       struct regcheck_access *out)
{
	if (!cond->ref.vreg)
		return 0;
	*out = (struct regcheck_access){.kind = REGCHECK_READ,
					.reg = mir_resource(SASS_PRED, cond->op.reg),
					.unit = mir_unit(f, cond->ref),
					.count = 1};
	return 1;
}

/* A call with a known callee: runs of general-purpose registers, and unless it preserves all
 * registers but those that the caller saves, all predicates. */
static uint32_t list_changes(const struct mir_inst *call, struct regcheck_access *out)
{
	const struct nv_callee *known = call->known;
	struct regcheck_access *run = NULL;
	uint32_t count = 0;

	bitset_for_each(known->changes, MIR_FIRST_PRED, r)
	{
		if (call->saved && bitset_has(call->saved, r))
			continue;
		if (run && run->reg + run->count == r) {
			run->count++;
			continue;
		}
		run = &out[count++];
		*run = (struct regcheck_access){.kind = REGCHECK_CLOBBER, .reg = r, .count = 1};
	}
	if (!call->preserve_all)
		out[count++] = (struct regcheck_access){.kind = REGCHECK_CLOBBER,
							.reg = mir_resource(SASS_PRED, 0),
							.count = MIR_PREDS};
	if (known->changes_uniform)
		out[count++] = (struct regcheck_access){.kind = REGCHECK_CLOBBER,
							.reg = mir_resource(SASS_UGPR, 0),
							.count = MIR_UGPRS};
	return count;
}

static uint32_t list_accesses(const void *func, uint32_t b, const void *inst,
			      struct regcheck_access *out)
{
	const struct mir_func *f = func;
	const struct mir_inst *i = inst;
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n, count = 0;

	if (!i)
		return list_condition(f, &f->blocks[b].cond, out);
	n = mir_collect_uses(i, uses);
	for (uint32_t u = 0; u < n; u++) {
		const struct mir_use *use = &uses[u];

		if (!use->ref.vreg)
			continue;
		out[count++] = (struct regcheck_access){
			.kind = use->write ? REGCHECK_WRITE : REGCHECK_READ,
			.fault = use->write && use->reg + use->count > register_limit(f, use->kind)
					 ? REGCHECK_NO_REGISTER
				 : use->count > 1 && use->reg % sass_register_alignment(use->count)
					 ? REGCHECK_MISALIGNED
					 : REGCHECK_SOUND,
			.reg = mir_resource(use->kind, use->reg),
			.unit = mir_unit(f, use->ref),
			.count = use->count,
			.operand = u};
	}
	if (mir_is_clobbering_call(i) && !i->known)
		out[count++] =
			(struct regcheck_access){.kind = REGCHECK_CLOBBER, .count = MIR_RESOURCES};
	else if (i->known)
		count += list_changes(i, out + count);
	return count;
}

/* A phi has a new value on each edge: the register's old contents are not that value. */
static void add_edge_clobbers(const void *func, uint32_t b, uint64_t *regs)
{
	const struct mir_func *f = func;
	struct mir_use uses[SASS_MAX_USES];

	for (uint32_t k = 0; k < f->blocks[b].nsucc; k++) {
		const struct mir_block *to = &f->blocks[f->blocks[b].succ[k]];

		for (uint32_t p = 0; p < to->ncopied; p++) {
			const struct mir_vreg *v = &f->vregs[to->phis[p].vreg];

			for (uint32_t u = 0; u < v->units; u++)
				bitset_add(regs, mir_resource(v->kind, v->reg + u));
		}
	}
	mir_for_each(f, b, i) {
		uint32_t n = i->phi_copy ? mir_collect_uses(i, uses) : 0;

		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].write)
				bitset_remove(regs, mir_resource(uses[u].kind, uses[u].reg));
		}
	}
}

static void report(const void *func, uint32_t b, const void *inst, const struct regcheck_access *a,
		   enum regcheck_fault fault, struct text *why)
{
	const struct mir_func *f = func;
	const struct mir_inst *i = inst;
	const struct mir_source *cond = &f->blocks[b].cond;
	struct mir_use uses[SASS_MAX_USES];
	const struct mir_use *u = &uses[a->operand];

	if (!i) {
		text_printf(why, "kernel %s, b%u: P%u of its branch does not hold %%%u", f->name, b,
			    cond->op.reg, cond->ref.vreg);
		return;
	}
	mir_collect_uses(i, uses);
	text_printf(why, "kernel %s, b%u: '%s': %s%u should hold unit %u of %%%u: %s", f->name, b,
		    mir_text_inst(f, i), u->kind == SASS_PRED ? "P" : "R", u->reg, u->ref.part,
		    u->ref.vreg, regcheck_texts[fault]);
}

bool nv_check_registers(const struct mir_func *f, struct text *why)
{
	uint32_t *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	struct regcheck c = {.arena = f->arena,
			     .func = f,
			     .nblocks = f->nblocks,
			     .entry = f->entry,
			     .nregs = MIR_RESOURCES,
			     .nunits = f->nunits,
			     .ssa = true,
			     .order = order,
			     .successors = successors,
			     .next_inst = next_inst,
			     .list_accesses = list_accesses,
			     .add_edge_clobbers = add_edge_clobbers,
			     .report = report};

	mir_for_each_block(f, b)
		order[c.count++] = b;
	return regcheck_run(&c, why);
}
