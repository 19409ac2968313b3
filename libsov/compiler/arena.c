/* SPDX-License-Identifier: MIT */
/*
 * The arena: a list of chunks, each twice as large as the one before it. Chunks come zeroed from
 * calloc and are never reused, so what an arena gives out is zero without being cleared.
 */
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/arena.h"

#define FIRST_CHUNK   ((size_t)16 << 10)
#define LARGEST_CHUNK ((size_t)4 << 20)

struct arena_chunk {
	struct arena_chunk *previous;
	max_align_t data[];
};

void arena_init(struct arena *a, size_t limit, jmp_buf *no_memory)
{
	*a = (struct arena){.limit = limit, .no_memory = no_memory};
}

void arena_free(struct arena *a)
{
	while (a->chunk) {
		struct arena_chunk *previous = a->chunk->previous;

		free(a->chunk);
		a->chunk = previous;
	}
	arena_init(a, a->limit, a->no_memory);
}

static _Noreturn void out_of_memory(const struct arena *a)
{
	if (a->no_memory)
		longjmp(*a->no_memory, 1);
	fprintf(stderr, "arena: out of memory after %zu bytes (limit %zu)\n", a->total, a->limit);
	abort();
}

static void add_chunk(struct arena *a, size_t need)
{
	size_t size = a->size ? a->size * 2 : FIRST_CHUNK;
	struct arena_chunk *c;

	if (size > LARGEST_CHUNK)
		size = LARGEST_CHUNK;
	if (size < need)
		size = need;
	if (a->limit && (a->total > a->limit || size > a->limit - a->total))
		out_of_memory(a);
	c = calloc(1, sizeof(*c) + size);
	if (!c)
		out_of_memory(a);
	c->previous = a->chunk;
	a->chunk = c;
	a->used = 0;
	a->size = size;
	a->total += size;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	void *p;

	if (size > SIZE_MAX / 2)
		out_of_memory(a);
	size = size ? (size + align - 1) / align * align : align;
	if (a->size - a->used < size)
		add_chunk(a, size);
	p = (char *)a->chunk->data + a->used;
	a->used += size;
	return p;
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
