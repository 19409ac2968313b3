/* SPDX-License-Identifier: MIT */
#ifndef SOV_GRAPH_EXEC_H
#define SOV_GRAPH_EXEC_H

#include "libsov/runtime/graph/graph.h"

/* The kernel whose chain code is at the address, and where that code begins; NULL: none. */
const struct function *graph_function_at(const struct context *c, uint64_t va, uint64_t *base);

#endif
