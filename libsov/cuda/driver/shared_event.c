// SPDX-License-Identifier: MIT
/*
 * Events that processes share: in shared memory, the number of records that were asked for, and the
 * numbers of those that GPUs have reached. A wait for the event is a wait until the last record
 * that was asked for is reached. Records on several streams may be reached in any order, so each
 * writes its number to a word of its own, which a record SLOTS later takes again.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/cuda/driver/driver.h"

#define PAGE    4096
#define SLOTS   (PAGE / 8 - 1)
#define MAX_NAP 1000000L /* nanoseconds between two looks of a waiting thread */

_Static_assert(sizeof(CUipcEventHandle) == sizeof(sov_memory_handle),
	       "a handle holds that of sov.h");

/* The word that the GPU writes when it reaches record n. */
static uint64_t slot_of(uint64_t n)
{
	return 1 + n % SLOTS;
}

/* Maps the counters. On failure the memory is freed, also where the GPU cannot wait for it: a wait
 * for 0 shows that now, and not at the first record. */
static CUresult attach(CUevent event, sov_ptr memory)
{
	sov_context c = event->context->sov;
	sov_stream s;
	void *pointer;
	sov_result r = sov_memory_map(c, memory, &pointer);
	CUresult e;

	if (!r)
		r = sov_context_get_stream(c, &s);
	if (!r)
		r = sov_stream_wait_value(s, memory, 0, 8, SOV_WAIT_REACHED);
	e = cuda_context_result(event->context, r);
	if (e) {
		sov_memory_free(c, memory);
		return e;
	}
	event->shared = memory;
	event->counters = pointer;
	return CUDA_SUCCESS;
}

/* Frees the memory of destroyed events if no work can use it any more: of those alone that were
 * destroyed before the context was found idle. */
static void free_destroyed(CUcontext c)
{
	struct destroyed_event *list, **last = &list;
	bool idle;

	pthread_mutex_lock(&c->lock);
	list = c->destroyed_events;
	c->destroyed_events = NULL;
	pthread_mutex_unlock(&c->lock);
	idle = list && !sov_context_wait(c->sov, SOV_NO_WAIT);
	while (idle && list) {
		struct destroyed_event *next = list->next;

		sov_memory_free(c->sov, list->memory);
		free(list);
		list = next;
	}
	if (!list)
		return;
	while (*last)
		last = &(*last)->next;
	pthread_mutex_lock(&c->lock);
	*last = c->destroyed_events;
	c->destroyed_events = list;
	pthread_mutex_unlock(&c->lock);
}

CUresult cuda_shared_event_create(CUevent event)
{
	sov_context c = event->context->sov;
	sov_memory_handle h;
	sov_ptr memory;
	CUresult e = cuda_context_result(event->context, sov_memory_alloc(c, PAGE, &memory));

	free_destroyed(event->context);
	if (e)
		return e;
	e = cuda_context_result(event->context, sov_memory_fill(c, memory, 0, 4, PAGE / 4));
	if (!e)
		e = cuda_context_result(event->context, sov_memory_export(c, memory, &h));
	if (e) {
		sov_memory_free(c, memory);
		return e;
	}
	memcpy(&event->handle, &h, sizeof(h));
	event->has_handle = true;
	return attach(event, memory);
}

CUresult cuda_shared_event_open(CUevent event, const CUipcEventHandle *handle)
{
	sov_context c = event->context->sov;
	sov_memory_handle h;
	uint64_t bytes;
	sov_ptr memory;
	CUresult e;

	memcpy(&h, handle, sizeof(h));
	e = cuda_ipc_result(event->context, sov_memory_import(c, &h, &memory, &bytes));
	if (!e && bytes != PAGE) {
		sov_memory_free(c, memory);
		return CUDA_ERROR_INVALID_HANDLE;
	}
	return e ? e : attach(event, memory);
}

/* Streams may still wait for the event, and its record may depend on what the program does next:
 * the memory stays until the context is idle. */
CUresult cuda_shared_event_destroy(CUevent event)
{
	CUcontext c = event->context;
	struct destroyed_event *d;

	if (!IS(c, CONTEXT) || !c->sov)
		return CUDA_SUCCESS; /* the memory was freed with its context */
	d = malloc(sizeof(*d));
	if (!d)
		return CUDA_ERROR_OUT_OF_MEMORY;
	d->memory = event->shared;
	pthread_mutex_lock(&c->lock);
	d->next = c->destroyed_events;
	c->destroyed_events = d;
	pthread_mutex_unlock(&c->lock);
	free_destroyed(c);
	return CUDA_SUCCESS;
}

void cuda_shared_events_forget(CUcontext c)
{
	while (c->destroyed_events) {
		struct destroyed_event *d = c->destroyed_events;

		c->destroyed_events = d->next;
		free(d);
	}
}

/* A record that fails was never asked for. */
CUresult cuda_shared_event_record(CUevent event, CUstream s)
{
	uint64_t n, now;
	CUresult e;

	if (event->context != s->context)
		return CUDA_ERROR_INVALID_HANDLE;
	now = n = __atomic_add_fetch(&event->counters[0], 1, __ATOMIC_SEQ_CST);
	e = cuda_context_result(
		s->context, sov_stream_write_value(s->sov, event->shared + 8 * slot_of(n), n, 8));
	if (e)
		__atomic_compare_exchange_n(&event->counters[0], &now, n - 1, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return e;
}

CUresult cuda_shared_event_stream_wait(CUevent event, CUstream s)
{
	uint64_t n = __atomic_load_n(&event->counters[0], __ATOMIC_SEQ_CST);

	if (!n)
		return CUDA_SUCCESS;
	return cuda_context_result(s->context,
				   sov_stream_wait_value(s->sov, event->shared + 8 * slot_of(n), n,
							 8, SOV_WAIT_REACHED));
}

/* Work of a failed context never reaches the record. */
CUresult cuda_shared_event_wait(CUevent event, bool poll)
{
	uint64_t n = __atomic_load_n(&event->counters[0], __ATOMIC_SEQ_CST);
	struct timespec nap = {0, 1000};
	CUresult e = CUDA_SUCCESS;

	while (!e && __atomic_load_n(&event->counters[slot_of(n)], __ATOMIC_ACQUIRE) < n) {
		e = cuda_context_result(event->context, sov_context_status(event->context->sov));
		if (e || poll)
			return e ? e : CUDA_ERROR_NOT_READY;
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec * 2 < MAX_NAP ? nap.tv_nsec * 2 : MAX_NAP;
	}
	return e;
}
