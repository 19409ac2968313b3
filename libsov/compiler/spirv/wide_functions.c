// SPDX-License-Identifier: MIT
/*
 * Transcendental functions of f64: calls of the functions in library/f64_functions.cu, which are
 * added to modules that use one. Shading languages do not have them, but nothing in SPIR-V keeps a
 * module from calling them.
 */
#include <string.h>
#include "libsov/compiler/library/f64_functions_ptx.h"
#include "libsov/compiler/ptx/ptx.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/glsl.h"

static const char *const names[GLSL_COUNT] = {
	[GLSL_SIN] = "sin",     [GLSL_COS] = "cos",       [GLSL_TAN] = "tan",
	[GLSL_ASIN] = "asin",   [GLSL_ACOS] = "acos",     [GLSL_ATAN] = "atan",
	[GLSL_SINH] = "sinh",   [GLSL_COSH] = "cosh",     [GLSL_TANH] = "tanh",
	[GLSL_ASINH] = "asinh", [GLSL_ACOSH] = "acosh",   [GLSL_ATANH] = "atanh",
	[GLSL_EXP] = "exp",     [GLSL_EXP2] = "exptwo",   [GLSL_LOG] = "log",
	[GLSL_LOG2] = "logtwo", [GLSL_ATAN2] = "atantwo", [GLSL_POW] = "pow",
};

static const struct ir_func *find_function(struct spirv *s, const char *name)
{
	const struct ir_func *f = s->module->funcs;

	while (f && strcmp(f->name, name))
		f = f->next;
	if (!f)
		spirv_fail(s, "the library has no function %s", name);
	return f;
}

ir_val spirv_wide_function(struct spirv *s, uint32_t n, ir_val x, ir_val y)
{
	const struct ir_func *callee;
	ir_id i;

	if (!names[n])
		spirv_fail(s, "function %u of GLSL.std.450 is not supported for f64", n);
	if (!s->has_wide_functions &&
	    !ptx_parse_into(s->job, f64_functions, strlen(f64_functions), s->module))
		longjmp(s->failure, 1);
	s->has_wide_functions = true;
	callee = find_function(s, arena_printf(s->arena, "__sov_fun_%s", names[n]));
	i = ir_call_new(s->f, IR_CALL, callee, (ir_val[]){x, y}, y ? 2 : 1);
	ir_append(s->f, s->block, i);
	return ir_at(s->f, i)->res;
}
