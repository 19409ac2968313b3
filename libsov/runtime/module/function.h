/* SPDX-License-Identifier: MIT */
/* Functions: kernels of a loaded module. */
#ifndef SOV_FUNCTION_H
#define SOV_FUNCTION_H

#include "libsov/compiler/image/image.h"
#include "libsov/runtime/stream/submit.h"

struct function {
	struct member member; /* in no list */
	struct module *module;
	const struct image_kernel *kernel;
	struct kernel_info info; /* for submissions */
	uint64_t va;             /* of its code */
	uint32_t max_threads;    /* per block */
	/* What all launches have in common. */
	struct launch_plan {
		uint64_t id;         /* unique in the process */
		uint64_t code;       /* context.code_writes when it was loaded */
		uint32_t own_shared; /* static, without the hardware's reserve */
		void *gpu;           /* gpu.h's plan */
	} plan;
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
