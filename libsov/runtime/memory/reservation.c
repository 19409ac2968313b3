// SPDX-License-Identifier: MIT
/*
 * Reservations: address space whose first part is backed by memory and grows or shrinks in place.
 * The backing consists of chunks, each a buffer bound after the previous one. The rest of the
 * runtime sees one allocation.
 */
#include <stdlib.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/checked_memory.h"

typedef unsigned long long ull;

static struct buffer *chunk_of(struct list_head *l)
{
	return container_of(l, struct buffer, chunk);
}

static uint64_t reservation_backed(const struct buffer *b)
{
	const struct buffer *last;

	if (b->chunks->next == b->chunks)
		return 0;
	last = chunk_of(b->chunks->previous);
	return last->va + last->mapped - b->va;
}

static sov_result reservation_grow(struct context *c, struct buffer *b, uint64_t bytes)
{
	uint64_t have = reservation_backed(b);
	struct buffer *chunk;
	sov_result r;

	if (bytes <= have)
		return SOV_OK;
	r = buffer_create_at(c, bytes - have, b->va + have, &chunk);
	if (!r)
		list_add_tail(b->chunks, &chunk->chunk);
	return r;
}

static void reservation_shrink(struct context *c, struct buffer *b, uint64_t bytes)
{
	while (b->chunks->next != b->chunks) {
		struct buffer *last = chunk_of(b->chunks->previous);

		if (last->va - b->va < bytes)
			break;
		list_del(&last->chunk);
		buffer_destroy(c, last);
	}
}

static void reservation_destroy(struct context *c, struct buffer *b)
{
	reservation_shrink(c, b, 0);
	va_free(false, b->va, b->mapped);
	free(b->chunks);
	free(b);
}

static const struct buffer_ops reservation_ops = {.destroy = reservation_destroy};

sov_result api_memory_reserve(sov_context context, uint64_t max_bytes, sov_ptr *address)
{
	sov_result r;
	struct context *c;
	struct buffer *b;
	uint64_t page;

	if (!address || !max_bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 address ? "max_bytes is 0" : "address is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	page = c->device->info.large_page_bytes;
	r = allocation_reserve_entry(c);
	b = r ? NULL : calloc(1, sizeof(*b));
	if (b)
		b->chunks = malloc(sizeof(*b->chunks));
	if (!b || !b->chunks) {
		free(b);
		return context_leave(c, r ? r
					  : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
						      "no host memory for a reservation"));
	}
	b->ops = &reservation_ops;
	list_init(b->chunks);
	b->mapped = (max_bytes + page - 1) & ~(page - 1);
	if (b->mapped < max_bytes || !va_alloc(false, b->mapped, page, &b->va)) {
		free(b->chunks);
		free(b);
		return context_leave(c, set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
						  "the process has no address space for %llu bytes",
						  (ull)max_bytes));
	}
	allocation_insert(c, b);
	*address = b->va;
	LOG(MEMORY, DEBUG, "%llu bytes reserved at 0x%llx", (ull)max_bytes, (ull)b->va);
	return context_leave(c, SOV_OK);
}

/* With the lock held. */
static sov_result reservation_resize(struct context *c, struct buffer *b, uint64_t bytes)
{
	sov_result r;
	bool keep;

	if (bytes > b->mapped)
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "%llu bytes are more than the %llu that are reserved at 0x%llx",
				 (ull)bytes, (ull)b->mapped, (ull)b->va);
	if (b->pins)
		return set_error(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
				 (ull)b->va);
	if (bytes >= b->bytes) {
		r = reservation_grow(c, b, bytes);
		if (r)
			return r;
		check_freed(c, b);
		b->bytes = bytes;
		check_allocated(c, b);
		return r;
	}
	b->freeing = true;
	r = context_drain_to_free(c, &keep);
	b->freeing = false;
	if (keep)
		return r;
	check_freed(c, b);
	reservation_shrink(c, b, bytes);
	b->bytes = bytes;
	check_allocated(c, b);
	return r;
}

sov_result api_memory_resize(sov_context context, sov_ptr address, uint64_t bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = allocation_at(c, address);
	if (!b || !b->chunks || b->freeing)
		return context_leave(
			c, set_error(SOV_ERROR_INVALID_ADDRESS,
				     "address 0x%llx is not what sov_memory_reserve returned",
				     (ull)address));
	return context_leave(c, reservation_resize(c, b, bytes));
}
