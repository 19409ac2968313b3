// SPDX-License-Identifier: MIT
/*
 * Blocks per SM: an SM holds at most as many blocks as the CUDA programming guide's "Technical
 * Specifications per Compute Capability" states, however few warps, registers and bytes of shared
 * memory they need. Each block counts itself and then polls a flag that the test sets, so the
 * counter stops at the number of blocks that the chip holds at a time.
 */
#include "tests/userspace/model/nv/_rig.h"

enum { ARRIVED, POLLS, FLAG, WORDS }; /* words at RIG_DATA */

static uint32_t load(uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void write_kernel(struct rig *r)
{
	rig_code(r);
	INS(r, SASS_MOV, (R(2), C0(r->params)));
	INS(r, SASS_MOV, (R(3), C0(r->params + 4)));
	INS(r, SASS_MOV, (R(8), IMM(1)));
	INS(r, SASS_ATOMG, (PT, R(9), AT(2, 4 * ARRIVED), R(8)),
	    in.mod[SASS_M_ATOM] = SASS_ATOM_ADD);
	INS(r, SASS_ATOMG, (PT, R(9), AT(2, 4 * POLLS), R(8)), in.mod[SASS_M_ATOM] = SASS_ATOM_ADD);
	INS(r, SASS_LDG, (PT, R(4), AT(2, 4 * FLAG)));
	INS(r, SASS_ISETP, (P(0), PT, R(4), RZ, PT), in.mod[SASS_M_CMP] = SASS_CMP_EQ);
	INS(r, SASS_NANOSLEEP, (PT, IMM(10)), in.guard = 0);
	INS(r, SASS_BRA, (PT, TO(4)), in.guard = 0);
	INS(r, SASS_EXIT, (PT));
}

static void launch_blocks(struct rig *r, uint32_t blocks)
{
	uint32_t kib = model_get_chip(r->m)->shared_per_sm >> 10;
	uint64_t data = RIG_DATA;

	rig_qmd(r, blocks, 1);
	rig_set(r, NV_QMD_REGISTERS, 16);
	rig_set(r, NV_QMD_LOCAL_HIGH_BYTES, 0);
	rig_set(r, NV_QMD_LOCAL_LOW_BYTES, 0);
	rig_set(r, NV_QMD_SHARED_CONFIG_MAX, nv_qmd_shared_config(kib << 10, kib));
	rig_bank(r, &data, 1);
	rig_launch(r);
	rig_release(r);
	rig_submit(r);
}

/* One host thread runs all blocks, and starts as many as the chip holds before it continues one. */
static void test_chip(const char *name, uint32_t blocks_per_sm)
{
	struct timespec pause = {.tv_nsec = 100000};
	uint32_t *words, held, blocks, polls;
	struct model_error e;
	struct rig r;

	rig_open(&r, name, false, 1);
	held = blocks_per_sm * model_get_chip(r.m)->sm_count;
	blocks = 33 * model_get_chip(r.m)->sm_count;
	words = rig_words(&r, RIG_DATA);
	memset(words, 0, 4 * WORDS);
	write_kernel(&r);
	launch_blocks(&r, blocks);
	while (load(&words[ARRIVED]) < held && !model_channel_error(r.channel, &e))
		nanosleep(&pause, NULL);
	polls = load(&words[POLLS]);
	while (load(&words[POLLS]) - polls < 4 * held && !model_channel_error(r.channel, &e))
		nanosleep(&pause, NULL);
	if (!ok(load(&words[ARRIVED]) == held, "%s holds %u blocks of one warp per SM", name,
		blocks_per_sm))
		diag("%u blocks are resident, not %u", load(&words[ARRIVED]), held);
	__atomic_store_n(&words[FLAG], 1, __ATOMIC_RELEASE);
	ok(rig_wait(&r) && load(&words[ARRIVED]) == blocks,
	   "%s starts the remaining blocks when resident blocks exit", name);
	rig_close(&r);
}

int main(void)
{
	test_chip("gh100", 32);
	test_chip("ga100", 32);
	test_chip("ga102", 16);
	test_chip("ad102", 24);
	return tap_done();
}
