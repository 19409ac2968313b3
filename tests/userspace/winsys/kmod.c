// SPDX-License-Identifier: MIT
/*
 * The kmod winsys on a fake sovgpu.ko: enumeration, unsupported devices, error unwinding at every
 * failing call, submission by ioctl and through user queues, waiting, fault reports and priorities.
 */
#include "libsov/sov.h"
#include "tests/tap.h"
#include "tests/userspace/winsys/_fake_kmod.h"
#include "hw/nv/host.h"

static const struct winsys *const w = &winsys_kmod;
static char message[512];

static int enumerate(struct winsys_device ***devices, uint32_t *count)
{
	*message = 0;
	return w->enumerate(0, devices, count, message, sizeof(message));
}

/* ---- enumeration ---- */

static void test_enumerate(void)
{
	struct winsys_device **devices;
	struct winsys_info info;
	uint64_t free_bytes, total;
	uint32_t count;

	fake_reset();
	fake.nodes = 0;
	ok(!enumerate(&devices, &count) && !count && !*message,
	   "enumeration without a sovgpu node finds no device and reports no error");
	fake_reset();
	fake.open_error = EACCES;
	ok(enumerate(&devices, &count) == -EACCES && strstr(message, "/dev/dri/renderD128") &&
		   strstr(message, "SOV_KMOD=0"),
	   "EACCES on a render node reports the node and SOV_KMOD=0");
	diag("%s", message);
	setenv("SOV_KMOD", "0", 1);
	ok(!enumerate(&devices, &count) && !count,
	   "SOV_KMOD=0 disables the enumeration of sovgpu devices");
	setenv("SOV_KMOD", "yes", 1);
	ok(enumerate(&devices, &count) == -EINVAL && strstr(message, "'yes'"),
	   "SOV_KMOD other than 0, 1 or ioctl is rejected");
	unsetenv("SOV_KMOD");

	fake_reset();
	fake.nodes = 3;
	ok(!enumerate(&devices, &count) && count == 3 &&
		   !strcmp(devices[2]->path, "/dev/dri/renderD130"),
	   "three sovgpu nodes are enumerated in ascending order");
	w->info(devices[0], &info);
	ok(!strcmp(info.chip, "gh100") && !strcmp(info.target, "sm_90") &&
		   info.multiprocessors == 132 && info.nv.tpcs == 66 &&
		   info.warps_per_multiprocessor == 64 && info.memory_bytes == UINT64_C(1) << 30 &&
		   info.page_bytes == 65536 && info.large_page_bytes == 2 << 20 &&
		   info.copy_queues && !info.software &&
		   strstr(info.driver, "sovgpu.ko 0.2, firmware 570.144"),
	   "device info has the chip, its unit counts, memory and driver: %s", info.driver);
	ok(info.identity.known == (SOV_IDENTITY_PCI | SOV_IDENTITY_FILE) &&
		   info.identity.pci_bus == 0x24 && info.identity.pci_device == 4 &&
		   info.identity.pci_vendor_id == 0x10de && info.identity.pci_device_id == 0x2335 &&
		   !info.identity.file_number,
	   "device info has the PCI address of the DRM device, its numbers, and that of its file");
	w->memory_info(devices[0], &free_bytes, &total);
	ok(free_bytes == 1 << 20 && total == UINT64_C(1) << 30 && w->gpu_time(devices[0]) == 12345,
	   "memory_info and gpu_time return the values of the driver");
	kmod_close_devices();
	ok(!fake_live_objects() && !fake.invalid_calls,
	   "closing the enumerated devices releases every driver object");

	fake_reset();
	fake.linked = true;
	ok(!enumerate(&devices, &count) && count == 1 && !strcmp(devices[0]->path, "/dev/sovgpu0"),
	   "a device with a /dev/sovgpuN link is opened through it");
	fake_reset();
	fake.device.units = 0;
	ok(!enumerate(&devices, &count) && count == 1 && devices[0]->info.multiprocessors == 144,
	   "a device that reports no unit count gets the count of the full chip");
}

static void test_unsupported_devices(void)
{
	static const struct {
		const char *device, *part;
		uint32_t chip, vendor, classes;
		const char *driver;
		int major, error;
		uint64_t page;
	} cases[] = {
		{"with an unknown chip", "chip 0x1b2", 0x1b2, 0x10de, 3, "sovgpu", 0, 0, 65536},
		{"of another vendor", "vendor 0x1002", 0x180, 0x1002, 3, "sovgpu", 0, 0, 65536},
		{"without compute queues", "no compute queues", 0x180, 0x10de, 0, "sovgpu", 0, 0,
		 65536},
		{"of another driver", "'amdgpu'", 0x180, 0x10de, 3, "amdgpu", 0, 0, 65536},
		{"with a later driver version", "version 1.2", 0x180, 0x10de, 3, "sovgpu", 1, 0,
		 65536},
		{"whose page size is no power of two", "implausible", 0x180, 0x10de, 3, "sovgpu", 0,
		 -EPROTO, 1000},
	};
	struct winsys_device **devices;
	uint32_t i, count;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fake_reset();
		fake.device.chip = cases[i].chip;
		fake.device.vendor = cases[i].vendor;
		fake.queue.classes = cases[i].classes;
		fake.driver = cases[i].driver;
		fake.major = cases[i].major;
		fake.memory.vram_page = cases[i].page;
		ok(enumerate(&devices, &count) == cases[i].error && !count &&
			   strstr(message, cases[i].part) && !fake_live_objects(),
		   "enumeration rejects a device %s: %s", cases[i].device, message);
	}
	fake_reset();
	fake.device.units = 4097;
	ok(enumerate(&devices, &count) == -EPROTO && !count && strstr(message, "4097 multiproc") &&
		   !fake_live_objects(),
	   "enumeration rejects a device with 4097 multiprocessors");
}

/* ---- a program that creates one object of each kind ---- */

struct program {
	struct winsys_device **devices;
	uint32_t count;
	struct winsys_buffer *vram, *system, *imported;
	struct winsys_group *group;
	struct winsys_queue *compute, *copy;
};

static int program_step(struct program *p, uint32_t number, void *page)
{
	struct winsys_queue_options o = {.ring = p->vram, .ring_va = 0x10000, .ring_entries = 256};
	struct winsys_device *d = number ? p->devices[0] : NULL;

	switch (number) {
	case 0:
		return enumerate(&p->devices, &p->count) ? -1 : p->count ? 0 : -ENODEV;
	case 1:
		return w->buffer_create(d, WINSYS_VRAM, 0x10000, &p->vram);
	case 2:
		return w->buffer_create(d, WINSYS_SYSTEM, 0x20000, &p->system);
	case 3:
		return w->buffer_import(d, page, 0x10000, &p->imported);
	case 4:
		return w->buffer_map(p->system) ? 0 : -ENOMEM;
	case 5:
		return w->group_create(d, &p->group);
	case 6:
		return w->bind(p->group, p->vram, 0x10000);
	case 7:
		return w->queue_create(p->group, &o, &p->compute);
	case 8:
		o.engine = WINSYS_COPY;
		return w->queue_create(p->group, &o, &p->copy);
	default:
		return 1;
	}
}

static void program_destroy(struct program *p)
{
	if (p->copy)
		w->queue_destroy(p->copy);
	if (p->compute)
		w->queue_destroy(p->compute);
	if (p->group)
		w->group_destroy(p->group);
	if (p->imported)
		w->buffer_destroy(p->imported);
	if (p->system)
		w->buffer_destroy(p->system);
	if (p->vram)
		w->buffer_destroy(p->vram);
	kmod_close_devices();
}

static uint32_t program_run(void *page, int *error)
{
	struct program p = {0};
	uint32_t number = 0;

	while (!(*error = program_step(&p, number, page)))
		number++;
	program_destroy(&p);
	return number;
}

/* Runs the program once for each of its driver calls and fails that call. */
static void test_failing_calls(void *page, const char *queues)
{
	uint32_t steps, calls, n, reached, leaked = 0, invalid = 0, unreported = 0;
	int error;

	fake_reset();
	steps = program_run(page, &error);
	calls = fake.calls;
	ok(error == 1 && !fake_live_objects() && !fake.invalid_calls,
	   "a program with %s completes %u steps in %u driver calls", queues, steps, calls);
	for (n = 1; n <= calls; n++) {
		fake_reset();
		fake.fail_at = n;
		(void)winsys_take_error();
		reached = program_run(page, &error);
		leaked += fake_live_objects();
		invalid += fake.invalid_calls;
		unreported += error == 1 || reached >= steps || (reached && !*winsys_take_error());
	}
	ok(!leaked, "a program with %s leaks no object, whichever driver call fails", queues);
	ok(!invalid, "a program with %s passes valid arguments after any failed call", queues);
	ok(!unreported, "a program with %s reports an error, whichever driver call fails", queues);
	invalid = 0;
	for (n = 1; n <= calls; n++) {
		fake_reset();
		fake.fail_at = n;
		fake.failure = ENOSPC;
		reached = program_run(page, &error);
		invalid += reached && error != -ENOMEM;
	}
	ok(!invalid, "a program with %s gets -ENOMEM, whichever driver call returns ENOSPC",
	   queues);
}

/* ---- submission ---- */

static struct program p;

static void program_start(void *page)
{
	uint32_t i;

	memset(&p, 0, sizeof(p));
	fake_reset();
	for (i = 0; !program_step(&p, i, page); i++)
		;
}

static void submit_jobs(struct winsys_queue *q, uint32_t jobs)
{
	struct winsys_queue_memory m;

	w->queue_memory(q, &m);
	for (; jobs; jobs--) {
		uint32_t put = __atomic_load_n(m.put, __ATOMIC_RELAXED);

		m.ring[put] = nv_gp_entry_pack(0x100000 + 0x100 * put, 7 + put);
		__atomic_store_n(m.put, (put + 1) % m.ring_entries, __ATOMIC_RELEASE);
	}
	w->ring_doorbell(q);
}

static void test_submit_ioctl(void *page)
{
	uint32_t seen = 0, i, correct = 0;

	program_start(page);
	submit_jobs(p.compute, 3);
	ok(fake.submits == 1 && fake.job_count == 3 && fake.jobs[2].va == 0x100200 &&
		   fake.jobs[2].size == 36,
	   "one doorbell submits all new ring entries as jobs of one QUEUE_SUBMIT");
	w->ring_doorbell(p.compute);
	ok(fake.submits == 1, "a doorbell without new ring entries submits nothing");
	for (i = 0; i < 3; i++)
		submit_jobs(p.compute, 200);
	for (i = 0; i < fake.job_count; i++)
		correct += fake.jobs[i].va == 0x100000 + 0x100 * (i % 256);
	ok(fake.job_count == 603 && correct == 603,
	   "jobs are submitted in order when the ring wraps around");

	w->wait(p.group, &seen, 1000);
	ok(!seen && fake.waits == 1, "a wait with pending jobs blocks on the timeline");
	fake.signalled = 2;
	w->wait(p.group, &seen, 1000);
	ok(seen == 2 && fake.waits == 1,
	   "a wait that finds new completions returns without blocking");
	w->wait(p.group, &seen, 1000);
	ok(seen == 2 && fake.waits == 2,
	   "a wait that finds no new completion blocks on the timeline");
	fake.signalled = 4;
	w->wait(p.group, &seen, 1000);
	w->wait(p.group, &seen, 1000);
	ok(seen == 4 && fake.waits == 2, "a wait on an idle group makes no timeline wait");
	w->queue_destroy(p.copy);
	w->queue_destroy(p.compute);
	p.compute = p.copy = NULL;
	seen = 0;
	w->wait(p.group, &seen, 1000);
	ok(seen == 4, "destroying queues keeps the completion count of their group");
	program_destroy(&p);
	ok(!fake_live_objects() && !fake.invalid_calls,
	   "a group with kernel queues releases every driver object");
}

/* User queues: the process writes ring, PUT and doorbell itself, and no ioctl submits work. */
static void test_user_queues(void *page)
{
	struct winsys_queue_memory m, copy;
	struct winsys_queue *bad = NULL;
	uint32_t seen = 0;

	fake_modes = 1 << DRM_SOVGPU_QUEUE_KERNEL | 1 << DRM_SOVGPU_QUEUE_USER;
	test_failing_calls(page, "user queues");
	program_start(page);
	w->queue_memory(p.compute, &m);
	w->queue_memory(p.copy, &copy);
	ok((void *)m.ring == w->buffer_map(p.vram) && m.ring_entries == 256 &&
		   (uint8_t *)m.put - (uint8_t *)m.get == FAKE_PUT - FAKE_GET && m.doorbell &&
		   (uintptr_t)m.doorbell % 16 == 0 && m.doorbell_value == FAKE_TOKEN,
	   "a user queue exposes its ring, GET, PUT and doorbell to the process");
	ok(m.doorbell == copy.doorbell && m.put != copy.put,
	   "two user queues share the doorbell address and have separate PUT words");
	ok(!fake.live[FAKE_SYNCOBJ] && !fake.submits,
	   "a user queue has no syncobj and submits by no ioctl");
	w->wait(p.group, &seen, 1000);
	ok(!seen && fake.waits == 1, "a wait on user queues blocks on INTERRUPT_WAIT");
	fake.interrupts = 7;
	w->wait(p.group, &seen, 1000);
	ok(seen == 7, "a wait on user queues returns the new interrupt count");
	fake.put_offset = 4095;
	ok(w->queue_create(p.group,
			   &(struct winsys_queue_options){
				   .ring = p.vram, .ring_va = 0x10000, .ring_entries = 256},
			   &bad) == -EPROTO &&
		   strstr(winsys_take_error(), "4095"),
	   "QUEUE_CREATE with a PUT offset beyond its page is -EPROTO");
	program_destroy(&p);
	ok(!fake_live_objects() && !fake.invalid_calls,
	   "a group with user queues releases every driver object");

	setenv("SOV_KMOD", "ioctl", 1);
	program_start(page);
	submit_jobs(p.compute, 2);
	ok(fake.submits == 1 && fake.job_count == 2,
	   "SOV_KMOD=ioctl submits by ioctl although user queues exist");
	program_destroy(&p);
	unsetenv("SOV_KMOD");
	fake_modes = 1 << DRM_SOVGPU_QUEUE_KERNEL;
}

static void test_group_errors(void *page)
{
	static const struct {
		uint32_t state, code;
		uint64_t address;
		const char *text;
		bool memory, timed_out;
	} cases[] = {
		{DRM_SOVGPU_QUEUE_STATE_FAULTED, 31, 0x7000, "in the page at 0x7000", true, false},
		{DRM_SOVGPU_QUEUE_STATE_FAULTED, 13, 0,
		 "the compute engine rejected the work (Xid 13)", false, false},
		{DRM_SOVGPU_QUEUE_STATE_FAULTED, 999, 0, "the channel failed (Xid 999)", false,
		 false},
		{DRM_SOVGPU_QUEUE_STATE_TIMED_OUT, 0, 0, "time limit of 60.000 s", false, true},
	};
	struct winsys_error e;
	uint32_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		program_start(page);
		ok(!w->group_error(p.group, &e), "a group has no error before its queue fails: %s",
		   cases[i].text);
		p.group->state_queried_ns = 0; /* the next query is not rate-limited */
		fake.state = (struct drm_sovgpu_queue_state){.queue_id = p.compute->id,
							     .state = cases[i].state,
							     .fault_code = cases[i].code,
							     .fault_address = cases[i].address};
		ok(w->group_error(p.group, &e) && e.queue == p.compute &&
			   e.vendor_code == cases[i].code && e.memory == cases[i].memory &&
			   e.address == cases[i].address && e.timed_out == cases[i].timed_out &&
			   strstr(e.text, cases[i].text),
		   "a failed queue is reported with its cause: %s", e.text);
		program_destroy(&p);
	}
	program_start(page);
	fake.submit_error = ENOMEM;
	submit_jobs(p.compute, 1);
	ok(w->group_error(p.group, &e) && !e.queue &&
		   strstr(e.text, "rejected work: Cannot allocate memory"),
	   "a rejected submission becomes the error of its group: %s", e.text);
	program_destroy(&p);
	program_start(page);
	fake.submit_error = ECANCELED;
	fake.state = (struct drm_sovgpu_queue_state){
		.queue_id = p.copy->id, .state = DRM_SOVGPU_QUEUE_STATE_FAULTED, .fault_code = 69};
	submit_jobs(p.compute, 1);
	ok(w->group_error(p.group, &e) && e.queue == p.copy && e.vendor_code == 69,
	   "a submission rejected by ECANCELED reports the queue that faulted");
	w->group_stop(p.group);
	ok(!fake.live[FAKE_GROUP] && fake.live[FAKE_QUEUE] == 2,
	   "group_stop destroys the driver's group before its queues");
	program_destroy(&p);
	ok(!fake_live_objects() && !fake.invalid_calls,
	   "groups that failed release every driver object");
}

/* A winsys group uses one driver group per priority. */
static void test_priorities(void *page)
{
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256, .priority = -1};
	struct winsys_queue *low;
	struct winsys_error e;
	struct winsys_info info;

	program_start(page);
	w->info(p.devices[0], &info);
	ok(info.min_priority == -1 && !info.max_priority, "device info offers priorities -1 and 0");
	ok(fake.priorities == 1, "a new group creates only the driver group of priority 0");
	o.ring = p.vram;
	if (!ok(!w->queue_create(p.group, &o, &low) && fake.priorities == 3 &&
			fake.low_queues == 1 && fake.live[FAKE_GROUP] == 2,
		"a low-priority queue is created in a second driver group"))
		return;
	fake.state = (struct drm_sovgpu_queue_state){
		.queue_id = low->id, .state = DRM_SOVGPU_QUEUE_STATE_FAULTED, .fault_code = 13};
	ok(w->group_error(p.group, &e) && e.queue == low && e.vendor_code == 13,
	   "a fault of a low-priority queue fails the whole group: %s", e.text);
	w->group_stop(p.group);
	ok(!fake.live[FAKE_GROUP], "group_stop destroys the driver groups of both priorities");
	w->queue_destroy(low);
	program_destroy(&p);
	ok(!fake_live_objects() && !fake.invalid_calls,
	   "a group with a low-priority queue releases every driver object");
}

int main(void)
{
	void *page = aligned_alloc(0x10000, 0x10000);

	unsetenv("SOV_KMOD");
	test_enumerate();
	test_unsupported_devices();
	test_failing_calls(page, "kernel queues");
	test_submit_ioctl(page);
	test_user_queues(page);
	test_group_errors(page);
	test_priorities(page);
	free(page);
	return tap_done();
}
