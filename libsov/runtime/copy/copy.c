// SPDX-License-Identifier: MIT
/*
 * Linear copies and fills: validation, and the choice of the copy method. The value of an address
 * tells whether it is a GPU or a host address. Pinned host memory is copied directly; pageable host
 * memory goes through the stream's staging ring or, if small, is part of the commands.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/copy/copy.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_ring.h"

typedef unsigned long long ull;

/* ---- choosing the method ---- */

enum direction { TO_DEVICE, FROM_DEVICE, WITHIN_DEVICE };

/*
 * The first row that applies, for copies of at most max_bytes.
 *
 * Measured on an H200 (tests/silicon/bench_copy_methods.c, docs/results): inline data beats the
 * engine while it fits a slot. The engine beats a kernel over the bus at every size, and inside the
 * GPU until the kernel's start is amortised, between 256 KiB (4.6 against 4.7 us) and 1 MiB (6.8
 * against 4.8), also when the sides' alignments differ by words (256 MiB: 261 against 519 us).
 * After incomplete work of the compute queue, another kernel on that queue starts sooner than the
 * copy queue (4 bytes out after a kernel: 6.2 against 7.1 us).
 */
struct method_choice {
	enum direction direction;
	enum { ALWAYS, COMPUTE_BUSY } when;
	enum copy_method method;
	uint64_t max_bytes;
};

static const struct method_choice method_choices[] = {
	{TO_DEVICE, ALWAYS, COPY_INLINE, UINT64_MAX}, /* as far as it fits */
	{TO_DEVICE, COMPUTE_BUSY, COPY_KERNEL, 256 << 10},
	{TO_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
	{FROM_DEVICE, COMPUTE_BUSY, COPY_KERNEL, 1 << 20},
	{FROM_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
	{WITHIN_DEVICE, COMPUTE_BUSY, COPY_KERNEL, UINT64_MAX},
	{WITHIN_DEVICE, ALWAYS, COPY_ENGINE, 256 << 10},
	{WITHIN_DEVICE, ALWAYS, COPY_KERNEL, UINT64_MAX},
	{WITHIN_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
};
#define MAX_ENGINE_FILL (256u << 10) /* the largest fill by the engine */
/* A software GPU's copy engine is memcpy; its multiprocessors are a thousand times slower. */
static const struct method_choice software_method_choices[] = {
	{TO_DEVICE, ALWAYS, COPY_INLINE, 256},
	{TO_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
	{FROM_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
	{WITHIN_DEVICE, ALWAYS, COPY_ENGINE, UINT64_MAX},
};

static enum copy_method choose_method(struct stream *s, enum direction direction, uint64_t to,
				      uint64_t from, uint64_t bytes, bool allow_inline)
{
	const struct gpu *gpu = s->member.context->gpu;
	bool software = s->member.context->device->info.software;
	const struct method_choice *k = software ? software_method_choices : method_choices;
	bool compute_busy = !software && stream_busy(s, ENGINE_COMPUTE);

	while (k->direction != direction || bytes > k->max_bytes ||
	       (k->when == COMPUTE_BUSY && !compute_busy) ||
	       (k->method == COPY_INLINE && !allow_inline) ||
	       !copy_method_fits(gpu, k->method, to, from, bytes))
		k++;
	return k->method;
}

static enum copy_method fill_method(const struct context *c, uint64_t bytes)
{
	return c->device->info.software || bytes <= MAX_ENGINE_FILL ? COPY_ENGINE : COPY_KERNEL;
}

/* ---- submitting copies ---- */

/* The GPU can address both sides. An inline copy reads host memory now, so the stream must be idle:
 * earlier work may still write that memory. */
static sov_result copy_device(struct stream *s, const struct copy_range *k, uint64_t *seqno)
{
	enum direction d = k->from->host ? TO_DEVICE : k->to->host ? FROM_DEVICE : WITHIN_DEVICE;
	enum copy_method method =
		choose_method(s, d, k->destination, k->source, k->bytes,
			      d == TO_DEVICE && stream_idle(s) && !stream_is_concurrent(s));

	if (method == COPY_INLINE)
		return copy_inline(s, k->destination, (const void *)(uintptr_t)k->source,
				   (uint32_t)k->bytes, seqno);
	return copy_by(s, method, k->destination, k->source, k->bytes, seqno);
}

static sov_result copy_pageable_in(struct stream *s, uint64_t destination, const uint8_t *host,
				   uint64_t bytes, uint64_t *seqno)
{
	sov_result r = SOV_OK;
	struct staging_range t;
	uint64_t n;

	if (choose_method(s, TO_DEVICE, destination, destination, bytes,
			  !stream_is_concurrent(s)) == COPY_INLINE)
		return copy_inline(s, destination, host, (uint32_t)bytes, seqno);
	for (; !r && bytes; destination += n, host += n, bytes -= n) {
		n = min_u64(bytes, STAGING_CHUNK);
		r = stream_stage(s, destination, n, &t);
		if (r)
			break;
		memcpy(t.cpu, host, n);
		r = copy_by(s, choose_method(s, TO_DEVICE, destination, t.va, n, false),
			    destination, t.va, n, seqno);
		if (!r)
			staging_release_after(&s->staging, &t, *seqno);
	}
	return r;
}

/* While the CPU empties one chunk, the GPU copies the next ones. */
static sov_result copy_pageable_out(struct stream *s, uint8_t *host, uint64_t source,
				    uint64_t bytes, uint64_t *seqno)
{
	struct staging_range chunks[STAGING_AHEAD];
	uint64_t seqnos[STAGING_AHEAD], n;
	uint64_t count = (bytes + STAGING_CHUNK - 1) / STAGING_CHUNK, sent = 0, done;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < count; done++) {
		for (; !r && sent < count && sent < done + STAGING_AHEAD; sent++) {
			uint64_t from = source + sent * STAGING_CHUNK;
			struct staging_range *t = &chunks[sent % STAGING_AHEAD];

			n = min_u64(bytes - sent * STAGING_CHUNK, STAGING_CHUNK);
			r = stream_stage(s, from, n, t);
			if (!r)
				r = copy_by(s, choose_method(s, FROM_DEVICE, t->va, from, n, false),
					    t->va, from, n, seqno);
			if (!r)
				staging_release_after(&s->staging, t, *seqno);
			seqnos[sent % STAGING_AHEAD] = *seqno;
		}
		if (!r)
			r = stream_wait_for(s, seqnos[done % STAGING_AHEAD], SOV_FOREVER);
		if (!r)
			staging_read(host + done * STAGING_CHUNK, &chunks[done % STAGING_AHEAD],
				     min_u64(bytes - done * STAGING_CHUNK, STAGING_CHUNK),
				     bytes >= STAGING_NONTEMPORAL);
	}
	return r;
}

void copy_trace_direction(const struct copy_range *k)
{
	trace_expect_work(!k->from || k->from->host ? TRACE_COPY_IN
			  : !k->to || k->to->host   ? TRACE_COPY_OUT
						    : TRACE_COPY_ACROSS);
}

sov_result copy_submit(struct stream *s, const struct copy_range *k, uint64_t *seqno)
{
	sov_result r;

	copy_trace_direction(k);
	if (k->to && k->from)
		return copy_device(s, k, seqno);
	pthread_mutex_lock(&s->staging.lock);
	if (k->to)
		r = copy_pageable_in(s, k->destination, (const uint8_t *)(uintptr_t)k->source,
				     k->bytes, seqno);
	else
		r = copy_pageable_out(s, (uint8_t *)(uintptr_t)k->destination, k->source, k->bytes,
				      seqno);
	pthread_mutex_unlock(&s->staging.lock);
	return r;
}

/*
 * Called before the wait for a large copy. Waking by an interrupt costs 35 us, a tenth of the time
 * of 16 MiB over the bus and a quarter of 256 MiB inside the GPU. Hence sleep until shortly before
 * the copy can be done on the fastest hardware, then busy-wait. The wait that follows handles
 * timeouts and errors.
 */
#define BUS_BYTES_PER_NS    64u   /* PCIe 5, 16 lanes */
#define ACROSS_BYTES_PER_NS 2400u /* an H200's memory, half for reads and half for writes */
#define FILL_BYTES_PER_NS   4800u
#define WAKEUP_MARGIN_NS    UINT64_C(100000)
#define MIN_BUSY_WAIT_NS    UINT64_C(15000)    /* below, semaphore_wait busy-waits long enough */
#define MAX_BUSY_WAIT_NS    UINT64_C(20000000) /* above, 35 us do not matter */

static void busy_wait_large(struct stream *s, uint64_t seqno, uint64_t min_ns)
{
	uint64_t start = now_ns();

	if (s->member.context->device->info.software || min_ns < MIN_BUSY_WAIT_NS ||
	    min_ns > MAX_BUSY_WAIT_NS)
		return;
	if (min_ns > 2 * WAKEUP_MARGIN_NS) {
		uint64_t sleep = min_ns - WAKEUP_MARGIN_NS;
		struct timespec t = {.tv_sec = (time_t)(sleep / 1000000000),
				     .tv_nsec = (long)(sleep % 1000000000)};

		nanosleep(&t, NULL);
	}
	while (!semaphore_reached(s->done, (uint32_t)seqno) && now_ns() - start < 2 * min_ns)
		;
}

/* ---- validation ---- */

/* Whether all pages are mapped, by whatever protection: MS_ASYNC has no effect but this check. */
static bool is_mapped(uint64_t address, uint64_t bytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = address & ~(page - 1);

	return !msync((void *)(uintptr_t)start, bytes + (address - start), MS_ASYNC) ||
	       errno != ENOMEM;
}

static sov_result copy_check_host(const char *what, uint64_t address, uint64_t bytes)
{
	if (!address || address + bytes < address || !is_mapped(address, bytes))
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "%s 0x%llx and %llu bytes are not mapped in this process, neither "
				 "as host memory nor as GPU memory",
				 what, (ull)address, (ull)bytes);
	return SOV_OK;
}

/* Looks up the allocation of one side, if it is a GPU address or pinned. */
static sov_result copy_check_side(struct context *c, const char *what, uint64_t address,
				  uint64_t bytes, struct buffer **out)
{
	bool gpu = va_reserved(address);

	*out = gpu ? allocation_find(c, what, address, bytes)
		   : allocation_containing(c, address, bytes);
	return *out || !gpu ? SOV_OK : SOV_ERROR_INVALID_ADDRESS;
}

sov_result copy_check(struct context *c, struct copy_range *k, uint64_t to_bytes,
		      uint64_t from_bytes)
{
	sov_result r = copy_check_side(c, "destination", k->destination, to_bytes, &k->to);

	if (!r)
		r = copy_check_side(c, "source", k->source, from_bytes, &k->from);
	if (!r && !k->to)
		r = copy_check_host("destination", k->destination, to_bytes);
	if (!r && !k->from)
		r = copy_check_host("source", k->source, from_bytes);
	if (!r && !k->to && !k->from)
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "neither destination 0x%llx nor source 0x%llx is a GPU address or "
			      "pinned; use memcpy",
			      (ull)k->destination, (ull)k->source);
	return r;
}

/* Looks up both sides and rejects overlapping ranges. */
static sov_result copy_check_overlap(struct context *c, struct copy_range *k)
{
	sov_result r = copy_check(c, k, k->bytes, k->bytes);

	if (!r && k->to && k->to == k->from && k->destination < k->source + k->bytes &&
	    k->source < k->destination + k->bytes)
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"destination 0x%llx and source 0x%llx overlap within %llu bytes; copy "
			"through other memory",
			(ull)k->destination, (ull)k->source, (ull)k->bytes);
	return r;
}

void copy_pin(struct context *c, const struct copy_range *k, int by)
{
	(void)c; /* whose lock is held */
	if (k->to)
		k->to->pins += (uint32_t)by;
	if (k->from)
		k->from->pins += (uint32_t)by;
}

/* Takes over the caller's reference to the stream. */
static sov_result copy_on_stream(struct stream *s, struct copy_range k, bool wait)
{
	struct context *c = s->member.context;
	uint64_t seqno = 0;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && k.bytes)
		r = copy_check_overlap(c, &k);
	if (!r)
		copy_pin(c, &k, 1);
	pthread_mutex_unlock(&c->lock);
	if (!r) {
		if (k.bytes)
			r = copy_submit(s, &k, &seqno);
		if (!r && k.bytes && (wait || c->sync)) {
			if (k.to && k.from)
				busy_wait_large(s, seqno,
						k.bytes / (k.to->host || k.from->host
								   ? BUS_BYTES_PER_NS
								   : ACROSS_BYTES_PER_NS));
			r = stream_wait_for(s, seqno, SOV_FOREVER);
		}
		pthread_mutex_lock(&c->lock);
		copy_pin(c, &k, -1);
		pthread_mutex_unlock(&c->lock);
	}
	object_put(&s->member.object);
	return r;
}

sov_result api_memory_copy_async(sov_stream stream, sov_ptr destination, sov_ptr source,
				 uint64_t bytes)
{
	struct copy_range k = {.destination = destination, .source = source, .bytes = bytes};
	struct stream *s = object_get(stream, OBJECT_STREAM);
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (!stream_captured(s))
		return copy_on_stream(s, k, false);
	r = stream_capture(s)->copy(s, destination, source, bytes);
	object_put(&s->member.object);
	return r;
}

/* The context's first stream; takes a reference. */
static struct stream *first_stream(sov_context context, sov_result *r)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);
	struct stream *s;

	*r = SOV_ERROR_INVALID_HANDLE;
	if (!c)
		return NULL;
	s = stream_find(c, NULL);
	object_put(&c->object);
	return s;
}

sov_result api_memory_copy(sov_context context, sov_ptr destination, sov_ptr source, uint64_t bytes)
{
	struct copy_range k = {.destination = destination, .source = source, .bytes = bytes};
	sov_result r;
	struct stream *s = first_stream(context, &r);

	return s ? copy_on_stream(s, k, true) : r;
}

sov_result fill_check(uint64_t address, uint32_t element_bytes, uint64_t count)
{
	if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "element_bytes is %u; it must be 1, 2 or 4", element_bytes);
	if (count > UINT64_MAX / element_bytes)
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "%llu elements of %u bytes are more than 2^64 bytes", (ull)count,
				 element_bytes);
	if (address % element_bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "address 0x%llx is not a multiple of %u; it must be aligned to "
				 "its elements",
				 (ull)address, element_bytes);
	return SOV_OK;
}

/* The caller's reference to the stream is used up. */
static sov_result fill_on_stream(struct stream *s, uint64_t address, uint32_t value,
				 uint32_t element_bytes, uint64_t count, bool wait)
{
	struct context *c = s->member.context;
	uint64_t seqno = 0;
	struct buffer *b;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	b = r ? NULL : allocation_find(c, "address", address, count * element_bytes);
	if (b)
		b->pins++;
	pthread_mutex_unlock(&c->lock);
	if (b) {
		if (count)
			r = fill_by(s, fill_method(c, count * element_bytes), address, value,
				    element_bytes, count * element_bytes, &seqno);
		if (!r && count && (wait || c->sync)) {
			busy_wait_large(s, seqno, count * element_bytes / FILL_BYTES_PER_NS);
			r = stream_wait_for(s, seqno, SOV_FOREVER);
		}
		pthread_mutex_lock(&c->lock);
		b->pins--;
		pthread_mutex_unlock(&c->lock);
	} else if (!r) {
		r = SOV_ERROR_INVALID_ADDRESS;
	}
	object_put(&s->member.object);
	return r;
}

sov_result api_memory_fill(sov_context context, sov_ptr address, uint32_t value,
			   uint32_t element_bytes, uint64_t count)
{
	sov_result r = fill_check(address, element_bytes, count);
	struct stream *s = r ? NULL : first_stream(context, &r);

	return s ? fill_on_stream(s, address, value, element_bytes, count, true) : r;
}

sov_result api_memory_fill_async(sov_stream stream, sov_ptr address, uint32_t value,
				 uint32_t element_bytes, uint64_t count)
{
	sov_result r = fill_check(address, element_bytes, count);
	struct stream *s = r ? NULL : object_get(stream, OBJECT_STREAM);

	if (!s)
		return r ? r : SOV_ERROR_INVALID_HANDLE;
	if (!stream_captured(s))
		return fill_on_stream(s, address, value, element_bytes, count, false);
	r = stream_capture(s)->fill(s, address, value, element_bytes, count);
	object_put(&s->member.object);
	return r;
}
