// SPDX-License-Identifier: MIT
/* Nodes of any type by one structure of parameters: cuGraphAddNode and its relatives. */
#include <stddef.h>
#include "libsov/cuda/driver/graph.h"

static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
		    CUgraphNodeParams *p)
{
	switch (p->type) {
	case CU_GRAPH_NODE_KERNEL:
		return cuGraphAddKernelNode_v2(out, g, depends, count, &p->kernel);
	case CU_GRAPH_NODE_MEMCPY:
		return cuGraphAddMemcpyNode(out, g, depends, count, &p->memcpy.copyParams,
					    p->memcpy.copyCtx);
	case CU_GRAPH_NODE_MEMSET:
		return cuGraphAddMemsetNode(out, g, depends, count, &p->memset.params,
					    p->memset.ctx);
	case CU_GRAPH_NODE_HOST:
		return cuGraphAddHostNode(out, g, depends, count, &p->host);
	case CU_GRAPH_NODE_GRAPH:
		return cuGraphAddChildGraphNode(out, g, depends, count, p->graph);
	case CU_GRAPH_NODE_EMPTY:
		return cuGraphAddEmptyNode(out, g, depends, count);
	case CU_GRAPH_NODE_WAIT_EVENT:
		return cuGraphAddEventWaitNode(out, g, depends, count, p->event);
	case CU_GRAPH_NODE_EVENT_RECORD:
		return cuGraphAddEventRecordNode(out, g, depends, count, p->event);
	case CU_GRAPH_NODE_MEM_ALLOC:
		return cuGraphAddMemAllocNode(out, g, depends, count, &p->alloc);
	case CU_GRAPH_NODE_MEM_FREE:
		return cuGraphAddMemFreeNode(out, g, depends, count, p->freed);
	case CU_GRAPH_NODE_CONDITIONAL:
		return cuda_graph_add_conditional(out, g, depends, count, &p->conditional);
	default:
		return cuda_missing("cuGraphAddNode", "nodes of external semaphores or of memory "
						      "operations");
	}
}

API cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
		      const CUgraphEdgeData *data, size_t count, CUgraphNodeParams *p)
{
	(void)data; /* a full dependency orders more than any other */
	return out && p && IS(g, GRAPH) ? add(out, g, depends, count, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
		   CUgraphNodeParams *p)
{
	return cuGraphAddNode_v2(out, g, depends, NULL, count, p);
}

API cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *p)
{
	if (!IS(n, NODE) || !p || n->type != (int)p->type)
		return CUDA_ERROR_INVALID_VALUE;
	switch (p->type) {
	case CU_GRAPH_NODE_KERNEL:
		return cuGraphKernelNodeSetParams_v2(n, &p->kernel);
	case CU_GRAPH_NODE_MEMCPY:
		return cuGraphMemcpyNodeSetParams(n, &p->memcpy.copyParams);
	case CU_GRAPH_NODE_MEMSET:
		return cuGraphMemsetNodeSetParams(n, &p->memset.params);
	case CU_GRAPH_NODE_HOST:
		return cuGraphHostNodeSetParams(n, &p->host);
	case CU_GRAPH_NODE_WAIT_EVENT:
	case CU_GRAPH_NODE_EVENT_RECORD:
		if (!IS(p->event, EVENT))
			return CUDA_ERROR_INVALID_VALUE;
		n->u.event = p->event;
		return CUDA_SUCCESS;
	default:
		return cuda_missing("cuGraphNodeSetParams", "this type of node");
	}
}

API cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraphNodeParams *p)
{
	CUgraphNode copy = p ? cuda_exec_node(exec, n, (int)p->type) : NULL;

	return copy ? cuGraphNodeSetParams(copy, p) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- events of nodes ---- */

static CUresult set_event(CUgraphNode n, int type, CUevent event)
{
	if (!IS(n, NODE) || n->type != type || !IS(event, EVENT))
		return CUDA_ERROR_INVALID_VALUE;
	n->u.event = event;
	return CUDA_SUCCESS;
}

API cuGraphEventRecordNodeSetEvent(CUgraphNode n, CUevent event)
{
	return set_event(n, CU_GRAPH_NODE_EVENT_RECORD, event);
}

API cuGraphEventWaitNodeSetEvent(CUgraphNode n, CUevent event)
{
	return set_event(n, CU_GRAPH_NODE_WAIT_EVENT, event);
}

API cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	return set_event(cuda_exec_node(exec, n, CU_GRAPH_NODE_EVENT_RECORD),
			 CU_GRAPH_NODE_EVENT_RECORD, event);
}

API cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent event)
{
	return set_event(cuda_exec_node(exec, n, CU_GRAPH_NODE_WAIT_EVENT),
			 CU_GRAPH_NODE_WAIT_EVENT, event);
}
