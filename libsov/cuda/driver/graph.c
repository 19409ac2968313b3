// SPDX-License-Identifier: MIT
/* Graphs: nodes, edges and parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/graph.h"

CUresult cuda_graph_new(CUgraph *out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->magic = MAGIC_GRAPH;
	return CUDA_SUCCESS;
}

static void node_clear(CUgraphNode n)
{
	if (n->type == CU_GRAPH_NODE_KERNEL) {
		free(n->u.kernel.bytes);
		free(n->u.kernel.arguments);
	} else if (n->type == CU_GRAPH_NODE_GRAPH && n->u.child) {
		cuda_graph_free(n->u.child);
	} else if (n->type == CU_GRAPH_NODE_CONDITIONAL) {
		cuda_conditional_clear(&n->u.conditional);
	}
	memset(&n->u, 0, sizeof(n->u));
}

static void node_free(CUgraphNode n)
{
	node_clear(n);
	n->magic = 0;
	free(n->depends);
	free(n->ends);
	free(n);
}

void cuda_graph_free(CUgraph g)
{
	for (uint32_t k = 0; k < g->count; k++)
		node_free(g->nodes[k]);
	for (uint32_t k = 0; k < g->condition_count; k++)
		cuda_condition_put(g->conditions[k]);
	g->magic = 0;
	free(g->conditions);
	free(g->nodes);
	free(g);
}

CUresult cuda_node_depend(CUgraphNode n, const CUgraphNode *depends, size_t count)
{
	CUgraphNode *more = realloc(n->depends, (n->depend_count + count + 1) * sizeof(*more));

	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	n->depends = more;
	for (size_t k = 0; k < count; k++) {
		bool known = false;

		if (!IS(depends[k], NODE) || depends[k]->graph != n->graph || depends[k] == n)
			return CUDA_ERROR_INVALID_VALUE;
		for (uint32_t i = 0; i < n->depend_count; i++)
			known |= more[i] == depends[k];
		if (!known)
			more[n->depend_count++] = depends[k];
	}
	return CUDA_SUCCESS;
}

CUresult cuda_node_add(CUgraph g, int type, const CUgraphNode *depends, size_t count,
		       CUgraphNode *out)
{
	CUgraphNode n;
	CUresult e;

	if (!IS(g, GRAPH) || (count && !depends))
		return CUDA_ERROR_INVALID_VALUE;
	if (g->count == g->room) {
		uint32_t room = g->room ? g->room * 2 : 16;
		CUgraphNode *more = realloc(g->nodes, room * sizeof(*more));

		if (!more)
			return CUDA_ERROR_OUT_OF_MEMORY;
		g->nodes = more;
		g->room = room;
	}
	n = calloc(1, sizeof(*n));
	if (!n)
		return CUDA_ERROR_OUT_OF_MEMORY;
	n->magic = MAGIC_NODE;
	n->type = type;
	n->graph = g;
	n->context = cuda_context_peek();
	e = cuda_node_depend(n, depends, count);
	if (e) {
		node_free(n);
		return e;
	}
	g->nodes[g->count++] = n;
	*out = n;
	return CUDA_SUCCESS;
}

static CUresult drop_if(CUresult e, CUgraphNode n)
{
	if (e) {
		n->graph->count--;
		node_free(n);
	}
	return e;
}

CUresult cuda_node_set_kernel(CUgraphNode n, const struct launch *l, void *const *arguments)
{
	CUfunction f = l->function;
	uint8_t *bytes = calloc(1, f->parameter_bytes + 1);
	void **pointers = calloc(f->parameters + 1, sizeof(*pointers));

	if (!bytes || !pointers) {
		free(bytes);
		free(pointers);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (uint32_t k = 0; k < f->parameters; k++) {
		pointers[k] = bytes + f->layout[k][0];
		memcpy(pointers[k], arguments[k], f->layout[k][1]);
	}
	node_clear(n);
	n->u.kernel.launch = *l;
	n->u.kernel.bytes = bytes;
	n->u.kernel.arguments = pointers;
	n->context = f->module->context;
	return CUDA_SUCCESS;
}

/* The nodes of bodies that replace others of the same form have their origins: calls name them. */
static void keep_origins(const struct conditional_node *to, const struct conditional_node *from)
{
	for (uint32_t i = 0; i < to->count && i < from->count; i++) {
		CUgraph a = to->bodies[i], b = from->bodies[i];

		for (uint32_t k = 0; k < a->count && k < b->count; k++) {
			a->nodes[k]->origin = b->nodes[k]->origin;
			if (a->nodes[k]->type == CU_GRAPH_NODE_CONDITIONAL)
				keep_origins(&a->nodes[k]->u.conditional,
					     &b->nodes[k]->u.conditional);
		}
	}
}

CUresult cuda_node_copy_parameters(CUgraphNode to, const struct CUgraphNode_st *from)
{
	CUresult e = CUDA_SUCCESS;
	CUgraph child;

	to->context = from->context;
	to->disabled = from->disabled;
	if (from->type == CU_GRAPH_NODE_KERNEL)
		return cuda_node_set_kernel(to, &from->u.kernel.launch, from->u.kernel.arguments);
	if (from->type == CU_GRAPH_NODE_GRAPH) {
		e = cuda_graph_new(&child);
		if (!e)
			e = cuda_graph_copy_nodes(child, from->u.child);
		if (!e) {
			node_clear(to);
			to->u.child = child;
		}
		return e;
	}
	if (from->type == CU_GRAPH_NODE_CONDITIONAL) {
		struct conditional_node copy = {0};

		e = cuda_conditional_copy(&copy, &from->u.conditional);
		if (!e) {
			keep_origins(&copy, &to->u.conditional);
			node_clear(to);
			to->u.conditional = copy;
		}
		return e;
	}
	to->u = from->u;
	return e;
}

CUgraphNode cuda_node_of_origin(CUgraph g, CUgraphNode origin)
{
	for (uint32_t k = 0; k < g->count; k++) {
		CUgraphNode n = g->nodes[k], found = n->origin == origin ? n : NULL;

		if (n->type == CU_GRAPH_NODE_CONDITIONAL)
			for (uint32_t i = 0; !found && i < n->u.conditional.count; i++)
				found = cuda_node_of_origin(n->u.conditional.bodies[i], origin);
		if (found)
			return found;
	}
	return NULL;
}

CUresult cuda_graph_copy_nodes(CUgraph to, CUgraph from)
{
	uint32_t first = to->count;
	CUresult e = CUDA_SUCCESS;
	CUgraphNode n;

	for (uint32_t k = 0; !e && k < from->condition_count; k++)
		e = cuda_graph_add_condition(to, from->conditions[k]);
	for (uint32_t k = 0; !e && k < from->count; k++) {
		e = cuda_node_add(to, from->nodes[k]->type, NULL, 0, &n);
		if (e)
			break;
		n->origin = from->nodes[k];
		e = cuda_node_copy_parameters(n, from->nodes[k]);
	}
	for (uint32_t k = 0; !e && k < from->count; k++)
		for (uint32_t i = 0; !e && i < from->nodes[k]->depend_count; i++)
			for (uint32_t j = 0; j < from->count; j++)
				if (from->nodes[j] == from->nodes[k]->depends[i])
					e = cuda_node_depend(to->nodes[first + k],
							     &to->nodes[first + j], 1);
	return e;
}

/* ---- graphs ---- */

API cuGraphCreate(CUgraph *out, unsigned flags)
{
	return out && !flags ? cuda_graph_new(out) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphDestroy(CUgraph g)
{
	if (!IS(g, GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	cuda_graph_free(g);
	return CUDA_SUCCESS;
}

API cuGraphClone(CUgraph *out, CUgraph g)
{
	CUresult e;

	if (!out || !IS(g, GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	e = cuda_graph_new(out);
	if (!e)
		e = cuda_graph_copy_nodes(*out, g);
	return e;
}

API cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
	if (!out || !IS(clone, GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	*out = cuda_node_of_origin(clone, original);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphDestroyNode(CUgraphNode n)
{
	CUgraph g;

	if (!IS(n, NODE))
		return CUDA_ERROR_INVALID_VALUE;
	g = n->graph;
	for (uint32_t k = 0; k < g->count; k++) {
		CUgraphNode m = g->nodes[k];
		uint32_t kept = 0;

		for (uint32_t i = 0; i < m->depend_count; i++)
			if (m->depends[i] != n)
				m->depends[kept++] = m->depends[i];
		m->depend_count = kept;
	}
	for (uint32_t k = 0; k < g->count; k++)
		if (g->nodes[k] == n) {
			memmove(&g->nodes[k], &g->nodes[k + 1],
				(g->count - k - 1) * sizeof(*g->nodes));
			g->count--;
			break;
		}
	node_free(n);
	return CUDA_SUCCESS;
}

/* ---- nodes ---- */

static CUresult read_kernel(const CUDA_KERNEL_NODE_PARAMS *p, bool has_kernel, struct launch *l)
{
	CUresult e;
	CUfunction f = p->func;

	if (!f && has_kernel)
		f = (CUfunction)(void *)p->kern;
	*l = (struct launch){cuda_function(f, &e),
			     {p->gridDimX, p->gridDimY, p->gridDimZ},
			     {p->blockDimX, p->blockDimY, p->blockDimZ},
			     p->sharedMemBytes,
			     {0, 0, 0},
			     false};
	if (!e && cuda_launch_is_empty(l))
		return CUDA_ERROR_INVALID_VALUE;
	if (!e && l->function->parameters && !p->kernelParams)
		return p->extra ? cuda_missing("kernel node", "arguments in one buffer")
				: CUDA_ERROR_INVALID_VALUE;
	return e;
}

static CUresult set_kernel(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p, bool has_kernel)
{
	struct launch l;
	CUresult e = p ? read_kernel(p, has_kernel, &l) : CUDA_ERROR_INVALID_VALUE;

	return e ? e : cuda_node_set_kernel(n, &l, p->kernelParams);
}

static CUresult add_kernel(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			   const CUDA_KERNEL_NODE_PARAMS *p, bool has_kernel)
{
	CUresult e = out ? cuda_node_add(g, CU_GRAPH_NODE_KERNEL, depends, count, out)
			 : CUDA_ERROR_INVALID_VALUE;

	return e ? e : drop_if(set_kernel(*out, p, has_kernel), *out);
}

API cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			 const CUDA_KERNEL_NODE_PARAMS *p)
{
	return add_kernel(out, g, depends, count, p, false);
}

API cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			    const CUDA_KERNEL_NODE_PARAMS *p)
{
	return add_kernel(out, g, depends, count, p, true);
}

API cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			 const CUDA_MEMCPY3D *p, CUcontext c)
{
	CUresult e = out && p ? cuda_node_add(g, CU_GRAPH_NODE_MEMCPY, depends, count, out)
			      : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	(*out)->u.copy = *p;
	if (c)
		(*out)->context = c;
	return CUDA_SUCCESS;
}

API cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			 const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c)
{
	CUresult e = out && p ? cuda_node_add(g, CU_GRAPH_NODE_MEMSET, depends, count, out)
			      : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	(*out)->u.fill = *p;
	if (c)
		(*out)->context = c;
	return CUDA_SUCCESS;
}

API cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
		       const CUDA_HOST_NODE_PARAMS *p)
{
	CUresult e = out && p && p->fn ? cuda_node_add(g, CU_GRAPH_NODE_HOST, depends, count, out)
				       : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		(*out)->u.host = *p;
	return e;
}

API cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count)
{
	return out ? cuda_node_add(g, CU_GRAPH_NODE_EMPTY, depends, count, out)
		   : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			     CUgraph child)
{
	CUresult e = out && IS(child, GRAPH)
			     ? cuda_node_add(g, CU_GRAPH_NODE_GRAPH, depends, count, out)
			     : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	e = cuda_graph_new(&(*out)->u.child);
	if (!e)
		e = cuda_graph_copy_nodes((*out)->u.child, child);
	return drop_if(e, *out);
}

API cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out)
{
	if (!IS(n, NODE) || n->type != CU_GRAPH_NODE_GRAPH || !out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = n->u.child;
	return CUDA_SUCCESS;
}

static CUresult add_event(CUgraphNode *out, CUgraph g, int type, const CUgraphNode *depends,
			  size_t count, CUevent event)
{
	CUresult e = out && IS(event, EVENT) ? cuda_node_add(g, type, depends, count, out)
					     : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		(*out)->u.event = event;
	return e;
}

API cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			      CUevent event)
{
	return add_event(out, g, CU_GRAPH_NODE_EVENT_RECORD, depends, count, event);
}

API cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			    CUevent event)
{
	return add_event(out, g, CU_GRAPH_NODE_WAIT_EVENT, depends, count, event);
}

/* The memory is allocated now and stays until the program frees it, or a node does. */
API cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			   CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	CUresult e = out && p ? cuda_node_add(g, CU_GRAPH_NODE_MEM_ALLOC, depends, count, out)
			      : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	e = cuMemAlloc_v2(&p->dptr, p->bytesize);
	if (!e)
		(*out)->u.alloc = *p;
	return drop_if(e, *out);
}

API cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *depends, size_t count,
			  CUdeviceptr address)
{
	CUresult e = out ? cuda_node_add(g, CU_GRAPH_NODE_MEM_FREE, depends, count, out)
			 : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		(*out)->u.freed = address;
	return e;
}

/* ---- parameters ---- */

#define CHECK(n, kind, p) \
	do { \
		if (!IS(n, NODE) || (n)->type != CU_GRAPH_NODE_##kind || !(p)) \
			return CUDA_ERROR_INVALID_VALUE; \
	} while (0)

static CUresult get_kernel(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p, size_t bytes)
{
	const struct launch *l;
	CUDA_KERNEL_NODE_PARAMS full;

	CHECK(n, KERNEL, p);
	l = &n->u.kernel.launch;
	full = (CUDA_KERNEL_NODE_PARAMS){.func = l->function,
					 .gridDimX = l->grid[0],
					 .gridDimY = l->grid[1],
					 .gridDimZ = l->grid[2],
					 .blockDimX = l->block[0],
					 .blockDimY = l->block[1],
					 .blockDimZ = l->block[2],
					 .sharedMemBytes = l->shared,
					 .kernelParams = n->u.kernel.arguments};
	memcpy(p, &full, bytes);
	return CUDA_SUCCESS;
}

API cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p)
{
	return get_kernel(n, p, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
}

API cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p)
{
	return get_kernel(n, p, sizeof(*p));
}

API cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
	CHECK(n, KERNEL, p);
	return set_kernel(n, p, false);
}

API cuGraphKernelNodeSetParams_v2(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
	CHECK(n, KERNEL, p);
	return set_kernel(n, p, true);
}

API cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *p)
{
	CHECK(n, MEMCPY, p);
	*p = n->u.copy;
	return CUDA_SUCCESS;
}

API cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *p)
{
	CHECK(n, MEMCPY, p);
	n->u.copy = *p;
	return CUDA_SUCCESS;
}

API cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *p)
{
	CHECK(n, MEMSET, p);
	*p = n->u.fill;
	return CUDA_SUCCESS;
}

API cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *p)
{
	CHECK(n, MEMSET, p);
	n->u.fill = *p;
	return CUDA_SUCCESS;
}

API cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *p)
{
	CHECK(n, HOST, p);
	*p = n->u.host;
	return CUDA_SUCCESS;
}

API cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	CHECK(n, HOST, p);
	n->u.host = *p;
	return CUDA_SUCCESS;
}

API cuGraphEventRecordNodeGetEvent(CUgraphNode n, CUevent *out)
{
	CHECK(n, EVENT_RECORD, out);
	*out = n->u.event;
	return CUDA_SUCCESS;
}

API cuGraphEventWaitNodeGetEvent(CUgraphNode n, CUevent *out)
{
	CHECK(n, WAIT_EVENT, out);
	*out = n->u.event;
	return CUDA_SUCCESS;
}

API cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	CHECK(n, MEM_ALLOC, p);
	*p = n->u.alloc;
	return CUDA_SUCCESS;
}

API cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *out)
{
	CHECK(n, MEM_FREE, out);
	*out = n->u.freed;
	return CUDA_SUCCESS;
}

API cuGraphKernelNodeSetAttribute(CUgraphNode n, unsigned attribute, const void *value)
{
	CHECK(n, KERNEL, value);
	if (attribute == CU_LAUNCH_COOPERATIVE)
		n->u.kernel.launch.cooperative = *(const int *)value != 0;
	else if (attribute == CU_LAUNCH_CLUSTER_DIMENSION)
		memcpy(n->u.kernel.launch.cluster, value, sizeof(n->u.kernel.launch.cluster));
	return CUDA_SUCCESS;
}

API cuGraphKernelNodeGetAttribute(CUgraphNode n, unsigned attribute, void *value)
{
	CHECK(n, KERNEL, value);
	memset(value, 0, 64);
	if (attribute == CU_LAUNCH_COOPERATIVE)
		*(int *)value = n->u.kernel.launch.cooperative;
	else if (attribute == CU_LAUNCH_CLUSTER_DIMENSION)
		memcpy(value, n->u.kernel.launch.cluster, sizeof(n->u.kernel.launch.cluster));
	return CUDA_SUCCESS;
}

API cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
	CHECK(to, KERNEL, from);
	CHECK(from, KERNEL, to);
	to->u.kernel.launch.cooperative = from->u.kernel.launch.cooperative;
	memcpy(to->u.kernel.launch.cluster, from->u.kernel.launch.cluster,
	       sizeof(to->u.kernel.launch.cluster));
	return CUDA_SUCCESS;
}
