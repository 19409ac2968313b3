/* SPDX-License-Identifier: MIT */
/* Graphs of CUDA: nodes with copies of their parameters. sov.h gets a graph when one is made
 * executable (graph_exec.c). */
#ifndef SOV_CUDA_GRAPH_H
#define SOV_CUDA_GRAPH_H

#include "libsov/cuda/driver/conditional.h"

struct conditional_node {
	struct condition *condition; /* a reference */
	int type;
	uint32_t count;
	CUgraph *bodies;
};

struct CUgraphNode_st {
	uint32_t magic;
	int type;
	CUgraph graph;
	CUgraphNode *depends;
	uint32_t depend_count;
	CUgraphNode origin; /* which it is a copy of */
	bool disabled, mark;
	CUcontext context;
	union {
		struct {
			struct launch launch;
			uint8_t *bytes;   /* the arguments, at their offsets */
			void **arguments; /* pointers into bytes */
		} kernel;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		CUgraph child;
		CUevent event;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr freed;
		struct conditional_node conditional;
	} u;
	sov_node *ends; /* graph_exec.c: the nodes of sov.h that its successors follow */
	uint32_t end_count;
};

struct CUgraph_st {
	uint32_t magic;
	CUgraphNode *nodes;
	uint32_t count, room;
	CUgraph origin;
	bool owned;                    /* by a child node */
	struct condition **conditions; /* whose handles were created for it; references */
	uint32_t condition_count;
};

CUresult cuda_graph_new(CUgraph *out);
void cuda_graph_free(CUgraph g);
CUresult cuda_node_add(CUgraph g, int type, const CUgraphNode *depends, size_t count,
		       CUgraphNode *out);
CUresult cuda_node_depend(CUgraphNode n, const CUgraphNode *depends, size_t count);
/* Sets the launch, with a copy of the arguments. */
CUresult cuda_node_set_kernel(CUgraphNode n, const struct launch *l, void *const *arguments);
CUresult cuda_node_copy_parameters(CUgraphNode to, const struct CUgraphNode_st *from);
CUresult cuda_graph_add_condition(CUgraph g, struct condition *c);
CUresult cuda_graph_add_conditional(CUgraphNode *out, CUgraph g, const CUgraphNode *depends,
				    size_t count, CUDA_CONDITIONAL_NODE_PARAMS *p);
CUresult cuda_conditional_copy(struct conditional_node *to, const struct conditional_node *from);
void cuda_conditional_clear(struct conditional_node *k);
/* The copy of a node in an executable graph, whose parameters change; NULL: none of this type. */
CUgraphNode cuda_exec_node(CUgraphExec exec, CUgraphNode n, int type);
/* The copy of a node in a graph or in the bodies of its nodes; NULL: none. */
CUgraphNode cuda_node_of_origin(CUgraph g, CUgraphNode origin);
/* Adds copies of all nodes of from; a copy's origin is its original. */
CUresult cuda_graph_copy_nodes(CUgraph to, CUgraph from);

#endif
