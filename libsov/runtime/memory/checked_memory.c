// SPDX-License-Identifier: MIT
/* Checked programs: the device learns of each allocation and of its end. Without host memory for
 * that, an allocation is not checked. */
#include "libsov/runtime/memory/checked_memory.h"
#include "libsov/runtime/memory/origin.h"

static bool is_checked(const struct context *c)
{
	return c->device->info.checks && c->group;
}

static void announce(struct context *c, const struct buffer *b, bool parts)
{
	struct winsys_allocation a = {
		.va = buffer_start(b),
		.bytes = b->bytes,
		.mapped = b->mapped - b->page_offset,
		.initialised = b->host || b->module || b->cpu || b->chunks || b->shared,
		.parts = parts,
	};

	if (!is_checked(c))
		return;
	origin_here(&a.origin);
	c->winsys->memory_allocated(c->group, &a);
}

static void retract(struct context *c, uint64_t va)
{
	struct winsys_origin origin;

	if (!is_checked(c))
		return;
	origin_here(&origin);
	c->winsys->memory_freed(c->group, va, &origin);
}

void check_allocated(struct context *c, const struct buffer *b)
{
	announce(c, b, false);
}

void check_freed(struct context *c, const struct buffer *b)
{
	retract(c, buffer_start(b));
}

void check_parent_created(struct context *c, const struct buffer *b)
{
	announce(c, b, true);
}

void check_parent_destroyed(struct context *c, const struct buffer *b)
{
	retract(c, b->va);
}

void check_mapped(struct context *c, const struct buffer *b)
{
	if (is_checked(c))
		c->winsys->memory_initialised(c->group, buffer_start(b));
}
