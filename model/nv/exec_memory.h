/* SPDX-License-Identifier: MIT */
/* One memory access of a warp: shared by loads, stores and atomics. */
#ifndef MODEL_EXEC_MEMORY_H
#define MODEL_EXEC_MEMORY_H

#include "model/nv/exec.h"

/* In op->data[0]. SPACE_CLUSTER: shared memory of any block of the cluster. */
enum space { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_GENERIC, SPACE_CLUSTER };

struct access {
	struct warp *w;
	uint32_t space, bytes, rights;
	const char *verb;
	bool copy; /* asynchronous: may overwrite another in flight */
	/* For the checker: kind and scope; an access that says nothing is asynchronous. */
	bool by_thread;
	enum check_scope scope;
	const uint32_t (*values)[LANES]; /* rows of what is stored; NULL: unknown */
	bool checked;                    /* all lanes, at once; these may proceed */
	uint32_t may_proceed;
	uint64_t page; /* translation of the last page used: lanes are mostly neighbours */
	uint8_t *host;
};

/* prepare of memory operations: data[0] = space, data[1] = index of the address operand. */
const char *prepare_access(struct op *op, const struct sass_inst *in);
void lane_addresses(const struct warp *w, const struct op *op, uint64_t address[LANES]);
/* The scope of a strong access. */
enum check_scope access_scope(const struct op *op);
/* Returns the host address, or NULL after a fault. */
uint8_t *lane_pointer(struct access *x, uint32_t lane, uint64_t address);
/* True if a lane's access of the operation reaches global memory. */
bool reaches_global(const struct access *x, uint64_t address);
/* True if a generic address is in shared memory of the warp's own block. */
bool is_own_shared(const struct warp *w, uint64_t address);
/* An address of shared memory has the block's rank in the cluster above its offset. */
#define RANK_SHIFT 24
/* The block in which a valid address of shared memory is. */
struct cta *cluster_block(const struct warp *w, uint64_t address);
bool descriptor_valid(struct warp *w, const struct op *op);

/* exec_syncs.c: completes bytes at the barrier of a valid address. */
void complete_bytes(struct warp *w, uint32_t lane, uint64_t address, uint8_t *barrier,
		    uint32_t bytes);
/* Returns the host's address of the barrier for an asynchronous access to shared memory, which is
 * in the same block; NULL after a fault. */
uint8_t *find_async_barrier(struct warp *w, uint32_t lane, uint64_t to, uint64_t barrier);

#define BULK_BYTES 16 /* of which bulk copies consist */
/* exec_bulk.c: an address of shared memory at the same offset in another block of the cluster. */
uint32_t address_in_block(uint32_t address, uint32_t rank);

#endif
