/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring of a channel that the kernel writes, as data. A job takes three entries: its own command
 * stream, words of ours that wait until it is done and write its number to memory, and words of
 * ours that raise an interrupt. The last is not fetched before the wait is over, so how far the
 * hardware has fetched, which only the hardware can write, says that a job is done even when a
 * program has forged its number. Touches no hardware.
 */
#ifndef SOV_NV_RING_H
#define SOV_NV_RING_H

#include <linux/types.h>

#include "hw/nv/host.h"

#define NV_RING_ENTRIES_USED    3 /* by a job */
#define NV_RING_ENTRIES_PER_JOB 4 /* that there are, so that a full ring is no empty one */
#define NV_RING_RELEASE_WORDS   6 /* of ours, after each job */
#define NV_RING_INTERRUPT_WORDS 2
#define NV_RING_WORDS           (NV_RING_RELEASE_WORDS + NV_RING_INTERRUPT_WORDS)

/**
 * struct nv_ring - a ring and what stands behind it in the same memory
 */
struct nv_ring {
	/** @entries: what the device reads */
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

	/** @next: whose words are next */
	u32 next;
};

/* Bytes of memory for a ring. */
static inline u64 nv_ring_bytes(u32 jobs)
{
	return (u64)jobs * (NV_RING_ENTRIES_PER_JOB * NV_GP_ENTRY_BYTES + NV_RING_WORDS * 4);
}

void nv_ring_init(struct nv_ring *ring, void *memory, u64 va, u32 jobs, u64 number_va);
u32 nv_ring_incomplete(const struct nv_ring *ring, u32 get);
u32 nv_ring_unstarted(const struct nv_ring *ring, u32 get);
u32 nv_ring_push(struct nv_ring *ring, u64 number, u64 va, u32 bytes);

#endif
