/* SPDX-License-Identifier: MIT */
/*
 * PCI identity, base address registers and capabilities of a GPU. Source: the configuration space
 * of an H200 (first 256 bytes, read by an unprivileged process under driver 580.159.04). Plain
 * numbers only, so that both kernel and user space can include this header.
 */
#ifndef HW_NV_PCI_H
#define HW_NV_PCI_H

#define NV_PCI_VENDOR            0x10de
#define NV_PCI_CLASS_VGA         0x0300
#define NV_PCI_CLASS_3D          0x0302
#define NV_PCI_H200_DEVICE       0x2335
#define NV_PCI_H200_SUBSYSTEM    0x18bf
#define NV_PCI_H200_REVISION     0xa1

/* Base address registers by the index of their lower half; all three are 64 bits, prefetchable. */
#define NV_PCI_BAR_REGISTERS     0
#define NV_PCI_BAR_VRAM          2 /* BAR1 in NVIDIA's documents */
#define NV_PCI_BAR_INSTANCE      4 /* BAR2 in NVIDIA's documents */
#define NV_PCI_GH100_REGISTERS   (16ull << 20)
#define NV_PCI_GH100_VRAM        (256ull << 30)
#define NV_PCI_GH100_INSTANCE    (32ull << 20)
#define NV_PCI_BAR_FLAGS         0xc /* 64 bits, prefetchable */

/* Turing to Ada: registers in 32 bits, then the two windows. nouveau r535/gsp.c, set_system_info;
 * https://pci-ids.ucw.cz (2235: A40, a GA102 that is a 3D controller). */
#define NV_PCI_TU102_VRAM        1
#define NV_PCI_TU102_INSTANCE    3
#define NV_PCI_A40_DEVICE        0x2235

/* Capabilities of an H200, by their offset in configuration space. */
#define NV_PCI_CAP_PM            0x40
#define NV_PCI_CAP_MSI           0x48
#define NV_PCI_CAP_EXPRESS       0x60
#define NV_PCI_CAP_VENDOR        0x9c
#define NV_PCI_CAP_MSIX          0xb0
#define NV_PCI_MSI_VECTORS       16
#define NV_PCI_MSIX_VECTORS      9
#define NV_PCI_MSIX_TABLE        0xb90000 /* in BAR 0 */
#define NV_PCI_MSIX_PBA          0xba0000

#define NV_DMA_BITS              52 /* DMA mask of driver 580.159.04 on an H200 */

#endif
