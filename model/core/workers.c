// SPDX-License-Identifier: MIT
/* Worker threads that execute the blocks of grids. The launching thread works on its grid too, so
 * that a grid makes progress even when another one, perhaps endless, occupies all helpers. Helpers
 * serve the most urgent grid: a helper starts no more blocks of its grid once a more urgent one
 * waits. */
#include <errno.h>
#include <fenv.h>
#include <stdlib.h>

#include "model/core/model_internal.h"

#define NO_PRIORITY INT32_MIN

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct work *queue;  /* grids that may have blocks to start, by descending priority */
	_Atomic int32_t top; /* priority of the first one; NO_PRIORITY: the queue is empty */
	bool ending;
	uint32_t count;
	pthread_t threads[];
};

static void update_top_priority(struct workers *w)
{
	atomic_store_explicit(&w->top, w->queue ? w->queue->priority : NO_PRIORITY,
			      memory_order_relaxed);
}

/* Inserts before grids of equal priority: later grids are usually shorter. */
static void queue_insert(struct workers *w, struct work *work)
{
	struct work **at = &w->queue;

	while (*at && (*at)->priority > work->priority)
		at = &(*at)->next;
	work->next = *at;
	*at = work;
	update_top_priority(w);
}

static void queue_remove(struct workers *w, struct work *work)
{
	for (struct work **at = &w->queue; *at; at = &(*at)->next) {
		if (*at != work)
			continue;
		*at = work->next;
		break;
	}
	update_top_priority(w);
}

bool workers_should_yield(const struct workers *w, const struct work *work)
{
	return atomic_load_explicit(&w->top, memory_order_relaxed) > work->priority;
}

static void *helper_main(void *arg)
{
	struct workers *w = arg;

	fesetenv(FE_DFL_ENV); /* not that of the application's thread */
	pthread_mutex_lock(&w->lock);
	while (!w->ending) {
		struct work *work = w->queue;

		if (!work) {
			pthread_cond_wait(&w->work, &w->lock);
			continue;
		}
		work->helpers++;
		pthread_mutex_unlock(&w->lock);
		grid_run_blocks(work, w);
		pthread_mutex_lock(&w->lock);
		if (atomic_load(&work->started) >= work->blocks ||
		    atomic_load(&work->channel->stop))
			queue_remove(w, work);
		work->helpers--;
		pthread_cond_broadcast(&w->done);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void workers_run(struct workers *w, struct work *work)
{
	bool shared = work->blocks > 1 && w->count;

	work->launch = ++work->channel->launches;
	atomic_fetch_add(&work->channel->grids, 1);
	if (shared) {
		pthread_mutex_lock(&w->lock);
		queue_insert(w, work);
		pthread_cond_broadcast(&w->work);
		pthread_mutex_unlock(&w->lock);
	}
	grid_run_blocks(work, NULL);
	if (shared) {
		pthread_mutex_lock(&w->lock);
		queue_remove(w, work);
		while (work->helpers)
			pthread_cond_wait(&w->done, &w->lock);
		pthread_mutex_unlock(&w->lock);
	}
	atomic_fetch_sub(&work->channel->grids, 1);
}

int workers_create(uint32_t threads, struct workers **out)
{
	uint32_t helpers = threads ? threads - 1 : 0;
	struct workers *w = calloc(1, sizeof(*w) + helpers * sizeof(w->threads[0]));

	*out = NULL;
	if (!w)
		return -ENOMEM;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->done, NULL);
	update_top_priority(w);
	for (; w->count < helpers; w->count++) {
		int status = pthread_create(&w->threads[w->count], NULL, helper_main, w);

		if (status) {
			workers_destroy(w);
			return -status;
		}
	}
	*out = w;
	return 0;
}

void workers_destroy(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (uint32_t i = 0; i < w->count; i++)
		pthread_join(w->threads[i], NULL);
	pthread_cond_destroy(&w->done);
	pthread_cond_destroy(&w->work);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
