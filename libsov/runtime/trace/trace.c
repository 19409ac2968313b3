/* SPDX-License-Identifier: MIT */
/*
 * The trace, and how events get into it. Every thread has a ring of its own, into which it puts
 * events without a lock; one thread of the library empties all rings into the file ten times a
 * second, and sooner when one is half full. A ring that is full loses events, and how many is
 * written down. When the process ends in peace the rest is written; when it does not, the file ends
 * a tenth of a second before.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libsov/runtime/trace/trace.h"

#define RING_EVENTS 32768u /* 3.5 MiB of address space for each thread, touched when needed */
#define REST_NS     UINT64_C(100000000)

struct ring {
	struct ring *next;
	uint32_t thread;
	char name[16];
	bool named;        /* in the file */
	_Atomic bool left; /* its thread has ended */
	_Alignas(64) _Atomic uint32_t put;
	_Alignas(64) _Atomic uint32_t taken;
	_Atomic uint64_t lost;
	uint64_t told; /* of those */
	struct trace_event events[RING_EVENTS];
};

static struct {
	pthread_mutex_t lock; /* of the list of rings */
	struct ring *rings;
	pthread_key_t key;
	pthread_t writer;
	sem_t wake;
	pid_t process;
	_Atomic bool closing;
	uint64_t unheard; /* events of threads that got no ring; the lock's */
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint8_t trace_on;
_Thread_local struct trace_expected trace_expected;
static _Thread_local struct ring *ring;

/* ---- threads that put ---- */

/* From here on the ring is the writer's to free; what the thread still calls gets another. */
static void leave(void *mine)
{
	ring = NULL;
	atomic_store(&((struct ring *)mine)->left, true);
}

static struct ring *my_ring(void)
{
	struct ring *r;

	if (ring)
		return ring;
	r = aligned_alloc(_Alignof(struct ring), sizeof(*r));
	pthread_mutex_lock(&trace.lock);
	if (r) {
		memset(r, 0, offsetof(struct ring, events));
		r->thread = (uint32_t)syscall(SYS_gettid);
		pthread_getname_np(pthread_self(), r->name, sizeof(r->name));
		r->next = trace.rings;
		trace.rings = r;
	} else {
		trace.unheard++;
	}
	pthread_mutex_unlock(&trace.lock);
	if (r)
		pthread_setspecific(trace.key, r);
	return ring = r;
}

uint32_t trace_thread(void)
{
	struct ring *r = my_ring();

	return r ? r->thread : 0;
}

void trace_put(const struct trace_event *e)
{
	struct ring *r = my_ring();
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
		sem_post(&trace.wake);
}

void trace_call(const struct api_call *call, const uint64_t *values, uint64_t from, uint64_t to,
		sov_result r)
{
	struct trace_event e = {
		.kind = TRACE_CALLED,
		.name = call->name,
		.start = from,
		.end = to,
		.thread = trace_thread(),
		.called = {.call = call, .result = r},
	};

	memcpy(e.called.values, values, call->count * sizeof(*values));
	trace_put(&e);
}

void trace_function(uint64_t from, uint64_t to)
{
	struct trace_event e = {
		.kind = TRACE_FUNCTION,
		.name = "host function",
		.start = from,
		.end = to,
		.thread = trace_thread(),
	};

	trace_put(&e);
}

/* ---- the thread that takes ---- */

static void empty(struct ring *r)
{
	uint32_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
	uint32_t put = atomic_load_explicit(&r->put, memory_order_acquire);
	uint64_t lost = atomic_load_explicit(&r->lost, memory_order_relaxed);

	if (!r->named)
		trace_file_thread(r->thread, r->name);
	r->named = true;
	for (; taken != put; taken++) {
		trace_file_event(&r->events[taken % RING_EVENTS]);
		atomic_store_explicit(&r->taken, taken + 1, memory_order_release);
	}
	if (lost != r->told)
		trace_file_lost(lost - r->told);
	r->told = lost;
}

static void empty_all(void)
{
	struct ring **p, *r;

	pthread_mutex_lock(&trace.lock);
	if (trace.unheard)
		trace_file_lost(trace.unheard);
	trace.unheard = 0;
	for (p = &trace.rings; (r = *p);) {
		bool left = atomic_load(&r->left);

		empty(r);
		if (left) {
			*p = r->next;
			free(r);
		} else {
			p = &r->next;
		}
	}
	pthread_mutex_unlock(&trace.lock);
}

static void *write_on(void *unused)
{
	uint64_t when;
	struct timespec t;

	pthread_setname_np(pthread_self(), "sov-trace");
	while (!atomic_load(&trace.closing)) {
		trace_gpu_clocks();
		trace_gpu_collect(trace_file_event, false);
		empty_all();
		trace_file_flush();
		clock_gettime(CLOCK_REALTIME, &t);
		when = (uint64_t)t.tv_nsec + REST_NS;
		t.tv_sec += (time_t)(when / 1000000000);
		t.tv_nsec = (long)(when % 1000000000);
		while (sem_timedwait(&trace.wake, &t) && errno == EINTR)
			;
	}
	return unused;
}

/* ---- coming and going ---- */

/* Work of the GPU that goes on now is written as cut. Whoever puts events from here on puts them
 * into rings that nobody reads. A child of the process has the parent's file, and no thread that
 * writes. */
static void finish(void)
{
	if (getpid() != trace.process)
		return;
	__atomic_store_n(&trace_on, 0, __ATOMIC_RELAXED);
	api_watch();
	atomic_store(&trace.closing, true);
	sem_post(&trace.wake);
	pthread_join(trace.writer, NULL);
	trace_gpu_clocks();
	trace_gpu_collect(trace_file_event, true);
	empty_all();
	trace_file_flush();
	trace_file_close();
}

static void in_child(void)
{
	__atomic_store_n(&trace_on, 0, __ATOMIC_RELAXED);
	api_watch();
}

sov_result trace_init(void)
{
	const char *path = getenv("SOV_TRACE");
	sov_result r;

	if (!path || !*path || tracing())
		return SOV_OK;
	r = trace_file_open(path);
	if (r)
		return r;
	trace.process = getpid();
	if (sem_init(&trace.wake, 0, 0) || pthread_key_create(&trace.key, leave) ||
	    pthread_create(&trace.writer, NULL, write_on, NULL)) {
		trace_file_close();
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "SOV_TRACE: no thread to write it");
	}
	atexit(finish);
	pthread_atfork(NULL, NULL, in_child);
	__atomic_store_n(&trace_on, 1, __ATOMIC_RELAXED);
	return SOV_OK;
}
