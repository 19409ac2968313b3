/* SPDX-License-Identifier: MIT */
/*
 * What AMD's GPUs read: packets of compute queues (PM4) and of copy queues (SDMA), registers of a dispatch, kernel
 * arguments. Everything here is pure: numbers in, words out, no device and no memory of its own. gfx1030 is the
 * only chip so far, and nothing here has met a card.
 */
#ifndef SOV_AMD_H
#define SOV_AMD_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/amd/kernel_descriptor.h"
#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "hw/amd/sdma.h"
#include "libsov/compiler/image/amd_abi.h"
#include "libsov/gpu/gpu.h"

struct amd_card {
	uint32_t units; /* compute units; two share LDS and instruction cache */
	uint32_t waves_per_unit, registers_per_unit, lds_per_unit;
};

/* ---- pm4.c: words for a compute queue ---- */

void amd_pm4_setup(struct gpu_push *p);
/* What comes next starts when dispatches before have ended. */
void amd_pm4_idle(struct gpu_push *p);
/* What comes next sees what others have written; new_code: instructions, too. */
void amd_pm4_acquire_caches(struct gpu_push *p, bool new_code);
void amd_pm4_wait(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
void amd_pm4_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
void amd_pm4_interrupt(struct gpu_push *p);
#define AMD_PM4_INLINE_MAX 2048u
void amd_pm4_write(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes);
/* Values for consecutive registers. */
void amd_pm4_registers(struct gpu_push *p, uint32_t first, const uint32_t *values, uint32_t count);
void amd_pm4_dispatch(struct gpu_push *p, const uint32_t groups[3]);
/* To a multiple of what a buffer's length has to be. */
void amd_pm4_pad(struct gpu_push *p);
void amd_pm4_enter(uint32_t *entry, uint64_t span, const struct gpu_completion *end);

/* ---- sdma.c: words for a copy queue ---- */

void amd_sdma_wait(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
void amd_sdma_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
void amd_sdma_interrupt(struct gpu_push *p);
void amd_sdma_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes);
/* Words that lines take at most. */
#define AMD_SDMA_LINES_WORDS 240u
uint32_t amd_sdma_lines_most(const struct gpu_lines *l);
void amd_sdma_lines(struct gpu_push *p, const struct gpu_lines *l);
void amd_sdma_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		   uint64_t bytes);
void amd_sdma_pad(struct gpu_push *p);
void amd_sdma_enter(uint32_t *entry, uint64_t span, const struct gpu_completion *end);

/* An entry of either ring: an indirect buffer, and how its piece of work ends. */
#define AMD_ENTRY_WORDS  16u
/* Buffers are multiples of so many words. */
#define AMD_BUFFER_ALIGN 8u

/* ---- grid.c ---- */

/* What all launches of a kernel have in common. */
struct amd_kernel {
	uint64_t entry;      /* a multiple of 256 */
	uint64_t descriptor; /* its address, for those who look into the packet */
	uint32_t rsrc1, rsrc2, rsrc3;
	uint16_t properties;
	uint32_t lds_bytes;     /* static, of a workgroup */
	uint32_t private_bytes; /* of a thread, a multiple of AMD_PRIVATE_ALIGN */
	uint32_t kernarg_bytes;
	struct {
		uint16_t offset, bytes; /* in the arguments; bytes 0: it is not read */
	} hidden[AMD_HIDDEN_COUNT];
};

/* A wave's private memory is a multiple of a kilobyte. */
#define AMD_PRIVATE_ALIGN (AMD_TMPRING_GRANULE / 32)
#define AMD_PRIVATE_MAX   (0x1fffu * AMD_PRIVATE_ALIGN)
#define AMD_LDS_MAX       (64u << 10) /* of a workgroup */

/* false: a value does not fit its field, and nothing may be launched. */
bool amd_grid_fits(const struct amd_kernel *k);
struct gpu_local amd_grid_local(const struct amd_card *card, uint32_t thread_bytes);
/* Workgroups on one pair of compute units, by waves, registers and LDS. */
uint32_t amd_grid_blocks(const struct amd_card *card, uint32_t vgprs, bool pairs, uint32_t threads,
			 uint64_t lds_bytes);
/* The arguments that the runtime adds. */
void amd_grid_hidden(const struct amd_kernel *k, const struct gpu_launch *l, uint8_t *kernarg);
/* In a place: what kernels may look at beside their arguments, as HSA has it; from its start on. */
#define AMD_PLACE_PACKET 0u   /* 64 bytes, dispatch packet */
#define AMD_PLACE_QUEUE  128u /* 256 bytes, of which two are of use */
#define AMD_PLACE_HEAD   (AMD_PLACE_QUEUE + 256u)
void amd_grid_head(const struct amd_kernel *k, const struct gpu_launch *l, uint64_t kernarg,
		   uint8_t head[AMD_PLACE_HEAD]);
/* All packets of it, caches first. place, kernarg: addresses of the two. */
#define AMD_GRID_WORDS 64u
void amd_grid_push(const struct amd_card *card, const struct amd_kernel *k,
		   const struct gpu_launch *l, uint64_t place, uint64_t kernarg,
		   struct gpu_push *p);

extern const struct gpu amd_gpu;

#endif
