// SPDX-License-Identifier: MIT
/*
 * Topological order of a graph (Kahn's algorithm). A node's level is one more than the highest
 * level of its dependencies; nodes of one level may execute concurrently. Consecutive levels that
 * consist of a single kernel form a chain.
 */
#include <stdlib.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/graph/graph_order.h"

/* missing: unfinished dependencies of each node; later: successors of all nodes in one array. */
static sov_result graph_sort(struct graph_exec *g)
{
	uint32_t *missing = calloc(g->count + 1, 4), *start = calloc(g->count + 2, 4);
	uint32_t *later, edges = 0, done = 0, i, k;
	sov_result r = SOV_OK;

	for (i = 0; i < g->count; i++)
		edges += g->nodes[i].ndependencies;
	later = calloc(edges + 1, 4);
	if (!missing || !start || !later) {
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
		goto out;
	}
	for (i = 0; i < g->count; i++)
		for (k = 0; k < g->nodes[i].ndependencies; k++)
			start[g->nodes[i].dependencies[k] + 1]++;
	for (i = 1; i <= g->count + 1; i++)
		start[i] += start[i - 1];
	for (i = 0; i < g->count; i++) {
		missing[i] = g->nodes[i].ndependencies;
		for (k = 0; k < g->nodes[i].ndependencies; k++)
			later[start[g->nodes[i].dependencies[k]]++] = i;
	}
	/* start[n] is now the end of the successors of node n, and start[n - 1] their beginning. */
	for (i = 0; i < g->count; i++)
		if (!missing[i])
			g->order[done++] = i;
	for (i = 0; i < done; i++) {
		uint32_t node = g->order[i];

		for (k = start[node]; k < start[node + 1]; k++) {
			uint32_t next = later[k];

			if (g->level[next] <= g->level[node])
				g->level[next] = g->level[node] + 1;
			if (!--missing[next])
				g->order[done++] = next;
		}
	}
	for (i = 0; i < g->count && !missing[i]; i++)
		;
	if (i < g->count)
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "node %u depends on itself; a graph must not have cycles", i + 1);
out:
	free(missing);
	free(start);
	free(later);
	return r;
}

/* Sorts by level; within a level in the order of creation. */
static sov_result graph_order_by_level(struct graph_exec *g)
{
	uint32_t *start, i;

	for (i = 0; i < g->count; i++)
		if (g->level[i] + 1 > g->levels)
			g->levels = g->level[i] + 1;
	start = calloc(g->levels + 1, sizeof(*start));
	if (!start)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	for (i = 0; i < g->count; i++)
		start[g->level[i] + 1]++;
	for (i = 1; i <= g->levels; i++)
		start[i] += start[i - 1];
	for (i = 0; i < g->count; i++)
		g->order[start[g->level[i]]++] = i;
	free(start);
	return SOV_OK;
}

/* The node at this position is a kernel and alone in its level. Grids of clusters stay out of
 * chains: how they start a successor was not tried. */
static bool is_alone_in_level(const struct graph_exec *g, uint32_t at)
{
	uint32_t level = g->level[g->order[at]];

	return g->nodes[g->order[at]].kind == NODE_KERNEL &&
	       !g->nodes[g->order[at]].kernel.cluster[0] &&
	       (!at || g->level[g->order[at - 1]] != level) &&
	       (at + 1 == g->count || g->level[g->order[at + 1]] != level);
}

static void graph_find_chains(struct graph_exec *g)
{
	uint32_t at;

	for (at = 1; at < g->count; at++) {
		if (!is_alone_in_level(g, at - 1) || !is_alone_in_level(g, at))
			continue;
		g->next[g->order[at - 1]] = 1 + g->order[at];
		g->next[g->order[at]] = GRAPH_CHAIN_END;
	}
}

sov_result graph_order(struct graph_exec *g, bool chains)
{
	sov_result r = graph_sort(g);

	if (!r)
		r = graph_order_by_level(g);
	if (!r && chains)
		graph_find_chains(g);
	return r;
}
