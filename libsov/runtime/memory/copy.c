/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills: what is asked for, whether it may be done, and the way it is done. Each side of a
 * copy is a GPU address or a host address by its value. Host memory that is pinned is as good as the
 * GPU's own; other host memory goes through the stream's staging ring, or small enough in the
 * methods themselves.
 */
#include <string.h>
#include <time.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

typedef unsigned long long ull;

/* ---- which way ---- */

enum direction { IN, OUT, ACROSS }; /* seen from the GPU */

/*
 * The first row that fits, for copies of at most so many bytes.
 *
 * Measured on an H200 (tests/silicon/bench_copy_methods.c, docs/evidence.md): methods beat the engine while
 * they fit a slot. The engine beats a kernel over the bus at every size, and inside the GPU until
 * the kernel's start is paid for, between 256 KiB (4.6 against 4.7 us) and 1 MiB (6.8 against 4.8),
 * also when the sides are words and not units apart (256 MiB: 261 against 519 us).
 * Behind work of the compute queue that is not done it is different: another kernel on the same
 * queue is there sooner than the other queue (4 bytes out behind a kernel: 6.2 against 7.1 us).
 */
struct choice {
	enum direction direction;
	enum { ANY, BEHIND } when;
	enum way way;
	uint64_t most;
};

static const struct choice choices[] = {
	{IN, ANY, WAY_INLINE, UINT64_MAX}, /* while they fit */
	{IN, BEHIND, WAY_KERNEL, 256 << 10},      {IN, ANY, WAY_ENGINE, UINT64_MAX},
	{OUT, BEHIND, WAY_KERNEL, 1 << 20},       {OUT, ANY, WAY_ENGINE, UINT64_MAX},
	{ACROSS, BEHIND, WAY_KERNEL, UINT64_MAX}, {ACROSS, ANY, WAY_ENGINE, 256 << 10},
	{ACROSS, ANY, WAY_KERNEL, UINT64_MAX},    {ACROSS, ANY, WAY_ENGINE, UINT64_MAX},
};
#define FILL_BY_ENGINE (256u << 10) /* the same for fills */
/* A software GPU's copy engine is the host's memcpy; its processors are a thousand times slower. */
static const struct choice software_choices[] = {
	{IN, ANY, WAY_INLINE, 256},
	{IN, ANY, WAY_ENGINE, UINT64_MAX},
	{OUT, ANY, WAY_ENGINE, UINT64_MAX},
	{ACROSS, ANY, WAY_ENGINE, UINT64_MAX},
};

static enum way choose(struct stream *s, enum direction direction, uint64_t to, uint64_t from,
		       uint64_t bytes, bool inline_too)
{
	const struct gpu *gpu = s->member.context->gpu;
	bool software = s->member.context->device->info.software;
	const struct choice *k = software ? software_choices : choices;
	bool behind = !software && stream_busy(s, ENGINE_COMPUTE);

	while (k->direction != direction || bytes > k->most || (k->when == BEHIND && !behind) ||
	       (k->way == WAY_INLINE && !inline_too) || !way_fits(gpu, k->way, to, from, bytes))
		k++;
	return k->way;
}

static enum way fill_way(const struct context *c, uint64_t bytes)
{
	return c->device->info.software || bytes <= FILL_BY_ENGINE ? WAY_ENGINE : WAY_KERNEL;
}

/* ---- moving ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Everything that was submitted is done, so that memory holds what a copy is to find there. */
static bool idle(struct stream *s)
{
	return stream_poll(s) == stream_last(s);
}

/* Both sides are the GPU's to reach. */
static sov_result move(struct stream *s, const struct sides *k, uint64_t *number)
{
	enum direction d = k->from->host ? IN : k->to->host ? OUT : ACROSS;
	enum way way = choose(s, d, k->destination, k->source, k->bytes,
			      d == IN && idle(s) && !stream_beside(s));

	if (way == WAY_INLINE)
		return way_inline(s, k->destination, (const void *)(uintptr_t)k->source,
				  (uint32_t)k->bytes, number);
	return way_copy(s, way, k->destination, k->source, k->bytes, number);
}

static sov_result move_in(struct stream *s, uint64_t destination, const uint8_t *host,
			  uint64_t bytes, uint64_t *number)
{
	sov_result r = SOV_OK;
	struct staged t;
	uint64_t n;

	if (choose(s, IN, destination, destination, bytes, !stream_beside(s)) == WAY_INLINE)
		return way_inline(s, destination, host, (uint32_t)bytes, number);
	for (; !r && bytes; destination += n, host += n, bytes -= n) {
		n = smaller(bytes, STAGING_CHUNK);
		r = staging_take(s, destination, n, &t);
		if (r)
			break;
		memcpy(t.cpu, host, n);
		r = way_copy(s, choose(s, IN, destination, t.va, n, false), destination, t.va, n,
			     number);
		if (!r)
			staging_note(s, &t, *number);
	}
	return r;
}

/* While the CPU empties one chunk, the next are on their way. */
static sov_result move_out(struct stream *s, uint8_t *host, uint64_t source, uint64_t bytes,
			   uint64_t *number)
{
	struct staged chunks[STAGING_AHEAD];
	uint64_t numbers[STAGING_AHEAD], n;
	uint64_t count = (bytes + STAGING_CHUNK - 1) / STAGING_CHUNK, sent = 0, done;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < count; done++) {
		for (; !r && sent < count && sent < done + STAGING_AHEAD; sent++) {
			uint64_t from = source + sent * STAGING_CHUNK;
			struct staged *t = &chunks[sent % STAGING_AHEAD];

			n = smaller(bytes - sent * STAGING_CHUNK, STAGING_CHUNK);
			r = staging_take(s, from, n, t);
			if (!r)
				r = way_copy(s, choose(s, OUT, t->va, from, n, false), t->va, from,
					     n, number);
			if (!r)
				staging_note(s, t, *number);
			numbers[sent % STAGING_AHEAD] = *number;
		}
		if (!r)
			r = stream_wait_for(s, numbers[done % STAGING_AHEAD], SOV_MAX_WAIT);
		if (!r)
			staging_empty(host + done * STAGING_CHUNK, &chunks[done % STAGING_AHEAD],
				      smaller(bytes - done * STAGING_CHUNK, STAGING_CHUNK),
				      bytes >= STAGING_PAST_CACHE);
	}
	return r;
}

void copy_trace(const struct sides *k)
{
	trace_direction(!k->from || k->from->host ? TRACE_COPY_IN
			: !k->to || k->to->host   ? TRACE_COPY_OUT
						  : TRACE_COPY_ACROSS);
}

sov_result copy_sides(struct stream *s, const struct sides *k, uint64_t *number)
{
	sov_result r;

	copy_trace(k);
	if (k->to && k->from)
		return move(s, k, number);
	pthread_mutex_lock(&s->staging.lock);
	if (k->to)
		r = move_in(s, k->destination, (const uint8_t *)(uintptr_t)k->source, k->bytes,
			    number);
	else
		r = move_out(s, (uint8_t *)(uintptr_t)k->destination, k->source, k->bytes, number);
	pthread_mutex_unlock(&s->staging.lock);
	return r;
}

/*
 * Before the wait for something large. Being woken by an interrupt costs 35 us, which is a tenth of
 * the time of 16 MiB over the bus and a quarter of 256 MiB inside the GPU; so sleep through what it
 * takes at least, on the fastest there is, and look closely from then on. The wait behind this sees
 * to limits and errors.
 */
#define BUS_BYTES_PER_NS    64u   /* PCIe 5, 16 lanes */
#define ACROSS_BYTES_PER_NS 2400u /* an H200's memory, which is read and written */
#define FILL_BYTES_PER_NS   4800u
#define OVERSLEPT_NS        UINT64_C(100000)
#define WORTH_LOOKING_NS    UINT64_C(15000)    /* below, the wait itself looks long enough */
#define WORTH_RESTING_NS    UINT64_C(20000000) /* above, 35 us are nothing */

static void linger(struct stream *s, uint64_t number, uint64_t least)
{
	uint64_t start = now_ns();

	if (s->member.context->device->info.software || least < WORTH_LOOKING_NS ||
	    least > WORTH_RESTING_NS)
		return;
	if (least > 2 * OVERSLEPT_NS) {
		uint64_t sleep = least - OVERSLEPT_NS;
		struct timespec t = {.tv_sec = (time_t)(sleep / 1000000000),
				     .tv_nsec = (long)(sleep % 1000000000)};

		nanosleep(&t, NULL);
	}
	while (!semaphore_reached(s->done, (uint32_t)number) && now_ns() - start < 2 * least)
		;
}

/* ---- what may be copied ---- */

static sov_result check_host(const char *what, uint64_t address, uint64_t bytes)
{
	if (!address || address + bytes < address)
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "%s 0x%llx and %llu bytes are no host memory", what, (ull)address,
			      (ull)bytes);
	return SOV_OK;
}

/* One side, if it is a GPU's: its allocation. */
static sov_result check_gpu(struct context *c, const char *what, uint64_t address, uint64_t bytes,
			    struct buffer **out)
{
	bool gpu = va_reserved(address);

	*out = gpu ? memory_find(c, what, address, bytes) : memory_holding(c, address, bytes);
	return *out || !gpu ? SOV_OK : SOV_ERROR_INVALID_ADDRESS;
}

sov_result copy_check(struct context *c, struct sides *k, uint64_t to_bytes, uint64_t from_bytes)
{
	sov_result r = check_gpu(c, "destination", k->destination, to_bytes, &k->to);

	if (!r)
		r = check_gpu(c, "source", k->source, from_bytes, &k->from);
	if (!r && !k->to)
		r = check_host("destination", k->destination, to_bytes);
	if (!r && !k->from)
		r = check_host("source", k->source, from_bytes);
	if (!r && (!k->to || k->to->host) && (!k->from || k->from->host))
		r = refuse(
			SOV_ERROR_INVALID_ARGUMENT,
			"neither destination 0x%llx nor source 0x%llx is a GPU address; use memcpy",
			(ull)k->destination, (ull)k->source);
	return r;
}

/* Which is which, and whether they may be copied. */
static sov_result sides_check(struct context *c, struct sides *k)
{
	sov_result r = copy_check(c, k, k->bytes, k->bytes);

	if (!r && k->to && k->to == k->from && k->destination < k->source + k->bytes &&
	    k->source < k->destination + k->bytes)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "destination 0x%llx and source 0x%llx overlap within %llu bytes; copy "
			   "by way of other memory",
			   (ull)k->destination, (ull)k->source, (ull)k->bytes);
	return r;
}

void copy_pin(struct context *c, const struct sides *k, int by)
{
	(void)c; /* whose lock is held */
	if (k->to)
		k->to->pins += (uint32_t)by;
	if (k->from)
		k->from->pins += (uint32_t)by;
}

/* The caller's reference to the stream is used up. */
static sov_result copy_on(struct stream *s, struct sides k, bool wait)
{
	struct context *c = s->member.context;
	uint64_t number = 0;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && k.bytes)
		r = sides_check(c, &k);
	if (!r)
		copy_pin(c, &k, 1);
	pthread_mutex_unlock(&c->lock);
	if (!r) {
		if (k.bytes)
			r = copy_sides(s, &k, &number);
		if (!r && k.bytes && (wait || c->sync)) {
			if (k.to && k.from)
				linger(s, number,
				       k.bytes / (k.to->host || k.from->host
							  ? BUS_BYTES_PER_NS
							  : ACROSS_BYTES_PER_NS));
			r = stream_wait_for(s, number, SOV_MAX_WAIT);
		}
		pthread_mutex_lock(&c->lock);
		copy_pin(c, &k, -1);
		pthread_mutex_unlock(&c->lock);
	}
	object_put(&s->member.object);
	return r;
}

sov_result sov_memory_copy_async(sov_stream stream, sov_ptr destination, sov_ptr source,
				 uint64_t bytes)
{
	struct sides k = {.destination = destination, .source = source, .bytes = bytes};
	struct stream *s = object_get(stream, OBJECT_STREAM);
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (!graph_capturing(s))
		return copy_on(s, k, false);
	r = graph_capture_copy(s, destination, source, bytes);
	object_put(&s->member.object);
	return r;
}

/* The context's first stream, with a reference. */
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

sov_result sov_memory_copy(sov_context context, sov_ptr destination, sov_ptr source, uint64_t bytes)
{
	struct sides k = {.destination = destination, .source = source, .bytes = bytes};
	sov_result r;
	struct stream *s = first_stream(context, &r);

	return s ? copy_on(s, k, true) : r;
}

sov_result fill_check(uint64_t address, uint32_t element_bytes, uint64_t count)
{
	if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "element_bytes is %u; it must be 1, 2 or 4", element_bytes);
	if (count > UINT64_MAX / element_bytes)
		return refuse(SOV_ERROR_INVALID_ADDRESS,
			      "%llu elements of %u bytes are more than 2^64 bytes", (ull)count,
			      element_bytes);
	if (address % element_bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "address 0x%llx is not a multiple of %u; it must be, as elements are",
			      (ull)address, element_bytes);
	return SOV_OK;
}

/* The caller's reference to the stream is used up. */
static sov_result fill_on(struct stream *s, uint64_t address, uint32_t value,
			  uint32_t element_bytes, uint64_t count, bool wait)
{
	struct context *c = s->member.context;
	uint64_t number = 0;
	struct buffer *b;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	b = r ? NULL : memory_find(c, "address", address, count * element_bytes);
	if (b)
		b->pins++;
	pthread_mutex_unlock(&c->lock);
	if (b) {
		if (count)
			r = way_fill(s, fill_way(c, count * element_bytes), address, value,
				     element_bytes, count * element_bytes, &number);
		if (!r && count && (wait || c->sync)) {
			linger(s, number, count * element_bytes / FILL_BYTES_PER_NS);
			r = stream_wait_for(s, number, SOV_MAX_WAIT);
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

sov_result sov_memory_fill(sov_context context, sov_ptr address, uint32_t value,
			   uint32_t element_bytes, uint64_t count)
{
	sov_result r = fill_check(address, element_bytes, count);
	struct stream *s = r ? NULL : first_stream(context, &r);

	return s ? fill_on(s, address, value, element_bytes, count, true) : r;
}

sov_result sov_memory_fill_async(sov_stream stream, sov_ptr address, uint32_t value,
				 uint32_t element_bytes, uint64_t count)
{
	sov_result r = fill_check(address, element_bytes, count);
	struct stream *s = r ? NULL : object_get(stream, OBJECT_STREAM);

	if (!s)
		return r ? r : SOV_ERROR_INVALID_HANDLE;
	if (!graph_capturing(s))
		return fill_on(s, address, value, element_bytes, count, false);
	r = graph_capture_fill(s, address, value, element_bytes, count);
	object_put(&s->member.object);
	return r;
}
