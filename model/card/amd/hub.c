// SPDX-License-Identifier: MIT
/* The memory hubs: GC's for graphics, compute and SDMA, MM's for everything else. Each has the
 * apertures of video memory, 16 contexts (VMIDs) of page tables and 18 invalidation engines.
 * VMID 0 is the kernel's: addresses in the framebuffer aperture are video memory, others go through
 * a flat table of pages. Source: Linux, gfxhub_v2_1.c, mmhub_v2_0.c, gmc_v10_0.c, amdgpu_vm.h. */
#include <inttypes.h>
#include <string.h>

#include "model/card/amd/navi.h"

#define PTE_VALID   1ull
#define PTE_SYSTEM  2ull
#define PTE_READ    0x20ull
#define PTE_WRITE   0x40ull
#define PTE_ADDRESS 0x0000fffffffff000ull

static const struct {
	uint32_t registers, apertures;
	const char *name;
} hubs[NAVI_HUBS] = {
	[NAVI_GC] = {NAVI_GC_HUB, NAVI_GC_HUB_APERTURES, "GC hub"},
	[NAVI_MM] = {NAVI_MM_HUB, NAVI_MM_HUB_APERTURES, "MM hub"},
};

static enum navi_hub_id hub_of(uint32_t index)
{
	return index >= NAVI_MM_HUB ? NAVI_MM : NAVI_GC;
}

static bool in_group(uint32_t offset, uint32_t first, uint32_t *number)
{
	*number = offset - first;
	return offset >= first && *number < NAVI_HUB_ENGINES;
}

uint32_t navi_hub_read(struct card *c, uint32_t index)
{
	enum navi_hub_id id = hub_of(index);
	struct navi_hub *hub = &c->navi->hubs[id];
	uint32_t offset = index - hubs[id].registers, engine;

	if (in_group(offset, NAVI_HUB_INV_SEM, &engine)) {
		bool acquired = !hub->locked[engine];

		hub->locked[engine] = true;
		return acquired;
	}
	if (in_group(offset, NAVI_HUB_INV_ACK, &engine)) {
		if (latency_left(&hub->ack_reads[engine]))
			return 0;
		return hub->requested[engine];
	}
	return c->navi->registers[index];
}

void navi_hub_write(struct card *c, uint32_t index, uint32_t value)
{
	enum navi_hub_id id = hub_of(index);
	struct navi_hub *hub = &c->navi->hubs[id];
	uint32_t offset = index - hubs[id].registers, engine;

	if (in_group(offset, NAVI_HUB_INV_SEM, &engine)) {
		if (value)
			card_refuse(c, "%s: semaphore %u is released by writing 0, not 0x%x",
				    hubs[id].name, engine, value);
		hub->locked[engine] = false;
		return;
	}
	if (in_group(offset, NAVI_HUB_INV_ACK, &engine)) {
		card_refuse(c, "%s: ACK of invalidation engine %u is read-only", hubs[id].name,
			    engine);
		return;
	}
	if (in_group(offset, NAVI_HUB_INV_REQ, &engine)) {
		if (!(value & NAVI_HUB_INV_VMIDS))
			card_refuse(c, "%s: invalidation 0x%x names no VMID", hubs[id].name, value);
		hub->requested[engine] = value & NAVI_HUB_INV_VMIDS;
		hub->ack_reads[engine] = latency_next(c);
		hub->invalidations++;
	}
	c->navi->registers[index] = value;
}

static uint64_t pair(const struct card *c, uint32_t index)
{
	return c->navi->registers[index] | (uint64_t)c->navi->registers[index + 1] << 32;
}

/* Returns NULL, or why the address cannot be translated. */
static const char *translate(struct card *c, enum navi_hub_id id, uint64_t address, bool write,
			     uint8_t **host)
{
	const uint32_t base = hubs[id].registers;
	uint64_t start = pair(c, base + NAVI_HUB_START) << 12;
	uint64_t end = (pair(c, base + NAVI_HUB_END) << 12) + 0xfff, table, entry;

	if (address >= NAVI_FB_BASE && address - NAVI_FB_BASE < c->vram_bytes) {
		*host = c->vram + (address - NAVI_FB_BASE);
		return NULL;
	}
	if (!(c->navi->registers[base + NAVI_HUB_CONTEXT_CNTL] & 1))
		return "it lies outside of video memory, and context 0 is disabled";
	if (address < start || address > end)
		return "it lies neither in video memory nor in context 0's page table";
	table = (pair(c, base + NAVI_HUB_PTB) & PTE_ADDRESS) + 8 * ((address - start) >> 12);
	if (table > c->vram_bytes - 8)
		return "its page table entry lies outside of video memory";
	memcpy(&entry, c->vram + table, 8);
	if (!(entry & PTE_VALID))
		return "its page table entry is not valid";
	if (!(entry & (write ? PTE_WRITE : PTE_READ)))
		return write ? "its page is not writable" : "its page is not readable";
	uint64_t physical = (entry & PTE_ADDRESS) | (address & 0xfff);

	if (entry & PTE_SYSTEM) {
		*host = card_dma(c, physical, 4096 - (physical & 0xfff), write, "a page");
		return *host ? NULL : "its page is no memory of the machine";
	}
	if (physical >= c->vram_bytes)
		return "its page lies outside of video memory";
	*host = c->vram + physical;
	return NULL;
}

uint8_t *navi_memory(struct card *c, enum navi_hub_id hub, uint64_t address, bool write,
		     const char *what)
{
	uint8_t *host = NULL;
	const char *wrong = translate(c, hub, address, write, &host);

	if (!wrong)
		return host;
	card_refuse(c, "%s: %s of %s at 0x%" PRIx64 ": %s", hubs[hub].name,
		    write ? "write" : "read", what, address, wrong);
	return NULL;
}

void navi_hub_reset(struct card *c)
{
	for (uint32_t id = 0; id < NAVI_HUBS; id++) {
		uint32_t *apertures = &c->navi->registers[hubs[id].apertures];

		c->navi->hubs[id] = (struct navi_hub){0};
		apertures[NAVI_HUB_FB_BASE] = NAVI_FB_BASE >> 24;
		apertures[NAVI_HUB_FB_TOP] = (uint32_t)((NAVI_FB_BASE + c->vram_bytes - 1) >> 24);
	}
}
