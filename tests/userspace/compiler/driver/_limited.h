/* SPDX-License-Identifier: MIT */
/* Compilation in a process with limits of its own. */
#ifndef TESTS_COMPILER_DRIVER_LIMITED_H
#define TESTS_COMPILER_DRIVER_LIMITED_H

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libsov/compiler/driver/compiler.h"

/* Returns the exit status, or minus the signal. */
static inline int compile_limited(const char *text, size_t size, const char *target,
				  size_t memory_bytes, uint32_t cpu_seconds)
{
	int status;
	pid_t child = fork();

	if (!child) {
		struct compile_options o = {
			.target = target, .threads = 1, .memory_limit = memory_bytes};
		struct rlimit cpu = {cpu_seconds, cpu_seconds};
		struct compile_result r;

		setrlimit(RLIMIT_CPU, &cpu);
		if (!compile(text, size, &o, &r)) {
			fprintf(stderr, "# %s", r.messages);
			_exit(1);
		}
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
