// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The GPFIFO ring of a kernel queue, see ring.h. The entries come first in memory, so that the
 * address of the memory is the address of the ring.
 */
#include <linux/math.h>
#include <linux/minmax.h>

#include "kmod/nv/ring.h"

/**
 * nv_ring_init() - initialise an empty ring
 * @ring: Structure to initialise.
 * @memory: nv_ring_bytes() of zeroed memory.
 * @va: GPU address of @memory.
 * @jobs: Capacity in jobs, a power of two.
 * @seqno_va: GPU address to which the semaphore release writes sequence numbers.
 */
void nv_ring_init(struct nv_ring *ring, void *memory, u64 va, u32 jobs, u64 seqno_va)
{
	u32 bytes = jobs * NV_RING_ENTRIES_PER_JOB * NV_GP_ENTRY_BYTES;

	ring->entries = memory;
	ring->words = memory + bytes;
	ring->words_va = va + bytes;
	ring->seqno_va = seqno_va;
	ring->jobs = jobs;
	ring->put = 0;
	ring->next = 0;
}

/*
 * Writes the methods that follow a job: a semaphore release that first waits for idle, which also
 * makes the job's writes visible, then a non-stall interrupt.
 */
static void nv_ring_write_methods(u32 *w, u64 address, u64 seqno)
{
	w[0] = nv_method_pack(NV_METHOD_INC, 0, NV_HOST_SEM_ADDR_LO, 5);
	w[1] = (u32)address;
	w[2] = (u32)(address >> 32);
	w[3] = (u32)seqno;
	w[4] = (u32)(seqno >> 32);
	w[5] = NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64;
	w[6] = nv_method_pack(NV_METHOD_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 1);
	w[7] = 0;
}

static void nv_ring_push_entry(struct nv_ring *ring, u64 entry)
{
	ring->entries[ring->put] = entry;
	ring->put = (ring->put + 1) % (ring->jobs * NV_RING_ENTRIES_PER_JOB);
}

/**
 * nv_ring_push() - append a job to a ring that has room
 * @ring: The ring.
 * @seqno: Sequence number to release when the job has completed.
 * @va: GPU address of the job's command stream.
 * @bytes: Size of the command stream, a multiple of 4, at most 4 * NV_GP_MAX_WORDS.
 *
 * Return: The new value of GP_PUT.
 */
u32 nv_ring_push(struct nv_ring *ring, u64 seqno, u64 va, u32 bytes)
{
	u32 first = ring->next * NV_RING_WORDS;
	u64 words_va = ring->words_va + 4 * first;
	u64 interrupt_va = words_va + 4 * NV_RING_RELEASE_WORDS;

	nv_ring_write_methods(ring->words + first, ring->seqno_va, seqno);
	nv_ring_push_entry(ring, nv_gp_entry_pack(va, bytes / 4));
	nv_ring_push_entry(ring, nv_gp_entry_pack(words_va, NV_RING_RELEASE_WORDS));
	nv_ring_push_entry(ring, nv_gp_entry_pack(interrupt_va, NV_RING_INTERRUPT_WORDS) |
					 NV_GP_SYNC_WAIT);
	ring->next = (ring->next + 1) % ring->jobs;
	return ring->put;
}

/* Number of entries that the host has not fetched; the maximum if GP_GET is out of range. */
static u32 nv_ring_unfetched_entries(const struct nv_ring *ring, u32 get)
{
	u32 entries = ring->jobs * NV_RING_ENTRIES_PER_JOB;
	u32 left = (ring->put + entries - get) % entries;

	return get < entries ? min(left, ring->jobs * NV_RING_ENTRIES_USED)
			     : ring->jobs * NV_RING_ENTRIES_USED;
}

/**
 * nv_ring_incomplete() - number of jobs that the host has not fetched completely
 * @ring: The ring.
 * @get: GP_GET, the index of the entry that the host fetches next.
 *
 * Return: The number of jobs; the capacity of the ring if @get is out of range.
 */
u32 nv_ring_incomplete(const struct nv_ring *ring, u32 get)
{
	return DIV_ROUND_UP(nv_ring_unfetched_entries(ring, get), NV_RING_ENTRIES_USED);
}

/**
 * nv_ring_unstarted() - number of jobs of which the host has fetched nothing
 * @ring: The ring.
 * @get: GP_GET, the index of the entry that the host fetches next.
 *
 * Return: The number of jobs; the capacity of the ring if @get is out of range.
 */
u32 nv_ring_unstarted(const struct nv_ring *ring, u32 get)
{
	return nv_ring_unfetched_entries(ring, get) / NV_RING_ENTRIES_USED;
}
