// SPDX-License-Identifier: MIT
/*
 * Effect of stream priorities: two streams are kept busy for a while with kernels that fill the
 * GPU, and the kernels that each completed are counted, for every pair of priorities.
 *
 *   priorities [--small]
 *
 * Exit status 0: every kernel ran; the table is for the reader to judge. --small is for a software
 * GPU, where the host's thread scheduling matters more than priorities.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/sov.h"

static uint32_t blocks = 2112, iterations = 20000;
static uint64_t duration_ns = UINT64_C(1000000000);

/* Spins for n iterations; the last block increments the counter. */
static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry work(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x, %b, %c;\n	.reg .pred %q;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	mov.u32 %x, %clock;\n"
	"again:\n	mad.lo.u32 %x, %x, 1664525, 1013904223;\n	sub.u32 %n, %n, 1;\n"
	"	setp.ne.u32 %q, %n, 0;\n	@%q bra again;\n"
	"	st.global.u32 [%p+64], %x;\n"
	"	mov.u32 %b, %ctaid.x;\n	mov.u32 %c, %nctaid.x;\n	sub.u32 %c, %c, 1;\n"
	"	setp.ne.u32 %q, %b, %c;\n	@%q bra out;\n"
	"	mov.u32 %x, %tid.x;\n	setp.ne.u32 %q, %x, 0;\n	@%q bra out;\n"
	"	red.global.add.u32 [%p], 1;\n"
	"out:	ret;\n}\n";

static sov_context context;
static sov_function work;

struct load {
	sov_stream stream;
	sov_ptr counter;
	uint32_t launched, done;
	pthread_t thread;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

/* Keeps eight kernels queued, so that the GPU always has a choice. */
static void *keep_stream_busy(void *arg)
{
	struct load *s = arg;
	const void *arguments[] = {&s->counter, &iterations};
	sov_launch l = SOV_INIT(sov_launch);
	sov_event events[8];
	uint64_t end = now_ns() + duration_ns;
	uint32_t i;

	l.grid[0] = blocks;
	l.block[0] = 128;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.stream = s->stream;
	l.arguments = arguments;
	l.argument_count = 2;
	for (i = 0; i < 8; i++)
		must(sov_event_create(context, SOV_EVENT_DISABLE_TIMING, &events[i]), "an event");
	for (i = 0; now_ns() < end; i++) {
		if (i >= 8) {
			must(sov_event_wait(events[i % 8], SOV_FOREVER), "waiting");
			s->done++;
		}
		must(sov_function_launch(work, &l), "launching");
		must(sov_event_record(events[i % 8], s->stream), "recording");
		s->launched++;
	}
	return NULL;
}

static bool compare_priorities(int32_t a, int32_t b)
{
	struct load loads[2] = {{.launched = 0}};
	int32_t priorities[2] = {a, b};
	uint32_t i, counted[2];
	bool good = true;

	for (i = 0; i < 2; i++) {
		must(sov_stream_create_with_priority(context, 0, priorities[i], &loads[i].stream),
		     "a stream");
		must(sov_memory_alloc(context, 128, &loads[i].counter), "memory");
		must(sov_memory_fill(context, loads[i].counter, 0, 4, 32), "filling");
	}
	for (i = 0; i < 2; i++)
		pthread_create(&loads[i].thread, NULL, keep_stream_busy, &loads[i]);
	for (i = 0; i < 2; i++)
		pthread_join(loads[i].thread, NULL);
	for (i = 0; i < 2; i++) {
		must(sov_stream_wait(loads[i].stream, SOV_FOREVER), "waiting");
		must(sov_memory_copy(context, SOV_HOST(&counted[i]), loads[i].counter, 4),
		     "reading");
		good &= counted[i] == loads[i].launched;
		must(sov_memory_free(context, loads[i].counter), "freeing");
		must(sov_stream_destroy(loads[i].stream), "destroying a stream");
	}
	printf("| %d, %d | %u | %u | %.2f | %s |\n", a, b, loads[0].done, loads[1].done,
	       loads[0].done ? (double)loads[1].done / loads[0].done : 0.0, good ? "" : "WRONG");
	return good;
}

int main(int argc, char **argv)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	bool good = true;
	sov_device d;
	sov_module m;
	int32_t a, b;

	if (argc > 1 && !strcmp(argv[1], "--small")) {
		blocks = 16;
		iterations = 200;
		duration_ns /= 10;
	}
	must(sov_device_open(0, &d), "opening");
	must(sov_device_get_properties(d, &p), "asking");
	must(sov_context_create(d, NULL, &context), "a context");
	must(sov_module_load(context, ptx, sizeof(ptx) - 1, NULL, &m), "loading");
	must(sov_module_get_function(m, "work", &work), "a kernel");
	printf("| priorities | kernels of stream 1 | kernels of stream 2 | ratio | |\n"
	       "| --- | --- | --- | --- | --- |\n");
	for (a = p.min_priority; a <= p.max_priority; a++)
		for (b = a; b <= p.max_priority; b++)
			good &= compare_priorities(a, b);
	must(sov_context_destroy(context), "destroying the context");
	printf("%s\n", good ? "PASS: every kernel counted" : "FAIL");
	return !good;
}
