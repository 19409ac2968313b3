// SPDX-License-Identifier: MIT
/*
 * Lines that a dispatch leaves in caches. Nothing but ACQUIRE_MEM, GCR_REQ and a wave's own
 * invalidations removes them, so a later dispatch may read what was there before another compute
 * unit, a packet, a copy queue or the CPU wrote (LLVM's AMDGPU guide, "Memory Model GFX10"; Linux,
 * sdma_v5_2.c and gfx_v10_0.c, emit_mem_sync). weak_memory.c has the caches within a dispatch.
 *
 * There are few compute units, so that dispatches share them, and which one a workgroup has is
 * chosen by the seed. A unit has one cache for L0 and L1, and all units share the scalar cache. A
 * line hits if an earlier dispatch has loaded it; a unit's own store removes it. Tags are GPU
 * addresses. L2 is not here: on one GPU it is what memory is to this model.
 */
#include <stdlib.h>

#include "hw/amd/pm4.h"
#include "model/amd/queue.h"
#include "model/amd/wave.h"

#define UNITS      2u
#define LINES      256u
#define LINE_BYTES 128u

struct line {
	uint64_t tag;      /* address / LINE_BYTES + 1; 0: none */
	uint64_t dispatch; /* that has loaded it */
	uint8_t data[LINE_BYTES];
};

struct cache {
	struct line lines[LINES];
};

struct amd_lines {
	pthread_mutex_t lock;
	uint64_t random, dispatches;
	struct cache vector[UNITS], scalar;
};

static struct line *find_line(struct cache *c, uint64_t va)
{
	return &c->lines[va / LINE_BYTES % LINES];
}

static void cache_clear(struct cache *c)
{
	for (uint32_t i = 0; i < LINES; i++)
		c->lines[i].tag = 0;
}

bool amd_lines_begin(struct amd_grid *g)
{
	struct model_space *s = g->work.channel->space;
	struct amd_lines *l;

	pthread_mutex_lock(&s->code_lock);
	if (!s->lines && (s->lines = calloc(1, sizeof(*s->lines)))) {
		pthread_mutex_init(&s->lines->lock, NULL);
		s->lines->random = g->work.channel->amd.random;
	}
	l = s->lines;
	pthread_mutex_unlock(&s->code_lock);
	if (!l)
		return false;
	pthread_mutex_lock(&l->lock);
	g->dispatch = ++l->dispatches;
	pthread_mutex_unlock(&l->lock);
	g->lines = l;
	return true;
}

void amd_lines_destroy(struct model_space *s)
{
	if (s->lines)
		pthread_mutex_destroy(&s->lines->lock);
	free(s->lines);
}

uint32_t amd_lines_unit(struct amd_lines *l)
{
	uint32_t unit;

	pthread_mutex_lock(&l->lock);
	unit = (uint32_t)(amd_choice(&l->random) % UNITS);
	pthread_mutex_unlock(&l->lock);
	return unit;
}

static struct cache *cache_of(const struct wave *w, enum amd_path path)
{
	struct amd_lines *l = w->grid->lines;

	return path == AMD_SCALAR   ? &l->scalar
	       : path == AMD_CACHED ? &l->vector[w->group->unit]
				    : NULL;
}

bool amd_lines_load(const struct wave *w, enum amd_path path, uint64_t va, const uint8_t *host,
		    void *out, uint32_t bytes)
{
	struct cache *c = cache_of(w, path);
	bool hit = true;

	if (!c)
		return false;
	pthread_mutex_lock(&w->grid->lines->lock);
	for (uint64_t at = va; hit && at < va + bytes; at = (at / LINE_BYTES + 1) * LINE_BYTES) {
		struct line *l = find_line(c, at);

		if (l->tag != at / LINE_BYTES + 1) {
			l->tag = at / LINE_BYTES + 1;
			l->dispatch = w->grid->dispatch;
			mmu_move(l->data, host + (at - va) - at % LINE_BYTES, LINE_BYTES);
		}
		hit = l->dispatch != w->grid->dispatch;
	}
	for (uint64_t at = va, n; hit && at < va + bytes; at += n) {
		n = LINE_BYTES - at % LINE_BYTES;
		n = n < va + bytes - at ? n : va + bytes - at;
		memcpy((uint8_t *)out + (at - va), find_line(c, at)->data + at % LINE_BYTES, n);
	}
	pthread_mutex_unlock(&w->grid->lines->lock);
	return hit;
}

void amd_lines_store(const struct wave *w, uint64_t va, uint32_t bytes)
{
	struct cache *c = cache_of(w, AMD_CACHED);

	pthread_mutex_lock(&w->grid->lines->lock);
	for (uint64_t at = va; at < va + bytes; at = (at / LINE_BYTES + 1) * LINE_BYTES)
		if (find_line(c, at)->tag == at / LINE_BYTES + 1)
			find_line(c, at)->tag = 0;
	pthread_mutex_unlock(&w->grid->lines->lock);
}

static void invalidate(struct amd_lines *l, struct cache *c)
{
	pthread_mutex_lock(&l->lock);
	cache_clear(c);
	pthread_mutex_unlock(&l->lock);
}

/* Of L1, after which LLVM's code also invalidates L0: hazard.c. */
void amd_lines_invalidate_vector(const struct wave *w)
{
	invalidate(w->grid->lines, cache_of(w, AMD_CACHED));
}

void amd_lines_invalidate_scalar(const struct wave *w)
{
	invalidate(w->grid->lines, cache_of(w, AMD_SCALAR));
}

void amd_lines_invalidate(struct model_space *s, uint32_t bits)
{
	const uint32_t vector = AMD_GCR_GLV_INV | AMD_GCR_GL1_INV;
	struct amd_lines *l;

	pthread_mutex_lock(&s->code_lock);
	l = s->lines;
	pthread_mutex_unlock(&s->code_lock);
	for (uint32_t i = 0; l && (bits & vector) == vector && i < UNITS; i++)
		invalidate(l, &l->vector[i]);
	if (l && bits & AMD_GCR_GLK_INV)
		invalidate(l, &l->scalar);
}
