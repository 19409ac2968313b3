// SPDX-License-Identifier: MIT
/* Configuration space of a Radeon RX 6800 or 6900 (1002:73bf), put together by PCI's rules from
 * what lspci prints of such cards: base addresses, subsystem, and the capabilities for power
 * management, PCI Express and one MSI. Resizable BAR, AER and BAR 4 (I/O ports) are left out. */
#include "model/card/amd/navi.h"

#define PM      0x50
#define EXPRESS 0x64
#define MSI     0xa0

static const uint32_t words[] = {
	[0x00 / 4] = NAVI_DEVICE << 16 | 0x1002,
	[0x04 / 4] = 0x00100000, /* capabilities */
	[0x08 / 4] = 0x030000c0, /* VGA controller, revision */
	[0x10 / 4] = 0x0000000c, /* BAR 0, BAR 2: 64 bits, prefetchable; BAR 5: 32 bits */
	[0x18 / 4] = 0x0000000c,
	[0x2c / 4] = NAVI_SUBSYSTEM << 16 | 0x1002,
	[0x34 / 4] = PM,
	[0x3c / 4] = 0x00000100, /* interrupt pin A */
	[PM / 4] = 0x00030001 | EXPRESS << 8,
	/* An endpoint, version 2; function-level reset is missing, as on the card. */
	[EXPRESS / 4] = 0x00020010 | MSI << 8,
	[(EXPRESS + 0x04) / 4] = 0x00008fa1,
	[(EXPRESS + 0x08) / 4] = 0x00002810,
	[(EXPRESS + 0x0c) / 4] = 0x00400d04,
	[(EXPRESS + 0x10) / 4] = 0x01040000,
	[(EXPRESS + 0x24) / 4] = 0x00000380, /* atomic operations of 32 and 64 bits */
	[MSI / 4] = 0x00800005,              /* one vector, 64-bit address */
	[(MSI + 12) / 4] = 0,
};

static const struct pci_writable writable[] = {
	{0x04, 0x0547},               /* memory, master, parity, SERR#, INTx off */
	{0x0c, 0x000000ff},           /* cache line */
	{0x3c, 0x000000ff},           /* interrupt line */
	{PM + 4, 0x00000103},         /* power state, PME */
	{EXPRESS + 0x08, 0x00007fff}, /* device control */
	{EXPRESS + 0x10, 0x0000ffff}, /* link control */
	{EXPRESS + 0x28, 0x0000ffff}, /* device control 2 */
	{EXPRESS + 0x30, 0x0000ffff}, /* link control 2 */
	{MSI, 0x00010000},            /* enable */
	{MSI + 4, 0xfffffffc},        /* address */
	{MSI + 8, 0xffffffff},
	{MSI + 12, 0x0000ffff}, /* data */
};

const struct pci_function pci_navi21 = {
	.bytes = (const uint8_t *)words,
	.size = sizeof(words),
	.writable = writable,
	.writable_count = sizeof(writable) / sizeof(*writable),
	.pm = PM,
	.express = EXPRESS,
	.msi = MSI,
	.msi_vectors = 1,
	.rom_bytes = NAVI_ROM_BYTES,
};
