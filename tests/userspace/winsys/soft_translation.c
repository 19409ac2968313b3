// SPDX-License-Identifier: MIT
/*
 * Software NVIDIA GPUs translate code for the host by default: sov_device_properties says so, and
 * generated code appears in the process's mappings, none of which is both writable and executable,
 * and disappears with the context. Modes that check or count each instruction, and a host that
 * refuses the memory, interpret.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "libsov/sov.h"
#include "model/translate/emit.h"
#include "tests/soft.h"
#include "tests/tap.h"

#define THREADS 256u
#define LOOPS   64u

/* out[i] = 3 * i * LOOPS: a loop, so that its code is worth translating. */
static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
			  ".visible .entry sums(.param .u64 out)\n{\n"
			  "\t.reg .b32 %r<6>;\n\t.reg .b64 %d<4>;\n\t.reg .pred %p;\n"
			  "\tld.param.u64 %d1, [out];\n\tmov.u32 %r1, %tid.x;\n"
			  "\tmul.wide.u32 %d2, %r1, 4;\n\tadd.s64 %d1, %d1, %d2;\n"
			  "\tmov.u32 %r2, 0;\n\tmov.u32 %r3, 0;\n"
			  "again:\n\tld.global.u32 %r4, [%d1];\n\tmad.lo.u32 %r4, %r1, 3, %r4;\n"
			  "\tst.global.u32 [%d1], %r4;\n\tadd.u32 %r2, %r2, 1;\n"
			  "\tsetp.lt.u32 %p, %r2, 64;\n\t@%p bra again;\n\tret;\n}\n";

static bool must(sov_result r, const char *doing)
{
	if (r)
		diag("%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

/* Mappings of generated code: how many can be executed, and how many both executed and written. */
static void count_mappings(unsigned *executable, unsigned *both)
{
	char line[512], rights[5];
	FILE *f = fopen("/proc/self/maps", "r");

	*executable = *both = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "memfd:sov-code") || sscanf(line, "%*s %4s", rights) != 1)
			continue;
		*executable += rights[2] == 'x';
		*both += rights[1] == 'w' && rights[2] == 'x';
	}
	if (f)
		fclose(f);
}

static bool run_sums(sov_context c)
{
	uint32_t out[THREADS] = {0};
	sov_module m = NULL;
	sov_function f;
	sov_ptr memory;
	const void *arguments[] = {&memory};
	sov_launch l = SOV_INIT(sov_launch);
	bool good;

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = THREADS;
	l.arguments = arguments;
	l.argument_count = 1;
	good = must(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m), "loading") &&
	       must(sov_module_get_function(m, "sums", &f), "the function") &&
	       must(sov_memory_alloc(c, sizeof(out), &memory), "memory") &&
	       must(sov_memory_copy(c, memory, SOV_HOST(out), sizeof(out)), "zeros") &&
	       must(sov_function_launch(f, &l), "the launch") &&
	       must(sov_context_wait(c, SOV_FOREVER), "waiting") &&
	       must(sov_memory_copy(c, SOV_HOST(out), memory, sizeof(out)), "results");
	for (uint32_t i = 0; good && i < THREADS; i++)
		good = out[i] == 3 * i * LOOPS;
	return good;
}

/* What is expected of a process; status 0: all of it. */
enum { WRONG_DRIVER = 1, WRONG_RESULT = 2, WRONG_MAPPINGS = 4, WRITABLE_CODE = 8, CODE_LEFT = 16 };

static int run_process(const char *driver, bool translates)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	unsigned executable, both;
	sov_context c = NULL;
	sov_device d;
	int status = 0;

	if (!must(sov_device_open(0, &d), "opening") ||
	    !must(sov_device_get_properties(d, &p), "the properties") ||
	    !must(sov_context_create(d, NULL, &c), "a context"))
		return 64;
	if (!strstr(p.driver, driver)) {
		diag("the driver is '%s', not '... %s'", p.driver, driver);
		status |= WRONG_DRIVER;
	}
	status |= run_sums(c) ? 0 : WRONG_RESULT;
	count_mappings(&executable, &both);
	status |= (executable != 0) == translates ? 0 : WRONG_MAPPINGS;
	status |= both ? WRITABLE_CODE : 0;
	sov_context_destroy(c);
	count_mappings(&executable, &both);
	return status | (executable ? CODE_LEFT : 0);
}

/* Executable memory is refused, as by a kernel that is configured so. */
static bool refuse_executable_memory(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4 /* PROT_EXEC */, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const struct test {
	const char *name, *soft, *variable, *value;
	enum emit_isa limit; /* EMIT_NONE: interprets */
	bool refused;
} tests[] = {
	{"by default", "gh100:vram=64M", NULL, NULL, EMIT_AVX512, false},
	{"on ga102", "ga102:vram=64M", NULL, NULL, EMIT_AVX512, false},
	{"with SOV_SOFT_TRANSLATE=avx2", "gh100:vram=64M", "SOV_SOFT_TRANSLATE", "avx2", EMIT_AVX2,
	 false},
	{"with SOV_SOFT_TRANSLATE=0", "gh100:vram=64M", "SOV_SOFT_TRANSLATE", "0", EMIT_NONE,
	 false},
	{"in hazard mode", "gh100:vram=64M:hazard", NULL, NULL, EMIT_NONE, false},
	{"in weak memory mode", "gh100:vram=64M:weak=1", NULL, NULL, EMIT_NONE, false},
	{"with SOV_SEED", "gh100:vram=64M", "SOV_SEED", "5", EMIT_NONE, false},
	{"with SOV_CHECK", "gh100:vram=64M", "SOV_CHECK", "memory", EMIT_AVX512, false},
	{"where executable memory is refused", "gh100:vram=64M", NULL, NULL, EMIT_NONE, true},
};

int main(void)
{
	static const char *const drivers[] = {[EMIT_NONE] = ", interpreting",
					      [EMIT_AVX2] = ", translating to AVX2",
					      [EMIT_AVX512] = ", translating to AVX-512"};

	unsetenv("SOV_VISIBLE_DEVICES");
	unsetenv("SOV_SOFT_TRANSLATE");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		const struct test *t = &tests[i];
		enum emit_isa isa = emit_isa_of_host(t->limit);
		int status = 0;
		pid_t child;

		fflush(NULL);
		child = fork();
		if (!child) {
			if (t->variable)
				setenv(t->variable, t->value, 1);
			soft_gpus(t->soft);
			if (t->refused && !refuse_executable_memory())
				_exit(77);
			_exit(run_process(drivers[isa], isa != EMIT_NONE));
		}
		if (child < 0 || waitpid(child, &status, 0) != child)
			status = -1;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			ok(true, "code %s # SKIP no seccomp filters here", t->name);
			continue;
		}
		if (!ok(!status, "code is %s %s, and the driver's name and mappings agree",
			isa == EMIT_NONE ? "interpreted" : "translated", t->name))
			diag("exit status 0x%x (a sum of WRONG_...)", (unsigned)status);
	}
	return tap_done();
}
