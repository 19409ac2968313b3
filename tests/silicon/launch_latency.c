// SPDX-License-Identifier: MIT
/*
 * Latency of launches through the public API, in nanoseconds: a launch in a burst, one launch on an
 * idle stream, a launch and the wait for it; first in a context with one stream, then with two,
 * where a kernel releases its semaphore itself. Prints the six medians on one line;
 * launch_latency.sh compares two versions of the library with it.
 *   launch_latency [SAMPLES]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/sov.h"

#define BURST    50u
#define MAX_WAIT 5000000000ull
#define CHECK(call) \
	do { \
		if (call) { \
			fprintf(stderr, "launch_latency: %s\n", sov_last_error()); \
			exit(1); \
		} \
	} while (0)

static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry add(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	ld.global.u32 %x, [%p];\n"
	"	add.u32 %x, %x, %n;\n	st.global.u32 [%p], %x;\n	ret;\n}\n";

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *values, uint32_t count)
{
	qsort(values, count, sizeof(*values), compare_u64);
	return values[count / 2];
}

struct latency {
	sov_context context;
	sov_function add;
	sov_launch launch;
	uint32_t samples, launches;
	uint64_t *burst, *issue, *wait;
};

static void measure(struct latency *m)
{
	const sov_launch *l = &m->launch;
	uint64_t from;
	uint32_t i, k;

	for (k = 0; k < m->samples; k++) {
		from = now_ns();
		for (i = 0; i < BURST; i++)
			CHECK(sov_function_launch(m->add, l));
		m->burst[k] = (now_ns() - from) / BURST;
		CHECK(sov_context_wait(m->context, MAX_WAIT));
		from = now_ns();
		CHECK(sov_function_launch(m->add, l));
		m->issue[k] = now_ns() - from;
		CHECK(sov_context_wait(m->context, MAX_WAIT));
		from = now_ns();
		CHECK(sov_function_launch(m->add, l));
		CHECK(sov_context_wait(m->context, MAX_WAIT));
		m->wait[k] = now_ns() - from;
		m->launches += BURST + 2;
	}
	printf("%llu %llu %llu", (unsigned long long)median(m->burst, m->samples),
	       (unsigned long long)median(m->issue, m->samples),
	       (unsigned long long)median(m->wait, m->samples));
}

int main(int argc, char **argv)
{
	uint32_t samples = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 4000;
	struct latency m = {.launch = SOV_INIT(sov_launch), .samples = samples};
	uint32_t one = 1, sum = 0, i;
	sov_device device;
	sov_module module;
	sov_stream stream;
	sov_ptr p;
	const void *arguments[] = {&p, &one};

	m.burst = calloc(samples + 1ull, sizeof(*m.burst));
	m.issue = calloc(samples + 1ull, sizeof(*m.issue));
	m.wait = calloc(samples + 1ull, sizeof(*m.wait));
	if (!samples || !m.burst || !m.issue || !m.wait)
		return 1;
	CHECK(sov_device_open(0, &device));
	CHECK(sov_context_create(device, NULL, &m.context));
	CHECK(sov_module_load(m.context, ptx, strlen(ptx), NULL, &module));
	CHECK(sov_module_get_function(module, "add", &m.add));
	CHECK(sov_memory_alloc(m.context, sizeof(sum), &p));
	CHECK(sov_memory_copy(m.context, p, SOV_HOST(&sum), sizeof(sum)));
	for (i = 0; i < 3; i++)
		m.launch.grid[i] = m.launch.block[i] = 1;
	m.launch.arguments = arguments;
	m.launch.argument_count = 2;
	measure(&m);
	printf(" ");
	CHECK(sov_stream_create(m.context, 0, &stream));
	measure(&m);
	printf("\n");
	CHECK(sov_memory_copy(m.context, SOV_HOST(&sum), p, sizeof(sum)));
	if (sum != m.launches) {
		fprintf(stderr, "launch_latency: %u launches added up to %u\n", m.launches, sum);
		return 1;
	}
	sov_context_destroy(m.context);
	free(m.burst);
	free(m.issue);
	free(m.wait);
	return 0;
}
