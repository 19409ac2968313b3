/* SPDX-License-Identifier: MIT */
/* A minimal driver for tests of the card: RM objects by RPC, hand-written page tables, one channel.
 * Addresses and handles are fixed. */
#ifndef TESTS_CARD_DRIVER_H
#define TESTS_CARD_DRIVER_H

#include <time.h>

#include "hw/nv/host.h"
#include "hw/nv/mmu_ver3.h"
#include "tests/userspace/model/card/_machine.h"

/* Handles. */
enum {
	CLIENT = 0x41,
	DEVICE = 0x80,
	SUBDEVICE = 0x2080,
	SPACE = 0x90f1,
	GROUP = 0xa06c,
	SHARE = 0x9067,
	CHANNEL = 0xc86f,
	OTHER = 0xc870,
	COPIER = 0xc8b5,
	CHANNEL_ID = 5,
};
/* Addresses in VRAM. */
#define TABLES      0x100000ull
#define INSTANCE    0x200000ull
#define USERD       0x201000ull
#define DATA        0x400000ull /* 2 MiB, mapped at VA */
#define VA          0x40000000ull
/* Addresses in the machine's memory beyond those of the boot. */
#define METHODS     0x300000u
#define SYSTEM      0x380000u /* a page, mapped at SYSTEM_VA */
#define SYSTEM_VA   0x50000000ull
/* Access of a page of the machine's memory, which the GPU must not cache. */
#define SYSTEM_PAGE (NV_MMU3_PTE_COHERENT | NV_MMU3_PCF_REGULAR | NV_MMU3_PCF_UNCACHED)
/* Offsets from DATA. */
enum { RING = 0, STREAM = 0x1000, SEMAPHORE = 0x10000, SOURCE = 0x20000, TARGET = 0x30000 };
#define RING_ENTRIES 32

static uint8_t *vram;   /* the whole VRAM */
static uint32_t status; /* of the last object or control */

static inline void *data_at(uint32_t offset)
{
	return vram + DATA + offset;
}

/* One RPC with parameters; the reply's parameters replace them. */
static inline uint32_t rm_call(uint32_t function, void *header, uint32_t header_bytes,
			       uint32_t status_offset, void *parameters, uint32_t bytes)
{
	uint8_t payload[4096 - NV_GSP_HEADERS] = {0};
	const uint8_t *back;
	uint32_t result = 99, answered;

	memcpy(payload, header, header_bytes);
	if (bytes)
		memcpy(payload + header_bytes, parameters, bytes);
	put(function, payload, header_bytes + bytes);
	ring();
	do { /* events may precede the reply */
		back = at(STATUS + 4096 * (1 + status_get));
		back += NV_GSP_HEADERS;
		answered = answer(&result);
	} while (answered >= NV_GSP_EVENT_FIRST);
	if (answered != function || result)
		return ~0u;
	if (bytes)
		memcpy(parameters, back + header_bytes, bytes);
	memcpy(&status, back + status_offset, 4);
	return status;
}
static inline uint32_t rm_alloc(uint32_t parent, uint32_t object, uint32_t class, void *parameters,
				uint32_t bytes)
{
	struct nv_gsp_rm_alloc a = {CLIENT, parent, object, class, 0, bytes, 0, 0};

	return rm_call(NV_GSP_RM_ALLOC, &a, sizeof(a), offsetof(struct nv_gsp_rm_alloc, status),
		       parameters, bytes);
}
static inline uint32_t rm_control(uint32_t object, uint32_t command, void *parameters,
				  uint32_t bytes)
{
	struct nv_gsp_rm_control r = {CLIENT, object, command, 0, bytes, 0};

	return rm_call(NV_GSP_RM_CONTROL, &r, sizeof(r), offsetof(struct nv_gsp_rm_control, status),
		       parameters, bytes);
}
static inline uint32_t rm_free(uint32_t object)
{
	struct nv_gsp_rm_free f = {CLIENT, 0, object, 0};

	return rm_call(NV_GSP_RM_FREE, &f, sizeof(f), offsetof(struct nv_gsp_rm_free, status), NULL,
		       0);
}

/* Returns the page table entry slot of an address and writes the directories from the root at
 * TABLES down; the two mapped addresses share all but the last. */
static inline uint64_t *pte_slot(uint64_t va)
{
	static const uint8_t shifts[] = NV_MMU3_SHIFTS;
	static const uint16_t entries[] = NV_MMU3_ENTRIES;
	uint64_t table = TABLES;

	for (uint32_t level = 0; level < NV_MMU3_LEVELS - 1; level++) {
		uint64_t *e = (uint64_t *)(vram + table) + (va >> shifts[level]) % entries[level];

		table = TABLES + 0x1000 * (level + 1);
		*e = table | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	}
	return (uint64_t *)(vram + table) +
	       2 * ((va >> NV_MMU3_HUGE) % entries[NV_MMU3_LEVELS - 1]);
}
static inline void invalidate(void)
{
	write32(NV_VF_MMU_INVALIDATE_PDB_LO, (uint32_t)(TABLES >> 8));
	write32(NV_VF_MMU_INVALIDATE_PDB_HI, 0);
	write32(NV_VF_MMU_INVALIDATE, NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA);
	wait_for_bits(NV_VF_MMU_INVALIDATE, ~0u, 0);
}
static inline void map_all(void)
{
	const uint64_t small = TABLES + 0x8000;

	memset(vram + TABLES, 0, 0x10000);
	pte_slot(VA)[0] = DATA | NV_MMU3_VALID | NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC;
	pte_slot(SYSTEM_VA)[1] = small | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	*(uint64_t *)(vram + small) = (MACHINE + SYSTEM) | NV_MMU3_VALID | SYSTEM_PAGE;
}

static inline struct rm_channel_parameters channel_parameters(void)
{
	return (struct rm_channel_parameters){
		.ring = VA + RING,
		.ring_entries = RING_ENTRIES,
		.flags = RM_CHANNEL_ID(CHANNEL_ID),
		.va_space = SPACE,
		.engine = RM_ENGINE_COPY0 + 2,
		.instance = {INSTANCE, RM_INSTANCE_BYTES, RM_SPACE_VRAM, 1},
		.userd = {USERD, NV_USERD_BYTES, RM_SPACE_VRAM, 1},
		.ramfc = {INSTANCE, RM_RAMFC_BYTES, RM_SPACE_VRAM, 1},
		.method_buffer = {MACHINE + METHODS, 0x5000, RM_SPACE_SYSTEM, 0},
		.internal_flags = RM_CHANNEL_USER,
	};
}

static inline uint32_t make_device(void)
{
	struct rm_client_parameters client = {.client = CLIENT, .process = RM_PROCESS_KERNEL};
	struct rm_device_parameters device = {.client_share = CLIENT};
	struct rm_subdevice_parameters subdevice = {0};

	return rm_alloc(0, CLIENT, RM_CLASS_ROOT, &client, sizeof(client)) |
	       rm_alloc(CLIENT, DEVICE, RM_CLASS_DEVICE, &device, sizeof(device)) |
	       rm_alloc(DEVICE, SUBDEVICE, RM_CLASS_SUBDEVICE, &subdevice, sizeof(subdevice));
}
static inline uint32_t make_space(void)
{
	struct rm_va_space_parameters space = {.flags = RM_VA_SPACE_EXTERNAL};
	struct rm_set_directory directory = {.address = TABLES, .entries = 2, .va_space = SPACE};

	map_all();
	return rm_alloc(DEVICE, SPACE, RM_CLASS_VA_SPACE, &space, RM_VA_SPACE_BYTES_570) |
	       rm_control(DEVICE, RM_CONTROL_SET_DIRECTORY, &directory, sizeof(directory));
}
static inline uint32_t start_channel_of(uint32_t engine)
{
	struct rm_channel_parameters p = channel_parameters();
	struct rm_bind bind = {engine};
	struct rm_schedule schedule = {.enable = 1};

	p.engine = engine;
	memset(vram + USERD, 0, NV_USERD_BYTES);
	return rm_alloc(DEVICE, CHANNEL, NV_CLASS_HOPPER_CHANNEL, &p, sizeof(p)) |
	       rm_control(CHANNEL, RM_CONTROL_BIND, &bind, sizeof(bind)) |
	       rm_control(CHANNEL, RM_CONTROL_SCHEDULE_CHANNEL, &schedule, RM_SCHEDULE_BYTES_570);
}
static inline uint32_t start_channel(void)
{
	return start_channel_of(RM_ENGINE_COPY0 + 2);
}
static inline uint32_t free_all(void)
{
	struct rm_unset_directory directory = {SPACE, 0};

	return rm_control(DEVICE, RM_CONTROL_UNSET_DIRECTORY, &directory, sizeof(directory)) |
	       rm_free(SPACE) | rm_free(SUBDEVICE) | rm_free(DEVICE) | rm_free(CLIENT);
}

/* Context buffers of the channel, all at the same address. */
static inline struct rm_promote promotion(void)
{
	struct rm_promote p = {
		.engine = RM_ENGINE_GRAPHICS, .channel_client = CLIENT, .object = CHANNEL};
	static const uint16_t ids[] = {RM_BUFFER_MAIN,      RM_BUFFER_PATCH,     RM_BUFFER_BUNDLE,
				       RM_BUFFER_PAGE_POOL, RM_BUFFER_ATTRIBUTE, RM_BUFFER_RTV,
				       RM_BUFFER_EVENTS};

	for (uint32_t i = 0; i < 7; i++)
		p.list[p.count++] = (struct rm_promote_entry){.physical = DATA,
							      .virtual = VA,
							      .bytes = 2 << 20,
							      .attributes = RM_PROMOTE_VRAM,
							      .buffer = ids[i],
							      .initialise = 1};
	return p;
}

static inline void boot_gsp(void)
{
	uint32_t result;

	reset();
	boot();
	while (NV_PRIV_LOCKED(read32(NV_PGSP_MAILBOX0)))
		;
	answer(&result);
	set_windows();
}
static inline void unload_gsp(void)
{
	struct nv_gsp_unloading unloading = {0};
	uint32_t result;

	put(NV_GSP_UNLOADING_GUEST_DRIVER, &unloading, sizeof(unloading));
	ring();
	answer(&result);
}

/* Polls for up to ten seconds. */
static inline bool wait_for(const void *word, uint32_t value)
{
	for (int i = 0; i < 10000; i++) {
		if (__atomic_load_n((const uint32_t *)word, __ATOMIC_ACQUIRE) == value)
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return false;
}

/* Waits for the RC_TRIGGERED event of a channel; counts the events before it. */
static uint32_t fault_events, log_events;

static inline struct nv_gsp_rc wait_for_rc(void)
{
	struct nv_gsp_rc rc = {0};
	uint32_t result, function;

	fault_events = log_events = 0;
	for (int i = 0; i < 10000; i++) {
		const uint8_t *e = at(STATUS + 4096 * (1 + status_get));

		function = answer(&result);
		fault_events += function == NV_GSP_EVENT_MMU_FAULT_QUEUED;
		log_events += function == NV_GSP_EVENT_OS_ERROR_LOG;
		if (function == NV_GSP_EVENT_RC_TRIGGERED) {
			memcpy(&rc, e + NV_GSP_HEADERS, sizeof(rc));
			return rc;
		}
		if (!function)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	return rc;
}

#endif
