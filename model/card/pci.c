// SPDX-License-Identifier: MIT
/* Configuration space: the first bytes as the card shows them after reset, the rest is empty. A row
 * of `writable` gives the writable bits of a word; writes to other bits have no effect, as on any
 * PCI device. Ids and base addresses are the chip's. Here are an H200's other bytes (source:
 * hw/nv/pci.h; the serial number at 0xa8 is omitted); that NVIDIA's other cards have the same
 * capabilities is an assumption. */
#include <string.h>

#include "model/card/card_internal.h"

#define DEVICE         0x02
#define SUBSYSTEM      0x2e
#define BAR(i)         (0x10 + 4 * (i))
#define BAR_64         4 /* in its low bits: the next one has the high half */
#define COMMAND        0x04
#define COMMAND_MEMORY 2
#define COMMAND_MASTER 4
#define ROM_ADDRESS    0x30
#define ROM_ENABLE     1
#define CONTROL_RESET  0x80 /* in its second byte: initiate a function-level reset */

static const uint8_t h200[] = {
	/* 00 */ 0xde, 0x10, 0x35, 0x23, 0x00, 0x00, 0x10, 0x00,
	0xa1,          0x00, 0x02, 0x03, 0x00, 0x00, 0x00, 0x00,
	/* 10 */ 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x0c,          0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	/* 20 */ 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0xde, 0x10, 0xbf, 0x18,
	/* 30 */ 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0xff, 0x01, 0x00, 0x00,
	/* 40 */ 0x01, 0x48, 0x13, 0x00, 0x08, 0x00, 0x00, 0x00,
	0x05,          0x60, 0x88, 0x03, 0x00, 0x00, 0x00, 0x00,
	/* 50 */ 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	/* 60 */ 0x10, 0x9c, 0x02, 0x00, 0x21, 0x80, 0x2c, 0x11,
	0x34,          0x51, 0x00, 0x00, 0x05, 0x79, 0x45, 0x00,
	/* 70 */ 0x00, 0x00, 0x05, 0x11, 0x00, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	/* 80 */ 0x00, 0x00, 0x00, 0x00, 0x13, 0x08, 0x07, 0x00,
	0x40,          0x10, 0x00, 0x00, 0x3e, 0x00, 0x80, 0x01,
	/* 90 */ 0x05, 0x00, 0x5e, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0x09, 0xb0, 0x14, 0x01,
	/* a0 */ 0x01, 0x00, 0x13, 0x0b, 0x00, 0x00, 0x00, 0x00,
	0x00,          0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	/* b0 */ 0x11, 0x00, 0x08, 0x00, 0x00, 0x00, 0xb9, 0x00,
	0x00,          0x00, 0xba, 0x00, 0x00, 0x00, 0x00, 0x00,
};

/* PCI Local Bus 3.0, chapter 6; PCI Express Base 4.0, chapter 7. */
static const struct pci_writable writable[] = {
	{COMMAND, 0x0547},                /* memory, master, parity, SERR#, INTx off */
	{0x0c, 0x000000ff},               /* cache line */
	{0x3c, 0x000000ff},               /* interrupt line */
	{NV_PCI_CAP_PM + 4, 0x00000103},  /* power state, PME */
	{NV_PCI_CAP_MSI, 0x00710000},     /* enable, vectors */
	{NV_PCI_CAP_MSI + 4, 0xfffffffc}, /* address */
	{NV_PCI_CAP_MSI + 8, 0xffffffff},
	{NV_PCI_CAP_MSI + 12, 0xffffffff}, /* data */
	{NV_PCI_CAP_MSI + 16, 0x0000ffff}, /* mask */
	{NV_PCI_CAP_EXPRESS + 8, 0x0000ffff},
	{NV_PCI_CAP_EXPRESS + 0x10, 0x0000ffff}, /* link control */
	{NV_PCI_CAP_EXPRESS + 0x28, 0x0000ffff}, /* device control 2 */
	{NV_PCI_CAP_EXPRESS + 0x30, 0x0000ffff}, /* link control 2 */
	{NV_PCI_CAP_MSIX, 0xc0000000},           /* enable, mask all */
};

const struct pci_function pci_gh100 = {
	.bytes = h200,
	.size = sizeof(h200),
	.writable = writable,
	.writable_count = sizeof(writable) / sizeof(*writable),
	.pm = NV_PCI_CAP_PM,
	.express = NV_PCI_CAP_EXPRESS,
	.msi = NV_PCI_CAP_MSI,
	.msix = NV_PCI_CAP_MSIX,
	.msi_vectors = NV_PCI_MSI_VECTORS,
	.msix_vectors = NV_PCI_MSIX_VECTORS,
};

/* Base address registers: a 64-bit one is followed by its high half. */
static uint32_t base_address_bits(const struct card *c, uint32_t word)
{
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t bits = c->chip->bars[i].bytes ? ~(c->chip->bars[i].bytes - 1) : 0;

		if (bits && word == BAR(i))
			return (uint32_t)bits;
		if (c->chip->bars[i].flags & BAR_64 && word == BAR(i + 1))
			return bits >> 32;
	}
	return 0;
}

static uint32_t writable_bits(const struct card *c, uint32_t word)
{
	const struct pci_function *pci = c->chip->vendor->pci;

	if (word >= 0x10 && word < 0x28)
		return base_address_bits(c, word);
	if (word == ROM_ADDRESS && pci->rom_bytes)
		return ~(pci->rom_bytes - 1) | ROM_ENABLE;
	for (uint32_t i = 0; i < pci->writable_count; i++)
		if (pci->writable[i].offset == word)
			return pci->writable[i].bits;
	return 0;
}

static uint32_t power_state(const struct card *c)
{
	return c->chip->vendor->pci->pm + 4u;
}

static uint32_t device_control(const struct card *c)
{
	return c->chip->vendor->pci->express + 8u;
}

void config_reset(struct card *c)
{
	memset(c->config, 0, sizeof(c->config));
	memcpy(c->config, c->chip->vendor->pci->bytes, c->chip->vendor->pci->size);
	memcpy(c->config + DEVICE, &c->chip->device, 2);
	memcpy(c->config + SUBSYSTEM, &c->chip->subsystem, 2);
	for (uint32_t i = 0; i < 6; i++)
		c->config[BAR(i)] = c->chip->bars[i].flags;
}

uint64_t config_bar_address(const struct card *c, uint32_t bar)
{
	uint64_t address = 0;

	memcpy(&address, c->config + BAR(bar), c->chip->bars[bar].flags & BAR_64 ? 8 : 4);
	return address & ~15ull;
}

void config_read(struct card *c, uint32_t offset, uint8_t *data, uint32_t bytes)
{
	memcpy(data, c->config + offset, bytes);
}

void config_write(struct card *c, uint32_t offset, const uint8_t *data, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++) {
		uint32_t at = offset + i;
		uint8_t mask = writable_bits(c, at & ~3u) >> 8 * (at & 3);

		c->config[at] = (c->config[at] & ~mask) | (data[i] & mask);
	}
}

bool config_wants_reset(const struct card *c)
{
	return c->config[device_control(c) + 1] & CONTROL_RESET;
}

/* A reset would clear the base addresses, too; but QEMU caches them and does not write them
 * again. */
void config_function_reset(struct card *c)
{
	c->config[device_control(c) + 1] &= (uint8_t)~CONTROL_RESET;
	c->config[COMMAND] = 0;
	c->config[power_state(c)] &= (uint8_t)~3;
}

uint32_t config_power_state(const struct card *c)
{
	return c->config[power_state(c)] & 3;
}

bool config_memory_enabled(const struct card *c)
{
	return c->config[COMMAND] & COMMAND_MEMORY;
}

bool config_interrupts(const struct card *c)
{
	const struct pci_function *pci = c->chip->vendor->pci;

	return c->config[pci->msi + 2] & 1 || (pci->msix && c->config[pci->msix + 3] & 0x80);
}

bool config_bus_master(const struct card *c)
{
	return c->config[COMMAND] & COMMAND_MASTER;
}
