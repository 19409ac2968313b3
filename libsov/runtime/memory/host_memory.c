/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the GPU reaches. Whole pages of the process are pinned and bound in the context's
 * address space where the process has them: the addresses of GPUs are reserved in the process, so
 * the two kinds never meet, and one number names a byte on both sides. Such memory stands in the
 * context's table beside its allocations.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

typedef unsigned long long ull;

/* Everything there, and the process may write to it? */
static bool writable(uint64_t start, uint64_t bytes)
{
	void *memory = (void *)(uintptr_t)start;
	unsigned char *resident;
	bool there;

	if (!madvise(memory, bytes, MADV_POPULATE_WRITE))
		return true;
	/* A kernel that knows the question has answered it; an older one says at least what is
	 * mapped at all. */
	if (!madvise(memory, 0, MADV_POPULATE_WRITE))
		return false;
	resident = malloc(bytes / 4096 + 1);
	there = resident && !mincore(memory, bytes, resident);
	free(resident);
	return there;
}

/* The pages around [address, address + bytes) become a buffer of the context, in its table. */
static sov_result import(struct context *c, uint64_t address, uint64_t bytes, struct buffer **out)
{
	uint64_t page = c->device->info.import_page_bytes, start = address & ~(page - 1);
	uint64_t mapped = (address + bytes - start + page - 1) & ~(page - 1);
	struct buffer *b;
	sov_result r = memory_reserve(c);
	const char *said;
	int error;

	if (r)
		return r;
	if ((start + mapped - 1) >> c->gpu->address_bits)
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "host memory at 0x%llx: %s reaches addresses of %u bits; let "
			      "sov_host_alloc choose",
			      (ull)address, c->device->properties.name, c->gpu->address_bits);
	b = calloc(1, sizeof(*b));
	if (!b)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	*b = (struct buffer){
		.va = start,
		.bytes = bytes,
		.mapped = mapped,
		.cpu = (void *)(uintptr_t)start,
		.host = true,
		.skew = (uint32_t)(address - start),
	};
	error = c->winsys->buffer_import(c->device->way, b->cpu, mapped, &b->backing);
	if (!error) {
		error = c->winsys->bind(c->group, b->backing, start);
		if (error)
			c->winsys->buffer_destroy(b->backing);
	}
	if (error) {
		free(b);
		said = winsys_take_error();
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			      "%llu bytes of host memory at 0x%llx cannot be pinned for %s: %s",
			      (ull)bytes, (ull)address, c->device->properties.name,
			      *said ? said : strerror(-error));
	}
	list_add(&c->buffers, &b->link);
	memory_insert(c, b);
	LOG(MEMORY, DEBUG, "pinned %llu bytes at 0x%llx", (ull)bytes, (ull)address);
	*out = b;
	return SOV_OK;
}

sov_result sov_host_alloc(sov_context context, uint64_t bytes, void **pointer)
{
	struct context *c;
	struct buffer *b;
	uint64_t page, mapped;
	sov_result r;
	void *memory;

	if (!pointer || !bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      pointer ? "bytes is 0" : "pointer is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	page = c->device->info.import_page_bytes;
	mapped = (bytes + page - 1) & ~(page - 1);
	memory = mapped < bytes ? NULL : va_map_host(mapped, c->gpu->address_bits);
	if (!memory)
		return context_leave(c, refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
					       "the host has no %llu bytes", (ull)bytes));
	r = import(c, SOV_HOST(memory), bytes, &b);
	if (r) {
		munmap(memory, mapped);
		return context_leave(c, r);
	}
	b->mapping = true;
	*pointer = memory;
	return context_leave(c, SOV_OK);
}

static sov_result check_registered(struct context *c, uint64_t address, uint64_t bytes)
{
	uint64_t page = c->device->info.import_page_bytes, start = address & ~(page - 1);
	uint64_t end = address + bytes > UINT64_MAX - page
			       ? UINT64_MAX
			       : (address + bytes + page - 1) & ~(page - 1);
	const struct buffer *met;

	if (address + bytes < address || va_reserved(address) || va_reserved(address + bytes - 1))
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "pointer 0x%llx and %llu bytes are no host memory", (ull)address,
			      (ull)bytes);
	met = memory_meeting(c, start, end);
	if (met)
		return refuse(
			SOV_ERROR_INVALID_ARGUMENT,
			"pointer 0x%llx and %llu bytes share a page with %llu bytes at 0x%llx "
			"that are pinned already; register both at once, or in pages of their "
			"own",
			(ull)address, (ull)bytes, (ull)met->bytes, (ull)memory_start(met));
	if (!writable(start, end - start))
		return refuse(
			SOV_ERROR_INVALID_ADDRESS,
			"pointer 0x%llx and %llu bytes are not all memory that the process can "
			"write to",
			(ull)address, (ull)bytes);
	return SOV_OK;
}

sov_result sov_host_register(sov_context context, void *pointer, uint64_t bytes)
{
	struct context *c;
	struct buffer *b;
	sov_result r;

	if (!pointer || !bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      pointer ? "bytes is 0" : "pointer is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = check_registered(c, SOV_HOST(pointer), bytes);
	if (!r)
		r = import(c, SOV_HOST(pointer), bytes, &b);
	return context_leave(c, r);
}

/* Both ways to give it back; each takes only what came the same way. */
static sov_result give_back(sov_context context, void *pointer, bool mapping)
{
	uint64_t address = SOV_HOST(pointer);
	struct context *c;
	struct buffer *b;
	sov_result r;

	c = context_enter_failed(context, &r);
	if (!c)
		return r;
	b = memory_holding(c, address, 1);
	if (!b || !b->host)
		r = refuse(SOV_ERROR_INVALID_ADDRESS,
			   "pointer 0x%llx is no pinned host memory of this context", (ull)address);
	else if (memory_start(b) != address)
		r = refuse(
			SOV_ERROR_INVALID_ADDRESS,
			"pointer 0x%llx lies %llu bytes inside its memory, which begins at 0x%llx",
			(ull)address, (ull)(address - memory_start(b)), (ull)memory_start(b));
	else if (b->mapping != mapping)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   mapping ? "0x%llx was registered; use sov_host_unregister"
				   : "0x%llx came from sov_host_alloc; use sov_host_free",
			   (ull)address);
	else
		r = memory_give_back(c, b);
	return context_leave(c, r);
}

sov_result sov_host_free(sov_context context, void *pointer)
{
	return give_back(context, pointer, true);
}

sov_result sov_host_unregister(sov_context context, void *pointer)
{
	return give_back(context, pointer, false);
}
