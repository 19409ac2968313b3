/* SPDX-License-Identifier: MIT */
/*
 * Writing a cubin: finished kernels in, the bytes of an ELF file out. Equal kernels give equal
 * bytes. What is written is what ptxas 12 would write as far as a driver needs it; image.h reads it
 * back.
 */
#ifndef SOV_COMPILER_CUBIN_H
#define SOV_COMPILER_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/arena.h"

struct cubin_param {
	uint32_t offset, size;
};

struct cubin_kernel {
	const char *name;
	const uint8_t *code; /* a multiple of NV_TEXT_ALIGN bytes */
	uint32_t code_bytes;
	uint32_t registers; /* to declare: with the two that the hardware keeps */
	uint32_t barriers;
	bool shared; /* has any, static or dynamic */
	uint32_t shared_bytes; /* static, with what the system reserves at the start */
	uint32_t shared_align;
	uint32_t stack_bytes; /* of local memory, per thread; a multiple of 16 */
	uint32_t param_base, param_bytes, nparams;
	const struct cubin_param *params;
	const uint32_t *exits; /* code offsets of the EXIT instructions */
	uint32_t nexits;
	uint32_t max_threads[3], required_threads[3]; /* x 0: not stated */
};

/* In the arena. */
uint8_t *cubin_write(struct arena *a, uint32_t sm, const struct cubin_kernel *kernels,
		     uint32_t nkernels, size_t *size);

#endif
