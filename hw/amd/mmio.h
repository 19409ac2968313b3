/* SPDX-License-Identifier: MIT */
/* Registers of Navi 21 in BAR 5, as indices of 32-bit words: the block's base address
 * (Linux, drivers/gpu/drm/amd/include/sienna_cichlid_ip_offset.h) plus the register's offset
 * (include/asic_reg: nbio_2_3, mp_11_0, mmhub_2_0_0, gc_10_3_0, osssys_5_0_0, hdp_5_0_0). */
#ifndef HW_AMD_MMIO_H
#define HW_AMD_MMIO_H

/* NBIO: the bus interface */
#define NAVI_MM_INDEX                0x00000
#define NAVI_MM_INDEX_VRAM           0x80000000u
#define NAVI_MM_DATA                 0x00001
#define NAVI_MM_INDEX_HI             0x00006
#define NAVI_PCIE_INDEX2             0x0000e /* byte address beyond BAR 5 */
#define NAVI_PCIE_DATA2              0x0000f
#define NAVI_BIOS_SCRATCH_0          0x00048
#define NAVI_BIOS_SCRATCH_7          0x0004f
#define NAVI_BIOS_INIT_COMPLETE      0x00000200u
#define NAVI_RCC_CONFIG_MEMSIZE      0x00de3 /* MiB */
#define NAVI_RCC_IOV_FUNC_IDENTIFIER 0x00de5

/* MP0, the PSP */
#define NAVI_C2PMSG(n)     (0x16040 + (n))
#define NAVI_PSP_IFWI_DONE 0x80000000u /* in C2PMSG_33 */

/* The RLC, GC's own controller */
#define NAVI_RLC_BOOT_STATUS   0x0ee8d
#define NAVI_RLC_BOOT_COMPLETE 0x80000000u

/* Both memory hubs have the same registers, in two groups: */
#define NAVI_GC_HUB             0x02824
#define NAVI_GC_HUB_APERTURES   0x02947
#define NAVI_MM_HUB             0x1a688
#define NAVI_MM_HUB_APERTURES   0x1a857
#define NAVI_HUB_FAULT_CNTL     0x00
#define NAVI_HUB_FAULT_STATUS   0x04
#define NAVI_HUB_FAULT_ADDR_LO  0x05
#define NAVI_HUB_FAULT_ADDR_HI  0x06
#define NAVI_HUB_CONTEXT_CNTL   0x38 /* + context */
#define NAVI_HUB_INV_SEM        0x49 /* + engine */
#define NAVI_HUB_INV_REQ        0x5b
#define NAVI_HUB_INV_ACK        0x6d
#define NAVI_HUB_INV_RANGE      0x7f /* + 2 * engine */
#define NAVI_HUB_PTB            0xa3 /* + 2 * context: low, high word */
#define NAVI_HUB_START          0xc3
#define NAVI_HUB_END            0xe3
#define NAVI_HUB_LAST           0x102
#define NAVI_HUB_FB_OFFSET      0x00 /* 16 MiB */
#define NAVI_HUB_FB_BASE        0x15
#define NAVI_HUB_FB_TOP         0x16
#define NAVI_HUB_APERTURES_LAST 0x1b
#define NAVI_HUB_CONTEXTS       16
#define NAVI_HUB_ENGINES        18
#define NAVI_HUB_INV_VMIDS      0x0000ffffu /* in REQ and ACK */

#endif
