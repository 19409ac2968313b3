// SPDX-License-Identifier: MIT
/* NVIDIA's cards: which units they have, and how accesses reach them. */
#include <string.h>

#include "model/card/card_internal.h"

static bool nvidia_create(struct card *c, const struct card_options *o, char *why, size_t size)
{
	if (c->chip->boot != BOOT_FSP &&
	    (c->fault.kind == FAULT_REFUSE || c->fault.kind == FAULT_LOCKED)) {
		snprintf(why, size, "%s: the fault '%s' needs an FSP", c->chip->name, o->fault);
		return false;
	}
	vbios_build(&c->vbios, c->chip->device);
	if (!firmware_load(&c->firmware, o->firmware, c->chip, why, size))
		return false;
	if (!model_create(&(struct model_config){.chip = model_chip_find(c->chip->name)},
			  &c->model) &&
	    runlists_create(c, o->runlist_mode) && recovery_start(c))
		return true;
	snprintf(why, size, "no memory or threads for the engines of a card");
	model_destroy(c->model);
	c->model = NULL;
	return false;
}

static void nvidia_destroy(struct card *c)
{
	if (c->model) {
		recovery_end(c);
		gsp_reset(c); /* also stops running channels */
		model_destroy(c->model);
	}
	runlists_destroy(c);
	firmware_free(&c->firmware);
}

static void nvidia_reset(struct card *c)
{
	gsp_reset(c);
	fault_reset(c);
	bar0_reset(c);
	interrupt_reset(c);
	c->fsp = (struct fsp){.boot_reads = latency_next(c)};
	c->boot_reads = latency_next(c);
	c->frts_error = 0;
	falcons_reset(c);
	c->invalidation = (struct invalidation){0};
	c->flush_reads = 0;
}

static void nvidia_read(struct card *c, uint32_t region, uint64_t offset, void *data,
			uint32_t bytes)
{
	if (region == c->chip->registers_bar) {
		uint32_t value = bar0_read(c, (uint32_t)offset, bytes);

		memcpy(data, &value, bytes < 4 ? bytes : 4);
		return;
	}
	const uint8_t *from = window_at(c, region, offset, bytes);

	if (from)
		memcpy(data, from, bytes);
}

static void nvidia_write(struct card *c, uint32_t region, uint64_t offset, const void *data,
			 uint32_t bytes)
{
	if (region == c->chip->registers_bar) {
		uint32_t value = 0;

		memcpy(&value, data, bytes < 4 ? bytes : 4);
		bar0_write(c, (uint32_t)offset, value, bytes);
		return;
	}
	uint8_t *to = window_at(c, region, offset, bytes);

	if (to)
		memcpy(to, data, bytes);
}

static void nvidia_memory_unmapped(struct card *c, const uint8_t *host, uint64_t bytes)
{
	channel_memory_unmapped(c, host, bytes);
	space_invalidate_all(c);
}

static bool nvidia_active(struct card *c)
{
	return c->gsp.running;
}

const struct card_vendor card_nvidia = {
	.pci = &pci_gh100,
	.create = nvidia_create,
	.destroy = nvidia_destroy,
	.reset = nvidia_reset,
	.read = nvidia_read,
	.write = nvidia_write,
	.memory_unmapped = nvidia_memory_unmapped,
	.active = nvidia_active,
	.interrupts_enabled = interrupt_enabled,
};
