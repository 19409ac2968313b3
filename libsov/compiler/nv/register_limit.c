// SPDX-License-Identifier: MIT
/*
 * Register limit of a kernel: .maxnreg, and the register file. A block that may have max_threads
 * threads must fit, min_ctas times, into the four partitions of an SM. A launch that does not fit
 * fails, so the limit is no hint. A function obeys the limits of all kernels of its unit.
 *
 * Registers are allocated to warps in units of eight per thread, and warps are distributed evenly
 * over the partitions. ptxas 13.0 computes the same numbers for sm_90 (-v -maxrregcount: 256
 * threads and 5 blocks give 48, 33 threads and 9 blocks give 96).
 */
#include "hw/chips.h"
#include "libsov/compiler/nv/mir.h"

#define SM_PARTITIONS       4
#define PARTITION_REGISTERS 16384 /* of 32 bits, in one partition */
#define REGISTER_GRANULE    8
#define MIN_REGISTERS       24 /* what the call ABI needs; ptxas has the same lower bound */
#define RESERVED_REGISTERS  2  /* the hardware keeps two of those that a kernel declares */

static uint32_t block_threads(const struct ir_func *f)
{
	const uint32_t *shape = f->required_threads[0] ? f->required_threads : f->max_threads;
	uint32_t threads = 1;

	for (uint32_t axis = 0; axis < 3; axis++)
		threads *= shape[axis] ? shape[axis] : 1;
	return shape[0] ? threads : 0;
}

static uint32_t occupancy_limit(const struct ir_func *f)
{
	uint32_t threads = block_threads(f), ctas = f->min_ctas ? f->min_ctas : 1;
	uint32_t warps = (threads + NV_WARP_LANES - 1) / NV_WARP_LANES * ctas;
	uint32_t per_partition = (warps + SM_PARTITIONS - 1) / SM_PARTITIONS;

	if (!threads)
		return UINT32_MAX;
	return PARTITION_REGISTERS / per_partition / NV_WARP_LANES / REGISTER_GRANULE *
	       REGISTER_GRANULE;
}

static uint32_t kernel_limit(const struct ir_func *f)
{
	uint32_t limit = occupancy_limit(f);

	if (f->max_registers && f->max_registers < limit)
		limit = f->max_registers;
	return limit < MIN_REGISTERS ? MIN_REGISTERS : limit;
}

uint32_t nv_register_limit(const struct ir_func *f)
{
	uint32_t limit = MIR_GPRS + RESERVED_REGISTERS, own;

	for (const struct ir_func *g = f->module->funcs; g; g = g->next) {
		if (g->kind != IR_KERNEL || (f->kind == IR_KERNEL && f != g))
			continue;
		own = kernel_limit(g);
		limit = own < limit ? own : limit;
	}
	return limit - RESERVED_REGISTERS;
}
