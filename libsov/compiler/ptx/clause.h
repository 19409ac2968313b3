/* SPDX-License-Identifier: MIT */
/* The clauses of the instruction table's rows (instruction_table.c): "name name = word word; …". */
#ifndef SOV_COMPILER_PTX_CLAUSE_H
#define SOV_COMPILER_PTX_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>

/* As strcspn, which first builds a table of the stops and is slower for these short strings. */
static inline size_t ptx_length_until(const char *s, const char *stops)
{
	size_t n = 0;

	for (; s[n]; n++)
		for (const char *stop = stops; *stop; stop++)
			if (s[n] == *stop)
				return n;
	return n;
}

/* Advances *at to a stop character or the end; returns how far. */
static inline size_t ptx_skip_until(const char **at, const char *stops)
{
	size_t n = ptx_length_until(*at, stops);

	*at += n;
	return n;
}

/* The words after '=' in the clause for a name; NULL: there is no clause. */
const char *ptx_find_clause(const char *where, const char *name, size_t length, size_t *words);
/* Returns the next word of a list and advances; NULL: the end. */
const char *ptx_next_word(const char **list, size_t *left, size_t *length);
bool ptx_in_list(const char *list, size_t left, const char *text, size_t length);

#endif
