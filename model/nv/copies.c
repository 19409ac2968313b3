// SPDX-License-Identifier: MIT
/* Hazard mode: asynchronous copies in flight. A copy reads its data when it is issued and writes it
 * as late as possible: when its warp has waited for the scoreboard of the LDGDEPBAR after it; a
 * bulk copy, STAS and REDAS when a lane tests their barrier. Until then an access of any warp to
 * these bytes is a fault. */
#include <stdlib.h>
#include <string.h>

#include "model/nv/exec_memory.h"

#define BARRIER_BYTES 8

struct arriving {
	uint64_t pc, ticket; /* 0: no LDGDEPBAR has followed it */
	uint32_t warp, to, bytes, barrier;
	uint8_t scoreboard;
	const struct op *reduction; /* NULL: a store */
	uint32_t words[4];
};

struct copies {
	struct arriving *list;
	uint32_t count, capacity;
	uint16_t *pending; /* copies in flight, by byte of shared memory */
	/* … and by the eight bytes of their barrier: threads test barriers often, and a tensor
	 * copy consists of a copy for every few bytes. */
	uint32_t *waiting;
	uint32_t plain; /* copies that complete at no barrier */
};

static uint32_t *waiting_at(const struct copies *c, uint32_t barrier)
{
	return &c->waiting[(barrier & ((1u << RANK_SHIFT) - 1)) / BARRIER_BYTES];
}

static size_t barriers(uint32_t shared_bytes)
{
	return shared_bytes / BARRIER_BYTES + 1;
}

struct copies *copies_create(uint32_t shared_bytes)
{
	struct copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->pending = calloc(shared_bytes + 1, sizeof(*c->pending));
	c->waiting = calloc(barriers(shared_bytes), sizeof(*c->waiting));
	if (c->pending && c->waiting)
		return c;
	copies_destroy(c);
	return NULL;
}

void copies_destroy(struct copies *c)
{
	if (!c)
		return;
	free(c->list);
	free(c->pending);
	free(c->waiting);
	free(c);
}

void copies_reset(struct copies *c, uint32_t shared_bytes)
{
	c->count = c->plain = 0;
	memset(c->pending, 0, shared_bytes * sizeof(*c->pending));
	memset(c->waiting, 0, barriers(shared_bytes) * sizeof(*c->waiting));
}

bool copies_hold(struct warp *w, struct cta *cta, uint32_t to, const void *words, uint32_t bytes,
		 uint32_t barrier, const struct op *reduction)
{
	struct copies *c = cta->copies;
	struct arriving *copy;

	if (c->count == c->capacity) {
		uint32_t capacity = c->capacity ? 2 * c->capacity : 64;

		copy = realloc(c->list, capacity * sizeof(*copy));
		if (!copy)
			return false;
		c->list = copy;
		c->capacity = capacity;
	}
	copy = &c->list[c->count++];
	*copy = (struct arriving){.pc = w->pc,
				  .warp = w->index,
				  .to = to,
				  .bytes = bytes,
				  .barrier = barrier,
				  .reduction = reduction};
	memcpy(copy->words, words, bytes);
	if (barrier == NO_BARRIER)
		c->plain++;
	else
		++*waiting_at(c, barrier);
	for (uint32_t k = 0; k < bytes; k++)
		c->pending[to + k]++;
	return true;
}

void copies_end_group(struct warp *w, uint8_t scoreboard, uint64_t ticket)
{
	struct copies *c = w->cta->copies;

	for (uint32_t k = 0; k < c->count; k++)
		if (c->list[k].warp == w->index && !c->list[k].ticket &&
		    c->list[k].barrier == NO_BARRIER) {
			c->list[k].scoreboard = scoreboard;
			c->list[k].ticket = ticket;
		}
}

static void write_copy(struct cta *cta, const struct arriving *copy)
{
	if (copy->reduction)
		atomic_reduce(copy->reduction, cta->shared + copy->to, copy->words);
	else
		memcpy(cta->shared + copy->to, copy->words, copy->bytes);
	for (uint32_t n = 0; n < copy->bytes; n++)
		cta->copies->pending[copy->to + n]--;
}

void copies_arrive(struct warp *w, uint8_t scoreboard, uint64_t settled)
{
	struct copies *c = w->cta->copies;
	uint32_t left = 0;

	if (!c->plain)
		return;
	for (uint32_t k = 0; k < c->count; k++) {
		struct arriving *copy = &c->list[k];

		if (copy->warp != w->index || copy->scoreboard != scoreboard || !copy->ticket ||
		    copy->ticket > settled)
			c->list[left++] = *copy;
		else
			write_copy(w->cta, copy);
	}
	c->plain -= c->count - left;
	c->count = left;
}

void copies_complete(struct warp *w)
{
	struct copies *c = w->cta->copies;
	uint32_t left = 0;

	if (!c->plain)
		return;
	for (uint32_t k = 0; k < c->count; k++) {
		if (c->list[k].warp != w->index || c->list[k].barrier != NO_BARRIER)
			c->list[left++] = c->list[k];
		else
			write_copy(w->cta, &c->list[k]);
	}
	c->plain -= c->count - left;
	c->count = left;
}

uint32_t copies_arrive_at(struct cta *cta, uint32_t barrier)
{
	struct copies *c = cta->copies;
	uint32_t left = 0, bytes = 0;

	if (!*waiting_at(c, barrier))
		return 0;
	*waiting_at(c, barrier) = 0;
	for (uint32_t k = 0; k < c->count; k++) {
		if (c->list[k].barrier != barrier) {
			c->list[left++] = c->list[k];
			continue;
		}
		write_copy(cta, &c->list[k]);
		bytes += c->list[k].bytes;
	}
	c->count = left;
	return bytes;
}

bool copies_any_pending(const struct cta *cta)
{
	return cta->copies && cta->copies->count;
}

bool copies_pending(const struct cta *cta, uint64_t address, uint32_t bytes, uint64_t *pc)
{
	const struct copies *c = cta->copies;
	bool pending = false;

	for (uint32_t k = 0; c->count && k < bytes; k++)
		pending |= c->pending[address + k];
	for (uint32_t k = 0; pending && k < c->count; k++)
		if (c->list[k].to < address + bytes && address < c->list[k].to + c->list[k].bytes) {
			*pc = c->list[k].pc;
			return true;
		}
	return false;
}
