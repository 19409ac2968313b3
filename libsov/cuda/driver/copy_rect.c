// SPDX-License-Identifier: MIT
/*
 * Copies of two and three dimensions, also to and from arrays. An array that has rows in linear
 * memory is a side like any other; one in a texture's own layout is read and written as a whole.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/driver.h"

struct side {
	unsigned type;
	CUdeviceptr address;
	CUarray array;
	size_t x, y, z, pitch, rows;
};

static struct side source(const CUDA_MEMCPY3D *p)
{
	return (struct side){
		p->srcMemoryType,
		p->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->srcHost : p->srcDevice,
		p->srcArray,
		p->srcXInBytes,
		p->srcY,
		p->srcZ,
		p->srcPitch,
		p->srcHeight};
}

static struct side destination(const CUDA_MEMCPY3D *p)
{
	return (struct side){
		p->dstMemoryType,
		p->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->dstHost : p->dstDevice,
		p->dstArray,
		p->dstXInBytes,
		p->dstY,
		p->dstZ,
		p->dstPitch,
		p->dstHeight};
}

/* Resolves pitches of 0, and arrays with linear memory. */
static bool side_linear(struct side *s, size_t width, size_t height)
{
	if (s->type == CU_MEMORYTYPE_ARRAY) {
		if (!s->array->memory)
			return false;
		s->address = s->array->memory;
		s->pitch = s->array->pitch;
		s->rows = s->array->height;
	}
	if (!s->pitch)
		s->pitch = width;
	if (!s->rows)
		s->rows = height + s->y;
	s->address += (s->z * s->rows + s->y) * s->pitch + s->x;
	return true;
}

bool cuda_copy_rect(const CUDA_MEMCPY3D *p, sov_copy_rect *out)
{
	struct side to = destination(p), from = source(p);

	if (!side_linear(&to, p->WidthInBytes, p->Height) ||
	    !side_linear(&from, p->WidthInBytes, p->Height))
		return false;
	*out = SOV_INIT(sov_copy_rect);
	out->destination = to.address;
	out->source = from.address;
	out->destination_pitch = to.pitch;
	out->source_pitch = from.pitch;
	out->destination_rows = to.rows;
	out->source_rows = from.rows;
	out->width_bytes = p->WidthInBytes;
	out->height = p->Height;
	out->depth = p->Depth;
	return true;
}

static size_t array_bytes(CUarray a)
{
	return a->row_bytes * a->height * a->depth;
}

/* The other side as rows in host memory: either there, or a copy of the array's texels. */
static CUresult side_to_host(CUcontext c, struct side *s, void **copy)
{
	CUarray a = s->array;

	*copy = NULL;
	if (s->type != CU_MEMORYTYPE_ARRAY || a->memory)
		return CUDA_SUCCESS;
	*copy = malloc(array_bytes(a));
	if (!*copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	s->type = CU_MEMORYTYPE_UNIFIED;
	s->address = (uintptr_t)*copy;
	s->pitch = a->row_bytes;
	s->rows = a->height;
	return cuda_context_result(c, sov_texture_read(c->sov, a->texels, *copy));
}

static CUresult copy_rows(CUstream s, const sov_copy_rect *k, bool wait)
{
	CUcontext c = s->context;
	sov_result r;

	if (cuda_is_host(c, k->destination) && cuda_is_host(c, k->source)) {
		CUresult e = cuda_context_result(c, sov_stream_wait(s->sov, SOV_FOREVER));

		for (size_t z = 0; !e && z < k->depth; z++)
			for (size_t y = 0; y < k->height; y++)
				memmove((char *)(uintptr_t)k->destination +
						(z * k->destination_rows + y) *
							k->destination_pitch,
					(const char *)(uintptr_t)k->source +
						(z * k->source_rows + y) * k->source_pitch,
					k->width_bytes);
		return e;
	}
	r = sov_memory_copy_rect_async(s->sov, k);
	if (!r && wait)
		r = sov_stream_wait(s->sov, SOV_FOREVER);
	return cuda_context_result(c, r);
}

/* One side has no rows in linear memory. */
static CUresult copy_texels(CUstream s, const CUDA_MEMCPY3D *p)
{
	struct side to = destination(p), from = source(p);
	CUDA_MEMCPY3D q = *p;
	void *to_copy = NULL, *from_copy = NULL;
	CUcontext c = s->context;
	sov_copy_rect rect;
	CUresult e = cuda_context_result(c, sov_stream_wait(s->sov, SOV_FOREVER));

	if (!e)
		e = side_to_host(c, &to, &to_copy);
	if (!e)
		e = side_to_host(c, &from, &from_copy);
	if (!e) {
		q.srcMemoryType = from.type;
		q.srcDevice = from.address;
		q.srcPitch = from.pitch;
		q.srcHeight = from.rows;
		q.dstMemoryType = to.type;
		q.dstDevice = to.address;
		q.dstPitch = to.pitch;
		q.dstHeight = to.rows;
		cuda_copy_rect(&q, &rect);
		e = copy_rows(s, &rect, true);
	}
	if (!e && to_copy)
		e = cuda_context_result(c, sov_texture_write(c->sov, p->dstArray->texels, to_copy));
	free(to_copy);
	free(from_copy);
	return e;
}

static CUresult check_side(const struct side *s, const CUDA_MEMCPY3D *p)
{
	if (!s->type || s->type > CU_MEMORYTYPE_UNIFIED)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->type == CU_MEMORYTYPE_ARRAY) {
		if (!IS(s->array, ARRAY))
			return CUDA_ERROR_INVALID_HANDLE;
		return s->x + p->WidthInBytes > s->array->row_bytes ||
				       s->y + p->Height > s->array->height ||
				       s->z + p->Depth > s->array->depth
			       ? CUDA_ERROR_INVALID_VALUE
			       : CUDA_SUCCESS;
	}
	if (!s->address || (s->pitch && s->pitch < p->WidthInBytes))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuda_copy_3d(CUcontext c, CUstream s, const CUDA_MEMCPY3D *p, bool wait)
{
	struct side to, from;
	sov_copy_rect rect;
	CUresult e;

	(void)c;
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (!p->WidthInBytes || !p->Height || !p->Depth)
		return CUDA_SUCCESS;
	to = destination(p);
	from = source(p);
	e = check_side(&to, p);
	if (!e)
		e = check_side(&from, p);
	if (e)
		return e;
	if (s->capture)
		return wait ? cuda_capture_unsupported(s) : cuda_capture_copy(s, p);
	e = cuda_stream_begin(s);
	if (!e)
		e = cuda_copy_rect(p, &rect) ? copy_rows(s, &rect, wait) : copy_texels(s, p);
	cuda_stream_end(s);
	return e;
}

/* ---- calls ---- */

static CUresult copy_3d(const CUDA_MEMCPY3D *p, CUstream handle, bool wait)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	return s ? cuda_copy_3d(s->context, s, p, wait) : e;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *p, CUstream handle, bool wait)
{
	CUDA_MEMCPY3D q;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	q = (CUDA_MEMCPY3D){.srcXInBytes = p->srcXInBytes,
			    .srcY = p->srcY,
			    .srcMemoryType = p->srcMemoryType,
			    .srcHost = p->srcHost,
			    .srcDevice = p->srcDevice,
			    .srcArray = p->srcArray,
			    .srcPitch = p->srcPitch,
			    .dstXInBytes = p->dstXInBytes,
			    .dstY = p->dstY,
			    .dstMemoryType = p->dstMemoryType,
			    .dstHost = p->dstHost,
			    .dstDevice = p->dstDevice,
			    .dstArray = p->dstArray,
			    .dstPitch = p->dstPitch,
			    .WidthInBytes = p->WidthInBytes,
			    .Height = p->Height,
			    .Depth = 1};
	return copy_3d(&q, handle, wait);
}

API cuMemcpy2D_v2(const CUDA_MEMCPY2D *p)
{
	return copy_2d(p, NULL, true);
}

API cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *p)
{
	return copy_2d(p, NULL, true);
}

API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *p, CUstream stream)
{
	return copy_2d(p, stream, false);
}

API cuMemcpy3D_v2(const CUDA_MEMCPY3D *p)
{
	return copy_3d(p, NULL, true);
}

API cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *p, CUstream stream)
{
	return copy_3d(p, stream, false);
}

/* Between the memory of two contexts, row by row. */
static CUresult copy_peer(const CUDA_MEMCPY3D *p, CUstream handle)
{
	struct side to, from;
	sov_copy_rect k;
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	to = destination(p);
	from = source(p);
	e = check_side(&to, p);
	if (!e)
		e = check_side(&from, p);
	if (!e && !cuda_copy_rect(p, &k))
		e = cuda_missing("cuMemcpy3DPeer", "arrays in the texture's own layout");
	for (uint64_t z = 0; !e && z < k.depth; z++)
		for (uint64_t y = 0; !e && y < k.height; y++)
			e = cuda_copy(s->context, s,
				      k.destination +
					      (z * k.destination_rows + y) * k.destination_pitch,
				      k.source + (z * k.source_rows + y) * k.source_pitch,
				      k.width_bytes, true);
	return e;
}

API cuMemcpy3DPeer(const CUDA_MEMCPY3D *p)
{
	return copy_peer(p, NULL);
}

API cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *p, CUstream stream)
{
	return copy_peer(p, stream);
}

/* A row of an array and linear memory. */
static CUresult copy_array(CUarray array, size_t offset, CUdeviceptr linear, size_t bytes,
			   bool to_array, CUstream handle, bool wait)
{
	CUDA_MEMCPY3D p = {.WidthInBytes = bytes, .Height = 1, .Depth = 1};

	p.srcMemoryType = to_array ? CU_MEMORYTYPE_UNIFIED : CU_MEMORYTYPE_ARRAY;
	p.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
	p.srcDevice = p.dstDevice = linear;
	p.srcArray = p.dstArray = array;
	p.srcXInBytes = to_array ? 0 : offset;
	p.dstXInBytes = to_array ? offset : 0;
	return copy_3d(&p, handle, wait);
}

API cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t bytes)
{
	return copy_array(to, offset, (uintptr_t)from, bytes, true, NULL, true);
}

API cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream)
{
	return copy_array(to, offset, (uintptr_t)from, bytes, true, stream, false);
}

API cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t bytes)
{
	return copy_array(from, offset, (uintptr_t)to, bytes, false, NULL, true);
}

API cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream)
{
	return copy_array(from, offset, (uintptr_t)to, bytes, false, stream, false);
}

API cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
	return copy_array(to, offset, from, bytes, true, NULL, true);
}

API cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
	return copy_array(from, offset, to, bytes, false, NULL, true);
}
