/* SPDX-License-Identifier: MIT */
/*
 * Matrix products at the speed of Hopper's tensor cores: c = a transpose(b), where a has m rows of k
 * elements, b has n rows of k elements and c has m rows of n. The distance of rows is `pitch`, in elements. The device
 * code is wgmma.cu (f16, tf32; sm_90a) and doubles.cu (f64; sm_90), here as PTX (ptx.sh).
 */
#ifndef SOV_KERNELS_GEMM_GEMM_H
#define SOV_KERNELS_GEMM_GEMM_H

#include <stdbool.h>
#include "libsov/sov.h"

enum gemm_type {
	GEMM_F16,  /* f16 elements of a, b and c; sums in f32 */
	GEMM_TF32, /* f32 elements, of which products use the upper 19 bits; sums in f32 */
	GEMM_F64,
	GEMM_TYPES
};

struct gemm {
	enum gemm_type type;
	uint32_t m, n, k; /* 1 to 2^31; n is a multiple of 8 in f16, of 2 otherwise */
	sov_ptr a, b, c;  /* multiples of 16 */
	uint64_t pitch_a, pitch_b,
		pitch_c; /* elements: at least a row, and a multiple of 16 bytes */
};

/* What a launch needs. The arguments point into the structure and into struct gemm. */
struct gemm_launch {
	uint32_t grid, block, cluster, shared_bytes;
	sov_tensor_map map_a, map_b;
	const void *arguments[7];
};

/* File name of the PTX, without folder and suffix, and name of the kernel. */
extern const char *const gemm_files[GEMM_TYPES], *const gemm_kernels[GEMM_TYPES];

/* Plans a launch on a device with this many multiprocessors. False: `why` (GEMM_WHY characters) names
 * the member that is not as described above. */
#define GEMM_WHY 200
bool gemm_plan(const struct gemm *g, uint32_t multiprocessors, struct gemm_launch *plan, char *why);

#endif
