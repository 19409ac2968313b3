// SPDX-License-Identifier: MIT
/*
 * Groups, and events. A group has a signal event, which its queues' interrupts name. The process
 * has two more, for memory and hardware exceptions, which every wait includes: amdkfd reports an
 * exception by event only. After one, amdgpu does not run the process's queues on this GPU again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/runtime/base/log.h"
#include "libsov/winsys/kfd/kfd.h"

#define MAX_SLEEP_NS  UINT64_C(1000000000) /* the caller checks its semaphores again */
#define NS_PER_MS     1000000
#define RETRY_WAIT_NS 1000000

/* ---- events ---- */

/* slot: of a signal event. */
static int event_create(enum kfd_event_type type, bool auto_reset, uint64_t page, uint32_t *id,
			uint32_t *slot)
{
	struct kfd_create_event e = {.event_page = page, .type = type, .auto_reset = auto_reset};
	int error = kfd_ioctl(KFD_CREATE_EVENT, &e, "an event");

	if (error)
		return error;
	*id = e.event_id;
	if (slot && e.slot >= KFD_MAX_EVENTS) {
		struct kfd_destroy_event destroy = {.event_id = e.event_id};

		kfd_ioctl(KFD_DESTROY_EVENT, &destroy, "destroying an event");
		winsys_set_error("amdgpu: event slot %u; there are %u", e.slot, KFD_MAX_EVENTS);
		return -EPROTO;
	}
	if (slot)
		*slot = e.slot;
	return 0;
}

static void event_destroy(uint32_t *id)
{
	struct kfd_destroy_event e = {.event_id = *id};

	if (*id && kfd_ioctl(KFD_DESTROY_EVENT, &e, "destroying an event"))
		LOG(DEVICE, ERROR, "%s", winsys_take_error());
	*id = 0;
}

/* After an exception whose GPU is known to be lost: waits for others would return at once. Waiters
 * of the lost GPU do not sleep again. */
static void event_reset(uint32_t id)
{
	struct kfd_destroy_event e = {.event_id = id};

	if (kfd_ioctl(KFD_RESET_EVENT, &e, "resetting an event"))
		(void)winsys_take_error();
}

/* The event that brings the page. EINVAL after a failed call: amdkfd has the page already. */
static int first_event_create(void)
{
	bool again = kfd.event_page_offered;
	int error;

	kfd.event_page_offered = true;
	error = event_create(KFD_EVENT_MEMORY, false, kfd.event_page->handle, &kfd.memory_event,
			     NULL);
	if (error != -EINVAL || !again)
		return error;
	(void)winsys_take_error();
	return event_create(KFD_EVENT_MEMORY, false, 0, &kfd.memory_event, NULL);
}

/* Continues after the last step that succeeded. Exceptions stay signalled, so that every waiter
 * sees them. Called with the lock held. */
static int events_create(struct winsys_device *d)
{
	int error = 0;

	if (!kfd.event_page)
		error = kfd_buffer_new(d, WINSYS_SYSTEM, KFD_EVENT_PAGE_BYTES, &kfd.event_page);
	if (!error && !kfd.memory_event)
		error = first_event_create();
	if (!error && !kfd.hardware_event)
		error = event_create(KFD_EVENT_HARDWARE, false, 0, &kfd.hardware_event, NULL);
	kfd.has_events = !error;
	return error;
}

void kfd_events_destroy(void)
{
	event_destroy(&kfd.memory_event);
	event_destroy(&kfd.hardware_event);
	kfd_buffer_destroy(kfd.event_page);
	kfd.event_page = NULL;
	kfd.event_page_offered = kfd.has_events = false;
}

/* ---- groups ---- */

int kfd_group_create(struct winsys_device *d, struct winsys_group **out)
{
	struct winsys_group *g;
	uint32_t slot = 0;
	int error = kfd_device_acquire(d);

	if (error)
		return error;
	if (__atomic_load_n(&d->lost, __ATOMIC_ACQUIRE)) {
		winsys_set_error("amdgpu does not run this process on %s after: %.160s; start the "
				 "program again",
				 d->info.chip, d->error.text);
		return -EIO;
	}
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	g->device = d;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->waited, NULL);
	pthread_mutex_lock(&kfd.lock);
	error = kfd_trap_install(d);
	if (!error && !kfd.has_events)
		error = events_create(d);
	if (!error)
		error = kfd_buffer_map_on(kfd.event_page, d);
	if (!error)
		error = event_create(KFD_EVENT_SIGNAL, true, 0, &g->event_id, &slot);
	if (!error)
		g->mailbox = kfd.event_page->va + 8ull * slot;
	pthread_mutex_unlock(&kfd.lock);
	if (error)
		kfd_group_destroy(g);
	else
		*out = g;
	return error;
}

/* Nothing to do: DESTROY_QUEUE preempts running waves. */
void kfd_group_stop(struct winsys_group *g)
{
	(void)g;
}

void kfd_group_destroy(struct winsys_group *g)
{
	event_destroy(&g->event_id);
	pthread_cond_destroy(&g->waited);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

bool kfd_group_error(struct winsys_group *g, struct winsys_error *out)
{
	if (!__atomic_load_n(&g->device->lost, __ATOMIC_ACQUIRE))
		return false;
	*out = g->device->error;
	return true;
}

/* ---- exceptions ---- */

static void device_lose(struct winsys_device *d, const struct winsys_error *e)
{
	pthread_mutex_lock(&d->lock);
	if (!d->lost) {
		d->error = *e;
		__atomic_store_n(&d->lost, true, __ATOMIC_RELEASE);
		LOG(DEVICE, INFO, "%s: %s", d->info.chip, e->text);
	}
	pthread_mutex_unlock(&d->lock);
}

static void memory_exception(const struct kfd_event_data *data)
{
	struct winsys_device *d = kfd_device_of(data->memory.gpu_id);
	struct winsys_error e = {.memory = true, .address = data->memory.va};
	const char *why = data->memory.error_type    ? "its memory is faulty"
			  : data->memory.no_execute  ? "it is not executable"
			  : data->memory.read_only   ? "it is read-only"
			  : data->memory.not_present ? "it is not mapped"
						     : "the MMU rejected it";

	if (!d)
		return;
	if (data->memory.read_only)
		e.access = WINSYS_WRITE;
	snprintf(e.text, sizeof(e.text), "invalid %s in the page at 0x%llx: %s%s",
		 data->memory.read_only ? "write" : "access", (unsigned long long)e.address, why,
		 data->memory.imprecise ? "; the address is not exact" : "");
	kfd_trap_describe(d, &e);
	device_lose(d, &e);
}

static void hardware_exception(const struct kfd_event_data *data)
{
	struct winsys_device *d = kfd_device_of(data->hardware.gpu_id);
	struct winsys_error e = {0};

	if (!d)
		return;
	snprintf(e.text, sizeof(e.text), "the GPU %s and was reset%s",
		 data->hardware.reset_cause == KFD_RESET_ECC ? "had a memory error (ECC)"
							     : "stopped responding",
		 data->hardware.memory_lost ? "; video memory is lost" : "");
	device_lose(d, &e);
}

/* ---- waiting ---- */

static void sleep_ns(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	nanosleep(&t, NULL);
}

/* Called with the lock held while another thread waits in the kernel. */
static void wait_for_waiter(struct winsys_group *g, uint32_t seen, uint64_t ns)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	ns += (uint64_t)end.tv_nsec;
	end.tv_sec += (time_t)(ns / 1000000000);
	end.tv_nsec = (long)(ns % 1000000000);
	while (g->waiting && g->interrupts == seen)
		if (pthread_cond_timedwait(&g->waited, &g->lock, &end))
			break;
}

/* Waits in the kernel; without the lock. */
static void wait_for_events(const struct winsys_group *g, uint64_t ns)
{
	struct kfd_event_data data[] = {{.event_id = g->event_id},
					{.event_id = kfd.memory_event},
					{.event_id = kfd.hardware_event}};
	struct kfd_wait_events w = {
		.events = (uintptr_t)data,
		.count = 3,
		.timeout_ms = (uint32_t)((ns + NS_PER_MS - 1) / NS_PER_MS),
	};

	if (kfd_ioctl(KFD_WAIT_EVENTS, &w, "a wait for events") || w.result == KFD_WAIT_FAIL) {
		(void)winsys_take_error();
		sleep_ns(ns < RETRY_WAIT_NS ? ns : RETRY_WAIT_NS); /* the caller polls */
		return;
	}
	/* A memory error (ECC) signals both; the reset says more. */
	if (data[2].hardware.gpu_id) {
		hardware_exception(&data[2]);
		event_reset(kfd.hardware_event);
	}
	if (data[1].memory.gpu_id) {
		memory_exception(&data[1]);
		event_reset(kfd.memory_event);
	}
}

void kfd_wait(struct winsys_group *g, uint32_t *seen, uint64_t nanoseconds)
{
	uint64_t ns = nanoseconds < MAX_SLEEP_NS ? nanoseconds : MAX_SLEEP_NS;

	pthread_mutex_lock(&g->lock);
	if (g->interrupts == *seen && !__atomic_load_n(&g->device->lost, __ATOMIC_ACQUIRE)) {
		if (g->waiting) {
			wait_for_waiter(g, *seen, ns);
		} else {
			g->waiting = true;
			pthread_mutex_unlock(&g->lock);
			wait_for_events(g, ns);
			pthread_mutex_lock(&g->lock);
			g->waiting = false;
			g->interrupts++;
			pthread_cond_broadcast(&g->waited);
		}
	}
	*seen = g->interrupts;
	pthread_mutex_unlock(&g->lock);
}
