// SPDX-License-Identifier: MIT
/*
 * Hazard mode between waves: what a wave wrote, others may see only when the wave has waited for it, which is what a
 * release does before it gives a sign. Here stores are seen at once, so a plain load of what another wave has written
 * and not yet waited for, or never did, is an error that names both. A program without data races and without missing
 * waits never gets there: the reader knows of the store by a release, and that waited. Loads past the caches (GLC) and
 * atomics are how waves watch each other, and may see anything. Waves of one workgroup share L0 unless
 * it is on two compute units, so that among them nothing has to be waited for (LLVM's AMDGPU guide, "Memory Model GFX10":
 * release at workgroup scope, CU mode).
 *
 * A table knows the last writer of each word, as far as words do not share a place in it: it forgets, but
 * says nothing that is not so.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

#define PLACES     (1u << 14)
#define MOST_WAVES (1u << 20) /* that are remembered; those after them write unseen */

struct amd_writer {
	struct amd_writer *next;
	_Atomic uint64_t done[AMD_COUNTERS];
	uint32_t group[3], wave;
};

struct place {
	uint64_t word;                   /* address / 4 */
	const struct amd_writer *writer; /* NULL: nobody */
	uint64_t number, pc;
	uint32_t counter;
};

struct release {
	pthread_mutex_t lock;
	struct amd_writer *writers;
	uint32_t count;
	struct place places[PLACES];
};

struct release *amd_release_create(void)
{
	struct release *r = calloc(1, sizeof(*r));

	if (r)
		pthread_mutex_init(&r->lock, NULL);
	return r;
}

void amd_release_destroy(struct release *r)
{
	while (r && r->writers) {
		struct amd_writer *next = r->writers->next;

		free(r->writers);
		r->writers = next;
	}
	if (r)
		pthread_mutex_destroy(&r->lock);
	free(r);
}

static struct place *place_of(struct release *r, uint64_t word)
{
	return &r->places[(word * 0x9e3779b97f4a7c15 >> 40) % PLACES];
}

/* The wave as others know it; NULL: it is not remembered. Under the lock. */
static struct amd_writer *introduce(struct wave *w, struct release *r)
{
	struct amd_writer *me = r->count < MOST_WAVES ? calloc(1, sizeof(*me)) : NULL;

	if (!me)
		return NULL;
	memcpy(me->group, w->group->id, sizeof(me->group));
	me->wave = w->index;
	me->next = r->writers;
	r->writers = me;
	r->count++;
	return me;
}

void amd_release_wrote(struct wave *w, uint64_t va, uint32_t bytes, uint32_t counter)
{
	struct release *r = w->grid->release;
	uint64_t number;

	pthread_mutex_lock(&r->lock);
	if (!w->writer)
		w->writer = introduce(w, r);
	number = amd_hazard_issued(w, counter);
	for (uint64_t word = va / 4; w->writer && bytes && word <= (va + bytes - 1) / 4; word++)
		*place_of(r, word) = (struct place){word, w->writer, number, w->pc, counter};
	pthread_mutex_unlock(&r->lock);
}

void amd_release_waited(struct wave *w, uint32_t counter, uint64_t done)
{
	if (w->writer)
		atomic_store_explicit(&w->writer->done[counter], done, memory_order_relaxed);
}

static bool is_hidden(const struct wave *w, const struct place *p, uint64_t word)
{
	const struct amd_writer *other = p->writer;

	if (p->word != word || !other || other == w->writer ||
	    atomic_load_explicit(&other->done[p->counter], memory_order_relaxed) >= p->number)
		return false;
	return w->grid->rsrc1 & AMD_RSRC1_WGP_MODE ||
	       memcmp(other->group, w->group->id, sizeof(other->group));
}

bool amd_release_read(struct wave *w, uint32_t lane, uint64_t va, uint32_t bytes)
{
	static const char *const names[AMD_COUNTERS] = {"vmcnt", "lgkmcnt", "vscnt"};
	struct release *r = w->grid->release;
	struct place hidden = {0};

	pthread_mutex_lock(&r->lock);
	for (uint64_t word = va / 4; bytes && word <= (va + bytes - 1) / 4 && !hidden.writer;
	     word++)
		if (is_hidden(w, place_of(r, word), word))
			hidden = *place_of(r, word);
	pthread_mutex_unlock(&r->lock);
	if (hidden.writer)
		amd_wave_fault(w, lane, MODEL_FAULT_HAZARD, va,
			       "the word at 0x%llx was written at 0x%llx by wave %u of workgroup "
			       "%u,%u,%u before %s was "
			       "waited for there",
			       (unsigned long long)hidden.word * 4, (unsigned long long)hidden.pc,
			       hidden.writer->wave, hidden.writer->group[0],
			       hidden.writer->group[1], hidden.writer->group[2],
			       names[hidden.counter]);
	return !hidden.writer;
}
