/* SPDX-License-Identifier: MIT */
/* A growing byte buffer in an arena, for sections of a file before their file offsets are known. */
#ifndef SOV_COMPILER_BYTES_H
#define SOV_COMPILER_BYTES_H

#include <string.h>
#include "libsov/compiler/base/arena.h"

struct bytes {
	struct arena *arena;
	uint8_t *data;
	uint32_t size, capacity;
};

/* data NULL: appends zeros. */
static inline void bytes_append(struct bytes *b, const void *data, uint32_t size)
{
	if (!size)
		return;
	b->data = arena_grow(b->arena, b->data, &b->capacity, b->size + size, 1);
	if (data)
		memcpy(b->data + b->size, data, size);
	else
		memset(b->data + b->size, 0, size);
	b->size += size;
}

/* Appends the string with its NUL; returns its offset. */
static inline uint32_t bytes_string(struct bytes *b, const char *text)
{
	uint32_t at = b->size;

	bytes_append(b, text, (uint32_t)strlen(text) + 1);
	return at;
}

#endif
