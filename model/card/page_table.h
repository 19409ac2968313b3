/* SPDX-License-Identifier: MIT */
/* Page tables of versions 2 (GA102) and 3 (GH100) as the card's MMU reads them. */
#ifndef MODEL_CARD_MMU_H
#define MODEL_CARD_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmu_version;
extern const struct mmu_version mmu_ver2, mmu_ver3;
uint32_t mmu_levels(const struct mmu_version *v);
uint32_t mmu_root_entries(const struct mmu_version *v);
uint32_t mmu_shift(const struct mmu_version *v, uint32_t level);
uint32_t mmu_va_bits(const struct mmu_version *v);

struct mmu_page {
	uint64_t va;    /* of its first byte */
	uint32_t shift; /* 12, 16 or 21 */
	uint64_t entry; /* raw page table entry */
	uint64_t address;
	bool system, cached, privileged, writable, atomics;
};
/* Page walk: finds the page of va. Returns false if there is none; *wrong is NULL, or describes an
 * error in the tables. */
bool mmu_find(const struct mmu_version *v, const uint8_t *vram, uint64_t vram_bytes, uint64_t root,
	      uint64_t va, struct mmu_page *out, const char **wrong);

/* Visits every page of an address space in address order. Returns false when the visitor does, or
 * on an error in the tables (*wrong). */
typedef bool (*mmu_visitor)(void *data, const struct mmu_page *p);
bool mmu_visit(const struct mmu_version *v, const uint8_t *vram, uint64_t vram_bytes, uint64_t root,
	       mmu_visitor fn, void *data, const char **wrong);

#endif
