// SPDX-License-Identifier: MIT
/*
 * AMD code object reader: segments, symbols and kernels. The file is untrusted: each step checks
 * what the next one relies on, and the first error ends reading with a message. Segments keep their
 * distances in memory; only if .rela.text lists every reference of the code are the variables a
 * part of their own.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/amd/code_object.h"
#include "libsov/compiler/image/code_object_read.h"

#define MAX_MEMORY_BYTES (1ull << 31) /* virtual addresses in the file have 31 bits */

bool amd_object_fail(struct amd_object *o, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(o->message, o->message_size, "code object: ");

	if (n > 0 && (size_t)n < o->message_size) {
		va_start(ap, fmt);
		vsnprintf(o->message + n, o->message_size - (size_t)n, fmt, ap);
		va_end(ap);
	}
	return false;
}

static bool check_header(struct amd_object *o)
{
	Elf64_Ehdr *e = &o->header;

	if (o->size < sizeof(*e))
		return amd_object_fail(
			o, "the file has %" PRIu64 " bytes, an ELF header alone has %zu", o->size,
			sizeof(*e));
	memcpy(e, o->file, sizeof(*e));
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_ident[EI_DATA] != ELFDATA2LSB || e->e_machine != AMD_ELF_MACHINE)
		return amd_object_fail(o, "not a 64-bit little-endian ELF file for machine %u",
				       AMD_ELF_MACHINE);
	if (e->e_ident[EI_OSABI] != AMD_ELF_OSABI_HSA)
		return amd_object_fail(o, "OS ABI %u is not HSA's (%u)", e->e_ident[EI_OSABI],
				       AMD_ELF_OSABI_HSA);
	if (e->e_ident[EI_ABIVERSION] != AMD_ELF_ABI_V5)
		return amd_object_fail(o,
				       "ABI version %u is not that of code object version 5 (%u); "
				       "clang -mcode-object-version=5 makes it",
				       e->e_ident[EI_ABIVERSION], AMD_ELF_ABI_V5);
	if (AMD_ELF_CHIP(e->e_flags) != AMD_ELF_GFX1030)
		return amd_object_fail(o, "it is for chip 0x%x, not for gfx1030 (0x%x)",
				       AMD_ELF_CHIP(e->e_flags), AMD_ELF_GFX1030);
	if (e->e_type != ET_DYN)
		return amd_object_fail(
			o, "it is not linked; ld.lld -shared makes a code object of it");
	if (e->e_phentsize != sizeof(Elf64_Phdr) || e->e_shentsize != sizeof(Elf64_Shdr) ||
	    !amd_inside(e->e_phoff, (uint64_t)e->e_phnum * sizeof(Elf64_Phdr), o->size) ||
	    !amd_inside(e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr), o->size))
		return amd_object_fail(o,
				       "%u segments at 0x%" PRIx64 " and %u sections at 0x%" PRIx64
				       " end beyond the file's 0x%" PRIx64 " bytes",
				       e->e_phnum, (uint64_t)e->e_phoff, e->e_shnum,
				       (uint64_t)e->e_shoff, o->size);
	snprintf(o->image->target, sizeof(o->image->target), "gfx1030");
	return true;
}

static Elf64_Phdr program_header(const struct amd_object *o, uint32_t i)
{
	Elf64_Phdr p;

	memcpy(&p, o->file + o->header.e_phoff + (uint64_t)i * sizeof(p), sizeof(p));
	return p;
}

Elf64_Shdr amd_object_section(const struct amd_object *o, uint32_t index)
{
	Elf64_Shdr s;

	memcpy(&s, o->file + o->header.e_shoff + (uint64_t)index * sizeof(s), sizeof(s));
	return s;
}

/* ---- memory ---- */

/* Whether data may be loaded separately: there is no code, or its references are listed. */
static bool has_separable_data(const struct amd_object *o)
{
	bool code = false;

	for (uint32_t i = 0; i < o->header.e_phnum; i++) {
		Elf64_Phdr p = program_header(o, i);

		code |= p.p_type == PT_LOAD && p.p_flags & PF_X;
	}
	for (uint32_t i = 0; i < o->header.e_shnum && code; i++) {
		Elf64_Shdr s = amd_object_section(o, i), of;

		if (s.sh_type != SHT_RELA || s.sh_flags & SHF_ALLOC ||
		    s.sh_info >= o->header.e_shnum)
			continue;
		of = amd_object_section(o, s.sh_info);
		code = !(of.sh_flags & SHF_EXECINSTR);
	}
	return !code;
}

/* Adds the file contents of a segment, or the zeros that follow them. */
static void add_section(struct amd_object *o, const Elf64_Phdr *p, bool zeros, uint64_t data_base)
{
	struct image *im = o->image;
	bool writable = p->p_flags & PF_W;
	enum image_part part = o->separate_data && writable ? IMAGE_DATA : IMAGE_CODE;
	uint64_t address = p->p_vaddr + (zeros ? p->p_filesz : 0);
	struct image_section s = {
		.name = p->p_flags & PF_X ? "code"
			: writable        ? "variables"
					  : "constants",
		.data = zeros ? NULL : o->file + p->p_offset,
		.bytes = zeros ? p->p_memsz - p->p_filesz : p->p_filesz,
		.part = part,
		.offset = address - (part == IMAGE_DATA ? data_base : 0),
	};

	if (!s.bytes)
		return;
	o->address[im->nsections] = address;
	o->writable[im->nsections] = writable;
	im->sections[im->nsections++] = s;
	im->part_bytes[part] = s.offset + s.bytes;
}

static bool read_segments(struct amd_object *o)
{
	uint32_t n = o->header.e_phnum;
	uint64_t end = 0, data_base = UINT64_MAX;

	o->separate_data = has_separable_data(o);
	o->image->sections = calloc(2 * (size_t)n + 1, sizeof(*o->image->sections));
	o->address = calloc(2 * (size_t)n + 1, sizeof(*o->address));
	o->writable = calloc(2 * (size_t)n + 1, sizeof(*o->writable));
	if (!o->image->sections || !o->address || !o->writable)
		return amd_object_fail(o, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		Elf64_Phdr p = program_header(o, i);

		if (p.p_type != PT_LOAD)
			continue;
		if (!amd_inside(p.p_offset, p.p_filesz, o->size) || p.p_filesz > p.p_memsz ||
		    !amd_inside(p.p_vaddr, p.p_memsz, MAX_MEMORY_BYTES))
			return amd_object_fail(o,
					       "segment %u of 0x%" PRIx64 " bytes at 0x%" PRIx64
					       " ends beyond the file, or beyond 2 GiB of memory",
					       i, (uint64_t)p.p_filesz, (uint64_t)p.p_offset);
		if (p.p_flags & PF_W && p.p_flags & PF_X)
			return amd_object_fail(o, "segment %u is both writable and executable", i);
		if (p.p_vaddr < end)
			return amd_object_fail(o, "segment %u overlaps an earlier segment", i);
		if (p.p_flags & PF_W && data_base == UINT64_MAX)
			data_base = p.p_vaddr / IMAGE_ALIGN * IMAGE_ALIGN;
		end = p.p_vaddr + p.p_memsz;
		add_section(o, &p, false, data_base);
		add_section(o, &p, true, data_base);
	}
	return o->image->nsections ? true : amd_object_fail(o, "the file has no loadable segment");
}

uint32_t amd_object_locate(const struct amd_object *o, uint64_t address)
{
	uint32_t low = 0,
		 high = o->image->nsections; /* binary search: first section after address */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->address[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - o->address[low - 1] > o->image->sections[low - 1].bytes)
		return UINT32_MAX;
	return low - 1;
}

/* ---- symbols ---- */

bool amd_object_symtab(struct amd_object *o, uint32_t section, struct amd_symtab *out)
{
	Elf64_Shdr s, names;

	if (section >= o->header.e_shnum)
		return amd_object_fail(o, "symbol table section %u does not exist", section);
	s = amd_object_section(o, section);
	if (s.sh_link >= o->header.e_shnum)
		return amd_object_fail(o,
				       "the names of section %u's symbols are in section %u of %u",
				       section, s.sh_link, o->header.e_shnum);
	names = amd_object_section(o, s.sh_link);
	if ((s.sh_type != SHT_DYNSYM && s.sh_type != SHT_SYMTAB) ||
	    !amd_inside(s.sh_offset, s.sh_size, o->size) || s.sh_size % sizeof(Elf64_Sym) ||
	    names.sh_type != SHT_STRTAB || !amd_inside(names.sh_offset, names.sh_size, o->size) ||
	    !names.sh_size || o->file[names.sh_offset + names.sh_size - 1])
		return amd_object_fail(o, "section %u is not a symbol table with names", section);
	*out = (struct amd_symtab){s.sh_offset, s.sh_size / sizeof(Elf64_Sym),
				   (const char *)o->file + names.sh_offset, names.sh_size};
	return true;
}

bool amd_object_symbol(const struct amd_object *o, const struct amd_symtab *t, uint64_t index,
		       Elf64_Sym *out)
{
	if (index >= t->count)
		return false;
	memcpy(out, o->file + t->offset + index * sizeof(*out), sizeof(*out));
	return true;
}

const char *amd_symbol_name(const struct amd_symtab *t, const Elf64_Sym *s)
{
	return s->st_name < t->names_bytes ? t->names + s->st_name : "";
}

static int compare_names(const void *a, const void *b)
{
	const struct amd_named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static bool read_symbols(struct amd_object *o)
{
	uint32_t table = 0;

	for (uint32_t i = 1; i < o->header.e_shnum; i++) {
		Elf64_Shdr s = amd_object_section(o, i);

		if (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && !table))
			table = i;
	}
	if (!table)
		return amd_object_fail(o, "the file has no symbols");
	if (!amd_object_symtab(o, table, &o->symtab))
		return false;
	o->named = calloc(o->symtab.count + 1, sizeof(*o->named));
	if (!o->named)
		return amd_object_fail(o, "out of memory");
	for (uint64_t i = 0; i < o->symtab.count; i++) {
		const char *name;
		Elf64_Sym s;

		amd_object_symbol(o, &o->symtab, i, &s);
		name = amd_symbol_name(&o->symtab, &s);
		if (*name && s.st_shndx != SHN_UNDEF)
			o->named[o->nnamed++] = (struct amd_named){name, (uint32_t)i};
	}
	qsort(o->named, o->nnamed, sizeof(*o->named), compare_names);
	return true;
}

/* A search key: the symbol named NAME + suffix. */
struct symbol_key {
	struct amd_metadata_name name;
	const char *suffix;
};

static int compare_key(const void *a, const void *b)
{
	const struct symbol_key *key = a;
	const char *name = ((const struct amd_named *)b)->name;
	int order = strncmp(key->name.name, name, key->name.length);

	return order ? order : strcmp(key->suffix, name + key->name.length);
}

static const struct amd_named *find_symbol(const struct amd_object *o,
					   struct amd_metadata_name name, const char *suffix,
					   Elf64_Sym *out)
{
	struct symbol_key key = {name, suffix};
	const struct amd_named *found =
		bsearch(&key, o->named, o->nnamed, sizeof(*o->named), compare_key);

	if (found)
		amd_object_symbol(o, &o->symtab, found->index, out);
	return found;
}

/* ---- kernels ---- */

static bool read_metadata_note(struct amd_object *o, struct amd_metadata_name **names)
{
	for (uint32_t i = 0; i < o->header.e_phnum; i++) {
		Elf64_Phdr p = program_header(o, i);
		uint64_t at = 0;

		if (p.p_type != PT_NOTE || !amd_inside(p.p_offset, p.p_filesz, o->size))
			continue;
		while (amd_inside(at, sizeof(Elf64_Nhdr), p.p_filesz)) {
			const uint8_t *note = o->file + p.p_offset + at;
			uint64_t name, bytes;
			Elf64_Nhdr n;

			memcpy(&n, note, sizeof(n));
			name = ((uint64_t)n.n_namesz + 3) & ~3ull;
			bytes = ((uint64_t)n.n_descsz + 3) & ~3ull;
			if (!amd_inside(at, sizeof(n) + name + bytes, p.p_filesz))
				return amd_object_fail(
					o, "a note of 0x%x bytes ends beyond its segment",
					n.n_descsz);
			if (n.n_type == AMD_NOTE_METADATA && n.n_namesz == sizeof(AMD_NOTE_NAME) &&
			    !memcmp(note + sizeof(n), AMD_NOTE_NAME, sizeof(AMD_NOTE_NAME)))
				return amd_metadata_read(o, note + sizeof(n) + name, n.n_descsz,
							 names);
			at += sizeof(n) + name + bytes;
		}
	}
	return amd_object_fail(o, "the file has no kernel metadata");
}

/* The file contents at a virtual address; NULL: not contiguous in one section. */
static const uint8_t *bytes_at(const struct amd_object *o, uint64_t address, uint64_t bytes)
{
	uint32_t s = amd_object_locate(o, address);
	const struct image_section *at = s == UINT32_MAX ? NULL : &o->image->sections[s];

	if (!at || !at->data || !amd_inside(address - o->address[s], bytes, at->bytes))
		return NULL;
	return at->data + (address - o->address[s]);
}

bool amd_object_in_code(const struct amd_object *o, const Elf64_Sym *s)
{
	uint32_t section = amd_object_locate(o, s->st_value);

	return section != UINT32_MAX && !strcmp(o->image->sections[section].name, "code");
}

static bool read_kernel(struct amd_object *o, struct image_kernel *k, struct amd_metadata_name name)
{
	const struct amd_named *code, *descriptor;
	struct image_amd_kernel *amd = amd_kernel_data(k);
	struct amd_kernel_descriptor *d = &amd->descriptor;
	const uint8_t *bytes;
	Elf64_Sym f, s;

	code = find_symbol(o, name, "", &f);
	descriptor = find_symbol(o, name, ".kd", &s);
	if (!code || !descriptor)
		return amd_object_fail(o, "kernel '%.*s' has no symbol '%.*s%s'",
				       (int)(name.length < 128 ? name.length : 128), name.name,
				       (int)(name.length < 128 ? name.length : 128), name.name,
				       code ? ".kd" : "");
	k->name = code->name;
	bytes = bytes_at(o, s.st_value, sizeof(*d));
	if (!bytes || s.st_size != sizeof(*d) || o->writable[amd_object_locate(o, s.st_value)])
		return amd_object_fail(o, "kernel '%.128s': its descriptor is not in the file",
				       k->name);
	memcpy(d, bytes, sizeof(*d));
	amd->descriptor_offset = s.st_value;
	k->code = bytes_at(o, f.st_value, f.st_size);
	if (!k->code || f.st_value % 4 || f.st_size % 4 || !f.st_size || f.st_size > INT32_MAX ||
	    s.st_value + (uint64_t)d->entry_offset != f.st_value || !amd_object_in_code(o, &f))
		return amd_object_fail(
			o,
			"kernel '%.128s': 0x%" PRIx64 " bytes at 0x%" PRIx64
			" are not its code, or its descriptor has another entry point",
			k->name, (uint64_t)f.st_size, (uint64_t)f.st_value);
	k->code_offset = f.st_value;
	k->code_bytes = (uint32_t)f.st_size;
	if (d->kernarg_bytes && d->kernarg_bytes != amd->kernarg_bytes)
		return amd_object_fail(
			o,
			"kernel '%.128s': descriptor and metadata disagree about the size "
			"of arguments: %u and %u bytes",
			k->name, d->kernarg_bytes, amd->kernarg_bytes);
	k->shared_bytes = d->group_segment_bytes;
	k->stack_bytes = d->private_segment_bytes;
	k->calls = d->properties & AMD_DYNAMIC_STACK;
	if (!k->registers)
		k->registers = AMD_RSRC1_VGPRS(d->rsrc1);
	return true;
}

static bool read_kernels(struct amd_object *o)
{
	struct amd_metadata_name *names = NULL;
	bool good = read_metadata_note(o, &names);

	for (uint32_t k = 0; good && k < o->image->nkernels; k++)
		good = read_kernel(o, &o->image->kernels[k], names[k]);
	free(names);
	return good;
}

/* ---- functions ---- */

static int compare_code_offsets(const void *a, const void *b)
{
	const struct image_function *x = a, *y = b;

	if (x->code_offset != y->code_offset)
		return x->code_offset < y->code_offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_function(const struct amd_object *o, const char *name, const Elf64_Sym *s,
			bool *data)
{
	struct amd_metadata_name n = {name, (uint32_t)strlen(name)};
	Elf64_Sym unused;

	*data = ELF64_ST_TYPE(s->st_info) == STT_OBJECT;
	if (*data)
		return s->st_size && amd_object_in_code(o, s);
	return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size &&
	       !find_symbol(o, n, ".kd", &unused);
}

/* Where several symbols name one address, the alphabetically first is kept. */
static bool read_functions(struct amd_object *o)
{
	struct image *im = o->image;
	uint32_t found = 0;

	im->functions = calloc(o->nnamed + 1, sizeof(*im->functions));
	if (!im->functions)
		return amd_object_fail(o, "out of memory");
	for (uint64_t i = 0; i < o->nnamed; i++) {
		struct image_function f = {.name = o->named[i].name};
		Elf64_Sym s;

		amd_object_symbol(o, &o->symtab, o->named[i].index, &s);
		if (!is_function(o, f.name, &s, &f.data))
			continue;
		f.code = bytes_at(o, s.st_value, s.st_size);
		if (!f.code || s.st_value % 4 || s.st_size % 4 || s.st_size > INT32_MAX ||
		    !amd_object_in_code(o, &s))
			return amd_object_fail(o,
					       "function '%.128s': 0x%" PRIx64
					       " bytes at 0x%" PRIx64 " are not its code",
					       f.name, (uint64_t)s.st_size, (uint64_t)s.st_value);
		f.code_bytes = (uint32_t)s.st_size;
		f.code_offset = s.st_value;
		im->functions[found++] = f;
	}
	qsort(im->functions, found, sizeof(*im->functions), compare_code_offsets);
	for (uint32_t i = 0; i < found; i++)
		if (!i || im->functions[i].code_offset != im->functions[i - 1].code_offset)
			im->functions[im->nfunctions++] = im->functions[i];
	return true;
}

/* Finds .debug_line, whose addresses are the file's virtual addresses. */
static bool find_line_table(struct amd_object *o)
{
	Elf64_Shdr names;

	if (o->header.e_shstrndx >= o->header.e_shnum)
		return true;
	names = amd_object_section(o, o->header.e_shstrndx);
	for (uint32_t i = 0; i < o->header.e_shnum; i++) {
		Elf64_Shdr s = amd_object_section(o, i);

		if (s.sh_type == SHT_PROGBITS && amd_inside(s.sh_offset, s.sh_size, o->size) &&
		    amd_inside(names.sh_offset, names.sh_size, o->size) &&
		    amd_inside(s.sh_name, sizeof(".debug_line"), names.sh_size) &&
		    !memcmp(o->file + names.sh_offset + s.sh_name, ".debug_line",
			    sizeof(".debug_line"))) {
			o->image->line_table = o->file + s.sh_offset;
			o->image->line_table_bytes = s.sh_size;
		}
	}
	return true;
}

static bool code_object_read(struct image *im, const void *file, size_t size, char *message,
			     size_t message_size)
{
	struct amd_object o = {.image = im,
			       .file = file,
			       .size = size,
			       .message = message,
			       .message_size = message_size};
	bool good;

	good = check_header(&o) && read_segments(&o) && read_symbols(&o) && read_kernels(&o) &&
	       read_functions(&o) && amd_object_link(&o) && find_line_table(&o);
	free(o.address);
	free(o.writable);
	free(o.named);
	return good;
}

static void code_object_patch(const struct image *im, const struct image_relocation *r,
			      uint64_t address, uint64_t from, uint8_t *field)
{
	uint64_t distance = address - from;

	(void)im;
	switch (r->kind) {
	case AMD_R_REL32_LO:
		memcpy(field, &(uint32_t){(uint32_t)distance}, 4);
		break;
	case AMD_R_REL32_HI:
		memcpy(field, &(uint32_t){(uint32_t)(distance >> 32)}, 4);
		break;
	default:
		memcpy(field, &address, 8);
	}
}

const struct image_format image_code_object = {
	.machine = AMD_ELF_MACHINE,
	.lines_are_code_offsets = true,
	.read = code_object_read,
	.patch = code_object_patch,
};
