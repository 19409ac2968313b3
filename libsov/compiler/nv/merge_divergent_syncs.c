// SPDX-License-Identifier: MIT
/*
 * Merging of divergent sync sites. PTX lets the member lanes of a warp sync execute it at different
 * sites; the hardware does not: lanes at two WARPSYNC instructions wait forever (seen on an H200).
 * So each such site becomes a call of one function of the module that contains the only WARPSYNC,
 * as ptxas does it for sm_80:
 *
 *	        here = active                    function sync(v, lane, clamp, members):
 *	        cbr members here, there, sync            x, p = shuffle v, lane, clamp, members
 *	sync:   x1, p1 = call sync(…)                    ret x, p
 *	there:  x2, p2 = shuffle …
 *	        x = phi x1, x2; p = phi p1, p2
 *
 * Lanes whose members are all active need no call. If the member mask is known only at run time,
 * lanes of several groups may be active together; they call unless all of these groups are
 * complete, since a divergent branch would make one group wait for the others.
 *
 * Sites after the reconvergence point of a branch are not considered: lanes that wait for others
 * wait at its BSYNC (convergence_barriers.c) before they reach any warp sync. ptxas does the same.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/module.h"

struct sync_merger {
	struct ir_module *m;
	struct ir_func *functions[IR_SYNC_KINDS]; /* NULL: not needed yet */
	uint32_t nsites[IR_SYNC_KINDS];           /* in the whole compilation unit */
	bool in_callee[IR_SYNC_KINDS];            /* some sites are in functions that are called */
};

/* ---- calls ---- */

static struct ir_func *new_sync_function(struct ir_module *m, const struct ir_func *f, ir_id like)
{
	const struct ir_inst in = *ir_at(f, like);
	uint8_t args[4], results[2];
	ir_val values[4];
	struct ir_func *callee;
	ir_block b;
	ir_id i;

	for (uint32_t k = 0; k < in.nargs; k++)
		args[k] = f->values[in.args[k]].type;
	for (uint32_t k = 0; k < in.nres; k++)
		results[k] = f->values[in.res + k].type;
	callee = ir_function_new(m, IR_FUNCTION,
				 arena_printf(m->arena, ".warp_sync.%u", ir_sync_kind(&in)), args,
				 in.nargs, results, in.nres);
	callee->ssa = callee->preserve_all = callee->syncs_warp = true;
	b = ir_block_new(callee, NULL);
	for (uint32_t k = 0; k < in.nargs; k++) {
		i = ir_inst_new(callee, IR_ARG, args[k], NULL, 0, 1);
		ir_at(callee, i)->imm = k;
		ir_append(callee, b, i);
		values[k] = ir_at(callee, i)->res;
	}
	i = ir_inst_new(callee, in.op, in.type, values, in.nargs, in.nres);
	ir_at(callee, i)->sub = in.sub;
	ir_append(callee, b, i);
	for (uint32_t k = 0; k < in.nres; k++)
		values[k] = ir_at(callee, i)->res + k;
	ir_append(callee, b, ir_inst_new(callee, IR_RET, IR_VOID, values, in.nres, 0));
	return callee;
}

/* Whether some member of an active group is not active; the answer is uniform over the active
 * lanes. */
static ir_val emit_some_missing(struct expand *e, ir_val members)
{
	ir_val here = expand_op(e, IR_ACTIVE, IR_B32, 0, 0, 0), named = here, missing;
	uint64_t mask;
	bool known = ir_is_const(e->f, members, &mask);

	if (!known || (uint32_t)mask != UINT32_MAX)
		named = expand_op(e, IR_AND, IR_B32, here, members, 0);
	missing = expand_compare(e, IR_NE, named, members);
	if (known)
		return missing;
	missing = expand_op(e, IR_VOTE, IR_B1, missing, here, 0);
	ir_def(e->f, missing)->sub = IR_VOTE_ANY;
	return missing;
}

static void replace_by_call(struct sync_merger *merger, struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	struct expand_if branch;
	uint32_t kind = ir_sync_kind(&in);
	ir_id call, inner;

	if (!merger->functions[kind])
		merger->functions[kind] = new_sync_function(merger->m, f, at);
	branch = expand_if_begin(&e, emit_some_missing(&e, in.args[in.nargs - 1]));
	call = ir_call_new(f, IR_CALL, merger->functions[kind], in.args, in.nargs);
	ir_at(f, call)->line = in.line;
	ir_insert_before(f, e.at, call);
	if (in.op != IR_WARPSYNC) {
		inner = ir_inst_new(f, in.op, in.type, in.args, in.nargs, in.nres);
		ir_at(f, inner)->sub = in.sub;
		ir_at(f, inner)->line = in.line;
		ir_insert_before(f, f->blocks[branch.common].last, inner);
		for (uint32_t k = 0; k < in.nres; k++)
			ir_replace_uses(f, in.res + k,
					expand_if_end(&e, &branch, ir_at(f, call)->res + k,
						      ir_at(f, inner)->res + k));
	}
	ir_remove(f, at);
}

static bool has_calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return false;
}

static bool *find_divergent_sites(struct sync_merger *merger, const struct ir_func *f)
{
	bool everywhere = f->kind == IR_FUNCTION || has_calls(f), *marked;
	struct ir_cfg *cfg = ir_cfg_build(f);
	uint32_t kind;

	marked = divergent_sync_sites(f, cfg, ir_divergence_compute(f, cfg));
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (everywhere && is_sync_site(f, i, &kind))
				marked[i] |= merger->in_callee[kind] && merger->nsites[kind] > 1;
	return marked;
}

/* dce.c kept unused warp syncs only because other lanes may need them. */
static void remove_unused_syncs(struct ir_func *f, const bool *marked)
{
	bool *used = arena_array(f->module->arena, f->nvalues, sizeof(*used));

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
				used[ir_at(f, i)->args[k]] = true;
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (!marked[i] && ir_sync_kind(in) && in->nres && !used[in->res] &&
			    (in->nres == 1 || !used[in->res + 1]))
				ir_remove(f, i);
		}
}

static void merge_syncs_in(struct sync_merger *merger, struct ir_func *f)
{
	uint32_t ninsts = f->ninsts, kind;
	bool several = false, *marked;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			several |= is_sync_site(f, i, &kind) && merger->nsites[kind] > 1;
	if (!several)
		return;
	marked = find_divergent_sites(merger, f);
	remove_unused_syncs(f, marked);
	for (ir_id i = 1; i < ninsts; i++)
		if (marked[i])
			replace_by_call(merger, f, i);
}

void nv_merge_divergent_syncs(struct ir_module *m)
{
	struct sync_merger merger = {.m = m};
	struct ir_func *last = m->last_func;
	uint32_t kind;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (is_sync_site(f, i, &kind)) {
					merger.nsites[kind]++;
					merger.in_callee[kind] |= f->kind == IR_FUNCTION;
				}
	for (struct ir_func *f = m->funcs; f; f = f == last ? NULL : f->next)
		merge_syncs_in(&merger, f);
}
