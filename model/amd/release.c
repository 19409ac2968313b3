// SPDX-License-Identifier: MIT
/* Hazard mode between waves: a wave's stores are visible to others only after the wave has waited
 * for them, as a release does before it signals. In the model stores are visible immediately, so a
 * plain load of a word that another wave has written without waiting is an error that names both. A
 * program without data races and missing waits never does that: the reader learns of the store
 * through a release, which waited. Loads that bypass the caches (GLC) and atomics are how waves
 * synchronise, and may read anything; what a compare-and-swap with result wrote may be read, too:
 * LLVM's compare-and-swap loops start with a plain load. Waves of one workgroup share L0 unless it
 * spans two compute units, so among them no wait is needed (LLVM's AMDGPU guide, "Memory Model
 * GFX10": release at workgroup scope, CU mode).
 *
 * A hash table holds the last writer of each word; colliding words evict each other, so there are
 * misses but no false reports. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hw/amd/kernel_descriptor.h"
#include "model/amd/wave.h"

#define WORDS     (1u << 14)
#define MAX_WAVES (1u << 20) /* tracked waves; stores of later ones are not tracked */

struct amd_writer {
	struct amd_writer *next;
	_Atomic uint64_t done[AMD_COUNTERS];
	uint32_t group[3], wave;
};

struct written_word {
	uint64_t word;                   /* address / 4 */
	const struct amd_writer *writer; /* NULL: none */
	uint64_t number, pc;
	uint32_t counter;
};

struct release {
	pthread_mutex_t lock;
	struct amd_writer *writers;
	uint32_t count;
	struct written_word words[WORDS];
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

static struct written_word *find_word(struct release *r, uint64_t word)
{
	return &r->words[(word * 0x9e3779b97f4a7c15 >> 40) % WORDS];
}

/* Creates the wave's table entry; NULL: the wave is not tracked. The caller holds the lock. */
static struct amd_writer *track_wave(struct wave *w, struct release *r)
{
	struct amd_writer *me = r->count < MAX_WAVES ? calloc(1, sizeof(*me)) : NULL;

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
		w->writer = track_wave(w, r);
	number = amd_hazard_issued(w, counter);
	for (uint64_t word = va / 4; w->writer && bytes && word <= (va + bytes - 1) / 4; word++)
		*find_word(r, word) =
			(struct written_word){word, w->writer, number, w->pc, counter};
	pthread_mutex_unlock(&r->lock);
}

void amd_release_waited(struct wave *w, uint32_t counter, uint64_t done)
{
	if (w->writer)
		atomic_store_explicit(&w->writer->done[counter], done, memory_order_relaxed);
}

static bool is_not_visible(const struct wave *w, const struct written_word *written, uint64_t word)
{
	const struct amd_writer *other = written->writer;

	if (written->word != word || !other || other == w->writer ||
	    atomic_load_explicit(&other->done[written->counter], memory_order_relaxed) >=
		    written->number)
		return false;
	return w->grid->rsrc1 & AMD_RSRC1_WGP_MODE ||
	       memcmp(other->group, w->group->id, sizeof(other->group));
}

bool amd_release_read(struct wave *w, uint32_t lane, uint64_t va, uint32_t bytes)
{
	static const char *const names[AMD_COUNTERS] = {"vmcnt", "lgkmcnt", "vscnt"};
	struct release *r = w->grid->release;
	struct written_word hidden = {0};

	pthread_mutex_lock(&r->lock);
	for (uint64_t word = va / 4; bytes && word <= (va + bytes - 1) / 4 && !hidden.writer;
	     word++)
		if (is_not_visible(w, find_word(r, word), word))
			hidden = *find_word(r, word);
	pthread_mutex_unlock(&r->lock);
	if (hidden.writer)
		amd_wave_fault(w, lane, MODEL_FAULT_HAZARD, va,
			       "the word at 0x%llx was written at 0x%llx by wave %u of workgroup "
			       "%u,%u,%u, which had not "
			       "waited for %s",
			       (unsigned long long)hidden.word * 4, (unsigned long long)hidden.pc,
			       hidden.writer->wave, hidden.writer->group[0],
			       hidden.writer->group[1], hidden.writer->group[2],
			       names[hidden.counter]);
	return !hidden.writer;
}
