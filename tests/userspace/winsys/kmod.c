// SPDX-License-Identifier: MIT
/*
 * The way through our own kernel driver, against a driver that is not there: what is found, what is
 * refused and how, how work is handed over, and that nothing is left behind, whichever call fails.
 */
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

/* ---- finding ---- */

static void finding(void)
{
	struct winsys_device **devices;
	struct winsys_info info;
	uint64_t free_bytes, total;
	uint32_t count;

	fake_reset();
	fake.nodes = 0;
	ok(!enumerate(&devices, &count) && !count && !*message,
	   "where there is no such driver there are no devices, and nothing is said");
	fake_reset();
	fake.open_error = EACCES;
	ok(enumerate(&devices, &count) == -EACCES && strstr(message, "/dev/dri/renderD128") &&
		   strstr(message, "SOV_KMOD=0"),
	   "without permission the file and the way out are named");
	diag("%s", message);
	setenv("SOV_KMOD", "0", 1);
	ok(!enumerate(&devices, &count) && !count, "SOV_KMOD=0 does not even look");
	setenv("SOV_KMOD", "yes", 1);
	ok(enumerate(&devices, &count) == -EINVAL && strstr(message, "'yes'"),
	   "SOV_KMOD other than 0, 1 or ioctl is rejected");
	unsetenv("SOV_KMOD");

	fake_reset();
	fake.nodes = 3;
	ok(!enumerate(&devices, &count) && count == 3 &&
		   !strcmp(devices[2]->path, "/dev/dri/renderD130"),
	   "three nodes are three devices, in their order");
	w->info(devices[0], &info);
	ok(!strcmp(info.chip, "gh100") && !strcmp(info.target, "sm_90") &&
		   info.multiprocessors == 132 && info.nv.tpcs == 66 &&
		   info.warps_per_multiprocessor == 64 && info.memory_bytes == UINT64_C(1) << 30 &&
		   info.page_bytes == 65536 && info.large_page_bytes == 2 << 20 &&
		   info.copy_queues && !info.software &&
		   strstr(info.driver, "sovgpu.ko 0.2, firmware 570.144"),
	   "a card is known by its chip, its size and its driver: %s", info.driver);
	w->memory_info(devices[0], &free_bytes, &total);
	ok(free_bytes == 1 << 20 && total == UINT64_C(1) << 30 && w->gpu_time(devices[0]) == 12345,
	   "memory and time are asked for");
	kmod_close_devices();
	ok(!fake_live() && !fake.wrong, "and all is given back");

	fake_reset();
	fake.linked = true;
	ok(!enumerate(&devices, &count) && count == 1 && !strcmp(devices[0]->path, "/dev/sovgpu0"),
	   "a card is opened by its own name where it has one");
	fake_reset();
	fake.device.units = 0;
	ok(!enumerate(&devices, &count) && count == 1 && devices[0]->info.multiprocessors == 144,
	   "a card that does not tell how large it is gets room for the whole chip");
}

static void left_out(void)
{
	static const struct {
		const char *what, *part;
		uint32_t chip, vendor, classes;
		const char *driver;
		int major, error;
		uint64_t page;
	} cases[] = {
		{"a chip that is not known", "chip 0x1b2", 0x1b2, 0x10de, 3, "sovgpu", 0, 0, 65536},
		{"another vendor", "vendor 0x1002", 0x180, 0x1002, 3, "sovgpu", 0, 0, 65536},
		{"a driver without queues", "no compute queues", 0x180, 0x10de, 0, "sovgpu", 0, 0,
		 65536},
		{"another driver", "'amdgpu'", 0x180, 0x10de, 3, "amdgpu", 0, 0, 65536},
		{"a later version", "version 1.2", 0x180, 0x10de, 3, "sovgpu", 1, 0, 65536},
		{"a page size that is no power of two", "implausible", 0x180, 0x10de, 3, "sovgpu",
		 0, -EPROTO, 1000},
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
			   strstr(message, cases[i].part) && !fake_live(),
		   "%s is left out: %s", cases[i].what, message);
	}
}

/* ---- everything that a program does, once ---- */

struct program {
	struct winsys_device **devices;
	uint32_t count;
	struct winsys_buffer *vram, *system, *own;
	struct winsys_group *group;
	struct winsys_queue *compute, *copy;
};

static int step(struct program *p, uint32_t number, void *page)
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
		return w->buffer_import(d, page, 0x10000, &p->own);
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

static void end(struct program *p)
{
	if (p->copy)
		w->queue_destroy(p->copy);
	if (p->compute)
		w->queue_destroy(p->compute);
	if (p->group)
		w->group_destroy(p->group);
	if (p->own)
		w->buffer_destroy(p->own);
	if (p->system)
		w->buffer_destroy(p->system);
	if (p->vram)
		w->buffer_destroy(p->vram);
	kmod_close_devices();
}

static uint32_t run(void *page, int *error)
{
	struct program p = {0};
	uint32_t number = 0;

	while (!(*error = step(&p, number, page)))
		number++;
	end(&p);
	return number;
}

static void failures(void *page)
{
	uint32_t steps, calls, n, reached, left = 0, wrong = 0, untold = 0;
	int error;

	fake_reset();
	steps = run(page, &error);
	calls = fake.calls;
	ok(error == 1 && !fake_live() && !fake.wrong, "a program of %u steps makes %u calls", steps,
	   calls);
	for (n = 1; n <= calls; n++) {
		fake_reset();
		fake.fail_at = n;
		(void)winsys_take_error();
		reached = run(page, &error);
		left += fake_live();
		wrong += fake.wrong;
		untold += error == 1 || reached >= steps || (reached && !*winsys_take_error());
	}
	ok(!left, "whichever call fails, nothing is left");
	ok(!wrong, "and nothing is used that is not there");
	ok(!untold, "and the failure is told");
	wrong = 0;
	for (n = 1; n <= calls; n++) {
		fake_reset();
		fake.fail_at = n;
		fake.failure = ENOSPC;
		reached = run(page, &error);
		wrong += reached && error != -ENOMEM;
	}
	ok(!wrong, "a card that is full, or a limit that is reached, is no memory, in every call");
}

/* ---- a group at work ---- */

static struct program p;

static void start(void *page)
{
	uint32_t i;

	memset(&p, 0, sizeof(p));
	fake_reset();
	for (i = 0; !step(&p, i, page); i++)
		;
}

static void ring(struct winsys_queue *q, uint32_t jobs)
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

static void handing_over(void *page)
{
	uint32_t seen = 0, i, right = 0;

	start(page);
	ring(p.compute, 3);
	ok(fake.submits == 1 && fake.job_count == 3 && fake.jobs[2].va == 0x100200 &&
		   fake.jobs[2].size == 36,
	   "entries of the ring are handed over as jobs, at once");
	w->ring_doorbell(p.compute);
	ok(fake.submits == 1, "and only once");
	for (i = 0; i < 3; i++)
		ring(p.compute, 200);
	for (i = 0; i < fake.job_count; i++)
		right += fake.jobs[i].va == 0x100000 + 0x100 * (i % 256);
	ok(fake.job_count == 603 && right == 603, "also around the ring's end");

	w->wait(p.group, &seen, 1000);
	ok(!seen && fake.waits == 1, "there is waiting while work is done");
	fake.signalled = 2;
	w->wait(p.group, &seen, 1000);
	ok(seen == 2 && fake.waits == 1, "who has not seen all that was done does not wait");
	w->wait(p.group, &seen, 1000);
	ok(seen == 2 && fake.waits == 2, "who has, does");
	fake.signalled = 4;
	w->wait(p.group, &seen, 1000);
	w->wait(p.group, &seen, 1000);
	ok(seen == 4 && fake.waits == 2, "when all is done time alone passes");
	w->queue_destroy(p.copy);
	w->queue_destroy(p.compute);
	p.compute = p.copy = NULL;
	seen = 0;
	w->wait(p.group, &seen, 1000);
	ok(seen == 4, "a queue that goes takes nothing back");
	end(&p);
	ok(!fake_live() && !fake.wrong, "all is given back");
}

/* Rings of the process's own: nothing is handed over, and the bell is where the driver says. */
static void own_rings(void *page)
{
	struct winsys_queue_memory m, copy;
	struct winsys_queue *bad = NULL;
	uint32_t seen = 0;

	fake_modes = 1 << DRM_SOVGPU_QUEUE_KERNEL | 1 << DRM_SOVGPU_QUEUE_USER;
	failures(page);
	start(page);
	w->queue_memory(p.compute, &m);
	w->queue_memory(p.copy, &copy);
	ok((void *)m.ring == w->buffer_map(p.vram) && m.ring_entries == 256 &&
		   (uint8_t *)m.put - (uint8_t *)m.get == FAKE_PUT - FAKE_GET && m.doorbell &&
		   (uintptr_t)m.doorbell % 16 == 0 && m.doorbell_value == FAKE_TOKEN,
	   "a ring is the runtime's own memory, and has pointers and a bell");
	ok(m.doorbell == copy.doorbell && m.put != copy.put,
	   "queues share the bell, and nothing else");
	ok(!fake.live[FAKE_SYNCOBJ] && !fake.submits, "no call takes work");
	w->wait(p.group, &seen, 1000);
	ok(!seen && fake.waits == 1, "there is waiting for an interrupt");
	fake.interrupts = 7;
	w->wait(p.group, &seen, 1000);
	ok(seen == 7, "which is seen");
	fake.put_offset = 4095;
	ok(w->queue_create(p.group,
			   &(struct winsys_queue_options){
				   .ring = p.vram, .ring_va = 0x10000, .ring_entries = 256},
			   &bad) == -EPROTO &&
		   strstr(winsys_take_error(), "4095"),
	   "pointers that lie beyond their page are refused");
	end(&p);
	ok(!fake_live() && !fake.wrong, "all is given back");

	setenv("SOV_KMOD", "ioctl", 1);
	start(page);
	ring(p.compute, 2);
	ok(fake.submits == 1 && fake.job_count == 2,
	   "SOV_KMOD=ioctl submits by ioctl although user queues exist");
	end(&p);
	unsetenv("SOV_KMOD");
	fake_modes = 1 << DRM_SOVGPU_QUEUE_KERNEL;
}

static void failing(void *page)
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
		start(page);
		ok(!w->group_error(p.group, &e), "a new group has no error");
		p.group->state_queried_ns = 0; /* a millisecond later */
		fake.state = (struct drm_sovgpu_queue_state){.queue_id = p.compute->id,
							     .state = cases[i].state,
							     .fault_code = cases[i].code,
							     .fault_address = cases[i].address};
		ok(w->group_error(p.group, &e) && e.queue == p.compute &&
			   e.vendor_code == cases[i].code && e.memory == cases[i].memory &&
			   e.address == cases[i].address && e.timed_out == cases[i].timed_out &&
			   strstr(e.text, cases[i].text),
		   "a faulted queue is reported: %s", e.text);
		end(&p);
	}
	start(page);
	fake.submit_error = ENOMEM;
	ring(p.compute, 1);
	ok(w->group_error(p.group, &e) && !e.queue &&
		   strstr(e.text, "rejected work: Cannot allocate memory"),
	   "a rejected submission is an error of the group: %s", e.text);
	end(&p);
	start(page);
	fake.submit_error = ECANCELED;
	fake.state = (struct drm_sovgpu_queue_state){
		.queue_id = p.copy->id, .state = DRM_SOVGPU_QUEUE_STATE_FAULTED, .fault_code = 69};
	ring(p.compute, 1);
	ok(w->group_error(p.group, &e) && e.queue == p.copy && e.vendor_code == 69,
	   "work that is refused because another queue failed tells of that one");
	w->group_stop(p.group);
	ok(!fake.live[FAKE_GROUP] && fake.live[FAKE_QUEUE] == 2,
	   "a group that is stopped goes at once");
	end(&p);
	ok(!fake_live() && !fake.wrong, "all is given back");
}

/* The driver has a group for each priority; here they are one. */
static void priorities(void *page)
{
	struct winsys_queue_options o = {.ring_va = 0x10000, .ring_entries = 256, .priority = -1};
	struct winsys_queue *low;
	struct winsys_error e;
	struct winsys_info info;

	start(page);
	w->info(p.devices[0], &info);
	ok(info.min_priority == -1 && !info.max_priority, "there is one priority below the usual");
	ok(fake.priorities == 1, "a group is the usual one at first");
	o.ring = p.vram;
	if (!ok(!w->queue_create(p.group, &o, &low) && fake.priorities == 3 &&
			fake.low_queues == 1 && fake.live[FAKE_GROUP] == 2,
		"a queue that is less urgent is in a group of its own"))
		return;
	fake.state = (struct drm_sovgpu_queue_state){
		.queue_id = low->id, .state = DRM_SOVGPU_QUEUE_STATE_FAULTED, .fault_code = 13};
	ok(w->group_error(p.group, &e) && e.queue == low && e.vendor_code == 13,
	   "their fate is one: %s", e.text);
	w->group_stop(p.group);
	ok(!fake.live[FAKE_GROUP], "both are stopped");
	w->queue_destroy(low);
	end(&p);
	ok(!fake_live() && !fake.wrong, "all is given back");
}

int main(void)
{
	void *page = aligned_alloc(0x10000, 0x10000);

	unsetenv("SOV_KMOD");
	finding();
	left_out();
	failures(page);
	handing_over(page);
	own_rings(page);
	failing(page);
	priorities(page);
	free(page);
	return tap_done();
}
