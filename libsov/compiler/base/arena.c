// SPDX-License-Identifier: MIT
/*
 * The arena: a list of chunks of doubling size. Chunks come zeroed, the first from calloc, the
 * others from mmap, so allocations are zero without a memset (for larger chunks calloc would clear
 * memory that it takes from the heap); only arena_rewind clears memory, and it keeps the chunks for
 * later allocations. MADV_POPULATE_WRITE populates pages in batches ahead of their first use: one
 * page fault per page would cost more than most uses of it. Large chunks are aligned for huge
 * pages, which cost even less.
 */
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/compiler/base/arena.h"

#define FIRST_CHUNK    ((size_t)16 << 10)
#define LARGEST_CHUNK  ((size_t)8 << 20)
#define HUGE_PAGE      ((size_t)2 << 20) /* size of a huge page, where supported */
#define POPULATE_AHEAD ((size_t)64 << 10)
#define PAGE_BYTES     ((uintptr_t)4096) /* larger pages make some madvise calls fail */
/* Memory of a finished compilation that the next one takes over: more is not worth clearing. */
#define MAX_RECYCLED   ((size_t)4 << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; older kernels fault page by page */
#endif

struct arena_chunk {
	struct arena_chunk *previous;
	size_t size, used;
	size_t populated; /* bytes whose pages are populated */
	size_t mapped;    /* bytes from mmap; 0: from calloc */
	max_align_t data[];
};

void arena_init(struct arena *a, size_t limit, jmp_buf *no_memory)
{
	*a = (struct arena){.limit = limit, .no_memory = no_memory};
}

static void free_chunks(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *previous = c->previous;

		if (c->mapped)
			munmap(c, c->mapped);
		else
			free(c);
		c = previous;
	}
}

void arena_free(struct arena *a)
{
	free_chunks(a->chunk);
	free_chunks(a->spare);
	arena_init(a, a->limit, a->no_memory);
}

static _Noreturn void out_of_memory(const struct arena *a)
{
	if (a->no_memory)
		longjmp(*a->no_memory, 1);
	fprintf(stderr, "arena: out of memory after %zu bytes (limit %zu)\n", a->total, a->limit);
	abort();
}

static struct arena_chunk *map_chunk(size_t bytes)
{
	size_t mapped = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	struct arena_chunk *c =
		mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		return NULL;
	c->mapped = mapped;
	return c;
}

/* Maps whole huge pages; unmaps the unaligned rest before and after them. */
static struct arena_chunk *map_huge_chunk(size_t bytes)
{
	size_t mapped = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, before;
	struct arena_chunk *c;
	char *all = mmap(NULL, mapped + HUGE_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	before = HUGE_PAGE - (uintptr_t)all % HUGE_PAGE;
	c = (struct arena_chunk *)(all + before);
	munmap(all, before);
	if (before < HUGE_PAGE)
		munmap(all + before + mapped, HUGE_PAGE - before);
	madvise(c, mapped, MADV_HUGEPAGE);
	c->mapped = mapped;
	return c;
}

static struct arena_chunk *new_chunk(struct arena *a, size_t need)
{
	size_t size = a->size ? a->size * 2 : FIRST_CHUNK;
	struct arena_chunk *c;

	if (size > LARGEST_CHUNK)
		size = LARGEST_CHUNK;
	a->size = size;
	if (size < need)
		size = need;
	if (a->limit && (a->total > a->limit || size > a->limit - a->total))
		out_of_memory(a);
	if (size <= FIRST_CHUNK)
		c = calloc(1, sizeof(*c) + size);
	else if (size < HUGE_PAGE)
		c = map_chunk(size - need >= sizeof(*c) ? size : need + sizeof(*c));
	else
		c = map_huge_chunk(size - need >= sizeof(*c) ? size : need + sizeof(*c));
	if (!c)
		out_of_memory(a);
	if (c->mapped)
		size = c->mapped - sizeof(*c);
	c->size = size;
	a->total += size;
	return c;
}

static void add_chunk(struct arena *a, size_t need)
{
	struct arena_chunk **spare = &a->spare, *c;

	while (*spare && (*spare)->size < need)
		spare = &(*spare)->previous;
	c = *spare;
	if (c)
		*spare = c->previous;
	else
		c = new_chunk(a, need);
	c->previous = a->chunk;
	a->chunk = c;
}

static void populate_chunk(struct arena_chunk *c)
{
	uintptr_t start = (uintptr_t)c->data, end;

	start += c->populated;
	c->populated = c->size - c->used > POPULATE_AHEAD ? c->used + POPULATE_AHEAD : c->size;
	end = ((uintptr_t)c->data + c->populated) & ~(PAGE_BYTES - 1);
	start = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	if (start < end)
		madvise((void *)start, end - start, MADV_POPULATE_WRITE);
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *c = a->chunk;
	void *p;

	if (size > SIZE_MAX / 2)
		out_of_memory(a);
	size = size ? (size + align - 1) / align * align : align;
	if (!c || c->size - c->used < size) {
		add_chunk(a, size);
		c = a->chunk;
	}
	p = (char *)c->data + c->used;
	c->used += size;
	if (c->used > c->populated)
		populate_chunk(c);
	return p;
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){a->chunk, a->chunk ? a->chunk->used : 0};
}

static void clear_chunk(struct arena_chunk *c, size_t from)
{
	memset((char *)c->data + from, 0, c->used - from);
	c->used = from;
}

void arena_rewind(struct arena *a, struct arena_mark m)
{
	while (a->chunk != m.chunk) {
		struct arena_chunk *c = a->chunk;

		clear_chunk(c, 0);
		a->chunk = c->previous;
		c->previous = a->spare;
		a->spare = c;
	}
	if (m.chunk)
		clear_chunk(m.chunk, m.used);
}

void arena_recycle(struct arena *a, struct arena *finished)
{
	if (finished->total > MAX_RECYCLED || (a->limit && finished->total > a->limit))
		arena_free(finished);
	arena_rewind(finished, (struct arena_mark){0});
	a->spare = finished->spare;
	a->size = finished->size;
	a->total = finished->total;
	*finished = (struct arena){0};
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / 2 / size)
		out_of_memory(a);
	return arena_alloc(a, count * size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	memcpy(copy, s, n);
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	struct text t = {.arena = a};
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	return t.s;
}

void *arena_grow(struct arena *a, void *old, uint32_t *capacity, uint32_t need, size_t size)
{
	uint32_t larger = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
	void *grown;

	if (need <= *capacity)
		return old;
	if (larger < 8)
		larger = 8;
	if (larger < need)
		larger = need;
	grown = arena_array(a, larger, size);
	if (*capacity)
		memcpy(grown, old, *capacity * size);
	*capacity = larger;
	return grown;
}

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0 || (uint32_t)n >= UINT32_MAX - t->length)
		out_of_memory(t->arena);
	t->s = arena_grow(t->arena, t->s, &t->capacity, t->length + (uint32_t)n + 1, 1);
	vsnprintf(t->s + t->length, (size_t)n + 1, fmt, ap);
	t->length += (uint32_t)n;
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}
