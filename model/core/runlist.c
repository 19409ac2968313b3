// SPDX-License-Identifier: MIT
/* A runlist: groups of channels share its engine by time slices, round-robin. Channels of the
 * scheduled group run concurrently. A channel checks between methods, and while it waits for a
 * semaphore, whether its group's time slice has expired; a grid is never preempted. On a held
 * runlist a group keeps the engine until all its channels are idle, as if it ran a block that
 * cannot be preempted. */
#include <errno.h>
#include <stdlib.h>

#include "model/core/model_internal.h"

struct waiter {
	struct waiter *next;
};

struct model_runlist {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool held;
	uint64_t group, since_ns; /* the scheduled group, if inside is not 0 */
	uint32_t inside;          /* channels of that group on the engine */
	struct waiter *first, **last;
};

int model_runlist_create(bool held, struct model_runlist **out)
{
	struct model_runlist *runlist = calloc(1, sizeof(*runlist));

	*out = runlist;
	if (!runlist)
		return -ENOMEM;
	runlist->held = held;
	runlist->last = &runlist->first;
	pthread_mutex_init(&runlist->lock, NULL);
	pthread_cond_init(&runlist->change, NULL);
	return 0;
}

void model_runlist_destroy(struct model_runlist *runlist)
{
	if (!runlist)
		return;
	pthread_cond_destroy(&runlist->change);
	pthread_mutex_destroy(&runlist->lock);
	free(runlist);
}

static bool slice_expired(const struct model_runlist *runlist, const struct model_channel *c)
{
	return !runlist->held && runlist->first &&
	       model_nanoseconds() - runlist->since_ns >= c->config.slice_us * 1000ull;
}

static bool may_run(struct model_runlist *runlist, const struct model_channel *c,
		    const struct waiter *self)
{
	if (runlist->inside)
		return runlist->group == c->config.group && !slice_expired(runlist, c);
	return !runlist->first || runlist->first == self;
}

static void unlink_waiter(struct model_runlist *runlist, struct waiter *self)
{
	struct waiter **at = &runlist->first;

	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	if (runlist->last == &self->next)
		runlist->last = at;
}

static bool enter_runlist(struct model_runlist *runlist, struct model_channel *c)
{
	struct waiter self = {0};
	bool scheduled = may_run(runlist, c, NULL);

	if (!scheduled) {
		*runlist->last = &self;
		runlist->last = &self.next;
		while (!atomic_load(&c->stop) && !(scheduled = may_run(runlist, c, &self)))
			pthread_cond_wait(&runlist->change, &runlist->lock);
		unlink_waiter(runlist, &self);
		pthread_cond_broadcast(&runlist->change);
	}
	if (!scheduled)
		return false;
	if (!runlist->inside++) {
		runlist->group = c->config.group;
		runlist->since_ns = model_nanoseconds();
	}
	return true;
}

/* Waits for the channel's time slice. Returns false if the channel was stopped first. */
bool runlist_acquire(struct model_channel *c)
{
	struct model_runlist *runlist = c->config.runlist;
	bool scheduled;

	if (!runlist)
		return true;
	pthread_mutex_lock(&runlist->lock);
	scheduled = enter_runlist(runlist, c);
	pthread_mutex_unlock(&runlist->lock);
	return scheduled;
}

void runlist_release(struct model_channel *c)
{
	struct model_runlist *runlist = c->config.runlist;

	if (!runlist)
		return;
	pthread_mutex_lock(&runlist->lock);
	runlist->inside--;
	pthread_cond_broadcast(&runlist->change);
	pthread_mutex_unlock(&runlist->lock);
}

/* Yields the engine if the time slice has expired and other groups wait. The channel's thread
 * leaves the address space (as an MMU reader) while it waits and always enters it again. */
void runlist_yield(struct model_channel *c)
{
	struct model_runlist *runlist = c->config.runlist;

	if (!runlist)
		return;
	pthread_mutex_lock(&runlist->lock);
	bool expired = slice_expired(runlist, c);

	pthread_mutex_unlock(&runlist->lock);
	if (!expired)
		return;
	/* Takes a lock whose holder may wait for readers: not under t->lock. */
	mmu_leave(&c->reader);
	pthread_mutex_lock(&runlist->lock);
	runlist->inside--;
	pthread_cond_broadcast(&runlist->change);
	if (!enter_runlist(runlist, c))
		runlist->inside++; /* stopped: runlist_release() balances this */
	pthread_mutex_unlock(&runlist->lock);
	mmu_enter(&c->reader, c->space);
}

/* Wakes a stopped channel that may wait for its time slice. */
void runlist_wake(struct model_channel *c)
{
	struct model_runlist *runlist = c->config.runlist;

	if (!runlist)
		return;
	pthread_mutex_lock(&runlist->lock);
	pthread_cond_broadcast(&runlist->change);
	pthread_mutex_unlock(&runlist->lock);
}
