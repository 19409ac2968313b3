// SPDX-License-Identifier: MIT
/* malloc() in kernels returns distinct blocks until the heap is exhausted, and free() makes them
 * available again. */
#include "tests/userspace/runtime/module/device_services/_services.h"

static struct printed printed;

static void blocks(sov_context c, sov_module m, uint32_t rounds)
{
	uint32_t bad[256], wrong = 0, i;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(bad), &p));
	MUST(start(m, "blocks", 4, 64, (const void *[]){&rounds, &p}, 2));
	MUST(sov_memory_copy(c, SOV_HOST(bad), p, sizeof(bad)));
	for (i = 0; i < COUNT(bad); i++)
		wrong += bad[i];
	ok(!wrong, "256 threads allocate %u blocks each, and no other thread writes to them",
	   rounds);
	if (wrong)
		diag("wrong: %u", wrong);
	MUST(sov_memory_free(c, p));
}

static uint32_t exhaust(sov_context c, sov_module m, uint64_t bytes)
{
	uint32_t got;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(got), &p));
	MUST(start(m, "exhaust", 1, 1, (const void *[]){&bytes, &p}, 2));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, sizeof(got)));
	MUST(sov_memory_free(c, p));
	return got;
}

/* malloc uses its caller's stack, below the caller's own variables, whose size differs between
 * threads. */
static const char on_stack[] =
	".version 8.6\n.target sm_80\n.address_size 64\n"
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	".visible .entry on_stack(.param .u64 out)\n{\n"
	"	.reg .b32 %i, %n, %x, %sum;\n	.reg .b64 %p, %q, %at, %end, %size;\n	.reg .pred "
	"%more;\n"
	"	mov.u32 %i, %tid.x;\n	add.u32 %n, %i, 1;\n	mul.wide.u32 %size, %n, 4;\n"
	"	alloca.u64 %at, %size;\n	add.u64 %end, %at, %size;\n	mov.u64 %q, %at;\n"
	"fill:	st.local.u32 [%q], %n;\n	add.u64 %q, %q, 4;\n	setp.lt.u64 %more, %q, "
	"%end;\n"
	"	@%more bra fill;\n"
	"	{\n	.param .b64 n;\n	.param .b64 r;\n	st.param.b64 [n], 64;\n"
	"	call (r), malloc, (n);\n	ld.param.b64 %p, [r];\n	}\n"
	"	st.u32 [%p+60], %n;\n	mov.u32 %sum, 0;\n"
	"add:	ld.local.u32 %x, [%at];\n	add.u32 %sum, %sum, %x;\n	add.u64 %at, %at, "
	"4;\n"
	"	setp.lt.u64 %more, %at, %end;\n	@%more bra add;\n"
	"	ld.u32 %x, [%p+60];\n	add.u32 %sum, %sum, %x;\n"
	"	ld.param.u64 %p, [out];\n	mad.wide.u32 %p, %i, 4, %p;\n	st.global.u32 "
	"[%p], %sum;\n	ret;\n}\n";

static void keeps_stack(sov_context c)
{
	uint32_t got[64], wrong = 0;
	sov_module m;
	sov_ptr p;

	MUST(sov_module_load(c, on_stack, strlen(on_stack), NULL, &m));
	MUST(sov_memory_alloc(c, sizeof(got), &p));
	MUST(start(m, "on_stack", 1, COUNT(got), (const void *[]){&p}, 1));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	for (uint32_t i = 0; i < COUNT(got); i++)
		wrong += got[i] != (i + 1) * (i + 1) + i + 1;
	ok(!wrong, "a thread's stack is preserved across malloc");
	MUST(sov_memory_free(c, p));
}

#define VALUES 40
#define FLAGS  5

/* A kernel with VALUES words and FLAGS predicates that are live across malloc, whose parameter and
 * address take some of their registers. */
static char *text_of_live_values(void)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	fprintf(f,
		".version 8.6\n.target sm_80\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
		".visible .entry live(.param .u64 out)\n{\n"
		"	.reg .b32 %%i, %%sum, %%x, %%v<%u>;\n	.reg .b64 %%p, %%q;\n"
		"	.reg .pred %%f<%u>;\n	mov.u32 %%i, %%tid.x;\n",
		VALUES, FLAGS);
	for (uint32_t k = 0; k < VALUES; k++)
		fprintf(f, "	mad.lo.u32 %%v%u, %%i, %u, %u;\n", k, 2 * k + 3, k);
	for (uint32_t k = 0; k < FLAGS; k++)
		fprintf(f, "	setp.gt.u32 %%f%u, %%i, %u;\n", k, 9 * k);
	fprintf(f, "	{\n	.param .b64 n;\n	.param .b64 r;\n	st.param.b64 [n], "
		   "64;\n"
		   "	call (r), malloc, (n);\n	ld.param.b64 %%p, [r];\n	}\n"
		   "	mov.u32 %%sum, 0;\n");
	for (uint32_t k = 0; k < VALUES; k++)
		fprintf(f, "	st.u32 [%%p], %%v%u;\n	mad.lo.u32 %%sum, %%v%u, %u, %%sum;\n", k,
			k, k + 1);
	for (uint32_t k = 0; k < FLAGS; k++)
		fprintf(f, "	selp.u32 %%x, %u, 0, %%f%u;\n	add.u32 %%sum, %%sum, %%x;\n",
			1000u << k, k);
	fprintf(f, "	ld.param.u64 %%q, [out];\n	mad.wide.u32 %%q, %%i, 4, %%q;\n"
		   "	st.global.u32 [%%q], %%sum;\n	ret;\n}\n");
	fclose(f);
	return text;
}

static uint32_t sum_of_live_values(uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < VALUES; k++)
		sum += (i * (2 * k + 3) + k) * (k + 1);
	for (uint32_t k = 0; k < FLAGS; k++)
		sum += i > 9 * k ? 1000u << k : 0;
	return sum;
}

static void keeps_registers(sov_context c)
{
	uint32_t got[64], wrong = 0;
	char *text = text_of_live_values();
	sov_module m;
	sov_ptr p;

	MUST(sov_module_load(c, text, strlen(text), NULL, &m));
	MUST(sov_memory_alloc(c, sizeof(got), &p));
	MUST(start(m, "live", 1, COUNT(got), (const void *[]){&p}, 1));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	for (uint32_t i = 0; i < COUNT(got); i++)
		wrong += got[i] != sum_of_live_values(i);
	ok(!wrong, "%d words and %d predicates are preserved across malloc", VALUES, FLAGS);
	MUST(sov_memory_free(c, p));
	free(text);
}

int main(void)
{
	sov_context c;
	sov_module m;
	uint32_t first, again;

	soft_gpus("gh100:vram=512M:hazard");
	c = services_context(0, &printed, 0, 1 << 20);
	m = services_module(c);
	blocks(c, m, 24);
	blocks(c, m, 24);
	keeps_stack(c);
	keeps_registers(c);
	MUST(sov_context_destroy(c));

	c = services_context(0, &printed, 0, 1 << 20);
	m = services_module(c);
	first = exhaust(c, m, 1000);
	ok(first >= 900 && first <= 1048, "a heap of 1 MiB provides %u blocks of 1000 bytes",
	   first);
	again = exhaust(c, m, 1000);
	ok(again == first, "freed heap blocks can be allocated again");
	ok(exhaust(c, m, 10) >= first, "freed heap blocks can be allocated as smaller ones");
	MUST(sov_context_destroy(c));
	return tap_done();
}
