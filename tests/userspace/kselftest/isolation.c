// SPDX-License-Identifier: MIT
/*
 * Isolation against hostile command streams. A process tries to reach foreign memory through every
 * unit that takes an address, and to use privileged operations; each time through QUEUE_SUBMIT and
 * through a user queue. The outcome is exact: the queue reports the error and its address, its
 * whole group stops, and nothing is read or written. Another group of the same process continues,
 * and so does another process, which checks its memory and its work each time.
 */
#include <pthread.h>

#include "hw/nv/compute.h"
#include "hw/nv/qmd.h"
#include "tests/userspace/kselftest/program.h"
#include "tests/userspace/kselftest/victim.h"

#define HOLE         (3 * GIB)
#define READ_ONLY_VA (2 * GIB)
#define DRIVERS_VA   (2 * MIB + 64 * KIB) /* a context; the rings lie before it */
#define PRIVILEGE    5                    /* fault type of an access to a privileged page */
#define BUFFER_END   (BUFFER_VA + BUFFER_BYTES)
#define WINDOW(n)    (UINT64_C(0x729000000000) + (n)*NV_WINDOW_BYTES)
#define SHORT_MS     300
#define CANARY       0x5a

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
static const char *const mode_names[] = {"QUEUE_SUBMIT", "a user queue"};

static struct fixture base;      /* objects shared by all attempts */
static struct fixture bystander; /* another group in the same address space */
static struct victim victim;
static uint8_t *read_only;
static unsigned attack_count;

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
#define ONE(subchannel, number) WORD(NV_METHOD_INCREMENT, subchannel, number, 1)
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
	 WORD(NV_METHOD_OLD_INCREMENT, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"an old-format non-incrementing header", write_header_and_word, 0,
	 WORD(NV_METHOD_OLD_SAME, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"a method header of a reserved kind", write_header_and_word, 0,
	 WORD(NV_METHOD_RESERVED, 1, 0x100, 1), COPY, FAULTS, CLASS, 0, 0},
	{"a method header longer than the stream", write_header, 0,
	 WORD(NV_METHOD_SAME, 4, 0x100, 0x1fff), COPY, FAULTS, CLASS, 0, 0},
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
	 WORD(NV_METHOD_SAME, 0, NV_HOST_NON_STALL_INTERRUPT, 0), COPY, COMPLETES, 0, 0, 0},
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

/* Running an attack. */

struct expected {
	enum outcome outcome;
	uint32_t code;
	uint64_t address;
	uint32_t kind; /* checked if not 0 */
};

static bool all_bytes_equal(const uint8_t *p, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i] != value)
			return false;
	return true;
}

static bool queue_works(struct fixture *m)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	struct stream s = stream_at(m, DONE + 0x10000);
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + DONE + 0x8000);

	*flag = 0;
	stream_release(&s, BUFFER_VA + DONE + 0x8000, 7);
	struct drm_sovgpu_job job = stream_job(m, &s);
	bool good = !queue_submit(m->fd, m->queue, &job, 1, &sync, 1) &&
		    !syncobj_wait(m->fd, sync.handle, 0, 20) && *flag == 7;

	gpu_ioctl(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

/* Submits an attack and waits for its end. */
static bool submit_and_wait(struct user_queue *u, const struct attack *t, enum submit_mode mode,
			    enum outcome outcome)
{
	volatile uint64_t *done = (volatile uint64_t *)(base.memory + DONE);
	struct drm_sovgpu_job job = t->job.size ? t->job : stream_job(&base, &t->s);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj_create(base.fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	bool good = true;

	if (mode == BY_IOCTL) {
		good = !queue_submit(base.fd, u->m.queue, &job, 1, &sync, 1) &&
		       !syncobj_wait(base.fd, sync.handle, 0, 20);
	} else if (t->put) {
		*(volatile uint64_t *)(base.memory + RING_OFFSET) = t->entry;
		if (t->unmap_ring)
			vm_unmap(base.fd, base.vm, BUFFER_VA + RING_OFFSET, 64 * KIB);
		ring_set_put(u, t->put);
	} else {
		ring_push(u, &job);
	}
	for (int i = 0; mode == BY_USER_QUEUE && outcome != HANGS && i < 2000;
	     i++, poll(NULL, 0, 10))
		if (outcome == COMPLETES ? *done : queue_state(base.fd, u->id).state)
			break;
	if (mode == BY_USER_QUEUE && outcome == HANGS)
		poll(NULL, 0, 50);
	gpu_ioctl(base.fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

static bool outcome_is_expected(struct user_queue *u, enum submit_mode mode, uint32_t sibling_queue,
				const struct expected *e)
{
	static const uint32_t states[] = {[FAULTS] = DRM_SOVGPU_QUEUE_STATE_FAULTED,
					  [HANGS] = DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
					  [COMPLETES] = DRM_SOVGPU_QUEUE_STATE_USABLE};
	bool ended = e->outcome == FAULTS || (e->outcome == HANGS && mode == BY_IOCTL);
	uint32_t want = ended ? states[e->outcome] : DRM_SOVGPU_QUEUE_STATE_USABLE, sibling = 0;
	struct drm_sovgpu_queue_state s =
		queue_state(base.fd, mode == BY_IOCTL ? u->m.queue : u->id);

	for (int i = 0; i < 200; i++, poll(NULL, 0, 10)) {
		sibling = queue_state(base.fd, sibling_queue).state;
		if (!ended || sibling)
			break;
	}
	if (s.state == want && s.fault_code == e->code && s.fault_address == e->address &&
	    (!e->kind || s.fault_kind == e->kind) &&
	    sibling == (ended ? DRM_SOVGPU_QUEUE_STATE_INNOCENT : DRM_SOVGPU_QUEUE_STATE_USABLE) &&
	    !!*(uint64_t *)(base.memory + DONE) == (e->outcome == COMPLETES))
		return true;
	diag("state %u, code %u, address 0x%llx, kind %u, done %llu; sibling queue %u", s.state,
	     s.fault_code, (unsigned long long)s.fault_address, s.fault_kind,
	     *(unsigned long long *)(base.memory + DONE), sibling);
	return false;
}

/* Runs one attack in a group of its own, which has a second queue. */
static bool run_attack(struct attack *t, enum submit_mode mode, uint32_t queue_class,
		       const struct expected *e)
{
	struct user_queue u = {.m = base};
	uint32_t sibling_queue;
	bool good;

	attack_count++;
	good = !group_create(base.fd, base.vm, &u.m.group) &&
	       !queue_create(base.fd, u.m.group, queue_class, 16,
			     e->outcome == HANGS ? SHORT_MS : 10000, &u.m.queue) &&
	       !queue_create(base.fd, u.m.group, queue_class == COPY ? COMPUTE : COPY, 16, LIMIT_MS,
			     &sibling_queue) &&
	       (mode == BY_IOCTL || user_queue_attach(&u, queue_class));
	if (!good)
		diag("the attack's queues cannot be created");
	good = good && submit_and_wait(&u, t, mode, e->outcome) &&
	       outcome_is_expected(&u, mode, sibling_queue, e);
	if (mode == BY_USER_QUEUE)
		user_queue_detach(&u);
	good = !group_destroy(base.fd, u.m.group) && good;
	queue_destroy(base.fd, u.m.queue);
	queue_destroy(base.fd, sibling_queue);
	if (mode == BY_USER_QUEUE)
		queue_destroy(base.fd, u.id);
	if (t->unmap_ring)
		vm_map(base.fd, base.vm, base.buffer, RING_OFFSET, BUFFER_VA + RING_OFFSET,
		       64 * KIB);
	return good;
}

static void attack_init(struct attack *t)
{
	*t = (struct attack){.s = stream_at(&base, STREAM)};
	memset(base.memory + RESULT, 0, 8192);
	memset(base.memory + DONE, 0, 8);
	memset(base.memory + PATCH, 0xc3, 4096);
}

/* No foreign bytes arrived, and the read-only page is unchanged. */
static bool memory_unchanged(void)
{
	return all_bytes_equal(base.memory + RESULT, 8192, 0) &&
	       all_bytes_equal(read_only, VRAM_PAGE, CANARY);
}

static uint32_t complaints;

static bool expect_bystanders_unaffected(const char *what)
{
	bool good = queue_works(&bystander) && !queue_state(bystander.fd, bystander.queue).state;
	bool kept = ok(good && !complaints, "%s: another group and another process are unaffected",
		       what);

	if (!kept)
		diag("the group is %s; complaint bits of the process: %#x",
		     good ? "usable" : "not usable", complaints);
	complaints = 0;
	return kept;
}

static bool test_access(const struct access *a)
{
	for (size_t i = 0; i < COUNT(targets); i++) {
		const struct target *target = &targets[i];
		uint64_t va =
			a->bits == 64 ? target->va : target->va & ((UINT64_C(1) << a->bits) - 1);
		struct expected e = {FAULTS, MMU, va, target->kind};

		if (target->readable && !a->writes)
			continue;
		for (enum submit_mode mode = 0; mode < SUBMIT_MODES; mode++) {
			struct attack t;

			if (mode == BY_IOCTL && target->not_submittable &&
			    a->write == set_job_address)
				continue;
			attack_init(&t);
			a->write(&t, va, a->detail);
			stream_release(&t.s, BUFFER_VA + DONE, 1);
			bool good = run_attack(&t, mode, a->queue_class, &e);

			ok(good && memory_unchanged(), "%s through %s faults at %s", a->what,
			   mode_names[mode], target->name);
			complaints |= victim_request_report(&victim);
		}
	}
	return expect_bystanders_unaffected(a->what);
}

static bool test_bad_stream(const struct bad_stream *w)
{
	struct expected e = {w->outcome, w->code, w->address, 0};
	static const char *const effects[] = {"stops its group", "can be stopped", "is harmless"};

	for (enum submit_mode mode = 0; mode < SUBMIT_MODES; mode++) {
		struct attack t;

		if (w->modes && !(w->modes >> mode & 1))
			continue;
		attack_init(&t);
		w->write(&t, w->value, w->detail);
		stream_release(&t.s, BUFFER_VA + DONE, 1);
		bool good = run_attack(&t, mode, w->queue_class, &e);

		/*
		 * A harmless stream may write its own memory, but must not get the victim's bytes.
		 */
		good = good &&
		       (w->outcome == COMPLETES
				? *(uint32_t *)(base.memory + RESULT) !=
					  (victim_byte(0) | victim_byte(1) << 8 |
					   victim_byte(2) << 16 | (uint32_t)victim_byte(3) << 24)
				: memory_unchanged());
		ok(good, "%s through %s %s", w->what, mode_names[mode], effects[w->outcome]);
		complaints |= victim_request_report(&victim);
	}
	return expect_bystanders_unaffected(w->what);
}

struct pusher {
	struct user_queue u;
	struct drm_sovgpu_job job;
	bool end;
	uint64_t pushed;
};

static void *push_until_stopped(void *argument)
{
	struct pusher *p = argument;

	for (; !__atomic_load_n(&p->end, __ATOMIC_RELAXED); p->pushed++)
		ring_push(&p->u, &p->job);
	return NULL;
}

/*
 * A user queue that is filled with interrupts without end: others get their time slices, and the
 * queue can be stopped.
 */
static void test_endless_ring(void)
{
	struct pusher p = {.u = {.m = base}};
	pthread_t thread;
	struct attack t;

	attack_init(&t);
	write_interrupts(&t, 64, WORD(NV_METHOD_SAME, 0, NV_HOST_NON_STALL_INTERRUPT, 0));
	p.job = stream_job(&base, &t.s);
	bool good = !group_create(base.fd, base.vm, &p.u.m.group) &&
		    user_queue_attach(&p.u, COPY) &&
		    !pthread_create(&thread, NULL, push_until_stopped, &p);

	if (!ok(good, "a thread pushes to a user queue without end"))
		return;
	for (int i = 0; i < 5; i++)
		complaints |= victim_request_report(&victim);
	expect_bystanders_unaffected("a user queue that never empties");
	struct drm_sovgpu_queue_state state = queue_state(base.fd, p.u.id);

	/* Destroy the group while the thread still pushes. */
	good = !group_destroy(base.fd, p.u.m.group) && !queue_destroy(base.fd, p.u.id);
	__atomic_store_n(&p.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	user_queue_detach(&p.u);
	ok(good && !state.state && p.pushed > RING_ENTRIES,
	   "a user queue that never empties can be destroyed");
	diag("%llu entries were pushed", (unsigned long long)p.pushed);
}

static bool setup(void)
{
	struct drm_sovgpu_vm_bind_op op = {
		.va = READ_ONLY_VA, .size = VRAM_PAGE, .flags = DRM_SOVGPU_VM_MAP_READONLY};

	if (!fixture_open(&base, COPY))
		return false;
	bystander = base;
	bo_create(base.fd, VRAM, VRAM_PAGE, MAPPABLE, &op.handle);
	read_only = bo_map(base.fd, op.handle, VRAM_PAGE);
	if (read_only == MAP_FAILED || vm_bind(base.fd, base.vm, &op, 1, NULL))
		return ok(false, "a read-only page is mapped");
	memset(read_only, CANARY, VRAM_PAGE);
	return true;
}

int main(void)
{
	if (!victim_start(&victim) || !setup())
		return tap_done();
	uint64_t free_before = free_vram_bytes(base.fd);

	/* Once a bystander is affected, later results mean nothing. */
	for (size_t i = 0; i < COUNT(accesses); i++)
		if (!test_access(&accesses[i]))
			return tap_done();
	for (size_t i = 0; i < COUNT(bad_streams); i++)
		if (!test_bad_stream(&bad_streams[i]))
			return tap_done();
	test_endless_ring();
	/*
	 * The same accesses succeed at an allowed address, so the attacks failed for the intended
	 * reason.
	 */
	for (size_t i = 0; i < COUNT(accesses); i++) {
		struct expected e = {COMPLETES, 0, 0, 0};
		struct attack t;

		if (accesses[i].write == write_semaphore && !accesses[i].writes)
			continue; /* it would wait forever */
		if (accesses[i].write == set_job_address ||
		    accesses[i].write == write_qmd_address ||
		    accesses[i].detail == NV_QMD_DEPENDENT_POINTER ||
		    accesses[i].detail == NV_QMD_PROGRAM)
			continue; /* the buffer holds no valid stream, descriptor or program */
		attack_init(&t);
		accesses[i].write(&t, BUFFER_VA + LOCAL, accesses[i].detail);
		stream_release(&t.s, BUFFER_VA + DONE, 1);
		ok(run_attack(&t, BY_IOCTL, accesses[i].queue_class, &e),
		   "%s at an allowed address succeeds", accesses[i].what);
	}
	ok(free_vram_bytes(base.fd) == free_before, "attacks leave no VRAM allocated");
	diag("%u attacks", attack_count);
	victim_end(&victim);
	fixture_close(&base);
	return tap_done();
}
