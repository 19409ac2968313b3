// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page tables of MMU versions 2 and 3. An entry of the last directory level is a dual PDE: two
 * words that cover 2 MiB. A dual PDE is empty, or maps one huge page, or points to a table of big
 * pages and a table of small pages; in these, each 64 KiB is either one big page or up to 16 small
 * pages. The largest page size that the alignment of both addresses allows is used. An empty table
 * is unlinked from the tree immediately, but freed only after a TLB invalidate.
 */
#include <linux/errno.h>

#include "hw/nv/mmu_ver2.h"
#include "kmod/nv/mmu.h"

#define BIT64(n)    (1ull << (n))
#define BIG         0 /* index of a word of a dual PDE and of the table that it points to */
#define SMALL       1
#define HUGE_BYTES  BIT64(NV_MMU3_HUGE)
#define BIG_BYTES   BIT64(NV_MMU3_BIG)
#define SMALL_BYTES BIT64(NV_MMU3_SMALL)

const struct nv_mmu_format nv_mmu_ver2 = {
	.levels = NV_MMU2_LEVELS,
	.shifts = NV_MMU2_SHIFTS,
	.entries = NV_MMU2_ENTRIES,
	.address_shift = NV_MMU2_ADDRESS_SHIFT,
	.pde = NV_MMU3_PDE_VRAM,
	.page = NV_MMU3_PTE_VRAM | NV_MMU2_KIND_GENERIC,
	.system = NV_MMU3_PTE_COHERENT,
	.uncached = NV_MMU2_VOLATILE,
	.read_only = NV_MMU2_READ_ONLY | NV_MMU2_NO_ATOMICS,
	.privileged = NV_MMU2_PRIVILEGED,
};

const struct nv_mmu_format nv_mmu_ver3 = {
	.levels = NV_MMU3_LEVELS,
	.shifts = NV_MMU3_SHIFTS,
	.entries = NV_MMU3_ENTRIES,
	.pde = NV_MMU3_PDE_VRAM | NV_MMU3_PDE_NO_ATS,
	.page = NV_MMU3_PTE_VRAM | NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC,
	.system = NV_MMU3_PTE_COHERENT,
	.uncached = NV_MMU3_PCF_UNCACHED,
	.read_only = NV_MMU3_PCF_READ_ONLY | NV_MMU3_PCF_NO_ATOMICS,
	.privileged = NV_MMU3_PCF_PRIVILEGED,
};

/* The result of a walk: a dual PDE and the directories that lead to it. */
struct nv_mmu_dual_pde {
	struct nv_mmu_table *directory;
	u32 index; /* of the first word in @directory */
	struct nv_mmu_table **tables;
	struct nv_mmu_table *path[NV_MMU_MAX_LEVELS]; /* from the root to @directory */
	u32 level;                                    /* last level that the walk reached */
};

static u64 nv_mmu_read(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index)
{
	return mmu->ops->read(mmu->owner, t, index);
}

static void nv_mmu_write(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u64 value)
{
	mmu->ops->write(mmu->owner, t, index, value);
}

/* Writes a PTE; 0 invalidates it. Skips the write if the PTE is already invalid. */
static void nv_mmu_set_pte(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u64 entry)
{
	u64 bit = BIT64(index % 64), *word = &t->valid[index / 64];

	if (!entry && !(*word & bit))
		return;
	nv_mmu_write(mmu, t, index, entry);
	t->used += !!entry - !!(*word & bit);
	*word = entry ? *word | bit : *word & ~bit;
}

/* The last level of directories. */
static u32 nv_mmu_last(const struct nv_mmu *mmu)
{
	return mmu->format->levels - 1;
}

static u32 nv_mmu_index(const struct nv_mmu *mmu, u32 level, u64 va)
{
	return (va >> mmu->format->shifts[level]) % mmu->format->entries[level];
}

static u32 nv_mmu_children(const struct nv_mmu *mmu, u32 level)
{
	u32 entries = mmu->format->entries[level];

	return level == nv_mmu_last(mmu) ? 2 * entries : entries;
}

/* The entry that points to a table. */
static u64 nv_mmu_pde(const struct nv_mmu *mmu, const struct nv_mmu_table *t)
{
	return t->address >> mmu->format->address_shift | mmu->format->pde;
}

/* Finds the directory below an entry, or allocates it. */
static int nv_mmu_get_directory(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 level, u64 va,
				struct nv_mmu_table **directory)
{
	u32 index = nv_mmu_index(mmu, level, va);
	struct nv_mmu_table *child = t->children[index];
	int ret;

	if (!child) {
		ret = mmu->ops->alloc(mmu->owner, nv_mmu_children(mmu, level + 1), false, &child);
		if (ret)
			return ret;
		t->children[index] = child;
		t->used++;
		nv_mmu_write(mmu, t, index, nv_mmu_pde(mmu, child));
	}
	*directory = child;
	return 0;
}

/*
 * Finds the dual PDE of an address. If a directory is missing, allocates it if @create is true and
 * otherwise returns -ENOENT.
 */
static int nv_mmu_walk(struct nv_mmu *mmu, u64 va, bool create, struct nv_mmu_dual_pde *pde)
{
	u32 level, last = nv_mmu_last(mmu);
	struct nv_mmu_table *t = mmu->root;
	int ret;

	for (level = 0; level < last; level++) {
		pde->path[level] = t;
		pde->level = level;
		if (!create && !t->children[nv_mmu_index(mmu, level, va)])
			return -ENOENT;
		ret = nv_mmu_get_directory(mmu, t, level, va, &t);
		if (ret)
			return ret;
	}
	pde->path[last] = t;
	pde->level = last;
	pde->directory = t;
	pde->index = 2 * nv_mmu_index(mmu, last, va);
	pde->tables = &t->children[pde->index];
	return 0;
}

/* A directory of the last level has a bit in @valid for each huge page: what a read of video memory
 * says is not to be trusted, since the device may have fallen off the bus. */
static bool nv_mmu_is_huge(const struct nv_mmu_dual_pde *pde)
{
	u32 slot = pde->index / 2;

	return pde->directory->valid[slot / 64] & BIT64(slot % 64);
}

static void nv_mmu_set_huge(struct nv_mmu_dual_pde *pde, bool huge)
{
	u32 slot = pde->index / 2;
	u64 bit = BIT64(slot % 64), *word = &pde->directory->valid[slot / 64];

	*word = huge ? *word | bit : *word & ~bit;
}

/* Allocates a page table if it is missing. The GPU sees the table after nv_mmu_link_table(). */
static int nv_mmu_get_table(struct nv_mmu *mmu, struct nv_mmu_dual_pde *pde, u32 which,
			    bool granted)
{
	struct nv_mmu_table *table;
	int ret;

	if (pde->tables[which])
		return 0;
	ret = mmu->ops->alloc(mmu->owner, 0, granted, &table);
	if (ret)
		return ret;
	pde->tables[which] = table;
	pde->directory->used++;
	return 0;
}

static void nv_mmu_link_table(struct nv_mmu *mmu, struct nv_mmu_dual_pde *pde, u32 which)
{
	nv_mmu_write(mmu, pde->directory, pde->index + which, nv_mmu_pde(mmu, pde->tables[which]));
}

/* Returns the end of the part of [va, end) that lies in the dual PDE of @va. */
static u64 nv_mmu_pde_end(u64 va, u64 end)
{
	u64 next = (va / HUGE_BYTES + 1) * HUGE_BYTES;

	return next < end ? next : end;
}

static u32 nv_mmu_big_index(u64 va)
{
	return va % HUGE_BYTES >> NV_MMU3_BIG;
}

static u32 nv_mmu_small_index(u64 va)
{
	return va % HUGE_BYTES >> NV_MMU3_SMALL;
}

/**
 * nv_mmu_init() - create the page tables of an empty address space
 * @mmu: Structure to initialise.
 * @format: Format of the tables.
 * @ops: Functions that allocate and access tables.
 * @owner: First argument of these functions.
 *
 * Return: 0 or the error of the allocation.
 */
int nv_mmu_init(struct nv_mmu *mmu, const struct nv_mmu_format *format,
		const struct nv_mmu_ops *ops, void *owner)
{
	*mmu = (struct nv_mmu){ .format = format, .ops = ops, .owner = owner };
	return ops->alloc(owner, nv_mmu_children(mmu, 0), false, &mmu->root);
}

/* The recursion is bounded by the number of levels. */
static void nv_mmu_free_tree(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 level)
{
	u32 i;

	if (!t)
		return;
	for (i = 0; level < mmu->format->levels && i < nv_mmu_children(mmu, level); i++)
		nv_mmu_free_tree(mmu, t->children[i], level + 1);
	mmu->ops->free(mmu->owner, t);
}

/**
 * nv_mmu_fini() - free all tables
 * @mmu: Page tables that the GPU no longer uses.
 */
void nv_mmu_fini(struct nv_mmu *mmu)
{
	nv_mmu_reap(mmu);
	nv_mmu_free_tree(mmu, mmu->root, 0);
	mmu->root = NULL;
}

/**
 * nv_mmu_reserve() - create the directories above a range whose entries RM writes
 * @mmu: The page tables.
 * @va: Start of the range, which one entry of the last but one directory level covers. Nothing may
 *      be mapped there.
 * @path: The addresses of the directories, from the root down.
 *
 * The directories stay until nv_mmu_fini().
 *
 * Return: 0 or the error of a table allocation.
 */
int nv_mmu_reserve(struct nv_mmu *mmu, u64 va, u64 path[NV_MMU_MAX_LEVELS - 1])
{
	struct nv_mmu_table *t = mmu->root;
	u32 level;
	int ret;

	for (level = 0; level < nv_mmu_last(mmu) - 1; level++) {
		path[level] = t->address;
		ret = nv_mmu_get_directory(mmu, t, level, va, &t);
		if (ret)
			return ret;
	}
	path[level] = t->address;
	t->used++;
	return 0;
}

/* Maps a range inside one dual PDE with the largest pages that both addresses allow. */
static int nv_mmu_map_pde(struct nv_mmu *mmu, struct nv_mmu_dual_pde *pde, u64 va, u64 end,
			  u64 address, u64 bits)
{
	bool empty = !pde->tables[BIG] && !pde->tables[SMALL];
	u32 shift = mmu->format->address_shift;
	int ret;

	if (empty && end - va == HUGE_BYTES && !(address % HUGE_BYTES)) {
		nv_mmu_write(mmu, pde->directory, pde->index,
			     address >> shift | bits | NV_MMU3_VALID);
		nv_mmu_set_huge(pde, true);
		pde->directory->used++;
		return 0;
	}
	while (va < end) {
		bool big = !(va % BIG_BYTES) && !(address % BIG_BYTES) && end - va >= BIG_BYTES;
		u64 step = big ? BIG_BYTES : SMALL_BYTES;

		ret = nv_mmu_get_table(mmu, pde, big ? BIG : SMALL, false);
		if (ret)
			return ret;
		nv_mmu_set_pte(mmu, pde->tables[big ? BIG : SMALL],
			       big ? nv_mmu_big_index(va) : nv_mmu_small_index(va),
			       address >> shift | bits | NV_MMU3_VALID);
		va += step;
		address += step;
	}
	if (pde->tables[BIG])
		nv_mmu_link_table(mmu, pde, BIG);
	if (pde->tables[SMALL])
		nv_mmu_link_table(mmu, pde, SMALL);
	return 0;
}

/**
 * nv_mmu_map() - map contiguous memory
 * @mmu: The page tables.
 * @va: Start of a range in which nothing is mapped.
 * @bytes: Size, a multiple of 4096; the range must lie within the address space.
 * @address: Address of the memory.
 * @bits: Bits of &struct nv_mmu_format, those of its page included.
 *
 * Return: 0, or the error of a table allocation, with nothing mapped.
 */
int nv_mmu_map(struct nv_mmu *mmu, u64 va, u64 bytes, u64 address, u64 bits)
{
	u64 at, end = va + bytes, next;
	struct nv_mmu_dual_pde pde;
	int ret;

	for (at = va; at < end; at = next) {
		next = nv_mmu_pde_end(at, end);
		ret = nv_mmu_walk(mmu, at, true, &pde);
		if (ret)
			goto err_unmap;
		ret = nv_mmu_map_pde(mmu, &pde, at, next, address + (at - va), bits);
		if (ret)
			goto err_unmap;
	}
	return 0;

err_unmap:
	nv_mmu_unmap(mmu, va, bytes);
	return ret;
}

/* Fills a table with the smaller pages that make up the larger page @entry. */
static void nv_mmu_fill(struct nv_mmu *mmu, struct nv_mmu_table *t, u32 index, u32 count, u64 entry,
			u64 step)
{
	u32 i;

	for (i = 0; i < count; i++)
		nv_mmu_set_pte(mmu, t, index + i, entry + (i * step >> mmu->format->address_shift));
}

/**
 * nv_mmu_split() - split pages so that none crosses an address
 * @mmu: The page tables.
 * @va: The address, a multiple of 4096.
 *
 * The range stays mapped throughout: a table is complete before it replaces a larger page.
 *
 * Return: 0, or the error of a table allocation, with nothing changed.
 */
int nv_mmu_split(struct nv_mmu *mmu, u64 va)
{
	struct nv_mmu_dual_pde pde;
	u64 entry;
	int ret;

	if (!(va % HUGE_BYTES) || nv_mmu_walk(mmu, va, false, &pde))
		return 0;
	if (nv_mmu_is_huge(&pde)) {
		entry = nv_mmu_read(mmu, pde.directory, pde.index);
		ret = nv_mmu_get_table(mmu, &pde, BIG, true);
		if (ret)
			return ret;
		nv_mmu_fill(mmu, pde.tables[BIG], 0, HUGE_BYTES / BIG_BYTES, entry, BIG_BYTES);
		nv_mmu_link_table(mmu, &pde, BIG);
		nv_mmu_set_huge(&pde, false);
		pde.directory->used--; /* the table takes the entry of the huge page */
	}
	if (!(va % BIG_BYTES) || !pde.tables[BIG])
		return 0;
	entry = nv_mmu_read(mmu, pde.tables[BIG], nv_mmu_big_index(va));
	if (!(entry & NV_MMU3_VALID))
		return 0;
	ret = nv_mmu_get_table(mmu, &pde, SMALL, true);
	if (ret)
		return ret;
	nv_mmu_fill(mmu, pde.tables[SMALL], nv_mmu_small_index(va - va % BIG_BYTES),
		    BIG_BYTES / SMALL_BYTES, entry, SMALL_BYTES);
	nv_mmu_link_table(mmu, &pde, SMALL);
	nv_mmu_set_pte(mmu, pde.tables[BIG], nv_mmu_big_index(va), 0);
	return 0;
}

static void nv_mmu_unmap_pde(struct nv_mmu *mmu, struct nv_mmu_dual_pde *pde, u64 va, u64 end)
{
	if (nv_mmu_is_huge(pde)) {
		nv_mmu_write(mmu, pde->directory, pde->index, 0);
		nv_mmu_set_huge(pde, false);
		pde->directory->used--;
		return;
	}
	while (va < end) {
		if (pde->tables[BIG] && !(va % BIG_BYTES))
			nv_mmu_set_pte(mmu, pde->tables[BIG], nv_mmu_big_index(va), 0);
		if (pde->tables[SMALL])
			nv_mmu_set_pte(mmu, pde->tables[SMALL], nv_mmu_small_index(va), 0);
		va += SMALL_BYTES;
	}
}

/* Unlinks a table from its directory and puts it on the list of stale tables. */
static void nv_mmu_unlink_table(struct nv_mmu *mmu, struct nv_mmu_table *directory, u32 index)
{
	struct nv_mmu_table *t = directory->children[index];

	nv_mmu_write(mmu, directory, index, 0);
	directory->children[index] = NULL;
	directory->used--;
	t->next_stale = mmu->stale;
	mmu->stale = t;
}

/* Unlinks empty page tables, then directories that become empty; the root stays. */
static void nv_mmu_prune(struct nv_mmu *mmu, struct nv_mmu_dual_pde *pde, u64 va)
{
	u32 which, level, index;

	for (which = BIG; pde->level == nv_mmu_last(mmu) && which <= SMALL; which++)
		if (pde->tables[which] && !pde->tables[which]->used)
			nv_mmu_unlink_table(mmu, pde->directory, pde->index + which);
	for (level = pde->level; level && !pde->path[level]->used; level--) {
		index = nv_mmu_index(mmu, level - 1, va);
		nv_mmu_unlink_table(mmu, pde->path[level - 1], index);
	}
}

/**
 * nv_mmu_unmap() - unmap everything in a range
 * @mmu: The page tables.
 * @va: Start of the range.
 * @bytes: Size, a multiple of 4096; no page may cross either end, see nv_mmu_split().
 */
void nv_mmu_unmap(struct nv_mmu *mmu, u64 va, u64 bytes)
{
	u64 end = va + bytes, next;
	struct nv_mmu_dual_pde pde;

	for (; va < end; va = next) {
		next = nv_mmu_pde_end(va, end);
		if (!nv_mmu_walk(mmu, va, false, &pde))
			nv_mmu_unmap_pde(mmu, &pde, va, next);
		nv_mmu_prune(mmu, &pde, va);
	}
}

/**
 * nv_mmu_reap() - free the tables that unmapping has unlinked
 * @mmu: The page tables; the GPU has invalidated its cached entries of them.
 */
void nv_mmu_reap(struct nv_mmu *mmu)
{
	struct nv_mmu_table *t;

	while ((t = mmu->stale)) {
		mmu->stale = t->next_stale;
		mmu->ops->free(mmu->owner, t);
	}
}
