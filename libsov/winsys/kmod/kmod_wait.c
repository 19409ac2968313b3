/* SPDX-License-Identifier: MIT */
/*
 * Sleeping until work is done. Where processes have rings of their own the driver counts the
 * device's interrupts, and wakes whoever has not seen the last. Where work goes by calls, each queue
 * has a timeline on which every call that took work signals a point; a group's interrupts are all
 * the points that were signalled. Who has not seen all of them returns at once, who has sleeps
 * until any queue signals its next.
 */
#include <errno.h>
#include <time.h>
#include "libsov/winsys/kmod/kmod.h"

#define AT_ONCE 64 /* timelines that one call looks at; with more, some are found by time alone */

uint64_t kmod_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct pending {
	uint32_t count;
	struct winsys_queue *queues[AT_ONCE]; /* with the group's lock alone */
	uint32_t handles[AT_ONCE];
	uint64_t points[AT_ONCE];
};

/* With the group's lock held: queues with work, and the point that is next on each. */
static void find_pending(struct winsys_group *g, struct pending *p)
{
	struct winsys_queue *q;

	p->count = 0;
	for (q = g->queues; q && p->count < AT_ONCE; q = q->next) {
		if (q->done >= q->submitted)
			continue;
		p->queues[p->count] = q;
		p->handles[p->count] = q->syncobj;
		p->points[p->count++] = q->done + 1;
	}
}

/* With the group's lock held: what was signalled since. */
static void look(struct winsys_group *g, struct pending *p)
{
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)p->handles,
		.points = (uintptr_t)p->points,
		.count_handles = p->count,
	};
	uint32_t i;

	if (!p->count ||
	    kmod_call(g->device->file, DRM_IOCTL_SYNCOBJ_QUERY, &a, "asking timelines")) {
		(void)winsys_take_error();
		return;
	}
	for (i = 0; i < p->count; i++)
		if (p->points[i] > p->queues[i]->done)
			p->queues[i]->done = p->points[i];
}

static uint32_t interrupts(const struct winsys_group *g)
{
	const struct winsys_queue *q;
	uint64_t sum = g->retired;

	for (q = g->queues; q; q = q->next)
		sum += q->done;
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
		kmod_call(d->file, DRM_IOCTL_SOVGPU_INTERRUPT_WAIT, &w, "waiting for an interrupt");

	if (!error) {
		*seen = w.count;
		return;
	}
	(void)winsys_take_error();
	if (error != -ETIME) /* a device that is gone is found by who looks */
		sleep_until(end);
}

void kmod_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds)
{
	uint64_t end = kmod_now() + nanoseconds;
	struct drm_syncobj_timeline_wait w = {.timeout_nsec = (int64_t)end};
	struct pending p;
	uint32_t before = *seen;

	if (g->device->user_queues) {
		wait_interrupt(g->device, seen, end);
		return;
	}
	pthread_mutex_lock(&g->lock);
	find_pending(g, &p);
	look(g, &p);
	*seen = interrupts(g);
	find_pending(g, &p);
	pthread_mutex_unlock(&g->lock);
	if (*seen != before)
		return;
	w.handles = (uintptr_t)p.handles;
	w.points = (uintptr_t)p.points;
	w.count_handles = p.count;
	/* A timeline whose queue another thread destroys meanwhile is refused, and then time passes
	 * as it does when nothing is to be waited for. */
	if (!p.count || (kmod_call(g->device->file, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &w,
				   "waiting for timelines") &&
			 kmod_now() < end)) {
		(void)winsys_take_error();
		sleep_until(end);
	}
}
