// SPDX-License-Identifier: MIT
/* The targets, one row each; facts of the chips are those of hw/chips.h. */
#include <string.h>
#include "hw/chips.h"
#include "libsov/compiler/amd/amd.h"
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/nv/nv.h"
#include "libsov/isa/nv/sass.h"

/* NVIDIA: one target per SM version that the instruction tables know. Memory instructions have a
 * signed offset of 24 bits (nvdisasm). */
#define NV_TARGET(sm_) \
	{ \
		.name = "sm_" #sm_, \
		.family = "nv", \
		.version = sm_, \
		.warp_lanes = NV_WARP_LANES, \
		.offset_min = -0x800000, \
		.offset_max = 0x7fffff, \
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE | \
			 TARGET_INT32_DIVIDE | TARGET_CVT_TO_BF16, \
		.narrow_constants = true, \
		.corrects_f32_in_one_step = true, \
		.params_at = NV_BANK0_PARAMS(sm_, 0), \
		.small_params = NV_BANK0_SMALL_PARAMS, \
		.large_params_at = NV_BANK0_PARAMS(sm_, NV_BANK0_SMALL_PARAMS + 1), \
		.max_threads = NV_MAX_THREADS_PER_BLOCK, \
		.max_shared_bytes = NV_SM##sm_##_SHARED_PER_BLOCK, \
		.clusters = NV_SM##sm_##_CLUSTERS, \
		.cache_policies = NV_SM##sm_##_CACHE_POLICIES, \
		.moves_registers = NV_SM##sm_##_MOVES_REGISTERS, \
		.reserves_shared = NV_SM##sm_##_RESERVES_SHARED, \
		.sampler_shift = NV_TEXTURE_SAMPLER_SHIFT, \
		.backend = &nv_backend, \
	},

static const struct target targets[] = {
	SASS_SM_VERSIONS(NV_TARGET) /* newest first */
	{
		/* AMD: global memory instructions have a signed offset of 12 bits (LLVM's AMDGPU
		 * guide). Element alignment suffices: llc 19 loads two words aligned to 4 bytes by
		 * global_load_dwordx2. */
		.name = "gfx1030",
		.family = "amd",
		.version = 1030,
		.warp_lanes = AMD_WAVE_LANES,
		.offset_min = -2048,
		.offset_max = 2047,
		.lacks = TARGET_FLOAT_DIVIDE | TARGET_SUBNORMAL_APPROX | TARGET_INT_DIVIDE |
			 TARGET_INT32_DIVIDE | TARGET_CVT_TO_BF16 | TARGET_PRESERVING_CALLS |
			 TARGET_SYNC_IN_CALLEES,
		.native_rn_divide = true,
		.element_aligned_vectors = true,
		.rounding_is_a_mode = true,
		.reads_conditions_early = true,
		.hides_load_latency = true,
		.calls_for_textures = true,
		.max_threads = AMD_GFX1030_MAX_THREADS,
		.max_shared_bytes = AMD_GFX1030_LDS_PER_WORKGROUP,
		.backend = &amd_backend,
	},
	{
		/* No machine; as unlike the others as the IR allows. */
		.name = "dummy",
		.family = "dummy",
		.version = 0,
		.warp_lanes = 64,
		.offset_min = -2048,
		.offset_max = 2047,
		.narrow_constants = true,
		.max_threads = 512,
		.max_shared_bytes = 64 << 10,
		.clusters = true,
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
