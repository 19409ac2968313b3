// SPDX-License-Identifier: MIT
/*
 * Source lines of linked programs. A .debug_line section is a list of units, so those of all
 * objects follow each other in the program, and the relocations that give the addresses of
 * functions move along. Sequences of functions that another object replaces stay without one.
 */
#include <string.h>
#include "libsov/compiler/image/cubin_object_link_state.h"

#define ADDRESS_BYTES 8

static void add_line_start(struct linker *l, uint64_t offset, const struct symbol *s,
			   uint64_t addend)
{
	l->line_starts = arena_grow(&l->arena, l->line_starts, &l->line_starts_capacity,
				    l->nline_starts + 1, sizeof(*l->line_starts));
	l->line_starts[l->nline_starts++] = (struct cubin_line_start){offset, s->name, addend};
}

/* Lines are diagnostics only: a malformed relocation counts as none. */
static void read_line_starts(struct linker *l, uint32_t object, const Elf64_Shdr *s, uint64_t base,
			     uint64_t bytes)
{
	const struct object *o = &l->objects[object];
	uint64_t entry = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);

	for (uint64_t at = 0; at + entry <= s->sh_size; at += entry) {
		const struct symbol *to;
		Elf64_Rela r = {0};
		uint64_t index;

		memcpy(&r, o->reader.file + s->sh_offset + at, entry);
		index = ELF64_R_SYM(r.r_info);
		to = index < o->nsymbols ? o->symbols[index] : NULL;
		if (to && to->code && l->functions[to->code - 1].object == object &&
		    cubin_inside(r.r_offset, ADDRESS_BYTES, bytes))
			add_line_start(l, base + r.r_offset, to, (uint64_t)r.r_addend);
	}
}

void link_add_lines(struct linker *l, uint32_t object)
{
	const struct object *o = &l->objects[object];
	uint64_t base = l->lines.size;
	Elf64_Shdr table;
	uint32_t found = 0;

	for (uint32_t k = 1; k < o->reader.header.e_shnum && !found; k++) {
		table = cubin_section(&o->reader, k);
		if (table.sh_type == SHT_PROGBITS &&
		    !strcmp(cubin_section_name(&o->reader, &table), ".debug_line"))
			found = k;
	}
	if (!found || table.sh_size > UINT32_MAX / 2 - base)
		return;
	bytes_append(&l->lines, o->reader.file + table.sh_offset, (uint32_t)table.sh_size);
	for (uint32_t k = 1; k < o->reader.header.e_shnum; k++) {
		Elf64_Shdr s = cubin_section(&o->reader, k);

		if ((s.sh_type == SHT_RELA || s.sh_type == SHT_REL) && s.sh_info == found)
			read_line_starts(l, object, &s, base, table.sh_size);
	}
}
