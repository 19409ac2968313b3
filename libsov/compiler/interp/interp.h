/* SPDX-License-Identifier: MIT */
/*
 * The IR interpreter, slow and obvious: the witness that tells a front end's errors from a back
 * end's. It runs functions before SSA construction and after, and any of the passes in between.
 *
 * Every thread has a position of its own and runs until it comes to an operation for several lanes
 * or threads; there it waits. A shuffle or vote happens when all lanes that its members name and
 * that have not left the kernel wait at the same instruction; a barrier opens when all of its
 * threads have come. Blocks run one after the other, threads in slices in the order of their
 * numbers: the same launch always does the same.
 *
 * A call has a frame of its own: values, registers, local variables on a small stack. Time is the
 * number of instructions executed so far.
 *
 * It checks what hardware does not: a value that is undefined (undef, a register never written, a
 * byte of shared or local memory never written, a lane that does not take part) may be computed
 * with, but not be branched on, used as an address or stored.
 */
#ifndef SOV_COMPILER_INTERP_H
#define SOV_COMPILER_INTERP_H

#include "libsov/compiler/ir/ir.h"

#define INTERP_MAX_THREADS 1024
#define INTERP_MAX_LANES   32
#define INTERP_STACK_BYTES 16384 /* of a thread, where there are functions */

struct interp_launch {
	const struct ir_func *kernel; /* of a module that ir_verify accepts */
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared; /* bytes of external shared variables */
	const void *params;
	uint32_t param_bytes;
	uint32_t warp_lanes;
	uint64_t step_limit; /* instructions of all threads together */
	/* Global memory: where the bytes are in the host's memory. false: there are none. */
	bool (*memory)(void *user, uint64_t address, uint32_t bytes, bool write, void **host);
	/* What an external function does; false: there is no such. NULL: there are none. */
	bool (*service)(void *user, const char *name, const uint64_t *args, uint32_t nargs,
			uint64_t *results, uint32_t nresults);
	void *user;
};

/* false: message says which thread failed, at which instruction and why. Global variables of the
 * module start each launch with the bytes that the module gives them. */
bool interp_run(const struct interp_launch *l, char *message, size_t size);

#endif
