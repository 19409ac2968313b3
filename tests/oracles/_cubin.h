/* SPDX-License-Identifier: MIT */
/*
 * Reads the functions of a cubin for programs that compare code. The ELF file comes from a tool on
 * this machine; the reader checks bounds and nothing else.
 */
#ifndef TESTS_ORACLES_CUBIN_H
#define TESTS_ORACLES_CUBIN_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cubin {
	uint8_t *bytes;
	size_t size;
};

__attribute__((unused)) static bool cubin_read(const char *path, struct cubin *c)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (!f)
		return false;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	c->size = size > 0 ? (size_t)size : 0;
	c->bytes = malloc(c->size + 1);
	if (!c->bytes || fread(c->bytes, 1, c->size, f) != c->size ||
	    c->size < sizeof(Elf64_Ehdr)) {
		fclose(f);
		return false;
	}
	c->bytes[c->size] = 0;
	fclose(f);
	return !memcmp(c->bytes, ELFMAG, SELFMAG);
}

/* Returns the code of the next function after section *section, or NULL after the last. */
__attribute__((unused)) static const uint8_t *cubin_function(const struct cubin *c,
							     uint32_t *section, size_t *size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)c->bytes;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(c->bytes + e->e_shoff);

	if (e->e_shoff > c->size || e->e_shnum > (c->size - e->e_shoff) / sizeof(*s) ||
	    e->e_shstrndx >= e->e_shnum)
		return NULL;
	while (++*section < e->e_shnum) {
		uint64_t name = s[e->e_shstrndx].sh_offset + s[*section].sh_name;

		if (name + 6 > c->size || memcmp(c->bytes + name, ".text.", 6) ||
		    s[*section].sh_offset > c->size ||
		    s[*section].sh_size > c->size - s[*section].sh_offset)
			continue;
		*size = s[*section].sh_size;
		return c->bytes + s[*section].sh_offset;
	}
	return NULL;
}

#endif
