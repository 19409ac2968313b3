/* SPDX-License-Identifier: MIT */
/* PCI ids and BARs of a Radeon RX 6800 or 6900 (Navi 21), as lspci prints them. */
#ifndef HW_AMD_PCI_H
#define HW_AMD_PCI_H

#define NAVI_DEVICE        0x73bf
#define NAVI_SUBSYSTEM     0x0e3a
#define NAVI_BAR_VRAM      0
#define NAVI_BAR_DOORBELLS 2
#define NAVI_BAR_REGISTERS 5

#endif
