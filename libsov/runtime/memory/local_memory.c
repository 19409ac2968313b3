// SPDX-License-Identifier: MIT
/*
 * Local memory: the threads' stacks and spilled registers. The hardware divides one area among all
 * threads that can be resident, so the area must exist before the first launch that uses it; its
 * size is the largest so far of the per-thread size times the threads of the whole GPU, or of the
 * grid where the vendor's layout counts those. A context has one area. Where queues divide it
 * independently of each other (local_in_launch), each stream has a part of it.
 *
 * Running kernels use the area. Where a queue is told of it, it is replaced when all streams are
 * idle; CUDA does the same. Where each launch names it, a larger area does not wait for kernels,
 * which may wait for work that the launching thread has yet to submit: the old one is retired, and
 * freed when all streams are idle and the area grows again, or memory is short.
 */
#include <stdlib.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/memory/local_memory.h"

struct local_request {
	const char *kernel;
	uint32_t local_bytes;
	uint64_t bytes;        /* of all threads of the grid */
	struct gpu_local need; /* per queue */
	uint32_t stream_index;
	uint32_t queues;
};

struct local_area { /* that kernels may still use */
	struct local_area *next;
	struct buffer *buffer;
};

static sov_result set_too_large_error(const struct context *c, const struct local_request *q,
				      uint64_t bytes)
{
	return set_error(
		SOV_ERROR_OUT_OF_MEMORY,
		"kernel '%s' needs %u bytes of local memory per thread: %llu bytes for all "
		"threads that %s can hold, and it has %llu in all",
		DEMANGLED(q->kernel), q->local_bytes, (unsigned long long)bytes,
		c->device->properties.name, (unsigned long long)c->device->info.memory_bytes);
}

static void free_retired(struct context *c)
{
	struct local_area *a;

	while ((a = c->local.retired)) {
		c->local.retired = a->next;
		buffer_destroy(c, a->buffer);
		free(a);
	}
}

static sov_result local_allocate(struct context *c, const struct local_request *q,
				 struct buffer **area)
{
	uint64_t bytes = q->need.bytes;

	if (bytes > c->device->info.memory_bytes / q->queues)
		return set_too_large_error(c, q, bytes * q->queues);
	return buffer_create(c, WINSYS_VRAM, false, bytes * q->queues, area);
}

static void local_set(struct context *c, const struct local_request *q, struct buffer *area)
{
	struct local_memory *l = &c->local;

	l->area = area;
	l->per_queue = q->need;
	l->per_queue.address = area->va;
	l->queues = q->queues;
	l->serial++;
}

/* With the lock held and all streams quiesced and idle. Frees the old area first: both may not
 * fit. */
static sov_result local_replace(struct context *c, void *arg)
{
	const struct local_request *q = arg;
	struct local_memory *l = &c->local;
	struct buffer *area;
	sov_result r;

	free_retired(c);
	if (l->area)
		buffer_destroy(c, l->area);
	l->area = NULL;
	l->per_queue = (struct gpu_local){0};
	r = local_allocate(c, q, &area);
	if (!r)
		local_set(c, q, area);
	return r;
}

/* With the lock held and all streams quiesced. */
static sov_result local_retire(struct context *c, void *arg)
{
	const struct local_request *q = arg;
	struct local_memory *l = &c->local;
	struct local_area *old;
	struct buffer *area;
	sov_result r;

	if (context_idle(c))
		return local_replace(c, arg);
	old = calloc(1, sizeof(*old));
	if (!old)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a kernel");
	r = local_allocate(c, q, &area);
	if (r) {
		free(old);
		return r;
	}
	if (l->area) {
		*old = (struct local_area){l->retired, l->area};
		l->retired = old;
	} else {
		free(old);
	}
	local_set(c, q, area);
	return SOV_OK;
}

/* Never shrinks the per-thread size, the size or the queue count. */
static bool local_needed(struct context *c, void *arg)
{
	const struct gpu_local *had = &c->local.per_queue;
	struct local_request *q = arg;

	q->need = c->gpu->local_layout(c->chip, max_u32(q->local_bytes, had->thread_bytes), 1, 1);
	q->need.bytes = max_u64(max_u64(q->need.bytes, q->bytes), had->bytes);
	q->queues = max_u32(1, c->local.queues);
	if (c->gpu->local_in_launch)
		q->queues = max_u32(max_u32(q->stream_index + 1, q->queues),
				    atomic_load(&c->stream_count));
	return q->need.thread_bytes > c->local.per_queue.thread_bytes ||
	       q->need.bytes > c->local.per_queue.bytes || q->queues > c->local.queues;
}

uint64_t local_grid_bytes(const struct context *c, uint32_t local_bytes, const uint32_t grid[3],
			  const uint32_t block[3])
{
	return c->gpu
		->local_layout(c->chip, local_bytes, (uint64_t)grid[0] * grid[1] * grid[2],
			       block[0] * block[1] * block[2])
		.bytes;
}

bool local_suffices(const struct context *c, uint32_t stream_index, uint32_t local_bytes,
		    uint64_t bytes)
{
	return local_bytes <= c->local.per_queue.thread_bytes &&
	       bytes <= c->local.per_queue.bytes &&
	       (!c->gpu->local_in_launch || stream_index < c->local.queues);
}

struct gpu_local local_of(const struct context *c, uint32_t stream_index)
{
	struct gpu_local l = c->local.per_queue;

	if (c->gpu->local_in_launch)
		l.address += stream_index * l.bytes;
	return l;
}

sov_result local_reserve(struct context *c, uint32_t stream_index, const char *kernel,
			 uint32_t local_bytes, uint64_t bytes)
{
	struct local_request q = {.kernel = kernel,
				  .local_bytes = local_bytes,
				  .bytes = bytes,
				  .stream_index = stream_index};
	sov_result r = SOV_OK;

	if (c->gpu->local_in_launch)
		r = context_pause(c, local_needed, local_retire, &q);
	/* The old area and the new one may not fit at the same time. */
	if (!c->gpu->local_in_launch || r == SOV_ERROR_OUT_OF_MEMORY)
		r = context_settle(c, local_needed, local_replace, &q);
	return r;
}

/* All launches that named a retired area are complete when all work is: later ones name another. */
static bool local_give_back(struct context *c)
{
	if (!c->local.retired || !context_idle(c))
		return false;
	free_retired(c);
	return true;
}

static void local_destroy(struct context *c)
{
	free_retired(c);
	if (c->local.area)
		buffer_destroy(c, c->local.area);
}

const struct context_part local_memory_part = {
	.give_memory_back = local_give_back,
	.destroy = local_destroy,
};
