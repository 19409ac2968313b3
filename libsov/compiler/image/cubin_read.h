/* SPDX-License-Identifier: MIT */
/*
 * Shared by the parts of the cubin reader: cubin_read.c reads kernels and their attributes,
 * cubin_link.c sections, variables and relocations, cubin_lines.c source lines. On malformed input
 * a function calls cubin_fail, which writes the message and returns false.
 */
#ifndef SOV_COMPILER_NV_CUBIN_READER_H
#define SOV_COMPILER_NV_CUBIN_READER_H

#include <elf.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/image_nv.h"

struct cubin_reader {
	struct image *image;
	const uint8_t *file;
	uint64_t size;
	Elf64_Ehdr header;
	uint32_t abi, sm;
	Elf64_Shdr symtab;         /* sh_size 0: none */
	const char *section_names; /* .shstrtab */
	uint64_t section_names_size;
	const char *symbol_names; /* .strtab */
	uint64_t symbol_names_size;
	uint32_t *kernel_of;  /* by ELF section: 1 + the kernel whose code it is; 0: none */
	uint32_t *section_of; /* by ELF section: 1 + its index in the image; 0: none */
	uint32_t *frames;     /* by kernel: bytes of its own frame, callees excluded */
	bool *calls;          /* by kernel: it may call functions that use the stack */
	uint64_t attribute_bytes, relocation_bytes; /* read so far */
	bool object;                                /* the file is to be a relocatable object */
	char *message;
	size_t message_size;
};

__attribute__((format(printf, 2, 3))) bool cubin_fail(struct cubin_reader *r, const char *fmt, ...);

static inline bool cubin_inside(uint64_t offset, uint64_t size, uint64_t whole)
{
	return offset <= whole && size <= whole - offset;
}

/* Whether a section has bytes in the file: of data in objects, only zeros have none. */
static inline bool cubin_has_bytes(const Elf64_Shdr *s)
{
	return s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS && s->sh_type != NV_SHT_GLOBAL &&
	       s->sh_type != NV_SHT_SHARED;
}

/* The launch data of a kernel while the reader fills it in. */
static inline struct image_nv_kernel *cubin_kernel_data(struct image_kernel *k)
{
	return k->vendor;
}

Elf64_Shdr cubin_section(const struct cubin_reader *r, uint32_t index);
const char *cubin_section_name(const struct cubin_reader *r, const Elf64_Shdr *s);
/* The rest of the name after the prefix; NULL: the name does not start with it. */
const char *cubin_name_after(const char *name, const char *prefix);
bool cubin_symbol(const struct cubin_reader *r, uint32_t index, Elf64_Sym *out);
/* "": none. */
const char *cubin_symbol_name(const struct cubin_reader *r, const Elf64_Sym *symbol);

/* Checks header, section table and symbol table. */
bool cubin_open(struct cubin_reader *r);

struct cubin_attribute {
	uint8_t form, code;
	uint16_t value; /* the value, or the size of data */
	const uint8_t *data;
};
/* Reads the attribute at *at and advances; false at the end, and with a message on an error. */
bool cubin_next_attribute(struct cubin_reader *r, const Elf64_Shdr *s, uint64_t *at,
			  struct cubin_attribute *a, bool *fault);
uint32_t cubin_attribute_word(const struct cubin_attribute *a, uint32_t index);
/* 1: one of the attributes that readers use, and well-formed; 0: not used; -1: malformed. */
int cubin_check_attribute(struct cubin_reader *r, const Elf64_Shdr *s,
			  const struct cubin_attribute *a);

/* Reads sections, constant banks, variables and relocations; the kernels must be complete. */
bool cubin_link(struct cubin_reader *r);
/* Finds .debug_line and the sequence of each kernel in it. */
bool cubin_lines(struct cubin_reader *r);

#endif
