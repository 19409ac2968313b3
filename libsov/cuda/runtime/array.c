// SPDX-License-Identifier: MIT
/* Arrays, copies of two and three dimensions, texture and surface objects of the runtime. */
#include <string.h>
#include "libsov/cuda/runtime/runtime.h"

/* ---- formats: bits of each channel and a kind, or format and channels ---- */

enum { KIND_SIGNED = 0, KIND_UNSIGNED = 1, KIND_FLOAT = 2 };

static const struct {
	CUarray_format format;
	int bits;
	unsigned kind;
} formats[] = {
	{CU_AD_FORMAT_SIGNED_INT8, 8, KIND_SIGNED},
	{CU_AD_FORMAT_SIGNED_INT16, 16, KIND_SIGNED},
	{CU_AD_FORMAT_SIGNED_INT32, 32, KIND_SIGNED},
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, KIND_UNSIGNED},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, KIND_UNSIGNED},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, KIND_UNSIGNED},
	{CU_AD_FORMAT_HALF, 16, KIND_FLOAT},
	{CU_AD_FORMAT_FLOAT, 32, KIND_FLOAT},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static bool to_format(const cudaChannelFormatDesc *d, CUarray_format *format, unsigned *channels)
{
	*channels = (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0);
	for (size_t k = 0; k < FORMATS; k++)
		if (formats[k].bits == d->x && formats[k].kind == d->kind) {
			*format = formats[k].format;
			return true;
		}
	return false;
}

static cudaChannelFormatDesc from_format(CUarray_format format, unsigned channels)
{
	cudaChannelFormatDesc d = {0};

	for (size_t k = 0; k < FORMATS; k++)
		if (formats[k].format == format) {
			d.x = formats[k].bits;
			d.y = channels > 1 ? d.x : 0;
			d.z = channels > 2 ? d.x : 0;
			d.w = channels > 3 ? d.x : 0;
			d.kind = formats[k].kind;
		}
	return d;
}

CUDA_EXPORT cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, unsigned kind)
{
	return (cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- arrays ---- */

static bool describe(const cudaChannelFormatDesc *d, cudaExtent extent, unsigned flags,
		     CUDA_ARRAY3D_DESCRIPTOR *a)
{
	*a = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
				       .Height = extent.height,
				       .Depth = extent.depth,
				       .Flags = flags};
	return d && to_format(d, &a->Format, &a->NumChannels);
}

RT cudaMalloc3DArray(CUarray *out, const cudaChannelFormatDesc *d, cudaExtent extent,
		     unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR a;

	if (!describe(d, extent, flags, &a))
		return rt_return(CUDA_ERROR_RT_INVALID_CHANNEL);
	CALL(cuArray3DCreate_v2(out, &a));
}

RT cudaMallocArray(CUarray *out, const cudaChannelFormatDesc *d, size_t width, size_t height,
		   unsigned flags)
{
	return cudaMalloc3DArray(out, d, (cudaExtent){width, height, 0}, flags);
}

RT cudaFreeArray(CUarray array)
{
	READY();
	return rt_return(array ? cuArrayDestroy(array) : CUDA_SUCCESS);
}

RT cudaMallocMipmappedArray(CUmipmappedArray *out, const cudaChannelFormatDesc *d,
			    cudaExtent extent, unsigned levels, unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR a;

	if (!describe(d, extent, flags, &a))
		return rt_return(CUDA_ERROR_RT_INVALID_CHANNEL);
	CALL(cuMipmappedArrayCreate(out, &a, levels));
}

RT cudaFreeMipmappedArray(CUmipmappedArray m)
{
	READY();
	return rt_return(m ? cuMipmappedArrayDestroy(m) : CUDA_SUCCESS);
}

RT cudaGetMipmappedArrayLevel(CUarray *out, CUmipmappedArray m, unsigned level)
{
	CALL(cuMipmappedArrayGetLevel(out, m, level));
}

RT cudaArrayGetInfo(cudaChannelFormatDesc *d, cudaExtent *extent, unsigned *flags, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR a;
	CUresult e = cuArray3DGetDescriptor_v2(&a, array);

	if (e)
		return rt_return(e);
	if (d)
		*d = from_format(a.Format, a.NumChannels);
	if (extent)
		*extent = (cudaExtent){a.Width, a.Height, a.Depth};
	if (flags)
		*flags = a.Flags;
	return CUDA_SUCCESS;
}

RT cudaGetChannelDesc(cudaChannelFormatDesc *d, CUarray array)
{
	return cudaArrayGetInfo(d, NULL, NULL, array);
}

/* Bytes of an element; 0: not an array. */
static size_t element_bytes(CUarray array)
{
	cudaChannelFormatDesc d;

	if (!array || cudaArrayGetInfo(&d, NULL, NULL, array))
		return 0;
	return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

/* ---- copies ---- */

static CUresult do_copy(const CUDA_MEMCPY3D *p, CUstream stream, bool wait)
{
	CUresult e = rt_ready();

	if (e)
		return e;
	if (!wait)
		return cuMemcpy3DAsync_v2(p, stream);
	if (stream != CU_STREAM_PER_THREAD)
		return cuMemcpy3D_v2(p);
	e = cuMemcpy3DAsync_v2(p, stream);
	return e ? e : cuStreamSynchronize(stream);
}

static CUDA_MEMCPY3D rect(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			  size_t width, size_t height)
{
	return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .srcDevice = (uintptr_t)from,
			       .srcPitch = from_pitch,
			       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .dstDevice = (uintptr_t)to,
			       .dstPitch = to_pitch,
			       .WidthInBytes = width,
			       .Height = height,
			       .Depth = 1};
}

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			   size_t width, size_t height, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D p = rect(to, to_pitch, from, from_pitch, width, height);

	if (width > to_pitch || width > from_pitch)
		return rt_return(CUDA_ERROR_RT_INVALID_PITCH);
	return rt_return(do_copy(&p, stream, wait));
}

RT cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
		size_t height, unsigned kind)
{
	(void)kind;
	return copy_2d(to, to_pitch, from, from_pitch, width, height, rt_stream(NULL), true);
}

RT cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
		     size_t height, unsigned kind, CUstream stream)
{
	(void)kind;
	return copy_2d(to, to_pitch, from, from_pitch, width, height, rt_stream(stream), false);
}

static cudaError_t copy_to_array(CUarray to, size_t x, size_t y, const void *from, size_t pitch,
				 size_t width, size_t height, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D p = rect(NULL, 0, from, pitch, width, height);

	p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	p.dstArray = to;
	p.dstXInBytes = x;
	p.dstY = y;
	return rt_return(do_copy(&p, stream, wait));
}

static cudaError_t copy_from_array(void *to, size_t pitch, CUarray from, size_t x, size_t y,
				   size_t width, size_t height, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D p = rect(to, pitch, NULL, 0, width, height);

	p.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	p.srcArray = from;
	p.srcXInBytes = x;
	p.srcY = y;
	return rt_return(do_copy(&p, stream, wait));
}

RT cudaMemcpy2DToArray(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
		       size_t height, unsigned kind)
{
	(void)kind;
	return copy_to_array(to, x, y, from, pitch, width, height, rt_stream(NULL), true);
}

RT cudaMemcpy2DToArrayAsync(CUarray to, size_t x, size_t y, const void *from, size_t pitch,
			    size_t width, size_t height, unsigned kind, CUstream stream)
{
	(void)kind;
	return copy_to_array(to, x, y, from, pitch, width, height, rt_stream(stream), false);
}

RT cudaMemcpy2DFromArray(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
			 size_t height, unsigned kind)
{
	(void)kind;
	return copy_from_array(to, pitch, from, x, y, width, height, rt_stream(NULL), true);
}

RT cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, CUarray from, size_t x, size_t y,
			      size_t width, size_t height, unsigned kind, CUstream stream)
{
	(void)kind;
	return copy_from_array(to, pitch, from, x, y, width, height, rt_stream(stream), false);
}

/* Bytes that go on in the next row of the array. */
static cudaError_t copy_bytes(CUarray array, size_t x, size_t y, char *linear, size_t bytes,
			      bool to_array, CUstream stream, bool wait)
{
	size_t element = element_bytes(array), width;
	cudaError_t e = CUDA_SUCCESS;
	cudaExtent extent;

	if (!element || cudaArrayGetInfo(NULL, &extent, NULL, array))
		return rt_return(CUDA_ERROR_INVALID_HANDLE);
	width = extent.width * element;
	while (!e && bytes) {
		size_t n = bytes < width - x ? bytes : width - x, rows = 1;

		if (!x && bytes >= width) {
			rows = bytes / width;
			n = width;
		}
		e = to_array ? copy_to_array(array, x, y, linear, n, n, rows, stream, wait)
			     : copy_from_array(linear, n, array, x, y, n, rows, stream, wait);
		linear += n * rows;
		bytes -= n * rows;
		x = 0;
		y += rows;
	}
	return e;
}

RT cudaMemcpyToArray(CUarray to, size_t x, size_t y, const void *from, size_t bytes, unsigned kind)
{
	(void)kind;
	return copy_bytes(to, x, y, (char *)(uintptr_t)from, bytes, true, rt_stream(NULL), true);
}

RT cudaMemcpyToArrayAsync(CUarray to, size_t x, size_t y, const void *from, size_t bytes,
			  unsigned kind, CUstream stream)
{
	(void)kind;
	return copy_bytes(to, x, y, (char *)(uintptr_t)from, bytes, true, rt_stream(stream), false);
}

RT cudaMemcpyFromArray(void *to, CUarray from, size_t x, size_t y, size_t bytes, unsigned kind)
{
	(void)kind;
	return copy_bytes(from, x, y, to, bytes, false, rt_stream(NULL), true);
}

RT cudaMemcpyFromArrayAsync(void *to, CUarray from, size_t x, size_t y, size_t bytes, unsigned kind,
			    CUstream stream)
{
	(void)kind;
	return copy_bytes(from, x, y, to, bytes, false, rt_stream(stream), false);
}

RT cudaMemcpy2DArrayToArray(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x,
			    size_t from_y, size_t width, size_t height, unsigned kind)
{
	CUDA_MEMCPY3D p = {.srcXInBytes = from_x,
			   .srcY = from_y,
			   .srcMemoryType = CU_MEMORYTYPE_ARRAY,
			   .srcArray = from,
			   .dstXInBytes = to_x,
			   .dstY = to_y,
			   .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			   .dstArray = to,
			   .WidthInBytes = width,
			   .Height = height,
			   .Depth = 1};

	(void)kind;
	return rt_return(do_copy(&p, rt_stream(NULL), true));
}

/* Offsets and extents are in elements where an array takes part, else in bytes. */
void rt_copy_3d(const cudaMemcpy3DParms *q, CUDA_MEMCPY3D *p)
{
	size_t to = element_bytes(q->dstArray), from = element_bytes(q->srcArray);
	size_t element = to ? to : from ? from : 1;

	*p = (CUDA_MEMCPY3D){
		.srcXInBytes = q->srcPos.x * (from ? from : 1),
		.srcY = q->srcPos.y,
		.srcZ = q->srcPos.z,
		.srcMemoryType = q->srcArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.srcDevice = (uintptr_t)q->srcPtr.ptr,
		.srcArray = q->srcArray,
		.srcPitch = q->srcPtr.pitch,
		.srcHeight = q->srcPtr.ysize,
		.dstXInBytes = q->dstPos.x * (to ? to : 1),
		.dstY = q->dstPos.y,
		.dstZ = q->dstPos.z,
		.dstMemoryType = q->dstArray ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
		.dstDevice = (uintptr_t)q->dstPtr.ptr,
		.dstArray = q->dstArray,
		.dstPitch = q->dstPtr.pitch,
		.dstHeight = q->dstPtr.ysize,
		.WidthInBytes = q->extent.width * element,
		.Height = q->extent.height,
		.Depth = q->extent.depth,
	};
}

RT cudaMemcpy3D(const cudaMemcpy3DParms *q)
{
	CUDA_MEMCPY3D p;

	if (!q)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(q, &p);
	return rt_return(do_copy(&p, rt_stream(NULL), true));
}

RT cudaMemcpy3DAsync(const cudaMemcpy3DParms *q, CUstream stream)
{
	CUDA_MEMCPY3D p;

	if (!q)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(q, &p);
	return rt_return(do_copy(&p, rt_stream(stream), false));
}

/* The addresses say which device they belong to. */
static cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms *q, CUstream stream)
{
	CUDA_MEMCPY3D p;
	CUresult e = rt_ready();

	if (e || !q)
		return rt_return(e ? e : CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(&(cudaMemcpy3DParms){.srcArray = q->srcArray,
					.srcPos = q->srcPos,
					.srcPtr = q->srcPtr,
					.dstArray = q->dstArray,
					.dstPos = q->dstPos,
					.dstPtr = q->dstPtr,
					.extent = q->extent},
		   &p);
	return rt_return(cuMemcpy3DPeerAsync(&p, stream));
}

RT cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *q)
{
	return copy_3d_peer(q, rt_stream(NULL));
}

RT cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *q, CUstream stream)
{
	return copy_3d_peer(q, rt_stream(stream));
}

/* ---- texture and surface objects ---- */

struct resource_desc {
	unsigned resType;
	union {
		CUarray array;
		struct {
			void *devPtr;
			cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
		int reserved[32];
	} res;
	unsigned flags;
};

struct texture_desc {
	unsigned addressMode[3], filterMode, readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy, mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};

static CUresult to_resource(const struct resource_desc *r, CUDA_RESOURCE_DESC *d)
{
	memset(d, 0, sizeof(*d));
	d->resType = r->resType;
	if (r->resType == CU_RESOURCE_LINEAR) {
		d->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
		d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		if (!to_format(&r->res.linear.desc, &d->res.linear.format,
			       &d->res.linear.numChannels))
			return CUDA_ERROR_RT_INVALID_CHANNEL;
	} else if (r->resType == CU_RESOURCE_PITCH2D) {
		d->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
		d->res.pitch2D.width = r->res.pitch2D.width;
		d->res.pitch2D.height = r->res.pitch2D.height;
		d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		if (!to_format(&r->res.pitch2D.desc, &d->res.pitch2D.format,
			       &d->res.pitch2D.numChannels))
			return CUDA_ERROR_RT_INVALID_CHANNEL;
	} else {
		d->res.array = r->res.array;
	}
	return CUDA_SUCCESS;
}

RT cudaCreateTextureObject(CUtexObject *out, const struct resource_desc *r,
			   const struct texture_desc *t, const void *view)
{
	CUDA_TEXTURE_DESC d = {0};
	CUDA_RESOURCE_DESC resource;
	CUresult e = r && t ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = to_resource(r, &resource);
	if (e)
		return rt_return(e);
	memcpy(d.addressMode, t->addressMode, sizeof(d.addressMode));
	memcpy(d.borderColor, t->borderColor, sizeof(d.borderColor));
	d.filterMode = t->filterMode;
	d.flags = (t->readMode ? 0 : CU_TRSF_READ_AS_INTEGER) |
		  (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
		  (t->sRGB ? CU_TRSF_SRGB : 0);
	d.maxAnisotropy = t->maxAnisotropy;
	d.mipmapFilterMode = t->mipmapFilterMode;
	d.mipmapLevelBias = t->mipmapLevelBias;
	d.minMipmapLevelClamp = t->minMipmapLevelClamp;
	d.maxMipmapLevelClamp = t->maxMipmapLevelClamp;
	return rt_return(cuTexObjectCreate(out, &resource, &d, view));
}

RT cudaDestroyTextureObject(CUtexObject texture)
{
	CALL(cuTexObjectDestroy(texture));
}

RT cudaCreateSurfaceObject(CUtexObject *out, const struct resource_desc *r)
{
	CUDA_RESOURCE_DESC resource;
	CUresult e = r ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = to_resource(r, &resource);
	return rt_return(e ? e : cuSurfObjectCreate(out, &resource));
}

RT cudaDestroySurfaceObject(CUtexObject surface)
{
	CALL(cuSurfObjectDestroy(surface));
}
