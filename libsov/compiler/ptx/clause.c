// SPDX-License-Identifier: MIT
/* The clauses of the instruction table's rows: finds one by name, and its words. */
#include <string.h>
#include "libsov/compiler/ptx/clause.h"

static size_t count_blanks(const char *s)
{
	size_t n = 0;

	while (s[n] == ' ')
		n++;
	return n;
}

const char *ptx_find_clause(const char *where, const char *name, size_t length, size_t *words)
{
	while (*where) {
		bool mine = false;

		while (*where && *where != '=') {
			const char *word = where;
			size_t n = ptx_skip_until(&where, " =");

			mine |= n == length && !memcmp(word, name, n);
			where += *where == ' ';
		}
		where += *where == '=';
		where += count_blanks(where);
		*words = ptx_length_until(where, ";");
		if (mine)
			return where;
		where += *words;
		where += *where == ';';
		where += count_blanks(where);
	}
	return NULL;
}

const char *ptx_next_word(const char **list, size_t *left, size_t *length)
{
	size_t before = count_blanks(*list);
	const char *word;

	if (before >= *left)
		return NULL;
	word = *list + before;
	*left -= before;
	*length = ptx_length_until(word, " ;");
	*list = word + *length;
	*left -= *length;
	return word;
}

bool ptx_in_list(const char *list, size_t left, const char *text, size_t length)
{
	const char *word;
	size_t n;

	while ((word = ptx_next_word(&list, &left, &n)))
		if (n == length && !memcmp(word, text, n))
			return true;
	return false;
}
