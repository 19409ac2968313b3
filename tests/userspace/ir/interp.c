/* SPDX-License-Identifier: MIT */
/*
 * The interpreter: kernels written in IR text against the host's own arithmetic, in many shapes of
 * grid and block, lanes that work together, and an exact sentence for everything that goes wrong.
 */
#include "libsov/compiler/interp.h"
#include "libsov/compiler/pass.h"
#include "tests/userspace/ir/ir_test.h"

#define BASE UINT64_C(0x10000) /* the address of the first byte of memory */
#define FLOATS 4096

static union {
	uint8_t bytes[4 * FLOATS];
	float f[FLOATS];
	uint32_t u[FLOATS];
} memory;

static bool find_memory(void *user, uint64_t address, uint32_t bytes, bool write, void **host)
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
	return (struct interp_launch){
		.kernel = f, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = params,
		.param_bytes = param_bytes, .warp_lanes = 32, .step_limit = 50000000,
		.memory = find_memory};
}

static bool run(const struct interp_launch *l)
{
	char message[800] = "";

	if (interp_run(l, message, sizeof(message)))
		return true;
	diag("%s", message);
	return false;
}

static struct ir_func *kernel(struct bench *b, const char *file)
{
	return bench_module(b, bench_file(b, arena_printf(&b->arena, "tests/userspace/ir/text/%s.ir",
							  file)))->funcs;
}

/* Kernels against the host. */

static const uint32_t shapes[][2] = {{1, 1}, {1, 32}, {3, 31}, {2, 33}, {1, 100}, {5, 64}, {2, 1000}};

static void check_saxpy(struct bench *b)
{
	const struct ir_func *f = kernel(b, "saxpy");

	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		uint32_t blocks = shapes[k][0], threads = shapes[k][1], n = blocks * threads - 1, bad = 0;
		struct {
			uint32_t n;
			float a;
			uint64_t x, y;
		} params = {n, 1.5f, BASE, BASE + 4 * FLOATS / 2};
		struct interp_launch l = launch(f, blocks, threads, &params, sizeof(params));

		for (uint32_t i = 0; i < FLOATS; i++)
			memory.f[i] = (float)i / 3;
		ok(run(&l), "saxpy runs with %u blocks of %u threads", blocks, threads);
		for (uint32_t i = 0; i < FLOATS; i++) {
			float was = (float)i / 3, x = (float)(i - FLOATS / 2) / 3;
			bool inside = i >= FLOATS / 2 && i - FLOATS / 2 < n;

			bad += memory.f[i] != (inside ? __builtin_fmaf(x, 1.5f, was) : was);
		}
		ok(!bad, "and changes exactly the %u elements it should", n);
	}
}

static void check_reduce(struct bench *b)
{
	const struct ir_func *f = kernel(b, "reduce");

	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		struct {
			uint32_t n, pad;
			uint64_t x, out;
		} params = {777, 0, BASE, BASE + 4 * 1000};
		struct interp_launch l =
			launch(f, shapes[k][0], shapes[k][1], &params, sizeof(params));

		for (uint32_t i = 0; i < FLOATS; i++)
			memory.f[i] = (float)(i % 10);
		memory.f[1000] = 0.5f; /* small integers: any order of sums gives the same */
		ok(run(&l) && memory.f[1000] == 0.5f + 77 * 45 + 21,
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
	if (!run(&l))
		return false;
	for (uint32_t i = 0; i < 50; i++)
		bad += memory.u[i] != i * (i + 1) / 2;
	return !bad && memory.u[50] == 0xffffffff;
}

static void check_registers(struct bench *b)
{
	struct ir_func *f = kernel(b, "registers");

	ok(!f->ssa && sums_right(f), "a kernel with registers runs");
	pass_ssa(f, target_find("dummy"));
	ok(f->ssa && ir_verify(f->module, &b->diag) && sums_right(f),
	   "and gives the same in SSA form");
}

/* Little kernels: each stores its results to out[], and must leave what the row says there. */

#define OUT                                                                                 \
	"\t%out = load.b64 param [0]\n\t%tid = sreg.b32 tid.x\n\t%four = const.b32 4\n"     \
	"\t%at = mulwide.u.b64 %tid, %four\n\t%p = add.b64 %out, %at\n"
#define HEAD "kernel k(out: 8 at 0 pointer) {\nentry:\n" OUT
#define END "\tstore.b32 global [%p], %r\n\tret\n}\n"
#define ALL "\t%all = const.b32 -1\n\t%zero = const.b32 0\n\t%one = const.b32 1\n"

static const struct {
	const char *name, *text;
	uint32_t threads, count, want[40];
} little[] = {
	{"special registers",
	 "kernel k(out: 8 at 0 pointer) required_threads 3 1 1 {\nentry:\n" OUT
	 "\t%1 = sreg.b32 ntid.x\n\t%2 = sreg.b32 nctaid.x\n\t%3 = sreg.b32 ctaid.y\n"
	 "\t%4 = sreg.b32 lanemask.gt\n\t%5 = sreg.b32 laneid\n\t%6 = add.b32 %1, %2\n"
	 "\t%7 = add.b32 %6, %3\n\t%8 = add.b32 %7, %4\n\t%r = add.b32 %8, %5\n" END,
	 3, 3, {2, 1, 0xfffffffe}},
	{"shuffle down stays in its segments of 8 lanes",
	 HEAD ALL "\t%clamp = const.b32 0x181f\n\t%two = const.b32 2\n"
		  "\t%r, %in = shuffle.b32 down %tid, %two, %clamp, %all\n" END,
	 32, 32, {2,  3,  4,  5,  6,  7,  6,  7,  10, 11, 12, 13, 14, 15, 14, 15,
		  18, 19, 20, 21, 22, 23, 22, 23, 26, 27, 28, 29, 30, 31, 30, 31}},
	{"shuffle up keeps the first lanes",
	 HEAD ALL "\t%r, %in = shuffle.b32 up %tid, %four, %zero, %all\n" END, 32, 8,
	 {0, 1, 2, 3, 0, 1, 2, 3}},
	{"shuffle bfly",
	 HEAD ALL "\t%clamp = const.b32 31\n\t%r, %in = shuffle.b32 bfly %tid, %one, %clamp, %all\n" END,
	 32, 6, {1, 0, 3, 2, 5, 4}},
	{"shuffle idx",
	 HEAD ALL "\t%clamp = const.b32 31\n\t%r, %in = shuffle.b32 idx %tid, %four, %clamp, %all\n" END,
	 32, 3, {4, 4, 4}},
	{"a shuffle says what is in range",
	 HEAD ALL "\t%two = const.b32 2\n\t%1, %in = shuffle.b32 down %tid, %one, %two, %all\n"
		  "\t%r = zext.b32 from b1 %in\n" END,
	 32, 5, {1, 1, 0, 0, 0}},
	{"votes count those who are there",
	 HEAD ALL "\t%c = icmp.b32 ge.u %tid, %one\n\t%1 = vote.b32 ballot %c, %all\n"
		  "\t%2 = vote.b1 all %c, %all\n\t%3 = vote.b1 any %c, %all\n"
		  "\t%4 = vote.b1 uni %c, %all\n\t%5 = zext.b32 from b1 %2\n"
		  "\t%6 = zext.b32 from b1 %3\n\t%7 = zext.b32 from b1 %4\n"
		  "\t%8 = mad.b32 %1, %four, %6\n\t%9 = mad.b32 %8, %four, %5\n"
		  "\t%r = mad.b32 %9, %four, %7\n" END,
	 3, 3, {6 * 64 + 16, 6 * 64 + 16, 6 * 64 + 16}},
	{"votes of one mind",
	 HEAD ALL "\t%c = icmp.b32 eq %one, %one\n\t%d = not.b1 %c\n\t%2 = vote.b1 all %c, %all\n"
		  "\t%3 = vote.b1 any %d, %all\n\t%4 = vote.b1 uni %c, %all\n"
		  "\t%5 = vote.b1 uni %d, %all\n\t%6 = zext.b32 from b1 %2\n"
		  "\t%7 = zext.b32 from b1 %3\n\t%8 = zext.b32 from b1 %4\n"
		  "\t%9 = zext.b32 from b1 %5\n\t%10 = mad.b32 %6, %four, %7\n"
		  "\t%11 = mad.b32 %10, %four, %8\n\t%r = mad.b32 %11, %four, %9\n" END,
	 3, 3, {64 + 4 + 1, 64 + 4 + 1, 64 + 4 + 1}},
	{"half a warp votes among itself",
	 HEAD ALL "\t%c = icmp.b32 lt.u %tid, %four\n\tcbr %c, low, high\nlow:\n"
		  "\t%m = const.b32 0xf\n\t%1 = vote.b32 ballot %c, %m\n\tbr done\nhigh:\n"
		  "\t%n = const.b32 0xf0\n\t%d = icmp.b32 ne %tid, %four\n"
		  "\t%2 = vote.b32 ballot %d, %n\n\tbr done\ndone:\n"
		  "\t%r = phi.b32 [low: %1], [high: %2]\n" END,
	 8, 8, {0xf, 0xf, 0xf, 0xf, 0xe0, 0xe0, 0xe0, 0xe0}},
	{"lanes that have left the kernel are not waited for",
	 HEAD ALL "\t%c = icmp.b32 lt.u %tid, %four\n\tcbr %c, stay, leave\nleave:\n\tret\nstay:\n"
		  "\t%r = vote.b32 ballot %c, %all\n" END,
	 8, 4, {0xf, 0xf, 0xf, 0xf}},
	{"a barrier between a store and the load of a neighbour",
	 "shared @s align 4 size 256\n" HEAD ALL
	 "\t%s = addr.b64 @s\n\t%q = add.b64 %s, %at\n\tstore.b32 shared [%q], %tid\n"
	 "\tbarrier sync %zero\n\t%l = const.b32 63\n\t%o = sub.b32 %l, %tid\n"
	 "\t%oa = mulwide.u.b64 %o, %four\n\t%oq = add.b64 %s, %oa\n"
	 "\t%r = load.b32 shared [%oq]\n" END,
	 64, 4, {63, 62, 61, 60}},
	{"a barrier for one warp and one that arrives",
	 "shared @s align 4 size 4\n" HEAD ALL
	 "\t%s = addr.b64 @s\n\t%all64 = const.b32 64\n\t%w = const.b32 32\n"
	 "\t%c = icmp.b32 lt.u %tid, %w\n\tcbr %c, reads, writes\nwrites:\n"
	 "\t%seven = const.b32 7\n\tstore.b32 shared [%s], %seven\n"
	 "\tbarrier arrive %one, %all64\n\tret\nreads:\n\tbarrier sync %one, %all64\n"
	 "\t%r = load.b32 shared [%s]\n" END,
	 64, 2, {7, 7}},
	{"a barrier that opens does not let those at another one go",
	 "shared @s align 4 size 4\n" HEAD ALL
	 "\t%s = addr.b64 @s\n\t%all64 = const.b32 64\n\t%w = const.b32 32\n"
	 "\t%c = icmp.b32 lt.u %tid, %w\n\tcbr %c, reads, writes\nwrites:\n\tbarrier sync %four, %w\n"
	 "\tstore.b32 shared [%s], %four\n\tbarrier sync %one, %all64\n\tret\nreads:\n"
	 "\tbarrier sync %one, %all64\n\t%r = load.b32 shared [%s]\n" END,
	 64, 2, {4, 4}},
	{"atomics one after the other",
	 "global @count align 4 size 4\n" HEAD
	 "\t%c = addr.b64 @count\n\t%r = atom.b32 inc global relaxed gpu [%c], %four\n" END,
	 7, 7, {0, 1, 2, 3, 4, 0, 1}},
	{"compare and swap, exchange, least and most",
	 "global @g align 4 size 4 = 05 00 00 00\n" HEAD ALL
	 "\t%g = addr.b64 @g\n\t%five = const.b32 5\n\t%nine = const.b32 9\n"
	 "\t%1 = cas.b32 global relaxed gpu [%g], %five, %nine\n"
	 "\t%2 = cas.b32 global relaxed gpu [%g], %five, %one\n"
	 "\t%3 = atom.b32 min.s global relaxed gpu [%g], %all\n"
	 "\t%4 = atom.b32 exch global relaxed gpu [%g], %four\n"
	 "\t%5 = atom.b32 dec global relaxed gpu [%g], %four\n\t%6 = load.b32 global [%g]\n"
	 "\tstore.b32 global [%p], %1, %2\n\tstore.b32 global [%p + 8], %3, %4\n"
	 "\tstore.b32 global [%p + 16], %5, %6\n\tret\n}\n",
	 1, 6, {5, 9, 9, 0xffffffff, 4, 3}},
	{"an operation with two results",
	 HEAD "\t%w = const.b64 0x700000005\n\t%1, %2 = unpack.b64 %w\n"
	      "\tstore.b32 global [%p], %1, %2\n\tret\n}\n",
	 1, 2, {5, 7}},
	{"narrow loads and stores",
	 "constant @c align 2 size 4 = fe ff 80 01\n" HEAD
	 "\t%c = addr.b64 @c\n\t%1 = load.b32 constant as b8 [%c]\n"
	 "\t%2 = load.b32 constant sext as b16 [%c]\n\t%3 = load.b32 constant sext as b8 [%c + 2]\n"
	 "\tstore.b32 global [%p], %1, %2\n\tstore.b32 global [%p + 8], %3\n"
	 "\tstore.b32 global as b8 [%p + 8], %1\n\tret\n}\n",
	 1, 3, {0xfe, 0xfffffffe, 0xfffffffe}},
	{"generic addresses of every space",
	 "shared @pad align 4 size 8\nshared @s align 4 size 4\nlocal @l align 4 size 8\n" HEAD
	 "\t%s = addr.b64 @s\n\t%l = addr.b64 @l + 4\n\t%gs = generic.b64 shared %s\n"
	 "\t%gl = generic.b64 local %l\n\tstore.b32 generic [%gs], %four\n"
	 "\tstore.b32 generic [%gl], %tid\n\t%1 = load.b32 shared [8]\n"
	 "\t%2 = load.b32 local [4]\n\t%back = tospace.b64 local %gl\n"
	 "\t%3 = trunc.b32 from b64 %back\n\t%g = generic.b64 global %p\n"
	 "\tstore.b32 generic [%g], %1, %2\n\tstore.b32 generic [%g + 8], %3\n\tret\n}\n",
	 1, 3, {4, 0, 4}},
	{"dynamic shared memory lies behind the rest",
	 "external shared @d align 16 size 0\nshared @s align 4 size 4\n" HEAD
	 "\t%d = addr.b32 @d\n\t%s = addr.b32 @s\n\tstore.b32 shared [%d + 60], %four\n"
	 "\tstore.b32 global [%p], %d, %s\n\tret\n}\n",
	 1, 2, {16, 0}},
	{"phis of a loop change places at once",
	 HEAD ALL "\tbr loop\nloop:\n\t%a = phi.b32 [entry: %zero], [loop: %b]\n"
		  "\t%b = phi.b32 [entry: %one], [loop: %a]\n"
		  "\t%n = phi.b32 [entry: %zero], [loop: %m]\n\t%m = add.b32 %n, %one\n"
		  "\t%more = icmp.b32 lt.u %m, %four\n\tcbr %more, loop, done\ndone:\n"
		  "\tstore.b32 global [%p], %a, %b\n\tret\n}\n",
	 1, 2, {1, 0}},
	{"two edges between two blocks keep their arguments apart",
	 HEAD ALL "\t%c = icmp.b32 eq %tid, %zero\n\tcbr %c, done, done\ndone:\n"
		  "\t%r = phi.b32 [entry: %one], [entry: %four]\n" END,
	 2, 2, {1, 4}},
	{"undefined values may be computed with, if they are not used",
	 HEAD ALL "\t%u = undef.b32\n\t%v = add.b32 %u, %one\n\t%t = icmp.b32 eq %one, %one\n"
		  "\t%r = select.b32 %t, %tid, %v\n" END,
	 2, 2, {0, 1}},
	{"one thread waits in a loop for another's store",
	 "shared @s align 4 size 4\n" HEAD ALL
	 "\t%s = addr.b64 @s\n\t%first = icmp.b32 eq %tid, %zero\n"
	 "\tcbr %first, clear, start\nclear:\n\tstore.b32 shared [%s], %zero\n\tbr start\nstart:\n"
	 "\tbarrier sync %zero\n\tcbr %first, wait, tell\nwait:\n\t%r = load.b32 shared [%s]\n"
	 "\t%not = icmp.b32 eq %r, %zero\n\tcbr %not, wait, done\ntell:\n"
	 "\tstore.b32 shared [%s], %four\n\tret\ndone:\n" END,
	 2, 1, {4}},
};

static void check_little(struct bench *b)
{
	for (size_t k = 0; k < sizeof(little) / sizeof(little[0]); k++) {
		uint64_t params = BASE;
		struct interp_launch l;
		uint32_t bad = 0;

		memset(&memory, 0xee, sizeof(memory));
		l = launch(bench_module(b, little[k].text)->funcs, 1, little[k].threads, &params, 8);
		l.dynamic_shared = 64;
		ok(run(&l), "%s: runs", little[k].name);
		for (uint32_t i = 0; i < little[k].count; i++)
			if (memory.u[i] != little[k].want[i]) {
				diag("[%u] is 0x%x, not 0x%x", i, memory.u[i], little[k].want[i]);
				bad++;
			}
		ok(!bad && memory.u[little[k].count > little[k].threads ? little[k].count
									  : little[k].threads] ==
				   0xeeeeeeee,
		   "and stores what it should");
	}
}

/* Everything that goes wrong has a sentence. */

#define AT(thread, fault) "kernel k, block (0,0,0), thread (" thread ",0,0), " fault

static const struct {
	const char *text, *message;
	uint32_t threads;
} errors[] = {
	{HEAD ALL "\t%c = icmp.b32 eq %tid, %zero\n\tcbr %c, one, two\none:\n\tbarrier sync %zero\n"
		  "\tret\ntwo:\n\tbarrier sync %one\n\tret\n}\n",
	 AT("0", "'barrier sync %7': deadlock: 1 of 33 threads are at barrier 0"), 33},
	{HEAD ALL "\t%c = icmp.b32 eq %tid, %zero\n\tcbr %c, one, two\none:\n"
		  "\t%1 = vote.b1 all %c, %all\n\tret\ntwo:\n\t%2 = vote.b1 any %c, %all\n\tret\n}\n",
	 AT("0", "'%10 = vote.b1 all %9, %6': deadlock: lane 1, a member, waits at '%11 = vote.b1 "
		 "any %9, %6'"), 4},
	{HEAD ALL "\t%c = icmp.b32 eq %tid, %zero\n\tcbr %c, one, two\none:\n"
		  "\tbarrier sync %zero\n\tret\ntwo:\n\t%2 = vote.b1 any %c, %all\n\tret\n}\n",
	 AT("0", "'barrier sync %7': deadlock: 1 of 4 threads are at barrier 0"), 4},
	{HEAD "\tbr loop\nloop:\n\tbr loop\n}\n",
	 AT("0", "'br loop': the limit of 50000 instructions is reached"), 1},
	{HEAD ALL "\t%m = const.b32 0xe\n\t%c = icmp.b32 eq %tid, %zero\n"
		  "\t%1 = vote.b1 all %c, %m\n\tret\n}\n",
	 AT("0", "'%11 = vote.b1 all %10, %9': lane 0 is not among its members 0xe"), 4},
	{HEAD ALL "\t%c = icmp.b32 eq %tid, %zero\n\t%m = const.b32 3\n\t%n = select.b32 %c, %m, %all\n"
		  "\t%1 = vote.b1 all %c, %n\n\tret\n}\n",
	 AT("0", "'%12 = vote.b1 all %9, %11': its members are 0x3, but lane 1 has 0xffffffff"), 2},
	{HEAD ALL "\t%u = undef.b32\n\t%1, %2 = shuffle.b32 up %one, %one, %one, %u\n\tret\n}\n",
	 AT("0", "'%10, %11 = shuffle.b32 up %8, %8, %8, %9': argument 4 is undefined"), 1},
	{HEAD ALL "\t%u = undef.b1\n\t%1 = vote.b1 all %u, %all\n\tret\n}\n",
	 AT("0", "'%10 = vote.b1 all %9, %6': argument 1 is undefined"), 1},
	{HEAD ALL "\t%u = undef.b32\n\tbarrier sync %u\n\tret\n}\n",
	 AT("0", "'barrier sync %9': argument 1 is undefined"), 1},
	{HEAD ALL "\t%n = const.b32 16\n\tbarrier sync %n\n\tret\n}\n",
	 AT("0", "'barrier sync %9': barrier 16, but there are 0 to 15"), 1},
	{HEAD ALL "\tbarrier sync %one, %four\n\tret\n}\n",
	 AT("0", "'barrier sync %8, %3': 4 threads are not a number of whole warps"), 1},
	{HEAD ALL "\t%n = const.b32 32\n\t%m = const.b32 64\n\t%c = icmp.b32 eq %tid, %zero\n"
		  "\t%k = select.b32 %c, %n, %m\n\tbarrier sync %zero, %k\n\tret\n}\n",
	 AT("1", "'barrier sync %7, %12': threads disagree on how many meet at barrier 0"), 64},
	{HEAD ALL "\t%u = undef.b32\n\t%c = icmp.b32 eq %u, %one\n\tcbr %c, done, done\ndone:\n"
		  "\tret\n}\n",
	 AT("0", "'cbr %10, done, done': branches on an undefined value"), 1},
	{HEAD "\t%u = undef.b64\n\t%1 = load.b32 global [%u + 4]\n\tret\n}\n",
	 AT("0", "'%7 = load.b32 global [%6 + 4]': the address is undefined"), 1},
	{HEAD "\t%u = read.b32 r1\n\tstore.b32 global [%p], %u\n\tret\n}\n",
	 AT("0", "'store.b32 global [%5], %6': stores an undefined value"), 1},
	{"shared @s align 4 size 8\n" HEAD
	 "\t%s = addr.b64 @s\n\tstore.b32 shared [%s], %tid\n\t%1 = load.b64 shared [%s]\n"
	 "\tstore.b64 global [%p], %1\n\tret\n}\n",
	 AT("0", "'store.b64 global [%5], %7': stores an undefined value"), 1},
	{"local @s align 4 size 8\n" HEAD
	 "\t%s = addr.b64 @s\n\t%1 = load.b32 local [%s]\n\tstore.b32 global [%p], %1\n\tret\n}\n",
	 AT("0", "'store.b32 global [%5], %7': stores an undefined value"), 1},
	{HEAD ALL "\t%c = const.b32 31\n\t%r, %in = shuffle.b32 down %tid, %one, %c, %all\n" END,
	 AT("2", "'store.b32 global [%5], %10': stores an undefined value"), 3},
	{HEAD "\t%u = undef.b32\n\t%1 = atom.b32 add global relaxed gpu [%p], %u\n\tret\n}\n",
	 AT("0", "'%7 = atom.b32 add global relaxed gpu [%5], %6': an atomic operation on an undefined "
		 "value"), 1},
	{HEAD "\t%1 = load.b32 global [%p + 2]\n\tret\n}\n",
	 AT("0", "'%6 = load.b32 global [%5 + 2]': the address 0x10002 is not aligned to 4 bytes"), 1},
	{HEAD "\t%1 = load.b32 global [%p + 16384]\n\tret\n}\n",
	 AT("0", "'%6 = load.b32 global [%5 + 16384]': a read of 4 bytes at 0x14000 is outside of "
		 "global memory"), 1},
	{HEAD "\tstore.b32 global align 4 [%p + 16376], %four, %four, %four, %four\n\tret\n}\n",
	 AT("0", "'store.b32 global [%5 + 16376], %3, %3, %3, %3': a write of 16 bytes at 0x13ff8 is "
		 "outside of global memory"), 1},
	{"shared @s align 4 size 8\n" HEAD "\t%s = addr.b64 @s\n\t%1 = load.b32 shared [%s + 8]\n"
	 "\tret\n}\n",
	 AT("0", "'%7 = load.b32 shared [%6 + 8]': a read of 4 bytes at 0x8 is outside of shared "
		 "memory"), 1},
	{HEAD "\t%s = generic.b64 param %p\n\tstore.b32 generic [%s], %four\n\tret\n}\n",
	 AT("0", "'store.b32 generic [%6], %3': writes to param memory"), 1},
	{HEAD "\t%s = generic.b32 shared %four\n\tret\n}\n",
	 AT("0", "'%6 = generic.b32 shared %3': generic addresses have 64 bits here"), 1},
	{HEAD "\ttrap\n}\n", AT("0", "'trap': the kernel gave up here"), 1},
	{"kernel k(out: 8 at 0) required_threads 32 1 1 {\nentry:\n\tret\n}\n",
	 "kernel k: the block is 33 in direction 0, but must be 32", 33},
	{"kernel k(out: 8 at 0) {\nentry:\n\tret\n}\n", "kernel k: more than 1024 threads in a block",
	 1025},
	{"kernel k(out: 8 at 0) {\nentry:\n\tret\n}\n",
	 "kernel k: grid and block need at least 1 in every direction", 0},
	{"kernel k(n: 4 at 0) {\nentry:\n\tret\n}\n", "kernel k: 8 bytes of parameters given, not 4", 1},
	{"shared @s align 4 size 16777217\nkernel k(out: 8 at 0) {\nentry:\n\tret\n}\n",
	 "kernel k: variable @s has more than 16 MiB or such an alignment", 1},
	{"global @s align 4 size 16777216\nglobal @t align 4 size 4\n"
	 "kernel k(out: 8 at 0) {\nentry:\n\tret\n}\n",
	 "kernel k: variables in global memory have more than 16 MiB", 1},
};

static void check_errors(struct bench *b)
{
	for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++) {
		struct ir_func *f = bench_module(b, errors[k].text)->funcs;
		uint64_t params = BASE;
		struct interp_launch l = launch(f, 1, errors[k].threads, &params, 8);
		char message[800] = "";

		memset(&memory, 0, sizeof(memory));
		l.step_limit = 50000;
		ok(!interp_run(&l, message, sizeof(message)), "an error is one: %s", errors[k].message);
		is_str(message, errors[k].message, "and says so");
	}
}

/* What a launch itself may have wrong. */
static void check_launch(struct bench *b)
{
	struct ir_func *f = bench_module(b, HEAD "\tstore.b32 global [%p], %tid\n\tret\n}\n")->funcs;
	uint64_t params = BASE;
	struct interp_launch l = launch(f, 1, 1, &params, 8);
	char message[800] = "";

	l.warp_lanes = 0;
	ok(!interp_run(&l, message, sizeof(message)), "a warp without lanes is refused");
	is_str(message, "kernel k: a warp of 0 lanes, not 1 to 32", "with this sentence");
	l.warp_lanes = 33;
	ok(!interp_run(&l, message, sizeof(message)), "and one of 33 lanes");
	is_str(message, "kernel k: a warp of 33 lanes, not 1 to 32", "with this sentence");
	l.warp_lanes = 32;
	l.memory = NULL;
	ok(!interp_run(&l, message, sizeof(message)), "without global memory there is none");
	is_str(message,
	       AT("0", "'store.b32 global [%5], %2': a write of 4 bytes at 0x10000 is outside of "
		       "global memory"),
	       "with this sentence");
	l = launch(f, 1, 1, &params, 8);
	l.dynamic_shared = 1 << 24;
	ok(interp_run(&l, message, sizeof(message)), "16 MiB of dynamic shared memory are possible");
	l.dynamic_shared++;
	ok(!interp_run(&l, message, sizeof(message)), "more are not");
	is_str(message, "kernel k: 16777217 bytes of shared memory are too many",
	       "with this sentence");
}

/* In a warp of 8 lanes the ninth does not take part, though there is a thread of its number. */
static void check_small_warp(struct bench *b)
{
	uint64_t params = BASE;
	struct interp_launch l;
	char message[800] = "";

	l = launch(bench_module(b, HEAD ALL "\t%c = const.b32 31\n"
				   "\t%r, %in = shuffle.b32 down %tid, %one, %c, %all\n" END)->funcs,
		   1, 16, &params, 8);
	l.warp_lanes = 8;
	ok(!interp_run(&l, message, sizeof(message)), "a lane beyond the warp is not read");
	is_str(message, AT("7", "'store.b32 global [%5], %10': stores an undefined value"),
	       "what it would give is undefined");
}

/* The place of a block in a grid of three directions, and of a thread in a block of three. */
static void check_directions(struct bench *b)
{
	static const char *const text =
		"kernel k(out: 8 at 0 pointer) {\nentry:\n\t%x = sreg.b32 tid.x\n\t%y = sreg.b32 tid.y\n"
		"\t%z = sreg.b32 tid.z\n\t%bx = sreg.b32 ctaid.x\n\t%by = sreg.b32 ctaid.y\n"
		"\t%bz = sreg.b32 ctaid.z\n\t%two = const.b32 2\n\t%three = const.b32 3\n"
		"\t%four = const.b32 4\n\t%1 = mad.b32 %bz, %two, %by\n\t%2 = mad.b32 %1, %three, %bx\n"
		"\t%3 = mad.b32 %2, %four, %z\n\t%4 = mad.b32 %3, %three, %y\n"
		"\t%i = mad.b32 %4, %two, %x\n\t%at = mulwide.u.b64 %i, %four\n"
		"\t%out = load.b64 param [0]\n\t%p = add.b64 %out, %at\n\t%lane = sreg.b32 laneid\n"
		"\tstore.b32 global [%p], %lane\n\tret\n}\n";
	uint64_t params = BASE;
	struct interp_launch l = launch(bench_module(b, text)->funcs, 3, 2, &params, 8);
	uint32_t bad = 0, n = 3 * 2 * 2 * 24;

	l.grid[1] = l.grid[2] = 2;
	l.block[1] = 3;
	l.block[2] = 4;
	l.warp_lanes = 8;
	memset(&memory, 0xee, sizeof(memory));
	ok(run(&l), "a grid and a block with three directions run");
	for (uint32_t i = 0; i < n; i++)
		bad += memory.u[i] != i % 24 % 8;
	ok(!bad && memory.u[n] == 0xeeeeeeee, "every thread once, x first, in warps of 8 lanes");
}

int main(void)
{
	struct bench b;

	bench_init(&b);
	check_saxpy(&b);
	check_reduce(&b);
	check_registers(&b);
	check_little(&b);
	check_directions(&b);
	check_errors(&b);
	check_launch(&b);
	check_small_warp(&b);
	bench_free(&b);
	return tap_done();
}
