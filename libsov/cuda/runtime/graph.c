// SPDX-License-Identifier: MIT
/*
 * Graphs of the runtime. Parameters of nodes are translated to the driver's and back. Where the
 * major versions of the runtime differ, in CUDA 13 the names without _v2 take data of edges.
 */
#include <string.h>
#include "libsov/cuda/runtime/graph.h"

/* ---- capture ---- */

RT cudaStreamBeginCapture(CUstream stream, unsigned mode)
{
	CALL(cuStreamBeginCapture_v2(rt_stream(stream), mode));
}

RT cudaStreamBeginCaptureToGraph(CUstream stream, CUgraph g, const CUgraphNode *depends,
				 const CUgraphEdgeData *data, size_t count, unsigned mode)
{
	CALL(cuStreamBeginCaptureToGraph(rt_stream(stream), g, depends, data, count, mode));
}

RT cudaStreamEndCapture(CUstream stream, CUgraph *out)
{
	CALL(cuStreamEndCapture(rt_stream(stream), out));
}

RT cudaStreamIsCapturing(CUstream stream, unsigned *status)
{
	CALL(cuStreamIsCapturing(rt_stream(stream), status));
}

RT cudaThreadExchangeStreamCaptureMode(unsigned *mode)
{
	CALL(cuThreadExchangeStreamCaptureMode(mode));
}

#if CUDART_MAJOR == 12
RT cudaStreamGetCaptureInfo_v2(CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
			       const CUgraphNode **depends, size_t *count)
{
	CALL(cuStreamGetCaptureInfo_v2(rt_stream(stream), status, id, graph, depends, count));
}

RT cudaStreamGetCaptureInfo(CUstream stream, unsigned *status, uint64_t *id)
{
	CALL(cuStreamGetCaptureInfo(rt_stream(stream), status, id));
}

RT cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count,
				       unsigned flags)
{
	CALL(cuStreamUpdateCaptureDependencies(rt_stream(stream), nodes, count, flags));
}

RT cudaGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	CALL(cuGraphGetEdges(g, from, to, count));
}

RT cudaGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, size_t *count)
{
	CALL(cuGraphNodeGetDependencies(n, out, count));
}

RT cudaGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, size_t *count)
{
	CALL(cuGraphNodeGetDependentNodes(n, out, count));
}

RT cudaGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	CALL(cuGraphAddDependencies(g, from, to, count));
}

RT cudaGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
			       size_t count)
{
	CALL(cuGraphRemoveDependencies(g, from, to, count));
}
#else
RT cudaStreamGetCaptureInfo(CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
			    const CUgraphNode **depends, const CUgraphEdgeData **data,
			    size_t *count)
{
	CALL(cuStreamGetCaptureInfo_v3(rt_stream(stream), status, id, graph, depends, data, count));
}

RT cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
				       const CUgraphEdgeData *data, size_t count, unsigned flags)
{
	CALL(cuStreamUpdateCaptureDependencies_v2(rt_stream(stream), nodes, data, count, flags));
}

RT cudaGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
		     size_t *count)
{
	CALL(cuGraphGetEdges_v2(g, from, to, data, count));
}

RT cudaGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
				size_t *count)
{
	CALL(cuGraphNodeGetDependencies_v2(n, out, data, count));
}

RT cudaGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
				  size_t *count)
{
	CALL(cuGraphNodeGetDependentNodes_v2(n, out, data, count));
}

RT cudaGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
			    const CUgraphEdgeData *data, size_t count)
{
	CALL(cuGraphAddDependencies_v2(g, from, to, data, count));
}

RT cudaGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
			       const CUgraphEdgeData *data, size_t count)
{
	CALL(cuGraphRemoveDependencies_v2(g, from, to, data, count));
}
#endif

/* ---- graphs ---- */

RT cudaGraphCreate(CUgraph *out, unsigned flags)
{
	CALL(cuGraphCreate(out, flags));
}

RT cudaGraphDestroy(CUgraph g)
{
	CALL(cuGraphDestroy(g));
}

RT cudaGraphClone(CUgraph *out, CUgraph g)
{
	CALL(cuGraphClone(out, g));
}

RT cudaGraphNodeFindInClone(CUgraphNode *out, CUgraphNode n, CUgraph clone)
{
	CALL(cuGraphNodeFindInClone(out, n, clone));
}

RT cudaGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
	CALL(cuGraphGetNodes(g, out, count));
}

RT cudaGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
	CALL(cuGraphGetRootNodes(g, out, count));
}

RT cudaGraphNodeGetType(CUgraphNode n, unsigned *type)
{
	CALL(cuGraphNodeGetType(n, type));
}

RT cudaGraphDestroyNode(CUgraphNode n)
{
	CALL(cuGraphDestroyNode(n));
}

RT cudaGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
	CALL(cuGraphDebugDotPrint(g, path, flags));
}

RT cudaGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	CALL(cuGraphInstantiateWithFlags(out, g, flags));
}

RT cudaGraphInstantiate(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	CALL(cuGraphInstantiateWithFlags(out, g, flags));
}

RT cudaGraphInstantiateWithParams(CUgraphExec *out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	CALL(cuGraphInstantiateWithParams(out, g, p));
}

RT cudaGraphExecDestroy(CUgraphExec exec)
{
	CALL(cuGraphExecDestroy(exec));
}

RT cudaGraphExecGetFlags(CUgraphExec exec, uint64_t *flags)
{
	CALL(cuGraphExecGetFlags(exec, flags));
}

RT cudaGraphUpload(CUgraphExec exec, CUstream stream)
{
	CALL(cuGraphUpload(exec, rt_stream(stream)));
}

RT cudaGraphLaunch(CUgraphExec exec, CUstream stream)
{
	CALL(cuGraphLaunch(exec, rt_stream(stream)));
}

RT cudaGraphExecUpdate(CUgraphExec exec, CUgraph g, CUgraphExecUpdateResultInfo *info)
{
	CALL(cuGraphExecUpdate_v2(exec, g, info));
}

RT cudaGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode n, unsigned enabled)
{
	CALL(cuGraphNodeSetEnabled(exec, n, enabled));
}

RT cudaGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode n, unsigned *enabled)
{
	CALL(cuGraphNodeGetEnabled(exec, n, enabled));
}

/* ---- kernel nodes ---- */

CUresult rt_kernel_params(const struct kernel_params *p, CUDA_KERNEL_NODE_PARAMS *d)
{
	CUresult e = p ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	memset(d, 0, sizeof(*d));
	if (!e)
		e = rt_function(p->func, &d->func);
	if (e)
		return e;
	d->gridDimX = p->grid.x, d->gridDimY = p->grid.y, d->gridDimZ = p->grid.z;
	d->blockDimX = p->block.x, d->blockDimY = p->block.y, d->blockDimZ = p->block.z;
	d->sharedMemBytes = p->shared;
	d->kernelParams = p->arguments;
	d->extra = p->extra;
	return CUDA_SUCCESS;
}

RT cudaGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			  const struct kernel_params *p)
{
	CUDA_KERNEL_NODE_PARAMS d;
	CUresult e = rt_kernel_params(p, &d);

	return rt_return(e ? e : cuGraphAddKernelNode_v2(out, g, depends, count, &d));
}

RT cudaGraphKernelNodeGetParams(CUgraphNode n, struct kernel_params *p)
{
	CUDA_KERNEL_NODE_PARAMS d;
	CUresult e = p ? cuGraphKernelNodeGetParams_v2(n, &d) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*p = (struct kernel_params){d.func,
					    {d.gridDimX, d.gridDimY, d.gridDimZ},
					    {d.blockDimX, d.blockDimY, d.blockDimZ},
					    d.sharedMemBytes,
					    d.kernelParams,
					    NULL};
	return rt_return(e);
}

RT cudaGraphKernelNodeSetParams(CUgraphNode n, const struct kernel_params *p)
{
	CUDA_KERNEL_NODE_PARAMS d;
	CUresult e = rt_kernel_params(p, &d);

	return rt_return(e ? e : cuGraphKernelNodeSetParams_v2(n, &d));
}

RT cudaGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode n, const struct kernel_params *p)
{
	CUDA_KERNEL_NODE_PARAMS d;
	CUresult e = rt_kernel_params(p, &d);

	return rt_return(e ? e : cuGraphExecKernelNodeSetParams_v2(exec, n, &d));
}

RT cudaGraphKernelNodeSetAttribute(CUgraphNode n, unsigned attribute, const void *value)
{
	CALL(cuGraphKernelNodeSetAttribute(n, attribute, value));
}

RT cudaGraphKernelNodeGetAttribute(CUgraphNode n, unsigned attribute, void *value)
{
	CALL(cuGraphKernelNodeGetAttribute(n, attribute, value));
}

RT cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	CALL(cuGraphKernelNodeCopyAttributes(to, from));
}

/* ---- copies and fills ---- */

RT cudaGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			  const cudaMemcpy3DParms *q)
{
	CUDA_MEMCPY3D p;

	READY();
	if (!q)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(q, &p);
	return rt_return(cuGraphAddMemcpyNode(out, g, depends, count, &p, NULL));
}

static CUDA_MEMCPY3D linear(const void *to, const void *from, size_t bytes)
{
	return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .srcDevice = (uintptr_t)from,
			       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .dstDevice = (uintptr_t)to,
			       .WidthInBytes = bytes,
			       .Height = 1,
			       .Depth = 1};
}

RT cudaGraphAddMemcpyNode1D(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			    void *to, const void *from, size_t bytes, unsigned kind)
{
	CUDA_MEMCPY3D p = linear(to, from, bytes);

	(void)kind;
	CALL(cuGraphAddMemcpyNode(out, g, depends, count, &p, NULL));
}

static CUresult symbol_copy(const void *symbol, size_t offset, const void *other, size_t bytes,
			    bool to_symbol, CUDA_MEMCPY3D *p)
{
	CUdeviceptr at = 0;
	size_t room = 0;
	CUresult e = rt_symbol(symbol, &at, &room);
	void *variable = (char *)(uintptr_t)at + offset;

	if (!e && (offset > room || bytes > room - offset))
		e = CUDA_ERROR_INVALID_VALUE;
	*p = to_symbol ? linear(variable, other, bytes) : linear(other, variable, bytes);
	return e;
}

RT cudaGraphAddMemcpyNodeToSymbol(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				  size_t count, const void *symbol, const void *from, size_t bytes,
				  size_t offset, unsigned kind)
{
	CUDA_MEMCPY3D p;
	CUresult e = symbol_copy(symbol, offset, from, bytes, true, &p);

	(void)kind;
	return rt_return(e ? e : cuGraphAddMemcpyNode(out, g, depends, count, &p, NULL));
}

RT cudaGraphAddMemcpyNodeFromSymbol(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				    size_t count, void *to, const void *symbol, size_t bytes,
				    size_t offset, unsigned kind)
{
	CUDA_MEMCPY3D p;
	CUresult e = symbol_copy(symbol, offset, to, bytes, false, &p);

	(void)kind;
	return rt_return(e ? e : cuGraphAddMemcpyNode(out, g, depends, count, &p, NULL));
}

RT cudaGraphMemcpyNodeSetParams(CUgraphNode n, const cudaMemcpy3DParms *q)
{
	CUDA_MEMCPY3D p;

	READY();
	if (!q)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(q, &p);
	return rt_return(cuGraphMemcpyNodeSetParams(n, &p));
}

RT cudaGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode n, const cudaMemcpy3DParms *q)
{
	CUDA_MEMCPY3D p;

	READY();
	if (!q)
		return rt_return(CUDA_ERROR_INVALID_VALUE);
	rt_copy_3d(q, &p);
	return rt_return(cuGraphExecMemcpyNodeSetParams(exec, n, &p, NULL));
}

RT cudaGraphMemcpyNodeSetParams1D(CUgraphNode n, void *to, const void *from, size_t bytes,
				  unsigned kind)
{
	CUDA_MEMCPY3D p = linear(to, from, bytes);

	(void)kind;
	CALL(cuGraphMemcpyNodeSetParams(n, &p));
}

RT cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec exec, CUgraphNode n, void *to, const void *from,
				      size_t bytes, unsigned kind)
{
	CUDA_MEMCPY3D p = linear(to, from, bytes);

	(void)kind;
	CALL(cuGraphExecMemcpyNodeSetParams(exec, n, &p, NULL));
}

/* Both structures are equal but for the type of an address. */
static const CUDA_MEMSET_NODE_PARAMS *fill_of(const struct memset_params *p)
{
	return (const CUDA_MEMSET_NODE_PARAMS *)(const void *)p;
}

RT cudaGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			  const struct memset_params *p)
{
	CALL(cuGraphAddMemsetNode(out, g, depends, count, fill_of(p), NULL));
}

RT cudaGraphMemsetNodeGetParams(CUgraphNode n, struct memset_params *p)
{
	CALL(cuGraphMemsetNodeGetParams(n, (CUDA_MEMSET_NODE_PARAMS *)(void *)p));
}

RT cudaGraphMemsetNodeSetParams(CUgraphNode n, const struct memset_params *p)
{
	CALL(cuGraphMemsetNodeSetParams(n, fill_of(p)));
}

RT cudaGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode n, const struct memset_params *p)
{
	CALL(cuGraphExecMemsetNodeSetParams(exec, n, fill_of(p), NULL));
}

/* ---- other nodes ---- */

RT cudaGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			const CUDA_HOST_NODE_PARAMS *p)
{
	CALL(cuGraphAddHostNode(out, g, depends, count, p));
}

RT cudaGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *p)
{
	CALL(cuGraphHostNodeGetParams(n, p));
}

RT cudaGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	CALL(cuGraphHostNodeSetParams(n, p));
}

RT cudaGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	CALL(cuGraphExecHostNodeSetParams(exec, n, p));
}

RT cudaGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count)
{
	CALL(cuGraphAddEmptyNode(out, g, depends, count));
}

RT cudaGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			      CUgraph child)
{
	CALL(cuGraphAddChildGraphNode(out, g, depends, count, child));
}

RT cudaGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out)
{
	CALL(cuGraphChildGraphNodeGetGraph(n, out));
}

RT cudaGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
			       size_t count, CUevent event)
{
	CALL(cuGraphAddEventRecordNode(out, g, depends, count, event));
}

RT cudaGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			     CUevent event)
{
	CALL(cuGraphAddEventWaitNode(out, g, depends, count, event));
}

RT cudaGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			    CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	CALL(cuGraphAddMemAllocNode(out, g, depends, count, p));
}

RT cudaGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			   void *address)
{
	CALL(cuGraphAddMemFreeNode(out, g, depends, count, (uintptr_t)address));
}

RT cudaGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	CALL(cuGraphMemAllocNodeGetParams(n, p));
}

/* Its parameters differ between the versions, so per_thread.c leaves it out. */
#if CUDART_MAJOR == 12
RT cudaStreamGetCaptureInfo_ptsz(CUstream stream, unsigned *status, uint64_t *id)
{
	return cudaStreamGetCaptureInfo(stream ? stream : CU_STREAM_PER_THREAD, status, id);
}
#else
RT cudaStreamGetCaptureInfo_ptsz(CUstream stream, unsigned *status, uint64_t *id, CUgraph *graph,
				 const CUgraphNode **depends, const CUgraphEdgeData **data,
				 size_t *count)
{
	return cudaStreamGetCaptureInfo(stream ? stream : CU_STREAM_PER_THREAD, status, id, graph,
					depends, data, count);
}
#endif
