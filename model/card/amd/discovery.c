// SPDX-License-Identifier: MIT
/* The IP discovery table of Navi 21 (hw/amd/discovery.h). Its blocks are what amdgpu finds on the
 * card, and so what it initialises: the display controller is left out, and the video decoder has
 * version 2.0.3, which amdgpu knows and does not drive (a version of 0 is an error for it). No
 * table of a real card was seen: versions and bases are those for which Linux has code
 * (amdgpu_discovery.c, sienna_cichlid_ip_offset.h). */
#include <string.h>

#include "hw/amd/discovery.h"
#include "model/card/amd/navi.h"

static const struct block {
	uint16_t hardware;
	uint8_t instance, major, minor, revision;
	uint32_t bases[DISCOVERY_MAX_BASES];
	uint32_t base_count;
} blocks[] = {
	{DISCOVERY_HW_NBIF, 0, 3, 3, 0, {0x0, 0x14, 0xd20, 0x10400, 0x241b000}, 5},
	{DISCOVERY_HW_HDP, 0, 5, 0, 0, {0xf20, 0x240a400}, 2},
	{DISCOVERY_HW_OSSSYS, 0, 5, 0, 3, {0x10a0, 0x240a000}, 2},
	{DISCOVERY_HW_GC, 0, 10, 3, 0, {0x1260, 0xa000, 0x1c000, 0x2402c00}, 4},
	{DISCOVERY_HW_SDMA0, 0, 5, 2, 0, {0x1260, 0xa000, 0x1c000, 0x2402c00}, 4},
	{DISCOVERY_HW_SDMA1, 0, 5, 2, 0, {0x1260, 0xa000, 0x1c000, 0x2402c00}, 4},
	{DISCOVERY_HW_SDMA2, 0, 5, 2, 0, {0x1260, 0xa000, 0x1c000, 0x2402c00}, 4},
	{DISCOVERY_HW_SDMA3, 0, 5, 2, 0, {0x1260, 0xa000, 0x1c000, 0x2402c00}, 4},
	{DISCOVERY_HW_DF, 0, 3, 7, 0, {0x7000, 0x240b800}, 2},
	{DISCOVERY_HW_VCN, 0, 2, 0, 3, {0x7800, 0x7e00, 0x2403000}, 3},
	{DISCOVERY_HW_UMC, 0, 8, 7, 0, {0x14000, 0x2425800}, 2},
	{DISCOVERY_HW_MP0, 0, 11, 0, 7, {0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00}, 5},
	{DISCOVERY_HW_MP1, 0, 11, 0, 7, {0x16000, 0xdc0000, 0xe00000, 0xe40000, 0x243fc00}, 5},
	{DISCOVERY_HW_THM, 0, 11, 0, 6, {0x16600, 0x2400c00}, 2},
	{DISCOVERY_HW_SMUIO, 0, 11, 0, 6, {0x16800, 0x16a00, 0x440000, 0x2401000}, 4},
	{DISCOVERY_HW_CLK, 0, 11, 0, 6, {0x16c00, 0x2401800}, 2},
	{DISCOVERY_HW_MMHUB, 0, 2, 1, 0, {0x1a000, 0x2408800}, 2},
	{DISCOVERY_HW_ATHUB, 0, 2, 1, 0, {0xc00, 0x2408c00}, 2},
};
#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

/* 4 shader engines of 2 arrays of 5 pairs of compute units. Depths of graphics buffers are 0, as no
 * part of amdgpu that runs without a display uses them. */
static const struct discovery_gc gc = {
	.id = DISCOVERY_GC,
	.major = 1,
	.size = sizeof(gc),
	.shader_engines = 4,
	.wgp0_per_sa = 5,
	.rb_per_se = 4,
	.gl2c = 16,
	.gprs = 1024,
	.gs_threads = 32,
	.wave_size = 32,
	.waves_per_simd = 16,
	.scratch_slots_per_cu = 32,
	.lds_size = 64,
	.sc_per_se = 2,
	.sa_per_se = 2,
	.packers_per_sc = 4,
	.gl2a = 4,
};

static const struct discovery_harvest harvest = {.signature = DISCOVERY_HARVEST};

static uint16_t sum(const uint8_t *bytes, size_t count)
{
	uint16_t s = 0;

	for (size_t i = 0; i < count; i++)
		s = (uint16_t)(s + bytes[i]);
	return s;
}

static uint32_t write_blocks(uint8_t *table, uint32_t at)
{
	struct discovery_die die = {.id = 0, .ip_count = BLOCKS};

	memcpy(table + at, &die, sizeof(die));
	at += sizeof(die);
	for (size_t i = 0; i < BLOCKS; i++) {
		const struct block *b = &blocks[i];
		struct discovery_ip ip = {.hardware_id = b->hardware,
					  .instance = b->instance,
					  .base_count = (uint8_t)b->base_count,
					  .major = b->major,
					  .minor = b->minor,
					  .revision = b->revision};

		memcpy(table + at, &ip, sizeof(ip));
		memcpy(table + at + sizeof(ip), b->bases, 4 * b->base_count);
		at += (uint32_t)sizeof(ip) + 4 * b->base_count;
	}
	return at;
}

void navi_discovery_write(struct card *c)
{
	uint8_t *table = c->vram + c->vram_bytes - DISCOVERY_FROM_END;
	struct discovery_header h = {.signature = DISCOVERY_SIGNATURE, .major = 1};
	struct discovery_ip_header ip = {.signature = DISCOVERY_IP, .version = 3, .die_count = 1};
	uint32_t ip_at = sizeof(h), die_at = ip_at + sizeof(ip);

	memset(table, 0, DISCOVERY_BYTES);
	uint32_t gc_at = write_blocks(table, die_at);

	ip.size = (uint16_t)(gc_at - ip_at);
	ip.dies[0].offset = (uint16_t)die_at;
	memcpy(table + ip_at, &ip, sizeof(ip));
	memcpy(table + gc_at, &gc, sizeof(gc));
	uint32_t harvest_at = gc_at + (uint32_t)sizeof(gc);

	memcpy(table + harvest_at, &harvest, sizeof(harvest));
	h.size = (uint16_t)(harvest_at + sizeof(harvest));
	h.tables[0] =
		(struct discovery_table){(uint16_t)ip_at, sum(table + ip_at, ip.size), ip.size, 0};
	h.tables[1] = (struct discovery_table){(uint16_t)gc_at, sum(table + gc_at, sizeof(gc)),
					       sizeof(gc), 0};
	h.tables[2] = (struct discovery_table){
		(uint16_t)harvest_at, sum(table + harvest_at, sizeof(harvest)), sizeof(harvest), 0};
	memcpy(table, &h, sizeof(h));
	uint32_t summed = (uint32_t)(offsetof(struct discovery_header, checksum) + 2);

	h.checksum = sum(table + summed, h.size - summed);
	memcpy(table, &h, sizeof(h));
}
