/* SPDX-License-Identifier: MIT */
/*
 * What NVIDIA GPUs read: method streams, launch descriptors, constant bank 0. Everything here is
 * pure: numbers in, words out, no device and no memory of its own.
 */
#ifndef SOV_NV_H
#define SOV_NV_H

#include <stdbool.h>
#include <stdint.h>
#include "hw/nv/compute.h"
#include "hw/nv/host.h"
#include "hw/nv/qmd.h"
#include "libsov/gpu/gpu.h"

struct nv_chip {
	uint32_t sm, multiprocessors, warps_per_sm, registers_per_sm, shared_per_sm;
	uint32_t sms_per_tpc, tpcs;
	uint16_t compute_class, copy_class;
	uint64_t shared_window, local_window;
};

/* ---- push.c ---- */

/* Once per compute channel, before anything else. */
void nv_push_setup(struct gpu_push *p, const struct nv_chip *chip);
/* Once per copy channel, before its first copy; again does no harm. */
void nv_push_bind_copy(struct gpu_push *p, const struct nv_chip *chip);
/* What comes next starts when the engine is idle: the channel waits for that, or the engine. */
void nv_push_wfi(struct gpu_push *p);
void nv_push_compute_wfi(struct gpu_push *p);
/* Constants are read anew by what comes next. */
void nv_push_invalidate_constants(struct gpu_push *p);
/* Wakes whoever sleeps in the way to the GPU. */
void nv_push_interrupt(struct gpu_push *p);
/* Before the first launch of a channel that needs local memory, and when its area is another. */
void nv_push_set_local(struct gpu_push *p, uint64_t area, uint64_t tpc_bytes);
/* The channel waits until the 32-bit semaphore has reached the payload, wrapping around. */
void nv_push_acquire(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
/* When everything before, on this engine, has finished and its writes are visible. Meanwhile the
 * engine takes nothing from other channels either. */
void nv_push_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
/* The copy engine itself releases the semaphore when it is done; nothing else orders later work. */
#define NV_PUSH_COPY_MAX (1u << 30)
void nv_push_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint32_t bytes,
		  uint64_t semaphore, uint32_t payload);
void nv_push_copy_lines(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			uint32_t payload);
/* element_bytes: 1, 2 or 4. */
void nv_push_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		  uint32_t count, uint64_t semaphore, uint32_t payload);
void nv_push_launch(struct gpu_push *p, uint64_t qmd);
/* The bytes become part of the stream of methods; a release behind them waits for them. */
#define NV_PUSH_INLINE_MAX 2048u
void nv_push_inline(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes);

/* ---- chain_code.c ---- */

/* The kernel's code with loads that the L1 cache does not answer, behind what waits for the kernel before. false:
 * there is no such code, or it does not pay. */
bool nv_chain_code(uint32_t sm, const struct image *im, const struct image_kernel *k, uint8_t *to);
uint32_t nv_chain_wait_bytes(uint32_t sm);

/* ---- grid.c ---- */

/* Bytes of a descriptor that a launch without clusters has to write; the rest is 0 (H200). */
#define NV_GRID_QMD_BYTES  256u
#define NV_GRID_QMD_WORDS  (NV_GRID_QMD_BYTES / 4)
/* Bytes at the start of constant bank 0 that differ from launch to launch. */
#define NV_GRID_BANK0_LAUNCH_BYTES 64u

struct nv_kernel {
	uint64_t program;
	uint32_t program_bytes;
	uint32_t registers, barriers;
	uint32_t shared_bytes; /* of a block: static and reserved */
	uint32_t local_bytes;  /* of a thread */
	uint32_t bank0_bytes;
	struct {
		uint64_t address; /* a multiple of 64 */
		uint32_t bytes;   /* 0: none */
	} banks[NV_QMD_BANKS];    /* all but bank 0 */
};

/* What all launches of a kernel have in common. */
struct nv_plan {
	struct nv_kernel kernel;
	uint32_t qmd[NV_GRID_QMD_WORDS];
};

/* false: a value does not fit its field, and nothing may be launched. */
bool nv_grid_plan(const struct nv_chip *chip, const struct nv_kernel *k, struct nv_plan *plan);
bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_plan *plan, const struct gpu_launch *g,
		 uint32_t qmd[NV_GRID_QMD_WORDS]);
/* How much of an SM's memory is to be shared memory, at least and better, for such blocks. */
void nv_grid_carveout(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t threads,
		   uint32_t dynamic_shared, uint32_t *least, uint32_t *target);
/* The first NV_GRID_BANK0_LAUNCH_BYTES of bank 0, and all that follows up to the parameters. */
void nv_grid_bank0_launch(const struct nv_chip *chip, const struct gpu_launch *g, uint8_t *bank);
void nv_grid_bank0_common(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t bytes,
		  uint8_t *bank);
/* Blocks that fit on one multiprocessor by warps and registers. */
uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers);

/* Local memory of all threads that can be resident, each with so many bytes. */
#define NV_LOCAL_MAX_BYTES (512u << 10) /* a thread's, as CUDA's guide has it for all chips */
struct gpu_local nv_grid_local_layout(const struct nv_chip *chip, uint32_t thread_bytes);

/* ---- gpu.c ---- */

extern const struct gpu nv_gpu;

#endif
