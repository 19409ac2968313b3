// SPDX-License-Identifier: MIT
/*
 * The cubin reader: source lines. The table stays in the file until somebody asks; what is noted is
 * which part of it is about which kernel, which relocations tell. Lines are a help for people, so a
 * table that makes no sense is the same as none.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/cubin_read.h"

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
			.kernel = r->kernel_of[symbol.st_shndx] - 1,
			.offset = rel.r_offset,
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
