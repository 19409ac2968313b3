// SPDX-License-Identifier: MIT
/*
 * The back end for amdgpu's compute interface against a fake of it over software GPUs: the ABI, the
 * topology, rejected kernels and GPUs, copies and interrupts, exceptions, and that nothing leaks,
 * whichever call fails.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "hw/amd/pm4.h"
#include "hw/amd/queue.h"
#include "hw/amd/sdma.h"
#include "libsov/sov.h"
#include "libsov/winsys/kfd/kfd.h"
#include "model/kfd/model_kfd.h"
#include "tests/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define VRAM_BYTES   (UINT64_C(64) << 20)

static const struct winsys *const w = &winsys_kfd;

static void install(uint32_t gpus)
{
	struct model_config c = {.chip = model_chip_find("navi21"), .vram_bytes = VRAM_BYTES};
	const struct model_config list[MODEL_KFD_GPUS] = {c, c, c, c};

	kfd_close();
	if (model_kfd_install(list, gpus))
		abort();
}

static int enumerate(struct winsys_device ***devices, uint32_t *count, char message[512])
{
	*message = 0;
	return w->enumerate(0, devices, count, message, 512);
}

/* All that was made is gone, and no call had wrong arguments. */
static bool clean(void)
{
	if (model_kfd.wrong)
		diag("wrong: %s", model_kfd.why);
	if (model_kfd_live())
		diag("%u objects are left", model_kfd_live());
	return !model_kfd.wrong && !model_kfd_live();
}

/* ---- the ABI ---- */

/* The values are those of Linux' include/uapi/linux/kfd_ioctl.h, as a compiler computed them. */
#define SAME(ours, value)           {#ours, (unsigned long)(ours), value}
#define MEMBER(type, member, value) SAME(offsetof(struct type, member), value)

static const struct {
	const char *name;
	unsigned long ours, theirs;
} abi[] = {
	SAME(KFD_GET_VERSION, 0x80084b01),
	SAME(KFD_CREATE_QUEUE, 0xc0584b02),
	SAME(KFD_DESTROY_QUEUE, 0xc0084b03),
	SAME(KFD_GET_CLOCKS, 0xc0284b05),
	SAME(KFD_CREATE_EVENT, 0xc0204b08),
	SAME(KFD_DESTROY_EVENT, 0x40084b09),
	SAME(KFD_WAIT_EVENTS, 0xc0184b0c),
	SAME(KFD_GET_APERTURES, 0xc0104b14),
	SAME(KFD_ACQUIRE_VM, 0x40084b15),
	SAME(KFD_ALLOC_MEMORY, 0xc0284b16),
	SAME(KFD_FREE_MEMORY, 0x40084b17),
	SAME(KFD_MAP_MEMORY, 0xc0184b18),
	SAME(KFD_UNMAP_MEMORY, 0xc0184b19),
	SAME(KFD_AVAILABLE_MEMORY, 0xc0104b23),
	SAME(KFD_MEMORY_VRAM, 1),
	SAME(KFD_MEMORY_GTT, 2),
	SAME(KFD_MEMORY_USER, 4),
	SAME(KFD_MEMORY_COHERENT, 0x4000000),
	SAME(KFD_MEMORY_NO_SUBSTITUTE, 0x10000000),
	SAME(KFD_MEMORY_EXECUTABLE, 0x40000000),
	SAME(KFD_MEMORY_WRITABLE, 0x80000000),
	SAME(KFD_QUEUE_COMPUTE, 0),
	SAME(KFD_QUEUE_SDMA, 1),
	SAME(KFD_QUEUE_MAX_PRIORITY, 15),
	SAME(KFD_EVENT_SIGNAL, 0),
	SAME(KFD_EVENT_HARDWARE, 3),
	SAME(KFD_EVENT_MEMORY, 8),
	SAME(KFD_MAX_EVENTS, 0x1000),
	SAME(KFD_WAIT_TIMEOUT, 1),
	SAME(KFD_WAIT_FAIL, 2),
	SAME(KFD_RESET_ECC, 1),
	SAME(sizeof(struct kfd_event_data), 48),
	MEMBER(kfd_create_queue, doorbell_offset, 24),
	MEMBER(kfd_create_queue, type, 40),
	MEMBER(kfd_create_queue, queue_id, 52),
	MEMBER(kfd_create_queue, eop_buffer, 56),
	MEMBER(kfd_create_queue, save_area, 72),
	MEMBER(kfd_create_queue, save_bytes, 80),
	MEMBER(kfd_create_queue, control_stack_bytes, 84),
	MEMBER(kfd_alloc_memory, handle, 16),
	MEMBER(kfd_alloc_memory, mmap_offset, 24),
	MEMBER(kfd_alloc_memory, flags, 36),
	MEMBER(kfd_map_memory, gpu_ids, 8),
	MEMBER(kfd_map_memory, done, 20),
	MEMBER(kfd_create_event, event_id, 24),
	MEMBER(kfd_create_event, slot, 28),
	MEMBER(kfd_wait_events, timeout_ms, 16),
	MEMBER(kfd_wait_events, result, 20),
	MEMBER(kfd_event_data, event_id, 40),
	MEMBER(kfd_event_data, memory.va, 16),
	MEMBER(kfd_event_data, memory.gpu_id, 24),
	MEMBER(kfd_event_data, hardware.gpu_id, 12),
	MEMBER(kfd_apertures, gpu_id, 48),
	MEMBER(kfd_apertures, private_base, 16),
	MEMBER(kfd_apertures, va_limit, 40),
};

static void test_abi(void)
{
	uint32_t i, different = 0;

	for (i = 0; i < COUNT(abi); i++)
		if (abi[i].ours != abi[i].theirs) {
			diag("%s: 0x%lx and 0x%lx", abi[i].name, abi[i].ours, abi[i].theirs);
			different++;
		}
	ok(!different, "kfd: %u requests, constants and offsets are those of Linux' header",
	   (uint32_t)COUNT(abi));
}

/* ---- the topology ---- */

#define NODE \
	"simd_count 160\nsimd_per_cu 2\nmax_waves_per_simd 16\nlds_size_in_kb 64\n" \
	"array_count 8\nsimd_arrays_per_engine 2\ndrm_render_minor 128\n"

static void test_topology(void)
{
	static const struct {
		const char *text, *message; /* message NULL: valid */
	} cases[] = {
		{NODE "gfx_target_version 100300\n", NULL},
		{NODE "gfx_target_version 100306\nunknown_property 18446744073709551615", NULL},
		{NODE "gfx_target_version 110000\n",
		 "gfx1100 is not supported; supported: gfx1030"},
		{NODE "gfx_target_version 90010\n", "gfx90a is not supported"},
		{NODE, "gfx000 is not supported"},
		{NODE "gfx_target_version\n", "'gfx_target_version' is not a name and a number"},
		{NODE "gfx_target_version 1003 00\n", "is not a name and a number"},
		{NODE "gfx_target_version -1\n", "is not a name and a number"},
		{NODE " 100300\n", "is not a name and a number"},
		{NODE "\n", "'' is not a name and a number"},
		{NODE "unique_id 18446744073709551616\n", "is not a name and a number"},
		{NODE "simd_per_cu 2\n", "'simd_per_cu' occurs twice"},
		{"simd_count 8193\n", "'simd_count' is 8193, above 8192"},
		{NODE "gfx_target_version 100300\nnum_xcc 8\n", "8 XCCs"},
		{"simd_count 3\nsimd_per_cu 2\ngfx_target_version 100300\n", "3 SIMDs, 2 per"},
		{NODE "gfx_target_version 100300\ncwsr_size 4096\n", "4096 bytes, 0 of them"},
		{NODE "gfx_target_version 100300\ncwsr_size 4096\nctl_stack_size 8192\n",
		 "4096 bytes, 8192 of them control stack"},
	};
	static const char good_bank[] = "heap_type 2\nsize_in_bytes 17163091968\n",
			  large_bank[] = "heap_type 2\nsize_in_bytes 99999999999999\n";
	struct kfd_node n;
	struct kfd_bank bank;
	uint64_t number;
	char message[256];
	uint32_t i;

	for (i = 0; i < COUNT(cases); i++) {
		size_t bytes = strlen(cases[i].text);
		bool valid = kfd_node_parse(cases[i].text, bytes, &n, message, sizeof(message)) &&
			     kfd_node_check(&n, message, sizeof(message));
		const char *wanted = cases[i].message;

		ok(valid == !wanted && (!wanted || strstr(message, wanted)), "kfd: node %u is %s%s",
		   i, wanted ? "rejected: " : "valid", wanted ? wanted : "");
		if (!valid)
			diag("%s", message);
	}
	ok(kfd_bank_parse(good_bank, strlen(good_bank), &bank, message, sizeof(message)) &&
		   bank.heap_type == KFD_HEAP_VRAM_PRIVATE && bank.bytes == 17163091968,
	   "kfd: a memory bank has a type and a size");
	ok(!kfd_bank_parse(large_bank, strlen(large_bank), &bank, message, sizeof(message)) &&
		   strstr(message, "'size_in_bytes' is 99999999999999, above"),
	   "kfd: an implausible memory bank is rejected");
	ok(kfd_number_parse("48123\n", 6, &number) && number == 48123 &&
		   !kfd_number_parse("", 0, &number) && !kfd_number_parse("4x", 2, &number),
	   "kfd: a file of one number is read");
	kfd_node_parse(NODE "gfx_target_version 100300\n", strlen(NODE) + 26, &n, message,
		       sizeof(message));
	kfd_node_check(&n, message, sizeof(message));
	ok(n.control_stack_bytes == 0x7000 && n.save_bytes == 0x1a97000 && n.eop_bytes == 4096 &&
		   n.debug_bytes == 0x14000,
	   "kfd: sizes of the save area are computed for kernels before 6.12");
}

/* ---- enumeration ---- */

static void test_enumeration(void)
{
	static const char *const chips[] = {"navi21", "navi22",    "navi23", "vangogh",
					    "navi24", "rembrandt", "raphael"};
	struct winsys_device **devices;
	struct winsys_info info;
	char message[512];
	uint32_t count, i;

	install(1);
	model_kfd.open_error = ENOENT;
	ok(!enumerate(&devices, &count, message) && !count && !*message,
	   "kfd: without /dev/kfd there are no devices and no message");
	model_kfd.open_error = EACCES;
	ok(enumerate(&devices, &count, message) == -EACCES && strstr(message, "/dev/kfd") &&
		   strstr(message, "render or video") && strstr(message, "SOV_KFD=0"),
	   "kfd: a permission error names the file, the groups and SOV_KFD=0");
	diag("%s", message);
	setenv("SOV_KFD", "0", 1);
	ok(!enumerate(&devices, &count, message) && !count && !model_kfd_live(),
	   "kfd: SOV_KFD=0 opens no file");
	setenv("SOV_KFD", "yes", 1);
	ok(enumerate(&devices, &count, message) == -EINVAL && strstr(message, "'yes'"),
	   "kfd: SOV_KFD=yes is rejected");
	unsetenv("SOV_KFD");

	install(1);
	model_kfd.render_error = EACCES;
	ok(enumerate(&devices, &count, message) == -EACCES &&
		   strstr(message, "/dev/dri/renderD128") && clean(),
	   "kfd: a permission error of the render node names it");

	install(3);
	ok(!enumerate(&devices, &count, message) && count == 3,
	   "kfd: three GPUs are three devices");
	w->info(devices[1], &info);
	ok(!strcmp(info.chip, "navi21") && !strcmp(info.target, "gfx1030") &&
		   info.multiprocessors == 80 && info.warps_per_multiprocessor == 32 &&
		   info.memory_bytes == VRAM_BYTES && info.amd.shader_engines == 4 &&
		   info.identity.pci_bus == 4 && info.identity.pci_device_id == 0x73bf &&
		   info.identity.file_number == 129 && info.copy_queues && !info.software,
	   "kfd: device information has the chip, its size and its address");
	diag("%s, %s", info.product, info.driver);
	kfd_close();
	ok(clean(), "kfd: closing after enumeration leaves nothing open");

	for (i = 0; i < COUNT(chips); i++) {
		install(1);
		model_kfd.gfx_version = 100300 + i;
		ok(!enumerate(&devices, &count, message) && count == 1 &&
			   !strcmp(devices[0]->info.chip, chips[i]),
		   "kfd: gfx103%u is %s", i, chips[i]);
	}
	install(1);
	model_kfd.gfx_version = 110000;
	ok(!enumerate(&devices, &count, message) && !count && strstr(message, "gfx1100"),
	   "kfd: a GPU of gfx1100 is skipped");
	install(1);
	model_kfd.properties = NODE "gfx_target_version 100300\nsimd_count 0\n";
	ok(enumerate(&devices, &count, message) == -EPROTO &&
		   strstr(message, "'simd_count' occurs twice") &&
		   strstr(message, "nodes/1/properties") && clean(),
	   "kfd: a malformed topology is an error that names the file");
	diag("%s", message);
}

static void test_versions(void)
{
	static const struct {
		uint32_t major, minor;
		bool good;
	} cases[] = {{1, 11, true}, {1, 17, true}, {1, 10, false}, {2, 11, false}, {0, 0, false}};
	struct winsys_device **devices;
	char message[512];
	uint32_t count, i;

	for (i = 0; i < COUNT(cases); i++) {
		install(1);
		model_kfd.major = cases[i].major;
		model_kfd.minor = cases[i].minor;
		ok(!enumerate(&devices, &count, message) == cases[i].good &&
			   (cases[i].good ||
			    (strstr(message, "supported is 1, from 1.11") && clean())),
		   "kfd: version %u.%u is %s", cases[i].major, cases[i].minor,
		   cases[i].good ? "accepted" : "rejected");
	}
}

/* ---- one program ---- */

#define VA_RING   0x200000000
#define VA_VRAM   0x300000000
#define VA_SYSTEM 0x400000000
#define RING      4096 /* words */

struct program {
	struct winsys_device **devices;
	uint32_t count, seen;
	struct winsys_buffer *ring[2], *vram, *system, *own;
	struct winsys_group *group;
	struct winsys_queue *queue[2]; /* by enum winsys_engine */
	struct winsys_queue_memory memory[2];
	uint64_t put[2];
	void *page;
};

static struct winsys_queue_options options(const struct program *p, enum winsys_engine engine)
{
	return (struct winsys_queue_options){
		.engine = engine,
		.ring = p->ring[engine],
		.ring_va = VA_RING + engine * 0x100000,
		.ring_entries = RING,
		.ring_entry_bytes = 4,
	};
}

static int start_ring(struct program *p, enum winsys_engine engine)
{
	struct winsys_queue_options o = options(p, engine);
	int error = w->buffer_create(p->devices[0], WINSYS_SYSTEM, 4 * RING, &p->ring[engine]);

	if (!error)
		error = w->bind(p->group, p->ring[engine], o.ring_va);
	o.ring = p->ring[engine];
	if (!error)
		error = w->queue_create(p->group, &o, &p->queue[engine]);
	if (!error)
		w->queue_memory(p->queue[engine], &p->memory[engine]);
	return error;
}

/* Returns 1 after the last step. */
static int step(struct program *p, uint32_t number)
{
	char message[512];

	switch (number) {
	case 0:
		return enumerate(&p->devices, &p->count, message) ? -1 : p->count ? 0 : -ENODEV;
	case 1:
		return w->buffer_create(p->devices[0], WINSYS_VRAM, 0x100000, &p->vram);
	case 2:
		return w->buffer_create(p->devices[0], WINSYS_SYSTEM, 0x2000, &p->system);
	case 3:
		return w->buffer_import(p->devices[0], p->page, 0x1000, &p->own);
	case 4:
		return w->group_create(p->devices[0], &p->group);
	case 5:
		return w->bind(p->group, p->vram, VA_VRAM);
	case 6:
		return w->bind(p->group, p->system, VA_SYSTEM);
	case 7:
		return w->bind(p->group, p->own, (uintptr_t)p->page);
	case 8:
		return w->buffer_map(p->system) ? 0 : -ENOMEM;
	case 9:
		return start_ring(p, WINSYS_COMPUTE);
	case 10:
		return start_ring(p, WINSYS_COPY);
	case 11:
		w->wait(p->group, &p->seen, 1000);
		return 0;
	default:
		return 1;
	}
}

static void destroy(struct program *p)
{
	struct winsys_buffer *const buffers[] = {p->own, p->system, p->vram, p->ring[0],
						 p->ring[1]};
	uint32_t i;

	for (i = 0; i < 2; i++)
		if (p->queue[i])
			w->queue_destroy(p->queue[i]);
	if (p->group)
		w->group_destroy(p->group);
	for (i = 0; i < COUNT(buffers); i++)
		if (buffers[i])
			w->buffer_destroy(buffers[i]);
	kfd_close();
}

/* Returns the number of steps that succeeded; the program is destroyed unless p is given. */
static uint32_t run_steps(struct program *p, void *page, int *error)
{
	uint32_t number = 0;

	memset(p, 0, sizeof(*p));
	p->page = page;
	while (!(*error = step(p, number)))
		number++;
	return number;
}

static void test_failures(void *page)
{
	uint32_t steps, calls, n, unnoticed = 0, wrong = 0, leaked = 0;
	struct program p;
	int error;

	install(1);
	steps = run_steps(&p, page, &error);
	destroy(&p);
	calls = model_kfd.calls;
	ok(error == 1 && clean(), "kfd: a program of %u calls leaves nothing behind", calls);
	for (n = 1; n <= calls; n++) {
		install(1);
		model_kfd.fail_at = n;
		run_steps(&p, page, &error);
		destroy(&p);
		unnoticed += model_kfd.failed && error == 1;
		wrong += model_kfd.wrong;
		if (model_kfd.wrong)
			diag("call %u: %s", n, model_kfd.why);
		leaked += model_kfd_live();
	}
	ok(steps == 12 && unnoticed == 2,
	   "kfd: each of %u failing calls is reported, but for a wait and the node of the CPU",
	   calls);
	ok(!leaked && !wrong, "kfd: nothing leaks, whichever call fails");
	(void)winsys_take_error();
}

/* A group's creation, which has the calls for events, succeeds when it is repeated. */
static void test_repetition(void)
{
	uint32_t count, n = 0, wrong = 0;
	struct winsys_device **devices;
	struct winsys_group *group;
	char message[512];
	int error;

	do {
		install(1);
		enumerate(&devices, &count, message);
		model_kfd.fail_at = model_kfd.calls + ++n;
		error = w->group_create(devices[0], &group);
		if (error)
			error = w->group_create(devices[0], &group);
		if (error)
			diag("call %u: %s", n, winsys_take_error());
		else
			w->group_destroy(group);
		kfd_close();
		wrong += error || !clean();
	} while (model_kfd.failed);
	ok(n > 9 && !wrong,
	   "kfd: a group's creation that has failed succeeds afterwards (%u failures)", n - 1);
	(void)winsys_take_error();
}

/* ---- work ---- */

static void submit(struct program *p, enum winsys_engine engine, const uint32_t *words,
		   uint32_t count)
{
	struct winsys_queue_memory *m = &p->memory[engine];
	uint32_t unit = engine == WINSYS_COPY ? 4 : 1, i;

	for (i = 0; i < count; i++)
		((uint32_t *)(void *)m->ring)[(p->put[engine] / unit + i) % RING] = words[i];
	p->put[engine] += (uint64_t)count * unit;
	__atomic_store_n((uint64_t *)(void *)m->put, p->put[engine], __ATOMIC_RELEASE);
	w->ring_doorbell(p->queue[engine]);
}

#define SUBMIT(p, engine, ...) \
	submit(p, engine, (const uint32_t[]){__VA_ARGS__}, \
	       sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define LOW(x)  ((uint32_t)(x))
#define HIGH(x) ((uint32_t)((uint64_t)(x) >> 32))

/* Waits for a word, which the GPU writes, or for an error. */
static bool wait_word(struct program *p, const uint32_t *word, uint32_t value)
{
	struct winsys_error e;
	uint32_t i;

	for (i = 0; i < 20 && __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; i++) {
		if (w->group_error(p->group, &e))
			return false;
		w->wait(p->group, &p->seen, 1000000000);
	}
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) == value;
}

static void submit_copy(struct program *p, uint64_t to, uint64_t from, uint32_t bytes,
			uint32_t fence)
{
	uint64_t mailbox = p->memory[WINSYS_COPY].event_mailbox;
	uint32_t event = p->memory[WINSYS_COPY].event_id;

	SUBMIT(p, WINSYS_COPY, AMD_SDMA(AMD_SDMA_COPY, 0), bytes - 1, 0, LOW(from), HIGH(from),
	       LOW(to), HIGH(to), AMD_SDMA(AMD_SDMA_FENCE, 0), LOW(VA_SYSTEM), HIGH(VA_SYSTEM),
	       fence, AMD_SDMA(AMD_SDMA_FENCE, 0), LOW(mailbox), HIGH(mailbox), event,
	       AMD_SDMA(AMD_SDMA_TRAP, 0), event);
}

static void test_work(void *page)
{
	struct program p;
	uint32_t *words, i, *own = page, event;
	uint64_t mailbox;
	bool good = true;
	int error;

	install(1);
	run_steps(&p, page, &error);
	if (!ok(error == 1, "kfd: the program has its queues"))
		return;
	words = p.system->cpu;
	for (i = 0; i < 1024; i++)
		own[i] = 3 * i;
	submit_copy(&p, VA_VRAM, (uintptr_t)page, 4096, 1);
	submit_copy(&p, VA_SYSTEM + 4096, VA_VRAM, 4096, 2);
	ok(wait_word(&p, words, 2) && words[1024] == 0 && words[2047] == 3 * 1023,
	   "kfd: SDMA copies memory of the process to video memory and back, and interrupts");
	/* 17 words each: the pointer passes the ring's end several times. */
	for (i = 3; i < 1000 && good; i++) {
		submit_copy(&p, VA_VRAM + 4 * i, VA_VRAM, 4, i);
		good = wait_word(&p, words, i);
	}
	ok(good && p.put[WINSYS_COPY] == 999 * 17 * 4,
	   "kfd: the copy queue's pointer is not reduced");
	mailbox = p.memory[WINSYS_COMPUTE].event_mailbox;
	event = p.memory[WINSYS_COMPUTE].event_id;
	SUBMIT(&p, WINSYS_COMPUTE, AMD_PM4(AMD_PM4_RELEASE_MEM, 7),
	       AMD_RELEASE_EVENT(AMD_EVENT_CACHE_FLUSH_AND_INV_TS, AMD_EVENT_INDEX_END_OF_PIPE),
	       1u << 29, LOW(VA_SYSTEM), HIGH(VA_SYSTEM), 5000, 0, 0,
	       AMD_PM4(AMD_PM4_RELEASE_MEM, 7),
	       AMD_RELEASE_EVENT(AMD_EVENT_CACHE_FLUSH_AND_INV_TS, AMD_EVENT_INDEX_END_OF_PIPE),
	       1u << 29 | 2 << 24, LOW(mailbox), HIGH(mailbox), event, 0, event);
	ok(wait_word(&p, words, 5000), "kfd: a compute queue releases a semaphore and interrupts");
	ok(w->gpu_time(p.devices[0]), "kfd: the GPU's clock runs");
	ok(!w->buffer_map(p.vram) && strstr(winsys_take_error(), "does not map video memory"),
	   "kfd: the CPU does not map video memory");
	ok(w->bind(p.group, p.vram, VA_VRAM + 0x1000000) == -EINVAL &&
		   strstr(winsys_take_error(), "maps a buffer at one address"),
	   "kfd: a second address of a buffer is rejected");
	destroy(&p);
	ok(clean(), "kfd: the program leaves nothing behind");
}

static void test_errors(void *page)
{
	struct winsys_queue_options o;
	struct winsys_buffer *b = NULL;
	struct winsys_queue *q;
	struct program p;
	uint64_t free_bytes, total;
	int error;

	install(1);
	run_steps(&p, page, &error);
	ok(w->buffer_create(p.devices[0], WINSYS_VRAM, 100, &b) == -EINVAL &&
		   strstr(winsys_take_error(), "whole pages"),
	   "kfd: a buffer of part of a page is rejected");
	ok(w->buffer_import(p.devices[0], NULL, 4096, &b) == -EINVAL,
	   "kfd: importing no memory is rejected");
	(void)winsys_take_error();
	w->memory_info(p.devices[0], &free_bytes, &total);
	ok(total == VRAM_BYTES && free_bytes < total && free_bytes > total / 2,
	   "kfd: free memory is what amdgpu reports");
	w->buffer_create(p.devices[0], WINSYS_VRAM, 2 * VRAM_BYTES, &b);
	ok(w->bind(p.group, b, 0x500000000) == -ENOMEM &&
		   strstr(winsys_take_error(), "Cannot allocate memory"),
	   "kfd: memory that does not fit is rejected when it is bound");
	ok(w->bind(p.group, b, UINT64_C(1) << 47) == -EINVAL &&
		   strstr(winsys_take_error(), "has no addresses at 0x800000000000"),
	   "kfd: an address beyond the GPU's is rejected");
	w->buffer_destroy(b);
	o = options(&p, WINSYS_COMPUTE);
	o.ring_entries /= 2;
	ok(w->queue_create(p.group, &o, &q) == -EINVAL &&
		   strstr(winsys_take_error(), "a whole buffer"),
	   "kfd: a ring in part of a buffer is rejected");
	destroy(&p);
	ok(clean(), "kfd: rejected calls leave nothing behind");
	install(1);
	model_kfd.lds_aperture = 0x1000000000000000;
	run_steps(&p, page, &error);
	ok(error == -ENOTSUP && strstr(winsys_take_error(), "0x1000000000000000"),
	   "kfd: other apertures than the code's are rejected");
	destroy(&p);
	install(1);
	model_kfd.sizes_in_topology = false;
	run_steps(&p, page, &error);
	ok(error == 1, "kfd: a kernel before 6.12 takes queues with computed sizes");
	destroy(&p);
}

static bool group_fails(struct program *p, struct winsys_error *e)
{
	uint32_t i;

	memset(e, 0, sizeof(*e));
	for (i = 0; i < 20 && !w->group_error(p->group, e); i++)
		w->wait(p->group, &p->seen, 1000000000);
	return w->group_error(p->group, e);
}

static void test_exceptions(void *page)
{
	struct winsys_group *g = NULL;
	struct winsys_error e;
	struct program p;
	int error, i;

	install(1);
	run_steps(&p, page, &error);
	ok(!w->group_error(p.group, &e), "kfd: a new group has no error");
	SUBMIT(&p, WINSYS_COPY, AMD_SDMA(AMD_SDMA_FENCE, 0), 0x1004, 0x7, 1);
	ok(group_fails(&p, &e) && e.memory && e.address == 0x700001000 &&
		   strstr(e.text, "0x700001000: it is not mapped"),
	   "kfd: a memory exception is an error with the page's address");
	diag("%s", e.text);
	error = w->group_create(p.devices[0], &g);
	ok(error == -EIO && strstr(winsys_take_error(), "start the program again"),
	   "kfd: a GPU that had an exception is refused until the program starts again");
	destroy(&p);
	ok(clean(), "kfd: a failed program leaves nothing behind");

	install(1);
	run_steps(&p, page, &error);
	SUBMIT(&p, WINSYS_COMPUTE, 0x12345678);
	ok(group_fails(&p, &e) && !e.memory && strstr(e.text, "stopped responding and was reset"),
	   "kfd: an invalid packet ends as a reset of the GPU");
	diag("%s", e.text);
	destroy(&p);
	for (i = 0; i < 2; i++) {
		install(1);
		run_steps(&p, page, &error);
		model_kfd_raise(0, i);
		ok(group_fails(&p, &e) &&
			   strstr(e.text, i ? "memory error (ECC)" : "stopped responding") &&
			   strstr(e.text, "video memory is lost"),
		   "kfd: a hardware exception of %s is an error", i ? "ECC" : "a hang");
		destroy(&p);
	}
	ok(clean(), "kfd: exceptions leave nothing behind");
}

/* ---- several GPUs ---- */

static void test_two_gpus(void *page)
{
	struct winsys_group *other = NULL;
	struct winsys_error e;
	struct program p;
	int error;

	install(2);
	run_steps(&p, page, &error);
	ok(error == 1 && p.count == 2 && !w->group_create(p.devices[1], &other) &&
		   !w->bind(other, p.vram, VA_VRAM) && p.vram->mapped == 3,
	   "kfd: a buffer is mapped by two GPUs");
	SUBMIT(&p, WINSYS_COPY, AMD_SDMA(AMD_SDMA_FENCE, 0), 0x1004, 0x7, 1);
	ok(group_fails(&p, &e) && !w->group_error(other, &e),
	   "kfd: an exception of one GPU does not fail a group of the other");
	ok(!model_kfd_exceptions(), "kfd: nor does it end the waits for the other");
	ok(!w->unbind(other, p.vram, VA_VRAM) && p.vram->mapped == 1,
	   "kfd: unbinding on one GPU leaves the other's mapping");
	w->group_destroy(other);
	destroy(&p);
	ok(clean(), "kfd: a program on two GPUs leaves nothing behind");
}

int main(void)
{
	void *page = aligned_alloc(4096, 4096);

	unsetenv("SOV_KFD");
	test_abi();
	test_topology();
	test_enumeration();
	test_versions();
	test_failures(page);
	test_repetition();
	test_work(page);
	test_errors(page);
	test_exceptions(page);
	test_two_gpus(page);
	free(page);
	return tap_done();
}
