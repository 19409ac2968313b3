// SPDX-License-Identifier: MIT
/*
 * Options of a compilation or a link at run time (CUjit_option): the logs, the wall time and the
 * optimisation level. Others are hints for NVIDIA's compiler, and ignored.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "libsov/cuda/driver/driver.h"

enum {
	JIT_WALL_TIME = 2,
	JIT_INFO_LOG = 3,
	JIT_INFO_LOG_BYTES = 4,
	JIT_ERROR_LOG = 5,
	JIT_ERROR_LOG_BYTES = 6,
	JIT_LEVEL = 7,
	JIT_SYMBOL_COUNT = 19,
	JIT_OPTIONS = 35, /* of CUDA 13.0 */
	MAX_LEVEL = 4,
};

static double milliseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

CUresult cuda_jit_read(struct jit_options *jit, unsigned count, const unsigned *options,
		       void **values)
{
	*jit = (struct jit_options){.count = count,
				    .options = options,
				    .values = values,
				    .level = MAX_LEVEL,
				    .start = milliseconds()};
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; k < count; k++) {
		size_t number = (uintptr_t)values[k];

		if (options[k] >= JIT_OPTIONS || (options[k] == JIT_LEVEL && number > MAX_LEVEL))
			return CUDA_ERROR_INVALID_VALUE;
		if (options[k] == JIT_SYMBOL_COUNT && number)
			return cuda_missing("CU_JIT_GLOBAL_SYMBOL_NAMES",
					    "addresses of symbols cannot be set");
		if (options[k] == JIT_INFO_LOG)
			jit->info = values[k];
		else if (options[k] == JIT_INFO_LOG_BYTES)
			jit->info_bytes = (unsigned)number;
		else if (options[k] == JIT_ERROR_LOG)
			jit->error = values[k];
		else if (options[k] == JIT_ERROR_LOG_BYTES)
			jit->error_bytes = (unsigned)number;
		else if (options[k] == JIT_LEVEL)
			jit->level = (unsigned)number;
	}
	if (jit->info && jit->info_bytes)
		*jit->info = 0;
	if (jit->error && jit->error_bytes)
		*jit->error = 0;
	return CUDA_SUCCESS;
}

void cuda_jit_report(struct jit_options *jit, bool failed)
{
	const char *text = sov_module_messages();

	if (failed && jit->error && jit->error_bytes)
		snprintf(jit->error, jit->error_bytes, "%s", *text ? text : sov_last_error());
	if (!failed && jit->info && jit->info_bytes)
		snprintf(jit->info, jit->info_bytes, "%s", text);
}

/* CUDA returns in the values how much of the logs it has filled, and how long it took. */
void cuda_jit_finish(struct jit_options *jit)
{
	float time = (float)(milliseconds() - jit->start);

	for (unsigned k = 0; k < jit->count; k++) {
		if (jit->options[k] == JIT_INFO_LOG_BYTES)
			jit->values[k] =
				(void *)(jit->info && jit->info_bytes ? strlen(jit->info) : 0);
		else if (jit->options[k] == JIT_ERROR_LOG_BYTES)
			jit->values[k] =
				(void *)(jit->error && jit->error_bytes ? strlen(jit->error) : 0);
		else if (jit->options[k] == JIT_WALL_TIME)
			memcpy(&jit->values[k], &time, sizeof(time));
	}
}
