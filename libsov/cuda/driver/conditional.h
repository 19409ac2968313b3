/* SPDX-License-Identifier: MIT */
/* Conditions of conditional nodes. A handle is the address of 32 bits in pinned memory, to which
 * the device function cudaGraphSetConditional stores. */
#ifndef SOV_CUDA_CONDITIONAL_H
#define SOV_CUDA_CONDITIONAL_H

#include "libsov/cuda/driver/driver.h"

struct condition {
	struct condition *next;
	CUcontext context;
	uint32_t *word; /* pinned */
	uint32_t initial;
	bool assigns; /* initial, when a graph that it belongs to begins */
	unsigned references;
};

/* The condition of a handle, with a reference; NULL: there is none. */
struct condition *cuda_condition_get(uint64_t handle);
void cuda_condition_reference(struct condition *c);
/* With the last reference the condition is gone. */
void cuda_condition_put(struct condition *c);

#endif
