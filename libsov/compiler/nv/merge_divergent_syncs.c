// SPDX-License-Identifier: MIT
/*
 * Lanes that meet in different places (places.c). The machine does not let them: lanes at two
 * WARPSYNC wait for ever (seen on an H200). So each of these places becomes a call of one function of
 * the module that has the only one, as ptxas does it for sm_80:
 *
 *	        here = active                    function meet(v, lane, clamp, members):
 *	        cbr members here, there, meet            x, p = shuffle v, lane, clamp, members
 *	meet:   x1, p1 = call meet(…)                    ret x, p
 *	there:  x2, p2 = shuffle …
 *	        x = phi x1, x2; p = phi p1, p2
 *
 * Who has all members beside it need not call. Where the members are known only at run time, lanes
 * of several groups may be there together; they call unless all of these groups are complete, since
 * a branch that parts them would make those of one group wait for the others'.
 *
 * Beyond the place where a branch's lanes are brought together nobody looks: lanes that wait there
 * for others do so at its BSYNC (converge.c), before they come to any operation. So it is with
 * ptxas, too.
 */
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/module.h"

struct apart {
	struct ir_module *m;
	struct ir_func *functions[IR_SYNC_KINDS]; /* NULL: not needed yet */
	uint32_t places[IR_SYNC_KINDS];           /* in the whole unit */
	bool in_functions[IR_SYNC_KINDS];         /* some stand in functions that are called */
};

/* ---- calls ---- */

static struct ir_func *define(struct ir_module *m, const struct ir_func *f, ir_id like)
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
				 arena_printf(m->arena, ".meet.%u", ir_sync_kind(&in)), args,
				 in.nargs, results, in.nres);
	callee->ssa = callee->rare = callee->syncs_warp = true;
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

/* Whether some member of a group that is here is not; all who are here together hear the same. */
static ir_val some_missing(struct expand *e, ir_val members)
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

static void make_call(struct apart *a, struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	struct expand_if branch;
	uint32_t kind = ir_sync_kind(&in);
	ir_id call, inner;

	if (!a->functions[kind])
		a->functions[kind] = define(a->m, f, at);
	branch = expand_if_begin(&e, some_missing(&e, in.args[in.nargs - 1]));
	call = ir_call_new(f, IR_CALL, a->functions[kind], in.args, in.nargs);
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

static bool calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return false;
}

static bool *find_places(struct apart *a, const struct ir_func *f)
{
	bool everywhere = f->kind == IR_FUNCTION || calls(f), *marked;
	struct ir_cfg *cfg = ir_cfg_build(f);
	uint32_t kind;

	marked = divergent_sync_sites(f, cfg, ir_divergence_compute(f, cfg));
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (everywhere && is_sync_site(f, i, &kind))
				marked[i] |= a->in_functions[kind] && a->places[kind] > 1;
	return marked;
}

/* What nobody uses was kept (dce.c) only for others to meet. */
static void remove_unused(struct ir_func *f, const bool *marked)
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

static void meet_in(struct apart *a, struct ir_func *f)
{
	uint32_t ninsts = f->ninsts, kind;
	bool several = false, *marked;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			several |= is_sync_site(f, i, &kind) && a->places[kind] > 1;
	if (!several)
		return;
	marked = find_places(a, f);
	remove_unused(f, marked);
	for (ir_id i = 1; i < ninsts; i++)
		if (marked[i])
			make_call(a, f, i);
}

void nv_meet_apart(struct ir_module *m)
{
	struct apart a = {.m = m};
	struct ir_func *last = m->last_func;
	uint32_t kind;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (is_sync_site(f, i, &kind)) {
					a.places[kind]++;
					a.in_functions[kind] |= f->kind == IR_FUNCTION;
				}
	for (struct ir_func *f = m->funcs; f; f = f == last ? NULL : f->next)
		meet_in(&a, f);
}
