// SPDX-License-Identifier: MIT
/*
 * Occupancy: how many warps an SM holds, by the registers of a thread, and how many registers a
 * kernel may use for the launch bounds that it states.
 *
 * An SM has four partitions with a scheduler and 16,384 registers each. A warp gets registers in
 * units of 256, eight per lane, and its block's warps are spread over the partitions (CUDA C++
 * Programming Guide, table of technical specifications per compute capability). A launch that does
 * not fit fails, so launch bounds are no hint; ptxas 13.0 computes the same limits for sm_90 (256
 * threads and 5 blocks give 48, 33 threads and 9 blocks give 96).
 */
#include "libsov/compiler/nv/mir.h"

#define PARTITIONS          4
#define PARTITION_REGISTERS 16384
#define WARP_LANES          32
#define GRANULE             8 /* registers per lane */
/* The calling convention needs R20 and R21; ptxas raises smaller limits likewise. */
#define MIN_LIMIT           24

uint32_t nv_partition_warps(uint32_t sm, uint32_t registers)
{
	uint32_t max_warps = sm == 86 || sm == 89 ? 12 : 16;
	uint32_t granted = (registers + GRANULE - 1) / GRANULE * GRANULE * WARP_LANES;
	uint32_t warps = granted ? PARTITION_REGISTERS / granted : max_warps;

	return warps < max_warps ? warps : max_warps;
}

uint32_t nv_occupancy_registers(uint32_t warps)
{
	uint32_t registers = PARTITION_REGISTERS / (warps * WARP_LANES) / GRANULE * GRANULE;

	return registers < MIR_GPRS + MIR_HARDWARE_GPRS ? registers : MIR_GPRS + MIR_HARDWARE_GPRS;
}

static uint32_t block_threads(const uint32_t shape[3])
{
	return shape[0] * shape[1] * shape[2];
}

static uint32_t kernel_limit(const struct ir_func *f)
{
	uint32_t limit = MIR_GPRS + MIR_HARDWARE_GPRS;
	uint32_t threads = f->required_threads[0] ? block_threads(f->required_threads)
						  : block_threads(f->max_threads);
	uint32_t blocks = f->min_ctas ? f->min_ctas : 1;
	uint32_t warps = (threads + WARP_LANES - 1) / WARP_LANES * blocks;

	if (warps)
		limit = nv_occupancy_registers((warps + PARTITIONS - 1) / PARTITIONS);
	if (f->max_registers && f->max_registers < limit)
		limit = f->max_registers;
	return limit < MIN_LIMIT ? MIN_LIMIT : limit;
}

/* A function is part of the code of every kernel of its unit. */
uint32_t nv_register_limit(const struct ir_func *f)
{
	uint32_t limit = MIR_GPRS + MIR_HARDWARE_GPRS;

	if (f->kind == IR_KERNEL)
		return kernel_limit(f);
	for (const struct ir_func *k = f->module->funcs; k; k = k->next) {
		if (k->kind == IR_KERNEL && kernel_limit(k) < limit)
			limit = kernel_limit(k);
	}
	return limit;
}
