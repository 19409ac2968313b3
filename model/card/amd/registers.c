// SPDX-License-Identifier: MIT
/* Registers in BAR 5. A row is a register, or a group of one unit, with functions for reads and
 * writes that have side effects. Other registers of the blocks that the chip has keep what was
 * written to them, without effect; real ones have reset values and reserved bits that no public
 * source lists. Accesses elsewhere, of other than four bytes, and writes to registers that only
 * firmware may write are refused. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/amd/smu.h"
#include "model/card/amd/navi.h"

/* Ranges of the chip's blocks, by their register bases. */
static const struct {
	uint32_t first, last;
	const char *name;
} blocks[] = {
	{0x00000, 0x00bff, "NBIO"},  {0x00c00, 0x00d1f, "ATHUB"},  {0x00d20, 0x00f1f, "NBIO"},
	{0x00f20, 0x0109f, "HDP"},   {0x010a0, 0x0125f, "OSSSYS"}, {0x01260, 0x06fff, "GC"},
	{0x07000, 0x077ff, "DF"},    {0x0a000, 0x103ff, "GC"},     {0x10400, 0x13fff, "NBIO"},
	{0x14000, 0x15fff, "UMC"},   {0x16000, 0x165ff, "MP"},     {0x16600, 0x167ff, "THM"},
	{0x16800, 0x16bff, "SMUIO"}, {0x16c00, 0x16dff, "CLK"},    {0x1a000, 0x1bfff, "MMHUB"},
	{0x1c000, 0x1ffff, "GC"},
};

static const char *block_name(uint32_t index)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (index >= blocks[i].first && index <= blocks[i].last)
			return blocks[i].name;
	return NULL;
}

static uint32_t read_memory_size(struct card *c, uint32_t index)
{
	(void)index;
	return (uint32_t)(c->vram_bytes >> 20);
}

/* A window of one word to video memory, for what lies beyond BAR 0. */
static uint8_t *indexed_vram(struct card *c)
{
	const uint32_t *r = c->navi->registers;
	uint64_t at = (r[NAVI_MM_INDEX] & ~NAVI_MM_INDEX_VRAM) | (uint64_t)r[NAVI_MM_INDEX_HI]
									 << 31;

	if (!(r[NAVI_MM_INDEX] & NAVI_MM_INDEX_VRAM)) {
		card_refuse(c,
			    "MM_DATA: MM_INDEX 0x%x names a register; only video memory is "
			    "modelled",
			    r[NAVI_MM_INDEX]);
		return NULL;
	}
	if (at % 4 || at >= c->vram_bytes) {
		card_refuse(c, "MM_DATA: 0x%" PRIx64 " is no word of video memory", at);
		return NULL;
	}
	return c->vram + at;
}

static uint32_t read_data(struct card *c, uint32_t index)
{
	const uint8_t *from = indexed_vram(c);
	uint32_t value = ~0u;

	(void)index;
	if (from)
		memcpy(&value, from, 4);
	return value;
}

static void write_data(struct card *c, uint32_t index, uint32_t value)
{
	uint8_t *to = indexed_vram(c);

	(void)index;
	if (to)
		memcpy(to, &value, 4);
}

static uint32_t read_zero(struct card *c, uint32_t index)
{
	(void)c;
	(void)index;
	return 0;
}

static void write_refused(struct card *c, uint32_t index, uint32_t value)
{
	card_refuse(c, "register 0x%x is read-only: write of 0x%x", 4 * index, value);
}

/* Sorted by index. */
static const struct row {
	uint32_t first, last;
	uint32_t (*read)(struct card *c, uint32_t index); /* NULL: what was written */
	void (*write)(struct card *c, uint32_t index, uint32_t value);
} rows[] = {
	{NAVI_MM_DATA, NAVI_MM_DATA, read_data, write_data},
	{NAVI_PCIE_DATA2, NAVI_PCIE_DATA2, navi_smn_read, navi_smn_write},
	{NAVI_RCC_CONFIG_MEMSIZE, NAVI_RCC_CONFIG_MEMSIZE, read_memory_size, write_refused},
	{NAVI_RCC_IOV_FUNC_IDENTIFIER, NAVI_RCC_IOV_FUNC_IDENTIFIER, read_zero, write_refused},
	{NAVI_GC_HUB, NAVI_GC_HUB + NAVI_HUB_LAST, navi_hub_read, navi_hub_write},
	{NAVI_GC_HUB_APERTURES, NAVI_GC_HUB_APERTURES + NAVI_HUB_APERTURES_LAST, navi_hub_read,
	 navi_hub_write},
	{NAVI_RLC_BOOT_STATUS, NAVI_RLC_BOOT_STATUS, navi_rlc_boot_status, write_refused},
	{NAVI_C2PMSG(33), NAVI_C2PMSG(103), navi_psp_read, navi_psp_write},
	{SMU_MESSAGE, SMU_RESPONSE, navi_smu_read, navi_smu_write},
	{NAVI_MM_HUB, NAVI_MM_HUB + NAVI_HUB_LAST, navi_hub_read, navi_hub_write},
	{NAVI_MM_HUB_APERTURES, NAVI_MM_HUB_APERTURES + NAVI_HUB_APERTURES_LAST, navi_hub_read,
	 navi_hub_write},
};

static int compare(const void *key, const void *row)
{
	uint32_t index = *(const uint32_t *)key;
	const struct row *r = row;

	return index < r->first ? -1 : index > r->last;
}

static const struct row *find_row(uint32_t index)
{
	return bsearch(&index, rows, sizeof(rows) / sizeof(*rows), sizeof(*rows), compare);
}

uint32_t navi_register_read(struct card *c, uint32_t index)
{
	const struct row *r = find_row(index);

	if (!block_name(index)) {
		card_refuse(c, "read of register 0x%x: no block of the chip lies there", 4 * index);
		return ~0u;
	}
	return r && r->read ? r->read(c, index) : c->navi->registers[index];
}

void navi_register_write(struct card *c, uint32_t index, uint32_t value)
{
	const struct row *r = find_row(index);

	if (!block_name(index))
		card_refuse(c, "write of register 0x%x: no block of the chip lies there",
			    4 * index);
	else if (r && r->write)
		r->write(c, index, value);
	else
		c->navi->registers[index] = value;
}

void navi_registers_reset(struct card *c)
{
	memset(c->navi->registers, 0, sizeof(c->navi->registers));
	c->navi->registers[NAVI_BIOS_SCRATCH_7] = NAVI_BIOS_INIT_COMPLETE;
}
