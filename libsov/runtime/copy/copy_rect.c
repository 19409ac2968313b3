// SPDX-License-Identifier: MIT
/*
 * Copies of rectangles: rows at a pitch, and slices of such rows. The copy engine copies a slice at
 * a time. Pageable host memory is packed into, or unpacked from, the stream's staging ring, as many
 * rows at a time as fit.
 */
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/copy/copy_rect.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_ring.h"

typedef unsigned long long ull;

/* ---- validation ---- */

/* Bytes from the first byte to the end of the last row; false: overflow. */
static bool copy_side_extent(const struct copy_rect *b, const struct copy_side *s, uint64_t *bytes)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(b->height - 1, s->pitch, &rows) &&
	       !__builtin_mul_overflow(b->depth - 1, s->slice, &slices) &&
	       !__builtin_add_overflow(rows, slices, bytes) &&
	       !__builtin_add_overflow(*bytes, b->width, bytes);
}

static sov_result copy_side_init(const char *what, const sov_copy_rect *o, uint64_t address,
				 uint64_t pitch, uint64_t rows, struct copy_side *out)
{
	uint64_t height = o->height ? o->height : 1;

	out->address = address;
	out->pitch = pitch ? pitch : o->width_bytes;
	if (out->pitch < o->width_bytes || out->pitch > UINT32_MAX)
		return set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"%s_pitch is %llu; it must be at least width_bytes, %llu, and less "
			"than 4 GiB",
			what, (ull)pitch, (ull)o->width_bytes);
	if (rows && rows < height)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "%s_rows is %llu; it must be at least height, %llu", what,
				 (ull)rows, (ull)height);
	if (__builtin_mul_overflow(out->pitch, rows ? rows : height, &out->slice))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "%s_rows of %llu are more than 2^64 bytes; 0 means packed", what,
				 (ull)rows);
	return SOV_OK;
}

sov_result copy_rect_init(const sov_copy_rect *given, struct copy_rect *b)
{
	sov_copy_rect copy, *o = &copy;
	sov_result r = struct_in("sov_copy_rect", o, sizeof(*o), given);

	if (r)
		return r;
	r = copy_side_init("destination", o, o->destination, o->destination_pitch,
			   o->destination_rows, &b->to);

	if (!r)
		r = copy_side_init("source", o, o->source, o->source_pitch, o->source_rows,
				   &b->from);
	b->width = o->width_bytes;
	b->height = o->height ? o->height : 1;
	b->depth = o->depth ? o->depth : 1;
	return r;
}

sov_result copy_rect_check(struct context *c, const struct copy_rect *b, struct copy_range *k)
{
	uint64_t to_bytes, from_bytes;
	sov_result r;

	if (!copy_side_extent(b, &b->to, &to_bytes) || !copy_side_extent(b, &b->from, &from_bytes))
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "the rectangle has more than 2^64 bytes; see width, height, depth "
				 "and pitch");
	r = copy_check(c, k, to_bytes, from_bytes);
	if (!r && k->to && k->to == k->from && k->destination < k->source + from_bytes &&
	    k->source < k->destination + to_bytes)
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"destination 0x%llx and source 0x%llx overlap; copy through other memory",
			(ull)k->destination, (ull)k->source);
	return r;
}

/* ---- submitting copies ---- */

/* Copies rows that the GPU can address on both sides. */
static sov_result copy_rows(struct stream *s, const struct copy_side *to,
			    const struct copy_side *from, uint64_t width, uint64_t rows,
			    uint64_t *seqno)
{
	const struct gpu *gpu = s->member.context->gpu;
	uint64_t done, n;
	struct slot slot;
	bool copy_queue;
	sov_result r;

	for (done = 0; done < rows; done += n) {
		struct gpu_lines lines = {
			.destination = to->address + done * to->pitch,
			.source = from->address + done * from->pitch,
			.destination_pitch = (uint32_t)to->pitch,
			.source_pitch = (uint32_t)from->pitch,
			.bytes = (uint32_t)width,
		};

		r = stream_find_copy_queue(s, &copy_queue);
		if (r)
			return r;
		n = gpu->max_lines(&lines, copy_queue);
		n = rows - done < n ? rows - done : n;
		trace_expect_bytes(n * width);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			return r;
		/* A reset in between may have taken the copy queue. */
		if (copy_queue && !slot.push.copy_queue && n > gpu->max_lines(&lines, false))
			n = gpu->max_lines(&lines, false);
		lines.lines = (uint32_t)n;
		gpu->copy_lines(&slot.push, &lines, s->done->va, (uint32_t)slot.seqno);
		*seqno = slot.seqno;
		stream_submit(s, &slot);
	}
	return SOV_OK;
}

/* Copies rows through the staging ring, with its lock held. in: the source is pageable, else the
 * destination. */
static sov_result stage_rows(struct stream *s, const struct copy_side *to,
			     const struct copy_side *from, bool in, uint64_t width, uint64_t rows,
			     uint64_t *seqno)
{
	const struct copy_side *host = in ? from : to;
	uint64_t done, n, i;
	struct staging_range t;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < rows; done += n) {
		uint8_t *at = (uint8_t *)(uintptr_t)(host->address + done * host->pitch);
		struct copy_side packed = {.pitch = width}, there = in ? *to : *from;

		n = STAGING_CHUNK / width < rows - done ? STAGING_CHUNK / width : rows - done;
		there.address += done * there.pitch;
		r = stream_stage(s, 0, n * width, &t);
		if (r)
			return r;
		packed.address = t.va;
		for (i = 0; in && i < n; i++)
			memcpy(t.cpu + i * width, at + i * host->pitch, width);
		r = in ? copy_rows(s, &there, &packed, width, n, seqno)
		       : copy_rows(s, &packed, &there, width, n, seqno);
		if (!r)
			staging_release_after(&s->staging, &t, *seqno);
		if (!r && !in)
			r = stream_wait_for(s, *seqno, SOV_FOREVER);
		for (i = 0; !r && !in && i < n; i++)
			memcpy(at + i * host->pitch, t.cpu + i * width, width);
	}
	return r;
}

/* Copies rows that are larger than a staging chunk one by one. */
static sov_result copy_long_rows(struct stream *s, const struct copy_side *to,
				 const struct copy_side *from, const struct copy_range *k,
				 const struct copy_rect *b, uint64_t *seqno)
{
	sov_result r = SOV_OK;
	uint64_t i;

	for (i = 0; !r && i < b->height; i++) {
		struct copy_range row = *k;

		row.destination = to->address + i * to->pitch;
		row.source = from->address + i * from->pitch;
		row.bytes = b->width;
		r = copy_submit(s, &row, seqno);
	}
	return r;
}

static sov_result copy_slice(struct stream *s, const struct copy_range *k,
			     const struct copy_rect *b, uint64_t slice, uint64_t *seqno)
{
	struct copy_side to = b->to, from = b->from;
	sov_result r;

	to.address += slice * to.slice;
	from.address += slice * from.slice;
	if (b->width > STAGING_CHUNK)
		return copy_long_rows(s, &to, &from, k, b, seqno);
	if (k->to && k->from)
		return copy_rows(s, &to, &from, b->width, b->height, seqno);
	pthread_mutex_lock(&s->staging.lock);
	r = stage_rows(s, &to, &from, !k->from, b->width, b->height, seqno);
	pthread_mutex_unlock(&s->staging.lock);
	return r;
}

static sov_result copy_rect_on_stream(struct stream *s, const struct copy_rect *b)
{
	struct context *c = s->member.context;
	struct copy_range k = {.destination = b->to.address, .source = b->from.address};
	uint64_t seqno = 0, i;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r)
		r = copy_rect_check(c, b, &k);
	if (!r)
		copy_pin(c, &k, 1);
	pthread_mutex_unlock(&c->lock);
	if (r)
		return r;
	LOG(COPY, DEBUG, "%llu x %llu x %llu bytes to 0x%llx from 0x%llx", (ull)b->width,
	    (ull)b->height, (ull)b->depth, (ull)b->to.address, (ull)b->from.address);
	copy_trace_direction(&k);
	for (i = 0; !r && i < b->depth; i++)
		r = copy_slice(s, &k, b, i, &seqno);
	if (!r && c->sync)
		r = stream_wait_for(s, seqno, SOV_FOREVER);
	pthread_mutex_lock(&c->lock);
	copy_pin(c, &k, -1);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result api_memory_copy_rect_async(sov_stream stream, const sov_copy_rect *rect)
{
	struct copy_rect b;
	struct stream *s;
	sov_result r = copy_rect_init(rect, &b);

	if (r)
		return r;
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (b.width)
		r = stream_captured(s) ? stream_capture(s)->copy_rect(s, &b)
				       : copy_rect_on_stream(s, &b);
	object_put(&s->member.object);
	return r;
}
