// SPDX-License-Identifier: MIT
/* What a graph contains: nodes, edges, a drawing of it. Edges have no data: all are full
 * dependencies. */
#include <stdio.h>
#include <string.h>
#include "libsov/cuda/driver/graph.h"

/* Hands out a list the way CUDA does: without an array the length, else at most *count items. */
struct list_out {
	CUgraphNode *out;
	size_t room, count;
};

static void list_put(struct list_out *l, CUgraphNode n)
{
	if (l->out && l->count < l->room)
		l->out[l->count] = n;
	l->count++;
}

static CUresult list_end(struct list_out *l, size_t *count)
{
	for (size_t k = l->count; l->out && k < l->room; k++)
		l->out[k] = NULL;
	*count = l->out && l->count > l->room ? l->room : l->count;
	return CUDA_SUCCESS;
}

API cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
	struct list_out l = {out, count ? *count : 0, 0};

	if (!IS(g, GRAPH) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t k = 0; k < g->count; k++)
		list_put(&l, g->nodes[k]);
	return list_end(&l, count);
}

API cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
	struct list_out l = {out, count ? *count : 0, 0};

	if (!IS(g, GRAPH) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t k = 0; k < g->count; k++)
		if (!g->nodes[k]->depend_count)
			list_put(&l, g->nodes[k]);
	return list_end(&l, count);
}

API cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
		       size_t *count)
{
	struct list_out f = {from, count ? *count : 0, 0}, t = {to, f.room, 0};

	if (!IS(g, GRAPH) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	if (data && from)
		memset(data, 0, *count * sizeof(*data));
	for (uint32_t k = 0; k < g->count; k++)
		for (uint32_t i = 0; i < g->nodes[k]->depend_count; i++) {
			list_put(&f, g->nodes[k]->depends[i]);
			list_put(&t, g->nodes[k]);
		}
	list_end(&f, count);
	return list_end(&t, count);
}

API cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	return cuGraphGetEdges_v2(g, from, to, NULL, count);
}

API cuGraphNodeGetDependencies_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
				  size_t *count)
{
	struct list_out l = {out, count ? *count : 0, 0};

	if (!IS(n, NODE) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	if (data && out)
		memset(data, 0, *count * sizeof(*data));
	for (uint32_t k = 0; k < n->depend_count; k++)
		list_put(&l, n->depends[k]);
	return list_end(&l, count);
}

API cuGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, size_t *count)
{
	return cuGraphNodeGetDependencies_v2(n, out, NULL, count);
}

API cuGraphNodeGetDependentNodes_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *data,
				    size_t *count)
{
	struct list_out l = {out, count ? *count : 0, 0};

	if (!IS(n, NODE) || !count)
		return CUDA_ERROR_INVALID_VALUE;
	if (data && out)
		memset(data, 0, *count * sizeof(*data));
	for (uint32_t k = 0; k < n->graph->count; k++)
		for (uint32_t i = 0; i < n->graph->nodes[k]->depend_count; i++)
			if (n->graph->nodes[k]->depends[i] == n)
				list_put(&l, n->graph->nodes[k]);
	return list_end(&l, count);
}

API cuGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, size_t *count)
{
	return cuGraphNodeGetDependentNodes_v2(n, out, NULL, count);
}

API cuGraphNodeGetType(CUgraphNode n, unsigned *type)
{
	if (!IS(n, NODE) || !type)
		return CUDA_ERROR_INVALID_VALUE;
	*type = (unsigned)n->type;
	return CUDA_SUCCESS;
}

API cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
			      const CUgraphEdgeData *data, size_t count)
{
	CUresult e =
		IS(g, GRAPH) && (!count || (from && to)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	(void)data;
	for (size_t k = 0; !e && k < count; k++)
		e = IS(to[k], NODE) && to[k]->graph == g ? cuda_node_depend(to[k], &from[k], 1)
							 : CUDA_ERROR_INVALID_VALUE;
	return e;
}

API cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
	return cuGraphAddDependencies_v2(g, from, to, NULL, count);
}

static CUresult remove_edge(CUgraphNode from, CUgraphNode to)
{
	for (uint32_t k = 0; k < to->depend_count; k++)
		if (to->depends[k] == from) {
			to->depends[k] = to->depends[--to->depend_count];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

API cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
				 const CUgraphEdgeData *data, size_t count)
{
	CUresult e =
		IS(g, GRAPH) && (!count || (from && to)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	(void)data;
	for (size_t k = 0; !e && k < count; k++)
		e = IS(to[k], NODE) && to[k]->graph == g ? remove_edge(from[k], to[k])
							 : CUDA_ERROR_INVALID_VALUE;
	return e;
}

API cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
			      size_t count)
{
	return cuGraphRemoveDependencies_v2(g, from, to, NULL, count);
}

API cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
	static const char *const types[] = {"kernel", "copy", "fill",   "host",       "graph",
					    "empty",  "wait", "record", "",           "",
					    "alloc",  "free", "",       "conditional"};
	FILE *f;

	(void)flags;
	if (!IS(g, GRAPH) || !path)
		return CUDA_ERROR_INVALID_VALUE;
	f = fopen(path, "w");
	if (!f)
		return CUDA_ERROR_OPERATING_SYSTEM;
	fprintf(f, "digraph graph_1 {\n");
	for (uint32_t k = 0; k < g->count; k++) {
		CUgraphNode n = g->nodes[k];

		fprintf(f, "\tnode_%u [label=\"%u: %s%s%s\"];\n", k, k, types[n->type],
			n->type == CU_GRAPH_NODE_KERNEL ? " " : "",
			n->type == CU_GRAPH_NODE_KERNEL ? n->u.kernel.launch.function->name : "");
		for (uint32_t i = 0; i < n->depend_count; i++)
			for (uint32_t j = 0; j < g->count; j++)
				if (g->nodes[j] == n->depends[i])
					fprintf(f, "\tnode_%u -> node_%u;\n", j, k);
	}
	fprintf(f, "}\n");
	return fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
