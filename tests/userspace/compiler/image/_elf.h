/* SPDX-License-Identifier: MIT */
/*
 * A cubin for sm_90 built by hand, section by section, with everything that a loader handles: a
 * kernel that calls a function in another section, constant banks, variables, and relocations from
 * code and data to all of them.
 */
#ifndef TESTS_NV_ELF_H
#define TESTS_NV_ELF_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/isa/nv/sass.h"

#define ELF_SECTIONS 32
#define ELF_SYMBOLS  16
#define ELF_BYTES    16384

struct elf {
	uint8_t file[ELF_BYTES];
	size_t size;
	Elf64_Shdr sections[ELF_SECTIONS];
	uint32_t nsections;
	char names[1024], symbol_names[512];
	uint32_t names_size, symbol_names_size;
	Elf64_Sym symbols[ELF_SYMBOLS];
	uint32_t nsymbols;
};

static uint32_t elf_name(char *names, uint32_t *size, const char *name)
{
	uint32_t at = *size;

	strcpy(names + at, name);
	*size += (uint32_t)strlen(name) + 1;
	return at;
}

static uint32_t elf_section(struct elf *e, const char *name, uint32_t type, uint32_t info,
			    const void *data, size_t bytes)
{
	e->size = (e->size + 15) / 16 * 16;
	e->sections[e->nsections] = (Elf64_Shdr){
		.sh_name = elf_name(e->names, &e->names_size, name),
		.sh_type = type,
		.sh_info = info,
		.sh_offset = e->size,
		.sh_size = bytes,
		.sh_addralign = 8,
		.sh_entsize = type == SHT_RELA  ? sizeof(Elf64_Rela)
			      : type == SHT_REL ? sizeof(Elf64_Rel)
						: 0,
	};
	if (type != SHT_NOBITS && bytes) {
		memcpy(e->file + e->size, data, bytes);
		e->size += bytes;
	}
	return e->nsections++;
}

static uint32_t elf_symbol(struct elf *e, const char *name, uint8_t info, uint8_t other,
			   uint32_t section, uint64_t value, uint64_t size)
{
	e->symbols[e->nsymbols] = (Elf64_Sym){
		.st_name = elf_name(e->symbol_names, &e->symbol_names_size, name),
		.st_info = info,
		.st_other = other,
		.st_shndx = (uint16_t)section,
		.st_value = value,
		.st_size = size,
	};
	return e->nsymbols++;
}

static void elf_finish(struct elf *e)
{
	uint32_t symtab, names;
	Elf64_Ehdr *h = (Elf64_Ehdr *)e->file;

	symtab = elf_section(e, ".symtab", SHT_SYMTAB, 0, e->symbols,
			     e->nsymbols * sizeof(Elf64_Sym));
	e->sections[symtab].sh_entsize = sizeof(Elf64_Sym);
	e->sections[symtab].sh_link =
		elf_section(e, ".strtab", SHT_STRTAB, 0, e->symbol_names, e->symbol_names_size);
	names = e->nsections;
	elf_section(e, ".shstrtab", SHT_STRTAB, 0, e->names, e->names_size + sizeof(".shstrtab"));
	e->size = (e->size + 7) / 8 * 8;
	*h = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
			    NV_ELF_OSABI_CUDA12, NV_ELF_ABI_CUDA12},
		.e_type = ET_EXEC,
		.e_machine = NV_ELF_MACHINE,
		.e_flags = NV_ELF_FLAGS(90),
		.e_shoff = e->size,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (uint16_t)e->nsections,
		.e_shstrndx = (uint16_t)names,
	};
	memcpy(e->file + e->size, e->sections, e->nsections * sizeof(Elf64_Shdr));
	e->size += e->nsections * sizeof(Elf64_Shdr);
}

/* Code. */

#define ELF_R(n)    {.kind = SASS_GPR, .reg = n}
#define ELF_IMM(n)  {.kind = SASS_IMM, .value = n}
#define ELF_C(b, n) {.kind = SASS_CONST, .aux = b, .reg = SASS_RZ, .value = n}
#define ELF_AT(n, o) \
	{.kind = SASS_ADDR, .reg = n, .aux = SASS_NO_UREG, .flags = SASS_A64, .value = o}
#define ELF_TO(n) {.kind = SASS_TARGET, .value = n}
#define ELF_NONE  {.kind = SASS_NONE}

struct elf_inst {
	enum sass_op op;
	uint8_t width, nops; /* SASS_M_WIDTH; E and NODEC are set where the op has them */
	struct sass_operand ops[6];
};

static void elf_code(const struct elf_inst *in, uint32_t n, struct sass_word *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *why = "";
		struct sass_inst x;

		sass_init(&x, in[i].op);
		x.nops = in[i].nops;
		memcpy(x.ops, in[i].ops, sizeof(in[i].ops));
		x.mod[SASS_M_WIDTH] = in[i].width;
		x.mod[SASS_M_E] = in[i].op == SASS_LDG || in[i].op == SASS_STG;
		x.mod[SASS_M_NODEC] = in[i].op == SASS_CALL_ABS || in[i].op == SASS_RET_ABS;
		/* Variable-latency instructions set scoreboard 0, and every instruction waits
		 * for it. */
		if (in[i].op == SASS_LDC || in[i].op == SASS_LDG)
			x.write_barrier = 0;
		x.wait = 1;
		x.stall = 15;
		x.yield = true;
		if (!sass_encode(90, &x, &out[i], &why)) {
			fprintf(stderr, "instruction %u: %s\n", i, why);
			abort();
		}
	}
}

#define W SASS_WIDTH_32
/* zeroed[0] = counter + coefs[1]; zeroed[1] = f(), the word in constant bank 2. */
static const struct elf_inst elf_kernel[] = {
	{SASS_LDC, SASS_WIDTH_64, 2, {ELF_R(2), ELF_C(4, 0)}},
	{SASS_LDG, W, 3, {ELF_NONE, ELF_R(4), ELF_AT(2, 0)}},
	{SASS_MOV, 0, 2, {ELF_R(5), ELF_C(3, 4)}},
	{SASS_IADD3, 0, 6, {ELF_R(4), ELF_NONE, ELF_NONE, ELF_R(4), ELF_R(5), ELF_R(SASS_RZ)}},
	{SASS_MOV, 0, 2, {ELF_R(6), ELF_IMM(0)}},
	{SASS_MOV, 0, 2, {ELF_R(7), ELF_IMM(0)}},
	{SASS_STG, W, 2, {ELF_AT(6, 0), ELF_R(4)}},
	{SASS_MOV, 0, 2, {ELF_R(20), ELF_IMM(0)}},
	{SASS_MOV, 0, 2, {ELF_R(21), ELF_IMM(0)}},
	{SASS_CALL_ABS, 0, 2, {ELF_NONE, ELF_TO(0)}},
	{SASS_STG, W, 2, {ELF_AT(6, 4), ELF_R(8)}},
	{SASS_EXIT, 0, 0, {ELF_NONE}},
};
static const struct elf_inst elf_function[] = {
	{SASS_MOV, 0, 2, {ELF_R(8), ELF_C(2, 0)}},
	{SASS_RET_ABS, 0, 3, {ELF_NONE, ELF_R(20), ELF_TO(0)}},
};
#undef W
#define ELF_KERNEL_WORDS   (sizeof(elf_kernel) / sizeof(elf_kernel[0]))
#define ELF_FUNCTION_WORDS (sizeof(elf_function) / sizeof(elf_function[0]))

enum { /* sections, in this order */
       ELF_NULL,
       ELF_TEXT_K,
       ELF_TEXT_F,
       ELF_CONSTANT0,
       ELF_CONSTANT2,
       ELF_CONSTANT3,
       ELF_CONSTANT4,
       ELF_GLOBAL,
       ELF_GLOBAL_INIT,
       ELF_INFO,
       ELF_INFO_K,
       ELF_RELA_K,
       ELF_REL_4,
       ELF_RELA_INIT,
       ELF_DEBUG,
       ELF_RELA_DEBUG
};
enum {
	ELF_SYM_NULL,
	ELF_SYM_K,
	ELF_SYM_F,
	ELF_SYM_COUNTER,
	ELF_SYM_POINTER,
	ELF_SYM_ZEROED,
	ELF_SYM_COEFS
};

static Elf64_Rela elf_rela(uint64_t offset, uint32_t symbol, uint32_t kind, int64_t addend)
{
	return (Elf64_Rela){offset, ELF64_R_INFO((uint64_t)symbol, kind), addend};
}

static void elf_make(struct elf *e)
{
	static const uint8_t object = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	static const uint8_t function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	struct sass_word k[ELF_KERNEL_WORDS], f[ELF_FUNCTION_WORDS];
	static const uint8_t zeros[4096];
	uint8_t bank0[0x210] = {0};
	uint32_t two = 0x22222222, coefs[] = {10, 20, 30, 40}, addresses[2] = {0};
	uint32_t init[] = {7, 0, 0, 0}; /* counter, padding, pointer */
	/* registers of both functions, then the kernel's 16 bytes of stack */
	uint32_t info[] = {0x00082f04, ELF_SYM_K,  24,        0x00082f04, ELF_SYM_F,
			   24,         0x00081204, ELF_SYM_K, 16};
	Elf64_Rela text[] = {
		elf_rela(0x40, ELF_SYM_ZEROED, NV_R_CODE_LOW, 0),
		elf_rela(0x50, ELF_SYM_ZEROED, NV_R_CODE_HIGH, 0),
		elf_rela(0x70, ELF_SYM_K, NV_R_CODE_LOW, 0xa0),
		elf_rela(0x80, ELF_SYM_K, NV_R_CODE_HIGH, 0xa0),
		elf_rela(0x90, ELF_SYM_F, NV_R_CALL_SM90, 0),
	};
	Elf64_Rel four = {0, ELF64_R_INFO((uint64_t)ELF_SYM_COUNTER, NV_R_ADDRESS_64)};
	Elf64_Rela pointer = elf_rela(8, ELF_SYM_ZEROED, NV_R_GENERIC_64, 16);
	Elf64_Rela debug = elf_rela(0, ELF_SYM_K, 200, 0);

	memset(e, 0, sizeof(*e));
	e->size = sizeof(Elf64_Ehdr);
	e->names_size = e->symbol_names_size = 1;
	elf_code(elf_kernel, ELF_KERNEL_WORDS, k);
	elf_code(elf_function, ELF_FUNCTION_WORDS, f);
	elf_section(e, "", SHT_NULL, 0, NULL, 0);
	elf_section(e, ".text.k", SHT_PROGBITS, ELF_SYM_K, k, sizeof(k));
	elf_section(e, ".text.f", SHT_PROGBITS, ELF_SYM_F, f, sizeof(f));
	elf_section(e, ".nv.constant0.k", SHT_PROGBITS, ELF_TEXT_K, bank0, sizeof(bank0));
	elf_section(e, ".nv.constant2.k", SHT_PROGBITS, ELF_TEXT_K, &two, sizeof(two));
	elf_section(e, ".nv.constant3", SHT_PROGBITS, 0, coefs, sizeof(coefs));
	elf_section(e, ".nv.constant4", SHT_PROGBITS, 0, addresses, sizeof(addresses));
	elf_section(e, ".nv.global", SHT_NOBITS, 0, NULL, 4096);
	elf_section(e, ".nv.global.init", SHT_PROGBITS, 0, init, sizeof(init));
	elf_section(e, ".nv.info", NV_SHT_INFO, 0, info, sizeof(info));
	elf_section(e, ".nv.info.k", NV_SHT_INFO, ELF_TEXT_K, info, 0);
	elf_section(e, ".rela.text.k", SHT_RELA, ELF_TEXT_K, text, sizeof(text));
	elf_section(e, ".rel.nv.constant4", SHT_REL, ELF_CONSTANT4, &four, sizeof(four));
	elf_section(e, ".rela.nv.global.init", SHT_RELA, ELF_GLOBAL_INIT, &pointer,
		    sizeof(pointer));
	elf_section(e, ".debug_frame", SHT_PROGBITS, 0, zeros, sizeof(zeros));
	elf_section(e, ".rela.debug_frame", SHT_RELA, ELF_DEBUG, &debug, sizeof(debug));
	elf_symbol(e, "", 0, 0, 0, 0, 0);
	elf_symbol(e, "k", function, NV_STO_ENTRY, ELF_TEXT_K, 0, sizeof(k));
	elf_symbol(e, "f", function, 0, ELF_TEXT_F, 0, sizeof(f));
	elf_symbol(e, "counter", object, 0, ELF_GLOBAL_INIT, 0, 4);
	elf_symbol(e, "pointer", object, 0, ELF_GLOBAL_INIT, 8, 8);
	elf_symbol(e, "zeroed", object, 0, ELF_GLOBAL, 0, 4096);
	elf_symbol(e, "coefs", object, 0, ELF_CONSTANT3, 0, 16);
	elf_finish(e);
}

#endif
