// SPDX-License-Identifier: MIT
/* Which accesses come before others. Each warp has a clock, and knows of each warp of its block the
 * clock up to which it follows it (vector clocks; Flanagan and Freund, FastTrack, PLDI 2009). A
 * barrier joins the clocks of its warps. A fence releases what the warp has seen to its block, and
 * one of the whole GPU to other blocks; another warp acquires it by a fence, and, from other
 * blocks, by a strong read or an atomic and then a fence or an invalidation of its cache. The
 * addresses of flags are not compared: a release counts for all that acquire after it.
 *
 * A clock is the number of a group. Numbers are the address space's: each group belongs to a block,
 * so that a group and a warp, an epoch, say in 32 bits whose access it was and when. Marks of
 * earlier launches have smaller numbers and need not be cleared. When numbers become scarce, the
 * next launch that runs alone forgets all marks and begins again; a launch that uses all of them is
 * not checked for races any more. */
#include <stdlib.h>

#include "model/core/check_internal.h"

#define GROUP_PAGE  256u
#define MAX_GROUPS  (1u << (32 - EPOCH_WARP_BITS))
#define GROUP_PAGES (MAX_GROUPS / GROUP_PAGE)

/* The blocks of groups. A launch has whole pages. */
struct group_page {
	const struct check_launch *launch;
	uint32_t block[GROUP_PAGE];
};

/* What a block has released: all that its warps had done up to their clocks. */
struct release {
	uint64_t time;
	uint32_t clock[CHECK_MAX_WARPS];
};

struct block_releases {
	struct block_releases *next;
	uint32_t block, count, capacity;
	struct release *list;
};

#define RELEASE_BUCKETS 256u
struct releases {
	uint64_t time; /* counts releases */
	struct block_releases *buckets[RELEASE_BUCKETS];
};

/* ---- epochs ---- */

bool groups_create(struct check_space *s)
{
	s->groups = calloc(GROUP_PAGES, sizeof(struct group_page *));
	s->group_pages = 1; /* epoch 0 is none */
	return s->groups;
}

void groups_destroy(struct check_space *s)
{
	free(s->groups);
}

/* Returns the number of a new group of the block; 0: there is none. */
static uint32_t group_create(struct check_block *b)
{
	struct check_launch *l = b->launch;
	struct check_space *s = l->space;
	struct group_page *page = NULL;
	uint32_t group;

	if (l->group == l->groups) {
		pthread_mutex_lock(&s->lock);
		if (s->group_pages < GROUP_PAGES)
			page = calloc(1, sizeof(*page));
		if (page) {
			page->launch = l;
			s->groups[s->group_pages] = page;
			l->group = s->group_pages++ * GROUP_PAGE;
			l->groups = l->group + GROUP_PAGE;
		}
		pthread_mutex_unlock(&s->lock);
		if (!page)
			return 0;
	}
	group = l->group++;
	s->groups[group / GROUP_PAGE]->block[group % GROUP_PAGE] = b->linear;
	return group;
}

void groups_begin(struct check_launch *l)
{
	struct check_space *s = l->space;

	if (!s->running && s->group_pages > GROUP_PAGES / 2) {
		ranges_forget(s);
		s->group_pages = 1;
	}
	s->running++;
	l->first_group = s->group_pages * GROUP_PAGE;
}

void groups_end(struct check_launch *l)
{
	struct check_space *s = l->space;

	for (uint32_t i = l->first_group / GROUP_PAGE; i < s->group_pages; i++) {
		if (!s->groups[i] || s->groups[i]->launch != l)
			continue;
		free(s->groups[i]);
		s->groups[i] = NULL;
	}
	s->running--;
}

bool epoch_block(const struct check_launch *l, uint32_t epoch, uint32_t *block)
{
	uint32_t group = epoch >> EPOCH_WARP_BITS;
	const struct group_page *page = l->space->groups[group / GROUP_PAGE];

	if (group < l->first_group || !page || page->launch != l)
		return false;
	*block = page->block[group % GROUP_PAGE];
	return true;
}

/* The warp's clock advances to a group that it has not used. */
static void next_group(struct check_block *b, uint32_t warp)
{
	uint32_t *clock = &b->warps[warp].clock[warp];

	if (b->group == *clock) {
		uint32_t group = group_create(b);

		if (!group)
			return; /* races from here on are not found */
		b->group = group;
	}
	*clock = b->group;
}

/* ---- order ---- */

static void clocks_join(struct clocks *to, const struct clocks *from)
{
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		to->clock[i] = to->clock[i] > from->clock[i] ? to->clock[i] : from->clock[i];
	to->acquired = to->acquired > from->acquired ? to->acquired : from->acquired;
}

static struct block_releases **releases_at(struct releases *r, uint32_t block)
{
	struct block_releases **at = &r->buckets[block % RELEASE_BUCKETS];

	while (*at && (*at)->block != block)
		at = &(*at)->next;
	return at;
}

struct releases *releases_create(void)
{
	return calloc(1, sizeof(struct releases));
}

void releases_destroy(struct releases *r)
{
	for (uint32_t i = 0; r && i < RELEASE_BUCKETS; i++)
		while (r->buckets[i]) {
			struct block_releases *next = r->buckets[i]->next;

			free(r->buckets[i]->list);
			free(r->buckets[i]);
			r->buckets[i] = next;
		}
	free(r);
}

/* Out of host memory, a release is lost, which may lead to a wrong report. */
static void release(struct check_block *b, const struct clocks *warp)
{
	struct releases *all = b->launch->releases;
	struct block_releases **at = releases_at(all, b->linear), *mine = *at;
	struct release *r;

	if (!mine) {
		mine = *at = calloc(1, sizeof(*mine));
		if (!mine)
			return;
		mine->block = b->linear;
	}
	if (mine->count == mine->capacity) {
		uint32_t capacity = mine->capacity ? 2 * mine->capacity : 4;
		struct release *bigger = realloc(mine->list, capacity * sizeof(*bigger));

		if (!bigger)
			return;
		mine->list = bigger;
		mine->capacity = capacity;
	}
	r = &mine->list[mine->count++];
	*r = (struct release){0};
	if (mine->count > 1)
		memcpy(r->clock, r[-1].clock, sizeof(r->clock));
	r->time = ++all->time;
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		r->clock[i] = r->clock[i] > warp->clock[i] ? r->clock[i] : warp->clock[i];
}

/* Whether the access of another block was released before the warp acquired. */
static bool is_released(struct check_block *b, uint32_t warp, uint32_t block, uint32_t epoch)
{
	const struct block_releases *of = *releases_at(b->launch->releases, block);
	uint64_t acquired = b->warps[warp].acquired;
	uint32_t low = 0, high = of ? of->count : 0;

	while (low < high) { /* the last release that the warp has acquired */
		uint32_t middle = low + (high - low) / 2;

		if (of->list[middle].time <= acquired)
			low = middle + 1;
		else
			high = middle;
	}
	return low && of->list[low - 1].clock[epoch % CHECK_MAX_WARPS] >= epoch >> EPOCH_WARP_BITS;
}

bool is_ordered(struct check_block *b, uint32_t warp, uint32_t block, uint32_t epoch)
{
	uint32_t other = epoch % CHECK_MAX_WARPS;

	if (block != b->linear)
		return is_released(b, warp, block, epoch);
	return other == warp || b->warps[warp].clock[other] >= epoch >> EPOCH_WARP_BITS;
}

void order_start(struct check_block *b)
{
	memset(b->warps, 0, sizeof(b->warps));
	memset(b->barriers, 0, sizeof(b->barriers));
	memset(&b->fences, 0, sizeof(b->fences));
	memset(b->strong, 0, sizeof(b->strong));
	b->first_group = b->group = group_create(b);
	for (uint32_t i = 0; i < CHECK_MAX_WARPS; i++)
		b->warps[i].clock[i] = b->group;
}

void check_barrier_arrive(struct check_block *b, uint32_t warp, uint32_t barrier)
{
	clocks_join(&b->barriers[barrier], &b->warps[warp]);
	next_group(b, warp);
}

void check_barrier_leave(struct check_block *b, uint32_t warp, uint32_t barrier)
{
	clocks_join(&b->warps[warp], &b->barriers[barrier]);
}

void check_barrier_complete(struct check_block *b, uint32_t barrier)
{
	memset(&b->barriers[barrier], 0, sizeof(b->barriers[barrier]));
}

void check_acquire(struct check_block *b, uint32_t warp)
{
	struct clocks *c = &b->warps[warp];

	c->acquired = c->acquired > b->strong[warp] ? c->acquired : b->strong[warp];
}

void check_fence(struct check_block *b, uint32_t warp, enum check_scope scope, bool acquires)
{
	struct clocks *c = &b->warps[warp];

	if (!checks(b->space, MODEL_CHECK_RACE))
		return;
	if (acquires)
		b->strong[warp] = b->launch->releases->time;
	if (scope == CHECK_GPU)
		check_acquire(b, warp);
	clocks_join(c, &b->fences);
	clocks_join(&b->fences, c);
	if (scope == CHECK_GPU)
		release(b, c);
	next_group(b, warp);
}

void order_strong(struct check_block *b, const struct check_access *a)
{
	clocks_join(&b->warps[a->warp], &b->fences);
	if (a->scope == CHECK_GPU)
		b->strong[a->warp] = b->launch->releases->time;
}
