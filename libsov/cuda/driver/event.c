// SPDX-License-Identifier: MIT
/* Events. A stream of another context waits on the host: events of sov.h belong to one context. */
#include <stdlib.h>
#include "libsov/cuda/driver/driver.h"

static CUresult event_create(CUevent event)
{
	unsigned flags = event->flags & CU_EVENT_DISABLE_TIMING ? SOV_EVENT_DISABLE_TIMING : 0;

	if (event->flags & CU_EVENT_INTERPROCESS)
		return cuda_shared_event_create(event);
	return cuda_context_result(event->context,
				   sov_event_create(event->context->sov, flags, &event->sov));
}

/* handle: of another process, or NULL. */
static CUresult event_new(CUevent *out, unsigned flags, const CUipcEventHandle *handle)
{
	CUresult e;
	CUcontext c = cuda_context(&e);
	CUevent event;

	if (!c)
		return e;
	if (!out || flags & ~7u || (flags & 6u) == CU_EVENT_INTERPROCESS)
		return CUDA_ERROR_INVALID_VALUE; /* a shared event has no time */
	event = calloc(1, sizeof(*event));
	if (!event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	event->magic = MAGIC_EVENT;
	event->context = c;
	event->flags = flags;
	e = handle ? cuda_shared_event_open(event, handle) : event_create(event);
	if (e)
		free(event);
	else
		*out = event;
	return e;
}

API cuEventCreate(CUevent *out, unsigned flags)
{
	return event_new(out, flags, NULL);
}

API cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	if (!IS(event, EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!handle || !event->has_handle)
		return CUDA_ERROR_INVALID_VALUE;
	*handle = event->handle;
	return CUDA_SUCCESS;
}

API cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle)
{
	return event_new(out, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS, &handle);
}

API cuEventDestroy_v2(CUevent event)
{
	CUresult e;

	if (!IS(event, EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	event->magic = 0;
	e = event->shared ? cuda_shared_event_destroy(event)
			  : cuda_context_result(event->context, sov_event_destroy(event->sov));
	free(event->depends);
	free(event);
	return e == CUDA_ERROR_INVALID_HANDLE ? CUDA_SUCCESS : e; /* destroyed with its context */
}

API cuEventDestroy(CUevent event)
{
	return cuEventDestroy_v2(event);
}

API cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned flags)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (!IS(event, EVENT) || event->context != s->context)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags & ~1u)
		return CUDA_ERROR_INVALID_VALUE;
	if (s->capture)
		return event->shared ? cuda_capture_unsupported(s) : cuda_capture_record(s, event);
	e = cuda_stream_begin(s);
	if (!e)
		e = event->shared
			    ? cuda_shared_event_record(event, s)
			    : cuda_context_result(s->context, sov_event_record(event->sov, s->sov));
	if (!e) {
		event->recorded = true;
		event->capture_id = 0;
	}
	return e;
}

API cuEventRecord(CUevent event, CUstream handle)
{
	return cuEventRecordWithFlags(event, handle, 0);
}

static CUresult event_wait(CUevent event, uint64_t timeout)
{
	if (!IS(event, EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->capture_id)
		return CUDA_ERROR_CAPTURED_EVENT;
	if (event->shared)
		return cuda_shared_event_wait(event, timeout == SOV_NO_WAIT);
	if (!event->recorded)
		return CUDA_SUCCESS;
	return cuda_context_result(event->context, sov_event_wait(event->sov, timeout));
}

API cuEventSynchronize(CUevent event)
{
	return event_wait(event, SOV_FOREVER);
}

API cuEventQuery(CUevent event)
{
	return event_wait(event, SOV_NO_WAIT);
}

API cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
	uint64_t nanoseconds = 0;
	CUresult e;

	if (!milliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	if (!IS(from, EVENT) || !IS(to, EVENT) || !from->recorded || !to->recorded ||
	    (from->flags | to->flags) & CU_EVENT_DISABLE_TIMING || from->context != to->context)
		return CUDA_ERROR_INVALID_HANDLE;
	e = cuda_context_result(from->context, sov_event_elapsed(from->sov, to->sov, &nanoseconds));
	if (!e)
		*milliseconds = (float)((double)nanoseconds / 1e6);
	return e;
}

API cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to)
{
	return cuEventElapsedTime(milliseconds, from, to);
}

API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
	CUresult e;
	CUstream s = cuda_stream(handle, &e);

	if (!s)
		return e;
	if (!IS(event, EVENT) || flags & ~1u)
		return IS(event, EVENT) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	if (s->capture && event->shared)
		return cuda_capture_unsupported(s);
	if (s->capture || event->capture_id)
		return cuda_capture_wait(s, event);
	if (!event->recorded && !event->shared)
		return CUDA_SUCCESS;
	if (event->context != s->context)
		return event_wait(event, SOV_FOREVER);
	e = cuda_stream_begin(s);
	if (!e)
		e = event->shared ? cuda_shared_event_stream_wait(event, s)
				  : cuda_context_result(s->context,
							sov_stream_wait_event(s->sov, event->sov));
	cuda_stream_end(s);
	return e;
}
