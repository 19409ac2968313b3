/* SPDX-License-Identifier: MIT */
/*
 * The two APIs that cuda_compare.c compares, as one table of functions: libsov and the CUDA driver
 * API. Each runs in a separate process.
 */
#ifndef TESTS_SILICON_CUDA_COMPARE_H
#define TESTS_SILICON_CUDA_COMPARE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "driver.h"
#include "libsov/sov.h"

struct api {
	const char *name;
	/* Loads the image, whose kernel "store" does *to = value. */
	void (*open)(const void *image, size_t bytes);
	void (*device)(char *name, size_t size);
	void (*launch)(uint64_t to, uint32_t value);
	void (*wait)(void);
	/* Waits for all work of the context: CUDA's copies from pageable memory return earlier. */
	void (*wait_all)(void);
	/* Synchronous, to the extent that the API guarantees. */
	void (*htod)(uint64_t to, const void *from, size_t bytes);
	void (*dtoh)(void *to, uint64_t from, size_t bytes);
	void (*dtod)(uint64_t to, uint64_t from, size_t bytes);
	void (*fill)(uint64_t to, uint32_t word, size_t count);
	uint64_t (*device_memory)(size_t bytes);
	void *(*pinned_memory)(size_t bytes);
};

/* ---- libsov ---- */

static sov_context sov_api_context;
static sov_stream sov_api_stream;
static sov_function sov_api_store;

static void sov_must(sov_result r, const char *doing)
{
	if (!r)
		return;
	fprintf(stderr, "BROKEN libsov, %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(EXIT_BROKEN);
}

static void sov_api_open(const void *image, size_t bytes)
{
	sov_device device;
	sov_module module;

	sov_must(sov_device_open(0, &device), "opening the device");
	sov_must(sov_context_create(device, NULL, &sov_api_context), "creating a context");
	sov_must(sov_context_get_stream(sov_api_context, &sov_api_stream), "getting the stream");
	sov_must(sov_module_load(sov_api_context, image, bytes, NULL, &module), "loading");
	sov_must(sov_module_get_function(module, "store", &sov_api_store), "finding the kernel");
}
static void sov_api_device_name(char *name, size_t size)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device device;

	sov_must(sov_context_get_device(sov_api_context, &device), "getting the device");
	sov_must(sov_device_get_properties(device, &p), "getting the device's properties");
	snprintf(name, size, "%s by %s (%s)", p.product, p.winsys, p.driver);
}
static void sov_api_launch(uint64_t to, uint32_t value)
{
	const void *arguments[] = {&to, &value};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	l.stream = sov_api_stream;
	sov_must(sov_function_launch(sov_api_store, &l), "launching");
}
static void sov_api_wait(void)
{
	sov_must(sov_stream_wait(sov_api_stream, SOV_FOREVER), "waiting");
}
static void sov_api_wait_all(void)
{
	sov_must(sov_context_wait(sov_api_context, SOV_FOREVER), "waiting");
}
static void sov_api_htod(uint64_t to, const void *from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_api_context, to, SOV_HOST(from), bytes),
		 "copying to the device");
}
static void sov_api_dtoh(void *to, uint64_t from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_api_context, SOV_HOST(to), from, bytes),
		 "copying to the host");
}
static void sov_api_dtod(uint64_t to, uint64_t from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_api_context, to, from, bytes), "copying on the device");
}
static void sov_api_fill(uint64_t to, uint32_t word, size_t count)
{
	sov_must(sov_memory_fill(sov_api_context, to, word, 4, count), "filling");
}
static uint64_t sov_api_memory(size_t bytes)
{
	sov_ptr address = 0;

	sov_must(sov_memory_alloc(sov_api_context, bytes, &address), "allocating");
	return address;
}
static void *sov_api_pinned(size_t bytes)
{
	void *p = NULL;

	sov_must(sov_host_alloc(sov_api_context, bytes, &p), "allocating host memory");
	return p;
}

/* ---- CUDA ---- */

static struct cuda_device cuda_api_device;
static cuda_handle cuda_api_store, cuda_api_stream;

static void cuda_api_open(const void *image, size_t bytes)
{
	cuda_handle module;

	(void)bytes;
	cuda_api_device = cuda_open();
	/* 1: CU_STREAM_NON_BLOCKING, not ordered with the legacy stream */
	must(cuStreamCreate(&cuda_api_stream, 1), "creating a stream");
	must(cuModuleLoadData(&module, image), "loading");
	must(cuModuleGetFunction(&cuda_api_store, module, "store"), "finding the kernel");
}
static void cuda_api_device_name(char *name, size_t size)
{
	snprintf(name, size, "%s, CUDA driver API %d.%d", cuda_api_device.name,
		 cuda_api_device.version / 1000, cuda_api_device.version % 1000 / 10);
}
static void cuda_api_launch(uint64_t to, uint32_t value)
{
	void *arguments[] = {&to, &value};

	must(cuLaunchKernel(cuda_api_store, 1, 1, 1, 1, 1, 1, 0, cuda_api_stream, arguments, NULL),
	     "launching");
}
static void cuda_api_wait(void)
{
	must(cuStreamSynchronize(cuda_api_stream), "waiting");
}
static void cuda_api_wait_all(void)
{
	must(cuCtxSynchronize(), "waiting");
}
static void cuda_api_htod(uint64_t to, const void *from, size_t bytes)
{
	must(cuMemcpyHtoD_v2(to, from, bytes), "copying to the device");
}
static void cuda_api_dtoh(void *to, uint64_t from, size_t bytes)
{
	must(cuMemcpyDtoH_v2(to, from, bytes), "copying to the host");
}
static void cuda_api_dtod(uint64_t to, uint64_t from, size_t bytes)
{
	must(cuMemcpyDtoDAsync_v2(to, from, bytes, cuda_api_stream), "copying on the device");
	must(cuStreamSynchronize(cuda_api_stream), "copying on the device");
}
static void cuda_api_fill(uint64_t to, uint32_t word, size_t count)
{
	must(cuMemsetD32Async(to, word, count, cuda_api_stream), "filling");
	must(cuStreamSynchronize(cuda_api_stream), "filling");
}
static uint64_t cuda_api_memory(size_t bytes)
{
	cuda_ptr address = 0;

	must(cuMemAlloc_v2(&address, bytes), "allocating");
	return address;
}
static void *cuda_api_pinned(size_t bytes)
{
	void *p = NULL;

	must(cuMemAllocHost_v2(&p, bytes), "allocating host memory");
	return p;
}

static const struct api apis[] = {
	{"sov", sov_api_open, sov_api_device_name, sov_api_launch, sov_api_wait, sov_api_wait_all,
	 sov_api_htod, sov_api_dtoh, sov_api_dtod, sov_api_fill, sov_api_memory, sov_api_pinned},
	{"cuda", cuda_api_open, cuda_api_device_name, cuda_api_launch, cuda_api_wait,
	 cuda_api_wait_all, cuda_api_htod, cuda_api_dtoh, cuda_api_dtod, cuda_api_fill,
	 cuda_api_memory, cuda_api_pinned},
};
#define APIS 2

#endif
