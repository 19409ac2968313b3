/* SPDX-License-Identifier: MIT */
/*
 * Page tables of MMU version 3 (Hopper): 57-bit addresses and five levels of directories. An entry
 * of the last level is a dual PDE of two words: the first points to a table of big pages (64 KiB),
 * the second to a table of small pages (4 KiB), or the first maps a huge page (2 MiB).
 *
 * Sources: open-gpu-kernel-modules 570.144, src/common/inc/swref/published/hopper/gh100/dev_mmu.h;
 * Linux 7.2 drivers/gpu/drm/nouveau/nvkm/subdev/mmu/vmmgh100.c.
 */
#ifndef HW_NV_MMU_VER3_H
#define HW_NV_MMU_VER3_H

#define NV_MMU3_TABLE_BYTES 4096
#define NV_MMU3_VA_BITS     57
#define NV_MMU3_LEVELS      5 /* directories; each is a page */

/* Lowest address bit of the index of each level, from the root down. */
#define NV_MMU3_SHIFTS      {56, 47, 38, 29, 21}
#define NV_MMU3_ENTRIES     {2, 512, 512, 512, 256}
#define NV_MMU3_ROOT_ENTRIES 2

#define NV_MMU3_SMALL       12
#define NV_MMU3_BIG         16
#define NV_MMU3_HUGE        21
#define NV_MMU3_BIG_BYTES   256 /* size of a table of 32 big pages */

/* Aperture and address of an entry. */
#define NV_MMU3_APERTURE(e)      ((e) >> 1 & 3)
#define NV_MMU3_PDE_VRAM         (1ull << 1) /* apertures of PDEs count from 1; 0 is invalid */
#define NV_MMU3_PTE_VRAM         (0ull << 1)
#define NV_MMU3_PTE_COHERENT     (2ull << 1)
#define NV_MMU3_ADDRESS          0x000ffffffffff000ull
#define NV_MMU3_ADDRESS_BIG      0x000fffffffffff00ull /* address of a table of big pages */

#define NV_MMU3_VALID            1ull /* set in PTEs, clear in PDEs */
#define NV_MMU3_PDE_NO_ATS       (2ull << 3)
#define NV_MMU3_PCF_REGULAR      (0x10ull << 3) /* read, write, atomics, cached */
#define NV_MMU3_PCF_UNCACHED     (0x01ull << 3)
#define NV_MMU3_PCF_PRIVILEGED   (0x02ull << 3)
#define NV_MMU3_PCF_READ_ONLY    (0x04ull << 3)
#define NV_MMU3_PCF_NO_ATOMICS   (0x08ull << 3)
#define NV_MMU3_PCF_NO_SMALL     (0x03ull << 3) /* invalid big PTE: no small PTE is valid either */
#define NV_MMU3_KIND_GENERIC     (6ull << 8)
#define NV_MMU3_PTE_KNOWN \
	(NV_MMU3_VALID | 3ull << 1 | 31ull << 3 | 15ull << 8 | NV_MMU3_ADDRESS)
#define NV_MMU3_PDE_KNOWN        (3ull << 1 | 7ull << 3 | NV_MMU3_ADDRESS)

#endif
