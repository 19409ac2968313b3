// SPDX-License-Identifier: MIT
/*
 * Cubin reader: memory layout. Assigns sections to the image's two parts, finds each kernel's
 * constant banks, makes variables of data symbols, and validates relocations.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hw/nv/cubin.h"
#include "libsov/compiler/image/cubin_read.h"

#define CODE_ALIGN 128

/* The bank of ".nv.constant3" or ".nv.constant2.KERNEL", and the kernel's name or "". Each launch
 * fills bank 0, so only the size of its section counts. -1: the section is not a bank. */
static int bank_of(const char *name, const char **kernel)
{
	const char *digits = cubin_name_after(name, ".nv.constant");
	int bank = 0;

	if (!digits || *digits < '0' || *digits > '9')
		return -1;
	for (; *digits >= '0' && *digits <= '9' && bank < 100; digits++)
		bank = 10 * bank + (*digits - '0');
	if (*digits && *digits != '.')
		return -1;
	*kernel = *digits ? digits + 1 : "";
	return bank;
}

/* The part that a section is loaded into; IMAGE_PARTS: it is not loaded. */
static enum image_part part_of(const char *name)
{
	const char *kernel;
	int bank = bank_of(name, &kernel);

	if (cubin_name_after(name, ".text."))
		return IMAGE_CODE;
	if (!strcmp(name, ".nv.global") || !strcmp(name, ".nv.global.init"))
		return IMAGE_DATA;
	if (bank > 0)
		return *kernel ? IMAGE_CODE : IMAGE_DATA;
	return IMAGE_PARTS;
}

/* Appends a section to its part. */
static bool layout_section(struct cubin_reader *r, uint32_t index, const Elf64_Shdr *s)
{
	const char *name = cubin_section_name(r, s);
	enum image_part part = part_of(name);
	uint64_t align = part == IMAGE_CODE ? CODE_ALIGN : IMAGE_ALIGN, end;
	struct image_section *out;

	if (part == IMAGE_PARTS || !s->sh_size)
		return true;
	if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS)
		return cubin_fail(r, "section %u '%s' has type 0x%x, not program data", index, name,
				  s->sh_type);
	if (s->sh_addralign > align)
		align = s->sh_addralign;
	if (align > IMAGE_MAX_ALIGN)
		return cubin_fail(r,
				  "section %u '%s' requires alignment 0x%" PRIx64
				  ", at most %u is possible",
				  index, name, s->sh_addralign, IMAGE_MAX_ALIGN);
	end = (r->image->part_bytes[part] + align - 1) / align * align;
	if (s->sh_size > IMAGE_MAX_BYTES || end + s->sh_size > IMAGE_MAX_BYTES)
		return cubin_fail(r,
				  "section %u '%s' of 0x%" PRIx64
				  " bytes makes the image larger than 0x%llx",
				  index, name, s->sh_size, IMAGE_MAX_BYTES);
	out = &r->image->sections[r->image->nsections++];
	*out = (struct image_section){
		.name = name,
		.data = s->sh_type == SHT_NOBITS ? NULL : r->file + s->sh_offset,
		.bytes = s->sh_size,
		.part = part,
		.offset = end,
	};
	r->section_of[index] = r->image->nsections;
	r->image->part_bytes[part] = end + s->sh_size;
	return true;
}

static bool layout_sections(struct cubin_reader *r)
{
	uint32_t n = r->header.e_shnum;

	r->image->sections = calloc(n, sizeof(*r->image->sections));
	r->section_of = calloc(n, sizeof(*r->section_of));
	if (!r->image->sections || !r->section_of)
		return cubin_fail(r, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (!layout_section(r, i, &s))
			return false;
		if (r->kernel_of[i])
			r->image->kernels[r->kernel_of[i] - 1].code_offset =
				r->image->sections[r->section_of[i] - 1].offset;
	}
	return true;
}

/* A bank belongs to the kernel whose code section its sh_info names, or else to all kernels. */
static bool read_bank(struct cubin_reader *r, uint32_t index, const Elf64_Shdr *s)
{
	const char *name = cubin_section_name(r, s), *kernel;
	int bank = bank_of(name, &kernel);
	const struct image_section *at;
	uint32_t first = 0, last = r->image->nkernels;

	if (bank <= 0 || !s->sh_size)
		return true;
	if (bank >= IMAGE_NV_BANKS || s->sh_size > IMAGE_NV_MAX_BANK_BYTES)
		return cubin_fail(r,
				  "section %u '%s' of 0x%" PRIx64
				  " bytes: there are banks 1 to %u of at most %u bytes",
				  index, name, s->sh_size, IMAGE_NV_BANKS - 1,
				  IMAGE_NV_MAX_BANK_BYTES);
	if (*kernel) {
		if (s->sh_info >= r->header.e_shnum || !r->kernel_of[s->sh_info])
			return cubin_fail(r,
					  "section %u '%s' belongs to section %u, which is no "
					  "kernel's code",
					  index, name, s->sh_info);
		first = r->kernel_of[s->sh_info] - 1;
		last = first + 1;
	}
	at = &r->image->sections[r->section_of[index] - 1];
	for (uint32_t k = first; k < last; k++)
		cubin_kernel_data(&r->image->kernels[k])->banks[bank] = (struct image_nv_bank){
			.part = at->part,
			.offset = at->offset,
			.bytes = (uint32_t)at->bytes,
		};
	return true;
}

/* Variables are named object symbols in the data part. */
static bool read_variables(struct cubin_reader *r)
{
	uint64_t n = r->symtab.sh_size / sizeof(Elf64_Sym);
	struct image *im = r->image;

	im->variables = calloc(n + 1, sizeof(*im->variables));
	if (!im->variables)
		return cubin_fail(r, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		const struct image_section *at;
		const char *name;
		Elf64_Sym symbol;

		cubin_symbol(r, i, &symbol);
		name = cubin_symbol_name(r, &symbol);
		if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || !*name ||
		    symbol.st_shndx >= r->header.e_shnum || !r->section_of[symbol.st_shndx])
			continue;
		at = &im->sections[r->section_of[symbol.st_shndx] - 1];
		if (!cubin_inside(symbol.st_value, symbol.st_size, at->bytes))
			return cubin_fail(r,
					  "variable '%.64s' of 0x%" PRIx64 " bytes at 0x%" PRIx64
					  " ends beyond the 0x%" PRIx64 " bytes of '%s'",
					  name, (uint64_t)symbol.st_size, (uint64_t)symbol.st_value,
					  at->bytes, at->name);
		if (at->part != IMAGE_DATA)
			continue;
		im->variables[im->nvariables++] = (struct image_variable){
			.name = name,
			.part = at->part,
			.offset = at->offset + symbol.st_value,
			.bytes = symbol.st_size,
		};
	}
	return true;
}

/* ---- relocations ---- */

static const struct relocation_kind {
	uint8_t kind, bytes;
	bool code; /* applies to an instruction; the others apply to data */
} kinds[] = {
	{NV_R_NONE, 0, false},       {NV_R_ADDRESS_32, 4, false}, {NV_R_ADDRESS_64, 8, false},
	{NV_R_GENERIC_32, 4, false}, {NV_R_GENERIC_64, 8, false}, {NV_R_CODE_LOW, 16, true},
	{NV_R_CODE_HIGH, 16, true},  {NV_R_CALL, 16, true},       {NV_R_CALL_SM90, 16, true},
};

static const struct relocation_kind *find_relocation_kind(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

/* An undefined symbol is a device service, or 0 if it is weak. */
static bool resolve_symbol(struct cubin_reader *r, uint32_t index, struct image_relocation *out)
{
	enum service service = SERVICES;
	Elf64_Sym symbol;

	if (!cubin_symbol(r, index, &symbol))
		return cubin_fail(r, "a relocation names symbol %u, which does not exist", index);
	out->target = UINT32_MAX;
	if (symbol.st_shndx == SHN_UNDEF)
		service = service_find(cubin_symbol_name(r, &symbol));
	if (service != SERVICES) {
		out->service = (uint8_t)(service + 1);
		r->image->services |= 1u << service;
		return true;
	}
	if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_WEAK)
		return true;
	if (symbol.st_shndx == SHN_UNDEF)
		return cubin_fail(
			r,
			"'%.128s' is used but not defined; the image must define every function "
			"that it calls, except vprintf, __assertfail, malloc and free",
			cubin_symbol_name(r, &symbol));
	if (symbol.st_shndx >= r->header.e_shnum || !r->section_of[symbol.st_shndx])
		return cubin_fail(r,
				  "a relocation names symbol %u '%.64s' in section %u, which has "
				  "no address",
				  index, cubin_symbol_name(r, &symbol), symbol.st_shndx);
	out->target = r->section_of[symbol.st_shndx] - 1;
	out->addend = symbol.st_value;
	return true;
}

static bool add_relocation(struct cubin_reader *r, const Elf64_Shdr *s, uint32_t section,
			   const uint8_t *entry)
{
	const struct image_section *at = &r->image->sections[section];
	struct image_relocation *out = &r->image->relocations[r->image->nrelocations];
	const char *name = cubin_section_name(r, s);
	const struct relocation_kind *kind;
	Elf64_Rela rel = {0};
	uint64_t addend = 0;

	memcpy(&rel, entry, s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
	kind = find_relocation_kind((uint32_t)ELF64_R_TYPE(rel.r_info));
	if (!kind || (kind->code && at->part != IMAGE_CODE))
		return cubin_fail(r,
				  "section '%s': relocation kind %u at 0x%" PRIx64
				  " is not known; link the program first if it is an object file",
				  name, (uint32_t)ELF64_R_TYPE(rel.r_info), (uint64_t)rel.r_offset);
	if (!at->data || !cubin_inside(rel.r_offset, kind->bytes, at->bytes) ||
	    (kind->code && rel.r_offset % 16))
		return cubin_fail(r,
				  "section '%s': relocation at 0x%" PRIx64
				  " does not lie in the 0x%" PRIx64 " bytes of '%s'",
				  name, (uint64_t)rel.r_offset, at->bytes, at->name);
	*out = (struct image_relocation){
		.section = section,
		.offset = rel.r_offset,
		.kind = kind->kind,
	};
	if (kind->kind == NV_R_NONE)
		return true;
	if (!resolve_symbol(r, (uint32_t)ELF64_R_SYM(rel.r_info), out))
		return false;
	if (s->sh_type == SHT_REL && !kind->code)
		memcpy(&addend, at->data + rel.r_offset, kind->bytes);
	out->addend += s->sh_type == SHT_REL ? addend : (uint64_t)rel.r_addend;
	r->image->nrelocations++;
	return true;
}

static bool read_relocations(struct cubin_reader *r, uint32_t index, const Elf64_Shdr *s)
{
	uint64_t entry_size = s->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel), n;
	struct image_relocation *grown;

	if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL)
		return true;
	if (s->sh_info >= r->header.e_shnum || !r->section_of[s->sh_info] || !s->sh_size)
		return true; /* relocates a section that is not loaded */
	if (s->sh_entsize != entry_size || s->sh_size % entry_size)
		return cubin_fail(r,
				  "section %u '%s' is not a table of %" PRIu64 "-byte relocations",
				  index, cubin_section_name(r, s), entry_size);
	/* This also bounds the reading time by the file size. */
	r->relocation_bytes += s->sh_size;
	if (r->relocation_bytes > r->size)
		return cubin_fail(r, "section %u '%s' overlaps other relocations", index,
				  cubin_section_name(r, s));
	n = s->sh_size / entry_size;
	grown = realloc(r->image->relocations,
			(r->image->nrelocations + n) * sizeof(*r->image->relocations));
	if (!grown)
		return cubin_fail(r, "out of memory");
	r->image->relocations = grown;
	for (uint64_t i = 0; i < n; i++)
		if (!add_relocation(r, s, r->section_of[s->sh_info] - 1,
				    r->file + s->sh_offset + i * entry_size))
			return false;
	return true;
}

bool cubin_link(struct cubin_reader *r)
{
	if (!layout_sections(r) || !read_variables(r))
		return false;
	for (uint32_t i = 0; i < r->header.e_shnum; i++) {
		Elf64_Shdr s = cubin_section(r, i);

		if (!read_bank(r, i, &s) || !read_relocations(r, i, &s))
			return false;
	}
	return true;
}
