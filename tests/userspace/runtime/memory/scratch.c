// SPDX-License-Identifier: MIT
/*
 * Local memory on a GPU whose launches say how much of it there is: it is sized by the grid, so
 * that a small grid of threads with large stacks takes little memory. It grows with larger grids,
 * and every thread keeps its own.
 */
#include "tests/userspace/runtime/_api.h"

#define MIB      (UINT64_C(1) << 20)
#define LOCAL    16384 /* bytes per thread */
#define THREADS  256
#define MAX_GRID 24

/* Each thread fills its local memory with its number, and adds up what it reads there. */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
			  ".visible .entry own(.param .u64 out)\n{\n"
			  "\t.local .align 4 .b8 m[16384];\n"
			  "\t.reg .b32 %r<16>;\n\t.reg .b64 %d<8>;\n\t.reg .pred %p<2>;\n"
			  "\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %tid.x;\n"
			  "\tmad.lo.u32 %r3, %r1, 256, %r2;\n"
			  "\tld.param.u64 %d6, [out];\n\tld.volatile.global.u32 %r8, "
			  "[%d6];\n\tmov.u64 %d1, m;\n\tmov.u32 %r4, 0;\n"
			  "fill:\n"
			  "\tmad.lo.u32 %r5, %r4, 1028, %r8;\n\tand.b32 %r5, %r5, 16380;\n"
			  "\tcvt.u64.u32 %d2, %r5;\n\tadd.u64 %d3, %d1, %d2;\n"
			  "\tst.local.u32 [%d3], %r3;\n"
			  "\tadd.u32 %r4, %r4, 1;\n\tsetp.lt.u32 %p1, %r4, 64;\n"
			  "\t@%p1 bra fill;\n"
			  "\tmov.u32 %r4, 0;\n\tmov.u32 %r6, 0;\n"
			  "read:\n"
			  "\tmad.lo.u32 %r5, %r4, 1028, %r8;\n\tand.b32 %r5, %r5, 16380;\n"
			  "\tcvt.u64.u32 %d2, %r5;\n\tadd.u64 %d3, %d1, %d2;\n"
			  "\tld.local.u32 %r7, [%d3];\n\tadd.u32 %r6, %r6, %r7;\n"
			  "\tadd.u32 %r4, %r4, 1;\n\tsetp.lt.u32 %p1, %r4, 64;\n"
			  "\t@%p1 bra read;\n"
			  "\tld.param.u64 %d4, [out];\n\tmul.wide.u32 %d5, %r3, 4;\n"
			  "\tadd.u64 %d4, %d4, %d5;\n\tst.global.u32 [%d4], %r6;\n\tret;\n}\n";

static uint64_t free_bytes(sov_context c)
{
	uint64_t bytes;

	MUST(sov_memory_info(c, &bytes, NULL));
	return bytes;
}

static bool run(sov_context c, sov_function f, sov_ptr out, uint32_t grid)
{
	static uint32_t sums[MAX_GRID * THREADS];
	sov_launch l = SOV_INIT(sov_launch);
	const void *arguments[] = {&out};
	uint32_t i;

	l.grid[0] = grid;
	l.block[0] = THREADS;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 1;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(sums), out, 4ull * grid * THREADS));
	for (i = 0; i < grid * THREADS; i++)
		if (sums[i] != 64 * i)
			return false;
	return true;
}

int main(void)
{
	sov_device device;
	sov_context c;
	sov_module m;
	sov_function f;
	sov_ptr out;
	uint64_t before, small, large;

	setenv("TEST_CHIP", "navi21", 1);
	soft_gpus("gh100:vram=512M");
	MUST(sov_device_open(0, &device));
	MUST(sov_context_create(device, NULL, &c));
	MUST(sov_memory_alloc(c, 4 * MAX_GRID * THREADS, &out));
	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "own", &f));
	MUST(sov_memory_fill(c, out, 0, 4, MAX_GRID * THREADS));
	before = free_bytes(c);
	ok(run(c, f, out, 1), "each thread of one block has its own local memory");
	small = before - free_bytes(c);
	ok(small >= LOCAL * THREADS && small <= 24 * MIB,
	   "one block of 256 threads with 16 KiB each takes %llu MiB",
	   (unsigned long long)(small / MIB));
	ok(run(c, f, out, MAX_GRID), "each thread of %u blocks has its own local memory", MAX_GRID);
	large = before - free_bytes(c);
	ok(large >= (uint64_t)LOCAL * THREADS * MAX_GRID && large <= 192 * MIB,
	   "local memory grows with the grid, to %llu MiB", (unsigned long long)(large / MIB));
	ok(run(c, f, out, 1) && before - free_bytes(c) == large,
	   "a smaller grid uses the larger area");
	MUST(sov_context_destroy(c));
	return tap_done();
}
