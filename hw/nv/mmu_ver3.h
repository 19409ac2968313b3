/* SPDX-License-Identifier: MIT */
/*
 * Page tables of Hopper (version 3): 57-bit addresses, five levels of directories, then tables of
 * 4 KiB pages and of 64 KiB pages side by side, and pages of 2 MiB in the last directory's place.
 * An entry of the last directory is two words, the first for big pages, the second for small ones.
 *
 * Sources: open-gpu-kernel-modules 570.144, src/common/inc/swref/published/hopper/gh100/dev_mmu.h;
 * Linux 7.2 drivers/gpu/drm/nouveau/nvkm/subdev/mmu/vmmgh100.c.
 */
#ifndef HW_NV_MMU_VER3_H
#define HW_NV_MMU_VER3_H

#define NV_MMU3_TABLE_BYTES 4096
#define NV_MMU3_VA_BITS     57
#define NV_MMU3_LEVELS      5 /* directories; each is a page */

/* Lowest address bit that a level's index takes, from the root down; a level has the bits up to the next. */
#define NV_MMU3_SHIFTS      {56, 47, 38, 29, 21}
#define NV_MMU3_ENTRIES     {2, 512, 512, 512, 256}
#define NV_MMU3_ROOT_ENTRIES 2

#define NV_MMU3_SMALL       12
#define NV_MMU3_BIG         16
#define NV_MMU3_HUGE        21
#define NV_MMU3_BIG_BYTES   256 /* of a table of 32 big pages */

/* Where an entry points. */
#define NV_MMU3_APERTURE(e)      ((e) >> 1 & 3)
#define NV_MMU3_PDE_VRAM         (1ull << 1) /* directories count from 1, so that 0 is none */
#define NV_MMU3_PTE_VRAM         (0ull << 1)
#define NV_MMU3_PTE_COHERENT     (2ull << 1)
#define NV_MMU3_ADDRESS          0x000ffffffffff000ull
#define NV_MMU3_ADDRESS_BIG      0x000fffffffffff00ull /* of a table of big pages */

#define NV_MMU3_VALID            1ull /* a page; 0 in directories */
#define NV_MMU3_PDE_NO_ATS       (2ull << 3)
#define NV_MMU3_PCF_REGULAR      (0x10ull << 3) /* read, write, atomics, cached */
#define NV_MMU3_PCF_UNCACHED     (0x01ull << 3)
#define NV_MMU3_PCF_PRIVILEGED   (0x02ull << 3)
#define NV_MMU3_PCF_READ_ONLY    (0x04ull << 3)
#define NV_MMU3_PCF_NO_ATOMICS   (0x08ull << 3)
#define NV_MMU3_PCF_NO_SMALL     (0x03ull << 3) /* of an invalid big page: nor is there a small one */
#define NV_MMU3_KIND_GENERIC     (6ull << 8)
#define NV_MMU3_PTE_KNOWN        (NV_MMU3_VALID | 3ull << 1 | 31ull << 3 | 15ull << 8 | NV_MMU3_ADDRESS)
#define NV_MMU3_PDE_KNOWN        (3ull << 1 | 7ull << 3 | NV_MMU3_ADDRESS)

#endif
