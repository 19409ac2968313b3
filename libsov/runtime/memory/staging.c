/* SPDX-License-Identifier: MIT */
/*
 * The detour for host memory that is not pinned: a ring of system memory, which the GPU reaches, in
 * each stream that needs it. The CPU fills or empties pieces of it while the GPU works on others.
 * A piece is free again when the stream has come to the piece of work that was noted for it.
 */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include "libsov/kernels/memory_kernels.h"
#include "libsov/runtime/runtime.h"

void staging_init(struct staging *g)
{
	memset(g, 0, sizeof(*g));
	pthread_mutex_init(&g->lock, NULL);
}

void staging_fini(struct context *c, struct staging *g)
{
	if (g->buffer)
		buffer_destroy(c, g->buffer);
	pthread_mutex_destroy(&g->lock);
}

static sov_result need_buffer(struct context *c, struct staging *g)
{
	sov_result r = SOV_OK;

	if (g->buffer)
		return SOV_OK;
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r)
		r = buffer_create_mapped(c, WINSYS_SYSTEM, false,
					 STAGING_PIECES * STAGING_PIECE_BYTES, &g->buffer);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result staging_take(struct stream *s, uint64_t like, uint64_t bytes, struct staged *out)
{
	struct staging *g = &s->staging;
	uint64_t skew = like % MEMORY_UNIT;
	uint32_t pieces =
			 (uint32_t)((skew + bytes + STAGING_PIECE_BYTES - 1) / STAGING_PIECE_BYTES),
		 i;
	sov_result r = need_buffer(s->member.context, g);

	if (g->next + pieces > STAGING_PIECES)
		g->next = 0;
	for (i = 0; !r && i < pieces; i++)
		if (g->busy[g->next + i] > stream_poll(s))
			r = stream_wait_for(s, g->busy[g->next + i], SOV_MAX_WAIT);
	if (r)
		return r;
	*out = (struct staged){
		.first = g->next,
		.pieces = pieces,
		.cpu = (uint8_t *)g->buffer->cpu + (uint64_t)g->next * STAGING_PIECE_BYTES + skew,
		.va = g->buffer->va + (uint64_t)g->next * STAGING_PIECE_BYTES + skew,
	};
	g->next += pieces;
	return SOV_OK;
}

#if defined(__SSE2__)
/* Stores that do not read the line first: a large copy to the host then moves a third less. */
static void store_past_cache(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t head = -(uintptr_t)to % 16, i;

	head = head < bytes ? head : bytes;
	memcpy(to, from, head);
	to += head;
	from += head;
	bytes -= head;
	for (i = 0; i + 64 <= bytes; i += 64) {
		__m128i a = _mm_loadu_si128((const __m128i *)(from + i));
		__m128i b = _mm_loadu_si128((const __m128i *)(from + i + 16));
		__m128i c = _mm_loadu_si128((const __m128i *)(from + i + 32));
		__m128i d = _mm_loadu_si128((const __m128i *)(from + i + 48));

		_mm_stream_si128((__m128i *)(to + i), a);
		_mm_stream_si128((__m128i *)(to + i + 16), b);
		_mm_stream_si128((__m128i *)(to + i + 32), c);
		_mm_stream_si128((__m128i *)(to + i + 48), d);
	}
	_mm_sfence();
	memcpy(to + i, from + i, bytes - i);
}
#else
static void store_past_cache(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	memcpy(to, from, bytes);
}
#endif

void staging_empty(void *to, const struct staged *t, uint64_t bytes, bool past_cache)
{
	if (past_cache)
		store_past_cache(to, t->cpu, bytes);
	else
		memcpy(to, t->cpu, bytes);
}

void staging_note(struct stream *s, const struct staged *t, uint64_t number)
{
	uint32_t i;

	for (i = 0; i < t->pieces; i++)
		s->staging.busy[t->first + i] = number;
}
