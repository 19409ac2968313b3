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
	uint32_t sms_per_tpc, tpcs;
	uint16_t compute_class, copy_class;
	uint64_t shared_window, local_window;
};

/* ---- push.c ---- */

struct nv_push {
	uint32_t *words;
	uint32_t count, capacity;
	bool overflow; /* something did not fit and was left out */
};

/* Once per compute channel, before anything else. */
void nv_push_setup(struct nv_push *p, const struct nv_chip *chip);
/* Once per copy channel, before its first copy; again does no harm. */
void nv_push_bind_copy(struct nv_push *p, const struct nv_chip *chip);
/* What comes next starts when the engine is idle: the channel waits for that, or the engine. */
void nv_push_wait(struct nv_push *p);
void nv_push_wait_class(struct nv_push *p);
/* Constants are read anew by what comes next. */
void nv_push_forget_constants(struct nv_push *p);
/* Wakes whoever sleeps in the way to the GPU. */
void nv_push_interrupt(struct nv_push *p);
/* Before the first launch of a channel that needs local memory, and when its area is another. */
void nv_push_local(struct nv_push *p, uint64_t area, uint64_t tpc_bytes);
/* The channel waits until the 32-bit semaphore has reached the payload, wrapping around. */
void nv_push_acquire(struct nv_push *p, uint64_t semaphore, uint32_t payload);
/* When everything before, on this engine, has finished and its writes are visible. Meanwhile the
 * engine takes nothing from other channels either. */
#define NV_RELEASE_TIMED 1u /* nanoseconds at +8 */
#define NV_RELEASE_NOW   2u /* does not wait: what came before is known to have finished */
void nv_push_release(struct nv_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
/* The copy engine itself releases the semaphore when it is done; nothing else orders later work. */
#define NV_PUSH_COPY_MAX (1u << 30)
void nv_push_copy(struct nv_push *p, uint64_t destination, uint64_t source, uint32_t bytes,
		  uint64_t semaphore, uint32_t payload);
/* So many lines of so many bytes, each line a pitch behind the one before. */
struct nv_lines {
	uint64_t destination, source;
	uint32_t destination_pitch, source_pitch, bytes, lines;
};
void nv_push_copy_lines(struct nv_push *p, const struct nv_lines *l, uint64_t semaphore,
			uint32_t payload);
/* element_bytes: 1, 2 or 4. */
void nv_push_fill(struct nv_push *p, uint64_t destination, uint32_t value, uint32_t element_bytes,
		  uint32_t count, uint64_t semaphore, uint32_t payload);
void nv_push_launch(struct nv_push *p, uint64_t qmd);
/* The bytes become part of the stream of methods; a release behind them waits for them. */
#define NV_PUSH_INLINE_MAX 2048u
void nv_push_inline(struct nv_push *p, uint64_t destination, const void *data, uint32_t bytes);

/* ---- grid.c ---- */

/* Bytes of a descriptor that a launch without clusters has to write; the rest is 0 (H200). */
#define NV_GRID_QMD_BYTES 256u
#define NV_GRID_QMD_WORDS (NV_GRID_QMD_BYTES / 4)
/* Bytes at the start of constant bank 0 that differ from launch to launch. */
#define NV_GRID_HEAD_BYTES 64u

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

/* What a grid that stands between others in memory of its own may leave out or do ahead. */
struct nv_link {
	bool keep_bank0;    /* constant bank 0 has not been written since somebody had it read anew */
	bool chase;         /* the barrier behind it goes on beside what comes next */
	bool fetch_program; /* its first instructions, when it is launched */
	uint8_t fetch_bank0; /* NV_QMD_FETCH_BEFORE or _BEHIND; 0: when it is read */
};

struct nv_grid {
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	uint32_t split_min, split_target; /* see nv_grid_split */
	uint64_t bank0;          /* its address, a multiple of 64 */
	uint64_t release;        /* a semaphore that is given payload when it has ended; 0: none */
	uint32_t payload;
	uint64_t next;           /* a descriptor that starts when this has ended; 0: none */
	bool linked;             /* as link says */
	struct nv_link link;
	uint64_t id;
	bool new_code;           /* code was written since the last launch of this channel */
};

/* false: a value does not fit its field, and nothing may be launched. */
bool nv_grid_plan(const struct nv_chip *chip, const struct nv_kernel *k, struct nv_plan *plan);
bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_plan *plan, const struct nv_grid *g,
		 uint32_t qmd[NV_GRID_QMD_WORDS]);
/* How much of an SM's memory is to be shared memory, at least and better, for such blocks. */
void nv_grid_split(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t threads,
		   uint32_t dynamic_shared, uint32_t *least, uint32_t *target);
/* The first NV_GRID_HEAD_BYTES of bank 0, and all that follows up to the parameters. */
void nv_grid_head(const struct nv_chip *chip, const struct nv_grid *g, uint8_t *bank);
void nv_grid_body(const struct nv_chip *chip, const struct nv_kernel *k, uint32_t bytes,
		  uint8_t *bank);
/* Blocks that fit on one multiprocessor by warps and registers. */
uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers);

/* Local memory of all threads that can be resident, each with so many bytes. */
struct nv_local {
	uint32_t thread_bytes; /* rounded up */
	uint64_t tpc_bytes, bytes;
};
#define NV_LOCAL_MAX_BYTES (512u << 10) /* a thread's, as CUDA's guide has it for all chips */
struct nv_local nv_grid_local(const struct nv_chip *chip, uint32_t thread_bytes);

#endif
