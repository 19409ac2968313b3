// SPDX-License-Identifier: MIT
/*
 * Looks for lost doorbells. Several processes launch kernels that saturate video memory and wait
 * for each. A long wait rings the doorbell a second time, to arm its interrupt, while the kernel
 * still moves memory. If the GPU misses a doorbell, the submission stays in the ring until the
 * next one: the wait times out, and a wait after it succeeds immediately.
 *
 *   doorbells [SECONDS [PROCESSES]]     (10, 2)
 *
 * Exit status 0: no wait timed out; 1: some did; 2: the test could not run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libsov/sov.h"

#define BYTES (UINT64_C(1) << 28)
#define LIMIT UINT64_C(1000000000)

/* Grid-stride copy, 16 bytes per thread and iteration. */
static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry move(.param .u64 to, .param .u64 from, .param .u32 times) {\n"
	"	.reg .b64 %t, %f, %l, %s;\n	.reg .b32 %i, %n, %g, %a, %b, %c, %d;\n	.reg .pred "
	"%p;\n"
	"	ld.param.u64 %t, [to];\n	ld.param.u64 %f, [from];\n	ld.param.u32 %n, "
	"[times];\n"
	"	mov.u32 %i, %ctaid.x;\n	mov.u32 %g, %ntid.x;\n	mov.u32 %a, %tid.x;\n	mad.lo.u32 "
	"%i, %i, %g, %a;\n"
	"	mov.u32 %a, %nctaid.x;\n	mul.lo.u32 %g, %g, %a;\n	mul.wide.u32 %s, "
	"%g, 16;\n	mul.wide.u32 %l, %i, 16;\n"
	"	add.s64 %t, %t, %l;\n	add.s64 %f, %f, %l;\n"
	"again:\n	ld.global.v4.u32 {%a, %b, %c, %d}, [%f];\n	st.global.v4.u32 [%t], "
	"{%a, %b, %c, %d};\n"
	"	add.s64 %t, %t, %s;\n	add.s64 %f, %f, %s;\n	sub.u32 %n, %n, 1;\n	"
	"setp.ne.u32 %p, %n, 0;\n	@%p bra again;\n	ret;\n}\n";

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int copy_and_wait(unsigned seed, uint64_t seconds)
{
	enum { BLOCKS = 528, THREADS = 256 };
	const uint32_t max_times = (uint32_t)(BYTES / (BLOCKS * THREADS * 16));
	uint64_t until = now_ms() + 1000 * seconds, waits = 0, timeouts = 0;
	sov_context context;
	sov_device device;
	sov_module module;
	sov_function move;
	sov_ptr to, from;

	must(sov_device_open(0, &device), "open");
	must(sov_context_create(device, NULL, &context), "context");
	must(sov_module_load(context, ptx, strlen(ptx), NULL, &module), "load");
	must(sov_module_get_function(module, "move", &move), "function");
	must(sov_memory_alloc(context, BYTES, &to), "memory");
	must(sov_memory_alloc(context, BYTES, &from), "memory");
	while (now_ms() < until) {
		uint32_t times = 1 + (uint32_t)rand_r(&seed) % max_times;
		const void *arguments[] = {&to, &from, &times};
		sov_launch l = {.size = sizeof(l),
				.grid = {BLOCKS, 1, 1},
				.block = {THREADS, 1, 1},
				.arguments = arguments,
				.argument_count = 3};
		sov_result r;

		must(sov_function_launch(move, &l), "launch");
		r = sov_context_wait(context, LIMIT);
		waits++;
		if (r != SOV_ERROR_TIMEOUT)
			must(r, "wait");
		else
			timeouts++;
		if (r)
			must(sov_context_wait(context, 10 * LIMIT), "wait again");
	}
	must(sov_context_destroy(context), "destroying the context");
	printf("%llu waits, %llu timed out\n", (unsigned long long)waits,
	       (unsigned long long)timeouts);
	return timeouts > 0;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 0) : 10;
	int processes = argc > 2 ? atoi(argv[2]) : 2, status, worst = 0;

	for (int i = 0; i < processes; i++) {
		pid_t child = fork();

		if (child < 0)
			return 2;
		if (!child)
			exit(copy_and_wait((unsigned)getpid(), seconds));
	}
	while (wait(&status) > 0)
		if (!WIFEXITED(status))
			worst = 2;
		else if (WEXITSTATUS(status) > worst)
			worst = WEXITSTATUS(status);
	return worst;
}
