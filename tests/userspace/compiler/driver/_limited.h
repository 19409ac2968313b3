/* SPDX-License-Identifier: MIT */
/* Compilation in a process with limits of its own. */
#ifndef TESTS_COMPILER_DRIVER_LIMITED_H
#define TESTS_COMPILER_DRIVER_LIMITED_H

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libsov/compiler/driver/compiler.h"

#define LIMITED_TOO_LARGE 2 /* exit status: the process took twice the memory of one unit */

/* verify: after every pass and stage. Returns the exit status, or minus the signal. */
static inline int compile_limited(const char *text, size_t size, const char *target,
				  size_t memory_bytes, uint32_t cpu_seconds, bool verify)
{
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (!child) {
		struct compile_options o = {.target = target,
					    .threads = 1,
					    .memory_limit = memory_bytes,
					    .verify = verify};
		struct rlimit cpu = {cpu_seconds, cpu_seconds};
		struct compile_result r;

		setrlimit(RLIMIT_CPU, &cpu);
		if (!compile(text, size, &o, &r)) {
			fprintf(stderr, "# %s", r.messages);
			_exit(1);
		}
		_exit(0);
	}
	wait4(child, &status, 0, &usage);
	if (WIFSIGNALED(status))
		return -WTERMSIG(status);
	if (!WEXITSTATUS(status) && (size_t)usage.ru_maxrss > 2 * memory_bytes / 1024)
		return LIMITED_TOO_LARGE;
	return WEXITSTATUS(status);
}

#endif
