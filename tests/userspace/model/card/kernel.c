/* SPDX-License-Identifier: MIT */
/*
 * Kernels on the card: the same launches as on the software GPU's own bench (whose descriptors and
 * instructions are borrowed here), but through a channel of the resource manager and page tables in
 * video memory. One computes, one faults, one never ends, and one may not do atomics.
 */
#include "tests/userspace/model/card/_driver.h"
#include "tests/userspace/model/nv/_rig.h"

#define BENCH (64ull << 20) /* in VRAM, mapped at RIG_BASE */

static struct rig rig;

/* A last directory of its own, in the one for addresses 37:29 that is already there. */
static const uint64_t last = TABLES + 0x9000;

static void map_bench(void)
{
	uint64_t *above = (uint64_t *)(vram + TABLES + 0x3000);

	above[RIG_BASE >> 29] = last | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	for (uint64_t i = 0; i < RIG_BYTES >> NV_MMU3_HUGE; i++)
		((uint64_t *)(vram + last))[2 * i] = (BENCH + (i << NV_MMU3_HUGE)) | NV_MMU3_VALID |
						     NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC;
	invalidate();
}

/* Hands the bench's stream to the channel, with a release behind it. */
static void submit(void)
{
	uint32_t put = *(uint32_t *)(vram + USERD + NV_USERD_GP_PUT);
	uint64_t *entries = data_at(RING);

	rig_release(&rig);
	entries[put] = nv_gp_entry_pack(RIG_PUSH + 4ull * rig.start, rig.push - rig.start);
	rig.start = rig.push;
	__atomic_store_n((uint32_t *)(vram + USERD + NV_USERD_GP_PUT), (put + 1) % RING_ENTRIES,
			 __ATOMIC_RELEASE);
	write32(NV_VF_DOORBELL, NV_DOORBELL(0, CHANNEL_ID));
}

static uint32_t start_compute(void)
{
	struct rm_promote promote = promotion();

	return start_channel_of(RM_ENGINE_GRAPHICS) |
	       control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)) |
	       make(CHANNEL, COPIER, 0xcbc0, NULL, 0);
}
static uint32_t end_compute(void)
{
	return release(COPIER) | release(CHANNEL);
}

/* Stores a thread's number at parameter 0 + 4 * number. */
static void write_store(void)
{
	rig.code = 0;
	INS(&rig, SASS_S2R, (R(0), SR(SASS_SR_TID_X)));
	INS(&rig, SASS_S2R, (R(1), SR(SASS_SR_CTAID_X)));
	INS(&rig, SASS_IMAD, (R(0), R(1), IMM(32), R(0)));
	INS(&rig, SASS_MOV, (R(4), C0(NV_BANK0_SM90_PARAMS)));
	INS(&rig, SASS_MOV, (R(5), C0(NV_BANK0_SM90_PARAMS + 4)));
	INS(&rig, SASS_IMAD, (R(4), R(0), IMM(4), R(4)));
	INS(&rig, SASS_STG, (AT(4, 0), R(0)));
	INS(&rig, SASS_EXIT, (PT));
}

/* Counts at parameter 0 for ever. */
static void write_endless(void)
{
	rig.code = 0;
	INS(&rig, SASS_MOV, (R(4), C0(NV_BANK0_SM90_PARAMS)));
	INS(&rig, SASS_MOV, (R(5), C0(NV_BANK0_SM90_PARAMS + 4)));
	INS(&rig, SASS_MOV, (R(0), IMM(0)));
	INS(&rig, SASS_IADD3, (R(0), PT, PT, R(0), IMM(1), RZ));
	INS(&rig, SASS_STG, (AT(4, 0), R(0)));
	INS(&rig, SASS_BRA, (PT, TO(3)));
}

/* Adds one at parameter 0. */
static void write_atomic(void)
{
	rig.code = 0;
	INS(&rig, SASS_MOV, (R(4), C0(NV_BANK0_SM90_PARAMS)));
	INS(&rig, SASS_MOV, (R(5), C0(NV_BANK0_SM90_PARAMS + 4)));
	INS(&rig, SASS_MOV, (R(0), IMM(1)));
	INS(&rig, SASS_RED, (AT(4, 0), R(0)));
	INS(&rig, SASS_EXIT, (PT));
}

/* Does the word change within a fifth of a second? */
static bool grows(const uint32_t *word)
{
	uint32_t before = __atomic_load_n(word, __ATOMIC_RELAXED);

	for (int i = 0; i < 200; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		if (__atomic_load_n(word, __ATOMIC_RELAXED) != before)
			return true;
	}
	return false;
}

static void launch(uint32_t blocks, uint64_t parameter)
{
	rig_qmd(&rig, blocks, 32);
	rig_bank(&rig, &parameter, 1);
	rig_launch(&rig);
	submit();
}

static void computes(void)
{
	uint32_t *data = rig_words(&rig, RIG_DATA), wrong = 0;

	start();
	make_device();
	make_space();
	map_bench();
	ok(!start_compute(), "a channel with compute is made");
	memset(data, 0xff, 4 * 32 * 64);
	write_store();
	launch(64, RIG_DATA);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release), "a kernel runs to its end");
	for (uint32_t i = 0; i < 32 * 64; i++)
		wrong += data[i] != i;
	ok(!wrong, "every thread's word is right");
	launch(1, RIG_HOLE);
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.engine == RM_ENGINE_GRAPHICS &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) >= RIG_HOLE &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) < RIG_HOLE + 128,
	   "one that stores into a hole is reported with its address");
	ok(!end_compute() && !start_compute(), "the next channel is made");
	rig.push = rig.start = 0;
	write_endless();
	data[0] = 0;
	launch(1, RIG_DATA);
	ok(grows(data), "a kernel that never ends runs");
	ok(!end_compute() && !grows(data), "and ends when its channel is freed");
	ok(!end_all(), "everything is freed");
	stop();
	refused(NULL, "none of it is refused");
}

/* A page that can be written, but not by atomics: the bench's second. */
static void without_atomics(void)
{
	const uint64_t refusing = RIG_DATA;
	uint64_t *entry = &((uint64_t *)(vram + last))[2 * ((refusing - RIG_BASE) >> NV_MMU3_HUGE)];
	uint32_t *data = rig_words(&rig, refusing);

	start();
	make_device();
	make_space();
	map_bench();
	start_compute();
	rig.push = rig.start = 0;
	data[0] = 0;
	write_atomic();
	launch(1, refusing);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release) && data[0] == 32,
	   "atomics of 32 threads add up");
	*entry |= NV_MMU3_PCF_NO_ATOMICS;
	invalidate();
	write_store();
	launch(1, refusing);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release) && data[1] == 1,
	   "a page without atomics can be written");
	data[0] = 7;
	write_atomic();
	launch(1, refusing);
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID && rc.fault_type == 15 &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) == refusing,
	   "an atomic there is a fault that says why");
	ok(data[0] == 7, "and changes nothing");
	*entry &= ~NV_MMU3_PCF_NO_ATOMICS;
	ok(!end_compute() && !end_all(), "everything is freed");
	stop();
	refused(NULL, "that is no driver's mistake");
}

int main(void)
{
	if (machine_open()) {
		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED,
			    card_region(card, NV_PCI_BAR_VRAM).fd, 0);
		rig_open(&rig, "gh100", false, 1); /* for its chip; memory is the card's */
		uint8_t *own = rig.vram;

		rig.vram = vram + BENCH;
		computes();
		without_atomics();
		rig.vram = own;
		rig_close(&rig);
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
