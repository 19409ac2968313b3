/* SPDX-License-Identifier: MIT */
/*
 * Page tables of MMU version 2 (Volta to Ada): 49-bit addresses and four levels of directories, the
 * last of which has dual PDEs, as in version 3 (mmu_ver3.h), which also says what is not repeated
 * here: page sizes, bit 0 and apertures. An entry holds its address shifted right by four.
 *
 * Sources: open-gpu-kernel-modules 570.144, src/common/inc/swref/published/turing/tu102/dev_mmu.h;
 * open-gpu-doc manuals/turing/tu104/dev_mmu.ref.txt; Linux 7.2
 * drivers/gpu/drm/nouveau/nvkm/subdev/mmu/vmmgp100.c.
 */
#ifndef HW_NV_MMU_VER2_H
#define HW_NV_MMU_VER2_H

#define NV_MMU2_VA_BITS       49
#define NV_MMU2_LEVELS        4

/* Lowest address bit of the index of each level, from the root down. */
#define NV_MMU2_SHIFTS        {47, 38, 29, 21}
#define NV_MMU2_ENTRIES       {4, 512, 512, 256}

#define NV_MMU2_ADDRESS_SHIFT 4
#define NV_MMU2_ADDRESS       0x003fffffffffff00ull /* bits 53:8: address >> 12 */
#define NV_MMU2_ADDRESS_BIG   0x003ffffffffffff0ull /* of a table of big pages: 53:4, >> 8 */

#define NV_MMU2_VOLATILE      (1ull << 3) /* not cached */
#define NV_MMU2_PRIVILEGED    (1ull << 5)
#define NV_MMU2_READ_ONLY     (1ull << 6)
#define NV_MMU2_NO_ATOMICS    (1ull << 7)
#define NV_MMU2_KIND_GENERIC  (6ull << 56)
#define NV_MMU2_PDE_NO_ATS    (1ull << 5)
/* Invalid big PTE: no small PTE is valid either. */
#define NV_MMU2_NO_SMALL      NV_MMU2_PRIVILEGED
#define NV_MMU2_PTE_KNOWN     (0xffull | NV_MMU2_ADDRESS | 0xffull << 56)
#define NV_MMU2_PDE_KNOWN     (3ull << 1 | NV_MMU2_VOLATILE | NV_MMU2_PDE_NO_ATS)

#endif
