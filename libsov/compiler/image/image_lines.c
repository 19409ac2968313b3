// SPDX-License-Identifier: MIT
/* Source lines of an image's kernels and functions, decoded from .debug_line on request. */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/compiler/image/image.h"
#include "libsov/compiler/image/line_table.h"

struct line_list {
	struct image_line *lines;
	uint32_t count, capacity;
	uint64_t base; /* added to the table's addresses; may be negative (mod 2^64) */
	uint64_t end;  /* of the code */
};

/* Appends a row, unless it lies outside the code. */
static bool line_list_append(void *user, const struct line_location *location)
{
	struct line_list *l = user;
	uint64_t offset = l->base + location->offset;

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
	l->lines[l->count++] = (struct image_line){(uint32_t)offset, location->line,
						   location->directory, location->file};
	return true;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct image_line *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* kernel: UINT32_MAX for a function. */
static struct image_line *lines_of_code(const struct image *im, uint32_t kernel,
					uint64_t code_offset, uint32_t code_bytes, uint32_t *count)
{
	struct line_list l = {.end = code_bytes};
	bool good = true;

	if (im->format->lines_are_code_offsets && im->line_table) {
		l.base = 0 - code_offset;
		good = line_table_read(im->line_table, im->line_table_bytes, LINE_TABLE_ALL,
				       line_list_append, &l);
	}
	for (uint32_t k = 0; k < im->nline_starts && good; k++) {
		if (im->line_starts[k].kernel != kernel)
			continue;
		l.base = im->line_starts[k].base;
		good = line_table_read(im->line_table, im->line_table_bytes,
				       im->line_starts[k].offset, line_list_append, &l);
	}
	if (!good) {
		free(l.lines);
		l = (struct line_list){0};
	}
	if (l.count)
		qsort(l.lines, l.count, sizeof(*l.lines), compare_offsets);
	*count = l.count;
	return l.lines;
}

struct image_line *image_lines(const struct image *im, uint32_t kernel, uint32_t *count)
{
	const struct image_kernel *k = &im->kernels[kernel];

	return lines_of_code(im, kernel, k->code_offset, k->code_bytes, count);
}

struct image_line *image_function_lines(const struct image *im, uint32_t function, uint32_t *count)
{
	const struct image_function *f = &im->functions[function];

	return lines_of_code(im, UINT32_MAX, f->code_offset, f->code_bytes, count);
}

const struct image_line *image_line_at(const struct image_line *lines, uint32_t count,
				       uint32_t offset)
{
	uint32_t low = 0, high = count; /* binary search for the first line after offset */

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
	bool relative = *line->directory && *line->file != '/';

	snprintf(text, size, "%s%s%s:%u", relative ? line->directory : "", relative ? "/" : "",
		 line->file, line->line);
}
