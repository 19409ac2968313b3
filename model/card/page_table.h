/* SPDX-License-Identifier: MIT */
/* Version 3 page tables (GH100) as the card's MMU reads them. */
#ifndef MODEL_CARD_MMU_H
#define MODEL_CARD_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmu_page {
	uint64_t va;    /* of its first byte */
	uint32_t shift; /* 12, 16 or 21 */
	uint64_t entry; /* raw page table entry */
};
/* Page walk: finds the page of va. Returns false if there is none; *wrong is NULL, or describes an
 * error in the tables. */
bool mmu_find(const uint8_t *vram, uint64_t vram_bytes, uint64_t root, uint64_t va,
	      struct mmu_page *out, const char **wrong);

/* Visits every page of an address space in address order. Returns false when the visitor does, or
 * on an error in the tables (*wrong). */
typedef bool (*mmu_visitor)(void *data, const struct mmu_page *p);
bool mmu_visit(const uint8_t *vram, uint64_t vram_bytes, uint64_t root, mmu_visitor fn, void *data,
	       const char **wrong);

#endif
