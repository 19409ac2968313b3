// SPDX-License-Identifier: MIT
/*
 * Staging rings for pageable host memory. Each stream that copies such memory has a ring of pinned
 * system memory; the CPU fills or empties some of its blocks while the GPU copies others. A block
 * is free again when the submission that uses it has completed.
 */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#include "libsov/kernels/memory_kernels.h"
#include "libsov/runtime/memory/staging.h"

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

static sov_result staging_need_buffer(struct context *c, struct staging *g)
{
	sov_result r = SOV_OK;

	if (g->buffer)
		return SOV_OK;
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r)
		r = buffer_create_mapped(c, WINSYS_SYSTEM, false,
					 STAGING_BLOCKS * STAGING_BLOCK_BYTES, &g->buffer);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result staging_find(struct context *c, struct staging *g, uint64_t align_as, uint64_t bytes,
			struct staging_range *out)
{
	uint64_t skew = align_as % MEMORY_UNIT, at;
	uint32_t blocks =
		(uint32_t)((skew + bytes + STAGING_BLOCK_BYTES - 1) / STAGING_BLOCK_BYTES);
	uint32_t i;
	sov_result r = staging_need_buffer(c, g);

	if (g->next + blocks > STAGING_BLOCKS)
		g->next = 0;
	if (r)
		return r;
	at = (uint64_t)g->next * STAGING_BLOCK_BYTES + skew;
	*out = (struct staging_range){
		.first = g->next,
		.blocks = blocks,
		.cpu = (uint8_t *)g->buffer->cpu + at,
		.va = g->buffer->va + at,
	};
	for (i = 0; i < blocks; i++)
		if (g->busy[g->next + i] > out->free_after)
			out->free_after = g->busy[g->next + i];
	return SOV_OK;
}

void staging_claim(struct staging *g, const struct staging_range *t)
{
	g->next += t->blocks;
}

void staging_release_after(struct staging *g, const struct staging_range *t, uint64_t seqno)
{
	uint32_t i;

	for (i = 0; i < t->blocks; i++)
		g->busy[t->first + i] = seqno;
}

#if defined(__SSE2__)
/* Non-temporal stores do not read the line first: a large copy to the host moves a third less. */
static void copy_nontemporal(uint8_t *to, const uint8_t *from, uint64_t bytes)
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
static void copy_nontemporal(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	memcpy(to, from, bytes);
}
#endif

void staging_read(void *to, const struct staging_range *t, uint64_t bytes, bool nontemporal)
{
	if (nontemporal)
		copy_nontemporal(to, t->cpu, bytes);
	else
		memcpy(to, t->cpu, bytes);
}
