/* SPDX-License-Identifier: MIT */
/*
 * What each way to copy costs, by size: the figures behind the table of choices in libsov/copy.c.
 *
 *   bench_ways [--small]
 *
 * Every time is from the call until the stream has done the work, a median; "-" where a way cannot.
 * Runs on the first device; --small is for a software GPU.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime.h"

enum { SAMPLES = 2001, TIME_LIMIT = 200 };

static struct stream *stream;
static sov_context context;
static sov_ptr near[2];
static uint8_t *pinned, *pageable;
static uint32_t samples = SAMPLES;

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

static sov_result in_inline(uint64_t n, uint64_t *number)
{
	return way_inline(stream, near[0], pageable, (uint32_t)n, number);
}
static sov_result in_kernel(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_KERNEL, near[0], SOV_HOST(pinned), n, number);
}
static sov_result in_engine(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_ENGINE, near[0], SOV_HOST(pinned), n, number);
}
static sov_result out_kernel(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_KERNEL, SOV_HOST(pinned), near[0], n, number);
}
static sov_result out_engine(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_ENGINE, SOV_HOST(pinned), near[0], n, number);
}
static sov_result across_kernel(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_KERNEL, near[1], near[0], n, number);
}
static sov_result across_engine(uint64_t n, uint64_t *number)
{
	return way_copy(stream, WAY_ENGINE, near[1], near[0], n, number);
}
static sov_result fill_kernel(uint64_t n, uint64_t *number)
{
	return way_fill(stream, WAY_KERNEL, near[0], 0x1234567, 4, n, number);
}
static sov_result fill_engine(uint64_t n, uint64_t *number)
{
	return way_fill(stream, WAY_ENGINE, near[0], 0x1234567, 4, n, number);
}

static const struct {
	const char *name;
	sov_result (*go)(uint64_t n, uint64_t *number);
	uint64_t most;
} ways[] = {
	{"in: methods", in_inline, NV_PUSH_INLINE_MAX}, {"in: kernel", in_kernel, 16 << 20},
	{"in: engine", in_engine, UINT64_MAX},		{"out: kernel", out_kernel, 16 << 20},
	{"out: engine", out_engine, UINT64_MAX},	{"across: kernel", across_kernel, UINT64_MAX},
	{"across: engine", across_engine, UINT64_MAX},	{"fill: kernel", fill_kernel, UINT64_MAX},
	{"fill: engine", fill_engine, UINT64_MAX},
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double median(sov_result (*go)(uint64_t, uint64_t *), uint64_t bytes)
{
	static uint64_t times[SAMPLES];
	uint32_t n = bytes <= 1 << 20 ? samples : samples / 20 + 1, i;

	for (i = 0; i < n + 5; i++) {
		uint64_t number = 0, from = now_ns();

		must(go(bytes, &number), "copying");
		must(stream_wait_for(stream, number, SOV_MAX_WAIT), "waiting");
		times[i < 5 ? 0 : i - 5] = now_ns() - from;
	}
	qsort(times, n, sizeof(*times), by_value);
	return (double)times[n / 2] / 1e3;
}

int main(int argc, char **argv)
{
	static const uint64_t sizes[] = {4,	   256,	     1 << 10,	2 << 10,   4 << 10, 16 << 10,
					 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20};
	bool small = argc > 1 && !strcmp(argv[1], "--small");
	uint64_t largest = small ? 64 << 10 : 256 << 20;
	struct context *inside;
	sov_device device;
	size_t i, w;

	alarm(TIME_LIMIT);
	samples = small ? 5 : SAMPLES;
	must(sov_device_open(0, &device), "opening the device");
	must(sov_context_create(device, NULL, &context), "creating a context");
	must(sov_memory_alloc(context, largest, &near[0]), "allocating");
	must(sov_memory_alloc(context, largest, &near[1]), "allocating");
	must(sov_host_alloc(context, largest, (void **)&pinned), "allocating");
	pageable = calloc(1, largest);
	inside = object_get(context, OBJECT_CONTEXT);
	stream = stream_find(inside, NULL);
	for (i = 0; !small && i < 2000; i++) /* clocks rise with work */
		median(across_kernel, 16 << 20), i += samples / 20;
	printf("| us, median   |");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf(" %9llu |", (unsigned long long)sizes[i]);
	printf("\n|---|");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf("---|");
	for (w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		printf("\n| %-14s |", ways[w].name);
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++) {
			if (sizes[i] <= ways[w].most)
				printf(" %9.2f |", median(ways[w].go, sizes[i]));
			else
				printf(" %9s |", "-");
			fflush(stdout);
		}
	}
	printf("\n");
	object_put(&stream->member.object);
	object_put(&inside->object);
	free(pageable);
	must(sov_context_destroy(context), "destroying");
	return 0;
}
