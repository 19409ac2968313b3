/* SPDX-License-Identifier: MIT */
/* Buffers: memory that is bound in a context's address space while the context has a queue
 * group. */
#ifndef SOV_BUFFER_H
#define SOV_BUFFER_H

#include "libsov/runtime/context/context.h"

struct buffer;

/* How allocations that are not plain buffers are freed. */
struct buffer_ops {
	/* The GPU has finished with an allocation: removes it from the table and frees or keeps it.
	 * NULL: allocation_remove and destroy. */
	void (*free)(struct context *c, struct buffer *b);
	/* Frees memory and address space. */
	void (*destroy)(struct context *c, struct buffer *b);
};

struct buffer {
	const struct buffer_ops *ops; /* NULL: a plain buffer */
	struct list_head link;        /* in context.buffers */
	struct winsys_buffer *backing;
	bool low;           /* address below 2^40 */
	bool fixed_address; /* in address space that the caller owns: part of a reservation */
	uint64_t va;
	uint64_t bytes;              /* as requested */
	uint64_t mapped;             /* whole pages */
	void *cpu;                   /* NULL: not mapped, see buffer_map */
	bool host;                   /* the process's own memory, at its own address */
	bool host_mapping;           /* mapped by sov_host_alloc */
	bool shared, imported;       /* with other processes; from one: share.c */
	uint32_t page_offset;        /* host: bytes of the first page before the registered range */
	const struct module *module; /* whose variables it holds; NULL: a user allocation */
	/* stream/pool.c and memory/reservation.c */
	struct list_head *chunks; /* of a reservation, by address; NULL: not a reservation */
	struct list_head chunk;   /* in chunks, or in the pool's list of free blocks of a size … */
	struct list_head age;     /* … and in its list of free blocks by age */
	bool pooled;              /* belongs to the pool: a buffer, or … */
	struct pool_segment *segment;     /* … part of this segment, without backing */
	uint64_t free_stream, free_seqno; /* the stream's work up to here may use the free block */
	/* memory/allocation.c and copy/ */
	uint32_t pins; /* copies in flight that have released the context's lock */
	bool freeing;  /* a thread waits for the GPU to free it */
};

extern const struct context_part buffer_part;

/* The first byte that belongs to the user. */
static inline uint64_t buffer_start(const struct buffer *b)
{
	return b->va + b->page_offset;
}

/* All with the context's lock held. Video memory of at least a large page uses large pages. */
sov_result buffer_create(struct context *c, enum winsys_placement where, bool low, uint64_t bytes,
			 struct buffer **out);
sov_result buffer_create_pages(struct context *c, enum winsys_placement where, uint64_t bytes,
			       uint64_t page_bytes, struct buffer **out);
/* Video memory in large pages, at an address of the caller's choice. */
sov_result buffer_create_at(struct context *c, uint64_t bytes, uint64_t va, struct buffer **out);
/* Maps the buffer for the CPU and sets b->cpu; repeated calls do nothing. */
sov_result buffer_map(struct context *c, struct buffer *b);
sov_result buffer_create_mapped(struct context *c, enum winsys_placement where, bool low,
				uint64_t bytes, struct buffer **out);
void buffer_destroy(struct context *c, struct buffer *b);

#endif
