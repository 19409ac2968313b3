/* SPDX-License-Identifier: MIT */
/*
 * What compiler and runtime agree on about AMD's kernels: what they find in registers when they start, and
 * the arguments that the runtime adds (abi.c).
 */
#ifndef SOV_COMPILER_AMD_ABI_H
#define SOV_COMPILER_AMD_ABI_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kernel_descriptor.h"

/* Arguments that the runtime adds behind those of the programmer, each at its place from the next multiple
 * of 8 on (abi.c has the table); a kernel says which it reads, and pays for no others. */
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
#define AMD_HIDDEN_BYTES 256 /* of all of them */

/* Where the first of them would be, behind this many bytes of parameters. */
uint32_t amd_hidden_base(uint32_t param_bytes);
/* Bytes of arguments: parameters, and hidden ones up to the last of the mask. */
uint32_t amd_kernarg_bytes(uint32_t param_bytes, uint32_t hidden);

/* What a kernel finds in scalar registers when it starts: pointers that the descriptor asks for by
 * AMD_* of its properties, then ids of the workgroup, then the offset of the wave's scratch. */
struct amd_initial_state {
	uint16_t user;      /* mask of AMD_PRIVATE_SEGMENT_BUFFER … AMD_PRIVATE_SEGMENT_SIZE */
	uint8_t group_ids;  /* mask: x 1, y 2, z 4 */
	uint8_t thread_ids; /* 1 to 3: x, y, z in v0 to v2 */
	bool scratch;       /* offset of the wave's scratch, after the ids */
};
/* First register of one of the user's (a single bit); of the id of an axis; of the offset of scratch. */
uint32_t amd_user_sgpr(const struct amd_initial_state *s, uint32_t bit);
uint32_t amd_group_id_sgpr(const struct amd_initial_state *s, uint32_t axis);
uint32_t amd_scratch_sgpr(const struct amd_initial_state *s);

#endif
