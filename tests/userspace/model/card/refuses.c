/* SPDX-License-Identifier: MIT */
/*
 * A card that forgives hides bugs: accesses that hardware would not survive, and everything that
 * nobody modelled, are refused with a sentence that says what and where.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "model/card/card.h"
#include "tests/tap.h"

static struct card *card;
static char *said;
static size_t said_bytes;
static FILE *log_file;

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

/* Was something refused since last time, with these words? NULL: nothing was. */
static void refused(const char *words, const char *promise)
{
	static uint64_t before;
	uint64_t now = card_refusals(card);

	fflush(log_file);
	const char *line = strrchr(said ? said : "", '\n');

	while (line && line > said && line[-1] != '\n')
		line--;
	bool good = words ? now == before + 1 && line && strstr(line, words) : now == before;

	if (!ok(good, "%s", promise))
		diag("%llu refused; last: %s", (unsigned long long)(now - before),
		     line ? line : "(nothing)");
	before = now;
}

static void registers(void)
{
	uint8_t byte;
	uint64_t both;

	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) == ~0u,
	   "registers read all ones without memory enable");
	refused("memory is not enabled", "which is refused");
	write32(CARD_CONFIG, 4, 2);
	ok(NV_PMC_BOOT_42_CHIP(read32(CARD_BAR0, NV_PMC_BOOT_42)) == NV_CHIP_GH100,
	   "BOOT_42 names the chip");
	ok(read32(CARD_BAR0, NV_USABLE_FB_SIZE_MB) == 64, "the size of the memory is told");
	refused(NULL, "neither is refused");
	ok(read32(CARD_BAR0, 0xdead00) == ~0u, "an unknown register reads all ones");
	refused("0xdead00", "and is refused, by its offset");
	write32(CARD_BAR0, NV_PMC_BOOT_0, 0);
	refused("PMC_BOOT_0", "writing a read-only register is refused, even with zero");
	card_read(card, CARD_BAR0, NV_PMC_BOOT_0, &byte, 1);
	refused("1 bytes", "a read of one byte is refused");
	card_read(card, CARD_BAR0, NV_PMC_BOOT_0, &both, 8);
	refused("8 bytes", "a read of eight bytes is refused");
	write32(CARD_CONFIG, NV_PCI_CAP_PM + 4, 3);
	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) == ~0u, "registers read all ones in D3");
	refused("sleeps in D3", "which is refused");
	write32(CARD_CONFIG, NV_PCI_CAP_PM + 4, 0);
	ok(read32(CARD_BAR0, NV_PMC_BOOT_0) != ~0u, "and no longer when it is awake again");
	refused(NULL, "which is not");
}

static void memory(void)
{
	uint64_t word = 0x0123456789abcdef, back = 0;

	card_write(card, NV_PCI_BAR_VRAM, (64 << 20) - 8, &word, 8);
	card_read(card, NV_PCI_BAR_VRAM, (64 << 20) - 8, &back, 8);
	ok(back == word, "video memory keeps what is written");
	refused(NULL, "to its last byte");
	card_read(card, NV_PCI_BAR_VRAM, 64 << 20, &back, 8);
	ok(back == UINT64_MAX, "beyond it all ones are read");
	refused("beyond the video memory", "which is refused");
}

static void dma(void)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	uint8_t *p;

	ok(!ftruncate(fd, 8192) && !card_dma_map(card, 0x40000000, 4096, fd, 4096, true) &&
		   !card_dma_map(card, 0x50000000, 4096, -1, 0, true) &&
		   !card_dma_map(card, 0x60000000, 4096, fd, 0, false),
	   "memory can be dma_maps");
	ok(card_dma_map(card, 0x40000000, 8192, fd, 0, true) &&
		   card_dma_map(card, UINT64_MAX - 4095, 8192, fd, 0, true) &&
		   card_dma_map(card, 0x70000000, 0, fd, 0, true) &&
		   card_dma_map(card, 0x70000010, 4096, fd, 0, true),
	   "but not twice, nor around the end, nor nothing, nor at an odd address");
	ok(!card_dma(card, 0x40000000, 4, false, "a test"), "no DMA without bus mastering");
	refused("not bus master", "it is refused");
	write32(CARD_CONFIG, 4, 6);
	p = card_dma(card, 0x40000ffc, 4, true, "a test");
	ok(p, "DMA reaches what was dma_maps");
	if (p)
		memcpy(p, "here", 4);
	char back[4] = "";

	ok(pread(fd, back, 4, 8188) == 4 && !memcmp(back, "here", 4), "at the right offset");
	refused(NULL, "and is not refused");
	card_dma(card, 0x40000ffc, 8, true, "a test");
	refused("no memory is there", "a DMA over the end is refused");
	card_dma(card, 0x50000000, 8, true, "a test");
	refused("not in reach", "so is one to memory of another device");
	card_dma(card, 0x60000000, 8, true, "a test");
	refused("read-only", "and a write to what is read-only");
	ok(!card_dma_unmap(card, 0x40000000, 4096) && card_dma_unmap(card, 0x40000000, 4096),
	   "what was dma_maps can be taken back, once");
	card_dma(card, 0x40000000, 4, false, "a test");
	refused("no memory is there", "after which it is gone");
	close(fd);
}

/* As behind an IOMMU: pages that are apart in the machine's memory lie side by side for the card.
 */
static void dma_in_pieces(void)
{
	int fd = memfd_create("machine", MFD_CLOEXEC);
	char back[8] = "";
	uint8_t *p;

	ok(!ftruncate(fd, 3 * 4096) && !card_dma_map(card, 0xffff1000, 4096, fd, 0, true) &&
		   !card_dma_map(card, 0xffff0000, 4096, fd, 8192, true) &&
		   !card_dma_map(card, 0xffff2000, 4096, fd, 4096, false),
	   "three pages are dma_maps, last things first");
	p = card_dma(card, 0xffff0ffc, 8, true, "a test");
	refused(NULL, "DMA over two of them is not refused");
	if (p)
		memcpy(p, "herethat", 8);
	ok(pread(fd, back, 4, 3 * 4096 - 4) == 4 && pread(fd, back + 4, 4, 0) == 4 &&
		   !memcmp(back, "herethat", 8),
	   "each page gets its part");
	ok(card_dma(card, 0xffff0000, 3 * 4096, false, "a test"), "all three can be read");
	card_dma(card, 0xffff0000, 3 * 4096, true, "a test");
	refused("read-only", "but the last is not to be written");
	ok(!card_dma_unmap(card, 0xffff1000, 4096), "the one in the middle is taken back");
	card_dma(card, 0xffff0ffc, 8, false, "a test");
	refused("no memory is there", "and DMA over the first two is refused");
	ok(card_dma(card, 0xffff0ffc, 4, false, "a test") &&
		   card_dma(card, 0xffff2000, 4, false, "a test"),
	   "the others are still there");
	card_dma(card, UINT64_MAX - 3, 8, false, "a test");
	refused("around the end", "DMA around the end of all addresses is refused");
	ok(card_dma_map(card, ((uint64_t)1 << 38) - 4096, 8192, fd, 0, true) == -ENOSPC,
	   "what crosses a multiple of 256 GiB cannot be dma_maps");
	ok(!card_dma_unmap(card, 0xffff0000, 4096) && !card_dma_unmap(card, 0xffff2000, 4096),
	   "they are taken back, too");
	close(fd);
}

static void configuration(void)
{
	card_reset(card);
	ok(read32(CARD_CONFIG, 0) == 0x233510de && read32(CARD_CONFIG, 4) == 0x00100000,
	   "after a reset nothing is enabled");
	write32(CARD_CONFIG, 0, 0);
	ok(read32(CARD_CONFIG, 0) == 0x233510de, "the identity cannot be written");
	write32(CARD_CONFIG, 0x18, ~0u);
	write32(CARD_CONFIG, 0x1c, ~0u);
	ok(read32(CARD_CONFIG, 0x18) == 0xc && read32(CARD_CONFIG, 0x1c) == 0xffffffc0,
	   "sizing shows 256 GiB");
	refused(NULL, "none of it is refused");
}

int main(void)
{
	char why[200] = "";

	log_file = open_memstream(&said, &said_bytes);
	ok(!card_create(&(struct card_options){.chip = "gh200", .log = log_file}, why,
			sizeof(why)) &&
		   strstr(why, "gh200"),
	   "a chip that is not modelled is refused by name");
	ok(!card_create(&(struct card_options){.chip = "gh100",
					       .vram_bytes = UINT64_MAX,
					       .log = log_file},
			why, sizeof(why)),
	   "impossible memory is refused");
	card = card_create(
		&(struct card_options){.chip = "gh100", .vram_bytes = 64 << 20, .log = log_file},
		why, sizeof(why));
	if (ok(card, "a GH100 with 64 MiB can be made")) {
		registers();
		memory();
		dma();
		dma_in_pieces();
		configuration();
	}
	card_destroy(card);
	fclose(log_file);
	free(said);
	return tap_done();
}
