// SPDX-License-Identifier: MIT
/* Attributes of functions, and occupancy. */
#include <string.h>
#include "libsov/cuda/driver/driver.h"

API cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f)
		return e;
	if (!value || (unsigned)attribute >= CU_FUNC_ATTRIBUTES)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(f->module->context, sov_function_get_attributes(f->sov, &a));
	switch (attribute) {
	case CU_FUNC_MAX_THREADS_PER_BLOCK:
		*value = (int)a.max_threads_per_block;
		break;
	case CU_FUNC_SHARED_SIZE_BYTES:
		*value = (int)a.shared_bytes;
		break;
	case CU_FUNC_LOCAL_SIZE_BYTES:
		*value = (int)a.local_bytes;
		break;
	case CU_FUNC_NUM_REGS:
		*value = (int)a.registers;
		break;
	case CU_FUNC_PTX_VERSION:
		*value = f->module->ptx_version;
		break;
	case CU_FUNC_BINARY_VERSION:
		*value = f->module->binary_version;
		break;
	case CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)f->max_dynamic_shared;
		break;
	case CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = f->carveout;
		break;
	case CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = f->cluster_large;
		break;
	default: /* constants are not counted; clusters have no required shape */
		*value = 0;
	}
	return e;
}

API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f)
		return e;
	switch (attribute) {
	case CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || (uint32_t)value + f->static_shared > f->device_max_shared)
			return CUDA_ERROR_INVALID_VALUE;
		f->max_dynamic_shared = (uint32_t)value;
		return CUDA_SUCCESS;
	case CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		f->carveout = value; /* a hint: a launch gets the shared memory that it needs */
		return CUDA_SUCCESS;
	case CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		f->cluster_large = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

API cuFuncSetCacheConfig(CUfunction handle, unsigned config)
{
	CUresult e;

	cuda_function(handle, &e);
	return e ? e : config > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API cuFuncSetSharedMemConfig(CUfunction handle, unsigned config)
{
	CUresult e;

	cuda_function(handle, &e);
	return e ? e : config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API cuFuncGetModule(CUmodule *out, CUfunction handle)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f || !out)
		return f ? CUDA_ERROR_INVALID_VALUE : e;
	*out = f->module;
	return CUDA_SUCCESS;
}

API cuFuncGetName(const char **name, CUfunction handle)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f || !name)
		return f ? CUDA_ERROR_INVALID_VALUE : e;
	*name = f->name;
	return CUDA_SUCCESS;
}

API cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *bytes)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f || !offset || index >= f->parameters)
		return f ? CUDA_ERROR_INVALID_VALUE : e;
	*offset = f->layout[index][0];
	if (bytes)
		*bytes = f->layout[index][1];
	return CUDA_SUCCESS;
}

API cuFuncIsLoaded(int *state, CUfunction handle)
{
	CUresult e;

	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	*state = 1;
	cuda_function(handle, &e);
	return e;
}

API cuFuncLoad(CUfunction handle)
{
	CUresult e;

	cuda_function(handle, &e);
	return e;
}

/* ---- occupancy ---- */

static CUresult occupancy(CUfunction f, int threads, size_t shared, uint32_t *blocks)
{
	*blocks = 0;
	if (threads <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (shared > UINT32_MAX)
		return CUDA_SUCCESS;
	return cuda_context_result(
		f->module->context,
		sov_function_get_occupancy(f->sov, (uint32_t)threads, (uint32_t)shared, blocks));
}

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle,
							 int threads, size_t shared, unsigned flags)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);
	uint32_t n;

	if (!f)
		return e;
	if (!blocks || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	e = occupancy(f, threads, shared, &n);
	*blocks = (int)n;
	return e;
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction handle, int threads,
						size_t shared)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared,
								    0);
}

/* The block size, a multiple of a warp, with the most resident threads; of several, the largest. */
API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
					      size_t (*shared_of)(int), size_t shared, int limit,
					      unsigned flags)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	CUresult e;
	CUfunction f = cuda_function(handle, &e);
	uint32_t n, best = 0;
	int warp, size;

	if (!f)
		return e;
	if (!grid || !block || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_context_result(f->module->context, sov_function_get_attributes(f->sov, &a));
	warp = (int)f->module->context->device->properties.warp_size;
	if (limit <= 0 || limit > (int)a.max_threads_per_block)
		limit = (int)a.max_threads_per_block;
	for (size = (limit + warp - 1) / warp * warp; !e && size > 0; size -= warp) {
		int threads = size < limit ? size : limit;

		e = occupancy(f, threads, shared_of ? shared_of(threads) : shared, &n);
		if (!e && n * (uint32_t)threads > best) {
			best = n * (uint32_t)threads;
			*block = threads;
			*grid = (int)(n * f->module->context->device->properties.multiprocessors);
		}
	}
	return e ? e : best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction handle,
				     size_t (*shared_of)(int), size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, shared,
							 limit, 0);
}

/* The most dynamic shared memory with which this number of blocks is resident. */
API cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction handle, int blocks,
					    int threads)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);
	uint32_t low = 0, high, middle, n;

	if (!f)
		return e;
	if (!bytes || blocks <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	high = f->device_max_shared - f->static_shared;
	while (!e && low < high) {
		middle = low + (high - low + 1) / 2;
		e = occupancy(f, threads, middle, &n);
		if (n >= (uint32_t)blocks)
			low = middle;
		else
			high = middle - 1;
	}
	*bytes = low;
	return e;
}

static void cluster_of(const CUlaunchConfig *c, uint32_t *cluster)
{
	cluster[0] = cluster[1] = cluster[2] = 1;
	for (unsigned k = 0; k < c->numAttrs; k++)
		if (c->attrs[k].id == CU_LAUNCH_CLUSTER_DIMENSION)
			memcpy(cluster, &c->attrs[k].value.clusterDim, 3 * sizeof(*cluster));
}

API cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle, const CUlaunchConfig *c)
{
	uint32_t cluster[3], n = 0;
	CUresult e;
	CUfunction f = cuda_function(handle, &e);

	if (!f)
		return e;
	if (!clusters || !c || (c->numAttrs && !c->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	cluster_of(c, cluster);
	e = cuda_context_result(f->module->context,
				sov_function_get_cluster_occupancy(
					f->sov, cluster, c->blockDimX * c->blockDimY * c->blockDimZ,
					c->sharedMemBytes, &n));
	*clusters = (int)n;
	return e;
}

API cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle, const CUlaunchConfig *c)
{
	CUresult e;
	CUfunction f = cuda_function(handle, &e);
	uint32_t cluster[3] = {1, 1, 1}, n;

	if (!f)
		return e;
	if (!size || !c)
		return CUDA_ERROR_INVALID_VALUE;
	*size = 1;
	for (uint32_t k = 2; k <= (f->cluster_large ? 16u : 8u); k *= 2) {
		cluster[0] = k;
		if (sov_function_get_cluster_occupancy(f->sov, cluster,
						       c->blockDimX * c->blockDimY * c->blockDimZ,
						       c->sharedMemBytes, &n) ||
		    !n)
			break;
		*size = (int)k;
	}
	return CUDA_SUCCESS;
}
