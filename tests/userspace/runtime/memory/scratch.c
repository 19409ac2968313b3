// SPDX-License-Identifier: MIT
/*
 * Local memory on a GPU whose launches say how much of it there is: it is sized by the grid, so
 * that a small grid of threads with large stacks takes little memory. It grows with larger grids,
 * also while a kernel runs that uses it, and every thread keeps its own.
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

/* Each thread keeps its number in local memory until the flag is set. */
static const char hold_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
			       ".visible .entry hold(.param .u64 out, .param .u64 flag)\n{\n"
			       "\t.local .align 4 .b8 m[1024];\n"
			       "\t.reg .b32 %r<8>;\n\t.reg .b64 %d<8>;\n\t.reg .pred %p;\n"
			       "\tmov.u32 %r1, %tid.x;\n\tld.param.u64 %d1, [out];\n"
			       "\tld.param.u64 %d2, [flag];\n"
			       "\tld.volatile.global.u32 %r2, [%d1];\n\tand.b32 %r2, %r2, 252;\n"
			       "\tcvt.u64.u32 %d3, %r2;\n\tmov.u64 %d4, m;\n"
			       "\tadd.u64 %d4, %d4, %d3;\n\tst.local.u32 [%d4+64], %r1;\n"
			       "spin:\n"
			       "\tld.volatile.global.u32 %r3, [%d2];\n"
			       "\tsetp.eq.u32 %p, %r3, 0;\n\t@%p bra spin;\n"
			       "\tld.local.u32 %r4, [%d4+64];\n\tmul.wide.u32 %d5, %r1, 4;\n"
			       "\tadd.u64 %d5, %d1, %d5;\n\tst.global.u32 [%d5], %r4;\n"
			       "\tret;\n}\n";

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

/* A kernel runs until this thread, which meanwhile launches one that needs a larger area, sets its
 * flag. */
static void grow_beside_a_kernel(void)
{
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t numbers[THREADS], i, right = 0;
	uint64_t before, allocated = 0;
	const void *arguments[2];
	sov_context c = context_on("gh100.0", 20 * SECOND);
	sov_ptr out, held, at;
	sov_function own, hold;
	sov_stream stream;
	sov_module m;
	void *flag;

	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "own", &own));
	MUST(sov_memory_alloc(c, 4 * MAX_GRID * THREADS, &out));
	MUST(sov_memory_fill(c, out, 0, 4, MAX_GRID * THREADS));
	MUST(sov_module_load(c, hold_ptx, sizeof(hold_ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "hold", &hold));
	MUST(sov_stream_create(c, 0, &stream));
	MUST(sov_memory_alloc(c, sizeof(numbers), &held));
	MUST(sov_memory_fill(c, held, 0, 4, THREADS));
	MUST(sov_host_alloc(c, 4096, &flag));
	__atomic_store_n((uint32_t *)flag, 0, __ATOMIC_RELEASE);
	at = SOV_HOST(flag);
	arguments[0] = &held;
	arguments[1] = &at;
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = THREADS;
	l.arguments = arguments;
	l.argument_count = 2;
	l.stream = stream;
	MUST(sov_function_launch(hold, &l));
	arguments[0] = &out;
	l.argument_count = 1;
	l.grid[0] = MAX_GRID;
	l.stream = NULL;
	good(sov_function_launch(own, &l), "scratch grows while a kernel runs that uses it");
	__atomic_store_n((uint32_t *)flag, 1, __ATOMIC_RELEASE);
	MUST(sov_stream_wait(stream, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(numbers), held, sizeof(numbers)));
	for (i = 0; i < THREADS; i++)
		right += numbers[i] == i;
	ok(right == THREADS, "and that kernel keeps its own (%u of %u threads)", right, THREADS);
	before = free_bytes(c);
	while (!sov_memory_alloc(c, MIB, &at))
		allocated += MIB;
	ok(allocated > before,
	   "the area of that kernel is given back when memory is short (%lld KiB)",
	   (long long)(allocated - before) / 1024);
	MUST(sov_context_destroy(c));
}

int main(void)
{
	sov_context c;
	sov_module m;
	sov_function f;
	sov_ptr out;
	uint64_t before, small, large;

	setenv("TEST_CHIP", "navi21", 1);
	soft_gpus("gh100:vram=512M");
	c = context_on("gh100.0", 20 * SECOND);
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
	grow_beside_a_kernel();
	return tap_done();
}
