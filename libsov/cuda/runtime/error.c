// SPDX-License-Identifier: MIT
/* Errors: each thread has a last one. A sticky error comes back from the driver with every call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/runtime/runtime.h"

static __thread cudaError_t last;

cudaError_t rt_return(CUresult e)
{
	if (e && e != CUDA_ERROR_NOT_READY)
		last = e;
	return e;
}

cudaError_t rt_missing(const char *call)
{
	const char *log = secure_getenv("SOV_LOG");

	if (log && strstr(log, "cuda"))
		fprintf(stderr, "sov cuda: %s: not supported\n", call);
	return rt_return(CUDA_ERROR_NOT_SUPPORTED);
}

RT cudaGetLastError(void)
{
	cudaError_t e = last;

	last = CUDA_SUCCESS;
	return e;
}

RT cudaPeekAtLastError(void)
{
	return last;
}

static const struct {
	cudaError_t value;
	const char *name, *text;
} errors[] = {
#define E(name, runtime_name, value, text) {(cudaError_t)(value), #runtime_name, text},
	CUDA_ERRORS(E)
#undef E
};

CUDA_EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
		if (errors[k].value == error)
			return errors[k].name;
	return "unrecognized error code";
}

CUDA_EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
		if (errors[k].value == error)
			return errors[k].text;
	return "unrecognized error code";
}
