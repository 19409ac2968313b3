// SPDX-License-Identifier: MIT
/*
 * The context's table of allocations, sorted by address. Every range that a call names is checked
 * against it; a range outside of one live allocation is rejected with a message that says how it
 * misses. Freed addresses stay recognisable, because GPU address space is never returned to the
 * host and is reused as late as possible.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/buffer_cache.h"
#include "libsov/runtime/memory/checked_memory.h"

typedef unsigned long long ull;

/* A faulting address this close after an allocation probably overran it. */
#define NEAR_BYTES (1u << 20)

struct allocation_table {
	struct buffer **list; /* by address */
	uint32_t count, capacity;
	struct {
		uint64_t va, bytes;
	} freed[32]; /* the most recently freed, for error messages */
	uint32_t freed_count;
};

/* Index of the first allocation that starts above the address. */
static uint32_t allocation_index_above(const struct context *c, uint64_t address)
{
	uint32_t low = 0, high = c->allocations->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (buffer_start(c->allocations->list[middle]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The allocation that contains the address; NULL: none. */
static struct buffer *allocation_holding(const struct context *c, uint64_t address)
{
	uint32_t i = allocation_index_above(c, address);

	return i && address - buffer_start(c->allocations->list[i - 1]) <
				       c->allocations->list[i - 1]->bytes
		       ? c->allocations->list[i - 1]
		       : NULL;
}

struct buffer *allocation_containing(const struct context *c, uint64_t address, uint64_t bytes)
{
	struct buffer *b = allocation_holding(c, address);

	return b && !b->freeing && bytes <= b->bytes - (address - buffer_start(b)) ? b : NULL;
}

struct buffer *allocation_at(const struct context *c, uint64_t address)
{
	uint32_t i = allocation_index_above(c, address);

	return i && buffer_start(c->allocations->list[i - 1]) == address
		       ? c->allocations->list[i - 1]
		       : NULL;
}

struct buffer *allocation_overlapping(const struct context *c, uint64_t start, uint64_t end)
{
	uint32_t i = allocation_index_above(c, start);
	struct buffer *before = i ? c->allocations->list[i - 1] : NULL;
	struct buffer *after = i < c->allocations->count ? c->allocations->list[i] : NULL;

	if (before && before->va + before->mapped > start)
		return before;
	return after && after->va < end ? after : NULL;
}

/* Index of the most recently freed allocation that contained the address, or -1. */
static int allocation_freed_at(const struct context *c, uint64_t address)
{
	uint32_t i, kept = sizeof(c->allocations->freed) / sizeof(*c->allocations->freed);

	for (i = 0; i < kept && i < c->allocations->freed_count; i++) {
		uint32_t k = (c->allocations->freed_count - 1 - i) % kept;

		if (address - c->allocations->freed[k].va < c->allocations->freed[k].bytes)
			return (int)k;
	}
	return -1;
}

void allocation_describe_address(const struct context *c, uint64_t address, char *text,
				 size_t bytes)
{
	uint32_t i = allocation_index_above(c, address);
	const struct buffer *b = i ? c->allocations->list[i - 1] : NULL;
	uint64_t past = b ? address - buffer_start(b) : 0;
	int k = allocation_freed_at(c, address);

	*text = 0;
	if (allocation_holding(c, address)) /* the address was allocated again */
		return;
	if (k >= 0)
		snprintf(text, bytes,
			 "; it lies in an allocation of %llu bytes at 0x%llx that was freed",
			 (ull)c->allocations->freed[k].bytes, (ull)c->allocations->freed[k].va);
	else if (b && past >= b->bytes && past - b->bytes < NEAR_BYTES)
		snprintf(text, bytes,
			 "; it lies %llu bytes past the end of %llu allocated bytes at 0x%llx",
			 (ull)(past - b->bytes), (ull)b->bytes, (ull)buffer_start(b));
}

static sov_result set_address_error(const struct context *c, const char *what, uint64_t address)
{
	int k = allocation_freed_at(c, address);

	if (!address)
		return set_error(SOV_ERROR_INVALID_ADDRESS, "%s is 0, which is never an address",
				 what);
	if (k >= 0)
		return set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"%s 0x%llx lies in an allocation of %llu bytes at 0x%llx that was freed",
			what, (ull)address, (ull)c->allocations->freed[k].bytes,
			(ull)c->allocations->freed[k].va);
	if (va_reserved(address))
		return set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"%s 0x%llx is a GPU address, but in no live allocation of this context",
			what, (ull)address);
	return set_error(SOV_ERROR_INVALID_ADDRESS, "%s 0x%llx is not a GPU address", what,
			 (ull)address);
}

struct buffer *allocation_find(struct context *c, const char *what, uint64_t address,
			       uint64_t bytes)
{
	struct buffer *b = allocation_holding(c, address);
	uint64_t left;

	if (!b) {
		set_address_error(c, what, address);
		return NULL;
	}
	if (b->freeing) {
		set_error(SOV_ERROR_INVALID_ADDRESS, "%s 0x%llx is being freed by another thread",
			  what, (ull)address);
		return NULL;
	}
	left = b->bytes - (address - buffer_start(b));
	if (bytes > left) {
		set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"%s 0x%llx and %llu bytes run %llu bytes past the end of their allocation "
			"of %llu bytes at 0x%llx",
			what, (ull)address, (ull)bytes, (ull)(bytes - left), (ull)b->bytes,
			(ull)buffer_start(b));
		return NULL;
	}
	return b;
}

sov_result allocation_reserve_entry(struct context *c)
{
	uint32_t capacity = c->allocations->capacity ? 2 * c->allocations->capacity : 64;
	struct buffer **bigger;

	if (c->allocations->count < c->allocations->capacity)
		return SOV_OK;
	bigger = realloc(c->allocations->list, capacity * sizeof(*bigger));
	if (!bigger)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no host memory for the table of allocations");
	c->allocations->list = bigger;
	c->allocations->capacity = capacity;
	return SOV_OK;
}

void allocation_insert(struct context *c, struct buffer *b)
{
	uint32_t i = allocation_index_above(c, buffer_start(b));

	memmove(c->allocations->list + i + 1, c->allocations->list + i,
		(c->allocations->count - i) * sizeof(*c->allocations->list));
	c->allocations->list[i] = b;
	c->allocations->count++;
	check_allocated(c, b);
}

/* The memory that was freed at this address is allocated again. */
static void allocation_forget_freed(struct context *c, uint64_t va)
{
	uint32_t kept = sizeof(c->allocations->freed) / sizeof(*c->allocations->freed);

	for (uint32_t k = 0; k < kept; k++)
		if (c->allocations->freed[k].va == va)
			c->allocations->freed[k].bytes = 0;
}

/* Takes a buffer that an earlier sov_memory_free has kept, or creates one. */
static sov_result allocation_create_buffer(struct context *c, uint64_t bytes, struct buffer **out)
{
	const struct winsys_info *i = &c->device->info;
	uint64_t page = bytes >= i->large_page_bytes ? i->large_page_bytes : i->page_bytes;

	*out = buffer_cache_take(c, (bytes + page - 1) & ~(page - 1));
	if (!*out)
		return buffer_create(c, WINSYS_VRAM, false, bytes, out);
	(*out)->bytes = bytes;
	allocation_forget_freed(c, (*out)->va);
	return SOV_OK;
}

sov_result api_memory_alloc(sov_context context, uint64_t bytes, sov_ptr *address)
{
	sov_result r;
	struct context *c;
	struct buffer *b;

	if (!address || !bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 address ? "bytes is 0" : "address is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = allocation_reserve_entry(c);
	if (!r)
		r = allocation_create_buffer(c, bytes, &b);
	if (!r) {
		allocation_insert(c, b);
		*address = b->va;
		LOG(MEMORY, DEBUG, "%llu bytes at 0x%llx", (ull)bytes, (ull)b->va);
	}
	return context_leave(c, r);
}

sov_result api_memory_map(sov_context context, sov_ptr address, void **pointer)
{
	struct context *c;
	struct buffer *b;
	sov_result r;

	if (!pointer)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	b = allocation_find(c, "address", address, 1);
	if (!b)
		r = SOV_ERROR_INVALID_ADDRESS;
	else if (b->host || b->ops || b->module || b->chunks || b->pooled)
		r = set_error(SOV_ERROR_UNSUPPORTED,
			      "address 0x%llx is not memory of sov_memory_alloc; only that can be "
			      "mapped",
			      (ull)address);
	else if (b->va != address)
		r = set_error(SOV_ERROR_INVALID_ADDRESS,
			      "address 0x%llx lies %llu bytes inside its allocation; map 0x%llx",
			      (ull)address, (ull)(address - b->va), (ull)b->va);
	else
		r = buffer_map(c, b);
	if (!r) {
		check_mapped(c, b);
		*pointer = b->cpu;
	}
	return context_leave(c, r);
}

void allocation_remove(struct context *c, struct buffer *b)
{
	uint32_t i = allocation_index_above(c, buffer_start(b)) - 1, k;

	check_freed(c, b);
	c->allocations->count--;
	memmove(c->allocations->list + i, c->allocations->list + i + 1,
		(c->allocations->count - i) * sizeof(*c->allocations->list));
	if (b->host) /* the process may reuse its addresses */
		return;
	k = c->allocations->freed_count++ %
	    (sizeof(c->allocations->freed) / sizeof(*c->allocations->freed));
	c->allocations->freed[k].va = b->va;
	c->allocations->freed[k].bytes = b->bytes;
}

static void allocation_destroy(struct context *c, struct buffer *b)
{
	if (b->ops)
		b->ops->destroy(c, b);
	else
		buffer_destroy(c, b);
}

static sov_result allocations_create(struct context *c)
{
	c->allocations = calloc(1, sizeof(*c->allocations));
	return c->allocations ? SOV_OK
			      : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
					  "no host memory for the table of allocations");
}

static void allocations_destroy(struct context *c)
{
	struct allocation_table *t = c->allocations;

	if (!t)
		return;
	while (t->count)
		allocation_destroy(c, t->list[--t->count]);
	free(t->list);
	free(t);
}

/* The new group does not know them, nor what of them was written. */
static sov_result allocations_restart(struct context *c)
{
	for (uint32_t i = 0; i < c->allocations->count; i++) {
		check_allocated(c, c->allocations->list[i]);
		check_mapped(c, c->allocations->list[i]);
	}
	return SOV_OK;
}

const struct context_part allocation_part = {
	.create = allocations_create,
	.restart = allocations_restart,
	.destroy = allocations_destroy,
};

sov_result allocation_free(struct context *c, struct buffer *b)
{
	sov_result r;
	bool keep;

	if (b->pins)
		return set_error(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
				 (ull)buffer_start(b));
	b->freeing = true;
	r = context_drain_to_free(c, &keep);
	b->freeing = false;
	if (keep)
		return r;
	LOG(MEMORY, DEBUG, "%s %llu bytes at 0x%llx",
	    b->host && !b->host_mapping ? "unregistered" : "freed", (ull)b->bytes,
	    (ull)buffer_start(b));
	if (b->ops && b->ops->free) {
		b->ops->free(c, b);
	} else {
		allocation_remove(c, b);
		if (b->ops || b->host || !buffer_cache_keep(c, b))
			allocation_destroy(c, b);
	}
	return r;
}

sov_result api_memory_free(sov_context context, sov_ptr address)
{
	sov_result r;
	struct context *c = context_enter_failed(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = allocation_at(c, address); /* also finds an empty reservation */
	if (!b || b->freeing)
		b = allocation_find(c, "address", address, 1);
	if (!b)
		return context_leave(c, SOV_ERROR_INVALID_ADDRESS);
	if (b->host)
		return context_leave(c, set_error(SOV_ERROR_INVALID_ADDRESS,
						  "address 0x%llx is host memory; use sov_host_%s",
						  (ull)address,
						  b->host_mapping ? "free" : "unregister"));
	if (b->module)
		return context_leave(
			c,
			set_error(SOV_ERROR_INVALID_ADDRESS,
				  "address 0x%llx belongs to a module; it is freed with the module",
				  (ull)address));
	if (b->va != address)
		return context_leave(
			c,
			set_error(
				SOV_ERROR_INVALID_ADDRESS,
				"address 0x%llx lies %llu bytes inside its allocation; free 0x%llx",
				(ull)address, (ull)(address - b->va), (ull)b->va));
	return context_leave(c, allocation_free(c, b));
}

sov_result api_memory_info(sov_context context, uint64_t *free_bytes, uint64_t *total_bytes)
{
	uint64_t free_now, total;
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	c->winsys->memory_info(c->device->winsys_device, &free_now, &total);
	if (free_bytes)
		*free_bytes = free_now + buffer_cache_bytes(c);
	if (total_bytes)
		*total_bytes = total;
	return context_leave(c, SOV_OK);
}

sov_result api_memory_range(sov_context context, sov_ptr address, sov_ptr *start, uint64_t *bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct buffer *b;

	if (!c)
		return r;
	b = allocation_find(c, "address", address, 1);
	if (b && start)
		*start = buffer_start(b);
	if (b && bytes)
		*bytes = b->bytes;
	return context_leave(c, b ? SOV_OK : SOV_ERROR_INVALID_ADDRESS);
}
