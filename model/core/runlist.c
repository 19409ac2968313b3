/* SPDX-License-Identifier: MIT */
/*
 * Turns: channels of a runlist whose groups have its engine one after the other, for as long as a time slice is.
 * Channels of the group whose turn it is run beside each other. A channel asks between its methods, and while it
 * waits for a semaphore, whether its group's turn is over; a grid is never interrupted. Where runlist are held a
 * group keeps the engine until it has nothing to do, as if it ran a block that cannot be preempted.
 */
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
	uint64_t group, since_ns; /* whose turn it is, if anybody is inside */
	uint32_t inside;          /* its channels */
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

static bool over(const struct model_runlist *t, const struct model_channel *c)
{
	return !t->held && t->first &&
	       model_nanoseconds() - t->since_ns >= c->config.slice_us * 1000ull;
}

static bool may_enter(struct model_runlist *t, const struct model_channel *c,
		      const struct waiter *self)
{
	if (t->inside)
		return t->group == c->config.group && !over(t, c);
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

static bool enter(struct model_runlist *t, struct model_channel *c)
{
	struct waiter self = {0};
	bool mine = may_enter(t, c, NULL);

	if (!mine) {
		*t->last = &self;
		t->last = &self.next;
		while (!atomic_load(&c->stop) && !(mine = may_enter(t, c, &self)))
			pthread_cond_wait(&t->change, &t->lock);
		unlink_waiter(t, &self);
		pthread_cond_broadcast(&t->change);
	}
	if (!mine)
		return false;
	if (!t->inside++) {
		t->group = c->config.group;
		t->since_ns = model_nanoseconds();
	}
	return true;
}

/* Returns when it is the channel's turn; false: it was stopped before. */
bool runlist_acquire(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;
	bool mine;

	if (!t)
		return true;
	pthread_mutex_lock(&t->lock);
	mine = enter(t, c);
	pthread_mutex_unlock(&t->lock);
	return mine;
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

/*
 * Lets others have their turn when it is theirs. The channel's thread is a reader of its address space, and is none
 * while it waits; afterwards it is, whatever happened.
 */
void runlist_yield(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	bool theirs = over(t, c);

	pthread_mutex_unlock(&t->lock);
	if (!theirs)
		return;
	mmu_leave(&c->reader); /* takes a lock whose holder may wait for readers: not under ours */
	pthread_mutex_lock(&t->lock);
	t->inside--;
	pthread_cond_broadcast(&t->change);
	if (!enter(t, c))
		t->inside++; /* it was stopped, and ends its turn as usual */
	pthread_mutex_unlock(&t->lock);
	mmu_enter(&c->reader, c->space);
}

/* A channel was told to stop, and may wait for its turn. */
void runlist_wake(struct model_channel *c)
{
	struct model_runlist *t = c->config.runlist;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->change);
	pthread_mutex_unlock(&t->lock);
}
