// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page tables, see mmu.h. A range is cut into the slots of the last directory, 2 MiB each. A slot
 * is empty, one huge page, or has tables of big and small pages side by side; of these, 64 KiB at
 * a time are either one big page or up to 16 small ones. Larger pages are taken where both
 * addresses allow it. A table in which nothing is left is taken out of the tree, and given back
 * when the GPU has forgotten the way to it.
 */
#include <linux/errno.h>

#include "kmod/nv/mmu.h"

#define BIT64(n)    (1ull << (n))
#define BIG         0 /* of the two words of a slot, and of its two tables */
#define SMALL       1
#define LAST        (NV_MMU3_LEVELS - 1)
#define HUGE_BYTES  BIT64(NV_MMU3_HUGE)
#define BIG_BYTES   BIT64(NV_MMU3_BIG)
#define SMALL_BYTES BIT64(NV_MMU3_SMALL)

static const u8 shifts[] = NV_MMU3_SHIFTS;
static const u16 entries[] = NV_MMU3_ENTRIES;

/* One slot: a pair of words in a last directory. */
struct slot {
	struct nv_mmu_table *directory;
	u32 index; /* of the first word */
	struct nv_mmu_table **tables;
	struct nv_mmu_table *path[NV_MMU3_LEVELS]; /* directories on the way, that one the last */
	u32 level;                             /* how far the way goes */
};

static u64 rd(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index)
{
	return mmu->memory->read(mmu->owner, t, index);
}

static void wr(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u64 value)
{
	mmu->memory->write(mmu->owner, t, index, value);
}

/* A page in a table of pages, or none: 0. What is none already is not written. */
static void set_page(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u64 entry)
{
	u64 bit = BIT64(index % 64), *word = &t->valid[index / 64];

	if (!entry && !(*word & bit))
		return;
	wr(mmu, t, index, entry);
	t->used += !!entry - !!(*word & bit);
	*word = entry ? *word | bit : *word & ~bit;
}

static u32 children_at(u32 level)
{
	return level == LAST ? 2 * entries[level] : entries[level];
}

/* The slot of an address. Without @make: ENOENT when a directory on the way is missing. */
static int find_slot(struct nv_mmu *mmu, u64 va, bool make, struct slot *s)
{
	struct nv_mmu_table *t = mmu->root, *fresh;
	u32 level, index;
	int ret;

	for (level = 0; level < LAST; level++) {
		s->path[level] = t;
		s->level = level;
		index = (va >> shifts[level]) % entries[level];
		if (!t->children[index]) {
			if (!make)
				return -ENOENT;
			ret = mmu->memory->alloc(mmu->owner, children_at(level + 1), false, &fresh);
			if (ret)
				return ret;
			t->children[index] = fresh;
			t->used++;
			wr(mmu, t, index, fresh->address | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS);
		}
		t = t->children[index];
	}
	s->path[LAST] = t;
	s->level = LAST;
	s->directory = t;
	s->index = 2 * ((va >> shifts[LAST]) % entries[LAST]);
	s->tables = &t->children[s->index];
	return 0;
}

static bool is_huge(struct nv_mmu *mmu, const struct slot *s)
{
	return !s->tables[BIG] && !s->tables[SMALL] &&
	       rd(mmu, s->directory, s->index) & NV_MMU3_VALID;
}

/* A table of big or small pages in a slot; nobody sees it before its entry is shown. */
static int table_in(struct nv_mmu *mmu, struct slot *s, u32 which, bool granted)
{
	struct nv_mmu_table *fresh;
	int ret;

	if (s->tables[which])
		return 0;
	ret = mmu->memory->alloc(mmu->owner, 0, granted, &fresh);
	if (ret)
		return ret;
	s->tables[which] = fresh;
	s->directory->used++;
	return 0;
}

static void show(struct nv_mmu *mmu, struct slot *s, u32 which)
{
	wr(mmu, s->directory, s->index + which,
	   s->tables[which]->address | NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS);
}

static u64 slot_end(u64 va, u64 end)
{
	u64 next = (va / HUGE_BYTES + 1) * HUGE_BYTES;

	return next < end ? next : end;
}

static u32 big_index(u64 va)
{
	return va % HUGE_BYTES >> NV_MMU3_BIG;
}

static u32 small_index(u64 va)
{
	return va % HUGE_BYTES >> NV_MMU3_SMALL;
}

/**
 * nv_mmu_init() - make an empty address space
 * @mmu: to be filled
 * @memory: where its tables will live
 * @owner: first argument of these functions
 *
 * Return: 0, or why there is no memory for it.
 */
int nv_mmu_init(struct nv_mmu *mmu, const struct nv_mmu_ops *memory, void *owner)
{
	*mmu = (struct nv_mmu){ memory, owner, NULL, NULL };
	return memory->alloc(owner, children_at(0), false, &mmu->root);
}

/* No recursion deeper than the levels there are. */
static void free_below(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 level)
{
	u32 i;

	if (!t)
		return;
	for (i = 0; level < NV_MMU3_LEVELS && i < children_at(level); i++)
		free_below(mmu, t->children[i], level + 1);
	mmu->memory->free(mmu->owner, t);
}

/**
 * nv_mmu_fini() - give all tables back
 * @mmu: an address space that nobody uses
 */
void nv_mmu_fini(struct nv_mmu *mmu)
{
	nv_mmu_reap(mmu);
	free_below(mmu, mmu->root, 0);
	mmu->root = NULL;
}

/* Maps what lies in one slot; pages as large as both addresses allow. */
static int map_in_slot(struct nv_mmu *mmu, struct slot *s, u64 va, u64 end, u64 address, u64 bits)
{
	bool empty = !s->tables[BIG] && !s->tables[SMALL];
	int ret;

	if (empty && end - va == HUGE_BYTES && !(address % HUGE_BYTES)) {
		wr(mmu, s->directory, s->index, address | bits | NV_MMU3_VALID);
		s->directory->used++;
		return 0;
	}
	while (va < end) {
		bool big = !(va % BIG_BYTES) && !(address % BIG_BYTES) && end - va >= BIG_BYTES;
		u64 step = big ? BIG_BYTES : SMALL_BYTES;

		ret = table_in(mmu, s, big ? BIG : SMALL, false);
		if (ret)
			return ret;
		set_page(mmu, s->tables[big ? BIG : SMALL], big ? big_index(va) : small_index(va),
			 address | bits | NV_MMU3_VALID);
		va += step;
		address += step;
	}
	if (s->tables[BIG])
		show(mmu, s, BIG);
	if (s->tables[SMALL])
		show(mmu, s, SMALL);
	return 0;
}

/**
 * nv_mmu_map() - map a piece of memory
 * @mmu: the address space
 * @va: first address, in a range where nothing is mapped
 * @bytes: a multiple of 4096, within the address space
 * @address: of the memory
 * @bits: aperture, rights and kind
 *
 * Return: 0, or why there is no memory for tables, with nothing mapped.
 */
int nv_mmu_map(struct nv_mmu *mmu, u64 va, u64 bytes, u64 address, u64 bits)
{
	u64 at, end = va + bytes, next;
	struct slot s;
	int ret = 0;

	for (at = va; at < end && !ret; at = next) {
		next = slot_end(at, end);
		ret = find_slot(mmu, at, true, &s);
		if (!ret)
			ret = map_in_slot(mmu, &s, at, next, address + (at - va), bits);
	}
	if (ret)
		nv_mmu_unmap(mmu, va, bytes);
	return ret;
}

/* The pages of a larger one, in a table; the larger one is replaced when the table is complete. */
static void fill(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u32 count, u64 entry, u64 step)
{
	u32 i;

	for (i = 0; i < count; i++)
		set_page(mmu, t, index + i, entry + i * step);
}

/**
 * nv_mmu_split() - see to it that an address is the border of a page
 * @mmu: the address space
 * @va: a multiple of 4096
 *
 * What is mapped stays mapped all the while.
 *
 * Return: 0, or why there is no memory for tables, with nothing changed.
 */
int nv_mmu_split(struct nv_mmu *mmu, u64 va)
{
	struct slot s;
	u64 entry;
	int ret;

	if (!(va % HUGE_BYTES) || find_slot(mmu, va, false, &s))
		return 0;
	if (is_huge(mmu, &s)) {
		entry = rd(mmu, s.directory, s.index);
		ret = table_in(mmu, &s, BIG, true);
		if (ret)
			return ret;
		fill(mmu, s.tables[BIG], 0, HUGE_BYTES / BIG_BYTES, entry, BIG_BYTES);
		show(mmu, &s, BIG);
		s.directory->used--; /* the table stands where the page stood */
	}
	if (!(va % BIG_BYTES) || !s.tables[BIG])
		return 0;
	entry = rd(mmu, s.tables[BIG], big_index(va));
	if (!(entry & NV_MMU3_VALID))
		return 0;
	ret = table_in(mmu, &s, SMALL, true);
	if (ret)
		return ret;
	fill(mmu, s.tables[SMALL], small_index(va - va % BIG_BYTES), BIG_BYTES / SMALL_BYTES, entry,
	     SMALL_BYTES);
	show(mmu, &s, SMALL);
	set_page(mmu, s.tables[BIG], big_index(va), 0);
	return 0;
}

static void unmap_in_slot(struct nv_mmu *mmu, struct slot *s, u64 va, u64 end)
{
	if (is_huge(mmu, s)) {
		wr(mmu, s->directory, s->index, 0);
		s->directory->used--;
		return;
	}
	while (va < end) {
		if (s->tables[BIG] && !(va % BIG_BYTES))
			set_page(mmu, s->tables[BIG], big_index(va), 0);
		if (s->tables[SMALL])
			set_page(mmu, s->tables[SMALL], small_index(va), 0);
		va += SMALL_BYTES;
	}
}

/* Nothing leads from the directory to the table any more. */
static void take_out(struct nv_mmu *mmu, struct nv_mmu_table *directory, u32 index)
{
	struct nv_mmu_table *t = directory->children[index];

	wr(mmu, directory, index, 0);
	directory->children[index] = NULL;
	directory->used--;
	t->gone = mmu->gone;
	mmu->gone = t;
}

/* Tables of the slot that are empty, and directories that become so; the root stays. */
static void prune(struct nv_mmu *mmu, struct slot *s, u64 va)
{
	u32 which, level;

	for (which = BIG; s->level == LAST && which <= SMALL; which++)
		if (s->tables[which] && !s->tables[which]->used)
			take_out(mmu, s->directory, s->index + which);
	for (level = s->level; level && !s->path[level]->used; level--)
		take_out(mmu, s->path[level - 1], (va >> shifts[level - 1]) % entries[level - 1]);
}

/**
 * nv_mmu_unmap() - unmap whatever is in a range
 * @mmu: the address space
 * @va: first address
 * @bytes: a multiple of 4096; no page crosses either end, see nv_mmu_split()
 */
void nv_mmu_unmap(struct nv_mmu *mmu, u64 va, u64 bytes)
{
	u64 end = va + bytes, next;
	struct slot s;

	for (; va < end; va = next) {
		next = slot_end(va, end);
		if (!find_slot(mmu, va, false, &s))
			unmap_in_slot(mmu, &s, va, next);
		prune(mmu, &s, va);
	}
}

/**
 * nv_mmu_reap() - give back tables that unmapping left empty
 * @mmu: the address space; the GPU has forgotten what it had read of it
 */
void nv_mmu_reap(struct nv_mmu *mmu)
{
	struct nv_mmu_table *t;

	while ((t = mmu->gone)) {
		mmu->gone = t->gone;
		mmu->memory->free(mmu->owner, t);
	}
}
