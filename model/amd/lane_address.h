/* SPDX-License-Identifier: MIT */
/* What memory instructions access: for those that execute them, the profile and the checker. */
#ifndef MODEL_AMD_LANE_ADDRESS_H
#define MODEL_AMD_LANE_ADDRESS_H

#include "model/amd/wave.h"

enum space { SPACE_GLOBAL, SPACE_LDS, SPACE_PRIVATE, SPACE_NOWHERE };

struct lane_address {
	enum space space;
	uint64_t at;   /* address, or offset in LDS or in the lane's private memory */
	uint64_t base; /* private: base of the wave's memory */
};

enum amd_access { AMD_NO_ACCESS, AMD_READS, AMD_WRITES, AMD_ATOMIC };

/* exec_memory.c: what each lane does to the bytes at its address. */
enum amd_access amd_lane_access(const struct op *op, uint32_t *bytes);
struct lane_address amd_lane_address(const struct wave *w, const struct op *op, uint32_t lane,
				     uint32_t bytes);
/* The words that a store stores, as they are in memory; NULL: the instruction is another. */
const row *amd_stored_rows(const struct wave *w, const struct op *op);
/* The address and the words of a scalar load; 0 words: the instruction is another. */
uint32_t amd_scalar_load(const struct wave *w, const struct op *op, uint64_t *address);

/* exec_lds.c: the same for LDS, where each lane has one or two addresses. */
enum amd_access amd_lds_access(const struct op *op, uint32_t *addresses, uint32_t *bytes);
uint32_t amd_lds_address(const struct wave *w, const struct op *op, uint32_t lane, uint32_t which);
const row *amd_lds_stored_rows(const struct wave *w, const struct op *op, uint32_t which);

#endif
