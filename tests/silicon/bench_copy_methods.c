/* SPDX-License-Identifier: MIT */
/*
 * What each way to copy costs, by size: the figures behind the table of choices in libsov/runtime/copy/copy.c.
 *
 *   bench_copy_methods [--small]
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
#include "libsov/gpu/nv/nv_gpu.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/stream/stream.h"

enum { SAMPLES = 2001, TIME_LIMIT = 200 };
#define WARM_NS UINT64_C(1500000000)

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
	return copy_inline(stream, near[0], pageable, (uint32_t)n, number);
}
static sov_result in_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, near[0], SOV_HOST(pinned), n, number);
}
static sov_result in_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, near[0], SOV_HOST(pinned), n, number);
}
static sov_result out_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, SOV_HOST(pinned), near[0], n, number);
}
static sov_result out_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, SOV_HOST(pinned), near[0], n, number);
}
static sov_result across_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, near[1], near[0], n, number);
}
static sov_result across_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, near[1], near[0], n, number);
}
static sov_result across_words(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, near[1] + 4, near[0], n > 4 ? n - 4 : 4, number);
}
static sov_result fill_kernel(uint64_t n, uint64_t *number)
{
	return fill_by(stream, COPY_KERNEL, near[0], 0x1234567, 4, n, number);
}
static sov_result fill_engine(uint64_t n, uint64_t *number)
{
	return fill_by(stream, COPY_ENGINE, near[0], 0x1234567, 4, n, number);
}

/* The same between or behind a kernel: the stream's order then costs more or less by way. */
static sov_function store;
static sov_ptr word;

static void kernel(void)
{
	uint32_t value = 1;
	const void *arguments[] = {&word, &value};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	must(sov_function_launch(store, &l), "launching");
}
static sov_result kernel_out_kernel(uint64_t n, uint64_t *number)
{
	kernel();
	return out_kernel(n, number);
}
static sov_result kernel_out_engine(uint64_t n, uint64_t *number)
{
	kernel();
	return out_engine(n, number);
}
static void kernel_done(void)
{
	kernel();
	must(stream_wait_for(stream, stream_last(stream), SOV_MAX_WAIT), "waiting");
}
static sov_result done_out_kernel(uint64_t n, uint64_t *number)
{
	kernel_done();
	return out_kernel(n, number);
}
static sov_result done_out_engine(uint64_t n, uint64_t *number)
{
	kernel_done();
	return out_engine(n, number);
}
static sov_result in_methods_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = in_inline(n, number);

	kernel();
	*number = stream_last(stream);
	return r;
}
static sov_result in_kernel_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = in_kernel(n, number);

	kernel();
	*number = stream_last(stream);
	return r;
}
static sov_result in_engine_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = in_engine(n, number);

	kernel();
	*number = stream_last(stream);
	return r;
}

static const struct {
	const char *name;
	sov_result (*go)(uint64_t n, uint64_t *number);
	uint64_t most;
} ways[] = {
	{"in: methods", in_inline, NV_PUSH_INLINE_MAX},
	{"in: kernel", in_kernel, 16 << 20},
	{"in: engine", in_engine, UINT64_MAX},
	{"out: kernel", out_kernel, 16 << 20},
	{"out: engine", out_engine, UINT64_MAX},
	{"across: kernel", across_kernel, UINT64_MAX},
	{"across: words", across_words, UINT64_MAX},
	{"across: engine", across_engine, UINT64_MAX},
	{"fill: kernel", fill_kernel, UINT64_MAX},
	{"fill: engine", fill_engine, UINT64_MAX},
	{"kernel, out: kernel", kernel_out_kernel, 1 << 20},
	{"kernel, out: engine", kernel_out_engine, 1 << 20},
	{"kernel, wait, out: k", done_out_kernel, 64 << 10},
	{"kernel, wait, out: e", done_out_engine, 64 << 10},
	{"in: methods, kernel", in_methods_kernel, NV_PUSH_INLINE_MAX},
	{"in: kernel, kernel", in_kernel_kernel, 1 << 20},
	{"in: engine, kernel", in_engine_kernel, 1 << 20},
};

/* As in store.ptx. */
static const char program[] = ".version 8.0\n"
			      ".target sm_80\n"
			      ".address_size 64\n"
			      ".visible .entry store(.param .u64 to, .param .u32 value) {\n"
			      "	.reg .b32 %i;\n"
			      "	.reg .b64 %a<3>;\n"
			      "	ld.param.u64 %a1, [to];\n"
			      "	cvta.to.global.u64 %a2, %a1;\n"
			      "	ld.param.u32 %i, [value];\n"
			      "	st.global.u32 [%a2], %i;\n"
			      "	ret;\n"
			      "}\n";

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
	static const uint64_t sizes[] = {4,        256,       1 << 10, 2 << 10,  4 << 10,  16 << 10,
					 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20};
	bool small = argc > 1 && !strcmp(argv[1], "--small");
	uint64_t largest = small ? 64 << 10 : 256 << 20;
	struct context *inside;
	sov_device device;
	sov_module module;
	uint64_t start;
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
	must(sov_module_load(context, program, sizeof(program) - 1, NULL, &module), "loading");
	must(sov_module_get_function(module, "store", &store), "looking for the kernel");
	must(sov_memory_alloc(context, 4, &word), "allocating");
	for (start = now_ns(); !small && now_ns() - start < WARM_NS;) /* clocks rise with work */
		median(across_kernel, 16 << 20);
	printf("| us, median           |");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf(" %9llu |", (unsigned long long)sizes[i]);
	printf("\n|---|");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf("---|");
	for (w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		printf("\n| %-20s |", ways[w].name);
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
