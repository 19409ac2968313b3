// SPDX-License-Identifier: MIT
/*
 * The IR interpreter: kernels in IR text against the host's arithmetic, in many shapes of grid and
 * block, warp syncs, and the exact message of every error.
 */
#include "libsov/compiler/interp/interp.h"
#include "libsov/compiler/passes/pass.h"
#include "tests/userspace/compiler/ir/_ir_test.h"

#define BASE   UINT64_C(0x10000) /* address of the first byte of memory */
#define FLOATS 4096

static union {
	uint8_t bytes[4 * FLOATS];
	float f[FLOATS];
	uint32_t u[FLOATS];
} memory;

static bool access_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
{
	(void)user;
	(void)write;
	if (address < BASE || address - BASE > sizeof(memory) ||
	    bytes > sizeof(memory) - (address - BASE))
		return false;
	*host = memory.bytes + (address - BASE);
	return true;
}

static struct interp_launch launch(const struct ir_func *f, uint32_t blocks, uint32_t threads,
				   const void *params, uint32_t param_bytes)
{
	return (struct interp_launch){.kernel = f,
				      .grid = {blocks, 1, 1},
				      .block = {threads, 1, 1},
				      .params = params,
				      .param_bytes = param_bytes,
				      .warp_lanes = 32,
				      .step_limit = 50000000,
				      .memory = access_memory};
}

static bool run_launch(const struct interp_launch *l)
{
	char message[800] = "";

	if (interp_run(l, message, sizeof(message)))
		return true;
	diag("%s", message);
	return false;
}

static struct ir_func *load_kernel(struct bench *b, const char *file)
{
	return bench_module(b, bench_file(b, arena_printf(&b->arena,
							  "tests/userspace/compiler/ir/text/%s.ir",
							  file)))
		->funcs;
}

/* ---- kernels against the host ---- */

static const uint32_t shapes[][2] = {{1, 1},   {1, 32}, {3, 31},  {2, 33},
				     {1, 100}, {5, 64}, {2, 1000}};

static void check_saxpy(struct bench *b)
{
	const struct ir_func *f = load_kernel(b, "saxpy");

	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		uint32_t blocks = shapes[k][0], threads = shapes[k][1], n = blocks * threads - 1,
			 bad = 0;
		struct {
			uint32_t n;
			float a;
			uint64_t x, y;
		} params = {n, 1.5f, BASE, BASE + 4 * FLOATS / 2};
		struct interp_launch l = launch(f, blocks, threads, &params, sizeof(params));

		for (uint32_t i = 0; i < FLOATS; i++)
			memory.f[i] = (float)i / 3;
		ok(run_launch(&l), "saxpy runs with %u blocks of %u threads", blocks, threads);
		for (uint32_t i = 0; i < FLOATS; i++) {
			float was = (float)i / 3, x = (float)(i - FLOATS / 2) / 3;
			bool inside = i >= FLOATS / 2 && i - FLOATS / 2 < n;

			bad += memory.f[i] != (inside ? __builtin_fmaf(x, 1.5f, was) : was);
		}
		ok(!bad, "saxpy changes exactly its %u elements", n);
	}
}

static void check_reduce(struct bench *b)
{
	const struct ir_func *f = load_kernel(b, "reduce");

	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		struct {
			uint32_t n, pad;
			uint64_t x, out;
		} params = {777, 0, BASE, BASE + 4 * 1000};
		struct interp_launch l =
			launch(f, shapes[k][0], shapes[k][1], &params, sizeof(params));

		for (uint32_t i = 0; i < FLOATS; i++)
			memory.f[i] = (float)(i % 10);
		memory.f[1000] = 0.5f; /* small integers: every order of summation gives the same */
		ok(run_launch(&l) && memory.f[1000] == 0.5f + 77 * 45 + 21,
		   "reduce sums 777 elements with %u blocks of %u threads", shapes[k][0],
		   shapes[k][1]);
	}
}

static bool sums_right(const struct ir_func *f)
{
	uint64_t params = BASE;
	struct interp_launch l = launch(f, 1, 50, &params, sizeof(params));
	uint32_t bad = 0;

	memset(&memory, 0xff, sizeof(memory));
	if (!run_launch(&l))
		return false;
	for (uint32_t i = 0; i < 50; i++)
		bad += memory.u[i] != i * (i + 1) / 2;
	return !bad && memory.u[50] == 0xffffffff;
}

static void check_registers(struct bench *b)
{
	struct ir_func *f = load_kernel(b, "registers");

	ok(!f->ssa && sums_right(f), "a kernel with mutable registers runs");
	pass_ssa_construction(f, target_find("dummy"));
	ok(f->ssa && ir_verify(f->module, &b->diag) && sums_right(f),
	   "a kernel with mutable registers gives the same in SSA form");
}

/* ---- cases: small kernels that must store the right words at out, or fail with the right message
 * ---- */

static struct interp_launch case_launch(struct bench *b, const struct test_case *c,
					const uint64_t *params)
{
	uint32_t threads = (uint32_t)strtoul(bench_comment(b, c, "threads"), NULL, 10);
	const char *blocks = bench_comment(b, c, "blocks");
	struct interp_launch l =
		launch(bench_module(b, c->text)->last_func,
		       blocks ? (uint32_t)strtoul(blocks, NULL, 10) : 1, threads, params, 8);

	l.dynamic_shared = 64;
	l.step_limit = 50000;
	if (bench_comment(b, c, "lanes"))
		l.warp_lanes = (uint32_t)strtoul(bench_comment(b, c, "lanes"), NULL, 10);
	return l;
}

static void check_cases(struct bench *b)
{
	uint32_t n, untouched = 0xeeeeeeee;
	struct test_case *c = bench_cases(b, "tests/userspace/compiler/ir/cases/run.ir", &n);

	ok(n >= 20, "cases/run.ir has its cases");
	for (uint32_t k = 0; k < n; k++) {
		uint64_t params = BASE;
		struct interp_launch l = case_launch(b, &c[k], &params);
		char *want = bench_comment(b, &c[k], "want");
		uint32_t count = 0, bad = 0;

		memset(&memory, 0xee, sizeof(memory));
		ok(run_launch(&l), "%s: runs", c[k].name);
		for (char *end; *want; want = end, count++) {
			uint32_t word = (uint32_t)strtoul(want, &end, 0);

			bad += memory.u[count] != word;
			if (memory.u[count] != word)
				diag("[%u] is 0x%x, not 0x%x", count, memory.u[count], word);
		}
		ok(!bad && memory.u[count > l.block[0] ? count : l.block[0]] == untouched,
		   "%s: stores the expected words", c[k].name);
	}
}

static void check_errors(struct bench *b)
{
	uint32_t n;
	struct test_case *c = bench_cases(b, "tests/userspace/compiler/ir/cases/errors.ir", &n);

	ok(n >= 32, "cases/errors.ir has its cases");
	for (uint32_t k = 0; k < n; k++) {
		uint64_t params = BASE;
		struct interp_launch l = case_launch(b, &c[k], &params);
		char *want = bench_comment(b, &c[k], "error"), message[800] = "";

		if (!strncmp(want, "thread", 6))
			want = arena_printf(&b->arena, "kernel k, block (0,0,0), %s", want);
		memset(&memory, 0, sizeof(memory));
		ok(!interp_run(&l, message, sizeof(message)), "%s: is refused", c[k].name);
		is_str(message, want, arena_printf(&b->arena, "%s: has its message", c[k].name));
	}
}

/* Errors of the launch itself. */
static void check_launch(struct bench *b)
{
	struct ir_func *f = load_kernel(b, "registers");
	uint64_t params = BASE;
	struct interp_launch l = launch(f, 1, 1, &params, 8);
	char message[800] = "";

	l.warp_lanes = 0;
	ok(!interp_run(&l, message, sizeof(message)), "a warp without lanes is refused");
	is_str(message, "kernel sums: a warp of 0 lanes, not 1 to 32",
	       "a warp without lanes is refused with its message");
	l.warp_lanes = 33;
	ok(!interp_run(&l, message, sizeof(message)), "a warp of 33 lanes is refused");
	is_str(message, "kernel sums: a warp of 33 lanes, not 1 to 32",
	       "a warp of 33 lanes is refused with its message");
	l.warp_lanes = 32;
	l.memory = NULL;
	ok(!interp_run(&l, message, sizeof(message)),
	   "a store without a memory callback is refused");
	is_str(message,
	       "kernel sums, block (0,0,0), thread (0,0,0), 'store.b32 global [%12], %13': a write "
	       "of 4 "
	       "bytes at 0x10000 is outside of global memory",
	       "with this sentence");
	l = launch(f, 1, 1, &params, 8);
	l.dynamic_shared = 1 << 24;
	ok(interp_run(&l, message, sizeof(message)),
	   "16 MiB of dynamic shared memory are accepted");
	l.dynamic_shared++;
	ok(!interp_run(&l, message, sizeof(message)),
	   "more than 16 MiB of dynamic shared memory are refused");
	is_str(message, "kernel sums: 16777217 bytes of shared memory are too many",
	       "with this sentence");
}

/* Indices of a block in a three-dimensional grid, and of a thread in a three-dimensional block. */
static void check_directions(struct bench *b)
{
	uint64_t params = BASE;
	struct interp_launch l = launch(load_kernel(b, "directions"), 3, 2, &params, 8);
	uint32_t bad = 0, n = 3 * 2 * 2 * 24;

	l.grid[1] = l.grid[2] = 2;
	l.block[1] = 3;
	l.block[2] = 4;
	l.warp_lanes = 8;
	memset(&memory, 0xee, sizeof(memory));
	ok(run_launch(&l), "a kernel with a three-dimensional grid and block runs");
	for (uint32_t i = 0; i < n; i++)
		bad += memory.u[i] != i % 24 % 8;
	ok(!bad && memory.u[n] == 0xeeeeeeee,
	   "three-dimensional blocks run every thread once, x first, in warps of 8");
}

int main(void)
{
	struct bench b;

	bench_init(&b);
	check_saxpy(&b);
	check_reduce(&b);
	check_registers(&b);
	check_cases(&b);
	check_directions(&b);
	check_errors(&b);
	check_launch(&b);
	bench_free(&b);
	return tap_done();
}
