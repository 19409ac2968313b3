// SPDX-License-Identifier: MIT
/*
 * Ring buffers of trace events, one per thread: a thread appends without a lock, and the writer
 * thread removes (single producer, single consumer). A full ring counts lost events.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime/trace/trace_file.h"
#include "libsov/runtime/trace/trace_ring.h"

#define RING_EVENTS 32768u /* 3.5 MiB of address space per thread, touched on use */

struct ring {
	struct ring *next;
	uint32_t thread;
	char name[16];
	bool named;        /* its name is in the file */
	_Atomic bool left; /* its thread has ended */
	_Alignas(64) _Atomic uint32_t put;
	_Alignas(64) _Atomic uint32_t taken;
	_Atomic uint64_t lost;
	uint64_t lost_reported; /* lost events that the file reports */
	struct trace_event events[RING_EVENTS];
};

static struct {
	pthread_mutex_t lock; /* of the list of rings */
	struct ring *list;
	pthread_key_t key;
	sem_t wake;
	uint64_t ringless; /* events of threads that got no ring; guarded by the lock */
} rings = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint8_t trace_on;
_Thread_local struct trace_expected trace_expected;
static _Thread_local struct ring *ring;

/* ---- producers ---- */

/* The writer thread frees the ring; calls that the ending thread still makes get another one. */
static void ring_leave(void *mine)
{
	ring = NULL;
	atomic_store(&((struct ring *)mine)->left, true);
}

static struct ring *ring_of_thread(void)
{
	struct ring *r;

	if (ring)
		return ring;
	r = aligned_alloc(_Alignof(struct ring), sizeof(*r));
	pthread_mutex_lock(&rings.lock);
	if (r) {
		memset(r, 0, offsetof(struct ring, events));
		r->thread = (uint32_t)syscall(SYS_gettid);
		pthread_getname_np(pthread_self(), r->name, sizeof(r->name));
		r->next = rings.list;
		rings.list = r;
	} else {
		rings.ringless++;
	}
	pthread_mutex_unlock(&rings.lock);
	if (r)
		pthread_setspecific(rings.key, r);
	return ring = r;
}

uint32_t trace_thread(void)
{
	struct ring *r = ring_of_thread();

	return r ? r->thread : 0;
}

void trace_put(const struct trace_event *e)
{
	struct ring *r = ring_of_thread();
	uint32_t put, held;

	if (!r)
		return;
	put = atomic_load_explicit(&r->put, memory_order_relaxed);
	held = put - atomic_load_explicit(&r->taken, memory_order_acquire);
	if (held == RING_EVENTS) {
		atomic_fetch_add_explicit(&r->lost, 1, memory_order_relaxed);
		return;
	}
	r->events[put % RING_EVENTS] = *e;
	atomic_store_explicit(&r->put, put + 1, memory_order_release);
	if (held == RING_EVENTS / 2)
		sem_post(&rings.wake);
}

void trace_call(const struct call_info *info, const uint64_t *values, uint64_t from, uint64_t to,
		sov_result r)
{
	struct trace_event e = {
		.kind = TRACE_CALL,
		.name = info->name,
		.start = from,
		.end = to,
		.thread = trace_thread(),
		.call = {.info = info, .result = r},
	};

	memcpy(e.call.values, values, info->count * sizeof(*values));
	trace_put(&e);
}

void trace_host_function(uint64_t from, uint64_t to)
{
	struct trace_event e = {
		.kind = TRACE_HOST_FUNCTION,
		.name = "host function",
		.start = from,
		.end = to,
		.thread = trace_thread(),
	};

	trace_put(&e);
}

/* ---- the consumer ---- */

static void ring_empty(struct ring *r, void (*write_event)(const struct trace_event *e))
{
	uint32_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
	uint32_t put = atomic_load_explicit(&r->put, memory_order_acquire);
	uint64_t lost = atomic_load_explicit(&r->lost, memory_order_relaxed);

	if (!r->named)
		trace_file_thread(r->thread, r->name);
	r->named = true;
	for (; taken != put; taken++) {
		write_event(&r->events[taken % RING_EVENTS]);
		atomic_store_explicit(&r->taken, taken + 1, memory_order_release);
	}
	if (lost != r->lost_reported)
		trace_file_lost(lost - r->lost_reported);
	r->lost_reported = lost;
}

void trace_rings_empty(void (*write_event)(const struct trace_event *e))
{
	struct ring **p, *r;

	pthread_mutex_lock(&rings.lock);
	if (rings.ringless)
		trace_file_lost(rings.ringless);
	rings.ringless = 0;
	for (p = &rings.list; (r = *p);) {
		bool left = atomic_load(&r->left);

		ring_empty(r, write_event);
		if (left) {
			*p = r->next;
			free(r);
		} else {
			p = &r->next;
		}
	}
	pthread_mutex_unlock(&rings.lock);
}

bool trace_rings_init(void)
{
	return !sem_init(&rings.wake, 0, 0) && !pthread_key_create(&rings.key, ring_leave);
}

void trace_rings_wait(uint64_t ns)
{
	uint64_t when;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	when = (uint64_t)t.tv_nsec + ns;
	t.tv_sec += (time_t)(when / 1000000000);
	t.tv_nsec = (long)(when % 1000000000);
	while (sem_timedwait(&rings.wake, &t) && errno == EINTR)
		;
}

void trace_rings_wake(void)
{
	sem_post(&rings.wake);
}
