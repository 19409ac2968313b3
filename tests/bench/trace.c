// SPDX-License-Identifier: MIT
/*
 * Overhead of tracing: nanoseconds of sov_function_launch and microseconds of an empty kernel on
 * the GPU, without and with SOV_TRACE, on the first device. A child process measures each. The sum
 * of the trace's kernel times can be compared with the time between two events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/_bench.h"

enum { ROUNDS = 200, BURST = 100 };

static const char empty[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			    ".visible .entry empty(.param .u64 x)\n{\n\tret;\n}\n";

static void measure(const char *mode)
{
	static uint64_t cpu[ROUNDS], gpu[ROUNDS];
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_launch l = SOV_INIT(sov_launch);
	uint64_t argument = 0, from;
	const void *arguments[] = {&argument};
	sov_event begin, end;
	sov_context c;
	sov_module m;
	sov_function f;
	sov_stream s;
	sov_device d;

	MUST(sov_device_open(0, &d));
	MUST(sov_device_get_properties(d, &p));
	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_context_get_stream(c, &s));
	MUST(sov_module_load(c, empty, sizeof(empty) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "empty", &f));
	MUST(sov_event_create(c, 0, &begin));
	MUST(sov_event_create(c, 0, &end));
	for (int i = 0; i < 3; i++)
		l.grid[i] = l.block[i] = 1;
	l.arguments = arguments;
	l.argument_count = 1;
	for (int k = 0; k < ROUNDS; k++) {
		MUST(sov_event_record(begin, s));
		from = now_ns();
		for (int i = 0; i < BURST; i++)
			MUST(sov_function_launch(f, &l));
		cpu[k] = (now_ns() - from) / BURST;
		MUST(sov_event_record(end, s));
		MUST(sov_event_wait(end, SOV_FOREVER));
		MUST(sov_event_elapsed(begin, end, &gpu[k]));
	}
	qsort(cpu, ROUNDS, sizeof(*cpu), compare_times);
	qsort(gpu, ROUNDS, sizeof(*gpu), compare_times);
	printf("trace: %-14s on %s by %s: CPU time of a launch %5llu ns, minimum %5llu; GPU time "
	       "of a kernel, of %d in a row, %.3f us\n",
	       mode, p.name, p.winsys, (unsigned long long)cpu[ROUNDS / 2],
	       (unsigned long long)cpu[0], BURST, (double)gpu[ROUNDS / 2] / BURST / 1000);
	MUST(sov_context_destroy(c));
}

int main(int argc, char **argv)
{
	const char *file = argc > 1 ? argv[1] : "/tmp/sov-bench-trace.json";
	int status = 0, worst = 0;

	for (int traced = 0; traced < 2; traced++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child) {
			if (traced)
				setenv("SOV_TRACE", file, 1);
			measure(traced ? "with a trace" : "without a trace");
			exit(0);
		}
		waitpid(child, &status, 0);
		worst |= status;
	}
	printf("trace: %s; sov trace --read sums it up\n", file);
	return worst != 0;
}
