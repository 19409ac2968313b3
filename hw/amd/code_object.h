/* SPDX-License-Identifier: MIT */
/*
 * Code objects of AMD GPUs as ELF files. Source: LLVM's "User Guide for AMDGPU Backend", chapters
 * ELF code object and code object metadata, version 5.
 */
#ifndef HW_AMD_CODE_OBJECT_H
#define HW_AMD_CODE_OBJECT_H

#define AMD_ELF_MACHINE    224
#define AMD_ELF_OSABI_HSA  64
#define AMD_ELF_ABI_V5     3
#define AMD_ELF_CHIP(f)    ((f) & 0xff)
#define AMD_ELF_GFX1030    0x36
#define AMD_ELF_STT_KERNEL 10 /* symbol type of version 2; here: a kernel in another object */

/* The note with metadata in MessagePack. */
#define AMD_NOTE_NAME     "AMDGPU"
#define AMD_NOTE_METADATA 32

/* Relocations: S symbol, A addend, P address of the relocated word, B load address. */
enum {
	AMD_R_NONE = 0,
	AMD_R_ABS64 = 3,      /* S + A */
	AMD_R_REL32_LO = 10,  /* S + A - P, bits 31:0 */
	AMD_R_REL32_HI = 11,  /* … bits 63:32 */
	AMD_R_RELATIVE64 = 13, /* B + A */
};

/* Alignment of kernel code, and the padding after the last kernel for the instruction
 * prefetcher. */
#define AMD_KERNEL_ALIGN 256
#define AMD_S_CODE_END   0xbf9f0000u
#define AMD_S_NOP        0xbf800000u
#define AMD_PREFETCH_BYTES 192 /* three lines of 64 bytes, as LLVM leaves for gfx10 */

#endif
