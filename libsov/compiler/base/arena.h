/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is given out in order and given back all at once. One compilation owns one
 * arena; nothing in the compiler frees piecemeal and nothing is shared between compilations.
 * Allocation failure does not return: it jumps to no_memory, the compilation's entry. Where that is
 * NULL (tests, small tools) it ends the process with a sentence.
 */
#ifndef SOV_COMPILER_ARENA_H
#define SOV_COMPILER_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;
	struct arena_chunk *spare; /* given back, cleared */
	size_t size;               /* of the largest chunk that was not made for one piece */
	size_t total;              /* bytes taken from malloc so far */
	size_t limit;              /* refuse to grow beyond; 0 = none */
	jmp_buf *no_memory;        /* where to go when memory or the limit is exhausted */
};

void arena_init(struct arena *a, size_t limit, jmp_buf *no_memory);
void arena_free(struct arena *a);
/* Zeroed, aligned for any scalar type. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
/* Gives back all that was asked for since the mark: for scratch memory of a stage that leaves nothing
 * else behind. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Grows an array of *capacity elements so that it holds at least need; keeps the old content. */
void *arena_grow(struct arena *a, void *old, uint32_t *capacity, uint32_t need, size_t size);

/* A text that grows at its end, always terminated once something was added. */
struct text {
	struct arena *arena;
	char *s; /* NULL while empty */
	uint32_t length, capacity;
};
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
