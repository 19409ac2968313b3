/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The GPFIFO ring of a channel that the kernel fills, as a data structure without hardware access.
 *
 * A job takes three ring entries: the job's command stream; driver methods that wait for idle and
 * release a semaphore with the job's sequence number; and driver methods that raise an interrupt.
 * The host fetches the third entry only after the wait has ended. GP_GET, which only the hardware
 * can write, therefore proves that a job has completed even if a program forges the sequence
 * number in memory.
 */
#ifndef SOV_NV_RING_H
#define SOV_NV_RING_H

#include <linux/types.h>

#include "hw/nv/host.h"

#define NV_RING_ENTRIES_USED    3 /* by a job */
#define NV_RING_ENTRIES_PER_JOB 4 /* allocated, so that a full ring differs from an empty one */
#define NV_RING_RELEASE_WORDS   6 /* of driver methods in a job's second entry */
#define NV_RING_INTERRUPT_WORDS 2 /* of driver methods in a job's third entry */
#define NV_RING_WORDS           (NV_RING_RELEASE_WORDS + NV_RING_INTERRUPT_WORDS)

/**
 * struct nv_ring - a ring, followed in the same memory by the driver's methods for each job
 */
struct nv_ring {
	/** @entries: Ring entries, which the host reads. */
	u64 *entries;

	/** @words: Driver methods, NV_RING_WORDS for each job. */
	u32 *words;

	/** @words_va: GPU address of @words. */
	u64 words_va;

	/** @seqno_va: GPU address to which the semaphore release writes sequence numbers. */
	u64 seqno_va;

	/** @jobs: Capacity in jobs, a power of two. */
	u32 jobs;

	/** @put: Index of the next entry to write. */
	u32 put;

	/** @next: Index of the next job's driver methods. */
	u32 next;
};

/* Size of the memory of a ring. */
static inline u64 nv_ring_bytes(u32 jobs)
{
	return (u64)jobs * (NV_RING_ENTRIES_PER_JOB * NV_GP_ENTRY_BYTES + NV_RING_WORDS * 4);
}

void nv_ring_init(struct nv_ring *ring, void *memory, u64 va, u32 jobs, u64 seqno_va);
u32 nv_ring_incomplete(const struct nv_ring *ring, u32 get);
u32 nv_ring_unstarted(const struct nv_ring *ring, u32 get);
u32 nv_ring_push(struct nv_ring *ring, u64 seqno, u64 va, u32 bytes);

#endif
