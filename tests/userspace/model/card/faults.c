/* SPDX-License-Identifier: MIT */
/*
 * A card that goes wrong on purpose does so exactly as it was told: with the named message, in the named way, and in no
 * other; a sweep has another fault in every boot. What it does then is for drivers to survive (tests/vm, scenario faults).
 */
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
static uint32_t there(void)
{
	return __atomic_load_n(&((struct nv_gsp_queue *)at(STATUS))->put, __ATOMIC_ACQUIRE);
}
static bool whole(uint32_t number)
{
	const uint32_t *words = (void *)message(number);
	uint32_t sum = 0;

	for (int i = 0; i < 1024; i++)
		sum ^= words[i];
	return !sum;
}

/* Boots, and asks one question: two messages, or what the fault has made of them. */
static void talk(void)
{
	struct nv_gsp_static_info info = {0};

	reset();
	memset(at(STATUS), 0, 3 * 4096);
	boot();
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
}

/* Is it right, the whole of it? */
static bool right(uint32_t number, uint32_t function)
{
	const struct nv_gsp_element *e = message(number);
	const struct nv_gsp_rpc *rpc = call_of(number);

	return e->pages == 1 && e->sequence == number && whole(number) &&
	       rpc->signature == NV_GSP_RPC_SIGNATURE && rpc->bytes >= sizeof(*rpc) &&
	       rpc->bytes <= 4096 && rpc->function == function && !rpc->result;
}

static bool silent(void)
{
	return there() == 1;
}
static bool late(void)
{
	if (there() != 1)
		return false;
	for (int i = 0; i < 100 && there() == 1; i++)
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	return there() == 2 && right(1, NV_GSP_GET_STATIC_INFO);
}
static bool checksum(void)
{
	return there() == 2 && !whole(1);
}
static bool sequence_wrong(void)
{
	return there() == 2 && whole(1) && message(1)->sequence != 1;
}
static bool shorter(void)
{
	return there() == 2 && whole(1) && call_of(1)->bytes == sizeof(struct nv_gsp_rpc);
}
static bool longer(void)
{
	return there() == 2 && whole(1) && call_of(1)->bytes > 65536;
}
static bool empty(void)
{
	return there() == 2 && whole(1) && message(1)->pages == 0;
}
static bool pages(void)
{
	return there() == 2 && whole(1) && message(1)->pages > NV_GSP_ELEMENT_PAGES;
}
static bool header(void)
{
	return there() == 2 && whole(1) && call_of(1)->signature != NV_GSP_RPC_SIGNATURE;
}
static bool other_call(void)
{
	return there() == 2 && whole(1) && call_of(1)->function != NV_GSP_GET_STATIC_INFO;
}
static bool status(void)
{
	return there() == 2 && whole(1) && call_of(1)->result;
}
static bool pointer(void)
{
	return there() >= NV_GSP_QUEUE_ELEMENTS;
}
static bool flood(void)
{
	return there() == 2 && right(1, NV_GSP_GET_STATIC_INFO);
}
static bool ones(void)
{
	return there() == 1 && read32(NV_PGSP_MAILBOX0) == UINT32_MAX &&
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
	{"status", status},     {"pointer", pointer},
	{"flood", flood},       {"ones", ones},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static void one(size_t i)
{
	const uint16_t function_reset = 0x8000;
	char words[32], why[256];

	snprintf(words, sizeof(words), "%s@2", rows[i].name);
	if (!machine_open_with(words))
		return;
	talk();
	ok(right(0, NV_GSP_EVENT_INIT_DONE), "%s: the first message is right", words);
	ok(rows[i].seen(), "%s: the second is as it was told", words);
	card_write(card, CARD_CONFIG, NV_PCI_CAP_EXPRESS + 8, &function_reset, 2);
	uint32_t on = 6;

	card_write(card, CARD_CONFIG, 4, &on, 2);
	ok(read32(NV_PFB_WPR2_ADDR_HI) == 0, "%s: a function-level reset ends it", words);
	refused(NULL, "nothing is held against the driver");
	machine_close();
	snprintf(words, sizeof(words), "%s@", rows[i].name);
	ok(!card_create(&(struct card_options){.chip = "gh100", .vram_bytes = VRAM, .fault = words},
			why, sizeof(why)) &&
		   strstr(why, rows[i].name),
	   "'%s' is no fault, which is said with those that are", words);
}

static void rest(long milliseconds)
{
	nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

/* Interrupts, although nothing is pending: before it is booted none, then one after the other, then none. */
static void spurious(void)
{
	int fd = eventfd(0, EFD_NONBLOCK), given = dup(fd), seen = 0;
	uint64_t count;

	if (!machine_open_with("spurious"))
		return;
	card_set_irq_fds(card, CARD_MSI, 0, 1, &given);
	rest(20);
	ok(read(fd, &count, sizeof(count)) < 0, "spurious: a card that is not booted says nothing");
	talk();
	for (int i = 0; i < 2000 && seen < 5; i++, rest(1))
		seen += read(fd, &count, sizeof(count)) == sizeof(count);
	ok(seen == 5 && !read32(NV_VF_INTR_TOP),
	   "spurious: it interrupts and nothing is pending, time and again");
	ok(there() == 2 && right(0, NV_GSP_EVENT_INIT_DONE) && right(1, NV_GSP_GET_STATIC_INFO),
	   "spurious: all else is right");
	reset();
	while (read(fd, &count, sizeof(count)) == sizeof(count))
		;
	rest(20);
	ok(read(fd, &count, sizeof(count)) < 0, "spurious: a reset ends it");
	refused(NULL, "nothing is held against the driver");
	machine_close();
	close(fd);
}

/* Messages without end, as long as they are read; and there is always room for an answer. */
static void storm(void)
{
	struct nv_gsp_static_info info = {0};
	uint32_t events = 0, result = 0, function;
	bool answered = false;

	if (!machine_open_with("storm"))
		return;
	reset();
	boot();
	ok(answer(&result) == NV_GSP_EVENT_INIT_DONE, "storm: the first message is right");
	for (int i = 0; i < 4000 && events < 200; i++) {
		function = answer(&result);
		events += function > 0x1000;
		if (!function)
			rest(1);
	}
	ok(events == 200, "storm: it speaks without end");
	rest(100); /* nobody reads now */
	put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
	ring();
	while (!answered && (function = answer(&result)))
		answered = function == NV_GSP_GET_STATIC_INFO && !result;
	ok(answered, "storm: a call is answered all the same");
	refused(NULL, "nothing is held against the driver");
	machine_close();
}

/* How many reads of a register find the card after a reset, of at most so many? */
static uint32_t found(uint32_t most)
{
	uint32_t n = 0;

	reset();
	while (n < most && read32(NV_PMC_BOOT_0) != UINT32_MAX)
		n++;
	return n;
}

/* It falls off the bus at an access of a register, and is back after a reset. */
static void gone(void)
{
	if (!machine_open_with("gone@3"))
		return;
	reset();
	boot();
	ok(read32(NV_PGSP_MAILBOX0) == UINT32_MAX && !there(),
	   "gone@3: it is gone before it has booted");
	ok(found(9) == 2 && found(9) == 2,
	   "gone@3: the third access after each reset finds no card");
	refused(NULL, "nothing is held against the driver");
	machine_close();
	if (!machine_open_with("gone:2:3:3"))
		return;
	ok(found(20) == 1, "gone:2:3:3: first it is the second access");
	reset();
	reset();
	ok(found(20) == 4 && found(20) == 7 && found(20) == 20,
	   "then every third further; a reset of a card that was not used does not count");
	machine_close();
	if (!machine_open_with("gone:2:3:100"))
		return;
	ok(found(20) == 1 && found(3) == 3 && found(3) == 3 && found(3) == 3 && found(50) == 50,
	   "it is over when for three times there were not as many accesses");
	machine_close();
}

int main(void)
{
	for (size_t i = 0; i < ROWS; i++)
		one(i);
	gone();
	spurious();
	storm();
	/* Faults of the second message, two at a time; then none. */
	if (machine_open_with("sweep:14:2:7")) {
		bool good = true;

		for (size_t i = 0; i < ROWS; i += 2) {
			talk();
			good = good && right(0, NV_GSP_EVENT_INIT_DONE) && rows[i].seen();
		}
		ok(good, "a sweep has another fault in every boot");
		talk();
		ok(there() == 2 && right(0, NV_GSP_EVENT_INIT_DONE) &&
			   right(1, NV_GSP_GET_STATIC_INFO),
		   "then the card behaves");
		machine_close();
	}
	/* The last fault of the second message, then all of the third, which does not come. */
	if (machine_open_with("sweep:27:1:100")) {
		struct nv_gsp_static_info info = {0};

		for (size_t i = 0; i <= ROWS; i++)
			talk();
		talk();
		put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
		ring();
		put(NV_GSP_GET_STATIC_INFO, &info, sizeof(info));
		ring();
		ok(there() == 4 && right(2, NV_GSP_GET_STATIC_INFO) &&
			   right(3, NV_GSP_GET_STATIC_INFO),
		   "a sweep is over when there are no more messages");
		machine_close();
	}
	return tap_done();
}
