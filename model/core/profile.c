// SPDX-License-Identifier: MIT
/*
 * Counters by code address, and the set of sectors that a grid has touched: a hash table of pages
 * with a bit per sector. An allocation that fails makes the profile incomplete, and says so.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/profile.h"

#define LANES             32u
#define PAGE_BYTES        4096u
#define SECTORS_PER_PAGE  (PAGE_BYTES / SECTOR_BYTES)
#define MAX_TOUCHED_PAGES (1u << 22) /* 16 GiB of touched memory */
#define FIRST_SLOTS       256u
#define BANKS             32u
#define BANK_BYTES        4u

struct code_counts {
	struct code_counts *next;
	uint64_t va;
	struct counts counts[];
};

struct touched_page {
	uint64_t page; /* page number + 1; 0: the slot is free */
	uint64_t sectors[SECTORS_PER_PAGE / 64];
};

struct touched {
	struct touched_page *slots;
	uint32_t count, capacity; /* capacity: a power of two */
};

struct profile_unit {
	struct profile *profile;
	struct code_counts *pages; /* the last one used first */
	struct touched touched;
	struct touched_page *recent;
	struct counts lost; /* counted in vain */
	bool incomplete;
};

struct profile {
	pthread_mutex_t lock;
	uint32_t granule;
	struct profile_unit total;
};

/* ---- counters by address ---- */

static struct code_counts *page_create(struct profile_unit *u, uint64_t va)
{
	struct code_counts *p;

	p = calloc(1, sizeof(*p) + PAGE_BYTES / u->profile->granule * sizeof(p->counts[0]));
	if (!p) {
		u->incomplete = true;
		return NULL;
	}
	p->va = va;
	p->next = u->pages;
	u->pages = p;
	return p;
}

static struct code_counts *page_find(struct profile_unit *u, uint64_t va)
{
	for (struct code_counts **at = &u->pages; *at; at = &(*at)->next) {
		struct code_counts *p = *at;

		if (p->va != va)
			continue;
		*at = p->next;
		p->next = u->pages;
		u->pages = p;
		return p;
	}
	return page_create(u, va);
}

struct counts *profile_at(struct profile_unit *u, uint64_t pc)
{
	uint64_t va = pc & ~(uint64_t)(PAGE_BYTES - 1);
	struct code_counts *p = u->pages && u->pages->va == va ? u->pages : page_find(u, va);

	return p ? &p->counts[(pc - va) / u->profile->granule] : &u->lost;
}

/* ---- touched sectors ---- */

static struct touched_page *slot_of(const struct touched *t, uint64_t page)
{
	uint32_t at = (uint32_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (;; at++) {
		struct touched_page *s = &t->slots[at & (t->capacity - 1)];

		if (!s->page || s->page == page + 1)
			return s;
	}
}

/* Keeps a quarter of the slots free. */
static bool touched_grow(struct touched *t)
{
	struct touched old = *t;

	if (t->capacity && t->count < t->capacity / 4 * 3)
		return true;
	if (t->count >= MAX_TOUCHED_PAGES)
		return false;
	t->capacity = old.capacity ? old.capacity * 2 : FIRST_SLOTS;
	t->slots = calloc(t->capacity, sizeof(*t->slots));
	if (!t->slots) {
		*t = old;
		return false;
	}
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.slots[i].page)
			*slot_of(t, old.slots[i].page - 1) = old.slots[i];
	free(old.slots);
	return true;
}

/* NULL: the set is full. */
static struct touched_page *touched_find(struct profile_unit *u, uint64_t page)
{
	struct touched_page *s;

	if (u->recent && u->recent->page == page + 1)
		return u->recent;
	if (!touched_grow(&u->touched)) {
		u->incomplete = true;
		return NULL;
	}
	s = slot_of(&u->touched, page);
	u->touched.count += !s->page;
	s->page = page + 1;
	return u->recent = s;
}

static void touch(struct profile_unit *u, uint64_t sector)
{
	struct touched_page *s = touched_find(u, sector / SECTORS_PER_PAGE);

	if (s)
		s->sectors[sector % SECTORS_PER_PAGE / 64] |= UINT64_C(1) << sector % 64;
}

static uint64_t touched_sectors(const struct touched *t)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->capacity; i++)
		for (uint32_t k = 0; k < SECTORS_PER_PAGE / 64; k++)
			n += (uint32_t)__builtin_popcountll(t->slots[i].sectors[k]);
	return n;
}

/* ---- accesses ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Packs the distinct values of the active lanes, smallest first. Returns their number. Most lanes
 * are in order already. */
static uint32_t distinct(const uint64_t value[LANES], uint32_t lanes, uint64_t out[LANES])
{
	uint32_t n = 0;

	for (; lanes; lanes &= lanes - 1) {
		uint64_t x = value[__builtin_ctz(lanes)];
		uint32_t at = n;

		while (at && out[at - 1] > x)
			at--;
		if (at && out[at - 1] == x)
			continue;
		memmove(&out[at + 1], &out[at], (n - at) * sizeof(*out));
		out[at] = x;
		n++;
	}
	return n;
}

static uint64_t sectors_of(uint64_t bytes)
{
	return (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

void profile_global(struct profile_unit *u, struct counts *n, const uint64_t address[LANES],
		    uint32_t lanes, uint32_t bytes)
{
	uint64_t at[LANES], next = 0; /* the first sector that is not counted yet */
	uint32_t count;

	if (!lanes)
		return;
	count = distinct(address, lanes, at);
	n->global_requests++;
	n->global_bytes += (uint64_t)(uint32_t)__builtin_popcount(lanes) * bytes;
	n->global_ideal += sectors_of((uint64_t)count * bytes);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t last = (at[i] + bytes - 1) / SECTOR_BYTES;

		if (next < at[i] / SECTOR_BYTES)
			next = at[i] / SECTOR_BYTES;
		for (; next <= last; next++) {
			n->global_sectors++;
			touch(u, next);
		}
	}
}

void profile_global_bulk(struct profile_unit *u, struct counts *n, uint64_t address, uint64_t bytes)
{
	uint64_t first = address / SECTOR_BYTES, last;

	if (!bytes)
		return;
	last = (address + bytes - 1) / SECTOR_BYTES;
	n->global_requests++;
	n->global_bytes += bytes;
	n->global_ideal += sectors_of(bytes);
	n->global_sectors += last - first + 1;
	for (; first <= last; first++)
		touch(u, first);
}

/* The largest number of distinct words in one bank; every access is aligned to its size. */
static uint32_t wavefronts(const uint64_t address[LANES], uint32_t lanes, uint32_t bytes)
{
	uint32_t words = bytes > BANK_BYTES ? bytes / BANK_BYTES : 1, most = 0;
	uint64_t seen[BANKS][LANES];
	uint8_t count[BANKS] = {0};

	for (; lanes; lanes &= lanes - 1) {
		uint64_t first = address[__builtin_ctz(lanes)] / BANK_BYTES;

		for (uint64_t word = first; word < first + words; word++) {
			uint32_t bank = word % BANKS, i = 0;

			while (i < count[bank] && seen[bank][i] != word)
				i++;
			if (i < count[bank])
				continue;
			seen[bank][count[bank]++] = word;
			if (count[bank] > most)
				most = count[bank];
		}
	}
	return most;
}

/* Eight bytes per lane: half a warp at a time; sixteen: a quarter. */
void profile_shared(struct counts *n, const uint64_t address[LANES], uint32_t lanes, uint32_t bytes)
{
	uint32_t width = bytes <= 4 ? LANES : bytes == 8 ? LANES / 2 : LANES / 4;
	uint32_t part = width == LANES ? UINT32_MAX : (1u << width) - 1;

	if (!lanes)
		return;
	n->shared_requests++;
	n->shared_bytes += (uint64_t)(uint32_t)__builtin_popcount(lanes) * bytes;
	for (uint32_t first = 0; first < LANES; first += width) {
		uint32_t group = lanes & part << first;

		if (!group)
			continue;
		n->shared_ideal++;
		n->shared_wavefronts += wavefronts(address, group, bytes);
	}
}

/* ---- units and grids ---- */

static void unit_free(struct profile_unit *u)
{
	struct code_counts *next;

	for (struct code_counts *p = u->pages; p; p = next) {
		next = p->next;
		free(p);
	}
	free(u->touched.slots);
}

static void unit_add(struct profile_unit *to, const struct profile_unit *from)
{
	uint32_t sites = PAGE_BYTES / to->profile->granule;

	for (const struct code_counts *p = from->pages; p; p = p->next) {
		struct code_counts *sum = page_find(to, p->va);

		for (uint32_t i = 0; sum && i < sites; i++)
			counts_add(&sum->counts[i], &p->counts[i]);
	}
	for (uint32_t i = 0; i < from->touched.capacity; i++) {
		const struct touched_page *s = &from->touched.slots[i];
		struct touched_page *sum = s->page ? touched_find(to, s->page - 1) : NULL;

		for (uint32_t k = 0; sum && k < SECTORS_PER_PAGE / 64; k++)
			sum->sectors[k] |= s->sectors[k];
	}
	to->incomplete |= from->incomplete;
}

struct profile *profile_create(uint32_t granule)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	p->granule = granule;
	p->total.profile = p;
	return p;
}

struct profile_unit *profile_unit_create(struct profile *p)
{
	struct profile_unit *u = calloc(1, sizeof(*u));

	if (u)
		u->profile = p;
	return u;
}

void profile_unit_destroy(struct profile_unit *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->profile->lock);
	u->profile->total.recent = NULL;
	unit_add(&u->profile->total, u);
	pthread_mutex_unlock(&u->profile->lock);
	unit_free(u);
	free(u);
}

static int compare_sites(const void *a, const void *b)
{
	return compare_u64(&((const struct site_counts *)a)->pc,
			   &((const struct site_counts *)b)->pc);
}

/* The executed instructions; NULL: none, or out of host memory. */
static struct site_counts *collect_sites(const struct profile *p, uint32_t *count)
{
	uint32_t sites = PAGE_BYTES / p->granule, pages = 0;
	const struct code_counts *c;
	struct site_counts *out;

	*count = 0;
	for (c = p->total.pages; c; c = c->next)
		pages++;
	out = calloc((size_t)pages * sites + 1, sizeof(*out));
	for (c = out ? p->total.pages : NULL; c; c = c->next)
		for (uint32_t i = 0; i < sites; i++)
			if (c->counts[i].executed)
				out[(*count)++] = (struct site_counts){
					c->va + (uint64_t)i * p->granule, c->counts[i]};
	if (out)
		qsort(out, *count, sizeof(*out), compare_sites);
	return out;
}

void profile_end(struct profile *p, struct launch_counts *l,
		 void (*report)(void *argument, const struct launch_counts *l), void *argument)
{
	struct site_counts *sites = collect_sites(p, &l->count);

	l->sites = sites;
	l->touched_sectors = touched_sectors(&p->total.touched);
	l->incomplete = p->total.incomplete || !sites;
	report(argument, l);
	free(sites);
	unit_free(&p->total);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
