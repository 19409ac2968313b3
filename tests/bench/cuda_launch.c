// SPDX-License-Identifier: MIT
/*
 * The CPU time of cuLaunchKernel and <<<>>> over that of sov_function_launch, for an empty kernel
 * on device 0: bursts that fit the stream's queue, of which the fastest counts.
 *   usage: cuda_launch FOLDER-OF-LIBCUDA
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "libsov/cuda/driver/calls.h"
#include "libsov/sov.h"

#define BURST  64
#define BURSTS 2000

typedef struct {
	unsigned x, y, z;
} dim3;

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry empty()\n{\n\tret;\n}\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double fastest(void (*launch)(void *), void (*wait)(void *), void *user)
{
	double best = 1e18;

	for (int k = 0; k < BURSTS; k++) {
		double start = now(), t;

		for (int i = 0; i < BURST; i++)
			launch(user);
		t = (now() - start) / BURST;
		best = t < best ? t : best;
		wait(user);
	}
	return best;
}

static sov_function function;
static sov_context context;
static void sov_go(void *user)
{
	sov_launch l = SOV_INIT(sov_launch);

	(void)user;
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	sov_function_launch(function, &l);
}
static void sov_done(void *user)
{
	(void)user;
	sov_context_wait(context, SOV_MAX_WAIT);
}

static __typeof__(&cuLaunchKernel) cu_launch;
static __typeof__(&cuCtxSynchronize) cu_wait;
static CUfunction cu_function;
static void cu_go(void *user)
{
	(void)user;
	cu_launch(cu_function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}
static void cu_done(void *user)
{
	(void)user;
	cu_wait();
}

static unsigned (*push)(dim3 grid, dim3 block, size_t shared, void *stream);
static int (*pop)(dim3 *grid, dim3 *block, size_t *shared, void *stream);
static int (*rt_launch)(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
			void *stream);
static void *kernel;
static void rt_go(void *user)
{
	dim3 one = {1, 1, 1}, grid, block;
	void *stream, *arguments[1];
	size_t shared;

	(void)user;
	push(one, one, 0, NULL);
	pop(&grid, &block, &shared, &stream);
	rt_launch(kernel, grid, block, arguments, shared, stream);
}

static void *open_library(const char *folder, const char *name)
{
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return library;
}

#define FIND(library, name) ((__typeof__(&name))dlsym(library, #name))

int main(int argc, char **argv)
{
	static struct {
		int magic, version;
		const void *data;
		void *linked;
	} wrapper;
	const char *folder = argc > 1 ? argv[1] : "build/cuda";
	void *cuda = open_library(folder, "libcuda.so.1");
	void *cudart = open_library(folder, "libcudart.so.13");
	unsigned char fat[16 + 64 + sizeof(ptx)] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
	double plain, driver, runtime;
	sov_device device;
	sov_module module;
	CUcontext c;
	CUmodule m;
	void **binary;

	fat[8] = (unsigned char)(64 + sizeof(ptx));
	fat[16] = 1, fat[20] = 64, fat[24] = sizeof(ptx), fat[16 + 28] = 70;
	for (size_t k = 0; k < sizeof(ptx); k++)
		fat[80 + k] = (unsigned char)ptx[k];
	wrapper.magic = 0x466243b1;
	wrapper.version = 1;
	wrapper.data = fat;
	if (sov_device_open(0, &device) || sov_context_create(device, NULL, &context) ||
	    sov_module_load(context, ptx, sizeof(ptx) - 1, NULL, &module) ||
	    sov_module_get_function(module, "empty", &function)) {
		fprintf(stderr, "%s\n", sov_last_error());
		return 1;
	}
	plain = fastest(sov_go, sov_done, NULL);
	cu_launch = FIND(cuda, cuLaunchKernel);
	cu_wait = FIND(cuda, cuCtxSynchronize);
	FIND(cuda, cuInit)(0);
	FIND(cuda, cuDevicePrimaryCtxRetain)(&c, 0);
	FIND(cuda, cuCtxSetCurrent)(c);
	if (FIND(cuda, cuModuleLoadData)(&m, ptx) ||
	    FIND(cuda, cuModuleGetFunction)(&cu_function, m, "empty"))
		return 1;
	driver = fastest(cu_go, cu_done, NULL);
	push = (__typeof__(push))dlsym(cudart, "__cudaPushCallConfiguration");
	pop = (__typeof__(pop))dlsym(cudart, "__cudaPopCallConfiguration");
	rt_launch = (__typeof__(rt_launch))dlsym(cudart, "__cudaLaunchKernel");
	binary = ((void **(*)(void *))dlsym(cudart, "__cudaRegisterFatBinary"))(&wrapper);
	((void (*)(void **, const void *, char *, const char *, int, void *, void *, void *, void *,
		   int *))dlsym(cudart, "__cudaRegisterFunction"))(binary, rt_go, NULL, "empty", -1,
								   NULL, NULL, NULL, NULL, NULL);
	((int (*)(void **, const void *))dlsym(cudart, "__cudaGetKernel"))(&kernel, rt_go);
	runtime = fastest(rt_go, cu_done, NULL);
	printf("sov_function_launch %.0f ns, cuLaunchKernel %+.0f ns, <<<>>> %+.0f ns\n", plain,
	       driver - plain, runtime - plain);
	return 0;
}
