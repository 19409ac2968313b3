// SPDX-License-Identifier: MIT
/*
 * Cubin reader: source lines. image_lines decodes .debug_line on request; this file records which
 * sequence of the line-number program describes which kernel, by its relocations. Lines are
 * diagnostics only, so a malformed table counts as none.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/cubin_read.h"

static bool read_line_starts(struct cubin_reader *r, const Elf64_Shdr *s)
{
	uint64_t entry_size = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	struct image *im = r->image;

	im->line_starts = calloc(s->sh_size / entry_size + 1, sizeof(*im->line_starts));
	if (!im->line_starts)
		return cubin_fail(r, "out of memory");
	for (uint64_t at = 0; at + entry_size <= s->sh_size; at += entry_size) {
		Elf64_Rela rel = {0};
		Elf64_Sym symbol;

		memcpy(&rel, r->file + s->sh_offset + at, entry_size);
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

bool cubin_lines(struct cubin_reader *r)
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
			return read_line_starts(r, &s);
	}
	return true;
}
