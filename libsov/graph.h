/* SPDX-License-Identifier: MIT */
/* Graphs: nodes with what they come after. graph.c makes them, capture.c records them from streams,
 * graph_run.c runs them. */
#ifndef SOV_GRAPH_H
#define SOV_GRAPH_H

#include "libsov/runtime.h"

enum node_kind { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_CALL };

struct node {
	enum node_kind kind;
	uint32_t *after; /* numbers of nodes */
	uint32_t nafter;
	union {
		struct {
			struct function *function; /* a reference */
			uint32_t grid[3], block[3], shared_bytes;
			uint64_t time_limit; /* 0: the context's */
			uint8_t *parameters; /* as they lie in the constant bank */
		} kernel;
		struct {
			uint64_t destination, source, bytes;
		} copy;
		struct {
			uint64_t address, bytes;
			uint32_t value, element_bytes;
		} fill;
		struct {
			void (*function)(void *user);
			void *user;
		} call;
	};
};

struct graph {
	struct member member;
	struct node *nodes;
	uint32_t count, capacity;
};

/* With the lock held. Appends a node; what it holds is the graph's from then on. */
sov_result graph_add(struct graph *g, const uint32_t *after, uint32_t nafter, struct node *n,
		     uint32_t *number);
/* Nodes of each kind, checked; only node_free gives back what they hold. */
sov_result node_kernel(struct context *c, struct function *f, const sov_launch *l, struct node *n);
sov_result node_copy(struct context *c, uint64_t destination, uint64_t source, uint64_t bytes,
		     struct node *n);
sov_result node_fill(struct context *c, uint64_t address, uint32_t value, uint32_t element_bytes,
		     uint64_t count, struct node *n);
void node_free(struct node *n);
void node_set_parameters(struct node *n, const void *const *arguments);

#endif
