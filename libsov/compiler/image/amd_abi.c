// SPDX-License-Identifier: MIT
/*
 * What a kernel may count on when it starts, as HSA has it: which scalar registers hold what, and where
 * the arguments are that the runtime adds. Source: LLVM's "User Guide for AMDGPU Backend", initial kernel
 * execution state and code object V5 metadata; what clang 19 writes is held against it by
 * tests/oracles/amd_kernels.sh.
 */
#include "libsov/compiler/image/amd_abi.h"

const struct amd_hidden_arg amd_hidden_args[AMD_HIDDEN_COUNT] = {
	[AMD_HIDDEN_BLOCK_COUNT_X] = {"hidden_block_count_x", 0, 4},
	[AMD_HIDDEN_BLOCK_COUNT_Y] = {"hidden_block_count_y", 4, 4},
	[AMD_HIDDEN_BLOCK_COUNT_Z] = {"hidden_block_count_z", 8, 4},
	[AMD_HIDDEN_GROUP_SIZE_X] = {"hidden_group_size_x", 12, 2},
	[AMD_HIDDEN_GROUP_SIZE_Y] = {"hidden_group_size_y", 14, 2},
	[AMD_HIDDEN_GROUP_SIZE_Z] = {"hidden_group_size_z", 16, 2},
	[AMD_HIDDEN_REMAINDER_X] = {"hidden_remainder_x", 18, 2},
	[AMD_HIDDEN_REMAINDER_Y] = {"hidden_remainder_y", 20, 2},
	[AMD_HIDDEN_REMAINDER_Z] = {"hidden_remainder_z", 22, 2},
	[AMD_HIDDEN_GLOBAL_OFFSET_X] = {"hidden_global_offset_x", 40, 8},
	[AMD_HIDDEN_GLOBAL_OFFSET_Y] = {"hidden_global_offset_y", 48, 8},
	[AMD_HIDDEN_GLOBAL_OFFSET_Z] = {"hidden_global_offset_z", 56, 8},
	[AMD_HIDDEN_GRID_DIMS] = {"hidden_grid_dims", 64, 2},
	[AMD_HIDDEN_PRINTF_BUFFER] = {"hidden_printf_buffer", 72, 8},
	[AMD_HIDDEN_HOSTCALL_BUFFER] = {"hidden_hostcall_buffer", 80, 8},
	[AMD_HIDDEN_MULTIGRID_SYNC_ARG] = {"hidden_multigrid_sync_arg", 88, 8},
	[AMD_HIDDEN_HEAP_V1] = {"hidden_heap_v1", 96, 8},
	[AMD_HIDDEN_DEFAULT_QUEUE] = {"hidden_default_queue", 104, 8},
	[AMD_HIDDEN_COMPLETION_ACTION] = {"hidden_completion_action", 112, 8},
	[AMD_HIDDEN_DYNAMIC_LDS_SIZE] = {"hidden_dynamic_lds_size", 120, 4},
	[AMD_HIDDEN_PRIVATE_BASE] = {"hidden_private_base", 192, 4},
	[AMD_HIDDEN_SHARED_BASE] = {"hidden_shared_base", 196, 4},
	[AMD_HIDDEN_QUEUE_PTR] = {"hidden_queue_ptr", 200, 8},
};

uint32_t amd_hidden_base(uint32_t param_bytes)
{
	return (param_bytes + 7) / 8 * 8;
}

uint32_t amd_kernarg_bytes(uint32_t param_bytes, uint32_t hidden)
{
	uint32_t bytes = param_bytes;

	for (uint32_t h = 0; h < AMD_HIDDEN_COUNT; h++)
		if (hidden >> h & 1)
			bytes = amd_hidden_base(param_bytes) + amd_hidden_args[h].offset +
				amd_hidden_args[h].bytes;
	return (bytes + 7) / 8 * 8;
}

/* In the order in which they are given. */
static const struct {
	uint16_t bit;
	uint8_t count;
} users[] = {
	{AMD_PRIVATE_SEGMENT_BUFFER, 4}, {AMD_DISPATCH_PTR, 2}, {AMD_QUEUE_PTR, 2},
	{AMD_KERNARG_SEGMENT_PTR, 2},    {AMD_DISPATCH_ID, 2},  {AMD_FLAT_SCRATCH_INIT, 2},
	{AMD_PRIVATE_SEGMENT_SIZE, 1},
};

uint32_t amd_user_sgpr(const struct amd_initial_state *s, uint32_t bit)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < sizeof(users) / sizeof(users[0]) && users[k].bit < bit; k++)
		if (s->user & users[k].bit)
			at += users[k].count;
	return at;
}

uint32_t amd_group_id_sgpr(const struct amd_initial_state *s, uint32_t axis)
{
	uint32_t at = amd_user_sgpr(s, UINT32_MAX);

	for (uint32_t k = 0; k < axis; k++)
		at += s->group_ids >> k & 1;
	return at;
}

uint32_t amd_scratch_sgpr(const struct amd_initial_state *s)
{
	return amd_group_id_sgpr(s, 3);
}
