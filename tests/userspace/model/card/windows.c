/* SPDX-License-Identifier: MIT */
/*
 * Windows to the card's memory: PRAMIN moves over it; BAR 1 and BAR 2 show it flat until page
 * tables count, then what those say, in both directions; and what lies behind no page is refused.
 */
#include "tests/userspace/model/card/_driver.h"

#define PAGE      0x600000ull /* in VRAM: what the windows are to show */
#define INSTANCES NV_PCI_BAR_INSTANCE

static uint32_t window32(uint32_t region, uint64_t offset)
{
	uint32_t v;

	card_read(card, region, offset, &v, 4);
	return v;
}

static void pramin(void)
{
	uint32_t *at_page = (uint32_t *)(vram + PAGE);

	write32(NV_XAL_EP_BAR0_WINDOW, PAGE >> 16);
	write32(NV_PRAMIN + 0x123c, 0xabcd1234);
	ok(at_page[0x123c / 4] == 0xabcd1234, "PRAMIN writes where it lies");
	at_page[0xffffc / 4] = 77;
	ok(read32(NV_PRAMIN + 0xffffc) == 77, "and reads to its last word");
	refused(NULL, "none of it is refused");
	write32(NV_XAL_EP_BAR0_WINDOW, VRAM >> 16);
	ok(read32(NV_PRAMIN) == ~0u, "behind the last byte it reads all ones");
	refused("PRAMIN", "and is refused");
}

/* Directories as slot() makes them, but from a root that is the firmware's. */
static uint64_t tables_for(uint64_t va, uint64_t page)
{
	memset(vram + TABLES, 0, 0x10000);
	slot(va)[1] = (TABLES + 0x8000) | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	((uint64_t *)(vram + TABLES + 0x8000))[va >> 12 & 511] =
		page | NV_MMU3_VALID | NV_MMU3_PCF_REGULAR;
	return *(uint64_t *)(vram + TABLES);
}

static uint32_t update(uint32_t bar, uint64_t entry, uint64_t shift)
{
	struct nv_gsp_update_bar u = {bar, 0, entry, shift};
	uint32_t result = 99;

	put(NV_GSP_UPDATE_BAR_PDE, &u, sizeof(u));
	ring();
	return answer(&result) == NV_GSP_UPDATE_BAR_PDE ? result : 99;
}

static void bar2(void)
{
	uint32_t *at_page = (uint32_t *)(vram + PAGE);

	at_page[1] = 4711;
	ok(window32(INSTANCES, PAGE + 4) == 4711, "BAR 2 shows memory before it has page tables");
	ok(!update(NV_GSP_BAR2, tables_for(0x5000, PAGE), 56), "it is given some");
	ok(window32(INSTANCES, 0x5004) == 4711, "then it shows what they say");
	card_write(card, INSTANCES, 0x5008, &(uint64_t){0x1122334455667788}, 8);
	ok(at_page[2] == 0x55667788 && at_page[3] == 0x11223344, "and writes there, too");
	refused(NULL, "none of it is refused");
	ok(window32(INSTANCES, 0x6000) == ~0u, "a page that is not there reads all ones");
	refused("not mapped", "and is refused");
	tables_for(0x5000, VRAM - 0x1000);
	window32(INSTANCES, 0x5000);
	refused("protected", "so is one in protected memory");
	ok(update(0, 0, 56) && update(NV_GSP_BAR2, 0, 47), "other windows and levels are errors");
	refused("for window", "and refused");
	ok(!update(NV_GSP_BAR2, 0, 56) && window32(INSTANCES, PAGE + 4) == 4711,
	   "without tables it is flat again");
	refused(NULL, "which is not refused");
}

static void bar1(void)
{
	struct nv_gsp_static_info info = {.fb_regions = 0};
	uint32_t result;

	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
	memcpy(&info, (uint8_t *)at(STATUS + 4096 * (1 + status_get)) + NV_GSP_HEADERS,
	       sizeof(info));
	answer(&result);
	ok(info.bar1_directory && info.bar1_directory >= info.fb[0].limit,
	   "the firmware has a directory for BAR 1");
	*(uint64_t *)(vram + info.bar1_directory) = tables_for(0x7000, PAGE);
	*(uint32_t *)(vram + PAGE) = 815;
	ok(window32(NV_PCI_BAR_VRAM, 0x7000) == 815, "BAR 1 shows what its tables say");
	refused(NULL, "which is not refused");
	window32(NV_PCI_BAR_VRAM, 0x8000);
	refused("not mapped", "but a page that is not there is");
	write32(NV_VF_BAR1_BLOCK, 0);
	ok(window32(NV_PCI_BAR_VRAM, PAGE) == 815, "set to physical mode it shows memory");
	refused(NULL, "none of it is refused");
}

int main(void)
{
	uint32_t result;

	if (machine_open()) {
		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED,
			    card_region(card, NV_PCI_BAR_VRAM).fd, 0);
		reset();
		boot();
		answer(&result);
		pramin();
		bar2();
		bar1();
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
