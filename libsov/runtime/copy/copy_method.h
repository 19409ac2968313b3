/* SPDX-License-Identifier: MIT */
/* The methods by which the GPU copies and fills memory that it can address. */
#ifndef SOV_COPY_METHOD_H
#define SOV_COPY_METHOD_H

#include "libsov/runtime/stream/submit.h"

enum copy_method { COPY_INLINE, COPY_KERNEL, COPY_ENGINE };

extern const struct context_part copy_kernels_part;

/* Whether the method can execute this copy. */
bool copy_method_fits(const struct gpu *gpu, enum copy_method method, uint64_t to, uint64_t from,
		      uint64_t bytes);
/* Each submits the work, without the context's lock, and returns the seqno of its last submission.
 * copy_inline reads its data, which is host memory, before it returns. */
sov_result copy_inline(struct stream *s, uint64_t to, const void *data, uint32_t bytes,
		       uint64_t *seqno);
sov_result copy_by(struct stream *s, enum copy_method method, uint64_t to, uint64_t from,
		   uint64_t bytes, uint64_t *seqno);
sov_result fill_by(struct stream *s, enum copy_method method, uint64_t to, uint32_t value,
		   uint32_t element_bytes, uint64_t bytes, uint64_t *seqno);

#endif
