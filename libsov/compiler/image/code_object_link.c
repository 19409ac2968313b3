// SPDX-License-Identifier: MIT
/*
 * AMD code object reader: variables, declared kernels and relocations. .rela.dyn relocates absolute
 * addresses in data. .rela.text lists the PC-relative references of code, which matter only if data
 * is loaded separately from code.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hw/amd/code_object.h"
#include "libsov/compiler/image/code_object_read.h"

static bool is_kernel_descriptor(const char *name, const Elf64_Sym *s)
{
	size_t n = strlen(name);

	return n > 3 && !strcmp(name + n - 3, ".kd") &&
	       s->st_size == sizeof(struct amd_kernel_descriptor);
}

static bool add_variable(struct amd_object *o, const char *name, const Elf64_Sym *s)
{
	struct image *im = o->image;
	uint32_t in = amd_object_locate(o, s->st_value);
	uint64_t offset;

	if (in == UINT32_MAX)
		return amd_object_fail(o, "variable '%.64s' at 0x%" PRIx64 " is in no segment",
				       name, (uint64_t)s->st_value);
	offset = s->st_value - o->address[in];
	if (!amd_inside(offset, s->st_size, im->sections[in].bytes))
		return amd_object_fail(o,
				       "variable '%.64s' of 0x%" PRIx64 " bytes at 0x%" PRIx64
				       " ends beyond its segment",
				       name, (uint64_t)s->st_size, (uint64_t)s->st_value);
	im->variables[im->nvariables++] = (struct image_variable){
		.name = name,
		.part = im->sections[in].part,
		.offset = im->sections[in].offset + offset,
		.bytes = s->st_size,
	};
	return true;
}

static bool read_symbols(struct amd_object *o)
{
	struct image *im = o->image;

	im->variables = calloc(o->symtab.count + 1, sizeof(*im->variables));
	im->declared = calloc(o->symtab.count + 1, sizeof(*im->declared));
	if (!im->variables || !im->declared)
		return amd_object_fail(o, "out of memory");
	for (uint64_t i = 0; i < o->symtab.count; i++) {
		uint32_t type;
		const char *name;
		Elf64_Sym s;

		amd_object_symbol(o, &o->symtab, i, &s);
		name = amd_symbol_name(&o->symtab, &s);
		type = ELF64_ST_TYPE(s.st_info);
		if (!*name)
			continue;
		if (type == AMD_ELF_STT_KERNEL && s.st_shndx == SHN_UNDEF)
			im->declared[im->ndeclared++] = (struct image_declared){name, s.st_value};
		else if (s.st_shndx == SHN_UNDEF && service_find(name) != SERVICES)
			im->services |= 1u << service_find(name);
		else if (type == STT_OBJECT && s.st_shndx != SHN_UNDEF &&
			 !is_kernel_descriptor(name, &s) && !amd_object_in_code(o, &s) &&
			 !add_variable(o, name, &s))
			return false;
	}
	return true;
}

/* ---- relocations ---- */

static const struct relocation_kind {
	uint8_t kind, bytes;
	bool code; /* applies to code; the others apply to data */
} kinds[] = {
	{AMD_R_NONE, 0, false},    {AMD_R_ABS64, 8, false},   {AMD_R_RELATIVE64, 8, false},
	{AMD_R_REL32_LO, 4, true}, {AMD_R_REL32_HI, 4, true},
};

static const struct relocation_kind *find_relocation_kind(uint32_t kind)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}

/* Translates a virtual address of the file into section and addend. */
static bool resolve_address(struct amd_object *o, uint64_t address, struct image_relocation *out)
{
	out->target = amd_object_locate(o, address);
	if (out->target == UINT32_MAX)
		return amd_object_fail(
			o, "a relocation is to 0x%" PRIx64 ", which is in no segment", address);
	out->addend = address - o->address[out->target];
	return true;
}

/* An undefined symbol is a device service, or 0 if it is weak. */
static bool resolve_symbol(struct amd_object *o, const struct amd_symtab *t, uint64_t index,
			   struct image_relocation *out)
{
	enum service service;
	Elf64_Sym s;

	if (!amd_object_symbol(o, t, index, &s))
		return amd_object_fail(o, "a relocation names symbol %" PRIu64 " of %" PRIu64,
				       index, t->count);
	if (s.st_shndx != SHN_UNDEF)
		return resolve_address(o, s.st_value, out);
	out->target = UINT32_MAX;
	service = service_find(amd_symbol_name(t, &s));
	if (service != SERVICES) {
		out->service = (uint8_t)(service + 1);
		o->image->services |= 1u << service;
		return true;
	}
	if (ELF64_ST_BIND(s.st_info) == STB_WEAK)
		return true;
	return amd_object_fail(
		o,
		"'%.128s' is used but not defined; the image must define every function that it "
		"calls, except vprintf, __assertfail, malloc and free",
		amd_symbol_name(t, &s));
}

static bool add_relocation(struct amd_object *o, const struct amd_symtab *t, const Elf64_Rela *rel,
			   bool of_code)
{
	struct image *im = o->image;
	struct image_relocation out = {0};
	const struct relocation_kind *kind =
		find_relocation_kind((uint32_t)ELF64_R_TYPE(rel->r_info));
	uint32_t in = amd_object_locate(o, rel->r_offset);

	if (!kind || (kind->bytes && kind->code != of_code))
		return amd_object_fail(o, "relocation kind %u at 0x%" PRIx64 " is not known",
				       (uint32_t)ELF64_R_TYPE(rel->r_info),
				       (uint64_t)rel->r_offset);
	if (!kind->bytes)
		return true;
	if (in == UINT32_MAX || !im->sections[in].data ||
	    !amd_inside(rel->r_offset - o->address[in], kind->bytes, im->sections[in].bytes))
		return amd_object_fail(o, "a relocation at 0x%" PRIx64 " is not in the file",
				       (uint64_t)rel->r_offset);
	out.section = in;
	out.offset = rel->r_offset - o->address[in];
	out.kind = kind->kind;
	if (kind->kind == AMD_R_RELATIVE64) {
		if (!resolve_address(o, (uint64_t)rel->r_addend, &out))
			return false;
	} else {
		if (!resolve_symbol(o, t, ELF64_R_SYM(rel->r_info), &out))
			return false;
		out.addend += (uint64_t)rel->r_addend;
	}
	/* The linker has resolved references within a part: their distance is fixed. */
	if (of_code &&
	    (out.target == UINT32_MAX || im->sections[out.target].part == im->sections[in].part))
		return true;
	im->relocations[im->nrelocations++] = out;
	return true;
}

static bool read_relocations(struct amd_object *o, uint32_t index)
{
	Elf64_Shdr s = amd_object_section(o, index), of = {0};
	struct image_relocation *grown;
	struct amd_symtab symtab;
	bool of_code;

	if ((s.sh_type != SHT_RELA && s.sh_type != SHT_REL) || !s.sh_size)
		return true;
	if (s.sh_info < o->header.e_shnum)
		of = amd_object_section(o, s.sh_info);
	of_code = !(s.sh_flags & SHF_ALLOC);
	if (of_code && !(of.sh_flags & SHF_EXECINSTR))
		return true; /* relocates a section that is not loaded, such as .debug_line */
	if (s.sh_type != SHT_RELA || s.sh_size % sizeof(Elf64_Rela) ||
	    !amd_inside(s.sh_offset, s.sh_size, o->size))
		return amd_object_fail(o, "section %u is not a table of %zu-byte relocations",
				       index, sizeof(Elf64_Rela));
	/* This also bounds the reading time by the file size. */
	o->relocation_bytes += s.sh_size;
	if (o->relocation_bytes > o->size)
		return amd_object_fail(o, "section %u overlaps other relocations", index);
	if (!amd_object_symtab(o, s.sh_link, &symtab))
		return false;
	grown = realloc(o->image->relocations,
			(o->image->nrelocations + s.sh_size / sizeof(Elf64_Rela)) * sizeof(*grown));
	if (!grown)
		return amd_object_fail(o, "out of memory");
	o->image->relocations = grown;
	for (uint64_t at = 0; at < s.sh_size; at += sizeof(Elf64_Rela)) {
		Elf64_Rela rel;

		memcpy(&rel, o->file + s.sh_offset + at, sizeof(rel));
		if (!add_relocation(o, &symtab, &rel, of_code))
			return false;
	}
	return true;
}

bool amd_object_link(struct amd_object *o)
{
	if (!read_symbols(o))
		return false;
	/* The file does not say which kernels call services: assume all. */
	for (uint32_t k = 0; k < o->image->nkernels; k++)
		o->image->kernels[k].services = o->image->services;
	for (uint32_t i = 0; i < o->header.e_shnum; i++)
		if (!read_relocations(o, i))
			return false;
	return true;
}
