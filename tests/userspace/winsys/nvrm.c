// SPDX-License-Identifier: MIT
/*
 * The back end for NVIDIA's kernel module against a fake RM: enumeration, rejected modules and
 * devices, and that no object leaks, whichever call fails.
 */
#include "libsov/sov.h"
#include "tests/tap.h"
#include "tests/userspace/winsys/_fake_rm.h"

static const struct winsys *const w = &winsys_nvrm;

static int enumerate(struct winsys_device ***devices, uint32_t *count, char message[256])
{
	*message = 0;
	return w->enumerate(0, devices, count, message, 256);
}

/* ---- enumeration ---- */

static void test_enumeration(void)
{
	struct winsys_device **devices;
	struct winsys_info info;
	char message[256];
	uint32_t count;

	fake_reset();
	fake.open_error = ENOENT;
	ok(!enumerate(&devices, &count, message) && !count && !*message,
	   "nvrm: without a kernel module there are no devices and no message");

	fake.open_error = EACCES;
	ok(enumerate(&devices, &count, message) == -EACCES && strstr(message, "/dev/nvidiactl") &&
		   strstr(message, "SOV_NVRM=0"),
	   "nvrm: a permission error names the file and SOV_NVRM=0");
	diag("%s", message);

	setenv("SOV_NVRM", "0", 1);
	ok(!enumerate(&devices, &count, message) && !count, "nvrm: SOV_NVRM=0 opens no file");
	setenv("SOV_NVRM", "yes", 1);
	ok(enumerate(&devices, &count, message) == -EINVAL && strstr(message, "'yes'"),
	   "nvrm: SOV_NVRM=yes is rejected");
	unsetenv("SOV_NVRM");

	fake_reset();
	fake.cards = 3;
	ok(!enumerate(&devices, &count, message) && count == 3,
	   "nvrm: three cards are enumerated as three devices");
	ok(!strcmp(devices[0]->path, "/dev/nvidia0") && !strcmp(devices[2]->path, "/dev/nvidia2"),
	   "nvrm: devices are in the order of their minor numbers");
	w->info(devices[0], &info);
	ok(!strcmp(info.chip, "gh100") && !strcmp(info.target, "sm_90") &&
		   info.multiprocessors == 132 && info.warps_per_multiprocessor == 64 &&
		   info.memory_bytes == UINT64_C(128) << 30 && info.l2_bytes == 50 << 20 &&
		   info.shared_per_multiprocessor == 228 << 10,
	   "nvrm: device information has the chip and its size");
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: closing after enumeration frees all objects");

	fake_reset();
	fake.architecture = 0x1b0;
	ok(!enumerate(&devices, &count, message) && !count, "nvrm: an unknown chip is skipped");
	nvrm_close();
	fake_reset();
	fake.lost = true;
	ok(enumerate(&devices, &count, message) == -ENODEV && strstr(message, "fallen off the bus"),
	   "nvrm: a lost GPU is reported if it is the only one");
	diag("%s", message);
	ok(!fake_live() && !fake.wrong, "nvrm: a failed enumeration frees all objects");
}

static void test_versions(void)
{
	static const struct {
		const char *version;
		bool good, any;
		const char *part;
	} cases[] = {
		{"570.86.16", true, true, ""},
		{"570.211.01", true, true, ""},
		{"580.159.04", true, true, ""},
		{"575.57.08", false, true, "575.57.08"},
		{"595.45.04", false, true, "SOV_NVRM_ANY=1"},
		{"390.12", false, false, "390.12"},
		{"banana", false, false, "'banana'"},
		{"", false, false, "''"},
		{"580", false, false, "'580'"},
		{"-580.1", false, false, "'-580.1'"},
		{"99999999999999999999.1", false, false, "not understood"},
	};
	struct winsys_device **devices;
	char message[256];
	uint32_t i, count;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_reset();
		fake.version = cases[i].version;
		ok(!enumerate(&devices, &count, message) == cases[i].good &&
			   strstr(message, cases[i].part),
		   "nvrm: module version '%s' is %s", cases[i].version,
		   cases[i].good ? "accepted" : "rejected");
		nvrm_close();
		setenv("SOV_NVRM_ANY", "1", 1);
		ok(!enumerate(&devices, &count, message) == cases[i].any,
		   "nvrm: module version '%s' with SOV_NVRM_ANY=1 is %s", cases[i].version,
		   cases[i].any ? "accepted" : "rejected");
		unsetenv("SOV_NVRM_ANY");
		nvrm_close();
		if (fake_live())
			ok(false, "nvrm: rejecting version '%s' frees all objects",
			   cases[i].version);
	}
}

/* ---- failure injection: all that a program does, once ---- */

struct program {
	struct winsys_device **devices;
	uint32_t count;
	struct winsys_buffer *vram, *large, *system, *own;
	struct winsys_group *group;
	struct winsys_queue *compute, *copy;
};

static int step(struct program *p, uint32_t number, void *page)
{
	struct winsys_queue_options o = {.ring = p->vram, .ring_va = 0x10000, .ring_entries = 256};
	struct winsys_device *d = number ? p->devices[0] : NULL;
	uint32_t seen = 0;
	char message[256];

	switch (number) {
	case 0:
		return enumerate(&p->devices, &p->count, message) ? -1 : p->count ? 0 : -ENODEV;
	case 1:
		return w->buffer_create(d, WINSYS_VRAM, 0x10000, &p->vram);
	case 2:
		return w->buffer_create(d, WINSYS_VRAM, 0x400000, &p->large);
	case 3:
		return w->buffer_create(d, WINSYS_SYSTEM, 0x20000, &p->system);
	case 4:
		return w->buffer_import(d, page, 0x1000, &p->own);
	case 5:
		return w->buffer_map(p->system) ? 0 : -ENOMEM;
	case 6:
		return w->group_create(d, &p->group);
	case 7:
		return w->bind(p->group, p->vram, 0x10000);
	case 8:
		return w->bind(p->group, p->own, 0x20000);
	case 9:
		return w->queue_create(p->group, &o, &p->compute);
	case 10:
		o.engine = WINSYS_COPY;
		return w->queue_create(p->group, &o, &p->copy);
	case 11:
		w->wait(p->group, &seen, 1000);
		return 0;
	default:
		return 1;
	}
}

static void destroy(struct program *p)
{
	if (p->copy)
		w->queue_destroy(p->copy);
	if (p->compute)
		w->queue_destroy(p->compute);
	if (p->group && p->own && fake.bindings > 1)
		w->unbind(p->group, p->own, 0x20000);
	if (p->group)
		w->group_destroy(p->group);
	if (p->own)
		w->buffer_destroy(p->own);
	if (p->system)
		w->buffer_destroy(p->system);
	if (p->large)
		w->buffer_destroy(p->large);
	if (p->vram)
		w->buffer_destroy(p->vram);
	nvrm_close();
}

/* Returns the number of steps that succeeded. */
static uint32_t run_program(void *page, int *error)
{
	struct program p = {0};
	uint32_t number = 0;

	while (!(*error = step(&p, number, page)))
		number++;
	destroy(&p);
	return number;
}

static void test_failures(void *page, enum fake_failure kind)
{
	uint32_t steps, calls, n, tolerated = 0, wrong = 0, leaked = 0;
	int error;

	fake_reset();
	fake.version = "570.86.16";
	run_program(page, &error);
	ok(error == 1 && !fake_live() && !fake.wrong,
	   "nvrm: release 570 gets structures of its sizes");
	fake_reset();
	steps = run_program(page, &error);
	calls = fake.calls;
	ok(error == 1 && !fake_live() && !fake.wrong,
	   "nvrm: a program of %u steps succeeds with %u calls", steps, calls);
	for (n = 1; n <= calls; n++) {
		uint32_t reached;

		fake_reset();
		fake.fail_at = n;
		fake.failure = kind;
		reached = run_program(page, &error);
		leaked += fake_live();
		wrong += fake.wrong;
		/* Waiting and the choice of a copy engine tolerate failed calls. */
		if (error == 1)
			tolerated++;
		else if (!error || reached >= steps)
			diag("call %u: %u steps, error %d", n, reached, error);
	}
	ok(!leaked, "nvrm: no object leaks, whichever call fails by %s",
	   kind == FAKE_STATUS ? "its status" : "errno");
	ok(!wrong, "nvrm: no invalid object is used, whichever call fails");
	ok(tolerated < calls / 2, "nvrm: all failed calls are reported but %u optional ones",
	   tolerated);
}

/* ---- groups and queues ---- */

static void test_group(void)
{
	struct winsys_device **devices;
	struct winsys_queue_memory m;
	struct winsys_queue *q[3];
	struct winsys_buffer *ring;
	struct winsys_group *g;
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256};
	struct winsys_error e;
	char message[256];
	uint32_t count, i, seen = 0;

	fake_reset();
	if (!ok(!enumerate(&devices, &count, message) &&
			!w->buffer_create(devices[0], WINSYS_VRAM, 0x10000, &ring) &&
			!w->group_create(devices[0], &g),
		"nvrm: a group can be created"))
		return;
	o.ring = ring;
	o.ring_offset = 0x1000;
	for (i = 0; i < 3; i++) {
		o.engine = i == 2 ? WINSYS_COPY : WINSYS_COMPUTE;
		ok(!w->queue_create(g, &o, &q[i]), "nvrm: queue %u of a group can be created", i);
		w->queue_memory(q[i], &m);
		ok((uint8_t *)m.put == (uint8_t *)g->userd->cpu + 512 * i + 0x8c &&
			   (uint8_t *)m.ring == (uint8_t *)ring->cpu + 0x1000,
		   "nvrm: queue %u has a ring and a USERD slot", i);
	}
	ok(devices[0]->copy_engine == RM_ENGINE_COPY0 + 3,
	   "nvrm: copies use the copy engine with the most PCEs");
	w->queue_memory(q[0], &m);
	ok((uint8_t *)m.doorbell == devices[0]->bar1_usermode + 0x90 && m.doorbell_value == 0xa0004,
	   "nvrm: a Hopper doorbell lies behind BAR1 and takes the work submit token");
	ok(fake.bar1_usermode_pages == 1 && !m.doorbell_passes_writes,
	   "nvrm: a doorbell behind BAR1 does not pass writes");
	*(uint32_t *)(devices[0]->usermode + 0x84) = 5;
	*(uint32_t *)(devices[0]->usermode + 0x80) = 7;
	ok(w->gpu_time(devices[0]) == (UINT64_C(5) << 32 | 7),
	   "nvrm: gpu_time reads the timer of the usermode page");

	fake.interrupt = true;
	w->wait(g, &seen, 1000);
	ok(seen == 1, "nvrm: an interrupt ends a wait");
	i = 0;
	w->wait(g, &i, 1000000000);
	ok(i == 1, "nvrm: an interrupt that another thread has seen ends a wait");

	ok(!w->group_error(g, &e), "nvrm: a healthy group has no error");
	w->queue_destroy(q[1]);
	w->group_stop(g);
	ok(fake.stops == 1, "nvrm: group_stop stops the SMs after a queue was destroyed");
	((struct nv_notification *)g->notifier->cpu)->info32 = 31;
	((struct nv_notification *)g->notifier->cpu)->status = 0xffff;
	ok(w->group_error(g, &e) && e.vendor_code == 31 && e.memory && e.address == 0x7000000000 &&
		   e.pc == 0x12340,
	   "nvrm: the error notifier and the SM debugger describe the error: %s", e.text);
	ok(w->group_error(g, &e) && e.vendor_code == 31,
	   "nvrm: group_error reports the same error again");
	w->group_stop(g);
	ok(fake.stops == 1, "nvrm: group_stop does not stop the SMs of a failed group");
	w->queue_destroy(q[0]);
	w->queue_destroy(q[2]);
	w->group_destroy(g);
	w->buffer_destroy(ring);
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: destroying a group frees all objects");
}

/* A chip without a usermode page behind BAR1. */
static void test_bar0_doorbell(void)
{
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256};
	struct winsys_device **devices;
	struct winsys_queue_memory m;
	struct winsys_queue *q;
	struct winsys_group *g;
	char message[256];
	uint32_t count;

	fake_reset();
	fake.architecture = 0x192;
	if (!ok(!enumerate(&devices, &count, message) && count == 1 &&
			!w->buffer_create(devices[0], WINSYS_VRAM, 0x10000, &o.ring) &&
			!w->group_create(devices[0], &g) && !w->queue_create(g, &o, &q),
		"nvrm: a queue on an AD102 can be created"))
		return;
	w->queue_memory(q, &m);
	ok((uint8_t *)m.doorbell == devices[0]->usermode + 0x90 && !fake.bar1_usermode_pages &&
		   m.doorbell_passes_writes,
	   "nvrm: a doorbell behind BAR0 may pass writes");
	w->queue_destroy(q);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: destroying a group of an AD102 frees all objects");
}

static void test_many_queues(void)
{
	static struct winsys_queue *q[NVRM_MAX_QUEUES + 1];
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256};
	struct winsys_device **devices;
	struct winsys_group *g;
	char message[256];
	uint32_t count, i, n = 0;
	int error = -1;

	fake_reset();
	if (enumerate(&devices, &count, message) ||
	    w->buffer_create(devices[0], WINSYS_VRAM, 0x10000, &o.ring) ||
	    w->group_create(devices[0], &g)) {
		ok(false, "nvrm: a group can be created");
		return;
	}
	while (n < 100 && !(error = w->queue_create(g, &o, &q[n])))
		n++;
	ok(!error, "nvrm: a group accepts a hundred queues");
	for (i = 0; i < 3 * NVRM_MAX_QUEUES && !error; i++) {
		w->queue_destroy(q[n - 1]);
		error = w->queue_create(g, &o, &q[n - 1]);
	}
	ok(!error, "nvrm: USERD slots of destroyed queues are reused");
	ok(w->buffer_create(devices[0], WINSYS_VRAM, 0x1000, &o.ring) == -EINVAL &&
		   strstr(winsys_take_error(), "4096 bytes"),
	   "nvrm: a buffer size that is not a multiple of the page size is rejected");
	while (n)
		w->queue_destroy(q[--n]);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: destroying a hundred queues frees all objects");
}

static uint32_t channel_groups(void)
{
	uint32_t i, n = 0;

	for (i = 0; i < FAKE_OBJECTS; i++)
		n += fake.object[i].handle && fake.object[i].class == RM_CLASS_CHANNEL_GROUP;
	return n;
}

/* Each priority has a channel group. */
static void test_priorities(void)
{
	static const int32_t of[] = {0, 1, -1, 1, 0};
	struct winsys_queue *q[5];
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256};
	struct winsys_device **devices;
	struct winsys_info info;
	struct winsys_group *g;
	char message[256];
	uint32_t count, i, good = 0;

	fake_reset();
	if (enumerate(&devices, &count, message) ||
	    w->buffer_create(devices[0], WINSYS_VRAM, 0x10000, &o.ring) ||
	    w->group_create(devices[0], &g)) {
		ok(false, "nvrm: a group can be created");
		return;
	}
	w->info(devices[0], &info);
	ok(info.min_priority == -1 && info.max_priority == 1, "nvrm: there are three priorities");
	for (i = 0; i < 5; i++) {
		o.priority = of[i];
		good += !w->queue_create(g, &o, &q[i]);
	}
	ok(good == 5 && channel_groups() == 3, "nvrm: each priority has a channel group");
	ok(fake.slices == 2 && fake.slice_us[0] == 8000 && fake.slice_us[1] == 500,
	   "nvrm: high and low priority set the time slice");
	ok(fake.interleaves == 1, "nvrm: a denied interleave level is tolerated");
	w->group_stop(g);
	ok(fake.stops == 3, "nvrm: group_stop stops the channel groups of all priorities");
	while (good)
		w->queue_destroy(q[--good]);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_close();
	ok(!fake_live() && !fake.wrong,
	   "nvrm: destroying queues of all priorities frees all objects");
}

/* ---- identity, state, processes ---- */

static bool opens(const char *version, struct winsys_device **d)
{
	struct winsys_device **devices;
	char message[256];
	uint32_t count;

	fake.version = version;
	if (enumerate(&devices, &count, message) || count != 1)
		return false;
	*d = devices[0];
	return true;
}

static void test_identity(void)
{
	struct winsys_device *d;
	struct winsys_info info = {0};

	fake_reset();
	if (opens("580.159.04", &d))
		w->info(d, &info);
	ok(info.identity.known == (SOV_IDENTITY_PCI | SOV_IDENTITY_UUID | SOV_IDENTITY_FILE) &&
		   info.identity.pci_domain == 2 && info.identity.pci_bus == 0x40 &&
		   info.identity.pci_device == 3 && info.identity.pci_function == 1 &&
		   info.identity.pci_vendor_id == 0x10de && info.identity.pci_device_id == 0x2335,
	   "nvrm: a device has the PCI address and numbers of its card");
	ok(info.identity.uuid[0] == 0xa0 && info.identity.uuid[15] == 0xaf,
	   "nvrm: a device has the UUID that RM reports");
	nvrm_close();

	fake_reset();
	fake.no_uuid = true;
	memset(&info, 0, sizeof(info));
	ok(opens("580.159.04", &d), "nvrm: a device without a UUID can be used");
	w->info(d, &info);
	ok(!(info.identity.known & SOV_IDENTITY_UUID) && info.identity.known & SOV_IDENTITY_PCI,
	   "nvrm: a UUID that RM does not report is not known");
	nvrm_close();
}

static void test_state(void)
{
	static const char *const versions[] = {"570.86.16", "580.159.04"};
	const uint32_t known = SOV_STATE_UTILIZATION | SOV_STATE_TEMPERATURE |
			       SOV_STATE_POWER_LIMIT | SOV_STATE_CLOCKS | SOV_STATE_PERFORMANCE;
	struct winsys_device *d;
	struct winsys_state s;
	uint32_t calls;

	for (int k = 0; k < 2; k++) {
		fake_reset();
		if (!opens(versions[k], &d)) {
			ok(false, "nvrm: a device of %s can be opened", versions[k]);
			continue;
		}
		w->state(d, &s);
		ok(s.known == known && s.busy_percent == 93 && s.memory_percent == 41 &&
			   s.temperature == 41500 && s.power_limit == 650000 &&
			   s.core_mhz == 1980 && s.multiprocessor_mhz == 1965 &&
			   s.memory_mhz == 2619 && s.performance == 2,
		   "nvrm: the page of samples of %s is read", versions[k]);
		ok(!(s.known & SOV_STATE_POWER) && !s.power,
		   "nvrm: a sample of %s that is being written is not known", versions[k]);
		calls = fake.calls;
		w->state(d, &s);
		ok(fake.calls == calls && s.known == known,
		   "nvrm: further samples of %s need no call", versions[k]);
		nvrm_close();
		ok(!fake_live() && !fake.wrong, "nvrm: the page of samples of %s is unmapped",
		   versions[k]);
	}
	fake_reset();
	fake.no_samples = true;
	if (opens("580.159.04", &d))
		w->state(d, &s);
	ok(!s.known && !*winsys_take_error(),
	   "nvrm: without a page of samples the state is not known");
	calls = fake.calls;
	w->state(d, &s);
	ok(fake.calls == calls, "nvrm: a missing page of samples is asked for once");
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: a missing page of samples leaves no object");
}

static void test_processes(void)
{
	struct winsys_process list[202] = {{0}};
	struct winsys_device *d;
	uint32_t count = 0;

	fake_reset();
	if (!opens("580.159.04", &d)) {
		ok(false, "nvrm: a device can be opened");
		return;
	}
	ok(!w->processes(d, list, 202, &count) && count == 201 && list[0].pid == 100 &&
		   list[0].memory_bytes == 100007 && list[200].pid == 300 &&
		   list[200].memory_bytes == 300007,
	   "nvrm: processes and their memory are listed");
	ok(list[1].pid == 101 && list[1].memory_bytes == UINT64_MAX,
	   "nvrm: the memory of a process that RM does not find is unknown");
	memset(list, 0, sizeof(list));
	ok(!w->processes(d, list, 1, &count) && count == 201 && list[0].pid == 100 && !list[1].pid,
	   "nvrm: a list that is too short is filled, and the count is complete");
	nvrm_close();
	ok(!fake_live() && !fake.wrong, "nvrm: listing processes leaves nothing");
}

/* ---- error descriptions ---- */

static void test_descriptions(void)
{
	struct rm_mmu_faults faults = {.count = 1, .list = {{0x7000000000, 6, 1}}};
	static struct rm_sm_errors errors = {
		.count = 3, .sm = {[1] = {.warp = 0x80000f, .pc = 0x40, .address = 0x1002}}};
	struct winsys_error e;

	nvrm_describe_error(31, &faults, NULL, &e);
	is_str(e.text, "invalid write in the page at 0x7000000000: it is read-only",
	       "nvrm: the description of an MMU fault has access, address and reason");
	nvrm_describe_error(13, &faults, &errors, &e);
	is_str(e.text, "an address that is not aligned to its size: 0x1002",
	       "nvrm: the description of a warp error has name and address");
	ok(e.pc == 0x40 && e.memory && e.misaligned && e.address == 0x1002,
	   "nvrm: a warp error has PC and address");
	errors.sm[1].warp = 0x20;
	nvrm_describe_error(13, &faults, &errors, &e);
	ok(strstr(e.text, "read-only") && e.pc == 0x40 && e.address == 0x7000000000,
	   "nvrm: a warp error by an MMU fault has the MMU's address and the warp's PC");
	nvrm_describe_error(109, NULL, NULL, &e);
	ok(strstr(e.text, "Xid 109") && strstr(e.text, "preempted"),
	   "nvrm: Xid 109 has a description");
	nvrm_describe_error(1234, NULL, NULL, &e);
	ok(strstr(e.text, "Xid 1234"), "nvrm: an unknown Xid is described by its number");
	errors.sm[1].warp = 0x7e;
	nvrm_describe_error(13, NULL, &errors, &e);
	ok(strstr(e.text, "unknown warp error"),
	   "nvrm: an unknown warp error is described as such");
}

int main(void)
{
	void *page = aligned_alloc(4096, 4096);

	unsetenv("SOV_NVRM");
	nvrm_os = &fake_os;
	test_enumeration();
	test_versions();
	test_failures(page, FAKE_ERRNO);
	test_failures(page, FAKE_STATUS);
	test_group();
	test_bar0_doorbell();
	test_many_queues();
	test_priorities();
	test_identity();
	test_state();
	test_processes();
	test_descriptions();
	free(page);
	return tap_done();
}
