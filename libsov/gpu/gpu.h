/* SPDX-License-Identifier: MIT */
/*
 * What a GPU reads. The runtime knows pieces of work, semaphores and memory; how they are said to a GPU of some
 * make is one table of functions. All of them are pure: numbers in, words out, no device and no memory of their own.
 *
 * A GPU has queues of two kinds. A compute queue runs kernels one piece after the other; a copy queue copies. Each
 * queue reads spans of words that its ring names.
 */
#ifndef SOV_GPU_H
#define SOV_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "libsov/compiler/image/image.h"
#include "libsov/winsys/winsys.h"

/* ---- words for a queue ---- */

struct gpu_push {
	uint32_t *words;
	uint32_t count, capacity;
	bool overflow; /* something did not fit and was left out */
	bool copying;  /* they are a copy queue's */
};

/* So many lines of so many bytes, each line a pitch behind the one before. */
struct gpu_lines {
	uint64_t destination, source;
	uint32_t destination_pitch, source_pitch, bytes, lines;
};

/* A semaphore is 32 bits that only grow (and wrap), and at this offset the time in ticks. */
#define GPU_TIMESTAMP_OFFSET     8
#define GPU_SEMAPHORE_BYTES 16

#define GPU_RELEASE_TIMESTAMP 1u /* with the time */
#define GPU_RELEASE_NO_WAIT   2u /* does not wait: what came before is known to have finished */

/* What a queue reads next, in one word: an address below 2^40, a multiple of 4, and from bit 42 on how many words are
 * there. 0: nothing. */
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

/* How a piece of work ends. */
struct gpu_completion {
	uint64_t semaphore;
	uint32_t payload;
	bool interrupt; /* wake sleepers, too */
};

/* ---- launches ---- */

/* Memory of all threads' own that can be resident: each has thread_bytes of it. */
struct gpu_local {
	uint32_t thread_bytes; /* rounded up */
	uint64_t unit_bytes;   /* of what the hardware gives it out to */
	uint64_t bytes;        /* of all */
	uint64_t address;
};

/* What a grid that stands between others in memory of its own may leave out or do ahead. */
struct gpu_chain_options {
	bool keep_constants;     /* constants have not been written since somebody had them read anew */
	bool overlap_barrier;          /* the barrier behind it goes on beside what comes next */
	bool prefetch_program;  /* its first instructions, when it is launched */
	uint8_t prefetch_constants; /* GPU_PREFETCH_PRE or _BEHIND; 0: when it is read */
	bool chain_code;     /* by its code for chains, where that can be had … */
	bool early; /* … by which blocks start before the kernel before has ended, and wait for that themselves */
};
enum { GPU_PREFETCH_PRE = 1, GPU_PREFETCH_POST = 2 };

struct gpu_launch {
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	uint32_t carveout_min, carveout_target; /* the make's own, as the next: how memory is split … */
	uint64_t bank0;                   /* … and where its constants are */
	uint64_t release; /* a semaphore that the kernel gives payload when it has ended; 0: none */
	uint32_t payload;
	bool new_code;  /* code was written since the last launch of this queue */
	bool new_local; /* and this is the first with such local memory */
	const struct gpu_local *local;
	const void *const *arguments; /* NULL: they are written later */
	uint64_t
		program; /* where its code for chains is, for which caches may be as they are; 0: the kernel's own */
	uint64_t next; /* the place of a grid that starts when this has ended; 0: none */
	/* Latches, named by places of grids. arrive: the next starts when this one's last block has, and waits for that
	 * latch by itself; wait: the one that this waits for. 0: none. */
	uint64_t arrive, wait;
	const struct gpu_chain_options
		*link; /* NULL: it does not stand between others, and has no latches */
	uint64_t id;
};

/* What stands in a place from its last launch; all zeros: nothing. Whoever writes there sees to it. */
struct gpu_slot_contents {
	uint64_t id; /* of the plan; 0: nothing */
	uint32_t grid[3], block[3], dynamic_shared;
	uint32_t base;      /* what all launches have in common is right up to there */
	uint64_t constants; /* with this address of the constant variables */
	bool new_code;
};

/* Memory that a launch is written to, for the GPU to read. It is write-combined: whole lines, in order, once. */
struct gpu_slot {
	uint8_t *cpu;
	uint64_t va;
	struct gpu_slot_contents *written;
};
#define GPU_LINE            64u
#define GPU_SLOT_ALIGN     256u /* also of code */
/* Of a slot; constants begin so far behind its start. */
#define GPU_SLOT_BYTES     5632u
#define GPU_SLOT_CONSTANTS 512u
#define GPU_MAX_CONSTANTS   (GPU_SLOT_BYTES - GPU_SLOT_CONSTANTS)

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

/* ---- a make of GPUs ---- */

struct gpu {
	const char *family; /* the one of its targets: compiler/target.h */
	const char *image,
		*code; /* what names of files with images, and with code as text, end in */
	uint32_t warp_lanes;
	uint32_t address_bits; /* of what users have; at least 47 */
	uint64_t copy_most;    /* bytes of one copy or fill */
	uint32_t inline_most,
		inline_unit; /* bytes inside the words, and what they and their place are multiples of */
	uint32_t local_most; /* bytes of a thread */
	uint32_t plan_bytes;
	uint32_t entry_bytes; /* of a ring, for one span */
	uint32_t span_most;   /* words of one */
	uint32_t node_words,
		level_words; /* at most, of a node of a graph, and between its levels */
	/* A kernel can release a semaphore by itself. Else the queue does when the kernel has ended; other
	 * queues are not held up by that. */
	bool kernels_release;
	bool copies_on_compute; /* compute queues take copies too */
	/* Waits compare numbers as they are: one that has wrapped is smaller than those before. submit.c and semaphore.c
	 * see to it that nobody waits for any of those then. */
	bool compares_unsigned;
	/* Local memory is part of each launch, so what was written once knows an old one; and each queue gives its own out
	 * to its kernels, without a look at what others do. */
	bool local_in_launch;

	/* What is to be known of a chip for all that follows, malloc'ed; NULL: no host memory. Flat addresses reach
	 * shared and local memory of a thread in two windows. */
	void *(*chip)(const struct winsys_info *i, uint64_t shared_window, uint64_t local_window);
	/* false: reason says what the image is for. */
	bool (*runs)(const void *chip, const struct image *im, char *reason, size_t bytes);
	/* Bytes of constants, or of arguments, that each launch brings along. */
	uint32_t (*launch_bytes)(const struct image_kernel *k);
	/* Bytes of a block's shared memory that the image counts in and no program uses. */
	uint32_t (*reserved_shared)(const struct image *im);
	/* Blocks that fit on one multiprocessor, by what their threads need and so much shared memory each; and on
	 * all of them at the same time. */
	uint32_t (*blocks)(const void *chip, const struct image_kernel *k, uint32_t threads,
			   uint64_t shared_bytes);
	uint64_t (*together)(const void *chip, const struct image_kernel *k, uint32_t threads,
			     uint64_t shared_bytes);
	struct gpu_local (*local)(const void *chip, uint32_t thread_bytes);
	/* Nanoseconds of a semaphore's ticks. */
	uint64_t (*time)(const void *chip, uint64_t ticks);
	/* A kernel can start another that comes after it. */
	bool (*chains)(const void *chip);
	/* The kernel's code for chains: it finds nothing in a cache that a kernel before has left there. In front of it are
	 * wait_bytes of instructions that wait for the kernel before; 0: it cannot do so. false: there is no such code, or it
	 * does not pay. NULL: there never is. */
	bool (*chain_code)(const void *chip, const struct image *im, const struct image_kernel *k,
			   uint8_t *to);
	uint32_t (*wait_bytes)(const void *chip);
	/* One instruction at an offset of code: its bytes, 0: there is none. access: what it does that may be refused.
	 * text and access may be NULL. */
	uint32_t (*instruction)(const void *chip, const struct image_kernel *k, uint64_t pc,
				char *text, size_t text_bytes, enum winsys_access *access);

	/* What all launches of a kernel have in common. id: unique in the process. false: a value does not fit. */
	bool (*plan)(const void *chip, const struct image_kernel *k,
		     const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
		     void *plan);
	/* In a place of GPU_SLOT_BYTES. */
	void (*launch)(const void *chip, void *plan, struct gpu_launch *l,
		       const struct gpu_slot *at, struct gpu_push *p);
	/* The same in two steps, in a place of place_bytes whose arguments begin at an offset: what the GPU reads
	 * there, which is for ever, and what a queue reads. */
	uint32_t (*place_bytes)(const void *plan, uint32_t *arguments);
	bool (*grid)(const void *chip, const void *plan, struct gpu_launch *l, uint8_t *cpu,
		     uint64_t va);
	void (*start)(const void *chip, const void *plan, const struct gpu_launch *l, uint64_t va,
		      struct gpu_push *p);

	/* Once per compute queue, before anything else. */
	void (*setup)(const void *chip, struct gpu_push *p);
	/* Before a queue's first copies; again does no harm. */
	void (*begin_copies)(const void *chip, struct gpu_push *p);
	/* What comes next starts when all kernels before have ended. engine: the engine sees to that, not the queue. */
	void (*idle)(struct gpu_push *p, bool engine);
	/* Constants are read anew by what comes next. */
	void (*forget_constants)(struct gpu_push *p);
	/* Wakes whoever sleeps in the way to the GPU. */
	void (*interrupt)(struct gpu_push *p);
	/* Before the first launch of a queue that needs local memory, and when it is another. */
	void (*set_local)(struct gpu_push *p, const struct gpu_local *l);
	/* The queue waits until the semaphore has reached the payload. */
	void (*acquire)(struct gpu_push *p, uint64_t semaphore, uint32_t payload);
	/* When everything before, on this queue, has finished and its writes are visible. */
	void (*release)(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags);
	/* Each releases the semaphore when it is done, and nothing else orders later work; unless the ring releases
	 * (enter), whose order is that of the words. */
	void (*copy)(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		     uint64_t semaphore, uint32_t payload);
	/* How many of such lines one piece of work, or a node of a graph, can have. */
	uint32_t (*lines_most)(const struct gpu_lines *l);
	void (*copy_lines)(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			   uint32_t payload);
	/* element_bytes: 1, 2 or 4. */
	void (*fill)(struct gpu_push *p, uint64_t destination, uint32_t value,
		     uint32_t element_bytes, uint64_t bytes, uint64_t semaphore, uint32_t payload);
	/* The bytes become part of the words; a release behind them waits for them. */
	void (*write)(struct gpu_push *p, uint64_t destination, const void *data, uint32_t bytes);

	/* A span begins and ends here. NULL: it can anywhere. */
	void (*pad)(struct gpu_push *p);
	/*
	 * Writes the ring's next entry at put, of so many, and returns the put behind it. With an end the entry has also
	 * what releases the piece's number when all before has finished: not the words themselves, because
	 * a queue may still be reading what is behind a release in them when they are written anew. NULL: the span is
	 * the entry, put counts entries, and release is part of the words.
	 */
	uint32_t (*enter)(const struct winsys_queue_memory *m, uint32_t put, uint32_t entries,
			  uint64_t span, bool copying, const struct gpu_completion *end);
};

/* The one that reads what this device does; NULL: none. */
const struct gpu *gpu_find(const struct winsys_info *i);

#endif
