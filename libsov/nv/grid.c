/* SPDX-License-Identifier: MIT */
/*
 * One grid as the hardware is told of it: the launch descriptor (QMD), whose fields lie in
 * different places on Hopper and Ampere, and constant bank 0, from which compiled code reads its
 * block and grid size and its parameters. Values as measured on an H200; Ampere's are the same
 * fields by the public headers and have not been tried on a chip.
 */
#include <string.h>
#include "hw/nv/bank0.h"
#include "libsov/nv/nv.h"

#define MAX_BLOCKS_PER_SM 32
/* Registers are given out in eights to each thread of a warp. */
#define REGISTER_UNIT 8
#define KIB	      1024u

static uint32_t round_up(uint32_t value, uint32_t unit)
{
	return (value + unit - 1) / unit * unit;
}

uint32_t nv_grid_blocks_per_sm(const struct nv_chip *chip, uint32_t threads, uint32_t registers)
{
	uint32_t warps = (threads + 31) / 32;
	uint32_t per_block = warps * 32 * round_up(registers ? registers : 1, REGISTER_UNIT);
	uint32_t blocks = chip->warps_per_sm / warps;

	if (blocks > chip->registers_per_sm / per_block)
		blocks = chip->registers_per_sm / per_block;
	return blocks < MAX_BLOCKS_PER_SM ? blocks : MAX_BLOCKS_PER_SM;
}

/*
 * How much of an SM's memory is shared memory. A target that holds fewer blocks than fit otherwise
 * costs throughput silently: half of it in one measurement on an H200.
 */
static uint32_t target_shared(const struct nv_chip *chip, const struct nv_grid *g)
{
	uint32_t threads = g->block[0] * g->block[1] * g->block[2];
	uint64_t wanted =
		(uint64_t)nv_grid_blocks_per_sm(chip, threads, g->registers) * g->shared_bytes;

	return wanted < chip->shared_per_sm ? (uint32_t)wanted : chip->shared_per_sm;
}

bool nv_grid_qmd(const struct nv_chip *chip, const struct nv_grid *g,
		 uint32_t qmd[NV_QMD_MAX_WORDS])
{
	const struct nv_qmd_layout *l = chip->sm >= 90 ? &nv_qmd_hopper : &nv_qmd_ampere;
	uint32_t max_kib = chip->shared_per_sm / KIB;
	uint32_t shared = round_up(g->shared_bytes, NV_QMD_SHARED_ALIGN);
	const struct {
		enum nv_qmd_field field;
		uint64_t value;
	} fields[] = {
		{NV_QMD_TYPE, NV_QMD_TYPE_GRID},
		{NV_QMD_MAJOR_VERSION, l->version >> 4},
		{NV_QMD_MINOR_VERSION, l->version & 15},
		{NV_QMD_GLOBAL_CACHING, 1},
		{NV_QMD_API_CALL_LIMIT_OFF, 1},
		{NV_QMD_GRID_X, g->grid[0]},
		{NV_QMD_GRID_Y, g->grid[1]},
		{NV_QMD_GRID_Z, g->grid[2]},
		{NV_QMD_BLOCK_X, g->block[0]},
		{NV_QMD_BLOCK_Y, g->block[1]},
		{NV_QMD_BLOCK_Z, g->block[2]},
		{NV_QMD_PROGRAM, g->program},
		{NV_QMD_REGISTERS, g->registers},
		{NV_QMD_BARRIERS, g->barriers},
		{NV_QMD_SHARED_BYTES, shared},
		{NV_QMD_SHARED_CONFIG_MIN, nv_qmd_shared_config(shared, max_kib)},
		{NV_QMD_SHARED_CONFIG_TARGET,
		 nv_qmd_shared_config(target_shared(chip, g), max_kib)},
		{NV_QMD_SHARED_CONFIG_MAX, max_kib / 4 + 1},
		{NV_QMD_BANK_VALID, 1},
		{NV_QMD_BANK_INVALIDATE, 1},
		{NV_QMD_BANK_ADDRESS, g->bank0},
		{NV_QMD_BANK_BYTES, round_up(g->bank0_bytes, 16)},
		{NV_QMD_INVALIDATE_TEXTURES, 1},
		{NV_QMD_INVALIDATE_DATA, 1},
		{NV_QMD_INVALIDATE_INSTRUCTIONS, g->new_code},
	};
	uint32_t i;

	memset(qmd, 0, NV_QMD_MAX_BYTES);
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (nv_qmd_has(l, fields[i].field) &&
		    !nv_qmd_set(l, qmd, fields[i].field, fields[i].value))
			return false;
	return true;
}

/* A bank is as long as its kernel's image says; words behind its end are not wanted. */
static void put(const struct nv_grid *g, uint8_t *bank, uint32_t offset, uint64_t value,
		uint32_t bytes)
{
	if (offset <= g->bank0_bytes && bytes <= g->bank0_bytes - offset)
		memcpy(bank + offset, &value, bytes);
}

void nv_grid_bank0(const struct nv_chip *chip, const struct nv_grid *g, uint8_t *bank)
{
	uint32_t i;

	memset(bank, 0, g->bank0_bytes);
	for (i = 0; i < 3; i++) {
		put(g, bank, NV_BANK0_NTID + 4 * i, g->block[i], 4);
		put(g, bank, NV_BANK0_NCTAID + 4 * i, g->grid[i], 4);
	}
	put(g, bank, NV_BANK0_SHARED_WINDOW, chip->shared_window, 8);
	put(g, bank, NV_BANK0_LOCAL_WINDOW, chip->local_window, 8);
	put(g, bank, NV_BANK0_STACK, NV_LOCAL_MEMORY_TOP, 4);
	put(g, bank, NV_BANK0_DYNAMIC_SHARED, g->dynamic_shared, 4);
	put(g, bank, NV_BANK0_GRID_ID, g->id, 8);
	if (chip->sm >= 90) {
		put(g, bank, NV_BANK0_SM90_SM_COUNT, chip->multiprocessors, 4);
		put(g, bank, NV_BANK0_RESERVED_SHARED, NV_SM90_RESERVED_SHARED, 4);
	}
}
