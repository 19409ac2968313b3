// SPDX-License-Identifier: MIT
/*
 * Copies and fills. Where both sides are memory that no GPU reaches, the host copies once the
 * stream is idle; between two contexts the copy goes through host memory.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

bool cuda_is_pageable(CUcontext c, CUdeviceptr address)
{
	struct memory_range range;
	sov_ptr base;
	uint64_t n;

	return !cuda_memory_find(address, &range) &&
	       sov_memory_range(c->sov, address, &base, &n) != SOV_OK;
}

bool cuda_is_host(CUcontext c, CUdeviceptr address)
{
	struct memory_range range;
	sov_ptr base;
	uint64_t n;

	if (cuda_memory_find(address, &range))
		return range.kind != MEMORY_DEVICE && range.kind != MEMORY_POOL &&
		       range.kind != MEMORY_IPC;
	return sov_memory_range(c->sov, address, &base, &n) != SOV_OK;
}

/* The context whose GPU has the address in its memory; c for host memory. */
static CUcontext owner_of(CUcontext c, CUdeviceptr address)
{
	struct memory_range range;

	return cuda_memory_find(address, &range) &&
			       (range.kind == MEMORY_DEVICE || range.kind == MEMORY_POOL ||
				range.kind == MEMORY_IPC)
		       ? range.context
		       : c;
}

static CUresult wait_stream(CUstream s)
{
	return cuda_context_result(s->context, sov_stream_wait(s->sov, SOV_FOREVER));
}

static CUresult copy_between_contexts(CUcontext to_context, CUdeviceptr to, CUcontext from_context,
				      CUdeviceptr from, size_t bytes)
{
	void *host = malloc(bytes);
	sov_result r;
	CUresult e;

	if (!host)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = sov_memory_copy(from_context->sov, SOV_HOST(host), from, bytes);
	e = cuda_context_result(from_context, r);
	if (!e)
		e = cuda_context_result(
			to_context, sov_memory_copy(to_context->sov, to, SOV_HOST(host), bytes));
	free(host);
	return e;
}

/* A copy that is not one of the stream's context: the stream waits, then the caller. */
static CUresult copy_aside(CUstream s, CUdeviceptr to, CUcontext to_owner, CUdeviceptr from,
			   CUcontext from_owner, size_t bytes)
{
	CUresult e = wait_stream(s);

	if (e)
		return e;
	if (to_owner == from_owner || cuda_is_host(s->context, from))
		return cuda_context_result(to_owner,
					   sov_memory_copy(to_owner->sov, to, from, bytes));
	if (cuda_is_host(s->context, to))
		return cuda_context_result(from_owner,
					   sov_memory_copy(from_owner->sov, to, from, bytes));
	return copy_between_contexts(to_owner, to, from_owner, from, bytes);
}

static CUresult copy_now(CUstream s, CUdeviceptr to, CUdeviceptr from, size_t bytes, bool wait)
{
	CUcontext c = s->context, to_owner, from_owner;
	sov_result r;

	to_owner = owner_of(c, to);
	from_owner = owner_of(c, from);
	if (to_owner != c || from_owner != c)
		return copy_aside(s, to, to_owner, from, from_owner, bytes);
	if (cuda_is_host(c, to) && cuda_is_host(c, from)) {
		CUresult e = wait_stream(s);

		if (!e)
			memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
		return e;
	}
	if (wait && s->legacy)
		return cuda_context_result(c, sov_memory_copy(c->sov, to, from, bytes));
	r = sov_memory_copy_async(s->sov, to, from, bytes);
	if (!r && wait)
		r = sov_stream_wait(s->sov, SOV_FOREVER);
	return cuda_context_result(c, r);
}

CUresult cuda_copy(CUcontext c, CUstream s, CUdeviceptr to, CUdeviceptr from, size_t bytes,
		   bool wait)
{
	CUDA_MEMCPY3D p;
	CUresult e;

	(void)c;
	if (!bytes)
		return CUDA_SUCCESS;
	if (!to || !from)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture) {
		if (wait)
			return cuda_capture_unsupported(s);
		p = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
				    .srcDevice = from,
				    .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
				    .dstDevice = to,
				    .WidthInBytes = bytes,
				    .Height = 1,
				    .Depth = 1};
		return cuda_capture_copy(s, &p);
	}
	if (to == from)
		return CUDA_SUCCESS;
	e = cuda_stream_begin(s);
	if (!e)
		e = copy_now(s, to, from, bytes, wait);
	cuda_stream_end(s);
	return e;
}

static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle, bool wait)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	return s ? cuda_copy(s->context, s, to, from, bytes, wait) : e;
}

API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	return copy(to, from, bytes, NULL, true);
}

API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	return copy(to, from, bytes, stream, false);
}

API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	return copy(to, (uintptr_t)from, bytes, NULL, true);
}

API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	return copy((uintptr_t)to, from, bytes, NULL, true);
}

API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	return copy(to, from, bytes, NULL, false);
}

API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	return copy(to, (uintptr_t)from, bytes, stream, false);
}

API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	return copy((uintptr_t)to, from, bytes, stream, false);
}

API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	return copy(to, from, bytes, stream, false);
}

/* The addresses say which context they belong to. */
API cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		 size_t bytes)
{
	(void)to_context, (void)from_context;
	return copy(to, from, bytes, NULL, true);
}

API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
		      CUcontext from_context, size_t bytes, CUstream stream)
{
	(void)to_context, (void)from_context;
	return copy(to, from, bytes, stream, false);
}

/* ---- fills ---- */

static CUresult fill_rows(CUstream s, CUdeviceptr to, size_t pitch, unsigned value,
			  unsigned element, size_t width, size_t height)
{
	sov_result r = SOV_OK;

	if (height == 1 || pitch == width * element) {
		width *= height;
		height = 1;
	}
	for (size_t row = 0; !r && row < height; row++)
		r = sov_memory_fill_async(s->sov, to + row * pitch, value, element, width);
	return cuda_context_result(s->context, r);
}

CUresult cuda_fill(CUstream s, CUdeviceptr to, size_t pitch, unsigned value, unsigned element,
		   size_t width, size_t height, bool wait)
{
	CUDA_MEMSET_NODE_PARAMS p = {to, pitch, value, element, width, height};
	struct memory_range range;
	CUresult e;

	if (!width || !height)
		return CUDA_SUCCESS;
	if (!to || to % element || (height > 1 && pitch < width * element))
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return wait ? cuda_capture_unsupported(s) : cuda_capture_fill(s, &p);
	e = cuda_stream_begin(s);
	if (!e)
		e = fill_rows(s, to, pitch, value, element, width, height);
	/* A fill of device memory is asynchronous also without a stream. */
	if (!e && wait && cuda_memory_find(to, &range) && range.kind != MEMORY_DEVICE)
		e = wait_stream(s);
	cuda_stream_end(s);
	return e;
}

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element, size_t width,
		     size_t height, CUstream handle, bool wait)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	return s ? cuda_fill(s, to, pitch, value, element, width, height, wait) : e;
}

#define FILLS(bits, type) \
	API cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) \
	{ \
		return fill(to, 0, value, sizeof(type), count, 1, NULL, true); \
	} \
	API cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) \
	{ \
		return fill(to, 0, value, sizeof(type), count, 1, stream, false); \
	} \
	API cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, \
				   size_t height) \
	{ \
		return fill(to, pitch, value, sizeof(type), width, height, NULL, true); \
	} \
	API cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, \
				     size_t height, CUstream stream) \
	{ \
		return fill(to, pitch, value, sizeof(type), width, height, stream, false); \
	}
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
