// SPDX-License-Identifier: MIT
/* Nodes of any type: cudaGraphAddNode and its relatives, and handles of conditions. */
#include <string.h>
#include "libsov/cuda/runtime/graph.h"

/* cudaGraphNodeParams */
struct node_params {
	unsigned type;
	int reserved0[3];
	union {
		int64_t reserved1[29];
		struct kernel_params kernel;
		struct {
			int flags, reserved[3];
			cudaMemcpy3DParms params;
		} memcpy;
		struct memset_params memset;
		CUDA_HOST_NODE_PARAMS host;
		CUgraph graph;
		CUevent event;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		void *freed;
		struct {
			uint64_t handle;
			unsigned type, size;
			CUgraph *graphs;
		} conditional;
	};
	int64_t reserved2;
};

static CUresult to_driver(const struct node_params *p, CUgraphNodeParams *d)
{
	CUresult e = p ? rt_ready() : CUDA_ERROR_INVALID_VALUE;

	memset(d, 0, sizeof(*d));
	if (e)
		return e;
	d->type = p->type;
	switch (p->type) {
	case CU_GRAPH_NODE_KERNEL:
		return rt_kernel_params(&p->kernel, &d->kernel);
	case CU_GRAPH_NODE_MEMCPY:
		rt_copy_3d(&p->memcpy.params, &d->memcpy.copyParams);
		break;
	case CU_GRAPH_NODE_MEMSET:
		memcpy(&d->memset.params, &p->memset, sizeof(p->memset));
		break;
	case CU_GRAPH_NODE_CONDITIONAL:
		d->conditional.handle = p->conditional.handle;
		d->conditional.type = p->conditional.type;
		d->conditional.size = p->conditional.size;
		break;
	default: /* these are the driver's own */
		memcpy(d->reserved1, p->reserved1, sizeof(d->reserved1));
	}
	return e;
}

static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
		    struct node_params *p)
{
	CUgraphNodeParams d;
	CUresult e = to_driver(p, &d);

	if (!e)
		e = cuGraphAddNode(out, g, depends, count, &d);
	if (!e && p->type == CU_GRAPH_NODE_MEM_ALLOC)
		p->alloc.dptr = d.alloc.dptr;
	if (!e && p->type == CU_GRAPH_NODE_CONDITIONAL)
		p->conditional.graphs = d.conditional.phGraph_out;
	return rt_return(e);
}

#if CUDART_MAJOR == 12
RT cudaGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
		    struct node_params *p)
{
	return add(out, g, depends, count, p);
}

RT cudaGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
		       const CUgraphEdgeData *data, size_t count, struct node_params *p)
{
	(void)data;
	return add(out, g, depends, count, p);
}
#else
RT cudaGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
		    const CUgraphEdgeData *data, size_t count, struct node_params *p)
{
	(void)data;
	return add(out, g, depends, count, p);
}
#endif

RT cudaGraphNodeSetParams(CUgraphNode n, const struct node_params *p)
{
	CUgraphNodeParams d;
	CUresult e = to_driver(p, &d);

	return rt_return(e ? e : cuGraphNodeSetParams(n, &d));
}

RT cudaGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, const struct node_params *p)
{
	CUgraphNodeParams d;
	CUresult e = to_driver(p, &d);

	return rt_return(e ? e : cuGraphExecNodeSetParams(exec, n, &d));
}

RT cudaGraphConditionalHandleCreate(uint64_t *out, CUgraph g, unsigned initial, unsigned flags)
{
	CALL(cuGraphConditionalHandleCreate(out, g, NULL, initial, flags));
}

/* ---- events of nodes ---- */

RT cudaGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *out)
{
	CALL(cuGraphEventRecordNodeGetEvent(n, out));
}

RT cudaGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *out)
{
	CALL(cuGraphEventWaitNodeGetEvent(n, out));
}

RT cudaGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event)
{
	CALL(cuGraphEventRecordNodeSetEvent(n, event));
}

RT cudaGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event)
{
	CALL(cuGraphEventWaitNodeSetEvent(n, event));
}

RT cudaGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	CALL(cuGraphExecEventRecordNodeSetEvent(exec, n, event));
}

RT cudaGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	CALL(cuGraphExecEventWaitNodeSetEvent(exec, n, event));
}
