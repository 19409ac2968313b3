/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a grid that one host thread has begun. The thread takes a block, runs it to its end,
 * and takes the next. A block that is still not done after a long time is set aside and others are
 * started beside it, as many as the chip would hold, so that blocks that wait for each other get on.
 */
#include <sched.h>
#include <stdlib.h>

#include "model/core/model_internal.h"

struct crew {
	void **blocks;
	uint32_t count, capacity;
	void *spare;
};

static bool more_to_start(const struct crew *crew, const struct thread *t)
{
	struct work *w = t->work;

	return crew->count < crew->capacity && atomic_load(&w->started) < w->blocks &&
	       !(t->helper_of && workers_should_yield(t->helper_of, w));
}

/* NULL: none is to be started now. */
static void *crew_start(struct crew *crew, struct thread *t)
{
	struct work *w = t->work;
	struct model_error e = {.fault = w->kind->fault, .program = w->program};
	bool later = false;
	uint64_t index;
	void *block;

	if (!more_to_start(crew, t))
		return NULL;
	block = crew->spare ? crew->spare : w->kind->create(t, &later);
	crew->spare = NULL;
	if (!block) {
		if (!later)
			channel_fail(w->channel, &e, "no host memory to run a block");
		return NULL;
	}
	index = atomic_fetch_add(&w->started, 1);
	if (index >= w->blocks) {
		crew->spare = block;
		return NULL;
	}
	w->kind->start(block, index);
	crew->blocks[crew->count++] = block;
	return block;
}

static void crew_retire(struct crew *crew, const struct work_kind *kind, void *block)
{
	for (uint32_t i = 0; i < crew->count; i++)
		if (crew->blocks[i] == block)
			crew->blocks[i] = crew->blocks[--crew->count];
	if (crew->spare)
		kind->destroy(crew->spare);
	crew->spare = block;
}

static void crew_run(struct crew *crew, struct thread *t)
{
	const struct work_kind *kind = t->work->kind;

	for (uint32_t at = 0; !work_stopped(t->work);) {
		void *block = crew_start(crew, t);

		if (!block && crew->spare) { /* it may have what another thread's next one needs */
			kind->destroy(crew->spare);
			crew->spare = NULL;
		}
		if (!block && !crew->count) {
			if (!more_to_start(crew, t))
				return;
			/* Blocks of other threads have what the next one needs. */
			mmu_poll(&t->reader);
			sched_yield();
			continue;
		}
		if (!block) {
			at = (at + 1) % crew->count;
			block = crew->blocks[at];
		}
		if (kind->run(block))
			crew_retire(crew, kind, block);
	}
}

void grid_run_blocks(struct work *w, const struct workers *helper_of)
{
	struct thread *t = calloc(1, w->kind->thread_bytes);
	struct crew crew = {.capacity = w->resident};
	struct model_error e = {.fault = w->kind->fault, .program = w->program};

	crew.blocks = calloc(crew.capacity, sizeof(*crew.blocks));
	if (t && crew.blocks) {
		t->work = w;
		t->helper_of = helper_of;
		mmu_enter(&t->reader, w->channel->space);
		crew_run(&crew, t);
		mmu_leave(&t->reader);
	} else {
		channel_fail(w->channel, &e, "no host memory to run a grid");
	}
	for (uint32_t i = 0; i < crew.count; i++)
		w->kind->destroy(crew.blocks[i]);
	if (crew.spare)
		w->kind->destroy(crew.spare);
	free(crew.blocks);
	free(t);
}
