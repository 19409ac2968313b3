// SPDX-License-Identifier: MIT
/*
 * The cubin reader: source lines. The table stays in the file until somebody asks; what is noted is
 * which part of it is about which kernel, which relocations tell. Lines are a help for people, so a
 * table that makes no sense is the same as none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/cubin_reader.h"
#include "libsov/compiler/lines.h"

static bool take_starts(struct reader *r, const Elf64_Shdr *s)
{
	uint64_t each = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	struct image *im = r->image;

	im->line_starts = calloc(s->sh_size / each + 1, sizeof(*im->line_starts));
	if (!im->line_starts)
		return cubin_fail(r, "out of memory");
	for (uint64_t at = 0; at + each <= s->sh_size; at += each) {
		Elf64_Rela rel = {0};
		Elf64_Sym symbol;

		memcpy(&rel, r->file + s->sh_offset + at, each);
		if (!cubin_symbol(r, (uint32_t)ELF64_R_SYM(rel.r_info), &symbol) ||
		    symbol.st_shndx >= r->header.e_shnum || !r->kernel_of[symbol.st_shndx])
			continue;
		im->line_starts[im->nline_starts++] = (struct image_line_start){
			.kernel = r->kernel_of[symbol.st_shndx] - 1, .offset = rel.r_offset,
			.base = (uint32_t)(symbol.st_value + (uint64_t)rel.r_addend)};
	}
	return true;
}

bool cubin_lines(struct reader *r)
{
	uint32_t table = 0;

	for (uint32_t i = 0; i < r->header.e_shnum && !table; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (s.sh_type != SHT_PROGBITS || strcmp(cubin_section_name(r, &s), ".debug_line"))
			continue;
		table = i;
		r->image->line_table = r->file + s.sh_offset;
		r->image->line_table_bytes = s.sh_size;
	}
	for (uint32_t i = 0; i < r->header.e_shnum && table; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if ((s.sh_type == SHT_RELA || s.sh_type == SHT_REL) && s.sh_info == table)
			return take_starts(r, &s);
	}
	return true;
}

struct list {
	struct image_line *lines;
	uint32_t count, capacity, base;
};

static bool add(void *user, const struct line_place *p)
{
	struct list *l = user;

	if (l->count == l->capacity) {
		uint32_t more = l->capacity ? 2 * l->capacity : 64;
		struct image_line *lines = realloc(l->lines, more * sizeof(*lines));

		if (!lines)
			return false;
		l->lines = lines;
		l->capacity = more;
	}
	l->lines[l->count++] =
		(struct image_line){p->offset + l->base, p->line, p->directory, p->file};
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct image_line *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

struct image_line *image_lines(const struct image *im, uint32_t kernel, uint32_t *count)
{
	struct list l = {0};
	bool good = true;

	for (uint32_t k = 0; k < im->nline_starts && good; k++) {
		if (im->line_starts[k].kernel != kernel)
			continue;
		l.base = im->line_starts[k].base;
		good = lines_read(im->line_table, im->line_table_bytes, im->line_starts[k].offset,
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

	snprintf(text, size, "%s%s%s:%u", below ? line->directory : "", below ? "/" : "", line->file,
		 line->line);
}
