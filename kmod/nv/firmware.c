// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Parsers of firmware files: sections of ELF images, and the boot loader after its header. Files
 * are untrusted input, so every offset is checked before it is used.
 */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "kmod/nv/firmware.h"

/* The section header fields that matter, for either ELF class. */
struct nv_elf_section {
	u64 name, offset, size;
};

/* The section header table: offset, entry size, number of entries, index of the name section. */
struct nv_elf {
	u64 table;
	u32 entry, count, names;
};

static bool nv_firmware_in_bounds(u64 offset, u64 size, size_t bytes)
{
	return offset <= bytes && size <= bytes - offset;
}

static bool nv_firmware_read_section(const u8 *file, size_t bytes, const struct nv_elf *e,
				     u32 index, struct nv_elf_section *s)
{
	u64 at = e->table + (u64)e->entry * index;
	Elf64_Shdr s64;
	Elf32_Shdr s32;

	if (file[EI_CLASS] == ELFCLASS64) {
		if (e->entry < sizeof(s64) || !nv_firmware_in_bounds(at, sizeof(s64), bytes))
			return false;
		memcpy(&s64, file + at, sizeof(s64));
		*s = (struct nv_elf_section){ s64.sh_name, s64.sh_offset, s64.sh_size };
	} else {
		if (e->entry < sizeof(s32) || !nv_firmware_in_bounds(at, sizeof(s32), bytes))
			return false;
		memcpy(&s32, file + at, sizeof(s32));
		*s = (struct nv_elf_section){ s32.sh_name, s32.sh_offset, s32.sh_size };
	}
	return nv_firmware_in_bounds(s->offset, s->size, bytes);
}

static bool nv_firmware_read_header(const u8 *file, size_t bytes, struct nv_elf *e)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	if (bytes < EI_NIDENT || memcmp(file, ELFMAG, SELFMAG) || file[EI_DATA] != ELFDATA2LSB)
		return false;
	if (file[EI_CLASS] == ELFCLASS64 && bytes >= sizeof(h64)) {
		memcpy(&h64, file, sizeof(h64));
		*e = (struct nv_elf){ h64.e_shoff, h64.e_shentsize, h64.e_shnum, h64.e_shstrndx };
	} else if (file[EI_CLASS] == ELFCLASS32 && bytes >= sizeof(h32)) {
		memcpy(&h32, file, sizeof(h32));
		*e = (struct nv_elf){ h32.e_shoff, h32.e_shentsize, h32.e_shnum, h32.e_shstrndx };
	} else {
		return false;
	}
	/* A table that begins inside the file cannot make table + entry * index overflow. */
	return e->table <= bytes && e->names < e->count;
}

/**
 * nv_firmware_section() - find a section of an ELF file by name
 * @file: Contents of an ELF file of 32 or 64 bits.
 * @bytes: Size of the file.
 * @name: Name of the section.
 * @data: On success, the first byte of the section.
 * @size: On success, the size of the section.
 *
 * Return: 0; -EINVAL if the file is not a valid ELF file; -ENOENT if there is no such section.
 */
int nv_firmware_section(const u8 *file, size_t bytes, const char *name, const u8 **data,
			size_t *size)
{
	size_t length = strlen(name) + 1;
	struct nv_elf_section names, s;
	struct nv_elf e;
	u32 i;

	if (!nv_firmware_read_header(file, bytes, &e) ||
	    !nv_firmware_read_section(file, bytes, &e, e.names, &names))
		return -EINVAL;
	for (i = 1; i < e.count; i++) {
		if (!nv_firmware_read_section(file, bytes, &e, i, &s))
			return -EINVAL;
		if (!nv_firmware_in_bounds(s.name, length, names.size) ||
		    memcmp(file + names.offset + s.name, name, length))
			continue;
		*data = file + s.offset;
		*size = s.size;
		return 0;
	}
	return -ENOENT;
}

/**
 * nv_firmware_bootloader() - find the boot loader image in its file
 * @file: Contents of the file.
 * @bytes: Size of the file.
 * @data: On success, the first byte of the image.
 * @size: On success, the size of the image.
 * @description: On success, the layout of the image.
 *
 * Return: 0, or -EINVAL if the file is malformed.
 */
int nv_firmware_bootloader(const u8 *file, size_t bytes, const u8 **data, size_t *size,
			   const struct nv_riscv_description **description)
{
	const struct nv_firmware_header *h = (const void *)file;
	const struct nv_riscv_description *d;

	if (bytes < sizeof(*h) || h->magic != NV_FIRMWARE_MAGIC || h->version != 1 ||
	    !nv_firmware_in_bounds(h->header, sizeof(*d), bytes) || h->header % sizeof(u32) ||
	    !nv_firmware_in_bounds(h->data, h->data_bytes, bytes) || !h->data_bytes)
		return -EINVAL;
	d = (const void *)(file + h->header);
	if (!nv_firmware_in_bounds(d->manifest, d->manifest_bytes, h->data_bytes) ||
	    !nv_firmware_in_bounds(d->monitor_data, d->monitor_data_bytes, h->data_bytes) ||
	    !nv_firmware_in_bounds(d->monitor_code, d->monitor_code_bytes, h->data_bytes))
		return -EINVAL;
	*data = file + h->data;
	*size = h->data_bytes;
	*description = d;
	return 0;
}
