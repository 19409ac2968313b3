// SPDX-License-Identifier: MIT
/*
 * Sleeping until the GPU interrupts. RM signals OS events on a file that poll() waits for. There is
 * one file per GPU, because events distinguish engines but not groups. The first thread that waits
 * polls for all; the others sleep on a condition variable. RM clears an event without data as soon
 * as one poll() has returned it, so a counter tells the other threads about it.
 */
#include <errno.h>
#include <time.h>
#include "libsov/winsys/nvrm/nvrm.h"

#define MAX_SLEEP_NS UINT64_C(1000000000) /* the caller checks its semaphores again */

static int event_create(struct winsys_device *d, uint32_t index, const char *what)
{
	struct rm_event_parameters e = {
		.client = d->rm->client,
		.source = d->subdevice,
		.class = RM_CLASS_OS_EVENT,
		.index = index | RM_EVENT_NO_DATA,
		.file = (uint64_t)d->event_file,
	};
	uint32_t handle;

	return rm_alloc(&d->event_scope, d->subdevice, RM_CLASS_OS_EVENT, &e, sizeof(e), &handle,
			what);
}

static int events_create(struct winsys_device *d)
{
	struct rm_os_event e = {
		.client = d->rm->client,
		.device = d->device,
		.file = d->event_file,
	};
	struct rm_notify errors = {.event = RM_EVENT_ERROR, .action = RM_NOTIFY_REPEAT};
	int control = d->rm->file;
	int error = rm_ioctl(d->event_file, RM_IOCTL_REGISTER_FILE, &control, sizeof(control),
			     "an event file");

	if (!error)
		error = rm_ioctl(d->event_file, RM_IOCTL_OS_EVENT, &e, sizeof(e), "an OS event");
	if (!error && e.status)
		error = -EIO;
	if (!error)
		error = event_create(d, RM_EVENT_GRAPHICS | RM_EVENT_NON_STALL, "a compute event");
	if (!error)
		error = event_create(d, RM_EVENT_ERROR, "an error event");
	if (!error)
		error = rm_control(d->rm, d->subdevice, RM_CONTROL_NOTIFY, &errors, sizeof(errors),
				   "error notifications");
	return error;
}

/* Called with the device's lock held. */
static int events_enable(struct winsys_device *d)
{
	int error = 0;

	if (!d->has_events) {
		d->event_file = nvrm_os->open(d->path);
		if (d->event_file < 0)
			return -errno;
		d->has_events = true;
		d->event_scope.rm = d->rm;
		error = events_create(d);
	}
	/* The copy engine may have been chosen since the last call. */
	if (!error && d->copy_engine && !d->has_copy_event) {
		uint32_t index = RM_EVENT_COPY0 + d->copy_engine - RM_ENGINE_COPY0;

		error = event_create(d, index | RM_EVENT_NON_STALL, "a copy event");
		d->has_copy_event = !error;
	}
	if (error)
		nvrm_events_destroy(d);
	return error;
}

void nvrm_events_destroy(struct winsys_device *d)
{
	if (!d->has_events)
		return;
	rm_unwind(&d->event_scope, 0);
	nvrm_os->close(d->event_file);
	d->has_events = d->has_copy_event = false;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	nanosleep(&t, NULL);
}

/* Called with the lock held while another thread polls. */
static void wait_for_poller(struct winsys_device *d, uint32_t seen, uint64_t ns)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	ns += (uint64_t)end.tv_nsec;
	end.tv_sec += (time_t)(ns / 1000000000);
	end.tv_nsec = (long)(ns % 1000000000);
	while (d->polling && d->interrupts == seen)
		if (pthread_cond_timedwait(&d->poll_done, &d->lock, &end))
			break;
}

/* Called with the lock held; drops it while polling. */
static void poll_for_all(struct winsys_device *d, uint64_t ns)
{
	int n;

	d->polling = true;
	pthread_mutex_unlock(&d->lock);
	n = nvrm_os->poll(d->event_file, ns);
	pthread_mutex_lock(&d->lock);
	d->polling = false;
	d->interrupts += n > 0;
	pthread_cond_broadcast(&d->poll_done);
}

void nvrm_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds)
{
	struct winsys_device *d = g->device;
	uint64_t ns = nanoseconds < MAX_SLEEP_NS ? nanoseconds : MAX_SLEEP_NS;

	pthread_mutex_lock(&d->lock);
	if (events_enable(d)) {
		/* Without events, sleep for a short time: the caller polls. */
		(void)winsys_take_error();
		pthread_mutex_unlock(&d->lock);
		sleep_ns(ns < 100000 ? ns : 100000);
		return;
	}
	if (d->interrupts == *seen) {
		if (d->polling)
			wait_for_poller(d, *seen, ns);
		else
			poll_for_all(d, ns);
	}
	*seen = d->interrupts;
	pthread_mutex_unlock(&d->lock);
}
