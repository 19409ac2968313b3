/* SPDX-License-Identifier: MIT */
#ifndef SOV_GRAPH_NODES_H
#define SOV_GRAPH_NODES_H

#include "libsov/runtime/graph/graph.h"

/* Submits each node of the graph as work of its own. */
sov_result graph_submit_nodes(struct graph_exec *g, struct stream *s);

#endif
