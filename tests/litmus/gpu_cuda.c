// SPDX-License-Identifier: MIT
/*
 * The same kernels through NVIDIA's driver, which compiles the PTX with ptxas's library: the
 * comparison for our code. libcuda is opened when it is asked for; nothing links with it.
 */
#include <string.h>
#include <unistd.h>
#include "tests/litmus/litmus.h"
#include "tests/silicon/driver.h"

#define WAIT_LIMIT 120 /* seconds; CUDA's waits have no limit of their own */

static cuda_handle module, functions[2];

static const char *cuda_start_up(const char *device, bool *is_software)
{
	static struct cuda_device d;

	*is_software = false;
	if (device) {
		fprintf(stderr, "litmus: --cuda uses the first GPU; --device %s is not possible\n",
			device);
		exit(2);
	}
	alarm(WAIT_LIMIT);
	d = cuda_open();
	return d.name;
}

static uint64_t cuda_alloc(size_t bytes)
{
	cuda_ptr p = 0;

	must(cuMemAlloc_v2(&p, bytes), "allocating memory");
	return p;
}

static bool cuda_load(const char *ptx, char *message, size_t bytes)
{
	int error = cuModuleLoadData(&module, ptx);

	if (error) {
		snprintf(message, bytes, "cuModuleLoadData: %s", cuda_error_name(error));
		return false;
	}
	must(cuModuleGetFunction(&functions[LITMUS_KERNEL], module, "litmus"), "finding a kernel");
	must(cuModuleGetFunction(&functions[LITMUS_COLLECT], module, "collect"),
	     "finding a kernel");
	return true;
}

static void cuda_unload(void)
{
	must(cuModuleUnload(module), "unloading a module");
}

static void cuda_fill(uint64_t address, uint32_t word, size_t words)
{
	must(cuMemsetD32Async(address, word, words, NULL), "filling memory");
}

static void cuda_start(int kernel, uint32_t grid, uint32_t block, const struct litmus_launch *l)
{
	struct litmus_launch copy = *l;
	void *arguments[LITMUS_PARAMETERS] = {
		&copy.vars,      &copy.regs,  &copy.scratch,    &copy.histogram, &copy.pitch,
		&copy.var_pitch, &copy.pairs, &copy.seed,       &copy.delay,     &copy.stress,
		&copy.polls,     &copy.touch, &copy.rendezvous, &copy.shift};

	must(cuLaunchKernel(functions[kernel], grid, 1, 1, block, 1, 1, 0, NULL, arguments, NULL),
	     "launching a kernel");
}

static void cuda_read(void *to, uint64_t from, size_t bytes)
{
	alarm(WAIT_LIMIT);
	must(cuCtxSynchronize(), "waiting for the kernels");
	must(cuMemcpyDtoH_v2(to, from, bytes), "reading the histogram");
	alarm(WAIT_LIMIT);
}

const struct litmus_gpu litmus_gpu_cuda = {"cuda",      cuda_start_up, cuda_alloc, cuda_load,
					   cuda_unload, cuda_fill,     cuda_start, cuda_read};
