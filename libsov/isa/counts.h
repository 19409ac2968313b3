/* SPDX-License-Identifier: MIT */
/* What a software GPU counts while it executes a launch: per instruction of the kernel, summed over
 * its warps. NVIDIA's terms; on AMD a warp is a wave and shared memory is LDS. */
#ifndef SOV_COUNTS_H
#define SOV_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#define SECTOR_BYTES 32u

/*
 * executed            times that a warp executed the instruction
 * lanes               active lanes then
 * threads             those lanes whose guard predicate was true
 * divergent           branches that only some of the active lanes took
 * global_requests     executions that accessed global memory
 * global_sectors      distinct 32-byte sectors per request, summed
 * global_ideal        sectors that the same distinct bytes need at least
 * global_bytes        bytes that lanes accessed, repeated ones too
 * shared_requests     executions that accessed shared memory
 * shared_wavefronts   cycles of the banks: docs/profile.md has the rule
 * shared_ideal        wavefronts if no two words were in one bank
 * shared_bytes        as global_bytes
 * local_requests      executions that accessed local memory (spills, stacks)
 * local_bytes         as global_bytes
 */
/* clang-format off */
#define COUNTS(X) \
	X(executed) X(lanes) X(threads) X(divergent) \
	X(global_requests) X(global_sectors) X(global_ideal) X(global_bytes) \
	X(shared_requests) X(shared_wavefronts) X(shared_ideal) X(shared_bytes) \
	X(local_requests) X(local_bytes)
/* clang-format on */

struct counts {
#define COUNT_MEMBER(name) uint64_t name;
	COUNTS(COUNT_MEMBER)
#undef COUNT_MEMBER
};

struct site_counts {
	uint64_t pc; /* GPU address of the instruction */
	struct counts counts;
};

struct launch_counts {
	uint64_t program; /* GPU address of the kernel's entry point */
	uint32_t grid[3], block[3], cluster_blocks;
	uint32_t registers, shared_bytes, local_bytes; /* per thread, block, thread */
	uint64_t touched_sectors;                      /* distinct ones in global memory */
	bool incomplete;                               /* out of host memory, or too many sectors */
	uint32_t count;
	const struct site_counts *sites; /* by address */
};

static inline void counts_add(struct counts *to, const struct counts *from)
{
#define COUNT_ADD(name) to->name += from->name;
	COUNTS(COUNT_ADD)
#undef COUNT_ADD
}

#endif
