/* SPDX-License-Identifier: MIT */
/* Graphs of CUDA: nodes with copies of their parameters. sov.h gets a graph when one is made
 * executable (graph_exec.c). */
#ifndef SOV_CUDA_GRAPH_H
#define SOV_CUDA_GRAPH_H

#include "libsov/cuda/driver/driver.h"

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
	} u;
	sov_node *ends; /* graph_exec.c: the nodes of sov.h that its successors follow */
	uint32_t end_count;
};

struct CUgraph_st {
	uint32_t magic;
	CUgraphNode *nodes;
	uint32_t count, room;
	CUgraph origin;
	bool owned; /* by a child node */
};

CUresult cuda_graph_new(CUgraph *out);
void cuda_graph_free(CUgraph g);
CUresult cuda_node_add(CUgraph g, int type, const CUgraphNode *depends, size_t count,
		       CUgraphNode *out);
CUresult cuda_node_depend(CUgraphNode n, const CUgraphNode *depends, size_t count);
/* Sets the launch, with a copy of the arguments. */
CUresult cuda_node_set_kernel(CUgraphNode n, const struct launch *l, void *const *arguments);
CUresult cuda_node_copy_parameters(CUgraphNode to, const struct CUgraphNode_st *from);
CUgraphNode cuda_node_of_origin(CUgraph g, CUgraphNode origin);
/* Adds copies of all nodes of from; a copy's origin is its original. */
CUresult cuda_graph_copy_nodes(CUgraph to, CUgraph from);

#endif
