/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the AMD code object reader: code_object_read.c reads segments, symbols and
 * kernels, metadata_read.c the metadata note, code_object_link.c variables and relocations. On
 * malformed input a function calls amd_object_fail, which writes the message and returns false.
 */
#ifndef SOV_COMPILER_AMD_CODE_OBJECT_H
#define SOV_COMPILER_AMD_CODE_OBJECT_H

#include <elf.h>
#include "libsov/compiler/image/image_amd.h"

/* A symbol table; its string table ends in a zero byte inside the file. */
struct amd_symtab {
	uint64_t offset, count;
	const char *names;
	uint64_t names_bytes;
};

struct amd_object {
	struct image *image;
	const uint8_t *file;
	uint64_t size;
	Elf64_Ehdr header;
	uint64_t *address;  /* by section of the image: its virtual address in the file */
	bool *writable;     /* by section of the image */
	bool separate_data; /* .rela.text lists all references: data may be a part of its own */
	struct amd_symtab symtab; /* .symtab, or .dynsym where there is none */
	struct amd_named {
		const char *name;
		uint32_t index; /* in symtab */
	} *named;               /* defined symbols with names, sorted by name */
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

/* The launch data of a kernel while the reader fills it in. */
static inline struct image_amd_kernel *amd_kernel_data(struct image_kernel *k)
{
	return k->vendor;
}

Elf64_Shdr amd_object_section(const struct amd_object *o, uint32_t index);
bool amd_object_symtab(struct amd_object *o, uint32_t section, struct amd_symtab *out);
bool amd_object_symbol(const struct amd_object *o, const struct amd_symtab *t, uint64_t index,
		       Elf64_Sym *out);
const char *amd_symbol_name(const struct amd_symtab *t, const Elf64_Sym *s); /* "": none */
/* The image section that contains this address or ends at it; UINT32_MAX: none. */
uint32_t amd_object_locate(const struct amd_object *o, uint64_t address);
/* Objects in executable segments are read-only, so they are not variables. */
bool amd_object_in_code(const struct amd_object *o, const Elf64_Sym *s);

/* A kernel's name in the metadata note, not terminated. */
struct amd_metadata_name {
	const char *name;
	uint32_t length;
};
/* Creates the image's kernels from the metadata, still without names and code. names: by kernel. */
bool amd_metadata_read(struct amd_object *o, const uint8_t *note, uint64_t bytes,
		       struct amd_metadata_name **names);
/* Reads variables, declared kernels and relocations; the kernels must be complete. */
bool amd_object_link(struct amd_object *o);

#endif
