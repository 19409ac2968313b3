/* SPDX-License-Identifier: MIT */
/*
 * A loadable image as the runtime sees it: kernels with their code, parameters and needs, read from
 * a cubin (ours, ptxas's of CUDA 12 with ABI 7, or of CUDA 13 with ABI 8). The reader copies
 * nothing and trusts nothing: every offset and size is checked against the file, and pointers go
 * into it.
 */
#ifndef SOV_COMPILER_IMAGE_H
#define SOV_COMPILER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAX_PARAM_BYTES 4096

/* Functions call each other in a circle or through pointers: ptxas cannot tell how deep. */
#define IMAGE_STACK_UNKNOWN UINT32_MAX

struct image_param {
	uint32_t offset, size; /* offset from the parameters' start */
};

struct image_kernel {
	const char *name;
	const uint8_t *code;
	uint32_t code_bytes;
	uint32_t registers;    /* to declare at launch */
	uint32_t barriers;
	uint32_t shared_bytes; /* static, as in the file (Hopper: with 1 KiB that is reserved) */
	uint32_t stack_bytes;  /* per thread; IMAGE_STACK_UNKNOWN: the runtime's default */
	uint32_t bank0_bytes;  /* size of constant bank 0 with the parameters */
	uint32_t param_base, param_bytes;
	uint32_t nparams;
	struct image_param *params;
	uint32_t max_threads;  /* of a block; 0: not stated */
	uint32_t required_threads[3]; /* the block's exact shape; x 0: not stated */
};

struct image {
	uint32_t sm; /* 80, 90 */
	uint32_t nkernels;
	struct image_kernel *kernels;
};

/* false: message holds one sentence. Free with image_free in both cases. */
bool image_read(struct image *im, const void *file, size_t size, char *message,
		size_t message_size);
void image_free(struct image *im);

#endif
