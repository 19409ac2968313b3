/* SPDX-License-Identifier: MIT */
/*
 * Copies of boxes: rows that lie a pitch apart, slices of such rows. The copy engine takes a slice
 * at a time. Host memory that it does not reach is packed into, or unpacked from, the stream's
 * staging ring, as many rows at a time as fit there.
 */
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

typedef unsigned long long ull;

/* ---- what may be copied ---- */

/* Bytes from the first to behind the last; false: they do not fit 64 bits. */
static bool extent(const struct box *b, const struct side *s, uint64_t *bytes)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(b->height - 1, s->pitch, &rows) &&
	       !__builtin_mul_overflow(b->depth - 1, s->slice, &slices) &&
	       !__builtin_add_overflow(rows, slices, bytes) &&
	       !__builtin_add_overflow(*bytes, b->width, bytes);
}

static sov_result take_side(const char *what, const sov_copy_rect *o, uint64_t address, uint64_t pitch,
			    uint64_t rows, struct side *out)
{
	uint64_t height = o->height ? o->height : 1;

	out->address = address;
	out->pitch = pitch ? pitch : o->width_bytes;
	if (out->pitch < o->width_bytes || out->pitch > UINT32_MAX)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "%s_pitch is %llu; it must be at least width_bytes, %llu, and less "
			      "than 4 GiB",
			      what, (ull)pitch, (ull)o->width_bytes);
	if (rows && rows < height)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "%s_rows is %llu; it must be at least height, %llu", what, (ull)rows,
			      (ull)height);
	if (__builtin_mul_overflow(out->pitch, rows ? rows : height, &out->slice))
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "%s_rows of %llu are more than 2^64 bytes; 0 means packed", what,
			      (ull)rows);
	return SOV_OK;
}

sov_result box_take(const sov_copy_rect *given, struct box *b)
{
	sov_copy_rect copy, *o = &copy;
	sov_result r = struct_in("sov_copy_rect", o, sizeof(*o), given);

	if (r)
		return r;
	r = take_side("destination", o, o->destination, o->destination_pitch, o->destination_rows,
		      &b->to);

	if (!r)
		r = take_side("source", o, o->source, o->source_pitch, o->source_rows, &b->from);
	b->width = o->width_bytes;
	b->height = o->height ? o->height : 1;
	b->depth = o->depth ? o->depth : 1;
	return r;
}

sov_result box_check(struct context *c, const struct box *b, struct sides *k)
{
	uint64_t to_bytes, from_bytes;
	sov_result r;

	if (!extent(b, &b->to, &to_bytes) || !extent(b, &b->from, &from_bytes))
		return refuse(
			SOV_ERROR_INVALID_ADDRESS,
			"the box has more than 2^64 bytes; see width, height, depth and pitch");
	r = copy_check(c, k, to_bytes, from_bytes);
	if (!r && k->to && k->to == k->from && k->destination < k->source + from_bytes &&
	    k->source < k->destination + to_bytes)
		r = refuse(
			SOV_ERROR_INVALID_ARGUMENT,
			"destination 0x%llx and source 0x%llx overlap; copy by way of other memory",
			(ull)k->destination, (ull)k->source);
	return r;
}

/* ---- moving ---- */

/* Rows that the GPU reaches on both sides. */
static sov_result copy_rows(struct stream *s, const struct side *to, const struct side *from,
			    uint64_t width, uint64_t rows, uint64_t *number)
{
	const struct gpu *gpu = s->member.context->gpu;
	uint64_t done, n;
	struct slot slot;
	sov_result r;

	for (done = 0; done < rows; done += n) {
		struct gpu_lines lines = {
			.destination = to->address + done * to->pitch,
			.source = from->address + done * from->pitch,
			.destination_pitch = (uint32_t)to->pitch,
			.source_pitch = (uint32_t)from->pitch,
			.bytes = (uint32_t)width,
		};

		n = gpu->max_lines(&lines);
		n = rows - done < n ? rows - done : n;
		lines.lines = (uint32_t)n;
		trace_bytes(n * width);
		r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
		if (r)
			return r;
		gpu->copy_lines(&slot.push, &lines, s->done->va, (uint32_t)slot.number);
		*number = slot.number;
		stream_submit(s, &slot);
	}
	return SOV_OK;
}

/* One side is host memory that the GPU does not reach. in: the source. With the staging's lock. */
static sov_result stage_rows(struct stream *s, const struct side *to, const struct side *from,
			     bool in, uint64_t width, uint64_t rows, uint64_t *number)
{
	const struct side *host = in ? from : to;
	uint64_t done, n, i;
	struct staged t;
	sov_result r = SOV_OK;

	for (done = 0; !r && done < rows; done += n) {
		uint8_t *at = (uint8_t *)(uintptr_t)(host->address + done * host->pitch);
		struct side packed = {.pitch = width}, there = in ? *to : *from;

		n = STAGING_CHUNK / width < rows - done ? STAGING_CHUNK / width : rows - done;
		there.address += done * there.pitch;
		r = staging_take(s, 0, n * width, &t);
		if (r)
			return r;
		packed.address = t.va;
		for (i = 0; in && i < n; i++)
			memcpy(t.cpu + i * width, at + i * host->pitch, width);
		r = in ? copy_rows(s, &there, &packed, width, n, number)
		       : copy_rows(s, &packed, &there, width, n, number);
		if (!r)
			staging_note(s, &t, *number);
		if (!r && !in)
			r = stream_wait_for(s, *number, SOV_MAX_WAIT);
		for (i = 0; !r && !in && i < n; i++)
			memcpy(at + i * host->pitch, t.cpu + i * width, width);
	}
	return r;
}

/* Rows that fit no staging go one by one. */
static sov_result copy_long_rows(struct stream *s, const struct side *to, const struct side *from,
				 const struct sides *k, const struct box *b, uint64_t *number)
{
	sov_result r = SOV_OK;
	uint64_t i;

	for (i = 0; !r && i < b->height; i++) {
		struct sides row = *k;

		row.destination = to->address + i * to->pitch;
		row.source = from->address + i * from->pitch;
		row.bytes = b->width;
		r = copy_sides(s, &row, number);
	}
	return r;
}

static sov_result copy_slice(struct stream *s, const struct sides *k, const struct box *b,
			     uint64_t slice, uint64_t *number)
{
	struct side to = b->to, from = b->from;
	sov_result r;

	to.address += slice * to.slice;
	from.address += slice * from.slice;
	if (b->width > STAGING_CHUNK)
		return copy_long_rows(s, &to, &from, k, b, number);
	if (k->to && k->from)
		return copy_rows(s, &to, &from, b->width, b->height, number);
	pthread_mutex_lock(&s->staging.lock);
	r = stage_rows(s, &to, &from, !k->from, b->width, b->height, number);
	pthread_mutex_unlock(&s->staging.lock);
	return r;
}

static sov_result copy_box(struct stream *s, const struct box *b)
{
	struct context *c = s->member.context;
	struct sides k = {.destination = b->to.address, .source = b->from.address};
	uint64_t number = 0, i;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r)
		r = box_check(c, b, &k);
	if (!r)
		copy_pin(c, &k, 1);
	pthread_mutex_unlock(&c->lock);
	if (r)
		return r;
	LOG(COPY, DEBUG, "%llu x %llu x %llu bytes to 0x%llx from 0x%llx", (ull)b->width,
	    (ull)b->height, (ull)b->depth, (ull)b->to.address, (ull)b->from.address);
	copy_trace(&k);
	for (i = 0; !r && i < b->depth; i++)
		r = copy_slice(s, &k, b, i, &number);
	if (!r && c->sync)
		r = stream_wait_for(s, number, SOV_MAX_WAIT);
	pthread_mutex_lock(&c->lock);
	copy_pin(c, &k, -1);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result sov_memory_copy_rect_async(sov_stream stream, const sov_copy_rect *box)
{
	struct box b;
	struct stream *s;
	sov_result r = box_take(box, &b);

	if (r)
		return r;
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	if (b.width)
		r = graph_capturing(s) ? graph_capture_box(s, &b) : copy_box(s, &b);
	object_put(&s->member.object);
	return r;
}
