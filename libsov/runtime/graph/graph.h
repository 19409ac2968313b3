/* SPDX-License-Identifier: MIT */
/*
 * Graphs: nodes with their dependencies. graph.c builds them, capture.c records them from streams;
 * graph_order.c and graph_write.c prepare an executable graph, graph_exec.c launches it, and
 * conditional.c decides what its conditional nodes execute.
 */
#ifndef SOV_GRAPH_H
#define SOV_GRAPH_H

#include "libsov/runtime/copy/copy_rect.h"
#include "libsov/runtime/module/function.h"

#define MAX_NODES 65536u

enum node_kind {
	NODE_KERNEL,
	NODE_COPY,
	NODE_LINES,
	NODE_FILL,
	NODE_HOST_FUNCTION,
	NODE_CONDITIONAL
};

struct graph_exec;

/* A graph that a conditional node executes. */
struct graph_body {
	struct node *nodes;
	uint32_t count;
	struct graph_exec *exec; /* a reference; NULL in a graph, or without nodes */
};

struct node {
	enum node_kind kind;
	uint32_t *dependencies; /* node numbers, from 1 */
	uint32_t ndependencies;
	union {
		struct {
			struct function *function; /* a reference */
			uint32_t grid[3], block[3], cluster[3], shared_bytes;
			uint64_t time_limit; /* 0: the context's */
			bool cooperative;
			uint8_t *parameters; /* laid out as in the constant bank */
		} kernel;
		struct {
			uint64_t destination, source, bytes;
		} copy;
		struct gpu_lines lines;
		struct {
			uint64_t address, bytes;
			uint32_t value, element_bytes;
		} fill;
		struct {
			void (*function)(void *user);
			void *user;
		} host;
		struct {
			struct context *context;
			uint64_t condition;     /* address of pinned memory */
			uint32_t kind, nbodies; /* kind: SOV_CONDITIONAL_* */
			struct graph_body *bodies;
		} conditional;
	};
};

/* The host executes the node, between two segments. */
static inline bool node_is_on_host(const struct node *n)
{
	return n->kind == NODE_HOST_FUNCTION || n->kind == NODE_CONDITIONAL;
}

struct graph {
	struct member member;
	struct node *nodes;
	uint32_t count, capacity;
};

/* With the context's lock held. Appends a node; the graph takes ownership of what it holds. */
sov_result graph_add(struct graph *g, const uint32_t *dependencies, uint32_t ndependencies,
		     struct node *n, uint32_t *number);
/* Initialise and validate a node of each kind; node_free releases what it holds. */
sov_result node_kernel(struct context *c, struct function *f, const sov_launch *l, struct node *n);
sov_result node_copy(struct context *c, uint64_t destination, uint64_t source, uint64_t bytes,
		     struct node *n);
sov_result node_fill(struct context *c, uint64_t address, uint32_t value, uint32_t element_bytes,
		     uint64_t count, struct node *n);
/* Adds a rectangle as one node per slice; the last slice depends on the others. */
sov_result graph_add_rect(struct graph *g, const uint32_t *dependencies, uint32_t ndependencies,
			  const struct copy_rect *r, uint32_t *number);
void node_free(struct node *n);
/* Frees an array of nodes. */
void nodes_free(struct node *nodes, uint32_t count);
/* Copies nodes, without the executable graphs of their bodies. After a failure *to has those that
 * were copied. */
sov_result body_copy(const struct node *nodes, uint32_t count, struct graph_body *to);
/* Enters the graph to which a call adds a node; NULL with *r set on failure. */
struct graph *graph_enter(sov_graph graph, const sov_node *dependencies, uint32_t count,
			  sov_result *r);
void node_set_parameters(struct node *n, const void *const *arguments);

/* ---- executable graphs ---- */

#define GRAPH_CHAIN_END UINT32_MAX

/* One submission: the commands of one engine up to a host function. */
struct graph_segment {
	enum engine engine;
	uint64_t methods; /* address */
	uint32_t words;
	uint32_t first_host, host_count; /* in order: host functions that follow */
	uint64_t time_limit;             /* sum over its nodes */
};

/* A kernel's code variant for chains (gpu.h: chain_code). */
struct graph_code {
	const struct function *function;
	uint64_t va;   /* of the wait in front of it; the kernel's own code follows */
	uint8_t *code; /* until it is written there */
};
#define GRAPH_MAX_CODES 64 /* further kernels use their normal code */
#define GRAPH_MAX_EARLY 32 /* waiting kernels at a time: they occupy multiprocessors */

struct graph_exec {
	struct member member;
	struct node *nodes; /* copies */
	uint32_t count;
	uint32_t *level, *order;              /* level of a node; nodes sorted by level */
	uint32_t levels, first_kernels_level; /* the first level that has kernels */
	uint64_t *kernels;                    /* by node: address of its launch descriptor */
	uint32_t *next;   /* by node: 1 + the next of its chain, GRAPH_CHAIN_END, or 0: no chain */
	uint32_t *before; /* by node: 1 + the node of its chain that its code waits for; 0: none */
	struct graph_code *codes;
	uint32_t ncodes;
	struct buffer *memory;
	uint64_t methods;       /* in memory: the command words … */
	uint32_t methods_max;   /* … and the room for them */
	uint32_t *words;        /* where they are composed */
	bool one_queue;         /* they are for the compute queue, copies included */
	struct gpu_local local; /* local memory that the launches contain … */
	uint64_t local_serial;  /* … and the area that it is part of */
	uint64_t counter; /* in memory: semaphore that the copies of a level count up from 0 */
	struct graph_segment *segments;
	uint32_t nsegments;
	const struct function *max_local; /* the kernel with the most local memory per thread */
	uint64_t local_bytes;             /* of all threads of the kernel node that has the most */
	struct {                          /* the most that kernels in bodies need */
		const char *kernel;
		uint32_t thread_bytes;
		uint64_t bytes;
	} bodies_local;
	pthread_mutex_t executing; /* orders launches; protects what follows */
	bool closing;              /* it is being destroyed */
	/* Executes a body of a conditional node in the thread of host functions, and waits. */
	sov_result (*run)(struct graph_exec *g);
	struct stream *last; /* a reference: the stream that executed it last … */
	uint64_t last_seqno; /* … and up to which submission */
	uint64_t
		in_use; /* the commands are, until this submission has completed; 0: they are not */
};

#endif
