// SPDX-License-Identifier: MIT
/* The resident blocks of one host thread. The thread starts a block of the grid, executes it to its
 * end, and starts the next. A block that exhausts its quantum stays resident while the thread
 * starts others, up to the chip's occupancy, and executes them round-robin, so that blocks that
 * wait for each other make progress. In weak memory mode quanta are short, few blocks are resident
 * at first, and the next one to run is chosen by chance, so that blocks interleave finely. */
#include <sched.h>
#include <stdlib.h>

#include "model/core/model_internal.h"

struct resident_blocks {
	void **blocks;
	uint32_t count, capacity;
	void *spare;
};

static bool can_start_block(const struct resident_blocks *resident, const struct thread *t)
{
	struct work *w = t->work;

	return resident->count < resident->capacity && atomic_load(&w->started) < w->blocks &&
	       !(t->helper_of && workers_should_yield(t->helper_of, w)) &&
	       (!t->reader.weak || weak_may_start_block(t->reader.weak, resident->count));
}

/* Starts the next block; NULL: none can start now. */
static void *resident_start(struct resident_blocks *resident, struct thread *t)
{
	struct work *w = t->work;
	struct model_error e = {.fault = w->kind->fault, .program = w->program};
	bool later = false;
	uint64_t index;
	void *block;

	if (!can_start_block(resident, t))
		return NULL;
	block = resident->spare ? resident->spare : w->kind->create(t, &later);
	resident->spare = NULL;
	if (!block) {
		if (!later)
			channel_fail(w->channel, &e, "no host memory to run a block");
		return NULL;
	}
	index = atomic_fetch_add(&w->started, 1);
	if (index >= w->blocks) {
		resident->spare = block;
		return NULL;
	}
	w->kind->start(block, index);
	resident->blocks[resident->count++] = block;
	return block;
}

static void resident_retire(struct resident_blocks *resident, const struct work_kind *kind,
			    void *block)
{
	for (uint32_t i = 0; i < resident->count; i++)
		if (resident->blocks[i] == block)
			resident->blocks[i] = resident->blocks[--resident->count];
	if (resident->spare)
		kind->destroy(resident->spare);
	resident->spare = block;
}

static void resident_run(struct resident_blocks *resident, struct thread *t)
{
	const struct work_kind *kind = t->work->kind;

	for (uint32_t at = 0; !work_stopped(t->work);) {
		void *block = resident_start(resident, t);

		/* The spare may hold resources that a block of another thread needs. */
		if (!block && resident->spare) {
			kind->destroy(resident->spare);
			resident->spare = NULL;
		}
		if (!block && !resident->count) {
			if (!can_start_block(resident, t))
				return;
			/* Blocks of other threads hold the resources that the next one needs. */
			mmu_poll(&t->reader);
			sched_yield();
			continue;
		}
		if (!block) {
			at = (at + 1) % resident->count;
			if (t->reader.weak)
				at = weak_random(t->reader.weak, resident->count);
			block = resident->blocks[at];
		}
		if (kind->run(block))
			resident_retire(resident, kind, block);
	}
}

/* False: out of host memory. */
static bool thread_create_weak(struct thread *t, struct model *m)
{
	if (m->weak_seed)
		t->reader.weak = weak_memory_create(m->weak_seed * 0x100000001b3 +
							    atomic_fetch_add(&m->weak_streams, 1),
						    m->vendor == &vendor_amd);
	return !m->weak_seed || t->reader.weak;
}

void grid_run_blocks(struct work *w, const struct workers *helper_of)
{
	struct thread *t = calloc(1, w->kind->thread_bytes);
	struct resident_blocks resident = {.capacity = w->resident};
	struct model_error e = {.fault = w->kind->fault, .program = w->program};

	resident.blocks = calloc(resident.capacity, sizeof(*resident.blocks));
	if (t && resident.blocks && thread_create_weak(t, w->channel->model)) {
		t->work = w;
		t->helper_of = helper_of;
		mmu_enter(&t->reader, w->channel->space);
		resident_run(&resident, t);
		mmu_leave(&t->reader);
	} else {
		channel_fail(w->channel, &e, "no host memory to run a grid");
	}
	for (uint32_t i = 0; i < resident.count; i++)
		w->kind->destroy(resident.blocks[i]);
	if (resident.spare)
		w->kind->destroy(resident.spare);
	free(resident.blocks);
	if (t)
		weak_memory_destroy(t->reader.weak);
	free(t);
}
