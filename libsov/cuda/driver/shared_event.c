// SPDX-License-Identifier: MIT
/*
 * Events that processes share: two counters in shared memory, of the records that were asked for
 * and of the last one that the GPU has reached. A wait for the event is a wait until the second is
 * as large as the first was.
 */
#include <string.h>
#include <time.h>
#include "libsov/cuda/driver/driver.h"

#define PAGE    4096
#define REACHED 8        /* offset of the second counter */
#define MAX_NAP 1000000L /* nanoseconds between two looks of a waiting thread */

_Static_assert(sizeof(CUipcEventHandle) == sizeof(sov_memory_handle),
	       "a handle holds that of sov.h");

/* Maps the counters; on failure the memory is freed. */
static CUresult attach(CUevent event, sov_ptr memory)
{
	void *pointer;
	CUresult e = cuda_context_result(event->context,
					 sov_memory_map(event->context->sov, memory, &pointer));

	if (e) {
		sov_memory_free(event->context->sov, memory);
		return e;
	}
	event->shared = memory;
	event->counters = pointer;
	return CUDA_SUCCESS;
}

CUresult cuda_shared_event_create(CUevent event)
{
	sov_context c = event->context->sov;
	sov_memory_handle h;
	sov_ptr memory;
	CUresult e = cuda_context_result(event->context, sov_memory_alloc(c, PAGE, &memory));

	if (e)
		return e;
	e = cuda_context_result(event->context, sov_memory_fill(c, memory, 0, 4, 4));
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

CUresult cuda_shared_event_destroy(CUevent event)
{
	return cuda_context_result(event->context,
				   sov_memory_free(event->context->sov, event->shared));
}

CUresult cuda_shared_event_record(CUevent event, CUstream s)
{
	uint64_t n = __atomic_add_fetch(&event->counters[0], 1, __ATOMIC_SEQ_CST);

	return cuda_context_result(s->context,
				   sov_stream_write_value(s->sov, event->shared + REACHED, n, 8));
}

CUresult cuda_shared_event_stream_wait(CUevent event, CUstream s)
{
	uint64_t n = __atomic_load_n(&event->counters[0], __ATOMIC_SEQ_CST);

	if (!n)
		return CUDA_SUCCESS;
	return cuda_context_result(
		s->context,
		sov_stream_wait_value(s->sov, event->shared + REACHED, n, 8, SOV_WAIT_REACHED));
}

/* Work of a failed context never reaches the record. */
CUresult cuda_shared_event_wait(CUevent event, bool poll)
{
	uint64_t n = __atomic_load_n(&event->counters[0], __ATOMIC_SEQ_CST);
	struct timespec nap = {0, 1000};
	CUresult e = CUDA_SUCCESS;

	while (!e && __atomic_load_n(&event->counters[1], __ATOMIC_ACQUIRE) < n) {
		e = cuda_context_result(event->context, sov_context_status(event->context->sov));
		if (e || poll)
			return e ? e : CUDA_ERROR_NOT_READY;
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec * 2 < MAX_NAP ? nap.tv_nsec * 2 : MAX_NAP;
	}
	return e;
}
