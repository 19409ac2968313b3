/* SPDX-License-Identifier: MIT */
#ifndef SOV_GRAPH_NODES_H
#define SOV_GRAPH_NODES_H

#include "libsov/runtime/graph/graph.h"

/* Submits each node of the graph as work of its own. on_host: see graph_run_on_host. */
sov_result graph_submit_nodes(struct graph_exec *g, struct stream *s, bool on_host);
/* Executes a node of the host in stream order. on_host: this is the thread of host functions, which
 * waits for the stream and calls the node's function itself. */
sov_result graph_run_on_host(struct node *n, struct stream *s, bool on_host);

#endif
