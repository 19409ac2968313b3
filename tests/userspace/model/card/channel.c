/* SPDX-License-Identifier: MIT */
/*
 * From a booted GSP to work that runs: objects of the resource manager, page tables, a channel, its
 * doorbell; semaphores, copies and kernels' faults; interrupts and events; and what the stand-in
 * refuses. The test is the driver, and page tables are written by hand.
 */
#include <poll.h>
#include <sys/eventfd.h>

#include "hw/nv/copy.h"
#include "tests/userspace/model/card/_driver.h"

/* Method streams. */
static uint32_t stream_words;

static void method(uint32_t subchannel, uint32_t method, uint32_t count, const uint32_t *values)
{
	uint32_t *to = data_at(STREAM);

	to[stream_words++] = 1u << 29 | count << 16 | subchannel << 13 | method >> 2;
	memcpy(to + stream_words, values, 4 * count);
	stream_words += count;
}
static void semaphore(uint64_t va, uint32_t payload)
{
	method(0, NV_HOST_SEM_ADDR_LO, 5,
	       (uint32_t[]){(uint32_t)va, (uint32_t)(va >> 32), payload, 0,
			    NV_SEM_RELEASE | NV_SEM_RELEASE_TIMESTAMP});
}
static void copy(uint64_t from, uint64_t to, uint32_t bytes)
{
	method(4, NV_HOST_SET_OBJECT, 1, (uint32_t[]){NV_CLASS_HOPPER_COPY});
	method(4, NV_COPY_SRC_HIGH, 4,
	       (uint32_t[]){(uint32_t)(from >> 32), (uint32_t)from, (uint32_t)(to >> 32),
			    (uint32_t)to});
	method(4, NV_COPY_LINE_BYTES, 1, &bytes);
	method(4, NV_COPY_LAUNCH, 1,
	       (uint32_t[]){NV_COPY_TRANSFER_PIPELINED | NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR});
}
/* Ends the stream and hands it to the channel. */
static void submit(void)
{
	uint32_t put = *(uint32_t *)(vram + USERD + NV_USERD_GP_PUT);
	uint64_t *entries = data_at(RING);

	entries[put] = nv_gp_entry_pack(VA + STREAM, stream_words);
	stream_words = 0;
	__atomic_store_n((uint32_t *)(vram + USERD + NV_USERD_GP_PUT), (put + 1) % RING_ENTRIES,
			 __ATOMIC_RELEASE);
	write32(NV_VF_DOORBELL, NV_DOORBELL(1, CHANNEL_ID));
}
/* Each of these must be an error for the driver and a refusal that says what it was. */
static void expect(uint32_t got, uint32_t want, const char *words, const char *promise)
{
	if (!ok(got == want, "%s is an error", promise))
		diag("status 0x%x instead of 0x%x", got, want);
	refused(words, promise);
}

static void runs(void)
{
	struct rm_token token = {99};
	uint32_t *target = data_at(TARGET), *system = at(SYSTEM);

	start();
	ok(!make_device(), "client, device and subdevice are made");
	ok(!make_space(), "so are a VA space and its page directory");
	ok(!start_channel(), "a channel is made, bound and scheduled");
	ok(!control(CHANNEL, RM_CONTROL_TOKEN, &token, sizeof(token)) && token.token == CHANNEL_ID,
	   "its token is its id");
	semaphore(VA + SEMAPHORE, 1234);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1234), "a semaphore in video memory is released");
	ok(wait_for(vram + USERD + NV_USERD_GP_GET, 1), "get follows put");
	uint64_t stamp = *(uint64_t *)((uint8_t *)data_at(SEMAPHORE) + 8),
		 now = read32(NV_PTIMER_TIME_1);

	now = now << 32 | read32(NV_PTIMER_TIME_0);
	ok(stamp && now >= stamp - 64 && now - stamp < 60000000000ull, "its time is the card's");
	semaphore(SYSTEM_VA + 16, 77);
	submit();
	ok(wait_for(system + 4, 77), "so is one in the machine's memory");
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)data_at(SOURCE))[i] = i * 2654435761u;
	copy(VA + SOURCE, VA + TARGET, 4096);
	copy(VA + TARGET, SYSTEM_VA, 16);
	semaphore(VA + SEMAPHORE, 1235);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1235) && !memcmp(target, data_at(SOURCE), 4096) &&
		   system[3] == 3 * 2654435761u,
	   "copies have the right bytes");
	ok(!release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	refused(NULL, "none of it is refused");
}

/* Interrupts: the copy engine's non-stall vector, which the table names. */
static uint32_t find_vector(uint32_t unit, bool stall)
{
	struct rm_interrupts table = {0};

	control(SUBDEVICE, RM_CONTROL_INTERRUPTS, &table, sizeof(table));
	for (uint32_t i = 0; i < table.count; i++)
		if (table.list[i].unit == unit)
			return stall ? table.list[i].stall : table.list[i].non_stall;
	return RM_VECTOR_NONE;
}
static bool told(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t count;

	return poll(&p, 1, 10000) == 1 && read(fd, &count, sizeof(count)) == sizeof(count);
}
static bool quiet(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

static void interrupts(void)
{
	int fd = eventfd(0, EFD_NONBLOCK), given = dup(fd);

	start();
	make_device();
	make_space();
	start_channel();
	card_set_irq_fds(card, CARD_MSI, 0, 1, &given);
	uint32_t vector = find_vector(RM_UNIT_COPY0 + 2, false),
		 gsp = find_vector(RM_UNIT_GSP, true);

	ok(vector < 256 && gsp < 256, "the table names vectors");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	semaphore(VA + SEMAPHORE, 1);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1) && quiet(fd),
	   "an interrupt that is not enabled tells nobody");
	ok(read32(NV_VF_INTR_LEAF(vector / 32)) >> vector % 32 & 1, "but is pending");
	write32(NV_VF_INTR_LEAF_ENABLE(vector / 32), 1u << vector % 32);
	ok(quiet(fd) && read32(NV_VF_INTR_TOP) == 1u << vector / 64,
	   "enabled in its leaf it shows in the top");
	write32(NV_VF_INTR_TOP_ENABLE, 0xff);
	ok(told(fd), "enabled there, too, the machine is told");
	write32(NV_VF_INTR_TOP_DISABLE, 0xff);
	write32(NV_VF_INTR_LEAF(vector / 32), 1u << vector % 32);
	write32(NV_VF_INTR_TOP_ENABLE, 0xff);
	ok(quiet(fd) && !read32(NV_VF_INTR_TOP), "acknowledged it is over");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	submit();
	ok(told(fd), "the next one tells again");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	semaphore(VA + SEMAPHORE, 2);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 2) && quiet(fd),
	   "while it is pending nothing is told twice");
	write32(NV_VF_INTR_LEAF(vector / 32), 1u << vector % 32);
	write32(NV_VF_INTR_LEAF_ENABLE(gsp / 32), 1u << gsp % 32);
	ok(told(fd) && read32(NV_PGSP_IRQSTAT) & NV_PGSP_IRQ_SWGEN0,
	   "messages of the GSP have their own interrupt");
	write32(NV_PGSP_IRQSCLR, NV_PGSP_IRQ_SWGEN0);
	write32(NV_VF_INTR_LEAF(gsp / 32), 1u << gsp % 32);
	struct rm_token token;

	control(CHANNEL, RM_CONTROL_TOKEN, &token, sizeof(token));
	ok(told(fd), "and the next message has one again");
	ok(!release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	card_clear_irq_fds(card, CARD_MSI);
	close(fd);
	refused(NULL, "none of it is refused");
}

/* Page tables are read when a page is needed and kept until the driver says otherwise. */
static void translations(void)
{
	start();
	make_device();
	make_space();
	start_channel();
	uint64_t *pte = (uint64_t *)(vram + TABLES + 0x8000);

	semaphore(SYSTEM_VA, 1);
	submit();
	wait_for(at(SYSTEM), 1);
	pte[1] = (MACHINE + SYSTEM + 0x1000) | NV_MMU3_VALID | NV_MMU3_PTE_COHERENT |
		 NV_MMU3_PCF_REGULAR;
	semaphore(SYSTEM_VA + 0x1000, 2);
	submit();
	ok(wait_for(at(SYSTEM + 0x1000), 2),
	   "a page that was not there is found without an invalidation");
	/* One stream that uses a page before and after the change, and waits in between. */
	*(uint32_t *)data_at(SEMAPHORE) = 0;
	semaphore(SYSTEM_VA, 3);
	method(0, NV_HOST_SEM_ADDR_LO, 5,
	       (uint32_t[]){(uint32_t)VA + SEMAPHORE, 0, 1, 0, NV_SEM_ACQUIRE});
	semaphore(SYSTEM_VA, 4);
	submit();
	wait_for(at(SYSTEM), 3);
	pte[0] = (MACHINE + SYSTEM + 0x2000) | NV_MMU3_VALID | NV_MMU3_PTE_COHERENT |
		 NV_MMU3_PCF_REGULAR;
	invalidate();
	__atomic_store_n((uint32_t *)data_at(SEMAPHORE), 1, __ATOMIC_RELEASE);
	ok(wait_for(at(SYSTEM + 0x2000), 4), "after an invalidation the new page is used");
	ok(*(uint32_t *)at(SYSTEM) == 3, "and the old one no more");
	ok(!release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	refused(NULL, "none of it is refused");
	start();
	make_device();
	make_space();
	pte[0] = (MACHINE + BYTES) | NV_MMU3_VALID | NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR;
	invalidate();
	refused("a mapped page",
		"a page of memory that was never dma_maps is refused at the invalidation");
}

static void faults(void)
{
	struct rm_schedule schedule = {.enable = 1};

	start();
	refused("page directory still set", "what the last driver did not free is noticed");
	make_device();
	make_space();
	start_channel();
	semaphore(VA + (4 << 20), 1);
	submit();
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.engine == RM_ENGINE_COPY0 + 2 && rc.fault_low == (uint32_t)(VA + (4 << 20)) &&
		   rc.fault_type == 2,
	   "a fault names channel, engine and address");
	ok(fault_events == 1 && log_events == 1,
	   "that there is one, and a line for the log, come before it");
	semaphore(VA + SEMAPHORE, 4321);
	submit();
	ok(control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570) != 0,
	   "the channel stays stopped");
	refused(NULL, "to schedule it is no driver's mistake, which may not have heard yet");
	ok(*(uint32_t *)data_at(SEMAPHORE) != 4321, "nothing more was run");
	ok(!release(CHANNEL) && !start_channel(), "its successor lives");
	semaphore(VA + SEMAPHORE, 4322);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 4322), "and runs");
	method(1, NV_HOST_SET_OBJECT, 1, (uint32_t[]){0xcbc0});
	submit();
	rc = wait_for_rc();
	ok(rc.type == NV_XID_CLASS_ERROR && !rc.fault_low && !fault_events && log_events == 1,
	   "a copy engine knows no compute class");
	release(CHANNEL);
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {p.engine};

	p.ring = VA + (4 << 20);
	memset(vram + USERD, 0, NV_USERD_BYTES);
	ok(!make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)) &&
		   !control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570),
	   "a channel whose ring is not mapped is scheduled");
	submit();
	rc = wait_for_rc();
	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.fault_low == (uint32_t)p.ring,
	   "to read it is the fault");
	ok(!release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	refused(NULL, "what channels do wrong is no driver's mistake");
}

/* What a page's entry forbids, and that a big page's entry can hide small ones. */
static void rights(void)
{
	static const struct {
		const char *what;
		uint64_t bits;
		uint32_t type;
	} rows[] = {
		{"a read-only page", NV_MMU3_PCF_READ_ONLY, 6},
		{"a privileged page", NV_MMU3_PCF_PRIVILEGED, 5},
	};
	uint64_t *pte = (uint64_t *)(vram + TABLES + 0x8000);

	start();
	make_device();
	make_space();
	for (uint32_t i = 0; i < 2; i++) {
		*pte |= rows[i].bits;
		start_channel();
		semaphore(SYSTEM_VA, 1);
		submit();
		struct nv_gsp_rc rc = wait_for_rc();

		ok(rc.type == NV_XID_MMU_FAULT && rc.fault_low == SYSTEM_VA &&
			   rc.fault_type == rows[i].type,
		   "a release into %s is a fault that says why", rows[i].what);
		release(CHANNEL);
		*pte &= ~rows[i].bits;
	}
	uint64_t big = TABLES + 0x9000;

	*(uint64_t *)(vram + big) = NV_MMU3_PCF_NO_SMALL;
	slot(SYSTEM_VA)[0] = big | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	invalidate();
	start_channel();
	semaphore(SYSTEM_VA, 1);
	submit();
	ok(wait_for_rc().fault_type == 2, "a big page that says there is no small one is believed");
	release(CHANNEL);
	*(uint64_t *)(vram + big) = 0;
	start_channel();
	semaphore(SYSTEM_VA, 999);
	submit();
	ok(wait_for(at(SYSTEM), 999), "one that says nothing leaves it to the small one");
	ok(!release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	refused(NULL, "none of it is refused");
}

/* A semaphore that never comes holds a channel for ever, and two of a group end together. */
static void groups(void)
{
	struct rm_channel_group_parameters group = {.va_space = SPACE,
						    .engine = RM_ENGINE_COPY0 + 2};
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {RM_ENGINE_COPY0 + 2};
	struct rm_schedule schedule = {.enable = 1};
	struct nv_notification *notifier = data_at(0x40000);

	start();
	make_device();
	make_space();
	memset(vram + USERD, 0, 2 * NV_USERD_BYTES);
	memset(notifier, 0, sizeof(*notifier));
	ok(!make(DEVICE, GROUP, RM_CLASS_CHANNEL_GROUP, &group, sizeof(group)), "a group is made");
	p.va_space = 0;
	ok(!make(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "a channel in it has its VA space");
	p.flags = RM_CHANNEL_ID(CHANNEL_ID + 1);
	p.userd.base += NV_USERD_BYTES;
	p.internal_flags |= 3u << 2;
	p.notifier_memory = (struct rm_memory_description){DATA + 0x40000, 16, RM_SPACE_VRAM, 1};
	ok(!make(GROUP, OTHER, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)), "so has a second");
	ok(!control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !control(OTHER, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !control(GROUP, RM_CONTROL_SCHEDULE, &schedule, RM_SCHEDULE_BYTES_570),
	   "both are scheduled at once");
	ok(release(GROUP) != 0, "a group with channels is not freed");
	refused("hang below", "and is refused");
	semaphore(VA + (4 << 20), 1);
	submit();
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.channel == CHANNEL_ID && rc.scope == NV_GSP_RC_GROUP,
	   "one fails, and the group with it");
	ok(wait_for(&notifier->info32, NV_XID_MMU_FAULT) && notifier->status == 0xffff,
	   "the other's notifier says so");
	ok(!release(CHANNEL) && !release(OTHER) && !release(GROUP), "all are freed");
	ok(!start_channel(), "a channel without a group is made");
	method(0, NV_HOST_SEM_ADDR_LO, 5,
	       (uint32_t[]){(uint32_t)VA + SEMAPHORE, 0, 999, 0, NV_SEM_ACQUIRE});
	submit();
	ok(!release(CHANNEL), "it waits for what never comes, and is freed");
	ok(!end_all(), "everything is freed");
	stop();
	refused(NULL, "none of it is refused");
}

static void wrong_objects(void)
{
	struct rm_va_space_parameters space = {.flags = RM_VA_SPACE_EXTERNAL};
	struct rm_set_directory directory = {.address = VRAM, .entries = 2, .va_space = SPACE};
	struct rm_channel_parameters p;
	struct rm_schedule schedule = {.enable = 1};
	uint32_t word = 0;

	start();
	make_device();
	expect(make(DEVICE, 1, 0x1234, NULL, 0), NV_STATUS_INVALID_CLASS, "no such class",
	       "an unknown class");
	expect(make(DEVICE, SPACE, RM_CLASS_VA_SPACE, &space, 56), NV_STATUS_INVALID_PARAM_STRUCT,
	       "another size", "a parameter block of another version");
	expect(make(0x77, SPACE, RM_CLASS_VA_SPACE, &space, 48), NV_STATUS_INVALID_OBJECT_PARENT,
	       "no such parent", "a parent that is not there");
	expect(make(CLIENT, SPACE, RM_CLASS_VA_SPACE, &space, 48), NV_STATUS_INVALID_OBJECT_PARENT,
	       "does not belong", "a parent of the wrong class");
	expect(make(DEVICE, SUBDEVICE, RM_CLASS_VA_SPACE, &space, 48), NV_STATUS_DUPLICATE_NAME,
	       "taken", "a handle that is taken");
	expect(control(SUBDEVICE, 0x20801234, &word, 4), NV_STATUS_NOT_SUPPORTED, "0x20801234",
	       "an unknown control");
	expect(control(0x77, RM_CONTROL_GPCS, &word, 4), NV_STATUS_INVALID_OBJECT_HANDLE,
	       "no such object", "a control of nothing");
	expect(control(SUBDEVICE, RM_CONTROL_GPCS, &word, 0), NV_STATUS_INVALID_PARAM_STRUCT,
	       "0 bytes", "a control without its parameters");
	make(DEVICE, SPACE, RM_CLASS_VA_SPACE, &space, 48);
	expect(control(DEVICE, RM_CONTROL_SET_DIRECTORY, &directory, sizeof(directory)),
	       NV_STATUS_INVALID_ARGUMENT, "page directory at",
	       "a page directory outside video memory");
	expect(release(DEVICE), NV_STATUS_INVALID_STATE, "hang below",
	       "a free of what has children");
	expect(release(0x77), NV_STATUS_OBJECT_NOT_FOUND, "none to free", "a free of nothing");
	map_all();
	directory.address = TABLES;
	control(DEVICE, RM_CONTROL_SET_DIRECTORY, &directory, sizeof(directory));
	p = channel_parameters();
	p.userd.base = VRAM - 512;
	expect(make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "USERD", "USERD in protected memory");
	p = channel_parameters();
	p.userd = (struct rm_memory_description){MACHINE + BYTES, 512, RM_SPACE_SYSTEM, 0};
	expect(make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "USERD", "USERD in memory that was never dma_maps");
	p = channel_parameters();
	p.engine = 42;
	expect(make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "no such engine",
	       "a channel of an engine that is not there");
	p = channel_parameters();
	make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p));
	expect(make(DEVICE, OTHER, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "its id is taken", "a channel with another's id");
	expect(control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570),
	       NV_STATUS_INVALID_STATE, "bound to no engine", "a schedule without a bind");
	expect(release(SPACE), NV_STATUS_INVALID_STATE, "use it",
	       "a free of a VA space with channels");
	stop();
	refused("never freed", "an unload with objects left is refused");
}

/* Compute needs a context. */
static void context(void)
{
	struct rm_channel_parameters p = channel_parameters();
	struct rm_promote promote = promotion();

	start();
	make_device();
	make_space();
	p.engine = RM_ENGINE_GRAPHICS;
	ok(!make(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "a channel of the graphics engine is made");
	expect(make(CHANNEL, COPIER, 0xcbc0, NULL, 0), NV_STATUS_INVALID_STATE, "context buffer 0",
	       "compute without a context");
	promote.list[3].virtual = VA + (4 << 20);
	expect(control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	       NV_STATUS_INVALID_ARGUMENT, "not mapped", "a context buffer that is not mapped");
	promote.list[3].virtual = VA;
	promote.list[0].bytes = 0x1000;
	expect(control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	       NV_STATUS_INVALID_ARGUMENT, "4096 bytes", "a context buffer that is too small");
	promote.list[0].bytes = 2 << 20;
	ok(!control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	   "context buffers are promoted");
	ok(!make(CHANNEL, COPIER, 0xcbc0, NULL, 0), "then there is compute");
	ok(!release(COPIER) && !release(CHANNEL) && !end_all(), "everything is freed");
	stop();
	refused(NULL, "nothing else is refused");
}

int main(void)
{
	if (machine_open()) {
		struct card_region r = card_region(card, NV_PCI_BAR_VRAM);

		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
		runs();
		interrupts();
		translations();
		faults();
		rights();
		groups();
		context();
		wrong_objects();
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
