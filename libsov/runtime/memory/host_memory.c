// SPDX-License-Identifier: MIT
/*
 * Pinned host memory. Whole pages of the process are pinned and bound in the context's address
 * space at their host address: GPU addresses are reserved in the process, so that both never
 * collide and one address is valid on both sides. The context's table lists pinned memory together
 * with allocations.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"

#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

typedef unsigned long long ull;

/* Whether all pages of the range are mapped and writable. */
static bool range_is_writable(uint64_t start, uint64_t bytes)
{
	void *memory = (void *)(uintptr_t)start;
	unsigned char *resident;
	bool there;

	if (!madvise(memory, bytes, MADV_POPULATE_WRITE))
		return true;
	/* A kernel with MADV_POPULATE_WRITE has answered; for an older one, check at least that the
	 * range is mapped. */
	if (!madvise(memory, 0, MADV_POPULATE_WRITE))
		return false;
	resident = malloc(bytes / 4096 + 1);
	there = resident && !mincore(memory, bytes, resident);
	free(resident);
	return there;
}

/* Pins the pages of [address, address + bytes) and adds them to the table. */
static sov_result host_import(struct context *c, uint64_t address, uint64_t bytes,
			      struct buffer **out)
{
	uint64_t page = c->device->info.import_page_bytes, start = address & ~(page - 1);
	uint64_t mapped = (address + bytes - start + page - 1) & ~(page - 1);
	struct buffer *b;
	sov_result r = allocation_reserve_entry(c);
	const char *detail;
	int error;

	if (r)
		return r;
	if ((start + mapped - 1) >> c->gpu->address_bits ||
	    (c->gpu->trap_page && start + mapped > c->gpu->trap_page))
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "host memory at 0x%llx: %s reaches addresses of %u bits; let "
				 "sov_host_alloc choose",
				 (ull)address, c->device->properties.name, c->gpu->address_bits);
	b = calloc(1, sizeof(*b));
	if (!b)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	*b = (struct buffer){
		.va = start,
		.bytes = bytes,
		.mapped = mapped,
		.cpu = (void *)(uintptr_t)start,
		.host = true,
		.page_offset = (uint32_t)(address - start),
	};
	error = c->winsys->buffer_import(c->device->winsys_device, b->cpu, mapped, &b->backing);
	if (!error) {
		error = c->winsys->bind(c->group, b->backing, start);
		if (error)
			c->winsys->buffer_destroy(b->backing);
	}
	if (error) {
		free(b);
		detail = winsys_take_error();
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "%llu bytes of host memory at 0x%llx cannot be pinned for %s: %s",
				 (ull)bytes, (ull)address, c->device->properties.name,
				 *detail ? detail : strerror(-error));
	}
	list_add_tail(&c->buffers, &b->link);
	allocation_insert(c, b);
	LOG(MEMORY, DEBUG, "pinned %llu bytes at 0x%llx", (ull)bytes, (ull)address);
	*out = b;
	return SOV_OK;
}

/* Maps and pins new memory of the process. */
static sov_result host_create(struct context *c, uint64_t bytes, struct buffer **out)
{
	uint64_t page = c->device->info.import_page_bytes;
	uint64_t mapped = (bytes + page - 1) & ~(page - 1);
	void *memory = mapped < bytes ? NULL : va_map_host(mapped, c->gpu->address_bits);
	sov_result r;

	if (!memory)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "the host has no %llu bytes",
				 (ull)bytes);
	r = host_import(c, SOV_HOST(memory), bytes, out);
	if (r)
		munmap(memory, mapped);
	else
		(*out)->host_mapping = true;
	return r;
}

sov_result host_create_variables(struct context *c, uint64_t bytes, const struct module *m,
				 struct buffer **out)
{
	sov_result r = host_create(c, bytes, out);

	if (!r)
		(*out)->module = m;
	return r;
}

sov_result api_host_alloc(sov_context context, uint64_t bytes, void **pointer)
{
	struct context *c;
	struct buffer *b;
	sov_result r;

	if (!pointer || !bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 pointer ? "bytes is 0" : "pointer is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = host_create(c, bytes, &b);
	if (!r)
		*pointer = b->cpu;
	return context_leave(c, r);
}

static sov_result host_check_range(struct context *c, uint64_t address, uint64_t bytes)
{
	uint64_t page = c->device->info.import_page_bytes, start = address & ~(page - 1);
	uint64_t end = address + bytes > UINT64_MAX - page
			       ? UINT64_MAX
			       : (address + bytes + page - 1) & ~(page - 1);
	const struct buffer *overlapping;

	if (address + bytes < address || va_reserved(address) || va_reserved(address + bytes - 1))
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "pointer 0x%llx and %llu bytes are not host memory", (ull)address,
				 (ull)bytes);
	overlapping = allocation_overlapping(c, start, end);
	if (overlapping)
		return set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"pointer 0x%llx and %llu bytes share a page with %llu bytes at 0x%llx "
			"that are pinned already; register both in one call, or in separate pages",
			(ull)address, (ull)bytes, (ull)overlapping->bytes,
			(ull)buffer_start(overlapping));
	if (!range_is_writable(start, end - start))
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "pointer 0x%llx and %llu bytes are not all writable memory",
				 (ull)address, (ull)bytes);
	return SOV_OK;
}

sov_result api_host_register(sov_context context, void *pointer, uint64_t bytes)
{
	struct context *c;
	struct buffer *b;
	sov_result r;

	if (!pointer || !bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 pointer ? "bytes is 0" : "pointer is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = host_check_range(c, SOV_HOST(pointer), bytes);
	if (!r)
		r = host_import(c, SOV_HOST(pointer), bytes, &b);
	return context_leave(c, r);
}

/* mapping: allocated by sov_host_alloc, else pinned by sov_host_register. */
static sov_result host_unpin(sov_context context, void *pointer, bool mapping)
{
	uint64_t address = SOV_HOST(pointer);
	struct context *c;
	struct buffer *b;
	sov_result r;

	c = context_enter_failed(context, &r);
	if (!c)
		return r;
	b = allocation_containing(c, address, 1);
	if (!b || !b->host)
		r = set_error(SOV_ERROR_INVALID_ADDRESS,
			      "pointer 0x%llx is not pinned host memory of this context",
			      (ull)address);
	else if (buffer_start(b) != address)
		r = set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"pointer 0x%llx lies %llu bytes inside its memory, which begins at 0x%llx",
			(ull)address, (ull)(address - buffer_start(b)), (ull)buffer_start(b));
	else if (b->module)
		r = set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"pointer 0x%llx is a variable of a module; sov_module_unload frees it",
			(ull)address);
	else if (b->host_mapping != mapping)
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      mapping ? "0x%llx was registered; use sov_host_unregister"
				      : "0x%llx came from sov_host_alloc; use sov_host_free",
			      (ull)address);
	else
		r = allocation_free(c, b);
	return context_leave(c, r);
}

sov_result api_host_free(sov_context context, void *pointer)
{
	return host_unpin(context, pointer, true);
}

sov_result api_host_unregister(sov_context context, void *pointer)
{
	return host_unpin(context, pointer, false);
}
