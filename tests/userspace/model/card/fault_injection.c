// SPDX-License-Identifier: MIT
/* Fault injection affects exactly the selected message, with the selected fault, and nothing else;
 * a sweep injects another fault in every boot. How drivers survive this is tested in tests/vm,
 * scenario faults. */
#include <sys/eventfd.h>
#include <time.h>

#include "tests/userspace/model/card/_machine.h"

static struct nv_gsp_element *message(uint32_t number)
{
	return at(STATUS + 4096 * (1 + number));
}
static struct nv_gsp_rpc *call_of(uint32_t number)
{
	return (struct nv_gsp_rpc *)(message(number) + 1);
}
static uint32_t messages_present(void)
{
	return __atomic_load_n(&((struct nv_gsp_queue *)at(STATUS))->put, __ATOMIC_ACQUIRE);
}
/* An announced length beyond the message does not change what is summed. */
static bool checksum_valid(uint32_t number)
{
	const uint32_t most = sizeof(struct nv_gsp_rpc) + sizeof(struct nv_gsp_static_info);
	const uint32_t *words = (void *)message(number);
	uint32_t bytes = call_of(number)->bytes, sum = 0;

	bytes = (uint32_t)sizeof(struct nv_gsp_element) + (bytes < most ? bytes : most);
	for (uint32_t i = 0; i < (bytes + 7) / 8 * 2; i++)
		sum ^= words[i];
	return !sum;
}
/* Behind a message are old bytes. */
static bool tail_dirty(uint32_t number)
{
	const uint8_t *page = (void *)message(number);
	uint32_t end = (uint32_t)sizeof(struct nv_gsp_element) + call_of(number)->bytes, set = 0;

	for (uint32_t i = (end + 7) / 8 * 8; i < 4096; i++)
		set += page[i] != 0;
	return end < 4096 && set > (4096 - end) / 2;
}

/* Boots and makes one call: two messages, or what the fault makes of them. */
static void boot_and_call(void)
{
	struct nv_gsp_static_info info = {0};

	reset();
	memset(at(STATUS), 0, 3 * 4096);
	boot();
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
}

/* True if the whole message is valid. */
static bool message_valid(uint32_t number, uint32_t function)
{
	const struct nv_gsp_element *e = message(number);
	const struct nv_gsp_rpc *rpc = call_of(number);

	return e->pages == 1 && e->sequence == number && checksum_valid(number) &&
	       rpc->signature == NV_GSP_RPC_SIGNATURE && rpc->bytes >= sizeof(*rpc) &&
	       rpc->bytes <= 4096 && rpc->function == function && !rpc->result &&
	       tail_dirty(number);
}

static bool silent(void)
{
	return messages_present() == 1;
}
static bool late(void)
{
	if (messages_present() != 1)
		return false;
	for (int i = 0; i < 100 && messages_present() == 1; i++)
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	return messages_present() == 2 && message_valid(1, NV_GSP_GET_STATIC_INFO);
}
static bool checksum(void)
{
	return messages_present() == 2 && !checksum_valid(1);
}
static bool sequence_wrong(void)
{
	return messages_present() == 2 && checksum_valid(1) && message(1)->sequence != 1;
}
static bool shorter(void)
{
	return messages_present() == 2 && checksum_valid(1) &&
	       call_of(1)->bytes == sizeof(struct nv_gsp_rpc);
}
static bool longer(void)
{
	return messages_present() == 2 && checksum_valid(1) && call_of(1)->bytes > 65536;
}
static bool empty(void)
{
	return messages_present() == 2 && checksum_valid(1) && message(1)->pages == 0;
}
static bool pages(void)
{
	return messages_present() == 2 && checksum_valid(1) &&
	       message(1)->pages > NV_GSP_ELEMENT_PAGES;
}
static bool header(void)
{
	return messages_present() == 2 && checksum_valid(1) &&
	       call_of(1)->signature != NV_GSP_RPC_SIGNATURE;
}
static bool other_call(void)
{
	return messages_present() == 2 && checksum_valid(1) &&
	       call_of(1)->function != NV_GSP_GET_STATIC_INFO;
}
static bool status(void)
{
	return messages_present() == 2 && checksum_valid(1) && call_of(1)->result;
}
/* The interrupt has its own bit, and a retrigger raises it as long as the bit is set. */
static bool halt(void)
{
	bool raised = messages_present() == 1 && read32(NV_PGSP_IRQSTAT) & NV_PGSP_IRQ_HALT &&
		      read32(NV_PGSP_RISCV_IRQMASK) & NV_PGSP_IRQ_HALT;

	write32(NV_PGSP_IRQSCLR, NV_PGSP_IRQ_HALT);
	return raised && !(read32(NV_PGSP_IRQSTAT) & NV_PGSP_IRQ_HALT);
}
static bool pointer(void)
{
	return messages_present() >= NV_GSP_QUEUE_ELEMENTS;
}
static bool flood(void)
{
	return messages_present() == 2 && message_valid(1, NV_GSP_GET_STATIC_INFO);
}
static bool ones(void)
{
	return messages_present() == 1 && read32(NV_PGSP_MAILBOX0) == UINT32_MAX &&
	       read32(NV_PFB_WPR2_ADDR_HI) == UINT32_MAX;
}

static const struct {
	const char *name;
	bool (*seen)(void);
} rows[] = {
	{"silent", silent},     {"late", late},
	{"checksum", checksum}, {"sequence", sequence_wrong},
	{"short", shorter},     {"long", longer},
	{"empty", empty},       {"pages", pages},
	{"header", header},     {"call", other_call},
	{"status", status},     {"halt", halt},
	{"pointer", pointer},   {"flood", flood},
	{"ones", ones},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static void test_message_fault(size_t i)
{
	const uint16_t function_reset = 0x8000;
	char words[32], why[256];

	snprintf(words, sizeof(words), "%s@2", rows[i].name);
	if (!machine_open_with(words))
		return;
	boot_and_call();
	ok(message_valid(0, NV_GSP_EVENT_INIT_DONE), "%s: the first message is valid", words);
	ok(rows[i].seen(), "%s: the second message has the injected fault", words);
	card_write(card, CARD_CONFIG, NV_PCI_CAP_EXPRESS + 8, &function_reset, 2);
	uint32_t on = 6;

	card_write(card, CARD_CONFIG, 4, &on, 2);
	ok(read32(NV_PFB_WPR2_ADDR_HI) == 0, "%s: a function-level reset ends the fault", words);
	refused(NULL, "a message fault does not count against the driver");
	machine_close();
	snprintf(words, sizeof(words), "%s@", rows[i].name);
	ok(!card_create(&(struct card_options){.chip = "gh100", .vram_bytes = VRAM, .fault = words},
			why, sizeof(why)) &&
		   strstr(why, rows[i].name),
	   "unknown fault '%s' is rejected with the list of faults", words);
}

static void sleep_ms(long milliseconds)
{
	nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Interrupts without a pending bit: none before boot, then many, then none after a reset. */
static void spurious(void)
{
	int fd = eventfd(0, EFD_NONBLOCK), given = dup(fd), seen = 0;
	uint64_t count;

	if (!machine_open_with("spurious"))
		return;
	card_set_irq_fds(card, CARD_MSI, 0, 1, &given);
	sleep_ms(20);
	ok(read(fd, &count, sizeof(count)) < 0,
	   "spurious: a card that is not booted sends no interrupt");
	boot_and_call();
	for (int i = 0; i < 2000 && seen < 5; i++, sleep_ms(1))
		seen += read(fd, &count, sizeof(count)) == sizeof(count);
	ok(seen == 5 && !read32(NV_VF_INTR_TOP),
	   "spurious: interrupts arrive again and again with nothing pending");
	ok(messages_present() == 2 && message_valid(0, NV_GSP_EVENT_INIT_DONE) &&
		   message_valid(1, NV_GSP_GET_STATIC_INFO),
	   "spurious: all messages are valid");
	reset();
	while (read(fd, &count, sizeof(count)) == sizeof(count))
		;
	sleep_ms(20);
	ok(read(fd, &count, sizeof(count)) < 0, "spurious: a reset ends the interrupts");
	refused(NULL, "spurious: the interrupts do not count against the driver");
	machine_close();
	close(fd);
}

/* Endless events while the driver reads them, with room left for replies. */
static void storm(void)
{
	struct nv_gsp_static_info info = {0};
	uint32_t events = 0, result = 0, function;
	bool answered = false;

	if (!machine_open_with("storm"))
		return;
	reset();
	boot();
	ok(answer(&result) == NV_GSP_EVENT_INIT_DONE, "storm: the first message is valid");
	for (int i = 0; i < 4000 && events < 200; i++) {
		function = answer(&result);
		events += function > 0x1000;
		if (!function)
			sleep_ms(1);
	}
	ok(events == 200, "storm: 200 events arrive");
	sleep_ms(100); /* the queue is not read now */
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
	while (!answered && (function = answer(&result)))
		answered = function == NV_GSP_GET_STATIC_INFO && !result;
	ok(answered, "storm: a call is answered despite the events");
	refused(NULL, "storm: the events do not count against the driver");
	machine_close();
}

/* Number of register reads after a reset that find the card, up to a maximum. */
static uint32_t reads_until_gone(uint32_t max_reads)
{
	uint32_t n = 0;

	reset();
	while (n < max_reads && read32(NV_PMC_BOOT_0) != UINT32_MAX)
		n++;
	return n;
}

/* Video memory as a process sees it that has mapped it. */
static uint32_t *map_vram(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		       card_region(card, NV_PCI_BAR_VRAM).fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* The card falls off the bus at a register access and is back after a reset. */
static void gone(void)
{
	uint32_t *vram;

	if (!machine_open_with("gone@3"))
		return;
	reset();
	vram = map_vram();
	if (!ok(vram, "gone@3: video memory can be mapped"))
		return;
	vram[7] = 1234;
	boot();
	ok(vram[7] == UINT32_MAX, "gone@3: mapped video memory reads as all ones");
	munmap(vram, 4096);
	ok(read32(NV_PGSP_MAILBOX0) == UINT32_MAX && !messages_present(),
	   "gone@3: the card is gone before it has booted");
	ok(reads_until_gone(9) == 2 && reads_until_gone(9) == 2,
	   "gone@3: the third register access after each reset finds no card");
	refused(NULL, "gone@3: accesses to a missing card do not count against the driver");
	machine_close();
	if (!machine_open_with("gone:2:3:3"))
		return;
	ok(reads_until_gone(20) == 1, "gone:2:3:3: first the second access finds no card");
	reset();
	reset();
	ok(reads_until_gone(20) == 4 && reads_until_gone(20) == 7 && reads_until_gone(20) == 20,
	   "gone:2:3:3: then every third further; a reset of an unused card does not count");
	machine_close();
	if (!machine_open_with("gone:2:3:100"))
		return;
	ok(reads_until_gone(20) == 1 && reads_until_gone(3) == 3 && reads_until_gone(3) == 3 &&
		   reads_until_gone(3) == 3 && reads_until_gone(50) == 50,
	   "gone:2:3:100: the sweep ends after three resets with fewer accesses");
	machine_close();
}

int main(void)
{
	for (size_t i = 0; i < ROWS; i++)
		test_message_fault(i);
	gone();
	spurious();
	storm();
	/* Faults of the second message, in steps of two; then none. */
	if (machine_open_with("sweep:15:2:8")) {
		bool good = true;

		for (size_t i = 0; i < ROWS; i += 2) {
			boot_and_call();
			good = good && message_valid(0, NV_GSP_EVENT_INIT_DONE) && rows[i].seen();
		}
		ok(good, "sweep: each boot has another fault");
		boot_and_call();
		ok(messages_present() == 2 && message_valid(0, NV_GSP_EVENT_INIT_DONE) &&
			   message_valid(1, NV_GSP_GET_STATIC_INFO),
		   "sweep: afterwards the card works");
		machine_close();
	}
	/* The last fault of the second message, then all of the third, which is never sent. */
	if (machine_open_with("sweep:29:1:100")) {
		struct nv_gsp_static_info info = {0};

		for (size_t i = 0; i <= ROWS; i++)
			boot_and_call();
		boot_and_call();
		put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
		ring();
		put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
		ring();
		ok(messages_present() == 4 && message_valid(2, NV_GSP_GET_STATIC_INFO) &&
			   message_valid(3, NV_GSP_GET_STATIC_INFO),
		   "sweep: it ends when there are no more messages");
		machine_close();
	}
	return tap_done();
}
