/* SPDX-License-Identifier: MIT */
/* Linear copies and fills. */
#ifndef SOV_COPY_H
#define SOV_COPY_H

#include "libsov/runtime/stream/submit.h"

struct copy_range {
	uint64_t destination, source, bytes;
	struct buffer *to, *from; /* NULL: pageable host memory */
};

/* With the context's lock held. */

/* Looks up the allocations of both sides, of which to_bytes and from_bytes are accessed. */
sov_result copy_check(struct context *c, struct copy_range *k, uint64_t to_bytes,
		      uint64_t from_bytes);
/* Pins both allocations (by = 1), so that they are not freed, or unpins them (by = -1). */
void copy_pin(struct context *c, const struct copy_range *k, int by);

sov_result fill_check(uint64_t address, uint32_t element_bytes, uint64_t count);

/* Without the lock. */

/* Announces the direction of the calling thread's next copies to the trace. */
void copy_trace_direction(const struct copy_range *k);
/* Submits the copy of a pinned range and returns the seqno of its last submission. */
sov_result copy_submit(struct stream *s, const struct copy_range *k, uint64_t *seqno);

#endif
