// SPDX-License-Identifier: MIT
/* Source lines of an image's kernels, read from the table of the file when somebody asks. */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/compiler/image/image.h"
#include "libsov/compiler/image/line_table.h"

struct list {
	struct image_line *lines;
	uint32_t count, capacity;
	uint64_t base; /* what the table counts from, in the kernel's code; may be before it */
	uint64_t end;  /* of the code */
};

/* A row of this kernel's code. */
static bool add(void *user, const struct line_location *p)
{
	struct list *l = user;
	uint64_t offset = l->base + p->offset;

	if (offset >= l->end)
		return true;

	if (l->count == l->capacity) {
		uint32_t more = l->capacity ? 2 * l->capacity : 64;
		struct image_line *lines = realloc(l->lines, more * sizeof(*lines));

		if (!lines)
			return false;
		l->lines = lines;
		l->capacity = more;
	}
	l->lines[l->count++] =
		(struct image_line){(uint32_t)offset, p->line, p->directory, p->file};
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct image_line *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* kernel: UINT32_MAX for code of none. */
static struct image_line *read_lines(const struct image *im, uint32_t kernel, uint64_t code_offset,
				     uint32_t code_bytes, uint32_t *count)
{
	struct list l = {.end = code_bytes};
	bool good = true;

	if (im->format->lines_of_parts && im->line_table) {
		l.base = 0 - code_offset;
		good = line_table_read(im->line_table, im->line_table_bytes, LINE_TABLE_ALL, add, &l);
	}
	for (uint32_t k = 0; k < im->nline_starts && good; k++) {
		if (im->line_starts[k].kernel != kernel)
			continue;
		l.base = im->line_starts[k].base;
		good = line_table_read(im->line_table, im->line_table_bytes, im->line_starts[k].offset,
				  add, &l);
	}
	if (!good) {
		free(l.lines);
		l = (struct list){0};
	}
	if (l.count)
		qsort(l.lines, l.count, sizeof(*l.lines), by_offset);
	*count = l.count;
	return l.lines;
}

struct image_line *image_lines(const struct image *im, uint32_t kernel, uint32_t *count)
{
	const struct image_kernel *k = &im->kernels[kernel];

	return read_lines(im, kernel, k->code_offset, k->code_bytes, count);
}

struct image_line *image_function_lines(const struct image *im, uint32_t function, uint32_t *count)
{
	const struct image_function *f = &im->functions[function];

	return read_lines(im, UINT32_MAX, f->code_offset, f->code_bytes, count);
}

const struct image_line *image_line_at(const struct image_line *lines, uint32_t count,
				       uint32_t offset)
{
	uint32_t low = 0, high = count; /* the answer is before high */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && lines[low - 1].line ? &lines[low - 1] : NULL;
}

void image_line_print(const struct image_line *line, char *text, size_t size)
{
	bool below = *line->directory && *line->file != '/';

	snprintf(text, size, "%s%s%s:%u", below ? line->directory : "", below ? "/" : "",
		 line->file, line->line);
}
