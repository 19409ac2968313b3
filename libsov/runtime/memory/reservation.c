/* SPDX-License-Identifier: MIT */
/*
 * Reservations: address space of which a part, from its start, is memory. The part grows and shrinks
 * in place, so what lies there keeps its address. It is made of pieces, each a buffer bound behind
 * the one before; to everything else it is one allocation.
 */
#include <stdlib.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

typedef unsigned long long ull;

static struct buffer *piece_of(struct link *l)
{
	return (struct buffer *)((char *)l - offsetof(struct buffer, waiting));
}

static uint64_t backed(const struct buffer *b)
{
	const struct buffer *last;

	if (b->pieces->next == b->pieces)
		return 0;
	last = piece_of(b->pieces->previous);
	return last->va + last->mapped - b->va;
}

static sov_result grow(struct context *c, struct buffer *b, uint64_t bytes)
{
	uint64_t have = backed(b);
	struct buffer *piece;
	sov_result r;

	if (bytes <= have)
		return SOV_OK;
	r = buffer_create_at(c, bytes - have, b->va + have, &piece);
	if (!r)
		list_add(b->pieces, &piece->waiting);
	return r;
}

static void shrink(struct context *c, struct buffer *b, uint64_t bytes)
{
	while (b->pieces->next != b->pieces) {
		struct buffer *last = piece_of(b->pieces->previous);

		if (last->va - b->va < bytes)
			break;
		list_remove(&last->waiting);
		buffer_destroy(c, last);
	}
}

void reservation_destroy(struct context *c, struct buffer *b)
{
	shrink(c, b, 0);
	va_free(false, b->va, b->mapped);
	free(b->pieces);
	free(b);
}

sov_result sov_memory_reserve(sov_context context, uint64_t max_bytes, sov_ptr *address)
{
	sov_result r;
	struct context *c;
	struct buffer *b;
	uint64_t page;

	if (!address || !max_bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      address ? "max_bytes is 0" : "address is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	page = c->device->info.large_page_bytes;
	r = memory_reserve(c);
	b = r ? NULL : calloc(1, sizeof(*b));
	if (b)
		b->pieces = malloc(sizeof(*b->pieces));
	if (!b || !b->pieces) {
		free(b);
		return context_leave(c, r ? r
					  : refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
						   "no host memory for a reservation"));
	}
	list_init(b->pieces);
	b->mapped = (max_bytes + page - 1) & ~(page - 1);
	if (b->mapped < max_bytes || !va_alloc(false, b->mapped, page, &b->va)) {
		free(b->pieces);
		free(b);
		return context_leave(c, refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
					       "the process has no address space for %llu bytes",
					       (ull)max_bytes));
	}
	memory_insert(c, b);
	*address = b->va;
	LOG(MEMORY, DEBUG, "%llu bytes reserved at 0x%llx", (ull)max_bytes, (ull)b->va);
	return context_leave(c, SOV_OK);
}

/* With the lock held. */
static sov_result resize(struct context *c, struct buffer *b, uint64_t bytes)
{
	sov_result r;
	bool keep;

	if (bytes > b->mapped)
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "%llu bytes are more than the %llu that are reserved at 0x%llx",
			      (ull)bytes, (ull)b->mapped, (ull)b->va);
	if (b->pins)
		return refuse(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
			      (ull)b->va);
	if (bytes >= b->bytes) {
		r = grow(c, b, bytes);
		if (!r)
			b->bytes = bytes;
		return r;
	}
	b->freeing = true;
	r = context_drain_to_free(c, &keep);
	b->freeing = false;
	if (keep)
		return r;
	shrink(c, b, bytes);
	b->bytes = bytes;
	return r;
}

sov_result sov_memory_resize(sov_context context, sov_ptr address, uint64_t bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = memory_at(c, address);
	if (!b || !b->pieces || b->freeing)
		return context_leave(
			c, refuse(SOV_ERROR_INVALID_ADDRESS,
				  "address 0x%llx is not what sov_memory_reserve returned",
				  (ull)address));
	return context_leave(c, resize(c, b, bytes));
}
