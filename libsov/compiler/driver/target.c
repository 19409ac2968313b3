// SPDX-License-Identifier: MIT
/* The targets, one row each. */
#include <string.h>
#include "libsov/compiler/amd/amd.h"
#include "libsov/compiler/nv/nv.h"
#include "libsov/compiler/base/target.h"

/*
 * NVIDIA: memory instructions have a signed offset of 24 bits (read off nvdisasm); threads and
 * shared memory of one block are the CUDA C++ Programming Guide's "Technical Specifications per
 * Compute Capability".
 */
static const struct target targets[] = {
	{
		.name = "sm_90",
		.family = "nv",
		.version = 90,
		.warp_lanes = 32,
		.offset_min = -0x800000,
		.offset_max = 0x7fffff,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_CVT_TO_BF16,
		.max_threads = 1024,
		.max_shared_bytes = 227 << 10,
		.backend = &nv_backend,
	},
	{
		.name = "sm_89",
		.family = "nv",
		.version = 89,
		.warp_lanes = 32,
		.offset_min = -0x800000,
		.offset_max = 0x7fffff,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_CVT_TO_BF16,
		.max_threads = 1024,
		.max_shared_bytes = 99 << 10,
		.backend = &nv_backend,
	},
	{
		.name = "sm_86",
		.family = "nv",
		.version = 86,
		.warp_lanes = 32,
		.offset_min = -0x800000,
		.offset_max = 0x7fffff,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_CVT_TO_BF16,
		.max_threads = 1024,
		.max_shared_bytes = 99 << 10,
		.backend = &nv_backend,
	},
	{
		.name = "sm_80",
		.family = "nv",
		.version = 80,
		.warp_lanes = 32,
		.offset_min = -0x800000,
		.offset_max = 0x7fffff,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_CVT_TO_BF16,
		.max_threads = 1024,
		.max_shared_bytes = 163 << 10,
		.backend = &nv_backend,
	},
	{
		/* AMD: global memory has a signed offset of 12 bits (LLVM's AMDGPU guide, as are a
		 * workgroup's threads and LDS). Vectors at any word: llc 19 loads two words that are
		 * aligned to one by global_load_dwordx2. */
		.name = "gfx1030",
		.family = "amd",
		.version = 1030,
		.warp_lanes = 32,
		.offset_min = -2048,
		.offset_max = 2047,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_CVT_TO_BF16 | TARGET_PRESERVING_CALLS | TARGET_SYNC_IN_CALLEES,
		.native_rn_divide = true,
		.element_aligned_vectors = true,
		.hides_load_latency = true,
		.max_threads = 1024,
		.max_shared_bytes = 64 << 10,
		.backend = &amd_backend,
	},
	{
		/* No machine at all, and as unlike the others as the IR allows. */
		.name = "dummy",
		.family = "dummy",
		.version = 0,
		.warp_lanes = 64,
		.offset_min = -2048,
		.offset_max = 2047,
		.max_threads = 512,
		.max_shared_bytes = 64 << 10,
	},
};

const struct target *target_at(uint32_t index)
{
	return index < sizeof(targets) / sizeof(targets[0]) ? &targets[index] : NULL;
}

const struct target *target_find(const char *name)
{
	const struct target *t;

	for (uint32_t k = 0; (t = target_at(k)); k++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
