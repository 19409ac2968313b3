// SPDX-License-Identifier: MIT
/*
 * Freed buffers that a context keeps for its next allocations of the same size. On a GPU the kernel
 * driver takes tens of microseconds to allocate video memory, to map and to unmap it; a buffer that
 * is kept stays mapped, so taking it again costs no system call. A kernel that uses freed memory
 * does not fault while the memory is kept. Software GPUs therefore keep none by default.
 *
 * The oldest buffers are freed when the cache exceeds its limit. All are freed when an allocation
 * on the device fails, in any context of the process, by sov_pool_trim, and with the context.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/memory/buffer_cache.h"

#define MAX_BUFFERS       64 /* a search visits all of them */
#define DEFAULT_BYTES     (UINT64_C(256) << 20)
#define MEMORY_FRACTION   64 /* at most this part of the device's memory by default */
#define MAX_BYTES         (UINT64_C(1) << 40)
#define MAX_LOCK_ATTEMPTS 1000

struct buffer_cache {
	struct list_head buffers; /* the oldest first */
	struct list_head link;    /* in all_caches */
	struct context *context;
	uint64_t bytes, limit;
	uint32_t count;
};

/* The caches of all contexts. Locks of contexts are only tried under this lock. */
static pthread_mutex_t all_caches_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head all_caches = {&all_caches, &all_caches};

static struct buffer *cached_of(struct list_head *l)
{
	return container_of(l, struct buffer, chunk);
}

static sov_result read_limit(const struct context *c, uint64_t *limit)
{
	static const char units[] = "KMG";
	const char *text = secure_getenv("SOV_MEMORY_CACHE"), *unit;
	unsigned long long n;
	uint32_t shift;
	char *end;

	*limit = c->device->info.memory_bytes / MEMORY_FRACTION;
	if (*limit > DEFAULT_BYTES)
		*limit = DEFAULT_BYTES;
	if (c->device->info.software)
		*limit = 0;
	if (!text || !*text)
		return SOV_OK;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
	if (*text < '0' || *text > '9' || end[unit ? 1 : 0] || n > MAX_BYTES >> shift)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_MEMORY_CACHE is '%s'; it must be a number of bytes up to "
				 "1024G, with or without K, M or G",
				 text);
	*limit = (uint64_t)n << shift;
	return SOV_OK;
}

static sov_result buffer_cache_create(struct context *c)
{
	struct buffer_cache *cache = calloc(1, sizeof(*cache));
	sov_result r;

	if (!cache)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
	list_init(&cache->buffers);
	cache->context = c;
	c->buffer_cache = cache;
	r = read_limit(c, &cache->limit);
	pthread_mutex_lock(&all_caches_lock);
	list_add_tail(&all_caches, &cache->link);
	pthread_mutex_unlock(&all_caches_lock);
	return r;
}

static void cache_remove(struct buffer_cache *cache, struct buffer *b)
{
	list_del(&b->chunk);
	cache->bytes -= b->mapped;
	cache->count--;
}

static void cache_shrink(struct buffer_cache *cache, uint64_t bytes, uint32_t count)
{
	while (cache->bytes > bytes || cache->count > count) {
		struct buffer *oldest = cached_of(cache->buffers.next);

		cache_remove(cache, oldest);
		buffer_destroy(cache->context, oldest);
	}
}

struct buffer *buffer_cache_take(struct context *c, uint64_t mapped)
{
	struct buffer_cache *cache = c->buffer_cache;
	struct list_head *l;

	for (l = cache->buffers.previous; l != &cache->buffers; l = l->previous)
		if (cached_of(l)->mapped == mapped) {
			struct buffer *b = cached_of(l);

			cache_remove(cache, b);
			return b;
		}
	return NULL;
}

/* A buffer that the process has mapped, or shares with others, is not kept: sov_memory_free ends
 * that. */
bool buffer_cache_keep(struct context *c, struct buffer *b)
{
	struct buffer_cache *cache = c->buffer_cache;

	if (!c->group || c->error || b->cpu || b->shared || b->mapped > cache->limit)
		return false;
	cache_shrink(cache, cache->limit - b->mapped, MAX_BUFFERS - 1);
	list_add_tail(&cache->buffers, &b->chunk);
	cache->bytes += b->mapped;
	cache->count++;
	return true;
}

void buffer_cache_empty(struct context *c)
{
	if (c->buffer_cache)
		cache_shrink(c->buffer_cache, 0, 0);
}

uint64_t buffer_cache_bytes(const struct context *c)
{
	return c->buffer_cache->bytes;
}

/* Another thread may hold the other context's lock and wait for the lock of all caches. */
static bool other_context_lock(struct context *c)
{
	for (uint32_t i = 0; i < MAX_LOCK_ATTEMPTS; i++) {
		if (!pthread_mutex_trylock(&c->lock))
			return true;
		sched_yield();
	}
	return false;
}

static bool buffer_caches_give_back(struct context *c)
{
	uint64_t released = 0;
	struct list_head *l;

	pthread_mutex_lock(&all_caches_lock);
	list_for_each(l, &all_caches)
	{
		struct buffer_cache *cache = container_of(l, struct buffer_cache, link);
		struct context *owner = cache->context;

		if (owner->device != c->device || (owner != c && !other_context_lock(owner)))
			continue;
		released += cache->bytes;
		cache_shrink(cache, 0, 0);
		if (owner != c)
			pthread_mutex_unlock(&owner->lock);
	}
	pthread_mutex_unlock(&all_caches_lock);
	if (released)
		LOG(MEMORY, DEBUG, "%llu bytes of freed memory given back",
		    (unsigned long long)released);
	return released;
}

/* The context's lock is free: no thread uses the context any more. */
static void buffer_cache_destroy(struct context *c)
{
	if (!c->buffer_cache)
		return;
	pthread_mutex_lock(&all_caches_lock);
	list_del(&c->buffer_cache->link);
	pthread_mutex_unlock(&all_caches_lock);
	buffer_cache_empty(c);
	free(c->buffer_cache);
}

void buffer_caches_before_fork(void)
{
	pthread_mutex_lock(&all_caches_lock);
}

void buffer_caches_after_fork(bool is_child)
{
	if (is_child)
		list_init(&all_caches);
	pthread_mutex_unlock(&all_caches_lock);
}

const struct context_part buffer_cache_part = {
	.create = buffer_cache_create,
	.give_memory_back = buffer_caches_give_back,
	.destroy = buffer_cache_destroy,
};
