// SPDX-License-Identifier: MIT
/*
 * Transcendental functions of f64: calls of the functions in library/f64_functions.cu, which are
 * added to modules that use one. Shading languages do not have them, but nothing in SPIR-V keeps a
 * module from calling them. OpenCL's, also of f32, are in library/opencl_functions.cu.
 */
#include <string.h>
#include "libsov/compiler/library/f64_functions_ptx.h"
#include "libsov/compiler/library/opencl_functions_ptx.h"
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

/* Kernels of OpenCL C use more functions, in a text that has all of them. */
static void add_library(struct spirv *s)
{
	const char *text = s->kernel_environment ? opencl_functions : f64_functions;

	if (!s->has_wide_functions && !ptx_parse_into(s->job, text, strlen(text), s->module))
		longjmp(s->failure, 1);
	s->has_wide_functions = true;
}

const struct ir_func *spirv_library_function(struct spirv *s, const char *name)
{
	const struct ir_func *f;

	add_library(s);
	for (f = s->module->funcs; f && strcmp(f->name, name);)
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
	callee = spirv_library_function(s, arena_printf(s->arena, "__sov_fun_%s", names[n]));
	i = ir_call_new(s->f, IR_CALL, callee, (ir_val[]){x, y}, y ? 2 : 1);
	ir_append(s->f, s->block, i);
	return ir_at(s->f, i)->res;
}
