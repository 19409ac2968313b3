/* SPDX-License-Identifier: MIT */
/* Encoders for what NVIDIA GPUs read: methods, launch descriptors (QMD) and constant bank 0. */
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
	uint64_t textures; /* pool: headers, then samplers; 0: none */
};

/* ---- methods.c ---- */

/* The first methods of a compute channel. */
void nv_push_setup(struct gpu_push *p, const struct nv_chip *chip);
/* Binds the copy class, before a channel's first copy; repeating it is harmless. */
void nv_push_bind_copy(struct gpu_push *p, const struct nv_chip *chip);
/* The channel waits until its engine is idle. */
void nv_push_wfi(struct gpu_push *p);
void nv_push_invalidate_constants(struct gpu_push *p);
/* Raises a non-stall interrupt. */
void nv_push_interrupt(struct gpu_push *p);
/* Precedes a channel's first launch that needs local memory, and each change of the area. */
void nv_push_set_local(struct gpu_push *p, uint64_t area, uint64_t tpc_bytes);
/* Waits until the 32-bit semaphore has reached the payload, compared modulo 2^32. */
void nv_push_acquire(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
void nv_push_wait_value(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes,
			enum gpu_wait condition);
/* Writes after a WFI, like nv_push_release. */
void nv_push_write_value(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes);
/* Releases after a WFI: all earlier work of the engine has finished and its writes are visible.
 * Until then the engine accepts no work from other channels either. */
void nv_push_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
/* The copy engine releases the semaphore when it is done; later work is not ordered otherwise. */
#define NV_PUSH_COPY_MAX (1u << 30)
void nv_push_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint32_t bytes,
		  uint64_t semaphore, uint32_t payload);
void nv_push_copy_lines(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			uint32_t payload);
/* element_bytes: 1, 2 or 4. */
void nv_push_fill(struct gpu_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		  uint32_t count, uint64_t semaphore, uint32_t payload);
void nv_push_launch(struct gpu_push *p, const struct nv_chip *chip, uint64_t qmd);
/* Inline-to-memory: the data is part of the method stream; a later release waits for it. */
#define NV_PUSH_INLINE_MAX 2048u
void nv_push_inline(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes);

/* ---- chain_code.c ---- */

/* Writes the kernel's code with loads that bypass the L1 cache, after nv_chain_wait_bytes of
 * instructions that wait for the previous grid. Returns false if the kernel has no such variant or
 * gains nothing from it. */
bool nv_chain_code(uint32_t sm, const struct image *im, const struct image_kernel *k, uint8_t *to);
uint32_t nv_chain_wait_bytes(uint32_t sm);

/* ---- launch_descriptor.c ---- */

/* The part of a descriptor that a launch without clusters writes; the rest is 0 (H200). */
#define NV_GRID_QMD_BYTES          256u
#define NV_GRID_QMD_WORDS          (NV_GRID_QMD_BYTES / 4)
/* The part of constant bank 0, at its start, that differs between launches. */
#define NV_GRID_BANK0_LAUNCH_BYTES 64u

/* The lines of constant bank 0 that a launch with clusters writes; others write the first. */
#define NV_GRID_BANK0_CLUSTER_START 0x140u
#define NV_GRID_BANK0_CLUSTER_END   0x1c0u

struct nv_kernel {
	uint64_t program;
	uint32_t program_bytes;
	uint32_t registers, barriers;
	uint32_t shared_bytes; /* per block: static and reserved */
	uint32_t local_bytes;  /* per thread */
	uint32_t bank0_bytes;
	bool textures; /* the code accesses textures or surfaces */
	bool independent_samplers;
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

/* Both return false if a value does not fit its field; the grid must not be launched then. */
bool nv_grid_plan(const struct nv_chip *chip, const struct nv_kernel *k, struct nv_plan *plan);
bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_plan *plan, const struct gpu_launch *g,
		 uint32_t qmd[NV_GRID_QMD_WORDS]);
/* The shared memory carveout of an SM, as QMD values: the minimum that holds one block, and the
 * target that holds as many blocks as fit otherwise. */
void nv_grid_carveout(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t threads,
		      uint32_t dynamic_shared, uint32_t *min, uint32_t *target);
/* Write bank 0: the first NV_GRID_BANK0_LAUNCH_BYTES, and all of it up to the parameters. */
void nv_grid_bank0_launch(const struct nv_chip *chip, const struct gpu_launch *g, uint8_t *bank);
void nv_grid_bank0_common(const struct nv_chip *chip, const struct nv_kernel *k, uint64_t va,
			  uint32_t bytes, uint8_t *bank);
/* The lines of constant bank 0 that hold the address of a cooperative grid's workspace. */
#define NV_GRID_BANK0_WORKSPACE_START 0x40u
#define NV_GRID_BANK0_WORKSPACE_END   0xc0u
void nv_grid_bank0_workspace(const struct nv_chip *chip, uint64_t workspace, uint8_t *bank);
/* A launch with clusters: the rest of the descriptor. */
bool nv_grid_cluster(const struct nv_chip *chip, const struct gpu_launch *g,
		     uint32_t qmd[NV_QMD_MAX_WORDS]);
/* The shape and number of clusters, of one block each where the launch has none; then the blocks of
 * a cluster. */
void nv_grid_bank0_clusters(const struct gpu_launch *g, uint8_t *bank);
void nv_grid_bank0_cluster_rank(const struct gpu_launch *g, uint8_t *bank);
/* Resident blocks per SM as limited by warps and registers. */
uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers);

#define NV_LOCAL_MAX_BYTES (512u << 10) /* per thread, on all chips (CUDA programming guide) */
struct gpu_local nv_grid_local_layout(const struct nv_chip *chip, uint32_t thread_bytes);

/* ---- texture_header.c ---- */

const char *nv_texture_fault(const struct texture *t);
uint64_t nv_texture_write(const struct texture *t, uint32_t index, uint8_t *pool, uint64_t va);

/* ---- nv_gpu.c ---- */

extern const struct gpu nv_gpu;

#endif
