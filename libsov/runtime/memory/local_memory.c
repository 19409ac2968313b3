// SPDX-License-Identifier: MIT
/*
 * Local memory: the threads' stacks and spilled registers. The hardware divides one area among all
 * threads that can be resident, so the area must exist before the first launch that uses it; its
 * size is the largest so far of the per-thread size times the threads of the whole GPU, or of the
 * grid where the vendor's layout counts those. A context has one area. Where queues divide it
 * independently of each other (local_in_launch), each stream has a part of it. To replace the area
 * by a larger one, all streams have to be idle, because running kernels use the old one; CUDA does
 * the same.
 */
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/memory/local_memory.h"

struct local_request {
	const char *kernel;
	uint32_t local_bytes;
	struct gpu_local need; /* per queue */
	uint32_t queues;
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

/* With the lock held and all streams quiesced and idle. Frees the old area first: both may not
 * fit. */
static sov_result local_replace(struct context *c, void *arg)
{
	const struct local_request *q = arg;
	const struct gpu_local *need = &q->need;
	uint32_t queues = q->queues;
	struct local_memory *l = &c->local;
	sov_result r;

	if (need->bytes > c->device->info.memory_bytes / queues)
		return set_too_large_error(c, q, need->bytes * queues);
	if (l->area)
		buffer_destroy(c, l->area);
	l->area = NULL;
	l->per_queue = (struct gpu_local){0};
	r = buffer_create(c, WINSYS_VRAM, false, need->bytes * queues, &l->area);
	if (r)
		return r;
	l->per_queue = *need;
	l->per_queue.address = l->area->va;
	l->queues = queues;
	l->serial++;
	return SOV_OK;
}

static bool local_needed(struct context *c, void *arg)
{
	const struct local_request *q = arg;

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

/* Never shrinks the per-thread size, the size or the queue count. */
sov_result local_reserve(struct context *c, uint32_t stream_index, const char *kernel,
			 uint32_t local_bytes, uint64_t bytes)
{
	struct local_request q = {.kernel = kernel, .local_bytes = local_bytes, .queues = 1};
	struct gpu_local had;
	uint32_t queues;

	pthread_mutex_lock(&c->lock);
	had = c->local.per_queue;
	queues = c->local.queues;
	pthread_mutex_unlock(&c->lock);
	q.need = c->gpu->local_layout(c->chip, max_u32(local_bytes, had.thread_bytes), 1, 1);
	q.need.bytes = max_u64(max_u64(q.need.bytes, bytes), had.bytes);
	if (c->gpu->local_in_launch)
		q.queues =
			max_u32(max_u32(stream_index + 1, queues), atomic_load(&c->stream_count));
	return context_settle(c, local_needed, local_replace, &q);
}

static void local_destroy(struct context *c)
{
	if (c->local.area)
		buffer_destroy(c, c->local.area);
}

const struct context_part local_memory_part = {.destroy = local_destroy};
