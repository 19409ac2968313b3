// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads firmware files: sections of ELF images, and the boot loader with its header. Pure functions
 * on bytes from a file that anybody may have replaced: every offset is checked before it is used.
 */
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "kmod/nv/firmware.h"

/* A section header, whatever the class of the file. */
struct section {
	u64 name, offset, size;
};

static bool inside(u64 offset, u64 size, size_t bytes)
{
	return offset <= bytes && size <= bytes - offset;
}

static bool read_section(const u8 *file, size_t bytes, u64 table, u32 entry, u32 index,
			 struct section *s)
{
	u64 at = table + (u64)entry * index;
	Elf64_Shdr s64;
	Elf32_Shdr s32;

	if (file[EI_CLASS] == ELFCLASS64) {
		if (entry < sizeof(s64) || !inside(at, sizeof(s64), bytes))
			return false;
		memcpy(&s64, file + at, sizeof(s64));
		*s = (struct section){ s64.sh_name, s64.sh_offset, s64.sh_size };
	} else {
		if (entry < sizeof(s32) || !inside(at, sizeof(s32), bytes))
			return false;
		memcpy(&s32, file + at, sizeof(s32));
		*s = (struct section){ s32.sh_name, s32.sh_offset, s32.sh_size };
	}
	return inside(s->offset, s->size, bytes);
}

struct elf {
	u64 table;
	u32 entry, count, names;
};

static bool read_header(const u8 *file, size_t bytes, struct elf *e)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	if (bytes < EI_NIDENT || memcmp(file, ELFMAG, SELFMAG) || file[EI_DATA] != ELFDATA2LSB)
		return false;
	if (file[EI_CLASS] == ELFCLASS64 && bytes >= sizeof(h64)) {
		memcpy(&h64, file, sizeof(h64));
		*e = (struct elf){ h64.e_shoff, h64.e_shentsize, h64.e_shnum, h64.e_shstrndx };
	} else if (file[EI_CLASS] == ELFCLASS32 && bytes >= sizeof(h32)) {
		memcpy(&h32, file, sizeof(h32));
		*e = (struct elf){ h32.e_shoff, h32.e_shentsize, h32.e_shnum, h32.e_shstrndx };
	} else {
		return false;
	}
	/* A table that begins in the file cannot make an offset run over. */
	return e->table <= bytes && e->names < e->count;
}

/**
 * nv_elf_section() - find a section by its name
 * @file: an ELF file, of 32 or 64 bits
 * @bytes: its size
 * @name: of the section
 * @data: out: its first byte
 * @size: out: its bytes
 *
 * Return: 0; EINVAL when this is no such file; ENOENT when it has no such section.
 */
int nv_elf_section(const u8 *file, size_t bytes, const char *name, const u8 **data, size_t *size)
{
	size_t length = strlen(name) + 1;
	struct section names, s;
	struct elf e;
	u32 i;

	if (!read_header(file, bytes, &e) ||
	    !read_section(file, bytes, e.table, e.entry, e.names, &names))
		return -EINVAL;
	for (i = 1; i < e.count; i++) {
		if (!read_section(file, bytes, e.table, e.entry, i, &s))
			return -EINVAL;
		if (!inside(s.name, length, names.size) ||
		    memcmp(file + names.offset + s.name, name, length))
			continue;
		*data = file + s.offset;
		*size = s.size;
		return 0;
	}
	return -ENOENT;
}

/**
 * nv_firmware_bootloader() - find the boot loader in its file
 * @file: the file
 * @bytes: its size
 * @data: out: the image
 * @size: out: its bytes
 * @description: out: what lies where in it
 *
 * Return: 0 or EINVAL.
 */
int nv_firmware_bootloader(const u8 *file, size_t bytes, const u8 **data, size_t *size,
		       const struct nv_riscv_description **description)
{
	const struct nv_firmware_header *h = (const void *)file;
	const struct nv_riscv_description *d;

	if (bytes < sizeof(*h) || h->magic != NV_FIRMWARE_MAGIC || h->version != 1 ||
	    !inside(h->header, sizeof(*d), bytes) || h->header % sizeof(u32) ||
	    !inside(h->data, h->data_bytes, bytes) || !h->data_bytes)
		return -EINVAL;
	d = (const void *)(file + h->header);
	if (!inside(d->manifest, d->manifest_bytes, h->data_bytes) ||
	    !inside(d->monitor_data, d->monitor_data_bytes, h->data_bytes) ||
	    !inside(d->monitor_code, d->monitor_code_bytes, h->data_bytes))
		return -EINVAL;
	*data = file + h->data;
	*size = h->data_bytes;
	*description = d;
	return 0;
}
