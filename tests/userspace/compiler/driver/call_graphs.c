// SPDX-License-Identifier: MIT
/*
 * Modules of thousands of functions with two calls each, in shapes whose inlined code would grow
 * exponentially or by a large factor: they compile in little memory and CPU time, and with some
 * calls inlined and others not they compute the right values.
 */
#include <signal.h>
#include "tests/userspace/compiler/driver/_limited.h"
#include "tests/userspace/runtime/_api.h"

#define FUNCTIONS    2000
#define MEMORY_BYTES ((size_t)256 << 20)
#define LEVEL        (FUNCTIONS / 10)
#define CPU_SECONDS  (10 * TAP_SLOWNESS)
#define LEAF_ADDS    150

/* The two callees of function k, all of them after k; n or more: none. */
struct shape {
	const char *name;
	void (*callees)(uint32_t k, uint32_t n, uint32_t out[2]);
	uint32_t functions;
	uint32_t leaves; /* the last functions, long ones, which call nothing */
};

static void chain(uint32_t k, uint32_t n, uint32_t out[2])
{
	(void)n;
	out[0] = out[1] = k + 1;
}

static void tree(uint32_t k, uint32_t n, uint32_t out[2])
{
	(void)n;
	out[0] = 2 * k + 1;
	out[1] = 2 * k + 2;
}

static void star(uint32_t k, uint32_t n, uint32_t out[2])
{
	(void)k;
	out[0] = n - 2;
	out[1] = n - 1;
}

/* Levels of LEVEL functions, each of which calls two of the next level: paths are short enough to
 * run, but the inlined code of all functions together is not small. */
static void levels(uint32_t k, uint32_t n, uint32_t out[2])
{
	uint32_t next = k / LEVEL * LEVEL + LEVEL;

	(void)n;
	out[0] = next + (k * 7 + 1) % LEVEL;
	out[1] = next + (k * 13 + 5) % LEVEL;
}

static const struct shape shapes[] = {
	{"a chain", chain, FUNCTIONS, 1},
	{"a tree", tree, FUNCTIONS, 0},
	{"a star of two long functions", star, FUNCTIONS, 2},
	{"ten levels", levels, FUNCTIONS, 0},
};

/* fK(x) = fA(x + K) * 3 + fB(x); without callees x * 5 + K. */
static char *shape_ptx(const struct shape *s)
{
	uint32_t n = s->functions, c[2];
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	fprintf(f, ".version 8.0\n.target sm_80\n.address_size 64\n");
	for (uint32_t k = n; k-- > 0;) {
		fprintf(f,
			".func (.param .b32 r) f%u(.param .b32 x)\n{\n.reg .b32 %%a<6>;\n"
			"ld.param.u32 %%a1, [x];\n",
			k);
		s->callees(k, n, c);
		if (k >= n - s->leaves || c[0] >= n || c[1] >= n) {
			for (uint32_t i = 0; s->leaves > 1 && i < LEAF_ADDS; i++)
				fprintf(f, "xor.b32 %%a1, %%a1, %u;\nadd.u32 %%a1, %%a1, %u;\n", i,
					i);
			fprintf(f, "mad.lo.u32 %%a4, %%a1, 5, %u;\n", k);
		} else {
			fprintf(f,
				"add.u32 %%a2, %%a1, %u;\n"
				"{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %%a2;\n"
				"call.uni (q), f%u, (p);\nld.param.b32 %%a3, [q];\n}\n"
				"{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %%a1;\n"
				"call.uni (q), f%u, (p);\nld.param.b32 %%a4, [q];\n}\n"
				"mad.lo.u32 %%a4, %%a3, 3, %%a4;\n",
				k, c[0], c[1]);
		}
		fprintf(f, "st.param.b32 [r], %%a4;\nret;\n}\n");
	}
	fprintf(f,
		".visible .entry kernel(.param .u64 out)\n{\n.reg .b32 %%a<4>;\n.reg .b64 %%d<2>;\n"
		"ld.param.u64 %%d1, [out];\nmov.u32 %%a1, %%tid.x;\n"
		"{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %%a1;\n"
		"call.uni (q), f0, (p);\nld.param.b32 %%a2, [q];\n}\n"
		"mad.wide.u32 %%d1, %%a1, 4, %%d1;\nst.global.u32 [%%d1], %%a2;\nret;\n}\n");
	if (fclose(f))
		abort();
	return text;
}

static uint32_t expected(const struct shape *s, uint32_t k, uint32_t x)
{
	uint32_t c[2];

	s->callees(k, s->functions, c);
	if (c[0] >= s->functions || c[1] >= s->functions)
		return x * 5 + k;
	return expected(s, c[0], x + k) * 3 + expected(s, c[1], x);
}

static void compile_shapes(void)
{
	static const char *const targets[] = {"sm_90", "gfx1030"};

	for (uint32_t s = 0; s < COUNT(shapes); s++) {
		char *text = shape_ptx(&shapes[s]);

		for (uint32_t t = 0; t < COUNT(targets); t++) {
			int status = compile_limited(text, strlen(text), targets[t], MEMORY_BYTES,
						     CPU_SECONDS, false);

			ok(!status,
			   "%u functions with two calls each, %s, compile for %s within %zu MiB "
			   "and %d s of CPU time",
			   shapes[s].functions, shapes[s].name, targets[t], MEMORY_BYTES >> 20,
			   CPU_SECONDS);
			if (status)
				diag("status %d", status);
		}
		free(text);
	}
}

static void run_levels(const char *device)
{
	sov_context c = context_on(device, 0);
	const struct shape *s = &shapes[COUNT(shapes) - 1];
	char *text = shape_ptx(s);
	uint32_t got[32], right = 0;
	sov_function f = function_of(c, text, "kernel");
	sov_ptr out;

	MUST(sov_memory_alloc(c, sizeof(got), &out));
	MUST(launch(f, NULL, 1, 32, "8", ARGUMENTS(&out)));
	MUST(sov_memory_copy(c, SOV_HOST(got), out, sizeof(got)));
	for (uint32_t i = 0; i < 32; i++)
		right += got[i] == expected(s, 0, i);
	ok(right == 32,
	   "a module of %u functions with two calls each computes the right values on %s",
	   s->functions, device);
	free(text);
	MUST(sov_context_destroy(c));
}

static void deep_chain(void)
{
	struct shape s = {"a chain", chain, 5000, 1};
	char *text = shape_ptx(&s);
	struct compile_options o = {.target = "sm_90"};
	struct compile_result r;

	ok(!compile(text, strlen(text), &o, &r) &&
		   strstr(r.messages, "'f903': calls are nested 4097 deep; at most 4096 levels are "
				      "supported"),
	   "calls that are nested too deeply are an error");
	if (!strstr(r.messages, "nested"))
		diag("%s", r.messages);
	compile_result_free(&r);
	free(text);
}

int main(void)
{
	soft_gpus("gh100:vram=64M,navi21:vram=64M");
	compile_shapes();
	run_levels("gh100.0");
	run_levels("navi21.0");
	deep_chain();
	return tap_done();
}
