/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the cubin reader share: cubin_read.c takes kernels and their attributes out of
 * the file, cubin_link.c what goes into memory with them, cubin_lines.c source lines. A function that finds a fault writes the
 * sentence with cubin_fail and returns false.
 */
#ifndef SOV_COMPILER_NV_CUBIN_READER_H
#define SOV_COMPILER_NV_CUBIN_READER_H

#include <elf.h>
#include "libsov/compiler/image/image.h"

struct reader {
	struct image *image;
	const uint8_t *file;
	uint64_t size;
	Elf64_Ehdr header;
	uint32_t abi;
	Elf64_Shdr symtab; /* sh_size 0: none */
	const char *names; /* of the sections */
	uint64_t names_size;
	const char *symbol_names;
	uint64_t symbol_names_size;
	uint32_t *kernel_of;  /* by section: 1 + the kernel whose code it is; 0 = none */
	uint32_t *section_of; /* by section: 1 + its number in the image; 0 = none */
	uint32_t *frames;     /* by kernel: bytes of its own frame */
	bool *calls;          /* by kernel: it has or may call functions that use the stack */
	uint64_t attribute_bytes, relocation_bytes; /* read so far */
	char *message;
	size_t message_size;
};

__attribute__((format(printf, 2, 3))) bool cubin_fail(struct reader *r, const char *fmt, ...);

static inline bool cubin_inside(uint64_t offset, uint64_t size, uint64_t whole)
{
	return offset <= whole && size <= whole - offset;
}

Elf64_Shdr cubin_section(const struct reader *r, uint32_t index);
const char *cubin_section_name(const struct reader *r, const Elf64_Shdr *s);
/* What follows the prefix in the name; NULL: it does not begin so. */
const char *cubin_name_after(const char *name, const char *prefix);
bool cubin_symbol(const struct reader *r, uint32_t index, Elf64_Sym *out);
/* "" when it has none. */
const char *cubin_symbol_name(const struct reader *r, const Elf64_Sym *symbol);

/* Sections, banks, variables and relocations, when the kernels are known. */
bool cubin_link(struct reader *r);
/* Which lines are whose. */
bool cubin_lines(struct reader *r);

#endif
