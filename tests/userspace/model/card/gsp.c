/* SPDX-License-Identifier: MIT */
/*
 * The stand-in for the GSP, with this test in the place of a driver: a boot from structures that
 * are right, calls, and one refusal for each thing that a driver may get wrong.
 */
#include "tests/userspace/model/card/_machine.h"

static void right(void)
{
	struct nv_gsp_static_info info = {.fb_regions = 0};
	struct nv_gsp_unloading unloading = {0};
	uint32_t result = 99;

	reset();
	ok(read32(NV_PFB_WPR2_ADDR_HI) == 0, "before the boot nothing is protected");
	ok(boot() == 0, "a boot that is right is accepted");
	ok(NV_PRIV_LOCKED(read32(NV_PGSP_MAILBOX0)), "the GSP is locked for a while");
	while (NV_PRIV_LOCKED(read32(NV_PGSP_MAILBOX0)))
		;
	ok(read32(NV_PGSP_MAILBOX0) == 0 &&
		   read32(NV_PGSP_RISCV_CPUCTL) & NV_PGSP_RISCV_CPUCTL_ACTIVE,
	   "then it runs");
	ok(read32(NV_PFB_WPR2_ADDR_HI) != 0, "a region is protected");
	ok(answer(&result) == NV_GSP_EVENT_INIT_DONE && !result, "it says that it is up");
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
	ok(answer(&result) == NV_GSP_GET_STATIC_INFO && !result, "it answers a call");
	write32(NV_VF_BAR1_BLOCK, 0);
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, sizeof(unloading));
	ring();
	ok(answer(&result) == NV_GSP_UNLOADING_GUEST_DRIVER && !result &&
		   read32(NV_PGSP_MAILBOX0) == NV_PGSP_MAILBOX0_UNLOADED &&
		   read32(NV_PFB_WPR2_ADDR_HI) == 0,
	   "it unloads");
	refused(NULL, "none of it is refused");
}

static void wrong_boots(void)
{
	reset();
	cot.version = 2;
	ok(boot(), "a message of another version fails");
	refused("version 2", "and is refused");
	reset();
	((struct nv_gsp_wpr_meta *)at(META))->magic++;
	ok(boot(), "a wrong magic fails");
	refused("magic", "and is refused");
	reset();
	((struct nv_gsp_wpr_meta *)at(META))->heap_bytes = 1 << 20;
	ok(boot(), "a heap that is too small fails");
	refused("no room", "and is refused");
	reset();
	*(uint64_t *)at(RADIX2) = MACHINE + BYTES;
	ok(boot(), "a table that leads nowhere fails");
	refused("a page of the image", "and is refused");
	reset();
	((struct nv_gsp_libos_region *)at(LIBOS))[3].name++;
	ok(boot(), "a missing region fails");
	refused("RMARGS", "and is refused by name");
	reset();
	((uint64_t *)at(LOGS))[3] = 0;
	ok(boot(), "a log that does not list its pages fails");
	refused("LOGINIT", "and is refused");
	reset();
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	ok(boot(), "a boot without bus mastering fails");
	refused("not bus master", "and is refused");
	reset();
	ok(!boot() && boot(), "a second boot fails");
	refused("GSP that runs", "and is refused");
}

static void wrong_calls(void)
{
	struct nv_gsp_unloading unloading = {0};
	uint32_t result = 0;

	reset();
	boot();
	answer(&result);
	refused(NULL, "the GSP is up");
	put(12345, &unloading, 8);
	ring();
	ok(answer(&result) == 12345 && result == NV_STATUS_NOT_SUPPORTED,
	   "an unknown call is answered with an error");
	refused("call 12345", "and is refused");
	put(NV_GSP_GET_STATIC_INFO, &unloading, 8);
	ring();
	ok(answer(&result) == NV_GSP_GET_STATIC_INFO && result, "so is one of the wrong size");
	refused("another size", "and is refused");
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8)->checksum ^= 1;
	ring();
	ok(!answer(&result), "a wrong checksum is not answered");
	refused("checksum", "and is refused");
	reset();
	boot();
	sequence = 7;
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8);
	ring();
	refused("sequence", "so is a wrong sequence number");
	reset();
	boot();
	command()->put = 1000;
	ring();
	refused("ends at 1000", "and a pointer beyond the queue");
	reset();
	boot();
	answer(&result);
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8);
	ring();
	refused("page tables", "and a window that was never set to memory");
	reset();
	boot();
	card_write(card, CARD_CONFIG, NV_PCI_CAP_PM + 4, &(uint16_t){3}, 2);
	refused("while the GSP runs", "and sleep while it runs");
}

/* A machine that goes must have stopped the card: one thing after the other that it may have left on. */
static void left(void)
{
	reset();
	card_check_quiesced(card);
	refused("running", "a machine that leaves bus mastering on is refused");
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	card_check_quiesced(card);
	refused(NULL, "one that leaves nothing on is not");
	card_write(card, CARD_CONFIG, NV_PCI_CAP_MSI + 2, &(uint16_t){1}, 2);
	card_check_quiesced(card);
	refused("running", "but when MSI is on");
	card_write(card, CARD_CONFIG, NV_PCI_CAP_MSI + 2, &(uint16_t){0}, 2);
	write32(NV_VF_INTR_TOP_ENABLE, 1);
	card_check_quiesced(card);
	refused("running", "or an interrupt");
	reset();
	boot();
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	card_check_quiesced(card);
	refused("running", "or when the GSP runs");
}

int main(void)
{
	if (machine_open()) {
		right();
		wrong_boots();
		wrong_calls();
		left();
	}
	machine_close();
	return tap_done();
}
