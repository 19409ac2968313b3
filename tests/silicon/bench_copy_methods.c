// SPDX-License-Identifier: MIT
/*
 * Time of each copy method by size: the figures for the selection table in
 * libsov/runtime/copy/copy.c. The methods are inline data in the command stream ("methods"), a
 * copy kernel, and a copy engine; the directions are host to device (HtoD), device to host (DtoH)
 * and device to device (DtoD).
 *
 *   bench_copy_methods [--small]
 *
 * Each figure is the median time from the call until the stream has completed the copy; "-" marks
 * a size that the method does not support. Runs on the first device; --small is for a software GPU.
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
static sov_ptr device_buffers[2];
static uint8_t *pinned, *pageable;
static uint32_t samples = SAMPLES;

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	printf("BROKEN %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

static sov_result htod_inline(uint64_t n, uint64_t *number)
{
	return copy_inline(stream, device_buffers[0], pageable, (uint32_t)n, number);
}
static sov_result htod_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, device_buffers[0], SOV_HOST(pinned), n, number);
}
static sov_result htod_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, device_buffers[0], SOV_HOST(pinned), n, number);
}
static sov_result dtoh_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, SOV_HOST(pinned), device_buffers[0], n, number);
}
static sov_result dtoh_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, SOV_HOST(pinned), device_buffers[0], n, number);
}
static sov_result dtod_kernel(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, device_buffers[1], device_buffers[0], n, number);
}
static sov_result dtod_engine(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_ENGINE, device_buffers[1], device_buffers[0], n, number);
}
static sov_result dtod_words(uint64_t n, uint64_t *number)
{
	return copy_by(stream, COPY_KERNEL, device_buffers[1] + 4, device_buffers[0],
		       n > 4 ? n - 4 : 4, number);
}
static sov_result fill_kernel(uint64_t n, uint64_t *number)
{
	return fill_by(stream, COPY_KERNEL, device_buffers[0], 0x1234567, 4, n, number);
}
static sov_result fill_engine(uint64_t n, uint64_t *number)
{
	return fill_by(stream, COPY_ENGINE, device_buffers[0], 0x1234567, 4, n, number);
}

/*
 * The same copies before or after a kernel of the same stream: the cost of stream order differs
 * between the methods.
 */
static sov_function store;
static sov_ptr word;

static void launch_store(void)
{
	uint32_t value = 1;
	const void *arguments[] = {&word, &value};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	must(sov_function_launch(store, &l), "launching");
}
static sov_result kernel_dtoh_kernel(uint64_t n, uint64_t *number)
{
	launch_store();
	return dtoh_kernel(n, number);
}
static sov_result kernel_dtoh_engine(uint64_t n, uint64_t *number)
{
	launch_store();
	return dtoh_engine(n, number);
}
static void launch_and_wait(void)
{
	launch_store();
	must(stream_wait_for(stream, stream_last(stream), SOV_FOREVER), "waiting");
}
static sov_result waited_dtoh_kernel(uint64_t n, uint64_t *number)
{
	launch_and_wait();
	return dtoh_kernel(n, number);
}
static sov_result waited_dtoh_engine(uint64_t n, uint64_t *number)
{
	launch_and_wait();
	return dtoh_engine(n, number);
}
static sov_result htod_inline_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = htod_inline(n, number);

	launch_store();
	*number = stream_last(stream);
	return r;
}
static sov_result htod_kernel_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = htod_kernel(n, number);

	launch_store();
	*number = stream_last(stream);
	return r;
}
static sov_result htod_engine_kernel(uint64_t n, uint64_t *number)
{
	sov_result r = htod_engine(n, number);

	launch_store();
	*number = stream_last(stream);
	return r;
}

static const struct {
	const char *name;
	sov_result (*submit)(uint64_t n, uint64_t *number);
	uint64_t max_bytes;
} methods[] = {
	{"HtoD by methods", htod_inline, NV_PUSH_INLINE_MAX},
	{"HtoD by kernel", htod_kernel, 16 << 20},
	{"HtoD by engine", htod_engine, UINT64_MAX},
	{"DtoH by kernel", dtoh_kernel, 16 << 20},
	{"DtoH by engine", dtoh_engine, UINT64_MAX},
	{"DtoD by kernel", dtod_kernel, UINT64_MAX},
	{"DtoD by kernel, 4-byte alignment", dtod_words, UINT64_MAX},
	{"DtoD by engine", dtod_engine, UINT64_MAX},
	{"fill by kernel", fill_kernel, UINT64_MAX},
	{"fill by engine", fill_engine, UINT64_MAX},
	{"kernel, DtoH by kernel", kernel_dtoh_kernel, 1 << 20},
	{"kernel, DtoH by engine", kernel_dtoh_engine, 1 << 20},
	{"kernel, wait, DtoH by kernel", waited_dtoh_kernel, 64 << 10},
	{"kernel, wait, DtoH by engine", waited_dtoh_engine, 64 << 10},
	{"HtoD by methods, kernel", htod_inline_kernel, NV_PUSH_INLINE_MAX},
	{"HtoD by kernel, kernel", htod_kernel_kernel, 1 << 20},
	{"HtoD by engine, kernel", htod_engine_kernel, 1 << 20},
};

/* The same kernel as store.ptx. */
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

static double median_us(sov_result (*submit)(uint64_t, uint64_t *), uint64_t bytes)
{
	static uint64_t times[SAMPLES];
	uint32_t n = bytes <= 1 << 20 ? samples : samples / 20 + 1, i;

	for (i = 0; i < n + 5; i++) {
		uint64_t number = 0, from = now_ns();

		must(submit(bytes, &number), "copying");
		must(stream_wait_for(stream, number, SOV_FOREVER), "waiting");
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
	struct context *context_object;
	sov_device device;
	sov_module module;
	uint64_t start;
	size_t i, w;

	alarm(TIME_LIMIT);
	samples = small ? 5 : SAMPLES;
	must(sov_device_open(0, &device), "opening the device");
	must(sov_context_create(device, NULL, &context), "creating a context");
	must(sov_memory_alloc(context, largest, &device_buffers[0]), "allocating");
	must(sov_memory_alloc(context, largest, &device_buffers[1]), "allocating");
	must(sov_host_alloc(context, largest, (void **)&pinned), "allocating");
	pageable = calloc(1, largest);
	context_object = object_get(context, OBJECT_CONTEXT);
	stream = stream_find(context_object, NULL);
	must(sov_module_load(context, program, sizeof(program) - 1, NULL, &module), "loading");
	must(sov_module_get_function(module, "store", &store), "finding the kernel");
	must(sov_memory_alloc(context, 4, &word), "allocating");
	/* Load the GPU until its clocks have risen. */
	for (start = now_ns(); !small && now_ns() - start < WARM_NS;)
		median_us(dtod_kernel, 16 << 20);
	printf("| %-32s |", "median, us");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf(" %9llu |", (unsigned long long)sizes[i]);
	printf("\n|---|");
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++)
		printf("---|");
	for (w = 0; w < sizeof(methods) / sizeof(*methods); w++) {
		printf("\n| %-32s |", methods[w].name);
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes) && sizes[i] <= largest; i++) {
			if (sizes[i] <= methods[w].max_bytes)
				printf(" %9.2f |", median_us(methods[w].submit, sizes[i]));
			else
				printf(" %9s |", "-");
			fflush(stdout);
		}
	}
	printf("\n");
	object_put(&stream->member.object);
	object_put(&context_object->object);
	free(pageable);
	must(sov_context_destroy(context), "destroying the context");
	return 0;
}
