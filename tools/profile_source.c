// SPDX-License-Identifier: MIT
/* The text of source lines, where the source files are still where the compiler found them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/profile.h"

#define MAX_SOURCE_BYTES (8 << 20)

struct source {
	const char *path;
	char *text;   /* NULL: it cannot be read */
	char **lines; /* into text */
	uint32_t count;
};

struct sources {
	struct source *list;
	uint32_t count;
};

static void source_read(struct source *s)
{
	struct stat st;
	FILE *f = NULL;
	size_t bytes;
	char *at;

	if (!stat(s->path, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_SOURCE_BYTES)
		f = fopen(s->path, "r");
	s->text = f ? malloc((size_t)st.st_size + 1) : NULL;
	bytes = s->text ? fread(s->text, 1, (size_t)st.st_size, f) : 0;
	if (f)
		fclose(f);
	if (!s->text)
		return;
	s->text[bytes] = 0;
	for (at = s->text; *at; at++)
		s->count += *at == '\n';
	s->lines = calloc((size_t)s->count + 1, sizeof(*s->lines));
	for (at = s->text, bytes = 0; s->lines && *at && bytes < s->count; bytes++) {
		s->lines[bytes] = at;
		at += strcspn(at, "\n");
		if (*at)
			*at++ = 0;
	}
}

static const struct source *source_of(struct sources *all, const char *path)
{
	struct source *list;

	for (uint32_t i = 0; i < all->count; i++)
		if (!strcmp(all->list[i].path, path))
			return &all->list[i];
	list = realloc(all->list, (all->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	all->list = list;
	list[all->count] = (struct source){.path = path};
	source_read(&list[all->count]);
	return &list[all->count++];
}

/* A copy without the blanks around it. */
static char *trimmed(const char *text)
{
	char *copy = strdup(text + strspn(text, " \t"));
	size_t n = copy ? strlen(copy) : 0;

	while (n && strchr(" \t\r", copy[n - 1]))
		copy[--n] = 0;
	return copy;
}

void profile_find_source(struct profile *p)
{
	struct sources all = {NULL, 0};

	for (uint32_t i = 0; i < p->kernel_count; i++)
		for (uint32_t n = 0; n < p->kernels[i].line_count; n++) {
			struct profile_line *l = &p->kernels[i].lines[n];
			const struct source *s = l->line ? source_of(&all, l->file) : NULL;

			if (s && s->lines && l->line <= s->count)
				l->text = trimmed(s->lines[l->line - 1]);
		}
	for (uint32_t i = 0; i < all.count; i++) {
		free(all.list[i].text);
		free(all.list[i].lines);
	}
	free(all.list);
}
