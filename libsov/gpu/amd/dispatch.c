// SPDX-License-Identifier: MIT
/*
 * A launch as PM4 packets. The initial state of a kernel is HSA's: user SGPRs as the properties of
 * its kernel descriptor request, a kernarg segment with hidden arguments at its end, scratch
 * through a buffer resource or an address (LLVM's "User Guide for AMDGPU Backend", Initial Kernel
 * Execution State). All workgroups are full, so remainders are 0.
 */
#include <string.h>
#include "libsov/gpu/amd/amd_gpu.h"

#define WAVE              32u
#define SIMDS             2u /* per compute unit */
/* Allocation granularity of VGPRs (gfx10.3, wave32; LLVM AMDGPUBaseInfo). */
#define VGPR_GRANULE      16u
/* Workgroups of more than one wave per compute unit (LLVM AMDGPUBaseInfo,
 * getMaxWorkGroupsPerCU). */
#define BARRIERS_PER_UNIT 16u

/* The buffer resource of scratch, whose lanes interleave word by word (RDNA2 ISA manual, buffer
 * resource descriptor; word 3 as in LLVM's SIInstrInfo::getScratchRsrcWords23). */
#define RESOURCE_SWIZZLE (1u << 31) /* word 1 */
#define RESOURCE_WORD_3 \
	(22u << 12 /* 32-bit float */ | 2u << 21 /* index stride: 32 lanes */ | \
	 1u << 23 /* add TID */ | 1u << 24 /* resource level */ | \
	 3u << 28 /* bounds check: raw */)

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

bool amd_dispatch_fits(const struct amd_kernel *k)
{
	return !(k->entry % 256) && k->entry >> AMD_VA_BITS == 0 && k->lds_bytes <= AMD_LDS_MAX &&
	       k->scratch_bytes <= AMD_SCRATCH_MAX && !(k->scratch_bytes % AMD_SCRATCH_ALIGN) &&
	       AMD_RSRC2_USER_SGPRS(k->rsrc2) <= AMD_COMPUTE_USER_DATA_COUNT &&
	       k->properties & AMD_WAVE32;
}

/* Each shader engine has its share of the slots, and takes whole workgroups. */
static uint64_t scratch_waves(const struct amd_gpu_config *config, uint64_t groups,
			      uint32_t group_threads)
{
	uint64_t all = (uint64_t)config->units * config->waves_per_unit;
	uint64_t waves = (group_threads + WAVE - 1) / WAVE;
	uint64_t per_engine = 1;

	/* Powers of two, so that the area does not grow with every launch of a larger grid. */
	while (per_engine * config->engines < groups && per_engine < all)
		per_engine *= 2;
	if (per_engine > all / (waves * config->engines))
		return all;
	return per_engine * waves * config->engines;
}

struct gpu_local amd_dispatch_scratch(const struct amd_gpu_config *config, uint32_t thread_bytes,
				      uint64_t groups, uint32_t group_threads)
{
	struct gpu_local l = {.thread_bytes = round_up(thread_bytes, AMD_SCRATCH_ALIGN)};

	l.unit_bytes = (uint64_t)l.thread_bytes * WAVE;
	l.bytes = l.unit_bytes * scratch_waves(config, groups, group_threads);
	return l;
}

uint32_t amd_dispatch_occupancy(const struct amd_gpu_config *config, uint32_t vgprs, bool wgp_mode,
				uint32_t threads, uint64_t lds_bytes)
{
	uint32_t waves = (threads + WAVE - 1) / WAVE, units = wgp_mode ? 2 : 1, blocks;
	uint32_t waves_per_simd = config->registers_per_unit / SIMDS / WAVE /
				  round_up(vgprs ? vgprs : 1, VGPR_GRANULE);
	uint64_t lds = (lds_bytes + AMD_LDS_GRANULE - 1) / AMD_LDS_GRANULE * AMD_LDS_GRANULE;

	if (waves_per_simd > config->waves_per_unit / SIMDS)
		waves_per_simd = config->waves_per_unit / SIMDS;
	blocks = waves_per_simd * SIMDS * units / waves;
	if (waves > 1 && blocks > BARRIERS_PER_UNIT * units)
		blocks = BARRIERS_PER_UNIT * units;
	if (lds && (uint64_t)config->lds_per_unit * units / lds < blocks)
		blocks = (uint32_t)((uint64_t)config->lds_per_unit * units / lds);
	return wgp_mode ? blocks : 2 * blocks;
}

/* ---- arguments ---- */

static uint64_t hidden_value(enum amd_hidden h, const struct amd_kernel *k,
			     const struct gpu_launch *l)
{
	uint32_t axis;

	switch (h) {
	case AMD_HIDDEN_BLOCK_COUNT_X:
	case AMD_HIDDEN_BLOCK_COUNT_Y:
	case AMD_HIDDEN_BLOCK_COUNT_Z:
		return l->grid[h - AMD_HIDDEN_BLOCK_COUNT_X];
	case AMD_HIDDEN_GROUP_SIZE_X:
	case AMD_HIDDEN_GROUP_SIZE_Y:
	case AMD_HIDDEN_GROUP_SIZE_Z:
		return l->block[h - AMD_HIDDEN_GROUP_SIZE_X];
	case AMD_HIDDEN_GRID_DIMS:
		for (axis = 3; axis > 1 && l->grid[axis - 1] == 1 && l->block[axis - 1] == 1;
		     axis--)
			;
		return axis;
	case AMD_HIDDEN_DYNAMIC_LDS_SIZE:
		return l->dynamic_shared;
	case AMD_HIDDEN_PRIVATE_BASE:
		return AMD_APERTURE_PRIVATE >> 32;
	case AMD_HIDDEN_SHARED_BASE:
		return AMD_APERTURE_LDS >> 32;
	default:
		(void)k;
		return 0; /* remainders, offsets, and unsupported services */
	}
}

void amd_dispatch_hidden_args(const struct amd_kernel *k, const struct gpu_launch *l,
			      uint8_t *kernarg)
{
	uint32_t h;
	uint64_t value;

	for (h = 0; h < AMD_HIDDEN_COUNT; h++) {
		if (!k->hidden[h].bytes)
			continue;
		value = hidden_value((enum amd_hidden)h, k, l);
		memcpy(kernarg + k->hidden[h].offset, &value, k->hidden[h].bytes);
	}
}

/* HSA's kernel dispatch packet (HSA Platform System Architecture specification), and the offsets of
 * the flat apertures in amd_queue_t (LLVM's user guide). */
struct dispatch_packet {
	uint16_t header, setup, block[3], reserved0;
	uint32_t grid[3]; /* in threads */
	uint32_t scratch_bytes, group_bytes;
	uint64_t kernel, kernarg, reserved1, completion;
};
static_assert(sizeof(struct dispatch_packet) == 64, "hsa_kernel_dispatch_packet_t");
#define QUEUE_SHARED_BASE  64u
#define QUEUE_PRIVATE_BASE 68u

void amd_dispatch_slot_head(const struct amd_kernel *k, const struct gpu_launch *l,
			    uint64_t kernarg, uint8_t head[AMD_SLOT_HEAD_BYTES])
{
	const uint32_t shared = AMD_APERTURE_LDS >> 32, private = AMD_APERTURE_PRIVATE >> 32;
	struct dispatch_packet d = {
		.setup = 3,
		.scratch_bytes = k->scratch_bytes,
		.group_bytes = k->lds_bytes + l->dynamic_shared,
		.kernel = k->descriptor,
		.kernarg = kernarg,
	};
	uint32_t i;

	for (i = 0; i < 3; i++) {
		d.block[i] = (uint16_t)l->block[i];
		d.grid[i] = l->grid[i] * l->block[i];
	}
	memset(head, 0, AMD_SLOT_HEAD_BYTES);
	memcpy(head + AMD_SLOT_AQL_PACKET, &d, sizeof(d));
	memcpy(head + AMD_SLOT_AMD_QUEUE + QUEUE_SHARED_BASE, &shared, 4);
	memcpy(head + AMD_SLOT_AMD_QUEUE + QUEUE_PRIVATE_BASE, &private, 4);
}

/* ---- packets ---- */

static uint32_t put_address(uint32_t *user, uint32_t index, uint64_t address)
{
	user[index] = (uint32_t)address;
	user[index + 1] = (uint32_t)(address >> 32);
	return index + 2;
}

static void set_user_sgprs(const struct amd_kernel *k, const struct gpu_launch *l, uint64_t slot,
			   uint64_t kernarg, uint32_t user[AMD_COMPUTE_USER_DATA_COUNT])
{
	uint64_t scratch = k->scratch_bytes ? l->local->address : 0;
	uint32_t n = 0;

	if (k->properties & AMD_PRIVATE_SEGMENT_BUFFER) {
		n = put_address(user, n, scratch);
		user[1] = (user[1] & 0xffff) | RESOURCE_SWIZZLE;
		user[n++] = 0xffffffff;
		user[n++] = RESOURCE_WORD_3;
	}
	if (k->properties & AMD_DISPATCH_PTR)
		n = put_address(user, n, slot + AMD_SLOT_AQL_PACKET);
	if (k->properties & AMD_QUEUE_PTR)
		n = put_address(user, n, slot + AMD_SLOT_AMD_QUEUE);
	if (k->properties & AMD_KERNARG_SEGMENT_PTR)
		n = put_address(user, n, kernarg);
	if (k->properties & AMD_DISPATCH_ID)
		n = put_address(user, n, l->id);
	if (k->properties & AMD_FLAT_SCRATCH_INIT)
		n = put_address(user, n, scratch);
	if (k->properties & AMD_PRIVATE_SEGMENT_SIZE)
		user[n++] = k->scratch_bytes;
}

/* The slots of a kernel's waves that the area has, at most as many as the chip can hold. */
static uint32_t scratch_slots(const struct amd_gpu_config *config, const struct gpu_local *local,
			      uint32_t scratch_bytes)
{
	uint64_t all = (uint64_t)config->units * config->waves_per_unit;
	uint64_t slots = local->bytes / ((uint64_t)scratch_bytes * WAVE);

	slots -= slots % config->engines;
	return (uint32_t)(slots < all ? slots : all);
}

void amd_dispatch_push(const struct amd_gpu_config *config, const struct amd_kernel *k,
		       const struct gpu_launch *l, uint64_t slot, uint64_t kernarg,
		       struct gpu_push *p)
{
	uint32_t lds =
		round_up(k->lds_bytes + l->dynamic_shared, AMD_LDS_GRANULE) / AMD_LDS_GRANULE;
	uint32_t size = k->scratch_bytes / AMD_SCRATCH_ALIGN;
	/* START_X to NUM_THREAD_Z are consecutive. */
	const uint32_t shape[] = {0, 0, 0, l->block[0], l->block[1], l->block[2]};
	const uint32_t program[] = {(uint32_t)(k->entry >> 8), (uint32_t)(k->entry >> 40)};
	const uint32_t resources[] = {k->rsrc1, k->rsrc2 | lds << AMD_RSRC2_LDS_SHIFT};
	const uint32_t limits = 0, rsrc3 = k->rsrc3;
	const uint32_t ring =
		AMD_TMPRING(size ? scratch_slots(config, l->local, k->scratch_bytes) : 0, size);
	uint32_t user[AMD_COMPUTE_USER_DATA_COUNT] = {0}, users = AMD_RSRC2_USER_SGPRS(k->rsrc2);

	set_user_sgprs(k, l, slot, kernarg, user);
	/* Waves that run have their slots by another kernel's size: a graph's level has several. */
	if (size)
		amd_pm4_cs_partial_flush(p);
	amd_pm4_acquire_mem(p, l->new_code);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_START_X, shape, 6);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_PGM_LO, program, 2);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_PGM_RSRC1, resources, 2);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_RESOURCE_LIMITS, &limits, 1);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_TMPRING_SIZE, &ring, 1);
	amd_pm4_set_sh_reg(p, AMD_COMPUTE_PGM_RSRC3, &rsrc3, 1);
	if (users)
		amd_pm4_set_sh_reg(p, AMD_COMPUTE_USER_DATA_0, user, users);
	amd_pm4_dispatch(p, l->grid);
}
