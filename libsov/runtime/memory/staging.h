/* SPDX-License-Identifier: MIT */
/* Staging rings: pinned memory through which copies of pageable host memory go. */
#ifndef SOV_STAGING_H
#define SOV_STAGING_H

#include <assert.h>
#include "libsov/runtime/memory/buffer.h"

#define STAGING_BLOCKS      64u
#define STAGING_BLOCK_BYTES (64u << 10)
#define STAGING_CHUNK       (512u << 10) /* a large copy uses chunks of this size … */
#define STAGING_AHEAD       4u           /* … and this many of them at a time */
#define STAGING_NONTEMPORAL (8u << 20)   /* a copy this large would not stay in a cache */
/* A chunk may begin inside a block, and the end of the ring may be too short for a chunk. */
static_assert((STAGING_AHEAD + 1) * (STAGING_CHUNK / STAGING_BLOCK_BYTES + 1) <= STAGING_BLOCKS,
	      "a copy never waits for its own chunks");

struct staging {
	pthread_mutex_t lock; /* held for the whole of a copy */
	struct buffer *buffer;
	uint32_t next;
	uint64_t busy[STAGING_BLOCKS]; /* seqno of the submission that uses the block */
};

/* Consecutive blocks of a ring. */
struct staging_range {
	uint32_t first, blocks;
	uint64_t free_after; /* seqno after whose completion the range may be overwritten */
	uint8_t *cpu;
	uint64_t va;
};

void staging_init(struct staging *g);
void staging_fini(struct context *c, struct staging *g);

/* All below with the staging ring's lock held. */

/* Finds space for at most STAGING_CHUNK bytes, with the alignment of the address align_as. */
sov_result staging_find(struct context *c, struct staging *g, uint64_t align_as, uint64_t bytes,
			struct staging_range *out);
/* Takes the range that staging_find returned, after the submission free_after has completed. */
void staging_claim(struct staging *g, const struct staging_range *t);
/* The range is free again when submission seqno has completed. */
void staging_release_after(struct staging *g, const struct staging_range *t, uint64_t seqno);
/* Copies a range to host memory; nontemporal: with stores that bypass the caches. */
void staging_read(void *to, const struct staging_range *t, uint64_t bytes, bool nontemporal);

#endif
