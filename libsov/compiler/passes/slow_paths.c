// SPDX-License-Identifier: MIT
/*
 * Outlining of slow paths. A correctly rounded division or square root ends in dozens of
 * instructions for arguments that rarely occur. If a function has several operations of one kind,
 * expanding each inline would spend most of its code size, and most of the compile time, on code
 * that hardly ever runs. So the slow path becomes a function of the module, marked preserve_all:
 * callers spill nothing across the call. The module indexes these functions by kind for the
 * expansions.
 */
#include <assert.h>
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/pass.h"

/* Minimum number in one function for which a call pays: in f64 a slow path is a hundred
 * instructions, in f32 fewer than twenty. */
static uint32_t min_uses(const struct ir_inst *in)
{
	return in->type == IR_B64 ? 2 : 4;
}

enum { SLOW_FDIV, SLOW_FRCP, SLOW_FSQRT, SLOW_OPS };

static const struct slow_path {
	enum ir_op op;
	const char *name;
	ir_val (*compute)(struct expand *e, const struct ir_inst *in, const ir_val *args);
} slow_paths[SLOW_OPS] = {
	[SLOW_FDIV] = {IR_FDIV, "fdiv", expand_slow_fdiv},
	[SLOW_FRCP] = {IR_FRCP, "frcp", expand_slow_fdiv},
	[SLOW_FSQRT] = {IR_FSQRT, "fsqrt", expand_slow_fsqrt},
};

/* The slow path that an instruction needs; SLOW_OPS: none. */
static uint32_t slow_path_index(const struct ir_inst *in)
{
	uint32_t k = 0;

	while (k < SLOW_OPS && slow_paths[k].op != in->op)
		k++;
	return k;
}

/* Index by operation, type, rounding mode and ftz. */
static uint32_t slow_path_kind(const struct ir_inst *in)
{
	uint32_t wide = in->type == IR_B64, ftz = in->flags & IR_FTZ ? 1 : 0;

	return ((slow_path_index(in) * 2 + wide) * 4 + in->round) * 2 + ftz;
}

static struct ir_func *define_slow_path(struct ir_module *m, const struct ir_inst *in)
{
	static const char *const rounds[] = {
		[IR_RN] = "rn", [IR_RZ] = "rz", [IR_RM] = "rm", [IR_RP] = "rp"};
	const struct slow_path *path = &slow_paths[slow_path_index(in)];
	const uint8_t types[2] = {in->type, in->type};
	const char *name = arena_printf(m->arena, ".slow.%s.%s%s.%s", path->name, rounds[in->round],
					in->flags & IR_FTZ ? ".ftz" : "", ir_type_names[in->type]);
	struct ir_func *f = ir_function_new(m, IR_FUNCTION, name, types, in->nargs, types, 1);
	ir_block b = ir_block_new(f, NULL);
	ir_id end = ir_inst_new(f, IR_RET, IR_VOID, NULL, 0, 0);
	struct expand e = {.f = f, .at = end, .flags = in->flags & IR_FTZ};
	ir_val args[2];

	f->preserve_all = f->ssa = true;
	ir_append(f, b, end);
	for (uint32_t k = 0; k < in->nargs; k++) {
		args[k] = expand_op(&e, IR_ARG, in->type, 0, 0, 0);
		ir_def(f, args[k])->imm = k;
	}
	ir_arg_append(f, end, path->compute(&e, in, args));
	return f;
}

static void outline_in_function(struct ir_module *m, const struct ir_func *f)
{
	uint32_t counts[IR_SLOW_KINDS] = {0};

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst in = *ir_at(f, i);
			uint32_t kind;

			if (slow_path_index(&in) == SLOW_OPS)
				continue;
			kind = slow_path_kind(&in);
			if (++counts[kind] == min_uses(&in) && !m->slow[kind])
				m->slow[kind] = define_slow_path(m, &in);
		}
}

void outline_slow_paths(struct ir_module *m, const struct target *t)
{
	static_assert(IR_SLOW_KINDS == SLOW_OPS * 2 * 4 * 2,
		      "one index per operation, type, rounding and ftz");
	const struct ir_func *last = m->last_func;

	if (!(t->lacks & TARGET_FLOAT_DIVIDE) || t->lacks & TARGET_PRESERVING_CALLS)
		return;
	for (const struct ir_func *f = m->funcs; f; f = f == last ? NULL : f->next)
		outline_in_function(m, f);
}

ir_val expand_slow_path(struct expand *e, const struct ir_inst *in)
{
	const struct ir_func *outlined = e->f->module->slow[slow_path_kind(in)];
	ir_id call;

	if (!outlined)
		return slow_paths[slow_path_index(in)].compute(e, in, in->args);
	call = ir_call_new(e->f, IR_CALL, outlined, in->args, in->nargs);
	ir_at(e->f, call)->line = e->line;
	ir_insert_before(e->f, e->at, call);
	return ir_at(e->f, call)->res;
}
