/* SPDX-License-Identifier: MIT */
/*
 * A fake of NVIDIA's kernel module: files, the tree of RM objects, mappings and the controls that
 * the back end uses. It counts leaks and misuse, and can make the n-th call fail by errno or by
 * status.
 */
#ifndef TESTS_FAKE_RM_H
#define TESTS_FAKE_RM_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "hw/nv/compute.h"
#include "libsov/winsys/nvrm/nvrm.h"

#define FAKE_FILES   64
#define FAKE_OBJECTS 256
#define FAKE_MAPS    64
#define FAKE_FIRST   1000 /* file descriptor */

enum fake_failure { FAKE_ERRNO, FAKE_STATUS };

static struct {
	bool file[FAKE_FILES];
	struct {
		uint32_t handle, parent, class;
	} object[FAKE_OBJECTS];
	struct {
		void *address;
		size_t bytes;
	} map[FAKE_MAPS];
	uint32_t bindings, next_handle;
	/* the simulated system */
	const char *version;
	int open_error; /* of every open() */
	uint32_t cards;
	bool interrupt; /* an interrupt is pending */
	bool lost;      /* the GPU has fallen off the bus */
	uint32_t architecture;
	bool debugging;
	uint32_t stops;
	bool privileged;      /* may raise the interleave level */
	uint64_t slice_us[8]; /* time slices in the order of the calls */
	uint32_t slices, interleaves;
	uint32_t bar1_usermode_pages; /* usermode pages behind BAR1 */
	bool map_samples;             /* the next map() is of the page of samples */
	bool no_uuid, no_samples;
	/* failure injection */
	uint32_t calls, fail_at;
	enum fake_failure failure;
	bool failed;
	/* calls with invalid arguments */
	uint32_t wrong;
} fake;

static void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.version = "580.159.04";
	fake.cards = 1;
	fake.architecture = 0x180;
	fake.next_handle = 0xcaf00000;
}

static uint32_t fake_live(void)
{
	uint32_t i, n = fake.bindings;

	for (i = 0; i < FAKE_FILES; i++)
		n += fake.file[i];
	for (i = 0; i < FAKE_OBJECTS; i++)
		n += !!fake.object[i].handle;
	for (i = 0; i < FAKE_MAPS; i++)
		n += !!fake.map[i].address;
	return n;
}

static bool fake_fails_now(void)
{
	bool now = ++fake.calls == fake.fail_at;

	fake.failed |= now;
	return now;
}

static int fake_open(const char *path)
{
	int i;

	(void)path;
	if (fake.open_error || fake_fails_now()) {
		errno = fake.open_error ? fake.open_error : EMFILE;
		return -1;
	}
	for (i = 0; fake.file[i]; i++)
		;
	fake.file[i] = true;
	return FAKE_FIRST + i;
}

static int fake_close(int file)
{
	fake.wrong += !fake.file[file - FAKE_FIRST];
	fake.file[file - FAKE_FIRST] = false;
	return 0;
}

static void fake_samples(uint8_t *page, size_t bytes);

static void *fake_map(size_t bytes, int file, bool writable)
{
	uint32_t i;
	void *p;

	fake.wrong += !fake.file[file - FAKE_FIRST];
	if (fake_fails_now()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; fake.map[i].address; i++)
		;
	fake.map[i].address = p;
	fake.map[i].bytes = bytes;
	fake.wrong += fake.map_samples == writable;
	if (fake.map_samples)
		fake_samples(p, bytes);
	fake.map_samples = false;
	return p;
}

static int fake_unmap(void *address, size_t bytes)
{
	uint32_t i;

	for (i = 0; i < FAKE_MAPS && fake.map[i].address != address; i++)
		;
	if (i == FAKE_MAPS || fake.map[i].bytes != bytes) {
		fake.wrong++;
		return -1;
	}
	fake.map[i].address = NULL;
	return munmap(address, bytes);
}

static int fake_poll(int file, uint64_t nanoseconds)
{
	bool now = fake.interrupt;

	(void)nanoseconds;
	fake.wrong += !fake.file[file - FAKE_FIRST];
	fake.interrupt = false;
	return now;
}

/* ---- objects ---- */

static bool fake_has(uint32_t handle)
{
	uint32_t i;

	for (i = 0; i < FAKE_OBJECTS; i++)
		if (handle && fake.object[i].handle == handle)
			return true;
	return false;
}

static void fake_add(uint32_t handle, uint32_t parent, uint32_t class)
{
	uint32_t i;

	fake.wrong += parent && !fake_has(parent);
	for (i = 0; fake.object[i].handle; i++)
		;
	fake.object[i].handle = handle;
	fake.object[i].parent = parent;
	fake.object[i].class = class;
}

static void fake_remove(uint32_t handle)
{
	uint32_t i;

	for (i = 0; i < FAKE_OBJECTS; i++)
		if (fake.object[i].handle && fake.object[i].parent == handle)
			fake_remove(fake.object[i].handle);
	for (i = 0; i < FAKE_OBJECTS; i++)
		if (fake.object[i].handle == handle) {
			if (fake.object[i].class == RM_CLASS_VA_SPACE)
				fake.bindings = 0; /* tests have one VA space at a time */
			fake.object[i].handle = 0;
		}
}

static bool fake_is_class(uint32_t handle, uint32_t class)
{
	uint32_t i;

	for (i = 0; i < FAKE_OBJECTS; i++)
		if (handle && fake.object[i].handle == handle)
			return fake.object[i].class == class;
	return false;
}

/* The page of samples as 580 and 570 lay it out. */
static void fake_samples(uint8_t *page, size_t bytes)
{
	bool new = bytes == 2600;
	struct rm_shared_clocks clocks = {7, 1980, 2619, 1500, 1965};
	struct rm_shared_utilization utilization = {.time = 7, .gpu = 93, .memory = 41};
	struct rm_shared_performance performance = {7, 1 << 2, 0};
	struct rm_shared_power_limit limit = {7, 700000, 650000};
	struct rm_shared_temperature temperature = {7, 41 * 256 + 128, 0};
	struct rm_shared_power power = {UINT64_MAX, 300000, 0, 0, 0}; /* being written */

	fake.wrong += !new && bytes != 464;
	memcpy(page + 72, &clocks, sizeof(clocks));
	memcpy(page + (new ? 1976 : 112), &utilization, sizeof(utilization));
	memcpy(page + (new ? 2264 : 264), &performance, sizeof(performance));
	memcpy(page + (new ? 2280 : 280), &limit, sizeof(limit));
	memcpy(page + (new ? 2296 : 296), &temperature, sizeof(temperature));
	memcpy(page + (new ? 2416 : 368), &power, sizeof(power));
}

/* ---- controls ---- */

static void fake_info(uint64_t list, uint32_t count)
{
	const struct rm_info known[] = {
		{RM_INFO_TPCS, 66},
		{RM_INFO_SM_VERSION, fake.architecture == 0x192 ? 0x809 : 0x900},
		{RM_INFO_WARPS_PER_SM, 64},
		{RM_INFO_SMS_PER_TPC, 2},
		{RM_INFO_HEAP_FREE_KIB, 100 << 20},
		{RM_INFO_L2_BYTES, 50 << 20},
	};
	struct rm_info *facts = (struct rm_info *)(uintptr_t)list;
	uint32_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (known[k].index == facts[i].index)
				facts[i].value = known[k].value;
}

static uint32_t fake_control(struct rm_control *c)
{
	void *p = (void *)(uintptr_t)c->parameters;

	if (!fake_has(c->object))
		return 0x57;
	switch (c->command) {
	case RM_CONTROL_DEVICE_ID:
	case RM_CONTROL_PREEMPTION:
	case RM_CONTROL_NOTIFY:
	case RM_CONTROL_SCHEDULE:
		return 0;
	case RM_CONTROL_TIME_SLICE:
		fake.slice_us[fake.slices++ % 8] = ((struct rm_time_slice *)p)->us;
		return 0;
	case RM_CONTROL_INTERLEAVE:
		fake.interleaves++;
		return fake.privileged ? 0 : 0x1b; /* NV_ERR_INSUFFICIENT_PERMISSIONS */
	case RM_CONTROL_DEBUG_MODE:
		fake.debugging = true;
		return 0;
	case RM_CONTROL_STOP_SM:
		fake.stops += fake.debugging && ((struct rm_stop_sm *)p)->stop;
		fake.debugging = false;
		return 0;
	case RM_CONTROL_GID: {
		struct rm_gid *g = p;
		uint32_t k;

		for (k = 0; k < RM_GID_BYTES; k++)
			g->data[k] = (uint8_t)(0xa0 + k);
		g->bytes = g->flags == RM_GID_BINARY ? RM_GID_BYTES : 40;
		return fake.no_uuid ? 0x56 : 0;
	}
	case RM_CONTROL_PIDS: {
		struct rm_pids *pids = p;
		uint32_t k;

		for (k = 0; k < 201; k++)
			pids->list[k] = 100 + k;
		pids->count = pids->class == NV_CLASS_HOPPER_COMPUTE ? 201 : 0;
		return 0;
	}
	case RM_CONTROL_PID_INFO: {
		struct rm_pid_info *info = p;
		uint32_t k;

		fake.wrong += !info->count || info->count > RM_PID_INFOS;
		for (k = 0; k < info->count; k++) {
			info->list[k].private = info->list[k].pid * 1000;
			info->list[k].shared_owned = 7;
			info->list[k].result = info->list[k].pid == 101 ? 0x57 : 0;
		}
		return 0;
	}
	case RM_CONTROL_NAME:
		strcpy(((struct rm_name *)p)->text, "Fake GPU");
		return 0;
	case RM_CONTROL_CHIP:
		((struct rm_chip *)p)->architecture = fake.architecture;
		return fake.lost ? RM_GPU_LOST : 0;
	case RM_CONTROL_GR_INFO:
		fake_info(((struct rm_gr_info *)p)->facts, ((struct rm_gr_info *)p)->count);
		return 0;
	case RM_CONTROL_FB_INFO: {
		struct rm_fb_info *m = p;
		struct rm_info *facts = (struct rm_info *)(uintptr_t)m->facts;

		if (facts[0].index == RM_INFO_HEAP_KIB)
			facts[0].value = 128 << 20;
		else
			fake_info(m->facts, m->count);
		return 0;
	}
	case RM_CONTROL_COPY_CAPS: { /* engines 0 and 1 are GRCEs */
		struct rm_copy_caps *caps = p;

		caps->caps[0] = caps->engine < RM_ENGINE_COPY0 + 2 ? RM_COPY_CAPS_GRAPHICS : 0;
		return caps->engine < RM_ENGINE_COPY0 + 5 ? 0 : 0x56;
	}
	case RM_CONTROL_COPY_UNITS: {
		struct rm_copy_units *u = p;

		u->mask = u->engine == RM_ENGINE_COPY0 + 3 ? 0xf0 : 1;
		return 0;
	}
	case RM_CONTROL_TOKEN:
		((struct rm_token *)p)->token = 0xa0004;
		return 0;
	case RM_CONTROL_MMU_FAULTS: {
		struct rm_mmu_faults *f = p;

		f->count = 1;
		f->list[0].address = 0x7000000000;
		f->list[0].access = 1;
		return 0;
	}
	case RM_CONTROL_SM_ERRORS: {
		struct rm_sm_errors *e = p;

		if (e->first) { /* SM 120 */
			e->sm[20].warp = 0x9;
			e->sm[20].pc = 0x12340;
		}
		return 0;
	}
	}
	fake.wrong++;
	return 0x56;
}

/* ---- ioctls ---- */

static void fake_execute(int file, uint32_t number, uint32_t bytes, void *argument)
{
	fake.wrong += !fake.file[file - FAKE_FIRST];
	switch (number) {
	case RM_IOCTL_VERSION: {
		struct rm_version *v = argument;

		v->reply = 1;
		strcpy(v->text, fake.version);
		return;
	}
	case RM_IOCTL_CARDS: {
		struct rm_card *cards = argument;
		uint32_t i;

		for (i = 0; i < fake.cards; i++) /* highest minor number first */
			cards[i] = (struct rm_card){.valid = 1,
						    .minor = fake.cards - 1 - i,
						    .domain = 2,
						    .bus = (uint8_t)(0x40 + i),
						    .slot = 3,
						    .function = 1,
						    .vendor = 0x10de,
						    .device = 0x2335};
		return;
	}
	case RM_IOCTL_REGISTER_FILE:
	case RM_IOCTL_OS_EVENT:
		return;
	case RM_IOCTL_ALLOC: {
		struct rm_alloc *a = argument;

		if (a->class == RM_CLASS_SHARED_DATA && fake.no_samples) {
			a->status = 0x56;
			return;
		}
		if (a->class == RM_CLASS_HOPPER_USER && a->parameters)
			fake.bar1_usermode_pages +=
				((struct rm_user_parameters *)(uintptr_t)a->parameters)
					->bar1_mapping;
		a->handle = ++fake.next_handle;
		fake_add(a->handle, a->parent, a->class);
		return;
	}
	case RM_IOCTL_PIN: {
		struct rm_pin *p = argument;

		fake_add(p->handle, p->parent, p->class);
		return;
	}
	case RM_IOCTL_FREE: {
		struct rm_free *f = argument;

		fake.wrong += !fake_has(f->handle);
		fake_remove(f->handle);
		return;
	}
	case RM_IOCTL_CONTROL: {
		struct rm_control *c = argument;

		c->status = fake_control(c);
		return;
	}
	case RM_IOCTL_MAP_CPU:
		fake.wrong += !fake_has(((struct rm_map_cpu *)argument)->memory);
		fake.map_samples = fake_is_class(((struct rm_map_cpu *)argument)->memory,
						 RM_CLASS_SHARED_DATA);
		return;
	case RM_IOCTL_MAP_GPU:
		fake.wrong += bytes != (*fake.version == '5' && fake.version[1] == '8' ? 64u : 56u);
		fake.wrong += !fake_has(((struct rm_map_gpu_580 *)argument)->memory);
		fake.bindings++;
		return;
	case RM_IOCTL_UNMAP_GPU:
		fake.wrong += !fake.bindings--;
		return;
	}
	fake.wrong++;
}

/* Freeing never fails: callers could not handle it. */
static bool fake_is_free(uint32_t number)
{
	return number == RM_IOCTL_FREE || number == RM_IOCTL_UNMAP_GPU;
}

/* Returns the status member of an argument. */
static uint32_t *fake_status(uint32_t number, uint32_t bytes, void *argument)
{
	uint8_t *p = argument;

	switch (number) {
	case RM_IOCTL_ALLOC:
	case RM_IOCTL_CONTROL:
		return (uint32_t *)(p + 28);
	case RM_IOCTL_OS_EVENT:
		return (uint32_t *)(p + 12);
	case RM_IOCTL_PIN:
	case RM_IOCTL_MAP_CPU:
		return (uint32_t *)(p + 40);
	case RM_IOCTL_MAP_GPU:
		return (uint32_t *)(p + bytes - 8);
	}
	return NULL;
}

static int fake_ioctl(int file, unsigned long request, void *argument)
{
	uint32_t number = request & 0xff, bytes = (uint32_t)(request >> 16) & 0x3fff;
	uint32_t *status = fake_status(number, bytes, argument);

	if (!fake_is_free(number) && fake_fails_now()) {
		if (fake.failure == FAKE_STATUS && status) {
			*status = RM_NO_MEMORY;
			return 0;
		}
		errno = EIO;
		return -1;
	}
	fake_execute(file, number, bytes, argument);
	return 0;
}

static const struct nvrm_os fake_os = {
	.open = fake_open,
	.close = fake_close,
	.ioctl = fake_ioctl,
	.map = fake_map,
	.unmap = fake_unmap,
	.poll = fake_poll,
};

#endif
