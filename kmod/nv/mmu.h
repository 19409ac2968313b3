/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Page tables of MMU versions 2 and 3 as a data structure. This code neither accesses hardware nor
 * allocates memory; the caller supplies both as functions, so that tests can run the same file in
 * user space.
 */
#ifndef SOV_NV_MMU_H
#define SOV_NV_MMU_H

#include <linux/types.h>

#include "hw/nv/mmu_ver3.h"

#define NV_MMU_MAX_LEVELS NV_MMU3_LEVELS

/**
 * struct nv_mmu_format - what differs between MMU versions
 */
struct nv_mmu_format {
	/** @levels: Levels of directories. */
	u32 levels;

	/** @shifts: Lowest address bit of the index of each level, from the root down. */
	u8 shifts[NV_MMU_MAX_LEVELS];

	/** @entries: Entries of a directory of each level. */
	u16 entries[NV_MMU_MAX_LEVELS];

	/** @address_shift: An entry holds its address shifted right by as many bits. */
	u32 address_shift;

	/** @pde: Bits of an entry that points to a table in video memory. */
	u64 pde;

	/** @page: Bits of each page; without further ones, it is in video memory. */
	u64 page;

	/** @system: The page is in coherent system memory. */
	u64 system;

	/** @uncached: The GPU does not cache the page. */
	u64 uncached;

	/** @read_only: The GPU may not write to the page, nor execute atomics there. */
	u64 read_only;

	/** @privileged: Programs may not access the page. */
	u64 privileged;
};

extern const struct nv_mmu_format nv_mmu_ver2, nv_mmu_ver3;

/**
 * struct nv_mmu_table - a page directory or page table
 */
struct nv_mmu_table {
	/** @address: Address in video memory. */
	u64 address;

	/**
	 * @children: Tables that the entries point to; in a directory of the last level, each
	 * entry has two: the table of big pages, then the table of small pages.
	 */
	struct nv_mmu_table **children;

	/** @used: Number of entries in use; a table without any is freed. */
	u32 used;

	/**
	 * @valid: Bitmap of the valid entries of a page table, or of the dual PDEs of a directory
	 * of the last level that map a huge page.
	 */
	u64 valid[NV_MMU3_TABLE_BYTES / 8 / 64];

	/** @next_stale: Next table in the list of unlinked tables. */
	struct nv_mmu_table *next_stale;
};

/**
 * struct nv_mmu_ops - how to allocate and access tables
 */
struct nv_mmu_ops {
	/**
	 * @alloc: Allocate a zeroed table with room for @children pointers. If @granted is true,
	 * the table splits an existing mapping, so no memory limit may refuse it. Returns 0 or a
	 * negative errno.
	 */
	int (*alloc)(void *owner, u32 children, bool granted, struct nv_mmu_table **table);

	/** @free: Free a table, which may be NULL. */
	void (*free)(void *owner, struct nv_mmu_table *table);

	/** @read: Read the 64-bit word at an index. */
	u64 (*read)(void *owner, struct nv_mmu_table *table, u32 index);

	/** @write: Write the 64-bit word at an index. */
	void (*write)(void *owner, struct nv_mmu_table *table, u32 index, u64 value);
};

/**
 * struct nv_mmu - the page tables of an address space
 */
struct nv_mmu {
	/** @format: Format of the tables. */
	const struct nv_mmu_format *format;

	/** @ops: Functions that allocate and access tables. */
	const struct nv_mmu_ops *ops;

	/** @owner: First argument of these functions. */
	void *owner;

	/** @root: Topmost directory. */
	struct nv_mmu_table *root;

	/**
	 * @stale: Tables that were unlinked but that the GPU may still reach through cached
	 * entries; see nv_mmu_reap().
	 */
	struct nv_mmu_table *stale;
};

int nv_mmu_init(struct nv_mmu *mmu, const struct nv_mmu_format *format,
		const struct nv_mmu_ops *ops, void *owner);
void nv_mmu_fini(struct nv_mmu *mmu);
int nv_mmu_reserve(struct nv_mmu *mmu, u64 va, u64 path[NV_MMU_MAX_LEVELS - 1]);
int nv_mmu_map(struct nv_mmu *mmu, u64 va, u64 bytes, u64 address, u64 bits);
int nv_mmu_split(struct nv_mmu *mmu, u64 va);
void nv_mmu_unmap(struct nv_mmu *mmu, u64 va, u64 bytes);
void nv_mmu_reap(struct nv_mmu *mmu);

#endif
