// SPDX-License-Identifier: MIT
/*
 * Occupancy: how many warps a partition of an SM holds, by the registers of a thread, and how many
 * registers a kernel may use for the launch bounds that it states. A block's warps are spread over
 * the partitions. A launch that does not fit fails, so launch bounds are no hint; ptxas 13.0
 * computes the same limits for sm_90 (256 threads and 5 blocks give 48, 33 threads and 9 blocks
 * give 96).
 */
#include "hw/chips.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

/* Registers per lane: of a partition with one warp, and of a unit. All targets have as many. */
#define PARTITION_REGISTERS (NV_SM90_REGISTERS_PER_SM / NV_SM_PARTITIONS / NV_WARP_LANES)
#define GRANULE             (NV_REGISTER_UNIT / NV_WARP_LANES)
/* Warps of a partition that are worth having even if the cache does not hold their frames, parts of
 * which may be used seldom. */
#define MIN_CACHED_WARPS    4
/* The calling convention needs R20 and R21; ptxas raises smaller limits likewise. */
#define MIN_LIMIT           24

uint32_t nv_warps_per_sm(uint32_t sm)
{
	switch (sm) {
#define SM_CASE(version) \
	case version: \
		return NV_SM##version##_WARPS_PER_SM;
		SOV_NV_SM_VERSIONS(SM_CASE)
#undef SM_CASE
	default:
		return NV_SM_PARTITIONS;
	}
}

/* A thread that needs more registers than there are is spilled: one warp fits always. */
uint32_t nv_partition_warps(uint32_t sm, uint32_t registers)
{
	uint32_t max_warps = nv_warps_per_sm(sm) / NV_SM_PARTITIONS;
	uint32_t granted = (registers + GRANULE - 1) / GRANULE * GRANULE;
	uint32_t warps = granted ? PARTITION_REGISTERS / granted : max_warps;

	warps = warps < max_warps ? warps : max_warps;
	return warps ? warps : 1;
}

/* L1 cache and shared memory are one memory, a little larger than the most shared memory. */
static uint32_t cache_bytes(uint32_t sm)
{
	switch (sm) {
#define SM_CASE(version) \
	case version: \
		return NV_SM##version##_SHARED_PER_SM;
		SOV_NV_SM_VERSIONS(SM_CASE)
#undef SM_CASE
	default:
		return 0;
	}
}

uint32_t nv_cached_warps(uint32_t sm, uint32_t frame_bytes)
{
	uint64_t share = (uint64_t)frame_bytes * NV_WARP_LANES * NV_SM_PARTITIONS;
	uint32_t max_warps = nv_warps_per_sm(sm) / NV_SM_PARTITIONS, warps;

	if (share * max_warps <= cache_bytes(sm))
		return max_warps;
	warps = (uint32_t)(cache_bytes(sm) / share);
	return warps < MIN_CACHED_WARPS ? MIN_CACHED_WARPS : warps;
}

uint32_t nv_occupancy_registers(uint32_t warps)
{
	uint32_t registers = PARTITION_REGISTERS / warps / GRANULE * GRANULE;

	return registers < MIR_GPRS + MIR_HARDWARE_GPRS ? registers : MIR_GPRS + MIR_HARDWARE_GPRS;
}

/* At most NV_MAX_THREADS_PER_BLOCK: the verifier of the IR has checked it. */
static uint32_t block_threads(const uint32_t shape[3])
{
	return shape[0] * shape[1] * shape[2];
}

/* The warps of the largest block that the kernel states; 0: it states none. */
static uint32_t block_warps(const struct ir_func *f)
{
	uint32_t threads =
		block_threads(f->required_threads[0] ? f->required_threads : f->max_threads);

	return (threads + NV_WARP_LANES - 1) / NV_WARP_LANES;
}

uint32_t nv_resident_warps(const struct ir_func *f, uint32_t warps)
{
	uint32_t share = (block_warps(f) + NV_SM_PARTITIONS - 1) / NV_SM_PARTITIONS;

	return share && share <= warps ? warps / share * share : warps;
}

static uint32_t register_limit(uint32_t sm, const struct ir_func *f)
{
	uint32_t limit = MIR_GPRS + MIR_HARDWARE_GPRS;
	uint64_t warps = (uint64_t)block_warps(f) * (f->min_ctas ? f->min_ctas : 1);

	/* More blocks than an SM holds: ptxas ignores their number, too. */
	if (warps > NV_SM_PARTITIONS * nv_warps_per_sm(sm) / NV_SM_PARTITIONS)
		warps = block_warps(f);
	if (warps)
		limit = nv_occupancy_registers((uint32_t)(warps + NV_SM_PARTITIONS - 1) /
					       NV_SM_PARTITIONS);
	if (f->max_registers && f->max_registers < limit)
		limit = f->max_registers;
	return limit < MIN_LIMIT ? MIN_LIMIT : limit;
}

uint32_t nv_start_registers(uint32_t sm, const struct ir_func *f)
{
	uint32_t most = nv_register_requests(f).highest, limit = register_limit(sm, f);

	return most < limit ? most : limit;
}

uint32_t nv_register_limit(const struct nv_module *n, const struct ir_func *f, bool requests)
{
	uint32_t most;

	if (f->kind != IR_KERNEL)
		return n->function_registers;
	most = requests ? nv_register_requests(f).highest : 0;
	if (!most)
		return register_limit(n->job->target->version, f);
	return most < MIR_GPRS + MIR_HARDWARE_GPRS ? most : MIR_GPRS + MIR_HARDWARE_GPRS;
}

/* A function is part of the code of every kernel of its unit. In objects, functions have limits of
 * their own. */
uint32_t nv_function_register_limit(uint32_t sm, const struct ir_module *m)
{
	uint32_t limit = MIR_GPRS + MIR_HARDWARE_GPRS;

	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		uint32_t own = register_limit(sm, f), lowest = nv_register_requests(f).lowest;

		own = lowest && lowest < own ? lowest : own;
		limit = own < limit ? own : limit;
	}
	return limit;
}

uint32_t nv_occupancy_window(const struct mir_func *f, uint32_t gprs)
{
	uint32_t warps = nv_partition_warps(f->sm, gprs + MIR_HARDWARE_GPRS);
	uint32_t window = nv_occupancy_registers(warps) - MIR_HARDWARE_GPRS;

	/* With register requests a block has its registers, whatever the code uses. */
	return window < f->gprs && !f->start_registers ? window : f->gprs;
}
