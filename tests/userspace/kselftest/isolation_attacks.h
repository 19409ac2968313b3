/* SPDX-License-Identifier: MIT */
/*
 * The attacks of isolation.c: accesses to foreign memory through every unit that takes an address,
 * and malformed or privileged command streams, as tables with their expected outcomes.
 */
#ifndef TESTS_KSELFTEST_ISOLATION_ATTACKS_H
#define TESTS_KSELFTEST_ISOLATION_ATTACKS_H

#include "hw/nv/compute.h"
#include "hw/nv/qmd.h"
#include "tests/userspace/kselftest/program.h"
#include "tests/userspace/kselftest/victim.h"

#define HOLE         (3 * GIB)
#define READ_ONLY_VA (2 * GIB)
#define DRIVERS_VA   (2 * MIB + 64 * KIB) /* a context; the rings lie before it */
#define PRIVILEGE    5                    /* fault type of an access to a privileged page */
#define BUFFER_END   (BUFFER_VA + BUFFER_BYTES)
#define WINDOW(n)    (UINT64_C(0x729000000000) + (n) * NV_WINDOW_BYTES)

/* Offsets in the buffer; the ring lies at RING_OFFSET. */
enum {
	STREAM = 0x10000,
	PATCH = 0x18000,
	CODE = 0x40000,
	QMD = 0x50000,
	BANK = 0x58000,
	LOCAL = 0x100000,
	RESULT = 0x200000,
	DONE = 0x280000
};

enum submit_mode { BY_IOCTL, BY_USER_QUEUE, SUBMIT_MODES };

static struct fixture base; /* objects shared by all attempts */

/* An attack: a command stream, a job or a ring entry. */
struct attack {
	struct stream s;
	struct drm_sovgpu_job job; /* replaces the stream if its size is not 0 */
	uint64_t entry;            /* ring entry to write, with put */
	uint32_t put;              /* PUT to write, if not 0 */
	bool unmap_ring;
};

/* Launches. */

static void set_qmd_field(enum nv_qmd_field f, uint32_t index, uint64_t value)
{
	if (!nv_qmd_set_at(&nv_qmd_hopper, (uint32_t *)(base.memory + QMD), f, index, value))
		diag("the launch descriptor cannot hold 0x%llx", (unsigned long long)value);
}

/* Writes a valid launch descriptor of one block, its program and its parameters. */
static void prepare_launch(enum program program, uint64_t p)
{
	uint64_t parameters[] = {p, BUFFER_VA + RESULT};

	memset(base.memory + QMD, 0, NV_QMD_MAX_BYTES);
	memcpy(base.memory + CODE, program_words[program], sizeof(program_words[program]));
	memcpy(base.memory + BANK + 0x210, parameters, sizeof(parameters));
	set_qmd_field(NV_QMD_TYPE, 0, NV_QMD_TYPE_GRID);
	for (uint32_t i = 0; i < 3; i++) {
		set_qmd_field(NV_QMD_GRID_X + i, 0, 1);
		set_qmd_field(NV_QMD_BLOCK_X + i, 0, 1);
	}
	set_qmd_field(NV_QMD_PROGRAM, 0, BUFFER_VA + CODE);
	set_qmd_field(NV_QMD_REGISTERS, 0, PROGRAM_REGISTERS);
	set_qmd_field(NV_QMD_SHARED_BYTES, 0, 1024);
	set_qmd_field(NV_QMD_SHARED_CONFIG_MIN, 0, nv_qmd_shared_config(1024, 228));
	set_qmd_field(NV_QMD_SHARED_CONFIG_TARGET, 0, nv_qmd_shared_config(1024, 228));
	set_qmd_field(NV_QMD_SHARED_CONFIG_MAX, 0, nv_qmd_shared_config(228 << 10, 228));
	set_qmd_field(NV_QMD_LOCAL_LOW_BYTES, 0, program == PROGRAM_STORE_LOCAL ? 16 : 0);
	set_qmd_field(NV_QMD_BANK_VALID, 0, 1);
	set_qmd_field(NV_QMD_BANK_ADDRESS, 0, BUFFER_VA + BANK);
	set_qmd_field(NV_QMD_BANK_BYTES, 0, 0x220);
	set_qmd_field(NV_QMD_INVALIDATE_INSTRUCTIONS, 0, 1);
}

static void stream_windows(struct stream *s, uint64_t shared, uint64_t local, uint64_t area)
{
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SET_OBJECT, 1);
	stream_data(s, NV_CLASS_HOPPER_COMPUTE);
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SHARED_WINDOW_A, 2);
	stream_address(s, shared);
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_WINDOW_A, 2);
	stream_address(s, local);
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_A, 2);
	stream_address(s, area);
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_TPC_A, 3);
	stream_address(s, 0x10000);
	stream_data(s, NV_LOCAL_MEMORY_ALL_SMS);
}

static void stream_schedule(struct stream *s, uint64_t qmd)
{
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_PCAS_A, 1);
	stream_data(s, (uint32_t)(qmd >> 8));
	stream_method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, 1);
	stream_data(s, NV_PCAS2_INVALIDATE_COPY_SCHEDULE);
}

static void stream_launch(struct stream *s)
{
	stream_windows(s, WINDOW(4), WINDOW(3), BUFFER_VA + LOCAL);
	stream_schedule(s, BUFFER_VA + QMD);
}

static void stream_write(struct stream *s, uint32_t subchannel, uint32_t number, uint32_t word)
{
	stream_method(s, subchannel, number, 1);
	stream_data(s, word);
}

/*
 * Attacks with one access to an address; `detail` is a program, a semaphore operation or a
 * descriptor field.
 */

static void write_copy_from(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_copy(&t->s, BUFFER_VA + RESULT, va, 4096);
}
static void write_copy_to(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_copy(&t->s, va, BUFFER_VA + PATCH, 4096);
}
static void write_fill(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_copy(&t->s, BUFFER_VA + PATCH, BUFFER_VA + PATCH,
		    0); /* an empty copy that binds the class */
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_CONST_A, 0x600df00d);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(4));
	stream_method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_DST_HIGH, 2);
	stream_address(&t->s, va);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 64);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		     NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			     NV_COPY_DST_LINEAR | NV_COPY_REMAP);
}
static void write_copy_release(struct attack *t, uint64_t va, uint32_t detail)
{
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SET_OBJECT, NV_CLASS_HOPPER_COPY);
	stream_method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SEMAPHORE_A, 3);
	stream_address(&t->s, va);
	stream_data(&t->s, 0x600df00d);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, detail);
}
static void write_semaphore(struct attack *t, uint64_t va, uint32_t detail)
{
	stream_method(&t->s, 0, NV_HOST_SEM_ADDR_LO, 5);
	stream_data(&t->s, (uint32_t)va);
	stream_data(&t->s, (uint32_t)(va >> 32));
	stream_data(&t->s, 0x600df00d);
	stream_data(&t->s, 0);
	stream_data(&t->s, detail);
}
static void set_job_address(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	t->job = (struct drm_sovgpu_job){.va = va, .size = 64};
}
static void write_inline_data(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_write(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SET_OBJECT, NV_CLASS_HOPPER_COMPUTE);
	stream_method(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_BYTES, 4);
	stream_data(&t->s, 4);
	stream_data(&t->s, 1);
	stream_address(&t->s, va);
	stream_write(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_LAUNCH, NV_INLINE_LINEAR);
	stream_write(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_DATA, 0x600df00d);
}
static void write_program_run(struct attack *t, uint64_t va, uint32_t program)
{
	prepare_launch(program, va);
	stream_launch(&t->s);
}
static void write_qmd_address(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_windows(&t->s, WINDOW(4), WINDOW(3), BUFFER_VA + LOCAL);
	stream_schedule(&t->s, va);
}
static void write_qmd_field(struct attack *t, uint64_t va, uint32_t field)
{
	prepare_launch(PROGRAM_STORE, BUFFER_VA + PATCH);
	if (field == NV_QMD_RELEASE_ADDRESS) {
		set_qmd_field(NV_QMD_RELEASE_ENABLE, 1, 1);
		set_qmd_field(NV_QMD_RELEASE_SIZE, 1, NV_QMD_RELEASE_4_BYTES);
		set_qmd_field(NV_QMD_RELEASE_ADDRESS, 1, va);
	} else if (field == NV_QMD_BANK_ADDRESS) {
		set_qmd_field(NV_QMD_BANK_VALID, 3, 1);
		set_qmd_field(NV_QMD_BANK_BYTES, 3, 64);
		set_qmd_field(NV_QMD_BANK_ADDRESS, 3, va);
	} else {
		if (field == NV_QMD_DEPENDENT_POINTER) {
			set_qmd_field(NV_QMD_DEPENDENT_ENABLE, 0, 1);
			set_qmd_field(NV_QMD_DEPENDENT_ACTION, 0, NV_QMD_DEPENDENT_SCHEDULE);
		}
		set_qmd_field(field, 0, va & ((UINT64_C(1) << 40) - 1));
	}
	stream_launch(&t->s);
}
static void write_local_memory_area(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	prepare_launch(PROGRAM_STORE_LOCAL, 0);
	stream_windows(&t->s, WINDOW(4), WINDOW(3), va);
	stream_schedule(&t->s, BUFFER_VA + QMD);
}

#define RELEASE (NV_SEM_RELEASE | NV_SEM_RELEASE_WFI)

static const struct access {
	const char *what;
	void (*write)(struct attack *t, uint64_t va, uint32_t detail);
	uint32_t detail, queue_class;
	bool writes;
	uint8_t bits; /* address bits that the unit takes */
} accesses[] = {
	{"a copy engine read", write_copy_from, 0, COPY, false, 64},
	{"a copy engine write", write_copy_to, 0, COPY, true, 64},
	{"a copy engine read on a compute queue", write_copy_from, 0, COMPUTE, false, 64},
	{"a copy engine fill", write_fill, 0, COPY, true, 64},
	{"a copy engine semaphore", write_copy_release, NV_COPY_RELEASE_PLAIN, COPY, true, 64},
	{"a copy engine time stamp", write_copy_release, NV_COPY_RELEASE_TIMESTAMP, COMPUTE, true,
	 64},
	{"a host semaphore release", write_semaphore, RELEASE, COPY, true, 40},
	{"a host semaphore time stamp", write_semaphore, RELEASE | NV_SEM_RELEASE_TIMESTAMP,
	 COMPUTE, true, 40},
	{"a host semaphore acquire", write_semaphore, NV_SEM_ACQUIRE, COPY, false, 40},
	{"a host semaphore acquire of bits", write_semaphore, NV_SEM_ACQUIRE_AND, COMPUTE, false,
	 40},
	{"a command stream fetch", set_job_address, 0, COPY, false, 40},
	{"an inline data write", write_inline_data, 0, COMPUTE, true, 49},
	{"a global load", write_program_run, PROGRAM_LOAD, COMPUTE, false, 64},
	{"a global store", write_program_run, PROGRAM_STORE, COMPUTE, true, 64},
	{"an atomic add", write_program_run, PROGRAM_ADD, COMPUTE, true, 64},
	{"an atomic compare-and-swap", write_program_run, PROGRAM_SWAP, COMPUTE, true, 64},
	{"a generic load", write_program_run, PROGRAM_LOAD_GENERIC, COMPUTE, false, 64},
	{"a generic store", write_program_run, PROGRAM_STORE_GENERIC, COMPUTE, true, 64},
	{"a launch descriptor fetch", write_qmd_address, 0, COMPUTE, false, 40},
	{"a dependent launch descriptor fetch", write_qmd_field, NV_QMD_DEPENDENT_POINTER, COMPUTE,
	 false, 40},
	{"an instruction fetch", write_qmd_field, NV_QMD_PROGRAM, COMPUTE, false, 40},
	{"a constant bank read", write_qmd_field, NV_QMD_BANK_ADDRESS, COMPUTE, false, 57},
	{"a launch semaphore release", write_qmd_field, NV_QMD_RELEASE_ADDRESS, COMPUTE, true, 57},
	{"a local memory store", write_local_memory_area, 0, COMPUTE, true, 49},
};

static const struct target {
	const char *name;
	uint64_t va;
	bool readable, not_submittable; /* not_submittable: QUEUE_SUBMIT refuses a stream there */
	uint32_t kind;                  /* fault type, if not 0 */
} targets[] = {
	{"an unmapped address", HOLE, false, false, 0},
	{"an address of another process's system memory", VICTIM_VA, false, false, 0},
	{"an address of another process's VRAM", VICTIM_VA + VICTIM_BYTES, false, false, 0},
	{"a read-only page", READ_ONLY_VA, true, false, 0},
	{"the driver's address range", DRIVERS_VA, false, true, PRIVILEGE},
	{"the last page of the address space", (UINT64_C(1) << 49) - 4096, false, true, 0},
};

/* Malformed or privileged command streams. */

static void write_physical_copy(struct attack *t, uint64_t targets, uint32_t launch)
{
	stream_method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_PHYSICAL_TARGET, 2);
	stream_data(&t->s, (uint32_t)(targets & 3));
	stream_data(&t->s, (uint32_t)(targets >> 8));
	stream_method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 4);
	stream_address(&t->s, launch & NV_COPY_SRC_PHYSICAL ? 16 * MIB : BUFFER_VA + PATCH);
	stream_address(&t->s, launch & NV_COPY_DST_PHYSICAL ? 16 * MIB : BUFFER_VA + RESULT);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 4096);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(4));
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		     launch | NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			     NV_COPY_DST_LINEAR);
}
static void write_header_and_word(struct attack *t, uint64_t word, uint32_t header)
{
	stream_data(&t->s, header);
	stream_data(&t->s, (uint32_t)word);
}
/* The header announces more words than the stream has. */
static void write_header(struct attack *t, uint64_t word, uint32_t header)
{
	(void)word;
	stream_data(&t->s, header);
}
static void write_bad_qmd(struct attack *t, uint64_t value, uint32_t field)
{
	prepare_launch(PROGRAM_LOAD, BUFFER_VA + PATCH);
	set_qmd_field(field, 0, value);
	stream_launch(&t->s);
}
static void write_bad_program(struct attack *t, uint64_t word, uint32_t detail)
{
	(void)detail;
	prepare_launch(PROGRAM_LOAD, BUFFER_VA + PATCH);
	for (uint32_t i = 0; i < 16; i++)
		((uint64_t *)(base.memory + CODE))[i] = word;
	stream_launch(&t->s);
}
static void write_windows(struct attack *t, uint64_t shared, uint32_t detail)
{
	prepare_launch(PROGRAM_LOAD, BUFFER_VA + PATCH);
	stream_windows(&t->s, shared, WINDOW(3) + detail, BUFFER_VA + LOCAL);
	stream_schedule(&t->s, BUFFER_VA + QMD);
}
/* A window over a victim's address must show the attacker's own memory. */
static void write_window_over_victim(struct attack *t, uint64_t window, uint32_t detail)
{
	prepare_launch(PROGRAM_LOAD_GENERIC, window);
	stream_windows(&t->s, detail ? WINDOW(4) : window, detail ? window : WINDOW(3),
		       BUFFER_VA + LOCAL);
	set_qmd_field(NV_QMD_LOCAL_LOW_BYTES, 0, 16);
	stream_schedule(&t->s, BUFFER_VA + QMD);
}
static void write_self_dependent_qmd(struct attack *t, uint64_t value, uint32_t detail)
{
	(void)detail;
	prepare_launch(PROGRAM_STORE, BUFFER_VA + PATCH);
	set_qmd_field(NV_QMD_DEPENDENT_ENABLE, 0, 1);
	set_qmd_field(NV_QMD_DEPENDENT_ACTION, 0, NV_QMD_DEPENDENT_SCHEDULE);
	set_qmd_field(NV_QMD_DEPENDENT_POINTER, 0, value);
	stream_launch(&t->s);
}
/* The first copy overwrites the words of the second, which become another stream. */
static void write_self_modifying(struct attack *t, uint64_t to, uint32_t launch)
{
	struct stream other = stream_at(&base, PATCH);
	struct attack patched = {.s = other};

	if (launch)
		write_physical_copy(&patched, 0, launch);
	else
		write_copy_to(&patched, to, 0);
	uint32_t words = patched.s.count, first = 40;

	stream_copy(&t->s, BUFFER_VA + STREAM + 4 * first, BUFFER_VA + PATCH, 4 * words);
	while (t->s.count < first + words)
		stream_data(&t->s, 0);
}
static void write_copy_overrun(struct attack *t, uint64_t from, uint32_t bytes)
{
	stream_copy(&t->s, BUFFER_VA + RESULT, from, bytes);
}
static void set_job_overrun(struct attack *t, uint64_t va, uint32_t bytes)
{
	memset(base.memory + (va - BUFFER_VA), 0, BUFFER_END - va); /* no-ops */
	t->job = (struct drm_sovgpu_job){.va = va, .size = bytes};
}
static void write_multi_line_copy(struct attack *t, uint64_t to, uint32_t lines)
{
	stream_copy(&t->s, BUFFER_VA + PATCH, BUFFER_VA + PATCH, 64);
	stream_method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 8);
	stream_address(&t->s, BUFFER_VA + PATCH);
	stream_address(&t->s, BUFFER_VA + PATCH);
	stream_data(&t->s, 0);
	stream_data(&t->s, (uint32_t)(to - (BUFFER_VA + PATCH)));
	stream_data(&t->s, 64);
	stream_data(&t->s, lines);
	stream_write(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		     NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			     NV_COPY_DST_LINEAR | NV_COPY_MULTI_LINE);
}
static void write_interrupts(struct attack *t, uint64_t interrupts, uint32_t header)
{
	stream_data(&t->s, header | (uint32_t)interrupts << 16);
	for (uint64_t i = 0; i < interrupts; i++)
		stream_data(&t->s, 0);
}
static void write_endless_wait(struct attack *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	stream_acquire(&t->s, va, 0x1234567);
}
static void set_ring_entry(struct attack *t, uint64_t entry, uint32_t put)
{
	t->entry = entry;
	t->put = put;
}
static void set_ring_entry_and_unmap(struct attack *t, uint64_t entry, uint32_t put)
{
	set_ring_entry(t, entry, put);
	t->unmap_ring = true;
}

#define WORD(kind, subchannel, number, count) \
	((uint32_t)(kind) << 29 | (uint32_t)(count) << 16 | (uint32_t)(subchannel) << 13 | \
	 (number) >> 2)
#define ONE(subchannel, number) WORD(NV_METHOD_INC, subchannel, number, 1)
#define OPERATION(number)       ((uint64_t)(number) << 27)

enum outcome { FAULTS, HANGS, COMPLETES };
enum {
	MMU = NV_XID_MMU_FAULT,
	CLASS = NV_XID_CLASS_ERROR,
	EXCEPTION = NV_XID_GRAPHICS_EXCEPTION,
	HOST = NV_XID_CHANNEL_HOST
};
enum { USER_QUEUE_ONLY = 1 << BY_USER_QUEUE };

static const struct bad_stream {
	const char *what;
	void (*write)(struct attack *t, uint64_t value, uint32_t detail);
	uint64_t value;
	uint32_t detail, queue_class;
	enum outcome outcome;
	uint32_t code;
	uint64_t address;
	uint32_t modes; /* mask of submit modes; 0: all */
} bad_streams[] = {
	{"a copy from a physical address", write_physical_copy, 0, NV_COPY_SRC_PHYSICAL, COPY,
	 FAULTS, CLASS, 0, 0},
	{"a copy to a physical address", write_physical_copy, 0, NV_COPY_DST_PHYSICAL, COPY, FAULTS,
	 CLASS, 0, 0},
	{"a copy between two physical addresses", write_physical_copy, 0,
	 NV_COPY_SRC_PHYSICAL | NV_COPY_DST_PHYSICAL, COPY, FAULTS, CLASS, 0, 0},
	{"a copy from a physical address of system memory", write_physical_copy, 0x101,
	 NV_COPY_SRC_PHYSICAL, COPY, FAULTS, CLASS, 0, 0},
	{"a copy to a physical address of system memory", write_physical_copy, 0x202,
	 NV_COPY_DST_PHYSICAL, COPY, FAULTS, CLASS, 0, 0},
	{"a copy from a physical address of peer memory", write_physical_copy, 0x303,
	 NV_COPY_SRC_PHYSICAL, COPY, FAULTS, CLASS, 0, 0},
	{"a fill of a physical address", write_physical_copy, 0,
	 NV_COPY_DST_PHYSICAL | NV_COPY_REMAP, COPY, FAULTS, CLASS, 0, 0},
	{"a copy from a physical address on a compute queue", write_physical_copy, 0,
	 NV_COPY_SRC_PHYSICAL, COMPUTE, FAULTS, CLASS, 0, 0},
	{"a physical target on a copy between virtual addresses", write_physical_copy, 0x102, 0,
	 COPY, COMPLETES, 0, 0, 0},
	{"a TLB invalidate", write_header_and_word, OPERATION(NV_MEM_OP_D_TLB_INVALIDATE),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, FAULTS, CLASS, 0, 0},
	{"a targeted TLB invalidate", write_header_and_word,
	 OPERATION(NV_MEM_OP_D_TLB_INVALIDATE_TARGETED), ONE(0, NV_HOST_MEM_OP_D), COMPUTE, FAULTS,
	 CLASS, 0, 0},
	{"an access counter clear", write_header_and_word,
	 OPERATION(NV_MEM_OP_D_ACCESS_COUNTER_CLEAR), ONE(0, NV_HOST_MEM_OP_D), COPY, FAULTS, CLASS,
	 0, 0},
	{"an undefined memory operation", write_header_and_word, OPERATION(31),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, FAULTS, CLASS, 0, 0},
	{"a memory barrier", write_header_and_word, OPERATION(NV_MEM_OP_D_MEMBAR),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, COMPLETES, 0, 0, 0},
	{"undefined host method 0x04", write_header_and_word, 1, ONE(0, 0x04), COPY, FAULTS, CLASS,
	 0, 0},
	{"undefined host method 0x10", write_header_and_word, 1, ONE(0, 0x10), COPY, FAULTS, CLASS,
	 0, 0},
	{"undefined host method 0x24", write_header_and_word, 1, ONE(3, 0x24), COPY, FAULTS, CLASS,
	 0, 0},
	{"undefined host method 0x70", write_header_and_word, 1, ONE(0, 0x70), COMPUTE, FAULTS,
	 CLASS, 0, 0},
	{"undefined host method 0xfc", write_header_and_word, 1, ONE(7, 0xfc), COPY, FAULTS, CLASS,
	 0, 0},
	{"a graphics class object", write_header_and_word, 0xcb97, ONE(0, NV_HOST_SET_OBJECT),
	 COMPUTE, FAULTS, CLASS, 0, 0},
	{"a class object of another chip", write_header_and_word, NV_CLASS_AMPERE_COMPUTE,
	 ONE(1, NV_HOST_SET_OBJECT), COMPUTE, FAULTS, CLASS, 0, 0},
	{"a channel class as an object", write_header_and_word, NV_CLASS_HOPPER_CHANNEL,
	 ONE(2, NV_HOST_SET_OBJECT), COPY, FAULTS, CLASS, 0, 0},
	{"a compute class object on a copy queue", write_header_and_word, NV_CLASS_HOPPER_COMPUTE,
	 ONE(1, NV_HOST_SET_OBJECT), COPY, FAULTS, CLASS, 0, 0},
	{"a method of a subchannel without an object", write_header_and_word, 1, ONE(6, 0x300),
	 COPY, FAULTS, CLASS, 0, 0},
	{"a launch method sent to the copy engine", write_header_and_word, 0,
	 ONE(NV_SUBCHANNEL_COPY, NV_COMPUTE_SEND_PCAS_A), COPY, FAULTS, CLASS, 0, 0},
	{"a copy method sent to the compute engine", write_header_and_word, 0x182,
	 ONE(NV_SUBCHANNEL_COMPUTE, NV_COPY_LAUNCH), COMPUTE, FAULTS, CLASS, 0, 0},
	{"an old-format incrementing header", write_header_and_word, 0,
	 WORD(NV_METHOD_GRP0, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"an old-format non-incrementing header", write_header_and_word, 0,
	 WORD(NV_METHOD_GRP2, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"a method header of a reserved kind", write_header_and_word, 0,
	 WORD(NV_METHOD_RESERVED, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"a method header longer than the stream", write_header, 0,
	 WORD(NV_METHOD_NON_INC, 4, 0x100, 0x1fff), COPY, FAULTS, CLASS, 0, 0},
	{"a semaphore at an unaligned address", write_semaphore, BUFFER_VA + RESULT + 4,
	 RELEASE | NV_SEM_PAYLOAD_64, COPY, FAULTS, CLASS, 0, 0},
	{"a launch descriptor with 0 registers", write_bad_qmd, 0, NV_QMD_REGISTERS, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"a launch descriptor with 511 registers", write_bad_qmd, 511, NV_QMD_REGISTERS, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"a block of 0 threads", write_bad_qmd, 0, NV_QMD_BLOCK_X, COMPUTE, FAULTS, EXCEPTION, 0,
	 0},
	{"a block of 65535 threads", write_bad_qmd, 65535, NV_QMD_BLOCK_X, COMPUTE, FAULTS,
	 EXCEPTION, 0, 0},
	{"a launch descriptor with 31 barriers", write_bad_qmd, 31, NV_QMD_BARRIERS, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"an unaligned shared memory size", write_bad_qmd, 4, NV_QMD_SHARED_BYTES, COMPUTE, FAULTS,
	 EXCEPTION, 0, 0},
	{"more shared memory than an SM has", write_bad_qmd, 0x3ff80, NV_QMD_SHARED_BYTES, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"an undefined shared memory configuration", write_bad_qmd, 6, NV_QMD_SHARED_CONFIG_MIN,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"more local memory than was allocated", write_bad_qmd, 0xfffff0, NV_QMD_LOCAL_HIGH_BYTES,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"an unaligned local memory size", write_bad_qmd, 3, NV_QMD_LOCAL_LOW_BYTES, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"a program at an unaligned address", write_bad_qmd, BUFFER_VA + CODE + 4, NV_QMD_PROGRAM,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a program of zeros", write_bad_program, 0, 0, COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a program of ones", write_bad_program, UINT64_MAX, 0, COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a program that traps", write_program_run, BUFFER_VA, PROGRAM_TRAP, COMPUTE, FAULTS,
	 EXCEPTION, 0, 0},
	{"a load at an unaligned address", write_program_run, BUFFER_VA + RESULT + 1, PROGRAM_LOAD,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a load beyond the block's shared memory", write_program_run, 1024, PROGRAM_LOAD_SHARED,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a load far beyond the block's shared memory", write_program_run, UINT32_MAX - 3,
	 PROGRAM_LOAD_SHARED, COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"a store beyond the thread's local memory", write_program_run, 16, PROGRAM_STORE_LOCAL,
	 COMPUTE, FAULTS, EXCEPTION, 0, 0},
	{"shared and local windows at the same address", write_windows, WINDOW(3), 0, COMPUTE,
	 FAULTS, EXCEPTION, 0, 0},
	{"a window at an unaligned address", write_windows, WINDOW(4) + 4096, 0, COMPUTE, FAULTS,
	 EXCEPTION, 0, 0},
	{"a shared memory window over another process's address", write_window_over_victim,
	 VICTIM_VA, 0, COMPUTE, COMPLETES, 0, 0, 0},
	{"a local memory window over another process's address", write_window_over_victim,
	 VICTIM_VA, 1, COMPUTE, COMPLETES, 0, 0, 0},
	{"a copy that crosses the end of its mapping", write_copy_overrun, BUFFER_END - 64, 128,
	 COPY, FAULTS, MMU, BUFFER_END, 0},
	{"a copy of 2^32 - 1 bytes", write_copy_overrun, BUFFER_VA + MIB, UINT32_MAX, COPY, FAULTS,
	 MMU, BUFFER_END, 0},
	{"a copy whose second line is unmapped", write_multi_line_copy, HOLE, 2, COPY, FAULTS, MMU,
	 HOLE, 0},
	{"a copy of 2^32 - 1 lines", write_multi_line_copy, HOLE, UINT32_MAX, COPY, FAULTS, MMU,
	 HOLE, 0},
	{"a command stream that crosses the end of its mapping", set_job_overrun, BUFFER_END - 4096,
	 8192, COPY, FAULTS, MMU, BUFFER_END, 0},
	{"a self-modifying stream that writes to another process's address", write_self_modifying,
	 VICTIM_VA, 0, COPY, FAULTS, MMU, VICTIM_VA, 0},
	{"a self-modifying stream that copies to a physical address", write_self_modifying, 0,
	 NV_COPY_DST_PHYSICAL, COPY, FAULTS, CLASS, 0, 0},
	{"4096 interrupts in a row", write_interrupts, 4096,
	 WORD(NV_METHOD_NON_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 0), COPY, COMPLETES, 0, 0, 0},
	{"an acquire that is never released", write_endless_wait, BUFFER_VA + RESULT, 0, COPY,
	 HANGS, 0, 0, 0},
	{"an acquire that is never released on a compute queue", write_endless_wait,
	 BUFFER_VA + RESULT, 0, COMPUTE, HANGS, 0, 0, 0},
	{"an endless program", write_program_run, 0, PROGRAM_LOOP, COMPUTE, HANGS, 0, 0, 0},
	{"a launch descriptor that depends on itself", write_self_dependent_qmd, BUFFER_VA + QMD, 0,
	 COMPUTE, HANGS, 0, 0, 0},
	{"a ring entry with an undefined opcode", set_ring_entry, UINT64_C(7) << 32, 1, COPY,
	 FAULTS, HOST, 0, USER_QUEUE_ONLY},
	{"a ring entry of all ones", set_ring_entry, UINT64_MAX, 1, COMPUTE, FAULTS, MMU,
	 0xfffffffffc, USER_QUEUE_ONLY},
	{"PUT beyond the ring", set_ring_entry, 0, RING_ENTRIES, COPY, FAULTS, HOST, 0,
	 USER_QUEUE_ONLY},
	{"PUT far beyond the ring", set_ring_entry, 0, UINT32_MAX, COMPUTE, FAULTS, HOST, 0,
	 USER_QUEUE_ONLY},
	{"a ring that was unmapped", set_ring_entry_and_unmap, 0, 1, COPY, FAULTS, MMU,
	 BUFFER_VA + RING_OFFSET, USER_QUEUE_ONLY},
};

#endif
