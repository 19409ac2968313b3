/* SPDX-License-Identifier: MIT */
/* A hand-written code object with one kernel: the smallest that the reader accepts. */
#ifndef TESTS_AMD_OBJECT_H
#define TESTS_AMD_OBJECT_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "hw/amd/kernel_descriptor.h"

enum { /* file offsets, equal to addresses */
       AT_SEGMENTS = 64,
       AT_SECTIONS = 192,
       AT_NOTE = 384,
       AT_SYMBOLS = 640,
       AT_STRINGS = 720,
       AT_DESCRIPTOR = 768,
       AT_CODE = 1024,
       OBJECT_BYTES = 1032,
};

/* {"amdhsa.kernels": [{".args": [{".offset": 0, ".size": 8, ".value_kind": "global_buffer"},
 *   {".offset": 8, ".size": 4, ".value_kind": "hidden_block_count_x"}],
 *   ".kernarg_segment_size": 16, ".name": "k", ".symbol": "k.kd", ".wavefront_size": 32}],
 *  "amdhsa.version": [1, 2]} */
static const char object_metadata[] = "\x82\xae"
				      "amdhsa.kernels"
				      "\x91\x85\xa5"
				      ".args"
				      "\x92"
				      "\x83\xa7"
				      ".offset"
				      "\x00\xa5"
				      ".size"
				      "\x08\xab"
				      ".value_kind"
				      "\xad"
				      "global_buffer"
				      "\x83\xa7"
				      ".offset"
				      "\x08\xa5"
				      ".size"
				      "\x04\xab"
				      ".value_kind"
				      "\xb4"
				      "hidden_block_count_x"
				      "\xb5"
				      ".kernarg_segment_size"
				      "\xcc\x10"
				      "\xa5"
				      ".name"
				      "\xa1"
				      "k"
				      "\xa7"
				      ".symbol"
				      "\xa4"
				      "k.kd"
				      "\xaf"
				      ".wavefront_size"
				      "\x20"
				      "\xae"
				      "amdhsa.version"
				      "\x92\x01\x02";

static void object_make(uint8_t file[OBJECT_BYTES])
{
	uint32_t code[2] = {0xbf800000, 0xbf810000}; /* s_nop 0, s_endpgm */
	Elf64_Ehdr e = {.e_type = ET_DYN,
			.e_machine = 224,
			.e_phoff = AT_SEGMENTS,
			.e_shoff = AT_SECTIONS,
			.e_flags = 0x36,
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3};
	Elf64_Phdr segments[2] = {
		{.p_type = PT_LOAD,
		 .p_flags = PF_R | PF_X,
		 .p_filesz = OBJECT_BYTES,
		 .p_memsz = OBJECT_BYTES + 100},
		{.p_type = PT_NOTE,
		 .p_offset = AT_NOTE,
		 .p_vaddr = AT_NOTE,
		 .p_filesz = 20 + ((sizeof(object_metadata) + 2) & ~3ul)},
	};
	Elf64_Shdr sections[3] = {
		{0},
		{.sh_type = SHT_DYNSYM, .sh_offset = AT_SYMBOLS, .sh_size = 72, .sh_link = 2},
		{.sh_type = SHT_STRTAB, .sh_offset = AT_STRINGS, .sh_size = 8},
	};
	Elf64_Nhdr note = {7, sizeof(object_metadata) - 1, 32};
	Elf64_Sym symbols[3] = {
		{0},
		{.st_name = 1, .st_shndx = 1, .st_value = AT_DESCRIPTOR, .st_size = 64},
		{.st_name = 6, .st_shndx = 1, .st_value = AT_CODE, .st_size = sizeof(code)},
	};
	struct amd_kernel_descriptor d = {.kernarg_bytes = 16,
					  .group_segment_bytes = 128,
					  .entry_offset = AT_CODE - AT_DESCRIPTOR,
					  .properties = AMD_WAVE32};

	memset(file, 0, OBJECT_BYTES);
	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_OSABI] = 64;
	e.e_ident[EI_ABIVERSION] = 3;
	memcpy(file, &e, sizeof(e));
	memcpy(file + AT_SEGMENTS, segments, sizeof(segments));
	memcpy(file + AT_SECTIONS, sections, sizeof(sections));
	memcpy(file + AT_NOTE, &note, sizeof(note));
	memcpy(file + AT_NOTE + 12, "AMDGPU", 7);
	memcpy(file + AT_NOTE + 20, object_metadata, sizeof(object_metadata) - 1);
	memcpy(file + AT_SYMBOLS, symbols, sizeof(symbols));
	memcpy(file + AT_STRINGS, "\0k.kd\0k", 8);
	memcpy(file + AT_DESCRIPTOR, &d, sizeof(d));
	memcpy(file + AT_CODE, code, sizeof(code));
}

#endif
