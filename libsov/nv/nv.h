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

struct nv_chip {
	uint32_t sm, multiprocessors, warps_per_sm, registers_per_sm, shared_per_sm;
	uint16_t compute_class, copy_class;
	uint64_t shared_window, local_window;
};

/* ---- push.c ---- */

struct nv_push {
	uint32_t *words;
	uint32_t count, capacity;
	bool overflow; /* something did not fit and was left out */
};

/* Once per channel, before anything else. */
void nv_push_setup(struct nv_push *p, const struct nv_chip *chip);
/* The channel waits until the 32-bit semaphore has reached the payload, wrapping around. */
void nv_push_acquire(struct nv_push *p, uint64_t semaphore, uint32_t payload);
/* When everything before has finished and its writes are visible. timed: nanoseconds at +8. */
void nv_push_release(struct nv_push *p, uint64_t semaphore, uint32_t payload, bool timed);
/* The copy engine itself releases the semaphore when it is done; nothing else orders later work. */
#define NV_PUSH_COPY_MAX (1u << 30)
void nv_push_copy(struct nv_push *p, uint64_t destination, uint64_t source, uint32_t bytes,
		  uint64_t semaphore, uint32_t payload);
/* element_bytes: 1, 2 or 4. */
void nv_push_fill(struct nv_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		  uint32_t count, uint64_t semaphore, uint32_t payload);
void nv_push_launch(struct nv_push *p, uint64_t qmd);
/* The bytes become part of the stream of methods; a release behind them waits for them. */
#define NV_PUSH_INLINE_MAX 2048u
void nv_push_inline(struct nv_push *p, uint64_t destination, const void *data, uint32_t bytes);

/* ---- grid.c ---- */

struct nv_grid {
	uint32_t grid[3], block[3];
	uint64_t program;
	uint32_t registers, barriers;
	uint32_t shared_bytes;   /* of a block: static, reserved and dynamic */
	uint32_t dynamic_shared;
	uint64_t bank0;          /* its address, a multiple of 64 */
	uint32_t bank0_bytes;
	uint64_t id;
	bool new_code;           /* code was written since the last launch of this channel */
};

/* false: a value does not fit its field, and nothing may be launched. */
bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_grid *g,
		 uint32_t qmd[NV_QMD_MAX_WORDS]);
/* All but the parameters: bank0_bytes bytes. */
void nv_grid_bank0(const struct nv_chip *chip, const struct nv_grid *g, uint8_t *bank);
/* Blocks that fit on one multiprocessor by warps and registers. */
uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers);

#endif
