// SPDX-License-Identifier: MIT
/*
 * Reader of AMD code objects. Everything that is looked at later lies inside the file: segments,
 * symbols, notes, descriptors and the first instruction of each kernel.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/amd/code_object.h"

#define MACHINE_AMDGPU   224
#define OSABI_AMDGPU_HSA 64
#define FLAGS_CHIP       0xff
#define CHIP_GFX1030     0x36
#define NOTE_METADATA    32
#define MAX_IMAGE        (256u << 20)

static bool inside(size_t size, uint64_t at, uint64_t bytes)
{
	return bytes <= size && at <= size - bytes;
}

static const char *check_header(const struct amd_object *o, Elf64_Ehdr *e)
{
	if (o->size < sizeof(*e))
		return "shorter than an ELF header";
	memcpy(e, o->data, sizeof(*e));
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_ident[EI_DATA] != ELFDATA2LSB)
		return "no 64-bit little-endian ELF file";
	if (e->e_machine != MACHINE_AMDGPU || e->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
		return "not for an AMD GPU with the HSA interface";
	if ((e->e_flags & FLAGS_CHIP) != CHIP_GFX1030)
		return "for another chip than gfx1030";
	if (e->e_type != ET_DYN)
		return "not linked: ld.lld -shared makes a code object of it";
	if (e->e_phentsize != sizeof(Elf64_Phdr) || e->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(o->size, e->e_phoff, (uint64_t)e->e_phnum * sizeof(Elf64_Phdr)) ||
	    !inside(o->size, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)))
		return "its tables lie beyond its end";
	return NULL;
}

static Elf64_Phdr segment(const struct amd_object *o, const Elf64_Ehdr *e, uint32_t i)
{
	Elf64_Phdr p;

	memcpy(&p, o->data + e->e_phoff + i * sizeof(p), sizeof(p));
	return p;
}

static Elf64_Shdr section(const struct amd_object *o, const Elf64_Ehdr *e, uint32_t i)
{
	Elf64_Shdr s;

	memcpy(&s, o->data + e->e_shoff + i * sizeof(s), sizeof(s));
	return s;
}

static const char *check_segments(struct amd_object *o, const Elf64_Ehdr *e)
{
	for (uint32_t i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p = segment(o, e, i);

		if (p.p_type != PT_LOAD)
			continue;
		if (!inside(o->size, p.p_offset, p.p_filesz) || p.p_filesz > p.p_memsz ||
		    !inside(MAX_IMAGE, p.p_vaddr, p.p_memsz))
			return "a segment lies beyond its end, or is larger than 256 MiB";
		if (p.p_vaddr + p.p_memsz > o->image_bytes)
			o->image_bytes = p.p_vaddr + p.p_memsz;
	}
	return o->image_bytes ? NULL : "nothing in it is to be loaded";
}

/* The bytes of the file that are loaded at an address; NULL: not all of them are in the file. */
static const uint8_t *loaded(const struct amd_object *o, const Elf64_Ehdr *e, uint64_t va,
			     uint64_t bytes, uint32_t flags)
{
	for (uint32_t i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p = segment(o, e, i);

		if (p.p_type == PT_LOAD && (p.p_flags & flags) == flags && va >= p.p_vaddr &&
		    inside(p.p_filesz, va - p.p_vaddr, bytes))
			return o->data + p.p_offset + (va - p.p_vaddr);
	}
	return NULL;
}

static const char *find_metadata(struct amd_object *o, const Elf64_Ehdr *e)
{
	for (uint32_t i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p = segment(o, e, i);
		uint64_t at = 0;

		if (p.p_type != PT_NOTE || !inside(o->size, p.p_offset, p.p_filesz))
			continue;
		while (inside(p.p_filesz, at, sizeof(Elf64_Nhdr))) {
			const uint8_t *note = o->data + p.p_offset + at;
			uint64_t name, bytes;
			Elf64_Nhdr n;

			memcpy(&n, note, sizeof(n));
			name = ((uint64_t)n.n_namesz + 3) & ~3ull;
			bytes = ((uint64_t)n.n_descsz + 3) & ~3ull;
			if (!inside(p.p_filesz, at, sizeof(n) + name + bytes))
				return "a note lies beyond its end";
			if (n.n_type == NOTE_METADATA && n.n_namesz == 7 &&
			    !memcmp(note + sizeof(n), "AMDGPU", 7))
				return amd_metadata_read(o, note + sizeof(n) + name, n.n_descsz);
			at += sizeof(n) + name + bytes;
		}
	}
	return "no metadata of kernels";
}

static const char *read_descriptor(struct amd_object *o, const Elf64_Ehdr *e, struct amd_kernel *k,
				   const Elf64_Sym *s)
{
	const uint8_t *d = loaded(o, e, s->st_value, sizeof(k->descriptor), 0);

	if (!d || s->st_size != sizeof(k->descriptor))
		return "a kernel's descriptor is not in it";
	memcpy(&k->descriptor, d, sizeof(k->descriptor));
	k->descriptor_at = s->st_value;
	k->entry = s->st_value + (uint64_t)k->descriptor.entry_offset;
	if (k->entry % 4 || !loaded(o, e, k->entry, 4, PF_X))
		return "a kernel begins outside of its code";
	if (k->descriptor.kernarg_bytes && k->descriptor.kernarg_bytes != k->kernarg_bytes)
		return "descriptor and metadata disagree about the size of arguments";
	return NULL;
}

static bool is_descriptor_of(const struct amd_kernel *k, const char *name, size_t room)
{
	size_t n = strlen(k->name);

	return room > n + 3 && !memcmp(name, k->name, n) && !memcmp(name + n, ".kd", 4);
}

static const char *find_descriptors(struct amd_object *o, const Elf64_Ehdr *e)
{
	for (uint32_t i = 0; i < e->e_shnum; i++) {
		Elf64_Shdr h = section(o, e, i), strings;

		if (h.sh_type == SHT_RELA && h.sh_size)
			return "it has relocations, which are not known yet";
		if (h.sh_type != SHT_DYNSYM || h.sh_link >= e->e_shnum)
			continue;
		strings = section(o, e, h.sh_link);
		if (!inside(o->size, h.sh_offset, h.sh_size) ||
		    !inside(o->size, strings.sh_offset, strings.sh_size))
			return "its symbols lie beyond its end";
		for (uint64_t at = 0; inside(h.sh_size, at, sizeof(Elf64_Sym));
		     at += sizeof(Elf64_Sym)) {
			Elf64_Sym s;

			memcpy(&s, o->data + h.sh_offset + at, sizeof(s));
			for (uint32_t k = 0; k < o->kernels_count && s.st_name < strings.sh_size;
			     k++) {
				const char *name =
					(const char *)o->data + strings.sh_offset + s.st_name;
				const char *wrong;

				if (!is_descriptor_of(&o->kernels[k], name,
						      strings.sh_size - s.st_name))
					continue;
				wrong = read_descriptor(o, e, &o->kernels[k], &s);
				if (wrong)
					return wrong;
			}
		}
	}
	for (uint32_t k = 0; k < o->kernels_count; k++)
		if (!o->kernels[k].descriptor_at)
			return "a kernel has no descriptor among its symbols";
	return NULL;
}

bool amd_object_read(struct amd_object *o, const void *data, size_t size, char *message,
		     size_t message_size)
{
	const char *wrong;
	Elf64_Ehdr e;

	*o = (struct amd_object){.data = data, .size = size};
	wrong = check_header(o, &e);
	if (!wrong)
		wrong = check_segments(o, &e);
	if (!wrong)
		wrong = find_metadata(o, &e);
	if (!wrong)
		wrong = find_descriptors(o, &e);
	if (message_size)
		message[0] = 0;
	if (!wrong)
		return true;
	snprintf(message, message_size, "code object: %s", wrong);
	amd_object_free(o);
	return false;
}

void amd_object_place(const struct amd_object *o, uint8_t *memory)
{
	Elf64_Ehdr e;

	memset(memory, 0, o->image_bytes);
	memcpy(&e, o->data, sizeof(e));
	for (uint32_t i = 0; i < e.e_phnum; i++) {
		Elf64_Phdr p = segment(o, &e, i);

		if (p.p_type == PT_LOAD)
			memcpy(memory + p.p_vaddr, o->data + p.p_offset, p.p_filesz);
	}
}

void amd_object_free(struct amd_object *o)
{
	free(o->kernels);
	o->kernels = NULL;
	o->kernels_count = 0;
}
