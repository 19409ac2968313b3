/* SPDX-License-Identifier: MIT */
#ifndef SOV_GRAPH_WRITE_H
#define SOV_GRAPH_WRITE_H

#include "libsov/runtime/graph/graph.h"

/* Allocates the graph's memory and writes everything that the GPU reads. */
sov_result graph_write(struct graph_exec *g);
/* Writes one kernel's parameters again; a write barrier must follow. */
void graph_write_parameters(struct graph_exec *g, uint32_t node);
/* Writes the command words while the graph does not execute. Repeated when launches contain the
 * address of local memory and that has changed; the repetition cannot fail. */
sov_result graph_write_methods(struct graph_exec *g);

#endif
