/* SPDX-License-Identifier: MIT */
/*
 * The IR interpreter: a slow and simple reference that tells front-end errors from back-end errors.
 * It executes functions before and after SSA construction and after any pass.
 *
 * Each thread has its own program counter and runs until it reaches an operation of several lanes
 * or threads, where it waits. A warp sync executes once all member lanes that have not exited wait
 * at sites of the same operation; a barrier opens once all of its threads have arrived. Clusters
 * run one after the other, blocks of a cluster together, threads in time slices in the order of
 * their indices, so launches are deterministic. A clock reads the number of instructions executed
 * so far.
 *
 * Each call has a frame: values, registers, and local variables on a small stack.
 *
 * The interpreter also checks what hardware does not: a program may compute with an undefined value
 * (undef, an unwritten register, an unwritten byte of shared or local memory, the value of a lane
 * that takes no part), but may not branch on it, use it as an address or store it.
 */
#ifndef SOV_COMPILER_INTERP_H
#define SOV_COMPILER_INTERP_H

#include "libsov/compiler/ir/ir.h"

#define INTERP_MAX_THREADS 1024
#define INTERP_MAX_LANES   32
#define INTERP_STACK_BYTES 16384 /* per thread, if the module has functions */

struct interp_launch {
	const struct ir_func *kernel; /* of a module that ir_verify accepts */
	uint32_t grid[3], block[3];
	uint32_t cluster[3];     /* x 0: the kernel's, or one block */
	uint32_t dynamic_shared; /* bytes of external shared variables */
	const void *params;
	uint32_t param_bytes;
	uint32_t warp_lanes;
	uint64_t step_limit; /* instructions of all threads together */
	/* Maps global memory to host memory. false: the address is not mapped. */
	bool (*memory)(void *user, uint64_t address, uint32_t bytes, bool write, void **host);
	/* Executes an external function. false: unknown. NULL: there are none. */
	bool (*service)(void *user, const char *name, const uint64_t *args, uint32_t nargs,
			uint64_t *results, uint32_t nresults);
	void *user;
};

/* false: message names the thread, the instruction and the error. Each launch starts with the
 * module's initial values in its global variables. */
bool interp_run(const struct interp_launch *l, char *message, size_t size);

#endif
