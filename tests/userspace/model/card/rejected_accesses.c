// SPDX-License-Identifier: MIT
/* A lenient card hides bugs: the card refuses accesses that hardware would not survive, and
 * whatever is not modelled, with a message that names the access. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "model/card/card.h"
#include "tests/tap.h"
#include "tests/userspace/model/card/_log.h"

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

static void registers(void)
{
	uint8_t byte;
	uint64_t both;

	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) == ~0u,
	   "registers read as all ones while memory is disabled");
	refused("memory is disabled", "register access while memory is disabled is refused");
	write32(CARD_CONFIG, 4, 2);
	ok(NV_PMC_BOOT_42_CHIP(read32(CARD_BAR0, NV_PMC_BOOT_42)) == NV_CHIP_GH100,
	   "BOOT_42 identifies the chip");
	ok(read32(CARD_BAR0, NV_USABLE_FB_SIZE_MB) == 64,
	   "USABLE_FB_SIZE_MB holds the size of video memory");
	refused(NULL, "reading BOOT_42 and USABLE_FB_SIZE_MB is not refused");
	ok(read32(CARD_BAR0, 0xdead00) == ~0u, "an unknown register reads as all ones");
	refused("0xdead00", "reading an unknown register is refused with its offset");
	write32(CARD_BAR0, NV_PMC_BOOT_0, 0);
	refused("PMC_BOOT_0", "writing zero to a read-only register is refused");
	card_read(card, CARD_BAR0, NV_PMC_BOOT_0, &byte, 1);
	refused("1 bytes", "a 1-byte register read is refused");
	card_read(card, CARD_BAR0, NV_PMC_BOOT_0, &both, 8);
	refused("8 bytes", "an 8-byte register read is refused");
	write32(CARD_CONFIG, NV_PCI_CAP_PM + 4, 3);
	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) == ~0u, "registers read as all ones in D3");
	refused("card is in D3", "register access in D3 is refused");
	write32(CARD_CONFIG, NV_PCI_CAP_PM + 4, 0);
	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) != ~0u, "registers are readable again in D0");
	refused(NULL, "register access in D0 is not refused");
}

static void memory(void)
{
	uint64_t word = 0x0123456789abcdef, back = 0;

	card_write(card, NV_PCI_BAR_VRAM, (64 << 20) - 8, &word, 8);
	card_read(card, NV_PCI_BAR_VRAM, (64 << 20) - 8, &back, 8);
	ok(back == word, "video memory keeps what is written");
	refused(NULL, "access to the last byte of video memory is not refused");
	card_read(card, NV_PCI_BAR_VRAM, 64 << 20, &back, 8);
	ok(back == UINT64_MAX, "reads beyond video memory return all ones");
	refused("beyond the video memory", "access beyond video memory is refused");
	card_read(card, NV_PCI_BAR_VRAM, (64 << 20) - 4, &back, 8);
	ok(back == UINT64_MAX, "a read across the end of video memory returns all ones");
	refused("beyond the video memory", "an access across the end of video memory is refused");
}

static void dma(void)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	uint8_t *p;

	ok(!ftruncate(fd, 8192) && !card_dma_map(card, 0x40000000, 4096, fd, 4096, true) &&
		   !card_dma_map(card, 0x50000000, 4096, -1, 0, true) &&
		   !card_dma_map(card, 0x60000000, 4096, fd, 0, false),
	   "DMA: memory can be mapped");
	ok(card_dma_map(card, 0x40000000, 8192, fd, 0, true) &&
		   card_dma_map(card, UINT64_MAX - 4095, 8192, fd, 0, true) &&
		   card_dma_map(card, 0x70000000, 0, fd, 0, true) &&
		   card_dma_map(card, 0x70000010, 4096, fd, 0, true),
	   "DMA: a map is rejected if it overlaps, wraps, is empty or misaligned");
	ok(!card_dma(card, 0x40000000, 4, false, "a test"), "DMA: no access without bus mastering");
	refused("not bus master", "DMA: access without bus mastering is refused");
	write32(CARD_CONFIG, 4, 6);
	p = card_dma(card, 0x40000ffc, 4, true, "a test");
	ok(p, "DMA: mapped memory is reachable");
	if (p)
		memcpy(p, "here", 4);
	char back[4] = "";

	ok(pread(fd, back, 4, 8188) == 4 && !memcmp(back, "here", 4),
	   "DMA: a write arrives at the right offset");
	refused(NULL, "DMA: access to mapped memory is not refused");
	card_dma(card, 0x40000ffc, 8, true, "a test");
	refused("no memory is mapped there", "DMA: access beyond the end of a mapping is refused");
	card_dma(card, 0x50000000, 8, true, "a test");
	refused("cannot be accessed",
		"DMA: access to inaccessible memory of another device is refused");
	card_dma(card, 0x60000000, 8, true, "a test");
	refused("read-only", "DMA: a write to a read-only mapping is refused");
	ok(!card_dma_unmap(card, 0x40000000, 4096) && card_dma_unmap(card, 0x40000000, 4096),
	   "DMA: memory can be unmapped exactly once");
	card_dma(card, 0x40000000, 4, false, "a test");
	refused("no memory is mapped there", "DMA: access to unmapped memory is refused");
	close(fd);
}

/* As behind an IOMMU: scattered pages of the machine are adjacent for the card. */
static void dma_ranges(void)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	char back[8] = "";
	uint8_t *p;

	ok(!ftruncate(fd, 3 * 4096) && !card_dma_map(card, 0xffff1000, 4096, fd, 0, true) &&
		   !card_dma_map(card, 0xffff0000, 4096, fd, 8192, true) &&
		   !card_dma_map(card, 0xffff2000, 4096, fd, 4096, false),
	   "DMA ranges: three adjacent pages are mapped in reverse order");
	p = card_dma(card, 0xffff0ffc, 8, true, "a test");
	refused(NULL, "DMA ranges: access across two of them is not refused");
	if (p)
		memcpy(p, "herethat", 8);
	ok(pread(fd, back, 4, 3 * 4096 - 4) == 4 && pread(fd, back + 4, 4, 0) == 4 &&
		   !memcmp(back, "herethat", 8),
	   "DMA ranges: each page gets its part");
	ok(card_dma(card, 0xffff0000, 3 * 4096, false, "a test"),
	   "DMA ranges: all three can be read in one access");
	card_dma(card, 0xffff0000, 3 * 4096, true, "a test");
	refused("read-only", "DMA ranges: a write that includes a read-only page is refused");
	ok(!card_dma_unmap(card, 0xffff1000, 4096), "DMA ranges: the middle page is unmapped");
	card_dma(card, 0xffff0ffc, 8, false, "a test");
	refused("no memory is mapped there",
		"DMA ranges: access across the unmapped page is refused");
	ok(card_dma(card, 0xffff0ffc, 4, false, "a test") &&
		   card_dma(card, 0xffff2000, 4, false, "a test"),
	   "DMA ranges: the other pages stay mapped");
	card_dma(card, UINT64_MAX - 3, 8, false, "a test");
	refused("wraps around",
		"DMA ranges: access that wraps around the address space is refused");
	ok(card_dma_map(card, ((uint64_t)1 << 38) - 4096, 8192, fd, 0, true) == -ENOSPC,
	   "DMA ranges: a mapping across a multiple of 256 GiB is rejected");
	ok(!card_dma_unmap(card, 0xffff0000, 4096) && !card_dma_unmap(card, 0xffff2000, 4096),
	   "DMA ranges: the remaining pages are unmapped");
	close(fd);
}

static void configuration(void)
{
	card_reset(card);
	ok(read32(CARD_CONFIG, 0) == 0x233510de && read32(CARD_CONFIG, 4) == 0x00100000,
	   "configuration: after a reset nothing is enabled");
	write32(CARD_CONFIG, 0, 0);
	ok(read32(CARD_CONFIG, 0) == 0x233510de,
	   "configuration: vendor and device id are read-only");
	write32(CARD_CONFIG, 0x18, ~0u);
	write32(CARD_CONFIG, 0x1c, ~0u);
	ok(read32(CARD_CONFIG, 0x18) == 0xc && read32(CARD_CONFIG, 0x1c) == 0xffffffc0,
	   "configuration: sizing BAR 2 gives 256 GiB");
	refused(NULL, "configuration: none of these accesses is refused");
}

int main(void)
{
	char why[200] = "";

	log_open();
	ok(!card_create(&(struct card_options){.chip = "gh200", .log = log_file}, why,
			sizeof(why)) &&
		   strstr(why, "gh200"),
	   "creating a card of an unknown chip fails with its name");
	ok(!card_create(&(struct card_options){.chip = "gh100",
					       .vram_bytes = UINT64_MAX,
					       .log = log_file},
			why, sizeof(why)),
	   "creating a card with an invalid memory size fails");
	card = card_create(
		&(struct card_options){.chip = "gh100", .vram_bytes = 64 << 20, .log = log_file},
		why, sizeof(why));
	if (ok(card, "a GH100 with 64 MiB can be created")) {
		registers();
		memory();
		dma();
		dma_ranges();
		configuration();
	}
	card_destroy(card);
	log_close();
	return tap_done();
}
