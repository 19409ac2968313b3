// SPDX-License-Identifier: MIT
/*
 * Slow paths that are shared. A quotient or a root ends in dozens of instructions for arguments that
 * hardly ever come. Where a function has several of a kind, writing them out each time would make
 * most of its code, and most of the work of compiling it, what never runs. So the slow path of such
 * a kind becomes a function of the module, marked as rare: nobody saves registers around a call of
 * it; it keeps all that it changes itself. The module knows the functions by kind, and whoever
 * expands asks here.
 */
#include <assert.h>
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/pass.h"

/* As many in one function are worth a call. */
#define SEVERAL 4

enum { QUOTIENT, RECIPROCAL, ROOT, SLOW_OPS };

static const struct slow_path {
	enum ir_op op;
	const char *name;
	ir_val (*compute)(struct expand *e, const struct ir_inst *in, const ir_val *args);
} slow_paths[SLOW_OPS] = {
	[QUOTIENT] = {IR_FDIV, "fdiv", expand_slow_fdiv},
	[RECIPROCAL] = {IR_FRCP, "frcp", expand_slow_fdiv},
	[ROOT] = {IR_FSQRT, "fsqrt", expand_slow_fsqrt},
};

/* Which path an instruction needs; SLOW_OPS: none. */
static uint32_t path_of(const struct ir_inst *in)
{
	uint32_t k = 0;

	while (k < SLOW_OPS && slow_paths[k].op != in->op)
		k++;
	return k;
}

/* One for each operation, type, rounding and treatment of subnormal numbers. */
static uint32_t kind_of(const struct ir_inst *in)
{
	uint32_t wide = in->type == IR_B64, ftz = in->flags & IR_FTZ ? 1 : 0;

	return ((path_of(in) * 2 + wide) * 4 + in->round) * 2 + ftz;
}

static struct ir_func *define(struct ir_module *m, const struct ir_inst *in)
{
	static const char *const rounds[] = {
		[IR_RN] = "rn", [IR_RZ] = "rz", [IR_RM] = "rm", [IR_RP] = "rp"};
	const struct slow_path *path = &slow_paths[path_of(in)];
	const uint8_t types[2] = {in->type, in->type};
	const char *name = arena_printf(m->arena, ".slow.%s.%s%s.%s", path->name, rounds[in->round],
					in->flags & IR_FTZ ? ".ftz" : "", ir_type_names[in->type]);
	struct ir_func *f = ir_function_new(m, IR_FUNCTION, name, types, in->nargs, types, 1);
	ir_block b = ir_block_new(f, NULL);
	ir_id end = ir_inst_new(f, IR_RET, IR_VOID, NULL, 0, 0);
	struct expand e = {.f = f, .at = end, .flags = in->flags & IR_FTZ};
	ir_val args[2];

	f->rare = f->ssa = true;
	ir_append(f, b, end);
	for (uint32_t k = 0; k < in->nargs; k++) {
		args[k] = expand_op(&e, IR_ARG, in->type, 0, 0, 0);
		ir_def(f, args[k])->imm = k;
	}
	ir_arg_append(f, end, path->compute(&e, in, args));
	return f;
}

static void share_in(struct ir_module *m, const struct ir_func *f)
{
	uint32_t counts[IR_SLOW_KINDS] = {0};

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst in = *ir_at(f, i);
			uint32_t kind;

			if (path_of(&in) == SLOW_OPS)
				continue;
			kind = kind_of(&in);
			if (++counts[kind] == SEVERAL && !m->slow[kind])
				m->slow[kind] = define(m, &in);
		}
}

void outline_slow_paths(struct ir_module *m, const struct target *t)
{
	static_assert(IR_SLOW_KINDS == SLOW_OPS * 2 * 4 * 2, "one for each kind");
	const struct ir_func *last = m->last_func;

	if (!(t->lacks & TARGET_FLOAT_DIVIDE) || t->lacks & TARGET_PRESERVING_CALLS)
		return;
	for (const struct ir_func *f = m->funcs; f; f = f == last ? NULL : f->next)
		share_in(m, f);
}

ir_val expand_slow_path(struct expand *e, const struct ir_inst *in)
{
	const struct ir_func *shared = e->f->module->slow[kind_of(in)];
	ir_id call;

	if (!shared)
		return slow_paths[path_of(in)].compute(e, in, in->args);
	call = ir_call_new(e->f, IR_CALL, shared, in->args, in->nargs);
	ir_at(e->f, call)->line = e->line;
	ir_insert_before(e->f, e->at, call);
	return ir_at(e->f, call)->res;
}
