// SPDX-License-Identifier: MIT
/*
 * User-mode queues against submission by ioctl: an empty kernel on sovgpu.ko, with the ring and the
 * doorbell mapped into the process (SOV_KMOD=1), and with one ioctl per launch (SOV_KMOD=ioctl).
 * Medians of the launch alone, in bursts, and of launch and wait; then their ratios. A child
 * process measures each mode. Without a device of sovgpu.ko the program prints a line and measures
 * nothing. In a virtual machine only the ratios mean something, and nothing about a real card.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/_bench.h"

enum { ROUNDS = 60, BURST = 16, MODES = 2 };

static const char *const modes[MODES] = {"1", "ioctl"};
static const char empty[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			    ".visible .entry empty(.param .u64 x)\n{\n\tret;\n}\n";

struct medians {
	uint64_t launch, wait; /* ns */
};

static bool measure(struct medians *out)
{
	static uint64_t launch[ROUNDS], wait[ROUNDS];
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_launch l = SOV_INIT(sov_launch);
	uint64_t argument = 0, from;
	const void *arguments[] = {&argument};
	sov_context c;
	sov_module m;
	sov_function f;
	sov_device d;

	MUST(sov_device_open(0, &d));
	MUST(sov_device_get_properties(d, &p));
	if (strcmp(p.winsys, "kmod"))
		return false;
	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_module_load(c, empty, sizeof(empty) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "empty", &f));
	for (int i = 0; i < 3; i++)
		l.grid[i] = l.block[i] = 1;
	l.arguments = arguments;
	l.argument_count = 1;
	for (int k = 0; k < ROUNDS; k++) {
		from = now_ns();
		for (int i = 0; i < BURST; i++)
			MUST(sov_function_launch(f, &l));
		launch[k] = (now_ns() - from) / BURST;
		MUST(sov_context_wait(c, SOV_FOREVER));
		from = now_ns();
		MUST(sov_function_launch(f, &l));
		MUST(sov_context_wait(c, SOV_FOREVER));
		wait[k] = now_ns() - from;
	}
	qsort(launch, ROUNDS, sizeof(*launch), compare_times);
	qsort(wait, ROUNDS, sizeof(*wait), compare_times);
	*out = (struct medians){launch[ROUNDS / 2], wait[ROUNDS / 2]};
	MUST(sov_context_destroy(c));
	return true;
}

/* Measures in a child process, because libsov reads the environment once. */
static bool measure_mode(const char *mode, struct medians *out)
{
	int result_pipe[2];
	bool good;

	if (pipe(result_pipe))
		return false;
	fflush(stdout);
	pid_t child = fork();

	if (!child) {
		struct medians m;

		setenv("SOV_KMOD", mode, 1);
		_exit(!measure(&m) || write(result_pipe[1], &m, sizeof(m)) != sizeof(m));
	}
	close(result_pipe[1]);
	good = child > 0 && read(result_pipe[0], out, sizeof(*out)) == sizeof(*out);
	close(result_pipe[0]);
	waitpid(child, NULL, 0);
	return good;
}

int main(void)
{
	struct medians m[MODES];

	for (int i = 0; i < MODES; i++) {
		if (!measure_mode(modes[i], &m[i])) {
			printf("queues: no device of sovgpu.ko, nothing is measured\n");
			return 0;
		}
		printf("queues: SOV_KMOD=%-5s a launch %8.1f us, launch and wait %8.1f us\n",
		       modes[i], (double)m[i].launch / 1000, (double)m[i].wait / 1000);
	}
	printf("queues: ratio ioctl/mapped: a launch %.2f, launch and wait %.2f\n",
	       (double)m[1].launch / (double)m[0].launch, (double)m[1].wait / (double)m[0].wait);
	return 0;
}
