/* SPDX-License-Identifier: MIT */
/* The context's table of allocations, sorted by address. All with the context's lock held. */
#ifndef SOV_ALLOCATION_H
#define SOV_ALLOCATION_H

#include "libsov/runtime/memory/buffer.h"

extern const struct context_part allocation_part;

/* Makes room for one more entry, so that allocation_insert cannot fail. */
sov_result allocation_reserve_entry(struct context *c);
void allocation_insert(struct context *c, struct buffer *b);
void allocation_remove(struct context *c, struct buffer *b);

/* The allocation or pinned host memory that contains [address, address + bytes); NULL: none. */
struct buffer *allocation_containing(const struct context *c, uint64_t address, uint64_t bytes);
/* The same; NULL after set_error(). what names the address in the message. */
struct buffer *allocation_find(struct context *c, const char *what, uint64_t address,
			       uint64_t bytes);
/* The allocation that begins at the address; NULL: none. */
struct buffer *allocation_at(const struct context *c, uint64_t address);
/* An allocation with pages in [start, end); NULL: none. */
struct buffer *allocation_overlapping(const struct context *c, uint64_t start, uint64_t end);
/* Describes a faulting address relative to live and freed allocations: "; it lies …", or "". */
void allocation_describe_address(const struct context *c, uint64_t address, char *text,
				 size_t bytes);

/* Pinned host memory for a module's variables; it is in the table. */
sov_result host_create_variables(struct context *c, uint64_t bytes, const struct module *m,
				 struct buffer **out);

/* Waits for the GPU, then removes and frees the allocation. */
sov_result allocation_free(struct context *c, struct buffer *b);

#endif
