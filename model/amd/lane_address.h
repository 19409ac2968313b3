/* SPDX-License-Identifier: MIT */
/* What memory instructions access: for those that execute them, and for the profile. */
#ifndef MODEL_AMD_LANE_ADDRESS_H
#define MODEL_AMD_LANE_ADDRESS_H

#include "model/amd/wave.h"

enum space { SPACE_GLOBAL, SPACE_LDS, SPACE_PRIVATE, SPACE_NOWHERE };

struct lane_address {
	enum space space;
	uint64_t at;   /* address, or offset in LDS or in the lane's private memory */
	uint64_t base; /* private: base of the wave's memory */
};

/* exec_memory.c: the bytes that each lane accesses; 0: the instruction is another. */
uint32_t amd_lane_bytes(const struct op *op);
struct lane_address amd_lane_address(const struct wave *w, const struct op *op, uint32_t lane,
				     uint32_t bytes);
/* The address and the words of a scalar load; 0 words: the instruction is another. */
uint32_t amd_scalar_load(const struct wave *w, const struct op *op, uint64_t *address);

/* exec_lds.c: the number of addresses of each lane, which is 0 for other instructions, and the
 * bytes at each. */
uint32_t amd_lds_addresses(const struct op *op, uint32_t *bytes);
uint32_t amd_lds_address(const struct wave *w, const struct op *op, uint32_t lane, uint32_t which);

#endif
