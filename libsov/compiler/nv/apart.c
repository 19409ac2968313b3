// SPDX-License-Identifier: MIT
/*
 * Lanes that wait for each other in different places. PTX lets them: who is at one bar.warp.sync meets
 * who is at another one with the same members. WARPSYNC does not: an H200 never lets lanes go that wait
 * at two of them. So where lanes that part at a branch may come to different ones, each of these
 * becomes a call of one function of the module that has the only one, as ptxas does it for sm_80:
 *
 *	        here = active                          function wait(members):
 *	        cbr here = members, rest, meet                 warpsync members
 *	meet:   call wait(members)                             ret
 *	rest:
 *
 * Who has all members beside it need not call. Where the members are known only at run time, lanes
 * of several groups may be there together, and a branch that parts them would make those of one
 * group wait for the others'; then all call.
 */
#include "libsov/compiler/expand.h"
#include "libsov/compiler/nv/module.h"

struct apart {
	struct ir_module *m;
	struct ir_func *wait; /* NULL: not needed yet */
	bool in_functions;    /* some stand where several kernels or places call */
};

static bool calls(const struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return true;
	return false;
}

static ir_id first_wait(const struct ir_func *f, ir_block b)
{
	ir_for_each_inst(f, b, i)
		if (ir_at(f, i)->op == IR_WARPSYNC)
			return i;
	return 0;
}

static uint32_t count_waits(const struct ir_func *f)
{
	uint32_t count = 0;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i)
			count += ir_at(f, i)->op == IR_WARPSYNC;
	return count;
}

/* Marks those that lanes come to first from a branch, if there are several. */
static void mark_next(const struct ir_func *f, ir_block branch, bool *marked)
{
	struct arena *a = f->module->arena;
	bool *seen = arena_array(a, f->nblocks, sizeof(*seen));
	ir_block *stack = arena_array(a, f->nblocks + 1, sizeof(*stack));
	ir_id *found = arena_array(a, f->nblocks, sizeof(*found));
	uint32_t depth = 0, count = 0;

	stack[depth++] = branch;
	while (depth) {
		const struct ir_bb *bb = &f->blocks[stack[--depth]];

		for (uint32_t s = 0; s < bb->nsucc; s++) {
			ir_block to = bb->succ[s];

			if (seen[to])
				continue;
			seen[to] = true;
			found[count] = first_wait(f, to);
			if (found[count])
				count++;
			else
				stack[depth++] = to;
		}
	}
	for (uint32_t k = 0; k < count && count > 1; k++)
		marked[found[k]] = true;
}

static void define_wait(struct apart *a)
{
	ir_id arg, sync;
	ir_block b;

	a->wait = ir_function_new(a->m, IR_FUNCTION, ".wait", (const uint8_t[]){IR_B32}, 1, NULL, 0);
	a->wait->ssa = true;
	b = ir_block_new(a->wait, NULL);
	arg = ir_inst_new(a->wait, IR_ARG, IR_B32, NULL, 0, 1);
	ir_append(a->wait, b, arg);
	sync = ir_inst_new(a->wait, IR_WARPSYNC, IR_VOID, &ir_at(a->wait, arg)->res, 1, 0);
	ir_append(a->wait, b, sync);
	ir_append(a->wait, b, ir_inst_new(a->wait, IR_RET, IR_VOID, NULL, 0, 0));
}

static void insert_call(struct expand *e, const struct ir_func *callee, ir_val members)
{
	ir_id call = ir_call_new(e->f, IR_CALL, callee, &members, 1);

	ir_at(e->f, call)->line = e->line;
	ir_insert_before(e->f, e->at, call);
}

static void make_call(struct apart *a, struct ir_func *f, ir_id at)
{
	struct expand e = {.f = f, .at = at, .line = ir_at(f, at)->line};
	ir_val members = ir_at(f, at)->args[0], here;
	uint64_t mask;

	if (ir_is_const(f, members, &mask)) {
		here = expand_op(&e, IR_ACTIVE, IR_B32, 0, 0, 0);
		here = expand_op(&e, IR_AND, IR_B32, here, members, 0);
		expand_open(&e, expand_compare(&e, IR_NE, here, members));
	}
	insert_call(&e, a->wait, members);
	ir_remove(f, at);
}

static void wait_in(struct apart *a, struct ir_func *f)
{
	bool everywhere = a->in_functions && (f->kind == IR_FUNCTION || calls(f));
	const struct ir_divergence *d;
	uint32_t ninsts = f->ninsts;
	bool *marked;

	if (!everywhere && count_waits(f) < 2)
		return;
	marked = arena_array(f->module->arena, ninsts, sizeof(*marked));
	d = ir_divergence_compute(f, ir_cfg_build(f));
	ir_for_each_block(f, b) {
		if (d->branch[b])
			mark_next(f, b, marked);
		ir_for_each_inst(f, b, i)
			marked[i] |= everywhere && ir_at(f, i)->op == IR_WARPSYNC;
	}
	for (ir_id i = 1; i < ninsts; i++) {
		if (!marked[i])
			continue;
		if (!a->wait)
			define_wait(a);
		make_call(a, f, i);
	}
}

void nv_wait_apart(struct ir_module *m)
{
	struct apart a = {.m = m};
	struct ir_func *last = m->last_func;

	for (const struct ir_func *f = m->funcs; f; f = f->next)
		a.in_functions |= f->kind == IR_FUNCTION && count_waits(f);
	for (struct ir_func *f = m->funcs; f; f = f->next) {
		wait_in(&a, f);
		if (f == last)
			break;
	}
}
