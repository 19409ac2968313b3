// SPDX-License-Identifier: MIT
/* Windows through which the driver accesses video memory. BAR 1 (PCI BAR 2) and BAR 2 (PCI BAR 4)
 * use page tables once these are set, and are flat before; PRAMIN is a movable 1 MiB window in BAR
 * 0. The roots of the page tables are pages of the firmware; the driver writes entries of the first
 * root directly and sends those of the second by RPC. */
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

static uint8_t *window_flat(struct card *c, const char *name, uint64_t offset, uint32_t bytes)
{
	if (offset < c->vram_bytes && bytes <= c->vram_bytes - offset)
		return c->vram + offset;
	card_refuse(c, "%s: %u bytes at 0x%" PRIx64 " are beyond the video memory of 0x%" PRIx64,
		    name, bytes, offset, c->vram_bytes);
	return NULL;
}

static uint8_t *window_mapped(struct card *c, const char *name, uint64_t root, uint64_t offset,
			      uint32_t bytes)
{
	const char *wrong = NULL;
	struct mmu_page p;

	if (!mmu_find(c->chip->mmu, c->vram, c->vram_bytes, root, offset, &p, &wrong)) {
		card_refuse(c, "%s: %u bytes at 0x%" PRIx64 ": %s", name, bytes, offset,
			    wrong ? wrong : "not mapped");
		return NULL;
	}
	uint64_t address = p.address + (offset - p.va);

	if (p.system)
		return card_dma(c, address, bytes, true, name);
	/* Unprotected pages of the firmware are accessible: the roots of these tables. */
	if (address < c->gsp.wpr_start && bytes <= c->gsp.wpr_start - address)
		return c->vram + address;
	card_refuse(c, "%s: 0x%" PRIx64 " is mapped to protected memory at 0x%" PRIx64, name,
		    offset, address);
	return NULL;
}

uint8_t *window_at(struct card *c, uint32_t region, uint64_t offset, uint32_t bytes)
{
	if (region == c->chip->vram_bar)
		return c->gsp.window_virtual
			       ? window_mapped(c, "BAR 1", BAR1_ROOT(c), offset, bytes)
			       : window_flat(c, "BAR 1", offset, bytes);
	return c->gsp.bar2_virtual ? window_mapped(c, "BAR 2", BAR2_ROOT(c), offset, bytes)
				   : window_flat(c, "BAR 2", offset, bytes);
}

uint32_t window_update(struct card *c, const struct nv_gsp_update_bar *u)
{
	if (u->bar != NV_GSP_BAR2 || u->shift != mmu_shift(c->chip->mmu, 0)) {
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
		window_flat(c, "PRAMIN", ((uint64_t)c->pramin << 16) + (offset - NV_PRAMIN), 4);

	if (from)
		memcpy(&value, from, 4);
	return value;
}

void window_write_pramin(struct card *c, uint32_t offset, uint32_t value)
{
	uint8_t *to =
		window_flat(c, "PRAMIN", ((uint64_t)c->pramin << 16) + (offset - NV_PRAMIN), 4);

	if (to)
		memcpy(to, &value, 4);
}
