// SPDX-License-Identifier: MIT
/*
 * The context's memory pool: stream-ordered allocation without waiting, and mostly without system
 * calls. Freed blocks stay in the pool. The stream that freed a block may reuse it immediately,
 * because its later work executes later; other streams may when the work before the free is
 * complete.
 *
 * Small blocks are parts of segments, large blocks are separate buffers. Sizes are rounded up to
 * eight steps per power of two (large blocks: thirty-two), so that freed blocks fit later requests.
 * If no block fits, free small blocks are merged back into their segments. Large blocks are
 * separate because, with fifty of up to 10 MiB in use, parts of segments would hold a quarter more
 * memory than that after a trim (simulated), separate buffers a twentieth. Free large blocks are
 * limited to a sixteenth of the memory in use, at least 8 MiB; to twice that while the GPU still
 * uses them. The context's lock guards everything here.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/range.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/buffer_cache.h"
#include "libsov/runtime/memory/checked_memory.h"
#include "libsov/runtime/stream/pool.h"
#include "libsov/runtime/stream/stream.h"

typedef unsigned long long ull;

#define POOL_UNIT         UINT64_C(256) /* alignment of addresses */
#define LARGE_BYTES       (UINT64_C(1) << 20)
#define LARGE_UNIT        (UINT64_C(64) << 10)
#define SEGMENT_BYTES     (UINT64_C(4) << 20)
#define MAX_SEGMENT_BYTES (UINT64_C(128) << 20)
#define MIN_FREE_LARGE    (UINT64_C(8) << 20) /* free large blocks that are always kept */
#define MAX_SEARCH        32                  /* blocks of one size to search */

#define POOL_SIZES 40

struct pool {
	struct pool_segment *segments;
	struct list_head free_blocks[POOL_SIZES];         /* by size, the youngest last */
	struct list_head by_age;                          /* the same blocks, the oldest first */
	uint64_t used, held, peak_used, peak_held, limit; /* bytes; limit 0: none */
	uint64_t free_bytes, free_large_bytes, small_held;
	uint64_t allocations, backings;
};

struct pool_segment {
	struct pool_segment *next;
	struct buffer *buffer;
	struct ranges free;
};

static struct buffer *block_of(struct list_head *l)
{
	return container_of(l, struct buffer, chunk);
}

static sov_result pool_create(struct context *c)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a pool");
	c->pool = p;
	for (uint32_t i = 0; i < POOL_SIZES; i++)
		list_init(&p->free_blocks[i]);
	list_init(&p->by_age);
	return SOV_OK;
}

/* ---- sizes ---- */

/* Rounds up to 2^-steps of the power of two below, and to a multiple of unit. */
static uint64_t pool_round_size(uint64_t bytes, uint64_t unit, uint32_t steps)
{
	uint64_t step = bytes >> steps ? UINT64_C(1) << (63 - __builtin_clzll(bytes >> steps)) : 1;

	if (step < unit)
		step = unit;
	return (bytes + step - 1) & ~(step - 1);
}

static uint32_t pool_list_index(uint64_t size)
{
	uint32_t power = 63 - (uint32_t)__builtin_clzll(size / POOL_UNIT);

	return power < POOL_SIZES ? power : POOL_SIZES - 1;
}

/* ---- free blocks ---- */

/* All work that used the block is complete, or precedes later work on stream s. */
static bool block_is_usable(struct context *c, const struct buffer *b, const struct stream *s)
{
	struct list_head *l;

	if (s && s->serial == b->free_stream)
		return true;
	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *other = container_of(l, struct stream, member.link);

		if (other->serial == b->free_stream)
			return stream_poll(other) >= b->free_seqno;
	}
	return true; /* the stream was destroyed, hence idle */
}

static void block_remove(struct pool *p, struct buffer *b)
{
	list_del(&b->chunk);
	list_del(&b->age);
	p->free_bytes -= b->mapped;
	if (!b->segment)
		p->free_large_bytes -= b->mapped;
}

static void block_add(struct pool *p, struct buffer *b)
{
	list_add_tail(&p->free_blocks[pool_list_index(b->mapped)], &b->chunk);
	list_add_tail(&p->by_age, &b->age);
	p->free_bytes += b->mapped;
	if (!b->segment)
		p->free_large_bytes += b->mapped;
}

/* Finds a free block that is at most a sixteenth larger. */
static struct buffer *block_find(struct context *c, const struct stream *s, uint64_t size)
{
	struct list_head *head = &c->pool->free_blocks[pool_list_index(size)], *l;
	uint32_t searched = 0;

	for (l = head->previous; l != head && searched < MAX_SEARCH; l = l->previous, searched++) {
		struct buffer *b = block_of(l);

		if (b->mapped >= size && b->mapped - size <= size / 16 &&
		    !b->segment == (size >= LARGE_BYTES) && block_is_usable(c, b, s))
			return b;
	}
	return NULL;
}

static void block_destroy_large(struct context *c, struct buffer *b)
{
	block_remove(c->pool, b);
	c->pool->held -= b->mapped;
	buffer_destroy(c, b);
}

/* Frees the oldest large blocks until at most max_bytes of them are free. */
static void pool_shrink_large(struct context *c, uint64_t max_bytes)
{
	struct list_head *l = c->pool->by_age.next, *next;

	for (; l != &c->pool->by_age && c->pool->free_large_bytes > max_bytes; l = next) {
		struct buffer *b = container_of(l, struct buffer, age);

		next = l->next;
		if (!b->segment && block_is_usable(c, b, NULL))
			block_destroy_large(c, b);
	}
}

/* Merges free small blocks into their segments. */
static void pool_merge_small(struct context *c)
{
	struct list_head *l = c->pool->by_age.next, *next;

	for (; l != &c->pool->by_age; l = next) {
		struct buffer *b = container_of(l, struct buffer, age);

		next = l->next;
		if (!b->segment || !block_is_usable(c, b, NULL))
			continue;
		block_remove(c->pool, b);
		ranges_give(&b->segment->free, b->va, b->mapped);
		free(b);
	}
}

static void segment_destroy(struct context *c, struct pool_segment *g)
{
	c->pool->held -= g->buffer->mapped;
	c->pool->small_held -= g->buffer->mapped;
	check_parent_destroyed(c, g->buffer);
	ranges_fini(&g->free);
	buffer_destroy(c, g->buffer);
	free(g);
}

static void pool_shrink_segments(struct context *c, uint64_t keep)
{
	struct pool_segment **p = &c->pool->segments, *g;

	pool_merge_small(c);
	while ((g = *p)) {
		if (g->free.free_bytes == g->buffer->mapped && c->pool->held > keep) {
			*p = g->next;
			segment_destroy(c, g);
		} else {
			p = &g->next;
		}
	}
}

static void pool_trim(struct context *c, uint64_t keep)
{
	uint64_t over = c->pool->held > keep ? c->pool->held - keep : 0;

	pool_shrink_large(c,
			  over < c->pool->free_large_bytes ? c->pool->free_large_bytes - over : 0);
	pool_shrink_segments(c, keep);
}

/* ---- allocating device memory ---- */

static uint64_t max_free_large(const struct pool *p)
{
	return p->used / 16 > MIN_FREE_LARGE ? p->used / 16 : MIN_FREE_LARGE;
}

/* The oldest free large block; NULL: none. */
static struct buffer *pool_oldest_large(struct context *c)
{
	struct list_head *l;

	for (l = c->pool->by_age.next; l != &c->pool->by_age; l = l->next) {
		struct buffer *b = container_of(l, struct buffer, age);

		if (!b->segment)
			return b;
	}
	return NULL;
}

static bool pool_oldest_usable(void *arg)
{
	struct context *c = arg;
	struct buffer *b = pool_oldest_large(c);

	return !b || block_is_usable(c, b, NULL);
}

/* Called before the pool allocates device memory. Waits if too much freed memory is still in
 * use. */
static sov_result pool_make_room(struct context *c)
{
	struct pool *p = c->pool;
	sov_result r = SOV_OK;

	if (p->free_large_bytes > max_free_large(p))
		pool_shrink_large(c, max_free_large(p));
	while (!r && p->free_large_bytes > 2 * max_free_large(p)) {
		r = context_block(c, pool_oldest_usable, c, SOV_FOREVER);
		if (!r)
			pool_shrink_large(c, max_free_large(p));
	}
	return r;
}

static sov_result pool_grow(struct context *c, uint64_t bytes, uint64_t page, struct buffer **out)
{
	struct pool *p = c->pool;
	sov_result r = pool_make_room(c);

	if (r)
		return r;
	if (p->limit && (bytes > p->limit || p->held > p->limit - bytes))
		pool_trim(c, p->limit > bytes ? p->limit - bytes : 0);
	if (p->limit && (bytes > p->limit || p->held > p->limit - bytes))
		return set_error(
			SOV_ERROR_OUT_OF_MEMORY,
			"the pool holds %llu bytes, and %llu more are over its limit of %llu",
			(ull)p->held, (ull)bytes, (ull)p->limit);
	r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	if (r == SOV_ERROR_OUT_OF_MEMORY && p->held > p->used) {
		/* Free blocks may be the memory that is missing. */
		pool_trim(c, 0);
		r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	}
	if (r == SOV_ERROR_OUT_OF_MEMORY && p->free_bytes) {
		sov_result drained = context_drain(c, SOV_FOREVER);

		if (drained)
			return drained;
		pool_trim(c, 0);
		r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	}
	if (r)
		return r;
	p->held += (*out)->mapped;
	p->backings++;
	return SOV_OK;
}

static sov_result pool_add_segment(struct context *c)
{
	struct pool_segment *g = calloc(1, sizeof(*g));
	uint64_t bytes = pool_round_size(c->pool->small_held / 2, SEGMENT_BYTES, 0);
	sov_result r;

	if (!g)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a pool");
	if (bytes < SEGMENT_BYTES)
		bytes = SEGMENT_BYTES;
	if (bytes > MAX_SEGMENT_BYTES)
		bytes = MAX_SEGMENT_BYTES;
	r = pool_grow(c, bytes, c->device->info.large_page_bytes, &g->buffer);
	if (r == SOV_ERROR_OUT_OF_MEMORY)
		r = pool_grow(c, LARGE_BYTES, c->device->info.page_bytes, &g->buffer);
	if (!r && !ranges_add(&g->free, g->buffer->va, g->buffer->mapped)) {
		c->pool->held -= g->buffer->mapped;
		buffer_destroy(c, g->buffer);
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a pool");
	}
	if (r) {
		free(g);
		return r;
	}
	check_parent_created(c, g->buffer);
	c->pool->small_held += g->buffer->mapped;
	g->next = c->pool->segments;
	c->pool->segments = g;
	return SOV_OK;
}

static bool block_take_small(struct context *c, uint64_t size, struct buffer *b)
{
	struct pool_segment *g;

	for (g = c->pool->segments; g; g = g->next)
		if (ranges_take(&g->free, size, POOL_UNIT, &b->va)) {
			b->segment = g;
			b->mapped = size;
			return true;
		}
	return false;
}

static sov_result block_new_small(struct context *c, uint64_t size, struct buffer **out)
{
	struct buffer *b = calloc(1, sizeof(*b));
	sov_result r = SOV_OK;

	if (!b)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	if (!block_take_small(c, size, b)) {
		pool_merge_small(c);
		while (!r && !block_take_small(c, size, b))
			r = pool_add_segment(c);
	}
	if (r)
		free(b);
	else
		*out = b;
	return r;
}

static sov_result block_new_large(struct context *c, uint64_t size, struct buffer **out)
{
	uint64_t large = c->device->info.large_page_bytes;
	bool fits = size % large == 0;

	return pool_grow(c, size, fits ? large : c->device->info.page_bytes, out);
}

/* ---- allocating and freeing ---- */

static const struct buffer_ops pool_buffer_ops;

static sov_result pool_allocate(struct context *c, struct stream *s, uint64_t bytes,
				struct buffer **out)
{
	uint64_t need = bytes + c->device->info.redzone_bytes;
	uint64_t size = need < LARGE_BYTES ? pool_round_size(need, POOL_UNIT, 3)
					   : pool_round_size(need, LARGE_UNIT, 5);
	sov_result r = SOV_OK;

	if (size < bytes || size > c->device->info.memory_bytes)
		return set_error(SOV_ERROR_OUT_OF_MEMORY, "%s has no %llu bytes",
				 c->device->properties.name, (ull)bytes);
	*out = block_find(c, s, size);
	if (*out)
		block_remove(c->pool, *out);
	else
		r = size < LARGE_BYTES ? block_new_small(c, size, out)
				       : block_new_large(c, size, out);
	if (r)
		return r;
	(*out)->pooled = true;
	(*out)->ops = &pool_buffer_ops;
	(*out)->bytes = bytes;
	c->pool->used += bytes;
	c->pool->allocations++;
	if (c->pool->used > c->pool->peak_used)
		c->pool->peak_used = c->pool->used;
	if (c->pool->held > c->pool->peak_held)
		c->pool->peak_held = c->pool->held;
	return SOV_OK;
}

/* Enters the stream's context; member_leave leaves it. A captured graph runs later, and more than
 * once: allocations at capture time are useless to it. */
static struct stream *pool_enter(sov_stream stream, sov_result *r)
{
	struct stream *s = member_enter(stream, OBJECT_STREAM, r);

	if (!s || !stream_captured(s))
		return s;
	*r = member_leave(s,
			  set_error(SOV_ERROR_UNSUPPORTED, "the stream is captured into a graph: "
							   "allocate and free outside of it"));
	return NULL;
}

/* Puts a block into the free lists; work submitted to the stream so far may still use it. */
static void pool_keep(struct context *c, struct buffer *b, const struct stream *s)
{
	struct pool *p = c->pool;

	p->used -= b->bytes;
	b->free_stream = s ? s->serial : 0;
	b->free_seqno = s ? stream_last(s) : 0;
	block_add(p, b);
	if (p->free_large_bytes > max_free_large(p))
		pool_shrink_large(c, max_free_large(p));
}

sov_result api_memory_alloc_async(sov_stream stream, uint64_t bytes, sov_ptr *address)
{
	struct buffer *b;
	struct stream *s;
	struct context *c;
	sov_result r;

	if (!address || !bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 address ? "bytes is 0" : "address is NULL");
	s = pool_enter(stream, &r);
	if (!s)
		return r;
	c = s->member.context;
	r = pool_allocate(c, s, bytes, &b);
	/* pool_allocate may have released the context's lock, so the table entry is reserved after
	 * it. */
	if (!r) {
		r = allocation_reserve_entry(c);
		if (r)
			pool_keep(c, b, s);
	}
	if (!r) {
		allocation_insert(c, b);
		*address = b->va;
		LOG(MEMORY, DEBUG, "%llu bytes of the pool at 0x%llx", (ull)bytes, (ull)b->va);
	}
	return member_leave(s, r);
}

static void pool_release(struct context *c, struct buffer *b, const struct stream *s)
{
	LOG(MEMORY, DEBUG, "%llu bytes at 0x%llx back to the pool", (ull)b->bytes, (ull)b->va);
	allocation_remove(c, b);
	pool_keep(c, b, s);
}

/* Where programs are checked, a block is freed for all streams at once, so its work comes first.
 * Nothing else frees the block while the thread waits without the lock. */
static sov_result pool_drain_checked(struct context *c, struct buffer *b)
{
	sov_result r;

	if (!c->device->info.checks)
		return SOV_OK;
	b->pins++;
	r = context_drain(c, SOV_FOREVER);
	b->pins--;
	return r;
}

sov_result api_memory_free_async(sov_stream stream, sov_ptr address)
{
	sov_result r;
	struct stream *s = pool_enter(stream, &r);
	struct buffer *b;

	if (!s)
		return r;
	b = allocation_find(s->member.context, "address", address, 1);
	if (!b)
		r = SOV_ERROR_INVALID_ADDRESS;
	else if (!b->pooled)
		r = set_error(
			SOV_ERROR_INVALID_ADDRESS,
			"address 0x%llx was not allocated by sov_memory_alloc_async; use sov_%s",
			(ull)address, b->host ? "host_free" : "memory_free");
	else if (b->va != address)
		r = set_error(SOV_ERROR_INVALID_ADDRESS,
			      "address 0x%llx lies %llu bytes inside its allocation; free 0x%llx",
			      (ull)address, (ull)(address - b->va), (ull)b->va);
	else if (b->pins)
		r = set_error(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
			      (ull)address);
	else
		r = pool_drain_checked(s->member.context, b);
	if (!r)
		pool_release(s->member.context, b, s);
	return member_leave(s, r);
}

/* The GPU has finished with the block: no stream has to be waited for. */
static void pool_buffer_free(struct context *c, struct buffer *b)
{
	pool_release(c, b, NULL);
}

static void pool_buffer_destroy(struct context *c, struct buffer *b)
{
	if (b->segment)
		free(b);
	else
		buffer_destroy(c, b);
}

static const struct buffer_ops pool_buffer_ops = {
	.free = pool_buffer_free,
	.destroy = pool_buffer_destroy,
};

sov_result api_pool_trim(sov_context context, uint64_t keep_bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	buffer_cache_empty(c);
	pool_trim(c, keep_bytes);
	return context_leave(c, SOV_OK);
}

sov_result api_pool_set_limit(sov_context context, uint64_t bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	c->pool->limit = bytes;
	return context_leave(c, SOV_OK);
}

sov_result api_pool_get_statistics(sov_context context, sov_pool_statistics *statistics)
{
	sov_pool_statistics t = SOV_INIT(sov_pool_statistics);
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	t.used_bytes = c->pool->used;
	t.held_bytes = c->pool->held;
	t.peak_used_bytes = c->pool->peak_used;
	t.peak_held_bytes = c->pool->peak_held;
	t.limit_bytes = c->pool->limit;
	t.allocations = c->pool->allocations;
	t.backing_allocations = c->pool->backings;
	return context_leave(c, struct_out("sov_pool_statistics", statistics, &t, sizeof(t)));
}

/* The allocations were freed before. */
static void pool_destroy(struct context *c)
{
	struct pool_segment *g;
	struct list_head *l, *next;

	if (!c->pool)
		return;
	for (l = c->pool->by_age.next; l != &c->pool->by_age; l = next) {
		struct buffer *b = container_of(l, struct buffer, age);

		next = l->next;
		pool_buffer_destroy(c, b);
	}
	while ((g = c->pool->segments)) {
		c->pool->segments = g->next;
		segment_destroy(c, g);
	}
	free(c->pool);
}

/* The new group does not know the segments. */
static sov_result pool_restart(struct context *c)
{
	for (struct pool_segment *g = c->pool->segments; g; g = g->next)
		check_parent_created(c, g->buffer);
	return SOV_OK;
}

const struct context_part pool_part = {
	.create = pool_create,
	.restart = pool_restart,
	.destroy = pool_destroy,
};
