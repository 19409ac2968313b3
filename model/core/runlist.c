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
	struct model_runlist *t = calloc(1, sizeof(*t));

	*out = t;
	if (!t)
		return -ENOMEM;
	t->held = held;
	t->last = &t->first;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->change, NULL);
	return 0;
}

void model_runlist_destroy(struct model_runlist *t)
{
	if (!t)
		return;
	pthread_cond_destroy(&t->change);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static bool slice_expired(const struct model_runlist *t, const struct model_channel *c)
{
	return !t->held && t->first &&
	       model_nanoseconds() - t->since_ns >= c->config.slice_us * 1000ull;
}

static bool may_run(struct model_runlist *t, const struct model_channel *c,
		    const struct waiter *self)
{
	if (t->inside)
		return t->group == c->config.group && !slice_expired(t, c);
	return !t->first || t->first == self;
}

static void unlink_waiter(struct model_runlist *t, struct waiter *self)
{
	struct waiter **at = &t->first;

	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	if (t->last == &self->next)
		t->last = at;
}

static bool enter_runlist(struct model_runlist *t, struct model_channel *c)
{
	struct waiter self = {0};
	bool scheduled = may_run(t, c, NULL);

	if (!scheduled) {
		*t->last = &self;
		t->last = &self.next;
		while (!atomic_load(&c->stop) && !(scheduled = may_run(t, c, &self)))
			pthread_cond_wait(&t->change, &t->lock);
		unlink_waiter(t, &self);
		pthread_cond_broadcast(&t->change);
	}
	if (!scheduled)
		return false;
	if (!t->inside++) {
		t->group = c->config.group;
		t->since_ns = model_nanoseconds();
	}
	return true;
}

/* Waits for the channel's time slice. Returns false if the channel was stopped first. */
bool runlist_acquire(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;
	bool scheduled;

	if (!t)
		return true;
	pthread_mutex_lock(&t->lock);
	scheduled = enter_runlist(t, c);
	pthread_mutex_unlock(&t->lock);
	return scheduled;
}

void runlist_release(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->inside--;
	pthread_cond_broadcast(&t->change);
	pthread_mutex_unlock(&t->lock);
}

/* Yields the engine if the time slice has expired and other groups wait. The channel's thread
 * leaves the address space (as an MMU reader) while it waits and always enters it again. */
void runlist_yield(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	bool expired = slice_expired(t, c);

	pthread_mutex_unlock(&t->lock);
	if (!expired)
		return;
	/* Takes a lock whose holder may wait for readers: not under t->lock. */
	mmu_leave(&c->reader);
	pthread_mutex_lock(&t->lock);
	t->inside--;
	pthread_cond_broadcast(&t->change);
	if (!enter_runlist(t, c))
		t->inside++; /* stopped: runlist_release() balances this */
	pthread_mutex_unlock(&t->lock);
	mmu_enter(&c->reader, c->space);
}

/* Wakes a stopped channel that may wait for its time slice. */
void runlist_wake(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->change);
	pthread_mutex_unlock(&t->lock);
}
