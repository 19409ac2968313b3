// SPDX-License-Identifier: MIT
/* Windows to video memory: PRAMIN moves over it; BAR 1 and BAR 2 show it flat until their page
 * tables are set, then as mapped, for reads and writes; access to an unmapped page is refused. */
#include "tests/userspace/model/card/_driver.h"

#define PAGE      0x600000ull /* in VRAM: the page that the windows map */
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
	ok(at_page[0x123c / 4] == 0xabcd1234, "PRAMIN writes to its base");
	at_page[0xffffc / 4] = 77;
	ok(read32(NV_PRAMIN + 0xffffc) == 77, "PRAMIN reads up to its last word");
	refused(NULL, "PRAMIN within video memory is not refused");
	write32(NV_XAL_EP_BAR0_WINDOW, VRAM >> 16);
	ok(read32(NV_PRAMIN) == ~0u, "PRAMIN beyond video memory reads as all ones");
	refused("PRAMIN", "PRAMIN beyond video memory is refused");
}

/* Directories as pte_slot() writes them, but below a root of the firmware. */
static uint64_t tables_for(uint64_t va, uint64_t page)
{
	memset(vram + TABLES, 0, 0x10000);
	pte_slot(va)[1] = (TABLES + 0x8000) | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
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
	ok(window32(INSTANCES, PAGE + 4) == 4711, "BAR 2 is flat before its page tables are set");
	ok(!update(NV_GSP_BAR2, tables_for(0x5000, PAGE), 56), "BAR 2 page tables are set by RPC");
	ok(window32(INSTANCES, 0x5004) == 4711, "BAR 2 reads through its page tables");
	card_write(card, INSTANCES, 0x5008, &(uint64_t){0x1122334455667788}, 8);
	ok(at_page[2] == 0x55667788 && at_page[3] == 0x11223344,
	   "BAR 2 writes through its page tables");
	refused(NULL, "BAR 2 access to mapped pages is not refused");
	ok(window32(INSTANCES, 0x6000) == ~0u, "BAR 2 reads an unmapped page as all ones");
	refused("not mapped", "BAR 2 access to an unmapped page is refused");
	tables_for(0x5000, VRAM - 0x1000);
	window32(INSTANCES, 0x5000);
	refused("protected", "BAR 2 access to protected memory is refused");
	ok(update(0, 0, 56) && update(NV_GSP_BAR2, 0, 47),
	   "setting page tables of another window or level returns an error");
	refused("for window", "setting page tables of another window or level is refused");
	ok(!update(NV_GSP_BAR2, 0, 56) && window32(INSTANCES, PAGE + 4) == 4711,
	   "BAR 2 is flat again without page tables");
	refused(NULL, "BAR 2 flat access is not refused");
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
	   "the firmware reports a page directory for BAR 1");
	*(uint64_t *)(vram + info.bar1_directory) = tables_for(0x7000, PAGE);
	*(uint32_t *)(vram + PAGE) = 815;
	ok(window32(NV_PCI_BAR_VRAM, 0x7000) == 815, "BAR 1 reads through its page tables");
	refused(NULL, "BAR 1 access to a mapped page is not refused");
	window32(NV_PCI_BAR_VRAM, 0x8000);
	refused("not mapped", "BAR 1 access to an unmapped page is refused");
	write32(NV_VF_BAR1_BLOCK, 0);
	ok(read32(NV_VF_BAR1_BLOCK) == NV_VF_BAR1_BLOCK_VIRTUAL,
	   "BAR 1 keeps its mode until the high word is written");
	write32(NV_VF_BAR1_BLOCK_HIGH, 0);
	ok(read32(NV_VF_BAR1_BLOCK) == (NV_VF_BAR1_BLOCK_VIRTUAL | NV_VF_BAR1_BLOCK_PENDING |
					NV_VF_BAR1_BLOCK_OUTSTANDING),
	   "BAR 1 keeps its mode while the change is pending");
	window32(NV_PCI_BAR_VRAM, 0x8000);
	refused("not mapped", "BAR 1 access while the change is pending uses the old mode");
	set_windows();
	ok(window32(NV_PCI_BAR_VRAM, PAGE) == 815, "BAR 1 in physical mode is flat");
	refused(NULL, "BAR 1 flat access is not refused");
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
