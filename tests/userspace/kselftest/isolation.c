/* SPDX-License-Identifier: MIT */
/*
 * Command streams that mean harm. A process tries to reach what is not its own by every unit that takes an address, and to
 * do what is not a user's to do; each time by a call and by a ring of its own. What comes of each is known: the
 * queue says what went wrong and where, all of its group ends with it, nothing was read or written. Another group
 * of the same process goes on, and so does another process, which looks after its memory and its work each time.
 */
#include <pthread.h>

#include "hw/nv/compute.h"
#include "hw/nv/qmd.h"
#include "tests/userspace/kselftest/program.h"
#include "tests/userspace/kselftest/victim.h"

#define HOLE         (3 * GIB)
#define READ_ONLY_VA (2 * GIB)
#define DRIVERS_VA   (2 * MIB + 64 * KIB) /* a context: rings are before it */
#define PRIVILEGE \
	5 /* the hardware's number of a fault where something is that is not for programs */
#define BUFFER_END (BUFFER_VA + BUFFER_BYTES)
#define WINDOW(n)  (UINT64_C(0x729000000000) + (n)*NV_WINDOW_BYTES)
#define SHORT_MS   300
#define CANARY     0x5a

/* In the buffer; the ring is at RING. */
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

enum way { BY_CALL, BY_ITSELF, WAYS };
static const char *const way_names[] = {"by a call", "by its own ring"};

static struct machine base;   /* what all tries have in common */
static struct machine beside; /* another group of the same address space */
static struct victim victim;
static uint8_t *read_only;
static unsigned tries;

/* What a try writes. */
struct
try {
	struct stream s;
	struct drm_sovgpu_job job; /* instead of the stream, if it has a size */
	uint64_t entry;            /* of the ring, if not 0 */
	uint32_t put;              /* of the ring, if not 0 */
	bool ring_gone;
};

/* Launches. */

static void set(enum nv_qmd_field f, uint32_t index, uint64_t value)
{
	if (!nv_qmd_set_at(&nv_qmd_hopper, (uint32_t *)(base.memory + QMD), f, index, value))
		diag("the descriptor does not take 0x%llx", (unsigned long long)value);
}

/* A descriptor of one block that is right in all, and what it needs. */
static void prepare(enum program program, uint64_t p)
{
	uint64_t parameters[] = {p, BUFFER_VA + RESULT};

	memset(base.memory + QMD, 0, NV_QMD_MAX_BYTES);
	memcpy(base.memory + CODE, program_words[program], sizeof(program_words[program]));
	memcpy(base.memory + BANK + 0x210, parameters, sizeof(parameters));
	set(NV_QMD_TYPE, 0, NV_QMD_TYPE_GRID);
	for (uint32_t i = 0; i < 3; i++) {
		set(NV_QMD_GRID_X + i, 0, 1);
		set(NV_QMD_BLOCK_X + i, 0, 1);
	}
	set(NV_QMD_PROGRAM, 0, BUFFER_VA + CODE);
	set(NV_QMD_REGISTERS, 0, PROGRAM_REGISTERS);
	set(NV_QMD_SHARED_BYTES, 0, 1024);
	set(NV_QMD_SHARED_CONFIG_MIN, 0, nv_qmd_shared_config(1024, 228));
	set(NV_QMD_SHARED_CONFIG_TARGET, 0, nv_qmd_shared_config(1024, 228));
	set(NV_QMD_SHARED_CONFIG_MAX, 0, nv_qmd_shared_config(228 << 10, 228));
	set(NV_QMD_LOCAL_LOW_BYTES, 0, program == PROGRAM_STORE_LOCAL ? 16 : 0);
	set(NV_QMD_BANK_VALID, 0, 1);
	set(NV_QMD_BANK_ADDRESS, 0, BUFFER_VA + BANK);
	set(NV_QMD_BANK_BYTES, 0, 0x220);
	set(NV_QMD_INVALIDATE_INSTRUCTIONS, 0, 1);
}

static void add_windows(struct stream *s, uint64_t shared, uint64_t local, uint64_t area)
{
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SET_OBJECT, 1);
	data(s, NV_CLASS_HOPPER_COMPUTE);
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SHARED_WINDOW_A, 2);
	address(s, shared);
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_WINDOW_A, 2);
	address(s, local);
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_A, 2);
	address(s, area);
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_LOCAL_MEMORY_TPC_A, 3);
	address(s, 0x10000);
	data(s, NV_LOCAL_MEMORY_ALL_SMS);
}

static void add_schedule(struct stream *s, uint64_t qmd)
{
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_PCAS_A, 1);
	data(s, (uint32_t)(qmd >> 8));
	method(s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, 1);
	data(s, NV_PCAS2_INVALIDATE_COPY_SCHEDULE);
}

static void add_launch(struct stream *s)
{
	add_windows(s, WINDOW(4), WINDOW(3), BUFFER_VA + LOCAL);
	add_schedule(s, BUFFER_VA + QMD);
}

static void add_word(struct stream *s, uint32_t subchannel, uint32_t number, uint32_t word)
{
	method(s, subchannel, number, 1);
	data(s, word);
}

/* One access to an address: `detail` is a program, an operation, a field. */

static void copies_from(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_copy(&t->s, BUFFER_VA + RESULT, va, 4096);
}
static void copies_to(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_copy(&t->s, va, BUFFER_VA + PATCH, 4096);
}
static void fills(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_copy(&t->s, BUFFER_VA + PATCH, BUFFER_VA + PATCH, 0); /* binds the class */
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_CONST_A, 0x600df00d);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(4));
	method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_DST_HIGH, 2);
	address(&t->s, va);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 64);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		 NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			 NV_COPY_DST_LINEAR | NV_COPY_REMAP);
}
static void releases_by_copy(struct try *t, uint64_t va, uint32_t detail)
{
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SET_OBJECT, NV_CLASS_HOPPER_COPY);
	method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SEMAPHORE_A, 3);
	address(&t->s, va);
	data(&t->s, 0x600df00d);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, detail);
}
static void semaphore(struct try *t, uint64_t va, uint32_t detail)
{
	method(&t->s, 0, NV_HOST_SEM_ADDR_LO, 5);
	data(&t->s, (uint32_t)va);
	data(&t->s, (uint32_t)(va >> 32));
	data(&t->s, 0x600df00d);
	data(&t->s, 0);
	data(&t->s, detail);
}
static void is_fetched(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	t->job = (struct drm_sovgpu_job){.va = va, .size = 64};
}
static void inlines(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_word(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_SET_OBJECT, NV_CLASS_HOPPER_COMPUTE);
	method(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_BYTES, 4);
	data(&t->s, 4);
	data(&t->s, 1);
	address(&t->s, va);
	add_word(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_LAUNCH, NV_INLINE_LINEAR);
	add_word(&t->s, NV_SUBCHANNEL_COMPUTE, NV_COMPUTE_INLINE_DATA, 0x600df00d);
}
static void runs(struct try *t, uint64_t va, uint32_t program)
{
	prepare(program, va);
	add_launch(&t->s);
}
static void describes(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_windows(&t->s, WINDOW(4), WINDOW(3), BUFFER_VA + LOCAL);
	add_schedule(&t->s, va);
}
static void names_in_descriptor(struct try *t, uint64_t va, uint32_t field)
{
	prepare(PROGRAM_STORE, BUFFER_VA + PATCH);
	if (field == NV_QMD_RELEASE_ADDRESS) {
		set(NV_QMD_RELEASE_ENABLE, 1, 1);
		set(NV_QMD_RELEASE_SIZE, 1, NV_QMD_RELEASE_4_BYTES);
		set(NV_QMD_RELEASE_ADDRESS, 1, va);
	} else if (field == NV_QMD_BANK_ADDRESS) {
		set(NV_QMD_BANK_VALID, 3, 1);
		set(NV_QMD_BANK_BYTES, 3, 64);
		set(NV_QMD_BANK_ADDRESS, 3, va);
	} else {
		if (field == NV_QMD_DEPENDENT_POINTER) {
			set(NV_QMD_DEPENDENT_ENABLE, 0, 1);
			set(NV_QMD_DEPENDENT_ACTION, 0, NV_QMD_DEPENDENT_SCHEDULE);
		}
		set(field, 0, va & ((UINT64_C(1) << 40) - 1));
	}
	add_launch(&t->s);
}
static void spills(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	prepare(PROGRAM_STORE_LOCAL, 0);
	add_windows(&t->s, WINDOW(4), WINDOW(3), va);
	add_schedule(&t->s, BUFFER_VA + QMD);
}

#define RELEASE (NV_SEM_RELEASE | NV_SEM_RELEASE_WFI)

static const struct access {
	const char *what;
	void (*write)(struct try *t, uint64_t va, uint32_t detail);
	uint32_t detail, queue_class;
	bool writes;
	uint8_t bits; /* of an address that it takes */
} accesses[] = {
	{"a copy from there", copies_from, 0, COPY, false, 64},
	{"a copy to there", copies_to, 0, COPY, true, 64},
	{"a copy from there on a queue for computing", copies_from, 0, COMPUTE, false, 64},
	{"a fill", fills, 0, COPY, true, 64},
	{"a copy's semaphore", releases_by_copy, NV_COPY_RELEASE_PLAIN, COPY, true, 64},
	{"a copy's time stamp", releases_by_copy, NV_COPY_RELEASE_TIMESTAMP, COMPUTE, true, 64},
	{"a semaphore that is released", semaphore, RELEASE, COPY, true, 40},
	{"a time stamp", semaphore, RELEASE | NV_SEM_RELEASE_TIMESTAMP, COMPUTE, true, 40},
	{"a semaphore that is waited for", semaphore, NV_SEM_ACQUIRE, COPY, false, 40},
	{"a semaphore with bits that are waited for", semaphore, NV_SEM_ACQUIRE_AND, COMPUTE, false,
	 40},
	{"a stream", is_fetched, 0, COPY, false, 40},
	{"data of a stream", inlines, 0, COMPUTE, true, 49},
	{"a program's load", runs, PROGRAM_LOAD, COMPUTE, false, 64},
	{"a program's store", runs, PROGRAM_STORE, COMPUTE, true, 64},
	{"a program's atomic addition", runs, PROGRAM_ADD, COMPUTE, true, 64},
	{"a program's atomic exchange", runs, PROGRAM_SWAP, COMPUTE, true, 64},
	{"a program's load by a generic address", runs, PROGRAM_LOAD_GENERIC, COMPUTE, false, 64},
	{"a program's store by a generic address", runs, PROGRAM_STORE_GENERIC, COMPUTE, true, 64},
	{"a launch descriptor", describes, 0, COMPUTE, false, 40},
	{"the descriptor behind it", names_in_descriptor, NV_QMD_DEPENDENT_POINTER, COMPUTE, false,
	 40},
	{"a program", names_in_descriptor, NV_QMD_PROGRAM, COMPUTE, false, 40},
	{"constants", names_in_descriptor, NV_QMD_BANK_ADDRESS, COMPUTE, false, 57},
	{"a semaphore of a launch", names_in_descriptor, NV_QMD_RELEASE_ADDRESS, COMPUTE, true, 57},
	{"local memory", spills, 0, COMPUTE, true, 49},
};

static const struct place {
	const char *name;
	uint64_t va;
	bool can_be_read, no_call; /* no_call: QUEUE_SUBMIT takes no stream there */
	uint32_t kind;             /* of the fault, if not 0 */
} places[] = {
	{"nothing is there", HOLE, false, false, 0},
	{"another's system memory has that address", VICTIM_VA, false, false, 0},
	{"another's video memory has that address", VICTIM_VA + VICTIM_BYTES, false, false, 0},
	{"the page is read-only", READ_ONLY_VA, true, false, 0},
	{"the driver's own are there", DRIVERS_VA, false, true, PRIVILEGE},
	{"it is the last page of all", (UINT64_C(1) << 49) - 4096, false, true, 0},
};

/* Streams that are wrong in themselves. */

static void physical(struct try *t, uint64_t targets, uint32_t launch)
{
	method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_PHYSICAL_TARGET, 2);
	data(&t->s, (uint32_t)(targets & 3));
	data(&t->s, (uint32_t)(targets >> 8));
	method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 4);
	address(&t->s, launch & NV_COPY_SRC_PHYSICAL ? 16 * MIB : BUFFER_VA + PATCH);
	address(&t->s, launch & NV_COPY_DST_PHYSICAL ? 16 * MIB : BUFFER_VA + RESULT);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 4096);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_REMAP_COMPONENTS, NV_COPY_REMAP_FILL(4));
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		 launch | NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			 NV_COPY_DST_LINEAR);
}
static void sends(struct try *t, uint64_t word, uint32_t header)
{
	data(&t->s, header);
	data(&t->s, (uint32_t)word);
}
/* The rest of the stream is within what the header announces. */
static void sends_header(struct try *t, uint64_t word, uint32_t header)
{
	(void)word;
	data(&t->s, header);
}
static void describes_wrongly(struct try *t, uint64_t value, uint32_t field)
{
	prepare(PROGRAM_LOAD, BUFFER_VA + PATCH);
	set(field, 0, value);
	add_launch(&t->s);
}
static void runs_words(struct try *t, uint64_t word, uint32_t detail)
{
	(void)detail;
	prepare(PROGRAM_LOAD, BUFFER_VA + PATCH);
	for (uint32_t i = 0; i < 16; i++)
		((uint64_t *)(base.memory + CODE))[i] = word;
	add_launch(&t->s);
}
static void sets_windows(struct try *t, uint64_t shared, uint32_t detail)
{
	prepare(PROGRAM_LOAD, BUFFER_VA + PATCH);
	add_windows(&t->s, shared, WINDOW(3) + detail, BUFFER_VA + LOCAL);
	add_schedule(&t->s, BUFFER_VA + QMD);
}
/* What another has at that address is not what a window there shows. */
static void looks_through_window(struct try *t, uint64_t window, uint32_t detail)
{
	prepare(PROGRAM_LOAD_GENERIC, window);
	add_windows(&t->s, detail ? WINDOW(4) : window, detail ? window : WINDOW(3),
		    BUFFER_VA + LOCAL);
	set(NV_QMD_LOCAL_LOW_BYTES, 0, 16);
	add_schedule(&t->s, BUFFER_VA + QMD);
}
static void chases_itself(struct try *t, uint64_t value, uint32_t detail)
{
	(void)detail;
	prepare(PROGRAM_STORE, BUFFER_VA + PATCH);
	set(NV_QMD_DEPENDENT_ENABLE, 0, 1);
	set(NV_QMD_DEPENDENT_ACTION, 0, NV_QMD_DEPENDENT_SCHEDULE);
	set(NV_QMD_DEPENDENT_POINTER, 0, value);
	add_launch(&t->s);
}
/* The first copy writes over the words of the second, which are of another stream in the end. */
static void rewrites_itself(struct try *t, uint64_t to, uint32_t launch)
{
	struct stream other = at(&base, PATCH);
	struct try patched = {.s = other};

	if (launch)
		physical(&patched, 0, launch);
	else
		copies_to(&patched, to, 0);
	uint32_t words = patched.s.count, first = 40;

	add_copy(&t->s, BUFFER_VA + STREAM + 4 * first, BUFFER_VA + PATCH, 4 * words);
	while (t->s.count < first + words)
		data(&t->s, 0);
}
static void runs_over(struct try *t, uint64_t from, uint32_t bytes)
{
	add_copy(&t->s, BUFFER_VA + RESULT, from, bytes);
}
static void fetches_over(struct try *t, uint64_t va, uint32_t bytes)
{
	memset(base.memory + (va - BUFFER_VA), 0, BUFFER_END - va); /* words that do nothing */
	t->job = (struct drm_sovgpu_job){.va = va, .size = bytes};
}
static void copies_lines(struct try *t, uint64_t to, uint32_t lines)
{
	add_copy(&t->s, BUFFER_VA + PATCH, BUFFER_VA + PATCH, 64);
	method(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 8);
	address(&t->s, BUFFER_VA + PATCH);
	address(&t->s, BUFFER_VA + PATCH);
	data(&t->s, 0);
	data(&t->s, (uint32_t)(to - (BUFFER_VA + PATCH)));
	data(&t->s, 64);
	data(&t->s, lines);
	add_word(&t->s, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH,
		 NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_FLUSH | NV_COPY_SRC_LINEAR |
			 NV_COPY_DST_LINEAR | NV_COPY_MULTI_LINE);
}
static void floods(struct try *t, uint64_t interrupts, uint32_t header)
{
	data(&t->s, header | (uint32_t)interrupts << 16);
	for (uint64_t i = 0; i < interrupts; i++)
		data(&t->s, 0);
}
static void waits(struct try *t, uint64_t va, uint32_t detail)
{
	(void)detail;
	add_acquire(&t->s, va, 0x1234567);
}
static void writes_entry(struct try *t, uint64_t entry, uint32_t put)
{
	t->entry = entry;
	t->put = put;
}
static void unmaps_ring(struct try *t, uint64_t entry, uint32_t put)
{
	writes_entry(t, entry, put);
	t->ring_gone = true;
}

#define WORD(kind, subchannel, number, count) \
	((uint32_t)(kind) << 29 | (uint32_t)(count) << 16 | (uint32_t)(subchannel) << 13 | \
	 (number) >> 2)
#define ONE(subchannel, number) WORD(NV_METHOD_INC, subchannel, number, 1)
#define OPERATION(number)       ((uint64_t)(number) << 27)

enum end { ENDS_FAULTED, ENDS_NEVER, ENDS_WELL };
enum {
	MMU = NV_XID_MMU_FAULT,
	CLASS = NV_XID_CLASS_ERROR,
	EXCEPTION = NV_XID_GRAPHICS_EXCEPTION,
	HOST = NV_XID_CHANNEL_HOST
};
enum { ITSELF_ONLY = 1 << BY_ITSELF };

static const struct wrong {
	const char *what;
	void (*write)(struct try *t, uint64_t value, uint32_t detail);
	uint64_t value;
	uint32_t detail, queue_class;
	enum end end;
	uint32_t code;
	uint64_t address;
	uint32_t ways; /* 0: both */
} wrongs[] = {
	{"a copy from a physical address", physical, 0, NV_COPY_SRC_PHYSICAL, COPY, ENDS_FAULTED,
	 CLASS, 0, 0},
	{"a copy to a physical address", physical, 0, NV_COPY_DST_PHYSICAL, COPY, ENDS_FAULTED,
	 CLASS, 0, 0},
	{"a copy between two", physical, 0, NV_COPY_SRC_PHYSICAL | NV_COPY_DST_PHYSICAL, COPY,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"a copy from the machine's memory by its address", physical, 0x101, NV_COPY_SRC_PHYSICAL,
	 COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a copy to the machine's memory by its address", physical, 0x202, NV_COPY_DST_PHYSICAL,
	 COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a copy from a peer's memory", physical, 0x303, NV_COPY_SRC_PHYSICAL, COPY, ENDS_FAULTED,
	 CLASS, 0, 0},
	{"a fill of a physical address", physical, 0, NV_COPY_DST_PHYSICAL | NV_COPY_REMAP, COPY,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"a physical copy on a queue for computing", physical, 0, NV_COPY_SRC_PHYSICAL, COMPUTE,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"the target of a physical address without one", physical, 0x102, 0, COPY, ENDS_WELL, 0, 0,
	 0},
	{"forgetting translations", sends, OPERATION(NV_MEM_OP_D_TLB_INVALIDATE),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"forgetting one's translations", sends, OPERATION(NV_MEM_OP_D_TLB_INVALIDATE_TARGETED),
	 ONE(0, NV_HOST_MEM_OP_D), COMPUTE, ENDS_FAULTED, CLASS, 0, 0},
	{"clearing counters of accesses", sends, OPERATION(NV_MEM_OP_D_ACCESS_COUNTER_CLEAR),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"an operation on memory that does not exist", sends, OPERATION(31),
	 ONE(0, NV_HOST_MEM_OP_D), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a barrier for memory", sends, OPERATION(NV_MEM_OP_D_MEMBAR), ONE(0, NV_HOST_MEM_OP_D),
	 COPY, ENDS_WELL, 0, 0, 0},
	{"host method 0x04", sends, 1, ONE(0, 0x04), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"host method 0x10", sends, 1, ONE(0, 0x10), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"host method 0x24", sends, 1, ONE(3, 0x24), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"host method 0x70", sends, 1, ONE(0, 0x70), COMPUTE, ENDS_FAULTED, CLASS, 0, 0},
	{"host method 0xfc", sends, 1, ONE(7, 0xfc), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"an object for graphics", sends, 0xcb97, ONE(0, NV_HOST_SET_OBJECT), COMPUTE, ENDS_FAULTED,
	 CLASS, 0, 0},
	{"an object of another chip", sends, NV_CLASS_AMPERE_COMPUTE, ONE(1, NV_HOST_SET_OBJECT),
	 COMPUTE, ENDS_FAULTED, CLASS, 0, 0},
	{"a channel as an object", sends, NV_CLASS_HOPPER_CHANNEL, ONE(2, NV_HOST_SET_OBJECT), COPY,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"an object for computing on a queue for copies", sends, NV_CLASS_HOPPER_COMPUTE,
	 ONE(1, NV_HOST_SET_OBJECT), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a method of nobody's", sends, 1, ONE(6, 0x300), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a launch sent to the copy engine", sends, 0,
	 ONE(NV_SUBCHANNEL_COPY, NV_COMPUTE_SEND_PCAS_A), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a copy sent to the compute engine", sends, 0x182,
	 ONE(NV_SUBCHANNEL_COMPUTE, NV_COPY_LAUNCH), COMPUTE, ENDS_FAULTED, CLASS, 0, 0},
	{"a header of an old kind", sends, 0, WORD(NV_METHOD_GRP0, 1, 0x100, 1), COPY,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"a header of another old kind", sends, 0, WORD(NV_METHOD_GRP2, 1, 0x100, 1), COPY,
	 ENDS_FAULTED, CLASS, 0, 0},
	{"a header of no kind", sends, 0, WORD(NV_METHOD_RESERVED, 1, 0x100, 1), COPY, ENDS_FAULTED,
	 CLASS, 0, 0},
	{"a header that announces more than there is", sends_header, 0,
	 WORD(NV_METHOD_NON_INC, 4, 0x100, 0x1fff), COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a semaphore at an odd address", semaphore, BUFFER_VA + RESULT + 4,
	 RELEASE | NV_SEM_PAYLOAD_64, COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"a descriptor without registers", describes_wrongly, 0, NV_QMD_REGISTERS, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a descriptor with 511 registers", describes_wrongly, 511, NV_QMD_REGISTERS, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a block of no threads", describes_wrongly, 0, NV_QMD_BLOCK_X, COMPUTE, ENDS_FAULTED,
	 EXCEPTION, 0, 0},
	{"a block of 65535 threads", describes_wrongly, 65535, NV_QMD_BLOCK_X, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"31 barriers", describes_wrongly, 31, NV_QMD_BARRIERS, COMPUTE, ENDS_FAULTED, EXCEPTION, 0,
	 0},
	{"shared memory of an odd size", describes_wrongly, 4, NV_QMD_SHARED_BYTES, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"more shared memory than there is", describes_wrongly, 0x3ff80, NV_QMD_SHARED_BYTES,
	 COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a split of memory that does not exist", describes_wrongly, 6, NV_QMD_SHARED_CONFIG_MIN,
	 COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"more local memory than was given", describes_wrongly, 0xfffff0, NV_QMD_LOCAL_HIGH_BYTES,
	 COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"local memory of an odd size", describes_wrongly, 3, NV_QMD_LOCAL_LOW_BYTES, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a program at an odd address", describes_wrongly, BUFFER_VA + CODE + 4, NV_QMD_PROGRAM,
	 COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a program of zeros", runs_words, 0, 0, COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a program of ones", runs_words, UINT64_MAX, 0, COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a program that traps", runs, BUFFER_VA, PROGRAM_TRAP, COMPUTE, ENDS_FAULTED, EXCEPTION, 0,
	 0},
	{"a load at an odd address", runs, BUFFER_VA + RESULT + 1, PROGRAM_LOAD, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a load beyond the block's shared memory", runs, 1024, PROGRAM_LOAD_SHARED, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a load far beyond the block's shared memory", runs, UINT32_MAX - 3, PROGRAM_LOAD_SHARED,
	 COMPUTE, ENDS_FAULTED, EXCEPTION, 0, 0},
	{"a store beyond the thread's local memory", runs, 16, PROGRAM_STORE_LOCAL, COMPUTE,
	 ENDS_FAULTED, EXCEPTION, 0, 0},
	{"both windows at one place", sets_windows, WINDOW(3), 0, COMPUTE, ENDS_FAULTED, EXCEPTION,
	 0, 0},
	{"a window at an odd address", sets_windows, WINDOW(4) + 4096, 0, COMPUTE, ENDS_FAULTED,
	 EXCEPTION, 0, 0},
	{"a window to shared memory over another's address", looks_through_window, VICTIM_VA, 0,
	 COMPUTE, ENDS_WELL, 0, 0, 0},
	{"a window to local memory over another's address", looks_through_window, VICTIM_VA, 1,
	 COMPUTE, ENDS_WELL, 0, 0, 0},
	{"a copy that runs over the end of its mapping", runs_over, BUFFER_END - 64, 128, COPY,
	 ENDS_FAULTED, MMU, BUFFER_END, 0},
	{"a copy of all there is", runs_over, BUFFER_VA + MIB, UINT32_MAX, COPY, ENDS_FAULTED, MMU,
	 BUFFER_END, 0},
	{"a copy's second line", copies_lines, HOLE, 2, COPY, ENDS_FAULTED, MMU, HOLE, 0},
	{"a copy of 2^32 - 1 lines", copies_lines, HOLE, UINT32_MAX, COPY, ENDS_FAULTED, MMU, HOLE,
	 0},
	{"a stream that runs over the end of its mapping", fetches_over, BUFFER_END - 4096, 8192,
	 COPY, ENDS_FAULTED, MMU, BUFFER_END, 0},
	{"a stream that is rewritten to reach for another's", rewrites_itself, VICTIM_VA, 0, COPY,
	 ENDS_FAULTED, MMU, VICTIM_VA, 0},
	{"a stream that is rewritten to copy physically", rewrites_itself, 0, NV_COPY_DST_PHYSICAL,
	 COPY, ENDS_FAULTED, CLASS, 0, 0},
	{"4096 interrupts in a row", floods, 4096,
	 WORD(NV_METHOD_NON_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 0), COPY, ENDS_WELL, 0, 0, 0},
	{"waiting for what never comes", waits, BUFFER_VA + RESULT, 0, COPY, ENDS_NEVER, 0, 0, 0},
	{"the same on a queue for computing", waits, BUFFER_VA + RESULT, 0, COMPUTE, ENDS_NEVER, 0,
	 0, 0},
	{"a program without end", runs, 0, PROGRAM_LOOP, COMPUTE, ENDS_NEVER, 0, 0, 0},
	{"a descriptor that is its own follower", chases_itself, BUFFER_VA + QMD, 0, COMPUTE,
	 ENDS_NEVER, 0, 0, 0},
	{"an entry that is none", writes_entry, UINT64_C(7) << 32, 1, COPY, ENDS_FAULTED, HOST, 0,
	 ITSELF_ONLY},
	{"an entry of ones", writes_entry, UINT64_MAX, 1, COMPUTE, ENDS_FAULTED, MMU, 0xfffffffffc,
	 ITSELF_ONLY},
	{"an end beyond the ring", writes_entry, 0, ENTRIES, COPY, ENDS_FAULTED, HOST, 0,
	 ITSELF_ONLY},
	{"an end far beyond the ring", writes_entry, 0, UINT32_MAX, COMPUTE, ENDS_FAULTED, HOST, 0,
	 ITSELF_ONLY},
	{"a ring that is not there any more", unmaps_ring, 0, 1, COPY, ENDS_FAULTED, MMU,
	 BUFFER_VA + RING, ITSELF_ONLY},
};

/* Running a try. */

struct expected {
	enum end end;
	uint32_t code;
	uint64_t address;
	uint32_t kind; /* if not 0 */
};

static bool all(const uint8_t *p, uint64_t bytes, uint8_t value)
{
	for (uint64_t i = 0; i < bytes; i++)
		if (p[i] != value)
			return false;
	return true;
}

static bool others_work(struct machine *m)
{
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(m->fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	struct stream s = at(m, DONE + 0x10000);
	volatile uint64_t *flag = (volatile uint64_t *)(m->memory + DONE + 0x8000);

	*flag = 0;
	add_release(&s, BUFFER_VA + DONE + 0x8000, 7);
	struct drm_sovgpu_job job = job_of(m, &s);
	bool good = !submit(m->fd, m->queue, &job, 1, &sync, 1) &&
		    !wait_for(m->fd, sync.handle, 0, 20) && *flag == 7;

	call(m->fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

/* Hands it over and waits for its end; true: what was done beside it is over, too. */
static bool hand_over(struct user *u, const struct try *t, enum way way, enum end end)
{
	volatile uint64_t *done = (volatile uint64_t *)(base.memory + DONE);
	struct drm_sovgpu_job job = t->job.size ? t->job : job_of(&base, &t->s);
	struct drm_sovgpu_sync sync = {DRM_SOVGPU_SYNC_SIGNAL, syncobj(base.fd), 0};
	struct drm_syncobj_destroy d = {.handle = sync.handle};
	bool good = true;

	if (way == BY_CALL) {
		good = !submit(base.fd, u->m.queue, &job, 1, &sync, 1) &&
		       !wait_for(base.fd, sync.handle, 0, 20);
	} else if (t->put) {
		*(volatile uint64_t *)(base.memory + RING) = t->entry;
		if (t->ring_gone)
			vm_unmap(base.fd, base.vm, BUFFER_VA + RING, 64 * KIB);
		ring_until(u, t->put);
	} else {
		push(u, &job);
	}
	for (int i = 0; way == BY_ITSELF && end != ENDS_NEVER && i < 2000; i++, poll(NULL, 0, 10))
		if (end == ENDS_WELL ? *done : queue_state(base.fd, u->id).state)
			break;
	if (way == BY_ITSELF && end == ENDS_NEVER)
		poll(NULL, 0, 50);
	call(base.fd, DRM_IOCTL_SYNCOBJ_DESTROY, &d);
	return good;
}

static bool is_as_expected(struct user *u, enum way way, uint32_t beside_it,
			   const struct expected *e)
{
	static const uint32_t states[] = {[ENDS_FAULTED] = DRM_SOVGPU_QUEUE_STATE_FAULTED,
					  [ENDS_NEVER] = DRM_SOVGPU_QUEUE_STATE_TIMED_OUT,
					  [ENDS_WELL] = DRM_SOVGPU_QUEUE_STATE_USABLE};
	bool ended = e->end == ENDS_FAULTED || (e->end == ENDS_NEVER && way == BY_CALL);
	uint32_t want = ended ? states[e->end] : DRM_SOVGPU_QUEUE_STATE_USABLE, sibling = 0;
	struct drm_sovgpu_queue_state s = queue_state(base.fd, way == BY_CALL ? u->m.queue : u->id);

	for (int i = 0; i < 200; i++, poll(NULL, 0, 10)) {
		sibling = queue_state(base.fd, beside_it).state;
		if (!ended || sibling)
			break;
	}
	if (s.state == want && s.fault_code == e->code && s.fault_address == e->address &&
	    (!e->kind || s.fault_kind == e->kind) &&
	    sibling == (ended ? DRM_SOVGPU_QUEUE_STATE_INNOCENT : DRM_SOVGPU_QUEUE_STATE_USABLE) &&
	    !!*(uint64_t *)(base.memory + DONE) == (e->end == ENDS_WELL))
		return true;
	diag("state %u, code %u, address 0x%llx, kind %u, done %llu; the queue beside it %u",
	     s.state, s.fault_code, (unsigned long long)s.fault_address, s.fault_kind,
	     *(unsigned long long *)(base.memory + DONE), sibling);
	return false;
}

/* One stream in a group of its own. */
static bool attempt(struct try *t, enum way way, uint32_t queue_class, const struct expected *e)
{
	struct user u = {.m = base};
	uint32_t beside_it;
	bool good;

	tries++;
	good = !group_create(base.fd, base.vm, &u.m.group) &&
	       !queue_create(base.fd, u.m.group, queue_class, 16,
			     e->end == ENDS_NEVER ? SHORT_MS : 10000, &u.m.queue) &&
	       !queue_create(base.fd, u.m.group, queue_class == COPY ? COMPUTE : COPY, 16, LIMIT_MS,
			     &beside_it) &&
	       (way == BY_CALL || user_attach(&u, queue_class));
	if (!good)
		diag("there are no queues for it");
	good = good && hand_over(&u, t, way, e->end) && is_as_expected(&u, way, beside_it, e);
	if (way == BY_ITSELF)
		user_detach(&u);
	good = !group_destroy(base.fd, u.m.group) && good;
	queue_destroy(base.fd, u.m.queue);
	queue_destroy(base.fd, beside_it);
	if (way == BY_ITSELF)
		queue_destroy(base.fd, u.id);
	if (t->ring_gone)
		vm_map(base.fd, base.vm, base.buffer, RING, BUFFER_VA + RING, 64 * KIB);
	return good;
}

static void begin(struct try *t)
{
	*t = (struct try){.s = at(&base, STREAM)};
	memset(base.memory + RESULT, 0, 8192);
	memset(base.memory + DONE, 0, 8);
	memset(base.memory + PATCH, 0xc3, 4096);
}

/* Nothing of another's came here, and what can only be read is as it was. */
static bool nothing_changed(void)
{
	return all(base.memory + RESULT, 8192, 0) && all(read_only, VRAM_PAGE, CANARY);
}

static uint32_t complaints;

static bool goes_on(const char *what)
{
	bool good = others_work(&beside) && !queue_state(beside.fd, beside.queue).state;
	bool kept = ok(good && !complaints,
		       "%s: another group goes on, and another process does not notice", what);

	if (!kept)
		diag("the group is %s, the process complains of %#x", good ? "well" : "not well",
		     complaints);
	complaints = 0;
	return kept;
}

static bool accesses_to(const struct access *a)
{
	for (size_t p = 0; p < COUNT(places); p++) {
		const struct place *place = &places[p];
		uint64_t va =
			a->bits == 64 ? place->va : place->va & ((UINT64_C(1) << a->bits) - 1);
		struct expected e = {ENDS_FAULTED, MMU, va, place->kind};

		if (place->can_be_read && !a->writes)
			continue;
		for (enum way way = 0; way < WAYS; way++) {
			struct try t;

			if (way == BY_CALL && place->no_call && a->write == is_fetched)
				continue;
			begin(&t);
			a->write(&t, va, a->detail);
			add_release(&t.s, BUFFER_VA + DONE, 1);
			bool good = attempt(&t, way, a->queue_class, &e);

			ok(good && nothing_changed(), "%s, %s: where %s it is a fault", a->what,
			   way_names[way], place->name);
			complaints |= victim_ask(&victim);
		}
	}
	return goes_on(a->what);
}

static bool is_wrong(const struct wrong *w)
{
	struct expected e = {w->end, w->code, w->address, 0};
	static const char *const ends[] = {"ends its group", "can be ended", "does no harm"};

	for (enum way way = 0; way < WAYS; way++) {
		struct try t;

		if (w->ways && !(w->ways >> way & 1))
			continue;
		begin(&t);
		w->write(&t, w->value, w->detail);
		add_release(&t.s, BUFFER_VA + DONE, 1);
		bool good = attempt(&t, way, w->queue_class, &e);

		/* One that does no harm may write what is its own; another's bytes it may not. */
		good = good &&
		       (w->end == ENDS_WELL
				? *(uint32_t *)(base.memory + RESULT) !=
					  (victim_byte(0) | victim_byte(1) << 8 |
					   victim_byte(2) << 16 | (uint32_t)victim_byte(3) << 24)
				: nothing_changed());
		ok(good, "%s, %s, %s", w->what, way_names[way], ends[w->end]);
		complaints |= victim_ask(&victim);
	}
	return goes_on(w->what);
}

struct pusher {
	struct user u;
	struct drm_sovgpu_job job;
	bool end;
	uint64_t pushed;
};

static void *push_on(void *argument)
{
	struct pusher *p = argument;

	for (; !__atomic_load_n(&p->end, __ATOMIC_RELAXED); p->pushed++)
		push(&p->u, &p->job);
	return NULL;
}

/* A ring that never comes to its end, full of interrupts: the others have their turn, and it can be ended. */
static void endless_ring(void)
{
	struct pusher p = {.u = {.m = base}};
	pthread_t thread;
	struct try t;

	begin(&t);
	floods(&t, 64, WORD(NV_METHOD_NON_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 0));
	p.job = job_of(&base, &t.s);
	bool good = !group_create(base.fd, base.vm, &p.u.m.group) && user_attach(&p.u, COPY) &&
		    !pthread_create(&thread, NULL, push_on, &p);

	if (!ok(good, "a ring is filled without end"))
		return;
	for (int i = 0; i < 5; i++)
		complaints |= victim_ask(&victim);
	goes_on("a ring without end");
	struct drm_sovgpu_queue_state state = queue_state(base.fd, p.u.id);

	/* It is ended while it goes on. */
	good = !group_destroy(base.fd, p.u.m.group) && !queue_destroy(base.fd, p.u.id);
	__atomic_store_n(&p.end, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	user_detach(&p.u);
	ok(good && !state.state && p.pushed > ENTRIES, "a ring without end can be ended");
	diag("%llu entries were pushed", (unsigned long long)p.pushed);
}

static bool make_base(void)
{
	struct drm_sovgpu_vm_bind_op op = {
		.va = READ_ONLY_VA, .size = VRAM_PAGE, .flags = DRM_SOVGPU_VM_MAP_READONLY};

	if (!machine_open(&base, COPY))
		return false;
	beside = base;
	create(base.fd, VRAM, VRAM_PAGE, MAPPABLE, &op.handle);
	read_only = map(base.fd, op.handle, VRAM_PAGE);
	if (read_only == MAP_FAILED || vm_bind(base.fd, base.vm, &op, 1, NULL))
		return ok(false, "a page is read-only");
	memset(read_only, CANARY, VRAM_PAGE);
	return true;
}

int main(void)
{
	if (!victim_start(&victim) || !make_base())
		return tap_done();
	uint64_t free_before = free_vram(base.fd);

	/* When others have suffered, nothing that follows says anything. */
	for (size_t i = 0; i < COUNT(accesses); i++)
		if (!accesses_to(&accesses[i]))
			return tap_done();
	for (size_t i = 0; i < COUNT(wrongs); i++)
		if (!is_wrong(&wrongs[i]))
			return tap_done();
	endless_ring();
	/* What was reached for is reached by who may: the tries did fail for the reason they were to. */
	for (size_t i = 0; i < COUNT(accesses); i++) {
		struct expected e = {ENDS_WELL, 0, 0, 0};
		struct try t;

		if (accesses[i].write == semaphore && !accesses[i].writes)
			continue; /* it would wait */
		if (accesses[i].write == is_fetched || accesses[i].write == describes ||
		    accesses[i].detail == NV_QMD_DEPENDENT_POINTER ||
		    accesses[i].detail == NV_QMD_PROGRAM)
			continue; /* what is there is none */
		begin(&t);
		accesses[i].write(&t, BUFFER_VA + LOCAL, accesses[i].detail);
		add_release(&t.s, BUFFER_VA + DONE, 1);
		ok(attempt(&t, BY_CALL, accesses[i].queue_class, &e), "%s, where it may, is done",
		   accesses[i].what);
	}
	ok(free_vram(base.fd) == free_before, "all of it has taken nothing");
	diag("%u streams", tries);
	victim_end(&victim);
	machine_close(&base);
	return tap_done();
}
