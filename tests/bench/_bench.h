/* SPDX-License-Identifier: MIT */
/* Shared by the library's benchmarks: checked calls, a clock, a comparison function. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "libsov/sov.h"

static void must(sov_result r, const char *call)
{
	if (!r)
		return;
	fprintf(stderr, "%s: %s: %s\n", call, sov_result_name(r), sov_last_error());
	exit(1);
}
#define MUST(call) must(call, #call)

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

#endif
