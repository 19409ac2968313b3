// SPDX-License-Identifier: MIT
/*
 * The nvrm winsys (NVIDIA's kernel module) on a real GPU, through the public API alone: results,
 * kernels that fault, infinite kernels, a thousand contexts. No library of NVIDIA's is in the
 * process. Latencies are checked too.
 *
 *   usage: nvrm [first | ILLEGAL.CUBIN [SAXPY.PTX]]
 *
 * first: computes one result and prints the time since the start of main. ILLEGAL.CUBIN: an image
 * with a kernel `broken`, whose EXIT the test replaces by an illegal instruction.
 */
#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static sov_device gpu;
static const char *saxpy_path = "tests/kernels/saxpy.ptx";

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static sov_context context_new(uint64_t limit)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_context c;

	o.kernel_time_limit = limit;
	MUST(sov_context_create(gpu, &o, &c));
	return c;
}

static bool context_works(sov_context c)
{
	sov_function f = function_of(c, PTX_ADD, "add");
	uint32_t n = 5, got = 37;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_copy(c, p, SOV_HOST(&got), 4));
	MUST(launch(f, NULL, 1, 1, "84", ARGUMENTS(&p, &n)));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	MUST(sov_memory_free(c, p));
	return got == 42;
}

/* ---- results ---- */

static void test_saxpy(sov_context c)
{
	enum { N = 1 << 20 };
	static float x[N], y[N], z[N];
	size_t bytes;
	char *ptx = read_file(saxpy_path, &bytes);
	sov_function f;
	uint32_t n = N, i, wrong = 0;
	float a = 2;
	sov_ptr gx, gy;

	for (i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	MUST(sov_module_get_function(module_from(c, ptx, bytes, 0), "saxpy_f32", &f));
	MUST(sov_memory_alloc(c, sizeof(x), &gx));
	MUST(sov_memory_alloc(c, sizeof(y), &gy));
	MUST(sov_memory_copy(c, gx, SOV_HOST(x), sizeof(x)));
	MUST(sov_memory_copy(c, gy, SOV_HOST(y), sizeof(y)));
	MUST(launch(f, NULL, N / 256, 256, "4488", ARGUMENTS(&n, &a, &gx, &gy)));
	MUST(sov_memory_copy(c, SOV_HOST(z), gy, sizeof(z)));
	for (i = 0; i < N; i++)
		wrong += z[i] != 2 * x[i] + 1;
	ok(!wrong, "saxpy of a million elements has no wrong result: %u wrong", wrong);
	free(ptx);
}

static void test_no_nvidia_library(void)
{
	char line[512];
	uint32_t found = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, ".so") && (strstr(line, "nvidia") || strstr(line, "cuda"))) {
			diag("%s", line);
			found++;
		}
	ok(f && !found, "no library of NVIDIA's is mapped into the process");
	if (f)
		fclose(f);
}

/* ---- kernels that fault ---- */

#define KERNEL(name, body) \
	PTX_HEADER ".visible .entry " name "(.param .u64 p) {\n" \
		   "	.reg .pred %p<4>;\n	.reg .b32 %r<8>;\n	.reg .b64 %a<8>;\n" \
		   "	.shared .b32 own[32];\n" \
		   "	ld.param.u64 %a1, [p];\n	cvta.to.global.u64 %a2, %a1;\n" body \
		   "	ret;\n}\n"

static const struct fault_test {
	const char *name, *ptx, *cause;
	uint64_t p; /* 0: a valid allocation */
} fault_tests[] = {
	{"store_nowhere", KERNEL("store_nowhere", "	st.global.u32 [%a2], 1;\n"), "not mapped",
	 UINT64_C(0x700000000000)},
	{"load_nowhere",
	 KERNEL("load_nowhere",
		"	ld.global.u32 %r1, [%a2+64];\n	st.global.u32 [%a2], %r1;\n"),
	 "not mapped", UINT64_C(0x4000)},
	{"run_over", KERNEL("run_over", "	st.global.u32 [%a2+65536], 1;\n"), "not mapped", 0},
	{"misaligned", KERNEL("misaligned", "	st.global.u32 [%a2+2], 1;\n"), "aligned", 0},
	{"trapped", KERNEL("trapped", "	st.global.u32 [%a2], 1;\n	trap;\n"), "trap", 0},
	{"shared_overrun",
	 KERNEL("shared_overrun", "	ld.global.u32 %r1, [%a2];\n	add.u32 %r1, %r1, 300000;\n"
				  "	st.shared.u32 [%r1], 1;\n	ld.shared.u32 %r2, [own];\n"
				  "	st.global.u32 [%a2], %r2;\n"),
	 "outside", 0},
};

static void test_fault(const char *name, sov_context c, sov_function f, const char *cause,
		       uint64_t p, sov_context bystander)
{
	sov_fault fault = SOV_INIT(sov_fault);
	double start, reported;
	sov_context fresh;
	sov_ptr memory;
	sov_result r;

	MUST(sov_memory_alloc(c, 4096, &memory));
	MUST(sov_memory_fill(c, memory, 0, 4, 1024));
	MUST(sov_context_wait(c, SECOND));
	p = p ? p : memory;
	start = now_ms();
	MUST(launch(f, NULL, 1, 1, "8", ARGUMENTS(&p)));
	r = sov_context_wait(c, 8 * SECOND);
	reported = now_ms() - start;
	refused(r, SOV_ERROR_FAULT, cause, name);
	ok(reported < 500, "%s: the fault is reported after %.0f ms", name, reported);
	diag("%s", sov_last_error());
	if (!sov_context_get_fault(c, &fault))
		diag("kernel '%s' cause '%s' address 0x%llx pc 0x%llx: %s", fault.kernel,
		     fault.cause, (unsigned long long)fault.address, (unsigned long long)fault.pc,
		     fault.instruction);
	ok(!strcmp(fault.kernel, name), "%s: the fault names the kernel", name);
	ok(context_works(bystander), "%s: another context still works", name);
	fresh = context_new(0);
	ok(context_works(fresh), "%s: a new context works", name);
	MUST(sov_context_destroy(fresh));
	good(sov_context_reset(c), "a context can be reset after a fault");
	ok(context_works(c), "%s: the context works after the reset", name);
	MUST(sov_context_destroy(c));
}

/* Replaces the first EXIT of the image by an opcode that does not exist. */
static void test_illegal_instruction(const char *path, sov_context bystander)
{
	sov_context c = context_new(0);
	size_t bytes, i;
	char *image = read_file(path, &bytes);
	uint64_t word = 0;
	sov_function f;

	for (i = 0; i + 16 <= bytes && (word & 0xffff) != 0x794d; i += 16)
		memcpy(&word, image + i, 8);
	word = UINT64_C(0x7fff);
	memcpy(image + i - 16, &word, 8);
	MUST(sov_module_get_function(module_from(c, image, bytes, 0), "broken", &f));
	test_fault("broken", c, f, "illegal instruction", 0, bystander);
	free(image);
}

static void test_faults(sov_context bystander)
{
	uint32_t i;

	for (i = 0; i < COUNT(fault_tests); i++) {
		sov_context c = context_new(0);

		test_fault(fault_tests[i].name, c,
			   function_of(c, fault_tests[i].ptx, fault_tests[i].name),
			   fault_tests[i].cause, fault_tests[i].p, bystander);
	}
}

/* ---- long kernels ---- */

/* Blocks of 128 threads that run for some microseconds each; *p counts them. */
static const char ptx_long[] =
	PTX_HEADER ".visible .entry count(.param .u64 p, .param .u32 rounds) {\n"
		   "	.reg .pred %p<2>;\n	.reg .b32 %r<6>;\n	.reg .b64 %a<3>;\n"
		   "	ld.param.u64 %a1, [p];\n	cvta.to.global.u64 %a2, %a1;\n"
		   "	ld.param.u32 %r1, [rounds];\n	mov.u32 %r2, %tid.x;\n"
		   "again:\n	mad.lo.u32 %r2, %r2, %r2, %r1;\n	sub.u32 %r1, %r1, 1;\n"
		   "	setp.ne.u32 %p1, %r1, 0;\n	@%p1 bra again;\n"
		   "	mov.u32 %r3, %tid.x;\n	setp.ne.u32 %p1, %r3, 0;\n"
		   "	setp.ne.and.u32 %p1, %r2, 12345, %p1;\n	@%p1 bra end;\n"
		   "	red.global.add.u32 [%a2], 1;\nend:\n	ret;\n}\n";

struct counting {
	sov_context context;
	sov_function function;
	sov_ptr p;
	uint32_t blocks;
};

static void counting_start(struct counting *k, sov_context c, double ms)
{
	uint32_t rounds = getenv("SOV_SOFT") ? 10 : 10000;
	double start;

	k->context = c;
	k->function = function_of(c, ptx_long, "count");
	MUST(sov_memory_alloc(c, 4, &k->p));
	MUST(sov_memory_fill(c, k->p, 0, 4, 1));
	MUST(sov_context_wait(c, SECOND));
	/* Ten thousand blocks calibrate the number of blocks that takes the given time. */
	start = now_ms();
	MUST(launch(k->function, NULL, 10000, 128, "84", ARGUMENTS(&k->p, &rounds)));
	MUST(sov_context_wait(c, 20 * SECOND));
	k->blocks = (uint32_t)(10000 * ms / (now_ms() - start));
	MUST(launch(k->function, NULL, k->blocks, 128, "84", ARGUMENTS(&k->p, &rounds)));
}

static void counting_end(struct counting *k, const char *name)
{
	uint32_t got = 0;

	good(sov_context_wait(k->context, 60 * SECOND), name);
	MUST(sov_memory_copy(k->context, SOV_HOST(&got), k->p, 4));
	ok(got == k->blocks + 10000, "%s: all %u blocks ran", name, k->blocks + 10000);
}

static void test_concurrent_process(const char *self, sov_context c)
{
	struct counting k;
	char command[512];
	double start;
	int status;

	snprintf(command, sizeof(command), "exec '%s' first >/dev/null", self);
	counting_start(&k, c, 3000);
	start = now_ms();
	status = system(command);
	ok(!status && now_ms() - start < 500,
	   "another process gets a result while a grid of short blocks runs, after %.0f ms",
	   now_ms() - start);
	ok(sov_context_wait(c, 0) == SOV_NOT_READY,
	   "the grid of short blocks still runs after the other process has ended");
	counting_end(&k, "a long grid completes after another process has used the GPU");
}

/* ---- infinite kernels ---- */

static void test_infinite_kernel(const char *name, const char *ptx, sov_context bystander)
{
	sov_context c = context_new(SECOND / 5);
	sov_function f = function_of(c, ptx, name);
	struct counting k;
	double start, reported;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4096, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 1024));
	MUST(sov_context_wait(c, SECOND));
	counting_start(&k, bystander, 500);
	start = now_ms();
	MUST(launch(f, NULL, 1, 32, "8", ARGUMENTS(&p)));
	refused(sov_context_wait(c, 20 * SECOND), SOV_ERROR_HANG, name, name);
	reported = now_ms() - start;
	ok(reported < 700,
	   "%s: the hang is reported and the queue group stopped after %.0f ms (limit 200)", name,
	   reported);
	counting_end(&k, "a grid of another context survives the hang");
	ok(context_works(bystander), "%s: another context still works", name);
	start = now_ms();
	good(sov_context_reset(c), "a context can be reset after a hang");
	ok(context_works(c), "%s: the context works after the reset (%.0f ms)", name,
	   now_ms() - start);
	MUST(sov_context_destroy(c));
}

static const char ptx_polls[] =
	KERNEL("polls", "again:\n	ld.volatile.global.u32 %r1, [%a2];\n"
			"	setp.ne.u32 %p1, %r1, 12345;\n	@%p1 bra again;\n");
static const char ptx_spins[] =
	KERNEL("spins", "	mov.u32 %r1, 1;\nagain:\n	mad.lo.u32 %r1, %r1, %r1, %r1;\n"
			"	setp.ne.u32 %p1, %r1, 12345;\n	@%p1 bra again;\n"
			"	st.global.u32 [%a2], %r1;\n");

/* ---- leaks ---- */

static uint32_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	uint32_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static long resident_kib(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * 4;
}

static void test_context_leaks(sov_context bystander, uint32_t count)
{
	uint64_t before, after;
	uint32_t i, working = 0, files = 0;
	long resident = 0;
	double start = 0;

	for (i = 0; i < count + 10; i++) {
		sov_context c;

		if (i == 10) { /* everything that is allocated once has been */
			MUST(sov_memory_info(bystander, &before, NULL));
			files = open_files();
			resident = resident_kib();
			start = now_ms();
		}
		c = context_new(0);
		if (i % 100 == 0)
			working += context_works(c);
		MUST(sov_context_destroy(c));
	}
	MUST(sov_memory_info(bystander, &after, NULL));
	ok(working == (count + 109) / 100, "%u contexts are created and destroyed, %.2f ms each",
	   count, (now_ms() - start) / count);
	ok(open_files() == files, "no file is left open after a thousand contexts (%u, then %u)",
	   files, open_files());
	ok(after >= before,
	   "no video memory is left allocated after a thousand contexts (%lld bytes fewer)",
	   (long long)(before - after));
	ok(resident_kib() < resident + 4096,
	   "no host memory is left allocated after a thousand contexts (%ld KiB, then %ld)",
	   resident, resident_kib());
}

static void first_result(double start)
{
	double opened = now_ms(), made, right;
	sov_context c;
	bool correct;

	c = context_new(0);
	made = now_ms();
	correct = context_works(c);
	right = now_ms();
	ok(correct, "first result after %.1f ms: devices %.1f, context %.1f, kernel %.1f",
	   right - start, opened - start, made - opened, right - made);
}

int main(int argc, char **argv)
{
	double start = now_ms();
	sov_device_requirements wish = SOV_INIT(sov_device_requirements);
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_context bystander;

	wish.features_excluded = getenv("SOV_SOFT") ? 0 : SOV_FEATURE_SOFTWARE;
	MUST(sov_device_open_matching(&wish, &gpu));
	if (argc > 1 && !strcmp(argv[1], "first")) {
		first_result(start);
		return tap_done();
	}
	MUST(sov_device_get_properties(gpu, &p));
	diag("%s, %s, by %s", p.name, p.product, p.winsys);
	if (argc > 2)
		saxpy_path = argv[2];
	bystander = context_new(0);
	test_saxpy(bystander);
	test_no_nvidia_library();
	ok(context_works(bystander), "a small kernel computes the right result");
	test_faults(bystander);
	if (argc > 1)
		test_illegal_instruction(argv[1], bystander);
	test_concurrent_process(argv[0], bystander);
	test_infinite_kernel("polls", ptx_polls, bystander);
	test_infinite_kernel("spins", ptx_spins, bystander);
	test_context_leaks(bystander, 1000);
	good(sov_context_status(bystander),
	     "a context that never faulted reports no error at the end");
	MUST(sov_context_destroy(bystander));
	return tap_done();
}
