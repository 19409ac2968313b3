/* SPDX-License-Identifier: MIT */
/*
 * What it costs that a process writes its queues itself, or does not: an empty kernel by sovgpu.ko, where the ring and the doorbell
 * are the process's (SOV_KMOD=1), and where each launch is a call (SOV_KMOD=ioctl). Medians of the launch alone, in bursts, and of
 * launch and wait; then what the second way takes of the first. The program runs itself for each. Without a card
 * of ours it says so. In a virtual machine the figures say something of each other, and nothing of a real card.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/bench/_bench.h"

enum { ROUNDS = 60, BURST = 16, WAYS = 2 };

static const char *const ways[WAYS] = {"1", "calls"};
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
		from = now();
		for (int i = 0; i < BURST; i++)
			MUST(sov_function_launch(f, &l));
		launch[k] = (now() - from) / BURST;
		MUST(sov_context_wait(c, SOV_MAX_WAIT));
		from = now();
		MUST(sov_function_launch(f, &l));
		MUST(sov_context_wait(c, SOV_MAX_WAIT));
		wait[k] = now() - from;
	}
	qsort(launch, ROUNDS, sizeof(*launch), compare);
	qsort(wait, ROUNDS, sizeof(*wait), compare);
	*out = (struct medians){launch[ROUNDS / 2], wait[ROUNDS / 2]};
	MUST(sov_context_destroy(c));
	return true;
}

/* In a process of its own, because the environment is looked at once. */
static bool measure_way(const char *way, struct medians *out)
{
	int tell[2];
	bool good;

	if (pipe(tell))
		return false;
	fflush(stdout);
	pid_t child = fork();

	if (!child) {
		struct medians m;

		setenv("SOV_KMOD", way, 1);
		_exit(!measure(&m) || write(tell[1], &m, sizeof(m)) != sizeof(m));
	}
	close(tell[1]);
	good = child > 0 && read(tell[0], out, sizeof(*out)) == sizeof(*out);
	close(tell[0]);
	waitpid(child, NULL, 0);
	return good;
}

int main(void)
{
	struct medians m[WAYS];

	for (int i = 0; i < WAYS; i++) {
		if (!measure_way(ways[i], &m[i])) {
			printf("queues: no device by sovgpu.ko, nothing is measured\n");
			return 0;
		}
		printf("queues: SOV_KMOD=%-5s a launch %8.1f us, launch and wait %8.1f us\n",
		       ways[i], (double)m[i].launch / 1000, (double)m[i].wait / 1000);
	}
	printf("queues: by calls a launch takes %.2f times as long, launch and wait %.2f times\n",
	       (double)m[1].launch / (double)m[0].launch, (double)m[1].wait / (double)m[0].wait);
	return 0;
}
