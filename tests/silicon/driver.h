/* SPDX-License-Identifier: MIT */
/*
 * CUDA driver API by dlopen: the functions of libcuda.so.1 that these programs call, with our own
 * prototypes, under the names that libcuda exports. The programs build without CUDA headers and
 * link without a CUDA library.
 */
#ifndef TESTS_SILICON_DRIVER_H
#define TESTS_SILICON_DRIVER_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct cuda_object *cuda_handle;
typedef uint64_t cuda_ptr;

#define CUDA_FUNCTIONS(F) \
	F(cuInit, (unsigned flags)) \
	F(cuDriverGetVersion, (int *version)) \
	F(cuDeviceGet, (int *device, int ordinal)) \
	F(cuDeviceGetName, (char *name, int size, int device)) \
	F(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
	F(cuDevicePrimaryCtxRetain, (cuda_handle * context, int device)) \
	F(cuCtxSetCurrent, (cuda_handle context)) \
	F(cuCtxSetLimit, (int limit, size_t value)) \
	F(cuCtxSynchronize, (void)) \
	F(cuMemAlloc_v2, (cuda_ptr * address, size_t bytes)) \
	F(cuMemFree_v2, (cuda_ptr address)) \
	F(cuMemcpyHtoD_v2, (cuda_ptr to, const void *from, size_t bytes)) \
	F(cuMemcpyDtoH_v2, (void *to, cuda_ptr from, size_t bytes)) \
	F(cuMemcpyDtoDAsync_v2, (cuda_ptr to, cuda_ptr from, size_t bytes, cuda_handle stream)) \
	F(cuMemsetD32Async, (cuda_ptr to, unsigned word, size_t count, cuda_handle stream)) \
	F(cuMemAllocHost_v2, (void **pointer, size_t bytes)) \
	F(cuStreamCreate, (cuda_handle * stream, unsigned flags)) \
	F(cuStreamSynchronize, (cuda_handle stream)) \
	F(cuModuleLoadData, (cuda_handle * module, const void *image)) \
	F(cuModuleUnload, (cuda_handle module)) \
	F(cuModuleGetFunction, (cuda_handle * function, cuda_handle module, const char *name)) \
	F(cuLaunchKernel, \
	  (cuda_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
	   unsigned bz, unsigned shared, cuda_handle stream, void **arguments, void **extra)) \
	F(cuEventCreate, (cuda_handle * event, unsigned flags)) \
	F(cuEventRecord, (cuda_handle event, cuda_handle stream)) \
	F(cuEventSynchronize, (cuda_handle event)) \
	F(cuEventElapsedTime, (float *milliseconds, cuda_handle from, cuda_handle to)) \
	F(cuGetErrorName, (int error, const char **name))

#define CUDA_DECLARE(name, parameters) static int(*name) parameters;
CUDA_FUNCTIONS(CUDA_DECLARE)

enum { CUDA_SM_COUNT = 16, CUDA_MAJOR = 75, CUDA_MINOR = 76 }; /* attributes of a device */
enum { CUDA_LAUNCH_FAILED = 719 };
enum { CUDA_STACK_BYTES = 0 }; /* a limit */

/* Ends the process after that many seconds, should the GPU hang. With SILICON_NO_LIMITS set it does
 * not: a software GPU does not hang, but may be slow. */
static inline void limit_time(unsigned seconds)
{
	if (!getenv("SILICON_NO_LIMITS"))
		alarm(seconds);
}

/* Exit statuses of these programs. */
enum { EXIT_WRONG = 1, EXIT_BROKEN = 2 };

static inline const char *cuda_error_name(int error)
{
	const char *name = NULL;

	cuGetErrorName(error, &name);
	return name ? name : "an unknown error";
}

/* Ends the program with EXIT_BROKEN if a call fails that the test itself depends on. */
static inline void must(int error, const char *doing)
{
	if (!error)
		return;
	printf("BROKEN %s: %s (%d)\n", doing, cuda_error_name(error), error);
	exit(EXIT_BROKEN);
}

struct cuda_device {
	char name[128];
	int version, major, minor, sm_count;
};

/* Opens libcuda and device 0 and makes the primary context current. */
static inline struct cuda_device cuda_open(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	struct cuda_device d = {0};
	cuda_handle context;
	int device;

	if (!library) {
		printf("BROKEN no CUDA driver: %s\n", dlerror());
		exit(EXIT_BROKEN);
	}
#define CUDA_LOOK_UP(name, parameters) \
	*(void **)&name = dlsym(library, #name); \
	if (!name) { \
		printf("BROKEN libcuda.so.1 has no " #name "\n"); \
		exit(EXIT_BROKEN); \
	}
	CUDA_FUNCTIONS(CUDA_LOOK_UP)
	must(cuInit(0), "initialising CUDA");
	must(cuDriverGetVersion(&d.version), "reading the driver version");
	must(cuDeviceGet(&device, 0), "opening device 0");
	must(cuDeviceGetName(d.name, sizeof(d.name), device), "reading the device name");
	must(cuDeviceGetAttribute(&d.major, CUDA_MAJOR, device), "reading the compute capability");
	must(cuDeviceGetAttribute(&d.minor, CUDA_MINOR, device), "reading the compute capability");
	must(cuDeviceGetAttribute(&d.sm_count, CUDA_SM_COUNT, device), "reading the number of SMs");
	must(cuDevicePrimaryCtxRetain(&context, device), "creating a context");
	must(cuCtxSetCurrent(context), "setting the current context");
	return d;
}

#endif
