// SPDX-License-Identifier: MIT
/*
 * Sleeping until work completes. With user queues the driver counts the device's interrupts and
 * wakes every waiter whose count is older. With kernel queues each ioctl signals a point of its
 * queue's timeline; the group's interrupt count is the number of signalled points. A waiter whose
 * count is older returns immediately, any other sleeps until a queue signals its next point.
 */
#include <errno.h>
#include <time.h>
#include "libsov/runtime/base/clock.h"
#include "libsov/winsys/kmod/kmod.h"

#define MAX_TIMELINES 64 /* per ioctl; a waiter finds progress of further queues by its timeout */

struct pending {
	uint32_t count;
	struct winsys_queue *queues[MAX_TIMELINES]; /* valid while group->lock is held */
	uint32_t handles[MAX_TIMELINES];
	uint64_t points[MAX_TIMELINES];
};

/* The queues with incomplete work and the next point of each. Called with g->lock held. */
static void find_pending(struct winsys_group *g, struct pending *p)
{
	struct winsys_queue *q;

	p->count = 0;
	for (q = g->queues; q && p->count < MAX_TIMELINES; q = q->next) {
		if (q->completed >= q->submitted)
			continue;
		p->queues[p->count] = q;
		p->handles[p->count] = q->syncobj;
		p->points[p->count++] = q->completed + 1;
	}
}

/* Updates the completed points. Called with g->lock held. */
static void query_points(struct winsys_group *g, struct pending *p)
{
	uint32_t i;

	if (!p->count || kmod_os->syncobj_query(g->device->fd, p->handles, p->points, p->count))
		return;
	for (i = 0; i < p->count; i++)
		if (p->points[i] > p->queues[i]->completed)
			p->queues[i]->completed = p->points[i];
}

static uint32_t interrupt_count(const struct winsys_group *g)
{
	const struct winsys_queue *q;
	uint64_t sum = g->retired_points;

	for (q = g->queues; q; q = q->next)
		sum += q->completed;
	return (uint32_t)sum;
}

static void sleep_until(uint64_t end)
{
	struct timespec t = {(time_t)(end / 1000000000), (long)(end % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void wait_interrupt(struct winsys_device *d, uint32_t *seen, uint64_t end)
{
	struct drm_sovgpu_interrupt_wait w = {.count = *seen, .deadline_ns = (int64_t)end};
	int error =
		kmod_ioctl(d->fd, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &w, "waiting for an interrupt");

	if (!error) {
		*seen = w.count;
		return;
	}
	(void)winsys_take_error();
	if (error != -ETIME) /* the caller will find that the device is gone */
		sleep_until(end);
}

void kmod_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds)
{
	uint64_t end = now_ns() + nanoseconds;
	struct pending p;
	uint32_t before = *seen;

	if (g->device->user_queues) {
		wait_interrupt(g->device, seen, end);
		return;
	}
	pthread_mutex_lock(&g->lock);
	find_pending(g, &p);
	query_points(g, &p);
	*seen = interrupt_count(g);
	find_pending(g, &p);
	pthread_mutex_unlock(&g->lock);
	if (*seen != before)
		return;
	/* The ioctl fails if another thread destroys a queue during it; sleep then, as when there
	 * is nothing to wait for. */
	if (!p.count || (kmod_os->syncobj_timeline_wait(g->device->fd, p.handles, p.points, p.count,
							(int64_t)end, 0, NULL) &&
			 now_ns() < end))
		sleep_until(end);
}
