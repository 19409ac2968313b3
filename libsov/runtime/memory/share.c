// SPDX-License-Identifier: MIT
/*
 * Memory that processes share. A handle carries what the winsys needs to find the memory, and what
 * shows that it is the right device's: all of it comes from outside and is checked.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/checked_memory.h"

#define HANDLE_MAGIC UINT64_C(0x31656c646e6148) /* "Handle1" */

typedef unsigned long long ull;

/* The contents of a sov_memory_handle. */
struct handle {
	uint64_t magic;
	uint8_t uuid[16];
	uint64_t bytes, mapped;
	struct winsys_export where;
};
static_assert(sizeof(struct handle) == sizeof(sov_memory_handle), "a handle has no more bytes");

static sov_result share_check_winsys(const struct context *c)
{
	if (c->winsys->buffer_export && c->winsys->buffer_open)
		return SOV_OK;
	return set_error(SOV_ERROR_UNSUPPORTED,
			 "%s: %s has no call that shares memory between processes; software GPUs "
			 "have one",
			 c->device->properties.name, c->winsys->name);
}

static sov_result share_check_allocation(struct context *c, const struct buffer *b, sov_ptr address)
{
	if (b->host || b->ops || b->module || b->chunks || b->pooled || b->imported)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "address 0x%llx is not memory of sov_memory_alloc; only that can "
				 "be exported",
				 (ull)address);
	if (b->va != address)
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "address 0x%llx lies %llu bytes inside its allocation; export "
				 "0x%llx",
				 (ull)address, (ull)(address - b->va), (ull)b->va);
	return share_check_winsys(c);
}

/* Nothing frees the memory while the thread waits without the lock. */
static sov_result share_drain(struct context *c, struct buffer *b)
{
	sov_result r;

	b->pins++;
	r = context_drain(c, SOV_FOREVER);
	b->pins--;
	return r;
}

static sov_result share_export(struct context *c, struct buffer *b, sov_memory_handle *out)
{
	struct handle h = {.magic = HANDLE_MAGIC, .bytes = b->bytes, .mapped = b->mapped};
	const char *detail;
	sov_result r = b->shared ? SOV_OK : share_drain(c, b);
	int error;

	if (r)
		return r;
	error = c->winsys->buffer_export(b->backing, &h.where);
	if (error) {
		detail = winsys_take_error();
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "%llu bytes at 0x%llx cannot be shared: %s", (ull)b->bytes,
				 (ull)b->va, *detail ? detail : strerror(-error));
	}
	b->shared = true;
	check_mapped(c, b);
	device_get_uuid(c->device, h.uuid);
	memcpy(out, &h, sizeof(h));
	LOG(MEMORY, DEBUG, "exported %llu bytes at 0x%llx", (ull)b->bytes, (ull)b->va);
	return SOV_OK;
}

sov_result api_memory_export(sov_context context, sov_ptr address, sov_memory_handle *handle)
{
	struct context *c;
	struct buffer *b;
	sov_result r;

	if (!handle)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "handle is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	b = allocation_find(c, "address", address, 1);
	r = b ? share_check_allocation(c, b, address) : SOV_ERROR_INVALID_ADDRESS;
	if (!r)
		r = share_export(c, b, handle);
	return context_leave(c, r);
}

static sov_result share_check_handle(struct context *c, const struct handle *h)
{
	const struct winsys_info *i = &c->device->info;
	uint8_t uuid[16];
	sov_result r = share_check_winsys(c);

	if (r)
		return r;
	if (h->magic != HANDLE_MAGIC || !h->bytes || h->mapped < h->bytes ||
	    h->mapped % i->page_bytes || h->mapped - h->bytes >= i->large_page_bytes)
		return set_error(SOV_ERROR_INVALID_HANDLE,
				 "handle is not one that sov_memory_export returned");
	device_get_uuid(c->device, uuid);
	if (memcmp(uuid, h->uuid, sizeof(uuid)))
		return set_error(SOV_ERROR_INVALID_HANDLE,
				 "handle is of memory of another device than %s",
				 c->device->properties.name);
	if (h->where.process == (uint32_t)getpid())
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "handle is of this process's own memory; use its address");
	return SOV_OK;
}

static sov_result set_open_error(int error, const struct handle *h)
{
	if (error == -ESTALE)
		return set_error(SOV_ERROR_NOT_FOUND,
				 "handle is of memory that process %u has freed, or the process "
				 "has ended; export memory that exists",
				 h->where.process);
	return set_error(error == -ENOMEM ? SOV_ERROR_OUT_OF_HOST_MEMORY : SOV_ERROR_UNSUPPORTED,
			 "memory of process %u cannot be opened: %s", h->where.process,
			 strerror(-error));
}

/* Opens the memory and binds it at b->va. */
static sov_result share_bind(struct context *c, struct buffer *b, const struct handle *h)
{
	int error =
		c->winsys->buffer_open(c->device->winsys_device, &h->where, h->mapped, &b->backing);

	if (error)
		return set_open_error(error, h);
	error = c->winsys->bind(c->group, b->backing, b->va);
	if (!error)
		return SOV_OK;
	c->winsys->buffer_destroy(b->backing);
	return set_winsys_error(error, "binding a buffer");
}

static sov_result share_import(struct context *c, const struct handle *h, struct buffer **out)
{
	struct buffer *b = calloc(1, sizeof(*b));
	sov_result r;

	if (!b)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	b->bytes = h->bytes;
	b->mapped = h->mapped;
	b->shared = b->imported = true;
	if (!va_alloc(false, b->mapped, c->device->info.large_page_bytes, &b->va)) {
		free(b);
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "the process has no address space for %llu bytes", (ull)h->mapped);
	}
	r = share_bind(c, b, h);
	if (r) {
		va_free(false, b->va, b->mapped);
		free(b);
		return r;
	}
	list_add_tail(&c->buffers, &b->link);
	allocation_insert(c, b);
	*out = b;
	return SOV_OK;
}

sov_result api_memory_import(sov_context context, const sov_memory_handle *handle, sov_ptr *address,
			     uint64_t *bytes)
{
	struct context *c;
	struct buffer *b = NULL;
	struct handle h;
	sov_result r;

	if (!handle || !address)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL",
				 handle ? "address" : "handle");
	memcpy(&h, handle, sizeof(h));
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = share_check_handle(c, &h);
	if (!r)
		r = allocation_reserve_entry(c);
	if (!r)
		r = share_import(c, &h, &b);
	if (!r) {
		*address = b->va;
		if (bytes)
			*bytes = b->bytes;
		LOG(MEMORY, DEBUG, "imported %llu bytes at 0x%llx", (ull)b->bytes, (ull)b->va);
	}
	return context_leave(c, r);
}
