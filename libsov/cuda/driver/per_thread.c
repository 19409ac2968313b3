// SPDX-License-Identifier: MIT
/* The calls that programs compiled with --default-stream per-thread make: NULL means the thread's
 * own stream. */
#include "libsov/cuda/driver/driver.h"

#define PER_THREAD(name, suffix, parameters, arguments) \
	CUresult name##_##suffix parameters; \
	API name##_##suffix parameters \
	{ \
		CUresult e; \
		cuda_per_thread_default++; \
		e = name arguments; \
		cuda_per_thread_default--; \
		return e; \
	}

PER_THREAD(cuEventRecordWithFlags, ptsz, (CUevent event, CUstream handle, unsigned flags),
	   (event, handle, flags))
PER_THREAD(cuEventRecord, ptsz, (CUevent event, CUstream handle), (event, handle))
PER_THREAD(cuGraphInstantiateWithParams, ptsz,
	   (CUgraphExec * out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p), (out, g, p))
PER_THREAD(cuGraphLaunch, ptsz, (CUgraphExec exec, CUstream handle), (exec, handle))
PER_THREAD(cuGraphUpload, ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
PER_THREAD(cuLaunchCooperativeKernel, ptsz,
	   (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	    unsigned bz, unsigned shared, CUstream stream, void **arguments),
	   (f, gx, gy, gz, bx, by, bz, shared, stream, arguments))
PER_THREAD(cuLaunchHostFunc, ptsz, (CUstream handle, CUhostFn function, void *user),
	   (handle, function, user))
PER_THREAD(cuLaunchKernelEx, ptsz,
	   (const CUlaunchConfig *c, CUfunction f, void **arguments, void **extra),
	   (c, f, arguments, extra))
PER_THREAD(cuLaunchKernel, ptsz,
	   (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	    unsigned bz, unsigned shared, CUstream stream, void **arguments, void **extra),
	   (f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra))
PER_THREAD(cuMemAllocAsync, ptsz, (CUdeviceptr * out, size_t bytes, CUstream handle),
	   (out, bytes, handle))
PER_THREAD(cuMemAllocFromPoolAsync, ptsz,
	   (CUdeviceptr * out, size_t bytes, CUmemoryPool pool, CUstream handle),
	   (out, bytes, pool, handle))
PER_THREAD(cuMemFreeAsync, ptsz, (CUdeviceptr address, CUstream handle), (address, handle))
PER_THREAD(cuMemPrefetchAsync, ptsz,
	   (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream),
	   (address, bytes, device, stream))
PER_THREAD(cuMemPrefetchAsync_v2, ptsz,
	   (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
	    CUstream stream),
	   (address, bytes, location, flags, stream))
PER_THREAD(cuMemcpy2DAsync_v2, ptsz, (const CUDA_MEMCPY2D *p, CUstream stream), (p, stream))
PER_THREAD(cuMemcpy2DUnaligned_v2, ptds, (const CUDA_MEMCPY2D *p), (p))
PER_THREAD(cuMemcpy2D_v2, ptds, (const CUDA_MEMCPY2D *p), (p))
PER_THREAD(cuMemcpy3DAsync_v2, ptsz, (const CUDA_MEMCPY3D *p, CUstream stream), (p, stream))
PER_THREAD(cuMemcpy3D_v2, ptds, (const CUDA_MEMCPY3D *p), (p))
PER_THREAD(cuMemcpyAsync, ptsz, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
	   (to, from, bytes, stream))
PER_THREAD(cuMemcpyAtoD_v2, ptds, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes),
	   (to, from, offset, bytes))
PER_THREAD(cuMemcpyAtoHAsync_v2, ptsz,
	   (void *to, CUarray from, size_t offset, size_t bytes, CUstream stream),
	   (to, from, offset, bytes, stream))
PER_THREAD(cuMemcpyAtoH_v2, ptds, (void *to, CUarray from, size_t offset, size_t bytes),
	   (to, from, offset, bytes))
PER_THREAD(cuMemcpyDtoA_v2, ptds, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes),
	   (to, offset, from, bytes))
PER_THREAD(cuMemcpyDtoDAsync_v2, ptsz,
	   (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
	   (to, from, bytes, stream))
PER_THREAD(cuMemcpyDtoD_v2, ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
	   (to, from, bytes))
PER_THREAD(cuMemcpyDtoHAsync_v2, ptsz, (void *to, CUdeviceptr from, size_t bytes, CUstream stream),
	   (to, from, bytes, stream))
PER_THREAD(cuMemcpyDtoH_v2, ptds, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PER_THREAD(cuMemcpyHtoAAsync_v2, ptsz,
	   (CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream),
	   (to, offset, from, bytes, stream))
PER_THREAD(cuMemcpyHtoA_v2, ptds, (CUarray to, size_t offset, const void *from, size_t bytes),
	   (to, offset, from, bytes))
PER_THREAD(cuMemcpyHtoDAsync_v2, ptsz,
	   (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
	   (to, from, bytes, stream))
PER_THREAD(cuMemcpyHtoD_v2, ptds, (CUdeviceptr to, const void *from, size_t bytes),
	   (to, from, bytes))
PER_THREAD(cuMemcpy3DPeerAsync, ptsz, (const CUDA_MEMCPY3D *p, CUstream stream), (p, stream))
PER_THREAD(cuMemcpy3DPeer, ptds, (const CUDA_MEMCPY3D *p), (p))
PER_THREAD(cuMemcpyPeerAsync, ptsz,
	   (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	    size_t bytes, CUstream stream),
	   (to, to_context, from, from_context, bytes, stream))
PER_THREAD(cuMemcpyPeer, ptds,
	   (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
	    size_t bytes),
	   (to, to_context, from, from_context, bytes))
PER_THREAD(cuMemcpy, ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PER_THREAD(cuMemsetD16Async, ptsz,
	   (CUdeviceptr to, unsigned short value, size_t count, CUstream stream),
	   (to, value, count, stream))
PER_THREAD(cuMemsetD16_v2, ptds, (CUdeviceptr to, unsigned short value, size_t count),
	   (to, value, count))
PER_THREAD(cuMemsetD2D16Async, ptsz,
	   (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
	    CUstream stream),
	   (to, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D16_v2, ptds,
	   (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height),
	   (to, pitch, value, width, height))
PER_THREAD(cuMemsetD2D32Async, ptsz,
	   (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
	    CUstream stream),
	   (to, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D32_v2, ptds,
	   (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height),
	   (to, pitch, value, width, height))
PER_THREAD(cuMemsetD2D8Async, ptsz,
	   (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
	    CUstream stream),
	   (to, pitch, value, width, height, stream))
PER_THREAD(cuMemsetD2D8_v2, ptds,
	   (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),
	   (to, pitch, value, width, height))
PER_THREAD(cuMemsetD32Async, ptsz, (CUdeviceptr to, unsigned value, size_t count, CUstream stream),
	   (to, value, count, stream))
PER_THREAD(cuMemsetD32_v2, ptds, (CUdeviceptr to, unsigned value, size_t count), (to, value, count))
PER_THREAD(cuMemsetD8Async, ptsz,
	   (CUdeviceptr to, unsigned char value, size_t count, CUstream stream),
	   (to, value, count, stream))
PER_THREAD(cuMemsetD8_v2, ptds, (CUdeviceptr to, unsigned char value, size_t count),
	   (to, value, count))
PER_THREAD(cuStreamAddCallback, ptsz,
	   (CUstream handle, void (*function)(CUstream, CUresult, void *), void *user,
	    unsigned flags),
	   (handle, function, user, flags))
PER_THREAD(cuStreamAttachMemAsync, ptsz,
	   (CUstream handle, CUdeviceptr address, size_t bytes, unsigned flags),
	   (handle, address, bytes, flags))
PER_THREAD(cuStreamBeginCaptureToGraph, ptsz,
	   (CUstream s, CUgraph g, const CUgraphNode *depends, const CUgraphEdgeData *data,
	    size_t count, unsigned mode),
	   (s, g, depends, data, count, mode))
PER_THREAD(cuStreamBeginCapture, ptsz, (CUstream s), (s))
PER_THREAD(cuStreamBeginCapture_v2, ptsz, (CUstream s, unsigned mode), (s, mode))
PER_THREAD(cuStreamCopyAttributes, ptsz, (CUstream to, CUstream from), (to, from))
PER_THREAD(cuStreamEndCapture, ptsz, (CUstream handle, CUgraph *out), (handle, out))
PER_THREAD(cuStreamGetAttribute, ptsz, (CUstream handle, unsigned attribute, void *value),
	   (handle, attribute, value))
PER_THREAD(cuStreamGetCaptureInfo, ptsz, (CUstream stream, unsigned *status, uint64_t *id),
	   (stream, status, id))
PER_THREAD(cuStreamGetCaptureInfo_v2, ptsz,
	   (CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
	    const CUgraphNode **depends, size_t *count),
	   (stream, status, id, graph, depends, count))
PER_THREAD(cuStreamGetCaptureInfo_v3, ptsz,
	   (CUstream handle, unsigned *status, uint64_t *id, CUgraph *graph,
	    const CUgraphNode **depends, const CUgraphEdgeData **data, size_t *count),
	   (handle, status, id, graph, depends, data, count))
PER_THREAD(cuStreamGetCtx, ptsz, (CUstream handle, CUcontext *out), (handle, out))
PER_THREAD(cuStreamGetDevice, ptsz, (CUstream handle, CUdevice *out), (handle, out))
PER_THREAD(cuStreamGetFlags, ptsz, (CUstream handle, unsigned *flags), (handle, flags))
PER_THREAD(cuStreamGetId, ptsz, (CUstream handle, unsigned long long *id), (handle, id))
PER_THREAD(cuStreamGetPriority, ptsz, (CUstream handle, int *priority), (handle, priority))
PER_THREAD(cuStreamIsCapturing, ptsz, (CUstream handle, unsigned *status), (handle, status))
PER_THREAD(cuStreamQuery, ptsz, (CUstream handle), (handle))
PER_THREAD(cuStreamSetAttribute, ptsz, (CUstream handle, unsigned attribute, const void *value),
	   (handle, attribute, value))
PER_THREAD(cuStreamSynchronize, ptsz, (CUstream handle), (handle))
PER_THREAD(cuStreamUpdateCaptureDependencies, ptsz,
	   (CUstream stream, CUgraphNode *nodes, size_t count, unsigned flags),
	   (stream, nodes, count, flags))
PER_THREAD(cuStreamUpdateCaptureDependencies_v2, ptsz,
	   (CUstream handle, CUgraphNode *nodes, const CUgraphEdgeData *data, size_t count,
	    unsigned flags),
	   (handle, nodes, data, count, flags))
PER_THREAD(cuStreamWaitValue32, ptsz,
	   (CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWaitValue32_v2, ptsz,
	   (CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWaitValue64, ptsz,
	   (CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWaitValue64_v2, ptsz,
	   (CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWriteValue32, ptsz,
	   (CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWriteValue32_v2, ptsz,
	   (CUstream handle, CUdeviceptr address, uint32_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWriteValue64, ptsz,
	   (CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamWriteValue64_v2, ptsz,
	   (CUstream handle, CUdeviceptr address, uint64_t value, unsigned flags),
	   (handle, address, value, flags))
PER_THREAD(cuStreamBatchMemOp, ptsz,
	   (CUstream handle, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),
	   (handle, count, list, flags))
PER_THREAD(cuStreamBatchMemOp_v2, ptsz,
	   (CUstream handle, unsigned count, CUstreamBatchMemOpParams *list, unsigned flags),
	   (handle, count, list, flags))
PER_THREAD(cuStreamWaitEvent, ptsz, (CUstream handle, CUevent event, unsigned flags),
	   (handle, event, flags))
