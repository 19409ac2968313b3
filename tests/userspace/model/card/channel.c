// SPDX-License-Identifier: MIT
/* From a booted GSP to work that runs: RM objects, page tables, a channel and its doorbell;
 * semaphores, copies and faults; interrupts and events; and calls that the GSP rejects. The test is
 * the driver and writes page tables by hand. */
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
/* Ends the stream and submits it to the channel. */
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
/* The call must fail with this status, and the card must refuse it with these words. */
static void expect(uint32_t got, uint32_t want, const char *words, const char *promise)
{
	if (!ok(got == want, "%s returns an error", promise))
		diag("status 0x%x instead of 0x%x", got, want);
	refused(words, promise);
}

static void channel_runs(void)
{
	struct rm_token token = {99};
	uint32_t *target = data_at(TARGET), *system = at(SYSTEM);

	boot_gsp();
	ok(!make_device(), "channel: client, device and subdevice are allocated");
	ok(!make_space(), "channel: a VA space is allocated and its page directory set");
	ok(!start_channel(), "channel: a channel is allocated, bound and scheduled");
	ok(!rm_control(CHANNEL, RM_CONTROL_TOKEN, &token, sizeof(token)) &&
		   token.token == CHANNEL_ID,
	   "channel: its work submit token is its id");
	semaphore(VA + SEMAPHORE, 1234);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1234), "channel: a semaphore in video memory is released");
	ok(wait_for(vram + USERD + NV_USERD_GP_GET, 1), "channel: GET follows PUT");
	uint64_t stamp = *(uint64_t *)((uint8_t *)data_at(SEMAPHORE) + 8),
		 now = read32(NV_PTIMER_TIME_1);

	now = now << 32 | read32(NV_PTIMER_TIME_0);
	ok(stamp && now >= stamp - 64 && now - stamp < 60000000000ull,
	   "channel: the semaphore's timestamp is the card's time");
	semaphore(SYSTEM_VA + 16, 77);
	submit();
	ok(wait_for(system + 4, 77), "channel: a semaphore in the machine's memory is released");
	for (uint32_t i = 0; i < 1024; i++)
		((uint32_t *)data_at(SOURCE))[i] = i * 2654435761u;
	copy(VA + SOURCE, VA + TARGET, 4096);
	copy(VA + TARGET, SYSTEM_VA, 16);
	semaphore(VA + SEMAPHORE, 1235);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1235) && !memcmp(target, data_at(SOURCE), 4096) &&
		   system[3] == 3 * 2654435761u,
	   "channel: a copy engine copy has the right bytes");
	ok(!rm_free(CHANNEL) && !free_all(), "channel: all objects are freed");
	unload_gsp();
	refused(NULL, "channel: a correct driver is not refused anything");
}

/* Interrupts: the copy engine's non-stall vector from the interrupt table. */
static uint32_t find_vector(uint32_t unit, bool stall)
{
	struct rm_interrupts table = {0};

	rm_control(SUBDEVICE, RM_CONTROL_INTERRUPTS, &table, sizeof(table));
	for (uint32_t i = 0; i < table.count; i++)
		if (table.list[i].unit == unit)
			return stall ? table.list[i].stall : table.list[i].non_stall;
	return RM_VECTOR_NONE;
}
static bool msi_received(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t count;

	return poll(&p, 1, 10000) == 1 && read(fd, &count, sizeof(count)) == sizeof(count);
}
static bool no_msi(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

static void interrupts(void)
{
	int fd = eventfd(0, EFD_NONBLOCK), given = dup(fd);

	boot_gsp();
	make_device();
	make_space();
	start_channel();
	card_set_irq_fds(card, CARD_MSI, 0, 1, &given);
	uint32_t vector = find_vector(RM_UNIT_COPY0 + 2, false),
		 gsp = find_vector(RM_UNIT_GSP, true);

	ok(vector < 256 && gsp < 256,
	   "interrupt: the interrupt table lists the copy engine's and the GSP's vector");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	semaphore(VA + SEMAPHORE, 1);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 1) && no_msi(fd),
	   "interrupt: a disabled interrupt sends no MSI");
	ok(read32(NV_VF_INTR_LEAF(vector / 32)) >> vector % 32 & 1,
	   "interrupt: a disabled interrupt is pending");
	write32(NV_VF_INTR_LEAF_ENABLE(vector / 32), 1u << vector % 32);
	ok(no_msi(fd) && read32(NV_VF_INTR_TOP) == 1u << vector / 64,
	   "interrupt: enabled in its leaf it is visible in the top");
	write32(NV_VF_INTR_TOP_ENABLE, 0xff);
	ok(msi_received(fd), "interrupt: enabled in leaf and top it sends an MSI");
	write32(NV_VF_INTR_TOP_DISABLE, 0xff);
	write32(NV_VF_INTR_LEAF(vector / 32), 1u << vector % 32);
	write32(NV_VF_INTR_TOP_ENABLE, 0xff);
	ok(no_msi(fd) && !read32(NV_VF_INTR_TOP),
	   "interrupt: an acknowledged interrupt is not pending");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	submit();
	ok(msi_received(fd), "interrupt: the next interrupt sends an MSI again");
	method(0, NV_HOST_NON_STALL_INTERRUPT, 1, (uint32_t[]){0});
	semaphore(VA + SEMAPHORE, 2);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 2) && no_msi(fd),
	   "interrupt: no second MSI is sent while the first is pending");
	write32(NV_VF_INTR_LEAF(vector / 32), 1u << vector % 32);
	write32(NV_VF_INTR_LEAF_ENABLE(gsp / 32), 1u << gsp % 32);
	ok(msi_received(fd) && read32(NV_PGSP_IRQSTAT) & NV_PGSP_IRQ_SWGEN0,
	   "interrupt: messages of the GSP raise its own vector");
	write32(NV_PGSP_IRQSCLR, NV_PGSP_IRQ_SWGEN0);
	write32(NV_VF_INTR_LEAF(gsp / 32), 1u << gsp % 32);
	struct rm_token token;

	rm_control(CHANNEL, RM_CONTROL_TOKEN, &token, sizeof(token));
	ok(msi_received(fd), "interrupt: the next message of the GSP raises it again");
	ok(!rm_free(CHANNEL) && !free_all(), "interrupt: all objects are freed");
	unload_gsp();
	card_clear_irq_fds(card, CARD_MSI);
	close(fd);
	refused(NULL, "interrupt: a correct driver is not refused anything");
}

/* Engines walk page tables on a miss and cache translations until the driver invalidates. */
static void translations(void)
{
	boot_gsp();
	make_device();
	make_space();
	start_channel();
	uint64_t *pte = (uint64_t *)(vram + TABLES + 0x8000);

	semaphore(SYSTEM_VA, 1);
	submit();
	wait_for(at(SYSTEM), 1);
	pte[1] = (MACHINE + SYSTEM + 0x1000) | NV_MMU3_VALID | SYSTEM_PAGE;
	semaphore(SYSTEM_VA + 0x1000, 2);
	submit();
	ok(wait_for(at(SYSTEM + 0x1000), 2),
	   "TLB: a newly mapped page is found without an invalidate");
	/* One stream that uses a page before and after the change, and waits in between. */
	*(uint32_t *)data_at(SEMAPHORE) = 0;
	semaphore(SYSTEM_VA, 3);
	method(0, NV_HOST_SEM_ADDR_LO, 5,
	       (uint32_t[]){(uint32_t)VA + SEMAPHORE, 0, 1, 0, NV_SEM_ACQUIRE});
	semaphore(SYSTEM_VA, 4);
	submit();
	wait_for(at(SYSTEM), 3);
	pte[0] = (MACHINE + SYSTEM + 0x2000) | NV_MMU3_VALID | SYSTEM_PAGE;
	invalidate();
	__atomic_store_n((uint32_t *)data_at(SEMAPHORE), 1, __ATOMIC_RELEASE);
	write32(NV_VF_MMU_INVALIDATE, NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA);
	ok(read32(NV_VF_MMU_INVALIDATE) & NV_VF_MMU_INVALIDATE_TRIGGER,
	   "TLB: an invalidate takes a while");
	write32(NV_VF_MMU_INVALIDATE, NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA);
	refused("another is under way", "TLB: an invalidate while another is under way is refused");
	wait_for_bits(NV_VF_MMU_INVALIDATE, ~0u, 0);
	ok(wait_for(at(SYSTEM + 0x2000), 4), "TLB: after an invalidate the new page is used");
	ok(*(uint32_t *)at(SYSTEM) == 3, "TLB: after an invalidate the old page is not written");
	ok(!rm_free(CHANNEL) && !free_all(), "TLB: all objects are freed");
	unload_gsp();
	refused(NULL, "TLB: a correct driver is not refused anything");
	boot_gsp();
	make_device();
	make_space();
	pte[0] = (MACHINE + SYSTEM) | NV_MMU3_VALID | NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR;
	invalidate();
	refused("system memory as cached",
		"TLB: a page of the machine's memory that the GPU may cache is refused");
	pte[0] = (MACHINE + BYTES) | NV_MMU3_VALID | SYSTEM_PAGE;
	invalidate();
	refused("a mapped page",
		"TLB: a page of memory that is not mapped for DMA is refused at the invalidate");
}

static void faults(void)
{
	struct rm_schedule schedule = {.enable = 1};

	boot_gsp();
	refused("page directory still set",
		"fault: a page directory that the previous driver left set is refused");
	make_device();
	make_space();
	start_channel();
	semaphore(VA + (4 << 20), 1);
	submit();
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.engine == RM_ENGINE_COPY0 + 2 && rc.fault_low == (uint32_t)(VA + (4 << 20)) &&
		   rc.fault_type == 2,
	   "fault: an MMU fault event names channel, engine and address");
	ok(fault_events == 1 && log_events == 1,
	   "fault: an MMU fault event and a log event precede the RC event");
	semaphore(VA + SEMAPHORE, 4321);
	submit();
	ok(rm_control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570) != 0,
	   "fault: a failed channel cannot be scheduled again");
	refused(NULL, "fault: scheduling a failed channel does not count against the driver");
	ok(*(uint32_t *)data_at(SEMAPHORE) != 4321,
	   "fault: a failed channel executes nothing more");
	ok(!rm_free(CHANNEL) && !start_channel(),
	   "fault: a new channel can be allocated after a failed one");
	semaphore(VA + SEMAPHORE, 4322);
	submit();
	ok(wait_for(data_at(SEMAPHORE), 4322), "fault: the new channel runs");
	method(1, NV_HOST_SET_OBJECT, 1, (uint32_t[]){0xcbc0});
	submit();
	rc = wait_for_rc();
	ok(rc.type == NV_XID_CLASS_ERROR && !rc.fault_low && !fault_events && log_events == 1,
	   "fault: binding the compute class on a copy engine is a class error");
	rm_free(CHANNEL);
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {p.engine};

	p.ring = VA + (4 << 20);
	memset(vram + USERD, 0, NV_USERD_BYTES);
	ok(!rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)) &&
		   !rm_control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !rm_control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule,
			       RM_SCHEDULE_BYTES_570),
	   "fault: a channel with an unmapped ring can be scheduled");
	submit();
	rc = wait_for_rc();
	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.fault_low == (uint32_t)p.ring,
	   "fault: reading the unmapped ring is an MMU fault");
	ok(!rm_free(CHANNEL) && !free_all(), "fault: all objects are freed");
	unload_gsp();
	refused(NULL, "fault: errors of channels do not count against the driver");
}

/* Page permissions, and big-page entries that hide small pages. */
static void permissions(void)
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

	boot_gsp();
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
		   "permissions: a release into %s faults with its fault type", rows[i].what);
		rm_free(CHANNEL);
		*pte &= ~rows[i].bits;
	}
	uint64_t big = TABLES + 0x9000;

	*(uint64_t *)(vram + big) = NV_MMU3_PCF_NO_SMALL;
	pte_slot(SYSTEM_VA)[0] = big | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	invalidate();
	start_channel();
	semaphore(SYSTEM_VA, 1);
	submit();
	ok(wait_for_rc().fault_type == 2,
	   "permissions: a big-page entry marked invalid hides the small page");
	rm_free(CHANNEL);
	*(uint64_t *)(vram + big) = 0;
	start_channel();
	semaphore(SYSTEM_VA, 999);
	submit();
	ok(wait_for(at(SYSTEM), 999),
	   "permissions: an empty big-page entry falls back to the small page");
	ok(!rm_free(CHANNEL) && !free_all(), "permissions: all objects are freed");
	unload_gsp();
	refused(NULL, "permissions: a correct driver is not refused anything");
}

/* A semaphore acquire that never succeeds blocks a channel, and two channels of a group fail
 * together. */
static void groups(void)
{
	struct rm_channel_group_parameters group = {.va_space = SPACE,
						    .engine = RM_ENGINE_COPY0 + 2};
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {RM_ENGINE_COPY0 + 2};
	struct rm_schedule schedule = {.enable = 1};
	struct nv_notification *notifier = data_at(0x40000);

	boot_gsp();
	make_device();
	make_space();
	memset(vram + USERD, 0, 2 * NV_USERD_BYTES);
	memset(notifier, 0, sizeof(*notifier));
	ok(!rm_alloc(DEVICE, GROUP, RM_CLASS_CHANNEL_GROUP, &group, sizeof(group)),
	   "group: a channel group is allocated");
	p.va_space = 0;
	ok(!rm_alloc(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "group: a channel inherits the group's VA space");
	p.flags = RM_CHANNEL_ID(CHANNEL_ID + 1);
	p.userd.base += NV_USERD_BYTES;
	p.internal_flags |= 3u << 2;
	p.notifier_memory = (struct rm_memory_description){DATA + 0x40000, 16, RM_SPACE_VRAM, 1};
	ok(!rm_alloc(GROUP, OTHER, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "group: a second channel inherits it, too");
	ok(!rm_control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !rm_control(OTHER, RM_CONTROL_BIND, &bind, sizeof(bind)) &&
		   !rm_control(GROUP, RM_CONTROL_SCHEDULE, &schedule, RM_SCHEDULE_BYTES_570),
	   "group: both channels are bound and the group is scheduled");
	ok(rm_free(GROUP) != 0, "group: freeing a group with channels returns an error");
	refused("children", "group: freeing a group with channels is refused");
	semaphore(VA + (4 << 20), 1);
	submit();
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.channel == CHANNEL_ID && rc.scope == NV_GSP_RC_GROUP,
	   "group: a fault of one channel stops the group");
	ok(wait_for(&notifier->info32, NV_XID_MMU_FAULT) && notifier->status == 0xffff,
	   "group: the fault fills the notifier of the other channel");
	ok(!rm_free(CHANNEL) && !rm_free(OTHER) && !rm_free(GROUP),
	   "group: all channels and the group are freed");
	ok(!start_channel(), "group: a channel without a group is allocated");
	method(0, NV_HOST_SEM_ADDR_LO, 5,
	       (uint32_t[]){(uint32_t)VA + SEMAPHORE, 0, 999, 0, NV_SEM_ACQUIRE});
	submit();
	ok(!rm_free(CHANNEL), "group: a channel that waits in an endless acquire can be freed");
	ok(!free_all(), "group: all objects are freed");
	unload_gsp();
	refused(NULL, "group: a correct driver is not refused anything");
}

/* What RM refuses of channels in a group, and of the golden context. */
static void wrong_groups(void)
{
	struct rm_channel_group_parameters group = {.va_space = SPACE,
						    .engine = RM_ENGINE_COPY0 + 2};
	struct rm_channel_parameters p = channel_parameters(), other;
	struct rm_promote promote = promotion();

	boot_gsp();
	make_device();
	make_space();
	rm_alloc(DEVICE, GROUP, RM_CLASS_CHANNEL_GROUP, &group, sizeof(group));
	expect(rm_alloc(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "may not name a VA space",
	       "allocating a channel of a group with a VA space");
	p.va_space = 0;
	ok(!rm_alloc(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "group: a channel without one is allocated");
	other = p;
	other.flags = RM_CHANNEL_ID(CHANNEL_ID + 1);
	other.userd.base += NV_USERD_BYTES;
	other.method_buffer.base += 0x5000;
	expect(rm_alloc(GROUP, OTHER, NV_CLASS_HOPPER_CHANNEL, &other, sizeof(other)),
	       NV_STATUS_INVALID_ARGUMENT, "method buffer",
	       "allocating a channel with another method buffer than its group's");
	ok(!rm_free(CHANNEL), "group: its only channel is freed");
	expect(rm_alloc(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_STATE, "last channel",
	       "allocating a channel in a group that has lost its last one");
	ok(!rm_free(GROUP), "group: the group is freed");
	group.engine = p.engine = RM_ENGINE_COPY0 + 2;
	p.method_buffer.base = MACHINE + BYTES;
	rm_alloc(DEVICE, GROUP, RM_CLASS_CHANNEL_GROUP, &group, sizeof(group));
	rm_alloc(GROUP, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p));
	rm_free(CHANNEL);
	refused(NULL, "group: its method buffer may be gone before its channels are scheduled");
	rm_free(GROUP);
	refused("method buffer of a channel group that is freed",
		"group: a method buffer that is gone before its group is refused");
	start_channel_of(RM_ENGINE_GRAPHICS);
	rm_control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote));
	expect(rm_alloc(CHANNEL, COPIER, RM_CLASS_HOPPER_3D, NULL, 0), NV_STATUS_INVALID_ARGUMENT,
	       "not managed by RM", "building the golden context in a VA space of the driver");
	ok(!rm_free(CHANNEL) && !free_all(), "group: all objects are freed");
	unload_gsp();
}

static void wrong_objects(void)
{
	struct rm_va_space_parameters space = {.flags = RM_VA_SPACE_EXTERNAL};
	struct rm_set_directory directory = {.address = VRAM, .entries = 2, .va_space = SPACE};
	struct rm_channel_parameters p;
	struct rm_schedule schedule = {.enable = 1};
	uint32_t word = 0;

	boot_gsp();
	make_device();
	expect(rm_alloc(DEVICE, 1, 0x1234, NULL, 0), NV_STATUS_INVALID_CLASS, "no such class",
	       "allocating an unknown class");
	expect(rm_alloc(DEVICE, SPACE, RM_CLASS_VA_SPACE, &space, 56),
	       NV_STATUS_INVALID_PARAM_STRUCT, "another size",
	       "allocating with parameters of another size");
	expect(rm_alloc(0x77, SPACE, RM_CLASS_VA_SPACE, &space, 48),
	       NV_STATUS_INVALID_OBJECT_PARENT, "no such parent",
	       "allocating below an unknown parent");
	expect(rm_alloc(CLIENT, SPACE, RM_CLASS_VA_SPACE, &space, 48),
	       NV_STATUS_INVALID_OBJECT_PARENT, "this parent may not have it",
	       "allocating below a parent of the wrong class");
	expect(rm_alloc(DEVICE, SUBDEVICE, RM_CLASS_VA_SPACE, &space, 48), NV_STATUS_DUPLICATE_NAME,
	       "in use", "allocating with a handle in use");
	expect(rm_control(SUBDEVICE, 0x20801234, &word, 4), NV_STATUS_NOT_SUPPORTED, "0x20801234",
	       "calling an unknown control");
	expect(rm_control(0x77, RM_CONTROL_GPCS, &word, 4), NV_STATUS_INVALID_OBJECT_HANDLE,
	       "no such object", "calling a control of an unknown object");
	expect(rm_control(SUBDEVICE, RM_CONTROL_GPCS, &word, 0), NV_STATUS_INVALID_PARAM_STRUCT,
	       "0 bytes", "calling a control without its parameters");
	rm_alloc(DEVICE, SPACE, RM_CLASS_VA_SPACE, &space, 48);
	expect(rm_control(DEVICE, RM_CONTROL_SET_DIRECTORY, &directory, sizeof(directory)),
	       NV_STATUS_INVALID_ARGUMENT, "page directory at",
	       "setting a page directory outside video memory");
	expect(rm_free(DEVICE), NV_STATUS_INVALID_STATE, "children",
	       "freeing an object with children");
	expect(rm_free(0x77), NV_STATUS_OBJECT_NOT_FOUND, "no such object",
	       "freeing an unknown object");
	map_all();
	directory.address = TABLES;
	rm_control(DEVICE, RM_CONTROL_SET_DIRECTORY, &directory, sizeof(directory));
	p = channel_parameters();
	p.userd.base = VRAM - 512;
	expect(rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "USERD",
	       "allocating a channel with USERD in protected memory");
	p = channel_parameters();
	p.userd = (struct rm_memory_description){MACHINE + BYTES, 512, RM_SPACE_SYSTEM, 0};
	expect(rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "USERD",
	       "allocating a channel with USERD in memory not mapped for DMA");
	p = channel_parameters();
	p.engine = 42;
	expect(rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "no such engine",
	       "allocating a channel of an unknown engine");
	p = channel_parameters();
	rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p));
	expect(rm_alloc(DEVICE, OTHER, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	       NV_STATUS_INVALID_ARGUMENT, "its id is in use",
	       "allocating a channel with an id in use");
	expect(rm_control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570),
	       NV_STATUS_INVALID_STATE, "bound to no engine",
	       "scheduling a channel that is not bound");
	expect(rm_free(SPACE), NV_STATUS_INVALID_STATE, "users",
	       "freeing a VA space that channels use");
	unload_gsp();
	refused("never freed", "unloading the GSP with objects allocated is refused");
}

/* A compute object needs a graphics context. */
static void context(void)
{
	struct rm_channel_parameters p = channel_parameters();
	struct rm_promote promote = promotion();

	boot_gsp();
	make_device();
	make_space();
	p.engine = RM_ENGINE_GRAPHICS;
	ok(!rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)),
	   "context: a channel of the graphics engine is allocated");
	expect(rm_alloc(CHANNEL, COPIER, 0xcbc0, NULL, 0), NV_STATUS_INVALID_STATE,
	       "context buffer 0", "allocating compute without a graphics context");
	promote.list[3].virtual = VA + (4 << 20);
	expect(rm_control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	       NV_STATUS_INVALID_ARGUMENT, "not mapped",
	       "promoting a context buffer that is not mapped");
	promote.list[3].virtual = VA;
	promote.list[0].bytes = 0x1000;
	expect(rm_control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	       NV_STATUS_INVALID_ARGUMENT, "4096 bytes",
	       "promoting a context buffer that is too small");
	promote.list[0].bytes = 2 << 20;
	ok(!rm_control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)),
	   "context: context buffers are promoted");
	ok(!rm_alloc(CHANNEL, COPIER, 0xcbc0, NULL, 0),
	   "context: a compute object is allocated after the promotion");
	ok(!rm_free(COPIER) && !rm_free(CHANNEL) && !free_all(), "context: all objects are freed");
	unload_gsp();
	refused(NULL, "context: nothing else is refused");
}

int main(void)
{
	if (machine_open()) {
		struct card_region r = card_region(card, NV_PCI_BAR_VRAM);

		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
		channel_runs();
		interrupts();
		translations();
		faults();
		permissions();
		groups();
		context();
		wrong_groups();
		wrong_objects();
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
