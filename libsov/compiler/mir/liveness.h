/* SPDX-License-Identifier: MIT */
/*
 * Liveness as a backward data-flow problem over an abstract control-flow graph. The solver knows
 * neither instructions nor register classes: its caller numbers the units (words of virtual
 * registers, or values), lists the blocks and their successors, and describes a block by its
 * transfer function or by the sets of units that it uses and defines.
 */
#ifndef SOV_COMPILER_MIR_LIVENESS_H
#define SOV_COMPILER_MIR_LIVENESS_H

#include "libsov/compiler/mir/bitset.h"

#define LIVENESS_MAX_CFGS 2

/* One set of edges. A target may have several: units of one class follow one of them. */
struct liveness_cfg {
	const uint32_t *(*successors)(const void *func, uint32_t b, uint32_t *count);
	const uint64_t *units; /* units that are live along these edges; NULL: all */
};

struct liveness_block {
	uint64_t *in, *out; /* results; the caller allocates them, empty */
	/* Without transfer(): units that the block reads before it writes them, and that it
	 * writes. */
	uint64_t *use, *def;
};

struct liveness {
	struct arena *arena; /* for scratch memory */
	const void *func;    /* for the callbacks */
	uint32_t nblocks, nunits;
	const uint32_t *order; /* the blocks to visit; the solver runs from the last to the first */
	uint32_t count;
	struct liveness_cfg cfgs[LIVENESS_MAX_CFGS];
	uint32_t ncfgs;
	struct liveness_block *blocks; /* by block */
	/* Adds to live the units that are read on the edges out of b: phi arguments. NULL: none. */
	void (*add_edge_uses)(const void *func, uint32_t b, uint64_t *live);
	/* Steps live from the end of b to its start. NULL: use and def do. */
	void (*transfer)(const void *func, uint32_t b, uint64_t *live);
};

/* Computes the least fixed point, which does not depend on the order of the blocks. */
void liveness_solve(const struct liveness *l);

#endif
