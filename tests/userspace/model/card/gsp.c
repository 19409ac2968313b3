// SPDX-License-Identifier: MIT
/* The modelled GSP with the test in the role of the driver: a boot from valid structures, calls,
 * and one refusal for each mistake that a driver can make. */
#include "tests/userspace/model/card/_machine.h"

static void valid_boot(void)
{
	struct nv_gsp_static_info info = {.fb_regions = 0};
	struct nv_gsp_unloading unloading = {0};
	uint32_t result = 99;

	reset();
	ok(read32(NV_PFB_WPR2_ADDR_HI) == 0, "boot: before it nothing is write-protected");
	ok(boot() == 0, "boot: valid structures are accepted");
	ok(NV_PRIV_LOCKED(read32(NV_PGSP_MAILBOX0)),
	   "boot: the GSP's registers are locked for a while");
	while (NV_PRIV_LOCKED(read32(NV_PGSP_MAILBOX0)))
		;
	ok(read32(NV_PGSP_MAILBOX0) == 0 &&
		   read32(NV_PGSP_RISCV_CPUCTL) & NV_PGSP_RISCV_CPUCTL_ACTIVE,
	   "boot: the GSP runs once they unlock");
	ok(read32(NV_PFB_WPR2_ADDR_HI) != 0, "boot: a region is write-protected");
	ok(answer(&result) == NV_GSP_EVENT_INIT_DONE && !result, "boot: the GSP sends INIT_DONE");
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
	ok(answer(&result) == NV_GSP_GET_STATIC_INFO && !result, "boot: the GSP answers a call");
	set_windows();
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, sizeof(unloading));
	ring();
	ok(answer(&result) == NV_GSP_UNLOADING_GUEST_DRIVER && !result &&
		   wait_for_bits(NV_PGSP_MAILBOX0, ~0u, NV_PGSP_MAILBOX0_UNLOADED) &&
		   wait_for_bits(NV_PGSP_RISCV_CPUCTL, ~0u, NV_PGSP_RISCV_CPUCTL_HALTED) &&
		   read32(NV_PFB_WPR2_ADDR_HI) == 0,
	   "boot: the GSP unloads");
	refused(NULL, "boot: a correct driver is not refused anything");
}

/* Whether a record of a log has the text. */
static bool logged(uint32_t offset, const char *text)
{
	const uint8_t *log = at(offset);

	for (uint32_t i = 8; i + 32 <= NV_GSP_LOG_BYTES; i += 32)
		if (!strcmp((const char *)log + i + 8, text))
			return true;
	return false;
}

static void logs(void)
{
	const uint32_t records = NV_GSP_LOG_BYTES / 32 + 10; /* more than a log holds */
	const uint64_t *log = at(LOGS + 2 * NV_GSP_LOG_BYTES);
	struct nv_gsp_static_info info = {.fb_regions = 0};
	uint32_t result;
	uint64_t before;

	reset();
	boot();
	answer(&result);
	ok(logged(LOGS, "GSP boots"), "log: LOGINIT has a record of the boot");
	ok(logged(LOGS + NV_GSP_LOG_BYTES, "message up to 1"),
	   "log: LOGINTR has a record of the message of the boot");
	before = log[0];
	for (uint32_t i = 0; i < records; i++) {
		put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
		ring();
		answer(&result);
	}
	/* Records behind the end of LOGINTR would overwrite the count. */
	ok(log[0] == before + records * 4 && logged(LOGS + 2 * NV_GSP_LOG_BYTES, "call 65"),
	   "log: LOGRM has a record of each call and counts the words of all, in a full log, too");
}

static void invalid_boots(void)
{
	reset();
	cot.version = 2;
	ok(boot(), "boot: a chain-of-trust message of another version fails");
	refused("version 2", "boot: a chain-of-trust message of another version is refused");
	reset();
	((struct nv_gsp_wpr_meta *)at(META))->magic++;
	ok(boot(), "boot: WPR metadata with a wrong magic fails");
	refused("magic", "boot: WPR metadata with a wrong magic is refused");
	reset();
	((struct nv_gsp_wpr_meta *)at(META))->heap_bytes = 1 << 20;
	ok(boot(), "boot: a heap that is too small fails");
	refused("no room", "boot: a heap that is too small is refused");
	reset();
	*(uint64_t *)at(RADIX2) = MACHINE + BYTES;
	ok(boot(), "boot: a radix3 table that points to unmapped memory fails");
	refused("a page of the image",
		"boot: a radix3 table that points to unmapped memory is refused");
	reset();
	((struct nv_gsp_libos_region *)at(LIBOS))[3].name++;
	ok(boot(), "boot: a missing libos region fails");
	refused("RMARGS", "boot: a missing libos region is refused by name");
	reset();
	flush_page = 0;
	ok(boot(), "boot: without a page for flushes it fails");
	refused("without a page for flushes", "boot: without a page for flushes it is refused");
	reset();
	flush_page = (uint32_t)MACHINE + BYTES;
	ok(boot(), "boot: with a page for flushes that is not mapped for DMA it fails");
	refused("page for flushes", "boot: such a page for flushes is refused");
	flush_page = (uint32_t)MACHINE + FLUSH;
	reset();
	((uint64_t *)at(LOGS))[3] = 0;
	ok(boot(), "boot: a log region that does not list its pages fails");
	refused("LOGINIT", "boot: a log region that does not list its pages is refused");
	reset();
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	ok(boot(), "boot: without bus mastering it fails");
	refused("not bus master", "boot: DMA without bus mastering is refused");
	reset();
	ok(!boot() && boot(), "boot: a second boot fails");
	refused("a running GSP", "boot: a second boot is refused");
}

static void invalid_calls(void)
{
	struct nv_gsp_unloading unloading = {0};
	uint32_t result = 0;

	reset();
	boot();
	answer(&result);
	refused(NULL, "call: the GSP has booted");
	put(12345, &unloading, 8);
	ring();
	ok(answer(&result) == 12345 && result == NV_STATUS_NOT_SUPPORTED,
	   "call: an unknown call is answered with an error");
	refused("call 12345", "call: an unknown call is refused");
	put(NV_GSP_GET_STATIC_INFO, &unloading, 8);
	ring();
	ok(answer(&result) == NV_GSP_GET_STATIC_INFO && result,
	   "call: a call of the wrong size is answered with an error");
	refused("another size", "call: a call of the wrong size is refused");
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8)->checksum ^= 1;
	ring();
	ok(!answer(&result), "call: an element with a wrong checksum is not answered");
	refused("checksum", "call: an element with a wrong checksum is refused");
	reset();
	boot();
	answer(&result);
	struct nv_gsp_element *e = put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8);

	e->checksum ^= e->pages ^ 2;
	e->pages = 2;
	ring();
	ok(!answer(&result), "call: an element of two pages of which one is sent is not answered");
	refused("more pages than the queue holds",
		"call: an element of two pages of which one is sent is refused");
	reset();
	boot();
	sequence = 7;
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8);
	ring();
	refused("sequence", "call: an element with a wrong sequence number is refused");
	reset();
	boot();
	command()->put = 1000;
	ring();
	refused("command queue is 1000", "call: PUT beyond the queue is refused");
	reset();
	boot();
	answer(&result);
	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, 8);
	ring();
	refused("page tables",
		"call: unloading with BAR 2 still on the GSP's page tables is refused");
	reset();
	boot();
	card_write(card, CARD_CONFIG, NV_PCI_CAP_PM + 4, &(uint16_t){3}, 2);
	refused("while the firmware runs", "call: D3 while the GSP runs is refused");
}

/* A machine must quiesce the card before it disconnects: one thing after the other that it may have
 * left enabled. */
static void disconnects(void)
{
	reset();
	card_check_quiesced(card);
	refused("card active", "disconnect: bus mastering left on is refused");
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	card_check_quiesced(card);
	refused(NULL, "disconnect: a quiescent card is accepted");
	card_write(card, CARD_CONFIG, NV_PCI_CAP_MSI + 2, &(uint16_t){1}, 2);
	card_check_quiesced(card);
	refused("card active", "disconnect: MSI left on is refused");
	card_write(card, CARD_CONFIG, NV_PCI_CAP_MSI + 2, &(uint16_t){0}, 2);
	write32(NV_VF_INTR_TOP_ENABLE, 1);
	card_check_quiesced(card);
	refused("card active", "disconnect: an enabled interrupt is refused");
	reset();
	boot();
	card_write(card, CARD_CONFIG, 4, &(uint16_t){2}, 2);
	card_check_quiesced(card);
	refused("card active", "disconnect: a running GSP is refused");
}

/* The number of reads of a register until it has a value, at most 100. */
static uint32_t reads_until(uint32_t offset, uint32_t value)
{
	uint32_t n = 0;

	while (n < 100 && read32(offset) != value)
		n++;
	return n;
}

/* Operations take as long as the seed says, and a driver that waits for each boots with any. */
static void latencies(void)
{
	const struct nv_gsp_unloading unloading = {0};
	uint32_t first = 100, last = 0, n, result;
	bool good = true;

	for (uint64_t seed = 0; good && seed < 200; seed++) {
		good = machine_create(NULL, seed);
		reset();
		n = reads_until(NV_THERM_I2CS_SCRATCH, NV_THERM_FSP_BOOT_COMPLETE);
		first = n < first ? n : first;
		last = n > last ? n : last;
		if (seed >= 200 / TAP_SLOWNESS) { /* booting takes long with sanitizers */
			machine_close();
			continue;
		}
		good = good && !boot() && wait_for_bits(NV_PGSP_HWCFG2, NV_PGSP_HWCFG2_LOCKDOWN, 0);
		set_windows();
		put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, sizeof(unloading));
		ring();
		good = good && answer(&result) == NV_GSP_EVENT_INIT_DONE &&
		       answer(&result) == NV_GSP_UNLOADING_GUEST_DRIVER && !result &&
		       reads_until(NV_PGSP_RISCV_CPUCTL, NV_PGSP_RISCV_CPUCTL_HALTED) < 100 &&
		       !card_refusals(card);
		machine_close();
	}
	ok(good, "latency: a driver that waits boots and unloads the GSP with all seeds");
	ok(first == 1 && last > 8, "latency: the FSP boots after 1 to 12 reads, here %u to %u",
	   first, last);
	if (!machine_open())
		return;
	reset();
	cot.version = 2;
	write32(NV_PFSP_QUEUE_TAIL, sizeof(cot) - 4);
	write32(NV_PFSP_QUEUE_HEAD, 0);
	refused("it has not booted", "latency: a message to an FSP that has not booted is refused");
	reset();
	reads_until(NV_THERM_I2CS_SCRATCH, NV_THERM_FSP_BOOT_COMPLETE);
	write32(NV_PFSP_QUEUE_TAIL, sizeof(cot) - 4);
	write32(NV_PFSP_QUEUE_HEAD, 0);
	ok(read32(NV_PFSP_QUEUE_TAIL) == sizeof(cot) - 4 && !read32(NV_PFSP_MSGQ_TAIL),
	   "latency: a message stays in its queue, without a reply, while the FSP works on it");
	write32(NV_PFSP_QUEUE_TAIL, sizeof(cot) - 4);
	write32(NV_PFSP_QUEUE_HEAD, 0);
	refused("no reply yet", "latency: another message before the reply is refused");
	machine_close();
}

int main(void)
{
	latencies();
	if (machine_open()) {
		valid_boot();
		logs();
		invalid_boots();
		invalid_calls();
		disconnects();
	}
	machine_close();
	return tap_done();
}
