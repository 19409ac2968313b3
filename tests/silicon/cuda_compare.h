/* SPDX-License-Identifier: MIT */
/*
 * The two sides that peer.c compares, behind one small table: libsov, and the CUDA driver API. Each
 * runs in a process of its own; this one opens whichever it is told to.
 */
#ifndef TESTS_SILICON_PEER_SIDE_H
#define TESTS_SILICON_PEER_SIDE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "driver.h"
#include "libsov/sov.h"

struct side {
	const char *name;
	/* The kernel "store" of the image: *to = value. */
	void (*open)(const void *image, size_t bytes);
	void (*device)(char *name, size_t size);
	void (*launch)(uint64_t to, uint32_t value);
	void (*wait)(void);
	/* All that was ever asked for is done: CUDA's copies from pageable memory return before. */
	void (*settle)(void);
	/* Each until it is done, as far as the call says. */
	void (*in)(uint64_t to, const void *from, size_t bytes);
	void (*out)(void *to, uint64_t from, size_t bytes);
	void (*across)(uint64_t to, uint64_t from, size_t bytes);
	void (*fill)(uint64_t to, uint32_t word, size_t count);
	uint64_t (*device_memory)(size_t bytes);
	void *(*pinned_memory)(size_t bytes);
};

/* ---- libsov ---- */

static sov_context sov_side_context;
static sov_stream sov_side_stream;
static sov_function sov_side_store;

static void sov_must(sov_result r, const char *doing)
{
	if (!r)
		return;
	fprintf(stderr, "BROKEN libsov, %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(EXIT_BROKEN);
}

static void sov_side_open(const void *image, size_t bytes)
{
	sov_device device;
	sov_module module;

	sov_must(sov_device_open(0, &device), "opening the device");
	sov_must(sov_context_create(device, NULL, &sov_side_context), "creating a context");
	sov_must(sov_context_get_stream(sov_side_context, &sov_side_stream), "asking for a stream");
	sov_must(sov_module_load(sov_side_context, image, bytes, NULL, &module), "loading");
	sov_must(sov_module_get_function(module, "store", &sov_side_store),
		 "looking for the kernel");
}
static void sov_side_device_name(char *name, size_t size)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_device device;

	sov_must(sov_context_get_device(sov_side_context, &device), "asking for the device");
	sov_must(sov_device_get_properties(device, &p), "asking the device");
	snprintf(name, size, "%s by %s (%s)", p.product, p.winsys, p.driver);
}
static void sov_side_launch(uint64_t to, uint32_t value)
{
	const void *arguments[] = {&to, &value};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	l.stream = sov_side_stream;
	sov_must(sov_function_launch(sov_side_store, &l), "launching");
}
static void sov_side_wait(void)
{
	sov_must(sov_stream_wait(sov_side_stream, SOV_MAX_WAIT), "waiting");
}
static void sov_side_settle(void)
{
	sov_must(sov_context_wait(sov_side_context, SOV_MAX_WAIT), "waiting");
}
static void sov_side_in(uint64_t to, const void *from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_side_context, to, SOV_HOST(from), bytes), "copying in");
}
static void sov_side_out(void *to, uint64_t from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_side_context, SOV_HOST(to), from, bytes), "copying out");
}
static void sov_side_across(uint64_t to, uint64_t from, size_t bytes)
{
	sov_must(sov_memory_copy(sov_side_context, to, from, bytes), "copying across");
}
static void sov_side_fill(uint64_t to, uint32_t word, size_t count)
{
	sov_must(sov_memory_fill(sov_side_context, to, word, 4, count), "filling");
}
static uint64_t sov_side_memory(size_t bytes)
{
	sov_ptr address = 0;

	sov_must(sov_memory_alloc(sov_side_context, bytes, &address), "allocating");
	return address;
}
static void *sov_side_pinned(size_t bytes)
{
	void *p = NULL;

	sov_must(sov_host_alloc(sov_side_context, bytes, &p), "allocating host memory");
	return p;
}

/* ---- CUDA ---- */

static struct cuda_device cuda_side_device;
static cuda_handle cuda_side_store, cuda_side_stream;

static void cuda_side_open(const void *image, size_t bytes)
{
	cuda_handle module;

	(void)bytes;
	cuda_side_device = cuda_open();
	must(cuStreamCreate(&cuda_side_stream, 1),
	     "creating a stream"); /* 1: not the legacy order */
	must(cuModuleLoadData(&module, image), "loading");
	must(cuModuleGetFunction(&cuda_side_store, module, "store"), "looking for the kernel");
}
static void cuda_side_device_name(char *name, size_t size)
{
	snprintf(name, size, "%s, CUDA driver API %d.%d", cuda_side_device.name,
		 cuda_side_device.version / 1000, cuda_side_device.version % 1000 / 10);
}
static void cuda_side_launch(uint64_t to, uint32_t value)
{
	void *arguments[] = {&to, &value};

	must(cuLaunchKernel(cuda_side_store, 1, 1, 1, 1, 1, 1, 0, cuda_side_stream, arguments,
			    NULL),
	     "launching");
}
static void cuda_side_wait(void)
{
	must(cuStreamSynchronize(cuda_side_stream), "waiting");
}
static void cuda_side_settle(void)
{
	must(cuCtxSynchronize(), "waiting");
}
static void cuda_side_in(uint64_t to, const void *from, size_t bytes)
{
	must(cuMemcpyHtoD_v2(to, from, bytes), "copying in");
}
static void cuda_side_out(void *to, uint64_t from, size_t bytes)
{
	must(cuMemcpyDtoH_v2(to, from, bytes), "copying out");
}
static void cuda_side_across(uint64_t to, uint64_t from, size_t bytes)
{
	must(cuMemcpyDtoDAsync_v2(to, from, bytes, cuda_side_stream), "copying across");
	must(cuStreamSynchronize(cuda_side_stream), "copying across");
}
static void cuda_side_fill(uint64_t to, uint32_t word, size_t count)
{
	must(cuMemsetD32Async(to, word, count, cuda_side_stream), "filling");
	must(cuStreamSynchronize(cuda_side_stream), "filling");
}
static uint64_t cuda_side_memory(size_t bytes)
{
	cuda_ptr address = 0;

	must(cuMemAlloc_v2(&address, bytes), "allocating");
	return address;
}
static void *cuda_side_pinned(size_t bytes)
{
	void *p = NULL;

	must(cuMemAllocHost_v2(&p, bytes), "allocating host memory");
	return p;
}

static const struct side sides[] = {
	{"sov", sov_side_open, sov_side_device_name, sov_side_launch, sov_side_wait,
	 sov_side_settle, sov_side_in, sov_side_out, sov_side_across, sov_side_fill,
	 sov_side_memory, sov_side_pinned},
	{"cuda", cuda_side_open, cuda_side_device_name, cuda_side_launch, cuda_side_wait,
	 cuda_side_settle, cuda_side_in, cuda_side_out, cuda_side_across, cuda_side_fill,
	 cuda_side_memory, cuda_side_pinned},
};
#define SIDES 2

#endif
