/* SPDX-License-Identifier: MIT */
#ifndef SOV_GRAPH_ORDER_H
#define SOV_GRAPH_ORDER_H

#include "libsov/runtime/graph/graph.h"

/* Computes levels, order and, if wanted, chains. */
sov_result graph_order(struct graph_exec *g, bool chains);

#endif
