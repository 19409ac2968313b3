// SPDX-License-Identifier: MIT
/*
 * Stream-ordered allocation. Each context has one pool of sov.h, which all pools of a device stand
 * for: a pool that a program creates has its own attributes, but takes its memory from there.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

struct CUmemPoolHandle_st {
	CUdevice device;
	uint64_t threshold;
	int reuse[4]; /* attributes 1 to 3 */
	bool created;
};
static struct CUmemPoolHandle_st default_pools[MAX_DEVICES];
static CUmemoryPool current_pools[MAX_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void pools_start(void)
{
	for (int k = 0; k < MAX_DEVICES; k++) {
		default_pools[k] = (struct CUmemPoolHandle_st){.device = k, .reuse = {0, 1, 1, 1}};
		current_pools[k] = &default_pools[k];
	}
}

API cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device)
{
	CUresult e;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_once(&once, pools_start);
	if (cuda_device_get(device, &e))
		*out = &default_pools[device];
	return e;
}

API cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device)
{
	CUresult e;

	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_once(&once, pools_start);
	if (cuda_device_get(device, &e))
		*out = current_pools[device];
	return e;
}

API cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUresult e;

	pthread_once(&once, pools_start);
	if (!pool || pool->device != device)
		return CUDA_ERROR_INVALID_VALUE;
	if (cuda_device_get(device, &e))
		current_pools[device] = pool;
	return e;
}

API cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties)
{
	CUmemoryPool p;
	CUresult e;

	if (!out || !properties || properties->location.type != 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (properties->handleTypes)
		return cuda_missing("cuMemPoolCreate", "pools that other processes can open");
	if (!cuda_device_get(properties->location.id, &e))
		return e;
	p = calloc(1, sizeof(*p));
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*p = (struct CUmemPoolHandle_st){
		.device = properties->location.id, .reuse = {0, 1, 1, 1}, .created = true};
	*out = p;
	return CUDA_SUCCESS;
}

API cuMemPoolDestroy(CUmemoryPool p)
{
	if (!p || !p->created)
		return CUDA_ERROR_INVALID_VALUE;
	if (current_pools[p->device] == p)
		current_pools[p->device] = &default_pools[p->device];
	free(p);
	return CUDA_SUCCESS;
}

static CUcontext pool_context(CUmemoryPool p, CUresult *r)
{
	struct cuda_device *d = cuda_device_get(p->device, r);
	CUcontext c = cuda_context_peek();

	if (!d)
		return NULL;
	if (!c || c->ordinal != p->device)
		c = d->primary;
	*r = c ? cuda_context_ready(c) : CUDA_ERROR_INVALID_CONTEXT;
	return *r ? NULL : c;
}

static CUresult statistics(CUmemoryPool p, unsigned attribute, uint64_t *value)
{
	sov_pool_statistics s = SOV_INIT(sov_pool_statistics);
	CUresult e;
	CUcontext c = pool_context(p, &e);

	if (!c)
		return e;
	e = cuda_context_result(c, sov_pool_get_statistics(c->sov, &s));
	*value = attribute == 5   ? s.held_bytes
		 : attribute == 6 ? s.peak_held_bytes
		 : attribute == 7 ? s.used_bytes
				  : s.peak_used_bytes;
	return e;
}

API cuMemPoolGetAttribute(CUmemoryPool p, unsigned attribute, void *value)
{
	if (!p || !value || !attribute || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute <= 3)
		*(int *)value = p->reuse[attribute];
	else if (attribute == 4)
		*(uint64_t *)value = p->threshold;
	else
		return statistics(p, attribute, value);
	return CUDA_SUCCESS;
}

/* The pool keeps freed memory anyway; its peaks cannot be reset. */
API cuMemPoolSetAttribute(CUmemoryPool p, unsigned attribute, void *value)
{
	if (!p || !value || !attribute || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute <= 3)
		p->reuse[attribute] = *(int *)value;
	else if (attribute == 4)
		p->threshold = *(uint64_t *)value;
	else if (attribute == 5 || attribute == 7 || *(uint64_t *)value)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

API cuMemPoolTrimTo(CUmemoryPool p, size_t keep)
{
	CUresult e;
	CUcontext c = p ? pool_context(p, &e) : NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	return c ? cuda_context_result(c, sov_pool_trim(c->sov, keep)) : e;
}

API cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *access, size_t count)
{
	if (!p || (count && !access))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t k = 0; k < count; k++)
		if (access[k].location.id != p->device)
			return CUDA_ERROR_INVALID_DEVICE;
	return CUDA_SUCCESS;
}

API cuMemPoolGetAccess(unsigned *flags, CUmemoryPool p, const CUmemLocation *location)
{
	if (!flags || !p || !location)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = location->type == 1 && location->id == p->device ? 3 : 0;
	return CUDA_SUCCESS;
}

/* ---- allocations ---- */

API cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream handle)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);
	struct memory_range range;
	sov_ptr address;

	if (!s)
		return e;
	if (!out || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return cuda_capture_alloc(s, bytes, out);
	e = cuda_stream_begin(s);
	if (!e)
		e = cuda_context_result(s->context,
					sov_memory_alloc_async(s->sov, bytes, &address));
	cuda_stream_end(s);
	if (e)
		return e;
	range = (struct memory_range){address, bytes, s->context, MEMORY_POOL, 0, NULL};
	*out = address;
	return cuda_memory_add(&range);
}

API cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream handle)
{
	return pool ? cuMemAllocAsync(out, bytes, handle) : CUDA_ERROR_INVALID_VALUE;
}

API cuMemFreeAsync(CUdeviceptr address, CUstream handle)
{
	struct memory_range range;
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (!address)
		return CUDA_SUCCESS;
	if (s->capture)
		return cuda_capture_free(s, address);
	if (!cuda_memory_find(address, &range) || range.address != address ||
	    (range.kind != MEMORY_POOL && range.kind != MEMORY_DEVICE))
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_stream_begin(s);
	if (e || !cuda_memory_take(address, &range))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	if (range.kind == MEMORY_POOL) {
		e = cuda_context_result(s->context, sov_memory_free_async(s->sov, address));
	} else {
		e = cuda_context_result(s->context, sov_stream_wait(s->sov, SOV_FOREVER));
		if (!e)
			e = cuda_context_result(range.context,
						sov_memory_free(range.context->sov, address));
	}
	cuda_stream_end(s);
	return e;
}
