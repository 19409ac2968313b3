/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring of a channel that the kernel writes, as data. A job takes two entries: its own command
 * stream, and a few words of ours that write its number to memory and raise an interrupt. Touches
 * no hardware.
 */
#ifndef SOV_NV_RING_H
#define SOV_NV_RING_H

#include <linux/types.h>

#include "hw/nv/host.h"

#define NV_RING_ENTRIES_PER_JOB 2
#define NV_RING_WORDS           8 /* of ours, after each job */

/**
 * struct nv_ring - a ring and what stands behind it in the same memory
 */
struct nv_ring {
	/** @entries: two for each job */
	u64 *entries;

	/** @words: ours, one block for each job */
	u32 *words;

	/** @words_va: where the device sees them */
	u64 words_va;

	/** @number_va: where the device writes numbers of jobs */
	u64 number_va;

	/** @jobs: room, a power of two */
	u32 jobs;

	/** @put: the next entry */
	u32 put;
};

/* Bytes of memory for a ring. */
static inline u64 nv_ring_bytes(u32 jobs)
{
	return (u64)jobs * (NV_RING_ENTRIES_PER_JOB * NV_GP_ENTRY_BYTES + NV_RING_WORDS * 4);
}

void nv_ring_init(struct nv_ring *ring, void *memory, u64 va, u32 jobs, u64 number_va);
u32 nv_ring_push(struct nv_ring *ring, u64 number, u64 va, u32 bytes);

#endif
