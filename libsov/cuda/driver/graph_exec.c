// SPDX-License-Identifier: MIT
/*
 * Executable graphs. A copy of the graph, in which child graphs are replaced by their nodes,
 * becomes a graph of sov.h; it is made anew before the next launch when parameters change. Two
 * kinds of node lie outside of it: the stream waits for events before the whole graph, and records
 * events after it.
 *
 * Copies in graphs of sov.h need pinned memory. The host copies pageable memory to or from a pinned
 * buffer of the graph instead, when the graph gets there.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/cuda/driver/graph.h"

/* A pinned buffer between pageable memory and the GPU. */
struct staged {
	sov_copy_rect rect; /* both sides, as the host copies them */
	void *pinned;
	struct staged *next;
};

struct CUgraphExec_st {
	uint32_t magic;
	CUgraph graph; /* flat */
	CUcontext context;
	sov_graph_exec sov; /* NULL: nothing to execute */
	bool dirty;
	uint64_t flags;
	struct staged *staged;
};

/* ---- flattening ---- */

/* Replaces a child node by an empty one after the child's nodes. */
static CUresult expand(CUgraph g, CUgraphNode n)
{
	CUgraph child = n->u.child;
	uint32_t first = g->count, count = child->count;
	CUgraphNode *depends = n->depends;
	uint32_t depend_count = n->depend_count;
	CUresult e = cuda_graph_copy_nodes(g, child);

	n->depends = NULL;
	n->depend_count = 0;
	if (!e && !count)
		e = cuda_node_depend(n, depends, depend_count);
	for (uint32_t k = first; !e && k < first + count; k++) {
		if (!g->nodes[k]->depend_count)
			e = cuda_node_depend(g->nodes[k], depends, depend_count);
		if (!e)
			e = cuda_node_depend(n, &g->nodes[k], 1);
	}
	free(depends);
	cuda_graph_free(child);
	n->u.child = NULL;
	n->type = CU_GRAPH_NODE_EMPTY;
	return e;
}

/* Replaces the child nodes of a graph and of its nodes' bodies. */
static CUresult flatten(CUgraph g)
{
	CUresult e = CUDA_SUCCESS;

	for (uint32_t k = 0; !e && k < g->count; k++) {
		CUgraphNode n = g->nodes[k];

		if (n->type == CU_GRAPH_NODE_GRAPH)
			e = expand(g, n);
		for (uint32_t i = 0;
		     n->type == CU_GRAPH_NODE_CONDITIONAL && !e && i < n->u.conditional.count; i++)
			e = flatten(n->u.conditional.bodies[i]);
	}
	return e;
}

/* ---- one node ---- */

struct builder {
	CUgraphExec exec;
	sov_graph graph;
	sov_node *roots; /* which nodes without dependencies follow: they set conditions */
	uint32_t root_count;
	sov_node *after;
	uint32_t after_count;
	bool empty; /* the graph of sov.h has no node */
};

static CUresult set_ends(CUgraphNode n, const sov_node *nodes, uint32_t count)
{
	free(n->ends);
	n->ends = malloc((count + 1) * sizeof(*n->ends));
	if (!n->ends)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (count)
		memcpy(n->ends, nodes, count * sizeof(*nodes));
	n->end_count = count;
	return CUDA_SUCCESS;
}

static CUresult build_kernel(struct builder *b, CUgraphNode n, sov_node *out)
{
	const struct launch *l = &n->u.kernel.launch;
	sov_launch k = SOV_INIT(sov_launch);

	k.shared_bytes = l->shared;
	memcpy(k.grid, l->grid, sizeof(k.grid));
	memcpy(k.block, l->block, sizeof(k.block));
	memcpy(k.cluster, l->cluster, sizeof(k.cluster));
	k.flags = l->cooperative ? SOV_LAUNCH_COOPERATIVE : 0;
	k.arguments = (const void *const *)n->u.kernel.arguments;
	k.argument_count = l->function->parameters;
	return cuda_context_result(b->exec->context,
				   sov_graph_add_kernel(b->graph, b->after, b->after_count,
							l->function->sov, &k, out));
}

static void copy_on_host(void *user)
{
	const sov_copy_rect *k = &((const struct staged *)user)->rect;

	for (uint64_t z = 0; z < k->depth; z++)
		for (uint64_t y = 0; y < k->height; y++)
			memcpy((char *)(uintptr_t)k->destination +
				       (z * k->destination_rows + y) * k->destination_pitch,
			       (const char *)(uintptr_t)k->source +
				       (z * k->source_rows + y) * k->source_pitch,
			       k->width_bytes);
}

static CUresult stage(CUgraphExec exec, const sov_copy_rect *k, struct staged **out)
{
	struct staged *t = calloc(1, sizeof(*t));
	CUresult e;

	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e = cuda_context_result(exec->context,
				sov_host_alloc(exec->context->sov,
					       k->width_bytes * k->height * k->depth, &t->pinned));
	if (e) {
		free(t);
		return e;
	}
	t->rect = *k;
	t->next = exec->staged;
	exec->staged = t;
	*out = t;
	return CUDA_SUCCESS;
}

static sov_result add_rect(struct builder *b, const sov_node *after, uint32_t count,
			   const sov_copy_rect *k, sov_node *out)
{
	if (k->height == 1 && k->depth == 1)
		return sov_graph_add_copy(b->graph, after, count, k->destination, k->source,
					  k->width_bytes, out);
	return sov_graph_add_copy_rect(b->graph, after, count, k, out);
}

/* Host to pinned buffer to GPU, or back; between host memories the host's copy is all. */
static CUresult build_staged(struct builder *b, const sov_copy_rect *k, bool to_host,
			     bool from_host, sov_node *out)
{
	sov_copy_rect gpu = *k;
	struct staged *t;
	sov_node first;
	sov_result r;
	CUresult e = stage(b->exec, k, &t);

	if (e)
		return e;
	if (to_host && from_host) {
		r = sov_graph_add_host_function(b->graph, b->after, b->after_count, copy_on_host, t,
						out);
		return cuda_context_result(b->exec->context, r);
	}
	if (from_host) {
		t->rect.destination = gpu.source = SOV_HOST(t->pinned);
		t->rect.destination_pitch = gpu.source_pitch = k->width_bytes;
		t->rect.destination_rows = gpu.source_rows = k->height;
		r = sov_graph_add_host_function(b->graph, b->after, b->after_count, copy_on_host, t,
						&first);
		if (!r)
			r = add_rect(b, &first, 1, &gpu, out);
	} else {
		t->rect.source = gpu.destination = SOV_HOST(t->pinned);
		t->rect.source_pitch = gpu.destination_pitch = k->width_bytes;
		t->rect.source_rows = gpu.destination_rows = k->height;
		r = add_rect(b, b->after, b->after_count, &gpu, &first);
		if (!r)
			r = sov_graph_add_host_function(b->graph, &first, 1, copy_on_host, t, out);
	}
	return cuda_context_result(b->exec->context, r);
}

static CUresult build_copy(struct builder *b, CUgraphNode n, sov_node *out)
{
	CUcontext c = b->exec->context;
	bool to_host, from_host;
	sov_copy_rect k;

	if (!cuda_copy_rect(&n->u.copy, &k))
		return cuda_missing("copy node", "arrays of layers or three dimensions");
	to_host = cuda_is_pageable(c, k.destination);
	from_host = cuda_is_pageable(c, k.source);
	if (to_host || from_host)
		return build_staged(b, &k, to_host, from_host, out);
	return cuda_context_result(c, add_rect(b, b->after, b->after_count, &k, out));
}

static CUresult build_fill(struct builder *b, CUgraphNode n, sov_node *out)
{
	CUDA_MEMSET_NODE_PARAMS p = n->u.fill;
	sov_result r = SOV_OK;

	if (p.height <= 1 || p.pitch == p.width * p.elementSize) {
		p.width *= p.height ? p.height : 1;
		p.height = 1;
	}
	/* Rows follow each other, so that the last one is the end of all. */
	for (size_t y = 0; !r && y < p.height; y++)
		r = sov_graph_add_fill(b->graph, y ? out : b->after, y ? 1 : b->after_count,
				       p.dst + y * p.pitch, p.value, p.elementSize, p.width, out);
	return cuda_context_result(b->exec->context, r);
}

static CUresult build_graph(CUgraphExec exec, CUgraph g, sov_graph *out, bool *empty);

/* Bodies may not touch events or the host, as CUDA has it. */
static CUresult check_body(CUgraph g)
{
	for (uint32_t k = 0; k < g->count; k++)
		switch (g->nodes[k]->type) {
		case CU_GRAPH_NODE_KERNEL:
		case CU_GRAPH_NODE_MEMCPY:
		case CU_GRAPH_NODE_MEMSET:
		case CU_GRAPH_NODE_EMPTY:
		case CU_GRAPH_NODE_CONDITIONAL:
			break;
		default:
			return cuda_missing("conditional node",
					    "host functions, events and memory nodes in bodies");
		}
	return CUDA_SUCCESS;
}

static CUresult build_conditional(struct builder *b, CUgraphNode n, sov_node *out)
{
	static const uint32_t kinds[] = {SOV_CONDITIONAL_IF, SOV_CONDITIONAL_WHILE,
					 SOV_CONDITIONAL_SWITCH};
	const struct conditional_node *k = &n->u.conditional;
	sov_graph *bodies = calloc(k->count, sizeof(sov_graph));
	CUresult e = bodies ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	bool empty;

	for (uint32_t i = 0; !e && i < k->count; i++) {
		e = check_body(k->bodies[i]);
		if (!e)
			e = build_graph(b->exec, k->bodies[i], &bodies[i], &empty);
	}
	if (!e)
		e = cuda_context_result(b->exec->context,
					sov_graph_add_conditional(
						b->graph, b->after, b->after_count, kinds[k->type],
						(uint64_t)(uintptr_t)k->condition->word, bodies,
						k->count, out));
	for (uint32_t i = 0; bodies && i < k->count; i++)
		if (bodies[i])
			sov_graph_destroy(bodies[i]);
	free(bodies);
	return e;
}

static CUresult build_node(struct builder *b, CUgraphNode n)
{
	sov_node made = 0;
	CUresult e = CUDA_SUCCESS;
	int type = n->disabled ? CU_GRAPH_NODE_EMPTY : n->type;

	switch (type) {
	case CU_GRAPH_NODE_KERNEL:
		e = build_kernel(b, n, &made);
		break;
	case CU_GRAPH_NODE_MEMCPY:
		e = build_copy(b, n, &made);
		break;
	case CU_GRAPH_NODE_MEMSET:
		e = build_fill(b, n, &made);
		break;
	case CU_GRAPH_NODE_HOST:
		e = cuda_context_result(b->exec->context,
					sov_graph_add_host_function(b->graph, b->after,
								    b->after_count, n->u.host.fn,
								    n->u.host.userData, &made));
		break;
	case CU_GRAPH_NODE_CONDITIONAL:
		e = build_conditional(b, n, &made);
		break;
	default:
		return set_ends(n, b->after, b->after_count);
	}
	b->empty = false;
	return e ? e : set_ends(n, &made, 1);
}

/* What a node follows: the ends of its dependencies, without repetition. */
static CUresult collect(struct builder *b, CUgraphNode n)
{
	uint32_t room = b->root_count;

	for (uint32_t k = 0; k < n->depend_count; k++)
		room += n->depends[k]->end_count;
	free(b->after);
	b->after = malloc((room + 1) * sizeof(*b->after));
	b->after_count = 0;
	if (!b->after)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t k = 0; !n->depend_count && k < b->root_count; k++)
		b->after[b->after_count++] = b->roots[k];
	for (uint32_t k = 0; k < n->depend_count; k++)
		for (uint32_t i = 0; i < n->depends[k]->end_count; i++) {
			sov_node end = n->depends[k]->ends[i];
			bool known = false;

			for (uint32_t j = 0; j < b->after_count; j++)
				known |= b->after[j] == end;
			if (!known)
				b->after[b->after_count++] = end;
		}
	return CUDA_SUCCESS;
}

static bool is_ready(const struct CUgraphNode_st *n)
{
	for (uint32_t k = 0; k < n->depend_count; k++)
		if (!n->depends[k]->mark)
			return false;
	return !n->mark;
}

/* Nodes are usually in order already, so this takes one round. */
static CUresult build_all(struct builder *b, CUgraph g)
{
	uint32_t done = 0, before;
	CUresult e = CUDA_SUCCESS;

	for (uint32_t k = 0; k < g->count; k++)
		g->nodes[k]->mark = false;
	do {
		before = done;
		for (uint32_t k = 0; !e && k < g->count; k++) {
			if (!is_ready(g->nodes[k]))
				continue;
			e = collect(b, g->nodes[k]);
			if (!e)
				e = build_node(b, g->nodes[k]);
			g->nodes[k]->mark = true;
			done++;
		}
	} while (!e && done > before && done < g->count);
	return e ? e : done < g->count ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static void staged_free(CUgraphExec exec)
{
	while (exec->staged) {
		struct staged *t = exec->staged;

		exec->staged = t->next;
		sov_host_free(exec->context->sov, t->pinned);
		free(t);
	}
}

/* Nodes that set the graph's conditions to their initial values. */
static CUresult build_conditions(struct builder *b, CUgraph g)
{
	CUresult e = CUDA_SUCCESS;

	b->roots = calloc(g->condition_count + 1, sizeof(*b->roots));
	if (!b->roots)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (uint32_t k = 0; !e && k < g->condition_count; k++) {
		const struct condition *c = g->conditions[k];

		if (!c->assigns)
			continue;
		e = cuda_context_result(b->exec->context,
					sov_graph_add_fill(b->graph, NULL, 0,
							   (uint64_t)(uintptr_t)c->word, c->initial,
							   sizeof(*c->word), 1,
							   &b->roots[b->root_count]));
		b->root_count++;
	}
	b->empty = !b->root_count;
	return e;
}

static CUresult build_graph(CUgraphExec exec, CUgraph g, sov_graph *out, bool *empty)
{
	struct builder b = {.exec = exec};
	CUcontext c = exec->context;
	CUresult e = cuda_context_result(c, sov_graph_create(c->sov, 0, &b.graph));

	if (e)
		return e;
	e = build_conditions(&b, g);
	if (!e)
		e = build_all(&b, g);
	if (e)
		sov_graph_destroy(b.graph);
	else
		*out = b.graph;
	*empty = b.empty;
	free(b.roots);
	free(b.after);
	return e;
}

static CUresult exec_build(CUgraphExec exec)
{
	CUcontext c = exec->context;
	sov_graph graph;
	bool empty;
	CUresult e;

	if (exec->sov)
		sov_graph_exec_destroy(exec->sov);
	exec->sov = NULL;
	staged_free(exec);
	e = build_graph(exec, exec->graph, &graph, &empty);
	if (!e) {
		if (!empty)
			e = cuda_context_result(c, sov_graph_instantiate(graph, &exec->sov));
		sov_graph_destroy(graph);
	}
	exec->dirty = e != CUDA_SUCCESS;
	return e;
}

/* ---- calls ---- */

static void exec_free(CUgraphExec exec)
{
	if (exec->sov)
		sov_graph_exec_destroy(exec->sov);
	staged_free(exec);
	if (exec->graph)
		cuda_graph_free(exec->graph);
	exec->magic = 0;
	free(exec);
}

API cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	CUgraphExec exec;

	if (!c)
		return e;
	if (!out || !IS(g, GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & 4)
		return cuda_missing("cuGraphInstantiate", "launches of graphs from kernels");
	exec = calloc(1, sizeof(*exec));
	if (!exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	exec->magic = MAGIC_EXEC;
	exec->context = c;
	exec->flags = flags;
	for (uint32_t k = 0; k < g->count; k++)
		if (g->nodes[k]->type == CU_GRAPH_NODE_KERNEL)
			exec->context = g->nodes[k]->context;
	e = cuda_graph_new(&exec->graph);
	if (!e)
		e = cuda_graph_copy_nodes(exec->graph, g);
	if (!e)
		e = flatten(exec->graph);
	if (!e)
		e = exec_build(exec);
	if (e)
		exec_free(exec);
	else
		*out = exec;
	return e;
}

API cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log, size_t bytes)
{
	if (error)
		*error = NULL;
	if (log && bytes)
		*log = 0;
	return cuGraphInstantiateWithFlags(out, g, 0);
}

API cuGraphInstantiate(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log, size_t bytes)
{
	return cuGraphInstantiate_v2(out, g, error, log, bytes);
}

API cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p)
{
	CUresult e;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	e = cuGraphInstantiateWithFlags(out, g, p->flags);
	p->hErrNode_out = NULL;
	p->result_out = e ? 1 : 0;
	return e;
}

API cuGraphExecDestroy(CUgraphExec exec)
{
	if (!IS(exec, EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	exec_free(exec);
	return CUDA_SUCCESS;
}

API cuGraphExecGetFlags(CUgraphExec exec, uint64_t *flags)
{
	if (!IS(exec, EXEC) || !flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = exec->flags;
	return CUDA_SUCCESS;
}

/* Nothing is left for the first launch. */
API cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	CUresult e;

	if (!IS(exec, EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	return cuda_stream(stream, &e) && exec->dirty ? exec_build(exec) : e;
}

static CUresult events(CUgraphExec exec, CUstream s, int type)
{
	CUresult e = CUDA_SUCCESS;

	for (uint32_t k = 0; !e && k < exec->graph->count; k++) {
		CUgraphNode n = exec->graph->nodes[k];

		if (n->type != type || n->disabled)
			continue;
		e = type == CU_GRAPH_NODE_WAIT_EVENT ? cuStreamWaitEvent(s, n->u.event, 0)
						     : cuEventRecord(n->u.event, s);
	}
	return e;
}

API cuGraphLaunch(CUgraphExec exec, CUstream handle)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (!IS(exec, EXEC))
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return cuda_capture_unsupported(s);
	if (exec->dirty)
		e = exec_build(exec);
	if (!e)
		e = events(exec, handle, CU_GRAPH_NODE_WAIT_EVENT);
	if (!e)
		e = cuda_stream_begin(s);
	if (!e && exec->sov)
		e = cuda_context_result(s->context, sov_graph_launch(exec->sov, s->sov));
	cuda_stream_end(s);
	return e ? e : events(exec, handle, CU_GRAPH_NODE_EVENT_RECORD);
}

/* ---- changes ---- */

CUgraphNode cuda_exec_node(CUgraphExec exec, CUgraphNode n, int type)
{
	CUgraphNode copy = IS(exec, EXEC) && n ? cuda_node_of_origin(exec->graph, n) : NULL;

	if (copy && copy->type == type) {
		exec->dirty = true;
		return copy;
	}
	return NULL;
}

API cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode n,
				   const CUDA_KERNEL_NODE_PARAMS *p)
{
	n = cuda_exec_node(exec, n, CU_GRAPH_NODE_KERNEL);
	return n ? cuGraphKernelNodeSetParams(n, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode n,
				      const CUDA_KERNEL_NODE_PARAMS *p)
{
	n = cuda_exec_node(exec, n, CU_GRAPH_NODE_KERNEL);
	return n ? cuGraphKernelNodeSetParams_v2(n, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_MEMCPY3D *p,
				   CUcontext c)
{
	(void)c;
	n = cuda_exec_node(exec, n, CU_GRAPH_NODE_MEMCPY);
	return n ? cuGraphMemcpyNodeSetParams(n, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode n,
				   const CUDA_MEMSET_NODE_PARAMS *p, CUcontext c)
{
	(void)c;
	n = cuda_exec_node(exec, n, CU_GRAPH_NODE_MEMSET);
	return n ? cuGraphMemsetNodeSetParams(n, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *p)
{
	n = cuda_exec_node(exec, n, CU_GRAPH_NODE_HOST);
	return n ? cuGraphHostNodeSetParams(n, p) : CUDA_ERROR_INVALID_VALUE;
}

API cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode n, unsigned enabled)
{
	CUgraphNode copy = IS(exec, EXEC) && IS(n, NODE) && n->type <= CU_GRAPH_NODE_MEMSET
				   ? cuda_exec_node(exec, n, n->type)
				   : NULL;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	copy->disabled = !enabled;
	return CUDA_SUCCESS;
}

API cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode n, unsigned *enabled)
{
	CUgraphNode copy = IS(exec, EXEC) && n ? cuda_node_of_origin(exec->graph, n) : NULL;

	if (!copy || !enabled)
		return CUDA_ERROR_INVALID_VALUE;
	*enabled = !copy->disabled;
	return CUDA_SUCCESS;
}

/* Results of an update. */
enum { UPDATE_ERROR = 1, UPDATE_TOPOLOGY = 2, UPDATE_TYPE = 3 };

/* Whether both have the same types and edges, node by node. */
static unsigned compare(CUgraph a, CUgraph b)
{
	if (a->count != b->count)
		return UPDATE_TOPOLOGY;
	for (uint32_t k = 0; k < a->count; k++) {
		CUgraphNode x = a->nodes[k], y = b->nodes[k];

		if (x->type != y->type)
			return UPDATE_TYPE;
		if (x->type == CU_GRAPH_NODE_CONDITIONAL) {
			const struct conditional_node *p = &x->u.conditional,
						      *q = &y->u.conditional;
			unsigned result =
				p->type != q->type || p->count != q->count ? UPDATE_TOPOLOGY : 0;

			for (uint32_t i = 0; !result && i < p->count; i++)
				result = compare(p->bodies[i], q->bodies[i]);
			if (result)
				return result;
		}
		if (x->depend_count != y->depend_count)
			return UPDATE_TOPOLOGY;
		for (uint32_t i = 0; i < x->depend_count; i++) {
			uint32_t p = 0, q = 0;

			while (p < a->count && a->nodes[p] != x->depends[i])
				p++;
			while (q < b->count && b->nodes[q] != y->depends[i])
				q++;
			if (p != q)
				return UPDATE_TOPOLOGY;
		}
	}
	return 0;
}

API cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph g, CUgraphExecUpdateResultInfo *info)
{
	CUresult e = CUDA_SUCCESS;
	unsigned result;
	CUgraph flat;

	if (!IS(exec, EXEC) || !IS(g, GRAPH) || !info)
		return CUDA_ERROR_INVALID_VALUE;
	*info = (CUgraphExecUpdateResultInfo){0};
	e = cuda_graph_new(&flat);
	if (!e)
		e = cuda_graph_copy_nodes(flat, g);
	if (!e)
		e = flatten(flat);
	if (e)
		return e;
	result = compare(exec->graph, flat);
	for (uint32_t k = 0; !result && !e && k < flat->count; k++)
		e = cuda_node_copy_parameters(exec->graph->nodes[k], flat->nodes[k]);
	if (!result && !e) {
		struct CUgraph_st old = *exec->graph;

		exec->graph->conditions = flat->conditions;
		exec->graph->condition_count = flat->condition_count;
		flat->conditions = old.conditions;
		flat->condition_count = old.condition_count;
	}
	cuda_graph_free(flat);
	info->result = e ? UPDATE_ERROR : result;
	if (!info->result)
		exec->dirty = true;
	return info->result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS;
}

API cuGraphExecUpdate(CUgraphExec exec, CUgraph g, CUgraphNode *error, unsigned *result)
{
	CUgraphExecUpdateResultInfo info = {0};
	CUresult e = cuGraphExecUpdate_v2(exec, g, &info);

	if (error)
		*error = info.errorNode;
	if (result)
		*result = info.result;
	return e;
}
