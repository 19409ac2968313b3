// SPDX-License-Identifier: MIT
/*
 * The functions of the CUDA driver API that driver.h names, implemented on libsov, so that the
 * bundle and its programs can be tested on a machine without a GPU. Not a CUDA driver.
 */
#include <stdio.h>
#include <string.h>
#include "libsov/sov.h"

#define EXPORT __attribute__((visibility("default"))) int
enum { INVALID_VALUE = 1, LAUNCH_FAILED = 719 };

static sov_device device;
static sov_context context;

static int cuda_error(sov_result r)
{
	if (r)
		fprintf(stderr, "%s: %s\n", sov_result_name(r), sov_last_error());
	return !r ? 0 : r == SOV_ERROR_FAULT || r == SOV_ERROR_HANG ? LAUNCH_FAILED : INVALID_VALUE;
}

EXPORT cuInit(unsigned flags);
EXPORT cuInit(unsigned flags)
{
	(void)flags;
	return cuda_error(sov_device_open(0, &device));
}
EXPORT cuDriverGetVersion(int *version);
EXPORT cuDriverGetVersion(int *version)
{
	*version = 0;
	return 0;
}
EXPORT cuDeviceGet(int *d, int ordinal);
EXPORT cuDeviceGet(int *d, int ordinal)
{
	*d = ordinal;
	return 0;
}
EXPORT cuDeviceGetName(char *name, int size, int d);
EXPORT cuDeviceGetName(char *name, int size, int d)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_result r = sov_device_get_properties(device, &p);

	(void)d;
	snprintf(name, size, "%s", p.product);
	return cuda_error(r);
}
EXPORT cuDeviceGetAttribute(int *value, int attribute, int d);
EXPORT cuDeviceGetAttribute(int *value, int attribute, int d)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	sov_result r = sov_device_get_properties(device, &p);
	int sm = 0;

	(void)d;
	sscanf(p.target, "sm_%d", &sm);
	*value = attribute == 16 ? (int)p.multiprocessors : attribute == 75 ? sm / 10 : sm % 10;
	return cuda_error(r);
}
EXPORT cuDevicePrimaryCtxRetain(sov_context *out, int d);
EXPORT cuDevicePrimaryCtxRetain(sov_context *out, int d)
{
	sov_context_options o = SOV_INIT(sov_context_options);

	(void)d;
	o.stack_bytes = 4096; /* the limit that these programs set by cuCtxSetLimit */
	return cuda_error(sov_context_create(device, &o, out));
}
EXPORT cuCtxSetCurrent(sov_context c);
EXPORT cuCtxSetCurrent(sov_context c)
{
	context = c;
	return 0;
}
EXPORT cuCtxSetLimit(int limit, size_t value);
EXPORT cuCtxSetLimit(int limit, size_t value)
{
	(void)limit;
	(void)value;
	return 0;
}
EXPORT cuCtxSynchronize(void);
EXPORT cuCtxSynchronize(void)
{
	return cuda_error(sov_context_wait(context, SOV_FOREVER));
}
EXPORT cuMemAlloc_v2(sov_ptr *address, size_t bytes);
EXPORT cuMemAlloc_v2(sov_ptr *address, size_t bytes)
{
	return cuda_error(sov_memory_alloc(context, bytes, address));
}
EXPORT cuMemFree_v2(sov_ptr address);
EXPORT cuMemFree_v2(sov_ptr address)
{
	return cuda_error(sov_memory_free(context, address));
}
EXPORT cuMemcpyHtoD_v2(sov_ptr to, const void *from, size_t bytes);
EXPORT cuMemcpyHtoD_v2(sov_ptr to, const void *from, size_t bytes)
{
	return cuda_error(sov_memory_copy(context, to, SOV_HOST(from), bytes));
}
EXPORT cuMemcpyDtoH_v2(void *to, sov_ptr from, size_t bytes);
EXPORT cuMemcpyDtoH_v2(void *to, sov_ptr from, size_t bytes)
{
	return cuda_error(sov_memory_copy(context, SOV_HOST(to), from, bytes));
}
EXPORT cuMemcpyDtoDAsync_v2(sov_ptr to, sov_ptr from, size_t bytes, sov_stream stream);
EXPORT cuMemcpyDtoDAsync_v2(sov_ptr to, sov_ptr from, size_t bytes, sov_stream stream)
{
	return cuda_error(sov_memory_copy_async(stream, to, from, bytes));
}
EXPORT cuMemsetD32Async(sov_ptr to, unsigned word, size_t count, sov_stream stream);
EXPORT cuMemsetD32Async(sov_ptr to, unsigned word, size_t count, sov_stream stream)
{
	(void)stream;
	return cuda_error(sov_memory_fill(context, to, word, 4, count));
}
EXPORT cuMemAllocHost_v2(void **pointer, size_t bytes);
EXPORT cuMemAllocHost_v2(void **pointer, size_t bytes)
{
	return cuda_error(sov_host_alloc(context, bytes, pointer));
}
EXPORT cuStreamCreate(sov_stream *stream, unsigned flags);
EXPORT cuStreamCreate(sov_stream *stream, unsigned flags)
{
	(void)flags;
	return cuda_error(sov_stream_create(context, 0, stream));
}
EXPORT cuStreamSynchronize(sov_stream stream);
EXPORT cuStreamSynchronize(sov_stream stream)
{
	return cuda_error(sov_stream_wait(stream, SOV_FOREVER));
}
/* cuModuleLoadData has no size: PTX ends with a zero, and for an image take the end of the last
 * table from the ELF header. */
EXPORT cuModuleLoadData(sov_module *module, const unsigned char *image);
EXPORT cuModuleLoadData(sov_module *module, const unsigned char *image)
{
	uint64_t programs, sections;
	uint16_t counts[4]; /* size and number of program headers, of section headers */

	if (memcmp(image, "\177ELF", 4))
		return cuda_error(
			sov_module_load(context, image, strlen((const char *)image), NULL, module));
	memcpy(&programs, image + 32, 8);
	memcpy(&sections, image + 40, 8);
	memcpy(counts, image + 54, 8);
	uint64_t end = programs + (uint64_t)counts[0] * counts[1];
	uint64_t other = sections + (uint64_t)counts[2] * counts[3];

	return cuda_error(sov_module_load(context, image, end > other ? end : other, NULL, module));
}
EXPORT cuModuleUnload(sov_module module);
EXPORT cuModuleUnload(sov_module module)
{
	return cuda_error(sov_module_unload(module));
}
EXPORT cuModuleGetFunction(sov_function *function, sov_module module, const char *name);
EXPORT cuModuleGetFunction(sov_function *function, sov_module module, const char *name)
{
	return cuda_error(sov_module_get_function(module, name, function));
}
EXPORT cuLaunchKernel(sov_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		      unsigned by, unsigned bz, unsigned shared, sov_stream stream,
		      void **arguments, void **extra);
EXPORT cuLaunchKernel(sov_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		      unsigned by, unsigned bz, unsigned shared, sov_stream stream,
		      void **arguments, void **extra)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	sov_launch l = SOV_INIT(sov_launch);
	sov_result r = sov_function_get_attributes(function, &a);

	(void)extra;
	l.grid[0] = gx, l.grid[1] = gy, l.grid[2] = gz;
	l.block[0] = bx, l.block[1] = by, l.block[2] = bz;
	l.shared_bytes = shared;
	l.stream = stream;
	l.arguments = (const void *const *)arguments;
	l.argument_count = a.parameters;
	return cuda_error(r ? r : sov_function_launch(function, &l));
}
EXPORT cuEventCreate(sov_event *event, unsigned flags);
EXPORT cuEventCreate(sov_event *event, unsigned flags)
{
	return cuda_error(sov_event_create(context, flags, event));
}
EXPORT cuEventRecord(sov_event event, sov_stream stream);
EXPORT cuEventRecord(sov_event event, sov_stream stream)
{
	return cuda_error(sov_event_record(event, stream));
}
EXPORT cuEventSynchronize(sov_event event);
EXPORT cuEventSynchronize(sov_event event)
{
	return cuda_error(sov_event_wait(event, SOV_FOREVER));
}
EXPORT cuEventElapsedTime(float *milliseconds, sov_event from, sov_event to);
EXPORT cuEventElapsedTime(float *milliseconds, sov_event from, sov_event to)
{
	uint64_t nanoseconds = 0;
	sov_result r = sov_event_elapsed(from, to, &nanoseconds);

	*milliseconds = nanoseconds / 1e6f;
	return cuda_error(r);
}
EXPORT cuGetErrorName(int error, const char **name);
EXPORT cuGetErrorName(int error, const char **name)
{
	*name = error == LAUNCH_FAILED ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_INVALID_VALUE";
	return 0;
}
