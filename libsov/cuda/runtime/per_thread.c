// SPDX-License-Identifier: MIT
/* The calls that programs compiled with --default-stream per-thread make: NULL means the thread's
 * own stream. */
#include "libsov/cuda/runtime/runtime.h"

#define PER_THREAD(name, suffix, parameters, arguments) \
	cudaError_t name parameters; \
	cudaError_t name##_##suffix parameters; \
	RT name##_##suffix parameters \
	{ \
		cudaError_t e; \
		rt_per_thread++; \
		e = name arguments; \
		rt_per_thread--; \
		return e; \
	}

struct launch_config;

PER_THREAD(cudaEventRecordWithFlags, ptsz, (CUevent event, CUstream stream, unsigned flags),
	   (event, stream, flags))
PER_THREAD(cudaEventRecord, ptsz, (CUevent event, CUstream stream), (event, stream))
PER_THREAD(cudaFreeAsync, ptsz, (void *p, CUstream stream), (p, stream))
PER_THREAD(cudaGetDriverEntryPointByVersion, ptsz,
	   (const char *name, void **out, unsigned version, uint64_t flags, unsigned *status),
	   (name, out, version, flags, status))
PER_THREAD(cudaGetDriverEntryPoint, ptsz,
	   (const char *name, void **out, uint64_t flags, unsigned *status),
	   (name, out, flags, status))
PER_THREAD(cudaGraphInstantiateWithParams, ptsz,
	   (CUgraphExec * out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p), (out, g, p))
PER_THREAD(cudaGraphLaunch, ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
PER_THREAD(cudaGraphUpload, ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
PER_THREAD(cudaLaunchCooperativeKernel, ptsz,
	   (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
	    CUstream stream),
	   (function, grid, block, arguments, shared, stream))
PER_THREAD(cudaLaunchHostFunc, ptsz, (CUstream stream, CUhostFn function, void *user),
	   (stream, function, user))
PER_THREAD(cudaLaunchKernelExC, ptsz,
	   (const struct launch_config *c, const void *function, void **arguments),
	   (c, function, arguments))
PER_THREAD(cudaLaunchKernel, ptsz,
	   (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
	    CUstream stream),
	   (function, grid, block, arguments, shared, stream))
PER_THREAD(cudaMallocAsync, ptsz, (void **out, size_t bytes, CUstream stream), (out, bytes, stream))
PER_THREAD(cudaMallocFromPoolAsync, ptsz,
	   (void **out, size_t bytes, CUmemoryPool pool, CUstream stream),
	   (out, bytes, pool, stream))
PER_THREAD(cudaMemcpy2DArrayToArray, ptds,
	   (CUarray to, size_t to_x, size_t to_y, CUarray from, size_t from_x, size_t from_y,
	    size_t width, size_t height, unsigned kind),
	   (to, to_x, to_y, from, from_x, from_y, width, height, kind))
PER_THREAD(cudaMemcpy2DAsync, ptsz,
	   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	    size_t height, unsigned kind, CUstream stream),
	   (to, to_pitch, from, from_pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz,
	   (void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height,
	    unsigned kind, CUstream stream),
	   (to, pitch, from, x, y, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DFromArray, ptds,
	   (void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height,
	    unsigned kind),
	   (to, pitch, from, x, y, width, height, kind))
PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz,
	   (CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	    size_t height, unsigned kind, CUstream stream),
	   (to, x, y, from, pitch, width, height, kind, stream))
PER_THREAD(cudaMemcpy2DToArray, ptds,
	   (CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
	    size_t height, unsigned kind),
	   (to, x, y, from, pitch, width, height, kind))
PER_THREAD(cudaMemcpy2D, ptds,
	   (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	    size_t height, unsigned kind),
	   (to, to_pitch, from, from_pitch, width, height, kind))
PER_THREAD(cudaMemcpy3DAsync, ptsz, (const cudaMemcpy3DParms *q, CUstream stream), (q, stream))
PER_THREAD(cudaMemcpy3D, ptds, (const cudaMemcpy3DParms *q), (q))
PER_THREAD(cudaMemcpy3DPeerAsync, ptsz, (const cudaMemcpy3DPeerParms *q, CUstream stream),
	   (q, stream))
PER_THREAD(cudaMemcpy3DPeer, ptds, (const cudaMemcpy3DPeerParms *q), (q))
PER_THREAD(cudaMemcpyAsync, ptsz,
	   (void *to, const void *from, size_t bytes, unsigned kind, CUstream stream),
	   (to, from, bytes, kind, stream))
PER_THREAD(cudaMemcpyFromArrayAsync, ptsz,
	   (void *to, CUarray from, size_t x, size_t y, size_t bytes, unsigned kind,
	    CUstream stream),
	   (to, from, x, y, bytes, kind, stream))
PER_THREAD(cudaMemcpyFromArray, ptds,
	   (void *to, CUarray from, size_t x, size_t y, size_t bytes, unsigned kind),
	   (to, from, x, y, bytes, kind))
PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz,
	   (void *to, const void *symbol, size_t bytes, size_t offset, unsigned kind,
	    CUstream stream),
	   (to, symbol, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyFromSymbol, ptds,
	   (void *to, const void *symbol, size_t bytes, size_t offset, unsigned kind),
	   (to, symbol, bytes, offset, kind))
PER_THREAD(cudaMemcpyToArrayAsync, ptsz,
	   (CUarray to, size_t x, size_t y, const void *from, size_t bytes, unsigned kind,
	    CUstream stream),
	   (to, x, y, from, bytes, kind, stream))
PER_THREAD(cudaMemcpyToArray, ptds,
	   (CUarray to, size_t x, size_t y, const void *from, size_t bytes, unsigned kind),
	   (to, x, y, from, bytes, kind))
PER_THREAD(cudaMemcpyToSymbolAsync, ptsz,
	   (const void *symbol, const void *from, size_t bytes, size_t offset, unsigned kind,
	    CUstream stream),
	   (symbol, from, bytes, offset, kind, stream))
PER_THREAD(cudaMemcpyToSymbol, ptds,
	   (const void *symbol, const void *from, size_t bytes, size_t offset, unsigned kind),
	   (symbol, from, bytes, offset, kind))
PER_THREAD(cudaMemcpy, ptds, (void *to, const void *from, size_t bytes, unsigned kind),
	   (to, from, bytes, kind))
PER_THREAD(cudaMemset2DAsync, ptsz,
	   (void *p, size_t pitch, int value, size_t width, size_t height, CUstream stream),
	   (p, pitch, value, width, height, stream))
PER_THREAD(cudaMemset2D, ptds, (void *p, size_t pitch, int value, size_t width, size_t height),
	   (p, pitch, value, width, height))
PER_THREAD(cudaMemset3DAsync, ptsz,
	   (cudaPitchedPtr p, int value, cudaExtent extent, CUstream stream),
	   (p, value, extent, stream))
PER_THREAD(cudaMemset3D, ptds, (cudaPitchedPtr p, int value, cudaExtent extent), (p, value, extent))
PER_THREAD(cudaMemsetAsync, ptsz, (void *p, int value, size_t bytes, CUstream stream),
	   (p, value, bytes, stream))
PER_THREAD(cudaMemset, ptds, (void *p, int value, size_t bytes), (p, value, bytes))
PER_THREAD(cudaStreamAddCallback, ptsz,
	   (CUstream stream, void (*function)(CUstream, CUresult, void *), void *user,
	    unsigned flags),
	   (stream, function, user, flags))
PER_THREAD(cudaStreamAttachMemAsync, ptsz, (CUstream stream, void *p, size_t bytes, unsigned flags),
	   (stream, p, bytes, flags))
PER_THREAD(cudaStreamBeginCaptureToGraph, ptsz,
	   (CUstream stream, CUgraph g, const CUgraphNode *depends, const CUgraphEdgeData *data,
	    size_t count, unsigned mode),
	   (stream, g, depends, data, count, mode))
PER_THREAD(cudaStreamBeginCapture, ptsz, (CUstream stream, unsigned mode), (stream, mode))
PER_THREAD(cudaStreamCopyAttributes, ptsz, (CUstream to, CUstream from), (to, from))
PER_THREAD(cudaStreamEndCapture, ptsz, (CUstream stream, CUgraph *out), (stream, out))
PER_THREAD(cudaStreamGetAttribute, ptsz, (CUstream stream, unsigned attribute, void *value),
	   (stream, attribute, value))
PER_THREAD(cudaStreamGetDevice, ptsz, (CUstream stream, int *device), (stream, device))
PER_THREAD(cudaStreamGetFlags, ptsz, (CUstream stream, unsigned *flags), (stream, flags))
PER_THREAD(cudaStreamGetId, ptsz, (CUstream stream, unsigned long long *id), (stream, id))
PER_THREAD(cudaStreamGetPriority, ptsz, (CUstream stream, int *priority), (stream, priority))
PER_THREAD(cudaStreamIsCapturing, ptsz, (CUstream stream, unsigned *status), (stream, status))
PER_THREAD(cudaStreamQuery, ptsz, (CUstream stream), (stream))
PER_THREAD(cudaStreamSetAttribute, ptsz, (CUstream stream, unsigned attribute, const void *value),
	   (stream, attribute, value))
PER_THREAD(cudaStreamSynchronize, ptsz, (CUstream stream), (stream))
PER_THREAD(cudaStreamWaitEvent, ptsz, (CUstream stream, CUevent event, unsigned flags),
	   (stream, event, flags))
