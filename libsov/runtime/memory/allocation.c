/* SPDX-License-Identifier: MIT */
/*
 * A context's memory: allocations in a table sorted by address, against which every range that a
 * call names is checked. What is not inside one live allocation is refused with a sentence that
 * says how it misses. Freed addresses stay recognisable: the address space is never given back to
 * the host, and is handed out again only after going round.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

typedef unsigned long long ull;

/* Accesses this little behind an allocation were probably meant for it. */
#define NEAR_BYTES (1u << 20)

/* Index of the first allocation above the address. */
static uint32_t above(const struct context *c, uint64_t address)
{
	uint32_t low = 0, high = c->allocation_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (memory_start(c->allocations[middle]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The allocation that holds the address; NULL: none. */
static struct buffer *holding(const struct context *c, uint64_t address)
{
	uint32_t i = above(c, address);

	return i && address - memory_start(c->allocations[i - 1]) < c->allocations[i - 1]->bytes
		       ? c->allocations[i - 1]
		       : NULL;
}

struct buffer *memory_holding(const struct context *c, uint64_t address, uint64_t bytes)
{
	struct buffer *b = holding(c, address);

	return b && !b->freeing && bytes <= b->bytes - (address - memory_start(b)) ? b : NULL;
}

struct buffer *memory_at(const struct context *c, uint64_t address)
{
	uint32_t i = above(c, address);

	return i && memory_start(c->allocations[i - 1]) == address ? c->allocations[i - 1] : NULL;
}

struct buffer *memory_meeting(const struct context *c, uint64_t start, uint64_t end)
{
	uint32_t i = above(c, start);
	struct buffer *before = i ? c->allocations[i - 1] : NULL;
	struct buffer *behind = i < c->allocation_count ? c->allocations[i] : NULL;

	if (before && before->va + before->mapped > start)
		return before;
	return behind && behind->va < end ? behind : NULL;
}

/* The last freed allocation that held the address; its index in freed, or -1. */
static int freed_at(const struct context *c, uint64_t address)
{
	uint32_t i, kept = sizeof(c->freed) / sizeof(*c->freed);

	for (i = 0; i < kept && i < c->freed_count; i++) {
		uint32_t k = (c->freed_count - 1 - i) % kept;

		if (address - c->freed[k].va < c->freed[k].bytes)
			return (int)k;
	}
	return -1;
}

void memory_place(const struct context *c, uint64_t address, char *text, size_t bytes)
{
	uint32_t i = above(c, address);
	const struct buffer *b = i ? c->allocations[i - 1] : NULL;
	uint64_t past = b ? address - memory_start(b) : 0;
	int k = freed_at(c, address);

	*text = 0;
	if (holding(c, address)) /* what was freed there before does not matter any more */
		return;
	if (k >= 0)
		snprintf(text, bytes,
			 "; it lies in an allocation of %llu bytes at 0x%llx that was freed",
			 (ull)c->freed[k].bytes, (ull)c->freed[k].va);
	else if (b && past >= b->bytes && past - b->bytes < NEAR_BYTES)
		snprintf(text, bytes,
			 "; it lies %llu bytes past the end of %llu allocated bytes at 0x%llx",
			 (ull)(past - b->bytes), (ull)b->bytes, (ull)memory_start(b));
}

static sov_result refuse_address(const struct context *c, const char *what, uint64_t address)
{
	int k = freed_at(c, address);

	if (!address)
		return refuse(SOV_ERROR_INVALID_ADDRESS, "%s is 0, which is never an address",
			      what);
	if (k >= 0)
		return refuse(
			SOV_ERROR_INVALID_ADDRESS,
			"%s 0x%llx lies in an allocation of %llu bytes at 0x%llx that was freed",
			what, (ull)address, (ull)c->freed[k].bytes, (ull)c->freed[k].va);
	if (va_reserved(address))
		return refuse(
			SOV_ERROR_INVALID_ADDRESS,
			"%s 0x%llx is a GPU address, but in no live allocation of this context",
			what, (ull)address);
	return refuse(SOV_ERROR_INVALID_ADDRESS, "%s 0x%llx is no GPU address", what, (ull)address);
}

struct buffer *memory_find(struct context *c, const char *what, uint64_t address, uint64_t bytes)
{
	struct buffer *b = holding(c, address);
	uint64_t left;

	if (!b) {
		refuse_address(c, what, address);
		return NULL;
	}
	if (b->freeing) {
		refuse(SOV_ERROR_INVALID_ADDRESS, "%s 0x%llx is being freed by another thread",
		       what, (ull)address);
		return NULL;
	}
	left = b->bytes - (address - memory_start(b));
	if (bytes > left) {
		refuse(SOV_ERROR_INVALID_ADDRESS,
		       "%s 0x%llx and %llu bytes run %llu bytes past the end of their allocation "
		       "of %llu bytes at 0x%llx",
		       what, (ull)address, (ull)bytes, (ull)(bytes - left), (ull)b->bytes,
		       (ull)memory_start(b));
		return NULL;
	}
	return b;
}

sov_result memory_reserve(struct context *c)
{
	uint32_t capacity = c->allocation_capacity ? 2 * c->allocation_capacity : 64;
	struct buffer **bigger;

	if (c->allocation_count < c->allocation_capacity)
		return SOV_OK;
	bigger = realloc(c->allocations, capacity * sizeof(*bigger));
	if (!bigger)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			      "no host memory for the table of allocations");
	c->allocations = bigger;
	c->allocation_capacity = capacity;
	return SOV_OK;
}

void memory_insert(struct context *c, struct buffer *b)
{
	uint32_t i = above(c, memory_start(b));

	memmove(c->allocations + i + 1, c->allocations + i,
		(c->allocation_count - i) * sizeof(*c->allocations));
	c->allocations[i] = b;
	c->allocation_count++;
}

sov_result sov_memory_alloc(sov_context context, uint64_t bytes, sov_ptr *address)
{
	sov_result r;
	struct context *c;
	struct buffer *b;

	if (!address || !bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      address ? "bytes is 0" : "address is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = memory_reserve(c);
	if (!r)
		r = buffer_create(c, WINSYS_VRAM, false, bytes, &b);
	if (!r) {
		memory_insert(c, b);
		*address = b->va;
		LOG(MEMORY, DEBUG, "%llu bytes at 0x%llx", (ull)bytes, (ull)b->va);
	}
	return context_leave(c, r);
}

void memory_forget(struct context *c, struct buffer *b)
{
	uint32_t i = above(c, memory_start(b)) - 1, k;

	c->allocation_count--;
	memmove(c->allocations + i, c->allocations + i + 1,
		(c->allocation_count - i) * sizeof(*c->allocations));
	if (b->host) /* its addresses are the process's to use again */
		return;
	k = c->freed_count++ % (sizeof(c->freed) / sizeof(*c->freed));
	c->freed[k].va = b->va;
	c->freed[k].bytes = b->bytes;
}

void memory_destroy(struct context *c, struct buffer *b)
{
	if (b->pieces)
		reservation_destroy(c, b);
	else if (b->pooled)
		pool_destroy(c, b);
	else
		buffer_destroy(c, b);
}

sov_result memory_give_back(struct context *c, struct buffer *b)
{
	sov_result r;
	bool keep;

	if (b->pins)
		return refuse(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
			      (ull)memory_start(b));
	b->freeing = true;
	r = context_drain_to_free(c, &keep);
	b->freeing = false;
	if (keep)
		return r;
	LOG(MEMORY, DEBUG, "%s %llu bytes at 0x%llx",
	    b->host && !b->mapping ? "unregistered" : "freed", (ull)b->bytes, (ull)memory_start(b));
	if (b->pooled) {
		pool_give_back(c, b, NULL);
		return r;
	}
	memory_forget(c, b);
	memory_destroy(c, b);
	return r;
}

sov_result sov_memory_free(sov_context context, sov_ptr address)
{
	sov_result r;
	struct context *c = context_enter_failed(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = memory_at(c, address); /* also a reservation in which there is nothing */
	if (!b || b->freeing)
		b = memory_find(c, "address", address, 1);
	if (!b)
		return context_leave(c, SOV_ERROR_INVALID_ADDRESS);
	if (b->host)
		return context_leave(c, refuse(SOV_ERROR_INVALID_ADDRESS,
					       "address 0x%llx is host memory; use sov_host_%s",
					       (ull)address, b->mapping ? "free" : "unregister"));
	if (b->module)
		return context_leave(c,
				     refuse(SOV_ERROR_INVALID_ADDRESS,
					    "address 0x%llx belongs to a module; it goes with it",
					    (ull)address));
	if (b->va != address)
		return context_leave(
			c,
			refuse(SOV_ERROR_INVALID_ADDRESS,
			       "address 0x%llx lies %llu bytes inside its allocation; free 0x%llx",
			       (ull)address, (ull)(address - b->va), (ull)b->va));
	return context_leave(c, memory_give_back(c, b));
}

sov_result sov_memory_info(sov_context context, uint64_t *free_bytes, uint64_t *total_bytes)
{
	uint64_t free_now, total;
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	c->winsys->memory_info(c->device->way, &free_now, &total);
	if (free_bytes)
		*free_bytes = free_now;
	if (total_bytes)
		*total_bytes = total;
	return context_leave(c, SOV_OK);
}

sov_result sov_memory_range(sov_context context, sov_ptr address, sov_ptr *start, uint64_t *bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = memory_find(c, "address", address, 1);
	if (b && start)
		*start = memory_start(b);
	if (b && bytes)
		*bytes = b->bytes;
	return context_leave(c, b ? SOV_OK : SOV_ERROR_INVALID_ADDRESS);
}
