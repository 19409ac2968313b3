/* SPDX-License-Identifier: MIT */
/*
 * Windows through which a driver sees the card's memory. BAR 1 (the bus's BAR 2) and BAR 2 (BAR 4)
 * show what page tables say once those are set, and video memory itself before; PRAMIN is a
 * megabyte of BAR 0 that can be moved over video memory. Roots of the tables are pages of the
 * firmware's; the driver writes its entries into the first one's and sends those of the second.
 */
#include <inttypes.h>
#include <string.h>

#include "hw/nv/mmu_ver3.h"
#include "model/card/card_internal.h"
#include "model/card/page_table.h"

#define BAR1_ROOT(c) ((c)->gsp.heap_outside)
#define BAR2_ROOT(c) ((c)->gsp.heap_outside + NV_MMU3_TABLE_BYTES)

uint64_t window_bar1_root(const struct card *c)
{
	return BAR1_ROOT(c);
}
uint64_t window_bar2_root(const struct card *c)
{
	return BAR2_ROOT(c);
}

void window_open(struct card *c)
{
	memset(c->vram + BAR1_ROOT(c), 0, 2 * NV_MMU3_TABLE_BYTES);
}

static uint8_t *flat(struct card *c, const char *name, uint64_t offset, uint32_t bytes)
{
	if (offset < c->vram_bytes && bytes <= c->vram_bytes - offset)
		return c->vram + offset;
	card_refuse(c, "%s: %u bytes at 0x%" PRIx64 " are beyond the video memory of 0x%" PRIx64,
		    name, bytes, offset, c->vram_bytes);
	return NULL;
}

static uint8_t *mapped(struct card *c, const char *name, uint64_t root, uint64_t offset,
		       uint32_t bytes)
{
	const char *wrong = NULL;
	struct mmu_page p;

	if (!mmu_find(c->vram, c->vram_bytes, root, offset, &p, &wrong)) {
		card_refuse(c, "%s: %u bytes at 0x%" PRIx64 ": %s", name, bytes, offset,
			    wrong ? wrong : "not mapped");
		return NULL;
	}
	uint64_t address = (p.entry & NV_MMU3_ADDRESS) + (offset - p.va);

	if (NV_MMU3_APERTURE(p.entry) >= NV_MMU3_APERTURE(NV_MMU3_PTE_COHERENT))
		return card_dma(c, address, bytes, true, name);
	/* The firmware's pages that are not protected are in reach: roots of these very tables. */
	if (address < c->gsp.wpr_start && bytes <= c->gsp.wpr_start - address)
		return c->vram + address;
	card_refuse(c, "%s: 0x%" PRIx64 " is mapped to protected memory at 0x%" PRIx64, name,
		    offset, address);
	return NULL;
}

uint8_t *window_at(struct card *c, uint32_t region, uint64_t offset, uint32_t bytes)
{
	if (region == NV_PCI_BAR_VRAM)
		return c->gsp.window_virtual ? mapped(c, "BAR 1", BAR1_ROOT(c), offset, bytes)
					     : flat(c, "BAR 1", offset, bytes);
	return c->gsp.bar2_virtual ? mapped(c, "BAR 2", BAR2_ROOT(c), offset, bytes)
				   : flat(c, "BAR 2", offset, bytes);
}

uint32_t window_update(struct card *c, const struct nv_gsp_update_bar *u)
{
	static const uint8_t shifts[] = NV_MMU3_SHIFTS;

	if (u->bar != NV_GSP_BAR2 || u->shift != shifts[0]) {
		card_refuse(c, "GSP: entry 0x%" PRIx64 " for window %u, level %" PRIu64, u->entry,
			    u->bar, u->shift);
		return NV_STATUS_INVALID_ARGUMENT;
	}
	memcpy(c->vram + BAR2_ROOT(c), &u->entry, 8);
	c->gsp.bar2_virtual = u->entry;
	return 0;
}

uint32_t window_read_pramin(struct card *c, uint32_t offset)
{
	uint32_t value = ~0u;
	const uint8_t *from =
		flat(c, "PRAMIN", ((uint64_t)c->pramin << 16) + (offset - NV_PRAMIN), 4);

	if (from)
		memcpy(&value, from, 4);
	return value;
}

void window_write_pramin(struct card *c, uint32_t offset, uint32_t value)
{
	uint8_t *to = flat(c, "PRAMIN", ((uint64_t)c->pramin << 16) + (offset - NV_PRAMIN), 4);

	if (to)
		memcpy(to, &value, 4);
}
