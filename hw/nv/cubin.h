/* SPDX-License-Identifier: MIT */
/*
 * The cubin format: an ELF file (64 bit, little-endian) with NVIDIA's section types, flags and
 * attributes. Sources: the output of ptxas 12.4 and 13.0 (readelf, cuobjdump -elf), and for the
 * machine number also LLVM's ELF.h. An H200 with driver 580 loads files that contain only what this
 * header names.
 */
#ifndef HW_NV_CUBIN_H
#define HW_NV_CUBIN_H

#define NV_ELF_MACHINE 190

/* Two ELF headers exist: CUDA up to 12 (ABI 7) has the SM number in the low byte of e_flags, CUDA
 * 13 (ABI 8) in bits 8–15. */
#define NV_ELF_OSABI_CUDA12  0x33
#define NV_ELF_ABI_CUDA12    7
#define NV_ELF_OSABI_CUDA13  0x41
#define NV_ELF_ABI_CUDA13    8
#define NV_ELF_VERSION       0x7c                        /* e_version of ABI 7: toolkit 12.4 */
#define NV_ELF_FLAGS(sm)     ((sm) << 16 | 0x500 | (sm)) /* ABI 7: virtual SM, 64 bits, SM */
#define NV_ELF_FLAGS_SM7(fl) ((fl) & 0xff)
#define NV_ELF_FLAGS_SM8(fl) ((fl) >> 8 & 0xff)

/* Sections. */
#define NV_SHT_INFO             0x70000000 /* .nv.info and .nv.info.KERNEL: attributes */
#define NV_SHT_CALLGRAPH        0x70000001
/* .text.KERNEL: sh_info holds the kernel's symbol and, before SM90, the register count in bits
 * 24–31; in ABI 7 sh_flags holds the number of block barriers. */
#define NV_TEXT_SYMBOL(info)    ((info) & 0xffffff)
#define NV_TEXT_REGISTERS_SHIFT 24
#define NV_TEXT_BARRIERS_SHIFT  20
#define NV_TEXT_BARRIERS(flags) ((flags) >> NV_TEXT_BARRIERS_SHIFT & 0x1f)
#define NV_TEXT_ALIGN           128
/* Objects of ptxas -c have types of their own for data sections. */
#define NV_SHT_PROTOTYPE        0x70000002
#define NV_SHT_GLOBAL           0x70000007
#define NV_SHT_GLOBAL_INIT      0x70000008
#define NV_SHT_SHARED           0x7000000a
#define NV_SHT_CONSTANT(n)      (0x70000064 + (n))
/* Symbols: st_other of a kernel; a device function lacks the bit. In objects a variable has the
 * type NV_STT_VARIABLE and its space in st_other; st_value of a shared one is its alignment. */
#define NV_STO_ENTRY            0x10
#define NV_STO_GLOBAL           0x20
#define NV_STO_SHARED           0x40
#define NV_STO_CONSTANT         0x80
#define NV_STT_VARIABLE         13

/*
 * Relocations that a loader must apply in files of ptxas and nvlink 12.4 and 13.0, inferred from
 * the locations that they patch. S is the symbol's address plus the addend; SHT_REL sections store
 * the addend at the patched location. The linker resolves all other kinds.
 */
#define NV_R_NONE          0
#define NV_R_ADDRESS_32    1 /* data: low 32 bits of S */
#define NV_R_ADDRESS_64    2 /* data: S */
#define NV_R_GENERIC_32    3 /* data: low 32 bits of S as a generic address */
#define NV_R_GENERIC_64    4
#define NV_R_CODE_SHARED   55 /* code, objects only: address in shared memory in bits 32–63 */
#define NV_R_CODE_LOW      56 /* code: low 32 bits of S in bits 32–63 of the instruction */
#define NV_R_CODE_HIGH     57 /* code: high 32 bits of S in the same bits */
#define NV_R_CODE_CONST    59 /* code, objects only: offset in constant bank 3 in bits 32–47 */
#define NV_R_CONST_FIELD   66 /* code, objects only: bank and offset in bits 38–58 */
#define NV_R_SHARED_OFFSET 74 /* code, objects only: address in shared memory in bits 40–63 */
#define NV_R_KERNEL_LOW    62 /* code, objects only: low half of the handle of a kernel, by which */
#define NV_R_KERNEL_HIGH   63 /* the device launches it (R_CUDA_FUNC_DESC32_LO_32, _HI_32) */
#define NV_R_FUNCTION_LOW  112 /* code, objects only: NV_R_CODE_LOW of a function's address */
#define NV_R_FUNCTION_HIGH 113
#define NV_R_FUNCTION_64   102 /* data, objects only: address of a function (R_CUDA_UNIFIED) */
#define NV_R_CALL          58  /* code, before SM90: S >> 2 in bits 34–80 */
#define NV_R_CALL_SM90     75  /* code: low 8 bits of S >> 2 in bits 16–23, the others in 34–80 */

/* Attributes: u8 form, u8 code, u16 value. In the sized form the value is the number of bytes that
 * follow. */
#define NV_INFO_NONE  1
#define NV_INFO_BYTE  2
#define NV_INFO_HALF  3
#define NV_INFO_SIZED 4

#define NV_INFO_MAX_THREADS      0x05 /* u32 x, y, z */
#define NV_INFO_PARAM_CBANK      0x0a /* u32 symbol of .nv.constant0.KERNEL, u16 offset, u16 size */
#define NV_INFO_EXTERNALS        0x0f /* u32 symbol of each undefined function that is called */
#define NV_INFO_REQUIRED_THREADS 0x10 /* u32 x, y, z */
#define NV_INFO_FRAME_SIZE       0x11 /* u32 symbol, u32 bytes */
#define NV_INFO_MIN_STACK_SIZE   0x12 /* u32 symbol, u32 bytes */
#define NV_STACK_UNKNOWN         0xffffffff /* recursion or alloca */
#define NV_INFO_KPARAM           0x17       /* u32 0, u16 ordinal, u16 offset, u32 NV_KPARAM */
#define NV_INFO_PARAM_BYTES      0x19       /* half */
#define NV_INFO_MAX_REGISTERS    0x1b       /* half: 255 */
#define NV_INFO_EXITS            0x1c       /* u32 code offset of each EXIT */
#define NV_INFO_MAX_STACK_SIZE   0x23       /* u32 symbol, u32 bytes: 0 in objects */
#define NV_INFO_REGISTERS        0x2f       /* u32 symbol, u32 registers */
#define NV_INFO_BRANCH_TARGETS   0x34 /* u32 code offset of a BRX, u32 0, u32 n, n u32 offsets */
#define NV_INFO_API_VERSION      0x37 /* u32 */
#define NV_INFO_CLUSTER          0x3d /* u32 x, y, z: blocks */
#define NV_INFO_EXPLICIT_CLUSTER 0x3e /* none */
#define NV_INFO_MAX_CLUSTER      0x3f /* u32 blocks */
#define NV_INFO_INDEPENDENT_SAMPLERS \
	0x4d                         /* none: handles name a texture and a sampler each; ptxas
					     * has it for a whole module, .texmode_independent */
#define NV_INFO_MOVES_REGISTERS 0x54 /* none: of a kernel with USETMAXREG */
#define NV_INFO_KPARAM_LARGE    0x45 /* u32 0, u16 ordinal, u16 offset, u32 size */
#define NV_INFO_BARRIERS        0x4c /* byte; ABI 8 */

#define NV_KPARAM(size)      ((uint32_t)(size) << 18 | 0x1f000)
#define NV_KPARAM_SIZE(word) ((word) >> 18)

#endif
