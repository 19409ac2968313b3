// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The ring, see ring.h. Entries come first, so that the ring's address is the memory's. */
#include <linux/math.h>
#include <linux/minmax.h>

#include "kmod/nv/ring.h"

/**
 * nv_ring_init() - an empty ring
 * @ring: to be filled
 * @memory: nv_ring_bytes() of zeros
 * @va: where the device sees it
 * @jobs: room, a power of two
 * @number_va: where the device is to write numbers of jobs
 */
void nv_ring_init(struct nv_ring *ring, void *memory, u64 va, u32 jobs, u64 number_va)
{
	u32 bytes = jobs * NV_RING_ENTRIES_PER_JOB * NV_GP_ENTRY_BYTES;

	ring->entries = memory;
	ring->words = memory + bytes;
	ring->words_va = va + bytes;
	ring->number_va = number_va;
	ring->jobs = jobs;
	ring->put = 0;
	ring->next = 0;
}

/*
 * What comes after a job: wait until the engine is idle, write the number; then an interrupt. The
 * wait also makes everything that the job has written visible.
 */
static void write_words(u32 *w, u64 address, u64 number)
{
	w[0] = nv_method_pack(NV_METHOD_INC, 0, NV_HOST_SEM_ADDR_LO, 5);
	w[1] = (u32)address;
	w[2] = (u32)(address >> 32);
	w[3] = (u32)number;
	w[4] = (u32)(number >> 32);
	w[5] = NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64;
	w[6] = nv_method_pack(NV_METHOD_INC, 0, NV_HOST_NON_STALL_INTERRUPT, 1);
	w[7] = 0;
}

static void push(struct nv_ring *ring, u64 entry)
{
	ring->entries[ring->put] = entry;
	ring->put = (ring->put + 1) % (ring->jobs * NV_RING_ENTRIES_PER_JOB);
}

/**
 * nv_ring_push() - put a job into a ring that has room
 * @ring: the ring
 * @number: written when the job is done
 * @va: its command stream
 * @bytes: size of that, a multiple of 4, at most 4 * NV_GP_MAX_WORDS
 *
 * Return: the ring's new end, for the device.
 */
u32 nv_ring_push(struct nv_ring *ring, u64 number, u64 va, u32 bytes)
{
	u32 first = ring->next * NV_RING_WORDS;
	u64 words_va = ring->words_va + 4 * first;

	write_words(ring->words + first, ring->number_va, number);
	push(ring, nv_gp_entry_pack(va, bytes / 4));
	push(ring, nv_gp_entry_pack(words_va, NV_RING_RELEASE_WORDS));
	push(ring, nv_gp_entry_pack(words_va + 4 * NV_RING_RELEASE_WORDS, NV_RING_INTERRUPT_WORDS) |
			   NV_GP_SYNC_WAIT);
	ring->next = (ring->next + 1) % ring->jobs;
	return ring->put;
}

/* Entries that were not fetched; all that there can be when what the device says makes no sense. */
static u32 entries_left(const struct nv_ring *ring, u32 get)
{
	u32 entries = ring->jobs * NV_RING_ENTRIES_PER_JOB;
	u32 left = (ring->put + entries - get) % entries;

	return get < entries ? min(left, ring->jobs * NV_RING_ENTRIES_USED)
			     : ring->jobs * NV_RING_ENTRIES_USED;
}

/**
 * nv_ring_incomplete() - jobs that the device has not fetched whole
 * @ring: the ring
 * @get: the entry that it will fetch next, as it says itself
 *
 * Return: their number; all that fit when what it says makes no sense.
 */
u32 nv_ring_incomplete(const struct nv_ring *ring, u32 get)
{
	return DIV_ROUND_UP(entries_left(ring, get), NV_RING_ENTRIES_USED);
}

/**
 * nv_ring_unstarted() - jobs of which the device has fetched nothing
 * @ring: the ring
 * @get: the entry that it will fetch next, as it says itself
 *
 * Return: their number; all that fit when what it says makes no sense.
 */
u32 nv_ring_unstarted(const struct nv_ring *ring, u32 get)
{
	return entries_left(ring, get) / NV_RING_ENTRIES_USED;
}
