// SPDX-License-Identifier: MIT
/* Kernels on the card: launches as on the software GPU's test rig (whose descriptors and
 * instructions are reused here), but through an RM channel and page tables in video memory. One
 * kernel computes, one faults, one never ends, and one may not use atomics. */
#include "tests/userspace/model/card/_driver.h"
#include "tests/userspace/model/nv/_rig.h"

#define RIG_VRAM (64ull << 20) /* rig memory in VRAM, mapped at RIG_BASE */

static struct rig rig;

/* A last-level directory below the existing one for address bits 37:29. */
static const uint64_t last = TABLES + 0x9000;

static void map_rig(void)
{
	uint64_t *above = (uint64_t *)(vram + TABLES + 0x3000);

	above[RIG_BASE >> 29] = last | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS;
	for (uint64_t i = 0; i < RIG_BYTES >> NV_MMU3_HUGE; i++)
		((uint64_t *)(vram + last))[2 * i] = (RIG_VRAM + (i << NV_MMU3_HUGE)) |
						     NV_MMU3_VALID | NV_MMU3_PCF_REGULAR |
						     NV_MMU3_KIND_GENERIC;
	invalidate();
}

/* Submits the rig's stream to the channel, with a semaphore release after it. */
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
	       rm_control(SUBDEVICE, RM_CONTROL_PROMOTE, &promote, sizeof(promote)) |
	       rm_alloc(CHANNEL, COPIER, 0xcbc0, NULL, 0);
}
static uint32_t end_compute(void)
{
	return rm_free(COPIER) | rm_free(CHANNEL);
}

/* Stores each thread's index at parameter 0 + 4 * index. */
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

/* Increments the word at parameter 0 endlessly. */
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

/* True if the word changes within a fifth of a second. */
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

	boot_gsp();
	make_device();
	make_space();
	map_rig();
	ok(!start_compute(), "kernel: a channel with a compute object is allocated");
	memset(data, 0xff, 4 * 32 * 64);
	write_store();
	launch(64, RIG_DATA);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release), "kernel: a kernel runs to its end");
	for (uint32_t i = 0; i < 32 * 64; i++)
		wrong += data[i] != i;
	ok(!wrong, "kernel: every thread stored its index");
	launch(1, RIG_HOLE);
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID &&
		   rc.engine == RM_ENGINE_GRAPHICS &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) >= RIG_HOLE &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) < RIG_HOLE + 128,
	   "kernel: a store to an unmapped address is reported with its address");
	ok(!end_compute() && !start_compute(),
	   "kernel: after the fault another compute channel is allocated");
	rig.push = rig.start = 0;
	write_endless();
	data[0] = 0;
	launch(1, RIG_DATA);
	ok(grows(data), "kernel: an endless kernel runs");
	ok(!end_compute() && !grows(data), "kernel: freeing its channel stops an endless kernel");
	ok(!free_all(), "kernel: all objects are freed");
	unload_gsp();
	refused(NULL, "kernel: a correct driver is not refused anything");
}

/* A page that permits writes but not atomics: the second page of the rig. */
static void without_atomics(void)
{
	const uint64_t no_atomics_va = RIG_DATA;
	uint64_t *entry =
		&((uint64_t *)(vram + last))[2 * ((no_atomics_va - RIG_BASE) >> NV_MMU3_HUGE)];
	uint32_t *data = rig_words(&rig, no_atomics_va);

	boot_gsp();
	make_device();
	make_space();
	map_rig();
	start_compute();
	rig.push = rig.start = 0;
	data[0] = 0;
	write_atomic();
	launch(1, no_atomics_va);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release) && data[0] == 32,
	   "no atomics: atomics of 32 threads add up on a page that permits them");
	*entry |= NV_MMU3_PCF_NO_ATOMICS;
	invalidate();
	write_store();
	launch(1, no_atomics_va);
	ok(wait_for(rig_at(&rig, RIG_SEM), rig.release) && data[1] == 1,
	   "no atomics: a page without atomics can be written");
	data[0] = 7;
	write_atomic();
	launch(1, no_atomics_va);
	struct nv_gsp_rc rc = wait_for_rc();

	ok(rc.type == NV_XID_MMU_FAULT && rc.channel == CHANNEL_ID && rc.fault_type == 15 &&
		   ((uint64_t)rc.fault_high << 32 | rc.fault_low) == no_atomics_va,
	   "no atomics: an atomic faults with the fault type for atomics");
	ok(data[0] == 7, "no atomics: the faulting atomic changes nothing");
	*entry &= ~NV_MMU3_PCF_NO_ATOMICS;
	ok(!end_compute() && !free_all(), "no atomics: all objects are freed");
	unload_gsp();
	refused(NULL, "no atomics: a kernel's fault does not count against the driver");
}

int main(void)
{
	if (machine_open()) {
		vram = mmap(NULL, VRAM, PROT_READ | PROT_WRITE, MAP_SHARED,
			    card_region(card, NV_PCI_BAR_VRAM).fd, 0);
		rig_open(&rig, "gh100", false, 1); /* for its chip; the memory is the card's */
		uint8_t *own = rig.vram;

		rig.vram = vram + RIG_VRAM;
		computes();
		without_atomics();
		rig.vram = own;
		rig_close(&rig);
		munmap(vram, VRAM);
	}
	machine_close();
	return tap_done();
}
