// SPDX-License-Identifier: MIT
/* Page walk: the MMU reads page tables in video memory. A directory entry must point to
 * a table in video memory and have no unknown bits set. Of the two tables of an entry in the last
 * directory, the big-page table takes precedence. */
#include <string.h>

#include "hw/nv/mmu_ver2.h"
#include "hw/nv/mmu_ver3.h"
#include "model/card/page_table.h"

struct mmu_version {
	uint32_t levels, va_bits;
	uint8_t shifts[NV_MMU3_LEVELS];
	uint16_t entries[NV_MMU3_LEVELS];
	uint32_t address_shift; /* an entry holds its address shifted right by as many bits */
	uint64_t address, address_big;
	uint64_t pde_known, pte_known, no_small;
	uint64_t uncached, privileged, read_only, no_atomics;
};
const struct mmu_version mmu_ver2 = {
	NV_MMU2_LEVELS,        NV_MMU2_VA_BITS,    NV_MMU2_SHIFTS,      NV_MMU2_ENTRIES,
	NV_MMU2_ADDRESS_SHIFT, NV_MMU2_ADDRESS,    NV_MMU2_ADDRESS_BIG, NV_MMU2_PDE_KNOWN,
	NV_MMU2_PTE_KNOWN,     NV_MMU2_NO_SMALL,   NV_MMU2_VOLATILE,    NV_MMU2_PRIVILEGED,
	NV_MMU2_READ_ONLY,     NV_MMU2_NO_ATOMICS,
};
const struct mmu_version mmu_ver3 = {
	NV_MMU3_LEVELS,
	NV_MMU3_VA_BITS,
	NV_MMU3_SHIFTS,
	NV_MMU3_ENTRIES,
	0,
	NV_MMU3_ADDRESS,
	NV_MMU3_ADDRESS_BIG,
	NV_MMU3_PDE_KNOWN,
	NV_MMU3_PTE_KNOWN,
	NV_MMU3_PCF_NO_SMALL,
	NV_MMU3_PCF_UNCACHED,
	NV_MMU3_PCF_PRIVILEGED,
	NV_MMU3_PCF_READ_ONLY,
	NV_MMU3_PCF_NO_ATOMICS,
};

uint32_t mmu_levels(const struct mmu_version *v)
{
	return v->levels;
}
uint32_t mmu_root_entries(const struct mmu_version *v)
{
	return v->entries[0];
}
uint32_t mmu_shift(const struct mmu_version *v, uint32_t level)
{
	return v->shifts[level];
}
uint32_t mmu_va_bits(const struct mmu_version *v)
{
	return v->va_bits;
}

struct walk {
	const struct mmu_version *v;
	const uint8_t *vram;
	uint64_t bytes;
	const char *wrong;
};

static uint64_t read_entry(struct walk *w, uint64_t table, uint64_t index)
{
	uint64_t at = table + 8 * index, value = 0;

	if (at > w->bytes - 8)
		w->wrong = "a table lies outside video memory";
	else
		memcpy(&value, w->vram + at, 8);
	return value;
}

/* Returns the address of the next table, or 0. */
static uint64_t next_table(struct walk *w, uint64_t entry, uint64_t address_bits)
{
	if (!entry)
		return 0;
	if (entry & NV_MMU3_VALID || entry & ~(w->v->pde_known | address_bits))
		w->wrong = "a directory entry has reserved bits set";
	else if (NV_MMU3_APERTURE(entry) != 1)
		w->wrong = "a directory entry does not point into video memory";
	else if (!(entry & address_bits))
		w->wrong = "a directory entry points at address 0";
	return w->wrong ? 0 : (entry & address_bits) << w->v->address_shift;
}

static bool read_page(struct walk *w, uint64_t entry, uint64_t va, uint32_t shift,
		      struct mmu_page *out)
{
	const struct mmu_version *v = w->v;
	uint64_t low = ((uint64_t)1 << shift) - 1, address = (entry & v->address)
							     << v->address_shift;

	if (!(entry & NV_MMU3_VALID)) {
		if (entry && (entry != v->no_small || shift != NV_MMU3_BIG))
			w->wrong = "an invalid page table entry is not 0";
		return false;
	}
	if (entry & ~v->pte_known || address & low || NV_MMU3_APERTURE(entry) == 1)
		w->wrong = "a page table entry has reserved bits set";
	*out = (struct mmu_page){
		.va = va & ~low,
		.shift = shift,
		.entry = entry,
		.address = address,
		.system = NV_MMU3_APERTURE(entry) >= NV_MMU3_APERTURE(NV_MMU3_PTE_COHERENT),
		.cached = !(entry & v->uncached),
		.privileged = entry & v->privileged,
		.writable = !(entry & v->read_only),
		.atomics = !(entry & (v->read_only | v->no_atomics)),
	};
	return !w->wrong;
}

bool mmu_find(const struct mmu_version *v, const uint8_t *vram, uint64_t vram_bytes, uint64_t root,
	      uint64_t va, struct mmu_page *out, const char **wrong)
{
	struct walk w = {v, vram, vram_bytes, NULL};
	bool found = false;
	uint64_t table = root;
	uint32_t level;

	for (level = 0; table && level < v->levels - 1; level++)
		table = next_table(
			&w, read_entry(&w, table, (va >> v->shifts[level]) % v->entries[level]),
			v->address);
	if (table) {
		uint64_t slot = 2 * ((va >> NV_MMU3_HUGE) % v->entries[level]);
		uint64_t big = read_entry(&w, table, slot), small = read_entry(&w, table, slot + 1);

		if (big & NV_MMU3_VALID) {
			found = read_page(&w, big, va, NV_MMU3_HUGE, out);
		} else {
			big = next_table(&w, big, v->address_big);
			small = next_table(&w, small, v->address);
			uint64_t entry = big ? read_entry(&w, big, (va >> NV_MMU3_BIG) % 32) : 0;

			if (big)
				found = read_page(&w, entry, va, NV_MMU3_BIG, out);
			if (!found && small && entry != v->no_small)
				found = read_page(
					&w, read_entry(&w, small, (va >> NV_MMU3_SMALL) % 512), va,
					NV_MMU3_SMALL, out);
		}
	}
	*wrong = w.wrong;
	return found && !w.wrong;
}

struct traversal {
	struct walk walk;
	mmu_visitor fn;
	void *data;
};

static bool visit_pages(struct traversal *t, uint64_t table, uint64_t va, uint32_t count,
			uint32_t shift)
{
	struct mmu_page p;

	for (uint64_t i = 0; table && i < count && !t->walk.wrong; i++)
		if (read_page(&t->walk, read_entry(&t->walk, table, i), va + (i << shift), shift,
			      &p) &&
		    !t->fn(t->data, &p))
			return false;
	return !t->walk.wrong;
}

static bool visit_slot(struct traversal *t, uint64_t table, uint64_t index, uint64_t va)
{
	uint64_t big = read_entry(&t->walk, table, 2 * index),
		 small = read_entry(&t->walk, table, 2 * index + 1);
	struct mmu_page p;

	if (big & NV_MMU3_VALID)
		return read_page(&t->walk, big, va, NV_MMU3_HUGE, &p) && t->fn(t->data, &p);
	big = next_table(&t->walk, big, t->walk.v->address_big);
	small = next_table(&t->walk, small, t->walk.v->address);
	return !t->walk.wrong && visit_pages(t, big, va, 32, NV_MMU3_BIG) &&
	       visit_pages(t, small, va, 512, NV_MMU3_SMALL);
}

static bool visit_directory(struct traversal *t, uint64_t table, uint32_t level, uint64_t va)
{
	const struct mmu_version *v = t->walk.v;

	for (uint64_t i = 0; i < v->entries[level]; i++) {
		uint64_t below = va + (i << v->shifts[level]);

		if (level == v->levels - 1) {
			if (!visit_slot(t, table, i, below))
				return false;
			continue;
		}
		uint64_t next =
			next_table(&t->walk, read_entry(&t->walk, table, i), t->walk.v->address);

		if (t->walk.wrong || (next && !visit_directory(t, next, level + 1, below)))
			return false;
	}
	return true;
}

bool mmu_visit(const struct mmu_version *v, const uint8_t *vram, uint64_t vram_bytes, uint64_t root,
	       mmu_visitor fn, void *data, const char **wrong)
{
	struct traversal t = {{v, vram, vram_bytes, NULL}, fn, data};
	bool all = visit_directory(&t, root, 0, 0);

	*wrong = t.walk.wrong;
	return all;
}
