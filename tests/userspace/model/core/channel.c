// SPDX-License-Identifier: MIT
/* Channels: ring entries, method headers, semaphores, and errors. */
#include "tests/userspace/model/nv/_rig.h"

static struct rig r;

static uint64_t sem(void)
{
	return __atomic_load_n((uint64_t *)rig_at(&r, RIG_SEM), __ATOMIC_ACQUIRE);
}

static uint32_t get(void)
{
	return __atomic_load_n(&r.userd[NV_USERD_GP_GET / 4], __ATOMIC_ACQUIRE);
}

static void semaphore(uint64_t address, uint64_t payload, uint32_t execute)
{
	rig_word(&r, nv_method_pack(NV_METHOD_INC, 0, NV_HOST_SEM_ADDR_LO, 5));
	rig_word(&r, (uint32_t)address);
	rig_word(&r, (uint32_t)(address >> 32));
	rig_word(&r, (uint32_t)payload);
	rig_word(&r, (uint32_t)(payload >> 32));
	rig_word(&r, execute);
}

/* Valid streams. */

static void test_headers(void)
{
	uint32_t *out = rig_words(&r, RIG_DATA);

	/* Four kinds of header write the same registers of the copy engine, then it copies. */
	out[0] = 0xfeedface;
	rig_word(&r, 0); /* no operation */
	rig_word(&r, nv_method_pack(NV_METHOD_ONE_INC, 4, NV_COPY_SRC_HIGH, 3));
	rig_word(&r, (uint32_t)(RIG_DATA >> 32));
	rig_word(&r, 0xdead);
	rig_word(&r, (uint32_t)RIG_DATA); /* again to SRC_LOW */
	rig_word(&r, nv_method_pack(NV_METHOD_INC, 4, NV_COPY_DST_HIGH, 2));
	rig_word(&r, (uint32_t)(RIG_DATA >> 32));
	rig_word(&r, (uint32_t)RIG_DATA + 0x100);
	rig_word(&r, nv_method_pack(NV_METHOD_NON_INC, 4, NV_COPY_LINE_BYTES, 2));
	rig_word(&r, 999);
	rig_word(&r, 4);
	rig_word(&r, nv_method_pack(NV_METHOD_IMMD_DATA, 4, NV_COPY_LAUNCH,
				    NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_SRC_LINEAR |
					    NV_COPY_DST_LINEAR));
	ok(rig_go(&r) && out[0x40] == 0xfeedface && !out[0x41],
	   "each kind of method header writes the right methods");
	rig_method(&r, 0, NV_HOST_WFI, 0);
	rig_release(&r);
	rig_word(&r, nv_method_pack(NV_METHOD_END_PB_SEGMENT, 0, 0, 0));
	rig_method(&r, 0, 0xfc, 0); /* not modelled */
	rig_submit(&r);
	ok(rig_wait(&r), "methods after END_SEGMENT are skipped");
}

static void test_ring(void)
{
	uint32_t before = r.release;
	bool good = true;

	for (uint32_t i = 0; i < 5 * RIG_ENTRIES && good; i++)
		good = rig_go(&r);
	ok(good && r.release == before + 5 * RIG_ENTRIES, "the ring wraps around");
	for (uint32_t i = 0; i < 10000 && get() != r.put; i++)
		sched_yield();
	ok(get() == r.put, "GET follows PUT");
	((uint64_t *)rig_at(&r, RIG_RING))[r.put] = 0;
	r.put = (r.put + 1) % RIG_ENTRIES;
	ok(rig_go(&r), "a ring entry without words is skipped");
	model_doorbell(r.m, 12345);
	ok(rig_go(&r), "a doorbell with an unknown token is ignored");
}

static uint64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void test_release(void)
{
	uint64_t *s = rig_at(&r, RIG_DATA + 0x200), before;

	memset(s, 0xff, 32);
	semaphore(RIG_DATA + 0x200, 0x1122334455667788, NV_SEM_RELEASE);
	ok(rig_go(&r) && s[0] == 0xffffffff55667788,
	   "a 32-bit semaphore release writes four bytes");
	semaphore(RIG_DATA + 0x200, 0x1122334455667788, NV_SEM_RELEASE | NV_SEM_PAYLOAD_64);
	ok(rig_go(&r) && s[0] == 0x1122334455667788 && s[1] == UINT64_MAX,
	   "a 64-bit semaphore release writes eight bytes");
	before = nanoseconds();
	semaphore(RIG_DATA + 0x200, 7,
		  NV_SEM_RELEASE | NV_SEM_PAYLOAD_64 | NV_SEM_RELEASE_TIMESTAMP);
	ok(rig_go(&r) && s[0] == 7 && s[1] >= before && s[1] <= nanoseconds() && s[2] == UINT64_MAX,
	   "a semaphore timestamp is the host's monotonic time in nanoseconds");
}

static const struct {
	const char *what;
	uint32_t operation;
	uint64_t payload, blocked, free;
} acquires[] = {
	{"equals the payload", NV_SEM_ACQUIRE, 5, 6, 5},
	{"is greater than the payload", NV_SEM_ACQUIRE_STRICT_GEQ, 5, 4, 9},
	{"is equal, for greater or equal", NV_SEM_ACQUIRE_STRICT_GEQ, 5, 4, 5},
	{"is circularly greater than the payload", NV_SEM_ACQUIRE_CIRC_GEQ, UINT64_MAX - 1,
	 UINT64_MAX - 5, 3},
	{"is equal, for circularly greater or equal", NV_SEM_ACQUIRE_CIRC_GEQ, 3, UINT64_MAX, 3},
	{"has a bit of the payload", NV_SEM_ACQUIRE_AND, 6, 9, 4},
	{"lacks a bit of the payload", NV_SEM_ACQUIRE_NOR, 1, UINT64_MAX - 1, UINT64_MAX - 3},
};

static void test_acquire(void)
{
	uint64_t *s = rig_at(&r, RIG_DATA + 0x300);
	struct timespec pause = {.tv_nsec = 3000000};

	for (size_t i = 0; i < sizeof(acquires) / sizeof(acquires[0]); i++) {
		bool held;

		*s = acquires[i].blocked;
		semaphore(RIG_DATA + 0x300, acquires[i].payload,
			  acquires[i].operation | NV_SEM_PAYLOAD_64);
		rig_release(&r);
		rig_submit(&r);
		nanosleep(&pause, NULL);
		held = sem() != r.release;
		__atomic_store_n(s, acquires[i].free, __ATOMIC_RELEASE);
		ok(held && rig_wait(&r), "semaphore acquire waits until the word %s",
		   acquires[i].what);
	}
	semaphore(RIG_DATA + 0x300, 77, NV_SEM_ACQUIRE | NV_SEM_PAYLOAD_64);
	rig_submit(&r);
	nanosleep(&pause, NULL);
	rig_renew(&r);
	ok(rig_go(&r), "a channel in an endless acquire can be destroyed, and a new one works");
}

/* Concurrent channels: the second releases the semaphore that the first acquires. */
static void test_two(void)
{
	static uint32_t userd[NV_USERD_BYTES / 4];
	struct model_channel_config c = {
		.ring_va = RIG_RING + 0x8000, .ring_entries = 4, .userd = userd};
	uint32_t *words = rig_words(&r, RIG_PUSH + 0x8000);
	struct model_channel *second;

	*rig_words(&r, RIG_DATA + 0x400) = 0;
	ok(!model_channel_create(r.m, r.space, &c, &second),
	   "a second channel is created next to the first");
	ok(model_channel_token(second) != model_channel_token(r.channel),
	   "the second channel has a different token");
	semaphore(RIG_DATA + 0x400, 42, NV_SEM_ACQUIRE);
	rig_release(&r);
	rig_submit(&r);
	words[0] = nv_method_pack(NV_METHOD_INC, 0, NV_HOST_SEM_ADDR_LO, 5);
	words[1] = (uint32_t)(RIG_DATA + 0x400);
	words[2] = (uint32_t)((RIG_DATA + 0x400) >> 32);
	words[3] = 42;
	words[4] = 0;
	words[5] = NV_SEM_RELEASE;
	*(uint64_t *)rig_at(&r, RIG_RING + 0x8000) = nv_gp_entry_pack(RIG_PUSH + 0x8000, 6);
	__atomic_store_n(&userd[NV_USERD_GP_PUT / 4], 1, __ATOMIC_RELEASE);
	model_doorbell(r.m, model_channel_token(second));
	ok(rig_wait(&r), "a release by the second channel resumes the first");
	model_channel_destroy(second);
}

/* Invalid streams: the message, and the Xid in the notifier. */

static void write_word(uint32_t word)
{
	rig_word(&r, word);
}

static void bad_old_header(void)
{
	write_word(nv_method_pack(NV_METHOD_GRP0, 0, NV_HOST_WFI, 1));
}

static void bad_count(void)
{
	write_word(nv_method_pack(NV_METHOD_INC, 0, NV_HOST_WFI, 8));
	write_word(0);
}

static void bad_host_method(void)
{
	rig_method(&r, 0, NV_HOST_SEM_EXECUTE + 4, 1);
}

static void bad_unbound(void)
{
	rig_method(&r, 3, 0x200, 0);
}

static void bad_class(void)
{
	rig_method(&r, 1, NV_HOST_SET_OBJECT, 0xc3c0);
}

static void bad_compute_method(void)
{
	rig_method(&r, 1, 0x1234, 5);
}

static void bad_copy_method(void)
{
	rig_method(&r, 4, 0x5ac, 5);
}

static void bad_qmd_version(void)
{
	rig_method(&r, 1, NV_COMPUTE_SET_QMD_VERSION, 0x300);
}

static void bad_reduction(void)
{
	semaphore(RIG_SEM, 1, NV_SEM_REDUCTION);
}

static void bad_alignment(void)
{
	semaphore(RIG_SEM + 4, 1, NV_SEM_RELEASE | NV_SEM_PAYLOAD_64);
}

static void bad_semaphore(void)
{
	semaphore(0x70000000, 1, NV_SEM_RELEASE);
}

static void bad_translation(void)
{
	rig_method(&r, 0, NV_HOST_MEM_OP_D, (uint32_t)NV_MEM_OP_D_TLB_INVALIDATE << 27);
}

static void bad_counter(void)
{
	rig_method(&r, 0, NV_HOST_MEM_OP_D, (uint32_t)NV_MEM_OP_D_ACCESS_COUNTER_CLEAR << 27);
}

static void bad_memory_operation(void)
{
	rig_method(&r, 0, NV_HOST_MEM_OP_D, 0x1fu << 27);
}

static void bad_put(void)
{
	r.userd[NV_USERD_GP_PUT / 4] = RIG_ENTRIES + 3;
}

static void bad_segment(void)
{
	((uint64_t *)rig_at(&r, RIG_RING))[0] = nv_gp_entry_pack(RIG_HOLE, 4);
	r.userd[NV_USERD_GP_PUT / 4] = 1;
}

static const struct {
	void (*write)(void);
	bool raw; /* the test wrote the ring itself */
	enum model_fault fault;
	uint32_t xid;
	const char *text;
} bad[] = {
	{bad_old_header, false, MODEL_FAULT_METHOD, 69,
	 "has kind 0, which hardware has not used since Fermi"},
	{bad_count, false, MODEL_FAULT_METHOD, 69,
	 "announces 8 data words, but its segment has only 7 left"},
	{bad_host_method, false, MODEL_FAULT_METHOD, 69,
	 "host method 0x070 (data 0x00000001) is not modelled"},
	{bad_unbound, false, MODEL_FAULT_METHOD, 69, "on subchannel 3, to which no class is bound"},
	{bad_class, false, MODEL_FAULT_METHOD, 69,
	 "gh100 has no class 0xc3c0; it has 0xcbc0 and 0xc8b5"},
	{bad_compute_method, false, MODEL_FAULT_METHOD, 69,
	 "compute method 0x1234 (data 0x00000005)"},
	{bad_copy_method, false, MODEL_FAULT_METHOD, 69, "copy method 0x05ac (data 0x00000005)"},
	{bad_qmd_version, false, MODEL_FAULT_METHOD, 69,
	 "SET_QMD_VERSION 0x300: gh100 has version 4"},
	{bad_reduction, false, MODEL_FAULT_METHOD, 69, "semaphore reductions are not modelled"},
	{bad_alignment, false, MODEL_FAULT_METHOD, 69, "is not 8-byte aligned"},
	{bad_semaphore, false, MODEL_FAULT_MMU, 31,
	 "the semaphore to release at 0x70000000 is not mapped"},
	{bad_translation, false, MODEL_FAULT_METHOD, 69,
	 "operation 0x09 needs a privileged channel"},
	{bad_counter, false, MODEL_FAULT_METHOD, 69, "operation 0x16 needs a privileged channel"},
	{bad_memory_operation, false, MODEL_FAULT_METHOD, 69, "operation 0x1f does not exist"},
	{bad_put, true, MODEL_FAULT_RING, 32, "PUT is 67, but the ring has 64 entries"},
	{bad_segment, true, MODEL_FAULT_MMU, 31, "the method stream at 0x700000000 is not mapped"},
};

static void test_bad(void)
{
	struct model_error e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rig_renew(&r);
		bad[i].write();
		if (bad[i].raw)
			model_doorbell(r.m, model_channel_token(r.channel));
		else {
			rig_release(&r);
			rig_submit(&r);
		}
		r.release += bad[i].raw; /* no release will follow */
		if (!ok(!rig_wait(&r) && strstr(rig_error(&r, &e), bad[i].text) &&
				e.fault == bad[i].fault && e.xid == bad[i].xid &&
				r.notifier.info32 == bad[i].xid && r.notifier.status == 0xffff &&
				r.notifier.time_ns,
			"channel error: %s", bad[i].text))
			diag("%s (fault %d, xid %u)", e.text, e.fault, e.xid);
	}
	rig_renew(&r);
	ok(rig_go(&r), "a new channel works after the errors");
}

static void test_create(void)
{
	static uint32_t userd[NV_USERD_BYTES / 4];
	struct model_channel_config c = {.ring_va = RIG_RING, .ring_entries = 48, .userd = userd};
	struct model_channel *none;

	ok(model_channel_create(r.m, r.space, &c, &none) && !none,
	   "a ring of 48 entries, not a power of two, is rejected");
	c.ring_entries = 64;
	c.ring_va += 4;
	ok(model_channel_create(r.m, r.space, &c, &none) && !none,
	   "a ring that is not 8-byte aligned is rejected");
	c.ring_va -= 4;
	c.userd = NULL;
	ok(model_channel_create(r.m, r.space, &c, &none) && !none,
	   "a channel without USERD is rejected");
}

int main(void)
{
	rig_open(&r, "gh100", false, 1);
	test_create();
	test_headers();
	test_ring();
	test_release();
	test_acquire();
	test_two();
	test_bad();
	rig_close(&r);
	return tap_done();
}
