// SPDX-License-Identifier: MIT
/* Address spaces of the card: page tables that the driver wrote into video memory, identified by
 * the address of their root. Engines walk them on a TLB miss and cache the translation, as hardware
 * does, until the driver invalidates. So a driver that frees memory without a TLB invalidate
 * corrupts memory visibly; a missing invalidate after mapping goes unnoticed, because misses are
 * not cached. */
#include <inttypes.h>
#include <stdlib.h>

#include "hw/nv/mmu_ver3.h"
#include "model/card/card_internal.h"
#include "model/card/page_table.h"

/* Fault types: open-gpu-kernel-modules, hopper/gh100/dev_fault.h, NV_PFAULT_FAULT_TYPE. */
#define FAULT_TYPE_PTE       2
#define FAULT_TYPE_PRIVILEGE 5
#define FAULT_TYPE_READ_ONLY 6
#define FAULT_TYPE_ATOMIC    15

struct card_space {
	struct card_space *next;
	struct card *card;
	struct model_space *engines;
	_Atomic uint64_t root;
};

/* End of the memory that pages may use: the rest belongs to the firmware. */
static uint64_t usable_vram_end(const struct card *c)
{
	return c->gsp.running ? c->gsp.heap_outside : c->vram_bytes;
}

static bool find_page(struct card_space *s, uint64_t va, struct mmu_page *p)
{
	struct card *c = s->card;
	uint64_t root = atomic_load(&s->root);
	const char *wrong = NULL;

	if (!root)
		return false;
	bool found = mmu_find(c->chip->mmu, c->vram, c->vram_bytes, root, va, p, &wrong);

	if (wrong)
		card_refuse(c, "MMU: tables at 0x%" PRIx64 ", address 0x%" PRIx64 ": %s", root, va,
			    wrong);
	return found;
}

/* A page must lie in unprotected video memory or in memory mapped for DMA, which the GPU must not
 * cache: its L2 would keep lines that the CPU has changed since. nouveau maps it so, too
 * (gh100_vmm_valid). */
static uint8_t *page_memory(struct card *c, const struct mmu_page *p)
{
	uint64_t address = p->address, bytes = (uint64_t)1 << p->shift, end = usable_vram_end(c);

	if (p->system) {
		if (!p->cached)
			return card_dma(c, address, bytes, false, "a mapped page");
		card_refuse(c, "MMU: 0x%" PRIx64 " is mapped to system memory as cached", p->va);
		return NULL;
	}
	if (address < end && bytes <= end - address)
		return c->vram + address;
	card_refuse(c,
		    "MMU: 0x%" PRIx64 " is mapped to 0x%" PRIx64
		    " of video memory, which ends at 0x%" PRIx64,
		    p->va, address, end);
	return NULL;
}

static uint8_t *walk_page_tables(void *argument, uint64_t va, uint32_t *access)
{
	struct card_space *s = argument;
	struct mmu_page p;

	if (va >> mmu_va_bits(s->card->chip->mmu) || !find_page(s, va, &p))
		return NULL;
	uint8_t *host = page_memory(s->card, &p);

	*access = MODEL_READ;
	if (p.writable)
		*access |= MODEL_WRITE;
	if (p.atomics)
		*access |= MODEL_ATOMIC;
	if (p.privileged)
		*access = 0; /* users' work runs here */
	return host ? host + (va - p.va) : NULL;
}

struct card_space *space_create(struct card *c)
{
	struct card_space *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->card = c;
	if (model_space_create_walked(c->model, walk_page_tables, s, &s->engines)) {
		free(s);
		return NULL;
	}
	s->next = c->spaces;
	c->spaces = s;
	return s;
}

void space_destroy(struct card_space *s)
{
	if (!s)
		return;
	struct card_space **at = &s->card->spaces;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	model_space_destroy(s->engines);
	free(s);
}

uint64_t space_root(const struct card_space *s)
{
	return atomic_load(&s->root);
}

struct model_space *space_engines(struct card_space *s)
{
	return s->engines;
}

static bool root_valid(struct card *c, uint64_t root)
{
	return root && root % NV_MMU3_TABLE_BYTES == 0 &&
	       root <= usable_vram_end(c) - NV_MMU3_TABLE_BYTES;
}

bool space_set_root(struct card_space *s, uint64_t root)
{
	if (root && !root_valid(s->card, root))
		return false;
	atomic_store(&s->root, root);
	model_invalidate(s->engines);
	return true;
}

bool space_covers(struct card_space *s, uint64_t va, uint64_t bytes)
{
	uint64_t end;
	struct mmu_page p;

	if (!bytes || __builtin_add_overflow(va, bytes, &end))
		return false;
	for (; va < end; va = p.va + ((uint64_t)1 << p.shift))
		if (!find_page(s, va, &p) || !page_memory(s->card, &p))
			return false;
	return true;
}

static bool check_page(void *data, const struct mmu_page *p)
{
	return page_memory(data, p);
}

void space_invalidate(struct card *c, uint64_t root)
{
	const char *wrong = NULL;

	if (!mmu_visit(c->chip->mmu, c->vram, c->vram_bytes, root, check_page, c, &wrong) && wrong)
		card_refuse(c, "MMU: tables at 0x%" PRIx64 ": %s", root, wrong);
	for (struct card_space *s = c->spaces; s; s = s->next)
		if (space_root(s) == root)
			model_invalidate(s->engines);
}

void space_invalidate_all(struct card *c)
{
	for (struct card_space *s = c->spaces; s; s = s->next)
		model_invalidate(s->engines);
}

uint32_t space_fault_type(struct card_space *s, uint64_t va)
{
	struct mmu_page p;

	if (va >> mmu_va_bits(s->card->chip->mmu) || !find_page(s, va, &p))
		return FAULT_TYPE_PTE;
	if (p.privileged)
		return FAULT_TYPE_PRIVILEGE;
	return p.writable ? FAULT_TYPE_ATOMIC : FAULT_TYPE_READ_ONLY;
}
