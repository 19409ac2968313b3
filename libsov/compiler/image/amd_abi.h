/* SPDX-License-Identifier: MIT */
/*
 * The ABI of AMD's kernels as compiler and runtime share it: the initial register state, and the
 * hidden arguments that the runtime appends.
 */
#ifndef SOV_COMPILER_AMD_ABI_H
#define SOV_COMPILER_AMD_ABI_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kernel_descriptor.h"
#include "hw/amd/trap.h"

/* Hidden arguments. They follow the explicit ones, from the next multiple of 8 on, each at a fixed
 * offset (amd_hidden_args). A kernel's metadata list those that it reads; the runtime writes no
 * others. */
enum amd_hidden {
	AMD_HIDDEN_BLOCK_COUNT_X,
	AMD_HIDDEN_BLOCK_COUNT_Y,
	AMD_HIDDEN_BLOCK_COUNT_Z,
	AMD_HIDDEN_GROUP_SIZE_X,
	AMD_HIDDEN_GROUP_SIZE_Y,
	AMD_HIDDEN_GROUP_SIZE_Z,
	AMD_HIDDEN_REMAINDER_X,
	AMD_HIDDEN_REMAINDER_Y,
	AMD_HIDDEN_REMAINDER_Z,
	AMD_HIDDEN_GLOBAL_OFFSET_X,
	AMD_HIDDEN_GLOBAL_OFFSET_Y,
	AMD_HIDDEN_GLOBAL_OFFSET_Z,
	AMD_HIDDEN_GRID_DIMS,
	AMD_HIDDEN_PRINTF_BUFFER,
	AMD_HIDDEN_HOSTCALL_BUFFER,
	AMD_HIDDEN_MULTIGRID_SYNC_ARG,
	AMD_HIDDEN_HEAP_V1,
	AMD_HIDDEN_DEFAULT_QUEUE,
	AMD_HIDDEN_COMPLETION_ACTION,
	AMD_HIDDEN_DYNAMIC_LDS_SIZE,
	AMD_HIDDEN_PRIVATE_BASE,
	AMD_HIDDEN_SHARED_BASE,
	AMD_HIDDEN_QUEUE_PTR,
	AMD_HIDDEN_COUNT,
};
struct amd_hidden_arg {
	const char *kind; /* in metadata: "hidden_block_count_x" */
	uint16_t offset, bytes;
};
extern const struct amd_hidden_arg amd_hidden_args[AMD_HIDDEN_COUNT];
#define AMD_HIDDEN_BYTES 256 /* all hidden arguments together */

/* Offset of the first hidden argument after param_bytes of explicit ones. */
uint32_t amd_hidden_base(uint32_t param_bytes);
/* Size of the kernarg segment: parameters, and hidden arguments up to the last one in the mask. */
uint32_t amd_kernarg_bytes(uint32_t param_bytes, uint32_t hidden);

/* The initial contents of a kernel's scalar registers: the user SGPRs that the descriptor's
 * properties enable, the workgroup ids, and the wave's scratch offset. */
struct amd_initial_state {
	uint16_t user;      /* mask of AMD_PRIVATE_SEGMENT_BUFFER … AMD_PRIVATE_SEGMENT_SIZE */
	uint8_t group_ids;  /* mask: x 1, y 2, z 4 */
	uint8_t thread_ids; /* 1 to 3: x, y, z in v0 to v2 */
	bool scratch;       /* the wave's scratch offset follows the ids */
};
/* The first SGPR of a user value (one bit of `user`), of an axis's workgroup id, of the scratch
 * offset. */
uint32_t amd_user_sgpr(const struct amd_initial_state *s, uint32_t bit);
uint32_t amd_group_id_sgpr(const struct amd_initial_state *s, uint32_t axis);
uint32_t amd_scratch_sgpr(const struct amd_initial_state *s);

#endif
