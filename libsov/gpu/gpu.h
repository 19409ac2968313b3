/* SPDX-License-Identifier: MIT */
/*
 * The vendor-neutral command builders. The runtime deals in submissions, semaphores and memory; one
 * table of functions per vendor encodes them as the commands that its GPUs read. All functions are
 * pure: they write words to memory that the caller provides and touch no device.
 *
 * A GPU has compute queues, which run kernels in order, and copy queues. The ring of a queue lists
 * the spans of command words that the queue executes.
 */
#ifndef SOV_GPU_H
#define SOV_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libsov/compiler/image/image.h"
#include "libsov/isa/texture.h"
#include "libsov/winsys/winsys.h"

/* ---- command words ---- */

struct gpu_push {
	uint32_t *words;
	uint64_t va; /* GPU address of words */
	uint32_t count, capacity;
	bool overflow;   /* a command did not fit and was dropped */
	bool copy_queue; /* the words are for a copy queue */
};

/* A pitched copy of lines rows of bytes bytes each. */
struct gpu_lines {
	uint64_t destination, source;
	uint32_t destination_pitch, source_pitch, bytes, lines;
};

/* A semaphore is a 32-bit sequence number that only increases and wraps around, followed at this
 * offset by a 64-bit time stamp in GPU ticks. */
#define GPU_TIMESTAMP_OFFSET 8
#define GPU_SEMAPHORE_BYTES  16

#define GPU_RELEASE_TIMESTAMP 1u /* write the time stamp, too */
#define GPU_RELEASE_NO_WAIT   2u /* no WFI: earlier work is known to have finished */

/* A span in one word: its GPU address, below 2^40 and a multiple of 4, and from bit 42 on the
 * number of words. 0 is the empty span. */
#define GPU_MAX_SPAN_WORDS ((1u << 21) - 1)
static inline uint64_t gpu_span(uint64_t address, uint32_t words)
{
	return address | (uint64_t)words << 42;
}
static inline uint64_t gpu_span_address(uint64_t span)
{
	return span & ((UINT64_C(1) << 40) - 1);
}
static inline uint32_t gpu_span_words(uint64_t span)
{
	return (uint32_t)(span >> 42);
}

/* The semaphore release that completes a submission. */
struct gpu_completion {
	uint64_t semaphore;
	uint32_t payload;
	bool interrupt; /* also interrupt the CPU */
};

/* ---- launches ---- */

/* Local memory for the threads that are resident at one time. */
struct gpu_local {
	uint32_t thread_bytes; /* rounded up to the hardware's granularity */
	uint64_t unit_bytes;   /* of the hardware's allocation unit: a TPC (NVIDIA), a wave (AMD) */
	uint64_t bytes;        /* of all units */
	uint64_t address;
};

/* Optimisations for a grid in a chain of grids (dependent launch descriptors). */
struct gpu_chain_options {
	bool keep_constants;     /* bank 0 is unchanged: do not invalidate the constant cache */
	bool overlap_barrier;    /* the membar after the grid overlaps with the next grid */
	bool prefetch_program;   /* fetch the first instructions at launch */
	bool prefetch_constants; /* fetch the constants at launch, not on demand */
	bool chain_code;         /* run the chain_code variant of kernels that have one */
	bool early_start;        /* and start its blocks early: they wait for the previous grid */
};

#define GPU_MAX_CLUSTER       8  /* blocks; NVIDIA's portable limit */
#define GPU_MAX_LARGE_CLUSTER 16 /* where the program asks for it */

struct gpu_launch {
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* x 0: the launch has none */
	uint32_t dynamic_shared;
	bool cooperative; /* the blocks may synchronise with each other */
	/* Set by the back end: the split of an SM's memory and the address of the constants. */
	uint32_t carveout_min, carveout_target;
	uint64_t bank0;
	uint64_t release; /* semaphore that the kernel releases with payload; 0: none */
	uint32_t payload;
	bool new_code;  /* code was written since this queue's last launch */
	bool new_local; /* first launch of this queue with this local memory */
	const struct gpu_local *local;
	const void *const *arguments; /* NULL: the caller writes them later */
	/* Address of the kernel's chain code, which needs no cache invalidation; 0: run the
	 * kernel's ordinary code. */
	uint64_t program;
	uint64_t next; /* slot of the grid that starts when this one has ended; 0: none */
	/* Latches, identified by the slot of a grid; 0: none. arrive: the next grid starts when
	 * the last block of this one has started, and waits at this latch. wait: the latch that
	 * this grid waits for. */
	uint64_t arrive, wait;
	const struct gpu_chain_options *chain; /* NULL: not in a chain, so without latches */
	uint64_t id;
};

/* The contents of a slot, so that a launch rewrites only what differs. All zeros: unknown. Code
 * that writes to the slot by other means must clear it. */
struct gpu_slot_contents {
	uint64_t id; /* of the plan; 0: none */
	uint32_t grid[3], block[3], dynamic_shared;
	uint32_t clusters[3]; /* of the grid, in the constants; x 0: not written */
	uint32_t base;        /* the launch-independent constants are valid up to this offset */
	uint64_t constants;   /* address of the constant variables in them */
	bool new_code;
};

/* Memory that holds what the GPU reads for one launch. It is write-combined: write whole lines, in
 * order and once. */
struct gpu_slot {
	uint8_t *cpu;
	uint64_t va;
	struct gpu_slot_contents *contents;
	/* At GPU_SLOT_CONSTANTS in the slot, or elsewhere if the slot is too small for them. */
	uint8_t *constants;
	uint64_t constants_va;
};
#define GPU_LINE                64u
#define GPU_SLOT_ALIGN          256u /* also the alignment of code */
#define GPU_SLOT_BYTES          5632u
#define GPU_SLOT_CONSTANTS      512u /* offset of the constants */
#define GPU_MAX_CONSTANTS       (GPU_SLOT_BYTES - GPU_SLOT_CONSTANTS)
/* Of a launch whose constants are elsewhere: the largest parameters, and what precedes them. */
#define GPU_MAX_LARGE_CONSTANTS 40960u

static inline void gpu_write_lines(uint8_t *to, const void *from, uint32_t bytes)
{
	uint32_t i;

	for (i = 0; i < bytes; i += GPU_LINE)
		memcpy(to + i, (const uint8_t *)from + i, GPU_LINE);
}

static inline void gpu_write_arguments(const struct image_kernel *k, const void *const *arguments,
				       uint8_t *to)
{
	uint32_t i;

	for (i = 0; i < k->nparams; i++) {
		const struct image_param *p = &k->params[i];

		if (p->size == 8)
			memcpy(to + p->offset, arguments[i], 8);
		else if (p->size == 4)
			memcpy(to + p->offset, arguments[i], 4);
		else
			memcpy(to + p->offset, arguments[i], p->size);
	}
}

/* ---- textures ---- */

/* A context has a pool of descriptions of textures, whose numbers are less than this. */
#define GPU_MAX_TEXTURES       4096u
#define GPU_TEXTURE_POOL_BYTES (GPU_MAX_TEXTURES * 80u)

/* ---- the table of a vendor ---- */

/* The conditions of sov_wait_condition. */
enum gpu_wait { GPU_WAIT_REACHED, GPU_WAIT_EQUAL, GPU_WAIT_AND, GPU_WAIT_NOR };

struct gpu {
	const char *family;          /* of its targets: compiler/target.h */
	const char *image_extension, /* of files that hold an image */
		*code_extension;     /* of files that hold disassembled code */
	uint32_t warp_size;
	uint32_t address_bits; /* of user addresses; at least 47 */
	/* The last page of user addresses, if code traps by a store to it; 0: traps are faults of
	 * their own. Nothing is mapped there. */
	uint64_t trap_page;
	uint64_t max_copy_bytes; /* of one copy */
	uint64_t max_fill_bytes; /* of one fill */
	/* write_inline: the limit, and the alignment of size and destination. */
	uint32_t max_inline_bytes, inline_align;
	uint32_t max_local_bytes; /* per thread */
	uint32_t plan_bytes;
	uint32_t ring_entry_bytes; /* of the unit in which a ring has a power of two of entries */
	uint32_t ring_entries, copy_ring_entries;     /* hold what all slots of a stream submit */
	uint32_t max_span_words, max_copy_span_words; /* of compute queues, of copy queues */
	uint32_t max_node_words, max_level_words; /* commands of a graph node; between two levels */
	/* A kernel can release a semaphore itself. Otherwise the queue releases it after the
	 * kernel, which does not delay other queues. */
	bool kernels_release;
	/* A graph's copies go to the copy queue, if the stream that launches it has one. */
	bool prefers_copy_queue;
	/* acquire compares unsigned numbers, so a sequence number that has wrapped counts as
	 * smaller than its predecessors. submit.c and semaphore.c make sure that no queue waits
	 * for one of those then. */
	bool acquire_compares_unsigned;
	/* Each launch names its local memory: a graph written before it moved is stale, and each
	 * queue needs a separate area because queues allocate from it independently. */
	bool local_in_launch;

	/* Allocates the chip description that the other functions take; the caller frees it. NULL:
	 * out of host memory. The windows are the ranges of generic addresses that reach shared
	 * and local memory. */
	void *(*chip_create)(const struct winsys_info *i, uint64_t shared_window,
			     uint64_t local_window);
	/* Whether the chip can run the image. reason: the target that the image is for. */
	bool (*supports)(const void *chip, const struct image *im, char *reason, size_t bytes);
	/* Bytes of constants (arguments included) in the slot of each launch. */
	uint32_t (*constant_bytes)(const struct image_kernel *k);
	/* Shared memory per block that the image counts and the system reserves. */
	uint32_t (*reserved_shared)(const struct image *im);
	/* Resident blocks per multiprocessor with this much shared memory each, and on the whole
	 * GPU (the limit of a cooperative launch). */
	uint32_t (*occupancy)(const void *chip, const struct image_kernel *k, uint32_t threads,
			      uint64_t shared_bytes);
	uint64_t (*max_resident_blocks)(const void *chip, const struct image_kernel *k,
					uint32_t threads, uint64_t shared_bytes);
	/* The same for clusters with this number of blocks, on the whole GPU. */
	uint64_t (*max_resident_clusters)(const void *chip, const struct image_kernel *k,
					  uint32_t threads, uint64_t shared_bytes, uint32_t blocks);
	/* Local memory for a grid of blocks of this many threads; NVIDIA's is for any grid. */
	struct gpu_local (*local_layout)(const void *chip, uint32_t thread_bytes, uint64_t blocks,
					 uint32_t block_threads);
	uint64_t (*ticks_to_ns)(const void *chip, uint64_t ticks);
	/* The most blocks of a cluster; 1: the chip has no clusters. */
	uint32_t (*max_cluster_blocks)(const struct winsys_info *i);
	/* Whether a grid can start its successor (gpu_launch.next). */
	bool (*supports_chains)(const void *chip);
	/* Writes the variant of a kernel's code that may run in a chain without cache invalidation.
	 * It is preceded by chain_wait_bytes of instructions that wait for the previous grid; 0:
	 * the chip has none. Returns false if the kernel has no such variant or gains nothing from
	 * it. NULL: not supported. */
	bool (*chain_code)(const void *chip, const struct image *im, const struct image_kernel *k,
			   uint8_t *to);
	uint32_t (*chain_wait_bytes)(const void *chip);
	/* Decodes the instruction at an offset of the code and returns its size; 0: invalid.
	 * access: the kind of memory access that can fault. text and access may be NULL. */
	uint32_t (*disassemble)(const void *chip, const struct image_kernel *k, uint64_t pc,
				char *text, size_t text_bytes, enum winsys_access *access);

	/* Computes what all launches of a kernel have in common. id is unique in the process.
	 * Returns false if a value does not fit its hardware field. */
	bool (*plan)(const void *chip, const struct image_kernel *k,
		     const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
		     void *plan);
	/* Writes a launch to a slot, and the commands that start it. */
	void (*launch)(const void *chip, void *plan, struct gpu_launch *l,
		       const struct gpu_slot *slot, struct gpu_push *p);
	/* The same in two steps, for graphs: write_grid writes a slot of slot_bytes once, and
	 * launch_grid appends the commands that start it. arguments: their offset in the slot. */
	uint32_t (*slot_bytes)(const void *plan, uint32_t *arguments);
	bool (*write_grid)(const void *chip, const void *plan, struct gpu_launch *l, uint8_t *cpu,
			   uint64_t va);
	void (*launch_grid)(const void *chip, const void *plan, const struct gpu_launch *l,
			    uint64_t va, struct gpu_push *p);

	/* The layout of a texture's memory that the library allocates. */
	enum texture_layout texture_layout;
	/* Why the chip cannot read such a texture: words for a message; NULL: it can. */
	const char *(*texture_fault)(const struct texture *t);
	/* Writes the description of a texture to the pool and returns the handle. */
	uint64_t (*write_texture)(const struct texture *t, uint32_t index, uint8_t *pool,
				  uint64_t va);
	/* Tells the chip's state where the pool is, before setup_compute. */
	void (*set_texture_pool)(void *chip, uint64_t va);

	/* The first commands of a compute queue. */
	void (*setup_compute)(const void *chip, struct gpu_push *p);
	/* Precedes a queue's first copy; repeating it is harmless. */
	void (*setup_copy)(const void *chip, struct gpu_push *p);
	/* Later commands of the queue wait until all earlier kernels have ended. */
	void (*wait_for_idle)(struct gpu_push *p);
	void (*invalidate_constants)(struct gpu_push *p);
	/* Interrupts the CPU: ends the winsys's wait. */
	void (*interrupt)(struct gpu_push *p);
	/* Precedes a queue's first launch that needs local memory, and each change of its area. */
	void (*set_local)(struct gpu_push *p, const struct gpu_local *l);
	/* The queue waits until the semaphore has reached the payload. */
	void (*acquire)(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
	/* The queue waits until the number of bytes (4 or 8) at address satisfies the condition;
	 * writes it when all earlier work has finished and its writes are visible. NULL: the
	 * device cannot. */
	void (*wait_value)(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes,
			   enum gpu_wait condition);
	void (*write_value)(struct gpu_push *p, uint64_t address, uint64_t value, uint32_t bytes);
	/* The addresses that these two reach end here. */
	uint64_t (*value_address_end)(const struct winsys_info *i);
	/* Releases the semaphore when all earlier work of the queue has finished and its writes are
	 * visible. */
	void (*release)(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
	/* Copies and fills release the semaphore when they are done; later work is not ordered
	 * after them otherwise. Where write_ring_entry exists they release nothing: the ring entry
	 * does, and the queue executes its words in order. */
	void (*copy)(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		     uint64_t semaphore, uint32_t payload);
	/* The number of such lines that one submission or graph node can copy. */
	uint32_t (*max_lines)(const struct gpu_lines *l, bool copy_queue);
	void (*copy_lines)(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			   uint32_t payload);
	/* element_bytes: 1, 2 or 4. */
	void (*fill)(struct gpu_push *p, uint64_t destination, uint32_t value,
		     uint32_t element_bytes, uint64_t bytes, uint64_t semaphore, uint32_t payload);
	/* Writes data that is embedded in the commands; a later release waits for it. */
	void (*write_inline)(struct gpu_push *p, uint64_t destination, const void *data,
			     uint32_t bytes);

	/* Pads to the alignment at which a span may begin and end. NULL: no alignment. */
	void (*pad)(struct gpu_push *p);
	/*
	 * Writes the ring entry at put, which never wraps, and returns the next put. words: the
	 * span's words for the CPU, because a copy queue has them in its ring. With a completion,
	 * the entry also contains its release. The span itself must not, because a queue may still
	 * be fetching the words after a release when the CPU reuses them. NULL: the span is the
	 * ring entry, put counts entries, and the words contain the release.
	 */
	uint64_t (*write_ring_entry)(const struct winsys_queue_memory *m, uint64_t put,
				     uint64_t span, const uint32_t *words, bool copy_queue,
				     const struct gpu_completion *completion);
};

/* Returns the table for a device, or NULL if there is none. */
const struct gpu *gpu_find(const struct winsys_info *i);

#endif
