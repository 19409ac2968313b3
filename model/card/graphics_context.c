// SPDX-License-Identifier: MIT
/* Graphics context buffers. The graphics engine saves a channel's state in memory of the driver:
 * some buffers belong to one channel, others to all. The firmware reports their sizes; the driver
 * "promotes" them, that is, tells the firmware where they lie and where they are mapped; only then
 * can the channel have objects of that engine. The software GPU stores nothing there; it checks
 * that the memory exists, is large enough and mapped. */
#include <inttypes.h>

#include "model/card/card_internal.h"

enum { HAS_ADDRESS = 1, HAS_MAPPING = 2 };

/* The sizes are arbitrary: a driver must query them, and small ones are cleared quickly. */
static const struct buffer {
	uint32_t id, index, bytes; /* RM_BUFFER, RM_CONTEXT */
	uint32_t extra;            /* bytes that the driver must add */
	uint8_t need;              /* any of these suffices */
} buffers[] = {
	{RM_BUFFER_MAIN, RM_CONTEXT_MAIN, 0x20000, RM_BUFFER_MAIN_EXTRA, HAS_ADDRESS | HAS_MAPPING},
	{RM_BUFFER_PATCH, RM_CONTEXT_PATCH, 0x4000, 0, HAS_ADDRESS | HAS_MAPPING},
	{RM_BUFFER_BUNDLE, RM_CONTEXT_BUNDLE, 0x8000, 0, HAS_MAPPING},
	{RM_BUFFER_PAGE_POOL, RM_CONTEXT_PAGE_POOL, 0x10000, 0, HAS_MAPPING},
	{RM_BUFFER_ATTRIBUTE, RM_CONTEXT_ATTRIBUTE, 0x40000, 0, HAS_MAPPING},
	{RM_BUFFER_RTV, RM_CONTEXT_RTV, 0x10000, 0, HAS_MAPPING},
	{RM_BUFFER_EVENTS, RM_CONTEXT_EVENTS, 0x2000, 0, HAS_MAPPING},
	{RM_BUFFER_ACCESS_MAP, RM_CONTEXT_ACCESS_MAP, 0x10000, 0, 0},
	{RM_BUFFER_FREE_ACCESS_MAP, RM_CONTEXT_ACCESS_MAP, 0x10000, 0, 0},
};
#define BUFFERS (sizeof(buffers) / sizeof(*buffers))

void context_sizes(struct rm_context_buffers *out)
{
	for (uint32_t i = 0; i < BUFFERS; i++) {
		out->engine[0].buffer[buffers[i].index].bytes = buffers[i].bytes;
		out->engine[0].buffer[buffers[i].index].alignment = 0x1000;
	}
	out->engine[0].buffer[RM_CONTEXT_PAGE_POOL_OLD] =
		out->engine[0].buffer[RM_CONTEXT_PAGE_POOL];
}

static const struct buffer *find_buffer(uint32_t id)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		if (buffers[i].id == id)
			return &buffers[i];
	return NULL;
}

static bool promote_buffer(struct card *c, struct context *x, struct card_space *s,
			   const struct rm_promote_entry *e)
{
	const struct buffer *b = find_buffer(e->buffer);
	struct rm_memory_description m = {e->physical, e->bytes, RM_SPACE_VRAM, 0};

	if (!b || (!e->initialise && e->unmapped)) {
		card_refuse(c, "GSP: promotion of context buffer %u: %s", e->buffer,
			    b ? "neither its address nor its mapping is given" : "no such buffer");
		return false;
	}
	uint64_t bytes = b->bytes + b->extra;

	if (e->initialise && (e->attributes != RM_PROMOTE_VRAM ||
			      !rm_memory_pointer(c, &m, bytes, "a context buffer"))) {
		card_refuse(c,
			    "GSP: promotion of context buffer %u: %" PRIu64 " bytes at 0x%" PRIx64
			    ", attributes %u",
			    e->buffer, e->bytes, e->physical, e->attributes);
		return false;
	}
	if (!e->unmapped && !space_covers(s, e->virtual, bytes)) {
		card_refuse(c,
			    "GSP: promotion of context buffer %u: %" PRIu64 " bytes at 0x%" PRIx64
			    " are not mapped",
			    e->buffer, bytes, e->virtual);
		return false;
	}
	x->buffer[e->buffer] |= (e->initialise ? HAS_ADDRESS : 0) | (e->unmapped ? 0 : HAS_MAPPING);
	return true;
}

uint32_t context_promote(struct card *c, struct context *x, struct card_space *s,
			 const struct rm_promote *p)
{
	if (p->engine != RM_ENGINE_GRAPHICS || p->count > RM_PROMOTE_ENTRIES) {
		card_refuse(c, "GSP: promotion of %u context buffers of engine %u", p->count,
			    p->engine);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < p->count; i++)
		if (!promote_buffer(c, x, s, &p->list[i]))
			return NV_STATUS_INVALID_ARGUMENT;
	return 0;
}

bool context_complete(struct card *c, const struct context *x)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		if ((x->buffer[buffers[i].id] & buffers[i].need) != buffers[i].need) {
			card_refuse(c,
				    "GSP: graphics object, but context buffer %u "
				    "is not %s",
				    buffers[i].id,
				    x->buffer[buffers[i].id] & HAS_MAPPING ? "given" : "mapped");
			return false;
		}
	return true;
}
