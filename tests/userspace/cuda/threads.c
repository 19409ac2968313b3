// SPDX-License-Identifier: MIT
/* Threads of one program: each has its own per-thread stream, last error and modules' functions. */
#include <pthread.h>
#include "libsov/cuda/driver/calls.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/cuda/_load.h"
#include "tests/userspace/cuda/_triple.h"

#define THREADS 16
#define ROUNDS  (20 / TAP_SLOWNESS + 2)
#define N       64

static CUcontext context;
static CUmodule module;

static bool one_round(CUstream s)
{
	unsigned n = N, got[N];
	CUdeviceptr p = 0;
	void *arguments[] = {&p, &n};
	CUfunction f;
	bool good = !CALL(cuMemAlloc_v2)(&p, sizeof(got)) &&
		    !CALL(cuModuleGetFunction)(&f, module, "triple") &&
		    !CALL(cuMemsetD32Async)(p, 1, N, s) &&
		    !CALL(cuLaunchKernel)(f, 2, 1, 1, 32, 1, 1, 0, s, arguments, NULL) &&
		    !CALL(cuMemcpyDtoHAsync_v2)(got, p, sizeof(got), s) &&
		    !CALL(cuStreamSynchronize)(s);

	for (unsigned k = 0; good && k < N; k++)
		good = got[k] == 3 * k;
	return !CALL(cuMemFree_v2)(p) && good;
}

/* Threads alternate between their own stream, the legacy stream and a new one. */
static void *work(void *failures)
{
	CUstream own;
	size_t bad = CALL(cuCtxSetCurrent)(context) != CUDA_SUCCESS;

	for (int k = 0; !bad && k < ROUNDS; k++) {
		bad += !one_round(CU_STREAM_PER_THREAD);
		bad += !one_round(NULL);
		bad += CALL(cuStreamCreate)(&own, k & 1) != CUDA_SUCCESS || !one_round(own) ||
		       CALL(cuStreamDestroy_v2)(own) != CUDA_SUCCESS;
	}
	*(size_t *)failures = bad;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	size_t failures[THREADS], bad = 0;

	soft_gpus("gh100:vram=256M:threads=2");
	load_library("libcuda.so.1");
	if (CALL(cuInit)(0) || CALL(cuDevicePrimaryCtxRetain)(&context, 0) ||
	    CALL(cuCtxSetCurrent)(context) || CALL(cuModuleLoadData)(&module, triple_ptx)) {
		ok(false, "the module is loaded");
		return tap_done();
	}
	for (int k = 0; k < THREADS; k++)
		pthread_create(&threads[k], NULL, work, &failures[k]);
	for (int k = 0; k < THREADS; k++) {
		pthread_join(threads[k], NULL);
		bad += failures[k];
	}
	ok(!bad, "sixteen threads work on legacy, per-thread and other streams at once");
	return tap_done();
}
