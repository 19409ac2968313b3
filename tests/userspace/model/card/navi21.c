// SPDX-License-Identifier: MIT
/* The modelled Navi 21 as a driver finds it before it loads firmware: base addresses, the discovery
 * table at the end of video memory, the VBIOS, registers, and the memory hubs. */
#include <sys/mman.h>
#include <unistd.h>

#include "hw/amd/discovery.h"
#include "hw/amd/vbios.h"
#include "model/card/amd/navi.h"
#include "tests/tap.h"
#include "tests/userspace/model/card/_log.h"

#define VRAM  (512ull << 20)
#define GUEST 0x40000000ull /* DMA address of the machine's memory */
#define PAGES 16

static uint8_t *guest;

static uint32_t read32(uint32_t region, uint64_t offset)
{
	uint32_t value = 0;

	card_read(card, region, offset, &value, 4);
	return value;
}
static void write32(uint32_t region, uint64_t offset, uint32_t value)
{
	card_write(card, region, offset, &value, 4);
}
static uint32_t reg(uint32_t index)
{
	return read32(NAVI_BAR_REGISTERS, 4 * index);
}
static void set(uint32_t index, uint32_t value)
{
	write32(NAVI_BAR_REGISTERS, 4 * index, value);
}

static void base_addresses(void)
{
	static const struct {
		uint32_t at, mask;
		const char *name;
	} rows[] = {
		{0x10, 0xf000000c, "BAR 0 has 256 MiB, is prefetchable and 64 bits wide"},
		{0x14, 0xffffffff, "BAR 0 has a high half"},
		{0x18, 0xffe0000c, "BAR 2 has 2 MiB, is prefetchable and 64 bits wide"},
		{0x20, 0x00000000, "BAR 4 does not exist"},
		{0x24, 0xfff00000, "BAR 5 has 1 MiB and 32 bits"},
		{0x30, 0xfffff001, "the expansion ROM has 4 KiB and can be enabled"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write32(CARD_CONFIG, rows[i].at, ~0u);
		ok(read32(CARD_CONFIG, rows[i].at) == rows[i].mask, "%s", rows[i].name);
	}
	ok(card_region(card, NAVI_BAR_VRAM).map_bytes == 256ull << 20,
	   "the part of video memory that BAR 0 shows can be mapped");
	ok(card_vectors(card, CARD_MSI) == 1 && !card_vectors(card, CARD_MSIX),
	   "the card has one MSI and no MSI-X");
}

/* As a driver without another way to the end of video memory reads it. */
static uint32_t read_vram(uint64_t at)
{
	set(NAVI_MM_INDEX, (uint32_t)at | NAVI_MM_INDEX_VRAM);
	set(NAVI_MM_INDEX_HI, (uint32_t)(at >> 31));
	return reg(NAVI_MM_DATA);
}

static uint16_t sum(const uint8_t *bytes, uint32_t count)
{
	uint16_t s = 0;

	for (uint32_t i = 0; i < count; i++)
		s = (uint16_t)(s + bytes[i]);
	return s;
}

static void discovery(void)
{
	static uint32_t words[DISCOVERY_BYTES / 4];
	const uint8_t *table = (const uint8_t *)words;
	uint64_t at = ((uint64_t)reg(NAVI_RCC_CONFIG_MEMSIZE) << 20) - DISCOVERY_FROM_END;
	struct discovery_header h;

	ok(reg(NAVI_C2PMSG(33)) & NAVI_PSP_IFWI_DONE, "the card's firmware has started");
	ok(reg(NAVI_BIOS_SCRATCH_7) & NAVI_BIOS_INIT_COMPLETE,
	   "the VBIOS has initialised the card, so that no driver need do it");
	for (uint32_t i = 0; i < DISCOVERY_BYTES / 4; i++)
		words[i] = read_vram(at + 4 * i);
	memcpy(&h, table, sizeof(h));
	ok(h.signature == DISCOVERY_SIGNATURE, "the discovery table has its signature");
	uint32_t from = (uint32_t)offsetof(struct discovery_header, checksum) + 2;

	ok(h.checksum == sum(table + from, h.size - from), "the whole table has its checksum");
	for (uint32_t i = 0; i < 3; i++)
		ok(h.tables[i].checksum == sum(table + h.tables[i].offset, h.tables[i].size),
		   "table %u has its checksum", i);
	const struct discovery_ip_header *ip = (const void *)(table + h.tables[0].offset);
	const struct discovery_die *die = (const void *)(table + ip->dies[0].offset);
	uint32_t offset = ip->dies[0].offset + (uint32_t)sizeof(*die), graphics = 0, found = 0;

	for (uint32_t i = 0; i < die->ip_count; i++) {
		const struct discovery_ip *block = (const void *)(table + offset);

		if (block->hardware_id == DISCOVERY_HW_GC)
			graphics = block->major << 16 | block->minor << 8 | block->revision;
		found += block->base_count > 0;
		offset += (uint32_t)sizeof(*block) + 4 * block->base_count;
	}
	ok(graphics == 0x0a0300, "the graphics block has version 10.3.0");
	ok(found == die->ip_count && offset == h.tables[1].offset,
	   "the blocks have register bases and end where the next table starts");
	const struct discovery_gc *gc = (const void *)(table + h.tables[1].offset);

	ok(gc->shader_engines * gc->sa_per_se * 2 * gc->wgp0_per_sa == 80,
	   "the chip has 80 compute units");
	refused(NULL, "reading the discovery table is not refused");
	set(NAVI_MM_INDEX, 0x20);
	ok(reg(NAVI_MM_DATA) == ~0u, "MM_DATA with the index of a register reads as all ones");
	refused("MM_INDEX 0x20", "MM_DATA with the index of a register is refused");
	ok(read_vram(VRAM) == ~0u, "MM_DATA beyond video memory reads as all ones");
	refused("no word of video memory", "MM_DATA beyond video memory is refused");
}

static void vbios(void)
{
	static uint8_t rom[NAVI_ROM_BYTES];
	uint16_t table, pci;

	card_read(card, CARD_ROM, 0, rom, sizeof(rom));
	ok(rom[0] == 0x55 && rom[1] == 0xaa && !(uint8_t)sum(rom, sizeof(rom)),
	   "the VBIOS has the magic number and the checksum of an option ROM");
	memcpy(&pci, rom + VBIOS_PCI_DATA_AT, 2);
	const struct vbios_pci_data *data = (const void *)(rom + pci);

	ok(!memcmp(data->signature, "PCIR", 4) && data->device == NAVI_DEVICE,
	   "the VBIOS is for this device");
	memcpy(&table, rom + VBIOS_ROM_TABLE_AT, 2);
	const struct vbios_rom_table *t = (const void *)(rom + table);

	ok(!memcmp(t->signature, "ATOM", 4) &&
		   !memcmp(rom + VBIOS_ATI_MAGIC_AT, VBIOS_ATI_MAGIC, 10),
	   "the VBIOS has ATOM tables");
	const struct vbios_data_table *list = (const void *)(rom + t->data);
	const struct vbios_vram *v = (const void *)(rom + list->tables[VBIOS_DATA_VRAM]);

	ok(v->module.type == VBIOS_VRAM_GDDR6 && v->module.mib == VRAM >> 20,
	   "the VBIOS says how much video memory there is");
}

static void registers(void)
{
	uint8_t byte;

	set(0x20 * 0x100, 0x1234); /* in GC */
	ok(reg(0x20 * 0x100) == 0x1234, "a register without effects keeps its value");
	refused(NULL, "writing a register without effects is not refused");
	ok(reg(0x17000) == ~0u, "a register of no block reads as all ones");
	refused("0x5c000: no block", "a register of no block is refused with its offset");
	set(NAVI_RCC_CONFIG_MEMSIZE, 1);
	refused("read-only", "writing the size of video memory is refused");
	card_read(card, NAVI_BAR_REGISTERS, 0, &byte, 1);
	refused("1 bytes", "a register read of one byte is refused");
	write32(NAVI_BAR_DOORBELLS, 0, 1);
	refused("BAR 2", "a doorbell without a queue is refused");
}

static void hub_registers(enum navi_hub_id id, uint32_t base, const char *name)
{
	uint32_t reads = 0;

	ok(reg(base + NAVI_HUB_INV_SEM + 17) == 1, "%s: a free semaphore is acquired", name);
	ok(reg(base + NAVI_HUB_INV_SEM + 17) == 0, "%s: a held semaphore is not acquired", name);
	set(base + NAVI_HUB_INV_REQ + 17, 1u << 3);
	while (!(reg(base + NAVI_HUB_INV_ACK + 17) & 1u << 3) && reads < 1000)
		reads++;
	ok(reads < 1000, "%s: an invalidation is acknowledged", name);
	ok(!(reg(base + NAVI_HUB_INV_ACK + 17) & 1), "%s: for its VMID only", name);
	set(base + NAVI_HUB_INV_SEM + 17, 0);
	ok(reg(base + NAVI_HUB_INV_SEM + 17) == 1, "%s: a released semaphore is free", name);
	refused(NULL, "the invalidation is not refused");
	set(base + NAVI_HUB_INV_REQ + 17, 1u << 20);
	refused("no VMID", "an invalidation of no VMID is refused");
	set(base + NAVI_HUB_INV_ACK + 17, 0);
	refused("read-only", "writing ACK is refused");
	ok(navi_memory(card, id, NAVI_FB_BASE + 0x1000, true, "a test") == card->vram + 0x1000,
	   "%s: the framebuffer aperture is video memory", name);
	ok(!navi_memory(card, id, 0x5000, false, "a test"), "%s: without GART no page is", name);
	refused("context 0 is disabled", "an address while context 0 is disabled is refused");
}

/* A flat page table at 64 KiB of video memory, for addresses from 1 MiB on. */
static void gart(enum navi_hub_id id, uint32_t base, const char *name)
{
	const struct {
		uint64_t entry;
		bool write;
		const uint8_t *host;
		const char *refusal;
	} rows[] = {
		{0x20000 | 0x61, true, card->vram + 0x20000, NULL},
		{(GUEST + 0x3000) | 0x63, true, guest + 0x3000, NULL},
		{(GUEST + 0x3000) | 0x23, false, guest + 0x3000, NULL},
		{(GUEST + 0x3000) | 0x23, true, NULL, "its page is not writable"},
		{0, false, NULL, "its page table entry is not valid"},
		{(GUEST + PAGES * 4096) | 0x63, false, NULL, "no memory of the machine"},
		{VRAM | 0x61, false, NULL, "its page lies outside of video memory"},
	};
	uint64_t *table = (uint64_t *)(card->vram + 0x10000);

	set(base + NAVI_HUB_PTB, 0x10000 | 1);
	set(base + NAVI_HUB_START, 0x100);
	set(base + NAVI_HUB_END, 0x107);
	set(base + NAVI_HUB_CONTEXT_CNTL, 1);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t before = card_refusals(card);

		table[i] = rows[i].entry;
		ok(navi_memory(card, id, 0x100000 + 4096 * i + 0x10, rows[i].write, "a test") ==
			   (rows[i].host ? rows[i].host + 0x10 : NULL),
		   "%s: page %u of the GART is what its entry says", name, i);
		if (rows[i].refusal)
			ok(card_refusals(card) > before && said_last(rows[i].refusal),
			   "%s: it is refused because %s", name, rows[i].refusal);
		else
			ok(card_refusals(card) == before, "%s: it is not refused", name);
	}
	ok(!navi_memory(card, id, 0x108000, false, "a test") && said_last("nor in context 0"),
	   "%s: an address behind the page table is refused", name);
	refusals_forget();
}

int main(void)
{
	int fd = memfd_create("guest", MFD_CLOEXEC);
	struct card_options o = {.chip = "navi21", .vram_bytes = VRAM, .log = log_open()};
	char why[256] = "";

	card = card_create(&o, why, sizeof(why));
	if (!ok(card != NULL, "a card is created: %s", why))
		return tap_done();
	if (ftruncate(fd, PAGES * 4096) || card_dma_map(card, GUEST, PAGES * 4096, fd, 0, true))
		return tap_done();
	write32(CARD_CONFIG, 4, 6);
	guest = card_dma(card, GUEST, 4096, true, "the test");
	base_addresses();
	discovery();
	vbios();
	registers();
	hub_registers(NAVI_GC, NAVI_GC_HUB, "GC hub");
	hub_registers(NAVI_MM, NAVI_MM_HUB, "MM hub");
	gart(NAVI_GC, NAVI_GC_HUB, "GC hub");
	gart(NAVI_MM, NAVI_MM_HUB, "MM hub");
	card_dma_unmap_all(card);
	card_destroy(card);
	close(fd);
	log_close();
	o.fault = "refuse";
	o.log = stderr;
	ok(!card_create(&o, why, sizeof(why)) && strstr(why, "--fault"),
	   "injected faults are rejected by name");
	return tap_done();
}
