/* SPDX-License-Identifier: MIT */
/*
 * The way through NVIDIA's kernel module, against a module that is not there: what is found, what
 * is refused and how, and that nothing is left behind, whichever call fails.
 */
#include "tests/tap.h"
#include "tests/userspace/winsys/_fake_rm.h"

static const struct winsys *const w = &winsys_nvrm;

static int enumerate(struct winsys_device ***devices, uint32_t *count, char message[256])
{
	*message = 0;
	return w->enumerate(0, devices, count, message, 256);
}

/* ---- finding ---- */

static void finding(void)
{
	struct winsys_device **devices;
	struct winsys_info info;
	char message[256];
	uint32_t count;

	fake_reset();
	fake.open_error = ENOENT;
	ok(!enumerate(&devices, &count, message) && !count && !*message,
	   "where there is no module there are no devices, and nothing is said");

	fake.open_error = EACCES;
	ok(enumerate(&devices, &count, message) == -EACCES && strstr(message, "/dev/nvidiactl") &&
		   strstr(message, "SOV_NVRM=0"),
	   "without permission the file and the way out are named");
	diag("%s", message);

	setenv("SOV_NVRM", "0", 1);
	ok(!enumerate(&devices, &count, message) && !count, "SOV_NVRM=0 does not even look");
	setenv("SOV_NVRM", "yes", 1);
	ok(enumerate(&devices, &count, message) == -EINVAL && strstr(message, "'yes'"),
	   "SOV_NVRM is 0 or 1");
	unsetenv("SOV_NVRM");

	fake_reset();
	fake.cards = 3;
	ok(!enumerate(&devices, &count, message) && count == 3, "three cards are three devices");
	ok(!strcmp(devices[0]->path, "/dev/nvidia0") && !strcmp(devices[2]->path, "/dev/nvidia2"),
	   "in the order of their files");
	w->info(devices[0], &info);
	ok(!strcmp(info.chip, "gh100") && !strcmp(info.target, "sm_90") &&
		   info.multiprocessors == 132 && info.warps_per_multiprocessor == 64 &&
		   info.memory_bytes == UINT64_C(128) << 30 &&
		   info.shared_per_multiprocessor == 228 << 10,
	   "a card is known by its chip and size");
	nvrm_forget();
	ok(!fake_live() && !fake.wrong, "and all is given back");

	fake_reset();
	fake.architecture = 0x1b0;
	ok(!enumerate(&devices, &count, message) && !count,
	   "a chip that this version does not know is left out");
	nvrm_forget();
	fake_reset();
	fake.lost = true;
	ok(enumerate(&devices, &count, message) == -ENODEV && strstr(message, "gone from the bus"),
	   "a GPU that does not answer is named, if it is the only one");
	diag("%s", message);
	ok(!fake_live() && !fake.wrong, "and nothing is left of it");
}

static void versions(void)
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
		   "version '%s' is %s", cases[i].version, cases[i].good ? "taken" : "refused");
		nvrm_forget();
		setenv("SOV_NVRM_ANY", "1", 1);
		ok(!enumerate(&devices, &count, message) == cases[i].any,
		   "and with SOV_NVRM_ANY=1 %s", cases[i].any ? "taken" : "refused");
		unsetenv("SOV_NVRM_ANY");
		nvrm_forget();
		if (fake_live())
			ok(false, "nothing is left of version '%s'", cases[i].version);
	}
}

/* ---- everything that a program does, once ---- */

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

static void end(struct program *p)
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
	nvrm_forget();
}

/* How many steps went well. */
static uint32_t run(void *page, int *error)
{
	struct program p = {0};
	uint32_t number = 0;

	while (!(*error = step(&p, number, page)))
		number++;
	end(&p);
	return number;
}

static void failures(void *page, enum fake_failure kind)
{
	uint32_t steps, calls, n, silent = 0, wrong = 0, left = 0;
	int error;

	fake_reset();
	fake.version = "570.86.16";
	run(page, &error);
	ok(error == 1 && !fake_live() && !fake.wrong, "release 570 gets its own structures");
	fake_reset();
	steps = run(page, &error);
	calls = fake.calls;
	ok(error == 1 && !fake_live() && !fake.wrong, "a program of %u steps makes %u calls", steps,
	   calls);
	for (n = 1; n <= calls; n++) {
		uint32_t reached;

		fake_reset();
		fake.fail_at = n;
		fake.failure = kind;
		reached = run(page, &error);
		left += fake_live();
		wrong += fake.wrong;
		/* Waiting and the choice of a copy engine go on without what they asked for. */
		if (error == 1)
			silent++;
		else if (!error || reached >= steps)
			diag("call %u: %u steps, error %d", n, reached, error);
	}
	ok(!left, "whichever call fails%s, nothing is left",
	   kind == FAKE_STATUS ? " by its status" : "");
	ok(!wrong, "and nothing is used that is not there");
	ok(silent < calls / 2,
	   "and the failure is told, but for the %u calls that one can do without", silent);
}

/* ---- a group ---- */

static void group(void)
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
		"a group"))
		return;
	o.ring = ring;
	o.ring_offset = 0x1000;
	for (i = 0; i < 3; i++) {
		o.engine = i == 2 ? WINSYS_COPY : WINSYS_COMPUTE;
		ok(!w->queue_create(g, &o, &q[i]), "queue %u", i);
		w->queue_memory(q[i], &m);
		ok((uint8_t *)m.put == (uint8_t *)g->userd->cpu + 512 * i + 0x8c &&
			   (uint8_t *)m.ring == (uint8_t *)ring->cpu + 0x1000,
		   "has a ring and indices of its own");
	}
	ok(devices[0]->copy_engine == RM_ENGINE_COPY0 + 3,
	   "copies go to the engine with most hardware");
	w->queue_memory(q[0], &m);
	ok((uint8_t *)m.doorbell == devices[0]->bell + 0x90 && m.doorbell_value == 0xa0004,
	   "a bell and its token");
	ok(fake.window_bells == 1 && !m.doorbell_passes_writes, "which stays behind what is written to memory");
	*(uint32_t *)(devices[0]->user + 0x84) = 5;
	*(uint32_t *)(devices[0]->user + 0x80) = 7;
	ok(w->gpu_time(devices[0]) == (UINT64_C(5) << 32 | 7), "the GPU's time is read");

	fake.interrupt = true;
	w->wait(g, &seen, 1000);
	ok(seen == 1, "an interrupt ends a wait");
	i = 0;
	w->wait(g, &i, 1000000000);
	ok(i == 1, "one that has been seen by another too");

	ok(!w->group_error(g, &e), "all is well");
	w->queue_destroy(q[1]);
	w->group_stop(g);
	ok(fake.stops == 1, "what runs is stopped, whichever queue was made last");
	((struct nv_notification *)g->notifier->cpu)->info32 = 31;
	((struct nv_notification *)g->notifier->cpu)->status = 0xffff;
	ok(w->group_error(g, &e) && e.vendor_code == 31 && e.memory && e.address == 0x7000000000 &&
		   e.pc == 0x12340,
	   "until the notifier says otherwise: %s", e.text);
	ok(w->group_error(g, &e) && e.vendor_code == 31, "which stays so");
	w->group_stop(g);
	ok(fake.stops == 1, "and then nothing runs that would have to be stopped");
	w->queue_destroy(q[0]);
	w->queue_destroy(q[2]);
	w->group_destroy(g);
	w->buffer_destroy(ring);
	nvrm_forget();
	ok(!fake_live() && !fake.wrong, "all is given back");
}

/* A chip whose doorbell is a register and no more. */
static void bell_of_registers(void)
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
		"a queue of an AD102"))
		return;
	w->queue_memory(q, &m);
	ok((uint8_t *)m.doorbell == devices[0]->user + 0x90 && !fake.window_bells && m.doorbell_passes_writes,
	   "its bell may overtake what is written to memory");
	w->queue_destroy(q);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_forget();
	ok(!fake_live() && !fake.wrong, "all is given back");
}

static void many_queues(void)
{
	static struct winsys_queue *q[NVRM_QUEUES + 1];
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
		ok(false, "a group");
		return;
	}
	while (n < 100 && !(error = w->queue_create(g, &o, &q[n])))
		n++;
	ok(!error, "a group takes a hundred queues");
	for (i = 0; i < 3 * NVRM_QUEUES && !error; i++) {
		w->queue_destroy(q[n - 1]);
		error = w->queue_create(g, &o, &q[n - 1]);
	}
	ok(!error, "one after the other, any number");
	ok(w->buffer_create(devices[0], WINSYS_VRAM, 0x1000, &o.ring) == -EINVAL &&
		   strstr(winsys_take_error(), "4096 bytes"),
	   "a buffer is whole pages");
	while (n)
		w->queue_destroy(q[--n]);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_forget();
	ok(!fake_live() && !fake.wrong, "all is given back");
}

static uint32_t channel_groups(void)
{
	uint32_t i, n = 0;

	for (i = 0; i < FAKE_OBJECTS; i++)
		n += fake.object[i].handle && fake.object[i].class == RM_CLASS_CHANNEL_GROUP;
	return n;
}

/* Each priority has a channel group of its own. */
static void priorities(void)
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
		ok(false, "a group");
		return;
	}
	w->info(devices[0], &info);
	ok(info.min_priority == -1 && info.max_priority == 1, "there are three priorities");
	for (i = 0; i < 5; i++) {
		o.priority = of[i];
		good += !w->queue_create(g, &o, &q[i]);
	}
	ok(good == 5 && channel_groups() == 3, "each has a channel group");
	ok(fake.slices == 2 && fake.slice_us[0] == 8000 && fake.slice_us[1] == 500,
	   "which has more time than usual, or less");
	ok(fake.interleaves == 1,
	   "and its turn more often, where that is allowed; if not, no matter");
	w->group_stop(g);
	ok(fake.stops == 3, "what runs is stopped in all of them");
	while (good)
		w->queue_destroy(q[--good]);
	w->group_destroy(g);
	w->buffer_destroy(o.ring);
	nvrm_forget();
	ok(!fake_live() && !fake.wrong, "all is given back");
}

/* ---- words ---- */

static void words(void)
{
	struct rm_mmu_faults faults = {.count = 1, .list = {{0x7000000000, 6, 1}}};
	static struct rm_sm_errors errors = {
		.count = 3, .sm = {[1] = {.warp = 0x80000f, .pc = 0x40, .address = 0x1002}}};
	struct winsys_error e;

	nvrm_describe(31, &faults, NULL, &e);
	is_str(e.text, "invalid write in the page at 0x7000000000: it may only be read",
	       "an MMU fault has an address, an access and a reason");
	nvrm_describe(13, &faults, &errors, &e);
	is_str(e.text, "an address that is not aligned to its size: 0x1002",
	       "a warp's error has a name and an address");
	ok(e.pc == 0x40 && e.memory && e.address == 0x1002, "and a place");
	errors.sm[1].warp = 0x20;
	nvrm_describe(13, &faults, &errors, &e);
	ok(strstr(e.text, "only be read") && e.pc == 0x40 && e.address == 0x7000000000,
	   "a warp whose access the MMU refused says what and where");
	nvrm_describe(109, NULL, NULL, &e);
	ok(strstr(e.text, "Xid 109") && strstr(e.text, "interrupted"), "other Xids have words");
	nvrm_describe(1234, NULL, NULL, &e);
	ok(strstr(e.text, "Xid 1234"), "unknown ones their number");
	errors.sm[1].warp = 0x7e;
	nvrm_describe(13, NULL, &errors, &e);
	ok(strstr(e.text, "no name"), "unknown errors of warps are told as such");
}

int main(void)
{
	void *page = aligned_alloc(4096, 4096);

	unsetenv("SOV_NVRM");
	nvrm_os = &fake_os;
	finding();
	versions();
	failures(page, FAKE_ERRNO);
	failures(page, FAKE_STATUS);
	group();
	bell_of_registers();
	many_queues();
	priorities();
	words();
	free(page);
	return tap_done();
}
