// SPDX-License-Identifier: MIT
/* Launches: what <<<>>> becomes, and the calls that programs write themselves. */
#include <string.h>
#include "libsov/cuda/runtime/runtime.h"

__thread unsigned rt_per_thread;

/* ---- <<<>>>: the configuration is pushed, and popped by the function that nvcc generates ---- */

#define DEPTH 16 /* kernels whose arguments launch kernels nest */

struct configuration {
	dim3 grid, block;
	size_t shared;
	CUstream stream;
};
static __thread struct configuration configurations[DEPTH];
static __thread unsigned depth;

CUDA_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
						 CUstream stream)
{
	if (depth == DEPTH)
		return 1;
	configurations[depth++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

CUDA_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
						   void *stream)
{
	const struct configuration *k;

	if (!depth)
		return rt_return(CUDA_ERROR_RT_MISSING_CONFIGURATION);
	k = &configurations[--depth];
	*grid = k->grid;
	*block = k->block;
	*shared = k->shared;
	*(CUstream *)stream = k->stream;
	return CUDA_SUCCESS;
}

/* The driver's invalid value is the runtime's invalid configuration. */
cudaError_t rt_launch_error(CUresult e)
{
	return rt_return(e == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_RT_INVALID_CONFIGURATION : e);
}

static cudaError_t launch(CUfunction f, dim3 grid, dim3 block, void **arguments, size_t shared,
			  CUstream stream)
{
	CUresult e;

	if (shared > UINT32_MAX)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	e = cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,
			   rt_stream(stream), arguments, NULL);
	return e ? rt_launch_error(e) : CUDA_SUCCESS;
}

/* The handle is one of __cudaGetKernel. */
CUDA_EXPORT cudaError_t __cudaLaunchKernel(struct rt_kernel *kernel, dim3 grid, dim3 block,
					   void **arguments, size_t shared, CUstream stream)
{
	CUfunction f;
	CUresult e = kernel ? rt_kernel_function(kernel, &f) : CUDA_ERROR_RT_INVALID_FUNCTION;

	return e ? rt_return(e) : launch(f, grid, block, arguments, shared, stream);
}

CUDA_EXPORT cudaError_t __cudaLaunchKernel_ptsz(struct rt_kernel *kernel, dim3 grid, dim3 block,
						void **arguments, size_t shared, CUstream stream)
{
	return __cudaLaunchKernel(kernel, grid, block, arguments, shared,
				  stream ? stream : CU_STREAM_PER_THREAD);
}

RT cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
		    CUstream stream)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return e ? rt_return(e) : launch(f, grid, block, arguments, shared, stream);
}

RT cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
			       size_t shared, CUstream stream)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	if (e)
		return rt_return(e);
	return rt_launch_error(cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x,
							 block.y, block.z, (unsigned)shared,
							 rt_stream(stream), arguments));
}

struct launch_config {
	dim3 grid, block;
	size_t shared;
	CUstream stream;
	CUlaunchAttribute *attributes;
	unsigned count;
};

RT cudaLaunchKernelExC(const struct launch_config *c, const void *function, void **arguments)
{
	CUlaunchConfig d;
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = c ? rt_function(function, &f) : CUDA_ERROR_INVALID_VALUE;
	if (e)
		return rt_return(e);
	d = (CUlaunchConfig){c->grid.x,     c->grid.y,  c->grid.z,           c->block.x,
			     c->block.y,    c->block.z, (unsigned)c->shared, rt_stream(c->stream),
			     c->attributes, c->count};
	return rt_launch_error(cuLaunchKernelEx(&d, f, arguments, NULL));
}

RT cudaLaunchHostFunc(CUstream stream, CUhostFn function, void *user)
{
	CALL(cuLaunchHostFunc(rt_stream(stream), function, user));
}

/* ---- functions ---- */

struct function_attributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
	int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
	int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
	int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

RT cudaFuncGetAttributes(struct function_attributes *a, const void *function)
{
	int v[CU_FUNC_ATTRIBUTES];
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = a ? rt_function(function, &f) : CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; !e && k < CU_FUNC_ATTRIBUTES; k++)
		e = cuFuncGetAttribute(&v[k], (CUfunction_attribute)k, f);
	if (e)
		return rt_return(e);
	memset(a, 0, sizeof(*a));
	a->sharedSizeBytes = (size_t)v[CU_FUNC_SHARED_SIZE_BYTES];
	a->constSizeBytes = (size_t)v[CU_FUNC_CONST_SIZE_BYTES];
	a->localSizeBytes = (size_t)v[CU_FUNC_LOCAL_SIZE_BYTES];
	a->maxThreadsPerBlock = v[CU_FUNC_MAX_THREADS_PER_BLOCK];
	a->numRegs = v[CU_FUNC_NUM_REGS];
	a->ptxVersion = v[CU_FUNC_PTX_VERSION];
	a->binaryVersion = v[CU_FUNC_BINARY_VERSION];
	a->maxDynamicSharedSizeBytes = v[CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES];
	a->preferredShmemCarveout = v[CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT];
	a->nonPortableClusterSizeAllowed = v[CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED];
	return CUDA_SUCCESS;
}

/* Attributes of the runtime have the driver's numbers. */
RT cudaFuncSetAttribute(const void *function, unsigned attribute, int value)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e : cuFuncSetAttribute(f, (CUfunction_attribute)attribute, value));
}

RT cudaFuncSetCacheConfig(const void *function, unsigned config)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e : config > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
}

RT cudaFuncSetSharedMemConfig(const void *function, unsigned config)
{
	return cudaFuncSetCacheConfig(function, config);
}

RT cudaFuncGetName(const char **name, const void *function)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e : cuFuncGetName(name, f));
}

RT cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e : cuFuncGetParamInfo(f, index, offset, bytes));
}

/* ---- occupancy ---- */

RT cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
							  int threads, size_t shared,
							  unsigned flags)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e
			   : cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
				     blocks, f, threads, shared, flags));
}

RT cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
						 size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
								      shared, 0);
}

RT cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
					     int threads)
{
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = rt_function(function, &f);
	return rt_return(e ? e
			   : cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

static CUresult clusters(int *out, const void *function, const struct launch_config *c, bool size)
{
	CUlaunchConfig d;
	CUfunction f;
	CUresult e = rt_ready();

	if (!e)
		e = c ? rt_function(function, &f) : CUDA_ERROR_INVALID_VALUE;
	if (e)
		return e;
	d = (CUlaunchConfig){c->grid.x,  c->grid.y,           c->grid.z, c->block.x,    c->block.y,
			     c->block.z, (unsigned)c->shared, c->stream, c->attributes, c->count};
	return size ? cuOccupancyMaxPotentialClusterSize(out, f, &d)
		    : cuOccupancyMaxActiveClusters(out, f, &d);
}

RT cudaOccupancyMaxActiveClusters(int *out, const void *function, const struct launch_config *c)
{
	return rt_return(clusters(out, function, c, false));
}

RT cudaOccupancyMaxPotentialClusterSize(int *out, const void *function,
					const struct launch_config *c)
{
	return rt_return(clusters(out, function, c, true));
}
