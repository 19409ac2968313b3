// SPDX-License-Identifier: MIT
/*
 * What a launch writes, word for word: launch descriptors (QMD), constant bank 0 and methods. The
 * bit positions and values are those that an H200 was seen to run with, repeated here on purpose
 * instead of using the tables of hw/nv.
 */
#include "libsov/gpu/nv/nv_gpu.h"
#include "tests/tap.h"

static const struct nv_chip hopper = {
	.sm = 90,
	.multiprocessors = 132,
	.sms_per_tpc = 2,
	.tpcs = 66,
	.warps_per_sm = 64,
	.registers_per_sm = 65536,
	.shared_per_sm = 228 << 10,
	.compute_class = 0xcbc0,
	.copy_class = 0xc8b5,
	.shared_window = 0x729400000000,
	.local_window = 0x729300000000,
};
static const struct nv_chip ampere = {
	.sm = 80,
	.multiprocessors = 108,
	.sms_per_tpc = 2,
	.tpcs = 54,
	.warps_per_sm = 64,
	.registers_per_sm = 65536,
	.shared_per_sm = 164 << 10,
	.compute_class = 0xc6c0,
	.copy_class = 0xc6b5,
	.shared_window = 0x729400000000,
	.local_window = 0x729300000000,
};
static const struct nv_kernel kernel = {
	.program = 0x7e1234567880,
	.registers = 30,
	.barriers = 1,
	.shared_bytes = 0x400 + 128,
	.local_bytes = 0x1230,
	.bank0_bytes = 0x228,
};
static const struct gpu_launch grid = {
	.grid = {70000, 3, 5},
	.block = {128, 2, 1},
	.dynamic_shared = 72,
	.bank0 = 0x312340200,
	.id = 77,
};

/* Writes a descriptor as a launch does. */
static bool write_qmd(const struct nv_chip *chip, const struct nv_kernel *k, struct gpu_launch g,
		      uint32_t qmd[NV_GRID_QMD_WORDS])
{
	struct nv_plan plan;

	if (!nv_grid_plan(chip, k, &plan))
		return false;
	nv_grid_carveout(chip, k, g.block[0] * g.block[1] * g.block[2], g.dynamic_shared,
			 &g.carveout_min, &g.carveout_target);
	return nv_grid_qmd(chip, &plan, &g, qmd);
}

/* Extracts bits high to low. */
static uint64_t bits(const uint32_t *words, uint32_t high, uint32_t low)
{
	uint64_t value = 0;
	uint32_t bit;

	for (bit = high + 1; bit-- > low;)
		value = value << 1 | (words[bit / 32] >> bit % 32 & 1);
	return value;
}

#define BITS(words, high, low, want, name) \
	do { \
		uint64_t got_ = bits(words, high, low); \
		if (!ok(got_ == (want), "%s QMD: bits %d to %d hold %s", family, high, low, name)) \
			diag("got 0x%llx, want 0x%llx", (unsigned long long)got_, \
			     (unsigned long long)(want)); \
	} while (0)

static void hopper_descriptor(void)
{
	const char *const family = "Hopper";
	uint32_t q[NV_GRID_QMD_WORDS];

	ok(write_qmd(&hopper, &kernel, grid, q), "%s QMD: a valid grid has a descriptor", family);
	BITS(q, 25, 23, 2u, "the type: grid");
	BITS(q, 1055, 1024, 70000u, "the grid's width");
	BITS(q, 1071, 1056, 3u, "the grid's height");
	BITS(q, 1103, 1088, 5u, "the grid's depth");
	BITS(q, 1167, 1152, 128u, "the block's width");
	BITS(q, 1183, 1168, 2u, "the block's height");
	BITS(q, 1199, 1184, 1u, "the block's depth");
	BITS(q, 1208, 1200, 30u, "the number of registers");
	BITS(q, 1215, 1211, 1u, "the number of barriers");
	BITS(q, 1272, 1216, 0x7e1234567880u, "the program's address");
	BITS(q, 601, 584, 0x500u, "shared memory in units of 128 bytes");
	BITS(q, 613, 608, 3u, "the minimum carveout, 8 KiB");
	BITS(q, 619, 614, 0x3au, "the maximum carveout, 228 KiB");
	/* 256 threads: 8 blocks by warps and by registers, 8 x 1224 bytes: 16 KiB. */
	BITS(q, 625, 620, 5u, "the target carveout for all resident blocks");
	BITS(q, 416, 416, 1u, "the valid bit of bank 0");
	BITS(q, 419, 419, 1u, "the invalidate bit of bank 0");
	BITS(q, 1586, 1536, 0x312340200u >> 6, "the address of bank 0");
	BITS(q, 1599, 1587, 0x230u >> 4, "the size of bank 0");
	BITS(q, 606, 604, 3u, "the invalidation of data but not of code");
	BITS(q, 535, 512, 0u, "no low local memory");
	BITS(q, 567, 544, 0x1230u, "the high local memory per thread");
}

static void ampere_descriptor(void)
{
	const char *const family = "Ampere";
	uint32_t q[NV_GRID_QMD_WORDS];

	ok(write_qmd(&ampere, &kernel, grid, q), "%s QMD: a valid grid has a descriptor", family);
	BITS(q, 583, 576, 0x30u, "the version");
	BITS(q, 415, 384, 70000u, "the grid's width");
	BITS(q, 607, 592, 128u, "the block's width");
	BITS(q, 656, 648, 30u, "the number of registers");
	BITS(q, 1584, 1536, 0x7e1234567880u, "the program's address");
	BITS(q, 561, 544, 0x500u, "shared memory");
	BITS(q, 567, 562, 3u, "the minimum carveout");
	BITS(q, 574, 569, 0x2au, "the maximum carveout, 164 KiB");
	BITS(q, 640, 640, 1u, "the valid bit of bank 0");
	BITS(q, 1072, 1024, 0x312340200u, "the address of bank 0");
	BITS(q, 1087, 1075, 0x230u >> 4, "the size of bank 0");
	BITS(q, 1623, 1600, 0x1230u, "local memory");
}

/* Turing has other fields for local memory and barriers, and two carveout sizes. */
static void turing_descriptor(void)
{
	const char *const family = "Turing";
	struct nv_chip turing = ampere;
	uint32_t q[NV_GRID_QMD_WORDS];

	turing.sm = 75;
	turing.warps_per_sm = 32;
	turing.shared_per_sm = 64 << 10;
	ok(write_qmd(&turing, &kernel, grid, q), "%s QMD: a valid grid has a descriptor", family);
	BITS(q, 583, 576, 0x23u, "the version");
	BITS(q, 415, 384, 70000u, "the grid's width");
	BITS(q, 656, 648, 30u, "the number of registers");
	BITS(q, 959, 955, 1u, "the number of barriers");
	BITS(q, 983, 960, 0x1230u, "local memory");
	BITS(q, 568, 562, 9u, "the minimum carveout, 32 KiB");
	BITS(q, 575, 569, 0x11u, "the maximum carveout, 64 KiB");
	BITS(q, 663, 657, 9u, "the target carveout for all resident blocks");
	BITS(q, 1072, 1024, 0x312340200u, "the address of bank 0");
}

/* Volta's fields lie where Turing's do; its carveouts end at 96 KiB. */
static void volta_descriptor(void)
{
	const char *const family = "Volta";
	struct nv_chip volta = ampere;
	uint32_t q[NV_GRID_QMD_WORDS];

	volta.sm = 70;
	volta.shared_per_sm = 96 << 10;
	ok(write_qmd(&volta, &kernel, grid, q), "%s QMD: a valid grid has a descriptor", family);
	BITS(q, 583, 576, 0x22u, "the version");
	BITS(q, 656, 648, 30u, "the number of registers");
	BITS(q, 983, 960, 0x1230u, "local memory");
	BITS(q, 575, 569, 0x19u, "the maximum carveout, 96 KiB");
}

static void invalid_grids(void)
{
	uint32_t q[NV_GRID_QMD_WORDS];
	struct nv_kernel k = kernel;
	struct gpu_launch g = grid;

	g.new_code = true;
	ok(write_qmd(&hopper, &kernel, g, q) && bits(q, 606, 606) == 1,
	   "QMD: new code requests an instruction cache invalidation");
	ok(bits(q, 603, 602) == 0, "QMD: caches of textures stay valid for code without textures");
	k.textures = true;
	ok(write_qmd(&hopper, &k, grid, q) && bits(q, 603, 602) == 3,
	   "QMD: code with textures invalidates the caches of headers and samplers");
	g = grid;
	g.bank0 += 16;
	ok(!write_qmd(&hopper, &kernel, g, q),
	   "QMD: a bank 0 that is not 64-byte aligned is rejected");
	g = grid;
	g.grid[1] = 65536;
	ok(!write_qmd(&hopper, &kernel, g, q), "QMD: a grid higher than 65535 blocks is rejected");
	k.registers = 512;
	ok(!write_qmd(&ampere, &k, grid, q), "QMD: 512 registers are rejected");
}

static void clusters(void)
{
	uint32_t q[NV_QMD_MAX_WORDS] = {0};
	struct gpu_launch g = grid;

	memcpy(g.grid, (uint32_t[3]){12, 10, 6}, sizeof(g.grid));
	memcpy(g.cluster, (uint32_t[3]){4, 2, 1}, sizeof(g.cluster));
	ok(write_qmd(&hopper, &kernel, g, q) && nv_grid_cluster(&hopper, &g, q) &&
		   bits(q, 2149, 2144) == 4 && bits(q, 2157, 2152) == 2 &&
		   bits(q, 2165, 2160) == 1 && bits(q, 1055, 1024) == 3 &&
		   nv_qmd_get(&nv_qmd_hopper, q, NV_QMD_GRID_Y) == 5 &&
		   nv_qmd_get(&nv_qmd_hopper, q, NV_QMD_GRID_Z) == 6,
	   "QMD: a grid of blocks becomes a grid of clusters");
}

static void occupancy(void)
{
	ok(nv_grid_blocks_per_sm(&hopper, 1024, 32) == 2,
	   "nv: two blocks of 1024 threads with 32 registers fit an SM");
	ok(nv_grid_blocks_per_sm(&hopper, 1024, 33) == 1,
	   "nv: registers are allocated in units of 8 per thread");
	ok(nv_grid_blocks_per_sm(&hopper, 1024, 65) == 0,
	   "nv: no block of 1024 threads with 65 registers fits an SM");
	ok(nv_grid_blocks_per_sm(&hopper, 1, 16) == 32, "nv: a Hopper SM holds at most 32 blocks");
	ok(nv_grid_blocks_per_sm(&hopper, 33, 16) == 32, "nv: a partial warp counts as a warp");
	ok(nv_grid_blocks_per_sm(&hopper, 128, 168) == 3,
	   "nv: each SM partition holds 3 warps of 168 registers");
	ok(nv_grid_blocks_per_sm(
		   &(struct nv_chip){.sm = 89, .warps_per_sm = 48, .registers_per_sm = 65536}, 32,
		   16) == 24,
	   "nv: an Ada SM holds at most 24 blocks");
}

static void local_memory(void)
{
	struct gpu_local l = nv_grid_local_layout(&hopper, 1020);

	ok(l.thread_bytes == 1024, "nv: local memory per thread is a multiple of 16 bytes");
	ok(l.unit_bytes == 1024 * 32 * 64 * 2 && l.bytes == l.unit_bytes * 66,
	   "and is there for every thread that an H200 can hold: 276,824,064 bytes");
	l = nv_grid_local_layout(&hopper, 1);
	ok(l.thread_bytes == 16 && l.unit_bytes == 0x200 * 128,
	   "nv: local memory per warp is a multiple of 512 bytes");
}

static uint64_t word(const uint8_t *bank, uint32_t offset, uint32_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, bank + offset, bytes);
	return value;
}

static const struct nv_kernel with_banks = {
	.program = 0x10000,
	.registers = 16,
	.bank0_bytes = 0x200,
	.banks = {[2] = {0x1234600, 24}, [3] = {0x1234500, 17}},
};

static void further_banks(void)
{
	const struct nv_chip *chips[] = {&hopper, &ampere};

	for (uint32_t i = 0; i < 2; i++) {
		const struct nv_qmd_layout *l = i ? &nv_qmd_ampere : &nv_qmd_hopper;
		struct nv_plan plan;

		if (!ok(nv_grid_plan(chips[i], &with_banks, &plan),
			"QMD: a kernel with constant banks can be planned"))
			continue;
		ok(nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_VALID, 2) &&
			   nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_VALID, 3) &&
			   !nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_VALID, 4),
		   "QMD: the constant banks of the kernel are valid, others are not");
		ok(nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_ADDRESS, 2) == 0x1234600 &&
			   nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_BYTES, 3) == 32,
		   "QMD: constant banks have their address and a size in units of 16 bytes");
		ok(nv_qmd_get_at(l, plan.qmd, NV_QMD_BANK_INVALIDATE, 3),
		   "QMD: constant banks are invalidated at launch");
	}
}

static void bank(void)
{
	uint8_t b[0x240];

	memset(b, 0xee, sizeof(b));
	nv_grid_bank0_common(&hopper, &with_banks, 0x7000, 0x200, b);
	ok(word(b, 0xd0, 8) == 0x1234500, "Hopper: where constant variables are");
	ok(word(b, 0x10c, 4) == 132 && word(b, 0x114, 4) == 0x400,
	   "bank 0, Hopper: the SM count and the reserved shared memory are set");
	ok(word(b, 0x68, 4) == 0x120 && word(b, 0x6c, 4) == 0x20,
	   "bank 0, Hopper: the area of the reserved shared memory for libraries is set");
	ok(word(b, 0x198, 8) == 0x7210 && word(b, 0x1a0, 8) > 0x7210,
	   "bank 0, Hopper: the addresses of the parameters are set");
	ok(word(b, 0x118, 8) == 0 && word(b, 0x1f8, 8) == 0, "bank 0: unused words are 0");
	ok(b[0x200] == 0xee, "bank 0: nothing is written past its end");
	memset(b, 0xee, sizeof(b));
	nv_grid_bank0_launch(&hopper, &grid, b);
	ok(word(b, 0, 4) == 128 && word(b, 4, 4) == 2 && word(b, 8, 4) == 1,
	   "bank 0: the block's size is at 0");
	ok(word(b, 12, 4) == 70000 && word(b, 16, 4) == 3 && word(b, 20, 4) == 5,
	   "bank 0: the grid's size is at 12");
	ok(word(b, 0x18, 8) == hopper.shared_window && word(b, 0x20, 8) == hopper.local_window,
	   "bank 0: the windows are at 0x18");
	ok(word(b, 0x28, 4) == 0x1000000, "bank 0: the stack begins at the top of local memory");
	ok(word(b, 0x2c, 4) == 72 && word(b, 0x30, 8) == 77,
	   "dynamic shared memory and the launch's number");
	ok(b[64] == 0xee, "that is all that differs from launch to launch");
	nv_grid_bank0_common(&ampere, &with_banks, 0x7000, 0x140, b);
	ok(word(b, 0x50, 8) == 0x1234500, "Ampere: where constant variables are");
	ok(word(b, 0x114, 4) == 0 && word(b, 0x118, 8) == 0, "Ampere reserves nothing");
	ok(word(b, 0x40, 8) == 0x7000 && word(b, 0x12c, 4) > 0x160,
	   "bank 0, Ampere: the address of the bank and the end of the parameters are set");
}

static void method_streams(void)
{
	uint32_t words[64];
	struct gpu_push p = {.words = words, .capacity = 64};

	nv_push_launch(&p, &ampere, 0x312340000);
	ok(p.count == 4 && words[0] == (1u << 29 | 1 << 16 | 1 << 13 | 0x2b4 >> 2) &&
		   words[1] == 0x3123400 &&
		   words[2] == (1u << 29 | 1 << 16 | 1 << 13 | 0x2c0 >> 2) && words[3] == 9,
	   "a launch is SEND_PCAS_A with the address and SEND_SIGNALING_PCAS2_B with 9");
	p.count = 0;
	nv_push_launch(&p, &(struct nv_chip){.sm = 75}, 0x312340000);
	ok(p.count == 4 && words[1] == 0x3123400 &&
		   words[2] == (1u << 29 | 1 << 16 | 1 << 13 | 0x2bc >> 2) && words[3] == 3,
	   "before Ampere a launch is SEND_PCAS_A and SEND_SIGNALING_PCAS_B, invalidate and "
	   "schedule");
	p.count = 0;
	nv_push_release(&p, 0x1234567890, 42, GPU_RELEASE_TIMESTAMP);
	ok(p.count == 6 && words[0] == (1u << 29 | 5 << 16 | 0x5c >> 2) && words[1] == 0x34567890 &&
		   words[2] == 0x12 && words[3] == 42 && words[4] == 0 &&
		   words[5] == (1 | 1 << 20 | 1 << 25),
	   "a semaphore release has WFI and a time stamp");
	p.count = 0;
	nv_push_release(&p, 0x1234567890, 42, GPU_RELEASE_NO_WAIT);
	ok(p.count == 6 && words[5] == 1,
	   "a semaphore release with GPU_RELEASE_NO_WAIT has neither WFI nor a time stamp");
	p.count = 0;
	nv_push_acquire(&p, 0x1234567890, 42);
	ok(p.count == 6 && words[5] == (3 | 1 << 12), "a semaphore acquire compares modulo 2^32");
	p.count = 0;
	nv_push_set_local(&p, 0x7e1234560000, 0x123400000);
	ok(p.count == 7 && words[0] == (1u << 29 | 2 << 16 | 1 << 13 | 0x790 >> 2) &&
		   words[1] == 0x7e12 && words[2] == 0x34560000 &&
		   words[3] == (1u << 29 | 3 << 16 | 1 << 13 | 0x2e4 >> 2) && words[4] == 1 &&
		   words[5] == 0x23400000 && words[6] == 0xff,
	   "set_local writes an address and the bytes per TPC");
	p.count = 0;
	p.capacity = 5;
	nv_push_release(&p, 0, 0, 0);
	ok(p.overflow && !p.count, "a method that does not fit is dropped and sets overflow");
}

/* Bit positions: clcbc0qmd.h and clc6c0qmd.h. */
static void releases(void)
{
	uint32_t qmd[NV_GRID_QMD_WORDS];
	struct gpu_launch g = grid;

	ok(write_qmd(&hopper, &kernel, g, qmd) && !bits(qmd, 320, 320),
	   "QMD: a grid without a release semaphore releases nothing");
	g.release = 0x1234567890;
	g.payload = 0xdeadbeef;
	ok(write_qmd(&hopper, &kernel, g, qmd) && bits(qmd, 320, 320) == 1 &&
		   bits(qmd, 322, 321) == 1 && bits(qmd, 323, 323) == 1 &&
		   bits(qmd, 696, 640) == 0x1234567890 && bits(qmd, 735, 704) == 0xdeadbeef,
	   "QMD, Hopper: a release has semaphore, payload and membar");
	ok(write_qmd(&ampere, &kernel, g, qmd) && bits(qmd, 823, 823) == 1 &&
		   bits(qmd, 831, 830) == 1 && bits(qmd, 819, 819) == 1 &&
		   bits(qmd, 807, 768) == 0x1234567890 && bits(qmd, 863, 832) == 0xdeadbeef,
	   "QMD, Ampere: a release has semaphore, payload and membar");
}

int main(void)
{
	hopper_descriptor();
	releases();
	ampere_descriptor();
	turing_descriptor();
	volta_descriptor();
	invalid_grids();
	clusters();
	occupancy();
	local_memory();
	further_banks();
	bank();
	method_streams();
	return tap_done();
}
