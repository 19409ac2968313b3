/* SPDX-License-Identifier: MIT */
/* Graphs: nodes with what they come after. graph.c makes them, capture.c records them from streams;
 * graph_order.c and graph_write.c make them ready, graph_run.c runs them. */
#ifndef SOV_GRAPH_H
#define SOV_GRAPH_H

#include "libsov/runtime/runtime.h"

enum node_kind { NODE_KERNEL, NODE_COPY, NODE_LINES, NODE_FILL, NODE_CALL };

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
		struct gpu_lines lines;
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
/* The slices of a box, as nodes of which the last comes after all others. */
sov_result graph_add_box(struct graph *g, const uint32_t *after, uint32_t nafter,
			 const struct box *b, uint32_t *number);
void node_free(struct node *n);
void node_set_parameters(struct node *n, const void *const *arguments);

/* ---- runs ---- */

/* How a kernel begins that comes after another. */
struct graph_way {
	const char *name;
	enum {
		GRAPH_CHAIN,     /* where it can, by the other's descriptor; else as the next */
		GRAPH_IDLE,      /* when the channel has seen that the engine is idle */
		GRAPH_CLASS_IDLE /* when the engine has */
	} follow;
	struct gpu_chain_options link;
};
extern const struct graph_way graph_ways[]; /* the first is a context's own choice */
extern const uint32_t graph_way_count;

#define GRAPH_CHAIN_END UINT32_MAX

struct graph_part { /* between host functions, or what one engine does */
	enum engine engine;
	uint64_t methods; /* address */
	uint32_t words;
	uint32_t first_call, calls; /* of order: host functions that follow */
	uint64_t time_limit;        /* of its nodes together */
};

/* Code of a kernel for chains: struct gpu's chain_code. */
struct graph_code {
	const struct function *function;
	uint64_t va;   /* of what waits; the kernel's own begins behind it */
	uint8_t *code; /* until it is written there */
};
#define GRAPH_MOST_CODES 64 /* more kernels than these have theirs in no graph */
#define GRAPH_MOST_EARLY \
	32 /* kernels that wait at a time: they have places that others could use */

struct graph_run {
	struct member member;
	const struct graph_way *way;
	struct node *nodes; /* copies */
	uint32_t count;
	uint32_t *level, *order;        /* of a node; nodes by level */
	uint32_t levels, first_kernels; /* the first level that has any */
	uint64_t *kernels;              /* by node: its place in memory */
	uint32_t *
		next; /* by node: 1 + the next of its chain; GRAPH_CHAIN_END: it is the last of one */
	uint32_t *
		before; /* by node: 1 + the one of its chain that it waits for by itself; 0: none */
	struct graph_code *codes;
	uint32_t ncodes;
	struct buffer *memory;
	uint64_t methods;       /* in it: where the words for queues begin … */
	uint32_t methods_most;  /* … and how many there is room for */
	uint32_t *words;        /* where they are composed */
	struct gpu_local local; /* that they know … */
	uint64_t local_serial;  /* … and of which it is a part */
	uint64_t counter;       /* in it: copies of a level count here, from 0 on in every run */
	struct graph_part *parts;
	uint32_t nparts;
	const struct function *most_local;
	pthread_mutex_t running; /* the order of runs; protects what follows */
	bool closing;            /* it is being destroyed */
	struct stream *last;     /* a reference: where it ran last … */
	uint64_t last_number;    /* … and up to where */
};

/* Whose code of a graph's own is at an address, and where that begins; NULL: nobody's. */
const struct function *graph_function_at(const struct context *c, uint64_t va, uint64_t *base);
/* Levels, order and, if they are wanted, chains. */
sov_result graph_order(struct graph_run *g, bool chains);
/* Memory with all that the GPU is to read. */
sov_result graph_write(struct graph_run *g);
/* Of one kernel, anew; to be followed by a write barrier. */
void graph_write_parameters(struct graph_run *g, uint32_t node);
/* What queues read, when it does not run; again, and then it cannot fail, when local memory is another and launches
 * have it in them. */
sov_result graph_write_methods(struct graph_run *g);

#endif
