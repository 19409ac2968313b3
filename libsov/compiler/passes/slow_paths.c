// SPDX-License-Identifier: MIT
/*
 * Outlining of slow paths. A correctly rounded division or square root ends in dozens of
 * instructions for arguments that rarely occur. If a function has several operations of one kind,
 * expanding each inline would spend most of its code size, and most of the compile time, on code
 * that hardly ever runs. So the slow path becomes a function of the module, marked preserve_all:
 * callers spill nothing across the call. The module indexes these functions by kind for the
 * expansions.
 *
 * A 64-bit integer division is eighty instructions, all of which may run. Functions with dozens of
 * them would overflow the instruction cache, and take time and memory to compile; there the whole
 * division becomes such a function.
 */
#include <assert.h>
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/pass.h"

enum { SLOW_FDIV, SLOW_FRCP, SLOW_FSQRT, SLOW_DIV_U, SLOW_DIV_S, SLOW_REM_U, SLOW_REM_S, SLOW_OPS };

static const struct slow_path {
	enum ir_op op;
	const char *name;
	ir_val (*compute)(struct expand *e, const struct ir_inst *in, const ir_val *args);
	/* Minimum number of 32-bit and of 64-bit operations in one function for which a call pays:
	 * in f64 a slow path is a hundred instructions, in f32 fewer than twenty. 0: never. */
	uint32_t min_uses[2];
} slow_paths[SLOW_OPS] = {
	[SLOW_FDIV] = {IR_FDIV, "fdiv", expand_slow_fdiv, {4, 2}},
	[SLOW_FRCP] = {IR_FRCP, "frcp", expand_slow_fdiv, {4, 2}},
	[SLOW_FSQRT] = {IR_FSQRT, "fsqrt", expand_slow_fsqrt, {4, 2}},
	[SLOW_DIV_U] = {IR_DIV_U, "div.u", expand_wide_idiv, {0, 32}},
	[SLOW_DIV_S] = {IR_DIV_S, "div.s", expand_wide_idiv, {0, 32}},
	[SLOW_REM_U] = {IR_REM_U, "rem.u", expand_wide_idiv, {0, 32}},
	[SLOW_REM_S] = {IR_REM_S, "rem.s", expand_wide_idiv, {0, 32}},
};

static bool divides_by_constant(const struct ir_func *f, const struct ir_inst *in)
{
	uint64_t d;

	return in->nargs == 2 && ir_is_const(f, in->args[1], &d) && d;
}

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

static struct ir_func *define_slow_path(struct ir_module *m, const struct ir_inst *in,
					const struct target *t)
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
	struct expand e = {.f = f, .target = t, .at = end, .flags = in->flags & IR_FTZ};
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

static void outline_in_function(struct ir_module *m, const struct ir_func *f,
				const struct target *t)
{
	uint32_t counts[IR_SLOW_KINDS] = {0};

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst in = *ir_at(f, i);
			uint32_t k = slow_path_index(&in), kind, min_uses;

			if (k == SLOW_OPS || (k >= SLOW_DIV_U && divides_by_constant(f, &in)))
				continue;
			kind = slow_path_kind(&in);
			min_uses = slow_paths[k].min_uses[in.type == IR_B64];
			if (++counts[kind] == min_uses && !m->slow[kind])
				m->slow[kind] = define_slow_path(m, &in, t);
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
		outline_in_function(m, f, t);
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
