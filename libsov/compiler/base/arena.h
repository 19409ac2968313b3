/* SPDX-License-Identifier: MIT */
/*
 * A bump allocator whose memory is freed as a whole. Each compilation owns one arena; the compiler
 * frees nothing else and shares nothing between compilations. A failed allocation does not return:
 * it jumps to no_memory, which the compilation's entry point sets. If no_memory is NULL (tests,
 * small tools), it prints a message and ends the process.
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
	struct arena_chunk *spare; /* rewound and cleared, for reuse */
	size_t size;               /* of the largest chunk that serves many allocations */
	size_t total;              /* bytes obtained from malloc */
	size_t limit;              /* maximum of total; 0: none */
	jmp_buf *no_memory;        /* jump target when malloc or the limit is exhausted */
};

void arena_init(struct arena *a, size_t limit, jmp_buf *no_memory);
void arena_free(struct arena *a);
/* Zeroed, aligned for any scalar type. */
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
/* Frees everything allocated since the mark: scratch memory of a stage none of whose
 * allocations outlive it. */
struct arena_mark {
	struct arena_chunk *chunk;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);
/* Gives an arena without allocations the memory of another one, which ends. */
void arena_recycle(struct arena *a, struct arena *finished);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Grows an array of *capacity elements to at least need elements; keeps the content and zeroes the
 * rest. */
void *arena_grow(struct arena *a, void *old, uint32_t *capacity, uint32_t need, size_t size);

/* A string builder; s is NUL-terminated after the first append. */
struct text {
	struct arena *arena;
	char *s; /* NULL while empty */
	uint32_t length, capacity;
};
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
