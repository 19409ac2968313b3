// SPDX-License-Identifier: MIT
/* Navi 21 as a card: what it consists of, and how accesses reach its units. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hw/amd/discovery.h"
#include "model/card/amd/navi.h"

static bool navi_create(struct card *c, const struct card_options *o, char *why, size_t size)
{
	if (o->fault || o->runlist_mode || o->stop_ms) {
		snprintf(why, size, "%s: --fault, --runlist-mode and --stop are not modelled",
			 c->chip->name);
		return false;
	}
	c->navi = calloc(1, sizeof(*c->navi));
	if (!c->navi) {
		snprintf(why, size, "no memory for a card");
		return false;
	}
	navi_vbios_build(c, c->navi->rom);
	return navi_blobs_load(&c->navi->blobs, o->firmware, why, size);
}

static void navi_destroy(struct card *c)
{
	if (c->navi)
		navi_blobs_free(&c->navi->blobs);
	free(c->navi);
}

static void navi_reset(struct card *c)
{
	navi_registers_reset(c);
	navi_hub_reset(c);
	navi_psp_reset(c);
	navi_smu_reset(c);
	navi_smn_reset(c);
	navi_discovery_write(c);
}

static bool word_access(struct card *c, const char *verb, uint64_t offset, uint32_t bytes)
{
	if (bytes == 4 && offset % 4 == 0)
		return true;
	card_refuse(c, "BAR 5: %s of %u bytes at 0x%" PRIx64 "; registers have 4", verb, bytes,
		    offset);
	return false;
}

static bool in_vram(struct card *c, uint64_t offset, uint32_t bytes)
{
	if (offset + bytes <= c->vram_bytes)
		return true;
	card_refuse(c, "BAR 0: 0x%" PRIx64 " lies beyond video memory", offset);
	return false;
}

static void navi_read(struct card *c, uint32_t region, uint64_t offset, void *data, uint32_t bytes)
{
	uint32_t value;

	switch (region) {
	case NAVI_BAR_VRAM:
		if (in_vram(c, offset, bytes))
			memcpy(data, c->vram + offset, bytes);
		break;
	case NAVI_BAR_REGISTERS:
		if (!word_access(c, "read", offset, bytes))
			break;
		value = navi_register_read(c, (uint32_t)offset / 4);
		memcpy(data, &value, 4);
		break;
	case CARD_ROM:
		memcpy(data, c->navi->rom + offset, bytes);
		break;
	default:
		card_refuse(c, "BAR %u: read at 0x%" PRIx64, region, offset);
	}
}

static void navi_write(struct card *c, uint32_t region, uint64_t offset, const void *data,
		       uint32_t bytes)
{
	uint32_t value;

	switch (region) {
	case NAVI_BAR_VRAM:
		if (in_vram(c, offset, bytes))
			memcpy(c->vram + offset, data, bytes);
		break;
	case NAVI_BAR_REGISTERS:
		if (!word_access(c, "write", offset, bytes))
			break;
		memcpy(&value, data, 4);
		navi_register_write(c, (uint32_t)offset / 4, value);
		break;
	default:
		card_refuse(c, "BAR %u: write of %u bytes at 0x%" PRIx64, region, bytes, offset);
	}
}

static void navi_memory_unmapped(struct card *c, const uint8_t *host, uint64_t bytes)
{
	(void)c; /* no unit keeps a host address */
	(void)host;
	(void)bytes;
}

static bool navi_active(struct card *c)
{
	return c->navi->psp.stage != NAVI_PSP_EMPTY;
}

static bool navi_interrupts_enabled(struct card *c)
{
	(void)c; /* no unit raises any */
	return false;
}

const struct card_vendor card_amd = {
	.pci = &pci_navi21,
	.create = navi_create,
	.destroy = navi_destroy,
	.reset = navi_reset,
	.read = navi_read,
	.write = navi_write,
	.memory_unmapped = navi_memory_unmapped,
	.active = navi_active,
	.interrupts_enabled = navi_interrupts_enabled,
};
