/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Page tables of MMU version 3 as a data structure. This code neither accesses hardware nor
 * allocates memory; the caller supplies both as functions, so that tests can run the same file in
 * user space.
 */
#ifndef SOV_NV_MMU_H
#define SOV_NV_MMU_H

#include <linux/types.h>

#include "hw/nv/mmu_ver3.h"

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

int nv_mmu_init(struct nv_mmu *mmu, const struct nv_mmu_ops *ops, void *owner);
void nv_mmu_fini(struct nv_mmu *mmu);
int nv_mmu_reserve(struct nv_mmu *mmu, u64 va, u64 path[NV_MMU3_LEVELS - 1]);
int nv_mmu_map(struct nv_mmu *mmu, u64 va, u64 bytes, u64 address, u64 bits);
int nv_mmu_split(struct nv_mmu *mmu, u64 va);
void nv_mmu_unmap(struct nv_mmu *mmu, u64 va, u64 bytes);
void nv_mmu_reap(struct nv_mmu *mmu);

#endif
