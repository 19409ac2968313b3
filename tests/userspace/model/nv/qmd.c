// SPDX-License-Identifier: MIT
/* Launch descriptors: the layouts, and every rejection. A row changes one field of a valid
 * descriptor; the launch must fail with the message, and the unchanged one must run. */
#include "tests/userspace/model/nv/_rig.h"

enum { BOTH, HOPPER, AMPERE };

static const struct {
	int chip;
	enum nv_qmd_field field;
	uint32_t index;
	uint64_t value;
	const char *text;
} refused[] = {
	{HOPPER, NV_QMD_TYPE, 0, 0, "type 0 runs nothing"},
	{HOPPER, NV_QMD_TYPE, 0, 1, "type 1 runs nothing"},
	{HOPPER, NV_QMD_TYPE, 0, 3, "cluster 0x0x0; a cluster has 1 to 16 blocks"},
	{AMPERE, NV_QMD_MAJOR_VERSION, 0, 2, "version 2.0; ga100 has 3.0"},
	{AMPERE, NV_QMD_IS_QUEUE, 0, 1, "it describes a queue"},
	{BOTH, NV_QMD_DEPENDENT_ENABLE, 0, 1, "action 0 on a dependent descriptor is not modelled"},
	{BOTH, NV_QMD_DEPENDENT_ENABLE, 1, 1, "a second dependent descriptor is not modelled"},
	{HOPPER, NV_QMD_DEPENDENT_EARLY, 0, 1,
	 "its dependent starts early, but it has no dependent or arrives at no latch"},
	{HOPPER, NV_QMD_LATCH_WAIT, 0, 1,
	 "it waits for latch 0x0, at which its predecessor does not arrive"},
	{BOTH, NV_QMD_GRID_X, 0, 0, "grid 0x1x1 runs nothing"},
	{BOTH, NV_QMD_GRID_Z, 0, 0, "grid 1x1x0 runs nothing"},
	{BOTH, NV_QMD_BLOCK_Y, 0, 0, "has no threads (SKEDCHECK16)"},
	{BOTH, NV_QMD_BLOCK_X, 0, 1025, "1025 threads of 1024 (SKEDCHECK11_TOTAL_THREADS)"},
	{BOTH, NV_QMD_BLOCK_Z, 0, 33, "1056 threads of 1024 (SKEDCHECK11_TOTAL_THREADS)"},
	{BOTH, NV_QMD_PROGRAM, 0, RIG_CODE + 16, "is not 128-byte aligned"},
	{BOTH, NV_QMD_PROGRAM, 0, RIG_HOLE, "code at 0x700000000 is not mapped"},
	{BOTH, NV_QMD_REGISTERS, 0, 0, "no registers (SKEDCHECK06)"},
	{BOTH, NV_QMD_REGISTERS, 0, 300, "300 registers; a thread has 255 at most"},
	{BOTH, NV_QMD_REGISTERS, 0, 3,
	 "uses R3, but the launch descriptor allocates 3 registers per thread"},
	{BOTH, NV_QMD_BARRIERS, 0, 17, "17 barriers; a block has 16"},
	{BOTH, NV_QMD_BARRIERS, 0, 0, "barrier 0, but the launch descriptor allocates 0 barriers"},
	{BOTH, NV_QMD_SHARED_BYTES, 0, 0x440,
	 "0x440 bytes of shared memory are no multiple of 128 (SKEDCHECK14)"},
	{BOTH, NV_QMD_SHARED_BYTES, 0, 0x3a000, "bytes of shared memory; an SM has"},
	{BOTH, NV_QMD_SHARED_BYTES, 0, 0x4000,
	 "MIN_SM_CONFIG_SHARED_MEM_SIZE is 8 KiB, a block needs 16384"},
	{BOTH, NV_QMD_SHARED_CONFIG_MIN, 0, 0, "MIN_SM_CONFIG_SHARED_MEM_SIZE is 0"},
	{BOTH, NV_QMD_SHARED_CONFIG_MAX, 0, 6, "MAX_SM_CONFIG_SHARED_MEM_SIZE is 6"},
	{BOTH, NV_QMD_SHARED_CONFIG_TARGET, 0, 0x3f, "TARGET_SM_CONFIG_SHARED_MEM_SIZE is 63"},
	{BOTH, NV_QMD_LOCAL_HIGH_BYTES, 0, 24,
	 "local memory of 128 + 24 bytes is no multiple of 16"},
	{BOTH, NV_QMD_LOCAL_LOW_BYTES, 0, 0x1000, "and has 0x100000 (SKEDCHECK05)"},
	{BOTH, NV_QMD_BANK_VALID, 0, 0, "lies outside the bank's 0 bytes"},
	{BOTH, NV_QMD_BANK_BYTES, 0, 0x100, "lies outside the bank's 256 bytes"},
	{BOTH, NV_QMD_BANK_ADDRESS, 0, RIG_HOLE, "a constant bank at 0x700000000 is not mapped"},
	{BOTH, NV_QMD_RELEASE_ENABLE, 1, 1, "the semaphore to release at 0x0 is not mapped"},
};

/* Waits at a barrier, then every thread stores its parameter. */
static void write_kernel(struct rig *r)
{
	rig_code(r);
	INS(r, SASS_BAR, (IMM(0), IMM(0), PT));
	INS(r, SASS_MOV, (R(2), C0(r->params)));
	INS(r, SASS_MOV, (R(3), C0(r->params + 4)));
	INS(r, SASS_STG, (AT(2, 0), R(2)));
	INS(r, SASS_EXIT, (PT));
}

static void fresh(struct rig *r)
{
	uint64_t target = RIG_DATA;

	rig_qmd(r, 1, 32);
	rig_bank(r, &target, 1);
	*rig_words(r, RIG_DATA) = 0;
}

static void test_chip(const char *name, int chip)
{
	struct model_error e;
	struct rig r;

	rig_open(&r, name, false, 1);
	write_kernel(&r);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (refused[i].chip != BOTH && refused[i].chip != chip)
			continue;
		fresh(&r);
		if (!nv_qmd_set_at(r.layout, r.qmd, refused[i].field, refused[i].index,
				   refused[i].value))
			abort();
		rig_launch(&r);
		if (!ok(!rig_go(&r) && strstr(rig_error(&r, &e), refused[i].text),
			"%s rejects a descriptor: %s", name, refused[i].text))
			diag("%s", e.text);
		rig_renew(&r);
	}
	fresh(&r);
	if (!nv_qmd_set_at(r.layout, r.qmd, NV_QMD_REGISTERS, 0, 255) ||
	    !nv_qmd_set_at(r.layout, r.qmd, NV_QMD_BLOCK_X, 0, 512))
		abort();
	rig_launch(&r);
	ok(!rig_go(&r) && strstr(rig_error(&r, &e), "need more than the 65536 of an SM"),
	   "%s rejects a block that needs more registers than an SM has", name);
	rig_renew(&r);
	fresh(&r);
	rig_launch(&r);
	ok(rig_go(&r) && *rig_words(&r, RIG_DATA) == (uint32_t)RIG_DATA,
	   "%s runs the unchanged descriptor", name);
	rig_close(&r);
}

static void test_windows(void)
{
	struct model_error e;
	struct rig r;

	rig_open(&r, "gh100", false, 1);
	write_kernel(&r);
	fresh(&r);
	memcpy(rig_at(&r, RIG_QMD), r.qmd, r.layout->bytes);
	rig_method(&r, 1, NV_COMPUTE_SEND_PCAS_A, (uint32_t)(RIG_QMD >> 8));
	rig_method(&r, 1, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, NV_PCAS2_SCHEDULE);
	ok(!rig_go(&r) && strstr(rig_error(&r, &e), "SKEDCHECK17_MEMORY_WINDOW_OVERLAP"),
	   "a launch before the memory windows are set is rejected");
	rig_renew(&r);
	rig_launch(&r);
	rig_method(&r, 1, NV_COMPUTE_LOCAL_WINDOW_B, 0x1000);
	rig_method(&r, 1, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, NV_PCAS2_SCHEDULE);
	ok(!rig_go(&r) && strstr(rig_error(&r, &e), "must be 4 GiB aligned"),
	   "memory windows that are not 4 GiB aligned are rejected");
	rig_renew(&r);
	rig_launch(&r);
	rig_method(&r, 1, NV_COMPUTE_LOCAL_MEMORY_A, (uint32_t)(RIG_HOLE >> 32));
	rig_method(&r, 1, NV_COMPUTE_LOCAL_MEMORY_B, (uint32_t)RIG_HOLE);
	rig_method(&r, 1, NV_COMPUTE_SEND_SIGNALING_PCAS2_B, NV_PCAS2_SCHEDULE);
	ok(!rig_go(&r) && strstr(rig_error(&r, &e), "local memory at 0x700000000 is not mapped") &&
		   e.xid == 31,
	   "local memory at an unmapped address is an MMU fault");
	rig_renew(&r);
	rig_method(&r, 1, NV_COMPUTE_SEND_PCAS_A, (uint32_t)(RIG_HOLE >> 8));
	rig_method(&r, 1, NV_COMPUTE_SEND_SIGNALING_PCAS_B, NV_PCAS_INVALIDATE | NV_PCAS_SCHEDULE);
	ok(!rig_go(&r) &&
		   strstr(rig_error(&r, &e),
			  "the launch descriptor at 0x700000000 is not mapped") &&
		   e.xid == 31,
	   "a launch descriptor at an unmapped address is an MMU fault");
	rig_close(&r);
}

/* The descriptor's own semaphore, with timestamp, and stale code until it is invalidated. */
static void test_effects(void)
{
	struct rig r;
	uint64_t *s;

	rig_open(&r, "gh100", false, 1);
	s = rig_at(&r, RIG_DATA + 0x100);
	write_kernel(&r);
	fresh(&r);
	memset(s, 0, 16);
	rig_set(&r, NV_QMD_RELEASE_ENABLE, 1);
	rig_set(&r, NV_QMD_RELEASE_PAYLOAD_64, 1);
	rig_set(&r, NV_QMD_RELEASE_ADDRESS, RIG_DATA + 0x100);
	rig_set(&r, NV_QMD_RELEASE_PAYLOAD, 0x123456789abcdef0);
	rig_launch(&r);
	ok(rig_go(&r) && s[0] == 0x123456789abcdef0 && s[1],
	   "the descriptor releases its semaphore at the end");

	fresh(&r);
	rig_set(&r, NV_QMD_INVALIDATE_INSTRUCTIONS, 0);
	memset(rig_at(&r, RIG_CODE), 0, 64); /* not visible yet */
	rig_launch(&r);
	ok(rig_go(&r) && *rig_words(&r, RIG_DATA),
	   "stale code runs until the instruction cache is invalidated");
	fresh(&r);
	rig_set(&r, NV_QMD_INVALIDATE_INSTRUCTIONS, 0);
	rig_method(&r, 1, NV_COMPUTE_INVALIDATE_SHADER_CACHES_NO_WFI, NV_INVALIDATE_INSTRUCTION);
	rig_launch(&r);
	ok(!rig_go(&r), "after an instruction cache invalidate the stale code does not run");
	rig_close(&r);
}

/* Two clusters of 2 x 2 blocks: thread 0 of each block marks its number of five bits, y above x. */
static void test_clusters(void)
{
	uint64_t target = RIG_DATA;
	struct model_error e;
	uint32_t marked = 0;
	struct rig r;

	rig_open(&r, "gh100", false, 1);
	rig_code(&r);
	INS(&r, SASS_MOV, (R(2), C0(r.params)));
	INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
	INS(&r, SASS_S2R, (R(4), SR(SASS_SR_CTAID_X)));
	INS(&r, SASS_S2R, (R(5), SR(SASS_SR_CTAID_Y)));
	INS(&r, SASS_IMAD, (R(4), R(5), IMM(8), R(4)));
	INS(&r, SASS_IMAD, (R(2), R(4), IMM(4), R(2)));
	INS(&r, SASS_STG, (AT(2, 0), R(2)));
	INS(&r, SASS_EXIT, (PT));
	rig_qmd(&r, 2, 1);
	rig_bank(&r, &target, 1);
	rig_set(&r, NV_QMD_TYPE, NV_QMD_TYPE_GRID_CLUSTER);
	rig_set(&r, NV_QMD_CLUSTER_X, 2);
	rig_set(&r, NV_QMD_CLUSTER_Y, 2);
	rig_set(&r, NV_QMD_CLUSTER_Z, 1);
	memset(rig_words(&r, RIG_DATA), 0, 32 * 4);
	rig_launch(&r);
	if (!rig_go(&r))
		diag("%s", rig_error(&r, &e));
	for (uint32_t i = 0; i < 32; i++)
		marked |= (uint32_t)(rig_words(&r, RIG_DATA)[i] != 0) << i;
	if (!ok(marked == 0x0f0f, "the grid of a descriptor with clusters counts clusters"))
		diag("blocks 0x%x", marked);
	rig_set(&r, NV_QMD_GRID_X, 0x80000000);
	rig_launch(&r);
	ok(!rig_go(&r) && strstr(rig_error(&r, &e), "more than 4294967295 blocks on an axis"),
	   "a grid of more blocks than an axis can number is rejected");
	rig_close(&r);
}

/* Two descriptors, of which the second starts before the first has ended: it must wait for its
 * latch. */
static void test_latches(void)
{
	static const struct {
		bool acquires;
		uint32_t wait;    /* 0: does not wait */
		const char *text; /* NULL: it runs */
	} rows[] = {
		{true, 77, NULL},
		{true, 0, "does not wait for its latch 0x4d"},
		{true, 78, "does not wait for its latch 0x4d"},
		{false, 77, "its first instruction is not ACQBULK"},
	};
	struct model_error e;
	struct rig r;

	rig_open(&r, "gh100", false, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool ran;

		rig_code(&r);
		if (rows[i].acquires)
			INS0(&r, SASS_ACQBULK);
		INS(&r, SASS_MOV, (R(2), C0(r.params)));
		INS(&r, SASS_MOV, (R(3), C0(r.params + 4)));
		INS(&r, SASS_STG, (AT(2, 0), R(2)));
		INS(&r, SASS_EXIT, (PT));
		fresh(&r);
		rig_set(&r, NV_QMD_LATCH_WAIT, rows[i].wait != 0);
		rig_set(&r, NV_QMD_LATCH_WAIT_ID, rows[i].wait);
		memcpy(rig_at(&r, RIG_QMD + 0x1000), r.qmd, r.layout->bytes);
		fresh(&r);
		rig_set(&r, NV_QMD_DEPENDENT_ENABLE, 1);
		rig_set(&r, NV_QMD_DEPENDENT_ACTION, NV_QMD_DEPENDENT_SCHEDULE);
		rig_set(&r, NV_QMD_DEPENDENT_POINTER, RIG_QMD + 0x1000);
		rig_set(&r, NV_QMD_DEPENDENT_EARLY, 1);
		rig_set(&r, NV_QMD_LATCH_ARRIVE, 1);
		rig_set(&r, NV_QMD_LATCH_ARRIVE_ID, 77);
		rig_launch(&r);
		ran = rig_go(&r);
		if (rows[i].text)
			ok(!ran && strstr(rig_error(&r, &e), rows[i].text),
			   "a dependent grid that starts early is rejected: %s", rows[i].text);
		else
			ok(ran, "a dependent grid that waits in its first instruction runs");
		if (!ran)
			rig_renew(&r);
	}
	rig_close(&r);
}

static void test_layouts(void)
{
	static const struct nv_qmd_layout *const layouts[] = {&nv_qmd_hopper, &nv_qmd_ampere,
							      &nv_qmd_turing};
	bool inside = true, disjoint = true, kept = true;

	for (uint32_t l = 0; l < 3; l++) {
		uint32_t used[NV_QMD_MAX_WORDS] = {0}, words[NV_QMD_MAX_WORDS] = {0};

		for (uint32_t f = 0; f < NV_QMD_FIELD_COUNT; f++) {
			const struct nv_qmd_position *p = &layouts[l]->position[f];

			for (uint32_t i = 0; i < p->count; i++) {
				uint64_t value = (0xa5c3a5c3a5c3a5c3 & nv_qmd_mask(p->width))
						 << p->shift;
				uint64_t all = nv_qmd_mask(p->width) << p->shift;

				inside &=
					p->low + p->stride * i + p->width <= layouts[l]->bytes * 8;
				disjoint &=
					!nv_qmd_get_at(layouts[l], used, (enum nv_qmd_field)f, i);
				nv_qmd_set_at(layouts[l], used, (enum nv_qmd_field)f, i, all);
				kept &= nv_qmd_set_at(layouts[l], words, (enum nv_qmd_field)f, i,
						      value) &&
					nv_qmd_get_at(layouts[l], words, (enum nv_qmd_field)f, i) ==
						value;
			}
			kept &= !nv_qmd_set_at(layouts[l], words, (enum nv_qmd_field)f, p->count,
					       0);
		}
	}
	ok(inside && disjoint, "QMD fields lie inside their descriptor and do not overlap");
	ok(kept, "QMD fields return the stored value and check their index");
	ok(!nv_qmd_set(&nv_qmd_hopper, (uint32_t[NV_QMD_MAX_WORDS]){0}, NV_QMD_BLOCK_X, 65536) &&
		   !nv_qmd_set(&nv_qmd_hopper, (uint32_t[NV_QMD_MAX_WORDS]){0}, NV_QMD_BANK_ADDRESS,
			       0x20) &&
		   !nv_qmd_set(&nv_qmd_ampere, (uint32_t[NV_QMD_MAX_WORDS]){0}, NV_QMD_TYPE, 2),
	   "a value that does not fit a QMD field is not written");
}

int main(void)
{
	test_layouts();
	test_chip("gh100", HOPPER);
	test_chip("ga100", AMPERE);
	test_windows();
	test_effects();
	test_latches();
	test_clusters();
	return tap_done();
}
