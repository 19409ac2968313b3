/* SPDX-License-Identifier: MIT */
/* Parameters of nodes as the runtime has them. */
#ifndef SOV_CUDA_RUNTIME_GRAPH_H
#define SOV_CUDA_RUNTIME_GRAPH_H

#include "libsov/cuda/runtime/runtime.h"

struct kernel_params {
	void *func;
	dim3 grid, block;
	unsigned shared;
	void **arguments, **extra;
};
struct memset_params {
	void *dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
};

CUresult rt_kernel_params(const struct kernel_params *p, CUDA_KERNEL_NODE_PARAMS *d);
void rt_copy_3d(const cudaMemcpy3DParms *q, CUDA_MEMCPY3D *p);

#endif
