/* SPDX-License-Identifier: MIT */
/*
 * The context's pool: memory that is allocated and freed in the order of a stream, without waiting
 * and mostly without asking the system. What is freed is kept. Its stream may have it back at once,
 * since what comes later on a stream runs later; others when the work before the free is done.
 *
 * Small blocks are parts of segments, large ones buffers of their own. Sizes are rounded up to eight
 * steps for each power of two (large: thirty-two), so that what is freed fits what is asked for
 * next. If nothing fits, small blocks go back to their segments, where neighbours become one again.
 * Large blocks are not parts of anything larger: with fifty of up to 10 MiB in use, parts of segments
 * would hold a quarter more than that after a trim (simulated), buffers of their own hold a twentieth.
 * Large blocks that wait for use are at most a sixteenth of what is in use, or 8 MiB; twice that while
 * the GPU still uses them. Everything here is guarded by the context's lock.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/range.h"
#include "libsov/runtime/runtime.h"

typedef unsigned long long ull;

#define UNIT         UINT64_C(256) /* what addresses are multiples of */
#define LARGE        (UINT64_C(1) << 20)
#define LARGE_UNIT   (UINT64_C(64) << 10)
#define SEGMENT      (UINT64_C(4) << 20)
#define MOST_SEGMENT (UINT64_C(128) << 20)
#define SPARE        (UINT64_C(8) << 20) /* large blocks that may wait for use however little is used */
#define LOOKS        32                  /* at blocks of one size that wait for use */

struct pool_segment {
	struct pool_segment *next;
	struct buffer *buffer;
	struct ranges free;
};

static struct buffer *block_of(struct link *l)
{
	return (struct buffer *)((char *)l - offsetof(struct buffer, waiting));
}

void pool_init(struct pool *p)
{
	for (uint32_t i = 0; i < POOL_SIZES; i++)
		list_init(&p->waiting[i]);
	list_init(&p->by_age);
}

/* ---- sizes ---- */

/* Up to a multiple of 2^-steps of the power of two below, at least of the unit. */
static uint64_t round_size(uint64_t bytes, uint64_t unit, uint32_t steps)
{
	uint64_t step = bytes >> steps ? UINT64_C(1) << (63 - __builtin_clzll(bytes >> steps)) : 1;

	if (step < unit)
		step = unit;
	return (bytes + step - 1) & ~(step - 1);
}

static uint32_t list_index(uint64_t size)
{
	uint32_t power = 63 - (uint32_t)__builtin_clzll(size / UNIT);

	return power < POOL_SIZES ? power : POOL_SIZES - 1;
}

/* ---- what waits for use ---- */

/* Everything that used it is done; s: or comes before what will be on this stream. */
static bool is_usable(struct context *c, const struct buffer *b, const struct stream *s)
{
	struct link *l;

	if (s && s->serial == b->free_stream)
		return true;
	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *other =
			(struct stream *)((char *)l - offsetof(struct stream, member.link));

		if (other->serial == b->free_stream)
			return stream_poll(other) >= b->free_number;
	}
	return true; /* the stream is gone, and was empty when it went */
}

static void take_out(struct pool *p, struct buffer *b)
{
	list_remove(&b->waiting);
	list_remove(&b->age);
	p->waiting_bytes -= b->mapped;
	if (!b->segment)
		p->waiting_large -= b->mapped;
}

static void put_in(struct pool *p, struct buffer *b)
{
	list_add(&p->waiting[list_index(b->mapped)], &b->waiting);
	list_add(&p->by_age, &b->age);
	p->waiting_bytes += b->mapped;
	if (!b->segment)
		p->waiting_large += b->mapped;
}

/* One of that size, or little larger. */
static struct buffer *find_waiting(struct context *c, const struct stream *s, uint64_t size)
{
	struct link *head = &c->pool.waiting[list_index(size)], *l;
	uint32_t looks = 0;

	for (l = head->previous; l != head && looks < LOOKS; l = l->previous, looks++) {
		struct buffer *b = block_of(l);

		if (b->mapped >= size && b->mapped - size <= size / 16 &&
		    !b->segment == (size >= LARGE) && is_usable(c, b, s))
			return b;
	}
	return NULL;
}

static void release_large(struct context *c, struct buffer *b)
{
	take_out(&c->pool, b);
	c->pool.held -= b->mapped;
	buffer_destroy(c, b);
}

/* Oldest first, until at most so much of it waits. */
static void shrink_large(struct context *c, uint64_t most)
{
	struct link *l = c->pool.by_age.next, *next;

	for (; l != &c->pool.by_age && c->pool.waiting_large > most; l = next) {
		struct buffer *b = (struct buffer *)((char *)l - offsetof(struct buffer, age));

		next = l->next;
		if (!b->segment && is_usable(c, b, NULL))
			release_large(c, b);
	}
}

/* Small blocks that nobody uses any more become parts of their segments. */
static void dissolve_small(struct context *c)
{
	struct link *l = c->pool.by_age.next, *next;

	for (; l != &c->pool.by_age; l = next) {
		struct buffer *b = (struct buffer *)((char *)l - offsetof(struct buffer, age));

		next = l->next;
		if (!b->segment || !is_usable(c, b, NULL))
			continue;
		take_out(&c->pool, b);
		ranges_give(&b->segment->free, b->va, b->mapped);
		free(b);
	}
}

static void drop_segment(struct context *c, struct pool_segment *g)
{
	c->pool.held -= g->buffer->mapped;
	c->pool.small_held -= g->buffer->mapped;
	ranges_fini(&g->free);
	buffer_destroy(c, g->buffer);
	free(g);
}

static void shrink_segments(struct context *c, uint64_t keep)
{
	struct pool_segment **p = &c->pool.segments, *g;

	dissolve_small(c);
	while ((g = *p)) {
		if (g->free.free_bytes == g->buffer->mapped && c->pool.held > keep) {
			*p = g->next;
			drop_segment(c, g);
		} else {
			p = &g->next;
		}
	}
}

static void trim(struct context *c, uint64_t keep)
{
	uint64_t over = c->pool.held > keep ? c->pool.held - keep : 0;

	shrink_large(c, over < c->pool.waiting_large ? c->pool.waiting_large - over : 0);
	shrink_segments(c, keep);
}

/* ---- more of it ---- */

static uint64_t most_waiting(const struct pool *p)
{
	return p->used / 16 > SPARE ? p->used / 16 : SPARE;
}

/* The oldest of the large blocks that wait for use; NULL: none. */
static struct buffer *oldest_large(struct context *c)
{
	struct link *l;

	for (l = c->pool.by_age.next; l != &c->pool.by_age; l = l->next) {
		struct buffer *b = (struct buffer *)((char *)l - offsetof(struct buffer, age));

		if (!b->segment)
			return b;
	}
	return NULL;
}

static bool oldest_usable(void *arg)
{
	struct context *c = arg;
	struct buffer *b = oldest_large(c);

	return !b || is_usable(c, b, NULL);
}

/* Before more is taken from the device. When very much is still in use by work that was submitted
 * before its free, that work is waited for. */
static sov_result make_room(struct context *c)
{
	struct pool *p = &c->pool;
	sov_result r = SOV_OK;

	if (p->waiting_large > most_waiting(p))
		shrink_large(c, most_waiting(p));
	while (!r && p->waiting_large > 2 * most_waiting(p)) {
		r = context_block(c, oldest_usable, c, SOV_MAX_WAIT);
		if (!r)
			shrink_large(c, most_waiting(p));
	}
	return r;
}

static sov_result grow(struct context *c, uint64_t bytes, uint64_t page, struct buffer **out)
{
	struct pool *p = &c->pool;
	sov_result r = make_room(c);

	if (r)
		return r;
	if (p->limit && (bytes > p->limit || p->held > p->limit - bytes))
		trim(c, p->limit > bytes ? p->limit - bytes : 0);
	if (p->limit && (bytes > p->limit || p->held > p->limit - bytes))
		return refuse(SOV_ERROR_OUT_OF_MEMORY,
			      "the pool holds %llu bytes, and %llu more are over its limit of %llu",
			      (ull)p->held, (ull)bytes, (ull)p->limit);
	r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	if (r == SOV_ERROR_OUT_OF_MEMORY && p->held > p->used) {
		/* What waits for use may be what is missing; what is still in use, if it must be. */
		trim(c, 0);
		r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	}
	if (r == SOV_ERROR_OUT_OF_MEMORY && p->waiting_bytes) {
		sov_result drained = context_drain(c, SOV_MAX_WAIT);

		if (drained)
			return drained;
		trim(c, 0);
		r = buffer_create_pages(c, WINSYS_VRAM, bytes, page, out);
	}
	if (r)
		return r;
	p->held += (*out)->mapped;
	p->backings++;
	return SOV_OK;
}

static sov_result add_segment(struct context *c)
{
	struct pool_segment *g = calloc(1, sizeof(*g));
	uint64_t bytes = round_size(c->pool.small_held / 2, SEGMENT, 0);
	sov_result r;

	if (!g)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a pool");
	if (bytes < SEGMENT)
		bytes = SEGMENT;
	if (bytes > MOST_SEGMENT)
		bytes = MOST_SEGMENT;
	r = grow(c, bytes, c->device->info.large_page_bytes, &g->buffer);
	if (r == SOV_ERROR_OUT_OF_MEMORY)
		r = grow(c, LARGE, c->device->info.page_bytes, &g->buffer);
	if (!r && !ranges_add(&g->free, g->buffer->va, g->buffer->mapped)) {
		c->pool.held -= g->buffer->mapped;
		buffer_destroy(c, g->buffer);
		r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a pool");
	}
	if (r) {
		free(g);
		return r;
	}
	c->pool.small_held += g->buffer->mapped;
	g->next = c->pool.segments;
	c->pool.segments = g;
	return SOV_OK;
}

static bool take_small(struct context *c, uint64_t size, struct buffer *b)
{
	struct pool_segment *g;

	for (g = c->pool.segments; g; g = g->next)
		if (ranges_take(&g->free, size, UNIT, &b->va)) {
			b->segment = g;
			b->mapped = size;
			return true;
		}
	return false;
}

static sov_result make_small(struct context *c, uint64_t size, struct buffer **out)
{
	struct buffer *b = calloc(1, sizeof(*b));
	sov_result r = SOV_OK;

	if (!b)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	if (!take_small(c, size, b)) {
		dissolve_small(c);
		while (!r && !take_small(c, size, b))
			r = add_segment(c);
	}
	if (r)
		free(b);
	else
		*out = b;
	return r;
}

static sov_result make_large(struct context *c, uint64_t size, struct buffer **out)
{
	uint64_t large = c->device->info.large_page_bytes;
	bool fits = size % large == 0;

	return grow(c, size, fits ? large : c->device->info.page_bytes, out);
}

/* ---- calls ---- */

static sov_result allocate(struct context *c, struct stream *s, uint64_t bytes, struct buffer **out)
{
	uint64_t size =
		bytes < LARGE ? round_size(bytes, UNIT, 3) : round_size(bytes, LARGE_UNIT, 5);
	sov_result r = SOV_OK;

	if (size < bytes || size > c->device->info.memory_bytes)
		return refuse(SOV_ERROR_OUT_OF_MEMORY, "%s has no %llu bytes",
			      c->device->properties.name, (ull)bytes);
	*out = find_waiting(c, s, size);
	if (*out)
		take_out(&c->pool, *out);
	else
		r = size < LARGE ? make_small(c, size, out) : make_large(c, size, out);
	if (r)
		return r;
	(*out)->pooled = true;
	(*out)->bytes = bytes;
	c->pool.used += bytes;
	c->pool.allocations++;
	if (c->pool.used > c->pool.most_used)
		c->pool.most_used = c->pool.used;
	if (c->pool.held > c->pool.most_held)
		c->pool.most_held = c->pool.held;
	return SOV_OK;
}

/* A stream, its context's lock held and no error in it; leave gives both back. A graph runs later,
 * and more than once: memory that comes and goes now is of no use to it. */
static struct stream *enter(sov_stream stream, sov_result *r)
{
	struct stream *s = member_enter(stream, OBJECT_STREAM, r);

	if (!s || !graph_capturing(s))
		return s;
	*r = member_leave(s, refuse(SOV_ERROR_UNSUPPORTED, "the stream is captured into a graph: "
							   "allocate and free outside of it"));
	return NULL;
}

/* What was submitted to the stream so far may use it. */
static void keep(struct context *c, struct buffer *b, const struct stream *s)
{
	struct pool *p = &c->pool;

	p->used -= b->bytes;
	b->free_stream = s ? s->serial : 0;
	b->free_number = s ? stream_last(s) : 0;
	put_in(p, b);
	if (p->waiting_large > most_waiting(p))
		shrink_large(c, most_waiting(p));
}

sov_result sov_memory_alloc_async(sov_stream stream, uint64_t bytes, sov_ptr *address)
{
	struct buffer *b;
	struct stream *s;
	struct context *c;
	sov_result r;

	if (!address || !bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      address ? "bytes is 0" : "address is NULL");
	s = enter(stream, &r);
	if (!s)
		return r;
	c = s->member.context;
	r = allocate(c, s, bytes, &b);
	/* Allocating may have waited with the context unlocked, so room is made afterwards. */
	if (!r) {
		r = memory_reserve(c);
		if (r)
			keep(c, b, s);
	}
	if (!r) {
		memory_insert(c, b);
		*address = b->va;
		LOG(MEMORY, DEBUG, "%llu bytes of the pool at 0x%llx", (ull)bytes, (ull)b->va);
	}
	return member_leave(s, r);
}

void pool_give_back(struct context *c, struct buffer *b, const struct stream *s)
{
	LOG(MEMORY, DEBUG, "%llu bytes at 0x%llx back to the pool", (ull)b->bytes, (ull)b->va);
	memory_forget(c, b);
	keep(c, b, s);
}

sov_result sov_memory_free_async(sov_stream stream, sov_ptr address)
{
	sov_result r;
	struct stream *s = enter(stream, &r);
	struct buffer *b;

	if (!s)
		return r;
	b = memory_find(s->member.context, "address", address, 1);
	if (!b)
		r = SOV_ERROR_INVALID_ADDRESS;
	else if (!b->pooled)
		r = refuse(SOV_ERROR_INVALID_ADDRESS,
			   "address 0x%llx is not of sov_memory_alloc_async; use sov_%s",
			   (ull)address, b->host ? "host_free" : "memory_free");
	else if (b->va != address)
		r = refuse(SOV_ERROR_INVALID_ADDRESS,
			   "address 0x%llx lies %llu bytes inside its allocation; free 0x%llx",
			   (ull)address, (ull)(address - b->va), (ull)b->va);
	else if (b->pins)
		r = refuse(SOV_ERROR_BUSY, "another thread is copying to or from 0x%llx",
			   (ull)address);
	else
		pool_give_back(s->member.context, b, s);
	return member_leave(s, r);
}

sov_result sov_pool_trim(sov_context context, uint64_t keep_bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	trim(c, keep_bytes);
	return context_leave(c, SOV_OK);
}

sov_result sov_pool_set_limit(sov_context context, uint64_t bytes)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	c->pool.limit = bytes;
	return context_leave(c, SOV_OK);
}

sov_result sov_pool_get_statistics(sov_context context, sov_pool_statistics *statistics)
{
	sov_pool_statistics t = SOV_INIT(sov_pool_statistics);
	sov_result r;
	struct context *c = context_enter(context, &r);

	if (!c)
		return r;
	t.used_bytes = c->pool.used;
	t.held_bytes = c->pool.held;
	t.peak_used_bytes = c->pool.most_used;
	t.peak_held_bytes = c->pool.most_held;
	t.limit_bytes = c->pool.limit;
	t.allocations = c->pool.allocations;
	t.backing_allocations = c->pool.backings;
	return context_leave(c, struct_out("sov_pool_statistics", statistics, &t, sizeof(t)));
}

/* The context goes, and its allocations are gone already. */
void pool_free(struct context *c)
{
	struct pool_segment *g;
	struct link *l, *next;

	for (l = c->pool.by_age.next; l != &c->pool.by_age; l = next) {
		struct buffer *b = (struct buffer *)((char *)l - offsetof(struct buffer, age));

		next = l->next;
		pool_destroy(c, b);
	}
	while ((g = c->pool.segments)) {
		c->pool.segments = g->next;
		drop_segment(c, g);
	}
}

void pool_destroy(struct context *c, struct buffer *b)
{
	if (b->segment)
		free(b);
	else
		buffer_destroy(c, b);
}
