/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills, done by the copy engine. The GPU reaches host memory only where it is bound, so
 * host memory goes through a stream's staging buffer, half of which the CPU fills or empties while
 * the engine works on the other. Each side of a copy is a GPU address or a host address by its
 * value.
 */
#include <string.h>
#include "hw/nv/copy.h"
#include "libsov/log.h"
#include "libsov/runtime.h"

typedef unsigned long long ull;

#define HALF_BYTES (512u << 10)

/* One piece of a copy or fill; the engine releases the stream's semaphore. */
static sov_result submit_copy(struct stream *s, uint64_t destination, uint64_t source,
			      uint64_t bytes, uint64_t *number)
{
	struct slot slot;
	sov_result r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);

	if (r)
		return r;
	nv_push_copy(&slot.push, destination, source, (uint32_t)bytes, s->done->va,
		     (uint32_t)slot.number);
	*number = slot.number;
	stream_submit(s, &slot);
	return SOV_OK;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static sov_result copy_inside(struct stream *s, uint64_t destination, uint64_t source,
			      uint64_t bytes)
{
	uint64_t done, n, number;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < bytes; done += n) {
		n = smaller(bytes - done, NV_PUSH_COPY_MAX);
		r = submit_copy(s, destination + done, source + done, n, &number);
	}
	return r;
}

/* Half number i % 2, free to be written by the CPU or the engine. */
static sov_result half_begin(struct stream *s, uint64_t i, uint8_t **cpu, uint64_t *va)
{
	uint64_t offset = i % 2 * HALF_BYTES;
	sov_result r = SOV_OK;

	if (!s->staging) {
		pthread_mutex_lock(&s->member.context->lock);
		r = context_check(s->member.context);
		if (!r)
			r = buffer_create_mapped(s->member.context, WINSYS_SYSTEM, false,
						 2 * HALF_BYTES, &s->staging);
		pthread_mutex_unlock(&s->member.context->lock);
	}
	if (!r)
		r = stream_wait_for(s, s->half_busy[i % 2], SOV_MAX_WAIT);
	if (r)
		return r;
	*cpu = (uint8_t *)s->staging->cpu + offset;
	*va = s->staging->va + offset;
	return SOV_OK;
}

static sov_result copy_in(struct stream *s, uint64_t destination, const uint8_t *host,
			  uint64_t bytes)
{
	uint64_t done, n, va;
	uint8_t *half;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < bytes; done += n) {
		n = smaller(bytes - done, HALF_BYTES);
		r = half_begin(s, s->halves, &half, &va);
		if (r)
			break;
		memcpy(half, host + done, n);
		r = submit_copy(s, destination + done, va, n, &s->half_busy[s->halves++ % 2]);
	}
	return r;
}

/* Piece i is on its way into one half while piece i - 1 leaves the other. */
static sov_result copy_out(struct stream *s, uint8_t *host, uint64_t source, uint64_t bytes)
{
	uint64_t pieces = (bytes + HALF_BYTES - 1) / HALF_BYTES, i, offset, va;
	uint8_t *half;
	sov_result r = SOV_OK;

	for (i = 0; !r && i <= pieces; i++) {
		if (i < pieces) {
			offset = i * HALF_BYTES;
			r = half_begin(s, i, &half, &va);
			if (!r)
				r = submit_copy(s, va, source + offset,
						smaller(bytes - offset, HALF_BYTES),
						&s->half_busy[i % 2]);
		}
		if (!r && i) {
			offset = (i - 1) * HALF_BYTES;
			r = half_begin(s, i - 1, &half, &va);
			if (!r)
				memcpy(host + offset, half,
				       smaller(bytes - offset, HALF_BYTES));
		}
	}
	return r;
}

static sov_result check_host(const char *what, uint64_t address, uint64_t bytes)
{
	if (!address || address + bytes < address)
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "%s 0x%llx and %llu bytes are no host memory", what, (ull)address,
			      (ull)bytes);
	return SOV_OK;
}

struct sides {
	uint64_t destination, source, bytes;
	struct buffer *to, *from; /* NULL: host memory that is not pinned */
};

/* One side, if it is a GPU's: its allocation. */
static sov_result check_gpu(struct context *c, const char *what, uint64_t address, uint64_t bytes,
			    struct buffer **out)
{
	*out = va_reserved(address) ? memory_find(c, what, address, bytes)
				    : memory_holding(c, address, bytes);
	return *out || !va_reserved(address) ? SOV_OK : SOV_ERROR_INVALID_ADDRESS;
}

/* Which is which, and whether they may be copied. */
static sov_result sides_check(struct context *c, struct sides *k)
{
	sov_result r = check_gpu(c, "destination", k->destination, k->bytes, &k->to);

	if (!r)
		r = check_gpu(c, "source", k->source, k->bytes, &k->from);
	if (!r && !k->to)
		r = check_host("destination", k->destination, k->bytes);
	if (!r && !k->from)
		r = check_host("source", k->source, k->bytes);
	if (!r && !va_reserved(k->destination) && !va_reserved(k->source))
		r = refuse(
			SOV_ERROR_INVALID_ARGUMENT,
			"neither destination 0x%llx nor source 0x%llx is a GPU address; use memcpy",
			(ull)k->destination, (ull)k->source);
	if (!r && k->to && k->to == k->from && k->destination < k->source + k->bytes &&
	    k->source < k->destination + k->bytes)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "destination 0x%llx and source 0x%llx overlap within %llu bytes",
			   (ull)k->destination, (ull)k->source, (ull)k->bytes);
	return r;
}

static void pin(struct sides *k, int by)
{
	if (k->to)
		k->to->pins += (uint32_t)by;
	if (k->from)
		k->from->pins += (uint32_t)by;
}

/* Looks at the addresses, and keeps what they lie in from being freed until unpin. */
static sov_result pin_sides(struct context *c, struct sides *k)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && k->bytes)
		r = sides_check(c, k);
	if (!r)
		pin(k, 1);
	pthread_mutex_unlock(&c->lock);
	return r;
}

static void unpin_sides(struct context *c, struct sides *k)
{
	pthread_mutex_lock(&c->lock);
	pin(k, -1);
	pthread_mutex_unlock(&c->lock);
}

/* With host_copies: the staging buffer is one thread's at a time. */
static sov_result copy(struct stream *s, struct sides *k)
{
	if (!k->bytes)
		return SOV_OK;
	LOG(COPY, DEBUG, "%llu bytes to 0x%llx from 0x%llx", (ull)k->bytes, (ull)k->destination,
	    (ull)k->source);
	if (k->to && k->from)
		return copy_inside(s, k->destination, k->source, k->bytes);
	if (k->to)
		return copy_in(s, k->destination, (const uint8_t *)(uintptr_t)k->source, k->bytes);
	return copy_out(s, (uint8_t *)(uintptr_t)k->destination, k->source, k->bytes);
}

/* The caller's reference to the stream is used up. */
static sov_result copy_on(struct stream *s, struct sides k, bool wait)
{
	struct context *c = s->member.context;
	sov_result r;

	pthread_mutex_lock(&s->host_copies);
	r = pin_sides(c, &k);
	if (!r) {
		r = copy(s, &k);
		if (!r && wait)
			r = stream_wait_for(s, stream_last(s), SOV_MAX_WAIT);
		unpin_sides(c, &k);
	}
	pthread_mutex_unlock(&s->host_copies);
	object_put(&s->member.object);
	return r;
}

sov_result sov_memory_copy_async(sov_stream stream, sov_ptr destination, sov_ptr source,
				 uint64_t bytes)
{
	struct sides k = {.destination = destination, .source = source, .bytes = bytes};
	struct stream *s = object_get(stream, OBJECT_STREAM);

	return s ? copy_on(s, k, false) : SOV_ERROR_INVALID_HANDLE;
}

sov_result sov_memory_copy(sov_context context, sov_ptr destination, sov_ptr source, uint64_t bytes)
{
	struct sides k = {.destination = destination, .source = source, .bytes = bytes};
	struct context *c;
	struct stream *s;
	sov_result r;

	c = context_enter(context, &r);
	if (!c)
		return r;
	s = stream_find(c, NULL);
	context_leave(c, SOV_OK);
	return s ? copy_on(s, k, true) : SOV_ERROR_INVALID_HANDLE;
}

static sov_result fill(struct stream *s, uint64_t address, uint32_t value, uint32_t element_bytes,
		       uint64_t count)
{
	uint64_t done, n;
	struct slot slot;
	sov_result r;

	for (done = 0; done < count; done += n) {
		n = smaller(count - done, NV_PUSH_COPY_MAX / element_bytes);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			return r;
		nv_push_fill(&slot.push, address + done * element_bytes, value, element_bytes,
			     (uint32_t)n, s->done->va, (uint32_t)slot.number);
		stream_submit(s, &slot);
	}
	return stream_wait_for(s, stream_last(s), SOV_MAX_WAIT);
}

sov_result sov_memory_fill(sov_context context, sov_ptr address, uint32_t value,
			   uint32_t element_bytes, uint64_t count)
{
	sov_result r;
	struct context *c;
	struct stream *s;
	struct buffer *b;

	if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "element_bytes is %u; it must be 1, 2 or 4", element_bytes);
	if (count > UINT64_MAX / element_bytes)
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "%llu elements of %u bytes are more than 2^64 bytes", (ull)count,
			      element_bytes);
	if (address % element_bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "address 0x%llx is not a multiple of %u",
			      (ull)address, element_bytes);
	c = context_enter(context, &r);
	if (!c)
		return r;
	b = memory_find(c, "address", address, count * element_bytes);
	if (!b)
		return context_leave(c, SOV_ERROR_INVALID_ADDRESS);
	s = stream_find(c, NULL);
	if (!s)
		return context_leave(c, SOV_ERROR_INVALID_HANDLE);
	b->pins++;
	pthread_mutex_unlock(&c->lock);
	r = fill(s, address, value, element_bytes, count);
	object_put(&s->member.object);
	pthread_mutex_lock(&c->lock);
	b->pins--;
	return context_leave(c, r);
}
