/* SPDX-License-Identifier: MIT */
/* Names: linear probing at a load of at most one half, so that a probe always ends. */
#include <stdbool.h>
#include <string.h>
#include "libsov/compiler/base/name_map.h"

/* FNV-1a (Fowler, Noll, Vo). */
static uint32_t hash(const char *s, uint32_t length)
{
	uint32_t h = 2166136261u;

	for (uint32_t k = 0; k < length; k++)
		h = (h ^ (uint8_t)s[k]) * 16777619u;
	return h;
}

static struct name_map_entry *find(const struct name_map *n, const char *name, uint32_t length)
{
	uint32_t k = hash(name, length) & (n->capacity - 1);

	while (n->entries[k].name &&
	       (n->entries[k].length != length || memcmp(n->entries[k].name, name, length)))
		k = (k + 1) & (n->capacity - 1);
	return &n->entries[k];
}

static void rehash(struct name_map *n)
{
	struct name_map old = *n;

	n->capacity = old.capacity ? old.capacity * 2 : 32;
	n->entries = arena_array(n->arena, n->capacity, sizeof(*n->entries));
	for (uint32_t k = 0; k < old.capacity; k++)
		if (old.entries[k].name)
			*find(n, old.entries[k].name, old.entries[k].length) = old.entries[k];
}

uint32_t *name_map_get(struct name_map *n, const char *name, uint32_t length)
{
	struct name_map_entry *e;

	if (n->count >= n->capacity / 2)
		rehash(n);
	e = find(n, name, length);
	if (!e->name) {
		*e = (struct name_map_entry){.name = name, .length = length};
		n->count++;
	}
	return &e->value;
}

size_t ir_word_length(const char *s, size_t n)
{
	size_t k = 0;

	for (; k < n; k++) {
		bool letter = (s[k] >= 'a' && s[k] <= 'z') || (s[k] >= 'A' && s[k] <= 'Z') ||
			      s[k] == '_' || s[k] == '$';
		bool inside = k && ((s[k] >= '0' && s[k] <= '9') || s[k] == '.');

		if (!letter && !inside)
			break;
	}
	return k;
}
