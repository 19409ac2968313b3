/* SPDX-License-Identifier: MIT */
/*
 * Encoders for what AMD GPUs read: PM4 packets of compute queues, SDMA packets of copy queues,
 * dispatch registers and kernel arguments. Only gfx1030 is supported, and only the software GPU has
 * executed the packets.
 */
#ifndef SOV_AMD_H
#define SOV_AMD_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kernel_descriptor.h"
#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "hw/amd/sdma.h"
#include "hw/chips.h"
#include "libsov/compiler/image/amd_abi.h"
#include "libsov/gpu/gpu.h"

struct amd_gpu_config {
	uint32_t units; /* compute units; the two of a WGP share LDS and instruction cache */
	uint32_t waves_per_unit, registers_per_unit, lds_per_unit;
	uint32_t engines; /* shader engines */
};

/* ---- pm4.c: packets of a compute queue ---- */

/* The first packets of a queue: enables all compute units. */
void amd_pm4_setup(struct gpu_push *p);
/* Later packets wait until earlier dispatches have ended. */
void amd_pm4_cs_partial_flush(struct gpu_push *p);
/* Invalidates the caches; new_code: the instruction cache, too. */
void amd_pm4_acquire_mem(struct gpu_push *p, bool new_code);
void amd_pm4_wait_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
void amd_pm4_release_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
void amd_pm4_interrupt(struct gpu_push *p);
#define AMD_PM4_INLINE_MAX 2048u
void amd_pm4_write_data(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes);
/* Copies and fills by the command processor; later packets wait for them. value: repeated over the
 * whole word. */
void amd_pm4_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes);
void amd_pm4_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint64_t bytes);
/* Writes consecutive registers. */
void amd_pm4_set_sh_reg(struct gpu_push *p, uint32_t first, const uint32_t *values, uint32_t count);
void amd_pm4_dispatch(struct gpu_push *p, const uint32_t groups[3]);
/* Pads to a multiple of AMD_PM4_IB_ALIGN words. */
void amd_pm4_pad(struct gpu_push *p);
void amd_pm4_ring_entry(struct gpu_push *p, uint64_t span, const struct winsys_queue_memory *m,
			const struct gpu_completion *completion);

/* ---- sdma.c: packets of a copy queue ---- */

void amd_sdma_poll_mem(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
void amd_sdma_fence(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
void amd_sdma_trap(struct gpu_push *p);
/* Around copies and fills: before them, what compute queues wrote is written back from their
 * caches; after them, what these caches still hold is invalidated. */
void amd_sdma_write_back(struct gpu_push *p);
void amd_sdma_invalidate(struct gpu_push *p);
void amd_sdma_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes);
/* CONST_FILL packets of one amd_sdma_fill, beside those of its ends. */
#define AMD_MAX_FILLS            32u
/* Of one amd_sdma_copy_lines. */
#define AMD_SDMA_MAX_LINES_WORDS 240u
uint32_t amd_sdma_max_lines(const struct gpu_lines *l);
void amd_sdma_copy_lines(struct gpu_push *p, const struct gpu_lines *l);
void amd_sdma_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		   uint64_t bytes);
void amd_sdma_ring_entry(struct gpu_push *p, const struct winsys_queue_memory *m,
			 const struct gpu_completion *completion);

/* What a ring entry has besides a copy queue's words: an indirect buffer (IB), and the release of
 * its submission. */
#define AMD_RING_ENTRY_WORDS 24u
/* Room for 256 slots of a stream, with three such entries each; on a copy queue also with the words
 * of the slot, which are those of one copy, and of a graph's span. */
#define AMD_RING_WORDS       (1u << 15)
#define AMD_COPY_RING_WORDS  (1u << 18)
#define AMD_COPY_SPAN_WORDS  512u
/* The size of an IB is a multiple of this many words. */
#define AMD_PM4_IB_ALIGN     8u

/* ---- dispatch.c ---- */

/* What all launches of a kernel have in common. */
struct amd_kernel {
	uint64_t entry;      /* a multiple of 256 */
	uint64_t descriptor; /* its address, for kernels that read the AQL packet */
	uint32_t rsrc1, rsrc2, rsrc3;
	uint16_t properties;
	uint32_t lds_bytes;     /* per workgroup, static */
	uint32_t scratch_bytes; /* per thread, a multiple of AMD_SCRATCH_ALIGN */
	uint32_t kernarg_bytes;
	struct {
		uint16_t offset, bytes; /* in the kernarg segment; bytes 0: not used */
	} hidden[AMD_HIDDEN_COUNT];
};

/* The scratch of a wave is a multiple of 1 KiB. */
#define AMD_SCRATCH_ALIGN (AMD_TMPRING_GRANULE / 32)
#define AMD_SCRATCH_MAX   (0x1fffu * AMD_SCRATCH_ALIGN)
#define AMD_LDS_MAX       AMD_GFX1030_LDS_PER_WORKGROUP

/* Returns false if a value does not fit its field; the kernel must not be launched then. */
bool amd_dispatch_fits(const struct amd_kernel *k);
/* Scratch for a grid: for the waves that the chip can hold, or for fewer if the grid has fewer. */
struct gpu_local amd_dispatch_scratch(const struct amd_gpu_config *config, uint32_t thread_bytes,
				      uint64_t groups, uint32_t group_threads);
/* Resident workgroups per WGP as limited by waves, registers and LDS. wgp_mode: a workgroup may use
 * both compute units. */
uint32_t amd_dispatch_occupancy(const struct amd_gpu_config *config, uint32_t vgprs, bool wgp_mode,
				uint32_t threads, uint64_t lds_bytes);
/* Writes the hidden arguments. */
void amd_dispatch_hidden_args(const struct amd_kernel *k, const struct gpu_launch *l,
			      uint8_t *kernarg);
/* The head of a slot: structures of HSA that kernels may read besides their arguments. */
#define AMD_SLOT_AQL_PACKET 0u   /* hsa_kernel_dispatch_packet_t, 64 bytes */
#define AMD_SLOT_AMD_QUEUE  128u /* amd_queue_t, 256 bytes; only the two apertures are set */
#define AMD_SLOT_HEAD_BYTES (AMD_SLOT_AMD_QUEUE + 256u)
void amd_dispatch_slot_head(const struct amd_kernel *k, const struct gpu_launch *l,
			    uint64_t kernarg, uint8_t head[AMD_SLOT_HEAD_BYTES]);
/* All packets of a launch, cache invalidation first. slot, kernarg: GPU addresses. */
#define AMD_DISPATCH_MAX_WORDS 64u
void amd_dispatch_push(const struct amd_gpu_config *config, const struct amd_kernel *k,
		       const struct gpu_launch *l, uint64_t slot, uint64_t kernarg,
		       struct gpu_push *p);

extern const struct gpu amd_gpu;

#endif
