/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the reader of AMD's code objects share: code_object.c takes segments, symbols and
 * kernels out of the file, metadata.c what its note says of these, code_object_link.c variables and
 * relocations. A function that finds a fault writes the sentence with amd_object_fail and returns false.
 */
#ifndef SOV_COMPILER_AMD_CODE_OBJECT_H
#define SOV_COMPILER_AMD_CODE_OBJECT_H

#include <elf.h>
#include "libsov/compiler/image/image.h"

/* A table of symbols with their names, which end inside of the file. */
struct amd_symbols {
	uint64_t at, count;
	const char *names;
	uint64_t names_bytes;
};

struct amd_object {
	struct image *image;
	const uint8_t *file;
	uint64_t size;
	Elf64_Ehdr header;
	uint64_t *address; /* by section of the image: where the file says that it lies */
	bool *writable;    /* … and whether code may write it */
	bool apart;        /* variables may lie anywhere: all that refers to them is listed */
	struct amd_symbols symbols; /* .symtab, or .dynsym where there is none */
	struct amd_named {
		const char *name;
		uint32_t index; /* in symbols */
	} * named;              /* those with names, sorted by these */
	uint64_t nnamed;
	uint64_t relocation_bytes; /* read so far */
	char *message;
	size_t message_size;
};

__attribute__((format(printf, 2, 3))) bool amd_object_fail(struct amd_object *o, const char *fmt,
							   ...);

static inline bool amd_inside(uint64_t offset, uint64_t bytes, uint64_t whole)
{
	return offset <= whole && bytes <= whole - offset;
}

Elf64_Shdr amd_object_section(const struct amd_object *o, uint32_t index);
bool amd_object_symbols(struct amd_object *o, uint32_t section, struct amd_symbols *out);
bool amd_object_symbol(const struct amd_object *o, const struct amd_symbols *t, uint64_t index,
		       Elf64_Sym *out);
const char *amd_symbol_name(const struct amd_symbols *t, const Elf64_Sym *s); /* "": none */
/* The section of the image with this address, or that ends at it; UINT32_MAX: none. */
uint32_t amd_object_locate(const struct amd_object *o, uint64_t address);
/* What stands in code is no variable: nobody writes it. */
bool amd_object_in_code(const struct amd_object *o, const Elf64_Sym *s);

/* Fills the image's kernels with what metadata say; nothing has a name or code yet. names: by kernel, into
 * the note, as long as lengths says. */
struct amd_metadata_names {
	const char *name;
	uint32_t length;
};
bool amd_metadata_read(struct amd_object *o, const uint8_t *note, uint64_t bytes,
		       struct amd_metadata_names **names);
/* Variables, kernels that are elsewhere, and relocations, when the kernels are known. */
bool amd_object_link(struct amd_object *o);

#endif
