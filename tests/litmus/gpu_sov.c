// SPDX-License-Identifier: MIT
/* Litmus tests through libsov: software GPUs, and hardware by any of its back ends. */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/sov.h"
#include "tests/litmus/litmus.h"

/* Nanoseconds. */
#define WAIT_LIMIT   UINT64_C(120000000000)
#define KERNEL_LIMIT UINT64_C(60000000000)

static sov_context context;
static sov_stream stream;
static sov_module module;
static sov_function functions[2];

static void must(sov_result r, const char *doing)
{
	if (!r)
		return;
	fprintf(stderr, "litmus: %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
	exit(2);
}

static const char *sov_open(const char *device_name, bool *is_software)
{
	static sov_device_properties properties;
	sov_context_options options = SOV_INIT(sov_context_options);
	sov_device device;

	must(device_name ? sov_device_open_name(device_name, &device) : sov_device_open(0, &device),
	     "opening the device");
	properties = SOV_INIT(sov_device_properties);
	must(sov_device_get_properties(device, &properties), "reading the device's properties");
	*is_software = properties.features & SOV_FEATURE_SOFTWARE;
	options.kernel_time_limit = KERNEL_LIMIT;
	must(sov_context_create(device, &options, &context), "creating a context");
	must(sov_context_get_stream(context, &stream), "creating a context");
	return properties.name;
}

static uint64_t sov_alloc(size_t bytes)
{
	sov_ptr p = 0;

	must(sov_memory_alloc(context, bytes, &p), "allocating memory");
	return p;
}

static bool sov_load(const char *ptx, char *message, size_t bytes)
{
	static const char *const names[] = {"litmus", "collect"};
	size_t n = 0;

	while (ptx[n])
		n++;
	if (sov_module_load(context, ptx, n, NULL, &module)) {
		snprintf(message, bytes, "%s", sov_module_messages());
		return false;
	}
	for (int k = 0; k < 2; k++)
		if (sov_module_get_function(module, names[k], &functions[k])) {
			snprintf(message, bytes, "%s", sov_module_messages());
			sov_module_unload(module);
			return false;
		}
	return true;
}

static void sov_unload(void)
{
	must(sov_module_unload(module), "unloading a module");
}

static void sov_fill(uint64_t address, uint32_t word, size_t words)
{
	must(sov_memory_fill_async(stream, address, word, 4, words), "filling memory");
}

static void sov_start(int kernel, uint32_t grid, uint32_t block, const struct litmus_launch *l)
{
	const void *arguments[LITMUS_PARAMETERS] = {
		&l->vars,      &l->regs,  &l->scratch,    &l->histogram, &l->pitch,
		&l->var_pitch, &l->pairs, &l->seed,       &l->delay,     &l->stress,
		&l->polls,     &l->touch, &l->rendezvous, &l->shift};
	sov_launch launch = SOV_INIT(sov_launch);

	launch.grid[0] = grid;
	launch.block[0] = block;
	launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
	launch.stream = stream;
	launch.arguments = arguments;
	launch.argument_count = LITMUS_PARAMETERS;
	must(sov_function_launch(functions[kernel], &launch), "launching a kernel");
}

static void sov_read(void *to, uint64_t from, size_t bytes)
{
	must(sov_context_wait(context, WAIT_LIMIT), "waiting for the kernels");
	must(sov_memory_copy(context, SOV_HOST(to), from, bytes), "reading the histogram");
}

const struct litmus_gpu litmus_gpu_sov = {"sov",      sov_open, sov_alloc, sov_load,
					  sov_unload, sov_fill, sov_start, sov_read};
