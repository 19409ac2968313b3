/* SPDX-License-Identifier: MIT */
/* Functions: kernels of a loaded module. */
#ifndef SOV_FUNCTION_H
#define SOV_FUNCTION_H

#include "libsov/compiler/image/image.h"
#include "libsov/runtime/stream/submit.h"

/* A launch reads the first two cache lines. */
struct function {
	_Alignas(64) struct member member; /* in no list */
	const struct image_kernel *kernel;
	struct kernel_info info; /* for submissions */
	uint32_t max_threads;    /* per block */
	/* What all launches have in common. */
	struct launch_plan {
		uint32_t own_shared; /* static, without the hardware's reserve */
		uint64_t code;       /* context.code_writes when it was loaded */
		void *gpu;           /* gpu.h's plan */
		uint64_t id;         /* unique in the process */
	} plan;
	struct module *module;
	uint64_t va; /* of its code */
};

/* Called once, when the code is in memory and before the handle is known. base: addresses of the
 * image's parts. */
sov_result function_plan(struct context *c, struct function *f, const struct image *im,
			 const uint64_t base[IMAGE_PARTS]);
/* The largest block that fits a multiprocessor. */
uint32_t function_max_threads(const struct context *c, const struct image_kernel *k);
/* Bytes of shared memory that the hardware reserves per block and the image includes. */
uint32_t function_reserved_shared(const struct context *c, const struct image *im,
				  const struct image_kernel *k);
/* Resident blocks per multiprocessor. */
uint32_t function_occupancy(const struct function *f, uint64_t threads, uint32_t shared_bytes);

#endif
