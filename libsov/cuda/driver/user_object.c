// SPDX-License-Identifier: MIT
/* User objects: counted references to something of the program, which a function frees. */
#include <stdlib.h>
#include "libsov/cuda/driver/graph.h"

struct CUuserObject_st {
	unsigned references;
	CUhostFn destroy;
	void *user;
};

API cuUserObjectCreate(struct CUuserObject_st **out, void *user, CUhostFn destroy,
		       unsigned references, unsigned flags)
{
	struct CUuserObject_st *o;

	if (!out || !destroy || !references || flags != 1)
		return CUDA_ERROR_INVALID_VALUE;
	o = malloc(sizeof(*o));
	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*o = (struct CUuserObject_st){references, destroy, user};
	*out = o;
	return CUDA_SUCCESS;
}

API cuUserObjectRetain(struct CUuserObject_st *o, unsigned count)
{
	if (!o || !count)
		return CUDA_ERROR_INVALID_VALUE;
	__atomic_fetch_add(&o->references, count, __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}

API cuUserObjectRelease(struct CUuserObject_st *o, unsigned count)
{
	if (!o || !count)
		return CUDA_ERROR_INVALID_VALUE;
	if (__atomic_sub_fetch(&o->references, count, __ATOMIC_ACQ_REL) == 0) {
		o->destroy(o->user);
		free(o);
	}
	return CUDA_SUCCESS;
}

/* A graph's references end with the program's explicit release, not with the graph. */
API cuGraphRetainUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count, unsigned flags)
{
	if (!IS(g, GRAPH))
		return CUDA_ERROR_INVALID_VALUE;
	/* With the flag the caller gives its references to the graph. */
	return flags & 1 ? CUDA_SUCCESS : cuUserObjectRetain(o, count);
}

API cuGraphReleaseUserObject(CUgraph g, struct CUuserObject_st *o, unsigned count)
{
	return IS(g, GRAPH) ? cuUserObjectRelease(o, count) : CUDA_ERROR_INVALID_VALUE;
}
