// SPDX-License-Identifier: MIT
/* Buffers: allocating memory and binding it in the context's address space. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/buffer.h"

static sov_result set_no_memory_error(struct context *c, enum winsys_placement where,
				      uint64_t bytes)
{
	uint64_t free_bytes, total;

	if (where == WINSYS_SYSTEM)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no %llu bytes of system memory for %s", (unsigned long long)bytes,
				 c->device->properties.name);
	c->winsys->memory_info(c->device->winsys_device, &free_bytes, &total);
	return set_error(SOV_ERROR_OUT_OF_MEMORY,
			 "%s has no %llu contiguous bytes; %llu of %llu are free",
			 c->device->properties.name, (unsigned long long)bytes,
			 (unsigned long long)free_bytes, (unsigned long long)total);
}

/* What contexts keep without using it may be what is missing. */
static bool give_memory_back(struct context *c)
{
	const struct context_part *const *p;
	bool any = false;

	for (p = c->parts; *p; p++)
		any |= (*p)->give_memory_back && (*p)->give_memory_back(c);
	return any;
}

/* Returns a negative errno, and in step what failed. */
static int buffer_try_bind(struct context *c, enum winsys_placement where, struct buffer *b,
			   const char **step)
{
	int error =
		c->winsys->buffer_create(c->device->winsys_device, where, b->mapped, &b->backing);

	*step = "creating a buffer";
	if (error)
		return error;
	*step = "binding a buffer";
	error = c->winsys->bind(c->group, b->backing, b->va);
	if (error)
		c->winsys->buffer_destroy(b->backing);
	return error;
}

/* Allocates the backing memory, which some kernel drivers do when it is bound, and binds it at
 * b->va. */
static sov_result buffer_bind_new(struct context *c, enum winsys_placement where, struct buffer *b)
{
	const char *step;
	int error = buffer_try_bind(c, where, b, &step);

	if (error == -ENOMEM && where == WINSYS_VRAM && give_memory_back(c))
		error = buffer_try_bind(c, where, b, &step);
	if (error)
		return error == -ENOMEM ? set_no_memory_error(c, where, b->bytes)
					: set_winsys_error(error, step);
	list_add_tail(&c->buffers, &b->link);
	return SOV_OK;
}

static struct buffer *buffer_new(struct context *c, enum winsys_placement where, uint64_t bytes,
				 uint64_t page, sov_result *r)
{
	uint64_t mapped = (bytes + page - 1) & ~(page - 1);
	struct buffer *b = NULL;

	if (mapped < bytes || mapped > c->device->info.memory_bytes) {
		*r = set_no_memory_error(c, where, bytes);
	} else {
		b = calloc(1, sizeof(*b));
		*r = b ? SOV_OK
		       : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	}
	if (b) {
		b->bytes = bytes;
		b->mapped = mapped;
	}
	return b;
}

static sov_result buffer_create_aligned(struct context *c, enum winsys_placement where, bool low,
					uint64_t bytes, uint64_t page, struct buffer **out)
{
	sov_result r;
	struct buffer *b = buffer_new(c, where, bytes, page, &r);

	if (!b)
		return r;
	b->low = low;
	/* 2 MiB less a byte are small, but their pages may be a large one. */
	if (where == WINSYS_VRAM && !(b->mapped % c->device->info.large_page_bytes))
		page = c->device->info.large_page_bytes;
	if (!va_alloc(low, b->mapped, page, &b->va)) {
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
			      "the process has no address space for %llu bytes%s",
			      (unsigned long long)b->mapped, low ? " below 2^40" : "");
		free(b);
		return r;
	}
	r = buffer_bind_new(c, where, b);
	if (r) {
		va_free(low, b->va, b->mapped);
		free(b);
		return r;
	}
	*out = b;
	return SOV_OK;
}

sov_result buffer_create(struct context *c, enum winsys_placement where, bool low, uint64_t bytes,
			 struct buffer **out)
{
	const struct winsys_info *i = &c->device->info;
	bool large = where == WINSYS_VRAM && bytes >= i->large_page_bytes;

	return buffer_create_aligned(c, where, low, bytes,
				     large ? i->large_page_bytes : i->page_bytes, out);
}

sov_result buffer_create_pages(struct context *c, enum winsys_placement where, uint64_t bytes,
			       uint64_t page, struct buffer **out)
{
	return buffer_create_aligned(c, where, false, bytes, page, out);
}

sov_result buffer_create_at(struct context *c, uint64_t bytes, uint64_t va, struct buffer **out)
{
	sov_result r;
	struct buffer *b = buffer_new(c, WINSYS_VRAM, bytes, c->device->info.large_page_bytes, &r);

	if (!b)
		return r;
	b->va = va;
	b->fixed_address = true;
	r = buffer_bind_new(c, WINSYS_VRAM, b);
	if (r)
		free(b);
	else
		*out = b;
	return r;
}

void buffer_destroy(struct context *c, struct buffer *b)
{
	list_del(&b->link);
	if (c->group)
		c->winsys->unbind(c->group, b->backing, b->va);
	c->winsys->buffer_destroy(b->backing);
	if (!b->host && !b->fixed_address)
		va_free(b->low, b->va, b->mapped);
	else if (b->host_mapping)
		munmap((void *)(uintptr_t)b->va, b->mapped);
	free(b);
}

sov_result buffer_map(struct context *c, struct buffer *b)
{
	const char *detail;

	if (!b->cpu)
		b->cpu = c->winsys->buffer_map(b->backing);
	detail = b->cpu ? "" : winsys_take_error();
	if (*detail)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "%s: %s; copy the memory, or use sov_host_alloc",
				 c->device->properties.name, detail);
	return b->cpu ? SOV_OK
		      : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				  "%s gave the CPU no mapping of %llu bytes of its memory",
				  c->device->properties.name, (unsigned long long)b->bytes);
}

sov_result buffer_create_mapped(struct context *c, enum winsys_placement where, bool low,
				uint64_t bytes, struct buffer **out)
{
	sov_result r;

	if (c->device->info.host_writes_to_system)
		where = WINSYS_SYSTEM;
	r = buffer_create(c, where, low, bytes, out);
	if (r)
		return r;
	r = buffer_map(c, *out);
	if (r) {
		buffer_destroy(c, *out);
		*out = NULL;
	}
	return r;
}

/* Binds all buffers in the new group. */
static sov_result buffers_restart(struct context *c)
{
	struct list_head *l;

	list_for_each(l, &c->buffers)
	{
		struct buffer *b = container_of(l, struct buffer, link);
		int error = c->winsys->bind(c->group, b->backing, b->va);

		if (error)
			return set_winsys_error(error, "binding a buffer");
	}
	return SOV_OK;
}

const struct context_part buffer_part = {.restart = buffers_restart};
