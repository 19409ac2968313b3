// SPDX-License-Identifier: MIT
/*
 * Computes y = 2 x + y for 1024 elements, one per thread.
 * Build: cc saxpy.c $(pkg-config --cflags --libs sov)
 */
#include <sov.h>
#include <stdio.h>
#include <stdlib.h>

static const char ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y)\n"
	"{\n"
	"	.reg .b32 %r<4>; .reg .f32 %f<5>; .reg .b64 %d<6>;\n"
	"	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	"	mad.lo.s32 %r1, %r1, %r2, %r3;\n"
	"	ld.param.f32 %f1, [a]; ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
	"	mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"
	"	ld.global.f32 %f2, [%d4]; ld.global.f32 %f3, [%d5];\n"
	"	fma.rn.f32 %f4, %f1, %f2, %f3;\n"
	"	st.global.f32 [%d5], %f4;\n"
	"	ret;\n"
	"}\n";

static void check(sov_result r)
{
	if (r) {
		fprintf(stderr, "%s: %s\n", sov_result_name(r), sov_last_error());
		exit(1);
	}
}

int main(void)
{
	enum { N = 1024 };
	float a = 2, x[N], y[N];
	sov_device device;
	sov_context context;
	sov_module module;
	sov_function saxpy;
	sov_ptr gx, gy;

	for (int i = 0; i < N; i++)
		x[i] = y[i] = i;

	check(sov_device_open(0, &device));
	check(sov_context_create(device, NULL, &context));
	check(sov_module_load(context, ptx, sizeof(ptx) - 1, NULL, &module));
	check(sov_module_get_function(module, "saxpy", &saxpy));
	check(sov_memory_alloc(context, sizeof(x), &gx));
	check(sov_memory_alloc(context, sizeof(y), &gy));
	check(sov_memory_copy(context, gx, SOV_HOST(x), sizeof(x)));
	check(sov_memory_copy(context, gy, SOV_HOST(y), sizeof(y)));
	sov_launch launch = {.size = sizeof(launch),
			     .grid = {N / 256, 1, 1},
			     .block = {256, 1, 1},
			     .arguments = (const void *[]){&a, &gx, &gy},
			     .argument_count = 3};
	check(sov_function_launch(saxpy, &launch));
	check(sov_memory_copy(context, SOV_HOST(y), gy, sizeof(y)));

	printf("y[1] = %g, y[1023] = %g\n", y[1], y[1023]);
	check(sov_context_destroy(context));
	return 0;
}
