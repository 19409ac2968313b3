/* SPDX-License-Identifier: MIT */
/* Page tables of version 3 as the card's MMU reads them. */
#ifndef MODEL_CARD_MMU_H
#define MODEL_CARD_MMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmu_page {
	uint64_t va;    /* of its first byte */
	uint32_t shift; /* 12, 16 or 21 */
	uint64_t entry; /* as it stands in the table */
};
/* The page that an address lies in. false: none, and *wrong is NULL, or says what is wrong with the
 * tables. */
bool mmu_find(const uint8_t *vram, uint64_t vram_bytes, uint64_t root, uint64_t va,
	      struct mmu_page *out, const char **wrong);

/*
 * Every page of an address space, in order of addresses; false as soon as the visitor says so or a
 * table is wrong (*wrong).
 */
typedef bool (*mmu_visitor)(void *data, const struct mmu_page *p);
bool mmu_visit(const uint8_t *vram, uint64_t vram_bytes, uint64_t root, mmu_visitor fn, void *data,
	       const char **wrong);

#endif
