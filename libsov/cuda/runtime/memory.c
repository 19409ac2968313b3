// SPDX-License-Identifier: MIT
/* Memory of the runtime: allocations, copies, fills, variables. */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/runtime/runtime.h"

static CUdeviceptr address(const void *p)
{
	return (CUdeviceptr)(uintptr_t)p;
}

RT cudaMalloc(void **out, size_t bytes)
{
	CUdeviceptr p = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e && bytes)
		e = cuMemAlloc_v2(&p, bytes);
	if (!e)
		*out = (void *)(uintptr_t)p;
	return rt_return(e);
}

RT cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
	CUdeviceptr p = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuMemAllocPitch_v2(&p, pitch, width, height, 4);
	if (!e)
		*out = (void *)(uintptr_t)p;
	return rt_return(e);
}

RT cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent)
{
	if (!out)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	out->xsize = extent.width;
	out->ysize = extent.height;
	return cudaMallocPitch(&out->ptr, &out->pitch, extent.width,
			       extent.height * (extent.depth ? extent.depth : 1));
}

RT cudaFree(void *p)
{
	CUresult e = rt_ready();

	return rt_return(e || !p ? e : cuMemFree_v2(address(p)));
}

RT cudaMallocHost(void **out, size_t bytes)
{
	CALL(cuMemAllocHost_v2(out, bytes));
}

RT cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
	CALL(cuMemHostAlloc(out, bytes, flags));
}

RT cudaFreeHost(void *p)
{
	CALL(cuMemFreeHost(p));
}

RT cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
	CALL(cuMemHostRegister_v2(p, bytes, flags));
}

RT cudaHostUnregister(void *p)
{
	CALL(cuMemHostUnregister(p));
}

RT cudaHostGetDevicePointer(void **out, void *p, unsigned flags)
{
	CUdeviceptr d = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuMemHostGetDevicePointer_v2(&d, p, flags);
	if (!e)
		*out = (void *)(uintptr_t)d;
	return rt_return(e);
}

RT cudaHostGetFlags(unsigned *flags, void *p)
{
	CALL(cuMemHostGetFlags(flags, p));
}

RT cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
	CUdeviceptr p = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuMemAllocManaged(&p, bytes, flags);
	if (!e)
		*out = (void *)(uintptr_t)p;
	return rt_return(e);
}

RT cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	CALL(cuMemGetInfo_v2(free_bytes, total));
}

/* ---- managed memory: CUDA 13 passes places, 12 device numbers ---- */

#if CUDART_MAJOR == 12
RT cudaMemPrefetchAsync(const void *p, size_t bytes, int device, CUstream stream)
{
	CALL(cuMemPrefetchAsync(address(p), bytes, device, rt_stream(stream)));
}

RT cudaMemAdvise(const void *p, size_t bytes, unsigned advice, int device)
{
	CALL(cuMemAdvise(address(p), bytes, advice, device));
}

RT cudaMemPrefetchAsync_v2(const void *p, size_t bytes, CUmemLocation where, unsigned flags,
			   CUstream stream)
{
	CALL(cuMemPrefetchAsync_v2(address(p), bytes, where, flags, rt_stream(stream)));
}

RT cudaMemAdvise_v2(const void *p, size_t bytes, unsigned advice, CUmemLocation where)
{
	CALL(cuMemAdvise_v2(address(p), bytes, advice, where));
}
#else
RT cudaMemPrefetchAsync(const void *p, size_t bytes, CUmemLocation where, unsigned flags,
			CUstream stream)
{
	CALL(cuMemPrefetchAsync_v2(address(p), bytes, where, flags, rt_stream(stream)));
}

RT cudaMemAdvise(const void *p, size_t bytes, unsigned advice, CUmemLocation where)
{
	CALL(cuMemAdvise_v2(address(p), bytes, advice, where));
}
#endif

RT cudaMemRangeGetAttribute(void *data, size_t bytes, unsigned attribute, const void *p,
			    size_t count)
{
	CALL(cuMemRangeGetAttribute(data, bytes, attribute, address(p), count));
}

RT cudaMemRangeGetAttributes(void **data, size_t *bytes, unsigned *attributes, size_t count,
			     const void *p, size_t range)
{
	CALL(cuMemRangeGetAttributes(data, bytes, attributes, count, address(p), range));
}

RT cudaStreamAttachMemAsync(CUstream stream, void *p, size_t bytes, unsigned flags)
{
	CALL(cuStreamAttachMemAsync(rt_stream(stream), address(p), bytes, flags));
}

/* ---- what an address is ---- */

struct pointer_attributes {
	unsigned type; /* 0 unregistered, 1 host, 2 device, 3 managed */
	int device;
	void *devicePointer, *hostPointer;
	long reserved[8];
};

RT cudaPointerGetAttributes(struct pointer_attributes *a, const void *p)
{
	static unsigned wanted[] = {2, 8, 9};
	unsigned type = 0;
	int managed = 0, device = -2;
	void *data[] = {&type, &managed, &device};
	CUresult e = a ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = cuPointerGetAttributes(3, wanted, data, address(p));
	if (e)
		return rt_return(e);
	memset(a, 0, sizeof(*a));
	a->type = managed ? 3 : type;
	a->device = device;
	a->devicePointer = type ? (void *)(uintptr_t)p : NULL;
	a->hostPointer =
		!type || type == CU_MEMORYTYPE_HOST || managed ? (void *)(uintptr_t)p : NULL;
	return CUDA_SUCCESS;
}

/* ---- copies: the addresses say where they lie, so the direction is only checked ---- */

static cudaError_t copy(void *to, const void *from, size_t bytes, unsigned kind, CUstream stream,
			bool wait)
{
	CUresult e = kind > COPY_DEFAULT ? CUDA_ERROR_RT_INVALID_DIRECTION : rt_ready();

	if (e || !bytes)
		return rt_return(e);
	if (!wait)
		return rt_return(cuMemcpyAsync(address(to), address(from), bytes, stream));
	if (stream != CU_STREAM_PER_THREAD)
		return rt_return(cuMemcpy(address(to), address(from), bytes));
	e = cuMemcpyAsync(address(to), address(from), bytes, stream);
	return rt_return(e ? e : cuStreamSynchronize(stream));
}

RT cudaMemcpy(void *to, const void *from, size_t bytes, unsigned kind)
{
	return copy(to, from, bytes, kind, rt_stream(NULL), true);
}

RT cudaMemcpyAsync(void *to, const void *from, size_t bytes, unsigned kind, CUstream stream)
{
	return copy(to, from, bytes, kind, rt_stream(stream), false);
}

RT cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	(void)to_device, (void)from_device;
	return copy(to, from, bytes, COPY_DEFAULT, rt_stream(NULL), true);
}

RT cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
		       CUstream stream)
{
	(void)to_device, (void)from_device;
	return copy(to, from, bytes, COPY_DEFAULT, rt_stream(stream), false);
}

static cudaError_t copy_symbol(const void *symbol, size_t offset, const void *other, size_t bytes,
			       unsigned kind, bool to_symbol, CUstream stream, bool wait)
{
	CUdeviceptr p = 0;
	size_t room = 0;
	CUresult e = rt_symbol(symbol, &p, &room);
	char *at;

	if (e)
		return rt_return(e);
	if (offset > room || bytes > room - offset)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	at = (char *)(uintptr_t)p + offset;
	return to_symbol ? copy(at, other, bytes, kind, stream, wait)
			 : copy((void *)(uintptr_t)other, at, bytes, kind, stream, wait);
}

RT cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
		      unsigned kind)
{
	return copy_symbol(symbol, offset, from, bytes, kind, true, rt_stream(NULL), true);
}

RT cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
			   unsigned kind, CUstream stream)
{
	return copy_symbol(symbol, offset, from, bytes, kind, true, rt_stream(stream), false);
}

RT cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, unsigned kind)
{
	return copy_symbol(symbol, offset, to, bytes, kind, false, rt_stream(NULL), true);
}

RT cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
			     unsigned kind, CUstream stream)
{
	return copy_symbol(symbol, offset, to, bytes, kind, false, rt_stream(stream), false);
}

/* ---- fills ---- */

RT cudaMemset(void *p, int value, size_t bytes)
{
	READY();
	if (rt_per_thread)
		return rt_return(cuMemsetD8Async(address(p), (unsigned char)value, bytes,
						 CU_STREAM_PER_THREAD));
	return rt_return(cuMemsetD8_v2(address(p), (unsigned char)value, bytes));
}

RT cudaMemsetAsync(void *p, int value, size_t bytes, CUstream stream)
{
	CALL(cuMemsetD8Async(address(p), (unsigned char)value, bytes, rt_stream(stream)));
}

RT cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, CUstream stream)
{
	CALL(cuMemsetD2D8Async(address(p), pitch, (unsigned char)value, width, height,
			       rt_stream(stream)));
}

RT cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(p, pitch, value, width, height, NULL);
}

RT cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, CUstream stream)
{
	CUresult e = rt_ready();

	for (size_t z = 0; !e && z < extent.depth; z++)
		e = cuMemsetD2D8Async(address(p.ptr) + z * p.pitch * p.ysize, p.pitch,
				      (unsigned char)value, extent.width, extent.height,
				      rt_stream(stream));
	return rt_return(e);
}

RT cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent)
{
	return cudaMemset3DAsync(p, value, extent, NULL);
}

/* ---- stream-ordered allocation ---- */

RT cudaMallocAsync(void **out, size_t bytes, CUstream stream)
{
	CUdeviceptr p = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e && bytes)
		e = cuMemAllocAsync(&p, bytes, rt_stream(stream));
	if (!e)
		*out = (void *)(uintptr_t)p;
	return rt_return(e);
}

RT cudaMallocFromPoolAsync(void **out, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	CUdeviceptr p = 0;
	CUresult e = out ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e && bytes)
		e = cuMemAllocFromPoolAsync(&p, bytes, pool, rt_stream(stream));
	if (!e)
		*out = (void *)(uintptr_t)p;
	return rt_return(e);
}

RT cudaFreeAsync(void *p, CUstream stream)
{
	CALL(cuMemFreeAsync(address(p), rt_stream(stream)));
}

RT cudaDeviceGetDefaultMemPool(CUmemoryPool *pool, int device)
{
	CALL(cuDeviceGetDefaultMemPool(pool, device));
}

RT cudaDeviceGetMemPool(CUmemoryPool *pool, int device)
{
	CALL(cuDeviceGetMemPool(pool, device));
}

RT cudaDeviceSetMemPool(int device, CUmemoryPool pool)
{
	CALL(cuDeviceSetMemPool(device, pool));
}

RT cudaMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
	CALL(cuMemPoolCreate(pool, properties));
}

RT cudaMemPoolDestroy(CUmemoryPool pool)
{
	CALL(cuMemPoolDestroy(pool));
}

RT cudaMemPoolGetAttribute(CUmemoryPool pool, unsigned attribute, void *value)
{
	CALL(cuMemPoolGetAttribute(pool, attribute, value));
}

RT cudaMemPoolSetAttribute(CUmemoryPool pool, unsigned attribute, void *value)
{
	CALL(cuMemPoolSetAttribute(pool, attribute, value));
}

RT cudaMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CALL(cuMemPoolTrimTo(pool, keep));
}

RT cudaMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
	CALL(cuMemPoolSetAccess(pool, access, count));
}

RT cudaMemPoolGetAccess(unsigned *flags, CUmemoryPool pool, CUmemLocation *where)
{
	CALL(cuMemPoolGetAccess(flags, pool, where));
}

#if CUDART_MAJOR == 12
RT cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, int device, CUstream stream)
{
	return cudaMemPrefetchAsync(p, bytes, device, stream ? stream : CU_STREAM_PER_THREAD);
}
#else
RT cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, CUmemLocation where, unsigned flags,
			     CUstream stream)
{
	return cudaMemPrefetchAsync(p, bytes, where, flags, stream ? stream : CU_STREAM_PER_THREAD);
}
#endif
