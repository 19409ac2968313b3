// SPDX-License-Identifier: MIT
/* Errors of sov.h as errors of CUDA, their names, and the log area "cuda" of SOV_LOG. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

static const struct {
	CUresult value;
	const char *name, *text;
} errors[] = {
#define E(name, runtime_name, value, text) {(CUresult)(value), "CUDA_" #name, text},
	CUDA_ERRORS(E)
#undef E
};

static const char *find(CUresult error, bool name)
{
	for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
		if (errors[k].value == error)
			return name ? errors[k].name : errors[k].text;
	return NULL;
}

API cuGetErrorName(CUresult error, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = find(error, true);
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = find(error, false);
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- the log ---- */

static bool log_is_on(void)
{
	static int on = -1;
	const char *v;

	if (on >= 0)
		return on;
	v = secure_getenv("SOV_LOG");
	on = v && (strstr(v, "cuda") || !strncmp(v, "debug", 5) || !strncmp(v, "info", 4) ||
		   !strncmp(v, "error", 5));
	return on;
}

void cuda_log(const char *format, ...)
{
	char line[1024];
	va_list ap;
	int n;

	if (!log_is_on())
		return;
	va_start(ap, format);
	n = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	if (n >= 0)
		fprintf(stderr, "sov cuda: %s\n", line);
}

CUresult cuda_missing(const char *call, const char *why)
{
	cuda_log("%s: not supported%s%s", call, why ? ": " : "", why ? why : "");
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- results ---- */

static const CUresult results[] = {
	[SOV_OK] = CUDA_SUCCESS,
	[SOV_NOT_READY] = CUDA_ERROR_NOT_READY,
	[SOV_ERROR_INVALID_ARGUMENT] = CUDA_ERROR_INVALID_VALUE,
	[SOV_ERROR_INVALID_HANDLE] = CUDA_ERROR_INVALID_HANDLE,
	[SOV_ERROR_INVALID_ADDRESS] = CUDA_ERROR_INVALID_VALUE,
	[SOV_ERROR_NO_DEVICE] = CUDA_ERROR_NO_DEVICE,
	[SOV_ERROR_OUT_OF_MEMORY] = CUDA_ERROR_OUT_OF_MEMORY,
	[SOV_ERROR_OUT_OF_HOST_MEMORY] = CUDA_ERROR_OUT_OF_MEMORY,
	[SOV_ERROR_INVALID_SOURCE] = CUDA_ERROR_INVALID_IMAGE,
	[SOV_ERROR_NOT_FOUND] = CUDA_ERROR_NOT_FOUND,
	[SOV_ERROR_INVALID_LAUNCH] = CUDA_ERROR_INVALID_VALUE,
	[SOV_ERROR_TIMEOUT] = CUDA_ERROR_TIMEOUT,
	[SOV_ERROR_UNSUPPORTED] = CUDA_ERROR_NOT_SUPPORTED,
	[SOV_ERROR_FAULT] = CUDA_ERROR_LAUNCH_FAILED,
	[SOV_ERROR_HANG] = CUDA_ERROR_LAUNCH_TIMEOUT,
	[SOV_ERROR_DEVICE_LOST] = CUDA_ERROR_UNKNOWN,
	[SOV_ERROR_BUSY] = CUDA_ERROR_NOT_PERMITTED,
	[SOV_ERROR_INTERNAL] = CUDA_ERROR_UNKNOWN,
	[SOV_ERROR_CANCELLED] = CUDA_ERROR_CONTEXT_IS_DESTROYED,
	[SOV_ERROR_ASSERT] = CUDA_ERROR_ASSERT,
};

CUresult cuda_result(sov_result r)
{
	CUresult e =
		(size_t)r < sizeof(results) / sizeof(results[0]) ? results[r] : CUDA_ERROR_UNKNOWN;

	if (r > SOV_NOT_READY)
		cuda_log("%s: %s", sov_result_name(r), sov_last_error());
	return e;
}

CUresult cuda_context_result(CUcontext c, sov_result r)
{
	static const CUresult faults[] = {
		[SOV_FAULT_OTHER] = CUDA_ERROR_LAUNCH_FAILED,
		[SOV_FAULT_ADDRESS] = CUDA_ERROR_ILLEGAL_ADDRESS,
		[SOV_FAULT_MISALIGNED] = CUDA_ERROR_MISALIGNED_ADDRESS,
		[SOV_FAULT_INSTRUCTION] = CUDA_ERROR_ILLEGAL_INSTRUCTION,
	};
	sov_fault f = SOV_INIT(sov_fault);
	CUresult e;

	if (r <= SOV_NOT_READY)
		return r ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
	e = cuda_result(r);
	if (r == SOV_ERROR_FAULT && c->sov && !sov_context_get_fault(c->sov, &f) &&
	    f.kind < sizeof(faults) / sizeof(faults[0]))
		return faults[f.kind];
	return e;
}
