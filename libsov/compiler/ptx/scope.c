// SPDX-License-Identifier: MIT
/*
 * The symbol table. Each pair of braces is a scope; lookups go from the innermost outwards. A
 * parameterised declaration such as %r<1000> is one entry; each of its registers gets an entry when
 * it is first used.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

void ptx_scope_open(struct ptx *x)
{
	struct ptx_scope *s = arena_alloc(x->arena, sizeof(*s));

	s->names.arena = s->ranges.arena = x->arena;
	s->outer = x->scope;
	x->scope = s;
}

void ptx_scope_close(struct ptx *x)
{
	x->scope = x->scope->outer;
}

static struct ptx_name *scope_get(struct ptx *x, struct name_map *map, const char *text,
				  uint32_t length)
{
	uint32_t number;

	if (!map->count)
		return NULL;
	number = *name_map_get(map, text, length);
	return number ? x->names[number - 1] : NULL;
}

static struct ptx_name *scope_add(struct ptx *x, struct name_map *map, enum ptx_name_kind kind,
				  const struct ptx_token *t)
{
	struct ptx_name *n = arena_alloc(x->arena, sizeof(*n));

	n->text = t->text;
	n->length = t->length;
	n->line = t->line;
	n->column = t->column;
	n->kind = kind;
	x->names = arena_grow(x->arena, x->names, &x->names_capacity, x->nnames + 1,
			      sizeof(*x->names));
	x->names[x->nnames++] = n;
	*name_map_get(map, t->text, t->length) = x->nnames;
	return n;
}

/* Splits "%r12" into "%r" and 12; false: the name cannot be part of a range. */
static bool split_register_name(const char *text, uint32_t length, uint32_t *prefix,
				uint32_t *number)
{
	uint32_t n = length, value = 0;

	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	if (!n || n == length || length - n > 9 || (text[n] == '0' && length - n > 1))
		return false;
	for (uint32_t i = n; i < length; i++)
		value = value * 10 + (uint32_t)(text[i] - '0');
	*prefix = n;
	*number = value;
	return true;
}

static struct ptx_name *find_in_range(struct ptx *x, struct ptx_scope *s, const struct ptx_token *t)
{
	uint32_t prefix, number;
	struct ptx_name *range, *n;

	if (!s->ranges.count || !split_register_name(t->text, t->length, &prefix, &number))
		return NULL;
	range = scope_get(x, &s->ranges, t->text, prefix);
	if (!range || number >= range->count)
		return NULL;
	n = scope_add(x, &s->names, NAME_REGISTER, t);
	n->type = range->type;
	n->vector = range->vector;
	n->line = range->line;
	n->column = range->column;
	return n;
}

static struct ptx_name *find_in(struct ptx *x, struct ptx_scope *s, const struct ptx_token *t)
{
	struct ptx_name *n = scope_get(x, &s->names, t->text, t->length);

	return n ? n : find_in_range(x, s, t);
}

struct ptx_name *ptx_lookup(struct ptx *x, const struct ptx_token *t)
{
	for (struct ptx_scope *s = x->scope; s; s = s->outer) {
		struct ptx_name *n = find_in(x, s, t);

		if (n)
			return n;
	}
	return NULL;
}

struct ptx_name *ptx_lookup_innermost(struct ptx *x, const struct ptx_token *t)
{
	return find_in(x, x->scope, t);
}

struct ptx_name *ptx_declare(struct ptx *x, enum ptx_name_kind kind, const struct ptx_token *t)
{
	struct ptx_name *old = find_in(x, x->scope, t);

	if (!old)
		return scope_add(x, &x->scope->names, kind, t);
	ptx_error(x, t, "'%.*s' is already declared at %u:%u", TEXT(t), old->line, old->column);
	return NULL;
}

/* A name of the scope that the new range would declare again. */
static struct ptx_name *find_range_conflict(struct ptx *x, const struct ptx_token *t,
					    uint32_t count)
{
	struct name_map *map = &x->scope->names;
	uint32_t prefix, number;

	for (uint32_t k = 0; k < map->capacity; k++) {
		const struct name_map_entry *e = &map->entries[k];

		if (e->name && e->value &&
		    split_register_name(e->name, e->length, &prefix, &number) &&
		    prefix == t->length && !memcmp(e->name, t->text, prefix) && number < count)
			return x->names[e->value - 1];
	}
	return NULL;
}

struct ptx_name *ptx_declare_range(struct ptx *x, const struct ptx_token *t, uint32_t count,
				   const struct ptx_type *type)
{
	struct ptx_name *old = scope_get(x, &x->scope->ranges, t->text, t->length), *n;

	if (!old)
		old = find_range_conflict(x, t, count);
	if (old) {
		ptx_error(x, t, "'%.*s<%u>' declares '%.*s%s' again, first declared at %u:%u",
			  TEXT(t), count, TEXT(old), old->kind == NAME_RANGE ? "0" : "", old->line,
			  old->column);
		return NULL;
	}
	n = scope_add(x, &x->scope->ranges, NAME_RANGE, t);
	n->count = count;
	n->type = type;
	return n;
}

struct ptx_name *ptx_report_undeclared(struct ptx *x, const struct ptx_token *t, const char *what)
{
	ptx_error(x, t, "%s '%.*s' is not declared", what, TEXT(t));
	return scope_add(x, &x->scope->names, NAME_BAD, t);
}
