// SPDX-License-Identifier: MIT
/*
 * A grid as the hardware reads it: the launch descriptor (QMD), whose fields have different
 * offsets by generation, and constant bank 0, from which compiled code reads block
 * size, grid size and parameters. Most fields are the same for every launch of a kernel;
 * nv_grid_plan() writes those once. Hopper's values were measured on an H200; the other layouts
 * come from the public headers and have not been tried on a chip.
 */
#include <string.h>
#include "hw/chips.h"
#include "hw/nv/bank0.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define KIB 1024u

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static uint32_t max_blocks_per_sm(uint32_t sm)
{
	switch (sm) {
#define SM_CASE(version) \
	case version: \
		return NV_SM##version##_BLOCKS_PER_SM;
		SOV_NV_SM_VERSIONS(SM_CASE)
#undef SM_CASE
	default:
		return 32;
	}
}

uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers)
{
	uint32_t warps = (threads + NV_WARP_LANES - 1) / NV_WARP_LANES;
	uint32_t max_blocks = max_blocks_per_sm(chip->sm);
	uint32_t warp_registers =
		round_up(NV_WARP_LANES * (registers ? registers : 1), NV_REGISTER_UNIT);
	uint32_t resident =
		chip->registers_per_sm / NV_SM_PARTITIONS / warp_registers * NV_SM_PARTITIONS;

	if (resident > chip->warps_per_sm)
		resident = chip->warps_per_sm;
	return resident / warps < max_blocks ? resident / warps : max_blocks;
}

/*
 * The target is large enough for all blocks that warps and registers allow: a smaller one
 * silently costs throughput, half of it in one measurement on an H200.
 */
void nv_grid_carveout(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t threads,
		      uint32_t dynamic_shared, uint32_t *min, uint32_t *target)
{
	uint32_t max_kib = chip->shared_per_sm / KIB;
	uint32_t block = round_up(k->shared_bytes + dynamic_shared, NV_QMD_SHARED_ALIGN);
	uint64_t wanted = (uint64_t)nv_grid_blocks_per_sm(chip, threads, k->registers) * block;

	if (wanted > chip->shared_per_sm)
		wanted = chip->shared_per_sm;
	*min = nv_qmd_shared_config(block, max_kib);
	*target = nv_qmd_shared_config((uint32_t)wanted, max_kib);
}

/* ---- the descriptor ---- */

struct field {
	enum nv_qmd_field field;
	uint64_t value;
};

static bool set_fields(const struct nv_qmd_layout *l, const struct field *fields, uint32_t count,
		       uint32_t *qmd)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (nv_qmd_has(l, fields[i].field) &&
		    !nv_qmd_set(l, qmd, fields[i].field, fields[i].value))
			return false;
	return true;
}

/* Banks that all launches share. The next launch reads what was written to them since. */
static bool set_banks(const struct nv_qmd_layout *l, const struct nv_kernel *k, uint32_t *qmd)
{
	uint32_t i;

	for (i = 1; i < NV_QMD_BANKS; i++)
		if (k->banks[i].bytes &&
		    (!nv_qmd_set_at(l, qmd, NV_QMD_BANK_VALID, i, 1) ||
		     !nv_qmd_set_at(l, qmd, NV_QMD_BANK_INVALIDATE, i, 1) ||
		     !nv_qmd_set_at(l, qmd, NV_QMD_BANK_ADDRESS, i, k->banks[i].address) ||
		     !nv_qmd_set_at(l, qmd, NV_QMD_BANK_BYTES, i, round_up(k->banks[i].bytes, 16))))
			return false;
	return true;
}

bool nv_grid_plan(const struct nv_chip *chip, const struct nv_kernel *k, struct nv_plan *plan)
{
	const struct nv_qmd_layout *l = nv_qmd_layout_of(chip->sm);
	const struct field fields[] = {
		{NV_QMD_TYPE, NV_QMD_TYPE_GRID},
		{NV_QMD_MAJOR_VERSION, l->version >> 4},
		{NV_QMD_MINOR_VERSION, l->version & 15},
		{NV_QMD_GLOBAL_CACHING, 1},
		{NV_QMD_API_CALL_LIMIT_OFF, 1},
		{NV_QMD_PROGRAM, k->program},
		{NV_QMD_REGISTERS,
		 k->registers < NV_QMD_MIN_REGISTERS ? NV_QMD_MIN_REGISTERS : k->registers},
		{NV_QMD_BARRIERS, k->barriers},
		{NV_QMD_LOCAL_HIGH_BYTES, k->local_bytes},
		{NV_QMD_SHARED_CONFIG_MAX, chip->shared_per_sm / KIB / 4 + 1},
		{NV_QMD_BANK_VALID, 1},
		{NV_QMD_BANK_INVALIDATE, 1},
		{NV_QMD_BANK_BYTES, round_up(k->bank0_bytes, 16)},
		{NV_QMD_SAMPLER_BY_HEADER, k->textures && !k->independent_samplers},
		{NV_QMD_INVALIDATE_HEADERS, k->textures},
		{NV_QMD_INVALIDATE_SAMPLERS, k->textures},
		{NV_QMD_INVALIDATE_TEXTURES, 1},
		{NV_QMD_INVALIDATE_DATA, 1},
	};

	plan->kernel = *k;
	memset(plan->qmd, 0, sizeof(plan->qmd));
	return set_fields(l, fields, COUNT(fields), plan->qmd) && set_banks(l, k, plan->qmd);
}

__attribute__((always_inline)) static inline bool
set_shape(const struct nv_qmd_layout *l, uint32_t shared, const struct gpu_launch *g, uint32_t *qmd)
{
	return nv_qmd_set(l, qmd, NV_QMD_GRID_X, g->grid[0]) &&
	       nv_qmd_set(l, qmd, NV_QMD_GRID_Y, g->grid[1]) &&
	       nv_qmd_set(l, qmd, NV_QMD_GRID_Z, g->grid[2]) &&
	       nv_qmd_set(l, qmd, NV_QMD_BLOCK_X, g->block[0]) &&
	       nv_qmd_set(l, qmd, NV_QMD_BLOCK_Y, g->block[1]) &&
	       nv_qmd_set(l, qmd, NV_QMD_BLOCK_Z, g->block[2]) &&
	       nv_qmd_set(l, qmd, NV_QMD_SHARED_BYTES, round_up(shared, NV_QMD_SHARED_ALIGN)) &&
	       nv_qmd_set(l, qmd, NV_QMD_SHARED_CONFIG_MIN, g->carveout_min) &&
	       nv_qmd_set(l, qmd, NV_QMD_SHARED_CONFIG_TARGET, g->carveout_target) &&
	       nv_qmd_set(l, qmd, NV_QMD_BANK_ADDRESS, g->bank0) &&
	       nv_qmd_set(l, qmd, NV_QMD_INVALIDATE_INSTRUCTIONS, g->new_code);
}

__attribute__((always_inline)) static inline bool
set_if_present(const struct nv_qmd_layout *l, uint32_t *qmd, enum nv_qmd_field f, uint64_t value)
{
	return !nv_qmd_has(l, f) || nv_qmd_set(l, qmd, f, value);
}

__attribute__((always_inline)) static inline bool
set_release(const struct nv_qmd_layout *l, const struct gpu_launch *g, uint32_t *qmd)
{
	return set_if_present(l, qmd, NV_QMD_RELEASE_ENABLE, 1) &&
	       set_if_present(l, qmd, NV_QMD_RELEASE_SIZE, NV_QMD_RELEASE_4_BYTES) &&
	       set_if_present(l, qmd, NV_QMD_RELEASE_MEMBAR, 1) &&
	       set_if_present(l, qmd, NV_QMD_RELEASE_ADDRESS, g->release) &&
	       set_if_present(l, qmd, NV_QMD_RELEASE_PAYLOAD, g->payload);
}

/* Links the dependent descriptor after a membar: its grid reads what this one has written. */
static bool set_dependent(const struct nv_qmd_layout *l, const struct gpu_launch *g, uint32_t *qmd)
{
	const struct field fields[] = {
		{NV_QMD_DEPENDENT_ENABLE, 1},
		{NV_QMD_DEPENDENT_ACTION, NV_QMD_DEPENDENT_SCHEDULE},
		{NV_QMD_DEPENDENT_PREFETCH, 1},
		{NV_QMD_DEPENDENT_POINTER, g->next},
		{NV_QMD_MEMBAR, NV_QMD_MEMBAR_GPU},
		{NV_QMD_DEPENDENT_EARLY, g->arrive != 0},
	};

	return set_fields(l, fields, COUNT(fields), qmd);
}

/* A chain must use one latch id while its grids run: a chain that cycled through eight ids hung
 * an H200. */
static bool set_latches(const struct nv_qmd_layout *l, const struct gpu_launch *g, uint32_t *qmd)
{
	const struct field fields[] = {
		{NV_QMD_LATCH_ARRIVE, g->arrive != 0},
		{NV_QMD_LATCH_ARRIVE_ID, g->arrive / NV_QMD_ALIGN},
		{NV_QMD_LATCH_WAIT, g->wait != 0},
		{NV_QMD_LATCH_WAIT_ID, g->wait / NV_QMD_ALIGN},
	};

	return set_fields(l, fields, COUNT(fields), qmd);
}

static bool set_chain_link(const struct nv_qmd_layout *l, const struct nv_kernel *k,
			   const struct gpu_launch *g, uint32_t *qmd)
{
	const struct gpu_chain_options *link = g->chain;
	uint64_t program = g->program ? g->program : k->program;
	uint64_t first = program / NV_QMD_PREFETCH_UNIT;
	uint64_t units =
		(program + k->program_bytes + NV_QMD_PREFETCH_UNIT - 1) / NV_QMD_PREFETCH_UNIT -
		first;
	uint32_t bank = round_up(k->bank0_bytes, 256);
	uint32_t prefetched = bank < NV_QMD_BANK_PREFETCH_LIMIT ? bank : NV_QMD_BANK_PREFETCH_LIMIT;
	const struct field fields[] = {
		{NV_QMD_PROGRAM, program},
		{NV_QMD_INVALIDATE_TEXTURES, !g->program},
		{NV_QMD_INVALIDATE_DATA, !g->program},
		{NV_QMD_BANK_INVALIDATE, !link->keep_constants},
		{NV_QMD_MEMBAR_CHASING, link->overlap_barrier},
		{NV_QMD_BANK_PREFETCH, link->prefetch_constants ? NV_QMD_PREFETCH_PRE : 0},
		{NV_QMD_BANK_PREFETCH_MAX, link->prefetch_constants ? prefetched : 0},
		{NV_QMD_PROGRAM_PREFETCH_ADDRESS,
		 link->prefetch_program ? first * NV_QMD_PREFETCH_UNIT : 0},
		{NV_QMD_PROGRAM_PREFETCH_UNITS, !link->prefetch_program       ? 0
						: units > NV_QMD_PREFETCH_MAX ? NV_QMD_PREFETCH_MAX
									      : units},
	};

	return set_fields(l, fields, COUNT(fields), qmd);
}

/* Inlined with a constant layout, so that each field becomes a store or two. */
__attribute__((always_inline)) static inline bool set_launch(const struct nv_qmd_layout *l,
							     uint32_t shared,
							     const struct gpu_launch *g,
							     uint32_t *qmd)
{
	return set_shape(l, shared, g, qmd) && (!g->release || set_release(l, g, qmd));
}

bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_plan *plan, const struct gpu_launch *g,
		 uint32_t qmd[NV_GRID_QMD_WORDS])
{
	uint32_t shared = plan->kernel.shared_bytes + g->dynamic_shared;

	memcpy(qmd, plan->qmd, sizeof(plan->qmd));
	if (g->next && !set_dependent(nv_qmd_layout_of(chip->sm), g, qmd))
		return false;
	if (g->chain && !(set_chain_link(nv_qmd_layout_of(chip->sm), &plan->kernel, g, qmd) &&
			  set_latches(nv_qmd_layout_of(chip->sm), g, qmd)))
		return false;
	return chip->sm >= 90   ? set_launch(&nv_qmd_hopper, shared, g, qmd)
	       : chip->sm >= 80 ? set_launch(&nv_qmd_ampere, shared, g, qmd)
	       : chip->sm >= 75 ? set_launch(&nv_qmd_turing, shared, g, qmd)
				: set_launch(&nv_qmd_volta, shared, g, qmd);
}

/* The grid of a descriptor with clusters counts clusters, not blocks: an H200 runs the right blocks
 * with it. */
bool nv_grid_cluster(const struct nv_chip *chip, const struct gpu_launch *g,
		     uint32_t qmd[NV_QMD_MAX_WORDS])
{
	const struct nv_qmd_layout *l = nv_qmd_layout_of(chip->sm);
	const struct field fields[] = {
		{NV_QMD_TYPE, NV_QMD_TYPE_GRID_CLUSTER},
		{NV_QMD_CLUSTER_X, g->cluster[0]},
		{NV_QMD_CLUSTER_Y, g->cluster[1]},
		{NV_QMD_CLUSTER_Z, g->cluster[2]},
		{NV_QMD_GRID_X, g->grid[0] / g->cluster[0]},
		{NV_QMD_GRID_Y, g->grid[1] / g->cluster[1]},
		{NV_QMD_GRID_Z, g->grid[2] / g->cluster[2]},
	};

	return set_fields(l, fields, COUNT(fields), qmd);
}

/* ---- constant bank 0 ---- */

static void bank_put(uint8_t *bank, uint32_t offset, uint64_t value, uint32_t bytes)
{
	memcpy(bank + offset, &value, bytes);
}

void nv_grid_bank0_launch(const struct nv_chip *chip, const struct gpu_launch *g, uint8_t *bank)
{
	memset(bank, 0, NV_GRID_BANK0_LAUNCH_BYTES);
	memcpy(bank + NV_BANK0_NTID, g->block, sizeof(g->block));
	memcpy(bank + NV_BANK0_NCTAID, g->grid, sizeof(g->grid));
	bank_put(bank, NV_BANK0_SHARED_WINDOW, chip->shared_window, 8);
	bank_put(bank, NV_BANK0_LOCAL_WINDOW, chip->local_window, 8);
	bank_put(bank, NV_BANK0_STACK, NV_LOCAL_MEMORY_TOP, 4);
	bank_put(bank, NV_BANK0_DYNAMIC_SHARED, g->dynamic_shared, 4);
	bank_put(bank, NV_BANK0_GRID_ID, g->id, 8);
}

/* Where kernels read the addresses of their parameters. Kernels with parameters
 * of other sizes use the same constants later, so the end is that of the largest parameters. */
static void put_parameter_addresses(const struct nv_chip *chip, uint64_t va, uint32_t bytes,
				    uint8_t *bank)
{
	uint64_t start = va + NV_BANK0_SM90_PARAMS;

	if (chip->sm >= 90 && bytes >= NV_BANK0_SM90_PARAMS_END + 8) {
		bank_put(bank, NV_BANK0_SM90_PARAMS_START, start, 8);
		bank_put(bank, NV_BANK0_SM90_PARAMS_END, start + IMAGE_MAX_PARAM_BYTES, 8);
	} else if (chip->sm < 90 && bytes >= NV_BANK0_SM80_PARAMS_END + 4) {
		bank_put(bank, NV_BANK0_SM80_BANK, va, 8);
		bank_put(bank, NV_BANK0_SM80_PARAMS_END,
			 NV_BANK0_SM80_LARGE_PARAMS + IMAGE_MAX_PARAM_BYTES, 4);
	}
}

/* va: the address of the bank; bytes: up to the parameters. Writes only the words that lie before
 * them. */
void nv_grid_bank0_common(const struct nv_chip *chip, const struct nv_kernel *k, uint64_t va,
			  uint32_t bytes, uint8_t *bank)
{
	uint32_t constants = chip->sm >= 90 ? NV_BANK0_SM90_CONSTANTS : NV_BANK0_SM80_CONSTANTS;

	memset(bank, 0, bytes);
	put_parameter_addresses(chip, va, bytes, bank);
	if (chip->sm >= 90 && bytes >= NV_BANK0_SM90_RESERVED_1 + 4) {
		bank_put(bank, NV_BANK0_SM90_RESERVED_1, NV_SM90_RESERVED_1, 4);
		bank_put(bank, NV_BANK0_SM90_RESERVED_END, NV_SM90_RESERVED_END, 4);
	}
	if (bytes >= constants + 8)
		bank_put(bank, constants, k->banks[NV_CONSTANT_VARIABLES].address, 8);
	if (bytes < NV_BANK0_RESERVED_SHARED + 4)
		return;
	bank_put(bank, NV_BANK0_SM_COUNT, chip->multiprocessors, 4);
	if (chip->sm < 90)
		return;
	bank_put(bank, NV_BANK0_RESERVED_SHARED, NV_SM90_RESERVED_SHARED, 4);
	if (bytes >= NV_BANK0_SM90_CLUSTER_NCTARANK + 4)
		bank_put(bank, NV_BANK0_SM90_CLUSTER_NCTARANK, 1, 4);
}

void nv_grid_bank0_workspace(const struct nv_chip *chip, uint64_t workspace, uint8_t *bank)
{
	uint32_t at = (chip->sm >= 90 ? NV_BANK0_SM90_ENVREGS : NV_BANK0_SM80_ENVREGS) +
		      4 * NV_BANK0_ENVREG_WORKSPACE;

	bank_put(bank, at, workspace >> 32, 4);
	bank_put(bank, at + 4, workspace, 4);
}

void nv_grid_bank0_clusters(const struct gpu_launch *g, uint8_t *bank)
{
	uint32_t axis;

	bank_put(bank, NV_BANK0_SM90_CLUSTER_LAUNCH, g->cluster[0] != 0, 4);
	for (axis = 0; axis < 3; axis++) {
		uint32_t blocks = g->cluster[0] ? g->cluster[axis] : 1;
		float reciprocal = 1.0f / (float)blocks;

		bank_put(bank, NV_BANK0_SM90_CLUSTER_NCTAID + 4 * axis, blocks, 4);
		memcpy(bank + NV_BANK0_SM90_CLUSTER_RECIPROCAL + 4 * axis, &reciprocal, 4);
		bank_put(bank, NV_BANK0_SM90_NCLUSTERID + 4 * axis, g->grid[axis] / blocks, 4);
	}
}

void nv_grid_bank0_cluster_rank(const struct gpu_launch *g, uint8_t *bank)
{
	bank_put(bank, NV_BANK0_SM90_CLUSTER_NCTARANK,
		 g->cluster[0] ? g->cluster[0] * g->cluster[1] * g->cluster[2] : 1, 4);
}

/* ---- local memory ---- */

struct gpu_local nv_grid_local_layout(const struct nv_chip *chip, uint32_t thread_bytes)
{
	struct gpu_local l = {.thread_bytes = round_up(thread_bytes, NV_QMD_LOCAL_ALIGN)};
	uint64_t warp = round_up(NV_WARP_LANES * l.thread_bytes, NV_LOCAL_MEMORY_WARP_ALIGN);
	uint64_t tpc = warp * chip->warps_per_sm * chip->sms_per_tpc;

	l.unit_bytes = (tpc + NV_LOCAL_MEMORY_TPC_ALIGN - 1) & ~(NV_LOCAL_MEMORY_TPC_ALIGN - 1ull);
	l.bytes = l.unit_bytes * chip->tpcs;
	return l;
}
