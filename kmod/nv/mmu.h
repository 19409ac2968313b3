/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Page tables of version 3, as a data structure: what to write where. It touches no hardware and
 * knows no allocator; both come as functions, so the same file runs in the kernel and in tests.
 */
#ifndef SOV_NV_MMU_H
#define SOV_NV_MMU_H

#include <linux/types.h>

#include "hw/nv/mmu_ver3.h"

/**
 * struct nv_mmu_table - a page of entries
 */
struct nv_mmu_table {
	/** @address: in video memory */
	u64 address;

	/** @children: tables below; in the last directory the big and the small one by turns */
	struct nv_mmu_table **children;

	/** @used: entries that say something; a table without any is given back */
	u32 used;

	/** @valid: of a table of pages, which these are */
	u64 valid[NV_MMU3_TABLE_BYTES / 8 / 64];

	/** @gone: the next of those that nothing leads to any more */
	struct nv_mmu_table *gone;
};

/**
 * struct nv_mmu_ops - where tables live
 */
struct nv_mmu_ops {
	/**
	 * @alloc: a table of zeros with room for @children pointers. @granted: it stands for what
	 * is mapped already, so no limit may refuse it. Returns 0 or a negative errno.
	 */
	int (*alloc)(void *owner, u32 children, bool granted, struct nv_mmu_table **table);

	/** @free: give one back, which may be NULL */
	void (*free)(void *owner, struct nv_mmu_table *table);

	/** @read: the word at an index */
	u64 (*read)(void *owner, struct nv_mmu_table *table, u32 index);

	/** @write: likewise */
	void (*write)(void *owner, struct nv_mmu_table *table, u32 index, u64 value);
};

/**
 * struct nv_mmu - an address space
 */
struct nv_mmu {
	/** @memory: functions */
	const struct nv_mmu_ops *memory;

	/** @owner: their first argument */
	void *owner;

	/** @root: the topmost directory */
	struct nv_mmu_table *root;

	/** @gone: tables that the GPU may still have read the way to, see nv_mmu_reap() */
	struct nv_mmu_table *gone;
};

int nv_mmu_init(struct nv_mmu *mmu, const struct nv_mmu_ops *memory, void *owner);
void nv_mmu_fini(struct nv_mmu *mmu);
int nv_mmu_map(struct nv_mmu *mmu, u64 va, u64 bytes, u64 address, u64 bits);
int nv_mmu_split(struct nv_mmu *mmu, u64 va);
void nv_mmu_unmap(struct nv_mmu *mmu, u64 va, u64 bytes);
void nv_mmu_reap(struct nv_mmu *mmu);

#endif
